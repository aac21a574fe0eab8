"""What in a record should perhaps not be kept: credentials, details of people, numbers that name them. It raises flags; people decide."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from store.domain.credentials import find_credentials, looks_secret, names_credential
from store.domain.identifiers import Found, find_identifiers
from store.domain.records import Artifact, Claim, Evidence, Record
from store.domain.watch_words import KINDS, WatchWords, find_words, kind_of_predicate, speaks_of_somebody

#: kind -> what it is called in a reason.
KIND_WORDS = {
    "credential": "a credential", "health": "somebody's health", "identity": "somebody's identity number", "financial": "somebody's money",
    "contact": "how somebody is reached", "belief": "somebody's belief or politics", "sexuality": "somebody's sexuality", "ethnicity": "somebody's origin",
    "criminal": "an offence", "biometric": "somebody's body data", "minor": "a minor", "other": "something this tenant watches for",
}  # fmt: skip
#: Longer texts are looked through up to here, in code points.
_LONGEST = 50_000
#: Texts of which it is remembered what they hold, while records are looked through.
_MOST_SEEN = 20_000
_SEPARATORS = re.compile(r"[:_/.-]")


@dataclass(frozen=True, slots=True)
class Flag:
    """Something that should perhaps not be kept.

    Attributes:
        kind: one of `KINDS`.
        field: where it stands: `value`, `statement`, `conditions`, `evidence/0/quote`, `value/name` inside a value with parts, `title`, `body`;
            `subject`, `scope`, `qualifiers/name` and the like for the names a record goes by; `value/` and `qualifiers/` alone for the names of parts.
        start, end: in code points of that field's text; of a value that is no text, 0 and 0.
        reason: why it is thought to be one; never what stands there.
    """

    kind: str
    field: str
    start: int
    end: int
    reason: str

    def to_json(self) -> dict[str, Any]:
        """Return the flag as the command line prints it."""
        return {"kind": self.kind, "field": self.field, "start": self.start, "end": self.end, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class _Text:
    """A text with wide characters folded and invisible ones left out; `at`: where each character stood, None where nothing moved."""

    plain: str
    lower: str
    at: tuple[int, ...] | None

    def span(self, start: int, end: int) -> tuple[int, int]:
        if self.at is None:
            return start, end
        return self.at[start], self.at[end - 1] + 1


def _fold(text: str) -> _Text:
    text = text[:_LONGEST]
    if text.isascii():
        return _Text(text, text.lower(), None)
    pieces, at = [], []
    for place, ch in enumerate(text):
        if ch < "\u0250":
            folded = ch
        elif unicodedata.category(ch) == "Cf":
            continue
        else:
            folded = unicodedata.normalize("NFKC", ch)
        pieces.append(folded)
        at += [place] * len(folded)
    plain = "".join(pieces)
    return _Text(plain, "".join(low if len(low := ch.lower()) == 1 else ch for ch in plain), tuple(at))


def _texts(name: str, value: Any) -> Iterator[tuple[str, str]]:
    """Yield the texts inside a value, each with where it stands and the name it stands under."""
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, list):
        for place, one in enumerate(value):
            yield from _texts(f"{name}/{place}", one)
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from _texts(f"{name}/{key}", one)


def texts_of(record: Record) -> Iterator[tuple[str, str]]:
    """Yield the texts of a record that are looked through, each with the field it stands in."""
    if isinstance(record, Claim):
        yield from _texts("value", record.value)
        for name in ("statement", "conditions"):
            if getattr(record, name):
                yield name, getattr(record, name)
        if record.qualifiers:
            yield from _texts("qualifiers", record.qualifiers)
        for place, binding in enumerate(record.evidence):
            if binding.quote:
                yield f"evidence/{place}/quote", binding.quote
    elif isinstance(record, Artifact):
        for name in ("title", "body"):
            if getattr(record, name):
                yield name, getattr(record, name)


#: Names a claim goes by and names of who said it: looked through for what is a credential or names somebody by itself, not for words.
_NAMES = ("subject", "predicate", "scope", "speaker", "confirmed_by", "authority", "source_uri")


def is_sensitive_name(name: str, words: WatchWords | None = None) -> bool:
    """Return whether a name holds a credential, or a number that names somebody by itself; how somebody is reached does not count.

    Args:
        words: what is watched for where the name stands; of those a tenant has of its own, credentials and whatever else it watches for count.
    """
    text = _fold(name)
    if any(True for _ in find_credentials(text.plain)) or any(kind != "contact" for _, _, kind, _ in find_identifiers(text.plain, about_person=False)):
        return True
    return words is not None and words.own and any(kind in ("credential", "other") for _, _, kind in find_words(words, text.lower))


def _names_of(record: Claim | Artifact) -> Iterator[tuple[str, str]]:
    """Yield what a record and its parts are called, each with the field it stands in."""
    if isinstance(record, Artifact):
        yield "scope", record.scope
        return
    for name in _NAMES:
        if getattr(record, name):
            yield name, getattr(record, name)
    for place, purpose in enumerate(record.purposes):
        yield f"purposes/{place}", purpose
    for name, value in (("qualifiers", record.qualifiers), ("value", record.value)):
        keys = sorted(set(_keys(value)))
        if keys:
            yield f"{name}/", "\n".join(keys)


def _keys(value: Any) -> Iterator[str]:
    """Yield the names of the parts of a value, at every depth."""
    if isinstance(value, list):
        for one in value:
            yield from _keys(one)
    elif isinstance(value, dict):
        for key, one in value.items():
            yield key
            yield from _keys(one)


class SeenTexts:
    """What texts were found to hold, for as long as many records are looked through: names, and quotes, stand in many of them."""

    def __init__(self) -> None:
        self._credentials: dict[str, tuple[tuple[int, int, str], ...]] = {}
        self._identifiers: dict[tuple[str, bool], tuple[Found, ...]] = {}

    def credentials(self, text: str) -> tuple[tuple[int, int, str], ...]:
        """Return what `find_credentials` yields."""
        if text not in self._credentials:
            _make_room(self._credentials)
            self._credentials[text] = tuple(find_credentials(text))
        return self._credentials[text]

    def identifiers(self, text: str, *, about_person: bool) -> tuple[Found, ...]:
        """Return what `find_identifiers` yields."""
        if (text, about_person) not in self._identifiers:
            _make_room(self._identifiers)
            self._identifiers[text, about_person] = tuple(find_identifiers(text, about_person=about_person))
        return self._identifiers[text, about_person]


def _make_room(known: dict[Any, Any]) -> None:
    if len(known) >= _MOST_SEEN:
        known.clear()


def find_sensitive(record: Record, words: WatchWords, *, about_person: bool = False, seen: SeenTexts | None = None) -> tuple[Flag, ...]:
    """Return what in a record should perhaps not be kept, first by kind, then by place; each stretch once.

    Args:
        about_person: its predicate is declared to be about a person; a subject `person:…` is seen here.
        seen: texts that were looked into just now.
    """
    seen = seen or SeenTexts()
    if isinstance(record, Evidence):
        return ()
    texts = [(field, _fold(text)) for field, text in texts_of(record)]
    person = about_person or (isinstance(record, Claim) and record.subject.startswith("person:"))
    named = person or (isinstance(record, Claim) and speaks_of_somebody(_SEPARATORS.sub(" ", record.subject)))
    found: dict[tuple[str, str], list[tuple[int, int, str]]] = {}

    def note(kind: str, field: str, span: tuple[int, int], reason: str) -> None:
        kept = found.setdefault((kind, field), [])
        if not any(start < span[1] and span[0] < end for start, end, _ in kept):
            kept.append((*span, reason))

    if isinstance(record, Claim):
        for kind, field, span, reason in _by_name(record, words, person):
            note(kind, field, span, reason)
    for field, text in texts:
        for start, end, what in seen.credentials(text.plain):
            note("credential", field, text.span(start, end), f"It looks like {what}.")
        # A passage is what its source says; of people in general it speaks often, so there only what is kept about somebody counts.
        quoted = field.startswith("evidence/") and not person
        for start, end, kind, what in seen.identifiers(text.plain, about_person=person):
            span = text.span(start, end)
            inside = any(begin < span[1] and span[0] < finish for begin, finish, _ in found.get(("credential", field), ()))
            if not inside and not (quoted and kind == "contact"):
                note(kind, field, span, f"It looks like {what}.")
        if quoted and not words.own:
            continue
        for start, end, kind in find_words(words, text.lower):
            if kind in ("credential", "other") or (not quoted and (named or speaks_of_somebody(text.lower, start, end))):
                note(kind, field, text.span(start, end), f"It has a word of the list about {KIND_WORDS[kind]}.")
    for field, name in _names_of(record):
        text = _fold(name)
        for start, end, what in seen.credentials(text.plain):
            note("credential", field, text.span(start, end), f"It looks like {what}.")
        for start, end, kind, what in seen.identifiers(text.plain, about_person=False):
            if ("credential", field) not in found:
                note(kind, field, text.span(start, end), f"It looks like {what}.")
        for start, end, kind in find_words(words, text.lower) if words.own else ():
            if kind in ("credential", "other"):
                note(kind, field, text.span(start, end), f"It has a word of the list about {KIND_WORDS[kind]}.")
    return tuple(Flag(kind, field, *one) for kind in KINDS for (its, field), some in found.items() if its == kind for one in sorted(some))


def _by_name(record: Claim, words: WatchWords, person: bool) -> Iterator[tuple[str, str, tuple[int, int], str]]:
    """Yield what the names of things say: the predicate of a claim, the keys of a value with parts."""
    name = record.predicate.rsplit("/", 1)[-1]
    texts = [(field, text) for field, text in _texts("value", record.value) if text.strip()]
    if person and record.value not in (None, False, "", [], {}):
        kind = kind_of_predicate(words, name)
        if kind is not None:
            reason = f"Its predicate says it is about {KIND_WORDS[kind]}."
            for field, text in texts or [("value", "")]:
                yield kind, field, (0, len(text)), reason
    for field, text in [*texts, *((field, text) for field, text in _texts("qualifiers", record.qualifiers) if text.strip())]:
        last = field.rsplit("/", 1)[-1]
        named = names_credential(name) if field == "value" else names_credential(last)
        plain = text.strip()
        if named and len(plain.split()) == 1 and looks_secret(_fold(plain).plain, code=True, named=True):
            yield "credential", field, (0, len(text)), "It stands under a name that credentials have."
