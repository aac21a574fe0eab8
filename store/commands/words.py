"""Reading what was typed: times, qualifiers, fields, and pairs of id and value."""

from __future__ import annotations

import json
import re
from typing import Any

from store.domain.errors import Code, Refusal
from store.domain.strict_json import read_json
from store.domain.times import parse_stated_time


def read_time(text: str | None) -> int | None:
    """Return a time in microseconds.

    Raises:
        Refusal: it is no time, or does not say its offset.
    """
    if text is None:
        return None
    try:
        return parse_stated_time(text)
    except ValueError as error:
        raise Refusal(Code.BAD_VALUE, f"{error}. Nothing was done.") from None


def read_value(text: str) -> Any:
    """Return JSON if it parses, else the text itself."""
    try:
        return read_json(text)
    except ValueError:
        return text


def read_object(text: str, name: str) -> dict[str, Any]:
    """Return a JSON object.

    Raises:
        Refusal: it is none.
    """
    try:
        found = read_json(text)
    except ValueError as error:
        raise Refusal(Code.BAD_VALUE, f"{name}: {error.args[0]}. Nothing was done.") from None
    if not isinstance(found, dict):
        raise Refusal(Code.BAD_VALUE, f"{name} must be a JSON object, such as {json.dumps({'owner': 'ana'})}. Nothing was done.")
    return found


def read_pairs(given: list[str], name: str, *, last: bool = False) -> dict[str, str]:
    """Return ID=VALUE pairs, divided at the first '=', or at the last one where ids may hold it and values do not.

    Raises:
        Refusal: one has no '='.
    """
    found = {}
    for pair in given:
        left, sign, right = pair.rpartition("=") if last else pair.partition("=")
        if not sign or not left:
            raise Refusal(Code.BAD_VALUE, f"{name} {pair!r} must be ID=VALUE. Nothing was done.")
        found[left] = right
    return found


def read_qualifiers(given: list[str]) -> dict[str, Any]:
    """Return K=V pairs, V as JSON if it parses."""
    return {name: read_value(value) for name, value in read_pairs(given, "--qualifier").items()}


def _split_fields(text: str) -> list[str]:
    """Split at commas that stand outside brackets and quotes."""
    parts, depth, quoted, start = [], 0, False, 0
    for at, ch in enumerate(text):
        if ch == '"' and text[at - 1 : at] != "\\":
            quoted = not quoted
        elif not quoted and ch in "{[":
            depth += 1
        elif not quoted and ch in "}]":
            depth -= 1
        elif ch == "," and not quoted and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    return [*parts, text[start:]]


_NARROWED = re.compile(r"(.+?):(valid_from|valid_to|scope|qualifiers)=", re.DOTALL)


def read_narrowings(given: list[str]) -> dict[str, dict[str, Any]]:
    """Return ID -> fields from `ID:field=value,…`; an id may itself hold ':' and '='.

    Raises:
        Refusal: one does not have that shape.
    """
    found: dict[str, dict[str, Any]] = {}
    for text in given:
        known = _NARROWED.match(text)
        record, sign, field = (known[1], ":", known[2]) if known else text.partition("=")[0].rpartition(":")
        if not sign or not record or not field or "=" not in text:
            raise Refusal(Code.BAD_VALUE, f"--narrow {text!r} must be ID:field=value. Nothing was done.")
        for pair in _split_fields(text[len(record) + 1 :]):
            name, equals, value = pair.partition("=")
            if not equals:
                raise Refusal(Code.BAD_VALUE, f"--narrow {pair!r} must be field=value. Nothing was done.")
            found.setdefault(record, {})[name.strip()] = read_value(value)
    return found
