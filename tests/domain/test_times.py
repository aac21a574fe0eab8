"""Times are whole microseconds in UTC; what has no offset is taken as UTC and marked, or refused (R32)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store.domain.times import format_time, from_datetime, parse_stated_time, parse_time, to_datetime


def test_a_date_means_midnight_utc_and_counts_as_stated():
    assert parse_time("2026-06-30") == (parse_stated_time("2026-06-30T00:00:00Z"), False)


def test_a_time_without_offset_is_taken_as_utc_and_marked():
    assert parse_time("2026-06-30T09:00:00") == (parse_stated_time("2026-06-30T09:00:00Z"), True)


def test_offsets_are_turned_into_utc():
    assert format_time(parse_stated_time("2026-01-01T01:30:00-04:00")) == "2026-01-01T05:30:00Z"
    assert format_time(parse_stated_time("2026-01-01T01:30:00+05:45")) == "2025-12-31T19:45:00Z"


def test_a_time_a_person_types_must_say_its_offset():
    with pytest.raises(ValueError, match="offset"):
        parse_stated_time("2026-06-30T09:00:00")


BAD = [
    "", "yesterday", "2026", "2026-06", "2026-13-01", "2026-02-30", "30.06.2026", "2026-06-30T25:00:00Z", "2026-06-30T09:00:61Z", "2026-06-30T09:00:00 Z",
    "2026-06-30T09:00:00+99:99", " 2026-06-30", "2026-06-30\n", "２０２６-06-30", "2026-W27-2", "1719738000",
]  # fmt: skip


@pytest.mark.parametrize("text", BAD, ids=ascii)
def test_what_is_no_time_is_refused_as_a_value(text):
    with pytest.raises(ValueError):  # noqa: PT011
        parse_time(text)


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"])
def test_a_time_that_leaves_the_calendar_in_utc_is_refused_or_can_be_written(text):
    try:
        moment, _ = parse_time(text)
    except ValueError:
        return

    assert format_time(moment)


@settings(max_examples=200, deadline=None)
@given(st.datetimes(timezones=st.timezones()))
def test_a_moment_survives_being_written_and_read(moment):
    found = from_datetime(moment)
    if not -62135596800_000_000 <= found <= 253402300799_999_999:
        return

    assert parse_stated_time(format_time(found)) == found
    assert from_datetime(to_datetime(found)) == found
