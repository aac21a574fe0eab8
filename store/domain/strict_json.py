"""Reading JSON strictly: nothing twice, nothing endless, nothing no store can keep."""

from __future__ import annotations

import json
from typing import Any

from store.domain.errors import Code
from store.domain.text import find_forbidden
from store.domain.values import is_finite

_DEEPEST = 60
_MOST_DIGITS = 400


class BadLine(Exception):  # noqa: N818 - caught where the line is read, never seen outside
    """Why a line cannot be taken, on its way to becoming a `LineError`."""

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def bad_value(message: str) -> BadLine:
    """Return the fault of a field with an unusable value."""
    return BadLine(Code.BAD_VALUE, message)


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise BadLine(Code.NOT_JSON, f"the field {twice!r} stands twice; keep one of them")
    return found


def _integer(text: str) -> int:
    if len(text) > _MOST_DIGITS:
        raise bad_value(f"a number has {len(text)} digits; at most {_MOST_DIGITS} are kept. Give it as text")
    return int(text)


def _float(text: str) -> float:
    number = float(text) if len(text) <= _MOST_DIGITS else float("inf")
    if not is_finite(number):
        raise bad_value(f"the number {text[:30]} is too large to keep. Give it as text")
    return number


def _constant(text: str) -> Any:
    raise BadLine(Code.NOT_JSON, f"{text} is not JSON; use null or a text")


_decode = json.JSONDecoder(object_pairs_hook=_pairs, parse_int=_integer, parse_float=_float, parse_constant=_constant).decode


def _depth_of(value: Any) -> int:
    deepest, waiting = 0, [(value, 1)]
    while waiting:
        item, depth = waiting.pop()
        deepest = max(deepest, depth)
        if isinstance(item, dict):
            waiting.extend((inner, depth + 1) for inner in item.values())
        elif isinstance(item, list):
            waiting.extend((inner, depth + 1) for inner in item)
    return deepest


def read_json(text: str) -> Any:
    """Return strictly parsed JSON.

    Raises:
        ValueError: with a sentence that says what is wrong; `args[1]`, where there is one, is the `Code`.
    """
    try:
        value = _decode(text)
        if text.count("{") + text.count("[") > _DEEPEST and _depth_of(value) > _DEEPEST:
            raise bad_value(f"it is nested more than {_DEEPEST} levels deep")
        if "\\u" in text or "\x00" in text:
            problem = find_forbidden(value)
            if problem:
                raise bad_value(problem)
    except BadLine as bad:
        raise ValueError(bad.message, bad.code) from None
    except RecursionError:
        raise ValueError(f"it is nested more than {_DEEPEST} levels deep", Code.BAD_VALUE) from None
    except ValueError as error:
        raise ValueError(f"it is not JSON: {error}", Code.NOT_JSON) from None
    return value
