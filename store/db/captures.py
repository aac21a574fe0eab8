"""What capturing a file asks of the versions that are there."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t


def newest_version(connection: Connection, tenant: int, source: int) -> Any:
    """Return (record, id, version, captured_at, sha256, status) of a source's newest version, None where it has none."""
    r, e, s = t.record, t.evidence, t.record_state
    query = (
        sa.select(r.c.record, r.c.id, e.c.version, e.c.captured_at, e.c.sha256, s.c.status)
        .join(e, (e.c.tenant == r.c.tenant) & (e.c.record == r.c.record))
        .join(s, (s.c.tenant == r.c.tenant) & (s.c.record == r.c.record))
        .where(r.c.tenant == tenant, r.c.source == source)
        .order_by(e.c.version.desc(), r.c.record.desc())
        .limit(1)
    )
    return connection.execute(query).one_or_none()


def count_bound_to(connection: Connection, tenant: int, record: int) -> int:
    """Return how many claims name a version."""
    b = t.binding
    query = sa.select(sa.func.count(sa.distinct(b.c.record))).where(b.c.tenant == tenant, b.c.evidence == record)
    return int(connection.execute(query).scalar_one())


def name_corrections(connection: Connection, tenant: int, numbers: list[int]) -> list[str]:
    """Return the ids of corrections."""
    c = t.correction
    query = sa.select(c.c.id).where(c.c.tenant == tenant, c.c.correction.in_(numbers)).order_by(c.c.correction)
    return list(connection.execute(query).scalars())
