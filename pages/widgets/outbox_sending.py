"""Sending many messages: one after the other while the page says how far it is, so that stopping or leaving stops between two of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from pages.widgets.callbacks import draw_anew, uninterrupted
from pages.widgets.candidate_place import mark_of
from pages.widgets.decision_guard import counts
from pages.widgets.delivery_act import mark_message, note_sent, operation
from pages.widgets.delivery_place import DeliveryPlace
from pages.widgets.desk import Desk, attempt
from pages.widgets.language import number, say, say_count
from pages.widgets.markup import draw, tag
from store import Code, MailSettings, MessageRow, Refusal, list_messages, mail_settings, send_messages

_BATCH = "delivery.batch"
#: So many messages in a row that no mail server answered for, and the rest is not tried.
_UNREACHED = 3


def usable_settings() -> MailSettings | None:
    """Return the mail server that is set up; None where none is, or where what is set up is no address."""
    try:
        return mail_settings()
    except Refusal:
        return None


@uninterrupted
def send_many(_desk: Desk, rows: Sequence[MessageRow], keys: Sequence[str]) -> None:
    """Let the ticked messages be sent as the page is drawn."""
    chosen = [row for row, key in zip(rows, keys, strict=True) if st.session_state.get(key)]
    if chosen and counts():
        _begin(chosen)


def _begin(rows: Sequence[MessageRow]) -> None:
    st.session_state[_BATCH] = {
        "left": [(row.tenant, row.id) for row in rows], "all": len(rows), "operation": operation("send", *(mark_message(row) for row in rows)), "done": {},
    }  # fmt: skip


def draw_send_all(desk: Desk, place: DeliveryPlace, approved: int) -> None:
    """Draw the button that sends everything that is approved."""
    words = say_count("Send {n} approved message", "Send all {n} approved messages", approved)
    st.button(words, key=f"delivery.sendall.{mark_of(place.scope, place.correction, approved)}", icon=":material/send:", on_click=_send_all, args=(desk, place, approved))


@uninterrupted
def _send_all(desk: Desk, place: DeliveryPlace, approved: int) -> None:
    if not counts():
        return
    found = attempt(lambda: list_messages(desk.store, desk.person, scope=desk.scope, correction=place.correction, state="approved"))
    if found is None:
        return
    if len(found.rows) != approved:
        attempt(lambda: _refuse(len(found.rows)))
    else:
        _begin([row for row in found.rows if row.may_decide and row.address is not None])


def _refuse(now: int) -> None:
    raise Refusal(Code.CHANGED_SINCE_SEEN, f"{now:,} messages are approved by now. Nothing was sent. Look at them and press again.")


def draw_sending(desk: Desk) -> None:
    """Send what was pressed to be sent, and draw how far that is.

    A message leaves the list before it is sent, and the page can only be left between two of them: what was begun is never begun again.
    """
    batch: dict[str, Any] | None = st.session_state.get(_BATCH)
    if batch is None:
        return
    with st.container(key="dv_sending"):
        bar = st.progress(0.0)
        draw(tag("p", say("Leaving this page pauses it: what was not sent yet stays approved."), cls="cd-muted cd-small"))
        st.button(say("Stop sending"), key="delivery.stop", on_click=_stop)
        settings, silent = usable_settings(), 0
        while batch["left"] and silent < _UNREACHED:
            done = batch["all"] - len(batch["left"])
            bar.progress(done / batch["all"], say("Sending {n} of {all}", n=number(done + 1), all=number(batch["all"])))
            found = _send_one(desk, batch, settings)
            if found is None:
                break
            silent = silent + 1 if found["unreached"] else 0
    _finish(batch)
    draw_anew()


@uninterrupted
def _send_one(desk: Desk, batch: dict[str, Any], settings: MailSettings | None) -> dict[str, Any] | None:
    tenant, message = batch["left"].pop(0)
    found = attempt(lambda: send_messages(desk.store, desk.person, tenant, [message], settings, operation=batch["operation"]))
    for name, its in (found or {}).items():
        batch["done"].setdefault(name, []).extend(its)
    return found


@uninterrupted
def _finish(batch: dict[str, Any]) -> None:
    st.session_state.pop(_BATCH, None)
    if batch["done"]:
        note_sent(batch["done"])
    if batch["left"]:
        left = len(batch["left"])
        attempt(lambda: _give_up(left))


def _give_up(left: int) -> None:
    raise Refusal(
        Code.BAD_VALUE, f"The mail server did not answer {_UNREACHED} times in a row, so {left:,} more {'was' if left == 1 else 'were'} not tried. Check it, and send them again."
    )


@uninterrupted
def _stop() -> None:
    batch = st.session_state.pop(_BATCH, None)
    if batch is not None and batch["done"]:
        note_sent(batch["done"])
