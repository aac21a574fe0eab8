"""What every page opens with: the store, who acts, the scope; and how an action is attempted."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import quote

import streamlit as st

from pages.widgets import identity, told
from pages.widgets.callbacks import is_uninterrupted
from pages.widgets.language import quote_store, say
from pages.widgets.markup import Markup, draw, tag
from pages.widgets.style import apply_style
from pages.widgets.veil import draw_veil
from store import NAMELESS, Actor, ClaimStore, Refusal, describe_actor, list_people_of, list_scopes, list_tenants, open_store

T = TypeVar("T")
_REFUSED = "desk.refused"
_UNREAD = "desk.unread"
_DONE = "desk.done"
DEFAULT_DB = "sqlite:///claimdesk.db"
SCOPE_PARAMETER = "scope"


@dataclass(frozen=True, slots=True)
class Desk:
    """The store, the person at it, and what they look at.

    Attributes:
        scope: the scope chosen in the frame, which lists keep to; None for all of the person's scopes.
        scopes: those the person may choose from.
        unknown_scope: what the address asked for and the person may not see, or is not there.
    """

    store: ClaimStore
    person: str
    actor: Actor
    tenants: tuple[str, ...]
    scope: str | None = None
    scopes: tuple[str, ...] = ()
    unknown_scope: str | None = None


#: The desk of the run going on, so that the frame and the page in it look once.
_current: ContextVar[Desk | None] = ContextVar("desk", default=None)


#: The desk opened last in this run, by which people are named.
_opened: ContextVar[Desk | None] = ContextVar("opened", default=None)


@st.cache_data(ttl=20, max_entries=200, show_spinner=False)
def _names(url: str, person: str, tenants: tuple[str, ...], _store: ClaimStore) -> dict[str, str]:  # noqa: ARG001 - what the store is called is the key
    return {one["id"]: one["name"] for tenant in tenants for one in list_people_of(_store, person, tenant)}


def person_name(person_id: str, desk: Desk | None = None) -> str:
    """Return what somebody of the person's own tenants is called; owners who are no people of the store have only their id, whoever was forgotten none.

    Args:
        desk: given by callbacks, which run before the desk of their run is opened.
    """
    if person_id == NAMELESS:
        return say("somebody who was forgotten")
    desk = desk or _opened.get()
    if desk is None:
        return person_id
    try:
        return _names(desk.store.url, desk.person, desk.tenants, desk.store).get(person_id) or person_id
    except Refusal:
        return person_id


@st.cache_resource(show_spinner=False)
def _open(url: str) -> ClaimStore:
    return open_store(url)


def database_url() -> str:
    """Return where the store is: CLAIMDESK_DB, else claimdesk.db in the working folder."""
    return os.environ.get("CLAIMDESK_DB") or DEFAULT_DB


def desk_store() -> ClaimStore:
    """Return the store the desk shows, for what needs no person.

    Raises:
        Refusal: it cannot be opened.
    """
    return _open(database_url())


def _say_no_store(refusal: Refusal) -> None:
    st.title(say("The desk cannot open its store"), anchor=False)
    draw(tag("div", quote_store(refusal.message), cls="cd-band cd-badband"))
    st.button(say("Try again"), key="desk.retry")


def open_desk() -> Desk:
    """Return the desk, or draw what stands in the way and stop. The first line of every page."""
    known = _current.get()
    if known is not None:
        return known
    apply_style()
    try:
        store = _open(database_url())
        person = identity.who_is_this(store)
        if person is None:
            identity.choose_person(store)
            identity.remember_person()
            st.stop()
        actor = describe_actor(store, person)
        tenants, scopes = tuple(list_tenants(store, person)), tuple(list_scopes(store, person))
    except Refusal as refusal:
        _say_no_store(refusal)
        st.stop()
    asked = st.query_params.get(SCOPE_PARAMETER) or None
    known_scope = asked is None or asked in scopes
    desk = Desk(store, person, actor, tenants, asked if known_scope else None, scopes, None if known_scope else asked)
    _opened.set(desk)
    draw_veil(desk.person)
    return desk


@contextmanager
def at_desk(desk: Desk) -> Iterator[None]:
    """Let everything drawn inside use this desk."""
    token = _current.set(desk)
    draw_veil(desk.person)
    try:
        yield
    finally:
        _current.reset(token)


def attempt(doing: Callable[[], T]) -> T | None:
    """Run an action or a read; keep a refusal for `show_notices` and return None."""
    try:
        return doing()
    except Refusal as refusal:
        found = {"message": refusal.message, "code": refusal.code.value, "details": refusal.details}
        if is_uninterrupted():
            told.keep(_REFUSED, found)
        else:  # a drawing that is broken off reads it anew
            st.session_state[_UNREAD] = found
        return None


def note_done(message: str, link: tuple[str, str] | None = None) -> None:
    """Keep what an action did for `show_notices`: a sentence, and optionally (words, address inside the desk)."""
    told.keep(_DONE, {"message": message, "link": link})


def last_refusal() -> dict[str, Any] | None:
    """Return the refusal that `show_notices` would show."""
    found = st.session_state.get(_UNREAD) or told.peek(_REFUSED)
    return dict(found) if found else None


def take_refusal() -> dict[str, Any] | None:
    """Return the refusal that `show_notices` would show, for a page that says it in its own way."""
    found = st.session_state.pop(_UNREAD, None) or told.take(_REFUSED)
    return dict(found) if found else None


def show_done() -> None:
    """Draw what the last action did, once; for pages whose lower end is far away."""
    done = told.take(_DONE)
    if done:
        link = tag("a", done["link"][0], cls="cd-link", href=done["link"][1]) if done["link"] else None
        draw(tag("div", done["message"], " " if link else None, link, cls="cd-band cd-goodband"))


def show_notices() -> None:
    """Draw what the last action did or why it did not, once."""
    refused = take_refusal()
    show_done()
    if refused:
        draw(tag("div", quote_store(refused["message"]), cls="cd-band cd-badband"))


def address(page: str, **parameters: str | None) -> str:
    """Return an address inside the desk: a page and the parameters that are set."""
    pairs = "&".join(f"{name}={quote(value, safe='')}" for name, value in parameters.items() if value)
    return f"/{page}" + (f"?{pairs}" if pairs else "")


def record_address(record_id: str, tenant: str | None = None) -> str:
    """Return the address of a record's page inside the desk."""
    known = _current.get()
    return address("record", record=record_id, tenant=tenant, scope=known.scope if known else None)


def record_link(record_id: str, tenant: str | None = None, words: str | None = None) -> Markup:
    """Return a link to a record's page."""
    return tag("a", words or record_id, cls="cd-link cd-id" if words is None else "cd-link", href=record_address(record_id, tenant))
