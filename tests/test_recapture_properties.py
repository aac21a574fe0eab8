"""Random graphs on random passages: what a recapture does is what a few plain loops say it does (R21)."""

import json

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import given as generated
from hypothesis import strategies as st

from store import Plan, Verb, keep_plan_file, open_store, preview_plan
from tests.builders import TENANT, Clock, carry_out, claim, evidence, given, is_sound, revoking, source, suspending
from tests.test_properties import exported, parents_of, records_of

RELAXED = {"deadline": None, "derandomize": True, "suppress_health_check": list(HealthCheck), "phases": (Phase.explicit, Phase.generate), "database": None}
STATES = ["reviewed"] * 6 + ["candidate", "stale", "disputed", "superseded", "revoked"]
LINES = [f"Clause {n} says that the party of the {word} part pays in time." for n, word in enumerate(["first", "second", "third", "fourth", "fifth", "sixth"])]
SORTED = ("candidate", "reviewed", "disputed", "stale")


def bound(n):
    start = sum(len(line) + 1 for line in LINES[:n])
    return {"evidence": "P1", "span": {"start": start, "end": start + len(LINES[n])}, "quote": LINES[n]}


@st.composite
def stories(draw):
    """Claims c0, c1, … on passages and on each other; which passages change; whether one is put in front."""
    size = draw(st.integers(4, 12))
    lines = []
    for n in range(size):
        above = draw(st.sets(st.integers(0, n - 1), max_size=2)) if n else set()
        passages = draw(st.sets(st.integers(0, len(LINES) - 1), max_size=2))
        if not above and not passages:
            passages = {0}
        how = {"evidence": [bound(one) for one in sorted(passages)], "derived_from": [f"c{m}" for m in sorted(above)]}
        lines.append(claim(f"c{n}", n, status=draw(st.sampled_from(STATES)), **how))
    return lines, draw(st.sets(st.integers(0, len(LINES) - 1), max_size=2)), draw(st.booleans())


def say(lines, standing, version_before, edited):
    """The statuses afterwards, and which claims rest on the new version, by plain loops."""
    statuses = {one: line["status"] for one, line in standing.items()}
    lost = {one for one, line in lines.items() if any(binding["quote"] in {LINES[n] for n in edited} for binding in line.get("evidence", ()))}
    on_version = {one for one, line in lines.items() if any(binding["evidence"] == "P1" for binding in line.get("evidence", ()))}
    carried = {one for one in on_version - lost if statuses[one] in SORTED}
    after = dict(statuses)
    if version_before == "reviewed":
        after["P1"] = "superseded"
        down, more = set(lost), True
        while more:
            more = {one for one, line in lines.items() if one not in down and parents_of(line) & down}
            down |= more
        after |= {one: "stale" for one in down if statuses[one] == "reviewed"}
    elif version_before == "disputed":
        after["P1"] = "superseded"
        fell = {one for one in lines if lines[one]["status"] == "reviewed" and statuses[one] == "stale"}
        for one in sorted(fell, key=lambda name: int(name[1:])):
            rests = {"new" if parent == "P1" and one in carried else parent for parent in parents_of(lines[one])}
            if all(parent == "new" or after[parent] == "reviewed" for parent in rests):
                after[one] = "reviewed"
    return after, carried


def check_story(databases, story, before):
    claims, edited, front = story
    with databases.new("desk") as url:
        store = open_store(url, now=Clock())
        try:
            given(store, source("SP"), evidence("P1", "SP", "\n".join(LINES)), *claims)
            lines = records_of(exported(store)[1])
            if before is not None:
                carry_out(store, before("P1"))
            standing = records_of(exported(store)[1])
            text = [LINES[n].replace("pays", "shall never pay") if n in edited else LINES[n] for n in range(len(LINES))]
            kept = keep_plan_file(store, "ana", TENANT, "\n".join((["A heading that is new."] if front else []) + text + ["An end."]).encode(), name="p.txt")
            plan = Plan(Verb.RECAPTURE, ("SP",), file=kept.sha256, media_type=kept.media_type)
            mine = {one: line for one, line in lines.items() if one.startswith("c") or one == "P1"}
            wanted, carried = say({one: line for one, line in mine.items() if one != "P1"}, {one: standing[one] for one in mine}, standing["P1"]["status"], edited)

            found = preview_plan(store, "ana", TENANT, plan).to_json()
            names = {"ACCEPTED": "reviewed", "REVOKED": "revoked", "STALE": "stale", "DISPUTED": "disputed", "SUPERSEDED": "superseded"}
            changing = {one: status for one, status in wanted.items() if status != standing[one]["status"]}
            assert {one["id"]: names[one["to"]] for one in found["affected"]} == changing
            carry_out(store, plan, seen=found)
            after = records_of(exported(store)[1])
            assert {one: after[one]["status"] for one in mine} == wanted
            for one in carried:
                assert {binding["evidence"] for binding in after[one]["evidence"]} == {"SP@2"}
            for one in set(mine) - carried - {"P1"}:
                assert after[one].get("evidence") == lines[one].get("evidence")
            assert preview_plan(store, "ana", TENANT, suspending("SP@2")).snapshot is not None
            assert is_sound(store)
            first = exported(store)[0]
        finally:
            store.close()
    with databases.new() as url:
        other = open_store(url, now=Clock())
        try:
            given(other, *map(json.loads, first.splitlines()))
            assert exported(other)[0] == first
        finally:
            other.close()


BEFORE = pytest.mark.parametrize("before", [None, suspending, revoking], ids=["in use", "suspended", "revoked"])


@BEFORE
@settings(max_examples=16, **RELAXED)
@generated(story=stories())
def test_a_recapture_does_what_plain_loops_say(sqlite_files, before, story):
    check_story(sqlite_files, story, before)


@BEFORE
@settings(max_examples=3, **RELAXED)
@generated(story=stories())
def test_a_recapture_does_what_plain_loops_say_on_postgresql(postgres_databases, before, story):
    check_story(postgres_databases, story, before)
