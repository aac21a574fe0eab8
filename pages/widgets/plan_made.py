"""Choosing by what made them: words that narrow each other, and how many records they pick, before anything is picked."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from pages.widgets.callbacks import uninterrupted
from pages.widgets.desk import Desk, attempt, take_refusal
from pages.widgets.language import later, listed, number, phrase, phrase_count, quote_store, say
from pages.widgets.markup import Markup, draw, tag
from pages.widgets.plan_state import Place, read_place
from pages.widgets.status import badge, icon
from store import MADE_BY, MadeCount, count_made

#: word -> (label, placeholder)
_FIELDS = {
    "extractor": (later("Extractor"), later("its method, such as table-reader")), "version": (later("Version of the extractor"), later("such as 2.1")),
    "import": (later("Import"), later("the number of its event")), "task": (later("Task"), later("as the proposals name it")),
    "proposer": (later("Proposed by"), later("id of a person or an agent")), "predicate": (later("Predicate"), later("such as nav")),
    "since": (later("Recorded since"), later("2026-06-30")), "until": (later("Recorded before"), later("2026-07-31")),
    "source": (later("Bound to source"), later("id of a source or a version")), "scope": (later("Within scope"), later("such as acme/support")),
}  # fmt: skip


@uninterrupted
def _typed(desk: Desk) -> None:
    found = {name: str(st.session_state.get(_key(name)) or "").strip()[:400] for name in MADE_BY}
    replace(read_place(desk), made=tuple(sorted((name, text) for name, text in found.items() if text)), by=True, page=1, groups=(), why=None).go()


def _key(name: str) -> str:
    return f"revoke.made.{name}"


def draw_made(desk: Desk, tenant: str, place: Place) -> None:
    """Draw the fields, and how many records they pick."""
    draw(
        tag("h2", say("Pick by what made them"), cls="cd-heading"),
        tag("p", say("Every word narrows what is picked. Only what can take the step is taken; you see all of it before anything changes."), cls="cd-muted cd-small"),
    )
    known = dict(place.made)
    columns = st.columns(2, gap="medium")
    for n, name in enumerate(_FIELDS):
        if st.session_state.get(_key(name), "") != known.get(name, ""):
            st.session_state[_key(name)] = known.get(name, "")
        label, hint = _FIELDS[name]
        columns[n % 2].text_input(say(label), key=_key(name), placeholder=say(hint), max_chars=400, on_change=_typed, args=(desk,))
    back = tag("a", say("Search by name instead"), cls="cd-link", href=place.link(by=False, made=() if not place.adding else place.made))
    if not place.made:
        draw(tag("div", back, cls="cd-small"))
        return
    found = attempt(lambda: count_made(desk.store, desk.person, tenant, known))
    if found is None:
        refusal = take_refusal()
        draw(tag("div", quote_store(refusal["message"] if refusal else ""), cls="cd-band cd-warnband"), tag("div", back, cls="cd-small"))
        return
    link = tag("a", say("See what this plan would reach"), cls="cd-link cd-button cd-primary", href=place.link(by=False, adding=False)) if found.total else None
    draw(tag("div", icon("filter_alt"), _counted(found), cls="cd-band"), tag("div", link, back, cls="cd-actions"))


def _counted(found: MadeCount) -> Markup:
    if not found.total:
        return phrase("Nothing you may see was made so.")
    parts = [tag("span", number(n), " ", badge(status, "claim")) for status, n in sorted(found.statuses.items(), key=lambda one: -one[1])]
    return phrase_count("{n} record was made so: {parts}.", "{n} records were made so: {parts}.", found.total, n=tag("b", number(found.total)), parts=listed(parts))
