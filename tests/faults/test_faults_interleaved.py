"""Two people at once: whatever the order of their statements, one valid outcome, and the other is told."""

from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from fault_processes import Sleeper, tally
from fault_stores import TENANT, broken_invariant, check_whole, claim, clock, encode, events, rows_of, statuses

from store import (
    Approval,
    ClaimStore,
    Plan,
    Refusal,
    Status,
    Verb,
    Wanted,
    approve,
    commit_plan,
    import_lines,
    keep_plan_file,
    open_store,
    preview_plan,
    reject,
    request_deletion,
)

SEED = int(os.environ.get("CLAIMDESK_SEED", "20260701"))
#: How many orders are tried at least, and how many until every outcome came up.
ROUNDS = int(os.environ.get("CLAIMDESK_ROUNDS", "12"))
MOST = max(60, ROUNDS)

Doing = Callable[[ClaimStore], Any]
ACCEPTED, STALE, REVOKED, REJECTED, DISPUTED = (int(status) for status in (Status.ACCEPTED, Status.STALE, Status.REVOKED, Status.REJECTED, Status.DISPUTED))


def committing(store: ClaimStore, person: str, plan: Plan, operation: str | None = None) -> Doing:
    """Preview now, and return the commit of exactly that."""
    seen = preview_plan(store, person, TENANT, plan).fingerprint
    return lambda its: commit_plan(its, person, TENANT, plan, seen, "because", operation=operation)


def at_once(url: str, seed: int, first: Doing, second: Doing, *, later: int | None = None) -> list[Any]:
    """Run both in threads, with random sleeps between statements; even seeds share one open store, as sessions of the app do.

    Args:
        later: which of the two begins only when the other has ended.
    """
    stores = [open_store(url, clock)]
    stores.append(stores[0] if seed % 2 == 0 else open_store(url, clock))
    results: list[Any] = [None, None]
    sleeper, barrier, ended = Sleeper(), threading.Barrier(2), threading.Event()

    def run(place: int, doing: Doing) -> None:
        chance = sleeper.random[threading.get_ident()] = random.Random(seed * 2 + place)
        barrier.wait()
        if place == later:
            ended.wait()
        elif seed // 2 % 3 == place:
            time.sleep(chance.choice((0.002, 0.01, 0.03)))
        try:
            results[place] = doing(stores[place])
        except Refusal as refusal:
            results[place] = refusal
        except BaseException as error:
            results[place] = error
        finally:
            ended.set()

    remove = sleeper.install()
    threads = [threading.Thread(target=run, args=one) for one in ((0, first), (1, second))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    remove()
    for store in set(map(id, stores)):
        next(one for one in stores if id(one) == store).close()
    return results


def code(result: Any) -> str:
    if isinstance(result, Refusal):
        return result.code.value
    if isinstance(result, BaseException):
        raise result
    return "done"


def accept_child(_store: ClaimStore) -> Doing:
    return lambda its: approve(its, "ana", TENANT, "CHILD", Approval("it is so"))


def revoke_source(store: ClaimStore) -> Doing:
    return committing(store, "ben", Plan(Verb.REVOKE, ("S1",)))


def accepting_a_child_while_its_ancestor_is_revoked(store: ClaimStore) -> tuple[Doing, Doing, dict[tuple[str, str], dict[str, int]]]:
    return accept_child(store), revoke_source(store), {
        ("done", "stale_preview"): {"CHILD": ACCEPTED, "S1@1": ACCEPTED, "B1": ACCEPTED},
        ("promotion_checks_failed", "done"): {"CHILD": 0, "S1@1": REVOKED, "B1": STALE},
    }  # fmt: skip


def two_commits_of_overlapping_plans(store: ClaimStore) -> tuple[Doing, Doing, dict[tuple[str, str], dict[str, int]]]:
    return committing(store, "ana", Plan(Verb.SUSPEND, ("A1",))), revoke_source(store), {
        ("done", "stale_preview"): {"A1": DISPUTED, "S1@1": ACCEPTED, "B1": STALE, "B9": ACCEPTED},
        ("stale_preview", "done"): {"A1": STALE, "S1@1": REVOKED, "B1": STALE, "B9": STALE},
    }  # fmt: skip


def recapturing_a_source_while_a_claim_that_carries_over_is_suspended(store: ClaimStore) -> tuple[Doing, Doing, dict[tuple[str, str], dict[str, int]]]:
    text = b"".join(b"Fact %d says %d.\n" % (n, 33 if n == 3 else n) for n in range(1, 11))
    kept = keep_plan_file(store, "ana", TENANT, text, name="new.txt")
    plan = Plan(Verb.RECAPTURE, ("S1",), file=kept.sha256, media_type=kept.media_type)
    return committing(store, "ana", plan), committing(store, "ben", Plan(Verb.SUSPEND, ("A1",))), {
        ("done", "stale_preview"): {"S1@1": int(Status.SUPERSEDED), "S1@2": ACCEPTED, "A1": ACCEPTED, "A3": STALE, "B9": ACCEPTED},
        ("stale_preview", "done"): {"S1@1": ACCEPTED, "A1": DISPUTED, "A3": ACCEPTED, "B1": STALE},
    }  # fmt: skip


def after(store: ClaimStore, *plans: Plan) -> None:
    """Carry out what comes before the two people."""
    for plan in plans:
        committing(store, "carla", plan)(store)


def confirming_on_a_support_while_it_is_suspended(store: ClaimStore) -> tuple[Doing, Doing, dict[tuple[str, str], dict[str, int]]]:
    after(store, Plan(Verb.SUSPEND, ("A1",)))
    return committing(store, "ana", Plan(Verb.CONFIRM, ("B2",), drop=("A1",))), committing(store, "ben", Plan(Verb.SUSPEND, ("A2",))), {
        ("done", "stale_preview"): {"A2": ACCEPTED, "B2": ACCEPTED, "R2": STALE, "B3": ACCEPTED},
        ("stale_preview", "done"): {"A2": DISPUTED, "B2": STALE, "R2": STALE, "B3": STALE},
    }  # fmt: skip


def restoring_what_a_second_suspension_takes_down(store: ClaimStore) -> tuple[Doing, Doing, dict[tuple[str, str], dict[str, int]]]:
    after(store, Plan(Verb.SUSPEND, ("A1",)), Plan(Verb.REINSTATE, ("A1",)))
    return committing(store, "ana", Plan(Verb.RESTORE, ("A1",))), committing(store, "ben", Plan(Verb.SUSPEND, ("A2",))), {
        ("done", "stale_preview"): {"A2": ACCEPTED, "B1": ACCEPTED, "R1": ACCEPTED, "B2": ACCEPTED, "R2": ACCEPTED},
        ("stale_preview", "done"): {"A2": DISPUTED, "B1": STALE, "R1": STALE, "B2": STALE, "R2": STALE},
    }  # fmt: skip


def two_commits_of_one_preview(store: ClaimStore) -> tuple[Doing, Doing, dict[tuple[str, str], dict[str, int]]]:
    plan = Plan(Verb.REVOKE, ("S1",))
    return committing(store, "ana", plan), committing(store, "ben", plan), {
        ("done", "already_decided"): {"S1@1": REVOKED, "B1": STALE},
        ("already_decided", "done"): {"S1@1": REVOKED, "B1": STALE},
    }  # fmt: skip


def approving_and_rejecting_one_candidate(_store: ClaimStore) -> tuple[Doing, Doing, dict[tuple[str, str], dict[str, int]]]:
    return accept_child(_store), lambda its: reject(its, "ben", TENANT, "CHILD", "rejected", "no"), {
        ("done", "already_decided"): {"CHILD": ACCEPTED},
        ("already_decided", "done"): {"CHILD": REJECTED},
    }  # fmt: skip


def approving_one_candidate_twice(_store: ClaimStore) -> tuple[Doing, Doing, dict[tuple[str, str], dict[str, int]]]:
    return accept_child(_store), lambda its: approve(its, "ben", TENANT, "CHILD", Approval("I too")), {
        ("done", "already_decided"): {"CHILD": ACCEPTED},
        ("already_decided", "done"): {"CHILD": ACCEPTED},
    }  # fmt: skip


def importing_a_dependent_while_its_ancestor_is_revoked(store: ClaimStore) -> tuple[Doing, Doing, dict[tuple[str, str], dict[str, int]]]:
    lines = encode([claim("FRESH", "fresh", 1, parents=("B1",))])
    return lambda its: import_lines(its, "carla", lines, reviewed=True), revoke_source(store), {
        ("done", "stale_preview"): {"FRESH": ACCEPTED, "B1": ACCEPTED, "S1@1": ACCEPTED},
        ("done", "done"): {"FRESH": STALE, "B1": STALE, "S1@1": REVOKED},
    }  # fmt: skip


def replacing_a_claim_while_it_is_revoked(store: ClaimStore) -> tuple[Doing, Doing, dict[tuple[str, str], dict[str, int]]]:
    superseded = int(Status.SUPERSEDED)
    replace = lambda its: approve(its, "ana", TENANT, "NEW", Approval("newer", replaces="OLD"))  # noqa: E731
    return replace, committing(store, "ben", Plan(Verb.REVOKE, ("OLD",))), {
        ("done", "stale_preview"): {"NEW": ACCEPTED, "OLD": superseded, "D1": STALE, "RD": STALE},
        ("other_key", "done"): {"NEW": 0, "OLD": REVOKED, "D1": STALE, "RD": STALE},
    }  # fmt: skip


def ask_to_forget_source(its: ClaimStore) -> Any:
    return request_deletion(its, "carla", TENANT, Wanted(("S1",)), reason="asked by the person")


def accepting_a_child_while_its_ancestor_is_asked_to_be_forgotten(store: ClaimStore) -> tuple[Doing, Doing, dict[tuple[str, str], dict[str, int]]]:
    return accept_child(store), ask_to_forget_source, {
        ("done", "done"): {"CHILD": STALE, "S1@1": int(Status.DELETION_PENDING), "B1": STALE},
        ("promotion_checks_failed", "done"): {"CHILD": 0, "S1@1": int(Status.DELETION_PENDING), "B1": STALE},
    }  # fmt: skip


def importing_a_dependent_while_its_ancestor_is_asked_to_be_forgotten(_store: ClaimStore) -> tuple[Doing, Doing, dict[tuple[str, str], dict[str, int]]]:
    line = encode([claim("LATE", "late", 1, parents=("B1",))])
    return lambda its: import_lines(its, "carla", line, reviewed=True), ask_to_forget_source, {
        ("done", "done"): {"LATE": STALE, "B1": STALE, "S1@1": int(Status.DELETION_PENDING)},
    }  # fmt: skip


def asking_twice_for_the_same_to_be_forgotten(_store: ClaimStore) -> tuple[Doing, Doing, dict[tuple[str, str], dict[str, int]]]:
    ask = lambda its: request_deletion(its, "carla", TENANT, Wanted(("OLD",)), reason="asked by the person")  # noqa: E731
    gone = {"OLD": int(Status.DELETION_PENDING), "D1": STALE, "RD": STALE}
    return ask, ask, {("done", "illegal_step"): gone, ("illegal_step", "done"): gone}


@pytest.mark.parametrize(
    "pair",
    [
        accepting_a_child_while_its_ancestor_is_revoked,
        two_commits_of_overlapping_plans,
        recapturing_a_source_while_a_claim_that_carries_over_is_suspended,
        confirming_on_a_support_while_it_is_suspended,
        restoring_what_a_second_suspension_takes_down,
        two_commits_of_one_preview,
        approving_and_rejecting_one_candidate,
        approving_one_candidate_twice,
        importing_a_dependent_while_its_ancestor_is_revoked,
        replacing_a_claim_while_it_is_revoked,
        accepting_a_child_while_its_ancestor_is_asked_to_be_forgotten,
        importing_a_dependent_while_its_ancestor_is_asked_to_be_forgotten,
        asking_twice_for_the_same_to_be_forgotten,
    ],
    ids=lambda pair: pair.__name__,
)
def test_in_every_order_there_is_one_valid_outcome_and_the_other_person_is_told(place, prepared, pair):
    started, seen, outcomes = time.perf_counter(), {}, {}
    print(f"seed {SEED}")
    for n in range(MOST):
        if n >= ROUNDS and len(seen) == len(outcomes):
            break
        url = place.copy(prepared)
        store = open_store(url, clock)
        first, second, outcomes = pair(store)
        store.close()
        was = events(url)
        # How often either is first depends on the machine: an order that did not come up by itself is brought about.
        results = at_once(url, SEED + n, first, second, later=n // 2 % 2 if n >= ROUNDS and n % 2 else None)

        codes = (code(results[0]), code(results[1]))
        assert codes in outcomes, f"seed {SEED + n}: {codes}: {[str(result) for result in results]}"
        now = statuses(url)
        assert {name: now.get(name) for name in outcomes[codes]} == outcomes[codes], f"seed {SEED + n}: {codes}"
        assert broken_invariant(url) == []
        assert events(url) == was + codes.count("done")
        assert rows_of(url, "SELECT count(*) FROM operation") == rows_of(url, "SELECT count(*) FROM event")
        told = next((result for result in results if isinstance(result, Refusal)), None)
        if told is not None and told.code == "already_decided":
            assert "ana" in told.message.lower() or "ben" in told.message.lower(), told.message
            assert "2026-07-01" in told.message, told.message
        store = open_store(url, clock)
        check_whole(store)
        store.close()
        place.drop(url)
        seen[codes] = seen.get(codes, 0) + 1
    tally(f"interleaved: {pair.__name__[:31]}", place.kind, sum(seen.values()), started)
    assert len(seen) == len(outcomes), f"not every outcome came up in {MOST} rounds: {seen}"


def test_one_operation_asked_for_twice_at_once_is_done_once_and_both_get_its_result(place, prepared):
    started = time.perf_counter()
    for n in range(ROUNDS):
        url = place.copy(prepared)
        was = events(url)
        one = lambda its: approve(its, "ana", TENANT, "CHILD", Approval("it is so"), operation="double-click")  # noqa: E731
        results = at_once(url, SEED + n, one, one)

        assert results[0] == results[1]
        assert results[0]["decided"] == "CHILD"
        assert events(url) == was + 1
        place.drop(url)
    tally("interleaved: one operation twice", place.kind, ROUNDS, started)


def without_locks(place: Any) -> Callable[[], None]:
    """Take the tenant's lock out of every statement, as if somebody had forgotten it."""
    import sqlalchemy as sa

    def weaken(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> tuple[str, Any]:
        return statement.replace("FOR UPDATE", "").replace("BEGIN IMMEDIATE", "BEGIN"), parameters

    sa.event.listen(sa.Engine, "before_cursor_execute", weaken, retval=True)
    return lambda: sa.event.remove(sa.Engine, "before_cursor_execute", weaken)


def test_these_interleavings_would_notice_a_missing_lock(place, prepared):
    noticed = 0
    for n in range(20):
        url = place.copy(prepared)
        store = open_store(url, clock)
        first, second, outcomes = accepting_a_child_while_its_ancestor_is_revoked(store)
        store.close()
        restore = without_locks(place)
        try:
            results = at_once(url, SEED + n, first, second)
        finally:
            restore()
        try:
            noticed += (code(results[0]), code(results[1])) not in outcomes or bool(broken_invariant(url))
        except BaseException:
            noticed += 1
        place.drop(url)
        if noticed:
            break

    assert noticed
