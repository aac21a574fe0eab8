"""The page of re-validation says of a changed support what was said then and what is said now."""

from __future__ import annotations

import pytest

from store import Plan, Verb, amend, create_store, reopen
from tests.builders import CAST, GROUND, accepted, artifact, carry_out, claim, decide, given, reinstating, revoking, suspending
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


def test_what_comes_back_is_told_of_the_figure_that_changed_further_up(monkeypatch, url):
    said = words(open_page(monkeypatch, url, record="MEMO", tenant="acme"))
    assert "restores 2 records in one decision" in said
    assert "2 of them rest, further up, on another value now" in said
    assert "A2 says 179,500,000, where A said 184,000,000" in said
    assert "Further up, something says something else now When this was last accepted:" in said
    assert "Its own text still says 184,000,000 ." in said
    assert "184,000,000" in words(open_page(monkeypatch, url, record="PLAN", tenant="acme"))


def test_what_rests_directly_on_another_value_is_not_offered_to_be_restored(monkeypatch, tmp_path):
    url = f"sqlite:///{tmp_path}/amended.db"
    store = create_store(url)
    given(store, *CAST, *GROUND)
    given(store, claim("A", 184_000_000), reviewed=False)
    decide(store, "A")
    given(store, accepted("P", on="A"), artifact("MEMO", "P"))
    carry_out(store, suspending("A"), by="ben")
    carry_out(store, reinstating("A"), by="ben")
    reopen(store, "ana", "acme", "A")
    amend(store, "carl", "acme", "A", {"value": 179_500_000})
    decide(store, "A", by="ben")
    store.close()

    said = words(open_page(monkeypatch, url, record="P", tenant="acme"))
    assert "says 179,500,000, not 184,000,000 any more" in said
    assert "A says 179,500,000, and said 184,000,000 before" in said
    assert "What it rests on says something else now When this was last accepted:" in said
    assert "restores" not in said
    assert "waits for subject-P · says" in words(open_page(monkeypatch, url, record="MEMO", tenant="acme"))
