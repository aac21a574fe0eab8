"""Everything that happened, in order; and which records each event touched."""

from __future__ import annotations

from typing import Any

from store.db.claim_store import ClaimStore
from store.db.impacts import read_note
from store.db.journal import list_events_of
from store.db.records import find_card
from store.db.tenants import tenants_of
from store.db.transaction import read
from store.domain.errors import Code, Refusal, not_found
from store.domain.people import Right
from store.domain.times import format_time


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
        allowed = [(number, name) for number, name in tenants_of(reading, Right.INSPECT) if tenant in (None, name)]
        if not allowed or (record is None and not any(reading.actor.may(Right.INSPECT, name) for _, name in allowed)):
            raise Refusal(Code.NOT_ALLOWED, f"{reading.actor.name} may not see the events{f' of {tenant}' if tenant else ''}. Ask an admin.")
        seen_record = record is None
        for number, name in allowed:
            card = find_card(reading.connection, number, record) if record is not None else None
            if record is not None and (card is None or not reading.actor.may(Right.INSPECT, card.scope)):
                continue
            if record is None and not reading.actor.may(Right.INSPECT, name):
                continue
            seen_record = True
            for event in list_events_of(reading.connection, number, record=card.number if card else None, after=after, limit=limit + 1):
                note = read_note(reading.connection, number, event.seq)
                items.append({
                    "seq": event.seq, "tenant": name, "at": format_time(event.at), "actor": event.actor, "action": event.action, "count": event.count,
                    "authenticated": event.authenticated, "reason": note.get("reason"),
                })  # fmt: skip
        if not seen_record:
            raise not_found(record or "")
        return {"items": items[:limit], "cut": len(items) > limit}
