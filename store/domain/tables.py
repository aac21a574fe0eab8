"""The rows and cells of a table with their places in its text, code point for code point. The standard library's csv reads it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

import numpy as np

from store.domain.renditions import split_type

TABLE_TYPES = ("text/csv", "text/tab-separated-values")
_SIGNS = (",", ";", "\t", "|")
#: Rows by which the sign between the cells is told.
_LOOKED_AT = 20


def is_table(media_type: str) -> bool:
    """Return whether a version of this type is a table."""
    return split_type(media_type)[0] in TABLE_TYPES


def find_sign(text: str, media_type: str) -> str:
    """Return what stands between the cells: a tab where the type says so, else the sign that gives the same number of cells in every row."""
    if split_type(media_type)[0] == TABLE_TYPES[1]:
        return "\t"
    best = (0, ",")
    for sign in _SIGNS:
        widths = []
        try:
            for row in csv.reader(io.StringIO(text[:200_000], newline=""), delimiter=sign):
                widths.append(len(row))
                if len(widths) == _LOOKED_AT:
                    break
        except csv.Error:
            continue
        widths = [width for width in widths if width]
        if widths and widths[0] > 1:
            best = max(best, (sum(width == widths[0] for width in widths), sign), key=lambda one: one[0])
    return best[1]


class BrokenTableError(ValueError):
    """A text is no table; `line` is where that shows, from 1."""

    def __init__(self, line: int) -> None:
        super().__init__(f"no table from line {line} on")
        self.line = line


class _Lines:
    """The lines of a text, and how far they were read."""

    def __init__(self, text: str, start: int) -> None:
        self.at = start
        self._lines = io.StringIO(text[start:], newline="")

    def __iter__(self) -> Iterator[str]:
        for line in self._lines:
            self.at += len(line)
            yield line


class Table:
    """Where the rows of a table begin; cells are looked up row by row.

    Attributes:
        starts: the code point at which each row begins, the one with the names of the columns first; empty lines are no rows.
        end: where the last row ends; `sign`: what stands between the cells.
        uneven: how many rows have more or fewer cells than the first.
    """

    def __init__(self, text: str, media_type: str) -> None:
        """Read a table.

        Raises:
            BrokenTableError: it is none.
        """
        self.text, self.sign = text, find_sign(text, media_type)
        lines = _Lines(text, 1 if text.startswith("\ufeff") else 0)
        starts: list[int] = []
        ends: list[int] = []
        widths: list[int] = []
        at = lines.at
        reader = csv.reader(iter(lines), delimiter=self.sign, strict=True)
        try:
            for row in reader:
                if row:
                    starts.append(at)
                    ends.append(lines.at)
                    widths.append(len(row))
                at = lines.at
        except csv.Error:
            raise BrokenTableError(text.count("\n", 0, at) + 1) from None
        if not starts:
            raise BrokenTableError(1)
        self.end = ends[-1]
        self.starts, self._ends = np.array(starts, dtype=np.int64), np.array(ends, dtype=np.int64)
        self.uneven = sum(width != widths[0] for width in widths)

    def __len__(self) -> int:
        return len(self.starts)

    def row_at(self, position: int) -> int:
        """Return the row that holds a code point."""
        return max(0, int(np.searchsorted(self.starts, position, side="right")) - 1)

    def cells(self, row: int) -> list[tuple[int, int]]:
        """Return where the text of each cell of a row begins and ends, the quotation marks around it left out."""
        at, end, text, sign = int(self.starts[row]), int(self._ends[row]), self.text, self.sign
        while end > at and text[end - 1] in "\r\n":
            end -= 1
        found: list[tuple[int, int]] = []
        while True:
            if text.startswith('"', at, end):
                close = self._close(at + 1, end)
                found.append((at + 1, close))
                at = close + 1
            else:
                stop = text.find(sign, at, end)
                stop = end if stop < 0 else stop
                found.append((at, stop))
                at = stop
            if at >= end:
                return found
            at += 1

    def _close(self, at: int, end: int) -> int:
        """Return where the quotation mark stands that ends a cell."""
        while True:
            close = self.text.find('"', at, end)
            if close < 0:
                return end
            if not self.text.startswith('"', close + 1, end):
                return close
            at = close + 2
