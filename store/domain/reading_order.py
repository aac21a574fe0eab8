"""The order in which candidates are best read: document by document, as their passages stand in it, parents first.

Rules:
- a candidate belongs to the document of its first passage; documents follow each other as they came into the store,
  whatever was decided meanwhile;
- one without a passage follows the last candidate it rests on, else it stands at the end;
- nothing stands before a candidate it rests on, even where that splits a document in two.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from store.domain.reach import Ints

_NUMBER = re.compile(r"\d+")
#: Stands for "no document": those come last.
NOWHERE = 0


def _whole(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**62 else 0


def position_of(span: Mapping[str, Any] | None) -> tuple[int, int, str]:
    """Return (page, start, pointer) of a span, to be compared within one document; numbers in a JSON pointer count as numbers."""
    span = span or {}
    pointer = span.get("pointer")
    words = _NUMBER.sub(lambda found: found.group().zfill(9), pointer) if isinstance(pointer, str) else ""
    start = span.get("start") if span.get("start") is not None else span.get("line_start")
    return _whole(span.get("page")), _whole(start), words


@dataclass(frozen=True, slots=True)
class Spots:
    """Where the first passages of candidates stand, a column each, ordered by record.

    Attributes:
        document: the number of the version; NOWHERE where there is no passage.
        pointer: the place of a JSON pointer among all of them.
    """

    record: Ints
    document: Ints
    page: Ints
    start: Ints
    pointer: Ints


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Candidates in reading order.

    Attributes:
        record: their numbers, ascending; `place`: the place of each in reading order, from 0; `document`: what each is read with.
    """

    record: Ints
    place: Ints
    document: Ints

    def places_of(self, records: Ints) -> Ints:
        """Return the places of some of the candidates."""
        return self.place[np.searchsorted(self.record, records)]

    def documents_of(self, records: Ints) -> Ints:
        """Return the documents of some of the candidates."""
        return self.document[np.searchsorted(self.record, records)]


def first_before(nodes: Sequence[int], pairs: Iterable[tuple[int, int]]) -> list[int]:
    """Return nodes with the first of each pair before the second, else in the given order; a cycle is cut where it starts."""
    place = {node: number for number, node in enumerate(nodes)}
    after: dict[int, list[int]] = {}
    waits = dict.fromkeys(nodes, 0)
    for one, two in set(pairs):
        if one != two and one in place and two in place:
            after.setdefault(one, []).append(two)
            waits[two] += 1
    ready = [place[node] for node in nodes if not waits[node]]
    left = dict.fromkeys(nodes)
    found: list[int] = []
    while left:
        node = nodes[heapq.heappop(ready)] if ready else next(iter(left))
        if node not in left:
            continue
        del left[node]
        found.append(node)
        for other in after.get(node, ()):
            waits[other] -= 1
            if not waits[other] and other in left:
                heapq.heappush(ready, place[other])
    return found


def _rank_documents(spots: Spots, pairs: list[tuple[int, int]]) -> Ints:
    """Return the rank of each candidate's document; NOWHERE ranks last."""
    documents, inverse = np.unique(spots.document, return_inverse=True)
    named = [int(one) for one in documents if one != NOWHERE]
    if pairs:
        held = dict(zip(spots.record.tolist(), spots.document.tolist(), strict=True))
        crossing = {(held[one], held[two]) for one, two in pairs}
        named = first_before(named, (pair for pair in crossing if NOWHERE not in pair))
    rank = {one: place for place, one in enumerate(named)}
    ranks = np.array([rank.get(int(one), len(named)) for one in documents], dtype=np.int64)
    return ranks[inverse]


def arrange(spots: Spots, parent: Ints, child: Ints) -> Arrangement:
    """Return candidates in reading order.

    Args:
        spots: every candidate, with a document or without.
        parent, child: which candidate rests on which; both are among `spots`.
    """
    pairs = list(zip(parent.tolist(), child.tolist(), strict=True))
    ranks = _rank_documents(spots, pairs)
    order = np.lexsort((spots.record, spots.pointer, spots.start, spots.page, ranks))
    document = spots.document.copy()
    if pairs:
        order = _follow_parents(spots, document, order, pairs)
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    if pairs:
        at = {number: index for index, number in enumerate(spots.record.tolist())}
        if any(place[at[one]] > place[at[two]] for one, two in pairs):
            mended = first_before(spots.record[order].tolist(), pairs)
            place[np.array([at[number] for number in mended])] = np.arange(len(order))
    return Arrangement(spots.record, place, document)


def _follow_parents(spots: Spots, document: Ints, order: Ints, pairs: list[tuple[int, int]]) -> Ints:
    """Return the order with candidates that have no passage behind the last one they rest on; their documents are filled in."""
    at = {number: index for index, number in enumerate(spots.record.tolist())}
    major = np.empty(len(order), dtype=np.int64)
    major[order] = np.arange(len(order))
    minor = np.zeros(len(order), dtype=np.int64)
    parents: dict[int, list[int]] = {}
    for one, two in pairs:
        parents.setdefault(two, []).append(one)
    touched = sorted({number for pair in pairs for number in pair})
    for turn, number in enumerate(first_before(touched, pairs), 1):
        mine = at[number]
        placed = [at[one] for one in parents.get(number, ()) if document[at[one]] != NOWHERE]
        if spots.document[mine] == NOWHERE and placed:
            last = max(placed, key=lambda one: (major[one], minor[one]))
            document[mine], major[mine], minor[mine] = document[last], major[last], turn
    return np.lexsort((minor, major))
