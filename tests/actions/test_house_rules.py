"""House rules propose a verdict; nothing applies them (R11)."""

import pytest

from store import Plan, Verb, propose_verdicts
from tests.builders import TENANT, accepted, bring, carry_out, conflicts, evidence, given, passage, predicate, preview, source, told

REGULATOR = {"predicate": "says", "verdict": "keep", "prefer": {"source": "S2"}, "because": "The regulator publishes last."}


def policy(*rules, scope=TENANT):
    return {"type": "policy", "scope": scope, "house_rules": list(rules)}


@pytest.fixture
def contested(desk):
    given(desk, source("S2"), evidence("E2", "S2"))
    for subject, scope in (("a", TENANT), ("b", "acme/api")):
        given(desk, *(accepted(f"{subject}{n}", n, subject=subject, scope=scope, evidence=[passage(evidence=f"E{n}")]) for n in (1, 2)))
    given(desk, accepted("c1", 1, subject="c"), accepted("c2", 2, subject="c"))
    return desk


def proposed(store, by="ana"):
    """Subject -> what is proposed for its conflict."""
    subjects = {one["id"]: one["subject"] for one in conflicts(store, by)}
    return {subjects[conflict]: one for conflict, one in propose_verdicts(store, by, TENANT, list(subjects)).items()}


def test_a_rule_proposes_what_stays_or_says_why_it_does_not_and_decides_nothing(contested):
    assert proposed(contested) == {}
    given(contested, policy(REGULATOR))
    found = proposed(contested)

    assert {subject: (one.keep, one.why) for subject, one in found.items()} == {"a": (("a2",), None), "b": (("b2",), None), "c": ((), "The rule names no side of it.")}
    assert found["a"].because == "The regulator publishes last."
    assert len(conflicts(contested)) == 3
    assert told(contested, "a")[0] == "CONFLICT"


def test_what_is_proposed_is_a_rule_that_a_plan_takes(contested):
    given(contested, policy(REGULATOR))
    one = proposed(contested)["a"]
    plan = Plan(Verb.SETTLE, (one.conflict,), rule=one.rule)

    assert preview(contested, plan)["settlements"][0]["keep"] == ["a2"]
    carry_out(contested, plan)
    assert told(contested, "a") == ("OK", ["a2"])


def test_the_nearest_policy_counts_and_a_rule_of_its_own_goes_before_the_one_for_all(contested):
    given(contested, policy({**REGULATOR, "predicate": "*"}), policy({**REGULATOR, "predicate": "*", "verdict": "keep", "prefer": {"source": "S1"}}, REGULATOR, scope="acme/api"))
    assert proposed(contested)["b"].keep == ("b2",)
    given(contested, policy({**REGULATOR, "predicate": "shouts"}, scope="acme/api"))
    assert set(proposed(contested)) == {"a", "c"}


def test_who_may_not_see_a_conflict_is_proposed_nothing(contested):
    given(contested, policy(REGULATOR))
    ids = [one["id"] for one in conflicts(contested)]

    assert propose_verdicts(contested, "rita", TENANT, ids) == {}
    assert propose_verdicts(contested, "ana", "nowhere", ids) == {}


WRONG = [
    ({"x": 1}, "not 'x'"), ({**REGULATOR, "verdict": "guess"}, "house rule 1: the verdict"), ({**REGULATOR, "because": ""}, "because"), ("keep", "must be an object"),
    ({name: value for name, value in REGULATOR.items() if name != "prefer"}, "needs prefer"), ({name: value for name, value in REGULATOR.items() if name != "predicate"}, "predicate"),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "word"), WRONG, ids=str)
def test_a_line_with_a_rule_that_is_none_is_refused_with_what_is_wrong(desk, rule, word):
    (wrong,) = bring(desk, policy(rule), predicate("other"), reviewed=True)["rejected"]

    assert (wrong["code"], word in wrong["message"]) == ("bad_value", True)


def test_two_rules_for_one_predicate_are_refused(desk):
    (wrong,) = bring(desk, policy(REGULATOR, REGULATOR), reviewed=True)["rejected"]

    assert "second for says" in wrong["message"]
