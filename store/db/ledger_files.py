"""Where the ledger of a store is kept, how it is made, and what is made sure of when it is opened."""

from __future__ import annotations

import os
import re
import secrets
import stat
from pathlib import Path

import sqlalchemy as sa

from store.db.engine import database_file, database_name, file_explained, open_side_file, sync_to_disk
from store.db.ledger import HOW_TO_PROCEED, LEDGER_MARK, TABLES, Ledger, foreign_ledger, ledger_behind, ledger_explained
from store.domain.errors import Code, Refusal

ENDING = ".ledger"


def ledger_path(url: str, ledger_id: str) -> Path:
    """Return where the ledger of a store is kept: `CLAIMDESK_LEDGER`, beside a SQLite file, or among the state of PostgreSQL's user."""
    given = os.environ.get("CLAIMDESK_LEDGER")
    if given:
        place = Path(given).expanduser()
        return place / f"{ledger_id}{ENDING}" if place.is_dir() or given.endswith(os.sep) else place
    file = database_file(url)
    if file is not None:
        return file.with_name(file.name + ENDING)
    state = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
    name = re.sub(r"[^A-Za-z0-9._-]", "_", database_name(url))
    return state / "claimdesk" / f"{name}-{ledger_id}{ENDING}"


def make_ledger(url: str, file: Path | None = None) -> tuple[str, int, bool]:
    """Make the ledger of a store that has none yet, or take over the one that stands in its place already.

    A ledger stands there when making the store was interrupted, or when a store was removed and its ledger was not: what
    was erased then stays erased.

    Returns:
        Its id, its latest entry, and whether it was made now.

    Raises:
        Refusal: it cannot be made, or what stands there is no ledger.
    """
    ledger_id = secrets.token_hex(16)
    path = file or ledger_path(url, ledger_id)
    with file_explained(path):
        if path.exists():
            found = Ledger(path)
            if found.is_taken and database_file(url) != path.with_name(path.name.removesuffix(ENDING)):
                raise Refusal(
                    Code.LEDGER_FOREIGN,
                    f"{path} is the ledger of erasures of another store. Nothing was made. Set CLAIMDESK_LEDGER to a folder, or to a file of its own.",
                )
            return found.id, found.seq, False
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        beginning = path.with_name(f"{path.name}.{secrets.token_hex(4)}.new")
        try:
            os.close(os.open(beginning, os.O_CREAT | os.O_EXCL | os.O_WRONLY, stat.S_IRUSR | stat.S_IWUSR))
            engine = open_side_file(beginning)
            try:
                with ledger_explained(path), engine.connect() as connection:
                    connection.exec_driver_sql("BEGIN IMMEDIATE")
                    connection.exec_driver_sql(f"PRAGMA application_id = {LEDGER_MARK}")
                    for statement in TABLES:
                        connection.exec_driver_sql(statement)
                    connection.execute(sa.text("INSERT INTO ledger (name, value) VALUES ('id', :id)"), {"id": ledger_id})
                    connection.commit()
            finally:
                engine.dispose()
            beginning.replace(path)  # whole, or not there
            sync_to_disk(path.parent)
        finally:
            beginning.unlink(missing_ok=True)
            beginning.with_name(beginning.name + "-journal").unlink(missing_ok=True)
    return ledger_id, 0, True


def open_ledger(path: Path, ledger_id: str, ledger_seq: int, *, what: str = "The store was not opened") -> Ledger:
    """Open the ledger of a store, having made sure that it is the store's and has not lost anything.

    Args:
        what: what is not done otherwise, as the beginning of a sentence.
        ledger_seq: how far the store has gone in it.

    Raises:
        Refusal: `ledger_missing`, `ledger_foreign`, `ledger_behind`, or `damaged`.
    """
    with file_explained(path):
        there = path.is_file()
    if not there:
        raise Refusal(
            Code.LEDGER_MISSING,
            f"The store's ledger of erasures is not there: it was looked for in {path}. Without it something forgotten could come back. "
            f"{what}. {HOW_TO_PROCEED}",
        )
    ledger = Ledger(path)
    if ledger.id != ledger_id:
        raise foreign_ledger(path, what)
    if ledger.seq < ledger_seq:
        raise ledger_behind(path, ledger.seq, ledger_seq, what)
    return ledger
