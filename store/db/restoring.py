"""Putting a backup in a store's place: prepared in a scratch file, where what was forgotten since is erased again, then copied at once (R28).

The place itself never holds anything of the backup that was forgotten. It is filled in one transaction: killed anywhere,
there is the store of before, or nothing, or the restored one.
"""

from __future__ import annotations

import json
import secrets
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import migrations
from store.db import tables as t
from store.db.backups import BACKUP, check_copy, copy_rows, is_backup, load_backups, sqlite_url
from store.db.bulk import refresh_statistics
from store.db.claim_store import FORMER, ClaimStore, lineages_of, open_store
from store.db.engine import APPLICATION_ID, copy_file, database_file, explained, file_explained, open_plain, open_side_file, protect_file
from store.db.export_copies import pack_records, unpack_records
from store.db.ledger_files import ledger_path, open_ledger
from store.db.reapplying import go_on_with_begun
from store.db.reindexing import rebuild_words
from store.db.tenants import list_all_tenants
from store.db.transaction import load_actor, write
from store.domain.errors import Code, Refusal
from store.domain.forgetting import RequestState
from store.domain.people import Right
from store.domain.scopes import EVERYWHERE

#: Scratch folders of restores that were killed are removed by a later one after this many seconds.
_ABANDONED = 3600.0
_HAS_STORE = "SELECT name FROM sqlite_master WHERE name = 'store'"
_NOT_RESTORED = "The backup was not restored"


@dataclass(slots=True)
class Place:
    """Where a backup is to be restored.

    Attributes:
        holds_store: whether a store is there that would be replaced; `of` is the id of its ledger.
        replace: whether that may be another store than the one the backup was made of.
        backups: the rows of its register of backups, as far as they can be read; `exports` those of its register of exports.
        asked: (tenant, id) of deletion requests that block records and are not in the ledger yet, because erasing has not begun.
        damaged: whether what is there cannot be read.
        ledger: the file of the ledger, where that is not kept as usual.
        seen: which store was there, and how far it had come; empty where none was.
    """

    url: str
    replace: bool = False
    holds_store: bool = False
    of: str | None = None
    damaged: bool = False
    ledger: Path | None = None
    backups: tuple[dict[str, Any], ...] = ()
    exports: tuple[dict[str, Any], ...] = ()
    asked: tuple[tuple[int, str], ...] = ()
    seen: tuple[Any, ...] = ()


def look_at_place(url: str, person: str, *, replace: bool, authenticated: bool) -> Place:
    """Return what is in a place, having made sure that a backup may be put there.

    Raises:
        Refusal: a store is there and is not to be replaced by this person; or what is there is damaged or another program's.
    """
    place, path = Place(url, replace), database_file(url)
    if path is not None:
        with file_explained(path):
            if path.is_dir():
                raise Refusal(Code.BAD_VALUE, f"{path} is a folder. {_NOT_RESTORED}. Name a file in it.")
            if not path.exists() or not path.stat().st_size:
                return place
    plain = open_plain(url)
    try:
        with explained(), plain.connect() as connection:
            if migrations.current_revision(connection) is None:
                return place
            known = {name: value for name, value in connection.execute(sa.select(t.store.c.name, t.store.c.value))}  # noqa: C416 - rows are no pairs
            place.holds_store, place.of = "lineage" in known, known.get("ledger")
            place.seen = _look(lambda query: [tuple(row) for row in connection.exec_driver_sql(query)])
            if place.holds_store:
                load_actor(connection, person, authenticated=authenticated).need(Right.ADMINISTER, EVERYWHERE, "put a backup in the store's place")
                with suppress(sa.exc.DBAPIError):
                    _take_registers(connection, place)
    except Refusal as refusal:
        if refusal.code is not Code.DAMAGED or path is None:
            raise
        if not replace:
            raise Refusal(Code.BAD_VALUE, f"{path} holds something already, and it is damaged. {_NOT_RESTORED}. Say --replace to put the backup in its place.") from refusal
        place.holds_store = place.damaged = True
    finally:
        plain.dispose()
    return place


def _look(ask: Callable[[str], list[Any]]) -> tuple[Any, ...]:
    """Return which store is in a place and how far each tenant's events go, from what answers queries there."""
    lineage = ask("SELECT value FROM store WHERE name = 'lineage'")
    return (lineage, ask("SELECT tenant, event_seq FROM tenant ORDER BY tenant")) if lineage else ()


def _need_unchanged(place: Place, ask: Callable[[str], list[Any]]) -> None:
    """Make sure, where nobody else can change it any more, that a place is as it was looked at.

    Raises:
        Refusal: `busy`, somebody made or restored a store there meanwhile, or worked in it.
    """
    if not place.damaged and _look(ask) != place.seen:
        what = "Somebody worked in the store" if place.seen else "Somebody put a store there"
        raise Refusal(Code.BUSY, f"{what} while the backup was prepared. {_NOT_RESTORED}. Look at what is there now, then restore again.")


def _take_registers(connection: Connection, place: Place) -> None:
    r = t.deletion_request
    waiting = sa.select(r.c.tenant, r.c.id).where(r.c.state == int(RequestState.OPEN), r.c.begun_at.is_(None)).order_by(r.c.tenant, r.c.request)
    place.asked = tuple((row.tenant, row.id) for row in connection.execute(waiting))
    place.backups = tuple(row._asdict() for row in load_backups(connection))
    place.exports = tuple(row._asdict() for row in connection.execute(sa.select(t.export_copy)))


@contextmanager
def scratch_folder(url: str) -> Iterator[Path]:
    """Give a folder only its owner can enter, beside a SQLite store or among temporary files, and remove it with all that is in it."""
    path = database_file(url)
    parent = Path(tempfile.gettempdir()) if path is None else path.parent
    name = "database" if path is None else path.name
    with file_explained(parent):
        parent.mkdir(parents=True, exist_ok=True)
        for left in parent.glob(f".{name}.restore-*"):
            if time.time() - left.stat().st_mtime > _ABANDONED:
                shutil.rmtree(left, ignore_errors=True)
        folder = Path(tempfile.mkdtemp(prefix=f".{name}.restore-", dir=parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def prepare(backup: Path, folder: Path, place: Place, person: str, now: Callable[[], int], *, authenticated: bool) -> tuple[Path, dict[str, Any]]:
    """Return a file in `folder` with a backup as it is to be restored, and what was done to it.

    Raises:
        Refusal: it is no backup or a damaged one, or of another store than the one it would replace; its ledger is missing, another store's or older than it.
    """
    if not backup.is_file():
        raise Refusal(Code.NOT_FOUND, f"There is no file {backup}. {_NOT_RESTORED}. Run backups to see which were made.")
    if not is_backup(backup):
        raise Refusal(Code.BAD_VALUE, f"{backup} is no backup of a store. {_NOT_RESTORED}. Name a file that backup wrote.")
    scratch = folder / "restored.db"
    with file_explained(scratch):
        shutil.copyfile(backup, scratch)
        scratch.chmod(0o600)
    url = sqlite_url(scratch)
    engine = open_side_file(scratch)
    try:
        with explained(), engine.connect() as connection:
            check_copy(connection)
            connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
    finally:
        engine.dispose()
    if place.holds_store and not place.damaged and not place.replace and _about(url).get("ledger") != place.of:
        raise Refusal(
            Code.BAD_VALUE, f"Another store than the one it was made of is there. {_NOT_RESTORED}. Say --replace to put the backup in its place, or name another place."
        )
    migrations.upgrade(url, lambda connection: _begin_anew(connection, place))
    about = _about(url)
    ledger = open_ledger(place.ledger or ledger_path(place.url, about["ledger"]), about["ledger"], int(about["ledger_seq"]), what=_NOT_RESTORED)
    seq = ledger.seq
    ledger.close()
    store = open_store(url, now, ledger=ledger.path)
    try:
        revisions = _note_restored(store, person, int(about[BACKUP]), authenticated)
        with store.writer.begin() as connection:
            connection.execute(sa.delete(t.store).where(t.store.c.name == BACKUP))
            rebuild_words(connection)
    finally:
        store.close()
    _tidy(scratch)
    return scratch, {"store": store.lineage, "revisions": revisions, "erased_again": seq - int(about["ledger_seq"])}


def _begin_anew(connection: Connection, place: Place) -> None:
    """Give the history another id, so that nothing previewed before counts, and take over what the replaced store knows of copies.

    Raises:
        Refusal: the replaced store has a request that blocks records, and the backup would make them readable.
    """
    r = t.deletion_request
    known = {(row.tenant, row.id) for row in connection.execute(sa.select(r.c.tenant, r.c.id))}
    if lost := [name for tenant, name in place.asked if (tenant, name) not in known]:
        named = ", ".join(lost[:5]) + (f" and {len(lost) - 5:,} more" if len(lost) > 5 else "")
        raise Refusal(
            Code.ILLEGAL_STEP, f"The backup does not know of {named}: what that blocks would be readable again. {_NOT_RESTORED}. Run or refuse it first."
        )
    former = lineages_of(connection)
    s, b = t.store, t.backup_copy
    connection.execute(sa.update(s).where(s.c.name == "lineage").values(value=secrets.token_hex(16)))
    connection.execute(sa.delete(s).where(s.c.name == FORMER))
    connection.execute(sa.insert(s), {"name": FORMER, "value": json.dumps(former)})
    connection.execute(sa.delete(t.preview))
    go_on_with_begun(connection)
    following = {row.tenant: row.next_record for row in connection.execute(sa.select(t.tenant.c.tenant, t.tenant.c.next_record))}
    _take_over(connection, b, "backup", place.backups)
    exports = [row for row in place.exports if row["tenant"] in following]
    for row in exports:
        # Numbers from there on are given out again, to other records.
        row["records"] = pack_records(one for one in unpack_records(row["records"]).tolist() if one < following[row["tenant"]])
    _take_over(connection, t.export_copy, "export", exports)


def _take_over(connection: Connection, table: sa.Table, key: str, rows: Iterable[dict[str, Any]]) -> None:
    """Add what a register lacks, and note what is gone by now."""
    for row in rows:
        where = (table.c.tenant == row["tenant"], table.c[key] == row[key])
        if connection.execute(sa.select(table.c[key]).where(*where)).scalar_one_or_none() is None:
            connection.execute(sa.insert(table), row)
        elif row["gone_at"] is not None:
            connection.execute(sa.update(table).where(*where).values(gone_at=row["gone_at"], gone_by=row["gone_by"]))


def _about(url: str) -> dict[str, str]:
    plain = open_plain(url)
    try:
        with explained(), plain.connect() as connection:
            return {name: value for name, value in connection.execute(sa.select(t.store.c.name, t.store.c.value))}  # noqa: C416 - rows are no pairs
    finally:
        plain.dispose()


def _note_restored(store: ClaimStore, person: str, number: int, authenticated: bool) -> dict[str, int]:
    """Write an event into every tenant's history that says from where it goes on; return tenant -> revision."""
    with store.reader.begin() as connection:
        load_actor(connection, person, authenticated=authenticated).need(Right.ADMINISTER, EVERYWHERE, "restore a backup")
        tenants = list_all_tenants(connection)
    found = {}
    for _, name in tenants:
        with write(store, person, name, "restore", [number], authenticated=authenticated) as tx:
            tx.reason = f"restored from backup {number}"
            tx.result = {"backup": number, "event": tx.seq}
            found[name] = tx.seq
    return found


def _tidy(scratch: Path) -> None:
    """Leave one plain file without anything that was erased in it."""
    engine = open_side_file(scratch)
    try:
        with explained(), engine.connect() as connection:
            connection.exec_driver_sql("VACUUM")
            check_copy(connection)
    finally:
        engine.dispose()


def put_in_place(scratch: Path, place: Place) -> None:
    """Fill a place with a prepared file, in one transaction.

    Raises:
        Refusal: `busy`, somebody has the store open.
    """
    if database_file(place.url) is not None:
        protect_file(place.url)
        if place.damaged:
            # Nothing in it can be kept apart from what replaces it.
            path = Path(str(database_file(place.url)))
            for end in ("-wal", "-shm", "-journal"):
                path.with_name(path.name + end).unlink(missing_ok=True)
            path.write_bytes(b"")
        copy_file(scratch, place.url, lambda ask: _need_unchanged(place, lambda query: ask(query) if ask(_HAS_STORE) else []))
        return
    migrations.upgrade(place.url, lambda connection: _fill_postgresql(scratch, place, connection))
    plain = open_plain(place.url)
    try:
        refresh_statistics(plain)
    finally:
        plain.dispose()


def _fill_postgresql(scratch: Path, place: Place, target: Connection) -> None:
    query = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
    if others := int(target.exec_driver_sql(query).scalar_one()):
        raise in_use(f"{others:,} connections to it are open")
    _need_unchanged(place, lambda query: [tuple(row) for row in target.exec_driver_sql(query)])
    for table in t.metadata.sorted_tables:
        if table.name in t.APPEND_ONLY:
            target.exec_driver_sql(f'ALTER TABLE "{table.name}" DISABLE TRIGGER USER')
    target.exec_driver_sql("TRUNCATE " + ", ".join(f'"{table.name}"' for table in t.metadata.sorted_tables))
    plain = open_plain(sqlite_url(scratch))
    try:
        with plain.connect() as source:
            copy_rows(source, target)
    finally:
        plain.dispose()
    for table in t.metadata.sorted_tables:
        if table.name in t.APPEND_ONLY:
            target.exec_driver_sql(f'ALTER TABLE "{table.name}" ENABLE TRIGGER USER')
        counted = table.autoincrement_column
        if counted is not None and counted.autoincrement is True:
            last = f'SELECT coalesce(max("{counted.name}"), 0) + 1 FROM "{table.name}"'  # noqa: S608 - names from our tables
            target.exec_driver_sql(f"SELECT setval(pg_get_serial_sequence('{table.name}', '{counted.name}'), ({last}), false)")
    rebuild_words(target)


def in_use(why: str) -> Refusal:
    """Return the refusal to replace a store while somebody has it open."""
    return Refusal(Code.BUSY, f"The store is in use: {why}. {_NOT_RESTORED}. Stop the desk and whatever else has it open, then restore again.")
