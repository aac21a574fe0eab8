"""The one bar of a candidate's actions: it does not move, keys are printed on it, and it says what happened last."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import streamlit as st

from pages.widgets.candidate_place import Place
from pages.widgets.candidate_route import draw_suggested
from pages.widgets.candidate_words import CHECK_WORDS, shorten, value_text
from pages.widgets.decision import (
    APPROVE_REASON,
    Said,
    ask_further,
    decide_approve,
    describe_receipt,
    name_some,
    reason_key,
    take_back,
    take_receipt,
    take_said,
)
from pages.widgets.decision_asks import draw_ask, draw_reject
from pages.widgets.decision_guard import Seen, mode_of, take_ignored
from pages.widgets.decision_many import MANY_REASON, REASON_KEY, Ticked, approve_ticked, mark_of_ticked, plain_rows, tick_all, toggle_tick
from pages.widgets.decision_terms import say_terms
from pages.widgets.desk import Desk, address, record_link
from pages.widgets.labels import label_text
from pages.widgets.language import listed, phrase, phrase_count, quote_store, say, say_count
from pages.widgets.markup import Markup, draw, join, tag
from pages.widgets.meant_decide import checked_now
from pages.widgets.meant_ways import draw_ways
from pages.widgets.new_session_line import draw_new_session
from pages.widgets.status import icon
from pages.widgets.veil import say_unseen
from store import CandidateQueue, CandidateView, GridRow, RecentDecision


@dataclass(frozen=True, slots=True)
class Table:
    """The rows drawn as a table, and which of them are ticked; `here`: the one looked at."""

    rows: tuple[GridRow, ...]
    ticked: tuple[Ticked, ...]
    here: GridRow | None


@dataclass(frozen=True, slots=True)
class Shown:
    """What the bar belongs to.

    Attributes:
        view, seen: the candidate looked at, None where there is none.
        table: where it stands in a table.
        recent: this person's last decisions, newest first.
        differs: whether the candidate looked at says otherwise than something accepted, so that it is asked how it is meant.
    """

    queue: CandidateQueue
    view: CandidateView | None = None
    seen: Seen | None = None
    table: Table | None = None
    recent: tuple[RecentDecision, ...] = ()
    differs: bool = False


def _line(said: Said | None, ignored: int, *, keys: bool) -> None:
    """Draw the line of the bar: what the last press did, or why it did nothing; with `keys`, else a word on the keys."""
    receipt = take_receipt()
    if said is not None:
        draw(tag("div", icon("info"), tag("span", said.message), cls="cc-receipt cd-amber"))
    elif ignored:
        words = say_count("A second press came too soon and was ignored", "{n} presses came too soon and were ignored", ignored)
        tail = phrase(" Before it: {what}.", what=describe_receipt(receipt)) if receipt else ""
        told = phrase("{words}: this candidate is still open.", words=words)
        draw(tag("div", icon("do_not_touch"), tag("span", told, tail), cls="cc-receipt cd-amber"))
    if receipt is not None and not ignored:
        link = record_link(receipt.id, receipt.tenant, say("open it"))
        draw(tag("div", icon("task_alt"), tag("span", describe_receipt(receipt), " · ", link), cls="cc-receipt cd-teal"))
        session = draw_new_session(checked_now(receipt.id, receipt.tenant))
        if session:
            draw(session)
    elif said is None and not ignored and keys:
        draw(tag("div", say("Keys work while no field is being typed in; Esc leaves a field."), cls="cc-receipt cd-muted"))


def _walk(queue: CandidateQueue, place: Place) -> None:
    back, on = queue.before, queue.after
    st.button(say("Previous"), shortcut="K", key="candidates.previous", disabled=back is None, on_click=place.go, args=(back,), type="tertiary")
    st.button(say("Next"), shortcut="J", key="candidates.next", disabled=on is None, on_click=place.go, args=(on,), type="tertiary")


def _reopen(desk: Desk, place: Place, recent: tuple[RecentDecision, ...]) -> None:
    last = recent[0] if recent else None
    st.button(
        say("Reopen the last"), shortcut="U", key=f"decision.reopen.{last.event if last else ''}", type="tertiary", disabled=last is None,
        on_click=take_back, args=(desk, place, last),
    )  # fmt: skip


def draw_bar(desk: Desk, place: Place, shown: Shown) -> None:
    """Draw the bar for the candidate looked at."""
    view, seen, queue = shown.view, shown.seen, shown.queue
    decides = view is not None and seen is not None and view.status == "CANDIDATE" and view.may_decide
    with st.container(key="candidates_bar"):
        with st.container(horizontal=True, vertical_alignment="center", key="candidates_barhead"):
            with st.container():
                _line(take_said(), take_ignored(), keys=bool(queue.rows))
            if decides and seen is not None and mode_of(seen) not in ("reject", "question", "meant", "meant-usual"):
                _reopen(desk, place, shown.recent)
                _walk(queue, place)
                if shown.table is None or shown.table.here is None:
                    on = queue.after
                    st.button(say("Later"), shortcut="S", key="candidates.later", disabled=on is None, on_click=place.go, args=(on,), type="tertiary")
        if view is None or seen is None or not decides:
            if view is not None and view.status == "CANDIDATE":
                words = say(
                    "{name} may read this and decides nothing in {scope}: that takes the role of a reviewer there.",
                    name=desk.actor.name, scope=view.line["scope"],
                )  # fmt: skip
                draw(tag("div", icon("visibility"), words, cls="cc-blocked"))
            with st.container(horizontal=True):
                if queue.rows:
                    _walk(queue, place)
                if shown.recent:
                    _reopen(desk, place, shown.recent)
            return
        mode = mode_of(seen)
        if mode == "reject":
            draw_reject(desk, place, view, seen)
        elif mode == "question":
            draw_ask(desk, place, view, seen)
        elif mode in ("meant", "meant-usual") and draw_ways(desk, place, view, seen, view.usual if mode == "meant-usual" else None):
            pass
        elif shown.table is not None and shown.table.ticked:
            _draw_ticked(desk, place, shown, shown.table, seen)
        else:
            _draw_decide(desk, place, shown, view, seen)


def _why_blocked(view: CandidateView) -> Markup | None:
    failed = [check["name"] for check in view.checks if not check["ok"]]
    if not failed:
        return None
    if failed == ["high_impact"]:
        return tag("div", icon("how_to_reg"), say("You approved it. It waits for a second person."), cls="cc-blocked")
    names = ", ".join(say(CHECK_WORDS[name]) for name in failed)
    words = say_count("{n} check blocks approval: {names}.", "{n} checks block approval: {names}.", len(failed), names=names)
    return tag("div", icon("cancel"), words, cls="cc-blocked cd-red")


def _offers_usual(view: CandidateView) -> bool:
    return bool(view.usual_sets) and not view.usual_failed


def _rest(desk: Desk, place: Place, shown: Shown, seen: Seen) -> None:
    """Draw the buttons that are there for every candidate; the ways along the list stand above them."""
    st.button(say("Reject …"), shortcut="X", key=f"decision.reject.{seen.mark}", on_click=ask_further, args=("reject", seen))
    if shown.view is not None:
        draw_suggested(desk, place, shown.view, seen)
    st.button(say("Ask …"), shortcut="Q", key=f"decision.question.{seen.mark}", on_click=ask_further, args=("question", seen))
    if shown.table is not None and shown.table.here is not None:
        _ticks(place, shown, shown.table, shown.table.here)


def _ticks(place: Place, shown: Shown, table: Table, here: GridRow) -> None:
    ticked = {(one.seen.tenant, one.seen.id) for one in table.ticked}
    at = (here.row.tenant, here.row.id)
    label = say("Untick") if at in ticked else say("Tick")
    st.button(label, shortcut="T", key="candidates.tick", disabled=here.terms is None, on_click=toggle_tick, args=(place, here, shown.queue.after))
    plain = plain_rows(table.rows)
    if plain:
        all_ticked = all((one.row.tenant, one.row.id) in ticked for one in plain)
        words = say_count("Tick the {n} that passes", "Tick the {n} that pass", len(plain)) if not all_ticked else say("Untick them")
        st.button(words, shortcut="G", key="candidates.tickall", on_click=tick_all, args=(plain,))


def _draw_decide(desk: Desk, place: Place, shown: Shown, view: CandidateView, seen: Seen) -> None:
    name = label_text(desk.actor.name)
    blocked, usual = _why_blocked(view), _offers_usual(view)
    unseen = view.veiled
    if unseen:
        draw(say_unseen())
    if blocked is not None and not usual:
        draw(blocked)
    elif not unseen:
        if usual:
            sets = tag("span", phrase("The usual terms set: {terms}.", terms=say_terms(view.usual_sets)))
            draw(tag("div", icon("fact_check"), sets, cls="cc-blocked cd-muted"))
        st.text_input(
            say("Reason for approving"), value=say(APPROVE_REASON), key=reason_key(seen, "approve"), label_visibility="collapsed", max_chars=2000,
            placeholder=say("Reason for approving"),
        )  # fmt: skip
    with st.container(horizontal=True, vertical_alignment="center"):
        label = say("Approve as {name}", name=name)
        if shown.differs:
            label = say("Approve as {name} …", name=name)
        elif view.needs_second:
            label = say("Approve as {name}, first of two", name=name)
        key, off = f"decision.approve.{seen.mark}", unseen or blocked is not None
        lead: Literal["primary", "secondary"] = "secondary" if usual and blocked is not None else "primary"
        if shown.differs:
            st.button(label, shortcut="A", type=lead, key=key, disabled=off, on_click=ask_further, args=("meant", seen))
        else:
            st.button(label, shortcut="A", type=lead, key=key, disabled=off, on_click=decide_approve, args=(desk, place, seen))
        if usual:
            words = say("On the usual terms") if not view.needs_second else say("On the usual terms, first of two")
            lead = "primary" if blocked is not None else "secondary"
            key = f"decision.usual.{seen.mark}"
            if shown.differs:
                words = say("On the usual terms …")
                st.button(words, shortcut="D", type=lead, key=key, disabled=unseen, on_click=ask_further, args=("meant-usual", seen))
            else:
                st.button(words, shortcut="D", type=lead, key=key, disabled=unseen, on_click=decide_approve, args=(desk, place, seen, view.usual))
        if shown.differs:
            st.button(say("How is it meant …"), shortcut="M", key=f"decision.meant.{seen.mark}", on_click=ask_further, args=("meant", seen))
        _rest(desk, place, shown, seen)


def _draw_ticked(desk: Desk, place: Place, shown: Shown, table: Table, seen: Seen) -> None:
    """Draw the approval of what is ticked: how many, which, and what the usual terms set."""
    ticked = table.ticked
    what = phrase_count("{n} ticked: {titles}.", "{n} ticked: {titles}.", len(ticked), titles=name_some([one.seen.title for one in ticked]))
    usual = [one for one in ticked if one.row.failed]
    parts: list[Markup] = [what]
    if usual:
        sets = listed(list(dict.fromkeys(say_terms(one.row.usual_sets) for one in usual)), most=3)
        parts.append(phrase_count("On the usual terms, {n} of them: {sets}.", "On the usual terms, {n} of them: {sets}.", len(usual), sets=sets))
    draw(tag("div", icon("checklist"), tag("span", join(parts, " ")), cls="cc-blocked"))
    st.text_input(say("Reason for approving"), value=say(MANY_REASON), key=REASON_KEY, label_visibility="collapsed", max_chars=2000)
    with st.container(horizontal=True, vertical_alignment="center"):
        label = say_count("Approve the {n} ticked as {name}", "Approve the {n} ticked as {name}", len(ticked), name=label_text(desk.actor.name))
        at = (seen.tenant, seen.id)
        arguments = (desk, place, ticked, table.rows, at)
        st.button(label, shortcut="A", type="primary", key=f"decision.ticked.{mark_of_ticked(ticked)}", on_click=approve_ticked, args=arguments)
        _rest(desk, place, shown, seen)


def draw_recent(desk: Desk, place: Place, recent: tuple[RecentDecision, ...]) -> None:
    """Draw this person's last decisions, each with the way to take it back, folded."""
    if not recent:
        return
    with st.expander(say_count("Your last decision", "Your last {n} decisions", len(recent)), icon=":material/history:"):
        for one in recent:
            words, button = st.columns([5, 2], vertical_alignment="center", gap="small")
            done = say("Approved") if one.action == "approve" else say("Approved, first of two") if one.action == "first approval" else say("Rejected")
            with words:
                link = record_link(one.id, one.tenant, shorten(one.title, 70))
                late = phrase("Cannot be reopened: {why}.", why=quote_store(one.why_not)) if one.why_not is not None else ""
                reason = tag("div", shorten(one.reason or "", 120), " ", late, cls="cd-muted cd-small")
                draw(tag("div", tag("b", done), " ", link, " ", tag("span", value_text(one.value, 60)) if one.kind == "claim" else None, reason, cls="cd-small"))
            button.button(
                say("Reopen"), key=f"decision.reopen.list.{one.event}.{one.tenant}", disabled=one.why_not is not None, on_click=take_back,
                args=(desk, place, one), type="tertiary",
            )  # fmt: skip
        sheet = tag("a", say("The decision sheet of today"), cls="cd-link", href=address("sheet", scope=desk.scope))
        draw(tag("div", icon("summarize"), sheet, cls="cd-small"))
