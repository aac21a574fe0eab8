"""What was changed about people and policy: who, when, why, before and after."""

from __future__ import annotations

from typing import Any

from pages.widgets.candidate_words import when
from pages.widgets.language import phrase, say
from pages.widgets.markup import Markup, draw, join, tag
from pages.widgets.people_place import Place, before_after
from pages.widgets.people_words import ACTION_WORDS, SETTING_WORDS, roles_words, setting_words
from store import Governing


def draw_history(found: list[Governing], more: bool, place: Place) -> None:
    """Draw the changes, newest first."""
    draw(
        tag("p", say("Every change of people, roles, policy and comparisons, newest first."), cls="cd-lead"),
        tag("p", say("People and policies that came with an import stand with the import, in the events of the store."), cls="cd-muted cd-small"),
    )
    if not found:
        draw(
            tag("div", tag("b", say("Nothing was changed here yet")), say("The first change of a role or a setting will stand here."), cls="cd-empty")
        )
        return
    rows = [_row(one) for one in found]
    pager = []
    if place.before:
        pager.append(tag("a", say("← newest"), cls="cd-link", href=place.link(before=None)))
    if more:
        pager.append(tag("a", say("earlier →"), cls="cd-link", href=place.link(before=found[-1].seq)))
    draw(tag("ul", *rows, cls="cd-list"), tag("div", *pager, cls="cd-pager") if pager else "")


def _row(one: Governing) -> Markup:
    head = tag(
        "div", tag("b", say(ACTION_WORDS.get(one.action, one.action))), " ", tag("span", one.about[:160], cls="cd-id"),
        tag("span", phrase(" by {name}, {when}", name=one.by[:80], when=when(one.at)), cls="cd-muted"),
        tag("span", f" · {say('event {n}', n=one.seq)}", cls="cd-muted cd-small"),
    )  # fmt: skip
    reason = tag("div", f"“{one.reason[:500]}”", cls="cd-small") if one.reason else None
    return tag("li", head, _change(one), reason)


def _roles(value: Any) -> Markup:
    return roles_words([(pair[0], pair[1]) for pair in value]) if isinstance(value, list) else tag("span", str(value))


def _change(one: Governing) -> Markup | None:
    if one.action in ("set_roles", "add_person"):
        return before_after(_roles(one.before), _roles(one.after))
    if one.action == "rename_person":
        return before_after(tag("span", str(one.before)), tag("span", str(one.after)))
    if one.action == "set_email":
        return before_after(*(tag("span", str(address) if address else say("no mail address")) for address in (one.before, one.after)))
    if one.action == "change_policy" and isinstance(one.before, dict) and isinstance(one.after, dict):
        before, after = one.before, one.after
        parts = [
            join((tag("div", say(SETTING_WORDS.get(name, name)), cls="cd-muted cd-small"), before_after(setting_words(name, before.get(name)), setting_words(name, after.get(name)))))
            for name in sorted({*before, *after})
            if before.get(name) != after.get(name)
        ]  # fmt: skip
        return join(parts)
    return None
