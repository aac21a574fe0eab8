"""People, roles, predicates, policies and sources: finding and writing their rows."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.bulk import chunks
from store.db.transaction import Writing
from store.domain.records import Person, Policy, Source
from store.domain.scopes import EVERYWHERE
from store.domain.text import canonical_json
from store.domain.values import Predicate


def save_person(tx: Writing, person_id: str, name: str, *, email: str | None = None) -> int:
    """Add a person, or set the name of one that is there, and the address where one is given; return the number."""
    p = t.person
    number = tx.connection.execute(sa.select(p.c.person).where(p.c.tenant == tx.tenant, p.c.id == person_id)).scalar_one_or_none()
    if number is None:
        highest = sa.select(sa.func.coalesce(sa.func.max(p.c.person), 0)).where(p.c.tenant == tx.tenant)
        number = int(tx.connection.execute(highest).scalar_one()) + 1
        tx.connection.execute(sa.insert(p), {"tenant": tx.tenant, "person": number, "id": person_id, "name": name, "email": email})
    else:
        tx.connection.execute(sa.update(p).where(p.c.tenant == tx.tenant, p.c.person == number).values(name=name, **({} if email is None else {"email": email})))
    return int(number)


def keep_email(tx: Writing, person_id: str, email: str | None) -> None:
    """Set where notices for somebody go."""
    p = t.person
    tx.connection.execute(sa.update(p).where(p.c.tenant == tx.tenant, p.c.id == person_id).values(email=email))


@dataclass(frozen=True, slots=True)
class KnownPerson:
    """Somebody of a tenant, with the number in it."""

    number: int
    id: str
    name: str


def find_person(connection: Connection, tenant: int, person_id: str) -> KnownPerson | None:
    """Return somebody by id, None where a tenant has nobody of that id."""
    p = t.person
    row = connection.execute(sa.select(p.c.person, p.c.id, p.c.name).where(p.c.tenant == tenant, p.c.id == person_id)).one_or_none()
    return None if row is None else KnownPerson(row.person, row.id, row.name)


def admins_of(connection: Connection, tenant: int, name: str) -> list[str]:
    """Return the ids of the people who are admin of all of a tenant by a role of its own."""
    p, r = t.person, t.role
    query = sa.select(p.c.id).join(r, (r.c.tenant == p.c.tenant) & (r.c.person == p.c.person))
    return list(connection.execute(query.where(p.c.tenant == tenant, r.c.role == "admin", r.c.scope == name)).scalars())


def list_roles(connection: Connection, tenant: int) -> list[tuple[str, str, str | None, str | None]]:
    """Return (id, name, role, scope) of everybody of a tenant, role and scope None for who holds none; in the order of ids."""
    p, r = t.person, t.role
    query = sa.select(p.c.id, p.c.name, r.c.role, r.c.scope).outerjoin(r, (r.c.tenant == p.c.tenant) & (r.c.person == p.c.person))
    return [tuple(row) for row in connection.execute(query.where(p.c.tenant == tenant).order_by(p.c.id, r.c.scope, r.c.role))]


def load_roles(tx: Writing, person: int) -> set[tuple[str, str]]:
    """Return the (role, scope) pairs a person holds in this tenant."""
    r = t.role
    rows = tx.connection.execute(sa.select(r.c.role, r.c.scope).where(r.c.tenant == tx.tenant, r.c.person == person))
    return {(role, scope) for role, scope in rows}


def change_roles(tx: Writing, person: int, *, give: Iterable[tuple[str, str]], take: Iterable[tuple[str, str]]) -> None:
    """Give a person roles and take others away."""
    r = t.role
    for role, scope in take:
        tx.connection.execute(sa.delete(r).where(r.c.tenant == tx.tenant, r.c.person == person, r.c.role == role, r.c.scope == scope))
    rows = [{"tenant": tx.tenant, "person": person, "role": role, "scope": scope} for role, scope in give]
    if rows:
        tx.connection.execute(sa.insert(r), rows)


def list_people_with_roles(connection: Connection) -> list[dict[str, Any]]:
    """Return everybody who holds a role anywhere, by id."""
    p, r = t.person, t.role
    query = (
        sa.select(p.c.id, p.c.name, r.c.role, r.c.scope)
        .join(r, (r.c.tenant == p.c.tenant) & (r.c.person == p.c.person))
        .order_by(p.c.id, r.c.scope, r.c.role)
    )
    found: dict[str, dict[str, Any]] = {}
    for row in connection.execute(query):
        one = found.setdefault(row.id, {"id": row.id, "name": row.name, "roles": []})
        one["roles"].append({"role": row.role, "scope": "everywhere" if row.scope == EVERYWHERE else row.scope})
    return list(found.values())


def list_person_ids(connection: Connection, tenant: int) -> set[str]:
    """Return the ids of a tenant's people."""
    return set(connection.execute(sa.select(t.person.c.id).where(t.person.c.tenant == tenant)).scalars())


def save_predicate(tx: Writing, predicate: Predicate) -> None:
    """Declare a predicate, in place of what the scope declared before."""
    p = t.predicate
    tx.connection.execute(sa.delete(p).where(p.c.tenant == tx.tenant, p.c.scope == predicate.scope, p.c.name == predicate.name))
    values = {name: getattr(predicate, name) for name in ("scope", "name", "many", "value_type", "order", "series", "compare", "about")}
    tolerance = canonical_json(dict(predicate.tolerance)) if predicate.tolerance else None
    thresholds = canonical_json(list(predicate.thresholds)) if predicate.thresholds else None
    tx.connection.execute(sa.insert(p), {"tenant": tx.tenant, **values, "tolerance": tolerance, "thresholds": thresholds})


def load_policy_text(connection: Connection, tenant: int, scope: str) -> str | None:
    """Return a scope's own policy as stored, None where it has none."""
    p = t.policy
    return connection.execute(sa.select(p.c.settings).where(p.c.tenant == tenant, p.c.scope == scope)).scalar_one_or_none()


def save_policy(tx: Writing, scope: str, settings: str) -> None:
    """Put a policy in place of the scope's own."""
    p = t.policy
    tx.connection.execute(sa.delete(p).where(p.c.tenant == tx.tenant, p.c.scope == scope))
    tx.connection.execute(sa.insert(p), {"tenant": tx.tenant, "scope": scope, "settings": settings})


@dataclass(frozen=True, slots=True)
class KnownSource:
    """A source in the store, with its number."""

    number: int
    source: Source


def drop_policy(tx: Writing, scope: str) -> None:
    """Take a scope's own policy away, so that those above it hold there."""
    tx.connection.execute(sa.delete(t.policy).where(t.policy.c.tenant == tx.tenant, t.policy.c.scope == scope))


def load_sources(connection: Connection, tenant: int, ids: Iterable[str] | None = None) -> list[KnownSource]:
    """Return sources in the order they came, all or those with the given ids."""
    s = t.source
    query = sa.select(s, t.scope.c.path).join(t.scope, (t.scope.c.tenant == s.c.tenant) & (t.scope.c.scope == s.c.scope)).where(s.c.tenant == tenant)
    rows: list[Any] = []
    if ids is None:
        rows.extend(connection.execute(query.order_by(s.c.source)))
    else:
        for some in chunks(sorted(set(ids))):
            rows.extend(connection.execute(query.where(s.c.id.in_(some))))
    return [KnownSource(row.source, Source(row.id, row.path, row.uri, row.title, row.authority, row.owner, row.family)) for row in rows]


def add_sources(tx: Writing, sources: list[tuple[Source, int]]) -> dict[str, int]:
    """Add sources, each with the number of its scope, and return id -> number."""
    s = t.source
    highest = tx.connection.execute(sa.select(sa.func.coalesce(sa.func.max(s.c.source), 0)).where(s.c.tenant == tx.tenant)).scalar_one()
    rows = [
        {
            "tenant": tx.tenant,
            "source": highest + place,
            "id": source.id,
            "scope": scope,
            "uri": source.uri,
            "title": source.title,
            "authority": source.authority,
            "owner": source.owner,
            "family": source.family or source.id,
        }
        for place, (source, scope) in enumerate(sources, 1)
    ]
    if rows:
        tx.connection.execute(sa.insert(s), rows)
    return {row["id"]: row["source"] for row in rows}


def places_of(
    connection: Connection, *, sources: Iterable[str] = (), records: Iterable[str] = (), conflicts: Iterable[str] = ()
) -> dict[str, set[str]]:
    """Return id -> names of the tenants in which it exists, of those that exist."""
    found: dict[str, set[str]] = {}
    for table, ids in ((t.source, sources), (t.record, records), (t.conflict, conflicts)):
        for some in chunks(sorted(set(ids))):
            query = sa.select(table.c.id, t.tenant.c.name).join(t.tenant, t.tenant.c.tenant == table.c.tenant).where(table.c.id.in_(some))
            for one, name in connection.execute(query):
                found.setdefault(one, set()).add(name)
    return found


def list_tenant_people(connection: Connection, tenant: int) -> list[Person]:
    """Return a tenant's people who hold roles in it, by id."""
    p, r = t.person, t.role
    query = (
        sa.select(p.c.id, p.c.name, p.c.email, r.c.role, r.c.scope)
        .join(r, (r.c.tenant == p.c.tenant) & (r.c.person == p.c.person))
        .where(p.c.tenant == tenant)
        .order_by(p.c.person)
    )
    found: dict[str, tuple[str, str | None, list[tuple[str, str]]]] = {}
    for person_id, name, email, role, scope in connection.execute(query):
        found.setdefault(person_id, (name, email, []))[2].append((role, scope))
    return [Person(person_id, name, tuple(roles), email) for person_id, (name, email, roles) in sorted(found.items())]


def list_policies(connection: Connection, tenant: int) -> list[Policy]:
    """Return a tenant's policies by scope."""
    p = t.policy
    rows = connection.execute(sa.select(p.c.scope, p.c.settings).where(p.c.tenant == tenant)).all()
    return [Policy(scope, json.loads(settings)) for scope, settings in sorted((row.scope, row.settings) for row in rows)]
