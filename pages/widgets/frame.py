"""The frame around every page: the menu with counts, the scope, who is signed in, and the page itself."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from pages.widgets import identity
from pages.widgets.callbacks import uninterrupted
from pages.widgets.decision_guard import ignored_said
from pages.widgets.desk import SCOPE_PARAMETER, Desk, address, at_desk, database_url, open_desk
from pages.widgets.language import later, number, phrase, say
from pages.widgets.late_keys import watch_late_keys
from pages.widgets.markup import Markup, draw, tag
from pages.widgets.server import MISSING_PARAMETER
from pages.widgets.status import icon
from pages.widgets.style import apply_style
from pages.widgets.today_questions import draw_ignored_above
from pages.widgets.told import drawing_of
from store import Refusal, count_open_corrections, count_waiting, list_queue, show_invisible

_PAGES = Path(__file__).resolve().parents[1]
_SCOPE = "frame.scope"
_NAME = "Claimdesk"
#: Stands for no choice; no scope is called so, because a scope has no empty segment.
_ALL = "/"


@dataclass(frozen=True, slots=True)
class _Entry:
    """A page of the desk.

    Attributes:
        icon: of its place in the menu; a page without one is reached by links only.
        folded: it stands below the fold of the menu.
    """

    name: str
    title: str
    icon: str | None = None
    folded: bool = False


_ENTRIES = (
    _Entry("today", later("Today"), "today"),
    _Entry("candidates", later("Candidates"), "pending_actions"),
    _Entry("conflicts", later("Conflicts"), "compare_arrows"),
    _Entry("dependencies", later("Dependencies"), "account_tree"),
    _Entry("revoke", later("Revoke and preview"), "rule"),
    _Entry("corrections", later("Corrections"), "healing"),
    _Entry("about", later("About"), "contact_support"),
    _Entry("sources", later("Sources"), "description"),
    _Entry("letter", later("Letter")),
    _Entry("record", later("Record")),
    _Entry("sheet", later("Decision sheet")),
    _Entry("revalidate", later("Re-validation"), "history", folded=True),
    _Entry("rehearsals", later("Rehearsals"), "bookmarks", folded=True),
    _Entry("deliveries", later("Deliveries and notices"), "outbox", folded=True),
    _Entry("forgetting", later("Forgetting"), "ink_eraser", folded=True),
    _Entry("search", later("Search as an agent"), "manage_search", folded=True),
    _Entry("people", later("People and policy"), "group", folded=True),
    _Entry("imports", later("Import"), "upload_file", folded=True),
)
#: The addresses the desk has.
ADDRESSES = tuple(entry.name for entry in _ENTRIES)


def run_page() -> None:
    """Draw the frame and run the page the address names."""
    st.set_page_config(page_title=_NAME, page_icon="🗂️", layout="wide", initial_sidebar_state="auto")
    apply_style()
    pages = [st.Page(_PAGES / f"{entry.name}.py", title=say(entry.title), url_path=entry.name) for entry in _ENTRIES]
    # A default page has no address of its own, so none of the desk's pages is it: `/` leads to the first of them.
    home = st.Page(lambda: st.switch_page(pages[0]), title=say(_ENTRIES[0].title), url_path="home", default=True)
    # The desk draws its own menu, whose links carry the scope; Streamlit's would drop it.
    page = st.navigation([home, *pages], position="hidden")
    if page == home:
        page.run()
    here = page.url_path
    st.set_page_config(page_title=say("{page} · Claimdesk", page=page.title))
    watch_late_keys()
    with st.sidebar:
        draw(tag("button", say("Skip to the page itself"), cls="cd-skip"))
        draw(
            tag("div", tag("a", _NAME, cls="cd-link", href=address(_ENTRIES[0].name)), tag("span", say("what our agents may believe, and why")), cls="cd-brand")
        )
    desk = open_desk()
    with at_desk(desk):
        with st.sidebar:
            draw(_menu(desk, here))
            _choose_scope(desk)
            _show_person(desk)
        if st.query_params.get(MISSING_PARAMETER):
            draw(tag("div", phrase("{nothing} This is {page}.", nothing=tag("b", say("There is no page at that address.")), page=page.title), cls="cd-band cd-warnband"))
        if desk.unknown_scope is not None:
            shown = desk.unknown_scope[:200]
            wrong = tag("b", say("The scope in the address is not one you may see:"))
            draw(tag("div", phrase("{wrong} {scope}. All your scopes are shown instead.", wrong=wrong, scope=shown), cls="cd-band cd-warnband"))
        with drawing_of(here), ignored_said(draw_ignored_above):
            page.run()
        identity.remember_person()


def count_candidates(desk: Desk) -> int | None:
    """Return how many candidates the list of candidates holds for this person and scope; None where they may not see it."""
    try:
        return int(list_queue(desk.store, desk.person, "candidates", scope=desk.scope, limit=1)["total"])
    except Refusal:
        return None


def count_conflicts(desk: Desk) -> int | None:
    """Return how many open conflicts the list of conflicts holds for this person and scope; None where they may not see it."""
    try:
        return int(list_queue(desk.store, desk.person, "conflicts", scope=desk.scope, limit=1)["total"])
    except Refusal:
        return None


def count_corrections(desk: Desk) -> int | None:
    """Return how many open corrections the list of corrections holds for this person and scope; None where there is nothing to see."""
    try:
        return count_open_corrections(desk.store, desk.person, scope=desk.scope) if desk.scopes else None
    except Refusal:
        return None


def count_today(desk: Desk) -> int:
    """Return how many things wait for this person in the scope, as the page of the day says it."""
    try:
        return count_waiting(desk.store, desk.person, scope=desk.scope).total
    except Refusal:
        return 0


def _menu(desk: Desk, here: str) -> Markup:
    counts = {
        "today": count_today(desk), "candidates": count_candidates(desk), "conflicts": count_conflicts(desk), "corrections": count_corrections(desk),
    }  # fmt: skip

    def link(entry: _Entry) -> Markup:
        count = counts.get(entry.name)
        shown = tag("span", number(count), cls="cd-count") if count is not None else None
        cls = "cd-link cd-nav cd-here" if entry.name == here else "cd-link cd-nav"
        return tag("a", tag("span", icon(entry.icon or ""), say(entry.title)), shown, cls=cls, href=address(entry.name, scope=desk.scope), here=entry.name == here)

    main = [link(entry) for entry in _ENTRIES if entry.icon and not entry.folded]
    more = [entry for entry in _ENTRIES if entry.icon and entry.folded]
    if any(entry.name == here for entry in more):
        main.append(tag("div", *(link(entry) for entry in more), cls="cd-menumore"))
    elif more:
        main.append(tag("details", tag("summary", say("More")), *(link(entry) for entry in more), cls="cd-menumore"))
    return tag("nav", *main, cls="cd-menu", label=say("Pages"))


@uninterrupted
def _take_scope() -> None:
    chosen = st.session_state[_SCOPE]
    if chosen == _ALL:
        st.query_params.pop(SCOPE_PARAMETER, None)
    else:
        st.query_params[SCOPE_PARAMETER] = chosen


def _scope_words(scope: str) -> str:
    return say("All my scopes") if scope == _ALL else show_invisible(scope)


def _choose_scope(desk: Desk) -> None:
    if len(desk.scopes) < 2:
        return
    # The address is what counts: going back, or a link, sets the chooser.
    st.session_state[_SCOPE] = desk.scope or _ALL
    st.selectbox(say("Scope"), (_ALL, *desk.scopes), key=_SCOPE, on_change=_take_scope, format_func=_scope_words)


def _show_person(desk: Desk) -> None:
    roles = identity.roles_in_words(list(desk.actor.roles))
    name = desk.actor.name
    draw(
        tag(
            "div",
            tag("span", say("You are"), cls="cd-muted"),
            tag("b", name[:120]),
            tag("span", roles[:160], cls="cd-muted", title=roles[:2000]),
            cls="cd-who",
        ),
        tag(
            "div",
            icon("lock_open"),
            tag("span", say("Local mode: this machine, no password")),
            cls="cd-local",
            title=say("Store: {address}", address=database_url().split("@")[-1]),
        ),
    )
    st.button(say("Not you?"), key="frame.forget", on_click=identity.forget_person, type="tertiary")
