"""Corrections as rows: which are open, what they are about, and which events belong to them (R25)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.bulk import chunks
from store.db.correction_falls import fallen_records
from store.db.transaction import Writing
from store.domain.errors import Code, Refusal, not_found
from store.domain.people import Actor, Right
from store.domain.plans import Plan, Verb
from store.domain.reach import Ints
from store.domain.snapshot import Snapshot
from store.domain.status import Status

#: The step of a correction to which committing each verb belongs; what is not here belongs to `settle`.
_STEP_OF = {Verb.SUSPEND: "stop", Verb.REVOKE: "commit", Verb.RECAPTURE: "commit", Verb.SUPERSEDE: "commit", Verb.REINSTATE: "commit"}
#: The step of what concerns the case itself.
OWN = "case"
_LONGEST_SLUG = 60


def list_corrections_of(connection: Connection, tenant: int, *, correction_id: str | None = None, only_open: bool = False) -> list[Any]:
    """Return the rows of a tenant's corrections with the paths of their scopes, in the order they were opened."""
    c, s = t.correction, t.scope
    query = sa.select(c, s.c.path).join(s, (s.c.tenant == c.c.tenant) & (s.c.scope == c.c.scope)).where(c.c.tenant == tenant)
    if correction_id is not None:
        query = query.where(c.c.id == correction_id)
    if only_open:
        query = query.where(c.c.closed_at.is_(None))
    return list(connection.execute(query.order_by(c.c.correction)).all())


def sources_of_corrections(connection: Connection, tenant: int, corrections: Sequence[int]) -> dict[int, list[Any]]:
    """Return correction -> (source, id, title, scope) of what it is about, in the order of the sources."""
    e, o, s = t.correction_source, t.source, t.scope
    query = (
        sa.select(e.c.correction, o.c.source, o.c.id, sa.func.substr(o.c.title, 1, 300).label("title"), s.c.path)
        .join(o, (o.c.tenant == e.c.tenant) & (o.c.source == e.c.source))
        .join(s, (s.c.tenant == o.c.tenant) & (s.c.scope == o.c.scope))
        .where(e.c.tenant == tenant)
        .order_by(e.c.correction, e.c.source)
    )
    found: dict[int, list[Any]] = {number: [] for number in corrections}
    for some in chunks(sorted(set(corrections))):
        for row in connection.execute(query.where(e.c.correction.in_(some))):
            found[row.correction].append(row)
    return found


@dataclass(frozen=True, slots=True)
class Case:
    """A correction with what it is about; times in microseconds UTC.

    Attributes:
        scope: where it belongs; `scopes`: that and those of its sources, all of which one must see to see the case.
        sources: number -> (id, title, scope).
    """

    number: int
    id: str
    title: str
    cause: str | None
    scope: str
    owner: str | None
    due_at: int | None
    opened_by: str
    opened_at: int
    opened_seq: int
    closed_by: str | None
    closed_at: int | None
    closing_note: str | None
    carried: str | None
    sources: dict[int, tuple[str, str | None, str]]

    @property
    def scopes(self) -> list[str]:
        """Return every scope the case touches."""
        return sorted({self.scope, *(scope for _, _, scope in self.sources.values())})


def list_cases(connection: Connection, tenant: int, *, correction_id: str | None = None, only_open: bool = False) -> list[Case]:
    """Return a tenant's corrections in the order they were opened, all, one, or those that are open."""
    rows = list_corrections_of(connection, tenant, correction_id=correction_id, only_open=only_open)
    about = sources_of_corrections(connection, tenant, [row.correction for row in rows]) if rows else {}
    return [
        Case(
            row.correction, row.id, row.title, row.cause, row.path, row.owner, row.due_at, row.opened_by, row.opened_at, row.opened_seq, row.closed_by,
            row.closed_at, row.closing_note, row.carried, {one.source: (one.id, one.title, one.path) for one in about[row.correction]},
        )
        for row in rows
    ]  # fmt: skip


def find_case(connection: Connection, tenant: int, correction_id: str) -> Case | None:
    """Return a correction with what it is about, None where there is none."""
    return next(iter(list_cases(connection, tenant, correction_id=correction_id)), None)


def find_visible_case(connection: Connection, tenant: int, actor: Actor, correction_id: str) -> Case | None:
    """Return a correction if somebody may see all it is about; None for any other, as if it were not there."""
    case = find_case(connection, tenant, correction_id)
    return case if case is not None and all(actor.may(Right.INSPECT, scope) for scope in case.scopes) else None


def find_case_sources(connection: Connection, tenant: int, ids: Sequence[str]) -> list[Any]:
    """Return (number, id, scope) of sources, in the order they are named, each once."""
    o, s = t.source, t.scope
    query = sa.select(o.c.source.label("number"), o.c.id, s.c.path.label("scope")).join(s, (s.c.tenant == o.c.tenant) & (s.c.scope == o.c.scope))
    rows = {row.id: row for some in chunks(sorted(set(ids))) for row in connection.execute(query.where(o.c.tenant == tenant, o.c.id.in_(some)))}
    return [rows[one] for one in dict.fromkeys(ids) if one in rows]


def sources_of_records(connection: Connection, tenant: int, ids: Sequence[str]) -> list[str]:
    """Return the ids of the sources that are named, or whose captured versions are, in the order in which they came."""
    o, r = t.source, t.record
    found: dict[int, str] = {}
    for some in chunks(sorted(set(ids))):
        named = sa.select(o.c.source, o.c.id).where(o.c.tenant == tenant, o.c.id.in_(some))
        captured = sa.select(o.c.source, o.c.id).join(r, (r.c.tenant == o.c.tenant) & (r.c.source == o.c.source)).where(o.c.tenant == tenant, r.c.id.in_(some))
        for query in (named, captured):
            found.update((number, name) for number, name in connection.execute(query))
    return [found[number] for number in sorted(found)]


def change_case(tx: Writing, correction: int, **values: Any) -> None:
    """Set columns of a correction."""
    c = t.correction
    tx.connection.execute(sa.update(c).where(c.c.tenant == tx.tenant, c.c.correction == correction).values(**values))


def add_case_sources(tx: Writing, correction: int, sources: Sequence[int]) -> None:
    """Let a correction be about more sources."""
    tx.connection.execute(sa.insert(t.correction_source), [{"tenant": tx.tenant, "correction": correction, "source": one} for one in sources])


def keep_waiver(tx: Writing, correction: int, kind: str, about: str, reason: str) -> None:
    """Keep what is left open on purpose, and why."""
    tx.connection.execute(sa.insert(t.correction_waiver), {
        "tenant": tx.tenant, "correction": correction, "kind": kind, "about": about, "reason": reason, "waived_by": tx.actor.id, "waived_at": tx.at,
        "waived_seq": tx.seq,
    })  # fmt: skip


def take_waiver(tx: Writing, correction: int, kind: str, about: str) -> bool:
    """Take a waiver away and return whether there was one."""
    w = t.correction_waiver
    done = tx.connection.execute(sa.delete(w).where(w.c.tenant == tx.tenant, w.c.correction == correction, w.c.kind == kind, w.c.about == about))
    return bool(done.rowcount)


def waivers_of(connection: Connection, tenant: int, correction: int) -> list[Any]:
    """Return what a correction leaves open on purpose."""
    w = t.correction_waiver
    return list(connection.execute(sa.select(w).where(w.c.tenant == tenant, w.c.correction == correction).order_by(w.c.kind, w.c.about)).all())


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


def corrections_of_event(connection: Connection, tenant: int, seq: int) -> list[int]:
    """Return the numbers of the corrections an event belongs to."""
    e = t.correction_event
    return list(connection.execute(sa.select(e.c.correction).where(e.c.tenant == tenant, e.c.seq == seq).order_by(e.c.correction)).scalars())


def insert_correction(
    tx: Writing, title: str, scope: int, sources: Sequence[tuple[int, str]], *, cause: str | None, owner: str, due_at: int | None
) -> tuple[int, str]:
    """Open a correction as part of this action, about sources given as (number, id); return its number and its id."""
    c, s = t.correction, t.correction_source
    number = int(tx.connection.execute(sa.select(sa.func.coalesce(sa.func.max(c.c.correction), 0)).where(c.c.tenant == tx.tenant)).scalar_one()) + 1
    correction_id = _fresh_id(tx.connection, tx.tenant, sources[0][1] if sources else "")
    tx.connection.execute(sa.insert(c), {
        "tenant": tx.tenant, "correction": number, "id": correction_id, "title": title, "cause": cause, "scope": scope, "owner": owner, "due_at": due_at,
        "opened_by": tx.actor.id, "opened_at": tx.at, "opened_seq": tx.seq,
    })  # fmt: skip
    rows = [{"tenant": tx.tenant, "correction": number, "source": source} for source, _ in sources]
    if rows:
        tx.connection.execute(sa.insert(s), rows)
    return number, correction_id


def _fresh_id(connection: Connection, tenant: int, about: str) -> str:
    """Return an id that people can say: the case of a source, numbered from the second on."""
    slug = re.sub(r"[^A-Za-z0-9._]+", "-", about).strip("-")[:_LONGEST_SLUG] or "case"
    base = f"correction-{slug}"
    c = t.correction
    pattern = base.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
    known = set(connection.execute(sa.select(c.c.id).where(c.c.tenant == tenant, c.c.id.like(pattern, escape="\\"))).scalars())
    return next(one for one in (base, *(f"{base}-{n}" for n in range(2, len(known) + 3))) if one not in known)


def note_correction_event(tx: Writing, correction: int, step: str) -> None:
    """Note that the event being written belongs to a step of a correction; once per event."""
    e = t.correction_event
    known = tx.connection.execute(sa.select(e.c.step).where(e.c.tenant == tx.tenant, e.c.correction == correction, e.c.seq == tx.seq)).first()
    if known is None:
        tx.connection.execute(sa.insert(e), {"tenant": tx.tenant, "correction": correction, "seq": tx.seq, "step": step})


def join_corrections(tx: Writing, plan: Plan, roots: Sequence[int], snapshot: Snapshot, settled: Ints, named: str | None = None) -> None:
    """Let a plan that is being committed belong to the open corrections of the sources of its roots, of what it settles, and to the one that is named.

    Args:
        snapshot: the records before the plan; `settled`: those it takes out of STALE.

    Raises:
        Refusal: `not_found` or `bad_value`: the correction named is not there, or is closed.
    """
    r = t.record
    sources: set[int] = set()
    for some in chunks(sorted(set(roots))):
        query = sa.select(r.c.source).where(r.c.tenant == tx.tenant, r.c.record.in_(some), r.c.source.is_not(None)).distinct()
        sources.update(tx.connection.execute(query).scalars())
    step = _STEP_OF.get(plan.verb, "settle")
    joined = dict.fromkeys(corrections_of_fallen(tx, snapshot, settled), "settle")
    joined |= dict.fromkeys(corrections_of_sources(tx.connection, tx.tenant, sorted(sources)), step)
    if named is not None:
        case = find_visible_case(tx.connection, tx.tenant, tx.actor, named)
        if case is None:
            raise not_found(named)
        if case.closed_at is not None:
            raise Refusal(Code.BAD_VALUE, f"The correction {named} is closed. Nothing was changed. Open a new one, or commit without it.")
        joined.setdefault(case.number, step)
    for correction in sorted(joined):
        note_correction_event(tx, correction, joined[correction])


def corrections_of_fallen(tx: Writing, snapshot: Snapshot, records: Ints) -> list[int]:
    """Return the numbers of the open corrections because of which any of these records fell and is not settled yet."""
    c = t.correction
    if not len(records):
        return []
    opened = tx.connection.execute(sa.select(c.c.correction).where(c.c.tenant == tx.tenant, c.c.closed_at.is_(None))).scalars().all()
    return [one for one in opened if np.isin(records, fallen_records(tx, tx.tenant, one, snapshot, unsettled=True)).any()]


def join_settled(tx: Writing, records: Iterable[int], snapshot: Snapshot) -> None:
    """Let an action that settles records one by one belong to the open corrections because of which they fell.

    Args:
        records: what the action takes out of STALE; `snapshot`: the records before it.
    """
    for correction in corrections_of_fallen(tx, snapshot, np.array(sorted(records), dtype=np.int64)):
        note_correction_event(tx, correction, "settle")


def join_arrived(tx: Writing, sources: Sequence[int]) -> None:
    """Let the event being written, by which a file for these sources arrived, belong to their open corrections."""
    for correction in corrections_of_sources(tx.connection, tx.tenant, sources):
        note_correction_event(tx, correction, "compare")


def adopt_events(tx: Writing, correction: int, sources: Sequence[int]) -> None:
    """Let what took versions of these sources out of use before belong to a correction, where it belongs to no other."""
    r, s, h, e = t.record, t.record_state, t.history, t.correction_event
    steps = {int(Status.DISPUTED): "stop", int(Status.REVOKED): "commit"}
    for some in chunks(sorted(set(sources))):
        query = (
            sa.select(sa.func.max(h.c.seq), s.c.status)
            .join(s, (s.c.tenant == r.c.tenant) & (s.c.record == r.c.record))
            .join(h, (h.c.tenant == r.c.tenant) & (h.c.record == r.c.record) & (h.c.new == s.c.status) & (h.c.old.is_not(None)))
            .where(r.c.tenant == tx.tenant, r.c.source.in_(some), s.c.status.in_(list(steps)))
            .group_by(r.c.record, s.c.status)
        )
        for seq, status in tx.connection.execute(query).all():
            taken = tx.connection.execute(sa.select(e.c.correction).where(e.c.tenant == tx.tenant, e.c.seq == seq)).first()
            if taken is None:
                tx.connection.execute(sa.insert(e), {"tenant": tx.tenant, "correction": correction, "seq": seq, "step": steps[status]})


def joined_after_closing(connection: Connection, tenant: int) -> list[str]:
    """Return the ids of closed corrections that an event joined after the one that closed them, or that say by halves that they are closed."""
    c, e = t.correction, t.correction_event
    late = sa.select(c.c.id).join(e, (e.c.tenant == c.c.tenant) & (e.c.correction == c.c.correction)).where(c.c.tenant == tenant, e.c.seq > c.c.closed_seq)
    halves = sa.select(c.c.id).where(c.c.tenant == tenant, c.c.closed_at.is_(None) != c.c.closed_seq.is_(None))
    return sorted({*connection.execute(late).scalars(), *connection.execute(halves).scalars()})
