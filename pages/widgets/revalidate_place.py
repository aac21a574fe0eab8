"""Where one is in the queue of re-validation, and what is about to be decided there; all of it in the address."""

from __future__ import annotations

from dataclasses import dataclass, replace
from urllib.parse import quote

import streamlit as st

from pages.widgets.callbacks import uninterrupted
from pages.widgets.desk import SCOPE_PARAMETER, Desk
from store import Plan, StaleSift, Verb

PAGE_ROWS = 40
KINDS = ("claim", "artifact")
DOINGS = ("confirm", "restore", "answer", "ask")
_MANY = ("drop", "add", "replace", "tick")
_SIFTING = ("state", "cause", "kind", "owner", "mine", "correction", "week")


@dataclass(frozen=True, slots=True)
class Place:
    """What the address says.

    Attributes:
        state, cause, kind, owner, mine, correction: what the list is kept to. `after`: the cursor of its page.
        record, tenant: the record looked at.
        do: `confirm`, `restore`, `answer`, `ask` or None; `whole`: for everything of the group that has the same cause itself.
        drop, add, replace: what is to become of what it rests on; `replace` holds `OLD=NEW`.
        week: the week whose dates are listed; `weeks`: whether the calendar is shown.
        ticks: what is ticked in the list, as `TENANT/ID`.
        within, at: the version in which the words of a new value are chosen, and the code point it is shown from.
    """

    scope: str | None
    state: str | None = None
    cause: str | None = None
    kind: str | None = None
    owner: str | None = None
    mine: bool = False
    correction: str | None = None
    after: str | None = None
    record: str | None = None
    tenant: str | None = None
    do: str | None = None
    whole: bool = False
    drop: tuple[str, ...] = ()
    add: tuple[str, ...] = ()
    replace: tuple[str, ...] = ()
    week: str | None = None
    weeks: bool = False
    ticks: tuple[str, ...] = ()
    within: str | None = None
    at: int | None = None

    def pairs(self) -> list[tuple[str, str]]:
        """Return the parameters that are set."""
        found = [
            ("state", self.state), ("cause", self.cause), ("kind", self.kind), ("owner", self.owner), ("mine", "1" if self.mine else None),
            ("correction", self.correction), ("week", self.week), ("weeks", "1" if self.weeks else None),
            *(("tick", one) for one in self.ticks), ("after", self.after), ("record", self.record), ("tenant", self.tenant), ("do", self.do),
            ("whole", "1" if self.whole else None), *(("drop", one) for one in self.drop), *(("add", one) for one in self.add),
            *(("replace", one) for one in self.replace), ("within", self.within), ("at", None if self.at is None else str(self.at)), (SCOPE_PARAMETER, self.scope),
        ]  # fmt: skip
        return [(name, value) for name, value in found if value]

    def link(self, **changes: object) -> str:
        """Return the address of this place with some things changed; another record or list begins without decisions."""
        pairs = "&".join(f"{name}={quote(value, safe='')}" for name, value in self.changed(**changes).pairs())
        return f"/revalidate?{pairs}" if pairs else "/revalidate"

    def changed(self, **changes: object) -> Place:
        """Return this place with some things changed."""
        if changes.keys() & {"state", "cause", "kind"}:
            changes = {"week": None, **changes}
        if changes.keys() & _SIFTING:
            changes = {"after": None, "record": None, "tenant": None, "ticks": (), **changes}
        if changes.keys() & {*_SIFTING, "record", "after", "ticks"}:
            changes = {"do": None, "whole": False, "drop": (), "add": (), "replace": (), "within": None, "at": None, **changes}
        return replace(self, **changes)  # type: ignore[arg-type]

    @uninterrupted
    def go(self) -> None:
        """Make this place the address; from callbacks, before the page runs again."""
        pairs: dict[str, str | list[str]] = {}
        for name, value in self.pairs():
            if name in _MANY:
                known = pairs.setdefault(name, [])
                assert isinstance(known, list)
                known.append(value)
            else:
                pairs[name] = value
        st.query_params.from_dict(pairs)

    def sift(self) -> StaleSift:
        """Return what the list is kept to."""
        return StaleSift(self.scope, None, self.correction, self.state, self.cause, self.kind, self.owner, self.mine)

    def plan(self, ids: tuple[str, ...]) -> Plan:
        """Return the plan that is about to be committed."""
        if self.do == "restore":
            return Plan(Verb.RESTORE, ids)
        pairs = (one.partition("=") for one in self.replace)
        return Plan(Verb.CONFIRM, tuple(sorted(ids)), drop=self.drop, add=self.add, replace={old: new for old, sign, new in pairs if sign and new})


def read_place(desk: Desk, states: tuple[str, ...]) -> Place:
    """Return what the address says; what it says wrongly counts as not said."""
    asked = st.query_params
    state, kind, do = asked.get("state"), asked.get("kind"), asked.get("do")
    several = {name: tuple(dict.fromkeys(one[:500] for one in asked.get_all(name) if one))[:50] for name in _MANY}
    return Place(
        desk.scope, state if state in states else None, asked.get("cause", "")[:600] or None, kind if kind in KINDS else None,
        asked.get("owner", "")[:200] or None, asked.get("mine") == "1", asked.get("correction", "")[:200] or None, asked.get("after", "")[:400] or None,
        asked.get("record", "")[:500] or None, asked.get("tenant", "")[:200] or None, do if do in DOINGS else None,
        asked.get("whole") == "1", several["drop"], several["add"], several["replace"],
        asked.get("week", "")[:40] or None, asked.get("weeks") == "1", several["tick"], asked.get("within", "")[:500] or None, int(at) if (at := asked.get("at", "")).isascii() and at.isdigit() and len(at) < 10 else None,
    )  # fmt: skip
