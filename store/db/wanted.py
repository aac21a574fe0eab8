"""What a deletion request asks for, found: records named, everything about a subject or from a source, or what a search turned up."""

from __future__ import annotations

from collections.abc import Iterable

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.forgetting import find_cards, need_administered, versions_of_source
from store.db.keys import load_scopes
from store.db.records import load_cards
from store.db.search_index import find_words
from store.domain.errors import Code, Refusal, not_found
from store.domain.forgetting import FOUND_BY, Wanted
from store.domain.people import Actor, Right
from store.domain.records import Card
from store.domain.scopes import covers
from store.domain.status import Step, is_legal
from store.domain.text import is_blank

#: The most records a search for what to forget turns up.
MOST_FOUND = 2_000


def find_wanted(connection: Connection, tenant: int, actor: Actor, wanted: Wanted) -> list[Card]:
    """Return the records a request asks to forget, by number; what is being deleted already is left out unless it is named.

    By subject and by source only what the person administers is found, and a search without confirmed ids finds what holds its words.

    Raises:
        Refusal: something named is not there or not administered by the person, or nothing is found.
    """
    if wanted.found_by not in FOUND_BY:
        raise Refusal(Code.BAD_VALUE, f"Records to forget are found by {', '.join(FOUND_BY)}, not by {wanted.found_by!r}. Nothing was done.")
    if wanted.found_by != "record" and not wanted.ids and is_blank(wanted.name or ""):
        raise Refusal(Code.BAD_VALUE, f"Say which {'words to look for' if wanted.found_by == 'search' else wanted.found_by}. Nothing was done.")
    if wanted.ids:
        found = _named(connection, tenant, actor, wanted.ids)
    elif wanted.found_by == "subject":
        found = _administered(connection, tenant, actor, _about(connection, tenant, wanted.name or ""))
    elif wanted.found_by == "source":
        versions = versions_of_source(connection, tenant, wanted.name or "")
        found = _administered(connection, tenant, actor, {*(card.number for card in versions), *_taken_from(connection, tenant, versions)})
        if not any(actor.may(Right.INSPECT, card.scope) for card in versions):
            raise not_found(wanted.name or "")
    elif wanted.found_by == "search":
        found = _administered(connection, tenant, actor, find_words(connection, tenant, wanted.name or "", MOST_FOUND))
    else:
        raise Refusal(Code.BAD_VALUE, "Name a record to forget. Nothing was done.")
    left_out = {*wanted.left_out}
    chosen = [card for card in found if card.id not in left_out and (wanted.scope is None or covers(wanted.scope, card.scope))]
    if not chosen:
        raise Refusal(Code.NOT_FOUND, "Nothing that you administer is found by that, so there is nothing to forget. Look for it otherwise.")
    return sorted(chosen, key=lambda card: card.number)


def _named(connection: Connection, tenant: int, actor: Actor, ids: Iterable[str]) -> list[Card]:
    """Return the records of ids; a source means all its versions."""
    found: dict[int, Card] = {}
    wanted = list(dict.fromkeys(ids))
    known = find_cards(connection, tenant, wanted)
    for named in wanted:
        card = known.get(named)
        for one in [card] if card is not None else versions_of_source(connection, tenant, named):
            need_administered(actor, one, named)
            if card is not None or is_legal(one.status, Step.REQUEST_DELETION):
                found[one.number] = one
    return list(found.values())


def _administered(connection: Connection, tenant: int, actor: Actor, numbers: Iterable[int]) -> list[Card]:
    cards = load_cards(connection, tenant, numbers).values()
    return [card for card in cards if actor.may(Right.ADMINISTER, card.scope) and is_legal(card.status, Step.REQUEST_DELETION)]


def _about(connection: Connection, tenant: int, subject: str) -> list[int]:
    r, k = t.record, t.claim_key
    query = sa.select(r.c.record).join(k, (k.c.tenant == r.c.tenant) & (k.c.key == r.c.key)).where(k.c.tenant == tenant, k.c.subject == subject)
    return list(connection.execute(query).scalars())


def _taken_from(connection: Connection, tenant: int, versions: Iterable[Card]) -> list[int]:
    """Return the claims that quote one of the versions or are bound to it."""
    b = t.binding
    query = sa.select(b.c.record).where(b.c.tenant == tenant, b.c.evidence.in_([card.number for card in versions])).distinct()
    return list(connection.execute(query).scalars())


def administered_scopes(connection: Connection, tenant: int, actor: Actor) -> list[str]:
    """Return the scopes of a tenant that the person administers."""
    return sorted(path for path in load_scopes(connection, tenant).values() if actor.may(Right.ADMINISTER, path))
