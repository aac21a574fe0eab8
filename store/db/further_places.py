"""Where else the words of what is to be forgotten stand: suggestions for whoever asks, before anything is asked (R26)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.bulk import chunks
from store.db.engine import is_sqlite
from store.db.records import load_cards, load_contents
from store.db.redactions import load_values, telling_words
from store.db.renditions import load_captured
from store.db.search_index import find_words
from store.domain.forgetting import Redaction
from store.domain.records import Artifact, Card, Claim
from store.domain.redacting import Span, is_telling, meets, merge_spans, places_of_words
from store.domain.status import FORGOTTEN, Kind
from store.domain.words import flatten

#: Words that are looked for, the longest first; hits of the index looked at per word; places listed.
MOST_WORDS, MOST_HITS, MOST_PLACES = 20, 200, 50


@dataclass(frozen=True, slots=True)
class FurtherPlace:
    """A place where the words stand too.

    Attributes:
        record: the number of the record it belongs to; `id`, `kind` and `scope`: its own.
        where: `text` (of evidence), `value`, `statement`, `conditions`, `title`, `body`, `question` or `reason`.
        times: how often; of evidence that of the version's text.
    """

    record: int
    id: str
    kind: Kind
    scope: str
    where: str
    times: int


@dataclass(frozen=True, slots=True)
class FurtherPlaces:
    """What was found: `cut` says that there may be more, `short` how many words were too short or common to be looked for."""

    places: tuple[FurtherPlace, ...]
    cut: bool
    short: int


def find_further_places(connection: Connection, tenant: int, records: Sequence[int], covered: Iterable[Redaction] = ()) -> FurtherPlaces:
    """Return where the values and quotes of some claims, and the titles of some artifacts, stand literally outside them.

    Only words that say much are looked for (`store.domain.redacting.is_telling`). Who shows this leaves out what the person may not see.

    Args:
        covered: passages that are blotted out anyway; other places of the same version count.
    """
    words, short = _words(*_said(connection, tenant, records))
    search = _Search(connection, tenant, set(records), words[:MOST_WORDS], covered)
    search.look_into_evidence()
    search.look_into_records()
    search.look_into_remarks()
    found = search.found()
    return FurtherPlaces(tuple(found[:MOST_PLACES]), search.cut or len(words) > MOST_WORDS or len(found) > MOST_PLACES, short)


def _said(connection: Connection, tenant: int, records: Sequence[int]) -> tuple[list[Any], list[str]]:
    """Return the values of claims, and the quotes of claims and titles of artifacts, as they are stored."""
    a, b = t.artifact, t.binding
    values = load_values(connection, tenant, sorted(records))
    quoted: list[str] = []
    for some in chunks(list(values)):
        quoted += connection.execute(sa.select(b.c.quote).where(b.c.tenant == tenant, b.c.record.in_(some), b.c.quote.is_not(None))).scalars()
    for some in chunks(sorted(records)):
        quoted += connection.execute(sa.select(a.c.title).where(a.c.tenant == tenant, a.c.record.in_(some), a.c.title.is_not(None))).scalars()
    return [json.loads(value) for value in values.values()], quoted


def _words(values: Iterable[Any], quoted: Iterable[str]) -> tuple[list[str], int]:
    telling: set[str] = set()
    others: set[str] = set()
    for value in values:
        found = telling_words(value)
        telling.update(found)
        if isinstance(value, str | int | float) and not isinstance(value, bool) and not found:
            others.add(str(value))
    for one in filter(None, map(str.strip, quoted)):
        (telling if is_telling(one) else others).add(one)
    # Words that hold others of them are found with those. No more are taken than are looked for, and one to say that there are more.
    holds, kept = _Within(telling), list[str]()
    for one in sorted(telling, key=lambda one: (-len(one), one)):
        if not holds.another(one):
            kept.append(one)
            if len(kept) > MOST_WORDS:
                break
    return kept, len(others)


class _Within:
    """Tells which of many words hold others of them; by how words begin, because each against each takes seconds for thousands."""

    def __init__(self, words: set[str]) -> None:
        self._words = words
        self._head = min(map(len, words), default=1)
        self._lengths: dict[str, set[int]] = {}
        for word in words:
            self._lengths.setdefault(word[: self._head], set()).add(len(word))

    def another(self, word: str) -> bool:
        """Return whether another word stands in a word."""
        for at in range(len(word) - self._head + 1):
            for length in self._lengths.get(word[at : at + self._head], ()):
                if length < len(word) and at + length <= len(word) and word[at : at + length] in self._words:
                    return True
        return False


class _Search:
    def __init__(self, connection: Connection, tenant: int, but: set[int], words: list[str], covered: Iterable[Redaction]) -> None:
        self._connection, self._tenant, self._but, self._words = connection, tenant, but, words
        self._times: dict[tuple[int, str], int] = {}
        self._covered: dict[int, list[Span]] = {}
        for one in covered:
            self._covered.setdefault(one.record, []).append((one.start, one.end))
        self.cut = False

    def _has(self, column: Any, *, as_json: bool = False) -> Any:
        """Return the condition that a column holds one of the words, code point for code point."""
        find = sa.func.instr if is_sqlite(self._connection) else sa.func.strpos
        words = {json.dumps(word, ensure_ascii=False)[1:-1] for word in self._words} if as_json else self._words
        return sa.or_(*(find(column, word) > 0 for word in words))

    def _count(self, record: int, where: str, text: str | None) -> None:
        spans = merge_spans(self._covered.get(record, ()))
        times = sum(not meets(*place, spans) for word in self._words for place in places_of_words(word, text)) if text else 0
        if times and record not in self._but:
            self._times[record, where] = self._times.get((record, where), 0) + times

    def look_into_evidence(self) -> None:
        """Look into the texts of all versions; the database picks those that may hold a word."""
        if not self._words:
            return
        s = t.record_state
        picked: set[int] = set()
        for table, column in ((t.evidence_content, t.evidence_content.c.content), (t.rendition, t.rendition.c.text)):
            if is_sqlite(self._connection):
                holds: list[Any] = [sa.func.instr(column, word.encode("utf-8")) > 0 for word in self._words]
            else:
                holds = [sa.text(f"position(CAST(:w{n} AS bytea) IN {table.name}.{column.name}) > 0") for n, _ in enumerate(self._words)]
            query = (
                sa.select(table.c.record)
                .join(s, (s.c.tenant == table.c.tenant) & (s.c.record == table.c.record))
                .where(table.c.tenant == self._tenant, s.c.status.not_in([int(one) for one in FORGOTTEN]), sa.or_(*holds))
                .order_by(table.c.record.desc())
                .limit(MOST_HITS + len(self._but))
            )
            given = {} if is_sqlite(self._connection) else {f"w{n}": word.encode("utf-8") for n, word in enumerate(self._words)}
            hits = list(self._connection.execute(query, given).scalars())
            self.cut |= len(hits) > MOST_HITS
            picked.update(hits)
        for record in sorted(picked - self._but, reverse=True)[:MOST_PLACES]:
            self._count(record, "text", load_captured(self._connection, self._tenant, record).text)
        self.cut |= len(picked - self._but) > MOST_PLACES

    def look_into_records(self) -> None:
        """Look into claims and artifacts by the index, then exactly; what the index does not hold is looked for in its rows."""
        hits: set[int] = set()
        for word in self._words:
            found = find_words(self._connection, self._tenant, word, MOST_HITS)
            self.cut |= len(found) == MOST_HITS
            hits.update(found)
        c = t.claim
        if self._words:
            query = sa.select(c.c.record).where(c.c.tenant == self._tenant, c.c.conditions.is_not(None), self._has(c.c.conditions))
            hits.update(self._connection.execute(query.limit(MOST_HITS)).scalars())
        cards = [card for card in load_cards(self._connection, self._tenant, sorted(hits - self._but)).values() if card.status not in FORGOTTEN]
        for number, content in load_contents(self._connection, self._tenant, cards, with_bytes=False).items():
            if isinstance(content, Claim):
                self._count(number, "value", flatten(content.value))
                self._count(number, "statement", content.statement)
                self._count(number, "conditions", content.conditions)
            elif isinstance(content, Artifact):
                self._count(number, "title", content.title)
                self._count(number, "body", content.body)

    def look_into_remarks(self) -> None:
        """Look into questions about records and reasons of decisions."""
        if not self._words:
            return
        q, r, d = t.question, t.record, t.decision
        asked = (
            sa.select(r.c.record, q.c.text, q.c.answer)
            .join(r, (r.c.tenant == q.c.tenant) & (r.c.id == q.c.about))
            .where(q.c.tenant == self._tenant, q.c.kind == "record", sa.or_(self._has(q.c.text), self._has(q.c.answer)))
        )
        for record, text, answer in self._connection.execute(asked.limit(MOST_HITS)):
            self._count(record, "question", f"{text}\n{answer or ''}")
        reasons = sa.select(d.c.record, d.c.reason).where(d.c.tenant == self._tenant, d.c.reason.is_not(None), self._has(d.c.reason))
        for record, reason in self._connection.execute(reasons.limit(MOST_HITS)):
            self._count(record, "reason", reason)

    def found(self) -> list[FurtherPlace]:
        """Return the places, evidence first, then by record."""
        cards: dict[int, Card] = {}
        for some in chunks(sorted({record for record, _ in self._times})):
            cards.update(load_cards(self._connection, self._tenant, some))
        places = [
            FurtherPlace(record, cards[record].id, cards[record].kind, cards[record].scope, where, times)
            for (record, where), times in self._times.items()
            if record in cards and cards[record].status not in FORGOTTEN
        ]
        return sorted(places, key=lambda one: (one.kind, one.record, one.where))
