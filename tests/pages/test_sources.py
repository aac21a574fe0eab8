"""The page of sources, run without a browser."""

from __future__ import annotations

import re

import pytest

from store import Plan, Verb, commit_plan, create_store, import_lines, open_store, preview_plan, show_record
from tests.builders import CAST, accepted, encode, evidence, passage, source
from tests.pages.opened import opener, words

open_page = opener("sources")


OLD = "# Rates\n\nThe rate is 4 percent.\n\nThe fee is 12 euros for each order.\n\nOffices are in Lyon and in Porto.\n"
NEW = "# Rates\n\nOffices are in Lyon and in Porto.\n\nThe rate is 4 percent.\n\nThe fee is 15 euros for each order.\n"


def press(at, label):
    next(button for button in at.button if button.label.startswith(label)).click()
    at.run()
    assert not at.exception, at.exception


def fee(id, quote, text=OLD, **fields):
    return accepted(id, "x", evidence=[passage(quote, "RATES@1", text)], **fields)


@pytest.fixture
def rates(tmp_path):
    """A source with three claims on its only version."""
    url = f"sqlite:///{tmp_path}/own.db"
    store = create_store(url)
    lines = [
        *CAST, source("RATES"), evidence("RATES@1", "RATES", OLD, media_type="text/markdown"), fee("rate", "The rate is 4 percent."),
        fee("fee", "The fee is 12 euros for each order."), fee("office", "Offices are in Lyon and in Porto."),
    ]  # fmt: skip
    result = import_lines(store, "operator", encode(lines), reviewed=True)
    assert result["rejected"] == []
    store.close()
    return url


def arrived(url, text=NEW):
    store = open_store(url)
    lines = [evidence("RATES@2", "RATES", text, media_type="text/markdown", version=2)]
    assert import_lines(store, "operator", encode(lines), reviewed=True)["rejected"] == []
    store.close()


def test_the_list_says_which_source_has_a_newer_version_nobody_sorted(monkeypatch, rates):
    assert "no newer version waits" in words(open_page(monkeypatch, rates))
    arrived(rates)
    told = words(open_page(monkeypatch, rates))
    assert "1 source has a newer version beside the one claims rest on" in told
    assert "newer version, not sorted" in told
    assert "Source RATES" in words(open_page(monkeypatch, rates, only="unsorted"))
    assert "No source is suspended" in words(open_page(monkeypatch, rates, only="suspended"))
    assert "No source holds these words" in words(open_page(monkeypatch, rates, find="nothing like it"))


def test_a_version_is_read_with_its_passages_marked_and_their_claims_beside(monkeypatch, rates):
    at = open_page(monkeypatch, rates, source="RATES")
    told = words(at)
    assert "3 passages are marked" in told
    bodies = "".join(element.proto.body for element in at.get("html"))
    assert re.findall(r"<mark[^>]*>([^<]*)</mark>", bodies) == ["The rate is 4 percent.", "The fee is 12 euros for each order.", "Offices are in Lyon and in Porto."]
    assert "record?record=fee" in bodies


def test_two_versions_stand_side_by_side_with_what_became_of_each_passage(monkeypatch, rates):
    arrived(rates)
    at = open_page(monkeypatch, rates, source="RATES", a="1", b="2")
    told = words(at)
    assert "1 passage changed" in told
    assert "Version 1 beside version 2" in told
    bodies = "".join(element.proto.body for element in at.get("html"))
    assert "<del>12" in bodies
    assert "<ins>15" in bodies
    assert "cs-moved" in bodies


def test_a_version_that_arrived_is_sorted_with_a_new_value_and_committed_as_seen(monkeypatch, rates):
    arrived(rates)
    at = open_page(monkeypatch, rates, source="RATES", tenant="acme", do="recapture")
    press(at, "Sort its passages")
    assert at.query_params["file"]
    assert "1 passage changed" in words(at)
    next(one for one in at.text_input if one.label == "New value of claim fee").set_value("15")
    monkeypatch.setattr("pages.widgets.decision_guard.QUIET", 0.0)
    press(at, "Take these into the plan")
    assert "1 candidate with a new value comes with it" in words(at)
    next(one for one in at.text_area if one.label.startswith("Reason")).set_value("The rates were corrected")
    press(at, "Commit this change")
    assert at.query_params["done"]
    store = open_store(rates)
    assert show_record(store, "ana", "acme", "fee")["status"] == "STALE"
    assert show_record(store, "ana", "acme", "office")["status"] == "ACCEPTED"
    assert show_record(store, "ana", "acme", "RATES@2")["children_count"] == 3
    store.close()


def test_new_values_that_were_typed_are_there_after_a_reload_and_for_nobody_else(monkeypatch, rates):
    arrived(rates)
    monkeypatch.setattr("pages.widgets.decision_guard.QUIET", 0.0)
    at = open_page(monkeypatch, rates, source="RATES", tenant="acme", do="recapture")
    press(at, "Sort its passages")
    place = {name: at.query_params[name] for name in ("source", "tenant", "do", "file", "media")}
    place = {name: value[0] if isinstance(value, list) else value for name, value in place.items()}
    next(one for one in at.text_input if one.label == "New value of claim fee").set_value("15")
    at.run()
    assert "is not in the plan yet" in words(at)

    at = open_page(monkeypatch, rates, **place)
    assert next(one for one in at.text_input if one.label == "New value of claim fee").value == "15"
    assert "comes with it" not in words(at)
    press(at, "Take these into the plan")
    assert "1 candidate with a new value comes with it" in words(open_page(monkeypatch, rates, **place))

    other = open_page(monkeypatch, rates, person="ben", **place)
    assert next(one for one in other.text_input if one.label == "New value of claim fee").value == ""
    assert "comes with it" not in words(other)


def test_a_recapture_that_is_only_looked_at_changes_nothing(monkeypatch, rates):
    arrived(rates)
    store = open_store(rates)
    before = show_record(store, "ana", "acme", "fee")
    at = open_page(monkeypatch, rates, source="RATES", tenant="acme", do="recapture")
    press(at, "Sort its passages")
    assert show_record(store, "ana", "acme", "fee") == before
    store.close()


def test_who_may_only_read_sees_what_is_in_use_and_is_not_told_of_the_rest(monkeypatch, rates):
    told = words(open_page(monkeypatch, rates, person="rita", source="RATES"))
    assert "3 passages are marked" in told
    assert "Put the corrected document in" not in told
    assert "There is nothing to show here" in words(open_page(monkeypatch, rates, source="nobody-knows-it"))


def test_a_place_that_makes_no_sense_is_shown_as_the_newest_version(monkeypatch, rates):
    told = words(open_page(monkeypatch, rates, source="RATES", a="99", b="-1", at="999999999", claim="none", do="dance"))
    assert "The text of version 1" in told


def test_the_preview_of_the_page_is_the_preview_of_the_command_line(rates):
    arrived(rates)
    store = open_store(rates)
    from store import Plan, Verb, keep_version

    kept = keep_version(store, "ana", "acme", "RATES@2")
    found = preview_plan(store, "ana", "acme", Plan(Verb.RECAPTURE, ("RATES",), file=kept.sha256, media_type=kept.media_type))
    assert {one["id"]: one["verdict"] for one in found.passages} == {"fee": "changed", "rate": "moved", "office": "moved"}
    store.close()


def test_the_list_ranks_sources_by_what_hangs_on_them_and_the_page_of_one_says_the_same(monkeypatch, rates):
    store = open_store(rates)
    reached = preview_plan(store, "ana", "acme", Plan(Verb.REVOKE, ("RATES",))).totals["reached"]
    store.close()
    bodies = "".join(element.proto.body for element in open_page(monkeypatch, rates, order="reach").get("html"))
    assert 'href="/revoke?pick=RATES&amp;tenant=acme&amp;do=revoke&amp;tab=affected"' in bodies
    told = words(open_page(monkeypatch, rates, source="RATES"))
    assert f"{reached - 1} records rest on it" in told
    assert "3 with no other support" in told


def test_each_extractor_is_shown_with_what_became_of_its_claims(monkeypatch, rates):
    store = open_store(rates)
    plan = Plan(Verb.REVOKE, ("fee",))
    commit_plan(store, "ana", "acme", plan, preview_plan(store, "ana", "acme", plan).fingerprint, "misread")
    store.close()
    at = open_page(monkeypatch, rates, view="extractors")
    assert not words(at).rstrip().endswith("None")
    told = words(at)
    assert "1 of 3 claims that were accepted had to be corrected later" in told
    assert "reader version 1 3 Proposed 3 Accepted – Rejected 1 · 33 % Corrected later" in told
    bodies = "".join(element.proto.body for element in at.get("html"))
    assert "/revoke?tenant=acme&amp;made=extractor%3Dreader&amp;made=version%3D1&amp;do=suspend" in bodies
    assert "not said" not in words(open_page(monkeypatch, rates, view="extractors", order="name"))


def test_what_changed_far_down_a_long_passage_is_shown_with_the_words_around_it(monkeypatch, tmp_path):
    url = f"sqlite:///{tmp_path}/long.db"
    store = create_store(url)
    clauses = " ".join(f"Clause {n} stays as it is." for n in range(60))
    quote = f"{clauses} The notice period is 30 days. {clauses}"
    text = f"# Terms\n\n{quote}\n"
    lines = [*CAST, source("RATES"), evidence("RATES@1", "RATES", text, media_type="text/markdown"), fee("notice", quote, text)]
    assert import_lines(store, "operator", encode(lines), reviewed=True)["rejected"] == []
    store.close()
    arrived(url, text.replace("30 days", "45 days"))

    at = open_page(monkeypatch, url, source="RATES", a="1", b="2")
    drawn = "".join(element.proto.body for element in at.get("html"))
    pairs = re.findall(r'<div class="cs-pair">(.*?)</div>', drawn, re.DOTALL)
    assert [re.findall(r"<(del|ins)>(.*?)</\1>", pair) for pair in pairs] == [[("del", "30")], [("ins", "45")]]
    assert all("The notice period is" in pair and "Clause 20 " not in pair for pair in pairs)


def test_a_table_json_and_a_page_of_markup_are_read_as_what_they_are(monkeypatch, tmp_path):
    url = f"sqlite:///{tmp_path}/own.db"
    store = create_store(url)
    table, broken, document = 'fund,"fee, net"\nAlpha,"1,2"\n', 'a,b\n1,"2"x\n', '{"fees": [{"fund": "Alpha", "fee": 12}]}'
    page = '<html><body><p data-fee="12">The fee is <b>12</b> euros.</p></body></html>'
    at = page.index("<b>12</b> euros"), page.index('"12"')
    lines = [
        *CAST, source("T"), evidence("T@1", "T", table, media_type="text/csv"), accepted("cell", "x", evidence=[passage("1,2", "T@1", table)]),
        source("X"), evidence("X@1", "X", broken, media_type="text/csv"), source("J"), evidence("J@1", "J", document, media_type="application/json"),
        accepted("value", "x", evidence=[{"evidence": "J@1", "span": {"pointer": "/fees/0/fee"}, "quote": "12"}]),
        source("H"), evidence("H@1", "H", page, media_type="text/html"),
        accepted("seen", "x", evidence=[{"evidence": "H@1", "span": {"start": at[0], "end": at[0] + 15}, "quote": "<b>12</b> euros"}]),
        accepted("unseen", "x", evidence=[{"evidence": "H@1", "span": {"start": at[1], "end": at[1] + 4}, "quote": '"12"'}]),
    ]  # fmt: skip
    assert import_lines(store, "operator", encode(lines), reviewed=True)["rejected"] == []
    store.close()

    def marked(**place):
        at = open_page(monkeypatch, url, **place)
        bodies = "".join(element.proto.body for element in at.get("html"))
        return words(at), re.findall(r"<mark[^>]*>(.*?)</mark>", bodies), bodies

    told, marks, bodies = marked(source="T")
    assert (marks, "<table" in bodies, "fee, net" in told) == (["1,2"], True, True)
    told, _, bodies = marked(source="X")
    assert "It is said to be a table, and from line 2 on it cannot be read as one." in told
    assert "<table" not in bodies
    told, marks, bodies = marked(source="J")
    assert (marks, 'title="/fees/0/fund"' in bodies) == (["12"], True)
    told, marks, bodies = marked(source="H")
    assert marks == ["12 euros", "&quot;12&quot;"]
    assert "1 quote stands in the markup, where nobody reads it" in told
    assert "data-fee=" in told


def test_the_difference_counts_all_passages_also_those_it_does_not_list(monkeypatch, tmp_path):
    url = f"sqlite:///{tmp_path}/own.db"
    store = create_store(url)
    text = "".join(f"Line number {n} of the text says enough to be known again.\n" for n in range(70))
    lines = [
        *CAST, source("M"), evidence("M@1", "M", text), *(accepted(f"m{n}", "x", evidence=[passage(f"Line number {n} of", "M@1", text)]) for n in range(70)),
        evidence("M@2", "M", text + "More.\n", version=2),
    ]  # fmt: skip
    assert import_lines(store, "operator", encode(lines), reviewed=True)["rejected"] == []
    store.close()
    told = words(open_page(monkeypatch, url, source="M", a="1", b="2"))
    assert "What became of the 70 passages bound to version 1:" in told
    assert "70 stand as they were" in told
    assert "and 10 more, not shown here" in told
