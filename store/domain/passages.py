"""What became of each bound passage when its source was captured again: the binding it has then, or the one that is proposed (R21)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from store.domain.json_passages import JsonSorter
from store.domain.recapture import CARRIED, Fate, Found, Sorter
from store.domain.records import Binding
from store.domain.spans import CapturedText, Passage, locate_in, resolve_pointer
from store.domain.text import canonical_json


@dataclass(frozen=True, slots=True)
class Sorted:
    """What became of one passage.

    Attributes:
        after: the binding to the new version: where the passage stands then, or, for `changed` and `gone`, what is proposed; None for nothing.
        score: how alike what is proposed is, 0 to 1.
    """

    fate: Fate
    after: Binding | None = None
    score: float = 0.0

    @property
    def carried(self) -> bool:
        """Return whether the passage carries over."""
        return self.fate in CARRIED


class PassageSorter:
    """Sorts the bindings to one captured version against the next; the texts are compared once, when the first passage asks."""

    def __init__(self, old: CapturedText, new: CapturedText, new_id: str) -> None:
        self.old, self.new, self.new_id = old, new, new_id
        self._known: dict[str, Sorted] = {}

    def sort(self, binding: Binding) -> Sorted:
        """Return what became of what a binding points at."""
        named = canonical_json([binding.span, binding.quote])
        if named not in self._known:
            self._known[named] = self._sort(binding)
        return self._known[named]

    @cached_property
    def whole(self) -> Fate:
        """Return what became of the version as a whole, on which a record without a passage rests."""
        if self.old.content == self.new.content:
            return Fate.UNCHANGED
        before, after = self.old.text, self.new.text
        if before is None or after is None:
            return Fate.CHANGED
        return Fate.COSMETIC if before.split() == after.split() else Fate.CHANGED

    @cached_property
    def _texts(self) -> Sorter:
        return Sorter(self.old.text or "", self.new.text or "")

    @cached_property
    def _markups(self) -> Sorter:
        return Sorter(self.old.markup or "", self.new.markup or "")

    @cached_property
    def _documents(self) -> JsonSorter | None:
        documents = self.old.document, self.new.document
        return None if any(isinstance(one, ValueError | RecursionError) for one in documents) else JsonSorter(*documents)

    def _sort(self, binding: Binding) -> Sorted:
        if binding.span is None and binding.quote is None:
            return Sorted(self.whole, Binding(self.new_id), 1.0 if self.whole in CARRIED else 0.0)
        if self.old.content == self.new.content and self.old.text == self.new.text:
            return Sorted(Fate.UNCHANGED, replace(binding, evidence=self.new_id), 1.0)
        span = binding.span or {}
        if span.get("pointer") is not None or (self.old.is_json and binding.span is not None and not ({"start", "end"} & set(span))):
            return self._pointer(binding, str(span.get("pointer")))
        stands = locate_in(binding, self.old)
        if self.old.text is None or self.new.text is None:
            return Sorted(Fate.GONE)
        if not stands.ok or stands.start is None or stands.end is None:
            return self._astray(binding)
        return self._text(binding, stands, stands.start, stands.end)

    def _pointer(self, binding: Binding, pointer: str) -> Sorted:
        documents = self._documents
        if documents is None:
            return Sorted(Fate.GONE)
        try:
            fate, there, score = documents.sort(pointer)
        except KeyError:
            return Sorted(Fate.GONE)
        if there is None:
            return Sorted(fate)
        value = canonical_json(resolve_pointer(self.new.document, there))
        quote = binding.quote if fate in (Fate.UNCHANGED, Fate.MOVED) and binding.quote is not None else value
        return Sorted(fate, Binding(self.new_id, {**(binding.span or {}), "pointer": there}, quote), score)

    def _astray(self, binding: Binding) -> Sorted:
        """Return what can be said of a quote that never stood where its binding says: nothing carries it over."""
        text, quote = self.new.text or "", binding.quote or ""
        at = text.find(quote) if quote else -1
        if at < 0:
            return Sorted(Fate.GONE)
        return Sorted(Fate.CHANGED, Binding(self.new_id, self._span({}, at, at + len(quote)), quote), 1.0)

    def _text(self, binding: Binding, stands: Passage, start: int, end: int) -> Sorted:
        sorter, text = (self._markups, self.new.markup or "") if stands.in_markup else (self._texts, self.new.text or "")
        found = sorter.sort(start, end)
        if stands.in_markup and found.fate not in CARRIED:
            found = self._as_read(start, end) or found
        if found.start is None or found.end is None:
            return Sorted(found.fate)
        quote = text[found.start : found.end]
        if stands.in_markup:
            span: dict[str, Any] | None = {**(binding.span or {}), "start": found.start, "end": found.end}
        elif binding.span is None and found.fate in CARRIED and text.find(quote) == found.start:
            span = None
        else:
            span = self._span(binding.span or {}, found.start, found.end)
        fate = found.fate
        if fate in (Fate.UNCHANGED, Fate.MOVED):
            same = span == binding.span if binding.span is not None else found.start == start
            fate = Fate.UNCHANGED if same else Fate.MOVED
        return Sorted(fate, Binding(self.new_id, span, quote), found.score)

    def _as_read(self, start: int, end: int) -> Found | None:
        """Return where a passage of the markup stands when what people read around it says so, and its markup is the same there; else None.

        A whole page may be one line of markup, in which no sentence ends where it ends for a reader.
        """
        read = self.old.shown_at(start, end)
        marked = None if read is None else self.old.marked_at(*read)
        if read is None or marked is None:
            return None
        found = self._texts.sort(*read)
        there = None if found.fate not in CARRIED or found.start is None or found.end is None else self.new.marked_at(found.start, found.end)
        if there is None:
            return None
        begins, stops = there[0] - (marked[0] - start), there[1] + (end - marked[1])
        if begins < 0 or (self.new.markup or "")[begins:stops] != (self.old.markup or "")[start:end]:
            return None
        return Found(Fate.MOVED, begins, stops, 1.0)

    def _span(self, before: dict[str, Any], start: int, end: int) -> dict[str, Any]:
        """Return a span of code points in the form the old one had, where the new text allows it."""
        rest = {name: value for name, value in before.items() if name not in ("start", "end", "page", "line_start", "line_end")}
        if "line_start" in before and "start" not in before:
            lines = self.new.line_of(start), self.new.line_of(max(end - 1, start))
            bounds = self.new.line_bounds(*lines)
            if bounds is not None and bounds[0] == start and end - bounds[1] in (0, 1):
                return {**rest, "line_start": lines[0], "line_end": lines[1]}
            return {**rest, "start": start, "end": end}
        page = self.new.page_of(start)
        if page is not None and self.new.rendition is not None:
            first, last = self.new.rendition.page_bounds(page) or (0, 0)
            if end <= last:
                return {**rest, "page": page, "start": start - first, "end": end - first}
        return {**rest, "start": start, "end": end}


def span_for(captured: CapturedText, start: int, end: int) -> dict[str, Any]:
    """Return the span of code points of a captured text, by page where it has pages."""
    return PassageSorter(captured, captured, "")._span({}, start, end)  # noqa: SLF001
