"""The page of the day in a browser: a question answered by keyboard, deep links and the way back, and two people who see each other."""

from __future__ import annotations

import contextlib
import re

import pysqlite3
from playwright.sync_api import expect

from store import ask, list_my_questions, open_store

from .served import settle


def waiting(page):
    """The number of the sentence, and the number of the menu."""
    sentence = int(re.match(r"[\d,]+", page.locator("h1.cy-sentence").inner_text())[0].replace(",", ""))
    return sentence, int(page.get_by_test_id("stSidebar").locator(".cd-nav", has_text="Today").locator(".cd-count").inner_text().replace(",", ""))


def test_a_question_is_answered_on_the_home_page_and_links_lead_there_and_back(desk, visitors):
    store = open_store(desk.database)
    ask(store, "ben", "acme", "record", "silent-close", "Before or after the rebate?", "ana")
    page = visitors.page_as("ana", desk)
    assert page.url.endswith("/today")
    before, menu = waiting(page)
    assert before == menu

    page.get_by_label("Your answer").click()
    page.keyboard.type("Before.")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.get_by_text("Answered. Ben Achterberg finds it").wait_for()
    settle(page)
    assert waiting(page) == (before - 1, before - 1)
    assert list_my_questions(store, "ben").answered[0].question.answer == "Before."

    page.locator(".cy-weeks a").first.click()
    settle(page)
    assert "show=dates" in page.url
    listed = int(page.locator("h1.cy-sentence b").first.inner_text().split()[0])
    assert page.locator("li.cy-row").count() == listed
    page.go_back()
    settle(page)
    assert waiting(page) == (before - 1, before - 1)
    page.get_by_role("link", name="The decision sheet").click()
    settle(page)
    assert page.locator("h1.cy-sentence").inner_text().startswith("0 decisions on ")

    ben = visitors.page_as("ben", desk, "/today?show=questions")
    held = ben.get_by_role("button", name="I have read it")
    held.focus()
    for _ in range(6):
        ben.keyboard.press("Enter")
    held.wait_for(state="detached")
    settle(ben)
    assert ben.get_by_text("Nobody asks you anything").is_visible()
    assert list_my_questions(store, "ben").answered == ()


def test_two_people_at_one_candidate_are_told_of_each_other(desk, visitors):
    ana = visitors.page_as("ana", desk, "/candidates?candidate=batch-size&tenant=acme")
    assert ana.locator(".cd-readers").count() == 0

    ben = visitors.page_as("ben", desk, "/candidates?candidate=batch-size&tenant=acme")
    ben.get_by_text("Ana Belcourt is reading this too.").wait_for()
    ana.get_by_text("Ben Achterberg is reading this too.").wait_for()


def test_a_press_is_carried_out_to_its_end_though_another_comes_meanwhile(desk, visitors):
    store = open_store(desk.database)
    ask(store, "ben", "acme", "record", "silent-close", "Before or after the rebate?", "ana")
    page = visitors.page_as("ana", desk)
    page.get_by_label("Your answer").fill("Before.")
    answer = page.get_by_role("button", name="Answer as")
    settle(page)
    with contextlib.closing(pysqlite3.connect(desk.database.removeprefix("sqlite:///"), isolation_level=None)) as other:
        other.execute("begin immediate")
        answer.click()
        expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "running")  # and stays so: it waits for the store
        sent = page.evaluate("window.__asked")
        answer.dispatch_event("click")  # no press of a person's: one that comes now the browser would hold back until the page stands
        page.wait_for_function("sent => window.__asked > sent", arg=sent)
        page.wait_for_timeout(200)
        other.execute("rollback")

    page.get_by_text("Answered. Ben Achterberg finds it").wait_for()
    assert list_my_questions(store, "ben").answered[0].question.answer == "Before."
