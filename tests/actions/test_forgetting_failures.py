"""A surface that cannot be cleared says so, with why and what to do next; the others go on, and the next run takes it up again (R26)."""

import pytest
import sqlalchemy as sa

from store import export_store, run_deletion, verify_store, view_deletion, write_deletion_letter, write_plainly
from store.actions import forgetting
from store.db import tables as t
from store.db.transaction import write
from store.domain.forgetting import Surface, SurfaceState
from tests.breaking import allow_statements, put, refuse_statements
from tests.builders import TENANT, accepted, ask, dump, given, is_sound, refused, show, statuses
from tests.forgetting import asked_to_forget, state, surfaces

SECRET = "an unheard-of sentence about Quindlewick"


def surface(store, request, name):
    return next(one for one in view_deletion(store, "adam", TENANT, request).surfaces if one.name == name)


def run(store, request):
    """Erase, without the search through all files at the end."""
    return forgetting.run_deletion(store, "adam", TENANT, request)


@pytest.fixture
def asked(desk):
    given(desk, accepted("A", SECRET, quote="The office is in Lyon."), accepted("B", "safe", quote="The endpoint accepts safe retries."))
    ask(desk, "subject-A")
    return asked_to_forget(desk, "A")


@pytest.mark.parametrize(
    ("says", "failure"),
    [("database or disk is full", "no_space"), ("attempt to write a readonly database", "read_only"), ("database is locked", "busy"),
     ("database disk image is malformed", "damaged"), ("something nobody foresaw", "unexpected")],
)  # fmt: skip
def test_what_the_database_refuses_on_one_surface_is_told_there_and_taken_up_again(desk, asked, says, failure):
    refuse_statements(desk, "evidence_content", says=says)
    found = run(desk, asked)

    assert list(found["failed"]) == ["evidence"]
    assert "nothing was erased here" in found["failed"]["evidence"]
    assert surface(desk, asked, "evidence").failure == failure
    assert surfaces(desk, asked) == dict.fromkeys(surfaces(desk, asked), "done") | {"evidence": "failed", "backups": "open"}
    assert statuses(desk, "A", "B") == {"A": "DELETED", "B": "ACCEPTED"}
    assert state(desk, asked) == "open"
    assert view_deletion(desk, "adam", TENANT, asked).receipts == ()
    letter = "\n".join(write_plainly(write_deletion_letter(desk, "adam", TENANT, asked)))
    assert "Passages in documents" in letter.split("We are still seeing to:")[1]
    assert is_sound(desk)

    allow_statements(desk, "evidence_content")
    assert run(desk, asked)["failed"] == {}
    assert set(surfaces(desk, asked).values()) == {"done"}
    assert surface(desk, asked, "evidence").failure is None
    assert SECRET not in repr(dump(desk))


def test_while_the_records_cannot_be_cleared_nothing_that_waits_for_them_says_done(desk, asked):
    refuse_statements(desk, "claim")
    found = run_deletion(desk, "adam", TENANT, asked)

    assert list(found["failed"]) == ["record"]
    own = {name: how for name, how in surfaces(desk, asked).items() if name not in ("record", "exports", "replicas", "logs", "backups")}
    assert set(own.values()) == {"open"}
    assert surfaces(desk, asked)["record"] == "failed"
    assert show(desk, "A")["status"] == "DELETION_PENDING"
    assert found["verification"] == {"ok": False}

    allow_statements(desk, "claim")
    done = run_deletion(desk, "adam", TENANT, asked)
    assert (done["failed"], done["state"], done["verification"]["words"]) == ({}, "complete", "searched")


def test_a_record_whose_words_cannot_be_read_is_a_record_that_failed(desk, asked):
    with desk.writer.begin() as connection:
        number, tenant = connection.execute(sa.select(t.record.c.record, t.record.c.tenant).where(t.record.c.id == "A")).one()
        row = {"tenant": tenant, "record": number, "version": 1, "seq": 1, "content_hash": "0", "line": "{damaged"}
        connection.execute(sa.insert(t.replaced_content), row)
    run_deletion(desk, "adam", TENANT, asked)

    failed = surface(desk, asked, "record")
    assert (failed.state, failed.failure, failed.failure_kind) == ("failed", "unexpected", None)
    with desk.writer.begin() as connection:
        connection.execute(sa.delete(t.replaced_content))
    assert run(desk, asked)["state"] == "complete"


def test_a_damaged_row_outside_is_told_by_its_kind_and_never_by_its_words(desk, asked, tmp_path):
    export_store(desk, "operator", tmp_path / "all.jsonl")
    before = put(desk, t.export_copy, records=b"damaged: Quindlewick")
    run(desk, asked)

    failed = surface(desk, asked, "exports")
    assert (failed.state, failed.failure) == ("failed", "unexpected")
    assert failed.failure_kind
    assert "Quindlewick" not in repr([dump(desk)["deletion_surface"], dump(desk)["event_note"]])
    put(desk, t.export_copy, **before)
    run(desk, asked)
    assert surface(desk, asked, "exports").failure is None


def test_bytes_that_are_not_those_captured_fail_with_what_to_do(desk, asked):
    where = (t.evidence_content.c.record == sa.select(t.record.c.record).where(t.record.c.id == "E1").scalar_subquery(),)
    before = put(desk, t.evidence_content, where, content=b"somebody else's bytes")
    found = run(desk, asked)
    assert "not those that were captured" in found["failed"]["evidence"]
    assert surface(desk, asked, "evidence").failure == "other_bytes"
    put(desk, t.evidence_content, where, **before)
    assert run(desk, asked)["failed"] == {}


def test_where_not_even_the_failure_can_be_noted_the_run_stops_and_says_how_far_it_is(desk, asked):
    refuse_statements(desk, "claim")
    refuse_statements(desk, "deletion_surface", when=f"NEW.state = {int(SurfaceState.FAILED)}")
    with refused("busy", "disk", "stays blocked"):
        forgetting.run_deletion(desk, "adam", TENANT, asked)
    allow_statements(desk, "deletion_surface")
    assert surface(desk, asked, "record").state == "failed", "it is seen to be broken off"
    allow_statements(desk, "claim")
    assert run(desk, asked)["state"] == "complete"


def test_a_surface_that_is_worked_on_says_so_and_once_nobody_does_that_it_was_broken_off(desk, asked):
    with write(desk, "adam", TENANT, "erase", ["begin"]) as tx:
        number = tx.connection.execute(sa.select(t.deletion_request.c.request)).scalar_one()
        s = t.deletion_surface
        tx.connection.execute(sa.update(s).where(s.c.request == number, s.c.surface == Surface.RECORD.value).values(state=int(SurfaceState.WORKING)))
    seen = surface(desk, asked, "record")
    assert (seen.state, seen.failure) == ("failed", "broken_off")
    with write(desk, "adam", TENANT, "erase", ["work"]):
        assert surface(desk, asked, "record").state == "working"
        assert view_deletion(desk, "adam", TENANT, asked).row.surfaces["working"] == 1
    assert run(desk, asked)["state"] == "complete"


def test_the_reason_of_an_import_stays_for_the_records_that_stay_and_nothing_else_of_its_note(desk, asked):
    run(desk, asked)
    n = t.event_note
    with desk.reader.connect() as connection:
        notes = connection.execute(sa.select(n.c.note, n.c.mac_key).where(n.c.note.contains("import of reviewed records"))).all()
    assert [note for note, key in notes if not bytes(key)] == ['{"reason":"import of reviewed records"}']
    assert show(desk, "B")["history"][0]["reason"] == "import of reviewed records"
    assert is_sound(desk)
    put(desk, t.event_note, (t.event_note.c.mac_key == b"",), note='{"reason":"something else"}')
    assert not verify_store(desk, "operator")["chain"]["ok"]
