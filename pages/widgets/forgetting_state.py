"""What a request to forget would do, worked out and kept in the session until it is made; and how presses are told apart."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.widgets.callbacks import uninterrupted
from pages.widgets.candidate_place import mark_of
from pages.widgets.decision_guard import counts
from pages.widgets.desk import Desk, attempt, note_done
from pages.widgets.forgetting_place import Place
from pages.widgets.plan_state import forget_rehearsals, rehearsal_of
from store import (
    CopyList,
    ForeseenDeletion,
    ForeseenPassages,
    KeptBackups,
    OtherPlaces,
    Plan,
    Rehearsal,
    Verb,
    Wanted,
    count_kept_backups,
    foresee_passages,
    list_export_copies,
    preview_deletion,
    suggest_further_places,
)

_KEPT = "forgetting.kept"
_SESSION = "forgetting.session"
#: Rows of the reach that are described at once; the lists load their own.
_ROWS = 0


@dataclass(frozen=True, slots=True)
class Reach:
    """What a request would do: what it finds, the same as a plan whose lists can be looked at, the passages it covers, and where else it stands."""

    foreseen: ForeseenDeletion
    rehearsal: Rehearsal
    passages: ForeseenPassages
    copies: CopyList
    backups: KeptBackups
    beside: OtherPlaces

    @property
    def ids(self) -> tuple[str, ...]:
        """Return the ids of what would be forgotten."""
        return tuple(target.id for target in self.foreseen.targets)


def wanted_of(place: Place) -> Wanted:
    """Return what the address asks to forget; subject and source are looked up anew each time unless something was added."""
    if place.way in ("record", "search"):
        return Wanted(place.records, place.way, place.name or None, None, place.left, place.keep)
    return Wanted((), place.way, place.name, place.scope, place.left, place.keep)


def reach_of(desk: Desk, tenant: str, place: Place) -> Reach:
    """Return what the request would do: once, then from the session until somebody asks for it again.

    Raises:
        Refusal: something named is not there or not administered by the person, or nothing is found.
    """
    wanted = wanted_of(place)
    known: tuple[Any, Reach] | None = st.session_state.get(_KEPT)
    name = (desk.person, tenant, wanted, place.records)
    if known is not None and known[0] == name:
        return known[1]
    forget_rehearsals()
    foreseen = preview_deletion(desk.store, desk.person, tenant, wanted, rows=_ROWS)
    if place.records and place.way in ("subject", "source"):
        ids = (*(target.id for target in foreseen.targets), *place.records)
        foreseen = preview_deletion(desk.store, desk.person, tenant, Wanted(ids, place.way, place.name, None, place.left, place.keep), rows=_ROWS)
    ids = tuple(sorted({target.id for target in foreseen.targets}))
    reach = Reach(
        foreseen, rehearsal_of(desk, tenant, Plan(Verb.ERASE, ids, keep_passages=tuple(sorted(set(place.keep))))),
        foresee_passages(desk.store, desk.person, tenant, ids, keep=place.keep), list_export_copies(desk.store, desk.person, tenant, records=ids),
        count_kept_backups(desk.store, desk.person, tenant), suggest_further_places(desk.store, desk.person, tenant, list(ids)),
    )  # fmt: skip
    st.session_state[_KEPT] = (name, reach)
    return reach


def forget_reach() -> None:
    """Let the reach be worked out anew, and keep nothing of it."""
    st.session_state.pop(_KEPT, None)
    forget_rehearsals()


def operation(what: str, *words: Any) -> str:
    """Return the operation id of one press: the same for the same words."""
    session = st.session_state.setdefault(_SESSION, secrets.token_hex(8))
    return f"desk-{session}-{what}-{mark_of(*words)}"


@uninterrupted
def press(said: str, action: Callable[[], Any]) -> bool:
    """Do something once per press, and keep what it did to be said; return whether it was done."""
    if not counts() or attempt(action) is None:
        return False
    note_done(said)
    return True


def typed(key: str) -> str:
    """Return what stands in a field."""
    return str(st.session_state.get(key) or "").strip()
