"""The one bar of a candidate's actions: it does not move, keys are printed on it, and it says what happened last."""

from __future__ import annotations

from datetime import date

import streamlit as st

from pages.widgets.candidate_place import Place
from pages.widgets.candidate_words import CHECK_WORDS, ROUTE_WORDS, moment, name_for_label, plural, shorten, value_text
from pages.widgets.decision import (
    APPROVE_REASON,
    Said,
    ask,
    decide_approve,
    decide_contradiction,
    decide_reject,
    describe_receipt,
    reason_key,
    take_receipt,
    take_said,
)
from pages.widgets.decision_guard import Seen, mode_of, take_ignored
from pages.widgets.desk import Desk, attempt, record_link
from pages.widgets.markup import Markup, draw, join, tag
from pages.widgets.status import icon
from store import ROUTES, CandidateQueue, CandidateView, Consequence, foresee_replacement


def _today() -> date:
    """Return the day on this machine's calendar."""
    return date.today()  # noqa: DTZ011 - the reader's own calendar


def _line(said: Said | None, ignored: int) -> None:
    """Draw the line of the bar: what the last press did, or why it did nothing."""
    receipt = take_receipt()
    if said is not None:
        draw(tag("div", icon("info"), tag("span", said.message), cls="cc-receipt cd-amber"))
    elif ignored:
        words = "A second press came too soon and was ignored" if ignored == 1 else f"{ignored:,} presses came too soon and were ignored"
        tail = f" Before it: {describe_receipt(receipt)}." if receipt else ""
        draw(tag("div", icon("do_not_touch"), tag("span", f"{words}: this candidate is still open.{tail}"), cls="cc-receipt cd-amber"))
    elif receipt is not None:
        draw(
            tag(
                "div",
                icon("task_alt"),
                tag("span", describe_receipt(receipt), " · ", record_link(receipt.id, receipt.tenant, "open it")),
                cls="cc-receipt cd-teal",
            )
        )
    else:
        draw(tag("div", "Keys work while no field is being typed in; Esc leaves a field.", cls="cc-receipt cd-muted"))


def _walk(queue: CandidateQueue, place: Place) -> None:
    st.button(
        "Previous", shortcut="K", key="candidates.previous", disabled=queue.before is None, on_click=place.go, args=(queue.before,), type="tertiary"
    )
    st.button("Next", shortcut="J", key="candidates.next", disabled=queue.after is None, on_click=place.go, args=(queue.after,), type="tertiary")


def draw_bar(desk: Desk, place: Place, queue: CandidateQueue, view: CandidateView | None, seen: Seen | None) -> None:
    """Draw the bar for the candidate looked at."""
    with st.container(key="candidates_bar"):
        _line(take_said(), take_ignored())
        if view is None or seen is None or view.status != "CANDIDATE" or not view.may_decide:
            if view is not None and view.status == "CANDIDATE":
                words = f"{desk.actor.name} may read this and decides nothing in {view.line['scope']}: that takes the role of a reviewer there."
                draw(tag("div", icon("visibility"), words, cls="cc-blocked"))
            with st.container(horizontal=True):
                _walk(queue, place)
            return
        mode = mode_of(seen)
        if mode == "reject":
            _draw_reject(desk, place, seen)
        elif mode == "contradiction" and view.contradicts:
            _draw_contradiction(desk, place, view, seen)
        else:
            _draw_decide(desk, place, queue, view, seen)


def _why_blocked(view: CandidateView) -> Markup | None:
    failed = [CHECK_WORDS[check["name"]] for check in view.checks if not check["ok"]]
    if not failed:
        return None
    if [check["name"] for check in view.checks if not check["ok"]] == ["high_impact"]:
        return tag("div", icon("how_to_reg"), "You approved it. It waits for a second person.", cls="cc-blocked")
    return tag(
        "div",
        icon("cancel"),
        f"{plural(len(failed), 'check')} {'blocks' if len(failed) == 1 else 'block'} approval: {', '.join(failed)}.",
        cls="cc-blocked cd-red",
    )


def _draw_decide(desk: Desk, place: Place, queue: CandidateQueue, view: CandidateView, seen: Seen) -> None:
    name = name_for_label(desk.actor.name)
    blocked = _why_blocked(view)
    if blocked is not None:
        draw(blocked)
    else:
        st.text_input(
            "Reason for approving",
            value=APPROVE_REASON,
            key=reason_key(seen, "approve"),
            label_visibility="collapsed",
            max_chars=2000,
            placeholder="Reason for approving",
        )
    with st.container(horizontal=True, vertical_alignment="center"):
        label = f"Approve as {name}"
        if view.contradicts:
            label += " …"
        elif view.needs_second:
            label += ", first of two"
        what, arguments = (ask, ("contradiction", seen)) if view.contradicts else (decide_approve, (desk, place, seen))
        st.button(
            label, shortcut="A", type="primary", key=f"decision.approve.{seen.mark}", disabled=blocked is not None, on_click=what, args=arguments
        )
        st.button("Reject …", shortcut="X", key=f"decision.reject.{seen.mark}", on_click=ask, args=("reject", seen))
        st.button("Later", shortcut="S", key="candidates.later", disabled=queue.after is None, on_click=place.go, args=(queue.after,))
        _walk(queue, place)


def _back(seen: Seen) -> None:
    st.button("Back", shortcut="Esc", key=f"decision.back.{seen.mark}", on_click=ask, args=(None, seen), type="tertiary")


def _draw_reject(desk: Desk, place: Place, seen: Seen) -> None:
    draw(tag("div", tag("b", f"Reject as {desk.actor.name}. "), "Which way, and why?", cls="cc-ask"))
    for number, route in enumerate(ROUTES, 1):
        words, meaning, default = ROUTE_WORDS[route]
        button, reason = st.columns([2, 5], vertical_alignment="center", gap="small")
        reason.text_input(meaning, value=default, key=reason_key(seen, route), max_chars=2000, label_visibility="collapsed")
        button.button(
            words,
            shortcut=str(number),
            key=f"decision.route.{route}.{seen.mark}",
            on_click=decide_reject,
            args=(desk, place, seen, route, default),
            width="stretch",
            help=meaning,
        )
    _back(seen)


def _follows(found: Consequence | None) -> str:
    if found is None:
        return "What rests on the other needs re-validation."
    if not found.fall:
        return "Nothing that is accepted rests on it, so nothing else falls."
    delivered = f", {plural(found.delivered, 'delivered artifact')} among what it reaches" if found.delivered else ""
    return f"This makes {plural(found.fall, 'record')} need re-validation{delivered}."


def _draw_contradiction(desk: Desk, place: Place, view: CandidateView, seen: Seen) -> None:
    """Draw the decision of its own that a contradiction takes (R4): which it is, with what follows of each."""
    olds = view.contradicts
    old = olds[0]
    draw(
        tag(
            "div",
            tag("b", "Which is it? "),
            "It says ",
            tag("b", shorten(value_text(view.line["value"]), 60)),
            "; accepted is ",
            join((join((tag("b", shorten(value_text(one.value), 60)), " (", record_link(one.id, view.tenant), ")")) for one in olds[:3]), ", "),
            ".",
            cls="cc-ask",
        )
    )
    single = len(olds) == 1
    follows = _follows(attempt(lambda: foresee_replacement(desk.store, desk.person, view.tenant, view.id, old.id))) if single else ""
    stays = (
        f"{plural(old.direct, 'record rests', 'records rest')} on it and will be blocked until somebody settles it."
        if single and old.direct
        else "Nothing rests on it directly."
    )
    start = view.line["valid_from"]

    def choice(number: int, words: str, meaning: str, way: str, *, field: str | None = None, disabled: bool = False) -> None:
        button, told = st.columns([2, 5], vertical_alignment="center", gap="small")
        key = f"decision.{way}.value.{seen.mark}" if field else None
        with told:
            if field == "date":
                one, two = st.columns([2, 3], vertical_alignment="center")
                one.date_input(
                    "From", value=moment(start).date() if start else _today(), key=key, format="YYYY-MM-DD", label_visibility="collapsed"
                )
                with two:
                    draw(tag("div", meaning, cls="cd-small"))
            elif field == "scope":
                one, two = st.columns([2, 3], vertical_alignment="center")
                one.text_input("Scope", value="", placeholder="scope/below", key=key, label_visibility="collapsed", max_chars=500)
                with two:
                    draw(tag("div", meaning, cls="cd-small"))
            else:
                draw(tag("div", meaning, cls="cd-small"))
        button.button(
            words,
            shortcut=str(number),
            key=f"decision.way.{way}.{seen.mark}",
            disabled=disabled,
            on_click=decide_contradiction,
            args=(desk, place, seen, way, old.id, key),
            width="stretch",
        )

    if single:
        choice(1, "It replaces it", f"The accepted one is superseded now. {follows}", "replace")
        choice(2, "Replaces it from", "The accepted one holds until then; it and what rests on it stay.", "from", field="date")
    else:
        draw(
            tag(
                "p",
                "It contradicts more than one accepted claim, so it cannot simply replace one. Settle them first, or let it join them.",
                cls="cd-small cd-muted",
            )
        )
    choice(3, "Narrower scope", f"Both stand; in that scope this one answers. It must lie below {view.line['scope']}.", "narrow", field="scope")
    choice(4, "Open a conflict", f"Both stay accepted, and agents asking get CONFLICT. {stays}", "conflict")
    st.text_input("Reason", value=APPROVE_REASON, key=reason_key(seen, "approve"), label_visibility="collapsed", max_chars=2000)
    with st.container(horizontal=True):
        st.button("Reject instead …", shortcut="5", key=f"decision.instead.{seen.mark}", on_click=ask, args=("reject", seen))
        _back(seen)
