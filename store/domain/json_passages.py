"""What became of a value at a JSON pointer in the next edition of a document: found again by what its list's elements are, not by their number."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import Any

from store.domain.recapture import Fate
from store.domain.spans import resolve_pointer
from store.domain.text import canonical_json

#: Fields that name an element of a list, the likeliest first.
_NAMES = ("id", "key", "code", "isin", "symbol", "name", "title", "as_of", "period", "date", "year")
_LONG = 400


class JsonSorter:
    """Sorts the values of one document against another; what became of a list's elements is worked out once."""

    def __init__(self, old: Any, new: Any) -> None:
        self.old, self.new = old, new
        self._matched: dict[tuple[tuple[str, ...], tuple[str, ...]], dict[int, int]] = {}

    def sort(self, pointer: str) -> tuple[Fate, str | None, float]:
        """Return what became of the value at a pointer, the pointer to it or to what is proposed, and how alike the values are.

        Raises:
            KeyError: nothing is there in the old document.
        """
        before = resolve_pointer(self.old, pointer)
        there = self._follow(pointer)
        if there is None:
            return Fate.GONE, None, 0.0
        after = resolve_pointer(self.new, there)
        first, then = canonical_json(before), canonical_json(after)
        if first == then:
            return (Fate.UNCHANGED if there == pointer else Fate.MOVED), there, 1.0
        if isinstance(before, str) and isinstance(after, str) and before.split() == after.split():
            return Fate.COSMETIC, there, 1.0
        return Fate.CHANGED, there, round(SequenceMatcher(None, first[:_LONG], then[:_LONG], autojunk=False).ratio(), 3)

    def _follow(self, pointer: str) -> str | None:
        old, new = self.old, self.new
        path: tuple[str, ...] = ()
        there: tuple[str, ...] = ()
        for part in pointer.split("/")[1:]:
            name = part.replace("~1", "/").replace("~0", "~")
            if isinstance(old, dict):
                if not isinstance(new, dict) or name not in new:
                    return None
                old, new, found = old[name], new[name], part
            else:
                if not isinstance(new, list):
                    return None
                place = self._elements(path, there, old, new).get(int(name))
                if place is None:
                    return None
                old, new, found = old[int(name)], new[place], str(place)
            path, there = (*path, part), (*there, found)
        return "".join(f"/{part}" for part in there)

    def _elements(self, path: tuple[str, ...], there: tuple[str, ...], old: list[Any], new: list[Any]) -> dict[int, int]:
        if (path, there) not in self._matched:
            self._matched[path, there] = match_elements(old, new)
        return self._matched[path, there]


def match_elements(old: list[Any], new: list[Any]) -> dict[int, int]:
    """Return which element of a list became which: equal ones, then those of one name, then those that kept their number and most of their content."""
    found: dict[int, int] = {}
    named = _named(old, new)
    if named is not None:
        mine, theirs = named
        found = {n: theirs[name] for name, n in mine.items() if name in theirs}
    else:
        first, then = (_by_text(elements) for elements in (old, new))
        for text, places in first.items():
            if len(places) == len(then.get(text, ())):
                found.update(zip(places, then[text], strict=True))
    taken = set(found.values())
    if len(old) == len(new):
        for n, (before, after) in enumerate(zip(old, new, strict=True)):
            if n not in found and n not in taken and (named is None or not isinstance(before, dict)) and _alike(before, after):
                found[n] = n
    return found


def _by_text(elements: list[Any]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for n, element in enumerate(elements):
        found.setdefault(canonical_json(element), []).append(n)
    return found


def _named(old: list[Any], new: list[Any]) -> tuple[dict[str, int], dict[str, int]] | None:
    """Return name -> number for both lists, by the first field that names every element of both; None where there is none."""
    if not old or not new or not all(isinstance(element, dict) for element in (*old, *new)):
        return None
    for field in _NAMES:
        pair = []
        for elements in (old, new):
            values = [element.get(field) for element in elements]
            if any(value is None or isinstance(value, dict | list) for value in values):
                break
            names = {canonical_json(value): n for n, value in enumerate(values)}
            if len(names) < len(values):
                break
            pair.append(names)
        if len(pair) == 2:
            return pair[0], pair[1]
    return None


def _alike(before: Any, after: Any) -> bool:
    """Return whether two elements that have the same number are one that changed: of one kind, and half of its fields the same."""
    if isinstance(before, dict) and isinstance(after, dict):
        same = sum(1 for name, value in before.items() if name in after and after[name] == value)
        return 2 * same >= max(len(before), len(after)) and same > 0
    return not isinstance(before, dict) and not isinstance(after, dict) and isinstance(before, list) == isinstance(after, list)
