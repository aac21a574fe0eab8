"""Times as people read them: days, exact moments with their zone, and how long ago."""

from __future__ import annotations

from datetime import UTC, datetime

from pages.widgets.language import later, say, say_count
from pages.widgets.markup import Markup, tag

_MONTHS = (
    later("Jan"), later("Feb"), later("Mar"), later("Apr"), later("May"), later("Jun"),
    later("Jul"), later("Aug"), later("Sep"), later("Oct"), later("Nov"), later("Dec"),
)  # fmt: skip
_HOUR, _DAY = 3_600, 86_400


def from_micros(moment: int) -> datetime:
    """Return a moment from microseconds since 1970."""
    return datetime.fromtimestamp(moment / 1_000_000, UTC)


def say_day(at: datetime) -> str:
    """Return a day as people write it: `3 Nov 2026`."""
    at = at.astimezone(UTC)
    return say("{day} {month} {year}", day=at.day, month=say(_MONTHS[at.month - 1]), year=at.year)


def say_month(at: datetime) -> str:
    """Return a month as people write it: `Nov 2026`."""
    at = at.astimezone(UTC)
    return say("{month} {year}", month=say(_MONTHS[at.month - 1]), year=at.year)


def say_minute(at: datetime) -> str:
    """Return a day and the time of day, with its zone: `3 Nov 2026, 14:05 UTC`."""
    return say("{day}, {time} UTC", day=say_day(at), time=f"{at.astimezone(UTC):%H:%M}")


def say_second(at: datetime) -> str:
    """Return a time in full: `2026-11-03 14:05:09 UTC`."""
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def say_ago(at: datetime, now: datetime | None = None) -> str:
    """Return how long ago a moment was, in words, by the largest unit that fits."""
    seconds = int(((now or datetime.now(UTC)) - at).total_seconds())
    if seconds <= -60:
        return say_minute(at)
    if seconds < 60:
        return say("just now")
    if seconds < _HOUR:
        return say_count("{n} minute ago", "{n} minutes ago", seconds // 60)
    if seconds < _DAY:
        return say_count("{n} hour ago", "{n} hours ago", seconds // _HOUR)
    if seconds < 30 * _DAY:
        return say_count("{n} day ago", "{n} days ago", seconds // _DAY)
    if seconds < 365 * _DAY:
        return say_count("{n} month ago", "{n} months ago", seconds // (30 * _DAY))
    return say_count("{n} year ago", "{n} years ago", seconds // (365 * _DAY))


def when(at: datetime | None) -> Markup:
    """Return how long ago a moment was, the exact time on hover."""
    return Markup("") if at is None else tag("span", say_ago(at), title=say_second(at))
