"""Corrections as a person may see them: the list of cases, and one case with its steps, its bar and its time line (R25)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from store.db.case_events import NamedCaseEvent, load_case_events, names_of_people
from store.db.case_facts import answering_candidates, load_facts
from store.db.claim_store import ClaimStore
from store.db.correction_falls import events_of, fallen_records, load_fallen
from store.db.corrections import (
    Case,
    corrections_of_event,
    corrections_of_sources,
    find_case,
    find_case_sources,
    list_cases,
    sources_of_records,
    waivers_of,
)
from store.db.impacts import hidden_scopes, hide
from store.db.questions import list_actors
from store.db.records import find_numbers
from store.db.stale_rows import load_waiting
from store.db.tenants import tenants_of
from store.db.transaction import Reading, read
from store.domain.corrections import Bar, OpenThing, StepState, list_open, measure_bar, measure_steps, next_step
from store.domain.errors import Code, Refusal
from store.domain.people import Right
from store.domain.reach import Ints
from store.domain.revalidation import Waits
from store.domain.scopes import covers, tenant_of

#: What the list of cases may show.
CASES_ONLY = ("open", "mine", "closed")


@dataclass(frozen=True, slots=True)
class CaseSource:
    """A source of a case; the title comes from outside.

    Attributes:
        stopped: the newest version that is in use is none: nothing of it is served.
        statuses: of its versions, oldest first.
    """

    id: str
    title: str | None
    versions: int
    statuses: tuple[str, ...]
    newest: str | None
    corrected: bool
    arrived: bool
    unsorted: bool


@dataclass(frozen=True, slots=True)
class CaseRow:
    """A case in the list; times in microseconds UTC.

    Attributes:
        bar: of what fell, as far as the person may see it; `hidden`: how many more fell that they may not.
        next: the first step that is open; None where the case can be closed, or is.
    """

    tenant: str
    id: str
    title: str
    cause: str | None
    owner: str | None
    owner_name: str | None
    due_at: int | None
    opened_at: int
    closed_at: int | None
    sources: tuple[tuple[str, str | None], ...]
    bar: Bar
    hidden: int
    steps: tuple[StepState, ...]
    next: str | None


@dataclass(frozen=True, slots=True)
class CaseList:
    """Cases, those that are open first and by due time; and how many there are of each of CASES_ONLY."""

    rows: tuple[CaseRow, ...]
    counts: dict[str, int]


@dataclass(frozen=True, slots=True)
class CaseWaiver:
    """What was left open on purpose."""

    kind: str
    about: str
    reason: str
    by: str
    by_name: str
    at: int


@dataclass(frozen=True, slots=True)
class CaseView:
    """One case.

    Attributes:
        may_decide: whether the person may change it.
        open: what stands in the way of closing it, and what was waived by whole steps.
        events: its time line, oldest first.
        candidates: how many candidates that answer what fell wait, and `delivered`: artifacts, `recipients`: people its notices are about.
        now: when it was looked at, microseconds UTC.
    """

    row: CaseRow
    scope: str
    scopes: tuple[str, ...]
    opened_by: str
    opened_by_name: str
    closed_by_name: str | None
    closing_note: str | None
    may_decide: bool
    sources: tuple[CaseSource, ...]
    open: tuple[OpenThing, ...]
    waivers: tuple[CaseWaiver, ...]
    events: tuple[NamedCaseEvent, ...]
    candidates: int
    delivered: int
    editions: int
    recipients: int
    untold: int
    now: int


def list_corrections(
    store: ClaimStore, person: str, *, scope: str | None = None, only: str = "open", authenticated: bool = False
) -> CaseList:
    """Return the cases whose every scope the person may see, and of `scope` if given."""
    with read(store, person, authenticated=authenticated) as reading:
        found = [(number, name, case) for number, name, case in _visible(reading, scope)]
        mine = {
            "open": [one for one in found if one[2].closed_at is None],
            "mine": [one for one in found if one[2].closed_at is None and one[2].owner == person],
            "closed": [one for one in found if one[2].closed_at is not None],
        }
        chosen = mine.get(only, mine["open"])
        chosen.sort(key=lambda one: (one[2].due_at is None, one[2].due_at or 0, -one[2].opened_at) if only != "closed" else (False, -(one[2].closed_at or 0), 0))
        rows = tuple(_row(reading, number, name, case) for number, name, case in chosen)
        return CaseList(rows, {name: len(some) for name, some in mine.items()})


def count_open_corrections(store: ClaimStore, person: str, *, scope: str | None = None, authenticated: bool = False) -> int:
    """Return how many open cases the list holds for a person."""
    with read(store, person, authenticated=authenticated) as reading:
        return sum(1 for _ in _visible(reading, scope, only_open=True))


def list_due_corrections(store: ClaimStore, person: str, by: int, *, scope: str | None = None, authenticated: bool = False) -> list[CaseRow]:
    """Return the open cases a person owns that are due by a moment (microseconds UTC), earliest first."""
    with read(store, person, authenticated=authenticated) as reading:
        due = [one for one in _visible(reading, scope, only_open=True) if one[2].owner == person and one[2].due_at is not None and one[2].due_at <= by]
        return [_row(reading, number, name, case) for number, name, case in sorted(due, key=lambda one: one[2].due_at or 0)]


def view_correction(store: ClaimStore, person: str, tenant: str, correction: str, *, authenticated: bool = False) -> CaseView:
    """Return one case.

    Raises:
        Refusal: `not_found`, also for a case the person may not see.
    """
    with read(store, person, authenticated=authenticated) as reading:
        number, case = find_visible_case(reading, tenant, correction)
        return describe_case(reading, number, tenant, case)


def find_visible_case(reading: Reading, tenant: str, correction: str) -> tuple[int, Case]:
    """Return the number of the tenant and a case the person may see.

    Raises:
        Refusal: `not_found`.
    """
    number = reading.tenant_number(tenant)
    case = None if number is None else find_case(reading.connection, number, correction)
    if number is None or case is None or not may_see(reading, case):
        raise Refusal(Code.NOT_FOUND, f"There is no correction {correction[:80]!r} that you may see. Check the address and your roles.")
    return number, case


def may_see(reading: Reading, case: Case) -> bool:
    """Return whether the person may see a case: they see every scope it touches in full."""
    return all(reading.actor.may(Right.INSPECT, scope) for scope in case.scopes)


def _visible(reading: Reading, scope: str | None, *, only_open: bool = False) -> Iterable[tuple[int, str, Case]]:
    for number, name in tenants_of(reading, Right.INSPECT):
        if scope is not None and tenant_of(scope) != name:
            continue
        for case in list_cases(reading.connection, number, only_open=only_open):
            if may_see(reading, case) and (scope is None or any(covers(scope, one) for one in case.scopes)):
                yield number, name, case


def _row(reading: Reading, number: int, tenant: str, case: Case) -> CaseRow:
    return _describe(reading, number, tenant, case)[0]


def _describe(reading: Reading, number: int, tenant: str, case: Case) -> tuple[CaseRow, Any]:
    snapshot = reading.snapshot(number)
    fallen = load_fallen(reading, number, case.number, snapshot)
    seen = hide(snapshot, fallen.records, hidden_scopes(reading.connection, number, reading.actor))
    waiting = load_waiting(reading, number, snapshot)
    upstream = waiting.records[waiting.state == Waits.UPSTREAM]
    facts = load_facts(reading, number, case, snapshot)
    steps = measure_steps(facts)
    names = names_of_people(reading.connection, number, [case.owner] if case.owner else [])
    row = CaseRow(
        tenant, case.id, case.title, case.cause, case.owner, names.get(case.owner or "", case.owner), case.due_at, case.opened_at, case.closed_at,
        tuple((one, title) for one, title, _ in case.sources.values()), measure_bar(fallen, upstream, seen), int((~seen).sum()), steps,
        None if case.closed_at is not None else next_step(steps),
    )  # fmt: skip
    return row, facts


def describe_case(reading: Reading, number: int, tenant: str, case: Case) -> CaseView:
    """Return one case as the person may see it; `number` and `tenant` are of its tenant."""
    row, facts = _describe(reading, number, tenant, case)
    waivers = waivers_of(reading.connection, number, case.number)
    people = [case.opened_by, *([case.closed_by] if case.closed_by else []), *(one.waived_by for one in waivers)]
    names = names_of_people(reading.connection, number, people)
    sources = tuple(
        CaseSource(
            one.id, dict(row.sources).get(one.id), len(one.versions), tuple(status.name for _, status in one.versions),
            one.versions[-1][1].name if one.versions else None, one.corrected, one.arrived, one.unsorted,
        )
        for one in facts.sources
    )  # fmt: skip
    visible = set(load_visible_ids(reading, number, waivers))
    return CaseView(
        row, case.scope, tuple(case.scopes), case.opened_by, names.get(case.opened_by, case.opened_by),
        names.get(case.closed_by, case.closed_by) if case.closed_by else None, case.closing_note,
        all(reading.actor.may(Right.DECIDE, scope) for scope in case.scopes), sources, tuple(list_open(facts)),
        tuple(
            CaseWaiver(one.kind, one.about, one.reason, one.waived_by, names.get(one.waived_by, one.waived_by), one.waived_at)
            for one in waivers
            if one.kind == "step" or one.about in visible
        ),
        load_case_events(reading.connection, number, events_of(reading.connection, number, case.number), _carried_events(case)),
        facts.candidates.unsettled, facts.editions.total, facts.editions.unsettled, facts.recipients.total, facts.recipients.unsettled,
        reading.at,
    )  # fmt: skip


def load_visible_ids(reading: Reading, number: int, waivers: list[Any]) -> list[str]:
    """Return what of the waived things the person may see: records of their scopes, and recipients of what they may see."""
    if not waivers:
        return []
    snapshot = reading.snapshot(number)
    hidden = hidden_scopes(reading.connection, number, reading.actor)
    found = find_numbers(reading.connection, number, [one.about for one in waivers if one.kind not in ("step", "recipient")])
    records = np.array(list(found.values()), dtype=np.int64)
    seen = dict(zip(found, hide(snapshot, records, hidden).tolist(), strict=True))
    return [one for one, visible in seen.items() if visible] + [one.about for one in waivers if one.kind == "recipient" and not hidden]


def _carried_events(case: Case) -> list[dict[str, Any]]:
    return json.loads(case.carried).get("events", []) if case.carried else []


# --- for other lists ----------------------------------------------------------------------------------------------


def records_of_correction(reading: Reading, number: int, correction: str) -> Ints | None:
    """Return the numbers of what fell because of a case and is not settled, for lists that filter by it; None where the person sees no such case."""
    case = find_case(reading.connection, number, correction)
    return None if case is None or not may_see(reading, case) else fallen_records(reading, number, case.number, reading.snapshot(number), unsettled=True)


def candidates_of_correction(reading: Reading, number: int, correction: str) -> Ints | None:
    """Return the numbers of the candidates that answer what fell because of a case; None where the person sees no such case."""
    case = find_case(reading.connection, number, correction)
    if case is None or not may_see(reading, case):
        return None
    snapshot = reading.snapshot(number)
    return answering_candidates(reading.connection, number, snapshot, load_fallen(reading, number, case.number, snapshot))


@dataclass(frozen=True, slots=True)
class OpenCase:
    """An open case to choose from.

    Attributes:
        joined: a plan about what was asked for joins it by itself.
    """

    id: str
    title: str
    joined: bool


def list_open_corrections(store: ClaimStore, person: str, tenant: str, ids: Iterable[str] = (), *, authenticated: bool = False) -> tuple[list[OpenCase], list[str]]:
    """Return the open cases of a tenant, those first that a plan about `ids` joins by itself; and the sources those ids name or belong to."""
    with read(store, person, authenticated=authenticated) as reading:
        number = reading.tenant_number(tenant)
        if number is None:
            return [], []
        sources = sources_of_records(reading.connection, number, list(ids))
        joined = set(corrections_of_sources(reading.connection, number, [one.number for one in find_case_sources(reading.connection, number, sources)]))
        cases = [OpenCase(case.id, case.title, case.number in joined) for _, name, case in _visible(reading, None, only_open=True) if name == tenant]
        return sorted(cases, key=lambda one: not one.joined), sources




def list_corrections_of_event(store: ClaimStore, person: str, tenant: str, seq: int, *, authenticated: bool = False) -> list[OpenCase]:
    """Return the cases an event belongs to, as far as the person may see them."""
    with read(store, person, authenticated=authenticated) as reading:
        number = reading.tenant_number(tenant)
        numbers = set() if number is None else set(corrections_of_event(reading.connection, number, seq))
        if not numbers or number is None:
            return []
        return [OpenCase(case.id, case.title, True) for case in list_cases(reading.connection, number) if case.number in numbers and may_see(reading, case)]


def list_case_owners(store: ClaimStore, person: str, scopes: Iterable[str], *, authenticated: bool = False) -> list[tuple[str, str]]:
    """Return (id, name) of those who may own a case of these scopes, by name; nobody for scopes the person may not decide in."""
    wanted = list(scopes)
    with read(store, person, authenticated=authenticated) as reading:
        if not wanted or not all(reading.actor.may(Right.DECIDE, scope) for scope in wanted):
            return []
        found = [actor for actor in list_actors(reading.connection) if all(actor.may(Right.DECIDE, scope) for scope in wanted)]
        return sorted(((actor.id, actor.name) for actor in found), key=lambda one: (one[1], one[0]))
