"""One record: its fields, at another time, and as it was known then."""

import pytest

from store import amend, list_children, parse_stated_time, renew
from tests.builders import (
    TENANT,
    TEXT,
    accepted,
    artifact,
    ask,
    bring,
    carry_out,
    claim,
    decide,
    delivered,
    evidence,
    given,
    passage,
    refused,
    reinstating,
    revoking,
    show,
    source,
    superseding,
    suspending,
)


def test_a_record_says_what_it_is_and_what_it_rests_on(desk):
    given(desk, accepted("A"), accepted("B", on=["A", "E1"]), accepted("C", on="B"), claim("D", on="B"))

    found = show(desk, "B")
    assert (found["id"], found["kind"], found["status"], found["version"]) == ("B", "claim", "ACCEPTED", 1)
    assert (found["parents"], found["children_count"], found["roots"], found["independent_roots"]) == (["A", "E1"], 2, ["E1"], 1)
    assert found["supports"] == {"lost": [], "remaining": ["A", "E1"]}
    assert (found["usable"], found["why"]) == (True, [])
    assert (found["decided_before"], found["answers"], found["superseded_by"], found["served"]) == ([], None, None, 0)
    assert len(found["content_hash"]) == 64
    assert [(one["from"], one["to"], one["version"]) for one in found["history"]] == [(None, "ACCEPTED", 1)]


def test_an_artifact_has_validity_and_delivery_as_two_axes(desk):
    given(desk, accepted("A"), artifact("R1", "A", deliveries=[delivered("kim")]), artifact("R2", "A"))
    carry_out(desk, revoking("A"))

    first, second = show(desk, "R1"), show(desk, "R2")
    assert (first["validity"], first["delivery"], first["deliveries"][0]["recipient"]) == ("NEEDS_REVALIDATION", "DELIVERED", "kim")
    assert (second["validity"], second["deliveries"]) == ("NEEDS_REVALIDATION", [])
    assert second["delivery"] != "DELIVERED"


def test_supports_are_sorted_into_lost_and_remaining(desk):
    given(desk, accepted("A"), accepted("B"), accepted("C", on=["A", "B"]))
    carry_out(desk, revoking("A"))

    assert show(desk, "C")["supports"] == {"lost": ["A"], "remaining": ["B"]}
    assert any("STALE" in why for why in show(desk, "C")["why"])


# --- independent roots ---------------------------------------------------------------------------------------------


def roots(store, *names):
    given(store, accepted("C", on=list(names)))
    return show(store, "C")["independent_roots"]


def test_independent_roots_count_families_once(desk):
    given(desk, source("S2"), source("S3", family="S2"), source("S4"), evidence("E2", "S2", "two"), evidence("E2B", "S2", "two b", version=2), evidence("E3", "S3", "three"), evidence("E4", "S4", "four"))

    assert roots(desk, "E1", "E2", "E2B", "E3", "E4") == 3


def test_equal_content_is_one_family(desk):
    given(desk, source("S2"), source("S3"), evidence("E2", "S2"), evidence("E3", "S3", "other"))

    assert roots(desk, "E1", "E2", "E3") == 2


def test_equal_content_joins_families_that_join_others(desk):
    given(desk, source("S2"), source("S3"), evidence("E2", "S2", TEXT), evidence("E2B", "S2", "b", version=2), evidence("E3", "S3", "b"))

    assert roots(desk, "E1", "E2B", "E3", "E2") == 1


def test_roots_that_are_not_accepted_do_not_count(desk):
    given(desk, source("S2"), evidence("E2", "S2", "two"), accepted("C", on=["E1", "E2"]))
    carry_out(desk, revoking("E2"))

    assert (show(desk, "C")["roots"], show(desk, "C")["independent_roots"]) == (["E1", "E2"], 1)


def test_ten_reports_on_one_guess_have_no_independent_root(desk):
    given(desk, accepted("GUESS", evidence=[]), *(artifact(f"R{n}", "GUESS") for n in range(10)), accepted("SUM", on=[f"R{n}" for n in range(10)]))

    assert (show(desk, "SUM")["roots"], show(desk, "SUM")["independent_roots"]) == ([], 0)


# --- version and content hash --------------------------------------------------------------------------------------


def test_the_version_counts_changes_of_content_and_status_and_nothing_else(desk, clock):
    given(desk, claim("A", subject="s"))
    seen = [show(desk, "A")["version"]]
    amend(desk, "carl", TENANT, "A", {"evidence": [passage("Line one")]})
    seen.append(show(desk, "A")["version"])
    decide(desk, "A")
    seen.append(show(desk, "A")["version"])
    given(desk, accepted("RIVAL", "y", subject="s"))
    ask(desk, "s")
    clock.pass_by(days=400)
    seen.append(show(desk, "A")["version"])
    carry_out(desk, suspending("A"))
    seen.append(show(desk, "A")["version"])

    assert seen == [1, 2, 3, 3, 4]


def test_the_content_hash_is_the_contents_not_the_statuss(desk):
    given(desk, accepted("A"), artifact("R1", "A"))
    before = {id: show(desk, id)["content_hash"] for id in ("A", "R1", "E1")}
    carry_out(desk, suspending("E1"))
    carry_out(desk, reinstating("E1"))

    assert {id: show(desk, id)["content_hash"] for id in before} == before


@pytest.mark.parametrize("fields", [{"value": "y"}, {"subject": "t"}, {"derived_from": ["P"]}, {"evidence": [passage("Line one")]}, {"owner": "ben"}, {"qualifiers": {"q": 1}}, {"purposes": ["a"]}, {"conditions": "if"}], ids=str)
def test_every_change_of_content_changes_the_hash(desk, fields):
    given(desk, accepted("P"), claim("A"))
    before = show(desk, "A")["content_hash"]
    amend(desk, "carl", TENANT, "A", fields)

    assert show(desk, "A")["content_hash"] != before


def test_the_content_hash_covers_the_hash_of_the_evidence_it_rests_on(store, another_store):
    other = another_store()
    given(store, source(), evidence(text="The sky is blue."), claim("A", on="E1"))
    given(other, source(), evidence(text="The sky is green."), claim("A", on="E1"))

    assert show(store, "A")["content_hash"] != show(other, "A")["content_hash"]


# --- another time --------------------------------------------------------------------------------------------------


def test_usable_is_asked_of_a_time(desk):
    given(desk, accepted("A", valid_from="2026-03-01", valid_to="2026-09-01", expires_at="2026-08-01"), accepted("B", on="A"))

    assert [show(desk, "A", at=at)["usable"] for at in ("2026-02-01", "2026-03-01", "2026-07-31", "2026-08-01", "2026-10-01")] == [False, True, True, False, False]
    assert [show(desk, "B", at=at)["usable"] for at in ("2026-02-01", "2026-07-31", "2026-08-01")] == [True, True, False]
    assert show(desk, "B", at="2026-08-01")["why"] != []


def test_what_was_known_then(desk, clock):
    given(desk, claim("C1"), accepted("P"))
    moments = {"proposed": "2026-07-01T09:00:00Z", "amended": "2026-07-02T09:00:00Z", "approved": "2026-07-03T09:00:00Z", "stale": "2026-07-04T09:00:00Z"}
    shots = {"proposed": show(desk, "C1")}
    clock.pass_by(days=1)
    amend(desk, "carl", TENANT, "C1", {"value": "y", "derived_from": ["P"]})
    shots["amended"] = show(desk, "C1")
    clock.pass_by(days=1)
    decide(desk, "C1", terms={"owner": "ben"})
    shots["approved"] = show(desk, "C1")
    clock.pass_by(days=1)
    carry_out(desk, revoking("P"))
    shots["stale"] = show(desk, "C1")
    clock.pass_by(days=1)

    for name, moment in moments.items():
        found = show(desk, "C1", known_at=moment)
        for field in ("status", "version", "content_hash", "record", "parents", "roots", "supports", "history"):
            assert found[field] == shots[name][field], (name, field)
    with refused("not_found"):
        show(desk, "C1", known_at="2026-06-30T00:00:00Z")


def test_what_became_of_it_later_was_not_known_then(desk, clock):
    given(desk, accepted("OLD", 1, subject="s"), claim("NEW", 2, subject="s"))
    before = show(desk, "OLD")
    clock.pass_by(days=1)
    given(desk, accepted("CHILD", on="OLD"))
    carry_out(desk, superseding("OLD", "NEW"))
    assert show(desk, "OLD")["superseded_by"] == "NEW"

    found = show(desk, "OLD", known_at="2026-07-01T09:00:00Z")
    assert found["status"] == before["status"]
    assert found["superseded_by"] is None
    assert found["children_count"] == 0


def test_a_renewed_date_is_known_only_from_then_on(desk, clock):
    given(desk, accepted("C1"))
    clock.pass_by(days=1)
    renew(desk, "ana", TENANT, "C1", review_at=parse_stated_time("2031-01-01"))

    assert show(desk, "C1", known_at="2026-07-01T09:00:00Z")["record"]["review_at"] == "2099-01-01T00:00:00Z"
    assert show(desk, "C1")["record"]["review_at"] == "2031-01-01T00:00:00Z"


# --- who sees ------------------------------------------------------------------------------------------------------


def test_a_reader_sees_what_is_usable_and_nothing_else(desk):
    given(desk, accepted("A"), claim("B"), claim("C", status="stale"))

    assert show(desk, "A", by="rita")["status"] == "ACCEPTED"
    for id in ("B", "C"):
        with refused("not_found"):
            show(desk, id, by="rita")
        assert show(desk, id, by="olga")["id"] == id


def test_children_are_listed_to_who_may_see_them(desk):
    given(desk, accepted("A"), accepted("B", on="A"), claim("C", on="A", scope="acme/api"))

    assert [one["id"] for one in list_children(desk, "ana", TENANT, "A")] == ["B", "C"]
    with refused("not_found"):
        list_children(desk, "rita", TENANT, "A")


def test_evidence_shows_its_hash_and_no_bytes(desk):
    bring(desk, {**evidence("E9", text=None, version=9), "content_base64": "AAEC/w=="})

    found = show(desk, "E9")
    assert found["record"]["sha256"] == "3d1f57c984978ef98a18378c8166c1cb8ede02c03eeb6aee7e2f121dfeee3e56"
    assert "content" not in found["record"]
    assert "content_base64" not in found["record"]
