"""The words a text is found by: folded, split, and Chinese, Japanese and Korean runs as single and double characters."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]+|[^\W_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]+")
_LONGEST_WORD = 60
_MOST_TEXT = 20_000


def split_words(text: str, *, query: bool = False) -> list[str]:
    """Return the words of a text, or those a query must find.

    A run of characters written without spaces gives every pair in it, so that two-character words are found; a text
    gives the single characters too, a query only where it has nothing longer.
    """
    found: list[str] = []
    for run in _WORD.findall(unicodedata.normalize("NFKC", text[:_MOST_TEXT]).casefold()):
        if run[0] < "\u3040" or not ("\u3040" <= run[0] <= "\u9fff" or "\uac00" <= run[0] <= "\ud7af" or "\uf900" <= run[0] <= "\ufaff"):
            found.append(run[:_LONGEST_WORD])
            continue
        if not query or len(run) == 1:
            found.extend(run)
        found.extend(run[at : at + 2] for at in range(len(run) - 1))
    return found


def flatten(value: Any) -> str:
    """Return every text and number inside parsed JSON, one after the other."""
    found: list[str] = []
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            waiting.extend(item.values())
            found.extend(item)
        elif isinstance(item, list):
            waiting.extend(item)
        elif item is not None:
            found.append(str(item))
    return " ".join(found)
