"""Where one is in the list of candidates: filters, order, view and the candidate looked at, all of it in the address."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

import streamlit as st

from pages.widgets.callbacks import uninterrupted
from pages.widgets.desk import Desk, address
from store import ONLY, ORDERS, Sift

KINDS = ("claim", "artifact")
#: One candidate at a time, or a document's short quotes as a table; None: whichever suits the document.
VIEWS = ("one", "grid")
#: Stands in the address for nobody, and for no document.
_NONE = "-"


@dataclass(frozen=True, slots=True)
class Place:
    """What the address says.

    Attributes:
        view: one of VIEWS, or None where the document decides.
        unknown: a filter in the address that is none, if there is one.
    """

    sift: Sift
    candidate: str | None = None
    tenant: str | None = None
    view: str | None = None
    unknown: str | None = None

    def link(self, chosen: tuple[str, str] | None = None, sift: Sift | None = None, view: str | None = None) -> str:
        """Return the address of a candidate (tenant, id) within a sift."""
        return address("candidates", **self.parameters(chosen, sift, view))

    def parameters(self, chosen: tuple[str, str] | None = None, sift: Sift | None = None, view: str | None = None) -> dict[str, str | None]:
        """Return the parameters of an address, those that are not set as None."""
        sift = sift or self.sift
        tenant, candidate = chosen or (None, None)
        return {
            "scope": sift.scope, "show": None if sift.only == "all" else sift.only, "kind": sift.kind, "owner": _NONE if sift.owner == "" else sift.owner,
            "document": _NONE if sift.document == "" else sift.document, "order": None if sift.order == ORDERS[0] else sift.order,
            "view": view or self.view, "correction": sift.correction, "candidate": candidate, "tenant": tenant,
        }  # fmt: skip

    @uninterrupted
    def go(self, chosen: tuple[str, str] | None, sift: Sift | None = None, view: str | None = None) -> None:
        """Move there, as one step that going back undoes."""
        st.query_params.from_dict({name: value for name, value in self.parameters(chosen, sift, view).items() if value})

    def with_sift(self, **changes: str | bool | None) -> Sift:
        """Return the sift with something changed."""
        return replace(self.sift, **changes)  # type: ignore[arg-type]


def read_place(desk: Desk) -> Place:
    """Return what the address says, unknown filters left out."""
    asked = st.query_params
    only, kind, order, view = asked.get("show", "all"), asked.get("kind"), asked.get("order", ORDERS[0]), asked.get("view")
    owner, document = asked.get("owner"), asked.get("document")
    given = ((only, only in ONLY), (kind, kind in (None, *KINDS)), (order, order in ORDERS), (view, view in (None, *VIEWS)))
    sift = Sift(
        scope=desk.scope, kind=kind if kind in KINDS else None, owner="" if owner == _NONE else owner or None, only=only if only in ONLY else "all",
        document="" if document == _NONE else document or None, order=order if order in ORDERS else ORDERS[0],
        correction=asked.get("correction") or None,
    )  # fmt: skip
    unknown = next((text for text, good in given if not good), None)
    return Place(sift, asked.get("candidate") or None, asked.get("tenant") or None, view if view in VIEWS else None, unknown)


def mark_of(*parts: object) -> str:
    """Return a short mark of what widgets belong to, for their keys: the same candidate, the same widget; another, another."""
    return hashlib.blake2b("\x1f".join(map(str, parts)).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
