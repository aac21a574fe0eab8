"""A database that is damaged, full or read-only: nothing wrong is shown as right, and nothing is half done."""

from __future__ import annotations

import os
import random
import resource
import shutil
import subprocess
import time
from functools import partial
from pathlib import Path

import fault_messages
import pytest
from fault_messages import APPROVE, INIT, SEED, SHOW, VERIFY, fingerprint_of, path_of
from fault_processes import tally
from fault_stores import check_whole, clock, differing, encode, more_lines, state_of, world

from store import Refusal, import_lines, open_store
from tests.ledgers import copy_ledger

#: Each command in a process of its own, which ends with its files closed, so that disks can be taken away.
run, refused = partial(fault_messages.run, branched=True), partial(fault_messages.refused, branched=True)

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
    copy_ledger(prepared_sqlite, f"sqlite:///{path}")
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
    copy_ledger(prepared_sqlite, f"sqlite:///{path}")
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
        assert sorted(one.name for one in small_disk.iterdir()) == ["claims.db", "claims.db.ledger"]
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
    copy_ledger(prepared_sqlite, f"sqlite:///{path}")
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
