"""Finding which of many texts name something that is forgotten: by id or by words that say enough to be known again.

A word that is short or ordinary (`health`, `Lyon`, `42`) is not looked for: it would be found everywhere and prove nothing.
Who searches says how many were left out for that.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
_RUN = re.compile(rf"[{_CJK}]+|[^\W{_CJK}]+")
_IS_CJK = re.compile(rf"[{_CJK}]")
_ESCAPED = re.compile(r"\\(u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)", re.DOTALL)
_PLAIN = {"n": " ", "t": " ", "r": " ", "b": " ", "f": " "}
#: So often JSON is written within JSON.
_NESTED = 3
#: Letters that stand in a text as they stand in a word, whatever the case, the form and the escapes in which either is written: those of
#: ASCII without what carries a mark, and without pairs into which single letters fold (`ß`, ligatures).
_STEADY = re.compile(r"(?:(?![a-z0-9][\u0300-\u036f])[a-z0-9])+")
_PAIRS = re.compile("ss|ff|fi|fl|st")
_SPACE = re.compile(r"\s+")
_DATE = re.compile(r"\d{4}-\d\d(-\d\d)?([T ].*)?")
_NUMBER = re.compile(r"[-+]?[\d.,]+")
#: Fewest characters of a word that is looked for; fewer where a character is a word.
SHORTEST, SHORTEST_CJK = 6, 3
#: From this length on one ordinary word is telling enough.
LONG = 10
#: Pieces of a text that are looked for by themselves have at least so many characters.
_PIECE = 8
#: Lines of a captured text that are looked for have at least so many characters.
LINE = 24


def has_cjk(text: str) -> bool:
    """Return whether a text has a character of Chinese, Japanese or Korean, which says more than a letter does."""
    return _IS_CJK.search(text) is not None


def is_telling(word: str) -> bool:
    """Return whether a text says enough to be looked for: no date, no bare number, long, or made of several parts."""
    word = word.strip()
    if _IS_CJK.search(word):
        return len(_IS_CJK.findall(word)) >= SHORTEST_CJK
    if len(word) < SHORTEST or _DATE.fullmatch(word):
        return False
    if _NUMBER.fullmatch(word):
        return len(re.sub(r"\D", "", word)) >= _PIECE
    return len(word) >= LONG or not word.isalpha()


def pieces_of(text: str) -> set[str]:
    """Return the pieces of a text that are telling by themselves: the last part of a path or name, addresses, and codes of letters and digits."""
    found = set()
    for piece in re.split(r"[\s\"'(),;<>]+", text):
        for part in (piece, re.split(r"[:/]", piece)[-1]):
            code = any(ch.isdigit() for ch in part) and any(ch.isalpha() for ch in part)
            if len(part) >= _PIECE and (code or "@" in part) and not _DATE.fullmatch(part):
                found.add(part.strip("."))
    return found


#: Long words that any text may hold.
_ORDINARY = frozenset(
    ["according", "actually", "although", "altogether", "anything", "anywhere", "approximately", "available", "beginning", "believes", "building", "business", "carefully", "children", "companies", "company", "complete", "completely", "consider", "contains", "continue", "customer", "customers", "decision", "definitely", "department", "describe", "different", "difficult", "directly", "document", "documents", "each", "everybody", "everyone", "everything", "everywhere", "evidence", "example", "expected", "experience", "finished", "following", "generally", "happened", "happening", "immediately", "important", "included", "including", "information", "interest", "international", "involved", "knowledge", "language", "likewise", "management", "manager", "material", "meanwhile", "meetings", "minutes", "national", "necessary", "neither", "normally", "nothing", "otherwise", "particular", "perhaps", "personal", "position", "possible", "possibly", "prefers", "preferred", "previous", "probably", "problems", "products", "question", "questions", "received", "recently", "recorded", "regarding", "registered", "remember", "reported", "requested", "required", "requires", "response", "responsible", "separate", "services", "several", "similarly", "situation", "somebody", "somehow", "something", "sometimes", "somewhere", "standard", "statement", "supposed", "surprise", "thousand", "therefore", "throughout", "together", "tomorrow", "travelling", "understand", "unless", "usually", "whatever", "whenever", "wherever", "whether", "yesterday"]
)
#: Words of a sentence in Chinese between which names stand.
_BETWEEN = re.compile("[的了是在和与於于住说說有为為把被给給从從到对對都不没沒很就要会會可以她他它我你们們这這那]")
#: Fewest letters of a single word that is looked for: written with a capital letter, or not; fewest digits of a number.
_CAPITAL, _SMALL, _DIGITS = 4, 8, 6


def parts_of(text: str) -> set[str]:
    """Return the single words of a text that may tell of whom or what it speaks: names, long words, long numbers, codes.

    One of them may stand elsewhere by chance, so where it is found somebody has to look.
    """
    found: set[str] = set()
    for run in _RUN.findall(text):
        if _IS_CJK.match(run):
            found.update(piece for piece in _BETWEEN.split(run) if 2 <= len(piece) <= _PIECE)
        elif run.isdigit():
            found.update([run] if len(run) >= _DIGITS else [])
        elif any(ch.isdigit() for ch in run):
            found.update([run] if len(run) >= SHORTEST - 1 else [])
        elif len(run) >= (_CAPITAL if run[0].isupper() else _SMALL) and run.casefold() not in _ORDINARY:
            found.add(run)
    return found


def texts_in(value: Any) -> Iterator[str]:
    """Yield every text and number inside parsed JSON, keys of objects too."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            waiting.extend(item.values())
            yield from item
        elif isinstance(item, list):
            waiting.extend(item)
        elif isinstance(item, str):
            yield item
        elif item is not None and not isinstance(item, bool):
            yield json.dumps(item)


def _unescape(match: re.Match[str]) -> str:
    said = match[1]
    if len(said) == 11:
        return chr(0x10000 + ((int(said[1:5], 16) - 0xD800) << 10) + int(said[7:], 16) - 0xDC00)
    return chr(int(said[1:], 16)) if len(said) == 5 else _PLAIN.get(said, said)


def fold(text: str) -> str:
    """Return a text in one case, one form of its characters and with single spaces, so that it is found however it was written down."""
    # Folding may take a composed character apart, and composing needs what was folded.
    return unicodedata.normalize("NFC", _SPACE.sub(" ", unicodedata.normalize("NFC", text)).casefold())


def _readings(text: str) -> Iterator[str]:
    """Yield a text folded: as it stands, and as what JSON it may be says, within other JSON too."""
    yield fold(text)
    for _ in range(_NESTED):
        if "\\" not in text:
            return
        text = _ESCAPED.sub(_unescape, text)
        yield fold(text)


def _anchor(word: str) -> str | None:
    """Return the part of a folded word by which texts that may hold it are picked: its longest run, or its first two characters."""
    runs = _RUN.findall(word)
    plain = [run for run in runs if not _IS_CJK.match(run)]
    longest = max(plain, key=len, default="")
    if len(longest) >= 2:
        return longest
    double = next((run[:2] for run in runs if len(run) >= 2), None)
    return double or (longest or None)


def _steady(word: str) -> str | None:
    """Return the longest piece of a folded word that stands in every spelling of it, or its first two characters of Chinese."""
    longest = max((piece for part in _PAIRS.split(word) for piece in _STEADY.findall(part)), key=len, default="")
    if len(longest) >= 3:
        return longest
    return next((run[:2] for run in _RUN.findall(word) if _IS_CJK.match(run) and len(run) >= 2), None)


@dataclass(slots=True)
class Finder:
    """Many words at once, looked for in texts in time that does not depend on how many they are.

    Attributes:
        ids: found only where they stand alone; `texts`: found anywhere.
    """

    ids: frozenset[str]
    texts: frozenset[str]
    _by_anchor: dict[str, list[tuple[str, bool]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for words, alone in ((self.ids, True), (self.texts, False)):
            for word in words:
                folded = fold(word).strip()
                anchor = _anchor(folded)
                if anchor is not None:
                    self._by_anchor.setdefault(anchor, []).append((folded, alone))

    def __bool__(self) -> bool:
        return bool(self._by_anchor)

    @property
    def steady(self) -> frozenset[str] | None:
        """Return pieces of which every text that names something holds one, in small letters; None where there are none so telling."""
        pieces = [_steady(word) for words in self._by_anchor.values() for word, _ in words]
        return frozenset(piece for piece in pieces if piece) if all(pieces) else None

    def names(self, text: str | bytes | None) -> bool:
        """Return whether a text names one of the words."""
        if not text:
            return False
        for folded in _readings(text.decode("utf-8", "replace") if isinstance(text, bytes) else text):
            for anchor in _anchors_in(folded) & self._by_anchor.keys():
                if any(_stands(word, folded) if alone else word in folded for word, alone in self._by_anchor[anchor]):
                    return True
        return False

    def any_names(self, texts: Iterable[str | bytes | None]) -> bool:
        """Return whether any of some texts names one of the words."""
        return any(self.names(text) for text in texts)


def _anchors_in(folded: str) -> set[str]:
    found = set()
    for run in _RUN.findall(folded):
        found.add(run)
        if _IS_CJK.match(run):
            found.update(run[at : at + 2] for at in range(len(run) - 1))
    return found


def _stands(word: str, text: str) -> bool:
    """Return whether a word stands in a text by itself, and not as part of a longer name."""
    at = text.find(word)
    while at >= 0:
        end = at + len(word)
        if not (at and _joins(text[at - 1])) and not (end < len(text) and _joins(text[end])):
            return True
        at = text.find(word, at + 1)
    return False


def _joins(ch: str) -> bool:
    return ch.isalnum() or ch in "_-"
