"""Which claims of one key contradict each other (R10).

Two claims of one key, each ACCEPTED or DISPUTED, with different values and overlapping live intervals
[valid_from, min(valid_to, expires_at)), are in conflict. A conflict's sides are every claim that differs from and
overlaps another. No clock, identity or purpose enters. Null is no value; a many-valued predicate never conflicts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from store.domain.records import Card
from store.domain.times import ALWAYS, FOREVER
from store.domain.tolerance import Near, agree, within

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Side:
    """A claim as far as conflicts are concerned; `start` and `end` in microseconds, `end` not included.

    Attributes:
        near: what it is compared by where its predicate has a tolerance and it holds a number.
    """

    record: int
    value: int | None
    start: int
    end: int
    near: Near | None = None


def live_interval(valid_from: int | None, valid_to: int | None, expires_at: int | None) -> tuple[int, int]:
    """Return the live interval in microseconds, with ALWAYS and FOREVER for open ends."""
    start = ALWAYS if valid_from is None else valid_from
    return start, min(FOREVER if valid_to is None else valid_to, FOREVER if expires_at is None else expires_at)


def side_of(card: Card, near: Near | None) -> Side:
    """Return a claim as conflicts see it."""
    return Side(card.number, card.value, *live_interval(card.valid_from, card.valid_to, card.expires_at), near)


def _overlapping(group: Ints, start: Ints, end: Ints, ranks: int) -> Ints:
    """Return for each interval how many of its group overlap it, itself included.

    Of intervals that are not empty, those overlapping [a, b) are those that start before b less those that end by a.
    """
    starts = np.sort(group * ranks + start)
    ends = np.sort(group * ranks + end)
    before = np.searchsorted(starts, group * ranks + end, "left") - np.searchsorted(starts, group * ranks, "left")
    over = np.searchsorted(ends, group * ranks + start, "right") - np.searchsorted(ends, group * ranks, "left")
    return before - over


def find_sides(key: Ints, value: Ints, has_value: Mask, start: Ints, end: Ints) -> Mask:
    """Return which claims contradict another, for many keys at once, in O(n log n).

    Args:
        key: the claim key of each claim; `value`: the value code; `has_value`: False for null.
        start, end: the live intervals in microseconds.

    Keys whose predicate has a tolerance are not for this: their values are no groups (see `sides_of_key`).
    """
    sides = np.zeros(len(key), dtype=bool)
    alive = np.flatnonzero(has_value & (start < end))
    if len(alive) < 2:
        return sides
    moments = np.unique(np.concatenate([start[alive], end[alive]]))
    first, last = np.searchsorted(moments, start[alive]), np.searchsorted(moments, end[alive])
    _, keys = np.unique(key[alive], return_inverse=True)
    order = np.lexsort((value[alive], keys))
    change = np.ones(len(order), dtype=bool)
    change[1:] = (np.diff(keys[order]) != 0) | (np.diff(value[alive][order]) != 0)
    same = np.empty(len(order), dtype=np.int64)
    same[order] = np.cumsum(change)
    ranks = len(moments) + 1
    sides[alive] = _overlapping(keys.astype(np.int64), first, last, ranks) > _overlapping(same, first, last, ranks)
    return sides


def sides_of_key(claims: list[Side]) -> list[Side]:
    """Return the claims of one key that contradict another of them, in the order given."""
    if len({claim.value for claim in claims if claim.value is not None}) < 2:
        return []
    if any(claim.near is not None for claim in claims):
        mask = _sides_by_pairs(claims)
    else:
        mask = find_sides(np.zeros(len(claims), dtype=np.int64), *_as_columns(claims))
    return [claim for claim, side in zip(claims, mask, strict=True) if side]


def _as_columns(claims: list[Side]) -> tuple[Ints, Mask, Ints, Ints]:
    return (
        np.array([claim.value or 0 for claim in claims], dtype=np.int64),
        np.array([claim.value is not None for claim in claims], dtype=bool),
        np.array([claim.start for claim in claims], dtype=np.int64),
        np.array([claim.end for claim in claims], dtype=np.int64),
    )


def _sides_by_pairs(claims: list[Side], most: int = 64) -> Mask:
    """Return which claims contradict another where being near is no matter of groups; row by row in C where they are many."""
    if len(claims) <= most:
        return np.array([any(contradicts(one, other) for other in claims) for one in claims], dtype=bool)
    value, has_value, start, end = _as_columns(claims)
    known = np.array([claim.near is not None for claim in claims], dtype=bool)
    number = np.array([claim.near.number if claim.near else 0.0 for claim in claims])
    rest = np.array([claim.near.rest if claim.near else 0 for claim in claims], dtype=np.int64)
    absolute = max(claim.near.absolute for claim in claims if claim.near)
    relative = max(claim.near.relative for claim in claims if claim.near)
    found = np.zeros(len(claims), dtype=bool)
    for place in np.flatnonzero(has_value & (start < end)).tolist():
        other = has_value & (value != value[place]) & (np.maximum(start, start[place]) < np.minimum(end, end[place]))
        if known[place]:
            other &= ~(known & (rest == rest[place]) & within(number, float(number[place]), absolute, relative))
        found[place] = other.any()
    return found


def differ(one: Side, other: Side) -> bool:
    """Return whether two claims of one key say different things; null is no value."""
    return one.value is not None and other.value is not None and one.value != other.value and not agree(one.near, other.near)


def contradicts(one: Side, other: Side) -> bool:
    """Return whether two claims of one key are in conflict."""
    return max(one.start, other.start) < min(one.end, other.end) and differ(one, other)


def sides_live_at(sides: list[Side], at: int) -> list[Side]:
    """Return the sides in contradiction at `at` (microseconds); none when at most one value is live then."""
    live = [side for side in sides if side.start <= at < side.end]
    if any(side.near is not None for side in live):
        return sides_of_key(live)
    return live if len({side.value for side in live}) > 1 else []
