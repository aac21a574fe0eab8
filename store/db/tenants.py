"""The tenants of a store, and which of them and of their scopes a person may look into."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.claim_store import STORE_ITSELF
from store.db.keys import load_scopes
from store.db.transaction import Reading
from store.domain.people import Right
from store.domain.scopes import EVERYWHERE, covers, tenant_of


def list_all_tenants(connection: Connection) -> list[tuple[int, str]]:
    """Return number and name of every tenant."""
    query = sa.select(t.tenant.c.tenant, t.tenant.c.name).where(t.tenant.c.tenant != STORE_ITSELF).order_by(t.tenant.c.tenant)
    return [(number, name) for number, name in connection.execute(query)]


def tenants_of(reading: Reading, right: Right = Right.READ) -> list[tuple[int, str]]:
    """Return number and name of the tenants in which the person holds a right somewhere."""
    held = reading.actor.scopes_with(right)
    return [
        (number, name)
        for number, name in list_all_tenants(reading.connection)
        if any(scope == EVERYWHERE or tenant_of(scope) == name for scope in held)
    ]


def visible_scopes(reading: Reading, tenant: int, within: str | None, right: Right = Right.INSPECT) -> tuple[list[int], bool]:
    """Return the numbers of scopes the person may see in full within a scope, and whether those are all of the tenant."""
    scopes = load_scopes(reading.connection, tenant)
    shown = [number for number, path in scopes.items() if (within is None or covers(within, path)) and reading.actor.may(right, path)]
    return shown, len(shown) == len(scopes)


def tenant_name(connection: Connection, tenant: int) -> str:
    """Return the name of a tenant, which is the path of its root scope."""
    return str(connection.execute(sa.select(t.tenant.c.name).where(t.tenant.c.tenant == tenant)).scalar_one())


def last_record(connection: Connection, tenant: int) -> int:
    """Return the highest record number given out."""
    return int(connection.execute(sa.select(t.tenant.c.next_record).where(t.tenant.c.tenant == tenant)).scalar_one()) - 1


def chain_state(connection: Connection, tenant: int) -> tuple[int, str]:
    """Return the number of the latest event and the head of the chain."""
    row = connection.execute(sa.select(t.tenant.c.event_seq, t.tenant.c.head).where(t.tenant.c.tenant == tenant)).one()
    return int(row.event_seq), str(row.head)
