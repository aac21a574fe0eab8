"""Every open conflict of a tenant as the list needs it: its values, where they come from, and why it stands where it stands.

Built from the snapshot in memory and a few queries, kept per event number; what a later event did not touch is kept on.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np

from store.db.conflict_rows import ConflictRow, Root, load_conflict_rows, load_roots, load_values
from store.db.keys import load_predicates, nearest_predicate
from store.db.transaction import Reading
from store.domain.likeness import likeness_of
from store.domain.origins import Origin, name_apart
from store.domain.reach import Graph, Ints, Mask
from store.domain.snapshot import ACTION, HIGH_IMPACT, Snapshot
from store.domain.status import Kind, Status
from store.domain.tolerance import crosses_threshold
from store.domain.values import Predicate

#: Why a conflict stands where it stands, first things first.
WHY = ("blocks", "delivered", "threshold", "rest")
_KEPT = 16


@dataclass(frozen=True, slots=True)
class Contest:
    """An open conflict.

    Attributes:
        stamp: what this was made from; another stamp, another contest.
        values: distinct values as written, with the sides that say each; `names`: where each value comes from.
        level: how coarsely they are named; `origins`: all names, sorted, by which conflicts are grouped.
        scopes: the scopes of the sources, which must be readable for their names to be told.
        crosses: the values lie on both sides of a number at which they mean another decision.
    """

    row: ConflictRow
    stamp: tuple[Any, ...]
    values: tuple[tuple[Any, tuple[int, ...]], ...]
    names: tuple[tuple[str, ...], ...]
    level: int
    origins: tuple[str, ...]
    scopes: frozenset[str]
    likeness: str
    crosses: bool


@dataclass(frozen=True, slots=True)
class ConflictIndex:
    """All open conflicts of a tenant after one event.

    Attributes:
        why: place -> one of WHY, as a number; `blocks` and `delivered` may both hold, the first counts.
    """

    snapshot: Snapshot
    contests: tuple[Contest, ...]
    blocks: Mask
    delivered: Mask
    crosses: Mask

    def why(self, place: int) -> str:
        """Return why a conflict stands where it stands."""
        if self.blocks[place]:
            return WHY[0]
        return WHY[1] if self.delivered[place] else WHY[2] if self.crosses[place] else WHY[3]


_kept: OrderedDict[tuple[str, int], tuple[int, ConflictIndex]] = OrderedDict()
_lock = Lock()


def index_of(reading: Reading, tenant: int) -> ConflictIndex:
    """Return the open conflicts of a tenant, from memory where nothing happened since."""
    snapshot = reading.snapshot(tenant)
    name = (f"{reading.store.lineage}:{reading.store.url}", tenant)
    with _lock:
        known = _kept.get(name)
    if known is not None and known[0] == snapshot.seq:
        return known[1]
    index = _build(reading, tenant, snapshot, known[1] if known else None)
    with _lock:
        _kept[name] = (snapshot.seq, index)
        _kept.move_to_end(name)
        while len(_kept) > _KEPT:
            _kept.popitem(last=False)
    return index


def _build(reading: Reading, tenant: int, snapshot: Snapshot, before: ConflictIndex | None) -> ConflictIndex:
    connection = reading.connection
    rows = load_conflict_rows(connection, tenant)
    declared = load_predicates(connection, tenant)
    predicates = {row.number: nearest_predicate(declared, row.scope, row.predicate) for row in rows}
    known = {contest.row.number: contest for contest in before.contests} if before else {}
    stamps = {row.number: _stamp(snapshot, row, predicates[row.number]) for row in rows}
    fresh = [row for row in rows if row.number not in known or known[row.number].stamp != stamps[row.number]]
    made = _make(reading, tenant, snapshot, fresh, stamps, predicates)
    contests = tuple(made.get(row.number) or known[row.number] for row in rows)
    above_delivered, above_action = _above(snapshot.graph, _sent(snapshot)), _above(snapshot.graph, _actions(snapshot))
    sides = [np.array(contest.row.sides, dtype=np.int64) for contest in contests]
    return ConflictIndex(
        snapshot, contests, np.array([bool(above_action[its].any()) for its in sides], dtype=bool),
        np.array([bool(above_delivered[its].any()) for its in sides], dtype=bool), np.array([contest.crosses for contest in contests], dtype=bool),
    )  # fmt: skip


def _stamp(snapshot: Snapshot, row: ConflictRow, predicate: Predicate) -> tuple[Any, ...]:
    columns = snapshot.columns
    return (
        row.sides,
        str(predicate.thresholds),
        row.asked,
        *(int(columns.version[side]) for side in row.sides),
        *(int(columns.value[side]) for side in row.sides),
    )


def _make(
    reading: Reading, tenant: int, snapshot: Snapshot, rows: list[ConflictRow], stamps: dict[int, tuple[Any, ...]],
    predicates: dict[int, Predicate],
) -> dict[int, Contest]:  # fmt: skip
    sides = sorted({side for row in rows for side in row.sides})
    values = load_values(reading.connection, tenant, sides)
    roots_of = {side: roots_above(snapshot, side) for side in sides}
    roots = load_roots(reading.connection, tenant, {root for its in roots_of.values() for root in its})
    found = {}
    for row in rows:
        grouped = group_values(snapshot, row.sides)
        origins = [{roots[root].origin for side in its for root in roots_of[side] if root in roots} for its in grouped]
        level, names = name_apart(origins)
        shown = tuple((values.get(its[0]), its) for its in grouped)
        found[row.number] = Contest(
            row, stamps[row.number], shown, names, level, tuple(sorted({name for its in names for name in its})),
            frozenset(roots[root].scope for side in row.sides for root in roots_of[side] if root in roots),
            likeness_of([value for value, _ in shown]), crosses_threshold([value for value, _ in shown], predicates[row.number]) is not None,
        )  # fmt: skip
    return found


def group_values(snapshot: Snapshot, sides: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return the sides by distinct value, the value said most often first."""
    found: dict[int, list[int]] = {}
    for side in sides:
        found.setdefault(int(snapshot.columns.value[side]), []).append(side)
    return [tuple(its) for its in sorted(found.values(), key=lambda its: (-len(its), its[0]))]


def roots_above(snapshot: Snapshot, record: int) -> list[int]:
    """Return the captured versions at the bottom of a record."""
    kind = snapshot.columns.kind
    return sorted(one for one in snapshot.graph.ancestors([record]) if kind[one] == Kind.EVIDENCE)


def origins_of(roots: dict[int, Root], numbers: list[int]) -> set[Origin]:
    """Return the sources of captured versions."""
    return {roots[one].origin for one in numbers if one in roots}


def _sent(snapshot: Snapshot) -> Ints:
    return np.flatnonzero(snapshot.delivered)


def _actions(snapshot: Snapshot) -> Ints:
    """Return the high-impact actions that are not finished: a conflict below one blocks it (R19)."""
    columns = snapshot.columns
    both = (columns.flags & (ACTION | HIGH_IMPACT)) == (ACTION | HIGH_IMPACT)
    return np.flatnonzero(both & np.isin(columns.status, (int(Status.CANDIDATE), int(Status.ACCEPTED), int(Status.STALE))))


def _above(graph: Graph, records: Ints) -> Mask:
    """Return which records are among `records` or carry one of them."""
    marked = np.zeros(graph.size, dtype=bool)
    level = np.unique(records)
    while len(level):
        marked[level] = True
        above = graph.parents.neighbours(level)
        level = np.unique(above[~marked[above]])
    return marked
