"""Clearing the full-text index of forgotten records. What deleted entries leave in its segments goes with the sweep."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from store.db.bulk import chunks
from store.db.engine import is_sqlite
from store.db.search_index import remove_words
from store.db.transaction import Writing
from store.domain.forgetting import Cleared

_SHIFT = 2**32


def clear_search_index(tx: Writing, request: int, records: Sequence[int]) -> Cleared:  # noqa: ARG001
    """Take the records out of the index, and return how many still stood in it."""
    found = _indexed(tx, records)
    if found:
        remove_words(tx.connection, tx.tenant, found)
    return Cleared(len(found))


def _indexed(tx: Writing, records: Sequence[int]) -> list[int]:
    found: list[int] = []
    for some in chunks(records):
        if is_sqlite(tx.connection):
            query = sa.text("SELECT rowid FROM search_text WHERE rowid IN :some").bindparams(sa.bindparam("some", expanding=True))
            rows = tx.connection.execute(query, {"some": [tx.tenant * _SHIFT + record for record in some]}).scalars()
            found.extend(row - tx.tenant * _SHIFT for row in rows)
        else:
            query = sa.text("SELECT record FROM search_text WHERE tenant = :tenant AND record = ANY(:some)")
            found.extend(tx.connection.execute(query, {"tenant": tx.tenant, "some": list(some)}).scalars())
    return found
