"""The parts of a record's page that say what stands around it: passages, parents, what rests on it, conflicts, neighbours, who was told."""

from __future__ import annotations

from typing import Any

from pages.widgets.candidate_passage import draw_passage
from pages.widgets.candidate_words import ago, exact, exact_day, qualifiers_text, shorten, value_text, when
from pages.widgets.desk import address, record_link
from pages.widgets.language import later, number, phrase, phrase_count, say, say_count
from pages.widgets.markup import Markup, join, long_text, tag
from pages.widgets.record_parts import is_withheld, person_name
from pages.widgets.record_then import then_link
from pages.widgets.status import badge, change, icon
from store import Near, RecordView

#: action -> what it is called in a record's history.
_ACTION_WORDS = {
    "import": later("Imported"), "approve": later("Approved"), "reject": later("Rejected"), "reopen": later("Reopened"), "renew": later("Review date moved"),
    "amend": later("Amended"), "revoke": later("Revoked"), "suspend": later("Suspended"), "reinstate": later("Reinstated"), "supersede": later("Replaced"),
    "resolve": later("Conflict settled"), "settle": later("Conflict settled"), "compare": later("Comparison changed"),
    "request_deletion": later("Asked to be forgotten"), "erase": later("Erased"), "refuse_deletion": later("Request to forget refused"),
    "ask_which": later("Asked how it is meant"),
}  # fmt: skip
_FELL_WORDS = {
    "revoke": later("What it rests on was revoked"), "suspend": later("What it rests on was suspended"),
    "supersede": later("What it rests on was replaced"), "resolve": later("A conflict below it was settled"),
    "request_deletion": later("What it rests on is being deleted"), "settle": later("A conflict below it was settled"), "approve": later("What it rests on was replaced"),
    "ask_which": later("What it rests on is out of use until somebody answers"),
}  # fmt: skip
_SENT = 200


def draw_passages(view: RecordView, tenant: str) -> Markup:
    """Return the passages a claim comes from, each in its context."""
    if not view.passages or is_withheld(view):
        return Markup("")
    return join((tag("h2", say("Where it comes from"), cls="cd-heading"), *(draw_passage(passage, tenant) for passage in view.passages)))


def _tallied(words: str, count: int) -> Markup:
    return tag("h2", words, tag("span", number(count), cls="cd-tally"), cls="cd-heading")


def _row(near: Near, tenant: str, *, lost: bool = False, scope: bool = False) -> Markup:
    value = tag("span", shorten(value_text(near.value, 200), 60), cls="cd-muted") if near.kind == "claim" and near.value is not None else None
    which = tag("span", shorten(qualifiers_text(near.qualifiers), 40), cls="cd-muted") if near.qualifiers else None
    where = tag("span", phrase("in {scope}", scope=shorten(near.scope, 60)), cls="cd-muted") if scope else None
    note = tag("span", icon("link_off"), say("lost support"), cls="cd-lost") if lost else None
    name = record_link(near.id, tenant, shorten(near.title, 70))
    return tag(
        "li",
        tag("div", badge(near.status, near.kind), note, cls="cd-rowhead"),
        tag("div", join((one for one in (name, value, which, where) if one is not None), " · ")),
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
        words = say_count("{n} more outside your scopes or beyond the first 60", "{n} more outside your scopes or beyond the first 60", hidden)
        rows.append(tag("li", words, cls="cd-muted"))
    if found["roots"]:
        told = say_count(
            "{n} root in evidence, {independent} independent", "{n} roots in evidence, {independent} independent", len(found["roots"]),
            independent=number(found["independent_roots"]),
        )  # fmt: skip
    else:
        told = say("It does not reach any evidence.")
    body = tag("ul", *rows, cls="cd-list") if rows else tag("div", say("It names nothing it rests on."), cls="cd-muted cd-small")
    return join((_tallied(say("Rests on"), view.parents_count), tag("div", told, cls="cd-muted cd-small"), body))


def draw_children(view: RecordView, tenant: str) -> Markup:
    """Return what rests directly on the record: how many, and the first of them."""
    count = view.found["children_count"]
    head = _tallied(say("Rests on it"), count)
    if not count:
        return join((head, tag("div", say("Nothing rests on it yet."), cls="cd-muted cd-small")))
    rows = [_row(near, tenant) for near in view.children]
    rest = count - len(view.children)
    words = say_count("and {n} more, or in scopes you may not see", "and {n} more, or in scopes you may not see", rest)
    more = tag("div", words, cls="cd-muted cd-small") if rest else None
    return join(part for part in (head, tag("ul", *rows, cls="cd-list"), more) if part is not None)


def draw_contests(view: RecordView, tenant: str, scope: str | None) -> Markup:
    """Return the open conflicts the record is in, or was in at the moment looked at, with the other sides."""
    parts = []
    for conflict_id, sides in view.contests:
        rows = [
            tag(
                "tr", tag("td", say("this claim") if near.id == view.found["id"] else record_link(near.id, tenant, shorten(near.id, 48))),
                tag("td", tag("b", shorten(value_text(near.value, 400), 90))), tag("td", badge(near.status)),
            )
            for near in sides
        ]  # fmt: skip
        if view.known_at is not None:
            head = phrase("{conflict}: nobody was served this then.", conflict=tag("b", say("It was in an open conflict")))
            settle = None
        else:
            head = phrase("{conflict}: nobody is served this until it is settled.", conflict=tag("b", say("In an open conflict")))
            settle = tag("a", say("Compare the sides"), cls="cd-link", href=address("conflicts", conflict=conflict_id, tenant=tenant, scope=scope))
        parts.append(
            tag(
                "div",
                tag("div", icon("compare_arrows"), head, cls="cd-violet"),
                tag("table", *rows, cls="cd-table"),
                tag("div", settle, cls="cd-small"),
                cls="cd-card",
            )
        )
    return join(parts)


def draw_deliveries(view: RecordView) -> Markup:
    """Return to whom an artifact went."""
    deliveries: list[dict[str, Any]] = view.found["deliveries"]
    if not deliveries:
        return join(
            (tag("h2", say("Deliveries"), cls="cd-heading"), tag("div", say("It has not been delivered to anybody."), cls="cd-muted cd-small"))
        )
    rows = [
        tag(
            "tr", tag("td", long_text(one["recipient"], 120)), tag("td", long_text(one["channel"], 80)),
            tag("td", exact(one["delivered_at"]) or say("at an unknown time"), cls="cd-muted", title=ago(one["delivered_at"])),
        )
        for one in deliveries[:_SENT]
    ]  # fmt: skip
    rest = len(deliveries) - _SENT
    more = tag("div", say_count("and {n} more", "and {n} more", rest), cls="cd-muted cd-small") if rest > 0 else None
    head = tag("tr", *(tag("th", name) for name in (say("to"), say("by"), say("when"))))
    title = _tallied(say("Delivered"), len(deliveries))
    return join(part for part in (title, tag("div", tag("table", head, *rows, cls="cd-table"), cls="cd-scroll"), more) if part is not None)


def _what(item: dict[str, Any]) -> str:
    action = str(item["action"]).replace(" ", "_")
    if item["to"] == "STALE" and action in _FELL_WORDS:
        return say(_FELL_WORDS[action])
    if action == "approve" and item["to"] == "CANDIDATE":
        return say("Approved by the first of two")
    return say(_ACTION_WORDS[action]) if action in _ACTION_WORDS else action.replace("_", " ").capitalize()


def draw_history(view: RecordView, tenant: str, scope: str | None) -> Markup:
    """Return what happened to the record, the latest first, each with the way to what was known then."""
    kind = view.found["kind"]
    rows = [
        tag(
            "tr", tag("td", when(item["at"]), cls="cd-muted cd-nowrap"), tag("td", _what(item)), tag("td", long_text(person_name(view, item["actor"]) or "", 80)),
            tag("td", change(item["from"], item["to"], kind) if item["from"] and item["from"] != item["to"] else badge(item["to"], kind)),
            tag("td", long_text(item["reason"] or "", 300)), tag("td", number(item["seq"]), cls="cd-num cd-muted"),
            tag("td", tag("a", say("as known then"), cls="cd-link cd-small", href=then_link(view.found["id"], tenant, item["at"], scope))),
        )
        for item in view.found["history"]
    ]  # fmt: skip
    looked = [
        tag(
            "tr", tag("td", when(item["at"]), cls="cd-muted cd-nowrap"), tag("td", say("looked at what is veiled")), tag("td", long_text(person_name(view, item["actor"]) or "", 80)),
            tag("td", say("version {n}", n=item["version"]), cls="cd-muted"), tag("td"), tag("td", number(item["seq"]), cls="cd-num cd-muted"), tag("td"),
        )
        for item in view.looks
    ]  # fmt: skip
    seqs = [item["seq"] for item in (*view.found["history"], *view.looks)]
    rows = [row for _, row in sorted(zip(seqs, (*rows, *looked), strict=True), key=lambda one: one[0], reverse=True)]
    head = tag("tr", *(tag("th", name) for name in (say("when"), say("what"), say("who"), say("status"), say("reason"), say("event"), "")))
    return join((tag("h2", say("History"), cls="cd-heading"), tag("div", tag("table", head, *rows, cls="cd-table"), cls="cd-scroll")))


def draw_neighbours(view: RecordView, tenant: str, scope: str | None) -> Markup:
    """Return the claims near a claim: of its key, of the same question elsewhere, of its passage, about its subject."""
    if view.neighbours.subject is None:
        return Markup("")
    parts = [tag("h2", say("Neighbours"), cls="cd-heading")]
    lists = (
        (say("The same question in other scopes"), view.elsewhere, True), (say("Other values of the same key"), view.same_key, False),
        (say("From the same passage"), view.same_passage, False),
    )  # fmt: skip
    for words, near, where in lists:
        if near:
            parts += [tag("h3", words, cls="cr-small"), tag("ul", *(_row(one, tenant, scope=where) for one in near), cls="cd-list")]
    about = address("about", subject=view.neighbours.subject, tenant=tenant, scope=scope)
    subject = tag("a", shorten(view.neighbours.subject, 90), cls="cd-link", href=about)
    parts.append(
        tag(
            "p",
            phrase_count("{n} claim is held about {subject}.", "{n} claims are held about {subject}.", view.neighbours.of_subject, subject=subject),
            cls="cd-small",
        )
    )
    return join(parts)


def draw_served(view: RecordView) -> Markup:
    """Return who was told the record, the newest answer first."""
    served = view.served
    if served is None or view.found["kind"] == "evidence":
        return Markup("")
    head = _tallied(say("Who was served it"), served.answers)
    if not served.answers:
        return join((head, tag("div", say("No answer to an agent has held it."), cls="cd-muted cd-small")))
    now = view.found["version"]
    rows = [
        tag(
            "tr", tag("td", when(one.at) if one.at else say("at an unknown time"), cls="cd-muted cd-nowrap"), tag("td", shorten(one.by or say("unknown"), 60)),
            tag("td", shorten(one.task, 60) if one.task else "–", cls="cd-muted"),
            tag("td", number(one.version) if one.version is not None else "–", tag("span", say(" · changed since"), cls="cd-amber") if one.version not in (None, now) else None),
        )
        for one in served.rows
    ]  # fmt: skip
    told = say_count("{n} reader", "{n} readers", served.readers)
    since = phrase("{readers} since {day}", readers=told, day=exact_day(served.since)) if served.since else told
    rest = served.answers - len(served.rows)
    more = tag("div", say_count("and {n} earlier answer", "and {n} earlier answers", rest), cls="cd-muted cd-small") if rest else None
    columns = tag("tr", *(tag("th", name) for name in (say("when"), say("who"), say("in which task"), say("version"))))
    table = tag("div", tag("table", columns, *rows, cls="cd-table"), cls="cd-scroll")
    return join(part for part in (head, tag("div", since, cls="cd-muted cd-small"), table, more) if part is not None)
