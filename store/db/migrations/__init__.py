"""Schema versions: which one a database has, and bringing it to the newest in one transaction (Alembic)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db.engine import APPLICATION_ID, BUSY_SECONDS, explained, is_sqlite, open_plain
from store.domain.errors import Code, Refusal

#: Every revision this program knows, oldest first.
KNOWN = ("0001", "0002", "0003", "0004", "0005")


#: Alembic keeps what it works on in a variable of its module.
_one_at_a_time = threading.Lock()

#: Tables every version of the schema has; by these a database of another program is told apart.
_OURS = {"alembic_version", "store", "tenant", "record_state"}


def current_revision(connection: Connection) -> str | None:
    """Return the schema revision of the database, None for an empty one.

    Raises:
        Refusal: the tables in it are another program's, or it does not say its revision.
    """
    tables = set(sa.inspect(connection).get_table_names())
    if not tables:
        return None
    if not tables >= _OURS:
        raise belongs_elsewhere(connection.engine.url.database)
    found = connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalars().all()
    if len(found) != 1:
        raise Refusal(Code.DAMAGED, "The store does not say which schema it has. It was left as it is. Put a backup in its place.")
    return str(found[0])


def belongs_elsewhere(name: object) -> Refusal:
    """Return the refusal to touch a database with other things in it."""
    return Refusal(Code.BAD_VALUE, f"{name} belongs to another program. It was left as it is. Name another file or an empty database.")


def check_revision(revision: str) -> None:
    """Refuse a database whose revision is not the newest this program knows."""
    if revision not in KNOWN:
        raise Refusal(
            Code.NEWER_SCHEMA,
            f"The store has schema {revision}; this program knows up to {KNOWN[-1]}. It was left as it is. Install the newer program.",
        )
    if revision != KNOWN[-1]:
        raise Refusal(Code.BAD_VALUE, f"The store has the older schema {revision}. Make a backup, then run: python -m store init")


def _scripts() -> Any:
    from alembic.config import Config  # noqa: PLC0415 - loaded only where a schema changes: it takes longer than most commands
    from alembic.script import ScriptDirectory  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    config.set_main_option("path_separator", "os")
    return ScriptDirectory.from_config(config)


def upgrade(url: str, furnish: Callable[[Connection], None]) -> None:
    """Bring the database to the newest revision and `furnish` it, in one transaction: entirely, or not at all.

    Raises:
        Refusal: it was made by a newer program, or cannot be reached.
    """
    engine = open_plain(url)
    if engine.dialect.name == "sqlite":
        # The driver would commit before each CREATE; with its own transactions off, one BEGIN holds all of them.
        sa.event.listen(engine, "connect", lambda raw, _record: setattr(raw, "isolation_level", None))
        sa.event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN IMMEDIATE"))
    try:
        with _one_at_a_time, explained(), engine.begin() as connection:
            if not is_sqlite(connection):
                connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{BUSY_SECONDS}s'")
                connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({APPLICATION_ID})")
            revision = current_revision(connection)
            if revision is not None and revision not in KNOWN:
                check_revision(revision)
            if revision != KNOWN[-1]:
                _migrate(connection)
            furnish(connection)
    finally:
        engine.dispose()


def _migrate(connection: Connection) -> None:
    from alembic.config import Config  # noqa: PLC0415 - as above
    from alembic.runtime.environment import EnvironmentContext  # noqa: PLC0415

    scripts = _scripts()

    def run(found: tuple[str, ...] | str, _context: Any) -> list[object]:
        steps: list[object] = scripts._upgrade_revs("head", found)  # noqa: SLF001 - Alembic's own env.py pattern
        return steps

    with EnvironmentContext(Config(), scripts, fn=run) as environment:
        environment.configure(connection=connection, transactional_ddl=True, transaction_per_migration=False)
        environment.run_migrations()
    if is_sqlite(connection):
        connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
