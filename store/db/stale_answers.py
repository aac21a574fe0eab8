"""Which candidates answer a claim that needs re-validation, and whether a new one would (R4)."""

from __future__ import annotations

from sqlalchemy.engine import Connection

from store.db.candidates import answered
from store.db.conflicts import KeyClaim, claims_of_key
from store.db.keys import load_predicates, nearest_predicate
from store.db.records import load_cards, load_ids, parents_of, successor_of
from store.domain.conflicts import Side, live_interval
from store.domain.records import Card, Claim
from store.domain.status import Kind, Status
from store.domain.tolerance import read_near
from store.domain.values import Predicate, value_code


def predicate_of(connection: Connection, tenant: int, claim: Claim) -> Predicate:
    """Return how the predicate of a claim is declared where the claim stands."""
    return nearest_predicate(load_predicates(connection, tenant), claim.scope, claim.predicate)


def answering(connection: Connection, tenant: int, card: Card, claim: Claim) -> list[KeyClaim]:
    """Return the candidates that replace a stale claim when they are approved, in order of arrival."""
    if card.key is None:
        return []
    rivals = claims_of_key(connection, tenant, card.key)
    mine = [one for one in rivals if one.record == card.number]
    series = predicate_of(connection, tenant, claim).series
    return [one for one in rivals if one.status is Status.CANDIDATE and answered(one.side, mine, series=series)]


def would_answer(connection: Connection, tenant: int, card: Card, after: Claim) -> tuple[bool, KeyClaim | None]:
    """Return whether a new claim would answer a stale one, and the candidate of the same value that does so already."""
    predicate = predicate_of(connection, tenant, after)
    lives = live_interval(after.valid_from, after.valid_to, after.expires_at)
    mine = Side(0, value_code(after.value, predicate), *lives, read_near(after.value, predicate))
    rivals = claims_of_key(connection, tenant, card.key) if card.key is not None else []
    fallen = [one for one in rivals if one.record == card.number]
    same = next((
        one for one in rivals
        if one.status is Status.CANDIDATE and one.side.value == mine.value and (one.side.start, one.side.end) == (mine.start, mine.end)
    ), None)  # fmt: skip
    return bool(answered(mine, fallen, series=predicate.series)), same


def standing_claims(connection: Connection, tenant: int, record: int) -> list[str]:
    """Return the ids of what an answer may rest on beside its passage: parents that are accepted and no captured version, and accepted successors of the others."""
    found = set()
    for card in load_cards(connection, tenant, [parent for _, parent, _ in parents_of(connection, tenant, [record])]).values():
        current: Card | None = card
        seen: set[int] = set()
        while current is not None and current.status is not Status.ACCEPTED and current.number not in seen:
            seen.add(current.number)
            after = successor_of(connection, tenant, current.number)
            current = None if after is None else load_cards(connection, tenant, [after]).get(after)
        if current is not None and current.status is Status.ACCEPTED and current.kind is not Kind.EVIDENCE:
            found.add(current.number)
    return sorted(load_ids(connection, tenant, sorted(found)).values())
