"""Reading what happened: events, the history of a record, and content as it was."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.bulk import chunks
from store.db.renditions import hide_lines
from store.db.withheld import note_is_readable
from store.domain.status import Status
from store.domain.text import canonical_json


@dataclass(frozen=True, slots=True)
class Event:
    """One action; `at` in microseconds UTC, `actor` the person's id."""

    seq: int
    at: int
    actor: str
    action: str
    count: int
    authenticated: bool


def list_events_of(connection: Connection, tenant: int, *, record: int | None, after: int, limit: int, action: str | None = None) -> list[Event]:
    """Return events after a number, oldest first; of one record and of one action if given."""
    e, p, h = t.event, t.person, t.history
    query = sa.select(e.c.seq, e.c.at, p.c.id, e.c.action, e.c["count"], e.c.authenticated)
    query = query.join(p, (p.c.tenant == e.c.tenant) & (p.c.person == e.c.person))
    query = query.where(e.c.tenant == tenant, e.c.seq > after).order_by(e.c.seq).limit(limit)
    if action is not None:
        query = query.where(e.c.action == action)
    if record is not None:
        touched = sa.select(h.c.seq).where(h.c.tenant == tenant, h.c.record == record)
        looked = [one.seq for one in list_events_named(connection, tenant, ["reveal"], before=None, limit=10_000) if one.result.get("number") == record]
        query = query.where(sa.or_(e.c.seq.in_(touched), e.c.seq.in_(looked[:900])))
    return [Event(*row) for row in connection.execute(query)]


@dataclass(frozen=True, slots=True)
class NamedEvent:
    """One action with its note and the result it gave, empty where that was erased; `actor` the person's name."""

    seq: int
    at: int
    actor: str
    action: str
    note: dict[str, Any]
    result: dict[str, Any]


def list_events_named(connection: Connection, tenant: int, actions: Sequence[str], *, before: int | None, limit: int) -> list[NamedEvent]:
    """Return events of some actions, newest first, before a number if given."""
    e, p, n = t.event, t.person, t.event_note
    query = sa.select(e.c.seq, e.c.at, p.c.name, e.c.action, n.c.note).join(p, (p.c.tenant == e.c.tenant) & (p.c.person == e.c.person))
    query = query.outerjoin(n, (n.c.tenant == e.c.tenant) & (n.c.seq == e.c.seq) & note_is_readable(n))
    query = query.where(e.c.tenant == tenant, e.c.action.in_(actions)).order_by(e.c.seq.desc()).limit(limit)
    if before is not None:
        query = query.where(e.c.seq < before)
    rows = [(*row, {} if row.note is None else json.loads(row.note)) for row in connection.execute(query)]
    o = t.operation
    wanted = [note["operation"] for *_, note in rows if "operation" in note]
    results = connection.execute(sa.select(o.c.seq, o.c.result).where(o.c.tenant == tenant, o.c.operation.in_(wanted)))
    given = {row.seq: json.loads(row.result) for row in results}
    return [NamedEvent(seq, at, actor, action, note, given.get(seq, {})) for seq, at, actor, action, _, note in rows]


@dataclass(frozen=True, slots=True)
class Look:
    """Somebody asked to see what is veiled in a record: when, who (person number and id), and which version of it."""

    seq: int
    at: int
    person: int
    actor: str
    version: int


def list_looks(connection: Connection, tenant: int, record: int) -> list[Look]:
    """Return who looked behind the veil of a record, oldest first."""
    e, o, p = t.event, t.operation, t.person
    query = sa.select(e.c.seq, e.c.at, e.c.person, p.c.id, o.c.result).join(o, (o.c.tenant == e.c.tenant) & (o.c.seq == e.c.seq))
    query = query.join(p, (p.c.tenant == e.c.tenant) & (p.c.person == e.c.person)).where(e.c.tenant == tenant, e.c.action == "reveal").order_by(e.c.seq)
    found = ((*row, json.loads(given)) for *row, given in connection.execute(query))
    return [Look(seq, at, person, actor, int(result["version"])) for seq, at, person, actor, result in found if result.get("number") == record]


def looked_at(connection: Connection, tenant: int, seqs: Sequence[int]) -> dict[int, tuple[int, int]]:
    """Return event -> which record, by number, and which version of it was looked at behind its veil."""
    o, found = t.operation, dict[int, tuple[int, int]]()
    for some in chunks(seqs):
        for seq, text in connection.execute(sa.select(o.c.seq, o.c.result).where(o.c.tenant == tenant, o.c.seq.in_(some))):
            result = json.loads(text)
            if "revealed" in result:
                found[seq] = int(result["number"]), int(result["version"])
    return found


def find_operations(connection: Connection, tenant: int, operation: str, *, most: int) -> list[int]:
    """Return the events of an operation in a tenant; an import over several tenants numbers its parts from the second on."""
    o = t.operation
    wanted = [operation, *(f"{operation}:{part}" for part in range(1, most))]
    return list(connection.execute(sa.select(o.c.seq).where(o.c.tenant == tenant, o.c.operation.in_(wanted)).order_by(o.c.seq)).scalars())


@dataclass(frozen=True, slots=True)
class Change:
    """One history row with its event; `before` is None where the record was created."""

    seq: int
    before: Status | None
    after: Status
    version: int
    at: int
    action: str
    actor: str
    actor_name: str


def list_changes(connection: Connection, tenant: int, record: int) -> list[Change]:
    """Return what happened to a record, oldest first."""
    h, e, p = t.history, t.event, t.person
    query = (
        sa.select(h.c.seq, h.c.old, h.c.new, h.c.version, e.c.at, e.c.action, p.c.id, p.c.name)
        .join(e, (e.c.tenant == h.c.tenant) & (e.c.seq == h.c.seq))
        .join(p, (p.c.tenant == e.c.tenant) & (p.c.person == e.c.person))
        .where(h.c.tenant == tenant, h.c.record == record)
        .order_by(h.c.seq)
    )
    return [Change(seq, None if old is None else Status(old), Status(new), *rest) for seq, old, new, *rest in connection.execute(query)]


def last_event_by(connection: Connection, tenant: int, moment: int) -> int:
    """Return the number of the last event recorded at or before a moment; 0 for none."""
    e = t.event
    return int(connection.execute(sa.select(sa.func.max(e.c.seq)).where(e.c.tenant == tenant, e.c.at <= moment)).scalar_one() or 0)


def content_before(connection: Connection, tenant: int, record: int, version: int, seq: int) -> tuple[str, str] | None:
    """Return the content a record had at `version`, as its line's JSON, and its hash, if an event after `seq` replaced it."""
    c = t.replaced_content
    query = sa.select(c.c.line, c.c.content_hash).where(c.c.tenant == tenant, c.c.record == record, c.c.version >= version, c.c.seq > seq)
    row = connection.execute(query.order_by(c.c.version, c.c.seq).limit(1)).one_or_none()
    if row is None:
        return None
    line = json.loads(row.line)
    hide_lines(connection, tenant, [line])
    return canonical_json(line), row.content_hash


@dataclass(frozen=True, slots=True)
class Link:
    """One link of a tenant's chain, with the note it vouches for where that is still there."""

    seq: int
    at: int
    person: int
    action: str
    count: int
    digest: str
    note_mac: str
    authenticated: bool
    previous: str
    hash: str
    touched: bytes
    mac_key: bytes | None
    note: str | None


def read_chain(connection: Connection, tenant: int) -> Iterator[Link]:
    """Yield the links of a tenant's chain in order."""
    e, n = t.event, t.event_note
    names = ("seq", "at", "person", "action", "count", "digest", "note_mac", "authenticated", "previous", "hash", "touched")
    query = sa.select(*(e.c[name] for name in names), n.c.mac_key, n.c.note).outerjoin(n, (n.c.tenant == e.c.tenant) & (n.c.seq == e.c.seq))
    for row in connection.execute(query.where(e.c.tenant == tenant).order_by(e.c.seq)):
        key = row.mac_key
        fields = dict(zip(names, row, strict=False))
        yield Link(**fields, mac_key=None if key is None else bytes(key), note=row.note)


def statuses_after(connection: Connection, tenant: int, records: Sequence[int], seq: int) -> dict[int, Status]:
    """Return the statuses records had after an event; those not there yet are left out."""
    h = t.history
    found: dict[int, Status] = {}
    for some in chunks(records):
        last = (
            sa.select(h.c.record, sa.func.max(h.c.seq).label("seq"))
            .where(h.c.tenant == tenant, h.c.record.in_(some), h.c.seq <= seq)
            .group_by(h.c.record)
        )
        newest = last.subquery()
        query = sa.select(h.c.record, h.c.new).join(newest, (newest.c.record == h.c.record) & (newest.c.seq == h.c.seq)).where(h.c.tenant == tenant)
        found.update({record: Status(status) for record, status in connection.execute(query)})
    return found


def keys_contested_after(connection: Connection, tenant: int, keys: Sequence[int], seq: int) -> dict[int, list[int]]:
    """Return key -> sides of the conflict that was open over it after an event."""
    c, side = t.conflict, t.conflict_side
    query = (
        sa.select(c.c.key, side.c.record)
        .join(side, (side.c.tenant == c.c.tenant) & (side.c.conflict == c.c.conflict))
        .where(c.c.tenant == tenant, c.c.opened_seq <= seq, sa.or_(c.c.closed_seq.is_(None), c.c.closed_seq > seq))
    )
    found: dict[int, list[int]] = {}
    for some in chunks(keys):
        for key, record in connection.execute(query.where(c.c.key.in_(some))):
            found.setdefault(key, []).append(record)
    return found
