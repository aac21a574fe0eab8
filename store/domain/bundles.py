"""A neighbourhood as few boxes: single records, unbranched chains as one, and what is too much as bundles that open.

Which bundles there are follows from the neighbourhood alone, so that opening one neither changes the others nor moves
anything. Every record is in exactly one box, so the counts of the boxes sum to the neighbourhood.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from store.domain.layout import place_outward, squeeze_in
from store.domain.neighbourhood import Neighbourhood
from store.domain.reach import Ints, Mask
from store.domain.status import KIND_WORD, Kind, Status

#: From here on outwards steps share one bundle per kind; records that are drawn stand in columns of their own up to _COLUMNS.
_FAR, _COLUMNS = 4, 8
#: Drawn at first: in all, at one step, of one bundle; a bundle up to _SMALL is drawn whole.
_MOST, _AT_STEP, _OF_BUNDLE, _SMALL = 36, 10, 6, 8
#: A run of records without branches is one box from this length on; this many such boxes are made, longest first.
_CHAIN, _CHAINS = 4, 8
#: A label of a bundle's kind stands alone from this size on, the largest of them.
_ALONE, _LABELS = 6, 3
#: How many more are drawn each time a bundle is opened.
OPENED = 10
#: No picture has more boxes of single records than this.
LIMIT = 150
_SUBCOLUMNS = 2

#: How bad a status is, least first; a box that holds several shows its worst.
WORST = (
    Status.ACCEPTED, Status.CANDIDATE, Status.REJECTED, Status.SUPERSEDED, Status.DELETED, Status.DELETION_PENDING, Status.STALE, Status.DISPUTED, Status.REVOKED,
)  # fmt: skip
SEVERITY: NDArray[np.int8] = np.array([WORST.index(status) for status in Status], dtype=np.int8)

CHAIN, HIDDEN = "chain", "hidden"


@dataclass(frozen=True, slots=True)
class Facts:
    """What bundling asks of each record of a neighbourhood, in its order.

    Attributes:
        label: a number for the predicate of a claim or the type of an artifact; `labels` says which.
        children: how many records rest on it directly.
        seen: whether the viewer may see it; what is not seen is counted and never drawn.
    """

    kind: NDArray[np.int8]
    status: NDArray[np.int8]
    delivered: Mask
    high: Mask
    children: Ints
    label: Ints
    labels: Mapping[int, str]
    seen: Mask


@dataclass(frozen=True, slots=True)
class Bundle:
    """Records that stand for one another in the picture.

    Attributes:
        key: names it in an address, and stays the same while the neighbourhood does.
        form: kind of the records, or CHAIN, or HIDDEN.
        step: where it stands; `further` says that it holds what is farther away too.
        members: places in the neighbourhood, in the order in which they are drawn when it opens.
        first: how many of them are drawn from the start.
    """

    key: str
    form: str
    label: str
    step: int
    further: bool
    members: tuple[int, ...]
    first: int = 0


@dataclass(frozen=True, slots=True)
class Box:
    """What is drawn as one.

    Attributes:
        members: places in the neighbourhood.
        bundle: the bundle of which this is the folded rest; None for a single record.
        column, row: where it stands; the focus at (0, 0), what it rests on to its left.
    """

    key: str
    members: tuple[int, ...]
    bundle: Bundle | None
    column: int
    row: float


@dataclass(frozen=True, slots=True)
class Boxes:
    """A picture: boxes in the order of their keys' first appearance, and (box, box) -> how many dependencies run there.

    Attributes:
        cut: the limit was met, so that something asked for stays folded.
    """

    boxes: tuple[Box, ...]
    links: Mapping[tuple[int, int], int]
    bundles: Mapping[str, Bundle]
    cut: bool


def order_by_risk(facts: Facts) -> Ints:
    """Return the places in order of what to look at first: delivered, worst status, high impact, most resting on it."""
    return np.lexsort((np.arange(len(facts.kind)), -facts.children, ~facts.high, -SEVERITY[facts.status].astype(np.int64), ~facts.delivered))


def bundle(found: Neighbourhood, facts: Facts) -> list[Bundle]:
    """Return the bundles of a neighbourhood, nearest first; the focus is in none of them."""
    free = facts.seen.copy()
    free[0] = False
    chains = _chains(found, facts)
    for chain in chains:
        free[list(chain.members)] = False
    groups: dict[tuple[int, str], list[int]] = {}
    for place in order_by_risk(facts).tolist():
        if place and (free[place] or not facts.seen[place]):
            step = int(np.clip(found.step[place], -_FAR, _FAR))
            groups.setdefault((step, KIND_WORD[Kind(int(facts.kind[place]))] if facts.seen[place] else HIDDEN), []).append(place)
    made = list(chains)
    for (step, form), places in groups.items():
        made += _split(found, facts, step, form, places)
    made.sort(key=lambda one: (abs(one.step), one.step > 0, one.form == HIDDEN, one.form, one.key))
    return _allot(made)


def _split(found: Neighbourhood, facts: Facts, step: int, form: str, places: list[int]) -> list[Bundle]:
    """Return one bundle, or near the focus several: the frequent labels alone, the others together."""
    further = abs(step) == _FAR and bool((np.abs(found.step[places]) > _FAR).any())
    name = f"{step}.{form}"
    by_label: dict[int, list[int]] = {}
    if abs(step) == 1 and form != HIDDEN:
        for place in places:
            by_label.setdefault(int(facts.label[place]), []).append(place)
    alone = sorted((label for label, its in by_label.items() if len(its) >= _ALONE), key=lambda label: (-len(by_label[label]), label))[:_LABELS]
    if len(by_label) == 1:
        alone = list(by_label)
    made = [Bundle(f"{name}.{facts.labels.get(label, '')}", form, facts.labels.get(label, ""), step, further, tuple(by_label[label])) for label in alone]
    rest = tuple(place for place in places if int(facts.label[place]) not in alone or form == HIDDEN)
    return [*made, Bundle(name, form, "", step, further, rest)] if rest else made


def _allot(bundles: Sequence[Bundle]) -> list[Bundle]:
    """Say how many of each bundle are drawn at first: what is nearer first, whatever else there is farther away."""
    room, made = _MOST, []
    at_step: dict[int, int] = {}
    for one in bundles:
        size, count = len(one.members), 0
        if one.form not in (CHAIN, HIDDEN):
            fair = size if size <= _SMALL else _OF_BUNDLE
            count = max(0, min(fair, room, _AT_STEP - at_step.get(one.step, 0)))
            count = size if size - count == 1 else count
            room -= count
            at_step[one.step] = at_step.get(one.step, 0) + count
        made.append(Bundle(one.key, one.form, one.label, one.step, one.further, one.members, count))
    return made


def _chains(found: Neighbourhood, facts: Facts) -> list[Bundle]:
    """Return runs of records between which nothing branches, from the focus outwards, longest first."""
    place = {record: n for n, record in enumerate(found.records.tolist())}
    into: dict[int, list[int]] = {}
    out: dict[int, list[int]] = {}
    for parent, child in found.lines.tolist():
        out.setdefault(place[parent], []).append(place[child])
        into.setdefault(place[child], []).append(place[parent])
    inner = {n for n in place.values() if n and facts.seen[n] and len(into.get(n, ())) == 1 and len(out.get(n, ())) == 1}
    runs = []
    for n in inner:
        outward = into if found.step[n] < 0 else out
        inward = out if found.step[n] < 0 else into
        if inward[n][0] not in inner:
            run = [n]
            while outward[run[-1]][0] in inner:
                run.append(outward[run[-1]][0])
            if len(run) >= _CHAIN:
                runs.append(run)
    runs.sort(key=lambda run: (-len(run), run[0]))
    return [Bundle(f"{CHAIN}.{found.records[run[0]]}", CHAIN, "", int(found.step[run[0]]), False, tuple(run)) for run in runs[:_CHAINS]]


# --- the picture --------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Draft:
    """The boxes as they come together; the number of a box is its place in each list."""

    keys: list[str]
    members: list[tuple[int, ...]]
    bundles: list[Bundle | None]
    columns: list[int]

    def add(self, key: str, members: tuple[int, ...], one: Bundle | None, column: int) -> None:
        self.keys.append(key)
        self.members.append(members)
        self.bundles.append(one)
        self.columns.append(column)

    def links(self, found: Neighbourhood) -> dict[tuple[int, int], int]:
        """Return (box, box) -> how many dependencies run there; those within a box are not told."""
        of = np.full(len(found), -1, dtype=np.int64)
        for number, members in enumerate(self.members):
            of[list(members)] = number
        order = np.argsort(found.records, kind="stable")
        ends = of[order[np.searchsorted(found.records, found.lines, sorter=order)]] if len(found.lines) else np.empty((0, 2), dtype=np.int64)
        ends = ends[ends[:, 0] != ends[:, 1]]
        pairs, count = np.unique(ends[:, 0] * 2**32 + ends[:, 1], return_counts=True)
        return {divmod(int(pair), 2**32): int(n) for pair, n in zip(pairs, count, strict=True)}


def compose(found: Neighbourhood, bundles: Sequence[Bundle], opened: Mapping[str, int]) -> Boxes:
    """Return the picture with some bundles opened; what was drawn before stands where it stood.

    Args:
        opened: key of a bundle -> how many more of it are drawn, in the order in which they were asked for.
    """
    band = _bands(found, bundles)
    draft = _Draft([], [], [], [])
    draft.add(_key(found, 0), (0,), None, 0)
    for one in bundles:
        for place in one.members[: one.first]:
            draft.add(_key(found, place), (place,), None, band[place])
        rest = one.members[one.first :]
        if rest:
            draft.add(one.key, rest, one, _band_of_rest(one))
    used = sorted(set(draft.columns))
    draft.columns = [used.index(column) - used.index(0) for column in draft.columns]
    rows = place_outward(draft.columns, draft.links(found))
    added, cut = _open(bundles, opened, sum(one is None for one in draft.bundles))
    taken: dict[str, int] = {}
    for one, place in added:
        number = draft.keys.index(one.key)
        column = draft.columns[number]
        if one.form != CHAIN:
            column = _nearest(used, band[place], used[column + used.index(0)]) - used.index(0)
        draft.add(_key(found, place), (place,), None, column)
        taken[one.key] = taken.get(one.key, 0) + 1
    for key, count in taken.items():
        number = draft.keys.index(key)
        draft.members[number] = draft.members[number][count:]
    links = draft.links(found)
    for number in range(len(rows), len(draft.keys)):
        around = [b if a == number else a for a, b in links if number in (a, b)]
        near = [rows[other] for other in around if other < len(rows)]
        beside = [row for row, column in zip(rows, draft.columns, strict=False) if column == draft.columns[number]]
        rows.append(squeeze_in(sum(near) / len(near) if near else 0.0, beside))
    kept = [number for number, members in enumerate(draft.members) if members]
    renumber = {number: n for n, number in enumerate(kept)}
    boxes = tuple(Box(draft.keys[n], draft.members[n], draft.bundles[n], draft.columns[n], rows[n]) for n in kept)
    return Boxes(boxes, {(renumber[a], renumber[b]): n for (a, b), n in links.items()}, {one.key: one for one in bundles}, cut)


def _key(found: Neighbourhood, place: int) -> str:
    return f"r{found.records[place]}"


def _open(bundles: Sequence[Bundle], opened: Mapping[str, int], drawn: int) -> tuple[list[tuple[Bundle, int]], bool]:
    """Return (bundle, place) of what is drawn beyond what is drawn at first, and whether the limit cut something off."""
    known = {one.key: one for one in bundles}
    added: list[tuple[Bundle, int]] = []
    cut = False
    for key, more in opened.items():
        one = known.get(key)
        if one is None or one.form == HIDDEN or more <= 0:
            continue
        rest = one.members[one.first :]
        wanted = len(rest) if len(rest) - more <= 1 else more
        count = min(wanted, max(0, LIMIT - drawn))
        cut |= count < wanted
        added += [(one, place) for place in rest[:count]]
        drawn += count
    return added, cut


def _bands(found: Neighbourhood, bundles: Sequence[Bundle]) -> Ints:
    """Return for each place a number that grows from left to right: its step, and within a step what rests on what."""
    step = np.clip(found.step, -_COLUMNS, _COLUMNS).astype(np.int64)
    sub = np.zeros(len(found), dtype=np.int64)
    in_chain = np.zeros(len(found), dtype=bool)
    for one in bundles:
        if one.form == CHAIN:
            in_chain[list(one.members)] = True
    if len(found.lines):
        order = np.argsort(found.records, kind="stable")
        ends = order[np.searchsorted(found.records, found.lines, sorter=order)]
        same = (step[ends[:, 0]] == step[ends[:, 1]]) & ~in_chain[ends].any(axis=1)
        parent, child = ends[same].T
        upward = step[parent] < 0
        outer, inner = np.where(upward, parent, child), np.where(upward, child, parent)
        for _ in range(_SUBCOLUMNS):
            np.maximum.at(sub, outer, np.minimum(sub[inner] + 1, _SUBCOLUMNS))
    found_bands: Ints = step * (_SUBCOLUMNS + 1) + np.where(step < 0, -sub, sub)
    return found_bands


def _band_of_rest(one: Bundle) -> int:
    return int(np.clip(one.step, -_COLUMNS, _COLUMNS)) * (_SUBCOLUMNS + 1)


def _nearest(used: Sequence[int], wanted: int, least: int) -> int:
    """Return the place in `used` of the column farthest out that is not beyond `wanted`, and not nearer than `least`."""
    side = [column for column in used if (column > 0) == (least > 0) and abs(least) <= abs(column) <= abs(wanted)]
    return used.index(max(side, key=abs, default=least))
