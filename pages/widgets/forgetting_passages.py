"""The passages a request would black out, each with the text around it, and the other claims that fall with them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pages.widgets.candidate_passage import from_word, is_tabular
from pages.widgets.candidate_words import shorten
from pages.widgets.desk import record_link
from pages.widgets.forgetting_place import Place
from pages.widgets.language import number, phrase, say, say_count
from pages.widgets.markup import Markup, join, tag
from pages.widgets.status import badge, icon
from store import ForeseenDocument, ForeseenPassage, ForeseenPassages

#: Versions, and claims that fall, that stand open; the others are folded.
_VERSIONS, _CLAIMS = 6, 6
#: A line that names a member, as JSON does.
_MEMBER = re.compile(r'^\s*"[^"\n]*"\s*:', re.MULTILINE)


def draw_passages(found: ForeseenPassages, tenant: str, place: Place) -> Markup:
    """Return the passages by document; each document may be left readable."""
    head = tag("h2", say("Passages that are blacked out"), tag("span", number(found.total), cls="cd-tally"), cls="cd-heading")
    if not found.documents_total and not found.kept:
        words = say("No passage of a document is bound to it. If its words stand in a document all the same, name the document, too.")
        return tag("div", head, tag("p", words, cls="cd-muted cd-small"), cls="fg-section")
    lead = say_count(
        "In {n} version, letter for letter, so that every other passage keeps its place.", "In {n} versions, letter for letter, so that every other passage keeps its place.",
        found.staying,
    )  # fmt: skip
    parts = [_document(one, tenant, place) for one in found.documents[:_VERSIONS]]
    folded = found.documents[_VERSIONS:]
    if folded:
        summary = tag("summary", say_count("{n} more version with passages", "{n} more versions with passages", len(folded)))
        parts.append(tag("details", summary, *(_document(one, tenant, place) for one in folded), cls="cd-more fg-section"))
    left = found.documents_total - found.hidden - len(found.documents)
    if left > 0:
        parts.append(tag("div", say_count("and {n} more version", "and {n} more versions", left), cls="cd-muted cd-small"))
    if found.hidden:
        parts.append(tag("div", icon("visibility_off"), say_count("{n} more in scopes you may not see.", "{n} more in scopes you may not see.", found.hidden), cls="cd-muted cd-small"))
    for one, title in found.kept.items():
        back = tag("a", say("black them out after all"), cls="cd-link", href=place.link(keep=tuple(other for other in place.keep if other != one)))
        parts.append(tag("div", icon("visibility"), phrase("Its passages in {document} stay readable: {back}", document=record_link(one, tenant, shorten(title, 120)), back=back), cls="cd-small fg-passagehead"))
    return tag("div", head, tag("p", lead, cls="cd-muted cd-small") if found.total else None, *parts, _falling(found, tenant), cls="fg-section fg-passages")


def _document(one: ForeseenDocument, tenant: str, place: Place) -> Markup:
    if one.whole:
        note = tag("span", say("is itself forgotten: all of it is blacked out"), cls="cd-muted")
        return tag("div", record_link(one.id, tenant, shorten(one.title, 140)), note, cls="fg-passagehead")
    count = tag("span", say_count("{n} passage", "{n} passages", one.total), cls="cd-muted")
    keep = tag("a", say("leave them readable"), cls="cd-link", href=place.link(keep=(*place.keep, one.id)))
    more = one.total - len(one.passages)
    rest = tag("div", say_count("and {n} more passage", "and {n} more passages", more), cls="cd-muted cd-small") if more > 0 else None
    head = tag("div", record_link(one.id, tenant, shorten(one.title, 140)), count, keep, cls="fg-passagehead")
    return join((head, *_excerpts(one.passages), rest or ""))


def _excerpts(passages: Sequence[ForeseenPassage]) -> list[Markup]:
    """Return the text around passages, those that stand near each other in one piece."""
    pieces: list[tuple[list[Markup], str]] = []
    for one in passages:
        if one.joined and pieces:
            pieces[-1][0].append(_passage(one))
        else:
            pieces.append(([_passage(one)], one.before + one.words + one.after))
    return [_piece(parts, text) for parts, text in pieces]


def _piece(parts: list[Markup], text: str) -> Markup:
    """Return a piece of a document: tables and data are monospaced, and a table keeps its columns."""
    if is_tabular(text):
        return tag("div", *parts, cls="fg-passage fg-tabular cd-scroll")
    return tag("div", *parts, cls="fg-passage fg-data" if _MEMBER.search(text) else "fg-passage")


def _passage(one: ForeseenPassage) -> Markup:
    before = "… " + from_word(one.before) if one.cut_before else one.before
    after = one.after + (" …" if one.cut_after else "")
    cut = tag("span", say_count(" … {n} more character", " … {n} more characters", one.shortened), cls="cd-muted") if one.shortened else None
    marked = tag("mark", one.words, cut) if one.words or cut else ""
    return join((tag("span", before, cls="cd-muted"), marked, tag("span", after, cls="cd-muted")))


def _falling(found: ForeseenPassages, tenant: str) -> Markup | None:
    """Return the other claims that fall because their passage is met."""
    if not found.falling_total:
        return None
    lead = say_count("{n} other claim falls, because its passage is met.", "{n} other claims fall, because their passages are met.", found.falling_total)
    rows = [
        tag("div", tag("div", record_link(one.id, tenant, shorten(one.title, 140)), tag("div", tag("span", one.id[:120], cls="cd-id"), cls="cd-muted cd-small")), badge(one.status), cls="fg-copyrow")
        for one in found.falling
    ]
    left = found.falling_total - found.hidden_claims - len(found.falling)
    if left > 0:
        rows.append(tag("div", say_count("and {n} more", "and {n} more", left), cls="cd-muted cd-small"))
    if found.hidden_claims:
        rows.append(tag("div", icon("visibility_off"), say_count("{n} more in scopes you may not see.", "{n} more in scopes you may not see.", found.hidden_claims), cls="cd-muted cd-small"))
    folded = None
    if len(rows) > _CLAIMS:
        summary = tag("summary", say_count("{n} more claim that falls", "{n} more claims that fall", found.falling_total - _CLAIMS))
        folded, rows = tag("details", summary, *rows[_CLAIMS:], cls="cd-more"), rows[:_CLAIMS]
    return tag("div", tag("p", tag("b", lead)), *rows, folded, cls="fg-section")
