"""The page of rehearsals: the list, one of them, or two side by side."""

from __future__ import annotations

import streamlit as st

from pages.widgets.desk import Desk, attempt, show_notices
from pages.widgets.language import say
from pages.widgets.markup import draw, tag
from pages.widgets.rehearsal_list import draw_list
from pages.widgets.rehearsal_place import RehearsalPlace, read_place


def draw_screen(desk: Desk) -> None:
    """Draw the page."""
    place = read_place(desk)
    with st.container(key="rehearsals_screen"):
        draw(tag("h1", say("Rehearsals"), cls="cd-title"))
        attempt(lambda: _draw(desk, place))
        show_notices()


def _draw(desk: Desk, place: RehearsalPlace) -> None:
    draw_list(desk, place)
