"""Where the page on people and policy stands, all of it in the address; and the pieces its forms share."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar
from urllib.parse import quote

import streamlit as st

from pages.widgets import told
from pages.widgets.callbacks import uninterrupted
from pages.widgets.decision_guard import counts, take_ignored
from pages.widgets.desk import SCOPE_PARAMETER, Desk, attempt, note_done, take_refusal
from pages.widgets.language import phrase, say, say_count
from pages.widgets.markup import Markup, draw, join, tag

T = TypeVar("T")
PAGE = "people"
TABS = ("people", "predicates", "policy", "history")
_OPERATION = "people.operation"
_PROBLEMS = "people.problems"
LONGEST_REASON = 4_000


@dataclass(frozen=True, slots=True)
class Place:
    """What the address says.

    Attributes:
        who: the id of the person chosen; `adding`: whether somebody is being added.
        where: the scope whose policy is shown; `edit`: the setting being changed; `item`: the entry of it.
        predicate: the predicate chosen, declared in `where`.
        find: words the lists are sifted by; `before`: the event before which the history is shown.
    """

    tenant: str | None = None
    tab: str = TABS[0]
    who: str = ""
    adding: bool = False
    where: str = ""
    edit: str = ""
    item: str = ""
    predicate: str = ""
    find: str = ""
    before: int | None = None
    scope: str | None = None

    def pairs(self) -> list[tuple[str, str]]:
        """Return the parameters that differ from what they are by default."""
        found = [
            ("tenant", self.tenant or ""), ("tab", self.tab if self.tab != TABS[0] else ""), ("who", self.who), ("add", "1" if self.adding else ""),
            ("where", self.where), ("edit", self.edit), ("item", self.item), ("predicate", self.predicate), ("find", self.find),
            ("before", str(self.before) if self.before else ""), (SCOPE_PARAMETER, self.scope or ""),
        ]  # fmt: skip
        return [(name, value) for name, value in found if value]

    def link(self, **changes: Any) -> str:
        """Return the address of this place with some things changed; another tab starts afresh."""
        if "tab" in changes:
            changes = {"who": "", "adding": False, "edit": "", "item": "", "predicate": "", "find": "", "before": None, "where": "", **changes}
        pairs = replace(self, **changes).pairs()
        return f"/{PAGE}" + ("?" + "&".join(f"{name}={quote(value, safe='')}" for name, value in pairs) if pairs else "")

    @uninterrupted
    def go(self, **changes: Any) -> None:
        """Make this place, with some things changed, the address; from callbacks, before the page runs again."""
        st.query_params.from_dict(dict(replace(self, **changes).pairs()))


def read_place(desk: Desk) -> Place:
    """Return what the address says; what it says wrongly counts as not said."""
    asked = st.query_params

    def text(name: str) -> str:
        return asked.get(name, "").strip()[:500]

    tab, before = text("tab"), text("before")
    return Place(
        text("tenant") or None, tab if tab in TABS else TABS[0], text("who"), asked.get("add") == "1", text("where"), text("edit"), text("item"),
        text("predicate"), text("find"), int(before) if before.isdecimal() and len(before) < 16 else None, desk.scope,
    )  # fmt: skip


def tenant_of_place(desk: Desk, place: Place) -> str | None:
    """Return the tenant meant: the one named, the one of the scope, or the only one."""
    if place.tenant in desk.tenants:
        return place.tenant
    if desk.scope:
        return desk.scope.split("/", 1)[0]
    return desk.tenants[0] if len(desk.tenants) == 1 else None


# --- what every form of the page does --------------------------------------------------------------------------------


def operation_id() -> str:
    """Return the operation id of the next change: the same until one was made, so that a press repeated is done once."""
    return str(st.session_state.setdefault(_OPERATION, f"desk-{secrets.token_hex(8)}"))


@uninterrupted
def carry_out(doing: Callable[[str], T], problems: list[str]) -> T | None:
    """Make a change unless something is missing or the press came too soon; the fields stay where it was refused."""
    if not counts():
        return None
    told.keep(_PROBLEMS, problems)
    if problems:
        return None
    done = attempt(lambda: doing(operation_id()))
    if done is not None:
        st.session_state.pop(_OPERATION, None)
    return done


def say_done(message: str, link: tuple[str, str] | None = None) -> None:
    """Keep what a change did for the next drawing, with (words, address) of where more of it stands."""
    note_done(message, link)


def draw_outcome() -> None:
    """Draw why the last press changed nothing, if it did not."""
    ignored = take_ignored()
    parts: list[Markup] = []
    if ignored:
        words = say_count(
            "{n} more press came too soon after the last and was ignored.", "{n} more presses came too soon after the last and were ignored.", ignored
        )
        parts.append(tag("div", words, cls="cd-band"))
    problems = told.take(_PROBLEMS)
    if problems:
        nothing = phrase("{nothing} What you typed is still there.", nothing=tag("b", say("Nothing was changed.")))
        parts.append(tag("div", nothing, tag("ul", *(tag("li", one) for one in problems), cls="cd-problems"), cls="cd-band cd-badband"))
    refusal = take_refusal()
    if refusal is not None:
        st.session_state.pop(_OPERATION, None)
        parts.append(tag("div", refusal["message"], cls="cd-band cd-badband"))
    if parts:
        draw(join(parts))


def ask_reason(key: str, placeholder: str, label: str | None = None) -> str:
    """Draw the field for the reason and return what is in it."""
    found = st.text_area(label or say("Reason, kept with the event"), key=key, height=80, placeholder=placeholder, max_chars=LONGEST_REASON)
    return str(found or "").strip()


def before_after(before: Any, after: Any) -> Markup:
    """Return what a change does: before, arrow, after."""
    return tag("div", tag("div", before, cls="pp-before"), tag("span", "→", cls="cd-arrow"), tag("div", after, cls="pp-after"), cls="pp-change")
