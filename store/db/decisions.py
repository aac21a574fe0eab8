"""What every decision on a candidate needs: the record looked at again under the lock, and who decided before."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.records import find_card
from store.db.transaction import Writing
from store.domain.errors import Code, Refusal, not_found
from store.domain.people import Right
from store.domain.records import Card
from store.domain.status import STANDS, Status
from store.domain.text import find_forbidden, is_blank
from store.domain.times import format_time

#: Most code points of a reason; it is shown wherever the decision is.
LONGEST_REASON = 4_000


def find_visible(tx: Writing, record_id: str) -> Card:
    """Return the card of a record the actor may see in full.

    Raises:
        Refusal: `not_found`, the same for what is missing and what may not be seen.
    """
    card = find_card(tx.connection, tx.tenant, record_id)
    if card is None:
        raise not_found(record_id)
    served = card.status is Status.ACCEPTED and tx.actor.may(Right.READ, card.scope)
    if not (served or tx.actor.may(Right.INSPECT, card.scope) or tx.actor.may(Right.PROPOSE, card.scope)):
        raise not_found(record_id)
    return card


def last_decision(connection: Connection, tenant: int, record: int) -> Any:
    """Return the latest decision on a record with the person's id and name, None if there is none."""
    d, p = t.decision, t.person
    query = (
        sa.select(d, p.c.id.label("by"), p.c.name.label("name"))
        .join(p, (p.c.tenant == d.c.tenant) & (p.c.person == d.c.person))
        .where(d.c.tenant == tenant, d.c.record == record)
        .order_by(d.c.seq.desc())
        .limit(1)
    )
    return connection.execute(query).one_or_none()


def need_candidate(tx: Writing, card: Card) -> None:
    """Refuse a decision on a record that is no candidate any more, saying who decided and when."""
    if card.status is Status.CANDIDATE:
        return
    last = last_decision(tx.connection, tx.tenant, card.number)
    what = {"approve": "approved", "reject": "rejected"}.get(last.action if last else "", "settled")
    who = f"{last.by} {what} it at {format_time(last.at)}" if last else "it did not come as a candidate"
    raise Refusal(
        Code.ALREADY_DECIDED, f"{card.id} {STANDS[card.status]}: {who}. Your decision was not saved.",
        by=last.by if last else None, at=format_time(last.at) if last else None, status=card.status.name,
    )  # fmt: skip


def need_seen(card: Card, seen: int | None, seen_hash: str | None) -> None:
    """Refuse a decision on something else than was looked at (R3)."""
    if (seen is not None and seen != card.version) or (seen_hash is not None and seen_hash != card.content_hash):
        was = f"version {seen}" if seen is not None and seen != card.version else "other content"
        raise Refusal(
            Code.CHANGED_SINCE_SEEN, f"You saw {was} of {card.id}; it is at version {card.version} now. Your decision was not saved. Look at it again.",
            seen=seen, version=card.version,
        )  # fmt: skip


def note_decision(
    tx: Writing, record: int, action: str, version: int, *, reason: str | None, route: str | None = None, terms: str | None = None
) -> None:
    """Keep a decision with its person, version, route, terms and reason."""
    tx.connection.execute(sa.insert(t.decision), {
        "tenant": tx.tenant, "record": record, "seq": tx.seq, "action": action, "person": tx.person, "at": tx.at, "version": version,
        "route": route, "reason": reason, "terms": terms,
    })  # fmt: skip


def need_reason(reason: str | None) -> str:
    """Return the reason, refusing an empty one and one that nobody would read."""
    if reason is None or is_blank(reason):
        raise Refusal(Code.BAD_VALUE, "A decision needs a reason. Nothing was decided. Write one sentence.")
    if find_forbidden(reason):
        raise Refusal(Code.BAD_VALUE, "The reason holds a character no store can keep. Nothing was decided. Type it again.")
    if len(reason) > LONGEST_REASON:
        raise Refusal(
            Code.BAD_VALUE, f"The reason has {len(reason):,} characters; at most {LONGEST_REASON:,} are kept. Nothing was decided. Shorten it."
        )
    return reason.strip()


def save_review_of_read(tx: Writing, record: int, read_record: int, *, used: bool) -> None:
    """Keep what a reviewer said of a read that a candidate does not declare (R8)."""
    r = t.dependency_review
    tx.connection.execute(sa.delete(r).where(r.c.tenant == tx.tenant, r.c.record == record, r.c.read_record == read_record))
    tx.connection.execute(sa.insert(r), {"tenant": tx.tenant, "record": record, "read_record": read_record, "used": used, "seq": tx.seq})


def add_contributor(tx: Writing, record: int, name: str) -> None:
    """Note that somebody contributed to a record."""
    c = t.contributor
    known = tx.connection.execute(sa.select(c.c.name).where(c.c.tenant == tx.tenant, c.c.record == record, c.c.name == name)).one_or_none()
    if known is None:
        tx.connection.execute(sa.insert(c), {"tenant": tx.tenant, "record": record, "name": name})


def last_route(connection: Connection, tenant: int, record: int) -> str | None:
    """Return the route by which a record was last rejected."""
    d = t.decision
    query = sa.select(d.c.route).where(d.c.tenant == tenant, d.c.record == record, d.c.action == "reject").order_by(d.c.seq.desc()).limit(1)
    return connection.execute(query).scalar_one_or_none()
