"""The text of one version: every bound quote marked in it, with its claims beside."""

from __future__ import annotations

from typing import Any

from pages.widgets.candidate_passage import face_of
from pages.widgets.candidate_words import qualifiers_text, shorten, value_text
from pages.widgets.desk import Desk, attempt, record_link, take_refusal
from pages.widgets.language import number, phrase, phrase_count, quote_store, say, say_count
from pages.widgets.markup import Markup, draw, join, tag
from pages.widgets.source_data import draw_json, draw_jumps, draw_limits, draw_table, draw_unreadable
from pages.widgets.source_marks import Marker, mark_look
from pages.widgets.source_picture import draw_picture, has_pages
from pages.widgets.source_place import Place
from pages.widgets.source_select import draw_choosing
from pages.widgets.source_words import media_word, size_words
from pages.widgets.status import badge, icon
from store import BoundClaim, MarkedText, SourceVersion, SourceView, read_version

_MISPLACED = 20


def draw_claim(one: BoundClaim, number_: int | None, tenant: str, place: Place, *more: Markup) -> Markup:
    """Return a claim beside the text: its footnote, status, what it says, where it leads, and `more` below it."""
    which = qualifiers_text(one.qualifiers)
    pointer = tag("div", one.pointer, cls="cd-mono cd-muted") if one.pointer else None
    head = tag("div", tag("span", number(number_), cls="cs-footnote") if number_ is not None else None, badge(one.status), cls="cs-chead")
    value = tag("div", shorten(value_text(one.value, 400), 160), cls="cs-cvalue")
    here = one.id == place.claim
    return tag(
        "li", head, tag("div", record_link(one.id, tenant, shorten(one.title, 140))), value,
        tag("div", shorten(which, 120), cls="cd-muted cd-small") if which else None, pointer, *more, cls="cs-claim cs-asked" if here else "cs-claim",
    )  # fmt: skip


def _gone(one: BoundClaim) -> list[Markup]:
    """Return what is said of a claim whose passage is blotted out."""
    return [tag("div", icon("ink_eraser"), say("its passage is blotted out"), cls="cd-muted cd-small")] if one.blotted else []


def _legend(found: MarkedText) -> Markup | None:
    present = sorted({one.status for one in found.claims.values()})
    if not present:
        return None
    return tag("div", *(tag("span", badge(status), cls=f"cs-legend {mark_look(status)}") for status in present), cls="cs-legends")


def _jumps(found: MarkedText, place: Place) -> list[Any]:
    window = found.window
    assert window is not None

    def to(at: int | None, words: str) -> Markup | None:
        return None if at is None else tag("a", words, cls="cd-link", href=place.link(at=at, claim=""))

    where = say(
        "characters {first}–{last} of {total}, from line {line}", first=number(window.start + 1), last=number(window.end), total=number(window.total), line=number(window.first_line)
    )  # fmt: skip
    return [
        tag("div", to(found.previous, say("↑ marked passage before")), to(found.next, say("↓ next marked passage")), cls="cd-pager") if (found.previous is not None or found.next is not None) else None,
        tag("div", to(window.before, say("← before")), tag("span", where, cls="cd-muted"), to(window.after, say("after →")), cls="cd-pager")
        if window.start or window.end < window.total
        else None,
    ]  # fmt: skip


def _draw_text(found: MarkedText, view: SourceView, place: Place) -> None:
    window, data = found.window, found.data
    assert window is not None
    if window.total == 0:
        draw(tag("div", tag("div", say("This version is empty."), cls="cd-muted"), cls="cd-card"))
        return
    marker = Marker(found, place)
    if data is None:
        whole = "".join(segment.text for segment in window.segments)
        jumps = _jumps(found, place)
        shown = tag("div", marker.segments(window.segments), cls=f"cd-passage cd-whole {face_of(whole)} cs-body")
        body = [draw_unreadable(found.unreadable) if found.unreadable is not None else None, shown]
    else:
        jumps = draw_jumps(data, marker, place)
        body = [*draw_limits(data), draw_table(data, marker) if data.kind == "table" else draw_json(data, marker)]
    beside: list[Any] = [draw_claim(one, marker.numbers[n], view.tenant, place, *_gone(one)) for n, one in found.claims.items()]
    if found.beyond:
        beside.append(tag("li", say_count("{n} more passage in this stretch is marked and not listed.", "{n} more passages in this stretch are marked and not listed.", found.beyond), cls="cd-muted cd-small"))
    notes = tag("ol", *beside, cls="cs-claims") if beside else tag("p", say("No claim is bound to this stretch."), cls="cd-muted cd-small")
    side = tag("div", tag("h2", say("Bound to this stretch"), cls="cd-heading"), notes, cls="cs-side")
    wide = ["cs-wide"] if data is not None and data.kind == "table" else []
    draw(tag("div", tag("div", _legend(found), *jumps, *body, *jumps, cls="cd-card cd-hero cs-page"), side, cls=" ".join(("cs-reading", *wide))))


def _head(found: MarkedText, version: SourceVersion) -> Markup:
    passages = phrase_count("{n} passage is marked", "{n} passages are marked", found.passages, n=tag("b", number(found.passages)))
    facts = [say("Version {n}", n=number(version.version)), media_word(found.media_type), size_words(found.size)]
    return join(
        (
            tag("h2", say("The text of version {n}", n=number(version.version)), cls="cd-heading"),
            tag("div", tag("span", " · ".join(facts[1:]), cls="cd-muted"), " · ", passages, cls="cd-small"),
        )
    )


def _unseen(one: BoundClaim, view: SourceView, place: Place) -> Markup:
    """Return a claim whose quote a reader of the text does not see, with the file around it."""
    around = one.markup
    assert around is not None
    cut = tag("div", "…" if around.cut_before else None, around.before, tag("mark", shorten(around.passage, 400), cls="cs-mark"), around.after, "…" if around.cut_after else None, cls="cs-raw")
    where = say("its place is in the markup, characters {first}–{last} of the file", first=number((around.start or 0) + 1), last=number(around.end or 0))
    return draw_claim(one, None, view.tenant, place, cut, tag("div", where, cls="cd-muted cd-small"))


def _list_apart(name: str, title: str, rows: list[Markup], count: int) -> None:
    """Draw claims that are marked nowhere in the text, at most `_MISPLACED` of them."""
    if count > len(rows):
        rows = [*rows, tag("li", say_count("and {n} more, not shown here", "and {n} more, not shown here", count - len(rows)), cls="cd-muted cd-small")]
    draw(tag("div", tag("h2", icon(name), title, cls="cd-heading"), tag("ol", *rows, cls="cs-claims"), cls="cs-apart"))


def _apart(found: MarkedText, view: SourceView, place: Place) -> None:
    misplaced, unseen, whole, counts = found.misplaced, found.unseen, found.whole, found.counts
    if misplaced:
        title = say_count("{n} quote is not where its claim says", "{n} quotes are not where their claims say", counts["misplaced"])
        rows = [draw_claim(one, None, view.tenant, place, tag("div", quote_store(one.message), cls="cd-muted cd-small")) for one in misplaced[:_MISPLACED]]
        _list_apart("wrong_location", title, rows, counts["misplaced"])
    if unseen:
        title = say_count("{n} quote stands in the markup, where nobody reads it", "{n} quotes stand in the markup, where nobody reads them", counts["unseen"])
        _list_apart("code_off", title, [_unseen(one, view, place) for one in unseen[:_MISPLACED]], counts["unseen"])
    if whole:
        title = say_count("{n} claim names the version as a whole", "{n} claims name the version as a whole", counts["whole"])
        _list_apart("draft", title, [draw_claim(one, None, view.tenant, place) for one in whole[:_MISPLACED]], counts["whole"])


def draw_version(desk: Desk, view: SourceView, version: SourceVersion, place: Place) -> None:
    """Draw the text of a version."""
    found = attempt(
        lambda: read_version(desk.store, desk.person, view.tenant, view.id, version.id, at=place.at, claim=place.claim or None, pointer=place.pointer)
    )
    if found is None:
        refusal = take_refusal()
        draw(tag("div", quote_store(refusal["message"] if refusal else ""), cls="cd-band cd-badband"))
        return
    draw(_head(found, version))
    if found.damaged:
        draw(tag("div", icon("broken_image"), say("The kept bytes are not those that were captured. Restore them from a backup; nothing below can be relied on."), cls="cd-band cd-badband"))
    if found.window is None:
        words = phrase("This version is not text ({type}), and no text was taken out of it.", type=found.media_type[:80])
        draw(tag("div", tag("div", words, cls="cd-muted"), cls="cd-card"))
    else:
        _draw_text(found, view, place)
        if has_pages(found):
            draw_picture(desk, found, view, place)
        draw_choosing(desk, view, version, found, "".join(segment.text for segment in found.window.segments))
    _apart(found, view, place)
