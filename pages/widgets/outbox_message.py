"""One message: whom it goes to, its words, what it tells of, and what can be done with it now."""

from __future__ import annotations

import streamlit as st

from pages.widgets.decision_guard import take_ignored
from pages.widgets.delivery_act import act, mark_message, save, send
from pages.widgets.delivery_place import DeliveryPlace
from pages.widgets.delivery_words import state_badge
from pages.widgets.desk import Desk, address, person_name, record_link, show_notices
from pages.widgets.labels import label_text
from pages.widgets.language import phrase, say
from pages.widgets.markup import Markup, draw, join, tag
from pages.widgets.moments import from_micros, when
from pages.widgets.outbox_list import documents_words
from pages.widgets.outbox_sending import usable_settings
from pages.widgets.status import icon
from pages.widgets.veil import behind_veil
from store import MailSettings, MessageRow, view_message, write_message_file

_LONGEST_SUBJECT = 300


def draw_message(desk: Desk, place: DeliveryPlace) -> None:
    """Draw one message.

    Raises:
        Refusal: it is not there, or tells of something this person may not see.
    """
    row = view_message(desk.store, desk.person, place.tenant or "", place.message or "")
    draw(tag("div", tag("a", say("‹ Messages"), cls="cd-link", href=place.link(message=None)), cls="cd-kicker"))
    draw(tag("h1", phrase("To {recipient}", recipient=person_name(row.recipient)[:200]), cls="cd-title"), tag("div", state_badge(row), tag("span", documents_words(row), cls="cd-muted"), cls="cd-counts"))
    show_notices()
    if take_ignored():
        draw(tag("div", say("That press was too soon after the last one and did nothing."), cls="cd-band"))
    settings = usable_settings()
    _draw_next(row, settings)
    left, right = st.columns([64, 36], gap="large")
    with left:
        if not row.may_decide:
            draw(tag("p", say("You may read it. Approving and sending it takes the role of a reviewer of all it tells of."), cls="cd-muted cd-small"))
        if row.may_decide and row.state == "drafted":
            _draw_form(desk, row)
            _draw_buttons(desk, row, settings)
        elif row.may_decide and row.state == "failed":
            _draw_buttons(desk, row, settings)
            _draw_form(desk, row)
        else:
            if row.may_decide:
                _draw_buttons(desk, row, settings)
            draw(tag("h2", row.subject[:400], cls="cd-heading"), tag("div", tag("div", row.body, cls="cd-passage cd-whole dv-body"), cls="cd-card"))
    with right:
        _draw_documents(row)
        _draw_facts(row, place)


def _draw_next(row: MessageRow, settings: MailSettings | None) -> None:
    words = None
    if row.failure and row.state in ("failed", "sending"):
        draw(tag("div", icon("error"), row.failure[:600], cls="cd-band cd-badband"))
    if row.state == "sending" and not row.unknown:
        words = say("It is being sent just now. Look again in some minutes.")
    elif row.state == "sending":
        words = say("It was handed over, and nobody knows whether it arrived. Ask {who}, then say so; it is not sent again by itself.", who=person_name(row.recipient)[:120])
    elif row.state in ("approved", "failed") and settings is None:
        words = say("No mail server is set up. Take the message as a file, or tell {who} in another way, and note it.", who=person_name(row.recipient)[:120])
    elif row.state in ("approved", "failed") and row.address is None:
        words = say("There is no mail address. Give one, or tell {who} in another way, and note it.", who=person_name(row.recipient)[:120])
    if words:
        draw(tag("div", words, cls="cd-band cd-warnband"))


def _draw_form(desk: Desk, row: MessageRow) -> None:
    key = f"delivery.message.{mark_message(row)}"
    with st.form(key, border=False, enter_to_submit=False):
        st.text_input(say("Mail address"), row.address or "", key=f"{key}.address", max_chars=320)
        st.text_input(say("Subject"), row.subject, key=f"{key}.subject", max_chars=_LONGEST_SUBJECT)
        st.text_area(say("Text"), row.body, key=f"{key}.body", height=360)
        with st.container(horizontal=True):
            words = say("Approve as {name}", name=label_text(desk.actor.name, 40))
            st.form_submit_button(words, type="primary" if row.state == "drafted" else "secondary", key=f"{key}.approve", on_click=save, args=(desk, row, key), kwargs={"then_approve": True})
            st.form_submit_button(say("Save"), key=f"{key}.save", on_click=save, args=(desk, row, key), kwargs={"then_approve": False})


def _draw_buttons(desk: Desk, row: MessageRow, settings: MailSettings | None) -> None:
    key = f"delivery.act.{mark_message(row)}"

    def button(words: str, what: str, *, primary: bool = False) -> None:
        st.button(words, key=f"{key}.{what}", type="primary" if primary else "secondary", on_click=act, args=(desk, row, what))

    out = row.state in ("approved", "failed")
    can_send = out and settings is not None and row.address is not None
    with st.container(horizontal=True, key="dv_buttons"):
        if can_send:
            words = say("Send") if row.state == "approved" else say("Send again")
            st.button(words, key=f"{key}.send", type="primary", icon=":material/send:", on_click=send, args=(desk, row))
        elif row.state != "cancelled":
            # The file is made on click only.
            st.download_button(
                say("Download .eml"), behind_veil(lambda: write_message_file(desk.store, desk.person, row.tenant, row.id, name=f"{row.id}.eml")), f"{row.id}.eml", "message/rfc822", key=f"{key}.file",
                on_click="ignore", icon=":material/download:",
            )  # fmt: skip
        if out:
            button(say("Told by hand"), "told", primary=not can_send)
        if row.state == "approved":
            button(say("Make it a draft again"), "reopen")
        if row.state == "sent":
            button(say("Mark as seen"), "seen", primary=True)
        if row.unknown:
            button(say("It arrived"), "arrived", primary=True)
            button(say("It did not: send again"), "again")
        if row.state in ("drafted", "approved", "failed"):
            button(say("Cancel the message"), "cancel")


def _draw_documents(row: MessageRow) -> None:
    if row.asks_holder:
        words = say("The files it asks for stand in the register of exports. Once their holder has answered, record there that they are destroyed.")
        draw(tag("h2", say("Why it is written"), cls="cd-heading"), tag("p", say("Something in a file they hold is to be forgotten."), " ", words))
        return
    lines = [
        tag("li", record_link(name, row.tenant, title[:200]), tag("div", say("edition {n}", n=edition), cls="cd-muted cd-small"))
        for name, title, edition in row.documents
    ]  # fmt: skip
    draw(tag("h2", say("What it tells of"), cls="cd-heading"), tag("ul", *lines, cls="cd-list"))


def _draw_facts(row: MessageRow, place: DeliveryPlace) -> None:
    pairs: list[tuple[str, Markup | str]] = [(say("Drafted"), _by(row.drafted_by, row.drafted_at))]
    if row.address:
        pairs.insert(0, (say("Mail address"), row.address[:320]))
    if row.approved_by is not None and row.approved_at is not None:
        pairs.append((say("Approved"), _by(row.approved_by, row.approved_at)))
    if row.sent_at is not None:
        pairs.append((say("Out"), when(from_micros(row.sent_at))))
    if row.seen_at is not None:
        pairs.append((say("Seen"), when(from_micros(row.seen_at))))
    if row.attempts:
        pairs.append((say("Tried"), say("{n} times", n=row.attempts) if row.attempts > 1 else say("once")))
    if row.correction is not None:
        pairs.append((say("Correction"), tag("a", row.correction, cls="cd-link", href=address("corrections", case=row.correction, tenant=row.tenant, scope=place.scope))))
    draw(tag("dl", *(join((tag("dt", name), tag("dd", value))) for name, value in pairs), cls="cd-facts"))


def _by(person: str, at: int) -> Markup:
    return phrase("{when} by {name}", when=when(from_micros(at)), name=person_name(person)[:120])
