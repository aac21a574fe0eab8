"""Scratch places for drills: databases of the kind the store is kept in, made for the while and dropped, whatever happens."""

from __future__ import annotations

import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.engine import make_url

from store.db.backups import sqlite_url
from store.db.engine import database_file, explained, file_explained, open_plain


class Scratch:
    """Gives empty places for stores.

    Attributes:
        folder: for files; only its owner can enter it.
        kind: the database the places are in: `sqlite`, or `postgresql` where the store is in it and databases may be made there.
    """

    def __init__(self, url: str, folder: Path) -> None:
        self.folder, self.kind = folder, "sqlite"
        self._url, self._made = url, list[str]()
        if database_file(url) is None:
            with explained():
                self.kind = "postgresql" if self._may_create() else "sqlite"

    def place(self) -> str:
        """Return the URL of an empty place."""
        name = f"claimdesk_drill_{secrets.token_hex(6)}"
        if self.kind == "sqlite":
            return sqlite_url(self.folder / f"{name}.db")
        self._made.append(name)
        with explained():
            self._run(f'CREATE DATABASE "{name}"')
        return make_url(self._url).set(database=name).render_as_string(hide_password=False)

    def drop(self) -> None:
        """Drop every place that was given."""
        for name in self._made:
            with suppress(sa.exc.DBAPIError):
                self._run(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')

    def _may_create(self) -> bool:
        engine = open_plain(self._url)
        try:
            with engine.connect() as connection:
                found = connection.exec_driver_sql("SELECT rolcreatedb OR rolsuper FROM pg_roles WHERE rolname = current_user").scalar_one_or_none()
                return bool(found)
        finally:
            engine.dispose()

    def _run(self, statement: str) -> None:
        engine = open_plain(self._url)
        try:
            with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
                connection.exec_driver_sql(statement)
        finally:
            engine.dispose()


@contextmanager
def scratch_places(url: str) -> Iterator[Scratch]:
    """Give scratch places apart from a store, and remove all that was put there."""
    with file_explained(Path(tempfile.gettempdir()) / "claimdesk-drill"):
        folder = Path(tempfile.mkdtemp(prefix="claimdesk-drill-"))
    try:
        scratch = Scratch(url, folder)
        try:
            yield scratch
        finally:
            scratch.drop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
