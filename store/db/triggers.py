"""Fired triggers as rows: causes of staleness that are no lost parents, each kept until somebody dismisses it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.bulk import chunks
from store.db.keys import find_party, find_scope
from store.db.records import ancestors_of, load_cards
from store.db.transaction import Writing
from store.domain.periods import is_later_period
from store.domain.plans import Fired
from store.domain.records import Claim, TriggerEntry
from store.domain.status import Kind, Status


def open_triggers(connection: Connection, tenant: int, records: Iterable[int] | None = None) -> list[Any]:
    """Return the triggers nobody dismissed, of all records or of some, by record and number."""
    f = t.fired_trigger
    query = sa.select(f).where(f.c.tenant == tenant, f.c.dismissed_at.is_(None)).order_by(f.c.record, f.c.n)
    if records is None:
        return list(connection.execute(query))
    found: list[Any] = []
    for some in chunks(sorted(set(records))):
        found.extend(connection.execute(query.where(f.c.record.in_(some))))
    return found


def triggers_of(connection: Connection, tenant: int, record: int) -> list[Any]:
    """Return every trigger that ever fired for a record, in order."""
    f = t.fired_trigger
    return list(connection.execute(sa.select(f).where(f.c.tenant == tenant, f.c.record == record).order_by(f.c.n)))


def add_fired(tx: Writing, fired: Sequence[Fired], *, reason: str | None = None, dismissed: bool = False) -> None:
    """Note that triggers fired, or that what could have fired was dismissed at once."""
    f = t.fired_trigger
    following: dict[int, int] = {}
    for some in chunks(sorted({one.record for one in fired})):
        query = sa.select(f.c.record, sa.func.max(f.c.n)).where(f.c.tenant == tx.tenant, f.c.record.in_(some)).group_by(f.c.record)
        following.update((record, n + 1) for record, n in tx.connection.execute(query))
    rows = []
    for one in fired:
        n = following.get(one.record, 0)
        following[one.record] = n + 1
        rows.append({
            "tenant": tx.tenant, "record": one.record, "n": n, "name": one.name, "cause": one.cause, "fired_by": tx.actor.id, "fired_at": tx.at,
            "fired_seq": tx.seq, "dismissed_by": tx.actor.id if dismissed else None, "dismissed_at": tx.at if dismissed else None,
            "dismissed_seq": tx.seq if dismissed else None, "reason": reason if dismissed else None,
        })  # fmt: skip
    if rows:
        tx.connection.execute(sa.insert(f), rows)


def dismiss_fired(tx: Writing, which: Iterable[tuple[int, int]], reason: str | None) -> None:
    """Dismiss triggers by record and number."""
    f = t.fired_trigger
    rows = [{"of": record, "number": n} for record, n in which]
    if not rows:
        return
    where = (f.c.tenant == tx.tenant, f.c.record == sa.bindparam("of"), f.c.n == sa.bindparam("number"), f.c.dismissed_at.is_(None))
    values = {"dismissed_by": tx.actor.id, "dismissed_at": tx.at, "dismissed_seq": tx.seq, "reason": reason}
    tx.connection.execute(sa.update(f).where(*where).values(values), rows)


def earlier_periods(connection: Connection, tenant: int, number: int, claim: Claim) -> list[int]:
    """Return the accepted claims that asked to be looked at once a figure for a later period is accepted, as `claim` is now.

    What the new claim itself rests on is left out: it could not stand without it.
    """
    scope = find_scope(connection, tenant, claim.scope)
    k, r, s, c = t.claim_key, t.record, t.record_state, t.claim
    query = (
        sa.select(r.c.record, r.c.valid_from, k.c.qualifiers)
        .select_from(k)
        .join(r, (r.c.tenant == k.c.tenant) & (r.c.key == k.c.key))
        .join(s, (s.c.tenant == r.c.tenant) & (s.c.record == r.c.record))
        .join(c, (c.c.tenant == r.c.tenant) & (c.c.record == r.c.record))
        .where(k.c.tenant == tenant, k.c.subject == claim.subject, k.c.predicate == claim.predicate, k.c.scope == scope)
        .where(s.c.status == int(Status.ACCEPTED), c.c.revalidate_on.contains('"newer_period_arrived"'), r.c.record != number)
        .order_by(r.c.record)
    )
    found = [
        row.record for row in connection.execute(query).all()
        if is_later_period(claim.qualifiers, claim.valid_from, json.loads(row.qualifiers), row.valid_from)
    ]  # fmt: skip
    if not found:
        return []
    above = ancestors_of(connection, tenant, [number])
    return [record for record in found if record not in above]


def accepted_in(connection: Connection, tenant: int, scopes: Sequence[int], subject: str | None, owner: str | None, most: int) -> list[int]:
    """Return the accepted claims and artifacts of some scopes, about a subject and of an owner where those are given."""
    r, s, k = t.record, t.record_state, t.claim_key
    query = (
        sa.select(r.c.record)
        .join(s, (s.c.tenant == r.c.tenant) & (s.c.record == r.c.record))
        .where(r.c.tenant == tenant, s.c.status == int(Status.ACCEPTED), s.c.kind != int(Kind.EVIDENCE), s.c.scope.in_(scopes))
        .order_by(r.c.record)
        .limit(most)
    )
    if subject is not None:
        query = query.join(k, (k.c.tenant == r.c.tenant) & (k.c.key == r.c.key)).where(k.c.subject == subject)
    if owner is not None:
        query = query.where(s.c.owner == (find_party(connection, tenant, owner) or -1))
    return list(connection.execute(query).scalars())


def list_triggers(connection: Connection, tenant: int) -> list[tuple[Status, TriggerEntry]]:
    """Return every trigger that ever fired with the status of its record, in order."""
    f = t.fired_trigger
    rows = connection.execute(sa.select(f).where(f.c.tenant == tenant).order_by(f.c.record, f.c.n)).all()
    cards = load_cards(connection, tenant, {row.record for row in rows})
    return [
        (cards[row.record].status, TriggerEntry(
            cards[row.record].id, cards[row.record].scope, row.name, row.cause, row.fired_by, row.fired_at, row.dismissed_by, row.dismissed_at, row.reason,
        ))
        for row in rows
    ]  # fmt: skip


def add_trigger(tx: Writing, record: int, entry: TriggerEntry) -> bool:
    """Take a trigger that an import brings, and return whether it was not there yet."""
    f = t.fired_trigger
    at = tx.at if entry.fired_at is None else entry.fired_at
    known = triggers_of(tx.connection, tx.tenant, record)
    if any((row.name, row.cause, row.fired_at, row.dismissed_at) == (entry.name, entry.cause, at, entry.dismissed_at) for row in known):
        return False
    tx.connection.execute(sa.insert(f), {
        "tenant": tx.tenant, "record": record, "n": known[-1].n + 1 if known else 0, "name": entry.name, "cause": entry.cause, "fired_by": entry.fired_by,
        "fired_at": at, "fired_seq": tx.seq, "dismissed_by": entry.dismissed_by, "dismissed_at": entry.dismissed_at,
        "dismissed_seq": tx.seq if entry.dismissed_at is not None else None, "reason": entry.reason,
    })  # fmt: skip
    return True
