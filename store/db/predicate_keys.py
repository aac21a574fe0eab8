"""Which predicate each claim key has: read once, then only what was added, as a key never changes its predicate."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.snapshots import Snapshots


@dataclass(slots=True)
class PredicateKeys:
    """The predicates of a tenant's keys.

    Attributes:
        names: the predicates, in the order they came; `codes`: for each key number the place of its predicate in `names`, -1 for none.
    """

    names: list[str] = field(default_factory=list)
    codes: NDArray[np.int32] = field(default_factory=lambda: np.full(1, -1, dtype=np.int32))


class _Kept:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.tenants: dict[int, PredicateKeys] = {}


_KEPT: WeakKeyDictionary[Snapshots, _Kept] = WeakKeyDictionary()
_GUARD = threading.Lock()


def predicate_keys(of: Snapshots, connection: Connection, tenant: int) -> PredicateKeys:
    """Return the predicates of all keys that `connection` sees, and perhaps of later ones; kept as long as a store's snapshots are."""
    with _GUARD:
        kept = _KEPT.setdefault(of, _Kept())
    with kept.lock:
        known = kept.tenants.get(tenant, PredicateKeys())
        k = t.claim_key
        rows = connection.execute(sa.select(k.c.key, k.c.predicate).where(k.c.tenant == tenant, k.c.key >= len(known.codes)).order_by(k.c.key)).all()
        if rows:
            places = {name: place for place, name in enumerate(known.names)}
            codes = np.full(rows[-1].key + 1, -1, dtype=np.int32)
            codes[: len(known.codes)] = known.codes
            for number, name in rows:
                codes[number] = places.setdefault(name, len(places))
            known = PredicateKeys(list(places), codes)
            kept.tenants[tenant] = known
        return known
