"""Many rows at once: tuples straight to the driver on SQLite, COPY on PostgreSQL; and columns back as arrays."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

import numpy as np
import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from store.db.engine import is_sqlite
from store.db.schema import metadata
from store.domain.reach import Ints

_CHUNK = 20_000


def insert_rows(connection: Connection, table: sa.Table, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> int:
    """Insert `rows` of `columns` into `table` and return how many there were."""
    if is_sqlite(connection):
        names = ", ".join(f'"{name}"' for name in columns)
        statement = f"INSERT INTO {table.name} ({names}) VALUES ({', '.join('?' * len(columns))})"  # noqa: S608 - names from our tables
        count, source = 0, iter(rows)
        while chunk := list(islice(source, _CHUNK)):
            connection.exec_driver_sql(statement, [tuple(row) for row in chunk])
            count += len(chunk)
        return count
    names = ", ".join(f'"{name}"' for name in columns)
    count = 0
    cursor = connection.connection.cursor()
    with cursor.copy(f"COPY {table.name} ({names}) FROM STDIN") as copy:
        for row in rows:
            copy.write_row(row)
            count += 1
    return count


def pick_records(connection: Connection, records: Ints) -> None:
    """Fill the temporary table `picked` with record numbers, for statements over many records."""
    if is_sqlite(connection):
        connection.exec_driver_sql("CREATE TEMP TABLE IF NOT EXISTS picked (record INTEGER PRIMARY KEY)")
        connection.exec_driver_sql("DELETE FROM temp.picked")
        text = "[" + ",".join(map(str, np.sort(records).tolist())) + "]"
        connection.exec_driver_sql("INSERT INTO temp.picked SELECT value FROM json_each(?)", (text,))
        return
    connection.exec_driver_sql("CREATE TEMP TABLE IF NOT EXISTS picked (record integer PRIMARY KEY) ON COMMIT DELETE ROWS")
    connection.exec_driver_sql("DELETE FROM picked")
    cursor = connection.connection.cursor()
    with cursor.copy("COPY picked (record) FROM STDIN") as copy:
        copy.write("\n".join(map(str, np.sort(records).tolist())) + ("\n" if len(records) else ""))
    connection.exec_driver_sql("ANALYZE picked")


def load_columns(connection: Connection, columns: Sequence[str], source: str, order: str, parameters: dict[str, Any]) -> list[Ints]:
    """Return whole-number columns of a query as arrays, packed by the database into one value each.

    Args:
        columns: SQL expressions that are never NULL.
        source: what stands after FROM, with :named parameters.
        order: the ordering, so that the arrays agree with each other.
    """
    inner = ", ".join(f"{column} AS c{n}" for n, column in enumerate(columns))
    if is_sqlite(connection):
        outer = ", ".join(f"group_concat(c{n})" for n in range(len(columns)))
        row = connection.execute(sa.text(f"SELECT {outer} FROM (SELECT {inner} FROM {source} ORDER BY {order})"), parameters).one()  # noqa: S608
        return [np.fromstring(text, dtype=np.int64, sep=",") if text else np.empty(0, np.int64) for text in row]
    outer = ", ".join(f"string_agg(int8send((c{n})::bigint), '' ORDER BY o)" for n in range(len(columns)))
    text = f"SELECT {outer} FROM (SELECT {inner}, row_number() OVER (ORDER BY {order}) AS o FROM {source}) AS packed"  # noqa: S608
    row = connection.execute(sa.text(text), parameters).one()
    return [np.frombuffer(value, dtype=">i8").astype(np.int64) if value else np.empty(0, np.int64) for value in row]


def chunks(values: Sequence[Any], size: int = 900) -> Iterable[Sequence[Any]]:
    """Yield `values` in pieces small enough for one IN list."""
    for start in range(0, len(values), size):
        yield values[start : start + size]


def one_of(connection: Connection, column: Any, values: Sequence[Any]) -> Any:
    """Return the condition that a column is one of any number of texts or numbers, sent as one parameter."""
    if is_sqlite(connection):
        listed = sa.func.json_each(json.dumps(list(values), ensure_ascii=False)).table_valued("value")
        return column.in_(sa.select(listed.c.value))
    return column == sa.func.any(sa.cast(list(values), sa.ARRAY(column.type)))


def refresh_statistics(engine: Engine) -> None:
    """Let the database look at what its tables hold now, by a sample.

    PostgreSQL would by itself, but a minute later, and SQLite never; until then both plan as if a table just filled were
    nearly empty, and look at thousands of rows for one.
    """
    # What was written is written; nothing is lost if this does not work out.
    with contextlib.suppress(sa.exc.DBAPIError):
        if engine.dialect.name == "sqlite":
            with engine.begin() as connection:
                connection.exec_driver_sql("PRAGMA analysis_limit=1000")
                connection.exec_driver_sql("ANALYZE")
        else:
            with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
                for table in metadata.sorted_tables:
                    connection.exec_driver_sql(f'ANALYZE "{table.name}"')
