"""Single words of what was forgotten in texts that people typed elsewhere: somebody is told to look, nothing is called left for them, and they can be blotted out."""

import io
import json

import pytest
import sqlalchemy as sa

from store import (
    Wanted,
    export_store,
    find_residue,
    look_through,
    name_copy_holder,
    open_correction,
    record_copy_destroyed,
    request_deletion,
    run_deletion,
    settle_surface,
    view_deletion,
)
from store.cli import main
from store.db import tables as t
from store.db.erase_map import CONFIGURED, ERASE_MAP, FIXED, NUMBERS, OWN, PEOPLE
from store.db.erase_parts import places_to_look
from store.db.residue import scan_store
from store.domain.mentions import parts_of
from tests.builders import TENANT, accepted, artifact, carry_out, delivered, given, is_sound, refused, reinstating, suspending

SAID = "Maria Kestrel lives at 4 Rowan Street, +43 662 8044123"


def forget(store, *ids):
    request = request_deletion(store, "adam", TENANT, Wanted(ids=ids), reason="they asked", ground="asked_by_person")["request"]
    return request, run_deletion(store, "operator", TENANT, request)["verification"]


def cells(store, column):
    with store.reader.connect() as connection:
        return connection.execute(sa.select(column).order_by(*column.table.primary_key.columns)).scalars().all()


@pytest.fixture
def store(desk):
    given(
        desk, accepted("HOME", SAID, subject="guest-1"), accepted("OTHER", "The tram stops in Rowan Street", subject="tram"),
        artifact("PAPER", "OTHER", deliveries=[delivered(), delivered("desk@example.org")]),
    )  # fmt: skip
    carry_out(desk, suspending("OTHER"), reason="Kestrel called: wrong stop")
    carry_out(desk, reinstating("OTHER"), reason="the tram does stop in Rowan Street")
    open_correction(desk, "ana", TENANT, "What KESTREL complained of", sources=["S1"])
    return desk


def test_a_surname_that_stands_in_a_reason_or_a_title_is_to_be_looked_at_and_what_living_records_say_is_not(store):
    _, found = forget(store, "HOME")

    assert (found["ok"], found["left"]) == (True, {})
    assert {place: one["n"] for place, one in found["look"].items()} == {"event_note.note": 2, "correction.title": 1}
    seqs = [row[0] for row in found["look"]["event_note.note"]["rows"]]
    with store.reader.connect() as connection:
        notes = connection.execute(sa.select(t.event_note.c.note).where(t.event_note.c.seq.in_(seqs))).scalars().all()
    assert sorted("reason" if "called" in note else "title" for note in notes) == ["reason", "title"]
    assert not {"Kestrel", "kestrel", "Maria"} & {*json.dumps(found).replace('"', " ").split()}


def test_who_looked_blots_out_what_is_no_chance_and_the_rest_stays(store):
    request, _ = forget(store, "HOME")

    done = look_through(store, "adam", TENANT, request, ["Kestrel"])

    assert done["blotted"] == 5  # a title, and two events, each with what its operation was asked
    assert scan_store(store, ["Kestrel"]).where() == {}
    assert [note for note in cells(store, t.event_note.c.note) if "the tram does stop in Rowan Street" in note]
    assert cells(store, t.correction.c.title) == ["███"]
    receipt = view_deletion(store, "adam", TENANT, request).receipts[0].content["verification"]
    assert receipt["to_look_at"] == 3
    assert is_sound(store)
    with refused("not_allowed"):
        look_through(store, "ana", TENANT, request, ["Kestrel"])
    with refused("bad_value", "at least 4 letters"):
        look_through(store, "adam", TENANT, request, ["is"])


def test_chance_hits_are_noted_as_looked_at_on_the_command_line(store, monkeypatch, capsys):
    request, _ = forget(store, "HOME")
    monkeypatch.setattr("sys.stdin", io.StringIO("nothing is read of this"))

    assert main(["--db", store.url, "--as", "adam", "erase", "looked", request, "--json"]) == 0

    assert json.loads(capsys.readouterr().out) == {"request": request, "blotted": 0}
    assert cells(store, t.correction.c.title) == ["What KESTREL complained of"]
    latest = json.loads(cells(store, t.proof.c.found)[-1])
    assert (latest["look"], latest["looked"]) == ({}, 0)


def test_the_address_of_somebody_forgotten_goes_from_what_was_delivered_to_them_and_others_stay(store):
    given(store, accepted("MAIL", "kim@example.org", subject="kim", predicate="address"))

    _, found = forget(store, "MAIL")

    assert cells(store, t.delivery.c.recipient) == ["███", "desk@example.org"]
    assert found["ok"]
    assert scan_store(store, ["kim@example.org"]).where() == {}
    assert is_sound(store)


def test_who_holds_a_file_is_known_until_it_is_destroyed_even_if_it_is_they_who_are_forgotten(store, tmp_path):
    who = "Maria Kestrel-Altenburg"
    given(store, accepted("NAME", who, subject="guest-2"))
    export_store(store, "adam", tmp_path / "x.jsonl", scope=TENANT)
    name_copy_holder(store, "adam", TENANT, 1, who)

    request, found = forget(store, "NAME")

    assert (found["ok"], found["left"], found["holders"]) == (True, {}, [1])
    assert found["names"] == {}
    assert found["held"] == {"deletion_surface.owner": 1, "export_copy.holder": 1, "message.recipient": 1, "message.body": 1}
    record_copy_destroyed(store, "adam", TENANT, 1)
    assert run_deletion(store, "operator", TENANT, request)["state"] == "complete"
    assert find_residue(store, "operator", [who], sweep=True)["found"] == {}
    assert is_sound(store)


def test_a_note_given_when_a_place_is_settled_may_not_name_what_is_forgotten(store):
    given(store, accepted("GUEST-77", "x"))
    request, _ = forget(store, "GUEST-77")

    with refused("bad_value", "forgotten"):
        settle_surface(store, "adam", TENANT, request, "logs", 0, "done", note="grepped for GUEST-77, nothing there")
    settle_surface(store, "adam", TENANT, request, "logs", 0, "done", note="grepped for it, nothing there")


@pytest.mark.parametrize(("text", "parts"), [
    (SAID, {"Maria", "Kestrel", "Rowan", "Street", "8044123"}), ("without sugar, following the usual rules", set()), ("郭靖明住在维也纳", {"郭靖明", "维也纳"}),
    ("order AB123 of 2026-03-01", {"AB123"}), ("she is an ornithologist", {"ornithologist"}),
])  # fmt: skip
def test_single_words_that_tell_of_somebody_are_names_long_words_and_numbers(text, parts):
    assert parts_of(text) == parts


def test_every_text_of_the_store_is_cleared_or_looked_through_or_is_no_text_that_people_type():
    looked = {f"{table}.{column}" for table, columns in places_to_look().items() for column in columns}
    texts = {f"{table.name}.{column.name}" for table in t.metadata.sorted_tables for column in table.columns if isinstance(column.type, sa.Text | sa.LargeBinary)}
    known = {NUMBERS, FIXED, PEOPLE, CONFIGURED, OWN}

    kept = {name for name in texts if ERASE_MAP[name].surface is None and ERASE_MAP[name].tie not in known} - looked

    # Made by the store itself; the place of a copy below a request is a name an operator gave it.
    assert kept == {
        "backup_copy.revisions", "deletion_surface.place", "event.digest", "event.hash", "event.note_mac", "event.previous", "event.touched", "export_copy.records",
        "message.id", "message.message_id", "rehearsal.id", "store.name", "store.value", "tenant.head",
    }  # fmt: skip
    assert {"export_copy.holder", "backup_copy.name", "deletion_surface.note", "deletion_surface.rule", "policy.settings", "question.text", "correction.title"} <= looked
