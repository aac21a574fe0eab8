"""To which correction a plan belongs that is being committed: the one it joins by itself, another open one, or a new one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from pages.widgets.case_forms import in_a_week
from pages.widgets.desk import Desk, address
from pages.widgets.labels import option_text
from pages.widgets.language import listed, phrase, say
from pages.widgets.markup import draw, tag
from pages.widgets.status import icon
from store import NewCase, OpenCase, Plan, Verb, list_open_corrections

#: Verbs that begin a correction.
_BEGIN = (Verb.SUSPEND, Verb.REVOKE, Verb.RECAPTURE)
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class CaseChoice:
    """What may be chosen; `key` names the fields.

    Attributes:
        joined: the open cases the plan joins by itself; `others`: those it may be put into; `begins`: whether it may open one.
    """

    key: str
    joined: tuple[OpenCase, ...]
    others: tuple[OpenCase, ...]
    begins: bool


def draw_case_choice(desk: Desk, tenant: str, plan: Plan, key: str, given: str | None = None) -> CaseChoice:
    """Draw, inside the form that commits, which correction the plan belongs to; `given` is one the address names."""
    cases, sources = list_open_corrections(desk.store, desk.person, tenant, plan.roots)
    joined = tuple(case for case in cases if case.joined)
    choice = CaseChoice(key, joined, () if joined else tuple(cases), bool(sources) and not joined and plan.verb in _BEGIN)
    if joined:
        links = listed([tag("a", case.title, cls="cd-link", href=address("corrections", case=case.id, tenant=tenant)) for case in joined], 3)
        draw(tag("div", icon("healing"), phrase("Belongs to the correction {case}.", case=links), cls="cd-small"))
    if choice.others:
        ids = [None, *(case.id for case in choice.others)]
        names = {case.id: case.title for case in choice.others}
        st.selectbox(
            say("Correction it belongs to"), ids, ids.index(given) if given in ids else 0, key=f"{key}.case",
            format_func=lambda one: option_text(names[one], 80) if one else say("none"),
        )  # fmt: skip
    if choice.begins:
        st.toggle(say("Open a correction of it"), key=f"{key}.begin")
    return choice


def read_case_choice(desk: Desk, choice: CaseChoice, reason: str) -> tuple[str | None, NewCase | None]:
    """Return the id of the correction chosen, and the one to open, each None where there is none. A new one is called by the reason, and due in a week."""
    chosen = st.session_state.get(f"{choice.key}.case") if choice.others else None
    if chosen is None and choice.begins and st.session_state.get(f"{choice.key}.begin"):
        return None, NewCase(_title_of(reason.split("\n")), reason, None, in_a_week(desk.store.now()))
    return chosen, None


def _title_of(lines: Sequence[str]) -> str:
    first = " ".join(lines[0].split())
    return first if len(first) <= _LONGEST else first[: _LONGEST - 1] + "…"
