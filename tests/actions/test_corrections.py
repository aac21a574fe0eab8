"""Corrections as cases: what joins them, what fell because of them, what keeps them open, and who may (R25)."""

from __future__ import annotations

import pytest

from store import (
    NewCase,
    Plan,
    Refusal,
    Sift,
    Verb,
    add_source_to_correction,
    change_correction,
    close_correction,
    commit_plan,
    list_candidates,
    list_corrections,
    list_open_corrections,
    list_stale,
    open_correction,
    preview_plan,
    reopen_correction,
    take_waiver_back,
    verify_store,
    view_correction,
    waive,
)
from tests.builders import (
    DAY,
    TENANT,
    accepted,
    artifact,
    bring,
    carry_out,
    claim,
    decide,
    delivered,
    evidence,
    given,
    person,
    revoking,
    source,
    suspending,
)

NEXT_DAY = 1_782_982_800_000_000  # 2026-07-02T09:00:00Z


def chain(store):
    """A claim on the source, two on it, and a delivered report on those."""
    given(store, accepted("C1"), accepted("C2", on="C1"), accepted("C3", on="C1"), artifact("R1", on=["C2", "C3"], deliveries=[delivered()]))


def opened(store, by="ana", **options):
    return open_correction(store, by, TENANT, "The office has moved", sources=["S1"], **options)["correction"]


def view(store, case, by="ana"):
    return view_correction(store, by, TENANT, case)


def bar(store, case, by="ana"):
    found = view(store, case, by).row.bar
    return found.by_hand, found.together, found.waiting, found.open


def steps(store, case):
    return {step.name: step.state for step in view(store, case).row.steps}


def refused(code):
    return pytest.raises(Refusal, check=lambda refusal: refusal.code.value == code)


def test_a_case_says_what_it_is_about_who_owns_it_and_when_it_is_due(desk):
    case = opened(desk, cause="A letter said so", owner="ben", due_at=NEXT_DAY)

    row = view(desk, case).row
    assert (case, row.title, row.cause, row.owner, row.due_at) == ("correction-S1", "The office has moved", "A letter said so", "ben", NEXT_DAY)
    assert row.sources == (("S1", "Source S1"),)
    assert opened(desk) == "correction-S1-2"


def test_what_fell_because_of_a_stop_is_counted_upstream_apart(desk):
    chain(desk)
    case = opened(desk)
    carry_out(desk, suspending("S1"))

    assert bar(desk, case) == (0, 0, 3, 1)
    assert steps(desk, case) == {"stop": "done", "compare": "open", "commit": "open", "settle": "open", "tell": "open"}


def test_what_was_withdrawn_leaves_open_what_rested_on_it_directly(desk):
    chain(desk)
    case = opened(desk)
    carry_out(desk, revoking("S1"))

    assert bar(desk, case) == (0, 0, 3, 1)
    assert view(desk, case).row.next == "settle"


def test_what_is_retired_is_settled_by_hand(desk):
    chain(desk)
    case = opened(desk)
    carry_out(desk, revoking("S1"))
    carry_out(desk, revoking("C1"))

    assert bar(desk, case) == (1, 0, 1, 2)
    assert [event.step for event in view(desk, case).events] == ["case", "commit", "settle"]


def test_an_answer_that_is_approved_settles_what_fell_by_hand(desk):
    chain(desk)
    case = opened(desk)
    carry_out(desk, revoking("S1"))
    given(desk, source("S9"), evidence("E9", "S9"))
    bring(desk, claim("C1b", "y", subject="subject-C1", evidence=[{"evidence": "E9"}], derived_from=[]), by="bot")
    assert view(desk, case).candidates == 1
    decide(desk, "C1b", replaces="C1")

    assert bar(desk, case) == (1, 0, 1, 2)
    assert view(desk, case).events[-1].action == "approve"
    assert view(desk, case).candidates == 0


def test_a_stop_that_was_committed_before_the_case_was_opened_belongs_to_it(desk):
    chain(desk)
    carry_out(desk, suspending("S1"))

    assert bar(desk, opened(desk)) == (0, 0, 3, 1)


def test_the_same_stop_belongs_to_one_case_only(desk):
    chain(desk)
    carry_out(desk, suspending("S1"))
    first, second = opened(desk), opened(desk)

    assert (bar(desk, first), bar(desk, second)) == ((0, 0, 3, 1), (0, 0, 0, 0))


def test_a_stop_opens_its_case_in_the_same_event(desk):
    chain(desk)
    plan = suspending("S1")
    seen = preview_plan(desk, "ana", TENANT, plan)
    done = commit_plan(desk, "ana", TENANT, plan, seen.fingerprint, "restated", opens=NewCase("Restated", owner="ben"))

    assert done["correction"] == "correction-S1"
    assert bar(desk, "correction-S1") == (0, 0, 3, 1)
    assert {event.seq for event in view(desk, "correction-S1").events} == {done["event"]}


def test_a_file_that_arrives_for_the_source_joins_its_case(desk):
    case = opened(desk)
    bring(desk, evidence("E2", "S1", "Another text.\n", version=2), by="bot")

    assert [event.step for event in view(desk, case).events] == ["case", "compare"]
    assert view(desk, case).sources[0].unsorted
    assert steps(desk, case)["compare"] == "done"


def test_a_file_for_another_source_joins_no_case(desk):
    case = opened(desk)
    given(desk, source("S9"), evidence("E9", "S9"))

    assert [event.step for event in view(desk, case).events] == ["case"]


def test_a_case_is_not_closed_while_something_is_open_and_says_what(desk):
    chain(desk)
    case = opened(desk)
    carry_out(desk, revoking("S1"))

    with refused("illegal_step") as caught:
        close_correction(desk, "ana", TENANT, case, "done")
    assert "4 records need re-validation" in caught.value.message
    assert "1 recipient was not told, kim@example.org" in caught.value.message
    assert [(one["step"], one["kind"], one["count"]) for one in caught.value.details["open"]] == [("settle", "record", 4), ("tell", "edition", 1), ("tell", "recipient", 1)]


def test_a_case_is_closed_when_all_that_is_open_was_waived_and_opened_again(desk):
    chain(desk)
    case = opened(desk)
    carry_out(desk, revoking("S1"))
    for kind, about in (("step", "settle"), ("edition", "R1"), ("recipient", "kim@example.org")):
        waive(desk, "ana", TENANT, case, kind, about, "the project has ended")

    close_correction(desk, "ana", TENANT, case, "The office stays where it is")
    assert list_corrections(desk, "ana").counts == {"open": 0, "mine": 0, "closed": 1}
    assert view(desk, case).closing_note == "The office stays where it is"
    with refused("illegal_step"):
        change_correction(desk, "ana", TENANT, case, {"title": "x"})
    reopen_correction(desk, "ben", TENANT, case, "more turned up")
    assert list_corrections(desk, "ana").counts["open"] == 1
    assert verify_store(desk, "ana")["ok"]


def test_one_record_can_be_waived_and_taken_back(desk):
    chain(desk)
    case = opened(desk)
    carry_out(desk, revoking("S1"))
    waive(desk, "ana", TENANT, case, "record", "C3", "nobody uses it")

    settle = view(desk, case).row.steps[3]
    assert (settle.open, settle.waived, settle.total) == (3, 1, 4)
    with refused("already_decided"):
        waive(desk, "ana", TENANT, case, "record", "C3", "again")
    take_waiver_back(desk, "ana", TENANT, case, "record", "C3")
    assert view(desk, case).row.steps[3].open == 4


@pytest.mark.parametrize(("kind", "about"), [("record", "nobody-knows-it"), ("step", "settle"), ("step", "dance"), ("recipient", "kim@example.org"), ("thing", "C1")])
def test_only_what_is_open_can_be_waived(desk, kind, about):
    case = opened(desk)

    with refused("bad_value"):
        waive(desk, "ana", TENANT, case, kind, about, "because")


def test_a_case_can_be_about_one_more_source(desk):
    given(desk, source("S9"), evidence("E9", "S9"))
    case = opened(desk)
    add_source_to_correction(desk, "ana", TENANT, case, "S9")
    carry_out(desk, revoking("S9"))

    assert [one.id for one in view(desk, case).sources] == ["S1", "S9"]
    assert [one.newest for one in view(desk, case).sources] == ["ACCEPTED", "REVOKED"]
    with refused("already_decided"):
        add_source_to_correction(desk, "ana", TENANT, case, "S9")


def test_what_a_case_is_called_who_owns_it_and_when_it_is_due_can_change(desk):
    case = opened(desk)
    change_correction(desk, "ana", TENANT, case, {"title": "Moved again", "owner": "carl", "due_at": NEXT_DAY})

    row = view(desk, case).row
    assert (row.title, row.owner, row.due_at) == ("Moved again", "carl", NEXT_DAY)


@pytest.mark.parametrize(("changes", "code"), [
    ({"owner": "rita"}, "unknown_person"), ({"owner": "nobody"}, "unknown_person"), ({"title": " "}, "bad_value"), ({"due_at": NEXT_DAY - 3 * DAY}, "bad_value"),
    ({"colour": "red"}, "unknown_field"), ({}, "bad_value"),
])  # fmt: skip
def test_a_change_that_makes_no_sense_is_refused(desk, changes, code):
    case = opened(desk)

    with refused(code):
        change_correction(desk, "ana", TENANT, case, changes)


def test_the_same_operation_opens_one_case(desk):
    first, second = (opened(desk, operation="op-1") for _ in range(2))

    assert first == second
    assert list_corrections(desk, "ana").counts["open"] == 1


@pytest.mark.parametrize(("by", "code"), [("rita", "not_allowed"), ("bot", "not_allowed"), ("olga", "not_allowed")])
def test_only_reviewers_open_cases(desk, by, code):
    with refused(code):
        opened(desk, by=by)


def test_an_auditor_sees_a_case_and_a_reader_none(desk):
    case = opened(desk)

    assert view(desk, case, by="olga").may_decide is False
    assert list_corrections(desk, "rita").rows == ()
    with refused("not_found"):
        view(desk, case, by="rita")


def test_a_case_is_seen_only_by_those_who_see_every_scope_it_touches(desk):
    given(desk, person("eve", "reviewer", "acme/one"), source("S2", "acme/one"), source("S3", "acme/two"), evidence("E2", "S2"), evidence("E3", "S3"))
    case = open_correction(desk, "ana", TENANT, "Both", sources=["S2", "S3"])["correction"]

    assert list_corrections(desk, "eve").rows == ()
    assert list_open_corrections(desk, "eve", TENANT, ["S2"])[0] == []
    with refused("not_found"):
        view(desk, case, by="eve")
    with refused("not_found"):
        waive(desk, "eve", TENANT, case, "step", "stop", "because")
    own = open_correction(desk, "eve", TENANT, "Mine", sources=["S2"])["correction"]
    assert [row.id for row in list_corrections(desk, "eve").rows] == [own]


def test_what_fell_in_scopes_one_may_not_see_is_counted_apart_and_never_named(desk):
    given(desk, person("eve", "reviewer", "acme/one"), source("S2", "acme/one"), evidence("E2", "S2"))
    given(desk, accepted("D1", evidence=[{"evidence": "E2"}], scope="acme/one"), accepted("D2", on="D1", scope="acme/one/deep"))
    given(desk, accepted("D3", on="D1", scope="acme/two"))
    case = open_correction(desk, "eve", TENANT, "One", sources=["S2"])["correction"]
    carry_out(desk, Plan(Verb.REVOKE, ("S2",)), by="eve")

    assert (bar(desk, case, "eve"), view(desk, case, "eve").row.hidden) == ((0, 0, 1, 1), 1)
    assert "D3" not in str(view(desk, case, "eve"))
    with refused("illegal_step") as caught:
        close_correction(desk, "eve", TENANT, case, "done")
    assert "3 records need re-validation" in caught.value.message
    assert "D3" not in caught.value.message + str(caught.value.details)
    with refused("bad_value"):
        waive(desk, "eve", TENANT, case, "record", "D3", "because")


def test_a_plan_may_name_the_case_it_belongs_to_unless_that_is_closed(desk):
    given(desk, accepted("C1"))
    case = opened(desk)
    plan = revoking("C1")
    seen = preview_plan(desk, "ana", TENANT, plan)
    commit_plan(desk, "ana", TENANT, plan, seen.fingerprint, "wrong", correction=case)

    assert [event.action for event in view(desk, case).events] == ["open correction", "revoke"]


def test_a_case_is_told_from_others_when_choosing_one(desk):
    given(desk, source("S9"), evidence("E9", "S9"))
    other = open_correction(desk, "ana", TENANT, "Other", sources=["S9"])["correction"]
    case = opened(desk)

    cases, sources = list_open_corrections(desk, "ana", TENANT, ["E1"])
    assert [(one.id, one.joined) for one in cases] == [(case, True), (other, False)]
    assert sources == ["S1"]


def test_the_bar_counts_what_the_queue_of_re_validation_lists(desk):
    chain(desk)
    case = opened(desk)
    carry_out(desk, revoking("S1"))
    carry_out(desk, revoking("C1"))
    given(desk, accepted("C9", on="C8"), accepted("C8"), source("S9"), evidence("E9", "S9"))

    queue = list_stale(desk, "ana", correction=case)
    _, _, waiting, left = bar(desk, case)
    assert queue.counts["upstream"] == waiting
    assert queue.total == waiting + left == 3
    with refused("not_found"):
        list_stale(desk, "ana", correction="nobody-knows-it")


def test_the_candidates_of_a_case_are_those_that_answer_what_fell(desk):
    chain(desk)
    case = opened(desk)
    carry_out(desk, revoking("S1"))
    given(desk, source("S9"), evidence("E9", "S9"))
    bring(desk, claim("C1b", "y", subject="subject-C1", evidence=[{"evidence": "E9"}]), claim("X1", "y", evidence=[{"evidence": "E9"}]), by="bot")

    queue = list_candidates(desk, "ana", Sift(correction=case))
    assert [row.id for row in queue.rows] == ["C1b"]
    assert list_candidates(desk, "ana", Sift(correction="nobody-knows-it")).matched == 0
