"""Keeping a tenant's snapshot in memory: loaded once, then kept current from the events that came after it."""

from __future__ import annotations

import threading
import zlib
from typing import Any

import numpy as np
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.bulk import chunks, load_columns
from store.db.nearness import Declared, load_near, load_tolerant
from store.domain.reach import Graph, Ints, Mask
from store.domain.snapshot import Columns, Keys, Snapshot
from store.domain.times import ALWAYS, FOREVER
from store.domain.tolerance import Near

_CARD = (
    "s.kind", "s.status", "s.version", "s.scope", "COALESCE(s.owner, 0)", "r.flags", "COALESCE(r.key, 0)",
    "COALESCE(r.value_code, 0)", "CASE WHEN r.value_code IS NULL THEN 0 ELSE 1 END",
    f"COALESCE(r.valid_from, {ALWAYS})", f"COALESCE(r.valid_to, {FOREVER})", f"COALESCE(r.expires_at, {FOREVER})",
)  # fmt: skip
_TYPES = (
    np.int8, np.int8, np.int32, np.int32, np.int32, np.int8, np.int32, np.int64, np.bool_, np.int64, np.int64, np.int64,
)  # fmt: skip
_NAMES = (
    "kind", "status", "version", "scope", "owner", "flags", "key", "value", "has_value", "valid_from", "valid_to", "expires_at",
)  # fmt: skip
_FROM = "record_state s JOIN record r ON r.tenant = s.tenant AND r.record = s.record"
_EMPTY_ROW = (0, -1, 0, 0, 0, 0, 0, 0, 0, ALWAYS, FOREVER, FOREVER)


def pack_touched(records: Ints) -> bytes:
    """Return record numbers as an event keeps them."""
    return zlib.compress(np.sort(records).astype("<i4").tobytes(), 1)


def unpack_touched(packed: bytes) -> Ints:
    """Return the record numbers of an event."""
    return np.frombuffer(zlib.decompress(packed), dtype="<i4").astype(np.int64)


class Snapshots:
    """The snapshots of one store, one per tenant; safe for several threads, shared by all of them."""

    def __init__(self) -> None:
        self._kept: dict[int, Snapshot] = {}
        self._locks: dict[int, threading.RLock] = {}
        self._guard = threading.Lock()

    def lock(self, tenant: int) -> threading.RLock:
        """Return the lock under which a tenant's snapshot is brought up to date."""
        with self._guard:
            return self._locks.setdefault(tenant, threading.RLock())

    def warm(self, tenant: int, seq: int) -> Snapshot | None:
        """Return the snapshot if it is in memory and stands exactly at event `seq`."""
        kept = self._kept.get(tenant)
        return kept if kept is not None and kept.seq == seq else None

    def current(self, connection: Connection, tenant: int) -> Snapshot:
        """Return the snapshot as `connection` sees the tenant, loading or catching up as needed."""
        with self.lock(tenant):
            seq = connection.execute(sa.select(t.tenant.c.event_seq).where(t.tenant.c.tenant == tenant)).scalar_one()
            kept = self._kept.get(tenant)
            if kept is not None and kept.seq == seq:
                return kept
            fresh = None
            if kept is not None and kept.seq < seq:
                fresh = catch_up(connection, tenant, kept, seq)
            if fresh is None:
                fresh = load(connection, tenant, seq)
            if kept is None or kept.seq < seq:
                self._kept[tenant] = fresh
            return fresh

    def keep(self, tenant: int, snapshot: Snapshot) -> None:
        """Take a snapshot that a transaction brought forward itself, unless a newer one is here."""
        with self.lock(tenant):
            kept = self._kept.get(tenant)
            if kept is None or kept.seq < snapshot.seq:
                self._kept[tenant] = snapshot

    def forget(self) -> None:
        """Drop every snapshot, so that the next use loads again."""
        with self._guard:
            self._kept.clear()


def load(connection: Connection, tenant: int, seq: int) -> Snapshot:
    """Return a snapshot read from the tables."""
    with_tenant = {"tenant": tenant}
    found = load_columns(connection, ("s.record", *_CARD), f"{_FROM} WHERE s.tenant = :tenant", "s.record", with_tenant)
    numbers, cards = found[0], found[1:]
    size = int(numbers[-1]) + 1 if len(numbers) else 1
    columns: dict[str, Any] = {}
    for name, kind, empty, values in zip(_NAMES, _TYPES, _EMPTY_ROW, cards, strict=True):
        column: Any = np.full(size, empty, dtype=kind)
        column[numbers] = values
        columns[name] = column
    tolerant = load_tolerant(connection, tenant)
    return Snapshot(
        seq,
        Columns(**columns),
        _load_keys(connection, tenant),
        Graph(size, load_edges(connection, tenant)),
        _load_delivered(connection, tenant, size),
        load_open_conflicts(connection, tenant),
        load_near(connection, tenant, tolerant),
        tolerant,
    )


def load_edges(connection: Connection, tenant: int) -> Ints:
    """Return the dependencies as sorted parent * 2^32 + child."""
    edge = "d.parent * 4294967296 + d.child" if connection.dialect.name == "sqlite" else "d.parent::bigint * 4294967296 + d.child"
    return load_columns(connection, (edge,), "dependency d WHERE d.tenant = :tenant", "d.parent, d.child", {"tenant": tenant})[0]


def _load_keys(connection: Connection, tenant: int) -> Keys:
    columns = ("k.key", "k.scope", "k.question", "CASE WHEN k.many THEN 1 ELSE 0 END")
    number, scope, question, many = load_columns(connection, columns, "claim_key k WHERE k.tenant = :tenant", "k.key", {"tenant": tenant})
    size = int(number[-1]) + 1 if len(number) else 1
    keys = Keys(np.zeros(size, np.int32), np.arange(size, dtype=np.int64), np.zeros(size, np.bool_))
    keys.scope[number], keys.question[number], keys.many[number] = scope, question, many
    return keys


def _load_delivered(connection: Connection, tenant: int, size: int) -> Mask:
    delivered = np.zeros(size, dtype=bool)
    rows = connection.execute(sa.select(t.delivery.c.record).where(t.delivery.c.tenant == tenant).distinct()).scalars().all()
    delivered[np.array(rows, dtype=np.int64)] = True
    return delivered


def load_open_conflicts(connection: Connection, tenant: int) -> dict[int, tuple[int, ...]]:
    """Return key -> the records on the sides of its open conflict."""
    query = (
        sa.select(t.conflict.c.key, t.conflict_side.c.record)
        .join(t.conflict_side, (t.conflict_side.c.tenant == t.conflict.c.tenant) & (t.conflict_side.c.conflict == t.conflict.c.conflict))
        .where(t.conflict.c.tenant == tenant, t.conflict.c.state == 0)
        .order_by(t.conflict.c.key, t.conflict_side.c.record)
    )
    found: dict[int, list[int]] = {}
    for key, record in connection.execute(query):
        found.setdefault(key, []).append(record)
    return {key: tuple(sides) for key, sides in found.items()}


def catch_up(connection: Connection, tenant: int, old: Snapshot, seq: int) -> Snapshot | None:
    """Return `old` brought forward to event `seq`, or None when reading everything again costs less.

    The old snapshot stays as it is: whoever computes with it is not disturbed.
    """
    packed = connection.execute(
        sa.select(t.event.c.touched).where(t.event.c.tenant == tenant, t.event.c.seq > old.seq, t.event.c.seq <= seq)
    ).scalars()
    parts = [unpack_touched(item) for item in packed]
    touched = np.unique(np.concatenate(parts)) if parts else np.empty(0, np.int64)
    if len(touched) > max(2000, len(old.columns) // 8):
        return None
    rows: list[tuple[int, ...]] = []
    edges: list[tuple[int, int]] = []
    for some in chunks(touched.tolist()):
        query = sa.text(f"SELECT s.record, {', '.join(_CARD)} FROM {_FROM} WHERE s.tenant = :tenant AND s.record IN :some")  # noqa: S608
        rows.extend(map(tuple, connection.execute(query.bindparams(sa.bindparam("some", expanding=True)), {"tenant": tenant, "some": some})))
        pairs = sa.select(t.dependency.c.parent, t.dependency.c.child).where(t.dependency.c.tenant == tenant, t.dependency.c.child.in_(some))
        edges.extend((parent, child) for parent, child in connection.execute(pairs))
    size = max([len(old.columns), *(row[0] + 1 for row in rows)])
    columns: dict[str, Any] = {}
    for name, kind, empty in zip(_NAMES, _TYPES, _EMPTY_ROW, strict=True):
        column: Any = np.full(size, empty, dtype=kind)
        column[: len(old.columns)] = getattr(old.columns, name)
        columns[name] = column
    numbers = [row[0] for row in rows]
    for place, name in enumerate(_NAMES, 1):
        columns[name][numbers] = [row[place] for row in rows]
    grown = size > len(old.columns)
    changed = grown or any(not np.array_equal(columns[name], getattr(old.columns, name)) for name in ("key", "value", "scope"))
    # Read again every time: whether a key takes many values can change while none of its records does.
    keys = _load_keys(connection, tenant)
    changed |= not np.array_equal(keys.many, old.keys.many)
    graph, moved = _with_edges(old.graph, size, touched, edges)
    delivered = _load_delivered(connection, tenant, size)
    near, tolerant = _near_now(connection, tenant, old, touched)
    fresh = Snapshot(seq, Columns(**columns), keys, graph, delivered, load_open_conflicts(connection, tenant), near, tolerant)
    fresh._effective_expiry, fresh._by_key = old._effective_expiry, old._by_key  # noqa: SLF001
    fresh._contested, fresh._asked_twice = old._contested, old._asked_twice  # noqa: SLF001
    expiry = not np.array_equal(fresh.columns.expires_at[: len(old.columns)], old.columns.expires_at)
    fresh.forget_derived(dependencies=moved, expiry=expiry or grown, keys=changed, conflicts=fresh.open_conflicts != old.open_conflicts)
    return fresh


def _near_now(connection: Connection, tenant: int, old: Snapshot, touched: Ints) -> tuple[dict[int, Near], Declared]:
    """Return what tolerant claims are compared by, read again where records or declarations changed."""
    tolerant = load_tolerant(connection, tenant)
    if tolerant != old.tolerant:
        return load_near(connection, tenant, tolerant), tolerant
    if not tolerant or not len(touched):
        return old.near, tolerant
    kept = dict(old.near)
    for record in touched.tolist():
        kept.pop(record, None)
    return kept | load_near(connection, tenant, tolerant, records=touched.tolist()), tolerant


def _with_edges(old: Graph, size: int, touched: Ints, edges: list[tuple[int, int]]) -> tuple[Graph, bool]:
    """Return the graph with the touched records' parents replaced, and whether that changed anything."""
    fresh = np.array([(parent << 32) | child for parent, child in edges], dtype=np.int64)
    fresh.sort()
    was_touched = np.isin(old.edges & 0xFFFFFFFF, touched)
    if size == old.size and np.array_equal(old.edges[was_touched], fresh):
        return old, False
    merged = np.concatenate([old.edges[~was_touched], fresh])
    merged.sort(kind="stable")
    return Graph(size, merged), True
