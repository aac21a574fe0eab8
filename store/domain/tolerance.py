"""Numbers near enough to count as the same, and numbers that stand on two sides of a threshold (R13).

A tolerance is asked of each pair by itself: 1.00 and 1.02 may each be as good as 1.01 and still contradict each other, so
a proposal in between settles nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from store.domain.values import Predicate, as_number, value_code

#: Fields whose number is meant where an object holds several.
_MEANT = ("amount", "value")
#: The difference of two decimal fractions is off by their rounding: 1.01 - 1.00 must be within 0.01.
_ROUNDING = 4 * sys.float_info.epsilon


@dataclass(frozen=True, slots=True)
class Near:
    """What a pair of values is compared by where their predicate has a tolerance.

    Attributes:
        number: the number of the value.
        rest: a code of everything else in it, such as the currency; values with different rests are never near.
        absolute, relative: the tolerance, the relative one as a share of the larger magnitude.
    """

    number: float
    rest: int
    absolute: float
    relative: float


def within(number: Any, other: float, absolute: float, relative: float) -> Any:
    """Return which of an array of numbers are within a tolerance of `other`."""
    larger = np.maximum(np.abs(number), abs(other))
    return np.abs(number - other) <= np.maximum(absolute, relative * larger) + _ROUNDING * larger


def agree(one: Near | None, other: Near | None) -> bool:
    """Return whether two values of one predicate are within its tolerance."""
    if one is None or other is None or one.rest != other.rest:
        return False
    larger = max(abs(one.number), abs(other.number))
    return abs(one.number - other.number) <= max(one.absolute, one.relative * larger) + _ROUNDING * larger


def read_number(value: Any, *, texts: bool) -> float | None:
    """Return a number as a float, None for what is none; `texts` also reads "1.00"."""
    found = as_number(value) if texts else value
    if isinstance(found, dict) and isinstance(value, str):
        found = float(found["#number"])
    if isinstance(found, bool) or not isinstance(found, int | float):
        return None
    try:
        return float(found)
    except OverflowError:
        return None


def _split(value: Any, *, texts: bool) -> tuple[float, Any] | None:
    """Return the number of a value and everything else in it."""
    number = read_number(value, texts=texts)
    if number is not None:
        return number, None
    if not isinstance(value, dict):
        return None
    numbers = {name: found for name, item in value.items() if (found := read_number(item, texts=False)) is not None}
    if texts:
        numbers |= {name: found for name in _MEANT if name in value and (found := read_number(value[name], texts=True)) is not None}
    name = next(iter(numbers)) if len(numbers) == 1 else next((one for one in _MEANT if one in numbers), None)
    return None if name is None else (numbers[name], {"#of": name, **{one: item for one, item in value.items() if one != name}})


def _reads_texts(predicate: Predicate) -> bool:
    return "number" in (predicate.compare, predicate.value_type)


def read_near(value: Any, predicate: Predicate) -> Near | None:
    """Return what a value is compared by; None where the predicate has no tolerance or the value no number."""
    if predicate.tolerance is None:
        return None
    found = _split(value, texts=_reads_texts(predicate))
    if found is None:
        return None
    number, rest = found
    tolerance = predicate.tolerance
    return Near(number, value_code(rest, predicate) or 0, float(tolerance.get("absolute", 0.0)), float(tolerance.get("relative", 0.0)))


@dataclass(frozen=True, slots=True)
class Threshold:
    """A number from which on a value means another decision, and what it means then, if that has a name."""

    at: float
    name: str | None = None


def read_thresholds(predicate: Predicate) -> list[Threshold]:
    """Return a predicate's thresholds, lowest first."""
    found = [
        Threshold(float(one["at"]), one.get("name")) if isinstance(one, dict) else Threshold(float(one))
        for one in predicate.thresholds
    ]  # fmt: skip
    return sorted(found, key=lambda one: one.at)


def crosses_threshold(values: Iterable[Any], predicate: Predicate) -> Threshold | None:
    """Return the lowest threshold that stands between two of `values`, None if they all mean the same decision.

    A threshold belongs to what lies above it: with one at 9, the values 8.9 and 9 are on two sides of it. `values` are
    values of claims as they were written; those that hold no number count for nothing.
    """
    if not predicate.thresholds:
        return None
    numbers = [found[0] for value in values if (found := _split(value, texts=_reads_texts(predicate))) is not None]
    if len(numbers) < 2:
        return None
    return next((one for one in read_thresholds(predicate) if min(numbers) < one.at <= max(numbers)), None)


def say_tolerance(predicate: Predicate) -> str | None:
    """Return a tolerance as it is typed, `0.01` or `1%`, None where there is none."""
    tolerance = predicate.tolerance
    if tolerance is None:
        return None
    if "relative" in tolerance:
        return f"{tolerance['relative'] * 100:.10g}%"
    return f"{tolerance['absolute']:.10g}"


def parse_tolerance(text: str) -> dict[str, float]:
    """Return a tolerance typed as `0.01` or `1%`.

    Raises:
        ValueError: it is neither.
    """
    share = text.strip().endswith("%")
    try:
        number = float(text.strip().removesuffix("%"))
    except ValueError:
        raise ValueError(f"{text!r} is no tolerance; write 0.01 for a difference or 1% for a share") from None
    return {"relative": number / 100} if share else {"absolute": number}
