"""What is hidden on a screen until somebody with the right asks to see it: flagged values and claims that are marked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any

from store.domain.detection import Flag, is_sensitive_name
from store.domain.records import Artifact, Binding, Claim, Record

#: What stands in the place of a text that is veiled.
VEIL = "▒▒▒▒▒▒"
#: Kinds of flags that hide nothing by themselves: how somebody is reached is on most records about people.
UNVEILED = frozenset({"contact"})


@dataclass(frozen=True, slots=True)
class Veil:
    """Who looks, as far as veils go.

    Attributes:
        shown: (tenant, id, version) of what this person asked to see in this session.
    """

    shown: frozenset[tuple[str, str, int]] = frozenset()


#: The veil of the look going on; None: nothing is veiled, as for actions, checks and what agents are told (R15).
_veil: ContextVar[Veil | None] = ContextVar("veil", default=None)


def _veiled_names(record: Claim | dict[str, Any], flags: Sequence[Flag]) -> dict[str, Any]:
    """Return the names of a claim, or of its line, that were flagged themselves, each with a veil in its place."""
    flagged = {flag.field for flag in flags if flag.kind not in UNVEILED}
    names: dict[str, Any] = {name: VEIL for name in ("subject", "predicate", "speaker", "confirmed_by", "authority", "source_uri") if name in flagged}
    if any(field.startswith("qualifiers") for field in flagged):
        qualifiers = record.get("qualifiers") or {} if isinstance(record, dict) else record.qualifiers
        names["qualifiers"] = {VEIL: VEIL} if "qualifiers/" in flagged else dict.fromkeys(qualifiers, VEIL)
    if any(field.startswith("purposes") for field in flagged):
        names["purposes"] = [VEIL] if isinstance(record, dict) else (VEIL,)
    return names


def hide_line(line: dict[str, Any], flags: Sequence[Flag] = ()) -> dict[str, Any]:
    """Return a record's line with a veil in the place of its value and every text of its own, as `hide` does."""
    hidden = {name: VEIL for name in ("statement", "conditions", "body") if line.get(name) is not None}
    if line.get("type") == "claim" or "predicate" in line:
        hidden["value"] = VEIL
        hidden |= _veiled_names(line, flags)
    found = {**line, **hidden, **({"title": None} if "title" in line else {})}
    if line.get("evidence"):
        found["evidence"] = [{**one, "quote": VEIL} if one.get("quote") is not None else one for one in line["evidence"]]
    found.pop("source_span", None)
    return found


def record_of_line(line: dict[str, Any]) -> Claim | Artifact:
    """Return as much of a record as is looked through, from a line of an earlier version of it."""
    if "predicate" in line:
        bindings = tuple(Binding(one["evidence"], one.get("span"), one.get("quote")) for one in line.get("evidence", ()))
        return Claim(
            str(line.get("id")), str(line.get("scope")), str(line["subject"]), str(line["predicate"]), line.get("value"), line.get("qualifiers") or {},
            evidence=bindings, statement=line.get("statement"), conditions=line.get("conditions"), sensitivity=line.get("sensitivity") or "normal",
        )  # fmt: skip
    return Artifact(str(line.get("id")), str(line.get("scope")), str(line.get("artifact_type")), title=line.get("title"), body=line.get("body"))


@contextmanager
def veiling(shown: frozenset[tuple[str, str, int]] = frozenset()) -> Iterator[None]:
    """Veil what is looked at inside, but for what is named."""
    token = _veil.set(Veil(shown))
    try:
        yield
    finally:
        _veil.reset(token)


def lower_veil(shown: frozenset[tuple[str, str, int]] = frozenset()) -> None:
    """Veil what is looked at from here on, in this run of a screen or a command, but for what is named."""
    _veil.set(Veil(shown))


def veil_now() -> Veil | None:
    """Return the veil of the look going on, None where nothing is veiled."""
    return _veil.get()


def veil_shown() -> frozenset[tuple[str, str, int]]:
    """Return what whoever looks now asked to see; nothing where nothing is veiled."""
    veil = _veil.get()
    return frozenset() if veil is None else veil.shown


def hide_name(name: str) -> str:
    """Return a name as it stands in a list of what is veiled: with a veil in its place where it is what has to be hidden."""
    return VEIL if is_sensitive_name(name) else name


def must_veil(record: Record, flags: Sequence[Flag]) -> bool:
    """Return whether a record is veiled: it is marked as more than normal, or something in it was flagged."""
    return (isinstance(record, Claim) and record.sensitivity != "normal") or any(flag.kind not in UNVEILED for flag in flags)


def hide(record: Record, flags: Sequence[Flag] = ()) -> Record:
    """Return a record with a veil in the place of its value and every text of its own; where its passages stand stays.

    Of the names it goes by those are veiled that were flagged themselves. A scope is a place people go to and stays as it is.
    """
    if isinstance(record, Claim):
        record = replace(record, **_veiled_names(record, flags))
        bindings = tuple(Binding(one.evidence, one.span, None if one.quote is None else VEIL) for one in record.evidence)
        return replace(
            record, value=VEIL, statement=None if record.statement is None else VEIL, conditions=None if record.conditions is None else VEIL,
            evidence=bindings, source_span=None,
        )  # fmt: skip
    if isinstance(record, Artifact):
        return replace(record, title=None, body=None if record.body is None else VEIL)
    return record
