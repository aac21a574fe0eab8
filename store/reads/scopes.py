"""Which scopes somebody may choose from on the screens."""

from __future__ import annotations

from store.db.claim_store import ClaimStore
from store.db.keys import load_scopes
from store.db.tenants import tenants_of
from store.db.transaction import read
from store.domain.people import Right
from store.domain.scopes import nearest_first

#: More than anybody can choose from; the address still takes every scope.
MOST = 2_000


def list_scopes(store: ClaimStore, person: str, *, authenticated: bool = False) -> list[str]:
    """Return the scopes the person may see in full, and those above them that are theirs too, in order; at most 2,000."""
    with read(store, person, authenticated=authenticated) as reading:
        found: set[str] = set()
        for number, _ in tenants_of(reading, Right.INSPECT):
            for path in load_scopes(reading.connection, number).values():
                found.update(scope for scope in nearest_first(path) if reading.actor.may(Right.INSPECT, scope))
        return sorted(found)[:MOST]
