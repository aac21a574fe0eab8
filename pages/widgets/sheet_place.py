"""Which sheet is looked at: the day and its filters, all of it in the address."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from typing import Any

import streamlit as st

from pages.widgets.callbacks import uninterrupted
from pages.widgets.desk import Desk, address
from store import SHEET_ACTIONS


@dataclass(frozen=True, slots=True)
class Place:
    """What the address says.

    Attributes:
        day: an ISO date, None for today; `by`: the id of a person; `action`: what was decided; `after`: rows before this page.
        whole: everything on one page, for a print.
        unknown: a filter in the address that is none.
    """

    scope: str | None
    day: str | None = None
    by: str | None = None
    action: str | None = None
    after: int = 0
    whole: bool = False
    unknown: str | None = None

    def link(self, **changes: Any) -> str:
        """Return the address of this sheet with some things changed; a list starts at its beginning unless said."""
        place = replace(self, **{"after": 0, **changes})
        after = str(place.after) if place.after else None
        return address("sheet", day=place.day, by=place.by, show=place.action, after=after, whole="1" if place.whole else None, scope=place.scope)

    @uninterrupted
    def go_to(self, day: date) -> None:
        """Make a day the address, without the filters of this one."""
        found = {"day": day.isoformat(), **({"scope": self.scope} if self.scope else {})}
        st.query_params.from_dict(found)


def read_place(desk: Desk) -> Place:
    """Return what the address says; a filter that is none counts as not said."""
    asked = st.query_params
    action, after = asked.get("show") or None, asked.get("after", "")
    known = action is None or action in SHEET_ACTIONS
    number = int(after) if after.isascii() and after.isdigit() and len(after) < 8 else 0
    return Place(
        desk.scope, asked.get("day") or None, asked.get("by") or None, action if known else None, number, asked.get("whole") == "1",
        None if known else action,
    )  # fmt: skip
