"""The bundle format: one JSON object per line, strictly read (DESIGN section 8).

Rules of this reader:
- a line is UTF-8, one JSON object, no field twice, no NaN, no number that needs more than 400 digits,
  no nesting deeper than 60 levels, no text with NUL or half a surrogate pair;
- an unknown field is an error of its line, and so is a value of the wrong kind;
- a time without an offset is taken as UTC and marked so (R32);
- every problem is a `LineError` value with a code and a sentence, never an exception.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from store.domain import records
from store.domain.errors import Code
from store.domain.people import ROLES
from store.domain.records import Artifact, Binding, Claim, ConflictEntry, Delivery, Evidence, Person, Policy, ReadEntry, Source, Standing
from store.domain.scopes import check_scope
from store.domain.text import canonical_json, digest_bytes, find_forbidden
from store.domain.times import parse_time
from store.domain.values import COMPARISONS, VALUE_TYPES, Predicate, is_finite

Item = Source | Evidence | Claim | Artifact | Person | Predicate | ReadEntry | Policy | ConflictEntry

LONGEST_LINE = 64 * 1024 * 1024
_DEEPEST = 60
_MOST_DIGITS = 400
_LONGEST_ID = 500


@dataclass(frozen=True, slots=True)
class LineError:
    """Why a line was not taken."""

    line: int
    id: str | None
    code: Code
    message: str

    def to_json(self) -> dict[str, Any]:
        """Return the error as the command line prints it."""
        return {"line": self.line, "id": self.id, "code": self.code.value, "message": self.message}


class _Bad(Exception):
    def __init__(self, code: Code, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def _bad(message: str) -> _Bad:
    return _Bad(Code.BAD_VALUE, message)


# --- strict JSON ------------------------------------------------------------------------------------------------


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _Bad(Code.NOT_JSON, f"the field {twice!r} stands twice; keep one of them")
    return found


def _integer(text: str) -> int:
    if len(text) > _MOST_DIGITS:
        raise _bad(f"a number has {len(text)} digits; at most {_MOST_DIGITS} are kept. Give it as text")
    return int(text)


def _float(text: str) -> float:
    number = float(text) if len(text) <= _MOST_DIGITS else float("inf")
    if not is_finite(number):
        raise _bad(f"the number {text[:30]} is too large to keep. Give it as text")
    return number


def _constant(text: str) -> Any:
    raise _Bad(Code.NOT_JSON, f"{text} is not JSON; use null or a text")


_decode = json.JSONDecoder(
    object_pairs_hook=_pairs, parse_int=_integer, parse_float=_float, parse_constant=_constant
).decode


def _depth_of(value: Any) -> int:
    deepest, waiting = 0, [(value, 1)]
    while waiting:
        item, depth = waiting.pop()
        deepest = max(deepest, depth)
        if isinstance(item, dict):
            waiting.extend((inner, depth + 1) for inner in item.values())
        elif isinstance(item, list):
            waiting.extend((inner, depth + 1) for inner in item)
    return deepest


def read_json(text: str) -> Any:
    """Return strictly parsed JSON.

    Raises:
        ValueError: with a sentence that says what is wrong; `args[1]`, where there is one, is the `Code`.
    """
    try:
        value = _decode(text)
        if text.count("{") + text.count("[") > _DEEPEST and _depth_of(value) > _DEEPEST:
            raise _bad(f"it is nested more than {_DEEPEST} levels deep")
        if "\\u" in text or "\x00" in text:
            problem = find_forbidden(value)
            if problem:
                raise _bad(problem)
    except _Bad as bad:
        raise ValueError(bad.message, bad.code) from None
    except RecursionError:
        raise ValueError(f"it is nested more than {_DEEPEST} levels deep", Code.BAD_VALUE) from None
    except ValueError as error:
        raise ValueError(f"it is not JSON: {error}", Code.NOT_JSON) from None
    return value


# --- fields -----------------------------------------------------------------------------------------------------

Check = Callable[[str, Any], Any]


def _text(name: str, value: Any) -> str | None:
    if value is not None and not isinstance(value, str):
        raise _bad(f"{name} must be text or null")
    return value


def _word(name: str, value: Any) -> str:
    if not isinstance(value, str) or not value or len(value) > _LONGEST_ID:
        raise _bad(f"{name} must be a text of 1 to {_LONGEST_ID} characters")
    return value


def _optional_word(name: str, value: Any) -> str | None:
    return None if value is None else _word(name, value)


def _scope(name: str, value: Any) -> str:
    try:
        return check_scope(_word(name, value))
    except ValueError as error:
        raise _bad(str(error)) from None


def _whole(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**31:
        raise _bad(f"{name} must be a whole number from 0")
    return value


def _one_of(*allowed: str) -> Check:
    def check(name: str, value: Any) -> str:
        if not isinstance(value, str) or value not in allowed:
            raise _bad(f"{name} must be one of {', '.join(allowed)}")
        return value

    return check


def _words(name: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise _bad(f"{name} must be a list of texts")
    return tuple(_word(name, item) for item in value)


def _flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise _bad(f"{name} must be true or false")
    return value


def _object(name: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _bad(f"{name} must be an object")
    return value


def _optional_object(name: str, value: Any) -> dict[str, Any] | None:
    return None if value is None else _object(name, value)


def _share(name: str, value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise _bad(f"{name} must be a number from 0 to 1, or null")
    return float(value)


def _anything(_name: str, value: Any) -> Any:
    return value


def _moment(name: str, value: Any) -> tuple[int, bool] | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise _bad(f"{name} must be a time such as 2026-06-30T09:00:00Z, or null")
    try:
        return parse_time(value)
    except ValueError as error:
        raise _bad(f"{name}: {error}") from None


_SPAN_FIELDS = {"start", "end", "line_start", "line_end", "page", "pointer", "table"}


def _bindings(name: str, value: Any) -> tuple[Binding, ...]:
    if not isinstance(value, list):
        raise _bad(f"{name} must be a list")
    found = []
    for item in value:
        entry = _object(name, item)
        unknown = set(entry) - {"evidence", "span", "quote"}
        if unknown:
            raise _Bad(Code.UNKNOWN_FIELD, f"{name} has an unknown field {min(unknown)!r}")
        span = _optional_object("span", entry.get("span"))
        if span is not None and set(span) - _SPAN_FIELDS:
            raise _Bad(Code.UNKNOWN_FIELD, f"span has an unknown field {min(set(span) - _SPAN_FIELDS)!r}")
        found.append(Binding(_word("evidence", entry.get("evidence")), span, _text("quote", entry.get("quote"))))
    return tuple(found)


def _deliveries(name: str, value: Any) -> tuple[Delivery, ...]:
    if not isinstance(value, list):
        raise _bad(f"{name} must be a list")
    found = []
    for item in value:
        entry = _object(name, item)
        unknown = set(entry) - {"recipient", "channel", "delivered_at", "operation_id"}
        if unknown:
            raise _Bad(Code.UNKNOWN_FIELD, f"{name} has an unknown field {min(unknown)!r}")
        at = _moment("delivered_at", entry.get("delivered_at"))
        operation = _optional_word("operation_id", entry.get("operation_id"))
        recipient, channel = _word("recipient", entry.get("recipient")), _word("channel", entry.get("channel"))
        found.append(Delivery(recipient, channel, at and at[0], operation, bool(at and at[1])))
    return tuple(found)


def _roles(name: str, value: Any) -> tuple[tuple[str, str], ...]:
    if not isinstance(value, list):
        raise _bad(f"{name} must be a list")
    found = []
    for item in value:
        entry = _object(name, item)
        if set(entry) != {"role", "scope"}:
            raise _bad("each role needs exactly role and scope")
        found.append((_one_of(*ROLES)("role", entry["role"]), _scope("scope", entry["scope"])))
    return tuple(sorted(set(found)))


_STANDING: dict[str, Check] = {
    "status": _one_of(*records.LINE_STATUSES), "superseded_by": _optional_word, "route": _one_of(*records.ROUTES),
}  # fmt: skip
_CLAIM: dict[str, Check] = {
    "id": _word, "scope": _scope, "subject": _word, "predicate": _word, "value": _anything, "qualifiers": _object,
    "claim_type": _one_of(*records.CLAIM_TYPES), "evidence": _bindings, "derived_from": _words, "purposes": _words,
    "conditions": _text, "authority": _text, "speaker": _text, "confirmed_by": _text,
    "sensitivity": _one_of(*records.SENSITIVITIES), "owner": _optional_word, "impact": _one_of(*records.IMPACTS),
    "extraction": _optional_object, "entity_confidence": _share, "on_conflict": _word, "revalidate_on": _words,
    "task": _optional_word, "proposed_by": _optional_word, "statement": _text, "source_uri": _text,
    "source_span": _optional_object, "contributors": _words,
}  # fmt: skip
_CLAIM_TIMES = ("observed_at", "valid_from", "valid_to", "expires_at", "review_at")
_ARTIFACT: dict[str, Check] = {
    "id": _word, "scope": _scope, "artifact_type": _one_of(*records.ARTIFACT_TYPES), "title": _text,
    "owner": _optional_word, "impact": _one_of(*records.IMPACTS), "derived_from": _words, "body": _text, "edition": _whole,
    "edition_of": _optional_word, "deliveries": _deliveries, "task": _optional_word, "proposed_by": _optional_word,
    "contributors": _words,
}  # fmt: skip
_ARTIFACT_TIMES = ("expires_at", "review_at")
_SOURCE: dict[str, Check] = {
    "id": _word, "scope": _scope, "uri": _text, "title": _text, "authority": _text, "owner": _optional_word, "family": _optional_word,
}  # fmt: skip
_EVIDENCE: dict[str, Check] = {
    "id": _word, "source": _word, "version": _whole, "media_type": _word, "sha256": _optional_word, "content": _anything,
    "content_base64": _anything, "content_file": _anything,
}  # fmt: skip
_PREDICATE: dict[str, Check] = {
    "scope": _scope, "predicate": _word, "cardinality": _one_of("one", "many"), "value_type": _one_of(*VALUE_TYPES),
    "order": _one_of("list", "set"), "series": _flag, "compare": _one_of(*COMPARISONS), "about": _one_of("thing", "person"),
}  # fmt: skip
_POLICY: dict[str, Check] = {
    "scope": _scope, "entity_confidence": _share, "sensitivities": _words, "authority_ranks": _words,
    "house_rules": _anything, "usual_terms": _object,
}  # fmt: skip
_CONFLICT: dict[str, Check] = {
    "id": _word, "scope": _scope, "subject": _word, "predicate": _word, "qualifiers": _object, "state": _one_of("open", "closed"),
    "claims": _words, "verdict": _text, "reason": _text, "question": _text, "asked": _text, "owner": _optional_word,
    "opened_at": _text, "closed_at": _text, "cause": _text, "former": _optional_word, "signature": _text,
}  # fmt: skip


def _fields(line: dict[str, Any], checks: dict[str, Check], times: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the checked fields of a line, times parsed, `assumed_utc` and `standing` added where they belong."""
    found: dict[str, Any] = {}
    assumed = []
    standing: dict[str, Any] = {}
    for name, value in line.items():
        check = checks.get(name)
        if check is not None:
            found[name] = check(name, value)
        elif name in times:
            moment = _moment(name, value)
            found[name] = moment and moment[0]
            if moment is not None and moment[1]:
                assumed.append(name)
        elif times and name in _STANDING:
            standing[name] = None if value is None else _STANDING[name](name, value)
        elif name != "type":
            raise _Bad(Code.UNKNOWN_FIELD, f"unknown field {name[:60]!r}; remove it or mend its spelling")
    if times:
        found["assumed_utc"] = tuple(sorted(assumed))
        found["standing"] = Standing(**standing)
    return found


def _need(found: dict[str, Any], *names: str) -> None:
    for name in names:
        if found.get(name) is None:
            raise _bad(f"{name} is missing")


def _claim(line: dict[str, Any], default_scope: str | None) -> Claim:
    if "claim_id" in line and "id" not in line:
        line = {"id": line["claim_id"], **{name: value for name, value in line.items() if name != "claim_id"}}
    found = _fields(line, _CLAIM, _CLAIM_TIMES)
    if found.get("scope") is None:
        found["scope"] = default_scope
    _need(found, "id", "scope", "subject", "predicate")
    if "value" not in found:
        raise _bad("value is missing")
    if found.get("valid_from") is not None and found.get("valid_to") is not None and found["valid_from"] >= found["valid_to"]:
        raise _bad("valid_to must be later than valid_from")
    found["derived_from"] = tuple(sorted(set(found.get("derived_from", ()))))
    return Claim(**found)


def _artifact(line: dict[str, Any], default_scope: str | None) -> Artifact:
    found = _fields(line, _ARTIFACT, _ARTIFACT_TIMES)
    if found.get("scope") is None:
        found["scope"] = default_scope
    _need(found, "id", "scope", "artifact_type")
    found["derived_from"] = tuple(sorted(set(found.get("derived_from", ()))))
    return Artifact(**found)


def _source(line: dict[str, Any], default_scope: str | None) -> Source:
    found = _fields(line, _SOURCE)
    found["scope"] = found.get("scope") or default_scope
    _need(found, "id", "scope")
    return Source(**{**found, "family": found.get("family") or found["id"]})


def _evidence(line: dict[str, Any], read_file: Callable[[str], bytes] | None) -> Evidence:
    found = _fields(line, _EVIDENCE, ("captured_at",))
    _need(found, "id", "source")
    given = [name for name in ("content", "content_base64", "content_file") if found.get(name) is not None]
    if len(given) != 1:
        raise _bad("exactly one of content, content_base64 and content_file must be given")
    raw = found[given[0]]
    if not isinstance(raw, str):
        raise _bad(f"{given[0]} must be text")
    if given[0] == "content":
        content = raw.encode("utf-8")
    elif given[0] == "content_base64":
        try:
            content = base64.b64decode(raw, validate=True)
        except binascii.Error as error:
            raise _bad(f"content_base64 is not base64: {error}") from None
    elif read_file is None:
        raise _bad("content_file works only on the command line; give content")
    else:
        try:
            content = read_file(raw)
        except (OSError, ValueError) as error:
            raise _bad(f"content_file cannot be read: {error}") from None
    sha256 = digest_bytes(content)
    if found.get("sha256") not in (None, sha256):
        raise _bad(f"sha256 is {sha256[:12]}… for these bytes, not {found['sha256'][:12]}…; capture it again")
    for name in ("content", "content_base64", "content_file"):
        found.pop(name, None)
    found["sha256"] = sha256
    found.setdefault("version", 1)
    found.setdefault("media_type", "text/plain")
    found.setdefault("captured_at", None)
    return Evidence(content=content, **found)


def _person(line: dict[str, Any]) -> Person:
    found = _fields(line, {"id": _word, "name": _optional_word, "roles": _roles})
    _need(found, "id")
    return Person(found["id"], found.get("name") or found["id"], found.get("roles", ()))


def _predicate(line: dict[str, Any], default_scope: str | None) -> Predicate:
    found = _fields(line, _PREDICATE)
    found["scope"] = found.get("scope") or default_scope
    _need(found, "scope", "predicate")
    return Predicate(
        found["scope"], found["predicate"], found.get("cardinality") == "many", found.get("value_type", "json"),
        found.get("order", "list"), found.get("series", False), found.get("compare", "exact"), found.get("about", "thing"),
    )  # fmt: skip


def _read(line: dict[str, Any], default_scope: str | None) -> ReadEntry:
    checks: dict[str, Check] = {"task": _optional_word, "by": _optional_word, "records": _words, "at": _moment, "scope": _scope}
    found = _fields(line, checks)
    at = found.get("at")
    return ReadEntry(found.get("task"), found.get("by"), at and at[0], found.get("records", ()), found.get("scope") or default_scope)


def _policy(line: dict[str, Any], default_scope: str | None) -> Policy:
    found = _fields(line, _POLICY)
    scope = found.pop("scope", None) or default_scope
    _need({"scope": scope}, "scope")
    return Policy(scope, {name: list(value) if isinstance(value, tuple) else value for name, value in sorted(found.items())})


def _conflict(line: dict[str, Any]) -> ConflictEntry:
    found = _fields(line, _CONFLICT)
    _need(found, "id", "scope", "subject", "predicate", "state")
    own = {"id", "scope", "subject", "predicate", "qualifiers", "state", "claims"}
    fields = {name: value for name, value in sorted(found.items()) if name not in own}
    return ConflictEntry(
        found["id"], found["scope"], found["subject"], found["predicate"], found.get("qualifiers", {}), found["state"],
        found.get("claims", ()), fields,
    )  # fmt: skip


def parse_object(
    line: dict[str, Any], default_scope: str | None = None, read_file: Callable[[str], bytes] | None = None
) -> Item:
    """Return the item a parsed line describes.

    Raises:
        ValueError: with a sentence; `args[1]` is the `Code`.
    """
    kind = line.get("type", "claim")
    try:
        match kind:
            case "claim":
                return _claim(line, default_scope)
            case "artifact":
                return _artifact(line, default_scope)
            case "evidence":
                return _evidence(line, read_file)
            case "source":
                return _source(line, default_scope)
            case "person":
                return _person(line)
            case "predicate":
                return _predicate(line, default_scope)
            case "read":
                return _read(line, default_scope)
            case "policy":
                return _policy(line, default_scope)
            case "conflict":
                return _conflict(line)
        raise _bad(f"unknown type {str(kind)[:40]!r}")
    except _Bad as bad:
        raise ValueError(bad.message, bad.code) from None


def parse_line(
    number: int, raw: bytes, default_scope: str | None = None, read_file: Callable[[str], bytes] | None = None
) -> Item | LineError:
    """Return the item of line `number`, or why it cannot be taken."""
    record_id: str | None = None
    try:
        if len(raw) > LONGEST_LINE:
            raise ValueError(f"the line has {len(raw):,} bytes; at most {LONGEST_LINE:,} are read", Code.BAD_VALUE)
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            raise ValueError(f"it is not UTF-8 (byte {error.start + 1})", Code.NOT_JSON) from None
        line = read_json(text)
        if not isinstance(line, dict):
            raise ValueError("it is JSON, but not an object", Code.NOT_JSON)
        named = line.get("id", line.get("claim_id"))
        record_id = named[:_LONGEST_ID] if isinstance(named, str) else None
        return parse_object(line, default_scope, read_file)
    except ValueError as error:
        code = error.args[1] if len(error.args) > 1 else Code.BAD_VALUE
        return LineError(number, record_id, code, f"Line {number} was not taken: {error.args[0]}.")


def write_line(line: dict[str, Any]) -> str:
    """Return a line of a bundle, without its end."""
    return canonical_json(line)
