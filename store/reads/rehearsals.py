"""Rehearsals: plans kept under a name, which of them would do something else by now, and how that differs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from store.db.claim_store import ClaimStore
from store.db.impacts import hidden_scopes, hide
from store.db.plan_lists import event_number, find_sources, load_named
from store.db.questions import list_actors
from store.db.records import find_numbers
from store.db.rehearsals import SavedPlan, find_saved, list_saved, load_saved
from store.db.rehearsing import is_changed, see, work_out_looking
from store.db.tenants import tenants_of
from store.db.transaction import Reading, read
from store.db.veils import shown_key_names
from store.domain.aftermath import Seen, compare_seen
from store.domain.errors import Code, Refusal
from store.domain.people import Right
from store.domain.plans import Plan
from store.domain.scopes import covers, tenant_of
from store.domain.snapshot import ANSWERS

#: Seconds spent on finding out which rehearsals changed, before the rest are shown as not looked at yet.
_PATIENCE = 0.6
_NAMED = 200


@dataclass(frozen=True, slots=True)
class SavedRehearsal:
    """A plan kept under a name. Texts come from outside; times in microseconds.

    Attributes:
        words: root -> what it is called, where the person may see it.
        correction: the id of the correction it belongs to.
        by, handed_to, handed_by: ids of people, with their names.
        totals: what it did when it was saved.
        changed: whether it would do something else by now; None where that was not worked out.
        impossible: why it cannot be carried out any more, in the store's words.
        committed: the event that committed this plan, None where nobody did.
        mine: the person saved it; `handed`: it is handed to them.
    """

    tenant: str
    id: str
    name: str
    plan: Plan
    words: dict[str, str]
    correction: str | None
    by: str
    by_name: str
    at: int
    revision: int
    fingerprint: str
    scopes: tuple[str, ...]
    totals: dict[str, int]
    handed_to: str | None
    handed_to_name: str | None
    handed_by_name: str | None
    handed_why: str | None
    handed_at: int | None
    committed: int | None
    changed: bool | None
    impossible: str | None
    mine: bool
    handed: bool


@dataclass(frozen=True, slots=True)
class Shift:
    """How what a rehearsal does now differs from what it did when it was saved.

    Attributes:
        records: `added`, `removed` and `changed` -> ids and titles, at most a thousand of each; `counts` holds how many there are.
        answers: claim keys answered otherwise, with `then` and `now`; at most a hundred.
        notices: how many more, how many less; `conflicts`: keys that open, dissolve or change in one of them only.
        policy: the policy changed; `only_policy`: and nothing else.
    """

    records: dict[str, tuple[dict[str, str], ...]]
    counts: dict[str, int]
    answers: tuple[dict[str, Any], ...]
    answers_count: int
    notices: tuple[int, int]
    conflicts: int
    policy: bool
    only_policy: bool


@dataclass(frozen=True, slots=True)
class RehearsalView:
    """One rehearsal.

    Attributes:
        shift: how its result differs by now; None where it does not, cannot be worked out, or was committed.
        may_keep: whether the person may rename and remove it; `may_hand`: hand it over and bring it up to date.
        committed_as: the fingerprint that was committed, where one was.
    """

    saved: SavedRehearsal
    shift: Shift | None
    may_keep: bool
    may_hand: bool


def list_rehearsals(
    store: ClaimStore, person: str, *, scope: str | None = None, correction: str | None = None, tenant: str | None = None, authenticated: bool = False
) -> list[SavedRehearsal]:  # fmt: skip
    """Return the rehearsals a person may see: those handed to them first, then newest first.

    Args:
        scope: only those decided within this scope; `correction`: only those of this correction; `tenant`: only of this tenant.
    """
    with read(store, person, authenticated=authenticated) as reading:
        started, names, found = perf_counter(), {one.id: one.name for one in list_actors(reading.connection)}, []
        for number, name in tenants_of(reading):
            if tenant not in (None, name) or (scope is not None and tenant_of(scope) != name):
                continue
            rows = [row for row in list_saved(reading.connection, number) if row.may_see(reading.actor) and correction in (None, row.correction)]
            if scope is not None:
                rows = [row for row in rows if any(covers(scope, one) for one in row.scopes)]
            words = _words(reading, number, [root for row in rows for root in row.plan.roots[:3]])
            for row in rows:
                found.append(_row(reading, number, name, row, words, names, patient=perf_counter() - started < _PATIENCE))
        return sorted(found, key=lambda row: (not (row.handed and row.committed is None), -row.at))


def view_rehearsal(store: ClaimStore, person: str, tenant: str, rehearsal_id: str, *, authenticated: bool = False) -> RehearsalView:
    """Return one rehearsal, with how its result differs by now.

    Raises:
        Refusal: `not_found`, also for what the person may not see.
    """
    with read(store, person, authenticated=authenticated) as reading:
        number, saved = find_rehearsal(reading, tenant, rehearsal_id)
        row = row_of_saved(reading, number, tenant, saved)
        decides = bool(saved.scopes) and all(reading.actor.may(Right.DECIDE, scope) for scope in saved.scopes)
        shift = _shift(reading, number, saved) if row.changed and row.impossible is None else None
        return RehearsalView(row, shift, row.mine, saved.committed_seq is None and (row.mine or row.handed or decides))


def find_rehearsal(reading: Reading, tenant: str, rehearsal_id: str) -> tuple[int, SavedPlan]:
    """Return the tenant's number and a rehearsal of it that the reader may see.

    Raises:
        Refusal: `not_found`.
    """
    number = reading.tenant_number(tenant)
    if number is None:
        raise Refusal(Code.NOT_FOUND, f"There is no rehearsal {rehearsal_id[:80]!r} that you may see. Go back to the list of rehearsals.")
    return number, find_saved(reading.connection, number, rehearsal_id, reading.actor)


def list_committers(store: ClaimStore, person: str, tenant: str, rehearsal_id: str, *, authenticated: bool = False) -> list[dict[str, str]]:
    """Return id and name of the people who decide where a rehearsal is decided, without whoever has it now."""
    with read(store, person, authenticated=authenticated) as reading:
        _, saved = find_rehearsal(reading, tenant, rehearsal_id)
        able = [
            one
            for one in list_actors(reading.connection)
            if one.works_in(tenant) and one.id != (saved.handed_to or saved.saved_by) and all(one.may(Right.DECIDE, scope) for scope in saved.scopes)
        ]
        return [{"id": one.id, "name": one.name} for one in sorted(able, key=lambda one: one.name)]


def row_of_saved(reading: Reading, number: int, tenant: str, saved: SavedPlan) -> SavedRehearsal:
    """Return a rehearsal as the person who reads sees it."""
    names = {one.id: one.name for one in list_actors(reading.connection)}
    return _row(reading, number, tenant, saved, _words(reading, number, saved.plan.roots[:_NAMED]), names)


def _row(
    reading: Reading, number: int, tenant: str, row: SavedPlan, words: dict[str, str], names: dict[str, str], *, patient: bool = True
) -> SavedRehearsal:  # fmt: skip
    changed: bool | None = False
    impossible = None
    if row.committed_seq is None:
        changed, impossible = is_changed(reading, number, event_number(reading.connection, number), row.plan, row.fingerprint, patient=patient)
    person = reading.actor.id
    return SavedRehearsal(
        tenant, row.id, row.name, row.plan, {root: words[root] for root in row.plan.roots if root in words}, row.correction, row.saved_by,
        names.get(row.saved_by, row.saved_by), row.saved_at, row.revision, row.fingerprint, row.scopes, row.totals, row.handed_to,
        names.get(row.handed_to or "", row.handed_to), names.get(row.handed_by or "", row.handed_by), row.handed_why, row.handed_at,
        row.committed_seq, changed, impossible, row.saved_by == person, row.handed_to == person,
    )  # fmt: skip


def _words(reading: Reading, number: int, roots: Iterable[str]) -> dict[str, str]:
    """Return id -> what a root is called, of those the person may see."""
    ids = list(dict.fromkeys(roots))
    records = find_numbers(reading.connection, number, ids)
    named = load_named(reading.connection, number, list(records.values()))
    found = {one.id: one.title for one in named.values() if reading.actor.may(Right.INSPECT, one.scope)}
    rows = find_sources(reading.connection, number, [one for one in ids if one not in records])
    found.update({row.id: row.title or row.id for row in rows.values() if reading.actor.may(Right.INSPECT, row.scope)})
    return found


def _shift(reading: Reading, number: int, saved: SavedPlan) -> Shift | None:
    try:
        snapshot, impact, _ = work_out_looking(reading, number, saved.plan)
    except Refusal:
        return None
    was, now = load_saved(reading.connection, number, saved.number), see(reading, number, snapshot, impact)
    difference = compare_seen(was, now)
    scopes = hidden_scopes(reading.connection, number, reading.actor)
    records = {name: getattr(difference, name) for name in ("added", "removed", "changed")}
    shown = {}
    for name, numbers in records.items():
        some = np.array(numbers[:1000], dtype=np.int64)
        seen = some[hide(snapshot, some, scopes)].tolist() if len(some) else []
        named = load_named(reading.connection, number, seen)
        shown[name] = tuple({"id": named[one].id, "title": named[one].title} for one in seen)
    keys = [key for key in difference.answers if int(snapshot.keys.scope[key]) not in scopes][:100]
    names = shown_key_names(reading.connection, number, keys)
    answers = tuple({**names[key], "then": _answer(was, key), "now": _answer(now, key)} for key in keys if key in names)
    return Shift(
        shown, {name: len(numbers) for name, numbers in records.items()}, answers, len(difference.answers),
        (difference.notices_added, difference.notices_removed), len(difference.conflicts), difference.policy, difference.only_policy,
    )  # fmt: skip


def _answer(seen: Seen, key: int) -> str | None:
    """Return what is answered afterwards, None where the plan does not change it."""
    return ANSWERS[seen.answers[key][1]] if key in seen.answers else None
