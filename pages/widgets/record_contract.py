"""The life-cycle contract of a claim or artifact: what must be known of anything that is kept, and what is missing."""

from __future__ import annotations

from typing import Any

from pages.widgets.candidate_words import exact_day, interval, shorten, value_text
from pages.widgets.desk import record_link
from pages.widgets.language import later, listed, phrase, phrase_count, say
from pages.widgets.markup import Markup, join, long_text, tag
from pages.widgets.record_parts import person_name
from pages.widgets.status import badge, icon
from store import RecordView

_SENSITIVITY = {"normal": later("normal"), "sensitive": later("sensitive"), "credential": later("a credential")}
_MISSING, _OPEN = "missing", "open"
_LOOKS = {"": ("check", "cd-teal"), _OPEN: ("remove", "cd-muted"), _MISSING: ("error", "cd-amber")}
_Row = tuple[str, Any, str]
_IN_USE = ("CANDIDATE", "ACCEPTED", "DISPUTED", "STALE")


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


def _removal(view: RecordView) -> _Row:
    """Return how it leaves: by itself, at its review, by a decision, or on request."""
    found, line = view.found, view.found["record"]
    name, status = say("how it is removed"), found["status"]
    if status == "DELETION_PENDING":
        return name, say("it is being forgotten"), ""
    if status not in _IN_USE:
        return name, say("it is out of use, and kept as history until an admin has it forgotten"), ""
    parts: list[Any] = []
    if line.get("expires_at"):
        parts.append(say("by itself on {day}", day=exact_day(line["expires_at"])))
    if line.get("review_at"):
        parts.append(say("at its review on {day}", day=exact_day(line["review_at"])))
    if line.get("revalidate_on"):
        parts.append(say("when one of its events happens"))
    if not parts:
        return name, say("nothing removes it by itself; only a reviewer of {scope}, or a request to an admin", scope=line["scope"]), _OPEN
    parts.append(say("before that by a reviewer of {scope}, or on request by an admin", scope=line["scope"]))
    return name, "; ".join(parts), ""


def _advice(view: RecordView) -> dict[str, str]:
    """Return what to do about each part that may be missing, in the state the record is in."""
    if view.found["status"] == "CANDIDATE":
        amend = say("Amend it among the candidates, or reject it.")
        return {
            say("source"): amend, say("time"): amend, say("confirmation"): say("Have the person confirm it; a reviewer's approval is one too."),
            say("owner"): say("Set one under Terms when you decide; it cannot be accepted without."),
            say("expiry or review"): say("Set a date under Terms when you decide; it cannot be accepted without."),
        }  # fmt: skip
    if view.found["status"] not in _IN_USE:
        return {}
    again = say("Have it proposed again with it; approving that one replaces this.")
    dates = say("Ask a reviewer of its scope for a date.")
    if view.may_decide:
        dates = say("Set a review date below.") if view.found["status"] == "ACCEPTED" else say("Settle it first; then it can be given a date here.")
    return {
        say("source"): again, say("time"): again, say("confirmation"): say("Ask its owner, or the person it is about."), say("owner"): again,
        say("expiry or review"): dates,
    }  # fmt: skip


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
    rows += [_end(line), (say("state"), badge(found["status"], found["kind"]), ""), _removal(view)]
    return rows


def draw_contract(view: RecordView, tenant: str) -> Markup:
    """Return the contract, what is missing marked; nothing for a captured version, which is not kept for its own sake."""
    if view.found["kind"] == "evidence":
        return Markup("")
    rows = _rows(view, tenant)
    missing = sum(state == _MISSING for _, _, state in rows)
    head = tag("h2", say("Life-cycle contract"), cls="cd-heading")
    words = phrase_count("{n} thing is missing", "{n} things are missing", missing) if missing else phrase("Nothing is missing.")
    items, advice = [], _advice(view)
    for name, value, state in rows:
        symbol, tone = _LOOKS[state]
        told = tag("span", say("missing"), cls="cr-missing") if state == _MISSING else None
        shown = value if isinstance(value, Markup) else long_text(str(value), 200)
        todo = tag("div", advice[name], cls="cd-muted cd-small") if state == _MISSING and name in advice else None
        items.append(join((tag("dt", tag("span", icon(symbol), cls=tone), name), tag("dd", shown, told, todo))))
    return join((head, tag("div", words, cls="cd-amber cd-small" if missing else "cd-muted cd-small"), tag("dl", *items, cls="cd-facts cr-contract")))


def lacks_end(view: RecordView) -> bool:
    """Return whether nothing would ever remove the record by itself."""
    line = view.found["record"]
    return not (line.get("expires_at") or line.get("review_at") or line.get("revalidate_on"))
