"""The text of a JSON document as lines, one value or bracket each, with the place of every line in it and the pointer to what stands there."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

import numpy as np

from store.domain.reach import Ints, Mask

_ESCAPED = re.compile(r"\\.", re.DOTALL)
_SPACE = " \t\n\r"
_QUOTE, _COMMA = ord('"'), ord(",")
_OPEN, _CLOSE = (ord("{"), ord("[")), (ord("}"), ord("]"))
_SIGNS = np.zeros(128, dtype=bool)
_SIGNS[[_QUOTE, _COMMA, *_OPEN, *_CLOSE]] = True
_read = json.JSONDecoder().raw_decode


@dataclass(frozen=True, slots=True)
class JsonLine:
    """A line [start, end) of a document.

    Attributes:
        value: where the value begins, after the name it has.
        depth: how many objects and lists it lies in; `pointer`: to the value, of a closing bracket to what it closes.
        closes: it is such a bracket.
    """

    start: int
    value: int
    end: int
    depth: int
    pointer: str
    closes: bool


class JsonLines:
    """Where the lines of a document begin. The text has to be JSON; ten megabytes take a part of a second."""

    def __init__(self, text: str) -> None:
        self.text = text
        places, signs = _structure(text)
        empty = _empty(text, places, signs)
        opens = np.isin(signs, _OPEN) & ~empty
        closes = np.isin(signs, _CLOSE)
        closes[1:] &= ~empty[:-1]
        begins = opens | closes | (signs == _COMMA)
        depth = np.cumsum(opens.astype(np.int32) - closes.astype(np.int32))
        # A line begins after an opening bracket or a comma, and with a closing bracket.
        self.begin: Ints = np.concatenate([[0], np.where(closes, places, places + 1)[begins]]).astype(np.int64)
        self.depth = np.concatenate([[0], depth[begins]]).astype(np.int32)
        self.closes: Mask = np.concatenate([[False], closes[begins]])
        self.opens: Mask = np.concatenate([opens[begins], [False]])
        self._children: dict[int, Ints] = {}
        self._names: dict[int, dict[str, int]] = {}

    def __len__(self) -> int:
        return len(self.begin)

    def line_at(self, position: int) -> int:
        """Return the line that holds a code point."""
        return max(0, int(np.searchsorted(self.begin, position, side="right")) - 1)

    def bounds(self, line: int) -> tuple[int, int]:
        """Return where the words of a line begin and end, white space around them left out."""
        start, end = int(self.begin[line]), int(self.begin[line + 1]) if line + 1 < len(self.begin) else len(self.text)
        while start < end and self.text[start] in _SPACE + "\ufeff":
            start += 1
        while end > start and self.text[end - 1] in _SPACE:
            end -= 1
        return start, end

    def _is_object(self, line: int) -> bool:
        """Return whether a line opens an object rather than a list."""
        return self.text[self.bounds(line)[1] - 1] == "{"

    def _name(self, line: int) -> tuple[str, int]:
        """Return the name at the beginning of a line, and where its value begins."""
        start, end = self.bounds(line)
        name, at = _read(self.text, start)
        at = self.text.index(":", at, end) + 1
        while at < end and self.text[at] in _SPACE:
            at += 1
        return name, at

    def _parent(self, line: int) -> int:
        """Return the line that opens what a line lies in; the one that opens it, of a line that closes."""
        wanted = self.depth[line] - (0 if self.closes[line] else 1)
        step, end = 256, line
        while end > 0:
            first = max(0, end - step)
            found = np.flatnonzero(self.depth[first:end] == wanted)
            if len(found):
                return first + int(found[-1])
            end, step = first, step * 4
        return 0

    def lines(self, first: int, count: int) -> list[JsonLine]:
        """Return some lines with their pointers."""
        found: list[JsonLine] = []
        # (pointer, whether an object, number of the element that comes next) of everything the next line lies in
        around = self._around(first)
        for line in range(first, min(first + count, len(self))):
            start, end = self.bounds(line)
            if self.closes[line]:
                pointer = around.pop()[0] if around else ""
                found.append(JsonLine(start, start, end, int(self.depth[line]), pointer, True))
                continue
            value = start
            if around:
                holder, is_object, number = around[-1]
                if is_object:
                    name, value = self._name(line)
                else:
                    name, around[-1] = str(number), (holder, False, number + 1)
                pointer = f"{holder}/{name.replace('~', '~0').replace('/', '~1')}"
            else:
                pointer = ""
            found.append(JsonLine(start, value, end, int(self.depth[line]), pointer, False))
            if self.opens[line]:
                around.append((pointer, self.text[end - 1] == "{", 0))
        return found

    def _around(self, line: int) -> list[tuple[str, bool, int]]:
        chain: list[tuple[int, int]] = []
        at, opener = line, self._parent(line) if self.depth[line] or self.closes[line] else -1
        while opener >= 0:
            chain.append((opener, at))
            at, opener = opener, self._parent(opener) if self.depth[opener] else -1
        found: list[tuple[str, bool, int]] = []
        pointer = ""
        for opener, child in reversed(chain):
            if found:
                pointer = f"{pointer}/{self._part(found[-1][1], opener, found[-1][2] - 1)}"
            is_object = self._is_object(opener)
            number = 0
            if not is_object:
                mine = (self.depth[opener + 1 : child] == self.depth[opener] + 1) & ~self.closes[opener + 1 : child]
                number = int(mine.sum()) + (0 if child == line else 1)
            found.append((pointer, is_object, number))
        return found

    def _part(self, is_object: bool, line: int, number: int) -> str:
        return self._name(line)[0].replace("~", "~0").replace("/", "~1") if is_object else str(number)

    # --- from a pointer to its place ----------------------------------------------------------------------------------

    def _children_of(self, line: int, bound: int) -> Ints:
        """Return the lines of what lies in an object or list, which ends before line `bound`."""
        if line not in self._children:
            mine = (self.depth[line + 1 : bound] == self.depth[line] + 1) & ~self.closes[line + 1 : bound]
            self._children[line] = np.flatnonzero(mine) + line + 1
        return self._children[line]

    def spot(self, pointer: str) -> tuple[int, int] | None:
        """Return where the value at a JSON pointer begins and ends in the text; None where nothing is."""
        line, bound = 0, len(self)
        value: int | None = self.bounds(0)[0]
        for part in pointer.split("/")[1:]:
            if not self.opens[line]:
                return None
            name = part.replace("~1", "/").replace("~0", "~")
            children = self._children_of(line, bound)
            is_object = self._is_object(line)
            if is_object:
                if line not in self._names:
                    self._names[line] = {self._name(int(child))[0]: n for n, child in enumerate(children)}
                place = self._names[line].get(name)
            else:
                place = int(name) if name.isascii() and name.isdigit() and int(name) < len(children) else None
            if place is None:
                return None
            bound = int(children[place + 1]) if place + 1 < len(children) else bound
            line = int(children[place])
            value = self._name(line)[1] if is_object else self.bounds(line)[0]
        assert value is not None
        if not self.opens[line]:
            end = self.bounds(line)[1]
            return value, self._before_comma(value, end)
        close = line + 1 + int(np.flatnonzero(self.depth[line + 1 : bound] == self.depth[line])[0])
        return value, self._before_comma(value, self.bounds(close)[1])

    def _before_comma(self, start: int, end: int) -> int:
        if end - 1 > start and self.text[end - 1] == ",":
            end -= 1
            while end > start and self.text[end - 1] in _SPACE:
                end -= 1
        return end


def _structure(text: str) -> tuple[Ints, Ints]:
    """Return where brackets and commas stand that are not inside a string, and which they are."""
    plain = _ESCAPED.sub("__", text) if "\\" in text else text
    letters = np.frombuffer(plain.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    places = np.flatnonzero(_SIGNS[np.minimum(letters, 127)] & (letters < 127)).astype(np.int64)
    signs = letters[places].astype(np.int64)
    quotes = signs == _QUOTE
    outside = (np.cumsum(quotes) % 2 == 0) & ~quotes
    return places[outside], signs[outside]


def _empty(text: str, places: Ints, signs: Ints) -> Mask:
    """Return which signs open something that holds nothing."""
    found = np.zeros(len(signs), dtype=bool)
    pairs = np.flatnonzero(np.isin(signs[:-1], _OPEN) & np.isin(signs[1:], _CLOSE))
    for n in pairs.tolist():
        found[n] = not text[int(places[n]) + 1 : int(places[n + 1])].strip(_SPACE)
    return found
