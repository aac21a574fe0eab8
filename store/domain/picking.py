"""The words by which roots are picked by what made them (R20)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from store.domain.errors import Code, Refusal
from store.domain.scopes import check_scope
from store.domain.times import parse_stated_time

#: What roots may be picked by: `import` is the number of the event; `since` and `until` are when they were recorded; `scope` narrows.
MADE_BY = ("extractor", "version", "source", "import", "task", "proposer", "predicate", "since", "until", "scope")


def read_made(made: Mapping[str, Any]) -> dict[str, Any]:
    """Return the words checked: times as microseconds UTC, the import as a number.

    Raises:
        Refusal: `bad_value`, naming the word.
    """
    found: dict[str, Any] = {}
    for name, value in made.items():
        if name not in MADE_BY:
            raise Refusal(Code.BAD_VALUE, f"Roots are picked by {', '.join(MADE_BY)}, not by {str(name)[:40]!r}. Nothing was changed.")
        text = str(value).strip()
        if not text:
            raise Refusal(Code.BAD_VALUE, f"Say which {name}. Nothing was changed.")
        try:
            found[name] = _read(name, text)
        except ValueError as error:
            raise Refusal(Code.BAD_VALUE, f"{error}. Nothing was changed.") from None
    if not found.keys() - {"scope"}:
        raise Refusal(Code.BAD_VALUE, "A scope alone picks everything in it: say what made the records as well. Nothing was changed.")
    if "version" in found and "extractor" not in found:
        raise Refusal(Code.BAD_VALUE, "A version alone says little: name the extractor as well. Nothing was changed.")
    return found


def _read(name: str, text: str) -> Any:
    if name == "import":
        if not text.isdecimal() or len(text) > 15:
            raise ValueError(f"An import is named by the number of its event, not by {text[:40]!r}")
        return int(text)
    if name in ("since", "until"):
        return parse_stated_time(text)
    return check_scope(text) if name == "scope" else text
