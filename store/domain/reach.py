"""What rests on what: one tenant's dependencies as compressed sparse rows, and walks over them in C.

Record numbers of a tenant are dense, so a record's number is its index in every column. The walk is SciPy's
breadth-first search from a virtual root; distances come from its predecessors by pointer jumping, so neither a chain
of ten thousand nor a ladder is slow (recursive SQL that carries distance needs minutes there).
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from store.domain.times import FOREVER

Ints = NDArray[np.int64]
Small = NDArray[np.int32]
Mask = NDArray[np.bool_]

#: Distance and parent of a record that a walk did not reach.
UNREACHED = -1


@dataclass(slots=True)
class Adjacency:
    """Compressed sparse rows: the neighbours of record r are `to[start[r]:start[r + 1]]`."""

    start: Small
    to: Small

    @classmethod
    def build(cls, size: int, rows: Ints, columns: Ints) -> Adjacency:
        """Return the adjacency of `rows[i] -> columns[i]`; rows must be sorted."""
        start = np.zeros(size + 1, dtype=np.int32)
        np.cumsum(np.bincount(rows, minlength=size), out=start[1:])
        return cls(start, columns.astype(np.int32))

    def of(self, record: int) -> Small:
        """Return the neighbours of one record."""
        return self.to[self.start[record] : self.start[record + 1]]

    def neighbours(self, records: Ints) -> Ints:
        """Return the neighbours of many records, one after the other, repetitions kept."""
        first, count = self.start[records], self.start[records + 1] - self.start[records]
        total = int(count.sum())
        if not total:
            return np.empty(0, dtype=np.int64)
        shift = np.repeat(first - np.concatenate([[0], np.cumsum(count)[:-1]]), count)
        found: Ints = self.to[np.arange(total) + shift].astype(np.int64)
        return found


@dataclass(frozen=True, slots=True)
class Walk:
    """What a walk reached, roots first, nearest next.

    Attributes:
        records: the records reached, roots included.
        distance: for each of them, the least number of dependencies from a root.
        via: for each of them, the record it was reached through; UNREACHED for roots.
    """

    records: Ints
    distance: Small
    via: Ints


@dataclass(slots=True)
class Graph:
    """The dependencies of one tenant: `edges` holds parent * 2^32 + child, sorted; index 0 is no record."""

    size: int
    edges: Ints
    children: Adjacency = field(init=False)
    parents: Adjacency = field(init=False)
    _matrix: Any = field(init=False, default=None)
    _strata: Strata | None = field(init=False, default=None)
    #: The matrix is shared scratch: one walk at a time writes its roots into it.
    _lock: threading.Lock = field(init=False, default_factory=threading.Lock)

    def __post_init__(self) -> None:
        """Build both directions."""
        parent, child = self.edges >> 32, self.edges & 0xFFFFFFFF
        self.children = Adjacency.build(self.size, parent, child)
        order = np.argsort(child, kind="stable")
        self.parents = Adjacency.build(self.size, child[order], parent[order])

    def walk(self, roots: Ints) -> Walk:
        """Return everything that rests on `roots`, with distances and the record each was reached through."""
        roots = np.unique(roots)
        small = self._walk_small(roots)
        return small if small is not None else self._walk_all(roots)

    def _walk_small(self, roots: Ints, most: int = 2000) -> Walk | None:
        """Return the walk if it is small; its cost is its answer, where SciPy's has a fixed part."""
        if len(roots) > most:
            return None
        seen = {int(root): (0, UNREACHED) for root in roots}
        level, distance = list(seen), 0
        start, to = self.children.start, self.children.to
        while level:
            distance += 1
            below: list[int] = []
            for record in level:
                for child in to[start[record] : start[record + 1]].tolist():
                    if child not in seen:
                        seen[child] = (distance, record)
                        below.append(child)
            if len(seen) > most:
                return None
            level = below
        found = list(seen.values())
        return Walk(
            np.fromiter(seen, np.int64, len(seen)),
            np.array([distance for distance, _ in found], dtype=np.int32),
            np.array([via for _, via in found], dtype=np.int64),
        )

    def _walk_all(self, roots: Ints) -> Walk:
        from scipy.sparse.csgraph import breadth_first_order  # noqa: PLC0415 - a large walk pays for loading SciPy, a small command should not

        with self._lock:
            matrix = self._with_virtual_root(roots)
            order, before = breadth_first_order(matrix, self.size, directed=True, return_predecessors=True)
        order = order[1:].astype(np.int64)
        return Walk(order, _distances(order, before, self.size), _without(before[order], self.size))

    def _with_virtual_root(self, roots: Ints) -> Any:
        """Return the matrix with one more row, whose neighbours are the roots; the buffers are kept for next time."""
        from scipy.sparse import csr_array  # noqa: PLC0415 - as above

        edges = len(self.children.to)
        if self._matrix is None or len(self._matrix.indices) < edges + len(roots):
            room = edges + max(len(roots), 1024)
            indices = np.zeros(room, dtype=np.int32)
            indices[:edges] = self.children.to
            indptr = np.append(self.children.start, np.int32(room))
            # float64 data, because SciPy converts anything else on every call.
            self._matrix = csr_array((np.ones(room), indices, indptr), shape=(self.size + 1, self.size + 1))
        matrix = self._matrix
        matrix.indices[edges : edges + len(roots)] = roots
        matrix.indptr[-1] = edges + len(roots)
        return matrix

    def ancestors(self, records: Sequence[int]) -> dict[int, list[int]]:
        """Return record -> its parents, in order, for the given records and everything they rest on."""
        found: dict[int, list[int]] = {}
        waiting = list(records)
        while waiting:
            record = waiting.pop()
            if record not in found:
                found[record] = self.parents.of(record).tolist()
                waiting.extend(found[record])
        return found

    def mark(self, roots: Ints) -> Mask:
        """Return which records are `roots` or rest on one."""
        marked = np.zeros(self.size, dtype=bool)
        if len(roots):
            marked[self.walk(roots).records] = True
        return marked

    def levels(self) -> list[Ints]:
        """Return the records with parents in topological order, as groups that do not rest on each other."""
        strata = self.strata()
        return [strata.order[first:last] for first, last in strata.groups()[1:]]

    def strata(self) -> Strata:
        """Return the records in topological order with their parents; worked out once."""
        if self._strata is None:
            self._strata = Strata.of(self)
        return self._strata

    def inherit_least(self, own: Ints) -> Ints:
        """Return for each record the least of its own value and its ancestors'."""
        if (own >= FOREVER).all():
            return own.copy()
        strata = self.strata()
        least = own[strata.order]
        for first, last in strata.groups()[1:]:
            above, bounds = strata.above(first, last)
            np.minimum(least[first:last], np.minimum.reduceat(least[above], bounds), out=least[first:last])
        found = np.empty_like(own)
        found[strata.order] = least
        return found


@dataclass(frozen=True, slots=True)
class Strata:
    """The records of a graph in topological order, in groups that do not rest on each other; a place is a position in that order.

    Attributes:
        order: record at each place; the first group is what rests on nothing.
        bounds: where each group begins, and the end.
        start, to: the places of the parents of the record at place n are `to[start[n]:start[n + 1]]`.
    """

    order: Ints
    bounds: tuple[int, ...]
    start: Small
    to: Small

    @classmethod
    def of(cls, graph: Graph) -> Strata:
        """Return the strata of a graph without cycles."""
        number = np.diff(graph.parents.start).astype(np.int64)
        waiting, free = number.copy(), np.zeros(graph.size, dtype=bool)
        groups = [np.flatnonzero(number == 0)]
        while len(groups[-1]):
            below = graph.children.neighbours(groups[-1])
            if len(below) < graph.size // 64:
                touched, lost = np.unique(below, return_counts=True)
                waiting[touched] -= lost
                groups.append(touched[waiting[touched] == 0])
            else:
                waiting -= np.bincount(below, minlength=graph.size)
                free[below[waiting[below] == 0]] = True
                groups.append(np.flatnonzero(free))
                free[groups[-1]] = False
        order = np.concatenate(groups)
        place = np.zeros(graph.size, dtype=np.int32)
        place[order] = np.arange(len(order), dtype=np.int32)
        start = np.concatenate([[0], np.cumsum(number[order])]).astype(np.int32)
        bounds = np.cumsum([0, *(len(group) for group in groups[:-1])])
        return cls(order, tuple(bounds.tolist()), start, place[graph.parents.neighbours(order)])

    def groups(self) -> list[tuple[int, int]]:
        """Return where each group begins and ends."""
        return list(zip(self.bounds[:-1], self.bounds[1:], strict=True))

    def above(self, first: int, last: int) -> tuple[Small, Small]:
        """Return the places of the parents of a run of places, and where those of each begin."""
        begin = self.start[first]
        return self.to[begin : self.start[last]], self.start[first:last] - begin


def _without(before: Small, root: int) -> Ints:
    via = before.astype(np.int64)
    via[via == root] = UNREACHED
    return via


def _distances(order: Ints, before: Small, root: int) -> Small:
    """Return the distance of each record in `order` from the roots, by pointer jumping over predecessors.

    Breadth-first order never decreases in distance and a predecessor stands before its successor, so positions can be
    used instead of numbers, and one jump doubles the length of the paths known.
    """
    place = np.empty(root + 1, dtype=np.int32)
    place[order] = np.arange(1, len(order) + 1, dtype=np.int32)
    place[root] = 0
    up = np.empty(len(order) + 1, dtype=np.int32)
    up[0] = 0
    up[1:] = place[before[order]]
    # Level by level while the levels are few: the children of positions below `end` are a run, found by bisection.
    distance = np.zeros(len(order) + 1, dtype=np.int32)
    begin, end, depth = 0, 1, 0
    while end <= len(order) and depth < 64:
        depth += 1
        begin, last = end, int(np.searchsorted(up, end, "left"))
        if last <= begin:
            break
        distance[begin:last] = depth
        end = last
    if end <= len(order):
        step = (up != 0).astype(np.int32)
        step[0] = 0
        jump = up.copy()
        while jump.any():
            step += step[jump]
            jump = jump[jump]
        distance[1:] = step[1:] + 1
    return distance[1:] - 1


#: So many edges are followed one by one faster than SciPy is loaded.
_FEW_EDGES = 20_000


def _all_come_off(parent: Ints, child: Ints) -> bool:
    """Return whether nothing rests on itself: then taking away, again and again, what rests on nothing leaves nothing."""
    below: dict[int, list[int]] = {}
    rests: dict[int, int] = {}
    for one, other in zip(parent.tolist(), child.tolist()):
        below.setdefault(one, []).append(other)
        rests[other] = rests.get(other, 0) + 1
    free, left = [one for one in below if one not in rests], len(rests)
    while free:
        for one in below.get(free.pop(), ()):
            rests[one] -= 1
            if not rests[one]:
                left -= 1
                free.append(one)
    return not left


def find_cycles(size: int, parent: Ints, child: Ints) -> list[list[int]]:
    """Return the groups of nodes that rest on each other, each a list; a node resting on itself is a group of one."""
    if not len(parent) or (len(parent) <= _FEW_EDGES and _all_come_off(parent, child)):
        return []
    from scipy.sparse import csr_array  # noqa: PLC0415 - as above
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    matrix = csr_array((np.ones(len(parent)), (parent, child)), shape=(size, size))
    count, label = connected_components(matrix, directed=True, connection="strong")
    on_cycle = np.zeros(size, dtype=bool)
    on_cycle[parent[parent == child]] = True
    if count < size:
        sizes = np.bincount(label, minlength=count)
        on_cycle |= sizes[label] > 1
    groups: dict[int, list[int]] = {}
    for node in np.flatnonzero(on_cycle).tolist():
        groups.setdefault(int(label[node]), []).append(node)
    return list(groups.values())
