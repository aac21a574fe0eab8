"""The conflicts of a group: which were seen, which were taken out by their tick, and the letters about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from pages.widgets.callbacks import uninterrupted
from pages.widgets.candidate_place import mark_of
from pages.widgets.conflict_place import Place
from pages.widgets.conflict_table import draw_table
from pages.widgets.conflict_words import HIDDEN, origin_words
from pages.widgets.desk import address
from pages.widgets.language import number, phrase, say, say_count
from pages.widgets.markup import draw, tag
from pages.widgets.status import icon
from store import ConflictQueue

_OUT = "conflicts.out"
_SEEN = "conflicts.seen"


def name_group(place: Place) -> str:
    """Return the name of the group looked at, the same for the same sift."""
    sift = place.sift
    return mark_of(sift.scope, sift.only, sift.predicate, sift.origins, sift.others, sift.without, sift.likeness)


def left_out(place: Place) -> set[str]:
    """Return the conflicts of a group that somebody took out, by id; they stay out from page to page."""
    return set(st.session_state.get(_OUT, {}).get(name_group(place), ()))


def take_in_all(place: Place) -> None:
    """Forget what was taken out of a group."""
    st.session_state.get(_OUT, {}).pop(name_group(place), None)


def _tick(place: Place, ids: Sequence[str], on: bool) -> None:
    every: dict[str, set[str]] = st.session_state.setdefault(_OUT, {})
    out = every.setdefault(name_group(place), set())
    every[name_group(place)] = out - set(ids) if on else out | set(ids)


def _note_seen(place: Place, queue: ConflictQueue) -> int:
    """Note which conflicts of the group were on the screen and return how many that makes."""
    every: dict[str, set[str]] = st.session_state.setdefault(_SEEN, {})
    seen = every.setdefault(name_group(place), set())
    seen.update(row.id for row in queue.rows)
    return len(seen & {conflict for _, conflict in queue.ids})


def draw_group_table(place: Place, queue: ConflictQueue, *, ticks: bool) -> None:
    """Draw the conflicts of the group, a page of them."""
    seen, tenants = _note_seen(place, queue), {conflict: tenant for tenant, conflict in queue.ids}

    def opened(conflict: str) -> None:
        place.of((tenants[conflict], conflict)).go()

    draw_table(queue.rows, place, left_out(place), ticks=ticks, on_ticks=lambda ids, on: _tick(place, ids, on), on_open=opened)
    if queue.matched > len(queue.rows):
        last = queue.first + len(queue.rows)
        where = say("{first}–{last} of {all}", first=number(queue.first + 1), last=number(last), all=number(queue.matched))
        with st.container(horizontal=True, vertical_alignment="center", key="conflicts_pages"):
            page = queue.first // 50 + 1
            st.button(
                say("Earlier page"), key="conflicts.page.before", disabled=not queue.first, on_click=_turn, args=(place, page - 1), type="tertiary"
            )
            draw(tag("span", where, cls="cd-muted"))
            st.button(
                say("Next page"),
                key="conflicts.page.after",
                shortcut="N",
                disabled=last >= queue.matched,
                on_click=_turn,
                args=(place, page + 1),
                type="tertiary",
            )
            draw(tag("span", say_count("You have looked at {n}.", "You have looked at {n}.", seen), cls="cd-muted"))


def draw_letters(place: Place, queue: ConflictQueue) -> None:
    """Draw the ways to a letter to either of two sources, where what the group is named by is a source or an authority."""
    names = place.sift.origins
    if len(names) != 2 or place.sift.others or HIDDEN in names or any(row.level == "collection" for row in queue.rows):
        return
    links = [
        tag("a", origin_words(one, 60), cls="cd-link", href=address("letter", source=one, other=other, scope=place.sift.scope))
        for one, other in (names, names[::-1])
    ]
    draw(tag("div", icon("mail"), phrase("A letter about these, to {one} or to {other}", one=links[0], other=links[1]), cls="cd-small cd-muted"))


@uninterrupted
def _turn(place: Place, page: int) -> None:
    replace(place, page=page).go()
