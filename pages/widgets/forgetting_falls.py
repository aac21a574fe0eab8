"""What falls with something that is forgotten: the lists of the plan, as on the page of plans, at the address of the request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from urllib.parse import quote

import streamlit as st

from pages.widgets import plan_state
from pages.widgets.desk import Desk
from pages.widgets.forgetting_place import Place
from store import PLAN_TABS


@dataclass(frozen=True, slots=True)
class FallsPlace(plan_state.Place):
    """Where one is in the lists of what falls; `base` is the address of the request they belong to."""

    base: tuple[tuple[str, str], ...] = ()

    def address(self) -> str:
        """Return the address of this place."""
        return "/forgetting?" + "&".join(f"{name}={quote(value, safe='')}" for name, value in self.pairs())

    def pairs(self) -> list[tuple[str, str]]:
        """Return the parameters that differ from what they are by default."""
        found = [
            ("tab", self.tab), ("group", ".".join(map(str, self.groups))),
            ("page", str(self.page) if self.page > 1 else ""), ("why", self.why or ""),
        ]  # fmt: skip
        return [*self.base, *((name, value) for name, value in found if value)]


def falls_place(desk: Desk, place: Place, tenant: str, totals: Mapping[str, int]) -> FallsPlace:
    """Return where one is in the lists of what falls, as the address says it; else at the first list that holds something."""
    asked = plan_state.read_place(desk)
    if "tab" not in st.query_params:
        asked = replace(asked, tab=next((tab for tab in (PLAN_TABS[0], "stale", "told", "affected") if totals[tab]), PLAN_TABS[0]))
    return FallsPlace(tenant, (), asked.do, asked.tab, asked.groups, asked.page, asked.why, "", False, None, desk.scope, base=tuple(replace(place, tenant=tenant).pairs()))
