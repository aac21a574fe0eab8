"""Printing results for people: tables where there are lists, sentences where there are few figures."""

from __future__ import annotations

import json
import sys
from typing import Any

from store.domain.text import show_invisible

_WIDEST = 60
#: Columns of whole sentences: cut, they would lose the end, where it says what to do next. They stand last, where their length breaks no line.
_SENTENCES = ("did", "why", "reason", "message")


def _cell(value: Any, widest: int | None = _WIDEST) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    text = show_invisible(text).replace("\n", "⏎").replace("\t", " ")
    return text if widest is None or len(text) <= widest else text[: widest - 1] + "…"


def _whole(value: Any) -> str:
    """Return a value that has its own line: a text stands there whole, an object is cut."""
    return _cell(value, None if isinstance(value, str) else _WIDEST)


def table(rows: list[dict[str, Any]], columns: list[str] | None = None) -> str:
    """Return rows as an aligned table."""
    if not rows:
        return "  (none)"
    columns = sorted(columns or list(rows[0]), key=lambda name: name in _SENTENCES)
    cells = [[_cell(row.get(name), None if name in _SENTENCES else _WIDEST) for name in columns] for row in rows]
    widths = [max(len(name), *(len(row[n]) for row in cells)) for n, name in enumerate(columns)]
    lines = ["  ".join(name.ljust(width) for name, width in zip(columns, widths, strict=True)).rstrip()]
    lines += ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells]
    return "\n".join("  " + line for line in lines)


def print_result(command: str, result: dict[str, Any]) -> None:
    """Print a command's result; a refusal goes to stderr."""
    if "error" in result:
        print(f"{result['message']} ({result['error']})", file=sys.stderr)
        result = {name: value for name, value in result.items() if name not in ("error", "message")}
    if command == "lab":
        print(table(result["checks"], ["check", "expected", "found", "ok"]))
        return
    if command == "gate" and "tests" in result:
        _print_gate(result)
        return
    if command == "erase" and "letter" in result:
        print("\n".join(result["letter"]))
        return
    for name, value in result.items():
        _print_part(name, value)


def _print_gate(result: dict[str, Any]) -> None:
    """Print the four tests one after the other, with what each did and retrieved."""
    for test in result["tests"]:
        print(f"{'ok  ' if test['ok'] else 'FAIL'}  {test['name']}")
        print("".join(f"      {sentence}\n" for sentence in test["did"]) + "".join(f"      - {look}\n" for look in test["retrieved"]), end="")
        print(f"      expected: {test['expected']}\n      found:    {test['found']}")
    print(f"proof {result['proof']} of {result['tenant']}, {result['engine']}, policies: {result['policies']}")


def _print_part(name: str, value: Any) -> None:
    """Print one part of a result: lists of objects as tables, other objects as their plain values and then the rest."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        print(f"{name} ({len(value):,})")
        print(table(value[:200]))
        if len(value) > 200:
            print(f"  … and {len(value) - 200:,} more; --json prints all")
    elif isinstance(value, dict) and value and all(not isinstance(one, dict | list) for one in value.values()):
        print(f"{name}: " + ", ".join(f"{key} {_cell(one)}" for key, one in value.items()))
    elif isinstance(value, dict) and name == "comparison":
        for key, one in value.items():
            _print_part(key, one)
    elif isinstance(value, list):
        print(f"{name}: {', '.join(map(_whole, value)) or 'none'}")
    else:
        print(f"{name}: {_whole(value)}")
