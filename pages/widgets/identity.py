"""Who is this? The one place that answers.

Local mode: whoever sits at this machine chooses one of the store's people; nobody is preselected, and the choice
survives a reload in a cookie of this browser. It proves nothing, and the desk says so. Sign-in takes this module's place.
"""

from __future__ import annotations

import re

import streamlit as st
from streamlit.runtime.state import SessionStateProxy

from pages.widgets.markup import draw, tag
from store import ClaimStore, list_people

COOKIE = "claimdesk_person"
_CHOSEN = "identity.person"
_FORGET = "identity.forget"

_REMEMBER_JS = """
export default function ({ data }) {
  // One cookie of this browser: which person was chosen. An empty one forgets.
  const value = encodeURIComponent(data.person || "");
  const age = data.person ? 60 * 60 * 24 * 30 : 0;
  document.cookie = `${data.name}=${value}; path=/; SameSite=Strict; max-age=${age}`;
}
"""
_remember = st.components.v2.component("claimdesk_remember_person", js=_REMEMBER_JS)


def _state() -> SessionStateProxy:
    return st.session_state


def _from_cookie() -> str | None:
    from urllib.parse import unquote  # noqa: PLC0415

    found = st.context.cookies.get(COOKIE)
    return unquote(found) if found and re.fullmatch(r"[^\s;]{1,2000}", found) else None


def who_is_this(store: ClaimStore) -> str | None:
    """Return the id of the person who acts, None until somebody was chosen."""
    state = _state()
    if state.get(_FORGET):
        return None
    chosen = state.get(_CHOSEN) or _from_cookie()
    if chosen is None or all(person["id"] != chosen for person in list_people(store)):
        return None
    state[_CHOSEN] = chosen
    return str(chosen)


def remember_person() -> None:
    """Keep the choice in this browser, or forget it; drawn at the end of every page."""
    state = _state()
    person = "" if state.get(_FORGET) else state.get(_CHOSEN, "")
    _remember(key="identity.cookie", data={"name": COOKIE, "person": person})


def _choose(person: str) -> None:
    state = _state()
    state[_CHOSEN] = person
    state[_FORGET] = False


def forget_person() -> None:
    """Let somebody else choose who they are."""
    state = _state()
    state[_FORGET] = True
    state.pop(_CHOSEN, None)


def _roles_in_words(person: dict[str, object]) -> str:
    roles = person["roles"]
    assert isinstance(roles, list)
    by_scope: dict[str, list[str]] = {}
    for role in roles:
        by_scope.setdefault(role["scope"], []).append(role["role"])
    parts = ["every role everywhere" if scope == "everywhere" and len(held) > 3 else f"{', '.join(held)} in {scope}" for scope, held in by_scope.items()]
    return "; ".join(parts)


def choose_person(store: ClaimStore) -> None:
    """Draw the choice of who one is."""
    st.title("Who are you?")
    draw(tag("p", "Claimdesk runs on this machine only and knows no passwords here: whoever you choose is who the record of decisions will name.", cls="cd-lead"))
    people = list_people(store)
    if not people:
        draw(tag("div", "The store has no people. Import a bundle with person lines first.", cls="cd-band cd-warnband"))
    for place, person in enumerate(people):
        left, right = st.columns([5, 2], vertical_alignment="center")
        with left:
            draw(tag("div", tag("b", person["name"]), tag("span", _roles_in_words(person), cls="cd-muted cd-small"), cls="cd-who"))
        right.button("That is me", key=f"identity.choose.{place}", on_click=_choose, args=(person["id"],), width="stretch", type="secondary")
