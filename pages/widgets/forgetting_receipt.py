"""The receipt of a request: what was done about each place, to be shown, printed or taken along; nothing of what was forgotten is in it."""

from __future__ import annotations

import json
from typing import Any

import streamlit as st

from pages.widgets.candidate_words import exact, exact_day
from pages.widgets.desk import Desk, person_name
from pages.widgets.forgetting_place import Place
from pages.widgets.forgetting_proofs import proof_badge, size_words
from pages.widgets.forgetting_words import (
    DESK_ITSELF,
    FOUND_WORDS,
    bar_words,
    draw_bar,
    facts,
    ground_words,
    request_badge,
    rule_words,
    state_badge,
    surface_name,
)
from pages.widgets.language import later_count, listed, number, phrase, phrase_count, say, say_count
from pages.widgets.markup import Markup, draw, join, tag
from pages.widgets.status import icon
from pages.widgets.veil import behind_veil
from store import DeletionView, Receipt

_KINDS = {
    "claim": later_count("{n} claim", "{n} claims"), "evidence": later_count("{n} source version", "{n} source versions"), "artifact": later_count("{n} artifact", "{n} artifacts"),
}  # fmt: skip


def draw_receipt(desk: Desk, view: DeletionView, place: Place) -> None:
    """Draw the latest receipt of a request."""
    back = tag("a", say("← Request {id}", id=view.row.id), cls="cd-link", href=place.link(part=None))
    if not view.receipts:
        draw(tag("div", back, cls="cd-kicker"), tag("h1", say("There is no receipt yet"), cls="cd-title"))
        draw(tag("p", say("It is written when no place is open any more, and again whenever that changes."), cls="cd-lead"))
        return
    receipt = view.receipts[0]
    content = receipt.content
    with st.container(key="forgetting_tools"):
        letter = tag("a", say("Letter to the person"), cls="cd-link", href=Place(view.row.id, view.row.tenant, part="letter", scope=place.scope).link()) if view.row.may_run else None
        draw(tag("div", back, letter, tag("span", icon("print"), say("Print it with your browser; this line is left out."), cls="cd-muted cd-small"), cls="fg-tools"))
        st.download_button(
            say("JSON"), behind_veil(lambda: json.dumps(content, ensure_ascii=False, indent=1).encode()), f"receipt-{view.row.id}-{receipt.n}.json", "application/json", key="forgetting.json",
            on_click="ignore", icon=":material/data_object:", help=say("The receipt as the store keeps it."),
        )  # fmt: skip
    draw(tag("article", *_parts(desk, content, receipt), cls="fg-receipt"))


def _parts(desk: Desk, content: dict[str, Any], receipt: Receipt) -> list[Markup]:
    states: dict[str, int] = {}
    for one in content["surfaces"]:
        states[one["state"]] = states.get(one["state"], 0) + 1
    name = str(content.get("receipt") or receipt.n)
    made = phrase("Made on {at} from the store of {tenant}. Printed by {who}.", at=exact(content.get("made_at")), tenant=content["tenant"], who=desk.actor.name[:120])
    return [
        tag("h1", say("Receipt {name}", name=name), cls="cd-title"), tag("p", _sentence(content), cls="cd-lead"),
        draw_bar(states), tag("div", bar_words(states), cls="cd-muted cd-small"),
        _facts(content), tag("h2", say("What was done in each place"), cls="cd-heading"), _places(content["surfaces"]), _verification(content.get("verification")),
        tag("p", say("This receipt holds nothing of what was forgotten, and nothing from which it could be worked out."), " ", made, cls="cd-muted cd-small"),
    ]  # fmt: skip


def _records(content: dict[str, Any]) -> Markup:
    kinds = [say_count(*_KINDS[kind], int(count)) for kind, count in content["records"].items() if kind in _KINDS and count]
    return listed(kinds) if kinds else tag("span", say_count("{n} record", "{n} records", int(content["records"]["total"])))


def _sentence(content: dict[str, Any]) -> Markup:
    records = tag("b", _records(content))
    if content["state"] == "refused":
        return phrase("The request about {records} was refused on {day}. Nothing was erased.", records=records, day=exact_day(content["refused_at"]))
    if content["state"] == "complete":
        return phrase("{records} forgotten: blocked on {entered}, erased from {begun} on, complete since {finished}.", records=records, entered=exact(content["entered_at"]),
                      begun=exact(content["begun_at"]), finished=exact(content["finished_at"]))  # fmt: skip
    if content["begun_at"] is None:
        return phrase("{records} blocked since {entered}, not erased yet.", records=records, entered=exact(content["entered_at"]))
    return phrase("{records} blocked since {entered} and erased from {begun} on; something is still open.", records=records, entered=exact(content["entered_at"]), begun=exact(content["begun_at"]))


def _facts(content: dict[str, Any]) -> Markup:
    passages = content["passages"]
    covered = say_count("{n} passage", "{n} passages", int(passages["total"]))
    blotted = phrase("{passages} in {versions}", passages=covered, versions=say_count("{n} version", "{n} versions", int(passages["versions"]))) if passages["total"] else say("none")
    return facts(
        (say("request"), tag("span", content["request"], cls="cd-id")), (say("state"), request_badge(content["state"])), (say("ground"), ground_words(content["ground"])),
        (say("found"), say(FOUND_WORDS[content["found_by"]]) if content["found_by"] in FOUND_WORDS else None),
        (say("entered by"), phrase("{who}, {day}", who=person_name(content["entered_by"]), day=exact(content["entered_at"]))),
        (say("due"), exact_day(content["due_at"])), (say("refused by"), person_name(content["refused_by"]) if content["refused_by"] else None),
        (say("answers for it"), person_name(content["answers_for_it"]) if content["answers_for_it"] else None), (say("passages blacked out"), blotted),
        (say("other records that fell"), number(int(content["fell"]))),
        (say("from the ledger"), say("yes: carried out again after a backup was restored") if content["from_ledger"] else None),
    )  # fmt: skip


def _places(surfaces: list[dict[str, Any]]) -> Markup:
    rows = []
    for one in surfaces:
        rows.append(_row(tag("b", surface_name(one["name"])), one))
        rows += [_row(tag("span", say("copy {n}", n=copy["copy"]), cls="fg-copy"), copy) for copy in one["copies"]]
    head = tag("tr", *(tag("th", name) for name in (say("place"), say("state"), say("by"), say("when"))))
    return tag("div", tag("table", tag("thead", head), tag("tbody", *rows), cls="cd-table fg-tests"), cls="cd-scroll")


def _row(name: Markup, one: dict[str, Any]) -> Markup:
    who = "" if one["by"] is None else say("the desk itself") if one["by"] == DESK_ITSELF else person_name(one["by"])
    kept = None
    if one["state"] == "kept":
        kept = tag("div", phrase("until {day}: {rule}", day=tag("b", exact_day(one["until"])), rule=rule_words(one["rule"]) or say("by rule")), cls="cd-small")
    found = None
    if one.get("found"):
        found = tag("div", say_count("{n} place", "{n} places", int(one["found"])), cls="cd-muted cd-small")
    elif one["state"] == "done":
        found = tag("div", say("nothing there"), cls="cd-muted cd-small")
    return tag("tr", tag("td", name), tag("td", state_badge(one["state"]), kept, found), tag("td", who), tag("td", exact(one["at"]), cls="cd-nowrap"))


def _verification(found: dict[str, Any] | None) -> Markup:
    head = tag("h2", say("Looked for afterwards"), cls="cd-heading")
    if found is None:
        return join((head, tag("p", say("Not yet."), cls="cd-muted cd-small")))
    left = say_count("{n} place held something of it", "{n} places held something of it", int(found.get("left") or 0)) if found.get("left") else say("nothing left of it was found")
    ways = say_count("{n} way of asking", "{n} ways of asking", int(found.get("asked_again") or 0))
    again = phrase_count("in {ways}, in fresh sessions: {n} answer gave something back", "in {ways}, in fresh sessions: {n} answers gave something back", int(found.get("given_back") or 0), ways=ways)
    size = phrase("{files}, {size}", files=say_count("{n} file and every table", "{n} files and every table", int(found.get("files") or 0)), size=size_words(int(found.get("bytes") or 0)))
    also = None
    places = int(found.get("also_places") or 0) + int(found.get("names") or 0)
    if places:
        also = say_count(
            "The same words also stand in {n} place of other records, which were not part of the request.",
            "The same words also stand in {n} places of other records, which were not part of the request.", places,
        )  # fmt: skip
    look = None
    if found.get("to_look_at"):
        look = say_count("in {n} text, perhaps by chance: somebody has to look", "in {n} texts, perhaps by chance: somebody has to look", int(found["to_look_at"]))
    marker = None if found.get("marker") is None else say_count("found {n} time", "found {n} times", int(found["marker"]))
    return join((
        head, tag("p", proof_badge(bool(found["ok"])), " ", tag("span", exact(found.get("at")), cls="cd-muted cd-small")),
        facts(
            (say("searched"), size), (say("result"), left), (say("also said elsewhere"), also), (say("single words of it"), look), (say("made-up marker"), marker), (say("asked for again"), again),
            (say("not searched"), say_count("{n} word, too short or common", "{n} words, too short or common", int(found["not_searched"])) if found.get("not_searched") else None),
        ),
    ))  # fmt: skip
