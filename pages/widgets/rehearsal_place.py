"""Where one is among the rehearsals: the list, one of them, or two side by side; all of it in the address."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from pages.widgets.desk import Desk, address
from store import SavedRehearsal

#: What the list may be kept to.
SHOWS = ("handed", "mine", "changed", "committed")


@dataclass(frozen=True, slots=True)
class RehearsalPlace:
    """What the address says.

    Attributes:
        one, other: the rehearsals looked at.
        show: what the list is kept to; `correction`: only those of this correction.
        part: which list of a comparison is open; `page`: from 1.
        picking: whether the other one of a comparison is being chosen; `printed`: the page to print is shown.
    """

    scope: str | None
    tenant: str | None = None
    one: str | None = None
    other: str | None = None
    show: str | None = None
    correction: str | None = None
    part: str | None = None
    page: int = 1
    picking: bool = False
    printed: bool = False

    def link(self, **changes: object) -> str:
        """Return the address of this place with some things changed; lists start at their beginning unless said."""
        if "page" not in changes:
            changes["page"] = 1
        new = replace(self, **changes)  # type: ignore[arg-type]
        return address(
            "rehearsals", tenant=new.tenant if new.one else None, one=new.one, other=new.other, show=new.show, correction=new.correction,
            part=new.part if new.other else None, p=str(new.page) if new.page > 1 else None, pick="1" if new.picking else None,
            print="1" if new.printed else None, scope=new.scope,
        )  # fmt: skip


def read_place(desk: Desk) -> RehearsalPlace:
    """Return what the address says; what it says wrongly counts as not said."""
    asked = st.query_params
    show, page = asked.get("show"), asked.get("p", "")
    return RehearsalPlace(
        desk.scope, asked.get("tenant") or (desk.tenants[0] if len(desk.tenants) == 1 else None), asked.get("one") or None, asked.get("other") or None,
        show if show in SHOWS else None, asked.get("correction") or None, asked.get("part") or None,
        int(page) if page.isascii() and page.isdigit() and 0 < len(page) < 9 and int(page) else 1, asked.get("pick") == "1", asked.get("print") == "1",
    )  # fmt: skip


def rehearsal_address(tenant: str, rehearsal_id: str, scope: str | None = None) -> str:
    """Return the address of a rehearsal."""
    return address("rehearsals", tenant=tenant, one=rehearsal_id, scope=scope)


def plan_result_address(tenant: str, event: int, scope: str | None = None) -> str:
    """Return the address of what a committed plan did, by the number of its event; for every kind of plan."""
    return address("revoke", tenant=tenant, done=str(event), scope=scope)


def address_of(row: SavedRehearsal, scope: str | None) -> str:
    """Return the address of a rehearsal in a list."""
    return rehearsal_address(row.tenant, row.id, scope)
