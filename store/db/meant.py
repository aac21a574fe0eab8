"""What accepted claim a candidate differs from: of its own key, or the one that a lookup from its scope gives (R4, R14)."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy.engine import Connection

from store.db.candidates import contradicted, rivals_of
from store.db.conflicts import KeyClaim, claims_of_key
from store.db.keys import find_key, load_predicates, nearest_predicate
from store.db.records import ancestors_of
from store.domain.conflicts import Side, contradicts, live_interval
from store.domain.promotion import Verdict
from store.domain.records import Card, Claim
from store.domain.scopes import nearest_first
from store.domain.status import LIVE, Status
from store.domain.tolerance import read_near
from store.domain.values import Predicate, value_code
from store.domain.waiting import fit_into_series


@dataclass(frozen=True, slots=True)
class Difference:
    """The accepted or disputed claims that a candidate differs from.

    Attributes:
        scope: theirs; the candidate's own, or one above it.
        mine: the candidate as conflicts see it; `rivals`: the other claims of its own key.
        others: those it differs from, which are all of one key.
    """

    scope: str
    same_key: bool
    mine: Side
    others: tuple[KeyClaim, ...]
    rivals: tuple[KeyClaim, ...]


def find_difference(connection: Connection, tenant: int, card: Card, claim: Claim, predicate: Predicate) -> Difference | None:
    """Return what accepted claims a candidate differs from, None where it differs from none.

    A figure of a series differs only from one that begins with it; the others give way by themselves.
    """
    if predicate.many:
        return None
    mine, rivals = rivals_of(connection, tenant, card, claim)
    others = contradicted(mine, rivals)
    if predicate.series:
        ended, end = fit_into_series(mine, [other.side for other in others])
        now = Side(mine.record, mine.value, mine.start, end, mine.near)
        others = [other for other in contradicted(now, rivals) if other.record not in ended]
    if others:
        return Difference(claim.scope, True, mine, tuple(others), tuple(rivals))
    if any(_overlap(mine, other.side) for other in rivals if other.status in (*LIVE, Status.STALE)):
        return None
    for scope in nearest_first(claim.scope)[1:]:
        key = find_key(connection, tenant, scope, claim.subject, claim.predicate, claim.qualifiers)
        there = [] if key is None else [one for one in claims_of_key(connection, tenant, key) if one.status in (*LIVE, Status.STALE) and one.record != card.number]
        side = _side_in(connection, tenant, card, claim, scope)
        if predicate.series:
            there = [one for one in there if one.side.start == side.start]
        differing = [one for one in there if one.status in LIVE and contradicts(side, one.side)]
        if differing:
            return Difference(scope, False, mine, tuple(differing), tuple(rivals))
        if any(_overlap(side, one.side) for one in there):
            return None
    return None


def joins_conflict(connection: Connection, tenant: int, card: Card, verdict: Verdict, found: Difference) -> bool:
    """Return whether a candidate that is asked about passes the checks, and so becomes a side of a conflict with what it differs from."""
    if not found.same_key or not verdict.can_approve or verdict.needs_second:
        return False
    above = ancestors_of(connection, tenant, [card.number])
    return not any(other.record in above for other in found.others)


def _side_in(connection: Connection, tenant: int, card: Card, claim: Claim, scope: str) -> Side:
    """Return the candidate as it would be told apart in a broader scope."""
    predicate = nearest_predicate(load_predicates(connection, tenant), scope, claim.predicate)
    lives = live_interval(claim.valid_from, claim.valid_to, claim.expires_at)
    return Side(card.number, value_code(claim.value, predicate), *lives, read_near(claim.value, predicate))


def _overlap(one: Side, other: Side) -> bool:
    return max(one.start, other.start) < min(one.end, other.end)
