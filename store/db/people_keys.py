"""Which claim keys are about people: by their subject, or by what their predicate is declared to be about."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

import numpy as np
import sqlalchemy as sa

from store.db import tables as t
from store.db.engine import is_sqlite
from store.db.keys import load_predicates, load_scopes, nearest_predicate
from store.db.transaction import Reading
from store.domain.reach import Ints

#: Subjects of people begin with the first; the second is the first text behind all of these.
_FROM, _TO = "person:", "person;"
#: (store, tenant) -> the event after which the keys were looked up, and the keys.
_found: OrderedDict[tuple[str, int], tuple[int, Ints]] = OrderedDict()
_lock = Lock()
_KEPT = 16


def keys_of_people(reading: Reading, tenant: int, seq: int) -> Ints:
    """Return the claim keys about people after event `seq`, in order; from memory until something happens."""
    at = (f"{reading.store.lineage}:{reading.store.url}", tenant)
    with _lock:
        known = _found.get(at)
    if known is not None and known[0] == seq:
        return known[1]
    connection, k = reading.connection, t.claim_key
    # The index compares bytes on both databases; these are PostgreSQL's operators for that.
    least, below = (">=", "<") if is_sqlite(connection) else ("~>=~", "~<~")
    begins = (k.c.subject.op(least, is_comparison=True)(_FROM), k.c.subject.op(below, is_comparison=True)(_TO))
    keys = list(connection.execute(sa.select(k.c.key).where(k.c.tenant == tenant, *begins)).scalars())
    declared = load_predicates(connection, tenant)
    names = sorted({name for (_, name), one in declared.items() if one.about == "person"})
    if names:
        paths = load_scopes(connection, tenant)
        rows = connection.execute(sa.select(k.c.key, k.c.scope, k.c.predicate).where(k.c.tenant == tenant, k.c.predicate.in_(names)))
        keys += [row.key for row in rows if nearest_predicate(declared, paths[row.scope], row.predicate).about == "person"]
    found = np.unique(np.array(keys, dtype=np.int64))
    with _lock:
        _found[at] = (seq, found)
        while len(_found) > _KEPT:
            _found.popitem(last=False)
    return found
