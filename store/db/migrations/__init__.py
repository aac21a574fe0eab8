"""Schema versions: which one a database has, and bringing it to the newest in one transaction (Alembic)."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa
from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy.engine import Connection

from store.db.engine import APPLICATION_ID, explained, is_sqlite, open_plain
from store.domain.errors import Code, Refusal

#: Every revision this program knows, oldest first.
KNOWN = ("0001", "0002")


def current_revision(connection: Connection) -> str | None:
    """Return the schema revision of the database, None for an empty one."""
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar_one_or_none()


def check_revision(revision: str) -> None:
    """Refuse a database whose revision is not the newest this program knows."""
    if revision not in KNOWN:
        raise Refusal(
            Code.NEWER_SCHEMA,
            f"The store has schema {revision}; this program knows up to {KNOWN[-1]}. It was left as it is. Install the newer program.",
        )
    if revision != KNOWN[-1]:
        raise Refusal(Code.BAD_VALUE, f"The store has the older schema {revision}. Make a backup, then run: python -m store init")


def _scripts() -> ScriptDirectory:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    config.set_main_option("path_separator", "os")
    return ScriptDirectory.from_config(config)


def upgrade(url: str) -> None:
    """Bring the database to the newest revision: entirely, or not at all.

    Raises:
        Refusal: it was made by a newer program, or cannot be reached.
    """
    engine = open_plain(url)
    if engine.dialect.name == "sqlite":
        # The driver would commit before each CREATE; with its own transactions off, one BEGIN holds all of them.
        sa.event.listen(engine, "connect", lambda raw, _record: setattr(raw, "isolation_level", None))
        sa.event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN IMMEDIATE"))
    try:
        with explained(), engine.begin() as connection:
            revision = current_revision(connection)
            if revision is not None and revision not in KNOWN:
                check_revision(revision)
            if revision == KNOWN[-1]:
                return
            scripts = _scripts()

            def run(found: tuple[str, ...] | str, _context: MigrationContext) -> list[object]:
                return scripts._upgrade_revs("head", found)  # type: ignore[return-value, arg-type]  # noqa: SLF001 - Alembic's own env.py pattern

            with EnvironmentContext(Config(), scripts, fn=run) as environment:
                environment.configure(connection=connection, transactional_ddl=True, transaction_per_migration=False)
                environment.run_migrations()
            if is_sqlite(connection):
                connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
    finally:
        engine.dispose()
