"""How a statement is meant that differs from an accepted one, decided on the page: the second article's first case, and what asking does."""

from __future__ import annotations

import html
import re
import time

import pytest

from store import Question, answer_question, create_store, import_lines, open_store, read_claims, show_record
from tests.builders import CAST, GROUND, accepted, claim, encode
from tests.pages.opened import opener

open_page = opener("candidates")
BRIEFS, LETTERS = "acme/briefs", "acme/letters"
ASKS = {"subject": "author", "predicate": "format", "claim_type": "preference", "confirmed_by": "ana"}


@pytest.fixture
def url(tmp_path):
    """The author's wish is accepted for internal briefs; three newer statements wait."""
    found = f"sqlite:///{tmp_path}/own.db"
    store = create_store(found)
    lines = [*CAST, *GROUND, accepted("points", "简洁的中文要点", scope=BRIEFS, **ASKS)]
    waits = [
        claim("letter", "formal English letter", scope=BRIEFS, **ASKS), claim("paragraphs", "中文段落，不要列要点", scope=BRIEFS, **ASKS),
        claim("vague", "maybe a table", scope=BRIEFS, **{**ASKS, "owner": None}),
    ]  # fmt: skip
    assert import_lines(store, "operator", encode(lines), reviewed=True)["rejected"] == []
    assert import_lines(store, "operator", encode(waits))["rejected"] == []
    store.close()
    return found


def words(at):
    text = " ".join(re.sub(r"<[^>]+>", " ", element.proto.body if hasattr(element.proto, "body") else "") for element in at.get("html"))
    return re.sub(r"\s+", " ", html.unescape(text))


def press(at, label):
    at.session_state["decision.last_press"] = time.monotonic() - 5
    next(one for one in at.button if one.label.startswith(label)).click().run()
    assert not at.exception
    return at


def statuses(url, *ids):
    return [show_record(open_store(url), "ana", "acme", id)["status"] for id in ids]


def told(url, scope=BRIEFS, by="rita"):
    answer = read_claims(open_store(url), by, Question(scope, "author", "format"))
    return answer["result"], [one["value"] for one in answer["claims"]]


def test_each_way_says_what_is_read_next_before_it_is_pressed(monkeypatch, url):
    at = press(open_page(monkeypatch, url, candidate="paragraphs", view="one"), "How is it meant")

    assert "It says 中文段落，不要列要点 ; accepted is 简洁的中文要点 ( points )." in words(at)
    assert "It replaces the accepted one, and each names the other. Nothing accepted falls with it. Read next: " in words(at)
    assert "It is kept out of what is remembered. Nothing accepted changes. Read next, as now:" in words(at)
    keys = {one.label: one.proto.shortcut for one in at.button if one.key and one.key.startswith("decision.way.")}
    assert keys == {"From now on": "1", "Only for this task": "2", "Only here": "3", "Ask": "4", "From a day on": "5", "Open a conflict": "6"}


def test_a_letter_of_once_leaves_the_lasting_wish_as_it_is(monkeypatch, url):
    at = press(open_page(monkeypatch, url, candidate="letter", view="one"), "Approve as")
    press(at, "Only for this task")

    assert statuses(url, "letter", "points") == ["REJECTED", "ACCEPTED"]
    assert told(url) == ("OK", ["简洁的中文要点"])
    decision = show_record(open_store(url), "ana", "acme", "letter")["history"][-1]
    assert decision["reason"] == "It holds for that task only."
    assert "A new session does not get letter any more, by read, search or cached answer." in words(at)


def test_from_now_on_replaces_it_and_a_new_session_is_looked_at_at_once(monkeypatch, url):
    at = press(open_page(monkeypatch, url, candidate="paragraphs", view="one"), "Approve as")
    press(at, "From now on")

    assert statuses(url, "paragraphs", "points") == ["ACCEPTED", "SUPERSEDED"]
    assert show_record(open_store(url), "ana", "acme", "points")["superseded_by"] == "paragraphs"
    assert told(url) == ("OK", ["中文段落，不要列要点"])
    assert told(url, LETTERS) == ("MISSING", [])
    assert "A new session does not get points any more, by read, search or cached answer." in words(at)
    assert "Read in acme/briefs : OK; retrieved paragraphs" in words(at)


def test_only_here_names_its_scope_and_says_what_is_read_in_both(monkeypatch, url):
    at = press(open_page(monkeypatch, url, candidate="letter", view="one"), "How is it meant")
    press(at, "Only here")
    assert statuses(url, "letter") == ["CANDIDATE"]
    assert "Type the narrower scope beside “Only here”, then press it again. Nothing was decided." in words(at)
    press(at, "How is it meant") if not [one for one in at.button if one.label == "Only here"] else None

    next(one for one in at.text_input if one.label == "Scope it holds in").set_value("acme/briefs/northwind").run()
    assert "acme/briefs/northwind : formal English letter" in words(at)
    press(at, "Only here")

    assert statuses(url, "letter", "points") == ["ACCEPTED", "ACCEPTED"]
    assert (told(url), told(url, "acme/briefs/northwind")) == (("OK", ["简洁的中文要点"]), ("OK", ["formal English letter"]))


def test_asking_works_though_its_checks_fail_and_the_answer_comes_back_here(monkeypatch, url):
    at = open_page(monkeypatch, url, candidate="vague", view="one")
    assert next(one for one in at.button if one.label.startswith("Approve as")).disabled
    press(at, "How is it meant")
    assert "Its checks do not pass yet, so it cannot be approved." in words(at)
    assert "The accepted one is out of use at once; this one goes on waiting with the question." in words(at)

    press(at, "Ask")

    assert statuses(url, "vague", "points") == ["CANDIDATE", "DISPUTED"]
    assert told(url) == ("MISSING", [])
    answer_question(open_store(url), "ben", "acme", 1, "Only in that one talk.")
    back = open_page(monkeypatch, url, candidate="vague", view="one")
    assert "Only in that one talk." in words(back)
    assert "points is out of use already. Unless it is replaced here, take it back into use once it is clear." in words(press(back, "How is it meant"))
    assert "author · format holds for that task only; points is still out of use" in words(press(back, "Only for this task"))


def test_who_asked_how_both_are_meant_is_told_whom_and_the_candidate_says_that_it_is_set_aside(monkeypatch, url):
    asked = press(press(open_page(monkeypatch, url, candidate="paragraphs", view="one"), "How is it meant"), "Ask")
    said = words(open_page(monkeypatch, url, candidate="paragraphs", view="one"))

    assert "Asked Adam how author · format is meant" in words(asked)
    assert "It is set aside until somebody settles it: its record says what waits." in said


def test_a_candidate_that_differs_from_a_broader_rule_asks_too(monkeypatch, tmp_path):
    url = f"sqlite:///{tmp_path}/wide.db"
    store = create_store(url)
    import_lines(store, "operator", encode([*CAST, *GROUND, accepted("wide", "points", scope="acme", **ASKS)]), reviewed=True)
    import_lines(store, "operator", encode([claim("narrow", "paragraphs", scope=BRIEFS, **ASKS)]))

    at = open_page(monkeypatch, url, candidate="narrow", view="one")
    assert "It differs from what holds for all of acme : points ( wide ). Approving asks how it is meant." in words(at)
    press(at, "Approve as")
    assert next(one for one in at.button if one.label == "From now on").disabled
    press(at, "Only here")

    assert statuses(url, "narrow", "wide") == ["ACCEPTED", "ACCEPTED"]
    assert (told(url), told(url, "acme")) == (("OK", ["paragraphs"]), ("OK", ["points"]))


def test_a_veiled_value_stays_behind_its_veil_in_the_question_of_how_it_is_meant(monkeypatch, tmp_path):
    url = f"sqlite:///{tmp_path}/veiled.db"
    store = create_store(url)
    import_lines(store, "operator", encode([*CAST, *GROUND, accepted("old", "allergic to nuts", scope=BRIEFS, sensitivity="sensitive", **ASKS)]), reviewed=True)
    import_lines(store, "operator", encode([claim("new", "allergic to fish", scope=BRIEFS, sensitivity="sensitive", **ASKS)]))

    at = press(open_page(monkeypatch, url, candidate="new", view="one"), "How is it meant")

    shown = words(at) + " ".join(str(one.value) for one in at.text_input)
    assert "How is it meant? It says veiled ; accepted is veiled ( old )." in shown
    assert "allergic" not in shown
    ways = {one.label: one.disabled for one in at.button if one.key and one.key.startswith("decision.way.")}
    assert {name for name, off in ways.items() if not off} <= {"Only for this task", "Ask"}
    assert "Show it first (V)." in shown


def test_the_first_case_of_the_article_is_played_on_the_sample_from_proposal_to_a_new_session(monkeypatch, fresh):
    def told_now(scope, predicate):
        answer = read_claims(open_store(fresh), "operator", Question(scope, "person:lin-yue", predicate))
        return answer["result"], [one["value"] for one in answer["claims"]]

    assert told_now("acme/briefs", "brief_format") == ("OK", ["中文要点"])
    once = open_page(monkeypatch, fresh, candidate="letter-english", view="one")
    press(once, "Reject …")
    press(once, "This task only")
    assert told_now("acme/letters", "letter_language") == ("MISSING", [])
    assert told_now("acme/briefs", "brief_format") == ("OK", ["中文要点"])

    lasting = press(open_page(monkeypatch, fresh, candidate="brief-paragraphs", view="one"), "Approve as")
    assert "acme/briefs : 中文段落" in words(lasting)
    press(lasting, "From now on")

    assert statuses(fresh, "brief-bullets", "brief-paragraphs") == ["SUPERSEDED", "ACCEPTED"]
    assert told_now("acme/briefs", "brief_format") == ("OK", ["中文段落"])
    said = words(lasting)
    assert "A new session does not get brief-bullets any more, by read, search or cached answer." in said
    about = opener("about")(monkeypatch, fresh, subject="person:lin-yue", tenant="acme", show="person")
    assert "1 earlier statement was replaced by a newer one." in words(about)
