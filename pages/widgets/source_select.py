"""Choosing words of a version: for a new claim, or to mend a candidate whose quote is not where it says."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

from pages.widgets.callbacks import uninterrupted
from pages.widgets.candidate_place import mark_of
from pages.widgets.decision_guard import counts
from pages.widgets.desk import SCOPE_PARAMETER, Desk, address, attempt, note_done
from pages.widgets.labels import label_text
from pages.widgets.language import number, say, say_count
from pages.widgets.markup import draw, tag
from pages.widgets.status import icon
from store import Code, MarkedText, Refusal, SourceVersion, SourceView, amend, find_words, import_lines, show_record, take_span

_SCRIPTS = Path(__file__).with_name("scripts")
_SELECT = st.components.v2.component(
    "claimdesk_source_select", html="<div class='text' tabindex='0' role='region'></div><button type='button'></button>\n",
    css=(_SCRIPTS / "source_select.css").read_text("utf-8"), js=(_SCRIPTS / "source_select.js").read_text("utf-8"),
)  # fmt: skip
_CHOSEN = "sources.chosen"


def draw_selecting(key: str, text: str, start: int, on_pick: Callable[[], None]) -> None:
    """Draw a stretch of a text to select words in; the words taken are in the session under `key`, as `picked_words` reads them.

    Args:
        start: the code point the stretch begins at.
    """
    _SELECT(
        key=key, data={"text": text, "start": start, "label": say("The text, to select words in"), "button": say("Take the selected words")},
        on_pick_change=uninterrupted(on_pick),
    )  # fmt: skip


def picked_words(key: str) -> tuple[int, int] | None:
    """Return the code points of the words that were just taken."""
    found = (st.session_state.get(key) or {}).get("pick") or {}
    start, end = found.get("start"), found.get("end")
    return (start, end) if isinstance(start, int) and isinstance(end, int) else None


def read_typed(text: str) -> Any:
    """Return a typed value: JSON where it is JSON, else the text itself."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _picked(mark: str, key: str) -> None:
    found = picked_words(key)
    if found is not None:
        st.session_state[_CHOSEN] = (mark, *found)


@uninterrupted
def _typed(desk: Desk, view: SourceView, version: SourceVersion, mark: str) -> None:
    """Find typed words in the text: the way by keyboard."""
    words = str(st.session_state.get(f"sources.words.{mark}") or "")
    which = int(st.session_state.get(f"sources.which.{mark}") or 1)
    places = attempt(lambda: find_words(desk.store, desk.person, view.tenant, view.id, version.id, words)) or ()
    if not places:
        attempt(lambda: _refuse(say("These words stand nowhere in this version. Copy them from the text, character for character.")))
        return
    start = places[min(max(which, 1), len(places)) - 1]
    st.session_state[_CHOSEN] = (mark, start, start + len(words))


def _refuse(message: str) -> None:
    raise Refusal(Code.BAD_VALUE, message)


@uninterrupted
def _propose(desk: Desk, view: SourceView, binding: dict[str, Any], mark: str, operation: str) -> None:
    if not counts():
        return
    state = st.session_state
    subject, predicate, value = (str(state.get(f"sources.{name}.{mark}") or "").strip() for name in ("subject", "predicate", "value"))

    def propose() -> str:
        if not subject or not predicate or not value:
            _refuse(say("Say what it is about, which property, and the value. Nothing was proposed."))
        claim = f"{view.id[:200]}.{operation[:12]}"
        line = {
            "type": "claim", "id": claim, "scope": view.scope, "subject": subject, "predicate": predicate, "value": read_typed(value), "evidence": [binding],
            "authority": view.authority, "owner": view.owner, "extraction": {"method": "chosen by hand", "version": "1"}, "proposed_by": desk.person,
        }  # fmt: skip
        kept = {name: one for name, one in line.items() if one is not None}
        done = import_lines(desk.store, desk.person, [json.dumps(kept, ensure_ascii=True).encode()], operation=operation)
        if done["rejected"]:
            _refuse(say("Nothing was proposed: {why}", why=done["rejected"][0]["message"]))
        return claim

    claim = attempt(propose)
    if claim is not None:
        state.pop(_CHOSEN, None)
        state.pop(f"sources.operation.{mark}", None)
        scope = st.query_params.get(SCOPE_PARAMETER)
        note_done(say("Proposed as {name}. You contributed to it, so somebody else decides.", name=desk.actor.name), (say("See the candidate"), address("candidates", candidate=claim, scope=scope)))


@uninterrupted
def _mend(desk: Desk, view: SourceView, binding: dict[str, Any], claim: str, seen: int) -> None:
    if not counts():
        return

    def mend() -> dict[str, Any]:
        found = show_record(desk.store, desk.person, view.tenant, claim)
        bindings = [dict(one) for one in found["record"]["evidence"]]
        place = next((n for n, one in enumerate(bindings) if one["evidence"] == binding["evidence"] and one.get("quote")), None)
        if place is None:
            _refuse(say("That candidate quotes nothing of this version. Nothing was changed."))
        bindings[place or 0] = binding
        return amend(desk.store, desk.person, view.tenant, claim, {"evidence": bindings}, seen=seen)

    if attempt(mend) is not None:
        st.session_state.pop(_CHOSEN, None)
        note_done(say("Its quote is these words now. You contributed to it, so somebody else decides."))


def draw_choosing(desk: Desk, view: SourceView, version: SourceVersion, found: MarkedText, text: str) -> None:
    """Draw the text to choose words of, and what can be made of the words chosen."""
    window = found.window
    if window is None or not view.may_propose or not text:
        return
    mark = mark_of(view.tenant, version.id)
    chosen = st.session_state.get(_CHOSEN)
    mine = chosen if chosen is not None and chosen[0] == mark else None
    with st.expander(say("Choose words for a claim"), expanded=mine is not None, icon=":material/ink_highlighter:"):
        draw(tag("p", say("Select words below, or type them."), cls="cd-muted cd-small"))
        key = f"sources.select.{mark}"
        draw_selecting(key, text, window.start, lambda: _picked(mark, key))
        with st.form(f"sources.typed.{mark}", border=False):
            left, right = st.columns([5, 2])
            left.text_area(say("Or the words, typed exactly"), key=f"sources.words.{mark}", height=68)
            right.number_input(say("Which time they occur"), min_value=1, max_value=20, key=f"sources.which.{mark}")
            st.form_submit_button(say("Find these words"), on_click=_typed, args=(desk, view, version, mark))
        if mine is not None:
            _draw_chosen(desk, view, version, found, mark, (mine[1], mine[2]))


def _draw_chosen(desk: Desk, view: SourceView, version: SourceVersion, found: MarkedText, mark: str, span: tuple[int, int]) -> None:
    binding = attempt(lambda: take_span(desk.store, desk.person, view.tenant, view.id, version.id, *span))
    if binding is None:
        return
    where = say("characters {first}–{last}", first=number(span[0]), last=number(span[1]))
    draw(tag("div", icon("format_quote"), tag("mark", binding["quote"][:2_000]), tag("span", " ", where, cls="cd-muted cd-small"), cls="cd-card cs-chosen"))
    operation = st.session_state.setdefault(f"sources.operation.{mark}", desk.store.new_id())
    with st.form(f"sources.propose.{mark}", border=False):
        one, two, three = st.columns(3)
        one.text_input(say("What or whom it is about"), key=f"sources.subject.{mark}", max_chars=500)
        two.text_input(say("Which property"), key=f"sources.predicate.{mark}", max_chars=200)
        three.text_input(say("Value"), key=f"sources.value.{mark}", max_chars=4_000)
        st.form_submit_button(
            say("Propose it as {name}", name=label_text(desk.actor.name, 40) or say("you")), type="primary", on_click=_propose, args=(desk, view, binding, mark, operation)
        )
    broken = [one for one in found.misplaced if one.status == "CANDIDATE"][:5]
    if broken:
        draw(tag("p", say_count("Or mend {n} candidate whose quote is not where it says:", "Or mend one of {n} candidates whose quotes are not where they say:", len(broken)), cls="cd-muted cd-small"))
    for claim in broken:
        seen = show_record(desk.store, desk.person, view.tenant, claim.id)["version"]
        st.button(
            say("Let {claim} quote these words", claim=label_text(claim.id)), key=f"sources.mend.{mark}.{mark_of(claim.id)}", on_click=_mend,
            args=(desk, view, binding, claim.id, seen),
        )  # fmt: skip
