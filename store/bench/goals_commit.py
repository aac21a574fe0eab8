"""G5, G6, G7 and the upkeep of counters in G11: commits over many records on SQLite."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import Any
from unittest.mock import patch

import numpy as np

from store.actions.commit_plan import commit_plan
from store.bench.baselines import NAIVE, commit_naively, move_records
from store.bench.texts import TENANT
from store.bench.timing import FULL, ROUNDS, race
from store.bench.workshop import SMALL, Rows, Workshop, connect, insert
from store.db import transaction
from store.db.orm_baseline import commit_objects
from store.domain.people import OPERATOR
from store.domain.reach import Ints
from store.domain.status import Status
from store.reads.preview import preview_plan

_REASON = "the figures were withdrawn"


@dataclass(slots=True)
class Written:
    """The rows that one commit through the public action wrote, so that raw statements can write the same."""

    seq: int
    moves: list[tuple[Ints, int, int]]
    rows: dict[str, Rows]
    fingerprint: str


class CommitCase:
    """One case, previewed and kept, to be committed again and again."""

    def __init__(self, shop: Workshop, name: str) -> None:
        self.shop, self.plan = shop, shop.plan(name)
        self.preview = preview_plan(shop.store, OPERATOR, TENANT, self.plan, rows=50)
        shop.keep_state()
        self.public()
        self.state = shop.state()
        self.written = self._written()
        shop.undo()

    def public(self) -> None:
        """Commit through the public action."""
        commit_plan(self.shop.store, OPERATOR, TENANT, self.plan, self.preview.fingerprint, _REASON)

    def without_counters(self) -> None:
        """Commit through the public action with the upkeep of counters left out."""
        with (
            patch.object(transaction.Writing, "_count_many", lambda *_: None),
            patch.object(transaction, "_save_counts", lambda *_: None),
        ):
            self.public()

    def _written(self) -> Written:
        shop, tenant = self.shop, self.shop.tenant
        seq = shop.raw.execute("SELECT event_seq FROM tenant WHERE tenant = ?", (tenant,)).fetchone()[0]
        found = np.array(
            shop.raw.execute("SELECT record, old, new FROM history WHERE tenant = ? AND seq = ?", (tenant, seq)).fetchall(), dtype=np.int64
        )
        moves = [
            (np.sort(found[(found[:, 1] == old) & (found[:, 2] == new), 0]), int(old), int(new))
            for old, new in np.unique(found[:, 1:], axis=0).tolist()
        ]
        rows = {}
        for name in SMALL:
            before = set(shop.kept[name])
            rows[name] = [row for row in shop.rows_of(name) if row not in before] if name != "preview" else []
        return Written(seq, moves, rows, self.preview.fingerprint)

    def raw_script(self, raw: Any) -> Callable[[], None]:
        """Return a script of raw statements that writes the same rows."""
        written, tenant = self.written, self.shop.tenant

        def run() -> None:
            raw.execute("BEGIN IMMEDIATE")
            for records, old, new in written.moves:
                move_records(raw, tenant, written.seq, records, old, new)
            for name, rows in written.rows.items():
                insert(raw, name, rows, word="INSERT OR REPLACE")
            raw.execute("UPDATE preview SET committed_seq = ? WHERE tenant = ? AND fingerprint = ?", (written.seq, tenant, written.fingerprint))
            raw.execute("COMMIT")

        return run

    def checked_undo(self) -> None:
        """Take the commit back, after a look at whether it wrote what it should."""
        assert self.shop.state() == self.state, "the two sides wrote different rows"
        self.shop.undo()

    def records(self) -> Ints:
        """Return everything the commit changes."""
        return np.sort(np.concatenate([records for records, _, _ in self.written.moves]))


def build_naive(shop: Workshop) -> Any:
    """Make the wide table in a file of its own and return a connection to it."""
    path = shop.folder / "naive.db"
    connect(path).close()
    shop.raw.execute("ATTACH ? AS naive", (str(path),))
    for statement in NAIVE:
        shop.raw.execute(statement)
    shop.raw.execute("DETACH naive")
    naive = connect(path)
    naive.execute("ANALYZE")
    naive.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return naive


def measure_large_commit(shop: Workshop, wanted: set[str], naive: Any) -> None:
    """G5, G6 and G11's upkeep, on half of the store."""
    case, raw, unchecked = CommitCase(shop, "large"), connect(shop.path), connect(shop.path)
    unchecked.execute("PRAGMA cell_size_check=OFF")
    records, seqs = case.records(), count(1)
    sides: dict[str, Callable[[], object]] = {"public": case.public}
    after: dict[str, Callable[[], object]] = {"public": case.checked_undo}
    if "G5" in wanted:
        sides["raw"], after["raw"] = case.raw_script(raw), case.checked_undo
    if "G11" in wanted:
        sides["bare"], after["bare"] = case.without_counters, shop.undo
    if "G6" in wanted:

        def naively() -> None:
            seq = next(seqs)
            commit_naively(naive, seq, records, Status.STALE if seq % 2 else Status.ACCEPTED)

        sides["unchecked"], after["unchecked"] = case.raw_script(unchecked), case.checked_undo
        sides["naive"] = naively
        after["naive"] = lambda: naive.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    found = race(sides, ROUNDS, after=after)
    raw.close()
    unchecked.close()
    what = f"commit of {len(records):,} records through commit_plan"
    if "G5" in wanted:
        shop.report.within("G5", what, found["raw"], found["public"], 1.25, needs=FULL)
    if "G6" in wanted:
        note = f"the raw script takes {found['unchecked']:.0f} ms with cell_size_check off, and a stale record enters two partial indexes"
        shop.report.faster("G6", f"{what} against a wide table, status in two indexes", found["naive"], found["public"], 4, note=note, needs=FULL)
    if "G11" in wanted:
        shop.report.within("G11", f"counters' upkeep in a {what}", found["bare"], found["public"], 1.4, needs=FULL)


def measure_middle_commit(shop: Workshop, wanted: set[str]) -> None:
    """G5 and G7, on a tenth of the store."""
    case, raw = CommitCase(shop, "middle"), connect(shop.path)
    records = case.records()
    sides: dict[str, Callable[[], object]] = {"public": case.public}
    after: dict[str, Callable[[], object]] = {"public": case.checked_undo}
    if "G5" in wanted:
        sides["raw"], after["raw"] = case.raw_script(raw), case.checked_undo
    found = race(sides, ROUNDS + 2, after=after)
    what = f"commit of {len(records):,} records through commit_plan"
    if "G5" in wanted:
        shop.report.within("G5", what, found["raw"], found["public"], 1.25, needs=FULL)
    if "G7" in wanted:
        _race_objects(shop, case, records, what)
    raw.close()


def _race_objects(shop: Workshop, case: CommitCase, records: Ints, what: str) -> None:
    seq = case.written.seq

    def objects() -> None:
        commit_objects(shop.store.writer, shop.tenant, seq, records, int(Status.STALE))

    def put_back() -> None:
        shop.raw.execute("UPDATE tenant SET event_seq = ? WHERE tenant = ?", (seq, shop.tenant))
        shop.undo()

    found = race({"public": case.public, "objects": objects}, ROUNDS, after={"public": case.checked_undo, "objects": put_back})
    shop.report.faster("G7", f"{what} against a loop over mapped objects", found["objects"], found["public"], 20, needs=FULL)


def measure_commits(shop: Workshop, wanted: set[str], naive: Any) -> None:
    """G5, G6, G7 and G11's upkeep."""
    if wanted & {"G5", "G6", "G11"}:
        measure_large_commit(shop, wanted, naive)
    if wanted & {"G5", "G7"}:
        shop.forget_previews()
        measure_middle_commit(shop, wanted)
    shop.forget_previews()
