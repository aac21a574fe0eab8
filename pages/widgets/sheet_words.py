"""What a decision sheet says: decisions, routes and terms in words."""

from __future__ import annotations

import json
from typing import Any

from pages.widgets.candidate_words import exact_day, shorten, value_text
from pages.widgets.conflict_words import verdict_words
from pages.widgets.language import say, say_count
from pages.widgets.markup import Markup, tag
from pages.widgets.status import icon
from store import SheetRow

#: decision -> icon and tone.
_LOOKS = {
    "approve": ("check_circle", "teal"), "first": ("how_to_reg", "teal"), "reject": ("close", "grey"), "reopen": ("undo", "amber"),
    "amend": ("edit", "slate"), "renew": ("event_repeat", "slate"), "verdict": ("balance", "violet"), "question": ("contact_support", "violet"), "asked": ("contact_support", "violet"),
}  # fmt: skip


def action_words(action: str) -> str:
    """Return what a decision is called."""
    return {
        "approve": say("Approved"), "first": say("Approved, first of two"), "reject": say("Rejected"), "reopen": say("Taken back"),
        "amend": say("Amended"), "renew": say("Renewed"), "verdict": say("Conflict settled"), "question": say("Conflict, asked about"),
        "asked": say("Asked how it is meant"),
    }[action]  # fmt: skip


def action_counted(action: str, count: int) -> str:
    """Return how many decisions of a kind there are."""
    return {
        "approve": say_count("{n} approved", "{n} approved", count), "first": say_count("{n} approved first", "{n} approved first", count),
        "reject": say_count("{n} rejected", "{n} rejected", count), "reopen": say_count("{n} taken back", "{n} taken back", count),
        "amend": say_count("{n} amended", "{n} amended", count), "renew": say_count("{n} renewed", "{n} renewed", count),
        "verdict": say_count("{n} conflict settled", "{n} conflicts settled", count),
        "question": say_count("{n} conflict asked about", "{n} conflicts asked about", count),
        "asked": say_count("{n} asked how it is meant", "{n} asked how they are meant", count),
    }[action]  # fmt: skip


def action_icon(action: str) -> str:
    """Return the icon of a decision."""
    return _LOOKS[action][0]


def decision_words(row: SheetRow) -> Markup:
    """Return a decision as icon, word and colour, with its route or verdict."""
    symbol, tone = _LOOKS[row.action]
    further = None
    if row.route:
        further = {
            "rejected": say("wrong, or not in its source"), "session_only": say("for that task only"), "not_durable": say("not worth keeping"),
            "sensitive": say("too sensitive"),
        }.get(row.route, row.route)  # fmt: skip
    elif row.verdict:
        further = verdict_words(row.verdict)
    return tag(
        "div",
        tag("span", icon(symbol), action_words(row.action), cls=f"cd-status cd-{tone}"),
        tag("div", further, cls="cd-muted") if further else None,
    )


def terms_words(terms: dict[str, Any] | None, action: str) -> list[str]:
    """Return what was set or changed with a decision, each as a few words."""
    if not terms:
        return []
    if action == "amend":
        return [
            say("{field} is now {value}", field=name.replace("_", " "), value=shorten(value_text(value, 200), 120))
            for name, value in sorted(terms.items())
        ]
    return [_term(name, value) for name, value in sorted(terms.items())]


def _term(name: str, value: Any) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, list) else value if isinstance(value, str) else json.dumps(value)
    shown = shorten(text, 120)
    if name in ("review_at", "expires_at"):
        return say("review on {day}", day=exact_day(text)) if name == "review_at" else say("expires on {day}", day=exact_day(text))
    return {
        "owner": say("owner {name}", name=shown), "scope": say("for {scope} only", scope=shown), "widen_scope": say("widened: {why}", why=shown),
        "purposes": say("purposes {names}", names=shown), "sensitivity": say("sensitivity {word}", word=shown),
        "entity_confirmed": say("the entity is right"), "record_checked": say("checked in the system of record"), "used": say("used {ids}", ids=shown),
        "not_used": say("did not use {ids}", ids=shown),
    }.get(name, f"{name} {shown}")  # fmt: skip
