"""Both cases of what agents remember about people, in the browser, on both databases, over the sample store.

A lasting correction replaces one rule and a wish for one letter replaces nothing; a wrong inference about somebody's health is
shown to nobody, rejected, and forgotten everywhere with what else is held about the person, down to receipt and letter.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from store import OPERATOR, Question, export_store, open_store, read_claims, search_records, verify_store

from .served import settle
from .test_correction_story import Hands

TENANT = "acme"
PERSON = "person:traveller-7"
#: What was said of or by the traveller, which nobody may find again.
SAID = ("diabetes", "low-sugar", "before seven, on every trip", "I always take a window seat", "above the fourth floor", "140 euro a night")

pytestmark = [pytest.mark.slow]


class Chooser(Hands):
    """Hands that also choose from lists."""

    def choose(self, label, words):
        """Choose from a list, by typing: a page drawn anew may close a list that was opened."""
        field = self.page.get_by_role("combobox", name=label).first
        field.fill(words)
        field.press("Enter")
        settle(self.page)
        expect(field).to_have_value(words)
        self.count += 1


def hand(desk, visitors, person, path):
    return Chooser(visitors.page_as(person, desk, path))


def candidate(name, scope):
    return f"/candidates?candidate={name}&tenant={TENANT}&scope={scope}"


def correct_for_good(ana):
    """From now on: the new rule stands, the old one is its predecessor and no session gets it any more."""
    ana.press(re.compile("^How is it meant"))
    ana.says("Read next:")
    ana.press(re.compile("^From now on"))
    ana.says("brief-bullets is superseded")
    ana.says("A new session does not get brief-bullets any more, by read, search or cached answer.")


def keep_to_the_task(ana, url):
    """Only for this letter: what is remembered stays as it was."""
    ana.go(url + candidate("letter-english", "acme/letters"))
    ana.says("this task only")
    ana.press(re.compile("^As suggested: this task only"))
    ana.says("Rejected (that task only)")


def reject_the_inference(ana, url):
    """What seems to tell of somebody's health is veiled, also from whoever decides, and goes the way that is suggested."""
    ana.go(url + candidate("traveller-health", "acme/travel"))
    ana.says("Its words are veiled")
    expect(ana.page.locator("body")).not_to_contain_text("diabetes")
    ana.press(re.compile("^As suggested: too sensitive"))
    ana.says("Rejected (too sensitive)")


def ask_for_everything(ravi):
    """From the page about the person to a request that names what it takes along and what falls with it."""
    ravi.follow(re.compile("^Forget"))
    ravi.says("5 records are blocked at once")
    ravi.says("Passages that are blacked out")
    ravi.follow("forget this too")
    ravi.says("6 records are blocked at once")
    ravi.choose(re.compile("^Ground"), "The person it describes asked for it")
    ravi.fill(re.compile("^Who asked"), "Traveller 7, by letter of today")
    ravi.fill(re.compile("^Reason"), "Please forget what you know of me")
    typed = ravi.page.get_by_label(re.compile("^Type "))
    ravi.fill(re.compile("^Type "), re.search(r"Type ([\d,]+)", typed.first.get_attribute("aria-label") or "").group(1))
    ravi.press(re.compile("^Block 6 records"))
    ravi.says("6 records are blocked. Nobody can read them any more.")


def erase_everywhere(ravi):
    ravi.press(re.compile("^Erase everywhere"))
    ravi.says("no place is open any more")
    expect(ravi.page.locator("body")).not_to_contain_text("diabetes")


def read_receipt_and_letter(ravi, url):
    """Both name every place and nothing of what was forgotten."""
    ravi.click(ravi.page.get_by_role("link", name=re.compile("^.*Receipt")).first)
    for words in ("What was done in each place", "The search index", "Backups", "nothing left of it was found"):
        ravi.says(words)
    nothing_told(ravi)
    ravi.go(f"{url}/forgetting?request=acme-deletion-1&tenant={TENANT}")
    ravi.click(ravi.page.get_by_role("link", name=re.compile("Letter to the person")).first)
    for words in ("About your request", "5 passages were blacked out", "What we cannot undo"):
        ravi.says(words)
    nothing_told(ravi)


def nothing_told(ravi):
    for words in (*SAID, "traveller-7"):
        expect(ravi.page.locator("[data-testid=stMain]")).not_to_contain_text(words)


def answer(store, subject, predicate, scope, purpose=None):
    return read_claims(store, OPERATOR, Question(scope=scope, subject=subject, predicate=predicate, purpose=purpose))


def files_of(url):
    """The files of a SQLite store."""
    path = Path(url.removeprefix("sqlite:///"))
    return [one for one in path.parent.iterdir() if one.name.startswith(path.name)]


def nothing_left(store, url, folder):
    """Look for what was said where an agent, an operator and a thief would."""
    export_store(store, OPERATOR, folder / "after.jsonl", scope=TENANT)
    texts = {"export": (folder / "after.jsonl").read_bytes()}
    if url.startswith("sqlite"):
        texts |= {one.name: one.read_bytes() for one in files_of(url)}
    for name, content in texts.items():
        for words in SAID:
            assert words.encode() not in content, (name, words)
    # Last, because the log of reads keeps what was asked.
    for words in SAID:
        assert search_records(store, OPERATOR, words, scope="acme/travel")["items"] == [], words


def test_a_lasting_correction_and_a_wish_for_one_letter(start_desk, database, visitors):
    desk = start_desk(database)
    ana = hand(desk, visitors, "ana", candidate("brief-paragraphs", "acme/briefs"))

    correct_for_good(ana)
    keep_to_the_task(ana, desk.url)

    store = open_store(database)
    format_now = answer(store, "person:lin-yue", "brief_format", "acme/briefs")
    assert [one["value"] for one in format_now["claims"]] == ["中文段落"]
    assert answer(store, "person:lin-yue", "letter_language", "acme/letters")["result"] == "MISSING"
    assert verify_store(store, OPERATOR)["ok"]
    store.close()


def test_a_wrong_inference_about_health_is_blocked_and_forgotten(start_desk, database, visitors, tmp_path):
    desk = start_desk(database)
    reject_the_inference(hand(desk, visitors, "ana", "/today"), desk.url)
    ravi = hand(desk, visitors, "ravi", f"/about?subject={PERSON}&tenant={TENANT}")
    ask_for_everything(ravi)
    erase_everywhere(ravi)
    read_receipt_and_letter(ravi, desk.url)

    store = open_store(database)
    nothing_left(store, database, tmp_path)
    assert answer(store, PERSON, "seat", "acme/travel", "travel")["result"] == "MISSING"
    assert answer(store, "person:traveller-9", "diet", "acme/travel", "travel")["result"] == "OK", "the other half of the chat stands"
    assert verify_store(store, OPERATOR)["ok"]
    store.close()
