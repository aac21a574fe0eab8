"""SQL behind the page of dependencies: families of captured versions, and what changed last."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.bulk import chunks
from store.db.snapshots import unpack_touched


def load_families(connection: Connection, tenant: int, evidence: Sequence[int]) -> dict[int, str]:
    """Return captured version -> the family of its source."""
    r, s = t.record, t.source
    query = sa.select(r.c.record, s.c.family).join(s, (s.c.tenant == r.c.tenant) & (s.c.source == r.c.source))
    found: dict[int, str] = {}
    for some in chunks(evidence):
        found.update((record, family) for record, family in connection.execute(query.where(r.c.tenant == tenant, r.c.record.in_(some))))
    return found


def load_changed_last(connection: Connection, tenant: int, events: int, each: int) -> list[tuple[int, int]]:
    """Return (record, time) of what the last events touched, latest first, each record once.

    Args:
        events: how many events are looked at.
        each: at most how many records of one event.
    """
    e = t.event
    rows = connection.execute(sa.select(e.c.at, e.c.touched).where(e.c.tenant == tenant).order_by(e.c.seq.desc()).limit(events))
    found: dict[int, int] = {}
    for at, touched in rows:
        for record in unpack_touched(touched)[-each:].tolist() if touched else ():
            found.setdefault(record, at)
    return list(found.items())
