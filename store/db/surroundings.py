"""SQL behind the surroundings of one record: the way down to what was delivered, and its neighbours. All by key."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.bulk import chunks
from store.domain.status import FORGOTTEN, Kind


def children_of_many(connection: Connection, tenant: int, numbers: Sequence[int], most: int) -> list[tuple[int, int]]:
    """Return (parent, child) of the given parents, at most about `most`."""
    d = t.dependency
    found: list[tuple[int, int]] = []
    for some in chunks(numbers):
        query = sa.select(d.c.parent, d.c.child).where(d.c.tenant == tenant, d.c.parent.in_(some)).order_by(d.c.parent, d.c.child).limit(most)
        found.extend((row.parent, row.child) for row in connection.execute(query))
        if len(found) >= most:
            break
    return found


def kinds_of(connection: Connection, tenant: int, numbers: Sequence[int]) -> dict[int, Kind]:
    """Return record -> kind."""
    s = t.record_state
    found: dict[int, Kind] = {}
    for some in chunks(numbers):
        rows = connection.execute(sa.select(s.c.record, s.c.kind).where(s.c.tenant == tenant, s.c.record.in_(some)))
        found.update((row.record, Kind(row.kind)) for row in rows)
    return found


def delivered_among(connection: Connection, tenant: int, numbers: Sequence[int]) -> set[int]:
    """Return those of `numbers` that were delivered to somebody."""
    d = t.delivery
    found: set[int] = set()
    for some in chunks(numbers):
        found.update(connection.execute(sa.select(d.c.record).where(d.c.tenant == tenant, d.c.record.in_(some)).distinct()).scalars())
    return found


def same_question(connection: Connection, tenant: int, key: int, most: int) -> list[int]:
    """Return the newest claims of keys that ask the same in other scopes (R14)."""
    k, r = t.claim_key, t.record
    question = connection.execute(sa.select(k.c.question).where(k.c.tenant == tenant, k.c.key == key)).scalar_one()
    keys = connection.execute(sa.select(k.c.key).where(k.c.tenant == tenant, k.c.question == question, k.c.key != key)).scalars().all()
    found: list[int] = []
    for some in chunks(keys):
        found.extend(connection.execute(sa.select(r.c.record).where(r.c.tenant == tenant, r.c.key.in_(some)).order_by(r.c.record.desc()).limit(most)).scalars())
    return sorted(found, reverse=True)[:most]


def same_key(connection: Connection, tenant: int, key: int, but: int, most: int) -> list[int]:
    """Return the newest other claims of one key."""
    r = t.record
    return list(
        connection.execute(
            sa.select(r.c.record).where(r.c.tenant == tenant, r.c.key == key, r.c.record != but).order_by(r.c.record.desc()).limit(most)
        ).scalars()
    )


def subject_of(connection: Connection, tenant: int, key: int) -> str:
    """Return what a claim key is about."""
    k = t.claim_key
    return str(connection.execute(sa.select(k.c.subject).where(k.c.tenant == tenant, k.c.key == key)).scalar_one())


def same_passage(connection: Connection, tenant: int, record: int, most: int, among: int = 5_000) -> list[int]:
    """Return other claims bound to a passage that overlaps one of this claim's, in the same captured version."""
    b, s = t.binding, t.record_state
    mine: Any = connection.execute(sa.select(b.c.evidence, b.c.span).where(b.c.tenant == tenant, b.c.record == record)).all()
    spans: dict[int, list[Any]] = {}
    for evidence, span in mine:
        spans.setdefault(evidence, []).append(None if span is None else json.loads(span))
    found: dict[int, None] = {}
    for some in chunks(sorted(spans)):
        query = (
            sa.select(b.c.record, b.c.evidence, b.c.span)
            .join(s, (s.c.tenant == b.c.tenant) & (s.c.record == b.c.record))
            .where(b.c.tenant == tenant, b.c.evidence.in_(some), b.c.record != record, s.c.status.not_in([int(one) for one in FORGOTTEN]))
        )
        for row in connection.execute(query.order_by(b.c.record.desc()).limit(among)):
            other = None if row.span is None else json.loads(row.span)
            if any(_overlap(span, other) for span in spans[row.evidence]):
                found[row.record] = None
                if len(found) >= most:
                    return list(found)
    return list(found)


def _overlap(one: Any, other: Any) -> bool:
    """Return whether two spans of one version share anything; a version named as a whole is no passage."""
    if not isinstance(one, dict) or not isinstance(other, dict):
        return False
    if "pointer" in one and "pointer" in other:
        return bool(one["pointer"] == other["pointer"])
    for first, last in (("start", "end"), ("line_start", "line_end")):
        if {first, last} <= one.keys() and {first, last} <= other.keys() and one.get("page") == other.get("page"):
            closed = first == "line_start"
            return bool(one[first] <= other[last] and other[first] <= one[last]) if closed else bool(one[first] < other[last] and other[first] < one[last])
    return False
