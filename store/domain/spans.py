"""Where in a source's version a quote stands, and whether it really stands there (R6; W3C Web Annotation selectors)."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from store.domain.records import Binding
from store.domain.text import canonical_json, digest_bytes
from store.domain.times import parse_time

JSON_TYPES = ("application/json", "application/vnd.observation+json")


@dataclass(frozen=True, slots=True)
class Passage:
    """What a binding points at.

    Attributes:
        ok: the quote stands there.
        message: why not, or where, as a sentence.
        start, end: code points of the passage in the text, where it is text.
    """

    ok: bool
    message: str
    start: int | None = None
    end: int | None = None


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def resolve_pointer(document: Any, pointer: str) -> Any:
    """Return the value at a JSON pointer (RFC 6901).

    Raises:
        KeyError: nothing is there.
    """
    if pointer and not pointer.startswith("/"):
        raise KeyError(pointer)
    value = document
    for part in pointer.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict):
            value = value[name]
        elif isinstance(value, list) and name.isascii() and name.isdigit() and (name == "0" or name[0] != "0") and int(name) < len(value):
            value = value[int(name)]
        else:
            raise KeyError(pointer)
    return value


def _refuse_constant(text: str) -> Any:
    raise ValueError(text)


def _strictly(text: str) -> Any:
    """Return parsed JSON; NaN and Infinity are none.

    Raises:
        ValueError: it is not JSON.
    """
    return json.loads(text, parse_constant=_refuse_constant)


class CapturedText:
    """A captured version to be looked into many times: decoded, parsed and split into lines at most once each."""

    def __init__(self, content: bytes, sha256: str, media_type: str) -> None:
        self.content, self.sha256, self.media_type = content, sha256, media_type

    @cached_property
    def damaged(self) -> bool:
        """Return whether these are not the bytes that were captured."""
        return digest_bytes(self.content) != self.sha256

    @cached_property
    def text(self) -> str | None:
        """Return the text, None where it is none."""
        try:
            return self.content.decode("utf-8")
        except UnicodeDecodeError:
            return None

    @cached_property
    def document(self) -> Any:
        """Return the parsed JSON; the exception, where it is none."""
        try:
            return _strictly(self.text or "")
        except (ValueError, RecursionError) as error:
            return error

    @cached_property
    def _lines(self) -> list[int]:
        text = self.text or ""
        return [0, *(found.end() for found in re.finditer("\n", text))]

    def line_of(self, position: int) -> int:
        """Return the number of the line, from 1, that holds a code point."""
        return bisect_right(self._lines, position)

    def line_bounds(self, first: int, last: int) -> tuple[int, int] | None:
        """Return (start, end) of some lines without the last one's end, None where there are no such lines."""
        starts = self._lines
        if not 1 <= first <= last <= len(starts):
            return None
        return starts[first - 1], starts[last] - 1 if last < len(starts) else len(self.text or "")


def _json_passage(binding: Binding, captured: CapturedText, pointer: Any) -> Passage:
    if not isinstance(pointer, str):
        return Passage(False, "The JSON pointer is not text. Amend the span.")
    if isinstance(captured.document, ValueError | RecursionError):
        return Passage(False, f"{binding.evidence} is not JSON, so a pointer finds nothing in it. Amend the span.")
    try:
        found = resolve_pointer(captured.document, pointer)
    except KeyError:
        return Passage(False, f"Nothing is at {pointer[:80]} in {binding.evidence}. Amend the span.")
    try:
        quoted = _strictly(binding.quote or "")
    except (ValueError, RecursionError):
        return Passage(False, "With a JSON pointer the quote must be the JSON text of the value there. Amend the quote.")
    if canonical_json(quoted) != canonical_json(found):
        return Passage(False, f"At {pointer[:80]} stands {canonical_json(found)[:60]}, not the quote. Amend the span or the quote.")
    return Passage(True, f"The value stands at {pointer[:80]}.")


def locate(binding: Binding, content: bytes, sha256: str, media_type: str) -> Passage:
    """Return whether `binding`'s quote stands where its span says, code point for code point."""
    return locate_in(binding, CapturedText(content, sha256, media_type))


def locate_in(binding: Binding, captured: CapturedText) -> Passage:
    """Return whether `binding`'s quote stands where its span says in a captured version."""
    if captured.damaged:
        return Passage(False, f"{binding.evidence} no longer has the bytes that were captured. Restore it from a backup.")
    span, quote = binding.span, binding.quote
    if span is None and quote is None:
        return Passage(True, f"It names {binding.evidence} as a whole, without a passage.")
    text = captured.text
    if text is None:
        return Passage(False, f"{binding.evidence} is not text, and no text was taken out of it. Bind a text version.")
    if quote is None or quote == "":
        return Passage(False, f"The span in {binding.evidence} has no quote to compare. Amend the quote.")
    if span is None:
        found = text.find(quote)
        if found < 0:
            return Passage(False, f"The quote does not occur in {binding.evidence}. Amend the quote.")
        return Passage(True, "The quote occurs in the source.", found, found + len(quote))
    if span.get("pointer") is not None or (captured.media_type in JSON_TYPES and not ({"start", "end"} & set(span))):
        return _json_passage(binding, captured, span.get("pointer"))
    if span.get("page") is not None:
        return Passage(False, f"Pages need a text taken out of {binding.evidence}, and there is none. Bind characters instead.")
    start, end = span.get("start"), span.get("end")
    if start is None and end is None and _whole(span.get("line_start")) and _whole(span.get("line_end")):
        bounds = captured.line_bounds(span["line_start"], span["line_end"])
        if bounds is None:
            return Passage(False, f"{binding.evidence} does not have those lines. Amend the span.")
        start, end = bounds
        if quote.endswith("\n") and text[start : end + 1] == quote:
            end += 1
    if not _whole(start) or not _whole(end):
        return Passage(False, "The span names no position. Amend it with start and end.")
    assert start is not None
    assert end is not None
    if not 0 <= start < end <= len(text):
        return Passage(False, f"The span {start}-{end} lies outside {binding.evidence}, which has {len(text):,} characters. Amend the span.")
    if text[start:end] != quote:
        return Passage(False, f"At {start}-{end} of {binding.evidence} stands “{text[start:end][:60]}”, not the quote. Amend the span.", start, end)
    return Passage(True, f"The quote stands at {start}-{end}.", start, end)


def find_quote(quote: str, content: bytes) -> list[int]:
    """Return the code point positions at which `quote` occurs, at most 20 of them."""
    text, at = content.decode("utf-8", "replace"), -1
    found: list[int] = []
    while quote and len(found) < 20:
        at = text.find(quote, at + 1)
        if at < 0:
            break
        found.append(at)
    return found


def is_stated_time(text: str) -> bool:
    """Return whether `text` is a date or time that says its offset."""
    try:
        return not parse_time(text)[1]
    except ValueError:
        return False
