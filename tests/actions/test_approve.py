"""Approving: the checks (R2), what was seen (R3), contradictions (R4), unrecorded dependencies (R8), two people."""

import pytest

from store import amend, reject
from tests.builders import (
    TENANT,
    accepted,
    artifact,
    ask,
    bring,
    carry_out,
    check,
    claim,
    decide,
    evidence,
    failed_checks,
    given,
    is_sound,
    passage,
    person,
    predicate,
    refused,
    revoking,
    show,
    status,
)

# --- R2: one check after the other ---------------------------------------------------------------------------------

NAMES = [
    "source_bound", "extraction_recorded", "parents_accepted", "owner", "scope", "review_date", "entity_resolved", "claim_type", "sensitivity",
    "independent_reviewer", "high_impact", "recorded_dependencies",
]  # fmt: skip


def test_a_good_candidate_passes_every_check_by_name(desk):
    given(desk, claim("C1"))

    found = check(desk, "C1")
    assert [one["name"] for one in found["checks"]] == NAMES
    assert found["can_approve"] is True
    assert all(one["message"].endswith(".") for one in found["checks"])


#: check -> (a candidate that fails it alone, the terms that mend it or None, the amendment that mends it or None)
MENDED = {
    "source_bound by a wrong quote": ("source_bound", {"evidence": [{**passage(), "quote": "The office is in Nice."}]}, None, {"evidence": [passage()]}),
    "source_bound by one wrong of two": ("source_bound", {"evidence": [passage(), {**passage("Line one"), "quote": "Line two"}]}, None, {"evidence": [passage()]}),
    "source_bound by resting on nothing": ("source_bound", {"evidence": []}, None, {"derived_from": ["E1"]}),
    "extraction_recorded": ("extraction_recorded", {"extraction": None}, None, {"extraction": {"method": "reader", "version": "1"}}),
    "extraction without version": ("extraction_recorded", {"extraction": {"method": "reader"}}, None, {"extraction": {"method": "r", "version": "2"}}),
    "owner": ("owner", {"owner": None}, {"owner": "ben"}, {"owner": "ben"}),
    "review_date": ("review_date", {"review_at": None}, {"review_at": "2027-01-01"}, {"expires_at": "2027-01-01"}),
    "review_date by an expiry": ("review_date", {"review_at": None}, {"expires_at": "2027-01-01T00:00:00Z"}, None),
    "entity_resolved": ("entity_resolved", {"entity_confidence": 0.79}, {"entity_confirmed": True}, {"entity_confidence": 0.8}),
    "entity not recorded": ("entity_resolved", {"entity_confidence": None}, {"entity_confirmed": True}, {"entity_confidence": 1}),
    "claim_type in others' words": ("claim_type", {"subject": "person:lea"}, None, {"speaker": "person:lea"}),
    "claim_type of an inference": ("claim_type", {"subject": "person:lea", "claim_type": "inference", "speaker": "person:lea"}, None, {"confirmed_by": "person:lea"}),
    "sensitivity": ("sensitivity", {"sensitivity": "sensitive"}, {"sensitivity": "normal"}, {"sensitivity": "normal"}),
    "credentials": ("sensitivity", {"sensitivity": "credential"}, None, {"sensitivity": "normal"}),
}


@pytest.mark.parametrize("case", MENDED)
def test_each_check_blocks_alone_and_says_how_to_mend_it(desk, case):
    name, fields, terms, amendment = MENDED[case]
    given(desk, claim("C1", **fields))

    assert failed_checks(desk, "C1") == [name]
    with refused("promotion_checks_failed") as caught:
        decide(desk, "C1")
    assert [one["name"] for one in caught.value.details["checks"]] == [name]
    assert status(desk, "C1") == "CANDIDATE"
    if terms:
        assert failed_checks(desk, "C1", terms=terms) == []
    if amendment:
        amend(desk, "carl", TENANT, "C1", amendment)
        assert failed_checks(desk, "C1") == []
    decide(desk, "C1", terms={} if amendment else terms)
    assert status(desk, "C1") == "ACCEPTED"


@pytest.mark.parametrize("case", [name for name, row in MENDED.items() if row[2]])
def test_terms_of_the_decision_mend_and_are_logged(desk, case):
    _, fields, terms, _ = MENDED[case]
    given(desk, claim("C1", **fields))

    decide(desk, "C1", terms=terms)
    record = show(desk, "C1")
    assert record["status"] == "ACCEPTED"
    for name in {"owner", "sensitivity"} & set(terms):
        assert record["record"][name] == terms[name]


@pytest.mark.parametrize("state", ["candidate", "revoked", "stale", "disputed", "rejected", "superseded"])
def test_a_parent_that_is_not_accepted_blocks(desk, state):
    given(desk, claim("P", status=state), claim("C1", on="P"))

    assert "parents_accepted" in failed_checks(desk, "C1")
    settled = state in ("revoked", "rejected", "superseded")
    with refused("promotion_checks_failed", "P", "Reject this one too, or amend what it rests on." if settled else "Settle that one first."):
        decide(desk, "C1")


def test_an_expired_ancestor_blocks_until_it_is_renewed(desk, clock):
    given(desk, accepted("G", expires_at="2026-08-01"), accepted("P", on="G"), claim("C1", on="P"))
    assert failed_checks(desk, "C1") == []

    clock.pass_by(days=60)
    assert failed_checks(desk, "C1") == ["parents_accepted"]


def test_a_parent_in_an_open_conflict_blocks_until_it_is_settled(desk):
    given(desk, accepted("P", subject="s"), accepted("Q", "y", subject="s"), claim("C1", on="P"))
    assert failed_checks(desk, "C1") == ["parents_accepted"]

    carry_out(desk, revoking("Q"))
    assert failed_checks(desk, "C1") == []


def test_an_ancestor_in_an_open_conflict_blocks(desk):
    given(desk, accepted("P", subject="s"), accepted("M", on="P"), accepted("Q", "y", subject="s"), claim("C1", on="M"))

    assert failed_checks(desk, "C1") == ["parents_accepted"]


def test_a_parent_of_a_narrower_scope_blocks_until_a_reviewer_of_both_widens_it(desk):
    given(desk, person("dora", "reviewer", "acme/api"), accepted("P", scope="acme/funds"), claim("C1", on="P", scope="acme/api"))
    assert failed_checks(desk, "C1") == ["scope"]

    widened = {"widen_scope": "the fund's figures are public"}
    assert failed_checks(desk, "C1", by="dora", terms=widened) == ["scope"]
    assert failed_checks(desk, "C1", by="ana", terms=widened) == []
    decide(desk, "C1", terms=widened)


@pytest.mark.parametrize("scope", ["acme/api", "acme"])
def test_a_parent_of_the_own_or_a_broader_scope_is_fine(desk, scope):
    given(desk, accepted("P", scope=scope), claim("C1", on="P", scope="acme/api"))

    assert failed_checks(desk, "C1") == []


def test_a_scope_may_be_narrowed_but_not_widened_by_a_term(desk):
    given(desk, claim("C1", scope="acme/api"))

    for wider in ("acme", "acme/funds", "zeta/api"):
        with refused("bad_value"):
            decide(desk, "C1", terms={"scope": wider})
    decide(desk, "C1", terms={"scope": "acme/api/v2"})
    assert show(desk, "C1")["record"]["scope"] == "acme/api/v2"


def test_policy_decides_how_sure_the_entity_must_be_and_what_may_be_kept(desk):
    given(desk, claim("C1", entity_confidence=0.7), claim("C2", sensitivity="sensitive"), claim("C3", entity_confidence=0.85))
    given(desk, {"type": "policy", "scope": "acme", "entity_confidence": 0.9, "sensitivities": ["sensitive"]})

    assert failed_checks(desk, "C1") == ["entity_resolved"]
    assert failed_checks(desk, "C2") == []
    assert failed_checks(desk, "C3") == ["entity_resolved"]


def test_a_predicate_about_persons_makes_any_subject_a_person(desk):
    given(desk, predicate("prefers", about="person"), claim("C1", subject="lea", predicate="prefers"), claim("C2", subject="lea", predicate="prefers", speaker="lea"))

    assert failed_checks(desk, "C1") == ["claim_type"]
    assert failed_checks(desk, "C2") == []


def test_an_inference_about_a_thing_is_no_matter(desk):
    given(desk, accepted("P"), claim("C1", on="P", claim_type="inference"))

    assert failed_checks(desk, "C1") == []


def test_extraction_entity_type_and_sensitivity_do_not_concern_artifacts(desk):
    given(desk, accepted("P"), artifact("R1", "P", status="candidate", proposed_by="bot"))

    assert failed_checks(desk, "R1") == []
    decide(desk, "R1")
    assert show(desk, "R1")["validity"] == "CURRENT"


def test_an_artifact_whose_chain_ends_nowhere_is_not_source_bound(desk):
    given(desk, accepted("P", evidence=[]), artifact("R1", "P", status="candidate"))

    assert failed_checks(desk, "R1") == ["source_bound"]


def test_a_span_that_is_right_in_another_version_is_wrong(desk):
    given(desk, evidence("E2", text="x" + "The office is in Lyon.", version=2), claim("C1", evidence=[{**passage(), "evidence": "E2"}]))

    assert failed_checks(desk, "C1") == ["source_bound"]


# --- independent_reviewer: importer, proposer, amender -------------------------------------------------------------


def test_the_proposer_may_not_decide(desk):
    given(desk, claim("C1", proposed_by="ana"))

    assert failed_checks(desk, "C1", by="ana") == ["independent_reviewer"]
    assert failed_checks(desk, "C1", by="ben") == []


def test_the_importer_may_not_decide(desk):
    bring(desk, claim("C1"), by="ana")

    assert failed_checks(desk, "C1", by="ana") == ["independent_reviewer"]
    with refused("promotion_checks_failed"):
        decide(desk, "C1", "ana")
    decide(desk, "C1", "ben")


def test_whoever_amended_it_may_not_decide_and_stays_so(desk):
    given(desk, claim("C1"))
    amend(desk, "ana", TENANT, "C1", {"value": "y"})
    amend(desk, "ben", TENANT, "C1", {"value": "z"})

    assert failed_checks(desk, "C1", by="ana") == ["independent_reviewer"]
    assert failed_checks(desk, "C1", by="ben") == ["independent_reviewer"]
    decide(desk, "C1", "carl")


def test_contributors_named_on_a_line_count(desk):
    given(desk, claim("C1", contributors=["ana"]))

    assert failed_checks(desk, "C1", by="ana") == ["independent_reviewer"]


# --- rights --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("who", ["bot", "rita", "olga"])
def test_only_reviewers_decide(desk, who):
    given(desk, claim("C1", proposed_by=None))

    with refused("not_allowed" if who != "rita" else "not_found"):
        decide(desk, "C1", who)
    assert status(desk, "C1") == "CANDIDATE"


def test_a_reviewer_decides_only_in_the_scope_of_the_role(desk):
    given(desk, person("dora", "reviewer", "acme/api"), claim("C1", scope="acme/api"), claim("C2", scope="acme/funds"), claim("C3"))

    decide(desk, "C1", "dora")
    for id in ("C2", "C3"):
        with refused("not_found"):
            decide(desk, id, "dora")


def test_a_decision_needs_a_reason(desk):
    given(desk, claim("C1"))

    for nothing in (None, "", "  \n"):
        with refused("bad_value"):
            decide(desk, "C1", reason=nothing)


@pytest.mark.parametrize("reason", ["half \ud800 a pair", "a\x00b"], ids=ascii)
def test_a_reason_no_store_can_keep_is_refused(desk, reason):
    given(desk, claim("C1"))

    with refused("bad_value"):
        decide(desk, "C1", reason=reason)
    assert status(desk, "C1") == "CANDIDATE"


def test_an_unknown_term_or_a_bad_one_is_refused(desk):
    given(desk, claim("C1"))

    with refused("unknown_field"):
        decide(desk, "C1", terms={"value": "y"})
    for bad in ({"review_at": "soon"}, {"review_at": "2027-01-01T00:00:00"}, {"purposes": "*"}, {"sensitivity": "secret"}, {"entity_confirmed": "yes"}, {"owner": ""}):
        with refused("bad_value"):
            decide(desk, "C1", terms=bad)


# --- R3: what was seen ---------------------------------------------------------------------------------------------


def test_a_decision_on_another_version_is_refused_with_the_difference(desk):
    given(desk, claim("C1"))
    seen = show(desk, "C1")
    amend(desk, "carl", TENANT, "C1", {"value": "y"})

    with refused("changed_since_seen", str(seen["version"])) as caught:
        decide(desk, "C1", seen=seen["version"])
    assert caught.value.details["version"] == seen["version"] + 1
    with refused("changed_since_seen"):
        decide(desk, "C1", seen_hash=seen["content_hash"])
    with refused("changed_since_seen"):
        reject(desk, "ana", TENANT, "C1", "rejected", "no", seen=seen["version"])
    assert status(desk, "C1") == "CANDIDATE"


def test_a_decision_on_what_stands_there_goes_through(desk):
    given(desk, claim("C1"))
    seen = show(desk, "C1")

    decide(desk, "C1", seen=seen["version"], seen_hash=seen["content_hash"])
    assert show(desk, "C1")["version"] == seen["version"] + 1


def test_a_second_decision_is_told_who_decided_and_when(desk):
    given(desk, claim("C1"))
    decide(desk, "C1", "ana")

    with refused("already_decided", "ana", "2026-07-01"):
        decide(desk, "C1", "ben")
    with refused("already_decided", "ana"):
        reject(desk, "ben", TENANT, "C1", "rejected", "no")


# --- R8: what its task read ----------------------------------------------------------------------------------------


def log_of(task, *records):
    return {"type": "read", "task": task, "by": "bot", "at": "2026-06-01T00:00:00Z", "records": list(records)}


@pytest.fixture
def tasked(desk):
    """C1 was proposed by a task that also read P and Q, which it does not declare."""
    given(desk, accepted("P"), accepted("Q"), claim("C1", task="t1"), claim("C2", task="t2"))
    given(desk, log_of("t1", "E1", "P", "Q"))
    return desk


def test_an_undeclared_read_blocks_until_the_reviewer_says_of_each(tasked):
    assert failed_checks(tasked, "C1") == ["recorded_dependencies"]
    assert sorted(check(tasked, "C1")["unrecorded"]) == ["P", "Q"]
    assert failed_checks(tasked, "C1", terms={"used": ["P"]}) == ["recorded_dependencies"]
    assert failed_checks(tasked, "C1", terms={"used": ["P"], "not_used": ["Q"]}) == []
    assert failed_checks(tasked, "C2") == []


def test_what_was_used_becomes_a_parent_and_makes_no_contributor(tasked):
    decide(tasked, "C1", terms={"used": ["P"], "not_used": ["Q"]})

    assert show(tasked, "C1")["parents"] == ["E1", "P"]
    assert show(tasked, "C1")["record"].get("contributors", []) == []
    carry_out(tasked, revoking("Q"))
    assert status(tasked, "C1") == "ACCEPTED"
    carry_out(tasked, revoking("P"))
    assert status(tasked, "C1") == "STALE"


def test_answers_to_a_task_count_as_its_reads(desk):
    given(desk, accepted("P", subject="s"), claim("C1", task="t9"))
    ask(desk, "s", by="bot", task="t9")

    assert check(desk, "C1")["unrecorded"] == ["P"]


def test_what_a_parent_rests_on_already_is_recorded(desk):
    given(desk, accepted("P"), claim("C1", on="P", task="t1"))
    given(desk, log_of("t1", "E1", "P"))

    assert failed_checks(desk, "C1") == []


def test_what_was_used_must_itself_be_accepted(tasked):
    carry_out(tasked, revoking("P"))

    assert failed_checks(tasked, "C1", terms={"used": ["P"], "not_used": ["Q"]}) == ["parents_accepted"]


def test_naming_something_revoked_that_no_task_read_as_used_never_breaks_the_invariant(desk):
    given(desk, accepted("LOST", status="revoked"), claim("C1"))

    with refused("promotion_checks_failed"):
        decide(desk, "C1", terms={"used": ["LOST"]})
    assert is_sound(desk)


def test_changing_ones_mind_on_a_read_never_breaks_the_invariant(tasked):
    """A first approval says "not used"; then the record is revoked; then the second approval says "used"."""
    given(tasked, claim("H", task="t1", impact="high"))
    decide(tasked, "H", "ana", terms={"not_used": ["P", "Q"]})
    carry_out(tasked, revoking("P"))

    with refused("promotion_checks_failed"):
        decide(tasked, "H", "ben", terms={"used": ["P"]})
    assert is_sound(tasked)


def test_a_record_that_rests_on_the_candidate_cannot_have_been_used(desk):
    given(desk, claim("C1", task="t1"), claim("CHILD", on="C1"))
    given(desk, log_of("t1", "CHILD"))

    with refused("promotion_checks_failed"):
        decide(desk, "C1", terms={"used": ["CHILD"]})
    assert is_sound(desk)
