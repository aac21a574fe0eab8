"""Measuring sides against each other: interleaved rounds, medians, and what a goal says of the ratio."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

#: The size the goals are stated for.
FULL = 1_000_000
ROUNDS, SMALL_ROUNDS = 5, 21

Side = Callable[[], object]


class Milliseconds(float):
    """A time on the clock that also knows how much of it this process was computing; the rest is waiting, or others' work."""

    cpu: float = 0.0

    @classmethod
    def of(cls, wall: float, cpu: float) -> Milliseconds:
        """Return a time with its computing part."""
        found = cls(wall)
        found.cpu = cpu
        return found


def time_once(side: Side) -> Milliseconds:
    """Return how long one call takes; the collector does not run inside it."""
    gc.collect()
    gc.disable()
    try:
        start, computing = time.perf_counter(), time.process_time()
        side()
        return Milliseconds.of((time.perf_counter() - start) * 1000, (time.process_time() - computing) * 1000)
    finally:
        gc.enable()


def median(times: Sequence[Milliseconds]) -> Milliseconds:
    """Return the median on the clock and the median computing time."""
    return Milliseconds.of(statistics.median(times), statistics.median(one.cpu for one in times))


def race(sides: Mapping[str, Side], rounds: int, *, after: Mapping[str, Side] | None = None) -> dict[str, Milliseconds]:
    """Return the median milliseconds of each side over interleaved rounds, the order turned round each time.

    Args:
        after: what puts things back after a side's turn, not timed.
    """
    found: dict[str, list[Milliseconds]] = {name: [] for name in sides}
    for number in range(rounds):
        for name in list(sides) if number % 2 == 0 else list(sides)[::-1]:
            found[name].append(time_once(sides[name]))
            if after is not None and name in after:
                after[name]()
    return {name: median(times) for name, times in found.items()}


@dataclass(slots=True)
class Goal:
    """One line of the table.

    Attributes:
        ratio: baseline / measured where the goal asks for "faster", measured / baseline elsewhere.
        met: None where it could not be judged.
    """

    goal: str
    operation: str
    baseline: float | None
    measured: float | None
    ratio: float | None
    wanted: str
    met: bool | None
    note: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the line as the command prints it; times in milliseconds."""
        return {
            "goal": self.goal, "operation": self.operation, "baseline": _round(self.baseline), "measured": _round(self.measured),
            "ratio": _round(self.ratio), "wanted": self.wanted, "met": self.met, "note": self.note,
        }  # fmt: skip


def _with_cpu(note: str, baseline: float, measured: float, *, faster: bool) -> str:
    """Say the ratio of computing times too, which other programs on the machine disturb less."""
    if not (isinstance(baseline, Milliseconds) and isinstance(measured, Milliseconds)) or min(baseline.cpu, measured.cpu) < 0.05:
        return note
    ratio = baseline.cpu / measured.cpu if faster else measured.cpu / baseline.cpu
    return f"{note}; CPU {ratio:.3g}x".removeprefix("; ")


def _round(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.3g}")


@dataclass(slots=True)
class Report:
    """The lines so far, and for which size they were measured."""

    claims: int
    say: Callable[[str], None]
    goals: list[Goal] = field(default_factory=list)

    def faster(self, goal: str, operation: str, baseline: float, measured: float, least: float, *, note: str = "", needs: int = 0) -> None:
        """Note a goal of the form "at least so many times faster than the baseline"."""
        ratio = baseline / measured
        note = _with_cpu(note, baseline, measured, faster=True)
        self._add(Goal(goal, operation, baseline, measured, ratio, f">= {least:g}x faster", ratio >= least, note), needs)

    def within(self, goal: str, operation: str, baseline: float, measured: float, most: float, *, note: str = "", needs: int = 0) -> None:
        """Note a goal of the form "at most so many times the baseline"."""
        ratio = measured / baseline
        note = _with_cpu(note, baseline, measured, faster=False)
        self._add(Goal(goal, operation, baseline, measured, ratio, f"<= {most:g}x", ratio <= most, note), needs)

    def skipped(self, goal: str, operation: str, wanted: str, note: str) -> None:
        """Note a goal that could not be measured."""
        self._add(Goal(goal, operation, None, None, None, wanted, None, note), 0)

    def _add(self, goal: Goal, needs: int) -> None:
        if needs > self.claims:
            goal.met = None
            goal.note = f"needs {needs:,}" + (f"; {goal.note}" if goal.note else "")
        self.goals.append(goal)
        ratio = "" if goal.ratio is None else f" {goal.ratio:.3g} (wanted {goal.wanted})"
        self.say(f"{goal.goal} {goal.operation}:{ratio} {'' if goal.met is None else 'met' if goal.met else 'MISSED'} {goal.note}".rstrip())
