"""One ledger for a store and a copy of it, or for a store that begins again from an older backup: names of requests are given twice there."""

import shutil

import pytest

from store import Refusal, make_backup, open_store, restore_backup, run_deletion, show_record
from tests.builders import TENANT, Clock, accepted, bring, claim, given
from tests.forgetting import asked_to_forget, forgotten, refuse, state


@pytest.fixture
def shared(desk, tmp_path, monkeypatch):
    """A store, its backup from before anything was asked, and the address of a copy that uses the same ledger."""
    folder = tmp_path / "ledgers"
    folder.mkdir()
    shutil.copy(desk.ledger.path, folder / f"{desk.ledger.id}.ledger")
    monkeypatch.setenv("CLAIMDESK_LEDGER", str(folder))
    given(desk, *(accepted(id, id, quote=quote) for id, quote in (("C1", "The office is in Lyon."), ("C2", "Line one of the source."))))
    backup, copy = tmp_path / "backup", f"sqlite:///{tmp_path}/copy.db"
    opened = open_store(desk.url, now=Clock())
    make_backup(opened, "operator", backup)
    restore_backup(copy, "operator", backup, now=Clock())
    yield opened, copy, backup
    opened.close()


def status(store, id):
    try:
        return show_record(store, "ana", TENANT, id)["status"]
    except Refusal as refusal:
        return refusal.code


def test_what_another_copy_erases_under_the_same_name_does_not_begin_a_request_that_waits(shared):
    store, copy, _ = shared
    other = open_store(copy, now=Clock())
    waiting, theirs = asked_to_forget(store, "C1"), asked_to_forget(other, "C2")
    assert waiting == theirs, "the name is given twice"
    run_deletion(other, "adam", TENANT, theirs)
    other.close()

    store = open_store(store.url, now=Clock())
    assert status(store, "C1") == "DELETION_PENDING"
    assert status(store, "C2") == "DELETED"
    assert state(store, waiting) == "open"
    assert refuse(store, waiting)["changed"] == 1
    assert status(store, "C1") == "STALE"
    assert store.ledger.is_erased_id(TENANT, "C2")
    store.close()


def test_refusing_a_request_does_not_bring_back_what_another_of_that_name_erased(shared):
    store, copy, backup = shared
    other = open_store(copy, now=Clock())
    theirs = asked_to_forget(other, "C2")
    assert forgotten(store, "C1") == theirs
    refuse(other, theirs)
    other.close()

    assert store.ledger.is_erased_id(TENANT, "C1")
    assert [one["code"] for one in bring(store, claim("C1", "C1"))["rejected"]] == ["erased_before"]
    again = copy.replace("copy.db", "again.db")
    restore_backup(again, "operator", backup, now=Clock())
    restored = open_store(again, now=Clock())
    assert status(restored, "C1") == "DELETED"
    restored.close()


def test_a_name_given_again_after_a_restore_from_before_the_record_is_not_the_same_request(shared):
    store, copy, _ = shared
    given(store, accepted("C9", "C9", on="E1"))
    first = forgotten(store, "C9")

    restored = open_store(copy, now=Clock())
    second = asked_to_forget(restored, "C1")
    assert second == first, "the older copy knows of no request"
    refuse(restored, second)
    assert restored.ledger.is_erased_id(TENANT, "C9")
    assert forgotten(restored, "C2") != second
    restored.close()
    assert status(open_store(copy, now=Clock()), "C1") == "STALE"
