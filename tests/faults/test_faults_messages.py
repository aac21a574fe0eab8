"""A database that is locked, away, full, damaged, foreign, too new: each has its own sentence and code, and nothing is half done."""

from __future__ import annotations

import hashlib
import json
import os
import random
import resource
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from fault_processes import tally
from fault_stores import TENANT, check_whole, clock, differing, encode, more_lines, plain_engine, rows_of, state_of, statuses, world

from store import Approval, Plan, Refusal, Verb, approve, commit_plan, create_store, import_lines, list_queue, open_store, preview_plan, show_record

ROOT = Path(__file__).parents[2]
SEED = int(os.environ.get("CLAIMDESK_SEED", "20260701"))


def path_of(url: str) -> Path:
    return Path(url.removeprefix("sqlite:///"))


def fingerprint_of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def run(url: str, *words: str, prepare: Callable[[], None] | None = None) -> tuple[int, dict[str, Any], float]:
    """Run `python -m store … --json` and return exit status, its one JSON document, and seconds."""
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "store", "--db", url, *words, "--json"], cwd=ROOT, capture_output=True, text=True, preexec_fn=prepare, timeout=120
    )
    assert "Traceback" not in done.stderr, done.stderr
    assert done.stdout.count("\n") == 1, (done.stdout, done.stderr)
    return done.returncode, json.loads(done.stdout), time.perf_counter() - started


def refused(url: str, *words: str, **how: Any) -> dict[str, Any]:
    status, found, _ = run(url, *words, **how)
    assert status == 1, found
    assert found["message"].endswith((".", ")")), found
    return found


#: One command of each sort: reading, showing, deciding, importing nothing, verifying.
APPROVE = ("approve", "CHILD", "--reason", "it is so", "--as", "ana")
SHOW = ("show", "B1")
INIT = ("init",)
VERIFY = ("verify",)
READING = (SHOW, ("queue", "candidates"), VERIFY)


@contextmanager
def held(url: str, seconds: float) -> Iterator[None]:
    """Let another process hold the write lock for some seconds."""
    script = """
import sys, time
url, seconds = sys.argv[1], float(sys.argv[2])
if url.startswith("sqlite"):
    import pysqlite3.dbapi2 as sqlite
    connection = sqlite.connect(url.removeprefix("sqlite:///"), isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("UPDATE tenant SET revision = revision")
else:
    import psycopg
    connection = psycopg.connect(url)
    connection.execute("SELECT * FROM tenant FOR UPDATE")
print("held", flush=True)
time.sleep(seconds)
connection.rollback()
"""
    holder = subprocess.Popen([sys.executable, "-c", script, url, str(seconds)], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    try:
        yield
    finally:
        holder.terminate()
        holder.wait()
        holder.stdout.close()


# --- locked --------------------------------------------------------------------------------------------------------


def test_while_somebody_writes_for_ten_seconds_every_action_says_busy_within_six_and_saves_nothing(fresh):
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
        with held(fresh, 10):
            started = time.perf_counter()
            with pytest.raises(Refusal) as busy:
                action()
            assert time.perf_counter() - started < 9
        assert busy.value.code == "busy"
        assert "Nothing was saved" in busy.value.message
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
    with held(fresh, 20):
        started = time.perf_counter()
        assert show_record(store, "ana", TENANT, "B1")["status"] == "ACCEPTED"
        assert list_queue(store, "ana", "candidates")["total"] == 2
        assert time.perf_counter() - started < 2
    store.close()


def test_on_the_command_line_a_locked_store_is_one_json_document(fresh):
    with held(fresh, 60):
        status, found, seconds = run(fresh, *APPROVE)
        assert (status, found["error"]) == (1, "busy")
        assert seconds < 20
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


def test_a_postgresql_that_accepts_and_says_nothing_is_given_up_within_ten_seconds():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"postgresql://postgres:@127.0.0.1:{listener.getsockname()[1]}/claims"
        status, found, seconds = run(url, *SHOW)
    assert (status, found["error"]) == (1, "busy")
    assert "cannot be reached" in found["message"]
    assert seconds < 12


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


def change(url: str, statement: str) -> None:
    engine = plain_engine(url)
    with engine.begin() as connection:
        connection.exec_driver_sql(statement)


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


# --- damaged -------------------------------------------------------------------------------------------------------


def garbage(path: Path) -> None:
    path.write_bytes(random.Random(SEED).randbytes(40_000))


def wrong_magic(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[:16] = b"SQLite format 9\0"
    path.write_bytes(data)


def damaged_schema(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[100:4096] = random.Random(SEED).randbytes(3996)
    path.write_bytes(data)


def truncated_to_a_page(path: Path) -> None:
    os.truncate(path, 4096)


def truncated_to_half(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2 // 4096 * 4096)


def truncated_within_the_header(path: Path) -> None:
    os.truncate(path, 50)


@pytest.mark.parametrize("damage", [garbage, wrong_magic, damaged_schema, truncated_to_a_page, truncated_to_half, truncated_within_the_header])
def test_a_damaged_file_is_called_damaged_by_every_command_and_left_as_it_is(fresh_sqlite, damage):
    path = path_of(fresh_sqlite)
    damage(path)
    was = fingerprint_of(path)
    for words in (VERIFY, INIT, SHOW, APPROVE):
        found = refused(fresh_sqlite, *words)
        assert found["error"] == "damaged", (words, found)
        assert "backup" in found["message"]
    assert fingerprint_of(path) == was


def test_an_empty_file_holds_no_store_until_init_makes_one(tmp_path):
    path = tmp_path / "claims.db"
    path.touch()
    for words in (SHOW, APPROVE, VERIFY):
        found = refused(f"sqlite:///{path}", *words)
        assert found["error"] == "not_found"
        assert "empty" in found["message"]
    assert path.stat().st_size == 0
    assert run(f"sqlite:///{path}", *INIT)[0] == 0
    assert run(f"sqlite:///{path}", *VERIFY)[0] == 0


def test_flipped_bytes_are_found_by_verify_or_change_nothing_it_holds_and_never_end_in_a_traceback(sqlite, prepared_sqlite):
    chance, started = random.Random(SEED), time.perf_counter()
    print(f"seed {SEED}")
    size = path_of(prepared_sqlite).stat().st_size
    before, silent, crashed = state_of(prepared_sqlite), [], []
    for n in range(150):
        url = sqlite.copy(prepared_sqlite)
        place = chance.randrange(100, size)
        with path_of(url).open("r+b") as file:
            file.seek(place)
            old = file.read(1)[0]
            file.seek(place)
            file.write(bytes([old ^ 1 << chance.randrange(8)]))
        found = outcome_of(url)
        if found == "ok":
            try:
                after = state_of(url)
            except Exception as error:
                silent.append((n, place, str(error)[:80]))
            else:
                wrong = differing(after, before)
                if wrong:
                    silent.append((n, place, wrong))
        elif found not in ("damaged", "not ok"):
            crashed.append((n, place, found))
        sqlite.drop(url)
    tally("flipped bits", "sqlite", 150, started)
    print("not noticed:", silent)
    assert crashed == []
    decisive = {"record_state", "evidence_content", "event", "history", "dependency", "binding", "evidence", "conflict"}
    assert [one for one in silent if set(one[2]) & decisive] == []


def outcome_of(url: str) -> str:
    """Return what opening and verifying a store says, in a word."""
    from store import verify_store

    try:
        store = open_store(url, clock)
        try:
            return "ok" if verify_store(store, "operator")["ok"] else "not ok"
        finally:
            store.close()
    except Refusal as refusal:
        return "damaged" if refusal.code in ("damaged", "newer_schema", "bad_value") else f"{refusal.code}: {refusal.message}"
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:100]}"


# --- full, read-only ------------------------------------------------------------------------------------------------


@pytest.fixture
def small_disk(tmp_path):
    """A file system of two megabytes, where we may mount one."""
    folder = tmp_path / "small"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)], capture_output=True).returncode:
        pytest.skip("not run: no file system may be mounted here")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(folder: Path, leave: int) -> Path:
    """Fill a file system until about `leave` bytes are free."""
    ballast, free = folder / "ballast", os.statvfs(folder)
    ballast.write_bytes(b"x" * max(0, free.f_bavail * free.f_bsize - leave))
    return ballast


@pytest.mark.parametrize("leave", [0, 8_192, 40_960, 81_920])
def test_on_a_full_disk_nothing_is_half_done_and_writing_works_again_with_space(small_disk, prepared_sqlite, leave):
    path = small_disk / "claims.db"
    shutil.copyfile(path_of(prepared_sqlite), path)
    url = f"sqlite:///{path}"
    before = state_of(url)
    store = open_store(url, clock)
    check_whole(store)
    ballast = fill(small_disk, leave)
    big = [*encode(more_lines()), *encode([{**world()[4], "id": f"X{n}", "title": "x" * 2000} for n in range(200)])]
    with pytest.raises(Refusal) as full:
        import_lines(store, "carla", big, reviewed=True, operation="big")
    assert full.value.code == "busy"
    assert "full" in full.value.message
    assert "Nothing was saved" in full.value.message
    store.close()

    found = refused(url, "import", str(write_bundle(small_disk.parent, big)), "--reviewed", "--as", "carla")
    assert found["error"] == "busy"
    assert "full" in found["message"]
    ballast.unlink()
    assert not differing(state_of(url), before)
    store = open_store(url, clock)
    assert import_lines(store, "carla", big, reviewed=True, operation="big")["imported"]["claim"] > 20
    check_whole(store)
    store.close()


def write_bundle(folder: Path, lines: list[bytes]) -> Path:
    path = folder / "big.jsonl"
    path.write_bytes(b"".join(lines))
    return path


def test_making_a_store_on_a_full_disk_leaves_none_and_works_later(small_disk):
    url = f"sqlite:///{small_disk / 'claims.db'}"
    ballast = fill(small_disk, 20_000)
    found = refused(url, *INIT)
    assert found["error"] == "busy"
    assert "full" in found["message"]
    assert refused(url, *SHOW)["error"] == "not_found"
    ballast.unlink()
    assert run(url, *INIT)[0] == 0
    assert run(url, *VERIFY)[0] == 0


def test_a_file_that_may_not_grow_is_a_full_disk(fresh_sqlite):
    before = state_of(fresh_sqlite)

    def limit() -> None:
        import signal

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    found = refused(fresh_sqlite, *APPROVE, prepare=limit)
    assert found["error"] == "busy", found
    assert not differing(state_of(fresh_sqlite), before)
    assert run(fresh_sqlite, *APPROVE)[0] == 0
    assert run(fresh_sqlite, *VERIFY)[0] == 0


def test_a_file_system_that_can_only_be_read_says_so_and_works_again_when_it_can_be_written(small_disk, prepared_sqlite):
    path = small_disk / "claims.db"
    shutil.copyfile(path_of(prepared_sqlite), path)
    url, was = f"sqlite:///{path}", fingerprint_of(path)
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    try:
        found = refused(url, *APPROVE)
        assert found["error"] == "busy", found
        assert "permission" in found["message"]
        found = refused(f"sqlite:///{small_disk}/other.db", *INIT)
        assert found["error"] == "busy", found
        assert "permission" in found["message"]
        assert fingerprint_of(path) == was
        assert [one.name for one in small_disk.iterdir()] == ["claims.db"]
    finally:
        subprocess.run(["mount", "-o", "remount,rw", str(small_disk)], check=True)
    assert run(url, *APPROVE)[0] == 0
    assert run(url, *VERIFY)[0] == 0


def bound_by_permissions() -> None:
    """Take from this process the privilege of root to write what it has no permission for."""
    import ctypes

    drop_bounding, may_override, may_search = 24, 1, 2
    for capability in (may_override, may_search):
        if ctypes.CDLL(None, use_errno=True).prctl(drop_bounding, capability, 0, 0, 0):
            raise OSError("the privilege cannot be dropped")


@pytest.mark.parametrize("what", ["file", "folder"])
def test_a_file_or_a_folder_without_write_permission_says_so_and_nothing_is_saved(sqlite, prepared_sqlite, tmp_path, what):
    folder = tmp_path / "closed"
    folder.mkdir()
    path = folder / "claims.db"
    shutil.copyfile(path_of(prepared_sqlite), path)
    url, was = f"sqlite:///{path}", fingerprint_of(path)
    (path if what == "file" else folder).chmod(0o444 if what == "file" else 0o555)
    found = refused(url, *APPROVE, prepare=bound_by_permissions)
    assert found["error"] == "busy", found
    assert "permission" in found["message"]
    if what == "folder":
        found = refused(f"sqlite:///{folder}/other.db", *INIT, prepare=bound_by_permissions)
        assert found["error"] == "busy", found
        assert "permission" in found["message"]
    assert fingerprint_of(path) == was
    folder.chmod(0o755)
    for one in folder.iterdir():
        one.chmod(0o644)
    assert run(url, *APPROVE, prepare=bound_by_permissions)[0] == 0
    assert run(url, *VERIFY)[0] == 0
