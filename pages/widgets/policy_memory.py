"""What may be remembered under a policy: types, lifetimes, who approves, and words that are watched; in words, and asked for in a form."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.widgets.candidate_place import mark_of
from pages.widgets.desk import person_name
from pages.widgets.language import later, say, say_count
from pages.widgets.markup import Markup, tag
from pages.widgets.veil import KIND_WORDS
from store import CLAIM_TYPES, HARMLESS, KINDS, LANGUAGES, SENSITIVITIES

TYPE_WORDS = {
    "fact": later("facts"), "preference": later("preferences"), "constraint": later("constraints"), "external": later("what the outside says"),
    "inference": later("inferences"), "suggestion": later("suggestions"),
}  # fmt: skip
_MARKED = {"normal": later("anything not marked"), "sensitive": later("what is marked sensitive"), "credential": later("what is marked a credential")}
_LANGUAGE_WORDS = {"en": later("English"), "zh": later("Chinese")}
_HARMLESS = later("harmless, although words of a list stand in it")


def _list(rows: list[tuple[str, str]], otherwise: str) -> Markup:
    if not rows:
        return tag("span", otherwise)
    return tag("ul", *(tag("li", tag("b", name), ": ", told) for name, told in rows), cls="pp-terms")


def _group_words(name: str) -> str:
    return say(TYPE_WORDS.get(name) or _MARKED.get(name, name))


def _kind_words(kind: str) -> str:
    return say(_HARMLESS if kind == HARMLESS else KIND_WORDS.get(kind, kind))


def memory_words(name: str, value: Any) -> Markup:
    """Return what one of these settings says, for people."""
    if name == "kept_types":
        return tag("span", ", ".join(_group_words(str(one)) for one in value) if value else say("every type"))
    if not isinstance(value, dict):
        return tag("span", say("cannot be read"), cls="cd-muted")
    if name == "lifetimes":
        return _list([(_group_words(one), say_count("{n} day", "{n} days", days)) for one, days in value.items() if isinstance(days, int)], say("no end by itself"))
    if name == "approvers":
        return _list([(_group_words(one), ", ".join(person_name(str(who)) for who in people)) for one, people in value.items()], say("every reviewer"))
    return _list([
        (say("{kind}, in {language}", kind=_kind_words(kind), language=say(_LANGUAGE_WORDS.get(language, language))), ", ".join(map(str, words[:12])) + (" …" if len(words) > 12 else ""))
        for kind, lists in value.items() for language, words in lists.items()
    ], say("only those that come with the desk"))  # fmt: skip


def ask_types(value: Any, mark: str) -> tuple[Any, str | None]:
    """Ask which types of claims are kept; all of them is the same as saying nothing."""
    held = value or list(CLAIM_TYPES)
    found = [one for one in CLAIM_TYPES if st.checkbox(say("Keep {what}", what=_group_words(one)), value=one in held, key=f"people.policyvalue.{one}.{mark}")]
    return [] if len(found) == len(CLAIM_TYPES) else sorted(found), None if found else say("Keep at least one type.")


def ask_lifetimes(value: Any, mark: str) -> tuple[Any, str | None]:
    """Ask for how many days each type is kept by default."""
    held, found, problem = value if isinstance(value, dict) else {}, {}, None
    columns = st.columns(3)
    for place, one in enumerate(CLAIM_TYPES):
        label = say("Days for {what}", what=_group_words(one))
        text = columns[place % 3].text_input(label, str(held.get(one) or ""), key=f"people.policyvalue.{one}.{mark}", max_chars=6).strip()
        if text and not (text.isascii() and text.isdigit() and 1 <= int(text) <= 36_500):
            problem = say("Write a whole number of days, from 1 to 36,500.")
        elif text:
            found[one] = int(text)
    return found, problem


def ask_approvers(value: Any, mark: str) -> tuple[Any, str | None]:
    """Ask who alone may approve what; a line left empty lets every reviewer."""
    held, found = value if isinstance(value, dict) else {}, {}
    columns = st.columns(2)
    for place, one in enumerate((*CLAIM_TYPES, *SENSITIVITIES[1:])):
        label = say("Only these approve {what}", what=_group_words(one))
        text = columns[place % 2].text_input(
            label, ", ".join(held.get(one) or []), key=f"people.policyvalue.{one}.{mark}", max_chars=2_000, placeholder=say("every reviewer")
        )
        people = sorted({part.strip() for part in str(text).split(",") if part.strip()})
        if people:
            found[one] = people
    return found, None


def ask_words(value: Any, mark: str) -> tuple[Any, str | None]:
    """Ask for the words of one kind and language; the others stay as they are."""
    held = {kind: dict(lists) for kind, lists in value.items() if isinstance(lists, dict)} if isinstance(value, dict) else {}
    one, two = st.columns([3, 1])
    kind = one.selectbox(say("What they tell of"), [*KINDS, HARMLESS], key=f"people.policyfor.{mark}", format_func=_kind_words)
    language = two.selectbox(say("Language"), list(LANGUAGES), key=f"people.policylanguage.{mark}", format_func=lambda given: say(_LANGUAGE_WORDS[given]))
    here = mark_of(mark, kind, language)
    lines = "\n".join(held.get(kind, {}).get(language, []))
    text = st.text_area(say("One word or phrase to a line, beside those that come with the desk"), lines, key=f"people.policyvalue.{here}.{mark}", height=150, max_chars=40_000)
    words = sorted({" ".join(line.split()).lower() for line in str(text).splitlines() if line.strip()})
    problem = say("Each may have at most 80 characters.") if any(len(word) > 80 for word in words) else None
    lists = {**held.get(kind, {}), language: words}
    lists = {name: its for name, its in lists.items() if its}
    found = {**held, kind: lists} if lists else {name: its for name, its in held.items() if name != kind}
    return {name: found[name] for name in sorted(found)}, problem
