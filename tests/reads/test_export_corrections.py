"""Corrections survive export and import: what they say, what fell and how each was settled (section 8)."""

from __future__ import annotations

import json

from store import OPERATOR, close_correction, export_store, import_files, list_open_corrections, list_stale, open_correction, view_correction, waive
from tests.builders import (
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
    is_sound,
    person,
    revoking,
    source,
    suspending,
)


def export(store, path, **options):
    export_store(store, OPERATOR, path, **options)
    return path.read_text("utf-8")


def cases(text):
    return {line["id"]: line for line in map(json.loads, text.removesuffix("\n").split("\n")) if line["type"] == "correction"}


def working(store):
    """A store with an open case, a closed one, and one about two sources."""
    given(store, accepted("C1"), accepted("C2", on="C1"), accepted("C3", on="C1"), artifact("R1", on=["C2", "C3"], deliveries=[delivered()]))
    given(store, source("S9", owner="ben"), evidence("E9", "S9"))
    first = open_correction(store, "ana", TENANT, "The office has moved", sources=["S1"], cause="A letter: “moved”", owner="ben")["correction"]
    carry_out(store, suspending("S1"))
    bring(store, evidence("E2", "S1", "Another text.\n", version=2), by="bot")
    carry_out(store, revoking("S1"))
    bring(store, claim("C1b", "y", subject="subject-C1", evidence=[{"evidence": "E9"}]), by="bot")
    decide(store, "C1b", replaces="C1")
    carry_out(store, revoking("C2"))
    waive(store, "ana", TENANT, first, "record", "C3", "nobody uses it")
    second = open_correction(store, "carl", TENANT, "A false alarm", sources=["S9", "S1"])["correction"]
    for step in ("stop", "compare", "commit"):
        waive(store, "carl", TENANT, second, "step", step, "it was right")
    close_correction(store, "carl", TENANT, second, "It was right all along")
    return first, second


def test_cases_survive_export_and_import_byte_for_byte(desk, another_store, tmp_path):
    first, second = working(desk)
    text = export(desk, tmp_path / "one.jsonl")
    other = another_store()
    result = import_files(other, OPERATOR, [tmp_path / "one.jsonl"], reviewed=True)

    assert result["rejected"] == []
    assert export(other, tmp_path / "two.jsonl") == text
    assert set(cases(text)) == {first, second}
    assert cases(text)[first]["fell"] == [
        {"record": "C1", "settled": "by hand"}, {"record": "C2", "settled": "by hand"}, {"record": "C3", "settled": "open"}, {"record": "R1", "settled": "open"},
    ]  # fmt: skip
    assert is_sound(other)


def test_a_case_that_came_by_import_says_the_same_and_goes_on(desk, another_store, tmp_path):
    first, _ = working(desk)
    export(desk, tmp_path / "one.jsonl")
    other = another_store()
    import_files(other, OPERATOR, [tmp_path / "one.jsonl"], reviewed=True)

    here, there = (view_correction(store, "ana", TENANT, first) for store in (desk, other))
    assert there.row.bar == here.row.bar
    assert [(event.action, event.by, event.at, event.reason) for event in there.events] == [(event.action, event.by, event.at, event.reason) for event in here.events]
    assert [(one.kind, one.about, one.reason) for one in there.waivers] == [("record", "C3", "nobody uses it")]
    assert list_stale(other, "ana", correction=first).total == 2
    carry_out(other, revoking("C3"))
    assert view_correction(other, "ana", TENANT, first).row.bar.by_hand == 3
    assert [one.id for one in list_open_corrections(other, "ana", TENANT, ["S1"])[0] if one.joined] == [first]


def test_the_same_case_again_changes_nothing_and_another_of_that_id_is_refused(desk, tmp_path):
    first, _ = working(desk)
    text = export(desk, tmp_path / "one.jsonl")
    result = import_files(desk, OPERATOR, [tmp_path / "one.jsonl"], reviewed=True)
    assert result["rejected"] == []

    changed = {**cases(text)[first], "title": "Another title"}
    assert [one["code"] for one in bring(desk, changed, reviewed=True)["rejected"]] == ["other_content"]
    assert export(desk, tmp_path / "two.jsonl") == text


def test_lines_that_are_no_case_are_values(desk):
    line = {"type": "correction", "id": "x", "scope": TENANT, "title": "T", "opened_by": "ana", "opened_at": "2026-07-01T09:00:00Z", "sources": ["S1"]}
    wrong = [
        {**line, "colour": "red"}, {**line, "title": ""}, {**line, "closed_by": "ana"}, {**line, "events": [{"step": "dance"}]}, {**line, "fell": [{"record": "C1"}]},
        {**line, "sources": ["S77"]}, {**line, "fell": [{"record": "C77", "settled": "open"}]}, {**line, "waivers": "none"}, {**line, "due_at": "soon"},
        *({**line, name: [one, one]} for name, one in (
            ("waivers", {"kind": "step", "about": "stop", "reason": "r", "by": "ana", "at": "2026-07-01T09:00:00Z"}), ("fell", {"record": "C1", "settled": "open"}), ("sources", "S1"),
        )),
    ]  # fmt: skip
    found = bring(desk, *wrong, reviewed=True)["rejected"]

    assert [one["code"] for one in found] == ["unknown_field", "bad_value", "bad_value", "bad_value", "bad_value", "missing_parent", "missing_parent", "bad_value", "bad_value", "bad_value", "bad_value", "bad_value"]


def test_cases_come_in_only_for_who_administers_every_scope_of_them(desk):
    line = {"type": "correction", "id": "x", "scope": TENANT, "title": "T", "opened_by": "ana", "opened_at": "2026-07-01T09:00:00Z", "sources": ["S1"]}
    assert [one["code"] for one in bring(desk, line, by="ana")["rejected"]] == ["not_allowed"]
    given(desk, person("eve", "admin", "acme/one"))
    assert [one["code"] for one in bring(desk, {**line, "scope": "acme/one"}, by="eve", reviewed=True)["rejected"]] == ["not_allowed"]


def test_a_scope_exported_alone_has_the_cases_within_it_and_names_nothing_outside(desk, tmp_path):
    given(desk, source("S2", "acme/one"), evidence("E2", "S2"), accepted("D1", evidence=[{"evidence": "E2"}], scope="acme/one"), accepted("D3", on="D1", scope="acme/two"))
    inside = open_correction(desk, "ana", TENANT, "One", sources=["S2"])["correction"]
    open_correction(desk, "ana", TENANT, "Both", sources=["S2", "S1"])
    carry_out(desk, revoking("S2"))

    text = export(desk, tmp_path / "one.jsonl", scope="acme/one")
    assert set(cases(text)) == {inside}
    assert "D3" not in text
