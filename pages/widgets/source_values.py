"""What the new document says instead: typed claim by claim, kept for the person while they work, taken into the plan when they say so."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.widgets.callbacks import uninterrupted
from pages.widgets.candidate_place import mark_of
from pages.widgets.candidate_words import shorten
from pages.widgets.decision_guard import counts
from pages.widgets.desk import Desk, attempt, record_link
from pages.widgets.language import say, say_count
from pages.widgets.markup import draw, tag
from store import Recapture, SourceView, keep_plan_values, recall_plan_values

#: Claims whose new values are asked for on one screen.
_ENTERED = 40
#: So many fallen claims or fewer are asked for at once, without opening anything.
_FEW = 5


@dataclass(frozen=True, slots=True)
class Typed:
    """What was typed, claim -> (value, words), as text; and what of it was taken into the plan."""

    now: dict[str, tuple[str, str]]
    taken: dict[str, tuple[str, str]]

    def values(self) -> dict[str, dict[str, Any]]:
        """Return what was taken as a plan holds it."""
        return {
            claim: {"value": _read_value(text), **({"quote": words} if words.strip() else {})} for claim, (text, words) in self.taken.items() if text.strip()
        }


def _read_value(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text.strip()


def recall(desk: Desk, view: SourceView, file: str) -> Typed:
    """Return what the person typed for this source and document, in this session or before."""
    kept = attempt(lambda: recall_plan_values(desk.store, desk.person, view.tenant, view.id, file)) or {}
    now, taken = ({claim: (str(pair[0]), str(pair[1])) for claim, pair in kept.get(name, {}).items()} for name in ("now", "taken"))
    return Typed(now, taken)


def _keep(desk: Desk, view: SourceView, file: str, typed: Typed) -> None:
    kept = {name: pairs for name, pairs in (("now", typed.now), ("taken", typed.taken)) if pairs}
    attempt(lambda: keep_plan_values(desk.store, desk.person, view.tenant, view.id, file, kept))


@uninterrupted
def forget(desk: Desk, view: SourceView, file: str) -> None:
    """Leave all values out of the plan; what was typed stays to be mended."""
    _keep(desk, view, file, Typed(recall(desk, view, file).now, {}))


def _entered(key: str) -> tuple[str, str]:
    return str(st.session_state.get(f"{key}.value") or ""), str(st.session_state.get(f"{key}.quote") or "")


def _with(now: dict[str, tuple[str, str]], lines: dict[str, str]) -> dict[str, tuple[str, str]]:
    """Return what was typed with some lines (claim -> key) as they stand in their fields; empty ones are none."""
    found = {**now, **{claim: _entered(key) for claim, key in lines.items()}}
    return {claim: pair for claim, pair in found.items() if any(one.strip() for one in pair)}


@uninterrupted
def _typed(desk: Desk, view: SourceView, file: str, claim: str, key: str) -> None:
    """Keep one line as it is typed, so that a reload does not lose it."""
    known = recall(desk, view, file)
    _keep(desk, view, file, Typed(_with(known.now, {claim: key}), known.taken))


@uninterrupted
def _take(desk: Desk, view: SourceView, file: str, lines: dict[str, str]) -> None:
    """Take what stands in the fields into the plan, also what was typed a moment before the press."""
    if counts():
        now = _with(recall(desk, view, file).now, lines)
        _keep(desk, view, file, Typed(now, now))


def draw_values(desk: Desk, found: Recapture, view: SourceView, file: str, typed: Typed) -> None:
    """Draw a line for every claim that fell, with what was typed so far."""
    fallen = [one for one in found.passages if one["verdict"] in ("changed", "gone") and one["status"] != "CANDIDATE"]
    if not fallen or not (view.may_decide or view.may_propose):
        return
    mark = mark_of(view.tenant, view.id, file)
    with st.expander(say("What the new document says instead"), expanded=bool(typed.now or typed.taken) or len(fallen) <= _FEW, icon=":material/edit_note:"):
        draw(tag("p", say("Each value becomes a candidate that answers the fallen claim; somebody else decides on it. Leave empty what you do not know."), cls="cd-muted cd-small"))
        lines = {one["id"]: f"sources.new.{mark}.{mark_of(one['id'])}" for one in fallen[:_ENTERED]}
        for one in fallen[:_ENTERED]:
            _draw_line(desk, view, file, one, typed.now.get(one["id"], ("", "")), lines[one["id"]])
        if len(fallen) > _ENTERED:
            words = say_count(
                "{n} more claim fell; its value can be given in a file on the command line.", "{n} more claims fell; their values can be given in a file on the command line.",
                len(fallen) - _ENTERED,
            )  # fmt: skip
            draw(tag("p", words, cls="cd-muted cd-small"))
        st.button(say("Take these into the plan"), key=f"sources.take.{mark}", on_click=_take, args=(desk, view, file, lines))
        # Below the button, so that it does not move under the hand that comes from the last field.
        if typed.now != typed.taken:
            draw(tag("p", say("What you typed is kept for you, and is not in the plan yet."), cls="cd-muted cd-small"))


def _draw_line(desk: Desk, view: SourceView, file: str, one: dict[str, Any], typed: tuple[str, str], key: str) -> None:
    claim, proposed = one["id"], (one.get("proposed") or {}).get("quote") or ""
    draw(tag("div", record_link(claim, view.tenant), tag("span", " ", shorten(proposed, 200), cls="cd-muted cd-small"), cls="cs-entering"))
    left, right = st.columns([2, 5])
    name = claim[:80].replace("_", " ").replace("*", " ").replace("[", "(").replace("]", ")")
    for part, text in zip(("value", "quote"), typed, strict=True):
        st.session_state.setdefault(f"{key}.{part}", text)
    args = (desk, view, file, claim, key)
    left.text_input(say("New value of claim {n}", n=name), key=f"{key}.value", max_chars=4_000, on_change=_typed, args=args)
    right.text_input(say("Its words in the new document, if others than proposed"), key=f"{key}.quote", max_chars=4_000, on_change=_typed, args=args)
