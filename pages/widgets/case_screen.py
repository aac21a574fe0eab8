"""The page of corrections: the list of cases, a new case, one case, or its report."""

from __future__ import annotations

import streamlit as st

from pages.widgets.case_forms import draw_new
from pages.widgets.case_page import draw_case
from pages.widgets.case_place import Place, read_place, tenant_of_place
from pages.widgets.case_report import draw_report
from pages.widgets.case_words import STEP_WORDS, bar_sentence, draw_bar, due_words, moment, owner_words
from pages.widgets.desk import Desk, attempt, show_notices, take_refusal
from pages.widgets.language import listed, number, phrase, phrase_count, quote_store, say, say_count
from pages.widgets.markup import Markup, draw, tag
from pages.widgets.status import icon
from pages.widgets.today_questions import draw_ignored
from store import CaseList, CaseRow, Right, list_corrections, view_correction


def draw_screen(desk: Desk) -> None:
    """Draw the page."""
    place = read_place(desk)
    with st.container(key="case_screen"):
        if place.case is None and not place.new:
            _draw_list(desk, place)
            return
        tenant = tenant_of_place(desk, place)
        if tenant is None:
            _choose_tenant(desk, place)
        elif place.new:
            draw_new(desk, tenant, place)
        else:
            _draw_one(desk, tenant, place)


def _draw_one(desk: Desk, tenant: str, place: Place) -> None:
    view = attempt(lambda: view_correction(desk.store, desk.person, tenant, place.case or ""))
    if view is None:
        refusal = take_refusal()
        draw(tag("h1", say("There is no such correction"), cls="cd-title"))
        draw(tag("div", quote_store(refusal["message"]) if refusal else "", cls="cd-band cd-warnband"))
        draw(tag("p", tag("a", say("All corrections"), cls="cd-link", href=Place(scope=place.scope).link())))
        return
    if place.printed:
        draw_report(desk, view, place)
    else:
        draw_case(desk, view, place)


def _choose_tenant(desk: Desk, place: Place) -> None:
    links = [tag("li", tag("a", one, cls="cd-link", href=place.link(tenant=one))) for one in desk.tenants]
    draw(tag("h1", say("Whose correction is it?"), cls="cd-title"), tag("ul", *links, cls="cd-list"))


def _draw_list(desk: Desk, place: Place) -> None:
    found = list_corrections(desk.store, desk.person, scope=place.scope, only=place.show)
    now = desk.store.now()
    draw(tag("h1", _sentence(found, now), cls="co-sentence"))
    draw_ignored()
    show_notices()
    decides = bool(desk.actor.scopes_with(Right.DECIDE))
    draw(_counts(found, place, decides))
    if not found.rows:
        draw(_empty(desk, place, decides))
        return
    several = len({row.tenant for row in found.rows}) > 1
    draw(tag("ul", *(_row(row, place, several, now) for row in found.rows), cls="co-cases"))


def _sentence(found: CaseList, now: int) -> Markup:
    count = found.counts["open"]
    if not count:
        return phrase("{none} is open.", none=tag("b", say("No correction")))
    cases = tag("b", say_count("{n} correction", "{n} corrections", count))
    said = phrase_count("{cases} is open.", "{cases} are open.", count, cases=cases)
    late = sum(1 for row in found.rows if row.closed_at is None and row.due_at is not None and row.due_at <= now)
    tail = tag("span", " ", say_count("{n} is past its time.", "{n} are past their time.", late), cls="cd-muted") if late else None
    return tag("span", said, tail)


def _counts(found: CaseList, place: Place, decides: bool) -> Markup:
    names = {"open": say("Open"), "mine": say("Mine"), "closed": say("Closed")}
    chips = [
        tag(
            "a", names[name], tag("b", number(count)), href=Place(show=name, scope=place.scope).link(),
            cls="cd-link co-chip cd-here" if name == place.show else "cd-link co-chip",
        )
        for name, count in found.counts.items()
    ]  # fmt: skip
    if decides:
        chips.append(tag("a", icon("add"), say("Open a correction"), cls="cd-link cd-button co-new", href=Place(new=True, scope=place.scope).link()))
    return tag("nav", *chips, cls="co-chips", label=say("Which corrections are shown"))


def _empty(desk: Desk, place: Place, decides: bool) -> Markup:
    if not desk.scopes:
        words = say("Seeing corrections takes the role of a reviewer, an admin or an auditor. Ask an admin of your team.")
        return tag("div", tag("b", say("There is no correction you may see")), words, cls="cd-empty")
    if place.show == "closed":
        return tag("div", tag("b", say("No correction was closed yet")), say("Closed cases stay here, with their reports."), cls="cd-empty")
    more = say("When a source turns out wrong, open a case: it holds what fell, what is left to settle and who is to be told, until it is closed.")
    return tag("div", tag("b", say("Nothing is being corrected")), more if decides else say("Reviewers open a case when a source turns out wrong."), cls="cd-empty")


def _row(row: CaseRow, place: Place, several: bool, now: int) -> Markup:
    here = Place(row.id, row.tenant, scope=place.scope)
    sources = listed([tag("span", title or one) for one, title in row.sources], 2)
    if row.closed_at is not None:
        state = tag("span", icon("task_alt"), phrase("closed {ago}", ago=moment(row.closed_at)), cls="cd-status cd-teal")
    elif row.next is None:
        state = tag("span", icon("task_alt"), say("ready to close"), cls="cd-status cd-teal")
    else:
        state = tag("span", icon("arrow_forward"), say("next: {step}", step=say(STEP_WORDS[row.next])), cls="cd-status cd-amber")
    facts = [tag("span", owner_words(row)), due_words(row, now), tag("span", phrase("opened {ago}", ago=moment(row.opened_at))), tag("span", row.tenant) if several else None]
    return tag(
        "li",
        tag("div", tag("a", row.title, cls="cd-link co-title", href=here.link()), tag("div", sources, cls="cd-muted cd-small") if row.sources else None,
            tag("div", *(one for one in facts if one is not None), cls="co-facts"), cls="co-what"),
        tag("div", draw_bar(row.bar, row.hidden, thin=True), tag("div", bar_sentence(row.bar, row.hidden), cls="cd-muted cd-small"), cls="co-how"),
        tag("div", state, cls="co-state"), cls="co-case",
    )  # fmt: skip


