"""Filling a store with the synthetic tenant, through the store's own writers, so that `verify` holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from store.bench.claim_rows import ClaimRows
from store.bench.shape import Shape
from store.bench.texts import SHA256, TENANT, Texts
from store.db import tables as t
from store.db.bulk import insert_rows, refresh_statistics
from store.db.claim_store import ClaimStore
from store.db.conflicts import refresh_conflicts
from store.db.content import NewRecords, origins
from store.db.keys import Numbers
from store.db.transaction import write
from store.domain.people import OPERATOR
from store.domain.records import Claim, Evidence, Record, full_hash
from store.domain.status import Kind, Status

_BATCH = 50_000
#: Of so many claims one is built in full, to hold its hash against the one written.
_CHECKED = 5000


def _batches(shape: Shape) -> Iterator[range]:
    for start in range(1, shape.size, _BATCH):
        yield range(start, min(start + _BATCH, shape.size))


def _hash_of(content: Record, shas: dict[str, str]) -> str:
    return full_hash(content, content.content_hash(), shas)


def fill_store(store: ClaimStore, texts: Texts, say: Callable[[str], None]) -> None:
    """Write every record of the shape, with sources, keys, history, counters, conflicts and search words."""
    shape, numbers_of = texts.shape, {record_id: n for n, record_id in enumerate(texts.ids) if n}
    sources: dict[str, int] = {}
    claim, evidence = int(Kind.CLAIM), int(Kind.EVIDENCE)
    shas = {texts.ids[record]: SHA256 for record, kind in enumerate(texts.kind) if kind == evidence}
    for some in _batches(shape):
        with write(store, OPERATOR, TENANT, "import", ["bench", some.start], create=True) as tx:
            numbers = Numbers(tx.connection, tx.tenant)
            new, claims = NewRecords(tx, numbers, shas), ClaimRows(tx, numbers, texts)
            rows = []
            for record in some:
                if texts.kind[record] == claim:
                    found = claims.add(record)
                    assert record % _CHECKED or found == _hash_of(texts.build(record), shas)
                    continue
                content, scope, source = texts.build(record), texts.scope(record), None
                assert not isinstance(content, Claim)
                if isinstance(content, Evidence):
                    if content.source not in sources:
                        sources[content.source] = len(sources) + 1
                        place = numbers.scope(scope)
                        rows.append((tx.tenant, sources[content.source], content.source, place, f"https://example.org/{record}", content.source))
                    source = sources[content.source]
                status = Status(int(shape.status[record]))
                new.add(record, content, status, origins(content, numbers_of), scope=scope, source=source, ids=numbers_of)
            insert_rows(tx.connection, t.source, ("tenant", "source", "id", "scope", "uri", "family"), rows)
            tx.allocate(len(some))
            new.flush()
            written = np.array(claims.flush(), dtype=np.int64).reshape(-1, 2)
            tx.add_created(written[:, 0], written[:, 1])
        say(f"synthetic store: {some.stop - 1:,} of {shape.records:,}")
    with write(store, OPERATOR, TENANT, "import", ["bench", "conflicts"]) as tx:
        refresh_conflicts(tx, {one for one, _ in shape.pairs}, "synthetic")
    refresh_statistics(store.writer)
