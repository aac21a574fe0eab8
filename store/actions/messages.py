"""Telling people who hold what no longer stands: messages drafted, changed, approved, sent and seen (R24)."""

from __future__ import annotations

import secrets
import smtplib
import ssl
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from store.db.claim_store import ClaimStore
from store.db.correction_falls import events_of
from store.db.corrections import Case, find_visible_case, list_cases, note_correction_event
from store.db.holdings import Holdings, may_read
from store.db.keys import load_parties
from store.db.message_causes import Causes
from store.db.messages import (
    Untold,
    add_items,
    add_named,
    change_message,
    emails_of,
    events_of_corrections,
    events_with_notices,
    find_draft,
    insert_message,
    items_of_messages,
    load_messages,
    load_untold,
    named_in_messages,
)
from store.db.transaction import Writing, write
from store.domain.errors import Code, Refusal, not_found
from store.domain.mail import MailSettings, find_address, write_mail
from store.domain.messages import MESSAGE_STEPS, PATIENCE, STATE_WORD, MessageState, hash_text, write_body, write_subject
from store.domain.people import Right
from store.domain.text import find_forbidden, is_blank

_LONGEST_SUBJECT = 300
_LONGEST_BODY = 100_000
#: Seconds that a mail server may take for each answer.
_PATIENCE = 20.0
#: What a mail server answers when it takes something (RFC 5321).
_ACCEPTED, _FORWARDED = 250, 251


def draft_messages(
    store: ClaimStore, person: str, tenant: str, *, correction: str | None = None, events: Sequence[int] | None = None, operation: str | None = None,
    authenticated: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Draft one message per person about everything they hold or own that is not in a message yet.

    What is drafted for somebody who has a draft of the same correction already is added to that draft.

    Args:
        correction: only what its events made necessary; `events`: only these. Everything by default.

    Returns:
        `{"drafted": ids, "extended": ids, "hidden": how many things somebody else must tell}`.
    """
    words = [correction, None if events is None else sorted(events)]
    with write(store, person, tenant, "draft messages", words, operation=operation, authenticated=authenticated) as tx:
        if tx.repeated is None:
            tx.result = _draft(tx, correction, events)
    return tx.repeated if tx.repeated is not None else tx.result


def _draft(tx: Writing, correction: str | None, events: Sequence[int] | None) -> dict[str, Any]:
    case = None
    if correction is not None:
        case = find_visible_case(tx.connection, tx.tenant, tx.actor, correction)
        if case is None:
            raise not_found(correction)
    asked = events_with_notices(tx.connection, tx.tenant) if events is None else list(events)
    if case is not None:
        own = [seq for seq, _ in events_of(tx.connection, tx.tenant, case.number)]
        asked = own if events is None else [seq for seq in asked if seq in own]
    parties = load_parties(tx.connection, tx.tenant)
    untold = load_untold(tx.connection, tx.tenant, tx.snapshot(tx.tenant), asked, parties)
    holdings = Holdings(tx.connection, tx.tenant, tx.actor, [one.record for one in untold])
    mine = [one for one in untold if holdings.may_decide(one.record)]
    if not tx.actor.scopes_with(Right.DECIDE):
        tx.actor.need(Right.DECIDE, tx.tenant_name, "draft messages")
    of = {} if case is not None else events_of_corrections(tx.connection, tx.tenant)
    emails = emails_of(tx.connection, tx.tenant)
    owed: dict[int, set[int]] = {}
    for one in mine:
        owed.setdefault(one.record, set()).add(one.seq)
    causes = Causes(tx.connection, tx.tenant, tx.actor, tx.snapshot(tx.tenant), owed, _stated_causes(tx, case, of))
    groups: dict[tuple[str, int | None], list[Untold]] = {}
    for one in mine:
        number = case.number if case is not None else next(iter(of.get(one.seq, [])), None)
        groups.setdefault((one.recipient, number), []).append(one)
    drafted, extended = [], []
    for (recipient, number), its in sorted(groups.items(), key=lambda item: (item[0][0], item[0][1] or 0)):
        told = {one.record: one for one in sorted(its, key=lambda one: one.as_owner, reverse=True)}
        draft = find_draft(tx.connection, tx.tenant, recipient, number)
        if draft is not None and not _may_read(tx, draft.message):
            # What somebody else wrote of things this person may not see is not added to.
            draft = None
        before = [] if draft is None else items_of_messages(tx.connection, tx.tenant, [draft.message])[draft.message]
        known = {record for _, _, record in before}
        found = [holdings.describe(one, causes) for record, one in sorted(told.items()) if record not in known]
        described = [holding for holding, _ in found]
        if draft is None:
            address = find_address(recipient) or find_address(emails.get(recipient))
            number_of, name = insert_message(
                tx, correction=number, recipient=recipient, address=address, channel="email" if address else its[0].channel,
                message_id=_new_message_id(), subject=write_subject(described), body=write_body(recipient, tx.actor.name, described),
            )  # fmt: skip
            drafted.append(name)
        else:
            number_of, name = draft.message, draft.id
            if described:
                more = write_body(recipient, tx.actor.name, described, first=len(known) + 1)
                change_message(tx, draft.message, MessageState.DRAFTED, body=f"{draft.body.rstrip()}\n\n{more}")
            extended.append(name)
        add_items(tx, number_of, [(one.seq, one.n) for one in its])
        add_named(tx, number_of, {one.record for one in its}.union(*(named for _, named in found)))
        if number is not None:
            note_correction_event(tx, number, "tell")
    return {"drafted": drafted, "extended": extended, "hidden": len(untold) - len(mine), "event": tx.seq}


def _stated_causes(tx: Writing, case: Case | None, of: Mapping[int, Sequence[int]]) -> dict[int, tuple[str, list[str]]]:
    """Return event -> the cause its correction states, with every scope that touches."""
    if case is not None:
        return {seq: (case.cause, case.scopes) for seq, _ in events_of(tx.connection, tx.tenant, case.number) if case.cause}
    stated = {one.number: (one.cause, one.scopes) for one in list_cases(tx.connection, tx.tenant) if one.cause}
    return {seq: stated[number] for seq, numbers in of.items() for number in numbers if number in stated}


# --- one message, or several ---------------------------------------------------------------------------------------


def edit_message(
    store: ClaimStore, person: str, tenant: str, message: str, *, subject: str | None = None, body: str | None = None, address: str | None = None,
    operation: str | None = None, authenticated: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Change the words or the address of a message that is not out; it has to be approved again."""
    with write(store, person, tenant, "edit message", [message, subject, body, address], operation=operation, authenticated=authenticated) as tx:
        if tx.repeated is None:
            row = _need_message(tx, message, "change")
            values: dict[str, Any] = {}
            if subject is not None:
                values["subject"] = _need_text(subject, "subject", _LONGEST_SUBJECT)
            if body is not None:
                values["body"] = _need_text(body, "text", _LONGEST_BODY)
            if address is not None:
                if address and find_address(address) is None:
                    raise Refusal(Code.BAD_VALUE, "That is no mail address. Nothing was changed. Write one like ana@example.org.")
                values |= {"address": address or None, "channel": "email" if address else row.channel}
            _step(tx, row, "edit", approved_by=None, approved_at=None, **values)
            tx.result = {"message": message, "event": tx.seq}
    return tx.repeated if tx.repeated is not None else tx.result


def approve_messages(
    store: ClaimStore, person: str, tenant: str, messages: Sequence[str], *, seen: Mapping[str, str] | None = None, operation: str | None = None,
    authenticated: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Approve drafted messages as they are, each on its own: `{"done": ids, "refused": [{"id", "code", "message"}]}`.

    Args:
        seen: message -> hash of the subject and text that were read; one that says something else by now is refused.
    """

    def approve(tx: Writing, row: Any) -> None:
        read = (seen or {}).get(row.id)
        if read is not None and read != hash_text(row.subject, row.body):
            raise Refusal(Code.CHANGED_SINCE_SEEN, f"{row.id} says something else by now. It was not approved. Read it again.")
        _step(tx, row, "approve", approved_by=tx.actor.id, approved_at=tx.at)

    return _each(
        store, person, tenant, "approve messages", messages, approve,
        operation, authenticated=authenticated,
    )  # fmt: skip


def note_message_seen(
    store: ClaimStore, person: str, tenant: str, messages: Sequence[str], *, operation: str | None = None, authenticated: bool = False
) -> dict[str, Any]:  # fmt: skip
    """Note that the recipients of sent messages said they have seen them."""
    return _each(store, person, tenant, "message seen", messages, lambda tx, row: _step(tx, row, "seen", seen_at=tx.at), operation, authenticated=authenticated)


def cancel_messages(
    store: ClaimStore, person: str, tenant: str, messages: Sequence[str], *, operation: str | None = None, authenticated: bool = False
) -> dict[str, Any]:  # fmt: skip
    """Take back messages that are not out; what they told is to be told again."""
    return _each(store, person, tenant, "cancel messages", messages, lambda tx, row: _step(tx, row, "cancel"), operation, authenticated=authenticated)


def note_told(
    store: ClaimStore, person: str, tenant: str, messages: Sequence[str], *, operation: str | None = None, authenticated: bool = False
) -> dict[str, Any]:  # fmt: skip
    """Note that people were told by other means: by a file, by telephone, where something was published."""
    return _each(
        store, person, tenant, "told by hand", messages, lambda tx, row: _step(tx, row, "told by hand", sent_at=tx.at), operation, authenticated=authenticated
    )


def settle_unknown_sending(
    store: ClaimStore, person: str, tenant: str, message: str, *, arrived: bool, patience: float = PATIENCE, operation: str | None = None,
    authenticated: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Say what became of a message of which nobody knows whether it went out: it arrived, or it may be sent again under the same Message-ID.

    Args:
        patience: seconds for which whoever took it up may still be at work.
    """

    def settle(tx: Writing, row: Any) -> None:
        if row.state == MessageState.SENDING and row.failure is None and tx.at - (row.attempted_at or 0) < patience * 1_000_000:
            raise Refusal(Code.BUSY, f"{row.id} is being sent just now. Nothing was changed. Look at it again in some minutes.")
        if arrived:
            _step(tx, row, "arrived", sent_at=tx.at, failure=None)
        else:
            _step(tx, row, "send again")

    return _each(store, person, tenant, "arrived" if arrived else "send again", [message], settle, operation, authenticated=authenticated)


def _each(
    store: ClaimStore, person: str, tenant: str, action: str, messages: Sequence[str], do: Callable[[Writing, Any], None], operation: str | None, *,
    authenticated: bool,
) -> dict[str, Any]:  # fmt: skip
    with write(store, person, tenant, action, list(messages), operation=operation, authenticated=authenticated) as tx:
        if tx.repeated is None:
            done, refused = [], []
            for message in dict.fromkeys(messages):
                try:
                    do(tx, _need_message(tx, message, action))
                    done.append(message)
                except Refusal as refusal:
                    if len(messages) == 1:
                        raise
                    refused.append({"id": message, "code": refusal.code.value, "message": refusal.message})
            tx.result = {"done": done, "refused": refused, "event": tx.seq}
    return tx.repeated if tx.repeated is not None else tx.result


def _need_message(tx: Writing, message: str, doing: str) -> Any:
    """Return the row of a message whose documents the actor may decide about."""
    rows = load_messages(tx.connection, tx.tenant, ids=[message])
    if not rows:
        raise not_found(message)
    records = [record for _, _, record in items_of_messages(tx.connection, tx.tenant, [rows[0].message])[rows[0].message]]
    holdings = Holdings(tx.connection, tx.tenant, tx.actor, records)
    if not all(holdings.may_name(record) for record in records):
        raise not_found(message)
    if not _may_read(tx, rows[0].message):
        raise not_found(message)
    for record in records:
        tx.actor.need(Right.DECIDE, holdings.cards[record].scope, f"{doing} {message}")
    return rows[0]


def _may_read(tx: Writing, message: int) -> bool:
    """Return whether the actor may see every record that a message names."""
    named = named_in_messages(tx.connection, tx.tenant, [message])[message]
    return may_read(tx.connection, tx.tenant, tx.actor, named).issuperset(named)


def _new_message_id() -> str:
    return f"{secrets.token_hex(16)}@claimdesk.invalid"


def _step(tx: Writing, row: Any, step: str, **values: Any) -> None:
    now = MessageState(row.state)
    then = MESSAGE_STEPS.get((now, step))
    if then is None:
        legal = ", ".join(sorted({STATE_WORD[state] for state, one in MESSAGE_STEPS if one == step}))
        raise Refusal(Code.ILLEGAL_STEP, f"{row.id} is {STATE_WORD[now]}, and that is possible only for what is {legal}. Nothing was changed.")
    if not change_message(tx, row.message, now, state=int(then), **values):
        raise Refusal(Code.CHANGED_SINCE_SEEN, f"{row.id} changed meanwhile. Nothing was changed. Look at it again.")
    if row.correction is not None:
        note_correction_event(tx, row.correction, "tell")


def _need_text(text: str, what: str, longest: int) -> str:
    if is_blank(text):
        raise Refusal(Code.BAD_VALUE, f"The {what} is empty. Nothing was changed. Write it.")
    if len(text) > longest:
        raise Refusal(Code.BAD_VALUE, f"The {what} has {len(text):,} characters; at most {longest:,} are kept. Nothing was changed. Shorten it.")
    if find_forbidden(text):
        raise Refusal(Code.BAD_VALUE, f"The {what} holds a character no store can keep. Nothing was changed. Type it again.")
    return text


# --- sending --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Handed:
    """What came of handing a message to the mail server: `arrived` True or False, None where nobody can tell; and why."""

    arrived: bool | None
    why: str | None = None


def send_messages(
    store: ClaimStore, person: str, tenant: str, messages: Sequence[str], settings: MailSettings | None, *, authenticated: bool = False
) -> dict[str, Any]:
    """Send approved messages, and failed ones again, each on its own.

    A message is taken up in a transaction of its own before it is handed over, so that of two senders one sends, and one
    that dies in between leaves a message of which it is said that nobody knows; nothing is sent twice by itself.

    Returns:
        `{"sent": ids, "failed": [{"id", "message"}], "unknown": ids, "refused": [{"id", "code", "message"}]}`.
    """
    if settings is None:
        raise Refusal(
            Code.BAD_VALUE, "No mail server is set up. Nothing was sent. Set CLAIMDESK_SMTP and CLAIMDESK_SMTP_FROM, or take the messages as files and note that they were told."
        )
    result: dict[str, Any] = {"sent": [], "failed": [], "unknown": [], "refused": []}
    for message in dict.fromkeys(messages):
        try:
            row = _take_up(store, person, tenant, message, authenticated=authenticated)
        except Refusal as refusal:
            result["refused"].append({"id": message, "code": refusal.code.value, "message": refusal.message})
            continue
        mail = write_mail(
            recipient=row["recipient"], address=row["address"], sender=settings.sender, subject=row["subject"], body=row["body"],
            message_id=row["message_id"], at=row["at"],
        )  # fmt: skip
        handed = hand_over(settings, row["address"], mail)
        _note_handed(store, person, tenant, message, handed, authenticated=authenticated)
        if handed.arrived:
            result["sent"].append(message)
        elif handed.arrived is None:
            result["unknown"].append(message)
        else:
            result["failed"].append({"id": message, "message": handed.why})
    return result


def _take_up(store: ClaimStore, person: str, tenant: str, message: str, *, authenticated: bool) -> dict[str, Any]:
    with write(store, person, tenant, "send message", [message], authenticated=authenticated) as tx:
        row = _need_message(tx, message, "send")
        if row.address is None:
            raise Refusal(Code.BAD_VALUE, f"{message} has no mail address. Nothing was sent. Give one, or tell {row.recipient} yourself and note it.")
        message_id = row.message_id or _new_message_id()
        _step(tx, row, "send", attempts=row.attempts + 1, attempted_at=tx.at, message_id=message_id, failure=None)
        tx.result = {
            "recipient": row.recipient, "address": row.address, "subject": row.subject, "body": row.body, "message_id": message_id, "at": tx.at,
        }  # fmt: skip
    return tx.result


def _note_handed(store: ClaimStore, person: str, tenant: str, message: str, handed: Handed, *, authenticated: bool) -> None:
    with write(store, person, tenant, "message handed over", [message, handed.arrived, handed.why], authenticated=authenticated) as tx:
        row = load_messages(tx.connection, tx.tenant, ids=[message])[0]
        if row.state != MessageState.SENDING:
            return
        if handed.arrived:
            _step(tx, row, "arrived", sent_at=tx.at)
        elif handed.arrived is False:
            _step(tx, row, "refused", failure=handed.why)
        else:
            change_message(tx, row.message, MessageState.SENDING, failure=handed.why)


def hand_over(settings: MailSettings, address: str, mail: bytes) -> Handed:
    """Hand one mail to the server, and say what it answered; only what is broken off after the text began is not known."""
    began, server = False, None
    try:
        server = _connect(settings)
        server.ehlo_or_helo_if_needed()
        if not settings.tls and server.has_extn("starttls"):
            server.starttls(context=ssl.create_default_context())
            server.ehlo()
        elif settings.user is not None and not settings.tls:
            return Handed(False, "The mail server offers no encryption, so it was given no password. Nothing was sent. Use smtps:// or another server.")
        if settings.user is not None:
            server.login(settings.user, settings.password or "")
        code, said = server.mail(settings.sender)
        if code != _ACCEPTED:
            return _refused(code, said)
        code, said = server.rcpt(address)
        if code not in (_ACCEPTED, _FORWARDED):
            return _refused(code, said)
        began = True
        code, said = server.data(mail)
        return Handed(True) if code == _ACCEPTED else _refused(code, said)
    except smtplib.SMTPResponseException as error:
        return _refused(error.smtp_code, error.smtp_error)
    except (OSError, smtplib.SMTPException) as error:
        if began:
            return Handed(None, f"The connection broke while the text was handed over ({type(error).__name__}), so nobody knows whether it arrived.")
        return Handed(False, f"The mail server could not be used: {str(error)[:200] or type(error).__name__}. Check the settings and send again.")
    finally:
        # What the server says to a farewell changes nothing of what it said before.
        if server is not None:
            with suppress(OSError, smtplib.SMTPException):
                server.quit()
            server.close()


def _connect(settings: MailSettings) -> smtplib.SMTP:
    if settings.tls:
        return smtplib.SMTP_SSL(settings.host, settings.port, timeout=_PATIENCE, context=ssl.create_default_context())
    return smtplib.SMTP(settings.host, settings.port, timeout=_PATIENCE)


def _refused(code: int, said: bytes | str) -> Handed:
    text = said.decode("utf-8", "replace") if isinstance(said, bytes) else said
    return Handed(False, f"The mail server refused it: {code} {' '.join(text.split())[:200]}. Mend the address or the text, and send again.")
