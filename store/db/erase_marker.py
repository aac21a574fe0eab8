"""A word that means nothing, put beside what is about to be erased: if it is gone afterwards, so is what stood in the same places."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

import numpy as np
import sqlalchemy as sa

from store.db import tables as t
from store.db.search_index import replace_words
from store.db.transaction import Writing
from store.domain.forgetting import ERASED_ID
from store.domain.status import Status
from store.domain.text import canonical_json


def plant_marker(tx: Writing, records: Sequence[int]) -> str | None:
    """Put a fresh word into the texts of the first record that is not erased yet, and into texts about it.

    Returns:
        The word; None where everything is erased already.
    """
    r, x = t.record, t.record_state
    here = (r.c.tenant == tx.tenant, r.c.record.in_(list(records)[:900]), ~(r.c.id.startswith(ERASED_ID) & (x.c.status == int(Status.DELETED))))
    both = (x.c.tenant == r.c.tenant) & (x.c.record == r.c.record)
    row = tx.connection.execute(sa.select(r.c.record, r.c.id).join(x, both).where(*here).order_by(r.c.record).limit(1)).one_or_none()
    if row is None:
        return None
    c, tenant, record = tx.connection, tx.tenant, row.record
    marker = f"mark{secrets.token_hex(10)}"
    for table, column in ((t.claim, t.claim.c.statement), (t.artifact, t.artifact.c.body)):
        text = sa.func.coalesce(column, "") + f" {marker}"
        c.execute(sa.update(table).where(table.c.tenant == tenant, table.c.record == record).values({column.name: text}))
    c.execute(sa.insert(t.contributor), {"tenant": tenant, "record": record, "name": marker})
    c.execute(sa.insert(t.decision), {
        "tenant": tenant, "record": record, "seq": tx.seq, "action": "erase", "person": tx.person, "at": tx.at, "version": 0, "reason": marker,
    })  # fmt: skip
    rows = np.array([[record, 0, 0, 0]], dtype="<i4").tobytes()
    c.execute(sa.insert(t.preview), {
        "tenant": tenant, "fingerprint": secrets.token_hex(32), "plan": canonical_json({"verb": "erase", "roots": [row.id, marker]}), "person": tx.actor.id,
        "at": tx.at, "revision": tx.revision, "rows": rows,
    })  # fmt: skip
    asked = {"tenant": tenant, "task": marker, "by": tx.actor.id, "at": tx.at, "question": canonical_json({"search": marker}), "result": "MISSING"}
    number = c.execute(sa.insert(t.read_log).values(asked).returning(t.read_log.c.n)).scalar_one()
    c.execute(sa.insert(t.read_log_record), {"tenant": tenant, "record": record, "n": number, "place": 0, "version": 0})
    replace_words(c, tenant, record, marker)
    tx.reason = marker
    return marker
