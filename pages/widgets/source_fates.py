"""What became of passages, in words: one look each, and lists of them."""

from __future__ import annotations

from pages.widgets.candidate_words import shorten
from pages.widgets.desk import record_link
from pages.widgets.language import later, later_count, number, phrase_count, say, say_count
from pages.widgets.markup import Markup, join, tag
from pages.widgets.passage_words import was_and_now
from pages.widgets.source_place import Place
from pages.widgets.status import badge, icon
from store import PassageFate, VersionDifference

#: fate -> (word, symbol, tone); changed and gone first, because they need somebody.
_LOOKS = {
    "changed": (later("changed"), "edit", "amber"), "gone": (later("gone"), "delete", "red"), "cosmetic": (later("white space only"), "format_align_left", "slate"),
    "moved": (later("moved"), "move_down", "slate"), "unchanged": (later("unchanged"), "check_circle", "teal"),
}  # fmt: skip
FATES = tuple(_LOOKS)
#: fate -> what it says of claims.
FATE_COUNTS = {
    "changed": later_count("{n} passage changed", "{n} passages changed"), "gone": later_count("{n} passage is gone", "{n} passages are gone"),
    "cosmetic": later_count("{n} differs in white space only", "{n} differ in white space only"), "moved": later_count("{n} moved", "{n} moved"),
    "unchanged": later_count("{n} stands as it was", "{n} stand as they were"),
}  # fmt: skip
_SHOWN = 60


def fate_badge(fate: str) -> Markup:
    """Return a verdict as icon, word and colour."""
    word, symbol, tone = _LOOKS[fate]
    return tag("span", icon(symbol), say(word), cls=f"cd-status cd-{tone}")


def fate_counts(counts: dict[str, int]) -> Markup:
    """Return how many claims have each verdict."""
    parts = [
        tag("span", icon(_LOOKS[fate][1]), phrase_count(*FATE_COUNTS[fate], counts.get(fate, 0), n=tag("b", number(counts.get(fate, 0)))), cls=f"cd-{_LOOKS[fate][2]}")
        for fate in FATES
        if counts.get(fate)
    ]
    return tag("div", *parts, cls="cd-counts cs-fates")


def score_words(score: float) -> str:
    """Return how alike a proposed place is."""
    return say("{share} alike", share=f"{score:.0%}")


def fate_row(one: PassageFate, tenant: str) -> Markup:
    """Return a passage's verdict with its claim, and for what fell the words before and the place proposed."""
    claim = one.claim
    rows = [tag("div", fate_badge(one.fate), badge(claim.status), record_link(claim.id, tenant, shorten(claim.title, 140)), cls="cs-fate")]
    if one.fate in ("changed", "gone"):
        rows += was_and_now(claim.quote, one.now, score=score_words(one.score))
    return tag("li", *rows)


def fate_list(found: VersionDifference, tenant: str, place: Place) -> Markup:
    """Return every passage's verdict, grouped: those that need somebody open, the others folded."""
    del place
    parts = []
    for fate in FATES:
        its = [one for one in found.fates if one.fate == fate]
        if not its:
            continue
        rows = [fate_row(one, tenant) for one in its[:_SHOWN]]
        left = found.counts.get(fate, 0) - len({one.claim.id for one in its[:_SHOWN]})
        if left > 0:
            rows.append(tag("li", say_count("and {n} more, not shown here", "and {n} more, not shown here", left), cls="cd-muted cd-small"))
        title = phrase_count(*FATE_COUNTS[fate], found.counts.get(fate, 0) or len({one.claim.id for one in its}))
        body = tag("ol", *rows, cls="cs-claims")
        if fate in ("changed", "gone"):
            parts.append(join((tag("h3", title, cls="cd-heading"), body)))
        else:
            parts.append(tag("details", tag("summary", title), body, cls="cd-more"))
    return join(parts)
