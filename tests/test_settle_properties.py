"""Whatever group is settled by whatever rule, the commit does what the preview said, and reads return it."""

from hypothesis import given as generated
from hypothesis import settings
from hypothesis import strategies as st

from store import Plan, Verb, list_queue, open_store
from tests.builders import Clock, accepted, ask, carry_out, evidence, given, is_sound, passage, predicate, preview, show, source
from tests.test_properties import RELAXED, RULES, exported, records_of

SUBJECTS = ("a", "b", "c")
DATES = [None, None, "2026-01-01T00:00:00Z", "2026-06-01T00:00:00Z"]
PREFER = [{"verdict": "keep", "prefer": {"source": "S2"}}, {"verdict": "same", "prefer": {"source": ["S3", "S1"]}}, {"verdict": "keep", "prefer": {"newest": "captured"}}]


@st.composite
def groups(draw):
    """Lines of claims over a few subjects, some on each other, and a rule with some choices and exceptions."""
    lines = []
    for n in range(draw(st.integers(4, 12))):
        parents = draw(st.sampled_from(["E1", "E2", "E3", *(line["id"] for line in lines[-3:])]))
        rest = {"evidence": [passage(evidence=parents)]} if parents.startswith("E") else {"on": parents}
        start, end = draw(st.sampled_from(DATES)), draw(st.sampled_from(DATES))
        lines.append(accepted(
            f"c{n}", draw(st.sampled_from([1, 2, 2.5, 3, 1.0])), subject=draw(st.sampled_from(SUBJECTS)), valid_from=start, valid_to=end if (start or "") < (end or "") else None,
            status=draw(st.sampled_from(["reviewed"] * 6 + ["disputed", "candidate"])), **rest,
        ))  # fmt: skip
    tolerance = draw(st.sampled_from([{}, {}, {"tolerance": {"absolute": 0.5}}]))
    return lines, tolerance, draw(st.sampled_from([*RULES, *PREFER, *PREFER])), draw(st.sampled_from([None, "superseded", "revoked"])), draw(st.integers(0, 20))


def open_conflicts(store):
    return {one["id"]: one for one in list_queue(store, "ana", "conflicts")["items"]}


def check_group(databases, group):
    lines, tolerance, rule, others, pick = group
    with databases.new("desk") as url:
        store = open_store(url, now=Clock())
        try:
            given(store, source("S2"), evidence("E2", "S2", captured_at="2026-02-01T00:00:00Z"), source("S3"), evidence("E3", "S3", captured_at="2026-03-01T00:00:00Z"))
            given(store, predicate("says", **tolerance), *lines)
            opened = open_conflicts(store)
            if not opened:
                return
            names = sorted(opened)
            chosen = names[pick % len(names)]
            choices = {chosen: opened[chosen]["claims"][pick % len(opened[chosen]["claims"])]} if pick % 3 == 0 else {}
            plan = Plan(Verb.SETTLE, tuple(names), rule={**rule, **({"others": others} if others else {})}, choices=choices, except_=tuple(names[:1] if pick % 5 == 1 else ()))
            seen = preview(store, plan)
            before = records_of(exported(store)[1])
            assert sorted([one["id"] for one in seen.get("settlements", [])] + [one["id"] for one in seen.get("left", [])]) == names
            check_rule(seen, opened, before, plan)
            if not seen["settlements"]:
                return
            carry_out(store, plan, seen=seen)

            after = records_of(exported(store)[1])
            words = {"ACCEPTED": "reviewed"}
            assert {one: after[one]["status"] for one in before if after[one]["status"] != before[one]["status"]} == {one["id"]: words.get(one["to"], one["to"].lower()) for one in seen["affected"]}
            now = open_conflicts(store)
            key = {(one["subject"],) for one in opened.values()} - {(one["subject"],) for one in now.values()}
            assert key == {(one["subject"],) for one in seen["conflicts"]["dissolved"]}
            assert seen["conflicts"]["opened"] == []
            for one in seen["settlements"]:
                assert ask(store, one["subject"])["result"] == one["after"]
                if one["verdict"] != "unclear":
                    assert one["id"] not in now
                for gone in one["superseded"]:
                    assert show(store, gone)["superseded_by"] == one["keep"][0]
            assert is_sound(store)
        finally:
            store.close()


def check_rule(seen, opened, records, plan):
    """What a rule by source keeps, worked out again: the one value of the first source that speaks, unless it says several."""
    sources = plan.rule.get("prefer", {}).get("source")
    if sources is None:
        return
    for one in seen["settlements"]:
        if one["id"] in plan.choices:
            assert plan.choices[one["id"]] == one["keep"][0]
            continue
        sides = {side: taken_from(records, side) for side in opened[one["id"]]["claims"]}
        named = next(them for name in ([sources] if isinstance(sources, str) else sources) if (them := {side for side, its in sides.items() if name in its}))
        assert named <= set(one["keep"])
        assert sorted([*one["keep"], *one["superseded"], *one["revoked"]]) == sorted(sides)


def taken_from(records, one):
    """The sources of the evidence a claim is bound to, or else of all it rests on."""
    line = records[one]
    if line["type"] == "evidence":
        return {line["source"]}
    bound = {records[binding["evidence"]]["source"] for binding in line.get("evidence", ())}
    return bound or {name for parent in line.get("derived_from", ()) for name in taken_from_all(records, parent)}


def taken_from_all(records, one):
    line = records[one]
    if line["type"] == "evidence":
        return {line["source"]}
    parents = [*line.get("derived_from", ()), *(binding["evidence"] for binding in line.get("evidence", ()))]
    return {name for parent in parents for name in taken_from_all(records, parent)}


@settings(max_examples=25, **RELAXED)
@generated(group=groups())
def test_a_settled_group_is_what_was_shown(sqlite_files, group):
    check_group(sqlite_files, group)


@settings(max_examples=4, **RELAXED)
@generated(group=groups())
def test_a_settled_group_is_what_was_shown_on_postgresql(postgres_databases, group):
    check_group(postgres_databases, group)
