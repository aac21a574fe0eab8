"""One rehearsal: how it stands, what it would do, and what can be done with it."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import streamlit as st

from pages.widgets import told
from pages.widgets.callbacks import uninterrupted
from pages.widgets.candidate_place import mark_of
from pages.widgets.decision_guard import counts
from pages.widgets.desk import Desk, address, attempt, note_done, record_link, show_notices, take_refusal
from pages.widgets.labels import option_text
from pages.widgets.language import listed, number, phrase, quote_store, say, say_count
from pages.widgets.markup import Markup, draw, join, tag
from pages.widgets.moments import from_micros, when
from pages.widgets.plan_commit import draw_commit
from pages.widgets.plan_preview import draw_jump, draw_limits, draw_lists, draw_picture, draw_preview
from pages.widgets.plan_result import draw_result
from pages.widgets.plan_rows import DRIFTED, key_words
from pages.widgets.plan_state import drift_of, place_of_rehearsal, rehearsal_of
from pages.widgets.recapture_passages import new_values, passage_groups
from pages.widgets.rehearsal_place import RehearsalPlace
from pages.widgets.rehearsal_saved import draw_exports, draw_saved
from pages.widgets.rehearsal_words import plan_words, stand_badge
from pages.widgets.status import badge, icon
from store import (
    Refusal,
    Rehearsal,
    RehearsalView,
    SavedRehearsal,
    Shift,
    hand_over,
    list_committers,
    list_recaptured,
    refresh_rehearsal,
    remove_rehearsal,
    rename_rehearsal,
    view_rehearsal,
)

_OPERATION = "rehearsals.operation"
_REFUSED = "rehearsals.refused"
_SHOWN = 12
_PASSAGES = 400


def draw_one(desk: Desk, place: RehearsalPlace) -> None:
    """Draw a rehearsal.

    Raises:
        Refusal: it is not there, or not for this person to see.
    """
    assert place.tenant is not None
    assert place.one is not None
    refused = take_refusal()
    view = view_rehearsal(desk.store, desk.person, place.tenant, place.one)
    saved = view.saved
    draw(tag("div", tag("a", say("‹ Rehearsals"), cls="cd-link", href=place.link(one=None, other=None)), cls="cd-kicker rh-noprint"))
    draw(tag("h1", saved.name, cls="cd-title"), _head(saved, desk))
    if (why := told.take(_REFUSED)) is not None:
        draw(tag("div", quote_store(why), cls="cd-band cd-badband"))
    show_notices()
    _draw_tools(desk, place, view)
    if saved.committed is not None:
        _draw_committed(desk, saved)
    elif saved.impossible is not None:
        words = phrase("{gone} {why}", gone=tag("b", say("This plan cannot be carried out any more.")), why=quote_store(saved.impossible))
        draw(tag("div", words, tag("div", say("What you see below is what was so when it was saved. It can be read, compared and exported."), cls="cd-muted"), cls="cd-band cd-badband"))
        draw_saved(desk, place, saved)
    else:
        if view.shift is not None:
            _draw_shift(desk, view, view.shift)
        _draw_plan(desk, place, saved, refused)


def _head(saved: SavedRehearsal, desk: Desk) -> Markup:
    who = say("you") if saved.mine else saved.by_name[:80]
    parts: list[Any] = [
        stand_badge(saved), plan_words(saved.plan, saved.words), phrase("saved by {who} {when}", who=who, when=when(from_micros(saved.at))),
        phrase("fingerprint {code}", code=tag("button", f"{saved.fingerprint[:4]}…{saved.fingerprint[-3:]}", cls="cd-copy", title=saved.fingerprint)),
    ]  # fmt: skip
    if saved.correction:
        href = address("corrections", case=saved.correction, tenant=saved.tenant, scope=desk.scope)
        parts.append(phrase("for the correction {case}", case=tag("a", saved.correction[:80], cls="cd-link", href=href)))
    lines = [tag("div", *(tag("span", part) for part in parts), cls="cd-badges")]
    if saved.handed_to is not None:
        to = say("you") if saved.handed else (saved.handed_to_name or "")[:80]
        words = phrase("{by} handed it to {to} {when}: {why}", by=tag("b", (saved.handed_by_name or "")[:80]), to=tag("b", to),
                       when=when(from_micros(saved.handed_at or 0)), why=(saved.handed_why or "")[:2000])  # fmt: skip
        lines.append(tag("div", icon("forward"), words, cls="cd-band rh-handedband"))
    return join(lines)


# --- what can be done with it -------------------------------------------------------------------------------------


@uninterrupted
def _do(action: Callable[[str], Any], done: str, *, leave: bool = False) -> None:
    """Run an action once per press, and say what it did."""
    if not counts():
        return
    operation = st.session_state.setdefault(_OPERATION, secrets.token_hex(12))
    try:
        action(f"{operation}-{mark_of(done)}")
    except Refusal as refusal:
        told.keep(_REFUSED, refusal.message)
        return
    st.session_state.pop(_OPERATION, None)
    note_done(done)
    if leave:
        st.query_params.pop("one", None)


@uninterrupted
def _rename(desk: Desk, saved: SavedRehearsal, field: str) -> None:
    name = str(st.session_state.get(field) or "")
    _do(lambda operation: rename_rehearsal(desk.store, desk.person, saved.tenant, saved.id, name, operation=operation), say("It has another name now."))


@uninterrupted
def _remove(desk: Desk, saved: SavedRehearsal) -> None:
    _do(lambda operation: remove_rehearsal(desk.store, desk.person, saved.tenant, saved.id, operation=operation),
        say("“{name}” is removed. No record was changed.", name=saved.name), leave=True)  # fmt: skip


@uninterrupted
def _refresh(desk: Desk, saved: SavedRehearsal) -> None:
    _do(lambda operation: refresh_rehearsal(desk.store, desk.person, saved.tenant, saved.id, operation=operation),
        say("What it does now is kept with it."))  # fmt: skip


@uninterrupted
def _hand(desk: Desk, saved: SavedRehearsal, to: str, why: str, names: dict[str, str]) -> None:
    chosen, reason = st.session_state.get(to), str(st.session_state.get(why) or "")
    if chosen is None:
        told.keep(_REFUSED, say("Choose who is to commit it. Nothing was handed over."))
        return
    _do(lambda operation: hand_over(desk.store, desk.person, saved.tenant, saved.id, chosen, reason, operation=operation),
        say("{name} has it now, and sees it under Today.", name=names.get(chosen, chosen)))  # fmt: skip


def _draw_tools(desk: Desk, place: RehearsalPlace, view: RehearsalView) -> None:
    saved = view.saved
    mark = mark_of(saved.tenant, saved.id, saved.name, saved.handed_to, saved.fingerprint)
    with st.container(horizontal=True, gap="small", vertical_alignment="center", key="rehearsals_tools"):
        draw(tag("a", icon("compare"), say("Compare with…"), cls="cd-link cd-button", href=place.link(picking=True)))
        if view.may_hand:
            with st.popover(say("Hand over"), icon=":material/forward:"):
                _draw_hand(desk, saved, mark)
        if view.may_keep:
            with st.popover(say("Rename"), icon=":material/edit:"), st.form(f"rehearsals.rename.{mark}", border=False):
                field = f"rehearsals.name.{mark}"
                st.text_input(say("Name of the rehearsal"), value=saved.name, key=field, max_chars=120)
                st.form_submit_button(say("Rename"), key=f"rehearsals.rename.do.{mark}", on_click=_rename, args=(desk, saved, field))
            with st.popover(say("Remove"), icon=":material/delete:"):
                draw(tag("p", say("It is taken off every list. No record changes, and what was committed stays so."), cls="cd-muted cd-small"))
                st.button(say("Remove this rehearsal"), key=f"rehearsals.remove.{mark}", on_click=_remove, args=(desk, saved))
        draw_exports(desk, place, saved)


def _draw_hand(desk: Desk, saved: SavedRehearsal, mark: str) -> None:
    people = list_committers(desk.store, desk.person, saved.tenant, saved.id)
    if not people:
        draw(tag("p", say("Nobody else decides where this is decided."), cls="cd-muted cd-small"))
        return
    names = {one["id"]: one["name"] for one in people}
    labels = {one["id"]: f"{option_text(one['name'], 40)} ({option_text(one['id'], 40)})" for one in people}
    to, why = f"rehearsals.to.{mark}", f"rehearsals.why.{mark}"
    with st.form(f"rehearsals.hand.{mark}", border=False):
        st.selectbox(say("Who is to commit it"), list(labels), index=None, key=to, format_func=lambda one: labels[one], placeholder=say("Choose a person"))
        st.text_area(say("Why, and what to look at"), key=why, height=80, max_chars=2000)
        st.form_submit_button(say("Hand over"), key=f"rehearsals.hand.do.{mark}", on_click=_hand, args=(desk, saved, to, why, names))


# --- how it stands ------------------------------------------------------------------------------------------------


def _draw_shift(desk: Desk, view: RehearsalView, shift: Shift) -> None:
    """Draw how its result differs from what was saved."""
    saved = view.saved
    if shift.only_policy:
        lead = say("It would still do the same to every record, but the policy has changed since it was saved.")
    else:
        parts = [
            say_count("{n} record more", "{n} records more", shift.counts["added"]) if shift.counts["added"] else None,
            say_count("{n} record less", "{n} records less", shift.counts["removed"]) if shift.counts["removed"] else None,
            say_count("{n} record otherwise", "{n} records otherwise", shift.counts["changed"]) if shift.counts["changed"] else None,
            say_count("{n} notice more", "{n} notices more", shift.notices[0]) if shift.notices[0] else None,
            say_count("{n} notice less", "{n} notices less", shift.notices[1]) if shift.notices[1] else None,
            say_count("{n} answer otherwise", "{n} answers otherwise", shift.answers_count) if shift.answers_count else None,
            say_count("{n} conflict otherwise", "{n} conflicts otherwise", shift.conflicts) if shift.conflicts else None,
        ]
        named = [part for part in parts if part is not None]
        lead = phrase("{parts}.", parts=listed(named)) if named else say("What it settles or narrows is different.")
    lines = [tag("div", tag("b", icon("sync_problem"), say("Its result has changed since it was saved.")), " ", lead)]
    for name, words in DRIFTED.items():
        rows = shift.records[name]
        if rows:
            links = [record_link(row["id"], saved.tenant, row["title"][:110]) for row in rows[:_SHOWN]]
            lines.append(tag("div", phrase(words, records=listed(links, None, shift.counts[name]))))
    if shift.answers:
        differing = [
            tag("li", key_words(one), " ", tag("span", _answered(one["then"]), tag("span", "→", cls="cd-arrow"), _answered(one["now"]), cls="cd-change"))
            for one in shift.answers[:_SHOWN]
        ]
        more = tag("li", say("and {n} more", n=number(shift.answers_count - _SHOWN)), cls="cd-muted") if shift.answers_count > _SHOWN else None
        heading = say_count("{n} answer that differs", "{n} answers that differ", shift.answers_count)
        lines.append(tag("details", tag("summary", heading), tag("ul", *differing, more, cls="rh-shifted"), cls="cd-more"))
    lines.append(tag("div", say("Below is what it does now. Committing is off until that is kept with it."), cls="cd-muted"))
    draw(tag("div", *lines, cls="cd-band cd-warnband cd-drift"))
    if view.may_hand:
        st.button(say("Keep what it does now"), key=f"rehearsals.refresh.{mark_of(saved.id, saved.fingerprint)}", icon=":material/refresh:", on_click=_refresh, args=(desk, saved))


def _answered(answer: str | None) -> Markup:
    return badge(answer) if answer else tag("span", say("as today"), cls="cd-muted")


def _draw_plan(desk: Desk, place: RehearsalPlace, saved: SavedRehearsal, refused: dict[str, Any] | None) -> None:
    found = attempt(lambda: rehearsal_of(desk, saved.tenant, saved.plan))
    if found is None:
        refusal = take_refusal()
        draw(tag("div", tag("b", say("You may not look at what it changes.")), " ", quote_store(refusal["message"]) if refusal else "", cls="cd-band"))
        draw_saved(desk, place, saved)
        return
    drift = drift_of(desk, found)
    inside = place_of_rehearsal(desk, saved.tenant, saved.id, saved.plan.verb, saved.correction)
    left, right = st.columns([7, 3], gap="large")
    with left:
        draw_preview(desk, found, drift)
        _draw_passages(desk, found)
        draw_lists(desk, found, inside)
        draw_limits(found)
        draw_jump(say("Commit exactly this"))
    with right, st.container(key="revoke.card"):
        if saved.changed:
            draw(tag("h2", say("Commit exactly this"), cls="cd-jumpto"), tag("p", say("Its result is not what was saved. Keep what it does now first, or remove it."), cls="cd-muted"))
        else:
            draw_commit(desk, found, drift, inside, refused)
    draw_picture(found, inside)


def _draw_passages(desk: Desk, found: Rehearsal) -> None:
    """Draw what a recapture makes of every passage; nothing for other plans."""
    told = list_recaptured(desk.store, found, rows=_PASSAGES)
    if told is not None:
        draw(passage_groups(told, found.tenant), new_values(told, found.tenant))


def _draw_committed(desk: Desk, saved: SavedRehearsal) -> None:
    assert saved.committed is not None
    inside = replace(place_of_rehearsal(desk, saved.tenant, saved.id, saved.plan.verb, saved.correction), one=None, done=saved.committed)
    result = attempt(lambda: draw_result(desk, saved.tenant, inside, rehearsed=(saved.fingerprint, saved.totals["affected"])))
    if result is None and (refusal := take_refusal()) is not None:
        draw(tag("div", quote_store(refusal["message"]), cls="cd-band"))
