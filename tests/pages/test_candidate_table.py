"""A document's candidates as a table, run without a browser: ticks, approving several, usual terms, questions, reopening."""

from __future__ import annotations

import re
import shutil

import pytest

from store import Approval, amend, approve, ask, create_store, import_lines, list_questions_about, open_store, reject, show_record
from tests.builders import CAST, encode
from tests.four_documents import SCOPE, candidates, ground
from tests.pages.test_candidates import button, open_page, words


@pytest.fixture(scope="module")
def papers(tmp_path_factory):
    """A store with the four documents and their candidates; copied, never written to."""
    path = tmp_path_factory.mktemp("papers") / "papers.db"
    store = create_store(f"sqlite:///{path}")
    for lines, reviewed in (([*CAST, *ground()], True), (candidates(), False)):
        assert import_lines(store, "operator", encode(lines), reviewed=reviewed)["rejected"] == []
    store.close()
    return path


@pytest.fixture
def url(papers, tmp_path):
    for end in ("", "-wal", "-shm", ".ledger"):
        if papers.with_name(papers.name + end).exists():
            shutil.copy(papers.with_name(papers.name + end), tmp_path / f"papers.db{end}")
    return f"sqlite:///{tmp_path}/papers.db"


def markup(at):
    return "".join(element.proto.body for element in at.get("html"))


def rows(at):
    """The ids in the table, in its order, each with whether it is ticked."""
    return {
        re.search(r"candidate=([^&\"]+)", row).group(1): "cg-ticked" in row.split(">")[0] for row in re.findall(r"<tr class=\"cg-row.*?</tr>", markup(at))
    }


def statuses(url, *names):
    store = open_store(url)
    return [show_record(store, "ana", "acme", name)["status"] for name in names]


def press(at, label):
    """Press a button after the silence a decision needs."""
    at.session_state["decision.last_press"] = 0.0
    return button(at, label).click().run()


def test_short_quotes_of_one_document_come_as_a_table_and_the_address_may_say_otherwise(monkeypatch, url):
    at = open_page(monkeypatch, url)
    assert list(rows(at)) == ["revenue", "growth", "operating", "cash", "debt", "employees", "orders", "margin", "dividend", "customers"]
    text = words(at)
    assert "Wren Harbour: Q2 report, version 1" in text
    assert "46,300,000 +4.1 %" in text
    assert "| Revenue | 48,210 | 46,300 |" in text

    assert rows(open_page(monkeypatch, url, view="one")) == {}
    assert rows(open_page(monkeypatch, url, order="oldest")) == {}
    assert "orders" in rows(open_page(monkeypatch, url, order="oldest", view="grid"))
    assert list(rows(open_page(monkeypatch, url, candidate="hours"))) == ["meeting", "warehouse", "vehicles", "leeds-fleet", "prices", "hours", "signatures", "scanner"]


def test_a_table_leads_to_the_documents_beside_it(monkeypatch, sample):
    first = open_page(monkeypatch, sample, view="grid")
    assert "document before" not in markup(first)
    assert re.search(r"candidate=key-lifetime-chat[^>]*>next document", markup(first))
    second = open_page(monkeypatch, sample, view="grid", candidate="key-lifetime-chat")
    assert re.search(r"candidate=silent-close[^>]*>‹ document before", markup(second))
    assert re.search(r"candidate=batch-size[^>]*>next document", markup(second))


def test_those_that_pass_are_ticked_together_and_approved_each_on_its_own(monkeypatch, url):
    at = open_page(monkeypatch, url, document="SECURITY@1")

    press(at, "Tick the 6 that pass")
    assert [name for name, ticked in rows(at).items() if ticked] == ["review-days", "data-place", "told-hours", "recovery", "screened", "certificate"]
    assert "6 ticked: " in words(at)
    assert "On the usual terms, 1 of them: owner noor" in words(at)
    press(at, "Approve the 6 ticked as Ana")

    assert statuses(url, "review-days", "data-place", "told-hours", "recovery", "screened", "certificate", "backups") == ["ACCEPTED"] * 6 + ["CANDIDATE"]
    found = show_record(open_store(url), "ana", "acme", "certificate")
    assert (found["record"]["owner"], found["history"][-1]["actor"]) == ("noor", "ana")
    assert "Approved 6 as Ana" in words(at)
    assert at.query_params["candidate"] in ("backups", ["backups"])


def test_of_several_ticked_those_that_changed_or_were_decided_are_named_and_wait(monkeypatch, url):
    at = open_page(monkeypatch, url, document="SECURITY@1")
    press(at, "Tick the 6 that pass")
    store = open_store(url)
    amend(store, "ben", "acme", "recovery", {"conditions": "on weekdays"})
    reject(store, "ben", "acme", "screened", "rejected", "not so")

    press(at, "Approve the 6 ticked as Ana")

    text = words(at)
    assert "2 were not approved and go on waiting:" in text
    assert "ben rejected northfold · staff screened" in text
    assert "You saw version 1 of recovery" in text
    assert "Approved 4 as Ana" in text
    assert statuses(url, "recovery", "screened", "told-hours") == ["CANDIDATE", "REJECTED", "ACCEPTED"]


def test_a_tick_falls_when_its_row_changes_and_says_so(monkeypatch, url):
    at = open_page(monkeypatch, url, document="SECURITY@1")
    press(at, "Tick")
    assert rows(at)["review-days"]
    amend(open_store(url), "ben", "acme", "review-days", {"conditions": "on weekdays"})

    at.run()

    assert not any(rows(at).values())
    assert "northfold · access review days changed since it was ticked, and is not ticked any more" in words(at)


def test_ticking_walks_on_and_ticking_again_takes_it_back(monkeypatch, url):
    at = open_page(monkeypatch, url, document="SECURITY@1")
    press(at, "Tick")
    assert at.query_params["candidate"] in ("data-place", ["data-place"])
    press(at, "Previous")
    press(at, "Untick")
    assert not any(rows(at).values())


def test_a_press_too_soon_after_ticking_decides_nothing_and_says_so(monkeypatch, url):
    at = open_page(monkeypatch, url, document="SECURITY@1")
    press(at, "Tick the 6 that pass")

    monkeypatch.setattr("pages.widgets.decision_guard.QUIET", 3600.0)
    button(at, "Approve the 6 ticked").click().run()

    assert "A second press came too soon and was ignored" in words(at)
    assert statuses(url, "told-hours") == ["CANDIDATE"]


def test_the_usual_terms_are_shown_before_and_set_with_one_press(monkeypatch, url):
    at = open_page(monkeypatch, url, candidate="insurer", view="one")
    assert "The usual terms set: owner Ben and to be looked at again on" in words(at)
    assert button(at, "Approve as Ana").disabled

    press(at, "On the usual terms")

    found = show_record(open_store(url), "ana", "acme", "insurer")
    assert (found["status"], found["record"]["owner"], found["record"]["review_at"] is not None) == ("ACCEPTED", "ben", True)
    assert found["history"][-1]["reason"] == "Passage read, accepted on the usual terms."


def test_a_contradiction_asks_which_also_on_the_usual_terms(monkeypatch, url):
    at = open_page(monkeypatch, url, candidate="hotel", view="one")

    press(at, "On the usual terms …")
    assert "How is it meant?" in words(at)
    press(at, "From now on")

    assert statuses(url, "hotel", "hotel-150") == ["ACCEPTED", "SUPERSEDED"]
    assert show_record(open_store(url), "ana", "acme", "hotel")["record"]["owner"] == "ben"


def test_the_last_decision_is_taken_back_and_shown_again(monkeypatch, url):
    at = open_page(monkeypatch, url, candidate="hours", view="one")
    assert button(at, "Reopen the last").disabled
    press(at, "Reject …")
    press(at, "Reject it")
    assert statuses(url, "hours") == ["REJECTED"]
    assert "Your last decision" in [one.label for one in at.expander]

    press(at, "Reopen the last")

    assert statuses(url, "hours") == ["CANDIDATE"]
    assert at.query_params["candidate"] in ("hours", ["hours"])
    assert "Reopened support-line · hours; it waits again" in words(at)


def test_what_cannot_be_taken_back_says_why(monkeypatch, url):
    store = open_store(url)
    approve(store, "ana", "acme", "hours", Approval("read"))

    at = open_page(monkeypatch, url, candidate="warehouse", view="one")
    press(at, "Reopen the last")

    assert re.search(r"support-line · hours cannot be reopened: +it replaced another claim, which would be left out", words(at))
    assert statuses(url, "hours") == ["ACCEPTED"]


def test_a_question_is_sent_the_candidate_waits_and_its_answer_is_shown(monkeypatch, url):
    at = open_page(monkeypatch, url, candidate="prices", view="one")
    press(at, "Ask …")
    asked = next(one for one in at.selectbox if one.label == "Whom to ask")
    assert asked.value == "bot"
    asked.set_value("ben").run()
    press(at, "Ask this")

    store = open_store(url)
    (question,) = list_questions_about(store, "ana", "acme", "record", "prices")
    assert (question.of, question.text) == ("ben", "The quote does not say likely. Where does it come from?")
    assert statuses(url, "prices") == ["CANDIDATE"]
    only = open_page(monkeypatch, url, show="asked")
    assert "1 asked about" in words(only)
    assert re.search(r"Ana asked +Ben +just now *: “The quote does not say likely. Where does it come from\?” +No answer yet", words(only))
    ask(store, "ana", "acme", "record", "vehicles", "Twelve?", "carl")
    assert "2 asked about" in words(open_page(monkeypatch, url, show="asked", view="one"))


def test_what_changed_since_the_document_was_read_is_said(monkeypatch, url):
    text = words(open_page(monkeypatch, url, candidate="margin", view="one"))
    assert "A newer version is here and differs: the quote does not occur in version 2 word for word." in text
    text = words(open_page(monkeypatch, url, candidate="revenue", view="one"))
    assert "The document has a version 2 since; the quote stands in it word for word." in text
    assert "+4.1 % from 46,300,000" in text
    assert "the figure of 2026-03-31" in text
    assert "The quote says it at a scale: “48,210”" in text
    assert "The quote does not say this value." in words(open_page(monkeypatch, url, candidate="car", view="one"))


def test_the_counts_of_the_sentence_are_those_of_the_scope_whatever_the_filter(monkeypatch, url):
    for query in ({}, {"document": "MINUTES@1"}, {"kind": "claim"}, {"scope": SCOPE}):
        assert "32 candidates wait for you; 2 would contradict something accepted" in words(open_page(monkeypatch, url, **query))
    assert "8 all" in words(open_page(monkeypatch, url, document="MINUTES@1"))


def test_nobody_approves_together_what_they_had_a_part_in(monkeypatch, url):
    amend(open_store(url), "ana", "acme", "recovery", {"conditions": "on weekdays"})

    at = open_page(monkeypatch, url, document="SECURITY@1")

    press(at, "Tick the 5 that pass")
    assert not rows(at)["recovery"]


def test_a_press_whose_move_was_cut_short_is_finished_when_the_page_is_drawn_again(monkeypatch, url):
    """Streamlit may end a run where it changes the address; the decision stands, the receipt is kept, and the list moves on."""
    at = open_page(monkeypatch, url, candidate="hours", view="one")
    reject(open_store(url), "ana", "acme", "hours", "rejected", "no")
    at.session_state["decision.moving"] = ("hours", ("acme", "signatures"))

    at.run()

    assert at.query_params["candidate"] in ("signatures", ["signatures"])
    assert "Nothing waits here any more" not in words(at)
