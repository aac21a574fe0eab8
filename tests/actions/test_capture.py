"""Taking in a file: what it must be, what becomes of it, and that nothing half is ever left."""

import json
import tempfile
from pathlib import Path

import pytest

from store import OPERATOR, Label, capture, draw_page, export_store, import_files, open_correction, view_correction
from store.actions import staging
from store.domain.renditions import needs_rendition, render
from tests import printed
from tests.builders import (
    TENANT,
    accepted,
    bring,
    claim,
    decide,
    evidence,
    failed_checks,
    given,
    is_sound,
    parse_stated_time,
    passage,
    refused,
    show,
    source,
    status,
)
from tests.typed import type_command

FIRST, RESTATED = printed.print_report(printed.FIRST), printed.print_report(printed.RESTATED)
PDF = "application/pdf"


def taken(store, content, id="S9", by="bot", scope=TENANT, **options):
    return capture(store, by, TENANT, id, content, scope=scope, **options)


def on_page(content, page, quote, evidence="S9@1"):
    """A binding to a page of a captured PDF."""
    found = render(content, PDF)
    start, end = found.page_bounds(page)
    at = found.text[start:end].index(quote)
    return {"evidence": evidence, "span": {"page": page, "start": at, "end": at + len(quote)}, "quote": quote}


def count(store):
    return sum(1 for line in exported(store) if line["type"] in ("source", "evidence"))


def exported(store):
    with tempfile.TemporaryDirectory() as folder:
        export_store(store, OPERATOR, Path(folder) / "x.jsonl")
        return [json.loads(line) for line in (Path(folder) / "x.jsonl").read_text("utf-8").splitlines()]


def test_a_contributor_captures_a_new_source_and_then_a_newer_version_of_it(desk):
    first = taken(desk, b"# Q2\n\nNAV 184\n", name="q2.md", label=Label(title="Q2", uri="drive://q2"))
    second = capture(desk, "bot", TENANT, "S9", b"# Q2\n\nNAV 179\n", name="q2.md")

    assert (first["id"], first["version"], first["media_type"], first["unchanged"]) == ("S9@1", 1, "text/markdown", False)
    assert (second["id"], second["version"]) == ("S9@2", 2)
    assert (status(desk, "S9@1"), status(desk, "S9@2")) == ("ACCEPTED", "ACCEPTED")
    assert is_sound(desk)


def test_a_newer_version_changes_no_status_and_says_how_much_stands_on_the_older_one(desk):
    given(desk, source("S7"), evidence("S7@1", "S7"), accepted("A", evidence=[passage(evidence="S7@1")]), accepted("B", on="A"))

    assert capture(desk, "bot", TENANT, "S7", b"quite another text", name="x.txt")["claims_on_older"] == 1
    assert (status(desk, "A"), status(desk, "B"), status(desk, "S7@1")) == ("ACCEPTED", "ACCEPTED", "ACCEPTED")


def test_the_same_bytes_again_make_no_version(desk):
    taken(desk, b"some text", name="x.txt")
    again = capture(desk, "bot", TENANT, "S9", b"some text", name="x.txt")

    assert (again["id"], again["unchanged"], count(desk)) == ("S9@1", True, 4)


def test_an_operation_id_makes_a_retry_the_same_capture(desk):
    first = taken(desk, b"some text", name="x.txt", operation="op-1")

    assert taken(desk, b"some text", name="x.txt", operation="op-1") == first
    with refused("operation_reused"):
        taken(desk, b"other text", name="x.txt", operation="op-1")


@pytest.mark.parametrize(
    ("content", "options", "says"),
    [
        (b"", {}, "empty"),
        (b" \n\t\n", {"name": "x.txt"}, "white space"),
        ("\u200b\u2060\n".encode(), {"name": "x.txt"}, "white space"),
        (bytes(32_000_001), {"name": "x.txt"}, "32,000,001 bytes; at most 32,000,000"),
        ("Größe".encode("cp1252"), {"name": "x.txt", "encoding": "utf\x008"}, "No encoding is called"),
        (FIRST, {"name": "x.csv"}, "it is a PDF"),
        (FIRST, {"media_type": "text/plain"}, "it is a PDF"),
        (b"a,b\n1,2\n", {"name": "x.pdf"}, "said to be a PDF"),
        (b"<!doctype html><p>Please sign in", {"name": "figures.csv"}, "an HTML page"),
        (b"no markup", {"name": "x.html"}, "no markup"),
        (b'{"a": 1', {"name": "x.json"}, "said to be JSON"),
        (b'{"a": NaN}', {"name": "x.json"}, "said to be JSON"),
        (b"PK\x03\x04rest of a document", {"name": "x.docx"}, "Save it as PDF"),
        (b"\x89PNG\r\n\x1a\n", {"name": "x.txt"}, "a picture"),
        (bytes(range(256)) * 9, {"name": "x.txt"}, "no text in any encoding"),
        (b"film", {"media_type": "video/mp4"}, "video/mp4"),
        (bytes(200_000_000), {"name": "x.txt"}, "200 MB"),
        (FIRST[:900], {"name": "x.pdf"}, "damaged"),
        ("Größe".encode("cp1252"), {"name": "x.txt"}, "not UTF-8"),
        ("Größe".encode("cp1252"), {"name": "x.txt", "encoding": "utf-8"}, "not written in utf-8"),
        ("Größe".encode("cp1252"), {"name": "x.txt", "encoding": "klingon"}, "No encoding is called"),
        (b"text", {"name": "x.txt", "captured_at": parse_stated_time("2030-01-01T00:00:00Z")}, "has not come yet"),
        (b"text", {"name": "x.txt", "scope": "other/place"}, "no scope of acme"),
        (b"text", {"name": "x.txt", "scope": None}, "scope has to be stated"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_taken_is_a_sentence_and_leaves_nothing(desk, content, options, says):
    before = count(desk)
    with refused("bad_value") as caught:
        taken(desk, content, **options)

    assert says in caught.value.message
    assert "Nothing was saved" in caught.value.message
    assert count(desk) == before


def test_an_encoding_that_has_to_be_guessed_is_shown_and_taken_only_when_somebody_says_so(desk):
    content = "Größe für Äpfel überall: 12 €\n".encode("cp1252") * 4
    with refused("bad_value") as caught:
        taken(desk, content, name="x.csv")
    assert caught.value.details["readings"][0]["encoding"] == "windows-1252"
    assert "Größe für Äpfel" in caught.value.details["readings"][0]["sample"]

    found = taken(desk, content, name="x.csv", encoding="windows-1252")
    start = len("Größe für ")
    given(desk, claim("C", evidence=[{"evidence": "S9@1", "span": {"start": start, "end": start + 5}, "quote": "Äpfel"}]))
    assert found["media_type"] == "text/csv; charset=windows-1252"
    assert failed_checks(desk, "C") == []


def test_a_version_older_than_the_newest_is_refused(desk):
    taken(desk, b"newer", name="x.txt", captured_at=parse_stated_time("2026-06-01T00:00:00Z"))
    with refused("bad_value") as caught:
        capture(desk, "bot", TENANT, "S9", b"older", name="x.txt", captured_at=parse_stated_time("2026-05-01T00:00:00Z"))

    assert "older than the newest version" in caught.value.message


def test_a_file_that_arrives_for_a_source_in_correction_joins_the_case(desk):
    case = open_correction(desk, "ana", TENANT, "Q2 restated", sources=["S1"])["correction"]

    assert capture(desk, "bot", TENANT, "S1", b"the restated text", name="x.txt")["corrections"] == [case]
    assert taken(desk, b"another source", name="x.txt")["corrections"] == []
    assert view_correction(desk, "ana", TENANT, case) is not None


def test_what_is_said_of_a_known_source_has_to_agree(desk):
    with refused("other_content"):
        capture(desk, "bot", TENANT, "S1", b"text", name="x.txt", label=Label(title="Another title"))


@pytest.mark.parametrize("who", ["rita", "olga"])
def test_who_may_not_propose_captures_nothing(desk, who):
    with refused("not_allowed"):
        taken(desk, b"text", by=who, name="x.txt")
    with refused("not_allowed"):
        capture(desk, who, TENANT, "S1", b"text", name="x.txt")


def test_a_claim_on_a_page_of_a_pdf_is_checked_approved_and_drawn(desk):
    taken(desk, FIRST, name="q2.pdf")
    quote = "Net asset value 92,800,000 96,400,000"
    bound = on_page(FIRST, 2, quote)
    given(desk, claim("C", 96400000, evidence=[bound]), claim("W", 1, evidence=[{**bound, "span": {**bound["span"], "page": 1}}]))

    assert failed_checks(desk, "C") == []
    assert failed_checks(desk, "W") == ["source_bound"]
    decide(desk, "C")
    start = render(FIRST, PDF).page_bounds(2)[0] + bound["span"]["start"]
    picture = draw_page(desk, "ana", TENANT, "S9@1", 2, marks=[(start, start + len(quote))])
    assert (picture.page, picture.pages, len(picture.marks[0])) == (2, 3, 3)
    assert picture.png.startswith(b"\x89PNG")
    assert is_sound(desk)


def test_pages_are_drawn_only_for_who_may_look_and_only_where_there_are_any(desk):
    taken(desk, FIRST, "S8", scope="acme/secret", by="ana", name="q2.pdf")
    given(desk, {"type": "person", "id": "zed", "name": "Zed", "roles": [{"role": "reviewer", "scope": "acme/other"}]})

    with refused("not_found"):
        draw_page(desk, "zed", TENANT, "S8@1", 1)
    with refused("not_found"):
        draw_page(desk, "ana", TENANT, "S8@1", 4)
    with refused("bad_value"):
        draw_page(desk, "ana", TENANT, "E1", 1)


def test_a_captured_pdf_comes_back_byte_for_byte_even_where_another_extractor_would_read_it_otherwise(desk, another_store, tmp_path, monkeypatch):
    taken(desk, FIRST, name="q2.pdf")
    taken(desk, "<p>Größe</p>".encode("cp1252"), "S10", name="p.html", encoding="cp1252")
    given(desk, accepted("A", 1, evidence=[on_page(FIRST, 2, "Paid-in capital")]))
    export_store(desk, OPERATOR, tmp_path / "one.jsonl")

    monkeypatch.setattr(staging, "render", lambda _, media_type: pytest.fail("it was taken again") if needs_rendition(media_type) else None)
    other = another_store()
    assert import_files(other, OPERATOR, [tmp_path / "one.jsonl"], reviewed=True)["rejected"] == []
    export_store(other, OPERATOR, tmp_path / "two.jsonl")
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()
    assert show(other, "S9@1")["record"]["rendition"]["pages"] == 3
    assert is_sound(other)


def test_who_is_no_admin_cannot_bring_a_text_that_is_not_in_the_file(desk):
    content = "<p>NAV 184</p>"
    line = {**evidence("S1@7", text=content), "version": 7, "media_type": "text/html"}
    honest = {"extractor": "html", "version": "1", "text": "NAV 184"}

    forged = bring(desk, {**line, "rendition": {**honest, "text": "NAV 999"}}, by="bot")
    assert [one["code"] for one in forged["rejected"]] == ["other_content"]
    assert bring(desk, {**line, "rendition": honest}, by="bot")["rejected"] == []


@pytest.mark.parametrize(
    "rendition",
    [
        "text", {"text": "x"}, {"extractor": "a", "version": "1", "text": 4}, {"extractor": "a", "version": "1", "text": "abc", "pages": [1]},
        {"extractor": "a", "version": "1", "text": "abc", "pages": [0, 9]}, {"extractor": "a", "version": "1", "text": "abc", "pages": [0, 2, 1]},
        {"extractor": "a", "version": "1", "text": "abc", "pages": []}, {"extractor": "a", "version": "1", "text": "abc", "more": 1},
    ],
)  # fmt: skip
def test_a_rendition_of_the_wrong_form_is_an_error_of_its_line(desk, rendition):
    result = bring(desk, {**evidence("S1@7"), "version": 7, "rendition": rendition}, reviewed=True)

    assert [one["code"] for one in result["rejected"]] == ["bad_value"]


def test_a_broken_pdf_in_a_bundle_is_an_error_of_its_line_unless_it_is_to_be_kept_without_text(desk):
    line = {**evidence("S1@7", text="no pdf"), "version": 7, "media_type": PDF}

    (fault,) = bring(desk, line, reviewed=True)["rejected"]
    assert "damaged" in fault["message"]
    given(desk, {**line, "rendition": None})
    assert exported(desk)[-1]["rendition"] is None


def test_the_command_captures_a_file_and_tells_what_it_took(desk, tmp_path):
    path = tmp_path / "q2.pdf"
    path.write_bytes(FIRST)
    url = desk.writer.url.render_as_string(hide_password=False)

    done = type_command(url, ["capture", "S9", "--file", str(path), "--scope", "acme/funds", "--title", "Q2", "--as", "bot", "--json"])
    assert (done.returncode, json.loads(done.stdout)["pages"]) == (0, 3)
    gone = type_command(url, ["capture", "S9", "--file", str(tmp_path / "none.pdf"), "--json"])
    assert (gone.returncode, json.loads(gone.stdout)["error"]) == (1, "not_found")
