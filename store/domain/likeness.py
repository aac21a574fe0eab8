"""How alike the values of a conflict are, so that a person can look at those together that differ in the same way."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Any

from store.domain.text import canonical_json

#: From alike to unlike: the same words written differently; one says all the other says and more; numbers within one in
#: a hundred; some of it in common; nothing in common.
LIKENESSES = ("written", "more", "near", "partly", "apart")
_WORD = re.compile(r"\w+")
_NEAR = 0.01


def words_of(value: Any) -> frozenset[str]:
    """Return the words of a value, folded for case, accents and width; those of its parts where it has parts."""
    if isinstance(value, list):
        return frozenset(word for item in value for word in words_of(item))
    if isinstance(value, dict):
        return frozenset(word for name, item in value.items() for word in (*words_of(name), *words_of(item)))
    text = value if isinstance(value, str) else canonical_json(value)
    plain = "".join(ch for ch in unicodedata.normalize("NFKD", text).casefold() if not unicodedata.combining(ch))
    return frozenset(_WORD.findall(plain))


def likeness_of(values: Sequence[Any]) -> str:
    """Return the LIKENESSES of the values of one conflict: that of the two least alike."""
    worst = 0
    sets = [words_of(value) for value in values]
    for place, one in enumerate(values):
        for other in range(place + 1, len(values)):
            worst = max(worst, LIKENESSES.index(_likeness(one, values[other], sets[place], sets[other])))
    return LIKENESSES[worst]


def _likeness(one: Any, other: Any, words: frozenset[str], others: frozenset[str]) -> str:
    if _is_number(one) and _is_number(other):
        return "near" if abs(one - other) <= _NEAR * max(abs(one), abs(other)) else "apart"
    if words == others:
        return "written"
    if words and others and (words < others or others < words):
        return "more"
    return "partly" if words & others else "apart"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
