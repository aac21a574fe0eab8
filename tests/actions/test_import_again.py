"""Importing again: files, known lines, proposals decided before, dry runs and operation ids (R9, R29 to R32)."""

import json

import pytest

from store import OPERATOR, import_files, list_queue, reject
from tests.builders import (
    ARRIVES,
    TENANT,
    TEXT,
    accepted,
    artifact,
    bring,
    carry_out,
    claim,
    conflicts,
    decide,
    dump,
    encode,
    evidence,
    given,
    is_sound,
    passage,
    person,
    predicate,
    refused,
    rejections,
    revoking,
    show,
    sides,
    source,
)

# --- files ---------------------------------------------------------------------------------------------------------


def with_file(name):
    return {"type": "evidence", "id": "F1", "source": "S1", "version": 2, "captured_at": "2026-01-05T09:00:00Z", "media_type": "text/plain", "content_file": name}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "secret.txt").write_text("secret")
    inside = tmp_path / "bundle"
    (inside / "sub").mkdir(parents=True)
    (inside / "sub" / "a.txt").write_text(TEXT)
    (inside / "link.txt").symlink_to(tmp_path / "secret.txt")
    return inside


def write_bundle(folder, *lines):
    path = folder / "bundle.jsonl"
    path.write_bytes(b"\n".join(encode(lines)) + b"\n")
    return path


@pytest.mark.parametrize(
    "name",
    ["../secret.txt", "sub/../../secret.txt", "/etc/passwd", "link.txt", "nothing.txt", "sub", ".", "", "..", "file:///etc/passwd", "sub/a.txt\u0000", "x" * 5000],
    ids=lambda name: ascii(name)[:20],
)
def test_a_content_file_outside_the_bundles_folder_is_refused(desk, folder, name):
    result = import_files(desk, OPERATOR, [write_bundle(folder, with_file(name), claim("C1"))])

    assert [(one["line"], one["code"]) for one in result["rejected"]] == [(1, "bad_value")]
    assert result["imported"]["claim"] == 1
    assert "secret" not in json.dumps(result).replace("secret.txt", "")


def test_a_content_file_below_it_is_read(desk, folder):
    result = import_files(desk, OPERATOR, [write_bundle(folder, with_file("sub/a.txt"), claim("C1", evidence=[passage(evidence="F1")]))])

    assert result["rejected"] == []
    decide(desk, "C1")


def test_lines_are_numbered_through_all_files_and_empty_ones_count(desk, tmp_path):
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    one.write_bytes(encode([claim("C1")])[0] + b"\r\n\r\n")
    two.write_bytes(b"bad\n" + encode([claim("C2")])[0])

    result = import_files(desk, OPERATOR, [one, two])
    assert [(error["line"], error["code"]) for error in result["rejected"]] == [(3, "not_json")]
    assert result["imported"]["claim"] == 2


def test_a_file_that_is_not_there_is_a_refusal(desk, tmp_path):
    with refused("not_found"):
        import_files(desk, OPERATOR, [tmp_path / "no.jsonl"])


# --- known lines ---------------------------------------------------------------------------------------------------


def test_identical_lines_are_unchanged_and_make_no_new_version(desk):
    lines = [claim("C1"), accepted("C2"), artifact("R1", "C2"), predicate("p"), {"type": "policy", "scope": "acme", "entity_confidence": 0.5}]
    given(desk, *lines)
    before = {id: show(desk, id) for id in ("C1", "C2", "R1")}

    result = given(desk, *lines, source(), evidence())
    assert (result["unchanged"], sum(result["imported"].values())) == (7, 0)
    assert {id: show(desk, id) for id in before} == before


@pytest.mark.parametrize("state", ["rejected", "revoked", "reviewed"])
def test_the_identical_line_of_a_known_record_is_reported_with_its_status(desk, state):
    given(desk, claim("C1", status=state))

    result = bring(desk, claim("C1"))
    assert result["unchanged"] == 1
    assert result["rejected"] == []
    assert ARRIVES[state] in json.dumps(result)


def test_the_line_as_first_given_is_known_again_after_an_amendment(desk):
    from store import amend

    given(desk, claim("C1"))
    amend(desk, "carl", TENANT, "C1", {"value": "y"})

    assert bring(desk, claim("C1"))["unchanged"] == 1
    assert bring(desk, claim("C1", "y"))["unchanged"] == 1
    assert show(desk, "C1")["record"]["value"] == "y"


@pytest.mark.parametrize("later", [claim("C1", "other"), claim("C1", owner="ben"), claim("C1", on="E1"), artifact("C1", "E1"), evidence("C1", version=3)], ids=lambda one: one["type"])
def test_the_same_id_with_other_content_is_an_error_of_the_later_line(desk, later):
    result = bring(desk, claim("C1"), later, claim("C2"))
    assert rejections(result) == [(2, "C1", "other_content")]
    assert result["imported"]["claim"] == 2

    again = bring(desk, later)
    assert rejections(again) == [(1, "C1", "other_content")]
    assert show(desk, "C1")["record"]["value"] == "x"


def test_a_source_or_predicate_declared_otherwise_is_an_error(desk):
    given(desk, predicate("p"))

    result = bring(desk, source("S1", title="Other"), predicate("p", cardinality="many"))
    assert [one["code"] for one in result["rejected"]] == ["other_content", "other_content"]


def test_the_same_id_in_another_tenant_is_another_record(desk):
    given(desk, person("zoe", "reviewer", "zeta"), source("S1", "zeta"), claim("C1"), claim("C1", "y", scope="zeta", evidence=[]))

    assert show(desk, "C1")["record"]["value"] == "x"
    assert show(desk, "C1", tenant="zeta")["record"]["value"] == "y"


def test_a_parent_of_another_tenant_is_missing(desk):
    given(desk, claim("Z1", scope="zeta", evidence=[]))

    assert rejections(bring(desk, claim("C1", on="Z1"))) == [(1, "C1", "missing_parent")]


# --- R9: proposed again --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("state", ["revoked", "rejected", "superseded"])
def test_a_claim_proposed_again_arrives_marked_as_decided_before(desk, state):
    given(desk, claim("C1", 1, subject="s", status=state))

    bring(desk, claim("C2", 1.0, subject="s"), claim("C3", 2, subject="s"), claim("C4", 1, subject="other"), by="bot")
    assert show(desk, "C2")["status"] == "CANDIDATE"
    assert show(desk, "C2")["decided_before"] == [{"id": "C1", "status": state.upper()}]
    assert show(desk, "C3")["decided_before"] == show(desk, "C4")["decided_before"] == []


def test_it_is_marked_after_decisions_made_here_too(desk):
    given(desk, claim("C1", subject="s"), accepted("D1", "d", subject="t"))
    reject(desk, "ana", TENANT, "C1", "not_durable", "no")
    carry_out(desk, revoking("D1"))

    bring(desk, claim("C2", subject="s"), claim("D2", "d", subject="t"), by="bot")
    assert show(desk, "C2")["decided_before"] == [{"id": "C1", "status": "REJECTED"}]
    assert show(desk, "D2")["decided_before"] == [{"id": "D1", "status": "REVOKED"}]


# --- dry run -------------------------------------------------------------------------------------------------------


def test_a_dry_run_says_what_would_happen_and_writes_nothing(desk, databases, database_url, clock):
    lines = [
        claim("C1"), accepted("X1", "a", subject="s"), accepted("X2", "b", subject="s"), claim("BAD", on="NOTHING"), b"not json", predicate("p"), person("eve"),
        {"type": "policy", "scope": "acme", "entity_confidence": 0.5}, source("S9", "zeta"), {"type": "read", "task": "t", "by": "bot", "at": "2026-01-01T00:00:00Z", "records": ["E1"]},
        {"type": "person", "id": "zoe", "name": "Zoe", "roles": [{"role": "reader", "scope": "zeta"}]},
    ]  # fmt: skip
    before = dump(desk)

    promised = bring(desk, *lines, reviewed=True, dry_run=True)
    assert dump(desk) == before
    assert promised["conflicts_opened"] == 1
    assert bring(desk, *lines, reviewed=True) == promised
    assert dump(desk) != before


# --- R30: operation ids --------------------------------------------------------------------------------------------


def test_an_import_repeated_under_its_operation_id_returns_the_first_result(desk):
    lines = [claim("C1"), claim("C2", on="NOTHING"), b"bad"]
    first = bring(desk, *lines, operation="op")

    assert bring(desk, *lines, operation="op") == first


def test_other_lines_under_a_used_operation_id_are_refused_not_swallowed(desk):
    bring(desk, claim("C1"), operation="op")

    with refused("operation_reused"):
        bring(desk, claim("C2"), operation="op")


def test_another_file_of_the_same_name_under_a_used_operation_id_is_refused(desk, tmp_path):
    path = tmp_path / "bundle.jsonl"
    write_bundle(tmp_path, claim("C1"))
    import_files(desk, OPERATOR, [path], operation="op")
    write_bundle(tmp_path, claim("C2"))

    with refused("operation_reused"):
        import_files(desk, OPERATOR, [path], operation="op")


def test_somebody_elses_operation_id_is_refused(desk):
    bring(desk, claim("C1"), operation="op", by="bot")

    with refused("operation_reused"):
        bring(desk, claim("C1"), operation="op", by="ana")


# --- events and times ----------------------------------------------------------------------------------------------


def test_an_import_is_one_event_with_one_row_per_record(desk):
    given(desk, accepted("C1"), accepted("C2", on="C1"), artifact("R1", "C2"))

    rows = {show(desk, id)["history"][-1]["seq"] for id in ("C1", "C2", "R1")}
    assert len(rows) == 1
    assert [(one["from"], one["to"], one["action"]) for one in show(desk, "C1")["history"]] == [(None, "ACCEPTED", "import")]


def test_times_without_offset_are_taken_as_utc_and_marked(desk):
    result = bring(desk, claim("C1", observed_at="2026-01-01T08:00:00", valid_from="2026-01-01"), claim("C2", observed_at="2026-01-01T08:00:00+02:00"))

    assert result["assumed_utc"] == [1]
    assert show(desk, "C2")["record"]["observed_at"] == "2026-01-01T06:00:00Z"
    assert show(desk, "C1")["record"]["valid_from"] == "2026-01-01T00:00:00Z"


def test_conflicts_that_an_import_opens_are_counted(desk):
    result = given(desk, accepted("A", 1, subject="s"), accepted("B", 2, subject="s"), accepted("C", 3, subject="t"), accepted("D", 3, subject="t"))

    assert result["conflicts_opened"] == 1
    assert sides(desk) == [["A", "B"]]


def test_a_predicate_declared_later_changes_what_counts_as_the_same(desk):
    given(desk, accepted("A", "1.0", subject="s", predicate="n"), accepted("B", "1", subject="s", predicate="n"), accepted("C", "x", subject="s", predicate="m"), accepted("D", "y", subject="s", predicate="m"))
    assert len(conflicts(desk)) == 2

    given(desk, predicate("n", value_type="number"), predicate("m", cardinality="many"))
    assert conflicts(desk) == []
    assert is_sound(desk)


def test_the_record_printed_in_the_third_article_is_taken_as_it_stands(desk):
    line = {
        "claim_id": "claim-17", "subject": "fund-17", "predicate": "reported_nav", "value": {"amount": 184000000, "currency": "USD"}, "valid_from": "2026-06-30",
        "source_uri": "s3://x/y.pdf", "source_span": {"page": 12, "table": "NAV"}, "authority": "fund_manager_report", "status": "reviewed", "owner": "ana",
    }  # fmt: skip

    assert bring(desk, line, scope="acme/funds")["rejected"] == []
    assert show(desk, "claim-17")["kind"] == "claim"


def test_what_waits_is_what_came(desk):
    given(desk, *(claim(f"C{n}") for n in range(5)))

    assert list_queue(desk, "ana", "candidates")["total"] == 5
