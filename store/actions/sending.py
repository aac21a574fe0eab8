"""Sending messages: taken up, handed to a mail server, and what became of it noted; never twice by itself (R24)."""

from __future__ import annotations

import smtplib
import ssl
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from threading import Event, Timer
from typing import Any

from store.actions.messages import need_message, new_message_id, step_message
from store.db.claim_store import ClaimStore
from store.db.mailed_copies import register_mail, withdraw_mail
from store.db.messages import change_message, load_messages
from store.db.transaction import write
from store.domain.errors import Code, Refusal
from store.domain.mail import MailSettings, find_address, write_mail
from store.domain.messages import MessageState

#: Seconds a mail server may take for each answer; for all together it may take so many times that, which is less than the
#: time after which a message that is being sent counts as one of which nobody knows.
ANSWER_PATIENCE = 20.0
_ANSWERS = 5
#: What a mail server answers when it takes something (RFC 5321).
_READY, _ACCEPTED, _FORWARDED = 220, 250, 251


@dataclass(frozen=True, slots=True)
class Handed:
    """What came of handing a message to the mail server.

    Attributes:
        arrived: True or False, None where nobody can tell; `why`: where it did not, or nobody can tell.
        reached: whether the server answered at all.
    """

    arrived: bool | None
    why: str | None = None
    reached: bool = True


def send_messages(
    store: ClaimStore, person: str, tenant: str, messages: Sequence[str], settings: MailSettings | None, *, patience: float = ANSWER_PATIENCE,
    operation: str | None = None, authenticated: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Send approved messages, and failed ones again, each on its own; what becomes of one is nothing to the others.

    A message is taken up in a transaction of its own before it is handed over, so that of two senders one sends, and one
    that dies in between leaves a message of which it is said that nobody knows; nothing is sent twice by itself.

    Args:
        patience: seconds the mail server may take for an answer.
        operation: of this press; each message is taken up under one of its own made from it, and repeating it sends nothing again.

    Returns:
        `{"sent": ids, "failed": [{"id", "message"}], "unknown": ids, "refused": [{"id", "code", "message"}], "unreached": ids of the failed ones
        for which no mail server answered}`.
    """
    if settings is None:
        raise Refusal(
            Code.BAD_VALUE, "No mail server is set up. Nothing was sent. Set CLAIMDESK_SMTP and CLAIMDESK_SMTP_FROM, or take the messages as files and note that they were told."
        )
    result: dict[str, Any] = {"sent": [], "failed": [], "unknown": [], "refused": [], "unreached": []}
    for message in dict.fromkeys(messages):
        own = None if operation is None else f"{operation}.{message}"
        try:
            row = _take_up(store, person, tenant, message, operation=own, authenticated=authenticated)
        except Refusal as refusal:
            result["refused"].append({"id": message, "code": refusal.code.value, "message": refusal.message})
            continue
        if row is None:
            result["refused"].append({"id": message, "code": Code.ALREADY_DECIDED.value, "message": f"{message} was taken up by this press already. It was not sent again."})
            continue
        mail = write_mail(
            recipient=row["recipient"], address=row["address"], sender=settings.sender, subject=row["subject"], body=row["body"],
            message_id=row["message_id"], at=row["at"],
        )  # fmt: skip
        handed = hand_over(settings, row["address"], mail, patience=patience)
        try:
            _note_handed(store, person, tenant, message, handed, authenticated=authenticated)
        except Refusal:
            # What could not be noted stays a message of which nobody knows; the next ones are sent all the same.
            result["unknown"].append(message)
            continue
        if handed.arrived:
            result["sent"].append(message)
        elif handed.arrived is None:
            result["unknown"].append(message)
        else:
            result["failed"].append({"id": message, "message": handed.why})
            result["unreached"] += [] if handed.reached else [message]
    return result


def _take_up(store: ClaimStore, person: str, tenant: str, message: str, *, operation: str | None, authenticated: bool) -> dict[str, Any] | None:
    """Take up a message and return what is to be sent; None where this operation took it up before."""
    with write(store, person, tenant, "send message", [message], operation=operation, authenticated=authenticated) as tx:
        if tx.repeated is not None:
            return None
        row = need_message(tx, message, "send")
        if find_address(row.address) is None:
            raise Refusal(Code.BAD_VALUE, f"{message} has no mail address. Nothing was sent. Give one, or tell {row.recipient} yourself and note it.")
        message_id = row.message_id or new_message_id()
        step_message(tx, row, "send", attempts=row.attempts + 1, attempted_at=tx.at, message_id=message_id, failure=None)
        register_mail(tx, row)
        tx.result = {"message": message, "event": tx.seq}
        return {
            "recipient": row.recipient, "address": row.address, "subject": row.subject, "body": row.body, "message_id": message_id, "at": tx.at,
        }  # fmt: skip


def _note_handed(store: ClaimStore, person: str, tenant: str, message: str, handed: Handed, *, authenticated: bool) -> None:
    with write(store, person, tenant, "message handed over", [message, handed.arrived, handed.why], authenticated=authenticated) as tx:
        row = load_messages(tx.connection, tx.tenant, ids=[message])[0]
        if row.state != MessageState.SENDING:
            return
        if handed.arrived:
            step_message(tx, row, "arrived", sent_at=tx.at)
        elif handed.arrived is False:
            step_message(tx, row, "refused", failure=handed.why)
            withdraw_mail(tx, row)
        else:
            change_message(tx, row.message, MessageState.SENDING, failure=handed.why)


def hand_over(settings: MailSettings, address: str, mail: bytes, *, patience: float = ANSWER_PATIENCE) -> Handed:
    """Hand one mail to the server, and say what it answered; only what is broken off after the text began is not known."""
    server, began, late = _new_server(settings, patience), Event(), Event()
    # A server that answers a letter at a time would never be late for any single one.
    limit = Timer(patience * _ANSWERS, _hang_up, [server, late])
    limit.daemon = True
    limit.start()
    try:
        handed = _converse(server, settings, address, mail, began)
        # What was read of an answer when the line was cut is none.
        if late.is_set():
            raise TimeoutError
        # What the server says to a farewell changes nothing of what it said before.
        with suppress(OSError, smtplib.SMTPException):
            server.quit()
    except (OSError, smtplib.SMTPException) as error:
        return _broken(TimeoutError() if late.is_set() else error, began=began.is_set(), patience=patience)
    else:
        return handed
    finally:
        limit.cancel()
        server.close()


def _converse(server: smtplib.SMTP, settings: MailSettings, address: str, mail: bytes, began: Event) -> Handed:
    try:
        code, said = server.connect(settings.host, settings.port)
        if code != _READY:
            return _refused(code, said)
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
        began.set()
        code, said = server.data(mail)
        return Handed(True) if code == _ACCEPTED else _refused(code, said)
    except smtplib.SMTPResponseException as error:
        return _refused(error.smtp_code, error.smtp_error)


def _new_server(settings: MailSettings, patience: float) -> smtplib.SMTP:
    """Return a mail server that is not connected yet."""
    server = smtplib.SMTP_SSL(timeout=patience, context=ssl.create_default_context()) if settings.tls else smtplib.SMTP(timeout=patience)
    # The name its certificate has to be for; smtplib takes it only together with connecting at once.
    server._host = settings.host  # type: ignore[attr-defined]  # noqa: SLF001
    return server


def _hang_up(server: smtplib.SMTP, late: Event) -> None:
    late.set()
    if server.sock is not None:
        with suppress(OSError):
            server.sock.shutdown(2)


def _broken(error: Exception, *, began: bool, patience: float) -> Handed:
    late = isinstance(error, TimeoutError) or "timed out" in str(error)
    if began and late:
        return Handed(None, f"The mail server was given the text and did not answer within {patience:g} seconds, so nobody knows whether it arrived.")
    if began:
        return Handed(None, f"The connection broke while the text was handed over ({type(error).__name__}), so nobody knows whether it arrived.")
    if late:
        return Handed(False, f"The mail server did not answer within {patience:g} seconds. Nothing was sent. Check that it runs, and send again.", reached=False)
    why = (error.strerror if isinstance(error, OSError) else None) or str(error)[:200] or type(error).__name__
    return Handed(False, f"The mail server could not be used: {why}. Check the settings and send again.", reached=False)


def _refused(code: int, said: bytes | str) -> Handed:
    text = said.decode("utf-8", "replace") if isinstance(said, bytes) else said
    return Handed(False, f"The mail server refused it: {code} {' '.join(text.split())[:200]}. Mend the address or the text, and send again.")
