"""Dates on the page of re-validation: the calendar by week, and renewing one record or those that are ticked."""

from datetime import UTC, datetime, timedelta

import pytest

from store import create_store, open_store
from tests.builders import CAST, GROUND, accepted, given, show
from tests.pages.opened import opener, raw, words

open_page = opener("revalidate")
TODAY = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def day(after):
    return (TODAY + timedelta(days=after)).strftime("%Y-%m-%dT00:00:00Z")


def monday(after):
    moment = TODAY + timedelta(days=after)
    return (moment - timedelta(days=moment.weekday())).date().isoformat()


@pytest.fixture
def url(tmp_path):
    """OLD expired, LOOK was to be reviewed, SOON expires in ten days, FAR is to be reviewed in fifty."""
    url = f"sqlite:///{tmp_path}/desk.db"
    store = create_store(url)
    given(store, *CAST, *GROUND, accepted("OLD", expires_at=day(-5)), accepted("LOOK", review_at=day(-3)), accepted("SOON", expires_at=day(10)), accepted("FAR", review_at=day(50)))
    store.close()
    return url


def press(at, start):
    next(button for button in at.button if button.label.startswith(start)).click().run()
    assert not at.exception, at.exception
    return at


def enter(at, kind, start, value):
    next(one for one in getattr(at, kind) if one.label.startswith(start)).set_value(value)


def record(url, id):
    store = open_store(url)
    try:
        return show(store, id)["record"]
    finally:
        store.close()


def test_the_calendar_counts_by_week_and_each_week_is_a_list(monkeypatch, url):
    assert "What lapses and what is due, by week from Monday" not in words(open_page(monkeypatch, url))
    at = open_page(monkeypatch, url, weeks="1")
    assert "What lapses and what is due, by week from Monday" in words(at)
    assert 'aria-label="Before today: 1 review · 1 expiry"' in raw(at) and f"week={monday(50)}" in raw(at)

    at = open_page(monkeypatch, url, week=monday(50))
    assert "1 record, the soonest first" in words(at) and "record=FAR" in raw(at) and "record=OLD" not in raw(at)
    assert "Renew it" in words(at)
    assert "none of them" in words(open_page(monkeypatch, url, week="2001-01-01"))


def test_one_record_is_renewed_with_a_reason(monkeypatch, url):
    at = open_page(monkeypatch, url, record="OLD", tenant="acme")
    assert "expired on" in words(at)
    press(at, "Renew 1 record as Ana")
    said = words(at)
    assert "Give a new date. Nothing was changed." in said and "Give a reason. It is kept with the event." in said
    enter(at, "date_input", "Look at it again on", (TODAY + timedelta(days=90)).date())
    enter(at, "text_area", "Reason", "asked the owner")
    press(at, "Renew 1 record as Ana")
    assert "What expired needs a new day on which it expires." in words(at)
    enter(at, "date_input", "Expires on", (TODAY + timedelta(days=90)).date())
    press(at, "Renew 1 record as Ana")
    assert "1 record is renewed." in words(at)
    assert (record(url, "OLD")["expires_at"], record(url, "OLD")["review_at"]) == (day(90), day(90))


def test_what_is_ticked_is_renewed_together_each_at_the_version_seen(monkeypatch, url):
    at = open_page(monkeypatch, url, state="review")
    assert "tick=acme%2FLOOK" in raw(at)
    at = open_page(monkeypatch, url, tick=["acme/LOOK", "acme/SOON", "acme/GONE"])
    said = words(at)
    assert "Renew 2 records" in said and "1 of those ticked has another status by now, or is not yours to renew." in said
    enter(at, "date_input", "Look at it again on", (TODAY + timedelta(days=60)).date())
    enter(at, "text_area", "Reason", "looked at both")
    press(at, "Renew 2 records as Ana")
    assert "2 records are renewed." in words(at)
    assert (record(url, "LOOK")["review_at"], record(url, "SOON")["review_at"], record(url, "SOON")["expires_at"]) == (day(60), day(60), day(10))


def test_what_was_changed_meanwhile_is_not_renewed_blindly(monkeypatch, url):
    at = open_page(monkeypatch, url, record="LOOK", tenant="acme")
    from store import renew

    store = open_store(url)
    renew(store, "ben", "acme", "LOOK", review_at=int((TODAY + timedelta(days=5)).timestamp()) * 1_000_000)
    store.close()
    button = next(one for one in at.button if one.label.startswith("Renew 1 record"))
    enter(at, "date_input", "Look at it again on", (TODAY + timedelta(days=60)).date())
    enter(at, "text_area", "Reason", "looked at it")
    button.click().run()
    assert not at.exception and "Your decision was not saved." in words(at)
    assert record(url, "LOOK")["review_at"] == day(5)


def test_who_only_looks_is_told_so(monkeypatch, url):
    at = open_page(monkeypatch, url, person="olga", record="LOOK", tenant="acme")
    assert "You can look, and not decide." in words(at)
    assert "cannot be renewed" not in words(at) and not [one for one in at.button if one.label.startswith("Renew")]
    at = open_page(monkeypatch, url, person="olga", tick=["acme/LOOK"])
    assert "None of this can be renewed by you" in words(at)
