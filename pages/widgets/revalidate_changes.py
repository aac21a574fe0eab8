"""What a record rests on that says something else than when it was last accepted: then beside now."""

from __future__ import annotations

from pages.widgets.candidate_words import shorten
from pages.widgets.desk import record_link
from pages.widgets.language import phrase, say, say_count
from pages.widgets.markup import Markup, draw, tag
from pages.widgets.revalidate_words import said_value
from pages.widgets.status import icon
from store import StaleGroup, StaleView, SupportChange

_MOST = 8


def draw_changes(view: StaleView, *, held: bool) -> None:
    """Draw every change, the nearest first; nothing where there is none. `held`: whether one of them keeps it from being restored."""
    if not view.changes and not view.hidden_changes:
        return
    more = len(view.changes[_MOST:]) + view.hidden_changes
    draw(
        tag("h2", say("What it rests on says something else now") if held else say("Further up, something says something else now"), cls="cd-heading"), *(_pair(one, view.tenant) for one in view.changes[:_MOST]),
        tag("p", say_count("{n} more, not shown here", "{n} more, not shown here", more), cls="cd-muted cd-small") if more else None,
    )  # fmt: skip


def _pair(one: SupportChange, tenant: str) -> Markup:
    then = phrase("When this was last accepted: {what}", what=record_link(one.was, tenant, one.was_title[:140]))
    now = phrase("Now: {what}", what=record_link(one.id, tenant, one.title[:140]))
    other = None if one.says is not None and one.said is not None else say("It holds no single value: open both and compare.")
    return tag(
        "div", tag("div", tag("div", then, cls="cd-where"), _value(one.said), cls="rv-then"), tag("div", tag("div", now, cls="cd-where"), _value(one.says)),
        tag("div", other, cls="cd-muted cd-small rv-fate") if other else None,
        tag("div", icon("warning"), " ", phrase("Its own text still says {then}.", then=tag("b", shorten(one.repeated, 80))), cls="cd-small rv-fate") if one.repeated else None,
        cls="rv-pair",
    )  # fmt: skip


def _value(text: str | None) -> Markup | None:
    return None if text is None else tag("div", tag("mark", said_value(text)), cls="rv-passage")


def why_changed(one: SupportChange) -> Markup:
    """Return in a few words what changed, for a line of the list."""
    what = tag("span", shorten(one.id, 60), cls="cd-id")
    if one.says is None or one.said is None:
        return phrase("{what} says something else now", what=what)
    now, then = shorten(said_value(one.says), 40), shorten(said_value(one.said), 40)
    if one.id == one.was:
        return phrase("{what} says {now}, and said {then} before", what=what, now=now, then=then)
    return phrase("{what} says {now}, where {was} said {then}", what=what, now=now, was=tag("span", shorten(one.was, 60), cls="cd-id"), then=then)


def group_changed(group: StaleGroup, name: str) -> Markup:
    """Return what changed for all records of a group, which is called `name`."""
    one = group.changed
    if one is None or one.says is None or one.said is None:
        return phrase("{name} says something else", name=tag("b", name))
    return phrase("{name} says {now}, not {then} any more", name=tag("b", name), now=shorten(said_value(one.says), 40), then=shorten(said_value(one.said), 40))
