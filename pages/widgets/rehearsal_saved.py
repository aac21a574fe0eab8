"""What a rehearsal did when it was saved: its list, its files, and the page to print."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.widgets.desk import Desk, attempt, person_name, record_link, take_refusal
from pages.widgets.language import later, number, phrase, quote_store, say, say_count
from pages.widgets.markup import Markup, draw, join, tag
from pages.widgets.moments import from_micros, say_minute
from pages.widgets.plan_state import rehearsal_of
from pages.widgets.recapture_passages import passage_table
from pages.widgets.rehearsal_place import RehearsalPlace
from pages.widgets.rehearsal_words import plan_words, stand_badge, totals_words
from pages.widgets.status import badge, change, icon
from pages.widgets.veil import behind_veil
from store import RowPage, SavedRehearsal, Verb, export_rehearsal_csv, export_rehearsal_json, list_recaptured, list_saved_rows, view_rehearsal

ROWS = 50
_PRINTED = 1000
LOOKS = {"by_hand": later("to be looked at by itself"), "together": later("comes back together with others")}


def draw_exports(desk: Desk, place: RehearsalPlace, saved: SavedRehearsal) -> None:
    """Draw the ways to take a rehearsal along; the files are made on click only."""
    name = f"rehearsal-{saved.fingerprint[:8]}"
    st.download_button(
        say("CSV"), behind_veil(lambda: export_rehearsal_csv(desk.store, desk.person, saved.tenant, saved.id, name=f"{name}.csv")), f"{name}.csv", "text/csv", key="rehearsals.csv",
        on_click="ignore", icon=":material/table_view:",
    )  # fmt: skip
    st.download_button(
        say("JSON"), behind_veil(lambda: export_rehearsal_json(desk.store, desk.person, saved.tenant, saved.id, name=f"{name}.json")), f"{name}.json", "application/json",
        key="rehearsals.json", on_click="ignore", icon=":material/data_object:",
    )  # fmt: skip
    draw(tag("a", icon("print"), say("Page to print"), cls="cd-link cd-button", href=place.link(printed=True)))


def draw_saved(desk: Desk, place: RehearsalPlace, saved: SavedRehearsal) -> None:
    """Draw the records that would have changed, as it was saved."""
    draw(tag("h2", say("As it was saved"), cls="cd-heading"), tag("p", say("{what}.", what=totals_words(saved.totals)), cls="cd-muted cd-small"))
    page = _load(desk, saved, (place.page - 1) * ROWS, ROWS)
    if page is None:
        return
    if not page.items and page.total == page.hidden:
        draw(tag("div", say("None of them is yours to see.") if page.hidden else say("No record would have changed."), cls="cd-empty"))
        return
    draw(tag("div", *(saved_row(row, saved.tenant) for row in page.items), hidden_line(page), cls="cd-rows"), pager(place, page))


def _load(desk: Desk, saved: SavedRehearsal, start: int, limit: int) -> RowPage | None:
    page = attempt(lambda: list_saved_rows(desk.store, desk.person, saved.tenant, saved.id, start=start, limit=limit))
    if page is None and (refusal := take_refusal()) is not None:
        draw(tag("div", quote_store(refusal["message"]), cls="cd-band cd-badband"))
    return page


def hidden_line(page: RowPage) -> Markup | None:
    """Return how many rows are in scopes the viewer may not see."""
    if not page.hidden:
        return None
    words = say_count("{n} more in scopes you may not see.", "{n} more in scopes you may not see.", page.hidden)
    return tag("div", icon("visibility_off"), words, cls="cd-muted cd-hiddenline")


def small_words(row: dict[str, Any]) -> Markup:
    """Return what a record is, where it stands and who owns it, in small print."""
    parts: list[Any] = [row["label"], row["scope"], phrase("owner {owner}", owner=person_name(row["owner"]) if row["owner"] else say("nobody"))]
    if row["delivered"]:
        parts.insert(0, tag("span", say("delivered"), cls="cd-lost"))
    return tag("small", join(parts, " · "), cls="cd-muted")


def saved_row(row: dict[str, Any], tenant: str) -> Markup:
    """Return one record of a rehearsal, as it was saved."""
    look = tag("small", say(LOOKS[row["look"]]), cls="cd-muted") if row["look"] else None
    return tag(
        "div", tag("div", record_link(row["id"], tenant, row["title"][:220]), small_words(row), cls="cd-main"),
        tag("div", change(row["from"], row["to"], row["kind"]) if row["from"] != row["to"] else badge(row["to"], row["kind"]), look, cls="cd-moved"),
        cls="cd-row",
    )  # fmt: skip


def pager(place: RehearsalPlace, page: RowPage) -> Markup | None:
    """Return where in a list one is, and the ways on and back."""
    visible = page.total - page.hidden
    last = max(1, -(-visible // ROWS))
    if last == 1:
        return None
    at = min(place.page, last)
    back = tag("a", icon("chevron_left"), say("Back"), cls="cd-link", href=place.link(page=at - 1)) if at > 1 else None
    on = tag("a", say("On"), icon("chevron_right"), cls="cd-link", href=place.link(page=at + 1)) if at < last else None
    where = say("{first}–{last} of {n}", first=number((at - 1) * ROWS + 1), last=number(min(at * ROWS, visible)), n=number(visible))
    return tag("div", back, tag("span", where, cls="cd-muted"), on, cls="cd-pager")


def draw_printed(desk: Desk, place: RehearsalPlace) -> None:
    """Draw a rehearsal as a page to print: the sentence, the numbers, and every record as it was saved.

    Raises:
        Refusal: it is not there, or not for this person to see.
    """
    saved = view_rehearsal(desk.store, desk.person, place.tenant or "", place.one or "").saved
    page = _load(desk, saved, 0, _PRINTED)
    if page is None:
        return
    back = tag("a", say("‹ The rehearsal"), cls="cd-link", href=place.link(printed=False))
    draw(tag("div", back, tag("span", say("Print it with your browser.")), cls="cd-kicker rh-noprint rh-printtools"))
    facts = (
        (say("plan"), plan_words(saved.plan, saved.words)), (say("what it did"), totals_words(saved.totals)),
        (say("saved"), say("by {who}, {moment}", who=saved.by_name[:80], moment=say_minute(from_micros(saved.at)))), (say("stands"), stand_badge(saved)),
        (say("revision"), number(saved.revision)), (say("fingerprint"), tag("span", saved.fingerprint, cls="cd-id")),
    )  # fmt: skip
    draw(
        tag("h1", saved.name, cls="cd-title"),
        tag("dl", *(tag("dt", word) if not n else tag("dd", word) for pair in facts for n, word in enumerate(pair)), cls="cd-facts"),
    )
    head = tag("tr", *(tag("th", word) for word in (say("record"), say("what"), say("owner"), say("then"))))
    rows = [
        tag("tr", tag("td", row["title"][:300], tag("div", row["id"], cls="cd-id cd-muted")), tag("td", row["label"], tag("div", row["scope"], cls="cd-muted cd-small")),
            tag("td", person_name(row["owner"]) if row["owner"] else say("nobody"), tag("div", say("delivered"), cls="cd-lost") if row["delivered"] else None),
            tag("td", change(row["from"], row["to"], row["kind"])))
        for row in page.items
    ]  # fmt: skip
    draw(tag("div", tag("table", head, *rows, cls="cd-table rh-print"), cls="cd-scroll"), hidden_line(page))
    _print_passages(desk, saved)
    if page.total - page.hidden > len(page.items):
        draw(tag("p", say("The first {n} of {all} are printed; the CSV holds all.", n=number(len(page.items)), all=number(page.total - page.hidden)), cls="cd-muted"))


def _print_passages(desk: Desk, saved: SavedRehearsal) -> None:
    """Draw what became of the passages that fell, of a recapture whose result is still what was saved."""
    if saved.plan.verb is not Verb.RECAPTURE or saved.committed is not None or saved.impossible is not None or saved.changed:
        return
    found = attempt(lambda: rehearsal_of(desk, saved.tenant, saved.plan))
    told = list_recaptured(desk.store, found) if found is not None else None
    table = passage_table(told) if told is not None else None
    take_refusal()
    if table is not None:
        draw(tag("h2", say("Passages that changed or are gone"), cls="cd-heading"), table)
