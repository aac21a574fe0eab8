"""Where one is among the corrections, as the address says it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from pages.widgets.desk import Desk, address
from store import CASES_ONLY


@dataclass(frozen=True, slots=True)
class Place:
    """What the address says.

    Attributes:
        case: the id of the case that is open; `show`: which cases are listed; `new`: a case is being opened, about `source` if given.
        edit: the case's own words are being changed; `printed`: its report is shown.
    """

    case: str | None = None
    tenant: str | None = None
    show: str = CASES_ONLY[0]
    new: bool = False
    source: str = ""
    edit: bool = False
    printed: bool = False
    scope: str | None = None

    def link(self, **changes: Any) -> str:
        """Return the address of this place with changes."""
        place = replace(self, **changes)
        return address(
            "corrections", case=place.case, tenant=place.tenant if place.case or place.new else None, show=None if place.show == CASES_ONLY[0] else place.show,
            new="1" if place.new else None, source=place.source or None, edit="1" if place.edit else None, print="1" if place.printed else None,
            scope=place.scope,
        )  # fmt: skip


def read_place(desk: Desk) -> Place:
    """Return what the address says; what it says wrongly counts as not said."""
    said = st.query_params
    show = said.get("show", CASES_ONLY[0])
    return Place(
        said.get("case") or None, said.get("tenant") or None, show if show in CASES_ONLY else CASES_ONLY[0], said.get("new") == "1", said.get("source", "")[:500],
        said.get("edit") == "1", said.get("print") == "1", desk.scope,
    )  # fmt: skip


def tenant_of_place(desk: Desk, place: Place) -> str | None:
    """Return the tenant meant: the one named, the one of the scope, or the only one."""
    if place.tenant is not None:
        return place.tenant
    if desk.scope:
        return desk.scope.split("/", 1)[0]
    return desk.tenants[0] if len(desk.tenants) == 1 else None
