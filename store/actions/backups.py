"""Backups of the whole store: making one, putting one in a store's place, and noting that one is destroyed (R28)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from store.db.backups import (
    UNFINISHED,
    is_that_backup,
    is_there,
    load_backups,
    note_backup_gone,
    pack_revisions,
    register_backup,
    remove_backup,
    remove_part,
    settle_backup,
    write_backup,
)
from store.db.claim_store import ClaimStore, read_clock
from store.db.engine import explained, need_elsewhere
from store.db.restoring import look_at_place, prepare, put_in_place, scratch_folder
from store.db.tenants import list_all_tenants
from store.db.transaction import load_actor, read
from store.domain.errors import Code, Refusal
from store.domain.people import Right
from store.domain.scopes import EVERYWHERE
from store.domain.text import find_forbidden
from store.domain.times import word_day

#: Days after which a backup is destroyed by rule, and at most.
KEEP_DAYS, _MOST_DAYS = 30, 36_500
_DAY = 24 * 3600 * 1_000_000


def make_backup(store: ClaimStore, person: str, file: Path, *, keep_days: int = KEEP_DAYS, authenticated: bool = False) -> dict[str, Any]:
    """Write the whole store, of either database, to one SQLite file, check it, and register it.

    The file appears whole or not at all and never over another; only its owner can read it. It does not hold the ledger of
    erasures, which is to be kept apart from backups.

    Args:
        keep_days: after how many days it is to be destroyed.

    Returns:
        `{"backup": number, "file", "bytes", "revisions": {tenant: revision}, "until": microseconds UTC, "ledger"}`.

    Raises:
        Refusal: `not_allowed` unless the person is admin everywhere; something is there already, or it cannot be written.
    """
    if not 1 <= keep_days <= _MOST_DAYS:
        raise Refusal(Code.BAD_VALUE, f"A backup is kept between one and {_MOST_DAYS:,} days. Nothing was written. Give another number of days.")
    path = file.expanduser().absolute()
    if problem := find_forbidden(str(path)):
        raise Refusal(Code.BAD_VALUE, f"Nothing was written: {problem}. Name another file.")
    need_elsewhere(store.url, path, store.ledger.path)
    with read(store, person, authenticated=authenticated) as reading:
        reading.actor.need(Right.ADMINISTER, EVERYWHERE, "back up the store")
        until = reading.at + keep_days * _DAY
        tenants = dict(list_all_tenants(reading.connection))
    with explained():
        number = register_backup(store, person, str(path), until)
        try:
            revisions = write_backup(store, number, path)
        except BaseException:
            with suppress(Refusal):
                settle_backup(store, number, None)
            raise
        settle_backup(store, number, pack_revisions(revisions))
        with store.reader.begin() as connection:
            tenants |= dict(list_all_tenants(connection))
    return {
        "backup": number, "file": str(path), "bytes": path.stat().st_size,
        "revisions": {tenants.get(tenant, str(tenant)): revision for tenant, revision in revisions.items()},
        "until": until, "ledger": str(store.ledger.path),
    }  # fmt: skip


def restore_backup(
    url: str, person: str, file: Path, *, replace: bool = False, now: Callable[[], int] = read_clock, ledger: Path | None = None,
    authenticated: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Put a backup into an empty place or that of the store it was made of, with `replace` of any; what was forgotten since is erased first.

    The history gets another id, so that nothing previewed before can be committed, and an event that says so.

    Args:
        ledger: the file of its ledger, for a scratch place; where ledgers are kept by default.

    Returns:
        `{"restored": file, "store": the new id, "revisions": {tenant: revision}, "erased_again": entries of the ledger that were applied}`.

    Raises:
        Refusal: it is no backup, another store is there or the store is in use, or the ledger is missing, another store's or older than the backup.
    """
    path = file.expanduser().absolute()
    with explained():
        place = look_at_place(url, person, replace=replace, authenticated=authenticated)
        place.ledger = ledger
        with scratch_folder(url) as folder:
            scratch, done = prepare(path, folder, place, person, now, authenticated=authenticated)
            put_in_place(scratch, place)
    return {"restored": str(path), **done}


def record_backup_destroyed(store: ClaimStore, person: str, backup: int, *, authenticated: bool = False) -> dict[str, Any]:
    """Note that a backup was destroyed; deletion requests that wait for that are settled when they are run again.

    Returns:
        `{"backup": number, "destroyed": whether it was not noted before}`.

    Raises:
        Refusal: `not_allowed` unless the person is admin everywhere, `not_found`, or its file is still there; what is left of one whose making was broken off is removed.
    """
    with explained(), store.writer.begin() as connection:
        actor = load_actor(connection, person, authenticated=authenticated)
        actor.need(Right.ADMINISTER, EVERYWHERE, "note that a backup is destroyed")
        row = next((row for row in load_backups(connection) if row.backup == backup), None)
        if row is not None and is_there(row.name):
            raise Refusal(Code.ILLEGAL_STEP, f"Backup {backup} is still there: {row.name}. Nothing was noted. Delete the file first.")
        if row is not None and row.revisions == UNFINISHED:
            with suppress(OSError):
                remove_part(Path(row.name), backup)
        return {"backup": backup, "destroyed": note_backup_gone(connection, backup, store.now(), person)}


def drop_backup(store: ClaimStore, person: str, backup: int, *, early: bool = False, authenticated: bool = False) -> dict[str, Any]:
    """Delete the file of a backup whose date has passed, and note that; deletion requests that wait for it are settled when they are run again.

    Only the file that says of itself that it is this backup of this store is deleted. A file that is not found from here is
    never noted as deleted: it may have been moved, or stand on another machine.

    Args:
        early: delete it although its date has not passed.

    Returns:
        `{"backup": number, "file", "dropped": true}`.

    Raises:
        Refusal: `not_allowed` unless the person is admin everywhere; `not_found`, there is no such backup or its file is not found; it is
            kept still, is noted as destroyed, is another file, or cannot be deleted.
    """
    with explained(), store.writer.begin() as connection:
        actor = load_actor(connection, person, authenticated=authenticated)
        actor.need(Right.ADMINISTER, EVERYWHERE, "delete a backup")
        row = next((row for row in load_backups(connection) if row.backup == backup), None)
        if row is None:
            raise Refusal(Code.NOT_FOUND, f"There is no backup {backup}. Nothing was deleted. Run backups to see them.")
        if row.gone_at is not None:
            raise Refusal(Code.ALREADY_DECIDED, f"Backup {backup} is noted as destroyed already. Nothing was deleted.")
        if row.until > store.now() and not early:
            raise Refusal(
                Code.ILLEGAL_STEP, f"Backup {backup} is kept until {word_day(row.until)}. Nothing was deleted. Wait until then, or say --early."
            )
        path = Path(row.name)
        if not is_there(row.name):
            raise Refusal(
                Code.NOT_FOUND,
                f"The file of backup {backup} is not found from here: {row.name}. Nothing was deleted or noted. Delete it where it is now, then say backups --destroyed {backup}.",
            )
        if path.is_symlink() or not is_that_backup(path, backup, store.ledger.id):
            raise Refusal(Code.OTHER_CONTENT, f"{row.name} is not backup {backup} of this store. Nothing was deleted. Look where that backup went.")
        remove_backup(path, backup)
        note_backup_gone(connection, backup, store.now(), person)
    return {"backup": backup, "file": row.name, "dropped": True}
