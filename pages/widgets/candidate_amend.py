"""Amending a candidate: its value, or where its quote stands. Whoever amends cannot approve."""

from __future__ import annotations

import json
from typing import Any

import streamlit as st

from pages.widgets.candidate_place import mark_of
from pages.widgets.candidate_words import plural
from pages.widgets.decision_guard import Seen, counts
from pages.widgets.desk import Desk, attempt, note_done
from pages.widgets.markup import draw, tag
from pages.widgets.status import icon
from store import CandidateView, Excerpt, amend, find_places, rebind, show_invisible


def _save(desk: Desk, seen: Seen, fields: dict[str, Any]) -> None:
    if not counts():
        return
    words = json.dumps(fields, ensure_ascii=False, sort_keys=True)
    done = attempt(lambda: amend(desk.store, desk.person, seen.tenant, seen.id, fields, seen=seen.version, operation=seen.operation_for("amend", words)))
    if done is not None:
        note_done(f"Amended {show_invisible(seen.title)[:120]} as {desk.actor.name}. You contributed to it now, so somebody else must decide.")


def _read_value(text: str) -> tuple[Any, str | None]:
    try:
        return json.loads(text), None
    except (ValueError, RecursionError):
        return text, None


def _value_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _describe(found: Excerpt) -> str:
    return f"line {found.line_start:,}, characters {found.start:,}–{found.end:,}"


def _draw_quote(desk: Desk, view: CandidateView, mark: str, place: int) -> dict[str, Any] | None:
    """Draw one quote to edit and return its new binding; None where there is none that fits."""
    binding = dict(view.line["evidence"][place])
    passage = view.passages[place]
    key = f"amend.quote.{mark}.{place}"
    quote = st.text_area("Quote, exactly as it stands in the source", value=binding.get("quote") or "", key=key, height=90)
    if passage.look.is_json:
        pointer = st.text_input("JSON pointer", value=(binding.get("span") or {}).get("pointer") or "", key=f"amend.pointer.{mark}.{place}")
        return {"evidence": binding["evidence"], "span": {"pointer": pointer}, "quote": quote}
    if not quote.strip():
        draw(tag("p", "Paste the words the claim rests on.", cls="cd-muted cd-small"))
        return None
    found = attempt(lambda: find_places(desk.store, desk.person, view.tenant, view.id, binding["evidence"], quote))
    if not found:
        draw(tag("div", icon("search_off"), "These words occur nowhere in that version. Copy them from the passage, code point for code point.", cls="cd-band cd-badband"))
        return None
    span = binding.get("span") or {}
    same = next((number for number, one in enumerate(found) if one.start == span.get("start")), 0)
    chosen = same
    if len(found) > 1:
        draw(tag("p", f"They occur in {plural(len(found), 'place')}. Which one is meant?", cls="cd-small"))
        picked = st.segmented_control("Place", range(len(found)), default=same, format_func=lambda number: _describe(found[number]), key=f"amend.place.{mark}.{place}", label_visibility="collapsed")
        chosen = same if picked is None else int(picked)
    else:
        draw(tag("p", icon("check"), f"They stand once: {_describe(found[0])}.", cls="cd-small"))
    return rebind(binding, found[chosen].start or 0, quote)


def draw_amend(desk: Desk, view: CandidateView, seen: Seen) -> None:
    """Draw the form of an amendment, folded."""
    if view.kind != "claim" or not view.may_amend or view.status != "CANDIDATE":
        return
    mark = mark_of(view.tenant, view.id, view.version)
    with st.expander("Amend it: value or quote", icon=":material/edit:"):
        draw(tag("div", icon("front_hand"), tag("span", tag("b", "Whoever amends cannot approve. "), f"If {desk.actor.name} amends this, somebody else must decide on it."), cls="cd-band cd-warnband"))
        fields: dict[str, Any] = {}
        before = _value_text(view.line["value"])
        text = st.text_area("Value (JSON, or plain text)", value=before, key=f"amend.value.{mark}", height=68)
        if text != before:
            fields["value"], _ = _read_value(text)
        bindings = [dict(one) for one in view.line["evidence"]]
        good = True
        if bindings:
            place = 0
            if len(bindings) > 1:
                place = st.segmented_control("Which quote", range(len(bindings)), default=0, format_func=lambda number: f"quote {number + 1}", key=f"amend.which.{mark}") or 0
            changed = _draw_quote(desk, view, mark, place)
            good = changed is not None or not bindings[place].get("quote")
            if changed is not None and changed != bindings[place]:
                bindings[place] = changed
                fields["evidence"] = bindings
        st.button(
            f"Save the amendment as {show_invisible(desk.actor.name)}" if _plain(desk.actor.name) else "Save the amendment", key=f"amend.save.{mark}", disabled=not fields or not good,
            on_click=_save, args=(desk, seen, fields), icon=":material/edit_note:",
        )  # fmt: skip


def _plain(name: str) -> bool:
    """Return whether a name has nothing that a label would draw as markup."""
    return all(ch.isalnum() or ch in " -'’·" for ch in name)
