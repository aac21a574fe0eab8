"""What holds whatever is done: random graphs against networkx, and random actions against rules written again here.

The rules are written a second time, simply: conflicts by comparing every pair (R10), Invariant I by looking at every
parent, and everything is read from the export, which anybody can take.
"""

import itertools
import json
import tempfile
from pathlib import Path

import networkx as nx
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import given as generated
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from store import OPERATOR, Plan, Refusal, Verb, amend, export_store, list_events, open_store, preview_plan, reject, reopen
from tests.builders import (
    TENANT,
    Clock,
    bring,
    carry_out,
    claim,
    decide,
    given,
    is_sound,
    passage,
    reinstating,
    resolving,
    revoking,
    show,
    superseding,
    suspending,
)

#: The same examples every time; not shrunk, because each step is many transactions: the steps printed fail as they stand.
RELAXED = {"deadline": None, "derandomize": True, "suppress_health_check": list(HealthCheck), "phases": (Phase.explicit, Phase.generate), "database": None}


def exported(store):
    """The store as anybody can take it away: its text and its lines."""
    with tempfile.TemporaryDirectory() as folder:
        export_store(store, OPERATOR, Path(folder, "x.jsonl"), scope=TENANT)
        text = Path(folder, "x.jsonl").read_text("utf-8")
    return text, [json.loads(line) for line in text.removesuffix("\n").split("\n")]


def parents_of(line):
    return {*line.get("derived_from", ()), *(one["evidence"] for one in line.get("evidence", ()))}


def records_of(lines):
    return {line["id"]: line for line in lines if line["type"] in ("evidence", "claim", "artifact")}


# --- preview = commit = networkx -----------------------------------------------------------------------------------

STATES = ["reviewed"] * 6 + ["candidate", "stale", "disputed", "superseded", "revoked"]


@st.composite
def graphs(draw):
    """Lines of claims c0, c1, … each on some earlier ones, in any state, and the roots of a plan."""
    size = draw(st.integers(2, 14))
    lines = []
    for n in range(size):
        above = draw(st.sets(st.integers(0, n - 1), max_size=3)) if n else set()
        lines.append(claim(f"c{n}", n, on=[f"c{m}" for m in sorted(above)] or "E1", status=draw(st.sampled_from(STATES))))
    return draw(st.permutations(lines)), draw(st.sets(st.sampled_from([f"c{n}" for n in range(size)] + ["E1"]), min_size=1, max_size=3)), draw(st.sampled_from([revoking, suspending]))


def check_graph(databases, graph):
    lines, roots, verb = graph
    with databases.new("desk") as url:
        store = open_store(url, now=Clock())
        try:
            given(store, *lines)
            before = records_of(exported(store)[1])
            network = nx.DiGraph([(parent, child["id"]) for child in before.values() for parent in parents_of(child)])
            network.add_nodes_from(before)
            good = [root for root in roots if before[root]["status"] == "reviewed"]
            if not good:
                return
            plan, to = verb(*good), {revoking: "revoked", suspending: "disputed"}[verb]
            reach = set().union(*(nx.descendants(network, root) for root in good)) - set(good)
            wanted = {root: to for root in good} | {one: "stale" for one in reach if before[one]["status"] == "reviewed"}

            found = preview_plan(store, "ana", TENANT, plan).to_json()
            line_status = {"ACCEPTED": "reviewed", "REVOKED": "revoked", "STALE": "stale", "DISPUTED": "disputed"}
            assert {one["id"]: line_status[one["to"]] for one in found["affected"]} == wanted
            distance = nx.multi_source_dijkstra_path_length(network, set(good))
            assert {one["id"]: one["distance"] for one in found["affected"]} == {one: distance[one] for one in wanted}
            assert sorted(one["id"] for one in found["blocked_candidates"]) == sorted(one for one in reach if before[one]["status"] == "candidate")
            carry_out(store, plan, seen=found)
            after = records_of(exported(store)[1])
            assert {one: after[one]["status"] for one in after if after[one]["status"] != before[one]["status"]} == wanted
            assert is_sound(store)
        finally:
            store.close()


@settings(max_examples=30, **RELAXED)
@generated(graph=graphs())
def test_preview_is_commit_is_what_networkx_says(sqlite_files, graph):
    check_graph(sqlite_files, graph)


@settings(max_examples=5, **RELAXED)
@generated(graph=graphs())
def test_preview_is_commit_is_what_networkx_says_on_postgresql(postgres_databases, graph):
    check_graph(postgres_databases, graph)


# --- any actions in any order --------------------------------------------------------------------------------------

DATES = [None, "2026-01-01T00:00:00Z", "2026-06-01T00:00:00Z", "2027-01-01T00:00:00Z"]
VALUES = st.sampled_from([1, 2, 1.0, True, None, "x", [1, 2]])
PICK = st.integers(0, 10_000)


COMPARISONS = [{"cardinality": "many"}, {"cardinality": "one"}, {"tolerance": {"absolute": 1}}, {"tolerance": None}, {"compare": "number"}, {"order": "set", "compare": "text"}]
RULES = [
    {"verdict": "none"}, {"verdict": "unclear"}, {"verdict": "split"}, *({"verdict": verdict, "prefer": prefer} for verdict in ("keep", "same") for prefer in (
        {"newest": "recorded"}, {"source": "S1"}, {"independent": "most"}, {"extractor": "reader 1"},
    )),
]  # fmt: skip


def near(one, other, declared):
    numbers = all(type(value) in (int, float) for value in (one, other))
    return numbers and "tolerance" in declared and abs(one - other) <= declared["tolerance"]["absolute"]


def same_value(one, other):
    return json.dumps(one) == json.dumps(other) or (type(one) in (int, float) and type(other) in (int, float) and one == other)


def by_the_rule(lines):
    """The open conflicts R10 asks for, by comparing every pair of claims: {key: ids}."""
    found = {}
    (declared,) = [line for line in lines if line["type"] == "predicate" and line["predicate"] == "says"] or [{}]
    if declared.get("cardinality") == "many":
        return {}
    live = [line for line in lines if line["type"] == "claim" and line["status"] in ("reviewed", "disputed") and line["value"] is not None]
    for one, other in itertools.combinations(live, 2):
        key, second = (json.dumps([line["scope"], line["subject"], line["predicate"], line["qualifiers"]], sort_keys=True) for line in (one, other))
        if key != second or same_value(one["value"], other["value"]) or near(one["value"], other["value"], declared):
            continue
        starts = [line["valid_from"] or "" for line in (one, other)]
        ends = [min(line["valid_to"] or "~", line["expires_at"] or "~") for line in (one, other)]
        if max(starts) < min(ends) and all(start < end for start, end in zip(starts, ends, strict=True)):
            found.setdefault(key, set()).update((one["id"], other["id"]))
    return found


class Desk(RuleBasedStateMachine):
    """People and programs doing anything in any order; what is refused must have changed nothing."""

    databases = None

    def __init__(self):
        super().__init__()
        self.context = self.databases.new("desk")
        self.clock = Clock()
        self.store = open_store(self.context.__enter__(), now=self.clock)
        self.made = 0
        self.text, self.lines = exported(self.store)
        self.events = len(list_events(self.store, "olga")["items"])

    def teardown(self):
        self.store.close()
        self.context.__exit__(None, None, None)

    def pick(self, number, *states, kinds=("claim",)):
        """One id of the store in one of some states; None where there is none."""
        ids = [line["id"] for line in self.lines if line["type"] in kinds and line.get("status") in states]
        return ids[number % len(ids)] if ids else None

    def act(self, action, *arguments, **options):
        """Do something that may be refused, then hold what came of it against the rules."""
        if any(argument is None for argument in arguments):
            return
        self.clock.pass_by(minutes=1)
        try:
            action(*arguments, **options)
            done = True
        except Refusal:
            done = False
        before, self.lines_before = self.text, self.lines
        self.text, self.lines = exported(self.store)
        # To export is an event too, and this machine exports after every step.
        items = [one for one in list_events(self.store, "olga")["items"] if one["action"] != "export"]
        if not done:
            assert self.text == before
            assert len(items) == self.events
        assert len(items) <= self.events + 1
        was, now = records_of(self.lines_before), records_of(self.lines)
        changed = [one for one in now if one not in was or now[one]["status"] != was[one]["status"]]
        for one in changed:
            last = show(self.store, one)["history"][-1]
            assert last["seq"] == items[-1]["seq"]
            assert last["from"] == (None if one not in was else show_word(was[one]["status"]))
            assert last["to"] == show_word(now[one]["status"])
        if len(items) > self.events:
            assert items[-1]["count"] >= len(changed)
        self.events = len(items)

    def plan(self, plan, by):
        seen = preview_plan(self.store, by, TENANT, plan).to_json()
        before = records_of(exported(self.store)[1])
        carry_out(self.store, plan, by, seen=seen)
        after = records_of(exported(self.store)[1])
        moved = {one: after[one]["status"] for one in before if after[one]["status"] != before[one]["status"]}
        assert {one["id"]: one["to"] for one in seen["affected"]} == {one: show_word(to) for one, to in moved.items()}

    @rule(values=st.lists(st.tuples(VALUES, PICK, PICK, st.booleans()), min_size=1, max_size=4), dates=st.tuples(*[st.sampled_from(DATES)] * 2), reviewed=st.booleans())
    def bring_in(self, values, dates, reviewed):
        start, end = dates
        if start and end and start >= end:
            start, end = None, end
        lines = []
        for value, subject, above, on_something in values:
            parents = [line["id"] for line in self.lines if line["type"] in ("claim", "evidence")] + [line["id"] for line in lines]
            rest = {"on": parents[above % len(parents)]} if on_something else {}
            lines.append(claim(f"c{self.made}", value, subject=("s", "t")[subject % 2], valid_from=start, valid_to=end, status="reviewed", **rest))
            self.made += 1
        self.act(bring, self.store, *lines, reviewed=reviewed)

    @rule(number=PICK, other=PICK, how=st.sampled_from(["plain", "open", "replace", "used"]), by=st.sampled_from(["ana", "ben"]))
    def approve(self, number, other, how, by):
        id, rival = self.pick(number, "candidate"), self.pick(other, "reviewed", "stale", "disputed")
        options = {"plain": {}, "open": {"open_conflict": True}, "replace": {"replaces": rival}, "used": {"terms": {"used": [self.pick(other, "reviewed", "stale", "revoked", "candidate") or "E1"]}}}[how]
        self.act(decide, self.store, id, by, **options)

    @rule(number=PICK, by=st.sampled_from(["ana", "ben"]))
    def turn_down(self, number, by):
        self.act(reject, self.store, by, TENANT, self.pick(number, "candidate"), "rejected", "no")

    @rule(number=PICK, value=VALUES, above=PICK)
    def change(self, number, value, above):
        parent = self.pick(above, "reviewed", "stale", "candidate", "revoked", kinds=("claim", "evidence"))
        self.act(amend, self.store, "carl", TENANT, self.pick(number, "candidate"), {"value": value, "derived_from": [parent]})

    @rule(number=PICK, by=st.sampled_from(["ana", "ben"]))
    def take_back(self, number, by):
        self.act(reopen, self.store, by, TENANT, self.pick(number, "reviewed", "rejected"))

    @rule(number=PICK, verb=st.sampled_from([revoking, suspending, reinstating]), states=st.sampled_from([("reviewed",), ("disputed",), ("stale", "candidate", "superseded")]), evidence=st.booleans())
    def take_out_or_back(self, number, verb, states, evidence):
        id = self.pick(number, *states, kinds=("claim", "evidence") if evidence else ("claim",))
        if id is not None:
            self.act(self.plan, verb(id), "ana")

    @rule(number=PICK, other=PICK, by=st.sampled_from(["ana", "ben"]))
    def supersede(self, number, other, by):
        old, new = self.pick(number, "reviewed", "disputed", "stale"), self.pick(other, "reviewed", "candidate")
        if old and new:
            self.act(self.plan, superseding(old, new), by)

    @rule(number=PICK, kept=PICK, verdict=st.sampled_from(["keep", "same", "split", "different", "none", "unclear"]), way=st.sampled_from(["superseded", "revoked"]))
    def resolve(self, number, kept, verdict, way):
        opened = [line for line in self.lines if line["type"] == "conflict" and line["state"] == "open"]
        if not opened:
            return
        one = opened[number % len(opened)]
        keep = one["claims"][kept % len(one["claims"])]
        options = {
            "keep": {"keep": keep, "other": {other: way for other in one["claims"] if other != keep}}, "same": {"keep": keep},
            "split": {"narrow": {id: {"qualifiers": {"side": n}} for n, id in enumerate(one["claims"])}}, "different": {"subject": {keep: "elsewhere"}}, "none": {}, "unclear": {},
        }[verdict]  # fmt: skip
        self.act(self.plan, resolving(one["id"], verdict, **options), "ana")

    def group_plan(self, plan, by):
        """Carry out a plan over many conflicts: which open and which close must be what was shown."""
        shown = preview_plan(self.store, by, TENANT, plan).to_json()["conflicts"]
        before = self.open_subjects(self.lines)
        self.plan(plan, by)
        after = self.open_subjects(exported(self.store)[1])
        assert after - before == {one["subject"] for one in shown["opened"]}
        assert before - after == {one["subject"] for one in shown["dissolved"]}

    def open_subjects(self, lines):
        return {line["subject"] for line in lines if line["type"] == "conflict" and line["state"] == "open"}

    @rule(number=PICK, kept=PICK, chosen=st.booleans(), how=st.sampled_from(RULES), others=st.sampled_from(["superseded", "revoked"]))
    def settle(self, number, kept, chosen, how, others):
        opened = [line for line in self.lines if line["type"] == "conflict" and line["state"] == "open"]
        if opened:
            one = opened[number % len(opened)]
            choices = {one["id"]: one["claims"][kept % len(one["claims"])]} if chosen else {}
            self.act(self.group_plan, Plan(Verb.SETTLE, tuple(line["id"] for line in opened), rule={**how, "others": others}, choices=choices), "ana")

    @rule(changes=st.sampled_from(COMPARISONS))
    def compare(self, changes):
        self.act(self.group_plan, Plan(Verb.COMPARE, ("says",), scope=TENANT, comparison=changes), "adam")

    @invariant()
    def accepted_rests_on_accepted(self):
        records = records_of(self.lines)
        wrong = [one for one, line in records.items() if line["status"] == "reviewed" and any(records[parent]["status"] != "reviewed" for parent in parents_of(line))]
        assert wrong == []

    @invariant()
    def conflicts_are_open_exactly_as_the_rule_says(self):
        held = {
            json.dumps([line["scope"], line["subject"], line["predicate"], line["qualifiers"]], sort_keys=True): set(line["claims"])
            for line in self.lines
            if line["type"] == "conflict" and line["state"] == "open"
        }
        assert held == by_the_rule(self.lines)

    @invariant()
    def verify_is_content(self):
        assert is_sound(self.store)


def show_word(line_status):
    return "ACCEPTED" if line_status == "reviewed" else line_status.upper()


@pytest.mark.parametrize(("kind", "examples", "steps"), [("sqlite_files", 12, 12), ("postgres_databases", 2, 10)], ids=["sqlite", "postgresql"])
def test_after_any_actions_in_any_order_every_rule_holds(request, kind, examples, steps):
    class DeskHere(Desk):
        databases = request.getfixturevalue(kind)

    run_state_machine_as_test(DeskHere, settings=settings(max_examples=examples, stateful_step_count=steps, **RELAXED))


def test_a_passage_is_a_parent():
    assert parents_of(claim("C1", evidence=[passage()])) == {"E1"}
