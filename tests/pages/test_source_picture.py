"""The page of a printed report on the page of its source, with the passages of its claims marked."""

from streamlit.testing.v1 import AppTest

from tests.pages.conftest import ROOT


def open_source(monkeypatch, url, **query):
    monkeypatch.setenv("CLAIMDESK_DB", url)
    monkeypatch.chdir(ROOT)
    import streamlit as st

    st.cache_resource.clear()
    at = AppTest.from_file(str(ROOT / "pages" / "sources.py"), default_timeout=60)
    at.session_state["identity.person"] = "ana"
    for name, value in query.items():
        at.query_params[name] = value
    at.run()
    assert not at.exception, at.exception
    return at


def said(at):
    return " ".join(str(one.proto.body) for one in at.get("html"))


def test_a_pdf_is_shown_as_it_was_printed_with_its_passages_marked(monkeypatch, sample):
    at = open_source(monkeypatch, sample, source="HERON-Q2", tenant="acme", a="1")

    assert "Page 1 of 3 as it was printed" in said(at)
    assert "page after" in said(at)
    assert [one.proto.imgs[0].caption for one in at.get("image")] == ["3 passages are marked on this page."]
    assert [one.proto.imgs[0].alt for one in at.get("image")] == ["Picture of page 1 of Heron Bay Infrastructure: report Q2 2026, its marked passages shaded"]


def test_the_page_of_the_claim_that_is_asked_for_is_shown(monkeypatch, sample):
    at = open_source(monkeypatch, sample, source="HERON-Q2", tenant="acme", a="1", claim="heron-bridge-value")

    assert "Page 3 of 3 as it was printed" in said(at)
    assert [one.proto.imgs[0].caption for one in at.get("image")] == ["1 passage is marked on this page."]


def test_a_text_has_no_printed_page(monkeypatch, sample):
    at = open_source(monkeypatch, sample, source="LARCH-Q3", tenant="acme", a="1")

    assert "as it was printed" not in said(at)
    assert not at.get("image")
