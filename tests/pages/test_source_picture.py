"""The page of a printed report on the page of its source, with the passages of its claims marked."""

import pytest
from streamlit.testing.v1 import AppTest

from store import Plan, Refusal, Verb, draw_given_pages, keep_plan_file, preview_plan
from tests.browser.correction_world import SOURCE, TENANT, fill_world, line_of, opened, print_report
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


def test_what_changed_is_marked_on_the_pages_of_a_corrected_pdf_before_anything_is_committed(monkeypatch, tmp_path):
    url = f"sqlite:///{tmp_path}/harbour.db"
    fill_world(url)
    with opened(url) as store:
        kept = keep_plan_file(store, "ana", TENANT, print_report(corrected=True), name="q2.pdf")
        spans = [one["proposed"] for one in preview_plan(store, "ana", TENANT, Plan(Verb.RECAPTURE, (SOURCE,), file=kept.sha256, media_type=kept.media_type)).passages if one["verdict"] == "changed"]
        pictures = draw_given_pages(store, "ana", TENANT, SOURCE, kept.sha256, spans)
        with pytest.raises(Refusal):
            draw_given_pages(store, "nobody-knows-them", TENANT, SOURCE, kept.sha256, spans)

    at = open_source(monkeypatch, url, source=SOURCE, tenant=TENANT, do="recapture", file=kept.sha256, media=kept.media_type)

    assert [one.proto.imgs[0].caption for one in at.get("image")] == ["1 passage that changed is marked."] * 2
    assert "Page 1 of 2 of the new document" in said(at)
    assert "Page 2 of 2 of the new document" in said(at)
    for picture, name in zip(pictures, ("nav", "cash"), strict=True):
        ((_, top, _, bottom),) = picture.marks[0]
        assert line_of(name)[0] <= top < bottom <= line_of(name)[1], name
