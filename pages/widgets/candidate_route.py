"""Should a candidate be remembered: who said it about whom, three questions, and the route that is suggested."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.widgets.callbacks import uninterrupted
from pages.widgets.candidate_place import Place
from pages.widgets.candidate_words import ROUTE_WORDS, exact_day, shorten
from pages.widgets.decision import decide_reject, keep_said, reason_key
from pages.widgets.decision_guard import Seen, counts
from pages.widgets.desk import Desk, person_name
from pages.widgets.language import later, listed, phrase, say, say_count
from pages.widgets.markup import Markup, join, tag
from pages.widgets.status import icon
from pages.widgets.veil import draw_veil_band, say_kinds
from store import CandidateView, QuestionAnswer, Suggestion

#: why -> the reason as a sentence; {who} is the person meant.
_WHY = {
    "flagged": later("It seems to tell of {kinds}, which is not kept by default."), "marked": later("It is marked {sensitivity}, which is not kept by default."),
    "inference": later("It is an inference about {who}, whom nobody asked."), "others_words": later("It describes {who} in somebody else's words."),
    "type_not_kept": later("Claims of the type {type} are not kept here."), "one_off": later("Its words speak of this once."),
    "short": later("It would hold for two days at most."), "looked_up": later("It changes by itself, and is cheaper to look up each time."),
    "own_words": later("It is {who}'s own statement."), "confirmed": later("It was confirmed by {by}."),
    "sourced": later("It describes no person, and nothing in it speaks against keeping it."),
}  # fmt: skip
_KEEP = later("Keep it")
_SYMBOLS = {"durable": "bookmark_added", "session_only": "timelapse", "not_durable": "delete_sweep", "sensitive": "visibility_lock"}
_CONFIRMED = {
    "confirmed": later("{by} confirmed it"), "own_words": later("by saying it themselves"), "no": later("not at all"), "nobody": later("no person is meant"),
}  # fmt: skip
_QUESTIONS = {"improves": later("Which later task does it help?"), "about": later("Whom does it describe?"), "lapses": later("When does it lapse?")}
_FIELDS = {
    "purposes": later("only {value}"), "conditions": later("{value}"), "subject": later("{value}"), "expires_at": later("it expires {value}"),
    "valid_to": later("it holds until {value}"), "review_at": later("it is looked at again {value}"), "revalidate_on": later("when this happens: {value}"),
}  # fmt: skip
_ASKS = {"scope": later("a narrower scope, for it would hold in all of {scope}"), "expiry": later("an end, for it has none")}


def why_words(view: CandidateView, suggestion: Suggestion) -> str:
    """Return the reason of a suggestion as a sentence; nothing of what is veiled stands in it."""
    line = view.line
    who = shorten(str(line.get("subject", "")).removeprefix("person:"), 60)
    named: dict[str, Any] = {"who": who, "type": line.get("claim_type"), "sensitivity": line.get("sensitivity"), "by": line.get("confirmed_by"), "kinds": ""}
    if view.flags:
        kinds = [flag.kind for flag in view.flags]
        named["kinds"] = say_kinds([kind for kind in kinds if kind != "contact"] or kinds)
    return say(_WHY[suggestion.why], **named)


def route_words(route: str) -> str:
    """Return what a suggested route is called."""
    return say(_KEEP) if route == "durable" else say(ROUTE_WORDS[route][0])


def route_mark(route: str) -> Markup:
    """Return a suggested route as icon and word."""
    return tag("span", icon(_SYMBOLS[route]), route_words(route), cls="cd-muted" if route == "durable" else "cg-off")


def _told(answer: QuestionAnswer, *, veiled: bool) -> Any:
    parts = []
    for field, value in answer.told:
        shown = exact_day(value) if field in ("expires_at", "valid_to", "review_at") else shorten(value, 120)
        parts.append(phrase(_FIELDS[field], value="▒▒▒▒▒▒" if veiled and field == "conditions" else shown))
    return listed(parts) if parts else tag("span", icon("help"), say("nobody said"), cls="cd-muted")


def _asks(view: CandidateView, suggestion: Suggestion) -> Markup | None:
    """Return what keeping it should still be asked, and what the usual terms would set."""
    if not suggestion.asks:
        return None
    found: list[Any] = [say(_ASKS[one], scope=view.line["scope"]) for one in suggestion.asks]
    words = [phrase("Keeping it asks for {what}: set it under Terms.", what=listed(found))]
    if suggestion.days is not None and "expiry" in suggestion.asks:
        set_by = say_count("Here its type is kept for {n} day; D sets that.", "Here its type is kept for {n} days; D sets that.", suggestion.days)
        words.append(phrase("{set}", set=set_by))
    return tag("div", join(words, " "), cls="cd-muted cd-small")


def draw_route(view: CandidateView) -> Markup:
    """Return the section of a claim that waits: its route, who said it about whom, and the three questions."""
    suggestion = view.suggestion
    if suggestion is None:
        return Markup("")
    line = view.line
    words = phrase("Suggested: {route}. {why}", route=tag("b", route_words(suggestion.route)), why=why_words(view, suggestion))
    route = tag("div", icon(_SYMBOLS[suggestion.route]), tag("span", words), cls="ct-route" + ("" if suggestion.route == "durable" else " ct-off"))
    about = str(line.get("subject", ""))
    unsaid = tag("span", say("nobody said"), cls="cd-muted")
    by, concluded = line.get("speaker"), line.get("claim_type") == "inference" and bool(line.get("proposed_by"))
    said = (say("said by"), person_name(by) if by else unsaid) if by or not concluded else (say("concluded by"), person_name(line["proposed_by"]))
    rows: list[tuple[str, Any]] = [
        said, (say("about"), shorten(about, 80)), (say("in the task"), line.get("task") or unsaid),
        (say("confirmed"), say(_CONFIRMED[suggestion.confirmation], by=person_name(line.get("confirmed_by") or ""))),
    ]  # fmt: skip
    answers = [one for one in suggestion.answers if one.question != "about"]
    if suggestion.confirmation == "nobody" and not by:  # no person is meant, and who said it is in its passage: what is not said is no lack
        rows = [row for row in rows[1:3] if row[1] is not unsaid]
        answers = [one for one in answers if one.told]
    rows += [(say(_QUESTIONS[one.question]), _told(one, veiled=view.veiled)) for one in answers]
    facts = tag("dl", *(join((tag("dt", name), tag("dd", value))) for name, value in rows), cls="cd-facts ct-facts")
    return tag("section", tag("h2", say("Should it be remembered?"), cls="cc-head"), route, _asks(view, suggestion), facts, cls="ct-box")


def draw_veil_line(desk: Desk, view: CandidateView) -> None:
    """Draw why the candidate is veiled with the button that lifts the veil, or that it was lifted."""
    why = (list(dict.fromkeys(flag.kind for flag in view.flags)) or ["marked"]) if view.veiled else []
    draw_veil_band(desk, view.tenant, view.id, view.version, why, view.line.get("sensitivity"))


def draw_suggested(desk: Desk, place: Place, view: CandidateView, seen: Seen) -> None:
    """Draw the button of the suggestion: where it is a rejection it sends the candidate along it by one key, else it says how to keep it."""
    suggestion = view.suggestion
    if suggestion is None:
        return
    if suggestion.route == "durable":
        st.button(say("Suggested: keep it"), shortcut="W", key=f"decision.keep.{seen.mark}", type="tertiary", on_click=_say_keep, args=(view,))
        return
    reason = why_words(view, suggestion)
    st.button(
        say("As suggested: {route}", route=route_words(suggestion.route).lower()), shortcut="W", key=f"decision.suggested.{suggestion.route}.{seen.mark}",
        on_click=_send, args=(desk, place, seen, suggestion.route, reason), help=reason,
    )  # fmt: skip


@uninterrupted
def _say_keep(view: CandidateView) -> None:
    """Say how it is kept: what the key of the suggestion never does by itself."""
    if not counts():
        return
    if view.veiled:
        keep_said(say("Suggested: keep it. Show it first (V)."))
    elif view.can_approve:
        keep_said(say("Suggested: keep it. A keeps it."))
    elif view.usual_sets and not view.usual_failed:
        keep_said(say("Suggested: keep it. D keeps it, on the usual terms."))
    else:
        keep_said(say("Suggested: keep it, once its checks pass. Each one that fails says how to mend it."))


@uninterrupted
def _send(desk: Desk, place: Place, seen: Seen, route: str, reason: str) -> None:
    st.session_state.pop(reason_key(seen, route), None)
    decide_reject(desk, place, seen, route, reason)


def suggested_line(view: CandidateView) -> Markup:
    """Return the first line of the routes of a rejection: which is suggested, and why."""
    suggestion = view.suggestion
    if suggestion is None:
        return Markup("")
    words = phrase("Suggested is {route}: {why}", route=tag("b", route_words(suggestion.route)), why=why_words(view, suggestion))
    return tag("div", icon("signpost"), tag("span", words), cls="cc-blocked cd-muted")
