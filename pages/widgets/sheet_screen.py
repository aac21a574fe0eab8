"""The decision sheet: one sentence, counts that filter, and a table that prints."""

from __future__ import annotations

from datetime import date, timedelta

import streamlit as st

from pages.widgets.callbacks import uninterrupted
from pages.widgets.candidate_words import shorten, value_text
from pages.widgets.desk import Desk, address, attempt, person_name, record_address, show_notices
from pages.widgets.language import number, phrase, phrase_count, say, say_count
from pages.widgets.markup import Markup, draw, join, literal, tag
from pages.widgets.moments import from_micros, say_day, say_second
from pages.widgets.sheet_place import Place, read_place
from pages.widgets.sheet_words import action_counted, action_icon, decision_words, terms_words
from pages.widgets.status import icon
from pages.widgets.veil import behind_veil
from store import SHEET_MOST, DecisionSheet, SheetRow, export_sheet_csv, list_decided

_DAY = "sheet.day"
_PEOPLE = 12


def draw_screen(desk: Desk) -> None:
    """Draw the page."""
    place = read_place(desk)
    back = tag("a", say("‹ Today"), cls="cd-link", href=address("today", scope=desk.scope))
    draw(tag("div", back, cls="cd-kicker cs-noprint"))
    sheet: DecisionSheet | None = attempt(
        lambda: list_decided(
            desk.store, desk.person, place.day, scope=desk.scope, by=place.by, action=place.action, after=place.after, whole=place.whole
        )
    )
    if sheet is None:
        draw(tag("h1", say("Decision sheet"), cls="cd-title"))
        show_notices()
        draw(tag("p", tag("a", say("The sheet of today"), cls="cd-link", href=address("sheet", scope=desk.scope))))
        return
    with st.container(key="sheet_screen"):
        _draw_head(desk, place, sheet)
        if place.unknown is not None:
            unknown = phrase("There is no decision called {name}. All are shown.", name=tag("b", place.unknown[:80]))
            draw(tag("div", unknown, cls="cd-band cd-warnband"))
        _draw_tools(desk, place, sheet)
        if sheet.cut:
            words = say("More was decided on this day than a sheet holds: only the first {n} events are here, and in the CSV.", n=number(SHEET_MOST))
            draw(tag("div", words, cls="cd-band cd-warnband"))
        if sheet.rows:
            _draw_table(sheet)
            _draw_pager(place, sheet)
        else:
            _draw_nothing(place, sheet)


def _day(sheet: DecisionSheet) -> date:
    return date.fromisoformat(sheet.day)


def _in_words(day: date) -> str:
    return say_day(from_micros((day - date(1970, 1, 1)).days * 86_400_000_000))


def _draw_head(desk: Desk, place: Place, sheet: DecisionSheet) -> None:
    things = tag("b", say_count("{n} decision", "{n} decisions", sheet.total))
    day = tag("b", _in_words(_day(sheet)))
    names = {one: name for one, name, _ in sheet.people}
    if place.by is not None:
        who = tag("b", (names.get(place.by) or person_name(place.by))[:60])
        sentence = phrase_count("{things} of {who} on {day}.", "{things} of {who} on {day}.", sheet.total, things=things, who=who, day=day)
    else:
        sentence = phrase_count("{things} on {day}.", "{things} on {day}.", sheet.total, things=things, day=day)
    scope = phrase("Scope: {scope}.", scope=desk.scope) if desk.scope else literal(say("All scopes of {name}.", name=desk.actor.name[:120]))
    printed = phrase("Decision sheet of Claimdesk, for {name}.", name=desk.actor.name[:120])
    draw(
        tag("div", printed, cls="cs-printhead"),
        tag("h1", sentence, cls="cy-sentence"),
        tag("p", join((scope, say("A day is a day of UTC.")), " "), cls="cd-muted cd-small cs-note"),
    )


def _chip(words: str, symbol: str, href: str, *, here: bool) -> Markup:
    return tag("a", icon(symbol), words, cls="cd-link cy-pick" + (" cs-here" if here else ""), href=href)


@uninterrupted
def _choose_day(place: Place) -> None:
    place.go_to(st.session_state[_DAY])


def _draw_tools(desk: Desk, place: Place, sheet: DecisionSheet) -> None:
    chips = [
        _chip(action_counted(one, count), action_icon(one), place.link(action=None if place.action == one else one), here=place.action == one)
        for one, count in sheet.counts.items()
    ]
    people = [
        _chip(f"{name[:60]} {number(count)}", "person", place.link(by=None if place.by == one else one), here=place.by == one)
        for one, name, count in sheet.people[:_PEOPLE]
    ]
    if place.by is not None and all(one != place.by for one, _, _ in sheet.people):
        people.append(_chip(person_name(place.by)[:60], "person", place.link(by=None), here=True))
    if chips or people:
        draw(tag("nav", *chips, *people, cls="cy-picks cs-noprint", label=say("What is shown")))
    day = _day(sheet)
    with st.container(horizontal=True, vertical_alignment="center", key="sheet_tools"):
        days = [
            tag("a", f"‹ {_in_words(day - timedelta(days=1))}", cls="cd-link", href=_day_link(place, day - timedelta(days=1)))
            if day > date.min
            else None,
            tag("a", f"{_in_words(day + timedelta(days=1))} ›", cls="cd-link", href=_day_link(place, day + timedelta(days=1)))
            if sheet.day < sheet.today
            else None,
        ]
        draw(tag("div", join((one for one in days if one is not None), " · "), cls="cs-days"))
        st.session_state[_DAY] = day
        st.date_input(
            say("Day"), key=_DAY, max_value=date.fromisoformat(max(sheet.today, sheet.day)), min_value=min(day, date(2000, 1, 1)), label_visibility="collapsed", format="YYYY-MM-DD",
            on_change=_choose_day, args=(place,), width=150,
        )  # fmt: skip
        name = f"decisions-{sheet.day}.csv"
        st.download_button(
            say("CSV"), behind_veil(lambda: export_sheet_csv(desk.store, desk.person, sheet.day, scope=desk.scope, by=place.by, action=place.action, name=name)),
            name, "text/csv", key="sheet.csv", on_click="ignore", icon=":material/table_view:",
            help=say("Every row of this sheet, on all its pages. Text that a spreadsheet would run is made harmless."), disabled=not sheet.total,
        )  # fmt: skip
        if sheet.total > len(sheet.rows) or place.whole:
            words = say("Page by page") if place.whole else say("Everything on one page, to print")
            draw(tag("a", icon("print"), words, cls="cd-link cd-small", href=place.link(whole=not place.whole)))


def _day_link(place: Place, day: date) -> str:
    return Place(place.scope, day.isoformat()).link()


def _draw_table(sheet: DecisionSheet) -> None:
    heads = (say("When, who"), say("Decision"), say("What it was about, and the passage"), say("Why, and on which terms"))
    head = tag("thead", tag("tr", *(tag("th", words) for words in heads)))
    draw(tag("div", tag("table", head, tag("tbody", *(_row(row) for row in sheet.rows)), cls="cd-table cs-table"), cls="cd-scroll"))


def _row(row: SheetRow) -> Markup:
    at = from_micros(row.at)
    who = tag(
        "td",
        tag("b", f"{at:%H:%M}", title=say_second(at)),
        tag("div", row.name[:80]),
        tag("div", say("event {n}", n=number(row.seq)), cls="cd-muted cd-small"),
        cls="cs-who",
    )
    return tag("tr", who, tag("td", decision_words(row), cls="cs-decision"), tag("td", *_about(row)), tag("td", *_why(row)))


def _about(row: SheetRow) -> list[Markup | None]:
    href = address("conflicts", conflict=row.id, tenant=row.tenant) if row.kind == "conflict" else record_address(row.id, row.tenant)
    link = tag("a", shorten(row.id, 60), cls="cd-link cd-id", href=href)
    if row.withheld:
        return [tag("div", icon("visibility_off"), say("Its words are not told any more."), cls="cd-muted"), tag("div", link, cls="cd-small")]
    value = value_text(row.value, 200) if row.kind == "claim" and row.value is not None else None
    source = None
    if row.source is not None:
        name = shorten(row.source, 100)
        source = phrase("{source}, version {n}", source=name, n=number(row.source_version)) if row.source_version is not None else literal(name)
    return [
        tag("div", shorten(row.statement, 300), cls="cs-statement"),
        tag("div", value, cls="cs-value") if value is not None and value != row.statement else None,
        tag("div", f"“{shorten(row.quote, 400)}”", cls="cs-quote") if row.quote else None,
        tag("div", join((part for part in (source, link, row.scope) if part is not None), " · "), cls="cd-muted cd-small"),
    ]


def _why(row: SheetRow) -> list[Markup | None]:
    terms = terms_words(row.terms, row.action)
    return [
        tag("div", shorten(row.reason, 600)) if row.reason else tag("div", say("no reason given"), cls="cd-muted") if not terms else None,
        tag("ul", *(tag("li", one) for one in terms), cls="cs-terms") if terms else None,
    ]


def _draw_pager(place: Place, sheet: DecisionSheet) -> None:
    if sheet.total == len(sheet.rows):
        return
    words = say("{first}–{last} of {all}", first=number(sheet.first + 1), last=number(sheet.first + len(sheet.rows)), all=number(sheet.total))
    start = tag("a", say("‹ from the start"), cls="cd-link", href=place.link()) if sheet.first else tag("span", cls="cd-muted")
    end = tag("a", say("next page ›"), cls="cd-link", href=place.link(after=sheet.next)) if sheet.next else tag("span", cls="cd-muted")
    draw(tag("div", start, tag("span", words, cls="cd-muted"), end, cls="cd-pager"))


def _draw_nothing(place: Place, sheet: DecisionSheet) -> None:
    if place.by or place.action:
        whole = Place(place.scope, sheet.day).link()
        draw(tag("div", tag("b", say("Nothing matches on this day")), tag("a", say("Show the whole day"), cls="cd-link", href=whole), cls="cd-empty"))
        return
    words = say("Nothing was decided yet today") if sheet.day == sheet.today else say("Nothing was decided on this day")
    to = tag("a", say("See what waits"), cls="cd-link", href=address("candidates", scope=place.scope))
    draw(tag("div", icon("event_available"), tag("b", words), to, cls="cd-empty"))
