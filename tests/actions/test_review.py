"""Rejecting by a route (R5), taking back, renewing, amending."""

import json

import pytest

from store import ROUTES, amend, list_events, parse_stated_time, reject, renew, reopen
from tests.builders import (
    TENANT,
    accepted,
    artifact,
    ask,
    bring,
    carry_out,
    claim,
    conflicts,
    decide,
    evidence,
    find,
    given,
    is_sound,
    passage,
    person,
    predicate,
    refused,
    revoking,
    show,
    sides,
    status,
    suspending,
    told,
)


def turn_down(store, id, by="ana", route="rejected", reason="no", **more):
    return reject(store, by, TENANT, id, route, reason, **more)


def take_back(store, id, by="ana", **more):
    return reopen(store, by, TENANT, id, **more)


def change(store, id, fields, by="carl", **more):
    return amend(store, by, TENANT, id, fields, **more)


def prolong(store, id, by="ana", **dates):
    return renew(store, by, TENANT, id, **{name: parse_stated_time(text) for name, text in dates.items()})


# --- rejecting -----------------------------------------------------------------------------------------------------


def test_there_are_four_routes():
    assert set(ROUTES) == {"rejected", "session_only", "not_durable", "sensitive"}


@pytest.mark.parametrize("route", ["rejected", "session_only", "not_durable", "sensitive"])
def test_a_rejection_keeps_its_route_and_reason(desk, route):
    given(desk, claim("C1", sensitivity="sensitive" if route == "sensitive" else "normal"))

    turn_down(desk, "C1", route=route, reason="seen it")
    found = show(desk, "C1")
    assert (found["status"], found["route"]) == ("REJECTED", route)
    assert found["history"][-1]["reason"] == "seen it"
    assert told(desk, "subject-C1") == ("MISSING", [])


def test_a_sensitive_value_does_not_stay_readable(desk):
    given(desk, claim("C1", "diagnosis: zebra", sensitivity="sensitive", statement="Lea has a zebra diagnosis"))

    turn_down(desk, "C1", route="sensitive", reason="not ours to keep")
    assert "zebra" not in json.dumps(show(desk, "C1"))


def test_another_route_or_no_reason_is_refused(desk):
    given(desk, claim("C1"))

    with refused("bad_value"):
        turn_down(desk, "C1", route="forget")
    with refused("bad_value"):
        turn_down(desk, "C1", reason=" ")
    assert status(desk, "C1") == "CANDIDATE"


@pytest.mark.parametrize("state", ["reviewed", "stale", "disputed", "superseded", "revoked"])
def test_only_candidates_are_rejected(desk, state):
    given(desk, claim("C1", status=state))

    with refused("already_decided"):
        turn_down(desk, "C1")


def test_a_reader_or_contributor_does_not_reject(desk):
    given(desk, claim("C1"))

    for who, code in (("bot", "not_allowed"), ("rita", "not_found"), ("olga", "not_allowed")):
        with refused(code):
            turn_down(desk, "C1", by=who)


def test_a_rejection_repeated_under_its_operation_id_is_done_once(desk):
    given(desk, claim("C1"))
    first = turn_down(desk, "C1", operation="op")

    assert turn_down(desk, "C1", operation="op") == first
    with refused("operation_reused"):
        turn_down(desk, "C1", operation="op", route="session_only")
    assert len(show(desk, "C1")["history"]) == 2


# --- reopening -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("decision", [decide, turn_down])
def test_ones_own_decision_can_be_taken_back_within_15_minutes(desk, clock, decision):
    given(desk, claim("C1"))
    decision(desk, "C1")
    clock.pass_by(minutes=15)

    take_back(desk, "C1")
    assert status(desk, "C1") == "CANDIDATE"
    assert is_sound(desk)
    decide(desk, "C1")


@pytest.mark.parametrize("decision", [decide, turn_down])
def test_later_it_cannot(desk, clock, decision):
    given(desk, claim("C1"))
    decision(desk, "C1")
    clock.pass_by(minutes=15, seconds=1)

    with refused("illegal_step", "15 minutes"):
        take_back(desk, "C1")


@pytest.mark.parametrize("decision", [decide, turn_down])
def test_somebody_elses_decision_cannot_be_taken_back(desk, decision):
    given(desk, claim("C1"))
    decision(desk, "C1")

    with refused("illegal_step", "ana"):
        take_back(desk, "C1", by="ben")


def test_not_once_something_accepted_rests_on_it(desk):
    given(desk, claim("C1"), claim("D1", on="C1"))
    decide(desk, "C1")
    decide(desk, "D1")

    with refused("illegal_step", "D1"):
        take_back(desk, "C1")
    take_back(desk, "D1")
    take_back(desk, "C1")


def test_candidates_that_rest_on_it_are_no_obstacle(desk):
    given(desk, claim("C1"), claim("D1", on="C1"))
    decide(desk, "C1")

    take_back(desk, "C1")
    assert status(desk, "C1") == "CANDIDATE"


def test_not_once_an_agent_was_served_it(desk):
    given(desk, claim("C1"))
    decide(desk, "C1")
    assert told(desk, "subject-C1", by="bot") == ("OK", ["C1"])

    with refused("illegal_step", "served"):
        take_back(desk, "C1")


def test_not_once_a_search_served_it(desk):
    given(desk, claim("C1", statement="the pelican brief"))
    decide(desk, "C1")
    assert find(desk, "pelican", by="bot") == ["C1"]

    with refused("illegal_step", "served"):
        take_back(desk, "C1")


@pytest.mark.parametrize("state", ["candidate", "stale", "disputed", "superseded", "revoked"])
def test_what_was_not_approved_or_rejected_cannot_be_take_back(desk, state):
    given(desk, claim("C1", status=state))

    with refused("illegal_step"):
        take_back(desk, "C1")


def test_what_came_in_reviewed_was_not_decided_here(desk):
    given(desk, accepted("C1"))

    with refused("illegal_step"):
        take_back(desk, "C1")


def test_what_ended_the_validity_of_another_is_not_reopened_and_leaves_no_gap(desk):
    given(desk, predicate("quarterly", series=True), accepted("Q1", 1, subject="s", predicate="quarterly", valid_from="2026-01-01T00:00:00Z"))
    given(desk, claim("Q2", 2, subject="s", predicate="quarterly", valid_from="2026-04-01T00:00:00Z"), reviewed=False)
    decide(desk, "Q2")

    with refused("illegal_step", "the validity of Q1"):
        take_back(desk, "Q2")
    assert told(desk, "s", "quarterly") == ("OK", ["Q2"])


def test_other_changes_of_a_neighbour_do_not_stand_in_the_way(desk):
    given(desk, accepted("N1", 1, subject="s"))
    given(desk, claim("N2", 1, subject="s"), reviewed=False)
    decide(desk, "N2")
    renew(desk, "ana", TENANT, "N1", review_at=parse_stated_time("2098-01-01T00:00:00Z"))
    assert take_back(desk, "N2")["decided"] == "N2"


def test_reopening_dissolves_the_conflict_that_the_approval_opened(desk):
    given(desk, accepted("OLD", subject="s"), claim("NEW", "y", subject="s"))
    decide(desk, "NEW", open_conflict=True)

    take_back(desk, "NEW")
    assert conflicts(desk) == []
    assert is_sound(desk)


def test_the_second_of_two_may_take_back_and_both_must_approve_again(desk):
    given(desk, claim("C1", impact="high"))
    decide(desk, "C1", "ana")
    decide(desk, "C1", "ben")

    with refused("illegal_step"):
        take_back(desk, "C1", by="ana")
    take_back(desk, "C1", by="ben")
    assert status(desk, "C1") == "CANDIDATE"


# --- renewing ------------------------------------------------------------------------------------------------------


def test_renewing_sets_a_date_and_makes_no_contributor(desk):
    given(desk, accepted("C1"))

    prolong(desk, "C1", review_at="2030-01-01")
    found = show(desk, "C1")
    assert (found["status"], found["version"], found["record"]["review_at"]) == ("ACCEPTED", 2, "2030-01-01T00:00:00Z")
    assert "contributors" not in found["record"]


def test_an_expired_claim_is_usable_again_once_renewed(desk, clock):
    given(desk, accepted("C1", expires_at="2026-07-02"), accepted("D1", on="C1"))
    clock.pass_by(days=3)
    assert told(desk, "subject-C1") == told(desk, "subject-D1") == ("MISSING", [])

    prolong(desk, "C1", expires_at="2027-01-01")
    assert told(desk, "subject-D1") == ("OK", ["D1"])


@pytest.mark.parametrize("state", ["candidate", "stale", "disputed", "superseded", "revoked", "rejected"])
def test_only_what_is_accepted_is_renewed(desk, state):
    given(desk, claim("C1", status=state))

    with refused("illegal_step"):
        prolong(desk, "C1", review_at="2030-01-01")


def test_a_date_in_the_past_or_none_at_all_is_refused(desk):
    given(desk, accepted("C1"), accepted("P"))

    for dates in ({}, {"review_at": "2026-06-30"}, {"expires_at": "2026-07-01T09:00:00Z"}):
        with refused("bad_value"):
            prolong(desk, "C1", **dates)
    with refused("bad_value"):
        prolong(desk, "E1", review_at="2030-01-01")


def test_renewing_an_expired_claim_that_was_replaced_meanwhile_opens_the_conflict(desk, clock):
    given(desk, accepted("OLD", "x", subject="s", expires_at="2026-07-02"), accepted("NEW", "y", subject="s", valid_from="2026-07-02"))
    assert conflicts(desk) == []

    prolong(desk, "OLD", expires_at="2027-01-01")
    assert sides(desk) == [["NEW", "OLD"]]
    assert is_sound(desk)


# --- amending ------------------------------------------------------------------------------------------------------


def test_an_amendment_makes_a_new_version_a_contributor_and_one_row_of_history(desk):
    given(desk, claim("C1"))
    before = show(desk, "C1")

    change(desk, "C1", {"value": "y", "statement": "It says y."})
    after = show(desk, "C1")
    assert (after["version"], after["status"], after["record"]["value"]) == (before["version"] + 1, "CANDIDATE", "y")
    assert after["content_hash"] != before["content_hash"]
    assert after["record"]["contributors"] == ["carl"]
    assert len(after["history"]) == 2


def test_a_contributor_may_amend_a_reader_may_not(desk):
    given(desk, claim("C1"))

    change(desk, "C1", {"value": "y"}, by="bot")
    for who, code in (("rita", "not_found"), ("olga", "not_allowed")):
        with refused(code):
            change(desk, "C1", {"value": "z"}, by=who)


def test_parents_and_spans_can_be_amended(desk):
    given(desk, accepted("P"), claim("C1"))

    change(desk, "C1", {"evidence": [passage("Line one")], "derived_from": ["P"]})
    assert show(desk, "C1")["parents"] == ["E1", "P"]
    change(desk, "C1", {"evidence": []})
    assert show(desk, "C1")["parents"] == ["P"]
    carry_out(desk, revoking("E1"))
    assert status(desk, "C1") == "CANDIDATE"
    assert is_sound(desk)


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"value": "y", "color": "red"}, "unknown_field"),
        ({"claim_type": "rumour"}, "bad_value"),
        ({"purposes": "*"}, "bad_value"),
        ({"derived_from": ["NOTHING"]}, "missing_parent"),
        ({"derived_from": ["C1"]}, "cycle"),
        ({"derived_from": ["D1"]}, "cycle"),
        ({"derived_from": ["DD1"]}, "cycle"),
        ({"status": "reviewed"}, "bad_value"),
        ({"id": "C2"}, "bad_value"),
        ({"proposed_by": "carl"}, "bad_value"),
        ({"contributors": []}, "bad_value"),
        ({"valid_from": "2026-02-01", "valid_to": "2026-01-01"}, "bad_value"),
        ({"scope": "acme//x"}, "bad_value"),
        ({"scope": None}, "bad_value"),
        ({}, "bad_value"),
        ({"statement": "a\x00b"}, "bad_value"),
        ({"statement": "\ud800"}, "bad_value"),
        ({"value": float("nan")}, "bad_value"),
        ({"value": ["\udfff"]}, "bad_value"),
        ({"qualifiers": {"k": "a\x00"}}, "bad_value"),
    ],
    ids=repr,
)
def test_an_amendment_that_cannot_be_is_refused_whole(desk, fields, code):
    given(desk, claim("C1"), claim("D1", on="C1"), claim("DD1", on="D1"))
    before = show(desk, "C1")

    with refused(code):
        change(desk, "C1", fields)
    assert show(desk, "C1") == before


def test_a_record_never_leaves_its_tenant(desk):
    given(desk, person("zoe", "reviewer", "zeta"), claim("C1"))

    with refused("bad_value"):
        change(desk, "C1", {"scope": "zeta"}, by="operator")
    assert show(desk, "C1")["record"]["scope"] == "acme"


def test_a_scope_may_be_amended_only_to_where_one_may_propose(desk):
    given(desk, person("dora", "contributor", "acme/api"), claim("C1", scope="acme/api"))

    with refused("not_allowed"):
        change(desk, "C1", {"scope": "acme/funds"}, by="dora")
    change(desk, "C1", {"scope": "acme/api/v2"}, by="dora")
    assert show(desk, "C1")["record"]["scope"] == "acme/api/v2"


@pytest.mark.parametrize("state", ["reviewed", "stale", "disputed", "superseded", "revoked", "rejected"])
def test_only_candidates_are_amended(desk, state):
    given(desk, claim("C1", status=state))

    with refused("already_decided"):
        change(desk, "C1", {"value": "y"})


def test_an_amendment_of_another_version_is_refused(desk):
    given(desk, claim("C1"))
    change(desk, "C1", {"value": "y"}, seen=1)

    with refused("changed_since_seen"):
        change(desk, "C1", {"value": "z"}, seen=1)


def test_an_amended_claim_is_found_by_its_new_words_only(desk):
    given(desk, claim("C1", statement="the old pelican"))
    change(desk, "C1", {"statement": "the new heron"})
    decide(desk, "C1")

    assert find(desk, "heron") == ["C1"]
    assert find(desk, "pelican") == []


def test_an_amended_artifact_keeps_its_deliveries(desk):
    given(desk, accepted("P"), artifact("R1", "P", status="candidate", deliveries=[{"recipient": "kim", "channel": "email", "delivered_at": "2026-06-01T00:00:00Z", "operation_id": None}]))

    change(desk, "R1", {"title": "Better"})
    found = show(desk, "R1")
    assert (found["record"]["title"], len(found["deliveries"])) == ("Better", 1)


def test_a_time_without_offset_stays_marked_through_an_amendment(desk):
    result = bring(desk, claim("C1", valid_from="2026-01-01T08:00:00"))
    assert result["assumed_utc"] == [1]

    change(desk, "C1", {"value": "y"})
    record = show(desk, "C1")["record"]
    assert (record["valid_from"], record["assumed_utc"]) == ("2026-01-01T08:00:00Z", ["valid_from"])
    change(desk, "C1", {"valid_from": None})
    assert show(desk, "C1")["record"]["valid_from"] is None


def test_each_action_is_one_event_with_its_rows(desk):
    given(desk, claim("C1"), evidence("E2", version=2))
    before = len(list_events(desk, "olga")["items"])
    change(desk, "C1", {"value": "y"})
    decide(desk, "C1")
    take_back(desk, "C1")
    turn_down(desk, "C1")

    new = list_events(desk, "olga")["items"][before:]
    assert [(one["action"], one["count"], one["actor"]) for one in new] == [("amend", 1, "carl"), ("approve", 1, "ana"), ("reopen", 1, "ana"), ("reject", 1, "ana")]
    assert all(one["authenticated"] is False for one in new)
    assert [one["seq"] for one in list_events(desk, "olga")["items"]] == list(range(1, before + 5))


def test_a_list_of_events_that_is_cut_says_so(desk):
    given(desk, claim("C1"))
    given(desk, claim("C2"))

    found = list_events(desk, "olga", limit=1)
    assert len(found["items"]) == 1
    assert found.get("cut") or found.get("next")


def test_suspended_is_not_reopened(desk):
    given(desk, claim("C1"))
    decide(desk, "C1")
    carry_out(desk, suspending("C1"))

    with refused("illegal_step"):
        take_back(desk, "C1")
    assert ask(desk, "subject-C1")["result"] == "MISSING"
