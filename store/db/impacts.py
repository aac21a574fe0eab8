"""From a plan to its sealed impact, the same way for preview and commit; and what was seen, remembered for a while."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.bulk import chunks
from store.db.engine import explained, update_or_insert
from store.db.intents import Planner
from store.db.keys import load_scopes
from store.db.transaction import Reading, Writing
from store.db.withheld import note_is_readable
from store.domain.impact import Impact, Notice, derive_impact, pack_rows, seal
from store.domain.people import Actor
from store.domain.plans import Intent, Plan, Verb
from store.domain.snapshot import Snapshot
from store.domain.text import canonical_json

#: How long a preview is remembered, in microseconds.
REMEMBERED = 7 * 24 * 3600 * 1_000_000


@dataclass(frozen=True, slots=True)
class Remembered:
    """A preview somebody saw."""

    plan: str
    person: str
    at: int
    revision: int
    rows: bytes
    committed_seq: int | None


def work_out(reading: Reading, tenant: int, plan: Plan) -> tuple[Snapshot, Impact]:
    """Return the tenant's snapshot and the sealed impact of a plan, as `reading` sees the store."""
    intent = Planner(reading.connection, tenant, reading.actor, reading.at, reading.snapshot).work_out(plan)
    return derive(reading, tenant, intent)


def derive(reading: Reading, tenant: int, intent: Intent) -> tuple[Snapshot, Impact]:
    """Return the snapshot and the sealed impact of direct changes."""
    snapshot = reading.snapshot(tenant)
    impact = derive_impact(snapshot, intent, reading.at, load_scopes(reading.connection, tenant))
    impact.notices = load_notices(reading.connection, tenant, impact.delivered.tolist())
    policy = reading.connection.execute(sa.select(t.tenant.c.policy_version).where(t.tenant.c.tenant == tenant)).scalar_one()
    return snapshot, seal(impact, snapshot, policy, reading.store.lineage)


def load_notices(connection: Connection, tenant: int, artifacts: list[int]) -> tuple[Notice, ...]:
    """Return one notice per delivered edition and recipient."""
    found: dict[tuple[int, str], Notice] = {}
    d, a = t.delivery, t.artifact
    query = (
        sa.select(d.c.record, a.c.edition, d.c.recipient, d.c.channel, d.c.delivered_at)
        .join(a, (a.c.tenant == d.c.tenant) & (a.c.record == d.c.record))
        .order_by(d.c.record, d.c.n)
    )
    for some in chunks(artifacts):
        for row in connection.execute(query.where(d.c.tenant == tenant, d.c.record.in_(some))).all():
            found.setdefault((row[0], row[2]), Notice(*row))
    return tuple(found.values())


def remember(reading: Reading, tenant: int, snapshot: Snapshot, impact: Impact) -> None:
    """Keep what was seen under its fingerprint, apart from every record; the latest look counts. Of a plan to forget nothing is kept."""
    if impact.intent.plan.verb is Verb.ERASE:
        return
    with explained(), reading.store.writer.begin() as connection:
        _remember(connection, reading, tenant, snapshot, impact)


def remember_in(tx: Writing, snapshot: Snapshot, impact: Impact) -> None:
    """Keep what was seen, as part of an action."""
    _remember(tx.connection, tx, tx.tenant, snapshot, impact)


def _remember(connection: Connection, reading: Reading, tenant: int, snapshot: Snapshot, impact: Impact) -> None:
    p = t.preview
    connection.execute(sa.delete(p).where(p.c.tenant == tenant, p.c.at < reading.at - REMEMBERED))

    def describe() -> dict[str, Any]:
        return {
            "plan": impact.intent.plan.text(), "person": reading.actor.id, "revision": impact.seq, "rows": pack_rows(impact, snapshot), "committed_seq": None,
        }  # fmt: skip

    update_or_insert(connection, p, {"tenant": tenant, "fingerprint": impact.fingerprint}, {"at": reading.at}, describe)


def recall(connection: Connection, tenant: int, fingerprint: str) -> Remembered | None:
    """Return the preview remembered under a fingerprint."""
    p = t.preview
    row = connection.execute(sa.select(p).where(p.c.tenant == tenant, p.c.fingerprint == fingerprint)).one_or_none()
    return None if row is None else Remembered(row.plan, row.person, row.at, row.revision, bytes(row.rows), row.committed_seq)


def mark_committed(tx: Writing, fingerprint: str) -> None:
    """Note that a preview was committed, so that it cannot be twice."""
    p = t.preview
    tx.connection.execute(sa.update(p).where(p.c.tenant == tx.tenant, p.c.fingerprint == fingerprint).values(committed_seq=tx.seq))


def hidden_scopes(connection: Connection, tenant: int, actor: Actor) -> set[int]:
    """Return the numbers of the scopes whose records the viewer may not see."""
    from store.domain.people import Right  # noqa: PLC0415

    return {number for number, path in load_scopes(connection, tenant).items() if not actor.may(Right.INSPECT, path)}


def hide(snapshot: Snapshot, records: Any, hidden: set[int]) -> Any:
    """Return a mask of those `records` the viewer may see."""
    if not hidden:
        return np.ones(len(records), dtype=bool)
    return ~np.isin(snapshot.columns.scope[records], list(hidden))


def find_event(connection: Connection, tenant: int, seq: int) -> Any:
    """Return (person's id, time) of an event."""
    query = (
        sa.select(t.person.c.id, t.event.c.at)
        .join(t.person, (t.person.c.tenant == t.event.c.tenant) & (t.person.c.person == t.event.c.person))
        .where(t.event.c.tenant == tenant, t.event.c.seq == seq)
    )
    return connection.execute(query).one()


def read_note(connection: Connection, tenant: int, seq: int) -> dict[str, Any]:
    """Return what was noted with an event: reason, words, operation; empty when it was erased, and while something it touched is being forgotten."""
    n = t.event_note
    text = connection.execute(sa.select(n.c.note).where(n.c.tenant == tenant, n.c.seq == seq, note_is_readable(n))).scalar_one_or_none()
    return {} if text is None else dict(json.loads(text))


def note_text(note: dict[str, Any]) -> str:
    """Return a note as it is stored."""
    return canonical_json(note)
