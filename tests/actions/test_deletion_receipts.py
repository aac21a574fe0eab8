"""A receipt says what was done about each surface and holds nothing of what was forgotten; the letter says it to the person (R27)."""

import hashlib
import json

from store import foresee_passages, run_deletion, settle_surface, view_deletion, write_deletion_letter, write_plainly
from store.domain.text import canonical_json, digest
from tests.builders import TENANT, TEXT, accepted, artifact, dump, evidence, given, passage, refused, source
from tests.forgetting import asked_to_forget, forgotten, refuse, state, waiting

SECRET = "has diabetes"


def receipts(store, request, by="adam"):
    return [one.content for one in view_deletion(store, by, TENANT, request).receipts]


def test_a_complete_request_leaves_a_receipt(desk):
    given(desk, accepted("A", SECRET), accepted("B", on="A"), artifact("R", "B"))
    request = forgotten(desk, "A", ground="asked_by_person", requester="Kim", reason=f"she {SECRET}")

    (found,) = receipts(desk, request)
    assert (found["request"], found["state"], found["ground"]) == (request, "complete", "asked_by_person")
    assert found["records"] == {"total": 1, "claim": 1}
    assert found["passages"] == {"total": 1, "versions": 1}
    assert found["fell"] == 2
    assert [one["name"] for one in found["surfaces"]][:3] == ["record", "evidence", "search_index"]
    assert {one["state"] for one in found["surfaces"]} == {"done"}
    assert found["verification"]["ok"] is True
    assert (found["verification"]["left"], found["verification"]["given_back"]) == (0, 0)


def test_passages_are_the_same_number_in_the_reach_the_receipt_its_surface_and_the_letter(desk):
    given(
        desk, accepted("A"), {**evidence("S1@2", text=f"Preface.\n{TEXT}"), "version": 2}, source("S2"), evidence("E2", "S2"), accepted("B", evidence=[passage(evidence="E2")]),
    )  # fmt: skip
    seen = foresee_passages(desk, "adam", TENANT, ["A", "B", "E2"])
    request = forgotten(desk, "A", "B", "E2")

    (found,) = receipts(desk, request)
    assert (seen.total, seen.staying, seen.documents_total) == (2, 2, 3)
    assert found["passages"] == {"total": 2, "versions": 2}
    assert {one["name"]: one["found"] for one in found["surfaces"]}["evidence"] == 2
    assert found["records"] == {"total": 3, "claim": 2, "evidence": 1}
    assert "In documents that stay, 2 passages were blacked out." in write_plainly(write_deletion_letter(desk, "adam", TENANT, request))


def test_nothing_typed_about_a_complete_request_stays(desk):
    given(desk, accepted("A", SECRET))
    forgotten(desk, "A", requester="Kim Possible", reason="the reason she gave")
    kept = repr(dump(desk))
    assert "Kim Possible" not in kept
    assert "the reason she gave" not in kept


def test_a_receipt_and_events_resist_a_dictionary(desk):
    given(desk, accepted("A", SECRET, subject="person:kim", predicate="health"))
    request = forgotten(desk, "A")
    kept = json.dumps(receipts(desk, request)) + repr(dump(desk))
    for value in (SECRET, "person:kim", "A", "health"):
        for text in (value, value.lower(), canonical_json(value), canonical_json([TENANT, "person:kim", "health", {}])):
            for made in (digest(text), digest(text)[:32], digest(text)[:10], hashlib.md5(text.encode()).hexdigest(), hashlib.sha1(text.encode()).hexdigest()):
                assert made not in kept


def test_while_something_is_open_there_is_no_receipt_and_another_one_once_that_changes(desk, clock):
    given(desk, accepted("A", SECRET))
    waiting(desk)
    request = forgotten(desk, "A")
    assert receipts(desk, request) == []
    assert state(desk, request) == "open"
    run_deletion(desk, "adam", TENANT, request)
    assert receipts(desk, request) == []

    settle_surface(desk, "adam", TENANT, request, "replicas", 1, "kept", rule="nightly copy", until=clock.at + 10**12)
    (first,) = receipts(desk, request)
    kept = next(one for one in first["surfaces"] if one["name"] == "replicas")
    assert (kept["state"], kept["rule"], kept["copies"][0]["state"]) == ("kept", "nightly copy", "kept")

    run_deletion(desk, "adam", TENANT, request)
    assert len(receipts(desk, request)) == 1
    settle_surface(desk, "adam", TENANT, request, "replicas", 1, "done")
    assert [one["receipt"] for one in receipts(desk, request)] == [f"{request}/2", f"{request}/1"]


def test_a_refusal_leaves_a_receipt_too(desk):
    given(desk, accepted("A", SECRET))
    request = asked_to_forget(desk, "A")
    refuse(desk, request)
    (found,) = receipts(desk, request)
    assert (found["state"], found["refused_by"]) == ("refused", "adam")
    assert SECRET not in json.dumps(found)


def test_the_letter_names_what_is_gone_what_is_kept_until_when_and_what_cannot_be_undone(desk, clock):
    given(desk, accepted("A", SECRET), accepted("B", on="A"))
    waiting(desk)
    request = asked_to_forget(desk, "A")
    before = "\n".join(write_plainly(write_deletion_letter(desk, "adam", TENANT, request)))
    assert "We are carrying it out." in before
    assert "is asked to destroy it" not in before

    run_deletion(desk, "adam", TENANT, request)
    settle_surface(desk, "adam", TENANT, request, "replicas", 1, "kept", rule="nightly copy", until=clock.at + 10**12)
    letter = write_deletion_letter(desk, "adam", TENANT, request)
    assert (letter.state, letter.records, letter.fell, letter.verified) == ("complete", {"claim": 1}, 1, True)
    assert [(line.surface, line.rule) for line in letter.kept] == [("replicas", "nightly copy")]
    text = "\n".join(write_plainly(letter))
    assert "Copies of the database, number 1, until 12 Jul 2026 (nightly copy)" in text
    assert "cannot be taken back" in text
    assert SECRET not in text

    for who in ("ana", "olga", "rita"):
        with refused("not_found"):
            write_deletion_letter(desk, who, TENANT, request)


def test_reviewers_and_auditors_see_the_receipt_and_not_what_was_typed(desk):
    given(desk, accepted("A", SECRET))
    waiting(desk)
    request = asked_to_forget(desk, "A", requester="Kim")
    for who in ("ana", "olga"):
        view = view_deletion(desk, who, TENANT, request)
        assert (view.requester, view.reason, view.row.may_run) == (None, None, False)
        assert [one.status for one in view.targets] == ["DELETION_PENDING"]
    assert view_deletion(desk, "adam", TENANT, request).requester == "Kim"
    for who in ("rita", "bot"):
        with refused("not_found"):
            view_deletion(desk, who, TENANT, request)
