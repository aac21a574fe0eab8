"""The decisions somebody made last, with whether each may still be taken back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from store.db.claim_store import ClaimStore
from store.db.recent_decisions import decided_lately, why_not_reopen
from store.db.records import load_cards
from store.db.tenants import tenants_of
from store.db.transaction import read
from store.db.veils import load_shown
from store.domain.people import Right
from store.domain.records import Claim
from store.domain.scopes import covers, tenant_of
from store.domain.status import STANDS, Step, is_legal
from store.domain.times import format_time
from store.reads.candidate_page import title_of

#: A day back, in microseconds.
_DAY = 86_400_000_000


@dataclass(frozen=True, slots=True)
class RecentDecision:
    """One decision that stands. Texts come from outside.

    Attributes:
        event: its number, by which taking it back is one operation.
        why_not: why it cannot be taken back any more, None where it can.
    """

    id: str
    tenant: str
    kind: str
    status: str
    title: str
    value: Any
    event: int
    action: str
    at: str
    route: str | None
    reason: str | None
    why_not: str | None


def list_recent_decisions(
    store: ClaimStore, person: str, *, scope: str | None = None, most: int = 10, authenticated: bool = False
) -> tuple[RecentDecision, ...]:
    """Return the person's own decisions of the last day that nobody decided over, newest first."""
    found: list[tuple[int, RecentDecision]] = []
    with read(store, person, authenticated=authenticated) as reading:
        for number, tenant in tenants_of(reading, Right.DECIDE):
            if scope is not None and tenant_of(scope) != tenant:
                continue
            made = decided_lately(reading.connection, number, person, reading.at - _DAY, most)
            cards = load_cards(reading.connection, number, [one.record for one in made])
            contents = load_shown(reading.connection, number, list(cards.values()), with_bytes=False)
            for one in made:
                card, content = cards[one.record], contents[one.record]
                if not reading.actor.may(Right.INSPECT, card.scope) or not (scope is None or covers(scope, card.scope)):
                    continue
                why = why_not_reopen(reading.connection, number, card, person, reading.at)
                if why is None and not is_legal(card.status, Step.REOPEN):
                    why = f"it {STANDS[card.status]} now"
                value = content.value if isinstance(content, Claim) else None
                found.append((one.at, RecentDecision(
                    card.id, tenant, "claim" if isinstance(content, Claim) else "artifact", card.status.name, title_of(content), value, one.seq,
                    one.action, format_time(one.at), one.route, one.reason, why,
                )))  # fmt: skip
    found.sort(key=lambda item: (-item[0], -item[1].event))
    return tuple(one for _, one in found[:most])
