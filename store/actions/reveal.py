"""Looking behind a veil: it takes the right to see everything of the scope, and is logged."""

from __future__ import annotations

from typing import Any

from store.db.claim_store import ClaimStore
from store.db.records import find_card
from store.db.transaction import write
from store.domain.errors import Code, Refusal, not_found
from store.domain.people import Right
from store.domain.status import FORGOTTEN


def reveal(
    store: ClaimStore, person: str, tenant: str, record_id: str, *, seen: int | None = None, operation: str | None = None, authenticated: bool = False
) -> dict[str, Any]:
    """Note that somebody asks to see what is veiled in a record, and return which version of it may be shown to them.

    The event names the record and its version; nothing of what is shown.

    Args:
        seen: the version whose veil was looked at; another one by now is not shown.

    Raises:
        Refusal: `not_found`, also for who may not see everything of its scope; `changed_since_seen`.
    """
    with write(store, person, tenant, "reveal", [record_id, seen], operation=operation, authenticated=authenticated) as tx:
        if tx.repeated is None:
            card = find_card(tx.connection, tx.tenant, record_id)
            if card is None or card.status in FORGOTTEN or not tx.actor.may(Right.INSPECT, card.scope):
                raise not_found(record_id)
            if seen is not None and seen != card.version:
                raise Refusal(Code.CHANGED_SINCE_SEEN, f"{record_id} changed since you looked. Nothing was shown. Look at it again.")
            tx.result = {"revealed": card.id, "number": card.number, "version": card.version, "event": tx.seq}
    return tx.repeated if tx.repeated is not None else tx.result
