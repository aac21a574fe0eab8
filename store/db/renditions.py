"""Captured versions with the text taken out of them, as rows; the texts that are looked into again and again are kept in memory."""

from __future__ import annotations

import json
from collections import OrderedDict
from threading import Lock
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.bulk import chunks
from store.domain.renditions import Rendition
from store.domain.spans import CapturedText

#: Captured texts kept, by what they are: evidence is immutable, and a page of candidates is drawn again and again.
_KEPT, _BYTES_KEPT = 12, 64_000_000
_texts: OrderedDict[tuple[str, str, str | None], CapturedText] = OrderedDict()
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


def load_captured(connection: Connection, tenant: int, record: int) -> CapturedText:
    """Return a captured version as it is stored now; `damaged` compares it with its hashes.

    Raises:
        LookupError: the record is no evidence.
    """
    e, c, d = t.evidence, t.evidence_content, t.rendition
    query = (
        sa.select(c.c.content, e.c.sha256, e.c.media_type, d.c.extractor, d.c.extractor_version, d.c.text, d.c.sha256.label("rendition_sha256"), d.c.pages)
        .join(c, (c.c.tenant == e.c.tenant) & (c.c.record == e.c.record))
        .outerjoin(d, (d.c.tenant == e.c.tenant) & (d.c.record == e.c.record))
        .where(e.c.tenant == tenant, e.c.record == record)
    )
    row = connection.execute(query).one_or_none()
    if row is None:
        raise LookupError(record)
    return CapturedText(bytes(row.content), row.sha256, row.media_type, _rendition(row))


def captured_text(connection: Connection, tenant: int, record: int, sha256: str, media_type: str) -> CapturedText:
    """Return a captured version to be looked into, its bytes read at most once while it is kept."""
    d = t.rendition
    taken = connection.execute(sa.select(d.c.sha256).where(d.c.tenant == tenant, d.c.record == record)).scalar_one_or_none()
    key = (sha256, media_type, taken)
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
