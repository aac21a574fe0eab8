"""Versions that arrived, by import or capture, while claims rest on older ones that still count. The one place that says which these are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from store.db.source_shelf import Shelf
from store.domain.reach import Mask
from store.domain.snapshot import Snapshot
from store.domain.status import Status

_STANDING = (int(Status.ACCEPTED), int(Status.DISPUTED))
#: What rests on a version and has to be sorted against the next: in use, waiting, or out of use for now.
_RESTING = (int(Status.CANDIDATE), int(Status.ACCEPTED), int(Status.DISPUTED), int(Status.STALE))


@dataclass(frozen=True, slots=True)
class UnsortedSource:
    """A source with a newer version beside the one claims rest on, all as record numbers.

    Attributes:
        older: versions before the newest that still count and on which something rests; `resting`: how many records rest on them.
    """

    source: int
    newest: int
    older: tuple[int, ...]
    resting: int


def find_unsorted(shelf: Shelf, snapshot: Snapshot, seen: Mask) -> dict[int, UnsortedSource]:
    """Return source number -> what waits to be sorted: the newest version is accepted while something rests on an older one that counts.

    Args:
        seen: of every record of the tenant, whether it is looked at; what is not seen neither waits nor rests.
    """
    status, children = snapshot.columns.status, snapshot.graph.children
    size = len(children.start) - 1
    known = shelf.record < min(len(seen), size)
    known &= seen[np.where(known, shelf.record, 0)]
    record, source = shelf.record[known], shelf.source[known]
    if not len(record):
        return {}
    last = np.append(source[1:] != source[:-1], True)
    behind = ~last & np.isin(status[record], _STANDING)
    newest = dict(zip(source[last].tolist(), record[last].tolist(), strict=True))
    found: dict[int, tuple[list[int], set[int]]] = {}
    for one, its in zip(record[behind].tolist(), source[behind].tolist(), strict=True):
        if status[newest[its]] != int(Status.ACCEPTED):
            continue
        resting = children.of(one)
        resting = resting[seen[resting] & np.isin(status[resting], _RESTING)]
        if len(resting):
            older, records = found.setdefault(its, ([], set()))
            older.append(one)
            records.update(resting.tolist())
    return {its: UnsortedSource(its, newest[its], tuple(older), len(records)) for its, (older, records) in found.items()}
