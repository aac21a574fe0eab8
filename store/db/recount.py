"""Bringing derived columns up to date when a rule they follow changes, and counters from scratch."""

from __future__ import annotations

import json

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.bulk import chunks
from store.db.keys import Numbers
from store.db.transaction import Writing
from store.domain.records import key_hash
from store.domain.scopes import covers
from store.domain.values import Predicate, value_code


def revalue_claims(tx: Writing, numbers: Numbers, predicate: Predicate) -> set[int]:
    """Compute the value codes of claims to which a newly declared predicate applies, and return their keys."""
    k, s = t.claim_key, t.scope
    query = sa.select(k.c.key, s.c.path).join(s, (s.c.tenant == k.c.tenant) & (s.c.scope == k.c.scope))
    rows = tx.connection.execute(query.where(k.c.tenant == tx.tenant, k.c.predicate == predicate.name)).all()
    keys = {key: path for key, path in rows if covers(predicate.scope, path)}
    for key, path in keys.items():
        nearest = numbers.predicate(path, predicate.name)
        tx.connection.execute(sa.update(k).where(k.c.tenant == tx.tenant, k.c.key == key).values(many=nearest.many))
    for some in chunks(sorted(keys)):
        r, c = t.record, t.claim
        values = sa.select(r.c.record, r.c.key, c.c.value).join(c, (c.c.tenant == r.c.tenant) & (c.c.record == r.c.record))
        for record, key, value in tx.connection.execute(values.where(r.c.tenant == tx.tenant, r.c.key.in_(some))).all():
            code = value_code(json.loads(value), numbers.predicate(keys[key], predicate.name))
            tx.connection.execute(sa.update(r).where(r.c.tenant == tx.tenant, r.c.record == record).values(value_code=code))
            status, version = tx.connection.execute(
                sa.select(t.record_state.c.status, t.record_state.c.version).where(
                    t.record_state.c.tenant == tx.tenant, t.record_state.c.record == record
                )
            ).one()
            tx.note_history(record, status, status, version)
    return set(keys)


def count_states(connection: Connection, tenant: int) -> dict[tuple[int, int, int], int]:
    """Return (scope, status, kind) -> number of records, counted from the records themselves."""
    s = t.record_state
    query = sa.select(s.c.scope, s.c.status, s.c.kind, sa.func.count()).where(s.c.tenant == tenant).group_by(s.c.scope, s.c.status, s.c.kind)
    return {(scope, status, kind): n for scope, status, kind, n in connection.execute(query)}


def count_owners(connection: Connection, tenant: int) -> dict[tuple[int, int], int]:
    """Return (owner, status) -> number of records, counted from the records themselves; owner 0 is nobody."""
    s = t.record_state
    query = sa.select(s.c.owner, s.c.status, sa.func.count()).where(s.c.tenant == tenant).group_by(s.c.owner, s.c.status)
    return {(owner or 0, status): n for owner, status, n in connection.execute(query)}


def load_counters(connection: Connection, tenant: int) -> tuple[dict[tuple[int, int, int], int], dict[tuple[int, int], int]]:
    """Return the kept counters, per (scope, status, kind) and per (owner, status), zeros left out."""
    c, o = t.counter, t.owner_counter
    states = {(row.scope, row.status, row.kind): row.n for row in connection.execute(sa.select(c).where(c.c.tenant == tenant, c.c.n != 0))}
    owners = {(row.owner, row.status): row.n for row in connection.execute(sa.select(o).where(o.c.tenant == tenant, o.c.n != 0))}
    return states, owners


def wrong_keys(connection: Connection, tenant: int) -> list[str]:
    """Return the subjects of claim keys that do not have the hash of what they name."""
    k, s = t.claim_key, t.scope
    query = sa.select(k.c.hash, s.c.path, k.c.subject, k.c.predicate, k.c.qualifiers).join(s, (s.c.tenant == k.c.tenant) & (s.c.scope == k.c.scope))
    rows = connection.execute(query.where(k.c.tenant == tenant))
    return [row.subject for row in rows if key_hash(row.path, row.subject, row.predicate, json.loads(row.qualifiers)) != row.hash]


def loose_bindings(connection: Connection, tenant: int) -> list[str]:
    """Return the ids of claims bound to a passage of evidence that is not among what they rest on."""
    b, d, r = t.binding, t.dependency, t.record
    joined = sa.and_(d.c.tenant == b.c.tenant, d.c.child == b.c.record, d.c.parent == b.c.evidence)
    query = sa.select(r.c.id).join(b, (b.c.tenant == r.c.tenant) & (b.c.record == r.c.record)).outerjoin(d, joined)
    return list(connection.execute(query.where(b.c.tenant == tenant, d.c.parent.is_(None)).distinct()).scalars())


def foreign_decisions(connection: Connection, tenant: int) -> list[str]:
    """Return the ids of records with a decision that is not by whom, and of when, the event says that it names."""
    d, e, r = t.decision, t.event, t.record
    joined = sa.and_(e.c.tenant == d.c.tenant, e.c.seq == d.c.seq, e.c.person == d.c.person, e.c.at == d.c.at)
    query = sa.select(r.c.id).join(d, (d.c.tenant == r.c.tenant) & (d.c.record == r.c.record)).outerjoin(e, joined)
    return list(connection.execute(query.where(d.c.tenant == tenant, e.c.seq.is_(None)).distinct()).scalars())
