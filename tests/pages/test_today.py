"""The page of the day, run without a browser: what each role is told, and what its buttons do."""

from __future__ import annotations

import html
import re

import pytest

from store import (
    Approval,
    Plan,
    Sift,
    Verb,
    answer_question,
    approve,
    ask,
    commit_plan,
    count_waiting,
    create_store,
    import_lines,
    list_candidates,
    list_my_questions,
    open_store,
    preview_plan,
)
from tests.builders import CAST, GROUND, accepted, artifact, claim, delivered, encode
from tests.pages.opened import opener

open_page = opener("today")



def bodies(at):
    return "\n".join(element.proto.body for block in (at.main, at.sidebar) for element in block if element.type == "html" and "<style" not in element.proto.body)


def words(at):
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", bodies(at))))


def links(at):
    return [html.unescape(found) for found in re.findall(r'href="([^"]*)"', bodies(at))]


def press(at, label):
    next(one for one in at.button if one.label == label).click().run()
    assert not at.exception, at.exception


@pytest.fixture
def built(tmp_path):
    """A function that makes a small store of our own, with the cast, reviewed lines and candidates."""

    def build(*lines, candidates=()):
        url = f"sqlite:///{tmp_path}/own.db"
        store = create_store(url)
        assert import_lines(store, "operator", encode([*CAST, *GROUND, *lines]), reviewed=True)["rejected"] == []
        assert import_lines(store, "operator", encode(candidates))["rejected"] == []
        return url, store

    return build


# --- what each role is told ----------------------------------------------------------------------------------------


def test_a_reviewer_is_told_what_waits_and_the_menu_says_the_same_number(monkeypatch, sample):
    at = open_page(monkeypatch, sample, script="app.py")
    total = count_waiting(open_store(sample), "ana").total

    assert f"{total} things wait for you." in words(at)
    assert re.search(rf'href="/today"[^>]*><span><span class="cd-icon"[^>]*>today</span>Today</span><span class="cd-count">{total}</span>', bodies(at))


def test_people_are_called_by_their_names(monkeypatch, sample):
    at = open_page(monkeypatch, sample)

    assert "owner Ravi Solanke" in words(at)
    assert "owner ravi" not in words(at)


def test_every_count_is_a_link_to_its_list(monkeypatch, sample):
    found = links(open_page(monkeypatch, sample))

    assert {"/candidates", "/conflicts", "/today?show=stale", "/candidates?show=contradicts", "/today?show=dates&week=past"} <= set(found)


def test_links_keep_to_the_scope(monkeypatch, sample):
    at = open_page(monkeypatch, sample, scope="acme/funds")

    inside = [link for link in links(at) if link.startswith(("/candidates", "/conflicts", "/today", "/record"))]
    assert inside
    assert all("scope=acme%2Ffunds" in link for link in inside if not link.startswith("/record"))


def test_nothing_is_the_goal_of_the_day(monkeypatch, built):
    url, _ = built(accepted("A", review_at="2999-01-01T00:00:00Z"))

    text = words(open_page(monkeypatch, url))
    assert "Nothing waits for you." in text
    assert "No date falls in the next weeks." in text
    assert "None is past, and none falls in the next 6 weeks." in text


def test_a_reader_is_told_what_they_own_and_no_link_they_may_not_open(monkeypatch, built):
    url, store = built(accepted("A"), artifact("R1", "A", owner="rita", title="The quarter", deliveries=[delivered()]))
    seen = preview_plan(store, "ana", "acme", Plan(Verb.REVOKE, ("A",))).to_json()["fingerprint"]
    commit_plan(store, "ana", "acme", Plan(Verb.REVOKE, ("A",)), seen, "wrong")

    at = open_page(monkeypatch, url, "rita")
    assert "1 thing waits for you." in words(at)
    assert "The quarter delivered · what it rests on was withdrawn by Ana · acme" in words(at)
    assert not any(link.startswith("/record") for link in links(at))
    assert "High-impact actions" not in words(at)


def test_an_auditor_and_a_contributor_are_told_what_concerns_them(monkeypatch, built):
    url, _ = built(candidates=[claim("C1"), claim("C2")])

    assert "You look and decide nothing: 2 candidates and 0 conflicts wait for reviewers." in words(open_page(monkeypatch, url, "olga"))
    assert "2 candidates you had a part in wait for somebody else." in words(open_page(monkeypatch, url, "bot"))


def test_a_plan_that_would_do_something_else_opens_again(monkeypatch, built):
    url, store = built(accepted("A"))
    preview_plan(store, "ana", "acme", Plan(Verb.REVOKE, ("A",)))
    assert "1 plan of yours, not committed, would still do the same." in words(open_page(monkeypatch, url))
    import_lines(store, "operator", encode([accepted("B", on="A")]), reviewed=True)

    at = open_page(monkeypatch, url)
    assert "its result has changed since you looked" in words(at)
    assert "/revoke?tenant=acme&pick=A&do=revoke" in links(at)


# --- questions -----------------------------------------------------------------------------------------------------


@pytest.fixture
def asked(built):
    url, store = built(candidates=[claim("C1"), claim("C2")])
    ask(store, "ben", "acme", "record", "C1", "Is **this** the <b>quarter</b>?", "ana")
    return url, store


def test_a_question_is_answered_right_there_and_waits_no_more(monkeypatch, asked):
    url, store = asked
    at = open_page(monkeypatch, url)
    assert "Is **this** the <b>quarter</b>?" in words(at)
    assert "Ben asks, just now , about pending Candidate subject-C1 · says" in words(at)

    at.text_area[0].set_value("The quarter.")
    press(at, "Answer as Ana")

    assert "Answered. Ben finds it on their page of the day." in words(at)
    assert "Asked of you" not in words(at)
    (found,) = list_my_questions(store, "ben").answered
    assert (found.question.answer, found.question.answered_by) == ("The quarter.", "ana")


def test_an_empty_answer_is_refused_and_the_question_still_waits(monkeypatch, asked):
    url, store = asked
    at = open_page(monkeypatch, url)

    press(at, "Answer as Ana")
    assert "The answer is empty. Nothing was saved." in words(at)
    assert len(list_my_questions(store, "ana").waiting) == 1


def test_a_question_somebody_else_answered_meanwhile_says_so(monkeypatch, asked):
    url, store = asked
    at = open_page(monkeypatch, url)
    answer_question(store, "carl", "acme", 1, "The year.")

    at.text_area[0].set_value("The quarter.")
    press(at, "Answer as Ana")
    assert "Carl answered this question" in words(at)
    assert list_my_questions(store, "ben").answered[0].question.answer == "The year."


def test_a_press_that_follows_too_soon_does_nothing_and_says_so(monkeypatch, asked):
    url, store = asked
    ask(store, "ben", "acme", "record", "C2", "And this?", "ana")
    at = open_page(monkeypatch, url)
    at.text_area[0].set_value("One.")
    at.text_area[1].set_value("Two.")
    press(at, "Answer as Ana")
    monkeypatch.setattr("pages.widgets.decision_guard.QUIET", 3600.0)
    press(at, "Answer as Ana")

    assert "A second press came too soon and was ignored." in words(at)
    assert [one.question.number for one in list_my_questions(store, "ana").waiting] == [2]


def test_an_answer_is_read_once_and_ones_own_question_taken_back(monkeypatch, asked):
    url, store = asked
    answer_question(store, "ana", "acme", 1, "The quarter.")
    at = open_page(monkeypatch, url, "ben")
    assert "Ana answered just now" in words(at)

    press(at, "I have read it")
    assert list_my_questions(store, "ben").answered == ()
    ask(store, "ben", "acme", "record", "C2", "And this?", "ana")
    at = open_page(monkeypatch, url, "ben")
    press(at, "Take it back")
    assert "Taken back. Ana is not asked any more." in words(at)
    assert list_my_questions(store, "ana").waiting == ()


# --- lists ---------------------------------------------------------------------------------------------------------


def test_each_list_says_its_number_and_leads_back(monkeypatch, built):
    url, store = built(
        artifact("ACT", artifact_type="action", impact="high", status="reviewed"), accepted("DUE", review_at="2020-01-01T00:00:00Z"),
        accepted("OLD", status="stale", owner="ana"), candidates=[claim("C1", impact="high")],
    )  # fmt: skip
    queue = list_candidates(store, "ben", Sift())
    assert queue.chosen == ("acme", "C1")
    approve(store, "ben", "acme", "C1", Approval("read"))

    for show, sentence in (
        ("second", "1 record waits for a second approval, yours."), ("stale", "1 record of yours needs re-validation."),
        ("actions", "1 record of high impact is blocked."), ("questions", "0 questions wait for your answer."),
    ):  # fmt: skip
        at = open_page(monkeypatch, url, show=show)
        assert sentence in words(at)
        assert "/today" in links(at)
    assert "1 record was due before today." in words(open_page(monkeypatch, url, show="dates", week="past"))


def test_a_list_or_week_that_is_none_is_said(monkeypatch, sample):
    assert "There is no list rehearsals here. This is the whole day." in words(open_page(monkeypatch, sample, show="rehearsals"))
    assert "Dates are listed for the next weeks only" in words(open_page(monkeypatch, sample, show="dates", week="1999-01-04"))


def test_a_long_list_is_turned_page_by_page(monkeypatch, built):
    url, _ = built(*(accepted(f"S{n}", status="stale", owner="ana") for n in range(60)))

    at = open_page(monkeypatch, url, show="stale")
    assert "1–50 of 60" in words(at)
    following = next(link for link in links(at) if "after=" in link)
    assert "51–60 of 60" in words(open_page(monkeypatch, url, show="stale", after=following.split("after=")[1]))


def test_an_owner_who_may_only_read_is_told_what_to_do_about_what_cannot_be_opened(monkeypatch, sample):
    assert "ask a reviewer of its scope to look at it" in words(open_page(monkeypatch, sample, "olga"))
    assert "ask a reviewer of its scope" not in words(open_page(monkeypatch, sample, "ana"))
