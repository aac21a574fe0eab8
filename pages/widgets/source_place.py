"""Where the page of sources stands, all of it in the address."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from pages.widgets.callbacks import uninterrupted
from pages.widgets.desk import SCOPE_PARAMETER, Desk, address
from store import EXTRACTOR_ORDERS, SOURCES_ONLY, SOURCES_ORDERS, find_tenant

PAGE = "sources"
VIEWS = ("extractors",)


@dataclass(frozen=True, slots=True)
class Place:
    """What the address says.

    Attributes:
        source: the id of the source that is open.
        a, b: version numbers: the one shown, or the two compared.
        at: the code point its text begins at; `claim`: the claim whose passage is shown; `pointer`: the place in a JSON document that is.
        do: what is being done with it.
        find, only, order, after: of the list.
        view: `extractors` for the table of what read the sources, instead of the list.
    """

    tenant: str | None = None
    source: str = ""
    a: int | None = None
    b: int | None = None
    at: int = 0
    claim: str = ""
    pointer: str | None = None
    do: str = ""
    find: str = ""
    only: str = ""
    order: str = SOURCES_ORDERS[0]
    after: str = ""
    view: str = ""
    scope: str | None = None

    def pairs(self) -> dict[str, str]:
        """Return the parameters that differ from what they are by default; a pointer is only where one came in, links say the place by themselves."""
        found = {
            "source": self.source, "tenant": self.tenant or "", "a": "" if self.a is None else str(self.a), "b": "" if self.b is None else str(self.b),
            "at": str(self.at) if self.at else "", "claim": self.claim, "do": self.do, "find": self.find, "only": self.only,
            "order": self.order if self.order not in (SOURCES_ORDERS[0], EXTRACTOR_ORDERS[0]) else "", "after": self.after, "view": self.view, SCOPE_PARAMETER: self.scope or "",
        }  # fmt: skip
        return {name: value for name, value in found.items() if value}

    def link(self, **changes: Any) -> str:
        """Return the address of this place with some things changed; another version begins at its beginning, another list at its first page."""
        if changes.keys() & {"a", "b"}:
            changes = {"at": 0, "claim": "", **changes}
        if changes.keys() & {"find", "only", "order"}:
            changes = {"after": "", **changes}
        return address(PAGE, **replace(self, **changes).pairs())

    @uninterrupted
    def go(self, **changes: Any) -> None:
        """Make this place, with some things changed, the address; from callbacks, before the page runs again."""
        st.query_params.from_dict(replace(self, **changes).pairs())


def _whole(text: str | None) -> int | None:
    return int(text) if text is not None and text.isascii() and text.isdigit() and len(text) < 12 else None


def read_place(desk: Desk) -> Place:
    """Return what the address says; what it says wrongly counts as not said."""
    asked = st.query_params
    only, order = asked.get("only", ""), asked.get("order", "")
    view = asked.get("view") if asked.get("view") in VIEWS else ""
    orders = EXTRACTOR_ORDERS if view else SOURCES_ORDERS
    return Place(
        asked.get("tenant") or None, asked.get("source", "")[:500], _whole(asked.get("a")), _whole(asked.get("b")), _whole(asked.get("at")) or 0,
        asked.get("claim", "")[:500], asked.get("pointer", "")[:2_000] if "pointer" in asked else None, asked.get("do", "")[:40], asked.get("find", "").strip()[:200], only if only in SOURCES_ONLY else "",
        order if order in orders else orders[0], asked.get("after", "")[:1_000], view or "", desk.scope,
    )  # fmt: skip


def tenant_of_place(desk: Desk, place: Place) -> str:
    """Return the tenant meant: the one named, or the one that has the source.

    Raises:
        Refusal: no tenant has it, or several do.
    """
    return find_tenant(desk.store, desk.person, [place.source], place.tenant)


def source_address(source: str, tenant: str | None, scope: str | None, **parameters: str | None) -> str:
    """Return the address of a source's page."""
    return address(PAGE, source=source, tenant=tenant, scope=scope, **parameters)
