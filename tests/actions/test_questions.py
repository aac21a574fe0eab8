"""Asking somebody about a record or a conflict, answering, and who may."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from store import (
    AskedQuestion,
    Refusal,
    answer_question,
    export_store,
    import_files,
    list_events,
    list_my_questions,
    list_people_to_ask,
    list_questions_about,
    list_questions_of,
    note_answer_seen,
    reject,
    reopen,
    withdraw_question,
)
from store import ask as put
from store.cli import main
from tests.builders import (
    OPERATOR,
    TENANT,
    accepted,
    carry_out,
    claim,
    decide,
    dump,
    given,
    is_sound,
    person,
    refused,
    revoking,
    the_conflict,
)


def ask(store, about="C1", of="ben", by="ana", text="Is this the quarter or the year?", kind="record", **more):
    return put(store, by, TENANT, kind, about, text, of, **more)


def answer(store, number=1, by="ben", text="The quarter.", **more):
    return answer_question(store, by, TENANT, number, text, **more)


def mine(store, who, **more):
    """(waiting, asked, answered) as numbers."""
    found = list_my_questions(store, who, **more)
    return tuple([one.question.number for one in part] for part in (found.waiting, found.asked, found.answered))


def about(store, id="C1", by="ana", kind="record"):
    return list_questions_about(store, by, TENANT, kind, id)


@pytest.fixture
def waiting(desk):
    """A desk with a candidate that waits."""
    given(desk, claim("C1"))
    return desk


@pytest.fixture
def contested(desk):
    """A desk with a conflict between K1 and K2, and its id."""
    given(desk, accepted("K1", "north", subject="k"), accepted("K2", "south", subject="k"))
    return desk, the_conflict(desk)["id"]


# --- asking and answering ------------------------------------------------------------------------------------------


def test_a_question_waits_for_the_person_asked_until_it_is_answered(waiting, clock):
    ask(waiting)

    assert mine(waiting, "ben") == ([1], [], [])
    assert mine(waiting, "ana") == ([], [1], [])
    clock.pass_by(minutes=5)
    answer(waiting)
    assert mine(waiting, "ben") == ([], [], [])
    assert mine(waiting, "ana") == ([], [], [1])
    (one,) = about(waiting)
    assert isinstance(one, AskedQuestion)
    assert (one.text, one.by_name, one.of_name, one.answer, one.answered_by_name) == ("Is this the quarter or the year?", "Ana", "Ben", "The quarter.", "Ben")
    assert one.answered_at - one.at == 5 * 60_000_000
    assert is_sound(waiting)


def test_an_answer_waits_for_who_asked_until_they_have_seen_it(waiting):
    ask(waiting)
    with refused("illegal_step", "Nobody has answered"):
        note_answer_seen(waiting, "ana", TENANT, 1)
    answer(waiting)

    note_answer_seen(waiting, "ana", TENANT, 1)
    assert mine(waiting, "ana") == ([], [], [])
    with refused("already_decided"):
        note_answer_seen(waiting, "ana", TENANT, 1)
    with refused("not_allowed", "Ana asked"):
        note_answer_seen(waiting, "ben", TENANT, 1)
    assert about(waiting)[0].answer == "The quarter."


def test_a_conflict_can_be_asked_about(contested):
    desk, conflict = contested
    ask(desk, conflict, kind="conflict")

    (one,) = list_my_questions(desk, "ben").waiting
    assert (one.question.kind, one.question.about, one.scope, one.status) == ("conflict", conflict, TENANT, None)
    answer(desk)
    assert about(desk, conflict, kind="conflict")[0].answer == "The quarter."


def test_questions_about_a_page_of_records_come_at_once(waiting):
    given(waiting, claim("C2"), claim("C3"))
    ask(waiting)
    ask(waiting, "C3", text="And this?")
    ask(waiting, "C3", text="Still?", of="carl")

    found = list_questions_of(waiting, "ana", TENANT, "record", ["C1", "C2", "C3", "NONE"])
    assert {id: [one.number for one in its] for id, its in found.items()} == {"C1": [1], "C3": [2, 3]}


def test_the_event_of_a_question_holds_no_text(waiting):
    ask(waiting, text="Zebra?")
    answer(waiting, text="A quagga.")

    events = [one for one in list_events(waiting, "olga", tenant=TENANT)["items"] if one["action"] in ("ask", "answer")]
    assert [(one["action"], one["actor"], one["count"]) for one in events] == [("ask", "ana", 0), ("answer", "ben", 0)]
    tables = dump(waiting)
    holding = {name for name, rows in tables.items() if name != "search_text" and any("Zebra" in row or "quagga" in row for row in rows)}
    assert holding == {"question", "event_note"}


def test_asking_and_answering_are_done_once_under_one_operation_id(waiting):
    first = ask(waiting, operation="op1")

    assert ask(waiting, operation="op1") == first
    with refused("operation_reused"):
        ask(waiting, operation="op1", text="Another?")
    done = answer(waiting, operation="op2")
    assert answer(waiting, operation="op2") == done
    assert len(about(waiting)) == 1


@pytest.mark.parametrize("text", ["", "  \n", "\u200b\u2060 \u202e", "x" * 4001, "bad \x00 one"])
def test_an_empty_endless_or_unstorable_text_is_refused(waiting, text):
    with refused("bad_value"):
        ask(waiting, text=text)
    ask(waiting)
    with refused("bad_value"):
        answer(waiting, text=text)
    assert mine(waiting, "ben") == ([1], [], [])


# --- two people at once --------------------------------------------------------------------------------------------


def test_a_second_answer_is_refused_and_told_who_answered(waiting):
    ask(waiting)
    answer(waiting)

    with refused("already_decided", "Ben answered", "2026-07-01"):
        answer(waiting, by="carl", text="The year.")
    assert about(waiting)[0].answer == "The quarter."


def test_of_two_who_answer_at_once_one_wins_and_the_other_is_told(waiting):
    ask(waiting)

    def attempt(who):
        try:
            return answer(waiting, by=who, text=f"says {who}")
        except Refusal as refusal:
            return refusal.code

    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(attempt, ("ben", "carl")))
    assert [one for one in found if not isinstance(one, dict)] == ["already_decided"]
    assert about(waiting)[0].answer == f"says {about(waiting)[0].answered_by}"
    assert is_sound(waiting)


# --- taking back, and what is settled ------------------------------------------------------------------------------


def test_a_question_nobody_answered_can_be_taken_back_by_who_asked(waiting):
    ask(waiting)
    with refused("not_allowed"):
        withdraw_question(waiting, "ben", TENANT, 1)

    withdraw_question(waiting, "ana", TENANT, 1)
    assert mine(waiting, "ben") == mine(waiting, "ana") == ([], [], [])
    (one,) = about(waiting)
    assert one.withdrawn
    with refused("already_decided", "took this question back"):
        answer(waiting)


def test_an_answered_question_is_not_taken_back(waiting):
    ask(waiting)
    answer(waiting)

    with refused("already_decided"):
        withdraw_question(waiting, "ana", TENANT, 1)


@pytest.mark.parametrize("settle", [lambda desk: decide(desk, "C1", by="carl"), lambda desk: reject(desk, "carl", TENANT, "C1", "rejected", "no")])
def test_a_question_about_a_candidate_decided_since_waits_for_nobody(waiting, settle):
    ask(waiting)
    settle(waiting)

    assert mine(waiting, "ben") == mine(waiting, "ana") == ([], [], [])
    assert about(waiting)[0].settled
    answer(waiting)
    assert mine(waiting, "ana") == ([], [], [1])


def test_it_waits_again_once_the_decision_is_taken_back(waiting):
    ask(waiting)
    decide(waiting, "C1")
    reopen(waiting, "ana", TENANT, "C1")
    assert mine(waiting, "ben") == ([1], [], [])


def test_it_waits_while_a_second_person_has_yet_to_decide(waiting):
    given(waiting, claim("HIGH", impact="high"), reviewed=False)
    ask(waiting, "HIGH")
    decide(waiting, "HIGH", "carl")
    assert mine(waiting, "ben") == ([1], [], [])
    decide(waiting, "HIGH", "ben")
    assert mine(waiting, "ben") == ([], [], [])


def test_a_question_about_a_conflict_that_dissolved_waits_for_nobody(contested):
    desk, conflict = contested
    ask(desk, conflict, kind="conflict")
    carry_out(desk, revoking("K2"))

    assert mine(desk, "ben") == ([], [], [])
    assert about(desk, conflict, kind="conflict")[0].settled


def test_a_question_about_an_accepted_claim_waits_though_it_was_decided_earlier(waiting):
    decide(waiting, "C1", by="carl")
    ask(waiting)

    assert mine(waiting, "ben") == ([1], [], [])


# --- rights --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("who", "code"), [("bot", "not_allowed"), ("olga", "not_allowed"), ("rita", "not_found"), ("nobody", "unknown_person")])
def test_only_a_reviewer_of_the_scope_asks(waiting, who, code):
    with refused(code):
        ask(waiting, by=who, of="ben")
    assert about(waiting) == ()


@pytest.mark.parametrize("of", ["rita", "nobody", "zoe", "far"])
def test_nobody_is_asked_about_what_they_may_not_see(waiting, of):
    given(waiting, person("zoe", "reviewer", "other"), person("far", "reviewer", "acme/elsewhere"))

    with refused("unknown_person", "who may see C1"):
        ask(waiting, of=of)
    assert about(waiting) == ()


def test_a_reader_can_be_asked_about_what_is_accepted_and_answers(waiting):
    decide(waiting, "C1")
    ask(waiting, of="rita")

    assert mine(waiting, "rita") == ([1], [], [])
    answer(waiting, by="rita")
    assert mine(waiting, "ana") == ([], [], [1])


def test_the_proposer_of_a_candidate_can_be_asked(waiting):
    ask(waiting, of="bot")

    answer(waiting, by="bot", text="Read off page 3.")
    assert about(waiting)[0].answered_by == "bot"


def test_nobody_asks_themselves(waiting):
    with refused("bad_value", "yourself"):
        ask(waiting, of="ana")


def test_another_reviewer_may_answer_and_others_may_not(waiting):
    ask(waiting)

    for who, code in (("rita", "not_found"), ("bot", "not_allowed"), ("olga", "not_allowed")):
        with refused(code):
            answer(waiting, by=who)
    answer(waiting, by="carl")
    assert about(waiting)[0].answered_by_name == "Carl"


def test_who_lost_sight_of_it_is_not_asked_any_more(waiting):
    given(waiting, claim("C2", scope="acme/funds"), person("fay", "reviewer", "acme/funds"))
    ask(waiting, "C2", of="fay")
    assert mine(waiting, "fay") == ([1], [], [])
    given(waiting, {"type": "person", "id": "fay", "name": "Fay", "roles": [{"role": "reader", "scope": "acme/funds"}]})

    assert mine(waiting, "fay") == ([], [], [])
    with refused("not_found"):
        answer(waiting, by="fay")


def test_the_questions_of_another_tenant_are_not_told(waiting):
    given(waiting, person("zoe", "reviewer", "other"), source_of("other"))
    ask(waiting)

    assert about(waiting, by="zoe") == ()
    with refused("not_found"):
        answer_question(waiting, "zoe", TENANT, 1, "x")
    with refused("not_found"):
        answer_question(waiting, "zoe", "other", 1, "x")
    with refused("not_found"):
        list_people_to_ask(waiting, "zoe", TENANT, "record", "C1")


def source_of(tenant):
    return {"type": "source", "id": f"S-{tenant}", "scope": tenant, "title": "t"}


def test_questions_keep_to_the_scope_asked_for(waiting):
    given(waiting, claim("C2", scope="acme/funds"))
    ask(waiting)
    ask(waiting, "C2")

    assert mine(waiting, "ben", scope="acme/funds") == ([2], [], [])
    assert mine(waiting, "ben", scope="other") == ([], [], [])
    assert mine(waiting, "ben") == ([1, 2], [], [])


def test_a_number_an_id_or_a_kind_that_is_not_there_is_refused(waiting):
    with refused("not_found"):
        answer(waiting, 7)
    with refused("not_found"):
        ask(waiting, "C9")
    with refused("not_found"):
        ask(waiting, "C1", kind="conflict")
    with refused("bad_value"):
        ask(waiting, kind="source")


def test_the_owner_is_offered_first_then_reviewers_and_agents_last(waiting):
    found = list_people_to_ask(waiting, "carl", TENANT, "record", "C1")

    assert [(one.id, one.owner, one.reviewer, one.agent) for one in found] == [
        ("ana", True, True, False), ("adam", False, True, False), ("ben", False, True, False), (OPERATOR, False, True, False),
        ("olga", False, False, False), ("bot", False, False, True),
    ]  # fmt: skip


# --- export and import ---------------------------------------------------------------------------------------------


def export(store, path):
    export_store(store, OPERATOR, path)
    return path.read_bytes()


def test_the_questions_of_a_conflict_go_with_its_line_and_come_back(contested, another_store, tmp_path):
    desk, conflict = contested
    ask(desk, conflict, kind="conflict", text="Which one?")
    answer(desk, text="North.")
    ask(desk, conflict, kind="conflict", text="Sure?", of="carl")
    ask(desk, conflict, kind="conflict", text="Never mind.", of="carl")
    withdraw_question(desk, "ana", TENANT, 3)
    ask(desk, "K1", text="This stays here.")
    first = export(desk, tmp_path / "one.jsonl")

    other = another_store()
    assert import_files(other, OPERATOR, [tmp_path / "one.jsonl"], reviewed=True)["rejected"] == []
    assert export(other, tmp_path / "two.jsonl") == first
    assert b"This stays here" not in first
    assert mine(other, "carl") == ([2], [], [])
    assert mine(other, "ana") == ([], [2], [])
    assert is_sound(other)


def test_the_questions_of_a_closed_conflict_come_back_too(contested, another_store, tmp_path):
    desk, conflict = contested
    ask(desk, conflict, kind="conflict")
    answer(desk)
    carry_out(desk, revoking("K2"))
    first = export(desk, tmp_path / "one.jsonl")

    other = another_store()
    import_files(other, OPERATOR, [tmp_path / "one.jsonl"], reviewed=True)
    assert export(other, tmp_path / "two.jsonl") == first
    assert about(other, conflict, kind="conflict")[0].answer == "The quarter."


def test_importing_a_conflict_again_doubles_no_question(contested, tmp_path):
    desk, conflict = contested
    ask(desk, conflict, kind="conflict")
    first = export(desk, tmp_path / "one.jsonl")

    import_files(desk, OPERATOR, [tmp_path / "one.jsonl"], reviewed=True)
    assert export(desk, tmp_path / "two.jsonl") == first


@pytest.mark.parametrize("questions", [
    "x", ["x"], [{"text": "a", "by": "ana", "of": "ben"}], [{"text": "", "by": "ana", "of": "ben", "at": "2026-01-01T00:00:00Z"}],
    [{"text": "a", "by": "ana", "of": "ben", "at": "2026-01-01T00:00:00Z", "answer": "b"}],
    [{"text": "a", "by": "ana", "of": "ben", "at": "2026-01-01T00:00:00Z", "answered_at": "2026-01-01T00:00:00Z"}],
    [{"text": "a", "by": "ana", "of": "ben", "at": "soon"}],
    [{"text": "a", "by": "ana", "of": "ben", "at": "2026-01-01T00:00:00Z", "more": 1}],
])  # fmt: skip
def test_a_line_with_questions_that_say_too_little_is_refused(contested, questions, tmp_path):
    desk, conflict = contested
    line = next(one for one in map(json.loads, export(desk, tmp_path / "one.jsonl").splitlines()) if one["type"] == "conflict")
    path = tmp_path / "two.jsonl"
    path.write_text(json.dumps({**line, "questions": questions}) + "\n")

    (bad,) = import_files(desk, OPERATOR, [path], reviewed=True)["rejected"]
    assert bad["code"] in ("bad_value", "unknown_field")
    assert about(desk, conflict, kind="conflict") == ()


# --- the command line ----------------------------------------------------------------------------------------------


def test_questions_are_asked_listed_and_answered_on_the_command_line(waiting, capsys):
    def run(*words, by):
        status = main(["--db", waiting.url, *words, "--as", by, "--json"])
        return status, json.loads(capsys.readouterr().out)

    assert run("ask", "C1", "The quarter?", "--of", "ben", by="ana") == (0, {"asked": 1, "of": "ben", "event": about(waiting)[0].seq})
    status, found = run("questions", by="ben")
    assert (status, [(one["number"], one["about"], one["text"]) for one in found["waiting"]]) == (0, [(1, "C1", "The quarter?")])
    assert run("answer", "1", "Yes.", by="ben")[0] == 0
    assert run("answer", "1", "No.", by="carl")[1]["error"] == "already_decided"
    run("ask", "C1", "And?", "--of", "ben", by="ana")
    assert run("answer", "2", "--withdraw", by="ana")[1]["withdrawn"] == 2
