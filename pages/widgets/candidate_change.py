"""What stood before a candidate and how it differs, whether its quote says it, and what came since: in words."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from pages.widgets.candidate_words import exact, exact_day, shorten, value_text
from pages.widgets.desk import record_link
from pages.widgets.language import later, listed, number, phrase, say, say_count
from pages.widgets.markup import Markup, join, tag
from pages.widgets.moments import from_micros
from pages.widgets.moments import when as moment_when
from pages.widgets.status import icon
from store import CandidateView, InQuote, Newer, Previous, ValueChange

#: kind of InQuote -> (icon, tone, sentence, word for a narrow column).
_IN_QUOTE = {
    "yes": ("check", "teal", later("The quote says it: {words}"), later("yes")), "scaled": ("straighten", "teal", later("The quote says it at a scale: {words}"), later("scaled")),
    "part": ("rule", "amber", later("The quote says a part of it: {words}"), later("in part")),
    "digits": ("help", "amber", later("The quote has the digits, and no scale is said: {words}"), later("digits only")),
    "no": ("close", "red", later("The quote does not say this value."), later("no")), "untold": ("remove", "muted", later("No words to look for."), later("–")),
}  # fmt: skip


def in_quote_mark(found: InQuote) -> Markup:
    """Return whether a value stands in its quote, as icon and word, for a narrow column."""
    symbol, tone, sentence, word = _IN_QUOTE[found.kind]
    if found.kind == "untold":
        return tag("span", "–", title=say("Nothing to look for: the value has no words of its own."), cls="cd-muted")
    told = phrase(sentence, words=shorten(found.words, 60))
    return tag("span", icon(symbol), say(word), title=told, cls=f"cd-nowrap cd-{tone}")


def in_quote_line(found: InQuote) -> Markup:
    """Return whether a value stands in its quote, as a sentence; nothing where there is nothing to look for."""
    symbol, tone, sentence, _ = _IN_QUOTE[found.kind]
    if found.kind == "untold":
        return Markup("")
    words = tag("b", f"“{shorten(found.words, 80)}”") if found.words else ""
    missing = phrase(" Missing: {items}.", items=listed([shorten(one, 40) for one in found.missing], most=4)) if found.missing and found.kind == "part" else ""
    return tag("div", icon(symbol), tag("span", phrase(sentence, words=words), missing), cls=f"cc-inquote cd-{tone}")


def _size(value: Decimal) -> str:
    text = f"{abs(value):,f}".rstrip("0").rstrip(".") if value != value.to_integral_value() else f"{abs(int(value)):,}"
    return text if len(text) <= 24 else f"{float(abs(value)):.3g}"


def change_words(change: ValueChange) -> str:
    """Return how a value differs from the one before it: +4.2 %, −31 days, 1 more."""
    sign = "+" if change.difference > 0 else "−"
    if change.kind == "same":
        return say("unchanged")
    if change.kind == "number":
        if change.ratio is None:
            return f"{sign}{_size(change.difference)}"
        share = abs(change.ratio) * 100
        shown = f"{share:,.0f}" if share >= 100 else f"{share:.1f}" if share >= 0.05 else f"{share:.2g}"
        return say("{sign}{share} %", sign=sign, share=shown)
    if change.kind == "days":
        return say_count("{sign}{n} day", "{sign}{n} days", abs(int(change.difference)), sign=sign)
    if change.kind == "items":
        parts = [say("{n} more", n=number(len(change.added)))] if change.added else []
        parts += [say("{n} less", n=number(len(change.gone)))] if change.gone else []
        return ", ".join(parts)
    return say("another value")


def draw_previous(view: CandidateView) -> Markup:
    """Return the value accepted last, the change, and since when it stood."""
    one = view.previous
    if one is None:
        return Markup("")
    old = tag("b", shorten(value_text(one.value), 100))
    moved = tag("span", change_words(one.change), cls="cc-moved", title=_change_title(one.change))
    parts: list[Any] = [icon("trending_flat" if one.change.kind == "same" else "change_history"), phrase("{change} from {old}", change=moved, old=old)]
    if one.period:
        parts.append(tag("span", phrase("the figure of {period}", period=one.period), cls="cd-muted"))
    elif one.valid_from:
        parts.append(tag("span", phrase("valid from {day}", day=exact_day(one.valid_from)), cls="cd-muted"))
    if one.since:
        since = phrase("accepted {when} by {name}", when=tag("span", exact_day(one.since), title=exact(one.since)), name=one.by or "")
        parts.append(tag("span", since, cls="cd-muted"))
    if one.status != "ACCEPTED":
        parts.append(tag("span", say(_STATUS_NOW.get(one.status, "")), cls="cd-amber"))
    parts.append(record_link(one.id, view.tenant))
    return tag("div", *(tag("span", part) for part in parts), cls="cc-previous")


_STATUS_NOW = {"STALE": later("needs re-validation now"), "SUPERSEDED": later("superseded since"), "DISPUTED": later("disputed now")}


def _change_title(change: ValueChange) -> str | None:
    if change.kind == "number":
        return f"{'+' if change.difference > 0 else '−'}{_size(change.difference)}"
    if change.kind == "items":
        return "; ".join(f"{sign} {', '.join(items)}" for sign, items in (("+", change.added), ("−", change.gone)) if items)
    return None


def previous_cell(one: Previous | None) -> Markup:
    """Return the value before and the change, for a column."""
    if one is None:
        return tag("span", say("nothing before"), cls="cd-muted")
    since = one.period or (exact_day(one.valid_from) if one.valid_from else "")
    told = tag("span", " ", change_words(one.change), cls="cc-moved" if one.change.kind != "same" else "cd-muted")
    return join((tag("span", shorten(value_text(one.value), 60), title=since or None), told))


def newer_line(one: Newer | None, tenant: str) -> Markup:
    """Return whether a later version of the document still says it; nothing where there is none."""
    if one is None:
        return Markup("")
    link = record_link(one.id, tenant, say("version {n}", n=one.version))
    if one.same is True:
        words = phrase("The document has a {version} since; the quote stands in it word for word.", version=link)
        return tag("div", icon("history_edu"), tag("span", words), cls="cc-inquote cd-muted")
    if one.same is None:
        words = phrase("The document has a {version} since, which is no text to compare.", version=link)
        return tag("div", icon("update"), tag("span", words), cls="cc-inquote cd-amber")
    words = phrase("A newer version is here and differs: the quote does not occur in {version} word for word.", version=link)
    return tag("div", icon("update"), tag("span", words), cls="cc-inquote cd-amber")


def draw_questions(view: CandidateView) -> Markup:
    """Return what was asked about the candidate and what was answered."""
    found = []
    for one in view.questions:
        if one.withdrawn:
            continue
        head = phrase("{by} asked {of} {when}: {text}", by=tag("b", one.by_name), of=tag("b", one.of_name), when=_when(one.at), text=f"“{one.text[:2000]}”")
        if one.answer is not None and one.answered_at is not None:
            by = tag("b", one.answered_by_name or "")
            tail = phrase("{by} answered {when}: {text}", by=by, when=_when(one.answered_at), text=f"“{one.answer[:2000]}”")
            found.append(tag("div", icon("forum"), tag("span", head, tag("div", tail)), cls="cd-band cd-goodband"))
        else:
            tail = tag("div", say("No answer yet. It can be decided all the same."), cls="cd-muted")
            found.append(tag("div", icon("contact_support"), tag("span", head, tail), cls="cd-band"))
    return join(found)


def _when(micros: int) -> Markup:
    return moment_when(from_micros(micros))
