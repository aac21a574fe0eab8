"""Asking as somebody else: the answer they would get, why, and what the person asking may not learn by it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import sqlalchemy as sa

from store import Question, ask_as, list_identities, parse_qualifiers, search_as, suggest_questions, write_qualifiers
from tests.builders import (
    TENANT,
    accepted,
    ask,
    at,
    bring,
    carry_out,
    claim,
    conflicts,
    evidence,
    find,
    given,
    passage,
    person,
    refused,
    revoking,
    source,
    suspending,
)

ROOT = Path(__file__).resolve().parents[2]


def asked(desk, subject, identity="bot", by="olga", scope=TENANT, predicate="says", **more):
    return ask_as(desk, by, identity, Question(scope, subject, predicate, **more))


def kinds(told):
    return [(why.claim, why.kind, why.other) for why in told.why]


def logged(desk):
    with desk.reader.connect() as connection:
        return connection.execute(sa.text("SELECT count(*) FROM read_log")).scalar_one()


def test_the_answer_is_the_one_the_agent_gets_and_only_the_agents_is_logged(desk):
    given(desk, accepted("A"), accepted("T1", "a", subject="t"), accepted("T2", "b", subject="t"))
    before = logged(desk)

    for subject in ("subject-A", "t", "nothing-there"):
        mine = asked(desk, subject).answer
        assert logged(desk) == before
        assert mine == ask(desk, subject, by="bot")
        before = logged(desk)
    assert search_as(desk, "olga", "bot", "subject", TENANT).items != ()
    assert logged(desk) == before
    assert [one["id"] for one in search_as(desk, "olga", "bot", "subject", TENANT).items] == find(desk, "subject", by="bot")


def test_only_who_may_look_into_the_scope_may_ask_as_somebody_else(desk):
    given(desk, person("vera", "auditor", f"{TENANT}/vendors"), accepted("A"), accepted("V", scope=f"{TENANT}/vendors"))

    for by in ("rita", "bot"):
        with refused("not_allowed", "ask as somebody else"):
            asked(desk, "subject-A", by=by)
        with refused("not_allowed"):
            search_as(desk, by, "bot", "subject", TENANT)
        assert list_identities(desk, by, TENANT) == []
        assert suggest_questions(desk, by, TENANT, "subject") == []
    with refused("not_allowed"):
        asked(desk, "subject-A", by="vera")
    assert asked(desk, "subject-V", by="vera", scope=f"{TENANT}/vendors").answer["result"] == "OK"


def test_a_person_of_another_tenant_is_nobody_here(desk):
    given(desk, person("mallory", "admin", "other"), person("zoe", "reader", "other"))

    with refused("not_found", "zoe"):
        asked(desk, "subject-A", identity="zoe")
    assert "zoe" not in [one.id for one in list_identities(desk, "olga", TENANT)]
    with refused("not_allowed"):
        asked(desk, "subject-A", by="mallory")
    assert list_identities(desk, "mallory", TENANT) == []


def test_roles_of_other_tenants_are_not_told(desk):
    given(desk, person("bot", "contributor", TENANT, ("reader", "other")))

    (bot,) = [one for one in list_identities(desk, "olga", TENANT) if one.id == "bot"]
    assert bot.roles == (("contributor", TENANT),)


def test_an_identity_without_the_right_is_told_nothing_and_that_is_said(desk):
    given(desk, person("shy", "reader", f"{TENANT}/briefs"), accepted("A"))

    told = asked(desk, "subject-A", identity="shy")
    assert (told.answer["result"], told.allowed_by, told.why) == ("MISSING", None, ())


def test_each_reason_for_nothing_is_named_with_what_stands_in_the_way(desk):
    given(
        desk, claim("CAND", subject="s"), accepted("OUT", subject="s", expires_at="2026-05-01T00:00:00Z"),
        accepted("LATER", subject="s", valid_from="2027-01-01"), accepted("OWN", subject="s", purposes=["billing"]),
        source("S2"), evidence("E2", "S2"), accepted("P", evidence=[passage(evidence="E2")]), accepted("DOWN", on="P", subject="s"),
        accepted("OLD", subject="o", expires_at="2026-05-01T00:00:00Z", predicate="other"), accepted("ABOVE", on="OLD", subject="s", purposes=["x"]),
    )  # fmt: skip
    carry_out(desk, suspending("P"))
    told = asked(desk, "s")

    assert told.answer["result"] == "MISSING"
    assert sorted(kinds(told)) == sorted([
        ("CAND", "status", None), ("OUT", "expired", None), ("LATER", "validity", None), ("OWN", "purpose", None), ("DOWN", "status", None),
        ("ABOVE", "expired_above", "OLD"),
    ])  # fmt: skip
    assert asked(desk, "s", purpose="billing").answer["result"] == "OK"
    assert [one["id"] for one in asked(desk, "s", at=at("2026-04-01")).answer["claims"]] == ["OUT"]


def test_a_nearer_claim_in_doubt_is_named_as_what_holds_the_broader_one_back(desk):
    deep = f"{TENANT}/briefs"
    given(desk, accepted("WIDE", subject="s"), accepted("NEAR", "y", subject="s", scope=deep))
    carry_out(desk, suspending("NEAR"))

    told = asked(desk, "s", scope=deep)
    assert told.answer["result"] == "MISSING"
    assert kinds(told) == [("NEAR", "status", None), ("WIDE", "held_back", "NEAR")]


def test_nothing_recorded_is_said_with_what_was_recorded_otherwise(desk):
    given(
        desk, accepted("Q1", subject="s", qualifiers={"as_of": "2026-03-31"}), accepted("D", subject="s", scope=f"{TENANT}/briefs"),
        accepted("R", subject="s", scope=f"{TENANT}/secret"), person("vic", "reviewer", f"{TENANT}/briefs"),
    )  # fmt: skip

    told = asked(desk, "s")
    assert told.nothing_recorded
    assert [(one.scope, one.qualifiers) for one in told.other_questions] == [
        (TENANT, {"as_of": "2026-03-31"}), (f"{TENANT}/briefs", {}), (f"{TENANT}/secret", {}),
    ]  # fmt: skip
    for one in asked(desk, "s", by="vic", scope=f"{TENANT}/briefs", qualifiers={"x": 1}).other_questions:
        assert one.scope == f"{TENANT}/briefs"


def test_of_a_scope_above_that_one_may_not_look_into_nothing_is_explained(desk):
    deep = f"{TENANT}/briefs"
    given(desk, claim("CAND", subject="s"), accepted("OK", subject="fine"), person("vic", "reviewer", deep))

    told = asked(desk, "s", by="vic", scope=deep, identity="vic")
    same = asked(desk, "not-there", by="vic", scope=deep, identity="vic")

    assert (told.why, told.nothing_recorded, told.unexplained) == (same.why, same.nothing_recorded, same.unexplained) == ((), True, (TENANT,))
    assert suggest_questions(desk, "vic", deep, "s") == []
    assert asked(desk, "fine", by="vic", scope=deep, identity="vic").answer["result"] == "OK"


def test_what_stands_in_the_way_where_one_may_not_look_has_no_name(desk):
    deep, other = f"{TENANT}/briefs", f"{TENANT}/secret"
    given(desk, source("S9", other), evidence("E9", "S9"), accepted("HID", evidence=[passage(evidence="E9")], scope=other, expires_at="2026-05-01T00:00:00Z"))
    given(desk, accepted("LOW", on="HID", scope=deep, subject="s"), person("vic", "reviewer", deep))

    assert kinds(asked(desk, "s", scope=deep, by="olga")) == [("LOW", "expired_above", "HID")]
    assert kinds(asked(desk, "s", scope=deep, by="vic", identity="vic")) == [("LOW", "expired_above", None)]


def test_sides_the_person_may_not_see_are_counted_not_shown(desk):
    deep, other = f"{TENANT}/briefs", f"{TENANT}/secret"
    given(desk, source("S9", other), evidence("E9", "S9"))
    given(
        desk, accepted("H1", "a", evidence=[passage(evidence="E9")], scope=other, subject="h"), accepted("H2", "b", evidence=[passage(evidence="E9")], scope=other, subject="h"),
        accepted("LOW", on="H1", scope=deep, subject="s"), person("vic", "reviewer", deep),
    )  # fmt: skip
    assert len(conflicts(desk)) == 1

    full, less = asked(desk, "s", scope=deep), asked(desk, "s", scope=deep, by="vic")
    assert (full.answer["result"], [one["id"] for one in full.answer["claims"]], full.hidden) == ("CONFLICT", ["H1", "H2"], 0)
    assert (less.answer["result"], less.answer["claims"], less.hidden) == ("CONFLICT", [], 2)
    assert "H1" not in json.dumps(less.answer)


def test_a_later_claim_and_one_of_higher_authority_are_shown_beside_what_is_told(desk):
    given(
        desk, {"type": "policy", "scope": TENANT, "authority_ranks": ["register", "press"]},
        accepted("OLD", "1", subject="s", authority="press", observed_at="2026-01-01T00:00:00Z"),
        claim("NEW", "2", subject="s", authority="press", observed_at="2026-02-01T00:00:00Z"),
        claim("HIGH", "3", subject="s", authority="register", observed_at="2025-02-01T00:00:00Z"),
        claim("LOW", "4", subject="s", authority="press", observed_at="2025-02-01T00:00:00Z"),
    )  # fmt: skip

    told = asked(desk, "s")
    assert [one["id"] for one in told.answer["claims"]] == ["OLD"]
    assert [(one.id, one.later, one.higher) for one in told.beside["OLD"]] == [("NEW", True, False), ("HIGH", False, True)]


def test_a_revoked_claim_is_told_as_of_any_time_no_more(desk):
    given(desk, accepted("A", subject="s"))
    carry_out(desk, revoking("A"))

    assert asked(desk, "s", at=at("2026-01-01")).why[0].status == "REVOKED"


@pytest.mark.parametrize("words", ["sub", "SUB", "subject-A", "subject-%", "subject_"])
def test_questions_are_suggested_by_how_they_begin_and_no_sign_is_a_pattern(desk, words):
    given(desk, accepted("A"), accepted("B"), accepted("C", subject="else"))

    found = [one.subject for one in suggest_questions(desk, "olga", TENANT, words)]
    assert found == {"sub": ["subject-A", "subject-B"], "SUB": ["subject-A", "subject-B"], "subject-A": ["subject-A"]}.get(words, [])


@pytest.mark.parametrize("qualifiers", [{}, {"as_of": "2026-06-30", "basis": "GAAP"}, {"n": 3, "t": "3", "b": True, "w": "true"}, {"o": {"a": [1, "x"]}, "s": " wide "}])
def test_qualifiers_are_written_so_that_they_are_read_back(qualifiers):
    assert parse_qualifiers(write_qualifiers(qualifiers)) == qualifiers


def test_the_command_line_reads_the_same(sqlite_files):
    from store import open_store

    with sqlite_files.new("desk") as url:
        store = open_store(url)
        bring(store, accepted("A", qualifiers={"n": 3}), accepted("B"), reviewed=True)
        command = [sys.executable, "-m", "store", "--db", url, "read", "--scope", TENANT, "--subject", "subject-A", "--predicate", "says", "--qualifier", "n=3", "--as", "bot", "--json"]
        printed = json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout)

        assert printed["result"] == "OK"
        assert asked(store, "subject-A", qualifiers=parse_qualifiers(["n=3"])).answer == printed
        search = [sys.executable, "-m", "store", "--db", url, "search", "subject", "--scope", TENANT, "--as", "bot", "--json"]
        printed = json.loads(subprocess.run(search, cwd=ROOT, check=True, capture_output=True, text=True).stdout)
        assert list(search_as(store, "olga", "bot", "subject", TENANT).items) == printed["items"] != []
        store.close()
