"""Ranges of versions in one form, so that ranges that hold the same versions are one value (R13).

Read are the notations that advisories use: `>=2.1,<4.7`, `< 4.7 || >= 5`, `0 <1.10.0` (from, before), `^0.3.1`, `~1.2`,
`==1.2.*`, `*`, a single version, and lists of them, of which any counts. What cannot be read for certain stays as written.
Versions are ordered by `packaging`, which knows those of PyPI; those of Cargo and npm are read where both orders agree.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from packaging.utils import canonicalize_version
from packaging.version import InvalidVersion, Version

_LONGEST = 10_000
#: Most digits of one number in a version; Python reads and writes no number of more than 4,300 in one go.
_MOST_DIGITS = 400
_TOO_MANY_DIGITS = re.compile(rf"[0-9]{{{_MOST_DIGITS + 1}}}")
_TERM = re.compile(r"\s*(<=|>=|==|~=|<|>|=|\^|~)?\s*([0-9A-Za-z]+(?:[.+!_-][0-9A-Za-z]+)*(?:\.\*)?|\*)\s*(,)?")
#: `1.0.0-0` is before 1.0.0 for Cargo and after it for PyPI.
_AMBIGUOUS = re.compile(r"-\d")
_ZERO = Version("0")


@dataclass(frozen=True, slots=True)
class _Bound:
    """One end of an interval; no version means no end."""

    version: Version | None
    included: bool


@dataclass(frozen=True, slots=True)
class _Interval:
    low: _Bound
    high: _Bound

    def is_empty(self) -> bool:
        low, high = self.low, self.high
        if low.version is None or high.version is None:
            return False
        return low.version > high.version or (low.version == high.version and not (low.included and high.included))


_OPEN = _Bound(None, False)
_EVERYTHING = _Interval(_OPEN, _OPEN)


def _version(text: str) -> Version:
    if _AMBIGUOUS.search(text) or _TOO_MANY_DIGITS.search(text):
        raise InvalidVersion(text)
    return Version(text)


def _raised(version: Version, place: int) -> Version:
    """Return the first version whose number at `place` is one higher."""
    if version.epoch:
        raise InvalidVersion(str(version))
    release = [*version.release, 0, 0, 0][: place + 1]
    release[place] += 1
    return Version(".".join(map(str, release)))


def _between(low: Version, high: Version) -> _Interval:
    return _Interval(_Bound(low, True), _Bound(high, False))


def _term(operator: str, text: str) -> _Interval:
    """Return the interval of one comparison."""
    if text == "*":
        if operator not in ("", "==", "="):
            raise InvalidVersion(operator + text)
        return _EVERYTHING
    if text.endswith(".*"):
        if operator not in ("", "==", "="):
            raise InvalidVersion(operator + text)
        stem = _version(text.removesuffix(".*"))
        return _between(stem, _raised(stem, len(stem.release) - 1))
    version = _version(text)
    match operator:
        case "<" | "<=":
            return _Interval(_OPEN, _Bound(version, operator == "<="))
        case ">" | ">=":
            return _Interval(_Bound(version, operator == ">="), _OPEN)
        case "^":
            first = next((place for place, number in enumerate(version.release) if number), len(version.release) - 1)
            return _between(version, _raised(version, first))
        case "~":
            return _between(version, _raised(version, min(1, len(version.release) - 1)))
        case "~=":
            if len(version.release) < 2:
                raise InvalidVersion(operator + text)
            return _between(version, _raised(version, len(version.release) - 2))
    return _Interval(_Bound(version, True), _Bound(version, True))


def _higher_low(one: _Bound, other: _Bound) -> _Bound:
    if one.version is None or other.version is None:
        return other if one.version is None else one
    if one.version == other.version:
        return one if not one.included else other
    return max(one, other, key=lambda bound: bound.version or _ZERO)


def _lower_high(one: _Bound, other: _Bound) -> _Bound:
    if one.version is None or other.version is None:
        return other if one.version is None else one
    if one.version == other.version:
        return one if not one.included else other
    return min(one, other, key=lambda bound: bound.version or _ZERO)


def _all_of(text: str) -> _Interval:
    """Return the interval of comparisons that must all hold."""
    at, found = 0, []
    while at < len(text):
        match = _TERM.match(text, at)
        if match is None or match.end() == at:
            raise InvalidVersion(text)
        found.append((match[1] or "", match[2], match[3] is not None))
        at = match.end()
    if not found or found[-1][2]:
        raise InvalidVersion(text)
    bare = [place for place, (operator, version, _) in enumerate(found) if not operator and not version.endswith("*")]
    if bare and len(found) > 1:
        # "0 <1.10.0": from a version on, before another; nothing else may hold a bare version.
        if bare != [0] or len(found) != 2 or found[0][2] or found[1][0] not in ("<", "<="):
            raise InvalidVersion(text)
        found[0] = (">=", found[0][1], False)
    low, high = _OPEN, _OPEN
    for operator, version, _ in found:
        interval = _term(operator, version)
        low, high = _higher_low(low, interval.low), _lower_high(high, interval.high)
    # Nothing comes before 0 but its own pre-releases, which nobody means.
    return _Interval(_OPEN if low.included and low.version == _ZERO else low, high)


def _joined(intervals: Sequence[_Interval]) -> list[_Interval]:
    """Return the intervals in order, those that overlap or touch made one."""
    found: list[_Interval] = []
    for one in sorted(
        (one for one in intervals if not one.is_empty()), key=lambda one: (one.low.version is not None, one.low.version or _ZERO, not one.low.included)
    ):
        if found and _meet(found[-1].high, one.low):
            found[-1] = _Interval(found[-1].low, _further(found[-1].high, one.high))
        else:
            found.append(one)
    return found


def _meet(high: _Bound, low: _Bound) -> bool:
    if high.version is None or low.version is None:
        return True
    return high.version > low.version or (high.version == low.version and (high.included or low.included))


def _further(one: _Bound, other: _Bound) -> _Bound:
    if one.version is None or other.version is None:
        return _OPEN
    if one.version == other.version:
        return one if one.included else other
    return max(one, other, key=lambda bound: bound.version or _ZERO)


def _written(bound: _Bound) -> list[Any] | None:
    return None if bound.version is None else [canonicalize_version(bound.version), bound.included]


def comparable_range(value: Any) -> Any:
    """Return a range as intervals in order, equal for ranges that hold the same versions; anything else as it is."""
    texts = value if isinstance(value, list) else [value]
    if not texts or not all(isinstance(text, str) and len(text) <= _LONGEST for text in texts):
        return value
    try:
        intervals = [_all_of(part.strip()) for text in texts for part in text.split("||")]
    except InvalidVersion:
        return value
    return {"#range": [[_written(one.low), _written(one.high)] for one in _joined(intervals)]}
