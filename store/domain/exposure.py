"""How much rests on each source: its reach, and what it alone supports, for all sources in one pass over the graph.

Reach is exact: every record gets a bit per source it rests on, a block of sources at a time, the dependencies level by level.
Sole support is a label pass: a record whose labels agree hangs on one source, one with different labels on several.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from store.domain.reach import Graph, Ints, Mask
from store.domain.snapshot import Columns
from store.domain.status import Kind, Status

Marks = NDArray[np.uint64]

#: Labels of a record that no standing root supports, and of one that roots of several sources support.
NOBODY, SEVERAL = -1, -2


@dataclass(frozen=True, slots=True)
class Exposure:
    """What hangs on each source; index = place of the source in what was asked.

    Attributes:
        reach: how many records rest on any of its versions, directly or not; versions are not counted.
        delivered: how many of those are delivered artifacts.
        owners: how many different owners those artifacts have that are in its reach.
        sole: how many ACCEPTED records would have no independent root left without it.
        supported_by: for every record the place of the one source that supports it, NOBODY or SEVERAL.
    """

    reach: Ints
    delivered: Ints
    owners: Ints
    sole: Ints
    supported_by: Ints


def measure_sources(graph: Graph, columns: Columns, delivered: Mask, source_of: Ints, count: int, expiry: Ints, at: int) -> Exposure:
    """Return what rests on each of `count` sources.

    Args:
        source_of: for every record the place of the source it is a version of; negative for all others.
        expiry: effective expiry of every record, microseconds UTC; a root that is expired at `at` supports nothing.
    """
    is_version = source_of >= 0
    roots = is_version & (columns.status == Status.ACCEPTED) & (expiry > at)
    label = np.where(roots, source_of, NOBODY).astype(np.int64)
    levels = list(graph.levels())
    for level in levels:
        parents = graph.parents.neighbours(level)
        number = (graph.parents.start[level + 1] - graph.parents.start[level]).astype(np.int64)
        label[level] = _join(label, level, parents, number)
    counted = (columns.status == Status.ACCEPTED) & (columns.kind != Kind.EVIDENCE) & (label >= 0)
    sole = np.bincount(label[counted], minlength=count).astype(np.int64)
    return Exposure(*_count_reach(graph, levels, columns, delivered, source_of, count), sole, label)


def _join(label: Ints, level: Ints, parents: Ints, number: Ints) -> Ints:
    """Return the labels of a level's records from their own and their parents'."""
    bounds = np.concatenate([[0], np.cumsum(number)[:-1]])
    theirs, own = label[parents], label[level]
    # What no root supports says nothing about the others: it counts as the least for the most, and as the most for the least.
    least = np.minimum.reduceat(np.where(theirs == NOBODY, np.iinfo(np.int64).max, theirs), bounds)
    most = np.maximum.reduceat(theirs, bounds)
    least, most = np.minimum(least, np.where(own == NOBODY, np.iinfo(np.int64).max, own)), np.maximum(most, own)
    found: Ints = np.where(least == np.iinfo(np.int64).max, NOBODY, np.where((least == most) & (least >= 0), least, SEVERAL))
    return found


#: Memory for the marks of one block of sources, bytes.
_ROOM = 16_000_000
#: Parents up to which a level is joined parent by parent.
_FEW = 8


def _count_reach(
    graph: Graph, levels: Sequence[Ints], columns: Columns, delivered: Mask, source_of: Ints, count: int
) -> tuple[Ints, Ints, Ints]:
    """Return reach, delivered artifacts and owners of each source: a bit per source is carried down, for a block of sources at a time."""
    reach, told, owners = (np.zeros(count, dtype=np.int64) for _ in range(3))
    versions = np.flatnonzero(source_of >= 0)
    fan = np.bincount(source_of[versions], weights=np.diff(graph.children.start)[versions], minlength=count)
    # Those that most rests on share blocks, so that the other blocks touch few records.
    order = np.argsort(-fan, kind="stable")
    order = order[fan[order] > 0]
    words = max(1, min(-(-len(order) // 64), _ROOM // (8 * graph.size)))
    owned = np.flatnonzero((columns.kind == Kind.ARTIFACT) & (columns.owner > 0))
    owned = owned[np.argsort(columns.owner[owned], kind="stable")]
    place = np.full(count, -1, dtype=np.int64)
    for start in range(0, len(order), words * 64):
        block = order[start : start + words * 64]
        place[:] = -1
        place[block] = np.arange(len(block))
        mine = versions[place[source_of[versions]] >= 0]
        bit = place[source_of[mine]]
        marks = np.zeros((graph.size, -(-len(block) // 64)), dtype=np.uint64)
        marks[mine, bit // 64] = np.left_shift(np.uint64(1), (bit % 64).astype(np.uint64))
        below = graph.walk(mine).records
        _carry(graph, levels, marks, below)
        # Every version has the mark of its own source, and is not part of what rests on it.
        reach[block] = _count_marks(marks[below])[: len(block)] - np.bincount(bit, minlength=len(block))
        told[block] = _count_marks(marks[below[delivered[below]]])[: len(block)] - np.bincount(bit[delivered[mine]], minlength=len(block))
        some = owned[np.isin(owned, below)]
        if len(some):
            first = np.flatnonzero(np.diff(columns.owner[some], prepend=-1))
            owners[block] = _count_marks(np.bitwise_or.reduceat(marks[some], first, axis=0))[: len(block)]
    return reach, told, owners


def _carry(graph: Graph, levels: Sequence[Ints], marks: Marks, below: Ints) -> None:
    """Give every record of `below` the marks of its parents, level by level."""
    active = np.zeros(graph.size, dtype=bool)
    active[below] = True
    start, to = graph.parents.start, graph.parents.to
    for level in levels:
        rows = level[active[level]]
        number = start[rows + 1] - start[rows]
        for nth in range(min(_FEW, int(number.max(initial=0)))):
            some = rows[number > nth]
            marks[some] |= marks[to[start[some] + nth]]
        for row in rows[number > _FEW].tolist():
            marks[row] |= np.bitwise_or.reduce(marks[to[start[row] + _FEW : start[row + 1]]], axis=0)


def _count_marks(marks: Marks) -> Ints:
    """Return how many rows have each bit, by adding halves of the rows bit by bit as if each column were a number of its own."""
    if not len(marks):
        return np.zeros(marks.shape[1] * 64, dtype=np.int64)
    planes = [marks]
    while len(planes[0]) > 1:
        half = len(planes[0]) // 2
        odd = len(planes[0]) % 2
        added: list[Marks] = []
        carry = np.zeros((half + odd, marks.shape[1]), dtype=np.uint64)
        for plane in planes:
            one, other = plane[: half + odd], np.zeros_like(carry)
            other[:half] = plane[half + odd :]
            either = one ^ other
            added.append(either ^ carry)
            carry = (one & other) | (carry & either)
        planes = [*added, carry] if carry.any() else added
    found = np.zeros(marks.shape[1] * 64, dtype=np.int64)
    for power, plane in enumerate(planes):
        found += np.unpackbits(plane[0].astype("<u8").view(np.uint8), bitorder="little").astype(np.int64) << power
    return found
