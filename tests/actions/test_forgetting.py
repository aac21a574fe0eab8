"""Asking that something be forgotten blocks it at once and shows its reach; refusing gives back; erasing goes surface by surface (R26)."""

import sqlalchemy as sa

from store import Wanted, check_record, list_events, request_deletion, run_deletion, settle_surface
from store.db import tables as t
from store.db.erase_record import hash_again
from store.db.transaction import write
from tests.builders import (
    TENANT,
    accepted,
    ask,
    chain,
    claim,
    conflicts,
    dump,
    evidence,
    find,
    given,
    is_sound,
    passage,
    person,
    preview,
    refused,
    rows,
    show,
    source,
    status,
    statuses,
    told,
)
from tests.forgetting import asked_to_forget, foreseen, forgotten, refuse, state, surfaces, waiting

# --- asking --------------------------------------------------------------------------------------------------------


def test_a_request_blocks_every_read_at_once_and_what_rests_on_it_needs_revalidation(desk):
    chain(desk)
    asked_to_forget(desk, "A")

    assert statuses(desk, "A", "B", "R1", "CAND", "X") == {
        "A": "DELETION_PENDING", "B": "STALE", "R1": "STALE", "CAND": "CANDIDATE", "X": "ACCEPTED",
    }  # fmt: skip
    assert told(desk, "subject-A") == ("MISSING", [])
    assert told(desk, "subject-X") == ("OK", ["X"])
    assert find(desk, "subject-A") == []
    assert is_sound(desk)


def test_nothing_but_id_and_status_is_shown_to_anybody(desk):
    given(desk, accepted("A", "a secret value", statement="the secret statement", subject="secret subject"))
    asked_to_forget(desk, "A", reason="the secret reason")

    for who in ("operator", "adam", "ana", "olga"):
        found = show(desk, "A", who)
        assert (found["id"], found["status"]) == ("A", "DELETION_PENDING")
        assert "secret" not in repr(found)
    with refused("not_found"):
        show(desk, "A", "rita")


def test_the_promotion_checks_of_what_is_being_forgotten_are_told_to_nobody(desk):
    given(desk, claim("C", "a secret value", extraction={"method": "the secret method", "version": "1"}))
    asked_to_forget(desk, "C")
    for who in ("operator", "ana", "olga"):
        with refused("illegal_step", "is being deleted"):
            check_record(desk, who, TENANT, "C")
    with refused("not_found"):
        check_record(desk, "bot", TENANT, "C")


def test_the_reach_is_shown_before_a_request_is_made_and_is_what_happens(desk):
    chain(desk)
    before = dump(desk)

    found = foreseen(desk, Wanted(("A",)))
    assert [one.id for one in found.targets] == ["A"]
    assert {row["id"]: (row["from"], row["to"]) for row in found.preview.affected} == {
        "A": ("ACCEPTED", "DELETION_PENDING"), "B": ("ACCEPTED", "STALE"), "R1": ("ACCEPTED", "STALE"),
    }  # fmt: skip
    assert sorted(one["recipient"] for one in found.preview.notices) == ["kim", "lee"]
    assert [one["id"] for one in found.preview.blocked_candidates] == ["CAND"]
    assert dump(desk) == before

    receipt = request_deletion(desk, "adam", TENANT, Wanted(("A",)), reason="asked", seen=found.fingerprint)
    assert (receipt["targets"], receipt["changed"], receipt["notices"]) == (1, 3, 2)


def test_a_reach_that_changed_since_it_was_looked_at_is_refused(desk):
    chain(desk)
    seen = foreseen(desk, Wanted(("A",))).fingerprint
    given(desk, accepted("C", on="B"))
    before = dump(desk, but={"refusal"})

    with refused("stale_preview"):
        request_deletion(desk, "adam", TENANT, Wanted(("A",)), reason="asked", seen=seen)
    assert dump(desk, but={"refusal"}) == before


def test_the_plan_erase_is_previewed_and_never_committed(desk):
    from store import Plan, Verb
    from tests.builders import carry_out

    chain(desk)
    plan = Plan(Verb.ERASE, ("A",))
    before = dump(desk)
    assert set(rows(preview(desk, plan, "adam"))) == {"A", "B", "R1"}
    assert dump(desk) == before
    with refused("bad_value", "erase request"):
        carry_out(desk, plan, "adam")


def test_the_same_operation_asks_once(desk):
    given(desk, accepted("A"), accepted("B", quote="The endpoint accepts safe retries."))
    first = request_deletion(desk, "adam", TENANT, Wanted(("A",)), reason="asked", operation="op-1")
    assert request_deletion(desk, "adam", TENANT, Wanted(("A",)), reason="asked", operation="op-1") == first
    assert status(desk, "B") == "ACCEPTED"


def test_what_is_being_deleted_is_not_asked_for_twice(desk):
    given(desk, accepted("A"))
    asked_to_forget(desk, "A")
    with refused("illegal_step", "A is being deleted"):
        asked_to_forget(desk, "A")


def test_a_request_needs_a_reason_and_a_known_ground(desk):
    given(desk, accepted("A"))
    with refused("bad_value"):
        asked_to_forget(desk, "A", reason="  ")
    with refused("bad_value"):
        asked_to_forget(desk, "A", ground="because")
    assert status(desk, "A") == "ACCEPTED"


def test_the_passage_is_hidden_at_once_and_only_claims_taken_from_it_fall(desk):
    given(desk, accepted("A", "Lyon"), accepted("SAME", "in Lyon"), accepted("OTHER", "safe", quote="The endpoint accepts safe retries."), accepted("BELOW", on="SAME"))
    found = foreseen(desk, Wanted(("A",)))
    assert {row["id"] for row in found.preview.affected} == {"A", "SAME", "BELOW"}

    request = asked_to_forget(desk, "A")
    assert statuses(desk, "E1", "SAME", "OTHER", "BELOW") == {"E1": "ACCEPTED", "SAME": "STALE", "OTHER": "ACCEPTED", "BELOW": "STALE"}
    assert "Lyon" not in repr(show(desk, "SAME")["record"]["evidence"])
    assert is_sound(desk)
    refuse(desk, request)
    assert show(desk, "SAME")["record"]["evidence"][0]["quote"] == "The office is in Lyon."
    assert is_sound(desk)


def test_a_passage_may_stay_readable_and_then_nothing_else_falls(desk):
    given(desk, accepted("A", "Lyon"), accepted("SAME", "in Lyon"))
    request_deletion(desk, "adam", TENANT, Wanted(("A",), keep_passages=("E1",)), reason="asked")
    assert statuses(desk, "A", "SAME") == {"A": "DELETION_PENDING", "SAME": "ACCEPTED"}


# --- what is wanted ------------------------------------------------------------------------------------------------


def test_a_source_named_means_all_its_versions(desk):
    given(desk, evidence("E2", version=2, text="Another text."), accepted("A"))
    asked_to_forget(desk, "S1")
    assert statuses(desk, "E1", "E2", "A") == {"E1": "DELETION_PENDING", "E2": "DELETION_PENDING", "A": "STALE"}


def test_by_subject_everything_held_about_it_is_found_whatever_its_status(desk):
    given(
        desk, accepted("A", subject="person:x"), claim("B", subject="person:x"), accepted("C", subject="person:x", scope="acme/api", status="rejected", route="rejected"),
        accepted("D", subject="person:xy"),
    )  # fmt: skip
    found = foreseen(desk, Wanted(found_by="subject", name="person:x"))
    assert [one.id for one in found.targets] == ["A", "B", "C"]
    assert [one.id for one in foreseen(desk, Wanted(found_by="subject", name="person:x", scope="acme/api")).targets] == ["C"]
    assert [one.id for one in foreseen(desk, Wanted(found_by="subject", name="person:x", left_out=("B",))).targets] == ["A", "C"]


def test_by_source_its_versions_and_what_was_taken_from_them_are_found(desk):
    given(desk, source("S2"), evidence("E2", "S2"), accepted("X", evidence=[passage(evidence="E2")]), accepted("A"))
    assert [one.id for one in foreseen(desk, Wanted(found_by="source", name="S2")).targets] == ["E2", "X"]


def test_by_search_what_holds_the_words_is_found(desk):
    given(desk, accepted("A", "has diabetes"), claim("B", "diabetes, perhaps"), accepted("C", "well"))
    assert [one.id for one in foreseen(desk, Wanted(found_by="search", name="diabetes")).targets] == ["A", "B"]
    with refused("not_found"):
        foreseen(desk, Wanted(found_by="search", name="asthma"))


# --- who may -------------------------------------------------------------------------------------------------------


def test_asking_running_and_refusing_take_admin_of_everything_named(desk):
    given(desk, accepted("A"), accepted("B", scope="acme/api"), person("alice", "admin", "acme/api"))
    with refused("not_allowed"):
        asked_to_forget(desk, "A", by="ana")
    with refused("not_found"):
        asked_to_forget(desk, "A", by="alice")
    with refused("not_found"):
        asked_to_forget(desk, "NONE")

    request = asked_to_forget(desk, "B", by="alice")
    with refused("not_allowed"):
        run_deletion(desk, "ana", TENANT, request)
    with refused("not_found"):
        run_deletion(desk, "rita", TENANT, request)
    both = asked_to_forget(desk, "A", by="adam")
    with refused("not_found"):
        run_deletion(desk, "alice", TENANT, both)


# --- refusing ------------------------------------------------------------------------------------------------------


def test_refusing_gives_back_the_status_it_had_and_stale_for_what_was_accepted(desk):
    chain(desk)
    given(desk, claim("N"), accepted("D", status="disputed"), accepted("G", status="revoked"))
    request = asked_to_forget(desk, "A", "N", "D", "G")
    refuse(desk, request)

    assert statuses(desk, "A", "B", "R1", "N", "D", "G") == {
        "A": "STALE", "B": "STALE", "R1": "STALE", "N": "CANDIDATE", "D": "DISPUTED", "G": "REVOKED",
    }  # fmt: skip
    assert show(desk, "A")["record"]["value"] == "x"
    assert state(desk, request) == "refused"
    assert is_sound(desk)
    with refused("already_decided"):
        refuse(desk, request)
    with refused("already_decided"):
        run_deletion(desk, "adam", TENANT, request)


def test_what_comes_back_is_whole_though_its_source_was_blotted_meanwhile(desk):
    given(desk, accepted("A"), accepted("B", quote="NAV at quarter end was 184,000,000 USD."))
    other = asked_to_forget(desk, "B")
    forgotten(desk, "A")
    refuse(desk, other)

    assert status(desk, "B") == "STALE"
    assert show(desk, "B")["record"]["evidence"][0]["quote"] == "NAV at quarter end was 184,000,000 USD."
    assert is_sound(desk)


def test_a_record_named_like_a_tombstone_is_erased_all_the_same(desk):
    given(desk, accepted("A"), accepted("named-like-it", "a secret value", on="A", statement="the secret statement"))
    with write(desk, "adam", TENANT, "rename", ["before such ids were refused"]) as tx:
        r = t.record
        number = tx.connection.execute(sa.select(r.c.record).where(r.c.id == "named-like-it")).scalar_one()
        tx.connection.execute(sa.update(r).where(r.c.record == number).values(id="erased-00112233"))
        hash_again(tx, [number])
    forgotten(desk, "A")
    assert is_sound(desk)
    forgotten(desk, "erased-00112233")

    assert "secret" not in repr(dump(desk))
    assert is_sound(desk)


def test_a_conflict_dissolves_with_a_request_and_comes_back_when_it_is_refused(desk):
    given(desk, accepted("A", "x", subject="s"), accepted("B", "y", subject="s", status="disputed", quote="The endpoint accepts safe retries."))
    assert len(conflicts(desk)) == 1
    request = asked_to_forget(desk, "B")
    assert conflicts(desk) == []
    assert ask(desk, "s")["result"] == "OK"
    refuse(desk, request)
    assert len(conflicts(desk)) == 1
    assert is_sound(desk)


def test_the_events_of_what_was_forgotten_are_found_by_the_id_it_had(desk):
    given(desk, accepted("A", "a secret value"))
    forgotten(desk, "A")
    found = list_events(desk, "olga", record="A")["items"]
    assert [one["action"] for one in found][:2] == ["import", "request deletion"]
    assert "secret" not in repr(found)
    with refused("not_found"):
        list_events(desk, "olga", record="B")


def test_what_began_to_be_erased_is_not_refused_any_more(desk):
    given(desk, accepted("A"))
    request = forgotten(desk, "A")
    with refused("already_decided", "is complete"):
        refuse(desk, request)
    assert state(desk, request) == "complete"


def test_what_began_to_be_erased_and_waits_for_somebody_is_not_refused_either(desk):
    given(desk, accepted("A"))
    waiting(desk)
    request = forgotten(desk, "A")
    with refused("illegal_step", "cannot be refused"):
        refuse(desk, request)


# --- erasing -------------------------------------------------------------------------------------------------------


def test_erasing_leaves_a_tombstone_and_says_how_far_each_surface_is(desk):
    given(desk, accepted("A", "has diabetes"))
    waiting(desk)
    request = forgotten(desk, "A")

    found = surfaces(desk, request)
    assert list(found) == ["record", "evidence", "search_index", "caches", "previews", "history", "read_log", "exports", "replicas", "logs", "backups"]
    assert found["record"] == found["search_index"] == "done"
    assert found["replicas"] == "open"
    assert state(desk, request) == "open"
    assert is_sound(desk)
    settle_surface(desk, "adam", TENANT, request, "replicas", 1, "done")
    assert surfaces(desk, request)["replicas"] == "done"
    assert state(desk, request) == "complete"
    with refused("not_found"):
        show(desk, "A", "rita")


def test_running_again_changes_nothing_that_is_done(desk):
    given(desk, accepted("A"))
    request = forgotten(desk, "A")
    before = dump(desk, but={"event", "event_note", "operation", "tenant"})
    run_deletion(desk, "adam", TENANT, request)
    assert dump(desk, but={"event", "event_note", "operation", "tenant"}) == before


def test_what_people_answer_for_is_settled_by_hand_and_what_claimdesk_clears_is_not(desk):
    given(desk, accepted("A"))
    waiting(desk)
    request = forgotten(desk, "A")
    with refused("illegal_step", "one by one"):
        settle_surface(desk, "adam", TENANT, request, "replicas", 0, "unsupported")
    settle_surface(desk, "adam", TENANT, request, "replicas", 1, "unsupported")
    assert surfaces(desk, request)["replicas"] == "unsupported"
    with refused("illegal_step", "not settled by hand"):
        settle_surface(desk, "adam", TENANT, request, "record", 0, "done")
    with refused("bad_value", "rule"):
        settle_surface(desk, "adam", TENANT, request, "logs", 0, "kept")
    with refused("not_allowed"):
        settle_surface(desk, "ana", TENANT, request, "logs", 0, "done")
