"""The page of corrections, run without a browser: the list, a new case, one case through its steps, and who sees what."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from store import (
    Plan,
    Verb,
    commit_plan,
    hand_over,
    keep_plan_file,
    open_correction,
    open_store,
    preview_plan,
    save_rehearsal,
    view_correction,
    waive,
)
from tests.pages.opened import opener

open_page = opener("corrections")

ROOT = Path(__file__).resolve().parents[2]


def words(at):
    text = " ".join(re.sub(r"<[^>]+>", " ", element.proto.body if hasattr(element.proto, "body") else "") for element in at.get("html"))
    return re.sub(r"\s+", " ", text.replace("&#x27;", "'"))


def links(at):
    return " ".join(element.proto.body for element in at.get("html") if hasattr(element.proto, "body")).replace("&amp;", "&")


@pytest.fixture
def case(fresh):
    """The sample with the report stopped, and its case."""
    store = open_store(fresh)
    case = open_correction(store, "ana", "acme", "Larch Q3 was restated", sources=["LARCH-Q3"], cause="The auditor called")["correction"]
    plan = Plan(Verb.SUSPEND, ("LARCH-Q3",))
    seen = preview_plan(store, "ana", "acme", plan, rows=0)
    commit_plan(store, "ana", "acme", plan, seen.fingerprint, "restated", waived={"answer-larch-nav": "an agent made it"})
    store.close()
    return fresh, case


def test_without_a_case_the_list_says_what_a_case_is(monkeypatch, sample):
    at = open_page(monkeypatch, sample)

    assert "No correction is open" in words(at)
    assert "/corrections?new=1" in links(at)


def test_a_case_is_opened_about_a_source_and_its_page_says_what_is_next(monkeypatch, fresh):
    at = open_page(monkeypatch, fresh, new="1", tenant="acme", source="LARCH-Q3")
    assert "Larch Hollow" in words(at)
    next(field for field in at.text_input if field.label.startswith("What turned out")).set_value("Q3 was restated")
    next(button for button in at.button if button.label == "Open the case").click().run()

    assert not at.exception
    assert "Q3 was restated" in words(at)
    assert "Next: Stop" in words(at)
    assert "/revoke?tenant=acme&pick=LARCH-Q3&do=suspend&correction=correction-LARCH-Q3" in links(at)


def test_the_list_says_of_each_case_how_far_it_is(monkeypatch, case):
    at = open_page(monkeypatch, case[0])

    assert "1 correction is open" in words(at)
    assert "Larch Q3 was restated" in words(at)
    assert "0 settled by hand, 0 restored together, 22 waiting upstream, 11 open" in words(at)


def test_a_case_shows_its_bar_its_steps_and_what_happened(monkeypatch, case):
    at = open_page(monkeypatch, case[0], case=case[1], tenant="acme")
    said = words(at)

    for step in ("Stop", "Compare", "Commit", "Settle", "Tell"):
        assert step in said
    assert "0 of 33 records that fell are settled" in said
    assert "The auditor called" in said
    assert "stopped its use" in said
    assert "records need re-validation" in said
    assert not [button for button in at.button if button.label.startswith("Close the case")]


def test_a_step_is_left_open_on_purpose_with_a_reason_and_taken_back(monkeypatch, case):
    at = open_page(monkeypatch, case[0], case=case[1], tenant="acme")
    compare = [button for button in at.button if button.label == "Leave Compare open on purpose"]
    next(field for field in at.text_input if field.label == "Because").set_value("No other version will come")
    compare[0].click().run()
    assert "No other version will come" in words(at)

    at = open_page(monkeypatch, case[0], case=case[1], tenant="acme")
    next(button for button in at.button if button.label == "Take this back: Compare").click().run()
    assert "No other version will come" not in words(open_page(monkeypatch, case[0], case=case[1], tenant="acme")).split("What happened")[0]


def test_a_case_of_which_nothing_is_open_is_closed_with_a_note(monkeypatch, case):
    url, one = case
    store = open_store(url)
    for step in {thing.step for thing in view_correction(store, "ana", "acme", one).open}:
        waive(store, "ana", "acme", one, "step", step, "a false alarm")
    store.close()
    at = open_page(monkeypatch, url, case=one, tenant="acme")
    assert "Nothing of it is open" in words(at)
    at.text_area[0].set_value("It was a false alarm")
    next(button for button in at.button if button.label == "Close the case as Ana Belcourt").click().run()

    assert not at.exception
    assert "It was a false alarm" in words(at)
    assert "Closed" in words(open_page(monkeypatch, url, show="closed"))


def test_who_may_only_look_is_offered_no_way_to_change_a_case(monkeypatch, case):
    at = open_page(monkeypatch, case[0], person="mei", case=case[1], tenant="acme")

    assert "Larch Q3 was restated" in words(at)
    assert not [button for button in at.button if "open on purpose" in button.label]
    assert "do=reinstate" not in links(at)


@pytest.mark.parametrize("query", [{"case": "nobody-knows-it"}, {"case": "correction-LARCH-Q3", "tenant": "nobody"}])
def test_a_case_that_is_not_there_is_said_so(monkeypatch, case, query):
    at = open_page(monkeypatch, case[0], **query)

    assert "There is no such correction" in words(at)


def test_the_report_prints_the_case_and_offers_it_as_csv(monkeypatch, case):
    at = open_page(monkeypatch, case[0], case=case[1], tenant="acme", print="1")
    said = words(at)

    assert "Correction report: Larch Q3 was restated" in said
    assert "What fell, and how it was settled 33" in said
    assert "Plans: predicted and actual" in said
    assert "Who was told" in said
    assert at.get("download_button")


def test_the_stop_of_a_source_opens_its_case_in_the_same_ceremony(monkeypatch, fresh):
    monkeypatch.setenv("CLAIMDESK_DB", fresh)
    monkeypatch.chdir(ROOT)
    at = AppTest.from_file(str(ROOT / "pages" / "revoke.py"), default_timeout=60)
    at.session_state["identity.person"] = "ana"
    for name, value in {"pick": "VALUER-LETTER", "do": "suspend"}.items():
        at.query_params[name] = value
    at.run()
    at.text_area[0].set_value("The letter was a draft")
    next(toggle for toggle in at.toggle if toggle.label == "Open a correction of it").set_value(True)
    next(button for button in at.button if button.label.startswith("Stop using")).click().run()

    assert not at.exception
    assert "/corrections?case=correction-VALUER-LETTER" in links(at)
    assert "The letter was a draft" in words(open_page(monkeypatch, fresh, case="correction-VALUER-LETTER", tenant="acme"))


def test_a_case_names_the_plans_that_were_rehearsed_for_it_and_who_is_to_commit_them(monkeypatch, case):
    url, one = case
    text = (ROOT / "sample_data" / "editions" / "LARCH-Q3@2.md").read_bytes()
    store = open_store(url)
    kept = keep_plan_file(store, "ana", "acme", text, name="q3.md", media_type="text/markdown")
    plan = Plan(Verb.RECAPTURE, ("LARCH-Q3",), file=kept.sha256, media_type=kept.media_type)
    saved = save_rehearsal(store, "ana", "acme", plan, "Correct it", correction=one)["rehearsal"]
    hand_over(store, "ana", "acme", saved, "ben", "two figures")
    store.close()

    at = open_page(monkeypatch, url, case=one, tenant="acme")

    assert "compared and rehearsed, not committed: Correct it" in words(at)
    assert re.search(r"Rehearsed: Correct it , \d+ records change.* with Ben Achterberg, to commit", words(at))
    assert f"/rehearsals?tenant=acme&one={saved}" in links(at)
    assert "No other version of Larch Hollow Fund III: report Q3 2026 has been compared" in words(at)


def test_what_a_plan_of_a_case_did_leads_on_within_the_case(monkeypatch, case):
    at = open_page(monkeypatch, case[0], script="pages/revoke.py", tenant="acme", done="3")

    for page in ("corrections?case", "revalidate?correction", "deliveries?correction"):
        assert f"/{page}={case[1]}&tenant=acme" in links(at), page


def test_who_gives_the_corrected_document_sees_which_correction_it_will_belong_to(monkeypatch, case):
    at = open_page(monkeypatch, case[0], script="pages/sources.py", source="LARCH-Q3", tenant="acme", do="recapture")

    assert "It will belong to the correction Larch Q3 was restated" in words(at)


@pytest.mark.parametrize("page", ["candidates", "revalidate"])
def test_a_list_of_a_case_in_which_nothing_is_left_leads_back_to_the_case(monkeypatch, fresh, page):
    store = open_store(fresh)
    one = open_correction(store, "ana", "acme", "The letter was a draft", sources=["VALUER-LETTER"])["correction"]
    store.close()

    at = open_page(monkeypatch, fresh, script=f"pages/{page}.py", correction=one, tenant="acme")

    assert "On with the correction" in words(at)
    assert re.search(rf'href="/corrections\?case={one}[^"]*"[^>]*>On with the correction', links(at))


def test_editions_come_before_messages_in_a_case(monkeypatch, case):
    at = open_page(monkeypatch, case[0], case=case[1], tenant="acme")

    first, second = links(at).index(f"/deliveries?view=delivered&only=needing&correction={case[1]}"), links(at).index(f'/deliveries?correction={case[1]}')
    assert first < second
    assert "5 delivered artifacts are concerned: 4 still without a new edition, an annotation or a reason for none." in words(at)
    assert "7 recipients: 7 not told yet." in words(at)
