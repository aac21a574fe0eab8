"""What lapses or is due for review in the coming weeks: how much by week, and the records of one week, soonest first."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

import numpy as np

from store.db.agenda import count_due, page_of_due
from store.db.claim_store import ClaimStore
from store.db.keys import find_party, load_scopes
from store.db.plan_lists import load_named
from store.db.tenants import tenants_of
from store.db.transaction import Reading, read
from store.domain.errors import Code, Refusal
from store.domain.people import Right
from store.domain.scopes import covers, tenant_of
from store.domain.snapshot import HIGH_IMPACT
from store.reads.stale_queue import StaleRow
from store.reads.today import PAST, DueWeek

#: How many weeks the calendar has, this one included.
CALENDAR_WEEKS = 12
_EVER = -(2**62)


@dataclass(frozen=True, slots=True)
class DuePage:
    """One page of what is due in a week.

    Attributes:
        matched: how many are. `next`: cursor of the following page, None where this is the last.
    """

    matched: int
    rows: tuple[StaleRow, ...]
    next: str | None


def view_due_weeks(store: ClaimStore, person: str, *, scope: str | None = None, owner: str | None = None, authenticated: bool = False) -> tuple[DueWeek, ...]:
    """Return how many review dates and expiries lie before today, in the rest of this week, and in each of the weeks after it.

    Args:
        owner: only of what somebody owns.

    Raises:
        Refusal: `not_allowed` where the person may see no dates of others.
    """
    with read(store, person, authenticated=authenticated) as reading:
        bounds = _bounds(reading.at)
        totals = [[0, 0] for _ in bounds]
        for number, _ in _tenants(reading, scope):
            scopes, owned_by = _whose(reading, number, scope, owner)
            for total, (reviews, expiries) in zip(totals, count_due(reading.connection, number, [end for _, _, end in bounds], scopes, owned_by), strict=True):
                total[0] += reviews
                total[1] += expiries
        return tuple(DueWeek(name, start, end, *total) for (name, start, end), total in zip(bounds, totals, strict=True))


def list_due(
    store: ClaimStore, person: str, week: str, *, scope: str | None = None, owner: str | None = None, limit: int = 50, after: str | None = None, authenticated: bool = False
) -> DuePage:  # fmt: skip
    """Return what is due in one week, the soonest first.

    Args:
        week: the Monday of one of the weeks of the calendar, or PAST.
        after: the cursor of the page before.

    Raises:
        Refusal: `bad_value` for another week or a cursor that is none; `not_allowed`.
    """
    with read(store, person, authenticated=authenticated) as reading:
        bounds = _bounds(reading.at)
        chosen = next((place for place, (name, _, _) in enumerate(bounds) if name == week), None)
        if chosen is None:
            raise Refusal(Code.BAD_VALUE, f"Dates are listed for the next {CALENDAR_WEEKS} weeks only, and that is none of them. Choose another week.")
        _, start, end = bounds[chosen]
        tenants = _tenants(reading, scope)
        begin, position = _read_cursor(after, [name for _, name in tenants])
        matched, rows, following = 0, list[StaleRow](), None
        for place, (number, name) in enumerate(tenants):
            scopes, owned_by = _whose(reading, number, scope, owner)
            matched += sum(count_due(reading.connection, number, [end for _, _, end in bounds], scopes, owned_by)[chosen])
            room = limit - len(rows)
            if place < begin or following is not None:
                continue
            found = page_of_due(reading.connection, number, None if week == PAST else start, end, scopes, owned_by, position if place == begin else None, room + 1)
            rows += _describe(reading, number, name, found[:room])
            if len(found) > room:
                last = found[room - 1] if room else None
                following = json.dumps([name, None if last is None else [last[1], last[0]]])
        return DuePage(matched, tuple(rows), following)


def _bounds(at: int) -> list[tuple[str, int, int]]:
    """Return name, start and end of the time before today, of the rest of this week, and of the weeks after it."""
    today = datetime.fromtimestamp(at / 1_000_000, UTC).date()
    monday = today - timedelta(days=today.weekday())
    mondays = [monday + timedelta(days=7 * n) for n in range(CALENDAR_WEEKS + 1)]
    marks = [_micros(today), *(_micros(one) for one in mondays[1:])]
    return [(PAST, _EVER, marks[0]), *((mondays[n].isoformat(), marks[n], marks[n + 1]) for n in range(CALENDAR_WEEKS))]


def _micros(day: date) -> int:
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()) * 1_000_000


def _tenants(reading: Reading, scope: str | None) -> list[tuple[int, str]]:
    wanted = tenant_of(scope) if scope else None
    found = [(number, name) for number, name in tenants_of(reading, Right.INSPECT) if wanted in (None, name)]
    if not found:
        raise Refusal(Code.NOT_ALLOWED, f"{reading.actor.name} may not see what is due: that takes a reviewer, admin or auditor. Ask an admin.")
    return found


def _whose(reading: Reading, number: int, scope: str | None, owner: str | None) -> tuple[list[int] | None, int | None]:
    """Return the numbers of the scopes looked at, None for all, and of the owner, None for anybody."""
    paths = load_scopes(reading.connection, number)
    scopes = [one for one, path in paths.items() if (scope is None or covers(scope, path)) and reading.actor.may(Right.INSPECT, path)]
    owned_by = None if owner is None else find_party(reading.connection, number, owner)
    return (None if len(scopes) == len(paths) else scopes), -1 if owner is not None and owned_by is None else owned_by


def _describe(reading: Reading, number: int, name: str, found: list[tuple[int, int, bool]]) -> list[StaleRow]:
    snapshot = reading.snapshot(number)
    named = load_named(reading.connection, number, [record for record, _, _ in found])
    rows = []
    for record, due, expires in found:
        one = named[record]
        state = "review" if not expires else "expired" if due <= reading.at else "expiring"
        high, sent = bool(snapshot.columns.flags[record] & HIGH_IMPACT), bool(snapshot.delivered[record])
        parents = len(np.unique(snapshot.graph.parents.of(record)))
        rows.append(StaleRow(one.id, name, one.kind, one.title, one.label, one.text, one.scope, one.owner, state, 0, high, sent, record, remaining=parents, since=due))
    return rows


def _read_cursor(after: str | None, tenants: list[str]) -> tuple[int, tuple[int, int] | None]:
    if after is None:
        return 0, None
    try:
        name, position = json.loads(after)
        return tenants.index(name), None if position is None else (int(position[0]), int(position[1]))
    except (ValueError, TypeError, IndexError, KeyError, RecursionError):
        raise Refusal(Code.BAD_VALUE, "That is no cursor of a page. Start again without it.") from None
