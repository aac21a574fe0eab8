"""How many deliberate keys and clicks forty candidates take, decided the way a person would: at most 1.7 each."""

from __future__ import annotations

import re
import time

import pytest
from playwright.sync_api import expect

from store import Sift, import_lines, list_candidates, open_store, reject, show_record
from tests.builders import encode
from tests.four_documents import AFTER, RIGHT, SCOPE, candidates, ground

from .served import fill_with_sample, press_key, settle
from .test_candidates import becomes, status

#: What a person decides on what is looked at by itself: the keys, one after the other.
BY_ITSELF = {
    "margin": "x1", "debt": "x1", "growth": "a", "hotel": "d1", "allowance": "d", "car": "x1", "backups": "a1", "prices": "x3", "hours": "x1ua", "scanner": "x4", "meeting": "x1",
    "leeds-fleet": "a", "eur-usd-oct": "a", "cobbler-value-valuer": "a6", "fernbank-value": "a", "line-drawn": "a", "larch-borrowing": "x1ua", "tern-largest": "a", "tern-cap": "x1",
    "our-distributions-q3": "a",
}  # fmt: skip
#: Passes every check and is wrong all the same: the figure of the other column.
WRONG_IN_THE_TABLE = {"debt"}
OF_THE_SAMPLE = ("larch-borrowing", "fernbank-value", "our-distributions-q3", "line-drawn", "cobbler-value-valuer", "eur-usd-oct", "tern-largest", "tern-cap")


#: key -> words on its button.
_PRINTED = {
    "a": "Approve ", "d": "usual terms", "x": "Reject …", "u": "Reopen the last", "g": "Tick the", "1": "", "2": "", "3": "", "4": "", "5": "", "6": "",
}  # fmt: skip


class Hand:
    """A person's hand: every press and click is counted."""

    def __init__(self, page):
        self.page, self.actions = page, 0

    def _done(self):
        self.actions += 1
        pressed = time.monotonic()
        self.page.wait_for_timeout(60)
        settle(self.page)
        # A press within 0.6 seconds of when the last was taken would be ignored, as it should; that was before the page was drawn, and it stands for 0.4.
        self.page.wait_for_timeout(max(250, 620 - (time.monotonic() - pressed) * 1000))

    def key(self, key):
        expect(self.page.locator(".st-key-candidates_bar").locator(f"button:not([disabled]):has-text('{_PRINTED[key]}')").first).to_be_visible()
        press_key(self.page, key)
        self._done()

    def click(self, place):
        place.click()
        self._done()

    @property
    def shown(self):
        found = re.search(r"[?&]candidate=([^&]+)", self.page.url)
        if found:
            return found.group(1)
        link = self.page.locator(".cg-row.cc-here a, .cc-row.cc-here").first
        return re.search(r"[?&]candidate=([^&]+)", link.get_attribute("href")).group(1)


def fill(url):
    fill_with_sample(url)
    store = open_store(url)
    assert import_lines(store, "operator", encode(ground()), reviewed=True)["rejected"] == []
    assert import_lines(store, "operator", encode(candidates()))["rejected"] == []
    store.close()


@pytest.fixture
def full_desk(start_desk, stores):
    return start_desk(stores.fresh("sqlite", "four documents", fill))


def left(desk):
    return {row.id for row in list_candidates(open_store(desk.database), "ana", Sift(scope=SCOPE)).rows}


@pytest.mark.timeout(900)
def test_forty_candidates_take_at_most_1_7_actions_each_with_two_wrong_decisions_reopened(full_desk, visitors, capsys):
    page = visitors.page_as("ana", full_desk, f"/candidates?scope={SCOPE.replace('/', '%2F')}")
    hand = Hand(page)
    decided = 0
    while waiting := left(full_desk):
        here, plain = hand.shown, page.get_by_role("button", name=re.compile("Tick the .* that pass"))
        if plain.count():
            hand.key("g")
            for wrong in WRONG_IN_THE_TABLE & waiting:
                box = page.locator(".cg-row.cg-ticked", has=page.locator(f'a[href*="candidate={wrong}"]')).locator(".cg-tick")
                if box.count():
                    hand.click(box)
            hand.key("a")
        else:
            for key in BY_ITSELF[here]:
                hand.key(key)
        assert left(full_desk) < waiting, f"nothing came of it at {here}: {page.locator('.st-key-candidates_bar').inner_text()}"
        decided += len(waiting) - len(left(full_desk))
    own = hand.actions
    for name in OF_THE_SAMPLE:
        page.goto(f"{full_desk.url}/candidates?view=one&candidate={name}")
        settle(page)
        for key in BY_ITSELF[name]:
            hand.key(key)
        decided += 1

    with capsys.disabled():
        print(f"\n{decided} candidates: {hand.actions} keys and clicks, {hand.actions / decided:.2f} each; the four documents {own} for {len(RIGHT)}")
    assert decided == 40
    assert hand.actions / decided <= 1.7
    store = open_store(full_desk.database)
    found = {name: show_record(store, "ravi", "acme", name) for name in (*RIGHT, *AFTER, *OF_THE_SAMPLE)}
    assert {name: one["route"] if one["status"] == "REJECTED" else one["status"] for name, one in found.items() if name in RIGHT} == RIGHT
    assert {name: found[name]["status"] for name in AFTER} == AFTER
    assert {name: found[name]["status"] for name in OF_THE_SAMPLE} == {**dict.fromkeys(OF_THE_SAMPLE, "ACCEPTED"), "tern-cap": "REJECTED", "line-drawn": "CANDIDATE"}
    assert found["certificate"]["record"]["owner"] == "noor"
    assert found["hotel"]["record"]["owner"] == "ben"
    # Each of those approved together is a decision of its own, on the version that was seen.
    assert {found[name]["history"][-1]["reason"] for name in ("revenue", "cash", "receipts")} == {"Read together in the table; every check passed."}


def test_a_table_is_walked_ticked_and_decided_by_id_while_rows_move(full_desk, visitors):
    page = visitors.page_as("ana", full_desk, "/candidates?document=SECURITY%401")
    hand, here = Hand(page), page.locator(".cg-row.cc-here")
    # Arrows walk as J and K do; a box is ticked by a click; a key held ticks once.
    press_key(page, "ArrowDown")
    expect(here).to_contain_text("data location")
    hand.click(page.locator(".cg-row", has_text="backup days").locator(".cg-tick, .cg-untick"))
    assert page.locator(".cg-ticked").count() == 0, "what would contradict something is not ticked"
    hand.click(page.locator(".cg-row", has_text="incident notice hours").locator(".cg-tick"))
    expect(page.locator(".cg-ticked")).to_contain_text("incident notice hours")
    # Somebody else decides the first row: nothing slides under the hand.
    ben = open_store(full_desk.database)
    reject(ben, "ben", "acme", "review-days", "rejected", "not so")
    expect(page.get_by_role("button", name="Approve the 1 ticked as Ana")).to_be_visible()
    hand.key("a")
    becomes(full_desk, "told-hours", "ACCEPTED")
    expect(here).to_contain_text("data location")
    hand.key("x")
    hand.key("1")
    becomes(full_desk, "data-place", "REJECTED")
    assert [status(full_desk, name) for name in ("review-days", "recovery", "screened", "certificate", "backups")] == ["REJECTED", *["CANDIDATE"] * 4]
    hand.key("u")
    becomes(full_desk, "data-place", "CANDIDATE")
    expect(here).to_contain_text("data location")
    # A field that is typed in takes the keys.
    field = page.locator(".st-key-candidates_bar").get_by_label("Reason for approving")
    field.fill("")
    field.type("tag a")
    assert page.locator(".cg-ticked").count() == 0
    assert status(full_desk, "data-place") == "CANDIDATE"


def test_who_else_reads_a_candidate_is_told(full_desk, visitors):
    visitors.page_as("ben", full_desk, "/candidates?candidate=hours")
    ana = visitors.page_as("ana", full_desk, "/candidates?candidate=hours", width=420)

    expect(ana.locator(".cd-readers")).to_contain_text("Ben Achterberg is reading this too")
    assert ana.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth <= window.innerWidth + 1")
