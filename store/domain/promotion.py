"""What a candidate must pass before it may be accepted (R2), and the terms a decision may set.

One failed check blocks approval and says how to mend it. Extraction, entity, type and sensitivity concern claims;
an artifact passes them. Terms (owner, dates, narrower scope, purposes, sensitivity, "the entity is right") belong to the
decision; everything else is content and takes an amendment.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from store.domain.errors import Code, Refusal
from store.domain.people import Actor, Right
from store.domain.records import SENSITIVITIES, Artifact, Card, Claim
from store.domain.routes import lifetime_of
from store.domain.scopes import check_scope, covers
from store.domain.spans import Passage
from store.domain.status import STANDS, Status
from store.domain.times import format_time, parse_stated_time
from store.domain.values import Predicate

_LEAST_CONFIDENCE = 0.8
_PERSON = "person:"
#: What to do with something that was accepted once and is not kept any more.
WITHDRAW = "Withdraw it for good, or ask an admin what the policy should keep."
#: What a parent in one of these states will hardly come back from, so that waiting for it is of no use.
_SETTLED = (Status.REJECTED, Status.REVOKED, Status.SUPERSEDED, Status.DELETION_PENDING, Status.DELETED)


@dataclass(frozen=True, slots=True)
class Terms:
    """What a decision may set without changing content. None means: left as it is. Times in microseconds UTC."""

    owner: str | None = None
    review_at: int | None = None
    expires_at: int | None = None
    scope: str | None = None
    widen_scope: str | None = None
    purposes: tuple[str, ...] | None = None
    sensitivity: str | None = None
    entity_confirmed: bool = False
    record_checked: bool = False
    used: tuple[str, ...] = ()
    not_used: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the terms that were set, for the decision's log."""
        found: dict[str, Any] = {}
        for name in self.__slots__:
            value = getattr(self, name)
            if value not in (None, False, ()):
                found[name] = format_time(value) if name.endswith("_at") else list(value) if isinstance(value, tuple) else value
        return found


def _texts(name: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
        raise ValueError(f"{name} must be a list of texts")
    return tuple(value)


def _term(name: str, value: Any) -> Any:
    if name in ("review_at", "expires_at"):
        return parse_stated_time(str(value))
    if name in ("purposes", "used", "not_used"):
        return _texts(name, value)
    if name in ("entity_confirmed", "record_checked"):
        if not isinstance(value, bool):
            raise ValueError(f"{name} must be true or false")
        return value
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{name} must be a text")
    if name == "sensitivity" and value not in SENSITIVITIES:
        raise ValueError(f"sensitivity must be one of {', '.join(SENSITIVITIES)}")
    return check_scope(value) if name == "scope" else value


def read_terms(given: dict[str, Any]) -> Terms:
    """Return terms from what a person typed.

    Raises:
        Refusal: a term is unknown or has no usable value.
    """
    found = {}
    for name, value in given.items():
        if name not in Terms.__slots__:
            raise Refusal(Code.UNKNOWN_FIELD, f"{name!r} is no term of a decision. Nothing was decided. Terms are {', '.join(Terms.__slots__)}.")
        if value is None:
            continue
        try:
            found[name] = _term(name, value)
        except ValueError as error:
            raise Refusal(Code.BAD_VALUE, f"{error}. Nothing was decided.") from None
    return Terms(**found)


def apply_terms(record: Claim | Artifact, terms: Terms) -> Claim | Artifact:
    """Return the record with the terms set.

    Raises:
        Refusal: the scope is not narrower, or the record has no such term.
    """
    changes: dict[str, Any] = {}
    if terms.scope is not None and terms.scope != record.scope:
        if not covers(record.scope, terms.scope):
            raise Refusal(
                Code.BAD_VALUE, f"{terms.scope} is not below {record.scope}. A decision may narrow the scope; to move it, amend the record."
            )
        changes["scope"] = terms.scope
    for name in ("owner", "review_at", "expires_at"):
        if getattr(terms, name) is not None:
            changes[name] = getattr(terms, name)
    if isinstance(record, Claim):
        if terms.purposes is not None:
            changes["purposes"] = terms.purposes
        if terms.sensitivity is not None:
            changes["sensitivity"] = terms.sensitivity
    return replace(record, **changes) if changes else record


@dataclass(frozen=True, slots=True)
class Parent:
    """What matters about something a candidate rests on."""

    id: str
    status: Status
    scope: str
    expires_at: int | None
    expired: bool
    contested: bool


@dataclass(frozen=True, slots=True)
class Facts:
    """What the checks look at: the candidate with the terms applied, and what stands around it.

    Attributes:
        passages: one per bound span.
        chains_end_in_evidence: every chain of parents ends in evidence, and there is one.
        unrecorded: ids its task read, that it does not declare, and that nobody has judged.
        approvals: people whose approval of this version is recorded.
    """

    card: Card
    record: Claim | Artifact
    predicate: Predicate | None
    policy: dict[str, Any]
    parents: tuple[Parent, ...]
    passages: tuple[Passage, ...]
    chains_end_in_evidence: bool
    contributors: frozenset[str]
    unrecorded: tuple[str, ...]
    approvals: tuple[str, ...]
    decider: Actor
    terms: Terms
    at: int


@dataclass(frozen=True, slots=True)
class Check:
    """The verdict of one promotion check."""

    name: str
    ok: bool
    message: str

    def to_json(self) -> dict[str, Any]:
        """Return the check as the command line prints it."""
        return {"name": self.name, "ok": self.ok, "message": self.message}


@dataclass(frozen=True, slots=True)
class Verdict:
    """All checks of a candidate."""

    checks: tuple[Check, ...]
    needs_second: bool = False
    facts: Facts | None = field(default=None, compare=False, repr=False)

    @property
    def can_approve(self) -> bool:
        """Return whether every check passed."""
        return all(check.ok for check in self.checks)

    def failed(self) -> list[Check]:
        """Return the checks that block approval."""
        return [check for check in self.checks if not check.ok]


def _source_bound(facts: Facts) -> Check:
    if isinstance(facts.record, Claim) and any(b.span is not None or b.quote is not None for b in facts.record.evidence):
        wrong = [passage.message for passage in facts.passages if not passage.ok]
        if wrong:
            return Check("source_bound", False, " ".join(wrong[:3]))
        return Check("source_bound", True, "Every quote stands where its span says.")
    if facts.chains_end_in_evidence:
        return Check("source_bound", True, "Every chain of what it rests on ends in evidence.")
    return Check(
        "source_bound", False, "Not every chain of what it rests on ends in evidence. Amend it with a passage, or with parents that have one."
    )


def _extraction(record: Claim | Artifact) -> Check:
    if isinstance(record, Artifact):
        return Check("extraction_recorded", True, "An artifact is not extracted.")
    extraction = record.extraction or {}
    if extraction.get("method") and extraction.get("version"):
        return Check("extraction_recorded", True, f"Taken by {extraction['method']} {extraction['version']}.")
    return Check("extraction_recorded", False, "Method and version of its extraction are not recorded. Amend extraction.")


def _parents(facts: Facts) -> Check:
    for parent in facts.parents:
        if parent.status is not Status.ACCEPTED:
            then = "Reject this one too, or amend what it rests on." if parent.status in _SETTLED else "Settle that one first."
            return Check("parents_accepted", False, f"It rests on {parent.id}, which {STANDS[parent.status]}. {then}")
        if parent.expired:
            return Check("parents_accepted", False, f"It rests on {parent.id}, which is expired or rests on something expired. Renew that one first.")
        if parent.contested:
            return Check(
                "parents_accepted", False, f"It rests on {parent.id}, which is in an open conflict or rests on one. Settle the conflict first."
            )
    return Check("parents_accepted", True, f"All {len(facts.parents)} are accepted." if facts.parents else "It rests on nothing else.")


def _owner(record: Claim | Artifact) -> Check:
    if record.owner:
        return Check("owner", True, f"Owned by {record.owner}.")
    return Check("owner", False, "Nobody owns it, so nobody would keep it right or remove it. Set an owner as a term.")


def _scope(facts: Facts) -> Check:
    wide = [parent for parent in facts.parents if not covers(parent.scope, facts.record.scope)]
    if not wide:
        return Check("scope", True, "Everything it rests on holds in its scope.")
    if facts.terms.widen_scope and all(facts.decider.may(Right.DECIDE, parent.scope) for parent in wide):
        return Check("scope", True, f"Widened by {facts.decider.name}: {facts.terms.widen_scope[:100]}")
    names = ", ".join(f"{parent.id} ({parent.scope})" for parent in wide[:3])
    return Check(
        "scope",
        False,
        f"It would hold in {facts.record.scope}, but rests on {names}. Narrow its scope, or let a reviewer of both widen it with a reason.",
    )


def _review_date(facts: Facts) -> Check:
    record = facts.record
    if record.expires_at is not None:
        past = " That is past, so nobody would be served it." if record.expires_at <= facts.at else ""
        return Check("review_date", True, f"Expires {format_time(record.expires_at)[:10]}.{past}")
    if record.review_at is not None:
        return Check("review_date", True, f"To be looked at again {format_time(record.review_at)[:10]}.")
    days = lifetime_of(facts.policy, record.claim_type) if isinstance(record, Claim) else None
    usually = f" Its type is usually kept for {days} days." if days else ""
    return Check("review_date", False, f"It has neither an expiry nor a review date, so nothing would ever remove it. Set one as a term.{usually}")


def _entity(facts: Facts) -> Check:
    if isinstance(facts.record, Artifact):
        return Check("entity_resolved", True, "An artifact names no entity.")
    confidence, least = facts.record.entity_confidence, facts.policy.get("entity_confidence", _LEAST_CONFIDENCE)
    if facts.terms.entity_confirmed:
        return Check("entity_resolved", True, f"{facts.decider.name} says {facts.record.subject[:80]} is who or what is meant.")
    if confidence is not None and confidence >= least:
        return Check("entity_resolved", True, f"Confidence {confidence:g}.")
    found = "is not recorded" if confidence is None else f"is {confidence:g}, below {least:g}"
    return Check(
        "entity_resolved", False, f"Confidence that {facts.record.subject[:80]} is who or what is meant {found}. Confirm the entity as a term."
    )


def _about_person(facts: Facts) -> bool:
    record = facts.record
    return isinstance(record, Claim) and (record.subject.startswith(_PERSON) or (facts.predicate is not None and facts.predicate.about == "person"))


def _approver(facts: Facts, name: str, words: str) -> str | None:
    """Return why this person may not approve what is kept under a word of the policy's approvers, None where they may."""
    held = facts.policy.get("approvers")
    people = held.get(words) if isinstance(held, Mapping) else None
    if not people or facts.decider.id in people:
        return None
    return f"Claims {name} {words} are approved by {', '.join(map(str, people[:5]))} only, and {facts.decider.name} is not among them. Leave it to them."


def type_not_kept(policy: Mapping[str, Any], claim_type: str) -> str | None:
    """Return why a policy keeps no claims of a type, as a sentence without its full stop; None where it does."""
    kept = policy.get("kept_types")
    return f"Claims of the type {claim_type} are not kept here" if kept and claim_type not in kept else None


def sensitivity_not_kept(policy: Mapping[str, Any], sensitivity: str) -> str | None:
    """Return why a policy keeps nothing that is marked so, as a sentence without its full stop; None where it does."""
    if sensitivity == "normal" or sensitivity in policy.get("sensitivities", ()):
        return None
    return f"It is marked {sensitivity}, which is not kept {'here' if 'sensitivities' in policy else 'by default'}"


def _what_then(facts: Facts, way: str) -> str:
    """Return what to do with something that is not kept; only a candidate can be rejected."""
    return f"Reject it as {way}." if facts.card.status is Status.CANDIDATE else WITHDRAW


def _claim_type(facts: Facts) -> Check:
    record = facts.record
    if isinstance(record, Claim):
        why = type_not_kept(facts.policy, record.claim_type)
        if why is not None:
            return Check("claim_type", False, f"{why}. {_what_then(facts, 'not worth keeping')}")
        barred = _approver(facts, "of the type", record.claim_type)
        if barred is not None:
            return Check("claim_type", False, barred)
    if isinstance(record, Artifact) or not _about_person(facts):
        return Check("claim_type", True, "It describes no person.")
    who = record.subject.removeprefix(_PERSON)
    if record.confirmed_by:
        return Check("claim_type", True, f"Confirmed by {record.confirmed_by}.")
    if record.claim_type == "inference":
        return Check("claim_type", False, f"It is an inference about {who}, whom nobody asked. Reject it, or have the person confirm it.")
    if record.speaker and record.speaker.removeprefix(_PERSON) == who:
        return Check("claim_type", True, "It is the person's own statement.")
    return Check("claim_type", False, f"It describes {who} in somebody else's words. Have the person confirm it, or reject it.")


def _sensitivity(facts: Facts) -> Check:
    record = facts.record
    barred = _approver(facts, "marked", record.sensitivity) if isinstance(record, Claim) else None
    if barred is not None:
        return Check("sensitivity", False, barred)
    why = None if isinstance(record, Artifact) else sensitivity_not_kept(facts.policy, record.sensitivity)
    if why is None:
        return Check("sensitivity", True, "Nothing in it is excluded.")
    return Check("sensitivity", False, f"{why}. {_what_then(facts, 'sensitive')}")


def _independent(facts: Facts) -> Check:
    if facts.decider.id in facts.contributors:
        return Check("independent_reviewer", False, f"{facts.decider.name} proposed, imported or amended it. Somebody else must decide.")
    return Check("independent_reviewer", True, f"{facts.decider.name} had no part in it.")


def _high_impact(facts: Facts) -> Check:
    if not facts.card.high_impact:
        return Check("high_impact", True, "One person is enough.")
    if facts.decider.id in facts.approvals:
        return Check("high_impact", False, f"{facts.decider.name} approved it already. It waits for a second person.")
    if facts.approvals:
        return Check("high_impact", True, f"Approved by {facts.approvals[0]}; this is the second of two.")
    return Check("high_impact", True, "It takes two different people; this would be the first.")


def _recorded(facts: Facts) -> Check:
    if not facts.unrecorded:
        return Check("recorded_dependencies", True, "Everything its task read is declared or judged.")
    names = ", ".join(facts.unrecorded[:5])
    return Check("recorded_dependencies", False, f"Possibly unrecorded dependency: its task also read {names}. Say of each: used it, or did not.")


def judge(facts: Facts) -> Verdict:
    """Return the verdict of every promotion check, in the order people read them."""
    checks = (
        _source_bound(facts), _extraction(facts.record), _parents(facts), _owner(facts.record), _scope(facts),
        _review_date(facts), _entity(facts), _claim_type(facts), _sensitivity(facts), _independent(facts),
        _high_impact(facts), _recorded(facts),
    )  # fmt: skip
    return Verdict(checks, facts.card.high_impact and not facts.approvals, facts)


def judge_again(facts: Facts) -> tuple[Check, ...]:
    """Return the checks that confirming a stale record asks again, beside those of what it rests on (R22)."""
    return (_source_bound(facts), _claim_type(facts), _sensitivity(facts))


def explain_failure(record_id: str, failed: Sequence[Check]) -> Refusal:
    """Return the refusal of an approval that checks block."""
    return Refusal(
        Code.PROMOTION_CHECKS_FAILED,
        f"{record_id} was not approved. " + " ".join(check.message for check in failed),
        checks=[check.to_json() for check in failed],
    )
