"""Finding claim keys by how they begin, for somebody who is typing a question."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t


@dataclass(frozen=True, slots=True)
class AskedKey:
    """A claim key that was used in a scope."""

    number: int
    scope: str
    subject: str
    predicate: str
    qualifiers: dict[str, Any]


def find_keys(
    connection: Connection, tenant: int, scopes: Sequence[int], subject: str, predicate: str, limit: int, *, exact: bool = False
) -> list[AskedKey]:
    """Return keys of the scopes whose subject and predicate begin with these words, in whatever case; with `exact`, that are these words."""
    k, s = t.claim_key, t.scope
    query = sa.select(k.c.key, s.c.path, k.c.subject, k.c.predicate, k.c.qualifiers).join(s, (s.c.tenant == k.c.tenant) & (s.c.scope == k.c.scope))
    query = query.where(k.c.tenant == tenant, k.c.scope.in_(scopes))
    for column, words in ((k.c.subject, subject), (k.c.predicate, predicate)):
        if words:
            query = query.where(column == words if exact else column.istartswith(words, autoescape=True))
    # Without words the first keys made will do: to sort all of them would read all of them.
    order = (k.c.subject, k.c.predicate, k.c.qualifiers, k.c.key) if subject else (k.c.key,)
    rows = connection.execute(query.order_by(*order).limit(limit))
    return [AskedKey(row.key, row.path, row.subject, row.predicate, json.loads(row.qualifiers)) for row in rows]


def scopes_asking(connection: Connection, tenant: int, question: int, most: int) -> list[AskedKey]:
    """Return keys that ask the same in whatever scope, by the code of the question."""
    k, s = t.claim_key, t.scope
    query = sa.select(k.c.key, s.c.path, k.c.subject, k.c.predicate, k.c.qualifiers).join(s, (s.c.tenant == k.c.tenant) & (s.c.scope == k.c.scope))
    rows = connection.execute(query.where(k.c.tenant == tenant, k.c.question == question).order_by(s.c.path).limit(most))
    return [AskedKey(row.key, row.path, row.subject, row.predicate, json.loads(row.qualifiers)) for row in rows]
