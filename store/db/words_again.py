"""Words that were forgotten and that a source says again in a newer version: known by their HMAC, since nobody keeps the words (R26)."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.domain.forgetting import BLOT
from store.domain.redacting import Span, merge_spans

#: Stretches of one text that are compared; a long text is compared up to there. Different lengths of words that are looked for.
MOST_STRETCHES, MOST_LENGTHS = 100_000, 40
_KEPT = 64
_found: OrderedDict[tuple[object, ...], tuple[tuple[Span, ...], bool]] = OrderedDict()
_lock = Lock()


def forgotten_words(connection: Connection, tenant: int, source: int) -> dict[int, frozenset[str]]:
    """Return length -> HMACs of the words that were blotted out of any version of a source."""
    d, r = t.redaction, t.record
    query = (
        sa.select(d.c.end - d.c.start, d.c.words_mac)
        .join(r, (r.c.tenant == d.c.tenant) & (r.c.record == d.c.record))
        .where(d.c.tenant == tenant, r.c.source == source, d.c.words_mac.is_not(None), d.c.done_at.is_not(None))
        .distinct()
    )
    found: dict[int, set[str]] = {}
    for length, mac in connection.execute(query):
        found.setdefault(length, set()).add(mac)
    return {length: frozenset(macs) for length, macs in sorted(found.items(), reverse=True)[:MOST_LENGTHS]}


def find_again(words: dict[int, frozenset[str]], mac: Callable[[str], str], text: str, name: str) -> tuple[tuple[Span, ...], bool]:
    """Return where forgotten words stand in a text, and whether it was too long to be compared to its end.

    Args:
        words: as `forgotten_words` gives them.
        mac: gives the HMAC of words.
        name: what tells the text from others, such as its hash.
    """
    key = (name, len(text), tuple(words.items()))
    with _lock:
        if key in _found:
            _found.move_to_end(key)
            return _found[key]
    found = _compare(words, mac, text)
    with _lock:
        _found[key] = found
        while len(_found) > _KEPT:
            _found.popitem(last=False)
    return found


def _compare(words: dict[int, frozenset[str]], mac: Callable[[str], str], text: str) -> tuple[tuple[Span, ...], bool]:
    spans: list[Span] = []
    left = MOST_STRETCHES
    for at in range(len(text)):
        if text[at].isspace() or (at and _within(text, at)):
            continue
        for length, macs in words.items():
            end = at + length
            if end > len(text) or (end < len(text) and _within(text, end)):
                continue
            left -= 1
            if left < 0:
                return merge_spans(spans), True
            if BLOT not in text[at:end] and mac(text[at:end]) in macs:
                spans.append((at, end))
    return merge_spans(spans), False


def _within(text: str, at: int) -> bool:
    """Return whether a position lies within a word of a writing with spaces between words."""
    before, after = text[at - 1], text[at]
    return before.isalnum() and after.isalnum() and not ("\u3040" <= before <= "\u9fff" or "\uac00" <= before <= "\ud7af")

