"""Where the page stands that asks as an agent would: the whole question is in the address."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

import streamlit as st

from pages.widgets.callbacks import uninterrupted
from pages.widgets.desk import SCOPE_PARAMETER, Desk
from store import AskedKey, parse_stated_time, write_qualifiers

PAGE = "search"
_LONGEST = 500


@dataclass(frozen=True, slots=True)
class Place:
    """What the address says.

    Attributes:
        who: the id of the person or agent that asks; `within`: the scope it asks in.
        which: qualifiers as typed, `name=value` each.
        at: a time as typed, empty for now.
        find: words to search for; `searching`: whether words are searched instead of a question asked.
        scope: the scope chosen in the frame.
    """

    who: str = ""
    within: str = ""
    subject: str = ""
    predicate: str = ""
    which: tuple[str, ...] = ()
    purpose: str = ""
    at: str = ""
    find: str = ""
    searching: bool = False
    scope: str | None = None

    def pairs(self) -> list[tuple[str, str]]:
        """Return the parameters that are set."""
        found = [
            ("as", self.who), ("in", self.within), ("subject", self.subject), ("predicate", self.predicate), *(("which", one) for one in self.which),
            ("purpose", self.purpose), ("at", self.at), ("find", self.find), ("by", "words" if self.searching else ""), (SCOPE_PARAMETER, self.scope or ""),
        ]  # fmt: skip
        return [(name, value) for name, value in found if value]

    def link(self, **changes: Any) -> str:
        """Return the address of this place with some things changed."""
        pairs = replace(self, **changes).pairs()
        return f"/{PAGE}" + ("?" + "&".join(f"{name}={quote(value, safe='')}" for name, value in pairs) if pairs else "")

    def link_to(self, key: AskedKey) -> str:
        """Return the address of the same asking with another question."""
        return self.link(
            subject=key.subject, predicate=key.predicate, which=write_qualifiers(key.qualifiers), within=self.within or key.scope, searching=False
        )

    @uninterrupted
    def go(self) -> None:
        """Make this place the address; from callbacks, before the page runs again."""
        pairs: dict[str, str | list[str]] = {name: value for name, value in self.pairs() if name != "which"}
        st.query_params.from_dict({**pairs, **({"which": list(self.which)} if self.which else {})})

    @property
    def complete(self) -> bool:
        """Return whether there is something to ask."""
        return bool(self.who and self.within and (self.find if self.searching else self.subject and self.predicate))


def read_place(desk: Desk) -> Place:
    """Return what the address says."""
    asked = st.query_params

    def text(name: str) -> str:
        return asked.get(name, "").strip()[:_LONGEST]

    which = tuple(one[:_LONGEST] for one in asked.get_all("which") if one.strip())[:20]
    within = text("in") or desk.scope or ""
    return Place(
        text("as"), within, text("subject"), text("predicate"), which, text("purpose"), text("at"), asked.get("find", "").strip()[:1_100],
        asked.get("by") == "words", desk.scope,
    )  # fmt: skip


def read_moment(text: str) -> int | None:
    """Return the microseconds of a time as typed, None for now.

    Raises:
        ValueError: it is no time, or does not say its offset.
    """
    return parse_stated_time(text) if text else None
