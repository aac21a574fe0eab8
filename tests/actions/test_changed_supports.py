"""What rests on another value than when it was last accepted (R22, R23).

Directly: it is looked at, never restored. Further up, where somebody let the record between stand with its value unchanged:
it is restored together, and whoever restores it is told.
"""

import pytest

from store import Plan, StaleSift, Verb, amend, dismiss_trigger, fire_trigger, list_stale, reopen, view_stale
from tests.builders import (
    TENANT,
    accepted,
    artifact,
    carry_out,
    claim,
    decide,
    evidence,
    given,
    is_sound,
    passage,
    person,
    predicate,
    preview,
    refused,
    reinstating,
    revoking,
    source,
    status,
    statuses,
    suspending,
)
from tests.recapturing import CHANGED, MOVED, NAV, recapture

OLD, NEW = '"184,000,000 USD"', '"179,500,000 USD"'


def confirming(*ids, **how):
    return Plan(Verb.CONFIRM, ids, **how)


def restoring(*ids):
    return Plan(Verb.RESTORE, ids)


def waiting(store):
    """What waits, and why; `told` is what may be restored though something further up says something else now."""
    return {row.id: "told" if row.state == "back" and row.changed is not None else row.state for row in list_stale(store, "ana").rows}


def told(store, id):
    """Then and now of what a record rests on, the nearest first."""
    return [(one.was, one.said, one.id, one.says) for one in view_stale(store, "ana", TENANT, id).changes]


def why_not(found):
    return {one["id"]: one["why"] for one in found["no_effect"]}


def answer(store, old, new, value, **fields):
    """Let a candidate with another value answer a fallen claim, as new values of a recapture do."""
    given(store, claim(new, value, subject=f"subject-{old}", **fields), reviewed=False)
    decide(store, new)


def say_otherwise(store, *below):
    """A says 1 while `below` comes to rest on it; it falls, stands again, and is amended to 2."""
    given(store, claim("A", 1), reviewed=False)
    decide(store, "A")
    given(store, *below)
    carry_out(store, suspending("A"), by="ben")
    carry_out(store, reinstating("A"), by="ben")
    reopen(store, "ana", TENANT, "A")
    amend(store, "carl", TENANT, "A", {"value": 2})
    decide(store, "A", by="ben")


def settle_with(store, value, text=CHANGED):
    """The source says something else, its value becomes a claim that answers the old one, and X rests on that now."""
    recapture(store, text, values={"NAV": {"value": value}})
    decide(store, "NAV.2", "ben")
    carry_out(store, confirming("X", replace={"NAV": "NAV.2"}), reason="X holds with the new figure too")


@pytest.fixture
def restated(fund):
    """NAV → X → MEMO → PLAN, and X → SUM; NAV was restated, and X confirmed on the new figure."""
    given(fund, artifact("PLAN", "MEMO"), accepted("SUM", on="X"))
    settle_with(fund, "179,500,000 USD")
    return fund


# --- a chain ---------------------------------------------------------------------------------------------------------


def test_what_rests_on_a_record_that_stands_with_its_value_unchanged_is_restored_and_the_figure_above_is_told(restated):
    assert status(restated, "X") == "ACCEPTED"
    assert waiting(restated) == {"MEMO": "told", "SUM": "told", "PLAN": "told"}
    assert told(restated, "PLAN") == [("NAV", OLD, "NAV.2", NEW)]
    (group,) = list_stale(restated, "ana").groups
    assert (group.state, group.restores, group.further) == ("back", 3, 3)
    carry_out(restated, restoring("X"))
    assert set(statuses(restated, "MEMO", "SUM", "PLAN").values()) == {"ACCEPTED"}
    assert waiting(restated) == {}
    assert is_sound(restated)


def test_what_rests_directly_on_what_says_something_else_now_waits_for_a_look_and_the_rest_for_it(desk):
    say_otherwise(desk, accepted("P", on="A"), accepted("D", on="P"), accepted("E", on="D"))
    assert waiting(desk) == {"P": "value", "D": "upstream", "E": "upstream"}
    seen = preview(desk, restoring("A"))
    assert seen["affected"] == []
    with refused("bad_value", "P rests on A, which says 2 now and said 1", "Nothing was changed"):
        carry_out(desk, restoring("A"), seen=seen)
    carry_out(desk, confirming("P"), reason="it holds for 2 as well")
    assert waiting(desk) == {"D": "told", "E": "told"}
    carry_out(desk, restoring("P"))
    assert statuses(desk, "D", "E") == {"D": "ACCEPTED", "E": "ACCEPTED"}
    assert is_sound(desk)


def test_after_a_look_the_new_figure_is_what_was_accepted(restated):
    carry_out(restated, confirming("MEMO", "SUM", "PLAN"))
    carry_out(restated, suspending("NAV.2"))
    carry_out(restated, reinstating("NAV.2"))
    assert set(waiting(restated).values()) == {"back"}
    assert len(preview(restated, restoring("NAV.2"))["affected"]) == 4
    carry_out(restated, restoring("NAV.2"))
    assert set(statuses(restated, "X", "MEMO", "SUM", "PLAN").values()) == {"ACCEPTED"}
    assert is_sound(restated)


def test_a_claim_that_answers_with_the_same_figure_changes_nothing_below(fund):
    given(fund, artifact("PLAN", "MEMO"))
    settle_with(fund, "184,000,000 USD", CHANGED.replace("NAV at quarter end", "At quarter end NAV").replace("179,500,000", "184,000,000"))
    assert waiting(fund) == {"MEMO": "back", "PLAN": "back"}
    carry_out(fund, restoring("X"))
    assert statuses(fund, "MEMO", "PLAN") == {"MEMO": "ACCEPTED", "PLAN": "ACCEPTED"}
    assert is_sound(fund)


def test_a_figure_that_is_what_it_was_again_may_be_restored(restated):
    recapture(restated, "Corrected.\n" + CHANGED.replace("179,500,000", "184,000,000"), values={"NAV.2": {"value": NAV}})
    decide(restated, "NAV.2.3", "ben")
    assert status(restated, "X") == "STALE"
    carry_out(restated, confirming("X", replace={"NAV.2": "NAV.2.3"}))
    assert waiting(restated) == {"MEMO": "back", "SUM": "back", "PLAN": "back"}
    carry_out(restated, restoring("X"))
    assert set(statuses(restated, "MEMO", "SUM", "PLAN").values()) == {"ACCEPTED"}
    assert is_sound(restated)


def test_a_value_counts_as_the_same_where_its_predicate_says_so(desk):
    given(desk, predicate("size", value_type="number"), accepted("A", "184.00", predicate="size"), accepted("P", on="A"), accepted("D", on="P"))
    carry_out(desk, suspending("A"))
    given(desk, claim("A2", 184, subject="subject-A", predicate="size", derived_from=[]), reviewed=False)
    carry_out(desk, revoking("A"))
    decide(desk, "A2")
    carry_out(desk, confirming("P", replace={"A": "A2"}))
    assert waiting(desk) == {"D": "back"}


# --- how a support was changed ---------------------------------------------------------------------------------------


@pytest.fixture
def two_supports(desk):
    """P rests on A and B, D on P; A was withdrawn."""
    given(desk, accepted("A", 1), accepted("B", 2), accepted("P", on=["A", "B"]), accepted("D", on="P"))
    carry_out(desk, revoking("A"))
    return desk


def test_one_of_two_supports_with_another_value_is_enough(two_supports):
    given(two_supports, accepted("A2", 10, subject="subject-A"))
    carry_out(two_supports, confirming("P", replace={"A": "A2"}))
    assert waiting(two_supports) == {"D": "told"}
    assert told(two_supports, "D") == [("A", "1", "A2", "10")]


def test_dropping_one_and_adding_another_is_replacing_it(two_supports):
    given(two_supports, accepted("A2", 10, subject="subject-A"))
    carry_out(two_supports, confirming("P", drop=("A",), add=("A2",)))
    assert waiting(two_supports) == {"D": "told"}


def test_dropping_one_and_adding_another_later_is_replacing_it(two_supports):
    given(two_supports, accepted("A2", 10, subject="subject-A"))
    carry_out(two_supports, confirming("P", drop=("A",)))
    carry_out(two_supports, suspending("B"))
    carry_out(two_supports, reinstating("B"))
    carry_out(two_supports, confirming("P", add=("A2",)))
    assert waiting(two_supports) == {"D": "told"}


def test_what_was_only_dropped_or_only_added_changes_no_value(two_supports):
    given(two_supports, accepted("C", 3))
    carry_out(two_supports, confirming("P", drop=("A",)))
    assert waiting(two_supports) == {"D": "back"}
    carry_out(two_supports, restoring("P"))
    carry_out(two_supports, suspending("B"))
    carry_out(two_supports, reinstating("B"))
    carry_out(two_supports, confirming("P", add=("C",)))
    assert waiting(two_supports) == {"D": "back"}
    carry_out(two_supports, restoring("P"))
    assert is_sound(two_supports)


def test_another_claim_of_the_same_value_that_rests_on_another_value_changes_it(desk):
    given(desk, accepted("ROOT", 1), accepted("A", 5, on="ROOT"), accepted("P", on="A"), accepted("D", on="P"))
    carry_out(desk, revoking("ROOT"))
    answer(desk, "ROOT", "ROOT2", 2)
    carry_out(desk, confirming("A", replace={"ROOT": "ROOT2"}))
    assert waiting(desk) == {"P": "told", "D": "told"}
    carry_out(desk, revoking("A"))
    given(desk, accepted("A2", 5, on="ROOT2", subject="subject-A"))
    carry_out(desk, confirming("P", replace={"A": "A2"}))
    assert waiting(desk) == {"D": "told"}
    assert told(desk, "D") == [("ROOT", "1", "ROOT2", "2")]


def test_what_a_new_support_said_before_it_was_one_is_nothing_to_what_rests_on_it_now(desk):
    given(desk, accepted("A", 5), accepted("P", on="A"), accepted("D", on="P"))
    given(desk, claim("A2", 4, subject="other"), reviewed=False)
    decide(desk, "A2")
    carry_out(desk, revoking("A"))
    reopen(desk, "ana", TENANT, "A2")
    amend(desk, "carl", TENANT, "A2", {"value": 5, "subject": "subject-A"})
    decide(desk, "A2", by="ben")
    carry_out(desk, confirming("P", replace={"A": "A2"}))
    assert waiting(desk) == {"D": "back"}


def test_an_artifact_that_says_something_else_is_told_to_what_rests_on_it_further_down(desk):
    given(desk, accepted("A"), artifact("MEMO", "A", body="Growth is 4 %."), artifact("PLAN", "MEMO"), artifact("DECK", "PLAN"))
    carry_out(desk, revoking("A"))
    given(desk, accepted("B"), artifact("MEMO2", "B", body="Growth is 3 %."))
    carry_out(desk, confirming("PLAN", replace={"MEMO": "MEMO2"}))
    assert waiting(desk) == {"MEMO": "lost", "DECK": "told"}
    assert [(one[0], one[2]) for one in told(desk, "DECK")] == [("MEMO", "MEMO2")]


def test_an_artifact_on_another_version_of_its_source_tells_of_it_only_where_the_words_differ(desk):
    given(desk, artifact("MEMO", "E1"), artifact("PLAN", "MEMO"), source("S2"), evidence("E2", "S2", MOVED), source("S3"), evidence("E3", "S3"))
    carry_out(desk, revoking("E1"))
    carry_out(desk, confirming("MEMO", replace={"E1": "E2"}))
    assert waiting(desk) == {"PLAN": "told"}
    carry_out(desk, suspending("E2"))
    carry_out(desk, confirming("MEMO", replace={"E2": "E3"}))
    assert waiting(desk) == {"PLAN": "back"}


def test_a_claim_bound_to_its_words_elsewhere_still_says_what_it_said(desk):
    given(desk, accepted("A"), accepted("B", on="A"), source("S2"), evidence("E2", "S2", MOVED))
    carry_out(desk, revoking("E1"))
    carry_out(desk, confirming("A", replace={"E1": "E2"}))
    assert waiting(desk) == {"B": "back"}


# --- together with other causes --------------------------------------------------------------------------------------


def test_of_two_causes_both_must_be_gone_also_where_one_support_was_replaced(desk):
    given(desk, accepted("A", 1), accepted("Z", 2), accepted("P", on="A"), accepted("D", on=["P", "Z"]))
    carry_out(desk, suspending("A", "Z"))
    carry_out(desk, revoking("A"))
    given(desk, accepted("A2", 1, subject="subject-A"))
    carry_out(desk, confirming("P", replace={"A": "A2"}))
    assert waiting(desk) == {"D": "lost"}
    assert why_not(preview(desk, restoring("P"))) == {"D": "still rests on Z, which is disputed"}
    carry_out(desk, reinstating("Z"))
    assert waiting(desk) == {"D": "back"}
    carry_out(desk, restoring("P"))
    assert status(desk, "D") == "ACCEPTED"
    assert is_sound(desk)


def test_a_trigger_holds_what_would_come_back_through_a_replaced_support(desk):
    given(desk, accepted("A", 1), accepted("P", on="A"), accepted("D", on="P", revalidate_on=["project_ended"]))
    fire_trigger(desk, "ana", TENANT, "project_ended", ["D"], "it is over")
    carry_out(desk, revoking("A"))
    answer(desk, "A", "A2", 1)
    carry_out(desk, confirming("P", replace={"A": "A2"}))
    assert waiting(desk) == {"D": "trigger"}
    dismiss_trigger(desk, "ana", TENANT, "D", "project_ended", "it goes on")
    assert waiting(desk) == {"D": "back"}


def test_what_was_disputed_while_its_support_was_replaced_counts_from_when_it_was_accepted(desk):
    given(desk, accepted("A", 1), accepted("P", on="A"), accepted("D", on="P"), accepted("E", on="D"))
    carry_out(desk, suspending("D"))
    carry_out(desk, revoking("A"))
    answer(desk, "A", "A2", 2)
    carry_out(desk, confirming("P", replace={"A": "A2"}))
    carry_out(desk, suspending("A2"))
    carry_out(desk, reinstating("D"))
    assert statuses(desk, "P", "D", "E") == {"P": "STALE", "D": "STALE", "E": "STALE"}
    carry_out(desk, reinstating("A2"))
    assert waiting(desk) == {"P": "back", "D": "told", "E": "told"}
    carry_out(desk, restoring("A2"))
    assert statuses(desk, "P", "D", "E") == {"P": "ACCEPTED", "D": "ACCEPTED", "E": "ACCEPTED"}


def test_a_recapture_brings_nothing_back_that_rests_directly_on_what_says_something_else_now(fund):
    """BOTH rests on what the stopped source says, and on A, which says something else meanwhile."""
    given(fund, source("S2"), evidence("E2", "S2"), claim("A", 1, evidence=[passage(evidence="E2")]), reviewed=False)
    decide(fund, "A")
    given(fund, accepted("BOTH", on=["CITY", "A"]), accepted("SAFE", on="CITY"))
    carry_out(fund, Plan(Verb.SUSPEND, ("S1",)))
    reopen(fund, "ana", TENANT, "A")
    amend(fund, "carl", TENANT, "A", {"value": 2})
    decide(fund, "A", by="ben")
    recapture(fund, MOVED)
    assert statuses(fund, "CITY", "SAFE", "BOTH") == {"CITY": "ACCEPTED", "SAFE": "ACCEPTED", "BOTH": "STALE"}
    assert waiting(fund)["BOTH"] == "value"
    assert is_sound(fund)


# --- what is shown ---------------------------------------------------------------------------------------------------


def test_one_cause_gathers_everything_that_rests_directly_on_the_other_value(desk):
    say_otherwise(desk, accepted("P", on="A"), accepted("Q", on="A"), accepted("D", on="P"))
    (group,) = list_stale(desk, "ana").groups
    assert (group.key, group.count, group.direct, group.changed.said, group.changed.says) == ("value:A", 3, 2, "1", "2")
    assert list_stale(desk, "ana", StaleSift(cause="value:A")).matched == 3


def test_a_record_says_what_it_rested_on_then_and_what_that_says_now(restated):
    assert told(restated, "PLAN") == [("NAV", OLD, "NAV.2", NEW)]
    (memo,) = [row for row in list_stale(restated, "ana").rows if row.id == "MEMO"]
    assert (memo.changed.was, memo.changed.said, memo.changed.id, memo.changed.says) == ("NAV", OLD, "NAV.2", NEW)
    carry_out(restated, confirming("MEMO", "PLAN"))
    assert told(restated, "PLAN") == []


def test_two_changed_supports_are_both_named_the_nearest_first(desk):
    given(desk, accepted("ROOT", 1), accepted("A", 5, on="ROOT"), accepted("B", 7), accepted("P", on=["A", "B"]), accepted("D", on="P"))
    carry_out(desk, revoking("ROOT", "B"))
    answer(desk, "ROOT", "ROOT2", 2)
    given(desk, accepted("B2", 8, subject="subject-B"))
    carry_out(desk, confirming("A", replace={"ROOT": "ROOT2"}))
    carry_out(desk, confirming("P", replace={"B": "B2"}))
    assert [(one.was, one.id) for one in view_stale(desk, "ana", TENANT, "D").changes] == [("B", "B2"), ("ROOT", "ROOT2")]


def test_nobody_reads_through_a_change_what_they_may_not_see(desk):
    given(desk, person("nora", "reviewer", "acme/open"))
    given(desk, accepted("A", "secret old", scope=TENANT), accepted("P", on="A", scope=TENANT), accepted("D", on="P", scope="acme/open"))
    carry_out(desk, revoking("A"))
    answer(desk, "A", "A2", "secret new")
    carry_out(desk, confirming("P", replace={"A": "A2"}))
    view = view_stale(desk, "nora", TENANT, "D")
    (row,) = list_stale(desk, "nora").rows
    assert (view.changes, view.hidden_changes, row.state, row.changed) == ((), 1, "back", None)
    assert "secret" not in repr(list_stale(desk, "nora"))


def test_a_text_that_still_names_the_old_figure_is_told(desk):
    given(desk, accepted("A", 184_000_000), accepted("P", on="A"), artifact("OLD", "P", body="The NAV is 184,000,000 USD."), artifact("NONE", "P", body="NAV fell."))
    given(desk, artifact("BOTH", "P", body="NAV fell from USD 184.0 million to 179.5 million."))
    carry_out(desk, revoking("A"))
    answer(desk, "A", "A2", 179_500_000)
    carry_out(desk, confirming("P", replace={"A": "A2"}))
    found = {id: view_stale(desk, "ana", TENANT, id).changes[0].repeated for id in ("OLD", "NONE", "BOTH")}
    assert found == {"OLD": "184,000,000", "NONE": "", "BOTH": "USD 184.0 million"}


def test_a_group_promises_no_more_than_its_plan_restores(desk):
    given(desk, accepted("A"), accepted("Z"), accepted("B", on="A"), accepted("Y", on="Z"), accepted("D", on=["B", "Y"]), artifact("R", "D"))
    carry_out(desk, suspending("A", "Z"))
    carry_out(desk, reinstating("A", "Z"))
    promised = {one.id: one.restores for one in list_stale(desk, "ana").groups}
    assert promised == {id: len(preview(desk, restoring(id))["affected"]) for id in promised} == {"A": 1, "Z": 1}
    assert len(preview(desk, restoring("A", "Z"))["affected"]) == 4
