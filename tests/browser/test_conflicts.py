"""Settling conflicts in a real browser: by keys alone, once, never on another than was seen, and two people at once."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from store import ConflictSift, create_store, import_lines, list_conflicts_page, list_events, open_store, view_conflict
from tests.builders import CAST, GROUND, accepted, encode, evidence, passage, source, told

from .served import hold_without_help, keep_silence, press_key, settle

GROUP = "/conflicts?predicate=says&source=S1&source=S2"


def fill_with_pairs(url):
    """Sixty subjects about which S1 and S2 differ."""
    store = create_store(url)
    lines = [*CAST, *GROUND, source("S2"), evidence("E2", "S2")]
    for n in range(60):
        lines += [accepted(f"A{n}", f"Town {n}", subject=f"s{n:02}"), accepted(f"B{n}", f"City {n}", subject=f"s{n:02}", evidence=[passage(evidence="E2")])]
    assert import_lines(store, "operator", encode(lines), reviewed=True)["rejected"] == []
    store.close()


def conflict(desk, predicate, by="ana"):
    store = open_store(desk.database)
    found = list_conflicts_page(store, by, ConflictSift(predicate=predicate)).ids[0][1]
    store.close()
    return found


def verdicts(desk, *people):
    store = open_store(desk.database)
    found = [item["actor"] for item in list_events(store, "operator")["items"] if item["action"] in ("resolve", "settle") and item["actor"] in people]
    store.close()
    return found


def card(page):
    return page.locator(".st-key-conflicts_card")


def says(where, words):
    expect(where).to_contain_text(words)


def press(page, key, label):
    """Press a key once its button can be pressed, after the silence a decision needs."""
    expect(page.get_by_role("button", name=re.compile(label)).first).to_be_enabled()
    keep_silence(page)
    press_key(page, key)
    page.wait_for_timeout(200)
    return settle(page)


def test_a_conflict_is_found_settled_and_left_by_keys_alone(desk_on_both, visitors):
    page = visitors.page_as("ana", desk_on_both, "/conflicts")
    says(page.locator("h1"), "12 conflicts are open; 4 block an action")
    link = page.locator(".cf-subject").first
    link.focus()
    page.keyboard.press("Enter")
    settle(page)
    says(page.locator(".cf-question"), "northgate · breach notice hours")
    press(page, "2", "Keep value 1")
    says(card(page), "Agents will then read 48")
    press(page, "Escape", "Back")
    press(page, "2", "Keep value 1")
    press(page, "a", "^Settle as Ana")
    says(card(page), "Settled northgate · breach notice hours: one value was kept, as Ana Belcourt · 11 conflicts left in this list")
    says(page.locator(".cf-question"), "northgate · bridge letter until")
    press(page, "j", "Next")
    says(page.locator(".cf-question"), "outage minutes")
    press(page, "k", "Previous")
    says(page.locator(".cf-question"), "bridge letter until")
    page.go_back()
    settle(page)
    says(page.locator(".cf-question"), "outage minutes")
    store = open_store(desk_on_both.database)
    assert told(store, "northgate", "breach_notice_hours", "acme/vendors", by="ana")[0] == "OK"
    assert list_conflicts_page(store, "ana", ConflictSift()).total == 11
    store.close()


def test_a_key_held_for_two_seconds_settles_one(desk, visitors):
    page = visitors.page_as("ana", desk, f"/conflicts?conflict={conflict(desk, 'legal_name')}")
    press(page, "1", "Keep value 1")
    keep_silence(page)
    hold_without_help(page, "a", "1")  # each verdict waits for the next
    settle(page)
    assert verdicts(desk, "ana") == ["ana"]
    says(card(page), "ignored")


def test_of_two_people_one_settles_and_the_other_is_told_and_lands_on_nothing_else(desk_on_both, visitors):
    chosen = conflict(desk_on_both, "outage_minutes")
    ana = visitors.page_as("ana", desk_on_both, f"/conflicts?conflict={chosen}")
    noor = visitors.page_as("ben", desk_on_both, f"/conflicts?conflict={chosen}")
    says(card(noor), "Ana Belcourt is reading this too.")
    press(ana, "1", "Keep value 1")
    press(noor, "2", "Keep value 1")
    press(ana, "a", "^Settle as")
    press(noor, "a", "^Settle as")
    says(card(noor), re.compile(r"ana settled northgate · outage minutes at .* UTC: one value was kept\. Yours was not saved; the list moved on\."))
    says(noor.locator(".cf-question"), "uncalled commitment")
    assert verdicts(desk_on_both, "ana", "ben") == ["ana"]
    store = open_store(desk_on_both.database)
    view = view_conflict(store, "ben", "acme", chosen)
    assert (view.open, view.closed_by, view.verdict) == (False, "ana", "keep")
    store.close()
    noor.goto(f"{desk_on_both.url}/conflicts?conflict={chosen}")
    settle(noor)
    says(noor.locator("[data-testid=stMain]"), "ana settled it on")


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_what_is_unticked_by_key_stays_out_from_page_to_page_and_the_rest_is_settled(kind, start_desk, stores, visitors):
    desk = start_desk(stores.fresh(kind, "pairs", fill_with_pairs))
    page = visitors.page_as("ana", desk, GROUP)
    says(page.locator("h1"), "60 conflicts about says between S1 × S2.")
    page.get_by_role("checkbox", name="take in s03").focus()
    page.keyboard.press("Space")
    settle(page)
    expect(page.get_by_role("checkbox", name="take in s03")).to_have_attribute("aria-checked", "false")
    press(page, "n", "Next page")
    says(page.locator(".st-key-conflicts_pages"), "51–60 of 60")
    assert "page=2" in page.url
    page.get_by_role("checkbox", name="take in s59").click()
    settle(page)
    # A tick is no text field: the keys go on working.
    press(page, "2", "^Keep 1")
    says(card(page), "Of 60, 58 are settled.")
    says(card(page), "2 left out by you")
    press(page, "a", "^Settle 58 as Ana")
    says(page.locator(".cf-receipt"), "Settled 58 conflicts about says, as Ana · 2 conflicts left in this list")
    store = open_store(desk.database)
    assert [told(store, one, by="ana") for one in ("s03", "s04", "s58", "s59")] == [
        ("CONFLICT", ["A3", "B3"]), ("OK", ["B4"]), ("OK", ["B58"]), ("CONFLICT", ["A59", "B59"]),
    ]  # fmt: skip
    store.close()


def test_a_rule_drawn_before_somebody_else_settled_one_of_the_group_is_not_committed(start_desk, stores, visitors):
    desk = start_desk(stores.fresh("sqlite", "pairs", fill_with_pairs))
    ana = visitors.page_as("ana", desk, GROUP)
    ben = visitors.page_as("ben", desk, f"/conflicts?conflict={conflict(desk, 'says')}")
    press(ana, "1", "^Keep 1")
    says(card(ana), "Of 60, 60 are settled.")
    press(ben, "2", "Keep value 1")
    press(ben, "a", "^Settle as")
    press(ana, "a", "^Settle 60")
    says(ana.locator(".cf-receipt"), "Somebody changed something meanwhile")
    assert verdicts(desk, "ana") == []
    press(ana, "a", "^Settle 59")
    says(ana.locator(".cf-receipt"), "Settled 59 conflicts")
    store = open_store(desk.database)
    assert told(store, "s00", by="ana") == ("OK", ["B0"])
    store.close()


def test_a_conflict_opens_from_its_group_and_back_leads_there_with_the_ticks_kept(start_desk, stores, visitors):
    desk = start_desk(stores.fresh("sqlite", "pairs", fill_with_pairs))
    page = visitors.page_as("ana", desk, GROUP)
    page.get_by_role("checkbox", name="take in s05").click()
    settle(page)
    page.get_by_role("link", name="s07", exact=True).click()
    settle(page)
    says(page.locator(".cf-question"), "s07 · says")
    page.go_back()
    settle(page)
    expect(page.get_by_role("checkbox", name="take in s05")).to_have_attribute("aria-checked", "false")
    page.reload()
    settle(page)
    says(page.locator("h1"), "60 conflicts about says")
