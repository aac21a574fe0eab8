"""The page of re-validation, run without a browser: the queue, one record, and what its decisions do."""

from __future__ import annotations

import pytest

from store import OPERATOR, Plan, Verb, commit_plan, create_store, fire_trigger, list_stale, open_store, preview_plan
from tests.builders import CAST, GROUND, QUOTE, accepted, artifact, given, passage, show, status
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


def states(url):
    store = open_store(url)
    try:
        return {row.id: row.state for row in list_stale(store, OPERATOR).rows}
    finally:
        store.close()


def test_the_queue_says_how_many_and_why(monkeypatch, url):
    said = words(open_page(monkeypatch, url))
    assert "4 records need re-validation : 1 has a cause of its own, 2 may be restored together, 1 waiting for a decision above." in said
    assert "restores 2 records in one decision" in said


def test_what_is_lost_is_dropped_and_the_rest_confirmed(monkeypatch, url):
    at = open_page(monkeypatch, url, record="R", tenant="acme")
    assert "Not yet. Nothing was confirmed: R rests on A, which is DISPUTED" in words(at)
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
    assert "2 records stand again by one decision. That saved 1 decision." in words(at)
    assert states(url) == {"R": "lost", "X": "upstream"}


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


def test_an_artifact_is_answered_by_a_new_edition(monkeypatch, url):
    at = open_page(monkeypatch, url, record="R", tenant="acme")
    assert "Propose a new edition" in words(at) and "A new value" not in words(at)


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
