"""What a search after erasing found where nothing clears it by itself: each place with what somebody can do there, and searching again."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.widgets.callbacks import uninterrupted
from pages.widgets.candidate_place import mark_of
from pages.widgets.desk import Desk, address
from pages.widgets.forgetting_state import press, typed
from pages.widgets.language import later, say, say_count
from pages.widgets.markup import Markup, draw, join, tag
from pages.widgets.status import icon
from store import EVERYWHERE, DeletionView, Right, find_residue

#: table -> what stands there, what to do about it, and on which page; None where it is no page of the desk.
_PLACES = {
    "policy": (later("The policy of the tenant names it, in its watch words, its usual terms or another setting."), later("Change the policy"), "people"),
    "predicate": (later("A declared predicate names it."), later("Declare it in other words"), "people"),
    "person": (later("Somebody who may act here goes by it."), later("Look at the people"), "people"),
    "source": (later("A source of which something stays is called so."), later("Look at the sources"), "sources"),
    "claim_key": (later("Other records are about the same subject."), later("Look at the records"), "about"),
    "party": (later("Other records have the same owner or proposer."), None, None),
    "export_copy": (later("Somebody who holds a file goes by it, and has to be known until it is destroyed."), later("Look at the files"), "forgetting"),
    "message": (later("A message asks them to destroy it."), later("Look at the messages"), "deliveries"),
    "deletion_surface": (later("They stand here as who holds a file."), None, None),
    "backup_copy": (later("A backup is called so, and has to be found until it is destroyed."), None, None),
    "scope": (later("A scope is called so. Scopes cannot be renamed, so it stays as the name of what others hold."), None, None),
}  # fmt: skip
_LIST = 12


def draw_left(desk: Desk, view: DeletionView, found: dict[str, Any], *, ok: bool) -> None:
    """Draw the places that a person has to see to, and for an admin of everything a way to search again once that is done."""
    left, names = found.get("left") or {}, found.get("names") or {}
    if names:
        draw(tag("h3", say("Names that stay, for others go by them too")), _places(desk, names))
    if found.get("held"):
        draw(tag("h3", say("Names by which copies are found until they are destroyed")), _places(desk, found["held"]))
    if left:
        draw(tag("h3", say("What somebody has to see to")), _places(desk, left))
    if not ok and view.row.state == "open" and desk.actor.may(Right.ADMINISTER, EVERYWHERE):
        _draw_search(desk, view)


def _places(desk: Desk, places: dict[str, int]) -> Markup:
    by_table: dict[str, int] = {}
    for place, count in places.items():
        table, _, column = place.partition(".")
        table = "scope" if column == "scope" else table if table in _PLACES else place
        by_table[table] = by_table.get(table, 0) + int(count)
    return tag("ul", *(tag("li", _place(desk, table, count)) for table, count in sorted(by_table.items())[:_LIST]), cls="cd-list")


def _place(desk: Desk, table: str, count: int) -> Markup:
    times = tag("span", say_count("{n} time", "{n} times", count), cls="cd-muted")
    if table not in _PLACES:
        return join((tag("span", say("It stands in {place}. Go on erasing, or tell whoever looks after the desk.", place=table)), times), " ")
    says, act, page = _PLACES[table]
    link = tag("a", say(act), cls="cd-link", href=address(page, scope=desk.scope)) if act and page else None
    return join([one for one in (tag("span", say(says)), times, link) if one is not None], " ")


def _draw_search(desk: Desk, view: DeletionView) -> None:
    """Draw the form in which somebody who knows the words searches for them again: the desk has forgotten them."""
    key = f"forgetting.again.{mark_of(view.row.tenant, view.row.id)}"
    with st.expander(say("Search again for its words")), st.form(key, border=False, enter_to_submit=False):
        about = say("The desk has forgotten them, so somebody who knows them types them once more. They are searched for in every table and file, and kept nowhere.")
        draw(tag("div", icon("search"), about, cls="cd-muted cd-small"))
        st.text_area(say("Words, one a line"), key=f"{key}.words", height=88, max_chars=4000)
        st.form_submit_button(say("Search again"), key=f"{key}.go", on_click=_search, args=(desk, view, f"{key}.words"))


@uninterrupted
def _search(desk: Desk, view: DeletionView, key: str) -> None:
    words = [line.strip() for line in typed(key).splitlines() if line.strip()]
    if words and press(
        say("It was searched again; what was found stands below. Look again at the places to complete the request."),
        lambda: find_residue(desk.store, desk.person, words, sweep=True, verifies=(view.row.tenant, view.row.id)),
    ):
        st.session_state[key] = ""
