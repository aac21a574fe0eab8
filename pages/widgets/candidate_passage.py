"""The passage a candidate claims to come from: the hero of its screen."""

from __future__ import annotations

import re
from dataclasses import replace

from pages.widgets.candidate_words import exact
from pages.widgets.desk import address, record_link
from pages.widgets.language import number, quote_store, say, say_count
from pages.widgets.markup import Markup, join, long_text, tag
from pages.widgets.status import icon
from store import Excerpt, Passage, spaced

_PLACES = 5
#: A table whose lines are no longer is read by scrolling sideways, in characters.
_COLUMNS = 110
#: Of a passage so much stands open, in characters.
_LONG = 4_000


def _position(excerpt: Excerpt) -> str:
    if excerpt.line_start is None:
        return ""
    places = {"start": number(excerpt.start or 0), "end": number(excerpt.end or 0)}
    if excerpt.page is not None:
        return say("page {page}, characters {start}–{end} of the text", page=number(excerpt.page), **places)
    if excerpt.line_start == excerpt.line_end:
        return say("line {line}, characters {start}–{end}", line=number(excerpt.line_start), **places)
    last = number(excerpt.line_end or excerpt.line_start)
    return say("lines {first}–{last}, characters {start}–{end}", first=number(excerpt.line_start), last=last, **places)


def is_tabular(text: str) -> bool:
    """Return whether a text is lines of a table, whose columns stand under each other only in a monospaced face."""
    lines = [line for line in text.splitlines() if line.strip()]
    piped = sum(line.lstrip().startswith("|") for line in lines)
    separated = sum(line.count(",") >= 3 and len(line) < 200 and ", " not in line for line in lines)
    return max(piped, separated) >= max(2, len(lines) // 3)


def from_word(text: str) -> str:
    """Return a text that was cut somewhere from its first whole word on."""
    start = re.search(r"\s+", text[:24])
    return text[start.end() :] if start else text


def face_of(text: str) -> str:
    """Return the classes of a passage: a table is monospaced, and scrolls sideways where little else is there and its lines are short."""
    if not is_tabular(text):
        return ""
    lines = [line for line in text.splitlines() if line.strip()]
    table = sum(line.lstrip().startswith("|") for line in lines) * 2 >= len(lines)
    return "cd-tabular cd-columns" if table and max(map(len, lines)) <= _COLUMNS else "cd-tabular"


def lines_of(text: str, start: int = 0, end: int = 0) -> list[Markup]:
    """Return a text with a table in it line by line, so that the table's lines keep their columns and the others are broken; `start` to `end` is marked."""
    found, at = [], 0
    around = "cc-around" if end > start else ""
    for line in text.split("\n"):
        cuts = [min(max(cut - at, 0), len(line)) for cut in (start, end)]
        parts = [tag("span", line[: cuts[0]], cls=around), tag("mark", line[cuts[0] : cuts[1]]), tag("span", line[cuts[1] :], cls=around)]
        shown = [part for part, words in zip(parts, (line[: cuts[0]], line[cuts[0] : cuts[1]], line[cuts[1] :]), strict=True) if words]
        found.append(tag("span", *shown, cls="cd-line cd-columns" if line.lstrip().startswith("|") else "cd-line"))
        at += len(line) + 1
    return found


def draw_excerpt(excerpt: Excerpt, cls: str = "") -> Markup:
    """Return a stretch of a source with its passage marked."""
    before = "… " + from_word(excerpt.before) if excerpt.cut_before else excerpt.before
    after = excerpt.after + (" …" if excerpt.cut_after else "")
    whole = before + excerpt.passage + after
    if is_tabular(whole) and len(excerpt.passage) <= _LONG:
        return tag("div", *lines_of(whole, len(before), len(before) + len(excerpt.passage)), cls=f"cd-passage cd-tabular {cls}")
    cls = f"{cls} {face_of(whole)}"
    return tag(
        "div",
        tag("span", before, cls="cc-around"),
        tag("mark", long_text(excerpt.passage, _LONG)) if excerpt.passage else "",
        tag("span", after, cls="cc-around"),
        cls=f"cd-passage {cls}",
    )


def _head(passage: Passage, tenant: str, position: str) -> Markup:
    edition = say("version {n}", n=passage.version) if passage.version is not None else None
    captured = say("captured {time}", time=exact(passage.captured_at)) if passage.captured_at else None
    facts = [one for one in (edition, captured, spaced(passage.authority or ""), position or None) if one]
    whole = None
    if passage.source is not None and passage.version is not None:
        at = passage.look.place
        pointer = (passage.look.span or {}).get("pointer") if passage.look.ok and passage.look.is_json else None
        place = address("sources", source=passage.source, tenant=tenant, a=str(passage.version), at=str(max(0, at - 400)) if at else None, pointer=pointer)
        whole = tag("a", say("in the whole document"), cls="cd-link", href=place)
    return tag(
        "div",
        tag("b", passage.title),
        tag("span", "  ", join(facts, " · "), "  ", record_link(passage.look.evidence, tenant), cls="cd-muted"),
        tag("span", "  ", whole, cls="cd-muted") if whole is not None else None,
        cls="cc-sourceline",
    )


def _tighten(excerpt: Excerpt, around: int = 90) -> Excerpt:
    """Return an excerpt with fewer words around its passage."""
    before, after = excerpt.before[-around:], excerpt.after[:around]
    return replace(
        excerpt, before=before, after=after, cut_before=excerpt.cut_before or len(before) < len(excerpt.before),
        cut_after=excerpt.cut_after or len(after) < len(excerpt.after),
    )  # fmt: skip


def _wrong(passage: Passage) -> Markup:
    """Return both: what stands at the span, and where the quote really is; of a passage that is blotted out, that it is."""
    look = passage.look
    if look.blotted:
        words = say("This passage is blotted out, because something it said was asked to be forgotten. What was taken from it cannot be checked any more.")
        band = tag("div", icon("ink_eraser"), tag("span", words), cls="cd-band")
        return band if look.shown is None else join((band, draw_excerpt(look.shown, "cc-code" if look.is_json else "")))
    words = quote_store(look.message) if look.shown is None else say("The quote does not stand where its span says.")
    parts = [tag("div", icon("wrong_location"), tag("span", words), cls="cd-band cd-badband")]
    if look.shown is not None:
        parts.append(tag("div", say("What stands at that place"), tag("span", " ", _position(look.shown), cls="cd-muted"), cls="cc-label"))
        parts.append(draw_excerpt(_tighten(look.shown), "cc-notthere"))
    if look.quote is not None:
        if look.occurs:
            many = say_count("The quote really stands here", "The quote really stands in {n} places", len(look.occurs))
            for place, found in enumerate(look.occurs[:_PLACES]):
                parts.append(tag("div", many if place == 0 else say("and here"), tag("span", " ", _position(found), cls="cd-muted"), cls="cc-label"))
                parts.append(draw_excerpt(_tighten(found, 240)))
            if len(look.occurs) > _PLACES:
                left = say_count("and {n} more place", "and {n} more places", len(look.occurs) - _PLACES)
                parts.append(tag("div", left, cls="cd-muted cd-small"))
        else:
            parts.append(tag("div", say("The quote it gives"), cls="cc-label"))
            parts.append(tag("div", tag("mark", look.quote[:4000]), cls="cd-passage cc-quoted"))
            if not look.is_json:
                parts.append(tag("div", say("It occurs nowhere in this version."), cls="cd-muted cd-small"))
    return join(parts)


def draw_passage(passage: Passage, tenant: str) -> Markup:
    """Return one bound passage as a card."""
    look = passage.look
    position = _position(look.shown) if look.ok and look.shown is not None else ""
    if look.ok and look.is_json and look.span and look.span.get("pointer") is not None:
        position = say("at {place}", place=look.span["pointer"]) if look.span["pointer"] else say("at the top")
    head = _head(passage, tenant, position)
    if not look.ok:
        body = _wrong(passage)
    elif look.shown is None:
        body = tag("div", quote_store(look.message), cls="cd-muted")
    elif look.quote is None:
        body = join(
            (
                tag("div", say("It names this version as a whole, without a passage. This is how it begins:"), cls="cd-muted cd-small"),
                draw_excerpt(look.shown),
            )
        )
    else:
        body = draw_excerpt(look.shown, "cc-code" if look.is_json else "")
    return tag("div", head, body, cls="cd-card cc-hero")
