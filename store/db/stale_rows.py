"""What the queue of re-validation holds, as arrays kept per revision; and what one row of it needs from the tables."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

import numpy as np
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.bulk import chunks
from store.db.changed_supports import changed_supports
from store.db.kept import not_kept
from store.db.transaction import Reading
from store.db.triggers import open_triggers
from store.domain.plans import Cause
from store.domain.reach import Ints
from store.domain.revalidation import Arranged, Waits, arrange
from store.domain.snapshot import Snapshot
from store.domain.status import Status

#: How far ahead dates are looked for, in microseconds.
SOON = 30 * 24 * 3600 * 1_000_000
_HOUR = 3600 * 1_000_000
_KEPT = 16


@dataclass(frozen=True, slots=True)
class Waiting:
    """Everything in the queue of one tenant, in order; one entry per column and record.

    Attributes:
        state: one of `Waits`; `rank`: how many stale records stand above, or when it is due (microseconds UTC).
        head: the stale record whose own cause holds it back, 0 for none; `cause`: the record that cause is about.
        arranged: the stale ones alone.
        further: stale record -> the nearest thing above it that has another value now, where nothing of that holds it back.
        known: what was worked out of it, by name, so that it is worked out once.
    """

    records: Ints
    state: Ints
    rank: Ints
    head: Ints
    cause: Ints
    arranged: Arranged
    triggers: dict[int, str]
    further: dict[int, Cause] = field(default_factory=dict)
    known: dict[object, Any] = field(default_factory=dict, compare=False)


_kept: OrderedDict[tuple[str, int, int, int], Waiting] = OrderedDict()
_lock = Lock()


def load_waiting(reading: Reading, tenant: int, snapshot: Snapshot) -> Waiting:
    """Return the queue as `reading` sees it, from memory where nothing changed within the hour."""
    key = (f"{reading.store.lineage}:{reading.store.url}", tenant, snapshot.seq, reading.at // _HOUR)
    with _lock:
        if key in _kept:
            _kept.move_to_end(key)
            return _kept[key]
    found = _load(reading.connection, tenant, snapshot, reading.at)
    with _lock:
        _kept[key] = found
        while len(_kept) > _KEPT:
            _kept.popitem(last=False)
    return found


def _load(connection: Connection, tenant: int, snapshot: Snapshot, at: int) -> Waiting:
    stale = np.flatnonzero(snapshot.columns.status == Status.STALE)
    triggers: dict[int, str] = {}
    for row in open_triggers(connection, tenant):
        triggers.setdefault(row.record, row.name)
    changes = changed_supports(connection, tenant, snapshot, stale)
    arranged = arrange(snapshot, triggers, changes.holding, not_kept(connection, tenant, stale.tolist()))
    accepted = snapshot.columns.status == Status.ACCEPTED
    newer = newer_versions(connection, tenant)
    outdated = np.array([record for record in sorted(newer) if accepted[record]], dtype=np.int64)
    dated, due = _due(connection, tenant, at)
    inside = accepted[dated] & ~np.isin(dated, outdated)
    dated, due = dated[inside], due[inside]
    expiry = snapshot.columns.expires_at[dated]
    date_state = np.where(expiry <= at, int(Waits.EXPIRED), np.where(expiry == due, int(Waits.EXPIRING), int(Waits.REVIEW)))
    nothing = np.zeros(len(outdated) + len(dated), dtype=np.int64)
    return Waiting(
        np.concatenate([arranged.records, outdated, dated]),
        np.concatenate([arranged.state, np.full(len(outdated), int(Waits.NEWER), np.int64), date_state]),
        np.concatenate([arranged.depth, np.zeros(len(outdated), np.int64), due]), np.concatenate([arranged.head, nothing]),
        np.concatenate([arranged.cause, np.array([newer[one] for one in outdated.tolist()], np.int64), np.zeros(len(dated), np.int64)]),
        arranged, triggers, changes.further,
    )  # fmt: skip


def _due(connection: Connection, tenant: int, at: int) -> tuple[Ints, Ints]:
    r = t.record
    query = sa.select(r.c.record, r.c.due_at).where(r.c.tenant == tenant, r.c.due_at.is_not(None), r.c.due_at <= at + SOON).order_by(r.c.due_at, r.c.record)
    rows = connection.execute(query).all()
    return np.array([row[0] for row in rows], dtype=np.int64), np.array([row[1] for row in rows], dtype=np.int64)


def newer_versions(connection: Connection, tenant: int) -> dict[int, int]:
    """Return claim -> the newest version of a source it is bound to an older version of, where it asked to be looked at then.

    What somebody dismissed for that very version is left out.
    """
    e, r, b, c, f, s = t.evidence, t.record, t.binding, t.claim, t.fired_trigger, t.record_state
    several = sa.select(r.c.source).where(r.c.tenant == tenant, r.c.source.is_not(None)).group_by(r.c.source).having(sa.func.count() > 1)
    rows = connection.execute(
        sa.select(r.c.source, r.c.record, r.c.id)
        .join(e, (e.c.tenant == r.c.tenant) & (e.c.record == r.c.record))
        .join(s, (s.c.tenant == r.c.tenant) & (s.c.record == r.c.record))
        .where(r.c.tenant == tenant, r.c.source.in_(several), s.c.status == int(Status.ACCEPTED))
        .order_by(r.c.source, e.c.version, r.c.record)
    ).all()
    newest = {row.source: (row.record, row.id) for row in rows}
    older = {row.record: newest[row.source] for row in rows if newest[row.source][0] != row.record}
    found: dict[int, tuple[int, str]] = {}
    for some in chunks(sorted(older)):
        query = (
            sa.select(b.c.record, b.c.evidence)
            .join(c, (c.c.tenant == b.c.tenant) & (c.c.record == b.c.record))
            .where(b.c.tenant == tenant, b.c.evidence.in_(some), c.c.revalidate_on.contains('"source_changed"'))
        )
        found.update((record, older[evidence]) for record, evidence in connection.execute(query))
    for some in chunks(sorted(found)):
        bound = sa.select(b.c.record).where(b.c.tenant == tenant, b.c.record.in_(some), b.c.evidence.in_(sorted({found[one][0] for one in some})))
        for record in connection.execute(bound).scalars():
            found.pop(record, None)
    for some in chunks(sorted(found)):
        seen = sa.select(f.c.record, f.c.cause).where(f.c.tenant == tenant, f.c.record.in_(some), f.c.name == "source_changed")
        for record, cause in connection.execute(seen):
            if record in found and found[record][1] == cause:
                del found[record]
    return {record: newest for record, (newest, _) in found.items()}


def returned_last(connection: Connection, tenant: int, snapshot: Snapshot, records: Sequence[int]) -> dict[int, int]:
    """Return stale record -> the parent of it that was accepted last, of those that stand."""
    children = np.array(records, dtype=np.int64)
    parents = snapshot.graph.parents.neighbours(children)
    child = np.repeat(children, snapshot.graph.parents.start[children + 1] - snapshot.graph.parents.start[children])
    stands = snapshot.columns.status[parents] == Status.ACCEPTED
    pairs = list(zip(child[stands].tolist(), parents[stands].tolist(), strict=True))
    h = t.history
    last: dict[int, int] = {}
    for some in chunks(sorted({parent for _, parent in pairs})):
        query = sa.select(h.c.record, sa.func.max(h.c.seq)).where(h.c.tenant == tenant, h.c.record.in_(some), h.c.new == int(Status.ACCEPTED)).group_by(h.c.record)
        last.update((record, seq) for record, seq in connection.execute(query))
    found: dict[int, int] = {}
    for record, parent in pairs:
        if record not in found or last.get(parent, 0) > last.get(found[record], 0):
            found[record] = parent
    return found


def event_times(connection: Connection, tenant: int, events: Sequence[int]) -> dict[int, int]:
    """Return event -> when it happened, microseconds UTC."""
    e = t.event
    found: dict[int, int] = {}
    for some in chunks(sorted(set(events))):
        query = sa.select(e.c.seq, e.c.at).where(e.c.tenant == tenant, e.c.seq.in_(some))
        found.update((seq, at) for seq, at in connection.execute(query))
    return found


def current_versions(connection: Connection, tenant: int, evidence: Sequence[str]) -> dict[str, str]:
    """Return captured version -> the newest version of its source that is in use, by id; those of sources with none are left out."""
    r, e, s = t.record, t.evidence, t.record_state
    sources: dict[int, list[str]] = {}
    for some in chunks(sorted(set(evidence))):
        for one, source in connection.execute(sa.select(r.c.id, r.c.source).where(r.c.tenant == tenant, r.c.id.in_(some), r.c.source.is_not(None))):
            sources.setdefault(source, []).append(one)
    found: dict[str, str] = {}
    for some_sources in chunks(sorted(sources)):
        query = (
            sa.select(r.c.source, r.c.id)
            .join(e, (e.c.tenant == r.c.tenant) & (e.c.record == r.c.record))
            .join(s, (s.c.tenant == r.c.tenant) & (s.c.record == r.c.record))
            .where(r.c.tenant == tenant, r.c.source.in_(some_sources), s.c.status == int(Status.ACCEPTED))
            .order_by(r.c.source, e.c.version, r.c.record)
        )
        for source, newest in connection.execute(query):
            found.update(dict.fromkeys(sources[source], newest))
    return found
