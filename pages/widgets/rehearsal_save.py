"""Keeping what a plan would do under a name: a small form that stands beside the button that commits."""

from __future__ import annotations

import secrets

import streamlit as st

from pages.widgets import told
from pages.widgets.callbacks import uninterrupted
from pages.widgets.candidate_place import mark_of
from pages.widgets.decision_guard import counts
from pages.widgets.desk import SCOPE_PARAMETER, Desk
from pages.widgets.language import phrase, quote_store, say
from pages.widgets.markup import draw, tag
from pages.widgets.rehearsal_place import rehearsal_address
from pages.widgets.status import icon
from store import Plan, Refusal, list_open_corrections, save_rehearsal

_SAVED = "rehearsal.saved"
_REFUSED = "rehearsal.refused"
_OPERATION = "rehearsal.operation"


def draw_save(desk: Desk, tenant: str, plan: Plan, fingerprint: str, *, name: str = "", correction: str | None = None, key: str = "rehearsal.save") -> None:
    """Draw the form that keeps a plan as a rehearsal.

    Args:
        plan: what would be done; `fingerprint`: of the preview that is drawn, which is what is kept.
        name: what it is called unless something else is typed.
        correction: id of the open correction it belongs to.
        key: where the form stands, for pages that have several.
    """
    mark = mark_of(tenant, fingerprint)
    saved, refused = st.session_state.get(_SAVED), told.take(_REFUSED)
    if refused is not None and refused[0] == mark:
        draw(tag("div", quote_store(refused[1]), cls="cd-band cd-badband"))
    if saved is not None and saved["mark"] == mark:
        href = rehearsal_address(tenant, saved["id"], st.query_params.get(SCOPE_PARAMETER))
        link = tag("a", say("Open it"), cls="cd-link", href=href)
        words = phrase("{saved} as “{name}”. {link}", saved=tag("b", icon("bookmark_added"), say("Saved")), name=saved["name"], link=link)
        draw(tag("div", words, cls="cd-band cd-goodband rh-saved"))
    field = f"{key}.name.{mark}"
    with st.popover(say("Save as rehearsal"), icon=":material/bookmark_add:", width="stretch"):
        draw(tag("p", say("Nothing is changed. What you see is kept under a name, to compare it, to hand it over, or to commit it later."), cls="cd-muted cd-small"))
        with st.form(f"{key}.{mark}", border=False):
            st.text_input(say("Name of the rehearsal"), value=name[:120], key=field, max_chars=120)
            st.form_submit_button(say("Save"), key=f"{key}.submit.{mark}", on_click=_save, args=(desk, tenant, plan, fingerprint, correction, field))


@uninterrupted
def _save(desk: Desk, tenant: str, plan: Plan, fingerprint: str, correction: str | None, field: str) -> None:
    if not counts():
        return
    mark, name = mark_of(tenant, fingerprint), str(st.session_state.get(field) or "")
    if correction is None:  # a plan about the source of an open case belongs to it
        correction = next((case.id for case in list_open_corrections(desk.store, desk.person, tenant, plan.roots)[0] if case.joined), None)
    operation = st.session_state.setdefault(_OPERATION, secrets.token_hex(12))
    try:
        done = save_rehearsal(
            desk.store, desk.person, tenant, plan, name, fingerprint=fingerprint, correction=correction, operation=f"{operation}-{mark_of(mark, name)}"
        )
    except Refusal as refusal:
        told.keep(_REFUSED, (mark, refusal.message))
        return
    st.session_state.pop(_OPERATION, None)
    st.session_state[_SAVED] = {"mark": mark, "id": done["rehearsal"], "name": " ".join(name.split())}
