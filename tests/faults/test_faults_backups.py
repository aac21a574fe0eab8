"""Backups of both databases: whole or not there, put back in either, and nothing forgotten since comes with them (R28)."""

from __future__ import annotations

import os
import stat
import threading
import time

import pytest
from fault_processes import run_and_kill, tally
from fault_stores import TENANT, clock, differing, encode, more_lines, rows_of, source, state_of, statuses
from test_faults_resurrected import check_sound, forget, look

from store import (
    Plan,
    Refusal,
    Verb,
    Wanted,
    commit_plan,
    create_store,
    export_store,
    import_lines,
    list_backups,
    make_backup,
    open_store,
    preview_plan,
    record_backup_destroyed,
    request_deletion,
    restore_backup,
    run_deletion,
    view_deletion,
)
from tests.ledgers import copy_ledger, ledgers_of

#: Rows that a restored store has otherwise: what it is called, and the event that says so.
OF_ITSELF = {"store", "event", "event_note", "operation", "tenant", "preview"}


def back_up(url: str, path) -> dict:
    store = open_store(url, clock)
    found = make_backup(store, "operator", path)
    store.close()
    return found


@pytest.fixture
def backup(fresh, tmp_path):
    """A store, and a backup of it."""
    path = tmp_path / "b.sqlite"
    back_up(fresh, path)
    return fresh, path


@pytest.fixture
def emptied(place):
    """A maker of an empty place with a store's ledger in it."""
    made = []

    def make(url):
        made.append(place.empty())
        copy_ledger(url, made[-1])
        return made[-1]

    yield make
    for url in made:
        place.drop(url)


def restore(url: str, path, **options) -> dict:
    return restore_backup(url, "operator", path, now=clock, **options)


def test_a_backup_is_restored_as_it_was_and_goes_on(backup, emptied):
    url, path = backup
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [one.name for one in path.parent.iterdir()] == [path.name]
    other = emptied(url)
    found = restore(other, path)

    assert not [name for name in differing(state_of(url), state_of(other)) if name not in OF_ITSELF]
    check_sound(other)
    store = open_store(other, clock)
    assert store.lineage == found["store"]
    assert import_lines(store, "operator", encode(more_lines()), reviewed=True)["imported"]
    assert make_backup(store, "operator", path.with_name("second"))["backup"] == 2
    store.close()
    check_sound(other)


def test_what_was_forgotten_since_does_not_come_back_with_a_backup(backup, emptied):
    url, path = backup
    request = forget(url, "A1")
    assert b"Fact 1 says" in path.read_bytes()
    other = emptied(url)
    assert restore(other, path)["erased_again"] == 1

    assert "A1" not in statuses(other)
    assert rows_of(other, "SELECT id FROM deletion_request") == [(request,)]
    store = open_store(other, clock)
    assert "a-1" not in repr(look(store, "A1"))
    store.close()
    check_sound(other)
    if other.startswith("sqlite"):
        folder = os.path.dirname(other.removeprefix("sqlite:///"))
        name = os.path.basename(other)
        assert [one for one in os.listdir(folder) if one.startswith(f".{name}")] == []


def test_a_preview_from_before_a_restore_is_void(backup):
    url, path = backup
    store, plan = open_store(url, clock), Plan(Verb.REVOKE, ("S1",))
    seen = preview_plan(store, "ana", TENANT, plan).fingerprint
    store.close()
    restore(url, path, replace=True)

    store = open_store(url, clock)
    with pytest.raises(Refusal) as refused:
        commit_plan(store, "ana", TENANT, plan, seen, "the source is wrong")
    assert refused.value.code in ("stale_preview", "unknown_preview")
    store.close()


def test_another_store_is_replaced_only_when_that_is_said(backup, place):
    url, path = backup
    other = place.empty()
    try:
        create_store(other, clock).close()
        with pytest.raises(Refusal) as refused:
            restore(other, path)
        assert "--replace" in refused.value.message
        assert rows_of(other, "SELECT id FROM source") == []
        copy_ledger(url, other)
        restore(other, path, replace=True)
        assert rows_of(other, "SELECT id FROM source") == rows_of(url, "SELECT id FROM source")
    finally:
        place.drop(other)


def test_a_backup_goes_back_into_its_own_store_when_nobody_has_that_open(backup):
    url, path = backup
    store = open_store(url, clock)
    list_backups(store, "operator")
    import_lines(store, "operator", encode(source("S9", 2)), reviewed=True)
    with pytest.raises(Refusal) as busy:
        restore(url, path)
    assert busy.value.code == "busy"
    store.close()
    assert rows_of(url, "SELECT id FROM source WHERE id = 'S9'")

    restore(url, path)
    assert not rows_of(url, "SELECT id FROM source WHERE id = 'S9'")
    check_sound(url)


def test_a_restored_store_still_knows_of_the_backups_made_since(backup):
    url, path = backup
    later = path.with_name("later")
    back_up(url, later)
    aside = path.rename(path.with_name("aside"))
    store = open_store(url, clock)
    with pytest.raises(Refusal) as there:
        record_backup_destroyed(store, "operator", 2)
    assert str(later) in there.value.message
    record_backup_destroyed(store, "operator", 1)
    store.close()
    restore(url, aside, replace=True)

    store = open_store(url, clock)
    assert [(row.backup, row.gone_at is None, bool(row.revisions)) for row in list_backups(store, "operator")] == [(2, True, True), (1, False, True)]
    store.close()


def test_a_restored_store_still_knows_of_the_exports_made_since_and_of_who_holds_them(backup, tmp_path):
    url, path = backup
    store = open_store(url, clock)
    export_store(store, "operator", tmp_path / "handed out", scope=TENANT, holder="dora")
    store.close()
    restore(url, path, replace=True)

    request = forget(url, "A1")
    store = open_store(url, clock)
    (row,) = [row for row in view_deletion(store, "operator", TENANT, request).surfaces if row.name == "exports"]
    assert (row.state, [one.state for one in row.copies]) == ("open", ["open"])
    store.close()


def test_a_store_in_which_something_is_asked_to_be_forgotten_is_not_replaced_by_one_that_does_not_know(backup):
    url, path = backup
    store = open_store(url, clock)
    request = request_deletion(store, "operator", TENANT, Wanted(("A1",)), reason="asked for")["request"]
    store.close()
    with pytest.raises(Refusal) as refused:
        restore(url, path, replace=True)
    assert refused.value.code == "illegal_step"
    assert request in refused.value.message
    assert statuses(url)["A1"] == 7

    store = open_store(url, clock)
    run_deletion(store, "operator", TENANT, request)
    store.close()
    restore(url, path, replace=True)
    assert "A1" not in statuses(url)


def test_a_backup_is_not_restored_without_the_ledger_or_with_one_older_than_it(backup, place, emptied):
    url, path = backup
    older = ledgers_of(url)[0].read_bytes()
    forget(url, "A1")
    later = path.with_name("later")
    back_up(url, later)
    other = emptied(url)
    ledger = ledgers_of(other)[0]
    ledger.write_bytes(older)
    with pytest.raises(Refusal) as behind:
        restore(other, later)
    ledger.unlink()
    with pytest.raises(Refusal) as missing:
        restore(other, later)
    assert (behind.value.code, missing.value.code) == ("ledger_behind", "ledger_missing")
    assert str(ledger) in missing.value.message
    with pytest.raises(Refusal):
        open_store(other)


def test_a_backup_is_not_opened_as_a_store_and_what_is_none_is_not_restored(backup, emptied, tmp_path):
    url, path = backup
    for opening in (open_store, create_store):
        with pytest.raises(Refusal) as refused:
            opening(f"sqlite:///{path}")
        assert "restore" in refused.value.message
    other = emptied(url)
    (tmp_path / "text").write_text("no backup " * 500)
    for wrong, code in ((tmp_path / "nothing", "not_found"), (tmp_path / "text", "damaged")):
        with pytest.raises(Refusal) as refused:
            restore(other, wrong)
        assert refused.value.code == code
    damaged = bytearray(path.read_bytes())
    damaged[len(damaged) // 2 :] = b"\0" * (len(damaged) - len(damaged) // 2)
    (tmp_path / "damaged").write_bytes(damaged)
    with pytest.raises(Refusal) as refused:
        restore(other, tmp_path / "damaged")
    assert refused.value.code == "damaged"


def test_nothing_is_ever_written_over(fresh, tmp_path):
    path = tmp_path / "kept"
    path.write_text("mine")
    with pytest.raises(Refusal):
        back_up(fresh, path)
    assert path.read_text() == "mine"
    with pytest.raises(Refusal):
        back_up(fresh, tmp_path / "no folder" / "b")
    store = open_store(fresh, clock)
    assert list_backups(store, "operator") == []
    with pytest.raises(Refusal) as refused:
        make_backup(store, "carla", tmp_path / "b")
    assert refused.value.code == "not_allowed"
    with pytest.raises(Refusal):
        list_backups(store, "carla")
    store.close()


def test_a_backup_made_while_others_write_stands_at_a_revision_it_names(fresh, tmp_path, emptied):
    stop, written, made = threading.Event(), [], []

    def keep_writing() -> None:
        store, n = open_store(fresh, clock), 0
        while not stop.is_set():
            n += 1
            written.append(import_lines(store, "operator", encode(source(f"W{n}", 3)), reviewed=True))
        store.close()

    writer = threading.Thread(target=keep_writing)
    writer.start()
    for n in range(3):
        before = len(written)
        while len(written) < before + 2:  # one of them is wholly after the last backup
            assert writer.is_alive()
            time.sleep(0.001)
        made.append(back_up(fresh, tmp_path / f"b{n}"))
    stop.set()
    writer.join()

    for n, found in enumerate(made):
        other = emptied(fresh)
        restore(other, tmp_path / f"b{n}")
        assert rows_of(other, "SELECT revision FROM tenant WHERE name = 'acme'") == [(found["revisions"][TENANT] + 1,)]
        check_sound(other)
    assert made[0]["revisions"][TENANT] < made[2]["revisions"][TENANT]


def test_killed_at_any_statement_a_backup_is_whole_or_not_there(place, fresh, tmp_path, emptied):
    done = run_and_kill(lambda: back_up(fresh, tmp_path / "whole"), None)
    step, n, points, started = max(1, len(done.reached) // (12 if place.kind == "sqlite" else 8)), 1, 0, time.perf_counter()
    while n <= len(done.reached) + step:
        path = tmp_path / f"b{n}"
        death = run_and_kill(lambda path=path: back_up(fresh, path), n)
        assert death.error is None, death.error
        store = open_store(fresh, clock)
        rows = [row for row in list_backups(store, "operator") if row.name == str(path)]
        store.close()
        assert rows or not path.exists(), "a backup nobody is told of"
        left = list(tmp_path.glob(f".b{n}.*.part"))
        assert rows or not left
        if rows and not path.exists():
            store = open_store(fresh, clock)
            record_backup_destroyed(store, "operator", rows[0].backup)
            store.close()
            assert not list(tmp_path.glob(f".b{n}.*"))
        if path.exists() and n % (5 * step) == 1:
            other = emptied(fresh)
            restore(other, path)
            check_sound(other)
        points, n = points + 1, n + step
    tally("killed: backup", place.kind, points, started)
    assert death.at is None
    assert path.exists()


def test_killed_at_any_statement_of_a_restore_there_is_the_store_of_before_or_the_restored_one(place, backup):
    url, path = backup
    forget(url, "A1")
    done = run_and_kill(lambda: restore(copy, path, replace=True), None) if (copy := place.copy(url)) else None
    assert done.error is None, done.error
    place.drop(copy)
    step, n, points, started = max(1, len(done.reached) // (12 if place.kind == "sqlite" else 8)), 1, 0, time.perf_counter()
    while n <= len(done.reached) + step:
        copy = place.copy(url)
        death = run_and_kill(lambda copy=copy: restore(copy, path, replace=True), n)
        assert death.error is None, death.error
        assert "A1" not in statuses(copy)
        store = open_store(copy, clock)
        store.close()
        if n % (5 * step) == 1:
            check_sound(copy)
        place.drop(copy)
        points, n = points + 1, n + step
    tally("killed: restore", place.kind, points, started)
    assert death.at is None


def surface_of_backups(store, request: str):
    (row,) = [row for row in view_deletion(store, "operator", TENANT, request).surfaces if row.name == "backups"]
    return [(one.n, one.state) for one in (row, *row.copies)]


def test_the_surface_of_backups_is_kept_until_the_last_is_gone(backup):
    url, path = backup
    back_up(url, path.with_name("second"))
    request = forget(url, "A1")
    store = open_store(url, clock)

    def surface():
        run_deletion(store, "operator", TENANT, request)
        return surface_of_backups(store, request)

    assert surface() == [(0, "kept"), (1, "kept"), (2, "kept")]
    back_up(url, path.with_name("clean"))
    path.unlink()
    record_backup_destroyed(store, "operator", 1)
    assert surface() == [(0, "kept"), (1, "done"), (2, "kept")]
    path.with_name("second").unlink()
    record_backup_destroyed(store, "operator", 2)
    assert surface() == [(0, "done"), (1, "done"), (2, "done")]
    store.close()


def test_a_backup_from_before_the_record_does_not_hold_it(fresh, tmp_path):
    back_up(fresh, tmp_path / "before")
    store = open_store(fresh, clock)
    import_lines(store, "operator", encode(more_lines()), reviewed=True)
    store.close()
    request = forget(fresh, "M3")
    store = open_store(fresh, clock)

    assert surface_of_backups(store, request) == [(0, "done")]
    store.close()


@pytest.mark.parametrize("meanwhile", ["restored", "worked in"])
def test_what_came_to_a_place_while_a_backup_was_prepared_is_not_written_over(backup, emptied, meanwhile):
    url, path = backup
    target, done = emptied(url), []
    if meanwhile == "worked in":
        restore(target, path)

    def interrupted():
        """The clock, read while the backup is prepared: at that moment somebody else is quicker."""
        if not done:
            done.append(True)
            if meanwhile == "restored":
                restore(target, path)
            store = open_store(target, clock)
            done.append(import_lines(store, "operator", encode(source("S9", 2)), reviewed=True))
            store.close()
        return clock()

    with pytest.raises(Refusal) as refused:
        restore_backup(target, "operator", path, replace=True, now=interrupted)
    assert refused.value.code == "busy"
    assert ("S9",) in rows_of(target, "SELECT id FROM source")
    check_sound(target)
    restore(target, path, replace=True)
    assert ("S9",) not in rows_of(target, "SELECT id FROM source")
