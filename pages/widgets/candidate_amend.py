"""Amending a candidate: its value, or where its quote stands. Whoever amends cannot approve."""

from __future__ import annotations

import json
from typing import Any

import streamlit as st

from pages.widgets.callbacks import uninterrupted
from pages.widgets.candidate_place import mark_of
from pages.widgets.candidate_words import shorten
from pages.widgets.decision_guard import Seen, counts
from pages.widgets.desk import Desk, attempt, note_done
from pages.widgets.labels import label_text
from pages.widgets.language import number, say, say_count
from pages.widgets.markup import draw, tag
from pages.widgets.status import icon
from store import CandidateView, Code, Excerpt, Refusal, amend, find_places, rebind


def _value_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _read_value(text: str, before: Any) -> Any:
    """Return what was typed: JSON where it is some, unless the value was a text and stays one."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return text if isinstance(before, str) and not isinstance(found, str) else found


def _describe(found: Excerpt) -> str:
    if found.page is not None:
        places = {"start": number(found.start or 0), "end": number(found.end or 0)}
        return say("page {page}, characters {start}–{end} of the text", page=number(found.page), **places)
    return say(
        "line {line}, characters {start}–{end}", line=number(found.line_start or 0), start=number(found.start or 0), end=number(found.end or 0)
    )


def _places(desk: Desk, view: CandidateView, place: int, quote: str) -> tuple[Excerpt, ...]:
    evidence = view.line["evidence"][place]["evidence"]
    return attempt(lambda: find_places(desk.store, desk.person, view.tenant, view.id, evidence, quote)) or () if quote.strip() else ()


def _chosen(places: tuple[Excerpt, ...], span: dict[str, Any], key: str) -> int:
    picked = st.session_state.get(key)
    if isinstance(picked, int) and picked < len(places):
        return picked
    return next((number for number, one in enumerate(places) if one.start == span.get("start")), 0)


def _new_binding(desk: Desk, view: CandidateView, mark: str, place: int) -> dict[str, Any] | None:
    """Return a quote's binding as the form has it now; None where its words stand nowhere."""
    binding, state = dict(view.line["evidence"][place]), st.session_state
    quote = state.get(f"amend.quote.{mark}.{place}", binding.get("quote") or "")
    if view.passages[place].look.is_json:
        pointer = state.get(f"amend.pointer.{mark}.{place}", (binding.get("span") or {}).get("pointer") or "")
        return {"evidence": binding["evidence"], "span": {"pointer": pointer}, "quote": quote}
    if not quote and not binding.get("quote"):
        return binding
    places = _places(desk, view, place, quote)
    if not places:
        return None
    start = places[_chosen(places, binding.get("span") or {}, f"amend.place.{mark}.{place}")].start
    return rebind(binding, start or 0, quote)


def _collect(desk: Desk, view: CandidateView, mark: str) -> dict[str, Any]:
    """Return the fields the form changes.

    Raises:
        Refusal: a quote stands nowhere in its version.
    """
    fields: dict[str, Any] = {}
    before = view.line["value"]
    text = st.session_state.get(f"amend.value.{mark}", _value_text(before))
    if text != _value_text(before):
        fields["value"] = _read_value(text, before)
    bindings = [dict(one) for one in view.line["evidence"]]
    for place in range(len(bindings)):
        if f"amend.quote.{mark}.{place}" not in st.session_state:
            continue
        changed = _new_binding(desk, view, mark, place)
        if changed is None:
            raise Refusal(Code.BAD_VALUE, say("The quote occurs nowhere in that version, so nothing was amended. Copy it from the passage."))
        if changed != bindings[place]:
            bindings[place] = changed
            fields["evidence"] = bindings
    if not fields:
        raise Refusal(Code.BAD_VALUE, say("Nothing was changed, so nothing was amended. Edit the value or the quote first."))
    return fields


@uninterrupted
def _save(desk: Desk, view: CandidateView, seen: Seen, mark: str) -> None:
    if not counts():
        return

    def save() -> dict[str, Any]:
        fields = _collect(desk, view, mark)
        words = json.dumps(fields, ensure_ascii=False, sort_keys=True)
        return amend(desk.store, desk.person, seen.tenant, seen.id, fields, seen=seen.version, operation=seen.operation_for("amend", words))

    if attempt(save) is not None:
        what, name = shorten(seen.title), desk.actor.name
        note_done(say("Amended {what} as {name}. You contributed to it now, so somebody else must decide.", what=what, name=name))


def _draw_quote(desk: Desk, view: CandidateView, mark: str, place: int) -> None:
    binding = view.line["evidence"][place]
    quote = st.text_area(
        say("Quote, exactly as it stands in the source"), value=binding.get("quote") or "", key=f"amend.quote.{mark}.{place}", height=90
    )
    if view.passages[place].look.is_json:
        st.text_input(say("JSON pointer"), value=(binding.get("span") or {}).get("pointer") or "", key=f"amend.pointer.{mark}.{place}")
        return
    if not quote.strip():
        draw(tag("p", say("Paste the words the claim rests on."), cls="cd-muted cd-small"))
        return
    places = _places(desk, view, place, quote)
    if not places:
        draw(
            tag(
                "div",
                icon("search_off"),
                tag("span", say("These words occur nowhere in that version. Copy them from the passage, character for character.")),
                cls="cd-band cd-badband",
            )
        )
        return
    if len(places) == 1:
        draw(tag("p", icon("check"), say("They stand once: {place}.", place=_describe(places[0])), cls="cd-small"))
        return
    draw(
        tag(
            "p",
            say_count("They occur in {n} place. Which one is meant?", "They occur in {n} places. Which one is meant?", len(places)),
            cls="cd-small",
        )
    )
    key = f"amend.place.{mark}.{place}"
    st.session_state.setdefault(key, _chosen(places, binding.get("span") or {}, key))
    st.segmented_control(
        say("Place"), range(len(places)), format_func=lambda number: _describe(places[number]), key=key, label_visibility="collapsed"
    )


def draw_amend(desk: Desk, view: CandidateView, seen: Seen) -> None:
    """Draw the form of an amendment, folded."""
    if view.kind != "claim" or not view.may_amend or view.status != "CANDIDATE":
        return
    mark = mark_of(view.tenant, view.id, view.version)
    with st.expander(say("Amend it: value or quote"), icon=":material/edit:"):
        warning = tag(
            "span",
            tag("b", say("Whoever amends cannot approve.")),
            " ",
            say("If {name} amends this, somebody else must decide on it.", name=desk.actor.name),
        )
        draw(tag("div", icon("front_hand"), warning, cls="cd-band cd-warnband"))
        st.text_area(say("Value (JSON, or plain text)"), value=_value_text(view.line["value"]), key=f"amend.value.{mark}", height=68)
        bindings = view.line["evidence"]
        if bindings:
            place = 0
            if len(bindings) > 1:
                place = (
                    st.segmented_control(
                        say("Which quote"),
                        range(len(bindings)),
                        default=0,
                        format_func=lambda n: say("quote {n}", n=n + 1),
                        key=f"amend.which.{mark}",
                    )
                    or 0
                )
            _draw_quote(desk, view, mark, place)
        st.button(
            say("Save the amendment as {name}", name=label_text(desk.actor.name)),
            key=f"amend.save.{mark}",
            on_click=_save,
            args=(desk, view, seen, mark),
            icon=":material/edit_note:",
        )
