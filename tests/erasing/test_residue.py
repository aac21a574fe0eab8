"""Nothing of what was erased stands anywhere in a store, byte by byte."""

import base64

import pytest

from store.db.residue import scan_store
from store.db.sweep import sweep_leftovers
from tests.builders import accepted, artifact, evidence, find, given, is_sound, source
from tests.erasing.marked import MARK, forget, ids_of, marked


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
