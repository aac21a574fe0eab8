"""The page of rehearsals, run without a browser: the list, one of them, two side by side, and what its buttons do."""

from __future__ import annotations

import re

import pytest

from store import Answer, Plan, Verb, commit_plan, hand_over, keep_plan_file, list_queue, list_rehearsals, open_store, preview_plan, save_rehearsal
from tests.pages.opened import opener, raw, words
from tests.pages.test_sources import NEW, rates  # noqa: F401 - a fixture

open_page = opener("rehearsals")

HOSTILE = '<img src=x onerror=alert(1)> ![x](http://evil.example/x) **b** =1+1'


def press(at, label):
    next(button for button in at.button if button.label == label).click().run()
    assert not at.exception, at.exception
    return at


def do(url, action):
    store = open_store(url)
    try:
        return action(store)
    finally:
        store.close()


def save(url, plan, name="What if", by="ana"):
    return do(url, lambda store: save_rehearsal(store, by, "acme", plan, name)["rehearsal"])


def commit(url, plan, by="ana"):
    def action(store):
        seen = preview_plan(store, by, "acme", plan, rows=0)
        return commit_plan(store, by, "acme", plan, seen.fingerprint, "because", waived=dict.fromkeys(seen.unowned, "an agent made it"))

    return do(url, action)["event"]


@pytest.fixture
def two(fresh):
    """A store in which the report is withdrawn in one rehearsal and only stopped in the other."""
    return fresh, save(fresh, Plan(Verb.REVOKE, ("LARCH-Q3",)), "Withdraw it"), save(fresh, Plan(Verb.SUSPEND, ("LARCH-Q3",)), "Only stop it")


def test_without_a_rehearsal_the_list_says_how_one_is_made(monkeypatch, sample):
    at = open_page(monkeypatch, sample)

    assert "No plan is saved here" in words(at)
    assert "Nothing is changed by it" in words(at)


def test_what_is_seen_on_the_page_that_revokes_is_saved_under_a_name(monkeypatch, fresh):
    at = open_page(monkeypatch, fresh, script="pages/revoke.py", pick="VALUER-LETTER", do="revoke")
    next(field for field in at.text_input if field.label == "Name of the rehearsal").set_value(HOSTILE)
    press(at, "Save")

    assert "Saved as" in words(at)
    (saved,) = do(fresh, lambda store: list_rehearsals(store, "ana"))
    assert saved.name == HOSTILE
    listed = open_page(monkeypatch, fresh)
    assert HOSTILE in words(listed)
    assert "<img" not in raw(listed)
    assert "1 plan is saved" in words(listed)


def test_a_rehearsal_shows_what_it_would_do_and_is_committed_there(monkeypatch, fresh):
    id = save(fresh, Plan(Verb.REVOKE, ("VALUER-LETTER",)), "Letter withdrawn")
    at = open_page(monkeypatch, fresh, tenant="acme", one=id)
    assert "As saved" in words(at)
    assert "takes 5 records out of use" in words(at)

    next(area for area in at.text_area if area.label.startswith("Reason")).set_value("It was withdrawn")
    press(at, "Withdraw 5 records as Ana Belcourt")

    assert "Committed" in words(at)
    assert "Predicted and actual" in words(at)
    assert "not as predicted" not in words(at)
    assert not [button for button in at.button if button.label.startswith("Withdraw")]


def test_one_whose_result_changed_says_how_and_is_not_committed_until_that_is_kept(monkeypatch, fresh):
    id = save(fresh, Plan(Verb.REVOKE, ("VALUER-LETTER",)), "Letter withdrawn")
    commit(fresh, Plan(Verb.SUSPEND, ("VALUER-LETTER",)))
    at = open_page(monkeypatch, fresh, tenant="acme", one=id)

    assert "Its result has changed since it was saved" in words(at)
    assert "4 records less" in words(at)
    assert not [button for button in at.button if button.label.startswith("Withdraw")]
    press(at, "Keep what it does now")
    assert "Its result has changed" not in words(at)
    assert [button for button in at.button if button.label.startswith("Withdraw 1 record")]


def test_one_that_cannot_be_carried_out_any_more_can_still_be_read(monkeypatch, fresh):
    id = save(fresh, Plan(Verb.SUSPEND, ("VALUER-LETTER",)), "Letter stopped")
    commit(fresh, Plan(Verb.REVOKE, ("VALUER-LETTER",)))
    at = open_page(monkeypatch, fresh, tenant="acme", one=id)

    assert "cannot be carried out any more" in words(at)
    assert "As it was saved" in words(at)
    assert "Hollis & Wren LLP: letter on two positions v1" in words(at)


def test_a_plan_is_handed_over_and_waits_on_the_day_of_whoever_has_it(monkeypatch, two):
    url, one, _ = two
    at = open_page(monkeypatch, url, tenant="acme", one=one)
    next(box for box in at.selectbox if box.label == "Who is to commit it").set_value("ben")
    next(area for area in at.text_area if area.label.startswith("Why, and")).set_value(HOSTILE)
    press(at, "Hand over")
    assert "Ben Achterberg has it now" in words(at)

    day = open_page(monkeypatch, url, "ben", script="pages/today.py")
    assert "Handed to you, to commit" in words(day)
    assert HOSTILE in words(day)
    assert "1 plan to commit" in words(day)
    assert "Handed to me 1" in words(open_page(monkeypatch, url, "ben"))


def test_handing_over_without_a_reason_says_so(monkeypatch, two):
    url, one, _ = two
    at = open_page(monkeypatch, url, tenant="acme", one=one)
    next(box for box in at.selectbox if box.label == "Who is to commit it").set_value("ben")
    press(at, "Hand over")

    assert "needs a reason" in words(at)
    assert "handed it to" not in words(at)


def test_it_is_renamed_and_removed_by_whoever_saved_it(monkeypatch, two):
    url, one, _ = two
    at = open_page(monkeypatch, url, tenant="acme", one=one)
    next(field for field in at.text_input if field.label == "Name of the rehearsal").set_value("Another name")
    press(at, "Rename")
    assert "Another name" in words(at)

    at = open_page(monkeypatch, url, tenant="acme", one=one)
    press(at, "Remove this rehearsal")
    assert "1 plan is saved" in words(at)

    other = open_page(monkeypatch, url, "ben", tenant="acme", one=two[2])
    assert not [button for button in other.button if button.label in ("Rename", "Remove this rehearsal")]


def test_two_side_by_side_say_which_leaves_less_to_decide_and_every_count_leads_to_its_list(monkeypatch, two):
    url, one, other = two
    at = open_page(monkeypatch, url, tenant="acme", one=one, other=other)

    assert re.search(r"Only stop it ” leaves 3 decisions to be made, “ Withdraw it ” 13", words(at))
    assert "34 records change with either" in words(at)
    parts = set(re.findall(r"part=([a-z_]+\.[a-z_]+)", raw(at)))
    assert {"affected.both", "by_hand.only_one", "together.other", "messages.one"} <= parts
    for part in sorted(parts):
        count = int(re.search(rf'href="[^"]*part={re.escape(part)}"[^>]*>(?:<b>)?(\d+)', raw(at))[1])
        shown = open_page(monkeypatch, url, tenant="acme", one=one, other=other, part=part)
        assert int(re.search(r'<h2 class="cd-heading">[^<]*<span class="cd-tally">(\d+)', raw(shown))[1]) == count
        assert raw(shown).count('class="cd-row"') == min(count, 50)


def test_what_a_rehearsal_can_be_compared_with_is_listed(monkeypatch, two):
    url, one, other = two
    at = open_page(monkeypatch, url, tenant="acme", one=one, pick="1")

    assert "Only stop it" in words(at)
    assert f"other={other}" in raw(at)


def test_the_page_to_print_holds_every_record_and_the_fingerprint(monkeypatch, two):
    url, one, _ = two
    (saved,) = [row for row in do(url, lambda store: list_rehearsals(store, "ana")) if row.id == one]
    at = open_page(monkeypatch, url, tenant="acme", one=one, print="1")

    assert saved.fingerprint in words(at)
    assert raw(at).count("<tr>") == 1 + saved.totals["affected"]


@pytest.mark.parametrize(
    "query", [{"one": "nobody-knows-it"}, {"one": "rehearsal-1", "other": "nobody-knows-it"}, {"one": "nobody-knows-it", "print": "1"}]
)
def test_what_is_not_there_is_said_so_and_leads_back(monkeypatch, two, query):
    at = open_page(monkeypatch, two[0], tenant="acme", **query)

    assert "There is no rehearsal" in words(at)
    assert "All rehearsals" in words(at)


def test_who_may_not_see_it_is_told_nothing_of_it(monkeypatch, two):
    url, one, _ = two
    at = open_page(monkeypatch, url, "noor", tenant="acme", one=one)

    assert "There is no rehearsal" in words(at)
    assert "Withdraw it" not in words(at)
    assert "No plan is saved here" in words(open_page(monkeypatch, url, "noor"))


def test_who_may_only_look_sees_it_and_is_offered_no_way_to_commit(monkeypatch, two):
    url, one, _ = two
    at = open_page(monkeypatch, url, "mei", tenant="acme", one=one)

    assert "You can look, and not commit" in words(at)
    assert not [button for button in at.button if "records as" in button.label]


def test_a_decided_conflict_and_another_comparison_have_a_result_page_too(monkeypatch, fresh):
    conflict = do(fresh, lambda store: list_queue(store, "ravi", "conflicts", limit=50)["items"])
    one = next(item for item in conflict if item["predicate"] == "fair_value")
    verdict = Plan(Verb.RESOLVE, (one["id"],), verdict=Answer.KEEP, keep=one["claims"][0] if isinstance(one["claims"][0], str) else one["claims"][0]["id"])
    compared = Plan(Verb.COMPARE, ("nav",), scope="acme", comparison={"compare": "number"})
    for plan, says in ((verdict, "decided the conflict about"), (compared, "changed how values of")):
        event = commit(fresh, plan, by="ravi")
        at = open_page(monkeypatch, fresh, "ravi", script="pages/revoke.py", tenant="acme", done=str(event))
        assert "What the plan did" in words(at)
        assert says in words(at)
        assert "not as predicted" not in words(at)


def test_a_plan_handed_to_somebody_can_be_opened_by_them(monkeypatch, two):
    url, one, _ = two
    do(url, lambda store: hand_over(store, "ana", "acme", one, "ben", "away"))
    at = open_page(monkeypatch, url, "ben", tenant="acme", one=one)

    assert re.search(r"Ana Belcourt handed it to you", words(at))
    assert [button for button in at.button if button.label == "Withdraw 34 records as Ben Achterberg"]


def test_a_rehearsed_recapture_shows_every_passage_with_the_words_before_and_now(monkeypatch, rates):  # noqa: F811
    kept = do(rates, lambda store: keep_plan_file(store, "ana", "acme", NEW.encode(), name="rates.md", media_type="text/markdown"))
    plan = Plan(Verb.RECAPTURE, ("RATES",), file=kept.sha256, media_type=kept.media_type, values={"fee": {"value": "15"}})
    id = save(rates, plan)

    told = words(open_page(monkeypatch, rates, one=id, tenant="acme"))

    for said in ("1 passage changed", "The fee is 12 euros for each order", "perhaps now", "% alike", "The fee is 15 euros for each order", "15 instead of what fee says"):
        assert said in " ".join(told.split()), said
    printed = " ".join(words(open_page(monkeypatch, rates, one=id, tenant="acme", print="1")).split())
    assert re.search(r"fee edit changed The fee is 12 euros for each order ?\. The fee is 15 euros for each order \d+% alike", printed), printed
