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
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from store.domain import records
from store.domain.correction_line import CorrectionEntry, read_correction
from store.domain.declaring import check_predicate, check_thresholds, check_tolerance
from store.domain.errors import Code
from store.domain.fields import (
    LONGEST_ID,
    Check,
    check_anything,
    check_bindings,
    check_deliveries,
    check_flag,
    check_moment,
    check_object,
    check_one_of,
    check_optional_object,
    check_optional_word,
    check_path,
    check_questions,
    check_record_id,
    check_rendition,
    check_roles,
    check_share,
    check_spans,
    check_text,
    check_whole,
    check_word,
    check_words,
)
from store.domain.mail import find_address
from store.domain.message_line import MessageEntry, RemedyEntry, read_message, read_remedy
from store.domain.periods import TRIGGERS
from store.domain.policy import SETTINGS, change_settings
from store.domain.records import Artifact, Claim, ConflictEntry, Evidence, Person, Policy, ReadEntry, Source, Standing, TriggerEntry
from store.domain.status import KIND_WORD, Kind, Status
from store.domain.strict_json import BadLine, bad_value, read_json
from store.domain.text import canonical_json, digest_bytes
from store.domain.tombstones import Tombstone
from store.domain.values import COMPARISONS, VALUE_TYPES, Predicate

Item = Source | Evidence | Claim | Artifact | Tombstone | Person | Predicate | ReadEntry | Policy | ConflictEntry | CorrectionEntry | TriggerEntry | MessageEntry | RemedyEntry

LONGEST_LINE = 96 * 1024 * 1024


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


_STANDING: dict[str, Check] = {
    "status": check_one_of(*records.LINE_STATUSES), "superseded_by": check_optional_word, "route": check_one_of(*records.ROUTES),
}  # fmt: skip
_CLAIM: dict[str, Check] = {
    "id": check_record_id, "scope": check_path, "subject": check_word, "predicate": check_word, "value": check_anything, "qualifiers": check_object,
    "claim_type": check_one_of(*records.CLAIM_TYPES), "evidence": check_bindings, "derived_from": check_words, "purposes": check_words,
    "conditions": check_text, "authority": check_text, "speaker": check_text, "confirmed_by": check_text,
    "sensitivity": check_one_of(*records.SENSITIVITIES), "owner": check_optional_word, "impact": check_one_of(*records.IMPACTS),
    "extraction": check_optional_object, "entity_confidence": check_share, "on_conflict": check_word, "revalidate_on": check_words,
    "task": check_optional_word, "proposed_by": check_optional_word, "statement": check_text, "source_uri": check_text,
    "source_span": check_optional_object, "contributors": check_words,
}  # fmt: skip
_CLAIM_TIMES = ("observed_at", "valid_from", "valid_to", "expires_at", "review_at")
_ARTIFACT: dict[str, Check] = {
    "id": check_record_id, "scope": check_path, "artifact_type": check_one_of(*records.ARTIFACT_TYPES), "title": check_text,
    "owner": check_optional_word, "impact": check_one_of(*records.IMPACTS), "derived_from": check_words, "body": check_text, "edition": check_whole,
    "edition_of": check_optional_word, "deliveries": check_deliveries, "task": check_optional_word, "proposed_by": check_optional_word,
    "contributors": check_words,
}  # fmt: skip
_ARTIFACT_TIMES = ("expires_at", "review_at")
_SOURCE: dict[str, Check] = {
    "id": check_word, "scope": check_path, "uri": check_text, "title": check_text, "authority": check_text, "owner": check_optional_word, "family": check_optional_word,
}  # fmt: skip
_EVIDENCE: dict[str, Check] = {
    "id": check_record_id, "source": check_word, "version": check_whole, "media_type": check_word, "sha256": check_optional_word, "content": check_anything,
    "content_base64": check_anything, "content_file": check_anything, "rendition": check_rendition,
    "redacted": check_spans,
}  # fmt: skip
_PREDICATE: dict[str, Check] = {
    "scope": check_path, "predicate": check_word, "cardinality": check_one_of("one", "many"), "value_type": check_one_of(*VALUE_TYPES),
    "order": check_one_of("list", "set"), "series": check_flag, "compare": check_one_of(*COMPARISONS), "about": check_one_of("thing", "person"),
    "tolerance": check_tolerance, "thresholds": check_thresholds,
}  # fmt: skip
_POLICY: dict[str, Check] = {"scope": check_path, **dict.fromkeys(SETTINGS, check_anything)}
_CONFLICT: dict[str, Check] = {
    "id": check_word, "scope": check_path, "subject": check_word, "predicate": check_word, "qualifiers": check_object, "state": check_one_of("open", "closed"),
    "claims": check_words, "verdict": check_text, "reason": check_text, "question": check_text, "asked": check_text, "owner": check_optional_word,
    "opened_at": check_text, "closed_at": check_text, "cause": check_text, "former": check_optional_word, "signature": check_text, "questions": check_questions,
}  # fmt: skip


#: What becomes of a record of which nothing but that is told.
_GONE = {"deleted": Status.DELETED, "deletion_pending": Status.DELETION_PENDING}
_KINDS = {word: kind for kind, word in KIND_WORD.items()}


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
            moment = check_moment(name, value)
            found[name] = moment and moment[0]
            if moment is not None and moment[1]:
                assumed.append(name)
        elif times and name in _STANDING:
            standing[name] = None if value is None else _STANDING[name](name, value)
        elif name != "type":
            raise BadLine(Code.UNKNOWN_FIELD, f"unknown field {name[:60]!r}; remove it or mend its spelling")
    if times:
        found["assumed_utc"] = tuple(sorted(assumed))
        found["standing"] = Standing(**standing)
    return found


def _need(found: dict[str, Any], *names: str) -> None:
    for name in names:
        if found.get(name) is None:
            raise bad_value(f"{name} is missing")


def _claim(line: dict[str, Any], default_scope: str | None) -> Claim:
    if "claim_id" in line and "id" not in line:
        line = {"id": line["claim_id"], **{name: value for name, value in line.items() if name != "claim_id"}}
    found = _fields(line, _CLAIM, _CLAIM_TIMES)
    if found.get("scope") is None:
        found["scope"] = default_scope
    _need(found, "id", "scope", "subject", "predicate")
    if "value" not in found:
        raise bad_value("value is missing")
    if found.get("valid_from") is not None and found.get("valid_to") is not None and found["valid_from"] >= found["valid_to"]:
        raise bad_value("valid_to must be later than valid_from")
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
        raise bad_value("exactly one of content, content_base64 and content_file must be given")
    raw = found[given[0]]
    if not isinstance(raw, str):
        raise bad_value(f"{given[0]} must be text")
    if given[0] == "content":
        content = raw.encode("utf-8")
    elif given[0] == "content_base64":
        try:
            content = base64.b64decode(raw, validate=True)
        except binascii.Error as error:
            raise bad_value(f"content_base64 is not base64: {error}") from None
    elif read_file is None:
        raise bad_value("content_file works only on the command line; give content")
    else:
        try:
            content = read_file(raw)
        except (OSError, ValueError) as error:
            raise bad_value(f"content_file cannot be read: {error}") from None
    sha256 = digest_bytes(content)
    if found.get("sha256") not in (None, sha256):
        raise bad_value(f"sha256 is {sha256[:12]}… for these bytes, not {found['sha256'][:12]}…; capture it again")
    for name in ("content", "content_base64", "content_file"):
        found.pop(name, None)
    found["sha256"] = sha256
    found.setdefault("version", 1)
    found.setdefault("media_type", "text/plain")
    found.setdefault("captured_at", None)
    found["stated"] = "rendition" in found
    return Evidence(content=content, **found)


def check_email(name: str, value: Any) -> str | None:
    """Return a mail address, or None."""
    if value is not None and (not isinstance(value, str) or find_address(value) is None):
        raise bad_value(f"{name} is no mail address")
    return value


def _person(line: dict[str, Any]) -> Person:
    found = _fields(line, {"id": check_word, "name": check_optional_word, "roles": check_roles, "email": check_email})
    _need(found, "id")
    return Person(found["id"], found.get("name") or found["id"], found.get("roles", ()), found.get("email"))


def _predicate(line: dict[str, Any], default_scope: str | None) -> Predicate:
    found = _fields(line, _PREDICATE)
    found["scope"] = found.get("scope") or default_scope
    _need(found, "scope", "predicate")
    predicate = Predicate(
        found["scope"], found["predicate"], found.get("cardinality") == "many", found.get("value_type", "json"),
        found.get("order", "list"), found.get("series", False), found.get("compare", "exact"), found.get("about", "thing"),
        found.get("tolerance"), found.get("thresholds", ()),
    )  # fmt: skip
    return check_predicate(predicate)


def _read(line: dict[str, Any], default_scope: str | None) -> ReadEntry:
    checks: dict[str, Check] = {
        "task": check_optional_word,
        "by": check_optional_word,
        "records": check_words,
        "at": check_moment,
        "scope": check_path,
    }
    found = _fields(line, checks)
    at = found.get("at")
    return ReadEntry(found.get("task"), found.get("by"), at and at[0], found.get("records", ()), found.get("scope") or default_scope)


def _policy(line: dict[str, Any], default_scope: str | None) -> Policy:
    found = _fields(line, _POLICY)
    scope = found.pop("scope", None) or default_scope
    if scope is None:
        raise bad_value("scope is missing")
    try:
        return Policy(scope, change_settings({}, found))
    except ValueError as error:
        raise bad_value(error.args[0]) from None


def _conflict(line: dict[str, Any]) -> ConflictEntry:
    found = _fields(line, _CONFLICT)
    _need(found, "id", "scope", "subject", "predicate", "state")
    own = {"id", "scope", "subject", "predicate", "qualifiers", "state", "claims"}
    fields = {name: value for name, value in sorted(found.items()) if name not in own}
    return ConflictEntry(
        found["id"], found["scope"], found["subject"], found["predicate"], found.get("qualifiers", {}), found["state"],
        found.get("claims", ()), fields,
    )  # fmt: skip


def _tombstone(line: dict[str, Any], kind: Kind) -> Tombstone:
    more = sorted(set(line) - {"type", "id", "status"})
    if more:
        raise bad_value(f"of what is {line['status'].replace('_', ' ')} only type, id and status are stated; remove {more[0][:60]!r}")
    _need(line, "id")
    return Tombstone(check_word("id", line["id"]), kind, _GONE[line["status"]])


def _trigger(line: dict[str, Any]) -> TriggerEntry:
    checks: dict[str, Check] = {
        "record": check_word, "scope": check_path, "name": check_one_of(*TRIGGERS), "cause": check_text, "fired_by": check_optional_word, "fired_at": check_moment,
        "dismissed_by": check_optional_word, "dismissed_at": check_moment, "reason": check_text,
    }  # fmt: skip
    found = _fields(line, checks)
    _need(found, "record", "scope", "name")
    for name in ("fired_at", "dismissed_at"):
        if found.get(name) is not None:
            found[name] = found[name][0]
    return TriggerEntry(**found)


def parse_object(line: dict[str, Any], default_scope: str | None = None, read_file: Callable[[str], bytes] | None = None) -> Item:
    """Return the item a parsed line describes.

    Raises:
        ValueError: with a sentence; `args[1]` is the `Code`.
    """
    kind = line.get("type", "claim")
    try:
        if line.get("status") in _GONE and kind in _KINDS:
            return _tombstone(line, _KINDS[kind])
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
            case "correction":
                return read_correction(line)
            case "trigger":
                return _trigger(line)
            case "message":
                return read_message(line)
            case "remedy":
                return read_remedy(line)
        raise bad_value(f"unknown type {str(kind)[:40]!r}")
    except BadLine as bad:
        raise ValueError(bad.message, bad.code) from None


def parse_line(number: int, raw: bytes, default_scope: str | None = None, read_file: Callable[[str], bytes] | None = None) -> Item | LineError:
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
            raise ValueError("it is JSON, but not an object", Code.NOT_JSON)  # noqa: TRY004 - a fault of the line, not of the caller
        named = line.get("id", line.get("claim_id"))
        record_id = named[:LONGEST_ID] if isinstance(named, str) else None
        return parse_object(line, default_scope, read_file)
    except ValueError as error:
        code = error.args[1] if len(error.args) > 1 else Code.BAD_VALUE
        return LineError(number, record_id, code, f"Line {number} was not taken: {error.args[0]}.")


def write_line(line: dict[str, Any]) -> str:
    """Return a line of a bundle, without its end."""
    return canonical_json(line)
