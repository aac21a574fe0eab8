"""What somebody decided lately, and whether it may still be taken back."""

from __future__ import annotations

import json
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.bulk import chunks
from store.db.decisions import last_decision
from store.db.read_log import served_count
from store.db.records import children_of, load_cards, replaced_by
from store.db.snapshots import unpack_touched
from store.db.withheld import readable
from store.domain.records import Card
from store.domain.status import Status
from store.domain.times import format_optional, format_time

#: Within this time, in microseconds, a decision may be taken back by the same person.
REOPEN_WITHIN = 15 * 60 * 1_000_000
#: Events looked back through.
_BACK = 3_000


@dataclass(frozen=True, slots=True)
class Lately:
    """One decision that still stands as its record's last."""

    record: int
    seq: int
    action: str
    at: int
    route: str | None
    reason: str | None


def decided_lately(connection: Connection, tenant: int, person: str, since: int, most: int) -> list[Lately]:
    """Return the latest decisions of a person that nobody decided over since, newest first; found from the last events, not from all decisions.

    Args:
        since: microseconds UTC; nothing earlier is told.
    """
    e, d, p = t.event, t.decision, t.person
    head = connection.execute(sa.select(t.tenant.c.event_seq).where(t.tenant.c.tenant == tenant)).scalar_one()
    mine = sa.select(p.c.person).where(p.c.tenant == tenant, p.c.id == person).scalar_subquery()
    query = (
        sa.select(e.c.seq, e.c.touched)
        .where(e.c.tenant == tenant, e.c.seq > head - _BACK, e.c.at >= since, e.c.person == mine, e.c.action.in_(("approve", "reject", "reopen")))
        .order_by(e.c.seq.desc())
        .limit(4 * most)
    )
    seqs = {row.seq: unpack_touched(row.touched).tolist() for row in connection.execute(query)}
    last: dict[int, Lately] = {}
    for some in chunks(sorted({record for records in seqs.values() for record in records})):
        rows = connection.execute(sa.select(d.c.record, d.c.seq, d.c.action, d.c.at, d.c.route, readable(d, d.c.reason)).where(d.c.tenant == tenant, d.c.record.in_(some)).order_by(d.c.seq))
        last.update((row.record, Lately(row.record, row.seq, row.action, row.at, row.route, row.reason)) for row in rows)
    found = [one for one in last.values() if one.seq in seqs and one.action != "reopen"]
    return sorted(found, key=lambda one: -one.seq)[:most]


def why_not_reopen(connection: Connection, tenant: int, card: Card, person: str, at: int) -> str | None:
    """Return why a person may not take back the last decision on a record, as the end of a sentence; None where they may."""
    last = last_decision(connection, tenant, card.number)
    if last is None or last.action not in ("approve", "reject"):
        return "it was not decided here"
    if last.by != person:
        return f"{last.by} decided it, and only the same person may take a decision back"
    if at - last.at > REOPEN_WITHIN:
        return f"it was decided at {format_time(last.at)}, more than 15 minutes ago"
    children = load_cards(connection, tenant, children_of(connection, tenant, card.number)).values()
    accepted = [child.id for child in children if child.status is Status.ACCEPTED]
    if accepted:
        return f"{accepted[0]} was accepted and rests on it"
    if card.status is Status.ACCEPTED and served_count(connection, tenant, card.number):
        return "an agent was served it"
    if replaced_by(connection, tenant, card.number):
        return "it replaced another claim, which would be left out"
    shortened = _validity_changed_since(connection, tenant, card, last.seq) if card.status is Status.ACCEPTED else None
    return None if shortened is None else f"the validity of {shortened} was changed to go with it, and would stay so"


def _validity_changed_since(connection: Connection, tenant: int, card: Card, seq: int) -> str | None:
    """Return the first other claim of the same key whose validity an action from event `seq` on changed."""
    if card.key is None:
        return None
    r, old = t.record, t.replaced_content
    query = (
        sa.select(r.c.id, r.c.valid_from, r.c.valid_to, old.c.line)
        .join(old, (old.c.tenant == r.c.tenant) & (old.c.record == r.c.record))
        .where(r.c.tenant == tenant, r.c.key == card.key, r.c.record != card.number, old.c.seq >= seq)
        .order_by(r.c.record)
    )
    for record_id, start, end, line in connection.execute(query):
        before = json.loads(line)
        if (before.get("valid_from"), before.get("valid_to")) != (format_optional(start), format_optional(end)):
            return str(record_id)
    return None
