"""Roots of a plan picked by what made them: extractor and version, source, import, task, proposer, predicate, dates (R20)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.extractors import extraction_part
from store.db.keys import find_party, load_scopes
from store.db.records import load_cards
from store.domain.errors import Code, Refusal
from store.domain.people import Actor, Right
from store.domain.picking import read_made
from store.domain.records import Card
from store.domain.scopes import covers
from store.domain.status import Status, Step, is_legal, say_statuses


def pick_made(connection: Connection, tenant: int, actor: Actor, made: Mapping[str, Any], step: Step, doing: str) -> list[Card]:
    """Return the records something made that can be taken through `step`, by number; what the person may not see is not picked.

    Raises:
        Refusal: `bad_value`: the words pick nothing sensible; `not_found`: nothing was made so; `illegal_step`: nothing of it can be
            taken through the step; `not_allowed`: some of it lies where the person may see it but not decide.
    """
    cards = [card for card in find_made(connection, tenant, made) if _is_seen(actor, card)]
    if not cards:
        raise Refusal(Code.NOT_FOUND, f"Nothing you may see was made by {describe_made(made)}. Nothing was changed.")
    legal = [card for card in cards if is_legal(card.status, step)]
    if not legal:
        statuses = say_statuses(card.status for card in cards)
        raise Refusal(
            Code.ILLEGAL_STEP, f"Nothing made by {describe_made(made)} can be taken through {step.value}: it is {statuses}. Nothing was changed."
        )
    for scope in sorted({card.scope for card in legal}):
        actor.need(Right.DECIDE, scope, doing)
    return legal


def _is_seen(actor: Actor, card: Card) -> bool:
    return actor.may(Right.INSPECT, card.scope) or (card.status is Status.ACCEPTED and actor.may(Right.READ, card.scope))


def describe_made(made: Mapping[str, Any]) -> str:
    """Return how a refusal names what was picked by."""
    return ", ".join(f"{name} {value}" for name, value in sorted(made.items()))


def find_made(connection: Connection, tenant: int, made: Mapping[str, Any]) -> list[Card]:
    """Return everything that was made so, whatever its status, by number.

    Raises:
        Refusal: `bad_value`: the words pick nothing sensible.
    """
    cards = load_cards(connection, tenant, connection.execute(made_query(connection, tenant, made)).scalars())
    return [cards[number] for number in sorted(cards)]


def count_made_so(connection: Connection, tenant: int, made: Mapping[str, Any]) -> list[tuple[int, int, int]]:
    """Return (status, scope, how many) of everything that was made so, whatever its status.

    Raises:
        Refusal: `bad_value`: the words pick nothing sensible.
    """
    some, s = made_query(connection, tenant, made).subquery(), t.record_state
    query = (
        sa.select(s.c.status, s.c.scope, sa.func.count())
        .join(some, some.c.record == s.c.record)
        .where(s.c.tenant == tenant)
        .group_by(s.c.status, s.c.scope)
    )
    return [(row[0], row[1], row[2]) for row in connection.execute(query)]


def first_made_so(connection: Connection, tenant: int, made: Mapping[str, Any], seen: Sequence[tuple[int, int]], limit: int) -> list[Card]:
    """Return the first of what was made so, by number, of the given pairs of (status, scope).

    Raises:
        Refusal: `bad_value`: the words pick nothing sensible.
    """
    if not seen:
        return []
    some, s = made_query(connection, tenant, made).subquery(), t.record_state
    scopes: dict[int, list[int]] = {}
    for status, scope in seen:
        scopes.setdefault(status, []).append(scope)
    query = (
        sa.select(s.c.record)
        .join(some, some.c.record == s.c.record)
        .where(s.c.tenant == tenant, sa.or_(*(sa.and_(s.c.status == status, s.c.scope.in_(its)) for status, its in scopes.items())))
        .order_by(s.c.record)
        .limit(limit)
    )
    cards = load_cards(connection, tenant, connection.execute(query).scalars())
    return [cards[number] for number in sorted(cards)]


def made_query(connection: Connection, tenant: int, made: Mapping[str, Any]) -> sa.Select[Any]:
    """Return the query for the numbers of what was made so.

    Raises:
        Refusal: `bad_value`: the words pick nothing sensible.
    """
    words = read_made(made)
    r, c, s = t.record, t.claim, t.record_state
    query = sa.select(r.c.record).where(r.c.tenant == tenant)
    if {"extractor", "version"} & words.keys():
        query = query.join(c, (c.c.tenant == r.c.tenant) & (c.c.record == r.c.record))
        for word, name in (("extractor", "method"), ("version", "version")):
            if word in words:
                query = query.where(extraction_part(connection, name) == words[word])
    if "predicate" in words:
        k = t.claim_key
        query = query.join(k, (k.c.tenant == r.c.tenant) & (k.c.key == r.c.key)).where(k.c.predicate == words["predicate"])
    if "proposer" in words:
        query = query.where(r.c.proposed_by == (find_party(connection, tenant, words["proposer"]) or -1))
    if "task" in words:
        query = query.where(r.c.task == words["task"])
    if "import" in words:
        query = query.where(r.c.created_seq == words["import"])
    if "since" in words or "until" in words:
        e = t.event
        query = query.join(e, (e.c.tenant == r.c.tenant) & (e.c.seq == r.c.created_seq))
        if "since" in words:
            query = query.where(e.c.at >= words["since"])
        if "until" in words:
            query = query.where(e.c.at < words["until"])
    if "source" in words:
        b, other, kept = t.binding, t.record.alias("version"), t.source
        versions = (
            sa.select(other.c.record)
            .outerjoin(kept, (kept.c.tenant == other.c.tenant) & (kept.c.source == other.c.source))
            .where(other.c.tenant == tenant, other.c.source.is_not(None), sa.or_(other.c.id == words["source"], kept.c.id == words["source"]))
        )
        query = query.where(r.c.record.in_(sa.select(b.c.record).where(b.c.tenant == tenant, b.c.evidence.in_(versions))))
    if "scope" in words:
        inside = [number for number, path in load_scopes(connection, tenant).items() if covers(words["scope"], path)]
        query = query.join(s, (s.c.tenant == r.c.tenant) & (s.c.record == r.c.record)).where(s.c.scope.in_(inside))
    return query
