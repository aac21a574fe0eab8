"""What became of the claims that each extractor made, counted by the database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.domain.status import Kind, Status

_CORRECTED = (int(Status.STALE), int(Status.SUPERSEDED), int(Status.REVOKED))


@dataclass(frozen=True, slots=True)
class Made:
    """How many claims of one scope one extractor version made that went the same way.

    Attributes:
        accepted: they were accepted at some time; `corrected`: they fell, were superseded or revoked after that.
        route: of the last rejection, where they are rejected now.
    """

    method: str | None
    version: str | None
    scope: int
    status: int
    accepted: bool
    corrected: bool
    route: str | None
    count: int


def extraction_part(connection: Connection, name: str) -> sa.ColumnElement[Any]:
    """Return a part of how a claim was extracted, as text."""
    if connection.dialect.name == "sqlite":
        return sa.cast(sa.func.json_extract(t.claim.c.extraction, f"$.{name}"), sa.Text)
    found: sa.ColumnElement[Any] = sa.cast(t.claim.c.extraction, JSONB)[name].astext
    return found


def count_made_by(connection: Connection, tenant: int) -> Sequence[Made]:
    """Return the claims of a tenant by extractor, scope and what became of them: one pass over claims and one over their history."""
    c, s, h, d = t.claim, t.record_state, t.history, t.decision

    def ever(condition: sa.ColumnElement[bool]) -> sa.ColumnElement[int]:
        return sa.func.max(sa.case((condition, 1), else_=0))

    went = (
        sa.select(
            h.c.record, ever(h.c.new == int(Status.ACCEPTED)).label("accepted"),
            ever(sa.and_(h.c.old == int(Status.ACCEPTED), h.c.new.in_(_CORRECTED))).label("corrected"),
        )
        .where(h.c.tenant == tenant)
        .group_by(h.c.record)
        .subquery()
    )  # fmt: skip
    last = sa.select(d.c.record, sa.func.max(d.c.seq).label("seq")).where(d.c.tenant == tenant, d.c.action == "reject").group_by(d.c.record).subquery()
    rejected = (
        sa.select(d.c.record, d.c.route)
        .join(last, (last.c.record == d.c.record) & (last.c.seq == d.c.seq))
        .where(d.c.tenant == tenant, d.c.action == "reject")
        .subquery()
    )
    columns = (
        extraction_part(connection, "method").label("method"), extraction_part(connection, "version").label("version"), s.c.scope, s.c.status,
        sa.func.coalesce(went.c.accepted, 0).label("accepted"), sa.func.coalesce(went.c.corrected, 0).label("corrected"),
        sa.case((s.c.status == int(Status.REJECTED), rejected.c.route), else_=None).label("route"),
    )  # fmt: skip
    inner = (
        sa.select(*columns)
        .select_from(c)
        .join(s, (s.c.tenant == c.c.tenant) & (s.c.record == c.c.record))
        .outerjoin(went, went.c.record == c.c.record)
        .outerjoin(rejected, rejected.c.record == c.c.record)
        .where(c.c.tenant == tenant, s.c.kind == int(Kind.CLAIM))
        .subquery()
    )
    names = list(inner.c)
    rows = connection.execute(sa.select(*names, sa.func.count()).group_by(*names))
    return [Made(row[0], row[1], row[2], row[3], bool(row[4]), bool(row[5]), row[6], row[7]) for row in rows]
