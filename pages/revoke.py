"""Revoke and preview: pick what turned out to be wrong, see everything it would reach, commit exactly that."""

from __future__ import annotations

import streamlit as st

from pages.widgets.desk import Desk, address, attempt, open_desk, show_notices, take_refusal
from pages.widgets.language import phrase, quote_store, say
from pages.widgets.markup import draw, tag
from pages.widgets.plan_commit import draw_commit
from pages.widgets.plan_pick import choose_tenant, draw_chosen, draw_picker
from pages.widgets.plan_preview import draw_export, draw_jump, draw_limits, draw_lists, draw_picture, draw_preview
from pages.widgets.plan_result import draw_result
from pages.widgets.plan_state import Place, drift_of, pick_plan, read_place, rehearsal_of, tenant_of_place
from pages.widgets.plan_words import VERB_REFUSED
from pages.widgets.rehearsal_save import draw_save
from pages.widgets.rehearsal_words import plain_plan_words
from store import describe_picks


def _draw_plan(desk: Desk, tenant: str, place: Place) -> None:
    chosen = describe_picks(desk.store, desk.person, tenant, place.picks)
    draw_chosen(place, chosen)
    if len(place.picks) == 1 and place.picks[0] in chosen and chosen[place.picks[0]].kind == "source":
        href = address("sources", source=place.picks[0], tenant=tenant, do="recapture", scope=place.scope)
        link = tag("a", say("Compare first"), cls="cd-link", href=href)
        draw(tag("div", phrase("Have the corrected document? {compare}: only passages that really changed fall.", compare=link), cls="cd-muted cd-small"))
    if place.adding or place.by:
        draw_picker(desk, tenant, place)
    if place.by:
        return
    refused = take_refusal()
    found = attempt(lambda: rehearsal_of(desk, tenant, pick_plan(place.do, place.picks, place.made)))
    if found is None:
        refusal = take_refusal()
        why = "" if refusal is None else say(VERB_REFUSED[place.do]) if refusal["code"] == "illegal_step" else quote_store(refusal["message"])
        draw(tag("div", tag("b", say("This cannot be done.")), " ", why, cls="cd-band cd-badband"))
        return
    drift = drift_of(desk, found)
    left, right = st.columns([7, 3], gap="large")
    with left:
        draw_preview(desk, found, drift)
        draw_lists(desk, found, place)
        draw_limits(found)
        draw_jump(say("Commit exactly this"))
    with right, st.container(key="revoke.card"):
        draw_commit(desk, found, drift, place, refused)
        if drift is None and found.complete:
            draw_save(desk, tenant, found.plan, found.fingerprint, name=plain_plan_words(found.plan, found.words), correction=place.correction)
        draw_export(desk, found)
    draw_picture(found, place)


def _draw(desk: Desk, place: Place) -> None:
    tenant = tenant_of_place(desk, place)
    if place.done is not None and tenant is not None:
        draw_result(desk, tenant, place)
        return
    if tenant is None:
        choose_tenant(desk, place)
    elif place.picks or (place.made and not place.by):
        _draw_plan(desk, tenant, place)
    else:
        draw(
            tag(
                "p",
                phrase(
                    "Choose what turned out to be wrong. {nothing} before you have seen everything it would reach, and said so.",
                    nothing=tag("b", say("Nothing changes")),
                ),
                cls="cd-lead",
            )
        )
        saved = tag("a", say("Plans saved before"), cls="cd-link", href=address("rehearsals", scope=desk.scope))
        draw(tag("p", saved, cls="cd-muted cd-small"))
        draw_picker(desk, tenant, place)


def main() -> None:
    """Draw the page."""
    desk = open_desk()
    place = read_place(desk)
    draw(tag("h1", say("Revoke and preview") if place.done is None else say("What the plan did"), cls="cd-title"))
    attempt(lambda: _draw(desk, place))
    show_notices()


main()
