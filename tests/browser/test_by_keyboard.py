"""The whole main job without a mouse: who one is, the day, a candidate, a conflict, and what turned out to be wrong."""

from __future__ import annotations

import re

from .served import keep_silence, press_key, settle
from .test_candidates import becomes, record


def tab_to(page, wanted, most=150):
    """Press Tab until what has the focus is called so, and say how often that was."""
    name = re.compile(wanted)
    for n in range(most):
        called = page.evaluate("""() => {
          let one = document.activeElement;
          while (one && one.shadowRoot && one.shadowRoot.activeElement) one = one.shadowRoot.activeElement;
          return one && one.matches("a, button, input, textarea, summary, [role=option], [role=combobox]") ? (one.getAttribute("aria-label") || one.innerText || one.labels?.[0]?.innerText || "").trim() : "";
        }""")
        if name.search(called.replace("\n", " ")):
            return n
        page.keyboard.press("Tab")
    raise AssertionError(f"{wanted!r} is not reached by the Tab key")


def enter(page, wanted):
    """Go to a link or a button by the Tab key, and press Enter."""
    tab_to(page, wanted)
    page.keyboard.press("Enter")
    settle(page)


def test_the_whole_job_is_done_without_a_mouse(desk, visitors):
    page = visitors.page_as(None, desk, "/today")
    enter(page, "^Ana Belcourt")
    assert page.locator("[data-testid=stMain] h1").is_visible()
    assert page.evaluate("() => location.pathname") == "/today"

    enter(page, "Candidates")
    assert page.evaluate("() => location.pathname") == "/candidates"
    page.goto(f"{desk.url}/candidates?candidate=batch-size&order=oldest")
    settle(page)
    press_key(page, "a")
    becomes(desk, "batch-size", "ACCEPTED")
    settle(page)

    enter(page, "Conflicts")
    enter(page, "^northgate")
    page.locator(".cf-question").wait_for()
    press_key(page, "2")
    settle(page)
    keep_silence(page)
    press_key(page, "a")
    settle(page)
    page.get_by_text("Settled ").first.wait_for()

    enter(page, "Revoke and preview")
    tab_to(page, "^Search sources")
    page.keyboard.type("valuer")
    page.locator("a.cd-pick").first.wait_for()
    settle(page)
    enter(page, "VALUER-LETTER")
    assert "Nothing has changed yet" in page.locator("[data-testid=stMain]").inner_text()
    tab_to(page, "^Reason")
    page.keyboard.type("The letter was taken back")
    enter(page, "^Stop using .* as Ana Belcourt")
    page.locator(".cd-badges", has_text="predicted").wait_for()

    assert record(desk, "batch-size")["status"] == "ACCEPTED"
