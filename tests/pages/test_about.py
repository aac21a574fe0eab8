"""The pages about a subject, of one record and of letters, run without a browser: what each state says."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest

from store import create_store, import_lines, open_store, suggest_subjects, view_subject
from tests.builders import CAST, GROUND, accepted, encode
from tests.pages.opened import opener

ROOT = Path(__file__).resolve().parents[2]


def open_page(monkeypatch, page, url, **query):
    return opener(page)(monkeypatch, url, **query)


def html(at):
    return " ".join(element.proto.body for element in at.get("html") if hasattr(element.proto, "body"))


def words(at):
    return " ".join(unescape(re.sub(r"<style>.*?</style>|<[^>]+>", " ", html(at), flags=re.S)).split())


# --- about --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ({}, "What the newest claims are about"),
        ({"find": "larch"}, "larch-hollow-3"),
        ({"find": "HOLLOW"}, "larch-hollow-3"),
        ({"find": "苏州"}, "办公室:苏州"),
        ({"find": "zzzz nothing"}, "No subject is found for zzzz nothing"),
        ({"after": "."}, "All subjects, in order"),
        ({"after": "\U0010ffff"}, "There are no further subjects"),
        ({"subject": "larch-hollow-3"}, "About larch-hollow-3 we hold 49 claims."),
        ({"subject": "larch-hollow-3"}, "Names it goes by, and why they were joined"),
        ({"subject": "larch-hollow-3"}, "Reports that rest on it"),
        ({"subject": "larch-hollow-3"}, "What changed over time"),
        ({"subject": "hardware"}, "In acme/support/cn"),
        ({"subject": "hardware", "scope": "acme/support/cn"}, "we hold 1 claim."),
        ({"subject": "larch-hollow-3", "predicate": "nav"}, "6 claims: nav"),
        ({"subject": "larch-hollow-3", "predicate": "nav"}, "How it changed"),
        ({"subject": "larch-hollow-3", "state": "superseded"}, "superseded"),
        ({"subject": "larch-hollow-3", "predicate": "nothing of it"}, "No claim about it is in this list"),
        ({"subject": "larch-hollow-3", "state": "rubbish", "start": "-4", "whole": "yes"}, "we hold 49 claims"),
        ({"subject": "larch-hollow-3", "whole": "1"}, "Printed by Ana Belcourt from Claimdesk."),
        ({"subject": "person:traveller-7"}, "Agents are served 2 , only for travel ."),
        ({"subject": "nobody-knows-it"}, "Nothing is held about it"),
        ({"subject": "larch-hollow-3", "scope": "acme/support"}, "Look in all your scopes"),
        ({"subject": "larch-hollow-3", "tenant": "other"}, "Nothing is held about it"),
    ],
)  # fmt: skip
def test_each_state_of_the_page_about_a_subject_says_what_is_so(monkeypatch, sample, query, says):
    assert says in words(open_page(monkeypatch, "about", sample, **query))


def test_the_counts_are_links_to_lists_of_that_length(monkeypatch, sample):
    store = open_store(sample)
    counts = view_subject(store, "ana", "acme", "larch-hollow-3").view.counts
    store.close()
    at = open_page(monkeypatch, "about", sample, subject="larch-hollow-3")

    for state in ("superseded", "candidate", "accepted"):
        assert f"subject=larch-hollow-3&amp;state={state}" in html(at)
        assert f"{counts[state]} claims:" in words(open_page(monkeypatch, "about", sample, subject="larch-hollow-3", state=state))


def test_a_chart_says_in_words_what_it_draws_and_has_the_same_as_a_table(monkeypatch, sample):
    at = open_page(monkeypatch, "about", sample, subject="larch-hollow-3", predicate="nav")
    drawn = html(at)

    assert 'role="img"' in drawn
    assert re.search(r'aria-label="nav: 165,900,000 from [^"]+"', drawn)
    assert "As a table" in drawn
    assert set(re.findall(r'style="([^"]*)"', drawn)) <= {one for one in re.findall(r'style="([a-z:;%.0-9-]*)"', drawn)}


def test_who_may_only_see_the_vendors_sees_nothing_of_the_funds(monkeypatch, sample):
    assert "Nothing is held about it" in words(open_page(monkeypatch, "about", sample, person="noor", subject="larch-hollow-3"))
    assert "larch" not in words(open_page(monkeypatch, "about", sample, person="noor")).lower()
    assert "About northgate we hold" in words(open_page(monkeypatch, "about", sample, person="noor", subject="northgate"))


def test_a_subject_with_thousands_of_claims_is_shown_a_page_at_a_time(monkeypatch, tmp_path):
    url = f"sqlite:///{tmp_path}/many.db"
    store = create_store(url)
    lines = [accepted(f"c{n}", n % 3, subject="big", predicate=f"p{n % 90}", qualifiers={"n": n}) for n in range(5000)]
    import_lines(store, "operator", encode([*CAST, *GROUND, *lines]), reviewed=True)
    assert [(one.subject, one.claims) for one in suggest_subjects(store, "ana", "bi")] == [("big", 5000)]
    store.close()
    at = open_page(monkeypatch, "about", url, subject="big")

    assert "About big we hold 5,000 claims." in words(at)
    assert "1–60 of 90 predicates" in words(at)
    assert "61–90 of 90 predicates" in words(open_page(monkeypatch, "about", url, subject="big", start="60"))
    assert "5,000 claims: accepted" in words(open_page(monkeypatch, "about", url, subject="big", state="accepted"))
    assert len(html(at)) < 600_000


HOSTILE = "<script>alert(1)</script> ![x](http://127.0.0.1:1/x) =1+1 \u202egnp\u202c"


@pytest.mark.parametrize(
    ("page", "query"),
    [
        ("about", {"subject": HOSTILE}), ("about", {"find": HOSTILE}), ("about", {"subject": HOSTILE, "predicate": HOSTILE}), ("about", {"subject": HOSTILE, "whole": "1"}),
        ("about", {"subject": "x", "tenant": HOSTILE}), ("about", {"after": HOSTILE}), ("record", {"record": "h"}), ("record", {"record": "h", "known": HOSTILE}),
        ("letter", {}), ("letter", {"source": HOSTILE}), ("letter", {"source": "S2", "other": "S1"}), ("letter", {"source": HOSTILE, "other": HOSTILE, "tenant": HOSTILE}),
    ],
)  # fmt: skip
def test_hostile_text_is_shown_as_text(monkeypatch, tmp_path, page, query):
    url = f"sqlite:///{tmp_path}/hostile.db"
    store = create_store(url)
    second = [{"type": "source", "id": "S2", "scope": "acme", "title": HOSTILE, "authority": HOSTILE, "owner": HOSTILE}, {**GROUND[1], "id": "E2", "source": "S2"}]
    mine = accepted("h", HOSTILE, subject=HOSTILE, predicate=HOSTILE, statement=HOSTILE, qualifiers={HOSTILE: HOSTILE})
    theirs = accepted("i", "other", subject=HOSTILE, predicate=HOSTILE, qualifiers={HOSTILE: HOSTILE})
    theirs["evidence"] = [{**theirs["evidence"][0], "evidence": "E2"}]
    result = import_lines(store, "operator", encode([*CAST, *GROUND, *second, mine, theirs]), reviewed=True)
    assert result["rejected"] == []
    store.close()
    drawn = html(open_page(monkeypatch, page, url, **query))

    assert "<script" not in drawn
    assert "<img" not in drawn
    assert "\u202e" not in drawn


# --- one record ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ({"record": "nav-2026-q2"}, "Nothing is missing."), ({"record": "nav-2026-q2"}, "Who was served it"), ({"record": "memo-larch-q2"}, "2 things are missing"),
        ({"record": "memo-larch-q2"}, "neither a date nor an event missing"), ({"record": "nav-2026-q2"}, "49 claims are held about larch-hollow-3 ."),
        ({"record": "nav-2026-q2", "at": "2026-07-15"}, "What holds on 15 Jul 2026, 00:00 UTC , by what is known now. Nothing can be decided here."),
        ({"record": "nav-2026-q2", "at": "2026-07-15"}, "An agent with the right to read it is served it now."),
        ({"record": "nav-2026-q2", "known": "2001-01-01"}, "Or the store did not have it yet at that time."),
        ({"record": "nav-2026-q2", "known": "2099-01-01"}, "What the store knew on 1 Jan 2099, 00:00 UTC . Nothing can be decided here."),
        ({"record": "nav-2026-q2", "known": "yesterday"}, "yesterday is no time such as 2026-06-30"),
        ({"record": "nav-2026-q2", "known": "2026-06-30T10:00:00"}, "2026-06-30T10:00:00 is no time such as"),
        ({"record": "hardware-refund-cn"}, "record"),
    ],
)  # fmt: skip
def test_each_state_of_a_record_says_what_is_so(monkeypatch, sample, query, says):
    assert says in words(open_page(monkeypatch, "record", sample, **query))


@pytest.mark.parametrize("query", [{"known": "2099-01-01"}, {"at": "2026-07-15"}])
def test_nothing_can_be_decided_on_what_is_not_now(monkeypatch, sample, query):
    drawn = html(open_page(monkeypatch, "record", sample, record="nav-2026-q2", **query))

    assert 'href="/revoke' not in drawn
    assert 'href="/revoke' in html(open_page(monkeypatch, "record", sample, record="nav-2026-q2"))


def test_the_lines_of_a_table_keep_their_columns_and_the_others_are_broken(monkeypatch, sample):
    drawn = html(open_page(monkeypatch, "record", sample, record="nav-2026-q2"))

    row = re.search(r'<span class="cd-line cd-columns">(?:(?!</?span class="cd-line).)*Net asset value.*?</span>\s*<span class="cd-line', drawn, re.S)
    assert row is not None and "<mark>" in row.group(0)
    assert re.search(r'<span class="cd-line"><span class="cc-around"># Larch Hollow Fund III', drawn)


# --- letters ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ({}, "are contradicted by others. Choose whom to write to"), ({"pairs": "1"}, "contradict each other. Choose the one to write to."), ({"by": "source"}, "Call with Northgate Hosting, 5 November 2026"),
        ({"source": "NG-CALL"}, "There is no letter to write"), ({"source": "call_notes", "tenant": "acme"}, "To the owner of call notes"),
        ({"source": "call_notes", "other": "auditor_report"}, "In 2 cases auditor report contradicts what call notes says."),
        ({"source": "call_notes", "stand": "against"}, "Nothing was settled against this source"), ({"scope": "acme/funds"}, "contradicted"),
    ],
)  # fmt: skip
def test_each_state_of_a_letter_says_what_is_so(monkeypatch, sample, query, says):
    assert says in words(open_page(monkeypatch, "letter", sample, **query))


def test_who_may_see_no_scope_in_full_has_nobody_to_write_to(monkeypatch, sample):
    assert "There is no contradiction you may look into" in words(open_page(monkeypatch, "letter", sample, person="olga"))
