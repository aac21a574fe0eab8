"""Which change of a table or a JSON document each bound passage stands in."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from store.domain.data_differences import NAMING, Change
from store.domain.spans import CapturedText
from store.domain.tables import Table
from store.reads.source_data import structure_of


class DataPlaces:
    """Finds the first change that touches a passage of the older version."""

    def __init__(self, changes: Sequence[Change], old: CapturedText) -> None:
        self._pointers: dict[str, int] = {}
        self._rows: dict[str, list[tuple[int, str | None]]] = {}
        for n, change in enumerate(changes):
            if change.before is not None:
                self._pointers.setdefault(change.was or change.place, n)
                self._rows.setdefault(change.place, []).append((n, change.column))
        self._ordered = sorted(self._pointers)
        found = structure_of(old)
        self._table = found if isinstance(found, Table) else None

    def at_pointer(self, pointer: str) -> int | None:
        """Return the change at a pointer, above it, or the first below it."""
        parts = pointer.split("/")
        for count in range(len(parts), 0, -1):
            above = "/".join(parts[:count])
            if above in self._pointers:
                return self._pointers[above]
        at = bisect_left(self._ordered, pointer + "/")
        below = self._ordered[at] if at < len(self._ordered) else ""
        return self._pointers[below] if below.startswith(pointer + "/") else None

    def at_cells(self, start: int, end: int) -> int | None:
        """Return the first change in the rows and columns that a passage [start, end) touches."""
        table = self._table
        if table is None:
            return None
        names = [table.text[first:last].replace('""', '"') for first, last in table.cells(0)]
        for row in range(table.row_at(start), table.row_at(max(start, end - 1)) + 1):
            cells = table.cells(row)
            columns = {names[n] if n < len(names) else "" for n, (first, last) in enumerate(cells) if first < end and last > start}
            values = [table.text[first:last].replace('""', '"') for first, last in cells[:NAMING]]
            for count in range(1, len(values) + 1):
                for n, column in self._rows.get(" · ".join(values[:count]), ()):
                    if column is None or column in columns:
                        return n
        return None
