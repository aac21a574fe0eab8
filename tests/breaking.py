"""Making a store unable to do one thing: a row that says nothing readable, or a statement that its database refuses."""

import sqlalchemy as sa

from store.db.engine import is_sqlite

_FUNCTION = "CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION '{says}'; END $$"


def refuse_statements(store, table, verb="UPDATE", says="database or disk is full", when=""):
    """Let the database refuse one kind of statement on a table, in words of its own, until `allow_statements`; `when`: only of such rows."""
    when = f"WHEN ({when})" if when else ""
    name = f"refuses_{table}"
    with store.writer.begin() as connection:
        if is_sqlite(connection):
            connection.exec_driver_sql(f"CREATE TRIGGER {name} BEFORE {verb} ON {table} {when} BEGIN SELECT RAISE(ABORT, '{says}'); END")
        else:
            connection.exec_driver_sql(_FUNCTION.format(name=name, says=says))
            connection.exec_driver_sql(f"CREATE TRIGGER {name} BEFORE {verb} ON {table} FOR EACH ROW {when} EXECUTE FUNCTION {name}()")


def allow_statements(store, table):
    with store.writer.begin() as connection:
        connection.exec_driver_sql(f"DROP TRIGGER refuses_{table}" + ("" if is_sqlite(connection) else f" ON {table}"))


def put(store, table, where=(), **values):
    """Write values past every rule; return what stood there in the first row."""
    with store.writer.begin() as connection:
        before = connection.execute(sa.select(*(table.c[name] for name in values)).where(*where)).first()
        connection.execute(sa.update(table).where(*where).values(**values))
    return None if before is None else before._asdict()
