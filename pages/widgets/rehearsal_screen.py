"""The page of rehearsals: the list, one of them, or two side by side."""

from __future__ import annotations

import streamlit as st

from pages.widgets.desk import Desk, attempt, show_notices
from pages.widgets.language import say
from pages.widgets.markup import draw, tag
from pages.widgets.rehearsal_compare import draw_choice, draw_comparison
from pages.widgets.rehearsal_list import draw_list
from pages.widgets.rehearsal_page import draw_one
from pages.widgets.rehearsal_place import RehearsalPlace, read_place
from pages.widgets.rehearsal_saved import draw_printed


def draw_screen(desk: Desk) -> None:
    """Draw the page."""
    place = read_place(desk)
    with st.container(key="rehearsals_screen"):
        if attempt(lambda: _draw(desk, place)) is None:
            draw(tag("h1", say("Rehearsals"), cls="cd-title"))
            show_notices()
            draw(tag("p", tag("a", say("All rehearsals"), cls="cd-link", href=place.link(one=None, other=None, picking=False, printed=False))))


def _draw(desk: Desk, place: RehearsalPlace) -> bool:
    if place.one is None or place.tenant is None:
        draw(tag("h1", say("Rehearsals"), cls="cd-title"))
        draw_list(desk, place)
    elif place.picking:
        draw_choice(desk, place)
    elif place.other is not None:
        draw_comparison(desk, place)
    elif place.printed:
        draw_printed(desk, place)
    else:
        draw_one(desk, place)
    return True
