"""Rehearsals: a plan kept under a name writes no record, goes stale by its own result only, and is handed to who may commit it."""

import json

import pytest

from store import (
    Plan,
    Verb,
    close_correction,
    export_comparison_csv,
    export_comparison_json,
    export_rehearsal_csv,
    export_rehearsal_json,
    hand_over,
    keep_plan_file,
    list_committers,
    list_compared,
    list_rehearsals,
    list_saved_rows,
    load_plan_result,
    open_correction,
    preview_plan,
    refresh_rehearsal,
    rehearse,
    remove_rehearsal,
    rename_rehearsal,
    save_rehearsal,
    view_rehearsal,
    view_today,
    waive,
)
from tests.builders import (
    TENANT,
    TEXT,
    accepted,
    artifact,
    carry_out,
    delivered,
    dump,
    evidence,
    given,
    is_sound,
    person,
    predicate,
    refused,
    reinstating,
    resolving,
    revoking,
    source,
    status,
    superseding,
    suspending,
    the_conflict,
)
from tests.rehearsing import compare, compared, save, stands, view

#: What rehearsing may touch: what is kept of plans, and the trail of events.
KEPT_APART = ("preview", "rehearsal", "plan_file", "export_copy", "event", "event_note", "operation", "tenant")


@pytest.fixture
def every_verb(desk):
    """A store, and one plan of each verb that could be committed as it stands."""
    given(
        desk, accepted("a", "Yes", subject="s"), accepted("b", "yes ", subject="s"), accepted("old", "1", subject="t"),
        accepted("new", "1", subject="t"), accepted("off"), accepted("off2"), accepted("two", on=["off", "off2"]), accepted("back"),
        accepted("under", on="back"), accepted("last", on="under"), artifact("R1", on="last", deliveries=[delivered()]), predicate("says"),
    )  # fmt: skip
    carry_out(desk, suspending("off"))
    carry_out(desk, suspending("back"))
    carry_out(desk, reinstating("back"))
    conflict = the_conflict(desk)["id"]
    file = keep_plan_file(desk, "ana", TENANT, TEXT.replace("Lyon", "Nice").encode(), name="new.txt")
    plans = [
        revoking("E1"), suspending("E1"), reinstating("off"), superseding("old", "new"), resolving(conflict, "keep", keep="a"),
        Plan(Verb.SETTLE, (conflict,), choices={conflict: "a"}), Plan(Verb.COMPARE, ("says",), scope=TENANT, comparison={"compare": "text"}),
        Plan(Verb.RECAPTURE, ("S1",), file=file.sha256, media_type=file.media_type), Plan(Verb.CONFIRM, ("two",), drop=("off",)),
        Plan(Verb.RESTORE, ("back",)),
    ]  # fmt: skip
    # What is to be forgotten is asked for by a request, and never committed as a plan.
    assert {plan.verb for plan in plans} == set(Verb) - {Verb.ERASE}
    return desk, {plan.verb: plan for plan in plans}


def test_rehearsing_comparing_and_handing_over_write_to_no_record_whatever_the_verb(every_verb):
    store, plans = every_verb
    before = dump(store, but=KEPT_APART)
    saved = []
    for plan in plans.values():
        preview_plan(store, "adam", TENANT, plan)
        found = rehearse(store, "adam", TENANT, plan)
        saved.append(save(store, plan, f"{plan.verb}", by="adam", fingerprint=found.fingerprint))
        export_rehearsal_csv(store, "adam", TENANT, saved[-1])
    for other in saved[1:]:
        compare(store, saved[0], other, by="adam")
        export_comparison_csv(store, "adam", TENANT, saved[0], other)
    rename_rehearsal(store, "adam", TENANT, saved[0], "Another name")
    refresh_rehearsal(store, "adam", TENANT, saved[1])
    hand_over(store, "adam", TENANT, saved[1], "ben", "you know the source")
    remove_rehearsal(store, "adam", TENANT, saved[2])
    view_rehearsal(store, "adam", TENANT, saved[0])

    assert dump(store, but=KEPT_APART) == before
    assert is_sound(store)


@pytest.mark.parametrize("verb", [verb for verb in Verb if verb is not Verb.ERASE])
def test_what_a_plan_did_is_held_against_what_was_predicted_whatever_the_verb(every_verb, verb):
    store, plans = every_verb
    id = save(store, plans[verb], by="adam")
    done = carry_out(store, plans[verb], by="adam")
    result = load_plan_result(store, "adam", TENANT, done["event"])

    assert result.verb == verb
    assert result.predicted == result.actual == done["changed"]
    assert result.as_predicted
    assert result.words
    assert view(store, id, "adam").saved.committed == done["event"]


def test_a_rehearsal_goes_stale_by_its_own_result_and_not_because_the_store_moved(chain):
    id = save(chain, revoking("c1"))
    given(chain, accepted("elsewhere", "z"))
    assert stands(chain, id) is False

    carry_out(chain, suspending("c3"))
    found = view(chain, id)

    assert found.saved.changed
    assert {row["id"] for row in found.shift.records["removed"]} == {"R1", "c3"}
    assert found.shift.counts == {"added": 0, "removed": 2, "changed": 0}
    assert [one["subject"] for one in found.shift.answers] == ["subject-c3"]


def test_what_comes_to_rest_on_it_is_named_as_added(chain):
    id = save(chain, revoking("c1"))
    given(chain, accepted("c4", on="c1"), artifact("R2", on="c4", deliveries=[delivered("lee@example.org")]))
    shift = view(chain, id).shift

    assert {row["id"] for row in shift.records["added"]} == {"c4", "R2"}
    assert shift.notices == (1, 0)


def test_another_policy_is_said_to_be_all_that_changed(chain):
    id = save(chain, revoking("c1"))
    given(chain, predicate("unrelated"), by="operator")
    shift = view(chain, id).shift

    assert shift.only_policy


def test_what_is_impossible_by_now_says_why_and_can_still_be_read_and_exported(chain):
    id = save(chain, revoking("c1"), "gone")
    carry_out(chain, revoking("c1", "d1"))
    found = view(chain, id)

    assert found.saved.changed
    assert "c1" in found.saved.impossible
    assert found.saved.committed is None
    assert {row["id"]: row["to"] for row in list_saved_rows(chain, "ana", TENANT, id).items} == {"c1": "REVOKED", "c2": "STALE", "c3": "STALE", "R1": "STALE"}
    assert len(json.loads(export_rehearsal_json(chain, "ana", TENANT, id))["affected"]) == 4


def test_keeping_what_it_does_now_makes_it_stand_again(chain):
    id = save(chain, revoking("c1"))
    given(chain, accepted("c4", on="c1"))
    refresh_rehearsal(chain, "ana", TENANT, id)

    assert stands(chain, id) is False
    assert view(chain, id).saved.totals["affected"] == 5


def test_what_was_seen_is_what_is_saved(chain):
    seen = rehearse(chain, "ana", TENANT, revoking("c1"))
    given(chain, accepted("c4", on="c1"))

    with refused("stale_preview", "not saved"):
        save(chain, revoking("c1"), fingerprint=seen.fingerprint)
    assert list_rehearsals(chain, "ana") == []


@pytest.mark.parametrize(("name", "words"), [("", "needs a name"), ("  \n ", "needs a name"), ("x" * 121, "121 characters"), ("a\x00b", "")])
def test_a_name_is_a_few_words(chain, name, words):
    with refused("bad_value", words):
        save(chain, revoking("c1"), name)


def test_the_same_operation_saves_once(chain):
    first = save_rehearsal(chain, "ana", TENANT, revoking("c1"), "once", operation="op-1")

    assert save_rehearsal(chain, "ana", TENANT, revoking("c1"), "once", operation="op-1") == first
    with refused("operation_reused"):
        save_rehearsal(chain, "ana", TENANT, revoking("c1"), "other", operation="op-1")
    assert len(list_rehearsals(chain, "ana")) == 1


# --- handing over -------------------------------------------------------------------------------------------------


def test_who_is_handed_a_plan_sees_it_on_their_day_with_who_and_why_and_commits_it(chain):
    id = save(chain, revoking("c1"), "Withdraw c1")
    hand_over(chain, "ana", TENANT, id, "ben", "I am away on Friday")
    day = view_today(chain, "ben")

    assert [(one.name, one.by, one.why) for one in day.handed] == [("Withdraw c1", "Ana", "I am away on Friday")]
    assert day.waiting.handed == 1
    assert view_today(chain, "ana").waiting.handed == 0

    done = carry_out(chain, revoking("c1"), by="ben")

    assert view_today(chain, "ben").waiting.handed == 0
    assert view(chain, id).saved.committed == done["event"]
    with refused("already_decided"):
        hand_over(chain, "ben", TENANT, id, "carl", "no more")


@pytest.mark.parametrize(("to", "code"), [("rita", "not_allowed"), ("olga", "not_allowed"), ("nobody", "unknown_person"), ("ana", "bad_value")])
def test_a_plan_is_handed_only_to_somebody_else_who_could_commit_it(chain, to, code):
    id = save(chain, revoking("c1"))

    with refused(code, "Nothing was handed over"):
        hand_over(chain, "ana", TENANT, id, to, "please")
    assert {one["id"] for one in list_committers(chain, "ana", TENANT, id)} >= {"ben", "carl", "adam"}
    assert not {"rita", "olga", "ana", "bot"} & {one["id"] for one in list_committers(chain, "ana", TENANT, id)}


def test_handing_over_takes_a_reason(chain):
    id = save(chain, revoking("c1"))

    with refused("bad_value", "reason"):
        hand_over(chain, "ana", TENANT, id, "ben", " ")


def test_whoever_has_it_may_hand_it_back(chain):
    id = save(chain, revoking("c1"))
    hand_over(chain, "ana", TENANT, id, "ben", "please")
    hand_over(chain, "ben", TENANT, id, "ana", "it reaches a report of yours")

    assert [one.why for one in view_today(chain, "ana").handed] == ["it reaches a report of yours"]


def test_an_auditor_may_keep_a_plan_and_hand_it_to_a_reviewer_but_nobody_else_renames_it(chain):
    id = save(chain, revoking("c1"), by="olga")
    hand_over(chain, "olga", TENANT, id, "ben", "found in the audit")

    assert view(chain, id, "ben").saved.handed
    for change in (lambda: rename_rehearsal(chain, "ben", TENANT, id, "mine"), lambda: remove_rehearsal(chain, "ben", TENANT, id)):
        with refused("not_allowed", "Only whoever saved it"):
            change()


# --- who may see it -----------------------------------------------------------------------------------------------


def test_only_its_author_its_holder_and_reviewers_of_its_scope_see_it(chain):
    given(
        chain, person("nora", "reviewer", "acme/other"), person("zoe", "reviewer", "zenith"),
        {"type": "source", "id": "Z", "scope": "zenith", "title": "Z"}, by="operator",
    )  # fmt: skip
    id = save(chain, revoking("c1"))

    assert [one.id for one in list_rehearsals(chain, "ben")] == [id]
    for stranger in ("nora", "zoe", "rita", "bot"):
        assert list_rehearsals(chain, stranger) == []
        with refused("not_found"):
            view(chain, id, stranger)
        with refused("not_found"):
            export_rehearsal_csv(chain, stranger, TENANT, id)
        with refused("not_found"):
            remove_rehearsal(chain, stranger, TENANT, id)


def test_rows_in_scopes_the_viewer_may_not_see_are_counted_and_not_named(desk):
    given(
        desk, person("nora", "reviewer", "acme/funds"), accepted("up", scope="acme"), accepted("mine", scope="acme/funds", on="up"),
        accepted("secret", scope="acme/funds", on="mine"), by="operator",
    )  # fmt: skip
    id = save(desk, revoking("up"))
    with refused("not_allowed"):
        hand_over(desk, "ana", TENANT, id, "nora", "please")
    other = save(desk, revoking("mine"), by="nora")

    assert [row["id"] for row in list_saved_rows(desk, "nora", TENANT, other).items] == ["mine", "secret"]
    assert view(desk, other, "ben").saved.totals["affected"] == 2


def test_what_two_plans_do_in_scopes_the_viewer_may_not_see_is_counted_and_not_named(desk):
    """Consequences apply everywhere in the tenant, and nora may only look into acme/funds."""
    given(
        desk, person("nora", "reviewer", "acme/funds"), accepted("mine", scope="acme/funds"), accepted("other", scope="acme/funds"),
        artifact("board-paper", on="mine", scope="acme/board", owner="ben", deliveries=[delivered("secret@example.org")]), by="operator",
    )  # fmt: skip
    one, other = save(desk, revoking("mine"), by="nora"), save(desk, revoking("other"), by="nora")
    found = compare(desk, one, other, by="nora")
    pages = [list_compared(desk, "nora", TENANT, one, other, what, "only_one") for what in ("affected", "delivered", "by_hand", "together", "messages")]
    everything = repr([found, *pages, view(desk, one, "nora"), list_saved_rows(desk, "nora", TENANT, one)])
    everything += export_comparison_csv(desk, "nora", TENANT, one, other).decode() + export_rehearsal_csv(desk, "nora", TENANT, one).decode()
    everything += export_rehearsal_json(desk, "nora", TENANT, one).decode() + export_comparison_json(desk, "nora", TENANT, one, other).decode()

    assert found.counts["affected"]["only_one"] == 2
    assert [(page.total, page.hidden) for page in pages] == [(2, 1), (1, 1), (1, 1), (0, 0), (2, 2)]
    assert "1 more in scopes you may not see" in everything
    assert "board" not in everything
    assert "secret@" not in everything
    assert compared(desk, one, other, "messages", "only_one", by="ana") == ["ben", "secret@example.org"]


def test_a_removed_rehearsal_is_on_no_list_and_what_was_committed_stays(chain):
    id = save(chain, revoking("c1"))
    remove_rehearsal(chain, "ana", TENANT, id)

    assert list_rehearsals(chain, "ana") == []
    with refused("not_found"):
        view(chain, id)
    assert save(chain, revoking("c1")) != id


def test_a_rehearsal_may_belong_to_a_correction(chain):
    case = open_correction(chain, "ana", TENANT, "The text was restated", sources=["S1"])["correction"]
    id = save(chain, revoking("c1"), correction=case)
    save(chain, revoking("d1"))

    assert [one.id for one in list_rehearsals(chain, "ana", correction=case)] == [id]
    with refused("not_found"):
        save(chain, revoking("c2"), correction="no-such-case")


def test_a_case_one_may_not_see_is_none_to_save_for_commit_for_or_sift_by(chain):
    given(chain, person("far", "reviewer", "acme/far"), source("S7", "acme/near"), source("S8", "acme/far"), evidence("E8", "S8"))
    hidden = open_correction(chain, "ana", TENANT, "Not for everybody", sources=["S7"])["correction"]
    closed = open_correction(chain, "ana", TENANT, "Closed", scope="acme/near")["correction"]
    with refused("illegal_step", "no source of it is stopped", "nothing has been decided"):
        close_correction(chain, "ana", TENANT, closed, "nothing to do")
    for step in ("stop", "commit"):
        waive(chain, "ana", TENANT, closed, "step", step, "it names no source")
    close_correction(chain, "ana", TENANT, closed, "nothing to do")

    for case in (hidden, closed, "no-such-case"):
        with refused("not_found", case):
            save(chain, suspending("E8"), by="far", correction=case)
        with refused("not_found", case):
            carry_out(chain, suspending("E8"), "far", correction=case)
    assert status(chain, "E8") == "ACCEPTED"
