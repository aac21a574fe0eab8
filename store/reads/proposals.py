"""What house rules propose for conflicts; nothing here decides anything (R11)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from store.db.claim_store import ClaimStore
from store.db.conflicts import find_conflicts, open_conflicts
from store.db.keys import load_policy
from store.db.records import ancestors_of, load_cards
from store.db.transaction import read
from store.db.voices import load_voices
from store.domain.house_rules import propose
from store.domain.people import Right
from store.domain.strict_json import BadLine


@dataclass(frozen=True, slots=True)
class ProposedVerdict:
    """What the house would settle one conflict by: the rule as a plan takes it, why, the ids that would stay, or why it does not say."""

    conflict: str
    rule: dict[str, Any]
    because: str
    keep: tuple[str, ...]
    why: str | None


def propose_verdicts(store: ClaimStore, person: str, tenant: str, ids: Sequence[str], *, authenticated: bool = False) -> dict[str, ProposedVerdict]:
    """Return conflict -> what the policy in force there proposes, for those open ones the person may see and that have a rule."""
    with read(store, person, authenticated=authenticated) as reading:
        number = reading.tenant_number(tenant)
        if number is None:
            return {}
        rows = [row for row in find_conflicts(reading.connection, number, ids) if reading.actor.may(Right.INSPECT, row.path)]
        rules = {path: load_policy(reading.connection, number, path).get("house_rules", []) for path in {row.path for row in rows}}
        rows = [row for row in rows if rules[row.path]]
        sides = {key: one.sides for key, one in open_conflicts(reading.connection, number, [row.key for row in rows]).items()}
        every = [record for its in sides.values() for record in its]
        above = ancestors_of(reading.connection, number, every)
        cards = load_cards(reading.connection, number, above)
        voices = load_voices(reading.connection, number, {record: cards[record] for record in every}, above, cards, reading.at)
        found = {}
        for row in rows:
            if row.key not in sides:
                continue
            try:
                proposal = propose(rules[row.path], row.predicate, [voices[record] for record in sides[row.key]])
            except (BadLine, KeyError, TypeError, ValueError):
                # Policies imported before the shape was checked may hold anything; those propose nothing.
                continue
            if proposal is not None:
                keep = tuple(cards[record].id for record in proposal.keep)
                found[row.id] = ProposedVerdict(row.id, proposal.rule, proposal.because, keep, proposal.why)
        return found
