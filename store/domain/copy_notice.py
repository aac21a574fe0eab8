"""What somebody who holds a file that left the store is asked when something in it is to be forgotten; nothing of that is in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from store.domain.times import format_time, word_day

#: What a file is called by the form it was made in.
FORM_WORDS = {
    "bundle": "an export as a bundle", "csv": "an export as CSV", "prov-json": "an export as PROV-JSON", "preview-csv": "the preview of a plan as CSV",
    "preview-json": "the preview of a plan as JSON", "rehearsal-csv": "a rehearsal as CSV", "rehearsal-json": "a rehearsal as JSON",
    "comparison-csv": "two rehearsals compared, as CSV", "comparison-json": "two rehearsals compared, as JSON", "neighbourhood-csv": "a list of dependencies as CSV",
    "letter-csv": "a letter to a source as CSV", "decisions-csv": "a sheet of decisions as CSV", "correction-csv": "the report of a correction as CSV",
    "rejections-csv": "a list of lines that were not taken, as CSV", "eml": "a message as a mail file", "mail": "a message by mail",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class HeldFile:
    """A file somebody holds: its number in the register, its form, when it was made (microseconds UTC), and its name where that may be told."""

    number: int
    form: str
    at: int
    name: str | None


def write_copy_subject(files: Sequence[HeldFile]) -> str:
    """Return the subject of the message."""
    if len(files) == 1:
        one = files[0]
        return f"Please destroy file no. {one.number}: {FORM_WORDS.get(one.form, 'a file')}, made on {word_day(one.at)}"
    return f"Please destroy {len(files)} files"


def write_copy_body(recipient: str, sender: str, request: str, files: Sequence[HeldFile]) -> str:
    """Return the text: which files of which day, and what is asked of whoever holds them."""
    told = [f"- {_say_file(one)}" for one in files]
    one = len(files) == 1
    return "\n".join([
        f"Dear {recipient},", "",
        f"you hold {'a file' if one else 'files'} from our records in which something stands that has to be forgotten:", "", *told, "",
        f"Please destroy {'it' if one else 'them'} and every copy you made or passed on, and answer with the day on which that was done.",
        "If you have to keep something of it under a rule, name the rule and the day on which it ends.",
        "If you still need the rest of it, ask us for a new file.", "",
        f"Our reference: {request}, {', '.join(f'export {one.number}' for one in files)}", "", sender,
    ])  # fmt: skip


def _say_file(one: HeldFile) -> str:
    words = FORM_WORDS.get(one.form, "a file")
    name = f" “{one.name}”" if one.name else ""
    return f"no. {one.number}: {words}{name}, made on {word_day(one.at)} at {format_time(one.at)[11:16]} UTC"
