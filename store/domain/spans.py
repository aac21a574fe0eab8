"""Where in a source's version a quote stands, and whether it really stands there (R6; W3C Web Annotation selectors)."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from store.domain.html_places import MarkupPlaces
from store.domain.json_lines import JsonLines
from store.domain.records import Binding
from store.domain.renditions import HTML, Rendition, split_type
from store.domain.text import canonical_json, digest_bytes
from store.domain.times import parse_time

#: What is said of a passage that was blotted out.
BLOTTED = "This passage is blotted out, because something it said was asked to be forgotten. It cannot be checked any more. Bind other evidence."
JSON_TYPES = ("application/json", "application/vnd.observation+json")


@dataclass(frozen=True, slots=True)
class Passage:
    """What a binding points at.

    Attributes:
        ok: the quote stands there.
        message: why not, or where, as a sentence.
        start, end: code points of the passage in the text, where it is text.
        page: the page it begins on, where there are pages.
        in_markup: the positions count in the bytes as captured, not in the text taken out of them.
        blotted: something of the passage is blotted out, so that it is not `ok` and cannot be.
    """

    ok: bool
    message: str
    start: int | None = None
    end: int | None = None
    page: int | None = None
    in_markup: bool = False
    blotted: bool = False


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
    """A captured version to be looked into many times: decoded, parsed and split into lines at most once each.

    Where text was taken out of it (a rendition), that is its text: spans and quotes refer to it.
    """

    def __init__(
        self, content: bytes, sha256: str, media_type: str, rendition: Rendition | None = None, redacted: tuple[tuple[int, int], ...] = ()
    ) -> None:
        self.content, self.sha256, self.media_type, self.rendition = content, sha256, media_type, rendition
        #: Passages of its text that are blotted out, as [start, end) in code points.
        self.redacted = redacted
        self.is_json = split_type(media_type)[0] in JSON_TYPES

    @cached_property
    def damaged(self) -> bool:
        """Return whether these are not the bytes that were captured, or the text not the one taken out of them then."""
        return digest_bytes(self.content) != self.sha256 or (self.rendition is not None and self.rendition.damaged)

    @cached_property
    def markup(self) -> str | None:
        """Return the bytes themselves as text, None where they are none."""
        try:
            return self.content.decode("utf-8")
        except UnicodeDecodeError:
            return None

    @property
    def text(self) -> str | None:
        """Return the text, None where there is none."""
        return self.markup if self.rendition is None else self.rendition.text

    @cached_property
    def _places(self) -> MarkupPlaces | None:
        if self.markup is None or self.rendition is None or split_type(self.media_type)[0] != HTML:
            return None
        try:
            return MarkupPlaces(self.markup, self.rendition.text)
        except ValueError:
            return None

    def shown_at(self, start: int, end: int) -> tuple[int, int] | None:
        """Return where code points of an HTML file as it was captured stand in the text taken out of it.

        None where they begin or end inside a tag, a comment or what a reader does not see, and for very long files.
        """
        return None if self._places is None else self._places.shown_at(start, end)

    def marked_at(self, start: int, end: int) -> tuple[int, int] | None:
        """Return where code points of the text taken out of an HTML file stand in the file as it was captured; None where that is not known."""
        return None if self._places is None else self._places.marked_at(start, end)

    def page_of(self, position: int) -> int | None:
        """Return the page, from 1, that holds a code point; None where there are no pages."""
        return None if self.rendition is None else self.rendition.page_of(position)

    @cached_property
    def document(self) -> Any:
        """Return the parsed JSON; the exception, where it is none."""
        try:
            return _strictly(self.text or "")
        except (ValueError, RecursionError) as error:
            return error

    @cached_property
    def _json_lines(self) -> JsonLines | None:
        return None if isinstance(self.document, ValueError | RecursionError) else JsonLines(self.text or "")

    def spot(self, pointer: str) -> tuple[int, int] | None:
        """Return where the value at a JSON pointer stands in the text; None where nothing is there."""
        if self._json_lines is None or (pointer and not pointer.startswith("/")):
            return None
        return self._json_lines.spot(pointer)

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


def locate(binding: Binding, content: bytes, sha256: str, media_type: str, rendition: Rendition | None = None) -> Passage:
    """Return whether `binding`'s quote stands where its span says, code point for code point."""
    return locate_in(binding, CapturedText(content, sha256, media_type, rendition))


def _in_markup(binding: Binding, captured: CapturedText) -> Passage | None:
    """Return where a quote stands in the bytes as captured, code point for code point, rather than in the text taken out of them."""
    span, quote, markup = binding.span or {}, binding.quote, captured.markup
    if captured.rendition is None or captured.rendition.pages is not None or markup is None or not quote:
        return None
    start, end = span.get("start"), span.get("end")
    if not _whole(start) or not _whole(end) or not 0 <= start < end or markup[start:end] != quote:  # type: ignore[operator]
        return None
    return Passage(True, f"The quote stands at {start}-{end} of the file as it was captured.", start, end, in_markup=True)


def _on_page(binding: Binding, captured: CapturedText, text: str, quote: str) -> Passage:
    """Return whether a quote stands on a page: `start` and `end` count within the page's text."""
    span = binding.span or {}
    page, start, end = span.get("page"), span.get("start"), span.get("end")
    if captured.rendition is None or captured.rendition.pages is None:
        return Passage(False, f"Pages need a text taken out of {binding.evidence}, and there is none. Bind characters instead.")
    bounds = captured.rendition.page_bounds(page) if _whole(page) else None  # type: ignore[arg-type]
    if bounds is None:
        return Passage(False, f"{binding.evidence} has {len(captured.rendition.pages):,} pages, and no page {str(page)[:20]}. Amend the span.")
    first, last = bounds
    if start is None and end is None:
        found = text.find(quote, first, last)
        if found < 0:
            return Passage(False, f"The quote does not occur on page {page} of {binding.evidence}. Amend the quote.", page=page)
        return Passage(True, f"The quote occurs on page {page}.", found, found + len(quote), page)
    if not _whole(start) or not _whole(end):
        return Passage(False, "The span names no position on its page. Amend it with start and end.", page=page)
    if start >= end:  # type: ignore[operator]
        return Passage(False, f"The span {start}-{end} ends before it begins, so nothing stands in it. Amend the span.", page=page)
    if not 0 <= start < end <= last - first:  # type: ignore[operator]
        size = f"page {page} of {binding.evidence}, which has {last - first:,} characters"
        return Passage(False, f"The span {start}-{end} lies outside {size}. Amend the span.", page=page)
    begin, stop = first + start, first + end  # type: ignore[operator]
    if text[begin:stop] != quote:
        what = f"At {start}-{end} of page {page} of {binding.evidence} stands “{text[begin:stop][:60]}”, not the quote. Amend the span."
        return Passage(False, what, begin, stop, page)
    return Passage(True, f"The quote stands at {start}-{end} of page {page}.", begin, stop, page)


def locate_in(binding: Binding, captured: CapturedText) -> Passage:
    """Return whether `binding`'s quote stands where its span says in a captured version.

    Where text was taken out of the version, positions count in that text; a quote that stands only in the bytes as they were captured,
    at just these positions, holds too: HTML was quoted so before text was taken out of it.
    """
    found = _locate(binding, captured)
    if not found.ok and not captured.damaged:
        found = _in_markup(binding, captured) or found
    return replace(found, ok=False, message=BLOTTED, blotted=True) if captured.redacted and _is_blotted(binding, captured, found) else found


def _is_blotted(binding: Binding, captured: CapturedText, found: Passage) -> bool:
    """Return whether something of the passage is blotted out, so that nobody can check any more what it said."""
    start, end, pointer = found.start, found.end, (binding.span or {}).get("pointer")
    if isinstance(pointer, str):
        start, end = captured.spot(pointer) or (None, None)
    elif found.in_markup and start is not None and end is not None:
        start, end = captured.shown_at(start, end) or (None, None)
    return start is not None and end is not None and any(start < stop and begin < end for begin, stop in captured.redacted)


def _locate(binding: Binding, captured: CapturedText) -> Passage:
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
        return Passage(True, "The quote occurs in the source.", found, found + len(quote), captured.page_of(found))
    if span.get("pointer") is not None or (captured.is_json and not ({"start", "end"} & set(span))):
        return _json_passage(binding, captured, span.get("pointer"))
    if span.get("page") is not None:
        return _on_page(binding, captured, text, quote)
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
    if start >= end:
        return Passage(False, f"The span {start}-{end} ends before it begins, so nothing stands in it. Amend the span.")
    if not 0 <= start < end <= len(text):
        return Passage(False, f"The span {start}-{end} lies outside {binding.evidence}, which has {len(text):,} characters. Amend the span.")
    if text[start:end] != quote:
        return Passage(False, f"At {start}-{end} of {binding.evidence} stands “{text[start:end][:60]}”, not the quote. Amend the span.", start, end)
    return Passage(True, f"The quote stands at {start}-{end}.", start, end, captured.page_of(start))


def find_quote(quote: str, text: str) -> list[int]:
    """Return the code point positions at which `quote` occurs in a text, at most 20 of them."""
    at = -1
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
