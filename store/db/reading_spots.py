"""Where candidates' first passages stand, kept in memory and looked up anew only for those that came or changed."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.bulk import chunks
from store.domain.reach import Ints
from store.domain.reading_order import NOWHERE, Arrangement, Spots, arrange, position_of
from store.domain.snapshot import Snapshot
from store.domain.status import Status

#: Tenants whose candidates are kept.
_KEPT = 16


@dataclass(slots=True)
class _Known:
    """One tenant's candidates after event `seq`."""

    seq: int
    versions: Ints
    spots: Spots
    pointers: dict[int, str]
    arrangement: Arrangement


_known: OrderedDict[tuple[str, int], _Known] = OrderedDict()
_lock = Lock()


def arrange_candidates(connection: Connection, store: str, tenant: int, snapshot: Snapshot) -> Arrangement:
    """Return all candidates of a tenant in reading order.

    Args:
        store: what tells this store from others in the same process.
    """
    with _lock:
        known = _known.get((store, tenant))
    if known is None or known.seq != snapshot.seq:
        known = _bring_forward(connection, tenant, snapshot, known)
        with _lock:
            _known[store, tenant] = known
            _known.move_to_end((store, tenant))
            while len(_known) > _KEPT:
                _known.popitem(last=False)
    return known.arrangement


def _bring_forward(connection: Connection, tenant: int, snapshot: Snapshot, known: _Known | None) -> _Known:
    records = np.flatnonzero(snapshot.columns.status == Status.CANDIDATE).astype(np.int64)
    versions = snapshot.columns.version[records].astype(np.int64)
    document, page, start = (np.zeros(len(records), dtype=np.int64) for _ in range(3))
    pointers: dict[int, str] = {}
    fresh = np.ones(len(records), dtype=bool)
    if known is not None and len(known.spots.record):
        at = np.minimum(np.searchsorted(known.spots.record, records), len(known.spots.record) - 1)
        same = (known.spots.record[at] == records) & (known.versions[at] == versions)
        fresh = ~same
        for column, old in ((document, known.spots.document), (page, known.spots.page), (start, known.spots.start)):
            column[same] = old[at[same]]
        if known.pointers:
            kept = set(records[same].tolist())
            pointers = {record: words for record, words in known.pointers.items() if record in kept}
    place = {record: index for index, record in zip(np.flatnonzero(fresh).tolist(), records[fresh].tolist(), strict=True)}
    for record, evidence, span in _first_bindings(connection, tenant, list(place)):
        index = place[record]
        document[index] = evidence
        page[index], start[index], words = position_of(span)
        if words:
            pointers[record] = words
    spots = Spots(records, document, page, start, _rank(records, pointers))
    parent, child = _among_candidates(snapshot, records)
    return _Known(snapshot.seq, versions, spots, pointers, arrange(spots, parent, child))


def _first_bindings(connection: Connection, tenant: int, records: list[int]) -> Iterable[tuple[int, int, dict[str, Any] | None]]:
    b = t.binding
    for some in chunks(records):
        query = sa.select(b.c.record, b.c.evidence, b.c.span).where(b.c.tenant == tenant, b.c.record.in_(some)).order_by(b.c.record, b.c.n)
        last = None
        for record, evidence, span in connection.execute(query):
            if record != last:
                last = record
                yield record, evidence, None if span is None else json.loads(span)


def _rank(records: Ints, pointers: dict[int, str]) -> Ints:
    """Return the place of each record's pointer among all of them; 0 where it has none."""
    found = np.zeros(len(records), dtype=np.int64)
    if pointers:
        numbers = np.fromiter(pointers, dtype=np.int64, count=len(pointers))
        _, rank = np.unique(np.array(list(pointers.values())), return_inverse=True)
        found[np.searchsorted(records, numbers)] = rank + 1
    return found


def _among_candidates(snapshot: Snapshot, records: Ints) -> tuple[Ints, Ints]:
    """Return which candidates rest on which, as (parent, child)."""
    parents = snapshot.graph.parents
    inside = records[records < len(parents.start) - 1]
    count = (parents.start[inside + 1] - parents.start[inside]).astype(np.int64)
    parent, child = parents.neighbours(inside), np.repeat(inside, count)
    waiting = snapshot.columns.status[parent] == Status.CANDIDATE
    return parent[waiting], child[waiting]


@dataclass(frozen=True, slots=True)
class NamedDocument:
    """A version of a source, as a list names it. Texts come from outside."""

    id: str
    title: str
    version: int
    scope: int


def name_documents(connection: Connection, tenant: int, records: Iterable[int]) -> dict[int, NamedDocument]:
    """Return version record -> its id, the title of its source, its number and the number of its scope."""
    r, e, s, state = t.record, t.evidence, t.source, t.record_state
    query = (
        sa.select(r.c.record, r.c.id, s.c.title, s.c.id.label("source"), e.c.version, state.c.scope)
        .join(e, (e.c.tenant == r.c.tenant) & (e.c.record == r.c.record))
        .join(state, (state.c.tenant == r.c.tenant) & (state.c.record == r.c.record))
        .outerjoin(s, (s.c.tenant == r.c.tenant) & (s.c.source == r.c.source))
    )
    found = {}
    for some in chunks(sorted({int(one) for one in records} - {NOWHERE})):
        for row in connection.execute(query.where(r.c.tenant == tenant, r.c.record.in_(some))):
            found[row.record] = NamedDocument(row.id, row.title or row.source or row.id, row.version, row.scope)
    return found
