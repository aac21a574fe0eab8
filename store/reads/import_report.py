"""What came of an import: its events, and what it could not take as a table that a spreadsheet opens."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence

from store.db.claim_store import ClaimStore
from store.db.export_copies import carry
from store.db.journal import find_operations
from store.db.records import find_numbers
from store.db.tenants import tenants_of
from store.db.transaction import Reading, read
from store.domain.handing_out import Carried, Handout
from store.domain.text import guard_cell


def events_of_import(store: ClaimStore, person: str, operation: str, *, authenticated: bool = False) -> list[tuple[str, int]]:
    """Return (tenant, event number) of what an import with this operation id wrote, tenant by tenant."""
    with read(store, person, authenticated=authenticated) as reading:
        mine = tenants_of(reading)
        found = [(name, seq) for number, name in mine for seq in find_operations(reading.connection, number, operation, most=len(mine))]
    return sorted(found)


def export_rejections_csv(
    store: ClaimStore, person: str, rows: Sequence[tuple[str, int, str | None, str, str]], *, authenticated: bool = False
) -> Handout:
    """Return (file, line, id, code, sentence) as CSV in UTF-8 with its mark; no cell is a formula."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(("file", "line", "id", "code", "message"))
    for file, line, record_id, code, message in rows:
        writer.writerow([guard_cell(file), line, guard_cell(record_id or ""), code, guard_cell(message)])
    with read(store, person, authenticated=authenticated) as reading:
        return Handout(text.getvalue().encode("utf-8-sig"), tuple(_carried(reading, {one for _, _, one, _, _ in rows if one}, len(rows))))


def _carried(reading: Reading, ids: set[str], lines: int) -> Iterator[Carried]:
    """Yield the records that lines were about which are in a tenant already, under the same id."""
    for number, tenant in tenants_of(reading):
        records = find_numbers(reading.connection, number, sorted(ids))
        if records:
            yield carry(reading, number, tenant, records.values(), lines)
