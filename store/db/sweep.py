"""Sweeping out what erased rows leave behind in files: free pages, the write-ahead log, dead rows, old entries of the full-text index, samples.

Nothing here changes what the store says, so it runs outside transactions, may be broken off and run again. It takes about
the time of copying the database, and others wait that long to write: on SQLite once, on PostgreSQL table by table.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa

from store.db import tables as t
from store.db.claim_store import ClaimStore
from store.db.engine import explain, explained, is_sqlite, open_plain
from store.db.residue import INDEX, text_columns
from store.domain.errors import Code

#: How long others are waited for, altogether, in seconds.
PATIENCE = 30.0
_PAUSE = 0.2
#: Whether the person of this connection may rewrite the database's own tables.
_MAY_REWRITE = "SELECT pg_catalog.pg_has_role(datdba, 'MEMBER') FROM pg_database WHERE datname = current_database()"
#: The columns of a table of which there are samples, with their types.
_SAMPLED = (
    "SELECT a.attname::text, format_type(a.atttypid, a.atttypmod) FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid"
    " JOIN pg_stats s ON s.tablename = c.relname AND s.attname = a.attname AND s.schemaname = current_schema()"
    " WHERE c.oid = %s::text::regclass AND pg_has_role(c.relowner, 'MEMBER')"
)
#: Entries that were taken out stay in older segments of the full-text index until these are merged.
_OPTIMIZE = "INSERT INTO search_text (search_text) VALUES ('optimize')"


@dataclass(slots=True)
class Swept:
    """How a sweep went.

    Attributes:
        left: what could not be swept because others used it all the time; sweep again.
        beyond: what only the owner of the database may sweep; the server does so by itself in time.
        seconds: how long it took.
    """

    left: list[str] = field(default_factory=list)
    beyond: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def complete(self) -> bool:
        """Return whether nothing is left to be swept."""
        return not self.left


def sweep_leftovers(store: ClaimStore, *, patience: float = PATIENCE) -> Swept:
    """Rewrite the files of a store, so that nothing of erased rows is left in them.

    Args:
        patience: for how many seconds others are waited for.

    Raises:
        Refusal: the database cannot be reached, or its disk is full.
    """
    begun = time.monotonic()
    swept = Swept()
    engine = open_plain(store.url)
    try:
        with explained():
            sweep = _sweep_sqlite if is_sqlite(engine) else _sweep_postgresql
            sweep(engine, swept, begun + patience)
    finally:
        engine.dispose()
    swept.seconds = time.monotonic() - begun
    return swept


def _sweep_sqlite(engine: Any, swept: Swept, until: float) -> None:
    with _committing(engine) as connection:
        for pragma in ("busy_timeout=1000", "secure_delete=ON", "temp_store=MEMORY"):
            connection.exec_driver_sql(f"PRAGMA {pragma}")
        _patiently(swept, "the full-text index", until, lambda: connection.exec_driver_sql(_OPTIMIZE))
        if connection.exec_driver_sql("SELECT count(*) FROM sqlite_master WHERE name = 'sqlite_stat4'").scalar_one():
            _patiently(swept, "statistics", until, lambda: connection.exec_driver_sql("ANALYZE"))
        _patiently(swept, "free pages", until, lambda: connection.exec_driver_sql("VACUUM"))
        while connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").one()[0]:
            if time.monotonic() >= until:
                swept.left.append("the write-ahead log")
                return
            time.sleep(_PAUSE)


def _sweep_postgresql(engine: Any, swept: Swept, until: float) -> None:
    with _committing(engine) as connection:
        connection.exec_driver_sql("SET lock_timeout = '1s'")
        names = [table.name for table in t.metadata.sorted_tables if text_columns(table)] + [INDEX]
        for name in names:
            _patiently(swept, name, until, lambda name=name: _rewrite(connection, name))  # type: ignore[misc]
        # The planner keeps samples of values; those of before stand in its own table until that is rewritten too.
        if connection.exec_driver_sql(_MAY_REWRITE).scalar_one():
            _patiently(swept, "pg_statistic", until, lambda: connection.exec_driver_sql("VACUUM FULL pg_statistic"))
        else:
            swept.beyond.append("pg_statistic")
        _patiently(swept, "checkpoint", until, lambda: _checkpoint(connection))


def _rewrite(connection: Any, name: str) -> None:
    """Rewrite a table, and take samples of it anew; of an empty one PostgreSQL takes none and keeps those it has, so there they are given up."""
    connection.exec_driver_sql(f'VACUUM (FULL, ANALYZE) "{name}"')
    if connection.exec_driver_sql(f'SELECT EXISTS (SELECT FROM "{name}")').scalar_one():  # noqa: S608 - names from our tables
        return
    for column, kind in connection.exec_driver_sql(_SAMPLED, (name,)).all():
        # To be given the type it has changes nothing of an empty table, and what was known of its values goes.
        connection.exec_driver_sql(f'ALTER TABLE "{name}" ALTER COLUMN "{column}" TYPE {kind}')


def _checkpoint(connection: Any) -> None:
    """Have the server write out and let go of old files; who may not ask for that waits until it does so by itself."""
    try:
        connection.exec_driver_sql("CHECKPOINT")
    except sa.exc.ProgrammingError:
        return


def _patiently(swept: Swept, what: str, until: float, step: Callable[[], Any]) -> None:
    """Take a step, again and again while others are in the way; what does not work out until then is left."""
    while True:
        try:
            step()
        except sa.exc.DBAPIError as error:
            refusal = explain(error)
            if refusal is None or refusal.code is not Code.BUSY or "disk" in refusal.message:
                raise
            if time.monotonic() >= until:
                swept.left.append(what)
                return
            time.sleep(_PAUSE)
        else:
            return


@contextmanager
def _committing(engine: Any) -> Iterator[Any]:
    """Yield a connection on which every statement is a transaction of its own."""
    if is_sqlite(engine):
        sa.event.listen(engine, "connect", lambda raw, _record: setattr(raw, "isolation_level", None))
        with engine.connect() as connection:
            yield connection
    else:
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            yield connection
