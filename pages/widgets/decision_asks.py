"""What the bar asks further: by which route a rejection goes, which of two claims stands, what somebody is asked."""

from __future__ import annotations

import streamlit as st

from pages.widgets.candidate_place import Place
from pages.widgets.candidate_route import suggested_line, why_words
from pages.widgets.candidate_words import ROUTE_WORDS, shorten, value_text
from pages.widgets.decision import ask_further, decide_reject, reason_key, send_question
from pages.widgets.decision_guard import Seen
from pages.widgets.desk import Desk, attempt
from pages.widgets.language import later, phrase, say
from pages.widgets.markup import draw, tag
from store import ROUTES, CandidateView, PersonToAsk, list_people_to_ask, show_invisible


def draw_back(seen: Seen) -> None:
    """Draw the way back to the plain bar."""
    st.button(say("Back"), shortcut="Esc", key=f"decision.back.{seen.mark}", on_click=ask_further, args=(None, seen), type="tertiary")


def draw_reject(desk: Desk, place: Place, view: CandidateView, seen: Seen) -> None:
    """Draw the routes of a rejection, a digit each, with their reasons."""
    head = phrase("{who} Which way, and why?", who=tag("b", say("Reject as {name}.", name=desk.actor.name)))
    draw(tag("div", head, cls="cc-ask"), suggested_line(view))
    suggested = view.suggestion
    for place_, route in enumerate(ROUTES, 1):
        words, meaning, default = (say(one) for one in ROUTE_WORDS[route])
        if suggested is not None and suggested.route == route:
            default = why_words(view, suggested)
        button, reason = st.columns([2, 5], vertical_alignment="center", gap="small")
        reason.text_input(meaning, value=default, key=reason_key(seen, route), max_chars=2000, label_visibility="collapsed")
        button.button(
            words, shortcut=str(place_), key=f"decision.route.{route}.{seen.mark}", on_click=decide_reject, args=(desk, place, seen, route, default),
            width="stretch", help=meaning,
        )  # fmt: skip
    draw_back(seen)


# --- asking somebody ----------------------------------------------------------------------------------------------

_QUESTIONS = {
    "no": later("The quote does not say {value}. Where does it come from?"), "digits": later("The quote says {words}. At which scale is {value} meant?"),
    "newer": later("A newer version of the document is here, and the quote is not in it. Does this still hold?"),
    "contradicts": later("Accepted is {old}, this says {value}. Which one holds, and from when?"), "plain": later("Can you confirm that this is {value}?"),
    "who": later("Who or what exactly is meant by {subject}?"),
}  # fmt: skip


def _questions(view: CandidateView) -> list[str]:
    """Return what is likely asked about a candidate, the likeliest first, as texts to be changed."""
    value = shorten(value_text(view.line.get("value", view.title)), 60)
    kinds = []
    if view.contradicts:
        kinds.append("contradicts")
    if view.in_quote.kind in ("no", "digits"):
        kinds.append(view.in_quote.kind)
    if any(one is not None and one.same is False for one in view.newer):
        kinds.append("newer")
    kinds += ["plain", "who"]
    old = shorten(value_text(view.contradicts[0].value), 60) if view.contradicts else ""
    named = {"value": value, "old": old, "words": view.in_quote.words, "subject": shorten(str(view.line.get("subject", view.title)), 60)}
    return [say(_QUESTIONS[kind], **named) for kind in kinds[:3]]


def person_words(one: PersonToAsk) -> str:
    """Return somebody to ask, by name and part."""
    name = show_invisible(one.name)[:60]
    if one.owner:
        return say("{name} (owner)", name=name)
    return say("{name} (reviewer)", name=name) if one.reviewer else say("{name} (agent)", name=name) if one.agent else name


def draw_ask(desk: Desk, place: Place, view: CandidateView, seen: Seen) -> None:
    """Draw whom to ask and what: a digit sends the question beside it."""
    people = attempt(lambda: list_people_to_ask(desk.store, desk.person, view.tenant, "record", view.id)) or ()
    head, who = st.columns([2, 5], vertical_alignment="center", gap="small")
    with head:
        draw(tag("div", tag("b", say("Ask whom, and what?")), cls="cc-ask"))
    if not people:
        draw(tag("div", say("Nobody else may see this candidate, so nobody can be asked."), cls="cd-muted"))
        draw_back(seen)
        return
    by_id = {one.id: one for one in people}
    wanted = view.line.get("proposed_by")
    ids = list(by_id)
    first = 0 if people[0].owner else ids.index(wanted) if wanted in by_id else 0
    of = f"decision.ask.of.{seen.mark}"
    who.selectbox(
        say("Whom to ask"), ids, index=first, key=of, format_func=lambda one: person_words(by_id[one]) if one in by_id else str(one), label_visibility="collapsed"
    )
    for number, text in enumerate(_questions(view), 1):
        button, field = st.columns([2, 5], vertical_alignment="center", gap="small")
        key = f"decision.ask.{number}.{seen.mark}"
        field.text_input(say("Question {n}", n=number), value=text, key=key, max_chars=2000, label_visibility="collapsed")
        button.button(
            say("Ask this"), shortcut=str(number), key=f"decision.ask.send.{number}.{seen.mark}", on_click=send_question, args=(desk, place, seen, key, of),
            width="stretch",
        )  # fmt: skip
    draw_back(seen)
