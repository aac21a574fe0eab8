"""Rehearsals as rows: plans saved under a name with what they did, and to whom they were handed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.transaction import Writing
from store.domain.aftermath import Seen, read_seen
from store.domain.errors import Code, Refusal
from store.domain.people import Actor, Right
from store.domain.plans import Plan, read_plan


@dataclass(frozen=True, slots=True)
class SavedPlan:
    """A rehearsal without its rows; times in microseconds.

    Attributes:
        correction: the id of the correction it belongs to.
        scopes: where the plan is decided.
        totals: what it did when it was saved.
        handed_to: who is to commit it, handed over by `handed_by` because of `handed_why`.
        committed_seq: the event that committed this plan.
    """

    number: int
    id: str
    name: str
    plan: Plan
    correction: str | None
    saved_by: str
    saved_at: int
    revision: int
    fingerprint: str
    scopes: tuple[str, ...]
    totals: dict[str, int]
    handed_to: str | None
    handed_by: str | None
    handed_why: str | None
    handed_at: int | None
    committed_seq: int | None

    def may_see(self, actor: Actor) -> bool:
        """Return whether somebody may see it: its author, whom it is handed to, and who may see everything of its scopes."""
        if actor.id in (self.saved_by, self.handed_to):
            return True
        return bool(self.scopes) and all(actor.may(Right.INSPECT, scope) for scope in self.scopes)


def _query(tenant: int) -> Any:
    r, c = t.rehearsal, t.correction
    columns = (
        r.c.rehearsal, r.c.id, r.c.name, r.c.plan, c.c.id.label("correction"), r.c.saved_by, r.c.saved_at, r.c.revision, r.c.fingerprint,
        r.c.summary, r.c.handed_to, r.c.handed_by, r.c.handed_why, r.c.handed_at, r.c.committed_seq,
    )  # fmt: skip
    joined = sa.select(*columns).outerjoin(c, (c.c.tenant == r.c.tenant) & (c.c.correction == r.c.correction))
    return joined.where(r.c.tenant == tenant, r.c.removed_at.is_(None))


def _read(row: Any) -> SavedPlan:
    summary = json.loads(row.summary)
    return SavedPlan(
        row.rehearsal, row.id, row.name, read_plan(json.loads(row.plan)), row.correction, row.saved_by, row.saved_at, row.revision, row.fingerprint,
        tuple(summary["scopes"]), summary["totals"], row.handed_to, row.handed_by, row.handed_why, row.handed_at, row.committed_seq,
    )  # fmt: skip


def list_saved(connection: Connection, tenant: int) -> list[SavedPlan]:
    """Return the rehearsals of a tenant, newest first."""
    return [_read(row) for row in connection.execute(_query(tenant).order_by(t.rehearsal.c.rehearsal.desc()))]


def list_handed(connection: Connection, tenant: int, person: str) -> list[SavedPlan]:
    """Return the rehearsals somebody is to commit, and nobody has yet, the longest waiting first."""
    r = t.rehearsal
    query = _query(tenant).where(r.c.handed_to == person, r.c.committed_seq.is_(None)).order_by(r.c.handed_at)
    return [_read(row) for row in connection.execute(query)]


def find_saved(connection: Connection, tenant: int, rehearsal_id: str, actor: Actor) -> SavedPlan:
    """Return a rehearsal.

    Raises:
        Refusal: `not_found`: it is not there, was removed, or is not for this person to see.
    """
    row = connection.execute(_query(tenant).where(t.rehearsal.c.id == rehearsal_id)).one_or_none()
    found = None if row is None else _read(row)
    if found is None or not found.may_see(actor):
        raise Refusal(Code.NOT_FOUND, f"There is no rehearsal {rehearsal_id[:80]!r} that you may see. Go back to the list of rehearsals.")
    return found


def load_saved(connection: Connection, tenant: int, number: int) -> Seen:
    """Return what was seen of a rehearsal when it was saved."""
    r = t.rehearsal
    row = connection.execute(sa.select(r.c.rows, r.c.seen).where(r.c.tenant == tenant, r.c.rehearsal == number)).one()
    return read_seen(bytes(row.rows), row.seen)


def insert_saved(tx: Writing, name: str, plan: Plan, correction: int | None, seen: Seen, rows: bytes, fingerprint: str, scopes: Sequence[str]) -> str:
    """Add a rehearsal and return its id."""
    r = t.rehearsal
    highest = tx.connection.execute(sa.select(sa.func.coalesce(sa.func.max(r.c.rehearsal), 0)).where(r.c.tenant == tx.tenant)).scalar_one()
    number = int(highest) + 1
    values = {
        "tenant": tx.tenant, "rehearsal": number, "id": f"rehearsal-{number}", "name": name, "plan": plan.text(), "correction": correction,
        "saved_by": tx.actor.id, **_result(tx, seen, rows, fingerprint, scopes),
    }  # fmt: skip
    tx.connection.execute(sa.insert(r), values)
    return f"rehearsal-{number}"


def _result(tx: Writing, seen: Seen, rows: bytes, fingerprint: str, scopes: Sequence[str]) -> dict[str, Any]:
    summary = json.dumps({"scopes": list(scopes), "totals": seen.totals()}, ensure_ascii=False, separators=(",", ":"))
    return {
        "saved_at": tx.at, "revision": tx.seq - 1, "fingerprint": fingerprint, "rows": rows, "seen": seen.text(), "summary": summary,
    }  # fmt: skip


def refresh_saved(tx: Writing, number: int, seen: Seen, rows: bytes, fingerprint: str, scopes: Sequence[str]) -> None:
    """Keep what a rehearsal does now instead of what it did when it was saved."""
    change_saved(tx, number, **_result(tx, seen, rows, fingerprint, scopes))


def change_saved(tx: Writing, number: int, **values: Any) -> None:
    """Change columns of a rehearsal."""
    r = t.rehearsal
    tx.connection.execute(sa.update(r).where(r.c.tenant == tx.tenant, r.c.rehearsal == number).values(**values))


def note_rehearsals_committed(tx: Writing, plan: Plan) -> None:
    """Note on every rehearsal of a plan that this event commits it."""
    r = t.rehearsal
    where = (r.c.tenant == tx.tenant, r.c.plan == plan.text(), r.c.committed_seq.is_(None), r.c.removed_at.is_(None))
    tx.connection.execute(sa.update(r).where(*where).values(committed_seq=tx.seq))
