"""How messages and remedies are called: icon, word and colour, always the same."""

from __future__ import annotations

from pages.widgets.language import later, say
from pages.widgets.markup import Markup, tag
from pages.widgets.status import icon
from store import MessageRow

#: state of a message -> (word, symbol, tone), in the order in which a message goes through them.
STATES = {
    "drafted": (later("Drafted"), "edit_note", "slate"), "approved": (later("Approved"), "task_alt", "teal"),
    "sending": (later("Being sent"), "schedule_send", "slate"), "unknown": (later("Nobody knows whether it arrived"), "question_mark", "amber"),
    "failed": (later("Failed"), "error", "red"),
    "sent": (later("Sent"), "send", "teal"), "seen": (later("Seen"), "mark_email_read", "grey"), "cancelled": (later("Cancelled"), "close", "grey"),
}  # fmt: skip
#: remedy -> (word, symbol)
REMEDIES = {
    "edition": (later("Replaced by a new edition"), "published_with_changes"), "annotation": (later("Annotated"), "sticky_note_2"),
    "none": (later("Left as it is, with a reason"), "do_not_disturb_on"),
}  # fmt: skip


def state_of(row: MessageRow) -> str:
    """Return the state of a message as lists are kept to it."""
    return "unknown" if row.unknown else row.state


def state_badge(row: MessageRow) -> Markup:
    """Return the state of a message as icon, word and colour."""
    word, symbol, tone = STATES[state_of(row)]
    return tag("span", icon(symbol), say(word), cls=f"cd-status cd-{tone}")


def remedy_badge(remedy: str | None, *, needs: bool) -> Markup | None:
    """Return how a delivered artifact was put right, or that it is to be."""
    if needs:
        return tag("span", icon("build"), say("To be put right"), cls="cd-status cd-amber")
    if remedy is None:
        return None
    word, symbol = REMEDIES[remedy]
    return tag("span", icon(symbol), say(word), cls="cd-status cd-slate")
