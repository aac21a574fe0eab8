"""The chain of a record: at most seven boxes from the evidence it comes from to the report that carried it to somebody."""

from __future__ import annotations

from pages.widgets.candidate_words import moment, shorten
from pages.widgets.desk import address, record_address
from pages.widgets.language import later, phrase, say, say_count
from pages.widgets.markup import Markup, join, tag
from pages.widgets.moments import say_day
from pages.widgets.status import badge
from store import ChainBox, RecordView

_KINDS = {"evidence": later("evidence"), "claim": later("claim"), "artifact": later("report")}


def _box(box: ChainBox, tenant: str) -> Markup:
    if box.folded:
        return tag("li", tag("span", say_count("… {n} more …", "… {n} more …", box.folded)), cls="cr-box cr-fold")
    kind = tag("span", say(_KINDS[box.kind]), cls="cr-kind")
    state = badge(box.status, box.kind)
    if box.id is None:
        return tag("li", kind, tag("span", say("something you may not see"), cls="cd-muted"), state, cls="cr-box")
    title = shorten(box.title, 90)
    name = (
        tag("b", title, title=box.title[:400])
        if box.here
        else tag("a", title, cls="cd-link", href=record_address(box.id, tenant), title=box.title[:400])
    )
    sent = None
    if box.sent is not None:
        to, at = box.sent
        words = phrase("to {who}, {day}", who=shorten(to, 40), day=say_day(moment(at))) if at else phrase("to {who}", who=shorten(to, 40))
        sent = tag("span", words, cls="cr-sent", title=say_count("delivered {n} time", "delivered {n} times", box.deliveries))
    marked = "here" if box.here else "delivered" if box.sent is not None else "plain"
    return tag("li", kind, name, state, sent, cls=f"cr-box cr-{box.kind} cr-{marked}")


def draw_chain(view: RecordView, tenant: str, scope: str | None) -> Markup:
    """Return the chain, with the way to the whole graph."""
    boxes = view.chain.boxes
    if len(boxes) < 2:
        return Markup("")
    graph = tag("a", say("All of it as a graph"), cls="cd-link", href=address("dependencies", record=view.found["id"], tenant=tenant, scope=scope))
    told = say("From the evidence to what was delivered: one way, the one that tells most.")
    cut = say(" There is more below than was looked at.") if view.chain.cut else ""
    return join((
        tag("h2", say("Chain"), cls="cd-heading"), tag("div", told, cut, " ", graph, cls="cd-muted cd-small"),
        tag("ol", *(_box(box, tenant) for box in boxes), cls="cr-chain"),
    ))  # fmt: skip
