"""A table as rows and cells, and JSON as lines, with the passages of claims marked in them."""

from __future__ import annotations

import re

from pages.widgets.language import number, phrase, say, say_count
from pages.widgets.markup import Markup, join, tag
from pages.widgets.source_marks import Marker
from pages.widgets.source_place import Place
from pages.widgets.status import icon
from store import DataCut, DataLine, DataPage, Unreadable

_NUMBER = re.compile(r"[-+(]?[\d.,\u00a0\u202f ]*\d[\d.,]*\)?%?")
_DEEPEST = 12
#: Characters of a cell that stand on one line.
_SHORT = 36


def _cut(cut: DataCut, marker: Marker) -> Markup:
    parts = [marker.segments(cut.segments)]
    if cut.before:
        parts.insert(0, tag("span", say_count("… {n} character before …", "… {n} characters before …", cut.before), cls="cs-elided"))
    if cut.after:
        parts.append(tag("span", say_count("… {n} more character", "… {n} more characters", cut.after), cls="cs-elided"))
    return join(parts)


def _words(cut: DataCut) -> str:
    return "".join(one.text for one in cut.segments)


def draw_table(page: DataPage, marker: Marker) -> Markup:
    """Return rows of a table under the names of its columns."""
    numeric = set()
    for place in range(len(page.columns)):
        its = [_words(row[place]) for _, row in page.rows if place < len(row)]
        filled = [text.strip() for text in its if text.strip()]
        if filled and all(len(text) <= 30 and _NUMBER.fullmatch(text) for text in filled):
            numeric.add(place)

    long = {at for at in range(len(page.columns)) if any(at < len(row) and len(_words(row[at])) > _SHORT for _, row in page.rows)}

    def look(at: int) -> str:
        return " ".join(one for one in ("cd-num" if at in numeric else "", "cs-long" if at in long else "") if one)

    names = [
        tag("th", _cut(name, marker) if name.segments else tag("span", say("column {n}", n=number(place)), cls="cd-muted"), cls=look(at))
        for at, (place, name) in enumerate(page.columns)
    ]
    head = tag("tr", tag("th", say("Row"), cls="cs-rownumber"), *names)
    rows = [
        tag("tr", tag("td", number(n), cls="cs-rownumber"), *(tag("td", _cut(cell, marker), cls=look(at)) for at, cell in enumerate(row))) for n, row in page.rows
    ]
    return tag("div", tag("table", tag("thead", head), tag("tbody", *rows), cls="cd-table cs-data"), cls="cd-scroll cs-tablebox")


def _line(line: DataLine, marker: Marker) -> Markup:
    name = tag("span", _cut(line.name, marker), cls="cs-jname") if line.name.segments else None
    cls = " ".join(("cs-jline", f"cs-in{min(line.depth, _DEEPEST)}"))
    return tag("div", name, tag("span", _cut(line.value, marker)), cls=cls, title=line.pointer[:400] or None)


def draw_json(page: DataPage, marker: Marker) -> Markup:
    """Return lines of a JSON document."""
    above = next((line.pointer.rpartition("/")[0] for line in page.lines if not line.closes), "")
    within = tag("div", phrase("within {pointer}", pointer=tag("span", above[:400], cls="cd-mono")), cls="cd-muted cd-small") if above and page.first else None
    return join((*([within] if within is not None else []), tag("div", *(_line(line, marker) for line in page.lines), cls="cd-passage cd-whole cd-tabular cs-body cs-json")))


def draw_jumps(page: DataPage, marker: Marker, place: Place) -> list[Markup]:
    """Return the ways to what stands before and after, and to the next marked passage."""

    def to(at: int | None, words: str) -> Markup | None:
        return None if at is None else tag("a", words, cls="cd-link", href=place.link(at=at, claim=""))

    found = marker.found
    spots = {"first": number(page.first + 1), "last": number(page.first + page.count), "total": number(page.total)}
    where = say("rows {first}–{last} of {total}", **spots) if page.kind == "table" else say("lines {first}–{last} of {total}", **spots)
    parts = []
    if found.previous is not None or found.next is not None:
        parts.append(tag("div", to(found.previous, say("↑ marked passage before")), to(found.next, say("↓ next marked passage")), cls="cd-pager"))
    if page.before is not None or page.after is not None:
        parts.append(tag("div", to(page.before, say("← before")), tag("span", where, cls="cd-muted"), to(page.after, say("after →")), cls="cd-pager"))
    return parts


def draw_limits(page: DataPage) -> list[Markup]:
    """Return what has to be said of a table that is not even or not shown whole."""
    parts = []
    if page.uneven:
        words = say_count("{n} row has more or fewer cells than there are columns.", "{n} rows have more or fewer cells than there are columns.", page.uneven)
        parts.append(tag("div", icon("warning"), words, cls="cd-status cd-amber"))
    if page.hidden:
        words = say_count("{n} more column, in which nothing is marked, is not shown.", "{n} more columns, in which nothing is marked, are not shown.", page.hidden)
        parts.append(tag("div", words, cls="cd-muted cd-small"))
    return parts


def draw_unreadable(why: Unreadable) -> Markup:
    """Return why a version is shown as plain text although its type says that it is data."""
    if why.kind == "json":
        words = say("It is said to be JSON, and from line {n} on it cannot be read as that. It is shown as it is written.", n=number(why.line))
    else:
        words = say("It is said to be a table, and from line {n} on it cannot be read as one. It is shown as it is written.", n=number(why.line))
    return tag("div", icon("data_alert"), words, cls="cd-band cd-warnband")
