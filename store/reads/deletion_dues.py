"""Requests to forget that wait for somebody: those they answer for, and those past their date that they may run."""

from __future__ import annotations

from dataclasses import dataclass

from store.db.forgetting import list_requests
from store.db.tenants import tenants_of
from store.db.transaction import Reading
from store.domain.people import Right
from store.domain.scopes import covers, tenant_of


@dataclass(frozen=True, slots=True)
class WaitingDeletion:
    """A request that is to be complete at `due_at`, microseconds UTC; `late`: that is past; `begun`: whether erasing began."""

    tenant: str
    id: str
    ground: str
    due_at: int | None
    late: bool
    begun: bool


def waiting_deletions(reading: Reading, scope: str | None) -> tuple[WaitingDeletion, ...]:
    """Return the open requests that wait for the person, within a scope if given: the longest overdue first, then by their date.

    A request waits for whoever answers for it; once it is past its date, for everybody who may run it.
    """
    found = []
    for number, name in tenants_of(reading, Right.ADMINISTER):
        if scope is not None and tenant_of(scope) != name:
            continue
        for one in list_requests(reading.connection, number, only_open=True):
            inside = scope is None or any(covers(scope, place) for place in one.scopes)
            late = one.due_at is not None and one.due_at < reading.at
            if inside and (late or one.owner == reading.actor.id) and one.may_run(reading.actor):
                found.append(WaitingDeletion(name, one.id, one.ground, one.due_at, late, one.begun_at is not None))
    return tuple(sorted(found, key=lambda one: (one.due_at is None, one.due_at or 0, one.id)))
