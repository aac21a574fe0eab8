"""SQL behind "what do we hold about X?": the claims of a subject, who spoke of it, how its name was decided, who was told."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.bulk import chunks
from store.db.engine import is_sqlite
from store.db.search_index import find_words
from store.db.withheld import is_shown, readable
from store.domain.status import Status

#: Characters of a value that lists carry; the record's own page has all of it.
VALUE_SHOWN = 2_000
_MATCHES = 2_000


@dataclass(frozen=True, slots=True)
class Held:
    """One claim about a subject, as lists, counts and lines need it. Times in microseconds UTC.

    Attributes:
        value_text, extraction_text: as JSON; the value cut at `VALUE_SHOWN` characters.
        value_code: equal for values that count as the same; None for null.
    """

    number: int
    id: str
    key: int
    scope: str
    predicate: str
    qualifiers: dict[str, Any]
    status: Status
    version: int
    value_text: str
    value_code: int | None
    valid_from: int | None
    valid_to: int | None
    expires_at: int | None
    review_at: int | None
    observed_at: int | None
    created_seq: int
    claim_type: str
    authority: str | None
    speaker: str | None
    confirmed_by: str | None
    entity_confidence: float | None
    extraction_text: str | None
    flags: int

    @property
    def value(self) -> Any:
        """Return the value; a text that ends in an ellipsis where it is too long for a list."""
        return json.loads(self.value_text) if len(self.value_text) < VALUE_SHOWN else f"{self.value_text[: VALUE_SHOWN - 1]}…"

    @property
    def method(self) -> str:
        """Return by what it was taken out; empty where that was not recorded."""
        return _method(self.extraction_text) if self.extraction_text else ""


@lru_cache(maxsize=4096)
def _method(extraction: str) -> str:
    """Return the method an extraction names; a subject's thousand claims have it from a handful."""
    return str(json.loads(extraction).get("method") or "")[:200]


def keys_about(connection: Connection, tenant: int, subjects: Sequence[str], scopes: Collection[int]) -> list[Any]:
    """Return the claim keys about subjects in the given scopes: key, scope's path, subject, predicate, qualifiers.

    Keys first and their claims by key after that: a planner without figures would walk all records instead.
    """
    k, p = t.claim_key, t.scope
    paths = {row.scope: row.path for row in connection.execute(sa.select(p.c.scope, p.c.path).where(p.c.tenant == tenant))}
    query = sa.select(k.c.key, k.c.scope, k.c.subject, k.c.predicate, k.c.qualifiers).where(k.c.tenant == tenant, k.c.subject.in_(subjects))
    return [(row.key, paths[row.scope], row.subject, row.predicate, row.qualifiers) for row in connection.execute(query) if row.scope in scopes]


def load_held(connection: Connection, tenant: int, subject: str, scopes: Collection[int]) -> list[Held]:
    """Return every claim about a subject in the given scopes, by scope, predicate, qualifiers and number."""
    r, s, c = t.record, t.record_state, t.claim
    keys = {
        key: (path, predicate, json.loads(qualifiers))
        for key, path, _, predicate, qualifiers in keys_about(connection, tenant, [subject], set(scopes))
    }
    query = (
        sa.select(
            r.c.record, r.c.id, r.c.key, s.c.status, s.c.version, sa.func.substr(c.c.value, 1, VALUE_SHOWN).label("value"), r.c.value_code, r.c.valid_from,
            r.c.valid_to, r.c.expires_at, r.c.review_at, c.c.observed_at, r.c.created_seq, c.c.claim_type, c.c.authority, c.c.speaker, c.c.confirmed_by,
            c.c.entity_confidence, c.c.extraction, r.c.flags,
        )
        .join(s, (s.c.tenant == r.c.tenant) & (s.c.record == r.c.record))
        .join(c, (c.c.tenant == r.c.tenant) & (c.c.record == r.c.record))
    )  # fmt: skip
    found = []
    for some in chunks(sorted(keys)):
        for row in connection.execute(query.where(r.c.tenant == tenant, r.c.key.in_(some), is_shown(s))):
            number, record_id, key, status, version = row[:5]
            fields: tuple[Any, ...] = (number, record_id, key, *keys[key], Status(status), version, *row[5:])
            found.append(Held(*fields))
    order = {key: (path, predicate, json.dumps(qualifiers, sort_keys=True)) for key, (path, predicate, qualifiers) in keys.items()}
    return sorted(found, key=lambda one: (order[one.key], one.number))


def rejected_as_sensitive(connection: Connection, tenant: int, records: Sequence[int]) -> set[int]:
    """Return those of the rejected `records` whose last rejection took the route `sensitive` (R5)."""
    d = t.decision
    found: dict[int, str | None] = {}
    for some in chunks(records):
        query = sa.select(d.c.record, d.c.route).where(d.c.tenant == tenant, d.c.record.in_(some), d.c.action == "reject").order_by(d.c.seq)
        found.update({row.record: row.route for row in connection.execute(query)})
    return {record for record, route in found.items() if route == "sensitive"}


# --- finding a subject --------------------------------------------------------------------------------------------


def first_key(connection: Connection, tenant: int, subject: str) -> int:
    """Return the number of the first claim key of a subject that has some."""
    k = t.claim_key
    return int(connection.execute(sa.select(sa.func.min(k.c.key)).where(k.c.tenant == tenant, k.c.subject == subject)).scalar_one())


def subject_of_key(connection: Connection, tenant: int, key: int) -> str | None:
    """Return the subject of a claim key, None if there is no such key."""
    k = t.claim_key
    return connection.execute(sa.select(k.c.subject).where(k.c.tenant == tenant, k.c.key == key)).scalar_one_or_none()


def subjects_from(connection: Connection, tenant: int, scopes: Collection[int], start: str, end: str | None, most: int, *, after: bool) -> list[str]:
    """Return subjects in code point order from `start` on (or after it) and before `end`: one seek of the index for each.

    A plain DISTINCT would walk every key of the range, which for a common beginning is every key of the store.
    """
    found: list[str] = []
    sqlite = is_sqlite(connection)
    # The index of PostgreSQL compares bytes, as SQLite does: `~>~` and its like are its operators.
    least, more, order = ("subject", ">", "") if sqlite else ("subject", "~>~", "USING ~<~")
    at_least = ">=" if sqlite else "~>=~"
    until = "" if end is None else f"AND subject {'<' if sqlite else '~<~'} :end"
    inside: Any = sa.bindparam("scopes", expanding=True)
    for_first = not after
    while len(found) < most:
        seek = (
            f"SELECT {least} FROM claim_key WHERE tenant = :tenant AND subject {at_least if for_first else more} :start {until} AND scope IN :scopes"  # noqa: S608 - words of this module
        )
        row = connection.execute(
            sa.text(f"{seek} ORDER BY subject {order} LIMIT 1").bindparams(inside), {"tenant": tenant, "start": start, "end": end, "scopes": sorted(scopes)}
        ).one_or_none()  # fmt: skip
        if row is None:
            break
        start, for_first = row.subject, False
        found.append(start)
    return found


def subjects_with_words(connection: Connection, tenant: int, scopes: Collection[int], text: str, most: int) -> list[str]:
    """Return subjects of claims that hold every word of `text`, those with the words in the subject itself first.

    They are found among the newest 2,000 claims that the search index has for these words.
    """
    k, r = t.claim_key, t.record
    keys: dict[int, None] = {}
    for some in chunks(find_words(connection, tenant, text, _MATCHES)):
        keys.update(
            dict.fromkeys(connection.execute(sa.select(r.c.key).where(r.c.tenant == tenant, r.c.record.in_(some), r.c.key.is_not(None))).scalars())
        )
    found: dict[str, None] = {}
    for some in chunks(sorted(keys)):
        rows = connection.execute(sa.select(k.c.subject, k.c.scope).where(k.c.tenant == tenant, k.c.key.in_(some)))
        found.update((row.subject, None) for row in rows if row.scope in scopes)
    words = text.casefold().split()
    within = [subject for subject in found if all(word in subject.casefold() for word in words)]
    return sorted(within, key=lambda subject: (len(subject), subject))[:most]


def latest_subjects(connection: Connection, tenant: int, scopes: Collection[int], most: int, among: int = 600) -> list[str]:
    """Return the subjects the newest claims are about, newest first."""
    k, r = t.claim_key, t.record
    newest = sa.select(r.c.key).where(r.c.tenant == tenant, r.c.kind == 1).order_by(r.c.record.desc()).limit(among)
    keys = list(dict.fromkeys(connection.execute(newest).scalars()))
    of: dict[int, str] = {}
    for some in chunks(keys):
        rows = connection.execute(sa.select(k.c.key, k.c.subject, k.c.scope).where(k.c.tenant == tenant, k.c.key.in_(some)))
        of.update((row.key, row.subject) for row in rows if row.scope in scopes)
    return list(dict.fromkeys(of[key] for key in keys if key in of))[:most]


def count_claims(connection: Connection, tenant: int, scopes: Collection[int], subjects: Sequence[str]) -> dict[str, dict[Status, int]]:
    """Return subject -> status -> how many claims."""
    r, s = t.record, t.record_state
    of = {key: subject for key, _, subject, _, _ in keys_about(connection, tenant, subjects, set(scopes))}
    query = sa.select(r.c.key, s.c.status).join(s, (s.c.tenant == r.c.tenant) & (s.c.record == r.c.record))
    found: dict[str, dict[Status, int]] = {}
    for some in chunks(sorted(of)):
        for key, status in connection.execute(query.where(r.c.tenant == tenant, r.c.key.in_(some), is_shown(s))):
            its = found.setdefault(of[key], {})
            its[Status(status)] = its.get(Status(status), 0) + 1
    return found


# --- what stands around a subject ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Spoken:
    """That a claim is bound to a captured version: of which source, in which version."""

    record: int
    evidence: int
    evidence_id: str
    source: str
    title: str | None
    scope: int
    version: int
    captured_at: int | None


def sources_spoken(connection: Connection, tenant: int, records: Sequence[int]) -> list[Spoken]:
    """Return the captured versions that claims are bound to, with their sources."""
    b, r, e, o = t.binding, t.record, t.evidence, t.source
    query = (
        sa.select(b.c.record, r.c.record.label("evidence"), r.c.id, o.c.id.label("source"), o.c.title, o.c.scope, e.c.version, e.c.captured_at)
        .join(r, (r.c.tenant == b.c.tenant) & (r.c.record == b.c.evidence))
        .join(e, (e.c.tenant == r.c.tenant) & (e.c.record == r.c.record))
        .join(o, (o.c.tenant == r.c.tenant) & (o.c.source == r.c.source))
        .order_by(b.c.record, b.c.n)
    )
    return [Spoken(*row) for some in chunks(records) for row in connection.execute(query.where(b.c.tenant == tenant, b.c.record.in_(some)))]


@dataclass(frozen=True, slots=True)
class NameWord:
    """That a person said who or what is meant, as a term of a decision."""

    record: int
    by: str
    name: str
    at: int
    reason: str | None


def entity_words(connection: Connection, tenant: int, records: Sequence[int]) -> list[NameWord]:
    """Return the decisions on `records` whose terms say that the entity is right, newest first."""
    d, p = t.decision, t.person
    found: list[NameWord] = []
    query = sa.select(d.c.record, p.c.id, p.c.name, d.c.at, readable(d, d.c.reason), d.c.terms).join(p, (p.c.tenant == d.c.tenant) & (p.c.person == d.c.person))
    for some in chunks(records):
        rows = connection.execute(query.where(d.c.tenant == tenant, d.c.record.in_(some), d.c.terms.like("%entity_confirmed%")))
        found.extend(NameWord(row.record, row.id, row.name, row.at, row.reason) for row in rows if json.loads(row.terms).get("entity_confirmed"))
    return sorted(found, key=lambda one: -one.at)


@dataclass(frozen=True, slots=True)
class Contest:
    """A conflict of one key, open or closed."""

    number: int
    id: str
    key: int
    open: bool
    opened_at: int | None
    closed_at: int | None
    cause: str | None
    verdict: str | None
    reason: str | None
    question: str | None
    sides: tuple[int, ...]


def conflicts_of_keys(connection: Connection, tenant: int, keys: Iterable[int]) -> list[Contest]:
    """Return the conflicts of keys, open ones first, the newest first."""
    c, side = t.conflict, t.conflict_side
    rows = [row for some in chunks(sorted(set(keys))) for row in connection.execute(sa.select(c).where(c.c.tenant == tenant, c.c.key.in_(some)))]
    sides: dict[int, list[int]] = {}
    for some in chunks([row.conflict for row in rows]):
        query = sa.select(side.c.conflict, side.c.record).where(side.c.tenant == tenant, side.c.conflict.in_(some)).order_by(side.c.record)
        for conflict, record in connection.execute(query):
            sides.setdefault(conflict, []).append(record)
    found = [
        Contest(
            row.conflict, row.id, row.key, row.state == 0, row.opened_at, row.closed_at, row.cause, row.verdict, row.reason, row.question,
            tuple(sides.get(row.conflict, ())),
        )
        for row in rows
    ]  # fmt: skip
    return sorted(found, key=lambda one: (not one.open, -one.number))


def moved_subjects(connection: Connection, tenant: int, records: Sequence[int]) -> list[tuple[int, int, str]]:
    """Return (record, other record, its subject) where a record of `records` replaced, or was replaced by, one about another subject."""
    s, r, k = t.succession, t.record, t.claim_key
    found: set[tuple[int, int, str]] = set()
    for mine, other in ((s.c.record, s.c.successor), (s.c.successor, s.c.record)):
        query = (
            sa.select(mine.label("mine"), other.label("other"), k.c.subject)
            .join(r, (r.c.tenant == s.c.tenant) & (r.c.record == other))
            .join(k, (k.c.tenant == r.c.tenant) & (k.c.key == r.c.key))
        )
        for some in chunks(records):
            found.update((row.mine, row.other, row.subject) for row in connection.execute(query.where(s.c.tenant == tenant, mine.in_(some))))
    return sorted(found)


@dataclass(frozen=True, slots=True)
class ToldTotals:
    """How often claims about a subject were told: answers, readers, since and last when, and record -> times."""

    answers: int
    readers: int
    since: int | None
    last: int | None
    times: dict[int, int]


@dataclass(frozen=True, slots=True)
class ToldRow:
    """One claim in one answer."""

    number: int
    at: int | None
    by: str | None
    task: str | None
    result: str | None
    record: int
    version: int | None


def count_told(connection: Connection, tenant: int, records: Sequence[int], until: int | None = None) -> ToldTotals:
    """Return how often `records` were told to agents, up to a moment (microseconds UTC) if given."""
    entry, log = t.read_log_record, t.read_log
    answers: set[int] = set()
    readers: set[str | None] = set()
    times: dict[int, int] = {}
    moments: set[int] = set()
    query = sa.select(entry.c.record, entry.c.n, log.c.by, log.c.at).join(log, log.c.n == entry.c.n)
    query = query if until is None else query.where(log.c.at <= until)
    for some in chunks(records):
        for row in connection.execute(query.where(entry.c.tenant == tenant, entry.c.record.in_(some))):
            answers.add(row.n)
            readers.add(row.by)
            times[row.record] = times.get(row.record, 0) + 1
            if row.at is not None:
                moments.add(row.at)
    return ToldTotals(len(answers), len(readers), min(moments, default=None), max(moments, default=None), times)


def list_told(connection: Connection, tenant: int, records: Sequence[int], most: int, until: int | None = None) -> list[ToldRow]:
    """Return the newest of what agents were told of `records`, claim by claim, up to a moment (microseconds UTC) if given."""
    entry, log = t.read_log_record, t.read_log
    query = sa.select(log.c.n, log.c.at, log.c.by, log.c.task, log.c.result, entry.c.record, entry.c.version).join(log, log.c.n == entry.c.n)
    query = query if until is None else query.where(log.c.at <= until)
    found: list[ToldRow] = []
    for some in chunks(records):
        newest = query.where(entry.c.tenant == tenant, entry.c.record.in_(some)).order_by(entry.c.n.desc(), entry.c.place).limit(most)
        found.extend(ToldRow(*row) for row in connection.execute(newest))
    return sorted(found, key=lambda one: -one.number)[:most]
