"""From a plan's words to what it does directly: ids found, steps checked, rights checked, verdicts worked out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.candidates import load_facts
from store.db.coming_back import bring_back
from store.db.comparing import plan_comparison
from store.db.conflicts import OPEN, claims_of_keys, find_conflict, open_conflicts, sides_now
from store.db.forgetting import plan_erasure
from store.db.kept import need_kept
from store.db.keys import find_key, load_key, load_predicates, nearest_predicate
from store.db.nearness import near_keys
from store.db.picking import pick_made
from store.db.reader_errors import plan_reader_error
from store.db.recapturing import RecapturePlanner
from store.db.records import ancestors_of, find_card, find_numbers, load_cards, load_content, successor_of
from store.db.revalidating import ConfirmPlanner, plan_restore
from store.db.settlements import GroupPlanner, gained_bindings, reinstated
from store.db.triggers import earlier_periods
from store.domain.conflicts import Side, contradicts, live_interval, side_of, sides_of_key
from store.domain.errors import Code, Refusal, not_found
from store.domain.people import Actor, Right
from store.domain.plans import STEPS, Answer, Fired, Intent, Narrowed, Plan, Settled, Verb
from store.domain.promotion import Terms, explain_failure, judge
from store.domain.records import Artifact, Card, Claim, key_hash
from store.domain.scopes import check_scope, covers
from store.domain.snapshot import Snapshot
from store.domain.status import LIVE, STANDS, Kind, Status, Step, is_legal, next_status
from store.domain.times import format_time, parse_stated_time
from store.domain.tolerance import read_near
from store.domain.values import value_code


class Planner:
    """Works one plan out against one tenant as it stands."""

    def __init__(self, connection: Connection, tenant: int, actor: Actor, at: int, snapshot: Callable[[int], Snapshot]) -> None:
        self.connection = connection
        self.tenant = tenant
        self.actor = actor
        self.at = at
        #: The tenant's records in memory, for what only a walk can tell; asked for where it is needed.
        self.snapshot = snapshot

    def work_out(self, plan: Plan) -> Intent:
        """Return what the plan does directly.

        Raises:
            Refusal: something is not there, not allowed, or no legal step; or it would bring back what the policy keeps no longer.
        """
        intent = self._work_out(plan)
        need_kept(self.connection, self.tenant, intent)
        return intent

    def _work_out(self, plan: Plan) -> Intent:
        if plan.verb is Verb.RESOLVE:
            return self._resolve(plan)
        if plan.verb is Verb.SUPERSEDE:
            return self._supersede(plan)
        if plan.verb is Verb.SETTLE:
            return GroupPlanner(self.connection, self.tenant, self.actor, self.at).work_out(plan)
        if plan.verb is Verb.COMPARE:
            return plan_comparison(self.connection, self.tenant, self.actor, plan)
        if plan.verb is Verb.CONFIRM:
            return ConfirmPlanner(self.connection, self.tenant, self.actor, self.at).work_out(plan, self._roots(plan, Step.CONFIRM))
        if plan.verb is Verb.RESTORE:
            return plan_restore(self.connection, self.tenant, self.snapshot(self.tenant), plan, self._standing(plan))
        if plan.verb is Verb.ERASE:
            return plan_erasure(self.connection, self.tenant, self.actor, self.snapshot(self.tenant), plan)
        if plan.verb is Verb.RECAPTURE:
            intent = RecapturePlanner(self.connection, self.tenant, self.actor).work_out(plan)
            bring_back(self.connection, self.tenant, self.snapshot, intent)
            return intent
        return self._step(plan)

    # --- revoke, suspend, reinstate -------------------------------------------------------------------------------

    def _step(self, plan: Plan) -> Intent:
        step = STEPS[plan.verb]
        cards = self._roots(plan, step)
        intent = Intent(plan, roots=[card.number for card in cards])
        if plan.verb is Verb.REINSTATE:
            intent.becomes = reinstated(self.connection, self.tenant, cards)
            return intent
        intent.becomes = {card.number: (card.status, next_status(card.id, card.status, step)) for card in cards}
        return intent

    def _roots(self, plan: Plan, step: Step) -> list[Card]:
        found: dict[int, Card] = {}
        for root in plan.roots:
            card = find_card(self.connection, self.tenant, root)
            if card is not None:
                self._need_decide(card, f"{plan.verb} {root}")
                next_status(card.id, card.status, step)
                found[card.number] = card
                continue
            found.update({card.number: card for card in self._versions(root, step, plan.verb)})
        if plan.made:
            picked = pick_made(self.connection, self.tenant, self.actor, plan.made, step, f"{plan.verb} what was picked")
            found.update({card.number: card for card in picked if card.id not in plan.except_})
            if not found:
                raise Refusal(Code.BAD_VALUE, "Everything that was picked is left out, so nothing would happen. Nothing was changed.")
        return list(found.values())

    def _versions_of(self, source: str, verb: Verb) -> list[Card]:
        """Return all versions of a source."""
        query = (
            sa.select(t.record.c.record)
            .join(t.source, (t.source.c.tenant == t.record.c.tenant) & (t.source.c.source == t.record.c.source))
            .where(t.source.c.tenant == self.tenant, t.source.c.id == source)
        )
        cards = list(load_cards(self.connection, self.tenant, self.connection.execute(query).scalars()).values())
        if not cards or not self.actor.may(Right.READ, cards[0].scope):
            raise not_found(source)
        self._need_decide(cards[0], f"{verb} {source}")
        return cards

    def _versions(self, source: str, step: Step, verb: Verb) -> list[Card]:
        """Return the versions of a source for which the step is legal."""
        cards = self._versions_of(source, verb)
        legal = [card for card in cards if is_legal(card.status, step)]
        if not legal:
            statuses = ", ".join(sorted({card.status.name for card in cards}))
            raise Refusal(Code.ILLEGAL_STEP, f"No version of {source} can be taken through {step.value}: they are {statuses}. Nothing was changed.")
        return sorted(legal, key=lambda card: card.number)

    def _standing(self, plan: Plan) -> list[Card]:
        """Return the records below which is restored; of a source the versions that stand."""
        found: list[Card] = []
        for root in plan.roots:
            card = find_card(self.connection, self.tenant, root)
            if card is not None:
                self._need_decide(card, f"{plan.verb} {root}")
                found.append(card)
                continue
            versions = self._versions_of(root, plan.verb)
            found.extend([card for card in versions if card.status is Status.ACCEPTED] or versions)
        return found

    def _need_decide(self, card: Card, doing: str) -> None:
        served = card.status is Status.ACCEPTED and self.actor.may(Right.READ, card.scope)
        if not self.actor.may(Right.INSPECT, card.scope) and not served:
            raise not_found(card.id)
        self.actor.need(Right.DECIDE, card.scope, doing)

    # --- supersede ------------------------------------------------------------------------------------------------

    def _card(self, record_id: str | None, doing: str) -> Card:
        card = find_card(self.connection, self.tenant, record_id or "")
        if card is None:
            raise not_found(record_id or "")
        self._need_decide(card, doing)
        return card

    def _supersede(self, plan: Plan) -> Intent:
        old, new = self._card(plan.roots[0], f"supersede {plan.roots[0]}"), self._card(plan.by, f"accept {plan.by}")
        becomes = {old.number: (int(old.status), int(next_status(old.id, old.status, Step.SUPERSEDE)))}
        self._check_one_key(old, new)
        if old.number in ancestors_of(self.connection, self.tenant, [new.number]):
            raise Refusal(Code.ILLEGAL_STEP, f"{new.id} rests on {old.id}, so it cannot replace it. Nothing was changed. Amend {new.id} first.")
        intent = Intent(plan, becomes, [old.number], successors={old.number: new.number})
        if new.status is Status.CANDIDATE:
            verdict = judge(load_facts(self.connection, self.tenant, new, self.actor, Terms(), self.at))
            if not verdict.can_approve:
                raise explain_failure(new.id, verdict.failed())
            if verdict.needs_second:
                raise Refusal(
                    Code.PROMOTION_CHECKS_FAILED, f"{new.id} has high impact: another person must approve it first, then it may replace {old.id}."
                )
            becomes[new.number] = (new.status, next_status(new.id, new.status, Step.APPROVE))
            intent.approve = new.number
            self._fire_earlier(intent, new)
        elif new.status is not Status.ACCEPTED:
            raise Refusal(
                Code.ILLEGAL_STEP, f"{new.id} {STANDS[new.status]}; only an accepted record or a candidate can replace another. Nothing was changed."
            )
        self._check_no_rival(new, {old.number})
        return intent

    def _fire_earlier(self, intent: Intent, new: Card) -> None:
        """Make stale what asked to be looked at once a figure for a later period is accepted."""
        claim = load_content(self.connection, self.tenant, new)
        if not isinstance(claim, Claim):
            return
        for number in earlier_periods(self.connection, self.tenant, new.number, claim):
            if number not in intent.becomes:
                intent.becomes[number] = (Status.ACCEPTED, Status.STALE)
                intent.roots.append(number)
                intent.fired.append(Fired(number, "newer_period_arrived", new.id))

    def _check_one_key(self, old: Card, new: Card) -> None:
        if old.kind is Kind.CLAIM and old.key == new.key and old.number != new.number:
            return
        if old.kind is new.kind is Kind.ARTIFACT and old.number != new.number:
            first, second = (load_content(self.connection, self.tenant, card) for card in (old, new))
            if (
                isinstance(first, Artifact)
                and isinstance(second, Artifact)
                and second.edition_of is not None
                and second.edition_of in (first.id, first.edition_of)
            ):
                return
        raise Refusal(
            Code.OTHER_KEY,
            f"{new.id} does not say the same thing about the same subject in the same scope as {old.id}, so it cannot replace it. Nothing was changed.",
        )

    def _check_no_rival(self, new: Card, leaving: set[int]) -> None:
        """Refuse when an accepted claim of the key would still contradict the one that comes in."""
        if new.key is None:
            return
        mine = side_of(new, near_keys(self.connection, self.tenant, [new.key]).get(new.number))
        claims = claims_of_keys(self.connection, self.tenant, [new.key]).get(new.key, [])
        _, _, name, _ = load_key(self.connection, self.tenant, new.key)
        if nearest_predicate(load_predicates(self.connection, self.tenant), new.scope, name).many:
            return
        rivals = [
            claim.id for claim in claims if claim.status in LIVE and claim.record not in {*leaving, new.number} and contradicts(mine, claim.side)
        ]
        if rivals and new.status is Status.CANDIDATE:
            raise Refusal(Code.WOULD_CONTRADICT, f"{new.id} would still contradict {', '.join(rivals)}. Nothing was changed. Settle that first.")

    # --- resolve --------------------------------------------------------------------------------------------------

    def _resolve(self, plan: Plan) -> Intent:
        row = find_conflict(self.connection, self.tenant, plan.roots[0])
        if row is None:
            raise not_found(plan.roots[0])
        scope, *_ = load_key(self.connection, self.tenant, row.key)
        if not self.actor.may(Right.INSPECT, scope):
            raise not_found(plan.roots[0])
        self.actor.need(Right.DECIDE, scope, f"resolve {row.id}")
        if row.state != OPEN:
            raise Refusal(Code.ALREADY_DECIDED, f"{row.id} is closed: {row.verdict or row.cause}. Nothing was changed.")
        sides = open_conflicts(self.connection, self.tenant, [row.key])[row.key].sides
        cards = load_cards(self.connection, self.tenant, sides)
        self._by_id = {card.id: card for card in cards.values()}
        for named in (*plan.other, *plan.narrow, *plan.subject, *([plan.keep] if plan.keep else [])):
            if named not in self._by_id:
                raise Refusal(Code.BAD_VALUE, f"{named} is no side of {row.id}; its sides are {', '.join(sorted(self._by_id))}. Nothing was changed.")
        intent = Intent(plan)
        {
            Answer.KEEP: self._keep, Answer.SAME: self._same, Answer.SPLIT: self._split, Answer.DIFFERENT: self._different,
            Answer.NONE: self._none, Answer.UNCLEAR: self._unclear, Answer.READER_ERROR: self._reader_error,
        }[plan.verdict or Answer.NONE](plan, intent)  # fmt: skip
        intent.roots = sorted(intent.becomes)
        kept = tuple(card.number for card in self._by_id.values() if card.id == plan.keep)
        intent.settled = [Settled(row.conflict, row.id, row.key, plan.verdict or Answer.NONE, kept, tuple(sides))]
        if plan.verdict is not Answer.UNCLEAR:
            self._check_settled(intent)
        return intent

    def _others(self, plan: Plan) -> list[Card]:
        """Return the sides a verdict takes out: not what says the same as the side that stays, unless the plan names it."""
        kept = self._by_id.get(plan.keep or "")
        return [
            card for card in sorted(self._by_id.values(), key=lambda card: card.number)
            if kept is None or (card.id != kept.id and (card.value != kept.value or card.id in plan.other))
        ]  # fmt: skip

    def _take_out(self, intent: Intent, card: Card, step: Step) -> None:
        intent.becomes[card.number] = (card.status, next_status(card.id, card.status, step))

    def _keep(self, plan: Plan, intent: Intent) -> None:
        kept = self._by_id[plan.keep or ""]
        above = ancestors_of(self.connection, self.tenant, [kept.number])
        for card in self._others(plan):
            if card.number in above:
                raise Refusal(
                    Code.PARENTS_NOT_ACCEPTED,
                    f"{kept.id} rests on {card.id}, so it could not stay without it. Nothing was changed. Amend or replace it first.",
                )
            step = Step.REVOKE if plan.other.get(card.id) == "revoked" else Step.SUPERSEDE
            self._take_out(intent, card, step)
            if step is Step.SUPERSEDE:
                intent.successors[card.number] = kept.number
        self._bring_back(intent, kept)

    def _bring_back(self, intent: Intent, kept: Card) -> None:
        """Reinstate the side that stays, where it was suspended."""
        if kept.status is Status.DISPUTED:
            intent.becomes.update(reinstated(self.connection, self.tenant, [kept]))

    def _same(self, plan: Plan, intent: Intent) -> None:
        self._keep(plan, intent)
        kept = self._by_id[plan.keep or ""]
        before = self._claim(kept)
        others = [self._claim(card) for card in self._others(plan)]
        named = {binding.evidence for claim in others for binding in claim.evidence}
        numbers = find_numbers(self.connection, self.tenant, sorted(named)).values()
        accepted = {card.id for card in load_cards(self.connection, self.tenant, numbers).values() if card.status is Status.ACCEPTED}
        gained = gained_bindings(before, others, accepted)
        if gained:
            next_status(kept.id, kept.status, Step.GAIN_EVIDENCE)
            after = replace(before, evidence=(*before.evidence, *gained))
            near = near_keys(self.connection, self.tenant, [kept.key or 0]).get(kept.number)
            intent.narrowed.append(Narrowed(kept.number, kept.version, before, after, kept.key, kept.value, near))

    def _none(self, plan: Plan, intent: Intent) -> None:
        for card in self._others(plan):
            self._take_out(intent, card, Step.REVOKE)

    def _unclear(self, plan: Plan, intent: Intent) -> None:
        for card in self._others(plan):
            if card.status is Status.ACCEPTED:
                self._take_out(intent, card, Step.SUSPEND)

    def _reader_error(self, plan: Plan, intent: Intent) -> None:
        intent.becomes.update(plan_reader_error(self.connection, self.tenant, self.actor, plan, self._by_id))

    def _different(self, plan: Plan, intent: Intent) -> None:
        ((side, subject),) = plan.subject.items()
        card = self._by_id[side]
        before = self._claim(card)
        if subject == before.subject:
            raise Refusal(Code.BAD_VALUE, f"{side} already is about {subject}. Nothing was changed. Name the other subject.")
        taken, n = f"{card.id}.{subject}"[:480], 1
        while find_card(self.connection, self.tenant, taken if n == 1 else f"{taken}~{n}") is not None:
            n += 1
        new_id = taken if n == 1 else f"{taken}~{n}"
        created = replace(before, id=new_id, subject=subject, proposed_by=self.actor.id, entity_confidence=None, contributors=(), task=None)
        self._take_out(intent, card, Step.SUPERSEDE)
        intent.created = (created, card.number)

    def _claim(self, card: Card) -> Claim:
        content = load_content(self.connection, self.tenant, card)
        assert isinstance(content, Claim)
        return content

    def _split(self, plan: Plan, intent: Intent) -> None:
        predicates = load_predicates(self.connection, self.tenant)
        for side, fields in sorted(plan.narrow.items()):
            card = self._by_id[side]
            next_status(card.id, card.status, Step.NARROW)
            before = self._claim(card)
            after = narrow_claim(before, fields)
            self.actor.need(Right.DECIDE, after.scope, f"narrow {side}")
            predicate = nearest_predicate(predicates, after.scope, after.predicate)
            key = find_key(self.connection, self.tenant, after.scope, after.subject, after.predicate, after.qualifiers)
            narrowed = Narrowed(card.number, card.version, before, after, key, value_code(after.value, predicate), read_near(after.value, predicate))
            intent.narrowed.append(narrowed)

    def _check_settled(self, intent: Intent) -> None:
        """Refuse a verdict after which two sides of the conflict would still contradict each other."""
        narrowed = {item.record: item for item in intent.narrowed}
        near = near_keys(self.connection, self.tenant, [card.key for card in self._by_id.values() if card.key is not None])
        left: dict[Any, list[Side]] = {}
        for card in self._by_id.values():
            status = intent.becomes.get(card.number, (card.status, card.status))[1]
            if status not in LIVE:
                continue
            item = narrowed.get(card.number)
            if item is None:
                key: Any = card.key
                side = side_of(card, near.get(card.number))
            else:
                key = item.key if item.key is not None else _new_key(item.after)
                lives = live_interval(item.after.valid_from, item.after.valid_to, item.after.expires_at)
                side = Side(card.number, item.value, *lives, item.near)
            left.setdefault(key, []).append(side)
        names = {card.number: card.id for card in self._by_id.values()}
        for sides in left.values():
            still = sides_of_key(sides)
            if still:
                raise Refusal(
                    Code.STILL_CONTRADICTS,
                    f"After that {' and '.join(sorted(names[side.record] for side in still))} would still contradict each other. Nothing was changed. "
                    "Narrow them further, or choose another verdict.",
                )


def _new_key(claim: Claim) -> str:
    """Return what tells a key apart that the store does not have yet."""
    return key_hash(claim.scope, claim.subject, claim.predicate, claim.qualifiers)


def narrow_claim(before: Claim, fields: Any) -> Claim:
    """Return a claim with narrower validity, scope or qualifiers.

    Raises:
        Refusal: a field cannot be narrowed, or would become wider.
    """
    changes: dict[str, Any] = {}
    for name, value in fields.items():
        if name in ("valid_from", "valid_to"):
            try:
                changes[name] = parse_stated_time(str(value))
            except ValueError as error:
                raise Refusal(Code.BAD_VALUE, f"{error}. Nothing was changed.") from None
        elif name == "scope":
            try:
                changes[name] = check_scope(str(value))
            except ValueError as error:
                raise Refusal(Code.BAD_VALUE, f"{error}. Nothing was changed.") from None
            if not covers(before.scope, changes[name]) or changes[name] == before.scope:
                raise Refusal(Code.BAD_VALUE, f"{value} is not below {before.scope}. A verdict may only narrow. Nothing was changed.")
        elif name == "qualifiers":
            if not isinstance(value, dict) or any(value.get(one) != its for one, its in before.qualifiers.items()):
                raise Refusal(Code.BAD_VALUE, f"The qualifiers of {before.id} may be added to, not changed. Nothing was changed.")
            changes[name] = value
        else:
            raise Refusal(Code.BAD_VALUE, f"{name!r} cannot be narrowed; valid_from, valid_to, scope and qualifiers can. Nothing was changed.")
    after = replace(before, **changes)
    start, end = live_interval(before.valid_from, before.valid_to, None)
    first, last = live_interval(after.valid_from, after.valid_to, None)
    if first < start or last > end or first >= last:
        raise Refusal(
            Code.BAD_VALUE,
            f"The validity of {before.id} would not become narrower"
            + (f" (it ends {format_time(end)[:10]})" if before.valid_to is not None else "")
            + ". Nothing was changed.",
        )
    return after


def sides_by_rule(connection: Connection, tenant: int, key: int, many: bool) -> list[int]:
    """Return the records the rule puts on the sides of a key's conflict."""
    return [claim.record for claim in sides_now(claims_of_keys(connection, tenant, [key]).get(key, []), many)]


def current_successor(connection: Connection, tenant: int, number: int) -> int | None:
    """Return what replaced a record."""
    return successor_of(connection, tenant, number)
