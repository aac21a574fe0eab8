"""A correction as a line of a bundle: what a case says of itself, what happened in it, what fell and how each was settled.

Event numbers mean nothing in another store, so that a case carries what its events were instead.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from store.domain.corrections import STEPS, WAIVABLE, WAY_WORD, Way
from store.domain.errors import Code
from store.domain.fields import (
    Check,
    check_moment,
    check_object,
    check_one_of,
    check_optional_word,
    check_path,
    check_text,
    check_whole,
    check_word,
    check_words,
)
from store.domain.strict_json import BadLine, bad_value
from store.domain.times import format_time

_WAYS = {word: way for way, word in WAY_WORD.items()}
_STEPS = (*STEPS, "case")


@dataclass(frozen=True, slots=True)
class CarriedEvent:
    """What happened in a case; `at` in microseconds UTC."""

    step: str
    at: int
    by: str
    action: str
    count: int = 0
    reason: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the event as it stands in a line."""
        found = {"step": self.step, "at": format_time(self.at), "by": self.by, "action": self.action, "count": self.count, "reason": self.reason}
        return {name: value for name, value in found.items() if value is not None}


@dataclass(frozen=True, slots=True)
class CarriedWaiver:
    """What a case leaves open on purpose; `at` in microseconds UTC."""

    kind: str
    about: str
    reason: str
    by: str
    at: int


@dataclass(frozen=True, slots=True)
class CorrectionEntry:
    """A correction as exported; times in microseconds UTC.

    Attributes:
        fell: record id -> how it was settled.
    """

    id: str
    scope: str
    title: str
    opened_by: str
    opened_at: int
    cause: str | None = None
    owner: str | None = None
    due_at: int | None = None
    closed_by: str | None = None
    closed_at: int | None = None
    closing_note: str | None = None
    sources: tuple[str, ...] = ()
    waivers: tuple[CarriedWaiver, ...] = ()
    events: tuple[CarriedEvent, ...] = ()
    fell: dict[str, Way] = field(default_factory=dict)

    def to_line(self) -> dict[str, Any]:
        """Return the bundle line."""
        line: dict[str, Any] = {"type": "correction", "id": self.id, "scope": self.scope, "title": self.title, "opened_by": self.opened_by, "opened_at": format_time(self.opened_at)}
        for name in ("cause", "owner", "closed_by", "closing_note"):
            if getattr(self, name) is not None:
                line[name] = getattr(self, name)
        for name in ("due_at", "closed_at"):
            if getattr(self, name) is not None:
                line[name] = format_time(getattr(self, name))
        line["sources"] = list(self.sources)
        line["waivers"] = [{"kind": one.kind, "about": one.about, "reason": one.reason, "by": one.by, "at": format_time(one.at)} for one in self.waivers]
        line["events"] = [one.to_json() for one in self.events]
        line["fell"] = [{"record": record, "settled": WAY_WORD[way]} for record, way in sorted(self.fell.items())]
        return line


def check_past(name: str, value: Any) -> int:
    """Return a time that must be given, in microseconds UTC."""
    moment = check_moment(name, value)
    if moment is None:
        raise bad_value(f"{name} is missing")
    return moment[0]


def check_long(name: str, value: Any) -> str:
    """Return a text that is not empty, of any length."""
    if not isinstance(value, str) or not value:
        raise bad_value(f"{name} must be a text")
    return value


_WAIVER: dict[str, Check] = {"kind": check_one_of(*WAIVABLE), "about": check_word, "reason": check_long, "by": check_word, "at": check_past}
_EVENT: dict[str, Check] = {"step": check_one_of(*_STEPS), "at": check_past, "by": check_word, "action": check_word, "count": check_whole, "reason": check_long}
_FELL: dict[str, Check] = {"record": check_word, "settled": check_one_of(*_WAYS)}
_LINE: dict[str, Check] = {
    "id": check_word, "scope": check_path, "title": check_long, "cause": check_text, "owner": check_optional_word, "due_at": check_past, "opened_by": check_word,
    "opened_at": check_past, "closed_by": check_optional_word, "closed_at": check_past, "closing_note": check_text, "sources": check_words,
}  # fmt: skip


def read_fields(what: str, value: Any, checks: dict[str, Check], optional: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the checked fields of an object; what is neither there nor optional is an error."""
    entry = check_object(what, value)
    unknown = set(entry) - set(checks)
    if unknown:
        raise BadLine(Code.UNKNOWN_FIELD, f"{what} has an unknown field {min(unknown)[:60]!r}")
    missing = set(checks) - set(entry) - set(optional)
    if missing:
        raise bad_value(f"{what} lacks {min(missing)}")
    return {name: checks[name](name, entry[name]) for name in entry}


def _list(line: dict[str, Any], name: str, checks: dict[str, Check], optional: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    values = line.get(name, [])
    if not isinstance(values, list):
        raise bad_value(f"{name} must be a list")
    return [read_fields(name, value, checks, optional) for value in values]


def _need_once(name: str, values: list[str]) -> None:
    twice = next((one for n, one in enumerate(values) if one in values[:n]), None) if len(set(values)) < len(values) else None
    if twice is not None:
        raise bad_value(f"{name} holds {twice[:80]!r} twice")


def read_correction(line: dict[str, Any]) -> CorrectionEntry:
    """Return the correction a parsed line describes.

    Raises:
        BadLine: it is none.
    """
    lists = ("waivers", "events", "fell")
    optional = ("cause", "owner", "due_at", "closed_by", "closed_at", "closing_note", "sources")
    found = read_fields("a correction", {name: value for name, value in line.items() if name not in ("type", *lists)}, _LINE, optional)
    if (found.get("closed_at") is None) != (found.get("closed_by") is None):
        raise bad_value("a closed correction needs closed_by and closed_at")
    fallen = _list(line, "fell", _FELL)
    waivers = tuple(CarriedWaiver(**one) for one in _list(line, "waivers", _WAIVER))
    _need_once("fell", [one["record"] for one in fallen])
    _need_once("waivers", [f"{one.kind} {one.about}" for one in waivers])
    _need_once("sources", list(found.get("sources", ())))
    return CorrectionEntry(
        **found,
        waivers=waivers,
        events=tuple(CarriedEvent(**one) for one in _list(line, "events", _EVENT, ("count", "reason"))),
        fell={one["record"]: _WAYS[one["settled"]] for one in fallen},
    )
