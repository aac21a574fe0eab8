"""The screen of candidates: one sentence, counts, the list on the left, one candidate on the right, one bar below it."""

from __future__ import annotations

import streamlit as st

from pages.widgets.candidate_amend import draw_amend
from pages.widgets.candidate_detail import draw_around, draw_aside, draw_change, draw_evidence, draw_top
from pages.widgets.candidate_keys import calm_keys
from pages.widgets.candidate_list import draw_counts, draw_filters, draw_list, draw_nothing, draw_sentence
from pages.widgets.candidate_place import Place, read_place
from pages.widgets.candidate_terms import draw_reads, draw_terms, given_terms
from pages.widgets.decision import drawn_before, remember_drawn
from pages.widgets.decision_bar import draw_bar
from pages.widgets.decision_guard import Seen, seen_now
from pages.widgets.desk import Desk, attempt, show_notices
from pages.widgets.markup import draw, tag
from store import CandidateView, Refusal, find_tenant, list_candidates, view_candidate


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
    draw(
        tag(
            "div",
            tag("b", "That candidate cannot be shown"),
            words,
            " ",
            id_,
            tag("p", tag("a", "Show what waits", cls="cd-link", href=place.link())),
            cls="cd-empty",
        )
    )


def _draw_candidate(desk: Desk, place: Place, shown: tuple[str, str]) -> tuple[CandidateView, Seen] | None:
    terms, problem = given_terms(*shown)
    try:
        view = view_candidate(desk.store, desk.person, shown[0], shown[1], terms)
    except Refusal:
        _draw_unknown(place, "There is no such candidate, or it is in a scope you may not see:")
        return None
    seen = seen_now(view.tenant, view.id, view.version, view.content_hash, view.title)
    was = drawn_before(seen)
    if was is not None:
        draw(draw_change(was, view))
    remember_drawn(seen, view.line)
    with st.container(key="candidates_detail"):
        draw(draw_top(view))
        with st.container(key="candidates_two"):
            wide, narrow = st.columns([7, 3], gap="medium")
            with wide:
                draw(draw_evidence(view))
                if view.status == "CANDIDATE" and view.may_decide:
                    draw_reads(view)
                    draw_terms(view, problem)
                    draw_amend(desk, view, seen)
            with narrow:
                draw(draw_aside(view))
        around = draw_around(view)
        if around:
            draw(around)
    return view, seen


def draw_screen(desk: Desk) -> None:
    """Draw the page."""
    with st.container(key="candidates_screen"):
        _draw(desk)


def _draw(desk: Desk) -> None:
    place = read_place(desk)
    asked = _asked(desk, place)
    queue = attempt(lambda: list_candidates(desk.store, desk.person, place.sift, asked))
    show_notices()
    if queue is None:
        draw(tag("div", tag("b", "The list could not be read"), "Nothing was changed. Reload the page in a moment.", cls="cd-empty"))
        return
    if place.unknown is not None:
        draw(
            tag(
                "div",
                "The address asks for a filter that does not exist, and it was left out: ",
                tag("b", place.unknown[:80]),
                cls="cd-band cd-warnband",
            )
        )
    draw_sentence(queue)
    if not queue.yours + queue.others + queue.readable and asked is None:
        if place.candidate is not None:
            _draw_unknown(place, "There is no record with this id that you may see:")
        draw_nothing(place)
        draw_bar(desk, place, queue, None, None)
        return
    counts, filters = st.columns([3, 2], vertical_alignment="center")
    with counts:
        draw_counts(queue, place)
    with filters:
        draw_filters(queue, place)
    left, right = st.columns([28, 72], gap="medium")
    shown = asked or (None if place.candidate else queue.chosen)
    with left:
        draw_list(queue, place, shown)
    with right:
        drawn = None
        if shown is not None:
            drawn = _draw_candidate(desk, place, shown)
        elif place.candidate is not None:
            _draw_unknown(place, "There is no record with this id that you may see:")
        else:
            draw_nothing(place)
        draw_bar(desk, place, queue, *(drawn or (None, None)))
    calm_keys(f"{shown}")
