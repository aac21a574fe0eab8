"""How a candidate that differs from an accepted claim may be meant: each way with what a read returns next (R4, R12, R14)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from store.db.answering import find_blockers
from store.db.candidates import answered, load_facts
from store.db.claim_store import ClaimStore
from store.db.conflicts import KeyClaim, claims_of_key
from store.db.impacts import derive
from store.db.keys import find_key, load_predicates, nearest_predicate
from store.db.meant import Difference, find_difference, joins_conflict
from store.db.records import find_card, load_cards, load_content, load_contents
from store.db.transaction import Reading, read
from store.db.veils import veiled_numbers
from store.domain.errors import Refusal, not_found
from store.domain.meant import Foreseen, Held, Level, Meaning, foresee, with_claim, with_status
from store.domain.people import Right
from store.domain.plans import Intent, Plan, Verb
from store.domain.promotion import Facts, Terms, judge
from store.domain.records import Card, Claim
from store.domain.scopes import covers, nearest_first
from store.domain.snapshot import ANY_PURPOSE
from store.domain.status import Status
from store.domain.values import Predicate
from store.domain.veiling import VEIL


@dataclass(frozen=True, slots=True)
class ReadNext:
    """What a read of the question returns in one scope: `OK`, `MISSING` or `CONFLICT`, with the values told. Values come from outside."""

    scope: str
    result: str
    values: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class MeantWay:
    """One way to mean it.

    Attributes:
        why_not: a word for why it is not possible now, None where it is: `checks`, `second`, `other_scope`, `several`, `rests_on_it`.
        next: what a read returns afterwards, one per scope.
        fall: how many accepted records then need re-validation; `delivered`: how many delivered artifacts are reached.
        joins: of `ask`, whether the candidate becomes a side of a conflict; otherwise it goes on waiting.
    """

    way: Meaning
    why_not: str | None
    next: tuple[ReadNext, ...]
    fall: int = 0
    delivered: int = 0
    joins: bool = False


@dataclass(frozen=True, slots=True)
class OtherClaim:
    """An accepted (or disputed) claim the candidate differs from. Values come from outside.

    Attributes:
        version: as seen, which "ask" names so that it suspends nothing else.
    """

    id: str
    status: str
    version: int
    scope: str
    value: Any
    owner: str | None


@dataclass(frozen=True, slots=True)
class Meant:
    """What a candidate differs from, and how it may be meant.

    Attributes:
        scope: of the claims it differs from; `same_key`: whether that is the candidate's own.
        now: what a read returns today.
        here: the scope that "only here" was worked out for.
    """

    id: str
    tenant: str
    scope: str
    same_key: bool
    others: tuple[OtherClaim, ...]
    now: tuple[ReadNext, ...]
    ways: tuple[MeantWay, ...]
    here: str | None


def view_meant(
    store: ClaimStore, person: str, tenant: str, record_id: str, *, terms: Terms | None = None, here: str | None = None, ways: bool = True,
    authenticated: bool = False,
) -> Meant | None:  # fmt: skip
    """Return how a candidate may be meant, None where it differs from nothing that is accepted.

    Args:
        terms: as they would be set with the decision.
        here: the narrower scope that "only here" would give it; its own where that is narrower already.
        ways: whether the ways are worked out too, which takes a look at all that rests on what gives way.

    Raises:
        Refusal: `not_found`, also for what the person may not see.
    """
    with read(store, person, authenticated=authenticated) as reading:
        number = reading.tenant_number(tenant)
        card = find_card(reading.connection, number, record_id) if number is not None else None
        if card is None or number is None or not reading.actor.may(Right.INSPECT, card.scope):
            raise not_found(record_id)
        if card.status is not Status.CANDIDATE or card.key is None:
            return None
        claim = load_content(reading.connection, number, card)
        if not isinstance(claim, Claim):
            return None
        if terms is not None and terms.expires_at is not None:
            claim = replace(claim, expires_at=terms.expires_at)
        predicate = nearest_predicate(load_predicates(reading.connection, number), claim.scope, claim.predicate)
        found = find_difference(reading.connection, number, card, claim, predicate)
        if found is None or not reading.actor.may(Right.INSPECT, found.scope):
            return None
        return _Meaning(reading, number, tenant, card, claim, predicate, found).build(here, terms if ways else None, worked_out=ways)


def _facts_of(reading: Reading, tenant: int, card: Card, terms: Terms) -> Facts:
    """Return what the checks look at, the scope left as it is; without terms that cannot be set."""
    try:
        return load_facts(reading.connection, tenant, card, reading.actor, replace(terms, scope=None), reading.at)
    except Refusal:
        return load_facts(reading.connection, tenant, card, reading.actor, Terms(), reading.at)


class _Meaning:
    def __init__(self, reading: Reading, number: int, tenant: str, card: Card, claim: Claim, predicate: Predicate, found: Difference) -> None:
        self.reading, self.number, self.tenant, self.card, self.claim, self.series, self.found = reading, number, tenant, card, claim, predicate.series, found
        #: Those whose value is veiled from whoever looks.
        self.veiled = veiled_numbers(reading.connection, number, [card.number, *(other.record for other in found.others)])

    def build(self, here: str | None, terms: Terms | None, *, worked_out: bool) -> Meant:
        connection, found = self.reading.connection, self.found
        if here is not None and not (covers(self.claim.scope, here) and here != self.claim.scope):
            here = None
        if here is None and not found.same_key:
            here = self.claim.scope
        cards = load_cards(connection, self.number, [other.record for other in found.others])
        contents = load_contents(connection, self.number, list(cards.values()), with_bytes=False)
        others = []
        for record, card in cards.items():
            content = contents[record]
            assert isinstance(content, Claim)
            value = VEIL if record in self.veiled else content.value
            others.append(OtherClaim(card.id, card.status.name, card.version, card.scope, value, content.owner))
        if not worked_out:
            return Meant(self.card.id, self.tenant, found.scope, found.same_key, tuple(others), (), (), here)
        facts = _facts_of(self.reading, self.number, self.card, terms or Terms())
        assert isinstance(facts.record, Claim)
        self.claim, self.verdict = facts.record, judge(facts)
        self.levels: list[Level] = [(scope, self._held(scope)) for scope in nearest_first(self.claim.scope)]
        now = self._reads(self.levels)
        ways = (self._from_now_on(), MeantWay(Meaning.THIS_TASK, None, now), self._only_here(here), self._ask())
        return Meant(self.card.id, self.tenant, found.scope, found.same_key, tuple(others), now, ways, here)

    # --- levels ---------------------------------------------------------------------------------------------------

    def _held(self, scope: str) -> tuple[Held, ...]:
        connection, claim = self.reading.connection, self.claim
        key = find_key(connection, self.number, scope, claim.subject, claim.predicate, claim.qualifiers)
        claims: Sequence[KeyClaim] = () if key is None else [one for one in claims_of_key(connection, self.number, key) if one.record != self.card.number]
        accepted = [one.record for one in claims if one.status is Status.ACCEPTED]
        blockers = find_blockers(connection, self.number, accepted, self.reading.at) if accepted else {}
        cards = load_cards(connection, self.number, accepted)
        held = []
        for one in claims:
            blocker = blockers.get(one.record)
            admitted = blocker is None or (blocker.expired is None and blocker.unaccepted is None and bool(cards[one.record].flags & ANY_PURPOSE))
            held.append(Held(one.side, one.status, admitted, blocker is not None and blocker.contested is not None))
        return tuple(held)

    def _mine(self, status: Status) -> Held:
        return Held(self.found.mine, status, self.claim.purposes == ("*",))

    def _reads(self, levels: Sequence[Level], also: str | None = None) -> tuple[ReadNext, ...]:
        """Return what a read returns in the candidate's scope, in that of what it differs from, and in a narrower one."""
        scopes = list(dict.fromkeys(scope for scope in (also, self.claim.scope, self.found.scope) if scope is not None))
        found = []
        for scope in scopes:
            wanted = set(nearest_first(scope))
            found.append((scope, foresee([level for level in levels if level[0] in wanted], self.reading.at)))
        return tuple(ReadNext(scope, one.result, self._values(one)) for scope, one in found)

    def _values(self, one: Foreseen) -> tuple[Any, ...]:
        others = [record for record in one.records if record != self.card.number]
        self.veiled |= veiled_numbers(self.reading.connection, self.number, one.records)
        contents = load_contents(self.reading.connection, self.number, list(load_cards(self.reading.connection, self.number, others).values()), with_bytes=False)
        told = []
        for record in one.records:
            content = self.claim if record == self.card.number else contents[record]
            told.append(VEIL if record in self.veiled else content.value if isinstance(content, Claim) else None)
        return tuple(told)

    # --- the ways -------------------------------------------------------------------------------------------------

    def _blocked(self) -> str | None:
        if not self.verdict.can_approve:
            return "checks"
        return "second" if self.verdict.needs_second else None

    def _from_now_on(self) -> MeantWay:
        found = self.found
        if not found.same_key:
            return MeantWay(Meaning.FROM_NOW_ON, "other_scope", ())
        gone = {other.record for other in found.others} | {other.record for other in answered(found.mine, list(found.rivals), series=self.series)}
        levels = with_claim(with_status(self.levels, gone, Status.SUPERSEDED), self.claim.scope, self._mine(Status.ACCEPTED))
        why_not = "several" if len(found.others) > 1 else self._blocked()
        fall, delivered = self._follows(gone, Verb.SUPERSEDE, Status.SUPERSEDED) if why_not is None else (0, 0)
        return MeantWay(Meaning.FROM_NOW_ON, why_not, self._reads(levels), fall, delivered)

    def _only_here(self, here: str | None) -> MeantWay:
        if here is None:
            return MeantWay(Meaning.ONLY_HERE, self._blocked(), ())
        scope = here
        levels = with_claim(self.levels, scope, self._mine(Status.ACCEPTED))
        return MeantWay(Meaning.ONLY_HERE, self._blocked(), self._reads(levels, also=scope))

    def _ask(self) -> MeantWay:
        found, connection = self.found, self.reading.connection
        joins = joins_conflict(connection, self.number, self.card, self.verdict, found)
        levels = with_status(self.levels, {other.record for other in found.others}, Status.DISPUTED)
        if joins:
            levels = with_claim(levels, self.claim.scope, self._mine(Status.DISPUTED))
        accepted = {other.record for other in found.others if other.status is Status.ACCEPTED}
        fall, delivered = self._follows(accepted, Verb.SUSPEND, Status.DISPUTED) if accepted else (0, 0)
        return MeantWay(Meaning.ASK, None, self._reads(levels), fall, delivered, joins)

    def _follows(self, gone: set[int], verb: Verb, to: Status) -> tuple[int, int]:
        cards = load_cards(self.reading.connection, self.number, sorted(gone))
        intent = Intent(Plan(verb, tuple(card.id for card in cards.values()), by=self.card.id if verb is Verb.SUPERSEDE else None))
        intent.becomes = {number: (int(card.status), int(to)) for number, card in cards.items()}
        intent.roots = sorted(gone)
        if verb is Verb.SUPERSEDE:
            intent.successors = dict.fromkeys(gone, self.card.number)
        _, impact = derive(self.reading, self.number, intent)
        return len(impact.affected) - len(gone), len(impact.delivered)
