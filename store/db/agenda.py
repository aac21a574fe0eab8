"""What a person's day asks of the tables: dates coming up, previews they looked at, conflicts with owners, and events by day."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.bulk import chunks
from store.db.conflicts import OPEN
from store.db.renditions import hide_lines
from store.db.snapshots import unpack_touched
from store.db.veils import ShownNames, shown_key_names
from store.db.withheld import conflict_is_shown, note_is_readable, readable
from store.domain.plans import Plan, read_plan
from store.domain.status import Status


@dataclass(frozen=True, slots=True)
class Contested:
    """An open conflict by number of its key."""

    id: str
    key: int
    owner: str | None
    opened_at: int | None


def open_by_key(connection: Connection, tenant: int) -> dict[int, Contested]:
    """Return key -> the conflict open over it."""
    c = t.conflict
    query = sa.select(c.c.id, c.c.key, c.c.owner, c.c.opened_at).where(c.c.tenant == tenant, c.c.state == OPEN)
    return {row.key: Contested(*row) for row in connection.execute(query)}


def names_of_keys(connection: Connection, tenant: int, keys: Iterable[int]) -> dict[int, tuple[str, str]]:
    """Return key -> its subject, as whoever looks is shown it, and its predicate."""
    return {key: (one["subject"], one["predicate"]) for key, one in shown_key_names(connection, tenant, keys).items()}


# --- dates ---------------------------------------------------------------------------------------------------------


def _due(tenant: int, scopes: Sequence[int] | None, owner: int | None, start: int | None, end: int, *columns: Any) -> Any:
    """Return the query of accepted records with a review or expiry date in [start, end), of some scopes or of one owner."""
    r, s = t.record, t.record_state
    query = (
        sa.select(*columns)
        .join(s, (s.c.tenant == r.c.tenant) & (s.c.record == r.c.record))
        .where(r.c.tenant == tenant, r.c.due_at.is_not(None), r.c.due_at < end, s.c.status == int(Status.ACCEPTED))
    )
    if start is not None:
        query = query.where(r.c.due_at >= start)
    if scopes is not None:
        query = query.where(s.c.scope.in_(scopes))
    return query if owner is None else query.where(s.c.owner == owner)


def count_due(
    connection: Connection, tenant: int, bounds: Sequence[int], scopes: Sequence[int] | None, owner: int | None
) -> list[tuple[int, int]]:  # fmt: skip
    """Return (review dates, expiries) before the first of `bounds`, and then between each and the next; microseconds.

    Args:
        scopes: numbers of scopes, None for all; `owner`: the number of an owner, None for anybody.
    """
    r = t.record
    expires = sa.case((r.c.expires_at == r.c.due_at, 1), else_=0)
    slot = sa.case(*((r.c.due_at < bound, place) for place, bound in enumerate(bounds)), else_=len(bounds)).label("slot")
    found = [(0, 0)] * len(bounds)
    rows = _due(tenant, scopes, owner, None, bounds[-1], slot, sa.func.count(), sa.func.sum(expires)).group_by(slot)
    for place, count, expiring in connection.execute(rows):
        found[place] = (int(count) - int(expiring), int(expiring))
    return found


def page_of_due(
    connection: Connection, tenant: int, start: int | None, end: int, scopes: Sequence[int] | None, owner: int | None, after: tuple[int, int] | None, limit: int
) -> list[tuple[int, int, bool]]:  # fmt: skip
    """Return (record, when due, whether it then expires) of a time, soonest first, after (when, record)."""
    r = t.record
    query = _due(tenant, scopes, owner, start, end, r.c.record, r.c.due_at, r.c.expires_at)
    if after is not None:
        query = query.where(sa.or_(r.c.due_at > after[0], sa.and_(r.c.due_at == after[0], r.c.record > after[1])))
    rows = connection.execute(query.order_by(r.c.due_at, r.c.record).limit(limit))
    return [(row.record, row.due_at, row.expires_at == row.due_at) for row in rows]


# --- previews ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OwnPreview:
    """A plan somebody looked at and did not commit; `at` in microseconds."""

    fingerprint: str
    plan: Plan
    at: int
    revision: int


def previews_of(connection: Connection, tenant: int, person: str, since: int, most: int) -> list[OwnPreview]:
    """Return the latest preview of each plan a person looked at since a time and did not commit, newest first, at most `most`."""
    p = t.preview
    columns = (p.c.fingerprint, p.c.plan, p.c.at, p.c.revision, p.c.committed_seq)
    query = sa.select(*columns).where(p.c.tenant == tenant, p.c.person == person, p.c.at >= since).order_by(p.c.at.desc(), p.c.revision.desc())
    found: dict[str, OwnPreview] = {}
    seen: set[str] = set()
    for row in connection.execute(query):
        if row.plan not in seen and row.committed_seq is None:
            found[row.plan] = OwnPreview(row.fingerprint, read_plan(json.loads(row.plan)), row.at, row.revision)
            if len(found) == most:
                break
        seen.add(row.plan)
    return list(found.values())


# --- events by day -------------------------------------------------------------------------------------------------


def first_event_since(connection: Connection, tenant: int, moment: int, last: int) -> int:
    """Return the number of the first event at or after a moment, `last` + 1 if there is none: found by halving, as clocks mostly go on."""
    e = t.event
    low, high = 1, last + 1
    while low < high:
        middle = (low + high) // 2
        at = connection.execute(sa.select(e.c.at).where(e.c.tenant == tenant, e.c.seq == middle)).scalar_one_or_none()
        if at is not None and at < moment:
            low = middle + 1
        else:
            high = middle
    return low


@dataclass(frozen=True, slots=True)
class DeskEvent:
    """An event with what was noted with it, empty where that was erased; `at` in microseconds."""

    seq: int
    at: int
    person: str
    name: str
    action: str
    note: dict[str, Any]

    @property
    def words(self) -> list[Any]:
        """Return what exactly was asked."""
        found = self.note.get("words")
        return found if isinstance(found, list) else []


def events_between(
    connection: Connection, tenant: int, first: int, last: int, start: int, end: int, actions: Sequence[str], limit: int
) -> list[DeskEvent]:  # fmt: skip
    """Return the events numbered `first` to `last` of some actions whose time lies in [start, end), in order, at most `limit`."""
    e, p, n = t.event, t.person, t.event_note
    query = (
        sa.select(e.c.seq, e.c.at, p.c.id, p.c.name, e.c.action, n.c.note)
        .join(p, (p.c.tenant == e.c.tenant) & (p.c.person == e.c.person))
        .outerjoin(n, (n.c.tenant == e.c.tenant) & (n.c.seq == e.c.seq) & note_is_readable(n))
        .where(e.c.tenant == tenant, e.c.seq >= first, e.c.seq <= last, e.c.at >= start, e.c.at < end, e.c.action.in_(actions))
        .order_by(e.c.seq)
        .limit(limit)
    )
    return [DeskEvent(*row[:5], json.loads(row.note) if row.note else {}) for row in connection.execute(query)]


def touched_by(connection: Connection, tenant: int, seq: int) -> list[int]:
    """Return the records an event touched."""
    packed = connection.execute(sa.select(t.event.c.touched).where(t.event.c.tenant == tenant, t.event.c.seq == seq)).scalar_one()
    touched: list[int] = unpack_touched(packed).tolist()
    return touched


@dataclass(frozen=True, slots=True)
class KeptDecision:
    """A decision row."""

    record: int
    seq: int
    action: str
    version: int
    route: str | None
    reason: str | None
    terms: dict[str, Any]


def decisions_at(connection: Connection, tenant: int, records: Iterable[int], first: int, last: int) -> dict[tuple[int, int], KeptDecision]:
    """Return (record, event) -> the decision made on a record by an event numbered `first` to `last`."""
    d = t.decision
    columns = (d.c.record, d.c.seq, d.c.action, d.c.version, d.c.route, readable(d, d.c.reason), readable(d, d.c.terms))
    found: dict[tuple[int, int], KeptDecision] = {}
    for some in chunks(sorted(set(records))):
        query = sa.select(*columns).where(d.c.tenant == tenant, d.c.record.in_(some), d.c.seq >= first, d.c.seq <= last)
        for row in connection.execute(query):
            found[row.record, row.seq] = KeptDecision(*row[:6], json.loads(row.terms) if row.terms else {})
    return found


def replaced_after(connection: Connection, tenant: int, records: Iterable[int], seq: int) -> dict[int, list[tuple[int, dict[str, Any]]]]:
    """Return record -> (event that replaced it, the line it had until then), for content replaced after an event, oldest first."""
    c = t.replaced_content
    found: dict[int, list[tuple[int, dict[str, Any]]]] = {}
    for some in chunks(sorted(set(records))):
        query = sa.select(c.c.record, c.c.seq, c.c.line).where(c.c.tenant == tenant, c.c.record.in_(some), c.c.seq > seq)
        for row in connection.execute(query.order_by(c.c.seq)):
            found.setdefault(row.record, []).append((row.seq, json.loads(row.line)))
    hide_lines(connection, tenant, [line for its in found.values() for _, line in its])
    return found


@dataclass(frozen=True, slots=True)
class NamedConflict:
    """A conflict, open or closed, with what it is over; `asked_seqs`: events by which a question about it was asked."""

    id: str
    scope: str
    subject: str
    predicate: str
    verdict: str | None
    closed_seq: int | None
    asked_seqs: frozenset[int]


def name_conflicts(connection: Connection, tenant: int, ids: Iterable[str]) -> dict[str, NamedConflict]:
    """Return id -> a conflict with what it is over, its subject as whoever looks is shown it."""
    names = ShownNames(connection, tenant)
    c, k, s, q = t.conflict, t.claim_key, t.scope, t.question
    query = (
        sa.select(c.c.id, s.c.path, k.c.subject, k.c.predicate, c.c.verdict, c.c.closed_seq)
        .join(k, (k.c.tenant == c.c.tenant) & (k.c.key == c.c.key))
        .join(s, (s.c.tenant == k.c.tenant) & (s.c.scope == k.c.scope))
    )
    found: dict[str, NamedConflict] = {}
    for some in chunks(sorted(set(ids))):
        asked: dict[str, set[int]] = {}
        rows = connection.execute(sa.select(q.c.about, q.c.asked_seq).where(q.c.tenant == tenant, q.c.kind == "conflict", q.c.about.in_(some)))
        for about, seq in rows:
            asked.setdefault(about, set()).add(seq)
        for row in connection.execute(query.where(c.c.tenant == tenant, c.c.id.in_(some), conflict_is_shown(c))):
            found[row.id] = NamedConflict(row.id, row.path, names.name(row.path, row.subject), *row[3:], frozenset(asked.get(row.id, ())))
    return found
