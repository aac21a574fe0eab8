"""The surface of backups: nothing in one can be erased, so each is waited for until it is destroyed.

Until its date it is kept by rule. After that it is open until its file is deleted and that is noted: that a date has passed
deletes nothing, and a file that is not found from here may have been moved.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from store.db import tables as t
from store.db.backups import UNFINISHED, is_there, load_backups
from store.db.bulk import chunks
from store.db.transaction import Writing
from store.domain.forgetting import SETTLED, Cleared, Surface, SurfaceState

#: Under which rule what stands in a backup is kept.
RULE = "backup retention"
#: Who is named as having settled what settled itself.
_ITSELF = "claimdesk"
#: Why one past its date is not settled.
STILL_THERE, NOT_FOUND = "past its date and still there", "past its date and not found from here"
#: What this program clears itself; before all of it is, another backup may still be made with it.
_OWN = (Surface.RECORD, Surface.EVIDENCE, Surface.SEARCH_INDEX, Surface.CACHES, Surface.PREVIEWS, Surface.HISTORY, Surface.READ_LOG)


def clear_backups(tx: Writing, request: int, records: Sequence[int]) -> Cleared:
    """Note every backup made while the records existed, each with the date it lapses; done where all are gone or lapsed."""
    s = t.deletion_surface
    where = (s.c.tenant == tx.tenant, s.c.request == request)
    rows = tx.connection.execute(sa.select(s.c.surface, s.c.n, s.c.state, s.c.about, s.c.by).where(*where)).all()
    own = {row.surface: SurfaceState(row.state) for row in rows if row.n == 0}
    known = {row.about for row in rows if row.surface == Surface.BACKUPS.value and row.n}
    # Once everything was cleared, a backup made later does not hold it.
    complete = own.get(Surface.BACKUPS.value) in SETTLED
    still = sum(own.get(surface.value) is not SurfaceState.DONE for surface in _OWN)
    p = t.redaction
    passages = tx.connection.execute(sa.select(p.c.record).where(p.c.tenant == tx.tenant, p.c.request == request)).scalars()
    first = _first_event(tx, {*records, *passages})
    said = {row.about for row in rows if row.surface == Surface.BACKUPS.value and row.n and row.by not in (None, _ITSELF) and SurfaceState(row.state) in SETTLED}
    waiting, lapsed = list[int](), False
    for row in load_backups(tx.connection):
        if row.backup not in known and (complete or not _may_hold(row.revisions, tx.tenant, first)):
            continue
        state, rule = _how_far(row, tx.at)
        if state is SurfaceState.OPEN and rule == NOT_FOUND and row.backup in said:
            continue  # somebody knows what became of it
        settled = state in SETTLED
        values = {
            "state": int(state), "rule": rule, "until": None if state is SurfaceState.DONE else row.until, "by": _ITSELF if settled else None,
            "at": tx.at if settled else None, "about": row.backup,
        }  # fmt: skip
        if row.backup in known:
            tx.connection.execute(sa.update(s).where(*where, s.c.surface == Surface.BACKUPS.value, s.c.about == row.backup).values(**values))
        else:
            key = {"tenant": tx.tenant, "request": request, "surface": Surface.BACKUPS.value, "n": row.backup}
            tx.connection.execute(sa.insert(s), {**key, **values})
            known.add(row.backup)
        lapsed |= state is SurfaceState.OPEN
        if state is SurfaceState.KEPT:
            waiting.append(row.until)
    found = len(known) - sum(row.surface == Surface.BACKUPS.value and row.n > 0 for row in rows)
    if still or lapsed:
        return Cleared(found, SurfaceState.OPEN)
    return Cleared(found, SurfaceState.KEPT, RULE, max(waiting)) if waiting else Cleared(found)


def _how_far(row: Any, now: int) -> tuple[SurfaceState, str | None]:
    """Return how far a backup is by the register and by its file, with the rule or what it waits for."""
    if row.gone_at is not None:
        return SurfaceState.DONE, None
    if row.until > now:
        return SurfaceState.KEPT, RULE
    return SurfaceState.OPEN, STILL_THERE if is_there(row.name) else NOT_FOUND


def _first_event(tx: Writing, records: set[int]) -> int:
    """Return the event that made the oldest of the records, or of the versions in which passages are blotted out."""
    r = t.record
    oldest = sa.select(sa.func.min(r.c.created_seq)).where(r.c.tenant == tx.tenant)
    found = [tx.connection.execute(oldest.where(r.c.record.in_(some))).scalar_one() for some in chunks(sorted(records))]
    return min((one for one in found if one is not None), default=0)


def _may_hold(revisions: str, tenant: int, first: int) -> bool:
    """Return whether a backup may hold something made by event `first`; of one whose making was broken off nobody knows."""
    return revisions == UNFINISHED or int(json.loads(revisions).get(str(tenant), -1)) >= first
