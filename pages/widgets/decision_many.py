"""Several candidates of a table approved by one deliberate press: each its own decision, on the version that was ticked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from pages.widgets.callbacks import uninterrupted
from pages.widgets.candidate_place import Place, mark_of
from pages.widgets.decision import count_left, following, keep_receipt, keep_said, move_on, name_some, say_refusal
from pages.widgets.decision_guard import Seen, counts, seen_now, set_mode
from pages.widgets.desk import Desk
from pages.widgets.language import later, phrase_count, say
from pages.widgets.markup import Markup, join, tag
from store import Approval, GridRow, Refusal, approve

#: Session state: (tenant, id) -> (version, content hash) of what was ticked.
_TICKED = "candidates.ticked"
MANY_REASON = later("Read together in the table; every check passed.")
REASON_KEY = "candidates.grid.reason"


@dataclass(frozen=True, slots=True)
class Ticked:
    """One row that is ticked, as it was drawn."""

    row: GridRow
    seen: Seen


def _key(row: GridRow) -> tuple[str, str]:
    return row.row.tenant, row.row.id


def _held() -> dict[tuple[str, str], tuple[int, str]]:
    held: dict[tuple[str, str], tuple[int, str]] = st.session_state.setdefault(_TICKED, {})
    return held


def ticked_rows(rows: Sequence[GridRow]) -> list[Ticked]:
    """Return which of the rows drawn are ticked; one that changed since, or can no longer be approved at once, is not."""
    held = _held()
    found = []
    for one in rows:
        if held.get(_key(one)) == (one.version, one.content_hash) and one.terms is not None:
            found.append(Ticked(one, seen_now(*_key(one), one.version, one.content_hash, one.row.title)))
    return found


def lost_ticks(rows: Sequence[GridRow]) -> list[GridRow]:
    """Return, once, the rows that were ticked as something else than they are now."""
    held = _held()
    lost = [one for one in rows if _key(one) in held and (held[_key(one)] != (one.version, one.content_hash) or one.terms is None)]
    for one in lost:
        del held[_key(one)]
    return lost


@uninterrupted
def toggle_tick(place: Place, row: GridRow, to: tuple[str, str] | None) -> None:
    """Tick a row as it was drawn, or untick it, and go to another."""
    if not counts():
        return
    held = _held()
    if held.pop(_key(row), None) is None and row.terms is not None:
        held[_key(row)] = (row.version, row.content_hash)
    if to is not None:
        place.go(to)


@uninterrupted
def tick_all(rows: Sequence[GridRow]) -> None:
    """Tick rows as they were drawn, or untick them where all of them are ticked."""
    if not counts():
        return
    held = _held()
    if all(held.get(_key(one)) == (one.version, one.content_hash) for one in rows):
        for one in rows:
            held.pop(_key(one), None)
    else:
        held.update({_key(one): (one.version, one.content_hash) for one in rows})


def plain_rows(rows: Sequence[GridRow]) -> list[GridRow]:
    """Return the rows in which nothing is odd: every check passes, it is suggested to keep it, the value stands in the quote, and the quote is shown whole."""
    sound = [one for one in rows if one.terms is not None and not one.doubts and one.route in (None, "durable")]
    return [one for one in sound if one.whole and one.quote_ok and one.in_quote.kind in ("yes", "scaled")]


@uninterrupted
def approve_ticked(desk: Desk, place: Place, ticked: Sequence[Ticked], rows: Sequence[GridRow], at: tuple[str, str] | None) -> None:
    """Approve every ticked row on its own; those that are refused are named and go on waiting.

    Args:
        rows: all that were drawn; `at`: the one looked at.
    """
    if not counts():
        return
    reason = str(st.session_state.get(REASON_KEY) or "").strip() or say(MANY_REASON)
    to = _next_unticked([_key(one) for one in rows], {(one.seen.tenant, one.seen.id) for one in ticked}, at)
    if to is None and rows:
        to = following(desk, place, *_key(rows[-1]))
    done: list[Ticked] = []
    refused: list[Markup] = []
    for one in ticked:
        seen, terms = one.seen, one.row.terms
        assert terms is not None
        how = Approval(reason, terms, seen.version, seen.content_hash)
        try:
            approve(desk.store, desk.person, seen.tenant, seen.id, how, operation=seen.operation_for("approve", *how.words()))
        except Refusal as refusal:
            refused.append(tag("li", tag("b", seen.title), ": ", say_refusal(refusal, seen)))
        else:
            done.append(one)
        _held().pop((seen.tenant, seen.id), None)
    set_mode(None)
    if refused:
        head = phrase_count("{n} was not approved and goes on waiting:", "{n} were not approved and go on waiting:", len(refused))
        keep_said(join((head, tag("ul", *refused, cls="cc-refused"))))
    if done:
        titles = name_some([one.seen.title for one in done])
        words = phrase_count("Approved {n} as {name}: {titles}", "Approved {n} as {name}: {titles}", len(done), name=desk.actor.name, titles=titles)
        keep_receipt(words, done[-1].seen.id, done[-1].seen.tenant, count_left(desk, place), decided=len(done))
    move_on(desk, place, at[1] if at else "", to)


def _next_unticked(order: list[tuple[str, str]], ticked: set[tuple[str, str]], at: tuple[str, str] | None) -> tuple[str, str] | None:
    """Return the row looked at or the next below it that is not ticked, else the nearest above; None where all are."""
    here = order.index(at) if at in order else 0
    return next((one for one in [*order[here:], *reversed(order[:here])] if one not in ticked), None)


def mark_of_ticked(ticked: Sequence[Ticked]) -> str:
    """Return a mark of what exactly is ticked, for the key of the button that approves it."""
    return mark_of(*(f"{one.seen.tenant}/{one.seen.id}/{one.seen.version}" for one in ticked))
