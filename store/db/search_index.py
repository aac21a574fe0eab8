"""The full-text index: FTS5 on SQLite, tsvector on PostgreSQL. It can be dropped and rebuilt; it is no source of truth.

Words are split by `domain.words`, the same way on both. Ranking uses no statistics of the index, because those would be
of all tenants together and so tell one about another.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db.engine import is_sqlite
from store.domain.records import Artifact, Claim
from store.domain.text import canonical_json
from store.domain.words import flatten, split_words

_SHIFT = 2**32

SQLITE_DDL = (
    "CREATE VIRTUAL TABLE search_text USING fts5(words, content='', contentless_delete=1, detail=none, tokenize=\"unicode61 tokenchars '_'\")",
)  # fmt: skip
POSTGRESQL_DDL = (
    "CREATE TABLE search_text (tenant integer NOT NULL, record integer NOT NULL, words tsvector NOT NULL, PRIMARY KEY (tenant, record))",
    "CREATE INDEX ix_search_text_words ON search_text USING gin (words)",
)


def words_of(record: Claim | Artifact) -> str:
    """Return what a record is found by."""
    if isinstance(record, Claim):
        parts = [record.id, record.subject, record.predicate, flatten(record.value), flatten(record.qualifiers), record.statement or ""]
    else:
        parts = [record.id, record.title or "", record.body or ""]
    return " ".join(dict.fromkeys(split_words(" ".join(parts))))


def add_words(connection: Connection, tenant: int, rows: Iterable[tuple[int, str]]) -> None:
    """Add records with their words."""
    if is_sqlite(connection):
        values = [(tenant * _SHIFT + record, f"_{tenant}_ {words}") for record, words in rows]
        if values:
            connection.exec_driver_sql("INSERT INTO search_text (rowid, words) VALUES (?, ?)", values)
        return
    cursor = connection.connection.cursor()
    cursor.execute("CREATE TEMP TABLE IF NOT EXISTS new_words (record integer, words text) ON COMMIT DELETE ROWS")
    with cursor.copy("COPY new_words (record, words) FROM STDIN") as copy:
        for record, words in rows:
            copy.write_row((record, words))
    cursor.execute("INSERT INTO search_text SELECT %s, record, to_tsvector('simple', words) FROM new_words", (tenant,))
    cursor.execute("DELETE FROM new_words")


def replace_words(connection: Connection, tenant: int, record: int, words: str) -> None:
    """Put a record's words in place of those it had."""
    remove_words(connection, tenant, [record])
    add_words(connection, tenant, [(record, words)])


def remove_words(connection: Connection, tenant: int, records: Sequence[int]) -> None:
    """Take records out of the index."""
    if is_sqlite(connection):
        connection.exec_driver_sql("DELETE FROM search_text WHERE rowid = ?", [(tenant * _SHIFT + record,) for record in records])
        return
    statement = sa.text("DELETE FROM search_text WHERE tenant = :tenant AND record = ANY(:records)")
    connection.execute(statement, {"tenant": tenant, "records": list(records)})


def clear_words(connection: Connection) -> None:
    """Drop the index and make it anew, empty."""
    connection.exec_driver_sql("DROP TABLE IF EXISTS search_text")
    create_index(connection)


def create_index(connection: Connection) -> None:
    """Create the empty index."""
    for statement in SQLITE_DDL if is_sqlite(connection) else POSTGRESQL_DDL:
        connection.exec_driver_sql(statement)


def find_words(connection: Connection, tenant: int, text: str, most: int) -> list[int]:
    """Return the newest records that hold every word of `text`, at most `most`; the last word may be a beginning."""
    words = list(dict.fromkeys(split_words(text[:200], query=True)))[:12]
    if not words:
        return []
    last = words[-1]
    begins = len(last) > 2 and last == last[:60]
    if is_sqlite(connection):
        quoted = [f'"{word}"' for word in words]
        if begins:
            quoted[-1] += "*"
        match = " AND ".join([f'"_{tenant}_"', *quoted])
        query = "SELECT rowid FROM search_text WHERE search_text MATCH ? ORDER BY rowid DESC LIMIT ?"
        return [row[0] - tenant * _SHIFT for row in connection.exec_driver_sql(query, (match, most))]
    quoted = ["'" + word.replace("'", "''").replace("\\", "\\\\") + "'" for word in words]
    if begins:
        quoted[-1] += ":*"
    query_text = sa.text(
        "SELECT record FROM search_text WHERE tenant = :tenant AND words @@ CAST(:match AS tsquery) ORDER BY record DESC LIMIT :most"
    )
    return list(connection.execute(query_text, {"tenant": tenant, "match": " & ".join(quoted), "most": most}).scalars())


def describe_words(record: Claim | Artifact) -> str:
    """Return a record's text by which matches are explained."""
    return canonical_json(record.to_line())
