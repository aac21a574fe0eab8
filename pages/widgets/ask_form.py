"""The question: who asks, where, for what, as of when, and about what; or which words are searched."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from pages.widgets import told
from pages.widgets.ask_place import Place, read_moment, read_place
from pages.widgets.ask_words import role_words
from pages.widgets.callbacks import uninterrupted
from pages.widgets.desk import Desk
from pages.widgets.labels import option_text
from pages.widgets.language import phrase, say
from pages.widgets.markup import Markup, draw, tag
from store import Identity, parse_qualifiers, show_invisible

_SHOWN = "ask.shown"
_PROBLEMS = "ask.problems"
_FIELDS = ("who", "within", "subject", "predicate", "which", "purpose", "at", "find")


def _key(name: str) -> str:
    return f"ask.{name}"


def _fill(place: Place, people: list[Identity], scopes: tuple[str, ...]) -> None:
    """Put what the address says into the fields, once per address, so that what is being typed stays."""
    said = str(place.pairs())
    if st.session_state.get(_SHOWN) == said and all(_key(name) in st.session_state for name in ("who", "within")):
        return
    st.session_state[_SHOWN] = said
    known = {one.id for one in people}
    values = {
        "who": place.who if place.who in known else None, "within": place.within if place.within in scopes else None, "subject": place.subject,
        "predicate": place.predicate, "which": "\n".join(place.which), "purpose": place.purpose, "at": place.at, "find": place.find,
    }  # fmt: skip
    for name, value in values.items():
        st.session_state[_key(name)] = value


def _typed(name: str) -> str:
    return str(st.session_state.get(_key(name)) or "").strip()


@uninterrupted
def _ask(desk: Desk, searching: bool) -> None:
    """Make what is in the fields the address, or say what is wrong with it and leave it."""
    problems: list[str] = []
    which = tuple(line.strip() for line in _typed("which").splitlines() if line.strip())
    if not _typed("who"):
        problems.append(say("Choose who asks."))
    if not _typed("within"):
        problems.append(say("Choose the scope it is asked in."))
    if searching and not _typed("find"):
        problems.append(say("Type the words to search for."))
    if not searching and not (_typed("subject") and _typed("predicate")):
        problems.append(say("A question needs a subject and a predicate."))
    try:
        read_moment(_typed("at"))
    except ValueError:
        problems.append(say("The time is not one. Write a date such as 2026-06-30, or a time with its offset such as 2026-06-30T09:00:00Z."))
    try:
        parse_qualifiers(which)
    except ValueError:
        problems.append(say("Write each qualifier as name=value, one to a line."))
    told.keep(_PROBLEMS, problems)
    if problems:
        return
    kept = read_place(desk)
    replace(
        kept, who=_typed("who"), within=_typed("within"), subject=kept.subject if searching else _typed("subject"),
        predicate=kept.predicate if searching else _typed("predicate"), which=kept.which if searching else which, purpose=_typed("purpose"),
        at=_typed("at"), find=_typed("find") if searching else kept.find, searching=searching,
    ).go()  # fmt: skip


def _modes(place: Place) -> Markup:
    return tag(
        "nav",
        tag("a", say("By question"), cls="cd-link cd-tab" + ("" if place.searching else " cd-here"), href=place.link(searching=False)),
        tag("a", say("By words"), cls="cd-link cd-tab" + (" cd-here" if place.searching else ""), href=place.link(searching=True)),
        cls="cd-tabs ak-modes",
        label=say("Ways to ask"),
    )


def draw_form(desk: Desk, place: Place, people: list[Identity], scopes: tuple[str, ...]) -> None:
    """Draw the fields."""
    _fill(place, people, scopes)
    draw(_modes(place))
    names = {one.id: one for one in people}

    def who_words(one: str) -> str:
        return f"{option_text(names[one].name, 40) or option_text(one, 40)} · {', '.join(role_words(*pair) for pair in names[one].roles[:2])}"

    with st.form("ask.form", border=False):
        left, middle, right = st.columns([4, 3, 3])
        left.selectbox(
            say("Asked by"), list(names), key=_key("who"), index=None, format_func=who_words, placeholder=say("Choose a person or an agent")
        )
        middle.selectbox(say("In scope"), scopes, key=_key("within"), index=None, format_func=show_invisible, placeholder=say("Choose a scope"))
        right.text_input(say("As of"), key=_key("at"), placeholder=say("now, or 2026-06-30"), max_chars=60)
        if place.searching:
            st.text_input(say("Words"), key=_key("find"), placeholder=say("Every word must occur"), max_chars=1_000)
        else:
            one, two, three, four = st.columns([4, 3, 3, 2])
            one.text_input(say("Subject"), key=_key("subject"), placeholder=say("What it is about"), max_chars=500)
            two.text_input(say("Predicate"), key=_key("predicate"), placeholder=say("What is asked of it"), max_chars=500)
            three.text_area(say("Qualifiers, one to a line"), key=_key("which"), placeholder=say("as_of=2026-06-30"), height=68, max_chars=4_000)
            four.text_input(say("Purpose"), key=_key("purpose"), placeholder=say("none named"), max_chars=200)
        st.form_submit_button(say("Ask"), type="primary", on_click=_ask, args=(desk, place.searching), key="ask.submit")
    problems = told.take(_PROBLEMS)
    if problems:
        draw(
            tag(
                "div",
                phrase("{nothing} What you typed is still there.", nothing=tag("b", say("Nothing was asked."))),
                tag("ul", *(tag("li", one) for one in problems), cls="cd-problems"),
                cls="cd-band cd-badband",
            )
        )
