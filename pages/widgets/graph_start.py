"""Finding the record to look from: a search, and where somebody without one may begin."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import streamlit as st

from pages.widgets.callbacks import uninterrupted
from pages.widgets.candidate_words import ago, exact, shorten
from pages.widgets.desk import Desk
from pages.widgets.graph_place import GraphPlace, read_place
from pages.widgets.graph_words import KIND_ICONS
from pages.widgets.language import number, phrase, say, say_count
from pages.widgets.markup import Markup, draw, tag
from pages.widgets.status import badge, icon
from store import Start, find_starts, suggest_starts

_FIND = "dependencies.find"
#: What else a state may be called in the search field.
STATE_OF = {"current": "ACCEPTED", "withdrawn": "REVOKED"}
#: `+id`, `2+id`, `id+`, `id+3`: what it rests on, what rests on it, all of it or so many steps.
_NARROWING = re.compile(r"(?P<what>kind|state):(?P<word>\w+)")
_SELECTOR = re.compile(r"(?:(?P<up>\d{0,2})\+)?(?P<id>.+?)(?:\+(?P<down>\d{0,2}))?", re.DOTALL)


@uninterrupted
def _find_typed(desk: Desk, tenant: str) -> None:
    """Go to the record that is called exactly so, with the steps written around it; otherwise show what the words find."""
    text = str(st.session_state.get(_FIND, "")).strip()[:200]
    place = read_place(desk)
    st.session_state[_FIND] = ""
    narrowed = _NARROWING.fullmatch(text)
    if narrowed and place.record is not None and (narrowed["what"] == "state" or narrowed["word"].lower() in KIND_ICONS):
        word = narrowed["word"].lower()
        place.having(**({"kind": word} if narrowed["what"] == "kind" else {"state": STATE_OF.get(word, word.upper())})).go()
        return
    one, arrow, other = (part.strip() for part in text.partition(">"))
    if arrow and all(_is_id(desk, tenant, part) for part in (one, other)):
        place.having(record=one, to=other).go()
        return
    for record_id, steps in _readings(text):
        if _is_id(desk, tenant, record_id):
            place.having(record=record_id, **steps).go()
            return
    place.having(find=text).go()


def _is_id(desk: Desk, tenant: str, text: str) -> bool:
    return any(found.named.id == text for found in find_starts(desk.store, desk.person, tenant, text, limit=1))


def _readings(text: str) -> list[tuple[str, dict[str, int | None]]]:
    """Return what a text may mean: an id as it stands, or an id with steps around it."""
    found: list[tuple[str, dict[str, int | None]]] = [(text, {})] if text else []
    match = _SELECTOR.fullmatch(text)
    if match and (match["up"] is not None or match["down"] is not None):
        up, down = ((0 if part is None else None if part == "" else int(part)) for part in (match["up"], match["down"]))
        found.append((match["id"].strip(), {"up": up, "down": down}))
    return found


def draw_search(desk: Desk, tenant: str) -> None:
    """Draw the search field."""
    st.text_input(
        say("Look from a record"), key=_FIND, icon=":material/search:", placeholder=say("Id, or words of its title"),
        on_change=_find_typed, args=(desk, tenant),
        help=say("An id or words. +id: all it rests on. id+: all that rests on it. 2+id+3: so many steps each way. id > id: the ways between two. kind:artifact, state:stale: only such rows in the table."),
    )  # fmt: skip


def draw_found(desk: Desk, tenant: str, place: GraphPlace) -> None:
    """Draw what the words found."""
    found = find_starts(desk.store, desk.person, tenant, place.find)
    if found:
        draw(tag("h2", say("Found for “{text}”", text=place.find[:80]), cls="cd-heading"), _rows(found, place))
        return
    draw(tag("div", tag("b", say("Nothing found for “{text}”", text=place.find[:80])), say("Try another word of the title, the id, or the subject of a claim."), cls="cd-empty"))


def draw_start(desk: Desk, tenant: str, place: GraphPlace) -> None:
    """Draw where to begin without a record."""
    starts = suggest_starts(desk.store, desk.person, tenant)
    if not starts.records:
        draw(tag("div", tag("b", say("There is nothing here that you may see")), say("Dependencies are shown to reviewers, auditors and admins of a scope."), cls="cd-empty"))
        return
    records = say_count("{n} record", "{n} records", starts.records)
    lines = say_count("{n} line", "{n} lines", starts.lines)
    draw(tag("p", phrase("{records} and {lines} between them. Choose one to see what it rests on, and what rests on it.", records=tag("b", records), lines=tag("b", lines)), cls="cd-lead"))
    draw_search(desk, tenant)
    if place.find:
        draw_found(desk, tenant, place)
        return
    left, right = st.columns(2, gap="large")
    with left:
        draw(tag("h2", say("What most rests on"), cls="cd-heading"), _rows(list(starts.heavy), place))
    with right:
        draw(tag("h2", say("Changed last"), cls="cd-heading"), _rows(list(starts.recent), place))


def _rows(starts: list[Start], place: GraphPlace) -> Markup:
    rows = []
    for one in starts:
        named = one.named
        since = None
        if one.at is not None:
            text = datetime.fromtimestamp(one.at / 1_000_000, UTC).isoformat()
            since = tag("span", ago(text), title=exact(text))
        around = say("directly: rests on {parents} · {children} rest on it", parents=number(one.parents), children=number(one.children))
        rows.append(
            tag(
                "a", tag("span", icon(KIND_ICONS[named.kind]), tag("b", shorten(named.title, 140)), cls="cd-startname"), tag("span", badge(named.status, named.kind)),
                tag("small", tag("span", named.id[:100], cls="cd-id"), " · ", around, " · " if since else None, since, cls="cd-muted"),
                cls="cd-link cd-start", href=place.link(record=named.id),
            )
        )  # fmt: skip
    return tag("div", *rows, cls="cd-starts")
