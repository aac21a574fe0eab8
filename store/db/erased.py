"""Knowing again what was erased, by HMACs alone: over an id, and over a claim's key and value however that is written (R9)."""

from __future__ import annotations

import hmac
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from store.domain.text import canonical_json
from store.domain.values import COMPARISONS, Predicate, comparable

#: So many hexadecimal digits of a value's HMAC are that of its key alone: what has another key need not be looked at closer.
_KEY = 16


@dataclass(frozen=True)
class Erased:
    """What was ever erased of one tenant, in memory; for actions that ask about many records."""

    key: bytes
    ids: frozenset[str]
    values: frozenset[str]

    @cached_property
    def _keys(self) -> frozenset[str]:
        return frozenset(value[:_KEY] for value in self.values)

    def has_id(self, record_id: str) -> bool:
        """Return whether a record of this id was erased."""
        return bool(self.ids) and mac_id(self.key, record_id) in self.ids

    def has_value(self, scope: str, subject: str, predicate: str, qualifiers: dict[str, Any], value: Any) -> bool:
        """Return whether a claim of this key with this value, however written, was erased."""
        if not self.values or _mac_key(self.key, scope, subject, predicate, qualifiers) not in self._keys:
            return False
        return any(mac_value(self.key, scope, subject, predicate, qualifiers, form) in self.values for form in _forms(scope, predicate, value))


def _mac(key: bytes, what: list[Any]) -> str:
    return hmac.digest(key, canonical_json(what).encode("utf-8"), "sha256").hex()


def _mac_key(key: bytes, scope: str, subject: str, predicate: str, qualifiers: dict[str, Any]) -> str:
    return _mac(key, ["key", scope, subject, predicate, qualifiers])[:_KEY]


def mac_id(key: bytes, record_id: str) -> str:
    """Return the HMAC of a record's id."""
    return _mac(key, ["id", record_id])


def mac_words(key: bytes, words: Any) -> str:
    """Return the HMAC of what somebody wrote."""
    return _mac(key, ["words", words])


def mac_value(key: bytes, scope: str, subject: str, predicate: str, qualifiers: dict[str, Any], form: Any) -> str:
    """Return the HMAC of a claim's key, and that of key and value, in one."""
    return _mac_key(key, scope, subject, predicate, qualifiers) + _mac(key, ["value", scope, subject, predicate, qualifiers, form])


def _forms(scope: str, predicate: str, value: Any) -> Iterator[Any]:
    """Give every form a value has under one comparison or another, each once; what is declared may have changed since it was erased."""
    seen = set()
    for how in COMPARISONS:
        for order in ("list", "set") if isinstance(value, list) else ("list",):
            form = comparable(value, Predicate(scope, predicate, compare=how, order=order))
            text = canonical_json(form)
            if text not in seen:
                seen.add(text)
                yield form
