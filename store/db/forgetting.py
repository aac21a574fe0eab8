"""Deletion requests as rows: what a request asks to forget, who may see and run it, and how far every surface is (R26)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.bulk import chunks
from store.db.claim_store import ClaimStore
from store.db.erased import Erased
from store.db.keys import load_scopes
from store.db.ledger import Entry, Ledger, Passage
from store.db.records import find_numbers, load_cards
from store.db.redactions import foresee
from store.db.transaction import Writing
from store.domain.errors import Code, Refusal, not_found
from store.domain.forgetting import SETTLED, Redaction, RequestState, Surface, SurfaceState
from store.domain.people import Actor, Right
from store.domain.plans import Intent, Plan, Verb
from store.domain.records import Card, Claim, Record
from store.domain.snapshot import Snapshot
from store.domain.status import Status, Step, is_legal, next_status


@dataclass(frozen=True, slots=True)
class Request:
    """A deletion request as it stands, with the paths of the scopes of its records."""

    number: int
    id: str
    state: RequestState
    found_by: str
    ground: str
    requester: str | None
    reason: str | None
    due_at: int | None
    entered_by: str
    entered_at: int
    entered_seq: int
    owner: str | None
    begun_at: int | None
    finished_at: int | None
    refused_by: str | None
    refused_at: int | None
    refusal: str | None
    from_ledger: bool
    scopes: tuple[str, ...]

    def may_run(self, actor: Actor) -> bool:
        """Return whether somebody may run, settle or refuse it."""
        return bool(self.scopes) and all(actor.may(Right.ADMINISTER, scope) for scope in self.scopes)

    def may_see(self, actor: Actor) -> bool:
        """Return whether somebody may know that it exists: whoever sees everything of one of its scopes."""
        return any(actor.may(Right.INSPECT, scope) for scope in self.scopes)


def no_request(request: str) -> Refusal:
    """Return the one answer for a request that is not there and for one the person may not see."""
    return Refusal(Code.NOT_FOUND, f"There is no deletion request {request!r} that you may see. Check its number and your roles.")


# --- what a plan to forget does directly --------------------------------------------------------------------------


def plan_erasure(connection: Connection, tenant: int, actor: Actor, snapshot: Snapshot, plan: Plan) -> Intent:
    """Return what asking to forget the plan's roots does directly; a source means all its versions.

    Raises:
        Refusal: something is not there, not administered by the person, or being deleted already.
    """
    found: dict[int, Card] = {}
    known = find_cards(connection, tenant, plan.roots)
    for root in plan.roots:
        card = known.get(root)
        for one in [card] if card is not None else versions_of_source(connection, tenant, root):
            need_administered(actor, one, root)
            if card is not None or is_legal(one.status, Step.REQUEST_DELETION):
                next_status(one.id, one.status, Step.REQUEST_DELETION)
                found[one.number] = one
    left_out = {*plan.except_}
    chosen = [card for card in found.values() if card.id not in left_out]
    if not chosen:
        raise Refusal(Code.BAD_VALUE, "Nothing is left to forget. Nothing was changed. Name a record that is not deleted already.")
    becomes = {card.number: (int(card.status), int(Status.DELETION_PENDING)) for card in chosen}
    foreseen = foresee(connection, tenant, snapshot, becomes, plan.keep_passages)
    states = load_cards(connection, tenant, foreseen.falling)
    becomes |= {number: (int(Status.ACCEPTED), int(Status.STALE)) for number in foreseen.falling if states[number].status is Status.ACCEPTED}
    return Intent(plan, becomes, sorted(becomes), redactions=foreseen.redactions, falling=foreseen.falling)


def find_cards(connection: Connection, tenant: int, ids: Sequence[str]) -> dict[str, Card]:
    """Return id -> card of those that are records."""
    numbers = find_numbers(connection, tenant, ids)
    cards = load_cards(connection, tenant, numbers.values())
    return {record_id: cards[number] for record_id, number in numbers.items()}


def versions_of_source(connection: Connection, tenant: int, source: str) -> list[Card]:
    """Return all versions of a source, by number.

    Raises:
        Refusal: `not_found`: it has none.
    """
    r, s = t.record, t.source
    query = sa.select(r.c.record).join(s, (s.c.tenant == r.c.tenant) & (s.c.source == r.c.source)).where(s.c.tenant == tenant, s.c.id == source)
    cards = load_cards(connection, tenant, connection.execute(query).scalars())
    if not cards:
        raise not_found(source)
    return [cards[number] for number in sorted(cards)]


def need_administered(actor: Actor, card: Card, named: str) -> None:
    """Refuse unless the person administers the scope of a record; what may not be seen is not there."""
    served = card.status is Status.ACCEPTED and actor.may(Right.READ, card.scope)
    if not actor.may(Right.INSPECT, card.scope) and not served:
        raise not_found(named)
    actor.need(Right.ADMINISTER, card.scope, f"ask that {named} be forgotten")


def erasure_plan(ids: Iterable[str], keep_passages: Iterable[str] = ()) -> Plan:
    """Return the plan that asks to forget records."""
    return Plan(Verb.ERASE, tuple(sorted(set(ids))), keep_passages=tuple(sorted(set(keep_passages))))


# --- requests -----------------------------------------------------------------------------------------------------


def list_requests(connection: Connection, tenant: int, *, request: str | None = None, number: int | None = None, only_open: bool = False) -> list[Request]:
    """Return the requests of a tenant in the order they were entered."""
    r = t.deletion_request
    query = sa.select(r).where(r.c.tenant == tenant).order_by(r.c.request)
    if request is not None:
        query = query.where(r.c.id == request)
    if number is not None:
        query = query.where(r.c.request == number)
    if only_open:
        query = query.where(r.c.state == int(RequestState.OPEN))
    rows = connection.execute(query).all()
    places = _scopes_of(connection, tenant, [row.request for row in rows])
    return [
        Request(
            row.request, row.id, RequestState(row.state), row.found_by, row.ground, row.requester, row.reason, row.due_at, row.entered_by,
            row.entered_at, row.entered_seq, row.owner, row.begun_at, row.finished_at, row.refused_by, row.refused_at, row.refusal,
            bool(row.from_ledger), places.get(row.request, ()),
        )
        for row in rows
    ]  # fmt: skip


def _scopes_of(connection: Connection, tenant: int, requests: Sequence[int]) -> dict[int, tuple[str, ...]]:
    s, paths = t.record_state, load_scopes(connection, tenant)
    found: dict[int, set[str]] = {}
    # Where a request names no record, as one from the ledger may, it is about the versions in which it blots out passages.
    for d in (t.deletion_target, t.redaction):
        query = sa.select(d.c.request, s.c.scope).join(s, (s.c.tenant == d.c.tenant) & (s.c.record == d.c.record)).where(d.c.tenant == tenant).distinct()
        for some in chunks([request for request in requests if request not in found]):
            for request, scope in connection.execute(query.where(d.c.request.in_(some))).all():
                found.setdefault(request, set()).add(paths[scope])
    return {request: tuple(sorted(scopes)) for request, scopes in found.items()}


def find_request(connection: Connection, tenant: int, request: str) -> Request | None:
    """Return a request by its id."""
    found = list_requests(connection, tenant, request=request)
    return found[0] if found else None


def insert_request(tx: Writing, values: dict[str, Any], targets: Sequence[dict[str, Any]]) -> tuple[int, str]:
    """Enter a request with its targets and every surface open; return its number and its id."""
    r = t.deletion_request
    number = int(tx.connection.execute(sa.select(sa.func.coalesce(sa.func.max(r.c.request), 0)).where(r.c.tenant == tx.tenant)).scalar_one()) + 1
    request = f"{tx.tenant_name}-deletion-{number}"
    entered = {"entered_by": tx.actor.id, "entered_at": tx.at, "entered_seq": tx.seq, "from_ledger": False}
    tx.connection.execute(sa.insert(r), {"tenant": tx.tenant, "request": number, "id": request, "state": int(RequestState.OPEN), **entered, **values})
    if targets:  # of a request from the ledger there may be nothing but passages left here
        tx.connection.execute(sa.insert(t.deletion_target), [{"tenant": tx.tenant, "request": number, **target} for target in targets])
    rows = [
        {"tenant": tx.tenant, "request": number, "surface": surface.value, "n": 0, "state": int(SurfaceState.OPEN), "owner": values.get("owner")}
        for surface in Surface
    ]
    tx.connection.execute(sa.insert(t.deletion_surface), rows)
    return number, request


def insert_redactions(tx: Writing, number: int, redactions: Iterable[Redaction]) -> None:
    """Hide passages for a request, from this moment on."""
    rows = [
        {"tenant": tx.tenant, "request": number, "record": one.record, "start": one.start, "end": one.end, "done_at": None} for one in redactions
    ]
    if rows:
        tx.connection.execute(sa.insert(t.redaction), rows)


def remove_redactions(tx: Writing, number: int) -> None:
    """Let passages be read again that a request hid."""
    d = t.redaction
    tx.connection.execute(sa.delete(d).where(d.c.tenant == tx.tenant, d.c.request == number))


def redactions_of(connection: Connection, tenant: int, number: int) -> list[Redaction]:
    """Return the passages a request covers."""
    d = t.redaction
    query = sa.select(d.c.record, d.c.start, d.c.end).where(d.c.tenant == tenant, d.c.request == number).order_by(d.c.record, d.c.start)
    return [Redaction(*row) for row in connection.execute(query)]


def change_request(tx: Writing, number: int, **values: Any) -> None:
    """Change columns of a request."""
    r = t.deletion_request
    tx.connection.execute(sa.update(r).where(r.c.tenant == tx.tenant, r.c.request == number).values(**values))


def targets_of(connection: Connection, tenant: int, number: int) -> list[Any]:
    """Return the rows of what a request asks to forget, by record."""
    d = t.deletion_target
    return list(connection.execute(sa.select(d).where(d.c.tenant == tenant, d.c.request == number).order_by(d.c.record)))


def surfaces_of(connection: Connection, tenant: int, number: int) -> list[Any]:
    """Return the rows of a request's surfaces and of the single copies below them, in the order in which they are cleared."""
    s = t.deletion_surface
    order = {surface.value: place for place, surface in enumerate(Surface)}
    rows = connection.execute(sa.select(s).where(s.c.tenant == tenant, s.c.request == number)).all()
    return sorted(rows, key=lambda row: (order.get(row.surface, len(order)), row.n))


def set_surface(tx: Writing, number: int, surface: str, n: int, state: SurfaceState, **values: Any) -> None:
    """Write how far a surface, or a single copy below it, is."""
    s = t.deletion_surface
    where = (s.c.tenant == tx.tenant, s.c.request == number, s.c.surface == surface, s.c.n == n)
    tx.connection.execute(sa.update(s).where(*where).values(state=int(state), **values))


def still_open(rows: Iterable[Any]) -> list[Any]:
    """Return which rows of surfaces are not settled."""
    return [row for row in rows if SurfaceState(row.state) not in SETTLED]


# --- known again -------------------------------------------------------------------------------------------------


def erased_or_asked(connection: Connection, store: ClaimStore, tenant: int, name: str) -> Erased:
    """Return what was erased of a tenant, or is asked to be by an open request, so that it is known again (R9)."""
    d, q = t.deletion_target, t.deletion_request
    query = sa.select(d.c.id_mac, d.c.value_mac).join(q, (q.c.tenant == d.c.tenant) & (q.c.request == d.c.request))
    rows = connection.execute(query.where(d.c.tenant == tenant, q.c.state == int(RequestState.OPEN))).all()
    return store.ledger.recognising(name, (row.id_mac for row in rows), (row.value_mac for row in rows if row.value_mac is not None))


def refuse_erased(erased: Erased, record: Record) -> None:
    """Refuse a record that was forgotten, by its id, or by its key and value.

    Raises:
        Refusal: `erased_before`; nothing of what was forgotten is repeated.
    """
    value = isinstance(record, Claim) and erased.has_value(record.scope, record.subject, record.predicate, record.qualifiers, record.value)
    if value or erased.has_id(record.id):
        what = "That statement" if value else "What had this id"
        raise Refusal(Code.ERASED_BEFORE, f"{what} was forgotten on request, so it cannot come back. Nothing was saved.")


def find_tombstone(connection: Connection, store: ClaimStore, tenant: int, name: str, record_id: str) -> Card | None:
    """Return what is left of a record that was forgotten, by the id it had; None where no such id was forgotten."""
    mac = store.ledger.erased_record(name, record_id)
    if mac is None:
        return None
    d = t.deletion_target
    number = connection.execute(sa.select(d.c.record).where(d.c.tenant == tenant, d.c.id_mac == mac).limit(1)).scalar_one_or_none()
    return None if number is None else load_cards(connection, tenant, [number]).get(number)


# --- the ledger ---------------------------------------------------------------------------------------------------


def noted_of(connection: Connection, ledger: Ledger, tenant: tuple[int, str], number: int) -> tuple[list[Entry], list[Passage]]:
    """Return a request's records and passages as the ledger keeps them: a version by the HMAC of its id.

    Args:
        tenant: its number and its name.
    """
    d, r, s = t.redaction, t.record, t.record_state
    query = (
        sa.select(r.c.id, d.c.start, d.c.end)
        .join(r, (r.c.tenant == d.c.tenant) & (r.c.record == d.c.record))
        .join(s, (s.c.tenant == d.c.tenant) & (s.c.record == d.c.record))
        # A version that is forgotten itself has another id by now, and was noted under the one it had.
        .where(d.c.tenant == tenant[0], d.c.request == number, s.c.status != int(Status.DELETED))
        .order_by(d.c.record, d.c.start)
    )
    entries = [(row.record, row.id_mac, row.value_mac) for row in targets_of(connection, tenant[0], number)]
    return entries, [(ledger.mac_id(tenant[1], record_id), start, end) for record_id, start, end in connection.execute(query)]


def keep_ledger_seq(tx: Writing, seq: int) -> None:
    """Note that the store knows of the ledger's entry `seq`, where it knows all before it; else the next opening applies what it lacks."""
    s = t.store
    where = (s.c.name == "ledger_seq", s.c.value == str(seq - 1))
    tx.connection.execute(sa.update(s).where(*where).values(value=str(seq)))
