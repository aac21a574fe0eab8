"""The ledger of erasures: without it, or with another one, no store opens; what it knows it tells without holding it."""

import shutil
import stat
from concurrent.futures import ThreadPoolExecutor

import pytest

from store import Refusal, create_store, open_store
from store.domain.values import Predicate
from tests.ledgers import ledgers_of

QUALIFIERS = {"unit": "mg"}


def ledger_of(url):
    (path,) = ledgers_of(url)
    return path


def refusal_of_opening(url):
    with pytest.raises(Refusal) as refused:
        open_store(url)
    return refused.value


def test_a_store_is_made_with_a_ledger_that_only_its_owner_can_read(database_url):
    assert stat.S_IMODE(ledger_of(database_url).stat().st_mode) & 0o077 == 0


def test_a_store_without_its_ledger_does_not_open_and_says_where_it_was_looked_for(database_url):
    path = ledger_of(database_url)
    kept = path.rename(path.with_name("kept"))
    try:
        refusal = refusal_of_opening(database_url)
        assert refusal.code == "ledger_missing"
        assert str(path) in refusal.message
        assert "CLAIMDESK_LEDGER" in refusal.message
        with pytest.raises(Refusal) as again:
            create_store(database_url)
        assert again.value.code == "ledger_missing"
    finally:
        kept.rename(path)

    open_store(database_url).close()


def test_a_ledger_kept_elsewhere_is_found_by_file_or_folder(database_url, tmp_path, monkeypatch):
    path, store = ledger_of(database_url), open_store(database_url)
    store.close()
    for place, given in ((tmp_path / "own.ledger", tmp_path / "own.ledger"), (tmp_path / f"{store.ledger.id}.ledger", tmp_path)):
        shutil.copy(path, place)
        monkeypatch.setenv("CLAIMDESK_LEDGER", str(given))
        found = open_store(database_url)
        assert found.ledger.path == place
        found.close()


def test_another_stores_ledger_is_refused(database_url, tmp_path):
    other = create_store(f"sqlite:///{tmp_path}/other.db")
    other.close()
    shutil.copy(other.ledger.path, ledger_of(database_url))

    assert refusal_of_opening(database_url).code == "ledger_foreign"


def test_an_older_copy_of_the_ledger_is_refused(store):
    older = store.ledger.path.read_bytes()
    seq = store.ledger.note_erasure("acme", "r1", [(1, store.ledger.mac_id("acme", "c1"), None)])
    with store.writer.begin() as connection:
        connection.exec_driver_sql(f"UPDATE store SET value = '{seq}' WHERE name = 'ledger_seq'")
    open_store(store.url).close()
    store.ledger.path.write_bytes(older)

    refusal = refusal_of_opening(store.url)
    assert refusal.code == "ledger_behind"
    assert "entry 0" in refusal.message


@pytest.mark.parametrize("content", [b"", b"this is no database at all " * 400])
def test_a_damaged_ledger_is_refused(database_url, content):
    path = ledger_of(database_url)
    path.write_bytes(content)

    refusal = refusal_of_opening(database_url)
    assert refusal.code == "damaged"
    assert str(path) in refusal.message
    assert "CLAIMDESK_LEDGER" in refusal.message
    assert "backup" not in refusal.message, "no backup holds the ledger"


def test_making_a_store_where_another_left_its_ledger_takes_it_over_and_nothing_erased_comes_back(sqlite_files):
    with sqlite_files.new() as url:
        first = open_store(url)
        first.ledger.note_erasure("acme", "r1", [(1, first.ledger.mac_id("acme", "c1"), None)])
        first.close()
        for end in ("", "-wal", "-shm"):
            (path := ledger_of(url)).with_name(path.name.removesuffix(".ledger") + end).unlink(missing_ok=True)

        store = create_store(url)
        assert store.ledger.id == first.ledger.id
        assert store.ledger.is_erased_id("acme", "c1")
        store.close()


@pytest.mark.parametrize("used", [True, False])
def test_another_stores_ledger_is_not_taken_over_from_a_place_of_its_own(another_store, tmp_path, monkeypatch, used):
    other = another_store()
    if used:
        other.ledger.note_erasure("acme", "r1", [(1, other.ledger.mac_id("acme", "c1"), None)])
    monkeypatch.setenv("CLAIMDESK_LEDGER", str(other.ledger.path))

    with pytest.raises(Refusal) as refused:
        create_store(f"sqlite:///{tmp_path}/new.db")
    assert refused.value.code == "ledger_foreign"


def test_two_stores_that_share_the_folder_of_ledgers_have_one_each(tmp_path, monkeypatch):
    monkeypatch.setenv("CLAIMDESK_LEDGER", str(tmp_path))
    one, other = (create_store(f"sqlite:///{tmp_path}/{name}.db") for name in ("one", "other"))
    one.ledger.note_erasure("acme", "r1", [(1, one.ledger.mac_id("acme", "c1"), None)])

    assert one.ledger.path != other.ledger.path
    assert not other.ledger.is_erased_id("acme", "c1")
    one.close()
    other.close()


@pytest.mark.parametrize("becomes", ["ledger_foreign", "ledger_behind", "ledger_missing", "damaged"])
def test_a_ledger_exchanged_while_the_store_is_open_is_neither_trusted_nor_written(store, tmp_path, becomes):
    ledger, older = store.ledger, store.ledger.path.read_bytes()
    ledger.note_erasure("acme", "r1", [(1, ledger.mac_id("acme", "c1"), None)])
    assert ledger.is_erased_id("acme", "c1")
    other = create_store(f"sqlite:///{tmp_path}/other.db")
    other.close()
    own = ledger.path.rename(ledger.path.with_name("own"))
    if becomes != "ledger_missing":
        ledger.path.write_bytes({"ledger_foreign": other.ledger.path.read_bytes(), "ledger_behind": older, "damaged": b""}[becomes])

    for use in (
        lambda: ledger.is_erased_id("acme", "c1"), lambda: ledger.seq, lambda: ledger.note_refused("acme", "r1", []),
        lambda: ledger.note_erasure("acme", "r2", [(2, ledger.mac_id("acme", "c2"), None)]), lambda: ledger.note_asked("acme", "r2", []),
    ):  # fmt: skip
        with pytest.raises(Refusal) as refused:
            use()
        assert refused.value.code == becomes
        assert str(ledger.path) in refused.value.message
    assert ledger.path.exists() == (becomes != "ledger_missing")

    own.replace(ledger.path)
    assert ledger.is_erased_id("acme", "c1")
    assert ledger.note_erasure("acme", "r2", [(2, ledger.mac_id("acme", "c2"), None)]) == 2


def test_what_was_erased_is_known_to_every_open_store_at_once_and_only_in_its_tenant(store):
    other = open_store(store.url)
    assert not other.ledger.is_erased_id("acme", "c1")
    ledger = store.ledger
    id_mac, value_mac = ledger.mac_id("acme", "c1"), ledger.mac_value("acme", "acme", "pump", "dose", QUALIFIERS, 1)
    assert ledger.note_erasure("acme", "r1", [(7, id_mac, value_mac)], [(id_mac, 3, 9)]) == 1

    assert other.ledger.is_erased_id("acme", "c1")
    assert other.ledger.erased_record("acme", "c1") == id_mac
    assert other.ledger.erased_record("acme", "c2") is None
    assert not other.ledger.is_erased_id("acme", "c2")
    assert not other.ledger.is_erased_id("beta", "c1")
    assert other.ledger.is_erased_value("acme", "acme", "pump", "dose", QUALIFIERS, 1.0)
    assert not other.ledger.is_erased_value("acme", "acme", "pump", "dose", QUALIFIERS, 2)
    assert not other.ledger.is_erased_value("acme", "acme", "pump", "dose", QUALIFIERS, True)
    assert not other.ledger.is_erased_value("acme", "acme", "pump", "dose", {}, 1)
    other.close()


@pytest.mark.parametrize(("erased", "declared", "again"), [
    ("1.00", {"compare": "number"}, 1),
    ("Diabetes  type 2", {"compare": "text"}, "diabetes type 2"),
    (["b", "a"], {"order": "set"}, ["a", "b", "a"]),
    ([1, 2.0], {}, [1.0, 2]),
    ({"x": 1}, {}, {"x": 1.0}),
])  # fmt: skip
def test_a_value_written_differently_is_known_again(store, erased, declared, again):
    ledger = store.ledger
    mac = ledger.mac_value("acme", "acme", "ann", "has", {}, erased, Predicate("acme", "has", **declared))
    ledger.note_erasure("acme", "r1", [(7, ledger.mac_id("acme", "c1"), mac)])

    assert ledger.is_erased_value("acme", "acme", "ann", "has", {}, again)
    assert ledger.is_erased_value("acme", "acme", "ann", "has", {}, erased)


def test_noting_the_same_again_adds_nothing_and_more_adds_only_that(store):
    ledger = store.ledger
    entries = [(n, ledger.mac_id("acme", f"c{n}"), None) for n in range(3)]
    assert ledger.note_erasure("acme", "r1", entries) == 1
    assert ledger.note_erasure("acme", "r1", entries) == 1
    assert ledger.note_erasure("acme", "r1", [*entries, (9, ledger.mac_id("acme", "c9"), None)]) == 2

    assert [[entry[0] for entry in one.entries] for one in ledger.noted_after(0)] == [[0, 1, 2], [9]]
    assert ledger.noted_after(2) == []


def test_what_was_refused_after_all_counts_no_more(store):
    ledger = store.ledger
    ledger.note_erasure("acme", "r1", [(1, ledger.mac_id("acme", "c1"), None)])
    ledger.note_refused("acme", "r1", [(1, ledger.mac_id("acme", "c1"), None)])

    assert not ledger.is_erased_id("acme", "c1")
    assert ledger.seq == 1


def test_the_ledger_holds_nothing_of_what_was_erased(store):
    ledger = store.ledger
    ledger.note_erasure("acme", "r1", [(1, ledger.mac_id("acme", "zebra-id"), ledger.mac_value("acme", "acme", "ann", "has", {}, "zebra-value"))])

    assert b"zebra" not in ledger.path.read_bytes()


def test_several_open_a_store_and_note_at_once(store):
    def note(n):
        one = open_store(store.url)
        seq = one.ledger.note_erasure("acme", f"r{n}", [(n, one.ledger.mac_id("acme", f"c{n}"), None)])
        one.close()
        return seq

    with ThreadPoolExecutor(6) as pool:
        assert sorted(pool.map(note, range(12))) == list(range(1, 13))

    assert all(store.ledger.is_erased_id("acme", f"c{n}") for n in range(12))
