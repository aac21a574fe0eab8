"""The places a request has to reach, as a checklist: what became of each, by whom and when; those that need a person are settled here."""

from __future__ import annotations

from datetime import UTC, datetime, time
from typing import Any

import streamlit as st

from pages.widgets.callbacks import uninterrupted
from pages.widgets.candidate_place import mark_of
from pages.widgets.desk import Desk, address, attempt, person_name
from pages.widgets.forgetting_outside import copy_row, destroyed_words, format_words
from pages.widgets.forgetting_state import operation, press, typed
from pages.widgets.forgetting_words import DESK_ITSELF, FAILURE_WORDS, day, minute, rule_words, state_badge, surface_means, surface_name
from pages.widgets.labels import label_text
from pages.widgets.language import later, number, phrase, quote_store, say, say_count
from pages.widgets.markup import Markup, draw, join, tag
from pages.widgets.status import icon
from store import CopyRow, DeletionView, SurfaceRow, list_export_copies, record_copy_destroyed, settle_surface

#: What somebody may say of such a place.
_ANSWERS = {
    "done": later("It is erased there"), "unsupported": later("There is no such place"), "kept": later("It is kept there until a day"), "failed": later("It could not be erased there"),
}  # fmt: skip
_MOST = 500
#: Places that consist of copies others hold.
OUTSIDE = ("exports", "replicas", "logs", "backups")


def draw_surfaces(desk: Desk, view: DeletionView) -> None:
    """Draw every place with what became of it; what waits for a person is settled in place."""
    files = {}
    if view.row.may_run and any(surface.name == "exports" and surface.copies for surface in view.surfaces):
        found = attempt(lambda: list_export_copies(desk.store, desk.person, view.row.tenant, request=view.row.id, limit=_MOST))
        files = {} if found is None else {one.export: one for one in found.rows}
    draw(tag("h2", say("Every place it may stand"), cls="cd-heading"))
    for surface in _waiting_first(view):
        draw(_surface(surface, begun=view.row.begun_at is not None))
        if surface.name == "exports" and any(copy.state == "open" for copy in surface.copies):
            outbox = tag("a", say("Deliveries and notices"), cls="cd-link", href=address("deliveries", scope=desk.scope))
            draw(tag("div", icon("outgoing_mail"), phrase("A message to each holder is written and waits to be sent under {outbox}.", outbox=outbox), cls="cd-small fg-below"))
        for copy in surface.copies:
            file = files.get(copy.about) if copy.about is not None and surface.name == "exports" else None
            draw(tag("div", _copy(copy, file), cls="fg-copyrow fg-below fg-acted" if _may_settle(view, copy) else "fg-copyrow fg-below"))
            if _may_settle(view, copy):
                with st.container(key=f"fg_settle_{mark_of(surface.name, copy.n)}"):
                    _draw_acts(desk, view, copy, file)


def _waiting_first(view: DeletionView) -> list[SurfaceRow]:
    """Return the places, once erasing began those first that somebody has to see to: what is done needs nobody."""
    return sorted(view.surfaces, key=lambda surface: view.row.begun_at is not None and surface.state not in ("failed", "open", "working"))


def _may_settle(view: DeletionView, surface: SurfaceRow) -> bool:
    return view.row.may_run and view.row.state == "open" and surface.state in ("open", "failed")


def _who(surface: SurfaceRow) -> Markup | None:
    """Return who settled it and when, since when it is worked on, or who is to settle it."""
    if surface.state == "working":
        return phrase("since {day}", day=tag("span", minute(surface.at)))
    if surface.by is not None:
        name = say("the desk itself") if surface.by == DESK_ITSELF else person_name(surface.by)
        return phrase("by {who}, {day}", who=name, day=tag("span", minute(surface.at)))
    # What a worker clears waits for nobody: it is done when erasing goes on.
    if surface.owner is not None and surface.state in ("open", "failed") and surface.name in OUTSIDE:
        return phrase("waits for {who}", who=tag("b", person_name(surface.owner)))
    return None


def _until(surface: SurfaceRow) -> Markup | None:
    if surface.state != "kept":
        return None
    rule = rule_words(surface.rule)
    if rule:
        return phrase("until {day}, because {rule}", day=tag("b", day(surface.until), cls="fg-kept-until"), rule=rule)
    return phrase("until {day}", day=tag("b", day(surface.until), cls="fg-kept-until"))


def _facts(surface: SurfaceRow, *, begun: bool = True) -> list[Markup]:
    found = None
    if surface.found and surface.name in OUTSIDE:
        found = tag("span", say_count("{n} copy is known", "{n} copies are known", surface.found))
    elif surface.found:
        found = tag("span", say_count("{n} place found and cleared", "{n} places found and cleared", surface.found))
    elif surface.state == "done" and not surface.note:
        found = tag("span", say("nothing of it was there"))
    waits = tag("span", rule_words(surface.rule)) if surface.state == "open" and surface.rule else None
    return [one for one in (_until(surface), waits, found, _who(surface) if begun else None) if one is not None]


def _surface(surface: SurfaceRow, *, begun: bool) -> Markup:
    facts = _facts(surface, begun=begun)
    note = tag("div", icon("edit_note"), quote_store(surface.note), cls="cd-small") if surface.note else None
    means = tag("div", surface_means(surface.name), cls="fg-what")
    return tag(
        "section", tag("div", state_badge(surface.state)),
        tag("div", tag("h3", surface_name(surface.name)), means, _failure(surface), tag("div", join(facts, " · "), cls="fg-who") if facts else None, note), cls="fg-surface",
    )  # fmt: skip


def _failure(surface: SurfaceRow) -> Markup | None:
    """Return what was not done there, and what to do next."""
    if surface.failure is None:
        return None
    kind = tag("span", surface.failure_kind, cls="cd-muted") if surface.failure_kind else None
    return tag("div", say(FAILURE_WORDS[surface.failure]), " ", kind, cls="cd-small cd-red")


def _copy(copy: SurfaceRow, file: CopyRow | None) -> Markup:
    """Return a single copy below a place: what it is, and what became of it."""
    if file is not None:
        what = copy_row(file)
    elif copy.place:
        what = tag("b", copy.place)
    else:
        n = number(copy.about if copy.about is not None else copy.n)
        what = tag("b", say("Backup {n}", n=n) if copy.name == "backups" else say("Number {n} in the register", n=n))
    note = tag("div", icon("edit_note"), copy.note, cls="cd-small") if copy.note else None
    facts = _facts(copy)
    return join((tag("div", what, tag("div", join(facts, " · "), cls="cd-small") if facts else None, note), tag("div", state_badge(copy.state))))


# --- settling -------------------------------------------------------------------------------------------------------


def _draw_acts(desk: Desk, view: DeletionView, copy: SurfaceRow, file: CopyRow | None) -> None:
    """Draw what a person says of one copy: for a file that it is destroyed, by one press; anything else in a form."""
    key = f"forgetting.settle.{mark_of(view.row.tenant, view.row.id, copy.name, copy.n, copy.state)}"
    name = format_words(file.format) if file is not None else copy.place or surface_name(copy.name)
    holder = file.holder if file is not None else copy.owner or ""
    if file is not None:
        words = destroyed_words(desk, holder)
        st.button(words, key=f"{key}.gone", icon=":material/delete_forever:", on_click=_note_gone, args=(desk, view, file, key))
    with st.expander(say("Something else is so: {place}", place=label_text(name, 60)) if file is not None else say("Say what became of it: {place}", place=label_text(name, 60))):
        _draw_form(desk, view, copy, key)


@uninterrupted
def _note_gone(desk: Desk, view: DeletionView, file: CopyRow, key: str) -> None:
    row = view.row
    press(say("Noted as destroyed."), lambda: record_copy_destroyed(desk.store, desk.person, row.tenant, file.export, operation=operation("gone", key)))


def _draw_form(desk: Desk, view: DeletionView, surface: SurfaceRow, key: str) -> None:
    with st.form(key, border=False, enter_to_submit=False):
        st.radio(say("What is so there"), list(_ANSWERS), None, key=f"{key}.state", format_func=lambda one: say(_ANSWERS[one]))
        left, right = st.columns(2)
        with left:
            st.text_input(say("If it is kept: the rule"), key=f"{key}.rule", max_chars=200, placeholder=say("for example accounting records, 10 years"))
        with right:
            st.date_input(say("and until when"), None, key=f"{key}.until")
        st.text_input(say("A note, without anything of what is forgotten"), key=f"{key}.note", max_chars=1000)
        st.form_submit_button(say("Settle it"), key=f"{key}.go", on_click=_settle, args=(desk, view, surface, key))


def _end_of(picked: Any) -> int | None:
    return None if picked is None else int(datetime.combine(picked, time(0), UTC).timestamp()) * 1_000_000


@uninterrupted
def _settle(desk: Desk, view: DeletionView, surface: SurfaceRow, key: str) -> None:
    row, state = view.row, str(st.session_state.get(f"{key}.state") or "")
    rule, until, note = typed(f"{key}.rule"), _end_of(st.session_state.get(f"{key}.until")), typed(f"{key}.note")
    press(
        say("Noted."),
        lambda: settle_surface(
            desk.store, desk.person, row.tenant, row.id, surface.name, surface.n, state, rule=rule or None, until=until, note=note or None,
            operation=operation("settle", key, state, rule, until, note),
        ),
    )  # fmt: skip
