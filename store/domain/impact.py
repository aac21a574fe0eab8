"""What a plan would do: consequences, answers that change, conflicts, and the fingerprint of all of it (DESIGN section 5).

Pure over a snapshot. Invariant I gives the rule: an ACCEPTED record has only ACCEPTED parents, so whatever leaves
ACCEPTED makes every ACCEPTED record in its reach STALE, and nothing beyond a record that is not ACCEPTED can be ACCEPTED.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from store.domain.conflicts import Side, live_interval, sides_live_at, sides_of_key
from store.domain.plans import Intent, Recast
from store.domain.reach import UNREACHED, Ints, Mask, Walk
from store.domain.recaptured import walk_recaptured
from store.domain.scopes import covers
from store.domain.snapshot import CONFLICT, MISSING, OK, Answer, Snapshot, Standing, answers_of_keys
from store.domain.status import LIVE, Kind, Status
from store.domain.text import canonical_json
from store.domain.times import ALWAYS, FOREVER
from store.domain.tolerance import Near

WHY_UNTOUCHED = {
    Status.DISPUTED: "is suspended already",
    Status.STALE: "needs re-validation already",
    Status.SUPERSEDED: "was superseded and is not served",
    Status.REVOKED: "was revoked and is not served",
    Status.REJECTED: "was rejected and is not served",
    Status.DELETION_PENDING: "is being deleted and is not served",
    Status.DELETED: "was deleted",
}


@dataclass(frozen=True, slots=True)
class Notice:
    """That a recipient holds an edition which rests on something that changes."""

    record: int
    edition: int
    recipient: str
    channel: str
    delivered_at: int | None


@dataclass(frozen=True, slots=True)
class Affected:
    """Every existing record whose status changes, nearest first; one entry per column and record."""

    records: Ints
    old: Ints
    new: Ints
    distance: Ints
    via: Ints

    def __len__(self) -> int:
        """Return how many records change."""
        return len(self.records)


@dataclass(slots=True)
class Impact:
    """All consequences of a plan.

    Attributes:
        affected: the records whose status changes.
        walk: everything reached, whether it changes or not.
        candidates: candidates in the reach, which cannot be approved afterwards.
        untouched: reached without effect.
        delivered: delivered artifacts in the reach, whatever their status.
        keys, before, after: claim keys whose answer changes, and the answers' codes.
        opened, dissolved, changed: keys whose conflict opens, dissolves or gets other sides.
        unparented: accepted claims of the tenant that declare no parents, which no preview can include.
    """

    intent: Intent
    at: int
    affected: Affected
    walk: Walk
    candidates: Ints
    untouched: Ints
    delivered: Ints
    keys: Ints
    before: Answer
    after: Answer
    opened: tuple[int, ...]
    dissolved: tuple[int, ...]
    changed: tuple[int, ...]
    unparented: int
    seq: int
    status_after: Any
    notices: tuple[Notice, ...] = ()
    fingerprint: str = ""
    complete: bool = True
    extra: dict[str, Any] = field(default_factory=dict)
    #: What reading the key of each settled conflict answers before and after, whether it changes or not.
    reads: dict[int, tuple[int, int]] = field(default_factory=dict)
    #: Sides of conflicts after another comparison, by key.
    sides_after: dict[int, tuple[int, ...]] = field(default_factory=dict)

    def count_by_kind(self, snapshot: Snapshot) -> dict[str, int]:
        """Return how many of the affected are evidence, claims and artifacts."""
        count = np.bincount(snapshot.columns.kind[self.affected.records], minlength=3)
        return {kind.name.lower(): int(count[kind]) for kind in Kind if count[kind]}

    def count_cells(self, snapshot: Snapshot) -> dict[tuple[int, int, int, int], int]:
        """Return how many records there are per (kind, status now, status then, distance); sums to the total."""
        affected = self.affected
        deep = int(affected.distance.max()) + 1 if len(affected) else 1
        packed = ((snapshot.columns.kind[affected.records].astype(np.int64) * 16 + affected.old) * 16 + affected.new) * deep + affected.distance
        if deep <= 1000 < len(affected):
            every = np.bincount(packed)
            cells = np.flatnonzero(every)
            count = every[cells]
        else:
            cells, count = np.unique(packed, return_counts=True)
        found = {}
        for cell, n in zip(cells.tolist(), count.tolist(), strict=True):
            head, distance = divmod(cell, deep)
            found[head // 256, head // 16 % 16, head % 16, distance] = n
        return found

    def path_to(self, record: int) -> list[int]:
        """Return one full path from a root to `record`, root first; empty when it is not reached."""
        via = dict(zip(self.walk.records.tolist(), self.walk.via.tolist(), strict=True))
        if record not in via:
            return []
        path = [record]
        while via[path[-1]] != UNREACHED:
            path.append(via[path[-1]])
        return path[::-1]


def derive_impact(snapshot: Snapshot, intent: Intent, at: int, scopes: Mapping[int, str]) -> Impact:
    """Return the consequences of `intent`, notices and fingerprint still to be added.

    Args:
        snapshot: the tenant's records.
        intent: the direct changes.
        at: the moment for which answers are compared, microseconds UTC.
        scopes: number -> path, for answers that come from a broader scope.
    """
    columns, becomes = snapshot.columns, intent.becomes
    direct = np.array(sorted(becomes), dtype=np.int64)
    status_after = columns.status.copy()
    recaptured = intent.recaptured
    if recaptured is not None:
        walk, losing = walk_recaptured(snapshot.graph, recaptured)
    else:
        walk = snapshot.graph.walk(np.array(intent.roots, dtype=np.int64)) if intent.roots else _no_walk()
    leaving = [record for record, (old, new) in becomes.items() if old == Status.ACCEPTED and new != Status.ACCEPTED]
    fallen = np.zeros(len(columns), dtype=bool)
    if recaptured is not None:
        fallen[losing] = True
    elif leaving:
        reached = walk.records if set(leaving) >= set(intent.roots) else snapshot.graph.walk(np.array(leaving, dtype=np.int64)).records
        fallen[reached] = True
    fallen[direct] = False
    fallen &= columns.status == Status.ACCEPTED
    status_after[fallen] = Status.STALE
    for record, (_, new) in becomes.items():
        status_after[record] = new
    changes = fallen.copy()
    changes[direct] = True
    inside = changes[walk.records]
    records, distance, via = walk.records[inside], walk.distance[inside].astype(np.int64), walk.via[inside]
    reached_at_all = np.zeros(len(columns), dtype=bool)
    reached_at_all[walk.records] = True
    outside = direct[~reached_at_all[direct]]
    affected_records = np.concatenate([records, outside])
    affected = Affected(
        affected_records, columns.status[affected_records].astype(np.int64), status_after[affected_records].astype(np.int64),
        np.concatenate([distance, np.zeros(len(outside), dtype=np.int64)]), np.concatenate([via, np.full(len(outside), UNREACHED)]),
    )  # fmt: skip
    rest = walk.records[~inside]
    rest_status = columns.status[rest]
    is_candidate = rest_status == Status.CANDIDATE
    standing, conflicts = _stand(snapshot, intent, status_after, affected, at)
    keys, before, after = _compared_answers(snapshot, intent, standing, conflicts, affected, at, scopes)
    differs = before != after
    asked = {one.key for one in intent.settled}
    reads = {key: (was, now) for key, was, now in zip(keys.tolist(), before.tolist(), after.tolist(), strict=True) if key in asked}
    keys, before, after = keys[differs], before[differs], after[differs]
    return Impact(
        intent, at, affected, walk, np.sort(rest[is_candidate]), rest[~is_candidate & (rest_status != Status.ACCEPTED)],
        np.sort(walk.records[snapshot.delivered[walk.records]]), keys, before, after, conflicts.opened, conflicts.dissolved,
        conflicts.changed, snapshot.count_unparented(), snapshot.seq, status_after, reads=reads,
        sides_after=conflicts.sides_after,
    )  # fmt: skip


def _no_walk() -> Walk:
    return Walk(np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0, np.int64))


@dataclass(frozen=True, slots=True)
class _Conflicts:
    opened: tuple[int, ...]
    dissolved: tuple[int, ...]
    changed: tuple[int, ...]
    live_before: dict[int, list[Side]]
    live_after: dict[int, list[Side]]
    sides_after: dict[int, tuple[int, ...]]


def _stand(snapshot: Snapshot, intent: Intent, status_after: Any, affected: Affected, at: int) -> tuple[Standing, _Conflicts]:
    """Return how things would stand after the plan, and what that does to conflicts."""
    columns = snapshot.columns
    key, valid_from, valid_to = columns.key, columns.valid_from, columns.valid_to
    value, has_value = columns.value, columns.has_value
    if intent.narrowed:
        key, valid_from, valid_to, value, has_value = key.copy(), valid_from.copy(), valid_to.copy(), value.copy(), has_value.copy()
        for item in intent.narrowed:
            start, end = live_interval(item.after.valid_from, item.after.valid_to, None)
            key[item.record] = item.key if item.key is not None else -1
            valid_from[item.record], valid_to[item.record] = start, end
            value[item.record], has_value[item.record] = item.value or 0, item.value is not None
    near: Mapping[int, Near | None] = snapshot.near
    many = snapshot.keys.many
    if intent.narrowed:
        near = {**near, **{item.record: item.near for item in intent.narrowed}}
    if intent.recast is not None:
        value, has_value, many = value.copy(), has_value.copy(), many.copy()
        recoded = np.array(sorted(intent.recast.codes), dtype=np.int64)
        value[recoded] = [intent.recast.codes[record] or 0 for record in recoded.tolist()]
        has_value[recoded] = [intent.recast.codes[record] is not None for record in recoded.tolist()]
        ruled = np.array(sorted(intent.recast.keys), dtype=np.int64)
        many[ruled] = intent.recast.after.many
        near = {record: its for record, its in near.items() if int(key[record]) not in intent.recast.keys} | intent.recast.near
    live = np.isin(affected.new, LIVE) & ~np.isin(affected.old, LIVE)
    entering = (
        set(key[affected.records[live]].tolist())
        | {int(key[item.record]) for item in intent.narrowed}
        | {int(columns.key[item.record]) for item in intent.narrowed}
    )
    open_keys = np.fromiter(snapshot.open_conflicts, np.int64, len(snapshot.open_conflicts))
    is_open = np.zeros(len(snapshot.keys.scope), dtype=bool)
    is_open[open_keys] = True
    leaving = columns.key[affected.records]
    keys = sorted((set(leaving[is_open[leaving]].tolist()) | entering | _recast_keys(snapshot, intent, is_open)) - {0, -1})
    moved = {item.record: int(key[item.record]) for item in intent.narrowed}
    live_before = snapshot.conflicts_live_at(at)
    live_after = dict(live_before)
    opened, dissolved, changed = [], [], []
    sides_after: dict[int, tuple[int, ...]] = {}
    for one in keys:
        members = [record for record in snapshot.claims_of_keys(np.array([one], dtype=np.int64)).tolist() if record not in moved]
        members += [record for record, its in moved.items() if its == one]
        sides = []
        for record in sorted(members):
            if status_after[record] in LIVE:
                end = min(int(valid_to[record]), int(columns.expires_at[record]))
                sides.append(Side(record, int(value[record]) if has_value[record] else None, int(valid_from[record]), end, near.get(record)))
        against = [] if many[one] else sides_of_key(sides)
        now = tuple(side.record for side in against)
        if intent.recast is not None:
            sides_after[one] = now
        was = snapshot.open_conflicts.get(one)
        if was is None and now:
            opened.append(one)
        elif was is not None and not now:
            dissolved.append(one)
        elif was is not None and set(was) != set(now):
            changed.append(one)
        live_after.pop(one, None)
        if sides_live_at(against, at):
            live_after[one] = sides_live_at(against, at)
    standing = Standing(status_after, key, valid_from, valid_to, live_after)
    return standing, _Conflicts(tuple(opened), tuple(dissolved), tuple(changed), live_before, live_after, sides_after)


def _recast_keys(snapshot: Snapshot, intent: Intent, is_open: Mask) -> set[int]:
    """Return the keys whose conflict another comparison may open, close or change: those with two live claims."""
    if intent.recast is None:
        return set()
    columns = snapshot.columns
    live = np.bincount(columns.key[np.isin(columns.status, LIVE)], minlength=len(is_open)) > 1
    ruled = np.array(sorted(intent.recast.keys), dtype=np.int64)
    return set(ruled[live[ruled] | is_open[ruled]].tolist())


def _contested_at(snapshot: Snapshot, live: Mapping[int, Sequence[Side]], key: Any) -> Mask:
    """Return which records have a conflict live on their own key or an ancestor's."""
    keys = np.array(sorted(live), dtype=np.int64)
    if not len(keys):
        return np.zeros(len(snapshot.columns), dtype=bool)
    if key is snapshot.columns.key:
        return snapshot.contested_by(tuple(keys.tolist()))
    return snapshot.graph.mark(np.flatnonzero(np.isin(key, keys)))


def _compared_answers(
    snapshot: Snapshot, intent: Intent, standing: Standing, conflicts: _Conflicts, affected: Affected, at: int, scopes: Mapping[int, str]
) -> tuple[Ints, Answer, Answer]:
    columns = snapshot.columns
    then_rests = snapshot.resting_on({item.record: item.parents for item in intent.rebound})
    before = _contested_at(snapshot, conflicts.live_before, columns.key)
    same = conflicts.live_before.keys() == conflicts.live_after.keys() and not intent.narrowed and not intent.rebound
    after = before if same else _contested_at(then_rests, conflicts.live_after, standing.key)
    touched = [columns.key[affected.records], standing.key[affected.records]]
    if intent.rebound:
        touched.append(columns.key[np.flatnonzero(then_rests.effective_expiry() != snapshot.effective_expiry())])
    touched += [np.array([columns.key[item.record], standing.key[item.record]]) for item in intent.narrowed]
    touched.append(np.array([one.key for one in intent.settled], dtype=np.int64))
    if not same:
        touched.append(columns.key[np.flatnonzero(before ^ after)])
    is_touched = np.zeros(len(snapshot.keys.scope), dtype=bool)
    for some in touched:
        is_touched[some[some > 0]] = True
    keys = _with_nearer(snapshot, np.flatnonzero(is_touched), scopes)
    if not len(keys):
        return keys, np.empty(0, np.int8), np.empty(0, np.int8)
    stands = Standing(columns.status, columns.key, columns.valid_from, columns.valid_to, conflicts.live_before)
    first = answers_of_keys(snapshot, stands, keys, before, at)
    then = answers_of_keys(then_rests, standing, keys, after, at)
    for place in np.flatnonzero(snapshot.asked_twice()[keys]).tolist():
        first[place] = _nearest_answer(snapshot, stands, before, int(keys[place]), at, scopes)
        then[place] = _nearest_answer(then_rests, standing, after, int(keys[place]), at, scopes)
    return keys, first, then


def _with_nearer(snapshot: Snapshot, keys: Ints, scopes: Mapping[int, str]) -> Ints:
    """Return keys together with those of narrower scopes that ask the same, whose answers may lean on them (R14)."""
    found = [keys]
    for key in keys[snapshot.asked_twice()[keys]].tolist():
        here = scopes[int(snapshot.keys.scope[key])]
        same = np.flatnonzero(snapshot.keys.question == snapshot.keys.question[key])
        found.append(np.array([one for one in same.tolist() if one and covers(here, scopes[int(snapshot.keys.scope[one])])], dtype=np.int64))
    return np.unique(np.concatenate(found)) if len(found) > 1 else keys


def _nearest_answer(snapshot: Snapshot, standing: Standing, contested: Mask, key: int, at: int, scopes: Mapping[int, str]) -> int:
    """Return what a reader in the key's scope would be told, broader scopes included (R14)."""
    here = scopes[int(snapshot.keys.scope[key])]
    same = np.flatnonzero(snapshot.keys.question == snapshot.keys.question[key])
    around = sorted(
        (len(scopes[int(snapshot.keys.scope[one])]), int(one)) for one in same if one and covers(scopes[int(snapshot.keys.scope[one])], here)
    )
    for _, one in reversed(around):
        code = int(answers_of_keys(snapshot, standing, np.array([one], dtype=np.int64), contested, at)[0])
        if code in (OK, CONFLICT):
            return code
        claims = np.flatnonzero(standing.key == one)
        doubted = np.isin(standing.status[claims], (Status.STALE, Status.DISPUTED))
        held = (standing.valid_from[claims] <= at) & (standing.valid_to[claims] > at) & (snapshot.columns.expires_at[claims] > at)
        if (doubted & held).any():
            return MISSING
    return MISSING


def seal(impact: Impact, snapshot: Snapshot, policy_version: int, lineage: str) -> Impact:
    """Set the fingerprint: a digest over the plan and everything seen that commit must find again."""
    records = np.sort(impact.affected.records)
    rows = np.empty((len(records), 4), dtype="<i4")
    rows[:, 0], rows[:, 1] = records, snapshot.columns.version[records]
    rows[:, 2], rows[:, 3] = snapshot.columns.status[records], impact.status_after[records]
    state = hashlib.sha256(rows.tobytes())
    state.update(impact.candidates.astype("<i4").tobytes())
    rest = {
        "plan": impact.intent.plan.to_json(), "notices": sorted([n.record, n.edition, n.recipient, n.channel] for n in impact.notices),
        "opened": impact.opened, "dissolved": impact.dissolved, "changed": impact.changed, "policy": policy_version, "lineage": lineage,
        **({"recast": _told(impact.intent.recast)} if impact.intent.recast else {}),
        **({"recaptured": impact.intent.recaptured.told()} if impact.intent.recaptured else {}),
        "settled": [[one.id, one.verdict.value, *one.keep] for one in impact.intent.settled], "left": impact.intent.left,
        "narrowed": [[item.record, item.version, item.after.content_hash()] for item in impact.intent.narrowed],
        **({"rebound": [[item.record, item.version, item.after.content_hash()] for item in impact.intent.rebound]} if impact.intent.rebound else {}),
        **({"fired": [[one.record, one.name, one.cause] for one in impact.intent.fired]} if impact.intent.fired else {}),
        **({"dismissed": sorted(impact.intent.dismissed)} if impact.intent.dismissed else {}),
        **({"redactions": [[one.record, one.start, one.end] for one in impact.intent.redactions]} if impact.intent.redactions else {}),
        **({"falling": sorted(impact.intent.falling)} if impact.intent.falling else {}),
    }  # fmt: skip
    state.update(canonical_json(rest).encode("utf-8"))
    impact.fingerprint = state.hexdigest()[:32]
    return impact


def _told(recast: Recast) -> list[Any]:
    return [None if recast.before is None else recast.before.to_line(), recast.after.to_line()]


def _carried(impact: Impact) -> Ints:
    """Return what is carried over to a new version and keeps its status."""
    recaptured = impact.intent.recaptured
    carried = [] if recaptured is None else [one.record for one in recaptured.carried if one.status is not Status.CANDIDATE]
    return np.setdiff1d(np.array(carried, dtype=np.int64), impact.affected.records)


def pack_rows(impact: Impact, snapshot: Snapshot) -> bytes:
    """Return what was seen as bytes: (record, version, now, then) per affected record, blocked candidate and record carried over."""
    affected = impact.affected
    records = np.concatenate([affected.records, impact.candidates, _carried(impact)])
    rows = np.empty((len(records), 4), dtype="<i4")
    rows[:, 0], rows[:, 1] = records, snapshot.columns.version[records]
    rows[:, 2] = snapshot.columns.status[records]
    rows[:, 3] = rows[:, 2]
    rows[: len(affected), 3] = affected.new
    return rows.tobytes()


def compare_rows(seen: bytes, impact: Impact, snapshot: Snapshot) -> tuple[list[int], list[int], list[int]]:
    """Return the records a remembered preview lacks, has too many, and has otherwise."""
    was = {int(row[0]): tuple(row[1:].tolist()) for row in np.frombuffer(seen, dtype="<i4").reshape(-1, 4)}
    now = {int(row[0]): tuple(row[1:].tolist()) for row in np.frombuffer(pack_rows(impact, snapshot), dtype="<i4").reshape(-1, 4)}
    added = sorted(now.keys() - was.keys())
    removed = sorted(was.keys() - now.keys())
    return added, removed, sorted(record for record in now.keys() & was.keys() if now[record] != was[record])


def open_interval(start: int | None, end: int | None) -> tuple[int, int]:
    """Return interval bounds with ALWAYS and FOREVER for open ends."""
    return ALWAYS if start is None else start, FOREVER if end is None else end
