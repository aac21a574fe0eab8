"""Which claims' quotes really stand where their spans say, over a whole tenant."""

from __future__ import annotations

import json

import numpy as np
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.domain.reach import Mask
from store.domain.records import Binding
from store.domain.snapshot import Snapshot
from store.domain.spans import locate


def matching_claims(connection: Connection, tenant: int, snapshot: Snapshot) -> Mask:
    """Return which records have at least one bound span, all of them matching; each version's bytes are read once."""
    good = np.zeros(len(snapshot.columns), dtype=bool)
    bad = np.zeros(len(snapshot.columns), dtype=bool)
    b, e, c = t.binding, t.evidence, t.evidence_content
    query = (
        sa.select(b.c.record, b.c.evidence, b.c.span, b.c.quote)
        .where(b.c.tenant == tenant, sa.or_(b.c.span.is_not(None), b.c.quote.is_not(None)))
        .order_by(b.c.evidence, b.c.record)
    )
    known: tuple[int, bytes, str, str] | None = None
    for record, evidence, span, quote in connection.execute(query):
        if known is None or known[0] != evidence:
            row = connection.execute(
                sa.select(c.c.content, e.c.sha256, e.c.media_type)
                .join(e, (e.c.tenant == c.c.tenant) & (e.c.record == c.c.record))
                .where(c.c.tenant == tenant, c.c.record == evidence)
            ).one()
            known = (evidence, bytes(row.content), row.sha256, row.media_type)
        found = locate(Binding(str(evidence), None if span is None else json.loads(span), quote), known[1], known[2], known[3])
        (good if found.ok else bad)[record] = True
    return good & ~bad
