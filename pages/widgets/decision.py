"""Deciding on a candidate from the screen: what was seen is decided, once, and the list moves on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

import streamlit as st

from pages.widgets.candidate_place import Place
from pages.widgets.candidate_terms import given_terms
from pages.widgets.candidate_words import ROUTE_DONE, exact, plural, shorten
from pages.widgets.decision_guard import Seen, counts, set_mode
from pages.widgets.desk import Desk
from store import Approval, Code, Refusal, Terms, approve, list_candidates, parse_stated_time, reject

_RECEIPT = "decision.receipt"
_SAID = "decision.said"
_COUNT = "decision.count"
_WAS = "decision.was"
_LINE = "decision.line"

APPROVE_REASON = "Passage read, checks passed."


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a decision did, for the line beside the buttons."""

    words: str
    id: str
    tenant: str
    left: int
    count: int


@dataclass(frozen=True, slots=True)
class Said:
    """Why a press wrote nothing."""

    message: str
    moved_on: bool


def remember_drawn(seen: Seen, line: dict[str, Any]) -> None:
    """Keep the content that is drawn, so that a change since then can be shown."""
    st.session_state[_LINE] = (seen.tenant, seen.id, line)


def drawn_before(seen: Seen) -> dict[str, Any] | None:
    """Return, once, what the person had looked at when a decision was refused because it changed."""
    found = st.session_state.pop(_WAS, None)
    return dict(found[2]) if found and found[:2] == (seen.tenant, seen.id) else None


def take_receipt() -> Receipt | None:
    """Return what the last decision did; it stays until the next."""
    found = st.session_state.get(_RECEIPT)
    return found if isinstance(found, Receipt) else None


def take_said() -> Said | None:
    """Return, once, why the last press wrote nothing."""
    found = st.session_state.pop(_SAID, None)
    return found if isinstance(found, Said) else None


def reason_key(seen: Seen, what: str) -> str:
    """Return the key of the field with the reason for one way to decide."""
    return f"decision.reason.{what}.{seen.mark}"


def _reason(seen: Seen, what: str, default: str) -> str:
    return str(st.session_state.get(reason_key(seen, what), default))


def _move_on(desk: Desk, place: Place, seen: Seen) -> int:
    """Show the candidate that follows in the list and return how many are left in it."""
    queue = list_candidates(desk.store, desk.person, place.sift, (seen.tenant, seen.id))
    place.go(queue.after or queue.before or None)
    return queue.yours


def _carry_out(desk: Desk, place: Place, seen: Seen, doing: Callable[[], dict[str, Any]], words: str) -> bool:
    state = st.session_state
    try:
        result = doing()
    except Refusal as refusal:
        set_mode(None)
        moved = refusal.code is Code.ALREADY_DECIDED
        if refusal.code is Code.CHANGED_SINCE_SEEN:
            state[_WAS] = state.get(_LINE)
        state[_SAID] = Said(_say(refusal, seen), moved)
        state.pop(_RECEIPT, None)
        if moved:
            _move_on(desk, place, seen)
        return False
    set_mode(None)
    state[_COUNT] = state.get(_COUNT, 0) + 1
    left = _move_on(desk, place, seen)
    if "waiting" in result:
        words = f"First approval of {shorten(seen.title)} recorded as {desk.actor.name}; it waits for a second person"
    replaced = result.get("replaced") or []
    if replaced:
        words += f"; {', '.join(replaced)} {'is' if len(replaced) == 1 else 'are'} superseded"
    state[_RECEIPT] = Receipt(words, seen.id, seen.tenant, left, state[_COUNT])
    return True


def _say(refusal: Refusal, seen: Seen) -> str:
    if refusal.code is Code.ALREADY_DECIDED and refusal.details.get("by"):
        what = {"ACCEPTED": "approved", "REJECTED": "rejected"}.get(str(refusal.details.get("status")), "settled")
        return (
            f"{refusal.details['by']} {what} {shorten(seen.title)} at {exact(refusal.details['at'])}. Your decision was not saved; the list moved on."
        )
    return refusal.message


def decide_approve(desk: Desk, place: Place, seen: Seen) -> None:
    """Approve what was drawn, with the reason and terms given."""
    if not counts():
        return
    terms, problem = given_terms(seen.tenant, seen.id)
    if problem:
        st.session_state[_SAID] = Said(problem, moved_on=False)
        return
    _approve(desk, place, seen, Approval(_reason(seen, "approve", APPROVE_REASON), terms), "Approved")


def _approve(desk: Desk, place: Place, seen: Seen, how: Approval, done: str) -> None:
    how = replace(how, seen=seen.version, seen_hash=seen.content_hash)
    words = f"{done} {shorten(seen.title)} as {desk.actor.name}"
    operation = seen.operation_for("approve", *how.words())
    _carry_out(desk, place, seen, lambda: approve(desk.store, desk.person, seen.tenant, seen.id, how, operation=operation), words)


def decide_contradiction(desk: Desk, place: Place, seen: Seen, way: str, old: str | None, key: str | None) -> None:
    """Approve a candidate that contradicts something accepted, in the way chosen.

    Args:
        way: `replace`, `from`, `narrow` or `conflict`.
        old: the claim that gives way.
        key: the key of the field with the date or the narrower scope.
    """
    if not counts():
        return
    terms, problem = given_terms(seen.tenant, seen.id)
    reason = _reason(seen, "approve", APPROVE_REASON)
    found = st.session_state.get(key) if key else None
    if way == "from" and not isinstance(found, date):
        problem = "Choose the day from which it replaces the other. Nothing was decided."
    if way == "narrow" and not str(found or "").strip():
        problem = "Name the narrower scope in which it stands. Nothing was decided."
    if problem:
        st.session_state[_SAID] = Said(problem, moved_on=False)
        return
    how, done = Approval(reason, terms), "Approved"
    if way == "replace":
        how, done = replace(how, replaces=old), "Approved, in place of what it contradicts,"
    elif way == "from" and isinstance(found, date):
        how, done = replace(how, replaces=old, replaces_from=parse_stated_time(found.isoformat())), f"Approved from {found.isoformat()}"
    elif way == "narrow":
        how, done = replace(how, terms=_narrowed(terms, str(found).strip())), "Approved, in a narrower scope,"
    elif way == "conflict":
        how, done = replace(how, open_conflict=True), "Approved, with an open conflict,"
    _approve(desk, place, seen, how, done)


def _narrowed(terms: Terms, scope: str) -> Terms:
    return replace(terms, scope=scope)


def decide_reject(desk: Desk, place: Place, seen: Seen, route: str, default: str) -> None:
    """Reject what was drawn by a route, with the reason beside its button."""
    if not counts():
        return
    reason = _reason(seen, route, default)
    operation = seen.operation_for("reject", route, reason)
    words = f"{ROUTE_DONE[route]}: {shorten(seen.title) if route != 'sensitive' else seen.id} as {desk.actor.name}"
    _carry_out(
        desk, place, seen,
        lambda: reject(desk.store, desk.person, seen.tenant, seen.id, route, reason, seen=seen.version, seen_hash=seen.content_hash, operation=operation), words,
    )  # fmt: skip


def ask(mode: str | None, seen: Seen) -> None:
    """Let the bar ask what exactly is meant; the press counts as one, so that a held key goes no further."""
    if mode is None or counts():
        set_mode(mode, seen)


def describe_receipt(receipt: Receipt) -> str:
    """Return a receipt as one line."""
    done = f"{receipt.count:,} of {receipt.count + receipt.left:,} decided"
    return f"{receipt.words} · {done} · {plural(receipt.left, 'candidate')} left"
