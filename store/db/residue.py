"""Whether a word still stands anywhere in a store: every table and every file it owns, byte by byte, in every encoding.

Files are read by a process of their own (`store.domain.byte_search`). Tables are read as well, because a file may hold a
text in pieces: over several pages, or compressed.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.claim_store import ClaimStore
from store.db.engine import database_file, explained, is_sqlite, open_plain
from store.db.ledger_files import ENDING
from store.domain import byte_search
from store.domain.byte_search import Search
from store.domain.words import split_words

_WORKER = Path(byte_search.__file__)
#: Files of a SQLite store beside its own; the last two are there while something is written or went wrong.
_BESIDE = ("-wal", "-shm", "-journal")
#: Name of the full-text index among places.
INDEX = "search_text"
#: Rows of a SQLite table that are taken at once.
_ROWS = 20_000
#: A term of the full-text index that tells a word by itself has at least so many characters.
_TERM = 6
#: A word that is looked for in what PostgreSQL keeps of samples has at least so many bytes: compressed names and numbers of its own stand there too.
_LONG = 8
#: What PostgreSQL itself brings has a lower number than this; of it only samples hold anything of a store.
_CATALOGUE = "SELECT pg_relation_filenode(oid)::bigint FROM pg_class WHERE oid < 16384"
_SAMPLES = (
    "SELECT pg_relation_filenode(k)::bigint FROM (SELECT unnest(ARRAY[oid, reltoastrelid]) AS k FROM pg_class"
    " WHERE oid IN ('pg_catalog.pg_statistic'::regclass, 'pg_catalog.pg_statistic_ext_data'::regclass)) AS samples WHERE k <> 0"
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a word was found: the file's name, or table and column; in which encoding, and how often. Never the word itself.

    Attributes:
        word: the word's place among those that were looked for.
    """

    where: str
    word: int
    encoding: str
    count: int


@dataclass(slots=True)
class Residue:
    """What a search of a store found.

    Attributes:
        places: where words stand.
        searched: the places of the words that were long enough to be looked for; `parts`: of those that tables hold within longer names.
        files, bytes, seconds: what was read, and how long it took.
        unread: files that could not be read.
    """

    places: list[Place] = field(default_factory=list)
    searched: frozenset[int] = frozenset()
    parts: frozenset[int] = frozenset()
    files: int = 0
    bytes: int = 0
    seconds: float = 0.0
    unread: list[str] = field(default_factory=list)

    @property
    def count(self) -> int:
        """Return how often anything was found."""
        return sum(place.count for place in self.places)

    def where(self) -> dict[str, int]:
        """Return place -> how often something was found there."""
        found: dict[str, int] = {}
        for place in self.places:
            found[place.where] = found.get(place.where, 0) + place.count
        return found


def scan_store(store: ClaimStore, words: Iterable[str], *, whole: bool = False) -> Residue:
    """Look for words in every table and file of a store.

    Args:
        whole: count in tables only what stands by itself, not parts of longer names; files are searched for parts all the same.
    """
    begun, listed = time.monotonic(), list(words)
    found, beside = Residue(), Residue()
    # The files are read by another process while the tables are read here: each takes about as long as the other.
    with ThreadPoolExecutor(1) as waiting, explained(), _plain(store) as connection:
        files = store_files(store, connection)
        samples = [] if is_sqlite(connection) else _samples(connection, files)
        own = [file for file in files if file not in samples]
        searching = waiting.submit(scan_files, listed, own, beside, {} if is_sqlite(connection) else _items_of(connection, own))
        found.places += scan_tables(connection, listed, found, whole=whole)
        found.places += _scan_index(connection, listed)
        searching.result()
        if samples:
            scan_files([word if len(word.encode()) >= _LONG else "" for word in listed], samples, beside)
    found.places += beside.places
    found.files, found.bytes, found.unread = beside.files, found.bytes + beside.bytes, beside.unread
    found.seconds = time.monotonic() - begun
    return found


@dataclass(slots=True)
class _plain:  # noqa: N801 - used like a function
    """A connection without pool or settings, closed afterwards: temporary tables of the search go with it."""

    store: ClaimStore
    _engine: Any = None
    _connection: Any = None

    def __enter__(self) -> Connection:
        self._engine = open_plain(self.store.url)
        self._connection = self._engine.connect()
        return self._connection  # type: ignore[no-any-return]

    def __exit__(self, *_: object) -> None:
        self._connection.close()
        self._engine.dispose()


# --- tables -----------------------------------------------------------------------------------------------------------


def text_columns(table: sa.Table) -> list[Any]:
    """Return the columns of a table that may hold words."""
    return [column for column in table.columns if isinstance(column.type, sa.Text | sa.LargeBinary)]


def scan_tables(connection: Connection, words: Sequence[str], found: Residue, *, whole: bool) -> list[Place]:
    """Look for words in every text and every bytes of every table, column by column where something is found."""
    search = Search(words, whole)
    found.searched = frozenset(search.searched)
    places: list[Place] = []
    if not found.searched:
        return places
    tables: list[tuple[str, list[Any]]] = [(table.name, text_columns(table)) for table in t.metadata.sorted_tables]
    for name, columns in tables:
        if not columns:
            continue
        found.bytes += search.look_in(_rows(connection, name, columns))
        if search.take():
            for column in columns:
                search.look_in(_rows(connection, name, [column]))
                places += [Place(f"{name}.{column.name}", word, encoding, count) for (word, encoding), count in sorted(search.take().items())]
    found.parts = frozenset(search.parts)
    return places


def _rows(connection: Connection, table: str, columns: Sequence[Any]) -> Iterator[bytes]:
    """Yield the texts and bytes of columns of a table, each in lines of its own."""
    if is_sqlite(connection):
        parts = " || ".join(f"""coalesce(CAST("{column.name}" AS BLOB), '') || char(10)""" for column in columns)
        cursor = connection.connection.cursor()
        cursor.execute(f'SELECT CAST({parts} AS BLOB) FROM "{table}"')  # noqa: S608 - names from our tables
        while rows := cursor.fetchmany(_ROWS):
            yield b"\n".join(map(itemgetter(0), rows)) + b"\n"
        cursor.close()
        return
    parts = ", ".join(
        f"""coalesce("{column.name}", '') || '\\x0a'::bytea""" if isinstance(column.type, sa.LargeBinary) else f"""E'\\n' || coalesce("{column.name}", '') || E'\\n'"""
        for column in columns
    )
    with connection.connection.cursor().copy(f'COPY (SELECT {parts} FROM "{table}") TO STDOUT (FORMAT BINARY)') as copy:  # noqa: S608
        yield from map(bytes, copy)


def _scan_index(connection: Connection, words: Sequence[str]) -> list[Place]:
    """Return the words whose most telling term still stands in the segments of the full-text index, though no entry has it."""
    if not is_sqlite(connection):
        return []
    terms: dict[str, list[int]] = {}
    for place, word in enumerate(words):
        longest = max((term for term in split_words(word)), key=len, default="")
        if len(longest) >= _TERM:
            terms.setdefault(longest, []).append(place)
    connection.exec_driver_sql("CREATE VIRTUAL TABLE temp.search_terms USING fts5vocab('main', 'search_text', 'row')")
    places = []
    for term, its in terms.items():
        stands = connection.exec_driver_sql("SELECT count(*) FROM temp.search_terms WHERE term = ?", (term,)).scalar_one()
        if stands and not connection.exec_driver_sql("SELECT count(*) FROM search_text WHERE search_text MATCH ?", (f'"{term}"',)).scalar_one():
            places += [Place(INDEX, place, "text", 1) for place in its]
    connection.rollback()
    return places


# --- files ------------------------------------------------------------------------------------------------------------


def store_files(store: ClaimStore, connection: Connection) -> list[Path]:
    """Return the files a store consists of, the ledger among them; those of PostgreSQL only where its folder can be read."""
    files: list[Path] = []
    path = database_file(store.url)
    if path is not None:
        files += [path, *(path.with_name(path.name + end) for end in _BESIDE)]
        # What SQLite sets aside while it sorts, were it not told to do so in memory.
        files += sorted(path.parent.glob(f"{path.name}-mj*")) + sorted(path.parent.glob("etilqs_*"))
    else:
        files += _postgresql_files(connection)
    ledger = getattr(store, "ledger", None)
    if ledger is not None:
        files += [ledger.path, ledger.path.with_name(ledger.path.name + "-journal")]
    return [file for file in files if file.exists()]


def _postgresql_files(connection: Connection) -> list[Path]:
    """Return the files of the database but for those that are PostgreSQL's own, having asked the server to write out what it holds in memory.

    In what it brings itself, numbers and compressed texts, an id of a letter and four digits stands by chance, and nothing of a store. A file
    that belongs to nothing by now may hold something.
    """
    with suppress(sa.exc.DBAPIError), connection.begin_nested():
        connection.exec_driver_sql("CHECKPOINT")
    try:
        with connection.begin_nested():
            folder = connection.exec_driver_sql("SELECT current_setting('data_directory')").scalar_one()
            number = connection.exec_driver_sql("SELECT oid FROM pg_database WHERE datname = current_database()").scalar_one()
    except sa.exc.DBAPIError:
        return []
    place = Path(folder) / "base" / str(number)
    if not os.access(place, os.R_OK | os.X_OK):
        return []
    own = _nodes(connection, _CATALOGUE) - _nodes(connection, _SAMPLES)
    return sorted(file for file in place.iterdir() if file.is_file() and _node_of(file) not in own)


def _samples(connection: Connection, files: Sequence[Path]) -> list[Path]:
    """Return those of some files in which PostgreSQL keeps samples of what stands in tables."""
    nodes = _nodes(connection, _SAMPLES)
    return [file for file in files if _node_of(file) in nodes]


def _nodes(connection: Connection, query: str) -> set[str]:
    return {str(node) for node in connection.exec_driver_sql(query).scalars() if node is not None}


def _node_of(file: Path) -> str:
    """Return the number a file of PostgreSQL is called by: `16384` of `16384.1` and `16384_fsm`."""
    return re.split(r"[._]", file.name, maxsplit=1)[0]


#: What a file of PostgreSQL is: the size of its pages, whether it is a B-tree, and length and alignment of each column.
_Items = dict[str, tuple[int, bool, list[tuple[int, int]]]]
_ALIGNED = {"c": 1, "s": 2, "i": 4, "d": 8}


def _items_of(connection: Connection, files: Sequence[Path]) -> _Items:
    """Return what the files of tables and B-trees of PostgreSQL are, so that where a value begins is no part of a word."""
    size = int(connection.exec_driver_sql("SELECT current_setting('block_size')").scalar_one())
    columns: dict[int, list[tuple[int, int]]] = {}
    for relation, length, aligned in connection.exec_driver_sql("SELECT attrelid::bigint, attlen, attalign::text FROM pg_attribute WHERE attnum > 0 ORDER BY attrelid, attnum"):
        columns.setdefault(relation, []).append((length, _ALIGNED[aligned]))
    kinds = connection.exec_driver_sql(
        "SELECT pg_relation_filenode(c.oid)::bigint, c.oid::bigint, c.relkind = 'i' FROM pg_class c LEFT JOIN pg_am a ON a.oid = c.relam"
        " WHERE c.relkind IN ('r', 't', 'm') OR (c.relkind = 'i' AND a.amname = 'btree')"
    )
    known = {str(node): (size, bool(index), columns.get(relation, [])) for node, relation, index in kinds if node is not None}
    return {str(file): known[file.name.partition(".")[0]] for file in files if file.name.partition(".")[0] in known}


def scan_files(words: Sequence[str], files: Sequence[Path], found: Residue, items: _Items | None = None) -> None:
    """Look for words in files, by a process of its own; what is found is added to `found`."""
    # By chance one of thousands of short ids stands among the thousands of digests of a ledger.
    asked = json.dumps({"words": list(words), "files": [str(file) for file in files], "whole": False, "alone": [str(file) for file in files if file.suffix == ENDING], "items": items or {}})
    names = {str(file): file.name for file in files}
    try:
        done = subprocess.run([sys.executable, "-I", str(_WORKER)], input=asked + "\n", capture_output=True, text=True, check=True)
        answer: dict[str, Any] = json.loads(done.stdout)
    except (OSError, subprocess.CalledProcessError, ValueError):
        # Not said on any screen: what went wrong there could hold a word. What was not read was not searched, and that is said.
        found.unread += list(names.values())
        return
    found.places += [Place(names[file], word, encoding, count) for file, word, encoding, count in answer["found"]]
    found.unread += [names[file] for file in answer["unread"]]
    found.files += len(files)
    found.bytes += answer["bytes"]
