"""The screen of re-validation: one sentence, counts, what one look settles, the list, and the record looked at."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from pages.widgets.candidate_keys import calm_keys
from pages.widgets.candidate_words import shorten
from pages.widgets.desk import Desk, address, attempt, person_name, show_done, show_notices
from pages.widgets.language import later, number, phrase, phrase_count, say, say_count
from pages.widgets.markup import Markup, draw, join, tag
from pages.widgets.moments import from_micros, say_day, when
from pages.widgets.revalidate_changes import group_changed, why_changed
from pages.widgets.revalidate_detail import draw_detail
from pages.widgets.revalidate_place import PAGE_ROWS, Place, read_place
from pages.widgets.revalidate_renew import draw_renewing
from pages.widgets.revalidate_walk import draw_walk
from pages.widgets.revalidate_weeks import draw_weeks, owner_of_dates, wants_weeks
from pages.widgets.revalidate_words import DATED, STATES, said_value, say_trigger
from pages.widgets.status import badge, icon
from pages.widgets.today_questions import draw_ignored
from store import STALE_STATES, StaleGroup, StaleQueue, StaleRow, find_stale, find_tenant, list_due, list_stale, spaced

_KIND_WORDS = {"claim": later("Claims"), "artifact": later("Artifacts")}


def draw_screen(desk: Desk) -> None:
    """Draw the page."""
    draw(tag("h1", say("Re-validation"), cls="cd-title"))
    place = read_place(desk, tuple(STATES))
    with st.container(key="revalidate_screen"):
        show_done()
        attempt(lambda: _draw(desk, place))
        show_notices()


def _draw(desk: Desk, place: Place) -> None:
    queue = list_stale(desk.store, desk.person, place.sift(), limit=PAGE_ROWS, after=place.after)
    _draw_lead(queue)
    draw_ignored()
    _draw_kept(place)
    if not queue.total and not queue.dated and place.state is None and not wants_weeks(place):
        dates = tag("a", icon("calendar_view_week"), say("Dates by week"), cls="cd-link", href=place.link(weeks=True))
        told = say("What falls because something it rests on is lost comes here by itself.")
        if place.correction:
            on = tag("a", say("On with the correction"), cls="cd-link cd-button cd-primary", href=address("corrections", case=place.correction, tenant=place.tenant, scope=place.scope))
            draw(tag("div", icon("task_alt"), tag("b", say("Nothing that fell in this correction needs re-validation any more")), tag("p", on), cls="cd-empty"))
            return
        draw(tag("div", icon("task_alt"), tag("b", say("Nothing needs re-validation here")), tag("div", told), dates, cls="cd-empty"))
        return
    draw(_chips(queue, place))
    if wants_weeks(place):
        draw_weeks(desk, place)
    listed = _listed(desk, queue, place)
    chosen = _chosen(listed, place)
    left, right = st.columns([5, 7], gap="large")
    with left, st.container(key="revalidate_list"):
        if queue.groups and place.week is None and (place.state is None or place.state in STALE_STATES):
            draw(_groups(queue, place))
        _draw_rows(listed, place, chosen)
    with right, st.container(key="revalidate_detail"):
        draw_walk(listed.rows, None if place.ticks and place.record is None else chosen, place, listed.next)
        if place.ticks and place.record is None:
            _draw_ticked(desk, place)
        elif chosen is None and place.record is not None:
            _draw_named(desk, place, queue, place.record)
        elif chosen is None:
            draw(tag("div", tag("b", say("Choose a record")), tag("div", say("It says what it lost, what remains, and what its passages say now.")), cls="cd-empty"))
        else:
            draw_detail(desk, place, queue, chosen)
    calm_keys(f"{chosen.tenant if chosen else ''} {chosen.id if chosen else ''} {place.week} {place.state}")


@dataclass(frozen=True, slots=True)
class _Listed:
    """The list that is shown: a page of the queue, or of what is due in a week."""

    rows: tuple[StaleRow, ...]
    matched: int
    next: str | None
    heading: str


def _listed(desk: Desk, queue: StaleQueue, place: Place) -> _Listed:
    if place.week is None:
        return _Listed(queue.rows, queue.matched, queue.next, say_count("{n} record, upstream first", "{n} records, upstream first", queue.matched))
    found = list_due(desk.store, desk.person, place.week, scope=place.scope, owner=owner_of_dates(desk, place), limit=PAGE_ROWS, after=place.after)
    return _Listed(found.rows, found.matched, found.next, say_count("{n} record, the soonest first", "{n} records, the soonest first", found.matched))


def _draw_ticked(desk: Desk, place: Place) -> None:
    """Draw what can be done with what is ticked; of one tenant at a time, as every action is."""
    tenant = place.ticks[0].partition("/")[0]
    ids = tuple(one.partition("/")[2] for one in place.ticks if one.partition("/")[0] == tenant)
    with st.container(key="revalidate_decide"):
        draw_renewing(desk, place, tenant, ids)
        others = len(place.ticks) - len(ids)
        if others:
            draw(tag("p", say_count("{n} more is ticked in another tenant, and comes afterwards.", "{n} more are ticked in another tenant, and come afterwards.", others), cls="cd-muted cd-small"))
        draw(tag("a", say("Untick all"), cls="cd-link cd-small", href=place.link(ticks=())))


def _draw_named(desk: Desk, place: Place, queue: StaleQueue, record: str) -> None:
    """Draw a record that was named and is not on this page of the list: further on in it, kept out of it, or settled meanwhile."""
    tenant = attempt(lambda: place.tenant or find_tenant(desk.store, desk.person, [record], None))
    found = None if tenant is None else attempt(lambda: find_stale(desk.store, desk.person, tenant, record))
    if found is None or tenant is None:
        return
    row, status = found
    if row is not None:
        draw(tag("p", say("It does not stand in the stretch of the list beside this."), cls="cd-muted cd-small"))
        draw_detail(desk, place, queue, row)
        return
    head = tag("b", icon("task_alt"), say("It needs no re-validation."))
    link = tag("a", say("See the record"), cls="cd-link", href=address("record", record=record, tenant=tenant, scope=place.scope))
    draw(tag("div", head, tag("div", badge(status), " ", link), cls="cd-empty"))


def _draw_lead(queue: StaleQueue) -> None:
    n, decisions = queue.total, queue.counts["lost"] + queue.counts["trigger"] + queue.counts["value"] + queue.counts["not_kept"]
    need = tag("b", say_count("{n} record needs re-validation", "{n} records need re-validation", n))
    if not n:
        draw(tag("p", say("Nothing needs re-validation."), cls="cd-lead"))
    elif queue.counts["upstream"] and not queue.counts["back"]:
        words = phrase_count(
            "{need}: {n} has a cause of its own, {wait} waiting for a decision above.", "{need}: {n} have a cause of their own, {wait} waiting for a decision above.",
            decisions, need=need, wait=number(queue.counts["upstream"]),
        )  # fmt: skip
        draw(tag("p", words, cls="cd-lead"))
    elif queue.counts["back"]:
        words = phrase_count(
            "{need}: {n} has a cause of its own, {back} may be restored together, {wait} waiting for a decision above.",
            "{need}: {n} have a cause of their own, {back} may be restored together, {wait} waiting for a decision above.",
            decisions, need=need, back=number(queue.counts["back"]), wait=number(queue.counts["upstream"]),
        )  # fmt: skip
        draw(tag("p", words, cls="cd-lead"))
    else:
        draw(tag("p", phrase("{need}. Needing re-validation means to be looked at again, not to be wrong.", need=need), cls="cd-lead"))


def _draw_kept(place: Place) -> None:
    parts: list[Markup] = []
    if place.correction:
        case = tag("a", place.correction[:120], cls="cd-link", href=address("corrections", case=place.correction, scope=place.scope))
        parts.append(phrase("Only what fell in the correction {case}. {all}", case=case, all=tag("a", say("Show all"), cls="cd-link", href=place.link(correction=None))))
    if place.owner:
        parts.append(phrase("Only what {name} owns. {all}", name=person_name(place.owner)[:80], all=tag("a", say("Show all"), cls="cd-link", href=place.link(owner=None))))
    if place.cause:
        parts.append(phrase("Only one cause. {all}", all=tag("a", say("Show all"), cls="cd-link", href=place.link(cause=None))))
    if parts:
        draw(tag("div", join(parts, " "), cls="cd-muted cd-small"))


def _chips(queue: StaleQueue, place: Place) -> Markup:
    chips = [
        tag("a", icon(symbol), say(word), " ", tag("b", number(queue.counts[name])), cls="cd-link cy-pick" + (" rv-here" if place.state == name else ""),
            href=place.link(state=None if place.state == name else name, cause=None))
        for name, (word, symbol, _) in STATES.items() if queue.counts[name] or place.state == name
    ]  # fmt: skip
    chips.append(tag("a", icon("person"), say("Mine"), cls="cd-link cy-pick" + (" rv-here" if place.mine else ""), href=place.link(mine=not place.mine)))
    chips += [
        tag("a", say(word), cls="cd-link cy-pick" + (" rv-here" if place.kind == kind else ""), href=place.link(kind=None if place.kind == kind else kind))
        for kind, word in _KIND_WORDS.items()
    ]  # fmt: skip
    chips.append(tag("a", icon("calendar_view_week"), say("Dates by week"), cls="cd-link cy-pick" + (" rv-here" if place.weeks else ""), href=place.link(weeks=not place.weeks, week=None)))
    return tag("nav", *chips, cls="cy-picks", label=say("What is shown"))


def _group(group: StaleGroup, place: Place) -> Markup:
    _, symbol, tone = STATES[group.state]
    name = shorten(group.title, 90) or say("a record you may not see")
    # Claims without a sentence of their own are called by their key; what tells them apart is the value.
    value = tag("span", " ", shorten(said_value(group.text), 40)) if group.text is not None and group.title.endswith(f" · {spaced(group.label)}") else None
    if group.state == "trigger":
        words: Markup | str = phrase("Because {what}", what=say_trigger(group.id))
    elif group.state == "back":
        words = phrase("{name} stands again", name=tag("span", tag("b", name), value))
    elif group.state == "not_kept":
        words = say("The policy keeps it no longer")
    elif group.state == "value":
        words = group_changed(group, name)
    else:
        words = phrase("{name} is lost", name=tag("span", tag("b", name), value))
    more = None
    if group.restores:
        more = tag("a", say_count("restores {n} record in one decision", "restores {n} records in one decision", group.restores), cls="cd-link", href=place.changed(cause=group.key).link(do="restore", tenant=group.tenant))
        if group.further:
            told = say_count("{n} of them rests, further up, on another value now", "{n} of them rest, further up, on another value now", group.further)
            more = join((more, tag("span", icon("warning"), " ", told, cls="cd-amber")), " ")
    elif group.count > group.direct > 0:
        more = tag("span", say_count("{n} decision here, the others wait for it", "{n} decisions here, the others wait for them", group.direct), cls="cd-muted")
    here = place.cause == group.key
    return tag(
        "li", tag("a", tag("span", icon(symbol), cls=f"rv-sign cd-{tone}"), words, cls="cd-link rv-group" + (" cd-here" if here else ""), href=place.link(cause=None if here else group.key)),
        tag("span", number(group.count), cls="cd-tally"), tag("div", more, cls="cd-small") if more else None,
    )  # fmt: skip


def _groups(queue: StaleQueue, place: Place) -> Markup:
    cut = None
    if queue.more_groups:
        cut = tag("div", say_count("{n} smaller group is not listed here.", "{n} smaller groups are not listed here.", queue.more_groups), cls="cd-muted cd-small")
    return tag("section", tag("h2", say("What one look settles"), cls="cd-heading"), tag("ul", *(_group(group, place) for group in queue.groups), cls="rv-groups"), cut)


def _called(row: StaleRow, record: str) -> Markup:
    """Return what a record is called that a line names, its id on hover."""
    return tag("span", shorten(row.names.get(record) or record, 60), title=record[:200])


def _why(row: StaleRow) -> Markup:
    if row.state == "lost":
        one = _called(row, row.lost[0]) if row.lost else say("a record you may not see")
        more = len(row.lost) + row.hidden - 1
        said = phrase("lost {what}", what=one)
        return join((said, say_count("and {n} more", "and {n} more", more)), " ") if more > 0 else said
    if row.state == "trigger":
        return phrase("because {what}", what=say_trigger(row.triggers[0]) if row.triggers else "")
    if row.state == "back":
        stands = phrase("{what} stands again", what=_called(row, row.back_by)) if row.back_by else join((say("nothing is missing"),))
        return stands if row.changed is None else join((stands, join((icon("warning"), " ", why_changed(row.changed)))), " · ")
    if row.state == "upstream":
        return phrase("waits for {what}", what=_called(row, row.waits_for) if row.waits_for else say("a record you may not see"))
    if row.state == "newer":
        return phrase("{what} arrived and is not sorted", what=_called(row, row.newer or ""))
    if row.state == "value" and row.changed is not None:
        return why_changed(row.changed)
    return join((say(STATES[row.state][0]),))


def _row(row: StaleRow, place: Place, here: bool) -> Markup:
    _, symbol, tone = STATES[row.state]
    date = None
    if row.since is not None:
        moment = from_micros(row.since)
        date = tag("span", say_day(moment)) if row.state in DATED else when(moment)
    marks = [tag("span", icon("send"), title=say("delivered"), cls="rv-value") if row.delivered else None, icon("priority_high") if row.high else None]
    value = tag("span", shorten(said_value(row.text), 50), cls="rv-value") if row.text is not None else None
    facts = [_why(row), row.owner and person_name(row.owner)[:40], date]
    return tag(
        "li", tag("span", _tick(row, place) if row.state in DATED else None, tag("span", icon(symbol), cls=f"rv-sign cd-{tone}", title=say(STATES[row.state][0]))),
        tag("div", tag("a", shorten(row.title, 110), cls="cd-link rv-title", href=place.link(record=row.id, tenant=row.tenant)), value, *marks,
            tag("div", join([fact for fact in facts if fact], " · "), cls="rv-why")),
        cls="cd-here rv-one" if here else "rv-one",
    )  # fmt: skip


def _tick(row: StaleRow, place: Place) -> Markup:
    """Return the box of a row, a link that ticks it: what is ticked is in the address."""
    name = f"{row.tenant}/{row.id}"
    on = name in place.ticks
    ticks = tuple(one for one in place.ticks if one != name) if on else (*place.ticks, name)
    words = say("Untick {what}", what=row.title[:80]) if on else say("Tick {what}", what=row.title[:80])
    return tag("a", icon("check_box" if on else "check_box_outline_blank"), cls="cd-link rv-tick" + (" rv-on" if on else ""), label=words, href=place.changed(record=None, tenant=None).link(ticks=ticks))


def _ticking(rows: tuple[StaleRow, ...], place: Place) -> Markup | None:
    """Return what ticks all rows of the page that have a date, and what unticks them."""
    dated = tuple(f"{row.tenant}/{row.id}" for row in rows if row.state in DATED)
    if not dated:
        return None
    parts = []
    if set(dated) - set(place.ticks):
        every = tuple(dict.fromkeys((*place.ticks, *dated)))
        parts.append(tag("a", say_count("Tick {n} with a date", "Tick all {n} with a date", len(dated)), cls="cd-link", href=place.changed(record=None, tenant=None).link(ticks=every)))
    if place.ticks:
        parts.append(tag("a", say_count("Renew {n} ticked", "Renew {n} ticked", len(place.ticks)), cls="cd-link", href=place.link(record=None, tenant=None)))
        parts.append(tag("a", say("Untick all"), cls="cd-link", href=place.link(ticks=())))
    return tag("div", *parts, cls="cd-counts cd-small")


def _draw_rows(listed: _Listed, place: Place, chosen: StaleRow | None) -> None:
    shown = chosen if not place.ticks or place.record is not None else None
    rows = [_row(row, place, shown is not None and (row.tenant, row.id) == (shown.tenant, shown.id)) for row in listed.rows]
    head = tag("h2", listed.heading, cls="cd-heading")
    draw(head, _ticking(listed.rows, place), tag("ul", *rows, cls="rv-rows") if rows else tag("div", tag("b", say("None of them")), cls="cd-empty"))
    steps = []
    if place.after:
        steps.append(tag("a", say("From the beginning"), cls="cd-link", href=place.link(after=None)))
    if listed.next:
        steps.append(tag("a", say("Further"), cls="cd-link", href=place.link(after=listed.next, record=None, tenant=None)))
    if steps:
        draw(tag("div", *steps, cls="cd-counts"))


def _chosen(listed: _Listed, place: Place) -> StaleRow | None:
    """Return the row looked at: the one named, where it still stands on this page; else the first."""
    if place.record is not None:
        return next((row for row in listed.rows if row.id == place.record and place.tenant in (None, row.tenant)), None)
    return listed.rows[0] if listed.rows else None
