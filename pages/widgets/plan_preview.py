"""A rehearsed plan, drawn: the sentence, whether it still holds, the counts with their lists, the picture, the export."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import partial

import streamlit as st

from pages.widgets.desk import Desk, address, attempt, take_refusal
from pages.widgets.language import later, later_count, number, phrase, phrase_count, quote_store, say, say_count
from pages.widgets.markup import Markup, draw, tag
from pages.widgets.plan_rows import draw_folded, draw_rows, name_drifted, pager
from pages.widgets.plan_state import PAGE_ROWS, Place, drift_of, forget_rehearsals
from pages.widgets.plan_words import exactly, say_drift, say_impact, say_previewed, several, shorten
from pages.widgets.status import badge, icon
from pages.widgets.veil import behind_veil
from store import Drift, Refusal, Rehearsal, Verb, export_plan_csv, export_plan_json, list_plan_rows, picture_of, spaced

_EVERY = 5.0
#: tab -> (word, what an empty one means)
_TABS = {
    "delivered": (later("Delivered"), later("Nothing that rests on it was sent to anybody.")),
    "affected": (later("All that changes"), later("Nothing changes.")),
    "stale": (later("Needs re-validation"), later("Nothing else falls with it.")),
    "owners": (later("Owners"), later("No artifact is concerned, so no owner is told.")),
    "answers": (later("Answers that change"), later("Every question is answered as before.")),
    "conflicts": (later("Conflicts"), later("No conflict opens, dissolves or changes.")),
    "blocked": (later("Blocked candidates"), later("No candidate rests on it.")),
    "untouched": (later("Touched, no effect"), later("Everything it reaches changes.")),
    "told": (later("Told to agents before"), later("No agent was told any of this.")),
}


def draw_preview(desk: Desk, found: Rehearsal, drift: Drift | None) -> None:
    """Draw the sentence and whether it still holds."""
    draw(say_impact(found))
    watch_preview(desk, found, drift)


@st.fragment(run_every=_EVERY)
def watch_preview(desk: Desk, found: Rehearsal, drawn: Drift | None) -> None:
    """Look every few seconds whether the plan would still do this, and say so."""
    with suppress(Refusal):  # a store that is busy or away for a moment is looked at again at the next beat
        if drift_of(desk, found) != drawn:
            st.rerun(scope="app")
    complete = (
        tag("span", icon("check_circle"), say("Previewed to the end"), cls="cd-teal")
        if found.complete
        else tag("span", icon("warning"), say("Incomplete: cut before the end"), cls="cd-amber")
    )
    draw(
        tag(
            "div", complete, tag("span", say("revision {n}", n=number(found.revision))), tag("span", say_previewed(found.at), title=exactly(found.at)),
            tag("span", phrase("fingerprint {code}", code=tag("button", shorten(found.fingerprint), cls="cd-copy", title=found.fingerprint))), cls="cd-badges",
        )
    )  # fmt: skip
    if drawn is not None:
        ids = {"added": drawn.added, "removed": drawn.removed, "changed": drawn.changed}
        named = name_drifted(found.tenant, ids, dict(zip(ids, drawn.counts, strict=True)))
        draw(
            tag("div", tag("b", icon("sync_problem"), say("This plan would do something else by now.")), " ", say_drift(drawn), *named,
                tag("div", say("What you see below is what was so then. It can be read and exported; committing it is refused."), cls="cd-muted"), cls="cd-band cd-warnband cd-drift")
        )  # fmt: skip
        if st.button(say("Preview again"), key="revoke.again", type="primary", icon=":material/refresh:", on_click=forget_rehearsals):
            st.rerun(scope="app")


#: Those of the tabs whose word goes by the number.
_COUNTED = {
    "owners": later_count("Owner", "Owners"), "answers": later_count("Answer that changes", "Answers that change"), "conflicts": later_count("Conflict", "Conflicts"),
    "blocked": later_count("Blocked candidate", "Blocked candidates"),
}  # fmt: skip


def draw_lists(desk: Desk, found: Rehearsal, place: Place) -> None:
    """Draw the counts, and the list that is open."""
    links = []
    for tab, (word, _) in _TABS.items():
        count = found.totals[tab]
        shown = say_count(*_COUNTED[tab], count) if tab in _COUNTED else say(word)
        cls = "cd-link cd-tab cd-here" if tab == place.tab else "cd-link cd-tab" if count else "cd-link cd-tab cd-none"
        links.append(tag("a", tag("b", number(count)), shown, cls=cls, href=place.link(tab=tab)))
    draw(tag("nav", *links, cls="cd-tabs", label=say("Lists of this preview")))
    total = found.totals[place.tab]
    if not total and not (place.tab == "owners" and found.unowned):
        draw(tag("div", say(_TABS[place.tab][1]), cls="cd-empty cd-quiet"))
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
        draw(tag("div", quote_store(refusal["message"]) if refusal else "", cls="cd-band cd-badband"))
        return
    if chosen is not None:
        back = tag("a", say("show all"), cls="cd-link", href=place.link(groups=()))
        shown = phrase_count("{n} record of the chosen group · {show_all}", "{n} records of the chosen group · {show_all}", page.total, show_all=back)
        above.append(tag("div", shown, cls="cd-chosen"))
    draw(*above, draw_rows(desk, found, place, page), pager(place, page))


def _above(found: Rehearsal, place: Place) -> Markup:
    """Return what a list is a list of, where its name does not say it."""
    totals = found.totals
    text = {
        "delivered": say_count(
            "What was sent stays sent. {n} notice, one per edition and recipient, goes to {recipients}.",
            "What was sent stays sent. {n} notices, one per edition and recipient, go to {recipients}.",
            totals["notices"],
            recipients=several(totals["recipients"], "recipient"),
        ),
        "owners": say("They own artifacts that change or were delivered, and are told."),
        "answers": say("What an agent is told when it asks, now and afterwards."),
        "blocked": say("They rest on what falls, and wait until that stands again."),
        "untouched": say("Reached, and left as it is, because it is out of use already."),
        "told": say("Answers that held at least one of the {records}. They cannot be taken back.", records=several(totals["affected"], "record")),
    }.get(place.tab)
    return tag("p", text, cls="cd-muted cd-small cd-means") if text else Markup("")


def draw_limits(found: Rehearsal) -> None:
    """Draw what this cannot include, and what the viewer may not see of it."""
    lines = [tag("div", icon("info"), quote_store(found.coverage))]
    if found.hidden["count"] or found.hidden["delivered"]:
        lines.append(
            tag(
                "div",
                icon("visibility_off"),
                say(
                    "{n} more in scopes you may not see, {delivered} delivered. They are in the totals and in the fingerprint.",
                    n=number(found.hidden["count"]),
                    delivered=number(found.hidden["delivered"]),
                ),
            )
        )
    draw(tag("div", *lines, cls="cd-muted cd-small cd-limits"))


# --- the picture --------------------------------------------------------------------------------------------------


def _show_groups(place: Place, groups: tuple[int, ...]) -> None:
    """Open the list of what a box holds; a second click opens all again."""
    replace(place, tab="affected", groups=() if set(place.groups) == set(groups) else groups, page=1, why=None).go()


def draw_jump(words: str) -> None:
    """Draw the way down to the card that asks for what is listed: on a narrow screen it stands below all of it, and this stays at the lower edge."""
    draw(tag("button", icon("arrow_downward"), words, cls="cd-jump"))


def draw_picture(found: Rehearsal, place: Place) -> None:
    """Draw how far it reaches: the picture, and beside it the same as a table."""
    if len(found.folded.groups) < 2:
        return
    from pages.widgets.reach_picture import draw_reach  # noqa: PLC0415 - brings half a megabyte of JavaScript with it

    picture = picture_of(found)
    draw(tag("h2", say("How far it reaches")))
    if len(place.picks) == 1:
        href = address("dependencies", record=place.picks[0], tenant=place.tenant, up="0", down="all", scope=place.scope)
        draw(tag("p", tag("a", say("See its dependencies, record by record"), cls="cd-link", href=href)))
    rows = [tag("tr", *(tag("th", word, cls=cls) for word, cls in ((say("steps"), ""), (say("what"), ""), (say("then"), ""), (say("count"), "cd-num"))))]
    for box in picture.boxes:
        here = bool(place.groups) and set(box.groups) == set(place.groups)
        name = tag(
            "a",
            spaced(box.label) or box.kind,
            cls="cd-link cd-here" if here else "cd-link",
            href=place.link(tab="affected", groups=() if here else box.groups),
        )
        held = several(box.count, box.kind) if box.kind != "evidence" else ""
        sent = say("{n} delivered", n=number(box.delivered)) if box.delivered else ""
        what = say(", ").join(part for part in (held, sent) if part)
        far = f"{box.level}+" if box.further else f"{box.level}"
        rows.append(
            tag(
                "tr",
                tag("td", far),
                tag("td", name, " ", tag("span", what, cls="cd-muted cd-small")),
                tag("td", badge(box.after, box.kind)),
                tag("td", number(box.count), cls="cd-num"),
            )
        )
    rows.append(tag("tr", tag("td", ""), tag("td", say("together")), tag("td", ""), tag("td", tag("b", number(found.totals["affected"])), cls="cd-num")))
    root = next(iter(found.words.values())) if len(found.words) == 1 else None
    draw_reach(picture, name=found.fingerprint, chosen=place.groups, root=root, on_pick=partial(_show_groups, place))
    draw(tag("div", tag("table", *rows, cls="cd-table cd-reachtable"), cls="cd-scroll"))


def draw_export(desk: Desk, found: Rehearsal) -> None:
    """Draw the ways to take the whole preview along; the files are made on click only."""
    name = f"{'preview' if found.plan.verb is not Verb.REINSTATE else 'reinstate'}-{found.fingerprint[:8]}"
    with st.container(horizontal=True, gap="small", key="revoke.exports"):
        st.download_button(
            say("CSV"), behind_veil(lambda: export_plan_csv(desk.store, found, name=f"{name}.csv")), f"{name}.csv", "text/csv", key="revoke.csv", on_click="ignore", icon=":material/table_view:",
            help=say("Every row of the preview, with the fingerprint in the first column. Text that a spreadsheet would run is made harmless."),
        )  # fmt: skip
        st.download_button(
            say("JSON"),
            behind_veil(lambda: export_plan_json(desk.store, found, name=f"{name}.json")),
            f"{name}.json",
            "application/json",
            key="revoke.json",
            on_click="ignore",
            icon=":material/data_object:",
        )
