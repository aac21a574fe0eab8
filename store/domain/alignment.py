"""Which piece of a text became which piece of its next edition: words matched in order, then blocks that moved.

White space is folded: a word knows only whether white space stands before it, so that a line broken elsewhere changes
nothing. Anchors are runs of words that occur once in either text, the longest first; the space between two anchors is
matched by shorter ones. The cost grows with the length of the texts, not with its square.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

#: Scripts written without spaces are matched character by character; combining marks stand for themselves.
_WIDE = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_WORD = re.compile(rf"[{_WIDE}]|[^\W{_WIDE}]+|[^\w\s]")
#: Lengths of anchors, in words; single words anchor small gaps only.
_LENGTHS = (16, 8, 4, 2, 1)
_SMALL_GAP = 400
_MOVED = 8
#: Below this many words a gap is matched without arrays.
_FEW = 128
UNMATCHED = -1

Numbers = NDArray[np.int64]
Hashes = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class _Vocabulary:
    """Numbers of words, shared by both texts."""

    numbers: dict[str, int] = field(default_factory=dict)

    def number(self, word: str) -> int:
        """Return the number of a word, a fresh one where it is met first."""
        return self.numbers.setdefault(word, len(self.numbers))


def count_words(text: str) -> int:
    """Return how many words a text has."""
    return sum(1 for _ in _WORD.finditer(text))


class Words:
    """A text as words: where each starts and ends in code points, and what it is."""

    def __init__(self, text: str, vocabulary: _Vocabulary) -> None:
        self.text = text
        found = [(match.start(), match.end(), match.group()) for match in _WORD.finditer(text)]
        self.starts = [start for start, _, _ in found]
        self.ends = [end for _, end, _ in found]
        self.words = [word for _, _, word in found]
        number = vocabulary.number
        before = 0
        #: Number of the word, doubled, plus one where white space stands before it.
        self.codes: list[int] = []
        for start, end, word in found:
            self.codes.append(number(word) * 2 + (start > before or start == 0))
            before = end

    def __len__(self) -> int:
        """Return how many words there are."""
        return len(self.words)

    @cached_property
    def weights(self) -> list[int]:
        """Return how much each word says: its letters and digits, a character of a script without spaces as three."""
        return [3 if word > "\u2e7f" and len(word) == 1 and word.isalnum() else (len(word) if word.isalnum() or "_" in word else 0) for word in self.words]

    @cached_property
    def weight_before(self) -> list[int]:
        """Return the weight of all words before each place."""
        return [0, *np.cumsum(np.array(self.weights, dtype=np.int64)).tolist()] if self.words else [0]

    @cached_property
    def folded(self) -> str:
        """Return the text with each run of white space as one space, without any at its ends."""
        return "".join(word if n == 0 or not code & 1 else f" {word}" for n, (word, code) in enumerate(zip(self.words, self.codes, strict=True)))

    @cached_property
    def places(self) -> list[int]:
        """Return where each word starts in the folded text."""
        found, at = [], 0
        for n, (word, code) in enumerate(zip(self.words, self.codes, strict=True)):
            at += 1 if n and code & 1 else 0
            found.append(at)
            at += len(word)
        return found

    @cached_property
    def lines(self) -> list[int]:
        """Return the number of the line each word stands in, from 0."""
        breaks = [match.start() for match in re.finditer("\n", self.text)]
        return [bisect_left(breaks, start) for start in self.starts]

    @cached_property
    def occurrences(self) -> dict[str, list[int]]:
        """Return word -> the places at which it stands."""
        found: dict[str, list[int]] = {}
        for n, word in enumerate(self.words):
            found.setdefault(word, []).append(n)
        return found

    def covering(self, start: int, end: int) -> tuple[int, int]:
        """Return the words (first, after last) that a passage of code points touches."""
        return bisect_right(self.ends, start), bisect_left(self.starts, end)


@dataclass(slots=True)
class Alignment:
    """Two texts, and for each word of the old one its place in the new one.

    Attributes:
        to: place in the new text, UNMATCHED for none; `back`: the same the other way round.
    """

    old: Words
    new: Words
    to: list[int]
    back: list[int]
    _before: list[int] = field(default_factory=list)
    _after: list[int] = field(default_factory=list)

    def follows(self, first: int, last: int) -> int | None:
        """Return where the words first..last-1 stand in the new text, one after the other; None where they do not."""
        place = self.to[first]
        if place == UNMATCHED or self.to[last - 1] - place != last - 1 - first:
            return None
        return place if self.to[first:last] == list(range(place, place + last - first)) else None

    def matched_before(self, word: int) -> int:
        """Return the nearest matched word before one, -1 where there is none."""
        if not self._before:
            self._measure()
        return self._before[word]

    def matched_from(self, word: int) -> int:
        """Return the nearest matched word at or after one, the number of words where there is none."""
        if not self._after:
            self._measure()
        return self._after[word]

    def _measure(self) -> None:
        last, before = -1, []
        for n, place in enumerate(self.to):
            before.append(last)
            last = n if place != UNMATCHED else last
        self._before = [*before, last]
        after, last = [len(self.to)], len(self.to)
        for n in range(len(self.to) - 1, -1, -1):
            last = n if self.to[n] != UNMATCHED else last
            after.append(last)
        self._after = after[::-1]


def align(old: str, new: str) -> Alignment:
    """Return how the words of two editions of a text correspond."""
    vocabulary = _Vocabulary()
    before, after = Words(old, vocabulary), Words(new, vocabulary)
    to, back = [UNMATCHED] * len(before), [UNMATCHED] * len(after)
    _match_in_order(before.codes, after.codes, to, back)
    _match_moved(before.codes, after.codes, to, back)
    return Alignment(before, after, to, back)


def _match_in_order(a: list[int], b: list[int], to: list[int], back: list[int]) -> None:
    waiting = [(0, len(a), 0, len(b), 0)]
    while waiting:
        a0, a1, b0, b1, level = waiting.pop()
        while a0 < a1 and b0 < b1 and a[a0] == b[b0]:
            to[a0], back[b0] = b0, a0
            a0, b0 = a0 + 1, b0 + 1
        while a0 < a1 and b0 < b1 and a[a1 - 1] == b[b1 - 1]:
            a1, b1 = a1 - 1, b1 - 1
            to[a1], back[b1] = b1, a1
        for n in range(level, len(_LENGTHS)):
            length = _LENGTHS[n]
            if length == 1 and max(a1 - a0, b1 - b0) > _SMALL_GAP:
                break
            anchors = _anchors(a, b, a0, a1, b0, b1, length)
            if anchors:
                waiting.extend(_fill(anchors, length, (a0, a1, b0, b1), n, to, back))
                break


def _fill(
    anchors: list[tuple[int, int]], length: int, bounds: tuple[int, int, int, int], level: int, to: list[int], back: list[int]
) -> list[tuple[int, int, int, int, int]]:
    """Match the words of anchors and return the gaps between them."""
    a0, a1, b0, b1 = bounds
    gaps, at, other = [], a0, b0
    for i, j in anchors:
        # Anchors may overlap; one that overlaps in one text only has its first words left out.
        skip = max(at - i, other - j, 0)
        if skip >= length:
            continue
        i, j = i + skip, j + skip  # noqa: PLW2901
        if i > at and j > other:
            gaps.append((at, i, other, j, level))
        for n in range(length - skip):
            to[i + n], back[j + n] = j + n, i + n
        at, other = i + length - skip, j + length - skip
    if at < a1 and other < b1:
        gaps.append((at, a1, other, b1, level))
    return gaps


def _anchors(a: list[int], b: list[int], a0: int, a1: int, b0: int, b1: int, length: int) -> list[tuple[int, int]]:
    """Return the longest rising chain of runs of `length` words that occur once on either side."""
    if a1 - a0 < length or b1 - b0 < length:
        return []
    if max(a1 - a0, b1 - b0) <= _FEW:
        pairs = _few_pairs(a, b, a0, a1, b0, b1, length)
    else:
        first, second = _hashes(np.array(a[a0:a1], dtype=np.uint64), length), _hashes(np.array(b[b0:b1], dtype=np.uint64), length)
        pairs = [(a0 + i, b0 + j) for i, j in _once_in_both(first, second)]
    pairs = [(i, j) for i, j in pairs if a[i : i + length] == b[j : j + length]]
    return _rising(pairs)


def _few_pairs(a: list[int], b: list[int], a0: int, a1: int, b0: int, b1: int, length: int) -> list[tuple[int, int]]:
    def once(codes: list[int], first: int, last: int) -> dict[tuple[int, ...], int]:
        found: dict[tuple[int, ...], int] = {}
        for n in range(first, last - length + 1):
            run = tuple(codes[n : n + length])
            found[run] = -1 if run in found else n
        return found

    mine, theirs = once(a, a0, a1), once(b, b0, b1)
    return sorted((n, theirs[run]) for run, n in mine.items() if n >= 0 and theirs.get(run, -1) >= 0)


def _hashes(codes: Hashes, length: int) -> Hashes:
    """Return a 64-bit hash of each run of `length` words, a power of two."""
    found = (codes + np.uint64(0x9E3779B97F4A7C15)) * np.uint64(0xBF58476D1CE4E5B9)
    found ^= found >> np.uint64(29)
    width, factor = 1, 0x94D049BB133111EB
    while width < length:
        found = found[:-width] * np.uint64(factor) + found[width:]
        found ^= found >> np.uint64(31)
        width, factor = width * 2, (factor * 0x94D049BB133111EB + 2) % 2**64
    return found


def _once_in_both(first: Hashes, second: Hashes) -> list[tuple[int, int]]:
    """Return the places of hashes that occur once in either column, in order of the first."""
    found = []
    for column in (first, second):
        value, place, count = np.unique(column, return_index=True, return_counts=True)
        found.append((value[count == 1], place[count == 1]))
    (one, its), (other, theirs) = found
    _, i, j = np.intersect1d(one, other, assume_unique=True, return_indices=True)
    here, there = its[i], theirs[j]
    order = np.argsort(here)
    return list(zip(here[order].tolist(), there[order].tolist(), strict=True))


def _rising(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest chain of pairs that rises on both sides; pairs come in order of the first."""
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for n, (_, j) in enumerate(pairs):
        at = bisect_left(ends, j)
        before.append(last[at - 1] if at else -1)
        if at == len(ends):
            ends.append(j)
            last.append(n)
        else:
            ends[at], last[at] = j, n
    found, n = [], last[-1] if last else -1
    while n >= 0:
        found.append(pairs[n])
        n = before[n]
    return found[::-1]


def _match_moved(a: list[int], b: list[int], to: list[int], back: list[int]) -> None:
    """Match runs that were left over, whatever their order, where they occur once in what is left of either text."""

    def left(codes: list[int], matched: list[int]) -> tuple[Numbers, Hashes]:
        free = np.array(matched, dtype=np.int64) == UNMATCHED
        if len(free) < _MOVED:
            return np.empty(0, np.int64), np.empty(0, np.uint64)
        taken = np.concatenate([[0], np.cumsum(~free)])
        places = np.flatnonzero(taken[_MOVED:] == taken[:-_MOVED])
        return places, _hashes(np.array(codes, dtype=np.uint64), _MOVED)[places]

    (mine, first), (theirs, second) = left(a, to), left(b, back)
    if not len(mine) or not len(theirs):
        return
    for n, m in _once_in_both(first, second):
        i, j = int(mine[n]), int(theirs[m])
        if to[i] != UNMATCHED or back[j] != UNMATCHED or a[i : i + _MOVED] != b[j : j + _MOVED]:
            continue
        while i and j and to[i - 1] == back[j - 1] == UNMATCHED and a[i - 1] == b[j - 1]:
            i, j = i - 1, j - 1
        while i < len(a) and j < len(b) and to[i] == back[j] == UNMATCHED and a[i] == b[j]:
            to[i], back[j] = j, i
            i, j = i + 1, j + 1
