"""Making the full-text index anew from the records, within an open transaction."""

from __future__ import annotations

from sqlalchemy.engine import Connection

from store.db.records import load_cards, load_contents
from store.db.search_index import add_words, clear_words, words_of
from store.db.tenants import last_record, list_all_tenants
from store.domain.records import Artifact, Claim
from store.domain.status import FORGOTTEN

_PAGE = 2000


def rebuild_words(connection: Connection) -> int:
    """Drop the index and make it anew for every tenant; return how many records it holds."""
    clear_words(connection)
    indexed = 0
    for tenant, _ in list_all_tenants(connection):
        last = last_record(connection, tenant)
        for start in range(1, last + 1, _PAGE):
            cards = load_cards(connection, tenant, range(start, min(start + _PAGE, last + 1)))
            cards = {number: card for number, card in cards.items() if card.status not in FORGOTTEN}
            contents = load_contents(connection, tenant, list(cards.values()), with_bytes=False)
            rows = [(number, words_of(content)) for number, content in sorted(contents.items()) if isinstance(content, Claim | Artifact)]
            add_words(connection, tenant, rows)
            indexed += len(rows)
    return indexed
