"""Searching bytes for words in every encoding in which a store or its files may hold them: UTF-8 whatever the case, UTF-16, JSON escapes, base64.

The module can be run by path as a process of its own that searches files: a process that has a SQLite store open must not
open and close its files otherwise, because that gives up every lock it holds on them. It imports nothing of the store. It
reads one line of JSON from standard input, because words must not stand among the arguments of a process, and writes one.
"""

from __future__ import annotations

import base64
import bisect
import json
import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

#: Bytes looked at together.
CHUNK = 8_000_000
#: A pattern shorter than this is found everywhere by chance and is not looked for.
_SHORTEST = 5
#: Up to so many patterns are looked for one after the other; more by their rarest four bytes, all at once.
_FEW = 12
_BASE64 = re.compile(rb"[A-Za-z0-9+/_-]*")
_STANDARD, _ADDRESS = bytes.maketrans(b"-_", b"+/"), bytes.maketrans(b"+/", b"-_")
_LOWER = bytes.maketrans(bytes(range(65, 91)), bytes(range(97, 123)))
_BITS, _BYTES_AT_ONCE = 22, 1 << 20


@dataclass(frozen=True, slots=True)
class Pattern:
    """How a word may stand in bytes.

    Attributes:
        word: its place among the words; `folded`: it is compared without regard to the case of ASCII letters.
        encoding: `text`, `utf-16-le`, `utf-16-be` or `base64`; `shift`: how many bytes stood before it in its group of three.
    """

    word: int
    needle: bytes
    encoding: str
    folded: bool
    shift: int = 0


def patterns_of(words: Sequence[str]) -> list[Pattern]:
    """Return every way in which words may stand in bytes, the longest of equal ones once."""
    found: dict[tuple[bytes, bool], Pattern] = {}

    def note(place: int, needle: bytes, encoding: str, folded: bool, shift: int = 0) -> None:
        if len(needle) >= _SHORTEST and (needle, folded) not in found:
            found[needle, folded] = Pattern(place, needle, encoding, folded, shift)

    for place, word in enumerate(words):
        for spelling in _spellings(word):
            for written in dict.fromkeys((spelling, json.dumps(spelling, ensure_ascii=False)[1:-1], json.dumps(spelling)[1:-1])):
                note(place, written.encode("utf-8").translate(_LOWER), "text", True)
            for encoding in ("utf-16-le", "utf-16-be"):
                note(place, spelling.encode(encoding).translate(_LOWER), encoding, True)
            for shift in range(3):
                for needle in _in_base64(spelling.encode("utf-8"), shift):
                    note(place, needle, "base64", False, shift)
    return list(found.values())


def _spellings(word: str) -> list[str]:
    forms = dict.fromkeys((word, unicodedata.normalize("NFC", word), unicodedata.normalize("NFD", word)))
    return list(dict.fromkeys(spelling for one in forms for spelling in (one, one.lower(), one.upper(), one.casefold(), one.title(), one.capitalize())))


def _in_base64(raw: bytes, shift: int) -> set[bytes]:
    """Return the characters that are the same whatever stands before and after, in both alphabets."""
    encoded = base64.b64encode(b"\0" * shift + raw)
    sure = encoded[(8 * shift + 5) // 6 : 8 * (shift + len(raw)) // 6]
    return {sure, sure.translate(_ADDRESS)}


@dataclass(slots=True)
class Search:
    """Looking for many words in streams of bytes.

    Attributes:
        whole: a word counts only where it stands by itself, not as part of a longer name.
        rows: how the stream is divided, where it is a file of SQLite; what begins in one value and ends in the next is no word.
        counts: (word, encoding) -> how often it was found since the last `take`; `parts`: words that were found as parts of longer names.
    """

    words: Sequence[str]
    whole: bool = False
    counts: dict[tuple[int, str], int] = field(default_factory=dict)
    parts: set[int] = field(default_factory=set)
    rows: Rows | None = None
    _patterns: list[Pattern] = field(default_factory=list)
    _by_case: dict[bool, list[Pattern]] = field(default_factory=dict)
    _quick: dict[bool, _Quick] = field(default_factory=dict)
    _longest: int = 1

    def __post_init__(self) -> None:
        self._patterns = patterns_of(self.words)
        self._by_case = {folded: [pattern for pattern in self._patterns if pattern.folded is folded] for folded in (True, False)}
        self._longest = max((len(pattern.needle) for pattern in self._patterns), default=1)

    @property
    def searched(self) -> set[int]:
        """Return which words are long enough to be looked for at all."""
        return {pattern.word for pattern in self._patterns}

    def look_in(self, stream: Iterable[bytes]) -> int:
        """Look through a stream of bytes, whatever its pieces, and return how many bytes it had."""
        keep, size = self._longest + 8, 0
        rest, begin = b"", 0
        for piece in _pieces(stream):
            before = size - len(rest)
            size += len(piece)
            whole = rest + piece
            self._look(whole, begin, len(whole) - keep, before)
            cut = max(len(whole) - 2 * keep, 0)
            # Everything that begins before `len - keep` has been counted; a little more is kept for looking at what stands before.
            begin = max(len(whole) - keep, begin) - cut
            rest = whole[cut:]
        self._look(rest, begin, len(rest), size - len(rest))
        return size

    def take(self) -> dict[tuple[int, str], int]:
        """Return what was found since last asked, and count anew."""
        found, self.counts = self.counts, {}
        return found

    def _look(self, chunk: bytes, begin: int, end: int, before: int) -> None:
        """Count what begins in a chunk from `begin` up to, not including, `end`; `before` it the stream had so many bytes."""
        if end <= begin:
            return
        for folded, text in ((True, chunk.translate(_LOWER)), (False, chunk)):
            if len(mine := self._by_case[folded]) <= _FEW:
                hits: Iterable[tuple[Pattern, int]] = ((pattern, at) for pattern in mine for at in _every(text, pattern.needle, begin, end))
            else:
                if folded not in self._quick:
                    self._quick[folded] = _Quick(mine, text)
                hits = self._quick[folded].hits(text, begin, end)
            for pattern, at in hits:
                if self.rows is not None and self.rows.parted(before + at, before + at + len(pattern.needle)):
                    continue
                if not self.whole or _stands_alone(chunk, at, pattern):
                    key = (pattern.word, pattern.encoding)
                    self.counts[key] = self.counts.get(key, 0) + 1
                else:
                    self.parts.add(pattern.word)


def _pieces(stream: Iterable[bytes]) -> Iterator[bytes]:
    """Gather small pieces of a stream into large ones."""
    waiting: list[bytes] = []
    size = 0
    for piece in stream:
        waiting.append(bytes(piece))
        size += len(piece)
        if size >= CHUNK:
            yield b"".join(waiting)
            waiting, size = [], 0
    yield b"".join(waiting)


def _every(text: bytes, needle: bytes, begin: int, end: int) -> Iterator[int]:
    at = text.find(needle, begin)
    while 0 <= at < end:
        yield at
        at = text.find(needle, at + 1)


class _Quick:
    """Many patterns at once: each is known by its eight bytes that are rarest in a sample, or by four where it is shorter."""

    def __init__(self, patterns: Sequence[Pattern], sample: bytes) -> None:
        self._by_hash: dict[int, dict[int, list[tuple[int, Pattern]]]] = {}
        self._tables: dict[int, np.ndarray[tuple[int], np.dtype[np.bool_]]] = {}
        for width in (8, 4):
            mine = [pattern for pattern in patterns if (len(pattern.needle) >= 8) is (width == 8)]
            if not mine:
                continue
            seen = np.bincount(_hashes(sample[:_BYTES_AT_ONCE], width), minlength=1 << _BITS)
            by_hash, self._tables[width] = self._by_hash.setdefault(width, {}), np.zeros(1 << _BITS, dtype=bool)
            for pattern, (at, mark) in zip(mine, _rarest([pattern.needle for pattern in mine], width, seen), strict=True):
                by_hash.setdefault(mark, []).append((at, pattern))
                self._tables[width][mark] = True

    def hits(self, text: bytes, begin: int, end: int) -> Iterator[tuple[Pattern, int]]:
        """Yield what begins in a text from `begin` up to, not including, `end`, and where."""
        for start in range(0, len(text), _BYTES_AT_ONCE):
            for width, table in self._tables.items():
                marks = _hashes(text[start : start + _BYTES_AT_ONCE + width - 1], width)
                for place in np.flatnonzero(table[marks]).tolist():
                    for offset, pattern in self._by_hash[width].get(int(marks[place]), ()):
                        at = start + place - offset
                        if begin <= at < end and text.startswith(pattern.needle, at):
                            yield pattern, at


def _rarest(needles: Sequence[bytes], width: int, seen: np.ndarray[tuple[int], np.dtype[np.int64]]) -> list[tuple[int, int]]:
    """Return where in each needle its rarest bytes are, the first of equal ones, and their number: least by how often, then where."""
    sizes, marks = np.array([len(needle) for needle in needles], dtype=np.int64), _hashes(b"".join(needles), width)
    first = np.cumsum(sizes) - sizes
    rank = seen[marks].astype(np.int64) * (len(marks) + 1) + np.arange(len(marks))
    edges = np.column_stack([first, first + sizes - width + 1])
    least = np.minimum.reduceat(np.append(rank, np.iinfo(np.int64).max), edges.ravel())[::2]
    return list(zip((least % (len(marks) + 1) - first).tolist(), marks[least % (len(marks) + 1)].tolist(), strict=True))


def _hashes(text: bytes, width: int) -> np.ndarray[tuple[int], np.dtype[np.uint32]]:
    """Return a number for every four or eight bytes that follow each other."""
    raw = np.frombuffer(text, dtype=np.uint8).astype(np.uint32)
    if len(raw) < width:
        return np.empty(0, dtype=np.uint32)
    found: np.ndarray[tuple[int], np.dtype[np.uint32]] = raw[:-3] | raw[1:-2] << np.uint32(8) | raw[2:-1] << np.uint32(16) | raw[3:] << np.uint32(24)
    if width == 8:
        found = found[:-4] * np.uint32(2246822519) ^ found[4:]
    return (found * np.uint32(2654435761)) >> np.uint32(32 - _BITS)


def _stands_alone(chunk: bytes, at: int, pattern: Pattern) -> bool:
    """Return whether what was found is no part of a longer name; only letters, digits, `_` and `-` of ASCII join."""
    size = len(pattern.needle)
    if pattern.encoding == "base64":
        return _alone_in_base64(chunk, at, pattern)
    step = 1 if pattern.encoding == "text" else 2
    first, last = (0, 0) if pattern.encoding != "utf-16-be" else (1, 1)
    before = chunk[at - step + first] if at >= step else 32
    after = chunk[at + size + last] if at + size + last < len(chunk) else 32
    return not (_joins(before) and _joins(chunk[at + first])) and not (_joins(after) and _joins(chunk[at + size - step + last]))


def _alone_in_base64(chunk: bytes, at: int, pattern: Pattern) -> bool:
    """Return the same of what stands in base64, by reading the characters around it."""
    shown, end = (8 * pattern.shift + 5) // 6, at + len(pattern.needle)
    start = at - shown
    if start < 0 or not _BASE64.fullmatch(chunk[start:end]):
        return True
    before = _BASE64.fullmatch(chunk[start - 4 : start]) if start >= 4 else None
    after = _BASE64.match(chunk[end : end + 8])
    raw = (before[0] if before else b"") + chunk[start:end] + (after[0] if after else b"")
    text = base64.b64decode(raw.translate(_STANDARD) + b"A" * (-len(raw) % 4))
    begin = pattern.shift + (3 if before else 0)
    length = -(-6 * (len(pattern.needle) + shown) // 8) - pattern.shift
    # A character that was cut is read as nothing.
    return not (begin and _joins(text[begin - 1])) and not (begin + length < len(raw) * 6 // 8 and _joins(text[begin + length]))


def _joins(byte: int) -> bool:
    return 48 <= byte <= 57 or 65 <= byte <= 90 or 97 <= byte <= 122 or byte in (45, 95)


def read_file(path: Path) -> Iterator[bytes]:
    """Yield the bytes of a file."""
    with path.open("rb") as file:
        while piece := file.read(CHUNK):
            yield piece


#: Bytes of a whole number or of a real one in a row of a SQLite file, by its code there.
_SIZES = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8, 7: 8}
_MOST_PAGES = 256


class Rows:
    """Where in a SQLite file, or in its write-ahead log, one value ends and the next begins: in the file they stand without anything between.

    What lies in no row, as what an erased one left behind, is not divided.
    """

    def __init__(self, path: Path, page_size: int, reserved: int, *, log: bool) -> None:
        self._path, self._size, self._usable, self._log = path, page_size, page_size - reserved, log
        self._pages: dict[int, list[tuple[int, int, bool]]] = {}

    @classmethod
    def of(cls, path: Path) -> Rows | None:
        """Return the rows of a file; None where it is no file of SQLite."""
        with path.open("rb") as file:
            head = file.read(100)
        if head.startswith(b"SQLite format 3\0") and len(head) == 100:
            size = int.from_bytes(head[16:18], "big")
            return cls(path, 65536 if size == 1 else size, head[20], log=False)
        if head[:4] in (b"\x37\x7f\x06\x82", b"\x37\x7f\x06\x83"):
            return cls(path, int.from_bytes(head[8:12], "big"), 0, log=True)
        return None

    def parted(self, at: int, end: int) -> bool:
        """Return whether what stands from `at` to `end` is in a row and within no text or bytes of it."""
        first, step = (32 + 24, self._size + 24) if self._log else (0, self._size)
        number, inside = divmod(at - first, step)
        if at < first or inside >= self._size:
            return False
        if number not in self._pages:
            if len(self._pages) >= _MOST_PAGES:
                self._pages.clear()
            self._pages[number] = self._values(first + number * step)
        values = self._pages[number]
        place = bisect.bisect_right(values, (inside, self._size + 1, True)) - 1
        if place < 0 or inside >= values[place][1]:
            return False
        _, stop, text = values[place]
        return not text or inside + (end - at) > stop

    def _values(self, at: int) -> list[tuple[int, int, bool]]:
        """Return begin and end of every value on a page, and whether it is a text or bytes; heads of rows count as values."""
        with self._path.open("rb") as file:
            file.seek(at - 24 if self._log else at)
            frame = file.read(24) if self._log else b""
            page = file.read(self._size)
        start = 100 if (frame[:4] == b"\0\0\0\1" if self._log else at == 0) else 0
        found: list[tuple[int, int, bool]] = []
        if len(page) < self._size or page[start] not in (2, 10, 13):
            return found
        kind, cells = page[start], int.from_bytes(page[start + 3 : start + 5], "big")
        pointers = start + (12 if kind == 2 else 8)
        for n in range(cells):
            cell = int.from_bytes(page[pointers + 2 * n : pointers + 2 * n + 2], "big")
            try:
                found += self._values_of(page, cell, kind)
            except IndexError:
                continue  # no row after all
        return sorted(found)

    def _values_of(self, page: bytes, cell: int, kind: int) -> list[tuple[int, int, bool]]:
        size, at = _varint(page, cell + (4 if kind == 2 else 0))
        if kind == 13:
            _, at = _varint(page, at)
        most = self._usable - 35 if kind == 13 else (self._usable - 12) * 64 // 255 - 23
        least = (self._usable - 12) * 32 // 255 - 23
        if size > most:  # the rest stands on other pages
            here = least + (size - least) % (self._usable - 4)
            size = here if here <= most else least
        head, place = _varint(page, at)
        stop, value = at + size, at + head
        found = [(cell, min(value, stop), False)]
        while place < at + head and value < stop:
            code, place = _varint(page, place)
            length = (code - 12) // 2 if code >= 12 else _SIZES.get(code, 0)
            if length:
                found.append((value, min(value + length, stop), code >= 12))
            value += length
        return found


class Items(Rows):
    """The same of a file of a table or a B-tree of PostgreSQL: there the length of a short text is one byte, which often is a letter.

    Args:
        index: it is a B-tree.
        columns: the length of each column, -1 for what says its own and -2 for what ends with a zero, and where it is aligned.
    """

    def __init__(self, path: Path, page_size: int, *, index: bool, columns: Sequence[Sequence[int]]) -> None:
        super().__init__(path, page_size, 0, log=False)
        self._index, self._columns = index, columns

    def _values(self, at: int) -> list[tuple[int, int, bool]]:
        with self._path.open("rb") as file:
            file.seek(at)
            page = file.read(self._size)
        found: list[tuple[int, int, bool]] = []
        for place in range(24, min(_number(page, 12, 2), len(page)), 4):
            item = _number(page, place, 4)
            if item >> 15 & 3 == 1:
                with suppress(IndexError):  # no row after all
                    found += self._values_between(page, item & 0x7FFF, (item & 0x7FFF) + (item >> 17))
        return sorted(found)

    def _values_between(self, page: bytes, begin: int, stop: int) -> list[tuple[int, int, bool]]:
        columns = self._columns
        if self._index:
            info, told = _number(page, begin + 6, 2), _number(page, begin + 4, 2)
            at, nulls = (begin + 16, begin + 8) if info & 0x8000 else (begin + 8, 0)
            if info & 0x2000 and told & 0x2000:  # many rows of one key
                stop = begin + (_number(page, begin, 2) << 16 | _number(page, begin + 2, 2))
            elif info & 0x2000:  # a bound between pages, cut where it may be
                columns = columns[: told & 0xFFF]
        else:
            at, nulls = begin + page[begin + 22], begin + 23 if page[begin + 20] & 1 else 0
            columns = columns[: _number(page, begin + 18, 2) & 0x7FF]
        found = [(begin, at, False)]
        for n, (length, align) in enumerate(columns):
            if nulls and not page[nulls + n // 8] >> n % 8 & 1:
                continue
            if length != -1 or page[at] == 0:
                at += -at % align
            if at >= stop:
                break
            size, head = length, 0
            if length == -2:
                size = page.find(b"\0", at, stop) + 1 - at
            elif length == -1:
                size, head = (18, 18) if page[at] == 1 else (page[at] >> 1, 1) if page[at] & 1 else (_number(page, at, 4) >> 2, 4)
            if size < max(head, 1):
                break
            found += [(at, at + head, False), (at + head, min(at + size, stop), length in (-1, -2, 64))]
            at += size
        return [one for one in found if one[0] < one[1]]


def _number(page: bytes, at: int, size: int) -> int:
    return int.from_bytes(page[at : at + size], "little")


def _varint(page: bytes, at: int) -> tuple[int, int]:
    """Return a whole number as SQLite writes it, and where what follows begins."""
    found = 0
    for n in range(9):
        byte = page[at + n]
        if n == 8:
            return found << 8 | byte, at + 9
        found = found << 7 | byte & 127
        if byte < 128:
            return found, at + n + 1
    raise AssertionError


def search_files(
    words: Sequence[str], files: Iterable[str], *, whole: bool, alone: Sequence[str] = (), items: Mapping[str, tuple[int, bool, Sequence[Sequence[int]]]] | None = None
) -> dict[str, Any]:
    """Return `{"found": [[file, word, encoding, count]], "bytes", "unread": [file]}`; a file that is gone by now held nothing.

    Args:
        alone: the files in which a word counts only where it stands by itself, because they are full of digests.
        items: file of PostgreSQL -> size of its pages, whether it is an index, and its columns.
    """
    search, size = Search(words, whole), 0
    found, unread = list[list[Any]](), list[str]()
    for file in files:
        try:
            size_of_page, index, columns = (items or {}).get(file, (0, False, ()))
            search.rows = Items(Path(file), size_of_page, index=index, columns=columns) if size_of_page else Rows.of(Path(file))
            search.whole = whole or file in alone
            size += search.look_in(read_file(Path(file)))
        except FileNotFoundError:
            search.take()
            continue
        except OSError:
            unread.append(file)
        found.extend([file, word, encoding, count] for (word, encoding), count in sorted(search.take().items()))
    return {"found": found, "bytes": size, "unread": unread}


if __name__ == "__main__":
    asked = json.loads(sys.stdin.readline())
    sys.stdout.write(json.dumps(search_files(asked["words"], asked["files"], whole=asked["whole"], alone=asked["alone"], items=asked["items"])))
