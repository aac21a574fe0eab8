"""The page of dependencies, run without a browser: what each state says, and that its numbers agree."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from store import create_store, import_lines, look_around, open_store, picture_around
from tests.pages.opened import opener

open_page = opener("dependencies")

ROOT = Path(__file__).resolve().parents[2]
HUB = 10_000


def words(at):
    found = " ".join(re.sub(r"<[^>]+>", " ", element.proto.body if hasattr(element.proto, "body") else "") for element in at.get("html"))
    return re.sub(r"\s+([,.;:])", r"\1", re.sub(r"\s+", " ", found.replace("&#x27;", "'").replace("&amp;", "&")))


def asked(at, name):
    """The value of a parameter of the address, None where it has none."""
    found = at.query_params.get(name)
    return found[0] if isinstance(found, list) and len(found) == 1 else found


def graph(at):
    """What the picture was given."""
    return next(json.loads(one.proto.json) for one in at.get("bidi_component") if "nodes" in one.proto.json)


def places(at):
    return {node["id"]: (node["x"], node["y"]) for node in graph(at)["nodes"]}


def press(at, key):
    next(button for button in at.button if button.key == key).click().run()
    assert not at.exception, at.exception


@pytest.fixture(scope="module")
def shapes(tmp_path_factory):
    """A store with a chain of 500, a fan of 10,000 and a claim that rests on 40."""
    url = f"sqlite:///{tmp_path_factory.mktemp('shapes')}/shapes.db"
    store = create_store(url)

    def claim(id, *on):
        ground = {"derived_from": list(on)} if on else {"evidence": [{"evidence": "E", "quote": "x"}]}
        return {"type": "claim", "id": id, "scope": "acme", "subject": id, "predicate": "says", "value": 1, "owner": "ana", "review_at": "2099-01-01", "status": "reviewed", **ground}

    lines = [
        {"type": "person", "id": "ana", "name": "Ana", "roles": [{"role": "reviewer", "scope": "acme"}]},
        {"type": "source", "id": "S", "scope": "acme", "title": "Source"},
        {"type": "evidence", "id": "E", "source": "S", "version": 1, "captured_at": "2026-01-01T00:00:00Z", "media_type": "text/plain", "content": "x"},
        claim("link000"), *(claim(f"link{n:03}", f"link{n - 1:03}") for n in range(1, 500)),
        claim("hub"), *(claim(f"leaf{n:05}", "hub") for n in range(HUB)),
        *(claim(f"part{n}") for n in range(40)), claim("wide", *(f"part{n}" for n in range(40))),
    ]  # fmt: skip
    report = import_lines(store, "operator", [json.dumps(line).encode() for line in lines], reviewed=True)
    assert report["rejected"] == []
    store.close()
    return url


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ({}, "342 records and 408 lines between them"),
        ({}, "What most rests on"),
        ({}, "Changed last"),
        ({"find": "larch"}, "Larch Hollow Fund III"),
        ({"find": "zzzz nothing"}, "Nothing found for “zzzz nothing”"),
        ({"record": "nav-2026-q3"}, "rests on 1 record, and 17 records rest on it, directly or not"),
        ({"record": "nav-2026-q3"}, "10 records in view"),
        ({"record": "nav-2026-q3", "down": "all"}, "19 records in view"),
        ({"record": "nav-2026-q3", "down": "nonsense", "up": "-5", "lens": "?", "page": "x", "open": "no:thing"}, "10 records in view"),
        ({"record": "LARCH-Q3@1"}, "rests on nothing else"),
        ({"record": "nav-2026-q3", "to": "LARCH-Q3@1"}, "one shortest way"),
        ({"record": "nav-2026-q3", "to": "REFUND-POLICY@2"}, "nor the other way round"),
        ({"record": "nav-2026-q3", "sel": "LARCH-Q3@1"}, "source version"),
        ({"record": "nav-2026-q3", "sel": "not-there"}, "What was chosen is not there any more"),
        ({"record": "nav-2026-q3", "kind": "artifact"}, "3 of 10 records are shown"),
        ({"record": "nav-2026-q3", "state": "REVOKED"}, "No record is like that here"),
        ({"record": "nav-2026-q3", "page": "99"}, "the focus"),
        ({"record": "nobody-knows-it"}, "no record is called nobody-knows-it"),
        ({"record": "nav-2026-q3", "to": "nobody-knows-it"}, "no record is called nobody-knows-it"),
        ({"record": "nav-2026-q3", "lens": "owner"}, "olga"),
        ({"record": "nav-2026-q3", "down": "all", "only": "delivered"}, "5 of 19 records are shown"),
        ({"record": "nav-2026-q3", "only": "nonsense"}, "10 records in view"),
        ({"record": "REFUND-POLICY"}, "Refund policy of Acme Stationers v2"),
        ({"record": "nav-2026-q3", "lens": "distance"}, "1 step up"),
    ],
)  # fmt: skip
def test_each_state_says_what_is_so(monkeypatch, sample, query, says):
    assert says in words(open_page(monkeypatch, sample, **query))


def test_who_may_not_look_is_told_so(monkeypatch, sample):
    at = open_page(monkeypatch, sample, person="bot", record="nav-2026-q3")

    assert "There is nothing to show here" in words(at)
    assert not at.get("bidi_component")


@pytest.mark.parametrize(("record", "up", "down"), [("link250", "all", "all"), ("link000", "all", "all"), ("hub", "1", "1"), ("hub", "all", "all"), ("wide", "1", "1"), ("E", "1", "1")])
def test_a_chain_a_fan_and_forty_parents_are_pictures_that_sum_up(monkeypatch, shapes, record, up, down):
    at = open_page(monkeypatch, shapes, record=record, up=up, down=down)
    store = open_store(shapes)
    found = look_around(store, "ana", "acme", record, up=None if up == "all" else 1, down=None if down == "all" else 1)
    picture = picture_around(store, "ana", found)
    store.close()

    drawn = graph(at)
    assert len(drawn["nodes"]) == len(picture.nodes) <= 50
    assert picture.drawn + picture.folded == found.count()
    assert f"{found.count():,} records in view" in words(at)
    assert f"CSV of all {found.count():,}" in [button.proto.label for button in at.get("download_button")]


def test_what_is_selected_is_told_beside_and_the_picture_stays(monkeypatch, sample):
    before = places(open_page(monkeypatch, sample, record="nav-2026-q3"))
    at = open_page(monkeypatch, sample, record="nav-2026-q3", sel="LARCH-Q3@1")

    assert places(at) == before
    assert [node["form"] for node in graph(at)["nodes"] if node["chosen"]] == ["evidence"]
    assert {button.key for button in at.button} >= {"dependencies.centre", "dependencies.way"}


def test_a_bundle_opens_ten_more_and_again_ten_and_folds(monkeypatch, shapes):
    at = open_page(monkeypatch, shapes, record="hub")
    before = places(at)
    key = next(node["id"] for node in graph(at)["nodes"] if node["many"])
    at = open_page(monkeypatch, shapes, record="hub", bundle=key)
    for more in (10, 20):
        press(at, "dependencies.more")
        drawn = places(at)
        assert len(drawn) == len(before) + more
        assert {id: place for id, place in drawn.items() if id in before} == before
        assert asked(at, "open") == f"{more}:{key}"
    assert f"{HUB:,} claims" in words(at)
    assert places(open_page(monkeypatch, shapes, record="hub", open=f"20:{key}")) == drawn
    press(at, "dependencies.fold")
    assert places(at) == before


def test_a_bundle_is_listed_in_the_table(monkeypatch, shapes):
    at = open_page(monkeypatch, shapes, record="hub")
    key = next(node["id"] for node in graph(at)["nodes"] if node["many"])

    assert "10,000 of 10,002 records are shown" in words(open_page(monkeypatch, shapes, record="hub", **{"in": key}))


def test_centre_here_and_the_way_change_the_address(monkeypatch, sample):
    at = open_page(monkeypatch, sample, record="nav-2026-q3", sel="LARCH-Q3@1", down="2")
    press(at, "dependencies.way")
    assert asked(at, "to") == "LARCH-Q3@1"
    assert "The shortest ways" in words(at)

    at = open_page(monkeypatch, sample, record="nav-2026-q3", sel="LARCH-Q3@1", down="2")
    press(at, "dependencies.centre")
    assert asked(at, "record") == "LARCH-Q3@1"
    assert asked(at, "down") == "2", "how far one looks stays"
    assert "sel" not in at.query_params


@pytest.mark.parametrize(("typed", "record", "up", "down"), [
    ("LARCH-Q3@1", "LARCH-Q3@1", None, None), ("+nav-2026-q3", "nav-2026-q3", "all", "0"), ("nav-2026-q3+", "nav-2026-q3", "0", "all"),
    ("2+nav-2026-q3+3", "nav-2026-q3", "2", "3"), ("nav-2026-q3+1", "nav-2026-q3", "0", None),
])  # fmt: skip
def test_an_id_with_steps_around_it_is_understood(monkeypatch, sample, typed, record, up, down):
    at = open_page(monkeypatch, sample, record="nav-2026-q3", sel="LARCH-Q3@1")
    at.text_input[0].set_value(typed).run()

    assert not at.exception
    assert asked(at, "record") == record
    assert asked(at, "up") == up
    assert asked(at, "down") == down
    assert "sel" not in at.query_params


@pytest.mark.parametrize(("typed", "name", "value"), [("kind:artifact", "kind", "artifact"), ("state:stale", "state", "STALE"), ("state:current", "state", "ACCEPTED"), ("kind:nonsense", "find", "kind:nonsense")])
def test_kind_and_state_narrow_the_table(monkeypatch, sample, typed, name, value):
    at = open_page(monkeypatch, sample, record="nav-2026-q3")
    at.text_input[0].set_value(typed).run()

    assert asked(at, name) == value
    assert asked(at, "record") == "nav-2026-q3"


def test_two_ids_ask_for_the_ways_between_them(monkeypatch, sample):
    at = open_page(monkeypatch, sample)
    at.text_input[0].set_value("LARCH-Q3@1 > answer-larch-nav").run()

    assert (asked(at, "record"), asked(at, "to")) == ("LARCH-Q3@1", "answer-larch-nav")
    assert "The shortest ways" in words(at)
    assert "None" not in words(at).split()
    assert sum(line["way"] for line in graph(at)["edges"]) == 2


def test_words_are_searched(monkeypatch, sample):
    at = open_page(monkeypatch, sample)
    at.text_input[0].set_value("refund policy").run()

    assert asked(at, "find") == "refund policy"
    assert "Refund policy of Acme Stationers" in words(at)


def test_every_box_says_itself_in_words(monkeypatch, shapes):
    drawn = graph(open_page(monkeypatch, shapes, record="hub", down="all"))

    assert all(node["say"] for node in drawn["nodes"])
    focus = next(node for node in drawn["nodes"] if node["centre"])
    assert focus["say"] == "hub · says, claim, Accepted, the focus; rests directly on 1, 10,000 rest directly on it"
    rest = next(node for node in drawn["nodes"] if node["many"])
    assert rest["say"] == "+9,994 claims, all: Accepted, 1 step down; Enter shows more of them"


def test_the_links_of_a_record_lead_here(monkeypatch, sample):
    import streamlit as st

    monkeypatch.setenv("CLAIMDESK_DB", sample)
    monkeypatch.chdir(ROOT)
    st.cache_resource.clear()
    at = AppTest.from_file(str(ROOT / "pages" / "record.py"), default_timeout=60)
    at.session_state["identity.person"] = "ana"
    at.query_params["record"] = "nav-2026-q3"
    at.run()

    assert any("/dependencies?record=nav-2026-q3" in getattr(element.proto, "body", "") for element in at.get("html"))
