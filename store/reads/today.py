"""A person's day: what waits for them by name, what comes up, what is blocked, and which plans of theirs do something else by now."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from threading import Lock
from time import perf_counter

import numpy as np

from store.db.agenda import count_due, names_of_keys, page_of_due, previews_of
from store.db.claim_store import ClaimStore
from store.db.impacts import REMEMBERED
from store.db.keys import find_party, load_scopes
from store.db.plan_lists import event_number, load_named
from store.db.questions import list_actors
from store.db.records import load_cards
from store.db.rehearsing import is_changed
from store.db.transaction import Reading, read
from store.db.waiting import Decided, first_approvals, last_changes, recorded_times
from store.domain.agenda import high_impact_actions, supported_actions, usable_records
from store.domain.errors import Code, Refusal
from store.domain.people import Right
from store.domain.plans import Plan
from store.domain.reach import Ints
from store.domain.scopes import covers
from store.reads.deletion_dues import WaitingDeletion, waiting_deletions
from store.reads.questions import MyQuestions, my_questions
from store.reads.sheet import decided_today
from store.reads.waiting_for import Share, Waiting, add_up, shares_of, unsent_messages

#: Rows of a section, of a whole list, and weeks looked ahead.
SHOWN, LIST_PAGE, WEEKS = 5, 50, 6
#: The lists the page can open: second approvals, records of one's own to re-validate, blocked actions, dates.
TODAY_LISTS = ("second", "stale", "actions", "dates")
#: The name of the time before today, beside weeks that are named by their Monday.
PAST = "past"
_PLANS, _PATIENCE = 5, 0.15
_KEPT = 64
_DAY = 24 * 3600 * 1_000_000


@dataclass(frozen=True, slots=True)
class AgendaRow:
    """A record that concerns the person. Texts come from outside; times in microseconds.

    Attributes:
        readable: whether they may open its page.
        since: when it came to wait, or when it is due; `by`: who caused that, `action`: by what.
        expires: of a date, whether it is the expiry.
        unusable: of an action, how many of the `parents` records it rests on cannot be used.
    """

    tenant: str
    id: str
    kind: str
    status: str
    title: str
    scope: str
    owner: str | None
    readable: bool
    delivered: bool = False
    since: int | None = None
    by: str | None = None
    action: str | None = None
    expires: bool = False
    unusable: int = 0
    parents: int = 0


@dataclass(frozen=True, slots=True)
class WaitingConflict:
    """An open conflict that waits for the person; `yours`: they own it."""

    tenant: str
    id: str
    subject: str
    predicate: str
    since: int | None
    yours: bool
    blocking: bool


@dataclass(frozen=True, slots=True)
class DueWeek:
    """Dates of one week, or all before today: `name` is the Monday's date or PAST; `start` and `end` in microseconds."""

    name: str
    start: int
    end: int
    reviews: int
    expiries: int


@dataclass(frozen=True, slots=True)
class OwnPlan:
    """A plan the person looked at and did not commit.

    Attributes:
        changed: whether it would do something else by now; None where that was not worked out yet.
        impossible: why it cannot be carried out any more, in the store's words.
    """

    tenant: str
    plan: Plan
    at: int
    changed: bool | None
    impossible: str | None = None


@dataclass(frozen=True, slots=True)
class HandedPlan:
    """A plan somebody handed to the person to commit; `at` in microseconds.

    Attributes:
        by: the name of who handed it over, because of `why`.
        totals: what it did when it was saved.
    """

    tenant: str
    id: str
    name: str
    plan: Plan
    by: str
    why: str
    at: int
    totals: dict[str, int]


@dataclass(frozen=True, slots=True)
class Today:
    """Everything the page shows at once; sections hold their first rows, the numbers count all.

    Attributes:
        oldest: when the oldest of the candidates that wait for the person came.
        candidates: the oldest of those, by name.
        blocked: how many high-impact actions are blocked, of `actions` unfinished ones they may see.
        weeks: the time before today, then this week and the next ones.
        own_dates: the dates are only of records the person owns.
        decided: who decided how much today: (id, name, count), the person first.
        handed: plans handed to the person to commit, the longest waiting first.
        deletions: requests to forget that wait for them, the longest overdue first.
    """

    at: int
    waiting: Waiting
    questions: MyQuestions
    oldest: int | None
    candidates: tuple[AgendaRow, ...]
    second: tuple[AgendaRow, ...]
    conflicts: tuple[WaitingConflict, ...]
    stale: tuple[AgendaRow, ...]
    actions: int
    blocked: int
    blocked_rows: tuple[AgendaRow, ...]
    weeks: tuple[DueWeek, ...]
    own_dates: bool
    plans: tuple[OwnPlan, ...]
    decided: tuple[tuple[str, str, int], ...]
    handed: tuple[HandedPlan, ...]
    deletions: tuple[WaitingDeletion, ...] = ()


@dataclass(frozen=True, slots=True)
class AgendaList:
    """One page of a list: how many there are in all, the rows, and where the next page starts."""

    total: int
    rows: tuple[AgendaRow, ...]
    first: int
    next: str | None


def view_today(store: ClaimStore, person: str, *, scope: str | None = None, authenticated: bool = False) -> Today:
    """Return a person's day, within a scope if given."""
    with read(store, person, authenticated=authenticated) as reading:
        shares = shares_of(reading, scope)
        questions = my_questions(reading, scope)
        candidates = [row for share in shares for row in _came(reading, share, share.candidates[:SHOWN])]
        actions = [(share, *_actions(reading, share.number, scope)) for share in shares]
        weeks, own_dates = _weeks(reading, shares, scope)
        deletions = waiting_deletions(reading, scope)
        return Today(
            reading.at, add_up(shares, questions, unsent_messages(reading, scope), len(deletions)), questions, min((row.since for row in candidates if row.since), default=None),
            tuple(sorted(candidates, key=lambda row: row.since or 0)[:3]), _first(lambda share, most: _second(reading, share, share.second[:most]), shares),
            _conflicts(reading, shares), _first(lambda share, most: _stale(reading, share, share.stale[:most]), shares),
            sum(total for _, total, _ in actions), sum(len(blocked) for _, _, blocked in actions),
            tuple(row for share, _, blocked in actions for row in _blocked(reading, share, blocked[:SHOWN]))[:SHOWN], weeks, own_dates,
            _plans(reading, shares), decided_today(reading, scope), _handed(reading, shares), deletions,
        )  # fmt: skip


def list_today(
    store: ClaimStore, person: str, which: str, *, scope: str | None = None, week: str | None = None, after: str | None = None, authenticated: bool = False
) -> AgendaList:  # fmt: skip
    """Return one page of a list of the day.

    Args:
        which: one of TODAY_LISTS; `week`: for dates, the Monday of the week, or PAST.
        after: where the page starts, as the page before said.

    Raises:
        Refusal: there is no such list, week or page.
    """
    if which not in TODAY_LISTS:
        raise Refusal(Code.BAD_VALUE, f"There is no list {which[:40]!r}. Go back to Today.")
    with read(store, person, authenticated=authenticated) as reading:
        shares = shares_of(reading, scope)
        if which == "dates":
            return _dates(reading, shares, scope, week, after)
        parts: list[tuple[Share, Ints]] = []
        for share in shares:
            records = _actions(reading, share.number, scope)[1] if which == "actions" else share.second if which == "second" else share.stale
            parts.append((share, records))
        draw = {"second": _second, "stale": _stale, "actions": _blocked}[which]
        total, first = sum(len(records) for _, records in parts), _place(after)
        rows: list[AgendaRow] = []
        skip = first
        for share, records in parts:
            rows += draw(reading, share, records[skip : skip + LIST_PAGE - len(rows)])
            skip = max(0, skip - len(records))
        following = first + len(rows)
        return AgendaList(total, tuple(rows), first, str(following) if following < total and rows else None)


def _place(after: str | None) -> int:
    return int(after) if after is not None and after.isascii() and after.isdigit() and len(after) < 10 else 0


def _first(draw: Callable[[Share, int], list[AgendaRow]], shares: list[Share]) -> tuple[AgendaRow, ...]:
    rows: list[AgendaRow] = []
    for share in shares:
        rows += draw(share, SHOWN - len(rows))
    return tuple(rows)


# --- rows ----------------------------------------------------------------------------------------------------------


def _rows(reading: Reading, share: Share, records: Sequence[int], **more: dict[int, object]) -> list[AgendaRow]:
    """Return rows in the order of `records`, further fields by record."""
    named = load_named(reading.connection, share.number, records)
    found = []
    for record in records:
        one = named[record]
        fields = {name: values[record] for name, values in more.items() if record in values}
        readable = reading.actor.may(Right.INSPECT, one.scope) or reading.actor.may(Right.PROPOSE, one.scope)
        found.append(AgendaRow(share.name, one.id, one.kind, one.status, one.title, one.scope, one.owner, readable, **fields))  # type: ignore[arg-type]
    return found


def _came(reading: Reading, share: Share, records: Ints) -> list[AgendaRow]:
    cards = load_cards(reading.connection, share.number, records.tolist())
    times = recorded_times(reading.connection, share.number, {card.created_seq for card in cards.values()})
    return _rows(reading, share, records.tolist(), since={number: times.get(card.created_seq) for number, card in cards.items()})


def _decided(found: dict[int, Decided]) -> dict[str, dict[int, object]]:
    return {
        "since": {record: one.at for record, one in found.items()},
        "by": {record: one.name for record, one in found.items()},
        "action": {record: one.action for record, one in found.items()},
    }


def _second(reading: Reading, share: Share, records: Ints) -> list[AgendaRow]:
    approvals = first_approvals(reading.connection, share.number, records.tolist())
    return _rows(reading, share, records.tolist(), **_decided({record: its[0] for record, its in approvals.items() if its}))


def _stale(reading: Reading, share: Share, records: Ints) -> list[AgendaRow]:
    delivered: dict[int, object] = {record: bool(reading.snapshot(share.number).delivered[record]) for record in records.tolist()}
    cards = load_cards(reading.connection, share.number, records.tolist())
    # What came in stale by an import has been so since then.
    came = recorded_times(reading.connection, share.number, {card.created_seq for card in cards.values()})
    fields = _decided(last_changes(reading.connection, share.number, records.tolist()))
    fields["since"] = {number: came.get(card.created_seq) for number, card in cards.items()} | fields["since"]
    return _rows(reading, share, records.tolist(), delivered=delivered, **fields)


def _conflicts(reading: Reading, shares: list[Share]) -> tuple[WaitingConflict, ...]:
    found: list[WaitingConflict] = []
    for share in shares:
        shown = share.conflicts[: SHOWN - len(found)]
        names = names_of_keys(reading.connection, share.number, [one.key for one in shown])
        found += [
            WaitingConflict(share.name, one.id, *names[one.key], one.opened_at, one.owner == reading.actor.id, one.key in share.blocking)
            for one in shown
        ]
    return tuple(found)


# --- actions -------------------------------------------------------------------------------------------------------


def _inside(reading: Reading, number: int, scope: str | None, right: Right) -> Ints:
    paths = load_scopes(reading.connection, number)
    return np.array([one for one, path in paths.items() if (scope is None or covers(scope, path)) and reading.actor.may(right, path)], dtype=np.int64)


def _actions(reading: Reading, number: int, scope: str | None) -> tuple[int, Ints]:
    """Return how many unfinished high-impact actions the person may see, and which of them are blocked."""
    snapshot = reading.snapshot(number)
    actions = np.flatnonzero(high_impact_actions(snapshot))
    actions = actions[np.isin(snapshot.columns.scope[actions], _inside(reading, number, scope, Right.INSPECT))]
    return len(actions), actions[~supported_actions(snapshot, actions, reading.at)]


def _blocked(reading: Reading, share: Share, records: Ints) -> list[AgendaRow]:
    snapshot = reading.snapshot(share.number)
    usable = usable_records(snapshot, reading.at)
    unusable: dict[int, object] = {}
    parents: dict[int, object] = {}
    for record in records.tolist():
        its = snapshot.graph.parents.of(record)
        parents[record] = len(its)
        unusable[record] = int((~usable[its]).sum())
    return _rows(reading, share, records.tolist(), unusable=unusable, parents=parents)


# --- dates ---------------------------------------------------------------------------------------------------------


def _bounds(at: int) -> list[tuple[str, int, int]]:
    """Return name, start and end of the time before today, of the rest of this week, and of the next weeks."""
    now = datetime.fromtimestamp(at / 1_000_000, UTC)
    today = datetime(now.year, now.month, now.day, tzinfo=UTC)
    monday = today - timedelta(days=today.weekday())
    marks = [today, *(monday + timedelta(days=7 * n) for n in range(1, WEEKS + 1))]
    micros = [int(mark.timestamp()) * 1_000_000 for mark in marks]
    names = [(monday + timedelta(days=7 * n)).date().isoformat() for n in range(WEEKS)]
    return [(PAST, -(2**62), micros[0]), *((name, micros[n], micros[n + 1]) for n, name in enumerate(names))]


#: (store, tenant, event, person, roles, scope, day) -> dates by week.
_counted: OrderedDict[tuple[object, ...], list[tuple[int, int]]] = OrderedDict()
_lock = Lock()


def _whose(reading: Reading, number: int, scope: str | None) -> tuple[list[int] | None, int | None, bool]:
    """Return the scopes and the owner whose dates concern the person, and whether only their own do.

    Whoever decides, or looks at everything, is told of all dates of those scopes; others of what they own.
    """
    for right in (Right.DECIDE, Right.INSPECT):
        scopes = _inside(reading, number, scope, right)
        if len(scopes):
            return (None if len(scopes) == len(load_scopes(reading.connection, number)) else scopes.tolist()), None, False
    owner = find_party(reading.connection, number, reading.actor.id)
    return _inside(reading, number, scope, Right.READ).tolist(), owner if owner is not None else -1, True


def _weeks(reading: Reading, shares: list[Share], scope: str | None) -> tuple[tuple[DueWeek, ...], bool]:
    bounds = _bounds(reading.at)
    totals = [[0, 0] for _ in bounds]
    own = True
    for share in shares:
        scopes, owner, own_only = _whose(reading, share.number, scope)
        own = own and own_only
        seq = event_number(reading.connection, share.number)
        key = (f"{reading.store.lineage}:{reading.store.url}", share.number, seq, reading.actor.id, reading.actor.roles, scope, bounds[0][2])
        with _lock:
            known = _counted.get(key)
        if known is None:
            known = count_due(reading.connection, share.number, [end for _, _, end in bounds], scopes, owner)
            with _lock:
                _counted[key] = known
                while len(_counted) > _KEPT:
                    _counted.popitem(last=False)
        for total, (reviews, expiries) in zip(totals, known, strict=True):
            total[0] += reviews
            total[1] += expiries
    return tuple(DueWeek(name, start, end, *total) for (name, start, end), total in zip(bounds, totals, strict=True)), own


def _dates(reading: Reading, shares: list[Share], scope: str | None, week: str | None, after: str | None) -> AgendaList:
    weeks, _ = _weeks(reading, shares, scope)
    chosen = next((one for one in weeks if one.name == week), None)
    if chosen is None:
        raise Refusal(Code.BAD_VALUE, "Dates are listed for the next weeks only, and that is none of them. Go back to Today.")
    begin, first, position = _read_position(after, shares)
    rows: list[AgendaRow] = []
    following = None
    for place, share in enumerate(shares):
        if place < begin or following is not None:
            continue
        scopes, owner, _ = _whose(reading, share.number, scope)
        room = LIST_PAGE - len(rows)
        start = None if chosen.name == PAST else chosen.start
        found = page_of_due(reading.connection, share.number, start, chosen.end, scopes, owner, position if place == begin else None, room + 1)
        shown = found[:room]
        due = {record: when for record, when, _ in shown}
        expires = {record: expiring for record, _, expiring in shown}
        rows += _rows(reading, share, [record for record, _, _ in shown], since=dict(due), expires=dict(expires))
        if len(found) > room:
            last = shown[-1] if shown else None
            following = f"{place}.{first + len(rows)}.{last[1]}.{last[0]}" if last else f"{place}.{first + len(rows)}"
    return AgendaList(chosen.reviews + chosen.expiries, tuple(rows), first, following)


def _read_position(after: str | None, shares: list[Share]) -> tuple[int, int, tuple[int, int] | None]:
    """Return the tenant's place, how many rows came before, and (when, record) of the last one."""
    parts = (after or "").split(".")
    numbers = [int(part) for part in parts if part.lstrip("-").isascii() and part.lstrip("-").isdigit() and len(part) < 20]
    if len(numbers) != len(parts) or len(numbers) not in (2, 4) or not 0 <= numbers[0] < len(shares):
        return 0, 0, None
    return numbers[0], max(0, numbers[1]), (numbers[2], numbers[3]) if len(numbers) == 4 else None


# --- plans ---------------------------------------------------------------------------------------------------------

def _handed(reading: Reading, shares: list[Share]) -> tuple[HandedPlan, ...]:
    """Return the plans handed to the person, the longest waiting first."""
    if not any(share.handed for share in shares):
        return ()
    names = {one.id: one.name for one in list_actors(reading.connection)}
    found = [
        HandedPlan(share.name, one.id, one.name, one.plan, names.get(one.handed_by or "", one.handed_by or ""), one.handed_why or "", one.handed_at or 0, one.totals)
        for share in shares
        for one in share.handed
    ]
    return tuple(sorted(found, key=lambda one: one.at)[:SHOWN])


def _plans(reading: Reading, shares: list[Share]) -> tuple[OwnPlan, ...]:
    """Return the plans somebody looked at lately; each is worked out again once after an event, as far as patience goes."""
    started, found = perf_counter(), []
    for share in shares:
        if not _inside(reading, share.number, None, Right.DECIDE).size:
            continue
        seq = event_number(reading.connection, share.number)
        for one in previews_of(reading.connection, share.number, reading.actor.id, reading.at - REMEMBERED, _PLANS):
            patient = perf_counter() - started < _PATIENCE
            same = one.revision == seq
            changed, why = (False, None) if same else is_changed(reading, share.number, seq, one.plan, one.fingerprint, patient=patient)
            found.append(OwnPlan(share.name, one.plan, one.at, changed, why))
    return tuple(sorted(found, key=lambda plan: (not plan.changed, -plan.at))[:_PLANS])
