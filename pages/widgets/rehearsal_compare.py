"""Two rehearsals side by side: one sentence, the numbers of each as ways to their lists, and the list that is open."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.widgets.desk import Desk, attempt, person_name, record_link, take_refusal
from pages.widgets.language import later, number, phrase, phrase_count, quote_store, say
from pages.widgets.markup import Markup, draw, join, tag
from pages.widgets.moments import from_micros, when
from pages.widgets.plan_rows import key_words
from pages.widgets.rehearsal_place import RehearsalPlace
from pages.widgets.rehearsal_saved import ROWS, hidden_line, pager, small_words
from pages.widgets.rehearsal_words import plan_words, stand_badge, totals_words
from pages.widgets.status import badge, icon
from pages.widgets.veil import behind_veil
from store import (
    COMPARED,
    Comparison,
    SavedRehearsal,
    compare_rehearsals,
    export_comparison_csv,
    export_comparison_json,
    list_compared,
    list_rehearsals,
)

#: What a rehearsal leaves to be done, and what each line counts.
_LINES = {
    "affected": later("Records that change"), "delivered": later("Delivered artifacts reached"), "answers": later("Answers that change"),
    "by_hand": later("To be looked at one by one"), "together": later("Come back together with one restore"),
    "stopped": later("Stopped, to be decided later"), "conflicts": later("Conflicts left open by it"), "blocked": later("Candidates that have to wait"), "messages": later("People to be told"),
}  # fmt: skip
_WHICH = {
    "one": later("in the first"), "other": later("in the second"), "only_one": later("only in the first"), "only_other": later("only in the second"),
    "both": later("in both"), "differ": later("in both, with another outcome"),
}  # fmt: skip
_CONFLICTS = {"opened": later("Opens"), "changed": later("Gets other sides")}


def draw_choice(desk: Desk, place: RehearsalPlace) -> None:
    """Draw the rehearsals that one could be compared with."""
    rows = [row for row in list_rehearsals(desk.store, desk.person, tenant=place.tenant) if row.id != place.one]
    back = tag("a", say("‹ The rehearsal"), cls="cd-link", href=place.link(picking=False))
    draw(tag("div", back, cls="cd-kicker"), tag("h1", say("Compare with…"), cls="cd-title"))
    if not rows:
        draw(tag("div", tag("b", say("There is nothing to compare it with yet")), say("Save another plan, such as withdrawing where this one corrects."), cls="cd-empty"))
        return
    items = [
        tag("li", tag("div", tag("a", row.name, cls="cd-link rh-name", href=place.link(picking=False, other=row.id)),
                      tag("div", plan_words(row.plan, row.words), " · ", totals_words(row.totals), cls="rh-why"), cls="rh-what"),
            tag("div", stand_badge(row), tag("small", when(from_micros(row.at)), cls="cd-muted"), cls="rh-state"))
        for row in rows[:100]
    ]  # fmt: skip
    draw(tag("ul", *items, cls="rh-rows"))


def draw_comparison(desk: Desk, place: RehearsalPlace) -> None:
    """Draw two rehearsals side by side.

    Raises:
        Refusal: one of them is not there, or not for this person to see.
    """
    assert place.tenant is not None
    assert place.one is not None
    assert place.other is not None
    found = compare_rehearsals(desk.store, desk.person, place.tenant, place.one, place.other)
    back = tag("a", say("‹ Rehearsals"), cls="cd-link", href=place.link(one=None, other=None, part=None))
    draw(tag("div", back, cls="cd-kicker rh-noprint"), tag("h1", say("Two plans side by side"), cls="cd-title"), _sentence(found))
    _draw_tools(desk, found)
    draw(_table(found, place), _ways(found, place))
    _draw_list(desk, place, found)


def _sentence(found: Comparison) -> Markup:
    one, other = found.decisions
    names = {"one": tag("b", found.one.name), "other": tag("b", found.other.name)}
    pieces = {**names, "n": tag("b", number(one)), "m": tag("b", number(other))}
    if one < other:
        lead = phrase("“{one}” leaves {n} decisions to be made, “{other}” {m}.", **pieces)
    elif other < one:
        lead = phrase("“{other}” leaves {m} decisions to be made, “{one}” {n}.", **pieces)
    else:
        lead = phrase("“{one}” and “{other}” leave {n} decisions each.", **pieces)
    shared = found.counts["affected"]["both"]
    both = phrase_count("{n} record changes with either.", "{n} records change with either.", shared)
    return tag("p", lead, " ", both, cls="cd-lead")


def _draw_tools(desk: Desk, found: Comparison) -> None:
    args, name = (desk.store, desk.person, found.tenant, found.one.id, found.other.id), f"comparison-{found.fingerprint[:8]}"
    code = tag("button", f"{found.fingerprint[:4]}…{found.fingerprint[-3:]}", cls="cd-copy", title=found.fingerprint)
    with st.container(horizontal=True, gap="small", vertical_alignment="center", key="rehearsals_tools"):
        st.download_button(say("CSV"), behind_veil(lambda: export_comparison_csv(*args, name=f"{name}.csv")), f"{name}.csv", "text/csv", key="rehearsals.csv",
                           on_click="ignore", icon=":material/table_view:")  # fmt: skip
        st.download_button(say("JSON"), behind_veil(lambda: export_comparison_json(*args, name=f"{name}.json")), f"{name}.json", "application/json",
                           key="rehearsals.json", on_click="ignore", icon=":material/data_object:")  # fmt: skip
        draw(tag("div", tag("span", phrase("fingerprint of both {code}", code=code)), cls="cd-badges"))


def _head(row: SavedRehearsal, place: RehearsalPlace) -> Markup:
    href = place.link(one=row.id, other=None, part=None)
    return tag(
        "th", tag("a", row.name, cls="cd-link rh-name", href=href), tag("div", plan_words(row.plan, row.words), cls="rh-why"),
        tag("div", stand_badge(row), " ", tag("small", when(from_micros(row.at)), cls="cd-muted")), cls="cd-num",
    )  # fmt: skip


def _count(found: Comparison, place: RehearsalPlace, what: str, which: str) -> Markup:
    count = found.counts[what][which]
    part = f"{what}.{which}"
    if not count:
        return tag("span", "0", cls="cd-muted")
    cls = "cd-link cd-setcount cd-here" if place.part == part else "cd-link cd-setcount"
    return tag("a", number(count), cls=cls, href=place.link(part=part), label=say("{n}: {what}, {which}", n=number(count), what=say(_LINES[what]), which=say(_WHICH[which])))


def _table(found: Comparison, place: RehearsalPlace) -> Markup:
    rows = []
    for what, words in _LINES.items():
        cells = [tag("td", _count(found, place, what, which), cls="cd-num") for which in ("one", "other")]
        inner = [tag("td", _count(found, place, what, which), cls="cd-num rh-inner") for which in ("only_one", "both", "only_other")]
        rows.append(tag("tr", tag("th", say(words)), *cells, *inner))
    candidates = (found.one.totals["candidates"], found.other.totals["candidates"])
    if any(candidates):
        rows.append(tag("tr", tag("th", say("New candidates to decide")), *(tag("td", number(n), cls="cd-num") for n in candidates), *[tag("td", "", cls="rh-inner")] * 3))
    rows.append(tag("tr", tag("th", say("Decisions left to be made")), *(tag("td", tag("b", number(n)), cls="cd-num") for n in found.decisions),
                    *[tag("td", "", cls="rh-inner")] * 3, cls="rh-sum"))  # fmt: skip
    head = tag("tr", tag("th", ""), _head(found.one, place), _head(found.other, place),
               *(tag("th", word, cls="cd-num rh-inner") for word in (say("only first"), say("both"), say("only second"))))  # fmt: skip
    note = say("A decision is one record looked at by itself, one restore of what comes back together, one record that is only stopped for now, one conflict, one new candidate.")
    return join((tag("div", tag("table", head, *rows, cls="cd-table rh-compare"), cls="cd-scroll"), tag("p", note, cls="cd-muted cd-small")))


def _ways(found: Comparison, place: RehearsalPlace) -> Markup:
    counts = found.counts["affected"]
    what, which = _part(place, found)
    links = []
    for one in ("only_one", "only_other", "both", "differ"):
        cls = "cd-link cd-tab cd-here" if (what, which) == ("affected", one) else "cd-link cd-tab" if counts[one] else "cd-link cd-tab cd-none"
        links.append(tag("a", tag("b", number(counts[one])), say("of these with another outcome") if one == "differ" else say(_WHICH[one]), cls=cls, href=place.link(part=f"affected.{one}")))
    return tag("nav", *links, cls="cd-tabs", label=say("Records of this comparison"))


def _part(place: RehearsalPlace, found: Comparison) -> tuple[str, str]:
    """Return which list is open: the one in the address, else the first that holds something, what differs before what does not."""
    what, _, which = (place.part or "").partition(".")
    if what in COMPARED and which in _WHICH:
        return what, which
    counts = found.counts["affected"]
    return "affected", next((one for one in ("only_one", "only_other", "differ", "both") if counts[one]), "only_one")


def _draw_list(desk: Desk, place: RehearsalPlace, found: Comparison) -> None:
    what, which = _part(place, found)
    args = (desk.store, desk.person, found.tenant, found.one.id, found.other.id, what, which)
    page = attempt(lambda: list_compared(*args, start=(place.page - 1) * ROWS, limit=ROWS))
    if page is None:
        if (refusal := take_refusal()) is not None:
            draw(tag("div", quote_store(refusal["message"]), cls="cd-band cd-badband"))
        return
    title = say("{what}, {which}", what=say(_LINES[what]), which=say(_WHICH[which]))
    draw(tag("h2", title, tag("span", number(page.total), cls="cd-tally"), cls="cd-heading"))
    if not page.total:
        draw(tag("div", say("There is none."), cls="cd-empty cd-quiet"))
        return
    drawing = _person if what == "messages" else _key if what in ("answers", "conflicts") else _record
    draw(tag("div", *(drawing(row, found, what) for row in page.items), hidden_line(page), cls="cd-rows"), pager(place, page))


def _outcomes(one: Markup | None, other: Markup | None) -> Markup:
    nothing = tag("span", say("not in it"), cls="cd-muted")
    return tag(
        "div", tag("div", tag("small", say("first"), cls="cd-muted"), one or nothing, cls="rh-outcome"),
        tag("div", tag("small", say("second"), cls="cd-muted"), other or nothing, cls="rh-outcome"), cls="cd-moved rh-outcomes",
    )  # fmt: skip


def _record(row: dict[str, Any], found: Comparison, what: str) -> Markup:
    looks = {"by_hand": say("by itself"), "together": say("with others")}
    sides = []
    for n, side in enumerate(("one", "other")):
        mark = tag("small", looks[row["looks"][n]], cls="cd-muted") if row["looks"][n] else None
        sides.append(tag("span", badge(row[side], row["kind"]), mark) if row[side] else None)
    if what in ("delivered", "blocked") and sides == [None, None]:
        sides = [tag("span", badge(row["now"], row["kind"])) if found.counts[what][side] else None for side in ("one", "other")]
    return tag("div", tag("div", record_link(row["id"], found.tenant, row["title"][:220]), small_words(row), cls="cd-main"), _outcomes(*sides), cls="cd-row")


def _key(row: dict[str, Any], found: Comparison, what: str) -> Markup:  # noqa: ARG001 - one signature for all lists
    sides: list[Markup | None] = []
    for side in ("one", "other"):
        if what == "answers":
            sides.append(badge(row[side]) if row[side] else tag("span", say("as today"), cls="cd-muted"))
        else:
            sides.append(tag("span", icon("compare_arrows"), say(_CONFLICTS[row[side]]), cls="cd-status cd-violet") if row[side] else None)
    return tag("div", tag("div", key_words(row), cls="cd-main"), _outcomes(*sides), cls="cd-row")


def _person(row: dict[str, Any], found: Comparison, what: str) -> Markup:  # noqa: ARG001
    why = say("owns something concerned") if row["owner"] else say("holds a delivered edition")
    sides = [tag("span", icon("outgoing_mail"), say("is told")) if row[side] else None for side in ("one", "other")]
    return tag("div", tag("div", tag("b", person_name(row["person"])), tag("small", why, cls="cd-muted"), cls="cd-main"), _outcomes(*sides), cls="cd-row")
