"""What the bar asks further: by which route a rejection goes, which of two claims stands, what somebody is asked."""

from __future__ import annotations

from datetime import date
from typing import Any

import streamlit as st

from pages.widgets.candidate_place import Place
from pages.widgets.candidate_words import ROUTE_WORDS, moment, shorten, value_text
from pages.widgets.decision import APPROVE_REASON, ask_further, decide_contradiction, decide_reject, reason_key, send_question
from pages.widgets.decision_guard import Seen
from pages.widgets.desk import Desk, attempt, record_link
from pages.widgets.language import later, listed, phrase, say, say_count
from pages.widgets.markup import draw, join, tag
from store import ROUTES, CandidateView, Consequence, PersonToAsk, Terms, foresee_replacement, list_people_to_ask, show_invisible


def _today() -> date:
    """Return the day on this machine's calendar."""
    return date.today()  # noqa: DTZ011 - the reader's own calendar


def _back(seen: Seen) -> None:
    st.button(say("Back"), shortcut="Esc", key=f"decision.back.{seen.mark}", on_click=ask_further, args=(None, seen), type="tertiary")


def draw_reject(desk: Desk, place: Place, seen: Seen) -> None:
    """Draw the routes of a rejection, a digit each, with their reasons."""
    head = phrase("{who} Which way, and why?", who=tag("b", say("Reject as {name}.", name=desk.actor.name)))
    draw(tag("div", head, cls="cc-ask"))
    for place_, route in enumerate(ROUTES, 1):
        words, meaning, default = (say(one) for one in ROUTE_WORDS[route])
        button, reason = st.columns([2, 5], vertical_alignment="center", gap="small")
        reason.text_input(meaning, value=default, key=reason_key(seen, route), max_chars=2000, label_visibility="collapsed")
        button.button(
            words, shortcut=str(place_), key=f"decision.route.{route}.{seen.mark}", on_click=decide_reject, args=(desk, place, seen, route, default),
            width="stretch", help=meaning,
        )  # fmt: skip
    _back(seen)


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


def _person_words(one: PersonToAsk) -> str:
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
        _back(seen)
        return
    by_id = {one.id: one for one in people}
    wanted = view.line.get("proposed_by")
    ids = list(by_id)
    first = 0 if people[0].owner else ids.index(wanted) if wanted in by_id else 0
    of = f"decision.ask.of.{seen.mark}"
    who.selectbox(
        say("Whom to ask"), ids, index=first, key=of, format_func=lambda one: _person_words(by_id[one]) if one in by_id else str(one), label_visibility="collapsed"
    )
    for number, text in enumerate(_questions(view), 1):
        button, field = st.columns([2, 5], vertical_alignment="center", gap="small")
        key = f"decision.ask.{number}.{seen.mark}"
        field.text_input(say("Question {n}", n=number), value=text, key=key, max_chars=2000, label_visibility="collapsed")
        button.button(
            say("Ask this"), shortcut=str(number), key=f"decision.ask.send.{number}.{seen.mark}", on_click=send_question, args=(desk, place, seen, key, of),
            width="stretch",
        )  # fmt: skip
    _back(seen)


# --- a contradiction ----------------------------------------------------------------------------------------------


def _follows(found: Consequence | None) -> str:
    if found is None:
        return say("What rests on the other needs re-validation.")
    if not found.fall:
        return say("Nothing that is accepted rests on it, so nothing else falls.")
    if not found.delivered:
        return say_count("This makes {n} record need re-validation.", "This makes {n} records need re-validation.", found.fall)
    delivered = say_count("{n} delivered artifact", "{n} delivered artifacts", found.delivered)
    return say_count(
        "This makes {n} record need re-validation, {delivered} among what it reaches.",
        "This makes {n} records need re-validation, {delivered} among what it reaches.", found.fall, delivered=delivered,
    )  # fmt: skip


def draw_contradiction(desk: Desk, place: Place, view: CandidateView, seen: Seen, usual: Terms | None = None) -> None:
    """Draw the decision of its own that a contradiction takes (R4): which it is, with what follows of each.

    Args:
        usual: the terms with the usual ones, where it is to be approved on them.
    """
    olds = view.contradicts
    old = olds[0]
    names = listed([join((tag("b", shorten(value_text(one.value), 60)), " (", record_link(one.id, view.tenant), ")")) for one in olds[:3]])
    mine = tag("b", shorten(value_text(view.line["value"]), 60))
    draw(tag("div", tag("b", say("Which is it?")), " ", phrase("It says {mine}; accepted is {others}.", mine=mine, others=names), cls="cc-ask"))
    single = len(olds) == 1
    follows = _follows(attempt(lambda: foresee_replacement(desk.store, desk.person, view.tenant, view.id, old.id))) if single else ""
    stays = say("Nothing rests on it directly.")
    if single and old.direct:
        stays = say_count(
            "{n} record rests on it and will be blocked until somebody settles it.", "{n} records rest on it and will be blocked until somebody settles it.",
            old.direct,
        )  # fmt: skip
    start = view.line["valid_from"]

    def choice(number: int, words: str, meaning: str, way: str, *, field: str | None = None) -> None:
        button, told = st.columns([2, 5], vertical_alignment="center", gap="small")
        key = f"decision.{way}.value.{seen.mark}" if field else None
        with told:
            _draw_meaning(field, key, meaning, moment(start).date() if start else _today())
        button.button(
            words, shortcut=str(number), key=f"decision.way.{way}.{seen.mark}", on_click=decide_contradiction, args=(desk, place, seen, way, old.id, key, usual),
            width="stretch",
        )  # fmt: skip

    if single:
        choice(1, say("It replaces it"), say("The accepted one is superseded now. {follows}", follows=follows), "replace")
        choice(2, say("Replaces it from"), say("The accepted one holds until then; it and what rests on it stay."), "from", field="date")
    else:
        words = say("It contradicts more than one accepted claim, so it cannot simply replace one. Settle them first, or let it join them.")
        draw(tag("p", words, cls="cd-small cd-muted"))
    scope = say("Both stand; in that scope this one answers. It must lie below {scope}.", scope=view.line["scope"])
    choice(3, say("Narrower scope"), scope, "narrow", field="scope")
    choice(4, say("Open a conflict"), say("Both stay accepted, and agents asking get CONFLICT. {stays}", stays=stays), "conflict")
    st.text_input(say("Reason"), value=say(APPROVE_REASON), key=reason_key(seen, "approve"), label_visibility="collapsed", max_chars=2000)
    with st.container(horizontal=True):
        st.button(say("Reject instead …"), shortcut="5", key=f"decision.instead.{seen.mark}", on_click=ask_further, args=("reject", seen))
        _back(seen)


def _draw_meaning(field: str | None, key: str | None, meaning: str, start: Any) -> None:
    """Draw what a way means, beside the field it needs."""
    if field is None:
        draw(tag("div", meaning, cls="cd-small"))
        return
    one, two = st.columns([2, 3], vertical_alignment="center")
    if field == "date":
        one.date_input(say("From"), value=start, key=key, format="YYYY-MM-DD", label_visibility="collapsed")
    else:
        one.text_input(say("Scope"), value="", placeholder=say("scope/below"), key=key, label_visibility="collapsed", max_chars=500)
    with two:
        draw(tag("div", meaning, cls="cd-small"))
