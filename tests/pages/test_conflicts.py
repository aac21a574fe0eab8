"""The page of conflicts, run without a browser: what each state says, and what its buttons do."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from store import ConflictSift, create_store, import_lines, list_conflicts_page, list_queue, open_store, show_record, view_conflict
from tests.builders import CAST, GROUND, accepted, encode, told

ROOT = Path(__file__).resolve().parents[2]


def built(tmp_path, *lines):
    """A small store of our own with the cast and reviewed lines."""
    url = f"sqlite:///{tmp_path}/own.db"
    store = create_store(url)
    assert import_lines(store, "operator", encode([*CAST, *GROUND, *lines]), reviewed=True)["rejected"] == []
    store.close()
    return url


def open_page(monkeypatch, url, person="ana", **query):
    monkeypatch.setenv("CLAIMDESK_DB", url)
    monkeypatch.chdir(ROOT)
    import streamlit as st

    st.cache_resource.clear()
    at = AppTest.from_file(str(ROOT / "pages" / "conflicts.py"), default_timeout=60)
    at.session_state["identity.person"] = person
    for name, value in query.items():
        at.query_params[name] = value
    at.run()
    assert not at.exception, at.exception
    return at


def words(at):
    text = " ".join(re.sub(r"<[^>]+>", " ", element.proto.body if hasattr(element.proto, "body") else "") for element in at.get("html"))
    return re.sub(r"\s+", " ", html.unescape(text))


def button(at, label):
    return next(one for one in at.button if one.label.startswith(label))


def press(at, label):
    """Press a button after the silence a decision needs."""
    at.session_state["decision.last_press"] = 0.0
    button(at, label).click().run()
    assert not at.exception, at.exception
    return at


def conflict_of(url, predicate, person="ana"):
    store = open_store(url)
    page = list_conflicts_page(store, person, ConflictSift(predicate=predicate))
    store.close()
    (chosen,) = page.ids
    return chosen[1]


def test_the_page_opens_with_one_sentence_and_the_blocked_first(monkeypatch, sample):
    at = open_page(monkeypatch, sample)

    said = words(at)
    assert "12 conflicts are open; 4 block an action; 3 more reach something delivered." in said
    assert said.index("A high-impact action rests on it") < said.index("Something that rests on it was delivered") < said.index("Nothing that was delivered")
    assert said.index("breach_notice_hours") < said.index("fair_value")


def test_a_conflict_shows_its_values_with_their_sources_and_what_is_equal_folded(monkeypatch, sample):
    at = open_page(monkeypatch, sample, conflict=conflict_of(sample, "fair_value"))

    said = words(at)
    assert "2 sources, 1 independent" in said
    assert "1 source, 1 independent" in said
    assert "rows are equal" in said
    assert "Agents will then read 8,100,000" in said
    assert "Agents will then read 6,900,000" in said
    assert "3 records need re-validation" in said


def test_a_verdict_is_chosen_shown_and_committed_and_the_list_moves_on(monkeypatch, fresh):
    chosen = conflict_of(fresh, "breach_notice_hours")
    at = open_page(monkeypatch, fresh, conflict=chosen)
    press(at, "Keep value 2")
    assert "48 is right" in words(at)
    assert "Agents will then read 48" in words(at)

    press(at, "Settle as Ana Belcourt")
    store = open_store(fresh)
    assert not view_conflict(store, "ana", "acme", chosen).open
    assert at.query_params["conflict"] != [chosen]
    assert "Settled northgate · breach_notice_hours: one value was kept, as Ana Belcourt" in words(at)
    assert told(store, "northgate", "breach_notice_hours", "acme/vendors", by="ana")[0] == "OK"
    history = show_record(store, "ana", "acme", "breach-call")["history"][-1]
    assert (history["actor"], history["to"], history["reason"]) == ("ana", "SUPERSEDED", "Both passages read; this one is right.")
    store.close()


def test_without_a_reason_nothing_is_settled(monkeypatch, fresh):
    chosen = conflict_of(fresh, "legal_name")
    at = open_page(monkeypatch, fresh, conflict=chosen)
    press(at, "Keep value 1")
    at.text_area[0].set_value("  ").run()
    press(at, "Settle as")

    assert "Give a reason" in words(at)
    store = open_store(fresh)
    assert view_conflict(store, "ana", "acme", chosen).open
    store.close()


def test_a_press_too_soon_settles_nothing_and_says_so(monkeypatch, fresh):
    chosen = conflict_of(fresh, "legal_name")
    at = open_page(monkeypatch, fresh, conflict=chosen)
    press(at, "Keep value 1")
    button(at, "Settle as").click().run()

    assert "came too soon and was ignored" in words(at)
    store = open_store(fresh)
    assert view_conflict(store, "ana", "acme", chosen).open
    store.close()


def test_nothing_contested_is_a_state_of_its_own(monkeypatch, tmp_path):
    at = open_page(monkeypatch, built(tmp_path, accepted("A")))

    assert "Nothing is contested" in words(at)


def test_somebody_who_may_not_see_what_waits_sees_nothing_of_it(monkeypatch, tmp_path):
    url = built(tmp_path, accepted("A", "x", subject="hush"), accepted("B", "y", subject="hush"))
    store = open_store(url)
    chosen = list_conflicts_page(store, "ana", ConflictSift()).ids[0][1]
    store.close()

    for query in ({}, {"conflict": chosen, "tenant": "acme"}):
        at = open_page(monkeypatch, url, person="rita", **query)
        assert "Conflicts are not shown to you" in words(at)
        assert "hush" not in words(at)


@pytest.mark.parametrize("query", [{"show": "nonsense"}, {"differ": "x"}, {"page": "-3"}, {"page": "99"}, {"conflict": "none"}, {"predicate": "none"}])
def test_an_address_that_names_what_is_not_there_gives_a_page(monkeypatch, sample, query):
    at = open_page(monkeypatch, sample, **query)

    assert words(at)


def test_the_count_in_the_list_is_the_count_of_the_queue(monkeypatch, sample):
    store = open_store(sample)
    total = list_queue(store, "ana", "conflicts")["total"]
    page = list_conflicts_page(store, "ana", ConflictSift())
    store.close()

    assert page.total == page.matched == total == sum(count for _, count, _ in page.matrix.rows)
