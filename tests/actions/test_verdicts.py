"""Conflicts are settled by a verdict, a plan that says what is read next (R12)."""

import pytest

from tests.builders import (
    accepted,
    artifact,
    ask,
    carry_out,
    claim,
    conflicts,
    decide,
    evidence,
    exported_conflicts,
    given,
    is_sound,
    passage,
    preview,
    refused,
    resolving,
    revoking,
    show,
    sides,
    source,
    status,
    statuses,
    suspending,
    the_conflict,
    told,
)


def about(id, value, **fields):
    return claim(id, value, **{"subject": "s", "status": "reviewed", **fields})


def candidate(id, value, **fields):
    return claim(id, value, subject="s", **fields)


@pytest.fixture
def contested(desk):
    """A says 1 and B says 2 of s; DA and DB rest on them; B comes from another source."""
    given(
        desk, source("S2"), evidence("E2", "S2"), about("A", 1), about("B", 2, evidence=[passage("Line one", "E2")]), accepted("DA", on="A"), accepted("DB", on="B"),
        artifact("RB", "DB"),
    )  # fmt: skip
    return desk


def settle(store, verdict, **options):
    plan = resolving(the_conflict(store)["id"], verdict, **options)
    seen = preview(store, plan)
    receipt = carry_out(store, plan, seen=seen)
    assert {one["id"]: one["to"] for one in seen["affected"]} == {one["id"]: status(store, one["id"]) for one in seen["affected"]}
    assert receipt["changed"] == len(seen["affected"])
    for answer in seen["answers"]:
        assert ask(store, answer["subject"], answer["predicate"], answer["scope"], "ana", qualifiers=answer["qualifiers"])["result"] == answer["after"]
    assert is_sound(store)
    return seen, receipt


@pytest.mark.parametrize(("way", "becomes"), [(None, "SUPERSEDED"), ("superseded", "SUPERSEDED"), ("revoked", "REVOKED")])
def test_keep_takes_the_others_out(contested, way, becomes):
    seen, _ = settle(contested, "keep", keep="A", other={"B": way} if way else {})

    assert statuses(contested, "A", "B", "DA", "DB", "RB") == {"A": "ACCEPTED", "B": becomes, "DA": "ACCEPTED", "DB": "STALE", "RB": "STALE"}
    assert [(one["subject"], one["before"], one["after"]) for one in seen["answers"]] == [("s", "CONFLICT", "OK"), ("subject-DA", "CONFLICT", "OK"), ("subject-DB", "CONFLICT", "MISSING")]
    assert told(contested, "s") == ("OK", ["A"])
    assert show(contested, "B")["superseded_by"] == ("A" if becomes == "SUPERSEDED" else None)
    assert conflicts(contested) == []


def test_keep_chooses_per_side(contested):
    given(contested, about("C", 3), about("D", 4))

    settle(contested, "keep", keep="B", other={"C": "revoked"})
    assert statuses(contested, "A", "B", "C", "D") == {"A": "SUPERSEDED", "B": "ACCEPTED", "C": "REVOKED", "D": "SUPERSEDED"}


def test_keeping_a_suspended_side_brings_it_back(contested):
    carry_out(contested, suspending("A"))

    settle(contested, "keep", keep="A")
    assert statuses(contested, "A", "B") == {"A": "ACCEPTED", "B": "SUPERSEDED"}


def test_same_lists_the_evidence_of_the_others_and_what_rests_on_the_kept_stays(contested):
    before = show(contested, "A")

    settle(contested, "same", keep="A")
    after = show(contested, "A")
    assert after["parents"] == ["E1", "E2"]
    assert len(after["record"]["evidence"]) == 2
    assert after["version"] == before["version"] + 1
    assert after["content_hash"] != before["content_hash"]
    assert after["record"]["value"] == 1
    assert statuses(contested, "A", "B", "DA", "DB") == {"A": "ACCEPTED", "B": "SUPERSEDED", "DA": "ACCEPTED", "DB": "STALE"}
    assert after["independent_roots"] == 1  # both texts are equal: equal content counts as one family


def test_same_takes_no_lost_evidence_over(contested):
    carry_out(contested, suspending("B"))
    carry_out(contested, revoking("E2"))

    settle(contested, "same", keep="A")
    assert show(contested, "A")["parents"] == ["E1"]


@pytest.mark.parametrize(
    "narrow",
    [
        {"A": {"valid_to": "2026-06-01"}, "B": {"valid_from": "2026-06-01"}},
        {"A": {"scope": "acme/api"}},
        {"A": {"qualifiers": {"basis": "GAAP"}}},
        {"A": {"qualifiers": {"basis": "GAAP"}}, "B": {"qualifiers": {"basis": "IFRS"}}},
    ],
    ids=str,
)
def test_split_lets_both_stand_and_what_rests_on_them_too(contested, narrow):
    settle(contested, "split", narrow=narrow)

    assert statuses(contested, "A", "B", "DA", "DB", "RB") == dict.fromkeys(("A", "B", "DA", "DB", "RB"), "ACCEPTED")
    assert conflicts(contested) == []
    assert show(contested, "A")["record"]["value"] == 1
    assert show(contested, "A")["version"] == 2
    assert [(one["from"], one["to"]) for one in show(contested, "A")["history"]][1:] == [("ACCEPTED", "ACCEPTED")]


@pytest.mark.parametrize(
    ("narrow", "code"),
    [
        ({"A": {"value": 2}}, "bad_value"),
        ({"A": {"subject": "t"}}, "bad_value"),
        ({"A": {"scope": "zeta"}}, "bad_value"),
        ({"A": {"scope": "acme"}}, "bad_value"),
        ({"A": {"valid_to": "2026-06-01T00:00:00"}}, "bad_value"),
        ({"A": {"valid_from": "2026-06-01", "valid_to": "2026-06-01"}}, "bad_value"),
        ({"X": {"valid_to": "2026-06-01"}}, "bad_value"),
        ({"A": {"valid_to": "2026-06-01"}}, "still_contradicts"),
        ({"A": {"valid_to": "2026-06-02"}, "B": {"valid_from": "2026-06-01"}}, "still_contradicts"),
        ({"A": {"qualifiers": {"q": 1}}, "B": {"qualifiers": {"q": 1}}}, "still_contradicts"),
        ({}, "bad_value"),
    ],
    ids=str,
)
def test_a_split_that_does_not_narrow_or_does_not_part_them_is_refused(contested, narrow, code):
    given(contested, accepted("X"))

    with refused(code):
        preview(contested, resolving(the_conflict(contested)["id"], "split", narrow=narrow))


def test_a_split_never_widens(desk):
    given(desk, about("A", 1, valid_from="2026-01-01", valid_to="2026-06-01", qualifiers={"q": 1}), about("B", 2, qualifiers={"q": 1}))
    conflict = the_conflict(desk)["id"]

    for narrow in ({"A": {"valid_from": "2025-01-01"}}, {"A": {"valid_to": "2027-01-01"}}, {"A": {"qualifiers": {}}}, {"A": {"qualifiers": {"q": 2}}}):
        with refused("bad_value"):
            preview(desk, resolving(conflict, "split", narrow=narrow))


def test_a_split_into_a_key_that_is_taken_says_that_a_conflict_opens(contested):
    given(contested, about("TAKEN", 9, scope="acme/api"))

    seen, receipt = settle(contested, "split", narrow={"A": {"scope": "acme/api"}})
    assert [one["scope"] for one in seen["conflicts"]["opened"]] == ["acme/api"]
    assert receipt["conflicts_opened"]
    assert sides(contested) == [["A", "TAKEN"]]


def test_different_supersedes_one_side_by_a_candidate_about_another_subject(contested):
    _, receipt = settle(contested, "different", subject={"B": "t"})

    new = show(contested, receipt["created"])
    assert (new["status"], new["record"]["subject"], new["record"]["value"], new["parents"]) == ("CANDIDATE", "t", 2, ["E2"])
    assert statuses(contested, "A", "B", "DB") == {"A": "ACCEPTED", "B": "SUPERSEDED", "DB": "STALE"}
    assert show(contested, "B")["superseded_by"] == receipt["created"]
    with refused("promotion_checks_failed"):
        decide(contested, receipt["created"], "ana", terms={"entity_confirmed": True})
    decide(contested, receipt["created"], "ben", terms={"entity_confirmed": True})


def test_none_revokes_them_all(contested):
    settle(contested, "none")

    assert statuses(contested, "A", "B", "DA", "DB") == {"A": "REVOKED", "B": "REVOKED", "DA": "STALE", "DB": "STALE"}
    assert told(contested, "s") == ("MISSING", [])


def test_unclear_suspends_all_and_asks_and_the_conflict_stays_open(contested):
    plan = resolving(the_conflict(contested)["id"], "unclear")
    carry_out(contested, plan, reason="Which of the two is it?")

    assert statuses(contested, "A", "B", "DA", "DB") == {"A": "DISPUTED", "B": "DISPUTED", "DA": "STALE", "DB": "STALE"}
    assert the_conflict(contested)["question"] == "Which of the two is it?"
    assert told(contested, "s") == ("CONFLICT", ["A", "B"])
    assert is_sound(contested)


def test_after_unclear_another_verdict_settles_it(contested):
    settle(contested, "unclear")

    settle(contested, "keep", keep="B")
    assert statuses(contested, "A", "B") == {"A": "SUPERSEDED", "B": "ACCEPTED"}


def test_one_that_rests_on_another_side_cannot_be_kept_without_it(desk):
    given(desk, about("A", 1), about("B", 2, on="A"))

    with refused("parents_not_accepted"):
        preview(desk, resolving(the_conflict(desk)["id"], "keep", keep="B"))


def test_a_verdict_names_sides_only_and_has_its_options(contested):
    conflict = the_conflict(contested)["id"]
    given(contested, accepted("X"))

    for options in ({"verdict": "keep"}, {"verdict": "same"}, {"verdict": "keep", "keep": "X"}, {"verdict": "keep", "keep": "A", "other": {"X": "revoked"}}, {"verdict": "different"}, {"verdict": "different", "subject": {"B": "s"}}, {"verdict": "keep", "keep": "A", "other": {"B": "forgotten"}}):  # fmt: skip
        with refused("bad_value"):
            preview(contested, resolving(conflict, **options))
    with refused("not_found"):
        preview(contested, resolving("conflict-none-1", "none"))


def test_a_closed_conflict_is_not_settled_again(contested):
    conflict = the_conflict(contested)["id"]
    settle(contested, "none")

    with refused("already_decided"):
        preview(contested, resolving(conflict, "none"))


@pytest.mark.parametrize(("who", "code"), [("bot", "not_found"), ("rita", "not_found"), ("olga", "not_allowed")])
def test_only_reviewers_settle(contested, who, code):
    with refused(code):
        preview(contested, resolving(the_conflict(contested)["id"], "none"), by=who)


def test_the_verdict_and_its_reason_are_kept(contested, tmp_path):
    plan = resolving(the_conflict(contested)["id"], "keep", keep="A")
    carry_out(contested, plan, reason="A cites the contract")

    (closed,) = exported_conflicts(contested, tmp_path)
    assert (closed["state"], closed["verdict"], closed["reason"], closed["claims"]) == ("closed", "keep", "A cites the contract", ["A", "B"])


def test_the_same_values_later_are_offered_the_earlier_verdict(contested):
    settle(contested, "keep", keep="A", other={"B": "revoked"})
    given(contested, candidate("B2", 2), candidate("C2", 3))

    decide(contested, "B2", "carl", open_conflict=True)
    offered = the_conflict(contested)["earlier_verdict"]
    assert (offered["verdict"], offered["reason"]) == ("keep", "because")
    decide(contested, "C2", "carl", open_conflict=True)
    assert the_conflict(contested)["earlier_verdict"] is None


def test_a_conflict_that_dissolved_without_verdict_offers_none(contested):
    carry_out(contested, revoking("B"))
    given(contested, candidate("B2", 2))
    decide(contested, "B2", open_conflict=True)

    assert the_conflict(contested)["earlier_verdict"] is None


def test_keeping_a_value_keeps_everybody_who_says_it_unless_the_plan_names_them(desk):
    given(desk, about("A", "x"), about("B", "x", subject="s"), about("C", "y"))
    conflict = the_conflict(desk)["id"]
    assert preview(desk, resolving(conflict, "keep", keep="A"))["totals"]["affected"] == 1
    assert preview(desk, resolving(conflict, "keep", keep="A", other={"B": "revoked"}))["totals"]["affected"] == 2

    carry_out(desk, resolving(conflict, "keep", keep="A"))
    assert statuses(desk, "A", "B", "C") == {"A": "ACCEPTED", "B": "ACCEPTED", "C": "SUPERSEDED"}
    assert told(desk, "s") == ("OK", ["A", "B"])


def test_different_proposes_a_claim_about_a_subject_the_store_knows_already(contested):
    given(contested, accepted("T", 1, subject="t"))

    settle(contested, "different", subject={"B": "t"})
    assert status(contested, "B.t") == "CANDIDATE"
    assert told(contested, "t") == ("OK", ["T"])
    assert conflicts(contested) == []
    assert is_sound(contested)
