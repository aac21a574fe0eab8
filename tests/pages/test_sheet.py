"""The page of the decision sheet, run without a browser."""

from __future__ import annotations

import html
import re

import pytest

import store.reads.sheet as sheets
from store import Approval, approve, create_store, import_lines, parse_stated_time, reject
from tests.builders import CAST, GROUND, Clock, claim, encode
from tests.pages.opened import opener

open_page = opener("sheet")




def bodies(at):
    return "\n".join(element.proto.body for element in at.get("html") if "<style" not in element.proto.body)


def words(at):
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", bodies(at))))


def links(at):
    return [html.unescape(found) for found in re.findall(r'href="([^"]*)"', bodies(at))]


@pytest.fixture
def decided(tmp_path):
    """A store in which three decisions were made on 1 July 2026."""
    url, clock = f"sqlite:///{tmp_path}/own.db", Clock()
    store = create_store(url, now=clock)
    assert import_lines(store, "operator", encode([*CAST, *GROUND]), reviewed=True)["rejected"] == []
    import_lines(store, "operator", encode([claim("C1", "=1+1"), claim("C2", statement="<b>bold</b>"), claim("C3", sensitivity="sensitive")]))
    approve(store, "ana", "acme", "C1", Approval("read"))
    reject(store, "ben", "acme", "C2", "session_only", "for that task")
    reject(store, "ben", "acme", "C3", "sensitive", "not ours")
    clock.at = parse_stated_time("2026-07-03T09:00:00Z")
    store.close()
    return url


def test_a_day_is_told_with_its_decisions_and_counts_that_filter(monkeypatch, decided):
    at = open_page(monkeypatch, decided, day="2026-07-01")
    text = words(at)

    assert "3 decisions on 1 Jul 2026 . All scopes of Ana. A day is a day of UTC." in text
    assert "1 approved" in text
    assert "2 rejected" in text
    assert "Ben 2" in text
    assert "<b>bold</b>" in text
    assert "Rejected for that task only" in text
    assert "Its words are not told any more." in text
    assert "“The office is in Lyon.” Source S1, version 1 · C1 · acme read" in text
    assert {"/sheet?day=2026-07-01&show=reject", "/sheet?day=2026-07-01&by=ben", "/sheet?day=2026-06-30", "/sheet?day=2026-07-02", "/today"} <= set(links(at))


def test_filters_stand_in_the_address_and_are_taken_back_by_the_same_link(monkeypatch, decided):
    at = open_page(monkeypatch, decided, day="2026-07-01", by="ben", show="reject")

    assert "2 decisions of Ben on 1 Jul 2026 ." in words(at)
    assert {"/sheet?day=2026-07-01&by=ben", "/sheet?day=2026-07-01&show=reject"} <= set(links(at))


def test_an_empty_day_a_filter_that_leaves_nothing_and_a_wrong_one_are_said(monkeypatch, decided):
    assert "Nothing was decided on this day" in words(open_page(monkeypatch, decided, day="2026-06-30"))
    assert "Nothing was decided yet today" in words(open_page(monkeypatch, decided))
    nothing = open_page(monkeypatch, decided, day="2026-07-01", by="carl")
    assert "Nothing matches on this day" in words(nothing)
    assert "/sheet?day=2026-07-01" in links(nothing)
    assert "There is no decision called approved . All are shown." in words(open_page(monkeypatch, decided, day="2026-07-01", show="approved"))
    assert "is no day such as" in words(open_page(monkeypatch, decided, day="yesterday"))


def test_who_may_see_nothing_in_full_is_told_so(monkeypatch, decided):
    text = words(open_page(monkeypatch, decided, "rita", day="2026-07-01"))

    assert "Rita may not see what others decided" in text
    assert "C1" not in text


def test_a_long_day_is_turned_page_by_page_or_shown_whole_to_print(monkeypatch, decided):
    monkeypatch.setattr(sheets, "SHEET_PAGE", 2)
    at = open_page(monkeypatch, decided, day="2026-07-01")
    assert "1–2 of 3" in words(at)
    assert {"/sheet?day=2026-07-01&after=2", "/sheet?day=2026-07-01&whole=1"} <= set(links(at))

    assert "3–3 of 3" in words(open_page(monkeypatch, decided, day="2026-07-01", after="2"))
    whole = open_page(monkeypatch, decided, day="2026-07-01", whole="1")
    assert " of 3" not in words(whole)
    assert "Page by page" in words(whole)


def test_another_day_is_chosen_from_the_calendar(monkeypatch, decided):
    import datetime

    at = open_page(monkeypatch, decided)
    at.date_input[0].set_value(datetime.date(2026, 7, 1)).run()

    assert not at.exception
    assert "3 decisions on 1 Jul 2026" in words(at)


def test_who_decided_nothing_on_a_day_is_called_by_name_too(monkeypatch, sample):
    at = open_page(monkeypatch, sample, day="2026-01-02", by="ana")

    assert "0 decisions of Ana Belcourt on 2 Jan 2026 ." in words(at)
