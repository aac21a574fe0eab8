"""What only a browser shows of the pages about a subject, of a record's past and of letters: pictures, print, the way back."""

from __future__ import annotations

from .served import settle

_VISIBLE = "(one) => one.checkVisibility() && one.getBoundingClientRect().height > 0"


def text(page):
    return page.locator('[data-testid="stMain"]').inner_text()


def test_a_subject_is_found_by_typing_read_printed_and_left_again(quiet_desk, visitors):
    page = visitors.page_as("ana", quiet_desk, "/about")
    page.get_by_label("What or whom is it about?").fill("larch")
    page.keyboard.press("Enter")
    settle(page)
    assert "find=larch" in page.url
    page.get_by_role("link", name="larch-hollow-3").click()
    settle(page)

    assert page.locator("h1").inner_text() == "larch-hollow-3"
    assert "About larch-hollow-3 we hold 49 claims." in text(page)
    first = page.locator(".ca-chart").first
    drawn = first.evaluate("(one) => [one.getBoundingClientRect().width, ...[...one.querySelectorAll('.ca-step, .ca-bar')].map((part) => part.getBoundingClientRect().width)]")
    assert drawn[0] > 200
    assert all(0 < width <= drawn[0] + 1 for width in drawn[1:])
    assert len(drawn) > 2
    assert not page.locator(".ca-printhead").evaluate(_VISIBLE)
    page.locator(".ca-astable summary").first.click()
    rows = page.locator(".ca-astable").first.locator("tbody tr")
    assert rows.count() == first.locator(".ca-step, .ca-bar").count()

    page.get_by_role("link", name="Everything on one page, to print").click()
    settle(page)
    page.emulate_media(media="print")
    assert page.locator(".ca-printhead").evaluate(_VISIBLE)
    assert "Printed by Ana Belcourt from Claimdesk." in page.locator(".ca-printhead").inner_text()
    assert not page.locator('[data-testid="stSidebar"]').first.evaluate(_VISIBLE)
    assert not page.get_by_label("What or whom is it about?").evaluate(_VISIBLE)
    tables = page.locator(".ca-astable .cd-table")
    assert tables.count() > 1
    assert all(tables.nth(n).evaluate(_VISIBLE) for n in range(tables.count()))
    page.emulate_media(media="screen")

    page.go_back()
    settle(page)
    page.go_back()
    settle(page)
    assert "find=larch" in page.url
    assert page.get_by_label("What or whom is it about?").input_value() == "larch"


def test_a_record_is_seen_as_it_was_known_under_a_band_and_left_by_it(quiet_desk, visitors):
    page = visitors.page_as("ana", quiet_desk, "/record?record=memo-larch-q2")
    assert page.locator("ol.cr-chain li").count() == 3
    assert page.get_by_role("link", name="Revoke or suspend…").is_visible()
    page.get_by_role("link", name="as known then").last.click()
    settle(page)

    assert "known=" in page.url
    assert "Nothing can be decided here." in page.locator(".cr-then").inner_text()
    assert page.get_by_role("link", name="Revoke or suspend…").count() == 0
    page.get_by_role("link", name="Back to now").click()
    settle(page)
    assert "known=" not in page.url
    assert page.locator(".cr-then").count() == 0


def test_a_letter_prints_without_the_desk_around_it_and_comes_as_csv(quiet_desk, visitors):
    page = visitors.page_as("ana", quiet_desk, "/letter?source=call_notes&other=auditor_report")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="The same as CSV").click()
    lines = waiting.value.path().read_text("utf-8-sig").splitlines()

    assert len(lines) == 1 + page.locator(".cl-table tbody tr").count()
    page.emulate_media(media="print")
    assert not page.locator(".cl-tools").evaluate(_VISIBLE)
    assert page.locator(".cl-address").evaluate(_VISIBLE)
    assert "acme/" not in page.locator('[data-testid="stMain"]').inner_text()
    assert "conflict-" not in page.content()
