"""Pages of a captured PDF as pictures, with the passages of claims marked on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from store.db.claim_store import ClaimStore
from store.db.keys import load_scopes
from store.db.plan_files import load_plan_file
from store.db.records import find_card
from store.db.renditions import load_captured
from store.db.transaction import read
from store.domain.errors import Code, Refusal, not_found
from store.domain.people import Right
from store.domain.records import Binding
from store.domain.renditions import PDF, Rectangle, Rendition, find_rectangles, page_image, render, split_type
from store.domain.spans import CapturedText, locate_in
from store.domain.status import Kind, Status
from store.reads.source_page import find_source

#: Pixels per point: letters of ordinary size are read well, and a page has about 100 kB.
_SCALE = 1.6


@dataclass(frozen=True, slots=True)
class PagePicture:
    """One page of a captured PDF.

    Attributes:
        png: the picture.
        page, pages: which page, from 1, of how many.
        start, end: where the page's text stands in the whole text.
        marks: for each passage asked for, the rectangles it takes on the page, as shares of it from the top left.
        before, after: where the text of the pages before and after this one begins; None at the ends.
    """

    png: bytes
    page: int
    pages: int
    start: int
    end: int
    marks: tuple[tuple[Rectangle, ...], ...]
    before: int | None = None
    after: int | None = None


def draw_page(
    store: ClaimStore, person: str, tenant: str, evidence_id: str, page: int | None = None, *, at: int | None = None,
    marks: Sequence[tuple[int, int]] = (), scale: float = _SCALE, authenticated: bool = False,
) -> PagePicture:  # fmt: skip
    """Return a page of a captured PDF with passages marked on it.

    Args:
        page: counted from 1; without it the one that holds the code point `at` of the whole text.
        marks: code points (start, end) in the whole text taken out of the version; what lies on other pages is left out.
        scale: pixels per point.

    Raises:
        Refusal: `not_found`: no such version for this person, or no such page; `bad_value`: it has no pages; `damaged`: it is not what was captured.
    """
    with read(store, person, authenticated=authenticated) as reading:
        number = reading.tenant_number(tenant)
        card = find_card(reading.connection, number, evidence_id) if number is not None else None
        actor = reading.actor
        # Who may only read a scope is shown what is in use, here as in the text.
        allowed = card is not None and (actor.may(Right.INSPECT, card.scope) or (actor.may(Right.READ, card.scope) and card.status is Status.ACCEPTED))
        if card is None or number is None or not allowed or card.kind is not Kind.EVIDENCE or card.status in (Status.DELETED, Status.DELETION_PENDING):
            raise not_found(evidence_id)
        captured = load_captured(reading.connection, number, card.number)
    if captured.damaged:
        raise Refusal(Code.DAMAGED, f"{evidence_id} no longer has the bytes that were captured. Restore it from a backup.")
    rendition = captured.rendition
    if rendition is None or rendition.pages is None or split_type(captured.media_type)[0] != PDF:
        # A page as it was printed would show what was blotted out of the text.
        gone = " any more, because a passage of it was asked to be forgotten" if captured.redacted else ""
        raise Refusal(Code.BAD_VALUE, f"{evidence_id} has no pages to be drawn{gone}. Look at its text.")
    page = page if page is not None else rendition.page_of(at or 0) or 1
    found = _picture(captured.content, rendition, page, marks, scale)
    if found is None:
        raise Refusal(Code.NOT_FOUND, f"{evidence_id} has {len(rendition.pages):,} pages, and no page {page}.")
    return found


def _picture(content: bytes, rendition: Rendition, page: int, marks: Sequence[tuple[int, int]], scale: float) -> PagePicture | None:
    bounds = rendition.page_bounds(page)
    if bounds is None or rendition.pages is None:
        return None
    first, last = bounds
    ranges = [(max(start, first) - first, min(end, last) - first) for start, end in marks]
    found = find_rectangles(content, page, ranges) if ranges else ()
    picture = page_image(content, page, [one for its in found for one in its], scale)
    before, after = rendition.page_bounds(page - 1), rendition.page_bounds(page + 1)
    return PagePicture(picture, page, len(rendition.pages), first, last, found, before and before[0], after and after[0])


def draw_given_pages(
    store: ClaimStore, person: str, tenant: str, source_id: str, file: str, passages: Sequence[Mapping[str, Any]], *, most: int = 3,
    scale: float = _SCALE, authenticated: bool = False,
) -> tuple[PagePicture, ...]:  # fmt: skip
    """Return the pages of a PDF that is kept for a plan about a source on which some passages stand, those marked; none for what has no pages.

    Args:
        file: its hash; `passages`: as a preview proposes them, with `evidence`, `span` and `quote`.
        most: pages at most, the first ones.

    Raises:
        Refusal: `not_found`, also for what the person may not see.
    """
    with read(store, person, authenticated=authenticated) as reading:
        number, source, _, _ = find_source(reading, tenant, source_id)
        # It is no version yet, so it is shown to who may see a plan about it.
        if not reading.actor.may(Right.INSPECT, load_scopes(reading.connection, number).get(source.scope, "")):
            raise not_found(source_id)
        kept = load_plan_file(reading.connection, number, file)
    rendition = render(kept.content, kept.media_type)
    if rendition is None or rendition.pages is None:
        return ()
    captured = CapturedText(kept.content, file, kept.media_type, rendition)
    places = [locate_in(Binding(str(one["evidence"]), one["span"], one["quote"]), captured) for one in passages]
    marks = [(place.start, place.end) for place in places if place.ok and place.start is not None and place.end is not None]
    pages = sorted({page for start, _ in marks if (page := rendition.page_of(start)) is not None})[:most]
    found = [_picture(kept.content, rendition, page, [mark for mark in marks if rendition.page_of(mark[0]) == page], scale) for page in pages]
    return tuple(one for one in found if one is not None)
