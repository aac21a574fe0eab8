"""Corrections (R25): a case, what fell because of it and how each of that was settled, and what of it is still open."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import numpy as np

from store.domain.reach import Ints, Mask
from store.domain.status import Status

#: The steps of a case, in order.
STEPS = ("stop", "compare", "commit", "settle", "tell")
#: What can be waived: a whole step, or one thing of it.
WAIVABLE = ("step", "record", "candidate", "edition", "recipient")
#: Actions that bring records back together; whatever else takes a record out of STALE was decided by hand.
TOGETHER = ("restore", "recapture", "reinstate")


class Way(IntEnum):
    """How a record that fell was settled. Kept by value in exports of cases."""

    OPEN = 0
    BY_HAND = 1
    TOGETHER = 2


WAY_WORD = {Way.OPEN: "open", Way.BY_HAND: "by hand", Way.TOGETHER: "together"}


def way_of(action: str) -> Way:
    """Return the way of settling that an action is."""
    return Way.TOGETHER if action in TOGETHER else Way.BY_HAND


@dataclass(frozen=True, slots=True)
class NewCase:
    """A case that is to be opened by the action that gives rise to it.

    Attributes:
        owner: a person of the tenant; whoever opens it by default.
        due_at: microseconds UTC.
    """

    title: str
    cause: str | None = None
    owner: str | None = None
    due_at: int | None = None

    def words(self) -> list[Any]:
        """Return what the operation is remembered by."""
        return [self.title, self.cause, self.owner, self.due_at]


@dataclass(frozen=True, slots=True)
class Fallen:
    """What became STALE by events of a case, in the order of record numbers.

    Attributes:
        fell: the event by which each fell last; `version`: the version it had then.
        left: the event that took it out of STALE after that, 0 for none; `way`: how (`Way`).
    """

    records: Ints
    fell: Ints
    version: Ints
    left: Ints
    way: Ints


@dataclass(frozen=True, slots=True)
class Bar:
    """How much of what fell is settled, and how; the four sum to `total`."""

    by_hand: int = 0
    together: int = 0
    waiting: int = 0
    open: int = 0

    @property
    def total(self) -> int:
        """Return how many records fell."""
        return self.by_hand + self.together + self.waiting + self.open

    @property
    def unsettled(self) -> int:
        """Return how many of them still need a decision."""
        return self.waiting + self.open


def measure_bar(fallen: Fallen, upstream: Ints, seen: Mask) -> Bar:
    """Return the bar over what fell and is `seen`; `upstream` are the stale records that wait for another one above them."""
    way, records = fallen.way[seen], fallen.records[seen]
    left = records[way == Way.OPEN]
    waiting = int(np.isin(left, upstream).sum())
    return Bar(int((way == Way.BY_HAND).sum()), int((way == Way.TOGETHER).sum()), waiting, len(left) - waiting)


# --- the steps ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """Where a source of a case stands.

    Attributes:
        versions: (number, status) of its captured versions, oldest first.
        corrected: a plan of the case about it was committed that was no stop; `arrived`: a file for it joined the case.
    """

    id: str
    versions: tuple[tuple[int, Status], ...]
    corrected: bool
    arrived: bool

    @property
    def in_use(self) -> bool:
        """Return whether a version of it is accepted."""
        return any(status is Status.ACCEPTED for _, status in self.versions)

    @property
    def unsorted(self) -> bool:
        """Return whether more than one version stands, so that a newer one has not been sorted yet."""
        return sum(status in (Status.ACCEPTED, Status.DISPUTED) for _, status in self.versions) > 1

    @property
    def suspended(self) -> bool:
        """Return whether a version of it is out of use for now only."""
        return any(status is Status.DISPUTED for _, status in self.versions)


@dataclass(frozen=True, slots=True)
class Part:
    """Things of one kind that a case has to settle.

    Attributes:
        total: how many there are; `unsettled`: how many of them are not settled; `waived`: how many of those are waived one by one.
        names: ids of some that are open, those the viewer may see; `hidden`: how many unsettled ones the viewer may not see.
    """

    kind: str
    total: int = 0
    unsettled: int = 0
    waived: int = 0
    names: tuple[str, ...] = ()
    hidden: int = 0

    @property
    def open(self) -> int:
        """Return how many are neither settled nor waived one by one."""
        return self.unsettled - self.waived


@dataclass(frozen=True, slots=True)
class OpenThing:
    """Things of a case that are open, or a step that is.

    Attributes:
        kind: of WAIVABLE; `count`: how many; `names`: some of them by id.
        reason: why the whole step was waived, None where it was not.
    """

    step: str
    kind: str
    count: int = 1
    names: tuple[str, ...] = ()
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class StepState:
    """One step of a case.

    Attributes:
        state: `done`, `open`, `waived`, or `later` where nothing is to be done before an earlier step is.
        total, done: of what it counts; 0 of 0 where there is nothing to count.
        open: how many of it are open and not waived; `waived`: how many are.
        reason: why the whole step was waived.
    """

    name: str
    state: str
    total: int = 0
    done: int = 0
    open: int = 0
    waived: int = 0
    reason: str | None = None


@dataclass(slots=True)
class CaseFacts:
    """What decides how far a case is.

    Attributes:
        committed: a plan was committed in it that was no stop; `stopped`: one that was.
        records: what fell; `candidates`: those that answer what fell and wait.
        editions: delivered artifacts that need re-validation and got no remedy; `recipients`: who is to be told.
        waivers: step -> why all of it was waived.
    """

    sources: tuple[SourceFacts, ...] = ()
    stopped: bool = False
    committed: bool = False
    records: Part = Part("record")
    candidates: Part = Part("candidate")
    editions: Part = Part("edition")
    recipients: Part = Part("recipient")
    waivers: Mapping[str, str] = field(default_factory=dict)


def list_open(facts: CaseFacts) -> list[OpenThing]:
    """Return everything that is open, step by step, with the reason where the step was waived."""
    found: list[tuple[str, str, int, tuple[str, ...]]] = []
    in_use = tuple(one.id for one in facts.sources if one.in_use and not one.corrected)
    if in_use or (not facts.sources and not facts.stopped and not facts.committed):
        found.append(("stop", "step", max(1, len(in_use)), in_use))
    unseen = tuple(one.id for one in facts.sources if not (one.corrected or one.arrived or one.unsorted))
    if unseen:
        found.append(("compare", "step", len(unseen), unseen))
    undone = tuple(one.id for one in facts.sources if not one.corrected or one.suspended or one.unsorted)
    if undone or (not facts.sources and not facts.committed):
        found.append(("commit", "step", max(1, len(undone)), undone))
    for step, parts in (("settle", (facts.records, facts.candidates)), ("tell", (facts.editions, facts.recipients))):
        found += [(step, part.kind, part.open, part.names) for part in parts if part.open]
    return [OpenThing(step, kind, count, names, facts.waivers.get(step)) for step, kind, count, names in found]


def measure_steps(facts: CaseFacts) -> tuple[StepState, ...]:
    """Return the five steps, each with what of it is done, open and waived."""
    things = list_open(facts)
    sources = max(1, len(facts.sources))
    parts = {"settle": (facts.records, facts.candidates), "tell": (facts.editions, facts.recipients)}
    totals = {"stop": sources, "compare": len(facts.sources), "commit": sources} | {step: sum(part.total for part in mine) for step, mine in parts.items()}
    found = []
    for step in STEPS:
        unwaived = sum(thing.count for thing in things if thing.step == step)
        waived = sum(part.waived for part in parts.get(step, ()))
        reason = facts.waivers.get(step) if unwaived else None
        if reason is not None:
            waived, unwaived = waived + unwaived, 0
        state = "open" if unwaived else "waived" if waived else "done"
        if state == "done" and step in parts and not facts.committed and not facts.stopped:
            state = "later"
        found.append(StepState(step, state, totals[step], max(0, totals[step] - unwaived - waived), unwaived, waived, reason))
    return tuple(found)


def next_step(steps: Iterable[StepState]) -> str | None:
    """Return the first step that is open, None where none is."""
    return next((one.name for one in steps if one.state == "open"), None)
