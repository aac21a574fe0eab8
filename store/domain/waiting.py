"""Which candidates wait, would contradict something accepted, or hold others up: masks over one tenant's columns."""

from __future__ import annotations

import numpy as np

from store.domain.conflicts import Side, contradicts
from store.domain.reach import Ints, Mask
from store.domain.snapshot import HIGH_IMPACT, Snapshot
from store.domain.status import DECIDED_AGAINST, LIVE, Status
from store.domain.tolerance import agree


def waiting_candidates(snapshot: Snapshot, scopes: Ints) -> Ints:
    """Return the candidates of some scopes, in the order they came."""
    columns = snapshot.columns
    found = np.flatnonzero(columns.status == Status.CANDIDATE)
    return found[np.isin(columns.scope[found], scopes)]


def _ends(snapshot: Snapshot, records: Ints) -> Ints:
    return np.minimum(snapshot.columns.valid_to[records], snapshot.columns.expires_at[records])


def _beside(snapshot: Snapshot, candidates: Ints) -> tuple[Ints, Ints]:
    """Return (candidate, claim) pairs of one key, the candidate itself among them."""
    columns, by_key = snapshot.columns, snapshot.by_key()
    keys = columns.key[candidates]
    count = (by_key.start[keys + 1] - by_key.start[keys]).astype(np.int64)
    return np.repeat(candidates, count), by_key.neighbours(keys.astype(np.int64))


def contradicted_pairs(snapshot: Snapshot, candidates: Ints) -> tuple[Ints, Ints]:
    """Return (candidate, live claim) pairs of one key with different values and overlapping validity; many-valued keys have none."""
    columns = snapshot.columns
    mine, other = _beside(
        snapshot, candidates[(columns.key[candidates] > 0) & columns.has_value[candidates] & ~snapshot.keys.many[columns.key[candidates]]]
    )
    good = np.isin(columns.status[other], [int(status) for status in LIVE]) & columns.has_value[other] & (columns.value[other] != columns.value[mine])
    mine, other = mine[good], other[good]
    start = np.maximum(columns.valid_from[mine], columns.valid_from[other])
    over = start < np.minimum(_ends(snapshot, mine), _ends(snapshot, other))
    mine, other = mine[over], other[over]
    if snapshot.near:
        far = np.array([not agree(snapshot.near.get(one), snapshot.near.get(two)) for one, two in zip(mine.tolist(), other.tolist(), strict=True)], dtype=bool)
        return mine[far], other[far]
    return mine, other


def would_contradict(snapshot: Snapshot, candidates: Ints, series: Ints) -> Mask:
    """Return which candidates approval would have to ask about.

    Args:
        series: the keys among them whose predicate is a series; those give way by themselves unless both begin together.
    """
    mine, other = contradicted_pairs(snapshot, candidates)
    columns = snapshot.columns
    gives_way = np.isin(columns.key[mine], series) & (columns.valid_from[mine] != columns.valid_from[other])
    return np.isin(candidates, mine[~gives_way])


def answered_pairs(snapshot: Snapshot, candidates: Ints, series: Ints) -> tuple[Ints, Ints]:
    """Return (candidate, STALE claim) pairs: accepting the candidate replaces the claim (R4).

    Args:
        series: the keys among them whose predicate is a series, where only a figure that begins with it is answered.
    """
    columns = snapshot.columns
    mine, other = _beside(snapshot, candidates[columns.key[candidates] > 0])
    stale = columns.status[other] == Status.STALE
    mine, other = mine[stale], other[stale]
    same_value = columns.has_value[mine] & columns.has_value[other] & (columns.value[mine] == columns.value[other])
    start = np.maximum(columns.valid_from[mine], columns.valid_from[other])
    over = start < np.minimum(_ends(snapshot, mine), _ends(snapshot, other))
    together = columns.valid_from[mine] == columns.valid_from[other]
    good = np.where(np.isin(columns.key[mine], series), together, over) & (same_value | ~snapshot.keys.many[columns.key[mine]])
    return mine[good], other[good]


def count_reach(snapshot: Snapshot, candidates: Ints, pairs: tuple[Ints, Ints], most: int = 1000) -> Ints:
    """Return for each candidate how many records rest on it, or on what it would contradict or answer; `most` and more count as `most`."""
    children = snapshot.graph.children
    others: dict[int, list[int]] = {}
    for mine, other in zip(pairs[0].tolist(), pairs[1].tolist(), strict=True):
        others.setdefault(mine, []).append(other)
    lonely = children.start[candidates + 1] == children.start[candidates]
    found = np.zeros(len(candidates), dtype=np.int64)
    for place in np.flatnonzero(~lonely | np.isin(candidates, pairs[0])).tolist():
        record = int(candidates[place])
        roots = {record, *others.get(record, ())}
        seen, waiting = set(roots), list(roots)
        while waiting and len(seen) - len(roots) < most:
            below = [child for child in children.of(waiting.pop()).tolist() if child not in seen]
            seen.update(below)
            waiting.extend(below)
        found[place] = min(len(seen) - len(roots), most)
    return found


def holds_up(snapshot: Snapshot, candidates: Ints) -> Mask:
    """Return which candidates another record rests on."""
    children = snapshot.graph.children
    return np.asarray(children.start[candidates + 1] > children.start[candidates], dtype=np.bool_)


def high_impact(snapshot: Snapshot, candidates: Ints) -> Mask:
    """Return which candidates take two people."""
    return np.asarray((snapshot.columns.flags[candidates] & HIGH_IMPACT) != 0, dtype=np.bool_)


def decided_against(snapshot: Snapshot, record: int) -> bool:
    """Return whether an earlier claim of the same key and value was rejected, revoked or superseded (R9)."""
    columns = snapshot.columns
    if not columns.key[record] or not columns.has_value[record]:
        return False
    others = snapshot.by_key().of(int(columns.key[record]))
    others = others[(others < record) & columns.has_value[others] & (columns.value[others] == columns.value[record])]
    return bool(np.isin(columns.status[others], [int(status) for status in DECIDED_AGAINST]).any())


def rival_candidates(snapshot: Snapshot, record: int, most: int = 20) -> list[int]:
    """Return other candidates of a candidate's question, at most `most`."""
    columns = snapshot.columns
    if record >= len(columns) or not columns.key[record]:
        return []
    others = snapshot.by_key().of(int(columns.key[record])).astype(np.int64)
    waiting = others[(columns.status[others] == Status.CANDIDATE) & (others != record)]
    return [int(other) for other in waiting[:most]]


def fit_into_series(mine: Side, rivals: list[Side]) -> tuple[list[int], int]:
    """Return which accepted figures end where this one begins, and where this one ends itself (R4, series)."""
    ended, end = [], mine.end
    for other in rivals:
        if not contradicts(mine, other) or other.start == mine.start:
            continue
        if other.start < mine.start:
            ended.append(other.record)
        elif other.start < end:
            end = other.start
    return ended, end
