"""The list of sources: which there are, how each stands, and which have a newer version nobody has sorted yet."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np

from store.db.claim_store import ClaimStore
from store.db.corrections import list_cases
from store.db.keys import load_scopes
from store.db.source_shelf import Shelf, ShelfSource, VersionRow, count_bound, load_versions, open_shelf
from store.db.tenants import tenants_of
from store.db.transaction import Reading, read
from store.db.unsorted import UnsortedSource, find_unsorted
from store.domain.errors import Code, Refusal
from store.domain.people import Right
from store.domain.reach import Ints, Mask
from store.domain.scopes import covers, tenant_of
from store.domain.status import Status
from store.domain.times import format_optional, format_time
from store.reads.exposure import EXPOSURE_ORDERS, Figures, figures_of

#: Sources on one screen.
SOURCES_PAGE = 50
#: What the list may be narrowed to.
SOURCES_ONLY = ("unsorted", "suspended", "revoked", "correction")
SOURCES_ORDERS = ("newest", "reach", "sole", "delivered", "owners", "title", "id")


@dataclass(frozen=True, slots=True)
class SourceBrief:
    """A source as the list shows it. Texts come from outside.

    Attributes:
        versions: how many of its versions the person may see.
        newest: id of the newest; `number`: its version number; `status`: its status.
        arrived_at: when it came into the store.
        claims: how many claims are bound to any of its versions, as far as the person may see them.
        unsorted: a newer version arrived while claims rest on an older one that still counts.
        corrections: (id, title) of the open corrections it is in.
        exposure: what hangs on it, whoever may read that.
        may_look: whether the person may see what a plan about it would do.
    """

    id: str
    tenant: str
    title: str
    uri: str | None
    scope: str
    authority: str | None
    owner: str | None
    versions: int
    newest: str
    number: int
    status: str
    media_type: str
    captured_at: str | None
    arrived_at: str
    claims: int
    unsorted: bool
    suspended: bool
    revoked: bool
    corrections: tuple[tuple[str, str], ...]
    exposure: Figures
    may_look: bool


@dataclass(frozen=True, slots=True)
class SourcePage:
    """One page of the list.

    Attributes:
        total: how many sources the list holds; `counts`: how many of all found are of each kind it may be narrowed to.
        found: how many there are without narrowing.
        next: the cursor of the next page, None at the end.
    """

    rows: tuple[SourceBrief, ...]
    total: int
    found: int
    counts: dict[str, int]
    next: str | None
    place: int


@dataclass(slots=True)
class Standing:
    """How the sources of one tenant stand, one entry per source that has a version the person may see.

    Attributes:
        source: numbers; `first`, `count`: where its versions are in `record`; `newest`: the record of the newest.
    """

    source: Ints
    first: Ints
    count: Ints
    record: Ints
    newest: Ints
    suspended: Mask
    revoked: Mask


def stand(shelf: Shelf, status: Ints, seen: Mask) -> Standing:
    """Return how sources stand.

    Args:
        status: of every record of the tenant; `seen`: which of the shelf's versions are looked at.
    """
    record, source = shelf.record[seen], shelf.source[seen]
    found, first, count = np.unique(source, return_index=True, return_counts=True)
    last = first + count - 1
    its = status[record]

    def some(mask: Mask) -> Mask:
        return np.add.reduceat(mask.astype(np.int64), first) > 0 if len(first) else np.zeros(0, dtype=bool)

    return Standing(found, first, count, record, record[last], some(its == int(Status.DISPUTED)), some(its == int(Status.REVOKED)))


def seen_records(reading: Reading, tenant: int, scopes: dict[int, str], within: str | None = None) -> Mask:
    """Return which records of a tenant the person may see.

    Who may only read a scope is shown what is in use; who sees everything of it, all records.
    """
    columns = reading.snapshot(tenant).columns
    inspect = np.zeros(max(scopes, default=0) + 1, dtype=bool)
    may_read = inspect.copy()
    for number, path in scopes.items():
        if within is None or covers(within, path):
            inspect[number] = reading.actor.may(Right.INSPECT, path)
            may_read[number] = inspect[number] or reading.actor.may(Right.READ, path)
    seen: Mask = inspect[columns.scope] | (may_read[columns.scope] & (columns.status == int(Status.ACCEPTED)))
    seen &= columns.status != int(Status.DELETED)
    return seen


def seen_versions(reading: Reading, tenant: int, shelf: Shelf, scopes: dict[int, str], within: str | None = None) -> tuple[Mask, Ints]:
    """Return which versions of a shelf the person may see, and the status of every record."""
    seen = seen_records(reading, tenant, scopes, within)
    known = shelf.record < len(seen)
    return known & seen[np.where(known, shelf.record, 0)], reading.snapshot(tenant).columns.status.astype(np.int64)


def waiting_sources(reading: Reading, tenant: int, scopes: dict[int, str], within: str | None = None) -> dict[int, UnsortedSource]:
    """Return the sources of which a newer version waits to be sorted, as far as the person may see."""
    return find_unsorted(open_shelf(reading, tenant), reading.snapshot(tenant), seen_records(reading, tenant, scopes, within))


def open_cases(reading: Reading, tenant: int) -> dict[int, list[tuple[str, str]]]:
    """Return source number -> (id, title) of the open corrections it is in that the person may see."""
    found: dict[int, list[tuple[str, str]]] = {}
    for case in list_cases(reading.connection, tenant, only_open=True):
        if all(reading.actor.may(Right.INSPECT, scope) for scope in case.scopes):
            for source in case.sources:
                found.setdefault(source, []).append((case.id, case.title))
    return found


def list_sources(
    store: ClaimStore, person: str, *, scope: str | None = None, find: str = "", only: str = "", order: str = "newest", after: str | None = None,
    limit: int = SOURCES_PAGE, authenticated: bool = False,
) -> SourcePage:  # fmt: skip
    """Return one page of the sources the person may see.

    Args:
        scope: only this scope and below.
        find: words that its id, title or address hold.
        only: one of `SOURCES_ONLY`; `order`: one of `SOURCES_ORDERS`.
        after: the cursor of the page before.
    """
    limit = max(1, min(limit, 1_000))
    words = find.casefold().split()
    with read(store, person, authenticated=authenticated) as reading:
        rows: list[SourceBrief] = []
        total = found = place = 0
        counts = dict.fromkeys(SOURCES_ONLY, 0)
        following: str | None = None
        started = _read_cursor(after)
        begun = started is None
        for number, tenant in tenants_of(reading):
            if scope is not None and tenant_of(scope) != tenant:
                continue
            part = _Part(reading, number, tenant, scope, words)
            mine = part.narrowed(only)
            found += len(part.standing.source)
            for name in SOURCES_ONLY:
                counts[name] += int(part.mask(name).sum())
            chosen = part.ordered(mine, order)
            start = 0
            if not begun and started is not None and started[0] == tenant:
                start, begun = part.position_after(chosen, started[1]), True
                place = total + start
            elif not begun:
                start = len(chosen)
            room = limit - len(rows)
            taken = chosen[start : start + room]
            rows.extend(part.briefs(taken))
            if following is None and begun and len(chosen) - start > room and rows:
                following = json.dumps([rows[-1].tenant, rows[-1].id])
            total += len(chosen)
        return SourcePage(tuple(rows), total, found, counts, following, place)


def _read_cursor(after: str | None) -> tuple[str, str] | None:
    if after is None:
        return None
    try:
        tenant, source = json.loads(after)
        return str(tenant), str(source)
    except (ValueError, TypeError, RecursionError):
        raise Refusal(Code.BAD_VALUE, "That is no cursor of a page. Start again at the beginning.") from None


class _Part:
    """The sources of one tenant that a search finds."""

    def __init__(self, reading: Reading, number: int, tenant: str, scope: str | None, words: list[str]) -> None:
        self.reading, self.number, self.tenant = reading, number, tenant
        self.shelf = open_shelf(reading, number)
        self.scopes = load_scopes(reading.connection, number)
        self.seen = seen_records(reading, number, self.scopes)
        seen, self.status = seen_versions(reading, number, self.shelf, self.scopes, scope)
        standing = stand(self.shelf, self.status, seen)
        self.corrections = open_cases(reading, number)
        if words:
            kept = np.array([self._holds(self.shelf.sources[one], words) for one in standing.source.tolist()], dtype=bool)
            standing = Standing(
                standing.source[kept], standing.first[kept], standing.count[kept], standing.record, standing.newest[kept],
                standing.suspended[kept], standing.revoked[kept],
            )  # fmt: skip
        self.standing = standing
        self.unsorted = np.isin(standing.source, np.array(sorted(waiting_sources(reading, number, self.scopes, scope)), dtype=np.int64))
        self.figures = figures_of(reading, number)

    @staticmethod
    def _holds(source: ShelfSource, words: list[str]) -> bool:
        text = f"{source.id}\n{source.title or ''}\n{source.uri or ''}".casefold()
        return all(word in text for word in words)

    def mask(self, only: str) -> Mask:
        """Return which sources are of a kind."""
        if only == "correction":
            return np.isin(self.standing.source, np.array(sorted(self.corrections), dtype=np.int64))
        return {"unsorted": self.unsorted, "suspended": self.standing.suspended, "revoked": self.standing.revoked}[only]

    def narrowed(self, only: str) -> Ints:
        """Return which entries the list holds."""
        return np.flatnonzero(self.mask(only)) if only in SOURCES_ONLY else np.arange(len(self.standing.source))

    def ordered(self, chosen: Ints, order: str) -> list[int]:
        """Return entries in the order of the list."""
        newest, sources = self.standing.newest, self.standing.source
        if order == "title":
            names = {at: self._named(int(sources[at])) for at in chosen.tolist()}
            return sorted(names, key=lambda at: names[at])
        if order == "id":
            return sorted(chosen.tolist(), key=lambda at: self.shelf.sources[int(sources[at])].id)
        if order in EXPOSURE_ORDERS:
            return self._by_exposure(chosen, order)
        return chosen[np.argsort(-newest[chosen], kind="stable")].tolist()  # type: ignore[no-any-return]

    def _named(self, source: int) -> tuple[str, str]:
        found = self.shelf.sources[source]
        return (found.title or found.id).casefold(), found.id

    def _by_exposure(self, chosen: Ints, order: str) -> list[int]:
        """Return entries with most first; those of equal figures by id."""
        sources = self.standing.source[chosen].tolist()
        its = [self.figures.get(source) or Figures() for source in sources]
        keys = [(getattr(one, order), one.sole, one.reach) for one in its]
        ids = [self.shelf.sources[source].id for source in sources]
        by_id = sorted(range(len(ids)), key=ids.__getitem__)
        return [int(chosen[n]) for n in sorted(by_id, key=keys.__getitem__, reverse=True)]

    def position_after(self, chosen: list[int], source_id: str) -> int:
        """Return where the list goes on after a source; its beginning if the source is not in it any more."""
        for position, at in enumerate(chosen):
            if self.shelf.sources[int(self.standing.source[at])].id == source_id:
                return position + 1
        return 0

    def briefs(self, taken: list[int]) -> list[SourceBrief]:
        """Return entries as the list shows them."""
        standing = self.standing
        versions = {at: standing.record[standing.first[at] : standing.first[at] + standing.count[at]].tolist() for at in taken}
        rows = load_versions(self.reading.connection, self.number, [int(standing.newest[at]) for at in taken])
        bound = count_bound(self.reading.connection, self.number, [one for its in versions.values() for one in its], self.seen)
        return [self._brief(at, versions[at], rows[int(standing.newest[at])], bound) for at in taken]

    def _brief(self, at: int, versions: list[int], newest: VersionRow, bound: dict[int, int]) -> SourceBrief:
        standing = self.standing
        number = int(standing.source[at])
        source = self.shelf.sources[number]
        scope = self.scopes.get(source.scope, "")
        return SourceBrief(
            source.id, self.tenant, source.title or source.id, source.uri, scope, source.authority, source.owner,
            len(versions), newest.id, newest.version, Status(int(self.status[newest.record])).name, newest.media_type,
            format_optional(newest.captured_at), format_time(newest.made_at), sum(bound.get(one, 0) for one in versions),
            bool(self.unsorted[at]), bool(standing.suspended[at]), bool(standing.revoked[at]), tuple(self.corrections.get(number, ())),
            self.figures.get(number, Figures()), self.reading.actor.may(Right.INSPECT, scope),
        )  # fmt: skip
