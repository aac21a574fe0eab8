"""What stood before a candidate: the value accepted last for its question, and newer versions of the documents it quotes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.bulk import chunks
from store.domain.reach import Ints
from store.domain.records import Claim
from store.domain.snapshot import Snapshot
from store.domain.status import Kind, Status
from store.domain.value_change import is_earlier_period, period_of

#: Statuses of what was accepted once, the ones that count most first.
_STOOD = (Status.ACCEPTED, Status.DISPUTED, Status.STALE, Status.SUPERSEDED)


@dataclass(frozen=True, slots=True)
class Before:
    """The claim that stood before a candidate.

    Attributes:
        period: of an earlier period of the same figure, which; None where it answers the very same question.
    """

    record: int
    period: str | None = None


def find_before(connection: Connection, tenant: int, snapshot: Snapshot, claims: Mapping[int, Claim]) -> dict[int, Before]:
    """Return candidate -> what stood before it: the claim of its key accepted last, else that of the period before."""
    found: dict[int, Before] = {}
    asked: dict[int, Claim] = {}
    for record, claim in claims.items():
        before = _of_same_key(snapshot, record)
        if before is not None:
            found[record] = Before(before)
        elif period_of(claim.qualifiers) is not None:
            asked[record] = claim
    if asked:
        found.update(_of_earlier_periods(connection, tenant, snapshot, asked))
    return found


def _best(snapshot: Snapshot, records: Ints, start: int | None) -> int | None:
    """Return of some claims the one that counts most: by status, then the one that began last but not after `start`."""
    columns = snapshot.columns
    status, begins = columns.status[records], columns.valid_from[records]
    for wanted in _STOOD:
        good = records[(status == wanted) & ((begins <= start) if start is not None else True)]
        if len(good):
            return int(good[np.lexsort((good, columns.valid_from[good]))[-1]])
    return None


def _of_same_key(snapshot: Snapshot, record: int) -> int | None:
    columns = snapshot.columns
    if record >= len(columns) or not columns.key[record] or snapshot.keys.many[columns.key[record]]:
        return None
    others = snapshot.by_key().of(int(columns.key[record])).astype(np.int64)
    others = others[(others != record) & (columns.kind[others] == Kind.CLAIM)]
    return _best(snapshot, others, int(columns.valid_from[record])) or _best(snapshot, others, None)


def _of_earlier_periods(connection: Connection, tenant: int, snapshot: Snapshot, claims: Mapping[int, Claim]) -> dict[int, Before]:
    k, s = t.claim_key, t.scope
    siblings: dict[tuple[str, str, str], list[tuple[int, dict[str, object]]]] = {}
    predicates = sorted({claim.predicate for claim in claims.values()})
    query = sa.select(k.c.key, s.c.path, k.c.subject, k.c.predicate, k.c.qualifiers).join(s, (s.c.tenant == k.c.tenant) & (s.c.scope == k.c.scope))
    for some in chunks(sorted({claim.subject for claim in claims.values()}), 400):
        for row in connection.execute(query.where(k.c.tenant == tenant, k.c.subject.in_(some), k.c.predicate.in_(predicates))):
            siblings.setdefault((row.path, row.subject, row.predicate), []).append((row.key, json.loads(row.qualifiers)))
    found = {}
    for record, claim in claims.items():
        earlier = []
        for key, qualifiers in siblings.get((claim.scope, claim.subject, claim.predicate), ()):
            period = is_earlier_period(claim.qualifiers, qualifiers)
            if period is not None:
                earlier.append((period, key))
        for period, key in sorted(earlier, reverse=True)[:8]:
            best = _best(snapshot, snapshot.claims_of_keys(np.array([key], dtype=np.int64)), None)
            if best is not None and snapshot.columns.status[best] in (Status.ACCEPTED, Status.DISPUTED):
                found[record] = Before(best, period)
                break
    return found


@dataclass(frozen=True, slots=True)
class NewerVersion:
    """A later version of the source a candidate quotes."""

    record: int
    id: str
    version: int
    captured_at: int | None
    sha256: str
    media_type: str


def find_newer(connection: Connection, tenant: int, evidence: Sequence[str], sees: Callable[[str], bool]) -> dict[str, NewerVersion]:
    """Return evidence id -> the newest version of its source that was not withdrawn, where that is a later one in a scope that is seen."""
    r, e, state, scope = t.record, t.evidence, t.record_state, t.scope
    version = (e.c.tenant == r.c.tenant) & (e.c.record == r.c.record)
    mine: dict[str, tuple[int, int]] = {}
    for some in chunks(sorted(set(evidence))):
        query = sa.select(r.c.id, r.c.source, e.c.version).join(e, version).where(r.c.tenant == tenant, r.c.id.in_(some), r.c.source.is_not(None))
        mine.update((row.id, (row.source, row.version)) for row in connection.execute(query))
    stood = (state.c.tenant == r.c.tenant) & (state.c.record == r.c.record) & state.c.status.in_([int(status) for status in _STOOD])
    newest: dict[int, int] = {}
    for numbers in chunks(sorted({source for source, _ in mine.values()})):
        last = sa.select(r.c.source, sa.func.max(e.c.version)).join(e, version).join(state, stood)
        newest.update((source, found) for source, found in connection.execute(last.where(r.c.tenant == tenant, r.c.source.in_(numbers)).group_by(r.c.source)))
    later = {one: source for one, (source, number) in mine.items() if newest.get(source, number) > number}
    found: dict[int, NewerVersion] = {}
    columns = (r.c.source, r.c.record, r.c.id, e.c.version, e.c.captured_at, e.c.sha256, e.c.media_type, scope.c.path)
    whole = sa.select(*columns).join(e, version).join(state, stood).join(scope, (scope.c.tenant == state.c.tenant) & (scope.c.scope == state.c.scope))
    for source in sorted(set(later.values())):
        row = connection.execute(whole.where(r.c.tenant == tenant, r.c.source == source, e.c.version == newest[source]).limit(1)).one()
        if sees(row.path):
            found[source] = NewerVersion(row.record, row.id, row.version, row.captured_at, row.sha256, row.media_type)
    return {one: found[source] for one, source in later.items() if source in found}
