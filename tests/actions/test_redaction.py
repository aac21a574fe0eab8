"""Shared evidence of which a passage is forgotten: hidden at once, blotted out in place, and only what rests on the passage is touched (R26)."""

import hashlib
import json

import pytest

from store import ask as ask_somebody
from store import export_store, import_files, suggest_further_places, view_source
from store.domain.forgetting import BLOT
from store.domain.renditions import PDF
from store.domain.spans import BLOTTED
from tests.builders import (
    OPERATOR,
    TENANT,
    TEXT,
    accepted,
    artifact,
    bring,
    check,
    claim,
    dump,
    evidence,
    given,
    is_sound,
    passage,
    person,
    refused,
    show,
    source,
    statuses,
)
from tests.domain.test_renditions import pdf
from tests.redacting import blot, covered, hide, stored

NAV, LYON, RETRIES = "NAV at quarter end was 184,000,000 USD.", "The office is in Lyon.", "The endpoint accepts safe retries."
BLOTS = BLOT * len(LYON)


def office(desk):
    """A on the office, B on the figure, C on both lines, D on the office too, W on the whole version."""
    start = TEXT.index(NAV)
    both = TEXT[start:].rstrip("\n")
    given(
        desk, accepted("A", "Lyon"), accepted("B", 184, quote=NAV), accepted("C", "x", evidence=[passage(both)]),
        claim("D", "x", evidence=[{"evidence": "E1", "quote": LYON}]), accepted("W", "x", on="E1"),
    )  # fmt: skip


def quotes(desk, id):
    return [one["quote"] for one in show(desk, id)["record"]["evidence"]]


def test_a_passage_and_the_same_words_in_the_other_versions_are_covered(desk):
    given(desk, {**evidence("S1@2", text=f"{LYON}\n{TEXT}{LYON}"), "version": 2}, source("S2"), evidence("E2", "S2"))
    office(desk)
    passages, falls = covered(desk, "A")

    first = TEXT.index(LYON)
    assert [one for one in passages if one[0] == "E1"] == [("E1", first, first + len(LYON))]
    assert [one[1:] for one in passages if one[0] == "S1@2"] == [(0, 22), (23 + first, 45 + first), (46 + first, 68 + first)]
    assert not [one for one in passages if one[0] == "E2"], "another source is not touched unasked"
    assert falls == ["C", "D"]
    assert covered(desk, "A", keep=["S1@2"])[0] == [("E1", first, first + len(LYON))]


def test_short_words_are_covered_in_another_version_only_where_their_line_is_the_same(desk):
    text = "paid: yes\nsigned: yes\n"
    given(desk, source("S2"), evidence("P1", "S2", text), {**evidence("P2", "S2", "signed: yes\npaid: yes\nyes\n"), "version": 2})
    given(desk, accepted("Y", "yes", evidence=[{"evidence": "P1", "span": {"start": 6, "end": 9}, "quote": "yes"}]))

    assert covered(desk, "Y")[0] == [("P1", 6, 9), ("P2", 18, 21)]


def test_a_claim_on_a_whole_version_covers_where_its_value_stands_if_that_says_much(desk):
    given(desk, accepted("V", "accepts safe retries", on="E1"), accepted("L", "Lyon", on="E1"))
    start = TEXT.index("accepts safe retries")

    assert covered(desk, "V") == ([("E1", start, start + 20)], [])
    assert covered(desk, "L") == ([], [])


def test_a_version_that_is_itself_forgotten_is_covered_as_a_whole(desk):
    office(desk)
    assert covered(desk, "E1") == ([("E1", 0, len(TEXT))], ["A", "B", "C", "D"])


def test_what_is_hidden_is_nowhere_shown_and_nothing_stored_changes(desk, tmp_path):
    office(desk)
    before = {id: (show(desk, id)["version"], show(desk, id)["content_hash"]) for id in "BW"}
    hide(desk, "A")

    assert quotes(desk, "C") == [f"{NAV}\n{BLOTS}"]
    assert quotes(desk, "D") == [BLOTS]
    assert quotes(desk, "B") == [NAV]
    assert LYON not in json.dumps([show(desk, id) for id in ("B", "C", "D", "W", "E1")])
    assert check(desk, "D")["checks"][0]["name"] == "source_bound"
    assert BLOTTED in json.dumps(check(desk, "D"))
    export_store(desk, "adam", tmp_path / "x.jsonl", scope=TENANT)
    assert LYON not in "".join(line for line in (tmp_path / "x.jsonl").read_text().splitlines(True) if '"id":"A"' not in line)
    assert before == {id: (show(desk, id)["version"], show(desk, id)["content_hash"]) for id in "BW"}
    assert stored(desk, "E1")[0].decode() == TEXT
    assert is_sound(desk)


def test_blotting_keeps_every_position_and_touches_only_what_rests_on_the_passage(desk):
    office(desk)
    version, old = show(desk, "E1")["version"], {id: show(desk, id) for id in "ABCDW"}
    passages = hide(desk, "A")
    cleared = blot(desk)

    content, _, sha256, media_type = stored(desk, "E1")
    assert cleared.found == len(passages) > 0
    assert content.decode() == TEXT.replace(LYON, BLOTS)
    assert (sha256, media_type) == (hashlib.sha256(content).hexdigest(), "text/plain")
    assert show(desk, "E1")["version"] == version + 1
    assert statuses(desk, "B", "C", "W") == {"B": "ACCEPTED", "C": "ACCEPTED", "W": "ACCEPTED"}, "what falls falls with the request"
    assert [show(desk, id)["version"] for id in "BCDW"] == [old[id]["version"] for id in "BCDW"]
    assert all(show(desk, id)["content_hash"] != old[id]["content_hash"] for id in "BCDW"), "the hash covers the bytes"
    assert quotes(desk, "B") == [NAV]
    assert quotes(desk, "C") == [f"{NAV}\n{BLOTS}"]
    assert LYON not in "".join(map(str, dump(desk).values()))
    assert hashlib.sha256(TEXT.encode()).hexdigest() not in "".join(map(str, dump(desk).values()))
    assert is_sound(desk)


def test_blotting_again_finds_nothing(desk):
    office(desk)
    hide(desk, "A")
    blot(desk)
    before = dump(desk, but=("event", "event_note", "operation", "tenant"))
    assert blot(desk).found == 0
    assert dump(desk, but=("event", "event_note", "operation", "tenant")) == before


def test_blotting_that_breaks_off_leaves_everything_as_it_was_and_is_done_again(desk, monkeypatch):
    given(desk, {**evidence("S1@2", text=f"{LYON}\n{TEXT}"), "version": 2})
    office(desk)
    hide(desk, "A")
    before = dump(desk)

    from store.db import erase_evidence

    with monkeypatch.context() as broken:
        broken.setattr(erase_evidence, "_hash_children", lambda *_: (_ for _ in ()).throw(OSError("killed")))
        with pytest.raises(OSError, match="killed"):
            blot(desk)
    assert dump(desk) == before
    assert blot(desk).found
    assert LYON.encode() not in stored(desk, "E1")[0] + stored(desk, "S1@2")[0]
    assert is_sound(desk)


def test_a_blotted_version_travels_and_says_the_same_where_it_arrives(desk, another_store, tmp_path):
    office(desk)
    given(desk, artifact("R", "B"))
    hide(desk, "A")
    blot(desk)
    export_store(desk, OPERATOR, tmp_path / "one.jsonl")
    other = another_store()
    assert import_files(other, OPERATOR, [tmp_path / "one.jsonl"], reviewed=True)["rejected"] == []
    export_store(other, OPERATOR, tmp_path / "two.jsonl")
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()
    assert stored(other, "E1") == stored(desk, "E1")
    assert [one["ok"] for one in check(other, "C")["checks"] if one["name"] == "source_bound"] == [False]
    assert BLOTTED in json.dumps(check(other, "C"))
    assert is_sound(other)


@pytest.mark.parametrize("redacted", [7, [[1]], [[3, 3]], [[4, 2]], [[0, 4], [3, 6]], [["a", "b"]], [[-1, 2]]])
def test_blotted_passages_of_the_wrong_form_are_an_error_of_their_line(desk, redacted):
    assert [one["code"] for one in bring(desk, {**evidence("E9"), "version": 9, "redacted": redacted}, reviewed=True)["rejected"]] == ["bad_value"]


@pytest.mark.parametrize("encoding", ["utf-16", "gb18030", "cp1252"])
def test_a_version_in_another_encoding_keeps_it(desk, encoding):
    text = TEXT if encoding == "cp1252" else TEXT.replace("Line one", "第一行 é")
    content = text.encode(encoding)
    line = {**evidence("X1", "S2"), "media_type": f"text/plain; charset={encoding}"}
    line.pop("content")
    import base64

    given(desk, source("S2"), {**line, "content_base64": base64.b64encode(content).decode()}, accepted("A", evidence=[passage(evidence="X1", text=text)]))
    hide(desk, "A")
    blot(desk)
    bytes_, shown, sha256, media_type = stored(desk, "X1")
    assert bytes_.decode(encoding).removeprefix("\ufeff") == shown
    assert len(shown) == len(text)
    assert LYON not in shown
    assert shown.startswith(text[:80])
    assert (sha256, media_type) == (hashlib.sha256(bytes_).hexdigest(), line["media_type"])
    assert is_sound(desk)


def test_a_pdf_becomes_its_text_and_has_no_pictures_of_its_pages(desk, another_store, tmp_path):
    import base64

    content = pdf("Ana has diabetes.", "Ben likes tea.")
    line = {**evidence("X1", "S2"), "media_type": PDF, "content_base64": base64.b64encode(content).decode()}
    line.pop("content")
    ana = {"evidence": "X1", "span": {"page": 1, "start": 0, "end": 16}, "quote": "Ana has diabetes"}
    ben = {"evidence": "X1", "span": {"page": 2, "start": 0, "end": 13}, "quote": "Ben likes tea"}
    given(desk, source("S2"), line, accepted("A", evidence=[ana]), accepted("B", evidence=[ben]))
    hide(desk, "A")
    hidden = view_source(desk, "adam", TENANT, "S2")
    blot(desk)

    bytes_, shown, _, media_type = stored(desk, "X1")
    assert media_type == "text/plain; was=application/pdf"
    assert bytes_.decode() == shown == f"{BLOT * 16}.\n\nBen likes tea."
    assert "diabetes" not in repr(hidden)
    assert show(desk, "B")["record"]["evidence"][0]["quote"] == "Ben likes tea"
    export_store(desk, OPERATOR, tmp_path / "one.jsonl")
    other = another_store()
    assert import_files(other, OPERATOR, [tmp_path / "one.jsonl"], reviewed=True)["rejected"] == []
    assert is_sound(other)
    assert is_sound(desk)


def test_a_damaged_version_is_not_cut_at_wrong_places(desk):
    office(desk)
    hide(desk, "A")
    with desk.writer.begin() as connection:
        connection.exec_driver_sql("UPDATE evidence SET sha256 = 'x'")
    assert blot(desk).state.name == "FAILED"
    assert RETRIES.encode() in stored(desk, "E1")[0]


# --- where else the words stand -------------------------------------------------------------------------------------


def suggested(desk, *ids, by="adam"):
    found = suggest_further_places(desk, by, TENANT, list(ids))
    return {(one.id, one.where): one.times for one in found.items}, found


def test_other_places_of_the_words_are_suggested_before_anything_is_asked(desk):
    said = "prefers low-sugar desserts"
    given(
        desk, source("S2"), evidence("E2", "S2", f"Ana {said}.\nAna {said}."), accepted("A", said, quote=LYON),
        accepted("V", {"note": f"she {said}"}), accepted("S", "x", statement=f"Ana {said}"), accepted("K", "x", conditions=f"while Ana {said}"),
        artifact("R", "V", title=f"Who {said}", body=f"{said} {said}"), accepted("N", "prefers high-sugar desserts"), accepted("T", f"{said}2"),
        source("S3"), evidence("E3", "S3", f"… {LYON} …"),
    )  # fmt: skip
    hidden = person("nina", "admin", "acme/other")
    given(desk, hidden, accepted("O", f"{said}!", scope="acme/other"))
    ask_somebody(desk, "ana", TENANT, "record", "V", f"Is it so that Ana {said}?", "ben")

    found, suggestions = suggested(desk, "A")
    assert found == {
        ("E2", "text"): 2, ("E3", "text"): 1, ("V", "value"): 1, ("S", "statement"): 1, ("K", "conditions"): 1, ("R", "title"): 1, ("R", "body"): 2,
        ("T", "value"): 1, ("O", "value"): 1, ("V", "question"): 1,
    }  # fmt: skip
    assert (suggestions.hidden, suggestions.cut, suggestions.short) == (0, False, 0)
    with refused("not_found"):
        suggested(desk, "A", by="nina")
    with refused("not_found"):
        suggested(desk, "A", by="rita")


def test_a_value_that_stands_in_the_same_version_outside_the_passage_is_suggested(desk):
    given(desk, accepted("A", "accepts safe retries", quote=LYON))
    assert suggested(desk, "A")[0] == {("E1", "text"): 1}


def test_words_that_hold_others_of_them_are_found_with_those_and_counted_once(desk):
    short, long = "prefers low-sugar desserts", "Ana prefers low-sugar desserts on Sundays"
    given(
        desk, source("S2"), evidence("E2", "S2", f"{long}.\n{short}.\n"), accepted("A", short), accepted("B", long), accepted("C", "low-sugar desserts on Sundays"),
        accepted("V", f"{long}; {short}"),
    )  # fmt: skip
    assert suggested(desk, "A", "B")[0] == {("E2", "text"): 2, ("V", "value"): 2}
    assert suggested(desk, "B")[0] == {("E2", "text"): 1, ("V", "value"): 1}


def test_short_and_common_words_are_not_looked_for_and_that_is_said(desk):
    given(desk, accepted("A", "Lyon", on="E1"), accepted("B", 7, on="E1"), accepted("C", "Lyon"))
    found, suggestions = suggested(desk, "A", "B")
    assert (found, suggestions.short) == ({}, 2)


def test_what_is_found_is_bounded_and_says_so(desk):
    said = "prefers low-sugar desserts"
    given(desk, accepted("A", said), *(accepted(f"X{n}", f"{said} {n}") for n in range(60)))
    found, suggestions = suggested(desk, "A")
    assert (len(found), suggestions.cut) == (50, True)
