"""Triggers: what makes a record stale beside lost parents, kept until somebody dismisses it (DESIGN section 3)."""

from store import OPERATOR, Plan, StaleSift, Verb, dismiss_trigger, export_store, fire_trigger, foresee_trigger, list_stale
from tests.builders import (
    TENANT,
    accepted,
    artifact,
    ask,
    bring,
    carry_out,
    claim,
    decide,
    delivered,
    evidence,
    given,
    is_sound,
    predicate,
    preview,
    refused,
    status,
    statuses,
    superseding,
    suspending,
)

DECLARES = {"revalidate_on": ["newer_period_arrived"]}


def confirming(*ids):
    return Plan(Verb.CONFIRM, ids)


def queue(store, by="ana", **sift):
    return {row.id: (row.state, row.triggers) for row in list_stale(store, by, StaleSift(**sift)).rows}


def fire(store, name, which, by="ana", reason="it is over", **more):
    return fire_trigger(store, by, TENANT, name, which, reason, **more)


def dismiss(store, id, name, by="ana", reason="does not matter here"):
    return dismiss_trigger(store, by, TENANT, id, name, reason)


def test_firing_makes_a_record_and_all_that_rests_on_it_stale(desk):
    given(desk, accepted("A"), accepted("B", on=["A"]), artifact("R", ["B"], deliveries=[delivered("kim")]), accepted("OTHER"))
    assert foresee_trigger(desk, "ana", TENANT, "project_ended", ["A"]) == {"fired": 1, "changed": 3, "delivered": 1}
    assert status(desk, "A") == "ACCEPTED"
    found = fire(desk, "project_ended", ["A"])
    assert (found["fired"], found["changed"], found["notices"]) == (1, 3, 1)
    assert statuses(desk, "A", "B", "R", "OTHER") == {"A": "STALE", "B": "STALE", "R": "STALE", "OTHER": "ACCEPTED"}
    assert queue(desk) == {"A": ("trigger", ("project_ended",)), "B": ("upstream", ()), "R": ("upstream", ())}
    assert ask(desk, "subject-A")["result"] == "MISSING"
    is_sound(desk)


def test_confirming_dismisses_what_fired(desk):
    given(desk, accepted("A"), accepted("B", on=["A"]))
    fire(desk, "project_ended", ["A"])
    carry_out(desk, confirming("A", "B"), reason="still true without the project")
    assert queue(desk) == {}
    carry_out(desk, suspending("E1"), by="ben")
    assert [state for state, _ in queue(desk).values()] == ["lost", "upstream"]
    is_sound(desk)


def test_a_trigger_that_nobody_saw_is_not_dismissed_by_a_confirmation(desk):
    given(desk, accepted("A"))
    fire(desk, "project_ended", ["A"])
    seen = preview(desk, confirming("A"))
    fire(desk, "role_changed", ["A"], by="ben")
    with refused("stale_preview"):
        carry_out(desk, confirming("A"), seen=seen)
    assert queue(desk)["A"][1] == ("project_ended", "role_changed")


def test_a_restoration_leaves_out_what_fired(desk):
    given(desk, accepted("A"), accepted("B", on=["A"]), accepted("C", on=["A"]), accepted("D", on=["C"]))
    fire(desk, "role_changed", ["C"])
    carry_out(desk, suspending("A"))
    carry_out(desk, Plan(Verb.REINSTATE, ("A",)))
    seen = preview(desk, Plan(Verb.RESTORE, ("A",)))
    assert [row["id"] for row in seen["affected"]] == ["B"]
    assert {one["id"]: one["why"] for one in seen["no_effect"]} == {
        "C": "needs re-validation because somebody's role changed, and nobody dismissed that", "D": "waits for C, which still needs re-validation",
    }  # fmt: skip
    dismiss(desk, "C", "role_changed")
    assert sorted(row["id"] for row in preview(desk, Plan(Verb.RESTORE, ("A",)))["affected"]) == ["B", "C", "D"]


def test_dismissing_changes_no_status_and_happens_once(desk):
    given(desk, accepted("A"))
    fire(desk, "project_ended", ["A"])
    assert dismiss(desk, "A", "project_ended")["dismissed"] == 1
    assert status(desk, "A") == "STALE"
    with refused("already_decided"):
        dismiss(desk, "A", "project_ended")
    with refused("bad_value"):
        dismiss(desk, "A", "project_ended", reason=" ")
    is_sound(desk)


def test_everything_about_a_subject_or_in_a_scope_may_fire_at_once(desk):
    given(desk, accepted("A1", subject="person:ann"), accepted("A2", subject="person:ann", predicate="likes"), accepted("B", scope="acme/x"), accepted("C", subject="person:bo"))
    assert fire(desk, "role_changed", {"subject": "person:ann"})["fired"] == 2
    assert fire(desk, "project_ended", {"scope": "acme/x"})["fired"] == 1
    assert status(desk, "C") == "ACCEPTED"
    with refused("not_found"):
        fire(desk, "project_ended", {"scope": "acme/nothing"})
    with refused("bad_value"):
        fire(desk, "project_ended", {"colour": "red"})


def test_only_who_may_decide_fires_and_dismisses(desk):
    given(desk, accepted("A"), claim("CAND", status="candidate"))
    with refused("not_allowed"):
        fire(desk, "project_ended", ["A"], by="olga")
    with refused("not_found"):
        fire(desk, "project_ended", ["A"], by="rita")
    with refused("illegal_step"):
        fire(desk, "project_ended", ["CAND"])
    with refused("illegal_step"):
        fire(desk, "project_ended", ["E1"])
    with refused("bad_value"):
        fire(desk, "rain", ["A"])


def test_the_same_operation_fires_once(desk):
    given(desk, accepted("A"))
    assert fire(desk, "project_ended", ["A"], operation="op") == fire(desk, "project_ended", ["A"], operation="op")
    assert queue(desk)["A"][1] == ("project_ended",)


# --- a later period -------------------------------------------------------------------------------------------------


def figure(id, value, as_of, **fields):
    return claim(id, value, subject="fund", predicate="nav", qualifiers={"as_of": as_of, "basis": "GAAP"}, **fields)


def test_a_later_period_makes_stale_what_asked_for_it(desk):
    given(desk, figure("Q1", 1, "2026-03-31", status="reviewed", **DECLARES), figure("Q0", 1, "2025-12-31", status="reviewed"), accepted("B", on=["Q1"]))
    given(desk, figure("Q2", 2, "2026-06-30"), reviewed=False)
    assert decide(desk, "Q2")["fired"] == 1
    assert statuses(desk, "Q0", "Q1", "Q2", "B") == {"Q0": "ACCEPTED", "Q1": "STALE", "Q2": "ACCEPTED", "B": "STALE"}
    assert queue(desk)["Q1"] == ("trigger", ("newer_period_arrived",))
    is_sound(desk)


def test_an_earlier_period_another_basis_and_another_subject_fire_nothing(desk):
    given(desk, figure("Q1", 1, "2026-03-31", status="reviewed", **DECLARES))
    given(desk, figure("Q0", 2, "2025-12-31"), {**figure("IFRS", 2, "2026-06-30"), "qualifiers": {"as_of": "2026-06-30", "basis": "IFRS"}}, {**figure("FUND2", 2, "2026-06-30"), "subject": "fund-2"}, reviewed=False)
    for id in ("Q0", "IFRS", "FUND2"):
        assert "fired" not in decide(desk, id)
    assert status(desk, "Q1") == "ACCEPTED"


def test_a_series_ends_the_last_figure_and_makes_it_stale_in_one_version(desk):
    given(desk, predicate("nav", series=True), claim("P1", 1, subject="fund", predicate="nav", valid_from="2026-01-01", status="reviewed", **DECLARES), accepted("B", on=["P1"]))
    given(desk, claim("P2", 2, subject="fund", predicate="nav", valid_from="2026-04-01"), reviewed=False)
    decide(desk, "P2")
    assert statuses(desk, "P1", "P2", "B") == {"P1": "STALE", "P2": "ACCEPTED", "B": "STALE"}
    is_sound(desk)


def test_what_the_later_figure_itself_rests_on_stays(desk):
    given(desk, figure("Q1", 1, "2026-03-31", status="reviewed", **DECLARES))
    given(desk, {**figure("Q2", 2, "2026-06-30"), "evidence": [], "derived_from": ["Q1"]}, reviewed=False)
    decide(desk, "Q2")
    assert statuses(desk, "Q1", "Q2") == {"Q1": "ACCEPTED", "Q2": "ACCEPTED"}
    is_sound(desk)


def test_superseding_by_a_candidate_shows_what_its_period_makes_stale(desk):
    given(desk, figure("Q1", 1, "2026-03-31", status="reviewed", **DECLARES), figure("Q2", 1, "2026-06-30", status="reviewed"))
    given(desk, figure("Q2B", 2, "2026-06-30"), reviewed=False)
    seen = preview(desk, superseding("Q2", "Q2B"))
    assert sorted(row["id"] for row in seen["affected"]) == ["Q1", "Q2", "Q2B"]
    carry_out(desk, superseding("Q2", "Q2B"), seen=seen)
    assert queue(desk)["Q1"] == ("trigger", ("newer_period_arrived",))
    is_sound(desk)


# --- a newer version of the source ------------------------------------------------------------------------------------


def test_a_newer_version_that_arrives_by_import_changes_no_status_and_is_shown(desk):
    given(desk, accepted("A", revalidate_on=["source_changed"]), accepted("B"))
    given(desk, evidence("E1b", text="other words", version=2))
    assert statuses(desk, "A", "B") == {"A": "ACCEPTED", "B": "ACCEPTED"}
    (row,) = list_stale(desk, "ana", StaleSift(state="newer")).rows
    assert (row.id, row.newer) == ("A", "E1b")

    dismiss(desk, "A", "source_changed")
    assert queue(desk) == {}
    given(desk, evidence("E1c", text="again others", version=3))
    assert queue(desk) == {"A": ("newer", ())}
    fire(desk, "source_changed", ["A"])
    assert queue(desk) == {"A": ("trigger", ("source_changed",))}


# --- out and in again -------------------------------------------------------------------------------------------------


def test_triggers_survive_export_and_import(desk, another_store, tmp_path):
    given(desk, accepted("A", revalidate_on=["source_changed"]), accepted("B", scope="acme/x"), accepted("C"))
    fire(desk, "project_ended", ["A", "C"], reason="the =project ended\u2028")
    fire(desk, "role_changed", ["B"], by="ben")
    dismiss(desk, "C", "project_ended")
    export_store(desk, OPERATOR, tmp_path / "one.jsonl")
    other = another_store()
    lines = (tmp_path / "one.jsonl").read_bytes().splitlines()
    given(other, *lines)
    export_store(other, OPERATOR, tmp_path / "two.jsonl")
    assert (tmp_path / "two.jsonl").read_bytes() == (tmp_path / "one.jsonl").read_bytes()
    assert sum(b'"type":"trigger"' in line for line in lines) == 3
    assert queue(other, by=OPERATOR) == queue(desk, by=OPERATOR)
    assert bring(other, *lines, reviewed=True)["rejected"] == []
    export_store(other, OPERATOR, tmp_path / "three.jsonl")
    assert (tmp_path / "three.jsonl").read_bytes() == (tmp_path / "one.jsonl").read_bytes()


def test_trigger_lines_take_an_admin_and_a_record_that_exists(desk):
    given(desk, accepted("A"))
    line = {"type": "trigger", "record": "A", "scope": TENANT, "name": "project_ended"}
    assert [one["code"] for one in bring(desk, line)["rejected"]] == ["not_allowed"]
    assert [one["code"] for one in bring(desk, {**line, "record": "NONE"}, {**line, "name": "rain"}, {**line, "colour": 1}, reviewed=True)["rejected"]] == ["missing_parent", "bad_value", "unknown_field"]
