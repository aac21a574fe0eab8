"""Places outside the store that hold something of it, as a policy names them: in words, and asked for in a form."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.widgets.desk import person_name
from pages.widgets.language import say
from pages.widgets.markup import Markup, tag


def places_words(value: Any) -> Markup:
    """Return the places one below the other."""
    if not value:
        return tag("span", say("none are known"), cls="cd-muted")
    return tag("ul", *(tag("li", tag("b", str(one["name"])), ": ", _rule(one)) for one in value), cls="pp-terms")


def _rule(one: dict[str, Any]) -> str:
    if one.get("days"):
        return say("gone after {n} days by its own rule; {owner} answers for it", n=f"{one['days']:,}", owner=person_name(one["owner"]))
    return say("{owner} is asked each time", owner=person_name(one["owner"]))


def ask_places(value: Any, mark: str, example: str) -> tuple[Any, str | None]:
    """Ask for the places, one to a line, and return them and why they cannot be kept."""
    lines = ["; ".join(str(part) for part in (one["name"], one["owner"], one.get("days")) if part is not None) for one in value]
    text = st.text_area(
        say("One place to a line: its name; who answers for it; after how many days it forgets by itself, if it does"), "\n".join(lines),
        key=f"people.policyvalue.{mark}", height=160, max_chars=20_000, placeholder=example,
    )  # fmt: skip
    found: list[dict[str, Any]] = []
    for line in str(text).splitlines():
        parts = [part.strip() for part in line.split(";")]
        if not any(parts):
            continue
        days = parts[2] if len(parts) == 3 else ""
        if len(parts) not in (2, 3) or not parts[0] or not parts[1] or (days and not (days.isascii() and days.isdigit() and 1 <= int(days[:9]) <= 36_500)):
            return found, say("Write each line as: name; who answers for it; days. The days may be left out.")
        found.append({"name": parts[0], "owner": parts[1], **({"days": int(days)} if days else {})})
    twice = sorted({one["name"] for one in found if [other["name"] for other in found].count(one["name"]) > 1})
    return found, say("{name} stands there twice. Keep one of them.", name=twice[0][:80]) if twice else None
