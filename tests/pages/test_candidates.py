"""The page of candidates, run without a browser: what each state says, and what its buttons carry."""

from __future__ import annotations

import html
import re

import pytest

from store import Approval, Sift, amend, approve, create_store, import_lines, list_candidates, open_store, reject, show_record, view_candidate
from tests.builders import CAST, GROUND, accepted, claim, encode, evidence, passage, predicate
from tests.pages.opened import opener

open_page = opener("candidates")



def built(tmp_path, *lines, candidates=()):
    """A small store of our own with the cast, reviewed lines and candidates."""
    url = f"sqlite:///{tmp_path}/own.db"
    store = create_store(url)
    assert import_lines(store, "operator", encode([*CAST, *GROUND, *lines]), reviewed=True)["rejected"] == []
    assert import_lines(store, "operator", encode(candidates))["rejected"] == []
    store.close()
    return url


def words(at):
    text = " ".join(re.sub(r"<[^>]+>", " ", element.proto.body if hasattr(element.proto, "body") else "") for element in at.get("html"))
    return re.sub(r"\s+", " ", html.unescape(text))


def button(at, label):
    return next(one for one in at.button if one.label.startswith(label))


def test_the_page_opens_with_one_sentence_and_the_first_that_waits(monkeypatch, sample):
    at = open_page(monkeypatch, sample)

    assert "56 candidates wait for you; 6 would contradict something accepted" in words(at)
    assert "parcelwing/shipments · all calls idempotent" in words(at)


def test_who_may_only_look_is_told_for_whom_it_waits(monkeypatch, sample):
    said = words(open_page(monkeypatch, sample, "mei"))

    assert re.search(r"(\d+) candidates wait for somebody else; \d+ would contradict something accepted.* You may look at \1 of them, and decide nothing\.", said)
    assert "more you may only look at" not in said


def test_keys_are_on_the_buttons(monkeypatch, sample):
    at = open_page(monkeypatch, sample, candidate="batch-size")

    keys = {one.label: one.proto.shortcut for one in at.button if one.proto.shortcut}
    assert {label: key.lower() for label, key in keys.items()} == {
        "Approve as Ana Belcourt": "a", "Reject …": "x", "Ask …": "q", "Suggested: keep it": "w", "Later": "s", "Reopen the last": "u", "Previous": "k", "Next": "j",
    }  # fmt: skip


def test_the_quote_is_marked_and_a_wrong_one_is_shown_at_both_places(monkeypatch, sample):
    good = open_page(monkeypatch, sample, candidate="fernbank-value")
    bodies = "".join(element.proto.body for element in good.get("html"))
    assert "<mark>" in bodies

    wrong = open_page(monkeypatch, sample, candidate="suzhou-deposit")
    assert "The quote does not stand where its span says" in words(wrong)
    assert "The quote really stands here" in words(wrong)
    nowhere = open_page(monkeypatch, sample, candidate="tern-cap")
    assert "It occurs nowhere in this version" in words(nowhere)


def test_a_failed_check_blocks_approval_and_says_so(monkeypatch, sample):
    at = open_page(monkeypatch, sample, candidate="suzhou-head")

    assert button(at, "Approve as").disabled
    assert "3 checks block approval: Extraction recorded, Owner, Review date." in words(at)


def test_terms_make_checks_pass_at_once(monkeypatch, fresh):
    at = open_page(monkeypatch, fresh, candidate="tern-loans")
    assert button(at, "Approve as").disabled

    next(one for one in at.text_input if one.label == "Owner").set_value("ben").run()

    assert not button(at, "Approve as").disabled
    button(at, "Approve as").click().run()
    found = show_record(open_store(fresh), "ana", "acme", "tern-loans")
    assert (found["status"], found["record"]["owner"]) == ("ACCEPTED", "ben")
    assert "1 of 56 decided · 55 candidates left" in words(at)


def test_a_scope_that_is_not_narrower_is_refused_in_the_form(monkeypatch, sample):
    at = open_page(monkeypatch, sample, candidate="batch-size")

    next(one for one in at.text_input if one.label == "Only in a narrower scope").set_value("acme/funds").run()

    assert "acme/funds is not below acme/api" in words(at)


def test_a_second_press_too_soon_is_ignored_and_says_so(monkeypatch, fresh):
    at = open_page(monkeypatch, fresh, candidate="fernbank-value", order="oldest")

    button(at, "Approve as").click().run()
    # A busy machine may take longer to draw than the silence a decision needs.
    monkeypatch.setattr("pages.widgets.decision_guard.QUIET", 3600.0)
    button(at, "Approve as").click().run()

    assert at.query_params["candidate"] in ("line-drawn", ["line-drawn"])
    assert "A second press came too soon and was ignored" in words(at)
    assert show_record(open_store(fresh), "ana", "acme", "line-drawn")["version"] == 1


def test_a_candidate_somebody_decided_meanwhile_names_them_and_the_list_moves_on(monkeypatch, fresh):
    at = open_page(monkeypatch, fresh, candidate="fernbank-value", order="oldest")
    reject(open_store(fresh), "ben", "acme", "fernbank-value", "rejected", "wrong fund")

    button(at, "Approve as").click().run()

    assert re.search(r"ben rejected fernbank-dairy · fair value at .* Your decision was not saved; the list moved on", words(at))
    assert show_record(open_store(fresh), "ana", "acme", "fernbank-value")["status"] == "REJECTED"
    assert at.query_params["candidate"] in ("line-drawn", ["line-drawn"])


def test_a_change_since_it_was_seen_is_shown(monkeypatch, fresh):
    at = open_page(monkeypatch, fresh, candidate="fernbank-value")
    amend(open_store(fresh), "ben", "acme", "fernbank-value", {"value": 1})

    button(at, "Approve as").click().run()

    assert "It changed since you looked. Your decision was not saved." in words(at)
    assert "5900000" in words(at)
    assert show_record(open_store(fresh), "ana", "acme", "fernbank-value")["status"] == "CANDIDATE"


def test_a_contradiction_asks_and_pressing_approve_decides_nothing(monkeypatch, fresh):
    at = open_page(monkeypatch, fresh, candidate="refund-window-chat")
    assert "It would contradict what is accepted: 45 ( refund-window )" in words(at)

    button(at, "Approve as").click().run()

    assert "How is it meant?" in words(at)
    assert "6 records need re-validation, 2 delivered artifacts among what it reaches." in words(at)
    assert [one.label for one in at.button if one.key and one.key.startswith("decision.way.")] == ["From now on", "Only for this task", "Only here", "Ask", "From a day on", "Open a conflict"]
    assert show_record(open_store(fresh), "ana", "acme", "refund-window-chat")["status"] == "CANDIDATE"


def test_a_series_says_what_ends_and_decided_before_names_the_decision(monkeypatch, sample):
    assert "A series: approving ends the validity of eur-usd-q3" in words(open_page(monkeypatch, sample, candidate="eur-usd-oct"))
    before = words(open_page(monkeypatch, sample, candidate="letter-english-again"))
    assert "Decided before. letter-language said the same and was rejected (that task only)" in before


def test_reads_that_are_not_declared_are_judged_one_by_one(monkeypatch, fresh):
    at = open_page(monkeypatch, fresh, candidate="larch-nav-outlook")
    assert "Its task also read 3 records it does not declare" in words(at)
    said = [one for one in at.get("button_group") if one.proto.label == "Used?"] if at.get("button_group") else []
    assert len(said) == 3


def test_the_second_person_sees_the_first(monkeypatch, fresh):
    approve(open_store(fresh), "ana", "acme", "line-drawn", Approval("read it"))

    mine = open_page(monkeypatch, fresh, candidate="line-drawn")
    assert "You approved it. It waits for a second person." in words(mine)
    assert "55 candidates wait for you" in words(mine)
    theirs = open_page(monkeypatch, fresh, "ben", candidate="line-drawn")
    assert "Ana Belcourt approved it just now — “read it”" in words(theirs)
    assert not button(theirs, "Approve as").disabled


def test_who_amended_cannot_approve(monkeypatch, fresh):
    amend(open_store(fresh), "ana", "acme", "fernbank-value", {"conditions": "as at quarter end"})

    at = open_page(monkeypatch, fresh, candidate="fernbank-value")

    assert button(at, "Approve as").disabled
    assert "1 more takes somebody else, because you had a part in it" in words(at)


def test_filters_in_the_address_that_do_not_exist_are_named(monkeypatch, sample):
    assert "The address asks for a filter that does not exist, and it was left out: everything" in words(open_page(monkeypatch, sample, show="everything"))


def test_an_unknown_candidate_an_auditor_and_an_empty_list_are_states_of_their_own(monkeypatch, sample, tmp_path):
    assert "That candidate cannot be shown" in words(open_page(monkeypatch, sample, candidate="nothing-like-it"))
    auditor = open_page(monkeypatch, sample, "mei", candidate="batch-size")
    assert "decides nothing in acme/api: that takes the role of a reviewer there" in words(auditor)
    assert not [one for one in auditor.button if one.label.startswith("Approve")]
    empty = open_page(monkeypatch, built(tmp_path))
    assert "Nothing waits" in words(empty)
    assert "Nothing matches these filters" in words(open_page(monkeypatch, sample, owner="nobody-at-all"))


@pytest.mark.parametrize("person", ["olga", "bot"])
def test_whoever_may_not_see_candidates_is_told_so_and_has_no_bar(monkeypatch, sample, person):
    at = open_page(monkeypatch, sample, person)

    assert "Candidates are not shown to you" in words(at)
    assert "Nothing waits" not in words(at)
    assert not [one for one in at.button if one.label in ("Next", "Previous")]


def test_where_the_quote_really_stands_is_shown_with_few_words_around_it(monkeypatch, sample):
    at = open_page(monkeypatch, sample, candidate="silent-close")
    shown = "".join(element.proto.body for element in at.get("html"))
    before = shown.split("The quote really stands here")[1].split("<mark")[0]

    assert "double the wait each time" in before
    assert "errors and retries" not in before


def test_a_name_or_text_from_outside_is_never_markup(monkeypatch, tmp_path):
    bad = '<img src=x onerror=alert(1)> ![x](http://evil.example/x) $x^2$ :red[x]'
    url = built(tmp_path, evidence("E2", text=f"before {bad} after", version=2), candidates=[
        claim("c1", bad, subject=bad, predicate=bad, statement=bad, task=bad, conditions=bad, speaker=bad, authority=bad, evidence=[passage(bad, "E2", f"before {bad} after")]),
    ])  # fmt: skip
    at = open_page(monkeypatch, url)

    bodies = "".join(element.proto.body for element in at.get("html"))
    assert "<img" not in bodies
    assert "&lt;img src=x onerror=alert(1)&gt;" in bodies
    assert all("evil" not in (one.label or "") for kind in ("button", "text_input", "text_area", "selectbox") for one in at.get(kind))


def test_the_queue_counts_what_its_filters_hold(sample):
    store = open_store(sample)
    whole = list_candidates(store, "ana", Sift())
    for only, count in whole.counts.items():
        some = list_candidates(store, "ana", Sift(only=only))
        assert some.matched == count
        assert len(some.rows) == min(count, 50)
    assert sum(count for _, count in whole.owners) == sum(count for _, count in whole.scopes) == whole.counts["all"] == 56
    assert sum(one.count for one in whole.documents) == 56
    newest, oldest = (list_candidates(store, "ana", Sift(order=order)) for order in ("newest", "oldest"))
    assert [row.id for row in newest.rows] == [row.id for row in reversed([*oldest.rows, *list_candidates(store, "ana", Sift(order="oldest"), oldest.page_after).rows])][:50]


def test_walking_the_list_meets_every_candidate_once(sample):
    store = open_store(sample)
    for sift in (Sift(), Sift(order="newest"), Sift(order="reach"), Sift(scope="acme/funds", kind="claim"), Sift(document="SUPPORT-CHAT@1"), Sift(document="")):
        at, met = list_candidates(store, "ana", sift).chosen, []
        while at is not None:
            met.append(at)
            at = list_candidates(store, "ana", sift, at).after
        assert len(met) == len(set(met)) == list_candidates(store, "ana", sift).matched


def test_a_series_and_a_rival_are_foreseen_as_approval_meets_them(tmp_path):
    url = built(
        tmp_path, predicate("nav", series=True), accepted("old", 1, subject="f", predicate="nav", valid_from="2026-01-01"),
        accepted("later", 3, subject="f", predicate="nav", valid_from="2026-09-01"), accepted("plain", "a", subject="g", predicate="colour"),
        candidates=[claim("mid", 2, subject="f", predicate="nav", valid_from="2026-06-01"), claim("other", "b", subject="g", predicate="colour")],
    )  # fmt: skip
    store = open_store(url)
    mid = view_candidate(store, "ana", "acme", "mid")
    assert ([one.id for one in mid.ends], mid.fits_until, mid.contradicts) == (["old"], "2026-09-01T00:00:00Z", ())
    other = view_candidate(store, "ana", "acme", "other")
    assert [one.id for one in other.contradicts] == ["plain"]
    assert list_candidates(store, "ana", Sift()).counts["contradicts"] == 1
    approve(store, "ana", "acme", "mid", Approval("read"))
    assert show_record(store, "ana", "acme", "old")["record"]["valid_to"] == "2026-06-01T00:00:00Z"
    assert show_record(store, "ana", "acme", "mid")["record"]["valid_to"] == "2026-09-01T00:00:00Z"
