"""Finding the subject somebody means: by its beginning, by its words, or by going through all of them."""

from __future__ import annotations

import streamlit as st

from pages.widgets.about_place import Place
from pages.widgets.callbacks import uninterrupted
from pages.widgets.candidate_words import shorten
from pages.widgets.desk import Desk
from pages.widgets.language import phrase, say, say_count
from pages.widgets.markup import Markup, draw, tag
from pages.widgets.status import icon
from store import Suggested, suggest_subjects

_FIND = "about.find"
_PAGE = 60
_HINTS = 14


@uninterrupted
def _find_typed() -> None:
    typed = str(st.session_state[_FIND]).strip()[:200]
    for name in ("subject", "predicate", "state", "start", "whole", "after", "tenant"):
        st.query_params.pop(name, None)
    if typed:
        st.query_params["find"] = typed
    else:
        st.query_params.pop("find", None)


def draw_search(place: Place) -> None:
    """Draw the box in which a subject is looked up; the address is what counts."""
    wanted = place.find or place.subject
    if st.session_state.get(_FIND) != wanted:
        st.session_state[_FIND] = wanted
    with st.container(key="about.find.box"):
        st.text_input(
            say("What or whom is it about?"), key=_FIND, icon=":material/search:", on_change=_find_typed, placeholder=say("The beginning of its name, or a word of it"),
            live="300ms",
        )  # fmt: skip


def _link(one: Suggested, place: Place, several: bool) -> Markup:
    words = say_count("{n} claim", "{n} claims", one.claims)
    if one.accepted != one.claims:
        words = say("{claims}, {accepted} accepted", claims=words, accepted=f"{one.accepted:,}")
    here = Place(one.subject, one.tenant if several else None, place.scope)
    name = tag("a", tag("b", shorten(one.subject, 120)), cls="cd-link", href=here.link())
    if one.veiled:
        name = tag("span", icon("visibility_off"), tag("b", one.subject), title=say("Its name is veiled. Ask to see a record about it; then it is shown here too."))
    return tag(
        "li", name, tag("span", words, cls="cd-muted"),
        tag("span", one.tenant, cls="cd-muted") if several else None,
    )  # fmt: skip


def draw_suggestions(desk: Desk, place: Place) -> None:
    """Draw the subjects somebody may mean, each with how much is held about it."""
    several = len(desk.tenants) > 1
    if place.after is not None:
        found = suggest_subjects(
            desk.store, desk.person, scope=place.scope, after="" if place.after == "." else place.after, tenant=place.tenant, limit=_PAGE
        )
        head = say("All subjects, in order")
    else:
        found = suggest_subjects(desk.store, desk.person, place.find, scope=place.scope, limit=_HINTS)
        head = say("Subjects found") if place.find else say("What the newest claims are about")
    if not found:
        _say_nothing(place)
        return
    draw(tag("h2", head, cls="cd-heading"), tag("ul", *(_link(one, place, several) for one in found), cls="cd-list ca-subjects"))
    if place.after is not None:
        _draw_pager(found, place)
    else:
        draw(tag("div", tag("a", say("Go through all subjects"), cls="cd-link", href=Place(scope=place.scope, after=".").link()), cls="cd-pager"))


def _draw_pager(found: list[Suggested], place: Place) -> None:
    first = tag("a", say("Back to the beginning"), cls="cd-link", href=Place(scope=place.scope, after=".").link()) if place.after != "." else None
    more = (
        tag("a", say("Further subjects →"), cls="cd-link", href=Place(scope=place.scope, after=found[-1].place).link())
        if len(found) >= _PAGE
        else None
    )
    draw(tag("div", first, more, cls="cd-pager"))


def _say_nothing(place: Place) -> None:
    if place.after is not None:
        draw(
            tag(
                "div",
                tag("b", say("There are no further subjects")),
                tag("a", say("Back to the beginning"), cls="cd-link", href=Place(scope=place.scope, after=".").link()),
                cls="cd-empty",
            )
        )
    elif place.find:
        draw(
            tag(
                "div",
                tag("b", phrase("No subject is found for {words}", words=place.find)),
                say("Try its beginning, another word of its name, or another scope."),
                cls="cd-empty",
            )
        )
    else:
        draw(
            tag(
                "div",
                tag("b", say("Nothing is held here that you may see")),
                say("Claims appear here as soon as a scope of yours has any."),
                cls="cd-empty",
            )
        )
