"""What is held about a person, as it is shown to that person: plain words, everything, and counts where values are not told."""

from __future__ import annotations

import pytest

from store import Question, create_store, import_lines, open_store, read_claims, reject, view_person_held
from tests.builders import CAST, GROUND, accepted, artifact, claim, decide, delivered, encode, evidence, person, refused, source
from tests.pages.opened import opener, raw, words

open_page = opener("about")
LIN = "person:lin"
TRIPS, SUPPORT = "acme/trips", "acme/support"


@pytest.fixture
def url(tmp_path):
    """Of Lin: a wish in use that an agent was told, a doubt, a proposal, a sensitive one, three refused, one replaced, a report that went out."""
    found = f"sqlite:///{tmp_path}/own.db"
    store = create_store(found)
    about = {"subject": LIN, "claim_type": "preference", "speaker": "lin"}
    lines = [
        *CAST, *GROUND, person("tia", "reviewer", TRIPS),
        accepted("seat", "aisle, never middle", predicate="seat", scope=TRIPS, confirmed_by="ana", purposes=["booking", "*"], **about),
        accepted("diet", "vegetarian", predicate="diet", scope=TRIPS, sensitivity="sensitive", confirmed_by="lin", **about),
        accepted("tone", "short answers", predicate="tone", scope=SUPPORT, **about), accepted("pace", "slow trips", predicate="pace", scope=TRIPS, status="stale", **about),
        artifact("itinerary", "seat", title="Itinerary of May", scope=TRIPS, deliveries=[delivered("kim@example.org")]),
    ]  # fmt: skip
    waits = [
        claim("tone2", "long answers", predicate="tone", scope=SUPPORT, confirmed_by="lin", **about), claim("hotel", "near the station", predicate="hotel", scope=TRIPS, **about),
        *(claim(f"no{n}", f"secret {n}", predicate="guess", scope=TRIPS, **about) for n in range(3)),
    ]  # fmt: skip
    assert import_lines(store, "operator", encode(lines), reviewed=True)["rejected"] == []
    assert import_lines(store, "operator", encode(waits))["rejected"] == []
    decide(store, "tone2", "ben", replaces="tone")
    for id, route in (("no0", "sensitive"), ("no1", "session_only"), ("no2", "session_only")):
        reject(store, "ben", "acme", id, route, "not kept")
    read_claims(store, "rita", Question(TRIPS, LIN, "seat"))
    read_claims(store, "rita", Question(TRIPS, LIN, "seat"))
    store.close()
    return found


def test_it_says_what_is_held_why_since_when_until_when_and_who_was_told(monkeypatch, url):
    said = words(open_page(monkeypatch, url, subject=LIN, tenant="acme", show="person"))

    assert "What is held about lin" in said
    assert "We hold 5 statements about you. Our assistants may use 3 of them. 3 more were not taken up: they are not used, and stay until they are forgotten. 1 more was replaced or withdrawn: it is not used, and stays as history until it is forgotten. 1 is marked as sensitive, so its wording is not printed here" in said
    assert "seat aisle, never middle where it applies in acme/trips; only for booking why it is held You said so yourself ; confirmed by Ana ; taken from “Source S1”" in said
    assert "who was told Rita (2 times, last on" in said
    assert "it is looked at again on 1 Jan 2099" in said
    assert "It has to be checked again, so nobody is told it." in said
    assert "What was proposed, and nobody has accepted 1 hotel near the station" in said
    assert "Itinerary of May : kim@example.org on 1 Jun 2026" in said
    assert "accepted by Ben" in said


def test_what_is_refused_replaced_or_sensitive_is_counted_and_never_quoted(monkeypatch, url):
    at = open_page(monkeypatch, url, subject=LIN, tenant="acme", show="person")

    said = words(at)
    assert "1 statement was refused as too sensitive to keep." in said
    assert "2 statements were kept to the one task they were made for." in said
    assert "1 earlier statement was replaced by a newer one." in said
    assert "not printed: marked as sensitive" in said
    for word in ("secret", "vegetarian", "short answers"):
        assert word not in raw(at)
    for id in ("seat", "tone2", "no1"):
        assert f"record={id}" not in raw(at)


def test_who_sees_a_part_of_the_tenant_says_so_and_shows_that_part(monkeypatch, url):
    said = words(open_page(monkeypatch, url, "tia", subject=LIN, tenant="acme", show="person"))

    assert "It covers acme/trips only. Somebody else in acme may hold more" in said
    assert "long answers" not in said
    assert "It covers everything held in acme." in words(open_page(monkeypatch, url, subject=LIN, tenant="acme", show="person"))


def test_only_a_person_is_shown_it_and_only_by_who_may_see_everything_of_a_scope(monkeypatch, url):
    store = open_store(url)
    with refused("bad_value", "is no person"):
        view_person_held(store, "ana", "acme", "author")
    for who in ("rita", "bot"):
        with refused("not_found"):
            view_person_held(store, who, "acme", LIN)
    with refused("not_found"):
        view_person_held(store, "ana", "acme", "person:nobody")

    assert "Print it with your browser" in words(open_page(monkeypatch, url, subject=LIN, tenant="acme", show="person"))
    assert "What can be shown to this person" in words(open_page(monkeypatch, url, subject=LIN, tenant="acme"))
    assert "What can be shown to this person" not in words(open_page(monkeypatch, url, "rita", subject=LIN, tenant="acme"))
    assert "Nothing can be shown" in words(open_page(monkeypatch, url, "rita", subject=LIN, tenant="acme", show="person"))


def test_who_administers_begins_a_request_to_forget_from_it(monkeypatch, url):
    assert "/forgetting?do=request&amp;subject=person%3Alin" in raw(open_page(monkeypatch, url, "adam", subject=LIN, tenant="acme", show="person"))
    assert "/forgetting" not in raw(open_page(monkeypatch, url, subject=LIN, tenant="acme", show="person"))


def test_a_source_that_may_not_be_read_is_counted_without_its_title(monkeypatch, url):
    store = open_store(url)
    import_lines(
        store, "operator",
        encode([
            source("S9", "acme/board", title="Board minutes"), evidence("E9", "S9", "Lin flies at night."),
            accepted("night", "flies at night", subject=LIN, predicate="night", scope=TRIPS, claim_type="external", evidence=[{"evidence": "E9", "span": {"start": 0, "end": 19}, "quote": "Lin flies at night."}]),
        ]), reviewed=True,
    )  # fmt: skip

    found = next(one for one in view_person_held(store, "tia", "acme", LIN).claims if one.predicate == "night")
    assert (found.sources, found.hidden_sources) == ((), 1)
    assert "1 document that cannot be named here" in words(open_page(monkeypatch, url, "tia", subject=LIN, tenant="acme", show="person"))
