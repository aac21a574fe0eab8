"""Plans: what a preview shows is what a commit does, or nothing is done (R20, R30, section 5)."""

import pytest

from store import explain_path
from tests.builders import (
    TENANT,
    accepted,
    artifact,
    ask,
    carry_out,
    chain,
    claim,
    conflicts,
    decide,
    delivered,
    dump,
    evidence,
    given,
    is_sound,
    preview,
    refused,
    reinstating,
    revoking,
    rows,
    show,
    status,
    statuses,
    superseding,
    suspending,
    told,
)

# --- revoke --------------------------------------------------------------------------------------------------------


def test_revoking_shows_everything_that_falls_before_anything_does(desk):
    chain(desk)
    before = dump(desk, but={"preview"})

    found = preview(desk, revoking("A"))
    assert rows(found) == {"A": ("ACCEPTED", "REVOKED", 0, None), "B": ("ACCEPTED", "STALE", 1, "A"), "R1": ("ACCEPTED", "STALE", 2, "B")}
    assert found["totals"]["affected"] == 3
    assert found["totals"]["by_kind"] == {"claim": 2, "artifact": 1}
    assert found["totals"]["delivered"] == 1
    assert sorted((one["id"], one["recipient"]) for one in found["notices"]) == [("R1", "kim"), ("R1", "lee")]
    assert [one["id"] for one in found["blocked_candidates"]] == ["CAND"]
    assert [(one["subject"], one["before"], one["after"]) for one in found["answers"]] == [("subject-A", "OK", "MISSING"), ("subject-B", "OK", "MISSING")]
    assert found["complete"] is True
    assert found["hidden"] == {"count": 0, "delivered": 0}
    assert dump(desk, but={"preview"}) == before


def test_committing_does_exactly_that(desk):
    chain(desk)
    seen = preview(desk, revoking("A"))

    receipt = carry_out(desk, revoking("A"), seen=seen)
    assert receipt["changed"] == seen["totals"]["affected"]
    assert receipt["receipt"]
    for one in seen["affected"]:
        found = show(desk, one["id"])
        assert found["status"] == one["to"]
        assert found["history"][-1]["seq"] == receipt["event"]
        assert found["history"][-1]["from"] == one["from"]
    assert statuses(desk, "E1", "X", "CAND") == {"E1": "ACCEPTED", "X": "ACCEPTED", "CAND": "CANDIDATE"}
    for answer in seen["answers"]:
        assert ask(desk, answer["subject"], answer["predicate"], answer["scope"], "ana", qualifiers=answer["qualifiers"])["result"] == answer["after"]
    assert told(desk, "subject-X") == ("OK", ["X"])
    assert is_sound(desk)


def test_a_source_means_all_its_versions_the_step_is_legal_for(desk):
    given(desk, evidence("E2", version=2, status="revoked"), evidence("E3", version=3), accepted("A"))

    found = preview(desk, revoking("S1"))
    assert set(rows(found)) == {"E1", "E3", "A"}
    carry_out(desk, revoking("S1"))
    with refused("illegal_step"):
        preview(desk, revoking("S1"))


@pytest.mark.parametrize("state", ["candidate", "stale", "disputed", "superseded"])
def test_what_is_not_accepted_can_be_revoked_and_takes_nothing_along(desk, state):
    given(desk, claim("C1", status=state), claim("D1", on="C1"))

    assert list(rows(preview(desk, revoking("C1")))) == ["C1"]
    carry_out(desk, revoking("C1"))
    assert statuses(desk, "C1", "D1") == {"C1": "REVOKED", "D1": "CANDIDATE"}


def test_roots_that_rest_on_each_other_each_get_the_step(desk):
    chain(desk)

    found = preview(desk, revoking("A", "B"))
    assert {id: row[1] for id, row in rows(found).items()} == {"A": "REVOKED", "B": "REVOKED", "R1": "STALE"}
    carry_out(desk, revoking("A", "B"), seen=found)
    assert statuses(desk, "A", "B", "R1") == {"A": "REVOKED", "B": "REVOKED", "R1": "STALE"}


def test_a_diamond_is_counted_once_at_its_least_distance(desk):
    given(desk, accepted("A"), accepted("L", on="A"), accepted("M", on="L"), accepted("D", on=["A", "M", "L"]), accepted("F", on="D"))

    assert {id: row[2] for id, row in rows(preview(desk, revoking("A"))).items()} == {"A": 0, "L": 1, "D": 1, "M": 2, "F": 2}


def test_notices_follow_the_whole_reach_whatever_the_statuses_on_the_way(desk):
    given(
        desk, accepted("A"), accepted("B", on="A"), artifact("OLD", "B", deliveries=[delivered("kim")]),
        artifact("NEW", "B", edition=2, edition_of="OLD", deliveries=[delivered("kim"), delivered("kim", "letter")]),
    )  # fmt: skip
    carry_out(desk, superseding("OLD", "NEW"))
    carry_out(desk, revoking("B"))

    found = preview(desk, revoking("A"))
    assert set(rows(found)) == {"A"}
    assert found["totals"]["delivered"] == 2
    assert sorted((one["id"], one["recipient"]) for one in found["notices"]) == [("NEW", "kim"), ("OLD", "kim")]
    assert {one["id"]: one["why"] for one in found["no_effect"]}.keys() == {"B", "OLD", "NEW"}


def test_a_delivered_artifact_stays_delivered_and_needs_revalidation(desk):
    chain(desk)
    carry_out(desk, revoking("A"))

    found = show(desk, "R1")
    assert (found["validity"], found["delivery"], len(found["deliveries"])) == ("NEEDS_REVALIDATION", "DELIVERED", 2)


def test_owners_of_what_changes_are_named(desk):
    chain(desk)
    given(desk, artifact("R2", "A", owner="ben"), artifact("R3", "X", owner="carl"))

    assert [one["id"] for one in preview(desk, revoking("A"))["owners"]] == ["ana", "ben"]


def test_owners_of_unfinished_high_impact_actions_in_the_reach_are_told_too(desk):
    given(desk, accepted("A"), accepted("B", on="A"), artifact("ACT", "B", artifact_type="action", impact="high", owner="carl"))
    carry_out(desk, revoking("B"))
    assert status(desk, "ACT") == "STALE"

    assert [one["id"] for one in preview(desk, revoking("A"))["owners"]] == ["carl"]


def test_one_full_path_can_be_asked_for(desk):
    chain(desk)

    assert [one["id"] for one in explain_path(desk, "ana", TENANT, revoking("A"), "R1")] == ["A", "B", "R1"]
    with refused("not_found"):
        explain_path(desk, "ana", TENANT, revoking("A"), "X")


def test_coverage_says_how_many_claims_declare_no_parents(desk):
    given(desk, accepted("A"), accepted("LOOSE1", evidence=[]), accepted("LOOSE2", evidence=[]), claim("LOOSE3", evidence=[]))

    assert preview(desk, revoking("A"))["coverage"]["unparented"] == 2


def test_it_says_what_was_already_told(desk):
    chain(desk)
    told(desk, "subject-A", by="bot")
    told(desk, "subject-B", by="rita")
    told(desk, "subject-X", by="rita")

    served = preview(desk, revoking("A"))["served"]
    assert (served["times"], served["readers"]) == (2, 2)


# --- answers -------------------------------------------------------------------------------------------------------


def test_an_answer_rises_when_the_rival_falls(desk):
    given(desk, accepted("A", 1, subject="s"), accepted("B", 2, subject="s"), accepted("D", on="A"))

    found = preview(desk, revoking("B"))
    assert [(one["subject"], one["before"], one["after"]) for one in found["answers"]] == [("s", "CONFLICT", "OK"), ("subject-D", "CONFLICT", "OK")]
    carry_out(desk, revoking("B"), seen=found)
    assert told(desk, "s") == ("OK", ["A"])
    assert told(desk, "subject-D") == ("OK", ["D"])


def test_a_nearer_claim_that_falls_stale_holds_the_broader_one_back(desk):
    given(desk, accepted("WIDE", 1, subject="s"), accepted("P"), accepted("NEAR", 2, subject="s", scope="acme/api", on="P"))

    found = preview(desk, revoking("P"))
    assert ("acme/api", "s", "OK", "MISSING") in [(one["scope"], one["subject"], one["before"], one["after"]) for one in found["answers"]]
    carry_out(desk, revoking("P"), seen=found)
    assert told(desk, "s", scope="acme/api") == ("MISSING", [])


def test_a_nearer_claim_that_is_revoked_lets_the_broader_one_answer(desk):
    given(desk, accepted("WIDE", 1, subject="s"), accepted("NEAR", 2, subject="s", scope="acme/api"))

    assert preview(desk, revoking("NEAR"))["answers"] == []
    carry_out(desk, revoking("NEAR"))
    assert told(desk, "s", scope="acme/api") == ("OK", ["WIDE"])


def test_a_broader_claim_that_falls_changes_the_answer_of_a_nearer_key_that_leaned_on_it(desk):
    given(desk, accepted("WIDE", 1, subject="s"), accepted("NEAR", 2, subject="s", scope="acme/api", status="revoked"))
    assert told(desk, "s", scope="acme/api") == ("OK", ["WIDE"])

    found = [(one["scope"], one["before"], one["after"]) for one in preview(desk, revoking("WIDE"))["answers"]]
    assert found == [("acme", "OK", "MISSING"), ("acme/api", "OK", "MISSING")]


# --- suspend and reinstate -----------------------------------------------------------------------------------------


def test_suspending_takes_out_of_use_and_reinstating_brings_back_only_the_record_itself(desk):
    chain(desk)
    carry_out(desk, suspending("A"))
    assert statuses(desk, "A", "B", "R1") == {"A": "DISPUTED", "B": "STALE", "R1": "STALE"}
    assert told(desk, "subject-A") == ("MISSING", [])

    carry_out(desk, reinstating("A"))
    assert statuses(desk, "A", "B", "R1") == {"A": "ACCEPTED", "B": "STALE", "R1": "STALE"}
    assert told(desk, "subject-A") == ("OK", ["A"])
    assert is_sound(desk)


def test_reinstated_on_a_lost_parent_it_becomes_stale(desk):
    chain(desk)
    carry_out(desk, suspending("A"))
    carry_out(desk, revoking("E1"))

    assert rows(preview(desk, reinstating("A")))["A"][:2] == ("DISPUTED", "STALE")
    carry_out(desk, reinstating("A"))
    assert status(desk, "A") == "STALE"
    assert is_sound(desk)


def test_parent_and_child_can_be_reinstated_together(desk):
    chain(desk)
    carry_out(desk, suspending("A", "B"))

    carry_out(desk, reinstating("B", "A"))
    assert statuses(desk, "A", "B", "R1") == {"A": "ACCEPTED", "B": "ACCEPTED", "R1": "STALE"}
    assert is_sound(desk)


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ("candidate", "is a candidate"), ("stale", "needs re-validation"), ("disputed", "is disputed"), ("superseded", "is superseded"), ("revoked", "is revoked"),
        ("rejected", "is rejected"),
    ],
)  # fmt: skip
def test_only_what_is_accepted_is_suspended(desk, state, said):
    given(desk, claim("C1", status=state))

    with refused("illegal_step", f"C1 {said}"):
        preview(desk, suspending("C1"))


@pytest.mark.parametrize("state", ["candidate", "reviewed", "stale", "superseded", "revoked", "rejected"])
def test_only_what_is_disputed_is_reinstated(desk, state):
    given(desk, claim("C1", status=state))

    with refused("illegal_step"):
        preview(desk, reinstating("C1"))


def test_one_illegal_root_refuses_the_plan_whole(desk):
    given(desk, accepted("A"), claim("C1", status="revoked"))

    with refused("illegal_step", "C1"):
        preview(desk, revoking("A", "C1"))


# --- supersede -----------------------------------------------------------------------------------------------------


def test_a_candidate_that_supersedes_is_accepted_in_the_same_event(desk):
    given(desk, accepted("OLD", 1, subject="s"), accepted("DEP", on="OLD"), claim("NEW", 2, subject="s"))

    found = preview(desk, superseding("OLD", "NEW"))
    assert {id: row[:2] for id, row in rows(found).items()} == {"OLD": ("ACCEPTED", "SUPERSEDED"), "NEW": ("CANDIDATE", "ACCEPTED"), "DEP": ("ACCEPTED", "STALE")}
    assert [(one["before"], one["after"]) for one in found["answers"] if one["subject"] == "s"] == []
    carry_out(desk, superseding("OLD", "NEW"), seen=found)
    assert show(desk, "OLD")["superseded_by"] == "NEW"
    assert told(desk, "s") == ("OK", ["NEW"])
    assert is_sound(desk)


def test_superseding_asks_the_candidate_every_promotion_check(desk):
    given(desk, accepted("OLD", 1, subject="s"), claim("NEW", 2, subject="s", owner=None), claim("HIGH", 3, subject="s", impact="high"), claim("MINE", 4, subject="s", proposed_by="ana"))

    for new in ("NEW", "HIGH", "MINE"):
        with refused("promotion_checks_failed"):
            preview(desk, superseding("OLD", new))
    decide(desk, "HIGH", "ben", open_conflict=True)
    carry_out(desk, superseding("OLD", "HIGH"))
    assert statuses(desk, "OLD", "HIGH") == {"OLD": "SUPERSEDED", "HIGH": "ACCEPTED"}


def test_an_accepted_rival_may_supersede_and_the_conflict_dissolves(desk):
    given(desk, accepted("OLD", 1, subject="s"), accepted("NEW", 2, subject="s"))

    carry_out(desk, superseding("OLD", "NEW"))
    assert conflicts(desk) == []
    assert told(desk, "s") == ("OK", ["NEW"])


def test_supersession_happens_within_one_key(desk):
    given(desk, accepted("OLD", subject="s"), accepted("OTHER", subject="t"), accepted("LOWER", subject="s", scope="acme/api"), artifact("R1", "OLD"))

    for new in ("OTHER", "LOWER", "R1", "OLD"):
        with refused("other_key"):
            preview(desk, superseding("OLD", new))


def test_only_an_edition_supersedes_an_artifact(desk):
    given(desk, accepted("A"), artifact("R1", "A"), artifact("R2", "A", edition=2, edition_of="R1"), artifact("UNRELATED", "A"))

    with refused("other_key"):
        preview(desk, superseding("R1", "UNRELATED"))
    carry_out(desk, superseding("R1", "R2"))
    assert show(desk, "R1")["validity"] == "REPLACED"


def test_a_successor_may_not_rest_on_what_it_replaces(desk):
    given(desk, accepted("OLD", 1, subject="s"), accepted("MID", on="OLD"), accepted("NEW", 1, subject="s", on="MID"), claim("CAND", 2, subject="s", on="OLD"))

    for new in ("NEW", "CAND"):
        with refused("illegal_step", "rests on"):
            preview(desk, superseding("OLD", new))


def test_a_candidate_that_would_still_contradict_a_third_is_refused(desk):
    given(desk, accepted("OLD", 1, subject="s"), accepted("THIRD", 3, subject="s"), claim("NEW", 2, subject="s"))

    with refused("would_contradict", "THIRD"):
        preview(desk, superseding("OLD", "NEW"))


@pytest.mark.parametrize("state", ["stale", "disputed", "superseded", "revoked", "rejected"])
def test_a_successor_is_accepted_or_a_candidate(desk, state):
    given(desk, accepted("OLD", 1, subject="s"), claim("NEW", 1, subject="s", status=state))

    with refused("illegal_step"):
        preview(desk, superseding("OLD", "NEW"))
