"""Conflicts open, change sides, dissolve and come back (R10, R11)."""

import pytest

from store import parse_stated_time, renew
from tests.builders import (
    TENANT,
    accepted,
    carry_out,
    claim,
    conflicts,
    decide,
    exported_conflicts,
    given,
    is_sound,
    predicate,
    reinstating,
    revoking,
    sides,
    suspending,
    the_conflict,
    told,
)


def about(id, value, **fields):
    return claim(id, value, **{"subject": "s", "status": "reviewed", **fields})


def candidate(id, value, **fields):
    return claim(id, value, subject="s", **fields)


# --- R10: when ------------------------------------------------------------------------------------------------------

FROM, TO = "2026-01-01", "2026-06-01"
PAIRS = {
    "both always": ({}, {}, True),
    "one from a date on": ({}, {"valid_from": FROM}, True),
    "overlapping by a second": ({"valid_to": TO}, {"valid_from": "2026-05-31T23:59:59Z"}, True),
    "touching": ({"valid_to": TO}, {"valid_from": TO}, False),
    "ended by its expiry": ({"expires_at": TO}, {"valid_from": TO}, False),
    "expiry before the end of validity": ({"valid_to": "2027-01-01", "expires_at": TO}, {"valid_from": TO}, False),
    "expiry after the end of validity": ({"valid_to": TO, "expires_at": "2027-01-01"}, {"valid_from": TO}, False),
    "expired before it was valid": ({"valid_from": TO, "expires_at": FROM}, {}, False),
    "both in the past": ({"valid_from": "2020-01-01", "valid_to": "2021-01-01"}, {"valid_from": "2020-06-01", "valid_to": "2022-01-01"}, True),
    "both in the future": ({"valid_from": "2090-01-01"}, {"valid_from": "2091-01-01"}, True),
    "one contained in the other": ({"valid_from": FROM, "valid_to": TO}, {"valid_from": "2026-02-01", "valid_to": "2026-03-01"}, True),
    "another qualifier": ({"qualifiers": {"q": 1}}, {"qualifiers": {"q": 2}}, False),
    "a qualifier more": ({}, {"qualifiers": {"q": 1}}, False),
    "qualifiers in another order": ({"qualifiers": {"a": 1, "b": 2}}, {"qualifiers": {"b": 2, "a": 1}}, True),
    "another scope": ({}, {"scope": "acme/api"}, False),
    "another predicate": ({}, {"predicate": "shouts"}, False),
    "another purpose": ({"purposes": ["a"]}, {"purposes": ["b"]}, True),
    "one disputed": ({"status": "disputed"}, {}, True),
    "both disputed": ({"status": "disputed"}, {"status": "disputed"}, True),
    "one stale": ({"status": "stale"}, {}, False),
    "one superseded": ({"status": "superseded"}, {}, False),
    "one revoked": ({"status": "revoked"}, {}, False),
    "one a candidate": ({"status": "candidate"}, {}, False),
}


@pytest.mark.parametrize("case", PAIRS)
def test_a_conflict_opens_exactly_when_two_live_values_overlap(desk, case):
    one, other, wanted = PAIRS[case]

    given(desk, about("A", 1, **one), about("B", 2, **other))
    assert sides(desk) == ([["A", "B"]] if wanted else [])
    assert is_sound(desk)


@pytest.mark.parametrize(("one", "other"), [(1, 1.0), (None, 1), ({"a": 1}, {"a": 1.0})], ids=repr)
def test_the_same_value_or_none_is_no_conflict(desk, one, other):
    given(desk, about("A", one), about("B", other))

    assert sides(desk) == []


@pytest.mark.parametrize(("one", "other"), [(1, True), ("1.00", 1), (["a", "b"], ["b", "a"]), ("a", "A"), (0, False)], ids=repr)
def test_other_values_are(desk, one, other):
    given(desk, about("A", one), about("B", other))

    assert sides(desk) == [["A", "B"]]


def test_only_claims_that_contradict_another_are_sides(desk):
    given(
        desk, about("A", 1, valid_to="2026-06-01"), about("B", 2, valid_to="2026-06-01"), about("C", 1, valid_from="2026-06-01"), about("D", 1, valid_to="2026-02-01"),
        about("N", None),
    )  # fmt: skip

    assert sides(desk) == [["A", "B", "D"]]


def test_the_nearest_declaration_of_a_predicate_counts(desk):
    given(desk, predicate("says", cardinality="many"), predicate("says", "acme/api"))
    given(desk, about("A", 1), about("B", 2), about("C", 1, scope="acme/api"), about("D", 2, scope="acme/api"))

    assert sides(desk) == [["C", "D"]]


# --- R10, R11: its life --------------------------------------------------------------------------------------------


def test_there_is_one_conflict_per_key_whose_sides_grow_and_shrink(desk):
    given(desk, about("A", 1), about("B", 2))
    first = the_conflict(desk)["id"]

    given(desk, about("C", 3), about("D", 1))
    assert (the_conflict(desk)["id"], sides(desk)) == (first, [["A", "B", "C", "D"]])
    carry_out(desk, revoking("C"))
    assert (the_conflict(desk)["id"], sides(desk)) == (first, [["A", "B", "D"]])
    carry_out(desk, revoking("B"))
    assert conflicts(desk) == []
    assert is_sound(desk)


def test_it_dissolves_with_its_cause_in_the_event_that_ends_it(desk, tmp_path):
    given(desk, about("A", 1), about("B", 2))
    receipt = carry_out(desk, revoking("B"))

    assert receipt["conflicts_dissolved"]
    (closed,) = exported_conflicts(desk, tmp_path)
    assert closed["state"] == "closed"
    assert "B" in closed["cause"]
    assert str(receipt["event"]) in closed["cause"]


def test_it_opens_anew_linked_to_the_former_when_a_pair_returns(desk):
    given(desk, about("A", 1), about("B", 2), candidate("C", 3))
    first = the_conflict(desk)["id"]
    carry_out(desk, revoking("B"))
    decide(desk, "C", open_conflict=True)

    again = the_conflict(desk)
    assert again["id"] != first
    assert again["former"] == first
    assert again["claims"] == ["A", "C"]


@pytest.mark.parametrize("step", ["suspend", "fall stale", "expire", "revoke"])
def test_suspending_one_side_does_not_make_the_other_win(desk, step, clock):
    given(desk, accepted("P"), about("A", 1, on="P", expires_at="2026-08-01"), about("B", 2))
    if step == "suspend":
        carry_out(desk, suspending("A"))
        assert told(desk, "s") == ("CONFLICT", ["A", "B"])
    elif step == "fall stale":
        carry_out(desk, revoking("P"))
        assert sides(desk) == []
    elif step == "expire":
        clock.pass_by(days=60)
        assert sides(desk) == [["A", "B"]]
        assert told(desk, "s") == ("OK", ["B"])
    else:
        carry_out(desk, revoking("A"))
        assert told(desk, "s") == ("OK", ["B"])
    assert is_sound(desk)


def test_nobody_wins_by_being_later_repeated_or_of_higher_authority(desk):
    given(desk, {"type": "policy", "scope": "acme", "authority_ranks": ["law", "gossip"]})
    given(desk, about("A", 1, authority="law"), about("B", 2, authority="gossip"), about("C", 2, authority="gossip"), about("D", 2, observed_at="2026-06-30"))

    assert told(desk, "s") == ("CONFLICT", ["A", "B", "C", "D"])


def test_a_reinstated_side_is_still_one(desk):
    given(desk, about("A", 1), about("B", 2))
    first = the_conflict(desk)["id"]
    carry_out(desk, suspending("A"))
    carry_out(desk, reinstating("A"))

    assert the_conflict(desk)["id"] == first


def test_a_claim_rejoins_when_it_is_renewed(desk, clock):
    given(desk, about("A", 1, expires_at="2026-07-10"), about("B", 2, valid_from="2026-07-10"))
    renew(desk, "ana", TENANT, "A", expires_at=parse_stated_time("2027-01-01"))

    assert sides(desk) == [["A", "B"]]


def test_a_conflict_has_an_owner_and_a_state(desk):
    given(desk, about("A", 1, owner="carl"), about("B", 2, owner="carl"))

    one = the_conflict(desk)
    assert (one["owner"], one["scope"], one["subject"], one["predicate"], one["qualifiers"]) == ("carl", "acme", "s", "says", {})
