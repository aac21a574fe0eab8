"""What people who hold something that no longer stands are told: states of a message, and its words (R24).

A message leaves the house: it holds titles, editions and statements, and no id, scope or name of a store.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from hashlib import sha256

from store.domain.times import format_time


class MessageState(IntEnum):
    """Where a message stands. Stored by value."""

    DRAFTED = 0
    APPROVED = 1
    SENT = 2
    FAILED = 3
    SEEN = 4
    CANCELLED = 5
    #: Taken up by somebody who sends it; where it stays so, nobody knows whether it arrived.
    SENDING = 6


#: Seconds after which a message that is still being sent counts as one of which nobody knows.
PATIENCE = 120
#: The word for each state, in screens, tables and files.
STATE_WORD = {state: state.name.lower() for state in MessageState}
#: States in which its recipient counts as told.
TOLD = (MessageState.SENT, MessageState.SEEN)
#: (state now, step) -> state then; what is no row here is refused.
MESSAGE_STEPS = {
    (MessageState.DRAFTED, "edit"): MessageState.DRAFTED,
    (MessageState.APPROVED, "edit"): MessageState.DRAFTED,
    (MessageState.FAILED, "edit"): MessageState.DRAFTED,
    (MessageState.DRAFTED, "approve"): MessageState.APPROVED,
    (MessageState.APPROVED, "send"): MessageState.SENDING,
    (MessageState.FAILED, "send"): MessageState.SENDING,
    (MessageState.SENDING, "arrived"): MessageState.SENT,
    (MessageState.SENDING, "refused"): MessageState.FAILED,
    (MessageState.SENDING, "send again"): MessageState.APPROVED,
    # Told by other means than this program's: by a file, by telephone, on the page where it was published.
    (MessageState.APPROVED, "told by hand"): MessageState.SENT,
    (MessageState.FAILED, "told by hand"): MessageState.SENT,
    (MessageState.SENT, "seen"): MessageState.SEEN,
    (MessageState.DRAFTED, "cancel"): MessageState.CANCELLED,
    (MessageState.APPROVED, "cancel"): MessageState.CANCELLED,
    (MessageState.FAILED, "cancel"): MessageState.CANCELLED,
}

#: Statements named of one document; the rest are counted.
_NAMED = 6
_LONGEST = 400


@dataclass(frozen=True, slots=True)
class Changed:
    """A statement that a document rests on and that no longer stands as it was. Texts come from outside.

    Attributes:
        now: the statement that stands in its place, where there is one.
        withdrawn: it is out of use for good; otherwise it is being looked at again.
    """

    statement: str
    now: str | None = None
    withdrawn: bool = False


@dataclass(frozen=True, slots=True)
class Holding:
    """A document that somebody holds, owns or runs. Texts come from outside; times in microseconds UTC.

    Attributes:
        as_owner: they own it, rather than having received it; `runs`: it is an action that is not finished.
        unnamed: how many more statements changed that the writer may not name. stands: it was looked at again and nothing is wrong with it now.
        remedy: `edition`, `annotation`, `none` or None; `remedy_text`: the title of the new edition, the annotation or the reason.
    """

    title: str
    edition: int
    channel: str
    delivered_at: int | None
    as_owner: bool
    runs: bool
    changed: tuple[Changed, ...]
    unnamed: int = 0
    remedy: str | None = None
    remedy_text: str | None = None
    stands: bool = False


def one_line(text: str, longest: int = _LONGEST) -> str:
    """Return outside text on one line, without controls, cut with a sign where it is long."""
    flat = " ".join("".join(mark if mark.isprintable() else " " for mark in text).split())
    return flat if len(flat) <= longest else f"{flat[: longest - 1]}…"


def hash_text(subject: str, body: str) -> str:
    """Return the SHA-256 of what a message says, as hex digits."""
    return sha256(f"{subject}\n\n{body}".encode()).hexdigest()


def write_subject(holdings: Sequence[Holding]) -> str:
    """Return the subject of a message about these documents."""
    if len(holdings) == 1:
        return f"Please check again: {one_line(holdings[0].title, 120)}"
    return f"Please check again: {len(holdings)} documents"


def write_body(recipient: str, writer: str, holdings: Sequence[Holding], *, first: int = 1) -> str:
    """Return the text of a message to one person about all they hold.

    Args:
        first: the number of the first document, where more are added to a message that was begun.
    """
    parts = [f"{n}. {_write_holding(one)}" for n, one in enumerate(holdings, first)]
    if first > 1:
        return "\n".join(["Since this was written, this was found too:", "", *parts])
    return "\n".join([
        f"To {one_line(recipient, 200)}", "", "Something has changed that the following rests on. Please do not rely on it before you have read this.", "",
        *parts, f"{one_line(writer, 200)}", "",
    ])  # fmt: skip


def _write_holding(one: Holding) -> str:
    title = f"{one_line(one.title, 200)}, edition {one.edition}"
    if one.as_owner:
        lines = [f"{title}: yours, and still being carried out" if one.runs else f"{title}: yours"]
    else:
        when = f" on {format_time(one.delivered_at)[:10]}" if one.delivered_at is not None else ""
        lines = [f"{title}: sent to you by {one_line(one.channel, 60)}{when}"]
    for changed in one.changed[:_NAMED]:
        said = one_line(changed.statement)
        if changed.now is not None:
            lines.append(f"   It says: {said}\n   Right is: {one_line(changed.now)}")
        elif changed.withdrawn:
            lines.append(f"   It says: {said}\n   This has been withdrawn.")
        else:
            lines.append(f"   It says: {said}\n   This is being checked again.")
    more = len(one.changed[_NAMED:]) + one.unnamed
    if more:
        lines.append(f"   {more} more {'statement' if more == 1 else 'statements'} it rests on changed too.")
    lines.append(f"   {_write_remedy(one)}")
    return "\n".join(lines) + "\n"


def _write_remedy(one: Holding) -> str:
    text = one_line(one.remedy_text or "", 2_000)
    if one.remedy == "edition":
        return f"A new edition replaces it: {text}"
    if one.remedy == "annotation":
        return f"Please read it with this note: {text}"
    if one.remedy == "none":
        return f"It needs no correction, because {text}"
    if one.stands:
        return "It was checked again and stands as it is."
    return "It is being checked; you will be told what becomes of it."
