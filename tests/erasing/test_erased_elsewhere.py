"""What stands around erased records: what others said stays, what was kept because of them goes, and no open store serves it from memory."""

import json
import unicodedata

import pytest
import sqlalchemy as sa

from store import (
    Question,
    Wanted,
    answer_question,
    ask,
    draft_messages,
    edit_message,
    hand_over,
    list_my_questions,
    open_store,
    read_claims,
    rename_rehearsal,
    request_deletion,
    run_deletion,
    save_rehearsal,
    search_records,
    show_record,
    view_source,
)
from store.db import tables as t
from store.db.residue import scan_store
from store.db.sweep import sweep_leftovers
from store.domain.text import canonical_json, digest
from tests.builders import (
    TENANT,
    Clock,
    accepted,
    artifact,
    bring,
    carry_out,
    claim,
    delivered,
    find,
    given,
    is_sound,
    refused,
    reinstating,
    revoking,
    suspending,
    told,
)
from tests.erasing.marked import MARK, ids_of, marked


def forget(store, *ids):
    request = request_deletion(store, "adam", TENANT, Wanted(ids=ids, keep_passages=("E1",)), reason="they asked", ground="asked_by_person")["request"]
    return run_deletion(store, "operator", TENANT, request)


def cells(store, column, *where):
    with store.reader.connect() as connection:
        return connection.execute(sa.select(column).where(*where).order_by(*column.table.primary_key.columns)).scalars().all()


def test_what_a_living_record_says_too_is_not_blotted_out_of_what_others_wrote(desk):
    given(desk, accepted("A1", "prefers window seats", authority="vendor_doc"), accepted("B1", "prefers window seats", authority="vendor_doc"))
    carry_out(desk, suspending("B1"), reason="B1: prefers window seats, says the vendor_doc")

    forget(desk, "A1")

    assert cells(desk, t.event_note.c.note, t.event_note.c.note.contains("prefers window seats"))
    assert '"prefers window seats"' in cells(desk, t.claim.c.value)
    assert is_sound(desk)


def test_a_key_and_an_owner_that_others_have_stay(desk):
    both = {"subject": "the office", "owner": "ana"}
    given(desk, accepted("A1", "in Lyon", **both), accepted("B1", "in Lyon", **both))

    forget(desk, "A1")

    assert told(desk, "the office") == ("OK", ["B1"])
    assert is_sound(desk)


def test_an_id_that_is_part_of_a_longer_one_is_left_alone(desk):
    given(desk, accepted("trip-1", "one"), accepted("trip-12", "two"))
    carry_out(desk, suspending("trip-12"), reason="trip-12 is not trip-1, and trip-1 goes")
    carry_out(desk, reinstating("trip-12"), reason="about trip-12 only")

    forget(desk, "trip-1")

    notes = "\n".join(cells(desk, t.event_note.c.note))
    assert "about trip-12 only" in notes
    assert "trip-1 goes" not in notes


def test_kept_answers_are_emptied_and_reports_are_left_for_people(desk):
    given(
        desk, accepted("A1", "likes quiet rooms on the fourth floor"), artifact("ANSWER", "A1", artifact_type="answer", title="Rooms", body="On the fourth floor."),
        artifact("LATER", "ANSWER", artifact_type="answer", body="As said."), artifact("REPORT", "A1", body="They like quiet rooms."),
    )  # fmt: skip

    forget(desk, "A1")

    bodies = dict(zip(cells(desk, t.record.c.id, t.record.c.kind == 2), cells(desk, t.artifact.c.body), strict=True))
    assert bodies == {"ANSWER": None, "LATER": None, "REPORT": "They like quiet rooms."}
    assert find(desk, "fourth", by="operator") == []
    assert is_sound(desk)


def test_questions_about_it_are_taken_back_and_say_nothing(desk):
    given(desk, claim("A1", "something"))
    ask(desk, "ana", TENANT, "record", "A1", "Is that so?", "ben")

    forget(desk, "A1")

    assert [one for one in cells(desk, t.question.c.text) if "so" in one] == []
    assert list_my_questions(desk, "ben").waiting == ()


def test_an_operation_id_cannot_be_used_to_find_out_what_was_asked(desk):
    bring(desk, claim("A1", "something"), by="bot", operation="op-1")

    forget(desk, "A1")

    with refused("operation_reused"):
        bring(desk, claim("A1", "something"), by="bot", operation="op-1")


def test_erasing_again_changes_nothing(desk):
    given(desk, *marked(MARK))
    forget(desk, *ids_of(MARK))
    before = cells(desk, t.record.c.id), cells(desk, t.record.c.content_hash)

    run_deletion(desk, "operator", TENANT, "acme-deletion-1")

    assert (cells(desk, t.record.c.id), cells(desk, t.record.c.content_hash)) == before


@pytest.fixture
def other(desk):
    """Another process, as far as a store can tell: opened for itself, with its own memory."""
    store = open_store(desk.url, now=Clock())
    yield store
    store.close()


def test_no_open_store_serves_from_memory_what_was_erased_through_another(desk, other):
    given(desk, *marked(MARK), accepted(f"P-{MARK}", f"{MARK} likes it", subject=f"guest {MARK}", statement="likes a dessert"))
    question = Question(TENANT, f"guest {MARK}", "says")
    looks = (
        lambda: read_claims(other, "rita", question)["claims"], lambda: search_records(other, "rita", "dessert", TENANT)["items"],
        lambda: show_record(other, "adam", TENANT, f"C-{MARK}"), lambda: view_source(other, "ana", TENANT, f"S-{MARK}"),
    )  # fmt: skip
    assert [MARK in repr(look()) for look in looks] == [True] * 4

    forget(desk, *ids_of(MARK), f"P-{MARK}")

    for look in looks[:2]:
        assert look() == []
    assert "likes it" not in repr(looks[2]())
    with refused("not_found"):
        looks[3]()


def test_a_sweep_waits_for_others_and_says_what_it_left(desk, other):
    given(desk, *marked(MARK))
    with other.reader.connect() as connection:
        connection.execute(sa.select(t.record.c.id)).all()
        forget_without_sweep = sweep_leftovers(desk, patience=0.5)

    assert forget_without_sweep.left
    assert sweep_leftovers(desk).complete
    assert scan_store(desk, [MARK]).count


WRITTEN = ("Her sister did, at the fair.", "Dear Kim, forget what we wrote.", "The Tuesday plan", "The Friday plan", "do it before she calls")


def test_what_was_written_about_it_without_naming_it_goes_from_the_notes_of_events_too(desk):
    given(desk, accepted("GONE", "x"), accepted("STAYS", "y"), artifact("PAPER", "GONE", deliveries=[delivered()]))
    ask(desk, "ana", TENANT, "record", "GONE", "Who said that?", "ben")
    answer_question(desk, "ben", TENANT, 1, WRITTEN[0])
    ask(desk, "ana", TENANT, "record", "STAYS", "And that?", "ben")
    answer_question(desk, "ben", TENANT, 2, "The almanac of last year.")
    saved = save_rehearsal(desk, "ana", TENANT, revoking("GONE"), WRITTEN[2])["rehearsal"]
    rename_rehearsal(desk, "ana", TENANT, saved, WRITTEN[3])
    hand_over(desk, "ana", TENANT, saved, "ben", WRITTEN[4])
    carry_out(desk, suspending("GONE"))
    for message in draft_messages(desk, "ana", TENANT)["drafted"]:
        edit_message(desk, "ana", TENANT, message, body=WRITTEN[1])
    written = " ".join(cells(desk, t.event_note.c.note))
    assert all(text in written for text in WRITTEN)

    forget(desk, "GONE")

    left = " ".join(cells(desk, t.event_note.c.note))
    assert [text for text in WRITTEN if text in left] == []
    assert "The almanac of last year." in left
    assert digest(canonical_json(["answer", [1, WRITTEN[0]]])) not in cells(desk, t.operation.c.words)
    assert digest(canonical_json(["answer", [2, "The almanac of last year."]])) in cells(desk, t.operation.c.words)
    assert is_sound(desk)


SPELLED = {
    "sharp s": ("Weißmüllerquartier", "WEISSMÜLLERQUARTIER"), "two letters for it": ("Weissmuellerstrasse 4", "Weißmuellerstraße 4"),
    "dotted capital": ("İstanbul Vlorpqua", "İSTANBUL VLORPQUA"), "a ligature": ("ﬁnance of Vlorpqua", "Finance of VLORPQUA"),
    "composed": ("Žlútoučký kůňař", unicodedata.normalize("NFD", "ŽLÚTOUČKÝ kůňař")), "decomposed": (unicodedata.normalize("NFD", "Žlútoučký kůňař"), "žlútoučký KŮŇAŘ"),
    "backslashes": ("C:\\Users\\Vlorpqua\\u0041n", "C:\\Users\\Vlorpqua\\u0041n"), "a pattern": ("(a+)+$[^Vqz]*\\d{3}.Brqk", "(a+)+$[^Vqz]*\\d{3}.Brqk"),
    "lines": ("Vlorpqua\nof Kärnten", "VLORPQUA OF KÄRNTEN"), "quotes": ('O\'Br"ix Vlorp`qua', 'o\'br"ix vlorp`qua'), "signs of LIKE": ("100%_Velq%or_%", "100%_VELQ%OR_%"),
    "beyond the first plane": ("👩‍👧 Zwyxquor 𝔘𝔫𝔦", "👩‍👧 ZWYXQUOR 𝔘𝔫𝔦"), "greek": ("Οδυσσεύς Παπαδόπουλος", "ΟΔΥΣΣΕΎΣ ΠΑΠΑΔΌΠΟΥΛΟΣ"),
}  # fmt: skip


@pytest.mark.parametrize("case", SPELLED)
def test_what_was_said_is_known_again_however_somebody_spelled_it(desk, case):
    said, typed = SPELLED[case]
    given(desk, accepted("GONE", said), accepted("STAYS", "y"))
    carry_out(desk, suspending("STAYS"), reason=f"as with {typed} then")
    ask(desk, "ana", TENANT, "record", "STAYS", f"What of {typed}?", "ben")
    search_records(desk, "rita", typed, TENANT)
    nested = json.dumps(json.dumps([typed]))
    carry_out(desk, reinstating("STAYS"), reason=f"see {nested}")

    found = forget(desk, "GONE")["verification"]

    assert (found["ok"], found["left"]) == (True, {})
    assert not scan_store(desk, [said, typed]).where()
    everywhere = " ".join([*cells(desk, t.event_note.c.note), *cells(desk, t.question.c.text), *(one or "" for one in cells(desk, t.read_log.c.question))])
    assert [one for one in (typed, json.dumps(typed)[1:-1], nested) if one in everywhere] == []
    assert is_sound(desk)
