"""How cases read on screen: their steps, their bar, what is open, what happened."""

from __future__ import annotations

from typing import Any

from pages.widgets.desk import person_name
from pages.widgets.language import later, later_count, listed, number, say, say_count
from pages.widgets.markup import Markup, picture, placed, tag
from pages.widgets.moments import from_micros, say_minute, when
from pages.widgets.status import icon
from store import Bar, CaseRow, NamedCaseEvent, OpenThing

#: step -> what it is called.
STEP_WORDS = {
    "stop": later("Stop"), "compare": later("Compare"), "commit": later("Commit"), "settle": later("Settle"), "tell": later("Tell"), "case": later("The case itself"),
}  # fmt: skip
#: state of a step -> (icon, word, tone).
STATE_LOOKS = {
    "done": ("check_circle", later("done"), "teal"), "open": ("radio_button_unchecked", later("open"), "amber"), "waived": ("remove_circle", later("left open on purpose"), "slate"),
    "later": ("more_horiz", later("nothing yet"), "grey"),
}  # fmt: skip
#: part of the bar -> (word, tone of its colour, icon).
BAR_PARTS = (
    ("by_hand", later("settled by hand"), "byhand", "check_circle"), ("together", later("restored together"), "together", "done_all"),
    ("waiting", later("waiting upstream"), "waiting", "hourglass_top"), ("open", later("open"), "open", "history"),
)  # fmt: skip
#: step or kind of what is open -> the sentence about it.
OPEN_WORDS = {
    "stop": later_count("{names} is still in use.", "{n} sources are still in use: {names}."),
    "compare": later_count("No other version of {names} has been compared.", "No other version has been compared of {n} sources: {names}."),
    "commit": later_count("What becomes of {names} is not decided.", "What becomes of {n} sources is not decided: {names}."),
    "record": later_count("{n} record needs re-validation.", "{n} records need re-validation."),
    "candidate": later_count("{n} candidate that answers what fell waits.", "{n} candidates that answer what fell wait."),
    "edition": later_count(
        "{n} delivered artifact has no new edition, annotation or reason for none.", "{n} delivered artifacts have no new edition, annotation or reason for none."
    ),
    "recipient": later_count("{n} recipient was not told.", "{n} recipients were not told."),
}  # fmt: skip
#: action, its words joined by `_` -> what somebody did, in a time line.
ACTION_WORDS = {
    "suspend": later("stopped its use"), "revoke": later("withdrew it for good"), "reinstate": later("let it be used again"), "supersede": later("replaced it"),
    "recapture": later("put a new version in"), "confirm": later("confirmed"), "restore": later("restored together"), "approve": later("approved an answer"),
    "import": later("imported a file"), "capture": later("captured a file"), "open_correction": later("opened the case"), "change_correction": later("changed the case"),
    "add_source": later("added a source"), "waive": later("left something open on purpose"), "take_waiver_back": later("took a waiver back"),
    "close_correction": later("closed the case"), "reopen_correction": later("opened the case again"), "resolve": later("decided a conflict"),
    "settle": later("settled conflicts"),
}  # fmt: skip
NOBODY = later("nobody")


def say_open(thing: OpenThing, row: CaseRow) -> str:
    """Return what of a case is open as a sentence, its sources by their titles."""
    one, many = OPEN_WORDS[thing.step if thing.kind == "step" else thing.kind]
    titles = dict(row.sources) if thing.kind == "step" else {}
    names = [titles.get(name) or name for name in thing.names]
    return say_count(one, many, thing.count, names=str(listed(names, 3, max(thing.count, len(names)))) if names else say("the case"))


def draw_bar(bar: Bar, hidden: int = 0, *, thin: bool = False) -> Markup:
    """Return the bar: four parts of one length; the words beside it, and its label, say the same."""
    told = bar_sentence(bar, hidden)
    parts, at = [], 0.0
    for name, word, tone, _ in BAR_PARTS:
        n = getattr(bar, name)
        if n:
            width = 100 * n / bar.total
            parts.append(placed(cls=f"co-part co-{tone}", title=f"{number(n)} {say(word)}", left=at, width=width, top=0, height=100))
            at += width
    return picture(told, *parts, cls="co-bar co-thin" if thin else "co-bar")


def bar_sentence(bar: Bar, hidden: int = 0) -> str:
    """Return the bar in words."""
    if not bar.total and not hidden:
        return say("Nothing has fallen because of it.")
    counts = {name: number(getattr(bar, name)) for name, *_ in BAR_PARTS}
    return say("{by_hand} settled by hand, {together} restored together, {waiting} waiting upstream, {open} open", **counts)


def step_badge(state: str) -> Markup:
    """Return the state of a step as icon, word and colour."""
    symbol, word, tone = STATE_LOOKS[state]
    return tag("span", icon(symbol), say(word), cls=f"cd-status cd-{tone}")


def due_words(row: CaseRow, now: int) -> Markup | None:
    """Return when a case is due, marked where it is past."""
    if row.due_at is None or row.closed_at is not None:
        return None
    at = from_micros(row.due_at)
    if row.due_at <= now:
        return tag("span", icon("alarm"), say("was due {when}", when=say_minute(at)), cls="cd-amber")
    return tag("span", say("due {when}", when=say_minute(at)))


def owner_words(row: CaseRow) -> str:
    """Return who sees a case through."""
    return row.owner_name or row.owner or say(NOBODY)


def did(event: NamedCaseEvent) -> str:
    """Return what somebody did in a case."""
    name = event.action.replace(" ", "_")
    return say(ACTION_WORDS[name]) if name in ACTION_WORDS else event.action


def about(event: NamedCaseEvent) -> str:
    """Return what an event was about, where that is worth a word."""
    if event.plan is not None:
        roots: list[Any] = list(event.plan.get("roots", ()))
        return str(listed([str(one) for one in roots[:3]], 3, len(roots)))
    if event.action in ("waive", "take waiver back", "add source") and len(event.words) > 1:
        named = str(event.words[2] if event.action != "add source" and len(event.words) > 2 else event.words[1])
        return say(STEP_WORDS[named]) if named in STEP_WORDS and event.words[1] == "step" else named
    return ""


def by_whom(person: str, name: str | None = None) -> str:
    """Return what somebody is called."""
    return name or person_name(person)


def moment(micros: int) -> Markup:
    """Return how long ago something was, the exact time on hover."""
    return when(from_micros(micros))
