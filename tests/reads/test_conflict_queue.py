"""Conflicts in the order they matter, their groups and counts, and one of them with all that stands around it (R10, R13)."""

import pytest

from store import (
    SAYS,
    ConflictSift,
    Plan,
    Verb,
    Way,
    choose_in_group,
    foresee_group,
    foresee_verdicts,
    list_conflicts_page,
    list_queue,
    view_conflict,
)
from tests.builders import (
    TENANT,
    accepted,
    artifact,
    carry_out,
    delivered,
    evidence,
    given,
    is_sound,
    passage,
    person,
    predicate,
    refused,
    resolving,
    source,
    the_conflict,
    told,
)


def pair(subject, one="x", other="y", **fields):
    """Two accepted claims that contradict each other, of S1 and S2."""
    return accepted(f"{subject}1", one, subject=subject, **fields), accepted(
        f"{subject}2", other, subject=subject, evidence=[passage(evidence="E2")], **fields
    )


@pytest.fixture
def sources(desk):
    given(desk, source("S2"), evidence("E2", "S2"))
    return desk


def page(store, by="ana", **sift):
    return list_conflicts_page(store, by, ConflictSift(**sift))


def order(found):
    return [row.subject for row in found.rows]


def action(id, on, **fields):
    return artifact(id, on, artifact_type="action", impact="high", **fields)


# --- order -----------------------------------------------------------------------------------------------------------


def test_what_blocks_an_action_comes_first_then_what_was_delivered_then_thresholds_then_the_rest(sources):
    given(
        sources, predicate("score", value_type="number", thresholds=[9]), *pair("a"), *pair("b", 8, 9, predicate="score"), *pair("c"), *pair("d"),
        accepted("D", on="d1"), artifact("R", "c2", deliveries=[delivered()]), action("ACT", "D"),
    )  # fmt: skip
    found = page(sources)

    assert order(found) == ["d", "c", "b", "a"]
    assert [row.why for row in found.rows] == ["blocks", "delivered", "threshold", "rest"]
    assert found.counts == {"all": 4, "blocks": 1, "delivered": 1, "threshold": 1, "rest": 1, "asked": 0}
    assert [(row.reach, row.delivered) for row in found.rows] == [(2, 0), (1, 1), (0, 0), (0, 0)]


def test_an_action_that_is_finished_or_of_normal_impact_blocks_nothing(sources):
    given(sources, *pair("a"), *pair("b"), action("OLD", "a1", status="superseded"), artifact("SMALL", "b1", artifact_type="action"))

    assert page(sources).counts["blocks"] == 0


def test_what_a_plan_changes_is_in_the_order_at_once(sources):
    given(sources, *pair("a"), *pair("b"))
    assert order(page(sources)) == ["a", "b"]

    given(sources, artifact("R", "b2", deliveries=[delivered()]))
    assert order(page(sources)) == ["b", "a"]
    carry_out(sources, resolving(page(sources).rows[0].id, "keep", keep="b1"))
    assert order(page(sources)) == ["a"]


# --- groups ----------------------------------------------------------------------------------------------------------


def test_every_conflict_stands_in_one_cell_and_each_cell_is_the_count_of_its_list(sources):
    given(sources, source("S3"), evidence("E3", "S3"), *pair("a"), *pair("b"), *pair("c", predicate="weighs"))
    given(sources, accepted("a3", "z", subject="a", evidence=[passage(evidence="E3")]))
    found = page(sources)

    assert sum(total for _, total, _ in found.matrix.rows) == found.total == list_queue(sources, "ana", "conflicts")["total"] == 3
    for name, _, counts in found.matrix.rows:
        for column, count in zip(found.matrix.columns, counts, strict=True):
            assert page(sources, predicate=name, origins=column.origins, others=column.others, without=column.without).matched == count


def test_sources_are_named_by_authority_where_that_tells_them_apart_and_else_by_themselves(sources):
    given(sources, source("L1", authority="register"), evidence("F1", "L1"), source("L2", authority="register"), evidence("F2", "L2"))
    given(
        sources,
        *pair("a"),
        accepted("b1", "x", subject="b", evidence=[passage(evidence="F1")]),
        accepted("b2", "y", subject="b", evidence=[passage(evidence="F2")]),
    )
    given(
        sources,
        accepted("c1", "x", subject="c", evidence=[passage(evidence="F1")]),
        accepted("c2", "y", subject="c", evidence=[passage(evidence="E1")]),
    )

    names = {row.subject: sorted(name for value in row.values for name in value.names) for row in page(sources).rows}
    assert names == {"a": ["S1", "S2"], "b": ["L1", "L2"], "c": ["S1", "register"]}


def test_many_sets_of_sources_are_folded_by_the_source_they_share(sources):
    lines = []
    for n in range(3, 20):
        lines += [source(f"S{n}"), evidence(f"E{n}", f"S{n}")]
        lines += [accepted(f"p{n}", "x", subject=f"s{n}"), accepted(f"q{n}", "y", subject=f"s{n}", evidence=[passage(evidence=f"E{n}")])]
    given(sources, *lines, *pair("a"))
    found = page(sources)

    assert len(found.matrix.columns) <= 12
    (hub,) = [column for column in found.matrix.columns if column.others]
    assert (hub.origins, hub.count) == (("S1",), 18)
    assert page(sources, origins=hub.origins, others=True, without=hub.without).matched == 18


@pytest.mark.parametrize(
    ("one", "other", "likeness"),
    [
        ("Dublin , Ireland", "DUBLIN, Ireland", "written"),
        ("Waltham", "Waltham, U.S.", "more"),
        (100, 100.5, "near"),
        ("a b", "b c", "partly"),
        ("a", "b", "apart"),
        (1, 2, "apart"),
        (["a", "b"], ["b", "a"], "written"),
    ],
)
def test_a_group_is_sifted_by_how_its_values_differ(sources, one, other, likeness):
    given(sources, *pair("s", one, other))

    assert [name for name, count in page(sources, predicate="says").likenesses.items() if count] == [likeness]
    assert page(sources, predicate="says", likeness=likeness).matched == 1


def test_one_plan_settles_a_group_but_for_what_is_left_out(sources):
    given(sources, *pair("a"), *pair("b"), *pair("c"))
    ids = {row.subject: row.id for row in page(sources).rows}
    choices = choose_in_group(sources, "ana", TENANT, list(ids.values()), Way(SAYS, "S2"))
    assert choices == {ids[name]: f"{name}2" for name in "abc"}

    plan = Plan(Verb.SETTLE, tuple(ids.values()), rule={"verdict": "keep"}, choices=choices, except_=(ids["b"],))
    found = foresee_group(sources, "ana", TENANT, plan)
    assert (found.settled, found.left, found.stale) == (2, (("left_out", 1),), 0)
    carry_out(sources, plan)
    assert [told(sources, name) for name in "abc"] == [("OK", ["a2"]), ("CONFLICT", ["b1", "b2"]), ("OK", ["c2"])]
    assert order(page(sources)) == ["b"]
    assert is_sound(sources)


# --- who sees what ---------------------------------------------------------------------------------------------------


def test_conflicts_of_scopes_one_may_not_see_are_not_there(sources):
    given(sources, person("nora", "reviewer", f"{TENANT}/open"))
    given(sources, *pair("hush", scope=f"{TENANT}/shut"))
    given(sources, accepted("o1", "x", subject="o", scope=f"{TENANT}/open", on=()), accepted("o2", "y", subject="o", scope=f"{TENANT}/open", on=()))
    found = page(sources, "nora")

    assert (found.total, order(found)) == (1, ["o"])
    assert page(sources).total == 2
    hidden = page(sources).rows[0].id
    with refused("not_found"):
        view_conflict(sources, "nora", TENANT, hidden)


def test_who_may_see_no_conflict_at_all_is_told_so(sources):
    with refused("not_allowed", "that takes a reviewer"):
        page(sources, "rita")


# --- one of them -----------------------------------------------------------------------------------------------------


def test_one_conflict_shows_values_with_sources_counted_once_per_family_and_what_rests_on_them(sources):
    given(sources, source("S3", family="S1"), evidence("E3", "S3", text="The office is in Lyon. Again."))
    given(
        sources,
        *pair("s"),
        accepted("s3", "x", subject="s", evidence=[passage(evidence="E3", text="The office is in Lyon. Again.")]),
        accepted("D", on="s1"),
        artifact("R", "D", deliveries=[delivered()]),
    )
    view = view_conflict(sources, "ana", TENANT, the_conflict(sources)["id"])

    assert [(value.value, value.sources, value.independent, [side.id for side in value.sides]) for value in view.values] == [
        ("x", 2, 1, ["s1", "s3"]),
        ("y", 1, 1, ["s2"]),
    ]
    (first, _), (other,) = view.values[0].sides, view.values[1].sides
    assert (first.direct, first.reach, first.delivered, [one.id for one in first.users]) == (1, 2, 1, ["D"])
    assert (other.reach, other.delivered) == (0, 0)
    assert view.why == "delivered"


def test_each_verdict_says_what_agents_read_then_and_what_falls_and_remembers_nothing(sources):
    given(sources, *pair("s"), accepted("D", on="s1"), artifact("R", "D", deliveries=[delivered("kim"), delivered("lee")]))
    view = view_conflict(sources, "ana", TENANT, the_conflict(sources)["id"])
    plans = {
        name: resolving(view.id, verdict, **more)
        for name, verdict, more in (("one", "keep", {"keep": "s1"}), ("two", "keep", {"keep": "s2"}), ("none", "none", {}), ("ask", "unclear", {}))
    }
    found = foresee_verdicts(sources, "ana", view, plans)

    assert {name: (one.answer, one.stale, one.delivered, one.recipients) for name, one in found.items()} == {
        "one": ("OK", 0, 0, 0), "two": ("OK", 2, 1, 2), "none": ("MISSING", 2, 1, 2), "ask": ("CONFLICT", 2, 1, 2),
    }  # fmt: skip
    with refused("unknown_preview"):
        carry_out(sources, plans["two"], seen={"fingerprint": found["two"].fingerprint})
    assert carry_out(sources, plans["two"])["conflicts_dissolved"] == [view.id]


def test_a_verdict_that_does_not_fit_says_why_instead(sources):
    given(sources, *pair("s"), accepted("s3", "z", subject="s"))
    view = view_conflict(sources, "ana", TENANT, the_conflict(sources)["id"])
    found = foresee_verdicts(sources, "ana", view, {"split": resolving(view.id, "split", narrow={"s1": {"valid_to": "2026-01-01"}})})

    assert "would still contradict each other" in found["split"].refusal


def test_what_was_kept_before_is_found_among_the_sides_of_today(sources):
    given(sources, *pair("s"))
    first = the_conflict(sources)["id"]
    carry_out(sources, resolving(first, "keep", keep="s2"), reason="the register says so")
    given(sources, accepted("s4", "x", subject="s"))
    view = view_conflict(sources, "ana", TENANT, the_conflict(sources)["id"])

    assert (view.earlier.id, view.earlier.verdict, view.earlier.by, view.earlier.keep, view.earlier.repeatable) == (first, "keep", "ana", "s2", True)
    assert view.base.id == "s1"
    closed = view_conflict(sources, "ana", TENANT, first)
    assert (closed.open, closed.verdict, closed.reason, closed.closed_by) == (False, "keep", "the register says so", "ana")


def test_other_values_are_no_repetition(sources):
    given(sources, *pair("s"))
    carry_out(sources, resolving(the_conflict(sources)["id"], "keep", keep="s2"))
    given(sources, accepted("s4", "quite another", subject="s"))

    assert view_conflict(sources, "ana", TENANT, the_conflict(sources)["id"]).earlier is None
