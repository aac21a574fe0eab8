"""The outbox: what stands in no message yet, how many messages are in each state, and the messages themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from pages.widgets.candidate_place import mark_of
from pages.widgets.delivery_act import approve_many, draft, mark_message
from pages.widgets.delivery_place import DeliveryPlace
from pages.widgets.delivery_words import STATES, state_badge
from pages.widgets.desk import Desk, person_name, show_notices
from pages.widgets.labels import label_text
from pages.widgets.language import number, phrase, phrase_count, say, say_count
from pages.widgets.markup import Markup, draw, join, tag
from pages.widgets.moments import from_micros, when
from pages.widgets.outbox_sending import draw_send_all, draw_sending, send_many, usable_settings
from pages.widgets.status import icon
from store import MessageRow, Outbox, list_messages

_SHOWN = 100
#: Messages ticked and decided about at once.
_MANY = 50


def draw_outbox(desk: Desk, place: DeliveryPlace) -> None:
    """Draw the outbox."""
    draw_sending(desk)
    box = list_messages(desk.store, desk.person, scope=desk.scope, correction=place.correction, state=place.state, after=place.page, most=_SHOWN)
    _draw_sentence(box)
    show_notices()
    _draw_untold(desk, place, box)
    if not sum(box.counts.values()):
        if not box.untold:
            words = say("When something that was delivered no longer stands, the messages about it are drafted here.")
            draw(tag("div", icon("outbox"), tag("b", say("No message is here")), tag("div", words), cls="cd-empty"))
        return
    draw(_chips(place, box))
    if not box.rows:
        draw(tag("div", tag("b", say("None of them")), tag("a", say("Show all"), cls="cd-link", href=place.link(state=None)), cls="cd-empty"))
        return
    if box.counts["approved"] > 1 and place.state in (None, "approved") and usable_settings() is not None:
        draw_send_all(desk, place, box.counts["approved"])
    draw(tag("ul", *(_line(row, place) for row in box.rows), cls="dv-rows"))
    first = tag("a", icon("first_page"), say("To the beginning"), cls="cd-link", href=place.link()) if place.page else None
    on = tag("a", say("On"), icon("chevron_right"), cls="cd-link", href=place.link(page=box.after)) if box.after is not None else None
    if first or on:
        draw(tag("div", first, on, cls="cd-pager"))
    _draw_many(desk, box)


def _draw_sentence(box: Outbox) -> None:
    if box.waiting:
        things = tag("b", say_count("{n} message", "{n} messages", box.waiting))
        sentence = phrase_count("{things} is not out yet.", "{things} are not out yet.", box.waiting, things=things)
    elif box.untold:
        sentence = _untold_words(sum(untold for _, untold in box.untold))
    elif sum(box.counts.values()):
        sentence = phrase("{all} is told.", all=tag("b", say("Everybody")))
    else:
        sentence = phrase("{nobody} is to be told anything.", nobody=tag("b", say("Nobody")))
    failed = say_count("{n} failed.", "{n} failed.", box.counts["failed"]) if box.counts["failed"] else None
    lost = box.counts["unknown"]
    unknown = say_count("Of {n} nobody knows whether it arrived.", "Of {n} nobody knows whether they arrived.", lost) if lost else None
    draw(tag("p", join([one for one in (sentence, failed, unknown) if one], " "), cls="cd-lead"))


def _untold_words(untold: int) -> Markup:
    things = tag("b", say_count("{n} thing", "{n} things", untold))
    return phrase_count("{things} to tell stands in no message yet.", "{things} to tell stand in no message yet.", untold, things=things)


def _draw_untold(desk: Desk, place: DeliveryPlace, box: Outbox) -> None:
    for tenant, untold in box.untold:
        with st.container(key=f"dv_untold_{mark_of(tenant)}"):
            if box.waiting or len(box.untold) > 1:
                draw(tag("div", icon("campaign"), _untold_words(untold), tag("div", tenant, cls="cd-muted cd-small") if len(box.untold) > 1 else None, cls="cd-band cd-warnband"))
            st.button(say("Draft messages"), key=f"delivery.draft.{mark_of(tenant)}", type="primary", on_click=draft, args=(desk, tenant, place.correction, untold))


def _chips(place: DeliveryPlace, box: Outbox) -> Markup:
    chips = [
        tag("a", icon(symbol), say(word), " ", tag("b", number(box.counts[name])), cls="cd-link cy-pick" + (" dv-here" if place.state == name else ""),
            href=place.link(state=None if place.state == name else name))
        for name, (word, symbol, _) in STATES.items() if box.counts[name] or place.state == name
    ]  # fmt: skip
    return tag("nav", *chips, cls="cy-picks", label=say("What is shown"))


def documents_words(row: MessageRow) -> str:
    """Return in a few words what a message tells of."""
    if not row.documents:
        return row.subject[:200]
    title, edition = row.documents[0][1], row.documents[0][2]
    first = say("{title}, edition {n}", title=title[:120], n=edition)
    rest = len(row.documents) - 1
    return say_count("{first} and {n} more", "{first} and {n} more", rest, first=first) if rest else first


def _line(row: MessageRow, place: DeliveryPlace) -> Markup:
    moment = row.seen_at or row.sent_at or row.approved_at or row.drafted_at
    no_address = tag("span", icon("alternate_email"), say("no mail address"), cls="cd-lost") if row.address is None and row.state in ("drafted", "approved", "failed") else None
    why = tag("div", row.failure[:240], cls="dv-why cd-red") if row.failure and row.state in ("failed", "sending") else None
    return tag(
        "li",
        tag("div", tag("a", person_name(row.recipient)[:160], cls="cd-link dv-name", href=place.link(message=row.id, tenant=row.tenant)), " ", no_address,
            tag("div", documents_words(row), cls="dv-why"), why, cls="dv-what"),
        tag("div", state_badge(row), tag("small", when(from_micros(moment)), cls="cd-muted"), cls="dv-state"),
    )  # fmt: skip


# --- several at once ----------------------------------------------------------------------------------------------


def _draw_many(desk: Desk, box: Outbox) -> None:
    settings = usable_settings()
    for tenant in sorted({row.tenant for row in box.rows}):
        its = [row for row in box.rows if row.tenant == tenant and row.may_decide]
        _draw_ticks(desk, "approve", say("Approve several"), say("Approve the ticked as {name}", name=label_text(desk.actor.name, 40)), [row for row in its if row.state == "drafted"], approve_many)
        if settings is not None:
            _draw_ticks(desk, "send", say("Send several"), say("Send the ticked"), [row for row in its if row.state == "approved"], send_many)


def _draw_ticks(desk: Desk, what: str, title: str, words: str, rows: Sequence[MessageRow], do: Callable[[Desk, Sequence[MessageRow], Sequence[str]], None]) -> None:
    if len(rows) < 2:
        return
    some = rows[:_MANY]
    keys = [f"delivery.tick.{what}.{mark_message(row)}" for row in some]
    with st.expander(title), st.form(f"delivery.{what}.{mark_of(*keys)}", border=False, enter_to_submit=False):
        for row, key in zip(some, keys, strict=True):
            what = say("files they hold") if row.asks_holder else say_count("{n} document", "{n} documents", len(row.documents))
            label = say("{who}: {what}", who=label_text(person_name(row.recipient), 60), what=what)
            # One without an address cannot be sent, and is an exception from the start.
            st.checkbox(label, row.address is not None, key=key)
        if len(rows) > _MANY:
            draw(tag("p", say("The first {n} of {all} are listed.", n=number(_MANY), all=number(len(rows))), cls="cd-muted cd-small"))
        st.form_submit_button(words, type="primary", key=f"delivery.{what}.go.{mark_of(*keys)}", on_click=do, args=(desk, some, keys))
