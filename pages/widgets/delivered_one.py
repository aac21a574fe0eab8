"""One artifact as something that went out: editions, recipients, and the ways to put it right."""

from __future__ import annotations

from functools import partial

import streamlit as st

from pages.widgets.callbacks import uninterrupted
from pages.widgets.candidate_place import mark_of
from pages.widgets.decision_guard import counts, take_ignored
from pages.widgets.delivery_act import once, operation
from pages.widgets.delivery_place import DeliveryPlace
from pages.widgets.delivery_words import remedy_badge
from pages.widgets.desk import Desk, address, attempt, note_done, person_name, record_link, show_notices
from pages.widgets.language import phrase, say, say_count
from pages.widgets.markup import draw, long_text, tag
from pages.widgets.moments import from_micros, when
from pages.widgets.status import badge, icon
from pages.widgets.veil import draw_veil_band
from store import ArtifactPaper, note_remedy, propose_edition, record_delivery, view_delivered

_LONGEST_NOTE = 4_000
_SHOWN = 100
#: Characters from which a text gets a tall field; heights in pixels.
_LONG, _TALL, _LOW = 400, 360, 150


def draw_artifact(desk: Desk, place: DeliveryPlace) -> None:
    """Draw one artifact.

    Raises:
        Refusal: it is not there, is no artifact, or may not be seen.
    """
    paper = view_delivered(desk.store, desk.person, place.tenant or "", place.artifact or "")
    row = paper.row
    draw(tag("div", tag("a", say("‹ What went out"), cls="cd-link", href=place.link(artifact=None)), cls="cd-kicker"))
    draw(
        tag("h1", row.title[:220], cls="cd-title"),
        tag("div", badge(row.status.name, "artifact"), remedy_badge(row.remedy, needs=row.needs_remedy), tag("span", say("edition {n}", n=row.edition), cls="cd-muted"),
            tag("span", phrase("owner {owner}", owner=person_name(row.owner)[:120] if row.owner else say("nobody")), cls="cd-muted"),
            record_link(row.id, row.tenant, say("Record")), cls="cd-counts"),
    )  # fmt: skip
    draw_veil_band(desk, row.tenant, row.id, paper.version, paper.veiled, None)
    show_notices()
    if take_ignored():
        draw(tag("div", say("That press was too soon after the last one and did nothing."), cls="cd-band"))
    if row.needs_remedy:
        people = tag("b", say_count("{n} recipient", "{n} recipients", len({one.recipient for one in row.deliveries})))
        draw(tag("p", phrase("It went to {people}, and what it rests on has changed.", people=people), cls="cd-lead"))
    if row.remedy_text:
        draw(tag("div", long_text(row.remedy_text, 600), cls="cd-band"))
    if row.replaced_by is not None:
        draw(tag("div", icon("published_with_changes"), phrase("Replaced by {other}", other=record_link(row.replaced_by, row.tenant)), cls="cd-band"))
    left, right = st.columns([60, 40], gap="large")
    with left:
        _draw_remedies(desk, place, paper)
    with right:
        _draw_editions(place, paper)
        _draw_recipients(paper)
        if paper.may_propose and row.status.name not in ("CANDIDATE", "REJECTED"):
            _draw_delivery_form(desk, paper)


def _draw_editions(place: DeliveryPlace, paper: ArtifactPaper) -> None:
    lines = []
    for name, edition, status in paper.editions:
        words = say("edition {n}", n=edition)
        link = tag("b", words) if name == paper.row.id else tag("a", words, cls="cd-link", href=place.link(artifact=name))
        decide = None
        if status.name == "CANDIDATE":
            decide = tag("a", say("decide about it"), cls="cd-link", href=address("candidates", candidate=name, tenant=paper.row.tenant, scope=place.scope))
        lines.append(tag("li", link, " ", badge(status.name, "artifact"), " ", decide))
    draw(tag("h2", say("Editions"), cls="cd-heading"), tag("ul", *lines, cls="cd-list"))


def _draw_recipients(paper: ArtifactPaper) -> None:
    went = paper.row.deliveries
    draw(tag("h2", say("Went to"), cls="cd-heading"))
    if not went:
        draw(tag("p", say("It has not been delivered to anybody."), cls="cd-muted cd-small"))
        return
    head = tag("tr", *(tag("th", word) for word in (say("to"), say("by"), say("when"))))
    rows = [
        tag("tr", tag("td", long_text(person_name(one.recipient), 120)), tag("td", long_text(one.channel, 60)),
            tag("td", when(from_micros(one.delivered_at)) if one.delivered_at is not None else say("at an unknown time"), cls="cd-muted"))
        for one in went[:_SHOWN]
    ]  # fmt: skip
    more = tag("p", say_count("and {n} more", "and {n} more", len(went) - _SHOWN), cls="cd-muted cd-small") if len(went) > _SHOWN else None
    draw(tag("table", head, *rows, cls="cd-table"), more)


def _draw_remedies(desk: Desk, place: DeliveryPlace, paper: ArtifactPaper) -> None:
    row = paper.row
    waiting = next((name for name, _, status in paper.editions if status.name == "CANDIDATE"), None)
    key = f"delivery.artifact.{mark_of(row.tenant, row.id, row.status, row.remedy, len(paper.editions), len(row.deliveries))}"
    draw(tag("h2", say("A new edition"), cls="cd-heading"))
    if waiting is not None:
        link = tag("a", say("Decide about it"), cls="cd-link cd-button cd-primary", href=address("candidates", candidate=waiting, tenant=row.tenant, scope=place.scope))
        draw(tag("p", say("The next edition waits to be decided. Approving it replaces this one."), cls="cd-muted"), tag("div", link, cls="cd-actions"))
    elif not paper.may_propose:
        draw(tag("p", say("Proposing one takes the role of a proposer in its scope."), cls="cd-muted cd-small"))
    elif paper.veiled:
        draw(tag("p", say("Its text is veiled. Show it first; then the new edition can be written."), cls="cd-muted cd-small"))
    elif not paper.rests_on:
        draw(tag("p", say("Nothing of what it rests on stands. Settle that first; then the new edition has something to rest on."), cls="cd-band"))
    else:
        _draw_edition_form(desk, place, paper, key)
    if paper.body and (waiting is not None or not paper.may_propose or not paper.rests_on):
        draw(tag("div", tag("div", long_text(paper.body, 6_000, 100_000), cls="cd-passage"), cls="cd-card"))
    if row.may_decide and row.deliveries and row.status.name == "STALE":
        _draw_note_forms(desk, paper, key)


def _draw_edition_form(desk: Desk, place: DeliveryPlace, paper: ArtifactPaper, key: str) -> None:
    row = paper.row
    with st.form(f"{key}.edition", border=False, enter_to_submit=False):
        st.text_area(say("Text of the new edition"), paper.body or "", key=f"{key}.body", height=_TALL if len(paper.body or "") > _LONG else _LOW)
        links = [tag("li", record_link(name, row.tenant)) for name in paper.rests_on[:_SHOWN]]
        words = say_count("It will rest on {n} record", "It will rest on {n} records", len(paper.rests_on))
        draw(tag("details", tag("summary", words), tag("ul", *links, cls="cd-list"), cls="cd-more"))
        st.form_submit_button(say("Propose the new edition"), type="primary", key=f"{key}.propose", on_click=_propose, args=(desk, place, paper, f"{key}.body"))
    draw(tag("p", say("It is a candidate until somebody else approves it, and then takes this one's place."), cls="cd-muted cd-small"))


@uninterrupted
def _propose(desk: Desk, place: DeliveryPlace, paper: ArtifactPaper, key: str) -> None:
    if not counts():
        return
    row, body = paper.row, str(st.session_state.get(key) or "") or None
    rests_on = list(paper.rests_on)
    done = attempt(lambda: propose_edition(desk.store, desk.person, row.tenant, row.id, body=body, derived_from=rests_on, operation=operation("edition", key, body, *rests_on)))
    if done is not None:
        link = (say("Decide about it"), address("candidates", candidate=str(done["proposed"]), tenant=row.tenant, scope=place.scope))
        note_done(say("Edition {n} is proposed.", n=done["edition"]), link)


def _draw_note_forms(desk: Desk, paper: ArtifactPaper, key: str) -> None:
    draw(tag("h2", say("Or without one"), cls="cd-heading"))
    forms = (
        ("annotation", say("An annotation"), say("What whoever holds it should know"), say("Keep the annotation"), say("The annotation is kept.")),
        ("none", say("Nothing, because"), say("Why nothing is done about it"), say("Leave it as it is"), say("Left as it is, with the reason.")),
    )
    for way, title, label, button, said in forms:
        with st.expander(title), st.form(f"{key}.{way}", border=False, enter_to_submit=False):
            st.text_area(label, key=f"{key}.{way}.text", height=88, max_chars=_LONGEST_NOTE)
            st.form_submit_button(button, key=f"{key}.{way}.go", on_click=_note, args=(desk, paper, way, f"{key}.{way}.text", said))


@uninterrupted
def _note(desk: Desk, paper: ArtifactPaper, way: str, key: str, said: str) -> None:
    row, text = paper.row, str(st.session_state.get(key) or "")
    once(said, partial(note_remedy, desk.store, desk.person, row.tenant, row.id, way, text, operation=operation("remedy", key, way, text)))


def _draw_delivery_form(desk: Desk, paper: ArtifactPaper) -> None:
    row = paper.row
    key = f"delivery.record.{mark_of(row.tenant, row.id, len(row.deliveries))}"
    with st.expander(say("Record a delivery")), st.form(key, border=False, enter_to_submit=False):
        if row.status.name in ("STALE", "SUPERSEDED", "REVOKED"):
            draw(tag("div", icon("warning"), say("It no longer stands. Whoever got it will be in the next messages that are drafted."), cls="cd-band cd-warnband"))
        st.text_input(say("It went to"), key=f"{key}.to", max_chars=400, placeholder=say("A mail address, a name, a list"))
        st.text_input(say("By"), say("email"), key=f"{key}.channel", max_chars=400)
        st.form_submit_button(say("Record it"), key=f"{key}.go", on_click=_record, args=(desk, paper, key))


@uninterrupted
def _record(desk: Desk, paper: ArtifactPaper, key: str) -> None:
    row = paper.row
    to, channel = (str(st.session_state.get(f"{key}.{name}") or "").strip() for name in ("to", "channel"))
    if not counts():
        return
    done = attempt(partial(record_delivery, desk.store, desk.person, row.tenant, row.id, to, channel, operation=operation("deliver", key, to, channel)))
    if done is None:
        return
    if done["to_tell"]:
        note_done(say("The delivery is recorded. It no longer stands, so {who} is to be told.", who=to[:120]), (say("Messages"), DeliveryPlace(desk.scope).link()))
    else:
        note_done(say("The delivery is recorded."))
