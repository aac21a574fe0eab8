"""SQL behind what a person who asks is shown: who was told what is held about them, and how often."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.bulk import chunks


@dataclass(frozen=True, slots=True)
class ToldTo:
    """That one reader was told one record: how many times, and when last (microseconds UTC)."""

    record: int
    by: str | None
    times: int
    last: int | None


def told_to(connection: Connection, tenant: int, records: Sequence[int]) -> list[ToldTo]:
    """Return who was told each of `records`, the most often told first."""
    entry, log = t.read_log_record, t.read_log
    query = (
        sa.select(entry.c.record, log.c.by, sa.func.count().label("times"), sa.func.max(log.c.at).label("last"))
        .join(log, log.c.n == entry.c.n)
        .group_by(entry.c.record, log.c.by)
    )
    found = [ToldTo(*row) for some in chunks(records) for row in connection.execute(query.where(entry.c.tenant == tenant, entry.c.record.in_(some)))]
    return sorted(found, key=lambda one: (one.record, -one.times, one.by or ""))
