"""Scopes, names, predicates and claim keys: finding their numbers, and making them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.bulk import chunks
from store.domain.records import key_hash, question_code
from store.domain.scopes import covers, nearest_first
from store.domain.text import canonical_json
from store.domain.values import Predicate, undeclared


class Numbers:
    """Numbers of one tenant's scopes, parties and keys, looked up once per action and made where missing."""

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._connection = connection
        self._tenant = tenant
        self._scopes: dict[str, int] = {}
        self._parties: dict[str, int] = {}
        self._keys: dict[str, int] = {}
        self._next: dict[str, int] = {}
        self.predicates = load_predicates(connection, tenant)

    def _following(self, table: sa.Table, column: str) -> int:
        if table.name not in self._next:
            highest = sa.select(sa.func.coalesce(sa.func.max(table.c[column]), 0)).where(table.c.tenant == self._tenant)
            self._next[table.name] = self._connection.execute(highest).scalar_one()
        self._next[table.name] += 1
        return self._next[table.name]

    def scope(self, path: str) -> int:
        """Return the number of a scope."""
        if path not in self._scopes:
            found = find_scope(self._connection, self._tenant, path)
            if found is None:
                found = self._following(t.scope, "scope")
                self._connection.execute(sa.insert(t.scope), {"tenant": self._tenant, "scope": found, "path": path})
            self._scopes[path] = found
        return self._scopes[path]

    def party(self, name: str | None) -> int | None:
        """Return the number of an owner's or proposer's name."""
        if name is None:
            return None
        if name not in self._parties:
            found = find_party(self._connection, self._tenant, name)
            if found is None:
                found = self._following(t.party, "party")
                self._connection.execute(sa.insert(t.party), {"tenant": self._tenant, "party": found, "name": name})
            self._parties[name] = found
        return self._parties[name]

    def predicate(self, scope: str, name: str) -> Predicate:
        """Return how a predicate is declared nearest to a scope."""
        return nearest_predicate(self.predicates, scope, name)

    def load_keys(self, hashes: list[str]) -> None:
        """Look many keys up at once."""
        for start in range(0, len(hashes), 900):
            some = hashes[start : start + 900]
            rows = self._connection.execute(
                sa.select(t.claim_key.c.hash, t.claim_key.c.key).where(t.claim_key.c.tenant == self._tenant, t.claim_key.c.hash.in_(some))
            )
            self._keys.update((found, key) for found, key in rows)

    def known_key(self, found: str) -> int | None:
        """Return the number of a key that `load_keys` found or `new_key` made."""
        return self._keys.get(found)

    def new_key(self, found: str, scope: str, subject: str, predicate: str, qualifiers: dict[str, Any]) -> tuple[Any, ...]:
        """Return the row of a key that is not there yet, and remember its number."""
        number = self._following(t.claim_key, "key")
        self._keys[found] = number
        many = self.predicate(scope, predicate).many
        return (
            self._tenant, number, found, self.scope(scope), subject, predicate, canonical_json(qualifiers),
            question_code(subject, predicate, qualifiers), many,
        )  # fmt: skip

    def key(self, scope: str, subject: str, predicate: str, qualifiers: dict[str, Any]) -> int:
        """Return the number of a claim key, making it where it is missing."""
        found = key_hash(scope, subject, predicate, qualifiers)
        if found not in self._keys:
            self.load_keys([found])
        if found not in self._keys:
            row = self.new_key(found, scope, subject, predicate, qualifiers)
            self._connection.execute(sa.insert(t.claim_key), dict(zip(KEY_COLUMNS, row, strict=True)))
        return self._keys[found]


KEY_COLUMNS = ("tenant", "key", "hash", "scope", "subject", "predicate", "qualifiers", "question", "many")


def find_scope(connection: Connection, tenant: int, path: str) -> int | None:
    """Return the number of a scope, None where nothing was ever kept in it."""
    return connection.execute(sa.select(t.scope.c.scope).where(t.scope.c.tenant == tenant, t.scope.c.path == path)).scalar_one_or_none()


def find_party(connection: Connection, tenant: int, name: str) -> int | None:
    """Return the number of an owner's or proposer's name."""
    return connection.execute(sa.select(t.party.c.party).where(t.party.c.tenant == tenant, t.party.c.name == name)).scalar_one_or_none()


def find_key(connection: Connection, tenant: int, scope: str, subject: str, predicate: str, qualifiers: dict[str, Any]) -> int | None:
    """Return the number of a claim key, None where no claim ever had it."""
    found = key_hash(scope, subject, predicate, qualifiers)
    return connection.execute(sa.select(t.claim_key.c.key).where(t.claim_key.c.tenant == tenant, t.claim_key.c.hash == found)).scalar_one_or_none()


def load_scopes(connection: Connection, tenant: int) -> dict[int, str]:
    """Return number -> path of every scope of the tenant."""
    rows = connection.execute(sa.select(t.scope.c.scope, t.scope.c.path).where(t.scope.c.tenant == tenant))
    return {number: name for number, name in rows}  # noqa: C416 - rows are no pairs to dict()


def load_parties(connection: Connection, tenant: int) -> dict[int, str]:
    """Return number -> name of every owner and proposer of the tenant."""
    rows = connection.execute(sa.select(t.party.c.party, t.party.c.name).where(t.party.c.tenant == tenant))
    return {number: name for number, name in rows}  # noqa: C416 - rows are no pairs to dict()


def load_predicates(connection: Connection, tenant: int) -> dict[tuple[str, str], Predicate]:
    """Return (scope, name) -> declaration."""
    found = {}
    for row in connection.execute(sa.select(t.predicate).where(t.predicate.c.tenant == tenant)):
        found[row.scope, row.name] = Predicate(
            row.scope, row.name, row.many, row.value_type, row.order, row.series, row.compare, row.about,
            None if row.tolerance is None else json.loads(row.tolerance), () if row.thresholds is None else tuple(json.loads(row.thresholds)),
        )  # fmt: skip
    return found


def nearest_predicate(declared: dict[tuple[str, str], Predicate], scope: str, name: str) -> Predicate:
    """Return the declaration nearest to a scope, or how an undeclared predicate behaves."""
    for place in nearest_first(scope):
        if (place, name) in declared:
            return declared[place, name]
    return undeclared(scope, name)


def load_policies(connection: Connection, tenant: int) -> list[tuple[str, dict[str, Any]]]:
    """Return (scope, settings) of a tenant's policies, the broadest scope first."""
    rows = connection.execute(sa.select(t.policy.c.scope, t.policy.c.settings).where(t.policy.c.tenant == tenant)).all()
    return [(place, json.loads(settings)) for place, settings in sorted(((row.scope, row.settings) for row in rows), key=lambda item: len(item[0]))]


def policy_in(policies: Iterable[tuple[str, Mapping[str, Any]]], scope: str) -> dict[str, Any]:
    """Return the policy in force in a scope: each setting from the nearest scope that has it."""
    found: dict[str, Any] = {}
    for place, settings in policies:
        if covers(place, scope):
            # Earlier imports could write null for "nothing said here".
            found.update({name: value for name, value in settings.items() if value is not None})
    return found


def load_policy(connection: Connection, tenant: int, scope: str) -> dict[str, Any]:
    """Return the policy in force in a scope: each setting from the nearest scope that has it."""
    return policy_in(load_policies(connection, tenant), scope)


def load_key(connection: Connection, tenant: int, key: int) -> tuple[str, str, str, dict[str, Any]]:
    """Return (scope, subject, predicate, qualifiers) of a claim key."""
    query = (
        sa.select(t.scope.c.path, t.claim_key.c.subject, t.claim_key.c.predicate, t.claim_key.c.qualifiers)
        .join(t.scope, (t.scope.c.tenant == t.claim_key.c.tenant) & (t.scope.c.scope == t.claim_key.c.scope))
        .where(t.claim_key.c.tenant == tenant, t.claim_key.c.key == key)
    )
    row = connection.execute(query).one()
    return row[0], row[1], row[2], json.loads(row[3])


def load_key_names(connection: Connection, tenant: int, keys: Iterable[int]) -> dict[int, dict[str, Any]]:
    """Return key -> its scope, subject, predicate and qualifiers as plain values."""
    k, s, found = t.claim_key, t.scope, {}
    query = sa.select(k.c.key, s.c.path, k.c.subject, k.c.predicate, k.c.qualifiers).join(s, (s.c.tenant == k.c.tenant) & (s.c.scope == k.c.scope))
    for some in chunks(sorted(set(keys))):
        for row in connection.execute(query.where(k.c.tenant == tenant, k.c.key.in_(some))):
            found[row.key] = {"scope": row.path, "subject": row.subject, "predicate": row.predicate, "qualifiers": json.loads(row.qualifiers)}
    return found
