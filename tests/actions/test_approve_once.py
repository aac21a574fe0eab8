"""Approving takes two people where it must, and happens once (R2, R30)."""

import pytest

from store import amend
from tests.builders import (
    QUOTE,
    TENANT,
    accepted,
    artifact,
    claim,
    decide,
    evidence,
    given,
    preview,
    refused,
    revoking,
    show,
    source,
    status,
    told,
)

# --- two people ----------------------------------------------------------------------------------------------------


def test_high_impact_takes_two_different_people(desk):
    given(desk, claim("C1", impact="high"))

    first = decide(desk, "C1", "ana")
    assert first["waiting"] == "C1"
    assert status(desk, "C1") == "CANDIDATE"
    assert told(desk, "subject-C1") == ("MISSING", [])
    again = decide(desk, "C1", "ana", "still fine")
    assert again["waiting"] == "C1"
    assert status(desk, "C1") == "CANDIDATE"
    decide(desk, "C1", "ben")
    assert status(desk, "C1") == "ACCEPTED"


def test_a_contributor_is_neither_first_nor_second(desk):
    given(desk, claim("C1", impact="high", proposed_by="ana"))

    with refused("promotion_checks_failed"):
        decide(desk, "C1", "ana")
    decide(desk, "C1", "ben")
    with refused("promotion_checks_failed"):
        decide(desk, "C1", "ana")


def test_a_recorded_approval_falls_when_the_content_changes(desk):
    given(desk, claim("C1", impact="high"))
    decide(desk, "C1", "ana")
    amend(desk, "carl", TENANT, "C1", {"value": "y"})

    assert decide(desk, "C1", "ben")["waiting"] == "C1"
    assert status(desk, "C1") == "CANDIDATE"
    decide(desk, "C1", "ana")
    assert status(desk, "C1") == "ACCEPTED"


def test_the_terms_of_the_first_hold_for_the_second(desk):
    given(desk, claim("C1", impact="high", owner=None, review_at=None))
    decide(desk, "C1", "ana", terms={"owner": "carl", "review_at": "2027-01-01"})

    decide(desk, "C1", "ben")
    record = show(desk, "C1")["record"]
    assert (record["owner"], record["review_at"]) == ("carl", "2027-01-01T00:00:00Z")


def test_a_high_impact_artifact_takes_two_people_too(desk):
    given(desk, accepted("P"), artifact("R1", "P", impact="high", status="candidate"))

    assert decide(desk, "R1", "ana")["waiting"] == "R1"
    decide(desk, "R1", "ben")
    assert status(desk, "R1") == "ACCEPTED"


# --- R30: operation ids --------------------------------------------------------------------------------------------


def test_the_same_operation_is_done_once_and_returns_the_first_result(desk):
    given(desk, claim("C1"))
    first = decide(desk, "C1", operation="op1")

    assert decide(desk, "C1", operation="op1") == first
    assert len(show(desk, "C1")["history"]) == 2


@pytest.mark.parametrize("change", [{"by": "ben"}, {"reason": "other"}, {"terms": {"owner": "ben"}}, {"open_conflict": True}, {"seen_hash": "0" * 64}], ids=str)
def test_an_operation_id_used_for_anything_else_is_refused(desk, change):
    given(desk, claim("C1"), claim("C2"))
    decide(desk, "C1", operation="op1")

    with refused("operation_reused"):
        decide(desk, "C1", operation="op1", **change)
    with refused("operation_reused"):
        decide(desk, "C2", operation="op1")
    assert status(desk, "C2") == "CANDIDATE"


def test_a_refusal_uses_no_operation_id_up(desk):
    given(desk, claim("C1", owner=None))
    with refused("promotion_checks_failed"):
        decide(desk, "C1", operation="op1")

    amend(desk, "carl", TENANT, "C1", {"owner": "carl"})
    decide(desk, "C1", operation="op1")


def test_a_preview_of_a_candidates_parents_says_it_will_be_blocked(desk):
    given(desk, accepted("P"), claim("C1", on="P"))

    assert [one["id"] for one in preview(desk, revoking("P"))["blocked_candidates"]] == ["C1"]


def test_evidence_is_captured_and_not_promoted(desk):
    given(desk, source("S2"), evidence("E2", "S2", text=QUOTE))

    assert status(desk, "E2") == "ACCEPTED"
    with refused("already_decided"):
        decide(desk, "E2")
