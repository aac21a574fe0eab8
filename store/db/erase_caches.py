"""Clearing answers that were kept because they rested on something forgotten: an agent would be given them again as they are.

Reports and memos that name it are not changed silently: they need re-validation, and verification lists them. What is kept in
memory is kept by event, and every erasure is one; texts by their hash, which changes.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence

import numpy as np
import sqlalchemy as sa

from store.db import tables as t
from store.db.bulk import chunks
from store.db.erase_record import hash_again
from store.db.renditions import forget_texts
from store.db.transaction import Writing
from store.domain.forgetting import Cleared

#: The kind of artifact that is a kept answer.
_ANSWER = "answer"


def clear_caches(tx: Writing, request: int, records: Sequence[int]) -> Cleared:  # noqa: ARG001
    """Empty the answers that rest on the records, directly or not, and let go of captured texts in memory."""
    forget_texts()
    emptied = kept_answers(tx, records)
    a, c = t.artifact, t.replaced_content
    for some in chunks(emptied):
        tx.connection.execute(sa.update(a).where(a.c.tenant == tx.tenant, a.c.record.in_(some)).values(title=None, body=None))
        tx.connection.execute(sa.delete(c).where(c.c.tenant == tx.tenant, c.c.record.in_(some)))
        r = t.record
        for record in some:
            # Emptied, it is no longer the line that was first given, and nobody may find out what that was.
            tx.connection.execute(sa.update(r).where(r.c.tenant == tx.tenant, r.c.record == record).values(line_hash=secrets.token_hex(32)))
    hash_again(tx, emptied)
    return Cleared(len(emptied))


def kept_answers(tx: Writing, records: Sequence[int]) -> list[int]:
    """Return the kept answers below some records that still say something."""
    # By the snapshot's graph: dependencies are never taken away, and a walk in SQL would go through every report once per way.
    graph = tx.snapshot(tx.tenant).graph
    reached = np.zeros(graph.size, dtype=bool)
    level = np.unique(np.array([one for one in records if one < graph.size], dtype=np.int64))
    while len(level):
        reached[level] = True
        below = np.unique(graph.children.neighbours(level))
        level = below[~reached[below]]
    below_all = sorted(set(np.flatnonzero(reached).tolist()) - set(records))
    a, found = t.artifact, list[int]()
    for some in chunks(below_all):
        query = sa.select(a.c.record).where(a.c.tenant == tx.tenant, a.c.record.in_(some), a.c.artifact_type == _ANSWER)
        found.extend(tx.connection.execute(query.where(sa.or_(a.c.body.is_not(None), a.c.title.is_not(None)))).scalars())
    return found
