"""What the buttons of the page of deliveries do: each press once, and what came of it in a sentence."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from pages.widgets.callbacks import uninterrupted
from pages.widgets.candidate_place import mark_of
from pages.widgets.decision_guard import counts
from pages.widgets.desk import Desk, attempt, note_done, person_name
from pages.widgets.language import say, say_count
from store import (
    Code,
    MessageRow,
    Refusal,
    approve_messages,
    cancel_messages,
    draft_messages,
    edit_message,
    mail_settings,
    note_message_seen,
    note_told,
    send_messages,
    settle_unknown_sending,
    view_message,
)

_SESSION = "delivery.session"


def operation(what: str, *words: Any) -> str:
    """Return the operation id of a press, the same for the same press twice."""
    session = st.session_state.setdefault(_SESSION, secrets.token_hex(8))
    return f"desk-{session}-{what}-{mark_of(*words)}"


def mark_message(row: MessageRow) -> str:
    """Return the mark of a message as it is drawn, so that nothing pressed or typed slips into another state of it."""
    return mark_of(row.tenant, row.id, row.state, row.attempts, row.address, row.subject, row.body)


@uninterrupted
def once(said: str, action: Callable[[], Any]) -> bool:
    """Carry out an action for one press; say what was done, or keep why it was refused; return whether it was done."""
    if not counts() or attempt(action) is None:
        return False
    note_done(said)
    return True


def _need_as_seen(desk: Desk, row: MessageRow) -> None:
    now = view_message(desk.store, desk.person, row.tenant, row.id)
    if mark_message(now) != mark_message(row):
        raise Refusal(Code.CHANGED_SINCE_SEEN, "This message changed since you saw it. Nothing was changed. Look at it again.")


@uninterrupted
def draft(desk: Desk, tenant: str, correction: str | None, untold: int) -> None:
    """Draft what stands in no message yet."""
    if not counts():
        return
    done = attempt(lambda: draft_messages(desk.store, desk.person, tenant, correction=correction, operation=operation("draft", tenant, correction, untold, desk.store.now())))
    if done is not None:
        made = say_count("{n} message was drafted", "{n} messages were drafted", len(done["drafted"]))
        more = say_count("{n} draft was added to", "{n} drafts were added to", len(done["extended"]))
        note_done(say("{made}, {more}. Read them, and approve what is right.", made=made, more=more))


def _said(key: str) -> str:
    return str(st.session_state.get(key) or "")


@uninterrupted
def save(desk: Desk, row: MessageRow, key: str, *, then_approve: bool) -> None:
    """Keep the words as they were typed, and approve the message where that was pressed."""
    typed = {"address": _said(f"{key}.address").strip(), "subject": _said(f"{key}.subject"), "body": _said(f"{key}.body")}
    was = {"address": row.address or "", "subject": row.subject, "body": row.body}
    changes: dict[str, Any] = {name: value for name, value in typed.items() if value != was[name]}

    def keep() -> dict[str, Any]:
        _need_as_seen(desk, row)
        if changes or row.state != "drafted":
            edit_message(desk.store, desk.person, row.tenant, row.id, operation=operation("edit", mark_message(row), str(changes)), **changes)
        if then_approve:
            approve_messages(desk.store, desk.person, row.tenant, [row.id], operation=operation("approve", mark_message(row), str(changes)))
        return {}

    once(say("Approved.") if then_approve else say("Saved."), keep)


@uninterrupted
def send(desk: Desk, row: MessageRow) -> None:
    """Send one message and say what became of it."""
    if counts():
        words = operation("send", mark_message(row))
        done = attempt(lambda: send_messages(desk.store, desk.person, row.tenant, [row.id], mail_settings(), operation=words))
        if done is not None:
            note_sent(done)


def note_sent(done: dict[str, Any]) -> None:
    """Say how many messages went and how many did not."""
    parts = []
    if done["sent"]:
        parts.append(say_count("{n} message was sent.", "{n} messages were sent.", len(done["sent"])))
    if done["failed"]:
        parts.append(say_count("{n} failed; it says why.", "{n} failed; each says why.", len(done["failed"])))
    if done["unknown"]:
        parts.append(say_count("Of {n} nobody knows whether it arrived.", "Of {n} nobody knows whether they arrived.", len(done["unknown"])))
    if parts:
        note_done(" ".join(parts))
    if done["refused"]:
        first = done["refused"][0]
        attempt(lambda: _refuse(first["code"], first["message"], len(done["refused"]) - 1))


def _refuse(code: str, message: str, more: int) -> None:
    raise Refusal(Code(code), message if not more else f"{message} The same or another reason holds for {more:,} more.")


@uninterrupted
def act(desk: Desk, row: MessageRow, what: str) -> None:
    """Carry out one step of a message."""
    mark = mark_message(row)
    words: dict[str, Any] = {"operation": operation(what, mark)}
    doing: dict[str, tuple[str, Callable[[], Any]]] = {
        "told": (say("Noted: {who} was told.", who=person_name(row.recipient)[:120]), lambda: note_told(desk.store, desk.person, row.tenant, [row.id], **words)),
        "seen": (say("Noted: {who} has seen it.", who=person_name(row.recipient)[:120]), lambda: note_message_seen(desk.store, desk.person, row.tenant, [row.id], **words)),
        "cancel": (say("Cancelled. What it told stands in no message any more."), lambda: cancel_messages(desk.store, desk.person, row.tenant, [row.id], **words)),
        "reopen": (say("It is a draft again."), lambda: edit_message(desk.store, desk.person, row.tenant, row.id, **words)),
        "arrived": (say("Noted: it arrived."), lambda: settle_unknown_sending(desk.store, desk.person, row.tenant, row.id, arrived=True, **words)),
        "again": (say("It is approved and can be sent again."), lambda: settle_unknown_sending(desk.store, desk.person, row.tenant, row.id, arrived=False, **words)),
    }
    said, action = doing[what]

    def carry_out() -> Any:
        _need_as_seen(desk, row)
        return action()

    once(said, carry_out)


@uninterrupted
def approve_many(desk: Desk, rows: Sequence[MessageRow], keys: Sequence[str]) -> None:
    """Approve the ticked messages, each on its own."""
    chosen = [row for row, key in zip(rows, keys, strict=True) if st.session_state.get(key)]
    if not counts() or not chosen:
        return

    def approve() -> dict[str, Any]:
        for row in chosen:
            _need_as_seen(desk, row)
        tenant = chosen[0].tenant
        return approve_messages(desk.store, desk.person, tenant, [row.id for row in chosen], operation=operation("approve", *(mark_message(row) for row in chosen)))

    done = attempt(approve)
    if done is not None:
        note_done(say_count("{n} message was approved.", "{n} messages were approved.", len(done["done"])))
        if done["refused"]:
            attempt(lambda: _refuse(done["refused"][0]["code"], done["refused"][0]["message"], len(done["refused"]) - 1))
