"""How a statement that differs from an accepted one is meant: what each way does, and that a read then returns what was said before."""

import json

import pytest

from store import (
    Approval,
    Meaning,
    answer_question,
    ask_which,
    check_new_session,
    list_decided,
    list_questions_about,
    open_store,
    reject,
    verify_store,
    view_conflict,
    view_meant,
)
from store.cli import main
from tests.builders import (
    OPERATOR,
    TENANT,
    accepted,
    artifact,
    ask,
    carry_out,
    claim,
    decide,
    given,
    is_sound,
    person,
    predicate,
    refused,
    resolving,
    show,
    status,
    statuses,
    told,
)

HERE = "acme/briefs"
SAYS = {"subject": "author", "predicate": "format", "scope": HERE}


def meant(store, id="NEW", by="ben", **more):
    return view_meant(store, by, TENANT, id, **more)


def way(found, which):
    return next(one for one in found.ways if one.way is which)


def foretold(reads):
    return {one.scope: (one.result, sorted(one.values)) for one in reads}


def now(store, *scopes, by="rita"):
    """What reads return now, as `foretold` puts it."""
    found = {}
    for scope in scopes:
        answer = ask(store, "author", "format", scope, by)
        found[scope] = answer["result"], sorted(one["value"] for one in answer["claims"])
    return found


def asked(store, by="ben", of="ana", text="From now on, or only this once?", id="NEW", **more):
    return ask_which(store, by, TENANT, id, text, of, Approval("both are unclear"), **more)


@pytest.fixture
def same(desk):
    """OLD is accepted and NEW says otherwise under the same key; MADE rests on OLD."""
    given(desk, accepted("OLD", "bullets", **SAYS), accepted("MADE", on="OLD", scope=HERE), claim("NEW", "paragraphs", **SAYS))
    return desk


@pytest.fixture
def broader(desk):
    """WIDE is accepted for the whole tenant and NEW says otherwise of one folder of it."""
    given(desk, accepted("WIDE", "bullets", **{**SAYS, "scope": TENANT}), claim("NEW", "paragraphs", **SAYS))
    return desk


def test_from_now_on_replaces_within_one_key_and_links_both(same):
    told_before = way(meant(same), Meaning.FROM_NOW_ON)
    assert (told_before.why_not, told_before.fall) == (None, 1)

    decide(same, "NEW", "ben", replaces="OLD")

    assert foretold(told_before.next) == now(same, HERE) == {HERE: ("OK", ["paragraphs"])}
    assert statuses(same, "OLD", "NEW", "MADE") == {"OLD": "SUPERSEDED", "NEW": "ACCEPTED", "MADE": "STALE"}
    assert show(same, "OLD")["superseded_by"] == "NEW"
    assert is_sound(same)


def test_only_for_this_task_changes_nothing_that_is_accepted(same):
    told_before = way(meant(same), Meaning.THIS_TASK)

    reject(same, "ben", TENANT, "NEW", "session_only", "this letter only")

    assert foretold(told_before.next) == now(same, HERE) == {HERE: ("OK", ["bullets"])}
    assert statuses(same, "OLD", "NEW", "MADE") == {"OLD": "ACCEPTED", "NEW": "REJECTED", "MADE": "ACCEPTED"}


def test_only_here_stands_beside_the_rule_in_its_scope(same):
    assert way(meant(same), Meaning.ONLY_HERE).next == ()
    inside = f"{HERE}/acmecorp"
    told_before = way(meant(same, here=inside), Meaning.ONLY_HERE)

    decide(same, "NEW", "ben", terms={"scope": inside})

    assert foretold(told_before.next) == now(same, inside, HERE) == {inside: ("OK", ["paragraphs"]), HERE: ("OK", ["bullets"])}
    assert told(same, "author", "format", inside) == ("OK", ["NEW"])


def test_asking_about_two_that_pass_puts_both_out_of_use_in_a_conflict_with_the_question(same):
    told_before = way(meant(same), Meaning.ASK)
    assert (told_before.joins, told_before.fall) == (True, 1)

    found = asked(same, others={"OLD": 1})

    assert foretold(told_before.next) == now(same, HERE) == {HERE: ("CONFLICT", ["bullets", "paragraphs"])}
    assert statuses(same, "OLD", "NEW", "MADE") == {"OLD": "DISPUTED", "NEW": "DISPUTED", "MADE": "STALE"}
    answer_question(same, "ana", TENANT, found["asked"], "From now on, he said.")
    (question,) = list_questions_about(same, "ben", TENANT, "conflict", found["conflict"])
    assert (question.answer, question.of) == ("From now on, he said.", "ana")
    assert is_sound(same)

    carry_out(same, resolving(found["conflict"], "keep", keep="NEW"), "ben")
    assert told(same, "author", "format", HERE) == ("OK", ["NEW"])
    assert view_conflict(same, "ben", TENANT, found["conflict"]).closed_at is not None


def test_asking_about_one_that_does_not_pass_leaves_it_waiting_with_the_question(desk):
    given(desk, accepted("OLD", "bullets", **SAYS), claim("NEW", "paragraphs", owner=None, **SAYS))
    told_before = way(meant(desk), Meaning.ASK)
    assert not told_before.joins

    found = asked(desk)

    assert found["conflict"] is None
    assert foretold(told_before.next) == now(desk, HERE) == {HERE: ("MISSING", [])}
    assert statuses(desk, "OLD", "NEW") == {"OLD": "DISPUTED", "NEW": "CANDIDATE"}
    answer_question(desk, "ana", TENANT, found["asked"], "Only that once.")
    (question,) = list_questions_about(desk, "ben", TENANT, "record", "NEW")
    assert question.answer == "Only that once."
    assert meant(desk).others[0].status == "DISPUTED"
    assert is_sound(desk)


def test_a_broader_rule_is_no_key_of_its_own_so_it_is_only_stood_beside_or_asked_about(broader):
    found = meant(broader)
    assert (found.scope, found.same_key, [one.id for one in found.others]) == (TENANT, False, ["WIDE"])
    assert way(found, Meaning.FROM_NOW_ON).why_not == "other_scope"
    told_before = way(found, Meaning.ONLY_HERE)

    decide(broader, "NEW", "ben")

    assert foretold(told_before.next) == now(broader, HERE, TENANT) == {HERE: ("OK", ["paragraphs"]), TENANT: ("OK", ["bullets"])}


def test_asking_about_a_broader_rule_puts_it_out_of_use_everywhere(broader):
    told_before = way(meant(broader), Meaning.ASK)

    asked(broader)

    assert foretold(told_before.next) == now(broader, HERE, TENANT) == {HERE: ("MISSING", []), TENANT: ("MISSING", [])}
    assert statuses(broader, "WIDE", "NEW") == {"WIDE": "DISPUTED", "NEW": "CANDIDATE"}


def test_a_broader_rule_can_only_be_put_out_of_use_by_who_decides_there(broader):
    given(broader, person("dora", "reviewer", HERE))

    assert meant(broader, by="dora") is None
    with refused("bad_value", "differs from nothing"):
        asked(broader, by="dora")
    assert statuses(broader, "WIDE", "NEW") == {"WIDE": "ACCEPTED", "NEW": "CANDIDATE"}


def test_what_agrees_what_a_nearer_claim_answers_and_many_valued_predicates_ask_nothing(desk):
    given(
        desk, predicate("tag", cardinality="many"), accepted("W", "bullets", **{**SAYS, "scope": TENANT}), accepted("N", "paragraphs", **SAYS), claim("AGREES", "paragraphs", **SAYS),
        accepted("T1", "x", subject="s", predicate="tag"), claim("T2", "y", subject="s", predicate="tag"), claim("ALONE", "z"),
    )  # fmt: skip

    assert [meant(desk, id) for id in ("AGREES", "T2", "ALONE")] == [None, None, None]


@pytest.mark.parametrize("what", ["version", "other", "nobody", "myself"])
def test_nothing_is_asked_and_nothing_suspended_where_a_part_of_it_is_refused(same, what):
    if what == "version":
        with refused("changed_since_seen", "Look at it again"):
            asked(same, others={"OLD": 7})
    elif what == "other":
        decide(same, "NEW", "ben", replaces="OLD")
        with refused("already_decided"):
            asked(same, others={"OLD": 1})
        return
    else:
        with refused("unknown_person" if what == "nobody" else "bad_value"):
            asked(same, of="zed" if what == "nobody" else "ben")
    assert statuses(same, "OLD", "NEW", "MADE") == {"OLD": "ACCEPTED", "NEW": "CANDIDATE", "MADE": "ACCEPTED"}


def test_what_was_asked_stands_on_the_sheet_of_the_day_and_in_both_histories(same):
    asked(same)

    rows = list_decided(same, "ben", "2026-07-01").rows
    assert [(row.action, row.id, row.reason) for row in rows] == [("asked", "NEW", "both are unclear")]
    for id in ("OLD", "NEW"):
        assert [(one["action"], one["to"]) for one in show(same, id)["history"]][-1] == ("ask_which", "DISPUTED")


def test_the_same_press_twice_asks_once(same):
    first = asked(same, operation="press-1")
    assert asked(same, operation="press-1") == first
    assert len(list_questions_about(same, "ben", TENANT, "conflict", first["conflict"])) == 1


def test_by_command(same, capsys):
    words = ["ask", "NEW", "Which one holds?", "--of", "ana", "--suspend", "--as", "ben"]
    assert main(["--db", same.url, "--json", *words]) == 0

    found = json.loads(capsys.readouterr().out)
    assert found["suspended"] == ["OLD"]
    assert status(same, "OLD") == "DISPUTED"
    assert verify_store(same, OPERATOR)["ok"]


# --- the check of a new session -------------------------------------------------------------------------------------


def looks(found):
    return {(one.by, one.result, one.retrieved) for one in found.looks}


def test_a_new_session_gets_nothing_of_what_was_replaced(same):
    given(same, artifact("CACHED", "OLD", artifact_type="answer", scope=HERE))
    assert told(same, "author", "format", HERE) == ("OK", ["OLD"])
    decide(same, "NEW", "ben", replaces="OLD")

    found = check_new_session(same, "ben", TENANT, "NEW")

    assert (found.ok, found.gone, found.stands, found.cached) == (True, ("OLD",), ("NEW",), 1)
    assert {("read", "OK", ("NEW",)), ("read_by_id", "MISSING", ()), ("search", "MISSING", ()), ("cached_answer", "MISSING", ())} <= looks(found)
    assert status(same, "CACHED") == "STALE"


def test_what_still_comes_back_is_named(same):
    decide(same, "NEW", "ben", replaces="OLD")
    found = check_new_session(same, "ben", TENANT, "OLD")
    assert found.ok
    # Somebody writes past every action: the check looks at what is retrieved, so it tells.
    with same.writer.begin() as connection:
        connection.exec_driver_sql("UPDATE record_state SET status = 1 WHERE record = (SELECT record FROM record WHERE id = 'OLD')")

    found = check_new_session(open_store(same.url), "ben", TENANT, "NEW")

    assert not found.ok
    assert {one.by for one in found.looks if not one.ok} >= {"read", "read_by_id", "search"}


def test_a_rejected_one_off_is_looked_for_itself_and_what_is_in_use_is_not(same):
    assert check_new_session(same, "ben", TENANT, "OLD") is None
    reject(same, "ben", TENANT, "NEW", "session_only", "this letter only")

    found = check_new_session(same, "ben", TENANT, "NEW")

    assert (found.ok, found.gone, found.stands) == (True, ("NEW",), ("OLD",))
    with refused("not_found"):
        check_new_session(same, "rita", TENANT, "NEW")
