"""What the screen of candidates asks of the tables: rows of a page, first approvals, who decided, claims about the same."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.bulk import chunks
from store.db.keys import load_predicates, nearest_predicate
from store.db.search_index import find_words
from store.db.withheld import note_is_readable, readable


@dataclass(frozen=True, slots=True)
class Decided:
    """One decision on a record, in words people know: who, when, what and why."""

    record: int
    action: str
    by: str
    name: str
    at: int
    route: str | None
    reason: str | None


def series_keys(connection: Connection, tenant: int, keys: Iterable[int]) -> list[int]:
    """Return those of `keys` whose predicate is declared a series."""
    declared = load_predicates(connection, tenant)
    if not any(one.series for one in declared.values()):
        return []
    k, s = t.claim_key, t.scope
    found: list[int] = []
    for some in chunks(sorted(set(keys))):
        query = sa.select(k.c.key, s.c.path, k.c.predicate).join(s, (s.c.tenant == k.c.tenant) & (s.c.scope == k.c.scope))
        found.extend(
            row.key
            for row in connection.execute(query.where(k.c.tenant == tenant, k.c.key.in_(some)))
            if nearest_predicate(declared, row.path, row.predicate).series
        )
    return found


def _decisions() -> Any:
    d, p = t.decision, t.person
    return sa.select(d.c.record, d.c.action, p.c.id, p.c.name, d.c.at, d.c.route, readable(d, d.c.reason)).join(
        p, (p.c.tenant == d.c.tenant) & (p.c.person == d.c.person)
    )


def first_approvals(connection: Connection, tenant: int, records: Sequence[int]) -> dict[int, list[Decided]]:
    """Return record -> the first approvals that still count, because the record is at the version they left."""
    d, s = t.decision, t.record_state
    found: dict[int, list[Decided]] = {}
    query = _decisions().join(s, (s.c.tenant == d.c.tenant) & (s.c.record == d.c.record) & (s.c.version == d.c.version))
    for some in chunks(records):
        for row in connection.execute(query.where(d.c.tenant == tenant, d.c.record.in_(some), d.c.action == "first approval").order_by(d.c.seq)):
            found.setdefault(row.record, []).append(Decided(*row))
    return found


def last_decisions(connection: Connection, tenant: int, records: Sequence[int]) -> dict[int, Decided]:
    """Return record -> its latest decision."""
    d = t.decision
    found = {}
    for some in chunks(records):
        for row in connection.execute(_decisions().where(d.c.tenant == tenant, d.c.record.in_(some)).order_by(d.c.seq)):
            found[row.record] = Decided(*row)
    return found


def recorded_times(connection: Connection, tenant: int, seqs: Iterable[int]) -> dict[int, int]:
    """Return event number -> when it was recorded."""
    e = t.event
    found: dict[int, int] = {}
    for some in chunks(sorted(set(seqs))):
        found.update((seq, at) for seq, at in connection.execute(sa.select(e.c.seq, e.c.at).where(e.c.tenant == tenant, e.c.seq.in_(some))))
    return found


def accepted_since(connection: Connection, tenant: int, records: Sequence[int]) -> dict[int, tuple[int, str, str]]:
    """Return record -> (when it became ACCEPTED last, by whom, by what action)."""
    h, e, p = t.history, t.event, t.person
    query = (
        sa.select(h.c.record, e.c.at, p.c.name, e.c.action)
        .join(e, (e.c.tenant == h.c.tenant) & (e.c.seq == h.c.seq))
        .join(p, (p.c.tenant == e.c.tenant) & (p.c.person == e.c.person))
        .where(h.c.tenant == tenant, h.c.new == 1, sa.or_(h.c.old.is_(None), h.c.old != 1))
        .order_by(h.c.seq)
    )
    found = {}
    for some in chunks(records):
        for row in connection.execute(query.where(h.c.record.in_(some))):
            found[row.record] = (row.at, row.name, row.action)
    return found


def claims_about(connection: Connection, tenant: int, subject: str, predicate: str, but_key: int | None, most: int = 300) -> list[int]:
    """Return the newest claims with one subject and predicate under other keys, found by the search index."""
    r, k = t.record, t.claim_key
    found: list[int] = []
    for some in chunks(find_words(connection, tenant, f"{subject} {predicate}", most)):
        query = sa.select(r.c.record).join(k, (k.c.tenant == r.c.tenant) & (k.c.key == r.c.key)).where(r.c.tenant == tenant, r.c.record.in_(some))
        query = query.where(k.c.subject == subject, k.c.predicate == predicate, k.c.key != (but_key or 0))
        found.extend(connection.execute(query.order_by(r.c.record.desc())).scalars())
    return found


def last_changes(connection: Connection, tenant: int, records: Sequence[int]) -> dict[int, Decided]:
    """Return record -> the last event that changed its status, as a decision; who, when and why."""
    h, e, p, n = t.history, t.event, t.person, t.event_note
    query = (
        sa.select(h.c.record, e.c.action, p.c.id, p.c.name, e.c.at, n.c.note)
        .join(e, (e.c.tenant == h.c.tenant) & (e.c.seq == h.c.seq))
        .join(p, (p.c.tenant == e.c.tenant) & (p.c.person == e.c.person))
        .outerjoin(n, (n.c.tenant == e.c.tenant) & (n.c.seq == e.c.seq) & note_is_readable(n))
        .where(h.c.tenant == tenant, h.c.old != h.c.new)
        .order_by(h.c.seq)
    )
    found = {}
    for some in chunks(records):
        for row in connection.execute(query.where(h.c.record.in_(some))):
            reason = None if row.note is None else json.loads(row.note).get("reason")
            found[row.record] = Decided(row.record, row.action, row.id, row.name, row.at, None, reason)
    return found


def name_sources(connection: Connection, tenant: int, evidence: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return evidence id -> number, source id, title, version, capture time, media type and hash."""
    r, e, s = t.record, t.evidence, t.source
    query = (
        sa.select(
            r.c.id, r.c.record, s.c.id.label("source"), s.c.title, s.c.authority, s.c.uri, e.c.version, e.c.captured_at, e.c.media_type, e.c.sha256
        )
        .join(e, (e.c.tenant == r.c.tenant) & (e.c.record == r.c.record))
        .outerjoin(s, (s.c.tenant == r.c.tenant) & (s.c.source == r.c.source))
    )
    found = {}
    for some in chunks(evidence):
        for row in connection.execute(query.where(r.c.tenant == tenant, r.c.id.in_(some))):
            found[row.id] = dict(row._mapping)  # noqa: SLF001
    return found


def contributed(connection: Connection, tenant: int, person: str) -> list[int]:
    """Return the candidates a person had a part in: imported, proposed, amended or bound the evidence of."""
    r, s, p, y, c = t.record, t.record_state, t.person, t.party, t.contributor
    waiting = (s.c.tenant == r.c.tenant) & (s.c.record == r.c.record)
    base = sa.select(s.c.record).where(s.c.tenant == tenant, s.c.status == sa.literal_column("0"))
    number = connection.execute(sa.select(p.c.person).where(p.c.tenant == tenant, p.c.id == person)).scalar_one_or_none()
    party = connection.execute(sa.select(y.c.party).where(y.c.tenant == tenant, y.c.name == person)).scalar_one_or_none()
    found: set[int] = set()
    if number is not None or party is not None:
        mine = sa.or_(r.c.importer == (number if number is not None else -1), r.c.proposed_by == (party if party is not None else -1))
        found.update(connection.execute(base.join(r, waiting).where(mine)).scalars())
    amended = base.join(c, (c.c.tenant == s.c.tenant) & (c.c.record == s.c.record)).where(c.c.name == person)
    found.update(connection.execute(amended).scalars())
    return sorted(found)


def judged_reads(connection: Connection, tenant: int, record: int) -> list[tuple[int, bool]]:
    """Return what reviewers said of reads a record does not declare: (record read, used)."""
    r = t.dependency_review
    query = sa.select(r.c.read_record, r.c.used).where(r.c.tenant == tenant, r.c.record == record).order_by(r.c.read_record)
    return [(row.read_record, row.used) for row in connection.execute(query)]


def asked_records(connection: Connection, tenant: int) -> list[int]:
    """Return the records about which a question is open."""
    q, r = t.question, t.record
    query = sa.select(r.c.record).join(q, (q.c.tenant == r.c.tenant) & (q.c.about == r.c.id))
    return sorted(set(connection.execute(query.where(q.c.tenant == tenant, q.c.kind == "record", q.c.answered_at.is_(None))).scalars()))
