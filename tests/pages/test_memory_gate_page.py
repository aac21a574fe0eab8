"""The four tests run from the page of forgetting, and stand there with what each did, retrieved and found."""

from __future__ import annotations

from store import list_proofs, open_store
from tests.pages.opened import opener, words

open_page = opener("forgetting", "ravi")


def test_the_four_tests_run_from_the_page_and_say_what_each_retrieved(monkeypatch, fresh):
    at = open_page(monkeypatch, fresh, view="proofs", tenant="acme")
    next(one for one in at.button if one.label.startswith("Run the four tests")).click().run()

    assert not at.exception
    said = words(at)
    assert "Memory gate" in said
    assert "All four passed" in said and "Nothing left" not in said
    for part in ("a one-off stays out", "a correction wins in a new session", "another tenant reads nothing", "nothing comes back after deletion"):
        assert part in said
    assert "expected: gate-lasting and nothing else" in said
    assert "in the restored backup, search for the word: nothing" in said
    (proof,) = list_proofs(open_store(fresh), "ravi", kind="gate")
    assert len(proof.found["tests"]) == 4


def test_who_does_not_administer_sees_the_proofs_and_no_button(monkeypatch, fresh):
    at = open_page(monkeypatch, fresh, "ana", view="proofs", tenant="acme")

    assert not [one for one in at.button if one.label.startswith("Run the four tests")]
