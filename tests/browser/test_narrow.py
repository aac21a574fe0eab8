"""On a telephone what a page asks for is in sight from the first look on, however much is listed before it."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from .served import settle


@pytest.mark.parametrize(("path", "words", "field"), [
    ("/forgetting?do=request&source=LARCH-Q3&tenant=acme", "Ask for exactly this", "Ground, which stays when everything typed here is gone"),
    ("/revoke?pick=LARCH-Q3&do=revoke", "Commit exactly this", "Reason"),
])  # fmt: skip
def test_one_press_leads_to_the_form_that_stands_below_everything(quiet_desk, visitors, path, words, field):
    page = visitors.page_as("ravi", quiet_desk, path, width=420, height=900)
    way, first = page.get_by_role("button", name=words), page.get_by_label(field, exact=False).first
    expect(way).to_be_in_viewport()
    expect(first).not_to_be_in_viewport()

    way.click()

    expect(first).to_be_in_viewport()
    assert page.evaluate("() => !!document.activeElement.closest('[data-testid=stForm]')"), "what is typed next goes into the form"

    page.set_viewport_size({"width": 1400, "height": 950})
    settle(page)
    expect(way).to_be_hidden()
