"""Importing on screen, run without a browser: what is foreseen is what comes in, and what cannot be taken is named."""

from __future__ import annotations

import json
import os
import re
from html import unescape
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.widgets.import_job import find_job
from store import create_store, export_rejections_csv, import_lines, list_events, list_queue, open_store
from tests.builders import GROUND, accepted, claim, encode, evidence, given, person, source

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def unhurried(monkeypatch):
    """Presses of a test follow each other faster than anybody's; the guard against that has tests of its own."""
    from pages.widgets import decision_guard

    monkeypatch.setattr(decision_guard, "QUIET", 0.0)


@pytest.fixture
def desk(tmp_path):
    """The address of a store with a few people, one source and its text."""
    url = f"sqlite:///{tmp_path}/desk.db"
    store = create_store(url)
    given(store, person("ana"), person("bot", "contributor"), person("rita", "reader"), person("adam", "admin"), *GROUND)
    store.close()
    return url


@pytest.fixture
def page(monkeypatch, desk):
    """A function that opens the page as somebody."""
    monkeypatch.setenv("CLAIMDESK_DB", desk)
    monkeypatch.chdir(ROOT)
    import streamlit as st

    st.cache_resource.clear()

    def open_as(person, **query):
        at = AppTest.from_file(str(ROOT / "pages" / "imports.py"), default_timeout=60)
        at.session_state["identity.person"] = person
        for name, value in query.items():
            at.query_params[name] = value
        return ran(at.run())

    return open_as


def ran(at):
    assert not at.exception, at.exception
    return at


def plain(at):
    found = unescape(" ".join(re.sub(r"<[^>]+>", " ", element.proto.body) for element in at.get("html")))
    return re.sub(r" ([.,:;])", r"\1", " ".join(found.split()))


def bundle(*lines):
    return b"".join(line + b"\n" for line in encode(lines))


def upload(at, *files):
    """Choose files given as (name, bytes)."""
    at.file_uploader[0].set_value([(name, data, "application/jsonl") for name, data in files])
    return ran(at.run())


def check(at):
    return finished(at.button(key="import.check").click().run())


def job_of(at):
    return find_job(os.environ["CLAIMDESK_DB"], at.session_state["identity.person"])


def finished(at):
    job_of(at).thread.join(60)
    return ran(at.run())


def events(url):
    store = open_store(url)
    try:
        return [one["action"] for one in list_events(store, "operator")["items"]]
    finally:
        store.close()


def test_who_may_add_nothing_is_told_so(page):
    at = page("rita")

    assert "You may add nothing" in plain(at)
    assert not at.get("file_uploader")


def test_what_is_foreseen_is_what_comes_in_and_the_second_time_nothing_does(page, desk):
    before = events(desk)
    lines = bundle(claim("A"), claim("B"), {"type": "claim", "id": "BAD"}, b"not json at all", accepted("C"))
    at = check(upload(page("bot"), ("first.jsonl", lines)))

    assert "Nothing is imported yet. 3 claims would come in; 2 lines cannot be taken." in plain(at)
    assert "Cannot be read" in plain(at)
    assert "is not JSON" in plain(at)
    assert events(desk) == before

    at = finished(at.button(key="import.go").click().run())
    assert "3 claims came in; 2 lines were not taken." in plain(at)
    assert "event 2 of acme" in plain(at)
    assert "not quite what was foreseen" not in plain(at)
    assert 'href="/candidates"' in "".join(element.proto.body for element in at.get("html"))
    assert events(desk) == [*before, "import"]

    at = check(upload(at.button(key="import.again").click().run(), ("again.jsonl", bundle(claim("A"), claim("B"), accepted("C")))))
    assert "Every line is in the store already" in plain(at)
    assert "3 lines are in the store already, unchanged" in plain(at)
    assert not [one for one in at.button if one.key == "import.go"]


def test_the_status_records_claim_counts_for_an_admin_who_says_so_only(page, desk):
    lines = bundle(accepted("A"))
    assert not page("ana").checkbox

    at = upload(page("adam"), ("a.jsonl", lines))
    assert "wait as candidates, whatever they say" in plain(at)
    at.checkbox(key="import.reviewed").check()
    at = check(at.run())
    assert "1 Accepted" in re.sub(r"check_circle", "", plain(at)).replace("  ", " ")
    finished(at.button(key="import.go").click().run())
    store = open_store(desk)
    assert list_queue(store, "ana", "candidates")["total"] == 0
    store.close()


def test_lines_without_a_scope_take_the_one_that_was_chosen(page):
    line = {name: value for name, value in claim("A").items() if name != "scope"}
    at = check(upload(page("bot"), ("a.jsonl", bundle(line))))
    assert "None of it can be taken: 1 line cannot be taken." in plain(at)

    at = upload(at.button(key="import.leave").click().run(), ("a.jsonl", bundle(line)))
    at.selectbox(key="import.scope").set_value("acme")
    assert "1 claim would come in" in plain(check(at.run()))


def test_a_store_that_changed_since_the_check_is_said_and_so_is_another_outcome(page, desk):
    at = check(upload(page("bot"), ("a.jsonl", bundle(claim("A"), claim("B")))))
    store = open_store(desk)
    import_lines(store, "operator", encode([claim("A", "other")]))
    store.close()
    at = ran(at.run())

    assert "1 action was taken in the store since this was found out." in plain(at)
    at = finished(at.button(key="import.go").click().run())
    assert "This is not quite what was foreseen." in plain(at)
    assert "1 claim came in; 1 line was not taken." in plain(at)
    assert "Same id, other content" in plain(at)


def test_conflicts_that_would_open_are_counted_and_then_linked(page):
    lines = bundle(accepted("A", "1", subject="s"), accepted("B", "2", subject="s"))
    at = upload(page("adam"), ("a.jsonl", lines))
    at.checkbox(key="import.reviewed").check()
    at = check(at.run())
    assert "1 conflict would open" in plain(at)

    at = finished(at.button(key="import.go").click().run())
    assert "1 conflict opened" in plain(at)
    assert "To the conflicts" in plain(at)


@pytest.mark.parametrize(
    ("data", "says", "stops"),
    [
        (b"", "The file is empty.", True), (b" \n\n", "The file is empty.", True),
        ("{}".encode("utf-16"), "written in UTF-16", True), (b"%PDF-1.7\x00\x01", "It is not text.", True),
        (b"x\n" * 200_001, "It has 200,001 lines; the page takes 200,000.", True),
        (b"[{}]", "looks like one JSON document", False), (b"{\n}\n", "looks like one JSON document", False),
        ("\ufeff{}".encode(), "byte order mark", False), (b"id,value\n1,2\n", "first line is no JSON object", False),
    ],
)  # fmt: skip
def test_a_file_that_is_no_bundle_is_said_before_a_line_is_read(page, data, says, stops):
    at = upload(page("bot"), ("odd.jsonl", data))

    assert says in plain(at)
    assert at.button(key="import.check").disabled is stops


def test_lines_are_named_by_file_and_place_and_listed_fifty_at_a_time(page):
    many = b"".join(b'{"type": "claim", "id": "X%d"}\n' % n for n in range(120))
    at = check(upload(page("bot"), ("one.jsonl", bundle(claim("A"))[:-1]), ("two.jsonl", many + b"broken")))

    assert "1 claim would come in; 121 lines cannot be taken." in plain(at)
    assert "1–50 of 121" in plain(at)
    assert "two.jsonl" in plain(at)
    at.query_params["part"] = "3"
    assert "101–121 of 121" in plain(ran(at.run()))
    at.query_params["code"] = "not_json"
    assert "is not JSON" in plain(ran(at.run()))
    assert re.search(r" 121 two\.jsonl", plain(at))
    assert "1–50" not in plain(at)


def test_hostile_names_and_lines_stay_text(page):
    bad = json.dumps({"type": "claim", "id": "<img src=x onerror=alert(1)>", "scope": "acme", "subject": "s", "predicate": "p", "value": 1, "![x](http://e)": 1}).encode()
    at = check(upload(page("bot"), ("<b>x</b>.jsonl", bad + b'\n"' + b"y" * 100_000 + b"\n\x00\x00{\n")))

    html = "".join(element.proto.body for element in at.get("html"))
    assert "<img" not in html
    assert "<b>x" not in html
    assert "Unknown field" in plain(at)
    assert "3 lines cannot be taken" in plain(at)


def test_the_table_of_errors_holds_no_formula(desk):
    rows = export_rejections_csv(open_store(desk), "ana", [("=cmd.jsonl", 1, "=1+1", "bad_value", "+x"), ("a", 2, None, "not_json", "plain, \"quoted\"")]).decode("utf-8-sig").splitlines()

    assert rows == ["file,line,id,code,message", "'=cmd.jsonl,1,'=1+1,bad_value,'+x", 'a,2,,not_json,"plain, ""quoted"""']


def test_the_check_is_found_again_in_another_session_by_the_same_person_only(page):
    at = check(upload(page("bot"), ("a.jsonl", bundle(claim("A")))))
    at.session_state["identity.person"] = "ana"

    assert "Nothing comes in before you have seen" in plain(ran(at.run()))
    assert "Nothing comes in before you have seen" in plain(page("ana"))
    again = page("bot")
    assert "1 claim would come in" in plain(again)
    ran(again.button(key="import.leave").click().run())
    assert "Nothing comes in before you have seen" in plain(page("bot"))


def test_a_press_on_a_check_that_is_gone_imports_nothing(page, desk):
    at = check(upload(page("bot"), ("a.jsonl", bundle(claim("A")))))
    before = events(desk)
    job_of(at).files = ()
    ran(at.button(key="import.go").click().run())

    assert events(desk) == before


def test_a_refusal_says_why_and_the_page_goes_on(page, desk):
    at = upload(page("adam"), ("a.jsonl", bundle(source("S7", "other"), evidence("E7", "S7"))))
    at.checkbox(key="import.reviewed").check()
    at = check(at.run())

    assert "None of it can be taken" in plain(at) or "It cannot be imported so." in plain(at)
    assert ran(at.button(key="import.leave").click().run()).get("file_uploader")
