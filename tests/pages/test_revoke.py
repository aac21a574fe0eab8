"""The page that revokes, run without a browser: what each state says. Clicks and refusals are in tests/browser."""

from __future__ import annotations

import re

import pytest

from store import Plan, Verb, commit_plan, load_plan_result, open_store, preview_plan
from tests.pages.opened import opener

open_page = opener("revoke")



def words(at):
    return " ".join(re.sub(r"<[^>]+>", " ", element.proto.body if hasattr(element.proto, "body") else "") for element in at.get("html")).replace("&#x27;", "'")


def test_nothing_chosen_says_that_nothing_changes_and_suggests(monkeypatch, sample):
    at = open_page(monkeypatch, sample)

    assert "Choose what turned out to be wrong" in words(at)
    assert "What most rests on" in words(at)
    assert "Out of use for now" in words(at)


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ({"find": "larch"}, "Larch Hollow Fund III: report Q3 2026"),
        ({"find": "zzzz nothing like it"}, "Nothing found"),
        ({"pick": "LARCH-Q3", "do": "revoke"}, "takes 34 records out of use"),
        ({"pick": "LARCH-Q3", "do": "suspend"}, "Stopping the use of"),
        ({"pick": "LARCH-Q3"}, "Stopping the use of"),
        ({"pick": "LARCH-Q3", "do": "reinstate"}, "This cannot be done"),
        ({"pick": "outage-call", "do": "reinstate"}, "again"),
        ({"pick": "nobody-knows-it", "do": "revoke"}, "that you may see"),
        ({"pick": ["LARCH-Q3", "REFUND-POLICY"], "do": "revoke"}, "Refund policy of Acme Stationers"),
        ({"pick": "LARCH-Q3", "do": "revoke", "tab": "conflicts"}, "Gets other sides"),
        ({"pick": "LARCH-Q3", "do": "revoke", "tab": "affected"}, "Together 34 records, which is all of them"),
        ({"pick": "LARCH-Q3", "do": "revoke", "page": "99"}, "What is Larch Hollow III worth?"),
        ({"done": "99999"}, "no committed plan"),
    ],
)  # fmt: skip
def test_each_state_says_what_is_so(monkeypatch, sample, query, says):
    at = open_page(monkeypatch, sample, **query)

    assert says in words(at)


@pytest.mark.parametrize(("person", "says"), [("mei", "You can look, and not commit"), ("olga", "may not revoke LARCH-Q3")])
def test_without_the_right_there_is_no_button_to_commit(monkeypatch, sample, person, says):
    at = open_page(monkeypatch, sample, person=person, pick="LARCH-Q3", do="revoke")

    assert says in words(at)
    assert not [button for button in at.button if button.label.startswith("Withdraw")]


def test_the_button_says_what_and_as_whom(monkeypatch, sample):
    at = open_page(monkeypatch, sample, pick="LARCH-Q3", do="revoke")

    assert [button.label for button in at.button if "34 records" in button.label] == ["Withdraw 34 records as Ana Belcourt"]


def test_a_small_plan_asks_for_a_reason_only(monkeypatch, sample):
    at = open_page(monkeypatch, sample, pick="VALUER-LETTER", do="suspend")

    assert not at.checkbox
    assert not at.get("selectbox")
    assert len(at.text_area) == 1


def test_committing_leads_to_a_result_that_is_read_back_from_its_event(monkeypatch, fresh):
    at = open_page(monkeypatch, fresh, pick="VALUER-LETTER", do="revoke")
    at.text_area[0].set_value("The letter was withdrawn")
    button = next(button for button in at.button if button.label.startswith("Withdraw"))
    button.click().run()

    assert not at.exception
    assert "withdrew" in words(at)
    seq = int(at.query_params["done"][0] if isinstance(at.query_params["done"], list) else at.query_params["done"])
    again = open_page(monkeypatch, fresh, tenant="acme", done=str(seq))
    assert "predicted" in words(again)
    assert "The letter was withdrawn" in words(again)


def test_a_reason_why_nobody_is_told_is_enough_without_choosing_so_as_well(monkeypatch, fresh):
    at = open_page(monkeypatch, fresh, pick="LARCH-Q3", do="suspend")
    next(field for field in at.text_input if "told of artifact 1" in field.label).set_value("an agent made it for itself")
    next(field for field in at.text_input if field.label.startswith("Type 5")).set_value("5")
    at.text_area[0].set_value("The report is being looked into")
    at.checkbox[0].check()
    next(button for button in at.button if button.label.startswith("Stop using")).click().run()

    assert not at.exception
    assert "Nothing was changed" not in words(at)
    assert re.search(r"answer-larch-nav\s+stays without owner: an agent made it for itself", words(at))
    assert '{"answer' not in words(at)
    assert "191,400,000" in words(at)


def test_a_result_says_what_was_predicted_what_happened_and_who_is_told(fresh):
    store = open_store(fresh)
    plan = Plan(Verb.REVOKE, ("LARCH-Q3",))
    seen = preview_plan(store, "ana", "acme", plan, rows=0)
    done = commit_plan(store, "ana", "acme", plan, seen.fingerprint, "restated", owners={"answer-larch-nav": "olga"})
    result = load_plan_result(store, "ana", "acme", done["event"])
    store.close()

    assert result.predicted == result.actual == 34 == sum(cell["count"] for cell in result.cells)
    assert sum(len(rows) for rows in result.notices.values()) == 10
    assert len(result.notices) == 7
    assert [one["now"] for one in result.sample] == ["MISSING"] * 3
    assert result.owners == {"answer-larch-nav": "olga"}
    assert result.blocked_count == 4


def test_what_made_them_picks_records_with_their_number_before_anything_is_chosen(monkeypatch, sample):
    at = open_page(monkeypatch, sample, tenant="acme", by="made")
    extractor = next(one for one in at.text_input if one.label == "Extractor")
    extractor.set_value("nobody-knows-it").run()
    assert "Nothing you may see was made so" in words(at)
    version = next(one for one in at.text_input if one.label == "Version of the extractor")
    next(one for one in at.text_input if one.label == "Extractor").set_value("").run()
    version = next(one for one in at.text_input if one.label == "Version of the extractor")
    version.set_value("1").run()
    assert "name the extractor as well" in words(at)
    assert not at.exception


def test_a_plan_about_what_something_made_says_in_words_what_it_takes_in(monkeypatch, sample):
    made = ["extractor=table-reader", "version=2.1", "since=2020-01-31", "until=2099-12-31", "scope=acme"]
    said = " ".join(words(open_page(monkeypatch, sample, tenant="acme", do="suspend", made=made)).split())
    everything = r"everything read by extractor table-reader, version 2\.1 ?, recorded since 31 Jan 2020 and before 31 Dec 2099 ?, in the scope acme"
    assert re.search(rf"{everything} change", said)
    assert re.search(rf"Stopping the use of {everything} takes", said)
