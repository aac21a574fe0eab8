"""Clearing what was seen of plans: remembered previews and saved rehearsals that hold a forgotten record among what they reach."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import sqlalchemy as sa

from store.db import tables as t
from store.db.bulk import chunks
from store.db.erase_mentions import remove_rows
from store.db.transaction import Writing
from store.domain.forgetting import Cleared

#: Lists of claim keys and of records in what was seen of a rehearsal.
_KEYS = ("opened", "dissolved", "changed")


def clear_previews(tx: Writing, request: int, records: Sequence[int]) -> Cleared:  # noqa: ARG001
    """Remove remembered previews that reach the records, and take them and their recipients out of saved rehearsals.

    Those that name them in words were cleared with the records.
    """
    gone = np.array(sorted(records), dtype=np.int64)
    p, found = t.preview, list[str]()
    for row in tx.connection.execute(sa.select(p.c.fingerprint, p.c.rows).where(p.c.tenant == tx.tenant)):
        if np.isin(np.frombuffer(bytes(row.rows), dtype="<i4").reshape(-1, 4)[:, 0], gone).any():
            found.append(row.fingerprint)
    return Cleared(remove_rows(tx, p, "fingerprint", found) + _clear_seen(tx, set(records)))


def _clear_seen(tx: Writing, records: set[int]) -> int:
    """Take the records' notices and owners, and claim keys that are gone, out of what was seen of rehearsals."""
    r, done = t.rehearsal, 0
    for row in tx.connection.execute(sa.select(r.c.rehearsal, r.c.seen).where(r.c.tenant == tx.tenant, r.c.seen != "{}")).all():
        seen: dict[str, Any] = json.loads(row.seen)
        keys = {key for key, *_ in seen["answers"]} | {key for name in _KEYS for key in seen[name]}
        lost = keys - _living_keys(tx, sorted(keys))
        after = {
            **seen, "answers": [one for one in seen["answers"] if one[0] not in lost], "notices": [one for one in seen["notices"] if one[0] not in records],
            "owners": {owner: left for owner, its in seen["owners"].items() if (left := [one for one in its if one not in records])},
            **{name: [key for key in seen[name] if key not in lost] for name in _KEYS},
        }  # fmt: skip
        if after != seen:
            text = json.dumps(after, ensure_ascii=False, separators=(",", ":"))
            tx.connection.execute(sa.update(r).where(r.c.tenant == tx.tenant, r.c.rehearsal == row.rehearsal).values(seen=text))
            done += 1
    return done


def _living_keys(tx: Writing, keys: Sequence[int]) -> set[int]:
    k, found = t.claim_key, set[int]()
    for some in chunks(keys):
        found.update(tx.connection.execute(sa.select(k.c.key).where(k.c.tenant == tx.tenant, k.c.key.in_(some))).scalars())
    return found
