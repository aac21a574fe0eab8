"""The outbox in SQL: which messages a person sees, how many are in each state, and a page of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sqlalchemy as sa

from store.db import tables as t
from store.db.impacts import hidden_scopes
from store.db.keys import load_scopes
from store.db.tenants import tenant_name
from store.db.transaction import Reading
from store.domain.messages import PATIENCE, STATE_WORD, UNKNOWN, MessageState
from store.domain.people import Right
from store.domain.scopes import covers
from store.domain.status import Status

_ERASED = (int(Status.DELETION_PENDING), int(Status.DELETED))
#: What lists can be kept to: the states, and those of which nobody knows whether they arrived.
OUTBOX_STATES = (*STATE_WORD.values(), UNKNOWN)


@dataclass(frozen=True, slots=True)
class MessageFilter:
    """The messages of one tenant that somebody may see: those that name nothing they may not see, and nothing erased.

    Attributes:
        where: conditions on the table `message`.
        at: the moment of the look, microseconds UTC.
    """

    tenant: int
    where: tuple[Any, ...]
    at: int

    def in_state(self, word: str | None) -> tuple[Any, ...]:
        """Return the conditions, kept to a state of OUTBOX_STATES."""
        m = t.message
        if word is None:
            return self.where
        lost = sa.or_(m.c.failure.is_not(None), sa.func.coalesce(m.c.attempted_at, 0) <= self.at - PATIENCE * 1_000_000)
        if word == UNKNOWN:
            return (*self.where, m.c.state == int(MessageState.SENDING), lost)
        state = next(state for state, name in STATE_WORD.items() if name == word)
        return (*self.where, m.c.state == int(state), *([sa.not_(lost)] if state is MessageState.SENDING else []))


def filter_messages(reading: Reading, tenant: int, scope: str | None = None, correction: int | None = None) -> MessageFilter:
    """Return what tells the messages a person sees from the others.

    Args:
        scope: only those that tell of a document in it; `correction`: only those of this case.
    """
    m, k, s, i, n = t.message, t.message_record, t.record_state, t.message_notice, t.notice
    hidden = sorted(hidden_scopes(reading.connection, tenant, reading.actor))
    snapshot = reading.snapshot(tenant)
    tells = sa.exists().where(i.c.tenant == m.c.tenant, i.c.message == m.c.message)
    asks = m.c.request.is_not(None) if may_ask_holders(reading, tenant) else sa.false()
    where: list[Any] = [m.c.tenant == tenant, sa.or_(tells, asks)]
    if hidden or np.isin(snapshot.columns.status, _ERASED).any():
        named = sa.exists().where(
            k.c.tenant == m.c.tenant, k.c.message == m.c.message, s.c.tenant == k.c.tenant, s.c.record == k.c.record,
            sa.or_(s.c.status.in_(_ERASED), s.c.scope.in_(hidden)) if hidden else s.c.status.in_(_ERASED),
        )  # fmt: skip
        where.append(sa.not_(named))
    if scope is not None:
        inside = [number for number, path in load_scopes(reading.connection, tenant).items() if covers(scope, path)]
        record = sa.case((i.c.n < 0, -i.c.n), else_=n.c.record)
        about = sa.select(s.c.record).select_from(
            i.outerjoin(n, (n.c.tenant == i.c.tenant) & (n.c.seq == i.c.seq) & (n.c.n == i.c.n)).join(s, (s.c.tenant == i.c.tenant) & (s.c.record == record))
        )
        tells_there = about.where(i.c.tenant == m.c.tenant, i.c.message == m.c.message, s.c.scope.in_(inside)).correlate(m).exists()
        where.append(sa.or_(tells_there, asks) if scope == tenant_name(reading.connection, tenant) else tells_there)
    if correction is not None:
        where.append(m.c.correction == correction)
    return MessageFilter(tenant, tuple(where), reading.at)


def may_ask_holders(reading: Reading, tenant: int) -> bool:
    """Return whether a person sees the messages in which holders of files are asked to destroy them: an admin of the whole tenant does."""
    return reading.actor.may(Right.ADMINISTER, tenant_name(reading.connection, tenant))


def count_states(reading: Reading, messages: MessageFilter) -> dict[str, int]:
    """Return how many of some messages are in each of OUTBOX_STATES."""
    m = t.message
    counts = dict.fromkeys(OUTBOX_STATES, 0)
    rows = reading.connection.execute(sa.select(m.c.state, sa.func.count()).where(*messages.where).group_by(m.c.state))
    counts.update((STATE_WORD[MessageState(state)], count) for state, count in rows)
    if counts["sending"]:
        counts[UNKNOWN] = _count(reading, messages.in_state(UNKNOWN))
        counts["sending"] -= counts[UNKNOWN]
    return counts


def _count(reading: Reading, where: tuple[Any, ...]) -> int:
    return int(reading.connection.execute(sa.select(sa.func.count()).select_from(t.message).where(*where)).scalar_one())


def count_unsent(reading: Reading, tenant: int, scope: str | None) -> tuple[int, int]:
    """Return how many messages a person sees that failed, and of how many nobody knows whether they arrived."""
    m = t.message
    left = (int(MessageState.FAILED), int(MessageState.SENDING))
    if reading.connection.execute(sa.select(m.c.message).where(m.c.tenant == tenant, m.c.state.in_(left)).limit(1)).first() is None:
        return 0, 0
    messages = filter_messages(reading, tenant, scope)
    return _count(reading, messages.in_state("failed")), _count(reading, messages.in_state(UNKNOWN))


def page_of_messages(reading: Reading, messages: MessageFilter, state: str | None, *, before: int | None, most: int | None) -> Sequence[Any]:
    """Return rows of messages with the id of their correction, the newest first; only those with a lower number than `before`."""
    m, c = t.message, t.correction
    query = (
        sa.select(m, c.c.id.label("correction_id"))
        .outerjoin(c, (c.c.tenant == m.c.tenant) & (c.c.correction == m.c.correction))
        .where(*messages.in_state(state))
        .order_by(m.c.message.desc())
    )
    if before is not None:
        query = query.where(m.c.message < before)
    return reading.connection.execute(query if most is None else query.limit(most)).all()
