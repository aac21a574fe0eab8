"""The predicates of a tenant: how each is compared, how much is held and contested under it, and the one that is chosen."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.widgets.callbacks import uninterrupted
from pages.widgets.conflict_words import compared_by, comparison_words
from pages.widgets.desk import Desk, address
from pages.widgets.language import later, number, phrase, phrase_count, say, say_count
from pages.widgets.markup import Markup, draw, join, tag
from pages.widgets.people_place import Place, draw_outcome
from pages.widgets.policy_compare import draw_change
from pages.widgets.record_parts import facts
from pages.widgets.status import icon
from store import Predicate, PredicateRow, read_thresholds, say_tolerance

_PAGE = 100
_ONLY = {"": later("all"), "contested": later("with open conflicts"), "declared": later("declared"), "undeclared": later("declared by nobody")}
_TYPES = {
    "json": later("any value"), "text": later("text"), "number": later("numbers"), "boolean": later("yes or no"), "date": later("dates"),
}  # fmt: skip


def compared_words(predicate: Predicate) -> str:
    """Return how values of a predicate are compared."""
    words = comparison_words(compared_by(predicate))
    tolerance = say_tolerance(predicate)
    return say("{how}, within {tolerance}", how=words, tolerance=tolerance) if tolerance else words


def thresholds_words(predicate: Predicate) -> str:
    """Return the numbers from which on a value means another decision."""
    return ", ".join(f"{one.at:,.10g} ({one.name})" if one.name else f"{one.at:,.10g}" for one in read_thresholds(predicate))


def _sift(rows: list[PredicateRow], place: Place) -> dict[str, list[PredicateRow]]:
    words = place.find.casefold()
    found = [one for one in rows if not words or words in f"{one.predicate.name} {one.predicate.scope}".casefold()]
    return {
        "": found, "contested": [one for one in found if one.conflicts], "declared": [one for one in found if one.declared],
        "undeclared": [one for one in found if not one.declared],
    }  # fmt: skip


def draw_predicates(desk: Desk, tenant: str, rows: list[PredicateRow], place: Place) -> None:
    """Draw the list beside what is chosen in it."""
    declared = sum(one.declared for one in rows)
    conflicts = sum(one.conflicts for one in rows)
    contested = sum(bool(one.conflicts) for one in rows)
    lead = phrase_count(
        "{n} predicate is used or declared in {tenant}; how {declared} of them compare was decided, the rest compare exactly as written.",
        "{n} predicates are used or declared in {tenant}; how {declared} of them compare was decided, the rest compare exactly as written.",
        len(rows), tenant=tag("b", tenant), declared=number(declared),
    )  # fmt: skip
    also = say_count("{n} conflict is open", "{n} conflicts are open", conflicts)
    over = say_count("over {n} of them", "over {n} of them", contested)
    draw(
        tag(
            "p",
            lead,
            " ",
            tag("a", also, cls="cd-link", href=address("conflicts", scope=desk.scope)) if conflicts else also,
            f" {over}." if conflicts else ".",
            cls="cd-lead",
        )
    )
    left, right = st.columns([6, 5], gap="large")
    with left:
        _draw_list(rows, place)
    with right, st.container(key="people.chosen" if place.predicate else "people.detail"):
        draw_outcome()
        chosen = next(
            (one for one in rows if one.predicate.name == place.predicate and one.predicate.scope == (place.where or one.predicate.scope)), None
        )
        if chosen is not None:
            _draw_one(desk, tenant, chosen, place)
        elif place.predicate:
            draw(tag("div", phrase("Nobody uses a predicate called {name} here.", name=tag("b", place.predicate[:120])), cls="cd-band cd-warnband"))
        else:
            draw(
                tag("h2", say("What comparing decides"), cls="cd-heading"),
                tag(
                    "p",
                    say(
                        "Two claims about the same question contradict each other when their values count as different. How that is judged is decided per predicate; values stay as they were written."
                    ),
                    cls="cd-muted",
                ),
                tag("p", say("Choose a predicate to see how it is compared, and what another way would do."), cls="cd-muted"),
            )


@uninterrupted
def _find(place: Place) -> None:
    place.go(find=str(st.session_state["people.findpredicate"]).strip())


def _draw_list(rows: list[PredicateRow], place: Place) -> None:
    if st.session_state.get("people.findpredicate") != place.find:
        st.session_state["people.findpredicate"] = place.find
    st.text_input(
        say("Find a predicate"), key="people.findpredicate", placeholder=say("Part of its name or scope"), label_visibility="collapsed", live="300ms",
        icon=":material/search:", on_change=_find, args=(place,),
    )  # fmt: skip
    sifted = _sift(rows, place)
    only = place.item if place.item in _ONLY else ""
    tabs = [
        tag(
            "a",
            tag("b", number(len(sifted[name]))),
            say(words),
            cls="cd-link cd-tab" + (" cd-here" if name == only else ""),
            href=place.link(item=name),
        )
        for name, words in _ONLY.items()
    ]
    found = sifted[only]
    head = tag(
        "div",
        tag("span", say("Predicate")),
        tag("span", say("Compared")),
        tag("span", say("in use"), cls="cd-num"),
        tag("span", say("conflicts"), cls="cd-num"),
        cls="pp-predicate pp-predicatehead",
    )
    lines = [_row(one, place) for one in found[:_PAGE]]
    if len(found) > _PAGE:
        lines.append(tag("div", say("{n} more; type a part of the name.", n=number(len(found) - _PAGE)), cls="cd-muted cd-small pp-more"))
    if not found:
        lines.append(tag("div", tag("b", say("No predicate matches that")), say("Try another part of its name."), cls="cd-empty"))
    draw(tag("nav", *tabs, cls="cd-tabs", label=say("Which predicates")), tag("div", head, *lines, cls="pp-predicates"))


def _row(one: PredicateRow, place: Place) -> Markup:
    predicate = one.predicate
    here = " pp-here" if predicate.name == place.predicate and predicate.scope == (place.where or predicate.scope) else ""
    scope = tag("small", predicate.scope, cls="cd-muted cd-id") if "/" in predicate.scope else None
    many = say("many at once") if predicate.many else compared_words(predicate)
    return tag(
        "a",
        tag("span", tag("b", predicate.name[:120]), scope, cls="pp-name"),
        tag("span", many, cls="cd-muted" if not one.declared else ""),
        tag("span", number(one.accepted), cls="cd-num"),
        tag("span", icon("compare_arrows") if one.conflicts else "", number(one.conflicts), cls="cd-num cd-violet" if one.conflicts else "cd-num cd-muted"),
        cls=f"cd-link pp-predicate{here}", href=place.link(predicate=predicate.name, where=predicate.scope, edit=""),
    )  # fmt: skip


def _draw_one(desk: Desk, tenant: str, row: PredicateRow, place: Place) -> None:
    predicate = row.predicate
    where = (
        phrase("declared in {scope}", scope=tag("span", predicate.scope, cls="cd-id"))
        if row.declared
        else say("declared by nobody, so it behaves as every predicate does")
    )
    draw(tag("h2", predicate.name[:160], cls="cd-heading pp-title"), tag("div", where, cls="cd-muted cd-small"), facts(_facts(predicate)))
    links: list[Any] = [
        tag("span", say_count("{n} claim in use", "{n} claims in use", row.accepted)),
        tag("a", say_count("{n} open conflict", "{n} open conflicts", row.conflicts), cls="cd-link", href=address("conflicts", predicate=predicate.name, scope=desk.scope)) if row.conflicts else say("no open conflict"),
    ]  # fmt: skip
    draw(tag("p", join(links, " · "), cls="cd-small"))
    if not row.may_change:
        draw(
            tag(
                "div",
                icon("visibility"),
                phrase("You can look, and change nothing: how it is compared is decided by an admin of {scope}.", scope=predicate.scope),
                cls="cd-band",
            )
        )
    elif place.edit == "compare":
        draw_change(desk, tenant, row, place)
    else:
        draw(
            tag("div", tag("a", say("Change it…"), cls="cd-link cd-button", href=place.link(edit="compare", where=predicate.scope)), cls="cd-actions")
        )


def _facts(predicate: Predicate) -> list[tuple[str, Any]]:
    return [
        (say("Compared"), compared_words(predicate)),
        (say("Values"), say(_TYPES.get(predicate.value_type, predicate.value_type))),
        (say("At once"), say("many values, which never conflict") if predicate.many else say("one value")),
        (say("Lists"), say("as sets, in any order") if predicate.order == "set" else say("in their order")),
        (say("Series"), say("a figure per period: the next one ends the validity of the last") if predicate.series else say("no")),
        (say("About"), say("a person: takes their own word or a confirmation") if predicate.about == "person" else say("a thing")),
        (say("Thresholds"), thresholds_words(predicate) or say("none")),
    ]
