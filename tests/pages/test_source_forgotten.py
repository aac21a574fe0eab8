"""The page of a source of which something was forgotten: what stood there is not shown, and coming again it is known."""

import base64
import contextlib

from store import capture, create_store, open_store, run_deletion
from tests.builders import CAST, TENANT, Clock, accepted, evidence, given, source
from tests.domain.test_renditions import pdf
from tests.forgetting import asked_to_forget
from tests.pages.opened import opener, words

open_source = opener("sources")
TEXT = "Minutes.\nAna eats no sugar, being diabetic.\nThe group leaves at nine.\n"
SAID, LEAVES = "Ana eats no sugar, being diabetic.", "The group leaves at nine."


def bound(quote, evidence_id, text=TEXT):
    start = text.index(quote)
    return {"evidence": evidence_id, "span": {"start": start, "end": start + len(quote)}, "quote": quote}


def fill(url):
    printed = {**evidence("P1", "PDF"), "media_type": "application/pdf", "content_base64": base64.b64encode(pdf(SAID, LEAVES)).decode()}
    del printed["content"]
    on_page = {"evidence": "P1", "span": {"page": 1, "start": 0, "end": len(SAID)}, "quote": SAID}
    with contextlib.closing(create_store(url, now=Clock())) as store:
        given(
            store, *CAST, source("TXT"), evidence("T1", "TXT", TEXT), source("PDF"), printed, accepted("A", "no sugar", evidence=[bound(SAID, "T1"), on_page]),
            accepted("B", "at nine", evidence=[bound(LEAVES, "T1")]), accepted("C", "why", evidence=[bound("being diabetic.\nThe group", "T1")]),
        )  # fmt: skip
        return asked_to_forget(store, "A")


def test_what_is_to_be_forgotten_is_not_shown_and_what_says_it_again_is_known(monkeypatch, tmp_path):
    url = f"sqlite:///{tmp_path}/desk.db"
    request = fill(url)

    at = open_source(monkeypatch, url, source="TXT", tenant=TENANT)
    assert "diabetic" not in words(at)
    assert "███" in words(at)
    assert "its passage is blotted out" in words(at)
    assert "is not where its claim says" not in words(at)
    at = open_source(monkeypatch, url, source="PDF", tenant=TENANT)
    assert "diabetic" not in words(at)
    assert not at.get("image"), "a picture of the page would show it"

    with contextlib.closing(open_store(url, now=Clock())) as store:
        run_deletion(store, "adam", TENANT, request)
        capture(store, "ana", TENANT, "TXT", f"Once more: {SAID}".encode(), name="again.txt")
    at = open_source(monkeypatch, url, person="adam", source="TXT", tenant=TENANT)
    assert "1 passage says again what was forgotten" in words(at)
    assert "Forget this version…" in words(at)
