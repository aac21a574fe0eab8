"""The page of one record: what it says, where it comes from, what it rests on, and what happened to it."""

from __future__ import annotations

import pytest

from store import Plan, Verb, commit_plan, open_store, preview_plan

from .served import settle


def main(page):
    return page.locator('[data-testid="stMain"]')


def text(page):
    return main(page).inner_text()


def test_a_claim_shows_its_passage_in_context_with_the_quote_marked(quiet_desk, visitors):
    page = visitors.page_as("ana", quiet_desk, "/record?record=nav-2026-q2&tenant=acme")

    assert page.locator("h1").inner_text() == "Net asset value at the end of June 2026, restated: USD 179.5 million."
    assert page.locator(".cd-value").inner_text() == "179,500,000"
    assert "30 Jun 2026 → 30 Sep 2026" in text(page)
    assert "but not served now: it holds" in text(page)
    assert page.locator(".cd-passage mark").inner_text().startswith("| Net asset value")
    assert "Paid-in capital" in page.locator(".cd-passage").inner_text()
    assert "line 7, characters 294–358" in text(page)
    assert "version 2 · captured 3 Sep 2026, 07:40 UTC" in text(page)


def test_a_value_in_json_is_marked_at_its_pointer(quiet_desk, visitors):
    page = visitors.page_as("ana", quiet_desk, "/record?record=rate-guide")

    assert page.locator(".cd-passage mark").inner_text() == "120"
    assert "at /plans/1/requests_per_minute" in text(page)
    assert '"batch_size": 200' in page.locator(".cd-passage").inner_text()
    assert "An agent with the right to read it is served it now." in text(page)


def test_lost_supports_are_marked_and_deliveries_shown(quiet_desk, visitors):
    page = visitors.page_as("ana", quiet_desk, "/record?record=memo-larch-q2")

    assert page.locator(".cd-lost").count() == 2
    assert "Not served until somebody re-validates it." in text(page)
    assert "olga@acme.example" in text(page)
    assert "30 Jul 2026, 08:00 UTC" in text(page)


def test_conflicts_name_the_other_sides(quiet_desk, visitors):
    page = visitors.page_as("ana", quiet_desk, "/record?record=outage-call")

    assert "In an open conflict: nobody is served this until it is settled." in text(page)
    page.get_by_role("link", name="outage-feed").click()
    settle(page)
    assert "record=outage-feed" in page.url
    assert "47" in page.locator(".cd-table").first.inner_text()


def test_a_captured_version_shows_its_text(quiet_desk, visitors):
    page = visitors.page_as("ana", quiet_desk, "/record?record=LARCH-Q2%402&tenant=acme")

    assert page.locator("h1").inner_text() == "Larch Hollow Fund III: report Q2 2026, version 2"
    assert "The next report is expected in late October 2026." in page.locator(".cd-passage").inner_text()
    assert "Revoke or suspend…" in text(page)


def test_buttons_lead_to_the_decision_and_to_the_revocation(quiet_desk, visitors):
    page = visitors.page_as("ana", quiet_desk, "/record?record=tvpi-2026-q2&scope=acme/funds")

    decide = page.get_by_role("link", name="Decide")
    assert decide.get_attribute("href") == "/candidates?candidate=tvpi-2026-q2&scope=acme%2Ffunds"
    assert page.get_by_role("link", name="Revoke or suspend…").count() == 0

    page.goto(quiet_desk.url + "/record?record=rate-guide")
    settle(page)
    assert page.get_by_role("link", name="Revoke or suspend…").get_attribute("href") == "/revoke?pick=rate-guide"


def test_an_id_and_a_hash_are_copied_by_one_click(quiet_desk, visitors):
    page = visitors.page_as("ana", quiet_desk, "/record?record=rate-guide", permissions=["clipboard-read", "clipboard-write"])
    shown = page.locator("button.cd-copy").nth(1)
    shown.click()
    page.wait_for_selector("button.cd-copied")

    assert page.evaluate("() => navigator.clipboard.readText()") == shown.get_attribute("title")
    assert len(shown.get_attribute("title")) == 64


@pytest.mark.parametrize(
    ("person", "path", "says"),
    [
        ("ana", "/record", "Records are opened from lists and links"), ("ana", "/record?record=", "Records are opened from lists and links"),
        ("ana", "/record?record=nobody-knows-it", "No record is called nobody-knows-it"), ("ana", "/record?record=rate-guide&tenant=other", "No record is called rate-guide"),
        ("olga", "/record?record=tvpi-2026-q2", "may not look"), ("noor", "/record?record=nav-2026-q2", "Noor Lindqvist may not look"),
        ("ana", "/record?record=rate-guide&part=0", "120"), ("ana", "/record?record=LARCH-Q2%402&part=99999999999999999999", "Larch Hollow"),
    ],
)  # fmt: skip
def test_what_is_not_there_and_what_one_may_not_see_look_alike(quiet_desk, visitors, person, path, says):
    page = visitors.page_as(person, quiet_desk, path)

    assert says in text(page)
    assert page.locator("h1").is_visible()
    assert page.locator(".cd-fault").count() == 0


def test_a_record_is_opened_by_typing_its_id(quiet_desk, visitors):
    page = visitors.page_as("ana", quiet_desk, "/record")
    page.get_by_label("Id of the record").fill(" rate-guide ")
    page.keyboard.press("Enter")
    settle(page)

    assert "record=rate-guide" in page.url
    assert "The business plan allows 120 requests a minute." in text(page)


def test_a_reader_sees_what_is_served_and_no_way_to_change_it(quiet_desk, visitors):
    page = visitors.page_as("olga", quiet_desk, "/record?record=rate-guide")

    assert "An agent with the right to read it is served it now." in text(page)
    assert page.locator("a.cd-button").count() == 0


def test_history_tells_who_did_what_why_and_what_followed(desk_on_both, visitors):
    store = open_store(desk_on_both.database)
    plan = Plan(Verb.REVOKE, ("rate-guide",))
    commit_plan(store, "ana", "acme", plan, preview_plan(store, "ana", "acme", plan).impact.fingerprint, "The vendor withdrew the page")
    store.close()
    page = visitors.page_as("ben", desk_on_both, "/record?record=rate-guide")

    first = page.locator("h2:has-text('History') + div tr").nth(1).inner_text()
    assert "Revoked" in first
    assert "Ana Belcourt" in first
    assert "The vendor withdrew the page" in first
    assert "Accepted" in first
    assert page.locator("h2:has-text('History') + div tr").nth(1).locator("td span[title]").first.get_attribute("title").endswith("UTC")

    page.locator("h2:has-text('Rests on it') ~ ul a").first.click()
    settle(page)
    assert "What it rests on was revoked" in text(page)
    assert page.locator(".cd-lost").count() == 1


@pytest.mark.parametrize("width", [420, 1400])
@pytest.mark.parametrize("dark", [False, True])
def test_nothing_sticks_out_at_any_width(quiet_desk, visitors, width, dark):
    page = visitors.page_as("ana", quiet_desk, "/record?record=report-larch-q3-ed2", dark=dark, width=width)

    assert page.evaluate("() => document.querySelector('[data-testid=stMain]').scrollWidth") <= width
    ground = page.evaluate("() => getComputedStyle(document.querySelector('.cd-card')).backgroundColor")
    assert ground == ("rgb(28, 32, 36)" if dark else "rgb(255, 255, 255)")
