"""Choosing what turned out to be wrong: a search on the server, and what suggests itself."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from pages.widgets.callbacks import uninterrupted
from pages.widgets.desk import Desk
from pages.widgets.language import number, quote_store, say
from pages.widgets.markup import Markup, draw, join, tag
from pages.widgets.plan_made import draw_made
from pages.widgets.plan_state import Place, read_place
from pages.widgets.plan_words import VERB_LABELS, VERB_MEANS, label_beside, say_made, several
from pages.widgets.status import badge, icon
from store import Pick, Verb, find_picks, suggest_picks

_FIND = "revoke.find"
_KIND_ICONS = {"source": "folder_open", "evidence": "draft", "claim": "notes", "artifact": "description"}


def choose_tenant(desk: Desk, place: Place) -> None:
    """Ask in whose records to look, where there are several tenants."""
    draw(
        tag("p", say("Choose whose records to look in."), cls="cd-lead"),
        tag("div", *(tag("a", name, cls="cd-link cd-chip", href=place.link(tenant=name)) for name in desk.tenants), cls="cd-chips"),
    )


@uninterrupted
def _find_typed(desk: Desk) -> None:
    replace(read_place(desk), find=st.session_state[_FIND].strip()[:200]).go()


def draw_picker(desk: Desk, tenant: str, place: Place) -> None:
    """Draw the search and what it finds, or what suggests itself; or the words by which one picks what something made."""
    if place.by:
        draw_made(desk, tenant, place)
        return
    if st.session_state.get(_FIND) != place.find:
        st.session_state[_FIND] = place.find
    st.text_input(
        say("Search sources, their versions, claims and artifacts by title, id or subject"), key=_FIND, icon=":material/search:", live="300ms",
        placeholder=say("Title, id or subject"), on_change=_find_typed, args=(desk,),
    )  # fmt: skip
    by = tag("a", icon("smart_toy"), say("By what made them: an extractor, an import, a task, a proposer…"), cls="cd-link", href=place.link(by=True, find=""))
    draw(tag("div", by, cls="cd-small"))
    if place.find:
        found = [pick for pick in find_picks(desk.store, desk.person, tenant, place.find) if pick.id not in place.picks]
        if found:
            draw(_table(found, place, tenant))
        else:
            draw(tag("div", tag("b", say("Nothing found")), say("Try another word of the title, the id, or the subject of a claim."), cls="cd-empty"))
        return
    hints = suggest_picks(desk.store, desk.person, tenant)
    if hints["suspended"]:
        draw(tag("h2", say("Out of use for now"), cls="cd-heading"), _table(hints["suspended"], place, tenant))
    heavy = [pick for pick in hints["heavy"] if pick.id not in place.picks]
    if heavy:
        draw(tag("h2", say("What most rests on"), cls="cd-heading"), _table(heavy, place, tenant))
    if not heavy and not hints["suspended"]:
        draw(
            tag(
                "div",
                tag("b", say("There is nothing here that you may see")),
                say("Choosing what to take out of use takes the role of a reviewer."),
                cls="cd-empty",
            )
        )


def _table(found: list[Pick], place: Place, tenant: str) -> Markup:
    rows = [tag("div", *(tag("span", word) for word in ("", say("status"), say("owner"), say("rest on it"), say("delivered"))), cls="cd-pick cd-pickhead")]
    for pick in found:
        reach = several(pick.reach, "record") if pick.exact else say("at least {n}", n=number(pick.reach))
        rows.append(
            tag(
                "a",
                tag("span", icon(_KIND_ICONS[pick.kind]), tag("b", pick.title[:200]), tag("small", quote_store(label_beside(pick.title, pick.label)), " · ", tag("span", pick.id[:120], cls="cd-id"), cls="cd-muted"), cls="cd-what"),
                tag("span", _statuses(pick)), tag("span", pick.owner or tag("em", say("nobody"))), tag("span", reach, cls="cd-num"),
                tag("span", number(pick.delivered) if pick.delivered else "–", cls="cd-num"),
                cls="cd-link cd-pick", title=say("Choose this"),
                href=place.link(picks=(*place.picks, pick.id), tenant=place.tenant or (tenant if place.tenant else None), find="", adding=False, do=_fitting(pick, place)),
            )
        )  # fmt: skip
    return tag("div", *rows, cls="cd-picks")


def _fitting(pick: Pick, place: Place) -> Verb:
    """Return what one would do with it: what is out of use for now can be used again."""
    if place.chosen:
        return place.do
    return Verb.REINSTATE if set(pick.statuses) == {"DISPUTED"} else Verb.SUSPEND


def _statuses(pick: Pick) -> Markup:
    kind = "evidence" if pick.kind == "source" else pick.kind
    if len(pick.statuses) == 1:
        return badge(next(iter(pick.statuses)), kind)
    return join((tag("span", f"{count}× ", badge(status, kind)) for status, count in pick.statuses.items()), "  ")


def draw_chosen(place: Place, chosen: dict[str, Pick]) -> None:
    """Draw what was picked, each with a way to take it off the list, and what may be done with it."""
    chips = []
    for one in place.picks:
        pick = chosen.get(one)
        rest = tuple(other for other in place.picks if other != one)
        chips.append(
            tag(
                "span", icon(_KIND_ICONS[pick.kind]) if pick else None, tag("b", (pick.title if pick else one)[:120]),
                tag("span", _statuses(pick) if pick else say("not found"), cls="cd-muted"),
                tag("a", icon("close"), cls="cd-link cd-off", title=say("Take off the list"), label=say("Take off the list"), href=place.link(picks=rest)), cls="cd-chip",
            )
        )  # fmt: skip
    if place.made:
        off = tag("a", icon("close"), cls="cd-link cd-off", title=say("Take off the list"), label=say("Take off the list"), href=place.link(made=()))
        change = tag("a", say("change"), cls="cd-link", href=place.link(by=True, adding=True))
        chips.append(tag("span", icon("smart_toy"), tag("b", say_made(dict(place.made))), change, off, cls="cd-chip"))
    chips.append(tag("a", icon("add"), say("Add another"), cls="cd-link cd-add", href=place.link(adding=not place.adding)))
    draw(tag("div", *chips, cls="cd-chips"))
    suspended = bool(place.made) or any("DISPUTED" in pick.statuses for pick in chosen.values())
    verbs = [Verb.SUSPEND, Verb.REVOKE, *([Verb.REINSTATE] if suspended or place.do is Verb.REINSTATE else [])]
    links = [
        tag(
            "a",
            say(VERB_LABELS[verb]),
            cls="cd-link cd-verb cd-here" if verb is place.do else "cd-link cd-verb",
            title=say(VERB_MEANS[verb]),
            href=place.link(do=verb),
        )
        for verb in verbs
    ]
    draw(tag("nav", *links, cls="cd-verbs", label=say("What to do with it")), tag("p", say(VERB_MEANS[place.do]), cls="cd-muted cd-small cd-means"))
