"""Changing how values are compared is a plan: it says what opens and closes, and does exactly that (R10, R13)."""

import pytest

from store import OPERATOR, Plan, Sift, Verb, export_store, list_candidates, list_events
from tests.builders import (
    TENANT,
    accepted,
    bring,
    carry_out,
    check,
    claim,
    conflicts,
    decide,
    given,
    is_sound,
    person,
    predicate,
    preview,
    refused,
    resolving,
    show,
    sides,
    the_conflict,
    told,
)


def about(id, subject, value, **fields):
    return accepted(id, value, subject=subject, **fields)


def comparing(name="says", scope=TENANT, **changes):
    return Plan(Verb.COMPARE, (name,), scope=scope, comparison=changes)


def change(store, by="adam", reason="agreed", **changes):
    return carry_out(store, comparing(**changes), by=by, reason=reason)


CENT = {"compare": "number", "tolerance": {"absolute": 0.01}}


def becomes(found):
    return {one["subject"]: (one["becomes"], [side["id"] for side in one["sides"]]) for one in found["comparison"]["conflicts"]}


@pytest.fixture
def prices(desk):
    """Subjects a (a cent apart), b (two cents apart), c (texts and numbers), d (two currencies)."""
    given(
        desk, about("a1", "a", 1.00), about("a2", "a", 1.01), about("b1", "b", 1.00), about("b2", "b", "1.02"), about("c1", "c", "2.00"), about("c2", "c", 2),
        about("d1", "d", {"amount": 5, "currency": "USD"}), about("d2", "d", {"amount": 5, "currency": "EUR"}),
        about("e1", "e", {"amount": 5, "currency": "USD"}), about("e2", "e", {"amount": 5.005, "currency": "USD"}),
    )  # fmt: skip
    return desk


def test_the_preview_says_what_closes_and_what_a_read_returns_and_the_commit_does_it(prices):
    assert len(conflicts(prices)) == 5
    seen = preview(prices, comparing(**CENT), by="adam")

    assert becomes(seen) == {"a": ("closes", ["a1", "a2"]), "c": ("closes", ["c1", "c2"]), "e": ("closes", ["e1", "e2"])}
    found = seen["comparison"]
    assert (found["before"], found["after"]["tolerance"], found["claims"], found["opens"], found["closes"], found["changes"]) == (None, {"absolute": 0.01}, 10, 0, 3, 0)
    assert {(one["subject"], one["before"], one["after"]) for one in seen["answers"]} == {("a", "CONFLICT", "OK"), ("c", "CONFLICT", "OK"), ("e", "CONFLICT", "OK")}
    assert seen["totals"]["affected"] == 0
    done = carry_out(prices, comparing(**CENT), by="adam", seen=seen)
    assert (len(done["conflicts_dissolved"]), done["conflicts_opened"]) == (3, [])
    assert sorted(sides(prices)) == [["b1", "b2"], ["d1", "d2"]]
    assert told(prices, "a") == ("OK", ["a1", "a2"])
    assert show(prices, "a2")["record"]["value"] == 1.01
    assert show(prices, "a2")["version"] == 1
    assert is_sound(prices)


def test_a_stricter_comparison_opens_them_again_linked_to_the_former_with_the_cause(prices):
    change(prices, **CENT)
    seen = preview(prices, comparing(tolerance={"absolute": 0.001}), by="adam")

    assert becomes(seen) == {"a": ("opens", ["a1", "a2"]), "e": ("opens", ["e1", "e2"])}
    done = carry_out(prices, comparing(tolerance={"absolute": 0.001}), by="adam", seen=seen)
    assert all(one.endswith("-2") for one in done["conflicts_opened"])
    assert told(prices, "a") == ("CONFLICT", ["a1", "a2"])
    assert is_sound(prices)


def test_an_earlier_verdict_is_known_again_after_values_are_told_apart_in_another_way(desk):
    given(desk, about("a1", "a", "2.00"), about("a2", "a", 3))
    carry_out(desk, resolving(the_conflict(desk)["id"], "keep", keep="a2"), reason="three it is")
    change(desk, compare="number")
    given(desk, about("a3", "a", 2))

    found = the_conflict(desk)["earlier_verdict"]
    assert (found["verdict"], found["reason"]) == ("keep", "three it is")
    assert is_sound(desk)


def exported(store, path):
    export_store(store, OPERATOR, path, scope=TENANT)
    return path.read_bytes()


def test_the_tolerance_and_the_conflicts_survive_export_and_import(prices, another_store, tmp_path):
    change(prices, **CENT, thresholds=[9, {"at": 7, "name": "high"}])
    text = exported(prices, tmp_path / "one.jsonl")
    again = another_store()
    bring(again, *text.splitlines(), reviewed=True)

    assert exported(again, tmp_path / "two.jsonl") == text
    assert b'"tolerance":{"absolute":0.01}' in text
    assert b'"thresholds":[9,{"at":7,"name":"high"}]' in text
    assert told(again, "a") == ("OK", ["a1", "a2"])
    assert is_sound(again)


def test_a_proposal_in_between_dissolves_nothing_and_contradicts_nothing(desk):
    given(desk, predicate("says", **CENT))
    given(desk, about("a1", "a", 1.00), about("a2", "a", 1.02))
    given(desk, claim("between", 1.01, subject="a"), claim("beyond", 1.03, subject="a"), reviewed=False)

    assert sides(desk) == [["a1", "a2"]]
    assert check(desk, "between")["contradicts"] == []
    assert check(desk, "beyond")["contradicts"] == ["a1"]
    decide(desk, "between")
    assert sides(desk) == [["a1", "a2"]]
    assert told(desk, "a")[0] == "CONFLICT"
    with refused("would_contradict", "a1"):
        decide(desk, "beyond")
    decide(desk, "beyond", open_conflict=True)
    assert sorted(the_conflict(desk)["claims"]) == ["a1", "a2", "between", "beyond"]
    assert is_sound(desk)


def test_the_queue_marks_what_would_contradict_by_the_comparison_of_the_moment(desk):
    given(desk, about("a1", "a", 1.00), about("b1", "b", 1.00))
    given(desk, claim("near", 1.01, subject="a"), claim("far", 1.5, subject="b"), reviewed=False)
    marked = lambda: sorted(row.id for row in list_candidates(desk, "ana", Sift(only="contradicts")).rows)  # noqa: E731

    assert marked() == ["far", "near"]
    change(desk, **CENT)
    assert marked() == ["far"]
    given(desk, claim("nearer", 1.001, subject="b"), claim("farther", 2, subject="a"), reviewed=False)
    assert marked() == ["far", "farther"]
    change(desk, tolerance=None)
    assert marked() == ["far", "farther", "near", "nearer"]


def test_what_was_known_then_is_told_by_the_tolerance_as_well(desk, clock):
    given(desk, predicate("says", **CENT), about("a1", "a", 1.00, valid_to="2026-08-01"), about("a2", "a", 1.02), about("b1", "b", 1), about("b2", "b", 1.01))
    clock.pass_by(days=1)
    carry_out(desk, resolving(the_conflict(desk)["id"], "keep", keep="a2"))

    then = {"known_at": "2026-07-01T12:00:00Z"}
    assert not show(desk, "a2", **then)["usable"]
    assert show(desk, "a2", at="2026-09-01T00:00:00Z", **then)["usable"]
    assert show(desk, "b2", **then)["usable"]
    assert show(desk, "a2")["usable"]


def test_keeping_one_of_two_keeps_what_is_near_it(desk):
    given(desk, predicate("says", **CENT))
    given(desk, about("a1", "a", 1.00), about("a2", "a", 1.02), about("a3", "a", 1.01))
    carry_out(desk, resolving(the_conflict(desk)["id"], "keep", keep="a2"))

    assert told(desk, "a") == ("OK", ["a2", "a3"])
    assert is_sound(desk)


def test_many_values_at_once_close_every_conflict_and_one_value_opens_them(prices):
    change(prices, cardinality="many")
    assert conflicts(prices) == []
    assert is_sound(prices)
    seen = preview(prices, comparing(cardinality="one"), by="adam")
    assert (seen["comparison"]["opens"], seen["comparison"]["closes"]) == (5, 0)
    carry_out(prices, comparing(cardinality="one"), by="adam", seen=seen)
    assert len(conflicts(prices)) == 5
    assert is_sound(prices)


def test_a_side_may_leave_a_conflict_that_stays(desk):
    given(desk, about("a1", "a", "Lyon"), about("a2", "a", " lyon"), about("a3", "a", "Paris", valid_to="2026-03-01"), about("a4", "a", "Lyon", valid_from="2026-03-01"))
    seen = preview(desk, comparing(compare="text"), by="adam")

    assert becomes(seen) == {"a": ("changes", ["a1", "a2", "a3"])}
    carry_out(desk, comparing(compare="text"), by="adam", seen=seen)
    assert sides(desk) == [["a1", "a2", "a3"]]
    assert is_sound(desk)


def test_what_is_not_mentioned_goes_on_as_it_was_also_from_a_broader_scope(desk):
    given(desk, predicate("says", compare="text", series=True), about("a1", "a", "x", scope="acme/api"), about("a2", "a", "X", scope="acme/api"), about("b1", "b", 1), about("b2", "b", 2))
    found = preview(desk, comparing(scope="acme/api", order="set"), by="adam")["comparison"]

    assert (found["before"], found["after"]["compare"], found["after"]["series"], found["claims"]) == (None, "text", True, 2)
    assert preview(desk, comparing(scope="acme", cardinality="many"), by="adam")["comparison"]["closes"] == 1
    change(desk, scope="acme/api", compare="exact")
    assert preview(desk, comparing(scope="acme", cardinality="many"), by="adam")["comparison"]["closes"] == 1
    assert ["a1", "a2"] in sides(desk)
    assert is_sound(desk)


def test_another_comparison_that_fits_no_tolerance_drops_it(desk):
    change(desk, **CENT)
    assert "tolerance" not in preview(desk, comparing(compare="text"), by="adam")["comparison"]["after"]


def test_it_is_one_event_and_previews_made_before_are_stale(prices):
    other = preview(prices, Plan(Verb.REVOKE, ("a1",)))
    before = len(list_events(prices, OPERATOR, limit=1000)["items"])
    change(prices, **CENT)

    events = list_events(prices, OPERATOR, limit=1000)["items"]
    assert (len(events), events[-1]["action"]) == (before + 1, "compare")
    with refused("stale_preview"):
        carry_out(prices, Plan(Verb.REVOKE, ("a1",)), seen=other)


def test_a_preview_is_stale_once_a_conflict_more_would_close(prices):
    seen = preview(prices, comparing(**CENT), by="adam")
    given(prices, about("f1", "f", 1), about("f2", "f", 1.001))

    with refused("stale_preview"):
        carry_out(prices, comparing(**CENT), by="adam", seen=seen)
    assert len(conflicts(prices)) == 6


def test_only_who_administers_the_scope_may(prices):
    given(prices, person("sam", "admin", "acme/api"))

    for who, code in (("ana", "not_allowed"), ("sam", "not_allowed")):
        with refused(code):
            preview(prices, comparing(**CENT), by=who)
    change(prices, by="sam", scope="acme/api", **CENT)
    assert len(conflicts(prices)) == 5


WRONG = [
    ({"compare": "luck"}, "must be one of"), ({"tolerance": {"absolute": -1}}, "above 0"), ({"tolerance": {"relative": 2}}, "below 1"), ({"tolerance": 1}, "must be {"),
    ({"compare": "text", "tolerance": {"absolute": 1}}, "for numbers"), ({"many": True}, "no part"), ({"thresholds": ["x"]}, "must be a number"), ({}, "what is to change"),
    ({"compare": "exact"}, None),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "word"), WRONG, ids=str)
def test_what_is_no_comparison_is_refused_with_what_is_wrong(desk, changes, word):
    if word is None:
        change(desk, compare="exact")
        word = "already"
    with refused("bad_value", word):
        preview(desk, comparing(**changes), by="adam")


def test_the_scope_must_be_of_the_tenant(desk):
    with refused("bad_value", "no scope of acme"):
        preview(desk, comparing(scope="other/x", compare="text"), by=OPERATOR)


@pytest.mark.parametrize("fields", [{"tolerance": {"absolute": 0}}, {"tolerance": {"a": 1}}, {"thresholds": 3}, {"thresholds": [{"at": 1}]}, {"compare": "year", "tolerance": {"absolute": 1}}], ids=str)
def test_a_bundle_line_with_a_wrong_tolerance_is_refused_with_a_sentence(store, fields):
    (wrong,) = bring(store, predicate("says", **fields), reviewed=True)["rejected"]

    assert wrong["code"] == "bad_value"


@pytest.mark.parametrize("name", ["", "x" * 501])
def test_a_name_no_bundle_could_carry_is_no_predicate(desk, name):
    with refused("bad_value", "1 to 500 characters"):
        preview(desk, comparing(name, compare="number"), by="adam")


@pytest.mark.parametrize("name", ["a/b?c#d%e", "\u202eabc", "日本", " leading", "*"])
def test_any_other_name_survives_export_and_import(desk, another_store, tmp_path, name):
    carry_out(desk, comparing(name, compare="number", thresholds=[{"at": 2.5, "name": "</script>|*x*"}]), by="adam")
    text = exported(desk, tmp_path / "one.jsonl")
    again = another_store()
    assert bring(again, *text.splitlines(), reviewed=True)["rejected"] == []
    assert exported(again, tmp_path / "two.jsonl") == text
