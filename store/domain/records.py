"""What the store holds: sources, evidence, claims, artifacts, people and what agents read."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from store.domain.renditions import Rendition, needs_rendition
from store.domain.status import Kind, Status
from store.domain.text import canonical_json, digest
from store.domain.times import format_optional, format_time

CLAIM_TYPES = ("fact", "preference", "constraint", "external", "inference", "suggestion")
ARTIFACT_TYPES = ("plan", "report", "memo", "answer", "action")
IMPACTS = ("normal", "high")
SENSITIVITIES = ("normal", "sensitive", "credential")
ROUTES = ("rejected", "session_only", "not_durable", "sensitive")
LINE_STATUSES = (
    "candidate", "reviewed", "stale", "disputed", "superseded", "revoked", "rejected", "deletion_pending", "deleted",
)  # fmt: skip


#: Bytes from which on it is looked at how long a text would become in a bundle.
_LARGE = 1_000_000


@dataclass(frozen=True, slots=True)
class Source:
    """Where something comes from."""

    id: str
    scope: str
    uri: str | None = None
    title: str | None = None
    authority: str | None = None
    owner: str | None = None
    family: str | None = None

    def to_line(self) -> dict[str, Any]:
        """Return the bundle line."""
        return {
            "type": "source", "id": self.id, "uri": self.uri, "title": self.title, "authority": self.authority,
            "owner": self.owner, "scope": self.scope, "family": self.family or self.id,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Standing:
    """What a line says of a record's place in its life; not part of its content."""

    status: str | None = None
    superseded_by: str | None = None
    route: str | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """One immutable captured version of a source.

    Attributes:
        captured_at: microseconds UTC.
        sha256: of the bytes, hexadecimal.
        rendition: the text taken out of the bytes, where they are no plain text; it has a hash of its own and enters no other.
        stated: its line says what text was taken out, or that none was; otherwise it is taken when the version arrives.
        assumed_utc: names of time fields whose text had no offset (R32).
        redacted: passages blotted out of its text (R26), as [start, end) in code points.
    """

    id: str
    source: str
    version: int
    captured_at: int | None
    media_type: str
    sha256: str
    content: bytes
    assumed_utc: tuple[str, ...] = ()
    rendition: Rendition | None = None
    stated: bool = field(default=False, compare=False)
    standing: Standing = field(default=Standing(), compare=False)
    redacted: tuple[tuple[int, int], ...] = field(default=(), compare=False)

    def to_line(self) -> dict[str, Any]:
        """Return the bundle line, without status."""
        line: dict[str, Any] = {
            "type": "evidence", "id": self.id, "source": self.source, "version": self.version,
            "captured_at": _time(self, "captured_at"), "media_type": self.media_type, "sha256": self.sha256,
        }  # fmt: skip
        try:
            text = self.content.decode("utf-8")
        except UnicodeDecodeError:
            text = "\x00"
        if "\x00" in text or _is_mostly_escapes(text, len(self.content)):
            line["content_base64"] = base64.b64encode(self.content).decode("ascii")
        else:
            line["content"] = text
        if self.rendition is not None:
            line["rendition"] = self.rendition.to_line()
        elif needs_rendition(self.media_type):
            line["rendition"] = None
        return line if not self.redacted else {**line, "redacted": [list(one) for one in self.redacted]}

    def content_hash(self) -> str:
        """Return the SHA-256 of what makes this version what it is; the bytes enter by their own hash."""
        line = [self.id, self.source, self.version, _time(self, "captured_at"), self.media_type, self.sha256]
        return digest(canonical_json(line))


def _is_mostly_escapes(text: str, size: int) -> bool:
    """Return whether a large text of control characters and the like would make a line of a bundle longer than its bytes in base64 do."""
    return size > _LARGE and 3 * len(canonical_json(text).encode("utf-8")) > 4 * size + 24


@dataclass(frozen=True, slots=True)
class Binding:
    """That a claim rests on a passage: the evidence, where in it, and the words found there."""

    evidence: str
    span: dict[str, Any] | None = None
    quote: str | None = None

    def to_line(self) -> dict[str, Any]:
        """Return the binding as it stands in a claim's line."""
        line: dict[str, Any] = {"evidence": self.evidence}
        if self.span is not None:
            line["span"] = self.span
        if self.quote is not None:
            line["quote"] = self.quote
        return line


@dataclass(frozen=True, slots=True)
class Claim:
    """One bounded statement. Times are microseconds UTC."""

    id: str
    scope: str
    subject: str
    predicate: str
    value: Any
    qualifiers: dict[str, Any] = field(default_factory=dict)
    claim_type: str = "fact"
    evidence: tuple[Binding, ...] = ()
    derived_from: tuple[str, ...] = ()
    observed_at: int | None = None
    valid_from: int | None = None
    valid_to: int | None = None
    expires_at: int | None = None
    review_at: int | None = None
    purposes: tuple[str, ...] = ("*",)
    conditions: str | None = None
    authority: str | None = None
    speaker: str | None = None
    confirmed_by: str | None = None
    sensitivity: str = "normal"
    owner: str | None = None
    impact: str = "normal"
    extraction: dict[str, Any] | None = None
    entity_confidence: float | None = None
    on_conflict: str = "ask"
    revalidate_on: tuple[str, ...] = ()
    task: str | None = None
    proposed_by: str | None = None
    statement: str | None = None
    source_uri: str | None = None
    source_span: dict[str, Any] | None = None
    contributors: tuple[str, ...] = ()
    assumed_utc: tuple[str, ...] = ()
    standing: Standing = field(default=Standing(), compare=False)

    def parents(self) -> set[str]:
        """Return the ids this claim rests on."""
        return {*self.derived_from, *(binding.evidence for binding in self.evidence)}

    def to_line(self) -> dict[str, Any]:
        """Return the bundle line, without status."""
        line: dict[str, Any] = {
            "type": "claim", "id": self.id, "scope": self.scope, "subject": self.subject, "predicate": self.predicate,
            "qualifiers": self.qualifiers, "value": self.value, "claim_type": self.claim_type,
            "evidence": [binding.to_line() for binding in self.evidence], "derived_from": sorted(self.derived_from),
            "observed_at": _time(self, "observed_at"), "valid_from": _time(self, "valid_from"),
            "valid_to": _time(self, "valid_to"), "expires_at": _time(self, "expires_at"),
            "review_at": _time(self, "review_at"), "purposes": list(self.purposes), "conditions": self.conditions,
            "authority": self.authority, "speaker": self.speaker, "confirmed_by": self.confirmed_by,
            "sensitivity": self.sensitivity, "owner": self.owner, "impact": self.impact, "extraction": self.extraction,
            "entity_confidence": self.entity_confidence, "on_conflict": self.on_conflict,
            "revalidate_on": list(self.revalidate_on), "task": self.task, "proposed_by": self.proposed_by,
            "statement": self.statement,
        }  # fmt: skip
        return _with_optional(line, self, "source_uri", "source_span", "contributors")

    def content_hash(self) -> str:
        """Return the SHA-256 over the canonical line: everything but status and who contributed."""
        line = self.to_line()
        line.pop("contributors", None)
        return digest(canonical_json(line))


@dataclass(frozen=True, slots=True)
class Delivery:
    """That an edition went to somebody."""

    recipient: str
    channel: str
    delivered_at: int | None
    operation_id: str | None
    assumed_utc: bool = False

    def to_line(self) -> dict[str, Any]:
        """Return the delivery as it stands in an artifact's line."""
        at = format_optional(self.delivered_at)
        if at is not None and self.assumed_utc:
            at = at.removesuffix("Z")
        return {"recipient": self.recipient, "channel": self.channel, "delivered_at": at, "operation_id": self.operation_id}


@dataclass(frozen=True, slots=True)
class Artifact:
    """Something made from claims."""

    id: str
    scope: str
    artifact_type: str
    title: str | None = None
    owner: str | None = None
    impact: str = "normal"
    derived_from: tuple[str, ...] = ()
    body: str | None = None
    edition: int = 1
    edition_of: str | None = None
    expires_at: int | None = None
    review_at: int | None = None
    task: str | None = None
    proposed_by: str | None = None
    deliveries: tuple[Delivery, ...] = field(default=(), compare=False)
    contributors: tuple[str, ...] = ()
    assumed_utc: tuple[str, ...] = ()
    standing: Standing = field(default=Standing(), compare=False)

    def parents(self) -> set[str]:
        """Return the ids this artifact rests on."""
        return set(self.derived_from)

    def to_line(self) -> dict[str, Any]:
        """Return the bundle line, without status."""
        line: dict[str, Any] = {
            "type": "artifact", "id": self.id, "scope": self.scope, "artifact_type": self.artifact_type, "title": self.title,
            "owner": self.owner, "impact": self.impact, "derived_from": sorted(self.derived_from), "body": self.body,
            "edition": self.edition, "edition_of": self.edition_of, "expires_at": _time(self, "expires_at"),
            "review_at": _time(self, "review_at"),
            "deliveries": [delivery.to_line() for delivery in self.deliveries],
        }  # fmt: skip
        return _with_optional(line, self, "task", "proposed_by", "contributors")

    def content_hash(self) -> str:
        """Return the SHA-256 over the canonical line: everything but status, deliveries and who contributed."""
        line = self.to_line()
        line.pop("contributors", None)
        line.pop("deliveries")
        return digest(canonical_json(line))


Record = Evidence | Claim | Artifact


def full_hash(record: Record, line_hash: str, shas: Mapping[str, str]) -> str:
    """Return a record's content hash: over its content, its parents' ids, and the hashes of the evidence it names.

    Args:
        line_hash: `record.content_hash()`, which covers content and parents' ids.
        shas: SHA-256 of the bytes by evidence id, at least of the evidence it names.
    """
    if isinstance(record, Evidence):
        return line_hash
    return digest(canonical_json([line_hash, sorted(shas[parent] for parent in record.parents() if parent in shas)]))


def veil(record: Record) -> Record:
    """Return a record without what a rejection as sensitive keeps from being read again (R5): its value and every quote of it."""
    if isinstance(record, Claim):
        bindings = tuple(Binding(binding.evidence) for binding in record.evidence)
        return replace(record, value=None, statement=None, conditions=None, evidence=bindings, source_span=None)
    if isinstance(record, Artifact):
        return replace(record, title=None, body=None)
    return record


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who may act, and the roles held: (role, scope) pairs."""

    id: str
    name: str
    roles: tuple[tuple[str, str], ...]
    #: Where notices for this person go.
    email: str | None = None

    def to_line(self) -> dict[str, Any]:
        """Return the bundle line."""
        roles = [{"role": role, "scope": scope} for role, scope in sorted(self.roles)]
        return {"type": "person", "id": self.id, "name": self.name, **({"email": self.email} if self.email else {}), "roles": roles}


@dataclass(frozen=True, slots=True)
class ReadEntry:
    """What a task read (R8, R17)."""

    task: str | None
    by: str | None
    at: int | None
    records: tuple[str, ...]
    scope: str | None = None

    def to_line(self) -> dict[str, Any]:
        """Return the bundle line."""
        line = {"type": "read", "task": self.task, "by": self.by, "at": format_optional(self.at), "records": list(self.records)}
        return line if self.scope is None else {**line, "scope": self.scope}


@dataclass(frozen=True, slots=True)
class Policy:
    """A scope's promotion policy, authority ranks, house rules and usual terms."""

    scope: str
    settings: dict[str, Any]

    def to_line(self) -> dict[str, Any]:
        """Return the bundle line."""
        return {"type": "policy", "scope": self.scope, **self.settings}


@dataclass(frozen=True, slots=True)
class ConflictEntry:
    """A conflict object as exported: its sides, and the verdict or question it carries."""

    id: str
    scope: str
    subject: str
    predicate: str
    qualifiers: dict[str, Any]
    state: str
    claims: tuple[str, ...]
    fields: dict[str, Any]

    def to_line(self) -> dict[str, Any]:
        """Return the bundle line."""
        return {
            "type": "conflict", "id": self.id, "scope": self.scope, "subject": self.subject, "predicate": self.predicate,
            "qualifiers": self.qualifiers, "state": self.state, "claims": list(self.claims), **self.fields,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class TriggerEntry:
    """A trigger that fired for a record, as exported; dismissed where `dismissed_at` says when."""

    record: str
    scope: str
    name: str
    cause: str | None = None
    fired_by: str | None = None
    fired_at: int | None = None
    dismissed_by: str | None = None
    dismissed_at: int | None = None
    reason: str | None = None

    def to_line(self) -> dict[str, Any]:
        """Return the bundle line."""
        return {
            "type": "trigger", "record": self.record, "scope": self.scope, "name": self.name, "cause": self.cause, "fired_by": self.fired_by,
            "fired_at": format_optional(self.fired_at), "dismissed_by": self.dismissed_by, "dismissed_at": format_optional(self.dismissed_at),
            "reason": self.reason,
        }  # fmt: skip


def _time(record: Any, name: str) -> str | None:
    moment = getattr(record, name)
    if moment is None:
        return None
    text = format_time(moment)
    return text.removesuffix("Z") if name in record.assumed_utc else text


def _with_optional(line: dict[str, Any], record: Any, *names: str) -> dict[str, Any]:
    """Add the fields that most lines do not have, where this one has them."""
    for name in names:
        value = getattr(record, name)
        if value is not None and value != ():
            line[name] = list(value) if isinstance(value, tuple) else value
    return line


def key_hash(scope: str, subject: str, predicate: str, qualifiers: dict[str, Any]) -> str:
    """Return the 128-bit identity of a claim key, in hexadecimal."""
    return digest(canonical_json([scope, subject, predicate, qualifiers]))[:32]


def question_code(subject: str, predicate: str, qualifiers: dict[str, Any]) -> int:
    """Return a 64-bit code shared by the keys that ask the same thing in different scopes (R14)."""
    return int.from_bytes(bytes.fromhex(digest(canonical_json([subject, predicate, qualifiers]))[:16]), "big", signed=True)


@dataclass(frozen=True, slots=True)
class Card:
    """A record as it stands in the store: its index card and its state.

    Attributes:
        number: the number inside the tenant.
        owner, proposed_by, importer: names.
        key: the number of the claim key, None for other kinds.
        value: the value code; None for null and for other kinds.
    """

    number: int
    id: str
    kind: Kind
    status: Status
    version: int
    scope: str
    owner: str | None
    flags: int
    key: int | None
    value: int | None
    valid_from: int | None
    valid_to: int | None
    expires_at: int | None
    review_at: int | None
    source: int | None
    content_hash: str
    importer: str
    proposed_by: str | None
    task: str | None
    created_seq: int

    @property
    def high_impact(self) -> bool:
        """Return whether acceptance takes two people."""
        return bool(self.flags & 1)
