"""What went out: artifacts with their recipients, those that are to be put right first."""

from __future__ import annotations

from pages.widgets.delivery_place import NEEDING, DeliveryPlace
from pages.widgets.delivery_words import remedy_badge
from pages.widgets.desk import Desk, person_name, show_notices
from pages.widgets.language import number, phrase, phrase_count, say, say_count
from pages.widgets.markup import Markup, draw, tag
from pages.widgets.moments import from_micros, when
from pages.widgets.status import badge, icon
from store import DeliveredArtifact, DeliveredList, list_delivered

_NAMED = 3


def draw_delivered(desk: Desk, place: DeliveryPlace) -> None:
    """Draw the list."""
    page = list_delivered(desk.store, desk.person, scope=desk.scope, correction=place.correction, only=place.only, after=place.after)
    _draw_sentence(page)
    show_notices()
    if not page.total:
        words = say("An artifact that went to somebody is listed here, with its editions and how it is put right.")
        draw(tag("div", icon("inventory_2"), tag("b", say("Nothing went out")), tag("div", words), cls="cd-empty"))
        return
    draw(_chips(place, page))
    if not page.rows:
        draw(tag("div", tag("b", say("None of them")), tag("a", say("Show all"), cls="cd-link", href=place.link(only=None)), cls="cd-empty"))
        return
    draw(tag("ul", *(_line(row, place) for row in page.rows), cls="dv-rows"))
    first = tag("a", icon("first_page"), say("To the beginning"), cls="cd-link", href=place.link()) if place.after else None
    on = tag("a", say("On"), icon("chevron_right"), cls="cd-link", href=place.link(after=page.after)) if page.after is not None else None
    if first or on:
        draw(tag("div", first, on, cls="cd-pager"))


def _draw_sentence(page: DeliveredList) -> None:
    if not page.total:
        return
    if page.needing:
        things = tag("b", say_count("{n} artifact", "{n} artifacts", page.needing))
        draw(tag("p", phrase_count("{things} that went out is to be put right.", "{things} that went out are to be put right.", page.needing, things=things), cls="cd-lead"))
    else:
        draw(tag("p", phrase("{nothing} that went out is to be put right.", nothing=tag("b", say("Nothing"))), cls="cd-lead"))


def _chips(place: DeliveryPlace, page: DeliveredList) -> Markup:
    choices = ((None, say("All"), "inventory_2", page.total), (NEEDING, say("To be put right"), "build", page.needing))
    chips = [
        tag("a", icon(symbol), words, " ", tag("b", number(count)), cls="cd-link cy-pick" + (" dv-here" if place.only == only else ""), href=place.link(only=only))
        for only, words, symbol, count in choices
    ]  # fmt: skip
    return tag("nav", *chips, cls="cy-picks", label=say("What is shown"))


def recipients_words(row: DeliveredArtifact) -> str:
    """Return to whom an artifact went, in a few words."""
    names = list(dict.fromkeys(person_name(one.recipient)[:80] for one in row.deliveries))
    some = say(", ").join(names[:_NAMED])
    return say("{names} and {n} more", names=some, n=number(len(names) - _NAMED)) if len(names) > _NAMED else some


def _line(row: DeliveredArtifact, place: DeliveryPlace) -> Markup:
    last = max((one.delivered_at for one in row.deliveries if one.delivered_at is not None), default=None)
    at = tag("small", when(from_micros(last)), cls="cd-muted") if last is not None else None
    title = tag("a", row.title[:200], cls="cd-link dv-name", href=place.link(artifact=row.id, tenant=row.tenant))
    about = tag("div", say("edition {n}", n=row.edition), " · ", phrase("to {names}", names=recipients_words(row)), cls="dv-why")
    return tag("li", tag("div", title, about, cls="dv-what"), tag("div", badge(row.status.name, "artifact"), tag("div", remedy_badge(row.remedy, needs=row.needs_remedy)), at, cls="dv-state"))
