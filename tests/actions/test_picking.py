"""Roots picked by what made them (R20), and the verdict that a reader erred (R12)."""

import pytest

from store import Plan, Refusal, Verb, preview_plan
from tests.builders import (
    accepted,
    carry_out,
    claim,
    conflicts,
    exported_conflicts,
    given,
    is_sound,
    preview,
    resolving,
    statuses,
    the_conflict,
    told,
)

OLD, NEW = {"method": "table-reader", "version": "2.1"}, {"method": "table-reader", "version": "2.2"}


@pytest.fixture
def read_by(desk):
    """Of s the old version says 1 and the new one 2; the old one also made C and D, and R rests on C."""
    given(
        desk, claim("A", 1, subject="s", status="reviewed", extraction=OLD, proposed_by="bot-1", task="T1"),
        claim("B", 2, subject="s", status="reviewed", extraction=NEW, proposed_by="bot-2"),
        claim("C", 3, subject="c", status="reviewed", extraction=OLD), claim("D", 4, subject="d", status="reviewed", extraction=OLD), accepted("R", on="C"),
    )  # fmt: skip
    return desk


def picking(verb=Verb.SUSPEND, **made):
    options = {name: made.pop(name) for name in ("except_",) if name in made}
    return Plan(verb, (), made=made, **options)


@pytest.mark.parametrize(
    ("made", "ids"),
    [
        ({"extractor": "table-reader", "version": "2.1"}, ["A", "C", "D"]), ({"extractor": "table-reader"}, ["A", "B", "C", "D"]),
        ({"proposer": "bot-2"}, ["B"]), ({"task": "T1"}, ["A"]), ({"extractor": "table-reader", "proposer": "bot-2"}, ["B"]),
        ({"extractor": "table-reader", "since": "2001-01-01T00:00:00Z"}, ["A", "B", "C", "D"]),
        ({"extractor": "table-reader", "version": "2.1", "except_": ("C",)}, ["A", "D"]),
    ],
)  # fmt: skip
def test_what_made_them_picks_the_roots(read_by, made, ids):
    carry_out(read_by, picking(**made))

    found = statuses(read_by, "A", "B", "C", "D")
    assert [id for id, its in found.items() if its == "DISPUTED"] == ids
    assert is_sound(read_by)


def test_only_what_can_take_the_step_is_picked(read_by):
    carry_out(read_by, Plan(Verb.REVOKE, ("C",)))

    carry_out(read_by, picking(extractor="table-reader", version="2.1"))
    assert statuses(read_by, "A", "C", "D", "R") == {"A": "DISPUTED", "C": "REVOKED", "D": "DISPUTED", "R": "STALE"}


@pytest.mark.parametrize(
    ("made", "code"),
    [
        ({"colour": "red"}, "bad_value"), ({"version": "2.1"}, "bad_value"), ({"scope": "acme"}, "bad_value"), ({"import": "last"}, "bad_value"),
        ({"since": "yesterday"}, "bad_value"), ({"extractor": " "}, "bad_value"), ({"extractor": "nobody"}, "not_found"),
    ],
)  # fmt: skip
def test_words_that_pick_nothing_are_refused(read_by, made, code):
    with pytest.raises(Refusal) as refusal:
        preview(read_by, picking(**made))
    assert refusal.value.code == code


def test_who_may_not_decide_may_not_pick(read_by):
    with pytest.raises(Refusal) as refusal:
        preview_plan(read_by, "nobody", "acme", picking(extractor="table-reader"))
    assert refusal.value.code in ("unknown_person", "not_found", "not_allowed")


def test_a_reader_error_settles_the_conflict_and_suspends_what_else_that_version_made(read_by, tmp_path):
    plan = resolving(the_conflict(read_by)["id"], "reader_error", made={"extractor": "table-reader", "version": "2.1"}, except_=("D",))
    seen = preview(read_by, plan)
    carry_out(read_by, plan, seen=seen)

    assert statuses(read_by, "A", "B", "C", "D", "R") == {"A": "REVOKED", "B": "ACCEPTED", "C": "DISPUTED", "D": "ACCEPTED", "R": "STALE"}
    assert ("s", "CONFLICT", "OK") in [(one["subject"], one["before"], one["after"]) for one in seen["answers"]]
    assert told(read_by, "s") == ("OK", ["B"])
    assert conflicts(read_by) == []
    assert [one["verdict"] for one in exported_conflicts(read_by, tmp_path)] == ["reader_error"]
    assert is_sound(read_by)


def test_a_reader_error_is_refused_where_two_sides_would_still_contradict_each_other(read_by):
    given(read_by, claim("E", 5, subject="s", status="reviewed", extraction=NEW))

    with pytest.raises(Refusal) as refusal:
        preview(read_by, resolving(the_conflict(read_by)["id"], "reader_error", made={"extractor": "table-reader", "version": "2.1"}))
    assert refusal.value.code == "still_contradicts"


@pytest.mark.parametrize("made", [{}, {"extractor": "nobody"}, {"predicate": "p"}])
def test_a_reader_error_names_the_reader_of_a_side(read_by, made):
    with pytest.raises(Refusal) as refusal:
        preview(read_by, resolving(the_conflict(read_by)["id"], "reader_error", made=made))
    assert refusal.value.code == "bad_value"
