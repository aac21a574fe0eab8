"""Two processes on one store, each with its records in memory: what one commits, the other sees, exactly."""

from __future__ import annotations

import json
import os
import random
import time
from typing import Any

import numpy as np
import pytest
from fault_processes import tally
from fault_stores import TENANT, broken_invariant, check_whole, claim, clock, encode, report

from store import (
    Answer,
    Approval,
    ClaimStore,
    Plan,
    Refusal,
    Terms,
    Verb,
    amend,
    approve,
    commit_plan,
    import_lines,
    open_store,
    preview_plan,
    reject,
    renew,
    reopen,
)  # fmt: skip
from store.db import snapshots

SEED = int(os.environ.get("CLAIMDESK_SEED", "20260701"))
STEPS = 60
COLUMNS = ("kind", "status", "version", "scope", "owner", "flags", "key", "value", "has_value", "valid_from", "valid_to", "expires_at")


def difference(store: ClaimStore) -> list[str]:
    """Return where the store's snapshot, caught up, differs from one read from the tables now."""
    with store.reader.begin() as connection:
        number = connection.exec_driver_sql(f"SELECT tenant FROM tenant WHERE name = '{TENANT}'").scalar_one()
        warm = store.snapshots.current(connection, number)
        cold = snapshots.load(connection, number, warm.seq)
        seq = connection.exec_driver_sql(f"SELECT event_seq FROM tenant WHERE tenant = {number}").scalar_one()
    found = [] if warm.seq == seq else [f"it stands at {warm.seq}, the store at {seq}"]
    size = min(len(warm.columns), len(cold.columns))
    if len(warm.columns) != len(cold.columns):
        found.append(f"{len(warm.columns)} rows, not {len(cold.columns)}")
    for name in COLUMNS:
        one, other = getattr(warm.columns, name), getattr(cold.columns, name)
        if not np.array_equal(one[:size], other[:size]):
            found.append(f"{name} at {np.flatnonzero(one[:size] != other[:size]).tolist()[:5]}")
    pairs = {name: (getattr(warm.keys, name), getattr(cold.keys, name)) for name in ("scope", "question", "many")}
    pairs |= {"edges": (warm.graph.edges, cold.graph.edges), "delivered": (warm.delivered, cold.delivered)}
    pairs |= {"effective expiry": (warm.effective_expiry(), cold.effective_expiry()), "contested": (warm.contested(), cold.contested())}
    pairs |= {"asked twice": (warm.asked_twice(), cold.asked_twice())}
    every_key = np.arange(len(cold.keys.scope), dtype=np.int64)
    if len(warm.keys.scope) == len(cold.keys.scope):
        pairs["claims by key"] = (np.sort(warm.claims_of_keys(every_key)), np.sort(cold.claims_of_keys(every_key)))
    found += [name for name, (one, other) in pairs.items() if not np.array_equal(one, other)]
    if warm.open_conflicts != cold.open_conflicts:
        found.append("open conflicts")
    return found


class Other:
    """A second process with a warm store of its own; told to compare, it says where its snapshot is wrong."""

    def __init__(self, url: str) -> None:
        ask, self.asking = os.pipe()
        answering, answer = os.pipe()
        self.child = os.fork()
        if self.child == 0:
            try:
                os.close(self.asking)
                store = open_store(url, clock)
                with os.fdopen(ask, "rb") as questions:
                    for line in questions:
                        plan = json.loads(line)
                        try:
                            said = self._look(store, plan)
                        except BaseException as error:
                            said = [repr(error)]
                        os.write(answer, json.dumps(said).encode() + b"\n")
            finally:
                os._exit(0)
        os.close(ask)
        os.close(answer)
        self.answers = os.fdopen(answering, "rb")

    def _look(self, store: ClaimStore, root: str) -> list[Any]:
        wrong = difference(store)
        try:
            seen = preview_plan(store, "ben", TENANT, Plan(Verb.REVOKE, (root,)))
        except Refusal as refusal:
            return [wrong, refusal.code.value]
        return [wrong, seen.fingerprint]

    def look(self, root: str) -> list[Any]:
        os.write(self.asking, json.dumps(root).encode() + b"\n")
        return json.loads(self.answers.readline())

    def end(self) -> None:
        os.close(self.asking)
        self.answers.close()
        os.waitpid(self.child, 0)


class Somebody:
    """Does one random thing after another to a store; refusals are fine, most things work."""

    def __init__(self, store: ClaimStore, seed: int) -> None:
        self.store, self.random, self.n = store, random.Random(seed), 0
        self.claims = [f"{letter}{n}" for letter in "AB" for n in range(1, 11)] + ["OLD", "D1", "D2", "K1", "K2", "DK1", "DK2"]
        self.candidates = ["CHILD", "NEW"]

    def act(self) -> str:
        self.n += 1
        doing = self.random.choice(
            [
                self.add, self.add, self.add_candidate, self.add_candidate, self.accept, self.accept, self.accept, self.turn_down, self.mend, self.put_off,
                self.take_back, self.withdraw, self.suspend, self.reinstate, self.settle, self.add_rival, self.settle,
            ]
        )  # fmt: skip
        try:
            doing()
        except Refusal as refusal:
            return f"{doing.__name__}: {refusal.code}"
        return f"{doing.__name__}: done"

    def some(self) -> str:
        return self.random.choice(self.claims)

    def put(self, *lines: dict[str, Any]) -> None:
        import_lines(self.store, "carla", encode(list(lines)), reviewed=True)

    def add(self) -> None:
        names = [f"X{self.n}-{k}" for k in range(self.random.randint(1, 4))]
        expires = self.random.choice((None, "2026-12-01T00:00:00Z"))
        self.put(*(claim(name, name, 1, parents=(self.some(),), expires_at=expires) for name in names), report(f"XR{self.n}", (names[0],), ("dora",)))
        self.claims += names

    def add_candidate(self) -> None:
        self.put(claim(f"Y{self.n}", f"y-{self.n}", 1, parents=(self.some(), self.some()), status="candidate", scope=self.random.choice((TENANT, "acme/x"))))
        self.candidates.append(f"Y{self.n}")

    def add_rival(self) -> None:
        about = self.random.randint(1, 10)
        self.put(claim(f"Z{self.n}", f"a-{about}", 100 + self.n, fact=("S2", about)))
        self.claims.append(f"Z{self.n}")

    def accept(self) -> None:
        name = self.random.choice(self.candidates)
        terms = Terms(expires_at=clock() + 10**13) if self.random.random() < 0.3 else Terms()
        approve(self.store, "ana", TENANT, name, Approval("it is so", terms, replaces="OLD" if name == "NEW" else None))
        self.claims.append(name)

    def turn_down(self) -> None:
        reject(self.store, "ana", TENANT, self.random.choice(self.candidates), "rejected", "no")

    def mend(self) -> None:
        name = self.random.choice(self.candidates)
        amend(self.store, "bot", TENANT, name, {"derived_from": sorted({self.some(), self.some()}), "value": self.n})

    def put_off(self) -> None:
        renew(self.store, "ana", TENANT, self.some(), expires_at=clock() + self.random.randint(1, 9) * 10**12)

    def take_back(self) -> None:
        reopen(self.store, "ana", TENANT, self.random.choice(self.candidates))

    def plan(self, plan: Plan) -> None:
        seen = preview_plan(self.store, "ana", TENANT, plan)
        commit_plan(self.store, "ana", TENANT, plan, seen.fingerprint, "because")

    def withdraw(self) -> None:
        self.plan(Plan(Verb.REVOKE, (self.some(),)))

    def suspend(self) -> None:
        self.plan(Plan(Verb.SUSPEND, (self.some(),)))

    def reinstate(self) -> None:
        with self.store.reader.connect() as connection:
            query = "SELECT r.id FROM record r JOIN record_state s ON s.tenant = r.tenant AND s.record = r.record WHERE s.status = 2 ORDER BY r.record"
            found = connection.exec_driver_sql(query).scalars().all()
        if found:
            self.plan(Plan(Verb.REINSTATE, (self.random.choice(found),)))

    def settle(self) -> None:
        with self.store.reader.connect() as connection:
            query = """SELECT c.id, r.id FROM conflict c JOIN conflict_side s ON s.tenant = c.tenant AND s.conflict = c.conflict
                JOIN record r ON r.tenant = s.tenant AND r.record = s.record WHERE c.state = 0 ORDER BY c.conflict, r.record"""
            found = connection.exec_driver_sql(query).all()
        if found:
            conflict, side = self.random.choice(found)
            verdict = self.random.choice((Answer.KEEP, Answer.NONE, Answer.UNCLEAR, Answer.SAME))
            self.plan(Plan(Verb.RESOLVE, (conflict,), verdict=verdict, keep=side if verdict in (Answer.KEEP, Answer.SAME) else None))


def predicate(cardinality: str) -> dict[str, Any]:
    return {
        "type": "predicate", "scope": TENANT, "predicate": "size", "cardinality": cardinality, "value_type": "number", "order": "list", "series": False,
        "about": "thing",
    }  # fmt: skip


def test_a_predicate_declared_many_valued_reaches_the_memory_of_every_process(place, prepared):
    url = place.copy(prepared)
    store, theirs = open_store(url, clock), open_store(url, clock)
    assert difference(theirs) == []
    for cardinality in ("many", "one"):
        import_lines(store, "carla", encode([predicate(cardinality)]), reviewed=True)
        assert difference(store) == [], "in the process that declared it"
        assert difference(theirs) == [], "in the other"
    store.close()
    theirs.close()
    place.drop(url)


@pytest.mark.timeout(900)
@pytest.mark.parametrize("seed", [SEED, SEED + 1])
def test_after_every_action_of_one_process_the_others_memory_equals_the_tables(place, prepared, seed):
    url, started = place.copy(prepared), time.perf_counter()
    print(f"seed {seed}")
    other = Other(url)
    store = open_store(url, clock)
    somebody, done = Somebody(store, seed), []
    other.look("S1")
    assert difference(store) == []
    for n in range(STEPS):
        done.append(somebody.act())
        assert difference(store) == [], f"seed {seed}: in the process that acted, after {done}"
        if somebody.random.random() < 0.7:
            root = somebody.some()
            wrong, fingerprint = other.look(root)
            assert wrong == [], f"seed {seed}: in the other process, after {done[-5:]}"
            try:
                mine = preview_plan(store, "ben", TENANT, Plan(Verb.REVOKE, (root,))).fingerprint
            except Refusal as refusal:
                mine = refusal.code.value
            assert fingerprint == mine, f"seed {seed}: two previews of one plan differ after {done[-5:]}"
        if n % 20 == 19:
            check_whole(store)
    other.end()
    tally(f"warm memory, seed {seed}", place.kind, STEPS, started)
    print({one: done.count(one) for one in sorted(set(done))})
    assert broken_invariant(url) == []
    assert sum(one.endswith("done") for one in done) > STEPS // 3
    check_whole(store)
    store.close()
    place.drop(url)


def test_a_plan_previewed_before_another_process_committed_is_refused_and_names_what_came(place, prepared):
    url = place.copy(prepared)
    store, theirs = open_store(url, clock), open_store(url, clock)
    plan = Plan(Verb.REVOKE, ("S1",))
    seen = preview_plan(store, "ben", TENANT, plan).fingerprint
    import_lines(theirs, "carla", encode([claim("LATE", "late", 1, parents=("B1",))]), reviewed=True)
    with pytest.raises(Refusal) as stale:
        commit_plan(store, "ben", TENANT, plan, seen, "because")

    assert stale.value.code == "stale_preview"
    assert stale.value.details["added"] == ["LATE"]
    again = preview_plan(store, "ben", TENANT, plan)
    assert commit_plan(store, "ben", TENANT, plan, again.fingerprint, "because")["changed"] == 31
    store.close()
    theirs.close()
    place.drop(url)
