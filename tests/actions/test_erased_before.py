"""What was forgotten is known again and refused, whichever way it comes in; its old id is answered with what is left of it (R9)."""

import json

import pytest

from store import amend, export_store, find_tenant, import_lines, propose_edition, refuse_deletion, run_deletion
from tests.builders import (
    TENANT,
    accepted,
    artifact,
    bring,
    carry_out,
    claim,
    dump,
    evidence,
    given,
    is_sound,
    predicate,
    refused,
    rejections,
    resolving,
    show,
    source,
    status,
    the_conflict,
)
from tests.forgetting import asked_to_forget, forgotten, refuse

OTHER = "The endpoint accepts safe retries."


def test_the_old_id_is_answered_with_what_is_left_of_it(desk):
    given(desk, accepted("A", "has diabetes"))
    forgotten(desk, "A")

    found = show(desk, "A")
    assert found["status"] == "DELETED"
    assert found["id"].startswith("erased-")
    assert "diabetes" not in repr(found)
    assert show(desk, found["id"]) == found
    assert find_tenant(desk, "operator", ["A"]) == TENANT
    for who in ("rita", "bot"):
        with refused("not_found"):
            show(desk, "A", who)
    with refused("not_found"):
        show(desk, "B")


@pytest.mark.parametrize("how", ["asked", "erased"])
def test_the_identical_line_is_refused_and_never_unchanged(desk, how):
    line = accepted("A", "has diabetes")
    given(desk, line, accepted("B", quote=OTHER))
    {"asked": asked_to_forget, "erased": forgotten}[how](desk, "A")

    for again in (line, {**line, "value": "something else"}, {**line, "id": "NEW"}, {**line, "id": "NEW", "status": "candidate", "owner": "ben"}):
        result = bring(desk, again, accepted("B", quote=OTHER), reviewed=True)
        assert rejections(result) == [(1, again["id"], "erased_before")]
        assert result["unchanged"] == 1
        assert "diabetes" not in result["rejected"][0]["message"]
    given(desk, {**line, "id": "OTHER", "value": "well"})


def test_what_is_refused_leaves_nothing_of_itself(desk):
    line = accepted("SECRETID", "secret value", subject="secret subject")
    given(desk, line)
    forgotten(desk, "SECRETID")
    bring(desk, line)
    kept = repr(dump(desk))
    assert "SECRETID" not in kept
    assert "secret" not in kept


def test_a_value_that_counts_as_the_same_is_known_again(desk):
    given(desk, predicate("says", value_type="number"), accepted("A", "1.00"))
    forgotten(desk, "A")
    assert rejections(bring(desk, claim("B", 1, subject="subject-A"))) == [(1, "B", "erased_before")]


def test_a_refused_request_lets_it_come_in_again(desk):
    line = accepted("A", "has diabetes")
    given(desk, line)
    refuse(desk, asked_to_forget(desk, "A"))
    assert rejections(bring(desk, {**line, "id": "B"})) == []


def test_no_amendment_brings_it_back(desk):
    given(desk, accepted("A", "has diabetes", subject="person:x", quote=OTHER))
    given(desk, claim("B", "perhaps", subject="person:x"), reviewed=False)
    forgotten(desk, "A")
    with refused("erased_before"):
        amend(desk, "ana", TENANT, "B", {"value": "has diabetes"})
    amend(desk, "ana", TENANT, "B", {"value": "is well"})


def test_no_verdict_brings_it_back(desk):
    given(desk, accepted("A", "x", subject="person:x", quote=OTHER))
    given(desk, accepted("C", "x", subject="s"), accepted("D", "y", subject="s", quote="NAV at quarter end"))
    forgotten(desk, "A")
    plan = resolving(the_conflict(desk)["id"], "different", subject={"C": "person:x"})
    with refused("erased_before"):
        carry_out(desk, plan)
    assert status(desk, "C") == "ACCEPTED"


def test_no_line_takes_an_id_that_looks_like_what_is_left_of_a_forgotten_record(desk):
    for line in (accepted("erased-00112233"), artifact("erased-00112233", "A"), evidence("erased-00112233")):
        result = bring(desk, line, reviewed=True)
        assert rejections(result) == [(1, "erased-00112233", "bad_value")]
        assert "another one" in result["rejected"][0]["message"]
    given(desk, accepted("erased-by-hand"), accepted("not-erased-00112233"))


def test_no_edition_and_no_version_takes_an_id_that_was_forgotten(desk):
    given(desk, accepted("A", quote=OTHER), artifact("R", "A"), source("S2"), evidence("S2@1", "S2", "Only here."), evidence("S2@2", "S2", "Later.", version=2))
    forgotten(desk, "S2@1")
    assert rejections(bring(desk, evidence("S2@1", "S2", "Something else."))) == [(1, "S2@1", "erased_before")]
    propose_edition(desk, "ana", TENANT, "R")


def test_tombstones_travel_and_a_line_deletes_nothing(desk, another_store, tmp_path):
    given(desk, accepted("A"), accepted("B", on="A"), accepted("C", quote=OTHER), accepted("D", quote="NAV at quarter end"))
    forgotten(desk, "A")
    asked_to_forget(desk, "D")
    export_store(desk, "operator", tmp_path / "one.jsonl")
    lines = (tmp_path / "one.jsonl").read_bytes().splitlines()
    gone = [one for one in map(json.loads, lines) if one.get("status") in ("deleted", "deletion_pending")]
    assert [sorted(one) for one in gone] == [["id", "status", "type"]] * 2

    other = another_store("bare")
    result = import_lines(other, "operator", lines, reviewed=True)
    assert result["rejected"] == []
    export_store(other, "operator", tmp_path / "two.jsonl")
    assert (tmp_path / "two.jsonl").read_bytes() == (tmp_path / "one.jsonl").read_bytes()
    assert is_sound(other)
    assert status(other, "D") == "DELETION_PENDING"
    again = import_lines(other, "operator", lines, reviewed=True)
    assert (again["rejected"], again["requests"]) == ([], [])

    assert len(result["requests"]) == 1
    with refused("illegal_step", "nothing to give back"):
        refuse_deletion(other, "operator", TENANT, result["requests"][0], "no")
    done = run_deletion(other, "operator", TENANT, result["requests"][0])
    assert (done["surfaces"]["record"], done["surfaces"]["exports"], done["failed"], done["verification"]["ok"]) == ("done", "open", {}, True)
    assert status(other, "D") == "DELETED"
    assert is_sound(other)
    assert rejections(bring(other, accepted("D"), reviewed=True)) == [(1, "D", "erased_before")]

    assert rejections(bring(desk, {"type": "claim", "id": "C", "status": "deleted"}, source("S9"), reviewed=True)) == [(1, "C", "other_content")]
    assert rejections(bring(desk, source("S8"), {"type": "claim", "id": "X", "status": "deleted"})) == [(2, "X", "not_allowed")]
    assert rejections(bring(desk, {**accepted("X"), "status": "deleted"}, reviewed=True)) == [(1, "X", "bad_value")]
    assert status(desk, "C") == "ACCEPTED"


def test_what_is_left_of_a_forgotten_record_arrives_alone_where_its_scope_is_said_or_its_id_is_known(desk):
    line = {"type": "evidence", "id": "S7@1", "status": "deletion_pending"}

    assert rejections(bring(desk, line, reviewed=True)) == [(1, "S7@1", "bad_value")]
    assert bring(desk, line, reviewed=True, scope="acme")["arrived"] == {"DELETION_PENDING": 1}
    assert bring(desk, line, reviewed=True)["unchanged"] == 1
    assert status(desk, "S7@1") == "DELETION_PENDING"
    assert rejections(bring(desk, line, scope="acme")) == [(1, "S7@1", "not_allowed")]
    assert is_sound(desk)
