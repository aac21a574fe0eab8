"""A new request to forget: what is meant, everything it reaches, and asking for exactly that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, time
from typing import Any

import streamlit as st

from pages.widgets import told
from pages.widgets.callbacks import uninterrupted
from pages.widgets.decision_guard import counts
from pages.widgets.desk import Desk, attempt, note_done, show_notices, take_refusal
from pages.widgets.forgetting_pick import draw_chosen, draw_picker, draw_ways
from pages.widgets.forgetting_place import Place
from pages.widgets.forgetting_reach import draw_reach
from pages.widgets.forgetting_state import Reach, forget_reach, operation, reach_of, typed
from pages.widgets.forgetting_words import GROUND_WORDS
from pages.widgets.labels import label_text
from pages.widgets.language import number, phrase, quote_store, say, say_count
from pages.widgets.markup import Markup, draw, tag
from pages.widgets.moments import from_micros
from pages.widgets.plan_commit import MANY
from pages.widgets.plan_preview import draw_jump
from pages.widgets.plan_rows import name_drifted
from pages.widgets.plan_state import drift_of
from pages.widgets.plan_words import say_drift
from pages.widgets.status import icon
from pages.widgets.today_questions import draw_ignored
from store import GROUNDS, Drift, Refusal, describe_picks, preview_deletion, request_deletion

_PROBLEMS = "forgetting.problems"
_STALE = "forgetting.stale"
_BEGUN = "forgetting.begun"
#: Days until a request is due, unless somebody says otherwise.
_DAYS = 30
_DAY = 86_400_000_000


def draw_new(desk: Desk, tenant: str, place: Place) -> None:
    """Draw the chooser, or what was chosen with its reach and the form that asks for it."""
    draw_ignored()
    if not place.chosen:
        draw(tag("p", phrase("Say what is to be forgotten. {nothing} before you have seen everything it would reach, and said so.", nothing=tag("b", say("Nothing changes"))), cls="cd-lead"))
        show_notices()
        draw_ways(place)
        draw_picker(desk, tenant, place)
        return
    named = [*place.records, *([place.name] if place.way == "source" else [])]
    chosen = describe_picks(desk.store, desk.person, tenant, named) if named else {}
    draw_chosen(place, chosen)
    if place.adding:
        draw_picker(desk, tenant, place)
    refused = take_refusal()
    with st.spinner(say("Looking for everything this reaches."), show_time=True):
        reach = attempt(lambda: reach_of(desk, tenant, place))
    if reach is None:
        refusal = take_refusal()
        draw(tag("div", tag("b", say("This cannot be asked for.")), " ", quote_store(refusal["message"]) if refusal else "", cls="cd-band cd-badband"))
        return
    drift = drift_of(desk, reach.rehearsal)
    left, right = st.columns([7, 3], gap="large")
    with left:
        draw_reach(desk, tenant, reach, place, drift)
        draw_jump(say("Ask for exactly this"))
    with right, st.container(key="forgetting.card"):
        _draw_form(desk, tenant, reach, drift, place, refused["message"] if refused else None)


# --- asking ---------------------------------------------------------------------------------------------------------


def _key(reach: Reach, name: str) -> str:
    """Return the key of a field of this very reach, so that nothing typed slips into another."""
    return f"forgetting.{name}.{reach.foreseen.fingerprint[:12]}"


def _draw_form(desk: Desk, tenant: str, reach: Reach, drift: Drift | None, place: Place, refused: str | None) -> None:
    totals = reach.rehearsal.totals
    draw(tag("h2", say("Ask for exactly this"), cls="cd-jumpto"))
    _draw_problems(reach, refused)
    if not reach.rehearsal.complete:
        cut = phrase("{incomplete} It was cut before the end, so it cannot be asked for. Choose less.", incomplete=tag("b", say("This preview is incomplete.")))
        draw(tag("div", cut, cls="cd-band cd-warnband"))
        return
    with st.form(f"forgetting.ask.{reach.foreseen.fingerprint[:12]}", border=False, enter_to_submit=False):
        st.selectbox(
            say("Ground, which stays when everything typed here is gone"), list(GROUNDS), None, key=_key(reach, "ground"), placeholder=say("Choose a ground"),
            format_func=lambda one: say(GROUND_WORDS[one]),
        )  # fmt: skip
        st.text_input(say("Who asked, if somebody did"), key=_key(reach, "requester"), max_chars=400, placeholder=say("A name or the number of a letter"))
        st.text_area(say("Reason"), key=_key(reach, "reason"), height=88, max_chars=4000, placeholder=say("What was asked, and when it came in"))
        st.date_input(say("Due on"), from_micros(desk.store.now() + _DAYS * _DAY).date(), key=_key(reach, "due"))
        draw(tag("div", say("Who asked and the reason are emptied when the request is complete."), cls="cd-muted cd-small"))
        if totals["affected"] >= MANY:
            st.checkbox(say_count("I have seen what this does to {n} record, and want it.", "I have seen what this does to {n} records, and want it.", totals["affected"]), key=_key(reach, "confirm"))
        if totals["delivered"]:
            st.text_input(say("Type {n}, the number of delivered artifacts it reaches", n=number(totals["delivered"])), key=_key(reach, "delivered"), max_chars=12)
        count = len(reach.ids)
        words = say_count("Block {n} record at once as {name}", "Block {n} records at once as {name}", count, name=label_text(desk.actor.name, 40) or say("you"))
        st.form_submit_button(words, type="primary", width="stretch", disabled=drift is not None, key="forgetting.submit", on_click=_ask, args=(desk, tenant, reach, place))
    if drift is not None:
        draw(tag("div", say("Asking is off, because the result has changed. Preview again first."), cls="cd-muted cd-small"))
    else:
        leave = tag("a", say("Leave it"), cls="cd-link", href=Place(scope=place.scope).link())
        draw(tag("div", phrase("Nothing has changed yet. {leave}.", leave=leave), cls="cd-muted cd-small"))


def _end_of_day(day: Any) -> int | None:
    """Return five in the afternoon of a day, in microseconds UTC."""
    return None if day is None else int(datetime.combine(day, time(17), UTC).timestamp()) * 1_000_000


def _draw_problems(reach: Reach, refused: str | None) -> None:
    mark, problems = st.session_state.get(_PROBLEMS) or ("", ())
    if mark != reach.foreseen.fingerprint:
        problems = ()
    if problems:
        draw(tag("div", tag("b", say("Nothing was changed.")), tag("ul", *(tag("li", one) for one in problems), cls="cd-problems"), cls="cd-band cd-badband"))
    stale: Markup | None = told.take(_STALE)
    if stale is not None:
        draw(stale)
    elif refused:
        draw(tag("div", quote_store(refused), cls="cd-band cd-badband cd-refused"))


def _missing(reach: Reach) -> list[str]:
    """Return what the form still lacks, as sentences."""
    totals, found = reach.rehearsal.totals, []
    if st.session_state.get(_key(reach, "ground")) not in GROUNDS:
        found.append(say("Choose a ground."))
    if not typed(_key(reach, "reason")):
        found.append(say("Give a reason."))
    if totals["affected"] >= MANY and not st.session_state.get(_key(reach, "confirm")):
        found.append(say_count("Tick the sentence, because {n} record changes.", "Tick the sentence, because {n} records change.", totals["affected"]))
    number_typed = "".join(typed(_key(reach, "delivered")).split()).replace(",", "")
    if totals["delivered"] and number_typed != str(totals["delivered"]):
        found.append(say("Type {n}: that many delivered artifacts are reached.", n=number(totals["delivered"])))
    return found


@uninterrupted
def _ask(desk: Desk, tenant: str, reach: Reach, place: Place) -> None:
    """Ask for what was drawn; the reach was bound when the button was."""
    # A key held asks once. A later press breaks off the run of the first, so it does the same again under the same operation, and is led on to what was made.
    begun = st.session_state.get(_BEGUN) == reach.foreseen.fingerprint
    if not counts() and not begun:
        return
    problems = _missing(reach)
    st.session_state[_PROBLEMS] = (reach.foreseen.fingerprint, problems)
    if problems:
        return
    wanted, seen = reach.foreseen.wanted, reach.foreseen.fingerprint
    ground, reason, requester, due = str(st.session_state[_key(reach, "ground")]), typed(_key(reach, "reason")), typed(_key(reach, "requester")), _end_of_day(st.session_state.get(_key(reach, "due")))
    st.session_state[_BEGUN] = seen
    done = attempt(
        lambda: request_deletion(
            desk.store, desk.person, tenant, wanted, reason=reason, ground=ground, requester=requester or None, due_at=due, seen=seen,
            operation=operation("forget", seen, ground, reason, requester, due),
        )
    )  # fmt: skip
    if done is None:
        _say_stale(desk, tenant, reach)
        return
    forget_reach()
    note_done(say_count("{n} record is blocked. Nobody can read it any more.", "{n} records are blocked. Nobody can read them any more.", int(done["targets"])))
    replace(Place(scope=place.scope), request=str(done["request"]), tenant=tenant).go()


def _say_stale(desk: Desk, tenant: str, reach: Reach) -> None:
    """Say what is different by now, where that is why nothing was done; the page below shows it as it is now."""
    refusal = take_refusal()
    if refusal is None or refusal["code"] != "stale_preview":
        if refusal is not None:
            st.session_state[_PROBLEMS] = (reach.foreseen.fingerprint, [refusal["message"]])
        return
    drift = drift_of(desk, reach.rehearsal)
    try:
        now = {target.id for target in preview_deletion(desk.store, desk.person, tenant, reach.foreseen.wanted, rows=0).targets}
    except Refusal as gone:
        now = set()
        refusal = {"message": gone.message}
    before = set(reach.ids)
    ids: dict[str, Sequence[str]] = {"added": sorted(now - before), "removed": sorted(before - now), "changed": ()}
    parts: list[Markup | str] = [tag("b", icon("sync_problem"), say("What this reaches has changed since you looked. Nothing was changed.")), " "]
    if now == before and drift is not None:
        parts.append(say_drift(drift))
        ids = {"added": drift.added, "removed": drift.removed, "changed": drift.changed}
    parts += name_drifted(tenant, ids) if now else [quote_store(refusal["message"])]
    told.keep(_STALE, tag("div", *parts, tag("div", say("Below is what it would do now."), cls="cd-muted"), cls="cd-band cd-warnband cd-drift"))
    forget_reach()
