"""What waits for one person, as masks over one tenant's columns: their own stale records, and actions that are blocked."""

from __future__ import annotations

import numpy as np

from store.domain.reach import Ints, Mask
from store.domain.snapshot import ACTION, HIGH_IMPACT, Snapshot
from store.domain.status import Kind, Status

_UNFINISHED = (Status.CANDIDATE, Status.ACCEPTED, Status.STALE, Status.DISPUTED)


def stale_of(snapshot: Snapshot, owner: int | None, scopes: Ints) -> Ints:
    """Return the records of an owner, in some scopes, that need re-validation; in the order they came."""
    if not owner:
        return np.empty(0, dtype=np.int64)
    columns = snapshot.columns
    found = np.flatnonzero((columns.status == Status.STALE) & (columns.owner == owner))
    return found[np.isin(columns.scope[found], scopes)]


def high_impact_actions(snapshot: Snapshot) -> Mask:
    """Return which records are actions of high impact that are not finished (R19)."""
    columns = snapshot.columns
    actions = (columns.flags & (ACTION | HIGH_IMPACT)) == ACTION | HIGH_IMPACT
    return np.asarray(actions & (columns.kind == Kind.ARTIFACT) & np.isin(columns.status, _UNFINISHED), dtype=np.bool_)


def usable_records(snapshot: Snapshot, at: int) -> Mask:
    """Return which records are accepted, unexpired with all they rest on, valid and uncontested at a time, in microseconds."""
    columns = snapshot.columns
    keys = np.array(sorted(snapshot.conflicts_live_at(at)), dtype=np.int64)
    usable = (columns.status == Status.ACCEPTED) & (snapshot.effective_expiry() > at) & ~snapshot.graph.mark(snapshot.claims_of_keys(keys))
    return np.asarray(usable & (columns.valid_from <= at) & (columns.valid_to > at), dtype=np.bool_)


def supported_actions(snapshot: Snapshot, actions: Ints, at: int) -> Mask:
    """Return which of some actions rest on something, all of it usable at a time, in microseconds."""
    if not len(actions):
        return np.empty(0, dtype=np.bool_)
    usable = usable_records(snapshot, at)
    parents = [snapshot.graph.parents.of(action) for action in actions.tolist()]
    return np.array([bool(len(its) and usable[its].all()) for its in parents], dtype=np.bool_)


def blocking_keys(snapshot: Snapshot) -> set[int]:
    """Return the contested keys of which an unfinished high-impact action rests on some side."""
    actions = np.flatnonzero(high_impact_actions(snapshot)).tolist()
    if not actions or not snapshot.open_conflicts:
        return set()
    above = snapshot.graph.ancestors(actions)
    return {key for key, sides in snapshot.open_conflicts.items() if any(side in above for side in sides)}
