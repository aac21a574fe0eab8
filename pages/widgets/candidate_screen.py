"""The screen of candidates: one sentence, counts, the list or a document's table, one candidate, one bar below it."""

from __future__ import annotations

import streamlit as st

from pages.widgets.candidate_amend import draw_amend
from pages.widgets.candidate_detail import draw_around, draw_aside, draw_change, draw_evidence, draw_top
from pages.widgets.candidate_grid import draw_grid
from pages.widgets.candidate_keys import calm_keys
from pages.widgets.candidate_list import draw_counts, draw_filters, draw_list, draw_nothing, draw_sentence
from pages.widgets.candidate_place import Place, read_place
from pages.widgets.candidate_route import draw_route, draw_veil_line
from pages.widgets.candidate_terms import draw_reads, draw_terms, given_terms
from pages.widgets.case_due import draw_kept_to
from pages.widgets.decision import drawn_before, finish_move, keep_said, remember_drawn
from pages.widgets.decision_bar import Shown, Table, draw_bar, draw_recent
from pages.widgets.decision_guard import Seen, seen_now
from pages.widgets.decision_many import lost_ticks, ticked_rows
from pages.widgets.desk import Desk, address, attempt, show_notices
from pages.widgets.forgetting_link import forget_unwanted
from pages.widgets.language import phrase, say, say_count
from pages.widgets.markup import draw, tag
from pages.widgets.meant_ways import draw_broader_band
from pages.widgets.presence import draw_readers
from pages.widgets.status import icon
from store import CandidateQueue, CandidateView, GridRow, Refusal, find_tenant, list_candidates, list_grid, list_recent_decisions, view_candidate

#: From so many candidates on, a document whose quotes are short is shown as a table.
_ENOUGH = 3


def _asked(desk: Desk, place: Place) -> tuple[str, str] | None:
    """Return tenant and id of the candidate the address names, None where it names none or one in no tenant."""
    if place.candidate is None:
        return None
    candidate = place.candidate
    try:
        return find_tenant(desk.store, desk.person, [candidate], place.tenant), candidate
    except Refusal:
        return None


def _draw_unknown(place: Place, words: str) -> None:
    id_ = tag("span", (place.candidate or "")[:200], cls="cd-id")
    back = tag("p", tag("a", say("Show what waits"), cls="cd-link", href=place.link()))
    draw(tag("div", tag("b", say("That candidate cannot be shown")), words, " ", id_, back, cls="cd-empty"))


def _view(desk: Desk, place: Place, shown: tuple[str, str]) -> tuple[CandidateView, Seen, str | None] | None:
    terms, problem = given_terms(*shown)
    try:
        view = view_candidate(desk.store, desk.person, shown[0], shown[1], terms)
    except Refusal:
        _draw_unknown(place, say("There is no such candidate, or it is in a scope you may not see:"))
        return None
    return view, seen_now(view.tenant, view.id, view.version, view.content_hash, view.title), problem


def _draw_candidate(desk: Desk, place: Place, shown: tuple[str, str]) -> tuple[CandidateView, Seen, bool] | None:
    """Draw one candidate; return it, what was seen of it, and whether it differs from something accepted."""
    found = _view(desk, place, shown)
    if found is None:
        return None
    view, seen, problem = found
    was = drawn_before(seen)
    if was is not None:
        draw(draw_change(was, view))
    remember_drawn(seen, view.line)
    with st.container(key="candidates_detail"):
        if view.status == "CANDIDATE":
            draw_readers(desk, "candidate", view.tenant, view.id)
        draw(draw_top(view))
        draw_veil_line(desk, view)
        if view.withheld:
            draw(tag("div", forget_unwanted(desk, view.id, view.tenant, view.line["scope"])))
        differs = draw_broader_band(desk, view)
        with st.container(key="candidates_two"):
            wide, narrow = st.columns([7, 3], gap="medium")
            with wide:
                draw(draw_evidence(view))
                if view.status == "CANDIDATE" and view.may_decide:
                    draw_reads(view)
                    draw_terms(view, problem)
                    if not view.veiled:
                        draw_amend(desk, view, seen)
            with narrow:
                draw(draw_route(view), draw_aside(view))
        around = draw_around(view)
        if around:
            draw(around)
    return view, seen, differs


def draw_screen(desk: Desk) -> None:
    """Draw the page."""
    with st.container(key="candidates_screen"):
        _draw(desk)


def _table_rows(desk: Desk, place: Place, queue: CandidateQueue, shown: tuple[str, str] | None) -> tuple[GridRow, ...]:
    """Return the rows of the table that holds the candidate shown; none where one at a time is the way to look at it."""
    row = next((one for one in queue.rows if (one.tenant, one.id) == shown), None)
    if row is None or place.view == "one" or (place.view is None and place.sift.order != "document"):
        return ()
    if place.view is None and next((one.count for one in queue.documents if one.id == row.document), 0) < _ENOUGH:
        return ()
    sift = place.sift if place.sift.order != "document" else place.with_sift(document=row.document)
    grid = attempt(lambda: list_grid(desk.store, desk.person, sift, shown))
    if grid is None or (place.view is None and not (grid.short and len(grid.rows) >= _ENOUGH)):
        return ()
    return grid.rows


def _draw_views(place: Place, shown: tuple[str, str] | None, *, table: bool) -> None:
    """Draw the way to the other view."""
    sheet = tag("a", icon("summarize"), say("decisions of today"), cls="cd-link cc-pick", href=address("sheet", scope=place.sift.scope))
    parts = [sheet]
    for view, words, symbol in (("one", say("one at a time"), "article"), ("grid", say("as a table"), "table_rows")):
        here = (view == "grid") == table
        parts.append(tag("a", icon(symbol), words, cls="cd-link cc-pick" + (" cc-here" if here else ""), href=place.link(shown, view=view)))
    draw(tag("nav", *parts, cls="cc-picks cc-views", label=say("How it is shown")))


def _draw(desk: Desk) -> None:
    place = read_place(desk)
    if finish_move(desk, place):
        place = read_place(desk)
    asked = _asked(desk, place)
    queue = attempt(lambda: list_candidates(desk.store, desk.person, place.sift, asked))
    recent = attempt(lambda: list_recent_decisions(desk.store, desk.person, scope=desk.scope)) or ()
    show_notices()
    if queue is None:
        told = say("Nothing was changed. Reload the page in a moment.")
        draw(tag("div", tag("b", say("The list could not be read")), told, cls="cd-empty"))
        return
    if place.unknown is not None:
        words = phrase("The address asks for a filter that does not exist, and it was left out: {filter}", filter=tag("b", place.unknown[:80]))
        draw(tag("div", words, cls="cd-band cd-warnband"))
    if not desk.scopes and place.candidate is None:
        barred = say("{who} may not see what waits to be decided: that takes a reviewer, admin or auditor. Ask an admin.", who=desk.actor.name)
        draw(tag("h1", say("Candidates are not shown to you"), cls="cc-sentence"), tag("div", barred, cls="cd-empty"))
        return
    draw_sentence(queue)
    if place.sift.correction:
        draw_kept_to(place.sift.correction, place.link(sift=place.with_sift(correction=None)))
    if not queue.yours + queue.others + queue.readable and asked is None:
        if place.candidate is not None:
            _draw_unknown(place, say("There is no record with this id that you may see:"))
        draw_nothing(place)
        draw_recent(desk, place, recent)
        draw_bar(desk, place, Shown(queue, recent=recent))
        return
    shown = asked or (None if place.candidate else queue.chosen)
    rows = _table_rows(desk, place, queue, shown)
    counts, filters = st.columns([3, 2], vertical_alignment="center")
    with counts:
        draw_counts(queue, place)
    with filters:
        draw_filters(queue, place)
    if rows and shown is not None:
        _draw_as_table(desk, place, Shown(queue, recent=recent), rows, shown)
    else:
        _draw_one(desk, place, Shown(queue, recent=recent), shown)
    calm_keys(f"{shown}", place, rows)


def _draw_one(desk: Desk, place: Place, bar: Shown, shown: tuple[str, str] | None) -> None:
    """Draw the list beside one candidate."""
    left, right = st.columns([28, 72], gap="medium")
    with left:
        draw_list(bar.queue, place, shown)
    with right:
        drawn = None
        if shown is not None:
            _draw_views(place, shown, table=False)
            drawn = _draw_candidate(desk, place, shown)
        elif place.candidate is not None:
            _draw_unknown(place, say("There is no record with this id that you may see:"))
        else:
            draw_nothing(place)
        draw_recent(desk, place, bar.recent)
        view, seen, differs = drawn or (None, None, False)
        draw_bar(desk, place, Shown(bar.queue, view, seen, None, bar.recent, differs))


def _draw_as_table(desk: Desk, place: Place, bar: Shown, rows: tuple[GridRow, ...], shown: tuple[str, str]) -> None:
    """Draw a document's candidates as a table, the one looked at below it."""
    lost = lost_ticks(rows)
    if lost:
        titles = ", ".join(one.row.title for one in lost[:5])
        keep_said(say_count("{titles} changed since it was ticked, and is not ticked any more.", "{titles} changed since they were ticked, and are not ticked any more.", len(lost), titles=titles))
    _draw_views(place, shown, table=True)
    with st.container(key="candidates_grid"):
        draw_grid(bar.queue, rows, place, shown)
    drawn = _draw_candidate(desk, place, shown)
    draw_recent(desk, place, bar.recent)
    view, seen, differs = drawn or (None, None, False)
    here = next((one for one in rows if (one.row.tenant, one.row.id) == shown), None)
    draw_bar(desk, place, Shown(bar.queue, view, seen, Table(rows, tuple(ticked_rows(rows)), here), bar.recent, differs))
