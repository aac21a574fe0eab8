"""What a committed plan did, drawn; read back from its event, so that it survives a reload."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

from pages.widgets.desk import Desk, record_link
from pages.widgets.markup import Markup, draw, join, tag
from pages.widgets.plan_rows import key_words
from pages.widgets.plan_state import Place
from pages.widgets.plan_words import done_words, exactly, name_roots, of_kind, several, shorten
from pages.widgets.status import badge, change, icon
from store import PlanResult, load_plan_result


def draw_result(desk: Desk, tenant: str, place: Place) -> None:
    """Draw the result page.

    Raises:
        Refusal: there is no such result that the person may see.
    """
    assert place.done is not None
    result = load_plan_result(desk.store, desk.person, tenant, place.done)
    who = "You" if result.by == desk.person else result.by_name
    what = join((who, " ", done_words(result.verb), " ", name_roots(result.words, result.roots), ". "))
    draw(
        tag("p", what, tag("b", f"{several(result.actual, 'record')} changed"), f" at {exactly(result.at)}. ", _told(result), cls="cd-lead"),
        tag(
            "div", _predicted(result), tag("span", "receipt ", tag("button", result.receipt, cls="cd-copy", title=result.receipt)), tag("span", f"event {result.seq:,}"),
            tag("span", "fingerprint ", tag("button", shorten(result.fingerprint), cls="cd-copy", title=result.fingerprint)) if result.fingerprint else None, cls="cd-badges",
        ),
    )  # fmt: skip
    left = [_changed(result), _sample(result)]
    right = [_notices(result, tenant), _next(result, tenant, place)]
    draw(tag("div", tag("div", *left), tag("div", *right), cls="cd-two"))


def _told(result: PlanResult) -> str:
    sent = sum(len(rows) for rows in result.notices.values())
    if not sent:
        return "Nobody outside has to be told."
    return f"{several(sent, 'notice')} for {several(len(result.notices), 'recipient')} {'was' if sent == 1 else 'were'} made."


def _predicted(result: PlanResult) -> Markup:
    if result.predicted is None:
        return tag("span", f"{result.actual:,} changed; what was predicted is not kept any more")
    if result.predicted == result.actual:
        return tag("span", icon("check_circle"), f"{result.predicted:,} predicted, {result.actual:,} changed", cls="cd-teal")
    return tag("span", icon("warning"), f"{result.predicted:,} predicted, {result.actual:,} changed", cls="cd-red")


def _changed(result: PlanResult) -> Markup:
    rows = [
        tag("tr", tag("td", of_kind(cell["count"], cell["kind"])), tag("td", change(cell["from"], cell["to"], cell["kind"])))
        for cell in sorted(result.cells, key=lambda cell: (cell["kind"] != "artifact", cell["kind"]))
    ]  # fmt: skip
    rows.append(tag("tr", tag("td", tag("b", f"{result.actual:,} together")), tag("td", "")))
    hidden = tag("p", f"{result.hidden:,} of them are in scopes you may not see.", cls="cd-muted cd-small") if result.hidden else None
    reason = tag("div", tag("div", "Reason", cls="cd-where"), tag("div", result.reason), cls="cd-quotecard") if result.reason else None
    owners = [
        tag("div", icon("person_add"), owner, " now owns ", record_link(one, result.tenant), cls="cd-small") for one, owner in result.owners.items()
    ]
    waived = [
        tag("div", icon("person_off"), record_link(one, result.tenant), f" stays without owner: {why}", cls="cd-small")
        for one, why in result.waived.items()
    ]
    return tag("section", tag("h2", "What changed"), tag("table", *rows, cls="cd-table"), hidden, *owners, *waived, reason)


def _words(values: list[Any]) -> str:
    found = []
    for value in values[:3]:
        parsed = value
        if isinstance(value, str):
            try:
                parsed = json.loads(value)
            except ValueError:
                parsed = value
        found.append(parsed if isinstance(parsed, str) else json.dumps(parsed, ensure_ascii=False))
    return ", ".join(found)[:160]


def _sample(result: PlanResult) -> Markup | None:
    if not result.sample:
        return None
    rows = []
    for one in result.sample:
        before = tag("div", badge(one["before"]), tag("small", _words(one["value"]), cls="cd-muted") if one["before"] == "OK" else None)
        now = tag("div", badge(one["now"]), tag("small", _words(one["value_now"]), cls="cd-muted") if one["now"] == "OK" else None)
        rows.append(tag("tr", tag("td", key_words(one)), tag("td", before), tag("td", now)))
    head = tag("tr", *(tag("th", word) for word in ("asked for", "before", "now")))
    return tag(
        "section", tag("h2", "What agents are told now"), tag("table", head, *rows, cls="cd-table cd-samples"),
        tag("p", f"A sample of {several(result.answers, 'answer')} that changed, asked a moment ago.", cls="cd-muted cd-small"),
    )  # fmt: skip


def _notices(result: PlanResult, tenant: str) -> Markup:
    if not result.notices:
        return tag("section", tag("h2", "Notices"), tag("p", "None: nothing that was delivered rests on it.", cls="cd-muted"))
    people = []
    for recipient, rows in result.notices.items():
        editions = [
            tag(
                "li", record_link(one["id"], tenant, one["title"][:140]), tag("small", f" edition {one['edition']}, {one['channel']}", cls="cd-muted")
            )
            for one in rows
        ]
        people.append(tag("li", tag("b", recipient), tag("ul", *editions)))
    count = sum(len(rows) for rows in result.notices.values())
    return tag("section", tag("h2", f"{several(count, 'notice')} made"), tag("ul", *people, cls="cd-notices"))


def _next(result: PlanResult, tenant: str, place: Place) -> Markup:
    scope = f"&scope={quote(place.scope, safe='')}" if place.scope else ""
    lines = [
        tag("li", "The record itself: ", join((record_link(root, tenant, result.words.get(root, root)[:120]) for root in result.roots[:5]), ", "))
    ]
    if result.blocked_count:
        named = join((record_link(one["id"], tenant, one["title"][:100]) for one in result.blocked), ", ")
        more = f" and {result.blocked_count - len(result.blocked):,} more" if result.blocked_count > len(result.blocked) else ""
        lines.append(tag("li", f"{several(result.blocked_count, 'candidate')} cannot be approved for now: ", named, more))
    if result.verb == "suspend":
        picks = "&".join(f"pick={quote(root, safe='')}" for root in result.roots[:50])
        lines.append(
            tag("li", tag("a", "Preview using it again", cls="cd-link", href=f"/revoke?tenant={quote(tenant, safe='')}&{picks}&do=reinstate{scope}"))
        )
    lines.append(tag("li", tag("a", "Take something else out of use", cls="cd-link", href="/revoke" + (f"?{scope[1:]}" if scope else ""))))
    return tag("section", tag("h2", "What to look at next"), tag("ul", *lines, cls="cd-next"))
