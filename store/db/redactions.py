"""Which passages a request to forget covers, and which claims fall because theirs is among them (R26)."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.bulk import chunks
from store.db.renditions import load_captured_many
from store.db.transaction import Writing
from store.db.triggers import add_fired
from store.domain.forgetting import BLOT, Redaction
from store.domain.plans import Fired
from store.domain.records import Binding
from store.domain.redacting import Span, fit_spans, is_met, is_telling, merge_spans, passage_span, places_of_words
from store.domain.renditions import split_type
from store.domain.snapshot import Snapshot
from store.domain.spans import CapturedText
from store.domain.status import Kind, Status
from store.domain.text import canonical_json

#: Claims that are used, decided on or confirmed, and so are told that their passage is gone.
_LIVING = (Status.CANDIDATE, Status.ACCEPTED, Status.DISPUTED, Status.STALE)
#: Those of them to whose causes of staleness a blotted passage is added.
_FALLING = (Status.ACCEPTED, Status.DISPUTED, Status.STALE)


class _Texts:
    """The stored texts of versions, each read once."""

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._connection, self._tenant = connection, tenant
        self._known: dict[int, CapturedText | None] = {}

    def read(self, records: Iterable[int]) -> None:
        """Read many versions at once."""
        wanted = sorted({*records} - self._known.keys())
        self._known.update(dict.fromkeys(wanted))
        self._known.update(load_captured_many(self._connection, self._tenant, wanted, as_kept=True))

    def of(self, record: int) -> CapturedText | None:
        """Return a version as it is stored; None where its bytes are gone."""
        if record not in self._known:
            self.read([record])
        return self._known[record]


@dataclass(frozen=True, slots=True)
class Foreseen:
    """What forgetting some records blots out, and the claims, by number, that fall because their passage is met."""

    redactions: tuple[Redaction, ...]
    falling: tuple[int, ...]


def foresee(connection: Connection, tenant: int, snapshot: Snapshot, records: Iterable[int], keep: Iterable[str] = ()) -> Foreseen:
    """Return what `plan_redactions` and `falling_claims` say of a request; it is kept with the snapshot, because a screen asks several times.

    Args:
        snapshot: the tenant as `connection` sees it.
        keep: ids of versions whose passages stay readable.
    """
    forgotten, kept = tuple(sorted(set(records))), tuple(sorted(set(keep)))

    def work_out() -> Foreseen:
        texts, leaving = _Texts(connection, tenant), set(forgotten)
        redactions = plan_redactions(connection, tenant, forgotten, kept, texts=texts)
        # What rests on a version that goes altogether is in its reach; only of shared evidence it depends on the passage.
        return Foreseen(tuple(redactions), tuple(falling_claims(connection, tenant, [one for one in redactions if one.record not in leaving], leaving, texts=texts)))

    return snapshot.once(("forgetting", forgotten, kept), work_out)


def plan_redactions(
    connection: Connection, tenant: int, records: Sequence[int], keep: Collection[int | str] = (), *, texts: _Texts | None = None
) -> list[Redaction]:
    """Return the passages that have to be blotted out so that some records are forgotten, by version and place, none overlapping.

    Of a claim they are the passages it is bound to, and the same words in every version of that source, earlier and later: where they
    say much, each place in it, and otherwise only the place in the same line. Where a claim names a version as a whole, it is the places
    where its value stands there, if that says much; a version of which nothing is covered is left as it is, and the caller says so.
    A version that is itself to be forgotten is covered as a whole.

    Args:
        records: numbers of claims, evidence and artifacts.
        keep: versions (numbers or ids) whose passages stay readable although a forgotten claim was taken from them.
        texts: those read already.
    """
    kinds = _kinds_of(connection, tenant, records)
    texts = texts or _Texts(connection, tenant)
    values = load_values(connection, tenant, [number for number, kind in kinds.items() if kind is Kind.CLAIM])
    bound = _bound_to(connection, tenant, list(values))
    planner = _Planner(connection, tenant, texts, {evidence for its in bound.values() for evidence in its})
    whole = [number for number, kind in kinds.items() if kind is Kind.EVIDENCE]
    texts.read(whole)
    for number in whole:
        captured = texts.of(number)
        if captured is not None:
            planner.spans.setdefault(number, []).append((0, len(captured.content if captured.text is None else captured.text)))
    for number, value in values.items():
        planner.add_claim(value, bound.get(number, {}))
    kept = {one for one in keep if isinstance(one, int)}
    names = [one for one in keep if isinstance(one, str)]
    if names:
        r = t.record
        kept.update(connection.execute(sa.select(r.c.record).where(r.c.tenant == tenant, r.c.id.in_(names))).scalars())
    found: list[Redaction] = []
    for record in sorted(planner.spans):
        captured = texts.of(record)
        if captured is None or (record in kept and record not in kinds):
            continue
        spans = planner.spans[record]
        fitted = merge_spans(spans) if captured.text is None else fit_spans(captured.text, spans, split_type(captured.media_type)[0])
        found.extend(Redaction(record, start, end) for start, end in fitted)
    return found


def _kinds_of(connection: Connection, tenant: int, records: Iterable[int]) -> dict[int, Kind]:
    """Return number -> kind of those that are there, by number."""
    r = t.record
    found: dict[int, Kind] = {}
    for some in chunks(sorted(set(records))):
        query = sa.select(r.c.record, r.c.kind).where(r.c.tenant == tenant, r.c.record.in_(some))
        found.update((number, Kind(kind)) for number, kind in connection.execute(query))
    return dict(sorted(found.items()))


def load_values(connection: Connection, tenant: int, claims: Sequence[int]) -> dict[int, str]:
    """Return claim -> its value as it is stored, JSON, by number; of what is erased there is none."""
    c, r = t.claim, t.record
    found: dict[int, str] = {}
    query = sa.select(c.c.record, c.c.value).join(r, (r.c.tenant == c.c.tenant) & (r.c.record == c.c.record)).where(r.c.key.is_not(None))
    for some in chunks(claims):
        found.update((number, value) for number, value in connection.execute(query.where(c.c.tenant == tenant, c.c.record.in_(some))))
    return dict(sorted(found.items()))


def _bound_to(connection: Connection, tenant: int, claims: Sequence[int]) -> dict[int, dict[int, list[Binding]]]:
    """Return claim -> version -> how it is bound to it; of a version it rests on without a passage, that it does."""
    b, d, r = t.binding, t.dependency, t.record
    found: dict[int, dict[int, list[Binding]]] = {}
    named = sa.select(d.c.child, d.c.parent).join(r, (r.c.tenant == d.c.tenant) & (r.c.record == d.c.parent)).where(d.c.tenant == tenant)
    for some in chunks(claims):
        query = sa.select(b.c.record, b.c.evidence, b.c.span, b.c.quote).where(b.c.tenant == tenant, b.c.record.in_(some)).order_by(b.c.record, b.c.n)
        for row in connection.execute(query):
            binding = Binding(str(row.evidence), None if row.span is None else json.loads(row.span), row.quote)
            found.setdefault(row.record, {}).setdefault(row.evidence, []).append(binding)
        for child, parent in connection.execute(named.where(d.c.child.in_(some), r.c.kind == int(Kind.EVIDENCE))):
            found.setdefault(child, {}).setdefault(parent, [Binding(str(parent))])
    return found


class _Planner:
    """Collects passages claim by claim."""

    def __init__(self, connection: Connection, tenant: int, texts: _Texts, versions: Collection[int]) -> None:
        """Prepare for claims bound to some versions."""
        self.spans: dict[int, list[Span]] = {}
        self._texts = texts
        self._beside = _versions_beside(connection, tenant, versions)
        texts.read({*versions, *(one for its in self._beside.values() for one in its)})

    def add_claim(self, value: str, bound: dict[int, list[Binding]]) -> None:
        """Cover what a claim of a value (JSON) was taken from: version -> its bindings to it."""
        for evidence, bindings in bound.items():
            captured = self._texts.of(evidence)
            if captured is None or captured.text is None:
                continue
            for binding in bindings:
                places = _places(binding, value, captured)
                self.spans.setdefault(evidence, []).extend(places)
                for place in places:
                    self._follow(evidence, captured.text, place)

    def _follow(self, evidence: int, text: str, place: Span) -> None:
        """Cover the same words in this version and in the others of its source."""
        words = text[slice(*place)]
        if not words.strip(BLOT + " \t\r\n"):
            return
        telling = is_telling(words.strip())
        first = text.rfind("\n", 0, place[0]) + 1
        last = text.find("\n", place[1])
        line = text[first : len(text) if last < 0 else last]
        for other in self._beside.get(evidence, [evidence]):
            captured = self._texts.of(other)
            if captured is None or captured.text is None:
                continue
            found: list[Span] = list(places_of_words(words.strip() if telling else "", captured.text))
            if other != evidence and line.strip() != words.strip():
                shift = place[0] - first
                found += [(at + shift, at + shift + len(words)) for at, end in _lines(line, captured.text) if end >= at]
            elif other != evidence:
                found += _lines(line, captured.text)
            self.spans.setdefault(other, []).extend(found)


def _versions_beside(connection: Connection, tenant: int, versions: Collection[int]) -> dict[int, list[int]]:
    """Return for each of some versions all versions of its source, itself among them, by number."""
    r = t.record
    sources: dict[int, int] = {}
    for some in chunks(sorted(versions)):
        rows = connection.execute(sa.select(r.c.record, r.c.source).where(r.c.tenant == tenant, r.c.record.in_(some), r.c.source.is_not(None)))
        sources.update((record, source) for record, source in rows)
    members: dict[int, list[int]] = {}
    query = sa.select(r.c.source, r.c.record).where(r.c.tenant == tenant, r.c.kind == int(Kind.EVIDENCE)).order_by(r.c.record)
    for some in chunks(sorted(set(sources.values()))):
        for source, record in connection.execute(query.where(r.c.source.in_(some))):
            members.setdefault(source, []).append(record)
    return {record: members.get(source, [record]) for record, source in sources.items()}


def _lines(line: str, text: str) -> list[Span]:
    """Return where a whole line stands in a text."""
    found: list[Span] = []
    at = text.find(line) if line.strip() else -1
    while at >= 0 and len(found) < 1000:
        end = at + len(line)
        if (at == 0 or text[at - 1] == "\n") and (end == len(text) or text[end] == "\n"):
            found.append((at, end))
        at = text.find(line, at + 1)
    return found


def _places(binding: Binding, value: str, captured: CapturedText) -> list[Span]:
    """Return where what a claim says it is bound to stands in a version."""
    text = captured.text or ""
    place = passage_span(binding, captured)
    if binding.span is not None and place is not None:
        return [place]
    if binding.quote:
        found = places_of_words(binding.quote, text)
        if found or place is not None:
            return found or [place]  # type: ignore[list-item]
    return [one for words in telling_words(json.loads(value)) for one in places_of_words(words, text)]


def telling_words(value: Any) -> list[str]:
    """Return the words of a claim's value that say so much that they are looked for wherever they may stand."""
    found: list[str] = []
    waiting: list[Any] = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            waiting.extend(one.values())
        elif isinstance(one, list | tuple):
            waiting.extend(one)
        elif isinstance(one, str):
            found.append(one.strip())
        elif isinstance(one, int | float) and not isinstance(one, bool):
            found += [canonical_json(one), f"{one:,}"]
    return [words for words in dict.fromkeys(found) if is_telling(words)]


def falling_claims(connection: Connection, tenant: int, redactions: Iterable[Redaction], leaving: Collection[int] = (), *, texts: _Texts | None = None) -> list[int]:
    """Return the claims, by number, that are used or waiting and of whose passages something is blotted out.

    What is accepted among them falls STALE, what is DISPUTED or STALE gets a cause more (`note_redacted`), and a candidate cannot be
    approved on it. Claims bound to other passages, or to a version as a whole, do not fall.

    Args:
        redactions: of one request.
        leaving: records that are themselves forgotten or fall for another reason.
        texts: those read already.
    """
    spans: dict[int, list[Span]] = {}
    for one in redactions:
        spans.setdefault(one.record, []).append((one.start, one.end))
    found: set[int] = set()
    b, s = t.binding, t.record_state
    texts = texts or _Texts(connection, tenant)
    texts.read(spans)
    for record in sorted(spans):
        captured = texts.of(record)
        if captured is None:
            continue
        query = (
            sa.select(b.c.record, b.c.span, b.c.quote)
            .join(s, (s.c.tenant == b.c.tenant) & (s.c.record == b.c.record))
            .where(b.c.tenant == tenant, b.c.evidence == record, s.c.status.in_([int(status) for status in _LIVING]))
        )
        merged = merge_spans(spans[record])
        for claim, span, quote in connection.execute(query):
            if claim in leaving or claim in found:
                continue
            if is_met(Binding(str(record), None if span is None else json.loads(span), quote), captured, merged):
                found.add(claim)
    return sorted(found)


def note_redacted(tx: Writing, request: str, records: Iterable[int]) -> None:
    """Note of claims that fall because of a request (its id) why they do; a candidate has no such cause."""
    s = t.record_state
    falling: list[int] = []
    for some in chunks(sorted(set(records))):
        query = sa.select(s.c.record).where(s.c.tenant == tx.tenant, s.c.record.in_(some), s.c.status.in_([int(one) for one in _FALLING]))
        falling.extend(tx.connection.execute(query).scalars())
    add_fired(tx, [Fired(record, "source_changed", f"its passage is blotted out for the deletion request {request}") for record in sorted(falling)])
