"""Deciding how a statement is meant that differs from an accepted one: what was drawn is decided, once, and what a new session gets is looked up."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from typing import Any

import streamlit as st

from pages.widgets.callbacks import uninterrupted
from pages.widgets.candidate_place import Place
from pages.widgets.candidate_terms import given_terms
from pages.widgets.candidate_words import ROUTE_WORDS, shorten
from pages.widgets.decision import APPROVE_REASON, carry_out, given_reason, keep_said
from pages.widgets.decision_guard import Seen, counts
from pages.widgets.desk import Desk, person_name
from pages.widgets.language import later, quote_store, say
from store import Approval, Meant, NewSession, Refusal, Terms, approve, ask_which, check_new_session, parse_stated_time, reject

_CHECKED = "meant.checked"
#: The reason field of the ways, told apart from that of a plain approval by nothing: what is typed there goes on holding.
REASON = "approve"
_ASKED_REASON = later("Both are unclear; asked.")


@dataclass(frozen=True, slots=True)
class Fields:
    """Keys of the fields beside the ways."""

    day: str
    scope: str
    text: str
    of: str


def fields_of(seen: Seen) -> Fields:
    """Return the keys of the fields beside the ways, for one candidate at one version."""
    return Fields(*(f"decision.{name}.value.{seen.mark}" for name in ("from", "narrow", "question", "of")))


def checked_now(record_id: str, tenant: str) -> NewSession | None:
    """Return what a new session got after the last decision, if it was on this record."""
    found = st.session_state.get(_CHECKED)
    return found[2] if found and found[:2] == (tenant, record_id) else None


def _field(key: str) -> Any:
    return st.session_state.get(key)


@uninterrupted
def decide_meant(desk: Desk, place: Place, seen: Seen, way: str, meant: Meant, usual: Terms | None = None) -> None:
    """Decide what was drawn in the way chosen.

    Args:
        way: `now_on`, `task`, `here`, `ask`, `from` or `conflict`.
        meant: what the candidate differs from, as it was drawn.
        usual: the terms with the usual ones, as they were shown, where it is approved on them.
    """
    if not counts():
        return
    terms, problem = given_terms(seen.tenant, seen.id)
    terms = terms if usual is None else usual
    keys = fields_of(seen)
    day, scope = _field(keys.day), str(_field(keys.scope) or "").strip()
    if way == "from" and not isinstance(day, date):
        problem = say("Choose the day from which it replaces the other. Nothing was decided.")
    if way == "here" and not scope and meant.same_key:
        problem = say("Type the narrower scope beside “Only here”, then press it again. Nothing was decided.")
    if problem:
        keep_said(quote_store(problem))
        return
    if way == "task":
        _keep_to_task(desk, place, seen, meant)
    elif way == "ask":
        _ask(desk, place, seen, meant, terms)
    else:
        _approve(desk, place, seen, way, meant, terms)


def _keep_to_task(desk: Desk, place: Place, seen: Seen, meant: Meant) -> None:
    typed = given_reason(seen, REASON, say(APPROVE_REASON))
    reason = say(ROUTE_WORDS["session_only"][2]) if typed == say(APPROVE_REASON) else typed
    operation = seen.operation_for("reject", "session_only", reason)
    words = say("{what} holds for that task only; nothing accepted changed", what=shorten(seen.title))
    out = [one.id for one in meant.others if one.status == "DISPUTED"]
    if out:
        words = say("{what} holds for that task only; {other} is still out of use", what=shorten(seen.title), other=", ".join(out[:3]))

    def doing() -> dict[str, Any]:
        done = reject(
            desk.store, desk.person, seen.tenant, seen.id, "session_only", reason, seen=seen.version, seen_hash=seen.content_hash, operation=operation
        )
        _look_anew(desk, seen)
        return done

    carry_out(desk, place, seen, doing, words)


def _ask(desk: Desk, place: Place, seen: Seen, meant: Meant, terms: Terms) -> None:
    keys = fields_of(seen)
    text, of = str(_field(keys.text) or ""), _field(keys.of)
    if not of:
        keep_said(say("Choose whom to ask. Nothing was asked."))
        return
    typed = given_reason(seen, REASON, say(APPROVE_REASON))
    how = Approval(say(_ASKED_REASON) if typed == say(APPROVE_REASON) else typed, terms, seen.version, seen.content_hash)
    others = {one.id: one.version for one in meant.others}
    operation = seen.operation_for("ask-which", of, text, *how.words())
    words = say("Asked {name} how {what} is meant; what it differs from is out of use until then", name=person_name(of, desk), what=shorten(seen.title))
    carry_out(desk, place, seen, lambda: ask_which(desk.store, desk.person, seen.tenant, seen.id, text, of, how, others=others, operation=operation), words)


def _approve(desk: Desk, place: Place, seen: Seen, way: str, meant: Meant, terms: Terms) -> None:
    keys = fields_of(seen)
    day, scope = _field(keys.day), str(_field(keys.scope) or "").strip()
    named = {"what": shorten(seen.title), "name": desk.actor.name}
    how, words = Approval(given_reason(seen, REASON, say(APPROVE_REASON)), terms), ""
    old = meant.others[0].id
    if way == "now_on":
        how, words = replace(how, replaces=old), say("Approved, from now on: {what} as {name}", **named)
    elif way == "from" and isinstance(day, date):
        how = replace(how, replaces=old, replaces_from=parse_stated_time(day.isoformat()))
        words = say("Approved from {day} on: {what} as {name}", day=day.isoformat(), **named)
    elif way == "here":
        how = replace(how, terms=replace(terms, scope=scope)) if scope else how
        words = say("Approved, only here: {what} as {name}", **named)
    elif way == "conflict":
        how, words = replace(how, open_conflict=True), say("Approved, with an open conflict: {what} as {name}", **named)
    how = replace(how, seen=seen.version, seen_hash=seen.content_hash)
    operation = seen.operation_for("approve", *how.words())

    def doing() -> dict[str, Any]:
        done = approve(desk.store, desk.person, seen.tenant, seen.id, how, operation=operation)
        if way == "now_on":
            _look_anew(desk, seen)
        return done

    carry_out(desk, place, seen, doing, words)


def _look_anew(desk: Desk, seen: Seen) -> None:
    """Look what a new session gets, as a part of the press: moving on may end its run."""
    try:
        st.session_state[_CHECKED] = (seen.tenant, seen.id, check_new_session(desk.store, desk.person, seen.tenant, seen.id))
    except Refusal:
        st.session_state.pop(_CHECKED, None)
