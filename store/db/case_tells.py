"""What was done about delivered artifacts, and which messages told people of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.bulk import chunks

#: What the states of a message are called.
MESSAGE_STATES = ("drafted", "approved", "sent", "failed", "seen", "cancelled")


@dataclass(frozen=True, slots=True)
class Told:
    """The message that carries a notice: its state, and when it came into it (microseconds UTC)."""

    word: str
    at: int | None


def load_remedies(connection: Connection, tenant: int, artifacts: Sequence[int], since: int) -> dict[int, Any]:
    """Return artifact -> the latest thing done about it by an event from `since` on."""
    m = t.remedy
    found: dict[int, Any] = {}
    for some in chunks(sorted(artifacts)):
        for row in connection.execute(sa.select(m).where(m.c.tenant == tenant, m.c.record.in_(some), m.c.seq >= since).order_by(m.c.seq)):
            found[row.record] = row
    return found


def load_messages(connection: Connection, tenant: int, events: Sequence[int]) -> dict[tuple[int, int], Told]:
    """Return (event, n) of a notice -> the message that carries it, the latest where there are several."""
    m, k = t.message, t.message_notice
    query = (
        sa.select(k.c.seq, k.c.n, m.c.state, m.c.drafted_at, m.c.approved_at, m.c.sent_at, m.c.seen_at)
        .join(m, (m.c.tenant == k.c.tenant) & (m.c.message == k.c.message))
        .where(k.c.tenant == tenant)
        .order_by(k.c.message)
    )
    found: dict[tuple[int, int], Told] = {}
    for some in chunks(sorted(events)):
        for row in connection.execute(query.where(k.c.seq.in_(some))):
            at = next((moment for moment in (row.seen_at, row.sent_at, row.approved_at, row.drafted_at) if moment is not None), None)
            found[row.seq, row.n] = Told(MESSAGE_STATES[row.state], at)
    return found
