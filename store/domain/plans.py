"""Plans: what a person wants to change, before anything does (DESIGN section 5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from store.domain.declaring import redeclare
from store.domain.errors import Code, Refusal
from store.domain.fields import check_word
from store.domain.forgetting import Redaction
from store.domain.new_values import check_values
from store.domain.picking import read_made
from store.domain.recaptured import Recaptured
from store.domain.records import Artifact, Claim
from store.domain.scopes import check_scope
from store.domain.settling import check_rule
from store.domain.status import Step
from store.domain.strict_json import BadLine
from store.domain.text import canonical_json
from store.domain.tolerance import Near
from store.domain.values import Predicate, undeclared


class Verb(StrEnum):
    """What a plan does to its roots."""

    REVOKE = "revoke"
    SUSPEND = "suspend"
    REINSTATE = "reinstate"
    SUPERSEDE = "supersede"
    RESOLVE = "resolve"
    SETTLE = "settle"
    COMPARE = "compare"
    RECAPTURE = "recapture"
    CONFIRM = "confirm"
    RESTORE = "restore"
    ERASE = "erase"


#: The step each verb that works on records asks of its roots.
STEPS = {Verb.REVOKE: Step.REVOKE, Verb.SUSPEND: Step.SUSPEND, Verb.REINSTATE: Step.REINSTATE}


class Answer(StrEnum):
    """How a conflict may be settled (R12)."""

    KEEP = "keep"
    SAME = "same"
    SPLIT = "split"
    DIFFERENT = "different"
    READER_ERROR = "reader_error"
    NONE = "none"
    UNCLEAR = "unclear"


@dataclass(frozen=True, slots=True)
class Plan:
    """An intended change.

    Attributes:
        roots: ids of records or sources; for `resolve` and `settle`, of conflicts; for `compare`, the name of the predicate.
        by: the successor, for `supersede`.
        verdict, keep, other, narrow, subject: for `resolve`, as on the command line; `narrow` maps an id to fields.
        rule: for `settle`, how each conflict is settled (`store.domain.settling` says what it may hold).
        choices: for `settle`, conflict -> claim to keep, for those that are decided one by one.
        except_: what is left alone although `roots` or `made` takes it in: conflicts for `settle`, records otherwise.
        ask: for `unclear`, the person to ask; the owner of the conflict if nobody is named.
        file, media_type: for `recapture`, the SHA-256 of the new bytes (kept as a plan file) and what they are.
        values: for `recapture`, new values of fallen claims: claim -> fields of the candidate that answers it.
        drop, add, replace: for `confirm`, parents to drop, parents or passages to add (`ID` or `ID#start-end`), and old -> new parents.
        made: roots picked by what made them, besides those named, such as {"extractor": "table-reader", "version": "2.1"}.
        keep_passages: for `erase`, evidence whose passages stay readable although a forgotten claim was taken from them.
        scope, comparison: for `compare`, where the predicate is declared and the parts of its declaration that change.
    """

    verb: Verb
    roots: tuple[str, ...]
    by: str | None = None
    verdict: Answer | None = None
    keep: str | None = None
    other: Mapping[str, str] = field(default_factory=dict)
    narrow: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    subject: Mapping[str, str] = field(default_factory=dict)
    rule: Mapping[str, Any] = field(default_factory=dict)
    choices: Mapping[str, str] = field(default_factory=dict)
    except_: tuple[str, ...] = ()
    ask: str | None = None
    scope: str | None = None
    comparison: Mapping[str, Any] = field(default_factory=dict)
    file: str | None = None
    media_type: str | None = None
    values: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    drop: tuple[str, ...] = ()
    add: tuple[str, ...] = ()
    replace: Mapping[str, str] = field(default_factory=dict)
    made: Mapping[str, Any] = field(default_factory=dict)
    keep_passages: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the plan as plain values, empty options left out."""
        found: dict[str, Any] = {"verb": self.verb.value, "roots": sorted(set(self.roots))}
        for name in ("by", "keep", "ask", "scope", "file", "media_type"):
            if getattr(self, name):
                found[name] = getattr(self, name)
        if self.verdict:
            found["verdict"] = self.verdict.value
        for name in ("other", "narrow", "subject", "rule", "choices", "comparison", "values", "replace", "made"):
            value = getattr(self, name)
            if value:
                found[name] = {one: dict(item) if isinstance(item, Mapping) else item for one, item in value.items()}
        for name, several in (("except", self.except_), ("drop", self.drop), ("add", self.add), ("keep_passages", self.keep_passages)):
            if several:
                found[name] = sorted(set(several))
        return found

    def text(self) -> str:
        """Return the plan as canonical text, equal for equal plans."""
        return canonical_json(self.to_json())


def read_plan(found: Mapping[str, Any]) -> Plan:
    """Return the plan that `to_json` wrote."""
    verdict = found.get("verdict")
    return Plan(
        Verb(found["verb"]), tuple(found["roots"]), found.get("by"), None if verdict is None else Answer(verdict), found.get("keep"),
        found.get("other", {}), found.get("narrow", {}), found.get("subject", {}), found.get("rule", {}), found.get("choices", {}),
        tuple(found.get("except", ())), found.get("ask"), found.get("scope"), found.get("comparison", {}), found.get("file"),
        found.get("media_type"), found.get("values", {}), tuple(found.get("drop", ())), tuple(found.get("add", ())),
        found.get("replace", {}), found.get("made", {}), tuple(found.get("keep_passages", ())),
    )  # fmt: skip


def check_plan(plan: Plan) -> Plan:
    """Return the plan if its options fit its verb.

    Raises:
        Refusal: `bad_value`, naming the option that is missing or does not belong.
    """
    if plan.made:
        _check_made(plan)
    if not plan.roots and not (plan.made and plan.verb in STEPS):
        raise Refusal(Code.BAD_VALUE, f"Say what to {plan.verb}: a record, or a source for all its versions.")
    if plan.verb is Verb.SUPERSEDE and (plan.by is None or len(plan.roots) != 1):
        raise Refusal(Code.BAD_VALUE, "Superseding takes one old record and, with --by, the one that replaces it.")
    if plan.verb is Verb.COMPARE:
        return _check_comparison(plan)
    if plan.verb is Verb.SETTLE:
        return _check_rule(plan)
    if plan.verb is Verb.CONFIRM:
        return _check_supports(plan)
    if plan.verb is Verb.RECAPTURE:
        return _check_recapture(plan)
    if plan.verb is not Verb.RESOLVE:
        return plan
    if len(plan.roots) != 1 or plan.verdict is None:
        raise Refusal(Code.BAD_VALUE, f"Resolving takes one conflict and a verdict: {', '.join(Answer)}.")
    if plan.verdict in (Answer.KEEP, Answer.SAME) and not plan.keep:
        raise Refusal(Code.BAD_VALUE, f"The verdict {plan.verdict} needs --keep with the claim that stays.")
    if plan.verdict is Answer.SPLIT and not plan.narrow:
        raise Refusal(Code.BAD_VALUE, "The verdict split needs --narrow ID:field=value for at least one side.")
    if plan.verdict is Answer.DIFFERENT and len(plan.subject) != 1:
        raise Refusal(Code.BAD_VALUE, "The verdict different needs --subject ID=SUBJECT for the one side that is about something else.")
    if plan.verdict is Answer.READER_ERROR and not plan.made.get("extractor"):
        raise Refusal(Code.BAD_VALUE, "The verdict reader_error needs --made extractor=NAME with the extractor, and best its version, that misread.")
    unknown = {way for way in plan.other.values() if way not in ("superseded", "revoked")}
    if unknown:
        raise Refusal(Code.BAD_VALUE, f"A side may be superseded or revoked, not {min(unknown)!r}.")
    return plan


def _check_made(plan: Plan) -> None:
    if plan.verb not in STEPS and plan.verdict is not Answer.READER_ERROR:
        raise Refusal(Code.BAD_VALUE, f"Roots of {plan.verb} are named, not picked by what made them. Nothing was changed.")
    read_made(plan.made)


def _check_recapture(plan: Plan) -> Plan:
    if len(plan.roots) != 1:
        raise Refusal(Code.BAD_VALUE, "Recapturing takes one source and its new file. Nothing was changed.")
    check_values(plan.values)
    return plan


def _check_comparison(plan: Plan) -> Plan:
    if len(plan.roots) != 1 or plan.scope is None or not plan.comparison:
        raise Refusal(Code.BAD_VALUE, "Changing a comparison takes one predicate, the scope that declares it, and what is to change.")
    try:
        check_scope(plan.scope)
        redeclare(undeclared(plan.scope, check_word("the predicate", plan.roots[0])), plan.comparison)
    except BadLine as bad:
        raise Refusal(Code.BAD_VALUE, f"{bad.message[:1].upper()}{bad.message[1:]}. Nothing was changed.") from None
    except ValueError as error:
        raise Refusal(Code.BAD_VALUE, f"{error}. Nothing was changed.") from None
    return plan


def _check_rule(plan: Plan) -> Plan:
    if not plan.rule and not plan.choices:
        raise Refusal(Code.BAD_VALUE, "Settling a group takes a rule, or for each conflict the claim that stays.")
    if plan.rule:
        try:
            check_rule(plan.rule, chosen=bool(plan.choices))
        except BadLine as bad:
            raise Refusal(Code.BAD_VALUE, f"{bad.message[:1].upper()}{bad.message[1:]}. Nothing was changed.") from None
    strangers = sorted({*plan.choices, *plan.except_} - set(plan.roots))
    if strangers:
        raise Refusal(Code.BAD_VALUE, f"{strangers[0]} is none of the conflicts to settle. Nothing was changed.")
    return plan


def _check_supports(plan: Plan) -> Plan:
    twice = sorted({*plan.drop} & {*plan.replace})
    if twice:
        raise Refusal(Code.BAD_VALUE, f"{twice[0]} is either dropped or replaced, not both. Nothing was changed.")
    for old, new in plan.replace.items():
        if old == new:
            raise Refusal(Code.BAD_VALUE, f"{old} cannot be replaced by itself. Nothing was changed. Name another record.")
    return plan


@dataclass(frozen=True, slots=True)
class Narrowed:
    """A claim whose content a plan narrows, or gives further evidence."""

    record: int
    version: int
    before: Claim
    after: Claim
    key: int | None
    value: int | None
    near: Near | None = None


@dataclass(frozen=True, slots=True)
class Settled:
    """What a plan does to one conflict.

    Attributes:
        keep: the sides that stay, first the one that succeeds those that go; `sides`: all of them.
    """

    number: int
    id: str
    key: int
    verdict: Answer
    keep: tuple[int, ...]
    sides: tuple[int, ...]


@dataclass(slots=True)
class Recast:
    """What another comparison makes of the claims it applies to; no value changes, and no status.

    Attributes:
        before: the scope's declaration now, None where it has none of its own; `after`: then.
        keys: the claim keys to which it applies.
        codes: record -> value code, of the claims that get another one.
        near: record -> what it is compared by then, where there is a tolerance.
        claims: how many claims it applies to.
    """

    before: Predicate | None
    after: Predicate
    keys: frozenset[int]
    codes: dict[int, int | None] = field(default_factory=dict)
    near: dict[int, Near] = field(default_factory=dict)
    claims: int = 0


@dataclass(frozen=True, slots=True)
class Rebound:
    """A record that rests on other things than before: other content, other parents.

    Attributes:
        parents: the numbers of everything it rests on then.
    """

    record: int
    version: int
    before: Claim | Artifact
    after: Claim | Artifact
    parents: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Fired:
    """A trigger that a plan fires: the record it makes stale, its name, and what it was."""

    record: int
    name: str
    cause: str | None


@dataclass(frozen=True, slots=True)
class Cause:
    """Why a record stays as it is.

    Attributes:
        why: `lost`, `waits`, `trigger`, `value` or `not_kept`.
        record: what it is about: the parent that is lost or stays stale, or what it rests on that has another value now; 0 for none.
        text: more of it: the name of a trigger, what was said before, as JSON, or why the policy keeps it no longer.
        was: what stood where `record` stands now when this was last accepted; itself, where it says something else itself.
    """

    why: str
    record: int = 0
    text: str = ""
    was: int = 0


@dataclass(slots=True)
class Intent:
    """What a plan does directly, before consequences. Records by number.

    Attributes:
        becomes: record -> (status now, status then).
        roots: the records the reach is measured from.
        narrowed: claims that get other content without another status.
        successors: old record -> new record.
        created: the claim that `different` proposes about another subject, and the side it replaces.
        recast: what a change of comparison makes of the claims it applies to.
        settled: the conflicts it settles; `left`: (id, why) of those it names and leaves alone.
        rebound: records that rest on other things then.
        fired: triggers it fires; `dismissed`: (record, number) of triggers it dismisses.
        stays: why records in the reach stay as they are, where that is more than their status says.
        recaptured: what a recapture does directly.
        redactions: passages that are blotted out; `falling`: claims whose passage is among them, and what else falls by it.
    """

    plan: Plan
    becomes: dict[int, tuple[int, int]] = field(default_factory=dict)
    roots: list[int] = field(default_factory=list)
    narrowed: list[Narrowed] = field(default_factory=list)
    successors: dict[int, int] = field(default_factory=dict)
    created: tuple[Claim, int] | None = None
    approve: int | None = None
    recast: Recast | None = None
    settled: list[Settled] = field(default_factory=list)
    left: list[tuple[str, str]] = field(default_factory=list)
    rebound: list[Rebound] = field(default_factory=list)
    fired: list[Fired] = field(default_factory=list)
    dismissed: list[tuple[int, int]] = field(default_factory=list)
    stays: dict[int, Cause] = field(default_factory=dict)
    recaptured: Recaptured | None = None
    redactions: tuple[Redaction, ...] = ()
    falling: tuple[int, ...] = ()
