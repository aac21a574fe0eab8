"""Points in time as whole microseconds since 1970 in UTC, read from and written as ISO 8601 (R32)."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache

#: Stand-ins for "no bound" in arrays; the database holds NULL.
ALWAYS = -(2**62)
FOREVER = 2**62

_SHAPE = re.compile(r"(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?)(Z|[+-]\d{2}:\d{2})?)?", re.ASCII)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_FIRST = (datetime.min.replace(tzinfo=UTC) - _EPOCH) // _MICROSECOND
_LAST = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // _MICROSECOND


@lru_cache(maxsize=65536)
def parse_time(text: str) -> tuple[int, bool]:
    """Return (microseconds since 1970 UTC, whether UTC was assumed because the text has no offset).

    A date alone means midnight UTC and counts as stated, not assumed.

    Raises:
        ValueError: the text is not a date or a time of the ISO shape.
    """
    match = _SHAPE.fullmatch(text)
    if match is None:
        raise ValueError(f"{text[:40]!r} is not a time such as 2026-06-30 or 2026-06-30T09:00:00Z")
    day, clock, offset = match.groups()
    moment = datetime.fromisoformat(day if clock is None else f"{day}T{clock}{'+00:00' if offset in (None, 'Z') else offset}")
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    found = (moment - _EPOCH) // _MICROSECOND
    if not _FIRST <= found <= _LAST:
        raise ValueError(f"{text[:40]!r} lies outside the years 1 to 9999 in UTC")
    return found, clock is not None and offset is None


def parse_stated_time(text: str) -> int:
    """Return the microseconds of a time a person typed, which must say its offset.

    Raises:
        ValueError: it is no time, or has no offset.
    """
    moment, assumed = parse_time(text)
    if assumed:
        raise ValueError(f"{text[:40]!r} does not say its offset: end it with Z for UTC, or with +02:00 and the like")
    return moment


_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def word_day(moment: int) -> str:
    """Return the day of `moment` (microseconds), in UTC, as people write it in English: `3 Nov 2026`."""
    year, month, day = format_time(moment)[:10].split("-")
    return f"{int(day)} {_MONTHS[int(month) - 1]} {int(year)}"


@lru_cache(maxsize=65536)
def format_time(moment: int) -> str:
    """Return `moment` (microseconds) as `2026-06-30T09:00:00Z`, with a fraction only where there is one; outside the years 1 to 9999 the nearest in them."""
    stamp = (_EPOCH + timedelta(microseconds=min(max(moment, _FIRST), _LAST))).replace(tzinfo=None)
    return stamp.isoformat() + "Z"


def format_optional(moment: int | None) -> str | None:
    """Return `format_time(moment)`, or None for none."""
    return None if moment is None else format_time(moment)


def from_datetime(moment: datetime) -> int:
    """Return the microseconds of an aware datetime."""
    return (moment - _EPOCH) // _MICROSECOND


def to_datetime(moment: int) -> datetime:
    """Return an aware UTC datetime of `moment` (microseconds)."""
    return _EPOCH + timedelta(microseconds=moment)
