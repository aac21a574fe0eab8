"""The verdict that an extractor misread: which one, and what else it made that is set aside with it."""

from __future__ import annotations

import streamlit as st

from pages.widgets.candidate_words import shorten
from pages.widgets.conflict_decide import field, made_by, reader_chosen, readers_of
from pages.widgets.conflict_words import short_value
from pages.widgets.desk import Desk, attempt, record_address
from pages.widgets.labels import label_text, option_text
from pages.widgets.language import number, phrase, say, say_count
from pages.widgets.markup import Markup, draw, tag
from store import ConflictView, MadeRow, list_made

#: How many of the others may be left out one by one.
_LISTED = 200
_SHOWN = 8


def _values_of(view: ConflictView, reader: tuple[str, str]) -> list[str]:
    """Return the values an extractor read, as short words."""
    found = []
    for value in view.values:
        for side in value.sides:
            extraction = side.line.get("extraction") or {}
            if (str(extraction.get("method")), str(extraction.get("version") or "")) == reader:
                found.append(short_value(value.value, 30))
                break
    return found


def draw_reader(desk: Desk, view: ConflictView) -> None:
    """Draw which extractors read the sides, and what else the chosen one made."""
    readers = readers_of(view)
    if len(readers) > 1:
        st.pills(
            say("Which extractor misread"), range(len(readers)), key=field(view, "reader"),
            format_func=lambda n: say("{name} {version}, value {value}", name=label_text(readers[n][0]), version=label_text(readers[n][1], 40), value=label_text(", ".join(_values_of(view, readers[n])))),
        )  # fmt: skip
    reader = reader_chosen(view)
    if reader is None:
        return
    found = attempt(lambda: list_made(desk.store, desk.person, view.tenant, made_by(reader), in_use=True, limit=_LISTED))
    if found is None:
        return
    sides = {side.id for value in view.values for side in value.sides}
    others = [row for row in found[0] if row.id not in sides]
    count = found[1] - (len(found[0]) - len(others))
    name = tag("b", shorten(" ".join(reader), 80))
    if not others:
        draw(tag("div", phrase("{name} made nothing else that is in use. Its side of this is revoked.", name=name), cls="cd-small"))
        return
    draw(
        tag(
            "div", phrase("Its side of this is revoked, and {what} in use that {name} made is set aside until somebody looks.", what=tag("b", _others(count)), name=name),
            cls="cd-small",
        ),
        tag("ul", *(_row(row, view.tenant) for row in others[:_SHOWN]), cls="cd-list cd-small"),
    )  # fmt: skip
    titles = {row.id: row for row in others}
    st.multiselect(
        say("Leave these in use"), list(titles), key=field(view, f"spared.{reader[0]}.{reader[1]}"), placeholder=say("None: all of it is set aside"),
        format_func=lambda one: option_text(f"{titles[one].title} {one}" if one in titles else one),
    )  # fmt: skip
    if count > len(others):
        words = say("Only the first {n} can be left out here; single others can be used again afterwards.", n=number(len(others)))
        draw(tag("div", words, cls="cd-muted cd-small"))


def _others(count: int) -> str:
    return say_count("{n} other claim", "{n} other claims", count)


def _row(row: MadeRow, tenant: str) -> Markup:
    return tag("li", tag("a", shorten(row.title, 90), cls="cd-link", href=record_address(row.id, tenant)), " ", tag("span", shorten(row.id, 60), cls="cd-id cd-muted"))
