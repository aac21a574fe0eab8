"""The page about a subject: which one is meant, what is so in sentences, and the parts below."""

from __future__ import annotations

from pages.widgets.about_find import draw_search, draw_suggestions
from pages.widgets.about_list import draw_counts, draw_groups, draw_rows
from pages.widgets.about_place import Place, read_place
from pages.widgets.candidate_words import shorten
from pages.widgets.desk import Desk, attempt, take_refusal
from pages.widgets.language import phrase, phrase_count, say, say_count
from pages.widgets.markup import Markup, draw, join, tag
from store import SubjectView, find_subject, view_subject


def _sentence(view: SubjectView, place: Place) -> Markup:
    """Return what is so, as whole sentences; every number is a way to its list."""

    def number(state: str) -> Markup:
        return tag("a", f"{view.counts[state]:,}", cls="cd-link ca-number", href=place.link(state=state, predicate=None))

    subject = tag("b", shorten(view.subject, 160))
    parts = [
        phrase_count(
            "About {subject} we hold {count} claim.",
            "About {subject} we hold {count} claims.",
            view.counts["held"],
            subject=subject,
            count=tag("b", f"{view.counts['held']:,}"),
        )
    ]
    if view.counts["contested"]:
        parts.append(
            phrase_count("{count} is in an open conflict.", "{count} are in an open conflict.", view.counts["contested"], count=number("contested"))
        )
    if view.counts["stale"]:
        parts.append(phrase_count("{count} needs re-validation.", "{count} need re-validation.", view.counts["stale"], count=number("stale")))
    if view.counts["candidate"]:
        parts.append(phrase_count("{count} waits to be decided.", "{count} wait to be decided.", view.counts["candidate"], count=number("candidate")))
    if not view.counts["served_now"]:
        parts.append(phrase("Agents are served none of it now."))
    return tag("p", join(parts, " "), cls="cd-lead ca-lead")


def _draw_subject(tenant: str, place: Place, view: SubjectView) -> None:
    where = phrase("in {scope}", scope=place.scope) if place.scope else phrase("in all your scopes of {tenant}", tenant=tenant)
    draw(tag("h1", shorten(view.subject, 200), cls="cd-title"), tag("div", where, cls="cd-kicker"), _sentence(view, place))
    draw_counts(view, place)
    if view.rows is not None:
        draw_rows(view, place)
        return
    draw_groups(view, place)


def _say_missing(desk: Desk, place: Place, message: str) -> None:
    draw(tag("h1", say("Nothing is held about it"), cls="cd-title"), tag("div", message, cls="cd-band cd-warnband"))
    if place.scope:
        draw(tag("p", tag("a", say("Look in all your scopes"), cls="cd-link", href=Place(place.subject, place.tenant).link())))
    draw_suggestions(desk, Place(scope=place.scope, find=place.subject))


def _choose_tenant(place: Place, found: dict[str, int]) -> None:
    links = [
        tag(
            "li",
            tag("a", tag("b", name), cls="cd-link", href=place.link(tenant=name)),
            tag("span", say_count("{n} claim", "{n} claims", count), cls="cd-muted"),
        )
        for name, count in found.items()
    ]
    draw(
        tag("h1", shorten(place.subject, 200), cls="cd-title"),
        tag("p", phrase_count("{n} part of the store holds something under this name.", "{n} parts of the store hold something under this name. They are kept apart: it need not be the same thing.", len(found)), cls="cd-lead"),
        tag("ul", *links, cls="cd-list ca-subjects"),
    )  # fmt: skip


def draw_about(desk: Desk) -> None:
    """Draw the page: the search, and what is held about the subject the address names."""
    place = read_place(desk)
    if not place.subject:
        draw(tag("h1", say("What do we hold about…"), cls="cd-title"))
        draw_search(place)
        attempt(lambda: draw_suggestions(desk, place))
        return
    draw_search(place)
    tenant = place.tenant
    if tenant is None:
        tenants = attempt(lambda: find_subject(desk.store, desk.person, place.subject)) or {}
        if place.scope:
            tenants = {name: count for name, count in tenants.items() if name == place.scope.split("/")[0]}
        if len(tenants) > 1:
            _choose_tenant(place, tenants)
            return
        tenant = next(iter(tenants), desk.tenants[0] if desk.tenants else "")
    chosen = tenant
    view = attempt(
        lambda: view_subject(
            desk.store, desk.person, chosen, place.subject, scope=place.scope, predicate=place.predicate, state=place.state, start=place.start, whole=place.whole
        )
    )  # fmt: skip
    if view is None:
        refusal = take_refusal()
        _say_missing(desk, place, refusal["message"] if refusal else "")
        return
    _draw_subject(chosen, place, view)
