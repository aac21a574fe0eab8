"""Which letter is looked at, as its address says it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from pages.widgets.desk import Desk, address


@dataclass(frozen=True, slots=True)
class Place:
    """The source written to, and what about.

    Attributes:
        other: only what this source contradicts.
        settled: what was settled against it, instead of what is open.
        pairs, single: how the list to choose from is made: by pairs, by single source instead of by authority.
    """

    source: str = ""
    other: str | None = None
    tenant: str | None = None
    scope: str | None = None
    settled: bool = False
    pairs: bool = False
    single: bool = False

    def link(self, **changes: Any) -> str:
        """Return the address of this place with changes."""
        place = replace(self, **changes)
        return address(
            "letter", source=place.source or None, other=place.other, tenant=place.tenant, stand="against" if place.settled else None,
            pairs="1" if place.pairs else None, by="source" if place.single else None, scope=place.scope,
        )  # fmt: skip


def read_place(desk: Desk) -> Place:
    """Return the place the address names."""
    said = st.query_params
    return Place(
        said.get("source", ""), said.get("other") or None, said.get("tenant") or None, desk.scope, said.get("stand") == "against", said.get("pairs") == "1",
        said.get("by") == "source",
    )  # fmt: skip
