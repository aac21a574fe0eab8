"""The frame around every page: the menu with counts, who is signed in, and the page itself."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from pages.widgets import identity
from pages.widgets.desk import database_url, open_desk
from pages.widgets.markup import draw, tag
from pages.widgets.style import apply_style
from store import Refusal, list_queue

_PAGES = Path(__file__).resolve().parents[1]
_ICON = _PAGES / "widgets" / "icon.svg"


def _count_candidates() -> int:
    desk = open_desk()
    try:
        return int(list_queue(desk.store, desk.person, "candidates", limit=1)["total"])
    except Refusal:
        return 0


def run_page() -> None:
    """Draw the frame and run the page the address names."""
    st.set_page_config(page_title="Claimdesk", page_icon="🗂️", layout="wide", initial_sidebar_state="auto")
    apply_style()
    with st.sidebar:
        draw(tag("div", "Claimdesk", tag("span", "what our agents may believe, and why"), cls="cd-brand"))
    waiting = _count_candidates()
    pages = [
        st.Page(_PAGES / "candidates.py", title=f"Candidates ({waiting:,})", icon=":material/pending_actions:", url_path="candidates", default=True),
        st.Page(_PAGES / "revoke.py", title="Revoke and preview", icon=":material/rule:", url_path="revoke"),
        st.Page(_PAGES / "record.py", title="Record", icon=":material/description:", url_path="record", visibility="hidden"),
    ]
    page = st.navigation(pages, position="sidebar")
    _show_person()
    page.run()
    identity.remember_person()


def _show_person() -> None:
    desk = open_desk()
    with st.sidebar:
        roles = sorted({f"{role} in {'every scope' if scope == '*' else scope}" for role, scope in desk.actor.roles})
        shown = "every role everywhere" if len(roles) > 4 else "; ".join(roles)
        draw(tag("div", tag("b", desk.actor.name), tag("span", shown, cls="cd-muted"), cls="cd-who"))
        st.button("Not you?", key="frame.forget", on_click=identity.forget_person, type="tertiary", icon=":material/logout:")
        draw(tag("div", "Local mode: bound to this machine, nobody has proved who they are.", cls="cd-local", title=database_url().split("@")[-1]))
