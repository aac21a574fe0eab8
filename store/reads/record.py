"""One record: what it is, what it rests on, whether it is usable and why not, and what happened to it."""

from __future__ import annotations

import json
from typing import Any

from store.db.answering import find_blockers
from store.db.candidates import answered, load_parents, rivals_of
from store.db.claim_store import ClaimStore
from store.db.conflicts import decided_before
from store.db.decisions import last_route
from store.db.forgetting import find_tombstone
from store.db.impacts import read_note
from store.db.journal import content_before, keys_contested_after, last_event_by, list_changes, statuses_after
from store.db.keys import load_predicates, nearest_predicate
from store.db.nearness import near_keys
from store.db.read_log import served_count
from store.db.records import (
    ancestors_of,
    children_of,
    count_children,
    families_of,
    find_card,
    find_numbers,
    load_cards,
    load_content,
    load_ids,
    successor_of,
)
from store.db.transaction import Reading, read
from store.db.veils import flags_of, shown_line, veiled
from store.domain.conflicts import side_of, sides_live_at
from store.domain.errors import not_found
from store.domain.origins import count_apart
from store.domain.people import Right
from store.domain.records import Artifact, Card, Claim, Evidence
from store.domain.snapshot import ANY_PURPOSE
from store.domain.status import DECIDED_AGAINST, FORGOTTEN, KIND_WORD, STANDS, Kind, Status, artifact_validity
from store.domain.times import format_time
from store.domain.veiling import hide
from store.reads.answers import explain_blocker


def show_record(
    store: ClaimStore, person: str, tenant: str, record_id: str, *, at: int | None = None, known_at: int | None = None, authenticated: bool = False
) -> dict[str, Any]:
    """Return everything the store says of one record.

    Args:
        at: the world time for validity and expiry, microseconds UTC; now by default.
        known_at: what the store knew then: status, version, content and parents as they stood at that moment.

    What was forgotten is found by the id it had, too; what is told of it is that it was forgotten, and under which id its history stays.

    Raises:
        Refusal: `not_found`, also for what the person may not see.
    """
    with read(store, person, authenticated=authenticated) as reading:
        number = reading.tenant_number(tenant)
        card = find_card(reading.connection, number, record_id) if number is not None else None
        if card is None and number is not None:
            card = find_tombstone(reading.connection, store, number, tenant, record_id)
        if card is None or number is None:
            raise not_found(record_id)
        inspecting = reading.actor.may(Right.INSPECT, card.scope)
        if card.status in FORGOTTEN:
            if not inspecting:
                raise not_found(record_id)
            return describe_forgotten(reading, number, card)
        moment = reading.at if at is None else at
        blocker = find_blockers(reading.connection, number, [card.number], moment)[card.number]
        in_time = (card.valid_from is None or card.valid_from <= moment) and (card.valid_to is None or moment < card.valid_to)
        open_to_any = bool(card.flags & ANY_PURPOSE)
        if not inspecting and not (reading.actor.may(Right.READ, card.scope) and blocker.usable and in_time and open_to_any):
            raise not_found(record_id)
        found = describe(reading, number, card, moment)
        names = load_ids(reading.connection, number, [one for one in (blocker.expired, blocker.unaccepted) if one])
        if known_at is not None:
            found |= as_known(reading, number, card, known_at)
            found["usable"], found["why"] = _usable_then(reading, number, card, known_at, moment)
        else:
            found["usable"] = blocker.usable and in_time and open_to_any
            why = [] if blocker.usable else [explain_blocker(card.id, card.status, blocker, card.number, names)]
            if not why and not in_time:
                why = [f"{card.id} does not hold at that time."]
            if not why and not open_to_any:
                why = [f"{card.id} is kept for certain purposes, and none is asked for."]
            found["why"] = why
        return found


def describe_forgotten(reading: Reading, number: int, card: Card) -> dict[str, Any]:
    """Return what may be told of a record that is being forgotten, or is forgotten: id, kind, status, and when which step was taken by whom."""
    history = [{**item, "reason": None} for item in history_of(reading, number, card.number)]
    line = {"type": KIND_WORD[card.kind], "id": card.id, "status": card.status.name.lower()}
    return {
        "id": card.id, "kind": KIND_WORD[card.kind], "status": card.status.name, "version": card.version, "content_hash": None, "record": line,
        "parents": [], "children_count": 0, "roots": [], "independent_roots": 0, "supports": {"lost": [], "remaining": []}, "decided_before": [],
        "answers": None, "superseded_by": None, "route": None, "served": 0, "history": history, "usable": False,
        "why": [f"{card.id} {STANDS[card.status]}."],
        **({"validity": artifact_validity(card.status), "delivery": None, "deliveries": []} if card.kind is Kind.ARTIFACT else {}),
    }  # fmt: skip


def _usable_then(reading: Reading, number: int, card: Card, known_at: int, at: int) -> tuple[bool, list[str]]:
    """Return whether a record would have been served at `at` by what was known at `known_at`, and why not."""
    last = last_event_by(reading.connection, number, known_at)
    above = ancestors_of(reading.connection, number, [card.number])
    cards = load_cards(reading.connection, number, above)
    status = statuses_after(reading.connection, number, list(above), last)
    for one in cards.values():
        if status.get(one.number) is not Status.ACCEPTED:
            was = status[one.number].name if one.number in status else "not there yet"
            return False, [f"{card.id} was {was}." if one.number == card.number else f"{card.id} rests on {one.id}, which was {was}."]
        if one.expires_at is not None and one.expires_at <= at:
            return False, [f"{card.id} is expired." if one.number == card.number else f"{card.id} rests on {one.id}, which is expired."]
    contested = keys_contested_after(reading.connection, number, sorted({one.key for one in cards.values() if one.key is not None}), last)
    sides = load_cards(reading.connection, number, [record for its in contested.values() for record in its])
    for key, its in contested.items():
        near = near_keys(reading.connection, number, [key])
        if sides_live_at([side_of(sides[one], near.get(one)) for one in its], at):
            return False, [f"{card.id} was in an open conflict." if key == card.key else f"{card.id} rested on something in an open conflict."]
    in_time = (card.valid_from is None or card.valid_from <= at) and (card.valid_to is None or at < card.valid_to)
    return in_time and bool(card.flags & ANY_PURPOSE), [] if in_time else [f"{card.id} does not hold at that time."]


def describe(reading: Reading, number: int, card: Card, at: int) -> dict[str, Any]:
    """Return a record as plain values, whoever asks."""
    connection = reading.connection
    above = ancestors_of(connection, number, [card.number])
    cards = load_cards(connection, number, above)
    content = load_content(connection, number, card)
    hidden = bool(veiled(connection, number, [card]))
    line = (hide(content, flags_of(connection, number, [card]).get(card.number, ())) if hidden else content).to_line()
    for heavy in ("content", "content_base64"):
        line.pop(heavy, None)
    if isinstance(content, Evidence) and content.rendition is not None:
        taken = content.rendition
        pages = None if taken.pages is None else len(taken.pages)
        line["rendition"] = {"extractor": taken.extractor, "version": taken.version, "sha256": taken.sha256, "characters": len(taken.text), "pages": pages}
    for name in content.assumed_utc:
        line[name] = f"{line[name]}Z"
    if content.assumed_utc:
        line["assumed_utc"] = list(content.assumed_utc)
    roots = [cards[one] for one in above if cards[one].kind is Kind.EVIDENCE]
    parents = [cards[one] for one in above[card.number]]
    states, _ = load_parents(connection, number, above[card.number], at)
    successor = successor_of(connection, number, card.number)
    earlier = decided_before(connection, number, card.number, card.key, card.value) if card.kind is Kind.CLAIM else []
    found: dict[str, Any] = {
        "id": card.id, "kind": KIND_WORD[card.kind], "status": card.status.name, "version": card.version, "content_hash": card.content_hash,
        "record": line, "parents": sorted(parent.id for parent in parents), "children_count": count_children(connection, number, card.number),
        "roots": sorted(root.id for root in roots), "independent_roots": count_independent(reading, number, roots, at),
        "supports": {
            "lost": sorted(state.id for state in states if state.status is not Status.ACCEPTED or state.expired),
            "remaining": sorted(state.id for state in states if state.status is Status.ACCEPTED and not state.expired),
        },
        "decided_before": [{"id": record_id, "status": status.name} for record_id, status in earlier],
        "answers": find_answered(reading, number, card, content), "superseded_by": None if successor is None else load_ids(connection, number, [successor])[successor],
        "route": _route(reading, number, card), "served": served_count(connection, number, card.number), "history": history_of(reading, number, card.number),
    }  # fmt: skip
    if hidden:
        found["veiled"] = list(dict.fromkeys(flag.kind for flag in flags_of(connection, number, [card]).get(card.number, ()))) or ["marked"]
    if found["route"] == "sensitive":
        found["content_hash"] = content.content_hash()
    if isinstance(content, Artifact):
        found |= {
            "validity": artifact_validity(card.status), "delivery": "DELIVERED" if content.deliveries else "NOT_DELIVERED",
            "deliveries": [delivery.to_line() for delivery in content.deliveries],
        }  # fmt: skip
    return found


def find_answered(reading: Reading, number: int, card: Card, content: Any) -> str | None:
    """Return the STALE record a candidate would answer (R4)."""
    if card.status is not Status.CANDIDATE or not isinstance(content, Claim):
        return None
    predicate = nearest_predicate(load_predicates(reading.connection, number), content.scope, content.predicate)
    mine, rivals = rivals_of(reading.connection, number, card, content)
    if predicate.many:
        rivals = [other for other in rivals if other.side.value == mine.value]
    found = answered(mine, rivals, series=predicate.series)
    return found[0].id if found else None


def count_independent(reading: Reading, number: int, roots: list[Card], at: int) -> int:
    """Return the number of independent roots: accepted, unexpired, once per family; equal content is one family."""
    good = [root for root in roots if root.status is Status.ACCEPTED and (root.expires_at is None or root.expires_at > at)]
    return count_families(reading, number, good)


def count_families(reading: Reading, number: int, good: list[Card]) -> int:
    """Return how many source families captured versions come from; families with equal content are one."""
    if not good:
        return 0
    return count_apart(families_of(reading.connection, number, [root.number for root in good]))


def _route(reading: Reading, number: int, card: Card) -> str | None:
    if card.status is not Status.REJECTED:
        return None
    return last_route(reading.connection, number, card.number)


def history_of(reading: Reading, number: int, record: int) -> list[dict[str, Any]]:
    """Return what happened to a record, oldest first, with who did it and why."""
    return [
        {
            "seq": change.seq, "at": format_time(change.at), "action": change.action, "actor": change.actor,
            "from": None if change.before is None else change.before.name, "to": change.after.name, "version": change.version,
            "reason": read_note(reading.connection, number, change.seq).get("reason"),
        }
        for change in list_changes(reading.connection, number, record)
    ]  # fmt: skip


def as_known(reading: Reading, number: int, card: Card, known_at: int) -> dict[str, Any]:
    """Return status, version, content and parents as the store had them at a moment.

    Order comes from event numbers; the moment only picks the last event recorded by then.

    Raises:
        Refusal: the record was not there yet.
    """
    last = last_event_by(reading.connection, number, known_at)
    changes = [change for change in list_changes(reading.connection, number, card.number) if change.seq <= last]
    if not changes:
        raise not_found(card.id)
    then = changes[-1]
    replaced = content_before(reading.connection, number, card.number, then.version, last)
    found: dict[str, Any] = {"status": then.after.name, "version": then.version, "known_at": format_time(known_at)}
    found["history"] = [item for item in history_of(reading, number, card.number) if item["seq"] <= last]
    if replaced is not None:
        line = shown_line(reading.connection, number, card, json.loads(replaced[0]), then.version)
        found["record"], found["content_hash"] = line, replaced[1]
        found["parents"] = sorted({*line.get("derived_from", []), *(binding["evidence"] for binding in line.get("evidence", []))})
    found |= _around_then(reading, number, card, found.get("parents"), last)
    if card.status is Status.REJECTED and _route(reading, number, card) == "sensitive":
        found["record"] = {
            **found.get("record", {}),
            **dict.fromkeys(("value", "statement", "conditions", "title", "body")),
            "evidence": [],
        }
    if then.after is not Status.SUPERSEDED:
        found["superseded_by"] = None
    if then.after is not Status.REJECTED:
        found["route"] = None
    found["served"] = served_count(reading.connection, number, card.number, known_at)
    if card.kind is Kind.ARTIFACT:
        found["validity"] = artifact_validity(then.after)
    return found


def _around_then(reading: Reading, number: int, card: Card, parents: list[str] | None, last: int) -> dict[str, Any]:
    """Return what stood around a record after event `last`: its supports, roots, and how many rested on it."""
    connection = reading.connection
    if parents is None:
        direct = ancestors_of(connection, number, [card.number])[card.number]
    else:
        direct = sorted(find_numbers(connection, number, parents).values())
    above = ancestors_of(connection, number, direct)
    cards = load_cards(connection, number, above)
    status = statuses_after(connection, number, list(above), last)
    roots = [card] if card.kind is Kind.EVIDENCE else [cards[one] for one in above if cards[one].kind is Kind.EVIDENCE]
    standing = [root for root in roots if status.get(root.number, root.status) is Status.ACCEPTED]
    children = load_cards(connection, number, children_of(connection, number, card.number)).values()
    return {
        "supports": {
            "lost": sorted(cards[one].id for one in direct if status.get(one) is not Status.ACCEPTED),
            "remaining": sorted(cards[one].id for one in direct if status.get(one) is Status.ACCEPTED),
        },
        "roots": sorted(root.id for root in roots),
        "independent_roots": count_families(reading, number, standing),
        "children_count": sum(child.created_seq <= last for child in children),
        "decided_before": _decided_then(reading, number, card, last),
    }


def _decided_then(reading: Reading, number: int, card: Card, last: int) -> list[dict[str, Any]]:
    earlier = decided_before(reading.connection, number, card.number, card.key, card.value) if card.kind is Kind.CLAIM else []
    numbers = find_numbers(reading.connection, number, [record_id for record_id, _ in earlier])
    then = statuses_after(reading.connection, number, list(numbers.values()), last)
    return [{"id": one, "status": then[numbers[one]].name} for one, _ in earlier if then.get(numbers[one]) in DECIDED_AGAINST]


def list_children(
    store: ClaimStore, person: str, tenant: str, record_id: str, limit: int = 50, *, authenticated: bool = False
) -> list[dict[str, Any]]:
    """Return records resting directly on one, with kind and status; for people who may see everything of its scope."""
    with read(store, person, authenticated=authenticated) as reading:
        number = reading.tenant_number(tenant)
        card = find_card(reading.connection, number, record_id) if number is not None else None
        if card is None or number is None or not reading.actor.may(Right.INSPECT, card.scope):
            raise not_found(record_id)
        cards = load_cards(reading.connection, number, children_of(reading.connection, number, card.number, limit))
        return [
            {"id": child.id, "kind": KIND_WORD[child.kind], "status": child.status.name}
            for child in cards.values()
            if reading.actor.may(Right.INSPECT, child.scope)
        ]
