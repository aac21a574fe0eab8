"""Finding the tenant somebody means by an id, and the people to choose from."""

from __future__ import annotations

from typing import Any

from store.db.claim_store import ClaimStore
from store.db.declarations import list_people_with_roles, places_of
from store.db.engine import explained
from store.db.tenants import tenants_of
from store.db.transaction import read
from store.domain.errors import Code, Refusal, not_found
from store.domain.people import OPERATOR, Actor
from store.domain.scopes import EVERYWHERE, tenant_of


def find_tenant(store: ClaimStore, person: str, ids: list[str], tenant: str | None = None, *, authenticated: bool = False) -> str:
    """Return the tenant in which a person means an id of a record, source or conflict.

    Raises:
        Refusal: `ambiguous_tenant` when several tenants have it, `not_found` when none does.
    """
    if tenant is not None:
        return tenant
    with read(store, person, authenticated=authenticated) as reading:
        mine = tenants_of(reading)
        if len(mine) == 1:
            return mine[0][1]
        having = set().union(*places_of(reading.connection, sources=ids, records=ids, conflicts=ids).values())
        found = [name for _, name in mine if name in having]
        if not ids:
            raise Refusal(Code.AMBIGUOUS_TENANT, f"You act in {', '.join(name for _, name in mine)}. Nothing was done. Say which with --tenant.")
        if not found:
            found = [name for _, name in mine if any(store.ledger.is_erased_id(name, one) for one in ids)]
        if not found:
            raise not_found(ids[0])
        if len(found) > 1:
            raise Refusal(Code.AMBIGUOUS_TENANT, f"{ids[0]!r} exists in {', '.join(found)}. Nothing was done. Say which with --tenant.")
        return found[0]


def list_people(store: ClaimStore) -> list[dict[str, Any]]:
    """Return every person who holds a role, with roles; for choosing who one is in local mode."""
    with explained(), store.reader.begin() as connection:
        found = list_people_with_roles(connection)
    return sorted(found, key=lambda one: (one["id"] == OPERATOR, one["name"]))


def describe_actor(store: ClaimStore, person: str, *, authenticated: bool = False) -> Actor:
    """Return a person with the roles held now.

    Raises:
        Refusal: `unknown_person`.
    """
    with read(store, person, authenticated=authenticated) as reading:
        return reading.actor


def list_tenants(store: ClaimStore, person: str, *, authenticated: bool = False) -> list[str]:
    """Return the tenants in which a person holds a role, those of roles without records too."""
    with read(store, person, authenticated=authenticated) as reading:
        known = [name for _, name in tenants_of(reading)]
        named = {tenant_of(scope) for _, scope in reading.actor.roles if scope != EVERYWHERE}
        return sorted({*known, *named})
