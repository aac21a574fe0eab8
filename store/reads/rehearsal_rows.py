"""What a rehearsal did when it was saved, row by row, on the screen and as a file; it can be read whatever happened since."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from store.db.claim_store import ClaimStore
from store.db.export_copies import carry
from store.db.impacts import hidden_scopes, hide
from store.db.plan_lists import load_named
from store.db.rehearsals import SavedPlan, load_saved
from store.db.transaction import Reading, read
from store.domain.aftermath import Seen
from store.domain.handing_out import Handout
from store.domain.reach import Ints
from store.domain.status import Status
from store.domain.text import guard_cell
from store.domain.times import format_time
from store.reads.plan_rows import RowPage
from store.reads.rehearsals import find_rehearsal

_BATCH = 5000
_COLUMNS = ("fingerprint", "rehearsal", "id", "kind", "what", "title", "scope", "owner", "from", "to", "delivered", "re-validation")


def list_saved_rows(
    store: ClaimStore, person: str, tenant: str, rehearsal_id: str, *, start: int = 0, limit: int = 50, authenticated: bool = False
) -> RowPage:  # fmt: skip
    """Return a page of the records that would change, as it was saved; delivered artifacts first."""
    with read(store, person, authenticated=authenticated) as reading:
        number, saved = find_rehearsal(reading, tenant, rehearsal_id)
        seen = load_saved(reading.connection, number, saved.number)
        rows = _visible(reading, number, seen)
        return RowPage(len(seen.rows), len(seen.rows) - len(rows), list(_describe(reading, number, seen, rows[start : start + limit])))


def _visible(reading: Reading, number: int, seen: Seen) -> Ints:
    rows = seen.rows[np.argsort(~np.isin(seen.rows[:, 0], seen.delivered), kind="stable")]
    scopes = hidden_scopes(reading.connection, number, reading.actor)
    shown: Ints = rows[hide(reading.snapshot(number), rows[:, 0], scopes)] if len(rows) else rows
    return shown


def _describe(reading: Reading, number: int, seen: Seen, rows: Ints) -> Iterator[dict[str, Any]]:
    delivered, by_hand, together = set(seen.delivered), set(seen.by_hand), set(seen.together)
    for begin in range(0, len(rows), _BATCH):
        some = rows[begin : begin + _BATCH].tolist()
        named = load_named(reading.connection, number, [row[0] for row in some])
        for record, _, was, now in some:
            one = named[record]
            yield {
                "id": one.id, "kind": one.kind, "title": one.title, "label": one.label, "owner": one.owner, "scope": one.scope,
                "edition": one.edition, "from": Status(was).name, "to": Status(now).name, "delivered": record in delivered,
                "look": "by_hand" if record in by_hand else "together" if record in together else None,
            }  # fmt: skip


def _hidden_words(seen: Seen, shown: int) -> str | None:
    return f"{len(seen.rows) - shown} more in scopes you may not see" if shown < len(seen.rows) else None


def export_rehearsal_csv(store: ClaimStore, person: str, tenant: str, rehearsal_id: str, *, authenticated: bool = False) -> Handout:
    """Return what a rehearsal did when it was saved as CSV that a spreadsheet does not run, its fingerprint on every line."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(_COLUMNS)
    with read(store, person, authenticated=authenticated) as reading:
        number, saved = find_rehearsal(reading, tenant, rehearsal_id)
        seen = load_saved(reading.connection, number, saved.number)
        rows = _visible(reading, number, seen)
        for one in _describe(reading, number, seen, rows):
            cells = [
                saved.fingerprint, saved.name, one["id"], one["kind"], one["label"], one["title"], one["scope"], one["owner"] or "", one["from"],
                one["to"], "yes" if one["delivered"] else "", one["look"] or "",
            ]  # fmt: skip
            writer.writerow([guard_cell(cell) for cell in cells])
        hidden = _hidden_words(seen, len(rows))
        carried = carry(reading, number, tenant, rows[:, 0].tolist(), len(rows))
    if hidden:
        writer.writerow([saved.fingerprint, guard_cell(saved.name), hidden, *[""] * (len(_COLUMNS) - 3)])
    return Handout(out.getvalue().encode("utf-8-sig"), (carried,))


def export_rehearsal_json(store: ClaimStore, person: str, tenant: str, rehearsal_id: str, *, authenticated: bool = False) -> Handout:
    """Return what a rehearsal did when it was saved as one JSON document."""
    with read(store, person, authenticated=authenticated) as reading:
        number, saved = find_rehearsal(reading, tenant, rehearsal_id)
        seen = load_saved(reading.connection, number, saved.number)
        rows = _visible(reading, number, seen)
        found = {
            **describe_saved(saved), "complete": seen.complete, "affected": list(_describe(reading, number, seen, rows)),
            "hidden": len(seen.rows) - len(rows),
        }  # fmt: skip
        carried = carry(reading, number, tenant, rows[:, 0].tolist(), len(rows))
    return Handout(json.dumps(found, ensure_ascii=False, indent=1).encode("utf-8"), (carried,))


def describe_saved(saved: SavedPlan) -> dict[str, Any]:
    """Return a rehearsal as plain values, without its rows."""
    return {
        "rehearsal": saved.id, "name": saved.name, "fingerprint": saved.fingerprint, "plan": saved.plan.to_json(), "revision": saved.revision,
        "saved_by": saved.saved_by, "saved_at": format_time(saved.saved_at), "correction": saved.correction, "committed": saved.committed_seq,
        "totals": saved.totals,
    }  # fmt: skip
