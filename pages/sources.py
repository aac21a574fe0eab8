"""Sources: which there are and how they stand; one of them with its versions, its text and every passage claims rest on."""

from __future__ import annotations

import streamlit as st

from pages.widgets.desk import Desk, attempt, open_desk, show_notices, take_refusal
from pages.widgets.language import phrase, quote_store, say
from pages.widgets.markup import draw, tag
from pages.widgets.plan_result import draw_result
from pages.widgets.plan_state import read_place as read_plan_place
from pages.widgets.source_difference import draw_difference
from pages.widgets.source_extractors import draw_extractors
from pages.widgets.source_list import draw_list
from pages.widgets.source_place import Place, read_place, tenant_of_place
from pages.widgets.source_recapture import draw_recapture
from pages.widgets.source_text import draw_version
from pages.widgets.source_times import chosen_version, draw_head, draw_times
from store import SourceVersion, SourceView, view_source


def _say_missing(desk: Desk, place: Place) -> None:
    refusal = take_refusal()
    if refusal is not None and refusal["code"] == "ambiguous_tenant":
        draw(tag("h1", say("Which one do you mean?"), cls="cd-title"), tag("p", quote_store(refusal["message"]), cls="cd-lead"))
        return
    name, who = tag("b", place.source[:200]), tag("b", desk.actor.name)
    draw(
        tag("h1", say("There is nothing to show here"), cls="cd-title"),
        tag("p", phrase("No source is called {name}, or it lies where {who} may not look. The desk does not say which.", name=name, who=who), cls="cd-lead"),
        tag("p", tag("a", say("All sources"), cls="cd-link", href=Place(scope=place.scope).link())),
    )


def _draw_chosen(desk: Desk, view: SourceView, version: SourceVersion, place: Place) -> None:
    numbers = {one.version for one in view.versions}
    if place.a in numbers and place.b in numbers and place.a is not None and place.a != place.b:
        draw_difference(desk, view, place, place.a, place.b)
    else:
        draw_version(desk, view, version, place)


def _draw_source(desk: Desk, place: Place) -> None:
    tenant = attempt(lambda: tenant_of_place(desk, place))
    view = attempt(lambda: view_source(desk.store, desk.person, tenant, place.source)) if tenant else None
    if view is None:
        _say_missing(desk, place)
        return
    version = chosen_version(view, place)
    draw_head(view, place)
    if place.do == "recapture":
        draw_recapture(desk, view, place)
        return
    left, right = st.columns([2, 7], gap="large")
    with left:
        draw_times(desk, view, place, version)
    with right:
        if version is None:
            draw(tag("div", say("No version of it has been captured that you may see."), cls="cd-empty"))
        else:
            _draw_chosen(desk, view, version, place)


def main() -> None:
    """Draw the page."""
    desk = open_desk()
    place = read_place(desk)
    done = read_plan_place(desk)
    if done.done is not None and done.tenant is not None and not place.source:
        draw(tag("h1", say("Sources"), cls="cd-title"))
        attempt(lambda: draw_result(desk, str(done.tenant), done))
        show_notices()
        return
    if place.do != "recapture":
        show_notices()
    if place.source:
        _draw_source(desk, place)
    elif place.view == "extractors":
        draw_extractors(desk, place)
    else:
        draw_list(desk, place)


main()
