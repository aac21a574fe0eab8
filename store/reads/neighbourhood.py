"""A record's neighbourhood, worked out once and kept for a while, and the picture of it with the names of what is drawn."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Lock

import numpy as np

from store.db.claim_store import ClaimStore
from store.db.impacts import hidden_scopes, hide
from store.db.keys import load_parties
from store.db.neighbours import load_families
from store.db.plan_lists import Named, find_sources, load_labels, load_named, versions_of
from store.db.records import find_numbers, load_ids
from store.db.transaction import Reading, read
from store.domain.bundles import CHAIN, HIDDEN, SEVERITY, Box, Boxes, Bundle, Facts, bundle, compose, order_by_risk
from store.domain.errors import not_found
from store.domain.neighbourhood import Neighbourhood, Ways, find_ways, gather, gather_ways, reach_down, reach_up
from store.domain.reach import Ints, Mask
from store.domain.snapshot import HIGH_IMPACT, Snapshot
from store.domain.status import FORGOTTEN, KIND_WORD, Kind, Status

#: Above these a neighbourhood is a table only.
MOST_RECORDS, MOST_LINES = 20_000, 100_000
#: Ways listed in full between two records.
WAYS = 12
_KEPT = 24


@dataclass(frozen=True, slots=True)
class Surroundings:
    """A record's neighbourhood as one person may see it.

    Attributes:
        id: the focus; `to`: the other end of the ways, where ways between two records were asked for.
        other: the number of `to`.
        ways: the shortest ways between the two; None where there are none, or none were asked for.
        order: the places of what the person may see, nearest first, then what to look at first.
        expired, contested: for each place whether it is so at the time of reading, itself or by an ancestor.
        bundles: what the picture is made of; empty where there is too much for a picture.
        all_up, all_down: how many records there are however far away, of those the person may see.
        lost: how many of all it rests on are out of use; `sent`: how many of all that rest on it were delivered.
    """

    tenant: str
    number: int
    id: str
    to: str | None
    other: int | None
    snapshot: Snapshot
    found: Neighbourhood
    ways: Ways | None
    facts: Facts
    order: Ints
    expired: Mask
    contested: Mask
    bundles: tuple[Bundle, ...]
    all_up: int
    all_down: int
    lost: int
    sent: int

    @property
    def drawable(self) -> bool:
        """Return whether it is small enough for a picture."""
        return len(self.found) <= MOST_RECORDS and len(self.found.lines) <= MOST_LINES

    def count(self, side: int = 0, *, seen: bool = True) -> int:
        """Return how many records there are: on one side (-1 what it rests on, 1 what rests on it), or in all with the focus."""
        mask = self.facts.seen == seen
        return int((mask & (np.sign(self.found.step) == side)).sum()) if side else int(mask.sum())

    def count_lines(self) -> int:
        """Return how many dependencies there are between records the person may see."""
        if self.facts.seen.all():
            return len(self.found.lines)
        return int(np.isin(self.found.lines, self.found.records[self.facts.seen]).all(axis=1).sum())

    def count_statuses(self) -> dict[str, int]:
        """Return status -> how many of the records have it, worst first."""
        status = self.facts.status[self.facts.seen]
        found = {Status(int(one)): int(n) for one, n in zip(*np.unique(status, return_counts=True), strict=True)}
        return {one.name: found[one] for one in sorted(found, key=lambda one: -SEVERITY[one])}

    def count_kinds(self) -> dict[str, int]:
        """Return kind -> how many of the records are of it."""
        return {KIND_WORD[kind]: n for kind in Kind if (n := int((self.facts.kind[self.facts.seen] == kind).sum()))}

    def count_steps(self) -> dict[int, int]:
        """Return step -> how many of the records stand there."""
        step = self.found.step[self.facts.seen]
        return {int(one): int(n) for one, n in zip(*np.unique(step, return_counts=True), strict=True)}


_kept: OrderedDict[tuple[object, ...], Surroundings] = OrderedDict()
_lock = Lock()


def look_around(
    store: ClaimStore, person: str, tenant: str, record_id: str, *, up: int | None = 1, down: int | None = 1, to: str | None = None,
    authenticated: bool = False,
) -> Surroundings:  # fmt: skip
    """Return the neighbourhood of a record, or what lies on the shortest ways between it and another.

    Args:
        up: how many steps towards what it rests on; None for all.
        down: how many steps towards what rests on it; None for all.
        record_id: a record, or a source, of which the newest version is meant.
        to: the other record; where neither rests on the other, the neighbourhood is returned and `ways` is None.

    Raises:
        Refusal: `not_found`, also for what the person may not see.
    """
    with read(store, person, authenticated=authenticated) as reading:
        number = reading.tenant_number(tenant)
        if number is None:
            raise not_found(record_id)
        snapshot = reading.snapshot(number)
        hidden = hidden_scopes(reading.connection, number, reading.actor)
        focus = _find(reading, number, snapshot, hidden, record_id)
        other = _find(reading, number, snapshot, hidden, to) if to is not None else None
        other = None if other == focus else other
        key = (store.lineage, store.url, number, snapshot.seq, frozenset(hidden), focus, up, down, other, reading.at // 60_000_000)
        with _lock:
            if key in _kept:
                _kept.move_to_end(key)
                return _kept[key]
        ways = find_ways(snapshot.graph, focus, other, WAYS) if other is not None else None
        found = gather_ways(snapshot.graph, focus, ways) if ways is not None else gather(snapshot.graph, focus, up, down)
        ids = load_ids(reading.connection, number, [focus] if other is None else [focus, other])
        made = _describe(reading, tenant, number, snapshot, hidden, found, ids[focus], None if other is None else ids[other], other, ways)
        with _lock:
            for old in [one for one in _kept if one[:3] == key[:3] and one[3] != snapshot.seq]:
                del _kept[old]  # a tenant's past states would each keep a whole snapshot alive
            _kept[key] = made
            while len(_kept) > _KEPT:
                _kept.popitem(last=False)
        return made


def _find(reading: Reading, number: int, snapshot: Snapshot, hidden: set[int], record_id: str) -> int:
    record = find_numbers(reading.connection, number, [record_id]).get(record_id)
    if record is None:
        sources = find_sources(reading.connection, number, [record_id])
        versions = versions_of(reading.connection, number, [row.number for row in sources.values()])
        record = max((one for its in versions.values() for one, _ in its if int(snapshot.columns.scope[one]) not in hidden), default=None)
    if record is None or int(snapshot.columns.scope[record]) in hidden:
        raise not_found(record_id)
    return record


def _describe(
    reading: Reading, tenant: str, number: int, snapshot: Snapshot, hidden: set[int], found: Neighbourhood, record_id: str, to: str | None,
    other: int | None, ways: Ways | None,
) -> Surroundings:  # fmt: skip
    records, columns, graph = found.records, snapshot.columns, snapshot.graph
    small = len(found) <= MOST_RECORDS and len(found.lines) <= MOST_LINES
    label, labels = _labels(reading, number, snapshot, found) if small else (np.zeros(len(found), dtype=np.int64), {0: ""})
    facts = Facts(
        kind=columns.kind[records], status=columns.status[records], delivered=snapshot.delivered[records],
        high=(columns.flags[records] & HIGH_IMPACT) != 0, children=(graph.children.start[records + 1] - graph.children.start[records]).astype(np.int64),
        label=label, labels=labels, seen=hide(snapshot, records, hidden),
    )  # fmt: skip
    risk = np.empty(len(found), dtype=np.int64)
    risk[order_by_risk(facts)] = np.arange(len(found))
    order = np.lexsort((risk, found.step > 0, np.abs(found.step)))
    above, below = (some[hide(snapshot, some, hidden)] for some in (reach_up(graph, found.focus), reach_down(graph, found.focus)))
    return Surroundings(
        tenant, number, record_id, to, other, snapshot, found, ways, facts, order[facts.seen[order]],
        snapshot.effective_expiry()[records] <= reading.at, snapshot.contested()[records], tuple(bundle(found, facts)) if small else (),
        len(above), len(below), int((columns.status[above] != Status.ACCEPTED).sum()), int(snapshot.delivered[below].sum()),
    )  # fmt: skip


def _labels(reading: Reading, number: int, snapshot: Snapshot, found: Neighbourhood) -> tuple[Ints, dict[int, str]]:
    """Return for each place the number of its label, and number -> label; only what is next to the focus is bundled by it."""
    near = np.abs(found.step) == 1
    kind, key = snapshot.columns.kind[found.records], snapshot.columns.key[found.records]
    near &= ~np.isin(snapshot.columns.status[found.records], FORGOTTEN)
    claims, artifacts = near & (kind == Kind.CLAIM), near & (kind == Kind.ARTIFACT)
    predicates, types = load_labels(reading.connection, number, np.unique(key[claims]).tolist(), found.records[artifacts].tolist())
    words = {word: n for n, word in enumerate(["", *sorted({*predicates.values(), *types.values()} - {""})])}
    label = np.zeros(len(found), dtype=np.int64)
    known, place = np.unique(key[claims], return_inverse=True)
    label[claims] = np.array([words[predicates.get(int(one), "")] for one in known], dtype=np.int64)[place] if len(known) else 0
    label[artifacts] = [words[types.get(int(one), "")] for one in found.records[artifacts]]
    return label, {n: word for word, n in words.items()}


# --- the picture --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class GraphNode:
    """A box of the picture with what is written on it. Texts come from outside.

    Attributes:
        key: names the box; a bundle's key opens it.
        form: kind of its records, or `chain`, or `hidden`.
        named: the record, where it is one.
        count, delivered, expired, contested: how many of its records are so.
        statuses: status -> how many have it, worst first.
        owner: who owns all of it, None for nobody; `owners`: how many owners it has.
        family: the family of the sources it goes back to; None for several, or where it was not asked for.
        parents, children: how many records it rests on and how many rest on it directly, where it is one record.
        on_way: whether it is on the way that was chosen.
    """

    key: str
    form: str
    named: Named | None
    label: str
    step: int
    further: bool
    count: int
    statuses: Mapping[str, int]
    delivered: int
    expired: int
    contested: int
    owner: str | None
    owners: int
    family: str | None
    parents: int
    children: int
    column: int
    row: float
    on_way: bool = False


@dataclass(frozen=True, slots=True)
class GraphPicture:
    """What is drawn: boxes, and (place of one, place of another) -> how many dependencies run there.

    Attributes:
        on_way: the lines of the chosen way.
        drawn: how many records have a box of their own; `folded`: how many share one; `hidden`: how many may not be seen.
        cut: more was asked for than a picture holds.
    """

    nodes: tuple[GraphNode, ...]
    links: Mapping[tuple[int, int], int]
    on_way: frozenset[tuple[int, int]]
    drawn: int
    folded: int
    hidden: int
    cut: bool


def picture_around(
    store: ClaimStore, person: str, around: Surroundings, *, opened: Mapping[str, int] | None = None, way: int = 0, families: bool = False,
    authenticated: bool = False,
) -> GraphPicture:  # fmt: skip
    """Return the picture of a neighbourhood.

    Args:
        opened: key of a bundle -> how many more of it are drawn, in the order asked for.
        way: which of the listed ways is chosen.
        families: whether to find the source families.
    """
    boxes = compose(around.found, around.bundles, opened or {})
    with read(store, person, authenticated=authenticated) as reading:
        singles = [int(around.found.records[box.members[0]]) for box in boxes.boxes if box.bundle is None]
        named = load_named(reading.connection, around.number, singles)
        owners = load_parties(reading.connection, around.number)
        family = _families(reading, around, singles) if families else {}
    chosen = around.ways.listed[min(way, len(around.ways.listed) - 1)] if around.ways and around.ways.listed else ()
    on_way = _on_way(around, boxes, chosen)
    nodes = tuple(_node(around, box, named, owners, family, n in on_way) for n, box in enumerate(boxes.boxes))
    lines = frozenset(pair for pair in boxes.links if pair[0] in on_way and pair[1] in on_way and abs(on_way[pair[0]] - on_way[pair[1]]) == 1)
    return GraphPicture(
        nodes, boxes.links, lines, len(singles), sum(node.count for node in nodes if node.named is None and node.form != HIDDEN),
        sum(node.count for node in nodes if node.form == HIDDEN), boxes.cut,
    )  # fmt: skip


def _on_way(around: Surroundings, boxes: Boxes, way: Sequence[int]) -> dict[int, int]:
    """Return box -> its place on the chosen way, counted in boxes."""
    box_of = {int(around.found.records[place]): n for n, box in enumerate(boxes.boxes) for place in box.members}
    found: dict[int, int] = {}
    for record in way:
        if record in box_of:
            found.setdefault(box_of[record], len(found))
    return found


def _families(reading: Reading, around: Surroundings, records: Sequence[int]) -> dict[int, str | None]:
    """Return record -> the one family of the captured versions it goes back to; None for several or none."""
    graph, kind = around.snapshot.graph, around.snapshot.columns.kind
    above = graph.ancestors(list(records))
    family = load_families(reading.connection, around.number, [record for record in above if kind[record] == Kind.EVIDENCE])
    found: dict[int, frozenset[str]] = {}
    for record in records:
        waiting, seen = [record], set()
        mine: set[str] = set()
        while waiting and len(mine) < 2:  # two are as good as many
            one = waiting.pop()
            if one not in seen:
                seen.add(one)
                if one in family:
                    mine.add(family[one])
                waiting.extend(above[one])
        found[record] = frozenset(mine)
    return {record: next(iter(its)) if len(its) == 1 else None for record, its in found.items()}


def _node(
    around: Surroundings, box: Box, named: Mapping[int, Named], owners: Mapping[int, str], family: Mapping[int, str | None], on_way: bool
) -> GraphNode:
    places = np.array(box.members, dtype=np.int64)
    record = int(around.found.records[places[0]])
    one = named.get(record) if box.bundle is None else None
    hidden = box.bundle is not None and box.bundle.form == HIDDEN
    owning = np.unique(around.snapshot.columns.owner[around.found.records[places]]) if not hidden else np.empty(0, dtype=np.int32)
    owner = one.owner if one is not None else owners.get(int(owning[0])) if len(owning) == 1 else None
    graph = around.snapshot.graph
    return GraphNode(
        box.key, box.bundle.form if box.bundle else one.kind if one else KIND_WORD[Kind(int(around.facts.kind[places[0]]))], one,
        one.label if one else box.bundle.label if box.bundle else "", int(around.found.step[places[0]]) if box.bundle is None or box.bundle.form == CHAIN else box.bundle.step,
        bool(box.bundle and box.bundle.further), len(places), {} if hidden else _statuses(around, places),
        0 if hidden else int(around.facts.delivered[places].sum()), 0 if hidden else int(around.expired[places].sum()), 0 if hidden else int(around.contested[places].sum()),
        owner, len(owning), family.get(record) if one else None,
        len(graph.parents.of(record)) if one else 0, len(graph.children.of(record)) if one else 0, box.column, box.row, on_way,
    )  # fmt: skip


def _statuses(around: Surroundings, places: Ints) -> dict[str, int]:
    found = {Status(int(one)): int(n) for one, n in zip(*np.unique(around.facts.status[places], return_counts=True), strict=True)}
    return {one.name: found[one] for one in sorted(found, key=lambda one: -SEVERITY[one])}
