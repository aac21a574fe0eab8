"""Writing a store out and in again changes nothing (section 8); cells of a spreadsheet run nothing (T15)."""

import csv
import json
from pathlib import Path

import pytest
import sqlalchemy as sa

from store import (
    OPERATOR,
    Question,
    Refusal,
    amend,
    export_store,
    import_files,
    list_queue,
    make_backup,
    open_store,
    read_claims,
    reject,
    renew,
    reopen,
    show_record,
)
from store.cli import main
from tests.builders import (
    CAST,
    GROUND,
    MINUTE,
    TENANT,
    accepted,
    artifact,
    ask,
    bring,
    carry_out,
    claim,
    conflicts,
    decide,
    delivered,
    evidence,
    given,
    is_sound,
    passage,
    person,
    predicate,
    preview,
    refused,
    reinstating,
    resolving,
    revoking,
    source,
    superseding,
    suspending,
)

SAMPLE = Path(__file__).parents[2] / "sample_data" / "bundle.jsonl"


def export(store, path, **options):
    lines = export_store(store, OPERATOR, path, **options)["lines"]
    text = path.read_text("utf-8")
    assert lines == text.count("\n") or options.get("form") == "csv"
    return text


def comparable(shown):
    """A record without what section 8 lets differ: version, history, served, event numbers and recording times."""
    return {name: value for name, value in shown.items() if name not in ("version", "history", "served")}


def lines_of(text):
    """The lines of a bundle; other characters that end lines, such as U+2028, may stand inside them."""
    return text.removesuffix("\n").split("\n")


def questions(text):
    for line in map(json.loads, lines_of(text)):
        if line["type"] == "claim" and "subject" in line:
            yield Question(line["scope"], line["subject"], line["predicate"], line["qualifiers"])


def without_versions(answer):
    return json.loads(json.dumps(answer), object_hook=lambda one: {name: value for name, value in one.items() if name != "version"})


def whole_queue(store, queue):
    found = list_queue(store, OPERATOR, queue, limit=10_000)
    assert found["next"] is None
    for item in found["items"]:
        item.pop("opened_at", None)
    return found


def assert_same_store(one, other, tmp_path):
    """Export → import → export is byte-identical; read and queues are equal, and so is show but for what may differ."""
    first = export(one, tmp_path / "one.jsonl")
    result = import_files(other, OPERATOR, [tmp_path / "one.jsonl"], reviewed=True)
    assert result["rejected"] == []
    second = export(other, tmp_path / "two.jsonl")
    assert lines_of(second) == lines_of(first)
    assert second == first
    assert is_sound(other)
    for queue in ("candidates", "conflicts", "stale", "expiring"):
        assert whole_queue(other, queue) == whole_queue(one, queue)
    for line in map(json.loads, lines_of(first)):
        if line["type"] in ("evidence", "claim", "artifact") and line["status"] not in ("deleted", "deletion_pending"):
            tenants = {line["scope"].split("/")[0]} if "scope" in line else {TENANT}
            for tenant in tenants:
                shown = [comparable(show_record(store, OPERATOR, tenant, line["id"])) for store in (one, other)]
                assert shown[0] == shown[1]
    for question in questions(first):
        answers = [without_versions(read_claims(store, OPERATOR, question)) for store in (one, other)]
        assert answers[0] == answers[1]


def test_a_store_with_everything_survives_export_and_import(desk, another_store, tmp_path):
    given(
        desk, predicate("nav", series=True, value_type="number"), predicate("held_by", cardinality="many", order="set", compare="set", about="person"),
        {"type": "policy", "scope": "acme", "entity_confidence": 0.7, "sensitivities": ["sensitive"], "authority_ranks": ["law"], "house_rules": [{"predicate": "nav", "verdict": "keep", "prefer": {"authority": ["law"]}, "because": "the law goes first"}], "usual_terms": {"*": {"owner": "ana"}}},
        {**evidence("E2", text=None, version=2), "content_base64": "AAEC/w=="}, evidence("E3", text="line\r\nwith\tcontrols \u2028 👩‍🚀", version=3, status="superseded", superseded_by="E1"),
        *(claim(f"S-{state}", n, status=state) for n, state in enumerate(["candidate", "reviewed", "stale", "disputed", "superseded", "revoked", "rejected"])),
        claim("ROUTE", status="rejected", route="session_only"), claim("GONE", status="superseded", superseded_by="S-reviewed"), accepted("A", 1, subject="s"), accepted("B", 2, subject="s"),
        artifact("R1", "A", deliveries=[delivered("kim"), delivered("lee", at="2026-06-01T10:00:00")]), artifact("R2", "A", edition=2, edition_of="R1", impact="high", status="candidate"),
        claim("TIMES", observed_at="2026-01-01T08:00:00", valid_from="2026-01-01", valid_to="2026-12-31T23:59:59.000001Z", expires_at="2027-01-01T00:00:00+02:00"),
        claim("FULL", {"a": [1, 2.5, None, True, "年报"], "n": 10**30}, claim_type="preference", conditions="c", authority="a", speaker="s", confirmed_by="x", sensitivity="sensitive", on_conflict="ask", revalidate_on=["source_changed"], task="t", statement="=1+1", impact="high", purposes=["billing"]),
        {"type": "read", "task": "t", "by": "bot", "at": "2026-01-01T00:00:00Z", "records": ["A", "E1"]},
    )  # fmt: skip

    assert_same_store(desk, another_store(), tmp_path)


def test_a_store_that_went_through_every_action_survives_too(desk, another_store, tmp_path, clock):
    given(
        desk, person("dora", "reviewer", "acme/api"), accepted("P"), accepted("Q"), claim("C1", task="t1"), claim("C2"), claim("C3"), claim("C4", impact="high"), claim("C5", impact="high"),
        claim("C6"), accepted("OLD", 1, subject="s", valid_from="2026-01-01"), claim("NEW", 2, subject="s"), accepted("OLD2", 1, subject="s2", valid_from="2026-01-01"), claim("NEW2", 2, subject="s2"),
        accepted("OLD3", 1, subject="s3"), claim("NEW3", 2, subject="s3"), accepted("U", 1, subject="u"), accepted("V", 2, subject="u"), accepted("W", on="U"), accepted("G", 1, subject="g"), accepted("H", 2, subject="g", evidence=[passage("Line one")]),
        accepted("I", 1, subject="i"), accepted("J", 2, subject="i"), accepted("K", 1, subject="k"), accepted("L", 2, subject="k"), accepted("M", 1, subject="m"), accepted("N", 2, subject="m"),
        accepted("X"), accepted("XX", on="X"), artifact("R1", "XX", deliveries=[delivered()]), artifact("R2", "XX", owner=None, edition=2, edition_of="R1"), accepted("Y"),
        {"type": "read", "task": "t1", "by": "bot", "at": "2026-01-01T00:00:00Z", "records": ["P", "Q"]},
    )  # fmt: skip
    decide(desk, "C1", terms={"used": ["P"], "not_used": ["Q"], "owner": "ben", "purposes": ["billing"], "scope": "acme/api"})
    reject(desk, "ana", TENANT, "C2", "not_durable", "no")
    amend(desk, "carl", TENANT, "C3", {"value": {"new": 1}, "derived_from": ["P"], "valid_from": "2026-02-01"})
    decide(desk, "C4", "ana", terms={"owner": "carl"})
    decide(desk, "C4", "ben")
    decide(desk, "C5", "ana")
    decide(desk, "C6")
    reopen(desk, "ana", TENANT, "C6")
    renew(desk, "ana", TENANT, "P", review_at=clock.at + 10 * MINUTE)
    decide(desk, "NEW", replaces="OLD")
    decide(desk, "NEW2", replaces="OLD2", replaces_from=clock.at - MINUTE)
    decide(desk, "NEW3", open_conflict=True)
    named = {tuple(one["claims"]): one["id"] for one in conflicts(desk)}
    carry_out(desk, resolving(named["U", "V"], "keep", keep="V", other={"U": "revoked"}))
    carry_out(desk, resolving(named["G", "H"], "same", keep="G"))
    carry_out(desk, resolving(named["I", "J"], "split", narrow={"I": {"valid_to": "2026-06-01"}, "J": {"valid_from": "2026-06-01"}}))
    carry_out(desk, resolving(named["K", "L"], "different", subject={"L": "other"}))
    carry_out(desk, resolving(named["M", "N"], "unclear"), reason="Which?")
    carry_out(desk, resolving(named["NEW3", "OLD3"], "none"))
    carry_out(desk, suspending("X"), waived={"R2": "draft"})
    carry_out(desk, reinstating("X"))
    carry_out(desk, suspending("Y"))
    carry_out(desk, revoking("Q"))
    given(desk, claim("AGAIN", 1, subject="u"), accepted("BACK", 5, subject="s3"), accepted("BACK2", 6, subject="s3"))
    ask(desk, "s", by="bot", task="t9")
    assert is_sound(desk)

    assert_same_store(desk, another_store(), tmp_path)


def test_a_superseded_artifact_keeps_its_successor(desk, another_store, tmp_path):
    given(desk, accepted("A"), artifact("R1", "A"), artifact("R2", "A", edition=2, edition_of="R1"))
    carry_out(desk, superseding("R1", "R2"))

    assert_same_store(desk, another_store(), tmp_path)


@pytest.mark.skipif(not SAMPLE.exists(), reason=f"{SAMPLE} is not there")
def test_the_sample_store_survives_export_and_import(store, another_store, tmp_path):
    assert import_files(store, OPERATOR, [SAMPLE], reviewed=True)["rejected"] == []

    assert_same_store(store, another_store(), tmp_path)


def test_several_tenants_survive_export_and_import(store, another_store, tmp_path):
    given(store, *CAST, *GROUND, accepted("A"), person("zoe", "admin", "zeta"), source("S1", "zeta"), accepted("A2", scope="zeta", evidence=[]))
    other = another_store()

    first = export(store, tmp_path / "one.jsonl")
    assert import_files(other, OPERATOR, [tmp_path / "one.jsonl"], reviewed=True)["rejected"] == []
    assert export(other, tmp_path / "two.jsonl") == first


def test_importing_an_export_into_its_own_store_changes_nothing(desk, tmp_path):
    given(desk, accepted("A", 1, subject="s"), accepted("B", 2, subject="s"), claim("C"))
    amend(desk, "carl", TENANT, "C", {"value": "y"})
    text = export(desk, tmp_path / "one.jsonl")

    result = import_files(desk, OPERATOR, [tmp_path / "one.jsonl"], reviewed=True)
    assert (result["rejected"], sum(result["imported"].values())) == ([], 0)
    assert export(desk, tmp_path / "two.jsonl") == text


def test_a_scope_can_be_exported_alone(desk, tmp_path):
    given(desk, accepted("A"), accepted("B", scope="acme/api"), person("dora", "admin", "acme/api"))

    export_store(desk, "dora", tmp_path / "x.jsonl", scope="acme/api")
    ids = [json.loads(line)["id"] for line in (tmp_path / "x.jsonl").read_text().splitlines()]
    assert ids == ["dora", "B"]


def test_exporting_takes_an_admin_and_leaves_no_file_behind(desk, tmp_path):
    for who in ("ana", "bot", "rita", "olga"):
        for options in ({}, {"scope": "acme"}, {"form": "csv"}):
            with refused("not_allowed"):
                export_store(desk, who, tmp_path / "x.jsonl", **options)
    given(desk, person("dora", "admin", "acme/api"))
    with refused("not_allowed"):
        export_store(desk, "dora", tmp_path / "x.jsonl", scope="acme")
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_cannot_be_written_is_a_refusal(desk, tmp_path):
    with refused("busy"):
        export_store(desk, OPERATOR, tmp_path / "nowhere" / "x.jsonl")
    with refused("bad_value"):
        export_store(desk, OPERATOR, tmp_path / "x.xml", form="xml")


HOSTILE = ["=HYPERLINK(1)", "+1", "-1+cmd", "@SUM", "\t=1", "\r=1", " =1", "＝1", ";=1", '"=1', "a\n=1", "\u2003=1", "\x0b=1"]


def test_no_cell_of_a_csv_starts_with_what_a_spreadsheet_runs(desk, tmp_path):
    given(desk, *(accepted(f"{text}{n}", text, subject=text, statement=text, owner=text, authority=text, qualifiers={text: text}) for n, text in enumerate(HOSTILE)))
    given(desk, *(artifact(f"R{text}", f"{text}{n}", title=text) for n, text in enumerate(HOSTILE)))

    text = export(desk, tmp_path / "x.csv", form="csv")
    with (tmp_path / "x.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file))
    assert len(rows) == 1 + 1 + 2 * len(HOSTILE)
    assert {len(row) for row in rows} == {len(rows[0])}
    triggers = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
    wrong = [cell for row in rows for cell in row if cell.startswith(triggers) or cell.strip().startswith(triggers)]
    assert wrong == []
    assert text.startswith("\ufeff")


def test_provenance_names_every_record_and_what_it_rests_on(desk, tmp_path):
    given(desk, accepted("A"), artifact("R1", "A"))

    found = json.loads(export(desk, tmp_path / "x.json", form="prov-json"))
    assert {"record:A", "record:R1", "record:E1"} <= set(found["entity"])
    pairs = {(one["prov:generatedEntity"], one["prov:usedEntity"]) for one in found["wasDerivedFrom"].values()}
    assert pairs == {("record:A", "record:E1"), ("record:R1", "record:A"), ("record:E1", "source:S1")}


def test_an_unclosed_preview_is_no_part_of_an_export(desk, tmp_path):
    given(desk, accepted("A"))
    before = export(desk, tmp_path / "one.jsonl")
    preview(desk, revoking("A"))
    bring(desk, b"bad line")

    assert export(desk, tmp_path / "two.jsonl") == before


@pytest.mark.parametrize("end", ["", "-wal", "-shm", "-journal", ".ledger", ".ledger-journal"])
def test_no_file_is_written_over_the_store_or_where_it_would_be_taken_for_a_part_of_it(sqlite_files, capsys, end):
    with sqlite_files.new("desk") as url:
        store = open_store(url)
        path = Path(sa.engine.make_url(url).database + end)
        linked = path.with_name("linked")
        linked.symlink_to(path)
        before = path.read_bytes() if path.exists() else None

        for write in (
            lambda: export_store(store, OPERATOR, path), lambda: export_store(store, OPERATOR, path.parent / "." / path.name),
            lambda: make_backup(store, OPERATOR, path), lambda: make_backup(store, OPERATOR, linked),
        ):  # fmt: skip
            with pytest.raises(Refusal) as refused:
                write()
            assert refused.value.code == "bad_value"
        for words in (["export", "-o", str(path)], ["messages", "eml", "m1", "-o", str(path)], *([["lab", "--output", str(path)]] if "ledger" not in end else [])):
            assert main(["--db", url, "--json", *words]) == 1
            assert json.loads(capsys.readouterr().out)["error"] in ("bad_value", "not_found")
        linked.unlink()
        assert (path.read_bytes() if path.exists() else None) == before
        open_store(url).close()
        assert show_record(store, OPERATOR, TENANT, "E1")["status"] == "ACCEPTED"
        store.close()


def test_a_file_that_cannot_be_written_is_refused_in_a_sentence(tmp_path, capsys):
    assert main(["--json", "lab", "--output", str(tmp_path / "nowhere" / "lab.json")]) == 1
    assert "Traceback" not in capsys.readouterr().err
