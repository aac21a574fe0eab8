"""One correction from the first stop to the report, in the browser: every click counted, a field filled in counts as one.

Ana stops using a report, puts the corrected PDF beside it and rehearses; Ben commits; Carl approves the answers and the new
edition; Ana settles what is left, tells who has to be told, and closes the case.
"""

from __future__ import annotations

import contextlib
import email
import email.policy
import io
import re
import time

import numpy as np
import pytest
from aiosmtpd.controller import Controller
from PIL import Image
from playwright.sync_api import expect

from store import list_stale, verify_store, view_correction

from .correction_world import FACTS, SOURCE, TENANT, fill_world, line_of, opened, print_report
from .served import free_port, settle

CASE = f"correction-{SOURCE}"
#: Seconds without a press before one that decides counts.
SILENCE = 0.65
MOST = 150
NEW_MEMO = "Harbour Fund II is worth USD 176.5 million."

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


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
        expect(button).to_be_enabled()
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
        expect(self.page.locator("[data-testid=stMain]")).to_contain_text(words)


def ceremony(hands, reason, button):
    """Fill in what the weight of a plan asks for, and press its button."""
    expect(hands.page.get_by_role("button", name=button).first).to_be_visible()  # it stands below all fields
    hands.fill("Reason, kept with the event", reason)
    tick = hands.page.locator("[data-testid=stCheckbox] label", has_text=re.compile("record"))
    if tick.count():
        hands.click(tick.first)
    typed = hands.page.get_by_label(re.compile("^Type "))
    if typed.count():
        hands.fill(re.compile("^Type "), re.search(r"Type ([\d,]+)", typed.first.get_attribute("aria-label") or "").group(1))
    hands.press(button)


def stop(ana):
    """09:00: the report is not to be used any more, and that is a case."""
    ana.says("Stopping the use of")
    ana.click(ana.page.locator("label", has_text="Open a correction of it").first)
    ceremony(ana, "The administrator restated the second quarter", re.compile("^Stop using"))
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
    expect(ana.page.locator("ins", has_text="176.5").first).to_be_visible()
    ana.says("Page 1 of 2 of the new document")
    marked_only(ana, "nav")
    for name, _, _, _, after in FACTS:
        if after is not None:
            ana.fill(f"New value of claim {name}", str(after))
            settle(ana.page)
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
    ceremony(ben, "The corrected edition stands", re.compile("as Ben"))
    ben.says("as predicted")
    expect(ben.page.locator("[data-testid=stMain]")).not_to_contain_text("not as predicted")


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
        ceremony(ana, "Worked out anew from the corrected figure", re.compile(f"^Confirm {claims} record"))
        ana.says("by one decision")
        Count.decisions += 1


def look_at_the_page(ana, url):
    """The changed figure is marked on the page of the corrected PDF, and nothing else is."""
    ana.go(f"{url}/sources?source={SOURCE}&tenant={TENANT}&a=2&claim=nav.2")
    ana.says("Page 1 of 2 as it was printed")
    marked_only(ana, "nav")


def marked_only(hands, name):
    """Check that the picture of a page has the mark over the line of one claim and nowhere else."""
    picture = hands.page.locator("[data-testid=stImage] img").first
    expect(picture).to_have_js_property("complete", True)
    content = hands.page.request.get(picture.evaluate("one => one.src")).body()
    pixels = np.asarray(Image.open(io.BytesIO(content)).convert("RGB")).astype(int)
    # The mark leaves red alone and takes blue away: nothing else on a page printed in black does.
    marked = pixels[:, :, 0] - pixels[:, :, 2] > 60
    rows = np.flatnonzero(marked.any(axis=1)) / len(pixels)
    top, bottom = line_of(name)
    assert top - 0.001 <= rows[0] < rows[-1] <= bottom + 0.001, (top, bottom, rows[0], rows[-1])
    columns = np.flatnonzero(marked.any(axis=0)) / pixels.shape[1]
    assert columns[0] < 0.1
    assert columns[-1] > 0.5, "the whole sentence with the figure at its end"


def propose_the_edition(ana, url):
    """A new edition of the memo, with the corrected figure, is proposed."""
    ana.go(f"{url}/corrections?case={CASE}&tenant={TENANT}")
    ana.follow("Put right what went out")
    ana.follow("Memo on Harbour Fund II")
    ana.fill("Text of the new edition", NEW_MEMO)
    ana.press("Propose the new edition")
    ana.says("Edition 2 is proposed")


def approve_the_edition(carl, url):
    """Somebody else approves it, and it takes the place of the one that went out."""
    carl.go(f"{url}/deliveries?view=delivered&correction={CASE}")
    carl.follow("Memo on Harbour Fund II")
    carl.follow("Decide about it")
    carl.press(re.compile("^Approve as Carl"))
    carl.says("memo-harbour is superseded")
    Count.decisions += 1


def tell(ana, url, box):
    """Whoever holds the old memo is written to: drafted, read, approved, and sent by the desk's mail server."""
    ana.go(f"{url}/corrections?case={CASE}&tenant={TENANT}")
    ana.follow("Tell who holds it")
    ana.press("Draft messages")
    ana.says("messages were drafted")
    ana.click(ana.page.get_by_text("Approve several").first)
    ana.press("Approve the ticked as Ana")
    ana.says("messages were approved")
    assert box.mail == [], "nothing leaves before somebody says so"
    ana.click(ana.page.get_by_text("Send several").first)
    ana.press("Send the ticked")
    ana.says("2 messages were sent")
    assert sorted(one["To"] for one in box.mail) == ["kim@example.org", "lee@example.org"], "one mail for each"
    for one in box.mail:
        text = one.get_content()
        assert one["From"] == "desk@example.org"
        for words in ("Memo on Harbour Fund II", "edition 1", "A new edition replaces it", "edition 2"):
            assert words in text, text


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
    expect(ana.page.locator("[data-testid=stMain]")).not_to_contain_text("not as predicted")


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
    box.port = free_port()
    controller = Controller(box, hostname="127.0.0.1", port=box.port)
    controller.start()
    yield box
    controller.stop()


class Box:
    """The letter boxes of everybody outside."""

    def __init__(self):
        self.mail, self.port = [], 0

    async def handle_DATA(self, server, session, envelope):
        self.mail.append(email.message_from_bytes(envelope.content, policy=email.policy.default))
        assert envelope.rcpt_tos == [self.mail[-1]["To"]]
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
    "page": lambda s: look_at_the_page(s.hand("ana"), s.desk.url),
    "propose": lambda s: propose_the_edition(s.hand("ana"), s.desk.url),
    "approve": lambda s: approve_the_edition(s.hand("carl"), s.desk.url),
    "tell": lambda s: tell(s.hand("ana"), s.desk.url, s.box),
    "close": lambda s: close(s.hand("ana"), s.desk.url),
}


def test_a_correction_from_the_stop_to_the_report(stores, start_desk, visitors, database_kind):
    began = time.monotonic()
    Hands.count = Count.stale = Count.decisions = 0
    database = stores.fresh(database_kind, "harbour", fill_world)
    with post_box() as box:
        desk = start_desk(database, CLAIMDESK_SMTP=f"smtp://127.0.0.1:{box.port}", CLAIMDESK_SMTP_FROM="desk@example.org")
        scene = Scene(desk, visitors, database, box)
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
