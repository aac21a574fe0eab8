"""Making a store, killed at any statement: there is none, or a whole one; and making it again works."""

from __future__ import annotations

import time

import pytest
from fault_processes import COMMITTED, run_and_kill, tally
from fault_stores import check_whole, clock, differing, encode, plain_engine, state_of, world

from store import Refusal, create_store, import_lines, open_store

FAR_TOO_MANY = 2000


def schema_of(url: str) -> list[tuple[str, ...]]:
    """Return every table, column, index and trigger of a database."""
    engine = plain_engine(url)
    query = (
        "SELECT type, name, sql FROM sqlite_master"
        if engine.dialect.name == "sqlite"
        else """SELECT 'column', table_name || '.' || column_name, data_type || is_nullable FROM information_schema.columns WHERE table_schema = 'public'
            UNION ALL SELECT 'index', indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'
            UNION ALL SELECT 'trigger', tgname, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal"""
    )
    with engine.connect() as connection:
        return sorted((tuple(map(str, row)) for row in connection.exec_driver_sql(query)), key=repr)


def without_id(state):
    """Leave out the random ids of a store's history and of its ledger."""
    return {**state, "store": [row for row in state["store"] if row[0] not in ("lineage", "ledger")]}


def make(url: str) -> str:
    store = create_store(url, clock)
    store.close()
    return "made"


@pytest.mark.timeout(900)
def test_killed_at_any_statement_of_init_there_is_no_store_or_a_whole_one_and_init_works_again(place):
    whole = place.empty()
    make(whole)
    schema, rows, started = schema_of(whole), without_id(state_of(whole)), time.perf_counter()
    step, n, made = (1 if place.kind == "sqlite" else 5), 1, False
    while True:
        url = place.empty()
        death = run_and_kill(lambda url=url: make(url), n)
        assert death.error is None, death.error
        try:
            store = open_store(url, clock)
        except Refusal as refusal:
            assert refusal.code == "not_found", (death, refusal.message)
            assert not made
            assert death.at is not None
        else:
            store.close()
            assert schema_of(url) == schema, death
            assert without_id(state_of(url)) == rows, death
            assert made or death.at == COMMITTED or step > 1, death
            made = True
        if n % (5 * step) == 1 or made:
            make(url)
            assert schema_of(url) == schema
            assert without_id(state_of(url)) == rows
        place.drop(url)
        if death.at is None:
            break
        n += step
        assert n < FAR_TOO_MANY
    tally("killed: init" + (f" (every {step}th)" if step > 1 else ""), place.kind, (n - 1) // step + 1, started)
    assert made
    place.drop(whole)


def test_a_store_made_after_a_killed_init_takes_records(place):
    url = place.empty()
    assert run_and_kill(lambda: make(url), 60).at is not None
    store = create_store(url, clock)
    assert not import_lines(store, "operator", encode(world()), reviewed=True)["rejected"]
    check_whole(store)
    store.close()
    place.drop(url)


def test_init_run_twice_changes_nothing(place, fresh):
    before, schema = state_of(fresh), schema_of(fresh)
    for _ in range(2):
        make(fresh)

    assert not differing(before, state_of(fresh))
    assert schema_of(fresh) == schema


def test_two_inits_at_once_make_one_store(place):
    import threading

    url, results = place.empty(), []

    def one() -> None:
        try:
            store = create_store(url, clock)
            results.append(store.lineage)
            store.close()
        except Refusal as refusal:
            results.append(refusal)

    threads = [threading.Thread(target=one) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    store = open_store(url, clock)
    assert len(results) == 4
    assert all(found == store.lineage or getattr(found, "code", None) == "busy" for found in results), results
    check_whole(store)
    store.close()
    place.drop(url)
