"""Deletion requests as they are shown: what one would reach, which there are, how far each surface is, and what was found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from store.db.claim_store import ClaimStore
from store.db.erasing import find_broken_off
from store.db.forgetting import Request, erasure_plan, find_request, list_requests, no_request, surfaces_of, targets_of
from store.db.impacts import work_out
from store.db.plan_lists import load_named
from store.db.receipts import Receipt, describe_receipt, load_receipts
from store.db.records import load_cards
from store.db.tenants import tenants_of
from store.db.transaction import Reading, read
from store.db.verifications import last_verification
from store.db.wanted import find_wanted
from store.domain.deletion_letter import DeletionLetter, compose_letter
from store.domain.errors import Code, Refusal
from store.domain.forgetting import REQUEST_WORD, SETTLED, SURFACE_WORD, Failure, RequestState, SurfaceState, Wanted, read_failure
from store.domain.people import Right
from store.domain.records import Card
from store.domain.status import KIND_WORD, Status
from store.reads.preview import Preview, describe_impact, describe_rows

_SETTLED = {SURFACE_WORD[state] for state in SETTLED}


@dataclass(frozen=True, slots=True)
class Target:
    """A record a request would forget; one that is not forgotten has its title, too."""

    id: str
    kind: str
    status: str
    scope: str
    title: str | None = None


@dataclass(frozen=True, slots=True)
class ForeseenDeletion:
    """What a request would do, before it is made.

    Attributes:
        targets: the records it would forget.
        preview: everything its reach changes; `preview.fingerprint` is what `request_deletion` takes as `seen`.
    """

    wanted: Wanted
    targets: tuple[Target, ...]
    preview: Preview

    @property
    def fingerprint(self) -> str:
        """Return what tells this reach from any other."""
        return self.preview.fingerprint


def preview_deletion(store: ClaimStore, person: str, tenant: str, wanted: Wanted, *, rows: int | None = None, authenticated: bool = False) -> ForeseenDeletion:
    """Return what a request would find and reach; nothing of it is remembered.

    Args:
        rows: how many affected rows, answers and untouched records to describe; None for all.

    Raises:
        Refusal: something named is not there or not administered by the person, or nothing is found.
    """
    with read(store, person, authenticated=authenticated) as reading:
        number = reading.tenant_number(tenant)
        if number is None:
            raise Refusal(Code.NOT_FOUND, f"There is no tenant {tenant!r} that you may see. Check the scope.")
        cards = find_wanted(reading.connection, number, reading.actor, wanted)
        snapshot, impact = work_out(reading, number, erasure_plan((card.id for card in cards), wanted.keep_passages))
        preview = describe_impact(reading, number, tenant, snapshot, impact, rows)
        preview.affected = describe_rows(reading, number, preview, 0, rows)
        return ForeseenDeletion(wanted, _name_cards(cards), preview)


@dataclass(frozen=True, slots=True)
class SurfaceRow:
    """How far a surface is, or a single copy below it. Times in microseconds UTC.

    Attributes:
        n: 0 for the surface itself, else the copy.
        state: `open`, `working`, `done`, `kept`, `failed` or `unsupported`.
        by: who settled it, `claimdesk` for a worker.
        about: the number of the export or backup meant; `place`: the name of the replica or log meant.
        copies: the single copies below it.
        failure: why a worker could not clear it, where that is known; `failure_kind`: the kind of exception, for whoever looks after the desk.
    """

    name: str
    n: int
    state: str
    owner: str | None
    by: str | None
    at: int | None
    rule: str | None
    until: int | None
    found: int | None
    about: int | None
    note: str | None
    copies: tuple[SurfaceRow, ...] = ()
    place: str | None = None
    failure: Failure | None = None
    failure_kind: str | None = None


@dataclass(frozen=True, slots=True)
class DeletionRow:
    """A deletion request in a list. Times in microseconds UTC.

    Attributes:
        state: `open`, `complete` or `refused`.
        may_run: the person looking may run, settle and refuse it.
        open_surfaces: how many surfaces are not settled; `surfaces`: state -> how many surfaces are in it.
        number: its number in the tenant, by which a proof names it.
    """

    tenant: str
    id: str
    state: str
    found_by: str
    ground: str
    due_at: int | None
    entered_by: str
    entered_at: int
    owner: str | None
    begun_at: int | None
    finished_at: int | None
    refused_by: str | None
    refused_at: int | None
    targets: int
    open_surfaces: int
    may_run: bool
    from_ledger: bool
    surfaces: dict[str, int]
    number: int


@dataclass(frozen=True, slots=True)
class DeletionView:
    """One deletion request.

    Attributes:
        requester, reason, refusal: what people wrote, for those who may run it; gone when it is complete.
        targets: of those the person may see id, kind and status; `hidden`: how many more there are.
        also_said: records that say the same and are not part of it, as far as the person may see them; found when it was looked for afterwards.
        receipts: what was done, the latest first; nothing of what was forgotten is in them.
    """

    row: DeletionRow
    requester: str | None
    reason: str | None
    refusal: str | None
    surfaces: tuple[SurfaceRow, ...]
    targets: tuple[Target, ...]
    hidden: int
    receipts: tuple[Receipt, ...] = ()
    also_said: tuple[Target, ...] = ()


def list_deletions(store: ClaimStore, person: str, *, tenant: str | None = None, authenticated: bool = False) -> list[DeletionRow]:
    """Return the requests the person may know of, the latest first within each tenant."""
    with read(store, person, authenticated=authenticated) as reading:
        found = []
        for number, name in tenants_of(reading, Right.INSPECT):
            if tenant in (None, name):
                for request in reversed(list_requests(reading.connection, number)):
                    if request.may_see(reading.actor):
                        found.append(_describe(reading, number, name, request))
        return found


def view_deletion(store: ClaimStore, person: str, tenant: str, request: str, *, authenticated: bool = False) -> DeletionView:
    """Return one request with its surfaces and what may be told of its records.

    Raises:
        Refusal: `not_found`, the same for what is not there and what the person may not know of.
    """
    with read(store, person, authenticated=authenticated) as reading:
        number = reading.tenant_number(tenant)
        found = None if number is None else find_request(reading.connection, number, request)
        if number is None or found is None or not found.may_see(reading.actor):
            raise no_request(request)
        mine = found.may_run(reading.actor)
        cards = load_cards(reading.connection, number, [target.record for target in targets_of(reading.connection, number, found.number)])
        seen = [card for card in cards.values() if reading.actor.may(Right.INSPECT, card.scope)]
        return DeletionView(
            _describe(reading, number, tenant, found), found.requester if mine else None, found.reason if mine else None, found.refusal if mine else None,
            _surfaces(_stand(reading, number, found.number), mine), _name_cards(seen), len(cards) - len(seen),
            tuple(load_receipts(reading.connection, number, found.number)), _also_said(reading, number, found.number),
        )  # fmt: skip


def _name_cards(cards: Iterable[Card]) -> tuple[Target, ...]:
    return tuple(Target(card.id, KIND_WORD[card.kind], card.status.name, card.scope) for card in cards)


def _also_said(reading: Reading, number: int, request: int) -> tuple[Target, ...]:
    """Return which records the latest verification found to say the same, of those the person may see and nobody forgot since."""
    verified = last_verification(reading.connection, number, request)
    cards = load_cards(reading.connection, number, verified.found.get("also_said") or () if verified is not None else ())
    gone = (Status.DELETED, Status.DELETION_PENDING)
    seen = [card for card in cards.values() if card.status not in gone and reading.actor.may(Right.INSPECT, card.scope)]
    named = load_named(reading.connection, number, [card.number for card in seen])
    return tuple(replace(target, title=named[card.number].title) for card, target in zip(seen, _name_cards(seen), strict=True))


def write_deletion_letter(store: ClaimStore, person: str, tenant: str, request: str, *, authenticated: bool = False) -> DeletionLetter:
    """Return the letter to whoever asked, as the request stands now; for those who may run it.

    Raises:
        Refusal: `not_found`, the same for what is not there and what the person may not run.
    """
    with read(store, person, authenticated=authenticated) as reading:
        number = reading.tenant_number(tenant)
        found = None if number is None else find_request(reading.connection, number, request)
        if number is None or found is None or not found.may_run(reading.actor):
            raise no_request(request)
        return compose_letter(describe_receipt(reading.connection, number, tenant, found))


def find_deletion(store: ClaimStore, person: str, request: str, tenant: str | None = None, *, authenticated: bool = False) -> str:
    """Return the tenant of a request the person may know of.

    Raises:
        Refusal: `not_found`, the same for what is not there and what the person may not know of.
    """
    with read(store, person, authenticated=authenticated) as reading:
        for number, name in tenants_of(reading, Right.INSPECT):
            found = find_request(reading.connection, number, request) if tenant in (None, name) else None
            if found is not None and found.may_see(reading.actor):
                return name
        raise no_request(request)


def _describe(reading: Reading, number: int, tenant: str, found: Request) -> DeletionRow:
    surfaces = [row for row in _stand(reading, number, found.number) if row.n == 0]
    unsettled = 0 if found.state is RequestState.REFUSED else sum(row.state not in _SETTLED for row in surfaces)
    return DeletionRow(
        tenant, found.id, REQUEST_WORD[found.state], found.found_by, found.ground, found.due_at, found.entered_by, found.entered_at, found.owner,
        found.begun_at, found.finished_at, found.refused_by, found.refused_at, len(targets_of(reading.connection, number, found.number)), unsettled,
        found.may_run(reading.actor), found.from_ledger, dict(Counter(row.state for row in surfaces)), found.number,
    )  # fmt: skip


def _stand(reading: Reading, number: int, request: int) -> list[SurfaceRow]:
    """Return how far every surface and every copy below one is; what says that it is worked on, and is not, was broken off."""
    rows = surfaces_of(reading.connection, number, request)
    working = any(row.state == SurfaceState.WORKING for row in rows)
    broken = find_broken_off(reading.store, number, (request,)) if working else set()
    return [_surface(row, broken_off=(request, row.surface) in broken and row.n == 0) for row in rows]


def _surfaces(stand: Iterable[SurfaceRow], mine: bool) -> tuple[SurfaceRow, ...]:
    """Return the surfaces, each with its single copies; notes only for those who may run the request."""
    rows = [row if mine else replace(row, note=None) for row in stand]
    return tuple(replace(row, copies=tuple(copy for copy in rows if copy.n and copy.name == row.name)) for row in rows if not row.n)


def _surface(row: Any, *, broken_off: bool = False) -> SurfaceRow:
    failed = row.state == SurfaceState.FAILED
    failure = Failure.BROKEN_OFF if broken_off else read_failure(row.rule) if failed else None
    state, rule = SurfaceState.FAILED if broken_off else SurfaceState(row.state), None if failed else row.rule
    kind = (row.rule or "").partition(":")[2] or None if failed else None
    return SurfaceRow(
        row.surface, row.n, SURFACE_WORD[state], row.owner, row.by, row.at, rule, row.until, row.found, row.about, row.note, (), row.place, failure, kind
    )
