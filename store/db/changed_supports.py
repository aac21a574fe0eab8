"""What records rest on, at any depth, that has another value than when they were last accepted (R23).

What rests directly on a record that says something else now is not restored. Where the record itself says what it said,
and somebody let it stand on another value further up, what is below comes back with it; people are told of that value,
because a text may name it without resting on it. A support may have changed in two ways: it says something else itself, or
something above rests on another record in its place. What was only dropped, or only added, changes no value.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.bulk import chunks
from store.db.candidate_facts import load_evidence
from store.db.keys import load_predicates, nearest_predicate
from store.db.records import find_numbers, load_cards, load_contents
from store.db.renditions import hide_lines
from store.domain.passages import PassageSorter
from store.domain.plans import Cause
from store.domain.reach import Ints, Mask
from store.domain.recapture import CARRIED
from store.domain.records import Card
from store.domain.revalidation import same_figure, same_statement, what_is_said
from store.domain.snapshot import Snapshot
from store.domain.status import Kind, Status

Line = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Changes:
    """What has another value than when a stale record was last accepted.

    Attributes:
        holding: record -> what it rests on directly that says something else now; it is not restored.
        further: record -> the nearest such thing at any depth, of those that nothing directly above holds.
    """

    holding: dict[int, Cause] = field(default_factory=dict)
    further: dict[int, Cause] = field(default_factory=dict)


def changed_supports(connection: Connection, tenant: int, snapshot: Snapshot, stale: Ints) -> Changes:
    """Return what of that which stale records rest on has another value than when they were last accepted."""
    suspects, last = _replaced(connection, tenant, snapshot, stale)
    found = Changes()
    if not len(suspects):
        return found
    touched = np.intersect1d(snapshot.graph.walk(suspects).records, stale)
    since = accepted_until(connection, tenant, touched.tolist())
    if not since:
        return found
    past = _Past(connection, tenant, suspects[last >= min(since.values())].tolist())
    walks: dict[Any, tuple[dict[int, Cause], dict[int, Cause]]] = {}
    for event in sorted(set(since.values())):
        differences = past.since(event)
        if differences.causes and differences.key not in walks:
            walks[differences.key] = differences.beside(snapshot), differences.below(snapshot)
        beside, below = walks.get(differences.key, ({}, {}))
        for record in (record for record in sorted(since) if since[record] == event):
            if record in beside:
                found.holding[record] = beside[record]
            elif record in below:
                found.further[record] = below[record]
    return found


def changes_of(connection: Connection, tenant: int, snapshot: Snapshot, record: int) -> list[Cause]:
    """Return everything one record rests on that has another value than when it was last accepted, the nearest first."""
    suspects, _ = _replaced(connection, tenant, snapshot, np.array([record], dtype=np.int64))
    since = accepted_until(connection, tenant, [record])
    if not len(suspects) or record not in since:
        return []
    return _Past(connection, tenant, suspects.tolist()).since(since[record]).above(snapshot, record)


def accepted_until(connection: Connection, tenant: int, records: Iterable[int]) -> dict[int, int]:
    """Return record -> the event that last took it out of ACCEPTED; the one that brought it in where it never was accepted."""
    h = t.history
    found: dict[int, int] = {}
    left = sa.case((sa.and_(h.c.old == int(Status.ACCEPTED), h.c.new != int(Status.ACCEPTED)), h.c.seq))
    for some in chunks(sorted(set(records))):
        query = sa.select(h.c.record, sa.func.max(left), sa.func.min(h.c.seq)).where(h.c.tenant == tenant, h.c.record.in_(some)).group_by(h.c.record)
        found.update((record, first if last is None else last) for record, last, first in connection.execute(query))
    return found


def _replaced(connection: Connection, tenant: int, snapshot: Snapshot, stale: Ints) -> tuple[Ints, Ints]:
    """Return which of `stale` and what they rest on had other content once, and the last event that replaced it."""
    c = t.replaced_content
    above = _ancestors(snapshot, stale)
    rows = connection.execute(sa.select(c.c.record, sa.func.max(c.c.seq)).where(c.c.tenant == tenant).group_by(c.c.record)).all()
    records, last = np.array([row[0] for row in rows], dtype=np.int64), np.array([row[1] for row in rows], dtype=np.int64)
    inside = above[records]
    return records[inside], last[inside]


def _ancestors(snapshot: Snapshot, records: Ints) -> Mask:
    """Return which records are `records` or what they rest on."""
    seen = np.zeros(len(snapshot.columns), dtype=bool)
    level = records
    while len(level):
        seen[level] = True
        above = np.unique(snapshot.graph.parents.neighbours(level))
        level = above[~seen[above]]
    return seen


@dataclass(slots=True)
class _Differences:
    """What changed since one event.

    Attributes:
        causes: record -> what of it, or of what it rests on directly, has another value. said: those that say something else themselves.
        came: (parent, child) of what a record rests on only since then: what changed about that before is nothing to it.
        kept: (ancestor, child) of what a record rested on already, though through another one of the same value.
    """

    causes: dict[int, Cause] = field(default_factory=dict)
    said: set[int] = field(default_factory=set)
    came: set[tuple[int, int]] = field(default_factory=set)
    kept: set[tuple[int, int]] = field(default_factory=set)

    @property
    def key(self) -> tuple[Any, ...]:
        """Return what tells these from those since another event."""
        return tuple(sorted((record, cause.record, cause.was, cause.text) for record, cause in self.causes.items())), frozenset(self.said), frozenset(self.came), frozenset(self.kept)

    def beside(self, snapshot: Snapshot) -> dict[int, Cause]:
        """Return what says something else itself, and what rests on that directly."""
        found = {record: self.causes[record] for record in sorted(self.said)}
        for record in sorted(self.said):
            for child in snapshot.graph.children.of(record).tolist():
                if (record, child) not in self.came:
                    found.setdefault(child, self.causes[record])
        return found

    def below(self, snapshot: Snapshot) -> dict[int, Cause]:
        """Return everything at or below what changed, with the cause nearest to it."""
        found = {record: self.causes[record] for record in sorted(self.causes)}
        more: dict[int, list[int]] = {}
        for parent, child in sorted(self.kept):
            more.setdefault(parent, []).append(child)
        waiting = list(found)
        for record in waiting:
            for child in (*snapshot.graph.children.of(record).tolist(), *more.get(record, ())):
                if child not in found and ((record, child) not in self.came or child in more.get(record, ())):
                    found[child] = found[record]
                    waiting.append(child)
        return found

    def above(self, snapshot: Snapshot, record: int) -> list[Cause]:
        """Return the causes of a record, the nearest first."""
        more: dict[int, list[int]] = {}
        for parent, child in sorted(self.kept):
            more.setdefault(child, []).append(parent)
        waiting, seen, found = [record], {record}, []
        for one in waiting:
            if one in self.causes:
                found.append(self.causes[one])
            before = [parent for parent in snapshot.graph.parents.of(one).tolist() if (parent, one) not in self.came]
            for parent in (*before, *more.get(one, ())):
                if parent not in seen:
                    seen.add(parent)
                    waiting.append(parent)
        return list(dict.fromkeys(found))


class _Past:
    """What records said and rested on at an event, against now."""

    def __init__(self, connection: Connection, tenant: int, suspects: Sequence[int]) -> None:
        self.connection, self.tenant, self.suspects = connection, tenant, suspects
        self._now: dict[int, Line] = {}
        self._old: dict[int, list[tuple[int, Line]]] = {}
        self._cards: dict[int, Card] = {}
        self._numbers: dict[str, int] = {}
        self._same_texts: dict[tuple[str, str], bool] = {}
        self._load(suspects)
        lines = [*self._now.values(), *(line for old in self._old.values() for _, line in old)]
        self._name({name for line in lines for name in _names(line)})

    def _name(self, names: Iterable[str]) -> None:
        """Learn the numbers of records by their ids."""
        unknown = [name for name in names if name not in self._numbers]
        if unknown:
            found = find_numbers(self.connection, self.tenant, sorted(unknown))
            self._numbers.update(found)
            self._cards.update(load_cards(self.connection, self.tenant, found.values()))

    def _load(self, records: Iterable[int]) -> None:
        wanted = [record for record in records if record not in self._now]
        if not wanted:
            return
        cards = load_cards(self.connection, self.tenant, wanted)
        self._cards.update(cards)
        self._numbers.update((card.id, number) for number, card in cards.items())
        contents = load_contents(self.connection, self.tenant, list(cards.values()), with_bytes=False)
        for record in wanted:
            content = contents.get(record)
            self._now[record] = {} if content is None or cards[record].kind is Kind.EVIDENCE else content.to_line()
        c = t.replaced_content
        for some in chunks(wanted):
            query = sa.select(c.c.record, c.c.seq, c.c.line).where(c.c.tenant == self.tenant, c.c.record.in_(some)).order_by(c.c.record, c.c.version, c.c.seq)
            before = [(record, seq, json.loads(line)) for record, seq, line in self.connection.execute(query)]
            hide_lines(self.connection, self.tenant, [line for _, _, line in before])
            for record, seq, was in before:
                self._old.setdefault(record, []).append((seq, was))

    def _at(self, record: int, event: int) -> Line:
        """Return what a record was until an event: what was replaced then or later first is what it was."""
        return next((line for seq, line in self._old.get(record, ()) if seq >= event), self._now[record])

    def since(self, event: int) -> _Differences:
        """Return what differs between an event and now."""
        found = _Differences()
        for record in self.suspects:
            then = self._at(record, event)
            if then is self._now[record]:
                continue
            cause, came, kept = self._compare(record, then, event)
            found.came |= came
            found.kept |= kept
            if cause is not None:
                found.causes[record] = cause
                if cause.record == record:
                    found.said.add(record)
        return found

    def _compare(self, record: int, then: Line, event: int) -> tuple[Cause | None, set[tuple[int, int]], set[tuple[int, int]]]:
        now = self._now[record]
        came: set[tuple[int, int]] = set()
        kept: set[tuple[int, int]] = set()
        if not same_statement(then, now, self._predicates_near(now)):
            return Cause("value", record, self._said(record, then), record), came, kept
        pairs, seen, cause = [(then, now)], set(), None
        for before, after in pairs:
            exchange = self._exchange(before, after, event)
            if before is then:
                came |= {(one, record) for one in exchange.came}
            else:
                # What both rest on is what the record rested on and rests on still, through another one.
                kept |= {(one, record) for one in exchange.common}
            if cause is None and exchange.changed is not None:
                was, one = exchange.changed
                cause = Cause("value", one, self._said(was, self._at(was, event)), was)
            for was, one in exchange.alike:
                if (was, one) not in seen:
                    seen.add((was, one))
                    pairs.append((self._at(was, event), self._now[one]))
        return cause, came, kept

    def _exchange(self, then: Line, now: Line, event: int) -> _Exchange:
        before, after = self._supports(then), self._supports(now)
        gone, came = sorted(before - after), sorted(after - before)
        if gone and came:
            self._load([*gone, *came])
        found = _Exchange(came=came, common=before & after)
        left = []
        for one in came:
            match = next((was for was in gone if self._alike(was, one, event)), None)
            if match is None:
                left.append(one)
            else:
                gone.remove(match)
                found.alike.append((match, one))
        if left and gone:
            about = ((was, one) for one in left for was in gone if same_figure(self._at(was, event), self._now[one]))
            found.changed = next(about, (gone[0], left[0]))
        return found

    def _supports(self, line: Line) -> set[int]:
        """Return the numbers of what a line rests on; a claim answers for its own passages with its value."""
        names = _names(line)
        self._name(names)
        numbers = {self._numbers[name] for name in names if name in self._numbers}
        return {one for one in numbers if line.get("type") == "artifact" or self._cards[one].kind is not Kind.EVIDENCE}

    def _said(self, record: int, line: Line) -> str:
        """Return what a line says; not of what was rejected, which may have been because nobody should read it (R5)."""
        return "" if self._cards[record].status is Status.REJECTED else what_is_said(line)

    def _alike(self, was: int, one: int, event: int) -> bool:
        """Return whether what came says what the one that left said then."""
        if Kind.EVIDENCE in (self._cards[was].kind, self._cards[one].kind):
            return self._cards[was].kind is self._cards[one].kind and self._same_text(self._cards[was].id, self._cards[one].id)
        then, now = self._at(was, event), self._now[one]
        return same_figure(then, now) and same_statement(then, now, self._predicates_near(now))

    def _same_text(self, was: str, one: str) -> bool:
        if (was, one) not in self._same_texts:
            texts = load_evidence(self.connection, self.tenant, [was, one])
            self._same_texts[was, one] = len(texts) == 2 and PassageSorter(texts[was], texts[one], one).whole in CARRIED
        return self._same_texts[was, one]

    @cached_property
    def _predicates(self) -> dict[tuple[str, str], Any]:
        return load_predicates(self.connection, self.tenant)

    def _predicates_near(self, line: Line) -> Any:
        return nearest_predicate(self._predicates, str(line.get("scope", "")), str(line.get("predicate", "")))


def _names(line: Line) -> set[str]:
    """Return the ids of what a line says it rests on."""
    return {*line.get("derived_from", ()), *(one["evidence"] for one in line.get("evidence", ()))}


@dataclass(slots=True)
class _Exchange:
    """How what one line rests on differs from what another does.

    Attributes:
        came: what only the later one rests on; `common`: what both do.
        alike: (left, came) where the one that came says what the one that left said; `changed`: the first pair that does not.
    """

    came: list[int]
    common: set[int]
    alike: list[tuple[int, int]] = field(default_factory=list)
    changed: tuple[int, int] | None = None
