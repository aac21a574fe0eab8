"""Where one is among the conflicts: the group, filters, page and the conflict looked at, all of it in the address."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

import streamlit as st

from pages.widgets.callbacks import uninterrupted
from pages.widgets.desk import SCOPE_PARAMETER, Desk
from store import CONFLICTS_ONLY, LIKENESSES, ConflictSift, MatrixColumn

_MOST_ORIGINS = 12


@dataclass(frozen=True, slots=True)
class Place:
    """What the address says.

    Attributes:
        conflict: the one looked at, with its tenant if the address says it.
        page: of the list, from 1.
        unknown: a filter in the address that is none, if there is one.
    """

    sift: ConflictSift
    conflict: str | None = None
    tenant: str | None = None
    page: int = 1
    unknown: str | None = None

    def pairs(self) -> list[tuple[str, str]]:
        """Return the parameters that differ from what they are by default."""
        sift = self.sift
        found = [
            ("show", "" if sift.only == "all" else sift.only), ("predicate", sift.predicate or ""), *(("source", name) for name in sift.origins),
            ("with", "others" if sift.others else ""), *(("without", name) for name in sift.without), ("differ", sift.likeness or ""),
            ("page", str(self.page) if self.page > 1 else ""), ("conflict", self.conflict or ""), ("tenant", self.tenant or ""),
            (SCOPE_PARAMETER, sift.scope or ""),
        ]  # fmt: skip
        return [(name, value) for name, value in found if value]

    def address(self) -> str:
        """Return the address of this place."""
        pairs = self.pairs()
        return "/conflicts" + ("?" + "&".join(f"{name}={quote(value, safe='')}" for name, value in pairs) if pairs else "")

    def link(self, **changes: Any) -> str:
        """Return the address of this place with some things changed."""
        return self.at(**changes).address()

    def at(self, **changes: Any) -> Place:
        """Return this place with some things changed; a list starts at its beginning unless a page is said."""
        fields = {name: changes.pop(name) for name in ("conflict", "tenant", "page") if name in changes}
        if changes:
            fields = {"page": 1, "conflict": None, "tenant": None, **fields}
        return replace(self, sift=replace(self.sift, **changes), **fields)

    def of(self, chosen: tuple[str, str] | None) -> Place:
        """Return the place of a conflict (tenant, id) in this list, or of the list."""
        return replace(self, conflict=chosen[1] if chosen else None, tenant=chosen[0] if chosen else None)

    def of_column(self, column: MatrixColumn, predicate: str | None = None) -> Place:
        """Return the place of a cell of the matrix, or of a whole column."""
        return self.at(predicate=predicate, origins=column.origins, others=column.others, without=column.without, likeness=None)

    def overview(self) -> Place:
        """Return the place of everything in the scope."""
        return Place(ConflictSift(scope=self.sift.scope))

    @uninterrupted
    def go(self) -> None:
        """Make this place the address, as one step that going back undoes; from callbacks, before the page runs again."""
        found: dict[str, str | list[str]] = {}
        for name, value in self.pairs():
            known = found.get(name)
            found[name] = value if known is None else [*(known if isinstance(known, list) else [known]), value]
        st.query_params.from_dict(found)


def read_place(desk: Desk) -> Place:
    """Return what the address says, unknown filters left out."""
    asked = st.query_params
    only, likeness, page = asked.get("show", "all"), asked.get("differ"), asked.get("page", "1")
    checks = (
        (only, only in CONFLICTS_ONLY),
        (likeness, likeness in (None, *LIKENESSES)),
        (page, page.isascii() and page.isdigit() and len(page) < 7),
    )
    unknown = next((str(text) for text, good in checks if not good), None)
    sift = ConflictSift(
        scope=desk.scope, only=only if only in CONFLICTS_ONLY else "all", predicate=asked.get("predicate") or None,
        origins=tuple(sorted({name for name in asked.get_all("source")[:_MOST_ORIGINS] if name})), others=asked.get("with") == "others",
        without=tuple(name for name in asked.get_all("without")[:_MOST_ORIGINS] if name), likeness=likeness if likeness in LIKENESSES else None,
    )  # fmt: skip
    return Place(sift, asked.get("conflict") or None, asked.get("tenant") or None, max(int(page), 1) if checks[2][1] else 1, unknown)
