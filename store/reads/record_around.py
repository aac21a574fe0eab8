"""What stands around one record: the chain from evidence to what was delivered, its neighbours, and who was told it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from store.db.answering import event_seq
from store.db.declarations import list_people_with_roles
from store.db.journal import statuses_after
from store.db.plan_lists import load_deliveries, load_named
from store.db.records import ancestors_of, load_cards
from store.db.subjects import count_claims, count_told, list_told
from store.db.surroundings import children_of_many, delivered_among, kinds_of, same_key, same_passage, same_question, subject_of
from store.db.tenants import visible_scopes
from store.db.transaction import Reading
from store.domain.detection import is_sensitive_name
from store.domain.people import Right
from store.domain.records import Card
from store.domain.snapshot import Snapshot
from store.domain.status import Kind, Status
from store.domain.times import format_optional
from store.domain.veiling import veil_now

#: Boxes of a chain, folds included.
BOXES = 7
_WALKED, _LEVELS = 3_000, 120
_NEIGHBOURS = 8
_ANSWERS = 20


@dataclass(frozen=True, slots=True)
class ChainBox:
    """One box of a chain: a record, or how many are folded there.

    Attributes:
        id: None for a fold, and for what the person may not see.
        sent: the latest delivery of an artifact, as (recipient, time).
    """

    id: str | None
    kind: str
    title: str
    status: str
    here: bool = False
    folded: int = 0
    sent: tuple[str, str | None] | None = None
    deliveries: int = 0


@dataclass(frozen=True, slots=True)
class Chain:
    """A way from evidence through the record to what was delivered, at most seven boxes; `cut` says that the way down was not looked at to its end."""

    boxes: tuple[ChainBox, ...]
    cut: bool


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Record numbers of claims near one; how many there are about its subject, of those the person may see."""

    subject: str | None
    of_subject: int
    same_key: tuple[int, ...]
    elsewhere: tuple[int, ...]
    same_passage: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ServedRow:
    """One answer that held the record."""

    at: str | None
    by: str | None
    task: str | None
    version: int | None


@dataclass(frozen=True, slots=True)
class ServedTo:
    """Who was told a record: the newest answers, and how many there are to how many."""

    rows: tuple[ServedRow, ...]
    answers: int
    readers: int
    since: str | None


def build_chain(reading: Reading, number: int, card: Card, last: int | None) -> Chain:
    """Return the most telling way through a record: up over what was lost if anything was, down to what was delivered.

    Args:
        last: the event after which the statuses are told; None for now.
    """
    up = _way_up(reading, number, card)
    down, cut = _way_down(reading, number, card)
    way = _fold([*reversed(up), card.number, *down], len(up))
    numbers = [one for one in way if one > 0]
    named = load_named(reading.connection, number, numbers)
    then = statuses_after(reading.connection, number, numbers, last) if last is not None else {}
    sent = load_deliveries(reading.connection, number, [one for one in numbers if named[one].kind == "artifact"])
    boxes = []
    for one in way:
        if one <= 0:
            boxes.append(ChainBox(None, "", "", "", folded=-one))
            continue
        its = named[one]
        if one != card.number and not reading.actor.may(Right.READ, its.scope):
            boxes.append(ChainBox(None, its.kind, "", then[one].name if one in then else its.status))
            continue
        went = sent.get(one, [])
        latest = (went[0][0], format_optional(went[0][2])) if went else None
        boxes.append(ChainBox(its.id, its.kind, its.title, then[one].name if one in then else its.status, one == card.number, 0, latest, len(went)))
    return Chain(tuple(boxes), cut)


def _way_up(reading: Reading, number: int, card: Card) -> list[int]:
    """Return the records from a parent up to evidence, nearest first: to a root that was lost before one that stands."""
    above = ancestors_of(reading.connection, number, [card.number])
    cards = load_cards(reading.connection, number, [one for one in above if one != card.number])
    before: dict[int, int] = {}
    order, level = [], [card.number]
    while level:
        following = []
        for one in level:
            # Lost parents first, so that of two ways of one length the one that explains is taken.
            for parent in sorted(above[one], key=lambda parent: (cards[parent].status is Status.ACCEPTED, parent)):
                if parent not in before:
                    before[parent] = one
                    order.append(parent)
                    following.append(parent)
        level = following
    roots = [one for one in order if cards[one].kind is Kind.EVIDENCE]
    lost = [one for one in roots if cards[one].status is not Status.ACCEPTED]
    top = next(iter(lost or roots or order[-1:]), None)
    way: list[int] = []
    while top is not None and top != card.number:
        way.append(top)
        top = before.get(top)
    return way[::-1]


def _way_down(reading: Reading, number: int, card: Card) -> tuple[list[int], bool]:
    """Return the records down to the nearest delivered artifact, else the nearest artifact, else the end of the first way; and whether it was cut."""
    warm = reading.store.snapshots.warm(number, event_seq(reading.connection, number))
    if warm is not None and card.number < len(warm.columns):
        return _way_down_in(warm, card.number), False
    before: dict[int, int] = {card.number: 0}
    level, farthest, artifact = [card.number], card.number, None
    for _ in range(_LEVELS):
        below = []
        for parent, child in children_of_many(reading.connection, number, level, _WALKED):
            if child not in before:
                before[child] = parent
                below.append(child)
        if not below:
            return _back(before, artifact or farthest, card.number), False
        kinds = kinds_of(reading.connection, number, below)
        artifacts = [one for one in below if kinds[one] is Kind.ARTIFACT]
        delivered = delivered_among(reading.connection, number, artifacts)
        if delivered:
            return _back(before, next(one for one in artifacts if one in delivered), card.number), False
        artifact = artifact or next(iter(artifacts), None)
        farthest, level = below[0], below
        if len(before) > _WALKED:
            break
    return _back(before, artifact or farthest, card.number), True


def _way_down_in(snapshot: Snapshot, start: int) -> list[int]:
    """Return the same from memory, where the records are there already; one record's page does not load them for it."""
    walk = snapshot.graph.walk(np.array([start], dtype=np.int64))
    if len(walk.records) < 2:
        return []
    artifacts = snapshot.columns.kind[walk.records] == Kind.ARTIFACT
    for wanted in (artifacts & snapshot.delivered[walk.records], artifacts, walk.distance == walk.distance.max()):
        places = np.flatnonzero(wanted & (walk.records != start))
        if len(places):
            place = places[np.lexsort((walk.records[places], walk.distance[places]))[0]]
            break
    before = dict(zip(walk.records.tolist(), walk.via.tolist(), strict=True))
    return _back(before, int(walk.records[place]), start)


def _back(before: dict[int, int], end: int, start: int) -> list[int]:
    way = []
    while end != start:
        way.append(end)
        end = before[end]
    return way[::-1]


def _fold(way: list[int], here: int) -> list[int]:
    """Return a way in at most seven boxes; a fold is minus the number of records in it."""
    if len(way) <= BOXES:
        return way
    up, down = way[:here], way[here + 1 :]
    # One side may use what the other does not need.
    room = BOXES - 1
    for_up = min(len(up), max(room // 2, room - len(down)))
    return [*_squeeze(up, for_up, nearest_last=True), way[here], *_squeeze(down, room - for_up, nearest_last=False)]


def _squeeze(side: list[int], room: int, *, nearest_last: bool) -> list[int]:
    if len(side) <= room:
        return side
    if room < 2:
        return [-len(side)] if room else []
    if nearest_last:
        return [side[0], -(len(side) - room + 1), *side[len(side) - room + 2 :]]
    return [*side[: room - 2], -(len(side) - room + 1), side[-1]]


def find_neighbours(reading: Reading, number: int, card: Card) -> Neighbours:
    """Return the claims near a claim; none for other kinds."""
    if card.key is None:
        return Neighbours(None, 0, (), (), ())
    connection = reading.connection
    subject = subject_of(connection, number, card.key)
    scopes, _ = visible_scopes(reading, number, None)
    counts = count_claims(connection, number, scopes, [subject]).get(subject, {})
    # The way to what else is held about it would name it.
    told = None if veil_now() is not None and is_sensitive_name(subject) else subject
    return Neighbours(
        told, sum(counts.values()), tuple(same_key(connection, number, card.key, card.number, _NEIGHBOURS)),
        tuple(same_question(connection, number, card.key, _NEIGHBOURS)), tuple(same_passage(connection, number, card.number, _NEIGHBOURS)),
    )  # fmt: skip


def find_served(reading: Reading, number: int, record: int, until: int | None) -> ServedTo:
    """Return who was told a record, up to a moment (microseconds UTC) if given."""
    told = count_told(reading.connection, number, [record], until)
    names = {one["id"]: one["name"] for one in list_people_with_roles(reading.connection)}
    rows = list_told(reading.connection, number, [record], _ANSWERS, until)
    shown = tuple(ServedRow(format_optional(row.at), names.get(row.by or "", row.by), row.task, row.version) for row in rows)
    return ServedTo(shown, told.answers, told.readers, format_optional(told.since))

