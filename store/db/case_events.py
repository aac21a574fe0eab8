"""The events of a correction by name: who did what when, and why."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.bulk import chunks
from store.db.plan_lists import load_changes
from store.db.snapshots import unpack_touched
from store.db.withheld import note_is_readable
from store.domain.times import parse_stated_time


@dataclass(frozen=True, slots=True)
class NamedCaseEvent:
    """An event of a case; `at` in microseconds UTC.

    Attributes:
        seq: its number, None where the case was imported and its events were not.
        count: of a plan, how many records it changed the status of; of anything else, how many it wrote the history of.
        plan: the plan it committed, as plain values; None for what was no plan. `words`: what else was asked, by position.
        predicted: how many records the preview named, where it was a plan and that is kept.
    """

    seq: int | None
    step: str
    at: int
    by: str
    by_name: str
    action: str
    count: int
    reason: str | None
    plan: dict[str, Any] | None = None
    words: tuple[Any, ...] = ()
    predicted: int | None = None


def names_of_people(connection: Connection, tenant: int, people: Iterable[str]) -> dict[str, str]:
    """Return id -> name of a tenant's people."""
    p = t.person
    found: dict[str, str] = {}
    for some in chunks(sorted(set(people))):
        rows = connection.execute(sa.select(p.c.id, p.c.name).where(p.c.tenant == tenant, p.c.id.in_(some)))
        found.update((one, name) for one, name in rows)
    return found


def load_case_events(
    connection: Connection, tenant: int, events: Sequence[tuple[int, str]], carried: Sequence[dict[str, Any]] = ()
) -> tuple[NamedCaseEvent, ...]:
    """Return the events of a case, oldest first; `carried` are those it brought with it when it was imported."""
    e, p, n, o = t.event, t.person, t.event_note, t.operation
    step_of = dict(events)
    names = names_of_people(connection, tenant, [one["by"] for one in carried])
    found = [
        NamedCaseEvent(None, one["step"], parse_stated_time(one["at"]), one["by"], names.get(one["by"], one["by"]), one["action"], one["count"], one.get("reason"))
        for one in carried
    ]
    query = (
        sa.select(e.c.seq, e.c.at, p.c.id, p.c.name, e.c.action, e.c["count"].label("written"), e.c.touched, n.c.note)
        .join(p, (p.c.tenant == e.c.tenant) & (p.c.person == e.c.person))
        .outerjoin(n, (n.c.tenant == e.c.tenant) & (n.c.seq == e.c.seq) & note_is_readable(n))
        .where(e.c.tenant == tenant)
        .order_by(e.c.seq)
    )
    rows = [row for some in chunks(sorted(step_of)) for row in connection.execute(query.where(e.c.seq.in_(some)))]
    notes = {row.seq: json.loads(row.note) if row.note else {} for row in rows}
    operations = [str(note["operation"]) for note in notes.values() if "operation" in note]
    results: dict[int, dict[str, Any]] = {}
    for some in chunks(operations):
        given = connection.execute(sa.select(o.c.seq, o.c.result).where(o.c.tenant == tenant, o.c.operation.in_(some)))
        results.update((seq, json.loads(text)) for seq, text in given)
    for row in rows:
        words = notes[row.seq].get("words")
        plan = words[0] if isinstance(words, list) and words and isinstance(words[0], dict) and "verb" in words[0] else None
        predicted = results.get(row.seq, {}).get("predicted")
        count = row.written
        if plan is not None and count != predicted:
            # Beside what changed its status, a plan writes the history of what it made and of what it bound anew.
            count = len(load_changes(connection, tenant, row.seq, unpack_touched(row.touched).tolist()))
        found.append(NamedCaseEvent(
            row.seq, step_of[row.seq], row.at, row.id, row.name, row.action, count, notes[row.seq].get("reason"), plan,
            tuple(words) if plan is None and isinstance(words, list) else (), predicted,
        ))  # fmt: skip
    return tuple(found)
