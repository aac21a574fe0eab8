"""What holds for every page alike: nobody is shut out, nothing is cut off, an address leads where it says, and back leads back."""

from __future__ import annotations

import re

import pytest
from axe_playwright_python.base import AXE_SCRIPT

from pages.widgets.frame import ADDRESSES
from tests.places import LOOKS, PLACES, path_of

from .served import serve, settle, walk
from .test_frame import has_frame

#: What axe-core finds: (impact, rule, where, what). `moderate` counts where it is about headings and landmarks.
_AXE = """async (only) => {
  const asked = { resultTypes: ["violations"], runOnly: only || ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"] };
  const { violations } = await axe.run(document, asked);
  return violations.flatMap(({ id, impact, nodes }) => nodes.map(({ target, html, any, all, none }) =>
    [impact, id, target.join(" "), html.slice(0, 200), ([...any, ...all, ...none][0] || {}).message || ""]));
}"""
#: What can differ between light and dark: the page is the same, but for its colours.
_OF_COLOURS = {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}
_HEADINGS = "() => [...document.querySelectorAll('[data-testid=stMain] :is(h1, h2, h3, h4, h5, h6)')].filter((one) => one.checkVisibility()).map((one) => Number(one.tagName[1]))"
#: Status badges without an icon or without a word.
_BARE = """() => [...document.querySelectorAll(".cd-status")].filter((one) => one.checkVisibility()).filter((one) => {
  const icon = one.querySelector(".cd-icon"), word = [...one.childNodes].filter((child) => child !== icon).map((child) => child.textContent).join("").trim();
  return !icon || !icon.textContent.trim() || !word;
}).map((one) => one.outerHTML)"""
#: What is cut off sideways without a way to scroll to it.
_WIDE = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
#: Defects of Streamlit that cannot be reached from here: (rule, part of the selector, why).
EXCEPTIONS: list[tuple[str, str, str]] = []


@pytest.fixture(scope="module")
def tab(quiet_desk, chromium):
    """One tab for the module, at the desk as Ana."""
    from .served import Visitors

    visitors = Visitors(chromium)
    page = visitors.page_as("ana", quiet_desk, "/record")
    yield page, quiet_desk
    visitors.close()


def go(tab, path):
    page, desk = tab
    page.goto(desk.url + path)
    return settle(page)


def heading(page):
    """The first heading, without how long ago something was, which some say only once it is a while."""
    return re.sub(r"[;,] the oldest came [^;,.]*|\d+ \w+ ago|just now", "…", page.locator("[data-testid=stMain] h1").first.inner_text()).replace("…", "")


def barriers(page):
    """What axe finds that shuts somebody out, in light and dark, wide and narrow."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    found = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        for width in (1400, 420):
            page.set_viewport_size({"width": width, "height": 950})
            page.wait_for_timeout(150)
            found += [
                (scheme, width, *one) for one in page.evaluate(_AXE, None if scheme == "light" else _OF_COLOURS)
                if (one[0] in ("serious", "critical") or one[1] in ("heading-order", "page-has-heading-one", "landmark-unique", "landmark-one-main"))
                and not any(one[1] == rule and selector in one[2] for rule, selector, _ in EXCEPTIONS)
            ]  # fmt: skip
            if page.evaluate(_WIDE) > 0:
                found.append((scheme, width, "scrolls sideways"))
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 1400, "height": 950})
    return found


@pytest.mark.parametrize(("name", "query"), LOOKS, ids=[path_of(*place) for place in LOOKS])
def test_nobody_is_shut_out_and_nothing_is_cut_off(tab, name, query):
    """Axe finds no barrier, headings go down step by step from one first, every status has an icon and a word, and 420 pixels are enough."""
    page = walk(tab[0], path_of(name, query))
    headings = page.evaluate(_HEADINGS)

    assert page.locator(".cd-fault").count() == 0
    assert barriers(page) == []
    assert headings.count(1) == 1
    assert headings[0] == 1
    assert all(after <= before + 1 for before, after in zip(headings, headings[1:], strict=False)), headings
    assert page.evaluate(_BARE) == []
    assert page.title().endswith("· Claimdesk")
    assert page.locator("html").get_attribute("lang") == "en"


def test_choosing_who_one_is_shuts_nobody_out(quiet_desk, visitors):
    page = visitors.page_as(None, quiet_desk, "/record")

    assert barriers(page) == []


def test_back_and_forward_lead_through_the_pages_as_they_were(tab):
    """From place to place by links, at first by address and by menu too, and back: each shows what it showed."""
    page, _ = tab
    walked = []
    for place, name in enumerate(ADDRESSES):
        path = path_of(*next(one for one in PLACES if one[0] == name))
        if place < 4:
            go(tab, path)
        else:
            walk(page, path)
        walked.append((page.url, heading(page)))
        if len(walked) < 8 and page.locator("a.cd-nav:visible").count():
            page.locator("a.cd-nav:visible").first.click()
            settle(page)
            walked.append((page.url, heading(page)))
    for url, says in reversed(walked[:-1]):
        page.go_back()
        settle(page)
        assert (page.url, heading(page)) == (url, says)
    for url, says in walked[1:4]:
        page.go_forward()
        settle(page)
        assert (page.url, heading(page)) == (url, says)


@pytest.mark.parametrize("name", ADDRESSES)
def test_a_page_is_whole_when_its_deep_link_is_the_first_request(stores, chromium, name):
    """A fresh server must not run the page without the frame around it."""
    from .served import Visitors

    served = serve(stores.fresh("sqlite"))
    visitors = Visitors(chromium)
    try:
        page = visitors.page_as("ana", served, path_of(*next(place for place in PLACES if place[0] == name)))
        has_frame(page)
        page.locator("[data-testid=stMain] h1").first.wait_for()
        assert page.locator("[data-testid=stMain] h1").count() == 1
        visitors.close()
    finally:
        served.stop()


def test_the_menu_can_be_skipped_and_the_focus_is_seen(tab):
    page = go(tab, "/record?record=nav-2026-q2&tenant=acme")
    skip = page.locator("button.cd-skip")
    skip.focus()
    assert skip.bounding_box()["x"] >= 0
    page.keyboard.press("Enter")
    assert page.evaluate("() => document.activeElement.dataset.testid") == "stMain"

    page.keyboard.press("Tab")
    seen = page.evaluate("() => { const one = document.activeElement, style = getComputedStyle(one); return [one.closest('[data-testid=stMain]') !== null, style.outlineStyle, parseFloat(style.outlineWidth)]; }")
    assert seen[0] is True
    assert seen[1] == "solid"
    assert seen[2] >= 2
