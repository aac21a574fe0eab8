"""The page of re-validation says of a changed support what was said then and what is said now."""

from __future__ import annotations

import pytest

from store import Plan, Verb, create_store
from tests.builders import CAST, GROUND, accepted, artifact, carry_out, claim, decide, given, revoking
from tests.pages.opened import opener, words

open_page = opener("revalidate")


@pytest.fixture
def url(tmp_path):
    """MEMO rests on P, whose support A was replaced by one with another value; PLAN rests on MEMO."""
    url = f"sqlite:///{tmp_path}/desk.db"
    store = create_store(url)
    given(store, *CAST, *GROUND, accepted("A", 184_000_000), accepted("P", on="A"), artifact("MEMO", "P", body="The NAV is 184,000,000 USD."), artifact("PLAN", "MEMO"))
    carry_out(store, revoking("A"))
    given(store, claim("A2", 179_500_000, subject="subject-A"), reviewed=False)
    decide(store, "A2")
    carry_out(store, Plan(Verb.CONFIRM, ("P",), replace={"A": "A2"}))
    store.close()
    return url


def test_a_changed_figure_stands_beside_the_one_it_was(monkeypatch, url):
    said = words(open_page(monkeypatch, url, record="MEMO", tenant="acme"))
    assert "A2 says 179,500,000, where A said 184,000,000" in said
    assert "says 179,500,000, not 184,000,000 any more" in said
    assert "Its own text still says 184,000,000 ." in said
    assert "What it rests on says something else now When this was last accepted:" in said
    assert "restore" not in said.casefold()


def test_what_waits_below_says_what_changed_above_it(monkeypatch, url):
    said = words(open_page(monkeypatch, url, record="PLAN", tenant="acme"))
    assert "waits for MEMO" in said
    assert "184,000,000" in said
