"""What differs between two tables, by rows and cells, and between two JSON documents, by pointers."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from store.domain.json_passages import match_elements
from store.domain.tables import find_sign
from store.domain.text import canonical_json

#: Cells or values that are compared; what is beyond is said to be left out.
MOST = 400_000
#: Pairs of rows without a name of their own that are compared each with each; beyond, only equal ones find each other.
_PAIRS = 4_000_000
#: Columns, from the first, that together may name a row.
NAMING = 3
_NOTHING = object()


@dataclass(frozen=True, slots=True)
class Change:
    """A place with what stood there before and what does now; None where there was or is nothing.

    Attributes:
        place: a JSON pointer, in the newer document where it has one, or the name of a row; of a row without one, its number.
        column: of a table, the name of the column; None where all of the row came or went.
        was: the pointer in the older document, where it is another.
    """

    place: str
    before: str | None
    after: str | None
    column: str | None = None
    was: str | None = None


@dataclass(frozen=True, slots=True)
class DataDifference:
    """What differs, in order of the document.

    Attributes:
        same: how many places hold the same; `cut`: the documents go on beyond what was compared.
    """

    changes: tuple[Change, ...]
    same: int
    cut: bool


# --- JSON -------------------------------------------------------------------------------------------------------------


def _step(pointer: str, name: Any) -> str:
    return f"{pointer}/{str(name).replace('~', '~0').replace('/', '~1')}"


def _written(value: Any) -> str:
    """Return a value as JSON, over several lines where it holds others and would be long."""
    text = canonical_json(value)
    return text if len(text) <= 60 or not isinstance(value, dict | list) else json.dumps(value, ensure_ascii=False, indent=2, sort_keys=True)


def _inside(here: str, there: str, before: Any, after: Any) -> Iterator[tuple[str, str, Any, Any]]:
    """Yield the pairs that two objects or lists hold, with their pointers; a thing only one of them holds is beside nothing."""
    if isinstance(before, dict):
        for name in (*before, *(name for name in after if name not in before)):
            yield _step(here, name), _step(there, name), before.get(name, _NOTHING), after.get(name, _NOTHING)
        return
    matched = match_elements(before, after)
    taken = set(matched.values())
    for n, one in enumerate(before):
        place = matched.get(n)
        yield _step(here, n), _step(there, n if place is None else place), one, _NOTHING if place is None else after[place]
    for n, one in enumerate(after):
        if n not in taken:
            yield _step(here, n), _step(there, n), _NOTHING, one


def _count(value: Any) -> int:
    """Return how many values that hold no others lie in a value."""
    waiting, found = [value], 0
    while waiting:
        one = waiting.pop()
        if one and isinstance(one, dict | list):
            waiting.extend(one.values() if isinstance(one, dict) else one)
        else:
            found += 1
    return found


def compare_documents(old: Any, new: Any) -> DataDifference:
    """Return what differs in two JSON documents; elements of a list are known again by what they are, not by their number."""
    changes: list[Change] = []
    same = looked = 0
    waiting: list[tuple[str, str, Any, Any]] = [("", "", old, new)]
    while waiting:
        here, there, before, after = waiting.pop()
        alike = type(before) is type(after)
        if before is _NOTHING:
            changes.append(Change(there, None, _written(after)))
        elif after is _NOTHING:
            changes.append(Change(here, _written(before), None))
        elif before and after and alike and isinstance(before, dict | list):
            listed = isinstance(before, list)
            for pair in reversed(list(_inside(here, there, before, after))):
                # Most elements of a long list are written the same, which is told faster than by looking into them.
                if listed and pair[2] is not _NOTHING and pair[3] is not _NOTHING and json.dumps(pair[2]) == json.dumps(pair[3]):
                    same += _count(pair[2])
                else:
                    looked += 1
                    waiting.append(pair)
        elif (alike and before == after) or canonical_json(before) == canonical_json(after):
            same += 1
        else:
            changes.append(Change(there, _written(before), _written(after), was=here if here != there else None))
        if looked > MOST:
            return DataDifference(tuple(changes), same, True)
    return DataDifference(tuple(changes), same, False)


# --- tables -----------------------------------------------------------------------------------------------------------


def read_table(text: str, media_type: str = "text/csv") -> list[list[str]]:
    """Return the rows of a table, of which the first has the names of the columns; empty lines are none.

    Raises:
        csv.Error: it is none.
    """
    return [row for row in csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), delimiter=find_sign(text, media_type), strict=True) if row]


def _names(table: list[list[str]]) -> list[str]:
    """Return the names of the columns, each once."""
    seen: Counter[str] = Counter()
    found: list[str] = []
    for name in table[0] if table else []:
        seen[name] += 1
        found.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return found


def compare_tables(old: list[list[str]], new: list[list[str]]) -> DataDifference:
    """Return which rows and cells differ. Rows are known again by their first cells where those tell them apart, else by their order."""
    was, names = _names(old), _names(new)
    columns = [*was, *(name for name in names if name not in was)]
    changes = [Change("", name if name in was else None, name if name in names else None, name) for name in columns if (name in was) != (name in names)]
    same = cells = 0
    for label, before, after in pair_rows(old[1:], new[1:]):
        if before is None or after is None:
            changes.append(Change(label, _row(before), _row(after)))
            continue
        if before == after and was == names:
            same += len(before)
            continue
        here, there = dict(zip(was, before, strict=False)), dict(zip(names, after, strict=False))
        for name in columns:
            one, two = here.get(name), there.get(name)
            cells += 1
            if cells > MOST:
                return DataDifference(tuple(changes), same, True)
            if one == two:
                same += 1
            elif name in was and name in names:
                changes.append(Change(label, one, two, name))
    return DataDifference(tuple(changes), same, False)


def _row(cells: list[str] | None) -> str | None:
    return None if cells is None else " · ".join(cell if cell.strip() else "–" for cell in cells)


_Pairs = list[tuple[str, list[str] | None, list[str] | None]]


def name_rows(rows: list[list[str]], count: int) -> dict[str, list[str]] | None:
    """Return name -> row, named by its first `count` cells; None where those do not tell all rows apart."""
    found = {" · ".join(row[:count]): row for row in rows if all(row[:1])}
    return found if len(found) == len(rows) else None


def pair_rows(old: list[list[str]], new: list[list[str]]) -> _Pairs:
    """Return which row of a table became which, with what the row is called."""
    for count in range(1, NAMING + 1):
        before, after = name_rows(old, count), name_rows(new, count)
        if before is not None and after is not None:
            return [(name, before.get(name), after.get(name)) for name in (*before, *(name for name in after if name not in before))]
    first = 0
    while first < min(len(old), len(new)) and old[first] == new[first]:
        first += 1
    last = 0
    while last < min(len(old), len(new)) - first and old[-1 - last] == new[-1 - last]:
        last += 1
    mine, theirs = old[first : len(old) - last], new[first : len(new) - last]
    found: _Pairs = [(str(n + 2), row, row) for n, row in enumerate(old[:first])]
    found += [(str(n + first + 2), one, two) for n, one, two in (_align(mine, theirs) if len(mine) * len(theirs) <= _PAIRS else _meet(mine, theirs))]
    return found + [(str(len(new) - last + n + 2), row, row) for n, row in enumerate(new[len(new) - last :])]


def _align(old: list[list[str]], new: list[list[str]]) -> list[tuple[int, list[str] | None, list[str] | None]]:
    found: list[tuple[int, list[str] | None, list[str] | None]] = []
    for _, a0, a1, b0, b1 in SequenceMatcher(None, [tuple(row) for row in old], [tuple(row) for row in new], autojunk=False).get_opcodes():
        for n in range(max(a1 - a0, b1 - b0)):
            one, two = old[a0 + n] if a0 + n < a1 else None, new[b0 + n] if b0 + n < b1 else None
            found.append((b0 + n if two is not None else a0 + n, one, two))
    return found


def _meet(old: list[list[str]], new: list[list[str]]) -> list[tuple[int, list[str] | None, list[str] | None]]:
    """Return rows that are equal together, all others as gone or new."""
    places: dict[tuple[str, ...], list[int]] = {}
    for n in range(len(new) - 1, -1, -1):
        places.setdefault(tuple(new[n]), []).append(n)
    found: list[tuple[int, list[str] | None, list[str] | None]] = []
    taken: set[int] = set()
    for n, row in enumerate(old):
        its = places.get(tuple(row))
        if its:
            taken.add(its[-1])
            found.append((its.pop(), row, row))
        else:
            found.append((n, row, None))
    return found + [(n, None, row) for n, row in enumerate(new) if n not in taken]
