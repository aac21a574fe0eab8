"""The screen of conflicts: everything that is open, one group of it, or one conflict."""

from __future__ import annotations

import streamlit as st

from pages.widgets.candidate_keys import calm_keys
from pages.widgets.conflict_card import draw_card, draw_line
from pages.widgets.conflict_decide import remember_following
from pages.widgets.conflict_group import draw_rules
from pages.widgets.conflict_group_table import draw_group_table, draw_letters
from pages.widgets.conflict_list import draw_counts, draw_matrix, draw_nothing, draw_rows, draw_sentence
from pages.widgets.conflict_place import Place, read_place
from pages.widgets.conflict_sides import draw_closed, draw_comparison, draw_passages, draw_questions, draw_strip, draw_top, draw_way_back
from pages.widgets.desk import Desk, attempt, show_notices, take_refusal
from pages.widgets.language import phrase, say
from pages.widgets.markup import draw, tag
from pages.widgets.presence import draw_readers
from pages.widgets.status import icon
from store import ConflictQueue, Refusal, list_conflicts_page, list_questions_about, view_conflict


def draw_screen(desk: Desk) -> None:
    """Draw the page."""
    with st.container(key="conflicts_screen"):
        _draw(desk, read_place(desk))


def _draw(desk: Desk, place: Place) -> None:
    chosen = (place.tenant, place.conflict) if place.conflict else None
    queue = attempt(lambda: list_conflicts_page(desk.store, desk.person, place.sift, chosen, page=place.page))
    if queue is None:
        refusal = take_refusal()
        words = refusal["message"] if refusal else ""
        barred = refusal is not None and refusal["code"] == "not_allowed"
        draw(tag("h1", say("Conflicts are not shown to you") if barred else say("The conflicts could not be read"), cls="cf-sentence"))
        draw(tag("div", words, cls="cd-empty"))
        return
    show_notices()
    if place.unknown is not None:
        told = phrase("The address asks for a filter that does not exist, and it was left out: {what}", what=tag("b", place.unknown[:80]))
        draw(tag("div", told, cls="cd-band cd-warnband"))
    if place.conflict is not None:
        _draw_one(desk, place, queue)
    else:
        _draw_list(desk, place, queue)
    calm_keys(f"{place.conflict or place.sift}")


def _draw_list(desk: Desk, place: Place, queue: ConflictQueue) -> None:
    if place.sift.predicate is not None:
        draw(draw_way_back(None, place.of(None)))
    draw_sentence(queue, place)
    draw_line(hint=False)
    if not queue.total:
        draw_nothing(place)
        return
    draw_counts(queue, place)
    if place.sift.predicate is None:
        draw_matrix(queue, place)
        draw_rows(queue, place)
    elif not queue.rows:
        draw_rows(queue, place)
    else:
        _draw_group(desk, place, queue)


def _draw_group(desk: Desk, place: Place, queue: ConflictQueue) -> None:
    """Draw the conflicts about one predicate beside the rule that settles those that are ticked."""
    tenants = {tenant for tenant, _ in queue.ids}
    decides = queue.decidable > 0 and len(tenants) == 1
    left, right = st.columns([65, 35], gap="medium")
    with left:
        draw_group_table(place, queue, ticks=decides)
        draw_letters(place, queue)
    with right, st.container(key="conflicts_card"):
        if decides:
            draw_rules(desk, place, queue, next(iter(tenants)))
        elif len(tenants) > 1:
            draw(tag("div", say("These are of several tenants. Choose a scope of one of them to settle them together."), cls="cf-blocked"))
        else:
            words = say("{who} may read these and settles none of them: that takes the role of a reviewer there.", who=desk.actor.name)
            draw(tag("div", icon("visibility"), words, cls="cf-blocked"))


def _draw_one(desk: Desk, place: Place, queue: ConflictQueue) -> None:
    tenant = place.tenant or (queue.chosen[0] if queue.chosen else None)
    try:
        view = view_conflict(desk.store, desk.person, tenant or _tenant_of(desk), place.conflict or "")
    except Refusal:
        draw(draw_way_back(None, place))
        words = say("There is no such conflict, or it is in a scope you may not see:")
        draw(tag("h1", say("That conflict cannot be shown"), cls="cf-sentence"))
        draw(tag("div", words, " ", tag("span", (place.conflict or "")[:200], cls="cd-id"), cls="cd-empty"))
        return
    remember_following(view, queue.after, *_further(queue))
    draw(draw_way_back(view, place))
    left, right = st.columns([62, 38], gap="medium")
    with left:
        draw(draw_top(view), draw_closed(view) if not view.open else "", draw_comparison(view), draw_strip(view) or "")
        draw(draw_passages(view))  # apart from the rest: on a narrow screen the verdicts stand before it
    with right, st.container(key="conflicts_card"):
        draw_readers(desk, "conflict", view.tenant, view.id)
        draw_card(desk, place, view, queue)
        questions = draw_questions(list_questions_about(desk.store, desk.person, view.tenant, "conflict", view.id))
        if questions is not None:
            draw(questions)


def _further(queue: ConflictQueue) -> list[tuple[str, str]]:
    return list(queue.ids[queue.place + 2 : queue.place + 6])


def _tenant_of(desk: Desk) -> str:
    if desk.scope:
        return desk.scope.split("/", 1)[0]
    return desk.tenants[0] if desk.tenants else ""
