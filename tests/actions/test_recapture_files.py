"""Recapturing PDF and HTML, from the command line, in a rehearsal, and in a case."""

import json
from dataclasses import replace

import pytest
from fpdf import FPDF

from store import Plan, Verb, capture, keep_plan_file, open_correction, rehearse, view_record
from tests.builders import OPERATOR, TENANT, accepted, carry_out, given, is_sound, preview, refused, source, statuses, suspending
from tests.recapturing import CHANGED, NAV, recapture, recapturing, verdicts
from tests.typed import type_command


def pdf(*pages):
    document = FPDF()
    document.set_font("Helvetica", size=12)
    for lines in pages:
        document.add_page()
        for line in lines:
            document.cell(0, 8, line, new_x="LMARGIN", new_y="NEXT")
    return bytes(document.output())


REPORT = ("The office of the fund is in Lyon.", "NAV at quarter end was 184,000,000 USD.")


@pytest.fixture
def report(desk):
    """A source with a PDF of two pages; CITY and NAV on the second page."""
    given(desk, source("SP"))
    made = capture(desk, "ana", TENANT, "SP", pdf(["Title page"], REPORT), name="report.pdf")
    with desk.reader.connect() as connection:
        text = bytes(connection.exec_driver_sql("SELECT text FROM rendition").scalar_one()).decode()
    page = text.index("The office")
    lines = [
        accepted(name, quote, evidence=[{"evidence": made["id"], "span": {"page": 2, "start": text.index(quote) - page, "end": text.index(quote) - page + len(quote)}, "quote": quote}])
        for name, quote in (("CITY", REPORT[0]), ("NAV", NAV))
    ]
    given(desk, *lines)
    return desk


def test_a_passage_of_a_pdf_gets_its_new_page(report):
    new = pdf(["Title page"], ["A page that was not there before."], [REPORT[0], "NAV at quarter end was 179,500,000 USD."])
    plan = recapturing(report, new, "SP", name="new.pdf")

    found = preview(report, plan)
    carry_out(report, plan)

    assert verdicts(found) == {"CITY": "moved", "NAV": "changed"}
    now = next(one for one in found["passages"] if one["id"] == "CITY")["now"]
    assert now["span"] == {"page": 3, "start": 0, "end": len(REPORT[0])}
    changed = next(one for one in found["passages"] if one["id"] == "NAV")["proposed"]
    assert (changed["quote"], changed["span"]["page"]) == ("179,500,000 USD", 3)
    assert statuses(report, "CITY", "NAV") == {"CITY": "ACCEPTED", "NAV": "STALE"}
    assert view_record(report, OPERATOR, TENANT, "CITY") is not None
    assert is_sound(report)


def test_a_rehearsal_of_a_recapture_says_what_the_preview_says(desk):
    given(desk, accepted("NAV", NAV, quote=NAV), accepted("CITY", "Lyon"))
    plan = recapturing(desk)

    looked = rehearse(desk, "ana", TENANT, plan)

    assert looked.fingerprint == preview(desk, plan)["fingerprint"]


@pytest.mark.parametrize(("media_type", "says"), [("application/json", "said to be JSON"), ("application/pdf", "said to be a PDF"), ("video/mp4", "video/mp4"), ("te\x00xt", "are not read")])
def test_a_plan_that_says_its_file_is_something_else_than_it_is_is_refused(fund, media_type, says):
    plan = replace(recapturing(fund), media_type=media_type)

    with refused("bad_value", says):
        preview(fund, plan)


def test_a_recapture_joins_the_case_of_its_source(desk):
    given(desk, accepted("NAV", NAV, quote=NAV))
    open_correction(desk, "ana", TENANT, "The report was restated", sources=["S1"])
    carry_out(desk, suspending("S1"))
    result = recapture(desk)

    with desk.reader.connect() as connection:
        steps = connection.exec_driver_sql("SELECT seq, step FROM correction_event ORDER BY seq").fetchall()
    assert (result["event"], "commit") in [tuple(row) for row in steps]


def test_typed_at_the_command_line(desk, tmp_path):
    given(desk, accepted("NAV", NAV, quote=NAV), accepted("CITY", "Lyon"))
    desk.close()
    (tmp_path / "new.txt").write_text(CHANGED, "utf-8")
    (tmp_path / "values.jsonl").write_text(json.dumps({"id": "NAV", "value": "179,500,000 USD"}) + "\n", "utf-8")
    words = ["recapture", "S1", "--file", str(tmp_path / "new.txt"), "--values", str(tmp_path / "values.jsonl"), "--as", "ana", "--json"]

    def typed(*more):
        done = type_command(desk.url, more)
        return done.returncode, json.loads(done.stdout)

    code, found = typed("preview", *words)
    assert code == 0
    assert {one["id"]: one["verdict"] for one in found["passages"]} == {"NAV": "changed", "CITY": "unchanged"}
    assert typed("commit", *words, "--fingerprint", "0" * 32, "--reason", "corrected")[1]["error"] == "unknown_preview"
    code, done = typed("commit", *words, "--fingerprint", found["fingerprint"], "--reason", "corrected")
    assert (code, done["candidates"]) == (0, ["NAV.2"])
    assert typed("preview", *words)[1]["error"] == "bad_value"
    (tmp_path / "values.jsonl").write_text('{"value": 1}\n', "utf-8")
    assert "names no claim" in typed("preview", *words)[1]["message"]
    assert typed("preview", "recapture", "S1", "--file", str(tmp_path / "nowhere.txt"), "--as", "ana", "--json")[1]["error"] == "not_found"


def test_a_file_in_another_encoding_is_asked_about(desk):
    given(desk, accepted("CITY", "Lyon"))
    with refused("bad_value"):
        keep_plan_file(desk, "ana", TENANT, "Café au lait à Lyon, une phrase où l’on goûte été et hiver.".encode("windows-1252"), name="a.txt")
    kept = keep_plan_file(desk, "ana", TENANT, CHANGED.encode("utf-16"), name="a.txt", encoding="utf-16")

    found = preview(desk, Plan(Verb.RECAPTURE, ("S1",), file=kept.sha256, media_type=kept.media_type))

    assert verdicts(found) == {"CITY": "unchanged"}
