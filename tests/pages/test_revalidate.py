"""The page of re-validation, run without a browser: the queue, one record, and what its decisions do."""

from __future__ import annotations

import html
import re
from urllib.parse import parse_qsl

import pytest

from store import OPERATOR, Plan, Verb, change_policy, commit_plan, create_store, fire_trigger, list_stale, open_store, preview_plan
from tests.builders import CAST, GROUND, QUOTE, TEXT, accepted, artifact, delivered, evidence, given, passage, show, status
from tests.pages.opened import opener, raw, words

open_page = opener("revalidate")




def press(at, start):
    next(button for button in at.button if button.label.startswith(start)).click().run()
    assert not at.exception, at.exception
    return at


def commit(store, verb, *ids):
    plan = Plan(verb, ids)
    seen = preview_plan(store, "ana", "acme", plan)
    return commit_plan(store, "ana", "acme", plan, seen.fingerprint, "because")


@pytest.fixture
def url(tmp_path):
    """R rests on A, which was suspended, and on B; C1 and C2 rest on P, which is back; X waits for R."""
    url = f"sqlite:///{tmp_path}/desk.db"
    store = create_store(url)
    given(store, *CAST, *GROUND, accepted("A"), accepted("B"), accepted("P"), artifact("R", ["A", "B"]), artifact("X", ["R"]), accepted("C1", on=["P"]), accepted("C2", on=["C1"]))
    commit(store, Verb.SUSPEND, "A", "P")
    commit(store, Verb.REINSTATE, "P")
    store.close()
    return url


def queue_of(url):
    store = open_store(url)
    try:
        return list_stale(store, OPERATOR).rows
    finally:
        store.close()


def states(url):
    return {row.id: row.state for row in queue_of(url)}


def test_the_queue_says_how_many_and_why(monkeypatch, url):
    said = words(open_page(monkeypatch, url))
    assert "4 records need re-validation : 1 has a cause of its own, 2 may be restored together, 1 waiting for a decision above." in said
    assert "restores 2 records in one decision" in said


def test_a_line_of_the_queue_calls_what_it_names_by_name(monkeypatch, url):
    said = words(open_page(monkeypatch, url))

    assert "lost subject-A · says" in said
    assert "subject-P · says stands again" in said
    assert "waits for Report R" in said


def test_a_group_about_a_claim_without_a_sentence_says_its_value(monkeypatch, url):
    said = words(open_page(monkeypatch, url))

    assert "subject-A · says x is lost" in said
    assert "subject-P · says x stands again" in said


def test_what_is_lost_is_dropped_and_the_rest_confirmed(monkeypatch, url):
    at = open_page(monkeypatch, url, record="R", tenant="acme")
    assert "Not yet. Nothing was confirmed: “ Report R ” rests on “ subject-A · says ” , which is disputed" in words(at)
    assert "What it lost" in words(at)

    at = open_page(monkeypatch, url, record="R", tenant="acme", do="confirm", drop="A")
    assert "1 record stands again" in words(at)
    press(at, "Confirm 1 record as Ana")
    assert "Give a reason" in words(at)
    next(area for area in at.text_area if area.label.startswith("Reason")).input("B carries it")
    press(at, "Confirm 1 record as Ana")
    assert "1 record stands again by one decision" in words(at)
    assert "R" not in states(url)


def test_one_decision_restores_and_says_what_it_saved(monkeypatch, url):
    at = open_page(monkeypatch, url, record="C1", tenant="acme")
    assert "Restore in one decision" in words(at)
    next(area for area in at.text_area if area.label.startswith("Reason")).input("P says what it said")
    press(at, "Restore 2 records as Ana")
    said = words(at)
    assert "2 records stand again by one decision. That saved 1 decision." in said
    assert said.index("stand again by one decision") < said.index("What one look settles"), "what was done is said first"
    assert states(url) == {"R": "lost", "X": "upstream"}


@pytest.fixture
def sent(tmp_path):
    """M went to two people and O is nobody's; both rest on P, which is back."""
    url = f"sqlite:///{tmp_path}/sent.db"
    store = create_store(url)
    orphan = {name: value for name, value in artifact("O", ["P"]).items() if name != "owner"}
    given(store, *CAST, *GROUND, accepted("P"), artifact("M", ["P"], deliveries=[delivered("kim"), delivered("lee")]), orphan)
    plan = Plan(Verb.SUSPEND, ("P",))
    commit_plan(store, "ana", "acme", plan, preview_plan(store, "ana", "acme", plan).fingerprint, "wrong", waived={"O": "nobody reads it"})
    commit(store, Verb.REINSTATE, "P")
    store.close()
    return url


def reason(at, text):
    next(area for area in at.text_area if area.label.startswith("Reason")).input(text)


def test_what_reaches_something_delivered_is_committed_only_with_its_number_typed_and_owners_settled(monkeypatch, sent):
    at = open_page(monkeypatch, sent, record="M", tenant="acme")
    said = words(at)
    assert "1 delivered artifact is reached" in said and "Which 2 records stand again" in said
    assert "Nobody owns 1 artifact of this. Name an owner, who is then told, or say why nobody needs to be." in said
    reason(at, "P says what it said")
    press(at, "Restore 2 records as Ana")
    said = words(at)
    assert "Nothing was changed." in said and "Type 1: that many delivered artifacts are reached." in said
    assert "Name an owner for “Report O”, or say why nobody needs to be told." in said
    assert set(states(sent)) == {"M", "O"}

    next(one for one in at.selectbox if one.label == "Owner of artifact 1").set_value("ben")
    next(one for one in at.text_input if one.label.startswith("Type 1")).input("2")
    press(at, "Restore 2 records as Ana")
    assert "Type 1: that many delivered artifacts are reached." in words(at)
    next(one for one in at.text_input if one.label.startswith("Type 1")).input("1")
    press(at, "Restore 2 records as Ana")
    assert "2 records stand again by one decision" in words(at)
    assert states(sent) == {}
    store = open_store(sent)
    assert show(store, "O")["record"]["owner"] == "ben"
    store.close()


def test_a_result_that_changed_since_it_was_drawn_is_said_and_not_committed(monkeypatch, sent):
    at = open_page(monkeypatch, sent, record="M", tenant="acme")
    store = open_store(sent)
    fire_trigger(store, "ben", "acme", "role_changed", ["O"], "somebody left")
    store.close()
    at.run()
    assert "This plan would do something else by now." in words(at)
    assert all(button.disabled for button in at.button if button.label.startswith("Restore"))
    press(at, "Preview again")
    assert "by now" not in words(at) and "1 record stands again" in words(at)
    assert "Touched without effect: 1 record, and why" in words(at)


def test_a_new_value_is_stated_with_its_words_and_waits_for_somebody_else(monkeypatch, url):
    store = open_store(url)
    given(store, accepted("N", 12, on="A"))
    store.close()
    at = open_page(monkeypatch, url, record="N", tenant="acme")
    assert "State what it says now" in words(at) and "do=answer" in raw(at)

    at = open_page(monkeypatch, url, record="N", tenant="acme", do="answer")
    press(at, "Propose it as Ana")
    assert "Enter the value. Nothing was proposed." in words(at)
    next(one for one in at.text_input if one.label == "What it says now").input("13")
    press(at, "Propose it as Ana")
    assert "rests on nothing" in words(at)

    at = open_page(monkeypatch, url, record="N", tenant="acme", do="answer", within="E1")
    next(one for one in at.text_input if one.label == "Or the words, typed exactly").input("no such words").run()
    assert "stand nowhere in this version" in words(at)
    next(one for one in at.text_input if one.label == "Or the words, typed exactly").input(QUOTE).run()
    assert QUOTE in words(at)
    next(one for one in at.text_input if one.label == "What it says now").input("13")
    press(at, "Propose it as Ana")
    said = words(at)
    assert "Proposed as Ana. You contributed to it, so somebody else decides." in said
    assert "1 candidate answers it: approving it replaces this claim." in said and "candidate=N-answer" in raw(at)

    store = open_store(url)
    try:
        assert show(store, "N-answer")["record"]["evidence"] == [passage(QUOTE)]
        assert status(store, "N") == "STALE"
    finally:
        store.close()


def test_what_a_passage_says_now_is_set_beside_what_it_said_word_for_word(monkeypatch, url):
    store = open_store(url)
    given(store, accepted("NAV", 184_000_000, quote="NAV at quarter end was 184,000,000 USD."))
    commit(store, Verb.SUSPEND, "E1")
    given(store, evidence("E2", text=TEXT.replace("184,000,000", "179,500,000"), version=2, captured_at="2026-02-05T09:00:00Z"))
    store.close()
    drawn = raw(open_page(monkeypatch, url, record="NAV", tenant="acme"))
    assert "Other words stand there now" in drawn
    assert re.search(r"<del>[^<]*184,000,000", drawn) and re.search(r"<ins>[^<]*179,500,000", drawn)
    (there,) = {html.unescape(one) for one in re.findall(r'href="/revalidate\?([^"]*add=[^"]*)"[^>]*>(?:<[^>]*>[^<]*</[^>]*>)*Let it rest', drawn)}
    at = open_page(monkeypatch, url, **dict(parse_qsl(there)))
    assert "It will rest on these words." in words(at)
    reason(at, "the figure is rounded otherwise")
    press(at, "Confirm 1 record as Ana")
    assert "1 record stands again by one decision" in words(at)
    store = open_store(url)
    assert [one["evidence"] for one in show(store, "NAV")["record"]["evidence"]] == ["E2"]
    store.close()


def test_an_artifact_is_answered_by_a_new_edition(monkeypatch, url):
    at = open_page(monkeypatch, url, record="R", tenant="acme")
    assert "Propose a new edition" in words(at) and "A new value" not in words(at)


def test_a_plan_is_carried_on_planned_again_or_asked_about(monkeypatch, url):
    store = open_store(url)
    given(store, artifact("TRIP", ["A", "B"], artifact_type="plan", title="The trip"))
    store.close()
    at = open_page(monkeypatch, url, record="TRIP", tenant="acme")
    said = words(at)
    assert all(one in said for one in ("What becomes of this plan", "Carry on", "Plan again", "Ask first", "Let it stand"))

    at = open_page(monkeypatch, url, record="TRIP", tenant="acme", do="ask")
    press(at, "Ask")
    assert "Write the question. Nothing was asked." in words(at)
    next(one for one in at.selectbox if one.label == "Whom to ask").set_value("ben")
    next(one for one in at.text_input if one.label == "Your question").input("Do we still go?")
    press(at, "Ask")
    assert "Asked. The answer comes to your page of the day." in words(at)

    at = open_page(monkeypatch, url, script="pages/deliveries.py", view="delivered", artifact="TRIP", tenant="acme")
    press(at, "Propose the new edition")
    assert "Edition 2 is proposed." in words(at)

    at = open_page(monkeypatch, url, record="TRIP", tenant="acme", do="confirm", drop="A")
    reason(at, "B carries it")
    press(at, "Confirm 1 record as Ana")
    assert "TRIP" not in states(url)


def test_a_trigger_is_dismissed_with_a_reason(monkeypatch, url):
    store = open_store(url)
    fire_trigger(store, "ben", "acme", "project_ended", ["B"], "over")
    store.close()
    at = open_page(monkeypatch, url, record="B", tenant="acme")
    assert "its project ended" in words(at)
    field = next(one for one in at.text_input if one.label == "Why that does not matter here")
    field.input("it holds without it")
    press(at, "Dismiss the trigger")
    assert "Dismissed" in words(at)
    assert states(url)["B"] == "back"


def test_a_record_that_is_named_is_shown_wherever_in_the_list_it_stands(monkeypatch, url):
    at = open_page(monkeypatch, url, state="lost", record="C2", tenant="acme")
    assert "It does not stand in the stretch of the list beside this." in words(at) and "Restore in one decision" in words(at)
    at = open_page(monkeypatch, url, record="B")
    assert "It needs no re-validation." in words(at) and "Accepted" in words(at)
    assert "NOBODY" in words(open_page(monkeypatch, url, record="NOBODY", tenant="acme"))


def test_who_may_only_look_sees_no_decision(monkeypatch, url):
    at = open_page(monkeypatch, url, person="olga", record="R", tenant="acme")
    assert "You can look, and not decide." in words(at)
    assert not [button for button in at.button if button.label.startswith("Confirm")]


def test_who_may_not_see_the_queue_is_told_so(monkeypatch, url):
    assert "may not see what needs re-validation" in words(open_page(monkeypatch, url, person="rita"))


def test_addresses_that_make_no_sense_are_drawn(monkeypatch, url):
    open_page(monkeypatch, url, state="none", cause="lost:NOBODY", kind="x", do="dance", record="NOBODY")
    assert "That is no cursor" in words(open_page(monkeypatch, url, after="x"))
    assert "NOBODY" in words(open_page(monkeypatch, url, correction="NOBODY"))


def test_the_sample_has_its_queue(monkeypatch, sample):
    assert "re-validation" in words(open_page(monkeypatch, sample))


def pressed(at, label):
    """What is looked at after a press of a button."""
    press(at, label)
    return next((value[0] if isinstance(value, list) else value for name, value in at.query_params.items() if name == "record"), None)


def test_one_walks_through_the_list_record_by_record(monkeypatch, url):
    at = open_page(monkeypatch, url)
    order = [row.id for row in queue_of(url)]
    keys = {button.label: button for button in at.button}
    assert keys["Previous"].disabled and not keys["Next"].disabled
    assert [pressed(at, "Next"), pressed(at, "Next"), pressed(at, "Previous")] == [order[1], order[2], order[1]]


def test_a_new_value_is_a_key_away_and_back(monkeypatch, url):
    at = open_page(monkeypatch, url, record="C1", tenant="acme")
    press(at, "New value")
    assert "What it says now" in [one.label for one in at.text_input]
    press(at, "Back")
    assert "What it says now" not in [one.label for one in at.text_input]


def test_of_many_lost_supports_eight_stand_open_and_what_was_chosen_is_not_folded(monkeypatch, url):
    store = open_store(url)
    many = [f"M{n:02}" for n in range(12)]
    given(store, *(accepted(one) for one in many), artifact("Y", many))
    commit(store, Verb.SUSPEND, *many)
    store.close()

    shown, folded = raw(open_page(monkeypatch, url, record="Y", tenant="acme")).split("4 more that it lost")
    assert shown.split("What it lost")[1].count("Drop it</a>") == 8
    assert folded.split("</details>")[0].count("Drop it</a>") == 4
    shown, folded = raw(open_page(monkeypatch, url, record="Y", tenant="acme", drop="M11", do="confirm")).split("3 more that it lost")
    assert "Keep it</a>" in shown
    assert "Keep it</a>" not in folded.split("</details>")[0]


def test_what_the_policy_keeps_no_longer_says_so_and_is_not_among_what_comes_back(monkeypatch, url):
    store = open_store(url)
    given(store, accepted("S", on=["P"], claim_type="suggestion"))
    commit(store, Verb.SUSPEND, "P")
    change_policy(store, OPERATOR, "acme", "acme", {"kept_types": ["fact"]}, "a new rule")
    commit(store, Verb.REINSTATE, "P")
    store.close()

    at = open_page(monkeypatch, url, record="S", tenant="acme")
    said = words(at)
    assert "5 records need re-validation : 2 have a cause of their own, 2 may be restored together, 1 waiting for a decision above." in said
    assert said.count("The policy keeps it no longer") >= 3
    assert "restores 2 records in one decision" in said
    assert "Claims of the type suggestion are not kept here. Withdraw it for good, or ask an admin what the policy should keep." in said
