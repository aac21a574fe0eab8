"""Words chosen in a version's text as a span, code point for code point."""

from __future__ import annotations

from typing import Any

from store.db.claim_store import ClaimStore
from store.db.source_shelf import load_versions
from store.db.transaction import read
from store.domain.errors import Code, Refusal, not_found
from store.domain.passages import span_for
from store.reads.source_page import VersionText, find_source

#: Places of a quote that are told.
_PLACES = 20
_LONGEST = 20_000


def _version(store: ClaimStore, person: str, tenant: str, source_id: str, evidence_id: str, *, authenticated: bool) -> VersionText:
    with read(store, person, authenticated=authenticated) as reading:
        number, _, records, _ = find_source(reading, tenant, source_id)
        row = next((row for row in load_versions(reading.connection, number, records).values() if row.id == evidence_id), None)
        if row is None:
            raise not_found(evidence_id)
        return VersionText(reading, number, row)


def find_words(
    store: ClaimStore, person: str, tenant: str, source_id: str, evidence_id: str, words: str, *, authenticated: bool = False
) -> tuple[int, ...]:
    """Return the code points at which words stand in a version's text, at most 20 places.

    Raises:
        Refusal: `not_found`, also for what the person may not see.
    """
    text = _version(store, person, tenant, source_id, evidence_id, authenticated=authenticated).captured.text or ""
    found: list[int] = []
    at = text.find(words) if words else -1
    while at >= 0 and len(found) < _PLACES:
        found.append(at)
        at = text.find(words, at + 1)
    return tuple(found)


def take_span(
    store: ClaimStore, person: str, tenant: str, source_id: str, evidence_id: str, start: int, end: int, *, authenticated: bool = False
) -> dict[str, Any]:
    """Return the words [start, end) of a version's text as the binding of a claim: evidence, span and quote.

    Raises:
        Refusal: `not_found`; `bad_value`: there are no such words.
    """
    captured = _version(store, person, tenant, source_id, evidence_id, authenticated=authenticated).captured
    text = captured.text or ""
    if not 0 <= start < end <= len(text) or end - start > _LONGEST:
        raise Refusal(Code.BAD_VALUE, f"Choose between 1 and {_LONGEST:,} characters of the text. Nothing was changed.")
    return {"evidence": evidence_id, "span": span_for(captured, start, end), "quote": text[start:end]}
