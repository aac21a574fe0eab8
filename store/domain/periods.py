"""What may fire and make a record stale, and which of two figures is of the later period."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from store.domain.text import canonical_json

#: What may fire, and what it says, as the end of "because …".
TRIGGERS = {
    "source_changed": "its source changed",
    "newer_period_arrived": "a figure for a later period arrived",
    "project_ended": "its project ended",
    "role_changed": "somebody's role changed",
}

_DATE = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?(?:T.*)?")
_QUARTER = re.compile(r"(?:(\d{4})[- ]?Q([1-4])|Q([1-4])[- ]?(\d{4}))", re.IGNORECASE)
_FISCAL = re.compile(r"FY[- ]?(\d{4})", re.IGNORECASE)


def read_period(value: Any) -> tuple[int, int, int] | None:
    """Return (year, month, day) of what a period is named by, 0 where it names none; None where it is no period."""
    if isinstance(value, int) and not isinstance(value, bool) and 1000 <= value <= 9999:
        return value, 0, 0
    if not isinstance(value, str):
        return None
    if found := _DATE.fullmatch(value):
        return int(found[1]), int(found[2] or 0), int(found[3] or 0)
    if found := _QUARTER.fullmatch(value):
        return (int(found[1]), 3 * int(found[2]), 0) if found[1] else (int(found[4]), 3 * int(found[3]), 0)
    if found := _FISCAL.fullmatch(value):
        return int(found[1]), 0, 0
    return None


def is_later_period(new: Mapping[str, Any], new_from: int | None, old: Mapping[str, Any], old_from: int | None) -> bool:
    """Return whether a claim is of a later period than another of the same scope, subject and predicate.

    Args:
        new, old: their qualifiers: all that differ must name a period, and each a later one; where none differs, validity decides.
        new_from, old_from: when they begin to hold, microseconds UTC; None for always.
    """
    if new.keys() != old.keys():
        return False
    apart = [name for name in new if canonical_json(new[name]) != canonical_json(old[name])]
    if not apart:
        return new_from is not None and (old_from is None or new_from > old_from)
    for name in apart:
        mine, its = read_period(new[name]), read_period(old[name])
        if mine is None or its is None or mine <= its:
            return False
    return True
