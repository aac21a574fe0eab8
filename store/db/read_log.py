"""What agents were told: an append-only log of its own, outside the tenant's lock (R17).

It must not become a place where something forgotten stands again because somebody asks for it. Nothing can tell whether the
words of a question name what was forgotten: the ledger knows whole ids, and whole keys with their values, by their HMACs,
and no single words. So a tenant that ever erased anything keeps a question in words only where living records hold the same
words: where it was answered with records (a search finds what holds every one of its words), and where its very key is a
key of the store. Of any other question a keyed digest is kept, under the tenant's key in the ledger: whoever knows the
words can find out that they were asked, how often and by whom, and nobody else can find out the words. The name of a task is
kept as it was given, since dependencies are read off it (R8).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.bulk import chunks
from store.db.claim_store import ClaimStore
from store.db.engine import explained
from store.domain.mentions import fold
from store.domain.reach import Ints
from store.domain.records import ReadEntry, question_code
from store.domain.status import FORGOTTEN
from store.domain.text import canonical_json


def log_answer(
    store: ClaimStore, tenant: int, *, by: str, task: str | None, at: int, question: dict[str, Any], result: str, scope: str | None,
    records: Sequence[tuple[int, int]],
) -> None:  # fmt: skip
    """Note an answer: who asked what in which task, and which records in which versions were told; the question as the module says."""
    with explained(), store.writer.begin() as connection:
        kept = question if records else _without_forgotten(store, connection, tenant, question)
        values = {"tenant": tenant, "task": task, "by": by, "at": at, "question": canonical_json(kept), "result": result, "scope": scope}
        number = connection.execute(sa.insert(t.read_log).values(values).returning(t.read_log.c.n)).scalar_one()
        rows = [
            {"tenant": tenant, "record": record, "n": number, "place": place, "version": version} for place, (record, version) in enumerate(records)
        ]
        if rows:
            connection.execute(sa.insert(t.read_log_record), rows)


def _without_forgotten(store: ClaimStore, connection: Connection, tenant: int, question: dict[str, Any]) -> dict[str, Any]:
    """Return what is kept of a question that told nothing."""
    name = str(connection.execute(sa.select(t.tenant.c.name).where(t.tenant.c.tenant == tenant)).scalar_one())
    if not store.ledger.erased(name).ids:
        return question
    if "search" in question:
        return {"asked": "search", "digest": digest_of_question(store, name, question)}
    if not question.get("subject") or _is_key(connection, tenant, question):
        return question
    return {"asked": "key", "digest": digest_of_question(store, name, question)}


def digest_of_question(store: ClaimStore, tenant: str, question: dict[str, Any]) -> str:
    """Return the keyed digest by which a question is known again: of a search by its words, of another by its subject, predicate and qualifiers."""
    words = [fold(question["search"]).strip()] if "search" in question else [question["subject"], question["predicate"], question["qualifiers"]]
    return store.ledger.words_macs(tenant)(canonical_json(["asked", *words]))


def _is_key(connection: Connection, tenant: int, question: dict[str, Any]) -> bool:
    """Return whether the store has the key asked for, in whatever scope."""
    k, code = t.claim_key, question_code(question["subject"], question["predicate"], question["qualifiers"])
    return connection.execute(sa.select(k.c.key).where(k.c.tenant == tenant, k.c.question == code).limit(1)).first() is not None


@dataclass(frozen=True, slots=True)
class Served:
    """How often records were told, to how many, since when (microseconds UTC)."""

    times: int
    readers: int
    since: int | None

    def to_json(self) -> dict[str, Any]:
        """Return the counts as plain values."""
        return {"times": self.times, "readers": self.readers, "since": self.since}


def count_served(connection: Connection, tenant: int, records: Ints) -> Served:
    """Return how often any of `records` was told. A long list is compared with the log, not the log with the list."""
    entry, log = t.read_log_record, t.read_log
    joined = sa.select(entry.c.record, log.c.n, log.c.by, log.c.at).join(log, log.c.n == entry.c.n).where(entry.c.tenant == tenant)
    numbers, people, since = set(), set(), None
    if len(records) <= 2000:
        rows: list[Any] = []
        for some in chunks(records.tolist()):
            rows.extend(connection.execute(joined.where(entry.c.record.in_(some))))
    else:
        every = connection.execute(joined).all()
        told = np.isin(np.array([row.record for row in every], dtype=np.int64), records)
        rows = [row for row, hit in zip(every, told, strict=True) if hit]
    for row in rows:
        numbers.add(row.n)
        people.add(row.by)
        if row.at is not None and (since is None or row.at < since):
            since = row.at
    return Served(len(numbers), len(people), since)


def served_count(connection: Connection, tenant: int, record: int, by: int | None = None) -> int:
    """Return how many answers held one record, up to a moment (microseconds UTC) if given."""
    entry, log = t.read_log_record, t.read_log
    query = sa.select(sa.func.count()).select_from(entry).where(entry.c.tenant == tenant, entry.c.record == record)
    if by is not None:
        query = query.join(log, log.c.n == entry.c.n).where(log.c.at <= by)
    return int(connection.execute(query).scalar_one())


def list_reads(connection: Connection, tenant: int) -> Iterator[tuple[ReadEntry, tuple[str, ...]]]:
    """Yield every entry of the log in order, with the scopes of the records it names."""
    log, entry, r, s = t.read_log, t.read_log_record, t.record, t.record_state
    query = (
        sa.select(log.c.n, log.c.task, log.c.by, log.c.at, log.c.scope, r.c.id, t.scope.c.path, s.c.status)
        .outerjoin(entry, (entry.c.tenant == log.c.tenant) & (entry.c.n == log.c.n))
        .outerjoin(r, (r.c.tenant == entry.c.tenant) & (r.c.record == entry.c.record))
        .outerjoin(s, (s.c.tenant == entry.c.tenant) & (s.c.record == entry.c.record))
        .outerjoin(t.scope, (t.scope.c.tenant == s.c.tenant) & (t.scope.c.scope == s.c.scope))
        .where(log.c.tenant == tenant)
        .order_by(log.c.n, entry.c.place)
    )
    for _, rows in groupby(connection.execute(query), key=lambda row: row.n):
        entries = list(rows)
        named = [row for row in entries if row.id is not None]
        first = entries[0]
        # The task's name may say what was told; it is withheld while something told is being forgotten.
        task = None if any(row.status in FORGOTTEN for row in named) else first.task
        read = ReadEntry(task, first.by, first.at, tuple(row.id for row in named), first.scope)
        yield read, tuple(row.path for row in named)
