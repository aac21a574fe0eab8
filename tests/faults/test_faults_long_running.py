"""A process that stays up, as the desk does, beside others that come and go."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from fault_stores import TENANT, claim, clock, encode, statuses

from store import Approval, approve, create_store, import_lines, open_store, verify_store

ROOT = Path(__file__).parents[2]


def elsewhere(url: str, *words: str) -> None:
    """Run a command in a process of its own, which opens the store and closes it again."""
    done = subprocess.run([sys.executable, "-m", "store", "--db", url, *words, "--json"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr + done.stdout


def test_opening_a_store_twice_in_one_process_takes_no_lock_from_the_first(fresh):
    """Closing a file gives up every POSIX lock this process holds on it; SQLite would then take us for gone and remove the WAL under us."""
    store = open_store(fresh, clock)
    assert verify_store(store, "operator")["ok"]
    open_store(fresh, clock).close()
    elsewhere(fresh, "approve", "NEW", "--open-conflict", "--reason", "in passing", "--as", "ben")
    approve(store, "ana", TENANT, "CHILD", Approval("it is so"))

    elsewhere(fresh, "verify")
    assert statuses(fresh)["CHILD"] == 1
    assert statuses(fresh)["NEW"] == 1
    store.close()
    assert statuses(fresh)["CHILD"] == 1


def locks_on(path: Path) -> int:
    """Return how many POSIX locks are held on a file."""
    return sum(int(line.split()[5].split(":")[2]) == path.stat().st_ino for line in Path("/proc/locks").read_text().splitlines())


def test_looking_at_a_file_again_leaves_the_locks_of_this_process_in_place(fresh_sqlite):
    path = Path(fresh_sqlite.removeprefix("sqlite:///"))
    store = open_store(fresh_sqlite, clock)
    assert verify_store(store, "operator")["ok"]
    held = locks_on(path)
    assert held
    for opening in (open_store, create_store):
        opening(fresh_sqlite, clock).close()
        assert locks_on(path) == held
    store.close()


def test_verify_says_the_same_in_a_process_that_has_been_up_for_a_while(fresh):
    store = open_store(fresh, clock)
    for n in range(80):
        import_lines(store, "carla", encode([claim(f"X{n}-{k}", f"x-{n}-{k}", n, parents=("B1",)) for k in range(3)]), reviewed=True)
        found = verify_store(store, "operator")
        assert found["ok"], (n, found["invariants"])
    elsewhere(fresh, "verify")
    store.close()
