"""How much rests on each source: its reach, and what it alone supports, for all sources over the whole graph.

Reach is exact: for a block of sources at a time, each record gets the set of sources it rests on, the union of its parents' sets, as rows of a
sparse matrix multiplied in C; the cost is the size of the answer. How large that will be is estimated first, so that no block outgrows its room.
Sole support is a label pass: a record whose least and greatest source agree hangs on one source, one where they differ on several.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from store.domain.reach import Graph, Ints, Mask, Small, Strata
from store.domain.snapshot import Columns
from store.domain.status import Kind, Status

#: Labels of a record that no standing root supports, and of one that roots of several sources support.
NOBODY, SEVERAL = -1, -2
#: Pairs of a record and a source it rests on that one block of sources should hold.
PAIRS = 4_000_000


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


def measure_sources(graph: Graph, columns: Columns, delivered: Mask, source_of: Ints, count: int, expiry: Ints, at: int, *, pairs: int = PAIRS) -> Exposure:
    """Return what rests on each of `count` sources.

    Args:
        source_of: for every record the place of the source it is a version of; negative for all others.
        expiry: effective expiry of every record, microseconds UTC; a root that is expired at `at` supports nothing.
        pairs: how many pairs of a record and a source it rests on are held at a time, about.
    """
    label = find_sole_support(graph, columns, source_of, expiry, at)
    return Exposure(*count_reach(graph, columns, delivered, source_of, count, pairs=pairs), count_sole(columns, label, count), label)


# --- sole support --------------------------------------------------------------------------------------------------


def find_sole_support(graph: Graph, columns: Columns, source_of: Ints, expiry: Ints, at: int) -> Ints:
    """Return for every record the place of the one source that supports it, NOBODY or SEVERAL."""
    strata = graph.strata()
    roots = (source_of >= 0) & (columns.status == Status.ACCEPTED) & (expiry > at)
    # What no root supports says nothing about the others: it counts as the most for the least, and as the least for the most.
    beyond = np.iinfo(np.int32).max
    least = np.where(roots, source_of, beyond).astype(np.int32)[strata.order]
    most = np.where(roots, source_of, NOBODY).astype(np.int32)[strata.order]
    for first, last in strata.groups()[1:]:
        above, bounds = strata.above(first, last)
        np.minimum(least[first:last], np.minimum.reduceat(least[above], bounds), out=least[first:last])
        np.maximum(most[first:last], np.maximum.reduceat(most[above], bounds), out=most[first:last])
    label = np.empty(graph.size, dtype=np.int64)
    label[strata.order] = np.where(least == beyond, NOBODY, np.where(least == most, least, SEVERAL))
    return label


def count_sole(columns: Columns, label: Ints, count: int) -> Ints:
    """Return how many records in use each source alone supports."""
    counted = (columns.status == Status.ACCEPTED) & (columns.kind != Kind.EVIDENCE) & (label >= 0)
    return np.bincount(label[counted], minlength=count).astype(np.int64)


# --- reach ---------------------------------------------------------------------------------------------------------

#: How many sources a block holds at most.
_SOURCES = 8_192
#: Cells of the table of sources and owners at most.
_CELLS = 32_000_000
#: Up to so many records a group is joined one by one, which in a long chain is faster than a product for each.
_FEW = 3
#: Draws per record behind the estimate of how much a source reaches.
_DRAWS = 4


def count_reach(graph: Graph, columns: Columns, delivered: Mask, source_of: Ints, count: int, *, pairs: int = PAIRS) -> tuple[Ints, Ints, Ints]:
    """Return reach, delivered artifacts and owners of artifacts of each source."""
    strata = graph.strata()
    order = strata.order
    its_source = source_of[order]
    versions = np.flatnonzero(its_source >= 0)
    sets = _Sets(strata, its_source, count, room=min(2 * pairs, 2 * (count + graph.size)))
    told = np.flatnonzero(delivered[order])
    owned = np.flatnonzero((columns.kind == Kind.ARTIFACT)[order] & (columns.owner > 0)[order])
    names, owner = np.unique(columns.owner[order[owned]], return_inverse=True)
    widest = max(1, min(_SOURCES, _CELLS // max(1, len(names))))
    # Every version is in the set of its own source, and is not part of what rests on it.
    own, own_told = (np.bincount(its_source[some], minlength=count) for some in (versions, versions[delivered[order[versions]]]))
    reach, reach_told, owners = (np.zeros(count, dtype=np.int64) for _ in range(3))
    for block in _blocks(_estimate_reach(graph, strata, versions, its_source, count), widest, pairs):
        start, members = sets.work_out(block)
        reach[block] = np.bincount(members[start[0] :], minlength=len(block)) - own[block]
        if len(told):
            reach_told[block] = np.bincount(_pick(start, members, told)[0], minlength=len(block)) - own_told[block]
        if len(owned):
            its, row = _pick(start, members, owned)
            table = np.zeros((len(block), len(names)), dtype=bool)
            table[its, owner[row]] = True
            owners[block] = table.sum(axis=1)
    return reach, reach_told, owners


def _pick(start: Small, members: Small, places: Ints) -> tuple[Small, Ints]:
    """Return the members of the sets at some places, and for each the number of its place among those."""
    number = (start[places + 1] - start[places]).astype(np.int64)
    row = np.repeat(np.arange(len(places)), number)
    return members[np.arange(len(row)) - np.repeat(np.cumsum(number) - number - start[places], number)], row


class _Sets:
    """The sets of sources that records rest on, worked out for a block of sources at a time.

    There is a row for each source, which holds that source if it is in the block, and below those one for each place of the strata.
    The row of a source is a parent of the rows of its versions.
    """

    def __init__(self, strata: Strata, its_source: Ints, count: int, *, room: int) -> None:
        self._groups, self._count = strata.groups(), count
        is_version = its_source >= 0
        number = np.diff(strata.start)
        self._start = np.concatenate([[0], np.cumsum(number + is_version)]).astype(np.int32)
        self._to = np.empty(self._start[-1], dtype=np.int32)
        self._to[np.arange(len(strata.to)) + np.repeat(np.cumsum(is_version), number)] = strata.to + count
        versions = np.flatnonzero(is_version)
        self._to[self._start[versions]] = its_source[versions]
        self._ones = np.ones(max(len(self._to), room), dtype=bool)
        self._members = np.empty(max(count, room), dtype=np.int32)

    def work_out(self, block: Ints) -> tuple[Small, Small]:
        """Return the sets of sources of a block, sorted: where the set at each place begins, and their members as positions in the block."""
        start = np.zeros(self._count + len(self._start), dtype=np.int32)
        inside = np.zeros(self._count, dtype=np.int32)
        inside[block] = 1
        np.cumsum(inside, out=start[1 : self._count + 1])
        self._members[: len(block)] = np.arange(len(block))
        for first, last in self._groups:
            row = self._count + first
            size, members = self._join(first, last, start, len(block))
            filled = int(start[row])
            self._make_room(filled + len(members))
            self._members[filled : filled + len(members)] = members
            start[row + 1 : row + 1 + last - first] = size + filled
        return start[self._count :], self._members[: start[-1]]

    def _join(self, first: int, last: int, start: Small, width: int) -> tuple[Small, Small]:
        """Return the sets of one group: where each ends, and the members."""
        begin, end = self._start[first], self._start[last]
        if last - first <= _FEW:
            sets = [self._unite(self._to[self._start[at] : self._start[at + 1]], start) for at in range(first, last)]
            return np.cumsum([len(one) for one in sets], dtype=np.int32), np.concatenate(sets)
        from scipy.sparse import csr_array  # noqa: PLC0415 - what asks for one source of a small store should not pay for loading SciPy

        rows = self._count + first
        filled = int(start[rows])
        above: Any = csr_array((self._ones[: end - begin], self._to[begin:end], self._start[first : last + 1] - begin), shape=(last - first, rows))
        known: Any = csr_array((self._ones[:filled], self._members[:filled], start[: rows + 1]), shape=(rows, width))
        joined: Any = above @ known
        return joined.indptr[1:], joined.indices

    def _unite(self, parents: Small, start: Small) -> Small:
        sets = [self._members[start[one] : start[one + 1]] for one in parents.tolist()]
        if len(sets) == 1:
            return sets[0]
        return np.unique(np.concatenate(sets)) if sets else np.empty(0, dtype=np.int32)

    def _make_room(self, wanted: int) -> None:
        if wanted > len(self._members):
            more = np.empty(2 * wanted, dtype=np.int32)
            more[: len(self._members)] = self._members
            self._members = more
        if wanted > len(self._ones):
            self._ones = np.ones(2 * wanted, dtype=bool)


def _blocks(expected: Ints, widest: int, pairs: int) -> Iterator[Ints]:
    """Return the sources, sorted, in blocks that are expected to hold about so many pairs; what nothing rests on is in none."""
    order = np.argsort(-expected, kind="stable")
    order = order[expected[order] > 0]
    total = np.cumsum(expected[order])
    first = 0
    while first < len(order):
        room = pairs + (total[first - 1] if first else 0)
        last = max(first + 1, min(int(np.searchsorted(total, room)), first + widest))
        yield np.sort(order[first:last])
        first = last


def _estimate_reach(graph: Graph, strata: Strata, versions: Ints, its_source: Ints, count: int) -> Ints:
    """Return about how many records rest on each source.

    Every record draws numbers from an exponential distribution; the least number of everything below a record is the smaller the more
    there is. This only parts the sources into blocks: what is counted is counted.
    """
    number = np.diff(graph.children.start)[strata.order]
    start = np.concatenate([[0], np.cumsum(number)])
    place = np.empty(graph.size, dtype=np.int32)
    place[strata.order] = np.arange(graph.size, dtype=np.int32)
    below = place[graph.children.neighbours(strata.order)]
    drawn = np.random.default_rng(1).standard_exponential(size=(_DRAWS, graph.size), dtype=np.float32)
    for first, last in reversed(strata.groups()):
        rows = np.flatnonzero(number[first:last]) + first
        if not len(rows):
            continue
        children, bounds = below[start[first] : start[last]], start[rows] - start[first]
        for draw in drawn:
            draw[rows] = np.minimum(draw[rows], np.minimum.reduceat(draw[children], bounds))
    found = np.zeros(count)
    some = versions[number[versions] > 0]
    np.add.at(found, its_source[some], (_DRAWS - 1) / drawn[:, some].sum(axis=0))
    return np.ceil(np.minimum(found, graph.size)).astype(np.int64)
