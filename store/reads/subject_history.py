"""How the values about a subject changed: one line per claim key, and which delivered report carried which value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from store.db.keys import load_predicates, nearest_predicate
from store.db.plan_lists import load_deliveries, load_named
from store.db.subjects import Held
from store.db.waiting import last_changes, recorded_times
from store.domain.people import Right
from store.domain.status import Kind, Status
from store.domain.times import format_optional, format_time
from store.reads.subject import SubjectLook

#: Lines on one screen, and values on one line.
LINES, POINTS = 6, 24
_CARRIED = 8
_LEFT_OUT = (Status.REJECTED, Status.DELETION_PENDING, Status.DELETED)
_GONE = (Status.SUPERSEDED, Status.REVOKED)


@dataclass(frozen=True, slots=True)
class Carried:
    """That a delivered artifact rests on a value: what it is called, its edition, when it went to whom."""

    id: str
    title: str
    edition: int | None
    at: str
    recipient: str


@dataclass(frozen=True, slots=True)
class Point:
    """One value and how long it stood.

    Attributes:
        start, end: microseconds UTC; no end where it still stands.
        clock: what `start` is: `held` (it is stated from when on it holds), `observed`, or `recorded`.
        number: the value as a number, for a line of steps; None for others.
    """

    id: str
    value: Any
    number: float | None
    status: str
    start: int
    end: int | None
    clock: str
    carried: tuple[Carried, ...]


@dataclass(frozen=True, slots=True)
class ValueLine:
    """The values of one claim key over time, the earliest first.

    Attributes:
        steps: whether every value is a number, so that it can be drawn as steps; else as bars.
        cut: how many earlier values are left out.
    """

    scope: str
    predicate: str
    qualifiers: dict[str, Any]
    steps: bool
    many: bool
    points: tuple[Point, ...]
    cut: int
    until: str


@dataclass(frozen=True, slots=True)
class SubjectHistory:
    """Lines of those keys whose value changed, the latest change first; `total` counts those not drawn too."""

    lines: tuple[ValueLine, ...]
    total: int


def describe_history(look: SubjectLook, predicate: str | None, most: int) -> SubjectHistory:
    """Return how the values about a subject changed.

    Args:
        predicate: only of this one, and then also of keys whose value never changed.
        most: lines at most.
    """
    keys: dict[int, list[Held]] = {}
    for one in look.held:
        if one.status not in _LEFT_OUT and predicate in (None, one.predicate):
            keys.setdefault(one.key, []).append(one)
    least = 1 if predicate is not None else 2
    changed = [claims for claims in keys.values() if len({one.value_code for one in claims}) >= least]
    changed.sort(key=lambda claims: (-len({one.value_code for one in claims}), -max(one.number for one in claims)))
    drawing = _Drawing(look, [claims[-POINTS:] for claims in changed[:most]])
    return SubjectHistory(tuple(drawing.line(claims[-POINTS:], len(claims) - POINTS) for claims in changed[:most]), len(changed))


def as_number(value: Any) -> float | None:
    """Return a value as a number to draw, None where it is none."""
    if isinstance(value, dict) and set(value) == {"amount", "currency"}:
        value = value["amount"]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) < 1e300 else None


class _Drawing:
    def __init__(self, look: SubjectLook, lines: list[list[Held]]) -> None:
        self.look, self.connection, self.number = look, look.connection, look.number
        every = [one for claims in lines for one in claims]
        self.recorded = recorded_times(self.connection, self.number, [one.created_seq for one in every])
        self.left = last_changes(self.connection, self.number, [one.number for one in every if one.status in _GONE])
        self.predicates = load_predicates(self.connection, self.number)
        self.carried = self._load_carried(every)

    def _load_carried(self, every: list[Held]) -> dict[int, tuple[Carried, ...]]:
        """Return claim -> deliveries of the artifacts that rest on it."""
        snapshot, actor = self.look.snapshot, self.look.reading.actor
        reach: dict[int, list[int]] = {}
        for one in every:
            if not actor.may(Right.INSPECT, one.scope):
                continue
            below = snapshot.graph.walk(np.array([one.number], dtype=np.int64)).records
            artifacts = below[(snapshot.columns.kind[below] == Kind.ARTIFACT) & snapshot.delivered[below]]
            reach[one.number] = artifacts[:_CARRIED].tolist()
        wanted = sorted({number for numbers in reach.values() for number in numbers})
        named = load_named(self.connection, self.number, wanted)
        sent = load_deliveries(self.connection, self.number, [number for number in wanted if actor.may(Right.INSPECT, named[number].scope)])
        found = {}
        for claim, artifacts_of in reach.items():
            rows: list[Carried] = []
            for number in artifacts_of:
                artifact = named[number]
                rows.extend(
                    Carried(artifact.id, artifact.title, artifact.edition, format_time(at), recipient)
                    for recipient, _, at in sent.get(number, ())
                    if at is not None
                )
            found[claim] = tuple(sorted(rows, key=lambda row: row.at)[:_CARRIED])
        return found

    def _start(self, one: Held) -> tuple[int, str]:
        if one.valid_from is not None:
            return one.valid_from, "held"
        if one.observed_at is not None:
            return one.observed_at, "observed"
        return self.recorded[one.created_seq], "recorded"

    def line(self, claims: list[Held], cut: int) -> ValueLine:
        first = claims[0]
        many = nearest_predicate(self.predicates, first.scope, first.predicate).many
        begun = sorted(((*self._start(one), one) for one in claims), key=lambda item: (item[0], item[2].number))
        self.look.draw_veil(claims)
        points = []
        for start, clock, one in begun:
            end = one.valid_to
            if one.status in _GONE:
                later = [other for other, _, _ in begun if other > start]
                gone = self.left.get(one.number)
                follows = later[0] if later and not many else gone.at if gone is not None else None
                end = follows if end is None or (follows is not None and start < follows < end) else end
            value = self.look.value_of(one)
            points.append(Point(one.id, value, as_number(value), one.status.name, start, end, clock, self.carried.get(one.number, ())))
        steps = not many and all(point.number is not None for point in points)
        return ValueLine(
            first.scope, first.predicate, first.qualifiers, steps, many, tuple(points), max(0, cut), format_optional(self.look.at) or "",
        )  # fmt: skip
