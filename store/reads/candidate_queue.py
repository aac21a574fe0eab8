"""The candidates that wait for somebody: counted, sifted, a page at a time, and who comes before and after whom.

Counts and filters are masks over the tenant's columns in memory, so they are exact and cost the same on every page;
only the rows of one page are read from the tables.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any

import numpy as np

from store.db.claim_store import ClaimStore
from store.db.keys import find_party, load_parties, load_scopes
from store.db.people_keys import keys_of_people
from store.db.reading_spots import NamedDocument, arrange_candidates, name_documents
from store.db.records import find_card, load_cards
from store.db.tenants import tenants_of
from store.db.transaction import Reading, read
from store.db.veils import flagged_candidates, flags_of, load_shown, veiled
from store.db.waiting import asked_records, contributed, first_approvals, recorded_times, series_keys
from store.domain.people import Right
from store.domain.reach import Ints, Mask
from store.domain.reading_order import NOWHERE
from store.domain.records import Artifact, Claim
from store.domain.scopes import covers, tenant_of
from store.domain.snapshot import Snapshot
from store.domain.status import KIND_WORD, Kind, Status
from store.domain.text import question_title
from store.domain.waiting import (
    answered_pairs,
    contradicted_pairs,
    count_reach,
    decided_against,
    high_impact,
    holds_up,
    waiting_candidates,
    would_contradict,
)
from store.reads.corrections import candidates_of_correction

#: Ways to look at some of the candidates only.
ONLY = ("all", "contradicts", "answers", "second", "high", "blocks", "asked", "people", "flagged")
#: Orders they may come in.
ORDERS = ("document", "oldest", "newest", "reach")
PAGE = 50
#: Documents that are named to choose from.
_DOCUMENTS = 200
#: Candidates that are looked through for flags in one look at the list; the rest at the next ones.
_LOOKED = 300


@dataclass(frozen=True, slots=True)
class Sift:
    """Which candidates are wanted, and in which order.

    Attributes:
        document: the id of the version they are read with; empty for those without one.
        correction: only those that answer what fell because of this case.
    """

    scope: str | None = None
    kind: str | None = None
    owner: str | None = None
    only: str = "all"
    document: str | None = None
    order: str = "document"
    correction: str | None = None


@dataclass(frozen=True, slots=True)
class WaitingRow:
    """One line of the list. Texts come from outside.

    Attributes:
        document: the id of the version it is read with, empty for none.
        record: its number in its tenant.
        flags: kinds of what in it should perhaps not be kept; `veiled`: its words are hidden from whoever looks.
    """

    id: str
    tenant: str
    kind: str
    scope: str
    title: str
    value: Any
    since: int
    high: bool
    contradicts: bool
    answers: bool
    second: bool
    blocks: bool
    asked: bool
    before: bool
    document: str
    record: int
    flags: tuple[str, ...] = ()
    veiled: bool = False


@dataclass(frozen=True, slots=True)
class DocumentCount:
    """How many candidates are read with a version. Texts come from outside; without an id they have none."""

    tenant: str
    id: str
    title: str
    version: int | None
    count: int


@dataclass(frozen=True, slots=True)
class CandidateQueue:
    """What waits, and the page of it that holds the chosen candidate.

    Attributes:
        yours: how many of the scope wait for this person: they may decide there, and had no part in them; `others`: those that take somebody else,
            because they had; `readable`: those they may only look at. `whole`: of all of these, how many belong to each of ONLY.
        counts: of the candidates of scope, kind, owner and document, how many belong to each of ONLY.
        documents: of the candidates of scope, kind, owner and ONLY, how many are read with each document, in reading order; at most 200 and
            those of this page. `documents_left`: how many more documents there are.
        matched: how many the whole sift leaves; `first`: the place of the page's first row among them.
        chosen: (tenant, id) of the candidate to show, None when nothing is left.
        place: its place, counted from 0; where it would stand if it does not wait any more.
        oldest: when the oldest of them came, microseconds UTC.
        unlooked: how many were not looked through for flags yet, so that more of them may have some; none where flagged ones are asked for.
    """

    yours: int
    others: int
    readable: int
    whole: dict[str, int]
    counts: dict[str, int]
    documents: tuple[DocumentCount, ...]
    documents_left: int
    matched: int
    first: int
    rows: tuple[WaitingRow, ...]
    chosen: tuple[str, str] | None
    place: int
    before: tuple[str, str] | None
    after: tuple[str, str] | None
    page_before: tuple[str, str] | None
    page_after: tuple[str, str] | None
    scopes: tuple[tuple[str, int], ...]
    owners: tuple[tuple[str, int], ...]
    oldest: int | None
    unlooked: int = 0


@dataclass(slots=True)
class _Part:
    """One tenant's candidates."""

    number: int
    name: str
    snapshot: Snapshot
    records: Ints
    decidable: Mask
    own: Mask
    flags: dict[str, Mask]
    pairs: tuple[Ints, Ints]
    place: Ints
    document: Ints
    mask: Mask
    #: Those of the scope looked at, before any filter.
    inside: Mask
    #: The document asked for; -1 for none in particular.
    wanted: int = -1
    unlooked: int = 0


def list_candidates(
    store: ClaimStore, person: str, sift: Sift, chosen: tuple[str | None, str] | None = None, *, authenticated: bool = False
) -> CandidateQueue:
    """Return the queue of candidates as `person` may see it, at the page that holds `chosen`.

    Args:
        chosen: (tenant or None, id) of the candidate looked at; the first of the sift by default.
    """
    with read(store, person, authenticated=authenticated) as reading:
        return sift_candidates(reading, sift).describe(chosen)


def sift_candidates(reading: Reading, sift: Sift) -> Sifted:
    """Return the candidates of a sift, to be described a page at a time."""
    wanted = tenant_of(sift.scope) if sift.scope else None
    parts = [_part(reading, number, name, sift) for number, name in tenants_of(reading, Right.INSPECT) if wanted in (None, name)]
    return Sifted(reading, sift, parts)


def part_of(sifted: Sifted, tenant: str) -> tuple[int, Snapshot]:
    """Return the number and the snapshot of a tenant among those sifted."""
    part = next(part for part in sifted.parts if part.name == tenant)
    return part.number, part.snapshot


#: (store, tenant, event, person) -> what the person had a part in; true for ever, so kept for a while.
_parts_in: OrderedDict[tuple[str, int, int, str], Ints] = OrderedDict()
_parts_lock = Lock()
_KEPT = 64


def contributed_by_now(reading: Reading, number: int, seq: int) -> Ints:
    """Return the candidates the person had a part in after an event, from memory where that is known."""
    key = (f"{reading.store.lineage}:{reading.store.url}", number, seq, reading.actor.id)
    with _parts_lock:
        if key in _parts_in:
            return _parts_in[key]
    found = np.array(contributed(reading.connection, number, reading.actor.id), dtype=np.int64)
    with _parts_lock:
        _parts_in[key] = found
        while len(_parts_in) > _KEPT:
            _parts_in.popitem(last=False)
    return found


def _part(reading: Reading, number: int, name: str, sift: Sift) -> _Part:
    connection, snapshot = reading.connection, reading.snapshot(number)
    scopes = load_scopes(connection, number)
    seen = [one for one, path in scopes.items() if reading.actor.may(Right.INSPECT, path)]
    records = waiting_candidates(snapshot, np.array(seen, dtype=np.int64))
    deciding = [one for one in seen if reading.actor.may(Right.DECIDE, scopes[one])]
    columns = snapshot.columns
    inside = np.ones(len(records), dtype=bool)
    if sift.scope:
        inside &= np.isin(columns.scope[records], [one for one in seen if covers(sift.scope, scopes[one])])
    if sift.correction:
        answering = candidates_of_correction(reading, number, sift.correction)
        inside &= np.isin(records, np.empty(0, np.int64) if answering is None else answering)
    high = high_impact(snapshot, records)
    approvals = first_approvals(connection, number, records[high].tolist())
    approved = np.array(sorted(approvals), dtype=np.int64)
    mine = [record for record, its in approvals.items() if any(one.by == reading.actor.id for one in its)]
    own = np.isin(records, mine) | np.isin(records, contributed_by_now(reading, number, snapshot.seq))
    pairs = contradicted_pairs(snapshot, records)
    keyed = np.unique(columns.key[records])
    stale = np.unique(columns.key[columns.status == Status.STALE])
    asked_about = np.union1d(columns.key[pairs[0]], np.intersect1d(keyed, stale))
    series = np.array(series_keys(connection, number, asked_about.tolist()), dtype=np.int64)
    answered = answered_pairs(snapshot, records, series)
    asked = asked_records(connection, number)
    flagged, unlooked = flagged_candidates(reading, number, snapshot, records, most=None if sift.only == "flagged" else _LOOKED)
    flags = {
        "all": np.ones(len(records), dtype=bool), "contradicts": would_contradict(snapshot, records, series), "answers": np.isin(records, answered[0]),
        "second": np.isin(records, approved), "high": high, "blocks": holds_up(snapshot, records), "asked": np.isin(records, asked),
        "people": np.isin(columns.key[records], keys_of_people(reading, number, snapshot.seq)) & (columns.key[records] > 0), "flagged": flagged,
    }  # fmt: skip
    arrangement = arrange_candidates(connection, f"{reading.store.lineage}:{reading.store.url}", number, snapshot)
    both = (np.concatenate([pairs[0], answered[0]]), np.concatenate([pairs[1], answered[1]]))
    return _Part(
        number, name, snapshot, records, np.isin(columns.scope[records], deciding), own, flags, both, arrangement.places_of(records),
        arrangement.documents_of(records), inside, inside, unlooked=unlooked,
    )  # fmt: skip


class Sifted:
    """The parts of all tenants as one list."""

    def __init__(self, reading: Reading, sift: Sift, parts: list[_Part]) -> None:
        self.reading, self.sift, self.parts = reading, sift, parts
        self.owners = self._sift_owners()
        for part in parts:
            columns = part.snapshot.columns
            if sift.kind:
                part.mask = part.mask & (columns.kind[part.records] == int(Kind.ARTIFACT if sift.kind == "artifact" else Kind.CLAIM))
        self._of_documents = [part.mask & part.flags[sift.only] for part in parts]
        if sift.document is not None:
            for part in parts:
                wanted = find_card(reading.connection, part.number, sift.document) if sift.document else None
                number = NOWHERE if not sift.document else wanted.number if wanted else -1
                part.wanted, part.mask = number, part.mask & (part.document == number)
        self.picked = [self._ordered(part, np.flatnonzero(part.mask & part.flags[sift.only])) for part in parts]
        self.sizes = [len(places) for places in self.picked]
        self.matched = sum(self.sizes)

    def _ordered(self, part: _Part, places: Ints) -> Ints:
        """Return indices of a part's candidates in the order wanted; they come in the order of their numbers."""
        order = self.sift.order
        if order == "oldest":
            return places
        if order == "newest":
            return places[::-1]
        if order == "reach":
            reach = count_reach(part.snapshot, part.records[places], part.pairs)
            return places[np.lexsort((part.place[places], -reach))]
        return places[np.argsort(part.place[places], kind="stable")]

    def _sift_owners(self) -> tuple[tuple[str, int], ...]:
        found: dict[str, int] = {}
        for part in self.parts:
            owners = part.snapshot.columns.owner[part.records]
            names = load_parties(self.reading.connection, part.number)
            for owner, count in zip(*np.unique(owners[part.mask], return_counts=True), strict=True):
                name = names.get(int(owner), "")
                found[name] = found.get(name, 0) + int(count)
            if self.sift.owner is not None:
                wanted = find_party(self.reading.connection, part.number, self.sift.owner) if self.sift.owner else 0
                part.mask = part.mask & (owners == (-1 if wanted is None else wanted))
        return tuple(sorted(found.items(), key=lambda item: (-item[1], item[0])))

    def _record(self, place: int) -> tuple[_Part, int]:
        """Return the part and the index within it of the place-th candidate."""
        for part, places, size in zip(self.parts, self.picked, self.sizes, strict=True):
            if place < size:
                return part, int(places[place])
            place -= size
        raise IndexError(place)

    def _name(self, place: int) -> tuple[str, str] | None:
        if not 0 <= place < self.matched:
            return None
        part, index = self._record(place)
        number = int(part.records[index])
        return part.name, load_cards(self.reading.connection, part.number, [number])[number].id

    def _find(self, chosen: tuple[str | None, str]) -> tuple[int, bool]:
        """Return the place of a candidate, or about where it would stand, and whether it is in the list."""
        before = 0
        for part, places in zip(self.parts, self.picked, strict=True):
            card = find_card(self.reading.connection, part.number, chosen[1]) if chosen[0] in (None, part.name) else None
            if card is not None:
                numbers = part.records[places]
                here = np.flatnonzero(numbers == card.number)
                if len(here):
                    return before + int(here[0]), True
                index = int(np.searchsorted(part.records, card.number))
                if self.sift.order == "document" and index < len(part.records) and part.records[index] == card.number:
                    return before + int(np.searchsorted(part.place[places], part.place[index])), False
                earlier = numbers > card.number if self.sift.order == "newest" else numbers < card.number
                return before + (int(earlier.sum()) if self.sift.order in ("oldest", "newest") else 0), False
            before += len(places)
        return 0, False

    def page(self, first: int) -> list[tuple[_Part, list[int]]]:
        """Return a page's candidates, part by part, as indices."""
        numbers: dict[str, list[int]] = {}
        for one in range(first, min(first + PAGE, self.matched)):
            part, index = self._record(one)
            numbers.setdefault(part.name, []).append(index)
        return [(part, numbers[part.name]) for part in self.parts if part.name in numbers]

    def describe(self, chosen: tuple[str | None, str] | None) -> CandidateQueue:
        """Return the queue at the page of a candidate."""
        place, listed = self._find(chosen) if chosen else (0, self.matched > 0)
        first = max(0, min(place, self.matched - 1)) // PAGE * PAGE
        rows = [row for part, places in self.page(first) for row in self._rows(part, places)]
        oldest = [
            int(load_cards(self.reading.connection, part.number, part.records[:1].tolist())[int(part.records[0])].created_seq)
            for part in self.parts
            if len(part.records)
        ]
        ages = [
            next(iter(recorded_times(self.reading.connection, part.number, [seq]).values()))
            for part, seq in zip((p for p in self.parts if len(p.records)), oldest, strict=True)
        ]
        names = {place_: (row.tenant, row.id) for place_, row in enumerate(rows, first)}

        def name(at: int) -> tuple[str, str] | None:
            return names.get(at) or self._name(at)

        documents, left = self._documents(rows)
        return CandidateQueue(
            yours=sum(int((part.inside & part.decidable & ~part.own).sum()) for part in self.parts),
            others=sum(int((part.inside & part.decidable & part.own).sum()) for part in self.parts), readable=sum(int((part.inside & ~part.decidable).sum()) for part in self.parts),
            whole={only: sum(int((part.inside & part.flags[only]).sum()) for part in self.parts) for only in ONLY},
            counts={only: sum(int((part.mask & part.flags[only]).sum()) for part in self.parts) for only in ONLY}, documents=documents,
            documents_left=left, matched=self.matched, first=first, rows=tuple(rows), chosen=name(place) if listed or chosen is None else None, place=place, before=name(place - 1),
            after=name(place + 1 if listed else place), page_before=name(first - PAGE), page_after=name(first + PAGE),
            scopes=self._scopes(), owners=self.owners, oldest=min(ages, default=None), unlooked=sum(part.unlooked for part in self.parts),
        )  # fmt: skip

    def _scopes(self) -> tuple[tuple[str, int], ...]:
        found: dict[str, int] = {}
        for part in self.parts:
            paths = load_scopes(self.reading.connection, part.number)
            for scope, count in zip(*np.unique(part.snapshot.columns.scope[part.records], return_counts=True), strict=True):
                found[paths[int(scope)]] = found.get(paths[int(scope)], 0) + int(count)
        return tuple(sorted(found.items()))

    def _documents(self, rows: list[WaitingRow]) -> tuple[tuple[DocumentCount, ...], int]:
        """Return the documents the sift's candidates are read with, in reading order, and how many are left out."""
        shown, left = {(row.tenant, row.record) for row in rows}, 0
        found: list[DocumentCount] = []
        for part, mask in zip(self.parts, self._of_documents, strict=True):
            here = part.document[np.isin(part.records, [record for tenant, record in shown if tenant == part.name])]
            order = np.argsort(part.place[mask], kind="stable")
            documents, first, count = np.unique(part.document[mask][order], return_index=True, return_counts=True)
            in_order = np.argsort(first, kind="stable")
            kept = np.isin(documents[in_order], np.append(here, part.wanted))
            kept[: max(0, _DOCUMENTS - len(found))] = True
            names = self._names(part, documents[in_order][kept])
            left += int((~kept).sum())
            for at in in_order[kept].tolist():
                named = names.get(int(documents[at]))
                if named is None:
                    found.append(DocumentCount(part.name, "", "", None, int(count[at])))
                else:
                    found.append(DocumentCount(part.name, named.id, named.title, named.version, int(count[at])))
        return tuple(found), left

    def _names(self, part: _Part, documents: Ints) -> dict[int, NamedDocument]:
        """Return document -> its name; its title only where the person may see what is in its scope."""
        named = name_documents(self.reading.connection, part.number, documents.tolist())
        paths = load_scopes(self.reading.connection, part.number)
        actor = self.reading.actor
        return {
            number: one if actor.may(Right.INSPECT, paths[one.scope]) or actor.may(Right.READ, paths[one.scope]) else replace(one, title=one.id)
            for number, one in named.items()
        }

    def _rows(self, part: _Part, places: list[int]) -> list[WaitingRow]:
        connection = self.reading.connection
        records = [int(part.records[place]) for place in places]
        cards = load_cards(connection, part.number, records)
        hidden = veiled(connection, part.number, list(cards.values()))
        contents = load_shown(connection, part.number, list(cards.values()))
        times = recorded_times(connection, part.number, {card.created_seq for card in cards.values()})
        documents = name_documents(connection, part.number, {int(part.document[place]) for place in places})
        flagged = flags_of(connection, part.number, list(cards.values()))
        found = []
        for place, record in zip(places, records, strict=True):
            card, content = cards[record], contents[record]
            title, value = _words(content)
            flags = {flag: bool(part.flags[flag][place]) for flag in ("contradicts", "answers", "second", "blocks", "asked")}
            document = documents[int(part.document[place])].id if part.document[place] else ""
            found.append(WaitingRow(
                card.id, part.name, KIND_WORD[card.kind], card.scope, title, value, times.get(card.created_seq, 0), card.high_impact, **flags,
                before=decided_against(part.snapshot, record), document=document, record=record,
                flags=tuple(dict.fromkeys(flag.kind for flag in flagged.get(record, ()))), veiled=record in hidden,
            ))  # fmt: skip
        return found


def _words(content: Any) -> tuple[str, Any]:
    """Return what a line of the list says: which question, and the value."""
    if isinstance(content, Claim):
        return question_title(content.subject, content.predicate)[:200], content.value
    assert isinstance(content, Artifact)
    return (content.title or content.id)[:200], content.artifact_type
