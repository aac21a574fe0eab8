"""One correction from the first stop to the report, in the browser: every click counted, a field filled in counts as one.

Ana stops using a report, puts the corrected PDF beside it and rehearses; Ben commits; Carl approves the answers and the new
edition; Ana settles what is left, tells who has to be told, and closes the case.
"""

from __future__ import annotations

import contextlib
import re
import socket
import time

import pytest
from aiosmtpd.controller import Controller
from playwright.sync_api import expect

from store import (
    Approval,
    MailSettings,
    approve,
    approve_messages,
    draft_messages,
    list_messages,
    list_stale,
    propose_edition,
    read_terms,
    send_messages,
    verify_store,
    view_correction,
)

from .correction_world import FACTS, MEMO, SOURCE, TENANT, fill_world, opened, print_report
from .served import settle

CASE = f"correction-{SOURCE}"
#: Seconds without a press before one that decides counts.
SILENCE = 0.65
MOST = 150

pytestmark = [pytest.mark.slow]


class Hands:
    """Somebody at the desk; all hands of the story count together."""

    count = 0

    def __init__(self, page):
        self.page, self.last = page, 0.0

    def go(self, address):
        """Go to an address, as one does by a bookmark; it counts."""
        self.page.goto(address)
        settle(self.page)
        Hands.count += 1

    def click(self, where):
        where.click()
        settle(self.page)
        Hands.count += 1

    def follow(self, name):
        self.click(self.page.locator("[data-testid=stMain]").get_by_role("link", name=name, exact=isinstance(name, str)).first)

    def press(self, name):
        """Press a button that decides something."""
        time.sleep(max(0.0, SILENCE - (time.monotonic() - self.last)))
        button = self.page.get_by_role("button", name=name, exact=isinstance(name, str)).first
        expect(button).to_be_enabled(timeout=20_000)
        self.click(button)
        self.last = time.monotonic()

    def press_last(self, name):
        time.sleep(SILENCE)
        self.click(self.page.get_by_role("button", name=name).last)

    def fill(self, label, words):
        field = self.page.get_by_label(label).first
        field.fill(words)
        field.blur()
        Hands.count += 1

    def says(self, words):
        expect(self.page.locator("[data-testid=stMain]")).to_contain_text(words, timeout=20_000)


def ceremony(hands, reason):
    """Fill in what the weight of a plan asks for."""
    hands.fill("Reason, kept with the event", reason)
    tick = hands.page.locator("[data-testid=stCheckbox] label", has_text=re.compile("record"))
    if tick.count():
        hands.click(tick.first)
    typed = hands.page.get_by_label(re.compile("^Type "))
    if typed.count():
        hands.fill(re.compile("^Type "), re.search(r"Type ([\d,]+)", typed.first.get_attribute("aria-label") or "").group(1))


def stop(ana):
    """09:00: the report is not to be used any more, and that is a case."""
    ana.says("Stopping the use of")
    ceremony(ana, "The administrator restated the second quarter")
    ana.click(ana.page.locator("label", has_text="Open a correction of it").first)
    ana.press(re.compile("^Stop using"))
    ana.says("stopped the use")
    ana.follow(re.compile("The administrator restated"))
    ana.says("Next: Compare")


def compare(ana, content):
    """14:00: the corrected PDF is put beside the old one, and what changed is marked."""
    ana.follow("Put the corrected document beside it")
    ana.page.locator("input[type=file]").set_input_files({"name": "harbour-q2-corrected.pdf", "mimeType": "application/pdf", "buffer": content})
    Hands.count += 1
    settle(ana.page)
    ana.press("Compare")
    ana.says("2 passages changed")
    expect(ana.page.locator(".cs-now", has_text="176.5").first).to_be_visible()
    ana.click(ana.page.get_by_text("What the new document says instead").first)
    for name, _, _, _, after in FACTS:
        if after is not None:
            ana.fill(f"New value of claim {name}", str(after))
    ana.press("Take these into the plan")
    ana.says("2 candidates with new values come with it")
    save(ana, "Correct it")


def save(hands, name):
    hands.click(hands.page.get_by_role("button", name="Save as rehearsal"))
    hands.fill("Name of the rehearsal", name)
    hands.press("Save")
    hands.says("Saved")


def rehearse(ana, url):
    """Withdrawing is rehearsed too, and the two are compared."""
    ana.go(f"{url}/corrections?case={CASE}&tenant={TENANT}")
    ana.follow("Withdraw it for good")
    save(ana, "Withdraw it")
    ana.go(f"{url}/corrections?case={CASE}&tenant={TENANT}")
    ana.follow("Rehearsals of this case")
    ana.follow("Correct it")
    ana.follow("Compare with…")
    ana.follow("Withdraw it")
    ana.says("Two plans side by side")


def hand_to_commit(ben, url):
    """Somebody else commits exactly what was rehearsed."""
    ben.go(f"{url}/rehearsals?correction={CASE}")
    ben.follow("Correct it")
    ceremony(ben, "The corrected edition stands")
    ben.press(re.compile("as Ben"))
    ben.says("as predicted")


def answer(carl, url):
    """The candidates that answer what fell are approved by a third person, in place of what they answer."""
    carl.go(f"{url}/corrections?case={CASE}&tenant={TENANT}")
    carl.follow(re.compile("candidates answer what fell"))
    for _ in range(2):
        carl.press(re.compile("^Approve (on|as)"))


def settle_the_rest(ana, database):
    """What lost the same is confirmed by one decision, and rests on the corrected claim from then on."""
    with opened(database) as store:
        Count.stale = list_stale(store, "ana", correction=CASE).total
    ana.follow("Work through what needs re-validation")
    for claims, new in ((3, "nav.2"), (1, "cash.2")):
        ana.follow(f"Rest on {new} instead")
        if claims > 1:
            ana.follow(re.compile(f"For all {claims} that lost the same"))
        ana.fill("Reason, kept with the event", "Worked out anew from the corrected figure")
        ana.press(re.compile(f"^Confirm {claims} record"))
        ana.says("by one decision")
        Count.decisions += 1


def tell(database, box):
    """A new edition of the memo goes to whoever holds the old one; through the actions, each counted as one."""
    with opened(database) as store:
        made = propose_edition(store, "ana", TENANT, MEMO, body="Harbour Fund II is worth USD 176.5 million.")
        approve(store, "carl", TENANT, made["proposed"], Approval("as corrected", read_terms({"review_at": "2099-01-01T00:00:00Z"})))
        Count.decisions += 1
        drafted = draft_messages(store, "ana", TENANT, correction=CASE)["drafted"]
        rows = {row.id: row for row in list_messages(store, "ana", correction=CASE).rows}
        outside = [one for one in drafted if "@" in rows[one].recipient]
        assert len(outside) == 2
        assert all("A new edition replaces it" in rows[one].body for one in outside)
        assert approve_messages(store, "ana", TENANT, drafted)["refused"] == []
        sent = send_messages(store, "ana", TENANT, outside, MailSettings("127.0.0.1", box.port, "desk@example.org"))
        assert (sent["sent"], sent["failed"]) == (outside, [])
        assert send_messages(store, "ana", TENANT, outside, MailSettings("127.0.0.1", box.port, "desk@example.org"))["sent"] == []
    Hands.count += 7
    assert sorted(to for to, _ in box.mail) == [["kim@example.org"], ["lee@example.org"]]


def close(ana, url):
    """The case is closed, and its report says it all."""
    ana.go(f"{url}/corrections?case={CASE}&tenant={TENANT}")
    ana.says("Nothing of it is open")
    ana.fill("What came of it, in a sentence or two", "The restated edition is in use")
    ana.press("Close the case as Ana")
    ana.says("The case is closed")
    ana.follow("Report")
    for words in ("Correction report", "Text before and after", "changed", "176,500,000", "as predicted", "Who was told"):
        ana.says(words)


class Count:
    """What the story counts beside the presses: stale records, and decisions that settled them."""

    stale = decisions = 0


class Scene:
    """The desk, its people, its store and the letter box of those who have to be told."""

    def __init__(self, desk, visitors, database, box):
        self.desk, self.visitors, self.database, self.box, self.hands = desk, visitors, database, box, {}

    def hand(self, person, path="/today"):
        """Return somebody's hands, at a page."""
        if person not in self.hands:
            self.hands[person] = Hands(self.visitors.page_as(person, self.desk, path))
        else:
            self.hands[person].go(self.desk.url + path)
        return self.hands[person]


@contextlib.contextmanager
def post_box():
    """A mail server on a free port, which takes everything."""
    box = Box()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        box.port = free.getsockname()[1]
    controller = Controller(box, hostname="127.0.0.1", port=box.port)
    controller.start()
    yield box
    controller.stop()


class Box:
    """The letter boxes of everybody outside."""

    def __init__(self):
        self.mail, self.port = [], 0

    async def handle_DATA(self, server, session, envelope):
        self.mail.append((envelope.rcpt_tos, envelope.content.decode()))
        return "250 taken"


def hand_over(ana, url):
    """Ana hands the plan to Ben."""
    ana.go(f"{url}/rehearsals?correction={CASE}")
    ana.follow("Correct it")
    ana.click(ana.page.get_by_role("button", name=re.compile("Hand over")).first)
    field = ana.page.get_by_role("combobox", name=re.compile("Who is to commit it"))
    ana.click(field)
    ana.click(ana.page.get_by_role("option", name=re.compile("Ben")))
    ana.fill("Why, and what to look at", "Two figures were restated")
    ana.press_last("Hand over")
    ana.says("has it now")


HERE = f"/corrections?case={CASE}&tenant={TENANT}"
PATH = f"/revoke?tenant={TENANT}&pick={SOURCE}&do=suspend"
STAGES = {
    "stop": lambda s: stop(s.hand("ana", PATH)),
    "compare": lambda s: compare(s.hand("ana", HERE), print_report(corrected=True)),
    "rehearse": lambda s: rehearse(s.hand("ana"), s.desk.url),
    "handover": lambda s: hand_over(s.hand("ana"), s.desk.url),
    "commit": lambda s: hand_to_commit(s.hand("ben"), s.desk.url),
    "answer": lambda s: answer(s.hand("carl"), s.desk.url),
    "settle": lambda s: settle_the_rest(s.hand("ana", HERE), s.database),
    "tell": lambda s: tell(s.database, s.box),
    "close": lambda s: close(s.hand("ana"), s.desk.url),
}


def test_a_correction_from_the_stop_to_the_report(stores, start_desk, visitors, database_kind):
    began = time.monotonic()
    Hands.count = Count.stale = Count.decisions = 0
    database = stores.fresh(database_kind, "harbour", fill_world)
    with post_box() as box:
        scene = Scene(start_desk(database), visitors, database, box)
        for stage in STAGES.values():
            stage(scene)

    print(f"{database_kind}: {Hands.count} actions, {Count.stale} stale records settled by {Count.decisions} decisions, {time.monotonic() - began:.0f} s")
    assert 0 < Count.decisions < Count.stale
    assert Hands.count <= MOST
    with opened(database) as store:
        bar = view_correction(store, "ana", TENANT, CASE).row.bar
        assert (bar.unsettled, bar.together) == (0, 18)
        assert verify_store(store, "ana", tenant=TENANT)["ok"]


@pytest.fixture(params=["sqlite", "postgresql"])
def database_kind(request):
    return request.param
