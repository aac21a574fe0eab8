"""Questions on the page of the day: answered right there, answers read, one's own taken back; each press counts once."""

from __future__ import annotations

import secrets

import streamlit as st

from pages.widgets.callbacks import uninterrupted
from pages.widgets.candidate_place import mark_of
from pages.widgets.candidate_words import shorten
from pages.widgets.decision_guard import counts, take_ignored
from pages.widgets.desk import Desk, address, attempt, note_done, record_address
from pages.widgets.labels import label_text
from pages.widgets.language import phrase, say, say_count
from pages.widgets.markup import Markup, draw, join, long_text, tag
from pages.widgets.moments import from_micros, when
from pages.widgets.status import badge, icon
from store import PlacedQuestion, answer_question, note_answer_seen, withdraw_question

_SESSION = "today.session"
_SHOWN = 600


def _operation(what: str, one: PlacedQuestion, text: str = "") -> str:
    """Return the operation id of one press: the same for the same words about the same question."""
    session = st.session_state.setdefault(_SESSION, secrets.token_hex(8))
    return f"desk-{session}-{what}-{mark_of(one.tenant, one.question.number, text)}"


def _key(what: str, one: PlacedQuestion) -> str:
    return f"today.{what}.{mark_of(one.tenant, one.question.number)}"


@uninterrupted
def _answer(desk: Desk, one: PlacedQuestion) -> None:
    text = str(st.session_state.get(_key("text", one)) or "")
    if not counts():
        return
    done = attempt(lambda: answer_question(desk.store, desk.person, one.tenant, one.question.number, text, operation=_operation("answer", one, text)))
    if done is not None:
        note_done(say("Answered. {name} finds it on their page of the day.", name=one.question.by_name))


@uninterrupted
def _see(desk: Desk, one: PlacedQuestion) -> None:
    if counts():
        attempt(lambda: note_answer_seen(desk.store, desk.person, one.tenant, one.question.number, operation=_operation("see", one)))


@uninterrupted
def _withdraw(desk: Desk, one: PlacedQuestion) -> None:
    if counts():
        done = attempt(lambda: withdraw_question(desk.store, desk.person, one.tenant, one.question.number, operation=_operation("withdraw", one)))
        if done is not None:
            note_done(say("Taken back. {name} is not asked any more.", name=one.question.of_name))


def draw_ignored(cls: str = "cd-band cd-warnband") -> None:
    """Say that a press came too soon after another and did nothing."""
    ignored = take_ignored()
    if ignored:
        words = say_count("A second press came too soon and was ignored.", "{n} presses came too soon and were ignored.", ignored)
        draw(tag("div", icon("do_not_touch"), words, cls=cls))


def draw_ignored_above() -> None:
    """Say it above everything for some seconds, on a page that has no place for it."""
    draw_ignored("cd-late cd-on cd-fades")


def about_link(desk: Desk, one: PlacedQuestion) -> Markup:
    """Return a link to what a question is about, with its status."""
    question = one.question
    if question.kind == "conflict":
        href, looks = address("conflicts", conflict=question.about, tenant=one.tenant, scope=desk.scope), badge("CONFLICT")
    elif one.status == "CANDIDATE":
        href, looks = address("candidates", candidate=question.about, tenant=one.tenant, scope=desk.scope), badge("CANDIDATE")
    else:
        href, looks = record_address(question.about, one.tenant), badge(one.status or "CANDIDATE")
    return join((looks, tag("a", shorten(one.title, 120), cls="cd-link", href=href)), " ")


def _asked(one: PlacedQuestion, whom: Markup) -> Markup:
    question = one.question
    return tag("div", long_text(question.text, _SHOWN), tag("div", whom, cls="cd-muted cd-small"), cls="cy-asked")


def draw_waiting(desk: Desk, questions: tuple[PlacedQuestion, ...]) -> None:
    """Draw the questions asked of this person, each with its field and button."""
    name = label_text(desk.actor.name, 40) or say("yourself")
    for one in questions:
        question = one.question
        with st.container(key=_key("question.asked", one)):
            who = phrase(
                "{name} asks, {ago}, about {what}",
                name=tag("b", question.by_name[:60]),
                ago=when(from_micros(question.at)),
                what=about_link(desk, one),
            )
            draw(_asked(one, who))
            with st.form(_key("form", one), border=False):
                st.text_area(
                    say("Your answer to {name}", name=label_text(question.by_name, 40)),
                    key=_key("text", one),
                    height=68,
                    max_chars=4000,
                    label_visibility="collapsed",
                    placeholder=say("Your answer"),
                )
                st.form_submit_button(say("Answer as {name}", name=name), key=_key("answer", one), on_click=_answer, args=(desk, one))


def draw_answers(desk: Desk, questions: tuple[PlacedQuestion, ...]) -> None:
    """Draw answers this person has not seen yet."""
    for one in questions:
        question = one.question
        with st.container(key=_key("question.answered", one)):
            who = phrase("You asked {name} about {what}", name=tag("b", question.of_name[:60]), what=about_link(desk, one))
            draw(_asked(one, who))
            by = phrase(
                "{name} answered {ago}", name=tag("b", (question.answered_by_name or "")[:60]),
                ago=when(None if question.answered_at is None else from_micros(question.answered_at)),
            )  # fmt: skip
            draw(
                tag(
                    "div",
                    icon("reply"),
                    tag("div", long_text(question.answer or "", _SHOWN), tag("div", by, cls="cd-muted cd-small")),
                    cls="cy-answer",
                )
            )
            st.button(say("I have read it"), key=_key("seen", one), on_click=_see, args=(desk, one))


def draw_own(desk: Desk, questions: tuple[PlacedQuestion, ...]) -> None:
    """Draw this person's questions that nobody answered yet."""
    for one in questions:
        question = one.question
        with st.container(key=_key("question.own", one)):
            who = phrase(
                "You asked {name}, {ago}, about {what}",
                name=tag("b", question.of_name[:60]),
                ago=when(from_micros(question.at)),
                what=about_link(desk, one),
            )
            draw(_asked(one, who))
            st.button(say("Take it back"), key=_key("withdraw", one), on_click=_withdraw, args=(desk, one), type="tertiary")
