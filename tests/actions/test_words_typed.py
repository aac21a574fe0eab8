"""What the command line takes is what the table of the design says, and no more is needed."""

import json

import pytest

from store import Question, read_claims, search_records
from store.cli import main
from tests.builders import accepted, claim, given, status
from tests.forgetting import asked_to_forget, state
from tests.typed import type_command


def typed(desk, *words, exits=0):
    done = type_command(desk.url, [*words, "--json"])
    assert done.returncode == exits, done.stdout + done.stderr
    return json.loads(done.stdout)


def test_a_deletion_request_is_refused_by_its_name_alone(desk):
    given(desk, accepted("A"))
    request = asked_to_forget(desk, "A")
    assert typed(desk, "erase", "refuse", request)["changed"] == 1
    assert state(desk, request) == "refused"


def test_a_scope_is_widened_for_the_reason_of_the_decision(desk):
    given(desk, accepted("P", scope="acme/funds"), claim("C1", on="P", scope="acme/api"))
    refused = typed(desk, "approve", "C1", "--reason", "public figures", "--terms", '{"widen_scope": false}', "--as", "ana", exits=1)
    assert refused["error"] == "bad_value"
    assert typed(desk, "approve", "C1", "--reason", "public figures", "--terms", '{"widen_scope": true}', "--as", "ana")["decided"] == ["C1"]
    assert status(desk, "C1") == "ACCEPTED"


def exit_of(*words):
    try:
        return main([str(word) for word in words])
    except SystemExit as stop:
        return stop.code


NUMBERS = (
    ("queue", "candidates", "--limit"), ("queue", "stale", "--limit"), ("queue", "conflicts", "--limit"), ("queue", "expiring", "--limit"),
    ("read", "--id", "A", "--limit"), ("search", "office", "--scope", "acme", "--limit"), ("copies", "list", "--limit"), ("backups", "--drop"),
    ("backups", "--destroyed"), ("copies", "destroyed"), ("answer",), ("messages", "draft", "--event"), ("backup", "b", "--keep-days"), ("bench", "--claims"),
)  # fmt: skip
FROM_NOTHING = (("events", "--after"), ("copies", "list", "--after"), ("reject", "A", "--route", "rejected", "--reason", "r", "--seen"), ("amend", "A", "value=1", "--seen"))


@pytest.mark.parametrize("number", ["0", "-1", "1_0", "٣", "1.5", "x", "", "9" * 30, str(2**63)])
def test_a_number_that_is_none_is_a_mistake_of_usage_wherever_one_is_typed(capsys, number):
    for words in (*NUMBERS, *(FROM_NOTHING if number != "0" else ())):
        assert exit_of(*words, number, *(["text"] if words == ("answer",) else []), "--json") == 2, words
        told = capsys.readouterr()
        assert told.out == ""
        assert "is no whole number from" in told.err


@pytest.mark.parametrize(
    "words",
    [
        ("read",), ("read", "--scope", "acme", "--subject", "s"), ("read", "--id", "A", "--subject", "s"), ("preview", "revoke"), ("preview", "reinstate"),
        ("commit", "suspend", "--fingerprint", "f", "--reason", "r"), ("renew", "A"), ("approve", "A", "--reason", "r", "--from", "2026-01-01"),
        ("fire", "source_changed", "--reason", "r"), ("messages", "approve"), ("messages", "show"), ("erase", "request", "--reason", "r"),
        ("erase", "request", "A", "--subject", "s", "--reason", "r"), ("show", "A", "--as", ""), ("show", "A", "--tenant", ""), ("--db", "", "show", "A"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_words_that_make_no_command_are_a_mistake_of_usage_and_touch_no_store(capsys, words):
    place = [] if "--db" in words else ["--db", "sqlite:////nowhere/at/all.db"]

    assert exit_of(*words, *place, "--json") == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert "error: " in told.err


def test_no_limit_from_a_program_gives_a_page_that_cannot_be_or_says_that_nothing_was_cut(desk):
    given(desk, accepted("A", 1, subject="s"), accepted("B", 2, subject="s"), accepted("C", "Lyon"), accepted("D", "Lyon", scope="acme/api"))
    for limit in (0, -1):
        found = read_claims(desk, "rita", Question("acme", "s", "says", limit=limit))
        assert (found["result"], len(found["claims"]), found["cut"]) == ("CONFLICT", 1, True)
        found = search_records(desk, "rita", "Lyon", "acme/api", limit=limit)
        assert (len(found["items"]), found["cut"]) == (1, True)
