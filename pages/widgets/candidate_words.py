"""How values, times, intervals and checks of candidates read on screen."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from pages.widgets.markup import Markup, tag

#: check -> what it is called on screen.
CHECK_WORDS = {
    "source_bound": "Quote in its place", "extraction_recorded": "Extraction recorded", "parents_accepted": "Rests on accepted records", "owner": "Owner",
    "scope": "Scope", "review_date": "Review date", "entity_resolved": "Who or what is meant", "claim_type": "Kind of statement", "sensitivity": "Sensitivity",
    "independent_reviewer": "Independent reviewer", "high_impact": "Number of people", "recorded_dependencies": "What its task read",
}  # fmt: skip
#: route -> (words on its button, sentence about it, reason it is prefilled with).
ROUTE_WORDS = {
    "rejected": ("Reject it", "It is wrong, or its source does not say so.", "The source does not say this."),
    "session_only": ("This task only", "True where it was said, and nowhere else.", "It holds for that task only."),
    "not_durable": ("Not worth keeping", "A guess, a passing remark, or a rule forbids keeping it.", "Not worth keeping as a fact."),
    "sensitive": ("Too sensitive", "Its value is not shown again.", "Too sensitive to keep."),
}  # fmt: skip
ROUTE_DONE = {
    "rejected": "Rejected", "session_only": "Rejected (that task only)", "not_durable": "Rejected (not worth keeping)", "sensitive": "Rejected (too sensitive)",
}  # fmt: skip
_UNITS = ((31_536_000, "year"), (2_592_000, "month"), (86_400, "day"), (3_600, "hour"), (60, "minute"))
_LONGEST = 4_000


def moment(text: str) -> datetime:
    """Return a time the store wrote."""
    return datetime.fromisoformat(text)


def ago(text: str | None, now: datetime | None = None) -> str:
    """Return how long ago a time was, in words."""
    if not text:
        return "at an unknown time"
    seconds = ((now or datetime.now(UTC)) - moment(text)).total_seconds()
    for size, unit in _UNITS:
        if seconds >= size:
            count = int(seconds // size)
            return f"{count} {unit}{'' if count == 1 else 's'} ago"
    return "just now" if seconds > -60 else exact_day(text)


def short_age(micros: int, now: datetime | None = None) -> str:
    """Return an age for a narrow column: 6d, 3h."""
    seconds = ((now or datetime.now(UTC)).timestamp()) - micros / 1_000_000
    for size, unit in ((31_536_000, "y"), (86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{int(seconds // size)} {unit}"
    return "now"


def exact(text: str | None) -> str:
    """Return a time with its zone, to the minute."""
    if not text:
        return ""
    return moment(text).astimezone(UTC).strftime("%-d %b %Y, %H:%M UTC")


def exact_day(text: str | None) -> str:
    """Return the day of a time; a time of the day only where it is not midnight."""
    if not text:
        return ""
    at = moment(text).astimezone(UTC)
    return at.strftime("%-d %b %Y") if at.hour == at.minute == 0 else at.strftime("%-d %b %Y, %H:%M UTC")


def when(text: str | None) -> Markup:
    """Return a time as its age, the exact time on hover."""
    return tag("span", ago(text), title=exact(text))


def interval(start: str | None, end: str | None) -> str:
    """Return a validity in words."""
    if not start and not end:
        return "always"
    if not end:
        return f"from {exact_day(start)}"
    return f"until {exact_day(end)}" if not start else f"{exact_day(start)} → {exact_day(end)}"


def value_text(value: Any, longest: int = _LONGEST) -> str:
    """Return a value as people read it; JSON where it has parts."""
    if isinstance(value, str):
        text = value
    elif isinstance(value, bool) or value is None:
        text = {True: "yes (true)", False: "no (false)", None: "no value (null)"}[value]
    elif isinstance(value, int):
        text = f"{value:,}"
    elif isinstance(value, dict) and set(value) == {"amount", "currency"} and isinstance(value["amount"], int | float):
        text = f"{value['currency']} {value['amount']:,}"
    elif isinstance(value, list) and value and all(isinstance(item, str | int | float) for item in value):
        text = " · ".join(str(item) for item in value)
    else:
        text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= longest else f"{text[:longest]} … ({len(text):,} characters)"


def qualifiers_text(qualifiers: dict[str, Any] | None) -> str:
    """Return which figure is meant, in words."""
    if not qualifiers:
        return ""
    return ", ".join(
        f"{name.replace('_', ' ')} {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
        for name, value in sorted(qualifiers.items())
    )


def plural(count: int, word: str, words: str | None = None) -> str:
    """Return a count with its word."""
    return f"{count:,} {word if count == 1 else words or word + 's'}"


def shorten(text: str, longest: int = 80) -> str:
    """Return a text cut for one line."""
    text = " ".join(text.split())
    return text if len(text) <= longest else text[: longest - 1] + "…"


def name_for_label(name: str) -> str:
    """Return a person's name for the label of a button, which would draw anything but letters as markup."""
    return " ".join("".join(ch for ch in name if ch.isalnum() or ch in " -'’").split())[:60] or "yourself"
