"""The shape of the synthetic store: layers, power-law fan-out, and which records the cases start from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from store.domain.reach import Graph, Ints
from store.domain.status import Kind, Status

_LAYERS = 12
_SOURCES = 0.1
_ARTIFACTS = 0.01
_CANDIDATES = 0.25
#: How many parents a record below the first layer declares, and how often; about two on average once repeats are gone.
_PARENTS = (0.36, 0.32, 0.24, 0.08)
#: Records are at most this many layers out of the order of their numbers.
_NOISE = 3.0


@dataclass(slots=True)
class Case:
    """A set of evidence to withdraw, and how much that touches.

    Attributes:
        roots: their record numbers.
        reached: everything that rests on them; affected: what changes its status.
    """

    roots: Ints
    reached: int
    affected: int


@dataclass(slots=True)
class Shape:
    """A synthetic tenant without its texts; index 0 is no record.

    Attributes:
        order: parents before what rests on them.
        pairs: (claim, claim) of one key that contradict each other.
        cases: name -> case; `large` is all versions of one source.
    """

    size: int
    kind: NDArray[np.int8]
    status: NDArray[np.int8]
    scope: Ints
    owner: Ints
    graph: Graph
    pairs: list[tuple[int, int]]
    cases: dict[str, Case]

    @property
    def records(self) -> int:
        """Return how many records there are."""
        return self.size - 1


def _draw_parents(random: np.random.Generator, layer: Ints) -> tuple[Ints, Ints]:
    """Return (parent, child) over nodes 0…n-1 of the given layers; popular ones are drawn as rank^-2/3."""
    members = [np.flatnonzero(layer == n) for n in range(_LAYERS)]
    for its in members:
        random.shuffle(its)
    parents, children = [], []
    for n in range(1, _LAYERS):
        count = random.choice(np.arange(1, 1 + len(_PARENTS)), size=len(members[n]), p=_PARENTS)
        child = np.repeat(members[n], count)
        above = np.maximum(n - 1 - random.geometric(0.75, size=len(child)) + 1, 0)
        parent = np.empty(len(child), dtype=np.int64)
        for one in np.unique(above):
            mine = above == one
            pool = members[one]
            parent[mine] = pool[(len(pool) * random.random(int(mine.sum())) ** 3).astype(np.int64)]
        parents.append(parent)
        children.append(child)
    return np.concatenate(parents), np.concatenate(children)


def make_shape(claims: int, scopes: int, owners: int, seed: int = 7) -> Shape:
    """Return a shape of `claims` records, sources and artifacts included."""
    random = np.random.default_rng(seed)
    layer = np.zeros(claims, dtype=np.int64)
    layer[int(claims * _SOURCES) :] = random.integers(1, _LAYERS, size=claims - int(claims * _SOURCES))
    # Numbers follow the order in which things came in, roughly.
    place = np.argsort(np.argsort(layer + random.random(claims) * _NOISE, kind="stable"), kind="stable") + 1
    parent, child = _draw_parents(random, layer)
    edges = np.unique((place[parent] << 32) | place[child])
    size = claims + 1
    depth = np.zeros(size, dtype=np.int64)
    depth[place] = layer
    graph = Graph(size, edges)
    childless = np.diff(graph.children.start) == 0
    kind = np.full(size, Kind.CLAIM, dtype=np.int8)
    kind[depth == 0] = Kind.EVIDENCE
    leaves = np.flatnonzero(childless & (depth >= 4))
    kind[random.choice(leaves, size=max(2, int(claims * _ARTIFACTS)), replace=False)] = Kind.ARTIFACT
    kind[0] = -1
    status = np.full(size, Status.ACCEPTED, dtype=np.int8)
    waiting = np.flatnonzero(childless & (kind == Kind.CLAIM))
    status[random.choice(waiting, size=min(len(waiting), int(claims * _CANDIDATES)), replace=False)] = Status.CANDIDATE
    status[0] = -1
    popular = (scopes * random.random(size) ** 2).astype(np.int64)
    shape = Shape(size, kind, status, popular, random.integers(0, owners, size=size), graph, [], {})
    shape.pairs = _draw_pairs(random, shape, depth)
    shape.cases = _find_cases(shape)
    return shape


def _draw_pairs(random: np.random.Generator, shape: Shape, depth: Ints) -> list[tuple[int, int]]:
    """Return accepted claims far down, in pairs of one scope, to contradict each other."""
    low = np.flatnonzero((shape.kind == Kind.CLAIM) & (shape.status == Status.ACCEPTED) & (depth >= _LAYERS - 3))
    chosen = random.choice(low, size=2 * max(3, shape.records // 5000), replace=False).tolist()
    pairs = list(zip(chosen[::2], chosen[1::2], strict=True))
    for one, other in pairs:
        shape.scope[other] = shape.scope[one]
    return pairs


def _affected(shape: Shape, roots: Ints) -> Case:
    reached = shape.graph.walk(roots).records
    return Case(roots, len(reached), int((shape.status[reached] == Status.ACCEPTED).sum()))


def _find_cases(shape: Shape) -> dict[str, Case]:
    """Return cases of about 100 records, a tenth and half of the store."""
    evidence = np.flatnonzero(shape.kind == Kind.EVIDENCE)
    fan = np.diff(shape.graph.children.start)[evidence]
    ranked = evidence[np.argsort(-fan, kind="stable")]
    tries = np.unique((len(ranked) * np.linspace(0, 0.999, 120) ** 4).astype(np.int64))
    singles = [_affected(shape, ranked[[n]]) for n in tries.tolist()]
    small = min(singles, key=lambda case: abs(case.affected - 100))
    tenth = int(shape.records * 0.098)
    middle = min(singles, key=lambda case: abs(case.affected - tenth))
    below = ranked[ranked != middle.roots[0]]
    if middle.affected < tenth:
        middle = _grow(shape, below, middle, tenth)
    half = shape.records // 2
    popular = ranked[~np.isin(ranked, [*small.roots, *middle.roots])]
    large = _grow(shape, popular, _affected(shape, popular[:1]), half)
    return {"small": small, "middle": middle, "large": large}


def _grow(shape: Shape, pool: Ints, case: Case, wanted: int) -> Case:
    """Return `case` with roots of `pool` added until about `wanted` records are affected."""
    low, high = 0, len(pool)
    best = case
    while low < high:
        some = (low + high) // 2
        found = _affected(shape, np.unique(np.concatenate([case.roots, pool[:some]])))
        if abs(found.affected - wanted) < abs(best.affected - wanted):
            best = found
        if found.affected < wanted:
            low = some + 1
        else:
            high = some
    return best
