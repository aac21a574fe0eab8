"""The life-cycle contract of a claim or artifact: what must be known of anything that is kept, and what is missing."""

from __future__ import annotations

from typing import Any

from pages.widgets.candidate_words import exact_day, interval, shorten, value_text
from pages.widgets.desk import record_link
from pages.widgets.language import later, listed, phrase, phrase_count, say, say_count
from pages.widgets.markup import Markup, join, long_text, tag
from pages.widgets.record_parts import person_name
from pages.widgets.status import badge, icon
from store import RecordView

_SENSITIVITY = {"normal": later("normal"), "sensitive": later("sensitive"), "credential": later("a credential")}
_MISSING, _OPEN = "missing", "open"
_LOOKS = {"": ("check", "cd-teal"), _OPEN: ("remove", "cd-muted"), _MISSING: ("error", "cd-amber")}
_Row = tuple[str, Any, str]


def _sources(view: RecordView, tenant: str) -> _Row:
    titles = [passage.title for passage in view.passages]
    if titles:
        return say("source"), listed([shorten(title, 70) for title in dict.fromkeys(titles)], most=3), ""
    if view.parents_count:
        names = [record_link(near.id, tenant, shorten(near.title, 60)) for near in view.parents[:2]]
        return (
            say("source"),
            phrase_count(
                "worked out from {n} record: {names}", "worked out from {n} records, such as {names}", view.parents_count, names=listed(names)
            ),
            "",
        )
    return say("source"), say("nothing it comes from is named"), _MISSING


def _time(line: dict[str, Any]) -> _Row:
    held = interval(line["valid_from"], line["valid_to"]) if line["valid_from"] or line["valid_to"] else None
    seen = say("observed {day}", day=exact_day(line["observed_at"])) if line["observed_at"] else None
    parts = [one for one in (held, seen) if one]
    return (say("time"), "; ".join(parts), "") if parts else (say("time"), say("neither from when it holds nor when it was observed"), _MISSING)


def _confirmation(view: RecordView) -> _Row:
    line = view.found["record"]
    approved = [item for item in view.found["history"] if item["action"] == "approve" and item["to"] == "ACCEPTED"]
    parts: list[Any] = []
    if line.get("confirmed_by"):
        parts.append(phrase("confirmed by {who}", who=person_name(view, line["confirmed_by"])))
    if approved:
        last = approved[-1]
        parts.append(phrase("approved by {who} on {day}", who=person_name(view, last["actor"]), day=exact_day(last["at"])))
    if view.entity is not None:
        parts.append(phrase("{who} said that it is about the right one", who=view.entity[0]))
    if not parts and view.found["status"] == "ACCEPTED":
        parts.append(phrase("brought in as reviewed"))
    return (say("confirmation"), join(parts, "; "), "") if parts else (say("confirmation"), say("nobody has confirmed it"), _MISSING)


def _end(line: dict[str, Any]) -> _Row:
    parts = []
    if line.get("expires_at"):
        parts.append(say("expires {day}", day=exact_day(line["expires_at"])))
    if line.get("review_at"):
        parts.append(say("review by {day}", day=exact_day(line["review_at"])))
    if line.get("revalidate_on"):
        parts.append(say("review on: {events}", events=", ".join(str(one).replace("_", " ")[:60] for one in line["revalidate_on"][:6])))
    return (say("expiry or review"), "; ".join(parts), "") if parts else (say("expiry or review"), say("neither a date nor an event"), _MISSING)


def _rows(view: RecordView, tenant: str) -> list[_Row]:
    found, line = view.found, view.found["record"]
    owner = person_name(view, line.get("owner"))
    rows: list[_Row] = []
    if found["kind"] == "claim":
        purposes = [one for one in line["purposes"] if one != "*"]
        rows += [
            (say("subject"), value_text(line["subject"]), ""), (say("tenant"), tenant, ""),
            (say("purpose"), ", ".join(purposes) if purposes else say("every purpose"), "" if purposes else _OPEN), (say("scope"), line["scope"], ""),
            (say("conditions"), line["conditions"] or say("none stated"), "" if line["conditions"] else _OPEN),
            _sources(view, tenant), _time(line), _confirmation(view),
            (say("sensitivity"), say(_SENSITIVITY.get(line["sensitivity"], line["sensitivity"])), ""),
        ]  # fmt: skip
    else:
        rows += [(say("tenant"), tenant, ""), (say("scope"), line["scope"], ""), _sources(view, tenant), _confirmation(view)]
    rows.append((say("owner"), owner, "") if owner else (say("owner"), say("nobody yet"), _MISSING))
    rows += [_end(line), (say("state"), badge(found["status"], found["kind"]), "")]
    return rows


def draw_contract(view: RecordView, tenant: str) -> Markup:
    """Return the contract, what is missing marked; nothing for a captured version, which is not kept for its own sake."""
    if view.found["kind"] == "evidence":
        return Markup("")
    rows = _rows(view, tenant)
    missing = sum(state == _MISSING for _, _, state in rows)
    head = tag("h2", say("Life-cycle contract"), cls="cd-heading")
    words = phrase_count("{n} thing is missing", "{n} things are missing", missing) if missing else phrase("Nothing is missing.")
    items = []
    for name, value, state in rows:
        symbol, tone = _LOOKS[state]
        told = tag("span", say("missing"), cls="cr-missing") if state == _MISSING else None
        shown = value if isinstance(value, Markup) else long_text(str(value), 200)
        items.append(join((tag("dt", tag("span", icon(symbol), cls=tone), name), tag("dd", shown, told))))
    return join((head, tag("div", words, cls="cd-amber cd-small" if missing else "cd-muted cd-small"), tag("dl", *items, cls="cd-facts cr-contract")))


def count_missing(view: RecordView, tenant: str) -> str:
    """Return in words how much of the contract is missing."""
    missing = sum(state == _MISSING for _, _, state in _rows(view, tenant))
    return say_count("{n} thing is missing", "{n} things are missing", missing)
