"""What the fault tests work on: a small store with everything in it, its copies on both databases, and comparing them."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
import sqlalchemy as sa
from sqlalchemy.pool import NullPool

from store import ClaimStore, create_store, import_lines, open_store, parse_stated_time, verify_store
from store.db import tables as t
from tests.ledgers import copy_ledger, remove_ledger

NOW = parse_stated_time("2026-07-01T00:00:00Z")
TENANT = "acme"
#: Differ from run to run whatever happens: keys of events and what is hashed from them.
_RANDOM = {("event", "hash"), ("event", "note_mac"), ("event", "previous"), ("event_note", "mac_key"), ("tenant", "head")}
#: Logs of what was refused, and of what was read; no part of what the store holds.
_LOGS = {"refusal", "read_log", "read_log_record"}


def clock() -> int:
    """Return one moment for every action, so that equal actions leave equal rows."""
    return NOW


def source(source_id: str, facts: int, scope: str = TENANT) -> list[dict[str, Any]]:
    text = "".join(f"Fact {n} says {n}.\n" for n in range(1, facts + 1))
    return [
        {"type": "source", "id": source_id, "uri": f"https://example.org/{source_id}", "scope": scope, "owner": "ana", "authority": "paper"},
        {
            "type": "evidence", "id": f"{source_id}@1", "source": source_id, "version": 1, "captured_at": "2026-06-01T00:00:00Z",
            "media_type": "text/plain", "sha256": hashlib.sha256(text.encode()).hexdigest(), "content": text,
        },
    ]  # fmt: skip


def claim(claim_id: str, subject: str, value: Any, *, fact: tuple[str, int] | None = None, parents: tuple[str, ...] = (), **more: Any) -> dict[str, Any]:
    line: dict[str, Any] = {
        "type": "claim", "id": claim_id, "scope": TENANT, "subject": subject, "predicate": "size", "value": value, "owner": "ana",
        "review_at": "2027-01-01T00:00:00Z", "extraction": {"method": "reader", "version": "1"}, "entity_confidence": 0.95, "status": "reviewed",
        "proposed_by": "bot", "derived_from": list(parents), **more,
    }  # fmt: skip
    if fact is not None:
        source_id, n = fact
        quote = f"Fact {n} says {n}."
        start = sum(len(f"Fact {k} says {k}.\n") for k in range(1, n))
        line["evidence"] = [{"evidence": f"{source_id}@1", "span": {"start": start, "end": start + len(quote)}, "quote": quote}]
    return line


def report(report_id: str, parents: tuple[str, ...], recipients: tuple[str, ...] = (), **more: Any) -> dict[str, Any]:
    deliveries = [{"recipient": who, "channel": "email", "delivered_at": "2026-06-20T00:00:00Z", "operation_id": f"{report_id}-{who}"} for who in recipients]
    return {
        "type": "artifact", "id": report_id, "scope": TENANT, "artifact_type": "report", "title": report_id, "owner": "ben", "body": "…",
        "derived_from": list(parents), "deliveries": deliveries, "status": "reviewed", "review_at": "2027-01-01T00:00:00Z", **more,
    }  # fmt: skip


def person(person_id: str, role: str) -> dict[str, Any]:
    return {"type": "person", "id": person_id, "name": person_id.title(), "roles": [{"role": role, "scope": TENANT}]}


def world() -> list[dict[str, Any]]:
    """Return the store's lines: a tree of 30 records under S1@1, one old claim with a candidate against it, and a conflict."""
    lines = [person("ana", "reviewer"), person("ben", "reviewer"), person("carla", "admin"), person("bot", "contributor")]
    lines += source("S1", 10) + source("S2", 10)
    for n in range(1, 11):
        lines.append(claim(f"A{n}", f"a-{n}", n, fact=("S1", n)))
        lines.append(claim(f"B{n}", f"b-{n}", n, parents=(f"A{n}", *((f"A{n - 1}",) if n > 1 else ()))))
    for n in range(1, 10):
        lines.append(report(f"R{n}", (f"B{n}",), ("dora", "emil") if n % 2 else ("dora",)))
    lines.append(claim("CHILD", "child", 1, parents=("B1",), status="candidate"))
    lines.append(claim("OLD", "rate", 1, fact=("S2", 1)))
    lines += [claim("D1", "d-1", 1, parents=("OLD",)), claim("D2", "d-2", 2, parents=("D1",)), report("RD", ("D2",), ("dora",))]
    lines.append(claim("NEW", "rate", 2, fact=("S2", 2), status="candidate"))
    lines += [claim("K1", "contested", 1, fact=("S2", 3)), claim("K2", "contested", 2, fact=("S2", 4))]
    lines += [claim("DK1", "dk-1", 1, parents=("K1",)), claim("DK2", "dk-2", 2, parents=("K2",)), report("RK", ("DK1", "DK2"), ("emil",))]
    return lines


def more_lines() -> list[dict[str, Any]]:
    """Return about 40 lines to import: new records on new and old ones, a conflict, deliveries, and two that are refused."""
    lines = source("S3", 12)
    for n in range(1, 13):
        lines.append(claim(f"M{n}", f"m-{n}", n, fact=("S3", n)))
        lines.append(claim(f"N{n}", f"n-{n}", n, parents=(f"M{n}", "B2")))
    for n in range(1, 9):
        lines.append(report(f"Q{n}", (f"N{n}",), ("dora",) if n % 2 else ()))
    lines.append(claim("M1b", "m-1", 99, fact=("S3", 2)))
    lines.append(claim("M2c", "m-2", 5, parents=("M1",), status="candidate"))
    lines.append(claim("ORPHAN", "orphan", 1, parents=("nowhere",)))
    lines.append({"type": "claim", "id": "ODD", "colour": "red"})
    return lines


def encode(lines: list[dict[str, Any]]) -> list[bytes]:
    return [json.dumps(line).encode() + b"\n" for line in lines]


def load_world(url: str, lines: list[dict[str, Any]] | None = None) -> None:
    store = create_store(url, clock)
    found = import_lines(store, "operator", encode(world() if lines is None else lines), reviewed=True, operation="world")
    assert not found["rejected"], found["rejected"]
    store.close()


@dataclass
class Place:
    """A kind of database: makes a fresh copy of a prepared one in some milliseconds."""

    kind: str
    folder: Path
    server: Any = None
    _n: int = 0
    _guard: threading.Lock = field(default_factory=threading.Lock)

    def _next(self) -> int:
        with self._guard:
            self._n += 1
            return self._n

    def empty(self) -> str:
        """Return the URL of a database with nothing in it (SQLite: of no file)."""
        name = f"fault_{os.getpid()}_{self._next()}"
        if self.kind == "sqlite":
            return f"sqlite:///{self.folder / name}.db"
        self.run(f'CREATE DATABASE "{name}"')
        return self.url(name)

    def copy(self, url: str) -> str:
        """Return the URL of a copy of a database nobody is connected to."""
        name = f"fault_{os.getpid()}_{self._next()}"
        if self.kind == "sqlite":
            shutil.copyfile(url.removeprefix("sqlite:///"), self.folder / f"{name}.db")
            copy_ledger(url, f"sqlite:///{self.folder / name}.db")
            return f"sqlite:///{self.folder / name}.db"
        self.run(f'CREATE DATABASE "{name}" TEMPLATE "{database_of(url)}" STRATEGY FILE_COPY')
        copy_ledger(url, self.url(name))
        return self.url(name)

    def drop(self, url: str) -> None:
        """Remove a copy."""
        if self.kind == "sqlite":
            for end in ("", "-wal", "-shm", "-journal", ".ledger"):
                Path(url.removeprefix("sqlite:///") + end).unlink(missing_ok=True)
        else:
            self.run(f'DROP DATABASE IF EXISTS "{database_of(url)}" WITH (FORCE)')
            remove_ledger(url)

    def url(self, name: str) -> str:
        return str(self.server.get_uri(name))

    def run(self, statement: str) -> None:
        with psycopg.connect(self.server.get_uri("postgres"), autocommit=True) as connection:
            connection.execute(statement)


def database_of(url: str) -> str:
    return str(sa.engine.make_url(url).database)


def plain_engine(url: str) -> sa.Engine:
    """Return an engine of the tests' own, for looking at tables past the store."""
    parsed = sa.engine.make_url(url)
    if parsed.get_backend_name() == "sqlite":
        import pysqlite3.dbapi2 as module

        return sa.create_engine(parsed, module=module, poolclass=NullPool)
    return sa.create_engine(parsed.set(drivername="postgresql+psycopg"), poolclass=NullPool)


@contextlib.contextmanager
def raw(url: str) -> Iterator[Any]:
    """Give a bare connection of the driver: most of what opening an engine costs is asking the server about itself."""
    if url.startswith("sqlite"):
        import pysqlite3

        connection = pysqlite3.connect(url.removeprefix("sqlite:///"))
    else:
        connection = psycopg.connect(url)
    try:
        yield connection
    finally:
        connection.close()


def state_of(url: str) -> dict[str, list[tuple[Any, ...]]]:
    """Return every row of every table, but for logs and what is random."""
    return look_at(url)[0]


def look_at(url: str) -> tuple[dict[str, list[tuple[Any, ...]]], bytes]:
    """Return every row but for logs and what is random, and a digest of all there is, those and the tables of the text index included."""
    found, everything = {}, hashlib.sha256()
    with raw(url) as connection:
        for table in t.metadata.sorted_tables:
            names = [column.name for column in table.columns]
            rows = _rows(connection, ", ".join(f'"{name}"' for name in names), table.name)
            everything.update(repr((table.name, rows)).encode())
            if table.name not in _LOGS:
                kept = [n for n, name in enumerate(names) if (table.name, name) not in _RANDOM]
                found[table.name] = sorted((tuple(row[n] for n in kept) for row in rows), key=repr)
        sqlite = url.startswith("sqlite")
        found["search_text"] = sorted(map(tuple, connection.execute(f"SELECT {'rowid' if sqlite else 'tenant, record'} FROM search_text").fetchall()))
        inner = "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'search_text%' ORDER BY name"
        for name in [name for (name,) in connection.execute(inner).fetchall()] if sqlite else ["search_text"]:
            everything.update(repr((name, _rows(connection, "*", name))).encode())
    return found, everything.digest()


def _rows(connection: Any, columns: str, table: str) -> list[tuple[Any, ...]]:
    rows = connection.execute(f'SELECT {columns} FROM "{table}"').fetchall()
    return sorted((tuple(bytes(v) if isinstance(v, memoryview) else v for v in row) for row in rows), key=repr)


def differing(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    return [name for name in one if one[name] != other.get(name)]


def broken_invariant(url: str) -> list[str]:
    """Return the ids of ACCEPTED records with a parent that is not, by plain SQL."""
    query = """SELECT r.id FROM dependency d
        JOIN record_state c ON c.tenant = d.tenant AND c.record = d.child JOIN record_state p ON p.tenant = d.tenant AND p.record = d.parent
        JOIN record r ON r.tenant = c.tenant AND r.record = c.record WHERE c.status = 1 AND p.status <> 1"""
    return [row[0] for row in rows_of(url, query)]


def rows_of(url: str, query: str) -> list[Any]:
    with raw(url) as connection:
        return list(connection.execute(query).fetchall())


def statuses(url: str) -> dict[str, int]:
    return dict(map(tuple, rows_of(url, "SELECT r.id, s.status FROM record r JOIN record_state s ON s.tenant = r.tenant AND s.record = r.record")))


def events(url: str) -> int:
    return int(rows_of(url, "SELECT count(*) FROM event")[0][0])


def check_whole(store: ClaimStore) -> None:
    """Assert that the store, freshly opened, says of itself that all is well."""
    fresh = open_store(store.url, clock)
    found = verify_store(fresh, "operator")
    fresh.close()
    assert found["ok"], found
