"""Where the page that revokes stands: all of it in the address; and the rehearsal kept for it in the session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import quote

import streamlit as st

from pages.widgets.callbacks import uninterrupted
from pages.widgets.desk import SCOPE_PARAMETER, Desk
from store import MADE_BY, PLAN_TABS, Drift, Plan, Rehearsal, Verb, check_rehearsal, find_tenant, latest_event, rehearse

VERBS = (Verb.SUSPEND, Verb.REVOKE, Verb.REINSTATE)
PAGE_ROWS = 50
_KEPT = "revoke.kept"
_DRIFT = "revoke.drift"
_MOST_KEPT = 3


@dataclass(frozen=True, slots=True)
class Place:
    """What the address says.

    Attributes:
        picks: ids of what is to change.
        do: what is to be done with them.
        tab: which list is open; `groups`: only these groups of it; `page`: from 1; `why`: the row whose whole path is open.
        find: what is searched for; `adding`: whether more is to be picked.
        done: the event whose result is shown.
        one: the rehearsal whose plan this is; it has the page of rehearsals as its address, and no picks.
        correction: the case the plan is worked out for.
        made: what made the records that are picked besides, as pairs of a word and what it says.
        by: whether one picks by what made them.
    """

    tenant: str | None
    picks: tuple[str, ...]
    do: Verb
    tab: str
    groups: tuple[int, ...]
    page: int
    why: str | None
    find: str
    adding: bool
    done: int | None
    scope: str | None
    one: str | None = None
    correction: str | None = None
    made: tuple[tuple[str, str], ...] = ()
    by: bool = False

    @property
    def chosen(self) -> bool:
        """Return whether anything is picked."""
        return bool(self.picks or self.made)

    def link(self, **changes: object) -> str:
        """Return the address of this place with some things changed; lists start at their beginning unless said."""
        if "made" in changes:
            changes = {"groups": (), "page": 1, "why": None, **changes}
        if changes.keys() & {"tab", "groups", "picks", "do"} and "page" not in changes:
            changes["page"] = 1
        if changes.keys() & {"tab", "groups", "picks", "do", "page"} and "why" not in changes:
            changes["why"] = None
        if changes.keys() & {"tab", "picks", "do"} and "groups" not in changes:
            changes["groups"] = ()
        return replace(self, **changes).address()  # type: ignore[arg-type]

    def address(self) -> str:
        """Return the address of this place."""
        pairs = self.pairs()
        return ("/rehearsals" if self.one else "/revoke") + ("?" + "&".join(f"{name}={quote(value, safe='')}" for name, value in pairs) if pairs else "")

    def pairs(self) -> list[tuple[str, str]]:
        """Return the parameters that differ from what they are by default."""
        found = [("tenant", self.tenant or ""), *(("pick", pick) for pick in self.picks), *(("made", f"{name}={value}") for name, value in self.made), ("one", self.one or "")]
        if self.chosen or self.one:
            found.append(("do", "" if self.one else self.do.value))
            found.append(("tab", self.tab if self.tab != PLAN_TABS[0] else ""))
            found.append(("group", ".".join(map(str, self.groups))))
            found.append(("page", str(self.page) if self.page > 1 else ""))
            found.append(("why", self.why or ""))
        found += [
            ("find", self.find),
            ("add", "1" if self.adding else ""),
            ("by", "made" if self.by else ""),
            ("done", str(self.done) if self.done else ""),
            ("correction", "" if self.one else self.correction or ""),
            (SCOPE_PARAMETER, self.scope or ""),
        ]
        return [(name, value) for name, value in found if value]

    @uninterrupted
    def go(self) -> None:
        """Make this place the address; from callbacks, before the page runs again."""
        pairs: dict[str, str | list[str]] = {}
        for name, value in self.pairs():
            if name in pairs:
                known = pairs[name]
                pairs[name] = [*(known if isinstance(known, list) else [known]), value]
            else:
                pairs[name] = value
        st.query_params.from_dict(pairs)


def _number(text: str | None, least: int = 1) -> int | None:
    return int(text) if text is not None and text.isascii() and text.isdigit() and len(text) < 16 and int(text) >= least else None


def _read_made(pairs: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return the words roots are picked by; what is none counts as not said."""
    found = {}
    for pair in pairs[: len(MADE_BY)]:
        name, _, value = pair.partition("=")
        if name in MADE_BY and value.strip():
            found[name] = value.strip()[:400]
    return tuple(sorted(found.items()))


def made_address(made: Mapping[str, str], tenant: str | None, do: Verb, scope: str | None) -> str:
    """Return the address of a plan about everything that was made so."""
    return Place(tenant, (), do, PLAN_TABS[0], (), 1, None, "", False, None, scope, made=tuple(sorted(made.items()))).address()


def read_place(desk: Desk) -> Place:
    """Return what the address says; what it says wrongly counts as not said."""
    asked = st.query_params
    do = asked.get("do")
    tab = asked.get("tab", PLAN_TABS[0])
    groups = tuple(int(part) for part in asked.get("group", "").split(".")[:500] if _number(part, 0) is not None)
    return Place(
        asked.get("tenant") or None, tuple(dict.fromkeys(pick for pick in asked.get_all("pick") if pick))[:200],
        Verb(do) if do in [verb.value for verb in VERBS] else Verb.SUSPEND, tab if tab in PLAN_TABS else PLAN_TABS[0], groups,
        _number(asked.get("page")) or 1, asked.get("why") or None, asked.get("find", "")[:200], asked.get("add") == "1", _number(asked.get("done")),
        desk.scope, None, asked.get("correction") or None, _read_made(asked.get_all("made")), asked.get("by") == "made",
    )  # fmt: skip


def place_of_rehearsal(desk: Desk, tenant: str, rehearsal_id: str, verb: Verb, correction: str | None) -> Place:
    """Return where one is in the lists of a rehearsal's plan."""
    asked = read_place(desk)
    return replace(asked, tenant=tenant, picks=(), made=(), by=False, do=verb, find="", adding=False, done=None, one=rehearsal_id, correction=correction)


def tenant_of_place(desk: Desk, place: Place) -> str | None:
    """Return the tenant meant: the one named, the one that has the picks, the one of the scope, or the only one.

    Raises:
        Refusal: no tenant has the picks, or several do.
    """
    if place.tenant is not None:
        return place.tenant
    if place.picks:
        return find_tenant(desk.store, desk.person, list(place.picks))
    if desk.scope:
        return desk.scope.split("/", 1)[0]
    return desk.tenants[0] if len(desk.tenants) == 1 else None


# --- the rehearsal, kept ------------------------------------------------------------------------------------------


def rehearsal_of(desk: Desk, tenant: str, plan: Plan) -> Rehearsal:
    """Return the plan worked out: once, then from the session until somebody asks for it again.

    Raises:
        Refusal: something named is not there, or no legal step.
    """
    kept: dict[tuple[str, str, str], Rehearsal] = st.session_state.setdefault(_KEPT, {})
    name = (desk.person, tenant, plan.text())
    if name not in kept:
        found = rehearse(desk.store, desk.person, tenant, plan)
        while len(kept) >= _MOST_KEPT:
            kept.pop(next(iter(kept)))
        kept[name] = found
    return kept[name]


@uninterrupted
def forget_rehearsals() -> None:
    """Let every plan be worked out anew when it is next looked at."""
    st.session_state.pop(_KEPT, None)
    st.session_state.pop(_DRIFT, None)


def drift_of(desk: Desk, rehearsal: Rehearsal) -> Drift | None:
    """Return how the plan's result differs by now; derived again only when the tenant's event number has moved."""
    known: tuple[str, Drift] | None = st.session_state.get(_DRIFT)
    if known is not None and known[0] == rehearsal.fingerprint and known[1].seq == latest_event(desk.store, desk.person, rehearsal.tenant):
        return known[1]
    found = check_rehearsal(desk.store, rehearsal)
    if found is None:
        st.session_state.pop(_DRIFT, None)
    else:
        st.session_state[_DRIFT] = (rehearsal.fingerprint, found)
    return found


def operation_of(desk: Desk, rehearsal: Rehearsal) -> str:
    """Return the operation id of committing this rehearsal: the same until it is worked out again, so that it is done once."""
    known: dict[str, str] = st.session_state.setdefault("revoke.operations", {})
    name = f"{rehearsal.fingerprint}:{rehearsal.at}"
    if name not in known:
        known.clear()
        known[name] = desk.store.new_id()
    return known[name]


def pick_plan(do: Verb, picks: Sequence[str], made: Sequence[tuple[str, str]] = ()) -> Plan:
    """Return the plan the page is about."""
    return Plan(do, tuple(sorted(picks)), made=dict(made))
