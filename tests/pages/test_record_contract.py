"""The life-cycle contract on a record's page: what is there, what is missing, what to do about it, and how the record leaves."""

from __future__ import annotations

import pytest

from store import create_store, import_lines, open_store, show_record
from tests.builders import CAST, GROUND, accepted, check, claim, encode
from tests.pages.opened import opener, words

open_page = opener("record")


@pytest.fixture
def url(tmp_path):
    found = f"sqlite:///{tmp_path}/own.db"
    store = create_store(found)
    lines = [*CAST, *GROUND, accepted("whole", observed_at="2026-01-05T09:00:00Z", confirmed_by="ana"), accepted("bare", owner=None, review_at=None)]
    assert import_lines(store, "operator", encode(lines), reviewed=True)["rejected"] == []
    assert import_lines(store, "operator", encode([claim("waits", owner=None, review_at=None)]))["rejected"] == []
    store.close()
    return found


def test_a_whole_contract_says_every_part_and_how_it_is_removed(monkeypatch, url):
    said = words(open_page(monkeypatch, url, record="whole"))

    assert "Nothing is missing." in said
    for part in ("subject", "tenant", "purpose", "scope", "conditions", "source", "time", "confirmation", "sensitivity", "owner", "expiry or review", "state"):
        assert f" {part} " in said
    assert "how it is removed at its review on 1 Jan 2099; before that by a reviewer of acme, or on request by an admin" in said


def test_what_is_missing_says_what_to_do_and_a_candidate_without_it_cannot_be_accepted(monkeypatch, url):
    said = words(open_page(monkeypatch, url, record="waits"))

    assert "nobody yet missing Set one under Terms when you decide; it cannot be accepted without." in said
    assert "neither a date nor an event missing Set a date under Terms when you decide; it cannot be accepted without." in said
    found = check(open_store(url), "waits")
    assert not found["can_approve"]
    assert {one["name"] for one in found["checks"] if not one["ok"]} == {"owner", "review_date"}


def test_an_accepted_record_without_an_end_is_given_one_on_its_page(monkeypatch, url):
    at = open_page(monkeypatch, url, record="bare")
    assert "nobody yet missing Have it proposed again with it; approving that one replaces this." in words(at)
    assert "neither a date nor an event missing Set a review date below." in words(at)

    next(one for one in at.button if one.label.startswith("Set the review date as")).click().run()

    assert not at.exception
    record = show_record(open_store(url), "ana", "acme", "bare")
    assert (record["record"]["review_at"] is not None, record["history"][-1]["reason"]) == (True, "It had no review date.")
    assert "bare is looked at again on" in words(at)
    assert not [one for one in at.button if one.label.startswith("Set the review date as")]


def test_who_may_not_decide_is_told_whom_to_ask(monkeypatch, url):
    at = open_page(monkeypatch, url, "olga", record="bare")

    assert "Ask a reviewer of its scope for a date." in words(at)
    assert not [one for one in at.button if one.label.startswith("Set the review date as")]
