"""Sources and their captured versions, kept in memory and read anew only for those that came since."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from threading import Lock

import numpy as np
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.bulk import chunks
from store.db.renditions import QuoteHider
from store.db.transaction import Reading
from store.domain.forgetting import Surface, SurfaceState
from store.domain.reach import Ints, Mask
from store.domain.records import Binding
from store.domain.status import Kind

#: Tenants whose sources are kept.
_KEPT = 16


@dataclass(frozen=True, slots=True)
class ShelfSource:
    """A source as it was declared. Texts come from outside.

    Attributes:
        scope: the number of its scope.
    """

    number: int
    id: str
    scope: int
    uri: str | None
    title: str | None
    authority: str | None
    owner: str | None
    family: str


@dataclass(frozen=True, slots=True)
class Shelf:
    """All sources of a tenant with their versions.

    Attributes:
        record, source, version: of each captured version, by source, then version, then record.
        last_source, last_record: up to which numbers it was read.
        erasures: how many erasures were carried out by then; sources only change by one.
    """

    sources: dict[int, ShelfSource]
    record: Ints
    source: Ints
    version: Ints
    last_source: int
    last_record: int
    erasures: int

    def versions_of(self, source: int) -> list[int]:
        """Return the records of a source's versions, the oldest first."""
        start, end = np.searchsorted(self.source, [source, source + 1])
        return [int(one) for one in self.record[start:end]]


_NONE = np.zeros(0, dtype=np.int64)
_EMPTY = Shelf({}, _NONE, _NONE, _NONE, 0, 0, 0)
_known: OrderedDict[tuple[str, str, int], Shelf] = OrderedDict()
_lock = Lock()


def open_shelf(reading: Reading, tenant: int) -> Shelf:
    """Return the sources of a tenant. What another reading saw and this one does not see yet has a record number it does not have."""
    place = (reading.store.url, reading.store.lineage, tenant)
    with _lock:
        known = _known.get(place, _EMPTY)
    found = _bring_forward(reading.connection, tenant, known)
    if found is not known:
        with _lock:
            _known[place] = found
            _known.move_to_end(place)
            while len(_known) > _KEPT:
                _known.popitem(last=False)
    return found


def _bring_forward(connection: Connection, tenant: int, known: Shelf) -> Shelf:
    s, r, e = t.source, t.record, t.evidence
    erasures = _count_erasures(connection, tenant)
    if erasures != known.erasures:
        known = replace(_EMPTY, erasures=erasures)
    columns = (s.c.source, s.c.id, s.c.scope, s.c.uri, s.c.title, s.c.authority, s.c.owner, s.c.family)
    fresh = connection.execute(sa.select(*columns).where(s.c.tenant == tenant, s.c.source > known.last_source)).all()
    query = (
        sa.select(e.c.record, r.c.source, e.c.version)
        .join(r, (r.c.tenant == e.c.tenant) & (r.c.record == e.c.record))
        .where(e.c.tenant == tenant, e.c.record > known.last_record, r.c.source.is_not(None))
    )
    # Asked first whether there is one: the join would walk through everything that came after the last version, and be empty almost always.
    newer = sa.select(e.c.record).where(e.c.tenant == tenant, e.c.record > known.last_record).limit(1)
    rows = connection.execute(query).all() if connection.execute(newer).first() else []
    if not fresh and not rows:
        return known
    sources = {**known.sources, **{row[0]: ShelfSource(*row) for row in fresh}}
    came = np.array([tuple(row) for row in rows], dtype=np.int64).reshape(-1, 3)
    record, source, version = (np.concatenate([old, came[:, n]]) for n, old in enumerate((known.record, known.source, known.version)))
    order = np.lexsort((record, version, source))
    return Shelf(
        sources, record[order], source[order], version[order], max(sources, default=0), int(record.max()) if len(record) else known.last_record,
        erasures,
    )


def _count_erasures(connection: Connection, tenant: int) -> int:
    """Return in how many requests records were erased; what was read before the latest of them is not told from memory."""
    s = t.deletion_surface
    done = (s.c.surface == Surface.RECORD.value, s.c.n == 0, s.c.state == int(SurfaceState.DONE))
    return connection.execute(sa.select(sa.func.count()).where(s.c.tenant == tenant, *done)).scalar_one()


# --- rows of some of them -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class VersionRow:
    """A captured version as a time line shows it.

    Attributes:
        size: bytes.
        by: who brought it in; `made_at`, `made_by`: the event that did, when, and what kind of event it was.
    """

    record: int
    id: str
    version: int
    captured_at: int | None
    media_type: str
    sha256: str
    size: int
    by: str
    name: str
    made_at: int
    made_by: str
    seq: int


def load_versions(connection: Connection, tenant: int, records: Sequence[int]) -> dict[int, VersionRow]:
    """Return captured versions by record number."""
    r, e, c, p, v = t.record, t.evidence, t.evidence_content, t.person, t.event
    query = (
        sa.select(
            r.c.record, r.c.id, e.c.version, e.c.captured_at, e.c.media_type, e.c.sha256, sa.func.length(c.c.content), p.c.id, p.c.name, v.c.at,
            v.c.action, v.c.seq,
        )
        .join(e, (e.c.tenant == r.c.tenant) & (e.c.record == r.c.record))
        .join(c, (c.c.tenant == r.c.tenant) & (c.c.record == r.c.record))
        .join(p, (p.c.tenant == r.c.tenant) & (p.c.person == r.c.importer))
        .join(v, (v.c.tenant == r.c.tenant) & (v.c.seq == r.c.created_seq))
    )  # fmt: skip
    found = {}
    for some in chunks(sorted(set(records))):
        for row in connection.execute(query.where(r.c.tenant == tenant, r.c.record.in_(some), r.c.kind == int(Kind.EVIDENCE))):
            found[row[0]] = VersionRow(*tuple(row))
    return found


def count_bound(connection: Connection, tenant: int, records: Sequence[int], seen: Mask) -> dict[int, int]:
    """Return version record -> how many claims are bound to it; `seen` says of every record of the tenant whether it counts."""
    b = t.binding
    found: dict[int, int] = {}
    for some in chunks(sorted(set(records))):
        query = sa.select(b.c.evidence, b.c.record).where(b.c.tenant == tenant, b.c.evidence.in_(some)).distinct()
        for evidence, record in connection.execute(query):
            if record < len(seen) and seen[record]:
                found[evidence] = found.get(evidence, 0) + 1
    return found


def bindings_to(connection: Connection, tenant: int, evidence: int, evidence_id: str) -> list[tuple[int, Binding]]:
    """Return (claim record, binding) of everything bound to one version."""
    b = t.binding
    query = sa.select(b.c.record, b.c.span, b.c.quote).where(b.c.tenant == tenant, b.c.evidence == evidence).order_by(b.c.record, b.c.n)
    rows = [(row.record, Binding(evidence_id, None if row.span is None else json.loads(row.span), row.quote)) for row in connection.execute(query)]
    hider = QuoteHider(connection, tenant, [(evidence, binding) for _, binding in rows])
    return [(record, hider.hide(evidence, binding)) for record, binding in rows]
