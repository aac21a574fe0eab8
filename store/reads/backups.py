"""The register of backups: which were made, at which revision of each tenant, until when each is kept."""

from __future__ import annotations

import json
from dataclasses import dataclass

from store.db.backups import UNFINISHED, is_there, load_backups
from store.db.claim_store import ClaimStore
from store.db.tenants import list_all_tenants
from store.db.transaction import read
from store.domain.people import Right
from store.domain.scopes import EVERYWHERE, tenant_of


@dataclass(frozen=True, slots=True)
class BackupRow:
    """One backup of the whole store; times in microseconds UTC.

    Attributes:
        backup: its number.
        person: the id of who made it.
        name: the file it was written to, a name from outside.
        revisions: tenant -> the revision it stands at; empty while it is being written, or where that was broken off.
        until: when it is to be destroyed by rule.
        gone_at: when it was noted as destroyed, `gone_by` by whom.
        lapsed: whether its date has passed.
        there: whether a file of that name is there, as seen from here.
    """

    backup: int
    at: int
    person: str
    name: str
    revisions: dict[str, int]
    until: int
    gone_at: int | None
    gone_by: str | None
    lapsed: bool
    there: bool


def list_backups(store: ClaimStore, person: str, *, authenticated: bool = False) -> list[BackupRow]:
    """Return the backups that were ever made, newest first.

    Raises:
        Refusal: `not_allowed` unless the person is admin everywhere: a backup is of all tenants.
    """
    with read(store, person, authenticated=authenticated) as reading:
        reading.actor.need(Right.ADMINISTER, EVERYWHERE, "look at the backups")
        tenants = dict(list_all_tenants(reading.connection))
        rows = load_backups(reading.connection)
        return [
            BackupRow(
                row.backup, row.at, row.person, row.name, _name_revisions(row.revisions, tenants), row.until, row.gone_at, row.gone_by,
                row.until <= reading.at, is_there(row.name),
            )
            for row in reversed(rows)
        ]  # fmt: skip


@dataclass(frozen=True, slots=True)
class KeptBackups:
    """How many backups are not known to be destroyed, and when the last of them lapses (microseconds UTC; None where there is none)."""

    count: int
    until: int | None


def count_kept_backups(store: ClaimStore, person: str, tenant: str, *, authenticated: bool = False) -> KeptBackups:
    """Return how many backups may still hold what a tenant held until now, for who administers anything of it; none for anybody else."""
    with read(store, person, authenticated=authenticated) as reading:
        if not any(scope == EVERYWHERE or tenant_of(scope) == tenant for scope in reading.actor.scopes_with(Right.ADMINISTER)):
            return KeptBackups(0, None)
        kept = [row.until for row in load_backups(reading.connection) if row.gone_at is None]
        return KeptBackups(len(kept), max(kept, default=None))


def _name_revisions(text: str, tenants: dict[int, str]) -> dict[str, int]:
    if text == UNFINISHED:
        return {}
    return {tenants.get(int(tenant), tenant): revision for tenant, revision in json.loads(text).items()}
