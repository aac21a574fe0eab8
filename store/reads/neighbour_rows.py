"""The same neighbourhood as a table, a page at a time, and all of it as a file; and one of its records in detail."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from store.db.claim_store import ClaimStore
from store.db.export_copies import carry
from store.db.impacts import hidden_scopes, hide
from store.db.neighbours import load_changed_last
from store.db.plan_lists import Named, load_named, search_numbers, search_sources, versions_of
from store.db.records import find_card, load_ids
from store.db.transaction import Reading, read
from store.db.veils import load_shown, load_text_around
from store.db.waiting import name_sources
from store.domain.errors import not_found
from store.domain.excerpt import Look, look_at, unseen_passage
from store.domain.handing_out import Handout
from store.domain.people import Right
from store.domain.reach import UNREACHED, Ints
from store.domain.records import Claim
from store.domain.snapshot import Snapshot
from store.domain.status import KIND_WORD, Kind, Status
from store.domain.text import guard_cell
from store.domain.veiling import VEIL
from store.reads.neighbourhood import Surroundings

_BATCH = 5000
DELIVERED, LOST = "delivered", "lost"


@dataclass(frozen=True, slots=True)
class NeighbourSift:
    """Which rows are wanted; None means all.

    Attributes:
        step: only what stands at this step.
        bundle: only what belongs to the bundle of this key.
        only: DELIVERED: what rests on the focus and was delivered; LOST: what the focus rests on and is out of use.
    """

    kind: str | None = None
    status: str | None = None
    step: int | None = None
    bundle: str | None = None
    only: str | None = None


@dataclass(frozen=True, slots=True)
class NeighbourRow:
    """One record of a neighbourhood. Texts come from outside.

    Attributes:
        via: id of the next record on a shortest way to the focus; None for the focus, and where it may not be seen.
    """

    named: Named
    step: int
    via: str | None
    delivered: bool
    expired: bool
    contested: bool


@dataclass(frozen=True, slots=True)
class NeighbourPage:
    """One page of the table; `total` is how many rows the sift leaves."""

    total: int
    rows: tuple[NeighbourRow, ...]


def list_neighbours(
    store: ClaimStore, person: str, around: Surroundings, sift: NeighbourSift, *, start: int = 0, limit: int = 50, authenticated: bool = False
) -> NeighbourPage:
    """Return one page of a neighbourhood's records, the focus first, nearest next, then what to look at first."""
    places = _sift(around, sift)
    with read(store, person, authenticated=authenticated) as reading:
        return NeighbourPage(len(places), tuple(_rows(reading, around, places[start : start + limit])))


def _sift(around: Surroundings, sift: NeighbourSift) -> Ints:
    places, facts = around.order, around.facts
    if sift.kind is not None:
        wanted = next((int(kind) for kind, word in KIND_WORD.items() if word == sift.kind), -1)
        places = places[facts.kind[places] == wanted]
    if sift.status is not None:
        places = places[facts.status[places] == Status.__members__.get(sift.status, -1)]
    if sift.step is not None:
        places = places[around.found.step[places] == sift.step]
    if sift.bundle is not None:
        members = next((one.members for one in around.bundles if one.key == sift.bundle), ())
        places = places[np.isin(places, np.array(members, dtype=np.int64))]
    if sift.only == DELIVERED:
        places = places[facts.delivered[places] & (around.found.step[places] > 0)]
    elif sift.only == LOST:
        places = places[(facts.status[places] != Status.ACCEPTED) & (around.found.step[places] < 0)]
    return places


def _rows(reading: Reading, around: Surroundings, places: Ints) -> Iterator[NeighbourRow]:
    records, via = around.found.records[places].tolist(), around.found.via[places].tolist()
    named = load_named(reading.connection, around.number, records)
    seen = set(around.found.records[around.facts.seen].tolist())
    ids = load_ids(reading.connection, around.number, sorted({one for one in via if one != UNREACHED and one in seen}))
    for place, record, through in zip(places.tolist(), records, via, strict=True):
        yield NeighbourRow(
            named[record], int(around.found.step[place]), ids.get(through), bool(around.facts.delivered[place]), bool(around.expired[place]),
            bool(around.contested[place]),
        )  # fmt: skip


_COLUMNS = ("focus", "id", "kind", "what", "title", "value", "scope", "status", "owner", "direction", "steps", "via", "delivered")
_DIRECTION = {-1: "the focus rests on it", 0: "the focus", 1: "rests on the focus"}


def export_neighbours_csv(store: ClaimStore, person: str, around: Surroundings, *, authenticated: bool = False) -> Handout:
    """Return the whole neighbourhood as CSV that a spreadsheet does not run; one line per record, and one that counts what is hidden."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(_COLUMNS)
    with read(store, person, authenticated=authenticated) as reading:
        for begin in range(0, len(around.order), _BATCH):
            for row in _rows(reading, around, around.order[begin : begin + _BATCH]):
                one, side = row.named, int(np.sign(row.step))
                cells = [
                    around.id, one.id, one.kind, one.label, one.title, one.text or "", one.scope, one.status, one.owner or "", _DIRECTION[side],
                    str(abs(row.step)), row.via or "", "yes" if row.delivered else "",
                ]  # fmt: skip
                writer.writerow([guard_cell(cell) for cell in cells])
        carried = carry(reading, around.number, around.tenant, around.found.records[around.order].tolist(), len(around.order))
    hidden = around.count(seen=False)
    if hidden:
        writer.writerow([guard_cell(around.id), f"{hidden} more in scopes you may not see", *[""] * (len(_COLUMNS) - 2)])
    return Handout(out.getvalue().encode("utf-8-sig"), (carried,))


# --- one of them --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class NeighbourDetail:
    """One record beside the picture. Texts come from outside.

    Attributes:
        value: what a claim holds.
        passage: the first passage of a claim, where it may be read; `source`: what the passage is from.
        parents, children: how many records it rests on and how many rest on it, directly; `hidden_children`: of those not to be seen.
    """

    named: Named
    value: Any
    passage: Look | None
    source: str | None
    parents: int
    children: int
    delivered: bool
    expired: bool
    contested: bool
    may_decide: bool


def describe_neighbour(store: ClaimStore, person: str, tenant: str, record_id: str, *, authenticated: bool = False) -> NeighbourDetail:
    """Return one record as it is told beside the picture.

    Raises:
        Refusal: `not_found`, also for what the person may not see.
    """
    with read(store, person, authenticated=authenticated) as reading:
        number = reading.tenant_number(tenant)
        card = find_card(reading.connection, number, record_id) if number is not None else None
        if card is None or number is None or not reading.actor.may(Right.INSPECT, card.scope):
            raise not_found(record_id)
        snapshot, content = reading.snapshot(number), None
        passage, source = None, None
        if card.kind is Kind.CLAIM:
            content = load_shown(reading.connection, number, [card], with_bytes=False)[card.number]
            passage, source = _passage(reading, number, content) if isinstance(content, Claim) else (None, None)
        graph, record = snapshot.graph, card.number
        return NeighbourDetail(
            load_named(reading.connection, number, [record])[record], content.value if isinstance(content, Claim) else None, passage, source,
            len(graph.parents.of(record)), len(graph.children.of(record)), bool(snapshot.delivered[record]),
            bool(snapshot.effective_expiry()[record] <= reading.at), bool(snapshot.contested()[record]), reading.actor.may(Right.DECIDE, card.scope),
        )  # fmt: skip


def _passage(reading: Reading, number: int, claim: Claim) -> tuple[Look | None, str | None]:
    for binding in claim.evidence[:1]:
        source = name_sources(reading.connection, number, [binding.evidence]).get(binding.evidence)
        card = find_card(reading.connection, number, binding.evidence)
        if source is not None and card is not None and reading.actor.may(Right.READ, card.scope):
            look = unseen_passage(binding) if binding.quote == VEIL else look_at(
                binding, load_text_around(reading.connection, number, card.number, binding.evidence, binding.span)
            )
            return look, f"{source['title'] or source['source'] or binding.evidence} v{source['version']}"
    return None, None


# --- where to begin -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Start:
    """A record to begin at: how many records it rests on and how many rest on it directly, and when it changed last."""

    named: Named
    parents: int
    children: int
    at: int | None = None


@dataclass(frozen=True, slots=True)
class Starts:
    """Where to begin: what most rests on, what changed last; and how much there is in all that the person may see."""

    records: int
    lines: int
    heavy: tuple[Start, ...]
    recent: tuple[Start, ...]


def find_starts(store: ClaimStore, person: str, tenant: str, text: str, *, limit: int = 12, authenticated: bool = False) -> list[Start]:
    """Return records found by id, by its beginning, by the title of their source or by their words, as far as the person may see them; the id first."""
    text = text.strip()[:200]
    if not text:
        return []
    with read(store, person, authenticated=authenticated) as reading:
        number, snapshot, hidden = _ground(reading, tenant)
        words = search_numbers(reading.connection, number, text, 200)
        exact = [record for record in words[:1] if load_ids(reading.connection, number, [record])[record] == text]
        sources = search_sources(reading.connection, number, text, 20)
        versions = versions_of(reading.connection, number, [row.number for row in sources])
        newest = [record for row in sources for record, _ in reversed(versions.get(row.number, []))]
        found = np.array(list(dict.fromkeys([*exact, *newest[: limit // 2], *words, *newest])), dtype=np.int64)
        found = found[hide(snapshot, found, hidden)][:limit] if len(found) else found
        return _starts(reading, number, snapshot, found)


def suggest_starts(store: ClaimStore, person: str, tenant: str, *, limit: int = 6, authenticated: bool = False) -> Starts:
    """Return where somebody who has no record in mind may begin."""
    with read(store, person, authenticated=authenticated) as reading:
        number, snapshot, hidden = _ground(reading, tenant)
        graph, columns = snapshot.graph, snapshot.columns
        seen = hide(snapshot, np.arange(len(columns)), hidden) & (columns.status >= 0)
        children = np.where(seen, np.diff(graph.children.start), 0)
        heavy = np.argsort(-children, kind="stable")[:limit]
        heavy = heavy[children[heavy] > 0]
        changed = [(record, at) for record, at in load_changed_last(reading.connection, number, 40, limit) if seen[record]][:limit]
        recent = _starts(reading, number, snapshot, np.array([record for record, _ in changed], dtype=np.int64), dict(changed))
        both = seen[graph.edges >> 32] & seen[graph.edges & 0xFFFFFFFF]
        return Starts(int(seen.sum()), int(both.sum()), tuple(_starts(reading, number, snapshot, heavy)), tuple(recent))


def _ground(reading: Reading, tenant: str) -> tuple[int, Snapshot, set[int]]:
    number = reading.tenant_number(tenant)
    if number is None:
        raise not_found(tenant)
    return number, reading.snapshot(number), hidden_scopes(reading.connection, number, reading.actor)


def _starts(reading: Reading, number: int, snapshot: Snapshot, records: Ints, at: dict[int, int] | None = None) -> list[Start]:
    named = load_named(reading.connection, number, records.tolist())
    graph = snapshot.graph
    return [
        Start(named[one], len(graph.parents.of(one)), len(graph.children.of(one)), (at or {}).get(one)) for one in records.tolist() if one in named
    ]


@dataclass(frozen=True, slots=True)
class WayStep:
    """One record of a way; None where the person may not see it."""

    named: Named | None


def explain_ways(store: ClaimStore, person: str, around: Surroundings, *, authenticated: bool = False) -> list[list[WayStep]]:
    """Return the listed ways between two records, each from what is rested on to what rests on it."""
    if around.ways is None:
        return []
    with read(store, person, authenticated=authenticated) as reading:
        hidden = hidden_scopes(reading.connection, around.number, reading.actor)
        records = np.array(sorted({one for way in around.ways.listed for one in way}), dtype=np.int64)
        named = load_named(reading.connection, around.number, records[hide(around.snapshot, records, hidden)].tolist())
        return [[WayStep(named.get(one)) for one in way] for way in around.ways.listed]
