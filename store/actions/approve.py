"""Approving a candidate, alone or in place of what it contradicts (R2, R3, R4, R8)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from store.db.candidates import answered, contradicted, load_facts, rivals_of
from store.db.claim_store import ClaimStore
from store.db.commits import write_impact
from store.db.conflicts import KeyClaim, refresh_conflicts
from store.db.content import rewrite_content
from store.db.corrections import join_settled
from store.db.decisions import find_visible, need_candidate, need_reason, need_seen, note_decision, save_review_of_read
from store.db.impacts import derive
from store.db.keys import Numbers, find_key
from store.db.messages import former_editions, insert_remedy
from store.db.records import ancestors_of, find_card, find_numbers, load_cards, load_content
from store.db.transaction import Writing, write
from store.db.triggers import earlier_periods
from store.db.veils import seen_behind
from store.domain.conflicts import Side
from store.domain.errors import Code, Refusal
from store.domain.people import Right
from store.domain.plans import Fired, Intent, Plan, Verb
from store.domain.promotion import Terms, Verdict, explain_failure, judge
from store.domain.records import Artifact, Card, Claim
from store.domain.status import LIVE, STANDS, Status, Step, next_status, say_statuses
from store.domain.text import canonical_json
from store.domain.times import FOREVER


@dataclass(frozen=True, slots=True)
class Approval:
    """How a candidate is to be approved.

    Attributes:
        seen, seen_hash: version and content hash the person looked at; what is veiled they must have asked to see.
        replaces: a claim of the same key that gives way; from `replaces_from` (microseconds) on only, if that is given.
        open_conflict: accept it beside what it contradicts.
    """

    reason: str | None
    terms: Terms = field(default_factory=Terms)
    seen: int | None = None
    seen_hash: str | None = None
    replaces: str | None = None
    replaces_from: int | None = None
    open_conflict: bool = False

    def words(self) -> list[Any]:
        """Return what exactly is asked, for the operation id."""
        return [self.reason, self.terms.to_json(), self.seen, self.seen_hash, self.replaces, self.replaces_from, self.open_conflict]


def approve(
    store: ClaimStore, person: str, tenant: str, record_id: str, how: Approval, *, operation: str | None = None, authenticated: bool = False
) -> dict[str, Any]:
    """Approve one candidate and return `{"decided": id}` or, for the first of two, `{"waiting": id, "needs": …}`.

    Raises:
        Refusal: checks fail, it would contradict an accepted claim, somebody was faster, or what was seen of it was a veil.
    """
    with write(store, person, tenant, "approve", [record_id, *how.words()], operation=operation, authenticated=authenticated) as tx:
        if tx.repeated is None:
            tx.result = _approve(tx, record_id, how)
    return tx.repeated if tx.repeated is not None else tx.result


def _approve(tx: Writing, record_id: str, how: Approval) -> dict[str, Any]:
    tx.reason = need_reason(how.reason)
    card = find_visible(tx, record_id)
    tx.actor.need(Right.DECIDE, card.scope, f"approve {record_id}")
    need_candidate(tx, card)
    need_seen(card, how.seen, how.seen_hash)
    if how.seen is not None and not seen_behind(tx.connection, tx.tenant, tx.person, card):
        raise Refusal(Code.NOT_ALLOWED, f"{record_id} is veiled, and you have not looked at what it says. Nothing was decided. Show it first; that is logged.")
    verdict = judge(load_facts(tx.connection, tx.tenant, card, tx.actor, how.terms, tx.at))
    assert verdict.facts is not None
    failed = verdict.failed()
    if [check.name for check in failed] == ["high_impact"] and tx.actor.id in verdict.facts.approvals:
        tx.repeated = {"waiting": record_id, "needs": "a second person"}
        return {}
    if failed:
        raise explain_failure(record_id, failed)
    return _First(tx, card, how, verdict).record() if verdict.needs_second else _Acceptance(tx, card, how, verdict).carry_out()


class _First:
    """The first approval of a high-impact candidate: recorded, bound to the version, with its terms."""

    def __init__(self, tx: Writing, card: Card, how: Approval, verdict: Verdict) -> None:
        self.tx, self.card, self.how, self.verdict = tx, card, how, verdict

    def record(self) -> dict[str, Any]:
        """Record the approval and say what it waits for."""
        tx, card = self.tx, self.card
        next_status(card.id, card.status, Step.APPROVE_FIRST)
        version = apply_terms_to(tx, card, self.verdict, self.how.terms, bump=True)
        if version == card.version:
            tx.note_history(card.number, card.status, card.status, version)
        terms = self.how.terms.to_json()
        note_decision(tx, card.number, "first approval", version, reason=tx.reason, terms=canonical_json(terms) if terms else None)
        return {"waiting": card.id, "needs": "a second person"}


def apply_terms_to(tx: Writing, card: Card, verdict: Verdict, terms: Terms, *, bump: bool, after: Claim | Artifact | None = None) -> int:
    """Write a decision's terms into the record, where they change it, and return the version it then has."""
    assert verdict.facts is not None
    before = load_content(tx.connection, tx.tenant, card)
    assert isinstance(before, Claim | Artifact)
    after = after or verdict.facts.record
    used = find_numbers(tx.connection, tx.tenant, list(terms.used))
    _judge_reads(tx, card, terms)
    if used:
        above = ancestors_of(tx.connection, tx.tenant, list(used.values()))
        if card.number in above:
            raise Refusal(Code.CYCLE, f"{card.id} cannot rest on something that rests on it. Nothing was decided.")
        after = replace(after, derived_from=tuple(sorted({*after.derived_from, *used})))
    if after == before:
        return card.version
    return rewrite_content(tx, card, before, after, numbers=Numbers(tx.connection, tx.tenant), observed=frozenset(used.values()), bump=bump)


def _judge_reads(tx: Writing, card: Card, terms: Terms) -> None:
    """Keep what the reviewer said of reads the candidate does not declare."""
    named = [*((name, True) for name in terms.used), *((name, False) for name in terms.not_used)]
    known = find_numbers(tx.connection, tx.tenant, [name for name, _ in named])
    for name, used in named:
        if name not in known:
            raise Refusal(Code.NOT_FOUND, f"There is no record {name!r} that its task could have used. Nothing was decided.")
        save_review_of_read(tx, card.number, known[name], used=used)


class _Acceptance:
    """A candidate that passed: what it replaces, what it would contradict, and its acceptance."""

    def __init__(self, tx: Writing, card: Card, how: Approval, verdict: Verdict) -> None:
        self.tx, self.card, self.how, self.verdict = tx, card, how, verdict
        self.replaced: list[KeyClaim] = []
        #: Earlier editions of an artifact, which the new one takes the place of.
        self.former: list[Card] = []
        self.ended: list[tuple[int, int]] = []
        self.fired: list[int] = []
        assert verdict.facts is not None
        self.record: Claim | Artifact = verdict.facts.record
        self.predicate = verdict.facts.predicate

    def carry_out(self) -> dict[str, Any]:
        """Accept the candidate, with everything that follows."""
        tx, card = self.tx, self.card
        if isinstance(self.record, Claim):
            self._make_room(self.record)
            going = {other.record for other in self.replaced}
            earlier = earlier_periods(tx.connection, tx.tenant, card.number, self.record)
            self.fired = [number for number in earlier if number not in going]
        elif self.record.edition_of is not None:
            self.former = former_editions(tx.connection, tx.tenant, self.record)
        if self.replaced or self.former or self.fired:
            # In memory before the first write, so that nothing half done is ever taken for a state of the store.
            tx.snapshot(tx.tenant)
        apply_terms_to(tx, card, self.verdict, self.how.terms, bump=False, after=self.record)
        for number, end in self.ended:
            self._end_validity(number, end)
        version = tx.set_status(card.number, card.status, next_status(card.id, card.status, Step.APPROVE), card.version)
        terms = self.how.terms.to_json()
        note_decision(tx, card.number, "approve", version, reason=tx.reason, terms=canonical_json(terms) if terms else None)
        self._take_out()
        keys = set()
        if isinstance(self.record, Claim):
            found = find_key(tx.connection, tx.tenant, self.record.scope, self.record.subject, self.record.predicate, self.record.qualifiers)
            keys.add(found or 0)
        refresh_conflicts(tx, keys - {0}, f"{card.id} was approved, event {tx.seq}")
        for other in self.former:
            insert_remedy(tx, other.number, "edition", edition=card.number, text=tx.reason)
        replaced = [*(other.id for other in self.replaced), *(other.id for other in self.former)]
        return {"decided": card.id, "replaced": replaced, "event": tx.seq, **({"fired": len(self.fired)} if self.fired else {})}

    def _make_room(self, claim: Claim) -> None:
        """Work out which claims give way, refusing when one would be contradicted that the decision does not name."""
        assert self.predicate is not None
        mine, rivals = rivals_of(self.tx.connection, self.tx.tenant, self.card, claim)
        if self.predicate.many:
            rivals = [other for other in rivals if other.side.value == mine.value]
        if self.how.replaces is not None:
            mine = self._replace_named(mine, rivals, claim)
        if self.predicate.series:
            mine = self._fit_into_series(mine, rivals)
        self.replaced.extend(other for other in answered(mine, rivals, series=self.predicate.series) if other not in self.replaced)
        gone = {other.record for other in self.replaced} | {number for number, _ in self.ended}
        left = [other for other in contradicted(mine, rivals) if other.record not in gone]
        if left and not self.how.open_conflict:
            names = ", ".join(other.id for other in left)
            raise Refusal(
                Code.WOULD_CONTRADICT,
                f"{self.card.id} would contradict {names}, which is accepted. Nothing was decided. Say whether it replaces it, from which date, "
                "stands in a narrower scope, or opens a conflict; or reject it.",
                contradicts=[other.id for other in left],
            )

    def _replace_named(self, mine: Side, rivals: list[KeyClaim], claim: Claim) -> Side:
        old = next((other for other in rivals if other.id == self.how.replaces), None)
        if old is None:
            there = find_card(self.tx.connection, self.tx.tenant, self.how.replaces or "")
            if there is None:
                raise Refusal(Code.NOT_FOUND, f"There is no record {self.how.replaces!r} to replace. Nothing was decided.")
            raise Refusal(
                Code.OTHER_KEY,
                f"{there.id} {STANDS[there.status]}. {self.card.id} can replace only what is {say_statuses((*LIVE, Status.STALE))} and about the same. Nothing was decided.",
            )
        if self.how.replaces_from is None:
            self.replaced.append(old)
            return mine
        moment = self.how.replaces_from
        if not old.side.start < moment < old.side.end:
            raise Refusal(Code.BAD_VALUE, f"{old.id} does not hold at that date, so its validity cannot end there. Nothing was decided.")
        if mine.end <= moment:
            raise Refusal(
                Code.BAD_VALUE, f"{self.card.id} ends before that date, so it cannot begin there. Nothing was decided. Give an earlier date."
            )
        self.ended.append((old.record, moment))
        if mine.start < moment:
            self.record = replace(claim, valid_from=moment)
            return Side(mine.record, mine.value, moment, mine.end)
        return mine

    def _fit_into_series(self, mine: Side, rivals: list[KeyClaim]) -> Side:
        """End the last figure's validity where this one begins, and this one's where the next begins."""
        gone = {other.record for other in self.replaced} | {number for number, _ in self.ended}
        for other in rivals:
            apart = max(mine.start, other.side.start) >= min(mine.end, other.side.end)
            if other.status not in LIVE or apart or other.record in gone or other.side.start == mine.start:
                continue
            if other.side.start < mine.start:
                self.ended.append((other.record, mine.start))
            elif other.side.start < mine.end:
                mine = Side(mine.record, mine.value, mine.start, other.side.start)
        if (
            isinstance(self.record, Claim)
            and mine.end != FOREVER
            and (self.record.valid_to is None or mine.end < self.record.valid_to)
            and mine.end != self.record.expires_at
        ):
            self.record = replace(self.record, valid_to=mine.end)
        return mine

    def _end_validity(self, number: int, end: int) -> None:
        tx = self.tx
        card = load_cards(tx.connection, tx.tenant, [number])[number]
        next_status(card.id, card.status, Step.NARROW)
        before = load_content(tx.connection, tx.tenant, card)
        assert isinstance(before, Claim)
        rewrite_content(tx, card, before, replace(before, valid_to=end), numbers=Numbers(tx.connection, tx.tenant), bump=number not in self.fired)

    def _take_out(self) -> None:
        """Supersede what gives way, with all that rests on it, as the same plan would; make stale what waited for a later period."""
        gone = [*((other.record, other.id) for other in self.replaced), *((other.number, other.id) for other in self.former)]
        if not gone and not self.fired:
            return
        tx, names = self.tx, [name for _, name in gone]
        intent = Intent(Plan(Verb.SUPERSEDE, tuple(names), by=self.card.id))
        above = ancestors_of(tx.connection, tx.tenant, [self.card.number])
        for number, name in gone:
            if number in above:
                raise Refusal(Code.ILLEGAL_STEP, f"{self.card.id} rests on {name}, so it cannot replace it. Nothing was decided.")
            card = load_cards(tx.connection, tx.tenant, [number])[number]
            if any(number == other.number for other in self.former):
                tx.actor.need(Right.DECIDE, card.scope, f"let {self.card.id} take the place of {name}")
            intent.becomes[number] = (card.status, next_status(name, card.status, Step.SUPERSEDE))
            intent.successors[number] = self.card.number
        for number in self.fired:
            intent.becomes[number] = (Status.ACCEPTED, Status.STALE)
            intent.fired.append(Fired(number, "newer_period_arrived", self.card.id))
        intent.roots = sorted(intent.becomes)
        snapshot, impact = derive(tx, tx.tenant, intent)
        join_settled(tx, [record for record, (old, _) in intent.becomes.items() if old == Status.STALE], snapshot)
        write_impact(tx, snapshot, impact, f"{self.card.id} {'replaced ' + ', '.join(names) if names else 'was approved'}, event {tx.seq}")
        tx.moved = None
