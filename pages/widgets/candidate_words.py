"""How values, times, intervals and checks of candidates read on screen."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from pages.widgets.language import later, number, say
from pages.widgets.markup import Markup, tag
from pages.widgets.moments import say_ago, say_day, say_minute
from store import VEIL, spaced

#: check -> what it is called on screen; pass it through `say`.
CHECK_WORDS = {
    "source_bound": later("Quote in its place"), "extraction_recorded": later("Extraction recorded"),
    "parents_accepted": later("Rests on accepted records"), "owner": later("Owner"), "scope": later("Scope"), "review_date": later("Review date"),
    "entity_resolved": later("Who or what is meant"), "claim_type": later("Kind of statement"), "sensitivity": later("Sensitivity"),
    "independent_reviewer": later("Independent reviewer"), "high_impact": later("Number of people"),
    "recorded_dependencies": later("What its task read"),
}  # fmt: skip
#: route -> (words on its button, sentence about it, reason it is prefilled with); pass them through `say`.
ROUTE_WORDS = {
    "rejected": (later("Reject it"), later("It is wrong, or its source does not say so."), later("The source does not say this.")),
    "session_only": (later("This task only"), later("True where it was said, and nowhere else."), later("It holds for that task only.")),
    "not_durable": (
        later("Not worth keeping"), later("A guess, a passing remark, or a rule forbids keeping it."), later("Not worth keeping as a fact."),
    ),
    "sensitive": (later("Too sensitive"), later("Its value is not shown again."), later("Too sensitive to keep.")),
}  # fmt: skip
#: route -> what a rejection by it is called; pass it through `say`.
ROUTE_DONE = {
    "rejected": later("Rejected"), "session_only": later("Rejected (that task only)"), "not_durable": later("Rejected (not worth keeping)"),
    "sensitive": later("Rejected (too sensitive)"),
}  # fmt: skip
_LONGEST = 4_000


def moment(text: str) -> datetime:
    """Return a time the store wrote."""
    return datetime.fromisoformat(text)


def ago(text: str | None, now: datetime | None = None) -> str:
    """Return how long ago a time was, in words."""
    return say_ago(moment(text), now) if text else say("at an unknown time")


def short_age(micros: int, now: datetime | None = None) -> str:
    """Return an age for a narrow column: 6 d, 3 h."""
    seconds = ((now or datetime.now(UTC)).timestamp()) - micros / 1_000_000
    if seconds >= 31_536_000:
        return say("{n} y", n=int(seconds // 31_536_000))
    if seconds >= 86_400:
        return say("{n} d", n=int(seconds // 86_400))
    if seconds >= 3_600:
        return say("{n} h", n=int(seconds // 3_600))
    return say("{n} min", n=int(seconds // 60)) if seconds >= 60 else say("now")


def exact(text: str | None) -> str:
    """Return a time with its zone, to the minute."""
    return say_minute(moment(text)) if text else ""


def exact_day(text: str | None) -> str:
    """Return the day of a time; a time of the day only where it is not midnight."""
    if not text:
        return ""
    at = moment(text).astimezone(UTC)
    return say_day(at) if at.hour == at.minute == 0 else say_minute(at)


def when(text: str | None) -> Markup:
    """Return a time as its age, the exact time on hover."""
    return tag("span", ago(text), title=exact(text))


def interval(start: str | None, end: str | None) -> str:
    """Return a validity in words."""
    if not start and not end:
        return say("always")
    if not end:
        return say("from {day}", day=exact_day(start))
    return say("until {day}", day=exact_day(end)) if not start else say("{start} → {end}", start=exact_day(start), end=exact_day(end))


def value_text(value: Any, longest: int = _LONGEST) -> str:
    """Return a value as people read it; JSON where it has parts."""
    if value == VEIL:
        text = say("veiled")
    elif isinstance(value, str):
        text = value
    elif value is None:
        text = say("no value (null)")
    elif isinstance(value, bool):
        text = say("yes (true)") if value else say("no (false)")
    elif isinstance(value, int):
        text = number(value)
    elif isinstance(value, dict) and set(value) == {"amount", "currency"} and isinstance(value["amount"], int | float):
        text = f"{value['currency']} {value['amount']:,}"
    elif isinstance(value, list) and value and all(isinstance(item, str | int | float) for item in value):
        text = " · ".join(str(item) for item in value)
    else:
        text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= longest else say("{beginning} … ({n} characters)", beginning=text[:longest], n=number(len(text)))


def qualifiers_text(qualifiers: dict[str, Any] | None) -> str:
    """Return which figure is meant, in words."""
    if not qualifiers:
        return ""
    return ", ".join(
        f"{spaced(name)} {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
        for name, value in sorted(qualifiers.items())
    )


def shorten(text: str, longest: int = 80) -> str:
    """Return a text cut for one line."""
    text = " ".join(text.split())
    return text if len(text) <= longest else text[: longest - 1] + "…"


def plural(count: int, word: str, words: str | None = None) -> str:
    """Return a count with its word, in English: for what is not in the catalogue yet."""
    return f"{count:,} {word if count == 1 else words or word + 's'}"
