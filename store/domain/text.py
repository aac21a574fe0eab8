"""Text from outside: canonical JSON, hashes over it, what is refused, and how the invisible is made visible."""

from __future__ import annotations

import hashlib
import json
import math
import re
import unicodedata
from typing import Any

#: Made once: `json.dumps` makes an encoder for every value.
_encode = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False).encode


def canonical_json(value: Any) -> str:
    """Return `value` as JSON with sorted keys and no spaces, so that equal values are equal text."""
    return _encode(value)


def digest(text: str) -> str:
    """Return the SHA-256 of `text` in UTF-8, in hexadecimal."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def digest_bytes(content: bytes) -> str:
    """Return the SHA-256 of `content`, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def find_forbidden(value: Any) -> str | None:
    """Return a sentence about the first text in `value` that no store can keep, or None.

    Lone surrogates are no characters, and NUL ends texts in some databases: neither could be shown or hashed
    the same everywhere. `value` is parsed JSON.
    """
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            if "\x00" in item:
                return "a text holds the character NUL (U+0000)"
            if any("\ud800" <= ch <= "\udfff" for ch in item):
                return "a text holds half of a surrogate pair (U+D800 to U+DFFF)"
        elif isinstance(item, dict):
            waiting.extend(item.keys())
            waiting.extend(item.values())
        elif isinstance(item, list | tuple):
            waiting.extend(item)
        elif isinstance(item, float) and not math.isfinite(item):
            return "a number is not finite"
    return None


_VISIBLE_SPACES = {"\n", "\t"}
_NAMES = {
    "\u202a": "LRE", "\u202b": "RLE", "\u202c": "PDF", "\u202d": "LRO", "\u202e": "RLO",
    "\u2066": "LRI", "\u2067": "RLI", "\u2068": "FSI", "\u2069": "PDI", "\u200e": "LRM", "\u200f": "RLM",
    "\u061c": "ALM", "\u200b": "ZWSP", "\u200c": "ZWNJ", "\u200d": "ZWJ", "\u2060": "WJ", "\ufeff": "BOM", "\u00ad": "SHY",
}  # fmt: skip


#: Letters and marks that Unicode calls default ignorable: drawn as nothing, although they are no format characters.
_IGNORABLE = re.compile(r"[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u3164\ufe00-\ufe0f\uffa0\ufff0-\ufff8\U000e0000-\U000e0fff]")


def is_invisible(ch: str) -> bool:
    """Return whether `ch` would be drawn as nothing or change the direction of what follows."""
    if ch in _VISIBLE_SPACES:
        return False
    return ch in _NAMES or _IGNORABLE.fullmatch(ch) is not None or unicodedata.category(ch) in ("Cc", "Cf", "Zl", "Zp")


def is_blank(text: str) -> bool:
    """Return whether nothing of `text` would be seen: it is empty, or space and invisible characters only."""
    return all(ch.isspace() or is_invisible(ch) for ch in text)


class _Shown(dict[int, str]):
    """What each character is drawn as, worked out the first time it is met; texts may be long."""

    def __missing__(self, code: int) -> str:
        ch = chr(code)
        self[code] = f"⟦{_NAMES.get(ch, f'U+{code:04X}')}⟧" if is_invisible(ch) else ch
        return self[code]


_SHOWN = _Shown()


def show_invisible(text: str) -> str:
    """Return `text` with control, bidirectional and invisible characters as tokens such as ⟦RLO⟧."""
    if text.isascii() and text.isprintable():
        return text
    return text.translate(_SHOWN)


def spaced(name: str) -> str:
    """Return a name such as a predicate's as people read it: its underscores as spaces."""
    return name.replace("_", " ")


def question_title(subject: str, predicate: str) -> str:
    """Return what a question is called on a screen; commands and addresses take the predicate's own name."""
    return f"{subject} · {spaced(predicate)}"


def guard_cell(value: str) -> str:
    """Return `value` so that a spreadsheet shows it and does not run it as a formula (OWASP: CSV injection)."""
    at = 0
    while at < len(value) and (value[at].isspace() or is_invisible(value[at])):
        at += 1
    stripped = value[at:]
    if value[:1] in ("\t", "\r", "\n") or stripped[:1] in ("=", "+", "-", "@", "＝", "＋", "－", "＠", ";"):
        return "'" + value
    return value
