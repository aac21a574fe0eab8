"""One tenant's records as columns in memory, at one moment of its event sequence.

A record's number is its index in every column; index 0 is no record. Times are microseconds UTC with ALWAYS and FOREVER
for open ends.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from store.domain.conflicts import Side, sides_live_at
from store.domain.reach import Adjacency, Graph, Ints, Mask
from store.domain.status import Kind, Status
from store.domain.tolerance import Near
from store.domain.values import Predicate

#: Bits of `flags`.
HIGH_IMPACT = 1
ANY_PURPOSE = 2
ACTION = 4

#: What was worked out of a tenant lately, of which so much is kept with its snapshot.
_MOST_KEPT = 8

T = TypeVar("T")
Answer = NDArray[np.int8]
MISSING, OK, CONFLICT = 0, 1, 2
ANSWERS = ("MISSING", "OK", "CONFLICT")


@dataclass(slots=True)
class Columns:
    """What a walk, a preview or a read needs to know of each record."""

    kind: NDArray[np.int8]
    status: NDArray[np.int8]
    version: NDArray[np.int32]
    scope: NDArray[np.int32]
    owner: NDArray[np.int32]
    flags: NDArray[np.int8]
    key: NDArray[np.int32]
    value: Ints
    has_value: Mask
    valid_from: Ints
    valid_to: Ints
    expires_at: Ints

    def __len__(self) -> int:
        """Return the number of rows, the empty row 0 included."""
        return len(self.kind)


@dataclass(slots=True)
class Keys:
    """What is known of each claim key; index 0 is none."""

    scope: NDArray[np.int32]
    question: Ints
    many: Mask


@dataclass(slots=True)
class Snapshot:
    """Columns, keys, dependencies and open conflicts of one tenant after event `seq`."""

    seq: int
    columns: Columns
    keys: Keys
    graph: Graph
    delivered: Mask
    open_conflicts: dict[int, tuple[int, ...]] = field(default_factory=dict)
    #: What claims of tolerant predicates are compared by, and the declarations it was read with.
    near: dict[int, Near] = field(default_factory=dict)
    tolerant: dict[tuple[str, str], Predicate] = field(default_factory=dict)
    _effective_expiry: Ints | None = None
    _by_key: Adjacency | None = None
    _contested: Mask | None = None
    _asked_twice: Mask | None = None
    _contested_by: tuple[tuple[int, ...], Mask] | None = None
    _unparented: int | None = None
    _kept: dict[Any, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def once(self, name: Any, work_out: Callable[[], T]) -> T:
        """Return what was worked out under a name of the tenant as it stands here, working it out where it is not known; the last few are kept.

        A later event has a snapshot of its own, to which nothing of this is taken along.
        """
        if name not in self._kept:
            found = work_out()
            while len(self._kept) >= _MOST_KEPT:
                self._kept.pop(next(iter(self._kept)), None)
            self._kept[name] = found
            return found
        kept: T = self._kept[name]
        return kept

    def effective_expiry(self) -> Ints:
        """Return for each record the least expiry of its own and its ancestors'."""
        if self._effective_expiry is None:
            self._effective_expiry = self.graph.inherit_least(self.columns.expires_at)
        return self._effective_expiry

    def claims_of_keys(self, keys: Ints) -> Ints:
        """Return the records of the given claim keys, key after key."""
        return self.by_key().neighbours(keys)

    def by_key(self) -> Adjacency:
        """Return key -> its claims."""
        if self._by_key is None:
            claims = np.flatnonzero(self.columns.key)
            order = np.argsort(self.columns.key[claims], kind="stable")
            self._by_key = Adjacency.build(len(self.keys.scope), self.columns.key[claims][order].astype(np.int64), claims[order])
        return self._by_key

    def contested(self) -> Mask:
        """Return which records have an open conflict on their own key or an ancestor's, live at some time."""
        if self._contested is None:
            self._contested = self.graph.mark(self.claims_of_keys(np.array(sorted(self.open_conflicts), dtype=np.int64)))
        return self._contested

    def contested_by(self, keys: tuple[int, ...]) -> Mask:
        """Return which records have one of `keys` themselves or rest on one that has; the last answer is kept."""
        if self._contested_by is None or self._contested_by[0] != keys:
            self._contested_by = (keys, self.graph.mark(self.claims_of_keys(np.array(keys, dtype=np.int64))))
        return self._contested_by[1]

    def count_unparented(self) -> int:
        """Return how many accepted claims declare nothing they rest on."""
        if self._unparented is None:
            lonely = (self.columns.kind == Kind.CLAIM) & (self.columns.status == Status.ACCEPTED)
            start = self.graph.parents.start
            lonely[: len(start) - 1] &= start[1:] == start[:-1]
            self._unparented = int(lonely.sum())
        return self._unparented

    def asked_twice(self) -> Mask:
        """Return which keys ask what another key asks in another scope (R14)."""
        if self._asked_twice is None:
            _, inverse, count = np.unique(self.keys.question, return_inverse=True, return_counts=True)
            self._asked_twice = count[inverse] > 1
        return self._asked_twice

    def side(self, record: int) -> Side:
        """Return a claim as conflicts see it."""
        columns = self.columns
        value = int(columns.value[record]) if columns.has_value[record] else None
        end = min(int(columns.valid_to[record]), int(columns.expires_at[record]))
        return Side(record, value, int(columns.valid_from[record]), end, self.near.get(record))

    def conflicts_live_at(self, at: int) -> dict[int, list[Side]]:
        """Return key -> sides of the open conflicts that are live at `at`."""
        live = {key: sides_live_at([self.side(record) for record in sides], at) for key, sides in self.open_conflicts.items()}
        return {key: sides for key, sides in live.items() if sides}

    def resting_on(self, parents: Mapping[int, Sequence[int]]) -> Snapshot:
        """Return this snapshot with other parents for some records; everything else is shared with it."""
        if not parents:
            return self
        changed = np.array(sorted(parents), dtype=np.int64)
        fresh = np.array([(parent << 32) | child for child in parents for parent in parents[child]], dtype=np.int64)
        edges = np.concatenate([self.graph.edges[~np.isin(self.graph.edges & 0xFFFFFFFF, changed)], fresh])
        edges.sort(kind="stable")
        graph = Graph(self.graph.size, edges)
        other = Snapshot(self.seq, self.columns, self.keys, graph, self.delivered, self.open_conflicts, self.near, self.tolerant)
        other._by_key, other._asked_twice = self._by_key, self._asked_twice
        return other

    def forget_derived(self, *, dependencies: bool, expiry: bool, keys: bool, conflicts: bool) -> None:
        """Drop what follows from columns that changed."""
        if dependencies or expiry:
            self._effective_expiry = None
        if keys:
            self._by_key = self._asked_twice = None
        if dependencies or keys or conflicts:
            self._contested = None


@dataclass(frozen=True, slots=True)
class Standing:
    """What decides answers: as things are, or as a plan would leave them."""

    status: NDArray[np.int8]
    key: NDArray[np.int32]
    valid_from: Ints
    valid_to: Ints
    live_conflicts: dict[int, list[Side]]


def answers_of_keys(snapshot: Snapshot, standing: Standing, keys: Ints, contested: Mask, at: int) -> Answer:
    """Return what reading each key in its own scope would answer at `at`, for no purpose in particular.

    Args:
        keys: the claim keys, sorted, without repetition.
        contested: which records have a conflict live at `at` on their own key or an ancestor's.
    """
    columns = snapshot.columns
    claims = snapshot.claims_of_keys(keys)
    if standing.key is not columns.key:
        claims = np.unique(np.concatenate([claims, np.flatnonzero(standing.key != columns.key)]))
        claims = claims[standing.key[claims] > 0]
    key = standing.key[claims]
    good = (
        (standing.status[claims] == Status.ACCEPTED)
        & (standing.valid_from[claims] <= at)
        & (standing.valid_to[claims] > at)
        & (snapshot.effective_expiry()[claims] > at)
        & ((columns.flags[claims] & ANY_PURPOSE) != 0)
    )
    doubtful = contested[claims]
    found = np.full(len(snapshot.keys.scope), MISSING, dtype=np.int8)
    found[key[good & doubtful]] = CONFLICT
    found[list(standing.live_conflicts)] = CONFLICT
    found[key[good & ~doubtful]] = OK
    return found[keys]


def is_record(snapshot: Snapshot, record: int) -> bool:
    """Return whether the number belongs to a record of the snapshot."""
    return 0 < record < len(snapshot.columns)
