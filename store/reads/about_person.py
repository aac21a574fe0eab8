"""What is held about a person, as it can be shown to that person who asks: what, why, since when, until when, and who was told.

Values of what is withheld are not in it: they are counted. It covers the scopes its maker may see in full, and says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from store.db.claim_store import ClaimStore
from store.db.declarations import list_people_with_roles
from store.db.person_held import told_to
from store.db.plan_lists import load_deliveries, load_named
from store.db.records import load_cards, load_contents
from store.db.subjects import Held, sources_spoken
from store.db.transaction import read
from store.db.veils import veiled_numbers
from store.db.waiting import accepted_since, last_decisions, recorded_times
from store.domain.errors import Code, Refusal
from store.domain.people import Right
from store.domain.records import Claim
from store.domain.status import Kind, Status
from store.domain.times import format_optional
from store.domain.veiling import veil_now
from store.reads.subject import SubjectLook

PERSON = "person:"
#: Statements listed one by one; those beyond are counted.
MOST = 500
_USED, _NOT_NOW, _WAITING = "used", "not_now", "waiting"
_STANDING = {Status.ACCEPTED: _USED, Status.DISPUTED: _NOT_NOW, Status.STALE: _NOT_NOW, Status.CANDIDATE: _WAITING}


@dataclass(frozen=True, slots=True)
class ReaderTold:
    """Who was told a statement, by name: how many times, and when last."""

    name: str
    times: int
    last: str | None


@dataclass(frozen=True, slots=True)
class PersonClaim:
    """One statement held about a person. Texts come from outside.

    Attributes:
        state: `used`; `not_now` (held, and nobody is told it now); `waiting` (proposed, and nobody has accepted it).
        withheld: its value is too sensitive to be printed here; it is counted with what is held.
        own_words: the person said it; `confirmed_by`: name of who confirmed it, the person's own where they did.
        sources: titles of what it was taken from; `hidden_sources`: of how many no title may be told; `derived`: worked out from so many records.
        since, by: when it was accepted, by whom; of what waits, when it was proposed.
        owner: name of who answers for it.
    """

    predicate: str
    qualifiers: dict[str, Any]
    value: Any
    withheld: bool
    scope: str
    purposes: tuple[str, ...]
    conditions: str | None
    state: str
    status: str
    claim_type: str
    own_words: bool
    confirmed_by: str | None
    sources: tuple[str, ...]
    hidden_sources: int
    derived: int
    since: str | None
    by: str | None
    expires_at: str | None
    review_at: str | None
    expired: bool
    contested: bool
    owner: str | None
    told: tuple[ReaderTold, ...]


@dataclass(frozen=True, slots=True)
class PersonReport:
    """Something made from what is held, with whom it went to."""

    title: str
    sent: tuple[tuple[str, str | None], ...]


@dataclass(frozen=True, slots=True)
class PersonHeld:
    """Everything held about a person in one tenant, as far as its maker may see it in full.

    Attributes:
        covered: the scopes it covers; `whole`: whether that is all of the tenant.
        claims: what is held, in use first; `more`: statements that are not listed, because they are very many.
        withheld: how many of the listed statements do not print their value.
        refused: route of rejection -> how many statements were refused. `replaced`, `withdrawn`: no longer held as true, kept as history.
        deleting: how many are being forgotten. `reports_hidden`: reports in scopes its maker may not see.
        owners: names of those who answer for what is held.
    """

    subject: str
    tenant: str
    at: str
    covered: tuple[str, ...]
    whole: bool
    claims: tuple[PersonClaim, ...]
    more: int
    withheld: int
    refused: dict[str, int]
    replaced: int
    withdrawn: int
    deleting: int
    reports: tuple[PersonReport, ...]
    reports_hidden: int
    owners: tuple[str, ...]

    def count(self, state: str) -> int:
        """Return how many of the listed statements are in a state."""
        return sum(one.state == state for one in self.claims)


def view_person_held(store: ClaimStore, person: str, tenant: str, subject: str, *, authenticated: bool = False) -> PersonHeld:
    """Return what is held about a person, to be shown to them.

    Raises:
        Refusal: `bad_value` for what is no person; `not_found` where nothing is held that `person` may see in full.
    """
    if not subject.startswith(PERSON):
        raise Refusal(Code.BAD_VALUE, f"{subject[:80]!r} is no person. Nothing was made. Such a page is for subjects that begin with {PERSON!r}.")
    with read(store, person, authenticated=authenticated) as reading:
        look = SubjectLook(reading, tenant, subject)
        return _Held(look).build()


class _Held:
    def __init__(self, look: SubjectLook) -> None:
        self.look, self.connection, self.number = look, look.connection, look.number
        actor = look.reading.actor
        self.mine = [one for one in look.held if actor.may(Right.INSPECT, one.scope)]
        if not self.mine:
            raise Refusal(Code.NOT_FOUND, f"Nothing that you may see in full is held about {look.subject[:80]!r}. Ask an admin of {look.tenant}.")
        self.people = {one["id"]: one["name"] for one in list_people_with_roles(self.connection)}

    def build(self) -> PersonHeld:
        look, mine = self.look, self.mine
        standing = sorted((one for one in mine if one.status in _STANDING), key=self._order)
        claims = self._claims(standing[:MOST])
        rejected = [one.number for one in mine if one.status is Status.REJECTED]
        refused: dict[str, int] = {}
        decisions = last_decisions(self.connection, self.number, rejected)
        for record in rejected:
            route = (decisions[record].route if record in decisions else None) or "rejected"
            refused[route] = refused.get(route, 0) + 1
        covered = tuple(sorted({look.paths[scope] for scope in look.full}))
        reports, hidden = self._reports(standing)
        counts = {status: sum(one.status is status for one in mine) for status in (Status.SUPERSEDED, Status.REVOKED, Status.DELETION_PENDING)}
        return PersonHeld(
            look.subject, look.tenant, format_optional(look.at) or "", covered, look.reading.actor.may(Right.INSPECT, look.tenant), claims,
            len(standing) - len(claims), sum(one.withheld for one in claims), refused, counts[Status.SUPERSEDED], counts[Status.REVOKED],
            counts[Status.DELETION_PENDING], reports, hidden, tuple(sorted({one.owner for one in claims if one.owner})),
        )  # fmt: skip

    def _state(self, one: Held) -> str:
        state = _STANDING[one.status]
        return _NOT_NOW if state == _USED and one.number not in self.look.usable and not self._only_purpose(one) else state

    def _only_purpose(self, one: Held) -> bool:
        """Return whether nothing but a purpose keeps a statement from being told to everybody."""
        held = one.number in self.look.expired or one.number in self.look.contested
        at = self.look.at
        return not held and (one.valid_from is None or one.valid_from <= at) and (one.valid_to is None or at < one.valid_to)

    def _order(self, one: Held) -> tuple[int, str, str, int]:
        return (_USED, _NOT_NOW, _WAITING).index(self._state(one)), one.scope, one.predicate, one.number

    def _name(self, person: str | None) -> str | None:
        if not person:
            return None
        if person.removeprefix(PERSON) == self.look.subject.removeprefix(PERSON):
            return self.look.subject
        return str(self.people.get(person, person))

    def _claims(self, held: list[Held]) -> tuple[PersonClaim, ...]:
        numbers = [one.number for one in held]
        contents = load_contents(self.connection, self.number, list(load_cards(self.connection, self.number, numbers).values()), with_bytes=False)
        since = accepted_since(self.connection, self.number, numbers)
        proposed = recorded_times(self.connection, self.number, [one.created_seq for one in held])
        titles: dict[int, dict[str, None]] = {}
        hidden: dict[int, set[str]] = {}
        for spoken in sources_spoken(self.connection, self.number, numbers):
            if self.look.reads(spoken.scope):
                titles.setdefault(spoken.record, {})[spoken.title or spoken.source] = None
            else:
                hidden.setdefault(spoken.record, set()).add(spoken.source)
        told: dict[int, list[ReaderTold]] = {}
        for row in told_to(self.connection, self.number, numbers):
            told.setdefault(row.record, []).append(ReaderTold(self.people.get(row.by or "", row.by or ""), row.times, format_optional(row.last)))
        found, veiled = [], veiled_numbers(self.connection, self.number, numbers)
        for one in held:
            claim = contents[one.number]
            assert isinstance(claim, Claim)
            accepted = since.get(one.number) if one.status is not Status.CANDIDATE else None
            # On a screen the veil decides, which somebody with the right may have lifted; elsewhere the mark does.
            withheld = self.look.hides(one) or (claim.sensitivity != "normal" if veil_now() is None else one.number in veiled)
            parents = self.look.snapshot.columns.kind[self.look.snapshot.graph.parents.of(one.number)]
            found.append(PersonClaim(
                one.predicate, one.qualifiers, None if withheld else one.value, withheld, one.scope, tuple(p for p in claim.purposes if p != "*"),
                None if withheld else claim.conditions, self._state(one), one.status.name, one.claim_type,
                (claim.speaker or "").removeprefix(PERSON) == self.look.subject.removeprefix(PERSON), self._name(claim.confirmed_by),
                tuple(titles.get(one.number, ())), len(hidden.get(one.number, ())), int(np.sum(parents != Kind.EVIDENCE)),
                format_optional(accepted[0] if accepted else proposed.get(one.created_seq)), accepted[1] if accepted else None,
                format_optional(one.expires_at), format_optional(one.review_at), one.number in self.look.expired, one.number in self.look.contested,
                self._name(claim.owner), tuple(told.get(one.number, ())),
            ))  # fmt: skip
        return tuple(found)

    def _reports(self, held: list[Held]) -> tuple[tuple[PersonReport, ...], int]:
        """Return what was delivered to somebody and rests on what is held, and how many such reports the maker may not see."""
        snapshot = self.look.snapshot
        roots = np.array([one.number for one in held], dtype=np.int64)
        if not len(roots):
            return (), 0
        reached = snapshot.graph.walk(roots).records
        delivered = [int(one) for one in reached[snapshot.columns.kind[reached] == Kind.ARTIFACT] if snapshot.delivered[one]]
        named = load_named(self.connection, self.number, delivered)
        seen = [one for one in named.values() if self.look.reading.actor.may(Right.INSPECT, one.scope)]
        sent = load_deliveries(self.connection, self.number, [one.number for one in seen])
        rows = tuple(
            PersonReport(one.title, tuple((recipient, format_optional(at)) for recipient, _, at in sent.get(one.number, ()))) for one in seen[:MOST]
        )
        return rows, len(delivered) - len(seen)
