"""Deciding on candidates in a real browser: by key and by click, once, and never on what was not seen."""

from __future__ import annotations

import contextlib
import re
import time

import pytest
from playwright.sync_api import expect

from store import amend, list_events, open_store, show_record

from .booths import PATIENCE
from .served import hold_without_help, keep_silence, press_key, settle

KEYS = {"a": "Approve as", "x": "Reject", "s": "Later", "j": "Next", "k": "Previous"}


def status(desk, record_id):
    return record(desk, record_id)["status"]


def record(desk, record_id):
    with contextlib.closing(open_store(desk.database)) as store:
        return show_record(store, "ravi", "acme", record_id)


def shown(page):
    """The id in the address of the candidate looked at."""
    found = re.search(r"[?&]candidate=([^&]+)", page.url)
    return found.group(1) if found else None


def page_shows(page, record_id):
    page.wait_for_url(re.compile(rf"[?&]candidate={record_id}(&|$)"))


def bar(page):
    return page.locator(".st-key-candidates_bar")


def says(where, words):
    """Wait until a part of the page says something."""
    expect(where).to_contain_text(words)


def detail(page):
    return page.locator(".st-key-candidates_detail")


def approve_button(page):
    return page.get_by_role("button", name="Approve as")


def press(page, key):
    """Press a key once its button can be pressed, and wait for what it does."""
    label = KEYS.get(key)
    if label:
        expect(bar(page).get_by_role("button", name=label).first).to_be_enabled()
    press_key(page, key)
    page.wait_for_timeout(200)
    return settle(page)


def becomes(desk, record_id, wanted):
    """Wait until a record has a status: a busy machine draws late."""
    end = time.monotonic() + PATIENCE / 1000
    while status(desk, record_id) != wanted and time.monotonic() < end:
        time.sleep(0.1)
    assert status(desk, record_id) == wanted


def decisions(desk, *people):
    store = open_store(desk.database)
    items = list_events(store, "ravi", tenant="acme")["items"]
    return [item for item in items if item["action"] in ("approve", "reject") and item["actor"] in people]


def test_a_candidate_is_approved_by_key_and_the_list_moves_on(desk_on_both, visitors):
    page = visitors.page_as("ana", desk_on_both, "/candidates?candidate=batch-size&order=oldest")
    press(page, "a")
    becomes(desk_on_both, "batch-size", "ACCEPTED")
    page_shows(page, "silent-close")
    says(bar(page), "as Ana Belcourt · 1 of 56 decided · 55 candidates left")
    history = record(desk_on_both, "batch-size")["history"][-1]
    assert (history["actor"], history["reason"]) == ("ana", "Passage read, checks passed.")


def hold(page, key, seconds):
    page.keyboard.down(key)
    for _ in range(int(seconds / 0.04)):
        page.wait_for_timeout(40)
        page.keyboard.down(key)
    page.keyboard.up(key)
    settle(page)


def test_a_key_held_for_two_seconds_decides_once(desk, visitors):
    page = visitors.page_as("ana", desk, "/candidates?candidate=fernbank-value")
    hold(page, "a", 2)
    page_shows(page, "our-distributions-q3")
    settle(page)
    assert len(decisions(desk, "ana")) == 1


def test_a_key_held_for_two_seconds_decides_once_without_any_help_of_the_browser(desk, visitors):
    page = visitors.page_as("ana", desk, "/candidates?candidate=fernbank-value")
    hold_without_help(page, "a")
    # Presses are carried out one after the other: the first decides, those that still reach a button are ignored.
    expect(bar(page)).to_contain_text(re.compile("ignored|Approved fernbank-dairy"))
    settle(page)
    assert len(decisions(desk, "ana")) == 1
    page_shows(page, "our-distributions-q3")
    assert status(desk, "our-distributions-q3") == "CANDIDATE"


def test_a_double_click_decides_once_and_says_so(desk, visitors):
    page = visitors.page_as("ana", desk, "/candidates?candidate=tern-largest")
    approve_button(page).dblclick()
    expect(page.locator(".cd-late")).to_have_text(re.compile("“Approve as Ana.*” came while the page was still being drawn and was ignored"))
    becomes(desk, "tern-largest", "ACCEPTED")
    says(bar(page), "Approved tern")
    settle(page)
    assert len(decisions(desk, "ana")) == 1
    assert status(desk, "tern-cap") == "CANDIDATE"


def test_of_two_people_on_one_candidate_one_decides_and_the_other_is_told(desk, visitors):
    ana = visitors.page_as("ana", desk, "/candidates?candidate=fernbank-value&order=oldest")
    ben = visitors.page_as("ben", desk, "/candidates?candidate=fernbank-value&order=oldest")
    press(ana, "a")
    becomes(desk, "fernbank-value", "ACCEPTED")
    press(ben, "a")
    becomes(desk, "fernbank-value", "ACCEPTED")
    assert decisions(desk, "ben") == []
    says(bar(ben), re.compile(r"ana approved fernbank-dairy · fair value at .* UTC\. Your decision was not saved; the list moved on"))
    page_shows(ben, "line-drawn")


def test_a_contradiction_asks_which_it_is_and_says_what_follows(desk_on_both, visitors):
    page = visitors.page_as("ana", desk_on_both, "/candidates?candidate=refund-window-chat")
    press(page, "a")
    assert status(desk_on_both, "refund-window-chat") == "CANDIDATE"
    says(bar(page), "How is it meant?")
    says(bar(page), "6 records need re-validation")
    keep_silence(page)
    press(page, "1")
    becomes(desk_on_both, "refund-window-chat", "ACCEPTED")
    becomes(desk_on_both, "refund-window", "SUPERSEDED")
    says(bar(page), "refund-window is superseded")


def test_a_contradiction_may_open_a_conflict_or_stand_in_a_narrower_scope(desk, visitors):
    page = visitors.page_as("ana", desk, "/candidates?candidate=key-lifetime-chat")
    press(page, "a")
    keep_silence(page)
    press(page, "6")
    becomes(desk, "key-lifetime-chat", "ACCEPTED")
    assert status(desk, "key-lifetime") == "ACCEPTED"
    page = visitors.page_as("ana", desk, "/candidates?candidate=cobbler-value-valuer")
    press(page, "a")
    bar(page).get_by_label("Scope it holds in").fill("acme/funds/valuer")
    page.keyboard.press("Enter")
    keep_silence(page)
    press(page, "3")
    becomes(desk, "cobbler-value-valuer", "ACCEPTED")
    assert record(desk, "cobbler-value-valuer")["record"]["scope"] == "acme/funds/valuer"
    becomes(desk, "cobbler-value", "ACCEPTED")


def test_high_impact_waits_for_a_second_person_who_sees_the_first(desk_on_both, visitors):
    ana = visitors.page_as("ana", desk_on_both, "/candidates?candidate=line-drawn")
    says(bar(ana), "first of two")
    press(ana, "a")
    assert status(desk_on_both, "line-drawn") == "CANDIDATE"
    says(bar(ana), "waits for a second person")
    ben = visitors.page_as("ben", desk_on_both, "/candidates?show=second")
    says(ben.locator("h1.cc-sentence"), "1 waits for a second person")
    says(detail(ben), "Ana Belcourt approved it")
    press(ben, "a")
    becomes(desk_on_both, "line-drawn", "ACCEPTED")


def test_a_wrong_span_is_amended_and_the_amender_cannot_approve(desk_on_both, visitors):
    page = visitors.page_as("ana", desk_on_both, "/candidates?candidate=silent-close")
    says(detail(page), "The quote does not stand where its span says")
    says(detail(page), "The quote really stands here")
    expect(approve_button(page)).to_be_disabled()
    page.get_by_text("Amend it: value or quote").click()
    page.get_by_role("button", name="Save the amendment as").click()
    says(page.locator("body"), "You contributed to it now, so somebody else must decide")
    settle(page)
    found = record(desk_on_both, "silent-close")
    span, quote = found["record"]["evidence"][0]["span"], found["record"]["evidence"][0]["quote"]
    assert span["end"] - span["start"] == len(quote)
    assert found["version"] == 2
    says(page.locator("body"), "somebody else must decide")
    says(bar(page), "Independent reviewer")
    expect(approve_button(page)).to_be_disabled()
    ben = visitors.page_as("ben", desk_on_both, "/candidates?candidate=silent-close")
    press(ben, "a")
    becomes(desk_on_both, "silent-close", "ACCEPTED")


@pytest.mark.parametrize(("digit", "route"), [("1", "rejected"), ("2", "session_only"), ("3", "not_durable"), ("4", "sensitive")])
def test_a_digit_chooses_the_route_of_a_rejection(desk, visitors, digit, route):
    page = visitors.page_as("ana", desk, "/candidates?candidate=trip-budget")
    press(page, "x")
    keep_silence(page)
    press(page, digit)
    becomes(desk, "trip-budget", "REJECTED")
    found = record(desk, "trip-budget")
    assert (found["status"], found["route"]) == ("REJECTED", route)
    assert found["history"][-1]["reason"]


def test_a_veiled_candidate_is_shown_and_sent_along_the_suggested_route_by_one_key_each(desk, visitors):
    page = visitors.page_as("ana", desk, "/candidates?candidate=traveller-health")
    says(detail(page), "Its words are veiled")
    expect(detail(page).get_by_text("diabetes")).to_have_count(0)
    press(page, "v")
    says(detail(page), "has diabetes")
    keep_silence(page)
    press(page, "w")
    becomes(desk, "traveller-health", "REJECTED")
    assert record(desk, "traveller-health")["route"] == "sensitive"


def test_terms_make_a_check_pass_before_the_decision(desk, visitors):
    page = visitors.page_as("ana", desk, "/candidates?candidate=tern-loans")
    expect(approve_button(page)).to_be_disabled()
    detail(page).get_by_label("Owner", exact=True).fill("ben")
    page.keyboard.press("Enter")
    settle(page)
    says(detail(page), "All 12 checks pass")
    press(page, "a")
    becomes(desk, "tern-loans", "ACCEPTED")
    assert record(desk, "tern-loans")["record"]["owner"] == "ben"


def test_reads_are_judged_one_by_one(desk, visitors):
    page = visitors.page_as("ana", desk, "/candidates?candidate=larch-nav-outlook")
    reads = page.locator(".st-key-candidates_reads")
    for place, said in enumerate(("did not", "did not", "did not")):
        reads.get_by_role("radio", name=said).nth(place).click() if reads.get_by_role("radio", name=said).count() else reads.get_by_text(said, exact=True).nth(place).click()
        settle(page)
    says(detail(page), "All 12 checks pass")
    press(page, "a")
    becomes(desk, "larch-nav-outlook", "ACCEPTED")


def test_a_change_since_it_was_seen_is_shown_and_nothing_is_decided(desk, visitors):
    page = visitors.page_as("ana", desk, "/candidates?candidate=escalation-lead")
    store = open_store(desk.database)
    before = show_record(store, "ben", "acme", "escalation-lead")["record"]["value"]
    amend(store, "ben", "acme", "escalation-lead", {"conditions": "on weekdays"})
    press(page, "a")
    assert status(desk, "escalation-lead") == "CANDIDATE"
    says(page.locator("body"), "It changed since you looked")
    says(page.locator("body"), "on weekdays")
    assert record(desk, "escalation-lead")["record"]["value"] == before


def test_every_candidate_is_opened_by_its_address_and_back_and_forward_work(desk, visitors):
    page = visitors.page_as("ana", desk, "/candidates?candidate=fernbank-value&order=oldest")
    says(detail(page), "fernbank-dairy · fair value")
    press(page, "j")
    page_shows(page, "line-drawn")
    press(page, "j")
    page_shows(page, "larch-liquidity")
    page.go_back()
    settle(page)
    page_shows(page, "line-drawn")
    says(detail(page), "credit line drawn")
    page.go_back()
    settle(page)
    says(detail(page), "fernbank-dairy · fair value")
    page.go_forward()
    settle(page)
    says(detail(page), "credit line drawn")


def test_a_count_is_a_way_to_its_list_and_later_leaves_the_candidate_waiting(desk, visitors):
    page = visitors.page_as("ana", desk, "/candidates")
    page.get_by_role("link", name=re.compile("6 would contradict")).click()
    settle(page)
    assert "show=contradicts" in page.url
    assert page.locator(".cc-row").count() == 6
    first = shown(page)
    press(page, "s")
    assert shown(page) != first
    assert status(desk, "key-lifetime-chat") == "CANDIDATE"
    assert page.locator(".cc-row").count() == 6


def test_a_reason_being_typed_is_no_key_and_is_kept_with_the_decision(desk, visitors):
    page = visitors.page_as("ana", desk, "/candidates?candidate=leavers-rule")
    field = bar(page).get_by_label("Reason for approving")
    field.fill("")
    field.type("axs read at the source")
    assert status(desk, "leavers-rule") == "CANDIDATE"
    page.keyboard.press("Enter")
    settle(page)
    press(page, "a")
    becomes(desk, "leavers-rule", "ACCEPTED")
    assert record(desk, "leavers-rule")["history"][-1]["reason"] == "axs read at the source"


def test_an_unknown_id_says_so_and_a_reader_without_the_right_decides_nothing(quiet_desk, visitors):
    page = visitors.page_as("ana", quiet_desk, "/candidates?candidate=no-such-thing")
    says(page.locator("body"), "That candidate cannot be shown")
    page = visitors.page_as("mei", quiet_desk, "/candidates?candidate=batch-size")
    says(bar(page), "decides nothing in acme/api")
    assert approve_button(page).count() == 0


def test_who_may_not_see_candidates_is_told_so_and_whom_to_ask(quiet_desk, visitors):
    page = visitors.page_as("olga", quiet_desk, "/candidates")
    says(page.get_by_role("heading", level=1), "Candidates are not shown to you")
    says(page.locator("body"), "Ask an admin.")

