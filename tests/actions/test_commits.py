"""Commits: exactly what was seen is done, once, by somebody who may, or nothing is (R20, R30)."""

import pytest

from store import commit_plan, explain_path, find_tenant
from tests.builders import (
    CAST,
    TENANT,
    accepted,
    artifact,
    bring,
    carry_out,
    chain,
    claim,
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
    resolving,
    revoking,
    show,
    source,
    status,
    statuses,
    suspending,
    the_conflict,
)

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
