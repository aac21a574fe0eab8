"""Looking at a record as it was known then, and as it stands at another time: under a band that says nothing can be decided there."""

from __future__ import annotations

import streamlit as st

from pages.widgets.callbacks import uninterrupted
from pages.widgets.candidate_words import exact
from pages.widgets.desk import Desk, address
from pages.widgets.language import phrase, say
from pages.widgets.markup import draw, join, tag
from pages.widgets.status import icon
from store import RecordView, format_time, parse_stated_time

_KNOWN, _AT = "known", "at"
_WIDGETS = {_KNOWN: "record.known", _AT: "record.at"}
_SEEN = "record.then.seen"


class Moments:
    """The moments the address asks for, in microseconds; `wrong` holds what is no time."""

    def __init__(self) -> None:
        self.wrong: list[str] = []
        self.known_at, self.at = self._read(_KNOWN), self._read(_AT)

    def _read(self, name: str) -> int | None:
        text = st.query_params.get(name, "").strip()
        if not text:
            return None
        try:
            return parse_stated_time(text)
        except ValueError:
            self.wrong.append(text[:60])
            return None


def draw_wrong(moments: Moments) -> None:
    """Draw what the address says that is no time; now is shown instead."""
    for text in moments.wrong:
        words = phrase("{text} is no time such as 2026-06-30 or 2026-06-30T09:00:00Z, so the page shows what is so now.", text=tag("b", text))
        draw(tag("div", words, cls="cd-band cd-warnband"))


def draw_band(desk: Desk, view: RecordView, tenant: str) -> None:
    """Draw the band over what is not now."""
    if view.known_at is None and view.at is None:
        return
    back = tag("a", say("Back to now"), cls="cd-link", href=address("record", record=view.found["id"], tenant=tenant, scope=desk.scope))
    if view.known_at is not None and view.at is not None:
        words = phrase("What the store knew on {known}, for {at}.", known=tag("b", exact(view.known_at)), at=tag("b", exact(view.at)))
    elif view.known_at is not None:
        words = phrase("What the store knew on {known}.", known=tag("b", exact(view.known_at)))
    else:
        words = phrase("What holds on {at}, by what is known now.", at=tag("b", exact(view.at)))
    draw(tag("div", icon("history_toggle_off"), join((words, phrase("Nothing can be decided here."), back), " "), cls="cd-band cd-warnband cr-then"))


@uninterrupted
def _take() -> None:
    for name, widget in _WIDGETS.items():
        text = str(st.session_state.get(widget, "")).strip()
        if text:
            st.query_params[name] = text
        else:
            st.query_params.pop(name, None)


def draw_form(moments: Moments) -> None:
    """Draw where another moment is asked for."""
    asked = (moments.known_at, moments.at)
    # The address is what counts: a link, or going back, sets the fields.
    if st.session_state.get(_SEEN) != asked:
        st.session_state[_SEEN] = asked
        for widget, micros in zip(_WIDGETS.values(), asked, strict=True):
            st.session_state[widget] = format_time(micros) if micros is not None else ""
    with st.expander(say("Look at another time"), expanded=False), st.form("record.then", border=False):
        left, right, button = st.columns([2, 2, 1], vertical_alignment="bottom")
        with left:
            st.text_input(say("As the store knew it on"), key=_WIDGETS[_KNOWN], placeholder=say("for example 2026-06-30T09:00:00Z"))
        with right:
            st.text_input(say("For the time of"), key=_WIDGETS[_AT], placeholder=say("for example 2026-06-30"))
        with button:
            st.form_submit_button(say("Look"), on_click=_take)


def then_link(record_id: str, tenant: str, at: str, scope: str | None) -> str:
    """Return the address of a record as it was known at a moment."""
    return address("record", record=record_id, tenant=tenant, known=at, scope=scope)
