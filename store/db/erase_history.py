"""Clearing what was noted when something happened to forgotten records. Events and history rows stay, and the chain over them holds.

An event holds numbers, and an HMAC over its note; the note goes together with the key of that HMAC, so that it says nothing
of what the note was. Of an action over very many records the note stays unless it names one of them: it is about the others.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence

import sqlalchemy as sa

from store.db import tables as t
from store.db.bulk import chunks
from store.db.erase_mentions import NO_WORDS, clear_events
from store.db.transaction import Writing
from store.domain.forgetting import Cleared

#: An action over more records than this is about none of them in particular.
_FEW = 20
#: Actions whose notes hold a hash of everything that came in; they go whatever their size.
_HASHED = ("import", "capture")
#: The actions of forgetting itself: their notes hold numbers and words of fixed lists.
_OWN = ("erase", "request deletion", "refuse deletion", "settle surface", "erase again")


def clear_history(tx: Writing, request: int, records: Sequence[int]) -> Cleared:  # noqa: ARG001
    """Destroy the notes of events that touched the records, and the hashes of what their operations were asked."""
    h, e = t.history, t.event
    few: set[int] = set()
    many: set[int] = set()
    query = sa.select(e.c.seq, e.c["count"], e.c.action).join(h, (h.c.tenant == e.c.tenant) & (h.c.seq == e.c.seq)).where(e.c.tenant == tx.tenant)
    for some in chunks(records):
        for seq, count, action in tx.connection.execute(query.where(h.c.record.in_(some), e.c.action.not_in(_OWN)).distinct()):
            (few if count <= _FEW or action in _HASHED else many).add(seq)
    return Cleared(clear_events(tx, few) + _forget_words(tx, many) + _clear_decisions(tx, records))


def _forget_words(tx: Writing, seqs: set[int]) -> int:
    """Give up the hashes of what operations over many records were asked: they cover forgotten ids among others."""
    o, done = t.operation, 0
    for some in chunks(sorted(seqs)):
        for operation in tx.connection.execute(
            sa.select(o.c.operation).where(o.c.tenant == tx.tenant, o.c.seq.in_(some), o.c.words.not_like(NO_WORDS + "%"))
        ).scalars().all():  # fmt: skip
            where = (o.c.tenant == tx.tenant, o.c.operation == operation)
            done += tx.connection.execute(sa.update(o).where(*where).values(words=NO_WORDS + secrets.token_hex(28))).rowcount
    return done


def _clear_decisions(tx: Writing, records: Sequence[int]) -> int:
    """Empty what was written about the records since they were cleared, such as by an action that waited for the lock."""
    d, done = t.decision, 0
    for some in chunks(records):
        where = (d.c.tenant == tx.tenant, d.c.record.in_(some), sa.or_(d.c.reason.is_not(None), d.c.terms.is_not(None)))
        done += tx.connection.execute(sa.update(d).where(*where).values(reason=None, terms=None)).rowcount
    return done
