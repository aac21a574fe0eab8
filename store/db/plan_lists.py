"""SQL behind the page that revokes: names of records, what a search finds, what was delivered and told, what an event did."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.bulk import chunks
from store.db.intents import Planner
from store.db.records import rejected_as_sensitive
from store.db.search_index import find_words
from store.db.snapshots import unpack_touched
from store.db.veils import veiled_numbers
from store.domain.errors import not_found
from store.domain.people import Right
from store.domain.records import Card
from store.domain.status import FORGOTTEN, KIND_WORD, Kind, Status
from store.domain.text import question_title, spaced
from store.domain.veiling import VEIL, hide_name

_SHOWN = 300
_MANY_KEYS = 5000


@dataclass(frozen=True, slots=True)
class Named:
    """One record in a list: what it is called, what it is, where it stands.

    Attributes:
        label: predicate of a claim, type of an artifact, media type of a captured version.
        text: the value a claim holds, as JSON, cut.
    """

    number: int
    id: str
    kind: str
    status: str
    title: str
    label: str
    scope: str
    owner: str | None
    text: str | None
    edition: int | None


def load_named(connection: Connection, tenant: int, numbers: Iterable[int]) -> dict[int, Named]:
    """Return what many records are called, without their bodies; what was rejected as sensitive comes veiled (R5)."""
    r, s, k, c, a, e, o = t.record, t.record_state, t.claim_key, t.claim, t.artifact, t.evidence, t.source
    query = (
        sa.select(
            r.c.record, r.c.id, r.c.kind, s.c.status, t.scope.c.path, t.party.c.name.label("owner"), k.c.subject, k.c.predicate,
            sa.func.substr(c.c.statement, 1, _SHOWN).label("statement"), sa.func.substr(c.c.value, 1, _SHOWN).label("value"),
            a.c.artifact_type, sa.func.substr(a.c.title, 1, _SHOWN).label("title"), a.c.edition, e.c.version, e.c.media_type,
            sa.func.substr(o.c.title, 1, _SHOWN).label("source_title"), o.c.id.label("source_id"), o.c.owner.label("source_owner"),
        )
        .join(s, (s.c.tenant == r.c.tenant) & (s.c.record == r.c.record))
        .join(t.scope, (t.scope.c.tenant == r.c.tenant) & (t.scope.c.scope == s.c.scope))
        .outerjoin(t.party, (t.party.c.tenant == r.c.tenant) & (t.party.c.party == s.c.owner))
        .outerjoin(k, (k.c.tenant == r.c.tenant) & (k.c.key == r.c.key))
        .outerjoin(c, (c.c.tenant == r.c.tenant) & (c.c.record == r.c.record))
        .outerjoin(a, (a.c.tenant == r.c.tenant) & (a.c.record == r.c.record))
        .outerjoin(e, (e.c.tenant == r.c.tenant) & (e.c.record == r.c.record))
        .outerjoin(o, (o.c.tenant == r.c.tenant) & (o.c.source == r.c.source))
    )  # fmt: skip
    found: dict[int, Named] = {}
    subjects: dict[int, str | None] = {}
    for some in chunks(sorted(set(numbers))):
        for row in connection.execute(query.where(r.c.tenant == tenant, r.c.record.in_(some))):
            found[row.record] = _named(row)
            subjects[row.record] = question_title(row.subject, row.predicate) if row.subject else None
    rejected = [number for number, one in found.items() if one.status == Status.REJECTED.name]
    for number in rejected_as_sensitive(connection, tenant, rejected):
        found[number] = _veil(found[number])
    for number in veiled_numbers(connection, tenant, found):
        one = found[number]
        found[number] = replace(one, title=hide_name(subjects.get(number) or one.id), text=None if one.text is None else f'"{VEIL}"')
    return found


def _veil(one: Named) -> Named:
    """Return what may still be told of a record that was rejected as sensitive (R5)."""
    return replace(one, title=spaced(one.label) or one.id, text=None)


def _named(row: Any) -> Named:
    kind = Kind(row.kind)
    if row.status in FORGOTTEN:
        return Named(row.record, row.id, KIND_WORD[kind], Status(row.status).name, row.id, "", row.path, None, None, None)
    if kind is Kind.CLAIM:
        title, label = row.statement or question_title(row.subject, row.predicate), row.predicate or ""
    elif kind is Kind.ARTIFACT:
        title, label = row.title or row.id, row.artifact_type or "artifact"
    else:
        title, label = f"{row.source_title or row.source_id or row.id} v{row.version}", "source version"
    return Named(
        row.record, row.id, KIND_WORD[kind], Status(row.status).name, title, label, row.path, row.owner or row.source_owner, row.value, row.edition
    )


def load_labels(connection: Connection, tenant: int, keys: Sequence[int], artifacts: Sequence[int]) -> tuple[dict[int, str], dict[int, str]]:
    """Return key -> predicate and artifact -> type, for folding."""
    types: dict[int, str] = {}
    a = t.artifact
    for some in chunks(artifacts):
        rows = connection.execute(sa.select(a.c.record, a.c.artifact_type).where(a.c.tenant == tenant, a.c.record.in_(some)))
        types.update((number, name) for number, name in rows)
    return _predicates(connection, tenant, keys), types


def _predicates(connection: Connection, tenant: int, keys: Sequence[int]) -> dict[int, str]:
    """Return key -> predicate; for very many keys packed by the database, one row per predicate."""
    k = t.claim_key
    if len(keys) <= _MANY_KEYS:
        found: dict[int, str] = {}
        for some in chunks(keys):
            found.update(
                (key, name) for key, name in connection.execute(sa.select(k.c.key, k.c.predicate).where(k.c.tenant == tenant, k.c.key.in_(some)))
            )
        return found
    packed = sa.func.aggregate_strings(sa.cast(k.c.key, sa.Text), ",")
    wanted = np.array(keys, dtype=np.int64)
    found = {}
    for name, text in connection.execute(sa.select(k.c.predicate, packed).where(k.c.tenant == tenant).group_by(k.c.predicate)):
        its = np.fromstring(text, dtype=np.int64, sep=",")
        found.update(dict.fromkeys(its[np.isin(its, wanted)].tolist(), name))
    return found


# --- picking ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A source, as far as picking it goes."""

    number: int
    id: str
    title: str | None
    scope: str
    owner: str | None


def _like(text: str) -> str:
    return "%" + text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"


def search_sources(connection: Connection, tenant: int, text: str, most: int) -> list[SourceRow]:
    """Return sources whose id, title or address holds every word of `text`, exact ids first."""
    o = t.source
    query = _sources(tenant)
    for word in text.split()[:8]:
        pattern = _like(word)
        query = query.where(sa.or_(o.c.id.ilike(pattern, escape="\\"), o.c.title.ilike(pattern, escape="\\"), o.c.uri.ilike(pattern, escape="\\")))
    exact = sa.case((o.c.id == text, 0), else_=1)
    return [SourceRow(*row) for row in connection.execute(query.order_by(exact, o.c.source.desc()).limit(most))]


def find_sources(connection: Connection, tenant: int, ids: Sequence[str]) -> dict[str, SourceRow]:
    """Return the sources with these ids."""
    return {row.id: SourceRow(*row) for row in connection.execute(_sources(tenant).where(t.source.c.id.in_(list(ids))))}


def _sources(tenant: int) -> Any:
    o = t.source
    columns = (o.c.source, o.c.id, sa.func.substr(o.c.title, 1, _SHOWN).label("title"), t.scope.c.path, o.c.owner)
    return sa.select(*columns).join(t.scope, (t.scope.c.tenant == o.c.tenant) & (t.scope.c.scope == o.c.scope)).where(o.c.tenant == tenant)


def sources_of(connection: Connection, tenant: int, records: Sequence[int]) -> dict[int, str]:
    """Return record -> the id of its source, for captured versions."""
    r, o = t.record, t.source
    query = sa.select(r.c.record, o.c.id).join(o, (o.c.tenant == r.c.tenant) & (o.c.source == r.c.source))
    return {number: name for some in chunks(records) for number, name in connection.execute(query.where(r.c.tenant == tenant, r.c.record.in_(some)))}


def versions_of(connection: Connection, tenant: int, sources: Sequence[int]) -> dict[int, list[tuple[int, int]]]:
    """Return source -> (record, status) of its captured versions, oldest first."""
    r, s = t.record, t.record_state
    query = sa.select(r.c.source, r.c.record, s.c.status).join(s, (s.c.tenant == r.c.tenant) & (s.c.record == r.c.record)).order_by(r.c.record)
    found: dict[int, list[tuple[int, int]]] = {}
    for some in chunks(sources):
        for source, record, status in connection.execute(query.where(r.c.tenant == tenant, r.c.source.in_(some))):
            found.setdefault(source, []).append((record, status))
    return found


def search_numbers(connection: Connection, tenant: int, text: str, most: int) -> list[int]:
    """Return records found by id (exactly, then by its beginning) or by their words, best first."""
    r = t.record
    exact = list(connection.execute(sa.select(r.c.record).where(r.c.tenant == tenant, r.c.id == text)).scalars())
    after = sa.and_(r.c.id >= text, r.c.id < text + "\U0010ffff")
    begins = list(connection.execute(sa.select(r.c.record).where(r.c.tenant == tenant, after).order_by(r.c.id).limit(most)).scalars())
    return list(dict.fromkeys([*exact, *begins, *find_words(connection, tenant, text, most)]))


class LookingPlanner(Planner):
    """Works a plan out for somebody who may see its roots but may not decide; what it finds cannot be committed."""

    def _need_decide(self, card: Card, doing: str) -> None:  # noqa: ARG002 - what would be done is not asked for here
        if not self.actor.may(Right.INSPECT, card.scope):
            raise not_found(card.id)


# --- what hangs on the reach --------------------------------------------------------------------------------------


def load_deliveries(connection: Connection, tenant: int, artifacts: Sequence[int]) -> dict[int, list[tuple[str, str, int | None]]]:
    """Return artifact -> (recipient, channel, time) of its deliveries, latest first."""
    d = t.delivery
    found: dict[int, list[tuple[str, str, int | None]]] = {}
    query = sa.select(d.c.record, d.c.recipient, d.c.channel, d.c.delivered_at).order_by(d.c.record, d.c.n)
    for some in chunks(artifacts):
        for record, *rest in connection.execute(query.where(d.c.tenant == tenant, d.c.record.in_(some))):
            found.setdefault(record, []).append((rest[0], rest[1], rest[2]))
    return {record: sorted(rows, key=lambda row: -(row[2] or 0)) for record, rows in found.items()}


@dataclass(frozen=True, slots=True)
class Told:
    """One answer somebody got, and how many of the records in question it held."""

    number: int
    by: str | None
    at: int | None
    task: str | None
    question: dict[str, Any]
    records: tuple[int, ...]


def find_told(connection: Connection, tenant: int, records: Sequence[int]) -> dict[int, list[int]]:
    """Return answer -> those of `records` it told, newest answer first. A long list is compared with the log, not the log with the list."""
    entry = t.read_log_record
    query = sa.select(entry.c.n, entry.c.record).where(entry.c.tenant == tenant)
    found: dict[int, list[int]] = {}
    if len(records) <= 2000:
        rows = [row for some in chunks(records) for row in connection.execute(query.where(entry.c.record.in_(some)))]
    else:
        wanted = set(records)
        rows = [row for row in connection.execute(query) if row.record in wanted]
    for n, record in rows:
        found.setdefault(n, []).append(record)
    return dict(sorted(found.items(), reverse=True))


def load_told(connection: Connection, answers: dict[int, list[int]]) -> list[Told]:
    """Return the answers of a page of `find_told`."""
    log = t.read_log
    rows = {row.n: row for some in chunks(list(answers)) for row in connection.execute(sa.select(log).where(log.c.n.in_(some)))}
    return [
        Told(n, rows[n].by, rows[n].at, rows[n].task, json.loads(rows[n].question) if rows[n].question else {}, tuple(records))
        for n, records in answers.items()
        if n in rows
    ]


# --- what an event did --------------------------------------------------------------------------------------------


def event_number(connection: Connection, tenant: int) -> int:
    """Return the number of the tenant's latest event."""
    return int(connection.execute(sa.select(t.tenant.c.event_seq).where(t.tenant.c.tenant == tenant)).scalar_one())


@dataclass(frozen=True, slots=True)
class EventRow:
    """One event."""

    seq: int
    at: int
    by: str
    name: str
    action: str
    count: int
    touched: tuple[int, ...]


def load_event(connection: Connection, tenant: int, seq: int) -> EventRow | None:
    """Return an event, None if the tenant has none of that number."""
    e, p = t.event, t.person
    query = (
        sa.select(e.c.seq, e.c.at, p.c.id, p.c.name, e.c.action, e.c.count, e.c.touched)
        .join(p, (p.c.tenant == e.c.tenant) & (p.c.person == e.c.person))
        .where(e.c.tenant == tenant, e.c.seq == seq)
    )
    row = connection.execute(query).one_or_none()
    return None if row is None else EventRow(*row[:6], tuple(unpack_touched(row.touched).tolist()))


def load_changes(connection: Connection, tenant: int, seq: int, records: Sequence[int]) -> list[tuple[int, int, int, int]]:
    """Return (record, kind, status before, status after) of what an event changed the status of."""
    h, s = t.history, t.record_state
    query = sa.select(h.c.record, s.c.kind, h.c.old, h.c.new).join(s, (s.c.tenant == h.c.tenant) & (s.c.record == h.c.record))
    found: list[tuple[int, int, int, int]] = []
    for some in chunks(records):
        rows = connection.execute(query.where(h.c.tenant == tenant, h.c.seq == seq, h.c.record.in_(some)))
        found.extend((record, kind, old, new) for record, kind, old, new in rows if old is not None and old != new)
    return found


def load_operation(connection: Connection, tenant: int, operation: str) -> dict[str, Any]:
    """Return what an operation returned; empty when that was erased."""
    o = t.operation
    text = connection.execute(sa.select(o.c.result).where(o.c.tenant == tenant, o.c.operation == operation)).scalar_one_or_none()
    return {} if text is None else dict(json.loads(text))


def load_sent(connection: Connection, tenant: int, seq: int) -> list[tuple[int, int, str, str]]:
    """Return (artifact, edition, recipient, channel) of the notices an event made."""
    n = t.notice
    query = sa.select(n.c.record, n.c.edition, n.c.recipient, n.c.channel).where(n.c.tenant == tenant, n.c.seq == seq).order_by(n.c.n)
    return [(record, edition, recipient, channel) for record, edition, recipient, channel in connection.execute(query)]
