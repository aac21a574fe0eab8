"""What people who hold something that no longer stands are told: states of a message, and its words (R24).

A message leaves the house: it holds titles, editions and statements, and no id, scope or name of a store.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from hashlib import sha256
from typing import Any

from store.domain.text import canonical_json
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
#: The word for messages that were being sent and of which nobody knows whether they arrived.
UNKNOWN = "unknown"
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
        was, becomes: its value before and after, where both are known and differ.
    """

    statement: str
    now: str | None = None
    withdrawn: bool = False
    was: str | None = None
    becomes: str | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """What a passage of a source said, and says in the version that stands. Texts come from outside.

    Attributes:
        after: None where nothing like it is there any more, or no version stands.
    """

    before: str
    after: str | None = None


@dataclass(frozen=True, slots=True)
class Root:
    """A version of a source in which it began. Texts come from outside; times in microseconds UTC.

    Attributes:
        fate: `withdrawn`, `replaced`, `checked` or `stands`, where it was found right after all; `newer`: the version that stands instead.
        passages: what changed in it, as far as the document rests on that.
    """

    title: str
    version: int
    fate: str
    newer: int | None = None
    newer_at: int | None = None
    passages: tuple[Said, ...] = ()


@dataclass(frozen=True, slots=True)
class Cause:
    """Why documents no longer stand: what somebody did, in their words. Texts come from outside; times in microseconds UTC.

    Attributes:
        words: why; None where they may not be passed on, or were erased.
        changed: statements further up that changed and that the document does not name itself.
        unnamed: how many versions and statements there are besides that may not be passed on.
    """

    who: str
    at: int
    words: str | None
    roots: tuple[Root, ...] = ()
    changed: tuple[Changed, ...] = ()
    unnamed: int = 0


@dataclass(frozen=True, slots=True)
class Holding:
    """A document that somebody holds, owns or runs. Texts come from outside; times in microseconds UTC.

    Attributes:
        as_owner: they own it, rather than having received it; `runs`: it is an action that is not finished.
        unnamed: how many more statements changed that the writer may not name. stands: it was looked at again and nothing is wrong with it now.
        remedy: `edition`, `annotation`, `none` or None; `remedy_text`: the title of the new edition, the annotation or the reason.
        causes: what made it fall, the oldest first.
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
    causes: tuple[Cause, ...] = ()


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


def say_value(value: Any) -> str:
    """Return a value as people read it."""
    if isinstance(value, dict) and set(value) == {"amount", "currency"}:
        return f"{say_value(value['amount'])} {value['currency']}"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return f"{value:,}"
    if isinstance(value, list) and all(isinstance(one, str | int | float) for one in value):
        return ", ".join(map(str, value))
    return value if isinstance(value, str) else canonical_json(value)


def write_body(recipient: str, writer: str, holdings: Sequence[Holding], *, first: int = 1) -> str:
    """Return the text of a message to one person about all they hold.

    Args:
        first: the number of the first document, where more are added to a message that was begun.
    """
    # What is the same for all of them is said once.
    shared = holdings[0].causes if holdings and all(one.causes == holdings[0].causes for one in holdings) else ()
    causes = ["What happened:", *_write_causes(shared), ""] if shared else []
    parts = [f"{n}. {_write_holding(one, () if shared else one.causes)}" for n, one in enumerate(holdings, first)]
    if first > 1:
        return "\n".join(["Since this was written, this was found too:", "", *causes, *parts])
    return "\n".join([
        f"To {one_line(recipient, 200)}", "", "Something has changed that the following rests on. Please do not rely on it before you have read this.", "",
        *causes, *parts, f"{one_line(writer, 200)}", "",
    ])  # fmt: skip


def _write_holding(one: Holding, causes: Sequence[Cause]) -> str:
    title = f"{one_line(one.title, 200)}, edition {one.edition}"
    if one.as_owner:
        lines = [f"{title}: yours, and still being carried out" if one.runs else f"{title}: yours"]
    else:
        when = f" on {_day(one.delivered_at)}" if one.delivered_at is not None else ""
        lines = [f"{title}: sent to you by {one_line(one.channel, 60)}{when}"]
    lines += _write_changes(one.changed[:_NAMED])
    more = len(one.changed[_NAMED:]) + one.unnamed
    if more:
        lines.append(f"   {more} more {'statement' if more == 1 else 'statements'} it rests on changed too.")
    if causes:
        lines += ["   What happened:", *_write_causes(causes)]
    if one.stands and not one.changed and not one.unnamed and not any(cause.roots or cause.changed or cause.unnamed for cause in one.causes):
        lines.append("   What it rests on itself stands as before.")
    lines.append(f"   {_write_remedy(one)}")
    return "\n".join(lines) + "\n"


def _write_changes(changes: Sequence[Changed]) -> list[str]:
    """Return what became of statements: those with something in their place first, then what is withdrawn, then what is being checked."""
    lines = []
    for changed in changes:
        if changed.now is not None:
            lines += [f"   It says: {one_line(changed.statement)}", f"   Right is: {one_line(changed.now)}"]
            if changed.was is not None and changed.becomes is not None:
                lines.append(f"   Changed: {one_line(changed.was, 200)} -> {one_line(changed.becomes, 200)}")
    for title, withdrawn in (("Withdrawn:", True), ("Being checked again:", False)):
        its = [changed for changed in changes if changed.now is None and changed.withdrawn is withdrawn]
        if its:
            lines += [f"   {title}", *(f"   - {one_line(changed.statement)}" for changed in its)]
    return lines


def _write_causes(causes: Sequence[Cause]) -> list[str]:
    """Return what happened; the same reason, as the many events of one correction share it, is given once."""
    lines: list[str] = []
    told: set[str] = set()
    for cause in causes:
        written = _write_cause(cause)
        # The reason, or who noted it, is the last line of a cause.
        said = cause.words or written[-1]
        lines += written[:-1] if said in told else written
        told.add(said)
    return lines


def _write_cause(cause: Cause) -> list[str]:
    lines = []
    for root in cause.roots[:_NAMED]:
        lines.append(f"   {_write_root(root)}")
        for said in root.passages[:_NAMED]:
            lines.append(f'   - It said: "{one_line(said.before)}"')
            if root.newer is not None:
                lines.append("     The new version does not say so any more." if said.after is None else f'     It says now: "{one_line(said.after)}"')
        if len(root.passages) > _NAMED:
            lines.append(f"   {len(root.passages) - _NAMED} more of its passages concern you.")
    if cause.changed:
        lines += ["   It goes back to this:", *_write_changes(cause.changed[:_NAMED])]
    more = len(cause.roots[_NAMED:]) + len(cause.changed[_NAMED:]) + cause.unnamed
    if more:
        lines.append(f"   It goes back to {more} more {'thing' if more == 1 else 'things'} that changed." if lines else "   Something further up that it rests on changed.")
    if cause.words:
        lines.append(f"   Why, in the words of {one_line(cause.who, 120)} on {_day(cause.at)}: {one_line(cause.words, 1_000)}")
    else:
        lines.append(f"   Noted by {one_line(cause.who, 120)} on {_day(cause.at)}.")
    return lines


def _write_root(root: Root) -> str:
    named = f"{one_line(root.title, 200)}, version {root.version}"
    newer = ""
    if root.newer is not None:
        newer = f"version {root.newer}{'' if root.newer_at is None else f' of {_day(root.newer_at)}'}"
    if root.fate == "stands":
        return f"{named}, was checked and stands as it is."
    if root.fate == "checked":
        return f"{named}, is being checked and is not to be used for now."
    if root.fate == "replaced" and newer:
        return f"{named}, was replaced by {newer}."
    return f"{named}, was withdrawn; {newer} stands." if newer else f"{named}, was withdrawn."


def _day(at: int) -> str:
    return format_time(at)[:10]


def _write_remedy(one: Holding) -> str:
    text = one_line(one.remedy_text or "", 2_000)
    if one.remedy == "edition":
        return f"What to do: A new edition replaces it: {text}. Use that one, and tell whoever has this one from you."
    if one.remedy == "annotation":
        return f"What to do: Please read it with this note: {text}"
    if one.remedy == "none":
        return f"What to do: nothing. It needs no correction, because {text}"
    if one.stands:
        return "What to do: nothing. It was checked again and stands as it is."
    if one.as_owner:
        return "What to do: stop it, or check what it does, before it goes on." if one.runs else "What to do: check it, and say how it is put right."
    return "What to do: do not use it for now. It is being checked; you will be told what becomes of it."
