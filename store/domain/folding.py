"""A large reach in few groups: affected records by distance, step, kind and label, with counts that sum to the total."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from store.domain.impact import Impact
from store.domain.reach import Ints
from store.domain.snapshot import Snapshot
from store.domain.status import KIND_WORD, Kind, Status

#: More than there are predicates.
_LABELS = 2**24


@dataclass(frozen=True, slots=True)
class Group:
    """Affected records that have distance, step, kind and label in common.

    Attributes:
        number: its place in the list of groups.
        label: the predicate of claims, the type of artifacts.
        before, after: the statuses now and then.
        delivered: how many of them were delivered.
    """

    number: int
    distance: int
    before: str
    after: str
    kind: str
    label: str
    count: int
    delivered: int


@dataclass(frozen=True, slots=True)
class Folded:
    """All groups of an impact.

    Attributes:
        of: for each affected record, in the impact's order, the number of its group.
        links: (group reached through, group) -> how many records were reached that way.
    """

    groups: tuple[Group, ...]
    of: Ints
    links: Mapping[tuple[int, int], int]


def fold(impact: Impact, snapshot: Snapshot, predicates: Mapping[int, str], types: Mapping[int, str]) -> Folded:
    """Return the affected records in groups, nearest first, larger ones first within a distance.

    Args:
        impact: the consequences of a plan.
        snapshot: the records it was derived from.
        predicates: claim key -> predicate.
        types: artifact -> type.
    """
    affected, columns = impact.affected, snapshot.columns
    if not len(affected):
        return Folded((), np.empty(0, np.int64), {})
    kinds, keys = columns.kind[affected.records].astype(np.int64), columns.key[affected.records]
    words = {word: n for n, word in enumerate(sorted({*predicates.values(), *types.values(), "source version", ""}))}
    names = list(words)
    label = np.full(len(affected), words["source version"], dtype=np.int64)
    is_claim, is_artifact = kinds == Kind.CLAIM, kinds == Kind.ARTIFACT
    if is_claim.any():
        known, place = np.unique(keys[is_claim], return_inverse=True)
        label[is_claim] = np.array([words[predicates.get(int(key), "")] for key in known], dtype=np.int64)[place]
    label[is_artifact] = [words[types.get(int(record), "")] for record in affected.records[is_artifact]]
    packed = (((affected.distance * 16 + affected.old) * 16 + affected.new) * 4 + kinds) * _LABELS + label
    found, of, count = np.unique(packed, return_inverse=True, return_counts=True)
    cells = [_unpack(int(cell)) for cell in found]
    delivered = np.bincount(of, weights=snapshot.delivered[affected.records], minlength=len(cells)).astype(np.int64)
    order = sorted(range(len(cells)), key=lambda n: (cells[n][0], -int(delivered[n] > 0), -int(count[n]), names[cells[n][4]]))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    groups = tuple(
        Group(place, *_words(cells[n], names), int(count[n]), int(delivered[n])) for place, n in enumerate(order)
    )  # fmt: skip
    of = rank[of]
    return Folded(groups, of, _links(impact, of, len(columns)))


def _unpack(cell: int) -> tuple[int, int, int, int, int]:
    """Return distance, status now, status then, kind and label."""
    rest, label = divmod(cell, _LABELS)
    return rest // 1024, rest // 64 % 16, rest // 4 % 16, rest % 4, label


def _words(cell: tuple[int, int, int, int, int], names: Sequence[str]) -> tuple[int, str, str, str, str]:
    distance, old, new, kind, label = cell
    return distance, Status(old).name, Status(new).name, KIND_WORD[Kind(kind)], names[label]


def _links(impact: Impact, of: Ints, size: int) -> dict[tuple[int, int], int]:
    """Return how many records of a group were reached through which other group."""
    affected = impact.affected
    group = np.full(size, -1, dtype=np.int64)
    group[affected.records] = of
    inner = affected.via >= 0
    parents, children = group[affected.via[inner]], of[inner]
    known = parents >= 0
    pairs, count = np.unique(parents[known] * 2**32 + children[known], return_counts=True)
    return {divmod(int(pair), 2**32): int(n) for pair, n in zip(pairs, count, strict=True)}


@dataclass(frozen=True, slots=True)
class Box:
    """What is drawn as one: a group, or several small ones of a kind at about the same distance.

    Attributes:
        groups: the numbers of the groups in it.
        level: how far right it stands; `further` says that it holds what is farther away too.
    """

    number: int
    groups: tuple[int, ...]
    level: int
    kind: str
    label: str
    before: str
    after: str
    count: int
    delivered: int
    further: bool = False


@dataclass(frozen=True, slots=True)
class Drawing:
    """Boxes and the lines between them."""

    boxes: tuple[Box, ...]
    links: Mapping[tuple[int, int], int]


_LEVELS, _FEW = 6, 9


def condense(folded: Folded, most: int = 30) -> Drawing:
    """Return the groups as at most `most` boxes: the weightiest alone, the others together by distance and kind."""
    groups = folded.groups
    alone = {group.number for group in groups}
    if len(groups) > _FEW:
        total = sum(group.count for group in groups)
        roots = [group.number for group in groups if group.distance == 0]
        sent = [group.number for group in groups if group.delivered and group.distance <= _LEVELS]
        heavy = [
            group.number
            for group in sorted(groups, key=lambda group: -group.count)
            if group.count >= max(2, total // 25) and group.distance <= _LEVELS
        ]
        room = most - 2 * (_LEVELS + 1)
        alone = set(list(dict.fromkeys([*roots[:4], *sent[:8], *heavy]))[:room])
    bundles: dict[tuple[int, int, str], list[Group]] = {}
    for group in groups:
        own = group.number if group.number in alone else -1
        bundles.setdefault((min(group.distance, _LEVELS) if own < 0 else group.distance, own, group.kind if own < 0 else ""), []).append(group)
    boxes: list[Box] = []
    place: dict[int, int] = {}
    for (level, _, _), some in sorted(bundles.items(), key=lambda item: (item[0][0], item[0][1] < 0, item[1][0].number)):
        first, number = some[0], len(boxes) + 1
        labels = sorted({group.label for group in some})
        label = ", ".join(labels[:2]) + (f" and {len(labels) - 2} more" if len(labels) > 2 else "")
        further = any(group.distance > level for group in some)
        count, delivered = sum(group.count for group in some), sum(group.delivered for group in some)
        boxes.append(
            Box(number, tuple(group.number for group in some), level, first.kind, label, first.before, first.after, count, delivered, further)
        )
        place.update({group.number: number for group in some})
    links: dict[tuple[int, int], int] = {}
    for (source, target), n in folded.links.items():
        pair = place[source], place[target]
        if pair[0] != pair[1]:
            links[pair] = links.get(pair, 0) + n
    return Drawing(tuple(boxes), links)
