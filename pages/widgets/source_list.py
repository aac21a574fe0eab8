"""The list of sources: found by a word, narrowed to what needs a look, each with its newest version."""

from __future__ import annotations

import streamlit as st

from pages.widgets.callbacks import uninterrupted
from pages.widgets.candidate_words import ago, exact, shorten
from pages.widgets.desk import Desk, address, attempt, person_name, take_refusal
from pages.widgets.language import later, later_count, number, phrase, phrase_count, quote_store, say, say_count
from pages.widgets.markup import Markup, draw, join, tag
from pages.widgets.source_exposure import WORDS, figure, narrow_label, views
from pages.widgets.source_place import Place
from pages.widgets.source_words import media_word
from pages.widgets.status import badge, icon
from store import SOURCES_ONLY, SOURCES_ORDERS, SOURCES_PAGE, SourceBrief, SourcePage, list_sources

_FIND, _ORDER = "sources.find", "sources.order"
_ONLY = {
    "unsorted": later_count("{n} has a newer version that nobody has sorted", "{n} have a newer version that nobody has sorted"),
    "suspended": later_count("{n} is suspended", "{n} are suspended"),
    "revoked": later_count("{n} has a revoked version", "{n} have a revoked version"),
    "correction": later_count("{n} is in a correction", "{n} are in a correction"),
}
_EMPTY = {
    "": later("No source holds these words."),
    "unsorted": later("Every newer version has been sorted."),
    "suspended": later("No source is suspended."),
    "revoked": later("No version was revoked."),
    "correction": later("No source is in an open correction."),
}
_ORDERS = {
    "newest": later("Latest arrival first"), "reach": later("Most rests on it"), "sole": later("Most has no other support"),
    "delivered": later("Most was delivered"), "owners": later("Most owners"), "title": later("By title"), "id": later("By id"),
}  # fmt: skip


@uninterrupted
def _find_typed(place: Place) -> None:
    place.go(find=str(st.session_state.get(_FIND) or "").strip()[:200], after="")


@uninterrupted
def _order_chosen(place: Place) -> None:
    place.go(order=str(st.session_state.get(_ORDER) or SOURCES_ORDERS[0]), after="")


def _draw_search(place: Place) -> None:
    if st.session_state.get(_FIND) != place.find:
        st.session_state[_FIND] = place.find
    st.session_state[_ORDER] = place.order
    left, right = st.columns([5, 2])
    with left:
        st.text_input(
            say("Find a source"), key=_FIND, icon=":material/search:", on_change=_find_typed, args=(place,), placeholder=say("A word of its title, its id or its address"),
            label_visibility="collapsed",
        )  # fmt: skip
    with right:
        st.selectbox(
            say("Order"), SOURCES_ORDERS, key=_ORDER, on_change=_order_chosen, args=(place,), label_visibility="collapsed",
            format_func=lambda one: say(_ORDERS[one]),
        )  # fmt: skip


def _counts(page: SourcePage, place: Place) -> Markup:
    parts = [_count_link("", phrase_count("{n} source", "{n} sources", page.found, n=tag("b", number(page.found))), place)]
    parts += [
        _count_link(name, phrase_count(*_ONLY[name], page.counts[name], n=tag("b", number(page.counts[name]))), place)
        for name in SOURCES_ONLY
        if page.counts[name] or place.only == name
    ]
    return tag("div", *parts, cls="cd-counts")


def _count_link(only: str, words: Markup, place: Place) -> Markup:
    return tag("a", words, cls="cd-link cd-here" if place.only == only else "cd-link", href=place.link(only=only))


def _state(one: SourceBrief, scope: str | None) -> Markup:
    parts = [badge(one.status, "evidence")]
    if one.unsorted:
        parts.append(tag("span", icon("difference"), say("newer version, not sorted"), cls="cd-status cd-amber"))
    if one.suspended and one.status != "DISPUTED":
        parts.append(tag("span", icon("balance"), say("an older version is suspended"), cls="cd-status cd-violet"))
    if one.revoked and one.status != "REVOKED":
        parts.append(tag("span", icon("block"), say("an older version is revoked"), cls="cd-status cd-red"))
    for case, title in one.corrections[:2]:
        parts.append(tag("span", icon("build_circle"), say("in {correction}", correction=shorten(title or case, 60)), cls="cd-status cd-muted"))
    del scope
    return tag("div", *parts, cls="cs-states")


def _row(one: SourceBrief, place: Place, several: bool) -> Markup:
    href = Place(tenant=one.tenant if several else None, source=one.id, scope=place.scope).link()
    where = [one.id if one.title != one.id else None, one.scope if place.scope != one.scope else None]
    owner = person_name(one.owner) if one.owner else None
    where.append(say("owner: {name}", name=owner) if owner else None)
    title = tag(
        "td", tag("a", tag("b", shorten(one.title, 110)), cls="cd-link", href=href),
        tag("div", " · ".join(shorten(part, 90) for part in where if part), cls="cd-muted cd-small cs-where"),
        tag("div", one.uri, title=one.uri, cls="cd-muted cd-small cs-uri") if one.uri else None,
    )  # fmt: skip
    version = say_count("version {number}, the only one", "version {number} of {n}", one.versions, number=number(one.number))
    newest = tag(
        "td", tag("span", version), tag("div", media_word(one.media_type), " · ", tag("span", ago(one.arrived_at), title=exact(one.arrived_at)), cls="cd-muted cd-small"),
        cls="cs-newest",
    )  # fmt: skip
    return tag(
        "tr", title, newest, tag("td", _state(one, place.scope)), tag("td", number(one.claims), cls="cd-num cs-bound"),
        *(_figure(one, name, place) for name in WORDS),
    )  # fmt: skip


def _figure(one: SourceBrief, name: str, place: Place) -> Markup:
    shown = figure(one.exposure, name, one.id, one.tenant, place.scope, link=one.may_look and one.status in ("ACCEPTED", "DISPUTED"))
    return tag("td", shown, narrow_label(WORDS[name][0]), cls="cd-num")


def _table(page: SourcePage, place: Place, several: bool) -> Markup:
    heads = [tag("th", words) for words in (say("Source"), say("Newest version"), say("Standing"))]
    heads.append(tag("th", say("Claims bound"), cls="cd-num"))
    for name, (word, means) in WORDS.items():
        here = place.order == name
        link = tag("a", say(word), icon("arrow_downward") if here else None, cls="cd-link cd-here" if here else "cd-link", href=place.link(order=name), title=say(means))
        heads.append(tag("th", link, cls="cd-num"))
    head = tag("tr", *heads)
    return tag("div", tag("table", tag("thead", head), tag("tbody", *(_row(one, place, several) for one in page.rows)), cls="cd-table cs-list cs-cards"), cls="cd-scroll")


def _lead(page: SourcePage) -> Markup:
    if not page.found:
        return phrase("No source has been captured here yet.")
    if page.counts["unsorted"]:
        words = phrase_count(
            "{n} source has a newer version beside the one claims rest on.", "{n} sources have a newer version beside the one claims rest on.",
            page.counts["unsorted"], n=tag("b", number(page.counts["unsorted"])),
        )  # fmt: skip
        return phrase("{count} Open one, compare, and say which passages still stand.", count=words)
    return phrase_count("{n} source, and no newer version waits to be sorted.", "{n} sources, and no newer version waits to be sorted.", page.found)


def _pager(page: SourcePage, place: Place) -> Markup | None:
    if page.total <= len(page.rows):
        return None
    where = say("{first}–{last} of {total}", first=number(page.place + 1), last=number(page.place + len(page.rows)), total=number(page.total))
    first = tag("a", say("← to the beginning"), cls="cd-link", href=place.link(after="")) if place.after else None
    after = tag("a", say("next →"), cls="cd-link", href=place.link(after=page.next)) if page.next else None
    return tag("div", first, tag("span", where, cls="cd-muted"), after, cls="cd-pager")


def draw_list(desk: Desk, place: Place) -> None:
    """Draw the list of sources."""
    draw(tag("h1", say("Sources"), cls="cd-title"))
    draw(views(place))
    page = attempt(
        lambda: list_sources(
            desk.store, desk.person, scope=place.scope, find=place.find, only=place.only, order=place.order, after=place.after or None, limit=SOURCES_PAGE
        )
    )
    if page is None:
        refusal = take_refusal()
        draw(tag("div", quote_store(refusal["message"] if refusal else ""), cls="cd-band cd-badband"), tag("a", say("All sources"), cls="cd-link", href=place.link(after="")))
        return
    if not place.find and not place.only:
        draw(tag("p", _lead(page), cls="cd-lead"))
    _draw_search(place)
    draw(_counts(page, place))
    if page.rows:
        draw(join(part for part in (_table(page, place, len(desk.tenants) > 1), _pager(page, place)) if part is not None))
        return
    if place.find or place.only:
        words = say(_EMPTY["" if place.find else place.only])
        draw(tag("div", tag("b", words), tag("a", say("Show all sources"), cls="cd-link", href=place.link(find="", only="")), cls="cd-empty"))
    else:
        link = tag("a", say("Import a bundle"), cls="cd-link", href=address("imports", scope=place.scope))
        draw(tag("div", tag("b", say("Nothing has been captured yet.")), phrase("{link} to bring sources in.", link=link), cls="cd-empty"))
