"""What differs between two texts: by words, with blocks that moved, side by side, unchanged stretches as one."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise

from store.domain.alignment import UNMATCHED, Alignment, align

#: Code points of either text that are compared; what is beyond is said to be left out.
LONGEST = 4_000_000
#: A line longer than this is compared in pieces.
_LONG_LINE = 1_600
#: A figure is one word here, however its digits are parted: half of a number is nothing anybody reads.
_FIGURE = re.compile(r"\d+(?:[.,]\d+)+")
SAME, REMOVED, ADDED, MOVED = "same", "removed", "added", "moved"
CHANGED, SPACE = "changed", "space"


@dataclass(frozen=True, slots=True)
class Piece:
    """Some words of one side: the same on the other, removed, added, or moved."""

    text: str
    kind: str


@dataclass(frozen=True, slots=True)
class Stretch:
    """Lines of the old text [start, end) beside those of the new one.

    Attributes:
        kind: `same`, `changed`, `moved` (it stands elsewhere on the other side) or `space` (only white space differs).
        left, right: the words of a stretch that is not the same.
        lines: how many of the new text, of the old one where it has none in the new.
    """

    kind: str
    start: int
    end: int
    new_start: int
    new_end: int
    lines: int
    left: tuple[Piece, ...] = ()
    right: tuple[Piece, ...] = ()


@dataclass(frozen=True, slots=True)
class Difference:
    """Two texts from beginning to end.

    Attributes:
        removed, added, moved: words. `changes`: stretches that are not the same.
        cut: the texts go on beyond what was compared.
    """

    stretches: tuple[Stretch, ...]
    changes: int
    removed: int
    added: int
    moved: int
    cut: bool


def compare_texts(old: str, new: str) -> Difference:
    """Return what differs between two texts, of each at most `LONGEST` code points."""
    cut = max(len(old), len(new)) > LONGEST
    return _Comparison(align(old[:LONGEST], new[:LONGEST])).find(cut=cut)


def set_beside(old: str, new: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Return two short texts word for word, as the pieces of either side."""
    left: list[Piece] = []
    right: list[Piece] = []
    for one in compare_texts(old, new).stretches:
        left += one.left or ((Piece(old[one.start : one.end], SAME),) if one.kind == SAME else ())
        right += one.right or ((Piece(new[one.new_start : one.new_end], SAME),) if one.kind == SAME else ())
    return tuple(left), tuple(right)


def _edges(text: str) -> list[int]:
    """Return where lines begin, long ones in pieces, and the end."""
    found, at = [0], 0
    while at < len(text):
        end = text.find("\n", at, at + _LONG_LINE)
        if end < 0:
            end = text.rfind(" ", at + _LONG_LINE // 2, at + _LONG_LINE) if len(text) - at > _LONG_LINE else len(text) - 1
            end = at + _LONG_LINE - 1 if end < 0 else end
        at = end + 1
        found.append(at)
    return found if found[-1] == len(text) else [*found, len(text)]


def _in_order(to: list[int]) -> list[bool]:
    """Return which matched words stand in the same order on both sides: the heaviest rising chain of runs."""
    runs: list[tuple[int, int, int]] = []
    for word, place in enumerate(to):
        if place == UNMATCHED:
            continue
        if runs and runs[-1][0] + runs[-1][2] == word and runs[-1][1] + runs[-1][2] == place:
            runs[-1] = (runs[-1][0], runs[-1][1], runs[-1][2] + 1)
        else:
            runs.append((word, place, 1))
    ranks = {place: n for n, place in enumerate(sorted(place for _, place, _ in runs), 1)}
    best: list[tuple[int, int]] = [(0, -1)] * (len(runs) + 1)
    before = [-1] * len(runs)
    top = (0, -1)
    for n, (_, place, weight) in enumerate(runs):
        found, at = (0, -1), ranks[place] - 1
        while at > 0:
            found, at = max(found, best[at]), at & (at - 1)
        before[n] = found[1]
        mine, at = (found[0] + weight, n), ranks[place]
        while at <= len(runs):
            best[at], at = max(best[at], mine), at + (at & -at)
        top = max(top, mine)
    kept = [False] * len(to)
    n = top[1]
    while n >= 0:
        word, _, weight = runs[n]
        kept[word : word + weight] = [True] * weight
        n = before[n]
    return kept


class _Comparison:
    def __init__(self, alignment: Alignment) -> None:
        self.alignment = alignment
        self.ordered = _in_order(alignment.to)
        self.old, self.new = alignment.old.text, alignment.new.text
        self.old_edges, self.new_edges = _edges(self.old), _edges(self.new)
        self.removed = self.added = self.moved = 0

    def find(self, *, cut: bool) -> Difference:
        found: list[Stretch] = []
        at = other = 0
        for first, last, new_first, new_last in self._groups():
            self._put(found, at, first, other, new_first, matched=False)
            self._put(found, first, last, new_first, new_last, matched=True)
            at, other = last, new_last
        self._put(found, at, len(self.old_edges) - 1, other, len(self.new_edges) - 1, matched=False)
        changes = sum(stretch.kind != SAME for stretch in found)
        return Difference(tuple(found), changes, self.removed, self.added, self.moved, cut)

    def _groups(self) -> list[tuple[int, int, int, int]]:
        """Return lines that share words in order: (first, after) of the old, (first, after) of the new."""
        words, places, to = self.alignment.old.starts, self.alignment.new.starts, self.alignment.to
        groups: list[list[int]] = []
        line = other = 0
        for word, kept in enumerate(self.ordered):
            if not kept:
                continue
            start, place = words[word], places[to[word]]
            while self.old_edges[line + 1] <= start:
                line += 1
            while self.new_edges[other + 1] <= place:
                other += 1
            if groups and (line < groups[-1][1] or other < groups[-1][3]):
                groups[-1][1], groups[-1][3] = line + 1, other + 1
            else:
                groups.append([line, line + 1, other, other + 1])
        return [(one[0], one[1], one[2], one[3]) for one in groups]

    def _put(self, found: list[Stretch], first: int, last: int, new_first: int, new_last: int, *, matched: bool) -> None:
        if first == last and new_first == new_last:
            return
        start, end = self.old_edges[first], self.old_edges[last]
        new_start, new_end = self.new_edges[new_first], self.new_edges[new_last]
        before, after = self.old[start:end], self.new[new_start:new_end]
        lines = (new_last - new_first) or (last - first)
        if before == after:
            if found and found[-1].kind == SAME and found[-1].end == start and found[-1].new_end == new_start:
                one = found.pop()
                found.append(Stretch(SAME, one.start, end, one.new_start, new_end, one.lines + lines))
            else:
                found.append(Stretch(SAME, start, end, new_start, new_end, lines))
            return
        left = self._pieces(start, end, old=True)
        right = self._pieces(new_start, new_end, old=False)
        kinds = {piece.kind for piece in (*left, *right) if piece.text.strip()}
        kind = SPACE if kinds <= {SAME} and before.split() == after.split() else MOVED if kinds == {MOVED} and not matched else CHANGED
        found.append(Stretch(kind, start, end, new_start, new_end, lines, left, right))

    def _pieces(self, start: int, end: int, *, old: bool) -> tuple[Piece, ...]:
        side = self.alignment.old if old else self.alignment.new
        text = side.text
        word = bisect_right(side.starts, start - 1) if start else 0
        parts: list[tuple[int, str]] = []
        figures = ((start + found.start(), start + found.end()) for found in _FIGURE.finditer(text[start:end]))
        figure = next(figures, None)
        while word < len(side.starts) and side.starts[word] < end:
            at, last = side.starts[word], word + 1
            while figure is not None and figure[1] <= at:
                figure = next(figures, None)
            if figure is not None and figure[0] == at:
                while last < len(side.starts) and side.starts[last] < figure[1]:
                    last += 1
            parts.append((at, self._kind(range(word, last), old=old)))
            word = last
        if not parts:
            return (Piece(text[start:end], SAME),) if end > start else ()
        bounds = [(start, parts[0][1]), *parts[1:], (end, "")]
        turns = [bound for n, bound in enumerate(bounds) if n == 0 or bound[1] != bounds[n - 1][1]]
        return tuple(Piece(text[one:two], kind) for (one, kind), (two, _) in pairwise(turns))

    def _kind(self, words: range, *, old: bool) -> str:
        """Return what became of some words that are read as one, and count them as one."""
        kinds = {self._kind_of(word, old=old) for word in words}
        kind = kinds.pop() if len(kinds) == 1 else REMOVED if old else ADDED
        self.removed += kind == REMOVED
        self.added += kind == ADDED
        self.moved += old and kind == MOVED
        return kind

    def _kind_of(self, word: int, *, old: bool) -> str:
        came = word if old else self.alignment.back[word]
        if came == UNMATCHED:
            return ADDED
        if self.alignment.to[came] == UNMATCHED:
            return REMOVED
        return SAME if self.ordered[came] else MOVED
