"""Where one is in the list of candidates: filters, order and the candidate looked at, all of it in the address."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

import streamlit as st

from pages.widgets.desk import Desk, address
from store import ONLY, Sift

KINDS = ("claim", "artifact")


@dataclass(frozen=True, slots=True)
class Place:
    """What the address says.

    Attributes:
        unknown: a filter in the address that is none, if there is one.
    """

    sift: Sift
    candidate: str | None = None
    tenant: str | None = None
    unknown: str | None = None

    def link(self, chosen: tuple[str, str] | None = None, sift: Sift | None = None) -> str:
        """Return the address of a candidate (tenant, id) within a sift."""
        return address("candidates", **self.parameters(chosen, sift))

    def parameters(self, chosen: tuple[str, str] | None = None, sift: Sift | None = None) -> dict[str, str | None]:
        """Return the parameters of an address, those that are not set as None."""
        sift = sift or self.sift
        tenant, candidate = chosen or (None, None)
        return {
            "scope": sift.scope, "show": None if sift.only == "all" else sift.only, "kind": sift.kind, "owner": "-" if sift.owner == "" else sift.owner,
            "order": "newest" if sift.newest else None, "candidate": candidate, "tenant": tenant,
        }  # fmt: skip

    def go(self, chosen: tuple[str, str] | None, sift: Sift | None = None) -> None:
        """Move there, as one step that going back undoes."""
        st.query_params.from_dict({name: value for name, value in self.parameters(chosen, sift).items() if value})

    def with_sift(self, **changes: str | bool | None) -> Sift:
        """Return the sift with something changed."""
        return replace(self.sift, **changes)  # type: ignore[arg-type]


def read_place(desk: Desk) -> Place:
    """Return what the address says, unknown filters left out."""
    asked = st.query_params
    only, kind, order, owner = asked.get("show", "all"), asked.get("kind"), asked.get("order"), asked.get("owner")
    unknown = next(
        (text for text, good in ((only, only in ONLY), (kind, kind in (None, *KINDS)), (order, order in (None, "newest", "oldest"))) if not good),
        None,
    )
    sift = Sift(
        scope=desk.scope, kind=kind if kind in KINDS else None, owner="" if owner == "-" else owner or None, only=only if only in ONLY else "all",
        newest=order == "newest",
    )  # fmt: skip
    return Place(sift, asked.get("candidate") or None, asked.get("tenant") or None, unknown)


def mark_of(*parts: object) -> str:
    """Return a short mark of what widgets belong to, for their keys: the same candidate, the same widget; another, another."""
    return hashlib.blake2b("\x1f".join(map(str, parts)).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
