"""The page of a PDF as it was printed, with the passages of its claims marked on it."""

from __future__ import annotations

import streamlit as st

from pages.widgets.candidate_words import shorten
from pages.widgets.desk import Desk, attempt, take_refusal
from pages.widgets.language import number, quote_store, say, say_count
from pages.widgets.markup import Markup, draw, tag
from pages.widgets.source_place import Place
from store import MarkedText, Recapture, SourceView, draw_given_pages, draw_page

_PDF = "application/pdf"
#: Passages marked on one picture.
_MOST = 60


def has_pages(found: MarkedText) -> bool:
    """Return whether a version's pages can be shown."""
    return found.media_type == _PDF and found.window is not None and not found.damaged


def draw_picture(desk: Desk, found: MarkedText, view: SourceView, place: Place) -> None:
    """Draw the page on which the text that is shown begins, or the one of the claim that is asked for."""
    window = found.window
    assert window is not None
    placed = [one for one in found.claims.values() if one.start is not None and one.end is not None][:_MOST]
    asked = [one for one in placed if one.id == place.claim]
    at = asked[0].start if asked else window.start
    marks = [(one.start or 0, one.end or 0) for one in (asked or placed)]
    picture = attempt(lambda: draw_page(desk.store, desk.person, view.tenant, found.id, at=at, marks=marks))
    if picture is None:
        refusal = take_refusal()
        draw(tag("div", quote_store(refusal["message"] if refusal else ""), cls="cd-band cd-badband"))
        return
    marked = sum(1 for one in picture.marks if one)

    def to(start: int | None, words: str) -> Markup | None:
        return None if start is None else tag("a", words, cls="cd-link", href=place.link(at=start, claim=""))

    draw(tag("h2", say("Page {page} of {pages} as it was printed", page=number(picture.page), pages=number(picture.pages)), cls="cd-heading"))
    links = (to(picture.before, say("← page before")), to(picture.after, say("page after →")))
    if any(links):
        draw(tag("div", *links, cls="cd-pager"))
    words = say_count("{n} passage is marked on this page.", "{n} passages are marked on this page.", marked)
    # The text of the page stands above in full, so that the picture need only say what it is.
    shows = say("Picture of page {page} of {title}, its marked passages shaded", page=number(picture.page), title=shorten(view.title, 120))
    st.image(picture.png, caption=words, alt=shows, width="stretch", output_format="PNG")


def draw_given(desk: Desk, view: SourceView, file: str, told: Recapture) -> None:
    """Draw the pages of a corrected PDF on which something changed, what changed marked; nothing for other files."""
    proposed = [one["proposed"] for one in told.passages if one["verdict"] in ("changed", "gone") and (one.get("proposed") or {}).get("span")][:_MOST]
    if told.evidence["media_type"] != _PDF or not proposed:
        return
    pictures = attempt(lambda: draw_given_pages(desk.store, desk.person, view.tenant, view.id, file, proposed))
    if pictures is None:
        refusal = take_refusal()
        draw(tag("div", quote_store(refusal["message"] if refusal else ""), cls="cd-band cd-badband"))
        return
    for one in pictures:
        draw(tag("h2", say("Page {page} of {pages} of the new document", page=number(one.page), pages=number(one.pages)), cls="cd-heading"))
        words = say_count("{n} passage that changed is marked.", "{n} passages that changed are marked.", sum(1 for its in one.marks if its))
        shows = say("Picture of page {page} of the new document, what changed shaded", page=number(one.page))
        st.image(one.png, caption=words, alt=shows, width="stretch", output_format="PNG")
