"""A new value for what needs re-validation: a candidate that answers it, and that somebody else decides on (R4)."""

import pytest

from store import propose_answer, view_answer_ground
from tests.builders import (
    TENANT,
    TEXT,
    accepted,
    artifact,
    at,
    carry_out,
    claim,
    decide,
    evidence,
    given,
    is_sound,
    predicate,
    refused,
    reinstating,
    revoking,
    show,
    status,
    suspending,
    told,
)

NEW = TEXT.replace("184,000,000", "181,500,000")
WORDS = "NAV at quarter end was 181,500,000 USD."


def answer(store, id, by="ben", *, operation=None, seen=None, **fields):
    return propose_answer(store, by, TENANT, id, fields, seen=seen, operation=operation)


def ground(store, id="F", by="ben", **how):
    return view_answer_ground(store, by, TENANT, id, **how)


@pytest.fixture
def fallen(desk):
    """F says the NAV; its version was withdrawn, and another version of the source says something else."""
    given(desk, accepted("F", 184_000_000, quote="NAV at quarter end was 184,000,000 USD."), accepted("G", on="F"))
    carry_out(desk, revoking("E1"))
    given(desk, evidence("E2", text=NEW, version=2, captured_at="2026-02-05T09:00:00Z"))
    return desk


def test_a_new_value_with_its_words_is_a_candidate_that_replaces_what_fell_when_somebody_else_approves_it(fallen):
    start = NEW.index(WORDS)
    done = answer(fallen, "F", value=181_500_000, evidence="E2", start=start, end=start + len(WORDS))
    found = show(fallen, done["proposed"])
    assert (found["status"], found["record"]["value"], found["record"]["evidence"][0]["quote"], found["record"]["proposed_by"]) == ("CANDIDATE", 181_500_000, WORDS, "ben")
    assert status(fallen, "F") == "STALE"
    with refused("promotion_checks_failed", "Somebody else must decide"):
        decide(fallen, done["proposed"], by="ben")
    decide(fallen, done["proposed"], by="ana")
    assert (status(fallen, done["proposed"]), status(fallen, "F")) == ("ACCEPTED", "SUPERSEDED")
    assert told(fallen, "subject-F") == ("OK", [done["proposed"]])
    assert is_sound(fallen)


def test_where_its_words_may_be_chosen_is_shown_with_what_stands_there_now(fallen):
    seen = ground(fallen)
    assert (seen.versions, seen.evidence, seen.total, seen.value, seen.answers) == (("E2",), "E2", len(NEW), 184_000_000, ())
    assert seen.text == NEW and seen.start == 0 and seen.quote and NEW[slice(*seen.proposed)] == seen.quote
    assert "181,500,000" in seen.quote
    assert ground(fallen, words=" of the ").places == (NEW.index(" of the "),)
    assert ground(fallen, words="nowhere").places == ()
    assert ground(fallen, evidence="E1").unknown  # it was withdrawn


def test_a_candidate_that_answers_it_already_is_shown_and_not_proposed_twice(fallen):
    first = answer(fallen, "F", value=181_500_000, evidence="E2", start=0, end=10, operation="op-1")
    assert answer(fallen, "F", value=181_500_000, evidence="E2", start=0, end=10, operation="op-1") == first
    (one,) = ground(fallen).answers
    assert (one.id, one.value, one.proposed_by, one.quote) == (first["proposed"], 181_500_000, "ben", NEW[:10])
    with refused("already_decided", first["proposed"]):
        answer(fallen, "F", value=181_500_000, evidence="E2")
    second = answer(fallen, "F", by="carl", value=180_000_000, evidence="E2")
    assert [one.id for one in ground(fallen).answers] == [first["proposed"], second["proposed"]]


def test_an_answer_rests_on_what_still_stands_of_what_the_claim_rested_on(desk):
    given(desk, accepted("A"), accepted("B"), accepted("F", on=["A", "B"]))
    carry_out(desk, suspending("A"))
    assert ground(desk).rests_on == ("B",)
    done = answer(desk, "F", value="y")
    assert show(desk, done["proposed"])["record"]["derived_from"] == ["B"]


def test_an_answer_that_would_rest_on_nothing_is_refused(desk):
    given(desk, accepted("A"), accepted("F", on="A"))
    carry_out(desk, suspending("A"))
    with refused("bad_value", "rests on nothing"):
        answer(desk, "F", value="y")


def test_only_a_stale_claim_is_answered(desk):
    given(desk, accepted("A"), accepted("F", on="A"), artifact("R", "F"))
    with refused("illegal_step", "does not need re-validation"):
        answer(desk, "F", value="y", evidence="E1")
    carry_out(desk, suspending("A"))
    with refused("bad_value", "new edition"):
        answer(desk, "R", value="y")
    with refused("changed_since_seen"):
        answer(desk, "F", value="y", evidence="E1", seen=99)
    carry_out(desk, reinstating("A"))
    with refused("bad_value", "missing"):
        answer(desk, "F", evidence="E1")


def test_words_that_are_not_there_and_versions_not_in_use_are_refused(fallen):
    for fields, code in (
        ({"evidence": "E2", "start": 5, "end": 5}, "bad_value"), ({"evidence": "E2", "start": 0, "end": len(NEW) + 1}, "bad_value"), ({"evidence": "E1"}, "bad_value"),
        ({"evidence": "NONE"}, "not_found"), ({"evidence": "G"}, "bad_value"), ({"evidence": "E2", "colour": 1}, "unknown_field"), ({"evidence": "E2", "valid_from": "soon"}, "bad_value"),
    ):  # fmt: skip
        with refused(code):
            answer(fallen, "F", value=1, **fields)


def test_a_figure_of_another_period_does_not_answer_it(desk):
    given(desk, predicate("nav", series=True), accepted("A"), accepted("F", 1, on="A", subject="fund", predicate="nav", valid_from="2026-01-01T00:00:00Z"))
    given(desk, claim("OTHER", 3, subject="fund", predicate="nav", valid_from="2026-04-01T00:00:00Z"), claim("SAME", 2, subject="fund", predicate="nav", valid_from="2026-01-01T00:00:00Z"), reviewed=False)
    carry_out(desk, suspending("A"))
    assert [one.id for one in ground(desk).answers] == ["SAME"]
    with refused("bad_value", "other dates"):
        answer(desk, "F", value=4, evidence="E1", valid_from="2026-04-01T00:00:00Z")


def test_a_date_that_is_over_is_not_taken_into_the_answer(fallen):
    given(fallen, accepted("H", on="F", review_at="2026-03-01T00:00:00Z", expires_at="2099-05-01T00:00:00Z"))
    line = show(fallen, answer(fallen, "H", value="y", evidence="E2")["proposed"])["record"]
    assert line.get("review_at") is None and at(line["expires_at"]) == at("2099-05-01T00:00:00Z")


def test_who_may_not_see_a_claim_neither_answers_it_nor_sees_where(fallen):
    with refused("not_found"):
        ground(fallen, by="rita")
    with refused("not_allowed"):
        answer(fallen, "F", by="olga", value=1, evidence="E2")
