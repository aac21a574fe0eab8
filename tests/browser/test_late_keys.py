"""Keys and buttons pressed while the page is still being drawn: carried out once it stands, or said to be ignored; never about something else."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from store import open_store, show_record

from .served import settle


class Wire:
    """The desk's socket of a page: what the server draws is stopped once certain words came, and let on later."""

    def __init__(self, page):
        self.page, self.words, self.kept = page, None, None
        page.route_web_socket("**/_stcore/stream", self._open)
        page.reload()
        settle(page)

    def _open(self, client):
        self.client = client
        client.connect_to_server().on_message(self._pass_on)

    def _pass_on(self, message):
        if self.kept is not None:
            self.kept.append(message)
            return
        self.client.send(message)
        if self.words is not None and self.words in (message if isinstance(message, bytes) else message.encode()):
            self.kept = []

    def stop_after(self, words):
        self.words = words.encode()

    def stop_now(self):
        self.kept = []

    def break_off(self):
        self.words = self.kept = None
        self.client.close()

    def let_on(self):
        kept, self.words, self.kept = self.kept or [], None, None
        for message in kept:
            self.client.send(message)
        settle(self.page)


def told(page):
    return page.locator(".cd-late")


def detail(page):
    return page.locator(".st-key-candidates_detail")


def show_the_next_above(desk, visitors):
    """Stop drawing where the evidence of the next record stands above the buttons of the last; return the page and its wire."""
    page = visitors.page_as("ana", desk, "/candidates?candidate=batch-size&order=oldest")
    wire = Wire(page)
    wire.stop_after("The gateway closes a silent connection")
    page.keyboard.press("j")
    expect(detail(page)).to_contain_text("The gateway closes a silent connection")
    return page, wire


def accepted(desk):
    """Which of two candidates that follow each other are accepted by now."""
    store = open_store(desk.database)
    found = [one for one in ("batch-size", "silent-close") if show_record(store, "ravi", "acme", one)["status"] == "ACCEPTED"]
    store.close()
    return found


def shows(page, record_id):
    page.wait_for_url(re.compile(rf"[?&]candidate={record_id}(&|$)"))


def test_a_key_pressed_before_its_button_was_drawn_is_said_to_be_ignored(quiet_desk, visitors):
    page = visitors.page_as("ana", quiet_desk, "/conflicts")
    wire = Wire(page)
    wire.stop_after("Keep value 1")
    page.locator(".cf-list tr a").first.click()
    expect(page.get_by_role("button", name="Keep value 1")).to_be_enabled()
    assert page.get_by_role("button", name="Different").count() == 0
    page.keyboard.press("7")
    wire.let_on()
    expect(told(page)).to_have_text(re.compile("7 came while the page was still being drawn and was ignored"))
    expect(page.locator(".cf-which")).to_have_text("Which is it?")
    page.keyboard.press("7")
    expect(page.locator(".cf-which")).to_contain_text("different things")


def test_a_key_pressed_before_the_server_has_answered_the_last_is_said_to_be_ignored(quiet_desk, visitors):
    page = visitors.page_as("ana", quiet_desk, "/candidates?candidate=batch-size&order=oldest")
    wire = Wire(page)
    wire.stop_now()
    page.keyboard.press("x")
    page.keyboard.press("1")
    wire.let_on()
    expect(told(page)).to_have_text(re.compile("1 came while the page was still being drawn and was ignored"))
    expect(page.get_by_role("button", name="Back")).to_be_enabled()


def test_a_connection_that_breaks_off_after_a_press_is_told_once_it_is_back(quiet_desk, visitors):
    page = visitors.page_as("ana", quiet_desk, "/candidates?candidate=batch-size&order=oldest")
    wire = Wire(page)
    wire.stop_now()
    page.keyboard.press("q")
    wire.break_off()
    expect(told(page)).to_have_text(re.compile("The connection broke off after “Ask …” was pressed"), timeout=60_000)
    visitors.expect_errors(page)


def test_a_button_pressed_while_the_next_record_stands_above_it_decides_on_neither(desk, visitors):
    page, wire = show_the_next_above(desk, visitors)
    page.locator('[data-stale="true"]').get_by_role("button", name="Approve as").click()
    wire.let_on()
    expect(told(page)).to_have_text(re.compile("“Approve as Ana.*” came while the page was still being drawn and was ignored"))
    shows(page, "silent-close")
    assert accepted(desk) == []


def test_a_button_that_moves_away_under_the_pointer_is_pressed_all_the_same(quiet_desk, visitors):
    page = visitors.page_as("ana", quiet_desk, "/candidates?candidate=batch-size&order=oldest")
    reject = page.get_by_role("button", name="Reject …")
    reject.hover()
    page.mouse.down()
    reject.evaluate("button => { button.closest('.st-key-candidates_bar').style.transform = 'translateY(-300px)'; }")
    page.mouse.up()
    expect(page.get_by_role("button", name="Back")).to_be_enabled()


def test_a_key_pressed_while_the_next_record_stands_above_the_last_one_s_buttons_decides_on_neither(desk, visitors):
    page, wire = show_the_next_above(desk, visitors)
    expect(page.get_by_role("button", name="Approve as")).to_be_enabled()
    page.keyboard.press("a")
    wire.let_on()
    expect(told(page)).to_have_text(re.compile("A came while the page was still being drawn and was ignored"))
    shows(page, "silent-close")
    assert accepted(desk) == []


def test_a_key_pressed_while_the_rest_of_the_page_is_drawn_decides_once_on_the_record_that_was_shown(desk, visitors):
    page = visitors.page_as("ana", desk, "/candidates?candidate=key-lifetime-chat&order=oldest")
    wire = Wire(page)
    approve = page.locator('[data-stale="false"][class*="st-key-decision-approve"]')
    of_the_last = re.search(r"st-key-decision-approve-\S+", approve.get_attribute("class")).group()
    wire.stop_after("Reject …")
    page.keyboard.press("j")
    # Two buttons listen to the same key: the last one's stays, no longer shown, until the page stands.
    expect(page.locator(f'[data-stale="true"].{of_the_last}')).to_be_attached()
    expect(approve.get_by_role("button")).to_be_enabled()
    expect(approve).not_to_have_class(re.compile(of_the_last))
    page.keyboard.down("a")
    for _ in range(10):
        page.keyboard.down("a")
    page.keyboard.up("a")
    assert accepted(desk) == []
    wire.let_on()
    shows(page, "silent-close")
    assert accepted(desk) == ["batch-size"]
    expect(told(page)).to_be_hidden()


def test_two_steps_pressed_at_once_walk_two_records_on(quiet_desk, visitors):
    page = visitors.page_as("ana", quiet_desk, "/candidates?candidate=key-lifetime-chat&order=oldest")
    wire = Wire(page)
    wire.stop_after("A batch on the business plan")
    page.keyboard.press("j")
    expect(detail(page)).to_contain_text("A batch on the business plan")
    page.keyboard.press("j")
    wire.let_on()
    shows(page, "silent-close")
