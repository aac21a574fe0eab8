"""Deciding on what needs re-validation: worked out first, committed exactly so; each press counts once."""

from __future__ import annotations

import streamlit as st

from pages.widgets import told
from pages.widgets.callbacks import uninterrupted
from pages.widgets.candidate_place import mark_of
from pages.widgets.decision_guard import counts
from pages.widgets.desk import Desk, address, attempt, note_done
from pages.widgets.labels import option_text
from pages.widgets.language import number, phrase, say, say_count
from pages.widgets.markup import draw, tag
from pages.widgets.plan_state import forget_rehearsals
from pages.widgets.revalidate_place import Place
from pages.widgets.revalidate_plan import draw_plan
from pages.widgets.status import icon
from store import (
    Plan,
    StaleQueue,
    StaleRow,
    StaleSift,
    StaleView,
    Verb,
    ask,
    dismiss_trigger,
    fire_trigger,
    list_people_to_ask,
    list_stale,
)

#: Most records that one confirmation takes from a list.
_WHOLE = 500
_UNASKED = "revalidate.unasked"


# --- restoring ----------------------------------------------------------------------------------------------------


def draw_restore(desk: Desk, place: Place, row: StaleRow) -> None:
    """Draw the plan that restores everything below what stands again."""
    draw(tag("h2", say("Restore in one decision"), cls="cd-heading"))
    words = phrase("{what} stands again and says what it said. Everything below that needs re-validation for no other cause stands again with it.", what=tag("b", (row.names.get(row.back_by or "") or row.back_by or "")[:120]))
    draw(tag("p", words, cls="cd-small"))
    draw_plan(desk, row.tenant, Plan(Verb.RESTORE, (row.back_by or "",)), place)
    draw(tag("a", say("Confirm only this one"), cls="cd-link cd-small", href=place.changed(record=row.id, tenant=row.tenant).link(do="confirm")))


# --- confirming ---------------------------------------------------------------------------------------------------


@uninterrupted
def _add(place: Place, row: StaleRow, key: str, what: str) -> None:
    """Take what was typed into a field into the address."""
    text = str(st.session_state.get(key) or "").strip()[:500]
    st.session_state[key] = ""
    if not text:
        return
    asked = place.changed(record=row.id, tenant=row.tenant)
    same = {"do": "confirm", "whole": place.whole, "drop": place.drop, "add": place.add, "replace": place.replace}
    asked.changed(**{**same, what: tuple(dict.fromkeys((*getattr(place, what), text)))}).go()


@uninterrupted
def _swap(place: Place, row: StaleRow, old: str, key: str) -> None:
    new = str(st.session_state.get(key) or "").strip()[:400]
    others = tuple(one for one in place.replace if one.partition("=")[0] != old)
    asked = place.changed(record=row.id, tenant=row.tenant)
    drop = tuple(one for one in place.drop if one != old) if new else place.drop
    asked.changed(do="confirm", whole=place.whole, drop=drop, add=place.add, replace=(*others, f"{old}={new}") if new else others).go()


def draw_confirm(desk: Desk, place: Place, queue: StaleQueue, row: StaleRow, view: StaleView) -> None:
    """Draw what becomes of what it rests on, and the plan that confirms it."""
    draw(tag("h2", say("Let it stand"), cls="cd-heading"))
    mark = mark_of(row.tenant, row.id, view.version)
    known = {one.partition("=")[0]: one.partition("=")[2] for one in place.replace}
    for n, one in enumerate(view.lost[:6], 1):
        key = f"revalidate.swap.{n}.{mark}"
        st.session_state.setdefault(key, known.get(one.id, ""))
        st.text_input(say("Instead of lost support {n}, rest on", n=number(n)), key=key, placeholder=say("Id of a record or version"), on_change=_swap, args=(place, row, one.id, key), max_chars=400)
    key = f"revalidate.add.{mark}"
    st.text_input(say("Also rest on"), key=key, placeholder=say("Id, or id#start-end for a passage"), on_change=_add, args=(place, row, key, "add"), max_chars=500)
    if place.add:
        draw(tag("div", phrase("Added: {what}. {clear}", what=", ".join(place.add)[:300], clear=tag("a", say("Clear"), cls="cd-link", href=place.link(add=()))), cls="cd-small"))
    ids = _ids(desk, place, queue, row, view)
    draw_plan(desk, row.tenant, place.changed(do="confirm").plan(ids), place, undo=place.changed(record=row.id, tenant=row.tenant).link() if place.do else None)


def _ids(desk: Desk, place: Place, queue: StaleQueue, row: StaleRow, view: StaleView) -> tuple[str, ...]:
    """Return what is confirmed: this one, or everything that lost the same."""
    group = next((one for one in queue.groups if view.lost and one.key == f"lost:{view.lost[0].id}" and one.tenant == row.tenant), None)
    if row.state != "lost" or group is None or group.direct < 2 or len(view.lost) != 1:
        return (row.id,)
    words = say_count("Only this one", "For all {n} that lost the same", min(group.direct, _WHOLE)) if not place.whole else say("Only this one")
    asked = place.changed(record=row.id, tenant=row.tenant)
    draw(tag("a", icon("checklist"), words, cls="cd-link cd-button rv-small", href=asked.link(do="confirm", whole=not place.whole, drop=place.drop, add=place.add, replace=place.replace)))
    if not place.whole:
        return (row.id,)
    sift = StaleSift(place.scope, row.tenant, place.correction, "lost", group.key, place.kind, place.owner, place.mine)
    same = list_stale(desk.store, desk.person, sift, limit=_WHOLE).rows
    return tuple(one.id for one in same if one.tenant == row.tenant and one.lost == (view.lost[0].id,) and not one.hidden)


# --- triggers, questions ------------------------------------------------------------------------------------------


@uninterrupted
def _dismiss(desk: Desk, row: StaleRow, name: str, key: str) -> None:
    reason = str(st.session_state.get(key) or "")
    if not counts():
        return
    done = attempt(lambda: dismiss_trigger(desk.store, desk.person, row.tenant, row.id, name, reason, operation=f"{desk.store.new_id()}"))
    if done is not None:
        forget_rehearsals()
        note_done(say("Dismissed. Its status is as it was."))


@uninterrupted
def _fire(desk: Desk, row: StaleRow, key: str) -> None:
    reason = str(st.session_state.get(key) or "")
    if counts():
        done = attempt(lambda: fire_trigger(desk.store, desk.person, row.tenant, "source_changed", [row.id], reason))
        if done is not None:
            note_done(say_count("{n} record needs re-validation now.", "{n} records need re-validation now.", int(done["changed"])))


def draw_trigger(desk: Desk, place: Place, row: StaleRow, view: StaleView) -> None:
    """Draw the field and button that dismiss what fired, or decide on a newer version."""
    del place
    names = row.triggers or ("source_changed",)
    for name in dict.fromkeys(names):
        mark = mark_of(row.tenant, row.id, view.version, name)
        key = f"revalidate.dismiss.{mark}"
        with st.form(f"revalidate.trigger.{mark}", border=False):
            st.text_input(say("Why that does not matter here"), key=key, max_chars=4000)
            st.form_submit_button(say("Dismiss the trigger"), key=f"revalidate.dismissing.{mark}", on_click=_dismiss, args=(desk, row, name, key))
            if row.state == "newer":
                st.form_submit_button(say("It needs re-validation"), key=f"revalidate.firing.{mark}", on_click=_fire, args=(desk, row, key))


@uninterrupted
def _send(desk: Desk, place: Place, row: StaleRow, whom: str, what: str) -> None:
    text, person = str(st.session_state.get(what) or "").strip(), st.session_state.get(whom)
    if not text or not person:
        told.keep(_UNASKED, say("Write the question. Nothing was asked."))
    elif counts():
        done = attempt(lambda: ask(desk.store, desk.person, row.tenant, "record", row.id, text, person))
        if done is not None:
            note_done(say("Asked. The answer comes to your page of the day."), (say("See the day"), address("today", scope=place.scope)))
            place.changed(record=row.id, tenant=row.tenant).go()


def draw_choices(place: Place, row: StaleRow) -> None:
    """Draw what may become of a plan whose ground was lost: carry on, plan again, or ask first."""
    asked = place.changed(record=row.id, tenant=row.tenant)
    again = address("deliveries", view="delivered", artifact=row.id, tenant=row.tenant, scope=place.scope)
    carry = place.do in (None, "confirm", "restore")
    draw(
        tag("h2", say("What becomes of this plan"), cls="cd-heading"),
        tag(
            "div", tag("a", icon("play_arrow"), say("Carry on"), cls="cd-link cd-button" + (" rv-on" if carry else ""), href=asked.link(do="confirm")),
            tag("a", icon("edit_calendar"), say("Plan again"), cls="cd-link cd-button", href=again),
            tag("a", icon("contact_support"), say("Ask first"), cls="cd-link cd-button" + (" rv-on" if place.do == "ask" else ""), href=asked.link(do="ask")), cls="cd-actions",
        ),
        tag("p", say("Carrying on confirms it on what is left; planning again proposes its next edition, which replaces it once somebody else approves it."), cls="cd-muted cd-small"),
    )  # fmt: skip


def draw_ask(desk: Desk, place: Place, row: StaleRow, view: StaleView) -> None:
    """Draw the form that asks somebody whether to carry on."""
    people = attempt(lambda: list_people_to_ask(desk.store, desk.person, row.tenant, "record", row.id)) or ()
    if not people:
        draw(tag("p", say("There is nobody who may see it and could be asked."), cls="cd-muted"))
        return
    unasked = told.take(_UNASKED)
    if unasked:
        draw(tag("div", unasked, cls="cd-band cd-badband"))
    mark = mark_of(row.tenant, row.id, view.version, "ask")
    names = {one.id: option_text(one.name, 40) for one in people}
    with st.form(f"revalidate.ask.{mark}", border=False):
        st.selectbox(say("Whom to ask"), list(names), key=f"revalidate.whom.{mark}", format_func=lambda one: names.get(one, str(one)))
        st.text_input(say("Your question"), key=f"revalidate.what.{mark}", max_chars=2000, placeholder=say("Carry on, or plan again?"))
        st.form_submit_button(say("Ask"), key=f"revalidate.asking.{mark}", on_click=_send, args=(desk, place, row, f"revalidate.whom.{mark}", f"revalidate.what.{mark}"))
