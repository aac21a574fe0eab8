"""What a request to forget would do, drawn before it is made: what is blocked, what falls, who was told, and where else it stands."""

from __future__ import annotations

from collections.abc import Sequence

from pages.widgets.candidate_words import shorten
from pages.widgets.desk import Desk, record_link
from pages.widgets.forgetting_falls import falls_place
from pages.widgets.forgetting_outside import draw_backups, draw_beside, draw_copies
from pages.widgets.forgetting_passages import draw_passages
from pages.widgets.forgetting_place import Place
from pages.widgets.forgetting_state import Reach
from pages.widgets.forgetting_words import SURFACE_WORDS, day, surface_means, surface_name
from pages.widgets.graph_words import say_value
from pages.widgets.language import number, phrase, phrase_count, say, say_count
from pages.widgets.markup import Markup, draw, join, tag
from pages.widgets.plan_preview import draw_limits, draw_lists, watch_preview
from pages.widgets.plan_words import is_keyed, several
from pages.widgets.status import badge, icon
from store import Drift, Pick, describe_picks

#: Records that stand open, and that are named at all; the others are folded, and counted.
_OPEN, _SHOWN = 12, 200


def draw_reach(desk: Desk, tenant: str, reach: Reach, place: Place, drift: Drift | None) -> None:
    """Draw everything a request would do, the most important first."""
    draw(tag("p", _sentence(reach), cls="cd-lead"))
    watch_preview(desk, reach.rehearsal, drift)
    draw(_order())
    draw(_targets(desk, tenant, reach, place))
    draw(tag("h2", say("What falls with it, and who is told"), cls="cd-heading"))
    draw_lists(desk, reach.rehearsal, falls_place(desk, place, tenant, reach.rehearsal.totals))
    draw_limits(reach.rehearsal)
    draw(draw_passages(reach.passages, tenant, place), draw_beside(reach.beside, tenant, place), draw_copies(reach.copies), draw_backups(reach.backups))


def _sentence(reach: Reach) -> Markup:
    totals = reach.rehearsal.totals
    count = len(reach.ids)
    parts = [phrase_count("{blocked} and later erased.", "{blocked} and later erased.", count, blocked=tag("b", say_count("{n} record is blocked at once", "{n} records are blocked at once", count)))]
    if totals["stale"]:
        stale = tag("b", say_count("{n} record that rests on it needs re-validation", "{n} records that rest on it need re-validation", totals["stale"]))
        parts.append(phrase("{stale}.", stale=stale))
    else:
        parts.append(tag("span", say("Nothing else falls with it.")))
    if totals["delivered"]:
        # Editions that were sent and count no more are reached as well, so these may be more than what falls.
        parts.append(phrase("It reaches {delivered}.", delivered=tag("b", several(totals["delivered"], "delivered"))))
    if reach.foreseen.preview.served.times:
        parts.append(_served(reach))
    return join(parts, " ")


def _served(reach: Reach) -> Markup:
    """Return how often agents were told what is to be forgotten, or what rests on it."""
    served = reach.foreseen.preview.served
    times = tag("b", say_count("{n} time", "{n} times", served.times))
    return phrase_count("It was told {times} to {n} reader, since {day}.", "It was told {times} to {n} readers, since {day}.", served.readers, times=times, day=day(served.since))


def _order() -> Markup:
    """Return what happens, in order, in plain words; each place with what becomes of it folded."""
    steps = [
        say("At once: nobody reads, searches, is shown or exports any of it, except that it is being deleted. What rests on it needs re-validation, and owners are told."),
        say("When you say so: it is erased place by place, and the desk looks everywhere whether anything is left."),
        say("Then people answer for what the desk cannot reach: files that were exported, other copies, backups until their day."),
        say("At the end there is a receipt that can be shown to the person. It holds nothing of what was forgotten."),
    ]
    rows = [tag("tr", tag("td", tag("b", surface_name(surface))), tag("td", surface_means(surface))) for surface in SURFACE_WORDS]
    places = tag("div", tag("table", *rows, cls="cd-table"), cls="cd-scroll")
    return tag("details", tag("summary", say("What happens then, step by step, and in each place")), tag("ol", *(tag("li", one) for one in steps), cls="fg-order"), places, cls="cd-more fg-section")


def _targets(desk: Desk, tenant: str, reach: Reach, place: Place) -> Markup:
    """Return what would be forgotten; where it was found by subject or source, each with a way to leave it out."""
    targets = reach.foreseen.targets
    named = describe_picks(desk.store, desk.person, tenant, [target.id for target in targets[:_SHOWN]])
    rows = []
    for target in targets[:_SHOWN]:
        pick = named.get(target.id)
        off = None
        if place.way in ("subject", "source") and len(targets) > 1:
            off = tag("a", icon("close"), say("leave out"), cls="cd-link", href=place.link(left=(*place.left, target.id)))
        rows.append(tag("div", _named(target.id, pick, tenant), tag("div", badge(target.status, target.kind), tag("div", off, cls="cd-small") if off else None), cls="fg-copyrow"))
    more = len(targets) - _SHOWN
    if more > 0:
        rows.append(tag("div", say_count("and {n} more", "and {n} more", more), cls="cd-muted cd-small"))
    head = tag("h2", say("What is forgotten"), tag("span", number(len(targets)), cls="cd-tally"), cls="cd-heading")
    folded = None
    if len(targets) > _OPEN:
        rest = len(targets) - _OPEN
        folded = tag("details", tag("summary", say_count("{n} more record that is forgotten", "{n} more records that are forgotten", rest)), *rows[_OPEN:], cls="cd-more")
    return tag("div", head, *rows[:_OPEN], folded, cls="fg-section")


def _named(record: str, pick: Pick | None, tenant: str) -> Markup:
    title = record_link(record, tenant, shorten(pick.title, 160)) if pick else record_link(record, tenant)
    keyed = pick is not None and pick.text is not None and is_keyed(pick.title, pick.label)
    value = tag("span", " · ", say_value(pick.text, 80), cls="cd-muted") if pick and keyed else None
    scope = tag("span", phrase("in {scope}", scope=pick.scope)) if pick else None
    facts: Sequence[Markup] = [one for one in (tag("span", record[:120], cls="cd-id"), scope) if one is not None]
    return tag("div", title, value, tag("div", join(facts, " · "), cls="cd-muted cd-small"))
