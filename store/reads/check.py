"""The promotion checks of a candidate, for whoever asks."""

from __future__ import annotations

from typing import Any

from store.db.candidates import contradicted, load_facts, rivals_of
from store.db.claim_store import ClaimStore
from store.db.records import find_card
from store.db.transaction import read
from store.domain.errors import Code, Refusal, not_found
from store.domain.people import Right
from store.domain.promotion import Terms, judge
from store.domain.records import Claim
from store.domain.status import FORGOTTEN, STANDS, Kind


def check_record(
    store: ClaimStore, person: str, tenant: str, record_id: str, terms: Terms | None = None, *, authenticated: bool = False
) -> dict[str, Any]:
    """Return every promotion check with its verdict, as they would be for this person's decision.

    Raises:
        Refusal: `not_found`; `illegal_step` for what is being forgotten; `bad_value` for evidence, which is captured and not promoted.
    """
    with read(store, person, authenticated=authenticated) as reading:
        number = reading.tenant_number(tenant)
        card = find_card(reading.connection, number, record_id) if number is not None else None
        if card is None or number is None or not (reading.actor.may(Right.INSPECT, card.scope) or reading.actor.may(Right.PROPOSE, card.scope)):
            raise not_found(record_id)
        if card.status in FORGOTTEN:
            # What would be judged is blocked, and the verdicts would tell of it.
            if not reading.actor.may(Right.INSPECT, card.scope):
                raise not_found(record_id)
            raise Refusal(Code.ILLEGAL_STEP, f"{record_id} {STANDS[card.status]}, so there is nothing to check. See its deletion request.")
        if card.kind is Kind.EVIDENCE:
            raise Refusal(Code.BAD_VALUE, f"{record_id} is evidence: it is captured as it is, and not promoted.")
        verdict = judge(load_facts(reading.connection, number, card, reading.actor, terms or Terms(), reading.at))
        rivals: list[str] = []
        assert verdict.facts is not None
        if isinstance(verdict.facts.record, Claim) and verdict.facts.predicate is not None and not verdict.facts.predicate.many:
            mine, others = rivals_of(reading.connection, number, card, verdict.facts.record)
            rivals = [other.id for other in contradicted(mine, others)]
        return {
            "id": record_id, "version": card.version, "content_hash": card.content_hash, "checks": [check.to_json() for check in verdict.checks],
            "can_approve": verdict.can_approve, "needs_second": verdict.needs_second, "contradicts": rivals,
            "unrecorded": list(verdict.facts.unrecorded),
        }  # fmt: skip
