"""Walking through the list of re-validation by keys, and the line that says what keys do."""

from __future__ import annotations

import streamlit as st

from pages.widgets.callbacks import uninterrupted
from pages.widgets.language import say
from pages.widgets.revalidate_place import Place
from pages.widgets.revalidate_words import DATED
from store import STALE_STATES, StaleRow


@uninterrupted
def _go(place: Place) -> None:
    place.go()


def _beside(rows: tuple[StaleRow, ...], chosen: StaleRow | None, place: Place, following: str | None) -> tuple[Place | None, Place | None]:
    """Return the places of the records before and after the one looked at; after the last of a page comes the next page."""
    at = next((n for n, row in enumerate(rows) if chosen is not None and (row.tenant, row.id) == (chosen.tenant, chosen.id)), None)
    if at is None:
        return None, place.changed(record=rows[0].id, tenant=rows[0].tenant) if rows else None
    back = place.changed(record=rows[at - 1].id, tenant=rows[at - 1].tenant) if at else None
    if at + 1 < len(rows):
        return back, place.changed(record=rows[at + 1].id, tenant=rows[at + 1].tenant)
    return back, place.changed(after=following, record=None, tenant=None) if following else None


def draw_walk(rows: tuple[StaleRow, ...], chosen: StaleRow | None, place: Place, following: str | None) -> None:
    """Draw the buttons that keys press: the record before and after, ticking, and stating a new value."""
    back, on = _beside(rows, chosen, place, following)
    with st.container(horizontal=True, key="revalidate_walk"):
        st.button(say("Previous"), shortcut="K", key="revalidate.previous", disabled=back is None, on_click=_go, args=(back,), type="tertiary")
        st.button(say("Next"), shortcut="J", key="revalidate.next", disabled=on is None, on_click=_go, args=(on,), type="tertiary")
        if chosen is not None and chosen.state in DATED:
            name = f"{chosen.tenant}/{chosen.id}"
            ticked = name in place.ticks
            ticks = tuple(one for one in place.ticks if one != name) if ticked else (*place.ticks, name)
            kept = place.changed(ticks=ticks).changed(record=chosen.id, tenant=chosen.tenant)
            st.button(say("Untick") if ticked else say("Tick"), shortcut="T", key="revalidate.tick", on_click=_go, args=(kept,), type="tertiary")
        if chosen is not None and chosen.state in STALE_STATES and chosen.kind == "claim":
            opened = place.do == "answer"
            asked = place.changed(record=chosen.id, tenant=chosen.tenant)
            there = asked if opened else asked.changed(do="answer")
            st.button(say("Back") if opened else say("New value …"), shortcut="Esc" if opened else "N", key="revalidate.answer", on_click=_go, args=(there,), type="tertiary")
