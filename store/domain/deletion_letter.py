"""The letter to somebody who asked that something be forgotten: what is gone, what is kept until when, what cannot be undone (R26, R27)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from store.domain.forgetting import OUTSIDE, Surface
from store.domain.times import parse_time, word_day


@dataclass(frozen=True, slots=True)
class LetterLine:
    """A surface, or a copy below one, as the letter tells of it. Times as text, UTC.

    Attributes:
        copy: 0 for the surface itself.
        rule, until: under which it is kept, and when that lapses.
    """

    surface: str
    copy: int
    state: str
    rule: str | None
    until: str | None


@dataclass(frozen=True, slots=True)
class DeletionLetter:
    """What the letter says, in parts.

    Attributes:
        records: kind -> how many records are forgotten; `passages`: how many passages are blotted out of documents that stay.
        fell: how many records that rested on them have to be looked at anew.
        cleared, kept, waiting: the surfaces that are cleared, what is kept until a date, and what is not settled yet.
        none: the surfaces outside of which there is none that held it.
        unreachable: the surfaces of which nobody can say.
        verified: whether a search afterwards found nothing; None where none was made.
        not_searched: how many words of it are too short or too common to be searched for.
        also: in how many places of other records, which are not forgotten, the same words stand, names they go by among them.
        lapses: the last date on which something kept lapses.
    """

    request: str
    state: str
    ground: str
    asked_at: str
    finished_at: str | None
    due_at: str | None
    records: Mapping[str, int]
    passages: int
    fell: int
    cleared: tuple[LetterLine, ...]
    kept: tuple[LetterLine, ...]
    waiting: tuple[LetterLine, ...]
    none: tuple[LetterLine, ...]
    unreachable: tuple[LetterLine, ...]
    verified: bool | None
    not_searched: int
    also: int
    lapses: str | None

    @property
    def held(self) -> bool:
        """Return whether somebody holds a file with it that is not known to be destroyed."""
        return any(line.surface == Surface.EXPORTS.value and line.copy for line in (*self.waiting, *self.kept))


def compose_letter(content: Mapping[str, Any]) -> DeletionLetter:
    """Return the letter about a request, from what its receipt says, or would say now."""
    lines = []
    for surface in content["surfaces"]:
        copies = surface["copies"]
        # Where single copies are known, each is told by itself.
        for one in copies or [surface]:
            lines.append(LetterLine(surface["name"], one.get("copy", 0), one["state"], one["rule"], one["until"]))
    outside = {one.value for one in OUTSIDE}
    none = tuple(line for line in lines if line.state == "done" and line.surface in outside and not line.copy)
    by = {
        "cleared": ("done",), "kept": ("kept",), "waiting": ("open", "working", "failed"), "unreachable": ("unsupported",),
    }  # fmt: skip
    parts = {name: tuple(line for line in lines if line.state in states and line not in none) for name, states in by.items()}
    until = [line.until for line in parts["kept"] if line.until is not None]
    verification = content["verification"]
    return DeletionLetter(
        content["request"], content["state"], content["ground"], content["entered_at"], content["finished_at"], content["due_at"],
        {kind: count for kind, count in content["records"].items() if kind != "total"}, content["passages"]["total"], content["fell"],
        parts["cleared"], parts["kept"], parts["waiting"], none, parts["unreachable"], None if verification is None else verification["ok"],
        0 if verification is None else verification.get("not_searched", 0), 0 if verification is None else verification.get("also_places", 0) + verification.get("names", 0),
        max(until) if until else None,
    )  # fmt: skip


#: What a letter calls each surface: as the desk does.
SURFACE_NAMES = {
    "record": "The records and their text", "evidence": "Passages in documents", "search_index": "The search index", "caches": "Remembered answers and finished texts",
    "previews": "Saved plans and previews", "history": "History and events", "read_log": "What agents were told", "exports": "Files that were exported",
    "replicas": "Copies of the database", "logs": "Other logs", "backups": "Backups",
}  # fmt: skip
#: What a letter calls the rules that the store has of its own.
RULE_NAMES = {"backup retention": "no backup is kept longer than that"}


def write_plainly(letter: DeletionLetter) -> list[str]:
    """Return the letter as plain lines of English: the same lines as the desk writes in its language."""
    lines = [f"About your request {letter.request} of {_day(letter.asked_at)}", ""]
    if letter.state == "refused":
        return [*lines, "We have refused the request, so nothing was forgotten. You may ask us for the reason, and you may ask again."]
    what, day = ", ".join(_count(count, kind) for kind, count in letter.records.items() if count), _day(letter.asked_at)
    if letter.state == "complete":
        lines += [f"What you asked us to forget ({what}) is erased since {_day(letter.finished_at)}. Nobody here can use, see or find it any more.", ""]
    else:
        lines += [f"We are carrying it out. What you asked us to forget ({what}) has not been used, shown or found here since {day}.", ""]
    if letter.passages:
        lines.append(f"In documents that stay, {_count(letter.passages, 'passage')} {'was' if letter.passages == 1 else 'were'} blacked out.")
    if letter.fell:
        lines.append(f"{_count(letter.fell, 'other record')} {'was' if letter.fell == 1 else 'were'} worked out from it. We are checking {'it' if letter.fell == 1 else 'them'} again.")
    if letter.verified is not None:
        looked = "all of our store for it, and found nothing left of it" if letter.verified else "our store for it and still found something. We are looking into it"
        lines.append(f"Afterwards we searched {looked}.")
    if letter.also:
        lines.append(f"The same words also stand in {_count(letter.also, 'place')} of other records, which were not part of the request.")
    if letter.not_searched:
        lines.append("We did not search for single words that many texts hold, such as the name of a town: finding one would not show that anything of it is left.")
    lines += _listed("It is erased from:", [_name(line) for line in letter.cleared])
    lines += _listed("It is kept for a while in:", [f"{_name(line)}, until {_day(line.until)} ({_rule(line.rule)})" for line in letter.kept])
    lines += _listed("We are still seeing to:", [_name(line) for line in letter.waiting])
    lines += _listed("There is nothing of it in:", [_name(line) for line in letter.none])
    lines += _listed("We cannot say what becomes of it in:", [_name(line) for line in letter.unreachable])
    lines += ["", "What we cannot undo: answers that were given before you asked cannot be taken back."]
    if letter.held:
        lines.append("Whoever holds a file with it is asked to destroy it.")
    return [*lines, "That there was a request, when, and what was done about it stays on record, without anything of what was forgotten."]


def _day(text: str | None) -> str:
    return word_day(parse_time(text)[0]) if text else "an unknown day"


def _rule(rule: str | None) -> str:
    return RULE_NAMES.get(rule or "", rule or "by rule")


def _count(count: int, word: str) -> str:
    plural = {"evidence": "documents", "claim": "statements", "artifact": "reports"}
    single = {"evidence": "document", "claim": "statement", "artifact": "report"}
    return f"{count:,} {single.get(word, word) if count == 1 else plural.get(word, word + 's')}"


def _name(line: LetterLine) -> str:
    name = SURFACE_NAMES.get(line.surface, line.surface)
    return f"{name}, number {line.copy}" if line.copy else name


def _listed(title: str, items: list[str]) -> list[str]:
    return ["", title, *(f"– {item}" for item in items)] if items else []
