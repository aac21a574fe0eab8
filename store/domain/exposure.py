"""How much rests on each source: its reach, and what it alone supports, for all sources in one pass over the graph.

Reach is exact: sources are carried down the dependencies level by level, as bits, some thousand of them at a time.
Sole support is a label pass: a record whose labels agree hangs on one source, one with different labels on several.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from store.domain.reach import Graph, Ints, Mask
from store.domain.snapshot import Columns
from store.domain.status import Kind, Status

#: Labels of a record that no standing root supports, and of one that roots of several sources support.
NOBODY, SEVERAL = -1, -2
#: Sources are carried as bits of 64-bit words: at most so many words a record, and so many bytes for all records at a time.
_WORD, _MOST_WORDS, _ROOM = 64, 64, 64_000_000
#: Words whose bits are counted at a time.
_AT_ONCE = 1_000_000


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
    levels = graph.levels()
    for level in levels:
        parents = graph.parents.neighbours(level)
        number = (graph.parents.start[level + 1] - graph.parents.start[level]).astype(np.int64)
        label[level] = _join(label, level, parents, number)
    totals = _Totals(columns, delivered, count)
    step = _WORD * max(1, min(_MOST_WORDS, _ROOM // (8 * graph.size)))
    for first in range(0, count, step):
        _reach_of_some(graph, levels, source_of, first, min(first + step, count), totals)
    counted = (columns.status == Status.ACCEPTED) & (columns.kind != Kind.EVIDENCE) & (label >= 0)
    sole = np.bincount(label[counted], minlength=count).astype(np.int64)
    return Exposure(totals.reach, totals.delivered, totals.count_owners(), sole, label)


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


def _reach_of_some(graph: Graph, levels: list[Ints], source_of: Ints, first: int, last: int, totals: _Totals) -> None:
    """Carry the sources from `first` to `last` down the dependencies, one bit each, and count what each reaches."""
    versions = np.flatnonzero((source_of >= first) & (source_of < last))
    if not len(versions):
        return
    own = source_of[versions] - first
    bits = np.zeros((graph.size, -(-(last - first) // _WORD)), dtype=np.uint64)
    bits[versions, own // _WORD] = np.uint64(1) << (own % _WORD).astype(np.uint64)
    place = np.full(graph.size, -1, dtype=np.int64)
    place[versions] = own
    reached = graph.mark(versions)
    for every in levels:
        level = every[reached[every]]
        if not len(level):
            continue
        number = (graph.parents.start[level + 1] - graph.parents.start[level]).astype(np.int64)
        bounds = np.concatenate([[0], np.cumsum(number)[:-1]])
        carried = np.bitwise_or.reduceat(bits[graph.parents.neighbours(level)], bounds, axis=0)
        # A version is not part of its own source's reach, though later versions may rest on earlier ones.
        mine = np.flatnonzero(place[level] >= 0)
        row = place[level[mine]]
        flag = np.uint64(1) << (row % _WORD).astype(np.uint64)
        carried[mine, row // _WORD] &= ~flag
        bits[level] = carried
        bits[level[mine], row // _WORD] |= flag
        totals.add_bits(level, carried, first)


class _Totals:
    """Sums over the pairs of all levels."""

    def __init__(self, columns: Columns, delivered: Mask, count: int) -> None:
        self.columns, self.is_delivered, self.size = columns, delivered, count
        self.reach, self.delivered = np.zeros(count, np.int64), np.zeros(count, np.int64)
        self.owners: list[Ints] = []
        self.width = int(columns.owner.max(initial=0)) + 1

    def add_bits(self, level: Ints, carried: NDArray[np.uint64], first: int) -> None:
        """Count the sources from `first` on whose bits records of one level carry."""
        row, column = np.nonzero(carried)
        for start in range(0, len(row), _AT_ONCE):
            rows, columns = row[start : start + _AT_ONCE], column[start : start + _AT_ONCE]
            words = np.ascontiguousarray(carried[rows, columns]).astype("<u8")
            set_bits = np.flatnonzero(np.unpackbits(words.view(np.uint8), bitorder="little"))
            word, bit = np.divmod(set_bits, _WORD)
            self._add(level[rows[word]], first + columns[word] * _WORD + bit)

    def _add(self, child: Ints, source: Ints) -> None:
        self.reach += np.bincount(source, minlength=self.size)
        self.delivered += np.bincount(source[self.is_delivered[child]], minlength=self.size)
        owned = (self.columns.kind[child] == Kind.ARTIFACT) & (self.columns.owner[child] > 0)
        if owned.any():
            self.owners.append(np.unique(source[owned] * self.width + self.columns.owner[child[owned]]))

    def count_owners(self) -> Ints:
        """Return how many different owners each source's artifacts have."""
        if not self.owners:
            return np.zeros(self.size, np.int64)
        return np.bincount(np.unique(np.concatenate(self.owners)) // self.width, minlength=self.size).astype(np.int64)
