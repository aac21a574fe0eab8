"""Importing: what a line becomes (R1), what is refused line by line (R7), proposed again (R9), who may (R29-R32)."""

import json
import math

import pytest

from store import OPERATOR, import_files
from store.domain.bundle import LONGEST_LINE
from tests.builders import (
    ARRIVES,
    CAST,
    accepted,
    artifact,
    bring,
    claim,
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
    show,
    source,
    status,
    statuses,
)

CODES = {"not_json", "bad_value", "unknown_field", "missing_parent", "other_content", "cycle", "not_allowed", "erased_before"}


# --- R1 ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wanted", ["candidate", "reviewed", "stale", "disputed", "superseded", "revoked", "rejected"])
def test_a_proposal_becomes_a_candidate_whatever_its_writer_claims(desk, wanted):
    bring(desk, claim("C1", status=wanted), artifact("R1", "C1", status=wanted), by="bot")

    assert statuses(desk, "C1", "R1") == {"C1": "CANDIDATE", "R1": "CANDIDATE"}


@pytest.mark.parametrize("wanted", ARRIVES)
@pytest.mark.parametrize("make", [claim, artifact], ids=["claim", "artifact"])
def test_a_reviewed_import_brings_records_in_with_their_status(desk, make, wanted):
    given(desk, make("X", on="E1", status=wanted))

    assert status(desk, "X") == ARRIVES[wanted]
    assert is_sound(desk)


@pytest.mark.parametrize("parent", ["candidate", "stale", "disputed", "superseded", "revoked", "rejected"])
def test_a_reviewed_record_on_a_parent_that_is_not_accepted_arrives_stale(desk, parent):
    given(desk, accepted("LEAF", on="MID"), accepted("MID", on="P"), claim("P", status=parent), accepted("FREE"))

    assert statuses(desk, "MID", "LEAF", "FREE") == {"MID": "STALE", "LEAF": "STALE", "FREE": "ACCEPTED"}


def test_a_reviewed_import_needs_admin_and_writes_nothing_without(desk):
    before = dump(desk, but={"refusal"})

    for who in ("ana", "bot", "rita", "olga"):
        with refused("not_allowed"):
            bring(desk, accepted("C1"), by=who, reviewed=True)
    assert dump(desk, but={"refusal"}) == before


def test_an_admin_of_one_scope_brings_nothing_reviewed_into_another(desk):
    given(desk, person("dora", "admin", "acme/api", ("contributor", "acme")))

    bring(desk, accepted("C1", scope="acme/api", evidence=[passage()]), accepted("C2", scope="acme/funds"), by="dora", reviewed=True)
    assert status(desk, "C1") == "ACCEPTED"
    assert status(desk, "C2") == "CANDIDATE"


def test_evidence_is_accepted_as_it_is_captured(desk):
    bring(desk, source("S2"), evidence("E2", "S2"), by="bot")

    assert status(desk, "E2") == "ACCEPTED"


# --- who may -------------------------------------------------------------------------------------------------------


def test_a_reader_adds_nothing(desk):
    result = bring(desk, source("S2"), evidence("E2"), claim("C1"), artifact("R1", "E1"), by="rita")

    assert [one["code"] for one in result["rejected"]] == ["not_allowed"] * 4
    assert sum(result["imported"].values()) == 0


def test_people_predicates_and_policies_take_an_admin_of_that_scope(desk):
    lines = [person("eve", "reader"), predicate("p"), {"type": "policy", "scope": "acme", "entity_confidence": 0.5}]

    for who in ("ana", "bot"):
        assert [one["code"] for one in bring(desk, *lines, by=who)["rejected"]] == ["not_allowed"] * 3
    assert bring(desk, *lines, by="adam")["rejected"] == []


def test_nobody_grants_more_than_they_hold(desk):
    given(desk, person("dora", "admin", "acme/api"))

    result = bring(desk, person("eve", "reader", "acme/api"), person("fay", "reviewer", "acme"), person("gil", "admin", "zeta"), by="dora")
    assert [(one["id"], one["code"]) for one in result["rejected"]] == [("fay", "not_allowed"), ("gil", "not_allowed")]


def test_an_unknown_person_is_refused(desk):
    with refused("unknown_person", "nobody"):
        bring(desk, claim("C1"), by="nobody")


def test_somebody_without_a_role_in_a_tenant_leaves_no_trace_in_it(store):
    given(store, *CAST, source(), evidence())
    given(store, person("zoe", "contributor", "zeta"), source("S9", "zeta"))
    before = dump(store, but={"refusal"})

    result = bring(store, claim("C1"), by="zoe")
    assert [one["code"] for one in result["rejected"]] == ["not_allowed"]
    assert dump(store, but={"refusal"}) == before


def test_another_tenants_source_of_the_same_name_changes_nothing(store, another_store):
    alone, together = store, another_store()
    for one in (alone, together):
        given(one, *CAST, source("S1"))
    given(together, person("zoe", "admin", "zeta"), source("S1", "zeta"))

    results = [bring(one, evidence("E1"), by="bot") for one in (alone, together)]
    assert results[0] == results[1]
    assert results[0]["imported"]["evidence"] == 1


# --- R7: parents ---------------------------------------------------------------------------------------------------


def test_a_missing_parent_is_an_error_of_that_line_and_of_what_rests_on_it(desk):
    result = bring(desk, claim("C1", on="NOTHING"), claim("C2", on="C1"), claim("C3"), claim("C4", evidence=[passage(evidence="E9")]))

    assert sorted(rejections(result)) == [(1, "C1", "missing_parent"), (2, "C2", "missing_parent"), (4, "C4", "missing_parent")]
    assert "NOTHING" in result["rejected"][0]["message"]
    assert result["imported"]["claim"] == 1


def test_the_later_of_two_versions_with_one_number_is_refused_and_what_rests_on_it(desk):
    first, again, other = evidence("S2@1", "S2"), evidence("S2@1b", "S2", text="Other words."), evidence("S2@2", "S2", version=2)
    result = bring(desk, source("S2"), first, again, other, claim("C1", on="S2@1"), claim("C2", on="S2@1b"))

    assert rejections(result) == [(3, "S2@1b", "other_content"), (6, "C2", "missing_parent")]
    assert "S2 has a version 1 already, S2@1. Give this one the next number" in result["rejected"][0]["message"]
    later = bring(desk, evidence("S2@2b", "S2", version=2), {"type": "evidence", "id": "S2@x", "source": "S2", "content": "no number is number 1"}, first, evidence("S2@3", "S2", version=3))
    assert (rejections(later), later["unchanged"], later["imported"]["evidence"]) == ([(1, "S2@2b", "other_content"), (2, "S2@x", "other_content")], 1, 1)
    assert is_sound(desk)


def test_every_line_on_a_cycle_is_refused_and_named(desk):
    result = bring(desk, claim("A", on="C"), claim("B", on="A"), claim("C", on="B"), claim("SELF", on="SELF"), claim("BELOW", on="A"), claim("FREE"))

    codes = {one["id"]: one["code"] for one in result["rejected"]}
    assert codes == {"A": "cycle", "B": "cycle", "C": "cycle", "SELF": "cycle", "BELOW": "missing_parent"}
    ring = next(one["message"] for one in result["rejected"] if one["id"] == "A")
    assert all(name in ring for name in ("A", "B", "C"))
    assert result["imported"]["claim"] == 1


def test_lines_come_in_any_order(store):
    lines = [artifact("R1", "C2"), accepted("C2", on="C1"), accepted("C1"), evidence(), source(), *CAST]

    given(store, *lines)
    assert statuses(store, "E1", "C1", "C2", "R1") == dict.fromkeys(("E1", "C1", "C2", "R1"), "ACCEPTED")


@pytest.mark.parametrize("with_others", [False, True], ids=["alone", "in a file of two tenants"])
def test_evidence_of_an_unknown_source_is_refused_never_lost(desk, with_others):
    others = [source("S8", "acme"), source("S9", "zeta")] if with_others else []

    result = bring(desk, *others, evidence("E9", "NOWHERE"))
    assert rejections(result) == [(len(others) + 1, "E9", "missing_parent")]


def test_a_read_of_unknown_records_is_refused_never_lost(desk):
    result = bring(desk, {"type": "read", "task": "t", "by": "bot", "at": "2026-01-01T00:00:00Z", "records": ["NOWHERE"]})

    assert rejections(result) == [(1, None, "missing_parent")]


def test_a_person_without_roles_is_refused_never_lost(desk):
    result = bring(desk, {"type": "person", "id": "eve", "name": "Eve", "roles": []})

    assert result["rejected"] != []


def test_a_line_that_names_no_scope_takes_the_default_or_is_refused(desk):
    line = {name: value for name, value in claim("C1").items() if name != "scope"}

    assert rejections(bring(desk, line)) == [(1, "C1", "bad_value")]
    assert bring(desk, line, scope="acme/api")["rejected"] == []
    assert show(desk, "C1")["record"]["scope"] == "acme/api"


# --- bad lines are values ------------------------------------------------------------------------------------------


def line(**fields):
    return json.dumps({**claim("BAD"), **fields}).encode()


def raw(text):
    return line(statement="@@").replace(b'"@@"', text if isinstance(text, bytes) else text.encode())


BAD_LINES = {
    "half a surrogate pair": (raw(r'"\ud800"'), {"bad_value", "not_json"}),
    "half a surrogate pair in a key": (line(qualifiers={"\udc00": 1}), {"bad_value", "not_json"}),
    "a surrogate pair the wrong way round": (raw(r'"\udc00\ud83d"'), {"bad_value", "not_json"}),
    "half a surrogate pair encoded": (raw(b'"\xed\xa0\x80"'), {"not_json"}),
    "NUL escaped": (raw(r'"a\u0000b"'), {"bad_value", "not_json"}),
    "NUL as it is": (raw(b'"a\x00b"'), {"bad_value", "not_json"}),
    "a line feed as it is": (raw(b'"a\rb"'), {"not_json"}),
    "NaN": (line(value=math.nan), {"bad_value", "not_json"}),
    "Infinity": (line(value=[-math.inf]), {"bad_value", "not_json"}),
    "a number too large for a float": (raw("1e400"), {"bad_value"}),
    "5,000 digits": (line(value=1).replace(b'"value": 1', b'"value": ' + b"9" * 5000), {"bad_value"}),
    "5,000 digits after the point": (line(value=1).replace(b'"value": 1', b'"value": 0.' + b"9" * 5000), {"bad_value"}),
    "a field twice": (line().replace(b'"value"', b'"subject": "s", "value"', 1), {"not_json", "bad_value"}),
    "a field twice, deep": (line(value="@@").replace(b'"@@"', b'{"a": {"b": 1, "b": 2}}'), {"not_json", "bad_value"}),
    "100,000 levels of lists": (line(value="@@").replace(b'"@@"', b"[" * 100_000 + b"]" * 100_000), {"bad_value", "not_json"}),
    "100,000 levels of objects": (line(value="@@").replace(b'"@@"', b'{"a":' * 100_000 + b"1" + b"}" * 100_000), {"bad_value", "not_json"}),
    "100,000 brackets and no end": (b"[" * 100_000, {"bad_value", "not_json"}),
    "not UTF-8": (raw(b'"\xff\xfe"'), {"not_json"}),
    "Latin-1": (raw('"é"'.encode("latin-1")), {"not_json"}),
    "UTF-16": (line().decode().encode("utf-16"), {"not_json"}),
    "no JSON": (b"hello", {"not_json"}),
    "half a line": (line()[:-5], {"not_json"}),
    "two objects": (line() + line(), {"not_json"}),
    "a list": (b"[1, 2]", {"not_json"}),
    "a text": (b'"C1"', {"not_json"}),
    "null": (b"null", {"not_json"}),
    "single quotes": (b"{'type': 'claim'}", {"not_json"}),
    "a comment": (line() + b" // fine", {"not_json"}),
    "an unknown field": (line(colour="red"), {"unknown_field"}),
    "an unknown field of a binding": (line(evidence=[{**passage(), "page": 1}]), {"unknown_field"}),
    "an unknown field of a span": (line(evidence=[{**passage(), "span": {"from": 1, "to": 2}}]), {"unknown_field"}),
    "an unknown type": (line(type="opinion"), {"bad_value"}),
    "a type that is no text": (line(type=["claim"]), {"bad_value"}),
    "an unknown status": (line(status="approved"), {"bad_value"}),
    "an unknown claim type": (line(claim_type="rumour"), {"bad_value"}),
    "an id that is a number": (line(id=7), {"bad_value"}),
    "no id": (line(id=None), {"bad_value"}),
    "an empty id": (line(id=""), {"bad_value"}),
    "an id of 501 characters": (line(id="x" * 501), {"bad_value"}),
    "no value": (json.dumps({k: v for k, v in claim("BAD").items() if k != "value"}).encode(), {"bad_value"}),
    "no subject": (line(subject=None), {"bad_value"}),
    "a subject that is a list": (line(subject=["s"]), {"bad_value"}),
    "qualifiers that are a list": (line(qualifiers=[1]), {"bad_value"}),
    "purposes that are a text": (line(purposes="*"), {"bad_value"}),
    "parents that are a text": (line(derived_from="C0"), {"bad_value"}),
    "evidence that is an object": (line(evidence={}), {"bad_value"}),
    "a binding that is a text": (line(evidence=["E1"]), {"bad_value"}),
    "a span that is a list": (line(evidence=[{"evidence": "E1", "span": [1, 2]}]), {"bad_value"}),
    "a quote that is a number": (line(evidence=[{"evidence": "E1", "quote": 1}]), {"bad_value"}),
    "a confidence of 2": (line(entity_confidence=2), {"bad_value"}),
    "a confidence that is true": (line(entity_confidence=True), {"bad_value"}),
    "an extraction that is a text": (line(extraction="reader"), {"bad_value"}),
    "a time that is none": (line(valid_from="soon"), {"bad_value"}),
    "a time that is a number": (line(observed_at=1719738000), {"bad_value"}),
    "a time before the calendar": (line(observed_at="0001-01-01T00:00:00+14:00"), {"bad_value"}),
    "a validity that ends before it begins": (line(valid_from="2026-02-01", valid_to="2026-01-01"), {"bad_value"}),
    "a scope with an empty part": (line(scope="acme//x"), {"bad_value"}),
    "the scope of everything": (line(scope="*"), {"bad_value"}),
    "an edition that is true": (json.dumps(artifact("BAD", "E1", edition=True)).encode(), {"bad_value"}),
    "an unknown artifact type": (json.dumps(artifact("BAD", "E1", artifact_type="poem")).encode(), {"bad_value"}),
    "a delivery to nobody": (json.dumps(artifact("BAD", "E1", deliveries=[{"channel": "email"}])).encode(), {"bad_value"}),
    "a wrong sha256": (json.dumps(evidence("BAD", sha256="0" * 64)).encode(), {"bad_value"}),
    "content twice": (json.dumps(evidence("BAD", content_base64="eA==")).encode(), {"bad_value"}),
    "no content": (json.dumps({k: v for k, v in evidence("BAD").items() if k != "content"}).encode(), {"bad_value"}),
    "content that is a number": (json.dumps(evidence("BAD", text=5)).encode(), {"bad_value"}),
    "content that is no base64": (json.dumps({**evidence("BAD", text=None), "content_base64": "%%%"}).encode(), {"bad_value"}),
    "a file in memory": (json.dumps({**evidence("BAD", text=None), "content_file": "x.txt"}).encode(), {"bad_value"}),
    "a role nobody knows": (json.dumps(person("BAD", "king")).encode(), {"bad_value"}),
    "a cardinality nobody knows": (json.dumps(predicate("p", cardinality="few")).encode(), {"bad_value"}),
    "a read that names no records": (json.dumps({"type": "read", "task": "t", "records": "C1"}).encode(), {"bad_value"}),
}


@pytest.mark.parametrize("case", BAD_LINES)
def test_a_bad_line_is_named_and_the_good_ones_go_in(sqlite_files, clock, case):
    from store import open_store

    bad, codes = BAD_LINES[case]
    with sqlite_files.new("desk") as url:
        store = open_store(url, now=clock)
        result = bring(store, claim("GOOD1"), bad, claim("GOOD2"))

        (error,) = result["rejected"]
        assert error["line"] == 2
        assert error["code"] in codes
        assert error["message"].endswith(".")
        assert error["id"] in (None, "", "BAD", "x" * 500)
        assert len(error["message"]) < 1000
        assert error["message"].isprintable()
        assert result["imported"]["claim"] == 2
        store.close()


def test_all_bad_lines_at_once_are_each_named_on_both_databases(desk):
    lines = [bad for bad, _ in BAD_LINES.values()]

    result = bring(desk, *lines, claim("GOOD"))
    assert [one["line"] for one in result["rejected"]] == list(range(1, len(lines) + 1))
    assert {one["code"] for one in result["rejected"]} <= CODES
    assert result["imported"] == {"source": 0, "evidence": 0, "claim": 1, "artifact": 0}
    assert is_sound(desk)


def test_a_line_longer_than_any_that_is_written_is_refused_and_the_next_one_read(sqlite_files, clock, tmp_path):
    from store import open_store

    path = tmp_path / "big.jsonl"
    with path.open("wb") as file:
        file.write(b'{"type":"claim","id":"BIG","statement":"' + b"x" * (LONGEST_LINE + 2**20) + b'"}\n')
        file.write(encode([claim("C1")])[0] + b"\n")
    with sqlite_files.new("desk") as url:
        store = open_store(url, now=clock)
        result = import_files(store, OPERATOR, [path])
        store.close()

    assert [(one["line"], one["code"]) for one in result["rejected"]] == [(1, "bad_value")]
    assert result["imported"]["claim"] == 1


def test_hostile_but_lawful_text_comes_back_code_point_for_code_point(desk):
    text = "a\u202eb\u200b\ufeff👩‍🚀 \x01\x7f \u2028 <script>alert(1)</script> ![x](http://127.0.0.1/) =1+1 年报 e\u0301"

    given(desk, claim("C1", text, statement=text, conditions=text))
    record = show(desk, "C1")["record"]
    assert (record["value"], record["statement"], record["conditions"]) == (text, text, text)


def test_large_whole_numbers_are_kept_exactly(desk):
    number = 10**300 + 7

    given(desk, claim("C1", number))
    assert show(desk, "C1")["record"]["value"] == number


def test_the_database_knows_what_its_tables_hold_right_after_a_large_import(store):
    given(store, *(source(f"S{n}") for n in range(10_000)))

    known = "SELECT reltuples FROM pg_class WHERE relname = 'source'" if store.reader.dialect.name == "postgresql" else "SELECT max(stat) FROM sqlite_stat1 WHERE tbl = 'source'"
    with store.reader.connect() as connection:
        assert str(connection.exec_driver_sql(known).scalar_one()).split()[0].split(".")[0] == "10000"
