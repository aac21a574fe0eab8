"""Everything that happened, in order; and which records each event touched."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from store.db import tables as t
from store.db.claim_store import ClaimStore
from store.db.impacts import read_note
from store.db.records import find_card
from store.db.transaction import read
from store.domain.errors import Code, Refusal, not_found
from store.domain.people import Right
from store.domain.times import format_time
from store.reads.queues import tenants_of


def list_events(
    store: ClaimStore,
    person: str,
    *,
    tenant: str | None = None,
    record: str | None = None,
    after: int = 0,
    limit: int = 1000,
    authenticated: bool = False,
) -> dict[str, Any]:
    """Return events, oldest first, of one record or of whole tenants; for auditors, admins and reviewers of all of the tenant."""
    with read(store, person, authenticated=authenticated) as reading:
        items: list[dict[str, Any]] = []
        e, p, h = t.event, t.person, t.history
        allowed = [(number, name) for number, name in tenants_of(reading, Right.INSPECT) if tenant in (None, name)]
        if tenant is not None and not allowed:
            raise Refusal(Code.NOT_ALLOWED, f"{reading.actor.name} may not see the events of {tenant}. Ask an admin there.")
        seen_record = record is None
        for number, name in allowed:
            query = sa.select(e.c.seq, e.c.at, p.c.id, e.c.action, e.c.count, e.c.authenticated).join(
                p, (p.c.tenant == e.c.tenant) & (p.c.person == e.c.person)
            )
            query = query.where(e.c.tenant == number, e.c.seq > after).order_by(e.c.seq).limit(limit)
            if record is not None:
                card = find_card(reading.connection, number, record)
                if card is None or not reading.actor.may(Right.INSPECT, card.scope):
                    continue
                seen_record = True
                query = query.join(h, (h.c.tenant == e.c.tenant) & (h.c.seq == e.c.seq)).where(h.c.record == card.number)
            elif not reading.actor.may(Right.INSPECT, name):
                continue
            for row in reading.connection.execute(query):
                note = read_note(reading.connection, number, row.seq)
                items.append({
                    "seq": row.seq, "tenant": name, "at": format_time(row.at), "actor": row.id, "action": row.action, "count": row.count,
                    "authenticated": row.authenticated, "reason": note.get("reason"),
                })  # fmt: skip
        if not seen_record:
            raise not_found(record or "")
        return {"items": items[:limit]}
