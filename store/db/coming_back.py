"""What comes back when a suspended version is captured again: claims whose passages carry over, and what was stale only because of them (R21)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.bulk import chunks
from store.db.changed_supports import changed_supports
from store.db.kept import not_kept
from store.domain.plans import Intent
from store.domain.recaptured import Recaptured
from store.domain.snapshot import Snapshot
from store.domain.status import Status


def bring_back(connection: Connection, tenant: int, load: Callable[[int], Snapshot], intent: Intent) -> None:
    """Add to a recapture what comes back with it.

    A record comes back if it fell with the suspension or later, all it rests on is accepted then and says what it said,
    nothing else it rests on was lost since, no trigger is open on it, and the policy still keeps such things.
    """
    recaptured = intent.recaptured
    if recaptured is None or not recaptured.back:
        return
    snapshot = load(tenant)
    status = snapshot.columns.status
    below = snapshot.graph.walk(np.array(sorted(recaptured.back), dtype=np.int64)).records
    stale = set(below[status[below] == Status.STALE].tolist())
    suspended = _last(connection, tenant, set(recaptured.back.values()), Status.DISPUTED)
    fell = _last(connection, tenant, stale, Status.STALE)
    held = _with_open_trigger(connection, tenant, stale)
    since = min(suspended.values(), default=0)
    able = {one for one in stale - held if fell.get(one, 0) >= since}
    able -= set(changed_supports(connection, tenant, snapshot, np.array(sorted(able), dtype=np.int64)).holding)
    able -= not_kept(connection, tenant, able).keys()
    restored = _stand_again(connection, tenant, snapshot, recaptured, able, fell)
    recaptured.restored = frozenset(restored)
    recaptured.back = {record: old for record, old in recaptured.back.items() if record in restored}
    for record in sorted(restored):
        intent.becomes[record] = (int(Status.STALE), int(Status.ACCEPTED))


def _stand_again(
    connection: Connection, tenant: int, snapshot: Snapshot, recaptured: Recaptured, able: set[int], fell: Mapping[int, int]
) -> set[int]:
    """Return which of the able records stand again, from the claims on the version downwards."""
    status, graph = snapshot.columns.status, snapshot.graph
    lost = np.zeros(len(snapshot.columns), dtype=bool)
    if recaptured.falls:
        lost[graph.walk(np.array(sorted(recaptured.falls), dtype=np.int64)).records] = True
    leaves = {one.record: set(one.leaves) for one in recaptured.carried}
    parents = {one: [parent for parent in graph.parents.of(one).tolist() if parent not in leaves.get(one, ())] for one in able}
    left = _last_left(connection, tenant, {parent for some in parents.values() for parent in some} - able)
    restored: set[int] = set()
    waiting = [one for one in sorted(recaptured.back) if one in able]
    while waiting:
        one = waiting.pop()
        if one in restored or one not in able or lost[one]:
            continue
        stands = all(
            parent in restored or (status[parent] == Status.ACCEPTED and not lost[parent] and left.get(parent, 0) <= fell.get(one, 0))
            for parent in parents[one]
        )
        if stands:
            restored.add(one)
            waiting.extend(graph.children.of(one).tolist())
    return restored


def _last(connection: Connection, tenant: int, records: Iterable[int], status: Status) -> dict[int, int]:
    """Return record -> the event that last gave it a status it did not have."""
    h = t.history
    found: dict[int, int] = {}
    query = sa.select(h.c.record, sa.func.max(h.c.seq)).where(
        h.c.tenant == tenant, h.c.new == int(status), sa.or_(h.c.old.is_(None), h.c.old != int(status))
    ).group_by(h.c.record)  # fmt: skip
    for some in chunks(sorted(records)):
        found.update((record, seq) for record, seq in connection.execute(query.where(h.c.record.in_(some))))
    return found


def _last_left(connection: Connection, tenant: int, records: Iterable[int]) -> dict[int, int]:
    """Return record -> the event that last took it out of ACCEPTED."""
    h = t.history
    found: dict[int, int] = {}
    query = sa.select(h.c.record, sa.func.max(h.c.seq)).where(
        h.c.tenant == tenant, h.c.old == int(Status.ACCEPTED), h.c.new != int(Status.ACCEPTED)
    ).group_by(h.c.record)  # fmt: skip
    for some in chunks(sorted(records)):
        found.update((record, seq) for record, seq in connection.execute(query.where(h.c.record.in_(some))))
    return found


def _with_open_trigger(connection: Connection, tenant: int, records: Iterable[int]) -> set[int]:
    f = t.fired_trigger
    found: set[int] = set()
    for some in chunks(sorted(records)):
        query = sa.select(f.c.record).where(f.c.tenant == tenant, f.c.record.in_(some), f.c.dismissed_at.is_(None))
        found.update(connection.execute(query).scalars())
    return found
