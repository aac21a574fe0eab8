"""Importing and changing roles, where a browser is needed: a bar that moves while other pages work, and two admins at once."""

from __future__ import annotations

import contextlib
import json
import re

import pysqlite3
from playwright.sync_api import expect

from store import open_store, view_people

from .served import settle

#: So many that the check takes a few seconds.
_MANY = 4_000


def a_bundle():
    lines = [{"type": "source", "id": "BULK", "scope": "acme/funds", "title": "Bulk"}, {"type": "evidence", "id": "BULK@1", "source": "BULK", "content": "text"}]
    lines += [
        {"type": "claim", "id": f"bulk-{n}", "scope": "acme/funds", "subject": f"bulk {n}", "predicate": "says", "value": n, "evidence": [{"evidence": "BULK@1"}]}
        for n in range(_MANY)
    ]  # fmt: skip
    return "\n".join(map(json.dumps, [*lines, {"type": "claim", "id": "no-scope", "subject": "s", "predicate": "p", "value": 1}])).encode()


def test_an_import_is_checked_with_a_bar_while_the_desk_works_and_then_done_as_it_was_seen(desk, visitors):
    page = visitors.page_as("bot", desk, "/imports")
    page.set_input_files("input[type=file]", {"name": "bulk <b>.jsonl", "mimeType": "application/jsonl", "buffer": a_bundle()})
    settle(page)
    with contextlib.closing(pysqlite3.connect(desk.database.removeprefix("sqlite:///"), isolation_level=None)) as other:
        other.execute("begin immediate")  # the check is not done before somebody else's writing is
        page.get_by_role("button", name="See what it would do").click()
        expect(page.get_by_test_id("stProgress")).to_contain_text(re.compile("Reading the lines|Looking for what is there|Placing the records|Comparing"))
        assert page.get_by_role("progressbar").count() == 1
        other.execute("rollback")
    page.locator("nav.cd-menu a", has_text="About").first.click()
    page.wait_for_url("**/about*")
    page.get_by_role("heading", level=1).wait_for()
    page.goto(f"{desk.url}/imports")
    page.get_by_role("button", name=f"Import {_MANY + 2:,} lines as Research agent").wait_for(timeout=120_000)
    settle(page)
    assert "1 line cannot be taken" in page.locator(".cd-lead").inner_text()
    assert "Scope is missing" in page.locator(".im-errors").inner_text()
    with page.expect_download() as download:
        page.get_by_role("button", name="All of them as CSV").click()
    rows = download.value.path().read_text("utf-8-sig").splitlines()
    assert rows[1].startswith(f"bulk <b>.jsonl,{_MANY + 3},no-scope,bad_value,")

    page.get_by_role("button", name=f"Import {_MANY + 2:,} lines").click()
    page.get_by_role("link", name="To the candidates").wait_for(timeout=120_000)
    settle(page)
    assert f"{_MANY:,} claims came in" in page.locator(".cd-lead").inner_text()
    assert "not quite what was foreseen" not in page.get_by_test_id("stMain").inner_text()


def test_of_two_admins_the_later_one_is_refused_sees_why_and_keeps_what_was_typed(desk_on_both, visitors):
    desk = desk_on_both
    first, second = (visitors.page_as(one, desk, "/people?tenant=acme&who=olga") for one in ("ravi", "operator"))

    def choose(page, label, option):
        page.get_by_role("combobox", name=label).click()
        page.get_by_role("option", name=option, exact=True).click()
        settle(page)

    for page, role, why in ((first, "reviewer", "Noor is away"), (second, "contributor", "she writes too")):
        choose(page, "Give a role", role)
        choose(page, "In scope", "acme/vendors")
        page.get_by_role("textbox", name="Reason, kept with the event", exact=True).fill(why)
        page.get_by_role("textbox", name="Reason, kept with the event", exact=True).press("Control+Enter")
        settle(page)
        assert f"{role} in acme/vendors" in page.locator(".pp-after").inner_text()
    for page in (first, second):
        page.get_by_role("button", name="Change it as").click()
        settle(page)

    assert "Olga Termini changed: reader in acme, reviewer in acme/vendors." in first.locator(".cd-goodband").inner_text()
    assert "Somebody changed the roles of olga since you looked. Nothing was saved." in second.locator(".cd-badband").inner_text()
    assert second.get_by_role("textbox", name="Reason, kept with the event", exact=True).input_value() == "she writes too"
    assert "reviewer in acme/vendors" in second.locator(".pp-roles").inner_text()
    store = open_store(desk.database)
    (olga,) = [one for one in view_people(store, "ravi", "acme").people if one.id == "olga"]
    store.close()
    assert olga.roles == (("reader", "acme"), ("reviewer", "acme/vendors"))
