"""The frame: on every page from the first deep link on, with the right person, the right scope, and nothing leaving the machine."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from .served import settle

#: Beside the places of every page (test_every_page.py): the root, what is no page, and a scope.
PATHS = ["/", "/record?record=nobody-knows-it", "/nowhere", "/pages/record", "/candidates?scope=acme/funds"]


def sidebar(page):
    return page.get_by_test_id("stSidebar")


def has_frame(page):
    frame = sidebar(page)
    assert frame.locator(".cd-brand").is_visible()
    assert [link.inner_text().split("\n")[0].strip() for link in frame.locator("a.cd-nav > span:first-child").all()]
    assert frame.locator(".cd-nav", has_text="Candidates").is_visible()
    assert frame.locator(".cd-nav", has_text="Revoke and preview").is_visible()
    assert frame.locator(".cd-who").inner_text().startswith("You are")
    assert "Local mode" in frame.locator(".cd-local").inner_text()
    assert page.get_by_test_id("stDialog").count() == 0
    assert page.title().endswith("Claimdesk")


@pytest.mark.parametrize("path", PATHS)
def test_every_page_has_the_frame_when_its_deep_link_is_the_first_request(desk, visitors, path):
    page = visitors.page_as("ana", desk, path)

    has_frame(page)
    assert page.get_by_text("There is no page at that address.").count() == (1 if path in ("/nowhere", "/pages/record") else 0)


@pytest.mark.parametrize("path", ["/revoke", "/record?record=nav-2026-q2&tenant=acme"])
def test_the_choice_of_who_one_is_comes_first_and_leads_to_the_page_asked_for(desk, visitors, path):
    page = visitors.page_as(None, desk, path)

    assert page.get_by_text("Who are you?").is_visible()
    assert page.locator(".cd-title").count() == 0
    assert not sidebar(page).locator(".cd-nav").count()

    page.get_by_role("button", name="Ana Belcourt").click()
    settle(page)

    has_frame(page)
    assert page.url.endswith(path)
    assert "Ana Belcourt" in sidebar(page).locator(".cd-who").inner_text()


def test_nobody_is_preselected_and_the_choice_survives_a_reload_and_a_new_tab(quiet_desk, visitors):
    page = visitors.page_as(None, quiet_desk, "/record")
    page.get_by_role("button", name="Ben Achterberg").click()
    settle(page)
    page.wait_for_function("() => document.cookie.includes('claimdesk_person=ben')")
    page.reload()
    settle(page)
    tab = page.context.new_page()
    tab.goto(quiet_desk.url + "/record?record=nav-2026-q2")
    settle(tab)

    assert "Ben Achterberg" in sidebar(page).locator(".cd-who").inner_text()
    assert "Ben Achterberg" in sidebar(tab).locator(".cd-who").inner_text()


def test_not_you_forgets_and_the_next_person_is_never_mixed_with_the_last(quiet_desk, visitors):
    page = visitors.page_as("ana", quiet_desk, "/record")
    page.get_by_role("button", name="Not you?").click()
    page.get_by_text("Who are you?").wait_for()
    page.wait_for_function("() => !document.cookie.includes('claimdesk_person=')")
    page.reload()
    settle(page)

    assert page.get_by_text("Who are you?").is_visible()
    assert "Ana" not in sidebar(page).inner_text()

    page.get_by_role("button", name="Noor Lindqvist").click()
    settle(page)
    page.reload()
    page.wait_for_selector(".cd-who")
    seen = page.locator(".cd-who").all_inner_texts()
    settle(page)

    assert all("Noor Lindqvist" in text for text in [*seen, sidebar(page).locator(".cd-who").inner_text()])


def test_two_browsers_are_two_people(quiet_desk, visitors):
    one, two = visitors.page_as("ana", quiet_desk, "/record"), visitors.page_as(None, quiet_desk, "/record")
    two.get_by_role("button", name="Ben Achterberg").click()
    settle(two)
    one.reload()
    settle(one)

    assert "Ana Belcourt" in sidebar(one).locator(".cd-who").inner_text()
    assert "Ben Achterberg" in sidebar(two).locator(".cd-who").inner_text()


def test_a_tab_that_only_read_the_choice_does_not_write_it_back(quiet_desk, visitors):
    first = visitors.page_as("ana", quiet_desk, "/record")
    second = first.context.new_page()
    second.goto(quiet_desk.url + "/record")
    settle(second)
    second.get_by_role("button", name="Not you?").click()
    settle(second)
    second.get_by_role("button", name="Ben Achterberg").click()
    settle(second)
    sidebar(first).locator(".cd-nav", has_text="Revoke").click()
    settle(first)
    second.reload()
    settle(second)

    assert "Ana Belcourt" in sidebar(first).locator(".cd-who").inner_text()
    assert "Ben Achterberg" in sidebar(second).locator(".cd-who").inner_text()


@pytest.mark.parametrize("cookie", ["nobody", "%00", "%3Cscript%3E", "ana%20", "x" * 3000])
def test_a_cookie_that_names_nobody_leads_to_the_choice(quiet_desk, visitors, cookie):
    page = visitors.page_as(cookie, quiet_desk, "/record")

    assert page.get_by_text("Who are you?").is_visible()


def test_people_are_found_by_keyboard_and_agents_are_folded_away(quiet_desk, visitors):
    page = visitors.page_as(None, quiet_desk, "/record")

    assert page.get_by_role("button", name="Extractor 2").count() == 0

    page.get_by_placeholder("Find by name").fill("vendors")
    names = page.locator("#root").get_by_role("button").filter(has_text="reviewer").all_inner_texts()

    assert [name.split("\n")[0] for name in names] == ["Noor Lindqvist"]
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    settle(page)
    assert "Noor Lindqvist" in sidebar(page).locator(".cd-who").inner_text()

    other = visitors.page_as(None, quiet_desk, "/record")
    other.get_by_text("Agents (").click()
    other.get_by_role("button", name="Extractor 2").click()
    settle(other)
    assert "Extractor 2" in sidebar(other).locator(".cd-who").inner_text()


def count_shown(page):
    return int(sidebar(page).locator(".cd-nav", has_text="Candidates").locator(".cd-count").inner_text().replace(",", ""))


def test_the_scope_lives_in_the_address_and_the_menu_keeps_it(quiet_desk, visitors):
    page = visitors.page_as("ana", quiet_desk, "/record")
    everything = count_shown(page)
    sidebar(page).get_by_role("combobox").click()
    page.get_by_role("option", name="acme/funds", exact=True).click()
    settle(page)
    fewer = count_shown(page)

    assert "scope=acme%2Ffunds" in page.url or "scope=acme/funds" in page.url
    assert 0 < fewer < everything

    sidebar(page).locator(".cd-nav", has_text="Revoke").click()
    settle(page)
    assert page.url.split("?")[0].endswith("/revoke")
    assert "scope=acme%2Ffunds" in page.url
    assert count_shown(page) == fewer

    page.reload()
    settle(page)
    assert count_shown(page) == fewer

    page.go_back()
    settle(page)
    page.go_back()
    settle(page)
    assert "scope" not in page.url
    assert count_shown(page) == everything
    assert sidebar(page).get_by_role("combobox").input_value() in ("All my scopes", "") or sidebar(page).get_by_text("All my scopes").is_visible()


@pytest.mark.parametrize("scope", ["acme/nothing", "other", "<b>x</b>", "/", "a" * 3000])
def test_a_scope_in_the_address_that_is_not_mine_is_said_and_shows_all(quiet_desk, visitors, scope):
    from urllib.parse import quote

    page = visitors.page_as("ana", quiet_desk, f"/record?scope={quote(scope, safe='')}")

    assert page.get_by_text("The scope in the address is not one you may see").is_visible()
    has_frame(page)


def test_links_inside_the_desk_keep_the_session_and_go_back_and_forward(quiet_desk, visitors):
    page = visitors.page_as("ana", quiet_desk, "/record?record=nav-2026-q2&tenant=acme")
    page.evaluate("window.__same = true")
    page.locator("ul.cd-list a.cd-link").first.click()
    settle(page)
    there = page.url

    assert there != quiet_desk.url + "/record?record=nav-2026-q2&tenant=acme"
    assert page.locator(".cd-title").inner_text() == "Larch Hollow Fund III: report Q2 2026, version 2"
    page.go_back()
    settle(page)
    expect(page.locator(".cd-title")).to_contain_text("restated")
    page.go_forward()
    settle(page)
    assert page.url == there
    assert page.evaluate("window.__same") is True


def test_on_a_narrow_screen_the_menu_opens_and_closes_again(quiet_desk, visitors):
    page = visitors.page_as("ana", quiet_desk, "/record", width=420)
    aside = "document.querySelector('.cd-menu').getBoundingClientRect().right"

    assert page.evaluate(aside) <= 0

    page.get_by_test_id("stExpandSidebarButton").click()
    page.wait_for_function(f"() => {aside} > 100")
    sidebar(page).locator(".cd-nav", has_text="Revoke").click()
    settle(page)
    page.wait_for_function(f"() => !document.querySelector('.cd-menu') || {aside} <= 0")

    assert page.url.endswith("/revoke")
    assert page.evaluate("document.documentElement.scrollWidth") <= 420
