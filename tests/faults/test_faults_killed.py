"""A process killed at any statement of any action leaves all of it or nothing, and all of what it acknowledged."""

from __future__ import annotations

import contextlib
import hashlib
import time
from collections.abc import Callable
from typing import Any

import pytest
from fault_processes import BEFORE_COMMIT, COMMITTED, run_and_kill, tally
from fault_stores import TENANT, check_whole, clock, differing, encode, events, look_at, more_lines, rows_of, state_of

from store import (
    Approval,
    ClaimStore,
    Plan,
    Refusal,
    Verb,
    Wanted,
    approve,
    ask_which,
    capture,
    close_correction,
    commit_plan,
    import_lines,
    keep_plan_file,
    open_correction,
    open_store,
    preview_plan,
    refuse_deletion,
    request_deletion,
    save_rehearsal,
    waive,
)

OPERATION = "the-one"
LEAST, FAR_TOO_MANY = 10, 1000
#: After so many deaths the action is repeated on what the last one left.
OFTEN = 15


def approve_in_place_of_another(store: ClaimStore, _seen: str) -> Any:
    return approve(store, "ana", TENANT, "NEW", Approval("it is newer", replaces="OLD"), operation=OPERATION)


def ask_how_it_is_meant(store: ClaimStore, _seen: str) -> Any:
    return ask_which(store, "ana", TENANT, "NEW", "Which of them holds?", "ben", Approval("both are unclear"), operation=OPERATION)


def revoke_thirty(store: ClaimStore, seen: str) -> Any:
    return commit_plan(store, "ana", TENANT, Plan(Verb.REVOKE, ("S1",)), seen, "the source is wrong", operation=OPERATION)


def import_forty(store: ClaimStore, _seen: str) -> Any:
    return import_lines(store, "carla", encode(more_lines()), reviewed=True, operation=OPERATION)


def without_refused_lines(result: dict[str, Any]) -> dict[str, Any]:
    """Leave out what a test of its own looks at."""
    return {name: value for name, value in result.items() if name != "rejected"}


def settle_by_choice(store: ClaimStore, seen: str) -> Any:
    return commit_plan(store, "ana", TENANT, settling(store), seen, "K1 is right", operation=OPERATION)


def settling(store: ClaimStore) -> Plan:
    with store.reader.connect() as connection:
        conflict = connection.exec_driver_sql("SELECT id FROM conflict").scalar_one()
    return Plan(Verb.SETTLE, (conflict,), rule={"verdict": "same"}, choices={conflict: "K1"})


def compare_by_tolerance(store: ClaimStore, seen: str) -> Any:
    return commit_plan(store, "carla", TENANT, comparing(store), seen, "one apart is the same", operation=OPERATION)


def comparing(store: ClaimStore) -> Plan:
    with store.reader.connect() as connection:
        name = connection.exec_driver_sql("SELECT k.predicate FROM conflict c JOIN claim_key k ON k.tenant = c.tenant AND k.key = c.key").scalar_one()
    return Plan(Verb.COMPARE, (name,), scope=TENANT, comparison={"compare": "number", "tolerance": {"absolute": 1}})


NEW_TEXT = b"A line in front.\n" + b"".join(b"Fact %d says %d.\n" % (n, 33 if n == 3 else n) for n in range(1, 11))


def recapture_source(store: ClaimStore, seen: str) -> Any:
    return commit_plan(store, "ana", TENANT, recapturing_kept(), seen, "a new edition", operation=OPERATION)


def recapturing_kept() -> Plan:
    return Plan(Verb.RECAPTURE, ("S1",), file=hashlib.sha256(NEW_TEXT).hexdigest(), media_type="text/plain", values={"A3": {"value": 33}})


def recapturing(store: ClaimStore) -> Plan:
    keep_plan_file(store, "ana", TENANT, NEW_TEXT, name="new.txt")
    return recapturing_kept()


CONFIRMED, RESTORED = Plan(Verb.CONFIRM, ("B2", "R2"), drop=("A1",)), Plan(Verb.RESTORE, ("A1",))


def carry_out(store: ClaimStore, plan: Plan) -> None:
    commit_plan(store, "ben", TENANT, plan, preview_plan(store, "ben", TENANT, plan).fingerprint, "to see what follows")


def confirm_two(store: ClaimStore, seen: str) -> Any:
    return commit_plan(store, "ana", TENANT, CONFIRMED, seen, "A2 carries it", operation=OPERATION)


def confirming(store: ClaimStore) -> Plan:
    carry_out(store, Plan(Verb.SUSPEND, ("A1",)))
    return CONFIRMED


def restore_four(store: ClaimStore, seen: str) -> Any:
    return commit_plan(store, "ana", TENANT, RESTORED, seen, "A1 stands again", operation=OPERATION)


def restoring(store: ClaimStore) -> Plan:
    carry_out(store, Plan(Verb.SUSPEND, ("A1",)))
    carry_out(store, Plan(Verb.REINSTATE, ("A1",)))
    return RESTORED


def capture_version(store: ClaimStore, _seen: str) -> Any:
    return capture(store, "bot", TENANT, "S1", NEW_TEXT, name="new.txt", operation=OPERATION)


def save_a_rehearsal(store: ClaimStore, seen: str) -> Any:
    return save_rehearsal(store, "ana", TENANT, Plan(Verb.REVOKE, ("S1",)), "Withdraw it", fingerprint=seen, correction=CASE, operation=OPERATION)


CASE = "correction-S1"


def open_a_case(store: ClaimStore, _seen: str) -> Any:
    return open_correction(store, "ana", TENANT, "S1 was restated", sources=("S1",), cause="a mistake", operation=OPERATION)


def suspended(store: ClaimStore) -> None:
    carry_out(store, Plan(Verb.SUSPEND, ("S1",)))


def with_a_case(store: ClaimStore) -> None:
    assert open_correction(store, "ben", TENANT, "S1 was restated", sources=("S1",))["correction"] == CASE


def rehearsed_in_a_case(store: ClaimStore) -> Plan:
    with_a_case(store)
    return Plan(Verb.REVOKE, ("S1",))


def waive_a_step(store: ClaimStore, _seen: str) -> Any:
    return waive(store, "ana", TENANT, CASE, "step", "compare", "there is no other edition", operation=OPERATION)


def waived_wholly(store: ClaimStore) -> None:
    with_a_case(store)
    for step in ("stop", "compare", "commit"):
        waive(store, "ben", TENANT, CASE, "step", step, "nothing came of it")


def close_a_case(store: ClaimStore, _seen: str) -> Any:
    return close_correction(store, "ana", TENANT, CASE, "nothing came of it", operation=OPERATION)


def ask_to_forget(store: ClaimStore, _seen: str) -> Any:
    return request_deletion(store, "carla", TENANT, Wanted(("A1", "OLD")), reason="asked by the person", operation=OPERATION)


def with_keys(store: ClaimStore) -> None:
    """Let the ledger have the tenant's key already: a fresh one would be another in each copy."""
    store.ledger.mac_id(TENANT, "anything")


def refuse_to_forget(store: ClaimStore, _seen: str) -> Any:
    return refuse_deletion(store, "carla", TENANT, f"{TENANT}-deletion-1", "it has to be kept", operation=OPERATION)


def asked_to_forget(store: ClaimStore) -> None:
    request_deletion(store, "carla", TENANT, Wanted(("A1", "OLD")), reason="asked by the person")


#: What is tried, and what comes before it: a plan to be previewed, or nothing.
ACTIONS: dict[str, tuple[Callable[[ClaimStore, str], Any], Callable[[ClaimStore], Plan | None] | None]] = {
    "approve": (approve_in_place_of_another, None),
    "ask_which": (ask_how_it_is_meant, None),
    "settle": (settle_by_choice, settling),
    "compare": (compare_by_tolerance, comparing),
    "revoke": (revoke_thirty, lambda _: Plan(Verb.REVOKE, ("S1",))),
    "recapture": (recapture_source, recapturing),
    "confirm": (confirm_two, confirming),
    "restore": (restore_four, restoring),
    "import": (import_forty, None),
    "capture": (capture_version, with_a_case),
    "save rehearsal": (save_a_rehearsal, rehearsed_in_a_case),
    "open case": (open_a_case, suspended),
    "waive": (waive_a_step, with_a_case),
    "close case": (close_a_case, waived_wholly),
    "request deletion": (ask_to_forget, with_keys),
    "refuse deletion": (refuse_to_forget, asked_to_forget),
}
#: How many records each plan changes.
AFFECTED = {"revoke": 30, "settle": 3, "compare": 0, "recapture": 6, "confirm": 2, "restore": 4, "save rehearsal": 30}


#: Killed at every statement. The others commit as these do, in one transaction: they are killed at every statement that none of
#: these has, beside every COMMIT, and at their first and last.
AT_EVERY_STATEMENT = ("approve", "settle", "import")


def begin(place: Any, prepared: str, name: str) -> tuple[str, str]:
    """Return the URL of a copy in which an action can be done, and the fingerprint it needs."""
    url, seen, comes_before = place.copy(prepared), "", ACTIONS[name][1]
    with contextlib.closing(open_store(url, clock)) as store:
        plan = comes_before(store) if comes_before is not None else None
        if plan is not None:
            preview = preview_plan(store, "carla" if name == "compare" else "ana", TENANT, plan)
            seen = preview.fingerprint
            assert preview.totals["affected"] == AFFECTED[name]
    return url, seen


@pytest.fixture(scope="module")
def common_statements(place, prepared):
    """What the actions that are killed at every statement say to the database."""
    found = set()
    for name in AT_EVERY_STATEMENT:
        url, seen = begin(place, prepared, name)
        done = run_and_kill(lambda store, name=name, seen=seen: ACTIONS[name][0](store, seen), None, lambda url=url: open_store(url, clock))
        found.update(done.reached)
        place.drop(url)
    return found


def points_of(name: str, reached: list[str], common: set[str]) -> list[int]:
    """Return at which of its statements an action is killed, from 1; the last is one more than it has, where it comes to its end."""
    end = len(reached) + 1
    if name in AT_EVERY_STATEMENT:
        return list(range(1, end + 1))
    commits = {n for n, what in enumerate(reached, 1) if what in (BEFORE_COMMIT, COMMITTED)}
    new = {reached.index(what) + 1 for what in set(reached) - common}
    beside = {n + step for n in commits for step in (-1, 0, 1)}
    return sorted({1, end - 1, end} | new | beside & set(range(1, end)))


@pytest.mark.parametrize("name", ACTIONS)
def test_killed_at_any_statement_an_action_is_there_wholly_or_not_at_all(place, prepared, common_statements, name):
    action = ACTIONS[name][0]
    url, seen = begin(place, prepared, name)
    before, started = state_of(url), time.perf_counter()
    done = place.copy(url)
    finished = run_and_kill(lambda store: action(store, seen), None, lambda: open_store(done, clock))
    assert finished.error is None, finished.error
    after = state_of(done)
    assert differing(before, after)
    place.drop(done)

    kept, copy = 0, place.copy(url)
    content_before, verified = look_at(url)[1], set()
    points = points_of(name, finished.reached, common_statements)
    for n in points:
        death = run_and_kill(lambda store: action(store, seen), n, lambda copy=copy: open_store(copy, clock))
        assert death.error is None, death.error
        found, content = look_at(copy)
        if content not in verified:  # what it says of this very content it would say again
            with contextlib.closing(open_store(copy, clock)) as store:
                check_whole(store)
        whole = not differing(found, after)
        assert whole or not differing(found, before), f"half done when killed before {death.at!r}: {differing(found, before)}"
        assert whole or death.acknowledged is None, f"acknowledged and lost when killed before {death.at!r}"
        assert whole or not kept, f"there when killed earlier, gone when killed before {death.at!r}"
        assert not whole or kept or death.at == COMMITTED, f"there before its COMMIT, at {death.at!r}"
        kept += whole

        repeats = content not in verified or n % OFTEN == 0
        verified.add(content)
        if repeats:  # on the same bytes it would do the same; every so often, in case a lock was left behind
            with contextlib.closing(open_store(copy, clock)) as store:
                assert without_refused_lines(action(store, seen)) == without_refused_lines(finished.acknowledged), "repeating it gives another answer"
                assert not differing(state_of(copy), after), "repeating it had another effect"
                assert events(copy) == events(url) + 1
                if whole or n <= OFTEN:
                    check_whole(store)
        if repeats or content != content_before:  # a copy that is byte for byte as it was serves for the next death
            place.drop(copy)
            copy = place.copy(url)
    place.drop(copy)
    place.drop(url)
    tally(f"killed: {name}", place.kind, len(points), started)
    assert death.at is None, "it has more statements than when it was first done"
    assert n > LEAST
    assert kept >= 2


def test_killed_at_any_statement_a_preview_leaves_every_record_as_it_was(place, prepared):
    plan, started = Plan(Verb.REVOKE, ("S1",)), time.perf_counter()
    url = place.copy(prepared)
    before = state_of(url)
    for n in range(1, FAR_TOO_MANY):
        death = run_and_kill(lambda store: preview_plan(store, "ana", TENANT, plan).fingerprint, n, lambda: open_store(url, clock))
        assert death.error is None, death.error
        assert [name for name in differing(state_of(url), before) if name != "preview"] == []
        if death.at is None:
            break
    tally("killed: preview", place.kind, n, started)
    assert len(rows_of(url, "SELECT * FROM preview")) == 1
    place.drop(url)


def test_a_repeated_import_returns_the_first_result_with_its_refused_lines(fresh):
    store = open_store(fresh, clock)
    first = import_forty(store, "")
    assert [line["id"] for line in first["rejected"]] == ["ORPHAN", "ODD"]

    assert import_forty(store, "") == first
    store.close()


def test_an_operation_id_used_for_other_lines_is_refused(fresh):
    store = open_store(fresh, clock)
    import_forty(store, "")
    with pytest.raises(Refusal) as refused:
        import_lines(store, "carla", encode(more_lines()[:5]), reviewed=True, operation=OPERATION)

    assert refused.value.code == "operation_reused"
    store.close()
