"""What is left to do after a plan: what needs a look, what comes back together, whom it concerns; pure over an impact.

What lost a parent for good has to be looked at by itself; everything else comes back in one step once what is above it
stands (R23). What had fallen before, because something was stopped first, and is left so by the plan, is work left too.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from store.domain.impact import Impact
from store.domain.reach import Ints
from store.domain.snapshot import ACTION, HIGH_IMPACT, Snapshot
from store.domain.status import Kind, Status

_GONE = (Status.SUPERSEDED, Status.REVOKED, Status.REJECTED, Status.DELETION_PENDING, Status.DELETED)


def concerned(snapshot: Snapshot, impact: Impact) -> Ints:
    """Return the artifacts whose owners are told: affected or delivered ones, and high-impact actions that are not finished."""
    columns = snapshot.columns
    reached = impact.walk.records
    is_artifact = columns.kind[reached] == Kind.ARTIFACT
    changes = np.zeros(len(columns), dtype=bool)
    changes[impact.affected.records] = True
    unfinished = (columns.flags[reached] & (ACTION | HIGH_IMPACT) == ACTION | HIGH_IMPACT) & np.isin(
        columns.status[reached], (Status.ACCEPTED, Status.STALE)
    )
    found: Ints = reached[is_artifact & (changes[reached] | snapshot.delivered[reached] | unfinished)]
    return found


def split_fallen(impact: Impact, snapshot: Snapshot) -> tuple[Ints, Ints]:
    """Return the records the plan reaches that would need re-validation after it: those to be looked at one by one, and those that come back together."""
    affected, reached = impact.affected, impact.walk.records
    fallen = np.union1d(affected.records[affected.new == Status.STALE], reached[impact.status_after[reached] == Status.STALE])
    gone = np.flatnonzero(np.isin(impact.status_after, _GONE))
    below = np.zeros(len(snapshot.columns), dtype=bool)
    if len(fallen) and len(gone):
        below[snapshot.graph.children.neighbours(gone)] = True
    return np.sort(fallen[below[fallen]]), np.sort(fallen[~below[fallen]])


@dataclass(frozen=True, slots=True)
class Seen:
    """What somebody saw of a plan, as it is kept. Records and claim keys by number, packed rows by record.

    Attributes:
        rows: (record, version, status now, status then) per affected record.
        blocked: candidates that could not be approved afterwards.
        answers: claim key -> the codes of its answers before and after.
        notices: (artifact, edition, recipient, channel).
        by_hand, together: what needs re-validation after it, as `split_fallen` says; not all of it changes by the plan.
        owners: who owns what is concerned, with the artifacts. `candidates`: how many new claims would wait for a decision.
        settled, left: conflicts that are settled, and that the plan names and leaves alone.
    """

    rows: Ints
    blocked: tuple[int, ...]
    answers: dict[int, tuple[int, int]]
    notices: tuple[tuple[int, int, str, str], ...]
    opened: tuple[int, ...]
    dissolved: tuple[int, ...]
    changed: tuple[int, ...]
    delivered: tuple[int, ...]
    by_hand: tuple[int, ...]
    together: tuple[int, ...]
    owners: dict[str, tuple[int, ...]]
    candidates: int
    settled: int
    left: int
    policy: int
    complete: bool

    def text(self) -> str:
        """Return all but the rows as JSON."""
        return json.dumps({
            "answers": [[key, *codes] for key, codes in self.answers.items()], "notices": self.notices, "opened": self.opened,
            "dissolved": self.dissolved, "changed": self.changed, "delivered": self.delivered, "by_hand": self.by_hand, "together": self.together,
            "owners": self.owners, "candidates": self.candidates, "settled": self.settled, "left": self.left, "policy": self.policy,
            "complete": self.complete,
        }, ensure_ascii=False, separators=(",", ":"))  # fmt: skip

    def totals(self) -> dict[str, int]:
        """Return the numbers that lists and comparisons show."""
        recipients = {recipient for _, _, recipient, _ in self.notices}
        return {
            "affected": len(self.rows), "delivered": len(self.delivered), "notices": len(self.notices), "recipients": len(recipients),
            "stale": len(self.by_hand) + len(self.together), "by_hand": len(self.by_hand), "together": len(self.together),
            "answers": len(self.answers), "conflicts": len(self.opened) + len(self.changed), "dissolved": len(self.dissolved),
            "blocked": len(self.blocked), "candidates": self.candidates, "messages": len(recipients | self.owners.keys()),
            "settled": self.settled, "left": self.left,
        }  # fmt: skip


def read_seen(rows: bytes, text: str) -> Seen:
    """Return what was kept as packed rows and JSON."""
    every = np.frombuffer(rows, dtype="<i4").reshape(-1, 4).astype(np.int64)
    waits = (every[:, 2] == Status.CANDIDATE) & (every[:, 3] == Status.CANDIDATE)
    found: dict[str, Any] = json.loads(text)
    return Seen(
        every[every[:, 2] != every[:, 3]], tuple(every[waits][:, 0].tolist()), {key: (was, now) for key, was, now in found["answers"]},
        tuple((record, edition, recipient, channel) for record, edition, recipient, channel in found["notices"]),
        tuple(found["opened"]), tuple(found["dissolved"]), tuple(found["changed"]), tuple(found["delivered"]), tuple(found["by_hand"]),
        tuple(found["together"]), {owner: tuple(its) for owner, its in found["owners"].items()}, found["candidates"], found["settled"], found["left"], found["policy"], found["complete"],
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Difference:
    """How one result of a plan differs from another. Records and claim keys by number.

    Attributes:
        added, removed, changed: affected records and blocked candidates.
        notices_added, notices_removed: how many; `answers`: claim keys answered otherwise, or only in one of them.
        conflicts: claim keys whose conflict opens, dissolves or changes in one of them only.
        policy: whether they were worked out under another policy; `only_policy`: and nothing else differs.
    """

    added: tuple[int, ...]
    removed: tuple[int, ...]
    changed: tuple[int, ...]
    notices_added: int
    notices_removed: int
    answers: tuple[int, ...]
    conflicts: tuple[int, ...]
    policy: bool

    @property
    def only_policy(self) -> bool:
        """Return whether it does the same, under another policy."""
        return self.policy and not (
            self.added or self.removed or self.changed or self.notices_added or self.notices_removed or self.answers or self.conflicts
        )


def compare_seen(was: Seen, now: Seen) -> Difference:
    """Return how what a plan does now differs from what it did when it was saved."""
    before, after = _by_record(was), _by_record(now)
    sent, sending = {one[:3] for one in was.notices}, {one[:3] for one in now.notices}
    changing = [
        {(key, what) for what in ("opened", "dissolved", "changed") for key in getattr(one, what)} for one in (was, now)
    ]
    answers = {key for key in was.answers.keys() | now.answers.keys() if was.answers.get(key) != now.answers.get(key)}
    return Difference(
        tuple(sorted(after.keys() - before.keys())), tuple(sorted(before.keys() - after.keys())),
        tuple(sorted(one for one in before.keys() & after.keys() if before[one] != after[one])), len(sending - sent), len(sent - sending),
        tuple(sorted(answers)), tuple(sorted({key for key, _ in changing[0] ^ changing[1]})), was.policy != now.policy,
    )  # fmt: skip


def _by_record(seen: Seen) -> dict[int, tuple[int, int, int]]:
    found = {record: (version, old, new) for record, version, old, new in seen.rows.tolist()}
    found.update((record, (0, int(Status.CANDIDATE), int(Status.CANDIDATE))) for record in seen.blocked)
    return found
