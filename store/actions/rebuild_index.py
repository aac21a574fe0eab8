"""Dropping the full-text index and making it anew from the records."""

from __future__ import annotations

from store.db.claim_store import ClaimStore
from store.db.engine import explained
from store.db.reindexing import rebuild_words
from store.db.transaction import load_actor
from store.domain.people import Right
from store.domain.scopes import EVERYWHERE


def rebuild_index(store: ClaimStore, person: str, *, authenticated: bool = False) -> dict[str, int]:
    """Rebuild the index of all tenants in one transaction and return `{"indexed": n}`.

    Raises:
        Refusal: `not_allowed` unless the person is admin everywhere.
    """
    with explained(), store.writer.begin() as connection:
        load_actor(connection, person, authenticated=authenticated).need(Right.ADMINISTER, EVERYWHERE, "rebuild the index")
        return {"indexed": rebuild_words(connection)}
