"""An older copy of a store, put in its place with the ledger as it is now, brings nothing back that was forgotten since (R28)."""

from __future__ import annotations

import contextlib
import threading
import time

import pytest
from fault_processes import BEFORE_COMMIT, COMMITTED, run_and_kill, tally
from fault_stores import TENANT, clock, rows_of, statuses

from store import ClaimStore, Refusal, Wanted, open_store, refuse_deletion, request_deletion, run_deletion, show_record, verify_store
from tests.ledgers import copy_ledger


def forget(url: str, *ids: str) -> str:
    """Forget records in a store and return the request's id."""
    store = open_store(url, clock)
    request = request_deletion(store, "operator", TENANT, Wanted(ids), reason="it was asked for")["request"]
    run_deletion(store, "operator", TENANT, request)
    store.close()
    return str(request)


@pytest.fixture
def older(place, prepared):
    """A copy of a store from before A1 and A3 were forgotten in it, with the ledger of afterwards; and the request."""
    url = place.copy(prepared)
    copy = place.copy(url)
    request = forget(url, "A1", "A3")
    copy_ledger(url, copy)
    place.drop(url)
    yield copy, request
    place.drop(copy)


def check_forgotten(url: str, request: str) -> None:
    found = statuses(url)
    assert "A1" not in found
    assert "A3" not in found
    assert sorted(status for name, status in found.items() if name.startswith("erased-")) == [8, 8]
    assert found["B1"] == 3, "what rested on A1 needs re-validation"
    assert rows_of(url, "SELECT id, from_ledger FROM deletion_request") == [(request, True)]
    assert not rows_of(url, "SELECT name FROM store WHERE name LIKE 'again %'")
    assert rows_of(url, "SELECT value FROM store WHERE name = 'ledger_seq'") == [("1",)]


def check_sound(url: str) -> None:
    store = open_store(url, clock)
    found = verify_store(store, "operator")
    store.close()
    wrong = [name for name, holds in found["invariants"].items() if not holds]
    assert found["chain"]["ok"]
    assert wrong == [], found


def look(store, record_id):
    """Return what a person with every right is shown under an id."""
    try:
        return show_record(store, "operator", TENANT, record_id)
    except Refusal as refusal:
        return refusal.message


def test_an_older_copy_is_blocked_and_erased_again_before_it_can_be_read(older):
    url, request = older
    assert statuses(url)["A1"] == 1
    store = open_store(url, clock)

    check_forgotten(url, request)
    assert store.ledger.is_erased_id(TENANT, "A1")
    assert "Fact 1" not in repr(look(store, "A1"))
    store.close()
    check_sound(url)


def test_killed_at_any_statement_of_erasing_again_it_goes_on_at_the_next_opening(place, older):
    url, request = older
    copy = place.copy(url)
    whole = run_and_kill(lambda: open_store(copy, clock).close(), None)
    place.drop(copy)
    points, started, n = 0, time.perf_counter(), 1
    step = max(1, len(whole.reached) // (24 if place.kind == "sqlite" else 12))
    while n <= len(whole.reached) + step:
        copy = place.copy(url)
        death = run_and_kill(lambda copy=copy: open_store(copy, clock).close(), n)
        assert death.error is None, death.error
        blocked = rows_of(copy, "SELECT value FROM store WHERE name = 'ledger_seq'") == [("1",)]
        assert not blocked or statuses(copy).get("A1", 8) in (7, 8), f"noted as carried out, and readable, when killed before {death.at!r}"
        store = open_store(copy, clock)
        store.close()
        check_forgotten(copy, request)
        if n % (5 * step) == 1:
            check_sound(copy)
        place.drop(copy)
        points, n = points + 1, n + step
    tally("killed: erasing again", place.kind, points, started)
    assert death.at is None
    assert points > 10


def test_several_opening_an_older_copy_at_once_erase_it_once(older):
    url, request = older
    opened, failed = [], []

    def one() -> None:
        try:
            store = open_store(url, clock)
            opened.append(look(store, "A1"))
            store.close()
        except Refusal as refusal:
            failed.append(refusal)

    threads = [threading.Thread(target=one) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [refusal.code for refusal in failed if refusal.code != "busy"] == []
    assert opened
    check_forgotten(url, request)
    assert len(rows_of(url, "SELECT seq FROM event WHERE action = 'erase again'")) == 1


def test_the_restored_request_is_finished_by_running_it(older):
    url, request = older
    store = open_store(url, clock)
    found = run_deletion(store, "operator", TENANT, request)

    assert found["surfaces"]["record"] == "done"
    assert request_deletion(store, "operator", TENANT, Wanted(("A2",)), reason="it too")["request"] != request
    store.close()


def test_what_was_refused_after_all_stays(place, prepared):
    url = place.copy(prepared)
    store = open_store(url, clock)
    store.ledger.note_erasure(TENANT, "r1", [(1, store.ledger.mac_id(TENANT, "A1"), None)])
    store.ledger.note_refused(TENANT, "r1", [(1, store.ledger.mac_id(TENANT, "A1"), None)])
    store.close()

    open_store(url, clock).close()
    assert statuses(url)["A1"] == 1
    assert rows_of(url, "SELECT value FROM store WHERE name = 'ledger_seq'") == [("1",)]
    place.drop(url)


def test_what_an_older_copy_never_held_is_only_noted(place, prepared):
    url = place.copy(prepared)
    store = open_store(url, clock)
    store.ledger.note_erasure(TENANT, "r1", [(900, store.ledger.mac_id(TENANT, "never here"), None)])
    store.ledger.note_erasure("another tenant", "r1", [(1, store.ledger.mac_id("another tenant", "A1"), None)])
    store.close()

    open_store(url, clock).close()
    assert statuses(url)["A1"] == 1
    assert not rows_of(url, "SELECT * FROM deletion_request")
    assert rows_of(url, "SELECT value FROM store WHERE name = 'ledger_seq'") == [("2",)]
    place.drop(url)


def test_where_only_the_passages_are_left_they_are_hidden_and_somebody_can_run_the_request(place, prepared):
    url = place.copy(prepared)
    store = open_store(url, clock)
    macs = [store.ledger.mac_id(TENANT, one) for one in ("taken later", "S1@1")]
    store.ledger.note_erasure(TENANT, "acme-deletion-1", [(900, macs[0], None)], [(macs[1], 0, 14)])
    store.close()

    store = open_store(url, clock)
    assert statuses(url)["A1"] == 3
    assert len(rows_of(url, 'SELECT start, "end" FROM redaction')) == 1
    run_deletion(store, "operator", TENANT, "acme-deletion-1")
    store.close()
    check_sound(url)
    place.drop(url)


@pytest.fixture
def older_asked(place, prepared):
    """A copy of a store from before it was asked to forget A1, with the ledger of afterwards; nothing is erased yet; and the request."""
    url = place.copy(prepared)
    copy = place.copy(url)
    store = open_store(url, clock)
    request = request_deletion(store, "operator", TENANT, Wanted(("A1",)), reason="it was asked for")["request"]
    store.close()
    copy_ledger(url, copy)
    place.drop(url)
    yield copy, str(request)
    place.drop(copy)


def test_what_is_blocked_and_not_yet_erased_is_blocked_in_an_older_copy_too(older_asked):
    url, request = older_asked
    assert statuses(url)["A1"] == 1

    store = open_store(url, clock)
    assert "Fact 1" not in repr(look(store, "A1"))
    assert (statuses(url)["A1"], statuses(url)["B1"]) == (7, 3)
    assert not store.ledger.is_erased_id(TENANT, "A1")
    store.close()
    open_store(url, clock).close()
    assert rows_of(url, "SELECT id, from_ledger, begun_at FROM deletion_request") == [(request, True, None)]
    check_sound(url)


def test_a_request_that_came_back_from_the_ledger_can_be_run_or_refused(place, older_asked):
    url, request = older_asked
    other = place.copy(url)
    copy_ledger(url, other)
    store = open_store(url, clock)
    refuse_deletion(store, "operator", TENANT, request, "it is needed")
    store.close()
    open_store(url, clock).close()
    assert statuses(url)["A1"] == 3, "needs re-validation"

    store = open_store(other, clock)
    assert run_deletion(store, "operator", TENANT, request)["surfaces"]["record"] == "done"
    assert store.ledger.asked() == []
    store.close()
    assert "A1" not in statuses(other)
    place.drop(other)


def test_a_request_about_what_an_older_copy_never_held_is_looked_for_once(place, prepared):
    url = place.copy(prepared)
    store = open_store(url, clock)
    store.ledger.note_asked(TENANT, "r1", [(900, store.ledger.mac_id(TENANT, "never here"), None)])
    store.ledger.note_asked("another tenant", "r1", [(1, store.ledger.mac_id("another tenant", "A1"), None)])
    store.close()

    open_store(url, clock).close()
    assert statuses(url)["A1"] == 1
    assert not rows_of(url, "SELECT * FROM deletion_request")
    assert len(rows_of(url, "SELECT name FROM store WHERE name LIKE 'not here %'")) == 1
    place.drop(url)


@pytest.mark.parametrize("ending", ["asking", "refusing"])
def test_killed_anywhere_between_store_and_ledger_an_older_copy_blocks_what_this_one_blocks(place, prepared, ending):
    older = place.copy(prepared)
    open_store(older, clock).close()
    with contextlib.closing(open_store(older, clock)) as store:
        store.ledger.mac_id(TENANT, "anything")
    url = place.copy(older)
    if ending == "refusing":
        with contextlib.closing(open_store(url, clock)) as store:
            request_deletion(store, "operator", TENANT, Wanted(("A1",)), reason="it was asked for")

    def end(store: ClaimStore) -> None:
        if ending == "asking":
            request_deletion(store, "operator", TENANT, Wanted(("A1",)), reason="it was asked for")
        else:
            refuse_deletion(store, "operator", TENANT, f"{TENANT}-deletion-1", "it is needed")

    copy = place.copy(url)
    whole = run_and_kill(end, None, lambda: open_store(copy, clock)).reached
    place.drop(copy)
    points = [n for n, what in enumerate(whole, 1) if what in (BEFORE_COMMIT, COMMITTED)] + [len(whole) + 1]
    assert len(points) >= 5, "the store is committed, and the ledger"
    seen = set()
    for n in points:
        live, restored = place.copy(url), place.copy(older)
        assert run_and_kill(end, n, lambda live=live: open_store(live, clock)).error is None
        open_store(live, clock).close()
        copy_ledger(live, restored)
        open_store(restored, clock).close()
        found = statuses(live)["A1"], statuses(restored)["A1"]
        assert found in {(1, 1), (7, 7), (3, 1)}, f"killed before {whole[n - 1] if n <= len(whole) else 'its end'!r}"
        seen.add(found)
        place.drop(live)
        place.drop(restored)
    assert len(seen) == 2
    place.drop(url)
    place.drop(older)
