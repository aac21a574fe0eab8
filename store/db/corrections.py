"""Corrections as rows: which are open, what they are about, and which events belong to them (R25)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.bulk import chunks
from store.db.transaction import Writing
from store.domain.errors import Code, Refusal, not_found
from store.domain.plans import Plan, Verb

#: The step of a correction to which committing each verb belongs; what is not here belongs to `settle`.
_STEP_OF = {Verb.SUSPEND: "stop", Verb.REVOKE: "commit", Verb.RECAPTURE: "commit", Verb.SUPERSEDE: "commit", Verb.REINSTATE: "commit"}


def find_correction(connection: Connection, tenant: int, correction_id: str) -> Any:
    """Return the row of a correction, None where there is none."""
    c = t.correction
    return connection.execute(sa.select(c).where(c.c.tenant == tenant, c.c.id == correction_id)).one_or_none()


def corrections_of_sources(connection: Connection, tenant: int, sources: Sequence[int]) -> list[int]:
    """Return the numbers of the open corrections that are about any of these sources."""
    c, s = t.correction, t.correction_source
    found: set[int] = set()
    for some in chunks(sorted(set(sources))):
        query = (
            sa.select(c.c.correction)
            .join(s, (s.c.tenant == c.c.tenant) & (s.c.correction == c.c.correction))
            .where(c.c.tenant == tenant, c.c.closed_at.is_(None), s.c.source.in_(some))
        )
        found.update(connection.execute(query).scalars())
    return sorted(found)


def note_correction_event(tx: Writing, correction: int, step: str) -> None:
    """Note that the event being written belongs to a step of a correction; once per event."""
    e = t.correction_event
    known = tx.connection.execute(sa.select(e.c.step).where(e.c.tenant == tx.tenant, e.c.correction == correction, e.c.seq == tx.seq)).first()
    if known is None:
        tx.connection.execute(sa.insert(e), {"tenant": tx.tenant, "correction": correction, "seq": tx.seq, "step": step})


def join_corrections(tx: Writing, plan: Plan, roots: Sequence[int], named: str | None = None) -> None:
    """Let a plan that is being committed belong to the open corrections of the sources of its roots, and to the one that is named.

    Raises:
        Refusal: `not_found` or `bad_value`: the correction named is not there, or is closed.
    """
    r = t.record
    sources: set[int] = set()
    for some in chunks(sorted(set(roots))):
        query = sa.select(r.c.source).where(r.c.tenant == tx.tenant, r.c.record.in_(some), r.c.source.is_not(None)).distinct()
        sources.update(tx.connection.execute(query).scalars())
    joined = set(corrections_of_sources(tx.connection, tx.tenant, sorted(sources)))
    if named is not None:
        row = find_correction(tx.connection, tx.tenant, named)
        if row is None:
            raise not_found(named)
        if row.closed_at is not None:
            raise Refusal(Code.BAD_VALUE, f"The correction {named} is closed. Nothing was changed. Open a new one, or commit without it.")
        joined.add(row.correction)
    for correction in sorted(joined):
        note_correction_event(tx, correction, _STEP_OF.get(plan.verb, "settle"))
