"""Approving what contradicts, follows in a series, or answers (R4)."""

import pytest

from tests.builders import (
    accepted,
    at,
    carry_out,
    check,
    claim,
    conflicts,
    decide,
    given,
    is_sound,
    predicate,
    refused,
    revoking,
    show,
    sides,
    status,
    statuses,
    suspending,
    told,
)

# --- R4: approving what would contradict ---------------------------------------------------------------------------


def rivals(desk, **fields):
    given(desk, accepted("OLD", "x", subject="s", valid_from="2026-01-01"), accepted("DEP", on="OLD"), claim("NEW", "y", subject="s", valid_from="2026-01-01", **fields))


def test_a_contradiction_is_refused_until_the_decision_says_which_it_is(desk):
    rivals(desk)

    with refused("would_contradict", "OLD"):
        decide(desk, "NEW")
    assert check(desk, "NEW")["contradicts"] == ["OLD"]
    assert statuses(desk, "OLD", "DEP", "NEW") == {"OLD": "ACCEPTED", "DEP": "ACCEPTED", "NEW": "CANDIDATE"}


def test_it_may_replace_the_other(desk):
    rivals(desk)

    decide(desk, "NEW", replaces="OLD")
    assert statuses(desk, "OLD", "DEP", "NEW") == {"OLD": "SUPERSEDED", "DEP": "STALE", "NEW": "ACCEPTED"}
    assert show(desk, "OLD")["superseded_by"] == "NEW"
    assert len({show(desk, id)["history"][-1]["seq"] for id in ("OLD", "DEP", "NEW")}) == 1
    assert told(desk, "s") == ("OK", ["NEW"])
    assert is_sound(desk)


def test_it_may_replace_the_other_from_a_date_and_what_rests_on_that_stays(desk):
    rivals(desk)

    decide(desk, "NEW", replaces="OLD", replaces_from=at("2026-06-01"))
    assert statuses(desk, "OLD", "DEP", "NEW") == {"OLD": "ACCEPTED", "DEP": "ACCEPTED", "NEW": "ACCEPTED"}
    assert show(desk, "OLD")["record"]["valid_to"] == "2026-06-01T00:00:00Z"
    assert told(desk, "s", at="2026-05-31T23:59:59Z") == ("OK", ["OLD"])
    assert told(desk, "s", at="2026-06-01T00:00:00Z") == ("OK", ["NEW"])
    assert conflicts(desk) == []
    assert is_sound(desk)


@pytest.mark.parametrize("date", ["2025-06-01", "2026-01-01"])
def test_a_date_at_which_the_other_does_not_hold_yet_is_refused(desk, date):
    rivals(desk)

    with refused("bad_value"):
        decide(desk, "NEW", replaces="OLD", replaces_from=at(date))


def test_replacing_from_a_date_never_leaves_a_claim_that_ends_before_it_begins(desk):
    rivals(desk, valid_to="2026-03-01")

    with refused("bad_value"):
        decide(desk, "NEW", replaces="OLD", replaces_from=at("2026-06-01"))
    assert statuses(desk, "OLD", "NEW") == {"OLD": "ACCEPTED", "NEW": "CANDIDATE"}


def test_it_may_stand_beside_the_other_in_a_narrower_scope(desk):
    rivals(desk)

    decide(desk, "NEW", terms={"scope": "acme/api"})
    assert statuses(desk, "OLD", "DEP", "NEW") == {"OLD": "ACCEPTED", "DEP": "ACCEPTED", "NEW": "ACCEPTED"}
    assert conflicts(desk) == []
    assert told(desk, "s") == ("OK", ["OLD"])
    assert told(desk, "s", scope="acme/api") == ("OK", ["NEW"])


def test_it_may_open_a_conflict(desk):
    rivals(desk)

    decide(desk, "NEW", open_conflict=True)
    assert sides(desk) == [["NEW", "OLD"]]
    assert statuses(desk, "OLD", "DEP", "NEW") == {"OLD": "ACCEPTED", "DEP": "ACCEPTED", "NEW": "ACCEPTED"}
    assert told(desk, "s") == ("CONFLICT", ["NEW", "OLD"])


def test_replacing_one_of_two_still_contradicts_the_other(desk):
    rivals(desk)
    given(desk, accepted("THIRD", "z", subject="s", valid_from="2026-01-01"))

    with refused("would_contradict", "THIRD"):
        decide(desk, "NEW", replaces="OLD")
    assert status(desk, "OLD") == "ACCEPTED"


def test_a_disputed_claim_is_contradicted_too(desk):
    rivals(desk)
    carry_out(desk, suspending("OLD"))

    with refused("would_contradict", "OLD"):
        decide(desk, "NEW")
    decide(desk, "NEW", replaces="OLD")
    assert status(desk, "OLD") == "SUPERSEDED"


def test_what_does_not_overlap_or_says_the_same_or_is_null_contradicts_nothing(desk):
    given(
        desk, accepted("OLD", 1, subject="s", valid_from="2026-01-01", valid_to="2026-06-01"), claim("SAME", 1.0, subject="s"),
        claim("AFTER", 2, subject="s", valid_from="2026-06-01"), claim("NULL", None, subject="s"),
    )  # fmt: skip

    for id in ("AFTER", "NULL"):
        decide(desk, id)
    assert conflicts(desk) == []


def test_something_with_another_key_cannot_be_replaced(desk):
    given(desk, accepted("OTHER"), claim("NEW", "y"))

    with refused("other_key"):
        decide(desk, "NEW", replaces="OTHER")
    with refused("not_found"):
        decide(desk, "NEW", replaces="NOTHING")


def test_a_claim_cannot_replace_what_it_rests_on(desk):
    given(desk, accepted("OLD", "x", subject="s"), claim("NEW", "y", subject="s", on="OLD"))

    with refused("illegal_step", "rests on"):
        decide(desk, "NEW", replaces="OLD")
    assert statuses(desk, "OLD", "NEW") == {"OLD": "ACCEPTED", "NEW": "CANDIDATE"}


def test_many_valued_predicates_never_contradict(desk):
    given(desk, predicate("held_by", cardinality="many"), accepted("OLD", "x", subject="s", predicate="held_by"), claim("NEW", "y", subject="s", predicate="held_by"))

    decide(desk, "NEW")
    assert told(desk, "s", "held_by") == ("OK", ["NEW", "OLD"])


# --- R4: series, both directions -----------------------------------------------------------------------------------


def figure(id, value, start, make=claim, **fields):
    return make(id, value, subject="fund", predicate="nav", valid_from=start, **fields)


@pytest.fixture
def series(desk):
    given(desk, predicate("nav", value_type="number", series=True))
    return desk


def validity(store, id):
    record = show(store, id)["record"]
    return tuple(record[name] and record[name][:10] for name in ("valid_from", "valid_to"))


def test_the_next_figure_ends_the_validity_of_the_last(series):
    given(series, figure("Q1", 171, "2026-03-31", accepted), figure("Q2", 184, "2026-06-30"))

    decide(series, "Q2")
    assert (validity(series, "Q1"), validity(series, "Q2")) == (("2026-03-31", "2026-06-30"), ("2026-06-30", None))
    assert status(series, "Q1") == "ACCEPTED"
    assert conflicts(series) == []


def test_an_earlier_figure_that_comes_late_ends_where_the_next_begins(series):
    given(series, figure("Q2", 184, "2026-06-30", accepted), figure("Q1", 171, "2026-03-31"))

    decide(series, "Q1")
    assert (validity(series, "Q1"), validity(series, "Q2")) == (("2026-03-31", "2026-06-30"), ("2026-06-30", None))
    assert is_sound(series)


def test_a_figure_between_two_others_is_fitted_in(series):
    given(series, figure("Q1", 171, "2026-03-31", accepted, valid_to="2026-09-30"), figure("Q3", 190, "2026-09-30", accepted), figure("Q2", 184, "2026-06-30"))

    decide(series, "Q2")
    assert [validity(series, id) for id in ("Q1", "Q2", "Q3")] == [("2026-03-31", "2026-06-30"), ("2026-06-30", "2026-09-30"), ("2026-09-30", None)]


def test_the_first_figure_of_all_may_have_held_always(series):
    given(series, figure("Q1", 171, None, accepted), figure("Q2", 184, "2026-06-30"))

    decide(series, "Q2")
    assert validity(series, "Q1") == (None, "2026-06-30")


def test_a_restated_figure_for_the_same_period_still_asks(series):
    given(series, figure("Q1", 171, "2026-03-31", accepted), figure("RESTATED", 169, "2026-03-31"))

    with refused("would_contradict", "Q1"):
        decide(series, "RESTATED")
    decide(series, "RESTATED", replaces="Q1")
    assert status(series, "Q1") == "SUPERSEDED"


def test_what_rests_on_a_figure_stays_when_the_next_one_comes(series):
    given(series, figure("Q1", 171, "2026-03-31", accepted), accepted("MEMO", on="Q1"), figure("Q2", 184, "2026-06-30"))

    decide(series, "Q2")
    assert status(series, "MEMO") == "ACCEPTED"


# --- R4: answering a stale record ----------------------------------------------------------------------------------


def test_a_candidate_with_the_key_of_a_stale_claim_answers_and_replaces_it(desk):
    given(desk, accepted("P"), accepted("OLD", "x", on="P", subject="s"), claim("NEW", "y", subject="s"))
    carry_out(desk, revoking("P"))
    assert show(desk, "NEW")["answers"] == "OLD"

    decide(desk, "NEW")
    assert statuses(desk, "OLD", "NEW") == {"OLD": "SUPERSEDED", "NEW": "ACCEPTED"}
    assert show(desk, "OLD")["superseded_by"] == "NEW"
    assert told(desk, "s") == ("OK", ["NEW"])


def test_a_candidate_with_the_same_value_answers_too(desk):
    given(desk, accepted("P"), accepted("OLD", "x", on="P", subject="s"), claim("NEW", "x", subject="s"))
    carry_out(desk, revoking("P"))

    decide(desk, "NEW")
    assert status(desk, "OLD") == "SUPERSEDED"


def test_in_a_series_only_the_same_period_is_answered(series):
    given(series, accepted("P"), figure("Q1", 171, "2026-03-31", accepted, on="P"), figure("Q2", 184, "2026-06-30"), figure("Q1B", 170, "2026-03-31"))
    carry_out(series, revoking("P"))
    assert show(series, "Q2")["answers"] is None
    assert show(series, "Q1B")["answers"] == "Q1"

    decide(series, "Q2")
    assert status(series, "Q1") == "STALE"
    decide(series, "Q1B")
    assert status(series, "Q1") == "SUPERSEDED"


def test_a_stale_claim_of_another_time_is_not_answered(desk):
    given(desk, accepted("P"), accepted("OLD", "x", on="P", subject="s", valid_to="2026-03-01"), claim("NEW", "y", subject="s", valid_from="2026-03-01"))
    carry_out(desk, revoking("P"))

    decide(desk, "NEW")
    assert status(desk, "OLD") == "STALE"
