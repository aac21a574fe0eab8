"""Rows of open conflicts, their values and where those come from, for the list of conflicts and for one of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.bulk import chunks
from store.db.conflicts import CLOSED, OPEN
from store.domain.origins import Origin
from store.domain.status import Status


@dataclass(frozen=True, slots=True)
class ConflictRow:
    """An open conflict with its key and sides."""

    number: int
    id: str
    key: int
    scope: str
    subject: str
    predicate: str
    qualifiers: dict[str, Any]
    opened_at: int | None
    asked: bool
    sides: tuple[int, ...]


def load_conflict_rows(connection: Connection, tenant: int) -> list[ConflictRow]:
    """Return every open conflict."""
    c, k, side = t.conflict, t.claim_key, t.conflict_side
    sides: dict[int, list[int]] = {}
    query = sa.select(side.c.conflict, side.c.record).join(c, (c.c.tenant == side.c.tenant) & (c.c.conflict == side.c.conflict))
    for number, record in connection.execute(query.where(c.c.tenant == tenant, c.c.state == OPEN).order_by(side.c.record)):
        sides.setdefault(number, []).append(record)
    rows = (
        sa.select(c.c.conflict, c.c.id, c.c.key, t.scope.c.path, k.c.subject, k.c.predicate, k.c.qualifiers, c.c.opened_at, c.c.question)
        .join(k, (k.c.tenant == c.c.tenant) & (k.c.key == c.c.key))
        .join(t.scope, (t.scope.c.tenant == k.c.tenant) & (t.scope.c.scope == k.c.scope))
        .where(c.c.tenant == tenant, c.c.state == OPEN)
    )
    return [
        ConflictRow(
            row.conflict, row.id, row.key, row.path, row.subject, row.predicate, json.loads(row.qualifiers), row.opened_at, row.question is not None,
            tuple(sides.get(row.conflict, ())),
        )
        for row in connection.execute(rows)
    ]  # fmt: skip


def load_values(connection: Connection, tenant: int, records: Iterable[int]) -> dict[int, Any]:
    """Return claim -> its value as written."""
    found: dict[int, Any] = {}
    query = sa.select(t.claim.c.record, t.claim.c.value)
    for some in chunks(sorted(set(records))):
        found.update(
            (record, json.loads(value)) for record, value in connection.execute(query.where(t.claim.c.tenant == tenant, t.claim.c.record.in_(some)))
        )
    return found


@dataclass(frozen=True, slots=True)
class Root:
    """A captured version at the bottom of a claim."""

    record: int
    id: str
    status: Status
    expires_at: int | None
    origin: Origin
    title: str | None
    version: int
    captured_at: int | None
    sha256: str
    scope: str


def load_roots(connection: Connection, tenant: int, records: Iterable[int]) -> dict[int, Root]:
    """Return captured version -> what it is and of which source."""
    r, s, e, o = t.record, t.record_state, t.evidence, t.source
    query = (
        sa.select(
            r.c.record, r.c.id, s.c.status, r.c.expires_at, o.c.id.label("source"), o.c.family, o.c.authority, o.c.title, e.c.version, e.c.captured_at,
            e.c.sha256, t.scope.c.path,
        )
        .join(s, (s.c.tenant == r.c.tenant) & (s.c.record == r.c.record))
        .join(e, (e.c.tenant == r.c.tenant) & (e.c.record == r.c.record))
        .join(t.scope, (t.scope.c.tenant == s.c.tenant) & (t.scope.c.scope == s.c.scope))
        .outerjoin(o, (o.c.tenant == r.c.tenant) & (o.c.source == r.c.source))
    )  # fmt: skip
    found = {}
    for some in chunks(sorted(set(records))):
        for row in connection.execute(query.where(r.c.tenant == tenant, r.c.record.in_(some))):
            origin = Origin(row.source or row.id, row.family or row.source or row.id, row.authority)
            found[row.record] = Root(
                row.record, row.id, Status(row.status), row.expires_at, origin, row.title, row.version, row.captured_at, row.sha256, row.path
            )
    return found


@dataclass(frozen=True, slots=True)
class Settled:
    """How a conflict of a key ended."""

    number: int
    id: str
    verdict: str | None
    reason: str | None
    cause: str | None
    signature: str | None
    closed_at: int | None
    closed_seq: int | None


def load_settled(connection: Connection, tenant: int, key: int) -> list[Settled]:
    """Return the closed conflicts of a key, newest first."""
    c = t.conflict
    columns = (c.c.conflict, c.c.id, c.c.verdict, c.c.reason, c.c.cause, c.c.signature, c.c.closed_at, c.c.closed_seq)
    query = sa.select(*columns).where(c.c.tenant == tenant, c.c.key == key, c.c.state == CLOSED).order_by(c.c.conflict.desc())
    return [Settled(*row) for row in connection.execute(query)]


def sides_of_conflict(connection: Connection, tenant: int, number: int) -> list[int]:
    """Return the sides a conflict has, or had last."""
    side = t.conflict_side
    return list(
        connection.execute(sa.select(side.c.record).where(side.c.tenant == tenant, side.c.conflict == number).order_by(side.c.record)).scalars()
    )


def last_of_key(connection: Connection, tenant: int, key: int, but: Sequence[int]) -> int | None:
    """Return the claim of a key that was replaced last, apart from some; None where none was."""
    h, r = t.history, t.record
    query = (
        sa.select(h.c.record)
        .join(r, (r.c.tenant == h.c.tenant) & (r.c.record == h.c.record))
        .where(h.c.tenant == tenant, r.c.key == key, h.c.new == int(Status.SUPERSEDED), r.c.record.not_in(list(but)))
        .order_by(h.c.seq.desc(), h.c.record.desc())
        .limit(1)
    )
    found: int | None = connection.execute(query).scalar_one_or_none()
    return found
