"""Backups of a whole store, as one SQLite file whichever database it is kept in: consistent, checked, whole or not there (R28).

A backup is registered before it is made, so that the register is in it, and no backup exists that nobody was told of. It
never holds the ledger of erasures.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import URL, Connection

from store.db import migrations
from store.db import tables as t
from store.db.bulk import insert_rows
from store.db.claim_store import STORE_ITSELF, ClaimStore
from store.db.engine import BACKUP_MARK, explained, file_explained, is_sqlite, open_plain, open_side_file, sync_to_disk
from store.domain.errors import Code, Refusal

#: The row of `store` that says that the file is a backup, which one, and how long it is kept.
BACKUP = "backup"
#: The mark of a register row whose file is not whole yet.
UNFINISHED = "{}"


def sqlite_url(path: Path) -> str:
    """Return the URL of a SQLite file."""
    return URL.create("sqlite", database=str(path)).render_as_string()


def is_backup(path: Path) -> bool:
    """Return whether a SQLite file says of itself that it is a backup.

    Raises:
        Refusal: it is no SQLite database, is damaged, or cannot be read.
    """
    engine = open_side_file(path)
    try:
        with explained(), engine.connect() as connection:
            return bool(connection.exec_driver_sql("PRAGMA application_id").scalar_one() == BACKUP_MARK)
    finally:
        engine.dispose()


def register_backup(store: ClaimStore, person: str, name: str, until: int) -> int:
    """Enter a backup that is about to be made and return its number."""
    b = t.backup_copy
    with store.writer.begin() as connection:
        # The store's own row serialises it.
        connection.execute(sa.select(t.tenant.c.tenant).where(t.tenant.c.tenant == STORE_ITSELF).with_for_update())
        number = int(connection.execute(sa.select(sa.func.coalesce(sa.func.max(b.c.backup), 0)).where(b.c.tenant == STORE_ITSELF)).scalar_one()) + 1
        seq = connection.execute(sa.select(t.store.c.value).where(t.store.c.name == "ledger_seq")).scalar_one()
        row = {"at": store.now(), "person": person, "name": name, "revisions": UNFINISHED, "ledger_seq": int(seq), "until": until}
        connection.execute(sa.insert(b), {"tenant": STORE_ITSELF, "backup": number, **row})
    return number


def settle_backup(store: ClaimStore, number: int, revisions: str | None) -> None:
    """Note at which revisions a backup stands, or take it out of the register because it was not made."""
    b = t.backup_copy
    where = (b.c.tenant == STORE_ITSELF, b.c.backup == number)
    with store.writer.begin() as connection:
        connection.execute(sa.delete(b).where(*where) if revisions is None else sa.update(b).where(*where).values(revisions=revisions))


def write_backup(store: ClaimStore, number: int, path: Path) -> dict[int, int]:
    """Write a registered backup to a file that is not there yet; return tenant -> revision at which it stands.

    Raises:
        Refusal: `bad_value` where something is there, `damaged` where what was written is not what was read, `busy` where it cannot be written.
    """
    with file_explained(path), _appearing(path, number) as beginning:
        if is_sqlite(store.writer):
            _copy_sqlite(store, beginning)
        else:
            _copy_postgresql(store, beginning)
        engine = open_side_file(beginning)
        try:
            with explained(), engine.connect() as connection:
                connection.exec_driver_sql("BEGIN IMMEDIATE")
                revisions = _stamp(connection, number)
                connection.commit()
                check_copy(connection)
        finally:
            engine.dispose()
    return revisions


@contextmanager
def _appearing(path: Path, number: int) -> Iterator[Path]:
    """Give a file, for its owner only, that appears under its name when it is whole, and never over another."""
    if path.exists() or path.is_symlink():
        raise Refusal(Code.BAD_VALUE, f"{path} is there already, and no backup is written over anything. Nothing was written. Name another file.")
    beginning = _part_of(path, number)
    try:
        os.close(os.open(beginning, os.O_CREAT | os.O_EXCL | os.O_WRONLY, stat.S_IRUSR | stat.S_IWUSR))
        yield beginning
        sync_to_disk(beginning)
        try:
            os.link(beginning, path)  # fails where something is there by now; renaming would put it over that
        except FileExistsError:
            raise Refusal(Code.BAD_VALUE, f"{path} is there by now, and no backup is written over anything. Name another file.") from None
    finally:
        remove_part(path, number)
    sync_to_disk(path.parent)


def _part_of(path: Path, number: int) -> Path:
    return path.with_name(f".{path.name}.{number}.part")


def remove_part(path: Path, number: int) -> None:
    """Remove what the making of a backup left that was broken off."""
    part = _part_of(path, number)
    for end in ("", "-journal", "-wal", "-shm"):
        part.with_name(part.name + end).unlink(missing_ok=True)


def _copy_sqlite(store: ClaimStore, path: Path) -> None:
    plain = open_plain(store.url)
    try:
        with explained(), plain.connect() as connection:
            connection.exec_driver_sql("VACUUM INTO ?", (str(path),))
    finally:
        plain.dispose()


def _copy_postgresql(store: ClaimStore, path: Path) -> None:
    def fill(target: Connection) -> None:
        # One snapshot for all tables: the reader's transactions are REPEATABLE READ.
        with store.reader.begin() as source:
            copy_rows(source, target)

    migrations.upgrade(sqlite_url(path), fill)


def copy_rows(source: Connection, target: Connection, progress: Callable[[str], None] | None = None) -> None:
    """Copy every row of every table into empty ones, as the source's transaction sees them, and compare how many there are."""
    for table in t.metadata.sorted_tables:
        if progress is not None:
            progress(table.name)
        names = [column.name for column in table.columns]
        rows = source.execution_options(stream_results=True, yield_per=2000).execute(sa.select(table))
        count = insert_rows(target, table, names, rows)
        found = target.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()
        if found != count:
            raise Refusal(Code.DAMAGED, f"Of {count:,} rows of {table.name} {found:,} arrived. Nothing was kept. Run verify.")


def _stamp(connection: Connection, number: int) -> dict[int, int]:
    """Mark a file as a backup, note in it at which revisions it stands, and return these."""
    rows = connection.execute(sa.select(t.tenant.c.tenant, t.tenant.c.revision).where(t.tenant.c.tenant != STORE_ITSELF))
    revisions = {int(row.tenant): int(row.revision) for row in rows}
    b = t.backup_copy
    connection.execute(sa.update(b).where(b.c.tenant == STORE_ITSELF, b.c.backup == number).values(revisions=pack_revisions(revisions)))
    connection.execute(sa.insert(t.store), {"name": BACKUP, "value": str(number)})
    connection.exec_driver_sql(f"PRAGMA application_id = {BACKUP_MARK}")
    return revisions


def pack_revisions(revisions: dict[int, int]) -> str:
    """Return revisions as the register keeps them."""
    return json.dumps({str(tenant): revision for tenant, revision in sorted(revisions.items())})


def check_copy(connection: Connection) -> None:
    """Make sure that a SQLite copy is sound and ends, for each tenant, with the event the tenant ends with.

    Raises:
        Refusal: `damaged`.
    """
    sound = connection.exec_driver_sql("PRAGMA integrity_check(1)").scalar_one() == "ok"
    last = sa.select(sa.func.max(t.event.c.seq)).where(t.event.c.tenant == t.tenant.c.tenant).scalar_subquery()
    head = sa.select(t.event.c.hash).where(t.event.c.tenant == t.tenant.c.tenant, t.event.c.seq == t.tenant.c.event_seq).scalar_subquery()
    query = sa.select(t.tenant.c.event_seq, t.tenant.c.head, last, head).where(t.tenant.c.tenant != STORE_ITSELF, t.tenant.c.event_seq > 0)
    for seq, kept, newest, found in connection.execute(query):
        sound &= seq == newest and kept == found
    if not sound:
        raise Refusal(Code.DAMAGED, "What was written is not what the store holds. Nothing was kept. Run verify, and look at the disk.")


def load_backups(connection: Connection) -> list[Any]:
    """Return the rows of the register of backups, oldest first."""
    b = t.backup_copy
    return list(connection.execute(sa.select(b).where(b.c.tenant == STORE_ITSELF).order_by(b.c.backup)))


def is_there(name: str) -> bool:
    """Return whether a backup's file is where it was written, as far as can be seen from here."""
    try:
        return Path(name).exists()
    except OSError:
        return False


def is_that_backup(path: Path, number: int, ledger: str) -> bool:
    """Return whether a file is the backup of a number, of a store with a ledger of this id.

    Raises:
        Refusal: it is no SQLite database, is damaged, or cannot be read.
    """
    if not is_backup(path):
        return False
    engine = open_side_file(path)
    try:
        with explained(), engine.connect() as connection:
            said = {row.name: row.value for row in connection.execute(sa.select(t.store.c.name, t.store.c.value))}
    finally:
        engine.dispose()
    return (said.get(BACKUP), said.get("ledger")) == (str(number), ledger)


def remove_backup(path: Path, number: int) -> None:
    """Delete the file of a backup with what stands beside it; what it held is not written over on the disk.

    Raises:
        Refusal: the file system does not let it be deleted.
    """
    with file_explained(path):
        for end in ("-journal", "-wal", "-shm", ""):
            path.with_name(path.name + end).unlink(missing_ok=True)
        remove_part(path, number)
        sync_to_disk(path.parent)


def note_backup_gone(connection: Connection, number: int, at: int, person: str) -> bool:
    """Note that a backup was destroyed; return whether it was not noted before.

    Raises:
        Refusal: `not_found`.
    """
    b = t.backup_copy
    where = (b.c.tenant == STORE_ITSELF, b.c.backup == number)
    if connection.execute(sa.select(b.c.backup).where(*where)).scalar_one_or_none() is None:
        raise Refusal(Code.NOT_FOUND, f"There is no backup {number}. Nothing was changed. Run backups to see them.")
    return bool(connection.execute(sa.update(b).where(*where, b.c.gone_at.is_(None)).values(gone_at=at, gone_by=person)).rowcount)
