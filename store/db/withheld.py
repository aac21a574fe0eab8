"""What is withheld from the moment something is asked to be forgotten until the words about it are gone from the history (R26)."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from store.db import tables as t
from store.domain.forgetting import RequestState, Surface, SurfaceState
from store.domain.status import FORGOTTEN


def note_is_readable(note: Any) -> sa.ColumnElement[bool]:
    """Return the condition that an event's note (a table with tenant and seq) may be read: nothing the event touched is being forgotten.

    Whoever decided may have written down what is to be forgotten. Once the history is cleared of it the rest may be read again.
    """
    q, f, d, h = t.deletion_request, t.deletion_surface, t.deletion_target, t.history
    touched = (
        sa.select(sa.literal(1))
        .select_from(q)
        .join(f, (f.c.tenant == q.c.tenant) & (f.c.request == q.c.request))
        .join(d, (d.c.tenant == q.c.tenant) & (d.c.request == q.c.request))
        .join(h, (h.c.tenant == d.c.tenant) & (h.c.record == d.c.record))
        .where(q.c.tenant == note.c.tenant, q.c.state == int(RequestState.OPEN), h.c.seq == note.c.seq)
        .where(f.c.surface == Surface.HISTORY.value, f.c.n == 0, f.c.state != int(SurfaceState.DONE))
    )
    return ~sa.exists(touched.correlate(note))


def is_shown(state: Any) -> sa.ColumnElement[bool]:
    """Return the condition that a record (a table with its status) is neither being forgotten nor forgotten."""
    found: sa.ColumnElement[bool] = state.c.status.not_in([int(status) for status in FORGOTTEN])
    return found


def readable(decision: Any, column: Any) -> sa.ColumnElement[Any]:
    """Return a column of a decision, null where the record decided on is being forgotten, or is forgotten."""
    s = t.record_state
    gone = sa.exists(
        sa.select(sa.literal(1))
        .where(s.c.tenant == decision.c.tenant, s.c.record == decision.c.record, s.c.status.in_([int(status) for status in FORGOTTEN]))
        .correlate(decision)
    )
    return sa.case((gone, sa.null()), else_=column).label(column.name)


def conflict_is_shown(conflict: Any) -> sa.ColumnElement[bool]:
    """Return the condition that a conflict (a table with tenant and conflict) may be looked at: not all of its sides are being forgotten, or are forgotten."""
    side, s = t.conflict_side, t.record_state
    its = sa.select(sa.literal(1)).where(side.c.tenant == conflict.c.tenant, side.c.conflict == conflict.c.conflict)
    joined = its.select_from(side).join(s, (s.c.tenant == side.c.tenant) & (s.c.record == side.c.record))
    return sa.or_(sa.exists(joined.where(is_shown(s)).correlate(conflict)), ~sa.exists(its.correlate(conflict)))
