"""The open conflicts: one sentence, counts that are ways to their lists, the matrix, and a page of the list."""

from __future__ import annotations

from pages.widgets.conflict_place import Place
from pages.widgets.conflict_words import (
    ONLY_ICONS,
    column_lines,
    likeness_words,
    only_words,
    origin_words,
    question_words,
    reach_words,
    short_value,
    why_words,
)
from pages.widgets.desk import address
from pages.widgets.language import number, phrase, phrase_count, say, say_count
from pages.widgets.markup import Markup, draw, join, tag
from pages.widgets.status import icon
from store import CONFLICTS_ONLY, CONFLICTS_PAGE, LIKENESSES, WHY, ConflictBrief, ConflictQueue, ConflictSift, spaced


def draw_sentence(queue: ConflictQueue, place: Place) -> None:
    """Draw what is so, in one sentence."""
    sift, counts = place.sift, queue.counts
    if sift.predicate is not None and queue.total:
        n, what = tag("b", number(queue.matched)), tag("b", spaced(sift.predicate)[:120])
        if sift.is_group:
            names = tag("b", _group_words(sift))
            of = phrase_count(
                "{n} conflict about {what} between {sources}.",
                "{n} conflicts about {what} between {sources}.",
                queue.matched,
                n=n,
                what=what,
                sources=names,
            )
        else:
            of = phrase_count("{n} conflict about {what}.", "{n} conflicts about {what}.", queue.matched, n=n, what=what)
        draw(tag("h1", of, cls="cf-sentence"))
        return
    if not queue.total:
        draw(tag("h1", phrase("{nothing} is contested.", nothing=tag("b", say("Nothing"))), cls="cf-sentence"))
        return
    parts = [
        phrase_count("{n} conflict is open", "{n} conflicts are open", queue.total, n=tag("b", number(queue.total))),
        *(
            [phrase_count("{n} blocks an action", "{n} block an action", counts["blocks"], n=tag("b", f"{counts['blocks']:,}"))]
            if counts["blocks"] else []
        ),
        *_reaching(counts["delivered"], further=counts["blocks"] > 0),
        *_crossing(counts["threshold"], further=counts["blocks"] + counts["delivered"] > 0),
    ]  # fmt: skip
    tail = say("Agents that ask for any of these get no answer until it is settled.")
    readable = queue.total - queue.decidable
    if readable:
        tail += " " + say_count("{n} you may only look at.", "{n} you may only look at.", readable)
    draw(tag("h1", join(parts, "; "), ". ", tag("span", tail, cls="cd-muted"), cls="cf-sentence"))


def _reaching(count: int, *, further: bool) -> list[Markup]:
    """Return how many reach something delivered; `further` to those named before."""
    n = tag("b", number(count))
    if not count:
        return []
    if further:
        return [phrase_count("{n} more reaches something delivered", "{n} more reach something delivered", count, n=n)]
    return [phrase_count("{n} reaches something delivered", "{n} reach something delivered", count, n=n)]


def _crossing(count: int, *, further: bool) -> list[Markup]:
    """Return how many cross a threshold; `further` to those named before."""
    n = tag("b", number(count))
    if not count:
        return []
    if further:
        return [phrase_count("{n} more crosses a threshold", "{n} more cross a threshold", count, n=n)]
    return [phrase_count("{n} crosses a threshold", "{n} cross a threshold", count, n=n)]


def _group_words(sift: ConflictSift) -> str:
    names = " × ".join(origin_words(name) for name in sift.origins)
    return say("{source} and others", source=names) if sift.others else names


def draw_counts(queue: ConflictQueue, place: Place) -> None:
    """Draw the counts, each a way to the list it counts: why they stand there, and in a group how the values differ."""
    chips = []
    for only in CONFLICTS_ONLY:
        count, here = queue.counts[only], place.sift.only == only and place.sift.likeness is None
        if not here and (not count or (only != "all" and count == queue.counts["all"])):
            continue
        chips.append(_chip(ONLY_ICONS[only], number(count), only_words(only), place.link(only=only, likeness=None), here=here))
    if place.sift.predicate is not None:
        present = [one for one in LIKENESSES if queue.likenesses[one] or one == place.sift.likeness]
        if len(present) > 1 or place.sift.likeness:
            for one in present:
                here = place.sift.likeness == one
                chips.append(
                    _chip("difference", f"{queue.likenesses[one]:,}", likeness_words(one), place.link(likeness=None if here else one), here=here)
                )
    if len(chips) > 1:
        draw(tag("nav", *chips, cls="cf-picks", label=say("What is shown")))


def _chip(symbol: str, count: str, words: str, href: str, *, here: bool) -> Markup:
    return tag("a", icon(symbol), tag("b", count), f" {words}", cls="cd-link cf-pick" + (" cf-here" if here else ""), href=href)


def draw_matrix(queue: ConflictQueue, place: Place) -> None:
    """Draw predicates against sets of sources; every conflict stands in one cell, and every count leads to its group."""
    matrix = queue.matrix
    if not any(total > 1 for _, total, _ in matrix.rows):
        return  # where nothing is contested twice, a group says no more than the list
    head = [tag("th", say("What is contested")), tag("th", say("all"), cls="cd-num")]
    for column in matrix.columns:
        name = tag("a", *column_lines(column), cls="cd-link", href=place.of_column(column).address(), title=" × ".join(column.origins)[:400])
        head.append(tag("th", name, cls="cf-col"))
    rows = []
    for predicate, total, counts in matrix.rows:
        cells = [
            tag("td", tag("a", number(count), cls="cd-link", href=place.of_column(column, predicate).address()) if count else "", cls="cd-num")
            for column, count in zip(matrix.columns, counts, strict=True)
        ]
        whole = tag(
            "a", number(total), cls="cd-link", href=place.at(predicate=predicate, origins=(), others=False, without=(), likeness=None).address()
        )
        rows.append(tag("tr", tag("th", spaced(predicate)[:80]), tag("td", tag("b", whole), cls="cd-num"), *cells))
    draw(
        tag("h2", say("By what is contested, and between whom"), cls="cd-heading"),
        tag("div", tag("table", tag("tr", *head), *rows, cls="cd-table cf-matrix"), cls="cd-scroll"),
    )


def draw_rows(queue: ConflictQueue, place: Place) -> None:
    """Draw one page of the list."""
    if not queue.rows:
        draw(
            tag(
                "div", tag("b", say("No conflict matches")), tag("a", say("Show every open conflict"), cls="cd-link", href=place.overview().address()),
                cls="cd-empty",
            )
        )  # fmt: skip
        return
    draw(tag("h2", say("In the order they matter"), cls="cd-heading"))
    if place.sift.predicate is None:
        letter = tag("a", say("the owner of a source"), cls="cd-link", href=address("letter", scope=place.sift.scope))
        draw(tag("div", icon("mail"), phrase("To print what is contested as a letter, choose {owner}.", owner=letter), cls="cd-small cd-muted"))
    for why in WHY:
        rows = [_row(row, place) for row in queue.rows if row.why == why]
        if rows:
            draw(
                tag("h3", icon(ONLY_ICONS[why]), why_words(why), cls="cf-why"),
                tag("div", tag("table", _head(), *rows, cls="cd-table cf-list"), cls="cd-scroll"),
            )
    draw_pager(queue, place)


def _head() -> Markup:
    return tag("tr", tag("th", say("about")), tag("th", say("what is said, and where")), tag("th", say("who uses it")))


def _row(row: ConflictBrief, place: Place) -> Markup:
    name = tag("a", question_words(row), cls="cd-link cf-subject", href=place.of((row.tenant, row.id)).address())
    values = [
        tag(
            "span", tag("b", short_value(one.value, 70)), tag("span", f" {', '.join(origin_words(name, 30) for name in one.names[:3])}", cls="cd-muted"),
            cls="cf-brief",
        )
        for one in row.values[:4]
    ]  # fmt: skip
    if len(row.values) > 4:
        values.append(tag("span", say_count("and {n} more", "and {n} more", len(row.values) - 4), cls="cd-muted"))
    asked = tag("span", icon("contact_support"), say("asked"), cls="cd-muted") if row.asked else None
    return tag(
        "tr", tag("td", name, tag("span", spaced(row.predicate)[:60], cls="cd-muted cf-predicate"), asked), tag("td", *values),
        tag("td", reach_words(row.reach, row.delivered), cls="cf-reach"),
    )  # fmt: skip


def draw_pager(queue: ConflictQueue, place: Place) -> None:
    """Draw which part of the list this is, and the ways to the parts beside it."""
    if queue.matched <= CONFLICTS_PAGE:
        return
    page, pages = queue.first // CONFLICTS_PAGE + 1, (queue.matched - 1) // CONFLICTS_PAGE + 1
    before, after = say("‹ earlier page"), say("next page ›")
    last = min(queue.first + CONFLICTS_PAGE, queue.matched)
    where = say("{first}–{last} of {all}", first=f"{queue.first + 1:,}", last=f"{last:,}", all=number(queue.matched))
    here = place.of(None)
    draw(
        tag(
            "div", tag("a", before, cls="cd-link", href=here.link(page=page - 1)) if page > 1 else tag("span", before, cls="cf-off"),
            tag("span", where, cls="cd-muted"), tag("a", after, cls="cd-link", href=here.link(page=page + 1)) if page < pages else tag("span", after, cls="cf-off"),
            cls="cd-pager",
        )
    )  # fmt: skip


def draw_nothing(place: Place) -> None:
    """Draw the state in which no conflict is open."""
    where = say("Nothing is contested in {scope}", scope=place.sift.scope) if place.sift.scope else say("Nothing is contested")
    draw(
        tag(
            "div", icon("task_alt"), tag("b", where),
            say("No two accepted claims say different things about the same question. When two do, they appear here, and agents get no answer until somebody settles it."),
            cls="cd-empty",
        )
    )  # fmt: skip
