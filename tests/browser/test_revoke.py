"""Revoke and preview in a real browser: seen, refused when it changed, committed once, and no longer served."""

from __future__ import annotations

import csv
import io
import json
import re
from contextlib import contextmanager

import pytest
from playwright.sync_api import expect

from store import (
    Plan,
    Question,
    Verb,
    commit_plan,
    export_plan_csv,
    import_lines,
    latest_event,
    list_plan_rows,
    open_store,
    preview_plan,
    read_claims,
    rehearse,
    verify_store,
)

from .served import settle

LARCH = "/revoke?pick=LARCH-Q3&do=revoke"


@contextmanager
def at(desk):
    store = open_store(desk.database)
    try:
        yield store
    finally:
        store.close()


def add_dependent(desk, record_id="late-note"):
    """Somebody else brings in a claim that rests on the report, behind the page's back."""
    line = {
        "type": "claim", "id": record_id, "scope": "acme/funds", "subject": "larch-hollow-3", "predicate": "late_note", "value": "as told", "derived_from": ["nav-2026-q3"],
        "owner": "ben", "review_at": "2030-01-01", "status": "reviewed", "statement": "A note that came in late.",
    }  # fmt: skip
    with at(desk) as store:
        result = import_lines(store, "operator", [json.dumps(line).encode()], reviewed=True)
    assert result["imported"]["claim"] == 1, result


def answer(desk, subject, predicate, **qualifiers):
    with at(desk) as store:
        return read_claims(store, "ana", Question("acme/funds", subject, predicate, qualifiers))["result"]


def lead(page):
    return page.locator(".cd-lead").first.inner_text()


def card(page):
    return page.locator(".st-key-revoke-card")


def fill(page, *, reason="The manager restated the quarter", delivered="5", confirm=True, owner="Olga"):
    form = card(page)
    if owner:
        form.locator("[data-testid=stSelectbox] input").click()
        page.get_by_role("option", name=re.compile(owner)).click()
        settle(page)
    form.get_by_label("Reason, kept with the event").fill(reason)
    if confirm:
        form.locator("label", has_text="I have seen what this does").click()
    if delivered is not None:
        form.get_by_label(re.compile("number of delivered artifacts")).fill(delivered)


def press(page):
    card(page).get_by_role("button", name=re.compile("^(Withdraw|Stop using)")).click()
    settle(page)


def event_of(page):
    return int(re.search(r"done=(\d+)", page.url)[1])


def test_preview_refusal_after_somebody_added_a_dependent_then_commit_and_nothing_reached_is_served(desk_on_both, visitors):
    desk = desk_on_both
    page = visitors.page_as("ana", desk, LARCH)
    assert "takes 34 records out of use: 4 delivered artifacts, 1 other artifact, 28 claims and 1 source version" in lead(page)
    assert "10 notices about 5 delivered artifacts go to 7 recipients" in lead(page)
    assert answer(desk, "larch-hollow-3", "nav", currency="USD") == "OK"
    with at(desk) as store:
        found = rehearse(store, "ana", "acme", Plan(Verb.REVOKE, ("LARCH-Q3",)))
        asked = list_plan_rows(store, found, "answers", limit=200).items
        before = {(row["scope"], row["subject"], row["predicate"], json.dumps(row["qualifiers"], sort_keys=True)): row["after"] for row in asked}

    fill(page)
    add_dependent(desk)
    press(page)

    refused = page.locator(".cd-refused")
    assert "has changed since the preview: 1 added" in refused.inner_text()
    assert refused.get_by_role("link", name="late-note").is_visible()
    assert page.locator(".cd-drift").get_by_role("link", name="late-note").is_visible()
    assert card(page).get_by_role("button", name=re.compile("^Withdraw 34")).is_disabled()
    assert answer(desk, "larch-hollow-3", "nav", currency="USD") == "OK"

    page.get_by_role("button", name="Preview again").click()
    settle(page)
    assert "takes 35 records out of use" in lead(page)
    assert page.locator(".cd-drift").count() == 0
    fill(page)
    press(page)

    expect(page.locator(".cd-badges")).to_contain_text("35 predicted, 35 changed")
    assert "withdrew" in lead(page)
    assert page.locator(".cd-samples").get_by_text("Not served").count() >= 3
    for (scope, subject, predicate, qualifiers), after in before.items():
        with at(desk) as store:
            assert read_claims(store, "ana", Question(scope, subject, predicate, json.loads(qualifiers)))["result"] == after
    assert answer(desk, "larch-hollow-3", "nav", currency="USD") == "MISSING"
    assert answer(desk, "larch-hollow-3", "late_note") == "MISSING"
    with at(desk) as store:
        assert read_claims(store, "ana", Question("acme/support", "subscription", "refund_window_days"))["result"] == "OK"
        assert read_claims(store, "ana", Question("acme/support", "store", "refund_working_days"))["result"] == "OK"
        assert verify_store(store, "operator")["ok"]
    page.reload()
    settle(page)
    expect(page.locator(".cd-badges")).to_contain_text("35 predicted, 35 changed")
    assert page.locator(".cd-notices > li").count() == 7


def test_it_says_by_itself_that_this_plan_has_changed_and_only_this_plan(desk, visitors):
    page = visitors.page_as("ana", desk, LARCH)
    with at(desk) as store:
        line = {"type": "source", "id": "ELSEWHERE", "uri": "https://example.org", "title": "Something else", "scope": "acme"}
        import_lines(store, "operator", [json.dumps(line).encode()], reviewed=True)
    looks = page.evaluate("window.__begun")
    page.wait_for_function("looks => window.__begun >= looks + 2", arg=looks)  # one that had begun already may not have seen it
    settle(page)
    assert page.locator(".cd-drift").count() == 0

    add_dependent(desk)
    page.locator(".cd-drift").wait_for(timeout=60_000)
    settle(page)

    assert "1 record added" in page.locator(".cd-drift").inner_text()
    assert card(page).get_by_role("button", name=re.compile("^Withdraw")).is_disabled()
    assert page.get_by_test_id("stDownloadButton").first.is_visible()
    assert "34 records" in lead(page)


def test_a_double_click_commits_once(desk, visitors):
    page = visitors.page_as("ana", desk, LARCH)
    with at(desk) as store:
        first = rehearse(store, "ana", "acme", Plan(Verb.REVOKE, ("LARCH-Q3",))).revision
    fill(page)
    card(page).get_by_role("button", name=re.compile("^Withdraw")).dblclick()
    settle(page)

    expect(page.locator(".cd-badges")).to_contain_text("34 predicted, 34 changed")
    assert event_of(page) == first + 1
    with at(desk) as store:
        assert latest_event(store, "ana", "acme") == first + 1


def test_a_held_enter_key_commits_once(desk, visitors):
    page = visitors.page_as("ana", desk, LARCH)
    with at(desk) as store:
        first = latest_event(store, "ana", "acme")
    fill(page)
    card(page).get_by_role("button", name=re.compile("^Withdraw")).focus()
    for _ in range(40):
        page.keyboard.down("Enter")
        page.wait_for_timeout(30)
    page.keyboard.up("Enter")
    settle(page)

    with at(desk) as store:
        assert latest_event(store, "ana", "acme") == first + 1
    assert event_of(page) == first + 1


@pytest.mark.parametrize(
    ("missing", "says"),
    [
        ({"reason": ""}, "Give a reason"), ({"confirm": False}, "Tick the sentence"), ({"delivered": "4"}, "Type 5"), ({"delivered": None}, "Type 5"),
        ({"owner": None}, "Name an owner for “What is Larch Hollow III worth?”"),
    ],
)  # fmt: skip
def test_what_is_missing_is_said_and_nothing_changes(quiet_desk, visitors, missing, says):
    page = visitors.page_as("ana", quiet_desk, LARCH)
    fill(page, **missing)
    press(page)

    assert says in page.locator(".cd-problems").inner_text()
    assert "Nothing was changed" in card(page).inner_text()
    assert answer(quiet_desk, "larch-hollow-3", "nav", currency="USD") == "OK"


def test_an_artifact_nobody_owns_may_be_waived_with_a_reason(desk, visitors):
    page = visitors.page_as("ana", desk, LARCH)
    fill(page, owner="Nobody needs")
    press(page)
    assert "Say why nobody needs to be told of “What is Larch Hollow III worth?”" in page.locator(".cd-problems").inner_text()

    card(page).get_by_placeholder("If nobody needs to be told: why").fill("A cached answer, gone by tomorrow")
    press(page)

    assert "stays without owner: A cached answer, gone by tomorrow" in page.inner_text("[data-testid=stMain]")


def test_somebody_else_who_committed_the_same_is_named(desk, visitors):
    page = visitors.page_as("ana", desk, LARCH)
    fill(page)
    with at(desk) as store:
        plan = Plan(Verb.REVOKE, ("LARCH-Q3",))
        fingerprint = preview_plan(store, "ben", "acme", plan, rows=0).fingerprint
        done = commit_plan(store, "ben", "acme", plan, fingerprint, "Ben was first", owners={"answer-larch-nav": "ben"})
    press(page)

    refused = page.locator(".cd-refused")
    assert "ben committed this very preview" in refused.inner_text()
    refused.get_by_role("link", name="See what it did").click()
    settle(page)
    assert event_of(page) == done["event"]
    assert "Ben was first" in page.inner_text("[data-testid=stMain]")


def test_searching_choosing_going_back_and_forward(quiet_desk, visitors):
    page = visitors.page_as("ana", quiet_desk, "/revoke")
    page.get_by_label(re.compile("Search sources")).type("larch q3", delay=20)
    page.locator("a.cd-pick", has_text="report Q3 2026").first.wait_for()
    settle(page)
    page.locator("a.cd-pick", has_text="report Q3 2026").first.click()
    settle(page)
    assert "Stopping the use of" in lead(page)

    page.locator("a.cd-verb", has_text="Withdraw for good").click()
    settle(page)
    assert "Withdrawing" in lead(page)
    page.locator("a.cd-tab", has_text="Answers that change").click()
    settle(page)
    assert page.locator(".cd-row").count() == 27

    page.go_back()
    settle(page)
    assert page.locator("a.cd-tab.cd-here").inner_text() == "5Delivered"
    page.go_back()
    settle(page)
    assert "Stopping the use of" in lead(page)
    page.go_forward()
    settle(page)
    assert "Withdrawing" in lead(page)
    page.reload()
    settle(page)
    assert "Withdrawing" in lead(page)


def test_every_count_is_the_length_of_its_list_and_the_groups_sum_to_the_total(quiet_desk, visitors):
    page = visitors.page_as("ana", quiet_desk, LARCH)
    for tab in page.locator("a.cd-tab").all_inner_texts():
        count, word = re.match(r"(\d+)\s*(.+)", tab, re.DOTALL).groups()
        page.locator("a.cd-tab", has_text=word.strip()).click()
        settle(page)
        rows = page.locator(".cd-row").count() - (1 if word.strip() == "Owners" else 0)
        assert rows == int(count), word
    page.locator("a.cd-tab", has_text="All that changes").click()
    settle(page)
    assert sum(int(text) for text in page.locator("a.cd-fold b").all_inner_texts()) == 34


def test_the_export_holds_every_row_and_the_fingerprint(quiet_desk, visitors):
    page = visitors.page_as("ana", quiet_desk, LARCH)
    with page.expect_download() as csv_file:
        page.get_by_role("button", name="CSV").click()
    rows = list(csv.DictReader(io.StringIO(csv_file.value.path().read_text("utf-8-sig"))))
    with page.expect_download() as json_file:
        page.get_by_role("button", name="JSON").click()
    whole = json.loads(json_file.value.path().read_text("utf-8"))

    assert len(rows) == 34 == len(whole["affected"]) == whole["totals"]["affected"]
    assert {row["fingerprint"] for row in rows} == {whole["fingerprint"]} == {page.locator(".cd-badges button.cd-copy").get_attribute("title")}
    assert [row["id"] for row in rows] == [row["id"] for row in whole["affected"]]


def test_the_picture_is_drawn_offline_and_a_box_filters_the_list(quiet_desk, visitors):
    page = visitors.page_as("ana", quiet_desk, LARCH)
    host = page.locator(".g[data-drawn]")
    host.wait_for()
    host.scroll_into_view_if_needed()
    host.hover(trial=True)  # it stands still
    assert 2 <= int(host.get_attribute("data-drawn")) <= 30
    assert page.locator(".cd-reachtable tr").count() == int(host.get_attribute("data-drawn")) + 2

    places, box = host.evaluate("host => host.__places()"), host.bounding_box()
    page.mouse.click(box["x"] + places["2"]["x"], box["y"] + places["2"]["y"])
    page.wait_for_url(re.compile("group="))
    settle(page)
    assert "11 records of the chosen group" in page.locator(".cd-chosen").inner_text()
    assert page.locator(".cd-row").count() == 11

    page.locator(".cd-reachtable a.cd-link").nth(0).focus()
    page.keyboard.press("Enter")
    settle(page)
    assert page.locator(".cd-row").count() == 1


def test_who_may_not_decide_sees_it_and_cannot_commit(quiet_desk, visitors):
    page = visitors.page_as("mei", quiet_desk, LARCH)

    assert "takes 34 records out of use" in lead(page)
    assert "You can look, and not commit" in card(page).inner_text()
    assert card(page).get_by_role("button", name=re.compile("^Withdraw")).count() == 0

    other = visitors.page_as("olga", quiet_desk, LARCH)
    assert "Olga Termini may not revoke LARCH-Q3" in other.inner_text("[data-testid=stMain]")


def test_stopped_for_now_can_be_used_again(desk, visitors):
    page = visitors.page_as("ana", desk, "/revoke?pick=VALUER-LETTER&do=suspend")
    form = card(page)
    form.get_by_label("Reason, kept with the event").fill("The valuer asked us to wait")
    press(page)
    assert "stopped the use of" in lead(page)

    page.get_by_role("link", name="Preview using it again").click()
    settle(page)
    assert "1 record is used again at once" in lead(page)
    card(page).get_by_label("Reason, kept with the event").fill("They have looked")
    card(page).get_by_role("button", name=re.compile("^Use 1 record again")).click()
    settle(page)
    assert "back into use" in lead(page)


def test_what_was_withdrawn_already_is_said_and_can_be_left(desk, visitors):
    with at(desk) as store:
        plan = Plan(Verb.REVOKE, ("VALUER-LETTER",))
        commit_plan(store, "ana", "acme", plan, preview_plan(store, "ana", "acme", plan, rows=0).fingerprint, "wrong")
    page = visitors.page_as("ana", desk, "/revoke?pick=VALUER-LETTER&do=revoke")

    assert "This cannot be done" in page.inner_text("[data-testid=stMain]")
    page.locator("a.cd-off").click()
    settle(page)
    assert "Choose what turned out to be wrong" in lead(page)


@pytest.mark.parametrize("path", ["/revoke?pick=%3Cimg%20src%3Dx%3E&do=revoke", "/revoke?pick=LARCH-Q3&do=nonsense&tab=x&page=99&group=9999&why=nobody", "/revoke?done=99999", "/revoke?pick=LARCH-Q3&done=abc"])
def test_a_wrong_address_breaks_nothing(quiet_desk, visitors, path):
    page = visitors.page_as("ana", quiet_desk, path)

    assert page.locator("h1.cd-title").inner_text() == ("What the plan did" if "99999" in path else "Revoke and preview")
    assert "Something went wrong" not in page.inner_text("[data-testid=stMain]")


def test_a_spreadsheet_runs_nothing_of_the_export(stores):
    store = open_store(stores.fresh("sqlite"))
    line = {"type": "source", "id": "=1+1", "uri": "u", "title": "=HYPERLINK(\"http://x\")", "scope": "acme"}
    text = {"type": "evidence", "id": "=1+1@1", "source": "=1+1", "version": 1, "media_type": "text/plain", "content": "x", "captured_at": "2026-01-01T00:00:00Z"}
    done = import_lines(store, "operator", [json.dumps(one).encode() for one in (line, text)], reviewed=True)
    assert not done["rejected"], done
    exported = export_plan_csv(store, rehearse(store, "ana", "acme", Plan(Verb.REVOKE, ("=1+1",)))).decode("utf-8-sig")
    store.close()

    row = next(csv.reader(io.StringIO(exported.splitlines()[1])))
    assert row[1] == "'=1+1@1"
    assert not any(cell.startswith(("=", "+", "@")) for cell in row)


HOSTILE = "<script>window.owned=1</script><img src=http://evil.example/x onerror=window.owned=1> ![i](http://evil.example/i) [l](javascript:1) $$x$$ :red[r] =1+1 \u202eabc http://evil.example"


def test_text_from_outside_stays_text_on_every_list_and_on_the_result(start_desk, stores, visitors):
    url = stores.fresh("sqlite")
    common = {"scope": "acme/funds", "owner": HOSTILE, "review_at": "2030-01-01", "status": "reviewed"}
    lines = [
        {"type": "source", "id": "HOSTILE", "uri": HOSTILE, "title": HOSTILE, "scope": "acme/funds", "owner": HOSTILE},
        {"type": "evidence", "id": "HOSTILE@1", "source": "HOSTILE", "version": 1, "media_type": "text/plain", "content": HOSTILE, "captured_at": "2026-01-01T00:00:00Z"},
        {"type": "claim", "id": "hostile-claim " + HOSTILE, "subject": HOSTILE, "predicate": HOSTILE, "value": HOSTILE, "qualifiers": {HOSTILE: HOSTILE}, "statement": HOSTILE,
         "evidence": [{"evidence": "HOSTILE@1"}], **common},
        {"type": "artifact", "id": "hostile-report", "artifact_type": "report", "title": HOSTILE, "body": HOSTILE, "derived_from": ["hostile-claim " + HOSTILE],
         "deliveries": [{"recipient": HOSTILE, "channel": HOSTILE, "delivered_at": "2026-01-02T00:00:00Z"}], **common, "owner": None},
        {"type": "read", "task": HOSTILE, "by": HOSTILE, "at": "2026-01-03T00:00:00Z", "records": ["hostile-claim " + HOSTILE]},
    ]  # fmt: skip
    store = open_store(url)
    done = import_lines(store, "operator", [json.dumps(one).encode() for one in lines], reviewed=True)
    store.close()
    assert not done["rejected"], done
    desk = start_desk(url)

    page = visitors.page_as("ana", desk, "/revoke?find=hostile")
    assert page.locator("a.cd-pick").count() >= 2
    page.goto(desk.url + "/revoke?pick=HOSTILE&do=revoke&why=hostile-report")
    settle(page)
    assert "takes 3 records out of use" in lead(page)
    assert "⟦RLO⟧" in lead(page)
    for place in range(page.locator("a.cd-tab").count()):
        page.locator("a.cd-tab").nth(place).click()
        settle(page)
    fill(page, delivered="1", confirm=False)
    press(page)
    assert "3 predicted, 3 changed" in page.locator(".cd-badges").inner_text()
    assert page.evaluate("window.owned") is None
    assert page.locator("[data-testid=stMain] img").count() == 0
    assert page.locator("[data-testid=stMain] a[href*='evil']").count() == 0
