"""What claims of tolerant predicates are compared by; everything else is compared by its value code alone."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.bulk import chunks
from store.db.keys import load_predicates, nearest_predicate
from store.domain.tolerance import Near, read_near
from store.domain.values import Predicate

Declared = dict[tuple[str, str], Predicate]


def load_tolerant(connection: Connection, tenant: int) -> Declared:
    """Return the declarations of every name that some scope declares with a tolerance; one short look where none does."""
    p = t.predicate
    names = set(connection.execute(sa.select(p.c.name).where(p.c.tenant == tenant, p.c.tolerance.is_not(None))).scalars())
    if not names:
        return {}
    return {place: predicate for place, predicate in load_predicates(connection, tenant).items() if predicate.name in names}


def load_near(
    connection: Connection, tenant: int, declared: Declared, *, keys: Iterable[int] | None = None, records: Iterable[int] | None = None
) -> dict[int, Near]:
    """Return record -> what it is compared by, for claims of `keys`, of `records`, or all of tolerant predicates."""
    if not declared:
        return {}
    r, k, s, c = t.record, t.claim_key, t.scope, t.claim
    query = (
        sa.select(r.c.record, k.c.predicate, s.c.path, c.c.value)
        .join(k, (k.c.tenant == r.c.tenant) & (k.c.key == r.c.key))
        .join(s, (s.c.tenant == k.c.tenant) & (s.c.scope == k.c.scope))
        .join(c, (c.c.tenant == r.c.tenant) & (c.c.record == r.c.record))
        .where(r.c.tenant == tenant, k.c.predicate.in_(sorted({name for _, name in declared})))
    )
    rows: list[Any] = []
    if keys is not None:
        for some in chunks(sorted(set(keys))):
            rows.extend(connection.execute(query.where(r.c.key.in_(some))))
    elif records is not None:
        for some in chunks(sorted(set(records))):
            rows.extend(connection.execute(query.where(r.c.record.in_(some))))
    else:
        rows.extend(connection.execute(query))
    found = {}
    for record, name, path, value in rows:
        near = read_near(json.loads(value), nearest_predicate(declared, path, name))
        if near is not None:
            found[record] = near
    return found


def near_keys(connection: Connection, tenant: int, keys: Iterable[int]) -> dict[int, Near]:
    """Return record -> what it is compared by, for the claims of some keys."""
    return load_near(connection, tenant, load_tolerant(connection, tenant), keys=keys)
