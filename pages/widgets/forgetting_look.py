"""Texts in which a single word of what was forgotten stands, by chance or not: where to look, and blotting out what is not there by chance."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.widgets.callbacks import uninterrupted
from pages.widgets.candidate_place import mark_of
from pages.widgets.candidate_words import exact_day
from pages.widgets.desk import Desk, address
from pages.widgets.forgetting_state import press, typed
from pages.widgets.language import later, listed, number, phrase, phrase_count, say, say_count
from pages.widgets.markup import Markup, draw, join, tag
from pages.widgets.status import icon
from store import DeletionView, Refusal, Verb, list_events, look_through

#: table -> which texts these are, and the page on which they stand; None where they stand on none.
_TEXTS = {
    "event_note": (later("Reasons of actions"), None), "operation": (later("Results of actions"), None), "decision": (later("Reasons and terms of decisions"), "sheet"),
    "conflict": (later("Reasons and questions of conflicts"), "conflicts"), "question": (later("Questions and answers"), "today"),
    "fired_trigger": (later("Why something was asked to be looked at again"), "revalidate"), "remedy": (later("How delivered reports were put right"), "deliveries"),
    "notice": (later("Who is told of changes"), "deliveries"), "delivery": (later("Whom reports were delivered to"), "deliveries"), "message": (later("Messages"), "deliveries"),
    "correction": (later("Correction cases"), "corrections"), "correction_waiver": (later("What was waived in correction cases"), "corrections"),
    "rehearsal": (later("Saved rehearsals"), "rehearsals"), "plan_file": (later("Names of files kept for a plan"), None), "read_log": (later("Questions and tasks of agents"), None),
    "refusal": (later("Names given by who was refused"), None), "source": (later("Names of sources"), "sources"), "policy": (later("The policy of the tenant"), "people"),
    "export_copy": (later("Who holds exported files, and what they are called"), "forgetting"), "backup_copy": (later("What backups are called"), "forgetting"),
    "deletion_surface": (later("Notes on requests to forget"), "forgetting"),
}  # fmt: skip
_MOST = 6
#: Actions that are plans, whose result has a page; and those that stand on the sheet of decisions.
_PLANS = frozenset(verb.value for verb in Verb)
_ON_SHEET = frozenset(("approve", "first", "reject", "reopen", "amend", "renew", "ask", "answer"))


def draw_look(desk: Desk, view: DeletionView, found: dict[str, Any]) -> None:
    """Draw the texts to look at, and for who may run the request a form that blots words out of them."""
    look: dict[str, dict[str, Any]] = found.get("look") or {}
    if found.get("looked") is not None and not look:
        words = say_count("Somebody looked through the texts that held single words of it, and blotted out {n} place.", "Somebody looked through the texts that held single words of it, and blotted out {n} places.", int(found["looked"]))
        draw(tag("p", icon("check"), words, cls="cd-muted cd-small"))
    if not look:
        return
    about = say("A single word of it stands in these texts. It may stand there by chance, or because somebody wrote about it: look, and blot it out where it belongs to what was forgotten.")
    draw(tag("h3", say("What somebody should look at")), tag("p", about, cls="cd-small"), tag("ul", *_rows(desk, view, look), cls="cd-list"))
    if found.get("look_left_out"):
        cut = say_count("It has {n} more word, which was not looked for: there are too many.", "It has {n} more words, which were not looked for: there are too many.", int(found["look_left_out"]))
        draw(tag("p", cut, cls="cd-muted cd-small"))
    if not view.row.may_run:
        return
    key = f"forgetting.look.{mark_of(view.row.tenant, view.row.id)}"
    with st.form(key, border=False, enter_to_submit=False):
        st.text_area(say("Words to blot out of all these texts, one a line; none if all of it is chance"), key=f"{key}.words", height=88, max_chars=2000)
        st.form_submit_button(say("I looked at all of them"), key=f"{key}.go", on_click=_looked, args=(desk, view, f"{key}.words"))


def _rows(desk: Desk, view: DeletionView, look: dict[str, dict[str, Any]]) -> list[Markup]:
    tables: dict[str, tuple[int, list[int]]] = {}
    for place, one in look.items():
        table = place.partition(".")[0]
        count, numbers = tables.get(table, (0, []))
        tables[table] = count + int(one["n"]), [*numbers, *(int(row[0]) for row in one["rows"] if row)]
    return [tag("li", _row(desk, view, table, count, numbers)) for table, (count, numbers) in sorted(tables.items())]


def _row(desk: Desk, view: DeletionView, table: str, count: int, numbers: list[int]) -> Markup:
    what, page = _TEXTS.get(table, (None, None))
    name = tag("b", say(what) if what else table)
    events = None
    if table in ("event_note", "operation"):
        some = list(dict.fromkeys(numbers))
        which = listed([_event(desk, view.row.tenant, one) for one in some[:_MOST]], total=len(some))
        events = tag("span", phrase_count("(event {which})", "(events {which})", len(some), which=which), cls="cd-muted")
    link = tag("a", say("Look"), cls="cd-link", href=address(page, scope=desk.scope, tenant=view.row.tenant)) if page else None
    return join([one for one in (name, tag("span", say_count("{n} text", "{n} texts", count), cls="cd-muted"), events, link) if one is not None], " ")


def _event(desk: Desk, tenant: str, event: int) -> Markup:
    """Return the number of an event as a way to where its words stand: what its plan did, or the decisions of its day."""
    try:
        found = list_events(desk.store, desk.person, tenant=tenant, after=event - 1, limit=1)["items"]
    except Refusal:
        found = []
    if not found or found[0]["seq"] != event:
        return tag("span", number(event))
    one = found[0]
    day = str(one["at"])[:10]
    told = phrase("{n} of {day}", n=number(event), day=exact_day(day))
    if one["action"] in _PLANS:
        return tag("a", told, cls="cd-link", href=address("revoke", scope=desk.scope, tenant=tenant, done=str(event)))
    if one["action"] in _ON_SHEET:
        return tag("a", told, cls="cd-link", href=address("sheet", scope=desk.scope, day=day))
    return tag("span", told)


@uninterrupted
def _looked(desk: Desk, view: DeletionView, key: str) -> None:
    words = [line.strip() for line in typed(key).splitlines() if line.strip()]
    if press(say("Noted that you looked; what you typed is blotted out and kept nowhere."), lambda: look_through(desk.store, desk.person, view.row.tenant, view.row.id, words)):
        st.session_state[key] = ""
