"""Changing how a predicate is compared: what it would open and close is seen before anything, and then exactly that is done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.widgets.callbacks import uninterrupted
from pages.widgets.candidate_place import mark_of
from pages.widgets.candidate_words import qualifiers_text, value_text
from pages.widgets.conflict_words import compared_by, comparison_words
from pages.widgets.desk import Desk, attempt, record_link
from pages.widgets.labels import label_text
from pages.widgets.language import later, phrase_count, say, say_count
from pages.widgets.markup import Markup, draw, join, tag
from pages.widgets.people_place import Place, ask_reason, carry_out, say_done
from pages.widgets.rehearsal_place import plan_result_address
from pages.widgets.status import icon
from store import (
    COMPARISONS,
    VALUE_TYPES,
    Plan,
    Predicate,
    PredicateRow,
    Verb,
    commit_plan,
    latest_event,
    parse_tolerance,
    preview_plan,
    read_thresholds,
    say_tolerance,
)

_SEEN = "people.compared"
_TYPES = {
    "json": later("any value"), "text": later("text"), "number": later("numbers"), "boolean": later("yes or no"), "date": later("dates"),
}  # fmt: skip
_LISTED = 12


@dataclass(frozen=True, slots=True)
class _Seen:
    """A plan as it was worked out, after which event."""

    plan: str
    fingerprint: str
    event: int
    found: dict[str, Any]


def _wanted(predicate: Predicate, mark: str) -> tuple[dict[str, Any], list[str]]:
    """Draw the fields and return the parts of the declaration that would change, and what is wrong with them."""
    one, two = st.columns(2)
    types, ways = list(VALUE_TYPES), list(COMPARISONS)
    shown = compared_by(predicate)
    compare = one.selectbox(
        say("Compared"),
        ways,
        ways.index(shown) if shown in ways else 0,
        key=f"people.cmp.how.{mark}",
        format_func=comparison_words,
    )
    kind = two.selectbox(
        say("Values are"), types, types.index(predicate.value_type), key=f"people.cmp.type.{mark}", format_func=lambda name: say(_TYPES[name])
    )
    three, four = st.columns(2)
    tolerance = three.text_input(
        say("Numbers count as the same within"),
        say_tolerance(predicate) or "",
        key=f"people.cmp.tolerance.{mark}",
        placeholder=say("nothing; or 0.01, or 1%"),
        max_chars=30,
    )
    thresholds = four.text_input(
        say("Thresholds, with semicolons between"),
        _typed(predicate),
        key=f"people.cmp.thresholds.{mark}",
        placeholder=say("none; or 7: high; 9: critical"),
        max_chars=400,
    )
    many = st.checkbox(say("Several values at once are no conflict"), predicate.many, key=f"people.cmp.many.{mark}")
    as_set = st.checkbox(say("Lists count without regard to order"), predicate.order == "set", key=f"people.cmp.set.{mark}")
    series = st.checkbox(say("A figure per period: the next ends the last"), predicate.series, key=f"people.cmp.series.{mark}")
    about = st.checkbox(say("It is about a person"), predicate.about == "person", key=f"people.cmp.about.{mark}")
    problems: list[str] = []
    asked: dict[str, Any] = {
        # Numbers are compared as numbers without saying so twice: that is no change.
        "compare": predicate.compare if compare == shown and kind == predicate.value_type else compare, "value_type": kind, "cardinality": "many" if many else "one", "order": "set" if as_set else "list", "series": series,
        "about": "person" if about else "thing", "tolerance": None, "thresholds": [],
    }  # fmt: skip
    try:
        asked["tolerance"] = parse_tolerance(tolerance) if tolerance.strip() else None
    except ValueError:
        problems.append(say("A tolerance is a number such as 0.01, or a share such as 1%."))
    try:
        asked["thresholds"] = _read_thresholds(thresholds)
    except ValueError:
        problems.append(say("Write each threshold as a number, or as number: name."))
    line = predicate.to_line()
    now = {"tolerance": None, "thresholds": [], **{name: value for name, value in line.items() if name in asked}}
    return {name: value for name, value in asked.items() if value != now[name]}, problems


def _typed(predicate: Predicate) -> str:
    return "; ".join(f"{one.at:.10g}: {one.name}" if one.name else f"{one.at:.10g}" for one in read_thresholds(predicate))


def _read_thresholds(text: str) -> list[Any]:
    found: list[Any] = []
    for part in (part.strip() for part in text.split(";")):
        if part:
            at, _, name = part.partition(":")
            value = float(at)
            exact = int(value) if value.is_integer() else value
            found.append({"at": exact, "name": name.strip()} if name.strip() else exact)
    return found


def draw_change(desk: Desk, tenant: str, row: PredicateRow, place: Place) -> None:
    """Draw the fields, what they would do, and the button that does exactly that."""
    predicate = row.predicate
    mark = mark_of(predicate.scope, predicate.name)
    with st.container(key="people.form", border=True):
        changes, problems = _wanted(predicate, mark)
        if problems:
            draw(tag("div", *(tag("div", one) for one in problems), cls="cd-band cd-warnband"))
        elif not changes:
            draw(tag("p", say("Change something above to see what it would do."), cls="cd-muted cd-small"))
        else:
            _draw_preview(desk, tenant, Plan(Verb.COMPARE, (predicate.name,), scope=predicate.scope, comparison=changes), mark, place)
        draw(tag("a", say("Leave it"), cls="cd-link cd-small", href=place.link(edit="")))


def _draw_preview(desk: Desk, tenant: str, plan: Plan, mark: str, place: Place) -> None:
    seen: _Seen | None = st.session_state.get(_SEEN)
    if seen is None or seen.plan != plan.text():
        st.button(say("See what it would do"), key=f"people.cmp.see.{mark}", on_click=_work_out, args=(desk, tenant, plan))
        draw(tag("p", say("Nothing changes by that."), cls="cd-muted cd-small"))
        # Drawn all the same, so that what was typed stays when the plan has to be looked at again.
        _ask_reason(mark)
        return
    draw(_say(seen.found), _conflicts(seen.found, tenant))
    if latest_event(desk.store, desk.person, tenant) != seen.event:
        draw(
            tag(
                "div",
                icon("update"),
                say("Something happened in the store since. If it matters to this, saving is refused and says so."),
                cls="cd-band",
            )
        )
    _ask_reason(mark)
    st.button(
        say("Compare it so, as {name}", name=label_text(desk.actor.name, 40) or say("you")), type="primary", key=f"people.cmp.save.{mark}", on_click=_save,
        args=(desk, tenant, plan, seen.fingerprint, mark, place),
    )  # fmt: skip


def _ask_reason(mark: str) -> None:
    ask_reason(f"people.cmp.reason.{mark}", say("Why it is compared otherwise, and who decided so"))


@uninterrupted
def _work_out(desk: Desk, tenant: str, plan: Plan) -> None:
    event = latest_event(desk.store, desk.person, tenant)
    found = attempt(lambda: preview_plan(desk.store, desk.person, tenant, plan, rows=_LISTED))
    if found is None:
        st.session_state.pop(_SEEN, None)
    else:
        st.session_state[_SEEN] = _Seen(plan.text(), found.fingerprint, event, found.comparison or {})


def _say(found: dict[str, Any]) -> Markup:
    opens, closes, changes = (int(found.get(name, 0)) for name in ("opens", "closes", "changes"))
    if not (opens or closes or changes):
        words: Any = phrase_count(
            "No conflict opens or closes over the {n} claim it is about.",
            "No conflict opens or closes over the {n} claims it is about.",
            int(found.get("claims", 0)),
        )
    else:
        parts = []
        if closes:
            parts.append(say_count("{n} conflict closes", "{n} conflicts close", closes))
        if opens:
            parts.append(say_count("{n} conflict opens", "{n} conflicts open", opens))
        if changes:
            parts.append(say_count("{n} gets other sides", "{n} get other sides", changes))
        words = join(
            (tag("b", ", ".join(parts)), say_count(", of {n} claim it is about.", ", of {n} claims it is about.", int(found.get("claims", 0))))
        )
    return tag("p", icon("compare_arrows"), words, " ", say("Values stay as they were written."), cls="pp-would")


def _conflicts(found: dict[str, Any], tenant: str) -> Markup:
    shown = found.get("conflicts") or []
    if not shown:
        return Markup("")
    words = {"opens": say("opens"), "closes": say("closes"), "changes": say("gets other sides")}
    rows = []
    for one in shown[:_LISTED]:
        sides = join((join((record_link(side["id"], tenant), f" {value_text(side['value'], 60)}")) for side in one["sides"][:4]), " · ")
        which = f" · {qualifiers_text(one['qualifiers'])}" if one["qualifiers"] else ""
        rows.append(
            tag(
                "li",
                tag("b", words.get(one["becomes"], one["becomes"])),
                f" {one['subject']}{which}"[:200],
                tag("div", sides, cls="cd-muted cd-small"),
            )
        )
    total = int(found.get("opens", 0)) + int(found.get("closes", 0)) + int(found.get("changes", 0))
    if total > len(rows):
        rows.append(tag("li", say_count("and {n} more", "and {n} more", total - len(rows)), cls="cd-muted"))
    return tag("ul", *rows, cls="cd-list")


@uninterrupted
def _save(desk: Desk, tenant: str, plan: Plan, fingerprint: str, mark: str, place: Place) -> None:
    reason = str(st.session_state.get(f"people.cmp.reason.{mark}") or "").strip()
    problems = [] if reason else [say("Give a reason. It is kept with the event.")]
    done = carry_out(lambda operation: commit_plan(desk.store, desk.person, tenant, plan, fingerprint, reason, operation=operation), problems)
    if done is not None:
        for key in [key for key in st.session_state if isinstance(key, str) and key.startswith("people.cmp.") and mark in key]:
            st.session_state.pop(key, None)
        result = (say("See what it did"), plan_result_address(tenant, int(done["event"])))
        say_done(say("{predicate} is compared otherwise from now on, in {scope}.", predicate=plan.roots[0], scope=plan.scope or ""), result)
        place.go(edit="")
    if not problems:
        # What was seen is spent, or did not hold any more: either way it is looked at anew.
        st.session_state.pop(_SEEN, None)
