"""Everything that happened, in order; and which records each event touched."""

from __future__ import annotations

from typing import Any

from store.db.claim_store import ClaimStore
from store.db.forgetting import find_tombstone
from store.db.impacts import read_note
from store.db.journal import list_events_of, looked_at
from store.db.records import find_card, load_ids
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
    action: str | None = None,
    after: int = 0,
    limit: int = 1000,
    authenticated: bool = False,
) -> dict[str, Any]:
    """Return events, oldest first, of one record or of whole tenants; for auditors, admins and reviewers of all of the tenant.

    Of somebody who looked behind a veil it is said at which record, and which version of it. What was forgotten is found by the id it had, too: what was decided about it stays, without words.
    """
    with read(store, person, authenticated=authenticated) as reading:
        items: list[dict[str, Any]] = []
        allowed = [(number, name) for number, name in tenants_of(reading, Right.INSPECT) if tenant in (None, name)]
        if not allowed or (record is None and not any(reading.actor.may(Right.INSPECT, name) for _, name in allowed)):
            raise Refusal(Code.NOT_ALLOWED, f"{reading.actor.name} may not see the events{f' of {tenant}' if tenant else ''}. Ask an admin.")
        seen_record = record is None
        for number, name in allowed:
            card = find_card(reading.connection, number, record) if record is not None else None
            if card is None and record is not None:
                card = find_tombstone(reading.connection, store, number, name, record)
            if record is not None and (card is None or not reading.actor.may(Right.INSPECT, card.scope)):
                continue
            if record is None and not reading.actor.may(Right.INSPECT, name):
                continue
            seen_record = True
            events = list_events_of(reading.connection, number, record=card.number if card else None, after=after, limit=limit + 1, action=action)
            looked = looked_at(reading.connection, number, [event.seq for event in events if event.action == "reveal"])
            ids = load_ids(reading.connection, number, [one for one, _ in looked.values()])
            for event in events:
                note = read_note(reading.connection, number, event.seq)
                items.append({
                    "seq": event.seq, "tenant": name, "at": format_time(event.at), "actor": event.actor, "action": event.action, "count": event.count,
                    "authenticated": event.authenticated, "reason": note.get("reason"),
                    **({"record": ids.get(looked[event.seq][0]), "version": looked[event.seq][1]} if event.seq in looked else {}),
                })  # fmt: skip
        if not seen_record:
            raise not_found(record or "")
        return {"items": items[:limit], "cut": len(items) > limit}
