"""Messages and remedies as lines of a bundle: what was told to whom, and how what went out was put right."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from store.domain.correction_line import check_long, check_past, read_fields
from store.domain.fields import (
    Check,
    check_flag,
    check_object,
    check_one_of,
    check_optional_word,
    check_path,
    check_text,
    check_whole,
    check_word,
    check_words,
)
from store.domain.mail import find_address
from store.domain.messages import STATE_WORD
from store.domain.strict_json import bad_value
from store.domain.times import format_time

#: The ways in which what went out is put right.
WAYS = ("edition", "annotation", "none")
_MAIL_ID = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,200}@[A-Za-z0-9.-]{1,200}")
_MESSAGE_TIMES = ("drafted_at", "approved_at", "attempted_at", "sent_at", "seen_at")


@dataclass(frozen=True, slots=True)
class MessageEntry:
    """A message as exported; times in microseconds UTC.

    Attributes:
        artifacts: ids of what it tells of; `names`: of every record its text names.
        correction: id of the case it belongs to.
    """

    id: str
    scope: str
    recipient: str
    channel: str
    subject: str
    body: str
    state: str
    drafted_by: str
    drafted_at: int
    address: str | None = None
    correction: str | None = None
    approved_by: str | None = None
    approved_at: int | None = None
    attempted_at: int | None = None
    sent_at: int | None = None
    seen_at: int | None = None
    attempts: int = 0
    failure: str | None = None
    message_id: str | None = None
    artifacts: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    def to_line(self) -> dict[str, Any]:
        """Return the bundle line."""
        line: dict[str, Any] = {"type": "message"}
        for name in self.__slots__:
            value = getattr(self, name)
            if value is None:
                continue
            line[name] = format_time(value) if name in _MESSAGE_TIMES else list(value) if isinstance(value, tuple) else value
        return line


@dataclass(frozen=True, slots=True)
class RemedyEntry:
    """How an artifact that went out was put right, as exported; `at` in microseconds UTC.

    Attributes:
        edition: id of the new edition. stands: it counts still: the artifact did not come to need re-validation again since.
    """

    artifact: str
    scope: str
    way: str
    by: str
    at: int
    edition: str | None = None
    text: str | None = None
    stands: bool = False

    def to_line(self) -> dict[str, Any]:
        """Return the bundle line."""
        line: dict[str, Any] = {
            "type": "remedy", "artifact": self.artifact, "scope": self.scope, "way": self.way, "by": self.by, "at": format_time(self.at), "stands": self.stands,
        }  # fmt: skip
        return line | {name: getattr(self, name) for name in ("edition", "text") if getattr(self, name) is not None}


def _check_address(name: str, value: Any) -> str | None:
    """Return a plain mail address, or None for none."""
    if value is None or find_address(value if isinstance(value, str) else "") is not None:
        return value  # type: ignore[no-any-return]
    raise bad_value(f"{name} must be a mail address such as ana@example.org")


def _check_mail_id(name: str, value: Any) -> str | None:
    """Return what stands between the angle brackets of a Message-ID, or None for none."""
    if value is None or (isinstance(value, str) and _MAIL_ID.fullmatch(value)):
        return value
    raise bad_value(f"{name} must be an id such as 1f0c@example.org")


_MESSAGE: dict[str, Check] = {
    "id": check_word, "scope": check_path, "recipient": check_word, "channel": check_word, "subject": check_long, "body": check_long,
    "state": check_one_of(*STATE_WORD.values()), "drafted_by": check_word, "address": _check_address, "correction": check_optional_word,
    "approved_by": check_optional_word, "attempts": check_whole, "failure": check_text, "message_id": _check_mail_id, "artifacts": check_words,
    "names": check_words, **dict.fromkeys(_MESSAGE_TIMES, check_past),
}  # fmt: skip
_REMEDY: dict[str, Check] = {
    "artifact": check_word, "scope": check_path, "way": check_one_of(*WAYS), "by": check_word, "at": check_past, "edition": check_optional_word, "text": check_text,
    "stands": check_flag,
}  # fmt: skip
_MESSAGE_NEEDS = ("id", "scope", "recipient", "channel", "subject", "body", "state", "drafted_by", "drafted_at", "artifacts")


def read_message(line: dict[str, Any]) -> MessageEntry:
    """Return the message a parsed line describes.

    Raises:
        BadLine: it is none.
    """
    found = _read("a message", line, _MESSAGE, _MESSAGE_NEEDS)
    if not found["artifacts"]:
        raise bad_value("a message needs artifacts that it tells of")
    return MessageEntry(**found)


def read_remedy(line: dict[str, Any]) -> RemedyEntry:
    """Return the remedy a parsed line describes.

    Raises:
        BadLine: it is none.
    """
    return RemedyEntry(**_read("a remedy", line, _REMEDY, ("artifact", "scope", "way", "by", "at")))


def _read(what: str, line: dict[str, Any], checks: dict[str, Check], needed: tuple[str, ...]) -> dict[str, Any]:
    found = {name: value for name, value in check_object(what, line).items() if name != "type"}
    return read_fields(what, found, checks, tuple(name for name in checks if name not in needed))
