"""What fell because of a correction, and what became of it: from its events, and kept while they stay the same.

Events and history never change, so what an event made STALE is worked out once per process. What became of each record is
looked at again only where the record's version has moved since.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock

import numpy as np
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.bulk import chunks
from store.db.snapshots import unpack_touched
from store.db.transaction import Reading
from store.domain.corrections import Fallen, Way, way_of
from store.domain.reach import Ints
from store.domain.snapshot import Snapshot
from store.domain.status import Status

_KEPT = 64


@dataclass(slots=True)
class _Case:
    """A case as it was looked at last: its events, what fell, and the version of each record by which it was settled or not."""

    events: tuple[int, ...]
    carried: str | None
    records: Ints
    fell: Ints
    version: Ints
    left: Ints
    way: Ints
    seen: Ints


_by_event: OrderedDict[tuple[str, int, int], tuple[Ints, Ints]] = OrderedDict()
_by_case: OrderedDict[tuple[str, int, int], _Case] = OrderedDict()
_lock = Lock()


def events_of(connection: Connection, tenant: int, correction: int) -> list[tuple[int, str]]:
    """Return (event, step) of a correction, in order."""
    e = t.correction_event
    query = sa.select(e.c.seq, e.c.step).where(e.c.tenant == tenant, e.c.correction == correction).order_by(e.c.seq)
    return [(seq, step) for seq, step in connection.execute(query)]


def touched_by(connection: Connection, tenant: int, events: Sequence[int]) -> dict[int, Ints]:
    """Return event -> the records it left a history row of."""
    e = t.event
    found: dict[int, Ints] = {}
    for some in chunks(events):
        rows = connection.execute(sa.select(e.c.seq, e.c.touched).where(e.c.tenant == tenant, e.c.seq.in_(some)))
        found.update((seq, unpack_touched(touched)) for seq, touched in rows)
    return found


def load_fallen(reading: Reading, tenant: int, correction: int, snapshot: Snapshot) -> Fallen:
    """Return what fell because of a correction, as the snapshot stands."""
    place = f"{reading.store.lineage}:{reading.store.url}"
    events = tuple(seq for seq, _ in events_of(reading.connection, tenant, correction))
    with _lock:
        case = _by_case.get((place, tenant, correction))
    c = t.correction
    query = sa.select(c.c.carried, c.c.opened_seq).where(c.c.tenant == tenant, c.c.correction == correction)
    carried, since = reading.connection.execute(query).one()
    if case is None or case.events != events or case.carried != carried:
        case = _gather(reading.connection, place, tenant, events, carried, since)
    case = _look_again(reading.connection, tenant, case, snapshot)
    with _lock:
        _by_case[place, tenant, correction] = case
        while len(_by_case) > _KEPT:
            _by_case.popitem(last=False)
    return Fallen(case.records, case.fell, case.version, case.left, case.way)


def _gather(connection: Connection, place: str, tenant: int, events: tuple[int, ...], carried: str | None, since: int) -> _Case:
    """Return what fell by the events of a case and what it carried with it when it was imported; nothing of what became of it."""
    brought = np.array(json.loads(carried).get("fell", []) if carried else [], dtype=np.int64).reshape(-1, 2)
    records, ways = brought[:, 0], brought[:, 1]
    parts = [(records, np.full(len(records), since, dtype=np.int64), np.ones(len(records), dtype=np.int64), ways)]
    for seq in events:
        fell, version = _fell_by(connection, place, tenant, seq)
        parts.append((fell, np.full(len(fell), seq, dtype=np.int64), version, np.zeros(len(fell), dtype=np.int64)))
    record, fell, version, way = (np.concatenate([part[n] for part in parts]) for n in range(4))
    # The latest fall of each record counts.
    order = np.lexsort((fell, record))
    record, fell, version, way = record[order], fell[order], version[order], way[order]
    last = np.append(record[1:] != record[:-1], True) if len(record) else np.empty(0, dtype=bool)
    record, fell, version, way = record[last], fell[last], version[last], way[last]
    return _Case(events, carried, record, fell, version, np.zeros(len(record), dtype=np.int64), way, np.full(len(record), -1, dtype=np.int64))


def _fell_by(connection: Connection, place: str, tenant: int, seq: int) -> tuple[Ints, Ints]:
    """Return the records an event made STALE, and the versions it left them at."""
    key = (place, tenant, seq)
    with _lock:
        if key in _by_event:
            return _by_event[key]
    touched = touched_by(connection, tenant, [seq]).get(seq)
    if touched is None:
        # Being written: what it does is not known before it is done.
        return np.empty(0, np.int64), np.empty(0, np.int64)
    h = t.history
    rows: list[tuple[int, int]] = []
    query = sa.select(h.c.record, h.c.version).where(h.c.tenant == tenant, h.c.seq == seq, h.c.new == int(Status.STALE))
    query = query.where(h.c.old.is_not(None), h.c.old != int(Status.STALE))
    for some in chunks(touched.tolist()):
        rows.extend((record, version) for record, version in connection.execute(query.where(h.c.record.in_(some))))
    both = np.array(rows, dtype=np.int64).reshape(-1, 2)
    found = both[:, 0], both[:, 1]
    with _lock:
        _by_event[key] = found
        while len(_by_event) > _KEPT * 8:
            _by_event.popitem(last=False)
    return found


def _look_again(connection: Connection, tenant: int, case: _Case, snapshot: Snapshot) -> _Case:
    """Return the case with what became of each record, asking only for those whose version moved since it was looked at."""
    columns = snapshot.columns
    now = columns.version[case.records].astype(np.int64)
    moved = np.flatnonzero((now != case.seen) & (now != case.version))
    left, way = case.left, case.way
    if len(moved):
        left, way = left.copy(), way.copy()
        exits = _exits(connection, tenant, case.records[moved], case.fell[moved])
        for place, (seq, action) in exits.items():
            left[moved[place]], way[moved[place]] = seq, int(way_of(action))
    return _Case(case.events, case.carried, case.records, case.fell, case.version, left, way, now)


def _exits(connection: Connection, tenant: int, records: Ints, fell: Ints) -> dict[int, tuple[int, str]]:
    """Return place -> (event, action) of what first took each record out of STALE after it fell."""
    h, e = t.history, t.event
    query = (
        sa.select(h.c.record, h.c.seq, e.c.action)
        .join(e, (e.c.tenant == h.c.tenant) & (e.c.seq == h.c.seq))
        .where(h.c.tenant == tenant, h.c.old == int(Status.STALE), h.c.new != int(Status.STALE))
        .order_by(h.c.record, h.c.seq)
    )
    place_of = {record: place for place, record in enumerate(records.tolist())}
    found: dict[int, tuple[int, str]] = {}
    for some in chunks(records.tolist()):
        for record, seq, action in connection.execute(query.where(h.c.record.in_(some))):
            place = place_of[record]
            if seq > fell[place] and place not in found:
                found[place] = (seq, action)
    return found


def fallen_records(reading: Reading, tenant: int, correction: int, snapshot: Snapshot, *, unsettled: bool = False) -> Ints:
    """Return the numbers of what fell because of a correction, only what is not settled yet if asked."""
    fallen = load_fallen(reading, tenant, correction, snapshot)
    return fallen.records[fallen.way == Way.OPEN] if unsettled else fallen.records
