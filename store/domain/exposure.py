"""How much rests on each source: its reach, and what it alone supports, for all sources in one pass over the graph.

Reach is exact: (source, record) pairs are carried down the dependencies level by level, each pair once per dependency.
Sole support is a label pass: a record whose labels agree hangs on one source, one with different labels on several.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from store.domain.reach import Graph, Ints, Mask
from store.domain.snapshot import Columns
from store.domain.status import Kind, Status

#: Labels of a record that no standing root supports, and of one that roots of several sources support.
NOBODY, SEVERAL = -1, -2


@dataclass(frozen=True, slots=True)
class Exposure:
    """What hangs on each source; index = place of the source in what was asked.

    Attributes:
        reach: how many records rest on any of its versions, directly or not; versions are not counted.
        delivered: how many of those are delivered artifacts.
        owners: how many different owners those artifacts have that are in its reach.
        sole: how many ACCEPTED records would have no independent root left without it.
        supported_by: for every record the place of the one source that supports it, NOBODY or SEVERAL.
    """

    reach: Ints
    delivered: Ints
    owners: Ints
    sole: Ints
    supported_by: Ints


def measure_sources(graph: Graph, columns: Columns, delivered: Mask, source_of: Ints, count: int, expiry: Ints, at: int) -> Exposure:
    """Return what rests on each of `count` sources.

    Args:
        source_of: for every record the place of the source it is a version of; negative for all others.
        expiry: effective expiry of every record, microseconds UTC; a root that is expired at `at` supports nothing.
    """
    is_version = source_of >= 0
    roots = is_version & (columns.status == Status.ACCEPTED) & (expiry > at)
    label = np.where(roots, source_of, NOBODY).astype(np.int64)
    totals = _Totals(columns, delivered, count)
    pairs = _Pairs(graph, source_of)
    for level in graph.levels():
        parents = graph.parents.neighbours(level)
        number = (graph.parents.start[level + 1] - graph.parents.start[level]).astype(np.int64)
        label[level] = _join(label, level, parents, number)
        child, source = pairs.carry(level, parents, number)
        totals.add(child, source)
    counted = (columns.status == Status.ACCEPTED) & (columns.kind != Kind.EVIDENCE) & (label >= 0)
    sole = np.bincount(label[counted], minlength=count).astype(np.int64)
    return Exposure(totals.reach, totals.delivered, totals.count_owners(), sole, label)


def _join(label: Ints, level: Ints, parents: Ints, number: Ints) -> Ints:
    """Return the labels of a level's records from their own and their parents'."""
    bounds = np.concatenate([[0], np.cumsum(number)[:-1]])
    theirs, own = label[parents], label[level]
    # What no root supports says nothing about the others: it counts as the least for the most, and as the most for the least.
    least = np.minimum.reduceat(np.where(theirs == NOBODY, np.iinfo(np.int64).max, theirs), bounds)
    most = np.maximum.reduceat(theirs, bounds)
    least, most = np.minimum(least, np.where(own == NOBODY, np.iinfo(np.int64).max, own)), np.maximum(most, own)
    found: Ints = np.where(least == np.iinfo(np.int64).max, NOBODY, np.where((least == most) & (least >= 0), least, SEVERAL))
    return found


class _Pairs:
    """Which sources each record rests on, kept for records that something rests on."""

    def __init__(self, graph: Graph, source_of: Ints) -> None:
        self.graph, self.source_of = graph, source_of
        self.start = np.zeros(graph.size, dtype=np.int64)
        self.count = np.zeros(graph.size, dtype=np.int64)
        versions = np.flatnonzero(source_of >= 0)
        self.sources: Ints = source_of[versions].astype(np.int64)
        self.start[versions], self.count[versions] = np.arange(len(versions)), 1
        self.used = len(versions)
        self.has_children = np.diff(graph.children.start) > 0

    def carry(self, level: Ints, parents: Ints, number: Ints) -> tuple[Ints, Ints]:
        """Return the (record, source) pairs of a level, each once, and keep them for the levels below."""
        many = self.count[parents]
        total = int(many.sum())
        if not total:
            return np.empty(0, np.int64), np.empty(0, np.int64)
        shift = np.repeat(self.start[parents] - np.concatenate([[0], np.cumsum(many)[:-1]]), many)
        source = self.sources[np.arange(total) + shift]
        place = np.repeat(np.repeat(np.arange(len(level)), number), many)
        width = int(self.source_of.max()) + 1
        codes = np.unique(place * width + source)
        place, source = np.divmod(codes, width)
        # A version is not part of its own source's reach, though later versions may rest on earlier ones.
        mine = self.source_of[level][place] != source
        kept = self.has_children[level][place] | ~mine
        self._keep(level, place[kept & mine], source[kept & mine])
        return level[place[mine]], source[mine]

    def _keep(self, level: Ints, place: Ints, source: Ints) -> None:
        versions = np.flatnonzero(self.source_of[level] >= 0)
        if len(versions):
            place, source = np.concatenate([place, versions]), np.concatenate([source, self.source_of[level[versions]]])
            order = np.argsort(place, kind="stable")
            place, source = place[order], source[order]
        if not len(place):
            return
        while self.used + len(source) > len(self.sources):
            self.sources = np.concatenate([self.sources, np.empty(max(len(self.sources), len(source), 1024), np.int64)])
        self.sources[self.used : self.used + len(source)] = source
        records, first, count = np.unique(place, return_index=True, return_counts=True)
        self.start[level[records]], self.count[level[records]] = self.used + first, count
        self.used += len(source)


class _Totals:
    """Sums over the pairs of all levels."""

    def __init__(self, columns: Columns, delivered: Mask, count: int) -> None:
        self.columns, self.is_delivered, self.size = columns, delivered, count
        self.reach, self.delivered = np.zeros(count, np.int64), np.zeros(count, np.int64)
        self.owners: list[Ints] = []
        self.width = int(columns.owner.max(initial=0)) + 1

    def add(self, child: Ints, source: Ints) -> None:
        """Count the pairs of one level."""
        if not len(child):
            return
        self.reach += np.bincount(source, minlength=self.size)
        self.delivered += np.bincount(source[self.is_delivered[child]], minlength=self.size)
        owned = (self.columns.kind[child] == Kind.ARTIFACT) & (self.columns.owner[child] > 0)
        if owned.any():
            self.owners.append(np.unique(source[owned] * self.width + self.columns.owner[child[owned]]))

    def count_owners(self) -> Ints:
        """Return how many different owners each source's artifacts have."""
        if not self.owners:
            return np.zeros(self.size, np.int64)
        return np.bincount(np.unique(np.concatenate(self.owners)) // self.width, minlength=self.size).astype(np.int64)
