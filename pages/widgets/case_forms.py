"""What changes a case: opening it, its owner and due time, what is left open on purpose, closing it; each press counts once."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from datetime import UTC, datetime, time, timedelta
from typing import Any

import streamlit as st

from pages.widgets.callbacks import uninterrupted
from pages.widgets.candidate_place import mark_of
from pages.widgets.case_place import Place
from pages.widgets.case_words import STEP_WORDS, moment, say_open
from pages.widgets.decision_guard import counts
from pages.widgets.desk import Desk, attempt, note_done, show_notices
from pages.widgets.labels import label_text, option_text
from pages.widgets.language import phrase, say
from pages.widgets.markup import draw, tag
from pages.widgets.moments import from_micros
from pages.widgets.status import icon
from store import (
    CaseView,
    StepState,
    change_correction,
    close_correction,
    find_picks,
    list_case_owners,
    open_correction,
    reopen_correction,
    take_waiver_back,
    waive,
)

_SESSION = "case.session"
_LONGEST = 4000
#: Days until a new case is due, unless somebody says otherwise.
_DAYS = 7


def _operation(what: str, *words: Any) -> str:
    session = st.session_state.setdefault(_SESSION, secrets.token_hex(8))
    return f"desk-{session}-{what}-{mark_of(*words)}"


def _key(view: CaseView, what: str, *more: Any) -> str:
    """Return the key of a field of this very state of a case, so that nothing typed slips into another."""
    return f"case.{what}.{mark_of(view.row.tenant, view.row.id, len(view.events), *more)}"


def _micros(day: Any, at: Any) -> int | None:
    if day is None:
        return None
    return int(datetime.combine(day, at or time(17), UTC).timestamp()) * 1_000_000


def _said(key: str) -> str:
    return str(st.session_state.get(key) or "").strip()


def ask_due(key: str, due_at: int | None) -> None:
    """Ask for a day and a time of day in UTC; `key` names both fields."""
    at = from_micros(due_at) if due_at is not None else None
    left, right = st.columns(2)
    with left:
        st.date_input(say("Due on"), at.date() if at else None, key=f"{key}.day")
    with right:
        st.time_input(say("at, in UTC"), at.time() if at else time(17), key=f"{key}.time")


def read_due(key: str) -> int | None:
    """Return what was typed into the fields of `ask_due` as microseconds UTC; None where no day was."""
    return _micros(st.session_state.get(f"{key}.day"), st.session_state.get(f"{key}.time"))


def in_a_week(now: int) -> int:
    """Return the end of the working day a week from now, in microseconds UTC."""
    day = (from_micros(now) + timedelta(days=_DAYS)).date()
    return _micros(day, time(17)) or now


def _ask_owner(key: str, owners: list[tuple[str, str]], owner: str | None) -> None:
    names = dict(owners)
    ids = list(names)
    at = ids.index(owner) if owner in names else None
    st.selectbox(say("Owner, who sees it through"), ids, at, key=key, format_func=lambda one: option_text(names.get(one) or str(one), 60))


# --- opening ------------------------------------------------------------------------------------------------------


def draw_new(desk: Desk, tenant: str, place: Place) -> None:
    """Draw the form that opens a case about a source."""
    draw(tag("div", tag("a", say("← Corrections"), cls="cd-link", href=Place(scope=place.scope).link()), cls="cd-kicker"))
    draw(tag("h1", say("Open a correction"), cls="cd-title"))
    draw(tag("p", say("A case holds what fell because a source turned out wrong, what is left to settle and who is to be told, until it is closed."), cls="cd-lead"))
    show_notices()
    if not place.source:
        _choose_source(desk, tenant, place)
        return
    found = next((pick for pick in find_picks(desk.store, desk.person, tenant, place.source) if pick.id == place.source and pick.kind == "source"), None)
    if found is None:
        draw(tag("div", say("There is no such source that you may see."), cls="cd-band cd-warnband"))
        _choose_source(desk, tenant, place)
        return
    owners = list_case_owners(desk.store, desk.person, [found.scope])
    if not owners:
        draw(tag("div", say("Opening a correction takes the role of a reviewer of the source's scope. Ask an admin of your team."), cls="cd-band"))
        return
    key = f"case.new.{mark_of(tenant, place.source)}"
    another = tag("a", say("another source"), cls="cd-link", href=Place(new=True, tenant=tenant, scope=place.scope).link())
    draw(tag("p", icon("description"), phrase("About {source}, or {another}.", source=tag("b", found.title or found.id), another=another)))
    with st.form(key, border=False, enter_to_submit=False):
        st.text_input(say("What turned out to be wrong, in a few words"), key=f"{key}.title", max_chars=200, placeholder=say("The second quarter was restated"))
        st.text_area(say("Cause"), key=f"{key}.cause", height=88, max_chars=_LONGEST, placeholder=say("Who found out, how, and what is known so far"))
        _ask_owner(f"{key}.owner", owners, desk.person)
        ask_due(key, in_a_week(desk.store.now()))
        st.form_submit_button(say("Open the case"), type="primary", key=f"{key}.go", on_click=_open, args=(desk, tenant, place, key))


def _choose_source(desk: Desk, tenant: str, place: Place) -> None:
    text = st.text_input(say("Find the source by its title, id or address"), key="case.find", max_chars=200)
    rows = [pick for pick in find_picks(desk.store, desk.person, tenant, text) if pick.kind == "source"] if text.strip() else []
    if text.strip() and not rows:
        draw(tag("p", say("No source is found by these words."), cls="cd-muted"))
    links = [tag("li", tag("a", pick.title or pick.id, cls="cd-link", href=place.link(new=True, tenant=tenant, source=pick.id)), " ", tag("span", pick.id, cls="cd-id cd-muted")) for pick in rows]
    if links:
        draw(tag("ul", *links, cls="cd-list"))


@uninterrupted
def _open(desk: Desk, tenant: str, place: Place, key: str) -> None:
    if not counts():
        return
    title, cause, owner, due = _said(f"{key}.title"), _said(f"{key}.cause"), st.session_state.get(f"{key}.owner"), read_due(key)
    operation = _operation("open", tenant, place.source, title, cause, owner, due)
    done = attempt(lambda: open_correction(desk.store, desk.person, tenant, title, sources=[place.source], cause=cause or None, owner=owner, due_at=due, operation=operation))
    if done is not None:
        note_done(say("The case is open."))
        st.query_params.from_dict({"case": str(done["correction"]), "tenant": tenant, **({"scope": place.scope} if place.scope else {})})


# --- changing -----------------------------------------------------------------------------------------------------


def draw_edit(desk: Desk, view: CaseView, place: Place) -> None:
    """Draw the form that changes what a case is called, its cause, owner and due time."""
    row, key = view.row, _key(view, "edit")
    owners = list_case_owners(desk.store, desk.person, view.scopes)
    draw(tag("h2", say("Change the case"), cls="cd-heading"))
    with st.form(key, border=False, enter_to_submit=False):
        st.text_input(say("Title"), row.title, key=f"{key}.title", max_chars=200)
        st.text_area(say("Cause"), row.cause or "", key=f"{key}.cause", height=88, max_chars=_LONGEST)
        _ask_owner(f"{key}.owner", owners, row.owner)
        ask_due(key, row.due_at)
        st.form_submit_button(say("Save"), type="primary", key=f"{key}.go", on_click=_change, args=(desk, view, key))
    draw(tag("p", tag("a", say("Leave it as it is"), cls="cd-link", href=Place(row.id, row.tenant, scope=place.scope).link()), cls="cd-small"))


@uninterrupted
def _change(desk: Desk, view: CaseView, key: str) -> None:
    row = view.row
    now = {"title": _said(f"{key}.title"), "cause": _said(f"{key}.cause") or None, "owner": st.session_state.get(f"{key}.owner") or row.owner, "due_at": read_due(key)}
    was = {"title": row.title, "cause": row.cause, "owner": row.owner, "due_at": row.due_at}
    changes = {name: value for name, value in now.items() if value != was[name]}
    if not changes:
        st.query_params.pop("edit", None)
        return
    _do(say("Saved."), lambda: change_correction(desk.store, desk.person, row.tenant, row.id, changes, operation=_operation("change", key, str(changes))), leave="edit")


@uninterrupted
def _do(said: str, action: Callable[[], dict[str, Any]], leave: str | None = None) -> None:
    if not counts():
        return
    if attempt(action) is None:
        return
    note_done(said)
    if leave:
        st.query_params.pop(leave, None)


def draw_waive(desk: Desk, view: CaseView, step: StepState) -> None:
    """Draw what leaves an open step, or one thing of it, open on purpose."""
    key = _key(view, "waive", step.name)
    things = [thing for thing in view.open if thing.step == step.name and thing.reason is None]
    options = [("step", step.name), *((thing.kind, name) for thing in things if thing.kind != "step" for name in thing.names)]
    with st.expander(say("Leave it open on purpose")), st.form(key, border=False, enter_to_submit=False):
        draw(tag("ul", *(tag("li", say_open(thing, view.row)) for thing in things), cls="cd-problems"))
        if len(options) > 1:
            st.selectbox(
                say("What is left open"), options, key=f"{key}.what",
                format_func=lambda one: say("all of this step") if one[0] == "step" else option_text(one[1], 80),
            )  # fmt: skip
        st.text_input(say("Because"), key=f"{key}.why", max_chars=_LONGEST)
        words = say("Leave {step} open on purpose", step=say(STEP_WORDS[step.name]))
        st.form_submit_button(words, key=f"{key}.go", on_click=_waive, args=(desk, view, step.name, key))


@uninterrupted
def _waive(desk: Desk, view: CaseView, step: str, key: str) -> None:
    kind, about = st.session_state.get(f"{key}.what") or ("step", step)
    why, row = _said(f"{key}.why"), view.row
    _do(say("Left open on purpose."), lambda: waive(desk.store, desk.person, row.tenant, row.id, kind, about, why, operation=_operation("waive", key, kind, about, why)))


def draw_waivers(desk: Desk, view: CaseView) -> None:
    """Draw what was left open on purpose, and the way to take that back."""
    if not view.waivers:
        return
    draw(tag("h2", say("Left open on purpose"), cls="cd-heading"))
    for one in view.waivers:
        name = say(STEP_WORDS[one.about]) if one.kind == "step" and one.about in STEP_WORDS else one.about
        who = phrase("{name}, {ago}", name=one.by_name, ago=moment(one.at))
        draw(tag("div", tag("b", name), tag("span", ": ", one.reason), tag("div", who, cls="cd-muted cd-small"), cls="co-waiver"))
        if view.may_decide and view.row.closed_at is None:
            key = _key(view, "back", one.kind, one.about)
            st.button(say("Take this back: {name}", name=label_text(name, 60)), key=key, type="tertiary", on_click=_take_back, args=(desk, view, one.kind, one.about, key))


@uninterrupted
def _take_back(desk: Desk, view: CaseView, kind: str, about: str, key: str) -> None:
    row = view.row
    _do(say("It is open again."), lambda: take_waiver_back(desk.store, desk.person, row.tenant, row.id, kind, about, operation=_operation("back", key)))


# --- closing ------------------------------------------------------------------------------------------------------


def draw_close(desk: Desk, view: CaseView) -> None:
    """Draw what closes a case, or what stands in the way."""
    draw(tag("h2", say("Close the case"), cls="cd-heading"))
    things = [thing for thing in view.open if thing.reason is None]
    if things:
        draw(tag("p", say("It can be closed when nothing of it is open that was not left so on purpose. Open now:"), cls="cd-muted cd-small"))
        draw(tag("ul", *(tag("li", tag("b", say(STEP_WORDS[thing.step])), ": ", say_open(thing, view.row)) for thing in things), cls="cd-problems"))
        return
    if not view.may_decide:
        draw(tag("p", say("Nothing of it is open. A reviewer of its scope can close it."), cls="cd-muted cd-small"))
        return
    key = _key(view, "close")
    with st.form(key, border=False, enter_to_submit=False):
        st.text_area(say("What came of it, in a sentence or two"), key=f"{key}.note", height=88, max_chars=_LONGEST)
        words = say("Close the case as {name}", name=label_text(desk.actor.name, 40) or say("you"))
        st.form_submit_button(words, type="primary", width="stretch", key=f"{key}.go", on_click=_close, args=(desk, view, key))


@uninterrupted
def _close(desk: Desk, view: CaseView, key: str) -> None:
    row, note = view.row, _said(f"{key}.note")
    _do(say("The case is closed. Its report stays here."), lambda: close_correction(desk.store, desk.person, row.tenant, row.id, note, operation=_operation("close", key, note)))


def draw_reopen(desk: Desk, view: CaseView) -> None:
    """Draw what opens a closed case again."""
    if not view.may_decide:
        return
    key = _key(view, "reopen")
    with st.expander(say("Open the case again")), st.form(key, border=False, enter_to_submit=False):
        st.text_input(say("Because"), key=f"{key}.why", max_chars=_LONGEST)
        st.form_submit_button(say("Open it again"), key=f"{key}.go", on_click=_reopen, args=(desk, view, key))


@uninterrupted
def _reopen(desk: Desk, view: CaseView, key: str) -> None:
    row, why = view.row, _said(f"{key}.why")
    _do(say("The case is open again."), lambda: reopen_correction(desk.store, desk.person, row.tenant, row.id, why, operation=_operation("reopen", key, why)))
