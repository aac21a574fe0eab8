"""The page of forgetting: the list of requests, a new one, one of them, its receipt and its letter, copies and proofs."""

from __future__ import annotations

import streamlit as st

from pages.widgets.desk import Desk, attempt, take_refusal
from pages.widgets.forgetting_copies import draw_register
from pages.widgets.forgetting_letter import draw_letter
from pages.widgets.forgetting_list import draw_list
from pages.widgets.forgetting_new import draw_new
from pages.widgets.forgetting_one import draw_one
from pages.widgets.forgetting_pick import choose_tenant
from pages.widgets.forgetting_place import Place, read_place, tenant_of_place
from pages.widgets.forgetting_proofs import draw_proofs
from pages.widgets.forgetting_receipt import draw_receipt
from pages.widgets.language import quote_store, say
from pages.widgets.markup import draw, tag
from store import Refusal, find_deletion, view_deletion


def draw_screen(desk: Desk) -> None:
    """Draw the page."""
    place = read_place(desk)
    with st.container(key="forgetting_screen"):
        if place.request is not None:
            _draw_request(desk, place)
        elif place.new:
            _draw_new(desk, place)
        elif place.view == "copies":
            draw_register(desk, place)
        elif place.view == "proofs":
            draw_proofs(desk, place)
        else:
            draw_list(desk, place)


def _draw_new(desk: Desk, place: Place) -> None:
    tenant = tenant_of_place(desk, place)
    draw(tag("div", tag("a", say("← Forgetting"), cls="cd-link", href=Place(scope=place.scope).link()), cls="cd-kicker"), tag("h1", say("Forget something everywhere"), cls="cd-title"))
    if tenant is None:
        choose_tenant(desk, place)
        return
    try:
        draw_new(desk, tenant, place)
    except Refusal as refusal:
        draw(tag("div", tag("b", say("This cannot be asked for.")), " ", quote_store(refusal.message), cls="cd-band cd-badband"))


def _draw_request(desk: Desk, place: Place) -> None:
    asked = place.request or ""
    tenant = attempt(lambda: find_deletion(desk.store, desk.person, asked, place.tenant))
    view = attempt(lambda: view_deletion(desk.store, desk.person, tenant, asked)) if tenant else None
    if view is None:
        refusal = take_refusal()
        draw(tag("h1", say("There is no such request"), cls="cd-title"))
        draw(tag("div", quote_store(refusal["message"]) if refusal else "", cls="cd-band cd-warnband"))
        draw(tag("p", tag("a", say("All requests"), cls="cd-link", href=Place(scope=place.scope).link())))
        return
    if place.part == "receipt":
        draw_receipt(desk, view, place)
    elif place.part == "letter":
        draw_letter(desk, view, place)
    else:
        draw_one(desk, view, place)
