"""Plans: what a preview shows is what a commit does, or nothing is done (R20, R30, section 5)."""

import pytest

from store import commit_plan, explain_path, find_tenant
from tests.builders import (
    CAST,
    TENANT,
    accepted,
    artifact,
    ask,
    bring,
    carry_out,
    claim,
    conflicts,
    decide,
    delivered,
    dump,
    evidence,
    given,
    is_sound,
    passage,
    person,
    preview,
    refused,
    reinstating,
    resolving,
    revoking,
    show,
    source,
    status,
    statuses,
    superseding,
    suspending,
    the_conflict,
    told,
)


def chain(desk):
    """E1 → A → B → R1 (delivered), A → CAND; X apart."""
    given(
        desk, accepted("A"), accepted("B", on="A"), artifact("R1", "B", deliveries=[delivered("kim"), delivered("lee")]), claim("CAND", on="A"), source("S2"),
        evidence("E2", "S2"), accepted("X", evidence=[passage(evidence="E2")]),
    )  # fmt: skip


def rows(found):
    return {one["id"]: (one["from"], one["to"], one["distance"], one["via"]) for one in found["affected"]}


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


@pytest.mark.parametrize("state", ["candidate", "stale", "disputed", "superseded", "revoked", "rejected"])
def test_only_what_is_accepted_is_suspended(desk, state):
    given(desk, claim("C1", status=state))

    with refused("illegal_step", state.upper()):
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


# --- what was seen -------------------------------------------------------------------------------------------------


def stale(desk, plan, seen, by="ana"):
    with refused("stale_preview") as caught:
        carry_out(desk, plan, by=by, seen=seen)
    return {name: caught.value.details[name] for name in ("added", "removed", "changed")}


def test_a_dependent_added_since_is_named(desk):
    chain(desk)
    seen = preview(desk, revoking("A"))
    given(desk, accepted("LATE", on="B"))
    before = dump(desk, but={"refusal"})

    assert stale(desk, revoking("A"), seen) == {"added": ["LATE"], "removed": [], "changed": []}
    assert dump(desk, but={"refusal"}) == before
    carry_out(desk, revoking("A"))
    assert status(desk, "LATE") == "STALE"


def test_a_dependent_that_fell_since_is_named(desk):
    chain(desk)
    seen = preview(desk, revoking("A"))
    carry_out(desk, suspending("R1"))

    assert stale(desk, revoking("A"), seen) == {"added": [], "removed": ["R1"], "changed": []}


def test_a_dependent_changed_since_is_named(desk):
    from store import parse_stated_time, renew

    chain(desk)
    seen = preview(desk, revoking("A"))
    renew(desk, "ben", TENANT, "B", review_at=parse_stated_time("2031-01-01"))

    assert stale(desk, revoking("A"), seen) == {"added": [], "removed": [], "changed": ["B"]}


def test_a_new_candidate_in_the_reach_makes_it_stale(desk):
    chain(desk)
    seen = preview(desk, revoking("A"))
    bring(desk, claim("CAND2", on="R1"), by="bot")

    assert stale(desk, revoking("A"), seen)["added"] == ["CAND2"]


def test_a_root_that_was_settled_meanwhile_makes_it_stale(desk):
    chain(desk)
    seen = preview(desk, suspending("A"))
    carry_out(desk, revoking("A"), by="ben")

    assert stale(desk, suspending("A"), seen)["changed"] == ["A"]


def test_another_policy_makes_it_stale(desk):
    chain(desk)
    seen = preview(desk, revoking("A"))
    given(desk, {"type": "policy", "scope": "acme", "entity_confidence": 0.5})

    stale(desk, revoking("A"), seen)


def test_a_further_side_makes_a_verdict_stale(desk):
    given(desk, accepted("A", 1, subject="s"), accepted("B", 2, subject="s"))
    plan = resolving(the_conflict(desk)["id"], "keep", keep="A")
    seen = preview(desk, plan)
    given(desk, accepted("C", 3, subject="s"))

    assert stale(desk, plan, seen)["added"] == ["C"]


def test_what_has_nothing_to_do_with_it_does_not(desk, clock):
    chain(desk)
    seen = preview(desk, revoking("A"))
    given(desk, accepted("FAR", evidence=[passage(evidence="E2")]), claim("FAR2"))
    carry_out(desk, revoking("X"))
    clock.pass_by(days=2)

    assert carry_out(desk, revoking("A"), seen=seen)["changed"] == 3


def test_a_plan_may_be_handed_to_somebody_else(desk):
    chain(desk)
    seen = preview(desk, revoking("A"), by="ana")

    carry_out(desk, revoking("A"), by="ben", seen=seen)
    assert show(desk, "A")["history"][-1]["actor"] == "ben"


def test_the_same_plan_cannot_be_committed_twice(desk):
    chain(desk)
    seen = preview(desk, revoking("A"))
    carry_out(desk, revoking("A"), seen=seen)

    with refused("already_decided", "ana"):
        carry_out(desk, revoking("A"), by="ben", seen=seen)


def test_nothing_is_committed_that_nobody_previewed(desk):
    chain(desk)
    seen = preview(desk, revoking("B"))

    with refused("unknown_preview"):
        carry_out(desk, revoking("A"), seen={"fingerprint": "0" * 32})
    with refused("unknown_preview"):
        carry_out(desk, revoking("A"), seen=seen)
    with refused("unknown_preview"):
        carry_out(desk, suspending("B"), seen=seen)
    assert statuses(desk, "A", "B") == {"A": "ACCEPTED", "B": "ACCEPTED"}


def test_a_commit_needs_a_reason(desk):
    chain(desk)

    with refused("bad_value"):
        carry_out(desk, revoking("A"), reason="  ")


def test_the_same_preview_has_the_same_fingerprint_for_everybody(desk):
    chain(desk)

    assert preview(desk, revoking("A"), by="ana")["fingerprint"] == preview(desk, revoking("A"), by="ben")["fingerprint"]
    assert preview(desk, revoking("A"))["fingerprint"] != preview(desk, suspending("A"))["fingerprint"]


# --- R30 -----------------------------------------------------------------------------------------------------------


def test_the_same_operation_is_done_once(desk):
    chain(desk)
    seen = preview(desk, revoking("A"))
    first = carry_out(desk, revoking("A"), seen=seen, operation="op")

    assert carry_out(desk, revoking("A"), seen=seen, operation="op") == first
    for change in ({"by": "ben"}, {"reason": "other"}):
        with refused("operation_reused"):
            carry_out(desk, revoking("A"), seen=seen, operation="op", **change)
    with refused("operation_reused"):
        decide(desk, "CAND", operation="op")


# --- rights and what is hidden -------------------------------------------------------------------------------------


@pytest.fixture
def two_scopes(desk):
    """dora reviews acme/api only; what she revokes reaches acme/board, which she may not see."""
    given(
        desk, person("dora", "reviewer", "acme/api"), source("S3", "acme/api"), evidence("E3", "S3"), accepted("ROOT", scope="acme/api", evidence=[passage(evidence="E3")]),
        accepted("HIDDEN", on="ROOT", scope="acme/board"), artifact("HIDDENREPORT", "HIDDEN", scope="acme/board", owner="board", deliveries=[delivered("chair")]),
        accepted("SEEN", on="HIDDEN", scope="acme/api"), claim("HIDDENCAND", on="ROOT", scope="acme/board"),
    )  # fmt: skip
    return desk


def test_hidden_rows_are_counted_and_not_named(two_scopes):
    found = preview(two_scopes, revoking("ROOT"), by="dora")

    assert sorted(one["id"] for one in found["affected"]) == ["ROOT", "SEEN"]
    assert found["hidden"] == {"count": 2, "delivered": 1}
    assert (found["totals"]["affected"], found["totals"]["delivered"]) == (4, 1)
    assert found["fingerprint"] == preview(two_scopes, revoking("ROOT"), by="ana")["fingerprint"]


def test_nothing_in_a_preview_names_what_is_hidden(two_scopes):
    found = preview(two_scopes, revoking("ROOT"), by="dora")

    assert "HIDDEN" not in repr(found)
    assert "chair" not in repr(found)
    assert "board" not in repr(found)


def test_a_hidden_report_without_owner_is_not_named(two_scopes):
    given(two_scopes, artifact("HIDDENORPHAN", "ROOT", scope="acme/board", owner=None))

    assert "HIDDENORPHAN" not in repr(preview(two_scopes, revoking("ROOT"), by="dora"))


def test_a_hidden_conflict_is_not_named(two_scopes):
    given(two_scopes, accepted("BOARD1", 1, on="ROOT", scope="acme/board", subject="merger"), accepted("BOARD2", 2, scope="acme/board", subject="merger"))

    assert "merger" not in repr(preview(two_scopes, revoking("ROOT"), by="dora"))


def test_a_stale_preview_does_not_name_what_is_hidden(two_scopes):
    seen = preview(two_scopes, revoking("ROOT"), by="dora")
    given(two_scopes, accepted("HIDDENLATE", on="ROOT", scope="acme/board"))

    with refused("stale_preview") as caught:
        carry_out(two_scopes, revoking("ROOT"), by="dora", seen=seen)
    assert "HIDDENLATE" not in caught.value.message
    assert "HIDDENLATE" not in repr(caught.value.details)


def test_no_path_is_given_to_what_is_hidden(two_scopes):
    with refused("not_found"):
        explain_path(two_scopes, "dora", TENANT, revoking("ROOT"), "HIDDEN")
    assert "HIDDEN" not in repr(explain_path(two_scopes, "dora", TENANT, revoking("ROOT"), "SEEN"))


def test_consequences_apply_everywhere_in_the_tenant(two_scopes):
    carry_out(two_scopes, revoking("ROOT"), by="dora")

    assert statuses(two_scopes, "HIDDEN", "HIDDENREPORT", "SEEN") == dict.fromkeys(("HIDDEN", "HIDDENREPORT", "SEEN"), "STALE")


def test_a_role_is_needed_on_the_roots(two_scopes):
    for who, root, code in (("dora", "HIDDEN", "not_found"), ("dora", "S1", "not_found"), ("rita", "ROOT", "not_allowed"), ("rita", "HIDDENCAND", "not_found"), ("bot", "ROOT", "not_allowed"), ("olga", "ROOT", "not_allowed")):
        with refused(code):
            preview(two_scopes, revoking(root), by=who)


def test_missing_and_forbidden_roots_read_the_same(two_scopes):
    messages = []
    for root in ("HIDDEN", "NOWHERE"):
        with refused("not_found") as caught:
            preview(two_scopes, revoking(root), by="dora")
        messages.append(caught.value.message.replace(root, "…"))

    assert messages[0] == messages[1]


def test_rights_are_read_again_at_commit(two_scopes):
    seen = preview(two_scopes, revoking("ROOT"), by="dora")
    given(two_scopes, person("dora", "reader", "acme/api"))

    with refused("not_allowed"):
        carry_out(two_scopes, revoking("ROOT"), by="dora", seen=seen)
    assert status(two_scopes, "ROOT") == "ACCEPTED"


# --- artifacts without owner ---------------------------------------------------------------------------------------


@pytest.fixture
def orphan(desk):
    given(desk, accepted("A"), artifact("R1", "A", owner=None), artifact("R2", "A"))
    return desk


def test_an_artifact_without_owner_is_an_open_question_that_blocks_the_commit(orphan):
    found = preview(orphan, revoking("A"))

    assert found["open_questions"] == ["R1"]
    with refused("incomplete_preview", "R1"):
        carry_out(orphan, revoking("A"), seen=found)
    assert status(orphan, "A") == "ACCEPTED"


def test_naming_an_owner_settles_it(orphan):
    carry_out(orphan, revoking("A"), owners={"R1": "ben"})

    assert show(orphan, "R1")["record"]["owner"] == "ben"
    assert statuses(orphan, "A", "R1", "R2") == {"A": "REVOKED", "R1": "STALE", "R2": "STALE"}
    assert is_sound(orphan)


def test_waiving_it_with_a_reason_settles_it_and_is_kept(orphan):
    carry_out(orphan, revoking("A"), waived={"R1": "nobody reads it"})

    assert show(orphan, "R1")["record"]["owner"] is None
    assert "nobody reads it" in show(orphan, "A")["history"][-1]["reason"]


@pytest.mark.parametrize(("settled", "code"), [({"owners": {"R1": "nobody"}}, "unknown_person"), ({"owners": {"R1": "ben", "R2": "ben"}}, "bad_value"), ({"owners": {"NOTHING": "ben"}}, "incomplete_preview"), ({"waived": {"R1": " "}}, None)], ids=str)
def test_an_owner_who_is_none_settles_nothing(orphan, settled, code):
    if code is None:
        with refused("bad_value"):
            carry_out(orphan, revoking("A"), **settled)
    else:
        with refused(code):
            carry_out(orphan, revoking("A"), **settled)
    assert statuses(orphan, "A", "R1") == {"A": "ACCEPTED", "R1": "ACCEPTED"}


# --- tenants -------------------------------------------------------------------------------------------------------


def test_a_plan_stays_within_its_tenant(store):
    given(store, *CAST, source(), evidence(), accepted("A"))
    given(store, person("zoe", "reviewer", "zeta"), source("S1", "zeta"), accepted("A", scope="zeta", evidence=[]), accepted("B", on="A", scope="zeta"))

    with refused("ambiguous_tenant"):
        find_tenant(store, "operator", ["A"])
    assert find_tenant(store, "zoe", ["A"]) == "zeta"
    carry_out(store, revoking("A"))
    assert statuses(store, "A") == {"A": "REVOKED"}
    assert status(store, "A", "zeta") == "ACCEPTED"
    with refused("not_found"):
        carry_out(store, revoking("A"), by="ana", tenant="zeta")


def test_a_tenant_one_has_no_role_in_reads_like_one_that_is_not_there(desk):
    given(desk, person("zoe", "reviewer", "zeta"), source("S1", "zeta"), accepted("A", scope="zeta", evidence=[]))

    answers = []
    for tenant in ("zeta", "nowhere"):
        with refused("not_found") as caught:
            commit_plan(desk, "ana", tenant, revoking("A"), "0" * 32, "because")
        answers.append(caught.value.message.replace(tenant, "…"))
    assert answers[0] == answers[1]
