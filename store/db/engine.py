"""Engines for SQLite and PostgreSQL: the only module that asks which of the two it is, and what their errors mean."""

from __future__ import annotations

import errno
import os
import re
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.engine import URL, Connection, Engine, make_url
from sqlalchemy.pool import NullPool

from store.db.compiled_statements import SHARED
from store.domain.errors import Code, Refusal

#: Earlier SQLite libraries can lose committed data when a WAL is reset (fixed in 3.51.3).
OLDEST_SQLITE = (3, 51, 3)
#: Marks the file as a Claimdesk store ("CLMD").
APPLICATION_ID = 0x434C4D44
#: Marks it as a backup of one ("CLMB").
BACKUP_MARK = 0x434C4D42
BUSY_SECONDS = 5

#: Of every engine: values stay out of errors, and what is compiled is compiled once.
_ALWAYS: dict[str, Any] = {"hide_parameters": True, "execution_options": SHARED}

_PRAGMAS = (
    "journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", f"busy_timeout={BUSY_SECONDS * 1000}", "recursive_triggers=ON",
    "secure_delete=FAST", "trusted_schema=OFF", "cell_size_check=ON", "temp_store=MEMORY", "cache_size=-65536",
    "mmap_size=1073741824", "journal_size_limit=67108864",
)  # fmt: skip


def _sqlite_module() -> Any:
    import pysqlite3.dbapi2 as module  # noqa: PLC0415 - only where the store is a SQLite file

    if module.sqlite_version_info < OLDEST_SQLITE:
        wanted = ".".join(map(str, OLDEST_SQLITE))
        raise Refusal(
            Code.OLD_SQLITE,
            f"The SQLite library is {module.sqlite_version}; below {wanted} it can lose committed data. "
            "The store was not opened. Run pip install -r requirements.txt.",
        )
    return module


def _set_pragma(connection: Any, pragma: str, locked: type[Exception]) -> None:
    """Set one, waiting for whoever has the file alone: to turn the WAL on SQLite needs it alone, and does not wait itself."""
    end = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA " + pragma)
        except locked as error:
            if not _BUSY.search(str(error)) or time.monotonic() > end:
                raise
            time.sleep(0.01)
        else:
            return


def _open_sqlite(url: URL) -> tuple[Engine, Engine]:
    module = _sqlite_module()

    def build() -> Engine:
        return sa.create_engine(url, module=module, connect_args={"check_same_thread": False}, pool_size=16, max_overflow=48, **_ALWAYS)

    def connect(query_only: bool) -> Any:
        def configure(connection: Any, _record: Any) -> None:
            connection.isolation_level = None
            for pragma in _PRAGMAS:
                _set_pragma(connection, pragma, module.OperationalError)
            if query_only:
                connection.execute("PRAGMA query_only=ON")

        return configure

    def begin(statement: str) -> Any:
        def start(connection: Connection) -> None:
            connection.exec_driver_sql(statement)

        return start

    writer, reader = build(), build()
    sa.event.listen(writer, "connect", connect(query_only=False))
    sa.event.listen(reader, "connect", connect(query_only=True))
    # Plain BEGIN takes the lock too late: a transaction that read first then fails at once, busy timeout or not.
    sa.event.listen(writer, "begin", begin("BEGIN IMMEDIATE"))
    sa.event.listen(reader, "begin", begin("BEGIN"))
    return writer, reader


def _open_postgresql(url: URL) -> tuple[Engine, Engine]:
    url = url.set(drivername="postgresql+psycopg")
    options = "-c lock_timeout=5s -c idle_in_transaction_session_timeout=60s -c jit=off -c timezone=UTC"
    arguments = {"options": options, "application_name": "claimdesk", "connect_timeout": 5}
    writer = sa.create_engine(
        url, pool_pre_ping=True, connect_args=arguments, isolation_level="READ COMMITTED", pool_size=16, max_overflow=48, **_ALWAYS
    )
    # One snapshot for all statements of a read; nothing is ever written through it.
    reader = sa.create_engine(
        url, pool_pre_ping=True, connect_args=arguments, isolation_level="REPEATABLE READ", pool_size=16, max_overflow=48, **_ALWAYS
    )
    return writer, reader


def _parse_url(url: str) -> URL:
    """Return the URL of a place where a store may be.

    Raises:
        Refusal: `bad_value`, it is no such URL.
    """
    try:
        parsed = make_url(url)
    except (sa.exc.ArgumentError, ValueError):
        raise Refusal(Code.BAD_VALUE, "That is no database URL. Nothing was opened. Give sqlite:///file.db or postgresql://user@host/name.") from None
    kind = parsed.get_backend_name()
    if kind not in ("sqlite", "postgresql"):
        raise Refusal(Code.BAD_VALUE, f"A store is kept in SQLite or PostgreSQL, not in {kind}. Nothing was opened. Give the URL of one of these.")
    if kind == "sqlite" and parsed.database in (None, "", ":memory:"):
        raise Refusal(Code.BAD_VALUE, "A store needs a file. Nothing was opened. Give one, such as sqlite:///claimdesk.db.")
    return parsed


def open_engines(url: str) -> tuple[Engine, Engine]:
    """Return an engine for writing and one for reading.

    Raises:
        Refusal: the URL is none, or the SQLite library is too old.
    """
    parsed = _parse_url(url)
    return _open_sqlite(parsed) if parsed.get_backend_name() == "sqlite" else _open_postgresql(parsed)


def open_plain(url: str) -> Engine:
    """Return an engine without pool or settings, for looking at a file before it is trusted."""
    parsed = _parse_url(url)
    if parsed.get_backend_name() == "sqlite":
        return sa.create_engine(parsed, module=_sqlite_module(), poolclass=NullPool, **_ALWAYS)
    return sa.create_engine(
        parsed.set(drivername="postgresql+psycopg"), poolclass=NullPool, connect_args={"connect_timeout": 5}, **_ALWAYS
    )


def open_side_file(path: Path) -> Engine:
    """Return an engine for a small SQLite file beside the store: no pool, no transactions of the driver's own, every commit on the disk."""
    engine = sa.create_engine(URL.create("sqlite", database=str(path)), module=_sqlite_module(), poolclass=NullPool, **_ALWAYS)

    def configure(connection: Any, _record: Any) -> None:
        connection.isolation_level = None
        # EXTRA is FULL that also makes sure that the journal is gone from its folder: a commit that returned is not rolled back.
        for pragma in ("journal_mode=DELETE", "synchronous=EXTRA", f"busy_timeout={BUSY_SECONDS * 1000}", "secure_delete=ON", "trusted_schema=OFF"):
            connection.execute("PRAGMA " + pragma)

    sa.event.listen(engine, "connect", configure)
    return engine


def copy_file(source: Path, url: str, check: Callable[[Callable[[str], list[Any]]], None]) -> None:
    """Put the content of one SQLite file into another at once, in a transaction of its own.

    Args:
        check: is given what answers queries of the other file once nobody else can change it, and may refuse.

    Raises:
        Refusal: `busy`, somebody has the other one open.
    """
    module, path = _sqlite_module(), database_file(url)
    with closing(module.connect(source)) as one, closing(module.connect(path, timeout=BUSY_SECONDS, isolation_level=None)) as other:
        try:
            other.execute("PRAGMA locking_mode=EXCLUSIVE")
            other.execute("PRAGMA synchronous=FULL")
            other.execute("PRAGMA secure_delete=ON")
            other.execute("BEGIN EXCLUSIVE")  # refused while any connection to it is open, where it is in WAL mode
            other.execute("ROLLBACK")
            check(lambda query: [tuple(row) for row in other.execute(query)])
            one.backup(other)
            other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except module.Error as error:
            if _BUSY.search(str(error)):
                raise Refusal(
                    Code.BUSY, "The store is in use. Nothing was put in its place. Stop the desk and whatever else has it open, then restore again."
                ) from error
            refusal = explain(sa.exc.DBAPIError("", None, error))
            if refusal is None:
                raise
            raise refusal from error


def is_sqlite(connection: Connection | Engine) -> bool:
    """Return whether the database is SQLite."""
    return connection.dialect.name == "sqlite"


def update_or_insert(connection: Connection, table: sa.Table, key: dict[str, Any], then: dict[str, Any], first: Callable[[], dict[str, Any]]) -> None:
    """Change the row with this key, or add it; where somebody else adds it at the same moment it is changed all the same.

    Args:
        then: what the row has from now on; `first`: works out what else it has where it is new.
    """
    if connection.execute(sa.update(table).where(*(table.c[name] == value for name, value in key.items())).values(**then)).rowcount:
        return
    insert: Any = sqlite_insert if is_sqlite(connection) else postgresql_insert
    statement = insert(table).values(**key, **then, **first())
    connection.execute(statement.on_conflict_do_update(index_elements=list(key), set_=then))


def database_file(url: str) -> Path | None:
    """Return the file of a SQLite store, None for PostgreSQL."""
    parsed = _parse_url(url)
    return Path(parsed.database) if parsed.get_backend_name() == "sqlite" and parsed.database else None


def database_name(url: str) -> str:
    """Return the name of the database within its server (or its file)."""
    return _parse_url(url).database or ""


def need_elsewhere(url: str, path: Path, *others: Path) -> None:
    """Make sure that what is about to be written is none of the files a store consists of, nor one that SQLite would take for one of them.

    Args:
        others: further SQLite files of the store, such as its ledger.

    Raises:
        Refusal: `bad_value`, it is one.
    """
    file = database_file(url)
    wanted = path.expanduser().resolve()
    for own in (*([file] if file is not None else []), *others):
        for end in ("", "-wal", "-shm", "-journal"):
            if wanted == own.with_name(own.name + end).resolve():
                raise Refusal(Code.BAD_VALUE, f"{path} is a file of the store itself. Nothing was written. Name another file.")


def sync_to_disk(path: Path) -> None:
    """Return when a file, or the list of names in a folder, is on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def protect_file(url: str) -> None:
    """Let only the owner read a SQLite store that is about to be made.

    Raises:
        Refusal: no file can be made there.
    """
    path = database_file(url)
    if path is None or path.exists():
        return
    with file_explained(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, stat.S_IRUSR | stat.S_IWUSR))
        except FileExistsError:
            if not path.is_file():
                raise
            # Somebody makes the same store at this very moment; whoever gets its lock first furnishes it.


@contextmanager
def file_explained(path: Path) -> Iterator[None]:
    """Turn what the file system says about a store's file into refusals."""
    try:
        yield
    except (FileExistsError, NotADirectoryError, FileNotFoundError):
        raise Refusal(Code.BAD_VALUE, f"{path} cannot be a file: something above it is no folder. Nothing was made. Name another file.") from None
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise Refusal(Code.BUSY, "The disk of the database is full. Nothing was saved. Free some space, then try again.") from None
        reason = error.strerror or "the file system refuses"
        raise Refusal(Code.BUSY, f"{path} cannot be used: {reason}. Nothing was saved. Give its file and folder write permission.") from None


#: What databases and their drivers say of what they cannot hold or look for: NUL, half a surrogate pair, more than 64 bits, a prefix of 50,000 bytes.
_UNHOLDABLE = re.compile(r"cannot contain NUL|surrogates not allowed|too large to convert to SQLite|pattern too complex|must not be negative|(integer|bigint|smallint) out of range", re.IGNORECASE)
_BUSY = re.compile(r"database is locked|database table is locked|lock timeout|could not obtain lock|deadlock detected", re.IGNORECASE)
_FULL = re.compile(r"disk is full|no space left|disk full", re.IGNORECASE)
_FAILING = re.compile(r"disk I/O error|input/output error", re.IGNORECASE)
_DAMAGED = re.compile(r"malformed|not a database|could not decode|corrupt|checksum|invalid page|could not read block", re.IGNORECASE)
_READ_ONLY = re.compile(r"readonly database|read-only", re.IGNORECASE)
_NO_FILE = re.compile(r"unable to open database file", re.IGNORECASE)
_CROWDED = re.compile(r"too many (clients|connections)|connection slots|QueuePool limit", re.IGNORECASE)
_UNREACHABLE = re.compile(
    r"connection .*(failed|refused|closed|lost|reset)|server closed|could not connect|terminating connection|could not receive data|"
    r"name or service|resolve host|starting up|shutting down|connection timeout|(database|role) \"[^\"]*\" does not exist|authentication",
    re.IGNORECASE,
)


def explain(error: sa.exc.DBAPIError | sa.exc.TimeoutError) -> Refusal | None:
    """Return the refusal that a database error means, or None when it is a fault of ours."""
    text = str(error.orig if isinstance(error, sa.exc.DBAPIError) else error)
    if _UNHOLDABLE.search(text):
        return _unholdable()
    if _BUSY.search(text):
        return Refusal(Code.BUSY, f"Somebody else is writing and did not finish within {BUSY_SECONDS} seconds. Nothing was saved. Try again.")
    if _FULL.search(text):
        return Refusal(Code.BUSY, "The disk of the database is full. Nothing was saved. Free some space, then try again.")
    if _FAILING.search(text):
        return Refusal(
            Code.BUSY,
            "The disk of the database is full or failing. Nothing was saved. Free some space, then try again; if that does not help, run verify.",
        )
    if _READ_ONLY.search(text):
        return Refusal(
            Code.BUSY,
            "The database can only be read. Nothing was saved. Give its file, those beside it (-wal, -shm) and its folder write permission.",
        )
    if _DAMAGED.search(text):
        return Refusal(Code.DAMAGED, "The database file is damaged or is no database. Nothing was saved. Put a backup in its place and run verify.")
    if _NO_FILE.search(text):
        return Refusal(Code.BUSY, "The database file cannot be opened. Nothing was saved. Give its file and folder read and write permission.")
    if _CROWDED.search(text):
        return Refusal(Code.BUSY, "Too many people use the database at once. Nothing was saved. Try again in a moment.")
    if _UNREACHABLE.search(text):
        return Refusal(Code.BUSY, "The database cannot be reached. Nothing was saved. Check that it runs and that the URL is right, then try again.")
    return None


def _unholdable() -> Refusal:
    """Return the refusal of words that nothing in a store can be called, whatever was asked with them."""
    return Refusal(Code.BAD_VALUE, "What was asked holds a character or a number that no store can keep. Nothing was done. Type it again.")


@contextmanager
def explained() -> Iterator[None]:
    """Turn database errors that people can do something about into refusals."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise Refusal(Code.DAMAGED, "A text in the database cannot be read. Nothing was saved. Put a backup in its place and run verify.") from error
    except (UnicodeEncodeError, OverflowError) as error:
        if not _UNHOLDABLE.search(str(error)):
            raise
        raise _unholdable() from error
    except (sa.exc.DBAPIError, sa.exc.TimeoutError) as error:
        refusal = explain(error)
        if refusal is None:
            raise
        raise refusal from error
