"""One source: its versions on a time line, and the text of any of them with everything bound to it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from store.db.answering import find_blockers
from store.db.claim_store import ClaimStore
from store.db.keys import load_scopes
from store.db.records import load_cards
from store.db.renditions import captured_text
from store.db.source_shelf import ShelfSource, VersionRow, bindings_to, count_bound, load_versions, open_shelf
from store.db.transaction import Reading, read
from store.db.veils import load_shown, veiled_numbers
from store.db.words_again import find_again, forgotten_words
from store.domain.errors import not_found
from store.domain.excerpt import Excerpt, cut_out
from store.domain.json_lines import JsonLines
from store.domain.marking import Mark, Window, cut_window, lead_to, mark_after, mark_before
from store.domain.people import Right
from store.domain.records import Binding, Card, Claim
from store.domain.redacting import blot_out, redact
from store.domain.snapshot import ANY_PURPOSE
from store.domain.spans import CapturedText, locate_in
from store.domain.status import FORGOTTEN, Status
from store.domain.text import question_title
from store.domain.times import format_optional, format_time
from store.domain.veiling import VEIL
from store.reads.exposure import Figures, figures_of
from store.reads.source_data import DataPage, Unreadable, page_of, structure_of
from store.reads.sources import open_cases, seen_records, seen_versions, stand, waiting_sources

#: Claims listed beside one window of a text.
_BESIDE = 200
#: Code points of a file shown around a passage that stands in its markup alone.
_AROUND = 160
#: Versions of a source, the newest ones, that are looked through for words that were forgotten.
_LOOKED_THROUGH = 5


@dataclass(frozen=True, slots=True)
class SourceVersion:
    """A captured version on the time line. Texts come from outside.

    Attributes:
        size: bytes; `claims`: how many claims are bound to it, as far as the person may see them.
        by, name: who brought it in; `arrived_at`, `arrived_by`: when, and by what kind of event.
    """

    id: str
    version: int
    status: str
    sha256: str
    media_type: str
    size: int
    captured_at: str | None
    arrived_at: str
    arrived_by: str
    event: int
    by: str
    name: str
    claims: int
    again: int = 0


@dataclass(frozen=True, slots=True)
class SourceView:
    """A source with its versions, the newest first. Texts come from outside.

    Attributes:
        versions: of each, `again`: passages that say words again that were forgotten on request.
        unsorted: a newer version arrived while claims rest on an older one that still counts.
        may_decide, may_propose: whether the person may recapture it; may put a version or a candidate of it in.
        exposure: what hangs on it, whoever may read that; `may_look`: whether the person may see what a plan about it would do.
    """

    id: str
    tenant: str
    title: str
    uri: str | None
    scope: str
    authority: str | None
    owner: str | None
    family: str
    versions: tuple[SourceVersion, ...]
    unsorted: bool
    suspended: bool
    revoked: bool
    corrections: tuple[tuple[str, str], ...]
    may_decide: bool
    may_propose: bool
    exposure: Figures
    may_look: bool


@dataclass(frozen=True, slots=True)
class BoundClaim:
    """A claim bound to a version, at one of its passages. Texts come from outside.

    Attributes:
        n: tells the passage from the others of the version.
        ok, message: whether the quote stands where the span says, and why not.
        start, end: code points, where it is a passage of text; `pointer`: where it is one of JSON; `page`: of a document with pages.
        whole: it names the version without a passage.
        blotted: something of the passage is blotted out, which is why it is not `ok`.
        markup: of a passage that stands in the markup alone, where no reader sees it: the file around it.
    """

    n: int
    id: str
    status: str
    title: str
    value: Any
    qualifiers: dict[str, Any]
    ok: bool
    message: str
    quote: str | None
    start: int | None
    end: int | None
    pointer: str | None
    page: int | None
    whole: bool
    markup: Excerpt | None = None
    blotted: bool = False


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A stretch of a version's text with every quote bound to it.

    Attributes:
        window: None where the version is no text.
        claims: by `n`, those whose passages are in the window; `beyond`: how many of them are not listed.
        misplaced, unseen, whole: claims whose quote is not where they say, those whose quote stands in the markup alone, and those that name
            the version as a whole; the first of each, `counts` says how many there are.
        passages: how many passages are marked in all of the text.
        previous, next: where the window begins that shows the passage before this one, and the one after it.
        data: the stretch as rows or lines, of a table or JSON; `unreadable`: why it is not shown so although its type says it is one.
    """

    id: str
    media_type: str
    size: int
    window: Window | None
    claims: dict[int, BoundClaim]
    misplaced: tuple[BoundClaim, ...]
    unseen: tuple[BoundClaim, ...]
    whole: tuple[BoundClaim, ...]
    counts: dict[str, int]
    passages: int
    beyond: int
    previous: int | None
    next: int | None
    damaged: bool
    data: DataPage | None = None
    unreadable: Unreadable | None = None


def find_source(reading: Reading, tenant: str, source_id: str) -> tuple[int, ShelfSource, list[int], Any]:
    """Return tenant number, source, records of the versions that may be seen (oldest first) and every record's status.

    Raises:
        Refusal: `not_found`, also for what the person may not see.
    """
    number = reading.tenant_number(tenant)
    if number is None:
        raise not_found(source_id)
    shelf = open_shelf(reading, number)
    source = next((one for one in shelf.sources.values() if one.id == source_id), None)
    if source is None:
        raise not_found(source_id)
    scopes = load_scopes(reading.connection, number)
    seen, status = seen_versions(reading, number, shelf, scopes)
    mine = shelf.record[seen & (shelf.source == source.number)].tolist()
    if not mine and not reading.actor.may(Right.READ, scopes.get(source.scope, "")):
        raise not_found(source_id)
    return number, source, mine, status


def view_source(store: ClaimStore, person: str, tenant: str, source_id: str, *, authenticated: bool = False) -> SourceView:
    """Return one source with its versions.

    Raises:
        Refusal: `not_found`, also for what the person may not see.
    """
    with read(store, person, authenticated=authenticated) as reading:
        number, source, records, status = find_source(reading, tenant, source_id)
        scopes = load_scopes(reading.connection, number)
        scope = scopes.get(source.scope, "")
        rows = load_versions(reading.connection, number, records)
        bound = count_bound(reading.connection, number, records, seen_records(reading, number, scopes))
        shelf = open_shelf(reading, number)
        standing = stand(shelf, status, np.isin(shelf.record, np.array(records, dtype=np.int64)))
        has = bool(len(standing.source))
        again = _said_again(reading, number, tenant, source.number, [rows[one] for one in records])
        return SourceView(
            source.id, tenant, source.title or source.id, source.uri, scope, source.authority, source.owner, source.family,
            tuple(_version(rows[one], Status(int(status[one])), bound.get(one, 0), again.get(one, 0)) for one in reversed(records)),
            source.number in waiting_sources(reading, number, scopes), has and bool(standing.suspended[0]), has and bool(standing.revoked[0]),
            tuple(open_cases(reading, number).get(source.number, ())),
            reading.actor.may(Right.DECIDE, scope), reading.actor.may(Right.PROPOSE, scope),
            figures_of(reading, number).get(source.number, Figures()), reading.actor.may(Right.INSPECT, scope),
        )  # fmt: skip


def _said_again(reading: Reading, number: int, tenant: str, source: int, rows: Sequence[VersionRow]) -> dict[int, int]:
    """Return version -> how many of its passages say words again that were forgotten, of the newest ones that do."""
    words = forgotten_words(reading.connection, number, source)
    if not words:
        return {}
    mac, found = reading.store.ledger.words_macs(tenant), dict[int, int]()
    for row in rows[-_LOOKED_THROUGH:]:
        text = captured_text(reading.connection, number, row.record, row.sha256, row.media_type).text or ""
        spans = find_again(words, mac, text, row.sha256)[0]
        if spans:
            found[row.record] = len(spans)
    return found


def _version(row: VersionRow, status: Status, claims: int, again: int) -> SourceVersion:
    return SourceVersion(
        row.id, row.version, status.name, row.sha256, row.media_type, row.size, format_optional(row.captured_at), format_time(row.made_at), row.made_by,
        row.seq, row.by, row.name, claims, again,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Located:
    """Where one bound passage stands, as `BoundClaim` says it."""

    n: int
    ok: bool
    message: str
    quote: str | None
    start: int | None
    end: int | None
    pointer: str | None
    page: int | None
    whole: bool
    markup: Excerpt | None
    blotted: bool


class VersionText:
    """One version's text with the claims bound to it, as far as the person may see them."""

    def __init__(self, reading: Reading, number: int, row: VersionRow) -> None:
        self.reading, self.number, self.row = reading, number, row
        self.captured: CapturedText = captured_text(reading.connection, number, row.record, row.sha256, row.media_type)
        self.bindings = self._visible(bindings_to(reading.connection, number, row.record, row.id))
        self.passages: list[Located] = [self._locate(n, binding) for n, (_, binding) in enumerate(self.bindings)]

    def bound(self, numbers: Iterable[int]) -> dict[int, BoundClaim]:
        """Return some of what is bound to it; what claims say is read for these alone, because a lock file has thousands."""
        wanted = list(numbers)
        cards = {self.bindings[n][0]: self.cards[self.bindings[n][0]] for n in wanted}
        claims = load_shown(self.reading.connection, self.number, list(cards.values()), with_bytes=False)
        hidden = veiled_numbers(self.reading.connection, self.number, cards)
        for n in wanted:
            if self.bindings[n][0] in hidden:
                self.passages[n] = replace(self.passages[n], quote=VEIL if self.passages[n].quote else None, markup=None, message="The passage is veiled with the claim.")
        return {n: self._describe(self.passages[n], self.cards[self.bindings[n][0]], claims[self.bindings[n][0]]) for n in wanted}

    def _visible(self, bindings: list[tuple[int, Binding]]) -> list[tuple[int, Binding]]:
        actor, numbers = self.reading.actor, sorted({record for record, _ in bindings})
        self.cards: dict[int, Card] = load_cards(self.reading.connection, self.number, numbers)
        shown = {one for one, card in self.cards.items() if actor.may(Right.INSPECT, card.scope)}
        doubtful = [
            one for one, card in self.cards.items()
            if one not in shown and card.status is Status.ACCEPTED and card.flags & ANY_PURPOSE and actor.may(Right.READ, card.scope)
        ]  # fmt: skip
        if doubtful:
            blockers = find_blockers(self.reading.connection, self.number, doubtful, self.reading.at)
            shown.update(one for one in doubtful if blockers[one].usable)
        return [(record, binding) for record, binding in bindings if record in shown and self.cards[record].status not in FORGOTTEN]

    def _locate(self, n: int, binding: Binding) -> Located:
        found, span = locate_in(binding, self.captured), binding.span or {}
        there = found.ok or found.blotted
        start, end = (found.start, found.end) if there else (None, None)
        around = None
        if found.in_markup and found.start is not None and found.end is not None:
            start, end = self.captured.shown_at(found.start, found.end) or (None, None)
            around = cut_out(self.captured.markup or "", found.start, found.end, _AROUND) if start is None else None
        pointer = span.get("pointer") if there and found.start is None and (span.get("pointer") is not None or self.captured.is_json) else None
        whole = binding.span is None and binding.quote is None
        return Located(n, found.ok, found.message, binding.quote, start, end, pointer, found.page or span.get("page"), whole, around, found.blotted)

    @staticmethod
    def _describe(one: Located, card: Card, claim: Any) -> BoundClaim:
        assert isinstance(claim, Claim)
        title = claim.statement or question_title(claim.subject, claim.predicate)
        return BoundClaim(
            one.n, card.id, card.status.name, title, claim.value, dict(claim.qualifiers), one.ok, one.message, one.quote, one.start, one.end, one.pointer,
            one.page, one.whole, one.markup, one.blotted,
        )  # fmt: skip

    def find_pointers(self, document: JsonLines) -> None:
        """Note where the values at JSON pointers stand in the text of the document."""
        spots = {one: document.spot(one) for one in {located.pointer for located in self.passages if located.pointer is not None}}
        for n, one in enumerate(self.passages):
            spot = None if one.pointer is None else spots[one.pointer]
            if spot is not None:
                self.passages[n] = replace(one, start=spot[0], end=spot[1])

    def first_of(self, claim: str) -> int | None:
        """Return where the first passage of a claim begins."""
        return next((one.start for one, (record, _) in zip(self.passages, self.bindings, strict=True) if one.start is not None and self.cards[record].id == claim), None)

    def veiled_spans(self, numbers: Iterable[int]) -> list[tuple[int, int]]:
        """Return where in the text the passages stand, among some, whose claims are veiled from whoever looks."""
        chosen = list(numbers)
        hidden = veiled_numbers(self.reading.connection, self.number, {self.bindings[n][0] for n in chosen})
        spots = [(self.passages[n].start, self.passages[n].end) for n in chosen if self.bindings[n][0] in hidden]
        return [(start, end) for start, end in spots if start is not None and end is not None]

    def apart(self) -> dict[str, list[int]]:
        """Return the passages that are marked nowhere, by why; candidates first, because somebody can mend them."""
        found = {
            "misplaced": [one.n for one in self.passages if not one.ok and not one.blotted], "unseen": [one.n for one in self.passages if one.markup is not None],
            "whole": [one.n for one in self.passages if one.whole],
        }  # fmt: skip
        for its in found.values():
            its.sort(key=lambda n: self.cards[self.bindings[n][0]].status is not Status.CANDIDATE)
        return found


def read_version(
    store: ClaimStore, person: str, tenant: str, source_id: str, evidence_id: str, *, at: int = 0, claim: str | None = None, pointer: str | None = None,
    authenticated: bool = False,
) -> MarkedText:  # fmt: skip
    """Return a stretch of a version's text with everything bound to it.

    Args:
        at: the code point at which it begins.
        claim: the claim whose passage it is to show, which wins over `at`; `pointer`: the place in a JSON document, which does so too.

    Raises:
        Refusal: `not_found`, also for what the person may not see.
    """
    with read(store, person, authenticated=authenticated) as reading:
        number, _, records, _ = find_source(reading, tenant, source_id)
        row = next((row for row in load_versions(reading.connection, number, records).values() if row.id == evidence_id), None)
        if row is None:
            raise not_found(evidence_id)
        version = VersionText(reading, number, row)
        return _read(version, at, claim, pointer)


def _read(version: VersionText, at: int, claim: str | None, pointer: str | None) -> MarkedText:
    row, text, damaged = version.row, version.captured.text, version.captured.damaged
    structure = structure_of(version.captured)
    if isinstance(structure, JsonLines):
        version.find_pointers(structure)
    apart = version.apart()
    counts = {name: len(its) for name, its in apart.items()}
    if text is None:
        known = version.bound({n for its in apart.values() for n in its[:_BESIDE]})
        return MarkedText(row.id, version.captured.media_type, row.size, None, {}, *_pick(known, apart), counts, 0, 0, None, None, damaged)
    marks = [Mark(one.start, one.end, one.n) for one in version.passages if one.start is not None and one.end is not None]
    wanted = version.first_of(claim) if claim else None
    if wanted is None and pointer is not None and isinstance(structure, JsonLines):
        wanted = (structure.spot(pointer) or (None,))[0]
    data = unreadable = None
    if structure is None or isinstance(structure, Unreadable):
        unreadable = structure
        window = cut_window(text, at if wanted is None else lead_to(text, wanted), marks)
    else:
        data = page_of(structure, at if wanted is None else wanted, marks, lead=wanted is not None)
        window = cut_window(text, data.start, marks)
    first, last = (data.start, data.end) if data is not None else (window.start, window.end)
    inside = [mark.n for mark in sorted(marks, key=lambda mark: (mark.start, mark.end, mark.n)) if mark.start < last and mark.end > first]
    veiled = version.veiled_spans(inside)
    if veiled:  # as many code points as before, so every mark stays where it is
        window = cut_window(blot_out(text, veiled), window.start, marks)
        if data is not None:
            shown = structure_of(redact(version.captured, veiled))
            data = None if shown is None or isinstance(shown, Unreadable) else page_of(shown, data.start, marks, lead=False)
    known = version.bound({*inside[:_BESIDE], *(n for its in apart.values() for n in its[:_BESIDE])})

    def to(mark: Mark | None) -> int | None:
        return None if mark is None else mark.start if data is not None else lead_to(text, mark.start)

    return MarkedText(
        row.id, version.captured.media_type, row.size, window, {n: known[n] for n in inside[:_BESIDE]}, *_pick(known, apart), counts, len(marks), max(0, len(inside) - _BESIDE),
        to(mark_before(marks, first)), to(mark_after(marks, last - 1)), damaged, data, unreadable,
    )  # fmt: skip


_Bound = tuple[BoundClaim, ...]


def _pick(known: dict[int, BoundClaim], apart: dict[str, list[int]]) -> tuple[_Bound, _Bound, _Bound]:
    misplaced, unseen, whole = (tuple(known[n] for n in apart[name][:_BESIDE]) for name in ("misplaced", "unseen", "whole"))
    return misplaced, unseen, whole
