"""One record: what it says, where it stands, the passage it comes from, what it rests on and what happened to it."""

from __future__ import annotations

import streamlit as st

from pages.widgets.desk import Desk, address, attempt, open_desk, show_notices, take_refusal
from pages.widgets.language import say
from pages.widgets.markup import Markup, draw, tag
from pages.widgets.record_around import draw_children, draw_contests, draw_deliveries, draw_history, draw_parents, draw_passages
from pages.widgets.record_parts import draw_body, draw_head, draw_identity, draw_statement, draw_text
from store import RecordView, find_tenant, view_record

_RECORD, _TENANT, _PART = "record", "tenant", "part"
_SHOWN = 50
_WITHDRAWABLE = ("ACCEPTED", "STALE", "DISPUTED")


def _actions(desk: Desk, view: RecordView) -> Markup:
    found = view.found
    links = []
    if found["status"] == "CANDIDATE":
        words = "Decide" if view.may_decide else "See it among the candidates"
        links.append(tag("a", words, cls="cd-link cd-button cd-primary", href=address("candidates", candidate=found["id"], scope=desk.scope)))
    if found["status"] in _WITHDRAWABLE and view.may_decide:
        links.append(tag("a", "Revoke or suspend…", cls="cd-link cd-button", href=address("revoke", pick=found["id"], scope=desk.scope)))
    links.append(tag("a", say("See its dependencies"), cls="cd-link cd-button", href=address("dependencies", record=found["id"], scope=desk.scope)))
    return tag("div", *links, cls="cd-actions") if links else Markup("")


def _draw(desk: Desk, tenant: str, view: RecordView) -> None:
    kind = view.found["kind"]
    draw(draw_head(view), _actions(desk, view))
    left, right = st.columns([5, 3], gap="large")
    with left:
        if kind == "claim":
            draw(draw_statement(view), draw_contests(view, tenant), draw_passages(view, tenant))
        elif kind == "artifact":
            draw(draw_body(view), draw_deliveries(view))
        else:
            draw(draw_text(view, desk.scope, tenant))
    with right:
        draw(draw_identity(view, tenant), draw_parents(view, tenant), draw_children(view, tenant))
    draw(draw_history(view))


def _take_id() -> None:
    wanted = str(st.session_state.get("record.wanted", "")).strip()
    if wanted:
        st.query_params[_RECORD] = wanted


def _ask_for_id() -> None:
    draw(
        tag("h1", "One record", cls="cd-title"), tag("p", "Records are opened from lists and links. With an id at hand, open it here.", cls="cd-lead")
    )
    with st.form("record.find", border=False, width=560):
        st.text_input("Id of the record", key="record.wanted", placeholder="for example nav-2026-q2")
        st.form_submit_button("Open", on_click=_take_id)


def _say_missing(desk: Desk, record_id: str) -> None:
    refusal = take_refusal() or {"code": "not_found", "message": ""}
    shown = record_id if len(record_id) <= 200 else f"{record_id[:200]}…"
    if refusal["code"] == "ambiguous_tenant":
        links = [
            tag("li", tag("a", one, cls="cd-link", href=address("record", record=record_id, tenant=one, scope=desk.scope))) for one in desk.tenants
        ]
        draw(
            tag("h1", "Which one do you mean?", cls="cd-title"),
            tag("p", "More than one part of the store has a record called ", tag("b", shown), ".", cls="cd-lead"),
            tag("ul", *links, cls="cd-list"),
        )
        return
    if refusal["code"] != "not_found":
        draw(tag("h1", "The record cannot be shown", cls="cd-title"), tag("div", refusal["message"], cls="cd-band cd-badband"))
        return
    draw(
        tag("h1", "There is nothing to show here", cls="cd-title"),
        tag("p", "No record is called ", tag("b", shown), ", or it lies where ", tag("b", desk.actor.name), " may not look. The desk does not say which.", cls="cd-lead"),
        tag("p", tag("a", "Back to the candidates", cls="cd-link", href=address("candidates", scope=desk.scope))),
    )  # fmt: skip


def main() -> None:
    """Draw the page."""
    desk = open_desk()
    show_notices()
    record_id = st.query_params.get(_RECORD, "")
    if not record_id:
        _ask_for_id()
        return
    wanted = st.query_params.get(_TENANT)
    part = st.query_params.get(_PART, "1")
    tenant = attempt(lambda: find_tenant(desk.store, desk.person, [record_id], wanted))
    number = int(part) if part.isdecimal() and len(part) < 8 else 1
    view = attempt(lambda: view_record(desk.store, desk.person, tenant, record_id, part=number, children=_SHOWN)) if tenant else None
    if tenant is None or view is None:
        _say_missing(desk, record_id)
        return
    _draw(desk, tenant, view)


main()
