"""Dropping the full-text index and making it anew from the records."""

from __future__ import annotations

from store.db.claim_store import ClaimStore
from store.db.engine import explained
from store.db.records import load_cards, load_contents
from store.db.search_index import add_words, clear_words, words_of
from store.db.tenants import last_record, list_all_tenants
from store.db.transaction import load_actor
from store.domain.people import Right
from store.domain.records import Artifact, Claim
from store.domain.scopes import EVERYWHERE

_PAGE = 2000


def rebuild_index(store: ClaimStore, person: str, *, authenticated: bool = False) -> dict[str, int]:
    """Rebuild the index of all tenants in one transaction and return `{"indexed": n}`.

    Raises:
        Refusal: `not_allowed` unless the person is admin everywhere.
    """
    with explained(), store.writer.begin() as connection:
        load_actor(connection, person, authenticated=authenticated).need(Right.ADMINISTER, EVERYWHERE, "rebuild the index")
        clear_words(connection)
        indexed = 0
        for tenant, _ in list_all_tenants(connection):
            last = last_record(connection, tenant)
            for start in range(1, last + 1, _PAGE):
                cards = load_cards(connection, tenant, range(start, min(start + _PAGE, last + 1)))
                contents = load_contents(connection, tenant, list(cards.values()), with_bytes=False)
                rows = [(number, words_of(content)) for number, content in sorted(contents.items()) if isinstance(content, Claim | Artifact)]
                add_words(connection, tenant, rows)
                indexed += len(rows)
        return {"indexed": indexed}
