"""House rules: how the house usually settles conflicts over a predicate. They propose a verdict, and apply none."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.widgets.candidate_place import mark_of
from pages.widgets.language import later, listed, phrase, say
from pages.widgets.markup import Markup, draw, tag
from store import ANY_PREDICATE, NAMING, NEWEST, RULE_VERDICTS, spaced

VERDICTS = {
    "keep": later("keep one value"), "same": later("they are one fact, written differently"), "split": later("both hold, one after the other"),
    "none": later("none of them is right"), "unclear": later("ask somebody"),
}  # fmt: skip
WAYS = {
    "authority": later("what an authority says"), "source": later("what a source says"), "family": later("what a family of sources says"),
    "collection": later("what a collection of sources says"), "origin": later("what anybody of this name says: source, family, collection or authority"),
    "extractor": later("what an extractor took out"), "newest": later("what is newest"), "independent": later("what most independent sources say"),
}  # fmt: skip
_NEWEST = {
    "observed": later("by when it was observed"),
    "recorded": later("by when it was recorded"),
    "captured": later("by when its source was captured"),
}
_OTHERS = {"superseded": later("superseded by it"), "revoked": later("withdrawn")}


def rule_words(rule: Any) -> Markup:
    """Return one house rule in words."""
    if not isinstance(rule, dict):
        return tag("span", say("cannot be read"), cls="cd-muted")
    verdict = str(rule.get("verdict"))
    what: Any = say(VERDICTS.get(verdict, verdict))
    prefer = rule.get("prefer")
    if isinstance(prefer, dict) and len(prefer) == 1:
        ((way, value),) = prefer.items()
        names = value if isinstance(value, list | tuple) else [value]
        if way == "newest":
            stays: Any = say("what is newest, {by}", by=say(_NEWEST.get(str(value), str(value))))
        elif way == "independent":
            stays = say("what most independent sources say")
        else:
            stays = phrase("{way}: {names}", way=say(WAYS.get(str(way), str(way))), names=listed([tag("b", str(name)[:80]) for name in names]))
        others = say(_OTHERS["revoked" if rule.get("others") == "revoked" else "superseded"])
        what = phrase("{verdict}: {stays}; the others are {others}", verdict=what, stays=stays, others=others)
    return phrase("{what}, because {why}", what=what, why=tag("span", f"“{str(rule.get('because', ''))[:300]}”", cls="cd-muted"))


def rules_words(value: Any) -> Markup:
    """Return house rules as a list."""
    if not isinstance(value, list) or not value:
        return tag("span", say("none"), cls="cd-muted")
    rows = []
    for rule in value:
        name = str(rule.get("predicate", "?")) if isinstance(rule, dict) else "?"
        head = say("every predicate without a rule of its own") if name == ANY_PREDICATE else spaced(name)[:120]
        rows.append(tag("li", tag("b", head), ": ", rule_words(rule)))
    return tag("ul", *rows, cls="pp-terms")


def ask_rules(value: Any, mark: str) -> tuple[Any, str | None]:
    """Draw the fields of one rule and return all rules with it, and why it cannot be."""
    held = {str(rule.get("predicate")): rule for rule in (value if isinstance(value, list) else []) if isinstance(rule, dict)}
    names = sorted({ANY_PREDICATE, *held})
    chosen = st.selectbox(
        say("For the predicate"), names, key=f"people.policyfor.{mark}", accept_new_options=True, width=420,
        format_func=lambda one: say("every predicate without a rule of its own") if one == ANY_PREDICATE else str(one),
    )  # fmt: skip
    predicate = str(chosen or "").strip()
    known = held.get(predicate)
    here = f"{mark_of(mark, predicate)}.{mark}"
    if known is not None and st.checkbox(say("Take this rule away"), key=f"people.policyvalue.gone.{here}"):
        return [rule for name, rule in held.items() if name != predicate], None
    rule, problem = _ask_rule(known or {}, predicate, here)
    if not predicate:
        problem = say("Choose the predicate.")
    if problem is None:
        draw(tag("p", rule_words(rule), cls="cd-small"))
    return [*(one for name, one in held.items() if name != predicate), rule], problem


def _ask_rule(known: dict[str, Any], predicate: str, here: str) -> tuple[dict[str, Any], str | None]:
    verdicts, ways = list(RULE_VERDICTS), [*NAMING, "newest", "independent"]
    one, two = st.columns(2)
    verdict = one.selectbox(
        say("It proposes"), verdicts, verdicts.index(known["verdict"]) if known.get("verdict") in verdicts else 0, key=f"people.policyvalue.verdict.{here}",
        format_func=lambda name: say(VERDICTS[name]),
    )  # fmt: skip
    rule: dict[str, Any] = {"predicate": predicate, "verdict": verdict}
    problem = None
    if verdict in ("keep", "same"):
        prefer = known.get("prefer")
        way_now, value_now = next(iter(prefer.items())) if isinstance(prefer, dict) and prefer else (ways[0], "")
        way = two.selectbox(
            say("What stays"),
            ways,
            ways.index(way_now) if way_now in ways else 0,
            key=f"people.policyvalue.way.{here}",
            format_func=lambda name: say(WAYS[name]),
        )
        value: Any = "most"
        if way == "newest":
            by = list(NEWEST)
            value = one.selectbox(
                say("Newest"),
                by,
                by.index(value_now) if value_now in by else 0,
                key=f"people.policyvalue.by.{here}",
                format_func=lambda name: say(_NEWEST[name]),
            )
        elif way != "independent":
            names = value_now if isinstance(value_now, list | tuple) else [value_now]
            text = one.text_input(
                say("Its name; several with semicolons, tried in order"),
                "; ".join(map(str, names)),
                key=f"people.policyvalue.names.{here}",
                max_chars=500,
            )
            found = [part.strip() for part in text.split(";") if part.strip()]
            problem = None if found else say("Give the name of what stays.")
            value = found[0] if len(found) == 1 else found
        rule["prefer"] = {way: value}
        others = list(_OTHERS)
        rule["others"] = two.selectbox(
            say("The others are"), others, others.index(known["others"]) if known.get("others") in others else 0, key=f"people.policyvalue.others.{here}",
            format_func=lambda name: say(_OTHERS[name]),
        )  # fmt: skip
    because = st.text_input(
        say("Because"),
        str(known.get("because") or ""),
        key=f"people.policyvalue.because.{here}",
        max_chars=500,
        placeholder=say("shown beside what it proposes"),
    ).strip()
    rule["because"] = because
    return rule, problem or (None if because else say("Say why the house settles it so; that is shown with the proposal."))
