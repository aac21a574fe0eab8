"""Erasing that is killed anywhere blocks what it is about all the while, and goes on where it was when it is run again (R26, F21)."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from typing import Any

from fault_processes import BEFORE_COMMIT, COMMITTED, run_and_kill, tally
from fault_stores import TENANT, broken_invariant, check_whole, clock, look_at, statuses

from store import ClaimStore, Question, Status, Wanted, open_store, read_claims, request_deletion, view_deletion
from store.actions import forgetting

REQUEST = f"{TENANT}-deletion-1"
#: Killed at every boundary between surfaces, and where one says that it is worked on; otherwise at one in nine.
EVERY = bool(os.environ.get("CLAIMDESK_KILL_ALL"))


def erase(store: ClaimStore) -> Any:
    """Erase surface by surface, without the search of all files at the end, which has tests of its own."""
    return forgetting.run_deletion(store, "carla", TENANT, REQUEST)


def ask(store: ClaimStore) -> str:
    return str(read_claims(store, "ana", Question(TENANT, "a-1", "size"))["result"])


def test_killed_at_any_surface_it_is_blocked_all_the_while_and_goes_on(place, prepared):
    started, url = time.perf_counter(), place.copy(prepared)
    with contextlib.closing(open_store(url, clock)) as store:
        assert ask(store) == "OK"
        request_deletion(store, "carla", TENANT, Wanted(("A1", "OLD")), reason="asked by the person")
        assert ask(store) == "MISSING"
    done = place.copy(url)
    finished = run_and_kill(erase, None, lambda: open_store(done, clock))
    assert finished.error is None, finished.error
    expected = statuses(done).values()
    place.drop(done)

    commits = [n for n, what in enumerate(finished.reached, 1) if what in (BEFORE_COMMIT, COMMITTED)]
    points = sorted({1, *commits, *(n + 3 for n in commits if n + 3 < len(finished.reached))})
    if not EVERY:  # each kind of database takes others, so that all surfaces are tried between them
        points = points[place.kind == "sqlite" :: 9]
    began = 0
    for n in points:
        copy = place.copy(url)
        death = run_and_kill(erase, n, lambda copy=copy: open_store(copy, clock))
        assert death.error is None, death.error
        with contextlib.closing(open_store(copy, clock)) as store:
            view = view_deletion(store, "carla", TENANT, REQUEST)
            assert ask(store) == "MISSING"
            assert {one.status for one in view.targets} <= {"DELETION_PENDING", "DELETED"}
            record = next(one.state for one in view.surfaces if one.name == "record")
            assert (record == "done") == ({one.status for one in view.targets} == {"DELETED"}), f"killed before {death.at!r}"
            began += view.row.begun_at is not None
            assert erase(store)["state"] == "complete"
            assert {one.state for one in view_deletion(store, "carla", TENANT, REQUEST).surfaces} == {"done"}
            check_whole(store)
        assert sorted(statuses(copy).values()) == sorted(expected)
        assert broken_invariant(copy) == []
        assert not [name for name, rows in look_at(copy)[0].items() if any(cell in ("a-1", "A1", "OLD") for row in rows for cell in row)]
        place.drop(copy)
    place.drop(url)
    tally("killed: erase", place.kind, len(points), started)
    assert death.acknowledged is None
    assert began > len(points) // 2


def test_a_read_meanwhile_gives_the_old_answer_or_none_and_none_once_it_is_acknowledged(place, prepared):
    started = time.perf_counter()
    for _ in range(4):
        url = place.copy(prepared)
        with contextlib.closing(open_store(url, clock)) as store, contextlib.closing(open_store(url, clock)) as other:
            told: list[str] = []
            stop = threading.Event()

            def read(other: ClaimStore = other, told: list[str] = told, stop: threading.Event = stop) -> None:
                while not stop.is_set():
                    told.append(ask(other))

            thread = threading.Thread(target=read)
            thread.start()
            while not told:
                time.sleep(0.001)
            request_deletion(store, "carla", TENANT, Wanted(("A1",)), reason="asked by the person")
            after = len(told) + 1  # the one under way may have begun before
            erase(store)
            stop.set()
            thread.join()
        assert set(told) <= {"OK", "MISSING"}
        assert told == sorted(told, reverse=True), "an answer came back"
        assert set(told[after:]) <= {"MISSING"}
        place.drop(url)
    tally("interleaved: erase and read", place.kind, 4, started)


def test_statuses_are_as_the_rules_say_after_erasing(place, prepared):
    url = place.copy(prepared)
    with contextlib.closing(open_store(url, clock)) as store:
        request_deletion(store, "carla", TENANT, Wanted(("A1",)), reason="asked by the person")
        erase(store)
    found = statuses(url)
    assert (found["B1"], found["R1"], found["A2"]) == (int(Status.STALE), int(Status.STALE), int(Status.ACCEPTED))
    place.drop(url)
