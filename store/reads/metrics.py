"""The four figures that say whether a memory can be trusted, each with what it was divided by."""

from __future__ import annotations

from typing import Any

import numpy as np

from store.db.claim_store import ClaimStore
from store.db.keys import load_scopes
from store.db.queue_pages import count_statuses
from store.db.records import load_cards, load_contents
from store.db.spans import matching_claims
from store.db.tenants import tenants_of
from store.db.transaction import read
from store.domain.agenda import high_impact_actions, supported_actions
from store.domain.people import Right
from store.domain.reach import Mask
from store.domain.records import Artifact
from store.domain.scopes import covers
from store.domain.snapshot import Snapshot
from store.domain.status import Kind, Status


def measure(store: ClaimStore, person: str, *, scope: str | None = None, authenticated: bool = False) -> dict[str, Any]:
    """Return counts per status and the four figures, each `{"value", "numerator", "denominator"}`."""
    totals = {name: [0, 0] for name in ("bound_coverage", "expired_rate", "unresolved_conflict_rate", "reviewed_action_share")}
    counts: dict[str, int] = {}
    with read(store, person, authenticated=authenticated) as reading:
        for number, name in tenants_of(reading, Right.INSPECT):
            if scope is not None and not (covers(name, scope) or scope == name):
                continue
            for by_status in count_statuses(reading, number, scope).values():
                for status, n in by_status.items():
                    counts[status] = counts.get(status, 0) + n
            paths = load_scopes(reading.connection, number)
            shown = np.zeros(max(paths, default=0) + 1, dtype=bool)
            for place, path in paths.items():
                shown[place] = (scope is None or covers(scope, path)) and reading.actor.may(Right.INSPECT, path)
            snapshot = reading.snapshot(number)
            inside = shown[snapshot.columns.scope] & (snapshot.columns.status >= 0)
            bound = matching_claims(reading.connection, number, snapshot)
            for figure, (top, bottom) in _figures(snapshot, inside, shown, bound, reading.at).items():
                totals[figure][0] += top
                totals[figure][1] += bottom
    figures = {name: {"value": top / bottom if bottom else None, "numerator": top, "denominator": bottom} for name, (top, bottom) in totals.items()}
    return {"counts": counts, **figures}


def _figures(snapshot: Snapshot, inside: Mask, shown: Mask, bound: Mask, at: int) -> dict[str, tuple[int, int]]:
    columns = snapshot.columns
    accepted = columns.status == Status.ACCEPTED
    claims = accepted & (columns.kind == Kind.CLAIM)
    grounded = _every_chain_bound(snapshot, bound)
    expired = snapshot.effective_expiry() <= at
    live_keys = np.unique(columns.key[claims & inside])
    open_keys = [key for key in snapshot.open_conflicts if shown[snapshot.keys.scope[key]]]
    actions = np.flatnonzero(inside & high_impact_actions(snapshot))
    supported = int(supported_actions(snapshot, actions, at).sum())
    return {
        "bound_coverage": (int((claims & inside & grounded).sum()), int((claims & inside).sum())),
        "expired_rate": (int((accepted & inside & expired).sum()), int((accepted & inside).sum())),
        "unresolved_conflict_rate": (len(open_keys), len(live_keys)),
        "reviewed_action_share": (supported, len(actions)),
    }


def _every_chain_bound(snapshot: Snapshot, bound: Mask) -> Mask:
    """Return which records have every chain of parents end in evidence through a span that matches."""
    good = bound.copy()
    kind = snapshot.columns.kind
    good[kind == Kind.EVIDENCE] = True
    for level in snapshot.graph.levels():
        count = snapshot.graph.parents.start[level + 1] - snapshot.graph.parents.start[level]
        parents = snapshot.graph.parents.neighbours(level)
        starts = np.concatenate([[0], np.cumsum(count)[:-1]])
        chains = np.logical_and.reduceat(good[parents], starts)
        on_evidence = np.logical_or.reduceat(kind[parents] == Kind.EVIDENCE, starts)
        # A record that names evidence itself needs a matching span; one that only derives needs good parents.
        good[level] = chains & (bound[level] | ~on_evidence)
    return good


def explain_actions(store: ClaimStore, person: str, tenant: str, record_id: str, *, authenticated: bool = False) -> dict[str, Any]:
    """Return whether an action may go ahead, and whatever blocks it, by name (R19)."""
    from store.db.answering import find_blockers  # noqa: PLC0415
    from store.db.candidates import ends_in_evidence  # noqa: PLC0415
    from store.db.records import ancestors_of, find_card  # noqa: PLC0415
    from store.domain.errors import not_found  # noqa: PLC0415

    with read(store, person, authenticated=authenticated) as reading:
        number = reading.tenant_number(tenant)
        card = find_card(reading.connection, number, record_id) if number is not None else None
        if card is None or number is None or not reading.actor.may(Right.INSPECT, card.scope):
            raise not_found(record_id)
        content = load_contents(reading.connection, number, [card])[card.number]
        above = ancestors_of(reading.connection, number, [card.number])
        parents = above[card.number]
        blockers = find_blockers(reading.connection, number, parents, reading.at)
        cards = load_cards(reading.connection, number, above)
        blocking = []
        for parent in parents:
            blocker = blockers[parent]
            for at, what in (
                (blocker.unaccepted, "not accepted"),
                (blocker.expired, "expired"),
                (blocker.contested and blocker.contested[1], "in an open conflict"),
            ):
                if at:
                    blocking.append({"id": cards[parent].id, "because": cards[at].id, "what": what})
        if card.high_impact:
            unbound = [parent for parent in parents if not ends_in_evidence(above, cards, parent)] if parents else [card.number]
            blocking.extend({"id": cards[one].id, "because": cards[one].id, "what": "without a bound source"} for one in unbound)
        is_action = isinstance(content, Artifact) and content.artifact_type == "action"
        return {
            "id": card.id,
            "impact": "high" if card.high_impact else "normal",
            "action": is_action,
            "blocked": bool(blocking),
            "blocking": blocking,
        }
