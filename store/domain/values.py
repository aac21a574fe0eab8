"""When two values count as the same: the comparison a predicate declares (R10, R13)."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any
from urllib.parse import urlsplit

from store.domain.text import canonical_json
from store.domain.times import parse_time
from store.domain.version_ranges import comparable_range

COMPARISONS = ("exact", "number", "date", "year", "text", "host", "set", "version_range")
_YEAR = re.compile(r"(?<![0-9])[12][0-9]{3}(?![0-9])")
VALUE_TYPES = ("json", "text", "number", "boolean", "date")


@dataclass(frozen=True, slots=True)
class Predicate:
    """How claims with one predicate behave in a scope and below it.

    Attributes:
        many: several values at once are no conflict.
        value_type: `number` also compares texts such as "1.00" as numbers.
        order: `set` compares lists without regard to order and repetition.
        series: one value per period; the next one ends the validity of the last (R4).
        compare: one of COMPARISONS.
        about: `person` when every claim with it describes a person (R2, claim_type).
        tolerance: `{"absolute": x}` or `{"relative": x}`; numbers that near are one value, pair by pair.
        thresholds: numbers, or `{"at": number, "name": text}`, from which on a value means another decision.
    """

    scope: str
    name: str
    many: bool = False
    value_type: str = "json"
    order: str = "list"
    series: bool = False
    compare: str = "exact"
    about: str = "thing"
    tolerance: Mapping[str, float] | None = None
    thresholds: tuple[Any, ...] = ()

    def to_line(self) -> dict[str, Any]:
        """Return the bundle line of this declaration."""
        return {
            "type": "predicate", "scope": self.scope, "predicate": self.name, "cardinality": "many" if self.many else "one",
            "value_type": self.value_type, "order": self.order, "series": self.series, "compare": self.compare, "about": self.about,
            **({"tolerance": dict(self.tolerance)} if self.tolerance else {}), **({"thresholds": list(self.thresholds)} if self.thresholds else {}),
        }  # fmt: skip


def undeclared(scope: str, name: str) -> Predicate:
    """Return how a predicate nobody declared behaves: one value, compared as JSON."""
    return Predicate(scope, name)


def as_number(value: Any) -> Any:
    """Return a text such as "1.00" as the number it writes, everything else as it is."""
    if isinstance(value, str):
        try:
            number = Decimal(value.strip().replace(",", "").replace("_", ""))
        except InvalidOperation:
            return value
        return _plain(number) if number.is_finite() and abs(number.adjusted()) < 400 else value
    return value


def _plain(number: Decimal) -> Any:
    """Return an int where the number is whole, else its shortest decimal text marked as a number."""
    if number == number.to_integral_value():
        return int(number)
    return {"#number": str(number.normalize())}


def _normalise(value: Any) -> Any:
    """Return `value` with 1 and 1.0 made one; true stays apart from 1, because JSON says so."""
    if isinstance(value, float):
        return int(value) if value.is_integer() else _plain(Decimal(repr(value)))
    if isinstance(value, list):
        return [_normalise(item) for item in value]
    if isinstance(value, dict):
        return {name: _normalise(item) for name, item in value.items()}
    return value


def _compared(value: Any, how: str) -> Any:
    if how == "number":
        return as_number(value)
    if not isinstance(value, str):
        return value
    if how == "text":
        return " ".join(value.split()).casefold()
    if how == "host":
        return _host(value)
    if how == "year":
        # "1966 (59 years ago)" names one year and counts as it; "1984 (1925)" names two, and nobody knows which is meant.
        years = set(_YEAR.findall(value))
        return int(years.pop()) if len(years) == 1 else value
    if how == "date":
        try:
            return parse_time(value.strip())[0]
        except ValueError:
            return value
    return value


def _host(value: str) -> str:
    try:
        host = urlsplit(value if "//" in value else "//" + value).hostname
    except ValueError:  # "Ireland [2]" is no address, and brackets promise one
        return value
    return value if host is None else host.removeprefix("www.")


def comparable(value: Any, predicate: Predicate) -> Any:
    """Return the form of `value` that equals that of every value counting as the same."""
    if predicate.compare == "version_range":
        return _normalise(comparable_range(value))
    how = "number" if predicate.value_type == "number" and predicate.compare == "exact" else predicate.compare
    if isinstance(value, list):
        items = [_normalise(_compared(item, how)) for item in value]
        if predicate.order == "set" or how == "set":
            return sorted({canonical_json(item) for item in items})
        return items
    return _normalise(_compared(value, how))


def value_code(value: Any, predicate: Predicate) -> int | None:
    """Return a 64-bit code, equal for values that count as the same; None for null, which is no value.

    Sixty-four bits of BLAKE2b: two different values of one key share a code once in 10^19 pairs.
    """
    if value is None:
        return None
    text = canonical_json(comparable(value, predicate))
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8"), digest_size=8).digest(), "big", signed=True)


def is_finite(value: float) -> bool:
    """Return whether a parsed number is one that JSON can carry."""
    return math.isfinite(value)
