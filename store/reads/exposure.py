"""What hangs on each source: the ranked list of reach, deliveries, owners and sole support."""

from __future__ import annotations

import json
from dataclasses import dataclass
from threading import Lock
from weakref import WeakKeyDictionary

import numpy as np

from store.db.claim_store import ClaimStore
from store.db.keys import load_scopes
from store.db.snapshots import Snapshots
from store.db.source_shelf import Shelf, open_shelf
from store.db.tenants import tenants_of
from store.db.transaction import Reading, read
from store.domain.errors import Code, Refusal
from store.domain.exposure import Exposure, measure_sources
from store.domain.people import Right
from store.domain.scopes import covers, tenant_of
from store.domain.times import FOREVER

EXPOSURE_ORDERS = ("sole", "reach", "delivered", "owners")


@dataclass(frozen=True, slots=True)
class ExposedSource:
    """A source with what hangs on it. Texts come from outside.

    Attributes:
        reach: records that rest on any of its versions, directly or not, whoever may read them.
        delivered: delivered artifacts among them; `owners`: how many people own artifacts among them.
        sole: ACCEPTED records that would have no independent root left without it.
    """

    tenant: str
    id: str
    title: str | None
    scope: str
    reach: int
    delivered: int
    owners: int
    sole: int


@dataclass(frozen=True, slots=True)
class ExposurePage:
    """One page of the ranked list; `hidden`: how many further sources lie where the person may not look."""

    rows: tuple[ExposedSource, ...]
    total: int
    hidden: int
    next: str | None


@dataclass(frozen=True, slots=True)
class Figures:
    """What hangs on one source, as `ExposedSource` says it."""

    reach: int = 0
    delivered: int = 0
    owners: int = 0
    sole: int = 0


@dataclass(frozen=True, slots=True)
class _Kept:
    seq: int
    since: int
    until: int
    numbers: tuple[int, ...]
    found: Exposure
    figures: dict[int, Figures]


_kept: WeakKeyDictionary[Snapshots, dict[int, _Kept]] = WeakKeyDictionary()
_lock = Lock()


def figures_of(reading: Reading, tenant: int) -> dict[int, Figures]:
    """Return source number -> what hangs on it, for every source that has a version."""
    return _measure(reading, tenant).figures


def measure_exposure(
    store: ClaimStore, person: str, *, scope: str | None = None, order: str = "sole", after: str | None = None, limit: int = 50,
    authenticated: bool = False,
) -> ExposurePage:  # fmt: skip
    """Return one page of the sources, the most exposed first; figures are of the whole tenant, so they hold for everybody.

    Raises:
        Refusal: `bad_value`: no such order, or no such cursor.
    """
    if order not in EXPOSURE_ORDERS:
        raise Refusal(Code.BAD_VALUE, f"Sources are ranked by {', '.join(EXPOSURE_ORDERS)}, not by {order[:40]!r}.")
    skipped = _read_cursor(after)
    limit = max(1, min(limit, 1_000))
    rows: list[ExposedSource] = []
    hidden = 0
    with read(store, person, authenticated=authenticated) as reading:
        for number, tenant in tenants_of(reading):
            if scope is not None and tenant_of(scope) != tenant:
                continue
            shelf, kept, scopes = open_shelf(reading, number), _measure(reading, number), load_scopes(reading.connection, number)
            for place, source in enumerate(kept.numbers):
                one = shelf.sources[source]
                path = scopes[one.scope]
                if scope is not None and not covers(scope, path):
                    continue
                if not reading.actor.may(Right.READ, path) and not reading.actor.may(Right.INSPECT, path):
                    hidden += 1
                    continue
                reach, delivered, owners, sole = (int(getattr(kept.found, name)[place]) for name in ("reach", "delivered", "owners", "sole"))
                rows.append(ExposedSource(tenant, one.id, one.title, path, reach, delivered, owners, sole))
    rows.sort(key=lambda row: (-getattr(row, order), -row.sole, -row.reach, row.tenant, row.id))
    last = skipped + limit
    return ExposurePage(tuple(rows[skipped:last]), len(rows), hidden, json.dumps(last) if last < len(rows) else None)


def _read_cursor(after: str | None) -> int:
    if after is None:
        return 0
    if not after.isdecimal() or len(after) > 9:
        raise Refusal(Code.BAD_VALUE, "That is no cursor of a page. Start again at the beginning.")
    return int(after)


def _measure(reading: Reading, tenant: int) -> _Kept:
    """Return what hangs on each source as this reading sees it, worked out anew once something happened or a root expired."""
    snapshot, at = reading.snapshot(tenant), reading.at
    with _lock:
        mine = _kept.setdefault(reading.store.snapshots, {})
        kept = mine.get(tenant)
        if kept is None or kept.seq != snapshot.seq or not kept.since <= at < kept.until:
            shelf = open_shelf(reading, tenant)
            numbers, source_of = place_sources(shelf, len(snapshot.columns))
            expiry = snapshot.effective_expiry()
            found = measure_sources(snapshot.graph, snapshot.columns, snapshot.delivered, source_of, len(numbers), expiry, at)
            roots = expiry[source_of >= 0]
            since, until = roots[roots <= at].max(initial=0), roots[roots > at].min(initial=FOREVER)
            columns = (one.tolist() for one in (found.reach, found.delivered, found.owners, found.sole))
            figures = {source: Figures(*its) for source, its in zip(numbers, zip(*columns, strict=True), strict=True)}
            kept = mine[tenant] = _Kept(snapshot.seq, int(since), int(until), numbers, found, figures)
        return kept


def place_sources(shelf: Shelf, size: int) -> tuple[tuple[int, ...], np.ndarray[tuple[int], np.dtype[np.int64]]]:
    """Return the numbers of the sources that have versions among the first `size` records, and for every record the place of its source, else -1."""
    known = shelf.record < size
    numbers, place = np.unique(shelf.source[known], return_inverse=True)
    source_of = np.full(size, -1, dtype=np.int64)
    source_of[shelf.record[known]] = place
    return tuple(int(one) for one in numbers), source_of
