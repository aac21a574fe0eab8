"""One record of the queue of re-validation, wherever in the queue it stands."""

from __future__ import annotations

import numpy as np

from store.db.claim_store import ClaimStore
from store.db.records import find_card
from store.db.transaction import read
from store.domain.errors import not_found
from store.domain.people import Right
from store.reads.stale_queue import Sifted, StaleRow, StaleSift


def find_stale(store: ClaimStore, person: str, tenant: str, record_id: str, *, authenticated: bool = False) -> tuple[StaleRow | None, str]:
    """Return a record's line of the queue, None where it does not stand in it, and its status.

    Raises:
        Refusal: `not_found`, the same for what is missing and what may not be seen; `not_allowed` for who may see no queue.
    """
    with read(store, person, authenticated=authenticated) as reading:
        number = reading.tenant_number(tenant)
        card = None if number is None else find_card(reading.connection, number, record_id)
        if card is None or not reading.actor.may(Right.INSPECT, card.scope):
            raise not_found(record_id)
        (part,) = Sifted(reading, StaleSift(tenant=tenant)).parts
        found = np.flatnonzero(part.inside & (part.waiting.records == card.number))
        return (part.describe(found[:1])[0] if len(found) else None), card.status.name
