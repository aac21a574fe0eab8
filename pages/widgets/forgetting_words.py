"""What the page of forgetting says: grounds, surfaces, how far each is, and the bar that shows them together."""

from __future__ import annotations

from collections.abc import Mapping

from pages.widgets.language import later, later_count, number, say, say_count
from pages.widgets.markup import Markup, join, picture, placed, tag
from pages.widgets.moments import from_micros, say_ago, say_day, say_minute, say_second
from pages.widgets.status import icon

#: ground -> what it says
GROUND_WORDS = {
    "asked_by_person": later("The person it describes asked for it"), "wrong_about_person": later("It is wrong about a person"),
    "not_allowed_to_keep": later("We may not keep it"), "no_longer_needed": later("It is not needed any more"), "other": later("Another ground"),
}  # fmt: skip
#: surface -> (name, what becomes of it there, what somebody who does not know the word needs to know)
SURFACE_WORDS = {
    "record": (later("The records and their text"), later("Id, value, key, body and notes are emptied. A number, a status and dates stay.")),
    "evidence": (later("Passages in documents"), later("The passages it was taken from are blacked out, letter for letter, so that everything else keeps its place.")),
    "search_index": (later("The search index"), later("Its words are taken out of the index, and what the index kept of them is rewritten.")),
    "caches": (later("Remembered answers and finished texts"), later("Answers kept to be given again, and texts that quote it, are emptied.")),
    "previews": (later("Saved plans and previews"), later("What plans, rehearsals and uploaded files kept of it is emptied.")),
    "history": (later("History and events"), later("Reasons, notes and typed words about it are emptied. That something happened, and when, stays.")),
    "read_log": (later("What agents were told"), later("Questions and answers that held it are emptied. Who asked, and when, stays.")),
    "exports": (later("Files that were exported"), later("Whoever holds one is asked to destroy it.")),
    "replicas": (later("Copies of the database"), later("Somebody who runs the database says whether there are any.")),
    "logs": (later("Other logs"), later("Somebody who runs the machines says what they keep, and until when.")),
    "backups": (later("Backups"), later("Each lapses on its day, and an operator deletes it then. A restored one forgets it again before it can be read.")),
}  # fmt: skip
#: state of a surface -> (word, symbol, tone)
STATE_LOOKS = {
    "open": (later("Open"), "radio_button_unchecked", "amber"), "done": (later("Done"), "check_circle", "teal"), "kept": (later("Kept until its day"), "event_upcoming", "slate"),
    "failed": (later("Failed"), "error", "red"), "unsupported": (later("Not there"), "do_not_disturb_on", "grey"), "working": (later("Being worked on"), "pending", "slate"),
}  # fmt: skip
#: state of a request -> (word, symbol, tone)
REQUEST_LOOKS = {
    "open": (later("Open"), "hourglass_top", "rose"), "complete": (later("Complete"), "task_alt", "teal"), "refused": (later("Refused"), "undo", "grey"),
}  # fmt: skip
FOUND_WORDS = {
    "record": later("chosen one by one"), "subject": later("everything about one subject"), "source": later("everything from one source"), "search": later("found by a search and confirmed"),
}  # fmt: skip
#: rule -> why something is kept until a date
RULE_WORDS = {
    "backup_retention": later("no backup is kept longer than that"),
    "past_its_date_and_still_there": later("its day has passed and its file is still there; an operator deletes it with “python -m store backups --drop-lapsed”"),
    "past_its_date_and_not_found_from_here": later("its day has passed and its file is not found from here; whoever knows where it went deletes it there and notes that under “Copies outside”"),
}  # fmt: skip
#: failure -> what was not done there, and what to do next
FAILURE_WORDS = {
    "no_space": later("The disk of the database is full or failing, so nothing was erased here. Free some space, then go on."),
    "read_only": later("The database can only be read, so nothing was erased here. Give its file and folder write permission, then go on."),
    "busy": later("The database was in use or out of reach, so nothing was erased here. Go on when nobody else is writing much."),
    "damaged": later("The database is damaged where this stands, so nothing was erased here. Have whoever looks after the desk run “verify” and put back a backup where it says so, then go on."),
    "other_bytes": later("The bytes of a version are not those that were captured, so its passages could not be cut out at the right places and stay hidden. Everything else here is erased. Audit names the version: ask that all of it be forgotten, or have its bytes put back, then go on."),
    "broken_off": later("The run was broken off while this was worked on, so nothing was erased here. Go on: it is taken up where it was."),
    "unexpected": later("Something that stands here could not be read or changed, so nothing was erased here. Go on; if it fails again, have whoever looks after the desk run “verify”."),
}  # fmt: skip
#: Who settled a place where no person did.
DESK_ITSELF = "claimdesk"
#: In the order in which a bar shows them.
BAR_STATES = ("done", "unsupported", "kept", "working", "failed", "open")
_SETTLED = ("done", "kept", "unsupported")
_PARTS = {
    "done": later_count("{n} done", "{n} done"), "kept": later_count("{n} kept until its day", "{n} kept until their day"), "unsupported": later_count("{n} not there", "{n} not there"),
    "failed": later_count("{n} failed", "{n} failed"), "working": later_count("{n} being worked on", "{n} being worked on"), "open": later_count("{n} open", "{n} open"),
}  # fmt: skip


def _badge(look: tuple[str, str, str]) -> Markup:
    word, symbol, tone = look
    return tag("span", icon(symbol), say(word), cls=f"cd-status cd-{tone}")


def state_badge(state: str) -> Markup:
    """Return how far a surface is, as icon, word and colour."""
    return _badge(STATE_LOOKS[state])


def request_badge(state: str) -> Markup:
    """Return where a request stands, as icon, word and colour."""
    return _badge(REQUEST_LOOKS[state])


def surface_name(surface: str) -> str:
    """Return what a surface is called."""
    return say(SURFACE_WORDS[surface][0]) if surface in SURFACE_WORDS else surface


def surface_means(surface: str) -> str:
    """Return what becomes of a forgotten thing on a surface."""
    return say(SURFACE_WORDS[surface][1]) if surface in SURFACE_WORDS else ""


def ground_words(ground: str) -> str:
    """Return a ground in words."""
    return say(GROUND_WORDS[ground]) if ground in GROUND_WORDS else ground


def rule_words(rule: str | None) -> str:
    """Return the rule under which something is kept, in words where it is one of the desk's own."""
    known = RULE_WORDS.get((rule or "").replace(" ", "_"))
    return say(known) if known else rule or ""


def settled(states: Mapping[str, int]) -> int:
    """Return how many surfaces are settled."""
    return sum(states.get(state, 0) for state in _SETTLED)


def bar_words(states: Mapping[str, int]) -> str:
    """Return how far the surfaces are, as words."""
    return say(", ").join(say_count(*_PARTS[state], states[state]) for state in BAR_STATES if states.get(state))


def draw_bar(states: Mapping[str, int]) -> Markup:
    """Return the surfaces as a small bar: done, kept and open beside each other.

    Args:
        states: state -> how many surfaces.
    """
    total = sum(states.values())
    if not total:
        return Markup("")
    parts, left = [], 0.0
    for state in BAR_STATES:
        width = 100 * states.get(state, 0) / total
        if width:
            parts.append(placed(cls=f"fg-part fg-{state}", left=left, top=0, width=width, height=100))
            left += width
    return picture(bar_words(states), *parts, cls="fg-bar")


def tally(states: Mapping[str, int]) -> str:
    """Return how many surfaces are settled, of how many."""
    return say("{settled} of {n} places settled", settled=number(settled(states)), n=number(sum(states.values())))


def moment(at: int | None) -> Markup:
    """Return how long ago a moment was, the exact time on hover."""
    return Markup("") if at is None else tag("span", say_ago(from_micros(at)), title=say_second(from_micros(at)))


def minute(at: int | None) -> str:
    """Return a moment to the minute, with its zone."""
    return "" if at is None else say_minute(from_micros(at))


def day(at: int | None) -> str:
    """Return the day of a moment."""
    return "" if at is None else say_day(from_micros(at))


def due_words(due: int | None, now: int, finished: bool = False) -> Markup:
    """Return when a request is due, late ones marked."""
    if due is None:
        return tag("span", say("no date"), cls="cd-muted")
    days = (due - now) // 86_400_000_000
    exact = say_second(from_micros(due))
    if finished:
        return tag("span", day(due), title=exact, cls="cd-muted")
    if due <= now:
        return tag("span", icon("event_busy"), say("was due {day}", day=day(due)), title=exact, cls="cd-status cd-red")
    if days < 1:
        return tag("span", icon("event"), say("due within a day"), title=exact, cls="cd-status cd-amber")
    words = say_count("in {n} day", "in {n} days", days)
    return tag("span", day(due), " ", tag("span", words, cls="cd-muted"), title=exact, cls="cd-status cd-amber" if days < 5 else "")


def facts(*pairs: tuple[str, object]) -> Markup:
    """Return labels with what stands behind each; pairs of nothing are left out."""
    return tag("dl", *(join((tag("dt", label), tag("dd", value))) for label, value in pairs if value not in (None, "")), cls="cd-facts")
