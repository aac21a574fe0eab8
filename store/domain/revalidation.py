"""What needs re-validation: why, in which order, what one look settles, and what may simply be restored (R22, R23).

Pure over a snapshot. A stale record *has a cause of its own* where a parent is lost that is not itself stale, or a
trigger fired; it *waits* where only stale parents are missing; it is *back* where nothing is missing any more.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from store.domain.plans import Cause
from store.domain.reach import UNREACHED, Graph, Ints
from store.domain.records import Artifact, Claim, Record
from store.domain.snapshot import Snapshot
from store.domain.status import Status
from store.domain.text import canonical_json


class Waits(IntEnum):
    """Why something stands in the queue of re-validation: the first four need it, the others are accepted and soon will."""

    LOST = 0
    TRIGGER = 1
    VALUE = 2
    BACK = 3
    UPSTREAM = 4
    NEWER = 5
    EXPIRED = 6
    EXPIRING = 7
    REVIEW = 8


_STATE = {"lost": Waits.LOST, "trigger": Waits.TRIGGER, "value": Waits.VALUE, "waits": Waits.UPSTREAM}


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


def same_statement(line: str, now: Record) -> bool:
    """Return whether a replaced line said what a record says now; narrower validity or more evidence says the same."""
    then = json.loads(line)
    if isinstance(now, Claim):
        mine = [now.subject, now.predicate, now.value]
        return canonical_json([then.get("subject"), then.get("predicate"), then.get("value")]) == canonical_json(mine)
    if isinstance(now, Artifact):
        return (then.get("title"), then.get("body")) == (now.title, now.body)
    return True


def restorable(snapshot: Snapshot, stale: Ints, triggers: Mapping[int, str], changed: Mapping[int, int]) -> tuple[Ints, dict[int, Cause]]:
    """Return which stale records have no cause left but each other, and why the others stay stale.

    Args:
        stale: the stale records in question.
        triggers: record -> the name of a trigger nobody dismissed.
        changed: record -> a parent that says something else now.
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
    for record, parent in changed.items():
        if inside[record]:
            stays.setdefault(record, Cause("value", parent))
    if not stays:
        return stale, stays
    held = graph.walk(np.array(sorted(stays), dtype=np.int64))
    for record, via in zip(held.records.tolist(), held.via.tolist(), strict=True):
        if inside[record]:
            stays.setdefault(record, Cause("waits", via))
            inside[record] = False
    return stale[inside[stale]], stays


def arrange(snapshot: Snapshot, triggers: Mapping[int, str], changed: Mapping[int, int]) -> Arranged:
    """Return everything stale, upstream first, with what holds it back.

    Args:
        triggers, changed: as for `restorable`.
    """
    stale = np.flatnonzero(snapshot.columns.status == Status.STALE)
    _, stays = restorable(snapshot, stale, triggers, changed)
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
