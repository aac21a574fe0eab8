"""No way back into use brings what the policy keeps no longer: reinstating, verdicts, settling, restoring, recapturing, confirming, importing (R2)."""

from store import STALE_STATES, Plan, StaleSift, Verb, change_policy, list_stale, parse_stated_time, preview_plan, renew
from tests.builders import (
    GROUND,
    TEXT,
    accepted,
    artifact,
    bring,
    carry_out,
    claim,
    evidence,
    given,
    is_sound,
    preview,
    refused,
    reinstating,
    resolving,
    rows,
    show,
    status,
    statuses,
    suspending,
    the_conflict,
    told,
)
from tests.recapturing import recapture

NO_LONGER = "claims of the type suggestion are not kept here"


def forbid(desk, **settings):
    change_policy(desk, "adam", "acme", "acme", settings or {"kept_types": ["fact"]}, "a new rule")


def confirming(*ids):
    return Plan(Verb.CONFIRM, ids)


def restoring(*ids):
    return Plan(Verb.RESTORE, ids)


def settling(conflict, keep):
    return Plan(Verb.SETTLE, (conflict,), choices={conflict: keep})


def test_what_was_suspended_is_not_reinstated_once_its_type_is_not_kept(desk):
    given(desk, accepted("A", claim_type="suggestion"), accepted("B"))
    carry_out(desk, suspending("A", "B"))
    forbid(desk)

    with refused("promotion_checks_failed", f"A: {NO_LONGER}", "Withdraw it for good, or ask an admin"):
        preview(desk, reinstating("A"))
    with refused("promotion_checks_failed", f"A: {NO_LONGER}", "Leave it out, or ask an admin"):
        preview(desk, reinstating("A", "B"))
    carry_out(desk, reinstating("B"))
    forbid(desk, kept_types=["fact", "suggestion"])
    carry_out(desk, reinstating("A"))

    assert statuses(desk, "A", "B") == {"A": "ACCEPTED", "B": "ACCEPTED"}


def test_nor_once_what_it_is_marked_is_not_kept(desk):
    given(desk, accepted("A", sensitivity="sensitive"))
    carry_out(desk, suspending("A"))

    with refused("promotion_checks_failed", "A: it is marked sensitive, which is not kept by default"):
        preview(desk, reinstating("A"))
    forbid(desk, sensitivities=["credential"])
    with refused("promotion_checks_failed", "A: it is marked sensitive, which is not kept here"):
        preview(desk, reinstating("A"))


def test_what_comes_back_only_to_be_looked_at_again_may(desk):
    given(desk, accepted("A"), accepted("B", on="A", claim_type="suggestion"))
    carry_out(desk, suspending("B"))
    carry_out(desk, suspending("A"))
    forbid(desk)
    carry_out(desk, reinstating("B"))

    assert status(desk, "B") == "STALE"


def test_a_preview_seen_before_the_policy_changed_brings_nothing_back(desk):
    given(desk, accepted("A", claim_type="suggestion"))
    carry_out(desk, suspending("A"))
    seen = preview(desk, reinstating("A"))
    forbid(desk)

    with refused("stale_preview", NO_LONGER):
        carry_out(desk, reinstating("A"), seen=seen)
    assert status(desk, "A") == "DISPUTED"


def test_no_verdict_brings_back_a_side_that_is_not_kept(desk):
    given(desk, accepted("A", 1, subject="s", claim_type="suggestion"), accepted("B", 2, subject="s"))
    conflict = the_conflict(desk)["id"]
    carry_out(desk, resolving(conflict, "unclear"))
    conflict = the_conflict(desk)["id"]
    forbid(desk)

    for verdict in ("keep", "same"):
        with refused("promotion_checks_failed", f"A: {NO_LONGER}"):
            preview(desk, resolving(conflict, verdict, keep="A"))
    found = preview_plan(desk, "ana", "acme", settling(conflict, "A"))
    assert found.impact.intent.left == [(conflict, "What would stay is suspended, and the policy keeps no such claims any more.")]
    with refused("bad_value", "settles none"):
        carry_out(desk, settling(conflict, "A"))
    carry_out(desk, settling(conflict, "B"))
    assert statuses(desk, "A", "B") == {"A": "SUPERSEDED", "B": "ACCEPTED"}


def test_restoring_leaves_what_is_not_kept_and_what_rests_on_it_and_says_why(desk):
    given(desk, accepted("A"), accepted("B", on="A", claim_type="suggestion"), accepted("C", on="B"), accepted("D", on="A"), artifact("R", ["D"]))
    carry_out(desk, suspending("A"))
    forbid(desk)
    carry_out(desk, reinstating("A"))

    seen = preview(desk, restoring("A"))
    assert rows(seen) == {"D": ("STALE", "ACCEPTED", 1, "A"), "R": ("STALE", "ACCEPTED", 2, "D")}
    assert {one["id"]: one["why"] for one in seen["no_effect"]} == {
        "B": f"needs re-validation and does not come back: {NO_LONGER}", "C": "waits for B, which still needs re-validation",
    }  # fmt: skip
    carry_out(desk, restoring("A"), seen=seen)

    assert statuses(desk, "A", "B", "C", "D", "R") == {"A": "ACCEPTED", "B": "STALE", "C": "STALE", "D": "ACCEPTED", "R": "ACCEPTED"}
    assert is_sound(desk)


def test_the_queue_counts_what_is_not_kept_apart_from_what_may_be_restored(desk):
    given(desk, accepted("A"), accepted("B", on="A", claim_type="suggestion"), accepted("C", on="B"), accepted("D", on="A"))
    carry_out(desk, suspending("A"))
    forbid(desk)
    carry_out(desk, reinstating("A"))

    queue = list_stale(desk, "ana")
    assert {name: queue.counts[name] for name in STALE_STATES if queue.counts[name]} == {"not_kept": 1, "back": 1, "upstream": 1}
    assert [(row.id, row.state) for row in queue.rows] == [("B", "not_kept"), ("D", "back"), ("C", "upstream")]
    assert {(one.state, one.count, one.restores) for one in queue.groups} == {("not_kept", 2, 0), ("back", 1, 1)}
    assert list_stale(desk, "ana", StaleSift(cause="not_kept:")).matched == 2


def test_a_recapture_of_a_suspended_version_brings_back_only_what_is_kept(desk):
    given(desk, accepted("A", claim_type="suggestion"), accepted("B"), accepted("ON_A", on="A"))
    carry_out(desk, suspending("E1"))
    forbid(desk)
    recapture(desk, TEXT + "One more line.\n")

    assert statuses(desk, "A", "B", "ON_A") == {"A": "STALE", "B": "ACCEPTED", "ON_A": "STALE"}


def test_confirming_says_what_to_do_with_what_is_not_kept(desk):
    given(desk, accepted("A"), accepted("B", on="A", claim_type="suggestion"))
    carry_out(desk, suspending("A"))
    carry_out(desk, reinstating("A"))
    forbid(desk)

    with refused("promotion_checks_failed", "B: Claims of the type suggestion are not kept here. Withdraw it for good, or ask an admin"):
        preview(desk, confirming("B"))


def test_a_candidate_that_is_not_kept_replaces_nothing(desk):
    given(desk, accepted("A", 1, subject="s"), claim("N", 2, subject="s", claim_type="suggestion"))
    forbid(desk)

    with refused("promotion_checks_failed", "Claims of the type suggestion are not kept here. Reject it"):
        preview(desk, Plan(Verb.SUPERSEDE, ("A",), by="N"))


def test_what_an_import_says_was_accepted_and_the_policy_excludes_needs_revalidation(desk):
    forbid(desk, kept_types=["fact"], sensitivities=[])
    given(desk, *(line for line in GROUND if line["id"] not in ("S1", "E1")))
    found = bring(desk, accepted("A", claim_type="suggestion"), accepted("B", sensitivity="sensitive"), accepted("C"), accepted("ON_A", on="A"), reviewed=True)

    assert statuses(desk, "A", "B", "C", "ON_A") == {"A": "STALE", "B": "STALE", "C": "ACCEPTED", "ON_A": "STALE"}
    assert found["rejected"] == []
    assert [(one["line"], one["id"]) for one in found["not_kept"]] == [(1, "A"), (2, "B")]
    assert found["not_kept"][0]["message"] == (
        "Claims of the type suggestion are not kept here, so it needs re-validation instead of being accepted. Withdraw it, or ask an admin what the policy should keep."
    )
    assert told(desk, "subject-A") == ("MISSING", [])
    assert show(desk, "A")["status"] == "STALE"


def test_where_no_policy_speaks_a_reviewed_import_is_the_admins_own_decision(desk):
    found = bring(desk, accepted("A", sensitivity="sensitive"), {"type": "policy", "scope": "acme", "kept_types": ["fact"]}, accepted("B", claim_type="suggestion"), reviewed=True)

    assert found["not_kept"] == []
    assert statuses(desk, "A", "B") == {"A": "ACCEPTED", "B": "ACCEPTED"}


def test_evidence_of_another_source_comes_back_whatever_is_kept(desk):
    given(desk, evidence("E9", text="Other words.", version=2))
    carry_out(desk, suspending("E9"))
    forbid(desk)
    carry_out(desk, reinstating("E9"))

    assert status(desk, "E9") == "ACCEPTED"


def renewed(desk, id, **dates):
    return renew(desk, "ana", "acme", id, **{name: parse_stated_time(text) for name, text in dates.items()})


def test_what_is_not_kept_is_not_renewed_and_may_only_be_ended_sooner(desk):
    given(desk, accepted("A", claim_type="suggestion"), accepted("B", sensitivity="sensitive", expires_at="2090-01-01T00:00:00Z"), accepted("C"))
    forbid(desk)

    with refused("promotion_checks_failed", f"A was not renewed: {NO_LONGER}", "Withdraw it for good, or ask an admin"):
        renewed(desk, "A", review_at="2099-06-01")
    with refused("promotion_checks_failed", "B was not renewed: it is marked sensitive"):
        renewed(desk, "B", expires_at="2095-01-01")
    with refused("promotion_checks_failed", "B was not renewed"):
        renewed(desk, "B", expires_at="2080-01-01", review_at="2099-06-01")
    for id in "AB":
        renewed(desk, id, expires_at="2026-08-01")
    renewed(desk, "C", review_at="2099-06-01")
    forbid(desk, kept_types=["fact", "suggestion"])
    renewed(desk, "A", review_at="2099-06-01")

    assert {id: show(desk, id)["record"]["expires_at"] for id in "ABC"} == {"A": "2026-08-01T00:00:00Z", "B": "2026-08-01T00:00:00Z", "C": None}
    assert is_sound(desk)
