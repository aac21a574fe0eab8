"""Fired triggers as rows: causes of staleness that are no lost parents, each kept until somebody dismisses it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.bulk import chunks
from store.db.transaction import Writing
from store.domain.plans import Fired


def open_triggers(connection: Connection, tenant: int, records: Iterable[int] | None = None) -> list[Any]:
    """Return the triggers nobody dismissed, of all records or of some, by record and number."""
    f = t.fired_trigger
    query = sa.select(f).where(f.c.tenant == tenant, f.c.dismissed_at.is_(None)).order_by(f.c.record, f.c.n)
    if records is None:
        return list(connection.execute(query))
    found: list[Any] = []
    for some in chunks(sorted(set(records))):
        found.extend(connection.execute(query.where(f.c.record.in_(some))))
    return found


def triggers_of(connection: Connection, tenant: int, record: int) -> list[Any]:
    """Return every trigger that ever fired for a record, in order."""
    f = t.fired_trigger
    return list(connection.execute(sa.select(f).where(f.c.tenant == tenant, f.c.record == record).order_by(f.c.n)))


def add_fired(tx: Writing, fired: Sequence[Fired], *, reason: str | None = None, dismissed: bool = False) -> None:
    """Note that triggers fired, or that what could have fired was dismissed at once."""
    f = t.fired_trigger
    following: dict[int, int] = {}
    for some in chunks(sorted({one.record for one in fired})):
        query = sa.select(f.c.record, sa.func.max(f.c.n)).where(f.c.tenant == tx.tenant, f.c.record.in_(some)).group_by(f.c.record)
        following.update((record, n + 1) for record, n in tx.connection.execute(query))
    rows = []
    for one in fired:
        n = following.get(one.record, 0)
        following[one.record] = n + 1
        rows.append({
            "tenant": tx.tenant, "record": one.record, "n": n, "name": one.name, "cause": one.cause, "fired_by": tx.actor.id, "fired_at": tx.at,
            "fired_seq": tx.seq, "dismissed_by": tx.actor.id if dismissed else None, "dismissed_at": tx.at if dismissed else None,
            "dismissed_seq": tx.seq if dismissed else None, "reason": reason if dismissed else None,
        })  # fmt: skip
    if rows:
        tx.connection.execute(sa.insert(f), rows)


def dismiss_fired(tx: Writing, which: Iterable[tuple[int, int]], reason: str | None) -> None:
    """Dismiss triggers by record and number."""
    f = t.fired_trigger
    rows = [{"of": record, "number": n} for record, n in which]
    if not rows:
        return
    where = (f.c.tenant == tx.tenant, f.c.record == sa.bindparam("of"), f.c.n == sa.bindparam("number"), f.c.dismissed_at.is_(None))
    values = {"dismissed_by": tx.actor.id, "dismissed_at": tx.at, "dismissed_seq": tx.seq, "reason": reason}
    tx.connection.execute(sa.update(f).where(*where).values(values), rows)
