"""What a recapture makes of every passage, drawn wherever its plan is shown: on the page of the source, and on that of a rehearsal."""

from __future__ import annotations

from typing import Any

from pages.widgets.candidate_words import shorten, value_text
from pages.widgets.desk import record_link
from pages.widgets.language import phrase, phrase_count, say, say_count
from pages.widgets.markup import Markup, join, tag
from pages.widgets.passage_words import set_side_by_side, was_and_now
from pages.widgets.source_fates import FATE_COUNTS, FATES, fate_badge, fate_counts, score_words
from pages.widgets.status import badge
from store import Recapture

_ROWS = 60


def passage_groups(found: Recapture, tenant: str) -> Markup:
    """Return the passages by what became of them: those that need somebody open, the others folded."""
    parts: list[Any] = [fate_counts(found.totals)]
    for fate in FATES:
        its = [one for one in found.passages if one["verdict"] == fate]
        if not its:
            continue
        rows = [_row(one, tenant) for one in its[:_ROWS]]
        if found.totals.get(fate, 0) > len(rows):
            rows.append(tag("li", say_count("and {n} more, not shown here", "and {n} more, not shown here", found.totals[fate] - len(rows)), cls="cd-muted cd-small"))
        title = phrase_count(*FATE_COUNTS[fate], found.totals.get(fate, len(its)))
        body = tag("ol", *rows, cls="cs-claims")
        parts.append(join((tag("h3", title, cls="cd-heading"), body)) if fate in ("changed", "gone") else tag("details", tag("summary", title), body, cls="cd-more"))
    return join(parts)


def _row(one: dict[str, Any], tenant: str) -> Markup:
    head = tag("div", fate_badge(one["verdict"]), badge(one["status"]), record_link(one["id"], tenant), cls="cs-fate")
    rows = [head]
    if one["verdict"] in ("changed", "gone"):
        rows += was_and_now(one["quote"], (one.get("proposed") or {}).get("quote"), score=score_words(one.get("score") or 0.0))
    elif one.get("offered"):
        rows.append(tag("div", say("Its version was withdrawn, so somebody has to confirm it."), cls="cd-muted cd-small"))
    elif one.get("comes_back"):
        rows.append(tag("div", say("It comes back with this commit."), cls="cd-muted cd-small"))
    return tag("li", *rows)


def new_values(found: Recapture, tenant: str) -> Markup | None:
    """Return the candidates with new values that come with the plan, each beside what it answers; None where there are none."""
    if not found.proposed:
        return None
    rows = [
        tag("li", phrase("{value} instead of what {claim} says", value=tag("b", shorten(value_text(one["value"]), 160)), claim=record_link(one["answers"], tenant)))
        for one in found.proposed[:_ROWS]
    ]
    if len(found.proposed) > _ROWS:
        rows.append(tag("li", say_count("and {n} more, not shown here", "and {n} more, not shown here", len(found.proposed) - _ROWS), cls="cd-muted cd-small"))
    title = say_count("{n} candidate with a new value comes with it.", "{n} candidates with new values come with it.", len(found.proposed))
    return join((tag("p", title, cls="cd-small"), tag("ul", *rows, cls="cd-list")))


def passage_table(found: Recapture) -> Markup | None:
    """Return the passages that changed or are gone as a table to print, with the score of what is proposed; None where there are none."""
    fallen = [one for one in found.passages if one["verdict"] in ("changed", "gone")]
    if not fallen:
        return None
    head = tag("tr", *(tag("th", word) for word in (say("what stood on it"), say("verdict"), say("before"), say("perhaps now"))))
    rows = []
    for one in fallen:
        then, now = set_side_by_side(one["quote"], (one.get("proposed") or {}).get("quote"))
        score = tag("div", score_words(one.get("score") or 0.0), cls="cd-muted cd-small") if now else None
        cell = tag("td", now, score) if now else tag("td", say("nothing like it"), cls="cd-muted")
        rows.append(tag("tr", tag("td", one["id"], cls="cd-id"), tag("td", fate_badge(one["verdict"])), tag("td", then), cell))
    return tag("div", tag("table", head, *rows, cls="cd-table rh-print"), cls="cd-scroll")
