"""The table that holds the same as the picture, and the files of it."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from pages.widgets.candidate_words import shorten
from pages.widgets.desk import Desk, attempt, person_name, record_link, take_refusal
from pages.widgets.graph_picture import file_name
from pages.widgets.graph_place import GraphPlace
from pages.widgets.graph_words import KIND_ICONS, kind_word, say_step, say_value
from pages.widgets.language import number, say, say_count
from pages.widgets.markup import Markup, draw, tag
from pages.widgets.status import badge, icon
from pages.widgets.veil import behind_veil
from store import NeighbourPage, NeighbourRow, NeighbourSift, Surroundings, export_neighbours_csv, list_neighbours, spaced

ROWS = 50
_MOST_STEPS = 9


def draw_table(desk: Desk, around: Surroundings, place: GraphPlace) -> None:
    """Draw one page of the records, with what narrows them down and the file of all."""
    total = around.count()
    with st.container(horizontal=True, vertical_alignment="bottom", horizontal_alignment="distribute", key="dependencies.tablehead"):
        draw(tag("h2", say("The same as a table"), tag("span", say_count("{n} record", "{n} records", total), cls="cd-tally"), cls="cd-heading"))
        name = file_name(around.id, "csv")
        st.download_button(
            say("CSV of all {n}", n=number(total)), behind_veil(lambda: export_neighbours_csv(desk.store, desk.person, around, name=name)), name, "text/csv", key="dependencies.csv",
            on_click="ignore", icon=":material/table_view:",
            help=say("Every record of this neighbourhood, whether drawn or folded, whatever the table shows. Text that a spreadsheet would run is made harmless."),
        )  # fmt: skip
    sift = NeighbourSift(place.kind, place.state, place.step, place.within, place.only)
    page = attempt(lambda: list_neighbours(desk.store, desk.person, around, sift, start=(place.page - 1) * ROWS, limit=ROWS))
    if page is not None and not page.rows and place.page > 1:
        place = replace(place, page=1)
        page = attempt(lambda: list_neighbours(desk.store, desk.person, around, sift, limit=ROWS))
    if page is None:
        refusal = take_refusal()
        draw(tag("div", refusal["message"] if refusal else "", cls="cd-band cd-badband"))
        return
    narrowed = sift != NeighbourSift()
    above = _narrowing(around, place)
    if narrowed:
        text = say_count("{n} of {all} records is shown.", "{n} of {all} records are shown.", page.total, all=number(total))
        above.append(tag("div", text, " ", tag("a", say("Show all"), cls="cd-link", href=place.link(kind=None, state=None, step=None, within=None, only=None)), cls="cd-chosen"))
    if not page.rows:
        draw(*above, tag("div", tag("b", say("No record is like that here")), say("Take one of the conditions away."), cls="cd-empty"))
        return
    draw(*above, _table(around, place, page), _hidden(around), _pager(place, page))


def _narrowing(around: Surroundings, place: GraphPlace) -> list[Markup]:
    """Return the counts by kind and step, each a link to its rows; the states stand in the legend."""

    def chip(words: str, count: int, here: bool, href: str) -> Markup:
        return tag("a", words, tag("b", number(count)), cls="cd-link cd-sift cd-here" if here else "cd-link cd-sift", href=href)

    kinds = [
        chip(kind_word(kind), count, place.kind == kind, place.link(kind=None if place.kind == kind else kind)) for kind, count in around.count_kinds().items()
    ]
    steps = sorted(around.count_steps().items(), key=lambda item: (abs(item[0]), item[0]))
    chips = [chip(say_step(step), count, place.step == step, place.link(step=None if place.step == step else step)) for step, count in steps[:_MOST_STEPS]]
    if len(steps) > _MOST_STEPS:
        chips.append(tag("span", say("and {n} steps farther", n=len(steps) - _MOST_STEPS), cls="cd-muted"))
    return [tag("div", *kinds, tag("span", cls="cd-legendgap"), *chips, cls="cd-sifts")]


def _table(around: Surroundings, place: GraphPlace, page: NeighbourPage) -> Markup:
    names = (say("record"), say("state"), say("where"), say("through"), say("owner"), "")
    head = tag("tr", *(tag("th", name) for name in names))
    return tag("div", tag("table", tag("thead", head), tag("tbody", *(_row(around, place, row) for row in page.rows)), cls="cd-table cd-neighbours"), cls="cd-scroll")


def _row(around: Surroundings, place: GraphPlace, row: NeighbourRow) -> Markup:
    one = row.named
    value = say_value(one.text, 60) if one.kind == "claim" else ""
    small = tag("small", icon(KIND_ICONS[one.kind]), f"{spaced(one.label)[:80]} · " if one.kind != "evidence" else None, tag("span", one.id[:120], cls="cd-id"), cls="cd-muted")
    marks = [badge(one.status, one.kind)]
    if row.expired and one.status == "ACCEPTED":
        marks.append(badge("EXPIRED"))
    if row.contested:
        marks.append(badge("CONFLICT"))
    if row.delivered:
        marks.append(tag("span", icon("outgoing_mail"), say("Delivered"), cls="cd-status cd-muted"))
    links = [
        tag("a", say("centre"), cls="cd-link", href=place.link(record=one.id), title=say("Show what stands around it")), " ",
        tag("a", say("way"), cls="cd-link", href=place.link(to=one.id), title=say("Show the shortest ways between it and the focus")),
    ] if row.step else []  # fmt: skip
    return tag(
        "tr", tag("td", record_link(one.id, around.tenant, shorten(one.title, 140)), tag("span", value, cls="cd-rowvalue") if value else None, small),
        tag("td", *(tag("div", mark) for mark in marks)), tag("td", say_step(row.step), cls="cd-keep"), tag("td", record_link(row.via, around.tenant) if row.via and abs(row.step) > 1 else ""),
        tag("td", person_name(one.owner) if one.owner else tag("span", say("nobody"), cls="cd-muted")), tag("td", *links, cls="cd-keep"),
    )  # fmt: skip


def _hidden(around: Surroundings) -> Markup:
    hidden = around.count(seen=False)
    if not hidden:
        return Markup("")
    text = say_count("{n} more lies in a scope you may not see; it is in none of the numbers above.", "{n} more lie in scopes you may not see; they are in none of the numbers above.", hidden)
    return tag("div", icon("visibility_off"), text, cls="cd-muted cd-small cd-hiddenline")


def _pager(place: GraphPlace, page: NeighbourPage) -> Markup:
    pages = -(-page.total // ROWS)
    if pages < 2:
        return Markup("")
    first = (place.page - 1) * ROWS + 1
    where = tag("span", say("{first} to {last} of {all}", first=number(first), last=number(first + len(page.rows) - 1), all=number(page.total)), cls="cd-muted")
    before = tag("a", say("Before"), cls="cd-link", href=place.link(page=place.page - 1)) if place.page > 1 else None
    after = tag("a", say("After"), cls="cd-link", href=place.link(page=place.page + 1)) if place.page < pages else None
    return tag("nav", before, where, after, cls="cd-pager", label=say("Further in the list"))


