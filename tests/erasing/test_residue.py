"""Nothing of what was erased stands anywhere in a store, byte by byte."""

import base64

import pytest

from store import run_deletion
from store.db.residue import scan_store
from store.db.sweep import sweep_leftovers
from tests.builders import accepted, artifact, delivered, evidence, find, given, is_sound, passage, source
from tests.erasing.marked import MARK, forget, ids_of, marked
from tests.forgetting import asked_to_forget


@pytest.mark.parametrize("write", (
    str, str.upper, lambda word: base64.b64encode(word.encode()).decode(), lambda word: base64.b64encode(b"x" + word.encode()).decode(),
    lambda word: base64.urlsafe_b64encode(b"xy" + word.encode()).decode(),
), ids=("as it is", "capitals", "base64", "base64 of a longer text", "base64 of another"))  # fmt: skip
def test_a_word_is_found_however_it_was_written_down(desk, write):
    given(desk, accepted("C1", f"before {write(MARK)} after"), artifact("R1", "C1", body="x" * 6000 + write(MARK) + "x" * 6000))

    found = scan_store(desk, [MARK, "Not-there-1234"])

    assert {place.where for place in found.places} >= {"claim.value", "artifact.body"}
    assert {place.word for place in found.places} == {0}
    assert found.bytes > 10_000


def test_a_word_in_utf_16_is_found_in_bytes(desk):
    given(desk, source("S2"), *(evidence(f"E{n}", "S2", version=n, media_type="application/octet-stream", content_base64=base64.b64encode(MARK.encode(coding) * 2000).decode(), content=None, text="") for n, coding in ((2, "utf-16-le"), (3, "utf-16-be"))))

    found = scan_store(desk, [MARK])

    assert {place.encoding for place in found.places if place.where == "evidence_content.content"} == {"utf-16-le", "utf-16-be"}


def test_part_of_a_longer_name_is_another_name(desk):
    given(desk, accepted("claim-17", "see claim-170 and xclaim-17"))

    assert scan_store(desk, ["claim-17"], whole=True).where()["record.id"] == 1
    assert "claim.value" not in scan_store(desk, ["claim-17"], whole=True).where()
    assert scan_store(desk, ["claim-17"]).where()["claim.value"] == 2


def test_after_erasing_and_sweeping_no_file_and_no_table_holds_the_word(desk):
    given(desk, *marked(MARK), *(accepted(f"X{n}", f"word {n}") for n in range(50)))
    before = scan_store(desk, [MARK])
    assert before.count > 20
    assert before.files > 1
    assert before.unread == []

    forget(desk, *ids_of(MARK))
    swept = sweep_leftovers(desk)

    assert swept.complete
    assert scan_store(desk, [MARK]).where() == {}
    assert find(desk, "word", by="operator")
    assert is_sound(desk)


#: Ids of a letter and a number that PostgreSQL's own catalogue has, compressed, where a letter may come before it by chance.
LIKE_A_CATALOGUE = [f"P{n}" for n in (1244, 1247, 1249, 1255, 1258, 1259, 1260, 1262, 1418, 1689, 2074, 2078, 2604, 2606, 2608, 2610, 2612, 2615, 2855)]


def test_what_a_database_brings_itself_is_nothing_that_was_left(desk):
    given(desk, *(accepted(name, f"word {name}") for name in LIKE_A_CATALOGUE))

    request = asked_to_forget(desk, *LIKE_A_CATALOGUE)
    found = run_deletion(desk, "adam", "acme", request)

    assert (found["state"], found["verification"]["ok"], found["verification"]["left"]) == ("complete", True, {})


def test_the_samples_a_database_takes_of_its_tables_are_searched(desk):
    if desk.url.startswith("sqlite"):
        pytest.skip("SQLite takes no samples unless it is built so")
    given(desk, accepted("C1"), *(artifact(f"R{n}", "C1", title=MARK) for n in range(5)))
    with desk.writer.begin() as connection:
        connection.exec_driver_sql("ANALYZE artifact")
    with desk.reader.connect() as connection:
        node = str(connection.exec_driver_sql("SELECT pg_relation_filenode('pg_statistic'::regclass)").scalar_one())

    assert scan_store(desk, [MARK]).where()[node] >= 1


def test_no_samples_stay_of_a_table_of_which_nothing_is_left(desk):
    text = f"{MARK} asked for tea.\n"
    said = [passage(f"{MARK} asked for tea.", "E-SAID", text)]
    given(
        desk, source("S-SAID"), evidence("E-SAID", "S-SAID", text), *(accepted(f"C{n}", f"tea {n}", evidence=said) for n in range(5)),
        *(artifact(f"R{n}", f"C{n}", deliveries=[delivered(f"{MARK}@example.org")]) for n in range(5)), accepted("OTHER", "stays", evidence=[]),
    )  # fmt: skip
    with desk.writer.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql("ANALYZE")

    request = asked_to_forget(desk, "E-SAID", *(f"{kind}{n}" for kind in "CR" for n in range(5)))
    found = run_deletion(desk, "adam", "acme", request)

    assert (found["verification"]["ok"], found["verification"]["left"]) == (True, {})
    assert scan_store(desk, [MARK]).where() == {}
    given(desk, accepted("LATER", "again"))
    assert is_sound(desk)
