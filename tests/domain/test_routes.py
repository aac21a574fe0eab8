"""Each candidate gets a route suggested by who said what about whom, with the three questions (second article)."""

import pytest

from store.domain.detection import find_sensitive
from store.domain.records import Claim
from store.domain.routes import suggest_route
from store.domain.times import parse_stated_time
from store.domain.values import Predicate
from store.domain.watch_words import words_of

DAY = 86_400_000_000
AT = parse_stated_time("2026-07-01T00:00:00Z")


def suggested(value="short answers", subject="person:lea", predicate="prefers", policy=None, about=None, **fields):
    record = Claim("C1", fields.pop("scope", "acme/briefs"), subject, predicate, value, **fields)
    declared = Predicate("acme", predicate, about=about) if about else None
    policy = policy or {}
    return suggest_route(record, declared, find_sensitive(record, words_of(policy)), policy)


@pytest.mark.parametrize(
    ("fields", "route", "why"),
    [
        ({"claim_type": "preference", "speaker": "lea"}, "durable", "own_words"),
        ({"claim_type": "preference", "confirmed_by": "lea"}, "durable", "confirmed"),
        ({"claim_type": "inference", "speaker": "lea"}, "not_durable", "inference"),
        ({"speaker": "ben"}, "not_durable", "others_words"),
        ({}, "not_durable", "others_words"),
        ({"speaker": "lea", "statement": "Just this once, in English."}, "session_only", "one_off"),
        ({"speaker": "lea", "statement": "这次用英文写。"}, "session_only", "one_off"),
        ({"speaker": "lea", "statement": "今后所有内部简报改用中文段落，这次也是。"}, "durable", "own_words"),
        ({"speaker": "lea", "task": "t-9", "purposes": ("t-9",)}, "session_only", "one_off"),
        ({"speaker": "lea", "valid_from": AT, "valid_to": AT + DAY}, "session_only", "short"),
        ({"subject": "city:lyon", "predicate": "weather"}, "not_durable", "looked_up"),
        ({"subject": "fund:17", "predicate": "nav"}, "durable", "sourced"),
        ({"value": "has diabetes", "speaker": "lea"}, "sensitive", "flagged"),
        ({"value": "ghp_4kT9vQ2mXbL7nR1sYw8cZe5Ud3Ha6Jf0PgKi", "subject": "service:ci"}, "sensitive", "flagged"),
        ({"speaker": "lea", "sensitivity": "sensitive"}, "sensitive", "marked"),
        ({"subject": "lea", "about": "person"}, "not_durable", "others_words"),
    ],
)
def test_the_first_reason_that_holds_names_the_route(fields, route, why):
    found = suggested(**fields)

    assert (found.route, found.why) == (route, why)
    assert found.reason.endswith(".")


def test_the_reason_of_a_flagged_value_does_not_repeat_it():
    assert "diabetes" not in suggested("has diabetes", speaker="lea").reason


def test_a_policy_that_keeps_sensitive_details_and_names_the_types_it_keeps_is_followed():
    assert suggested("has diabetes", speaker="lea", policy={"sensitivities": ["sensitive"]}).route == "durable"
    assert suggested("hunter2!x9", predicate="password", subject="service:ci", policy={"sensitivities": ["sensitive"]}).route == "sensitive"
    assert suggested(speaker="lea", claim_type="suggestion", policy={"kept_types": ["fact", "preference"]}).why == "type_not_kept"


def test_the_three_questions_are_answered_from_the_records_own_fields_and_else_by_nobody():
    bare = {one.question: dict(one.told) for one in suggested(speaker="lea").answers}
    full = suggested(speaker="lea", purposes=("briefs",), conditions="internal only", expires_at=AT, revalidate_on=("project_end",))

    assert bare == {"improves": {}, "about": {"subject": "person:lea"}, "lapses": {}}
    assert {one.question: dict(one.told) for one in full.answers} == {
        "improves": {"purposes": "briefs", "conditions": "internal only"}, "about": {"subject": "person:lea"},
        "lapses": {"expires_at": "2026-07-01T00:00:00Z", "revalidate_on": "project_end"},
    }  # fmt: skip


def test_keeping_asks_for_a_scope_where_it_would_hold_everywhere_and_for_an_end_where_it_has_none():
    wide = suggested(speaker="lea", scope="acme", claim_type="preference", policy={"lifetimes": {"preference": 180}})

    assert (wide.asks, wide.days) == (("scope", "expiry"), 180)
    assert suggested(speaker="lea", expires_at=AT).asks == ()
