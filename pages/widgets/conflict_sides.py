"""One conflict, drawn: its values beside each other around what was accepted last, the time they hold, and their passages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime

from pages.widgets.candidate_passage import draw_passage
from pages.widgets.candidate_words import exact, exact_day, interval, moment
from pages.widgets.conflict_place import Place
from pages.widgets.conflict_words import ONLY_ICONS, reach_words, verdict_words, which_words, whole_value, why_words
from pages.widgets.desk import person_name, record_link
from pages.widgets.language import phrase, say, say_count
from pages.widgets.markup import Markup, join, long_text, tag
from pages.widgets.moments import say_month
from pages.widgets.status import badge, icon
from store import AskedQuestion, ConflictSide, ConflictView, ContestedValue, Near, format_time, spaced

_MOST = 6


def draw_top(view: ConflictView) -> Markup:
    """Return which question it is about and why it stands where it stands."""
    which = which_words(view.qualifiers)
    question = join((tag("b", view.subject[:200]), " · ", spaced(view.predicate)[:120], f" · {which}"[:200] if which else ""))
    state = badge("CONFLICT") if view.open else tag("span", icon("task_alt"), say("Settled"), cls="cd-status cd-teal")
    why = tag("span", icon(ONLY_ICONS[view.why]), why_words(view.why), cls="cf-chip") if view.open else None
    return tag(
        "div", tag("h1", question, cls="cf-question"),
        tag("div", state, tag("span", say("in {scope}", scope=view.scope[:160]), cls="cf-chip"), why,
            tag("span", say("open since {day}", day=exact_day(view.opened_at)), cls="cf-chip", title=exact(view.opened_at)) if view.open and view.opened_at else None,
            cls="cf-marks"),
        cls="cf-top",
    )  # fmt: skip


def draw_closed(view: ConflictView) -> Markup:
    """Return how a conflict ended that is not open any more."""
    if view.verdict:
        told = phrase(
            "{who} settled it on {when}: {verdict}.", who=tag("b", view.closed_by or ""), when=exact(view.closed_at), verdict=verdict_words(view.verdict)
        )  # fmt: skip
        return tag("div", told, tag("div", f"“{view.reason}”", cls="cd-muted") if view.reason else None, cls="cd-band cd-goodband")
    told = phrase("It dissolved on {when}, when its sides changed; nobody gave a verdict.", when=exact(view.closed_at))
    return tag("div", told, cls="cd-band")


# --- the comparison -----------------------------------------------------------------------------------------------


def _together(texts: Iterable[str | None]) -> str:
    found = list(dict.fromkeys(text for text in texts if text))
    more = say_count(" and {n} more", " and {n} more", len(found) - _MOST) if len(found) > _MOST else ""
    return " · ".join(found[:_MOST]) + more


def _unit(value: object) -> str:
    return str(value.get("currency") or value.get("unit") or "") if isinstance(value, dict) else ""


def _extraction(side: ConflictSide) -> str:
    found = side.line.get("extraction") or {}
    return f"{found.get('method', '')} {found.get('version', '')}".strip()


_Reading = Callable[[ConflictSide], str | None]


def _rows() -> tuple[tuple[str, _Reading], ...]:
    return (
        (say("unit"), lambda side: _unit(side.line.get("value"))),
        (say("scope"), lambda side: side.line.get("scope")),
        (say("holds"), lambda side: interval(side.line.get("valid_from"), side.line.get("valid_to"))),
        (say("expires"), lambda side: exact_day(side.line.get("expires_at"))),
        (say("observed"), lambda side: exact_day(side.line.get("observed_at"))),
        (say("recorded"), lambda side: exact(side.recorded_at)),
        (say("source"), lambda side: _together(title for title, *_ in side.sources)),
        (say("captured"), lambda side: exact(side.captured_at)),
        (say("source family"), lambda side: _together(family for *_, family in side.sources)),
        (say("authority"), lambda side: spaced(side.line.get("authority") or _together(authority for _, _, authority, _ in side.sources) or "")),
        (say("extraction"), _extraction),
        (say("kind of statement"), lambda side: side.line.get("claim_type")),
        (say("conditions"), lambda side: side.line.get("conditions")),
        (say("said by"), lambda side: _named(side.line.get("speaker"))),
        (say("confirmed by"), lambda side: _named(side.line.get("confirmed_by"))),
        (say("for"), lambda side: _together(one for one in side.line.get("purposes") or () if one != "*")),
        (say("owner"), lambda side: _named(side.line.get("owner"))),
    )


def _named(person: str | None) -> str | None:
    return person_name(person) if person else None


def draw_comparison(view: ConflictView) -> Markup:
    """Return the values as columns; rows in which they are equal are folded."""
    columns: list[ContestedValue | Near] = list(view.values)
    if view.base is not None:
        columns.insert((len(columns) + 1) // 2, view.base)
    head = [tag("th", "")]
    number = 0
    for column in columns:
        if isinstance(column, Near):
            head.append(tag("th", tag("span", say("accepted before"), cls="cd-muted"), cls="cf-base"))
        else:
            number += 1
            head.append(tag("th", tag("kbd", str(number)), tag("span", _support(column), cls="cf-support")))
    rows = [tag("tr", *head), _value_row(columns), _claims_row(columns)]
    equal: list[Markup] = []
    for name, told in _rows():
        texts = [None if isinstance(column, Near) else _together(told(side) for side in column.sides) for column in columns]
        said = [text for text in texts if text is not None]
        if not any(said):
            continue
        cells = [tag("td", "" if text is None else long_text(text, 160), cls="cf-base" if text is None else "") for text in texts]
        row = tag("tr", tag("th", name), *cells)
        (equal if len(set(said)) == 1 else rows).append(row)
    rows.append(_users_row(columns))
    folded = None
    if equal:
        words = say_count("{n} row is equal", "{n} rows are equal", len(equal))
        folded = tag("details", tag("summary", words), tag("div", tag("table", *equal, cls="cd-table cf-sides"), cls="cd-scroll"), cls="cd-more")
    return tag("div", tag("div", tag("table", *rows, cls="cd-table cf-sides"), cls="cd-scroll"), folded, cls="cd-card cf-compare")


def _support(value: ContestedValue) -> str:
    return say_count("{n} source, {independent} independent", "{n} sources, {independent} independent", value.sources, independent=value.independent)


def _value_row(columns: list[ContestedValue | Near]) -> Markup:
    cells = []
    for column in columns:
        if isinstance(column, Near):
            since = phrase("until {when}", when=exact_day(column.since)) if column.since else None
            cells.append(tag("td", tag("div", long_text(whole_value(column.value), 300), cls="cf-value"), tag("div", record_link(column.id), " ", since, cls="cd-muted cd-small"), cls="cf-base"))  # fmt: skip
        else:
            cells.append(tag("td", tag("div", long_text(whole_value(column.value), 300), cls="cf-value")))
    return tag("tr", tag("th", say("value")), *cells)


def _claims_row(columns: list[ContestedValue | Near]) -> Markup:
    cells = []
    for column in columns:
        if isinstance(column, Near):
            cells.append(tag("td", badge(column.status), cls="cf-base"))
            continue
        sides = [tag("div", record_link(side.id), " ", badge(side.status)) for side in column.sides[:_MOST]]
        more = len(column.sides) - _MOST
        cells.append(tag("td", *sides, tag("div", say_count("and {n} more", "and {n} more", more), cls="cd-muted") if more > 0 else None))
    return tag("tr", tag("th", say("claims")), *cells)


def _users_row(columns: list[ContestedValue | Near]) -> Markup:
    cells = []
    for column in columns:
        if isinstance(column, Near):
            cells.append(tag("td", "", cls="cf-base"))
            continue
        reach, delivered = sum(side.reach for side in column.sides), sum(side.delivered for side in column.sides)
        users = [tag("div", record_link(one.id, words=one.title[:90])) for side in column.sides for one in side.users]
        hidden = sum(side.direct for side in column.sides) - len(users)
        more = tag("div", say_count("and {n} more", "and {n} more", hidden), cls="cd-muted") if users and hidden > 0 else None
        cells.append(tag("td", tag("div", reach_words(reach, delivered)), *users[:_MOST], more))
    return tag("tr", tag("th", say("who uses it")), *cells)


# --- the time they hold -------------------------------------------------------------------------------------------


def draw_strip(view: ConflictView) -> Markup | None:
    """Return when each value holds as bars, with a tick for each capture; None where no side says a date."""
    sides = [(number, side) for number, value in enumerate(view.values, 1) for side in value.sides]
    dated = [text for _, side in sides for text in (side.line.get("valid_from"), side.line.get("valid_to")) if text]
    if not dated:
        return None
    ticks = [text for _, side in sides for text in (side.captured_at, side.line.get("observed_at")) if text]
    times = sorted(moment(text).timestamp() for text in (*dated, *ticks))
    first, last = times[0], times[-1]
    room = max((last - first) * 0.12, 30 * 86_400)
    first, last = first - room, last + room

    def at(text: str | None, otherwise: float) -> int:
        place = moment(text).timestamp() if text else otherwise
        return min(100, max(0, round((place - first) / (last - first) * 50) * 2))

    bars = []
    for number, side in sides[:12]:
        start, end = at(side.line.get("valid_from"), first), at(side.line.get("valid_to"), last)
        open_ends = ("" if side.line.get("valid_from") else " cf-from") + ("" if side.line.get("valid_to") else " cf-on")
        bar = tag(
            "span",
            cls=f"cf-bar cf-l{start} cf-w{max(2, end - start)}{open_ends}",
            title=interval(side.line.get("valid_from"), side.line.get("valid_to")),
        )
        marks = (
            [tag("span", cls=f"cf-tick cf-l{at(side.captured_at, first)}", title=say("captured {when}", when=exact(side.captured_at)))]
            if side.captured_at
            else []
        )
        words = interval(side.line.get("valid_from"), side.line.get("valid_to"))
        bars.append(tag("tr", tag("th", tag("kbd", str(number)), " ", record_link(side.id)), tag("td", tag("div", bar, *marks, cls="cf-track")), tag("td", words, cls="cd-muted cd-keep")))  # fmt: skip
    ends = tag("tr", tag("th", ""), tag("td", tag("div", tag("span", _day(first)), tag("span", _day(last)), cls="cf-ends")), tag("td", ""))
    return tag(
        "div",
        tag("div", tag("table", *bars, ends, cls="cf-strip"), cls="cd-scroll"),
        cls="cd-card",
        title=say("When each value holds; a tick is a capture"),
    )


def _day(seconds: float) -> str:
    return say_month(datetime.fromtimestamp(seconds, UTC))


# --- the passages -------------------------------------------------------------------------------------------------


def draw_passages(view: ConflictView) -> Markup:
    """Return the passages of each value beside each other."""
    columns = []
    for number, value in enumerate(view.values, 1):
        cards = [draw_passage(passage, view.tenant) for side in value.sides for passage in side.passages[:2]]
        more = (
            tag("div", say_count("{n} more passage says the same", "{n} more passages say the same", len(cards) - 2), cls="cd-muted cd-small")
            if len(cards) > 2
            else None
        )
        nothing = tag("div", say("No passage is bound to it; it rests on other records."), cls="cd-muted") if not cards else None
        columns.append(tag("section", tag("div", tag("kbd", str(number)), cls="cf-passagehead"), *cards[:2], more, nothing))
    return tag("div", *columns, cls="cf-passages")


def draw_way_back(view: ConflictView | None, place: Place) -> Markup:
    """Return the ways back from a conflict: to its group and to all."""
    links = [tag("a", say("All conflicts"), cls="cd-link", href=place.overview().address())]
    if view is not None and (place.sift.predicate is not None or place.sift.only != "all"):
        links.append(tag("a", say("this list"), cls="cd-link", href=place.of(None).address()))
    elif view is not None:
        group = place.at(predicate=view.predicate)
        links.append(tag("a", say("all about {predicate}", predicate=spaced(view.predicate)[:60]), cls="cd-link", href=group.address()))
    return tag("nav", join(links, " › "), cls="cf-crumbs", label=say("Where this is"))


def draw_questions(questions: Sequence[AskedQuestion]) -> Markup | None:
    """Return what was asked about a conflict and what was answered, newest first."""
    parts = []
    for one in sorted(questions, key=lambda one: -one.seq)[:_MOST]:
        head = phrase("{who} asked {whom} on {day}", who=tag("b", one.by_name), whom=one.of_name, day=exact(format_time(one.at)))
        if one.answer is not None:
            told = phrase("{who}: {answer}", who=tag("b", one.answered_by_name or ""), answer=long_text(one.answer, 400))
        else:
            told = tag("span", say("withdrawn") if one.answered_at else say("not answered yet"), cls="cd-muted")
        parts.append(tag("li", tag("div", head, cls="cd-muted"), tag("div", "“", long_text(one.text, 400), "”"), tag("div", told)))
    return tag("div", tag("h3", say("Asked about it"), cls="cf-which"), tag("ul", *parts, cls="cd-list")) if parts else None
