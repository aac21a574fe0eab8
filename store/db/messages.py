"""Messages as rows: what is still to be told to whom, and the outbox with its states (R24)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.bulk import chunks
from store.db.records import load_cards, load_contents, load_ids
from store.db.snapshots import unpack_touched
from store.db.transaction import Writing
from store.domain.forgetting import NAMELESS
from store.domain.messages import MessageState
from store.domain.records import Artifact, Card, Record
from store.domain.snapshot import ACTION, HIGH_IMPACT, Snapshot
from store.domain.status import Kind, Status

#: The event number under which a message carries what an import brought with it.
CARRIED = 0
#: The action that notes a delivery.
DELIVER = "deliver"


@dataclass(frozen=True, slots=True)
class Untold:
    """One thing one person is to be told: a delivered edition, or a document they own (`n` is then minus its record number)."""

    seq: int
    n: int
    record: int
    recipient: str
    channel: str

    @property
    def as_owner(self) -> bool:
        """Return whether the person owns it, rather than having received it."""
        return self.n < 0


def load_untold(connection: Connection, tenant: int, snapshot: Snapshot, events: Sequence[int], owners: dict[int, str]) -> list[Untold]:
    """Return what events made necessary to tell and stands in no message yet, one per (event, edition, recipient) and (event, document, owner).

    A recipient who was forgotten is to be told nothing any more: nobody knows who that was.

    Args:
        owners: number -> name of those who may own something.
    """
    found: list[Untold] = []
    n = t.notice
    for some in chunks(events):
        query = sa.select(n.c.seq, n.c.n, n.c.record, n.c.recipient, n.c.channel).where(n.c.tenant == tenant, n.c.seq.in_(some))
        found.extend(Untold(*row) for row in connection.execute(query.order_by(n.c.seq, n.c.n)))
    # A delivery recorded of what had fallen already is news to whoever got it, not to the owner.
    late = _recorded_late(connection, tenant, {one.seq for one in found})
    found.extend(_load_owned(connection, tenant, snapshot, [seq for seq in events if seq not in late], owners, {(one.seq, one.record) for one in found}))
    in_message = _in_messages(connection, tenant, events)
    return [one for one in found if (one.seq, one.n) not in in_message and one.recipient != NAMELESS]


def _recorded_late(connection: Connection, tenant: int, events: set[int]) -> set[int]:
    """Return those of some events with notices that only noted a delivery."""
    e = t.event
    found: set[int] = set()
    for some in chunks(sorted(events)):
        found.update(connection.execute(sa.select(e.c.seq).where(e.c.tenant == tenant, e.c.seq.in_(some), e.c.action == DELIVER)).scalars())
    return found


def _load_owned(
    connection: Connection, tenant: int, snapshot: Snapshot, events: Sequence[int], owners: dict[int, str], delivered: set[tuple[int, int]]
) -> list[Untold]:
    """Return documents whose owners are to be told: those that an event made stale or that went out, and actions below that still run."""
    e, h = t.event, t.history
    columns = snapshot.columns
    found: list[Untold] = []
    for seq, packed in connection.execute(sa.select(e.c.seq, e.c.touched).where(e.c.tenant == tenant, e.c.seq.in_(list(events)))).all():
        fell = set(connection.execute(sa.select(h.c.record).where(h.c.tenant == tenant, h.c.seq == seq, h.c.new == int(Status.STALE), h.c.old == int(Status.ACCEPTED))).scalars())
        touched = unpack_touched(packed)
        touched = touched[touched < len(columns)]
        below = snapshot.graph.walk(touched).records if len(touched) else touched
        runs = (columns.flags[below] & (ACTION | HIGH_IMPACT) == ACTION | HIGH_IMPACT) & np.isin(columns.status[below], (Status.ACCEPTED, Status.STALE))
        of_kind = np.array(sorted(fell), dtype=np.int64)
        told = set(of_kind[columns.kind[of_kind] == Kind.ARTIFACT].tolist()) | set(below[runs].tolist()) | {record for of, record in delivered if of == seq}
        found.extend(Untold(seq, -record, record, owners[int(columns.owner[record])], "owner") for record in sorted(told) if int(columns.owner[record]) in owners)
    return found


def _in_messages(connection: Connection, tenant: int, events: Sequence[int]) -> set[tuple[int, int]]:
    m, k = t.message, t.message_notice
    found: set[tuple[int, int]] = set()
    for some in chunks(events):
        query = sa.select(k.c.seq, k.c.n).join(m, (m.c.tenant == k.c.tenant) & (m.c.message == k.c.message))
        found.update((seq, n) for seq, n in connection.execute(query.where(k.c.tenant == tenant, k.c.seq.in_(some), m.c.state != int(MessageState.CANCELLED))))
    return found


def insert_notice(tx: Writing, record: int, edition: int, recipient: str, channel: str, *, since: int) -> bool:
    """Note that somebody is to be told of an edition they got after it had fallen, unless an event from `since` on says so already; return whether it was noted."""
    n = t.notice
    same = (n.c.tenant == tx.tenant, n.c.record == record, n.c.edition == edition, n.c.recipient == recipient, n.c.seq >= since)
    if tx.connection.execute(sa.select(n.c.seq).where(*same).limit(1)).first() is not None:
        return False
    tx.connection.execute(sa.insert(n), {
        "tenant": tx.tenant, "seq": tx.seq, "n": 0, "record": record, "edition": edition, "recipient": recipient, "channel": channel,
    })  # fmt: skip
    return True


def events_with_notices(connection: Connection, tenant: int) -> list[int]:
    """Return the events after which somebody was to be told something."""
    n = t.notice
    return list(connection.execute(sa.select(n.c.seq).where(n.c.tenant == tenant).distinct().order_by(n.c.seq)).scalars())


def events_to_tell(connection: Connection, tenant: int, snapshot: Snapshot) -> list[int]:
    """Return the events after which somebody was to be told something: who got what they made fall, or who owns a document that still needs re-validation."""
    columns = snapshot.columns
    owned = np.flatnonzero((columns.kind == Kind.ARTIFACT) & (columns.status == Status.STALE) & (columns.owner > 0))
    return sorted({*events_with_notices(connection, tenant), *last_falls(connection, tenant, owned.tolist()).values()})


def events_about(connection: Connection, tenant: int, record: int) -> list[int]:
    """Return the events because of which holders of an artifact are to be told."""
    n = t.notice
    return list(connection.execute(sa.select(n.c.seq).where(n.c.tenant == tenant, n.c.record == record).distinct().order_by(n.c.seq)).scalars())


def events_of_corrections(connection: Connection, tenant: int) -> dict[int, list[int]]:
    """Return event -> the corrections it belongs to."""
    e = t.correction_event
    found: dict[int, list[int]] = {}
    for seq, correction in connection.execute(sa.select(e.c.seq, e.c.correction).where(e.c.tenant == tenant).order_by(e.c.correction)):
        found.setdefault(seq, []).append(correction)
    return found


def load_messages(
    connection: Connection, tenant: int, *, ids: Iterable[str] | None = None, correction: int | None = None, states: Sequence[MessageState] = (),
) -> list[Any]:  # fmt: skip
    """Return the rows of messages with the id of their correction, the newest first."""
    m, c = t.message, t.correction
    query = (
        sa.select(m, c.c.id.label("correction_id"))
        .outerjoin(c, (c.c.tenant == m.c.tenant) & (c.c.correction == m.c.correction))
        .where(m.c.tenant == tenant)
        .order_by(m.c.message.desc())
    )
    if correction is not None:
        query = query.where(m.c.correction == correction)
    if states:
        query = query.where(m.c.state.in_([int(state) for state in states]))
    if ids is None:
        return list(connection.execute(query).all())
    return [row for some in chunks(sorted(set(ids))) for row in connection.execute(query.where(m.c.id.in_(some)))]


def items_of_messages(connection: Connection, tenant: int, messages: Sequence[int]) -> dict[int, list[tuple[int, int, int]]]:
    """Return message -> (event, n, record) of what it tells, in order."""
    k, n = t.message_notice, t.notice
    found: dict[int, list[tuple[int, int, int]]] = {number: [] for number in messages}
    for some in chunks(sorted(set(messages))):
        query = (
            sa.select(k.c.message, k.c.seq, k.c.n, n.c.record)
            .outerjoin(n, (n.c.tenant == k.c.tenant) & (n.c.seq == k.c.seq) & (n.c.n == k.c.n))
            .where(k.c.tenant == tenant, k.c.message.in_(some))
            .order_by(k.c.message, k.c.seq, k.c.n)
        )
        for message, seq, place, record in connection.execute(query):
            found[message].append((seq, place, -place if place < 0 else record))
    return found


def find_draft(connection: Connection, tenant: int, recipient: str, correction: int | None) -> Any:
    """Return the message to somebody that was drafted and not approved yet, None where there is none."""
    m = t.message
    same = m.c.correction.is_(None) if correction is None else m.c.correction == correction
    query = sa.select(m).where(m.c.tenant == tenant, m.c.state == int(MessageState.DRAFTED), m.c.recipient == recipient, m.c.request.is_(None), same)
    return connection.execute(query.order_by(m.c.message)).first()


def insert_message(tx: Writing, **values: Any) -> tuple[int, str]:
    """Keep a new message as part of this action, and return its number and id."""
    m = t.message
    number = int(tx.connection.execute(sa.select(sa.func.coalesce(sa.func.max(m.c.message), 0)).where(m.c.tenant == tx.tenant)).scalar_one()) + 1
    if "id" not in values:
        # An import may have brought a message of that name.
        names = [f"message-{number}", *(f"message-{number}-{n}" for n in range(2, 100))]
        known = set(tx.connection.execute(sa.select(m.c.id).where(m.c.tenant == tx.tenant, m.c.id.in_(names))).scalars())
        values["id"] = next(name for name in names if name not in known)
    values = {"drafted_by": tx.actor.id, "drafted_at": tx.at, "attempts": 0, "state": int(MessageState.DRAFTED), **values}
    tx.connection.execute(sa.insert(m), {"tenant": tx.tenant, "message": number, **values})
    return number, str(values["id"])


def add_items(tx: Writing, message: int, items: Iterable[tuple[int, int]]) -> None:
    """Let a message carry more (event, n)."""
    rows = [{"tenant": tx.tenant, "message": message, "seq": seq, "n": n} for seq, n in sorted(set(items))]
    if rows:
        tx.connection.execute(sa.insert(t.message_notice), rows)


def add_named(tx: Writing, message: int, records: Iterable[int]) -> None:
    """Keep which records a message names, beside those it is known to name."""
    known = set(named_in_messages(tx.connection, tx.tenant, [message])[message])
    rows = [{"tenant": tx.tenant, "message": message, "record": record} for record in sorted(set(records) - known)]
    if rows:
        tx.connection.execute(sa.insert(t.message_record), rows)


def fill_address(tx: Writing, recipient: str, address: str) -> int:
    """Give the drafts for somebody who had no address one, and return how many those are."""
    m = t.message
    where = (m.c.tenant == tx.tenant, m.c.state == int(MessageState.DRAFTED), m.c.recipient == recipient, m.c.address.is_(None))
    return int(tx.connection.execute(sa.update(m).where(*where).values(address=address, channel="email")).rowcount)


def named_in_messages(connection: Connection, tenant: int, messages: Sequence[int]) -> dict[int, list[int]]:
    """Return message -> every record its text names, in order."""
    k = t.message_record
    found: dict[int, list[int]] = {number: [] for number in messages}
    for some in chunks(sorted(set(messages))):
        query = sa.select(k.c.message, k.c.record).where(k.c.tenant == tenant, k.c.message.in_(some)).order_by(k.c.message, k.c.record)
        for message, record in connection.execute(query):
            found[message].append(record)
    return found


def change_message(tx: Writing, message: int, was: MessageState, **values: Any) -> bool:
    """Set columns of a message that still stands in `was`, and return whether it did."""
    m = t.message
    where = (m.c.tenant == tx.tenant, m.c.message == message, m.c.state == int(was))
    return bool(tx.connection.execute(sa.update(m).where(*where).values(**values)).rowcount)


def remedies_of(connection: Connection, tenant: int, records: Sequence[int]) -> dict[int, Any]:
    """Return record -> the last remedy it was given."""
    r = t.remedy
    found: dict[int, Any] = {}
    for some in chunks(sorted(set(records))):
        for row in connection.execute(sa.select(r).where(r.c.tenant == tenant, r.c.record.in_(some)).order_by(r.c.seq)):
            found[row.record] = row
    return found


def last_falls(connection: Connection, tenant: int, records: Sequence[int]) -> dict[int, int]:
    """Return record -> the event by which it last came to need re-validation; what was put right before that does not count any more."""
    h = t.history
    found: dict[int, int] = {}
    for some in chunks(sorted(set(records))):
        query = sa.select(h.c.record, sa.func.max(h.c.seq)).where(h.c.tenant == tenant, h.c.record.in_(some), h.c.new == int(Status.STALE), h.c.old != int(Status.STALE))
        found.update((record, seq) for record, seq in connection.execute(query.group_by(h.c.record)))
    return found


def last_changes(connection: Connection, tenant: int, records: Sequence[int]) -> dict[int, int]:
    """Return record -> the event by which its status last changed."""
    h = t.history
    found: dict[int, int] = {}
    for some in chunks(sorted(set(records))):
        query = sa.select(h.c.record, sa.func.max(h.c.seq)).where(h.c.tenant == tenant, h.c.record.in_(some), h.c.old != h.c.new)
        found.update((record, seq) for record, seq in connection.execute(query.group_by(h.c.record)))
    return found


def insert_remedy(tx: Writing, record: int, way: str, *, edition: int | None = None, text: str | None = None) -> None:
    """Keep how a delivered artifact is put right."""
    tx.connection.execute(sa.insert(t.remedy), {
        "tenant": tx.tenant, "record": record, "seq": tx.seq, "way": way, "edition": edition, "text": text, "person": tx.actor.id, "at": tx.at,
    })  # fmt: skip


def deliveries_of(connection: Connection, tenant: int, records: Sequence[int]) -> list[Any]:
    """Return every delivery of some artifacts, in order."""
    d = t.delivery
    return [row for some in chunks(sorted(set(records))) for row in connection.execute(sa.select(d).where(d.c.tenant == tenant, d.c.record.in_(some)).order_by(d.c.record, d.c.n))]


def insert_delivery(tx: Writing, record: int, recipient: str, channel: str, delivered_at: int, operation_id: str | None) -> None:
    """Keep that an artifact went out to somebody."""
    d = t.delivery
    n = int(tx.connection.execute(sa.select(sa.func.coalesce(sa.func.max(d.c.n), -1)).where(d.c.tenant == tx.tenant, d.c.record == record)).scalar_one()) + 1
    tx.connection.execute(sa.insert(d), {
        "tenant": tx.tenant, "record": record, "n": n, "recipient": recipient, "channel": channel, "delivered_at": delivered_at,
        "operation_id": operation_id, "assumed_utc": False,
    })  # fmt: skip


def editions_of(connection: Connection, tenant: int, first: str) -> list[int]:
    """Return the numbers of an artifact and of its later editions, by the id of the first; the oldest edition first."""
    r, a = t.record, t.artifact
    query = (
        sa.select(a.c.record)
        .join(r, (r.c.tenant == a.c.tenant) & (r.c.record == a.c.record))
        .where(a.c.tenant == tenant, sa.or_(r.c.id == first, a.c.edition_of == first))
    )
    return list(connection.execute(query.order_by(a.c.edition, a.c.record)).scalars())


def former_editions(connection: Connection, tenant: int, edition: Artifact) -> list[Card]:
    """Return the earlier editions of an artifact that still stand, or would, so that a new edition takes their place."""
    cards = load_cards(connection, tenant, editions_of(connection, tenant, edition.edition_of or edition.id))
    contents = load_contents(connection, tenant, list(cards.values()))
    return [
        card for number, card in sorted(cards.items())
        if card.id != edition.id and card.status in (Status.ACCEPTED, Status.DISPUTED, Status.STALE) and _edition(contents[number]) < edition.edition
    ]  # fmt: skip


def _edition(record: Record) -> int:
    return record.edition if isinstance(record, Artifact) else 0


def emails_of(connection: Connection, tenant: int) -> dict[str, str]:
    """Return person -> address, for the people of a tenant that have one."""
    p = t.person
    rows = connection.execute(sa.select(p.c.id, p.c.email).where(p.c.tenant == tenant, p.c.email.is_not(None)))
    return {row[0]: row[1] for row in rows}


def ids_of_messages(connection: Connection, tenant: int, items: dict[int, list[tuple[int, int, int]]]) -> dict[int, list[str]]:
    """Return message -> the ids of the artifacts it is about, sorted."""
    ids = load_ids(connection, tenant, sorted({record for its in items.values() for _, _, record in its}))
    return {message: sorted({ids[record] for _, _, record in its if record in ids}) for message, its in items.items()}
