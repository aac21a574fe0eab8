"""Choosing what is to be forgotten: by record, subject or source, or by a search whose finds are confirmed one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import streamlit as st

from pages.widgets import told
from pages.widgets.callbacks import uninterrupted
from pages.widgets.candidate_place import mark_of
from pages.widgets.candidate_words import shorten
from pages.widgets.desk import Desk, record_link
from pages.widgets.forgetting_place import WAYS, Place, read_place
from pages.widgets.graph_words import say_value
from pages.widgets.labels import label_text
from pages.widgets.language import later, number, phrase, quote_store, say, say_count
from pages.widgets.markup import Markup, draw, join, tag
from pages.widgets.plan_words import label_beside
from pages.widgets.status import badge, icon
from store import Pick, Right, find_picks, suggest_subjects

_FIND = "forgetting.find"
#: way -> (its name, what it takes in, what the field asks for)
_WAYS = {
    "record": (later("Single records"), later("You choose each record yourself."), later("Title, id or subject of the record")),
    "subject": (later("Everything about a subject"), later("Every claim about it in the chosen scope, and the versions made only of it."), later("The beginning of its name, or a word of it")),
    "source": (later("Everything from a source"), later("Its captured versions, and every claim that was taken from them."), later("Title, id or address of the source")),
    "search": (later("What a search finds"), later("You confirm each find; nothing is ticked beforehand."), later("A name, an address, a word that stands in it")),
}  # fmt: skip
_KIND_ICONS = {"source": "folder_open", "evidence": "draft", "claim": "notes", "artifact": "description"}
_SEARCHED = 100
_FOUND = 15


def choose_tenant(desk: Desk, place: Place) -> None:
    """Ask in whose records to look, where there are several tenants."""
    draw(
        tag("p", say("Choose whose records to look in."), cls="cd-lead"),
        tag("div", *(tag("a", name, cls="cd-link cd-chip", href=place.link(tenant=name)) for name in desk.tenants), cls="cd-chips"),
    )


def draw_ways(place: Place) -> None:
    """Draw the ways to say what is to be forgotten, and what the chosen one takes in."""
    links = [
        tag(
            "a", say(_WAYS[way][0]), cls="cd-link cd-verb cd-here" if way == place.way else "cd-link cd-verb", title=say(_WAYS[way][1]),
            href=Place(new=True, way=way, tenant=place.tenant, scope=place.scope, find=place.find).link(),
        )
        for way in ("subject", *(one for one in WAYS if one != "subject"))
    ]  # fmt: skip
    draw(tag("nav", *links, cls="cd-verbs", label=say("How to say what is to be forgotten")), tag("p", say(_WAYS[place.way][1]), cls="cd-muted cd-small cd-means"))


@uninterrupted
def _typed(desk: Desk) -> None:
    replace(read_place(desk), find=str(st.session_state[_FIND]).strip()[:200]).go()


def draw_picker(desk: Desk, tenant: str, place: Place) -> None:
    """Draw the field to look in, and what is found."""
    if st.session_state.get(_FIND) != place.find:
        st.session_state[_FIND] = place.find
    st.text_input(say(_WAYS[place.way][2]), key=_FIND, icon=":material/search:", live="300ms", on_change=_typed, args=(desk,))
    if place.way == "subject":
        _draw_subjects(desk, tenant, place)
    elif place.find:
        limit = _SEARCHED if place.way == "search" else _FOUND
        found = [pick for pick in find_picks(desk.store, desk.person, tenant, place.find, limit=limit) if pick.kind == "source" or place.way != "source"]
        found = [pick for pick in found if pick.id not in place.records and desk.actor.may(Right.ADMINISTER, pick.scope)]
        if not found:
            draw(tag("div", tag("b", say("Nothing found")), say("Try another word, or another way to say what is meant."), cls="cd-empty cd-quiet"))
        elif place.way == "search":
            _draw_ticks(desk, tenant, place, found)
        else:
            draw(tag("div", *(_pick(pick, place) for pick in found), cls="cd-picks"))


def _what(pick: Pick) -> Markup:
    value = tag("b", say_value(pick.text, 80), " ") if pick.text else None
    more = tag("small", value, quote_store(label_beside(pick.title, pick.label)), " · ", tag("span", pick.id[:120], cls="cd-id"), cls="cd-muted")
    return tag("span", icon(_KIND_ICONS[pick.kind]), tag("b", shorten(pick.title, 160)), more, cls="cd-what")


def _statuses(pick: Pick) -> Markup:
    kind = "evidence" if pick.kind == "source" else pick.kind
    if len(pick.statuses) == 1:
        return badge(next(iter(pick.statuses)), kind)
    return tag("span", *(tag("span", f"{count}× ", badge(status, kind), cls="cd-nowrap") for status, count in pick.statuses.items()), cls="fg-several")


def _pick(pick: Pick, place: Place) -> Markup:
    if place.way == "source":
        href = place.link(way="source", name=pick.id, find="", adding=False)
    else:
        href = place.link(records=(*place.records, pick.id), find="", adding=False)
    return tag("a", _what(pick), tag("span", _statuses(pick)), cls="cd-link cd-pick fg-pick", title=say("Choose this"), href=href)


def _draw_subjects(desk: Desk, tenant: str, place: Place) -> None:
    found = [one for one in suggest_subjects(desk.store, desk.person, place.find, scope=place.scope, limit=_FOUND) if one.tenant == tenant]
    if not found:
        draw(tag("div", tag("b", say("No subject is found by these words.")), say("Try its beginning, another word of its name, or another scope."), cls="cd-empty cd-quiet"))
        return
    veiled = say("Its name is veiled. Ask to see a record about it; then it is shown here too.")
    rows = [
        tag("li", tag("span", icon("visibility_off"), tag("b", one.subject), title=veiled) if one.veiled else tag("a", tag("b", shorten(one.subject, 120)), cls="cd-link", href=place.link(name=one.subject, find="")), " ", tag("span", say_count("{n} claim", "{n} claims", one.claims), cls="cd-muted"))
        for one in found
    ]
    draw(tag("ul", *rows, cls="cd-list"))


# --- finds that are confirmed one by one ----------------------------------------------------------------------------


def _tick_key(tenant: str, words: str, record: str) -> str:
    return f"forgetting.tick.{mark_of(tenant, words, record)}"


@uninterrupted
def _confirm(desk: Desk, tenant: str, place: Place, ids: Sequence[str]) -> None:
    ticked = [one for one in ids if st.session_state.get(_tick_key(tenant, place.find, one))]
    if not ticked:
        told.keep("forgetting.none", True)
        return
    now = read_place(desk)
    replace(now, name=now.name or place.find, records=tuple(dict.fromkeys((*place.records, *ticked))), find="", adding=False).go()


def _draw_ticks(desk: Desk, tenant: str, place: Place, found: Sequence[Pick]) -> None:
    """Draw what was found, each with a box to tick; none is ticked beforehand."""
    said = say_count("{n} record is found. Tick what is meant.", "{n} records are found. Tick each one that is meant.", len(found))
    if len(found) >= _SEARCHED - len(place.records):
        said = say("The first {n} finds are shown. Use more words to see the others. Tick each one that is meant.", n=number(len(found)))
    draw(tag("p", said, cls="cd-muted"))
    if told.take("forgetting.none"):
        draw(tag("div", say("Nothing is ticked, so nothing was taken over."), cls="cd-band cd-warnband"))
    with st.container(key="forgetting_ticks"), st.form(f"forgetting.ticks.{mark_of(tenant, place.find)}", border=False, enter_to_submit=False):
        for pick in found:
            st.checkbox(label_text(pick.title, 110) or say("without a title"), key=_tick_key(tenant, place.find, pick.id))
            value = tag("b", say_value(pick.text, 80), " ") if pick.text else None
            draw(tag("div", tag("small", value, quote_store(label_beside(pick.title, pick.label)), " · ", record_link(pick.id, tenant), cls="cd-muted"), tag("span", _statuses(pick)), cls="fg-found fg-under"))
        st.form_submit_button(say("Show what these reach"), type="primary", key="forgetting.confirm", on_click=_confirm, args=(desk, tenant, place, [pick.id for pick in found]))


# --- what was chosen ------------------------------------------------------------------------------------------------


def _off(href: str) -> Markup:
    return tag("a", icon("close"), cls="cd-link cd-off", title=say("Take off the list"), label=say("Take off the list"), href=href)


def draw_chosen(place: Place, chosen: Mapping[str, Pick]) -> None:
    """Draw what was chosen, each with a way to take it off the list."""
    chips = []
    if place.way in ("subject", "source") and place.name:
        pick = chosen.get(place.name)
        words = say("everything about “{name}”", name=place.name[:120]) if place.way == "subject" else say("everything from “{name}”", name=(pick.title if pick else place.name)[:120])
        chips.append(tag("span", icon("contact_support" if place.way == "subject" else "folder_open"), tag("b", words), _off(place.link(name="", left=())), cls="cd-chip"))
    for one in place.records:
        pick = chosen.get(one)
        status = tag("span", _statuses(pick) if pick else say("not found"), cls="cd-muted")
        rest = tuple(other for other in place.records if other != one)
        name = tag("b", (pick.title if pick else one)[:120])
        chips.append(tag("span", icon(_KIND_ICONS[pick.kind]) if pick else None, name, status, _off(place.link(records=rest)), cls="cd-chip"))
    if place.way in ("record", "search"):
        chips.append(tag("a", icon("add"), say("Add another"), cls="cd-link cd-add", href=place.link(adding=not place.adding)))
    draw(tag("div", *chips, cls="cd-chips"))
    if place.left:
        words = phrase("{n} found and left out: {which}", n=number(len(place.left)), which=join((tag("span", one[:120], " ", _off(place.link(left=tuple(o for o in place.left if o != one))), cls="cd-id") for one in place.left), " "))
        draw(tag("div", words, cls="cd-muted cd-small"))
