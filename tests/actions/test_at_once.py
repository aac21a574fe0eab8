"""What two people keep at the same moment, apart from every record and outside the tenant's lock: a preview, and a file of a plan."""

from threading import Thread

import pytest

from store import keep_plan_file
from tests.builders import TENANT, preview, revoking
from tests.recapturing import CHANGED, fund  # noqa: F401 - a fixture


def keep_a_file(store, person):
    return keep_plan_file(store, person, TENANT, CHANGED.encode(), name="new.txt").sha256


def look_at_a_plan(store, person):
    return preview(store, revoking("NAV"), person)["fingerprint"]


@pytest.mark.parametrize(("keep", "table"), [(keep_a_file, "plan_file"), (look_at_a_plan, "preview")])
def test_who_keeps_what_somebody_else_keeps_at_the_same_moment_is_done(fund, keep, table):  # noqa: F811
    first = keep(fund, "ana")
    with fund.reader.connect() as connection:
        row = connection.exec_driver_sql(f"SELECT * FROM {table}").mappings().one()
    with fund.writer.begin() as connection:
        connection.exec_driver_sql(f"DELETE FROM {table}")
    found = []

    def ben():
        try:
            found.append(keep(fund, "ben"))
        except Exception as error:  # noqa: BLE001 - what came of it is looked at below
            found.append(error)

    with fund.writer.begin() as connection:
        names = ", ".join(row)
        connection.exec_driver_sql(f"INSERT INTO {table} ({names}) VALUES ({', '.join(['%s' if fund.writer.dialect.name == 'postgresql' else '?'] * len(row))})", tuple(row.values()))
        other = Thread(target=ben)
        other.start()
        other.join(0.5)
        assert other.is_alive(), "it waits for whoever is first"
    other.join()
    assert found == [first]


def test_a_further_store_of_the_same_kind_compiles_no_statement_anew(another_store):
    from store import import_lines
    from store.db.compiled_statements import SHARED

    def work(store):
        import_lines(store, "operator", [b'{"type": "person", "id": "zoe", "name": "Zoe", "roles": []}\n'], reviewed=True)
        return set(SHARED["compiled_cache"])

    first, second = work(another_store("desk")), work(another_store("desk"))

    assert first
    assert second == first
