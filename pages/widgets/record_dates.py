"""Giving an accepted record the review date it lacks, from its own page."""

from __future__ import annotations

from datetime import date, timedelta

import streamlit as st

from pages.widgets.callbacks import uninterrupted
from pages.widgets.desk import Desk, attempt, note_done
from pages.widgets.language import say
from pages.widgets.markup import draw, tag
from pages.widgets.record_contract import lacks_end
from store import RecordView, parse_stated_time, renew

_DAY = "record.review_at"


def draw_dates(desk: Desk, view: RecordView, tenant: str) -> None:
    """Draw the form, where a record that is in use would never be looked at again and the person may decide on it."""
    found = view.found
    past = view.known_at is not None or view.at is not None
    if past or found["kind"] == "evidence" or found["status"] != "ACCEPTED" or not view.may_decide or not lacks_end(view):
        return
    day = date.today() + timedelta(days=365)  # noqa: DTZ011 - the person's own calendar
    with st.form("record.dates", border=True):
        draw(tag("div", tag("b", say("When is it to be looked at again?")), cls="cd-small"))
        st.date_input(say("Look at it again on"), value=day, min_value=date.today() + timedelta(days=1), format="YYYY-MM-DD", label_visibility="collapsed", key=_DAY)  # noqa: DTZ011
        words = say("Set the review date as {name}", name=" ".join(desk.actor.name.split())[:60])
        st.form_submit_button(words, on_click=_renew, args=(desk, tenant, found["id"], found["version"]))


@uninterrupted
def _renew(desk: Desk, tenant: str, record_id: str, version: int) -> None:
    chosen = st.session_state.get(_DAY)
    if not isinstance(chosen, date):
        return
    at, day = parse_stated_time(chosen.isoformat()), chosen.isoformat()
    operation = f"desk-renew-{record_id}-{version}-{day}"
    done = attempt(lambda: renew(desk.store, desk.person, tenant, record_id, review_at=at, reason=say("It had no review date."), seen=version, operation=operation))
    if done is not None:
        note_done(say("{id} is looked at again on {day}.", id=record_id, day=day))
