"""Which claims' quotes really stand where their spans say, over a whole tenant."""

from __future__ import annotations

import json

import numpy as np
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.renditions import load_captured
from store.domain.reach import Mask
from store.domain.records import Binding
from store.domain.snapshot import Snapshot
from store.domain.spans import CapturedText, locate_in


def matching_claims(connection: Connection, tenant: int, snapshot: Snapshot) -> Mask:
    """Return which records have at least one bound span, all of them matching; each version's bytes are read once."""
    good = np.zeros(len(snapshot.columns), dtype=bool)
    bad = np.zeros(len(snapshot.columns), dtype=bool)
    b = t.binding
    query = (
        sa.select(b.c.record, b.c.evidence, b.c.span, b.c.quote)
        .where(b.c.tenant == tenant, sa.or_(b.c.span.is_not(None), b.c.quote.is_not(None)))
        .order_by(b.c.evidence, b.c.record)
    )
    known: tuple[int, CapturedText] | None = None
    for record, evidence, span, quote in connection.execute(query):
        if known is None or known[0] != evidence:
            known = (evidence, load_captured(connection, tenant, evidence))
        found = locate_in(Binding(str(evidence), None if span is None else json.loads(span), quote), known[1])
        (good if found.ok else bad)[record] = True
    return good & ~bad
