"""Where the page of dependencies stands: all of it in the address."""

from __future__ import annotations

from dataclasses import dataclass, replace
from urllib.parse import quote

import streamlit as st

from pages.widgets.callbacks import uninterrupted
from pages.widgets.desk import SCOPE_PARAMETER, Desk

LENSES = ("state", "owner", "distance", "source")
#: What was delivered of what rests on the focus; what is out of use of what it rests on.
ONLY = ("delivered", "lost")
#: Steps to choose from; None stands for all.
STEPS: tuple[int | None, ...] = (0, 1, 2, 3, None)
_MOST_STEPS = 99
_MOST_OPENED = 30
_ALL = "all"


@dataclass(frozen=True, slots=True)
class GraphPlace:
    """What the address says.

    Attributes:
        record: the focus; None where none was chosen.
        up, down: steps each way; None for all.
        opened: (key of a bundle, how many more of it are drawn), in the order asked for.
        selected: the record told beside the picture; `bundle`: the bundle told there instead.
        to: the other end of the ways looked at; `way`: which of them.
        kind, state, step, within, page: which rows of the table; `within` is the key of a bundle; `only` one of ONLY.
        find: what is searched for.
    """

    tenant: str | None = None
    record: str | None = None
    up: int | None = 1
    down: int | None = 1
    lens: str = LENSES[0]
    opened: tuple[tuple[str, int], ...] = ()
    selected: str | None = None
    bundle: str | None = None
    to: str | None = None
    way: int = 0
    kind: str | None = None
    state: str | None = None
    step: int | None = None
    within: str | None = None
    only: str | None = None
    page: int = 1
    find: str = ""
    scope: str | None = None

    def having(self, **changes: object) -> GraphPlace:
        """Return this place with some things changed; what depends on them starts anew unless said."""
        if changes.keys() & {"record", "to"}:
            changes = {"opened": (), "selected": None, "bundle": None, "way": 0, "find": ""} | changes
        if "record" in changes:
            changes = {"to": None} | changes
        if changes.keys() & {"record", "to", "up", "down"}:
            changes = {"kind": None, "state": None, "step": None, "within": None, "only": None} | changes
        if changes.keys() & {"record", "to", "up", "down", "kind", "state", "step", "within", "only"}:
            changes = {"page": 1} | changes
        return replace(self, **changes)  # type: ignore[arg-type]

    def link(self, **changes: object) -> str:
        """Return the address of this place with some things changed."""
        pairs = self.having(**changes).pairs()
        return "/dependencies" + ("?" + "&".join(f"{name}={quote(value, safe='')}" for name, value in pairs) if pairs else "")

    def pairs(self) -> list[tuple[str, str]]:
        """Return the parameters that differ from what they are by default."""
        found = [
            ("tenant", self.tenant or ""), ("record", self.record or ""), ("up", _say_steps(self.up)), ("down", _say_steps(self.down)),
            ("lens", self.lens if self.lens != LENSES[0] else ""), *(("open", f"{count}:{key}") for key, count in self.opened),
            ("sel", self.selected or ""), ("bundle", self.bundle or ""), ("to", self.to or ""), ("way", str(self.way + 1) if self.way else ""),
            ("kind", self.kind or ""), ("state", self.state or ""), ("step", "" if self.step is None else str(self.step)), ("in", self.within or ""), ("only", self.only or ""),
            ("page", str(self.page) if self.page > 1 else ""), ("find", self.find), (SCOPE_PARAMETER, self.scope or ""),
        ]  # fmt: skip
        return [(name, value) for name, value in found if value]

    @uninterrupted
    def go(self) -> None:
        """Make this place the address; from callbacks, before the page runs again."""
        pairs: dict[str, str | list[str]] = {}
        for name, value in self.pairs():
            if name == "open":
                pairs.setdefault(name, []).append(value)  # type: ignore[union-attr]
            else:
                pairs[name] = value
        st.query_params.from_dict(pairs)


def _say_steps(steps: int | None) -> str:
    return _ALL if steps is None else "" if steps == 1 else str(steps)


def _number(text: str | None, most: int = 10**9) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 12 and int(text) <= most else None


def _steps(text: str | None) -> int | None:
    if text == _ALL:
        return None
    found = _number(text, _MOST_STEPS)
    return 1 if found is None else found


def _signed(text: str | None) -> int | None:
    if not text:
        return None
    found = _number(text.removeprefix("-"))
    return None if found is None else -found if text.startswith("-") else found


def _opened(texts: list[str]) -> tuple[tuple[str, int], ...]:
    found: dict[str, int] = {}
    for text in texts[:_MOST_OPENED]:
        count, colon, key = text.partition(":")
        more = _number(count, 10_000)
        if colon and key and more:
            found[key] = more
    return tuple(found.items())


def read_place(desk: Desk) -> GraphPlace:
    """Return what the address says; what it says wrongly counts as not said."""
    asked = st.query_params
    lens, kind = asked.get("lens", LENSES[0]), asked.get("kind")
    return GraphPlace(
        tenant=asked.get("tenant") or None, record=asked.get("record") or None, up=_steps(asked.get("up")), down=_steps(asked.get("down")),
        lens=lens if lens in LENSES else LENSES[0], opened=_opened(asked.get_all("open")), selected=asked.get("sel") or None,
        bundle=asked.get("bundle") or None, to=asked.get("to") or None, way=(_number(asked.get("way"), 1000) or 1) - 1,
        kind=kind if kind in ("evidence", "claim", "artifact") else None, state=asked.get("state") or None, step=_signed(asked.get("step")),
        within=asked.get("in") or None, only=asked.get("only") if asked.get("only") in ONLY else None, page=_number(asked.get("page")) or 1, find=asked.get("find", "")[:200], scope=desk.scope,
    )  # fmt: skip
