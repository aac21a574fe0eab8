"""What lapses and what is due for review, by week, and renewing it."""

import pytest

from store import CALENDAR_WEEKS, list_dates, list_due, renew, view_due_weeks
from tests.builders import DAY, TENANT, accepted, artifact, at, carry_out, given, is_sound, person, refused, show, suspending


def weeks(store, by="ana", **how):
    return {one.name: (one.reviews, one.expiries) for one in view_due_weeks(store, by, **how) if one.reviews or one.expiries}


def due(store, week, by="ana", **how):
    return [(one.id, one.state) for one in list_due(store, by, week, **how).rows]


@pytest.fixture
def dated(desk):
    """It is Wednesday, 1 July 2026."""
    given(
        desk, accepted("PAST", review_at="2026-06-10T00:00:00Z"), accepted("OVER", expires_at="2026-06-30T00:00:00Z"), accepted("NOW", review_at="2026-07-03T00:00:00Z"),
        accepted("NEXT", expires_at="2026-07-06T00:00:00Z", owner="ben"), artifact("R", ["PAST"], review_at="2026-07-12T23:59:00Z"), accepted("LAST", review_at="2026-09-20T00:00:00Z"),
        accepted("LATER", review_at="2026-09-21T00:00:00Z"),
    )  # fmt: skip
    return desk


def test_dates_are_counted_by_week_and_every_count_is_its_list(dated):
    assert weeks(dated) == {"past": (1, 1), "2026-06-29": (1, 0), "2026-07-06": (1, 1), "2026-09-14": (1, 0)}
    assert len(view_due_weeks(dated, "ana")) == CALENDAR_WEEKS + 1
    assert due(dated, "past") == [("PAST", "review"), ("OVER", "expired")]
    assert due(dated, "2026-06-29") == [("NOW", "review")]
    assert due(dated, "2026-07-06") == [("NEXT", "expiring"), ("R", "review")]
    assert due(dated, "2026-09-14") == [("LAST", "review")]
    assert weeks(dated, owner="ben") == {"2026-07-06": (0, 1)} and due(dated, "2026-07-06", owner="ben") == [("NEXT", "expiring")]
    assert weeks(dated, owner="nobody-known") == {}


def test_a_week_comes_in_pages_and_each_record_once(dated):
    first = list_due(dated, "ana", "2026-07-06", limit=1)
    second = list_due(dated, "ana", "2026-07-06", limit=1, after=first.next)
    assert [one.id for one in (*first.rows, *second.rows)] == ["NEXT", "R"] and (first.matched, second.matched, second.next) == (2, 2, None)


def test_other_weeks_and_cursors_are_refused(dated):
    for week, after in (("2026-07-07", None), ("soon", None), ("past", "x"), ("past", '["other", null]')):
        with refused("bad_value"):
            list_due(dated, "ana", week, after=after)


def test_dates_of_scopes_one_may_not_look_into_are_not_counted(dated):
    given(dated, person("dora", "reviewer", "acme/ops"), accepted("OPS", scope="acme/ops", review_at="2026-07-03T00:00:00Z"))
    assert weeks(dated, "dora") == {"2026-06-29": (1, 0)} and due(dated, "2026-06-29", "dora") == [("OPS", "review")]
    assert due(dated, "2026-06-29", scope="acme/ops") == [("OPS", "review")]
    with refused("not_allowed"):
        view_due_weeks(dated, "rita")


def test_what_is_no_longer_accepted_is_not_due(dated):
    carry_out(dated, suspending("NOW"))
    assert due(dated, "2026-06-29") == []
    assert list_dates(dated, "ana", TENANT, ["NOW", "NONE", "E1"]) == ()


def test_renewing_moves_a_record_to_its_new_week_and_keeps_the_reason(dated, clock):
    (one,) = list_dates(dated, "ana", TENANT, ["OVER"])
    assert (one.version, one.expires_at, one.expired, one.due, one.may_decide) == (1, at("2026-06-30T00:00:00Z"), True, False, True)
    with refused("changed_since_seen"):
        renew(dated, "ana", TENANT, "OVER", expires_at=clock.at + 20 * DAY, reason="asked them", seen=9)
    with refused("bad_value"):
        renew(dated, "ana", TENANT, "OVER", expires_at=clock.at + 20 * DAY, reason="  ", seen=1)
    renew(dated, "ana", TENANT, "OVER", expires_at=clock.at + 20 * DAY, reason="asked them", seen=1, operation="op-1")
    renew(dated, "ana", TENANT, "OVER", expires_at=clock.at + 20 * DAY, reason="asked them", seen=1, operation="op-1")
    assert due(dated, "past") == [("PAST", "review")] and due(dated, "2026-07-20") == [("OVER", "expiring")]
    assert show(dated, "OVER")["version"] == 2
    assert is_sound(dated)


def test_who_only_looks_renews_nothing(dated, clock):
    assert [one.may_decide for one in list_dates(dated, "olga", TENANT, ["NOW"])] == [False]
    assert list_dates(dated, "rita", TENANT, ["NOW"]) == ()
    with refused("not_allowed"):
        renew(dated, "olga", TENANT, "NOW", review_at=clock.at + DAY, reason="x")
