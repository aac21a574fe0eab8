"""What an import asks of the store about many ids at once, and what it writes beside the records."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.bulk import chunks
from store.db.conflicts import CLOSED, OPEN
from store.db.questions import add_question_lines, rename_conflict
from store.db.transaction import Writing
from store.domain.records import ConflictEntry, ReadEntry
from store.domain.status import FORGOTTEN, LIVE, Status
from store.domain.times import parse_time


@dataclass(frozen=True, slots=True)
class Known:
    """A record that is in the store already."""

    number: int
    status: Status
    version: int
    scope: str
    content_hash: str
    line_hash: str


def load_known(connection: Connection, tenant: int, ids: Iterable[str]) -> dict[str, Known]:
    """Return those of `ids` that exist."""
    r, s = t.record, t.record_state
    query = (
        sa.select(r.c.id, r.c.record, s.c.status, s.c.version, t.scope.c.path, r.c.content_hash, r.c.line_hash)
        .join(s, (s.c.tenant == r.c.tenant) & (s.c.record == r.c.record))
        .join(t.scope, (t.scope.c.tenant == r.c.tenant) & (t.scope.c.scope == s.c.scope))
    )
    found = {}
    for some in chunks(sorted(set(ids))):
        for row in connection.execute(query.where(r.c.tenant == tenant, r.c.id.in_(some))):
            found[row.id] = Known(row.record, Status(row.status), row.version, row.path, row.content_hash, row.line_hash)
    return found


def load_versions(connection: Connection, tenant: int, sources: Iterable[int]) -> dict[tuple[int, int], str]:
    """Return (source, version) -> id of the captured versions of some sources, but those that were forgotten."""
    r, e, s = t.record, t.evidence, t.record_state
    query = (
        sa.select(r.c.source, e.c.version, r.c.id)
        .join(e, (e.c.tenant == r.c.tenant) & (e.c.record == r.c.record))
        .join(s, (s.c.tenant == r.c.tenant) & (s.c.record == r.c.record))
        .where(r.c.tenant == tenant, s.c.status.not_in([int(status) for status in FORGOTTEN]))
        .order_by(r.c.record)
    )
    found: dict[tuple[int, int], str] = {}
    for some in chunks(sorted(sources)):
        for source, version, record_id in connection.execute(query.where(r.c.source.in_(some))):
            found.setdefault((source, version), record_id)
    return found


def keys_between(connection: Connection, tenant: int, first: int, last: int) -> set[int]:
    """Return the claim keys of the records numbered from `first` to `last`."""
    r = t.record
    query = sa.select(r.c.key).where(r.c.tenant == tenant, r.c.record.between(first, last), r.c.key.is_not(None))
    return set(connection.execute(query.distinct()).scalars())


def crowded_keys(connection: Connection, tenant: int, keys: Iterable[int]) -> list[int]:
    """Return those keys that more than one live claim has, which is a small part of a large import."""
    r, s = t.record, t.record_state
    query = (
        sa.select(r.c.key)
        .join(s, (s.c.tenant == r.c.tenant) & (s.c.record == r.c.record))
        .where(r.c.tenant == tenant, s.c.status.in_([int(status) for status in LIVE]))
        .group_by(r.c.key)
        .having(sa.func.count() > 1)
    )
    found: list[int] = []
    for some in chunks(sorted(keys)):
        found.extend(connection.execute(query.where(r.c.key.in_(some))).scalars())
    return found


def add_successors(tx: Writing, pairs: Sequence[tuple[int, int]]) -> None:
    """Note which record replaced which: (old, new)."""
    rows = [{"tenant": tx.tenant, "record": old, "successor": new} for old, new in pairs]
    if rows:
        tx.connection.execute(sa.insert(t.succession), rows)


def add_rejections(tx: Writing, routes: Sequence[tuple[int, str]]) -> None:
    """Note the routes by which imported records had been rejected: (record, route)."""
    rows = [
        {
            "tenant": tx.tenant,
            "record": record,
            "seq": tx.seq,
            "action": "reject",
            "person": tx.person,
            "at": tx.at,
            "version": 1,
            "route": route,
            "reason": None,
            "terms": None,
        }
        for record, route in routes
    ]
    if rows:
        tx.connection.execute(sa.insert(t.decision), rows)


def add_read(tx: Writing, entry: ReadEntry, known: dict[str, Known]) -> None:
    """Add what a task read to the read log."""
    values = {"tenant": tx.tenant, "task": entry.task, "by": entry.by, "at": entry.at, "scope": entry.scope}
    number = tx.connection.execute(sa.insert(t.read_log).values(values).returning(t.read_log.c.n)).scalar_one()
    rows = [
        {"tenant": tx.tenant, "record": known[record].number, "n": number, "place": place, "version": known[record].version}
        for place, record in enumerate(dict.fromkeys(entry.records))
    ]
    if rows:
        tx.connection.execute(sa.insert(t.read_log_record), rows)


def _conflict_fields(entry: ConflictEntry) -> dict[str, Any]:
    fields = {name: entry.fields.get(name) for name in ("verdict", "reason", "question", "asked", "owner", "cause", "former", "signature")}
    for name in ("opened_at", "closed_at"):
        moment = entry.fields.get(name)
        fields[name] = None if moment is None else parse_time(moment)[0]
    return fields


def _questions(entry: ConflictEntry) -> list[dict[str, Any]]:
    times = ("at", "answered_at")
    return [{**one, **{name: parse_time(one[name])[0] for name in times if name in one}} for one in entry.fields.get("questions", ())]


def adopt_open_conflict(tx: Writing, key: int, entry: ConflictEntry) -> None:
    """Give the open conflict of a key, if the rule opened one, the id, owner and question it had elsewhere."""
    c = t.conflict
    where = (c.c.tenant == tx.tenant, c.c.key == key, c.c.state == OPEN)
    there = tx.connection.execute(sa.select(c.c.id).where(*where)).scalar_one_or_none()
    if there is None:
        return
    tx.connection.execute(sa.update(c).where(*where).values(id=entry.id, **_conflict_fields(entry)))
    if there != entry.id:
        rename_conflict(tx, there, entry.id)
    add_question_lines(tx, entry.id, _questions(entry))


def add_closed_conflict(tx: Writing, key: int, entry: ConflictEntry) -> bool:
    """Add a conflict that was closed elsewhere; return False when it is there already."""
    c = t.conflict
    there = tx.connection.execute(sa.select(c.c.conflict).where(c.c.tenant == tx.tenant, c.c.id == entry.id)).scalar_one_or_none()
    if there is not None:
        return False
    number = tx.connection.execute(sa.select(sa.func.coalesce(sa.func.max(c.c.conflict), 0)).where(c.c.tenant == tx.tenant)).scalar_one() + 1
    values = {"tenant": tx.tenant, "conflict": number, "id": entry.id, "key": key, "state": CLOSED, "opened_seq": tx.seq, "closed_seq": tx.seq}
    tx.connection.execute(sa.insert(c), {**values, **_conflict_fields(entry)})
    sides = [
        {"tenant": tx.tenant, "conflict": number, "record": known.number} for known in load_known(tx.connection, tx.tenant, entry.claims).values()
    ]
    if sides:
        tx.connection.execute(sa.insert(t.conflict_side), sides)
    add_question_lines(tx, entry.id, _questions(entry))
    return True
