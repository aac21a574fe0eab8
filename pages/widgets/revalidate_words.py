"""The words of the queue of re-validation."""

from __future__ import annotations

import json

from pages.widgets.candidate_words import value_text
from pages.widgets.language import later, say

#: state -> (heading of the count, Material Symbol, tone).
STATES = {
    "lost": (later("Something it rests on is lost"), "link_off", "red"),
    "trigger": (later("Something happened"), "notifications_active", "amber"),
    "value": (later("What it rests on says something else"), "difference", "violet"),
    "not_kept": (later("The policy keeps it no longer"), "block", "red"),
    "back": (later("Everything it rests on stands again"), "restore", "teal"),
    "upstream": (later("Waits for a decision above"), "hourglass_empty", "slate"),
    "newer": (later("A newer version arrived"), "update", "amber"),
    "expired": (later("Expired"), "event_busy", "amber"),
    "expiring": (later("Expires soon"), "event", "slate"),
    "review": (later("Due for review"), "event_repeat", "slate"),
}
#: The states that stand in the queue for a date.
DATED = ("expired", "expiring", "review")
TRIGGERS = {
    "source_changed": later("its source changed"),
    "newer_period_arrived": later("a figure for a later period arrived"),
    "project_ended": later("its project ended"),
    "role_changed": later("somebody’s role changed"),
}
FATES = {
    "unchanged": (later("The same words stand there now"), "check_circle", "teal"),
    "moved": (later("The same words stand elsewhere now"), "move_down", "teal"),
    "cosmetic": (later("The same words with other spaces"), "check_circle", "teal"),
    "changed": (later("Other words stand there now"), "difference", "red"),
    "gone": (later("Nothing like it stands there now"), "delete_sweep", "red"),
}


def say_trigger(name: str) -> str:
    """Return what fired, as the end of a sentence."""
    return say(TRIGGERS[name]) if name in TRIGGERS else name.replace("_", " ")


def said_value(text: str | None) -> str:
    """Return a kept value as people read it."""
    if text is None:
        return ""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return value_text(value)
