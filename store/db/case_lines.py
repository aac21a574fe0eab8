"""Corrections with the lines of a bundle: what is exported of a case, and a case that comes in with what it carries."""

from __future__ import annotations

import json
from collections.abc import Mapping

import sqlalchemy as sa

from store.db import tables as t
from store.db.case_events import load_case_events
from store.db.correction_falls import events_of, load_fallen
from store.db.corrections import Case, waivers_of
from store.db.keys import load_scopes
from store.db.records import load_ids
from store.db.transaction import Reading, Writing
from store.domain.correction_line import CarriedEvent, CarriedWaiver, CorrectionEntry
from store.domain.corrections import Way
from store.domain.scopes import covers
from store.domain.text import canonical_json


def describe_entry(reading: Reading, tenant: int, case: Case, scope: str | None = None) -> CorrectionEntry:
    """Return a case as its line says it; of what fell, only what lies within `scope` if given."""
    connection, snapshot = reading.connection, reading.snapshot(tenant)
    events = load_case_events(connection, tenant, events_of(connection, tenant, case.number), json.loads(case.carried).get("events", []) if case.carried else [])
    fallen = load_fallen(reading, tenant, case.number, snapshot)
    paths = load_scopes(connection, tenant)
    inside = [scope is None or covers(scope, paths[int(place)]) for place in snapshot.columns.scope[fallen.records].tolist()]
    ids = load_ids(connection, tenant, fallen.records.tolist())
    ways = zip(fallen.records.tolist(), fallen.way.tolist(), inside, strict=True)
    return CorrectionEntry(
        case.id, case.scope, case.title, case.opened_by, case.opened_at, case.cause, case.owner, case.due_at, case.closed_by, case.closed_at,
        case.closing_note, tuple(sorted(one for one, _, _ in case.sources.values())),
        tuple(CarriedWaiver(one.kind, one.about, one.reason, one.waived_by, one.waived_at) for one in waivers_of(connection, tenant, case.number)),
        tuple(CarriedEvent(one.step, one.at, one.by, one.action, one.count, one.reason or None) for one in events),
        {ids[record]: Way(way) for record, way, shown in ways if shown},
    )  # fmt: skip


def add_case(tx: Writing, entry: CorrectionEntry, scope: int, sources: list[int], records: Mapping[str, int]) -> None:
    """Add a case that an import brings, with what it carries; `records` are the numbers of what fell."""
    c, w = t.correction, t.correction_waiver
    number = int(tx.connection.execute(sa.select(sa.func.coalesce(sa.func.max(c.c.correction), 0)).where(c.c.tenant == tx.tenant)).scalar_one()) + 1
    carried = {"events": [one.to_json() for one in entry.events], "fell": sorted([records[one], int(way)] for one, way in entry.fell.items())}
    tx.connection.execute(sa.insert(c), {
        "tenant": tx.tenant, "correction": number, "id": entry.id, "title": entry.title, "cause": entry.cause, "scope": scope, "owner": entry.owner,
        "due_at": entry.due_at, "opened_by": entry.opened_by, "opened_at": entry.opened_at, "opened_seq": tx.seq, "closed_by": entry.closed_by,
        "closed_at": entry.closed_at, "closed_seq": None if entry.closed_at is None else tx.seq, "closing_note": entry.closing_note, "carried": canonical_json(carried),
    })  # fmt: skip
    rows = [{"tenant": tx.tenant, "correction": number, "source": source} for source in sources]
    if rows:
        tx.connection.execute(sa.insert(t.correction_source), rows)
    waived = [
        {"tenant": tx.tenant, "correction": number, "kind": one.kind, "about": one.about, "reason": one.reason, "waived_by": one.by, "waived_at": one.at, "waived_seq": tx.seq}
        for one in entry.waivers
    ]  # fmt: skip
    if waived:
        tx.connection.execute(sa.insert(w), waived)
