"""The terms of a decision, set before it: folded away unless a check needs one, and live, so that a check passes at once."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import streamlit as st

from pages.widgets.callbacks import uninterrupted
from pages.widgets.candidate_place import mark_of
from pages.widgets.desk import record_link
from pages.widgets.language import later, quote_store, say, say_count
from pages.widgets.markup import draw, tag
from pages.widgets.status import badge, icon
from store import CandidateView, Refusal, Terms, read_terms

#: checks that a term can mend -> which of them.
_NEEDS = {"owner", "review_date", "scope", "entity_resolved", "sensitivity", "high_impact"}
_ENTITY, _RECORD = later("Yes, that is who or what is meant"), later("I checked it in the system of record")
_AS_IT_IS = later("as it is")
_USED, _NOT = later("used it"), later("did not")
_SENSITIVITIES = (_AS_IT_IS, later("normal"), later("sensitive"), later("credential"))


def _key(name: str, mark: str) -> str:
    return f"terms.{name}.{mark}"


def _text(name: str, mark: str) -> str | None:
    found = st.session_state.get(_key(name, mark))
    return found.strip() or None if isinstance(found, str) else None


def given_terms(tenant: str, record_id: str) -> tuple[Terms, str | None]:
    """Return what was set for a candidate, and why it cannot be, if it cannot."""
    mark, state = mark_of(tenant, record_id), st.session_state
    given: dict[str, Any] = {name: _text(name, mark) for name in ("owner", "scope", "widen_scope")}
    for name in ("review_at", "expires_at"):
        found = state.get(_key(name, mark))
        given[name] = found.isoformat() if isinstance(found, date) else None
    purposes = _text("purposes", mark)
    given["purposes"] = [part.strip() for part in purposes.split(",") if part.strip()] if purposes else None
    sensitivity = state.get(_key("sensitivity", mark))
    given["sensitivity"] = None if sensitivity in (None, _AS_IT_IS) else sensitivity
    given["entity_confirmed"] = state.get(_key("entity_confirmed", mark)) == _ENTITY or None
    given["record_checked"] = state.get(_key("record_checked", mark)) == _RECORD or None
    judged: dict[str, str] = state.get(_key("reads", mark), {})
    given["used"] = [name for name, said in judged.items() if said == _USED] or None
    given["not_used"] = [name for name, said in judged.items() if said == _NOT] or None
    try:
        return read_terms(given), None
    except Refusal as refusal:
        return Terms(), refusal.message


@uninterrupted
def _judge(mark: str, record_id: str, key: str) -> None:
    judged = dict(st.session_state.get(_key("reads", mark), {}))
    said = st.session_state.get(key)
    if said is None:
        judged.pop(record_id, None)
    else:
        judged[record_id] = said
    st.session_state[_key("reads", mark)] = judged


def draw_reads(view: CandidateView) -> None:
    """Draw what the candidate's task read and it does not declare, to be answered one by one (R8)."""
    if not view.unrecorded:
        return
    mark = mark_of(view.tenant, view.id)
    judged: dict[str, str] = st.session_state.get(_key("reads", mark), {})
    left = len([one for one in view.unrecorded if one.id not in judged])
    with st.container(border=True, key="candidates_reads"):
        words = say_count(
            "Its task also read {n} record it does not declare. Did it use it?", "Its task also read {n} records it does not declare. Did it use them?",
            len(view.unrecorded),
        )  # fmt: skip
        told = say("“used it” makes it rest on that record too, so that it falls with it.")
        draw(tag("h2", icon("link_off"), words, cls="cc-head"), tag("p", told, cls="cd-muted cd-small"))
        for one in view.unrecorded:
            column, answer = st.columns([3, 2], vertical_alignment="center")
            with column:
                draw(
                    tag(
                        "div",
                        badge(one.status, one.kind),
                        " ",
                        record_link(one.id, view.tenant),
                        tag("span", f" {one.title}", cls="cd-muted cd-small"),
                    )
                )
            key = f"terms.read.{mark}.{mark_of(one.id)}"
            st.session_state[key] = judged.get(one.id)
            answer.segmented_control(
                say("Used?"), [_USED, _NOT], key=key, on_change=_judge, args=(mark, one.id, key), label_visibility="collapsed", format_func=say
            )
        if not left:
            draw(tag("p", say("All answered. It is kept with your decision."), cls="cd-muted cd-small"))


def draw_terms(view: CandidateView, problem: str | None) -> None:
    """Draw the form of terms."""
    mark = mark_of(view.tenant, view.id)
    failing = {check["name"] for check in view.checks if not check["ok"]}
    needed = bool(failing & _NEEDS)
    opened = st.session_state.setdefault(_key("open", mark), (needed and not view.veiled) or problem is not None)
    with st.expander(say("Terms: owner, dates, scope, purposes"), icon=":material/tune:", expanded=opened):
        if problem or view.refusal:
            draw(tag("div", quote_store(problem or view.refusal or ""), cls="cd-band cd-badband"))
        line = view.line
        tomorrow = date.today() + timedelta(days=1)  # noqa: DTZ011 - the person's own calendar
        one, two = st.columns(2, gap="small")
        one.date_input(say("Look at it again on"), value=None, key=_key("review_at", mark), min_value=tomorrow, format="YYYY-MM-DD")
        two.date_input(say("Expires on"), value=None, key=_key("expires_at", mark), min_value=tomorrow, format="YYYY-MM-DD")
        one.text_input(say("Owner"), key=_key("owner", mark), placeholder=say("nobody yet") if not line["owner"] else say("as it is"), max_chars=200)
        two.text_input(say("Only in a narrower scope"), key=_key("scope", mark), placeholder=say("a scope below its own"), max_chars=500)
        if view.kind == "claim":
            one.text_input(say("Only for purposes"), key=_key("purposes", mark), placeholder=say("any; else a list with commas"), max_chars=500)
            two.selectbox(say("Sensitivity"), _SENSITIVITIES, key=_key("sensitivity", mark), format_func=say)
        if "scope" in failing or _text("widen_scope", mark):
            st.text_input(
                say("Widen the scope beyond what it rests on, because"),
                key=_key("widen_scope", mark),
                max_chars=500,
                placeholder=say("a reason; takes a reviewer of both scopes"),
            )
        if view.kind == "claim":
            st.pills(say("Who or what is meant"), [_ENTITY], key=_key("entity_confirmed", mark), format_func=say)
        st.pills(say("System of record"), [_RECORD], key=_key("record_checked", mark), format_func=say)
