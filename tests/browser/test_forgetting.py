"""A request to forget, by the keyboard alone, from the page of a record to the receipt, in which a key held asks once."""

from __future__ import annotations

from playwright.sync_api import expect

from store import list_deletions, open_store

from .served import keep_silence, press_key, settle
from .test_by_keyboard import enter, tab_to


def test_a_request_goes_from_the_record_to_the_receipt_without_a_mouse(desk, visitors):
    page = visitors.page_as("ravi", desk, "/record?record=brief-bullets")
    enter(page, "^Forget…")
    main = page.locator("[data-testid=stMain]")
    expect(main).to_contain_text("1 record is blocked at once")
    expect(main.locator(".fg-passage mark").first).to_contain_text("要点")

    tab_to(page, "Ground, which stays")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    tab_to(page, "^Reason")
    page.keyboard.type("A letter that came this morning")
    if main.get_by_text("the number of delivered artifacts").count():
        tab_to(page, "^Type 1, the number")
        page.keyboard.type("1")
    tab_to(page, "^Block 1 record at once as Ravi")
    for _ in range(4):
        page.keyboard.press("Enter")
    settle(page)
    expect(main).to_contain_text("Nothing is erased yet")
    expect(main).not_to_contain_text("要点")
    store = open_store(desk.database)
    assert len(list_deletions(store, "ravi")) == 1

    keep_silence(page)
    tab_to(page, "^Erase everywhere now as Ravi")
    press_key(page, "Enter")
    expect(main).to_contain_text("Looked for afterwards")
    expect(main).to_contain_text("Nothing left")
    settle(page)
    enter(page, "Receipt$")
    expect(main).to_contain_text("This receipt holds nothing of what was forgotten")
    expect(main).not_to_contain_text("brief-bullets")
    assert [row.state for row in list_deletions(store, "ravi")] == ["complete"]
    store.close()
