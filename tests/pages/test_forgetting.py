"""The page of forgetting, run without a browser: what is meant, asking, erasing, refusing, settling, and who sees what."""

from __future__ import annotations

import json
import re

import pytest

from pages.widgets.forgetting_proofs import draw_verification
from pages.widgets.forgetting_receipt import _verification
from store import (
    Plan,
    Verb,
    Wanted,
    export_store,
    import_lines,
    list_deletions,
    list_export_copies,
    open_store,
    rehearse,
    reject,
    request_deletion,
    run_deletion,
    view_deletion,
    write_deletion_letter,
    write_plainly,
)
from tests.breaking import allow_statements, refuse_statements
from tests.pages.opened import links, opener, raw, words

open_page = opener("forgetting", "ravi")
SUBJECT = "team-lead"


def press(at, label):
    return next(button for button in at.button if button.label.startswith(label)).click().run()


def field(at, kind, label):
    return next(one for one in at.get(kind) if one.label.startswith(label))


def ask(at, reason="a letter of Monday"):
    field(at, "selectbox", "Ground").set_value("asked_by_person")
    field(at, "text_area", "Reason").set_value(reason)
    delivered = [one for one in at.text_input if one.label.startswith("Type ")]
    if delivered:
        delivered[0].set_value(delivered[0].label.split()[1].strip(","))
    for box in at.checkbox:
        box.check()
    return press(at, "Block ")


@pytest.fixture
def asked(fresh):
    """The sample with a request for one claim, not yet erased."""
    store = open_store(fresh)
    request = request_deletion(store, "ravi", "acme", Wanted(("nav-2026-q2",)), reason="a letter that came on Monday", ground="asked_by_person", requester="Nora Quist")["request"]
    store.close()
    return fresh, request


def test_the_empty_list_says_how_to_begin(monkeypatch, sample):
    at = open_page(monkeypatch, sample)

    assert "No request to forget is open" in words(at)
    assert "/forgetting?do=request&by=subject" in links(at)


def test_who_may_not_ask_is_shown_no_way_to(monkeypatch, sample):
    at = open_page(monkeypatch, sample, person="mei")

    assert "Requests are entered by admins" in words(at)
    assert "do=request" not in links(at)


def test_asking_needs_a_ground_and_a_reason(monkeypatch, fresh):
    at = open_page(monkeypatch, fresh, do="request", record="guess-retry", tenant="acme")
    press(at, "Block ")

    assert "Choose a ground." in words(at)
    assert "Give a reason." in words(at)


def test_a_request_blocks_at_once_and_its_page_says_so_without_showing_it(monkeypatch, fresh):
    at = open_page(monkeypatch, fresh, do="request", record="nav-2026-q2", tenant="acme")
    ask(at)

    assert not at.exception
    said = words(at)
    assert "1 record is blocked" in said
    assert "Nobody can read it" in said
    assert "184,000,000" not in said
    store = open_store(fresh)
    row = list_deletions(store, "ravi")[0]
    assert (row.ground, row.state, row.targets) == ("asked_by_person", "open", 1)
    assert at.query_params["request"] in (row.id, [row.id])
    store.close()


def test_everything_about_a_subject_can_be_asked_for_with_some_left_out(monkeypatch, sample):
    at = open_page(monkeypatch, sample, do="request", subject=SUBJECT, tenant="acme")
    assert "everything about “team-lead”" in words(at)
    assert "&leave=" in links(at)


def test_finds_of_a_search_are_confirmed_one_by_one_and_none_is_ticked_before(monkeypatch, sample):
    at = open_page(monkeypatch, sample, do="request", by="search", find="goodwill", tenant="acme")
    assert at.checkbox
    assert not any(box.value for box in at.checkbox)
    press(at, "Show what these reach")
    assert "Nothing is ticked" in words(at)
    at.checkbox[0].check()
    press(at, "Show what these reach")

    assert not at.exception
    assert "is blocked at once" in words(at)
    assert at.query_params["search"] in ("goodwill", ["goodwill"])


def test_what_one_does_not_administer_cannot_be_asked_for(monkeypatch, sample):
    at = open_page(monkeypatch, sample, person="ana", do="request", record="nav-2026-q2", tenant="acme")

    assert "This cannot be asked for" in words(at)
    assert not [button for button in at.button if button.label.startswith("Block")]


def test_a_reach_that_changed_meanwhile_is_told_and_nothing_is_asked(monkeypatch, fresh):
    at = open_page(monkeypatch, fresh, do="request", subject=SUBJECT, tenant="acme")
    store = open_store(fresh)
    first = rehearse(store, "ravi", "acme", Plan(Verb.ERASE, ("nav-2026-q2",)))
    assert first is not None
    target = next(one for one in links(at).split("leave=")[1:]).split("&")[0].split('"')[0]
    request_deletion(store, "ravi", "acme", Wanted((target,)), reason="somebody else was faster")
    ask(at)

    assert "has changed" in words(at)
    assert len(list_deletions(store, "ravi")) == 1
    store.close()


def test_erasing_runs_from_the_page_to_its_end_where_nothing_waits_for_people(monkeypatch, asked):
    url, request = asked
    at = open_page(monkeypatch, url, request=request, tenant="acme")
    assert "Nothing is erased yet" in words(at)
    assert "Nora Quist" in words(at)
    press(at, "Erase everywhere now as")

    assert not at.exception
    store = open_store(url)
    view = view_deletion(store, "ravi", "acme", request)
    store.close()
    states = {surface.name: surface.state for surface in view.surfaces}
    assert states["record"] == "done"
    assert "Complete since" in words(at)
    assert "nothing of it was there · by the desk itself" in words(at)
    assert "nav-2026-q2" not in raw(at)
    assert "Nora Quist" not in words(at)


def test_a_file_outside_is_settled_when_its_holder_destroyed_it(monkeypatch, fresh, tmp_path):
    store = open_store(fresh)
    export_store(store, "ravi", tmp_path / "all.jsonl", scope="acme", form="bundle")
    later = request_deletion(store, "ravi", "acme", Wanted(("guess-retry",)), reason="third letter")["request"]
    run_deletion(store, "ravi", "acme", later)
    at = open_page(monkeypatch, fresh, request=later, tenant="acme")
    assert "1 record is erased" in words(at)
    assert "1 place still waits for somebody" in words(at)
    assert [button.label for button in at.button if button.label.startswith(("Look again", "Go on"))] == ["Look again as Ravi Solanke"]
    assert "Files that were exported ( Ravi Solanke )" in words(at).replace("(", "( ").replace(")", " )").replace("  ", " ")
    said = words(at)
    assert said.index("Whoever holds one is asked") < said.index("Id, value, key, body and notes are emptied"), "what waits for somebody stands before what is done"
    press(at, "I have destroyed it")
    assert "Complete since" in words(at)
    assert "0 place" not in words(at)
    assert "Receipt" in words(at)

    assert not at.exception
    exports = next(surface for surface in view_deletion(store, "ravi", "acme", later).surfaces if surface.name == "exports")
    assert (exports.state, exports.copies[0].by) == ("done", "ravi")
    store.close()


def test_a_request_is_refused_only_before_erasing_began(monkeypatch, asked):
    url, request = asked
    at = open_page(monkeypatch, url, request=request, tenant="acme")
    field(at, "text_area", "Why it is refused").set_value("it was meant for somebody else")
    press(at, "Refuse it")

    assert "refused it" in words(at)
    at = open_page(monkeypatch, url, show="refused")
    assert "Refused" in words(at)
    assert not [button for button in open_page(monkeypatch, url, request=request, tenant="acme").button if button.label.startswith("Erase")]


def test_who_may_only_look_sees_the_places_and_no_button(monkeypatch, asked):
    url, request = asked
    at = open_page(monkeypatch, url, person="mei", request=request, tenant="acme")

    assert "Backups" in words(at)
    assert "Nora Quist" not in words(at)
    assert not [button for button in at.button if button.label.startswith(("Erase", "Refuse", "Settle"))]


@pytest.mark.parametrize("query", [{"request": "nobody-knows-it"}, {"request": "acme-deletion-1", "tenant": "nobody"}])
def test_a_request_that_is_not_there_is_said_so(monkeypatch, sample, query):
    assert "There is no such request" in words(open_page(monkeypatch, sample, **query))


def test_a_request_of_other_scopes_is_answered_as_one_that_is_not_there(monkeypatch, asked):
    url, request = asked
    theirs = words(open_page(monkeypatch, url, person="noor", request=request, tenant="acme"))
    nobodys = words(open_page(monkeypatch, url, person="noor", request="acme-deletion-99", tenant="acme"))

    assert theirs == nobodys.replace("acme-deletion-99", request)


def test_every_exported_file_stands_in_the_register_until_it_is_noted_as_destroyed(monkeypatch, fresh, tmp_path):
    store = open_store(fresh)
    export_store(store, "ravi", tmp_path / "all.jsonl", scope="acme", form="bundle", holder="the auditors")
    at = open_page(monkeypatch, fresh, view="copies", tenant="acme")
    assert "1 exported file of acme is not known to be destroyed" in words(at)
    assert "held by the auditors" in words(at)
    press(at, "Note that the auditors destroyed it")

    assert not at.exception
    assert "No exported file of acme is out there. No backup is kept." in words(at)
    assert list_export_copies(store, "ravi", "acme").open == 0
    store.close()


def test_the_register_is_for_admins(monkeypatch, sample):
    assert "There is no register you may see" in words(open_page(monkeypatch, sample, person="ana", view="copies", tenant="acme"))


def test_a_drill_runs_from_the_page_and_is_kept_with_what_it_found(monkeypatch, fresh):
    at = press(open_page(monkeypatch, fresh, view="proofs"), "Run a restore drill")

    assert not at.exception
    said = words(at)
    assert "Restore drill" in said
    assert "Nothing came back" in said
    assert "the forgotten records were found nowhere" in said or "forgotten records were found nowhere" in said


def test_without_a_proof_the_page_says_what_would_be_one(monkeypatch, sample):
    assert "No proof was kept" in words(open_page(monkeypatch, sample, view="proofs"))


def test_the_page_of_a_record_begins_a_request_and_shows_nothing_of_it_afterwards(monkeypatch, asked):
    url, _ = asked
    at = opener("record", "ravi")(monkeypatch, url, record="goodwill")
    assert "/forgetting?do=request&record=goodwill&tenant=acme" in links(at)
    assert "do=request" not in links(opener("record", "ana")(monkeypatch, url, record="goodwill"))
    gone = words(opener("record", "ravi")(monkeypatch, url, record="nav-2026-q2"))

    assert "A record that is being deleted" in gone
    assert "Asked to be forgotten" in gone
    assert "179" not in gone


def test_what_was_rejected_as_too_sensitive_can_be_forgotten_from_where_it_was_rejected(monkeypatch, fresh):
    store = open_store(fresh)
    reject(store, "ben", "acme", "morning-person", "sensitive", "not ours to keep")
    store.close()

    assert "/forgetting?do=request&record=morning-person&tenant=acme" in links(opener("candidates", "ravi")(monkeypatch, fresh, candidate="morning-person"))
    assert "do=request" not in links(opener("candidates", "ben")(monkeypatch, fresh, candidate="morning-person"))


def test_the_page_about_a_subject_begins_a_request_for_everything_about_it(monkeypatch, sample):
    at = opener("about", "ravi")(monkeypatch, sample, subject="person:lin-yue")

    assert "/forgetting?do=request&subject=person%3Alin-yue&tenant=acme" in links(at)


def test_the_receipt_and_the_letter_say_what_was_done_and_hold_nothing_of_what_was_forgotten(monkeypatch, asked):
    url, request = asked
    store = open_store(url)
    run_deletion(store, "ravi", "acme", request)
    plain = write_plainly(write_deletion_letter(store, "ravi", "acme", request))
    store.close()
    receipt = open_page(monkeypatch, url, request=request, tenant="acme", part="receipt")
    said = words(receipt)
    assert "This receipt holds nothing of what was forgotten" in said
    assert "1 claim forgotten" in said
    assert "Looked for afterwards" in said
    assert "JSON" in [button.label for button in receipt.get("download_button")]
    letter = " ".join(words(open_page(monkeypatch, url, request=request, tenant="acme", part="letter")).split())

    assert " ".join(" ".join(plain).split()) in letter
    assert "What you asked us to forget (1 statement) is erased" in letter
    assert "What we cannot undo" in letter
    for told in (said, letter, raw(receipt)):
        assert "nav-2026-q2" not in told
        assert "Nora Quist" not in told
        assert "179" not in told


def test_other_records_with_the_same_words_are_told_and_linked_to(monkeypatch, fresh):
    store = open_store(fresh)
    request = request_deletion(store, "ravi", "acme", Wanted(("goodwill",)), reason="fourth letter")["request"]
    run_deletion(store, "ravi", "acme", request)
    store.close()
    at = open_page(monkeypatch, fresh, request=request, tenant="acme")

    assert "Other records with the same words" in words(at)
    assert "record=goodwill-old" in links(at)
    for part in ("receipt", "letter"):
        told = words(open_page(monkeypatch, fresh, request=request, tenant="acme", part=part))
        assert "The same words also stand in 3 places of other records, which were not part of the request." in told
        assert "goodwill-old" not in told


def test_the_receipt_and_the_proofs_count_the_names_others_go_by_as_the_letter_does():
    verified = {"ok": True, "at": "2026-11-30T20:32:33Z", "also_places": 1}

    assert "also stand in 3 places of other records" in _verification({**verified, "names": 2})
    assert "stand in 3 places of other records" in draw_verification({**verified, "names": {"source": 2}})
    assert "places of other records" not in _verification({**verified, "also_places": 0, "names": 0})


def test_who_may_only_look_sees_the_receipt_and_writes_no_letter(monkeypatch, asked):
    url, request = asked
    store = open_store(url)
    run_deletion(store, "ravi", "acme", request)
    store.close()

    assert "This receipt holds nothing" in words(open_page(monkeypatch, url, person="mei", request=request, tenant="acme", part="receipt"))
    assert "no letter for you to write" in words(open_page(monkeypatch, url, person="mei", request=request, tenant="acme", part="letter"))


def test_a_place_that_failed_says_why_and_going_on_tries_it_again(monkeypatch, asked):
    url, request = asked
    store = open_store(url)
    refuse_statements(store, "evidence_content")
    at = open_page(monkeypatch, url, request=request, tenant="acme")
    press(at, "Erase everywhere now")
    said = words(at)
    assert "It could not be erased in 1 place." in said
    assert "failed in 1 place, which says why" in said
    assert "The disk of the database is full or failing, so nothing was erased here. Free some space, then go on." in said
    assert "failed in 1 place; it says why" in words(open_page(monkeypatch, url))

    allow_statements(store, "evidence_content")
    press(open_page(monkeypatch, url, request=request, tenant="acme"), "Go on erasing")
    assert "failed" not in {one.state for one in view_deletion(store, "ravi", "acme", request).surfaces}
    store.close()


def test_what_the_desk_clears_itself_waits_for_nobody_when_erasing_is_broken_off(monkeypatch, fresh):
    store = open_store(fresh)
    request = request_deletion(store, "ravi", "acme", Wanted((), "source", "SUPPORT-CHAT"), reason="kept too long")["request"]
    refuse_statements(store, "evidence_content")
    run_deletion(store, "ravi", "acme", request)
    said = words(open_page(monkeypatch, fresh, request=request, tenant="acme"))

    assert re.search(r"what the index kept of them is rewritten\. (?!waits for)", said)
    store.close()


def test_what_the_policy_names_is_told_with_a_way_there_and_searched_for_again_by_who_knows_it(monkeypatch, fresh):
    word = "Quindlewick-7781"
    store = open_store(fresh)
    policy = {"type": "policy", "scope": "acme", "watch_words": {"other": {"en": [word]}}}
    claim = {"type": "claim", "id": "odd", "scope": "acme/funds", "subject": "mast", "predicate": "says", "value": word}
    import_lines(store, "operator", [json.dumps(line).encode() for line in (policy, claim)], reviewed=True)
    request = request_deletion(store, "ravi", "acme", Wanted(("odd",)), reason="a letter")["request"]
    assert run_deletion(store, "ravi", "acme", request)["verification"]["left"] == {"policy.settings": 1}
    at = open_page(monkeypatch, fresh, person="operator", request=request, tenant="acme")
    assert "The policy of the tenant names it" in words(at)
    assert "/people" in links(at)
    assert word not in words(at)
    assert "Search again for its words" not in words(open_page(monkeypatch, fresh, request=request, tenant="acme"))

    import_lines(store, "operator", [json.dumps({**policy, "watch_words": {"other": {"en": ["something else"]}}}).encode()], reviewed=True)
    field(at, "text_area", "Words, one a line").set_value(word)
    press(at, "Search again")
    assert not at.exception
    assert "The policy of the tenant names it" not in words(at)
    assert run_deletion(store, "ravi", "acme", request)["state"] == "complete"
    store.close()
