"""One plan that settles many conflicts by a rule, or each by the claim somebody chose (R12, R13)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy.engine import Connection

from store.db.conflicts import OPEN, find_conflicts, open_conflicts
from store.db.kept import not_kept
from store.db.records import ancestors_of, load_cards, load_contents
from store.db.voices import load_voices
from store.domain.conflicts import sides_of_key
from store.domain.errors import Code, Refusal, not_found
from store.domain.people import Actor, Right
from store.domain.plans import Answer, Intent, Narrowed, Plan, Settled
from store.domain.records import Binding, Card, Claim
from store.domain.settling import (
    DECIDED_ALREADY,
    LEFT_OUT,
    NO_RULE,
    NOT_KEPT,
    RESTS_ON_OTHER,
    RESTS_ON_OTHERS,
    STILL_CONTRADICT,
    Voice,
    choose,
    keep_value,
    split_by_start,
)
from store.domain.status import Status, Step, next_status


def reinstated(connection: Connection, tenant: int, cards: Sequence[Card]) -> dict[int, tuple[int, int]]:
    """Return record -> (status now, status then) of suspended records that are taken back into use, upstream first."""
    above = ancestors_of(connection, tenant, [card.number for card in cards])
    status = {number: card.status for number, card in load_cards(connection, tenant, above).items()}
    becomes: dict[int, tuple[int, int]] = {}
    waiting = {card.number: card for card in cards}
    while waiting:
        ready = [card for card in waiting.values() if not any(parent in waiting for parent in above[card.number])]
        for card in ready:
            stands = all(status[parent] is Status.ACCEPTED for parent in above[card.number])
            new = next_status(card.id, card.status, Step.REINSTATE, Status.ACCEPTED if stands else Status.STALE)
            becomes[card.number] = (card.status, new)
            status[card.number] = new
            del waiting[card.number]
    return becomes


@dataclass(slots=True)
class _Case:
    """One conflict of the group with what is decided for it."""

    number: int
    id: str
    key: int
    verdict: Answer
    voices: list[Voice]
    keep: tuple[int, ...] = ()
    ends: Mapping[int, int] = field(default_factory=dict)

    def going(self) -> list[int]:
        """Return the sides that leave for good."""
        if self.verdict in (Answer.UNCLEAR, Answer.SPLIT):
            return []
        return [voice.side.record for voice in self.voices if voice.side.record not in self.keep]

    def out_of_use(self) -> list[int]:
        """Return the sides on which nothing can rest afterwards: those that leave for good, and those that wait for a decision."""
        return [voice.side.record for voice in self.voices] if self.verdict is Answer.UNCLEAR else self.going()


class GroupPlanner:
    """Works out what a plan does to every conflict it names."""

    def __init__(self, connection: Connection, tenant: int, actor: Actor, at: int) -> None:
        self.connection = connection
        self.tenant = tenant
        self.actor = actor
        self.at = at
        self.left: list[tuple[str, str]] = []

    def work_out(self, plan: Plan) -> Intent:
        """Return what the plan does directly.

        Raises:
            Refusal: a conflict is not there, may not be decided, or has no such side.
        """
        rows = self._find(plan)
        sides = {key: conflict.sides for key, conflict in open_conflicts(self.connection, self.tenant, [row.key for row in rows]).items()}
        every = [record for its in sides.values() for record in its]
        above = ancestors_of(self.connection, self.tenant, every)
        self.cards = load_cards(self.connection, self.tenant, above)
        self.voices = load_voices(self.connection, self.tenant, {record: self.cards[record] for record in every}, above, self.cards, self.at)
        cases = [case for row in rows if (case := self._decide(plan, row, [self.voices[record] for record in sides[row.key]])) is not None]
        cases = self._without_dependent(self._without_unkept(cases), above)
        return self._intend(plan, cases)

    def _find(self, plan: Plan) -> list[Any]:
        """Return the rows of the conflicts that can be settled, by id."""
        roots = sorted(set(plan.roots))
        found = {row.id: row for row in find_conflicts(self.connection, self.tenant, roots)}
        rows = []
        for root in roots:
            row = found.get(root)
            if row is None or not self.actor.may(Right.INSPECT, row.path):
                raise not_found(root)
            self.actor.need(Right.DECIDE, row.path, f"settle {root}")
            if root in plan.except_:
                self.left.append((root, LEFT_OUT))
            elif row.state != OPEN:
                self.left.append((root, DECIDED_ALREADY))
            else:
                rows.append(row)
        return rows

    def _decide(self, plan: Plan, row: Any, voices: list[Voice]) -> _Case | None:
        """Return what becomes of one conflict, None where it is left alone."""
        verdict = Answer(plan.rule.get("verdict", Answer.KEEP))
        chosen = plan.choices.get(row.id)
        if chosen is not None:
            named = [voice for voice in voices if voice.id == chosen]
            if not named:
                sides = ", ".join(sorted(voice.id for voice in voices))
                raise Refusal(Code.BAD_VALUE, f"{chosen} is no side of {row.id}; its sides are {sides}. Nothing was changed.")
            choice = keep_value(named, voices)
            return _Case(row.conflict, row.id, row.key, Answer.SAME if verdict is Answer.SAME else Answer.KEEP, voices, choice.keep)
        if not plan.rule:
            self.left.append((row.id, NO_RULE))
            return None
        case = _Case(row.conflict, row.id, row.key, verdict, voices)
        why: str | None = None
        if verdict is Answer.SPLIT:
            ends = split_by_start(voices)
            case.ends, why = (ends, None) if isinstance(ends, dict) else ({}, ends)
            then = [replace(voice.side, end=case.ends.get(voice.side.record, voice.side.end)) for voice in voices]
            why = why or (STILL_CONTRADICT if sides_of_key(then) else None)
        else:
            choice = choose(plan.rule, voices)
            case.keep, why = choice.keep, choice.why
        if why is not None:
            self.left.append((row.id, why))
            return None
        return case

    def _without_unkept(self, cases: list[_Case]) -> list[_Case]:
        """Leave alone each conflict of which a suspended side would come back that the policy keeps no longer."""
        back = {record for case in cases for record in case.keep if self.cards[record].status is Status.DISPUTED}
        unkept = not_kept(self.connection, self.tenant, back)
        self.left.extend((case.id, NOT_KEPT) for case in cases if unkept.keys() & set(case.keep))
        return [case for case in cases if not unkept.keys() & set(case.keep)]

    def _without_dependent(self, cases: list[_Case], above: Mapping[int, list[int]]) -> list[_Case]:
        """Leave alone each conflict of which what would stay rests on something that goes, until none is left."""
        upwards = {record: _all_above(above, record) for case in cases for record in case.keep}
        while True:
            going = {record for case in cases for record in case.out_of_use()}
            stays = []
            for case in cases:
                under = set().union(*(upwards[record] for record in case.keep))
                if under & going:
                    self.left.append((case.id, RESTS_ON_OTHER if under & set(case.going()) else RESTS_ON_OTHERS))
                else:
                    stays.append(case)
            if len(stays) == len(cases):
                return cases
            cases = stays

    def _intend(self, plan: Plan, cases: list[_Case]) -> Intent:
        intent = Intent(plan, left=sorted(self.left))
        out = Step.REVOKE if plan.rule.get("others") == "revoked" else Step.SUPERSEDE
        again: list[Card] = []
        contents = self._claims([case for case in cases if case.verdict in (Answer.SAME, Answer.SPLIT)])
        for case in cases:
            if case.verdict is Answer.UNCLEAR:
                accepted = [self.cards[voice.side.record] for voice in case.voices if self.cards[voice.side.record].status is Status.ACCEPTED]
                for card in accepted:
                    intent.becomes[card.number] = (card.status, next_status(card.id, card.status, Step.SUSPEND))
            step = Step.REVOKE if case.verdict is Answer.NONE else out
            for record in case.going():
                card = self.cards[record]
                intent.becomes[record] = (card.status, next_status(card.id, card.status, step))
                if step is Step.SUPERSEDE:
                    intent.successors[record] = case.keep[0]
            again.extend(self.cards[record] for record in case.keep if self.cards[record].status is Status.DISPUTED)
            if case.verdict is Answer.SAME:
                self._gain(intent, case, contents)
            if case.verdict is Answer.SPLIT:
                self._narrow(intent, case, contents)
            sides = tuple(voice.side.record for voice in case.voices)
            intent.settled.append(Settled(case.number, case.id, case.key, case.verdict, case.keep, sides))
        if again:
            intent.becomes.update(reinstated(self.connection, self.tenant, again))
        intent.roots = sorted(intent.becomes)
        return intent

    def _claims(self, cases: list[_Case]) -> dict[int, Claim]:
        cards = [self.cards[voice.side.record] for case in cases for voice in case.voices]
        found = load_contents(self.connection, self.tenant, cards)
        return {number: content for number, content in found.items() if isinstance(content, Claim)}

    def _gain(self, intent: Intent, case: _Case, contents: Mapping[int, Claim]) -> None:
        """Let the side that stays list the evidence of those that go."""
        kept = self.cards[case.keep[0]]
        before, accepted = contents[kept.number], {card.id for card in self.cards.values() if card.status is Status.ACCEPTED}
        gained = gained_bindings(before, [contents[record] for record in case.going()], accepted)
        if gained:
            next_status(kept.id, kept.status, Step.GAIN_EVIDENCE)
            after = replace(before, evidence=(*before.evidence, *gained))
            intent.narrowed.append(Narrowed(kept.number, kept.version, before, after, kept.key, kept.value, self.voices[kept.number].side.near))

    def _narrow(self, intent: Intent, case: _Case, contents: Mapping[int, Claim]) -> None:
        for record, end in sorted(case.ends.items()):
            card, before = self.cards[record], contents[record]
            next_status(card.id, card.status, Step.NARROW)
            after = replace(before, valid_to=end)
            intent.narrowed.append(Narrowed(record, card.version, before, after, card.key, card.value, self.voices[record].side.near))


def gained_bindings(kept: Claim, others: Sequence[Claim], accepted: set[str]) -> list[Binding]:
    """Return the bindings of other claims that the kept one lacks, of evidence that is accepted."""
    known = {(one.evidence, str(one.span), one.quote) for one in kept.evidence}
    gained: list[Binding] = []
    for claim in others:
        for binding in claim.evidence:
            mark = (binding.evidence, str(binding.span), binding.quote)
            if mark not in known and binding.evidence in accepted:
                known.add(mark)
                gained.append(binding)
    return gained


def _all_above(above: Mapping[int, list[int]], record: int) -> set[int]:
    seen: set[int] = set()
    waiting = list(above[record])
    while waiting:
        one = waiting.pop()
        if one not in seen:
            seen.add(one)
            waiting.extend(above[one])
    return seen
