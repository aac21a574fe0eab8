"""Versions that arrived, by import or capture, while claims rest on older ones that still count."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.domain.status import Status


@dataclass(frozen=True, slots=True)
class UnsortedRow:
    """A newest version and what still rests on older ones."""

    source: str
    title: str | None
    scope: str
    id: str
    version: int
    older: tuple[str, ...]
    claims: int
    arrived_at: int | None


def unsorted_rows(connection: Connection, tenant: int, source: str | None = None) -> list[UnsortedRow]:
    """Return the sources whose newest version is accepted while something usable or waiting rests on an older one that is in use, by source."""
    r, e, s, p, st, d = t.record, t.evidence, t.source, t.scope, t.record_state, t.dependency
    child = t.record_state.alias("child")
    query = (
        sa.select(s.c.id.label("source"), s.c.title, p.c.path, r.c.record, r.c.id, e.c.version, e.c.captured_at, st.c.status)
        .join(e, (e.c.tenant == r.c.tenant) & (e.c.record == r.c.record))
        .join(s, (s.c.tenant == r.c.tenant) & (s.c.source == r.c.source))
        .join(p, (p.c.tenant == s.c.tenant) & (p.c.scope == s.c.scope))
        .join(st, (st.c.tenant == r.c.tenant) & (st.c.record == r.c.record))
        .where(r.c.tenant == tenant)
        .order_by(s.c.id, e.c.version, r.c.record)
    )
    if source is not None:
        query = query.where(s.c.id == source)
    versions: dict[str, list[Any]] = {}
    for row in connection.execute(query):
        versions.setdefault(row.source, []).append(row)
    older = {
        row.record: row for rows in versions.values() for row in rows[:-1] if row.status in (Status.ACCEPTED, Status.DISPUTED) and rows[-1].status == Status.ACCEPTED
    }
    resting: dict[int, int] = {}
    numbers = sorted(older)
    for start in range(0, len(numbers), 900):
        some = numbers[start : start + 900]
        counted = (
            sa.select(d.c.parent, sa.func.count())
            .join(child, (child.c.tenant == d.c.tenant) & (child.c.record == d.c.child))
            .where(d.c.tenant == tenant, d.c.parent.in_(some))
            .where(child.c.status.in_([int(Status.CANDIDATE), int(Status.ACCEPTED), int(Status.DISPUTED), int(Status.STALE)]))
            .group_by(d.c.parent)
        )
        resting.update((parent, count) for parent, count in connection.execute(counted))
    found = []
    for name, rows in versions.items():
        behind = [row for row in rows[:-1] if row.record in resting]
        if behind:
            last = rows[-1]
            claims = sum(resting[row.record] for row in behind)
            found.append(UnsortedRow(name, last.title, last.path, last.id, last.version, tuple(row.id for row in behind), claims, last.captured_at))
    return found
