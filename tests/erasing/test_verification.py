"""What the end of a run finds out by itself."""

import io
import json
from types import SimpleNamespace

import pytest
import sqlalchemy as sa

from store import Wanted, find_residue, request_deletion, run_deletion, view_deletion, write_deletion_letter, write_plainly
from store.cli import main
from store.db import erasing
from store.db import tables as t
from store.db.residue import scan_store
from store.db.verifications import is_column
from store.domain.forgetting import Cleared, Surface
from tests.builders import TENANT, accepted, artifact, given, is_sound, person, refused
from tests.erasing.marked import MARK, ids_of, marked


def asked(store, *ids, reason="they asked"):
    return request_deletion(store, "adam", TENANT, Wanted(ids=ids), reason=reason, ground="asked_by_person", requester="somebody")["request"]


def run(store, request, by="operator"):
    return run_deletion(store, by, TENANT, request)["verification"]


def test_a_request_that_was_carried_out_leaves_nothing(desk):
    given(desk, *marked(MARK), person("zoe", "reviewer", "other"))
    request = asked(desk, *ids_of(MARK), reason=f"{MARK} wants it gone")

    found = run(desk, request)

    assert found["left"] == {}
    assert found["ok"], found
    assert found["marker"] == 0
    assert found["searched"] > 20
    assert set(found["asked_again"].values()) == {0}
    assert scan_store(desk, [MARK]).where() == {}
    assert is_sound(desk)


def test_what_is_found_is_kept_without_any_word(desk):
    given(desk, *marked(MARK))

    run(desk, asked(desk, *ids_of(MARK)))

    with desk.reader.connect() as connection:
        proof = connection.execute(sa.select(t.proof)).one()
    assert (proof.kind, proof.request, proof.ok) == ("verification", 1, True)
    assert MARK not in proof.found
    assert json.loads(proof.found)["searched"] > 20


def test_a_place_that_no_worker_cleared_keeps_the_request_open(desk, monkeypatch):
    given(desk, *marked(MARK))
    request = asked(desk, *ids_of(MARK))
    monkeypatch.setitem(erasing.WORKERS, Surface.RECORD, lambda *_: Cleared())

    result = run_deletion(desk, "operator", TENANT, request)

    assert result["state"] == "open"
    assert not result["verification"]["ok"]
    assert result["verification"]["left"]


def test_a_report_that_says_the_same_is_told_and_left_as_it_is(desk):
    given(desk, *marked(MARK), artifact("PAPER", body=f"As they said, {MARK} likes it."), accepted("OTHER", "something else"))

    request = asked(desk, *ids_of(MARK))
    found = run(desk, request)

    assert found["ok"]
    assert len(found["also_said"]) == 1
    view = view_deletion(desk, "adam", TENANT, request)
    assert [(one.id, one.title) for one in view.also_said] == [("PAPER", "Report PAPER")]
    assert view.receipts[0].content["verification"]["also_places"] == found["also_places"] > 0
    told = write_plainly(write_deletion_letter(desk, "adam", TENANT, request))
    assert f"The same words also stand in {found['also_places']} places of other records, which were not part of the request." in told
    assert scan_store(desk, [MARK]).where().keys() >= {"artifact.body"}


def test_a_run_that_was_broken_off_and_goes_on_says_that_the_words_are_lost(desk, monkeypatch):
    given(desk, *marked(MARK))
    request = asked(desk, *ids_of(MARK))
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setitem(erasing.WORKERS, Surface.HISTORY, stop)
    with pytest.raises(KeyboardInterrupt):
        run(desk, request)
    monkeypatch.undo()

    found = run(desk, request)

    assert found["ok"]
    assert (found["words"], found["marker"], found["searched"]) == ("lost", None, 0)
    assert scan_store(desk, [MARK]).where() == {}


def test_an_operator_searches_for_a_word_and_nobody_else_does(desk):
    given(desk, accepted("C1", MARK))

    assert find_residue(desk, "operator", [MARK])["found"]["claim.value"] == 1
    with refused("not_allowed", "admin of all of it"):
        find_residue(desk, "adam", [MARK])


def test_what_was_left_is_searched_for_again_by_who_knows_the_word(desk, monkeypatch):
    given(desk, *marked(MARK))
    request = asked(desk, *ids_of(MARK))
    with monkeypatch.context() as patched:
        patched.setattr("store.db.erase_record.Blotting", lambda *_: SimpleNamespace(run=dict))
        assert not run(desk, request)["ok"]
    assert not run(desk, request)["ok"]  # the words are gone, so the program cannot know better

    with desk.writer.begin() as connection:
        connection.execute(sa.delete(t.event_note))
        connection.execute(sa.update(t.operation).values(result="{}"))
        connection.execute(sa.delete(t.preview))
    found = find_residue(desk, "operator", [MARK], sweep=True, verifies=(TENANT, request))

    assert found["found"] == {}
    assert run(desk, request)["ok"]


def test_a_word_is_given_on_standard_input_and_only_places_are_told(desk, monkeypatch, capsys):
    given(desk, accepted("C1", MARK))
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{MARK}\n"))

    code = main(["--db", desk.url, "residue", "--word-from-stdin", "--json"])

    out = capsys.readouterr().out
    assert code == 1
    assert json.loads(out)["found"]["claim.value"] == 1
    assert MARK not in out


def test_where_a_value_begins_is_no_part_of_a_word_and_what_a_dead_row_holds_is_found(desk):
    given(desk, *(accepted(f"K{10_000 + n}", f"value {n}") for n in range(20)))
    with desk.writer.begin() as connection:
        hashes = connection.execute(sa.select(t.claim_key.c.hash)).scalars().all()
        for title in ("Kepler says Zqvhello", "Short", None):
            connection.execute(sa.update(t.source).values(title=title))
    # PostgreSQL tells the length of 32 letters by one byte before them, which is a C.
    words = [*(f"C{one[:5]}" for one in hashes), "Zqvhello", "K10007"]

    found = scan_store(desk, words, whole=True)

    in_files = [(words[place.word], place.word in found.parts) for place in found.places if not is_column(place.where)]
    assert "K10007" in {word for word, _ in in_files}
    left = {word for word, within in in_files if not within} - {"K10007"}
    assert left <= {"Zqvhello"}
    if desk.url.startswith("postgresql"):
        assert left == {"Zqvhello"}
