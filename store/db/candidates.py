"""Gathering what the promotion checks look at."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.conflicts import KeyClaim, claims_of_key, open_conflicts
from store.db.keys import find_key, load_policy, load_predicates, nearest_predicate
from store.db.records import ancestors_of, contributors_of, find_numbers, load_cards, load_content, load_ids
from store.db.renditions import load_captured
from store.domain.conflicts import Side, contradicts, live_interval
from store.domain.people import Actor
from store.domain.promotion import Facts, Parent, Terms, apply_terms
from store.domain.records import Artifact, Card, Claim
from store.domain.spans import Passage, locate_in
from store.domain.status import LIVE, Kind, Status
from store.domain.tolerance import read_near
from store.domain.values import value_code


def load_passages(connection: Connection, tenant: int, claim: Claim) -> tuple[Passage, ...]:
    """Return what each of a claim's bindings points at, by looking at the captured bytes."""
    found = []
    for binding in claim.evidence:
        row = connection.execute(
            sa.select(t.record.c.record).where(
                t.record.c.tenant == tenant, t.record.c.id == binding.evidence, t.record.c.kind == int(Kind.EVIDENCE)
            )
        ).one_or_none()
        if row is None:
            found.append(Passage(False, f"{binding.evidence} is no evidence. Amend the binding."))
        else:
            found.append(locate_in(binding, load_captured(connection, tenant, row.record)))
    return tuple(found)


def load_parents(connection: Connection, tenant: int, numbers: list[int], at: int) -> tuple[tuple[Parent, ...], bool]:
    """Return what a record rests on directly, and whether every chain from there ends in evidence."""
    above = ancestors_of(connection, tenant, numbers)
    cards = load_cards(connection, tenant, above)
    keys = {card.key for card in cards.values() if card.key is not None}
    contested_keys = set(open_conflicts(connection, tenant, keys))
    expiry: dict[int, int | None] = {}
    contested: dict[int, bool] = {}
    for number in order_above(above):
        own = cards[number].expires_at
        bounds = [bound for bound in (own, *(expiry[parent] for parent in above[number])) if bound is not None]
        expiry[number] = min(bounds) if bounds else None
        contested[number] = cards[number].key in contested_keys or any(contested[parent] for parent in above[number])
    parents = []
    for number in numbers:
        card, bound = cards[number], expiry[number]
        parents.append(Parent(card.id, card.status, card.scope, bound, bound is not None and bound <= at, contested[number]))
    grounded = bool(numbers) and all(cards[number].kind is Kind.EVIDENCE for number, its in above.items() if not its)
    return tuple(parents), grounded


def ends_in_evidence(above: dict[int, list[int]], cards: dict[int, Card], number: int) -> bool:
    """Return whether every chain from a record upwards ends in evidence."""
    waiting, seen = [number], {number}
    while waiting:
        one = waiting.pop()
        if not above[one] and cards[one].kind is not Kind.EVIDENCE:
            return False
        waiting.extend(parent for parent in above[one] if parent not in seen)
        seen.update(above[one])
    return True


def order_above(above: dict[int, list[int]]) -> list[int]:
    """Return the records of an ancestry so that parents come before what rests on them."""
    done: dict[int, None] = {}
    stack = [(number, False) for number in above]
    while stack:
        number, ready = stack.pop()
        if number in done:
            continue
        if ready:
            done[number] = None
        else:
            stack.append((number, True))
            stack.extend((parent, False) for parent in above[number] if parent not in done)
    return list(done)


def unrecorded_reads(connection: Connection, tenant: int, card: Card, recorded: set[int]) -> list[int]:
    """Return what the candidate's task read, and the candidate neither declares nor rests on, and nobody judged (R8)."""
    if card.task is None:
        return []
    log, entry = t.read_log, t.read_log_record
    query = (
        sa.select(entry.c.record)
        .join(log, log.c.n == entry.c.n)
        .where(log.c.tenant == tenant, entry.c.tenant == tenant, log.c.task == card.task)
        .distinct()
    )
    read = set(connection.execute(query).scalars())
    judged = set(
        connection.execute(
            sa.select(t.dependency_review.c.read_record).where(t.dependency_review.c.tenant == tenant, t.dependency_review.c.record == card.number)
        ).scalars()
    )
    return sorted(read - judged - recorded - {card.number})


def recorded_approvals(connection: Connection, tenant: int, card: Card) -> tuple[str, ...]:
    """Return who approved this very version of a high-impact candidate."""
    d, p = t.decision, t.person
    query = (
        sa.select(p.c.id)
        .join(d, (d.c.tenant == p.c.tenant) & (d.c.person == p.c.person))
        .where(d.c.tenant == tenant, d.c.record == card.number, d.c.action == "first approval", d.c.version == card.version)
        .order_by(d.c.seq)
    )
    return tuple(connection.execute(query).scalars())


def load_facts(connection: Connection, tenant: int, card: Card, decider: Actor, terms: Terms, at: int) -> Facts:
    """Return everything the promotion checks look at, with `terms` applied.

    Raises:
        Refusal: a term does not fit the record.
    """
    record = load_content(connection, tenant, card)
    assert isinstance(record, Claim | Artifact)
    changed = apply_terms(record, terms)
    predicate = None
    if isinstance(changed, Claim):
        predicate = nearest_predicate(load_predicates(connection, tenant), changed.scope, changed.predicate)
    above = ancestors_of(connection, tenant, [card.number])
    direct = list(above[card.number])
    unrecorded = unrecorded_reads(connection, tenant, card, set(above))
    ids = load_ids(connection, tenant, unrecorded)
    direct.extend(number for number in sorted(find_numbers(connection, tenant, list(terms.used)).values()) if number not in direct)
    parents, grounded = load_parents(connection, tenant, direct, at)
    left = tuple(ids[number] for number in unrecorded if ids[number] not in terms.used and ids[number] not in terms.not_used)
    return Facts(
        card, changed, predicate, load_policy(connection, tenant, changed.scope), parents,
        load_passages(connection, tenant, changed) if isinstance(changed, Claim) else (), grounded,
        frozenset(contributors_of(connection, tenant, card)), left, recorded_approvals(connection, tenant, card), decider, terms, at,
    )  # fmt: skip


def rivals_of(connection: Connection, tenant: int, card: Card, claim: Claim) -> tuple[Side, list[KeyClaim]]:
    """Return a candidate as conflicts see it, and every claim of its key that lives or is stale."""
    predicate = nearest_predicate(load_predicates(connection, tenant), claim.scope, claim.predicate)
    lives = live_interval(claim.valid_from, claim.valid_to, claim.expires_at)
    mine = Side(card.number, value_code(claim.value, predicate), *lives, read_near(claim.value, predicate))
    key = find_key(connection, tenant, claim.scope, claim.subject, claim.predicate, claim.qualifiers)
    if key is None:
        return mine, []
    held = [*LIVE, Status.STALE]
    return mine, [other for other in claims_of_key(connection, tenant, key) if other.status in held and other.record != card.number]


def contradicted(mine: Side, rivals: list[KeyClaim]) -> list[KeyClaim]:
    """Return the accepted or disputed claims that accepting `mine` would contradict."""
    return [other for other in rivals if other.status in LIVE and contradicts(mine, other.side)]


def answered(mine: Side, rivals: list[KeyClaim], *, series: bool) -> list[KeyClaim]:
    """Return the STALE claims that accepting `mine` would answer (R4)."""
    stale = [other for other in rivals if other.status is Status.STALE]
    if series:
        return [other for other in stale if other.side.start == mine.start]
    return [other for other in stale if max(mine.start, other.side.start) < min(mine.end, other.side.end)]
