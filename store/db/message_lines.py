"""Messages and remedies out of the tables for an export, and into them from an import."""

from __future__ import annotations

from collections.abc import Mapping

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.messages import (
    CARRIED,
    add_items,
    add_named,
    ids_of_messages,
    insert_message,
    items_of_messages,
    last_falls,
    load_messages,
    named_in_messages,
)
from store.db.records import load_cards, load_ids
from store.db.transaction import Writing
from store.domain.message_line import MessageEntry, RemedyEntry
from store.domain.messages import STATE_WORD, MessageState
from store.domain.status import Status

_STATES = {word: state for state, word in STATE_WORD.items()}
#: Fields that the line and the table have alike.
_ALIKE = (
    "id", "recipient", "channel", "subject", "body", "drafted_by", "drafted_at", "address", "approved_by", "approved_at", "attempted_at", "sent_at", "seen_at",
    "attempts", "failure", "message_id",
)  # fmt: skip
_GONE = (Status.DELETION_PENDING, Status.DELETED)


def list_message_lines(connection: Connection, tenant: int) -> list[tuple[MessageEntry, list[str]]]:
    """Return every message with the scopes of all it names, in the order they were drafted; none that names something that is deleted."""
    rows = sorted(load_messages(connection, tenant), key=lambda row: int(row.message))
    numbers = [row.message for row in rows]
    items, named = items_of_messages(connection, tenant, numbers), named_in_messages(connection, tenant, numbers)
    artifacts = ids_of_messages(connection, tenant, items)
    cards = load_cards(connection, tenant, {one for its in named.values() for one in its} | {record for its in items.values() for _, _, record in its})
    found = []
    for row in rows:
        about = [cards[record] for record in {*named[row.message], *(record for _, _, record in items[row.message])} if record in cards]
        if not artifacts[row.message] or any(card.status in _GONE for card in about):
            continue
        place = next(card.scope for card in about if card.id == artifacts[row.message][0])
        entry = MessageEntry(
            scope=place, state=STATE_WORD[MessageState(row.state)], correction=row.correction_id, artifacts=tuple(artifacts[row.message]),
            names=tuple(sorted(cards[record].id for record in named[row.message] if record in cards)), **{name: getattr(row, name) for name in _ALIKE},
        )  # fmt: skip
        found.append((entry, sorted({card.scope for card in about})))
    return found


def add_message(tx: Writing, entry: MessageEntry, correction: int | None, records: Mapping[str, int]) -> None:
    """Keep a message that an import brings; it tells of what it told of, under no event of this store."""
    number, _ = insert_message(tx, correction=correction, state=int(_STATES[entry.state]), **{name: getattr(entry, name) for name in _ALIKE})
    add_items(tx, number, [(CARRIED, -records[one]) for one in entry.artifacts])
    add_named(tx, number, [records[one] for one in entry.names])


def list_remedy_lines(connection: Connection, tenant: int) -> list[RemedyEntry]:
    """Return every remedy of what is not deleted, by record and in the order they were decided."""
    r = t.remedy
    rows = connection.execute(sa.select(r).where(r.c.tenant == tenant).order_by(r.c.record, r.c.seq)).all()
    cards = load_cards(connection, tenant, {row.record for row in rows})
    ids = load_ids(connection, tenant, sorted({row.edition for row in rows if row.edition is not None}))
    falls, last = last_falls(connection, tenant, sorted(cards)), {row.record: row.seq for row in rows}
    return [
        RemedyEntry(
            cards[row.record].id, cards[row.record].scope, row.way, row.person, row.at, None if row.edition is None else ids.get(row.edition), row.text,
            row.seq > 0 and row.seq == last[row.record] and row.seq >= falls.get(row.record, 0),
        )
        for row in rows if cards[row.record].status not in _GONE
    ]  # fmt: skip


def add_remedies(tx: Writing, record: int, entries: list[RemedyEntry], editions: Mapping[str, int]) -> None:
    """Keep the remedies of one artifact that an import brings; only the last may count still."""
    rows = [
        {
            "tenant": tx.tenant, "record": record, "seq": tx.seq if one.stands and n == len(entries) - 1 else n - len(entries), "way": one.way,
            "edition": None if one.edition is None else editions[one.edition], "text": one.text, "person": one.by, "at": one.at,
        }
        for n, one in enumerate(entries)
    ]  # fmt: skip
    tx.connection.execute(sa.insert(t.remedy), rows)
