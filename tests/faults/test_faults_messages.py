"""A database that is locked, away, full, damaged, foreign, too new: each has its own sentence and code, and nothing is half done."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fault_messages import APPROVE, INIT, READING, SHOW, VERIFY, change, fingerprint_of, held, path_of, refused, run
from fault_stores import TENANT, check_whole, clock, differing, encode, more_lines, rows_of, state_of, statuses

from store import Approval, Plan, Refusal, Verb, approve, commit_plan, create_store, import_lines, list_queue, open_store, preview_plan, show_record

#: Seconds after which an action that waits for five has come back, however slow the machine is.
AT_LAST = 60

# --- locked --------------------------------------------------------------------------------------------------------


def test_while_somebody_writes_and_writes_every_action_waits_five_seconds_says_busy_and_saves_nothing(fresh):
    store = open_store(fresh, clock)
    plan = Plan(Verb.REVOKE, ("S1",))
    seen = preview_plan(store, "ana", TENANT, plan).fingerprint
    before = state_of(fresh)
    actions: list[Callable[[], Any]] = [
        lambda: approve(store, "ana", TENANT, "CHILD", Approval("it is so"), operation="held"),
        lambda: commit_plan(store, "ana", TENANT, plan, seen, "because"),
        lambda: import_lines(store, "carla", encode(more_lines()[:6]), reviewed=True),
    ]
    for action in actions:
        with held(fresh):
            started = time.perf_counter()
            with pytest.raises(Refusal) as busy:
                action()
            waited = time.perf_counter() - started
        assert busy.value.code == "busy"
        assert "did not finish within 5 seconds. Nothing was saved" in busy.value.message
        assert 4 < waited < AT_LAST
        assert not differing(state_of(fresh), before)

    assert actions[0]()["decided"] == "CHILD"
    check_whole(store)
    store.close()


def test_while_somebody_writes_for_a_second_an_action_waits_and_is_done(fresh):
    store = open_store(fresh, clock)
    with held(fresh, 1):
        assert approve(store, "ana", TENANT, "CHILD", Approval("it is so"))["decided"] == "CHILD"
    store.close()


def test_while_somebody_writes_reading_goes_on_at_once(fresh):
    store = open_store(fresh, clock)
    with held(fresh):  # who waited for it would be told that the store is busy
        assert show_record(store, "ana", TENANT, "B1")["status"] == "ACCEPTED"
        assert list_queue(store, "ana", "candidates")["total"] == 2
    store.close()


def test_on_the_command_line_a_locked_store_is_one_json_document(fresh):
    with held(fresh):
        status, found, seconds = run(fresh, *APPROVE, outside=True)
        assert (status, found["error"]) == (1, "busy")
        assert seconds < AT_LAST
        assert statuses(fresh)["CHILD"] == 0
        for words in (("preview", "revoke", "S1", "--as", "ana"), ("read", "--id", "B1", "--as", "ana")):
            status, found, _ = run(fresh, *words)
            assert (status, found.get("error")) in ((1, "busy"), (0, None))
    assert run(fresh, *APPROVE)[0] == 0


# --- away ----------------------------------------------------------------------------------------------------------


def test_a_postgresql_that_does_not_answer_is_named_as_unreachable(postgres):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    for url in (f"postgresql://postgres:@127.0.0.1:{port}/claims", "postgresql://postgres:@/claims?host=/nowhere", postgres.url("no_such_database")):
        for words in (SHOW, APPROVE, INIT):
            found = refused(url, *words)
            assert found["error"] == "busy", found
            assert "cannot be reached" in found["message"]


def test_a_postgresql_that_accepts_and_says_nothing_is_given_up():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"postgresql://postgres:@127.0.0.1:{listener.getsockname()[1]}/claims"
        status, found, seconds = run(url, *SHOW)
    assert (status, found["error"]) == (1, "busy")
    assert "cannot be reached" in found["message"]
    assert seconds < AT_LAST


@pytest.mark.parametrize("url", ["mysql://somebody@host/claims", "claims.db", "sqlite://", "sqlite:///:memory:", "postgresql://host:port/x"])
def test_a_url_that_is_none_is_named(url):
    for words in (SHOW, INIT):
        assert refused(url, *words)["error"] == "bad_value"


# --- too new, too old ----------------------------------------------------------------------------------------------


def test_a_newer_schema_is_refused_by_every_command_and_stays_byte_for_byte(sqlite, prepared_sqlite):
    url = sqlite.copy(prepared_sqlite)
    change(url, "UPDATE alembic_version SET version_num = '9999'")
    was = fingerprint_of(path_of(url))
    for words in (*READING, APPROVE, INIT):
        found = refused(url, *words)
        assert found["error"] == "newer_schema", found
        assert "9999" in found["message"]
        assert "0002" in found["message"] or "00" in found["message"]
    assert fingerprint_of(path_of(url)) == was
    sqlite.drop(url)


def test_a_newer_schema_on_postgresql_is_refused(fresh_postgres):
    change(fresh_postgres, "UPDATE alembic_version SET version_num = '9999'")
    before = state_of(fresh_postgres)
    for words in (SHOW, APPROVE, INIT):
        assert refused(fresh_postgres, *words)["error"] == "newer_schema"
    assert not differing(state_of(fresh_postgres), before)


def test_an_older_sqlite_library_is_refused_before_anything_is_opened(fresh_sqlite, monkeypatch):
    import pysqlite3.dbapi2 as module

    monkeypatch.setattr(module, "sqlite_version_info", (3, 40, 1))
    monkeypatch.setattr(module, "sqlite_version", "3.40.1")
    was = fingerprint_of(path_of(fresh_sqlite))
    for opening in (open_store, create_store):
        with pytest.raises(Refusal) as old:
            opening(fresh_sqlite)
        assert old.value.code == "old_sqlite"
        assert "3.40.1" in old.value.message
        assert "3.51.3" in old.value.message
    assert fingerprint_of(path_of(fresh_sqlite)) == was


# --- something else ------------------------------------------------------------------------------------------------


def foreign(path: Path, *statements: str) -> str:
    import pysqlite3.dbapi2 as module

    connection = module.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()
    return f"sqlite:///{path}"


@pytest.mark.parametrize(
    "statements",
    [
        ("CREATE TABLE songs (title TEXT)", "INSERT INTO songs VALUES ('One')"),
        ("PRAGMA application_id = 1234", "CREATE TABLE songs (title TEXT)"),
        ("CREATE TABLE alembic_version (version_num TEXT)", "INSERT INTO alembic_version VALUES ('f00d')", "CREATE TABLE songs (title TEXT)"),
        ("CREATE TABLE event (x TEXT)",),
    ],
    ids=["unmarked", "marked", "with its own migrations", "with a table of a name of ours"],
)
def test_another_programs_sqlite_file_is_named_and_left_as_it_is(tmp_path, statements):
    url = foreign(tmp_path / "songs.db", *statements)
    was = fingerprint_of(tmp_path / "songs.db")
    for words in (SHOW, APPROVE, INIT):
        found = refused(url, *words)
        assert found["error"] == "bad_value", found
        assert "belongs to another program" in found["message"]
    assert fingerprint_of(tmp_path / "songs.db") == was
    assert [one.name for one in tmp_path.iterdir()] == ["songs.db"]


@pytest.mark.parametrize(
    "statements",
    [
        ("CREATE TABLE songs (title TEXT)",),
        ("CREATE TABLE alembic_version (version_num TEXT)", "INSERT INTO alembic_version VALUES ('f00d')", "CREATE TABLE songs (title TEXT)"),
        ("CREATE TABLE event (x TEXT)",),
    ],
    ids=["unmarked", "with its own migrations", "with a table of a name of ours"],
)
def test_another_programs_postgresql_database_is_named_and_left_as_it_is(postgres, statements):
    url = postgres.empty()
    for statement in statements:
        change(url, statement)
    for words in (SHOW, INIT):
        found = refused(url, *words)
        assert found["error"] == "bad_value", found
        assert "belongs to another program" in found["message"]
    tables = rows_of(url, "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'")
    assert len(tables) == len([one for one in statements if one.startswith("CREATE")])
    postgres.drop(url)


def test_a_folder_is_no_store(tmp_path):
    for words in (SHOW, APPROVE, INIT):
        found = refused(f"sqlite:///{tmp_path}", *words)
        assert found["error"] == "bad_value"
        assert "is a folder" in found["message"]


def test_a_store_that_is_not_there_is_said_to_be_missing_and_nothing_is_made(tmp_path):
    for words in (SHOW, APPROVE, VERIFY):
        found = refused(f"sqlite:///{tmp_path}/none.db", *words)
        assert found["error"] == "not_found"
        assert "python -m store init" in found["message"]
    assert list(tmp_path.iterdir()) == []


def test_a_file_below_a_file_is_a_plain_sentence(tmp_path):
    (tmp_path / "plain").write_text("x")
    for words in (SHOW, INIT):
        assert refused(f"sqlite:///{tmp_path}/plain/claims.db", *words)["error"] in ("not_found", "bad_value", "busy")
