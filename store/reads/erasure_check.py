"""Asking for what was forgotten, the ways people and agents ask: by its key, by searching, by its id, in an export; in a fresh session."""

from __future__ import annotations

from typing import Any

from store.db.claim_store import ClaimStore, open_store
from store.db.tenants import last_record
from store.db.transaction import Reading, read
from store.db.verifications import AskedFor, somebody_else
from store.domain.errors import Refusal
from store.domain.forgetting import ERASED_ID
from store.domain.mentions import Finder
from store.domain.text import canonical_json
from store.reads.answers import Question, answer_now, search_now
from store.reads.export import lines_to_look_at
from store.reads.record import show_record

#: Most ids, keys and texts that are asked for, and most records of a tenant whose export is looked through.
_MOST, _MOST_EXPORTED = 200, 20_000


def ask_again(store: ClaimStore, person: str, tenant: str, asked: AskedFor, finder: Finder) -> dict[str, int | None]:
    """Return way of asking -> how many answers gave something forgotten back; None for an export that would be too long.

    Nothing of it is logged: the log of reads would hold the words again.
    """
    fresh = open_store(store.url, store.now, ledger=store.ledger.path)
    try:
        found: dict[str, int | None] = {f"{way} (same person)": count for way, count in _ask(fresh, person, tenant, asked, finder).items()}
        found["export (same person)"] = _export(fresh, person, tenant, asked, finder)
        stranger = somebody_else(fresh, tenant)
        if stranger is None:
            return found
        return found | {f"{way} (another tenant)": count for way, count in _ask(fresh, stranger, tenant, asked, finder).items()}
    finally:
        fresh.close()


def _ask(store: ClaimStore, person: str, tenant: str, asked: AskedFor, finder: Finder) -> dict[str, int]:
    found, said = dict.fromkeys(("key", "search", "show"), 0), Finder(frozenset(), finder.texts)
    with read(store, person) as reading:
        for scope, subject, predicate, qualifiers in asked.keys[:_MOST]:
            found["key"] += _gives(reading, Question(scope, subject, predicate, qualifiers), asked)
        for text in (*asked.ids[:_MOST], *asked.texts[:_MOST]):
            found["search"] += _finds(reading, text, tenant, asked)
    for record_id in asked.ids[:_MOST]:
        try:
            shown = canonical_json(show_record(store, person, tenant, record_id))
        except Refusal:
            continue
        found["show"] += said.names(shown)
    return found


def _gives(reading: Reading, question: Question, asked: AskedFor) -> int:
    """Return how many records that were erased an answer tells; a refusal tells none."""
    try:
        return _forgotten(answer_now(reading, question)["claims"], asked)
    except Refusal:
        return 0


def _finds(reading: Reading, text: str, tenant: str, asked: AskedFor) -> int:
    try:
        return _forgotten(search_now(reading, text, tenant)["items"], asked)
    except Refusal:
        return 0


def _forgotten(told: list[dict[str, Any]], asked: AskedFor) -> int:
    return sum(one["id"] in asked.ids or one["id"].startswith(ERASED_ID) for one in told)


def _export(store: ClaimStore, person: str, tenant: str, asked: AskedFor, finder: Finder) -> int | None:
    with read(store, person) as reading:
        number = reading.tenant_number(tenant)
        if number is None or last_record(reading.connection, number) > _MOST_EXPORTED:
            return None
        return sum(_says(line, asked, finder) for line in lines_to_look_at(reading, tenant))


def _says(line: str, asked: AskedFor, finder: Finder) -> bool:
    return any(f'"{one}"' in line for one in asked.ids) if len(asked.ids) <= _MOST else finder.names(line)
