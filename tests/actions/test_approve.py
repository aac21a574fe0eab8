"""Approving: the checks (R2), what was seen (R3), contradictions (R4), unrecorded dependencies (R8), two people."""

import pytest

from store import amend, reject
from tests.builders import (
    QUOTE,
    TENANT,
    accepted,
    artifact,
    ask,
    bring,
    carry_out,
    check,
    claim,
    conflicts,
    decide,
    evidence,
    failed_checks,
    given,
    is_sound,
    passage,
    person,
    predicate,
    preview,
    refused,
    revoking,
    show,
    sides,
    source,
    status,
    statuses,
    suspending,
    told,
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
    with refused("promotion_checks_failed", "P"):
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


def at(text):
    from store import parse_stated_time

    return parse_stated_time(text)
