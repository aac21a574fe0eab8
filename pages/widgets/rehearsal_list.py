"""The list of rehearsals: one sentence, counts that filter, and a line each."""

from __future__ import annotations

from collections.abc import Callable

from pages.widgets.desk import Desk, address, show_notices
from pages.widgets.language import later, number, phrase, phrase_count, say, say_count
from pages.widgets.markup import Markup, draw, join, tag
from pages.widgets.moments import from_micros, when
from pages.widgets.rehearsal_place import RehearsalPlace, address_of
from pages.widgets.rehearsal_words import plan_words, stand_badge, stand_of, totals_words
from pages.widgets.status import icon
from store import SavedRehearsal, list_rehearsals

_SHOWN = 100
_KEPT_TO: dict[str, tuple[str, str, Callable[[SavedRehearsal], bool]]] = {
    "handed": (later("Handed to me"), "move_to_inbox", lambda row: row.handed and row.committed is None),
    "mine": (later("Saved by me"), "person", lambda row: row.mine),
    "changed": (later("Result changed"), "sync_problem", lambda row: stand_of(row) in ("changed", "impossible")),
    "committed": (later("Committed"), "task_alt", lambda row: row.committed is not None),
}


def draw_list(desk: Desk, place: RehearsalPlace) -> None:
    """Draw the list."""
    rows = list_rehearsals(desk.store, desk.person, scope=desk.scope, correction=place.correction)
    counts = {name: sum(fits(row) for row in rows) for name, (_, _, fits) in _KEPT_TO.items()}
    _draw_sentence(rows, counts)
    show_notices()
    if place.correction:
        case = phrase("Only those of the correction {case}. {all}", case=tag("a", place.correction[:120], cls="cd-link", href=address("corrections", case=place.correction, scope=desk.scope)), all=tag("a", say("Show all"), cls="cd-link", href=place.link(correction=None)))
        draw(tag("div", case, cls="cd-muted cd-small"))
    if not rows:
        start = tag("a", say("Revoke and preview"), cls="cd-link", href=address("revoke", scope=desk.scope))
        how = phrase("Choose something under {page}, look at what it would do, and save that under a name. Nothing is changed by it.", page=start)
        draw(tag("div", icon("bookmark"), tag("b", say("No plan is saved here")), tag("div", how), cls="cd-empty"))
        return
    chips = [
        tag("a", icon(symbol), say(word), " ", tag("b", number(counts[name])), cls="cd-link cy-pick" + (" rh-here" if place.show == name else ""),
            href=place.link(show=None if place.show == name else name))
        for name, (word, symbol, _) in _KEPT_TO.items() if counts[name] or place.show == name
    ]  # fmt: skip
    draw(tag("nav", *chips, cls="cy-picks", label=say("What is shown")))
    shown = [row for row in rows if place.show is None or _KEPT_TO[place.show][2](row)]
    if not shown:
        draw(tag("div", tag("b", say("None of them")), tag("a", say("Show all"), cls="cd-link", href=place.link(show=None)), cls="cd-empty"))
        return
    draw(tag("ul", *(_row(row, address_of(row, desk.scope)) for row in shown[:_SHOWN]), cls="rh-rows"))
    if len(shown) > _SHOWN:
        draw(tag("p", say("The newest {n} of {all} are shown.", n=number(_SHOWN), all=number(len(shown))), cls="cd-muted cd-small"))


def _draw_sentence(rows: list[SavedRehearsal], counts: dict[str, int]) -> None:
    things = tag("b", say_count("{n} plan", "{n} plans", len(rows)))
    parts = [phrase_count("{things} is saved.", "{things} are saved.", len(rows), things=things)]
    if counts["handed"]:
        parts.append(phrase_count("{n} waits for you to commit it.", "{n} wait for you to commit them.", counts["handed"]))
    if counts["changed"]:
        parts.append(phrase_count("{n} would do something else by now.", "{n} would do something else by now.", counts["changed"]))
    if rows:
        draw(tag("p", join(parts, " "), cls="cd-lead"))


def _row(row: SavedRehearsal, href: str) -> Markup:
    who = say("you") if row.mine else row.by_name[:80]
    why: list[Markup | str] = [plan_words(row.plan, row.words), totals_words(row.totals)]
    handed = None
    if row.handed_to is not None and row.committed is None:
        to = say("you") if row.handed else (row.handed_to_name or "")[:80]
        words = phrase("{by} handed it to {to}: {why}", by=tag("b", (row.handed_by_name or "")[:80]), to=tag("b", to), why=(row.handed_why or "")[:240])
        handed = tag("div", icon("forward"), words, cls="rh-handed")
    title = tag("a", row.name, cls="cd-link rh-name", href=href)
    return tag(
        "li", tag("div", title, tag("div", join(why, " · "), cls="rh-why"), handed, cls="rh-what"),
        tag("div", stand_badge(row), tag("small", phrase("{who}, {when}", who=who, when=when(from_micros(row.at))), cls="cd-muted"), cls="rh-state"),
    )  # fmt: skip
