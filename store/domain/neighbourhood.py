"""What stands around one record: what it rests on and what rests on it, so many steps each way, and the ways between two.

Everything here is arithmetic over a tenant's arrays; no text of any record is needed to know how much there is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from store.domain.reach import UNREACHED, Adjacency, Graph, Ints, Small

#: A level of a walk smaller than this is walked record by record, which is quicker than arrays there.
_NARROW = 64


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """Records around a focus, the focus first, nearest next.

    Attributes:
        step: for each record its least distance from the focus: negative where the focus rests on it, positive where it rests on the focus.
        via: for each record, the next one on a shortest way to the focus; UNREACHED for the focus.
        lines: every dependency between two of the records, as rows of (parent, child), in order.
    """

    focus: int
    records: Ints
    step: Small
    via: Ints
    lines: Ints

    def __len__(self) -> int:
        """Return how many records there are, the focus among them."""
        return len(self.records)

    def deepest(self) -> tuple[int, int]:
        """Return how many steps it goes up and down."""
        return -int(self.step.min()), int(self.step.max())

    def widest(self) -> int:
        """Return how many records stand at the same step at most."""
        return int(np.unique(self.step, return_counts=True)[1].max())


def gather(graph: Graph, focus: int, up: int | None, down: int | None) -> Neighbourhood:
    """Return the neighbourhood of a record.

    Args:
        up: how many steps towards what it rests on; None for all.
        down: how many steps towards what rests on it; None for all.
    """
    above, rise, above_via = _walk(graph.parents, focus, up)
    below, fall, below_via = _walk(graph.children, focus, down)
    records = np.concatenate([[focus], above, below])
    step = np.concatenate([[0], -rise, fall]).astype(np.int32)
    via = np.concatenate([[UNREACHED], above_via, below_via])
    order = np.lexsort((records, step > 0, np.abs(step)))
    return Neighbourhood(focus, records[order], step[order], via[order], lines_among(graph, records))


def reach_up(graph: Graph, focus: int) -> Ints:
    """Return everything a record rests on."""
    return _walk(graph.parents, focus, None)[0]


def reach_down(graph: Graph, focus: int) -> Ints:
    """Return everything that rests on a record."""
    return _walk(graph.children, focus, None)[0]


def lines_among(graph: Graph, records: Ints) -> Ints:
    """Return the dependencies between `records` as rows of (parent, child), in order."""
    records = np.sort(records)
    inside = np.zeros(graph.size, dtype=bool)
    inside[records] = True
    count = graph.children.start[records + 1] - graph.children.start[records]
    children = graph.children.neighbours(records)
    parents = np.repeat(records, count)
    kept = inside[children]
    found: Ints = np.stack([parents[kept], children[kept]], axis=1) if len(children) else np.empty((0, 2), dtype=np.int64)
    return found


def _walk(adjacency: Adjacency, focus: int, steps: int | None) -> tuple[Ints, Ints, Ints]:
    """Return what is reached in at most `steps` steps without the focus: records, distances, and through which record each."""
    start, to = adjacency.start, adjacency.to
    seen = np.zeros(len(start) - 1, dtype=bool)
    seen[focus] = True
    level: Ints = np.array([focus], dtype=np.int64)
    records, distances, via = [], [], []
    distance = 0
    while len(level) and (steps is None or distance < steps):
        distance += 1
        if len(level) < _NARROW:
            found, through = [], []
            for record in level.tolist():
                for other in to[start[record] : start[record + 1]].tolist():
                    if not seen[other]:
                        seen[other] = True
                        found.append(other)
                        through.append(record)
            level, before = np.array(found, dtype=np.int64), np.array(through, dtype=np.int64)
        else:
            others = adjacency.neighbours(level)
            before = np.repeat(level, start[level + 1] - start[level])
            fresh = np.flatnonzero(~seen[others])
            level, first = np.unique(others[fresh], return_index=True)
            before = before[fresh[first]]
            seen[level] = True
        records.append(level)
        distances.append(np.full(len(level), distance, dtype=np.int64))
        via.append(before)
    empty = np.empty(0, dtype=np.int64)
    return (np.concatenate([empty, *records]), np.concatenate([empty, *distances]), np.concatenate([empty, *via]))


@dataclass(frozen=True, slots=True)
class Ways:
    """The shortest ways between two records, from the one that the other rests on.

    Attributes:
        start, end: `end` rests on `start`.
        count: how many shortest ways there are.
        on: every record on one of them, with its distance from `start`.
        listed: some of the ways in full, `start` first, in order of record numbers.
    """

    start: int
    end: int
    count: int
    on: dict[int, int]
    listed: tuple[tuple[int, ...], ...]

    @property
    def length(self) -> int:
        """Return how many dependencies a way has."""
        return self.on[self.end]


def find_ways(graph: Graph, one: int, other: int, most: int) -> Ways | None:
    """Return the shortest ways between two records, whichever rests on the other; None where neither does.

    Args:
        most: how many ways are listed in full.
    """
    for start, end in ((one, other), (other, one)):
        found, distances, _ = _walk(graph.children, start, None)
        place = np.flatnonzero(found == end)
        if start != end and len(place):
            distance = np.full(graph.size, UNREACHED, dtype=np.int64)
            distance[start] = 0
            distance[found] = distances
            return _trace(graph, start, end, distance, most)
    return None


def _trace(graph: Graph, start: int, end: int, distance: Ints, most: int) -> Ways:
    """Return the ways, walking back from the end along falling distances."""
    before: dict[int, list[int]] = {}
    level = [end]
    while level:
        above: list[int] = []
        for record in level:
            its = [parent for parent in graph.parents.of(record).tolist() if distance[parent] == distance[record] - 1 >= 0]
            before[record] = its
            above.extend(parent for parent in its if parent not in before)
        level = list(dict.fromkeys(above))
    on = {record: int(distance[record]) for record in sorted(before, key=lambda record: (distance[record], record))}
    count = {start: 1}
    for record in on:
        if record != start:
            count[record] = sum(count[parent] for parent in before[record])
    return Ways(start, end, count[end], on, tuple(_list_ways(before, start, end, most)))


def _list_ways(before: dict[int, list[int]], start: int, end: int, most: int) -> list[tuple[int, ...]]:
    """Return up to `most` ways, start first; without recursion, because a way may have thousands of steps."""
    after: dict[int, list[int]] = {}
    for record, parents in before.items():
        for parent in parents:
            after.setdefault(parent, []).append(record)
    for children in after.values():
        children.sort()
    found: list[tuple[int, ...]] = []
    way, turns = [start], [0]
    while way and len(found) < most:
        here = way[-1]
        if here == end:
            found.append(tuple(way))
        choices = after.get(here, []) if here != end else []
        if turns[-1] < len(choices):
            way.append(choices[turns[-1]])
            turns[-1] += 1
            turns.append(0)
        else:
            way.pop()
            turns.pop()
    return found


def gather_ways(graph: Graph, focus: int, ways: Ways) -> Neighbourhood:
    """Return what lies on shortest ways as the neighbourhood of the end that is the focus."""
    records = np.array(list(ways.on), dtype=np.int64)
    distance = np.array(list(ways.on.values()), dtype=np.int32)
    step = distance if ways.start == focus else distance - np.int32(ways.length)
    order = np.lexsort((records, np.abs(step)))
    records, step = records[order], step[order]
    via = _nearer(graph, records, step, upward=ways.start != focus)
    return Neighbourhood(focus, records, step, via, lines_among(graph, records))


def _nearer(graph: Graph, records: Sequence[int] | Ints, step: Small, *, upward: bool) -> Ints:
    """Return for each record a neighbour that is one step nearer to the focus."""
    at = dict(zip(np.asarray(records).tolist(), step.tolist(), strict=True))
    found = []
    for record, distance in at.items():
        around = (graph.children if upward else graph.parents).of(record).tolist()
        wanted = distance + (1 if upward else -1)
        found.append(next((other for other in around if at.get(other) == wanted), UNREACHED) if distance else UNREACHED)
    return np.array(found, dtype=np.int64)


