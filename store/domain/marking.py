"""A stretch of a long text with the passages that are marked in it, overlapping ones too."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

#: Code points of a text on one screen.
WINDOW = 16_000
#: How far a stretch may be moved so that it begins with a line, or with a word.
_SLACK = 600
#: Code points shown before the passage that was asked for.
_LEAD = 500


@dataclass(frozen=True, slots=True)
class Mark:
    """A passage [start, end) of a text, in code points; `n` tells it from the others."""

    start: int
    end: int
    n: int


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of text with the marks that cover it, and those of them that end with it."""

    text: str
    marks: tuple[int, ...]
    ending: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Window:
    """The code points [start, end) of a text, cut into segments.

    Attributes:
        total: of the whole text.
        first_line: the line it begins on, from 1.
        before, after: where the windows before and after this one begin; None at the ends.
        previous, next: the marks (`n`) that begin before and after this window nearest; None where there is none.
    """

    start: int
    end: int
    total: int
    first_line: int
    segments: tuple[Segment, ...]
    before: int | None
    after: int | None
    previous: int | None
    next: int | None


#: What parts the digits of a figure, or the parts of a word, so that nothing is cut there.
_JOINTS = ".,'’-"
#: What may stand around the words of a passage.
_MARKS = ' \t|.,;:!?)("“”'
#: Code points a passage grows by at most, so that it does not end inside a word.
_WORD = 40


def whole_words(text: str, start: int, end: int, like: str = "") -> tuple[int, int]:
    """Return a passage that grew until it begins and ends with a whole word or figure, and with the same marks as `like` where they stand beside it."""

    def inside(at: int) -> bool:
        """Return whether a cut between `at - 1` and `at` would part a word."""
        if not 0 < at < len(text):
            return False
        one, other = text[at - 1], text[at]
        if one.isascii() and other.isascii():
            if one.isalnum() and other.isalnum():
                return True
            if one in _JOINTS and other.isdigit():
                return at > 1 and text[at - 2].isdigit()
            if one.isdigit() and other in _JOINTS:
                return at + 1 < len(text) and text[at + 1].isdigit()
        return False

    first, last = start, end
    while first > max(0, start - _WORD) and inside(first):
        first -= 1
    while last < min(len(text), end + _WORD) and inside(last):
        last += 1
    first, last = (start if inside(first) else first), (end if inside(last) else last)
    head, tail = like[: len(like) - len(like.lstrip(_MARKS))], like[len(like.rstrip(_MARKS)) :]
    if head and text[:first].endswith(head):
        first -= len(head)
    if tail and text.startswith(tail, last):
        last += len(tail)
    return first, last


def begin_at(text: str, position: int) -> int:
    """Return where a window that is to show `position` begins: with its line, else with a word."""
    position = max(0, min(position, len(text)))
    if position == 0:
        return 0
    line = text.rfind("\n", max(0, position - _SLACK), position)
    if line >= 0:
        return line + 1
    if position <= _SLACK:
        return 0
    space = text.rfind(" ", position - _SLACK, position)
    return space + 1 if space >= 0 else position


def lead_to(text: str, position: int) -> int:
    """Return where a window begins that shows a passage with some words before it."""
    return begin_at(text, position - _LEAD) if position > _LEAD else 0


def cut_window(text: str, start: int, marks: Sequence[Mark], size: int = WINDOW) -> Window:
    """Return the window of a text that begins at `start`, with its marks."""
    total = len(text)
    start = max(0, min(start, max(total - 1, 0)))
    end = min(total, start + size)
    if end < total:
        end = max(begin_at(text, end), start + 1)
    ordered = sorted(marks, key=lambda mark: (mark.start, mark.end, mark.n))
    inside = [mark for mark in ordered if mark.start < end and mark.end > start]
    starts = [mark.start for mark in ordered]
    earlier, later = bisect_left(starts, start) - 1, bisect_left(starts, end)
    return Window(
        start, end, total, text.count("\n", 0, start) + 1, _segments(text, start, end, inside),
        begin_at(text, max(0, start - size)) if start > 0 else None, end if end < total else None,
        ordered[earlier].n if earlier >= 0 else None, ordered[later].n if later < len(ordered) else None,
    )  # fmt: skip


def _segments(text: str, start: int, end: int, marks: Sequence[Mark]) -> tuple[Segment, ...]:
    edges = sorted({start, end, *(max(start, mark.start) for mark in marks), *(min(end, mark.end) for mark in marks)})
    places = {edge: n for n, edge in enumerate(edges)}
    covering: list[list[int]] = [[] for _ in edges]
    ending: list[list[int]] = [[] for _ in edges]
    for mark in marks:
        first, last = places[max(start, mark.start)], places[min(end, mark.end)]
        for n in range(first, last):
            covering[n].append(mark.n)
        if mark.end <= end:
            ending[last - 1].append(mark.n)
    return tuple(Segment(text[one:two], tuple(covering[n]), tuple(ending[n])) for n, (one, two) in enumerate(pairwise(edges)))


def cut_pieces(text: str, ranges: Sequence[tuple[int, int]], marks: Sequence[Mark]) -> list[tuple[Segment, ...]]:
    """Return each of some stretches of a text, which follow each other, cut into segments; a mark ends with the last segment it covers anywhere."""
    waiting = sorted(marks, key=lambda mark: mark.start, reverse=True)
    active: list[Mark] = []
    pieces: list[list[Segment]] = []
    last: dict[int, tuple[int, int]] = {}
    for piece, (start, end) in enumerate(ranges):
        while waiting and waiting[-1].start < end:
            active.append(waiting.pop())
        active = [mark for mark in active if mark.end > start]
        pieces.append(list(_segments(text, start, end, active)))
        last.update((n, (piece, at)) for at, segment in enumerate(pieces[-1]) for n in segment.marks)
    ending: dict[tuple[int, int], list[int]] = {}
    for mark in marks:
        if mark.n in last:
            ending.setdefault(last[mark.n], []).append(mark.n)
    return [
        tuple(Segment(one.text, one.marks, tuple(ending.get((piece, at), ()))) for at, one in enumerate(segments)) for piece, segments in enumerate(pieces)
    ]


def line_at(text: str, position: int) -> int:
    """Return the number of the line, from 1, that holds a code point."""
    return text.count("\n", 0, position) + 1


def mark_before(marks: Sequence[Mark], position: int) -> Mark | None:
    """Return the last mark that begins before a code point."""
    ordered = sorted(marks, key=lambda mark: (mark.start, mark.end, mark.n))
    place = bisect_left([mark.start for mark in ordered], position) - 1
    return ordered[place] if place >= 0 else None


def mark_after(marks: Sequence[Mark], position: int) -> Mark | None:
    """Return the first mark that begins after a code point."""
    ordered = sorted(marks, key=lambda mark: (mark.start, mark.end, mark.n))
    place = bisect_right([mark.start for mark in ordered], position)
    return ordered[place] if place < len(ordered) else None
