"""One record: its contract, the passage it comes from, the chain it stands in, and what happened to it; also as it was known then."""

from __future__ import annotations

import streamlit as st

from pages.widgets.callbacks import uninterrupted
from pages.widgets.desk import Desk, address, attempt, open_desk, show_notices, take_refusal
from pages.widgets.forgetting_link import draw_gone, forget_record, is_gone
from pages.widgets.language import phrase, say
from pages.widgets.markup import Markup, draw, tag
from pages.widgets.record_around import (
    draw_children,
    draw_contests,
    draw_deliveries,
    draw_history,
    draw_neighbours,
    draw_parents,
    draw_passages,
    draw_served,
)
from pages.widgets.record_chain import draw_chain
from pages.widgets.record_contract import draw_contract
from pages.widgets.record_dates import draw_dates
from pages.widgets.record_parts import draw_body, draw_head, draw_identity, draw_statement, draw_text
from pages.widgets.record_then import Moments, draw_band, draw_form, draw_wrong
from pages.widgets.veil import draw_veil_band
from store import RecordView, find_tenant, view_record

_RECORD, _TENANT, _PART = "record", "tenant", "part"
_SHOWN = 50
_WITHDRAWABLE = ("ACCEPTED", "STALE", "DISPUTED")


def _actions(desk: Desk, view: RecordView, tenant: str) -> Markup:
    found = view.found
    if view.known_at is not None or view.at is not None:
        return Markup("")
    links = []
    if found["status"] == "CANDIDATE":
        words = say("Decide") if view.may_decide else say("See it among the candidates")
        links.append(tag("a", words, cls="cd-link cd-button cd-primary", href=address("candidates", candidate=found["id"], scope=desk.scope)))
    if found["status"] in _WITHDRAWABLE and view.may_decide:
        links.append(tag("a", say("Revoke or suspend…"), cls="cd-link cd-button", href=address("revoke", pick=found["id"], scope=desk.scope)))
    if view.served is not None:  # as the graph, it is for those who see everything of the scope
        links.append(
            tag("a", say("See its dependencies"), cls="cd-link cd-button", href=address("dependencies", record=found["id"], scope=desk.scope))
        )
    if found["kind"] == "artifact" and found["deliveries"]:
        href = address("deliveries", view="delivered", artifact=found["id"], tenant=tenant, scope=desk.scope)
        links.append(tag("a", say("Deliveries and editions"), cls="cd-link cd-button", href=href))
    links += forget_record(desk, view, tenant)
    return tag("div", *links, cls="cd-actions") if links else Markup("")


def _draw(desk: Desk, tenant: str, view: RecordView, moments: Moments) -> None:
    kind = view.found["kind"]
    if is_gone(view):
        draw(draw_gone(desk, view), draw_history(view, tenant, desk.scope))
        return
    draw_wrong(moments)
    draw_band(desk, view, tenant)
    draw(draw_head(view), _actions(desk, view, tenant))
    if kind != "evidence":
        draw_veil_band(
            desk,
            tenant,
            view.found["id"],
            view.found["version"],
            view.found.get("veiled") or (),
            view.found["record"].get("sensitivity"),
            may=view.served is not None and view.known_at is None,
        )
    draw(draw_chain(view, tenant, desk.scope))
    left, right = st.columns([5, 3], gap="large")
    with left:
        if kind == "claim":
            draw(draw_statement(view, tenant, desk.scope), draw_contests(view, tenant, desk.scope), draw_passages(view, tenant), draw_served(view))
        elif kind == "artifact":
            draw(draw_body(view), draw_deliveries(view), draw_served(view))
        else:
            draw(draw_text(view, desk.scope, tenant))
    with right:
        if kind != "evidence":
            draw(draw_contract(view, tenant))
        draw_dates(desk, view, tenant)
        draw(
            draw_identity(view, tenant),
            draw_parents(view, tenant),
            draw_children(view, tenant),
            draw_neighbours(view, tenant, desk.scope),
        )
    draw(draw_history(view, tenant, desk.scope))
    draw_form(moments)


@uninterrupted
def _take_id() -> None:
    wanted = str(st.session_state.get("record.wanted", "")).strip()
    if wanted:
        st.query_params[_RECORD] = wanted


def _ask_for_id() -> None:
    draw(
        tag("h1", say("One record"), cls="cd-title"),
        tag("p", say("Records are opened from lists and links. With an id at hand, open it here."), cls="cd-lead"),
    )
    with st.form("record.find", border=False, width=560):
        st.text_input(say("Id of the record"), key="record.wanted", placeholder=say("for example nav-2026-q2"))
        st.form_submit_button(say("Open"), on_click=_take_id)


def _say_missing(desk: Desk, record_id: str, moments: Moments) -> None:
    refusal = take_refusal() or {"code": "not_found", "message": ""}
    shown = record_id if len(record_id) <= 200 else f"{record_id[:200]}…"
    name = tag("b", shown)
    if refusal["code"] == "ambiguous_tenant":
        links = [
            tag("li", tag("a", one, cls="cd-link", href=address("record", record=record_id, tenant=one, scope=desk.scope))) for one in desk.tenants
        ]
        draw(
            tag("h1", say("Which one do you mean?"), cls="cd-title"),
            tag("p", phrase("More than one part of the store has a record called {name}.", name=name), cls="cd-lead"),
            tag("ul", *links, cls="cd-list"),
        )
        return
    if refusal["code"] != "not_found":
        draw(tag("h1", say("The record cannot be shown"), cls="cd-title"), tag("div", refusal["message"], cls="cd-band cd-badband"))
        return
    where = phrase(
        "No record is called {name}, or it lies where {who} may not look. The desk does not say which.", name=name, who=tag("b", desk.actor.name)
    )
    back = tag("a", say("Back to what waits for you"), cls="cd-link", href=address("today", scope=desk.scope))
    now = None
    if moments.known_at is not None:
        where = phrase("{where} Or the store did not have it yet at that time.", where=where)
        now = tag("p", tag("a", say("Look at it as it is now"), cls="cd-link", href=address("record", record=record_id, scope=desk.scope)))
    draw(tag("h1", say("There is nothing to show here"), cls="cd-title"), tag("p", where, cls="cd-lead"), *([now] if now else []), tag("p", back))


def main() -> None:
    """Draw the page."""
    desk = open_desk()
    show_notices()
    record_id = st.query_params.get(_RECORD, "")
    if not record_id:
        _ask_for_id()
        return
    moments = Moments()
    wanted = st.query_params.get(_TENANT)
    part = st.query_params.get(_PART, "1")
    tenant = attempt(lambda: find_tenant(desk.store, desk.person, [record_id], wanted))
    number = int(part) if part.isdecimal() and len(part) < 8 else 1
    view = (
        attempt(
            lambda: view_record(desk.store, desk.person, tenant, record_id, part=number, children=_SHOWN, at=moments.at, known_at=moments.known_at)
        )
        if tenant
        else None
    )
    if tenant is None or view is None:
        _say_missing(desk, record_id, moments)
        return
    _draw(desk, tenant, view, moments)


main()
