"""What changed from one value to the next: a difference of numbers, of days, of the items of a list, or just another value."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

SAME, NUMBER, DAYS, ITEMS, OTHER = "same", "number", "days", "items", "other"

_DAY = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?:T00:00:00Z)?")
#: Qualifiers that say which period a figure is for.
_PERIODS = frozenset({"as_of", "period", "quarter", "year", "month", "date", "day", "fiscal_year", "fy", "week", "reported_for", "version"})
_PERIOD_VALUE = re.compile(r"(?:FY|fy)?\s?\d{4}(?:[-/ ]?(?:Q[1-4]|H[12]|W?\d{1,2})(?:-\d{1,2})?)?")


@dataclass(frozen=True, slots=True)
class ValueChange:
    """How a value differs from the one before it.

    Attributes:
        kind: SAME; NUMBER, with `difference` and, unless the first was zero, `ratio` (0.042 for +4.2 %); DAYS, with `difference`; ITEMS, with
            `added` and `gone`; OTHER.
    """

    kind: str
    difference: Decimal = Decimal(0)
    ratio: float | None = None
    added: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()


def _number(value: Any) -> Decimal | None:
    if isinstance(value, dict) and set(value) == {"amount", "currency"}:
        value = value["amount"]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return Decimal(value) if isinstance(value, int) else Decimal(repr(value))


def _currency(value: Any) -> Any:
    return value.get("currency") if isinstance(value, dict) else None


def _day(value: Any) -> date | None:
    found = _DAY.fullmatch(value.strip()) if isinstance(value, str) else None
    try:
        return date(*(int(part) for part in found.groups())) if found else None
    except ValueError:
        return None


def change_between(before: Any, after: Any) -> ValueChange:
    """Return how `after` differs from `before`."""
    if type(before) is type(after) and before == after:
        return ValueChange(SAME)
    one, two = _number(before), _number(after)
    if one is not None and two is not None and _currency(before) == _currency(after):
        if one == two:
            return ValueChange(SAME)
        return ValueChange(NUMBER, two - one, float((two - one) / abs(one)) if one and abs(one.adjusted()) < 300 else None)
    first, second = _day(before), _day(after)
    if first is not None and second is not None:
        days = (second - first).days
        return ValueChange(DAYS, Decimal(days)) if days else ValueChange(SAME)
    if isinstance(before, list) and isinstance(after, list):
        old, new = list(map(str, before)), list(map(str, after))
        added, gone = tuple(one for one in new if one not in old), tuple(one for one in old if one not in new)
        return ValueChange(ITEMS, added=added, gone=gone) if added or gone else ValueChange(SAME)
    return ValueChange(OTHER)


def period_of(qualifiers: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return (name, value) of the qualifier that says which period is meant, None where there is none or more than one."""
    found = [
        (name, value) for name, value in qualifiers.items() if isinstance(value, str) and _PERIOD_VALUE.fullmatch(value) and name.lower() in _PERIODS
    ]
    return found[0] if len(found) == 1 else None


def is_earlier_period(mine: Mapping[str, Any], other: Mapping[str, Any]) -> str | None:
    """Return the period of `other` if both ask the same of different periods and that of `other` came before."""
    here, there = period_of(mine), period_of(other)
    if here is None or there is None or here[0] != there[0] or len(here[1]) != len(there[1]) or there[1] >= here[1]:
        return None
    rest = {name: value for name, value in mine.items() if name != here[0]}
    return there[1] if rest == {name: value for name, value in other.items() if name != there[0]} else None
