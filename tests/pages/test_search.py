"""The page that asks as an agent would, run without a browser: what each state says."""

from __future__ import annotations

import re
from html import unescape

import pytest

from tests.pages.opened import opener

open_page = opener("search", "mei")

QUESTION = {"as": "bot", "in": "acme/api", "subject": "parcelwing/shipments"}


def words(at):
    return unescape(" ".join(re.sub(r"<[^>]+>", " ", element.proto.body) for element in at.get("html")))


def plain(at):
    return re.sub(r" ([.,:;])", r"\1", " ".join(words(at).split()))


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ({}, "See exactly what a person or an agent would be told"),
        ({"in": "acme/api"}, "Some that can be asked here"),
        ({**QUESTION, "predicate": "key_lifetime_hours"}, "Research agent would be told 1 claim."),
        ({**QUESTION, "predicate": "key_lifetime_hours"}, "Not told, but worth knowing"),
        ({**QUESTION, "predicate": "key_lifetime_hours"}, "not logged as an answer to an agent"),
        ({**QUESTION, "predicate": "median_ms"}, "has expired."),
        ({**QUESTION, "predicate": "workers_allowed"}, ", which has expired."),
        ({**QUESTION, "predicate": "key_life"}, "Questions that begin so"),
        ({**QUESTION, "subject": "parcelwing/cancel", "predicate": "repeat_is_harmless"}, "contested, with all its sides"),
        ({**QUESTION, "in": "acme/support/cn", "subject": "hardware", "predicate": "refund_window_days"}, "Overridden by a nearer scope 1"),
        ({**QUESTION, "in": "acme/support", "subject": "team-lead", "predicate": "goodwill_limit", "which": "currency=USD"}, "kept for support, audit only"),
        ({**QUESTION, "in": "acme/support", "subject": "team-lead", "predicate": "goodwill_limit", "which": "currency=USD", "purpose": "audit"}, "told 1 claim."),
        ({**QUESTION, "in": "acme/support", "subject": "team-lead", "predicate": "goodwill_limit", "which": "currency=USD", "purpose": "sales"}, "not for this purpose"),
        ({**QUESTION, "predicate": "key_lifetime_hours", "at": "2026-09-30"}, "as of 30 Sep 2026: what held then, by what is known now. Nothing can be decided here."),
        ({**QUESTION, "as": "desk-agent", "predicate": "key_lifetime_hours"}, "holds no role that lets it read acme/api"),
        ({**QUESTION, "as": "nobody", "predicate": "key_lifetime_hours"}, "Nobody called 'nobody' holds a role in acme"),
        ({**QUESTION, "predicate": "key_lifetime_hours", "at": "yesterday"}, "cannot be read. Nothing was asked"),
        ({**QUESTION, "predicate": "key_lifetime_hours", "which": "currency"}, "cannot be read. Nothing was asked"),
        ({"as": "bot", "in": "acme/support", "by": "words", "find": "refund"}, "would find 4 records."),
        ({"as": "bot", "in": "acme/support", "by": "words", "find": "zzzz"}, "No usable record holds all of these words"),
        ({**QUESTION, "predicate": "<img src=x onerror=alert(1)>"}, "Nothing was ever recorded"),
    ],
)  # fmt: skip
def test_every_state_says_what_is_so(monkeypatch, sample, query, says):
    at = open_page(monkeypatch, sample, **query)

    assert says in plain(at)
    assert "<img" not in "".join(element.proto.body for element in at.get("html"))


def test_who_may_look_into_nothing_is_told_so_and_asks_nothing(monkeypatch, sample):
    at = open_page(monkeypatch, sample, "olga", **QUESTION, predicate="key_lifetime_hours")

    assert "There is no scope you may look into" in plain(at)
    assert "key_lifetime" not in plain(at)
    assert not at.text_input


def test_a_question_that_is_typed_becomes_the_address_and_a_wrong_one_stays_in_its_fields(monkeypatch, sample):
    at = open_page(monkeypatch, sample)
    at.selectbox(key="ask.who").set_value("bot")
    at.selectbox(key="ask.within").set_value("acme/api")
    at.text_input(key="ask.subject").set_value("parcelwing/shipments")
    at.text_input(key="ask.at").set_value("soon")
    at.button[0].click().run()

    assert "Nothing was asked." in plain(at)
    assert "A question needs a subject and a predicate." in plain(at)
    assert "The time is not one." in plain(at)
    assert at.text_input(key="ask.subject").value == "parcelwing/shipments"
    assert "subject" not in at.query_params

    at.text_input(key="ask.at").set_value("")
    at.text_input(key="ask.predicate").set_value("key_lifetime_hours")
    at.button[0].click().run()

    assert "would be told 1 claim" in plain(at)
    assert at.query_params["subject"] == "parcelwing/shipments"
