"""The passage a claim says it comes from, with the words around it, and where the quote really stands if not there."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

from store.domain.records import Binding
from store.domain.spans import CapturedText, find_quote, locate_in, resolve_pointer

#: Characters shown before and after a passage, and lines before it at most: what is marked is seen at once, however short the lines are.
AROUND, LINES_BEFORE = 600, 8
_MARK = "\ue000cd\ue001"


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A stretch of a source: what stands before, the passage, what stands after; lines and characters where it is text.

    Attributes:
        cut_before, cut_after: the source goes on there.
        page: the page the passage begins on, where there are pages.
    """

    before: str
    passage: str
    after: str
    start: int | None = None
    end: int | None = None
    line_start: int | None = None
    line_end: int | None = None
    cut_before: bool = False
    cut_after: bool = False
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Look:
    """What a binding points at, as a reviewer sees it.

    Attributes:
        ok, message: whether the quote stands where its span says.
        shown: the passage at the span; None where the span points at nothing.
        occurs: where the quote really occurs, when it is not at the span.
        blotted: something of the passage is blotted out.
        place: the code point of the text that people read at which it stands; None where it is not in that text.
    """

    evidence: str
    ok: bool
    message: str
    quote: str | None
    span: dict[str, Any] | None
    is_json: bool
    shown: Excerpt | None
    occurs: tuple[Excerpt, ...] = ()
    place: int | None = None
    blotted: bool = False


def unseen_passage(binding: Binding) -> Look:
    """Return what is shown of a passage whose claim is veiled."""
    return Look(binding.evidence, True, "The passage is veiled with the claim.", None, binding.span, False, None)


def cut_out(text: str, start: int, end: int, around: int = AROUND) -> Excerpt:
    """Return the passage [start, end) of a text with the words around it, begun and ended at a line or word."""
    first, last = max(0, start - around, _begin_lines(text, start)), min(len(text), end + around)
    if first > 0 and text[first - 1] != "\n":
        space = max(text.find("\n", first, start), text.find(" ", first, min(first + 40, start)))
        first = space + 1 if space >= 0 and space < first + 120 else first
    if last < len(text):
        space = max(text.rfind(" ", max(end, last - 40), last), text.rfind("\n", max(end, last - 120), last))
        last = space if space > end else last
    line = text.count("\n", 0, start) + 1
    return Excerpt(
        text[first:start],
        text[start:end],
        text[end:last],
        start,
        end,
        line,
        line + text.count("\n", start, max(start, end - 1)),
        first > 0,
        last < len(text),
    )


def _begin_lines(text: str, end: int) -> int:
    """Return where the last lines of a text that may stand before a passage begin."""
    at = end
    for _ in range(LINES_BEFORE + 1):
        at = text.rfind("\n", 0, at)
        if at < 0:
            return 0
    return at + 1


def _cut_json(document: Any, pointer: str) -> Excerpt | None:
    """Return the value at a pointer inside the object or list that holds it, written out over several lines."""
    try:
        found = resolve_pointer(document, pointer)
        holder = resolve_pointer(document, pointer.rpartition("/")[0])
    except KeyError:
        return None
    name = pointer.rpartition("/")[2].replace("~1", "/").replace("~0", "~")
    if isinstance(holder, dict):
        marked: Any = {key: (_MARK if key == name else value) for key, value in holder.items()}
    elif isinstance(holder, list):
        marked = [_MARK if place == int(name) else value for place, value in enumerate(holder)]
    else:
        marked = _MARK
    text = json.dumps(marked, ensure_ascii=False, indent=2)
    before, _, after = text.partition(json.dumps(_MARK, ensure_ascii=False))
    first = max(0, len(before) - AROUND, _begin_lines(before, len(before)))
    return Excerpt(
        before[first:],
        json.dumps(found, ensure_ascii=False, indent=2)[: 4 * AROUND],
        after[:AROUND],
        cut_before=first > 0,
        cut_after=len(after) > AROUND,
    )


def look_at(binding: Binding, captured: CapturedText) -> Look:
    """Return what a binding points at, and where its quote stands when it is not there."""
    found = locate_in(binding, captured)
    span = binding.span or {}
    is_json = captured.is_json and not ({"start", "end"} & set(span))
    shown: Excerpt | None = None
    occurs: tuple[Excerpt, ...] = ()
    text = captured.markup if found.in_markup else captured.text
    if text is None:
        return Look(binding.evidence, found.ok, found.message, binding.quote, binding.span, is_json, None)
    if is_json or span.get("pointer") is not None:
        pointer = span.get("pointer")
        try:
            shown = _cut_json(json.loads(text), pointer) if isinstance(pointer, str) else None
        except (ValueError, RecursionError):
            shown = None
        return Look(binding.evidence, found.ok, found.message, binding.quote, binding.span, True, shown, blotted=found.blotted)
    if found.start is not None and found.end is not None:
        shown = replace(cut_out(text, found.start, found.end), page=found.page)
    elif found.ok:
        shown = Excerpt("", "", text[: 3 * AROUND], cut_after=len(text) > 3 * AROUND)
    if not found.ok and binding.quote and not found.blotted:
        occurs = places_of(binding.quote, captured)
    at = found.start
    if found.in_markup and found.start is not None and found.end is not None:
        at = (captured.shown_at(found.start, found.end) or (None,))[0]
    return Look(binding.evidence, found.ok, found.message, binding.quote, binding.span, False, shown, occurs, at if found.ok or found.blotted else None, found.blotted)


def places_of(quote: str, captured: CapturedText) -> tuple[Excerpt, ...]:
    """Return where a quote occurs in a captured version, at most 20 places; none where it is no text."""
    text = captured.text
    if text is None:
        return ()
    found = (cut_out(text, at, at + len(quote), AROUND if place == 0 else 120) for place, at in enumerate(find_quote(quote, text)))
    return tuple(replace(one, page=captured.page_of(one.start or 0)) for one in found)
