"""What stands beside the picture: the record or the bundle that was chosen, and the ways between two records."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from pages.widgets.callbacks import uninterrupted
from pages.widgets.candidate_words import shorten, value_text
from pages.widgets.desk import Desk, address, attempt, person_name, record_link, take_refusal
from pages.widgets.graph_place import GraphPlace, read_place
from pages.widgets.graph_words import KIND_ICONS, kind_word, say_step
from pages.widgets.language import number, phrase, say, say_count
from pages.widgets.markup import Markup, draw, join, tag
from pages.widgets.status import badge, icon
from store import GraphNode, GraphPicture, NeighbourDetail, Surroundings, describe_neighbour, explain_ways, spaced

OPENED = 10
_SHOWN_WAY = 9
_WITHDRAWABLE = ("ACCEPTED", "STALE", "DISPUTED")


def select(desk: Desk, node: GraphNode) -> None:
    """Choose a box: a record is told beside the picture, a bundle opens a little further."""
    place = read_place(desk)
    if node.named is not None:
        replace(place, selected=node.named.id, bundle=None).go()
    elif node.form == "hidden":
        replace(place, selected=None, bundle=node.key).go()
    else:
        open_more(desk, node.key)


@uninterrupted
def open_more(desk: Desk, key: str, more: int = OPENED) -> None:
    """Draw some more of a bundle."""
    place = read_place(desk)
    opened = dict(place.opened)
    opened[key] = opened.get(key, 0) + more
    replace(place, opened=tuple(opened.items()), bundle=key, selected=None).go()


@uninterrupted
def _fold_again(desk: Desk, key: str) -> None:
    place = read_place(desk)
    replace(place, opened=tuple(pair for pair in place.opened if pair[0] != key), bundle=key).go()


@uninterrupted
def _go(desk: Desk, **changes: object) -> None:
    read_place(desk).having(**changes).go()


def draw_panel(desk: Desk, around: Surroundings, picture: GraphPicture | None, place: GraphPlace) -> None:
    """Draw what was chosen; the focus where nothing was."""
    if place.bundle is not None and picture is not None and any(one.key == place.bundle for one in around.bundles):
        _draw_bundle(desk, around, picture, place, place.bundle)
        return
    wanted = place.selected or around.id
    detail = attempt(lambda: describe_neighbour(desk.store, desk.person, around.tenant, wanted))
    if detail is None:
        take_refusal()
        draw(tag("p", say("What was chosen is not there any more, or you may not see it."), cls="cd-muted"))
        return
    _draw_record(desk, around, detail)


def _draw_record(desk: Desk, around: Surroundings, detail: NeighbourDetail) -> None:
    one = detail.named
    marks = [badge(one.status, one.kind)]
    if one.status == "ACCEPTED" and detail.expired:
        marks.append(badge("EXPIRED"))
    if detail.contested:
        marks.append(badge("CONFLICT"))
    if detail.delivered:
        marks.append(tag("span", icon("outgoing_mail"), say("Delivered"), cls="cd-status"))
    body: list[Markup] = [
        tag("div", icon(KIND_ICONS[one.kind]), kind_word(one.kind), f" · {spaced(one.label)[:80]}" if one.kind != "evidence" else None, cls="cd-kicker"),
        tag("h2", shorten(one.title, 200), cls="cd-heading cd-panelhead"),
        tag("div", join(marks, "  "), cls="cd-panelmarks"),
    ]
    if one.kind == "claim" and detail.value is not None:
        body.append(tag("div", shorten(value_text(detail.value, 400), 170), cls="cd-panelvalue"))
    body.append(_passage(detail))
    body.append(
        tag(
            "dl", tag("dt", say("owner")), tag("dd", person_name(one.owner) if one.owner else say("nobody")), tag("dt", say("scope")), tag("dd", one.scope),
            tag("dt", say("rests on")), tag("dd", say_count("{n} record directly", "{n} records directly", detail.parents)),
            tag("dt", say("rest on it")), tag("dd", say_count("{n} record directly", "{n} records directly", detail.children)), cls="cd-facts",
        )
    )  # fmt: skip
    links = [tag("a", say("Open the record"), cls="cd-link cd-button", href=address("record", record=one.id, tenant=around.tenant, scope=desk.scope))]
    if one.status in _WITHDRAWABLE and detail.may_decide:
        links.append(tag("a", say("Revoke and preview…"), cls="cd-link cd-button", href=address("revoke", pick=one.id, tenant=around.tenant, scope=desk.scope)))
    draw(*body, tag("div", *links, cls="cd-actions"))
    if one.id != around.id:
        with st.container(horizontal=True, gap="small"):
            st.button(say("Centre here"), key="dependencies.centre", icon=":material/center_focus_strong:", on_click=_go, args=(desk,), kwargs={"record": one.id})
            if around.to != one.id:
                st.button(say("The way from here"), key="dependencies.way", icon=":material/conversion_path:", on_click=_go, args=(desk,), kwargs={"to": one.id, "selected": one.id})


def _passage(detail: NeighbourDetail) -> Markup:
    look = detail.passage
    if look is None or look.shown is None:
        return Markup("")
    before, after = look.shown.before.rsplit("\n", 1)[-1][-70:], look.shown.after.split("\n", 1)[0][:70]
    where = say("from {source}", source=detail.source or look.evidence)
    wrong = None if look.ok else tag("div", icon("error"), look.message, cls="cd-red cd-small")
    return tag(
        "div", tag("div", where, cls="cd-where"), tag("div", before, tag("mark", shorten(look.shown.passage, 200)), after, cls="cd-passage"), wrong,
        cls="cd-panelpassage",
    )  # fmt: skip


def _draw_bundle(desk: Desk, around: Surroundings, picture: GraphPicture, place: GraphPlace, key: str) -> None:
    node = next((node for node in picture.nodes if node.key == key), None)
    one = next(one for one in around.bundles if one.key == key)
    count = len(one.members)
    if one.form == "hidden":
        text = say_count("{n} record lies in a scope you may not see. It is counted and not shown.", "{n} records lie in scopes you may not see. They are counted and not shown.", count)
        draw(tag("h2", say("Hidden"), cls="cd-heading cd-panelhead"), tag("p", text, cls="cd-muted"))
        return
    body: list[Markup] = [tag("div", say_step(one.step, further=one.further), cls="cd-kicker")]
    if one.form == "chain":
        body.append(tag("h2", say_count("{n} record in a row", "{n} records in a row", count), cls="cd-heading cd-panelhead"))
        body.append(tag("p", say("Each rests on the one before it, and nothing branches."), cls="cd-muted cd-small"))
    else:
        body.append(tag("h2", _what(one.form, count), cls="cd-heading cd-panelhead"))
        if one.label:
            body.append(tag("p", spaced(one.label)[:200], cls="cd-muted cd-small"))
    shown = count - (node.count if node else 0)
    said = say("{shown} of {all} drawn, those to look at first before the others.", shown=number(shown), all=number(count)) if one.form != "chain" else say("{shown} of {all} drawn, nearest first.", shown=number(shown), all=number(count))
    body.append(tag("p", said, cls="cd-small"))
    if node is not None:
        body.append(tag("ul", *(tag("li", badge(status, one.form if one.form != "chain" else "claim"), tag("b", number(n), cls="cd-tally")) for status, n in node.statuses.items()), cls="cd-list"))
    href = f"{place.link(within=key)}"
    body.append(tag("div", tag("a", say("List them in the table"), cls="cd-link cd-button", href=href), cls="cd-actions"))
    draw(*body)
    with st.container(horizontal=True, gap="small"):
        if node is not None:
            more = min(OPENED, node.count)
            st.button(say_count("Show one more", "Show {n} more", more), key="dependencies.more", icon=":material/unfold_more:", on_click=open_more, args=(desk, key))
        if any(pair[0] == key for pair in place.opened):
            st.button(say("Fold again"), key="dependencies.fold", icon=":material/unfold_less:", on_click=_fold_again, args=(desk, key))


def _what(form: str, count: int) -> str:
    if form == "evidence":
        return say_count("{n} source version", "{n} source versions", count)
    return say_count("{n} artifact", "{n} artifacts", count) if form == "artifact" else say_count("{n} claim", "{n} claims", count)


# --- ways ---------------------------------------------------------------------------------------------------------


def draw_ways(desk: Desk, around: Surroundings, place: GraphPlace) -> None:
    """Draw the shortest ways between the focus and another record as a list; the chosen one is marked in the picture."""
    if around.ways is None:
        return
    rows = []
    ways = explain_ways(desk.store, desk.person, around)
    for place_of, way in enumerate(ways):
        steps = []
        shown = way if len(way) <= _SHOWN_WAY else [*way[: _SHOWN_WAY // 2], None, *way[-(_SHOWN_WAY // 2) :]]
        for one in shown:
            if one is None:
                steps.append(tag("li", say_count("… {n} more …", "… {n} more …", len(way) - len(shown) + 1), cls="cd-muted"))
            elif one.named is None:
                steps.append(tag("li", icon("visibility_off"), say("something you may not see"), cls="cd-muted"))
            else:
                steps.append(tag("li", record_link(one.named.id, around.tenant, shorten(one.named.title, 90)), badge(one.named.status, one.named.kind)))
        here = place_of == min(place.way, len(ways) - 1)
        name = say("Way {n}", n=place_of + 1)
        head = tag("b", icon("check"), name) if here else tag("a", name, cls="cd-link", href=place.link(way=place_of), title=say("Mark it in the picture"))
        rows.append(tag("div", head, tag("ol", *steps, cls="cd-way"), cls="cd-wayrow cd-here" if here else "cd-wayrow"))
    more = around.ways.count - len(ways)
    rest = tag("p", say_count("{n} more way of the same length is not listed.", "{n} more ways of the same length are not listed.", more), cls="cd-muted cd-small") if more else None
    draw(tag("h2", say("The shortest ways"), cls="cd-heading"), tag("div", *rows, rest, cls="cd-ways"))


def say_ways(around: Surroundings, title: Markup, other: Markup) -> Markup:
    """Return the sentence about the ways between two records."""
    ways = around.ways
    if ways is None:
        return phrase("Neither {one} rests on {other}, nor the other way round. Below is what stands around {one}.", one=title, other=other)
    start, end = (title, other) if ways.start == around.found.focus else (other, title)
    count = say_count("one shortest way", "{n} shortest ways", ways.count)
    steps = say_count("{n} step", "{n} steps", ways.length)
    return phrase("{end} rests on {start}: {count}, {steps} long. Whatever happens to the one reaches the other.", end=end, start=start, count=tag("b", count), steps=tag("b", steps))


