"""Letting a plan speak of a version that arrived and was not sorted yet."""

from __future__ import annotations

from store.actions.plan_files import keep_plan_file
from store.db.claim_store import ClaimStore
from store.db.plan_files import PlanFile
from store.db.records import find_card, load_bytes, load_content
from store.db.transaction import read
from store.domain.errors import not_found
from store.domain.people import Right
from store.domain.records import Evidence


def keep_version(store: ClaimStore, person: str, tenant: str, evidence_id: str, *, authenticated: bool = False) -> PlanFile:
    """Keep the bytes of a captured version as a file plans can speak of.

    Raises:
        Refusal: `not_found`: there is no such version that the person may see.
    """
    with read(store, person, authenticated=authenticated) as reading:
        number = reading.tenant_number(tenant)
        card = find_card(reading.connection, number, evidence_id) if number is not None else None
        if number is None or card is None or not reading.actor.may(Right.INSPECT, card.scope):
            raise not_found(evidence_id)
        content = load_content(reading.connection, number, card)
        if not isinstance(content, Evidence):
            raise not_found(evidence_id)
        kept = bytes(load_bytes(reading.connection, number, card.number))
    return keep_plan_file(store, person, tenant, kept, name=None, media_type=content.media_type, authenticated=authenticated)
