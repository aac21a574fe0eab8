"""Opening a store: what is checked before anything in it is trusted, and making one."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from store.db import migrations
from store.db import tables as t
from store.db.engine import APPLICATION_ID, database_file, explained, file_explained, open_engines, open_plain, protect_file
from store.db.snapshots import Snapshots
from store.domain.errors import Code, Refusal
from store.domain.people import OPERATOR, ROLES
from store.domain.scopes import EVERYWHERE
from store.domain.times import from_datetime

#: The tenant number under which people with roles everywhere are kept; it holds no records.
STORE_ITSELF = 0


def read_clock() -> int:
    """Return the time now in microseconds UTC."""
    return from_datetime(datetime.now(UTC))


def new_id() -> str:
    """Return an id nobody has used: 16 random bytes, in hexadecimal."""
    return secrets.token_hex(16)


@dataclass(slots=True)
class ClaimStore:
    """An open store.

    Attributes:
        url: where it is.
        writer, reader: engines for writing and for reading.
        lineage: the random id of this history; a copy that went another way has another.
        now: returns the time in microseconds; read once per action.
        new_id: returns a fresh operation id.
    """

    url: str
    writer: Engine
    reader: Engine
    lineage: str
    now: Callable[[], int] = read_clock
    new_id: Callable[[], str] = new_id
    snapshots: Snapshots = field(default_factory=Snapshots)

    def close(self) -> None:
        """Close all connections."""
        self.writer.dispose()
        self.reader.dispose()


def _examine_file(url: str) -> bool:
    """Return whether a SQLite store is there, refusing what is something else.

    SQLite itself does the looking: to open and close the file otherwise would give up every lock this process holds on it.
    """
    path = database_file(url)
    if path is None:
        return True
    with file_explained(path):
        if not path.exists():
            return False
        if path.is_dir():
            raise Refusal(Code.BAD_VALUE, f"{path} is a folder. Nothing was opened. Name a file, such as {path}/claimdesk.db.")
        if not path.stat().st_size:
            return False
    plain = open_plain(url)
    try:
        with explained(), plain.connect() as connection:
            mark = connection.exec_driver_sql("PRAGMA application_id").scalar_one()
    except Refusal as refusal:
        if refusal.code is not Code.DAMAGED:
            raise
        raise Refusal(
            Code.DAMAGED, f"{path} is damaged or no SQLite database. It was left as it is. Put a backup in its place, or name another file."
        ) from refusal
    finally:
        plain.dispose()
    if mark not in (0, APPLICATION_ID):
        raise migrations.belongs_elsewhere(path)
    return True


def _missing(url: str) -> Refusal:
    path = database_file(url)
    if path is not None and path.exists() and not path.stat().st_size:
        return Refusal(
            Code.NOT_FOUND, f"{path} is empty. If it held a store, put a backup in its place; else run: python -m store init   (or init --sample)."
        )
    where = path or "that database"
    return Refusal(Code.NOT_FOUND, f"There is no store in {where}. Run: python -m store init   (or init --sample for a demonstration).")


def open_store(url: str, now: Callable[[], int] = read_clock) -> ClaimStore:
    """Open an existing store.

    Raises:
        Refusal: it is not there, is damaged, cannot be reached, or was made by a newer program.
    """
    if not _examine_file(url):
        raise _missing(url)
    plain = open_plain(url)
    try:
        with explained(), plain.connect() as connection:
            revision = migrations.current_revision(connection)
            if revision is None:
                raise _missing(url)
            migrations.check_revision(revision)
            lineage = _find_lineage(connection)
            if lineage is None:
                raise Refusal(
                    Code.DAMAGED, "The store has lost the id of its history. It was left as it is. Put a backup in its place and run verify."
                )
    finally:
        plain.dispose()
    writer, reader = open_engines(url)
    return ClaimStore(url, writer, reader, lineage, now)


def create_store(url: str, now: Callable[[], int] = read_clock) -> ClaimStore:
    """Create or migrate a store, with one person, `operator`, who has every role everywhere.

    Raises:
        Refusal: the place holds something else, cannot be reached, or was made by a newer program.
    """
    _examine_file(url)
    protect_file(url)
    lineage = secrets.token_hex(16)

    def furnish(connection: Connection) -> None:
        nonlocal lineage
        found = _find_lineage(connection)
        if found is not None:
            lineage = found
            return
        connection.execute(sa.insert(t.store), [{"name": "lineage", "value": lineage}, {"name": "made", "value": str(now())}])
        connection.execute(sa.insert(t.tenant), {
            "tenant": STORE_ITSELF, "name": "", "revision": 0, "event_seq": 0, "next_record": 1, "head": "", "policy_version": 0,
        })  # fmt: skip
        connection.execute(sa.insert(t.person), {"tenant": STORE_ITSELF, "person": 1, "id": OPERATOR, "name": "Operator"})
        roles = [{"tenant": STORE_ITSELF, "person": 1, "role": role, "scope": EVERYWHERE} for role in ROLES]
        connection.execute(sa.insert(t.role), roles)

    migrations.upgrade(url, furnish)
    writer, reader = open_engines(url)
    return ClaimStore(url, writer, reader, lineage, now)


def _find_lineage(connection: Connection) -> str | None:
    return connection.execute(sa.select(t.store.c.value).where(t.store.c.name == "lineage")).scalar_one_or_none()
