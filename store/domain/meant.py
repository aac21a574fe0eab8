"""How a statement that differs from an accepted one may be meant, and what a read returns after each (R4, R12, R14)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from store.domain.conflicts import Side, sides_live_at
from store.domain.status import LIVE, Status


class Meaning(StrEnum):
    """How a candidate that differs from an accepted claim may be meant."""

    FROM_NOW_ON = "from_now_on"
    THIS_TASK = "this_task"
    ONLY_HERE = "only_here"
    ASK = "ask"


@dataclass(frozen=True, slots=True)
class Held:
    """A claim of one key as a read meets it.

    Attributes:
        admitted: whether the purpose asked for admits it, and nothing above it has expired or was lost.
        contested: whether something it rests on is in an open conflict.
    """

    side: Side
    status: Status
    admitted: bool = True
    contested: bool = False


#: A scope with the claims of the question's key there.
Level = tuple[str, tuple[Held, ...]]


@dataclass(frozen=True, slots=True)
class Foreseen:
    """What a read returns: OK, MISSING or CONFLICT, with the records it tells."""

    result: str
    records: tuple[int, ...] = ()


def foresee(levels: Sequence[Level], at: int) -> Foreseen:
    """Return what a read of the nearest level's scope returns at `at` (microseconds).

    Args:
        levels: nearest scope first.
    """
    for _, claims in levels:
        live = [held for held in claims if held.side.start <= at < held.side.end]
        sides = sides_live_at([held.side for held in live if held.status in LIVE], at)
        if sides:
            return Foreseen("CONFLICT", tuple(side.record for side in sides))
        accepted = [held for held in live if held.status is Status.ACCEPTED and held.admitted]
        good = [held for held in accepted if not held.contested]
        if good:
            return Foreseen("OK", tuple(sorted(held.side.record for held in good)))
        if accepted:
            return Foreseen("CONFLICT", tuple(held.side.record for held in accepted))
        if any(held.status in (Status.STALE, Status.DISPUTED) for held in live):
            return Foreseen("MISSING")
    return Foreseen("MISSING")


def with_status(levels: Sequence[Level], records: set[int], status: Status) -> list[Level]:
    """Return the levels with some claims in another status."""
    return [(scope, tuple(replace(held, status=status) if held.side.record in records else held for held in claims)) for scope, claims in levels]


def with_claim(levels: Sequence[Level], scope: str, held: Held) -> list[Level]:
    """Return the levels with one more claim in a scope, which becomes the nearest where it is not among them."""
    if any(one == scope for one, _ in levels):
        return [(one, (*claims, held) if one == scope else claims) for one, claims in levels]
    return [(scope, (held,)), *levels]
