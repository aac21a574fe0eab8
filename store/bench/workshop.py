"""The place where the goals are measured: a synthetic store in a temporary directory, and ways to take a commit back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pysqlite3.dbapi2 as sqlite3

from store.bench.shape import Case, Shape, make_shape
from store.bench.synthetic import fill_store
from store.bench.texts import FEED, OWNERS, SCOPES, TENANT, Texts
from store.bench.timing import Report
from store.db.claim_store import ClaimStore, create_store
from store.db.transaction import read
from store.domain.people import OPERATOR
from store.domain.plans import Plan, Verb
from store.domain.snapshot import Snapshot
from store.domain.status import Status

#: The store's own settings, for fair baselines.
PRAGMAS = (
    "journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=20000", "recursive_triggers=ON", "secure_delete=FAST",
    "trusted_schema=OFF", "cell_size_check=ON", "temp_store=MEMORY", "cache_size=-65536", "mmap_size=1073741824", "journal_size_limit=67108864",
)  # fmt: skip
#: Tables a commit touches with few rows.
SMALL = ("tenant", "counter", "owner_counter", "conflict", "conflict_side", "event", "event_note", "operation", "notice", "preview")

Rows = list[tuple[Any, ...]]


def connect(path: Path) -> Any:
    """Return a raw connection with the store's settings."""
    connection = sqlite3.connect(path, check_same_thread=False)
    connection.isolation_level = None
    for pragma in PRAGMAS:
        connection.execute("PRAGMA " + pragma)
    return connection


@dataclass(slots=True)
class Workshop:
    """A filled store and what the goals share."""

    folder: Path
    store: ClaimStore
    texts: Texts
    report: Report
    say: Callable[[str], None]
    tenant: int = 1
    raw: Any = None
    kept: dict[str, Rows] = field(default_factory=dict)
    snapshot: Snapshot | None = None

    @property
    def shape(self) -> Shape:
        """Return the shape of the store."""
        return self.texts.shape

    @property
    def path(self) -> Path:
        """Return the store's file."""
        return self.folder / "store.db"

    def plan(self, name: str) -> Plan:
        """Return the plan of a case."""
        roots = (FEED,) if name == "large" else tuple(self.texts.ids[record] for record in self.case(name).roots.tolist())
        return Plan(Verb.REVOKE, roots)

    def case(self, name: str) -> Case:
        """Return a case of the shape."""
        return self.shape.cases[name]

    def load_snapshot(self) -> Snapshot:
        """Return the snapshot as the store keeps it."""
        with read(self.store, OPERATOR) as reading:
            return reading.snapshot(self.tenant)

    def forget_previews(self) -> None:
        """Drop remembered previews, so that the next one is remembered in full again."""
        self.raw.execute("DELETE FROM preview")

    def keep_state(self) -> None:
        """Remember the small tables and the snapshot, to come back to after each commit."""
        self.snapshot = self.load_snapshot()
        self.kept = {name: self.rows_of(name) for name in SMALL}

    def rows_of(self, name: str) -> Rows:
        """Return every row of a table."""
        found: Rows = self.raw.execute(f"SELECT * FROM {name}").fetchall()  # noqa: S608 - names of ours
        return found

    def undo(self) -> None:
        """Take back the last commit: statuses, history and small tables, and the log's file emptied."""
        raw, seq = self.raw, self.raw.execute("SELECT event_seq FROM tenant WHERE tenant = ?", (self.tenant,)).fetchone()[0]
        raw.execute("BEGIN IMMEDIATE")
        mine = (self.tenant, seq)
        raw.execute(
            "UPDATE record_state SET status = ?, version = version - 1 WHERE tenant = ? AND record IN "
            "(SELECT record FROM history WHERE tenant = ? AND seq = ?)",
            (int(Status.ACCEPTED), self.tenant, *mine),
        )
        raw.execute("DELETE FROM history WHERE tenant = ? AND seq = ?", mine)
        for name, rows in self.kept.items():
            raw.execute(f"DELETE FROM {name}")  # noqa: S608
            insert(raw, name, rows)
        raw.execute("COMMIT")
        self.empty_log()
        self.store.snapshots.forget()
        assert self.snapshot is not None
        self.store.snapshots.keep(self.tenant, self.snapshot)

    def empty_log(self) -> None:
        """Bring everything from the write-ahead log into the file."""
        self.raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def state(self) -> tuple[Any, ...]:
        """Return figures by which two stores that went the same way are known."""
        row = self.raw.execute(
            "SELECT sum(status), sum(version), sum(status * record), (SELECT count(*) FROM history), (SELECT sum(n * status) FROM counter) "
            "FROM record_state"
        ).fetchone()
        return tuple(row)

    def close(self) -> None:
        """Close every connection."""
        if self.raw is not None:
            self.raw.close()
        self.store.close()


def insert(connection: Any, table: str, rows: Sequence[Sequence[Any]], *, word: str = "INSERT") -> None:
    """Insert whole rows."""
    if rows:
        connection.executemany(f"{word} INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)


def build_workshop(folder: Path, claims: int, report: Report, say: Callable[[str], None]) -> Workshop:
    """Make the synthetic store."""
    shape = make_shape(claims, len(SCOPES), len(OWNERS))
    store = create_store(f"sqlite:///{folder / 'store.db'}")
    texts = Texts.of(shape)
    fill_store(store, texts, say)
    raw = connect(folder / "store.db")
    for table in ("event", "history"):
        for change in ("update", "delete"):
            raw.execute(f"DROP TRIGGER {table}_no_{change}")
    raw.execute("ANALYZE")
    shop = Workshop(folder, store, texts, report, say, raw=raw)
    shop.tenant = raw.execute("SELECT tenant FROM tenant WHERE name = ?", (TENANT,)).fetchone()[0]
    shop.empty_log()
    return shop
