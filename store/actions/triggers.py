"""Firing triggers by hand, and dismissing what fired: causes of staleness that are no lost parents (DESIGN section 3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from store.db.claim_store import ClaimStore
from store.db.commits import write_impact
from store.db.decisions import find_visible, need_reason
from store.db.impacts import derive
from store.db.keys import load_scopes
from store.db.records import find_numbers, load_cards, load_ids
from store.db.stale_rows import newer_versions
from store.db.transaction import Reading, Writing, read, write
from store.db.triggers import accepted_in, add_fired, dismiss_fired, open_triggers
from store.domain.errors import Code, Refusal, not_found
from store.domain.impact import Impact
from store.domain.people import Right
from store.domain.periods import TRIGGERS
from store.domain.plans import Fired, Intent, Plan, Verb
from store.domain.records import Card
from store.domain.scopes import covers
from store.domain.snapshot import Snapshot
from store.domain.status import Kind, Status, Step, next_status

_SIFT = ("scope", "subject", "owner")
_MOST = 100_000


def fire_trigger(
    store: ClaimStore, person: str, tenant: str, name: str, records: Sequence[str] | Mapping[str, str], reason: str | None, *,
    operation: str | None = None, authenticated: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Fire a trigger: accepted records fall stale with all that rests on them, stale ones get a further cause.

    Args:
        name: one of `TRIGGERS`.
        records: ids, or a sift of `scope`, `subject` and `owner`: every accepted claim and artifact there that the person may decide on.

    Returns:
        `{"fired", "changed", "event", "notices"}`.

    Raises:
        Refusal: `not_found`, `not_allowed`, `illegal_step` or `bad_value`.
    """
    words = [name, dict(records) if isinstance(records, Mapping) else list(records), reason]
    with write(store, person, tenant, "fire trigger", words, operation=operation, authenticated=authenticated) as tx:
        if tx.repeated is None:
            tx.reason = need_reason(reason)
            cards = _chosen(tx, tx.tenant, name, records)
            snapshot, impact = _foresee(tx, tx.tenant, name, cards, tx.reason)
            write_impact(tx, snapshot, impact, f"{name} fired, event {tx.seq}")
            tx.result = {"fired": len(cards), "changed": len(impact.affected), "event": tx.seq, "notices": len(impact.notices)}
    return tx.repeated if tx.repeated is not None else tx.result


def foresee_trigger(
    store: ClaimStore, person: str, tenant: str, name: str, records: Sequence[str] | Mapping[str, str], *, authenticated: bool = False
) -> dict[str, int]:
    """Return what firing would do: `{"fired", "changed", "delivered"}`; changes nothing."""
    with read(store, person, authenticated=authenticated) as reading:
        number = reading.tenant_number(tenant)
        if number is None:
            raise not_found(tenant)
        cards = _chosen(reading, number, name, records)
        _, impact = _foresee(reading, number, name, cards, None)
        return {"fired": len(cards), "changed": len(impact.affected), "delivered": len(impact.delivered)}


def _foresee(reading: Reading, number: int, name: str, cards: Sequence[Card], cause: str | None) -> tuple[Snapshot, Impact]:
    intent = Intent(Plan(Verb.SUSPEND, tuple(card.id for card in cards)), roots=sorted(card.number for card in cards))
    intent.fired = [Fired(card.number, name, cause) for card in cards]
    for card in cards:
        if card.status is Status.ACCEPTED:
            intent.becomes[card.number] = (card.status, next_status(card.id, card.status, Step.FALL_STALE))
    return derive(reading, number, intent)


def _chosen(reading: Reading, number: int, name: str, records: Sequence[str] | Mapping[str, str]) -> list[Card]:
    if name not in TRIGGERS:
        raise Refusal(Code.BAD_VALUE, f"There is no trigger {name!r}; there are {', '.join(TRIGGERS)}. Nothing was changed.")
    if isinstance(records, Mapping):
        return _sifted(reading, number, records)
    if not records:
        raise Refusal(Code.BAD_VALUE, "Say for which records, or for which scope, subject or owner. Nothing was changed.")
    numbers = find_numbers(reading.connection, number, list(dict.fromkeys(records)))
    cards = load_cards(reading.connection, number, numbers.values())
    found = []
    for record_id in dict.fromkeys(records):
        card = cards.get(numbers.get(record_id, 0))
        if card is None or not reading.actor.may(Right.INSPECT, card.scope):
            raise not_found(record_id)
        reading.actor.need(Right.DECIDE, card.scope, f"fire {name} for {record_id}")
        if card.kind is Kind.EVIDENCE:
            raise Refusal(Code.ILLEGAL_STEP, f"{record_id} is a captured version, which nothing makes stale. Nothing was changed. Suspend it instead.")
        if card.status is not Status.STALE:
            next_status(card.id, card.status, Step.FALL_STALE)
        found.append(card)
    return found


def _sifted(reading: Reading, number: int, sift: Mapping[str, str]) -> list[Card]:
    wrong = [name for name in sift if name not in _SIFT]
    if wrong or not sift:
        raise Refusal(Code.BAD_VALUE, f"Sift by {', '.join(_SIFT)}. Nothing was changed.")
    scopes = [
        place for place, path in load_scopes(reading.connection, number).items()
        if reading.actor.may(Right.DECIDE, path) and ("scope" not in sift or covers(sift["scope"], path))
    ]  # fmt: skip
    found = accepted_in(reading.connection, number, scopes, sift.get("subject"), sift.get("owner"), _MOST + 1)
    if not found:
        raise Refusal(Code.NOT_FOUND, "Nothing accepted that you may decide on is there. Nothing was changed. Check scope, subject and owner.")
    if len(found) > _MOST:
        raise Refusal(Code.BAD_VALUE, f"That is more than {_MOST:,} records. Nothing was changed. Narrow it down.")
    return list(load_cards(reading.connection, number, found).values())


def dismiss_trigger(
    store: ClaimStore, person: str, tenant: str, record_id: str, name: str, reason: str | None, *, operation: str | None = None,
    authenticated: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Dismiss a trigger of one record, or the newer version of its source that would be one; no status changes.

    Returns:
        `{"dismissed": n, "event": seq}`.

    Raises:
        Refusal: `not_found`, `not_allowed`; `already_decided` where none is open.
    """
    with write(store, person, tenant, "dismiss trigger", [record_id, name, reason], operation=operation, authenticated=authenticated) as tx:
        if tx.repeated is None:
            tx.reason = need_reason(reason)
            card = find_visible(tx, record_id)
            tx.actor.need(Right.DECIDE, card.scope, f"dismiss {name} of {record_id}")
            tx.result = {"dismissed": _dismiss(tx, card, name), "event": tx.seq}
    return tx.repeated if tx.repeated is not None else tx.result


def _dismiss(tx: Writing, card: Card, name: str) -> int:
    fired = [(row.record, row.n) for row in open_triggers(tx.connection, tx.tenant, [card.number]) if row.name == name]
    if fired:
        dismiss_fired(tx, fired, tx.reason)
        return len(fired)
    newer = newer_versions(tx.connection, tx.tenant).get(card.number) if name == "source_changed" and card.status is Status.ACCEPTED else None
    if newer is None:
        raise Refusal(Code.ALREADY_DECIDED, f"No {name} of {card.id} is open. Nothing was changed.")
    add_fired(tx, [Fired(card.number, name, load_ids(tx.connection, tx.tenant, [newer])[newer])], reason=tx.reason, dismissed=True)
    return 1
