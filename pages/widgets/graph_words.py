"""How a neighbourhood reads: kinds, steps, values, and what a box says."""

from __future__ import annotations

import json
from collections.abc import Mapping

from pages.widgets.candidate_words import shorten, value_text
from pages.widgets.desk import person_name
from pages.widgets.language import number, say, say_count
from pages.widgets.status import word
from store import GraphNode, show_invisible, spaced

KIND_ICONS = {"evidence": "draft", "claim": "notes", "artifact": "description"}


def of_kind(count: int, kind: str) -> str:
    """Return a count with the word for a kind."""
    if kind == "evidence":
        return say_count("{n} source version", "{n} source versions", count)
    if kind == "claim":
        return say_count("{n} claim", "{n} claims", count)
    if kind == "artifact":
        return say_count("{n} artifact", "{n} artifacts", count)
    return say_count("{n} record", "{n} records", count)


def kind_word(kind: str) -> str:
    """Return the word for one record of a kind."""
    return {"evidence": say("source version"), "claim": say("claim"), "artifact": say("artifact")}.get(kind, kind)


def say_step(step: int, *, further: bool = False) -> str:
    """Return where something stands as seen from the focus."""
    if step == 0:
        return say("the focus")
    if further:
        return say("{n} or more steps up", n=-step) if step < 0 else say("{n} or more steps down", n=step)
    return say_count("{n} step up", "{n} steps up", -step) if step < 0 else say_count("{n} step down", "{n} steps down", step)


def say_value(text: str | None, longest: int = 60) -> str:
    """Return a value kept as JSON, which may have been cut, as people read it."""
    if text is None:
        return ""
    try:
        return shorten(value_text(json.loads(text)), longest)
    except ValueError:
        return shorten(text, longest)


def say_statuses(statuses: Mapping[str, int], kind: str) -> str:
    """Return what states records are in: the one, or how many are in the worst."""
    count = sum(statuses.values())
    worst = next(iter(statuses))
    if len(statuses) == 1:
        return word(worst, kind) if count == 1 else say("all: {state}", state=word(worst, kind))
    return say("{n} of {all}: {state}", n=number(statuses[worst]), all=number(count), state=word(worst, kind))


def subject_of(node: GraphNode) -> str | None:
    """Return what a claim without a statement of its own is about; None for anything else."""
    one = node.named
    if one is None or node.form != "claim" or not one.title.endswith(f" · {spaced(one.label)}"):
        return None
    return show_invisible(one.title.removesuffix(f" · {spaced(one.label)}")[:120])


def head_of(node: GraphNode) -> str:
    """Return the first line of a box."""
    if node.form == "hidden":
        return say_count("{n} hidden", "{n} hidden", node.count)
    if node.named is not None:
        return subject_of(node) or show_invisible(shorten(node.named.title, 120))
    if node.form == "chain":
        return say_count("{n} in a row", "{n} in a row", node.count)
    return f"+{of_kind(node.count, node.form)}"


def state_of(node: GraphNode) -> str:
    """Return the state of a box in words, with what else is wrong with it."""
    parts = [say_statuses(node.statuses, node.form)]
    if node.expired and "ACCEPTED" in node.statuses:
        parts.append(say("expired") if node.count == 1 else say_count("{n} expired", "{n} expired", node.expired))
    if node.contested and "ACCEPTED" in node.statuses:
        parts.append(say("in conflict") if node.count == 1 else say_count("{n} in conflict", "{n} in conflict", node.contested))
    return ", ".join(parts)


def under_of(node: GraphNode, lens: str) -> str:
    """Return the second line of a box, as the lens has it."""
    if node.form == "hidden":
        return say("in scopes you may not see")
    if lens == "owner":
        return say("several owners") if node.owners > 1 else show_invisible(person_name(node.owner)) if node.owner else say("nobody owns it")
    if lens == "distance":
        return say_step(node.step, further=node.further)
    if lens == "source":
        return show_invisible(node.family) if node.family else say("several sources, or none") if node.named else say("open it to see its sources")
    value = show_invisible(say_value(node.named.text, 40)) if node.named and node.named.text else ""
    label = show_invisible(shorten(spaced(node.label), 60)) if node.form != "evidence" else ""
    more = (label and value and f"{label} {value}") if subject_of(node) else value or label
    if not more:
        return state_of(node)
    return f"{more} · {state_of(node)}" if node.named is None else f"{state_of(node)} · {more}"


def sentence_of(node: GraphNode) -> str:
    """Return a box in words, for who does not see the picture."""
    if node.form == "hidden":
        return say_count("{n} record in scopes you may not see", "{n} records in scopes you may not see", node.count)
    where = say_step(node.step, further=node.further)
    if node.named is None:
        return say("{what}, {state}, {where}; Enter shows more of them", what=head_of(node), state=state_of(node), where=where)
    around = say("rests directly on {parents}, {children} rest directly on it", parents=number(node.parents), children=number(node.children))
    title = show_invisible(shorten(node.named.title, 120))
    found = say("{title}, {kind}, {state}, {where}; {around}", title=title, kind=kind_word(node.form), state=state_of(node), where=where, around=around)
    return say("{sentence}, delivered", sentence=found) if node.delivered else found
