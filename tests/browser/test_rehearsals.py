"""Rehearsals in a browser: nobody is shut out of the list, of one, of two side by side; two people hand a plan over and commit it."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from store import Plan, Verb, open_store, save_rehearsal

from .served import serve, settle
from .test_every_page import barriers


@pytest.fixture
def rehearsed(stores):
    """A desk over a store with two rehearsals of one source, named by somebody hostile."""
    url = stores.fresh("sqlite")
    store = open_store(url)
    for verb, name in ((Verb.REVOKE, "<b>Withdraw</b> ![x](http://evil.example/x)"), (Verb.SUSPEND, "Only stop it")):
        save_rehearsal(store, "ana", "acme", Plan(verb, ("VALUER-LETTER",)), name)
    store.close()
    served = serve(url)
    yield served
    served.stop()


def test_two_people_hand_a_plan_over_and_commit_it_and_no_page_of_it_shuts_anybody_out(rehearsed, visitors):
    page = visitors.page_as("ana", rehearsed, "/rehearsals")
    assert barriers(page) == []
    page.get_by_role("link", name="<b>Withdraw</b>").click()
    settle(page)
    assert barriers(page) == []

    page.get_by_role("button", name="Hand over").first.click()
    settle(page)
    assert barriers(page) == []
    page.get_by_label("Who is to commit it").click()
    page.get_by_role("option", name="Ben Achterberg").click()
    page.get_by_label("Why, and what to look at").fill("I am away on Friday")
    page.get_by_test_id("stFormSubmitButton").get_by_role("button", name="Hand over").click()
    settle(page)
    expect(page.get_by_text("Ben Achterberg has it now")).to_be_visible()

    page.get_by_role("link", name="Compare with…").click()
    settle(page)
    page.get_by_role("link", name="Only stop it").click()
    settle(page)
    assert barriers(page) == []
    page.locator(".rh-compare a.cd-setcount").first.click()
    settle(page)
    expect(page.locator(".cd-row").first).to_be_visible()
    page.go_back()
    settle(page)
    assert "part=" not in page.url

    ben = visitors.page_as("ben", rehearsed, "/today")
    ben.get_by_role("link", name="<b>Withdraw</b>").click()
    settle(ben)
    expect(ben.get_by_text("I am away on Friday")).to_be_visible()
    ben.get_by_label("Reason, kept with the event").fill("The letter was withdrawn")
    ben.get_by_role("button", name="Withdraw 5 records as Ben Achterberg").click()
    settle(ben)
    expect(ben.get_by_role("heading", name="Predicted and actual")).to_be_visible()
    assert barriers(ben) == []
