"""Renewing what expires or is due for review: a new date with a reason, for one record or for those that are ticked."""

from __future__ import annotations

from datetime import date, timedelta

import streamlit as st

from pages.widgets import told
from pages.widgets.callbacks import uninterrupted
from pages.widgets.candidate_place import mark_of
from pages.widgets.candidate_words import shorten
from pages.widgets.decision_guard import counts
from pages.widgets.desk import Desk, attempt, note_done, record_link, take_refusal
from pages.widgets.labels import label_text
from pages.widgets.language import phrase, say, say_count
from pages.widgets.markup import Markup, draw, join, tag
from pages.widgets.moments import from_micros, say_day
from pages.widgets.plan_state import forget_rehearsals
from pages.widgets.refusal_words import say_refusal
from pages.widgets.revalidate_place import Place
from pages.widgets.status import icon
from store import DatedRecord, format_time, list_dates, parse_stated_time, renew

_PROBLEMS = "revalidate.renew.problems"
_SHOWN = 12


def _day(micros: int) -> date:
    return date.fromisoformat(format_time(micros)[:10])


def _midnight(found: object) -> int | None:
    return parse_stated_time(found.isoformat()[:10]) if isinstance(found, date) else None


def _dates(one: DatedRecord) -> Markup:
    parts = []
    if one.expires_at is not None:
        words = phrase("expired on {day}", day=say_day(from_micros(one.expires_at))) if one.expired else phrase("expires on {day}", day=say_day(from_micros(one.expires_at)))
        parts.append(words)
    if one.review_at is not None:
        words = phrase("was to be reviewed by {day}", day=say_day(from_micros(one.review_at))) if one.due else phrase("is to be reviewed by {day}", day=say_day(from_micros(one.review_at)))
        parts.append(words)
    return join(parts, " · ")


def draw_renewing(desk: Desk, place: Place, tenant: str, ids: tuple[str, ...]) -> None:
    """Draw the dates of some records and the form that renews them."""
    found = list_dates(desk.store, desk.person, tenant, ids)
    mine = tuple(one for one in found if one.may_decide)
    draw(tag("h2", say("Renew it") if len(ids) == 1 else say_count("Renew {n} record", "Renew {n} records", len(mine)), cls="cd-heading"))
    kept = take_refusal()
    problems = told.take(_PROBLEMS)
    if problems or kept:
        lines = [tag("li", one) for one in problems or ()] + ([tag("li", say_refusal(desk, tenant, kept["message"]))] if kept else [])
        draw(tag("div", tag("ul", *lines, cls="cd-problems"), cls="cd-band cd-badband"))
    rows = [tag("li", record_link(one.id, one.tenant, shorten(one.title, 140)) if len(ids) > 1 else None, tag("div", _dates(one), cls="cd-small" + (" cd-muted" if len(ids) > 1 else ""))) for one in mine[:_SHOWN]]
    if len(mine) > _SHOWN:
        rows.append(tag("li", say_count("and {n} more", "and {n} more", len(mine) - _SHOWN), cls="cd-muted"))
    draw(tag("ul", *rows, cls="rv-supports"))
    left = len(ids) - len(mine)
    if left and mine:
        draw(tag("p", say_count("{n} of those ticked has another status by now, or is not yours to renew.", "{n} of those ticked have another status by now, or are not yours to renew.", left), cls="cd-muted cd-small"))
    if not mine:
        draw(tag("div", icon("lock"), say("None of this can be renewed by you, or it has another status by now."), cls="cd-band"))
        return
    _draw_form(desk, place, mine)


def _draw_form(desk: Desk, place: Place, mine: tuple[DatedRecord, ...]) -> None:
    mark = mark_of(*((one.tenant, one.id, one.version) for one in mine))
    today = _day(desk.store.now())
    ends = any(one.expires_at is not None for one in mine)
    operation = st.session_state.setdefault(f"revalidate.renewal.{mark}", desk.store.new_id())
    with st.form(f"revalidate.renew.{mark}", border=False, enter_to_submit=False):
        one, two = st.columns(2)
        tomorrow = today + timedelta(days=1)
        one.date_input(say("Look at it again on"), value=None, key=f"revalidate.review.{mark}", min_value=tomorrow, format="YYYY-MM-DD")
        if ends:
            two.date_input(say("Expires on"), value=None, key=f"revalidate.expires.{mark}", min_value=tomorrow, format="YYYY-MM-DD")
        st.text_area(say("Reason, kept with the event"), key=f"revalidate.why.{mark}", height=68, max_chars=4_000, placeholder=say("Why it still holds"))
        name = label_text(desk.actor.name, 40) or say("you")
        st.form_submit_button(
            say_count("Renew {n} record as {name}", "Renew {n} records as {name}", len(mine), name=name), type="primary", key=f"revalidate.renewing.{mark}",
            on_click=_renew, args=(desk, place, mine, mark, operation), shortcut="A",
        )  # fmt: skip


@uninterrupted
def _renew(desk: Desk, place: Place, mine: tuple[DatedRecord, ...], mark: str, operation: str) -> None:
    """Renew what was drawn, each record at the version that was seen, each on its own."""
    state = st.session_state
    review, expires = _midnight(state.get(f"revalidate.review.{mark}")), _midnight(state.get(f"revalidate.expires.{mark}"))
    reason = str(state.get(f"revalidate.why.{mark}") or "").strip()
    problems = []
    if review is None and expires is None:
        problems.append(say("Give a new date. Nothing was changed."))
    elif expires is None and any(one.expired for one in mine):
        problems.append(say("What expired needs a new day on which it expires. Nothing was changed."))
    if not reason:
        problems.append(say("Give a reason. It is kept with the event."))
    told.keep(_PROBLEMS, problems)
    if problems or not counts():
        return
    done = 0
    for one in mine:
        until = expires if one.expires_at is not None else None
        if review is None and until is None:
            continue
        kept = attempt(lambda one=one, until=until: renew(  # type: ignore[misc]
            desk.store, desk.person, one.tenant, one.id, review_at=review, expires_at=until, reason=reason, seen=one.version, operation=f"{operation}-{mark_of(one.id)}",
        ))  # fmt: skip
        if kept is None:
            break
        done += 1
    if done:
        forget_rehearsals()
        note_done(say_count("{n} record is renewed.", "{n} records are renewed.", done))
    if done == len(mine):
        place.changed(record=None, tenant=None, ticks=()).go()
