"""How a statement is meant that differs from an accepted one: a digit each, with what a read returns next beside it (R4, R12)."""

from __future__ import annotations

from datetime import date
from typing import Any

import streamlit as st

from pages.widgets.candidate_place import Place
from pages.widgets.candidate_words import moment, shorten, value_text
from pages.widgets.decision import APPROVE_REASON, ask_further, reason_key
from pages.widgets.decision_asks import draw_back, person_words
from pages.widgets.decision_guard import Seen
from pages.widgets.desk import Desk, address, attempt, record_link
from pages.widgets.language import later, listed, phrase, say, say_count
from pages.widgets.markup import Markup, draw, join, tag
from pages.widgets.meant_decide import REASON, decide_meant, fields_of
from pages.widgets.status import icon
from pages.widgets.veil import say_unseen
from store import VEIL, CandidateView, Meaning, Meant, MeantWay, OtherClaim, ReadNext, Terms, list_people_to_ask, view_meant

_WHY_NOT = {
    "checks": later("Its checks do not pass yet, so it cannot be approved."), "second": later("High impact: it takes a first approval before it can replace anything."),
    "several": later("It differs from more than one accepted claim. Settle those first, or ask."),
}  # fmt: skip
_RESULT = {"MISSING": ("do_not_disturb_on", later("nothing")), "CONFLICT": ("call_split", later("a conflict")), "OK": ("check", later("it"))}


def find_meant(desk: Desk, view: CandidateView, *, here: str | None = None, terms: Terms | None = None, ways: bool = True) -> Meant | None:
    """Return how a candidate may be meant, None where it differs from nothing or cannot be decided here."""
    if view.kind != "claim" or view.status != "CANDIDATE" or not view.may_decide:
        return None
    return attempt(lambda: view_meant(desk.store, desk.person, view.tenant, view.id, terms=terms, here=here, ways=ways))


def _others(meant: Meant) -> Markup:
    return listed([join((tag("b", shorten(value_text(one.value), 60)), " (", record_link(one.id, meant.tenant), ")")) for one in meant.others[:3]])


def draw_broader_band(desk: Desk, view: CandidateView) -> bool:
    """Draw that a candidate says otherwise than a rule of a broader scope; return whether it differs from anything accepted.

    What it contradicts in its own scope is told elsewhere.
    """
    if view.contradicts:
        return True
    meant = find_meant(desk, view, ways=False)
    if meant is None or meant.same_key:
        return meant is not None
    words = phrase("It differs from what holds for all of {scope}: {others}. Approving asks how it is meant.", scope=tag("b", meant.scope), others=_others(meant))
    draw(tag("div", icon("compare_arrows"), tag("span", words), cls="cd-band cc-violetband"))
    return True


def _suspended(meant: Meant) -> list[OtherClaim]:
    return [one for one in meant.others if one.status == "DISPUTED"]


def read_line(one: ReadNext) -> Markup:
    """Return what a read returns in one scope."""
    symbol, word = _RESULT[one.result]
    told = listed([tag("b", shorten(value_text(value), 48)) for value in one.values], most=3) if one.values else say(word)
    if one.result == "CONFLICT":
        told = phrase("a conflict of {values}", values=told) if one.values else say(word)
    tone = {"OK": "cd-teal", "MISSING": "cd-muted", "CONFLICT": "cd-violet"}[one.result]
    return tag("span", icon(symbol), tag("span", phrase("{scope}: {told}", scope=tag("code", one.scope), told=told)), cls=f"cm-read {tone}")


def _reads(way: MeantWay, now: tuple[ReadNext, ...]) -> Markup:
    """Return what is read next; scopes in which nothing changes say so."""
    if not way.next:
        return Markup("")
    same = {one.scope: one for one in now}
    head = say("Read next, as now:") if all(same.get(one.scope) == one for one in way.next) else say("Read next:")
    return tag("div", tag("span", head, cls="cd-muted"), *(read_line(one) for one in way.next), cls="cm-reads cd-small")


def _follows(way: MeantWay) -> str:
    if not way.fall:
        return say("Nothing accepted falls with it.")
    if not way.delivered:
        return say_count("{n} record needs re-validation.", "{n} records need re-validation.", way.fall)
    delivered = say_count("{n} delivered artifact", "{n} delivered artifacts", way.delivered)
    return say_count(
        "{n} record needs re-validation, {delivered} among what it reaches.", "{n} records need re-validation, {delivered} among what it reaches.",
        way.fall, delivered=delivered,
    )  # fmt: skip


def _question(view: CandidateView, meant: Meant) -> str:
    if VEIL in (meant.others[0].value, view.line["value"]):
        return say("Something newly said differs from what is accepted. Is that from now on, for one task only, or only somewhere?")
    old, mine = shorten(value_text(meant.others[0].value), 60), shorten(value_text(view.line["value"]), 60)
    return say("Accepted is “{old}”, newly said is “{mine}”. Is that from now on, for one task only, or only somewhere?", old=old, mine=mine)


def _meaning(way: MeantWay, meant: Meant) -> str:
    """Return what a way means, before it is pressed."""
    if way.why_not == "other_scope":
        return say(
            "The accepted one holds for all of {scope}, this one for less, so it cannot replace it. If it is meant for all of it, amend its scope to {scope}; "
            "somebody else then approves it.", scope=meant.scope,
        )  # fmt: skip
    if way.why_not is not None:
        return say(_WHY_NOT[way.why_not])
    if way.way is Meaning.FROM_NOW_ON:
        return say("It replaces the accepted one, and each names the other. {follows}", follows=_follows(way))
    if way.way is Meaning.THIS_TASK:
        return say("It is kept out of what is remembered. Nothing accepted changes.")
    if way.way is Meaning.ONLY_HERE:
        return say("It stands beside the rule and answers in that scope.")
    if way.joins:
        return say("Both are out of use at once, in a conflict with the question, until somebody settles it. {follows}", follows=_follows(way))
    return say("The accepted one is out of use at once; this one goes on waiting with the question. {follows}", follows=_follows(way))


class _Rows:
    """The rows of ways, numbered as they are drawn."""

    def __init__(self, desk: Desk, place: Place, seen: Seen, meant: Meant, usual: Terms | None, *, veiled: bool) -> None:
        self.desk, self.place, self.seen, self.meant, self.usual, self.number, self.veiled = desk, place, seen, meant, usual, 0, veiled

    def add(self, words: str, way: str, *, disabled: bool = False, approves: bool = True) -> Any:
        """Draw a button with the next digit, and return the column beside it; what approves is off while what would be approved is veiled."""
        self.number += 1
        disabled = disabled or (approves and self.veiled)
        button, told = st.columns([2, 6], vertical_alignment="center", gap="small")
        button.button(
            words, shortcut=str(self.number), key=f"decision.way.{way}.{self.seen.mark}", on_click=decide_meant, disabled=disabled, width="stretch",
            args=(self.desk, self.place, self.seen, way, self.meant, self.usual),
        )  # fmt: skip
        return told


def draw_ways(desk: Desk, place: Place, view: CandidateView, seen: Seen, usual: Terms | None = None) -> bool:
    """Draw how it may be meant, with what follows of each; return whether there was anything to ask.

    Args:
        usual: the terms with the usual ones, where it is to be approved on them.
    """
    keys = fields_of(seen)
    here = str(st.session_state.get(keys.scope) or "").strip() or None
    meant = find_meant(desk, view, here=here, terms=usual)
    if meant is None:
        return False
    mine = tag("b", shorten(value_text(view.line["value"]), 60))
    draw(tag("div", tag("b", say("How is it meant?")), " ", phrase("It says {mine}; accepted is {others}.", mine=mine, others=_others(meant)), cls="cc-ask"))
    _draw_suspended(meant)
    if view.veiled:
        draw(say_unseen())
    with st.container(key="meant_ways"):
        _draw_rows(_Rows(desk, place, seen, meant, usual, veiled=view.veiled), desk, view, seen, meant)
    st.text_input(say("Reason"), value=say(APPROVE_REASON), key=reason_key(seen, REASON), label_visibility="collapsed", max_chars=2000)
    with st.container(horizontal=True):
        st.button(say("Reject instead …"), shortcut="X", key=f"decision.instead.{seen.mark}", on_click=ask_further, args=("reject", seen))
        draw_back(seen)
    return True


def _draw_suspended(meant: Meant) -> None:
    out = _suspended(meant)
    if not out:
        return
    names = listed([record_link(one.id, meant.tenant) for one in out[:3]])
    back = tag("a", say("take it back into use"), cls="cd-link", href=address("revoke", pick=out[0].id, do="reinstate"))
    words = phrase("{names} is out of use already. Unless it is replaced here, {back} once it is clear.", names=names, back=back)
    draw(tag("div", icon("pause_circle"), tag("span", words), cls="cd-band cd-warnband"))


def _draw_rows(rows: _Rows, desk: Desk, view: CandidateView, seen: Seen, meant: Meant) -> None:
    ways = {one.way: one for one in meant.ways}
    keys = fields_of(seen)
    for way, words, short in (
        (Meaning.FROM_NOW_ON, say("From now on"), "now_on"), (Meaning.THIS_TASK, say("Only for this task"), "task"),
    ):  # fmt: skip
        worked = ways[way]
        with rows.add(words, short, disabled=worked.why_not is not None, approves=way is not Meaning.THIS_TASK):
            draw(tag("div", tag("div", _meaning(worked, meant), cls="cd-small"), _reads(worked, meant.now) if worked.why_not is None else ""))
    _draw_here(rows, view, ways[Meaning.ONLY_HERE], meant, keys.scope)
    _draw_ask(rows, desk, view, ways[Meaning.ASK], meant, seen)
    if not meant.same_key:
        return
    blocked = ways[Meaning.ONLY_HERE].why_not is not None
    if len(meant.others) == 1:
        with rows.add(say("From a day on"), "from", disabled=blocked):
            one, two = st.columns([2, 4], vertical_alignment="center")
            start = view.line["valid_from"]
            first = moment(start).date() if start else date.today()  # noqa: DTZ011 - the reader's own calendar
            one.date_input(say("From"), value=first, key=keys.day, format="YYYY-MM-DD", label_visibility="collapsed")
            with two:
                draw(tag("div", say("The accepted one holds until then; it and what rests on it stay."), cls="cd-small"))
    with rows.add(say("Open a conflict"), "conflict", disabled=blocked):
        draw(tag("div", say("Both stay accepted, and agents that ask are told of a conflict until somebody settles it. Nobody is asked."), cls="cd-small"))


def _draw_here(rows: _Rows, view: CandidateView, way: MeantWay, meant: Meant, key: str) -> None:
    with rows.add(say("Only here"), "here", disabled=way.why_not is not None):
        one, two = st.columns([2, 4], vertical_alignment="center")
        own = str(view.line["scope"])
        shown = say("{scope}/…", scope=own) if meant.same_key else say("{scope}, or below it", scope=own)
        one.text_input(say("Scope it holds in"), value="", placeholder=shown, key=key, label_visibility="collapsed", max_chars=500)
        with two:
            draw(tag("div", tag("div", _meaning(way, meant), cls="cd-small"), _reads(way, meant.now)))


def _draw_ask(rows: _Rows, desk: Desk, view: CandidateView, way: MeantWay, meant: Meant, seen: Seen) -> None:
    keys = fields_of(seen)
    people = attempt(lambda: list_people_to_ask(desk.store, desk.person, view.tenant, "record", view.id)) or ()
    by_id = {one.id: one for one in people}
    owner = next((one.owner for one in meant.others if one.owner in by_id), None)
    with rows.add(say("Ask"), "ask", disabled=not people, approves=way.joins):
        draw(tag("div", tag("div", _meaning(way, meant), cls="cd-small"), _reads(way, meant.now)))
        if not people:
            draw(tag("div", say("Nobody else may see this candidate, so nobody can be asked."), cls="cd-muted cd-small"))
            return
        one, two = st.columns([3, 4], vertical_alignment="center")
        first = list(by_id).index(owner) if owner is not None else 0
        one.selectbox(
            say("Whom to ask"), list(by_id), index=first, key=keys.of, format_func=lambda one: person_words(by_id[one]) if one in by_id else str(one),
            label_visibility="collapsed",
        )  # fmt: skip
        two.text_input(say("Question"), value=_question(view, meant), key=keys.text, label_visibility="collapsed", max_chars=2000)
