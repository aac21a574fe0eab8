"""Requests to forget stand on the page of the day of whoever answers for them; past their date, of everybody who may run them."""

from store import Wanted, count_waiting, request_deletion, run_deletion
from tests.builders import accepted, person
from tests.pages.opened import opener
from tests.pages.test_today import built, links, words  # noqa: F401 - a fixture

open_page = opener("today")
DAY = 24 * 3600 * 10**6


def test_a_request_waits_for_whoever_answers_for_it_and_past_its_date_for_whoever_may_run_it(monkeypatch, built):  # noqa: F811
    url, store = built(person("ada", "admin"), accepted("A"), accepted("B", quote="The endpoint accepts safe retries."))
    request = request_deletion(store, "adam", "acme", Wanted(("A",)), reason="asked", ground="asked_by_person", due_at=store.now() - 5 * DAY)["request"]
    coming = request_deletion(store, "ada", "acme", Wanted(("B",)), reason="asked", ground="wrong_about_person", due_at=store.now() + 12 * DAY)["request"]

    before = count_waiting(store, "adam")
    assert before.deletions == 1
    at = open_page(monkeypatch, url, "adam")
    assert "1 request to forget" in words(at)
    assert "The person it describes asked for it" in words(at)
    assert "was due 5 days ago" in words(at)
    assert any(link.startswith("/forgetting?") and f"request={request}" in link and "tenant=acme" in link for link in links(at))
    assert coming not in words(at)

    assert count_waiting(store, "ada").deletions == 2
    theirs = words(open_page(monkeypatch, url, "ada"))
    assert "It is wrong about a person" in theirs and coming in theirs
    for who in ("ana", "olga"):
        assert count_waiting(store, who).deletions == 0
        assert request not in words(open_page(monkeypatch, url, who))

    run_deletion(store, "adam", "acme", request)
    assert (count_waiting(store, "adam").deletions, count_waiting(store, "adam").total) == (0, before.total - 1)
    store.close()
