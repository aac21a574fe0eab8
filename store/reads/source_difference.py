"""Two versions of a source side by side, and what became of every passage bound to the older one."""

from __future__ import annotations

import csv
from collections import Counter, OrderedDict
from dataclasses import dataclass
from threading import Lock
from typing import Any

from store.db.claim_store import ClaimStore
from store.db.keys import load_scopes
from store.db.plan_files import load_plan_file
from store.db.renditions import captured_text, keep_until_forgotten
from store.db.source_shelf import VersionRow, load_versions
from store.db.transaction import Reading, read
from store.domain.data_differences import Change, DataDifference, compare_documents, compare_tables, read_table
from store.domain.differences import SAME, Difference, Stretch, compare_texts
from store.domain.errors import not_found
from store.domain.passages import PassageSorter, Sorted
from store.domain.people import Right
from store.domain.recapture import Fate
from store.domain.renditions import render
from store.domain.spans import CapturedText, locate_in
from store.domain.status import Status
from store.domain.tables import is_table
from store.reads.data_changes import DataPlaces
from store.reads.source_page import BoundClaim, Located, VersionText, find_source

#: Changed stretches, or changed places of data, on one screen.
CHANGES_PAGE = 40
#: Passages of one fate that are listed.
FATES_LISTED = 60
#: Code points of an unchanged stretch shown on either side of a change; what is between is folded.
_CONTEXT = 240
#: Code points of a folded stretch that are sent along.
_INSIDE = 4_000
_KEPT = 6
_OUT = (Status.REJECTED, Status.DELETED, Status.DELETION_PENDING)


@dataclass(frozen=True, slots=True)
class Fold:
    """What stands unchanged between two changes: its first and last words, what is folded between them, and how much that is.

    Attributes:
        head, tail: words next to the changes before and after it; `inside`: the folded words that are sent along.
        start: where it begins in the newer text. `lines`, `characters`: of what is folded.
    """

    head: str
    inside: str
    tail: str
    lines: int
    characters: int
    start: int


@dataclass(frozen=True, slots=True)
class PassageFate:
    """What became of a passage.

    Attributes:
        fate: unchanged, moved, cosmetic, changed or gone; `score`: how alike what is proposed is, 0 to 1.
        now: the words that stand there now, or that are proposed; `place`: where they begin in the newer text.
        stretch: the number of the change in whose lines, cells or value it stands, None where those did not change.
    """

    claim: BoundClaim
    fate: str
    score: float
    now: str | None
    place: int | None
    stretch: int | None


@dataclass(frozen=True, slots=True)
class VersionDifference:
    """One page of the difference of two versions.

    Attributes:
        kind: `text`, `table`, `json`, or `none` where they cannot be compared.
        rows: changed stretches with their number, and folds between them. `changed`: of tables and JSON, the changed places.
        changes, same, removed, added, moved: counts over all of it; words for texts, places for data.
        fates: of passages of the older version the person may see, the first of each fate and all that stand in a change that is shown.
        counts: fate -> how many claims, over all of it.
    """

    older: str
    newer: str
    kind: str
    rows: tuple[tuple[int, Stretch] | Fold, ...]
    changed: tuple[Change, ...]
    changes: int
    same: int
    removed: int
    added: int
    moved: int
    cut: bool
    first: int
    fates: tuple[PassageFate, ...]
    counts: dict[str, int]
    identical: bool


@dataclass(frozen=True, slots=True)
class _Worked:
    text: Difference | None
    data: DataDifference | None
    kind: str
    sorter: PassageSorter


_known: OrderedDict[tuple[Any, ...], _Worked] = OrderedDict()
_lock = Lock()


def _forget() -> None:
    with _lock:
        _known.clear()


keep_until_forgotten(_forget)


def _work(old: CapturedText, new: CapturedText, new_id: str) -> _Worked:
    name = (*((one.sha256, one.media_type, one.rendition.sha256 if one.rendition else None) for one in (old, new)), new_id)
    with _lock:
        if name in _known:
            _known.move_to_end(name)
            return _known[name]
    found = _compare(old, new, PassageSorter(old, new, new_id))
    with _lock:
        _known[name] = found
        while len(_known) > _KEPT:
            _known.popitem(last=False)
    return found


def _compare(old: CapturedText, new: CapturedText, sorter: PassageSorter) -> _Worked:
    if old.text is None or new.text is None:
        return _Worked(None, None, "none", sorter)
    if old.is_json and new.is_json and not any(isinstance(one.document, ValueError | RecursionError) for one in (old, new)):
        return _Worked(None, compare_documents(old.document, new.document), "json", sorter)
    if is_table(old.media_type) and is_table(new.media_type):
        try:
            return _Worked(None, compare_tables(read_table(old.text, old.media_type), read_table(new.text, new.media_type)), "table", sorter)
        except csv.Error:
            pass
    return _Worked(compare_texts(old.text, new.text), None, "text", sorter)


def compare_versions(
    store: ClaimStore, person: str, tenant: str, source_id: str, older: int, newer: int | None, *, file: str | None = None, first: int = 0,
    authenticated: bool = False,
) -> VersionDifference:  # fmt: skip
    """Return a page of what differs between two versions of a source.

    Args:
        older, newer: version numbers.
        file: instead of a newer version, the hash of a file that is kept for a plan.
        first: the number of the first change shown.

    Raises:
        Refusal: `not_found`, also for what the person may not see.
    """
    with read(store, person, authenticated=authenticated) as reading:
        number, source, records, _ = find_source(reading, tenant, source_id)
        # A file that is kept for a plan is no version yet, so it is shown to who may see a plan about it.
        if file is not None and not reading.actor.may(Right.INSPECT, load_scopes(reading.connection, number).get(source.scope, "")):
            raise not_found(source_id)
        rows = {row.version: row for row in load_versions(reading.connection, number, records).values()}
        if older not in rows or (file is None and newer not in rows):
            raise not_found(f"{source.id}@{older if older not in rows else newer}")
        version = VersionText(reading, number, rows[older])
        new, new_id = _newer(reading, number, rows.get(newer or 0), file, source.id)
        worked = _work(version.captured, new, new_id)
        fates, totals = _fates(version, worked, new, first)
        same = version.captured.content == new.content
        if worked.text is not None:
            return _text_page(rows[older].id, new_id, worked.text, version.captured.text or "", new.text or "", first, fates, totals, same)
        data = worked.data or DataDifference((), 0, False)
        shown = data.changes[first : first + CHANGES_PAGE]
        return VersionDifference(rows[older].id, new_id, worked.kind, (), shown, len(data.changes), data.same, 0, 0, 0, data.cut, first, fates, totals, same)


def _newer(reading: Reading, number: int, row: VersionRow | None, file: str | None, source: str) -> tuple[CapturedText, str]:
    if file is not None:
        kept = load_plan_file(reading.connection, number, file)
        return CapturedText(kept.content, file, kept.media_type, render(kept.content, kept.media_type)), f"{source}@new"
    assert row is not None
    return captured_text(reading.connection, number, row.record, row.sha256, row.media_type), row.id


def _fates(version: VersionText, worked: _Worked, new: CapturedText, first: int) -> tuple[tuple[PassageFate, ...], dict[str, int]]:
    """Return the passages that are listed or stand in a change on the page that begins with `first`, and how many claims have each fate."""
    order = [fate.value for fate in Fate]
    stretches = worked.text.stretches if worked.text is not None else ()
    places = DataPlaces(worked.data.changes, version.captured) if worked.data is not None else None
    changed = [(n, one) for n, one in enumerate(one for one in stretches if one.kind != SAME)]
    within: dict[int, int | None] = {}
    sorted_: dict[int, Sorted] = {}
    worst: dict[int, str] = {}
    for one, (record, binding) in zip(version.passages, version.bindings, strict=True):
        if version.cards[record].status in _OUT:
            continue
        sorted_[one.n] = worked.sorter.sort(binding)
        worst[record] = max(worst.get(record, order[0]), sorted_[one.n].fate.value, key=order.index)
        within[one.n] = _stretch(one, places, changed)
    listed: Counter[str] = Counter()
    shown = []
    for n, its in sorted_.items():
        stretch = within[n]
        listed[its.fate.value] += 1
        if listed[its.fate.value] <= FATES_LISTED or (stretch is not None and first <= stretch < first + CHANGES_PAGE):
            shown.append(n)
    claims = version.bound(shown)
    found = []
    for n in shown:
        after, now, place = sorted_[n].after, None, None
        if after is not None:
            now, place = after.quote, _place(after.span, new, in_markup=locate_in(after, new).in_markup)
        found.append(PassageFate(claims[n], sorted_[n].fate.value, sorted_[n].score, now, place, within[n]))
    counts = Counter(worst.values())
    return tuple(found), {fate.value: counts[fate.value] for fate in Fate}


def _stretch(one: Located, places: DataPlaces | None, changed: list[tuple[int, Stretch]]) -> int | None:
    """Return the number of the change a passage stands in."""
    if places is not None and one.pointer is not None:
        return places.at_pointer(one.pointer)
    if one.start is None or one.end is None:
        return None
    if places is not None:
        return places.at_cells(one.start, one.end)
    return next((n for n, stretch in changed if stretch.start < one.end and stretch.end > one.start), None)


def _place(span: dict[str, Any] | None, new: CapturedText, *, in_markup: bool) -> int | None:
    start, end = (span or {}).get("start"), (span or {}).get("end")
    if not isinstance(start, int):
        return None
    if in_markup:
        return (new.shown_at(start, end) or (None,))[0] if isinstance(end, int) else None
    page = (span or {}).get("page")
    if page is not None and new.rendition is not None:
        bounds = new.rendition.page_bounds(page)
        return bounds[0] + start if bounds is not None else None
    return start


def _text_page(
    older: str, newer: str, difference: Difference, old: str, new: str, first: int, fates: tuple[PassageFate, ...], counts: dict[str, int], same: bool
) -> VersionDifference:
    del old
    rows: list[tuple[int, Stretch] | Fold] = []
    n = 0
    last_change = difference.changes - 1
    for stretch in difference.stretches:
        if stretch.kind == SAME:
            if first <= n <= min(first + CHANGES_PAGE, last_change + 1):
                rows.append(_fold(new, stretch, opens=n > first, closes=n < min(first + CHANGES_PAGE, last_change + 1)))
            continue
        if first <= n < first + CHANGES_PAGE:
            rows.append((n, stretch))
        n += 1
    words = sum(stretch.lines for stretch in difference.stretches if stretch.kind == SAME)
    return VersionDifference(
        older, newer, "text", tuple(rows), (), difference.changes, words, difference.removed, difference.added, difference.moved, difference.cut, first,
        fates, counts, same,
    )  # fmt: skip


def _fold(new: str, stretch: Stretch, *, opens: bool, closes: bool) -> Fold:
    """Return an unchanged stretch with its words next to a change before (`opens`) and after it (`closes`)."""
    text = new[stretch.new_start : stretch.new_end]
    if len(text) <= (2 * _CONTEXT if opens and closes else _CONTEXT):
        return Fold(text, "", "", 0, 0, stretch.new_start)
    head = tail = ""
    if opens:
        end = text.find("\n", 0, _CONTEXT)
        while 0 <= end < _CONTEXT and not text[:end].strip():
            end = text.find("\n", end + 1, _CONTEXT)
        head = text[: end + 1] if end >= 0 else text[:_CONTEXT]
    if closes:
        begin = text.rfind("\n", len(text) - _CONTEXT, len(text.rstrip()))
        tail = text[begin + 1 :] if begin >= 0 else text[-_CONTEXT:]
    inside = text[len(head) : len(text) - len(tail)]
    return Fold(head, inside[:_INSIDE], tail, inside.count("\n") + (not inside.endswith("\n")), len(inside), stretch.new_start + len(head))
