"""Deciding on candidates from the screen: what was seen is decided, once, and the list moves on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from pages.widgets import told
from pages.widgets.callbacks import uninterrupted
from pages.widgets.candidate_place import Place
from pages.widgets.candidate_terms import given_terms
from pages.widgets.candidate_words import ROUTE_DONE, exact, shorten
from pages.widgets.decision_guard import Seen, counts, set_mode
from pages.widgets.desk import Desk, person_name
from pages.widgets.language import later, listed, number, quote_store, say, say_count
from pages.widgets.markup import Markup, join
from store import Approval, Code, RecentDecision, Refusal, Terms, approve, ask, list_candidates, reject, reopen

_RECEIPT = "decision.receipt"
_SAID = "decision.said"
_COUNT = "decision.count"
_WAS = "decision.was"
_LINE = "decision.line"
_TO = "decision.to"
_MOVING = "decision.moving"

#: Reasons that stand in their fields until somebody writes another.
APPROVE_REASON = later("Passage read, checks passed.")
USUAL_REASON = later("Passage read, accepted on the usual terms.")


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a decision did, for the line beside the buttons; `count`: how many decisions there were so far."""

    words: Markup
    id: str
    tenant: str
    left: int
    count: int


@dataclass(frozen=True, slots=True)
class Said:
    """Why a press wrote nothing."""

    message: Markup
    moved_on: bool


def remember_drawn(seen: Seen, line: dict[str, Any]) -> None:
    """Keep the content that is drawn, so that a change since then can be shown."""
    st.session_state[_LINE] = (seen.tenant, seen.id, line)


def drawn_before(seen: Seen) -> dict[str, Any] | None:
    """Return, once, what the person had looked at when a decision was refused because it changed."""
    found = told.take(_WAS)
    return dict(found[2]) if found and found[:2] == (seen.tenant, seen.id) else None


def take_receipt() -> Receipt | None:
    """Return what the last decision did; it stays until the next."""
    found = st.session_state.get(_RECEIPT)
    return found if isinstance(found, Receipt) else None


def take_said() -> Said | None:
    """Return, once, why the last press wrote nothing."""
    found = told.take(_SAID)
    return found if isinstance(found, Said) else None


def keep_said(message: str | Markup, *, moved_on: bool = False) -> None:
    """Keep why a press wrote nothing."""
    told.keep(_SAID, Said(join([message]), moved_on))
    st.session_state.pop(_RECEIPT, None)


def keep_receipt(words: str | Markup, record_id: str, tenant: str, left: int, decided: int = 1) -> None:
    """Keep what a press did; `decided`: how many decisions it was."""
    state = st.session_state
    state[_COUNT] = state.get(_COUNT, 0) + decided
    state[_RECEIPT] = Receipt(join([words]), record_id, tenant, left, state[_COUNT])


def reason_key(seen: Seen, what: str) -> str:
    """Return the key of the field with the reason for one way to decide."""
    return f"decision.reason.{what}.{seen.mark}"


def given_reason(seen: Seen, what: str, default: str) -> str:
    """Return what stands in the field with the reason for one way to decide."""
    return str(st.session_state.get(reason_key(seen, what), default))


def following(desk: Desk, place: Place, tenant: str, record_id: str) -> tuple[str, str] | None:
    """Return the candidate to show once this one is decided: the one after it in the list, else the one before.

    A press may be carried out twice, when the page is drawn anew in the middle of it; the second time the candidate is gone.
    """
    here, state = (tenant, record_id), st.session_state
    queue = list_candidates(desk.store, desk.person, place.sift, here)
    to = queue.after or queue.before
    if queue.chosen == here:
        state[_TO] = (here, to)
    elif _TO in state and state[_TO][0] == here:
        to = state[_TO][1]
    return to


def count_left(desk: Desk, place: Place) -> int:
    """Return how many wait for this person."""
    return list_candidates(desk.store, desk.person, place.sift).yours


def move_on(desk: Desk, place: Place, decided: str, to: tuple[str, str] | None) -> None:
    """Show a candidate, if it still waits; the last thing a press does.

    Changing the address may end this run for the next one, which then still has the address of what was decided: `finish_move`.
    """
    queue = list_candidates(desk.store, desk.person, place.sift, to)
    st.session_state[_MOVING] = (decided, to if to is not None and queue.chosen == to else None)
    place.go(st.session_state[_MOVING][1])
    st.session_state.pop(_MOVING, None)


def finish_move(desk: Desk, place: Place) -> bool:
    """Go on from what was decided, if the run of the press was ended before it could; return whether the address changed."""
    decided, to = st.session_state.get(_MOVING, (None, None))
    moved = False
    if decided is not None and place.candidate == decided:
        queue = list_candidates(desk.store, desk.person, place.sift, (place.tenant, decided))
        moved = queue.chosen is None or queue.chosen[1] != decided
        if moved:
            place.go(to)
    st.session_state.pop(_MOVING, None)
    return moved


def carry_out(desk: Desk, place: Place, seen: Seen, doing: Callable[[], dict[str, Any]], words: str) -> bool:
    """Carry out a decision on what was drawn, keep what it did or why not, and show the next; return whether it was done."""
    to = following(desk, place, seen.tenant, seen.id)
    # Whatever the session keeps may end this run for the next one, also right after the decision was written.
    st.session_state[_MOVING] = (seen.id, to)
    try:
        result = doing()
    except Refusal as refusal:
        st.session_state.pop(_MOVING, None)
        set_mode(None)
        moved = refusal.code is Code.ALREADY_DECIDED
        if refusal.code is Code.CHANGED_SINCE_SEEN:
            told.keep(_WAS, st.session_state.get(_LINE))
        keep_said(say_refusal(refusal, seen), moved_on=moved)
        if moved:
            move_on(desk, place, seen.id, to)
        return False
    set_mode(None)
    done: str | Markup = words
    if "waiting" in result:
        done = say("First approval of {what} recorded as {name}; it waits for a second person", what=shorten(seen.title), name=desk.actor.name)
    replaced = result.get("replaced") or []
    if replaced:
        done = say_count("{told}; {names} is superseded", "{told}; {names} are superseded", len(replaced), told=done, names=", ".join(replaced))
    keep_receipt(done, seen.id, seen.tenant, count_left(desk, place))
    move_on(desk, place, seen.id, to)
    return True


def say_refusal(refusal: Refusal, seen: Seen) -> str | Markup:
    """Return why a decision was refused."""
    if refusal.code is Code.ALREADY_DECIDED and refusal.details.get("by"):
        status = str(refusal.details.get("status"))
        words = {
            "ACCEPTED": later("{by} approved {what} at {time}. Your decision was not saved; the list moved on."),
            "REJECTED": later("{by} rejected {what} at {time}. Your decision was not saved; the list moved on."),
        }.get(status, later("{by} settled {what} at {time}. Your decision was not saved; the list moved on."))
        return say(words, by=refusal.details["by"], what=shorten(seen.title), time=exact(refusal.details["at"]))
    return quote_store(refusal.message)


@uninterrupted
def decide_approve(desk: Desk, place: Place, seen: Seen, usual: Terms | None = None) -> None:
    """Approve what was drawn, with the reason and terms given.

    Args:
        usual: the terms with the usual ones among them, as they were shown.
    """
    if not counts():
        return
    terms, problem = given_terms(seen.tenant, seen.id)
    if problem:
        keep_said(quote_store(problem))
        return
    if usual is None:
        words = say("Approved {what} as {name}", what=shorten(seen.title), name=desk.actor.name)
        _approve(desk, place, seen, Approval(given_reason(seen, "approve", say(APPROVE_REASON)), terms), words)
    else:
        words = say("Approved on the usual terms: {what} as {name}", what=shorten(seen.title), name=desk.actor.name)
        reason = given_reason(seen, "approve", say(APPROVE_REASON))
        _approve(desk, place, seen, Approval(say(USUAL_REASON) if reason == say(APPROVE_REASON) else reason, usual), words)


def _approve(desk: Desk, place: Place, seen: Seen, how: Approval, words: str) -> None:
    how = replace(how, seen=seen.version, seen_hash=seen.content_hash)
    operation = seen.operation_for("approve", *how.words())
    carry_out(desk, place, seen, lambda: approve(desk.store, desk.person, seen.tenant, seen.id, how, operation=operation), words)


@uninterrupted
def decide_reject(desk: Desk, place: Place, seen: Seen, route: str, default: str) -> None:
    """Reject what was drawn by a route, with the reason beside its button."""
    if not counts():
        return
    reason = given_reason(seen, route, default)
    operation = seen.operation_for("reject", route, reason)
    named = shorten(seen.title) if route != "sensitive" else seen.id
    words = say("{done}: {what} as {name}", done=say(ROUTE_DONE[route]), what=named, name=desk.actor.name)
    carry_out(
        desk, place, seen,
        lambda: reject(desk.store, desk.person, seen.tenant, seen.id, route, reason, seen=seen.version, seen_hash=seen.content_hash, operation=operation), words,
    )  # fmt: skip


@uninterrupted
def take_back(desk: Desk, place: Place, last: RecentDecision) -> None:
    """Take one's own decision back, as it was drawn, and show the candidate again."""
    if not counts():
        return
    if last.why_not is not None:
        keep_said(join((say("{what} cannot be reopened: ", what=shorten(last.title)), quote_store(last.why_not), ".")))
        return
    try:
        reopen(desk.store, desk.person, last.tenant, last.id, operation=f"desk-reopen-{last.event}-{desk.person}")
    except Refusal as refusal:
        keep_said(quote_store(refusal.message))
        return
    set_mode(None)
    words = say("Reopened {what}; it waits again", what=shorten(last.title))
    keep_receipt(words, last.id, last.tenant, count_left(desk, place), decided=-1 if st.session_state.get(_COUNT) else 0)
    place.go((last.tenant, last.id))


@uninterrupted
def send_question(desk: Desk, place: Place, seen: Seen, text_key: str, of_key: str) -> None:
    """Ask somebody about the candidate that was drawn; it goes on waiting, and the list moves on."""
    if not counts():
        return
    text, of = str(st.session_state.get(text_key) or ""), st.session_state.get(of_key)
    if not of:
        keep_said(say("Choose whom to ask. Nothing was asked."))
        return
    to = following(desk, place, seen.tenant, seen.id)
    try:
        ask(desk.store, desk.person, seen.tenant, "record", seen.id, text, of, operation=seen.operation_for("ask", of, text))
    except Refusal as refusal:
        keep_said(quote_store(refusal.message))
        return
    set_mode(None)
    words = say("Asked {name} about {what}; it goes on waiting", name=person_name(of, desk), what=shorten(seen.title))
    keep_receipt(words, seen.id, seen.tenant, count_left(desk, place), decided=0)
    move_on(desk, place, seen.id, to)


@uninterrupted
def ask_further(mode: str | None, seen: Seen) -> None:
    """Let the bar ask what exactly is meant; the press counts as one, so that a held key goes no further."""
    if mode is None or counts():
        set_mode(mode, seen)


def describe_receipt(receipt: Receipt) -> Markup:
    """Return a receipt as one line."""
    parts: list[str | Markup] = [receipt.words]
    if receipt.count:
        parts.append(say("{done} of {all} decided", done=number(receipt.count), all=number(receipt.count + receipt.left)))
    parts.append(say_count("{n} candidate left", "{n} candidates left", receipt.left))
    return join(parts, " · ")


def name_some(titles: list[str]) -> Markup:
    """Return what several candidates are called, cut where they are many."""
    return listed([shorten(title, 50) for title in titles], most=4 if len(titles) > 5 else None)
