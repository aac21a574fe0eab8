"""Capturing a source again: what rests on changed passages falls, everything else carries over (R21, R6)."""


import pytest

from store import (
    Plan,
    Verb,
    capture,
    keep_plan_file,
    list_unsorted,
    view_record,
)
from tests.builders import (
    OPERATOR,
    QUOTE,
    TENANT,
    TEXT,
    accepted,
    artifact,
    carry_out,
    claim,
    decide,
    dump,
    evidence,
    find,
    given,
    is_sound,
    passage,
    preview,
    refused,
    reinstating,
    revoking,
    rows,
    show,
    source,
    status,
    statuses,
    suspending,
    told,
)
from tests.recapturing import (
    CHANGED,
    MOVED,
    NAV,
    REFLOWED,
    recapture,
    recapturing,
    roots,
    verdicts,
)


def test_only_what_rests_on_the_changed_passage_falls(fund):
    found = preview(fund, recapturing(fund))

    assert verdicts(found) == {"NAV": "changed", "CITY": "unchanged"}
    assert rows(found) == {
        "E1": ("ACCEPTED", "SUPERSEDED", 0, None), "NAV": ("ACCEPTED", "STALE", 1, "E1"), "X": ("ACCEPTED", "STALE", 2, "NAV"),
        "MEMO": ("ACCEPTED", "STALE", 3, "X"),
    }  # fmt: skip
    assert sorted(one["recipient"] for one in found["notices"]) == ["kim", "lee"]
    assert {"id": "CITY", "why": "its passage stands in the new version as it was"} in found["no_effect"]
    assert found["evidence"]["id"] == "S1@2"
    assert found["totals"]["passages"] == {"unchanged": 1, "moved": 0, "cosmetic": 0, "changed": 1, "gone": 0}
    changed = next(one for one in found["passages"] if one["id"] == "NAV")
    assert changed["proposed"]["quote"] == "179,500,000 USD"
    assert 0.5 < changed["score"] < 1
    assert {one["subject"]: (one["before"], one["after"]) for one in found["answers"]} == {
        "subject-NAV": ("OK", "MISSING"),
        "subject-X": ("OK", "MISSING"),
    }

    result = carry_out(fund, recapturing(fund), seen=found)

    assert (result["changed"], result["evidence"]) == (4, "S1@2")
    assert statuses(fund, "E1", "S1@2", "NAV", "X", "MEMO", "CITY", "Y") == {
        "E1": "SUPERSEDED", "S1@2": "ACCEPTED", "NAV": "STALE", "X": "STALE", "MEMO": "STALE", "CITY": "ACCEPTED", "Y": "ACCEPTED",
    }  # fmt: skip
    assert (roots(fund, "CITY"), roots(fund, "Y"), roots(fund, "NAV")) == (["S1@2"], ["S1@2"], ["E1"])
    assert show(fund, "E1")["superseded_by"] == "S1@2"
    assert told(fund, "subject-CITY") == ("OK", ["CITY"])
    assert told(fund, "subject-NAV") == ("MISSING", [])
    assert is_sound(fund)


def test_a_carried_claim_gets_a_new_version_and_hash_and_what_rests_on_it_does_not(fund):
    before, below = show(fund, "CITY"), show(fund, "Y")

    recapture(fund)

    after = show(fund, "CITY")
    assert after["version"] == before["version"] + 1
    assert after["content_hash"] != before["content_hash"]
    assert [(one["from"], one["to"]) for one in after["history"]][-1:] == [("ACCEPTED", "ACCEPTED")]
    assert show(fund, "Y")["version"] == below["version"]
    assert find(fund, "subject-CITY") == ["CITY"]


def test_a_preview_of_a_recapture_writes_to_no_record(fund):
    plan = recapturing(fund)
    before = dump(fund, but=("preview",))

    preview(fund, plan)

    assert dump(fund, but=("preview",)) == before


@pytest.mark.parametrize(("text", "verdict", "quote"), [
    (MOVED, "moved", QUOTE), (REFLOWED, "cosmetic", "The office\n   is in Lyon."), (TEXT + "Another line.\n", "unchanged", QUOTE),
    (TEXT.replace(QUOTE + "\n", ""), "gone", None), (TEXT.replace("Lyon", "Paris"), "changed", None),
])  # fmt: skip
def test_the_quote_is_taken_again_where_the_passage_stands(desk, text, verdict, quote):
    given(desk, accepted("CITY", "Lyon"))

    found = preview(desk, recapturing(desk, text))
    recapture(desk, text)

    assert verdicts(found) == {"CITY": verdict}
    assert status(desk, "CITY") == ("ACCEPTED" if quote else "STALE")
    if quote:
        shown = view_record(desk, OPERATOR, TENANT, "CITY")
        assert shown is not None
        start = text.index(quote)
        now = next(one for one in found["passages"])["now"]
        assert now == {"evidence": "S1@2", "span": {"start": start, "end": start + len(quote)}, "quote": quote}
    assert is_sound(desk)


def test_a_claim_with_two_passages_falls_with_the_worse_of_them(desk):
    given(desk, accepted("BOTH", evidence=[passage(), passage(NAV)]))

    found = preview(desk, recapturing(desk))

    assert [(one["id"], one["verdict"], one["quote"], one["passages"]) for one in found["passages"]] == [("BOTH", "changed", NAV, 2)]


def test_a_claim_that_rests_on_a_fallen_one_too_falls_and_still_gets_the_new_passage(desk):
    given(desk, accepted("NAV", NAV, quote=NAV), accepted("C", "Lyon", evidence=[passage()], derived_from=["NAV"]))

    recapture(desk)

    assert status(desk, "C") == "STALE"
    assert show(desk, "C")["parents"] == ["NAV", "S1@2"]
    assert is_sound(desk)


def test_what_names_the_version_as_a_whole_stands_only_if_nothing_but_white_space_differs(desk):
    given(desk, accepted("WHOLE", evidence=[{"evidence": "E1"}]), artifact("A", ["E1"]), accepted("BY", on="E1"))

    assert verdicts(preview(desk, recapturing(desk))) == {"WHOLE": "changed", "BY": "changed"}
    assert verdicts(preview(desk, recapturing(desk, REFLOWED))) == {"WHOLE": "cosmetic", "BY": "cosmetic"}
    recapture(desk, REFLOWED)

    assert statuses(desk, "WHOLE", "A", "BY") == {"WHOLE": "ACCEPTED", "A": "ACCEPTED", "BY": "ACCEPTED"}
    assert [show(desk, one)["parents"] for one in ("WHOLE", "A", "BY")] == [["S1@2"]] * 3
    assert is_sound(desk)


def test_candidates_and_suspended_claims_keep_their_status_and_get_the_new_passage(desk):
    given(desk, claim("CAND"), accepted("SUSP"), claim("OLD", status="revoked"), claim("STUCK", NAV, quote=NAV))
    carry_out(desk, suspending("SUSP"))

    found = preview(desk, recapturing(desk))
    recapture(desk)

    assert verdicts(found) == {"CAND": "unchanged", "SUSP": "unchanged", "STUCK": "changed"}
    assert [one["id"] for one in found["blocked_candidates"]] == ["STUCK"]
    assert {one["id"]: one["why"] for one in found["no_effect"]}["OLD"] == "was revoked and is not served"
    assert statuses(desk, "CAND", "SUSP", "OLD") == {"CAND": "CANDIDATE", "SUSP": "DISPUTED", "OLD": "REVOKED"}
    assert [show(desk, one)["parents"] for one in ("CAND", "SUSP", "OLD")] == [["S1@2"], ["S1@2"], ["E1"]]
    carry_out(desk, reinstating("SUSP"))
    decide(desk, "CAND", "ben")
    assert statuses(desk, "CAND", "SUSP") == {"CAND": "ACCEPTED", "SUSP": "ACCEPTED"}
    assert is_sound(desk)


def test_a_recorded_first_approval_falls_when_the_passage_is_taken_again(desk):
    given(desk, claim("HIGH", impact="high"))
    decide(desk, "HIGH", "ana")

    recapture(desk, MOVED)
    decide(desk, "HIGH", "ben")

    assert status(desk, "HIGH") == "CANDIDATE"


# --- suspended and revoked versions ----------------------------------------------------------------------------------


def test_what_was_stale_only_because_of_a_suspended_version_comes_back_with_its_passages(fund):
    carry_out(fund, suspending("E1"))

    found = preview(fund, recapturing(fund))
    recapture(fund)

    assert rows(found) == {
        "E1": ("DISPUTED", "SUPERSEDED", 0, None), "CITY": ("STALE", "ACCEPTED", 1, "E1"), "Y": ("STALE", "ACCEPTED", 2, "CITY"),
    }  # fmt: skip
    assert statuses(fund, "NAV", "X", "MEMO", "CITY", "Y") == {"NAV": "STALE", "X": "STALE", "MEMO": "STALE", "CITY": "ACCEPTED", "Y": "ACCEPTED"}
    assert is_sound(fund)


def test_the_same_bytes_are_a_way_back_for_all_of_it(fund):
    carry_out(fund, suspending("S1"))

    recapture(fund, TEXT)

    assert set(statuses(fund, "NAV", "X", "MEMO", "CITY", "Y", "S1@2").values()) == {"ACCEPTED"}
    assert is_sound(fund)


def test_what_has_another_cause_does_not_come_back(fund):
    given(fund, source("S2"), evidence("E2", "S2"), accepted("OTHER", evidence=[passage(evidence="E2")]), accepted("Z", on=["CITY", "OTHER"]))
    carry_out(fund, suspending("E1"))
    carry_out(fund, suspending("E2"))

    recapture(fund)

    assert statuses(fund, "CITY", "Y", "Z") == {"CITY": "ACCEPTED", "Y": "ACCEPTED", "Z": "STALE"}
    assert is_sound(fund)


def test_what_fell_before_for_a_cause_that_came_back_since_waits_for_a_word_of_its_own(fund):
    given(fund, source("S2"), evidence("E2", "S2"), accepted("OTHER", evidence=[passage(evidence="E2")]), accepted("Z", on=["CITY", "OTHER"]))
    carry_out(fund, suspending("OTHER"))
    carry_out(fund, suspending("E1"))
    carry_out(fund, reinstating("OTHER"))

    recapture(fund)

    assert statuses(fund, "CITY", "OTHER", "Z") == {"CITY": "ACCEPTED", "OTHER": "ACCEPTED", "Z": "STALE"}


def test_claims_of_a_revoked_version_are_offered_for_confirmation(fund):
    carry_out(fund, revoking("E1"))

    found = preview(fund, recapturing(fund))
    recapture(fund)

    assert found["affected"] == []
    offered = {one["id"]: one.get("offered") for one in found["passages"]}
    assert offered == {"NAV": None, "CITY": True}
    assert statuses(fund, "E1", "S1@2", "CITY") == {"E1": "REVOKED", "S1@2": "ACCEPTED", "CITY": "STALE"}
    assert show(fund, "CITY")["parents"] == ["S1@2"]
    carry_out(fund, Plan(Verb.CONFIRM, ("CITY",)), "ben")
    assert status(fund, "CITY") == "ACCEPTED"
    assert is_sound(fund)


# --- which file ------------------------------------------------------------------------------------------------------


def test_the_same_bytes_again_are_refused_and_so_is_an_older_version(fund):
    with refused("bad_value", "E1", "byte for byte"):
        preview(fund, recapturing(fund, TEXT))
    recapture(fund)
    with refused("bad_value", "S1@2", "byte for byte"):
        preview(fund, recapturing(fund))
    with refused("bad_value", "E1", "S1@2 is newer"):
        preview(fund, recapturing(fund, TEXT))
    assert is_sound(fund)


def test_a_newer_version_that_arrived_by_import_is_not_sorted_until_somebody_does(fund):
    before = statuses(fund, "E1", "NAV", "CITY")
    given(fund, evidence("S1@2", text=CHANGED, version=2))

    assert statuses(fund, "E1", "NAV", "CITY") == before
    assert [(one.id, one.older, one.claims) for one in list_unsorted(fund, "ana", TENANT)] == [("S1@2", ("E1",), 2)]

    by_bytes, by_name = preview(fund, recapturing(fund)), preview(fund, Plan(Verb.RECAPTURE, ("S1@2",)))
    assert verdicts(by_bytes) == verdicts(by_name) == {"NAV": "changed", "CITY": "unchanged"}
    carry_out(fund, Plan(Verb.RECAPTURE, ("S1@2",)))

    assert list_unsorted(fund, "ana", TENANT) == []
    assert statuses(fund, "E1", "S1@2", "NAV", "CITY") == {"E1": "SUPERSEDED", "S1@2": "ACCEPTED", "NAV": "STALE", "CITY": "ACCEPTED"}
    with refused("bad_value", "sorted against S1@2 already"):
        preview(fund, Plan(Verb.RECAPTURE, ("S1@2",)))
    assert is_sound(fund)


def test_a_version_that_was_captured_is_sorted_the_same_way(fund):
    capture(fund, "ana", TENANT, "S1", CHANGED.encode(), name="new.txt")

    assert [one.claims for one in list_unsorted(fund, "ana", TENANT, source="S1")] == [2]
    carry_out(fund, Plan(Verb.RECAPTURE, ("S1@2",)))

    assert statuses(fund, "NAV", "CITY") == {"NAV": "STALE", "CITY": "ACCEPTED"}


def test_who_may_not_decide_on_the_source_is_refused(fund):
    plan = recapturing(fund)
    with refused("not_allowed"):
        preview(fund, plan, by="rita")
    with refused("not_allowed"):
        keep_plan_file(fund, "rita", TENANT, b"text", name="a.txt")
    with refused("not_found"):
        preview(fund, Plan(Verb.RECAPTURE, ("NOWHERE",), file=plan.file))
    with refused("bad_value", "needs its new file"):
        preview(fund, Plan(Verb.RECAPTURE, ("S1",)))
    with refused("not_found", "Give the file again"):
        preview(fund, Plan(Verb.RECAPTURE, ("S1",), file="0" * 64))


@pytest.mark.parametrize(("content", "name"), [(b"", "a.txt"), (b"%PDF-1.4 broken", "a.pdf"), (b"\x89PNG\r\n\x1a\n", "a.txt")])
def test_a_file_that_cannot_be_compared_is_refused_with_a_sentence(fund, content, name):
    with refused("bad_value"):
        keep_plan_file(fund, "ana", TENANT, content, name=name)
