"""Committing a recapture: new values, what was seen is what is done, who sees what, and what follows it (R3, R21)."""

import json

import pytest

from store import (
    commit_plan,
    hand_over,
    preview_plan,
    save_rehearsal,
    view_rehearsal,
)
from tests.builders import (
    GROUND,
    TENANT,
    accepted,
    carry_out,
    conflicts,
    decide,
    evidence,
    given,
    is_sound,
    passage,
    preview,
    refused,
    rows,
    show,
    source,
    status,
    statuses,
    suspending,
)
from tests.recapturing import (
    CHANGED,
    MOVED,
    NAV,
    exported,
    recapture,
    recapturing,
    roots,
    verdicts,
)

# --- new values ------------------------------------------------------------------------------------------------------


def test_new_values_become_candidates_that_answer_what_fell_and_somebody_else_decides(fund):
    plan = recapturing(fund, values={"NAV": {"value": "179,500,000 USD"}})

    found = preview(fund, plan)
    result = carry_out(fund, plan)

    assert found["proposed"][0] | {"evidence": None} == {"id": "NAV.2", "answers": "NAV", "value": "179,500,000 USD", "evidence": None}
    assert result["candidates"] == ["NAV.2"]
    new = show(fund, "NAV.2")
    assert (new["status"], new["answers"], new["parents"]) == ("CANDIDATE", "NAV", ["S1@2"])
    with refused("promotion_checks_failed", "Somebody else must decide"):
        decide(fund, "NAV.2", "ana")
    decide(fund, "NAV.2", "ben")
    assert statuses(fund, "NAV", "NAV.2") == {"NAV": "SUPERSEDED", "NAV.2": "ACCEPTED"}
    assert conflicts(fund) == []
    assert is_sound(fund)


def test_a_plan_with_new_values_is_handed_over_and_whoever_commits_it_proposes_them(fund):
    plan = recapturing(fund, values={"NAV": {"value": "179,500,000 USD"}})
    id = save_rehearsal(fund, "ana", TENANT, plan, "Correct it")["rehearsal"]
    hand_over(fund, "ana", TENANT, id, "ben", "I am away")

    seen = view_rehearsal(fund, "ben", TENANT, id)
    assert not seen.saved.changed
    commit_plan(fund, "ben", TENANT, plan, seen.saved.fingerprint, "as handed over")

    with refused("promotion_checks_failed", "Somebody else must decide"):
        decide(fund, "NAV.2", "ben")
    decide(fund, "NAV.2", "ana")


@pytest.mark.parametrize(("values", "words"), [
    ({"CITY": {"value": 1}}, ["CITY", "carries over"]), ({"X": {"value": 1}}, ["X is no claim whose passage changed"]), ({"NAV": {}}, ["NAV is missing"]),
    ({"NAV": {"value": 1, "quote": "not there"}}, ["not there", "does not occur"]), ({"NAV": {"value": 1, "span": {"start": 0, "end": 9999}}}, ["outside"]),
])  # fmt: skip
def test_a_value_that_answers_nothing_or_stands_nowhere_is_refused(fund, values, words):
    with refused("bad_value", *words):
        preview(fund, recapturing(fund, values=values))


def test_the_place_of_a_new_value_may_be_given(fund):
    start = CHANGED.index("179,500,000")
    recapture(fund, values={"NAV": {"value": 179500000, "span": {"start": start, "end": start + 11}, "valid_from": "2026-07-01"}})

    assert "source_bound" not in [one["name"] for one in _failed(fund, "NAV.2")]


def _failed(store, id):
    from tests.builders import check

    return [one for one in check(store, id, "ben")["checks"] if not one["ok"]]


# --- what was seen is what is committed ------------------------------------------------------------------------------


def test_a_preview_is_stale_when_a_claim_that_would_carry_over_changed_meanwhile(fund):
    plan = recapturing(fund)
    seen = preview(fund, plan)
    given(fund, accepted("LATE", "Lyon"))

    with refused("stale_preview") as caught:
        carry_out(fund, plan, seen=seen)

    assert caught.value.details["added"] == ["LATE"]
    assert status(fund, "E1") == "ACCEPTED"
    recapture(fund)
    assert is_sound(fund)


def test_two_people_with_two_files_one_wins(fund):
    first, second = recapturing(fund), recapturing(fund, MOVED, by="ben")
    seen = preview(fund, second, "ben")
    carry_out(fund, first)

    with refused("stale_preview"):
        carry_out(fund, second, "ben", seen=seen)
    assert status(fund, "S1@2") == "ACCEPTED"


def test_the_same_operation_is_done_once(fund):
    plan = recapturing(fund)
    seen = preview(fund, plan)["fingerprint"]

    first = commit_plan(fund, "ana", TENANT, plan, seen, "corrected", operation="once")
    again = commit_plan(fund, "ana", TENANT, plan, seen, "corrected", operation="once")

    assert again == first


def test_whoever_may_not_see_a_scope_is_told_of_its_passages_only_in_the_totals(desk):
    given(
        desk,
        accepted("OPEN"),
        accepted("SHUT", scope="acme/secret"),
        {"type": "person", "id": "nora", "name": "Nora", "roles": [{"role": "reviewer", "scope": "acme/open"}]},
    )
    given(
        desk,
        source("S3", "acme/open"),
        evidence("E3", "S3"),
        accepted("IN", scope="acme/open", evidence=[passage(evidence="E3")]),
        accepted("OUT", scope="acme/secret", evidence=[passage(evidence="E3")]),
    )

    found = preview(desk, recapturing(desk, of="S3", by="nora"), "nora")

    assert verdicts(found) == {"IN": "unchanged"}
    assert found["totals"]["passages"]["unchanged"] == 2
    assert "OUT" not in json.dumps(found)


def test_an_export_after_a_recapture_comes_back_byte_for_byte(fund, another_store, tmp_path):
    recapture(fund, values={"NAV": {"value": "179,500,000 USD"}})
    first = exported(fund, tmp_path)
    other = another_store()
    given(other, *[json.loads(line) for line in first.decode().splitlines()])

    assert exported(other, tmp_path, "y.jsonl") == first
    assert is_sound(other)


def test_a_snapshot_in_memory_follows(fund):
    preview(fund, suspending("E1"))
    recapture(fund)

    found = preview(fund, suspending("S1@2"))

    assert set(rows(found)) == {"S1@2", "CITY", "Y"}
    recapture(fund, MOVED.replace(NAV, "179,500,000 USD"))
    assert roots(fund, "Y") == ["S1@3"]
    assert set(rows(preview(fund, suspending("S1")))) == {"S1@3", "CITY", "Y"}


def test_another_look_at_a_file_that_is_kept_costs_no_second_copy(fund):
    recapturing(fund)
    recapturing(fund)

    with fund.reader.connect() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM plan_file").scalar_one() == 1
    recapture(fund)
    with fund.reader.connect() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM plan_file").scalar_one() == 0


def test_ten_thousand_passages_are_sorted_and_carried_over(desk):
    lines = [f"Item {n} costs {n * 7 % 1000} EUR as of the date given." for n in range(10_000)]
    text = "\n".join(lines)
    claims, at = [], 0
    for n, line in enumerate(lines):
        claims.append(accepted(f"I{n}", n, evidence=[{"evidence": "BIG", "span": {"start": at, "end": at + len(line)}, "quote": line}]))
        at += len(line) + 1
    given(desk, source("SB"), evidence("BIG", "SB", text), *claims)
    new = "\n".join(["A heading that was not there.", *(line.replace("EUR", "USD") if n % 100 == 0 else line for n, line in enumerate(lines))])

    plan = recapturing(desk, new, of="SB")
    found = preview_plan(desk, "ana", TENANT, plan, rows=10)
    carry_out(desk, plan, seen={"fingerprint": found.fingerprint})

    assert found.totals["passages"] == {"unchanged": 0, "moved": 9900, "cosmetic": 0, "changed": 100, "gone": 0}
    assert statuses(desk, "I100", "I101") == {"I100": "STALE", "I101": "ACCEPTED"}
    assert is_sound(desk)


assert GROUND
