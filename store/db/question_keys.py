"""Finding claim keys by how they begin, for somebody who is typing a question."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.subjects import subjects_from, subjects_with_words

#: How many subjects with one beginning are looked into.
_MOST_SUBJECTS = 8
#: Sorts after every character a text may hold.
_LAST = "\U0010ffff"


@dataclass(frozen=True, slots=True)
class AskedKey:
    """A claim key that was used in a scope."""

    number: int
    scope: str
    subject: str
    predicate: str
    qualifiers: dict[str, Any]


def _keys() -> sa.Select[Any]:
    k, s = t.claim_key, t.scope
    return sa.select(k.c.key, s.c.path, k.c.subject, k.c.predicate, k.c.qualifiers).join(s, (s.c.tenant == k.c.tenant) & (s.c.scope == k.c.scope))


def _read(connection: Connection, query: sa.Select[Any]) -> list[AskedKey]:
    return [AskedKey(row.key, row.path, row.subject, row.predicate, json.loads(row.qualifiers)) for row in connection.execute(query)]


def _subjects(connection: Connection, tenant: int, scopes: Sequence[int], words: str) -> list[str]:
    """Return subjects that begin with words, as typed or in another case, else such as hold them all."""
    found: dict[str, None] = {}
    for spelling in dict.fromkeys((words, words.lower(), words.upper(), words[:1].upper() + words[1:])):
        end = spelling + _LAST
        found.update(dict.fromkeys(subjects_from(connection, tenant, scopes, spelling, end, _MOST_SUBJECTS - len(found), after=False)))
        if len(found) >= _MOST_SUBJECTS:
            break
    return list(found) or subjects_with_words(connection, tenant, scopes, words, _MOST_SUBJECTS)


def find_keys(connection: Connection, tenant: int, scopes: Sequence[int], subject: str, predicate: str, limit: int) -> list[AskedKey]:
    """Return keys of the scopes whose subject and predicate begin with these words, in whatever case; without words the first ones made."""
    k = t.claim_key
    query = _keys().where(k.c.tenant == tenant, k.c.scope.in_(scopes))
    if predicate:
        query = query.where(k.c.predicate.istartswith(predicate, autoescape=True))
    if not subject:
        return _read(connection, query.order_by(k.c.key).limit(limit))
    names = _subjects(connection, tenant, scopes, subject)
    return _read(connection, query.where(k.c.subject.in_(names)).order_by(k.c.subject, k.c.predicate, k.c.qualifiers, k.c.key).limit(limit))


def keys_asking(connection: Connection, tenant: int, scopes: Sequence[int], subject: str, predicate: str, limit: int) -> list[AskedKey]:
    """Return keys of the scopes with exactly this subject and predicate, whatever their qualifiers."""
    k = t.claim_key
    query = _keys().where(k.c.tenant == tenant, k.c.scope.in_(scopes), k.c.subject == subject, k.c.predicate == predicate)
    return _read(connection, query.order_by(k.c.qualifiers, k.c.key).limit(limit))


def scopes_asking(connection: Connection, tenant: int, question: int, most: int) -> list[AskedKey]:
    """Return keys that ask the same in whatever scope, by the code of the question."""
    k = t.claim_key
    return _read(connection, _keys().where(k.c.tenant == tenant, k.c.question == question).order_by(t.scope.c.path).limit(most))
