"""The parts of a record's page that say what stands around it: passages, parents, what rests on it, conflicts, deliveries, history."""

from __future__ import annotations

from typing import Any

from pages.widgets.candidate_passage import draw_passage
from pages.widgets.candidate_words import ago, exact, plural, qualifiers_text, shorten, value_text, when
from pages.widgets.desk import record_link
from pages.widgets.markup import Markup, join, long_text, tag
from pages.widgets.record_parts import is_withheld
from pages.widgets.status import badge, change, icon
from store import Near, RecordView

#: action -> what it is called in a record's history.
_ACTION_WORDS = {
    "import": "Imported", "approve": "Approved", "reject": "Rejected", "reopen": "Reopened", "renew": "Review date moved", "amend": "Amended",
    "revoke": "Revoked", "suspend": "Suspended", "reinstate": "Reinstated", "supersede": "Replaced", "resolve": "Conflict settled",
}  # fmt: skip
_FELL_WORDS = {
    "revoke": "What it rests on was revoked", "suspend": "What it rests on was suspended", "supersede": "What it rests on was replaced",
    "resolve": "A conflict below it was settled", "approve": "What it rests on was replaced",
}  # fmt: skip


def draw_passages(view: RecordView, tenant: str) -> Markup:
    """Return the passages a claim comes from, each in its context."""
    if not view.passages or is_withheld(view):
        return Markup("")
    return join((tag("h2", "Where it comes from", cls="cd-heading"), *(draw_passage(passage, tenant) for passage in view.passages)))


def _row(near: Near, tenant: str, *, lost: bool = False) -> Markup:
    value = tag("span", shorten(value_text(near.value, 200), 60), cls="cd-muted") if near.kind == "claim" and near.value is not None else None
    which = tag("span", shorten(qualifiers_text(near.qualifiers), 40), cls="cd-muted") if near.qualifiers else None
    note = tag("span", icon("link_off"), "lost support", cls="cd-lost") if lost else None
    name = record_link(near.id, tenant, shorten(near.title, 70))
    return tag(
        "li",
        tag("div", badge(near.status, near.kind), note, cls="cd-rowhead"),
        tag("div", join((one for one in (name, value, which) if one is not None), " · ")),
    )


def draw_parents(view: RecordView, tenant: str) -> Markup:
    """Return what the record rests on, lost supports marked, and how many independent roots remain."""
    found = view.found
    if found["kind"] == "evidence":
        return Markup("")
    lost = set(found["supports"]["lost"])
    rows = [_row(near, tenant, lost=near.id in lost) for near in sorted(view.parents, key=lambda near: near.id not in lost)]
    hidden = view.parents_count - len(view.parents)
    if hidden:
        rows.append(tag("li", plural(hidden, "more", "more"), " outside your scopes or beyond the first 60", cls="cd-muted"))
    roots = plural(len(found["roots"]), "root")
    independent = f"{roots} in evidence, {found['independent_roots']:,} independent" if found["roots"] else "It does not reach any evidence."
    head = tag("h2", "Rests on", tag("span", f"{view.parents_count:,}", cls="cd-tally"), cls="cd-heading")
    body = tag("ul", *rows, cls="cd-list") if rows else tag("div", "It names nothing it rests on.", cls="cd-muted cd-small")
    return join((head, tag("div", independent, cls="cd-muted cd-small"), body))


def draw_children(view: RecordView, tenant: str) -> Markup:
    """Return what rests directly on the record: how many, and the first of them."""
    count = view.found["children_count"]
    head = tag("h2", "Rests on it", tag("span", f"{count:,}", cls="cd-tally"), cls="cd-heading")
    if not count:
        return join((head, tag("div", "Nothing rests on it yet.", cls="cd-muted cd-small")))
    rows = [_row(near, tenant) for near in view.children]
    rest = count - len(view.children)
    more = tag("div", f"and {rest:,} more, or in scopes you may not see", cls="cd-muted cd-small") if rest else None
    return join(part for part in (head, tag("ul", *rows, cls="cd-list"), more) if part is not None)


def draw_contests(view: RecordView, tenant: str) -> Markup:
    """Return the open conflicts the record is in, with the other sides."""
    parts = []
    for conflict_id, sides in view.contests:
        rows = [
            tag(
                "tr", tag("td", "this claim" if near.id == view.found["id"] else record_link(near.id, tenant, shorten(near.id, 48))),
                tag("td", tag("b", shorten(value_text(near.value, 400), 90))), tag("td", badge(near.status)),
            )
            for near in sides
        ]  # fmt: skip
        head = tag("div", icon("compare_arrows"), tag("b", "In an open conflict"), ": nobody is served this until it is settled.", cls="cd-violet")
        parts.append(
            tag("div", head, tag("table", *rows, cls="cd-table"), tag("div", shorten(conflict_id, 60), cls="cd-muted cd-small cd-id"), cls="cd-card")
        )
    return join(parts)


def draw_deliveries(view: RecordView) -> Markup:
    """Return to whom an artifact went."""
    deliveries: list[dict[str, Any]] = view.found["deliveries"]
    if not deliveries:
        return join((tag("h2", "Deliveries", cls="cd-heading"), tag("div", "It has not been delivered to anybody.", cls="cd-muted cd-small")))
    rows = [
        tag(
            "tr", tag("td", long_text(one["recipient"], 120)), tag("td", long_text(one["channel"], 80)),
            tag("td", exact(one["delivered_at"]) or "at an unknown time", cls="cd-muted", title=ago(one["delivered_at"])),
        )
        for one in deliveries[:200]
    ]  # fmt: skip
    more = tag("div", f"and {len(deliveries) - 200:,} more", cls="cd-muted cd-small") if len(deliveries) > 200 else None
    head = tag("tr", *(tag("th", name) for name in ("to", "by", "when")))
    title = tag("h2", "Delivered", tag("span", f"{len(deliveries):,}", cls="cd-tally"), cls="cd-heading")
    return join(part for part in (title, tag("div", tag("table", head, *rows, cls="cd-table"), cls="cd-scroll"), more) if part is not None)


def _what(item: dict[str, Any]) -> str:
    if item["to"] == "STALE" and item["action"] in _FELL_WORDS:
        return _FELL_WORDS[item["action"]]
    if item["action"] == "approve" and item["to"] == "CANDIDATE":
        return "Approved by the first of two"
    return _ACTION_WORDS.get(item["action"], str(item["action"]).replace("_", " ").capitalize())


def draw_history(view: RecordView) -> Markup:
    """Return what happened to the record, the latest first."""
    kind = view.found["kind"]
    rows = [
        tag(
            "tr", tag("td", when(item["at"]), cls="cd-muted cd-nowrap"), tag("td", _what(item)), tag("td", long_text(view.names.get(item["actor"], item["actor"]), 80)),
            tag("td", change(item["from"], item["to"], kind) if item["from"] and item["from"] != item["to"] else badge(item["to"], kind)),
            tag("td", long_text(item["reason"] or "", 300)),
        )
        for item in reversed(view.found["history"])
    ]  # fmt: skip
    head = tag("tr", *(tag("th", name) for name in ("when", "what", "who", "status", "reason")))
    return join((tag("h2", "History", cls="cd-heading"), tag("div", tag("table", head, *rows, cls="cd-table"), cls="cd-scroll")))
