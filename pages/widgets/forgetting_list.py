"""The list of requests to forget: what is open, what is due next, and what waits for whom."""

from __future__ import annotations

from collections.abc import Sequence

from pages.widgets.desk import Desk, person_name, show_notices
from pages.widgets.forgetting_place import SHOWS, Place
from pages.widgets.forgetting_words import FOUND_WORDS, bar_words, day, draw_bar, due_words, ground_words, moment, request_badge, tally
from pages.widgets.language import number, phrase, phrase_count, say, say_count
from pages.widgets.markup import Markup, draw, join, tag
from pages.widgets.status import icon
from pages.widgets.today_questions import draw_ignored
from store import DeletionRow, Right, list_deletions


def draw_list(desk: Desk, place: Place) -> None:
    """Draw the requests the person may know of."""
    found = list_deletions(desk.store, desk.person, tenant=place.scope.split("/", 1)[0] if place.scope else None)
    now = desk.store.now()
    may = bool(desk.actor.scopes_with(Right.ADMINISTER))
    draw(tag("h1", say("Forgetting"), cls="cd-title"), tag("p", _sentence(found, now), cls="cd-lead"))
    draw_ignored()
    show_notices()
    draw(draw_tabs(place, {show: sum(row.state == show for row in found) for show in SHOWS}, may))
    rows = [row for row in found if row.state == place.show]
    if place.show == "open":
        rows.sort(key=lambda row: (row.due_at is None, row.due_at or 0, row.entered_at))
    if not rows:
        draw(_empty(desk, place, may))
        return
    several = len({row.tenant for row in rows}) > 1
    draw(tag("ul", *(_row(row, place, several, now) for row in rows), cls="fg-list"))


def _sentence(found: Sequence[DeletionRow], now: int) -> Markup:
    """Return what is open, what is due next, and what waits for whom."""
    rows = [row for row in found if row.state == "open"]
    if not rows:
        return phrase("{none} is open.", none=tag("b", say("No request to forget")))
    parts = [phrase_count("{count} is open.", "{count} are open.", len(rows), count=tag("b", say_count("{n} request to forget", "{n} requests to forget", len(rows))))]
    dated = [row.due_at for row in rows if row.due_at is not None]
    late = sum(at <= now for at in dated)
    if late:
        parts.append(phrase_count("{n} is past its day.", "{n} are past their day.", late, n=tag("b", number(late))))
    coming = [at for at in dated if at > now]
    if coming:
        parts.append(phrase("The next is due on {day}.", day=tag("b", day(min(coming)))))
    untouched = sum(row.begun_at is None for row in rows)
    if untouched:
        parts.append(tag("span", say_count("{n} is blocked and waits for an admin to erase it.", "{n} are blocked and wait for an admin to erase them.", untouched)))
    waiting = sum(row.open_surfaces for row in rows if row.begun_at is not None)
    if waiting:
        parts.append(tag("span", say_count("{n} place waits for somebody to say what became of it.", "{n} places wait for somebody to say what became of them.", waiting)))
    return join(parts, " ")


def draw_tabs(place: Place, counts: dict[str, int] | None, may: bool) -> Markup:
    """Return the ways to the lists of the page, with counts where they are known, and to a new request."""
    names = {"open": say("Open"), "complete": say("Complete"), "refused": say("Refused")}

    def way(name: str, here: bool, href: str, count: int | None = None) -> Markup:
        shown = tag("b", number(count)) if count is not None else None
        return tag("a", names[name], shown, cls="cd-link fg-tab cd-here" if here else "cd-link fg-tab", href=href)

    clean = Place(tenant=place.tenant, scope=place.scope)
    views = {"copies": say("Copies outside"), "proofs": say("Proofs")}
    chips: list[Markup] = [way(show, place.view is None and place.show == show, clean.link(show=show), (counts or {}).get(show)) for show in SHOWS]
    chips.append(tag("span", cls="fg-gap"))
    for view, name in views.items():
        if view == "proofs" or may:
            chips.append(tag("a", name, cls="cd-link fg-tab cd-here" if place.view == view else "cd-link fg-tab", href=clean.link(view=view)))
    if may:
        chips.append(tag("a", icon("add"), say("New request"), cls="cd-link cd-button fg-new", href=clean.link(new=True, way="subject")))
    return tag("nav", *chips, cls="fg-tabs", label=say("What is shown of forgetting"))


def _empty(desk: Desk, place: Place, may: bool) -> Markup:
    if not desk.scopes:
        words = say("Seeing requests takes the role of a reviewer, an admin or an auditor. Ask an admin of your team.")
        return tag("div", tag("b", say("There is no request you may see")), words, cls="cd-empty")
    if place.show == "complete":
        return tag("div", tag("b", say("No request is complete yet")), say("Complete ones stay here, with a receipt that holds nothing of what was forgotten."), cls="cd-empty")
    if place.show == "refused":
        return tag("div", tag("b", say("No request was refused")), say("A refusal keeps its reason, and gives the records back."), cls="cd-empty")
    how = say("When somebody asks that something be forgotten, find it on its own page or on the page about its subject, and choose “Forget…”; or begin with a new request.")
    if not may:
        return tag("div", tag("b", say("Nobody waits to be forgotten")), say("Requests are entered by admins. You see those that concern your scopes."), cls="cd-empty")
    return tag("div", tag("b", say("Nobody waits to be forgotten")), how, cls="cd-empty")


def _row(row: DeletionRow, place: Place, several: bool, now: int) -> Markup:
    here = Place(row.id, row.tenant, scope=place.scope)
    records = say_count("{n} record", "{n} records", row.targets)
    what = phrase("{records}, {found}", records=records, found=say(FOUND_WORDS[row.found_by]))
    if row.from_ledger:
        what = join((what, say("entered again from the ledger after a backup was restored")), " · ")
    entered = phrase("entered by {who} {ago}", who=person_name(row.entered_by), ago=moment(row.entered_at))
    facts = [tag("span", row.id, cls="cd-id"), tag("span", entered), tag("span", row.tenant) if several else None]
    return tag(
        "li",
        tag("div", tag("a", ground_words(row.ground), cls="cd-link fg-title", href=here.link()), tag("div", what, cls="cd-small"), tag("div", *(one for one in facts if one is not None), cls="fg-facts")),
        tag("div", draw_bar(row.surfaces), tag("div", tally(row.surfaces), title=bar_words(row.surfaces), cls="cd-muted cd-small")) if row.state != "refused" else tag("div"),
        tag("div", _waits(row), cls="cd-small"),
        tag("div", request_badge(row.state), tag("div", _date(row, now), cls="cd-small"), cls="fg-state"), cls="fg-row",
    )  # fmt: skip


def _date(row: DeletionRow, now: int) -> Markup:
    if row.state == "refused":
        return moment(row.refused_at)
    if row.state == "complete":
        return moment(row.finished_at)
    return due_words(row.due_at, now)


def _waits(row: DeletionRow) -> Markup | str:
    """Return what a request waits for, and for whom."""
    owner = person_name(row.owner) if row.owner else say("an admin")
    if row.state == "refused":
        return phrase("by {who}", who=person_name(row.refused_by or ""))
    if row.state == "complete":
        return say("nothing is open any more")
    if row.begun_at is None:
        return phrase("blocked; {owner} erases it", owner=tag("b", owner))
    if not row.open_surfaces:
        return say("settled, and not found clean yet")
    if failed := row.surfaces.get("failed"):
        return tag("span", icon("error"), say_count("failed in {n} place; it says why", "failed in {n} places; each says why", failed), cls="cd-status cd-red")
    return phrase_count("{n} place waits for {owner}", "{n} places wait for {owner}", row.open_surfaces, owner=tag("b", owner))
