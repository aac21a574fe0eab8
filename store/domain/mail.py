"""A message as mail: its headers and text, and where it may go."""

from __future__ import annotations

import re
from dataclasses import dataclass
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from urllib.parse import unquote, urlsplit

from store.domain.errors import Code, Refusal
from store.domain.messages import one_line
from store.domain.times import to_datetime

#: Plain addresses only: no names, lists, comments, quotes or controls.
_ADDRESS = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,250}[A-Za-z0-9])?")


def find_address(text: str | None) -> str | None:
    """Return text if it is a plain mail address, else None."""
    return text if text is not None and _ADDRESS.fullmatch(text) and ".." not in text else None


@dataclass(frozen=True, slots=True)
class MailSettings:
    """The server that mail is handed to.

    Attributes:
        tls: the connection is encrypted from the start; otherwise it becomes so where the server offers it, and must where a password is given.
        sender: the address mail is from.
    """

    host: str
    port: int
    sender: str
    user: str | None = None
    password: str | None = None
    tls: bool = False


def read_mail_settings(url: str | None, sender: str | None) -> MailSettings | None:
    """Return the settings that an address like `smtp://user:password@host:587` gives, None where there is none.

    Raises:
        Refusal: `bad_value`: the address is none, or nobody is named as sender.
    """
    if not url:
        return None
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if parts.scheme not in ("smtp", "smtps") or not parts.hostname:
        raise Refusal(Code.BAD_VALUE, "CLAIMDESK_SMTP is no address of a mail server. Nothing was sent. Write smtp://host:port, or smtps:// for TLS.")
    if find_address(sender) is None:
        raise Refusal(Code.BAD_VALUE, "CLAIMDESK_SMTP_FROM is no mail address. Nothing was sent. Name the address that messages come from.")
    tls = parts.scheme == "smtps"
    user, password = (None if one is None else unquote(one) for one in (parts.username, parts.password))
    return MailSettings(parts.hostname, port or (465 if tls else 25), sender or "", user, password, tls)


def write_mail(*, recipient: str, address: str | None, sender: str | None, subject: str, body: str, message_id: str, at: int) -> bytes:
    """Return a message as a mail file (RFC 5322); what comes from outside cannot add a header.

    Args:
        address: where it goes; without one the recipient's name stands there, for somebody to fill in.
        at: when it was written, microseconds UTC.
    """
    mail = EmailMessage(policy=SMTP)
    mail["Subject"] = one_line(subject, 300)
    if sender is not None:
        mail["From"] = sender
    mail["To"] = address if address is not None else Address(display_name=one_line(recipient, 120), username="no-address", domain="invalid")
    mail["Message-ID"] = f"<{message_id}>"
    mail["Date"] = format_datetime(to_datetime(at))
    mail["Auto-Submitted"] = "no"
    mail.set_content(body)
    return mail.as_bytes()
