"""A rehearsed plan, drawn: the sentence, whether it still holds, the counts with their lists, the picture, the export."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime

import streamlit as st

from pages.widgets.desk import Desk, attempt, record_link, take_refusal
from pages.widgets.markup import Markup, draw, join, tag
from pages.widgets.plan_rows import draw_folded, draw_rows, pager
from pages.widgets.plan_state import PAGE_ROWS, Place, drift_of, forget_rehearsals, read_place
from pages.widgets.plan_words import ago, exactly, of_kind, say_drift, say_impact, several, shorten
from pages.widgets.status import badge, icon
from store import Drift, Refusal, Rehearsal, Verb, export_plan_csv, export_plan_json, list_plan_rows, picture_of

_EVERY = 5.0
#: tab -> (word, what an empty one means)
_TABS = {
    "delivered": ("Delivered", "Nothing that rests on it was sent to anybody."),
    "affected": ("All that changes", "Nothing changes."),
    "stale": ("Needs re-validation", "Nothing else falls with it."),
    "owners": ("Owners", "No artifact is concerned, so no owner is told."),
    "answers": ("Answers that change", "Every question is answered as before."),
    "conflicts": ("Conflicts", "No conflict opens, dissolves or changes."),
    "blocked": ("Blocked candidates", "No candidate rests on it."),
    "untouched": ("Touched, no effect", "Everything it reaches changes."),
    "told": ("Told to agents before", "No agent was told any of this."),
}


def draw_preview(desk: Desk, found: Rehearsal, drift: Drift | None) -> None:
    """Draw the sentence and whether it still holds."""
    draw(say_impact(found))
    _watch(desk, found, drift)


@st.fragment(run_every=_EVERY)
def _watch(desk: Desk, found: Rehearsal, drawn: Drift | None) -> None:
    """Look every few seconds whether the plan would still do this, and say so."""
    with suppress(Refusal):  # a store that is busy or away for a moment is looked at again at the next beat
        if drift_of(desk, found) != drawn:
            st.rerun(scope="app")
    seconds = datetime.now(UTC).timestamp() - found.at / 1_000_000
    complete = (
        tag("span", icon("check_circle"), "Complete", cls="cd-teal")
        if found.complete
        else tag("span", icon("warning"), "Incomplete: cut before the end", cls="cd-amber")
    )
    draw(
        tag(
            "div", complete, tag("span", f"revision {found.revision:,}"), tag("span", f"previewed {ago(seconds)}", title=exactly(found.at)),
            tag("span", "fingerprint ", tag("button", shorten(found.fingerprint), cls="cd-copy", title=found.fingerprint)), cls="cd-badges",
        )
    )  # fmt: skip
    if drawn is not None:
        named = [
            tag("div", tag("span", f"{word} ", cls="cd-muted"), join((record_link(one, found.tenant) for one in ids[:12]), ", "), f" and {count - 12:,} more" if count > 12 else "")
            for word, ids, count in zip(("added", "gone", "changed"), (drawn.added, drawn.removed, drawn.changed), drawn.counts, strict=True)
            if ids
        ]  # fmt: skip
        draw(
            tag("div", tag("b", icon("sync_problem"), "This plan would do something else by now. "), say_drift(drawn), *named,
                tag("div", "What you see below is what was so then. It can be read and exported; committing it is refused.", cls="cd-muted"), cls="cd-band cd-warnband cd-drift")
        )  # fmt: skip
        if st.button("Preview again", key="revoke.again", type="primary", icon=":material/refresh:", on_click=forget_rehearsals):
            st.rerun(scope="app")


def draw_lists(desk: Desk, found: Rehearsal, place: Place) -> None:
    """Draw the counts, and the list that is open."""
    links = []
    for tab, (word, _) in _TABS.items():
        count = found.totals[tab]
        cls = "cd-link cd-tab cd-here" if tab == place.tab else "cd-link cd-tab" if count else "cd-link cd-tab cd-none"
        links.append(tag("a", tag("b", f"{count:,}"), word, cls=cls, href=place.link(tab=tab)))
    draw(tag("nav", *links, cls="cd-tabs"))
    total = found.totals[place.tab]
    if not total and not (place.tab == "owners" and found.unowned):
        draw(tag("div", _TABS[place.tab][1], cls="cd-empty cd-quiet"))
        return
    above = [_above(found, place)]
    if place.tab in ("affected", "stale") and total > 1:
        above.append(draw_folded(found, place))
    chosen = place.groups if place.tab in ("affected", "stale") and place.groups else None
    page = attempt(lambda: list_plan_rows(desk.store, found, place.tab, start=(place.page - 1) * PAGE_ROWS, limit=PAGE_ROWS, groups=chosen))
    if page is not None and not page.items and place.page > 1:
        place = replace(place, page=1)
        page = attempt(lambda: list_plan_rows(desk.store, found, place.tab, limit=PAGE_ROWS, groups=chosen))
    if page is None:
        refusal = take_refusal()
        draw(tag("div", refusal["message"] if refusal else "", cls="cd-band cd-badband"))
        return
    if chosen is not None:
        shown = join((several(page.total, "record"), " of the chosen group · ", tag("a", "show all", cls="cd-link", href=place.link(groups=()))))
        above.append(tag("div", shown, cls="cd-chosen"))
    draw(*above, draw_rows(desk, found, place, page), pager(place, page))


def _above(found: Rehearsal, place: Place) -> Markup:
    """Return what a list is a list of, where its name does not say it."""
    totals = found.totals
    text = {
        "delivered": f"What was sent stays sent. {several(totals['notices'], 'notice')}, one per edition and recipient, {'goes' if totals['notices'] == 1 else 'go'} to "
        f"{several(totals['recipients'], 'recipient')}.",
        "owners": "They own artifacts that change or were delivered, and are told.",
        "answers": "What an agent is told when it asks, now and afterwards.",
        "blocked": "They rest on what falls, and wait until that stands again.",
        "untouched": "Reached, and left as it is, because it is out of use already.",
        "told": f"Answers that held at least one of the {several(totals['affected'], 'record')}. They cannot be taken back.",
    }.get(place.tab)
    return tag("p", text, cls="cd-muted cd-small cd-means") if text else Markup("")


def draw_limits(found: Rehearsal) -> None:
    """Draw what this cannot include, and what the viewer may not see of it."""
    lines = [tag("div", icon("info"), found.coverage)]
    if found.hidden["count"] or found.hidden["delivered"]:
        lines.append(
            tag(
                "div",
                icon("visibility_off"),
                f"{found.hidden['count']:,} more in scopes you may not see, {found.hidden['delivered']:,} delivered. They are in the totals and in the fingerprint.",
            )
        )
    draw(tag("div", *lines, cls="cd-muted cd-small cd-limits"))


# --- the picture --------------------------------------------------------------------------------------------------


def _show_groups(groups: tuple[int, ...]) -> None:
    """Open the list of what a box holds; a second click opens all again."""
    from pages.widgets.desk import open_desk  # noqa: PLC0415

    place = read_place(open_desk())
    replace(place, tab="affected", groups=() if set(place.groups) == set(groups) else groups, page=1, why=None).go()


def draw_picture(found: Rehearsal, place: Place) -> None:
    """Draw how far it reaches: the picture, and beside it the same as a table."""
    if len(found.folded.groups) < 2:
        return
    from pages.widgets.reach_picture import draw_reach  # noqa: PLC0415 - brings half a megabyte of JavaScript with it

    picture = picture_of(found)
    draw(tag("h2", "How far it reaches"))
    rows = [tag("tr", *(tag("th", word, cls=cls) for word, cls in (("steps", ""), ("what", ""), ("then", ""), ("", "cd-num"))))]
    for box in picture.boxes:
        here = bool(place.groups) and set(box.groups) == set(place.groups)
        what = of_kind(box.count, box.kind).split(" ", 1)[1] if box.kind != "evidence" else ""
        name = tag(
            "a",
            box.label or box.kind,
            cls="cd-link cd-here" if here else "cd-link",
            href=place.link(tab="affected", groups=() if here else box.groups),
        )
        sent = f", {box.delivered:,} delivered" if box.delivered else ""
        far = f"{box.level}+" if box.further else f"{box.level}"
        rows.append(
            tag(
                "tr",
                tag("td", far),
                tag("td", name, tag("span", f" {what}{sent}", cls="cd-muted cd-small")),
                tag("td", badge(box.after, box.kind)),
                tag("td", f"{box.count:,}", cls="cd-num"),
            )
        )
    rows.append(tag("tr", tag("td", ""), tag("td", "together"), tag("td", ""), tag("td", tag("b", f"{found.totals['affected']:,}"), cls="cd-num")))
    root = next(iter(found.words.values())) if len(found.words) == 1 else None
    draw_reach(picture, name=found.fingerprint, chosen=place.groups, root=root, on_pick=_show_groups)
    draw(tag("div", tag("table", *rows, cls="cd-table cd-reachtable"), cls="cd-scroll"))


def draw_export(desk: Desk, found: Rehearsal) -> None:
    """Draw the ways to take the whole preview along; the files are made on click only."""
    name = f"{'preview' if found.plan.verb is not Verb.REINSTATE else 'reinstate'}-{found.fingerprint[:8]}"
    with st.container(horizontal=True, gap="small", key="revoke.exports"):
        st.download_button(
            "CSV", lambda: export_plan_csv(desk.store, found), f"{name}.csv", "text/csv", key="revoke.csv", on_click="ignore", icon=":material/table_view:",
            help="Every row of the preview, with the fingerprint in the first column. Text that a spreadsheet would run is made harmless.",
        )  # fmt: skip
        st.download_button(
            "JSON",
            lambda: export_plan_json(desk.store, found),
            f"{name}.json",
            "application/json",
            key="revoke.json",
            on_click="ignore",
            icon=":material/data_object:",
        )
