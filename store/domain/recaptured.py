"""What recapturing a source does, before consequences: each claim's verdict, what is carried over, what falls, what comes back (R21)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from store.domain.reach import UNREACHED, Graph, Ints, Walk
from store.domain.recapture import Fate
from store.domain.records import Artifact, Binding, Claim, Evidence
from store.domain.status import Status

#: Why a record whose passage carries over is touched without effect.
WHY_KEPT = {
    Fate.UNCHANGED: "its passage stands in the new version as it was",
    Fate.MOVED: "its passage stands in the new version at another place",
    Fate.COSMETIC: "only white space of its passage differs in the new version",
}
WHY_OFFERED = "its passage stands in the new version; the version before it was withdrawn, so somebody has to confirm it"
WHY_STILL_STALE = "its passage stands in the new version; it needs re-validation for another reason"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of the passages of one record.

    Attributes:
        before, after: the passage that decides: as it is bound now, and where it stands or what is proposed; None for none.
        score: how alike what is proposed is, 0 to 1.
        passages: how many passages of the version it rests on.
    """

    record: int
    id: str
    scope: str
    status: Status
    version: int
    fate: Fate
    before: Binding
    after: Binding | None
    score: float
    passages: int


@dataclass(frozen=True, slots=True)
class Carried:
    """A record whose passages carry over, with the content it gets.

    Attributes:
        bindings: (place in the claim's list, the binding it gets).
        leaves: the versions it no longer rests on.
        content_hash: of the new content.
    """

    record: int
    version: int
    status: Status
    fate: Fate
    before: Claim | Artifact
    after: Claim | Artifact
    bindings: tuple[tuple[int, Binding], ...]
    leaves: tuple[int, ...]
    content_hash: str
    hash_before: str


@dataclass(slots=True)
class Recaptured:
    """What recapturing a source does directly. Records by number.

    Attributes:
        evidence: the version that is made, or the one that is there already; `target` is its number then.
        olds: the versions whose claims are sorted against it.
        falls: what rests on them and is not carried over, whatever its status -> the version it rests on.
        back: claims that come back, because their version was only suspended -> that version.
        restored: all that comes back, those claims and what was stale only because of them.
        offered: claims that somebody has to confirm, because their version was withdrawn.
        proposed: candidates with new values, and the id of the fallen claim each answers.
    """

    source: int
    source_id: str
    scope: str
    evidence: Evidence
    target: int | None
    olds: tuple[int, ...]
    verdicts: list[Verdict] = field(default_factory=list)
    carried: list[Carried] = field(default_factory=list)
    falls: dict[int, int] = field(default_factory=dict)
    back: dict[int, int] = field(default_factory=dict)
    restored: frozenset[int] = frozenset()
    offered: list[int] = field(default_factory=list)
    proposed: list[tuple[Claim, str]] = field(default_factory=list)

    def count_fates(self) -> dict[str, int]:
        """Return how many claims each verdict has."""
        count = Counter(verdict.fate for verdict in self.verdicts)
        return {fate.value: count[fate] for fate in Fate}

    def told(self) -> dict[str, Any]:
        """Return what a fingerprint must hold of it; who looks becomes who proposes, so the proposer is no part of it: a plan can be handed over."""
        return {
            "evidence": [self.evidence.id, self.evidence.version, self.evidence.media_type, self.evidence.sha256], "olds": self.olds,
            "verdicts": [[one.record, one.version, one.fate.value] for one in self.verdicts],
            "carried": [[one.record, one.version, one.content_hash] for one in self.carried], "offered": self.offered,
            "proposed": [[replace(claim, proposed_by=None).content_hash(), answers] for claim, answers in self.proposed],
        }  # fmt: skip

    def why_kept(self, moving: Container[int]) -> dict[int, str]:
        """Return record -> why it is touched without effect, of those carried over; `moving` are those whose status changes."""
        offered, found = set(self.offered), {}
        for one in self.carried:
            if one.record in moving:
                continue
            if one.record in offered:
                found[one.record] = WHY_OFFERED
            else:
                found[one.record] = WHY_STILL_STALE if one.status is Status.STALE else WHY_KEPT[one.fate]
        return found


def walk_recaptured(graph: Graph, recaptured: Recaptured) -> tuple[Walk, Ints]:
    """Return what a recapture reaches, and of it what loses a support.

    What rests on carried-over passages alone is not reached: it keeps all it rests on.
    """
    lost = _below(graph, recaptured.falls)
    again = _below(graph, recaptured.back)
    inside = np.isin(again.records, np.array(sorted(recaptured.restored), dtype=np.int64)) & ~np.isin(again.records, lost.records)
    roots = np.array(sorted(recaptured.olds), dtype=np.int64)
    records = np.concatenate([roots, lost.records, again.records[inside]])
    distance = np.concatenate([np.zeros(len(roots), np.int32), lost.distance, again.distance[inside]]).astype(np.int32)
    via = np.concatenate([np.full(len(roots), UNREACHED, dtype=np.int64), lost.via, again.via[inside]])
    order = np.argsort(distance, kind="stable")
    return Walk(records[order], distance[order], via[order]), lost.records


def _below(graph: Graph, starts: Mapping[int, int]) -> Walk:
    """Return the walk from some records, each one step below the version it is mapped to."""
    if not starts:
        return Walk(np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0, np.int64))
    walk = graph.walk(np.array(sorted(starts), dtype=np.int64))
    via = walk.via.astype(np.int64)
    first = via == UNREACHED
    via[first] = [starts[record] for record in walk.records[first].tolist()]
    return Walk(walk.records, walk.distance + np.int32(1), via)
