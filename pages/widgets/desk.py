"""What every page opens with: the store, who acts, the scope; and how an action is attempted."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import streamlit as st

from pages.widgets import identity
from pages.widgets.markup import draw, tag
from pages.widgets.style import apply_style
from store import Actor, ClaimStore, Refusal, describe_actor, list_tenants, open_store

T = TypeVar("T")
_REFUSED = "desk.refused"
_DONE = "desk.done"
DEFAULT_DB = "sqlite:///claimdesk.db"


@dataclass(frozen=True, slots=True)
class Desk:
    """The store and the person at it."""

    store: ClaimStore
    person: str
    actor: Actor
    tenants: tuple[str, ...]


@st.cache_resource(show_spinner=False)
def _open(url: str) -> ClaimStore:
    return open_store(url)


def database_url() -> str:
    """Return where the store is: CLAIMDESK_DB, else claimdesk.db in the working folder."""
    return os.environ.get("CLAIMDESK_DB") or DEFAULT_DB


def _say_no_store(refusal: Refusal) -> None:
    st.title("The desk cannot open its store")
    draw(tag("div", refusal.message, cls="cd-band cd-badband"))
    st.button("Try again", key="desk.retry")


def open_desk() -> Desk:
    """Return the desk, or draw what stands in the way and stop. The first line of every page."""
    apply_style()
    try:
        store = _open(database_url())
        person = identity.who_is_this(store)
        if person is None:
            identity.choose_person(store)
            identity.remember_person()
            st.stop()
        actor = describe_actor(store, person)
        return Desk(store, person, actor, tuple(list_tenants(store, person)))
    except Refusal as refusal:
        _say_no_store(refusal)
        st.stop()


def attempt(doing: Callable[[], T]) -> T | None:
    """Run an action or a read; keep a refusal for `show_notices` and return None."""
    try:
        return doing()
    except Refusal as refusal:
        st.session_state[_REFUSED] = {"message": refusal.message, "code": refusal.code.value, "details": refusal.details}
        return None


def note_done(message: str, link: tuple[str, str] | None = None) -> None:
    """Keep what an action did for `show_notices`: a sentence, and optionally (words, address inside the desk)."""
    st.session_state[_DONE] = {"message": message, "link": link}


def last_refusal() -> dict[str, Any] | None:
    """Return the refusal that `show_notices` would show."""
    found = st.session_state.get(_REFUSED)
    return dict(found) if found else None


def show_notices() -> None:
    """Draw what the last action did or why it did not, once."""
    done = st.session_state.pop(_DONE, None)
    refused = st.session_state.pop(_REFUSED, None)
    if done:
        link = tag("a", done["link"][0], cls="cd-link", href=done["link"][1]) if done["link"] else None
        draw(tag("div", done["message"], " " if link else None, link, cls="cd-band cd-goodband"))
    if refused:
        draw(tag("div", refused["message"], cls="cd-band cd-badband"))


def record_link(record_id: str, tenant: str | None = None, words: str | None = None) -> Any:
    """Return a link to a record's page."""
    return tag("a", words or record_id, cls="cd-link cd-id" if words is None else "cd-link", href=record_address(record_id, tenant))


def record_address(record_id: str, tenant: str | None = None) -> str:
    """Return the address of a record's page inside the desk."""
    from urllib.parse import quote, quote_plus  # noqa: PLC0415

    address = f"/record?record={quote(record_id, safe='')}"
    return address + (f"&tenant={quote_plus(tenant, safe='')}" if tenant else "")
