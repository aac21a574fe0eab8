"""A process killed at any statement of any action leaves all of it or nothing, and all of what it acknowledged."""

from __future__ import annotations

import contextlib
import hashlib
import time
from collections.abc import Callable
from typing import Any

import pytest
from fault_processes import COMMITTED, run_and_kill, tally
from fault_stores import TENANT, check_whole, clock, differing, encode, events, look_at, more_lines, rows_of, state_of

from store import Approval, ClaimStore, Plan, Refusal, Verb, approve, commit_plan, import_lines, keep_plan_file, open_store, preview_plan

OPERATION = "the-one"
FAR_TOO_MANY = 1000


def approve_in_place_of_another(store: ClaimStore, _seen: str) -> Any:
    return approve(store, "ana", TENANT, "NEW", Approval("it is newer", replaces="OLD"), operation=OPERATION)


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


ACTIONS: dict[str, tuple[Callable[[ClaimStore, str], Any], Callable[[ClaimStore], Plan] | None]] = {
    "approve": (approve_in_place_of_another, None),
    "settle": (settle_by_choice, settling),
    "compare": (compare_by_tolerance, comparing),
    "revoke": (revoke_thirty, lambda _: Plan(Verb.REVOKE, ("S1",))),
    "recapture": (recapture_source, recapturing),
    "confirm": (confirm_two, confirming),
    "restore": (restore_four, restoring),
    "import": (import_forty, None),
}


@pytest.mark.parametrize("name", ACTIONS)
def test_killed_at_any_statement_an_action_is_there_wholly_or_not_at_all(place, prepared, name):
    action, plan_of = ACTIONS[name]
    url, seen = place.copy(prepared), ""
    store = open_store(url, clock)
    if plan_of is not None:
        preview = preview_plan(store, "carla" if name == "compare" else "ana", TENANT, plan_of(store))
        seen = preview.fingerprint
        assert preview.totals["affected"] == {"revoke": 30, "settle": 3, "compare": 0, "recapture": 6, "confirm": 2, "restore": 4}[name]
    store.close()
    before, started = state_of(url), time.perf_counter()
    done = place.copy(url)
    finished = run_and_kill(lambda store: action(store, seen), None, lambda: open_store(done, clock))
    assert finished.error is None, finished.error
    after = state_of(done)
    assert differing(before, after)
    place.drop(done)

    kept, copy = 0, place.copy(url)
    content_before, verified = look_at(url)[1], set()
    for n in range(1, FAR_TOO_MANY):
        death = run_and_kill(lambda store: action(store, seen), n, lambda copy=copy: open_store(copy, clock))
        assert death.error is None, death.error
        found, content = look_at(copy)
        if content not in verified:  # what it says of this very content it would say again
            with contextlib.closing(open_store(copy, clock)) as store:
                check_whole(store)
            verified.add(content)
        whole = not differing(found, after)
        assert whole or not differing(found, before), f"half done when killed before {death.at!r}: {differing(found, before)}"
        assert whole or death.acknowledged is None, f"acknowledged and lost when killed before {death.at!r}"
        assert whole or not kept, f"there when killed earlier, gone when killed before {death.at!r}"
        assert not whole or kept or death.at == COMMITTED, f"there before its COMMIT, at {death.at!r}"
        kept += whole

        if n % 3 == 0 or kept:
            with contextlib.closing(open_store(copy, clock)) as store:
                assert without_refused_lines(action(store, seen)) == without_refused_lines(finished.acknowledged), "repeating it gives another answer"
                assert not differing(state_of(copy), after), "repeating it had another effect"
                assert events(copy) == events(url) + 1
                check_whole(store)
        if n % 3 == 0 or kept or content != content_before:  # a copy that is byte for byte as it was serves for the next death
            place.drop(copy)
            copy = place.copy(url)
        if death.at is None:
            break
    place.drop(copy)
    place.drop(url)
    tally(f"killed: {name}", place.kind, n, started)
    assert 20 < n < FAR_TOO_MANY
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
