"""What stands around a subject: the names it goes by and why, its conflicts, the reports that rest on it, and who was told."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from store.db.declarations import list_people_with_roles
from store.db.plan_lists import load_deliveries, load_named
from store.db.records import load_ids
from store.db.subjects import (
    Contest,
    Held,
    conflicts_of_keys,
    count_told,
    entity_words,
    list_told,
)
from store.domain.people import Right
from store.domain.status import Kind, Status
from store.domain.times import format_optional
from store.reads.subject import SubjectLook

#: A predicate whose last word is one of these names or numbers its subject: `legal_name`, not `name_of_buyer`.
_NAMING = frozenset(
    ("name", "names", "alias", "aliases", "aka", "title", "titles", "ticker", "tickers", "symbol", "symbols", "isin", "isins", "cik", "lei", "cusip", "sedol",
     "figi", "wkn", "duns", "website", "homepage", "domain", "purl", "cpe", "identifier", "identifiers", "called")
)  # fmt: skip
_SURE = 0.8
_NOT_STANDING = (Status.REJECTED, Status.DELETION_PENDING, Status.DELETED)


@dataclass(frozen=True, slots=True)
class Name:
    """A claim that names or numbers the subject, and which sources say so."""

    id: str
    scope: str
    predicate: str
    qualifiers: dict[str, Any]
    value: Any
    status: str
    sources: tuple[str, ...]
    confidence: float | None


@dataclass(frozen=True, slots=True)
class Speaker:
    """A source that speaks of the subject: how many claims, how sure the extraction was who is meant, and by what it was taken out."""

    source: str | None
    title: str | None
    evidence: str | None
    claims: int
    least: float | None
    most: float | None
    methods: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EntityWord:
    """That a person said that this is who or what is meant."""

    id: str
    by: str
    at: str
    reason: str | None


@dataclass(frozen=True, slots=True)
class Split:
    """Another subject under which one of its claims is held, or was before: two things had gone under one name."""

    id: str
    other_id: str
    other: str
    verdict: bool


@dataclass(frozen=True, slots=True)
class Names:
    """The names of a subject and why they were joined.

    Attributes:
        unsure: claims whose extraction was less than 80 % sure; `unstated` those that do not say.
        confirmed: name of the person concerned -> how many claims say that person confirmed them.
    """

    names: tuple[Name, ...]
    names_total: int
    speakers: tuple[Speaker, ...]
    speakers_total: int
    words: tuple[EntityWord, ...]
    words_total: int
    confirmed: dict[str, int]
    unsure: int
    unstated: int
    splits: tuple[Split, ...]


@dataclass(frozen=True, slots=True)
class ContestSide:
    """One side of a conflict."""

    id: str
    value: Any
    withheld: bool
    status: str


@dataclass(frozen=True, slots=True)
class SubjectConflict:
    """A conflict over one claim key of the subject."""

    id: str
    scope: str
    predicate: str
    qualifiers: dict[str, Any]
    open: bool
    opened_at: str | None
    closed_at: str | None
    verdict: str | None
    cause: str | None
    reason: str | None
    question: str | None
    sides: tuple[ContestSide, ...]


@dataclass(frozen=True, slots=True)
class SubjectReport:
    """An artifact that rests on claims about the subject; `sent` holds (recipient, channel, time), latest first."""

    id: str
    title: str
    kind: str
    status: str
    owner: str | None
    edition: int | None
    sent: tuple[tuple[str, str, str | None], ...]


@dataclass(frozen=True, slots=True)
class SubjectAnswer:
    """One answer that told somebody something of the subject: (id, version told, version now, predicate, value) of each claim."""

    at: str | None
    by: str | None
    task: str | None
    claims: tuple[tuple[str, int | None, int, str, Any], ...]


@dataclass(frozen=True, slots=True)
class SubjectAround:
    """What stands around a subject.

    Attributes:
        reports_hidden: how many of `reports_total` lie in scopes the person may not see.
        told_claims: how many of its claims were told, in `answers_total` answers, to `readers`.
    """

    names: Names
    conflicts: tuple[SubjectConflict, ...]
    conflicts_open: int
    conflicts_total: int
    reports: tuple[SubjectReport, ...]
    reports_total: int
    reports_hidden: int
    reports_delivered: int
    answers: tuple[SubjectAnswer, ...]
    answers_total: int
    told_claims: int
    readers: int
    told_since: str | None
    told_last: str | None


def describe_around(look: SubjectLook, most: int) -> SubjectAround:
    """Return what stands around a subject, at most `most` rows of each list.

    Who was told is for people who may see everything of the scope, as on a preview.
    """
    around = _Around(look, most)
    conflicts = around.conflicts()
    reports, total, hidden, delivered = around.reports()
    answers, told = around.answers()
    return SubjectAround(
        around.names(), tuple(around.conflict(one) for one in conflicts[:most]), sum(one.open for one in conflicts), len(conflicts), reports, total, hidden,
        delivered, answers, told.answers, len(told.times), told.readers, format_optional(told.since), format_optional(told.last),
    )  # fmt: skip


class _Around:
    def __init__(self, look: SubjectLook, most: int) -> None:
        self.look, self.most, self.connection, self.number = look, most, look.connection, look.number
        #: Of the claims that the person may see in full; of others not even who was told is known.
        self.mine = [one for one in look.held if look.reading.actor.may(Right.INSPECT, one.scope)]
        self.by_number = {one.number: one for one in look.held}
        self._conflicts: list[Contest] | None = None

    def names(self) -> Names:
        look, held = self.look, self.look.held
        standing = [one for one in held if one.status not in _NOT_STANDING]
        names = {name for name in {one.predicate for one in standing} if re.split(r"[^a-z0-9]+", name.casefold().rstrip("_"))[-1] in _NAMING}
        naming = [one for one in standing if one.predicate in names and not look.hides(one)]
        naming.sort(key=lambda one: (one.status is not Status.ACCEPTED, one.predicate, -one.number))
        rows = {row.id: row for row in look.rows(naming[: self.most])}
        named = tuple(
            Name(one.id, one.scope, one.predicate, one.qualifiers, look.value_of(one), one.status.name, rows[one.id].sources, one.entity_confidence)
            for one in naming[: self.most]
        )
        words = entity_words(self.connection, self.number, [one.number for one in self.mine])
        people = {one["id"]: one["name"] for one in list_people_with_roles(self.connection)}
        confirmed: dict[str, int] = {}
        for one in standing:
            if one.confirmed_by:
                name = people.get(one.confirmed_by, one.confirmed_by)
                confirmed[name] = confirmed.get(name, 0) + 1
        speakers = self._speakers(standing)
        return Names(
            named, len(naming), speakers[: self.most], len(speakers),
            tuple(EntityWord(self.by_number[one.record].id, one.name, format_optional(one.at) or "", one.reason) for one in words[: self.most]), len(words), confirmed,
            sum(one.entity_confidence is not None and one.entity_confidence < _SURE for one in standing), sum(one.entity_confidence is None for one in standing),
            self._splits(),
        )  # fmt: skip

    def _speakers(self, held: list[Held]) -> tuple[Speaker, ...]:
        of: dict[str | None, list[Held]] = {}
        about: dict[str | None, tuple[str | None, str | None]] = {None: (None, None)}
        for one in self.look.memory.spoken([claim.number for claim in held]):
            source = one.source if self.look.reads(one.scope) else None
            its = of.setdefault(source, [])
            claim = self.by_number[one.record]
            if not its or its[-1] is not claim:
                its.append(claim)
            if source is not None:
                about[source] = (one.title, one.evidence_id)
        found = []
        for source, claims in of.items():
            sure = [claim.entity_confidence for claim in claims if claim.entity_confidence is not None]
            methods = sorted({claim.method for claim in claims} - {""})
            found.append(
                Speaker(
                    source, *about[source], len({claim.number for claim in claims}), min(sure, default=None), max(sure, default=None), tuple(methods)
                )
            )
        return tuple(sorted(found, key=lambda one: (-one.claims, one.title or "")))

    def _splits(self) -> tuple[Split, ...]:
        found = [row for row in self.look.memory.moved([one.number for one in self.mine]) if row[2] != self.look.subject]
        ids = load_ids(self.connection, self.number, [row[1] for row in found])
        settled = {side for one in self.conflicts() if one.verdict == "different" for side in one.sides}
        return tuple(Split(self.by_number[mine].id, ids[other], subject, mine in settled) for mine, other, subject in found[: self.most])

    def conflicts(self) -> list[Contest]:
        if self._conflicts is None:
            self._conflicts = conflicts_of_keys(self.connection, self.number, {one.key for one in self.mine})
        return self._conflicts

    def conflict(self, one: Contest) -> SubjectConflict:
        held = [self.by_number[side] for side in one.sides if side in self.by_number]
        first = next(claim for claim in self.mine if claim.key == one.key)
        sides = tuple(
            ContestSide(claim.id, self.look.value_of(claim), self.look.hides(claim), claim.status.name)
            for claim in held[: self.most]
        )
        return SubjectConflict(
            one.id, first.scope, first.predicate, first.qualifiers, one.open, format_optional(one.opened_at), format_optional(one.closed_at), one.verdict, one.cause,
            one.reason, one.question, sides,
        )  # fmt: skip

    def reports(self) -> tuple[tuple[SubjectReport, ...], int, int, int]:
        """Return the artifacts that rest on the claims, how many there are, how many of them are hidden, and how many were delivered."""
        snapshot, actor = self.look.snapshot, self.look.reading.actor
        roots = np.array([one.number for one in self.mine if one.status not in _NOT_STANDING], dtype=np.int64)
        if not len(roots):
            return (), 0, 0, 0
        reached = snapshot.graph.walk(roots).records
        artifacts = reached[snapshot.columns.kind[reached] == Kind.ARTIFACT]
        delivered = snapshot.delivered[artifacts]
        order = np.lexsort((-artifacts, ~delivered))
        named = load_named(self.connection, self.number, artifacts[order].tolist())
        seen = [named[number] for number in artifacts[order].tolist() if actor.may(Right.INSPECT, named[number].scope)]
        sent = load_deliveries(self.connection, self.number, [one.number for one in seen])
        shown = tuple(
            SubjectReport(
                one.id, one.title, one.label, one.status, one.owner, one.edition,
                tuple((recipient, channel, format_optional(at)) for recipient, channel, at in sent.get(one.number, ())),
            )
            for one in seen[: self.most]
        )  # fmt: skip
        return shown, len(artifacts), len(artifacts) - len(seen), int(delivered.sum())

    def answers(self) -> tuple[tuple[SubjectAnswer, ...], Any]:
        records = [one.number for one in self.mine]
        told = count_told(self.connection, self.number, records)
        people = {one["id"]: one["name"] for one in list_people_with_roles(self.connection)}
        of: dict[int, list[Any]] = {}
        for row in list_told(self.connection, self.number, records, self.most * 8):
            of.setdefault(row.number, []).append(row)
        found = []
        for rows in list(of.values())[: self.most]:
            claims = []
            for row in rows:
                one = self.by_number[row.record]
                claims.append((one.id, row.version, one.version, one.predicate, self.look.value_of(one)))
            found.append(SubjectAnswer(format_optional(rows[0].at), people.get(rows[0].by, rows[0].by), rows[0].task, tuple(claims)))
        return tuple(found), told
