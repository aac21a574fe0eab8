"""The sides of many conflicts as rules see them: who says it, where it was taken from, and when."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.bulk import chunks
from store.db.nearness import near_keys
from store.domain.conflicts import side_of
from store.domain.records import Card
from store.domain.settling import Voice
from store.domain.status import Kind, Status


@dataclass(frozen=True, slots=True)
class Captured:
    """A captured version at the bottom of claims: its source, and the digest of its bytes."""

    source: str
    family: str
    authority: str | None
    captured: int | None
    sha256: str


def load_captured(connection: Connection, tenant: int, evidence: Sequence[int]) -> dict[int, Captured]:
    """Return captured versions by record."""
    e, s, r = t.evidence, t.source, t.record
    query = (
        sa.select(e.c.record, s.c.id, s.c.family, s.c.authority, e.c.captured_at, e.c.sha256)
        .join(r, (r.c.tenant == e.c.tenant) & (r.c.record == e.c.record))
        .join(s, (s.c.tenant == r.c.tenant) & (s.c.source == r.c.source))
    )
    found: dict[int, Captured] = {}
    for some in chunks(evidence):
        for record, *rest in connection.execute(query.where(e.c.tenant == tenant, e.c.record.in_(some))):
            found[record] = Captured(*rest)
    return found


def _told_by(above: Mapping[int, list[int]], cards: Mapping[int, Card], record: int) -> tuple[set[int], set[int]]:
    """Return the captured versions a claim is bound to, all it rests on where it is bound to none, and all it rests on."""
    every: set[int] = set()
    seen, waiting = {record}, [record]
    while waiting:
        for parent in above[waiting.pop()]:
            if parent not in seen:
                seen.add(parent)
                waiting.append(parent)
                if cards[parent].kind is Kind.EVIDENCE:
                    every.add(parent)
    direct = {parent for parent in above[record] if cards[parent].kind is Kind.EVIDENCE}
    return direct or every, every


def load_voices(
    connection: Connection, tenant: int, sides: Mapping[int, Card], above: Mapping[int, list[int]], cards: Mapping[int, Card], at: int
) -> dict[int, Voice]:
    """Return the sides as voices.

    Args:
        above: record -> parents, of the sides and everything they rest on; `cards`: theirs.
        at: the moment at which roots must be unexpired to count as independent, microseconds UTC.
    """
    captured = load_captured(connection, tenant, sorted(number for number, card in cards.items() if card.kind is Kind.EVIDENCE))
    near = near_keys(connection, tenant, {card.key for card in sides.values() if card.key is not None})
    wide: dict[int, Any] = {}
    c = t.claim
    columns = (c.c.record, c.c.observed_at, c.c.authority, c.c.extraction)
    for some in chunks(sorted(sides)):
        wide.update((row.record, row) for row in connection.execute(sa.select(*columns).where(c.c.tenant == tenant, c.c.record.in_(some))))
    found = {}
    for number, card in sides.items():
        told, every = _told_by(above, cards, number)
        by = [captured[one] for one in sorted(told) if one in captured]
        row = wide[number]
        extraction = None if row.extraction is None else json.loads(row.extraction)
        standing = [
            one for one in every
            if cards[one].status is Status.ACCEPTED and ((ends := cards[one].expires_at) is None or ends > at) and one in captured
        ]  # fmt: skip
        times = [one.captured for one in by if one.captured is not None]
        found[number] = Voice(
            side_of(card, near.get(number)), card.id, frozenset(one.source for one in by), frozenset(one.family for one in by),
            frozenset({row.authority} if row.authority else {one.authority for one in by if one.authority}),
            None if extraction is None else (str(extraction.get("method", "")), str(extraction.get("version", ""))),
            frozenset((captured[one].family, captured[one].sha256) for one in standing), row.observed_at, card.created_seq, max(times, default=None),
        )  # fmt: skip
    return found
