"""One plan settles many conflicts by a rule, leaves alone what the rule does not name, and says so (R12, R13)."""

import pytest

from store import Plan, Verb, export_store, import_files, list_events, list_my_questions
from tests.builders import (
    OPERATOR,
    TENANT,
    accepted,
    artifact,
    carry_out,
    conflicts,
    evidence,
    given,
    is_sound,
    passage,
    person,
    preview,
    refused,
    resolving,
    show,
    source,
    status,
    statuses,
    suspending,
    told,
)


def said(id, subject, value, by="E1", **fields):
    """An accepted claim about a subject, taken from one evidence."""
    return accepted(id, value, subject=subject, evidence=[passage(evidence=by)], **fields)


def named(store):
    """Subject -> id of its open conflict."""
    return {one["subject"]: one["id"] for one in conflicts(store)}


def settling(store, verdict="keep", *subjects, choices=None, but=(), ask=None, others=None, **prefer):
    found = named(store)
    rule = {"verdict": verdict} if verdict else {}
    rule |= {"prefer": prefer} if prefer else {}
    rule |= {"others": others} if others else {}
    mine = {found[subject]: claim for subject, claim in (choices or {}).items()}
    return Plan(Verb.SETTLE, tuple(found[one] for one in subjects or found), rule=rule, choices=mine, except_=tuple(found[one] for one in but), ask=ask)


@pytest.fixture
def desk(desk):
    """Two sources beside S1, E2 of a regulator and E3 of the same family as E1."""
    given(desk, source("S2", authority="regulator", family="official"), evidence("E2", "S2", captured_at="2026-03-01T09:00:00Z"))
    given(desk, source("S3", family="S1"), evidence("E3", "S3", captured_at="2026-02-01T09:00:00Z"))
    return desk


@pytest.fixture
def group(desk):
    """three: a settled one of two, one where the regulator says two things, one where it says nothing."""
    given(
        desk, said("a1", "a", 1), said("a2", "a", 2, "E2"), said("a3", "a", 2, "E3"), said("a4", "a", 3, "E3"),
        said("b1", "b", 1), said("b2", "b", 2, "E2"), said("b3", "b", 3, "E2"),
        said("c1", "c", 1), said("c2", "c", 2, "E3"),
        accepted("child", on="a1"), artifact("R", "child", deliveries=[{"recipient": "kim", "channel": "email", "delivered_at": "2026-06-01T00:00:00Z"}]),
    )  # fmt: skip
    return desk


def reasons(store, found):
    """Subject -> why its conflict is left alone."""
    subjects = {conflict: subject for subject, conflict in named(store).items()}
    return {subjects[one["id"]]: one["why"] for one in found["left"]}


WAYS = [{"source": "S2"}, {"authority": "regulator"}, {"family": "official"}, {"source": ["nobody", "S2"]}, {"origin": "official"}, {"collection": "S2"}]


@pytest.mark.parametrize("prefer", WAYS, ids=str)
def test_what_one_source_says_is_kept_where_it_says_one_thing_and_the_rest_is_left_with_the_reason(group, prefer):
    plan = settling(group, **prefer)
    seen = preview(group, plan)

    assert reasons(group, seen) == {"b": "The rule names sides with different values.", "c": "The rule names no side of it."}
    assert {one["id"] for one in seen["left"]} <= {one["id"] for one in seen["no_effect"]}
    assert seen["totals"]["settled"] == 1
    assert seen["totals"]["left"] == 2
    (one,) = seen["settlements"]
    assert (one["subject"], one["verdict"], one["keep"], one["superseded"]) == ("a", "keep", ["a2", "a3"], ["a1", "a4"])
    assert (one["before"], one["after"]) == ("CONFLICT", "OK")
    done = carry_out(group, plan, seen=seen)
    assert (done["changed"], done["settled"], done["left"]) == (seen["totals"]["affected"], 1, 2)
    assert statuses(group, "a1", "a2", "a3", "a4") == {"a1": "SUPERSEDED", "a2": "ACCEPTED", "a3": "ACCEPTED", "a4": "SUPERSEDED"}
    assert show(group, "a1")["superseded_by"] == "a2"
    assert statuses(group, "child", "R") == {"child": "STALE", "R": "STALE"}
    assert told(group, "a") == ("OK", ["a2", "a3"])
    assert set(named(group)) == {"b", "c"}
    assert is_sound(group)


def test_the_others_can_be_revoked_instead(group):
    carry_out(group, settling(group, "keep", "a", source="S2", others="revoked"))

    assert statuses(group, "a1", "a2", "a4") == {"a1": "REVOKED", "a2": "ACCEPTED", "a4": "REVOKED"}
    assert show(group, "a1")["superseded_by"] is None


def test_it_is_one_event_whatever_the_number(group):
    before = len(list_events(group, OPERATOR, limit=1000)["items"])
    carry_out(group, settling(group, "none"))

    assert len(list_events(group, OPERATOR, limit=1000)["items"]) == before + 1
    assert conflicts(group) == []
    assert told(group, "b") == ("MISSING", [])
    assert is_sound(group)


def test_the_newest_is_kept_unless_two_values_are_equally_new(desk):
    given(
        desk, said("a1", "a", 1, observed_at="2026-01-01T00:00:00Z"), said("a2", "a", 2, observed_at="2026-02-01T00:00:00Z"),
        said("b1", "b", 1, observed_at="2026-02-01T00:00:00Z"), said("b2", "b", 2, observed_at="2026-02-01T00:00:00Z"),
        said("c1", "c", 1, observed_at="2026-02-01T00:00:00Z"), said("c2", "c", 2),
        said("d1", "d", 1, "E2"), said("d2", "d", 2, "E3"),
    )  # fmt: skip
    given(desk, said("a3", "a", 3, observed_at="2025-01-01T00:00:00Z"))

    observed = preview(desk, settling(desk, newest="observed"))
    assert [one["keep"] for one in observed["settlements"]] == [["a2"]]
    assert reasons(desk, observed) == {"b": "Sides with different values are equally new.", "c": "A side does not say the time the rule goes by.", "d": "A side does not say the time the rule goes by."}
    assert [one["keep"] for one in preview(desk, settling(desk, newest="recorded"))["settlements"]] == [["a3"]]
    assert [one["keep"] for one in preview(desk, settling(desk, newest="captured"))["settlements"]] == [["d1"]]


def test_the_value_of_most_independent_sources_is_kept_and_copies_do_not_count(desk):
    given(
        desk, said("a1", "a", 1, "E1"), said("a2", "a", 1, "E3"), said("a3", "a", 2, "E2"),  # E1 and E3 are one family: one against one
        evidence("E4", "S4", text="other"), source("S4"), evidence("E5", "S5", text="more"), source("S5"),
    )  # fmt: skip
    given(desk, said("b1", "b", 1), accepted("b2", 2, subject="b", on="E4"), accepted("b3", 2, subject="b", on="E5"))
    seen = preview(desk, settling(desk, independent="most"))

    assert [one["keep"] for one in seen["settlements"]] == [["b2", "b3"]]
    assert reasons(desk, seen) == {"a": "Different values have equally many independent sources."}


def test_same_lists_the_evidence_of_those_that_go(group):
    carry_out(group, settling(group, "same", "a", source="S2"))

    assert [one["evidence"] for one in show(group, "a2")["record"]["evidence"]] == ["E2", "E1", "E3"]
    assert status(group, "a1") == "SUPERSEDED"
    assert is_sound(group)


def test_split_lets_each_value_hold_until_the_next_begins(desk):
    given(
        desk, said("a1", "a", 1, valid_from="2026-01-01"), said("a2", "a", 2, valid_from="2026-03-01"), said("a3", "a", 3, valid_from="2026-06-01"),
        said("b1", "b", 1), said("b2", "b", 2),
    )  # fmt: skip
    seen = preview(desk, settling(desk, "split"))

    assert reasons(desk, seen) == {"b": "Sides with different values hold from the same moment on."}
    carry_out(desk, settling(desk, "split"), seen=seen)
    assert set(named(desk)) == {"b"}
    assert statuses(desk, "a1", "a2", "a3") == dict.fromkeys(("a1", "a2", "a3"), "ACCEPTED")
    assert told(desk, "a", at="2026-02-01T00:00:00Z") == ("OK", ["a1"])
    assert told(desk, "a", at="2026-07-01T00:00:00Z") == ("OK", ["a3"])
    assert is_sound(desk)


def test_unclear_suspends_all_and_asks_the_owner_or_who_is_named(group):
    plan = settling(group, "unclear", "a", "c")
    assert sorted((one["suspended"], one["after"]) for one in preview(group, plan)["settlements"]) == [(["a1", "a2", "a3", "a4"], "CONFLICT"), (["c1", "c2"], "CONFLICT")]
    carry_out(group, plan, reason="Which of these?", by="ben")

    assert sorted(one.question.about for one in list_my_questions(group, "ana").waiting) == sorted(plan.roots)
    assert {one.question.text for one in list_my_questions(group, "ana").waiting} == {"Which of these?"}
    carry_out(group, settling(group, "unclear", "b", ask="carl"), reason="And these?", by="ben")
    assert [one.question.text for one in list_my_questions(group, "carl").waiting] == ["And these?"]
    assert set(named(group)) == {"a", "b", "c"}
    assert status(group, "a1") == "DISPUTED"
    assert is_sound(group)


def test_one_conflict_left_unclear_asks_as_well(group):
    carry_out(group, resolving(named(group)["a"], "unclear", ask="carl"), reason="Which?")
    carry_out(group, resolving(named(group)["c"], "unclear"), reason="Or these?", by="ben")

    assert [one.question.text for one in list_my_questions(group, "carl").waiting] == ["Which?"]
    assert [one.question.text for one in list_my_questions(group, "ana").waiting] == ["Or these?"]


def test_settled_groups_survive_export_and_import(group, another_store, tmp_path):
    carry_out(group, settling(group, "same", source="S2", choices={"c": "c2"}))
    carry_out(group, settling(group, "unclear", ask="carl"))
    export_store(group, OPERATOR, tmp_path / "one.jsonl", scope=TENANT)
    again = another_store()
    import_files(again, OPERATOR, [tmp_path / "one.jsonl"], reviewed=True)
    export_store(again, OPERATOR, tmp_path / "two.jsonl", scope=TENANT)

    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()
    assert told(again, "a") == ("OK", ["a2", "a3"])
    assert set(named(again)) == {"b"}


def test_nobody_is_asked_who_is_not_there(group):
    with refused("unknown_person", "mallory"):
        carry_out(group, settling(group, "unclear", "a", ask="mallory"))
    assert status(group, "a1") == "ACCEPTED"


def test_an_owner_who_is_nobody_of_the_store_leaves_the_question_with_the_conflict(desk):
    given(desk, said("a1", "a", 1, owner="the data team"), said("a2", "a", 2, owner="the data team"))
    carry_out(desk, settling(desk, "unclear"), reason="Which?")

    assert status(desk, "a1") == "DISPUTED"
    assert is_sound(desk)


def test_each_conflict_of_a_page_can_be_decided_by_itself(group):
    plan = settling(group, None, choices={"a": "a4", "b": "b1"})
    seen = preview(group, plan)

    assert reasons(group, seen) == {"c": "The plan says neither a rule for it nor which claim stays."}
    carry_out(group, plan, seen=seen)
    assert told(group, "a") == ("OK", ["a4"])
    assert told(group, "b") == ("OK", ["b1"])
    assert is_sound(group)


def test_a_choice_goes_before_the_rule_and_an_exception_before_both(group):
    plan = settling(group, choices={"b": "b3"}, but=("a",), source="S1")
    seen = preview(group, plan)

    assert {one["subject"]: one["keep"] for one in seen["settlements"]} == {"b": ["b3"], "c": ["c1"]}
    assert reasons(group, seen) == {"a": "It was left out."}


def test_a_suspended_side_that_stays_is_taken_back_into_use(group):
    carry_out(group, suspending("a2"))
    carry_out(group, settling(group, "keep", "a", source="S2"))

    assert statuses(group, "a2", "a3") == {"a2": "ACCEPTED", "a3": "ACCEPTED"}
    assert told(group, "a") == ("OK", ["a2", "a3"])


def test_what_would_stay_on_something_that_waits_for_a_decision_is_left_alone(desk):
    given(
        desk, said("a1", "a", 1), said("a2", "a", 2, "E2"), accepted("b1", 1, subject="b", on="a1", status="disputed"), said("b2", "b", 2, "E2"),
        accepted("c1", 1, subject="c", on="a2"), said("c2", "c", 2),
    )  # fmt: skip
    plan = settling(desk, "unclear", choices={"b": "b1", "c": "c1"})
    found = preview(desk, plan)

    assert set(reasons(desk, found)) == {"b", "c"}
    carry_out(desk, plan, seen=found)
    assert statuses(desk, "a1", "a2", "b1", "b2", "c1", "c2") == {"a1": "DISPUTED", "a2": "DISPUTED", "b1": "DISPUTED", "b2": "ACCEPTED", "c1": "STALE", "c2": "ACCEPTED"}
    assert is_sound(desk)


def test_what_would_stay_on_something_that_goes_is_left_alone(desk):
    given(
        desk, said("a1", "a", 1), said("a2", "a", 2, "E2"),
        accepted("b1", 1, subject="b", on="a1"), said("b2", "b", 2, "E2"),
        said("c1", "c", 1), accepted("c2", 2, subject="c", on="c1"),
    )  # fmt: skip
    found = preview(desk, settling(desk, choices={"a": "a2", "b": "b1", "c": "c2"}, verdict=None))

    assert reasons(desk, found) == {
        "b": "What would stay rests on a claim that this plan takes out of use; settle it afterwards.", "c": "What would stay rests on a side that would go.",
    }  # fmt: skip
    assert [one["subject"] for one in found["settlements"]] == ["a"]
    # Where what it rests on stays after all, so can it.
    assert {one["subject"] for one in preview(desk, settling(desk, None, choices={"a": "a1", "b": "b1"}))["settlements"]} == {"a", "b"}


def test_a_rule_that_settles_nothing_cannot_be_committed(group):
    plan = settling(group, source="nobody")
    seen = preview(group, plan)

    assert seen["totals"]["settled"] == seen["totals"]["affected"] == 0
    with refused("bad_value", "settles none"):
        carry_out(group, plan, seen=seen)


STALE = {
    "a side more": lambda desk: given(desk, said("a5", "a", 2, "E2")),
    "a side less": lambda desk: carry_out(desk, Plan(Verb.REVOKE, ("a4",))),
    "settled by somebody else": lambda desk: carry_out(desk, settling(desk, "keep", "a", source="S2"), by="ben"),
    "a side that rests on something suspended": lambda desk: carry_out(desk, suspending("a3")),
    "something below": lambda desk: given(desk, accepted("more", on="a1")),
    "the one that says it says another thing too": lambda desk: given(desk, said("a6", "a", 9, "E2")),
}


@pytest.mark.parametrize("what", STALE)
def test_a_group_that_changed_since_it_was_seen_is_refused_whole(group, what):
    plan = settling(group, source="S2")
    seen = preview(group, plan)
    STALE[what](group)
    before = statuses(group, "a1", "a2", "a3", "b1", "c1")

    with refused("stale_preview"):
        carry_out(group, plan, seen=seen)
    assert statuses(group, "a1", "a2", "a3", "b1", "c1") == before


def test_who_may_decide_in_one_scope_only_settles_there_only(group):
    given(group, person("dora", "reviewer", "acme/api"), person("eve", "reader", TENANT, ("auditor", TENANT)))
    given(group, said("x1", "x", 1, scope="acme/api"), said("x2", "x", 2, "E2", scope="acme/api"))
    both, below = settling(group, "none", "a", "x"), settling(group, "none", "x")

    with refused("not_found"):
        preview(group, both, by="dora")
    with refused("not_allowed"):
        preview(group, below, by="eve")
    with refused("not_found"):
        preview(group, below, by="rita")
    assert carry_out(group, below, by="dora")["settled"] == 1


RULES = [
    ({"verdict": "keep"}, "needs prefer"), ({"verdict": "guess"}, "must be one of"), ({"verdict": "keep", "prefer": {"luck": 1}}, "prefers by one of"),
    ({"verdict": "keep", "prefer": {"source": []}}, "names nobody"), ({"verdict": "keep", "prefer": {"newest": "loudest"}}, "must be one of observed"),
    ({"verdict": "keep", "prefer": {"source": "a", "family": "b"}}, "needs prefer with one"), ({"verdict": "none", "prefer": {"source": "a"}}, "nothing to prefer"),
    ({"verdict": "none", "others": "forgotten"}, "must be one of superseded"), ({"verdict": "none", "why": "x"}, "not 'why'"), ({}, "takes a rule"),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "word"), RULES, ids=str)
def test_a_rule_that_is_none_is_refused_with_what_is_wrong(group, rule, word):
    with refused("bad_value", word):
        preview(group, Plan(Verb.SETTLE, tuple(named(group).values()), rule=rule))


def test_a_choice_must_be_a_side_and_its_conflict_one_of_the_group(group):
    with refused("bad_value", "no side"):
        preview(group, settling(group, None, choices={"a": "b1"}))
    with refused("bad_value", "none of the conflicts"):
        preview(group, Plan(Verb.SETTLE, (named(group)["a"],), choices={named(group)["b"]: "b1"}))
