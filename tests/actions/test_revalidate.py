"""Confirming what needs re-validation, and restoring what rests on something that stands again (R22, R23)."""

import json

import pytest

from store import Plan, StaleSift, Verb, export_store, list_stale
from tests.builders import (
    GROUND,
    QUOTE,
    TENANT,
    accepted,
    artifact,
    ask,
    carry_out,
    claim,
    conflicts,
    decide,
    dump,
    evidence,
    given,
    is_sound,
    preview,
    refused,
    reinstating,
    revoking,
    show,
    source,
    status,
    statuses,
    suspending,
)

assert GROUND


def confirming(*ids, **how):
    return Plan(Verb.CONFIRM, ids, **how)


def restoring(*ids):
    return Plan(Verb.RESTORE, ids)


def queue(store, by="ana", **sift):
    return list_stale(store, by, StaleSift(**sift))


def waiting(store, **sift):
    return {row.id: row.state for row in queue(store, **sift).rows}


@pytest.fixture
def two_supports(desk):
    """R rests on A and B; A is suspended."""
    given(desk, accepted("A"), accepted("B"), artifact("R", ["A", "B"]))
    carry_out(desk, suspending("A"))
    return desk


# --- confirming -----------------------------------------------------------------------------------------------------


def test_what_is_lost_must_be_dropped_before_the_rest_can_carry_it(two_supports):
    with refused("parents_not_accepted") as refusal:
        preview(two_supports, confirming("R"))
    assert "A, which is disputed" in refusal.value.message
    before = dump(two_supports, but={"preview"})
    seen = preview(two_supports, confirming("R", drop=("A",)))
    assert [(row["id"], row["from"], row["to"]) for row in seen["affected"]] == [("R", "STALE", "ACCEPTED")]
    assert dump(two_supports, but={"preview"}) == before

    carry_out(two_supports, confirming("R", drop=("A",)), reason="B carries it", seen=seen)
    shown = show(two_supports, "R")
    assert (shown["status"], shown["parents"], shown["supports"]) == ("ACCEPTED", ["B"], {"lost": [], "remaining": ["B"]})
    is_sound(two_supports)


def test_dropping_a_parent_makes_one_new_version_with_another_content_hash(two_supports):
    was = show(two_supports, "R")
    carry_out(two_supports, confirming("R", drop=("A",)))
    now = show(two_supports, "R")
    assert now["version"] == was["version"] + 1
    assert now["content_hash"] != was["content_hash"]


def test_a_preview_does_not_survive_that_the_remaining_support_falls(two_supports):
    seen = preview(two_supports, confirming("R", drop=("A",)))
    carry_out(two_supports, suspending("B"), by="ben")
    with refused("stale_preview"):
        carry_out(two_supports, confirming("R", drop=("A",)), seen=seen)
    assert status(two_supports, "R") == "STALE"


def test_nothing_stands_without_any_evidence_under_it(desk):
    given(desk, accepted("A"), artifact("R", ["A"]))
    carry_out(desk, suspending("A"))
    with refused("promotion_checks_failed") as refusal:
        preview(desk, confirming("R", drop=("A",)))
    assert "no evidence is left" in refusal.value.message


def test_an_expired_support_carries_nothing(desk):
    given(desk, accepted("A"), accepted("B", expires_at="2026-07-02T00:00:00Z"), artifact("R", ["A", "B"]))
    carry_out(desk, suspending("A"))
    desk.now.pass_by(days=3)
    with refused("parents_not_accepted") as refusal:
        preview(desk, confirming("R", drop=("A",)))
    assert "B, which is expired" in refusal.value.message


def test_several_are_confirmed_in_one_plan_upstream_first(desk):
    given(desk, accepted("A"), accepted("B", on=["A"]), accepted("C", on=["B"]), artifact("R", ["C"]))
    carry_out(desk, suspending("A"))
    carry_out(desk, reinstating("A"))
    with refused("parents_not_accepted") as refusal:
        preview(desk, confirming("R", "C"))
    assert "C rests on B" in refusal.value.message
    carry_out(desk, confirming("R", "C", "B"))
    assert set(statuses(desk, "B", "C", "R").values()) == {"ACCEPTED"}
    is_sound(desk)


def test_a_whole_list_gets_another_parent_for_the_lost_one(desk):
    given(desk, accepted("A"), accepted("A2"), *(accepted(f"C{n}", on=["A"]) for n in range(4)))
    carry_out(desk, revoking("A"))
    carry_out(desk, confirming("C0", "C1", "C2", "C3", replace={"A": "A2"}))
    assert all(show(desk, f"C{n}")["parents"] == ["A2"] for n in range(4))
    assert set(statuses(desk, "C0", "C1", "C2", "C3").values()) == {"ACCEPTED"}
    is_sound(desk)


def test_a_passage_moves_to_the_same_words_in_another_version(desk):
    moved = f"A new first line.\n{QUOTE}\n"
    given(desk, source("S2"), evidence("E2", "S2", moved), accepted("A"))
    carry_out(desk, revoking("E1"))
    carry_out(desk, confirming("A", replace={"E1": "E2"}))
    shown = show(desk, "A")
    assert (shown["status"], shown["parents"]) == ("ACCEPTED", ["E2"])
    is_sound(desk)


def test_a_passage_that_is_not_there_once_is_not_moved(desk):
    given(desk, source("S2"), evidence("E2", "S2", f"{QUOTE}\n{QUOTE}\n"), accepted("A"))
    carry_out(desk, revoking("E1"))
    with refused("promotion_checks_failed") as refusal:
        preview(desk, confirming("A", replace={"E1": "E2"}))
    assert "does not stand once in E2" in refusal.value.message


def test_a_parent_is_added_with_its_passage(desk, tmp_path):
    text = "Préface 👩🏽‍🚀.\nThe office is in Lyon, says the register.\n"
    given(desk, source("S2"), evidence("E2", "S2", text), accepted("A"))
    carry_out(desk, revoking("E1"))
    start = text.index("in Lyon")
    carry_out(desk, confirming("A", drop=("E1",), add=(f"E2#{start}-{start + 7}",)))
    shown = show(desk, "A")
    assert shown["parents"] == ["E2"]
    export_store(desk, "adam", tmp_path / "x.jsonl", scope=TENANT)
    lines = {line["id"]: line for text in (tmp_path / "x.jsonl").read_text("utf-8").splitlines() if "id" in (line := json.loads(text))}
    assert lines["A"]["evidence"] == [{"evidence": "E2", "span": {"start": start, "end": start + 7}, "quote": "in Lyon"}]
    is_sound(desk)


def test_a_record_cannot_come_to_rest_on_itself(desk):
    given(desk, accepted("A"), accepted("B", on=["A"]), accepted("C", on=["B"]))
    carry_out(desk, suspending("A"))
    with refused("cycle"):
        preview(desk, confirming("B", "C", drop=("A",), add=("C",)))


def test_what_nothing_rests_on_can_be_neither_dropped_nor_replaced(two_supports):
    with refused("bad_value"):
        preview(two_supports, confirming("R", drop=("E1",)))
    with refused("not_found"):
        preview(two_supports, confirming("R", replace={"A": "NOBODY"}))


def test_only_who_may_decide_confirms(two_supports):
    with refused("not_allowed"):
        preview(two_supports, confirming("R", drop=("A",)), by="olga")
    with refused("not_found"):
        preview(two_supports, confirming("R", drop=("A",)), by="rita")


def test_a_conflict_that_comes_back_is_shown_before(desk):
    given(desk, accepted("P"), accepted("X1", 1, on=["P"], subject="x"))
    carry_out(desk, suspending("P"))
    given(desk, accepted("X2", 2, subject="x"))
    carry_out(desk, reinstating("P"))
    assert ask(desk, "x")["result"] == "MISSING" or ask(desk, "x")["result"] == "OK"
    seen = preview(desk, confirming("X1"))
    assert [one["subject"] for one in seen["conflicts"]["opened"]] == ["x"]
    carry_out(desk, confirming("X1"), seen=seen)
    assert ask(desk, "x")["result"] == "CONFLICT"
    assert len(conflicts(desk)) == 1
    is_sound(desk)


def test_the_answer_foretold_is_the_answer_given_when_an_expired_support_is_dropped(desk):
    given(desk, accepted("A", expires_at="2026-07-02T00:00:00Z"), accepted("B"), accepted("C", on=["A", "B"]))
    carry_out(desk, suspending("A"))
    desk.now.pass_by(days=3)
    seen = preview(desk, confirming("C", drop=("A",)))
    assert [(one["subject"], one["before"], one["after"]) for one in seen["answers"]] == [("subject-C", "MISSING", "OK")]
    carry_out(desk, confirming("C", drop=("A",)), seen=seen)
    assert ask(desk, "subject-C")["result"] == "OK"


# --- restoring ------------------------------------------------------------------------------------------------------


@pytest.fixture
def diamond(desk):
    """B, C rest on A; D on C and Z; both A and Z were suspended, A is back."""
    given(desk, accepted("A"), accepted("Z"), accepted("B", on=["A"]), accepted("C", on=["B"]), accepted("D", on=["C", "Z"]), artifact("R", ["D"]))
    carry_out(desk, suspending("A", "Z"))
    carry_out(desk, reinstating("A"))
    return desk


def test_one_decision_restores_what_has_no_other_cause(diamond):
    assert waiting(diamond) == {"B": "back", "C": "back", "D": "lost", "R": "upstream"}
    found = queue(diamond)
    assert [(one.key, one.count, one.restores) for one in found.groups] == [("back:A", 2, 2), ("lost:Z", 2, 0)]
    seen = preview(diamond, restoring("A"))
    assert sorted(row["id"] for row in seen["affected"]) == ["B", "C"]
    assert {one["id"]: one["why"] for one in seen["no_effect"]} == {
        "D": "still rests on Z, which is disputed", "R": "waits for D, which still needs re-validation",
    }  # fmt: skip
    carry_out(diamond, restoring("A"), seen=seen)
    assert statuses(diamond, "B", "C", "D", "R") == {"B": "ACCEPTED", "C": "ACCEPTED", "D": "STALE", "R": "STALE"}
    is_sound(diamond)


def test_nothing_is_restored_below_what_does_not_stand(diamond):
    with refused("parents_not_accepted"):
        preview(diamond, restoring("Z"))


def test_a_plan_that_restores_nothing_is_not_committed(diamond):
    carry_out(diamond, restoring("A"))
    with refused("bad_value"):
        carry_out(diamond, restoring("A"))


def test_what_says_something_else_now_restores_nothing_that_fell_before(desk):
    given(desk, claim("A", 1), reviewed=False)
    decide(desk, "A")
    given(desk, accepted("B", on=["A"]))
    carry_out(desk, suspending("A"), by="ben")
    carry_out(desk, reinstating("A"), by="ben")
    from store import amend, reopen

    reopen(desk, "ana", TENANT, "A")
    amend(desk, "carl", TENANT, "A", {"value": 2})
    decide(desk, "A", by="ben")
    assert waiting(desk) == {"B": "value"}
    seen = preview(desk, restoring("A"))
    assert seen["affected"] == []
    assert [one["why"] for one in seen["no_effect"]] == ["rests on A, which says 2 now and said 1 when this fell"]


def test_what_says_something_else_restores_nothing_though_it_fell_and_came_back_since(desk):
    from store import amend, reopen

    given(desk, accepted("P"))
    given(desk, claim("A", 1, on=["P"]), reviewed=False)
    decide(desk, "A")
    given(desk, accepted("B", on=["A"]))
    carry_out(desk, suspending("A"), by="ben")
    carry_out(desk, reinstating("A"), by="ben")
    reopen(desk, "ana", TENANT, "A")
    amend(desk, "carl", TENANT, "A", {"value": 2})
    decide(desk, "A", by="ben")
    carry_out(desk, suspending("P"), by="ben")
    carry_out(desk, reinstating("P"), by="ben")
    seen = preview(desk, restoring("P"))
    assert [row["id"] for row in seen["affected"]] == ["A"]
    assert [one["why"] for one in seen["no_effect"]] == ["rests on A, which says 2 now and said 1 when this fell"]
    carry_out(desk, restoring("P"), seen=seen)
    assert statuses(desk, "A", "B") == {"A": "ACCEPTED", "B": "STALE"}


def test_a_source_restores_what_rests_on_its_versions(desk):
    given(desk, accepted("A"), accepted("B", on=["A"]))
    carry_out(desk, suspending("S1"))
    carry_out(desk, reinstating("S1"))
    carry_out(desk, restoring("S1"))
    assert statuses(desk, "A", "B") == {"A": "ACCEPTED", "B": "ACCEPTED"}


# --- the queue ------------------------------------------------------------------------------------------------------


def test_the_queue_comes_upstream_first_page_by_page(desk):
    given(desk, accepted("A"), *(accepted(f"C{n}", on=["A" if n == 0 else f"C{n - 1}"]) for n in range(7)))
    carry_out(desk, revoking("A"))
    seen, after = [], None
    while True:
        page = list_stale(desk, "ana", limit=3, after=after)
        assert page.total == 7
        seen += [(row.id, row.depth) for row in page.rows]
        after = page.next
        if after is None:
            break
    assert seen == [(f"C{n}", n) for n in range(7)]


def test_the_queue_says_what_is_lost_and_what_remains(two_supports):
    (row,) = queue(two_supports).rows
    assert (row.id, row.state, row.lost, row.remaining, row.owner) == ("R", "lost", ("A",), 1, "ana")
    assert queue(two_supports, mine=True).matched == 1
    assert queue(two_supports, owner="ben").matched == 0
    assert queue(two_supports, kind="claim").matched == 0
    assert queue(two_supports, state="back").matched == 0
    assert queue(two_supports, cause="lost:A").matched == 1
    assert queue(two_supports, scope="acme/elsewhere").matched == 0


def test_dates_stand_behind_what_needs_revalidation(desk):
    given(desk, accepted("A"), artifact("R", ["A"]), accepted("OLD", expires_at="2026-06-01T00:00:00Z"), accepted("SOON", review_at="2026-07-10T00:00:00Z"), accepted("END", expires_at="2026-07-09T00:00:00Z"))
    carry_out(desk, revoking("A"))
    found = queue(desk)
    assert [(row.id, row.state) for row in found.rows] == [("R", "lost"), ("OLD", "expired"), ("END", "expiring"), ("SOON", "review")]
    assert (found.total, found.dated) == (1, 3)


def test_who_may_not_see_the_queue_is_told_so(two_supports):
    with refused("not_allowed"):
        queue(two_supports, by="rita")
