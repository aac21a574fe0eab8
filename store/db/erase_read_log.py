"""Clearing the log of reads: what was asked in answers that told a forgotten record. Who was told what, when, stays by number.

The log is append-only; its triggers let texts be emptied and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from store.db import tables as t
from store.db.bulk import chunks
from store.db.transaction import Writing
from store.domain.forgetting import Cleared


def clear_read_log(tx: Writing, request: int, records: Sequence[int]) -> Cleared:  # noqa: ARG001
    """Empty questions and tasks of entries that told the records; questions that name them were cleared with the records."""
    log, entry, done = t.read_log, t.read_log_record, 0
    told: set[int] = set()
    for some in chunks(records):
        told.update(tx.connection.execute(sa.select(entry.c.n).where(entry.c.tenant == tx.tenant, entry.c.record.in_(some))).scalars())
    # A task that a record still names stays, or nobody could say what else that record may rest on (R8).
    tasks = sa.select(t.record.c.task).where(t.record.c.tenant == tx.tenant, t.record.c.task.is_not(None))
    for some in chunks(sorted(told)):
        here = (log.c.tenant == tx.tenant, log.c.n.in_(some))
        done += tx.connection.execute(sa.update(log).where(*here, log.c.question.is_not(None)).values(question=None)).rowcount
        tx.connection.execute(sa.update(log).where(*here, log.c.task.is_not(None), log.c.task.not_in(tasks)).values(task=None))
    return Cleared(done)
