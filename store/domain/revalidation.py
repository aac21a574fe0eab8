"""What needs re-validation: why, in which order, what one look settles, and what may simply be restored (R22, R23).

Pure over a snapshot. A stale record *has a cause of its own* where a parent is lost that is not itself stale, or a
trigger fired; it *waits* where only stale parents are missing; it is *back* where nothing is missing any more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np

from store.domain.plans import Cause
from store.domain.reach import UNREACHED, Graph, Ints
from store.domain.snapshot import Snapshot
from store.domain.status import Status
from store.domain.text import canonical_json
from store.domain.values import Predicate, value_code


class Waits(IntEnum):
    """Why something stands in the queue of re-validation: the first six need it, the others are accepted and soon will."""

    LOST = 0
    TRIGGER = 1
    VALUE = 2
    NOT_KEPT = 3
    BACK = 4
    UPSTREAM = 5
    NEWER = 6
    EXPIRED = 7
    EXPIRING = 8
    REVIEW = 9


_STATE = {"lost": Waits.LOST, "trigger": Waits.TRIGGER, "value": Waits.VALUE, "not_kept": Waits.NOT_KEPT, "waits": Waits.UPSTREAM}


@dataclass(frozen=True, slots=True)
class Arranged:
    """The stale records of a tenant, upstream first; one entry per column and record.

    Attributes:
        depth: how many stale records stand above, on the longest way.
        state: one of `Waits`.
        head: the record whose own cause holds this one back: itself, or a stale one above; 0 where it is back.
        cause: what that cause is about: the lost parent, or the one that says something else; 0 for a trigger.
        stays: record -> why it cannot simply be restored.
    """

    records: Ints
    depth: Ints
    state: Ints
    head: Ints
    cause: Ints
    stays: dict[int, Cause]


def same_statement(then: Mapping[str, Any], now: Mapping[str, Any], predicate: Predicate) -> bool:
    """Return whether one line says what another says; narrower validity or more evidence says the same.

    Args:
        predicate: decides which values count as the same.
    """
    if now.get("type") == "claim":
        about = (then.get("subject"), then.get("predicate")) == (now.get("subject"), now.get("predicate"))
        return about and value_code(then.get("value"), predicate) == value_code(now.get("value"), predicate)
    return (then.get("title"), then.get("body")) == (now.get("title"), now.get("body"))


def same_figure(then: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    """Return whether two lines are about the same thing, so that one may stand in the other's place: only the value may differ."""
    names = ("type", "subject", "predicate")
    return all(then.get(name) == now.get(name) for name in names) and canonical_json(then.get("qualifiers")) == canonical_json(now.get("qualifiers"))


def what_is_said(line: Mapping[str, Any]) -> str:
    """Return what a line says where that is short enough to put into a sentence: a claim's value as JSON; empty for anything else."""
    return canonical_json(line.get("value")) if line.get("type") == "claim" else ""


def restorable(
    snapshot: Snapshot, stale: Ints, triggers: Mapping[int, str], changed: Mapping[int, Cause], unkept: Mapping[int, str] | None = None
) -> tuple[Ints, dict[int, Cause]]:
    """Return which stale records have no cause left but each other, and why the others stay stale.

    Args:
        stale: the stale records in question.
        triggers: record -> the name of a trigger nobody dismissed.
        changed: record -> what it rests on directly that says something else now.
        unkept: record -> why the policy keeps it no longer.
    """
    stays: dict[int, Cause] = {}
    if not len(stale):
        return stale, stays
    columns, graph = snapshot.columns, snapshot.graph
    inside = np.zeros(len(columns), dtype=bool)
    inside[stale] = True
    parents = graph.parents.neighbours(stale)
    child = np.repeat(stale, graph.parents.start[stale + 1] - graph.parents.start[stale])
    lost = (columns.status[parents] != Status.ACCEPTED) & ~inside[parents]
    for record, parent in zip(child[lost].tolist(), parents[lost].tolist(), strict=True):
        stays.setdefault(record, Cause("lost", parent))
    for record in stale.tolist() if triggers else ():
        if record in triggers:
            stays.setdefault(record, Cause("trigger", 0, triggers[record]))
    for record, cause in changed.items():
        if inside[record]:
            stays.setdefault(record, cause)
    for record, why in (unkept or {}).items():
        if inside[record]:
            stays.setdefault(record, Cause("not_kept", 0, why))
    if not stays:
        return stale, stays
    held = graph.walk(np.array(sorted(stays), dtype=np.int64))
    for record, via in zip(held.records.tolist(), held.via.tolist(), strict=True):
        if inside[record]:
            stays.setdefault(record, Cause("waits", via))
            inside[record] = False
    # Upstream comes first: what rests on a changed value through something that waits for a look itself waits for that look.
    for record in [record for record, cause in stays.items() if cause.why == "value"]:
        above = next((parent for parent in graph.parents.of(record).tolist() if parent in stays), None)
        if above is not None:
            stays[record] = Cause("waits", above)
    return stale[inside[stale]], stays


def arrange(snapshot: Snapshot, triggers: Mapping[int, str], changed: Mapping[int, Cause], unkept: Mapping[int, str] | None = None) -> Arranged:
    """Return everything stale, upstream first, with what holds it back.

    Args:
        triggers, changed, unkept: as for `restorable`.
    """
    stale = np.flatnonzero(snapshot.columns.status == Status.STALE)
    _, stays = restorable(snapshot, stale, triggers, changed, unkept)
    size = len(snapshot.columns)
    state, head, cause = np.full(size, int(Waits.BACK), np.int64), np.zeros(size, np.int64), np.zeros(size, np.int64)
    above = np.full(size, UNREACHED, np.int64)
    for record, why in stays.items():
        state[record] = int(_STATE[why.why])
        if why.why == "waits":
            above[record] = why.record
        else:
            head[record], cause[record] = record, why.record
    waiting = np.flatnonzero(above != UNREACHED)
    # Each jump doubles the length of the ways known, so that a chain of ten thousand takes fourteen.
    while len(waiting):
        known = head[above[waiting]]
        head[waiting] = known
        waiting, unknown = waiting[known == 0], above[waiting[known == 0]]
        if len(waiting):
            above[waiting] = np.where(above[unknown] != UNREACHED, above[unknown], unknown)
    cause[stale] = np.where(head[stale] > 0, cause[head[stale]], 0)
    depth = depths(snapshot, stale)
    order = np.lexsort((stale, depth[stale]))
    records = stale[order]
    return Arranged(records, depth[records], state[records], head[records], cause[records], stays)


def depths(snapshot: Snapshot, stale: Ints) -> Ints:
    """Return for every record how many of `stale` stand above it, on the longest way through them."""
    inside = np.zeros(len(snapshot.columns), dtype=bool)
    inside[stale] = True
    edges = snapshot.graph.edges
    edges = edges[inside[edges >> 32] & inside[edges & 0xFFFFFFFF]]
    depth = np.zeros(len(snapshot.columns), dtype=np.int64)
    for level, records in enumerate(Graph(len(snapshot.columns), edges).levels(), 1):
        depth[records] = level
    return depth
