"""Who is this? The one place that answers.

Local mode: whoever sits at this machine chooses one of the store's people; nobody is preselected, and the choice
survives a reload in a cookie of this browser. It proves nothing, and the desk says so. Sign-in takes this module's place.
"""

from __future__ import annotations

import re
import secrets
from typing import Any
from urllib.parse import unquote

import streamlit as st

from pages.widgets.browser import tell_browser
from pages.widgets.callbacks import uninterrupted
from pages.widgets.language import later, say
from pages.widgets.markup import draw, tag
from store import ClaimStore, list_people, show_invisible

COOKIE = "claimdesk_person"
_CHOSEN = "identity.person"
_FORGET = "identity.forget"
_MARK = "identity.mark"
_LIST = "identity.list"
_LONGEST_NAME = 120

_CSS = """
:host { display: block; }
input { width: 100%; box-sizing: border-box; font: inherit; color: inherit; background: var(--st-background-color); border: 1px solid var(--st-border-color);
  border-radius: 6px; padding: .5rem .7rem; margin-bottom: .6rem; }
ul { list-style: none; margin: 0; padding: 0; border-top: 1px solid var(--st-border-color); }
li { border-bottom: 1px solid var(--st-border-color); }
button { all: unset; box-sizing: border-box; display: flex; gap: 1rem; justify-content: space-between; align-items: baseline; width: 100%; cursor: pointer;
  padding: .5rem .5rem; line-height: 1.35; }
button b { font-weight: 600; overflow-wrap: anywhere; } button span { font-size: .87em; opacity: .66; text-align: right; overflow-wrap: anywhere; }
button:hover { background: color-mix(in srgb, var(--st-primary-color) 7%, transparent); }
button:focus-visible, input:focus-visible, summary:focus-visible { outline: 2px solid var(--st-primary-color); outline-offset: -2px; }
details { margin-top: 1.1rem; } summary { cursor: pointer; font-size: .9em; opacity: .75; padding: .3rem .1rem; }
p { opacity: .7; font-size: .92em; margin: .6rem 0; }
@media (max-width: 520px) { button { flex-direction: column; gap: .05rem; } button span { text-align: left; } }
"""
_JS = """
function row(person, pick) {
  const item = document.createElement("li");
  const button = document.createElement("button");
  const name = document.createElement("b");
  const roles = document.createElement("span");
  button.type = "button";
  name.textContent = person.name;
  roles.textContent = person.roles;
  button.append(name, roles);
  button.addEventListener("click", () => pick("pick", person.place));
  item.append(button);
  return item;
}

function listOf(people, pick) {
  const list = document.createElement("ul");
  list.append(...people.map((person) => row(person, pick)));
  return list;
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".people");
  if (root.dataset.shown === data.shown) return;
  root.dataset.shown = data.shown;
  const draw = (words) => {
    const wanted = words.trim().toLowerCase();
    const matching = data.people.filter((person) => !wanted || (person.name + " " + person.roles).toLowerCase().includes(wanted));
    const people = matching.filter((person) => !person.agent);
    const agents = matching.filter((person) => person.agent);
    const parts = [listOf(people.slice(0, data.most), setTriggerValue)];
    if (people.length > data.most) {
      const more = document.createElement("p");
      more.textContent = data.words.more.replace("{n}", people.length - data.most);
      parts.push(more);
    }
    if (!people.length) {
      const none = document.createElement("p");
      none.textContent = wanted ? data.words.nobody : data.words.nopeople;
      parts.splice(0, 1, none);
    }
    if (agents.length) {
      const fold = document.createElement("details");
      const title = document.createElement("summary");
      title.textContent = data.words.agents.replace("{n}", agents.length);
      fold.open = Boolean(wanted) && !people.length;
      fold.append(title, listOf(agents.slice(0, data.most), setTriggerValue));
      parts.push(fold);
    }
    shown.replaceChildren(...parts);
  };
  const shown = document.createElement("div");
  root.replaceChildren();
  if (data.people.length > data.few) {
    const search = document.createElement("input");
    search.type = "search";
    search.placeholder = data.words.find;
    search.setAttribute("aria-label", search.placeholder);
    search.addEventListener("input", () => draw(search.value));
    root.append(search);
  }
  root.append(shown);
  draw("");
}
"""
_people_list = st.components.v2.component("claimdesk_people", html="<div class='people'></div>", css=_CSS, js=_JS)


def _from_cookie() -> str | None:
    found = st.context.cookies.get(COOKIE)
    return unquote(found) if isinstance(found, str) and re.fullmatch(r"[^\s;]{1,2000}", found) else None


def who_is_this(store: ClaimStore) -> str | None:
    """Return the id of the person who acts, None until somebody was chosen."""
    state = st.session_state
    if state.get(_FORGET):
        return None
    chosen = state.get(_CHOSEN) or _from_cookie()
    if chosen is None or all(person["id"] != chosen for person in list_people(store)):
        return None
    state[_CHOSEN] = chosen
    return str(chosen)


def remember_person() -> None:
    """Keep the choice in this browser, or forget it; drawn at the end of every page."""
    state = st.session_state
    tell_browser(COOKIE, "" if state.get(_FORGET) else str(state.get(_CHOSEN, "")), state.get(_MARK, ""))


def choose(person: str) -> None:
    """Act as a person from now on; the browser remembers."""
    state = st.session_state
    state[_CHOSEN] = person
    state[_FORGET] = False
    state[_MARK] = secrets.token_hex(8)


@uninterrupted
def forget_person() -> None:
    """Let somebody else choose who they are."""
    state = st.session_state
    state[_FORGET] = True
    state.pop(_CHOSEN, None)
    state[_MARK] = secrets.token_hex(8)


_ROLES = {
    "reader": later("reader"), "contributor": later("contributor"), "reviewer": later("reviewer"), "auditor": later("auditor"), "admin": later("admin"),
}  # fmt: skip


def role_word(role: str) -> str:
    """Return the word for a role."""
    return say(_ROLES[role]) if role in _ROLES else role


def roles_in_words(roles: list[tuple[str, str]]) -> str:
    """Return (role, scope) pairs as words: what somebody is, and where; `everywhere` is what a list of people calls all scopes."""
    by_scope: dict[str, list[str]] = {}
    for role, scope in sorted(set(roles), key=lambda one: (one[1], one[0])):
        by_scope.setdefault(scope, []).append(role_word(role))
    parts = []
    for scope, held in by_scope.items():
        if scope in ("*", "everywhere"):
            parts.append(say("every role everywhere") if len(held) > 3 else say("{roles} everywhere", roles=say(", ").join(held)))
        else:
            parts.append(say("{roles} in {scope}", roles=say(", ").join(held), scope=scope))
    return say("; ").join(parts) or say("no role")


def _short(text: str) -> str:
    shown = show_invisible(text[:_LONGEST_NAME])
    return f"{shown} …" if len(text) > _LONGEST_NAME else shown


def _row(place: int, person: dict[str, Any]) -> dict[str, Any]:
    roles = [(one["role"], one["scope"]) for one in person["roles"]]
    return {
        "place": place,
        "name": _short(person["name"]),
        "roles": _short(roles_in_words(roles)),
        "agent": {role for role, _ in roles} == {"contributor"},
    }


def choose_person(store: ClaimStore) -> None:
    """Draw the choice of who one is."""
    st.title(say("Who are you?"), anchor=False)
    draw(
        tag("p", say("Choose yourself. What you decide is recorded under this name."), cls="cd-lead"),
        tag("p", say("Local mode: the desk runs on this machine only and asks for no password."), cls="cd-muted cd-small"),
    )
    people = list_people(store)
    if not people:
        draw(tag("div", say("The store has no people. Import a bundle with person lines first."), cls="cd-band cd-warnband"))
        return

    @uninterrupted
    def picked() -> None:
        place = (st.session_state.get(_LIST) or {}).get("pick")
        if isinstance(place, int) and 0 <= place < len(people):
            choose(people[place]["id"])

    rows = [_row(place, person) for place, person in enumerate(people)]
    words = {
        "find": say("Find by name, role or scope"), "nobody": say("Nobody here matches that."), "nopeople": say("No people but agents yet."),
        "more": say("{n} more; type a part of the name."), "agents": say("Agents ({n}): they propose and decide nothing"),
    }  # fmt: skip
    with st.container(key="identity.choice", width=640):
        _people_list(key=_LIST, data={"people": rows, "words": words, "few": 8, "most": 60, "shown": str(hash(str(rows)))}, on_pick_change=picked)
