"""The record looked at: what it lost, what remains, what its passages say now, who is told; and what may be decided."""

from __future__ import annotations

import streamlit as st

from pages.widgets.candidate_passage import is_tabular
from pages.widgets.desk import Desk, address, person_name, record_link
from pages.widgets.language import listed, number, phrase, say, say_count
from pages.widgets.markup import Markup, draw, join, long_text, tag
from pages.widgets.moments import from_micros, when
from pages.widgets.revalidate_answer import draw_answering
from pages.widgets.revalidate_changes import draw_changes
from pages.widgets.revalidate_decide import draw_ask, draw_choices, draw_confirm, draw_restore, draw_trigger
from pages.widgets.revalidate_place import Place
from pages.widgets.revalidate_renew import draw_renewing
from pages.widgets.revalidate_words import DATED, FATES, STATES, said_value, say_trigger
from pages.widgets.source_difference import show_side
from pages.widgets.status import badge, icon
from store import STALE_STATES, PassageNow, StaleQueue, StaleRow, StaleView, Support, show_record, view_stale

#: Code points of a passage shown in full.
_SHOWN = 600
#: Supports that were lost and stand open; the others are folded.
_LOST = 8


def draw_detail(desk: Desk, place: Place, queue: StaleQueue, row: StaleRow) -> None:
    """Draw the record and the decisions on it."""
    view = view_stale(desk.store, desk.person, row.tenant, row.id)
    stale = row.state in STALE_STATES
    shown = show_record(desk.store, desk.person, row.tenant, row.id)
    _draw_head(view, row)
    if stale:
        draw_changes(view, held=row.state == "value")
        _draw_supports(view, place, row, int(shown["independent_roots"]))
    for one in view.triggers:
        who = person_name(one.by or "")[:60]
        draw(tag("div", icon("notifications_active"), phrase("{name} said {ago}: {what}.", name=tag("b", who), ago=when(from_micros(one.at)), what=say_trigger(one.name)), cls="cd-band cd-warnband"))
    if view.passages:
        draw(tag("h2", say("What its passages say now"), cls="cd-heading"), *(_passage(one, view, _resting(one, view, place, row)) for one in view.passages))
    _draw_told(view)
    if not view.may_decide:
        draw(tag("div", icon("lock"), tag("b", say("You can look, and not decide.")), " ", say("Deciding takes a reviewer of this scope."), cls="cd-band"))
        return
    with st.container(key="revalidate_decide"):
        if stale and view.artifact_type == "plan":
            draw_choices(place, row)
        if stale and place.do == "answer" and view.kind == "claim":
            draw_answering(desk, place, row)
        elif stale and place.do == "ask":
            draw_ask(desk, place, row, view)
        elif row.state == "back" and row.back_by and place.do != "confirm":
            draw_restore(desk, place, row)
        elif stale:
            draw_confirm(desk, place, queue, row, view)
        elif row.state in DATED:
            draw_renewing(desk, place, row.tenant, (row.id,))
        if row.triggers or row.state == "newer":
            draw_trigger(desk, place, row, view)
    if stale and view.kind == "claim" and place.do != "answer":
        with st.container(key="revalidate_answer"):
            draw_answering(desk, place, row)
    draw(_others(view, place, row))


def _draw_head(view: StaleView, row: StaleRow) -> None:
    word, symbol, tone = STATES[row.state]
    draw(
        tag("div", badge(view.status, view.kind), " · ", tag("span", icon(symbol), say(word), cls=f"cd-status cd-{tone}"), cls="cd-kicker"),
        tag("h2", record_link(view.id, view.tenant, view.title), cls="rv-head"),
        tag("div", long_text(said_value(view.text), 400), cls="cd-value") if view.text is not None else None,
        tag("div", join([part for part in (view.scope, view.owner and person_name(view.owner)[:60], say("version {n}", n=number(view.version))) if part], " · "), cls="cd-muted cd-small"),
    )  # fmt: skip


def _support(one: Support, tenant: str, *actions: Markup | None) -> Markup:
    after = phrase("replaced by {what}", what=record_link(one.successor, tenant)) if one.successor else None
    return tag("li", badge(one.status, one.kind), " ", record_link(one.id, tenant, one.title[:140]), " " if after else None, tag("span", after, cls="cd-muted cd-small") if after else None, *actions)


def _draw_supports(view: StaleView, place: Place, row: StaleRow, roots: int) -> None:
    # What was chosen to be dropped stays in sight.
    seen = [one for at, one in enumerate(view.lost) if at < _LOST or one.id in place.drop]
    lost, folded = ([_support(one, view.tenant, _drop(one, view, place, row)) for one in some] for some in (seen, [one for one in view.lost if one not in seen]))
    if view.hidden:
        lost.append(tag("li", say_count("{n} more that you may not see", "{n} more that you may not see", view.hidden), cls="cd-muted"))
    remaining = [_support(one, view.tenant) for one in view.remaining[:12]]
    if len(view.remaining) > 12:
        remaining.append(tag("li", say_count("{n} more", "{n} more", len(view.remaining) - 12), cls="cd-muted"))
    independent = say_count("{n} independent root is left.", "{n} independent roots are left.", roots)
    draw(
        tag("h2", say("What it lost"), cls="cd-heading"),
        tag("ul", *lost, cls="rv-supports") if lost else tag("p", say("Nothing it rests on is missing any more."), cls="cd-muted"),
        tag("details", tag("summary", say_count("{n} more that it lost", "{n} more that it lost", len(folded))), tag("ul", *folded, cls="rv-supports"), cls="cd-more") if folded else None,
        tag("h2", say("What remains"), cls="cd-heading"),
        tag("ul", *remaining, cls="rv-supports") if remaining else tag("p", say("Nothing."), cls="cd-muted"),
        tag("p", independent, cls="cd-small cd-muted") if remaining else None,
    )  # fmt: skip


def _drop(one: Support, view: StaleView, place: Place, row: StaleRow) -> Markup | None:
    if not view.may_decide:
        return None
    chosen = one.id in place.drop
    rest = tuple(other for other in place.drop if other != one.id)
    words = say("Keep it") if chosen else say("Drop it")
    replaced = tuple(other for other in place.replace if other.partition("=")[0] != one.id)
    asked = place.changed(record=row.id, tenant=row.tenant)
    keep = {"do": "confirm", "whole": place.whole, "add": place.add}
    drop = tag("a", words, cls="cd-link cd-button rv-small" + (" rv-on" if chosen else ""), label=say("{do}: {what}", do=words, what=one.title[:80]),
               href=asked.link(drop=rest if chosen else (*rest, one.id), replace=replaced, **keep))  # fmt: skip
    follow = None
    if one.successor and f"{one.id}={one.successor}" not in place.replace:
        follow = tag("a", say("Rest on {what} instead", what=one.successor[:60]), cls="cd-link cd-button rv-small",
                     href=asked.link(drop=rest, replace=(*replaced, f"{one.id}={one.successor}"), **keep))  # fmt: skip
    return tag("span", drop, follow, cls="rv-do")


def _resting(one: PassageNow, view: StaleView, place: Place, row: StaleRow) -> Markup | None:
    """Return the link that lets a record rest on the words that stand there now, instead of a version it lost; it is confirmed afterwards."""
    if not view.may_decide or view.status != "STALE" or one.current is None or one.span is None or all(lost.id != one.evidence for lost in view.lost):
        return None
    added = f"{one.current}#{one.span}"
    if added in place.add:
        return tag("div", icon("check"), say("It will rest on these words."), cls="cd-small")
    asked = place.changed(record=row.id, tenant=row.tenant)
    drop, kept = tuple(dict.fromkeys((*place.drop, one.evidence))), tuple(pair for pair in place.replace if pair.partition("=")[0] != one.evidence)
    href = asked.link(do="confirm", whole=False, drop=drop, add=(*place.add, added), replace=kept)
    return tag("a", icon("link"), say("Let it rest on these words instead"), cls="cd-link cd-button rv-small", href=href)


def _passage(one: PassageNow, view: StaleView, resting: Markup | None) -> Markup:
    then = phrase("Then, in {what}", what=record_link(one.evidence, view.tenant))
    if one.current is None or one.fate is None:
        return tag("div", tag("div", tag("div", then, cls="cd-where"), _then(one), cls="rv-then"), tag("div", say("No version of this source is in use now."), cls="cd-muted"), cls="rv-pair")
    word, symbol, tone = FATES[one.fate]
    said = tag("div", tag("span", icon(symbol), say(word), cls=f"cd-status cd-{tone}"), cls="rv-fate")
    now = phrase("Now, in {what}", what=record_link(one.current, view.tenant))
    if one.then_pieces or one.now_pieces:
        left = show_side(one.then_pieces, then, say("stands elsewhere in the newer version"))
        right = show_side(one.now_pieces, now, say("stood elsewhere in the older version"))
        around = join((one.before, tag("mark", one.now[:_SHOWN]), one.after))
        context = tag("details", tag("summary", say("What stands around it now")), tag("div", around, cls=_face(one.before + one.now + one.after)), cls="cd-more") if one.before or one.after else None
        return tag("div", said, tag("div", left, right, cls="cs-two rv-two"), resting, context, cls="rv-words")
    inside: list[Markup | str] = [one.before, tag("mark", one.now[:_SHOWN]), one.after] if one.now else [say("Nothing like it was found.")]
    right = tag("div", tag("div", now, cls="cd-where"), tag("div", *inside, cls=_face(one.before + one.now + one.after)))
    return tag("div", tag("div", tag("div", then, cls="cd-where"), _then(one), cls="rv-then"), right, tag("div", said, resting, cls="rv-fate"), cls="rv-pair")


def _face(text: str) -> str:
    return "rv-passage" + (" rv-tabular" if is_tabular(text) else "")


def _then(one: PassageNow) -> Markup:
    return tag("div", tag("mark", one.quote[:_SHOWN]) if one.quote else say("the version as a whole"), cls=_face(one.quote))


def _draw_told(view: StaleView) -> None:
    if not view.owners and not view.recipients:
        return
    parts: list[Markup | str] = []
    if view.owners:
        names = [person_name(owner)[:60] for owner, _ in view.owners[:4]]
        parts.append(phrase("Owners of what rests on it: {names}.", names=listed(names, 4, len(view.owners))))
    if view.recipients:
        held = say_count("{n} recipient holds something that rests on it", "{n} recipients hold something that rests on it", len(view.recipients))
        parts.append(phrase("{held}: {names}.", held=held, names=listed([one[:60] for one in view.recipients[:4]], 4, len(view.recipients))))
    draw(tag("h2", say("Who is told"), cls="cd-heading"), tag("p", join(parts, " "), cls="cd-small"))


def _others(view: StaleView, place: Place, row: StaleRow) -> Markup:
    """Return the other ways to settle it, each where it is done."""
    links = []
    if view.kind == "artifact" and view.status == "STALE" and view.artifact_type != "plan":
        words = say("Propose a new edition")
        links.append(tag("a", icon("library_add"), words, cls="cd-link cd-button", href=address("deliveries", view="delivered", artifact=view.id, tenant=view.tenant, scope=place.scope)))
    source = next((one for one in view.passages if one.current is not None and one.fate not in ("unchanged", "moved", "cosmetic")), None)
    if source is not None and source.current is not None:
        links.append(tag("a", icon("compare"), say("Look at the version in use now"), cls="cd-link cd-button", href=address("record", record=source.current, tenant=view.tenant, scope=place.scope)))
    links.append(
        tag("a", icon("block"), say("Retire it"), cls="cd-link cd-button",
            href=address("revoke", pick=view.id, do="revoke", tenant=view.tenant, correction=place.correction, scope=place.scope))
    )  # fmt: skip
    links.append(tag("a", icon("account_tree"), say("See what is around it"), cls="cd-link cd-button", href=address("dependencies", record=view.id, tenant=row.tenant, scope=place.scope)))
    return tag("div", *links, cls="cd-actions rv-others")
