"""What came of an import: its events, and what it could not take as a table that a spreadsheet opens."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from store.db.claim_store import ClaimStore
from store.db.journal import find_operations
from store.db.tenants import tenants_of
from store.db.transaction import read
from store.domain.text import guard_cell


def events_of_import(store: ClaimStore, person: str, operation: str, *, authenticated: bool = False) -> list[tuple[str, int]]:
    """Return (tenant, event number) of what an import with this operation id wrote, tenant by tenant."""
    with read(store, person, authenticated=authenticated) as reading:
        mine = tenants_of(reading)
        found = [(name, seq) for number, name in mine for seq in find_operations(reading.connection, number, operation, most=len(mine))]
    return sorted(found)


def export_rejections_csv(rows: Iterable[tuple[str, int, str | None, str, str]]) -> bytes:
    """Return (file, line, id, code, sentence) as CSV in UTF-8 with its mark; no cell is a formula."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(("file", "line", "id", "code", "message"))
    for file, line, record_id, code, message in rows:
        writer.writerow([guard_cell(file), line, guard_cell(record_id or ""), code, guard_cell(message)])
    return text.getvalue().encode("utf-8-sig")
