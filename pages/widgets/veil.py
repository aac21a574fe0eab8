"""The veil over flagged and marked values: what this person asked to see in this session, and the button that asks."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from pages.widgets.callbacks import uninterrupted
from pages.widgets.language import later, quote_store, say
from pages.widgets.markup import Markup, draw, tag
from pages.widgets.status import icon
from store import Refusal, lower_veil, reveal, veil_shown, veiling

if TYPE_CHECKING:
    from pages.widgets.desk import Desk

#: Session state: (person, tenant, id, version) of what was asked for.
_SHOWN = "veil.shown"
_SESSION = "veil.session"
_REFUSED = "veil.refused"
#: kind of flag -> what it is about, in the middle of a sentence.
KIND_WORDS = {
    "credential": later("a credential"), "health": later("somebody's health"), "identity": later("somebody's identity number"), "financial": later("somebody's money"),
    "contact": later("how somebody is reached"), "belief": later("somebody's belief or politics"), "sexuality": later("somebody's sexuality"),
    "ethnicity": later("somebody's origin"), "criminal": later("an offence"), "biometric": later("somebody's body data"), "minor": later("a minor"),
    "other": later("something watched for here"),
}  # fmt: skip


def draw_veil(person: str) -> None:
    """Veil what is looked at in this run, but for what this person asked to see."""
    shown = st.session_state.get(_SHOWN) or ()
    lower_veil(frozenset((tenant, id_, version) for who, tenant, id_, version in shown if who == person))


def behind_veil(doing: Callable[[], Any]) -> Callable[[], Any]:
    """Return what makes a file to be saved as the page is drawn now: it runs when the file is asked for, outside of this run and its veil."""
    shown = veil_shown()

    def make() -> Any:
        with veiling(shown):
            return doing()

    return make


def say_kinds(kinds: Iterable[str]) -> str:
    """Return what flags of these kinds are about, each once."""
    words = [say(KIND_WORDS[kind]) for kind in dict.fromkeys(kinds)]
    return words[0] if len(words) == 1 else say("{some} and {last}", some=say(", ").join(words[:-1]), last=words[-1])


def take_refused(tenant: str, id_: str) -> str | None:
    """Return, once, why the veil of a record was not lifted."""
    found = st.session_state.get(_REFUSED)
    if found and found[:2] == (tenant, id_):
        del st.session_state[_REFUSED]
        return str(found[2])
    return None


@uninterrupted
def _show(desk: Desk, tenant: str, id_: str, version: int) -> None:
    session = st.session_state.setdefault(_SESSION, secrets.token_hex(8))
    try:
        done = reveal(
            desk.store,
            desk.person,
            tenant,
            id_,
            seen=version,
            operation=f"desk-reveal-{session}-{desk.person}-{tenant}-{version}-{secrets.token_hex(4)}",
        )
    except Refusal as refusal:
        st.session_state[_REFUSED] = (tenant, id_, refusal.message)
        return
    shown = set(st.session_state.get(_SHOWN) or ())
    st.session_state[_SHOWN] = {*shown, (desk.person, tenant, done["revealed"], done["version"])}


def draw_show_button(desk: Desk, tenant: str, id_: str, version: int, key: str, *, shortcut: str | None = None) -> None:
    """Draw the button that asks to see what is veiled."""
    st.button(
        say("Show it to me"), icon=":material/visibility:", key=f"veil.show.{key}", shortcut=shortcut, on_click=_show, args=(desk, tenant, id_, version), type="tertiary",
        help=say("It is logged that you looked: the record and when, not what it says."),
    )  # fmt: skip


def was_shown(desk: Desk, tenant: str, id_: str, version: int) -> bool:
    """Return whether this person asked to see this version in this session."""
    return (desk.person, tenant, id_, version) in (st.session_state.get(_SHOWN) or ())


def draw_veil_band(desk: Desk, tenant: str, id_: str, version: int, why: Sequence[str], sensitivity: str | None, *, may: bool = True) -> None:
    """Draw why a record is veiled with the button that lifts the veil, or that it was lifted.

    Args:
        why: kinds of what was found in it; empty where it is not veiled.
        may: whether it can be shown: the person sees everything of its scope, and looks at what is so now.
    """
    if not why:
        if was_shown(desk, tenant, id_, version):
            words = say("You asked to see this; that is logged. It is veiled again when it changes, and for everybody else.")
            draw(tag("div", icon("visibility"), words, cls="cd-band cd-muted"))
        return
    refused = take_refused(tenant, id_)
    with st.container(horizontal=True, vertical_alignment="center", key="veil_line"):
        draw(tag("div", icon("visibility_off"), _veil_words(why, sensitivity), cls="cd-band cd-warnband"))
        if may:
            draw_show_button(desk, tenant, id_, version, f"{tenant}.{id_}.{version}", shortcut="V")
    if refused:
        draw(tag("div", quote_store(refused), cls="cd-band cd-badband"))


def say_unseen() -> Markup:
    """Return that nothing is approved that was not seen, and the key that shows it."""
    return tag("div", icon("visibility_off"), say("Approving is off while its words are veiled. Show it first (V)."), cls="cc-blocked")


def _veil_words(why: Sequence[str], sensitivity: str | None) -> Markup:
    kinds = [kind for kind in why if kind in KIND_WORDS]
    if kinds:
        return tag("span", say("Its words are veiled: they seem to tell of {kinds}.", kinds=say_kinds(kinds)))
    return tag("span", say("Its words are veiled, because it is marked {sensitivity}.", sensitivity=sensitivity or ""))
