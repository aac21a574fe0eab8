"""Open conflicts in the order they matter: counted, grouped by predicate and pair of sources, a page at a time (R13)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from store.db.claim_store import ClaimStore
from store.db.tenants import tenants_of
from store.db.transaction import Reading, read
from store.db.veils import ShownNames, veiled_numbers
from store.domain.errors import Code, Refusal
from store.domain.likeness import LIKENESSES
from store.domain.origins import LEVELS
from store.domain.people import Right
from store.domain.reach import Ints
from store.domain.scopes import covers, tenant_of
from store.domain.veiling import VEIL
from store.reads.conflict_index import WHY, ConflictIndex, Contest, index_of

#: Ways to look at some of the conflicts only.
CONFLICTS_ONLY = ("all", *WHY, "asked")
CONFLICTS_PAGE = 50
#: Groups beside each other in the matrix; beyond, those with one name in common are one.
COLUMNS = 12
#: Stands for sources in scopes the person may not read.
HIDDEN = "?"


@dataclass(frozen=True, slots=True)
class ConflictSift:
    """Which conflicts are wanted.

    Attributes:
        predicate: of this predicate only.
        origins: the names their values come from; `others`: further names may stand beside them, but none of `without`.
        likeness: only those whose values differ in this way.
    """

    scope: str | None = None
    only: str = "all"
    predicate: str | None = None
    origins: tuple[str, ...] = ()
    others: bool = False
    without: tuple[str, ...] = ()
    likeness: str | None = None

    @property
    def is_group(self) -> bool:
        """Return whether this is a group: one predicate and a set of sources."""
        return self.predicate is not None and bool(self.origins)


@dataclass(frozen=True, slots=True)
class ContestedBrief:
    """One of the values in a line of the list. Texts come from outside."""

    value: Any
    names: tuple[str, ...]
    claims: int


@dataclass(frozen=True, slots=True)
class ConflictBrief:
    """One line of the list.

    Attributes:
        why: one of WHY.
        reach: how many records rest on its sides; `delivered`: how many of them were delivered.
        asked: somebody was asked about it.
        level: how its sources are named: by authority or family, by collection, or each by itself.
    """

    id: str
    tenant: str
    scope: str
    subject: str
    predicate: str
    qualifiers: dict[str, Any]
    values: tuple[ContestedBrief, ...]
    why: str
    reach: int
    delivered: int
    likeness: str
    asked: bool
    level: str


@dataclass(frozen=True, slots=True)
class MatrixColumn:
    """A set of sources that contradict each other."""

    origins: tuple[str, ...]
    others: bool = False
    without: tuple[str, ...] = ()
    count: int = 0


@dataclass(frozen=True, slots=True)
class Matrix:
    """Predicates against sets of sources: every conflict stands in one cell."""

    columns: tuple[MatrixColumn, ...]
    rows: tuple[tuple[str, int, tuple[int, ...]], ...]


@dataclass(frozen=True, slots=True)
class ConflictQueue:
    """The open conflicts, and the page of them that holds the chosen one.

    Attributes:
        total: how many are open in the scope; `decidable`: in how many of those the person may decide.
        counts: how many belong to each of CONFLICTS_ONLY; `likenesses`: of those sifted apart from likeness, how many differ in which way.
        matched: how many the whole sift leaves; `first`: the place of the page's first row among them.
        chosen, place, before, after: as for candidates: (tenant, id).
        ids: the ids of all that the sift leaves, in order, for a plan about the group.
    """

    total: int
    decidable: int
    counts: dict[str, int]
    likenesses: dict[str, int]
    matrix: Matrix
    matched: int
    first: int
    rows: tuple[ConflictBrief, ...]
    chosen: tuple[str, str] | None
    place: int
    before: tuple[str, str] | None
    after: tuple[str, str] | None
    page_before: tuple[str, str] | None
    page_after: tuple[str, str] | None
    ids: tuple[tuple[str, str], ...] = field(repr=False)


@dataclass(slots=True)
class _Place:
    """A conflict with its place in the tenant's index."""

    tenant: str
    index: ConflictIndex
    number: int
    contest: Contest
    origins: tuple[str, ...]
    hidden: bool
    why: str


def list_conflicts_page(
    store: ClaimStore, person: str, sift: ConflictSift, chosen: tuple[str | None, str] | None = None, *, page: int = 1, authenticated: bool = False
) -> ConflictQueue:
    """Return the open conflicts as `person` may see them, at the page that holds `chosen`, else at `page` (from 1).

    Raises:
        Refusal: `not_allowed` for who may see no conflict of the scope at all.
    """
    with read(store, person, authenticated=authenticated) as reading:
        wanted = tenant_of(sift.scope) if sift.scope else None
        tenants = [(number, name) for number, name in tenants_of(reading, Right.INSPECT) if wanted in (None, name)]
        if not tenants:
            raise Refusal(
                Code.NOT_ALLOWED, f"{reading.actor.name} may not see what is contested: that takes a reviewer, admin or auditor. Ask an admin."
            )
        everything = [place for number, name in tenants for place in _places(reading, number, name, sift.scope)]
        inside = [place for place in everything if _matches(place, sift, but="only")]
        counts = {only: sum(_is(place, only) for place in inside) for only in CONFLICTS_ONLY}
        of_group = [place for place in inside if _is(place, sift.only)]
        likenesses = {one: sum(place.contest.likeness == one for place in of_group) for one in LIKENESSES}
        found = sorted((place for place in of_group if sift.likeness in (None, place.contest.likeness)), key=_order)
        ids = tuple((place.tenant, place.contest.row.id) for place in found)
        at = next((n for n, one in enumerate(ids) if chosen is not None and one[1] == chosen[1] and chosen[0] in (None, one[0])), None)
        place = at if at is not None else min((max(page, 1) - 1) * CONFLICTS_PAGE, max(len(ids) - 1, 0))
        first = place // CONFLICTS_PAGE * CONFLICTS_PAGE
        listed = at is not None

        def name(number: int) -> tuple[str, str] | None:
            return ids[number] if 0 <= number < len(ids) else None

        matrix = _matrix([one for one in everything if _is(one, sift.only)])
        return ConflictQueue(
            len(everything), sum(reading.actor.may(Right.DECIDE, one.contest.row.scope) for one in everything), counts, likenesses, matrix, len(found), first,
            _briefs(reading, found[first : first + CONFLICTS_PAGE]), name(place) if listed or chosen is None else None, place,
            name(place - 1), name(place + 1 if listed else place), name(first - CONFLICTS_PAGE), name(first + CONFLICTS_PAGE), ids,
        )  # fmt: skip


def _places(reading: Reading, number: int, name: str, scope: str | None) -> list[_Place]:
    index, may = index_of(reading, number), reading.actor.may
    seen: dict[str, bool] = {}
    readable: dict[str, bool] = {}
    found = []
    for place, contest in enumerate(index.contests):
        path = contest.row.scope
        if path not in seen:
            seen[path] = may(Right.INSPECT, path) and (scope is None or covers(scope, path))
        if not seen[path]:
            continue
        for one in contest.scopes:
            if one not in readable:
                readable[one] = may(Right.READ, one)
        hidden = not all(readable[one] for one in contest.scopes)
        found.append(_Place(name, index, place, contest, (HIDDEN,) if hidden else contest.origins, hidden, index.why(place)))
    return found


def _order(place: _Place) -> tuple[Any, ...]:
    row = place.contest.row
    return WHY.index(place.why), row.predicate, row.subject, row.scope, row.id


def _is(place: _Place, only: str) -> bool:
    if only == "all":
        return True
    return place.contest.row.asked if only == "asked" else place.why == only


def _matches(place: _Place, sift: ConflictSift, but: str = "") -> bool:
    if sift.predicate is not None and place.contest.row.predicate != sift.predicate:
        return False
    if but != "only" and not _is(place, sift.only):
        return False
    if not sift.origins:
        return True
    names = set(place.origins)
    if not sift.others:
        return names == set(sift.origins)
    return set(sift.origins) <= names and not names & set(sift.without)


def _matrix(places: list[_Place]) -> Matrix:
    sets: dict[tuple[str, ...], int] = {}
    for place in places:
        sets[place.origins] = sets.get(place.origins, 0) + 1
    columns = _columns(sets)
    cells: dict[str, list[int]] = {}
    for place in places:
        counts = cells.setdefault(place.contest.row.predicate, [0] * len(columns))
        counts[_column_of(columns, place.origins)] += 1
    rows = tuple((predicate, sum(counts), tuple(counts)) for predicate, counts in sorted(cells.items(), key=lambda item: (-sum(item[1]), item[0])))
    return Matrix(columns, rows)


def _column_of(columns: tuple[MatrixColumn, ...], origins: tuple[str, ...]) -> int:
    names = set(origins)
    for place, column in enumerate(columns):
        if column.others and set(column.origins) <= names and not names & set(column.without):
            return place
        if not column.others and column.origins == origins:
            return place
    raise AssertionError(origins)


def _columns(sets: dict[tuple[str, ...], int]) -> tuple[MatrixColumn, ...]:
    """Return the columns: the sets of sources as they are while they are few; else those with a source in common are one."""
    left = dict(sets)
    hubs: list[str] = []
    found: list[MatrixColumn] = []
    while len(left) + len(found) > COLUMNS:
        weight: dict[str, tuple[int, int]] = {}
        for origins, count in left.items():
            for name in origins:
                groups, total = weight.get(name, (0, 0))
                weight[name] = groups + 1, total + count
        hub = max(weight, key=lambda name: (*weight[name], name), default=None)
        if hub is None or weight[hub][0] < 2:
            break
        found.append(MatrixColumn((hub,), others=True, without=tuple(hubs), count=weight[hub][1]))
        hubs.append(hub)
        left = {origins: count for origins, count in left.items() if hub not in origins}
    found += [MatrixColumn(origins, count=count) for origins, count in left.items()]
    return tuple(sorted(found, key=lambda column: (-column.count, column.origins)))


def reach_of(index: ConflictIndex, sides: tuple[int, ...]) -> tuple[int, int]:
    """Return how many records rest on some claims, and how many of those were delivered."""
    below: Ints = index.snapshot.graph.walk(np.array(sides, dtype=np.int64)).records
    below = below[~np.isin(below, sides)]
    return len(below), int(index.snapshot.delivered[below].sum())


def _briefs(reading: Reading, places: list[_Place]) -> tuple[ConflictBrief, ...]:
    hidden: dict[str, set[int]] = {}
    names: dict[str, ShownNames] = {}
    for name in {place.tenant for place in places}:
        number = reading.tenant_number(name)
        sides = [side for place in places if place.tenant == name for side in place.contest.row.sides]
        assert number is not None, "its conflicts were listed a moment ago"
        hidden[name], names[name] = veiled_numbers(reading.connection, number, sides), ShownNames(reading.connection, number)
    return tuple(_brief(place, hidden[place.tenant], names[place.tenant]) for place in places)


def _brief(place: _Place, veiled: set[int], shown: ShownNames) -> ConflictBrief:
    contest, row = place.contest, place.contest.row
    reach, delivered = reach_of(place.index, row.sides)
    names = tuple((HIDDEN,) for _ in contest.names) if place.hidden else contest.names
    return ConflictBrief(
        row.id, place.tenant, row.scope, shown.name(row.scope, row.subject), row.predicate, shown.qualifiers(row.scope, row.qualifiers),
        tuple(ContestedBrief(VEIL if veiled.intersection(sides) else value, its, len(sides)) for (value, sides), its in zip(contest.values, names, strict=True)),
        place.why, reach, delivered, contest.likeness, row.asked, LEVELS[contest.level],
    )  # fmt: skip
