"""Captured versions with the text taken out of them, as rows; the texts that are looked into again and again are kept in memory."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from threading import Lock
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.bulk import chunks
from store.domain.records import Binding
from store.domain.redacting import Span, blot_line, blot_quote, merge_spans, redact
from store.domain.renditions import Rendition, forget_pictures
from store.domain.spans import CapturedText
from store.domain.text import canonical_json

#: Captured texts kept, by what they are: evidence is immutable, and a page of candidates is drawn again and again.
_KEPT, _BYTES_KEPT = 12, 64_000_000
_texts: OrderedDict[tuple[object, ...], CapturedText] = OrderedDict()
_hidden: OrderedDict[tuple[object, ...], CapturedText] = OrderedDict()
_lock = Lock()


def _rendition(row: Any) -> Rendition | None:
    if row.extractor is None:
        return None
    pages = None if row.pages is None else tuple(json.loads(row.pages))
    text = bytes(row.text).decode("utf-8", "surrogateescape")
    return Rendition(text, pages, row.extractor, row.extractor_version, row.rendition_sha256)


def rendition_row(tenant: int, record: int, rendition: Rendition) -> tuple[Any, ...]:
    """Return the row of a rendition, its columns in the order of the table."""
    pages = None if rendition.pages is None else json.dumps(rendition.pages)
    return (tenant, record, rendition.extractor, rendition.version, rendition.text.encode("utf-8"), rendition.sha256, pages)


def load_renditions(connection: Connection, tenant: int, records: list[int]) -> dict[int, Rendition]:
    """Return record -> the text taken out of it, of those of which text was taken."""
    d = t.rendition
    columns = (d.c.record, d.c.extractor, d.c.extractor_version, d.c.text, d.c.sha256.label("rendition_sha256"), d.c.pages)
    found: dict[int, Rendition] = {}
    for some in chunks(records):
        for row in connection.execute(sa.select(*columns).where(d.c.tenant == tenant, d.c.record.in_(some))):
            rendition = _rendition(row)
            if rendition is not None:
                found[row.record] = rendition
    return found


def load_rendition(connection: Connection, tenant: int, record: int) -> Rendition | None:
    """Return the text taken out of a captured version, None where none was."""
    return load_renditions(connection, tenant, [record]).get(record)


def load_captured(connection: Connection, tenant: int, record: int, *, as_kept: bool = False) -> CapturedText:
    """Return a captured version as it may be shown; `damaged` compares what is stored with its hashes.

    Passages that were asked to be forgotten are blotted out from the request on (R26); `as_kept` gives what is still stored.

    Raises:
        LookupError: the record is no evidence.
    """
    found = load_captured_many(connection, tenant, [record], as_kept=as_kept)
    if record not in found:
        raise LookupError(record)
    return found[record]


def load_captured_many(connection: Connection, tenant: int, records: Sequence[int], *, as_kept: bool = False) -> dict[int, CapturedText]:
    """Return record -> captured version, as `load_captured` does, of those records that are one."""
    e, c, d = t.evidence, t.evidence_content, t.rendition
    query = (
        sa.select(
            e.c.record, c.c.content, e.c.sha256, e.c.media_type, d.c.extractor, d.c.extractor_version, d.c.text, d.c.sha256.label("rendition_sha256"), d.c.pages
        )
        .join(c, (c.c.tenant == e.c.tenant) & (c.c.record == e.c.record))
        .outerjoin(d, (d.c.tenant == e.c.tenant) & (d.c.record == e.c.record))
    )
    blots = load_blots(connection, tenant, records)
    found: dict[int, CapturedText] = {}
    for some in chunks(records, 200):
        for row in connection.execute(query.where(e.c.tenant == tenant, e.c.record.in_(some))):
            done, hidden = blots.get(row.record, _NOTHING)
            captured = CapturedText(bytes(row.content), row.sha256, row.media_type, _rendition(row), done)
            found[row.record] = captured if as_kept else hide_passages(captured, hidden)
    return found


def hide_passages(captured: CapturedText, hidden: tuple[Span, ...]) -> CapturedText:
    """Return a stored version with some passages blotted out; what was worked out lately is kept, because a large table takes a second."""
    if not hidden or captured.damaged:
        return captured
    key = (captured.sha256, captured.media_type, captured.rendition.sha256 if captured.rendition is not None else None, captured.redacted, hidden)
    with _lock:
        if key in _hidden:
            _hidden.move_to_end(key)
            return _hidden[key]
    found = redact(captured, hidden)
    with _lock:
        _hidden[key] = found
        while len(_hidden) > _KEPT or (len(_hidden) > 1 and sum(len(one.content) for one in _hidden.values()) > _BYTES_KEPT):
            _hidden.popitem(last=False)
    return found


_NOTHING: tuple[tuple[Span, ...], tuple[Span, ...]] = ((), ())


def load_blots(connection: Connection, tenant: int, records: Collection[int], *, but: int | None = None) -> dict[int, tuple[tuple[Span, ...], tuple[Span, ...]]]:
    """Return version -> (passages blotted out of what is stored, passages only hidden so far), of those that have any; `but`: a request left out."""
    r = t.redaction
    found: dict[int, tuple[list[Span], list[Span]]] = {}
    for some in chunks(sorted(set(records))):
        for row in connection.execute(sa.select(r).where(r.c.tenant == tenant, r.c.record.in_(some))):
            if row.request != but:
                found.setdefault(row.record, ([], []))[row.done_at is None].append((row.start, row.end))
    return {record: (merge_spans(done), merge_spans(hidden)) for record, (done, hidden) in found.items()}


#: Ways to empty what is kept in memory of texts, of this module and of others.
_forgetters: list[Callable[[], None]] = [forget_pictures]
_seen: set[tuple[str, tuple[Span, ...]]] = set()


def keep_until_forgotten(forget: Callable[[], None]) -> Callable[[], None]:
    """Have `forget` called whenever passages are asked to be forgotten, by whoever keeps something of captured texts in memory."""
    _forgetters.append(forget)
    return forget


def forget_texts() -> None:
    """Empty everything that is kept in memory of captured texts."""
    with _lock:
        _texts.clear()
        _hidden.clear()
    for forget in _forgetters:
        forget()


def captured_text(connection: Connection, tenant: int, record: int, sha256: str, media_type: str) -> CapturedText:
    """Return a captured version to be looked into, its bytes read at most once while it is kept."""
    d = t.rendition
    taken = connection.execute(sa.select(d.c.sha256).where(d.c.tenant == tenant, d.c.record == record)).scalar_one_or_none()
    done, hidden = load_blots(connection, tenant, [record]).get(record, _NOTHING)
    if hidden and (sha256, hidden) not in _seen:
        _seen.add((sha256, hidden))
        forget_texts()
    key = (sha256, media_type, taken, done, hidden)
    with _lock:
        if key in _texts:
            _texts.move_to_end(key)
            return _texts[key]
    found = load_captured(connection, tenant, record)
    if not found.damaged:
        with _lock:
            _texts[key] = found
            while len(_texts) > _KEPT or (len(_texts) > 1 and sum(len(one.content) for one in _texts.values()) > _BYTES_KEPT):
                _texts.popitem(last=False)
    return found


def hide_quotes(connection: Connection, tenant: int, bindings: Iterable[tuple[int, Binding]]) -> dict[tuple[int, str, str], str | None]:
    """Return (version, span, quote) -> the quote as it may be shown, of those bindings to versions whose passages are hidden that meet one."""
    given = list(bindings)
    hidden = {record: spans for record, (_, spans) in load_blots(connection, tenant, {record for record, _ in given}).items() if spans}
    found: dict[tuple[int, str, str], str | None] = {}
    texts: dict[int, tuple[CapturedText, CapturedText]] = {}
    for record, binding in given:
        if record not in hidden or not binding.quote:
            continue
        if record not in texts:
            before = load_captured(connection, tenant, record, as_kept=True)
            texts[record] = before, hide_passages(before, hidden[record])
        after = blot_quote(binding, *texts[record], hidden[record])
        if after.quote != binding.quote:
            found[record, canonical_json(binding.span), binding.quote] = after.quote
    return found


class QuoteHider:
    """Blots the quotes of many bindings as they may be shown; costs one look-up where nothing is hidden."""

    def __init__(self, connection: Connection, tenant: int, bindings: Iterable[tuple[int, Binding]]) -> None:
        self._found = hide_quotes(connection, tenant, bindings)

    def hide(self, record: int, binding: Binding) -> Binding:
        """Return a binding to a version with the quote that may be shown."""
        if not self._found or not binding.quote:
            return binding
        place = (record, canonical_json(binding.span), binding.quote)
        return replace(binding, quote=self._found[place]) if place in self._found else binding


def hide_lines(connection: Connection, tenant: int, lines: Sequence[dict[str, Any]]) -> None:
    """Blot the quotes in lines of records as they once were, in place, where they are of passages that are hidden."""
    r, d = t.record, t.redaction
    query = (
        sa.select(r.c.id, r.c.record)
        .join(d, (d.c.tenant == r.c.tenant) & (d.c.record == r.c.record))
        .where(r.c.tenant == tenant, d.c.done_at.is_(None))
        .distinct()
    )
    hidden = {row.id: row.record for row in connection.execute(query)}
    if not hidden:
        return
    named = {one["evidence"] for line in lines for one in line.get("evidence") or () if one.get("evidence") in hidden}
    blots = load_blots(connection, tenant, [hidden[name] for name in named])
    for name in sorted(named):
        spans = blots[hidden[name]][1]
        before = load_captured(connection, tenant, hidden[name], as_kept=True)
        after = hide_passages(before, spans)
        for line in lines:
            blot_line(line, name, before, after, spans)
