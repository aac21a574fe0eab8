"""G12: an import through the public action against the same rows as raw statements, on SQLite and on PostgreSQL."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from store.actions import import_bundle
from store.actions.import_bundle import import_files
from store.actions.staging import Staging, stage_files
from store.bench.texts import OWNERS
from store.bench.timing import FULL, ROUNDS, Milliseconds, median, time_once
from store.bench.workshop import Rows, Workshop
from store.db.claim_store import ClaimStore
from store.db.content import NewRecords
from store.domain.people import OPERATOR
from store.domain.status import Kind, Status

#: Tables an import of claims fills, with the place of what has to differ: record numbers, texts that are unique, keys.
TABLES: dict[str, dict[int, str]] = {
    "claim_key": {1: "key", 2: "text"}, "record": {1: "record", 2: "text", 5: "key"}, "record_state": {1: "record"}, "claim": {1: "record"},
    "binding": {1: "record"}, "dependency": {2: "record"}, "contributor": {1: "record"}, "history": {1: "record"},
}  # fmt: skip
_FIRST = {"claim_key": "key", "dependency": "child"}


def write_bundle(shop: Workshop, path: Path, count: int, number: int) -> None:
    """Write a bundle of `count` claims that rest on records of the store."""
    random, shape, texts = np.random.default_rng(100 + number), shop.shape, shop.texts
    evidence = np.flatnonzero(shape.kind == Kind.EVIDENCE)
    claims = np.flatnonzero((shape.kind == Kind.CLAIM) & (shape.status == Status.ACCEPTED))
    bound = random.choice(evidence, size=(count, 2))
    above = random.choice(claims, size=count)
    with path.open("w", encoding="utf-8") as file:
        for n in range(count):
            some = sorted(set(bound[n, : 1 + n % 2].tolist()))
            line = {
                "type": "claim", "id": f"N{number}-{n}", "scope": texts.scope(int(above[n])), "subject": f"fund-new-{number}-{n // 10}",
                "predicate": f"figure_{n % 10:02d}", "qualifiers": {"as_of": "2026-06-30"}, "value": {"amount": n * 1000, "currency": "USD"},
                "evidence": [{"evidence": texts.ids[one]} for one in some], "derived_from": [texts.ids[int(above[n])]] if n % 10 < 3 else [],
                "review_at": "2035-01-01T00:00:00Z", "authority": "fund_report", "owner": OWNERS[n % len(OWNERS)],
                "extraction": {"method": "table-reader", "version": "2.1"}, "entity_confidence": 0.98, "proposed_by": f"agent-{n % 7}",
                "statement": f"fund-new-{n // 10} reported figure {n % 10} of {n * 1000} USD",
            }  # fmt: skip
            file.write(json.dumps(line) + "\n")


class Imports:
    """Imports and their raw twins, on whichever database."""

    def __init__(self, shop: Workshop, store: ClaimStore, fetch: Callable[[str, tuple[Any, ...]], Rows]) -> None:
        self.shop, self.store, self.fetch = shop, store, fetch
        self.staged: list[float] = []
        self.wrote: list[float] = []
        self.words: list[tuple[int, str]] = []

    def run(self, path: Path) -> Milliseconds:
        """Return the milliseconds of an import through the public action, noting those of its parts."""
        staged: list[float] = []

        def stage(*words: Any) -> Staging:
            found: list[Staging] = []
            staged.append(time_once(lambda: found.append(stage_files(*words))))
            return found[0]

        flush = NewRecords.flush

        def look(new: NewRecords) -> None:
            self.words = list(new._words)  # noqa: SLF001 - the search index cannot be read back
            flush(new)

        with patch.object(import_bundle, "stage_files", stage), patch.object(NewRecords, "flush", look):
            took = time_once(lambda: import_files(self.store, OPERATOR, [path]))
        self.staged.append(staged[0])
        self.wrote.append(took - staged[0])
        return took

    def twin_rows(self, first: int, first_key: int, count: int) -> dict[str, Rows]:
        """Return the rows the last import wrote, changed so that they can be written beside them."""
        tenant, found = self.shop.tenant, {}
        keys = self.fetch("SELECT max(key) FROM claim_key WHERE tenant = {}", (tenant,))[0][0] - first_key + 1
        shift = {"record": lambda value: value + count, "text": lambda value: "~" + value[1:], "key": lambda value: value and value + keys}
        for table, places in TABLES.items():
            name = _FIRST.get(table, "record")
            rows = self.fetch(f"SELECT * FROM {table} WHERE tenant = {{}} AND {name} >= {{}}", (tenant, first_key if name == "key" else first))  # noqa: S608
            found[table] = [tuple(shift[places[n]](value) if n in places else value for n, value in enumerate(row)) for row in rows]
        return found


def measure_import(shop: Workshop) -> None:
    """G12 on SQLite."""
    raw, tenant = shop.raw, shop.tenant

    def fetch(query: str, values: tuple[Any, ...]) -> Rows:
        found: Rows = raw.execute(query.replace("{}", "?"), values).fetchall()
        return found

    imports = Imports(shop, shop.store, fetch)

    def insert_raw(rows: dict[str, Rows], words: list[tuple[int, str]]) -> None:
        raw.execute("BEGIN IMMEDIATE")
        for table, some in rows.items():
            if some:
                raw.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(some[0]))})", some)  # noqa: S608
        raw.executemany("INSERT INTO search_text (rowid, words) VALUES (?, ?)", words)
        raw.execute("UPDATE tenant SET next_record = next_record + ? WHERE tenant = ?", (len(words), tenant))
        raw.execute("COMMIT")

    race_imports(
        imports, insert_raw, lambda record, word: (tenant * 2**32 + record, f"_{tenant}_ {word}"), shop.empty_log,
        ("raw executemany of the same rows", 1.3),
    )  # fmt: skip


def race_imports(
    imports: Imports,
    insert_raw: Callable[[dict[str, Rows], list[Any]], None],
    make_words: Callable[[int, str], Any],
    settle: Callable[[], None],
    against: tuple[str, float],
) -> None:
    """Measure imports and their raw twins in turn, each round with fresh claims."""
    shop = imports.shop
    count = min(20_000, shop.report.claims // 10)
    ours: list[Milliseconds] = []
    theirs: list[Milliseconds] = []
    for number in range(ROUNDS + 1):
        path = shop.folder / "new.jsonl"
        write_bundle(shop, path, count, number)
        first = imports.fetch("SELECT next_record FROM tenant WHERE tenant = {}", (shop.tenant,))[0][0]
        first_key = imports.fetch("SELECT max(key) + 1 FROM claim_key WHERE tenant = {}", (shop.tenant,))[0][0]
        took = imports.run(path)
        settle()
        rows = imports.twin_rows(first, first_key, count)
        words = [make_words(record + count, word) for record, word in imports.words]
        raw_took = time_once(lambda: insert_raw(rows, words))  # noqa: B023 - used within this turn of the loop
        settle()
        if number:
            ours.append(took)
            theirs.append(raw_took)
    staged, wrote = statistics.median(imports.staged[1:]), statistics.median(imports.wrote[1:])
    raw_median = median(theirs)
    note = f"of {statistics.median(ours):.0f} ms, {staged:.0f} parse and check lines before the lock; deciding and writing take {wrote / raw_median:.2f}x"
    shop.report.within("G12", f"import of {count:,} claims against {against[0]}", raw_median, median(ours), against[1], note=note, needs=FULL)
