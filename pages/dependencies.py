"""Dependencies: what a record rests on, what rests on it, and how trouble gets from one to the other."""

from __future__ import annotations

import streamlit as st

from pages.widgets.desk import Desk, address, at_desk, attempt, open_desk, show_notices, take_refusal
from pages.widgets.graph_panel import draw_panel, draw_ways, select
from pages.widgets.graph_picture import draw_graph, draw_legend, load_graph_library
from pages.widgets.graph_place import GraphPlace, read_place
from pages.widgets.graph_sentences import draw_controls, draw_head, draw_too_much
from pages.widgets.graph_start import draw_found, draw_start
from pages.widgets.graph_table import draw_table
from pages.widgets.language import phrase, say
from pages.widgets.markup import draw, tag
from store import find_tenant, look_around, picture_around


def _tenant(desk: Desk, place: GraphPlace) -> str | None:
    if place.tenant is not None:
        return place.tenant
    if place.record is not None:
        return find_tenant(desk.store, desk.person, [place.record])
    if desk.scope:
        return desk.scope.split("/", 1)[0]
    return desk.tenants[0] if len(desk.tenants) == 1 else None


def _choose_tenant(desk: Desk, place: GraphPlace) -> None:
    draw(
        tag("p", say("Choose whose records to look in."), cls="cd-lead"),
        tag("div", *(tag("a", name, cls="cd-link cd-chip", href=place.link(tenant=name)) for name in desk.tenants), cls="cd-chips"),
    )


def _say_refused(desk: Desk, place: GraphPlace) -> None:
    refusal = take_refusal() or {"code": "not_found", "message": ""}
    if refusal["code"] == "ambiguous_tenant":
        _choose_tenant(desk, place)
        return
    shown = place.to if place.to and refusal["message"] and place.to in refusal["message"] else place.record or ""
    draw(
        tag("p", phrase("There is nothing to show here: no record is called {id}, or it lies where {name} may not look.", id=tag("b", shown[:200]), name=tag("b", desk.actor.name)), cls="cd-lead"),
        tag("p", tag("a", say("Choose another record"), cls="cd-link", href=address("dependencies", tenant=place.tenant, scope=desk.scope))),
    )  # fmt: skip


@st.fragment
def _explore(desk: Desk, tenant: str) -> None:
    """Draw everything about one record; a click in the picture runs this alone."""
    with at_desk(desk):
        place = read_place(desk)
        if place.record is None:
            draw_start(desk, tenant, place)
            return
        around = attempt(lambda: look_around(desk.store, desk.person, tenant, place.record or "", up=place.up, down=place.down, to=place.to))
        if around is None:
            _say_refused(desk, place)
            return
        picture = None
        if around.drawable:
            picture = picture_around(desk.store, desk.person, around, opened=dict(place.opened), way=place.way, families=place.lens == "source")
        title = draw_head(desk, around, place)
        draw_controls(desk, around, place)
        if place.find:
            draw_found(desk, tenant, place)
        left, right = st.columns([11, 4], gap="medium")
        with left:
            if picture is None:
                draw_too_much(around, place)
            else:
                draw(draw_legend(picture, around, place))
                draw_graph(picture, around, place, title, lambda node: select(desk, node))
        with right, st.container(key="dependencies.panel"):
            draw_panel(desk, around, picture, place)
        draw_ways(desk, around, place)
        draw_table(desk, around, place)
        if picture is not None:
            load_graph_library()


def main() -> None:
    """Draw the page."""
    desk = open_desk()
    draw(tag("h1", say("Dependencies"), cls="cd-title"))
    place = read_place(desk)
    show_notices()
    tenant = attempt(lambda: _tenant(desk, place))
    if tenant is not None:
        _explore(desk, tenant)
    elif place.record is not None:
        _say_refused(desk, place)
    else:
        _choose_tenant(desk, place)


main()
