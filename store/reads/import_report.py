"""What an import could not take, as a table that a spreadsheet opens."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from store.domain.text import guard_cell


def export_rejections_csv(rows: Iterable[tuple[str, int, str | None, str, str]]) -> bytes:
    """Return (file, line, id, code, sentence) as CSV in UTF-8 with its mark; no cell is a formula."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(("file", "line", "id", "code", "message"))
    for file, line, record_id, code, message in rows:
        writer.writerow([guard_cell(file), line, guard_cell(record_id or ""), code, guard_cell(message)])
    return text.getvalue().encode("utf-8-sig")
