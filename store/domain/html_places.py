"""Where characters of an HTML file stand in the text that was taken out of it, and whether they stand in it at all.

Taking the text out changes white space and nothing else of what is seen. So the n-th visible character of the file, white space not
counted, is the n-th of the text, whatever became of the lines between them.
"""

from __future__ import annotations

import re
from html import unescape

import numpy as np

from store.domain.html_text import Reader
from store.domain.reach import Ints

#: Code points of a file of which the places are worked out; it takes about twice as long as taking the text out.
LONGEST_MARKUP = 4_000_000
_SPACES = np.array([ord(one) for one in " \t\n\f\r"], dtype=np.uint32)
#: What the parser may take for a character reference.
_REFERENCE = re.compile(r"&(#[0-9]+;?|#[xX][0-9a-fA-F]+;?|[^\t\n\f <&#;]{1,32};?)")


def _letters(text: str) -> Ints:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)


class _Tracer(Reader):
    """Notes where each run of text that is seen begins in the file, and where tags do."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.runs: list[tuple[int, str]] = []
        self.edges: set[int] = {0, len(markup)}
        self._starts = [0, *(found.end() for found in re.finditer("\n", markup))]

    def _here(self) -> int:
        line, column = self.getpos()
        return self._starts[line - 1] + column

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.edges.add(self._here())
        super().handle_starttag(tag, attrs)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.edges.add(self._here())
        super().handle_startendtag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        self.edges.add(self._here())
        super().handle_endtag(tag)

    def handle_comment(self, data: str) -> None:  # noqa: ARG002
        self.edges.add(self._here())

    def handle_data(self, data: str) -> None:
        here = self._here()
        self.edges.add(here)
        if self.seen:
            self.runs.append((here, data))
        super().handle_data(data)


def _by_letter(markup: str, at: int, count: int) -> list[tuple[int, int]]:
    """Return where each of the `count` characters of a run that holds character references begins and ends in the file."""
    found: list[tuple[int, int]] = []
    while len(found) < count:
        reference = _REFERENCE.match(markup, at) if markup[at] == "&" else None
        means = unescape(reference[0]) if reference is not None else markup[at]
        if reference is None or means == reference[0]:
            found.append((at, at + 1))
            at += 1
        else:
            found += [(at, reference.end())] * len(means)
            at = reference.end()
    return found[:count]


def _spread(markup: str, runs: list[tuple[int, str]]) -> tuple[Ints, Ints, Ints]:
    """Return where each character of all runs begins and ends in the file, and where each run ends."""
    begin, count = (np.array([one(run) for run in runs], dtype=np.int64) for one in (lambda run: run[0], lambda run: len(run[1])))
    first = np.cumsum(count) - count
    starts = np.repeat(begin - first, count) + np.arange(int(count.sum()), dtype=np.int64)
    stops = starts + 1
    pairs: list[tuple[int, int]] = []
    where = np.zeros(len(starts), dtype=bool)
    for n, (at, data) in enumerate(runs):
        if markup.find("&", at, at + len(data) + 1) >= 0:
            pairs += _by_letter(markup, at, len(data))
            where[int(first[n]) : int(first[n] + count[n])] = True
    if pairs:
        starts[where], stops[where] = np.array(pairs, dtype=np.int64).T
    return starts, stops, stops[first + count - 1]


class MarkupPlaces:
    """Which characters of an HTML file are which of the text taken out of it."""

    def __init__(self, markup: str, text: str) -> None:
        """Compare a file with the text taken out of it.

        Raises:
            ValueError: the text is not the one of this file, or the file is too long.
        """
        if len(markup) > LONGEST_MARKUP:
            raise ValueError("too long")
        body = markup.removeprefix("\ufeff")
        shift = len(markup) - len(body)
        tracer = _Tracer(body)
        tracer.read(body)
        runs = [run for run in tracer.runs if run[1]]
        starts, stops, ends = _spread(body, runs)
        letters = _letters("".join(data for _, data in runs))
        kept = ~np.isin(letters, _SPACES)
        shown = _letters(text)
        where = np.flatnonzero(~np.isin(shown, _SPACES))
        if not np.array_equal(letters[kept], shown[where]):
            raise ValueError("another text")
        self._starts, self._stops, self._where = starts[kept] + shift, stops[kept] + shift, where
        self._runs, self._ends = np.array([at for at, _ in runs], dtype=np.int64) + shift, ends + shift
        self._edges = {edge + shift for edge in tracer.edges}

    def _parts(self, position: int) -> bool:
        """Return whether a position lies between two things of the file rather than inside a tag, a comment, a reference or what is not seen."""
        if position in self._edges:
            return True
        at = int(np.searchsorted(self._runs, position)) - 1
        if at < 0 or position > self._ends[at]:
            return False
        # Inside a character reference a letter begins before the position and ends after it.
        letter = int(np.searchsorted(self._starts, position)) - 1
        return letter < 0 or int(self._stops[letter]) <= position

    def shown_at(self, start: int, end: int) -> tuple[int, int] | None:
        """Return where the code points [start, end) of the file stand in the text; None where they begin or end in the markup, or none is seen."""
        if not self._parts(start) or not self._parts(end):
            return None
        first, last = int(np.searchsorted(self._starts, start)), int(np.searchsorted(self._starts, end)) - 1
        if last < first:
            return None
        return int(self._where[first]), int(self._where[last]) + 1

    def marked_at(self, start: int, end: int) -> tuple[int, int] | None:
        """Return where the code points [start, end) of the text stand in the file; None where they are white space."""
        first, last = int(np.searchsorted(self._where, start)), int(np.searchsorted(self._where, end)) - 1
        return None if last < first else (int(self._starts[first]), int(self._stops[last]))
