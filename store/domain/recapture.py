"""What became of each passage of a source's version in its next one: unchanged, moved, cosmetic, changed or gone (R21).

A passage is looked for where the words around it went, then at other places where its quote stands. A long quote speaks
for itself; a short one counts only where the sentence or row leads up to it with the same words, because "30 days"
stands in many places. A place that is another passage's own is nobody else's. What is not found so is never carried
over; a similar place is proposed.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum

from store.domain.alignment import UNMATCHED, Alignment, align, count_words
from store.domain.errors import Code, Refusal

#: Words of two versions together that are compared at most; each takes some microseconds and a kilobyte.
MOST_WORDS = 3_000_000
#: A quote of this weight (letters and digits) speaks for itself; words around a shorter one must weigh at least `AROUND`.
OWN_WEIGHT = 20
#: The same for a quote that is a whole sentence or row.
WHOLE_WEIGHT = 10
AROUND = 8
#: How many words on either side count as the words around a passage.
_NEAR = 24
#: A similar place is proposed from this likeness on; without one a passage is gone.
LIKE = 0.4
_SIMILAR, _SAME_SENTENCE = 0.3, 0.6
#: What ends a sentence, where white space follows.
_STOPS = frozenset(".!?;。！？；")
#: A quote that stands in more places than this is looked for near its old place, and where a word beside it is the same.
_MOST, _FEW = 2000, 100
_LONG = 64


class Fate(StrEnum):
    """What became of a passage."""

    UNCHANGED = "unchanged"
    MOVED = "moved"
    COSMETIC = "cosmetic"
    CHANGED = "changed"
    GONE = "gone"


#: Those whose claims are carried over.
CARRIED = frozenset({Fate.UNCHANGED, Fate.MOVED, Fate.COSMETIC})
_WORST = list(Fate)


def worst(fates: Sequence[Fate]) -> Fate:
    """Return the worst of several fates, the one that decides about a claim."""
    return max(fates, key=_WORST.index)


@dataclass(frozen=True, slots=True)
class Found:
    """What became of one passage.

    Attributes:
        start, end: code points in the new text: where it stands, or for `changed` and `gone` the place that is proposed; None for none.
        score: how alike what stands there is, 0 to 1.
    """

    fate: Fate
    start: int | None = None
    end: int | None = None
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class _Place:
    """A place at which a quote stands in the new text, and what speaks for it.

    Attributes:
        word: its first word.
        around: the weight of the same words around it.
        led: what leads up to it in its sentence or row is the same; where nothing does, what follows in it.
        whole: all of its sentence or row is the same, and there is more of it than the quote.
        alone: the quote is all of its sentence or row.
        edge: the same words reach to the beginning or the end of both texts.
    """

    word: int
    around: int
    led: bool
    whole: bool
    alone: bool
    edge: bool

    @property
    def rank(self) -> tuple[bool, bool, int]:
        """Return what a better place has more of."""
        return self.whole, self.led, self.around

    def holds(self, weight: int) -> bool:
        """Return whether this is enough for a quote of that weight."""
        if weight >= (WHOLE_WEIGHT if self.alone else OWN_WEIGHT):
            return True
        return self.led and (self.whole or self.around >= AROUND or self.edge)


def _need_comparable(old: str, new: str) -> None:
    """Refuse texts of so many words that comparing them would take minutes and the memory of the machine; a word has at least one character."""
    if len(old) + len(new) > MOST_WORDS and (words := count_words(old) + count_words(new)) > MOST_WORDS:
        what = f"The two versions hold {words:,} words; at most {MOST_WORDS:,} together are compared."
        raise Refusal(Code.BAD_VALUE, f"{what} Nothing was changed. Capture the part that is needed as a source of its own.")


class Sorter:
    """Sorts the passages of one text against another; made once for both texts.

    Raises:
        Refusal: `bad_value`: they are too long to be compared.
    """

    def __init__(self, old: str, new: str) -> None:
        _need_comparable(old, new)
        self.before, self.after = old, new
        self.alignment: Alignment = align(old, new)

    def sort(self, start: int, end: int) -> Found:
        """Return what became of the passage [start, end) of the old text, in code points."""
        old = self.alignment.old
        first, last = old.covering(start, end)
        if first >= last:
            same = self.after[start:end] == self.before[start:end]
            return Found(Fate.UNCHANGED, start, end, 1.0) if same and end > start else Found(Fate.GONE)
        weight = old.weight_before[last] - old.weight_before[first]
        stays = self._counterpart(first, last)
        place = self._followed(first, last, weight)
        if place is not None and self._doubted(place, stays, first, last):
            place = None
        if place is None or not place.led:
            found = self._elsewhere(first, last, start, end, weight, stays)
            if found is not None and not self._doubted(found, stays, first, last) and (place is None or found.rank > place.rank):
                place = found
        if place is not None:
            return self._carried(place.word, first, last, start, end)
        return self._propose(first, last, stays)

    # --- where it went --------------------------------------------------------------------------------------------

    def _followed(self, first: int, last: int, weight: int) -> _Place | None:
        word = self.alignment.follows(first, last)
        if word is None:
            return None
        place = self._look_around(first, last, word)
        return place if place.holds(weight) else None

    def _look_around(self, first: int, last: int, word: int) -> _Place:
        """Return what the words around a passage say for a place."""
        old, new = self.alignment.old, self.alignment.new
        end = word + last - first
        left = right = 0
        while left < _NEAR and first - left > 0 and word - left > 0 and old.codes[first - left - 1] == new.codes[word - left - 1]:
            left += 1
        while right < _NEAR and last + right < len(old) and end + right < len(new) and old.codes[last + right] == new.codes[end + right]:
            right += 1
        weights = old.weight_before
        around = weights[first] - weights[first - left] + weights[last + right] - weights[last]
        edge = (first == left and word == left) or (last + right == len(old) and end + right == len(new))
        leads, follows = self._sentence(first, last)
        # Whether white space stands before the first word of a row says nothing about the row.
        if left == leads - 1 and word > left and old.codes[first - leads] >> 1 == new.codes[word - leads] >> 1:
            left += 1
        led = left >= leads if leads else right >= follows
        whole = left >= leads and right >= follows and leads + follows > 0
        return _Place(word, around, led, whole, leads + follows == 0, edge and left + right > 0)

    def _sentence(self, first: int, last: int) -> tuple[int, int]:
        """Return how many words of its sentence or row stand before and after a passage, as far as is looked."""
        old = self.alignment.old
        lines, leads, follows = old.lines, 0, 0
        while leads < _NEAR and first - leads > 0 and lines[first - leads - 1] == lines[first] and not self._ends(first - leads - 1):
            leads += 1
        while follows < _NEAR and last + follows < len(old) and lines[last + follows] == lines[last - 1] and not self._ends(last + follows - 1):
            follows += 1
        return leads, follows

    def _ends(self, word: int) -> bool:
        """Return whether a sentence of the old text ends with a word."""
        old = self.alignment.old
        if old.words[word] not in _STOPS:
            return False
        return old.words[word] > "\u2e7f" or word + 1 == len(old) or bool(old.codes[word + 1] & 1)

    def _elsewhere(self, first: int, last: int, start: int, end: int, weight: int, stays: tuple[int, int] | None) -> _Place | None:
        """Return the best other place at which the quote stands and that is no other passage's own."""
        expected = stays[0] if stays is not None else self._expected(first)
        best: tuple[tuple[bool, bool, int], int] | None = None
        found = None
        for word in self._occurrences(first, last, start, end, expected):
            if self._taken(word, first, last):
                continue
            place = self._look_around(first, last, word)
            if not place.holds(weight):
                continue
            rank = (place.rank, -abs(word - expected))
            if best is None or rank > best:
                best, found = rank, place
        return found

    def _expected(self, first: int) -> int:
        before = self.alignment.matched_before(first)
        return self.alignment.to[before] + first - before if before >= 0 else 0

    def _occurrences(self, first: int, last: int, start: int, end: int, expected: int) -> list[int]:
        """Return the words at which the folded quote begins in the new text, at most some thousand nearest the expected one."""
        old, new = self.alignment.old, self.alignment.new
        begins, stops = max(start - old.starts[first], 0), min(end - old.starts[last - 1], len(old.words[last - 1]))
        quote = old.folded[old.places[first] + begins : old.places[last - 1] + stops]
        whole = range(first + (begins > 0), last - (stops < len(old.words[last - 1])))
        if len(whole) > 0:
            rarest = min(whole, key=lambda n: len(new.occurrences.get(old.words[n], ())))
            places = new.occurrences.get(old.words[rarest], [])
            if len(places) > _MOST:
                middle = bisect_right(places, expected)
                places = places[max(middle - _MOST // 2, 0) : middle + _MOST // 2]
            last_word = len(new) - (last - first)
            words = [n for place in places if 0 <= (n := place - (rarest - first)) <= last_word]
            if len(words) > _FEW:
                words = self._beside(words, first, last, expected)
            return [n for n in words if new.folded.startswith(quote, new.places[n] + begins)]
        # Only part of one word or two: looked for as text.
        found: list[int] = []
        at = new.folded.find(quote)
        while at >= 0 and len(found) < _MOST:
            word = _word_at(new.places, at)
            if at - new.places[word] == begins:
                found.append(word)
            at = new.folded.find(quote, at + 1)
        return found

    def _beside(self, words: list[int], first: int, last: int, expected: int) -> list[int]:
        """Return, of many places, some nearest the expected one around which most words are the same."""
        old, new, size = self.alignment.old.codes, self.alignment.new.codes, last - first
        before, after = old[max(first - 4, 0) : first], old[last : last + 4]
        left, right = len(before), len(after)
        whole = {n for n in words if new[max(n - left, 0) : n] == before or new[n + size : n + size + right] == after}
        near = {n for n in words if (left and n and new[n - 1] == before[-1]) or (right and new[n + size : n + size + 1] == after[:1])}
        return sorted(near | whole, key=lambda n: (n not in whole, abs(n - expected)))[:_FEW]

    def _taken(self, word: int, first: int, last: int) -> bool:
        """Return whether a place is what another passage of the old text became."""
        mine = self.alignment.back[word : word + last - first]
        if UNMATCHED in mine or mine[0] == first:
            return False
        if mine != list(range(mine[0], mine[0] + len(mine))):
            return False
        owner = self._look_around(mine[0], mine[0] + len(mine), word)
        claimed = self._look_around(first, last, word)
        return owner.rank >= claimed.rank

    def _counterpart(self, first: int, last: int) -> tuple[int, int] | None:
        """Return the words of the new text between those that stood on either side of a passage; None where those parted."""
        to = self.alignment.to
        before, after = self.alignment.matched_before(first), self.alignment.matched_from(last)
        if first - before > _NEAR or after - last > _NEAR:
            return None
        begins = to[before] + 1 if before >= 0 else 0
        stops = to[after] if after < len(to) else len(self.alignment.new)
        if begins > stops or stops - begins > 4 * (after - before) + 2 * _NEAR:
            return None
        return begins, stops

    def _doubted(self, place: _Place, stays: tuple[int, int] | None, first: int, last: int) -> bool:
        """Return whether something much like the quote stands in its old place, and the quote itself in strange company elsewhere."""
        if stays is None or stays[0] >= stays[1] or (place.led and place.around >= AROUND) or place.whole or stays == (place.word, place.word + last - first):
            return False
        if place.word <= stays[0] < place.word + last - first:
            return False
        return self._likeness(first, last, *self._window(first, last, *stays)) >= _SAME_SENTENCE

    def _carried(self, word: int, first: int, last: int, start: int, end: int) -> Found:
        old, new = self.alignment.old, self.alignment.new
        final = word + last - first - 1
        begins = new.starts[word] + max(start - old.starts[first], 0)
        stops = new.starts[final] + min(end - old.starts[last - 1], len(old.words[last - 1]))
        lead, trail = self.before[start : old.starts[first]], self.before[old.ends[last - 1] : end]
        if lead and self.after[begins - len(lead) : begins] == lead:
            begins -= len(lead)
        if trail and self.after.startswith(trail, stops):
            stops += len(trail)
        if self.after[begins:stops] != self.before[start:end]:
            return Found(Fate.COSMETIC, begins, stops, 1.0)
        return Found(Fate.UNCHANGED if begins == start else Fate.MOVED, begins, stops, 1.0)

    # --- what is proposed -----------------------------------------------------------------------------------------

    def _propose(self, first: int, last: int, stays: tuple[int, int] | None) -> Found:
        """Return the most similar place, which nobody carries over without a person's word."""
        if stays is not None and stays[0] < stays[1] and self._says_something(first, last, *stays):
            window = self._beside_matched(first, last, *stays)
            return self._at(Fate.CHANGED, *window, self._likeness(first, last, *window))
        near = self._similar(first, last)
        if near is not None:
            score = self._likeness(first, last, *near)
            if score >= LIKE:
                return self._at(Fate.CHANGED, *near, score)
        return Found(Fate.GONE)

    def _says_something(self, first: int, last: int, begins: int, stops: int) -> bool:
        """Return whether letters or digits stand in a stretch of the new text: a lone full stop is not what became of a sentence."""
        mine, theirs = self.alignment.old.weight_before, self.alignment.new.weight_before
        return theirs[stops] > theirs[begins] or mine[last] == mine[first]

    def _at(self, fate: Fate, first: int, last: int, score: float) -> Found:
        new = self.alignment.new
        return Found(fate, new.starts[first], new.ends[last - 1], round(score, 3))

    def _beside_matched(self, first: int, last: int, begins: int, stops: int) -> tuple[int, int]:
        """Return the words that stand right after, or right before, the ones that stood beside the passage; else those most like it."""
        size = last - first
        if stops - begins > size + 2:
            if self.alignment.matched_before(first) == first - 1:
                window = begins, begins + size
                if self._common(first, last, *window) >= _SIMILAR:
                    return window
            if self.alignment.matched_from(last) == last:
                window = stops - size, stops
                if self._common(first, last, *window) >= _SIMILAR:
                    return window
        return self._window(first, last, begins, stops)

    def _window(self, first: int, last: int, begins: int, stops: int) -> tuple[int, int]:
        """Return the words of a stretch that are most like the passage."""
        size = last - first
        if stops - begins <= size + 2:
            return begins, stops
        step = max((stops - begins - size) // 8, 1)
        windows = [(n, n + size) for n in range(begins, stops - size + 1, step)]
        return max(windows, key=lambda window: self._common(first, last, *window))

    def _common(self, first: int, last: int, begins: int, stops: int) -> float:
        mine, theirs = (Counter(words) for words in (self.alignment.old.words[first:last], self.alignment.new.words[begins:stops]))
        total = mine.total() + theirs.total()
        return 2 * (mine & theirs).total() / total if total else 0.0

    def _likeness(self, first: int, last: int, begins: int, stops: int) -> float:
        old, new = self.alignment.old, self.alignment.new
        mine = old.folded[old.places[first] : old.places[last - 1] + len(old.words[last - 1])]
        theirs = new.folded[new.places[begins] : new.places[stops - 1] + len(new.words[stops - 1])]
        if max(len(mine), len(theirs)) <= _LONG:
            return SequenceMatcher(None, mine, theirs, autojunk=False).ratio()
        return self._common(first, last, begins, stops)

    def _similar(self, first: int, last: int) -> tuple[int, int] | None:
        """Return the stretch of the new text on which most of the rarer words of the passage agree."""
        old, new = self.alignment.old, self.alignment.new
        rare = sorted((len(places), n) for n in range(first, last) if (places := new.occurrences.get(old.words[n])) and old.weights[n])[:8]
        votes: Counter[int] = Counter()
        for count, n in rare:
            if count <= _LONG:
                votes.update((place - (n - first)) // 4 for place in new.occurrences[old.words[n]])
        if not votes:
            return None
        at = max(votes, key=lambda bucket: (votes[bucket] + votes[bucket + 1], -bucket)) * 4
        begins = min(max(at, 0), len(new) - 1)
        return begins, min(begins + last - first, len(new))


def _word_at(places: list[int], at: int) -> int:
    return max(bisect_right(places, at) - 1, 0)
