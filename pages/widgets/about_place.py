"""What the page about a subject looks at, as its address says it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from pages.widgets.desk import Desk, address
from store import STATES

_NAMES = {"subject": "subject", "tenant": "tenant", "predicate": "predicate", "state": "state", "find": "find", "after": "after"}


@dataclass(frozen=True, slots=True)
class Place:
    """The subject, and how it is looked at.

    Attributes:
        predicate, state: the list asked for instead of everything by predicate.
        start: how many rows of it are left out.
        whole: everything on one page, for a print.
        to_person: what can be shown to the person it is about.
        find, after: looking for a subject: the words, or the one behind which to go on.
    """

    subject: str = ""
    tenant: str | None = None
    scope: str | None = None
    predicate: str | None = None
    state: str | None = None
    start: int = 0
    whole: bool = False
    to_person: bool = False
    find: str = ""
    after: str | None = None

    def link(self, **changes: Any) -> str:
        """Return the address of this place with changes; another list begins at its beginning."""
        place = replace(self, **({"start": 0, "whole": False, "to_person": False} | changes))
        return address(
            "about", subject=place.subject or None, tenant=place.tenant, predicate=place.predicate, state=place.state,
            start=str(place.start) if place.start else None, whole="1" if place.whole else None, show="person" if place.to_person else None, find=place.find or None, after=place.after, scope=place.scope,
        )  # fmt: skip


def read_place(desk: Desk) -> Place:
    """Return the place the address names; what it says wrongly is as if it did not say it."""
    said = {field: st.query_params.get(name) or None for field, name in _NAMES.items()}
    start = st.query_params.get("start", "")
    return Place(
        said["subject"] or "", said["tenant"], desk.scope, said["predicate"], said["state"] if said["state"] in STATES else None,
        int(start) if start.isdecimal() and len(start) < 8 else 0, st.query_params.get("whole") == "1",
        st.query_params.get("show") == "person", (said["find"] or "")[:200], said["after"],
    )  # fmt: skip
