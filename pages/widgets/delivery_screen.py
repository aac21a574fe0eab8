"""The page of deliveries: the outbox or what went out, a list or one of them."""

from __future__ import annotations

import streamlit as st

from pages.widgets.decision_guard import take_ignored
from pages.widgets.delivered_list import draw_delivered
from pages.widgets.delivered_one import draw_artifact
from pages.widgets.delivery_place import DeliveryPlace, read_place
from pages.widgets.desk import Desk, address, attempt, show_notices
from pages.widgets.language import phrase, say
from pages.widgets.markup import draw, tag
from pages.widgets.outbox_list import draw_outbox
from pages.widgets.outbox_message import draw_message
from pages.widgets.status import icon


def draw_screen(desk: Desk) -> None:
    """Draw the page."""
    place = read_place(desk)
    with st.container(key="deliveries_screen"):
        if attempt(lambda: _draw(desk, place)) is None:
            draw(tag("h1", say("Deliveries and notices"), cls="cd-title"))
            show_notices()
            draw(tag("p", tag("a", say("All messages"), cls="cd-link", href=DeliveryPlace(desk.scope).link())))


def _draw(desk: Desk, place: DeliveryPlace) -> bool:
    if place.message is not None and place.tenant is not None:
        draw_message(desk, place)
        return True
    if place.artifact is not None and place.tenant is not None:
        draw_artifact(desk, place)
        return True
    draw(tag("h1", say("Deliveries and notices"), cls="cd-title"), _views(place))
    if place.correction is not None:
        case = tag("a", place.correction[:120], cls="cd-link", href=address("corrections", case=place.correction, tenant=place.tenant, scope=place.scope))
        everything = tag("a", say("Show all"), cls="cd-link", href=place.link(correction=None))
        draw(tag("div", icon("healing"), phrase("Only what belongs to the correction {case}. {all}", case=case, all=everything), cls="cd-muted cd-small"))
    if take_ignored():
        draw(tag("div", say("That press was too soon after the last one and did nothing."), cls="cd-band"))
    (draw_delivered if place.delivered else draw_outbox)(desk, place)
    return True


def _views(place: DeliveryPlace) -> str:
    choices = ((False, say("Messages"), "outbox"), (True, say("What went out"), "inventory_2"))
    links = [
        tag("a", icon(symbol), words, cls="cd-link dv-view" + (" cd-here" if place.delivered == which else ""), href=place.link(delivered=which, state=None, only=None))
        for which, words, symbol in choices
    ]  # fmt: skip
    return tag("nav", *links, cls="dv-views", label=say("What is looked at"))
