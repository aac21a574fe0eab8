"""What a declaration of a predicate may say, in one sentence where it does not fit (R13)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from store.domain.fields import check_flag, check_one_of
from store.domain.strict_json import bad_value
from store.domain.values import COMPARISONS, VALUE_TYPES, Predicate

#: What of a declaration a plan may change; `cardinality` and the rest as in a bundle line.
DECLARED = ("cardinality", "value_type", "order", "series", "compare", "about", "tolerance", "thresholds")


def _is_number(value: Any) -> bool:
    """Return whether `value` is a number that can be counted with: JSON also writes whole numbers that no float holds."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False


def check_tolerance(name: str, value: Any) -> dict[str, Any] | None:
    """Return a tolerance, or None for none."""
    if value is None:
        return None
    if not isinstance(value, dict) or len(value) != 1 or set(value) - {"absolute", "relative"} or not all(map(_is_number, value.values())):
        raise bad_value(f'{name} must be {{"absolute": number}} or {{"relative": number}}')
    ((kind, number),) = value.items()
    if number <= 0 or (kind == "relative" and number >= 1):
        raise bad_value(f"{name} must be above 0" + (" and below 1, such as 0.01 for one percent" if kind == "relative" else ""))
    return value


def check_thresholds(name: str, value: Any) -> tuple[Any, ...]:
    """Return thresholds as they were written."""
    if value is None:
        return ()
    if not isinstance(value, list):
        raise bad_value(f"{name} must be a list of numbers")
    for one in value:
        named = isinstance(one, dict) and set(one) == {"at", "name"} and _is_number(one["at"]) and isinstance(one["name"], str) and one["name"]
        if not named and not _is_number(one):
            raise bad_value(f'each of {name} must be a number, or {{"at": number, "name": text}}')
    return tuple(value)


def check_predicate(predicate: Predicate) -> Predicate:
    """Return a declaration if its parts fit together."""
    if predicate.tolerance is not None and predicate.compare not in ("exact", "number"):
        raise bad_value(f"a tolerance is for numbers; {predicate.name} is compared as {predicate.compare}")
    return predicate


def redeclare(predicate: Predicate, changes: Mapping[str, Any]) -> Predicate:
    """Return a declaration with some parts changed; what `changes` does not name stays.

    Raises:
        BadLine: a part is unknown, is none of what it may be, or does not fit the others.
    """
    unknown = set(changes) - set(DECLARED)
    if unknown:
        raise bad_value(f"{min(unknown)!r} is no part of a comparison; {', '.join(DECLARED)} are")
    found: dict[str, Any] = {}
    for name, value in changes.items():
        match name:
            case "cardinality":
                found["many"] = check_one_of("one", "many")(name, value) == "many"
            case "value_type":
                found[name] = check_one_of(*VALUE_TYPES)(name, value)
            case "order":
                found[name] = check_one_of("list", "set")(name, value)
            case "series":
                found[name] = check_flag(name, value)
            case "compare":
                found[name] = check_one_of(*COMPARISONS)(name, value)
            case "about":
                found[name] = check_one_of("thing", "person")(name, value)
            case "tolerance":
                found[name] = check_tolerance(name, value)
            case _:
                found[name] = check_thresholds(name, value)
    if "compare" in found and "tolerance" not in found and found["compare"] not in ("exact", "number"):
        found["tolerance"] = None
    return check_predicate(replace(predicate, **found))
