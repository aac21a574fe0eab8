"""Where one is on the page of forgetting, as the address says it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

import streamlit as st

from pages.widgets.callbacks import uninterrupted
from pages.widgets.desk import SCOPE_PARAMETER, Desk

#: Which requests are listed: those that are not finished, those of which a receipt says what was done, those that were refused.
SHOWS = ("open", "complete", "refused")
#: What else the page holds beside requests.
VIEWS = ("copies", "proofs")
#: What of one request is shown by itself.
PARTS = ("receipt", "letter")
#: How the records of a new request are found, and the name each has in the address.
WAYS = ("record", "subject", "source", "search")
_MOST = 200


@dataclass(frozen=True, slots=True)
class Place:
    """What the address says.

    Attributes:
        request: the request that is open; `part`: what of it is shown by itself.
        show: which requests are listed; `view`: what is looked at instead of requests.
        new: a request is being made.
        way: how its records are found; `name`: the subject, the source or the words searched for.
        records: ids of what is to be forgotten, where the way is by record or search; what was added besides otherwise.
        left: ids found and not meant; `keep`: evidence whose passages stay readable.
        find: what is searched for in the chooser; `adding`: whether more is to be chosen.
        after: where a page of the register of copies begins: behind this export.
    """

    request: str | None = None
    tenant: str | None = None
    part: str | None = None
    show: str = SHOWS[0]
    view: str | None = None
    new: bool = False
    way: str = WAYS[0]
    name: str = ""
    records: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    find: str = ""
    adding: bool = False
    after: int | None = None
    scope: str | None = None

    @property
    def chosen(self) -> bool:
        """Return whether it is said what is to be forgotten."""
        return bool(self.records) or (self.way in ("subject", "source") and bool(self.name))

    def pairs(self) -> list[tuple[str, str]]:
        """Return the parameters that differ from what they are by default."""
        found: list[tuple[str, str]] = []
        if self.request:
            found += [("request", self.request), ("part", self.part or "")]
        elif self.new:
            found.append(("do", "request"))
            if self.way != WAYS[0]:
                found.append((self.way, self.name))
                if not self.name:
                    found.append(("by", self.way))
            found += [("record", one) for one in self.records]
            found += [("leave", one) for one in self.left]
            found += [("keep", one) for one in self.keep]
            found += [("find", self.find), ("add", "1" if self.adding else "")]
        else:
            found += [("view", self.view or ""), ("after", str(self.after) if self.after is not None and self.view else ""), ("show", "" if self.show == SHOWS[0] else self.show)]
        found += [("tenant", self.tenant or ""), (SCOPE_PARAMETER, self.scope or "")]
        return [(name, value) for name, value in found if value]

    def link(self, **changes: Any) -> str:
        """Return the address of this place with changes."""
        pairs = replace(self, **changes).pairs()
        return "/forgetting" + ("?" + "&".join(f"{name}={quote(value, safe='')}" for name, value in pairs) if pairs else "")

    @uninterrupted
    def go(self) -> None:
        """Make this place the address; from callbacks, before the page runs again."""
        pairs: dict[str, Any] = {}
        for name, value in self.pairs():
            pairs.setdefault(name, []).append(value)
        st.query_params.from_dict(pairs)


def _ids(name: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one[:500] for one in st.query_params.get_all(name) if one))[:_MOST]


def read_place(desk: Desk) -> Place:
    """Return what the address says; what it says wrongly counts as not said."""
    said = st.query_params
    after = said.get("after", "")
    part, view, show = said.get("part"), said.get("view"), said.get("show", SHOWS[0])
    way = next((one for one in WAYS[1:] if said.get(one)), said.get("by", WAYS[0]))
    way = way if way in WAYS else WAYS[0]
    return Place(
        said.get("request") or None, said.get("tenant") or None, part if part in PARTS else None, show if show in SHOWS else SHOWS[0],
        view if view in VIEWS else None, said.get("do") == "request", way, said.get(way, "")[:500] if way != WAYS[0] else "",
        _ids("record"), _ids("leave"), _ids("keep"), said.get("find", "")[:200], said.get("add") == "1", int(after) if after.isascii() and after.isdigit() and len(after) < 10 else None, desk.scope,
    )  # fmt: skip


def request_address(scope: str | None = None, **what: str | None) -> str:
    """Return the address at which a request to forget something is made: `record`, `subject` or `source`, and `tenant`."""
    way = next((name for name in WAYS[1:] if what.get(name)), WAYS[0])
    record = what.get("record")
    return Place(new=True, way=way, name=what.get(way) or "" if way != WAYS[0] else "", records=(record,) if record else (), tenant=what.get("tenant"), scope=scope).link()


def tenant_of_place(desk: Desk, place: Place) -> str | None:
    """Return the tenant meant: the one named, the one of the scope, or the only one."""
    if place.tenant is not None:
        return place.tenant
    if desk.scope:
        return desk.scope.split("/", 1)[0]
    return desk.tenants[0] if len(desk.tenants) == 1 else None
