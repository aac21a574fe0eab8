"""Records that arrive as being deleted: nothing comes with them but id and kind, so each needs a request here, or it would wait for ever (R26)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from store.db import tables as t
from store.db.bulk import chunks
from store.db.forgetting import insert_request
from store.db.records import find_numbers, load_cards
from store.db.transaction import Writing
from store.domain.forgetting import RequestState
from store.domain.status import Status


def request_for_pending(tx: Writing, ids: Sequence[str]) -> tuple[str, list[tuple[int, str, str | None]]] | None:
    """Enter one request for those of some records that are being deleted without any, as which they arrived; whoever imports answers for it.

    Returns:
        Its id and its records as the ledger keeps them; None where none was needed.
    """
    d, q = t.deletion_target, t.deletion_request
    cards = load_cards(tx.connection, tx.tenant, find_numbers(tx.connection, tx.tenant, ids).values())
    waiting = {number for number, card in cards.items() if card.status is Status.DELETION_PENDING}
    asked = sa.select(d.c.record).join(q, (q.c.tenant == d.c.tenant) & (q.c.request == d.c.request))
    for some in chunks(sorted(waiting)):
        open_ones = asked.where(d.c.tenant == tx.tenant, d.c.record.in_(some), q.c.state == int(RequestState.OPEN))
        waiting -= set(tx.connection.execute(open_ones).scalars())
    if not waiting:
        return None
    targets: list[dict[str, Any]] = [
        # What it was before is not known here: such a request is carried out, and never refused.
        {
            "record": number, "was": int(Status.DELETION_PENDING), "version": cards[number].version,
            "id_mac": tx.store.ledger.mac_id(tx.tenant_name, cards[number].id), "value_mac": None, "erased_at": None,
        }
        for number in sorted(waiting)
    ]  # fmt: skip
    values = {"found_by": "record", "ground": "other", "owner": tx.actor.id, "reason": "It arrived with an import, as being deleted."}
    _, request = insert_request(tx, values, targets)
    return request, [(target["record"], target["id_mac"], None) for target in targets]
