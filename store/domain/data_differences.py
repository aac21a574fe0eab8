"""What differs between two tables, by cells, and between two JSON documents, by pointers."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from store.domain.tables import find_sign
from store.domain.text import canonical_json

#: Cells or values that are compared; what is beyond is said to be left out.
MOST = 400_000


@dataclass(frozen=True, slots=True)
class Change:
    """A place with what stood there before and what does now; None where there was or is nothing.

    Attributes:
        place: a JSON pointer, or the names of row and column.
    """

    place: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class DataDifference:
    """What differs, in order of the document.

    Attributes:
        same: how many places hold the same; `cut`: the documents go on beyond what was compared.
    """

    changes: tuple[Change, ...]
    same: int
    cut: bool


def flatten(document: Any, most: int = MOST) -> Iterator[tuple[str, str]]:
    """Yield pointer and JSON text of every value that holds no others, in order, at most `most`."""
    waiting: list[tuple[str, Any]] = [("", document)]
    count = 0
    while waiting and count < most:
        pointer, value = waiting.pop()
        if isinstance(value, dict) and value:
            waiting.extend((f"{pointer}/{str(name).replace('~', '~0').replace('/', '~1')}", one) for name, one in reversed(value.items()))
        elif isinstance(value, list) and value:
            waiting.extend((f"{pointer}/{n}", value[n]) for n in range(len(value) - 1, -1, -1))
        else:
            count += 1
            yield pointer, canonical_json(value)


def compare_documents(old: Any, new: Any) -> DataDifference:
    """Return which pointers hold something else in two JSON documents."""
    before, after = dict(flatten(old)), dict(flatten(new))
    places = [*before, *(place for place in after if place not in before)]
    changes = [Change(place, before.get(place), after.get(place)) for place in places if before.get(place) != after.get(place)]
    return DataDifference(tuple(changes), len(places) - len(changes), max(len(before), len(after)) >= MOST)


def read_table(text: str, media_type: str = "text/csv") -> list[list[str]]:
    """Return the rows of a table, of which the first has the names of the columns; empty lines are none.

    Raises:
        csv.Error: it is none.
    """
    return [row for row in csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), delimiter=find_sign(text, media_type), strict=True) if row]


def compare_tables(old: list[list[str]], new: list[list[str]]) -> DataDifference:
    """Return which cells differ. Rows are known again by their first cell where it tells them apart, else by their order."""
    names = new[0] if new else []
    was = old[0] if old else []
    columns = [*was, *(name for name in names if name not in was)]
    pairs = _pair(old[1:], new[1:])
    changes: list[Change] = []
    same = cells = 0
    for name in columns:
        if (name in was) != (name in names):
            changes.append(Change(name, name if name in was else None, name if name in names else None))
    for label, before, after in pairs:
        here, there = dict(zip(was, before or [], strict=False)), dict(zip(names, after or [], strict=False))
        for name in columns:
            one, two = here.get(name), there.get(name)
            cells += 1
            if cells > MOST:
                return DataDifference(tuple(changes), same, True)
            if one == two:
                same += 1
            else:
                changes.append(Change(f"{label} · {name}", one, two))
    return DataDifference(tuple(changes), same, False)


def _pair(old: list[list[str]], new: list[list[str]]) -> list[tuple[str, list[str] | None, list[str] | None]]:
    def keyed(rows: list[list[str]]) -> dict[str, list[str]] | None:
        found = {row[0]: row for row in rows if row}
        return found if len(found) == len(rows) and all(found) else None

    before, after = keyed(old), keyed(new)
    if before is not None and after is not None:
        names = [*before, *(name for name in after if name not in before)]
        return [(name, before.get(name), after.get(name)) for name in names]
    found: list[tuple[str, list[str] | None, list[str] | None]] = []
    for _, a0, a1, b0, b1 in SequenceMatcher(None, [tuple(row) for row in old], [tuple(row) for row in new], autojunk=False).get_opcodes():
        for n in range(max(a1 - a0, b1 - b0)):
            one, two = old[a0 + n] if a0 + n < a1 else None, new[b0 + n] if b0 + n < b1 else None
            found.append((str((b0 + n if two is not None else a0 + n) + 2), one, two))
    return found
