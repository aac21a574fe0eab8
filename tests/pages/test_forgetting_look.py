"""Texts in which a single word of what was forgotten stands are told on the page of the request, and somebody who may run it settles them."""

import re

import pytest

from store import Wanted, create_store, import_lines, open_correction, open_store, request_deletion, run_deletion, view_correction
from tests.builders import CAST, GROUND, TENANT, accepted, carry_out, encode, suspending
from tests.pages.opened import links, opener, raw, words

open_page = opener("forgetting", "adam")


@pytest.fixture
def kestrel(tmp_path):
    url = f"sqlite:///{tmp_path}/own.db"
    store = create_store(url)
    lines = [*CAST, *GROUND, accepted("HOME", "Maria Kestrel lives at 4 Rowan Street", subject="guest-1"), accepted("OTHER", "the tram stops here")]
    assert import_lines(store, "operator", encode(lines), reviewed=True)["rejected"] == []
    carry_out(store, suspending("OTHER"), reason="Kestrel called")
    open_correction(store, "ana", TENANT, "What Kestrel complained of", sources=["S1"])
    request = request_deletion(store, "adam", TENANT, Wanted(ids=("HOME",)), reason="they asked", ground="asked_by_person")["request"]
    run_deletion(store, "adam", TENANT, request)
    store.close()
    return url, request


def test_they_are_listed_by_what_they_are_and_blotted_out_by_who_looked(monkeypatch, kestrel):
    url, request = kestrel
    at = open_page(monkeypatch, url, request=request, tenant=TENANT)

    said = words(at)
    assert "What somebody should look at" in said
    assert "Correction cases 1 text Look" in said
    assert "/sheet" not in links(at), "each event leads to what it did, not to the decisions of today"
    assert re.search(r'href="/revoke\?[^"]*done=\d+', links(at))
    assert "Reasons of actions 2 texts (events " in said
    assert "Nothing of it is left." in said
    assert "Kestrel" not in said

    at.session_state["decision.last_press"] = 0.0
    at.text_area[0].input("Kestrel")
    next(one for one in at.button if one.label == "I looked at all of them").click().run()
    assert not at.exception, at.exception

    said = words(at)
    assert "What somebody should look at" not in said
    assert "blotted out 5 places." in said
    store = open_store(url)
    assert view_correction(store, "ana", TENANT, "correction-S1").row.title == "███"
    store.close()


def test_who_may_not_run_the_request_is_told_and_gets_no_field(monkeypatch, kestrel):
    url, request = kestrel
    at = open_page(monkeypatch, url, person="ana", request=request, tenant=TENANT)

    assert "What somebody should look at" in words(at)
    assert list(at.text_area) == []


def test_of_many_records_some_are_listed_and_the_others_folded(monkeypatch, tmp_path):
    url = f"sqlite:///{tmp_path}/own.db"
    store = create_store(url)
    ids = tuple(f"N{n}" for n in range(12))
    assert import_lines(store, "operator", encode([*CAST, *GROUND, *(accepted(one, one) for one in ids)]), reviewed=True)["rejected"] == []
    request = request_deletion(store, "adam", TENANT, Wanted(ids=ids), reason="they asked", ground="asked_by_person")["request"]
    store.close()

    shown, folded = raw(open_page(monkeypatch, url, request=request, tenant=TENANT)).split("4 more records")

    assert [sum(f">{one}<" in part for one in ids) for part in (shown, folded)] == [8, 4]


def test_a_find_called_by_its_key_is_told_its_kind_and_value_and_not_its_key_twice(monkeypatch, kestrel):
    url, _ = kestrel
    said = words(open_page(monkeypatch, url, do="request", find="tram", tenant=TENANT))

    assert "subject-OTHER · says the tram stops here claim · OTHER" in said
