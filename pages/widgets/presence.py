"""Who else is reading the same thing now: kept in the server's memory only, for a minute after the last sign of life.

It stops nobody: whoever decides second is told by the store. It only saves two people the same reading.
"""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass, field
from threading import Lock

import streamlit as st

from pages.widgets.desk import Desk
from pages.widgets.language import listed, phrase
from pages.widgets.markup import Markup, draw, tag
from pages.widgets.status import icon

#: Seconds after which somebody who gave no sign reads no more.
STAYS = 60.0
#: How often a page that shows something gives a sign.
_EVERY = "10s"
_SESSION = "presence.session"
_NAMED = 3

#: store, tenant, kind of thing and its id.
_Thing = tuple[str, str, str, str]


@dataclass(slots=True)
class _Readers:
    """Which session reads what; one thing of each kind at a time."""

    lock: Lock = field(default_factory=Lock)
    #: session and kind -> the thing, person and name, when the last sign came.
    signs: dict[tuple[str, str], tuple[_Thing, str, str, float]] = field(default_factory=dict)

    def note(self, session: str, thing: _Thing, person: str, name: str, now: float) -> None:
        with self.lock:
            self.signs[session, thing[2]] = (thing, person, name, now)
            for key in [key for key, sign in self.signs.items() if now - sign[3] > STAYS]:
                del self.signs[key]

    def of(self, thing: _Thing, but: str, now: float) -> list[str]:
        with self.lock:
            found = {person: name for seen, person, name, at in self.signs.values() if seen == thing and person != but and now - at <= STAYS}
        return sorted(found.values())


@st.cache_resource(show_spinner=False)
def _readers() -> _Readers:
    return _Readers()


def note_reading(desk: Desk, kind: str, tenant: str, about: str) -> None:
    """Note that the person at this desk reads something now, and nothing else of that kind."""
    session = st.session_state.setdefault(_SESSION, secrets.token_hex(8))
    _readers().note(session, (desk.store.url, tenant, kind, about), desk.person, desk.actor.name, time.monotonic())


def others_reading(desk: Desk, kind: str, tenant: str, about: str) -> list[str]:
    """Return the names of the other people who read it now."""
    return _readers().of((desk.store.url, tenant, kind, about), desk.person, time.monotonic())


def reading_words(names: list[str]) -> Markup:
    """Return who else reads it, as a sentence."""
    who = listed([tag("b", name[:60]) for name in names], most=_NAMED if len(names) > _NAMED + 1 else None)
    if len(names) == 1:
        return phrase("{who} is reading this too.", who=who)
    return phrase("{who} are reading this too.", who=who)


@st.fragment(run_every=_EVERY)
def draw_readers(desk: Desk, kind: str, tenant: str, about: str) -> None:
    """Note that this person reads it, and draw who else does; looks again every ten seconds."""
    note_reading(desk, kind, tenant, about)
    names = others_reading(desk, kind, tenant, about)
    if names:
        draw(tag("div", icon("group"), reading_words(names), cls="cd-readers"))
