"""SQL behind letters to the owners of sources: conflicts with their sides, and the passages the sides come from."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.bulk import chunks
from store.db.renditions import QuoteHider
from store.domain.origins import Origin
from store.domain.records import Binding


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A conflict as a letter needs it: its key, since when, how it was settled if it is, and the claims on its sides."""

    number: int
    id: str
    key: int
    opened_at: int | None
    closed_at: int | None
    verdict: str | None
    sides: tuple[int, ...]


def load_contradictions(connection: Connection, tenant: int, *, settled: bool) -> list[Contradiction]:
    """Return the open conflicts, or those settled by a verdict; the oldest first."""
    c, side = t.conflict, t.conflict_side
    wanted = (c.c.state == 1, c.c.verdict.is_not(None)) if settled else (c.c.state == 0,)
    query = (
        sa.select(c.c.conflict, c.c.id, c.c.key, c.c.opened_at, c.c.closed_at, c.c.verdict, side.c.record)
        .join(side, (side.c.tenant == c.c.tenant) & (side.c.conflict == c.c.conflict))
        .where(c.c.tenant == tenant, *wanted)
        .order_by(c.c.conflict, side.c.record)
    )
    found: dict[int, Contradiction] = {}
    for number, conflict_id, key, opened, closed, verdict, record in connection.execute(query):
        known = found.get(number)
        found[number] = Contradiction(number, conflict_id, key, opened, closed, verdict, (*(known.sides if known else ()), record))
    return list(found.values())


@dataclass(frozen=True, slots=True)
class Bound:
    """A passage a claim is bound to."""

    record: int
    evidence: int
    evidence_id: str
    source: int
    version: int
    captured_at: int | None
    span: dict[str, Any] | None
    quote: str | None


def load_bound(connection: Connection, tenant: int, records: Sequence[int]) -> dict[int, list[Bound]]:
    """Return claim -> the passages it is bound to."""
    b, r, e = t.binding, t.record, t.evidence
    query = (
        sa.select(b.c.record, b.c.evidence, r.c.id, r.c.source, e.c.version, e.c.captured_at, b.c.span, b.c.quote)
        .join(r, (r.c.tenant == b.c.tenant) & (r.c.record == b.c.evidence))
        .join(e, (e.c.tenant == r.c.tenant) & (e.c.record == r.c.record))
        .order_by(b.c.record, b.c.n)
    )
    found: dict[int, list[Bound]] = {}
    for some in chunks(records):
        rows = connection.execute(query.where(b.c.tenant == tenant, b.c.record.in_(some))).all()
        bound = [(row.evidence, Binding(row.id, None if row.span is None else json.loads(row.span), row.quote)) for row in rows]
        hider = QuoteHider(connection, tenant, bound)
        for row, pair in zip(rows, bound, strict=True):
            shown = hider.hide(*pair)
            found.setdefault(row.record, []).append(Bound(*row[:6], shown.span, shown.quote))
    return found


@dataclass(frozen=True, slots=True)
class Addressee:
    """A source, as far as a letter to its owner goes."""

    number: int
    id: str
    title: str | None
    uri: str | None
    owner: str | None
    authority: str | None
    scope: int
    family: str

    @property
    def origin(self) -> Origin:
        """Return what it is called among others."""
        return Origin(self.id, self.family, self.authority)


def load_addressees(connection: Connection, tenant: int, sources: Sequence[int]) -> dict[int, Addressee]:
    """Return number -> source."""
    o = t.source
    query = sa.select(o.c.source, o.c.id, o.c.title, o.c.uri, o.c.owner, o.c.authority, o.c.scope, o.c.family)
    found = {}
    for some in chunks(sorted(set(sources))):
        for row in connection.execute(query.where(o.c.tenant == tenant, o.c.source.in_(some))):
            found[row.source] = Addressee(*row)
    return found


def find_addressees(connection: Connection, tenant: int, name: str) -> list[Addressee]:
    """Return the source with an id, else those a family, an authority or a collection of that name has (R13)."""
    o = t.source
    query = sa.select(o.c.source, o.c.id, o.c.title, o.c.uri, o.c.owner, o.c.authority, o.c.scope, o.c.family).where(o.c.tenant == tenant)
    exact = [Addressee(*row) for row in connection.execute(query.where(o.c.id == name))]
    if exact:
        return exact
    wide = sa.or_(o.c.authority == name, o.c.family == name, o.c.id.startswith(name, autoescape=True))
    rows = [Addressee(*row) for row in connection.execute(query.where(wide).order_by(o.c.source))]
    return [one for one in rows if one.origin.name(0) == name] or [one for one in rows if one.origin.name(1) == name]
