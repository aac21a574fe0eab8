"""Plans that bring back what needs re-validation: confirming some records, and restoring what rests on one that stands (R22, R23)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.bulk import chunks
from store.db.candidate_facts import load_evidence, look_up
from store.db.candidates import order_above
from store.db.changed_supports import changed_supports
from store.db.kept import not_kept
from store.db.keys import load_policies, load_predicates, nearest_predicate, policy_in
from store.db.records import ancestors_of, find_card, load_cards, load_contents
from store.db.triggers import open_triggers
from store.domain.errors import Code, Refusal, not_found
from store.domain.people import Actor, Right
from store.domain.plans import Intent, Plan, Rebound
from store.domain.promotion import Facts, Parent, Terms, judge_again
from store.domain.records import Artifact, Binding, Card, Claim
from store.domain.revalidation import restorable
from store.domain.snapshot import Snapshot
from store.domain.spans import CapturedText, locate_in
from store.domain.status import STANDS, Kind, Status, Step, next_status

#: Reasons a refusal names before it says how many more there are.
_NAMED = 5


@dataclass(frozen=True, slots=True)
class _Added:
    """A parent to add, and the passage of it that carries the record, if one was given."""

    card: Card
    binding: Binding | None


class ConfirmPlanner:
    """Works out which stale records stand again on what they then rest on, upstream first."""

    def __init__(self, connection: Connection, tenant: int, actor: Actor, at: int) -> None:
        self.connection, self.tenant, self.actor, self.at = connection, tenant, actor, at

    def work_out(self, plan: Plan, cards: Sequence[Card]) -> Intent:
        """Return what confirming `cards` does.

        Raises:
            Refusal: `parents_not_accepted`, `promotion_checks_failed`, `cycle`, `bad_value` or `not_found`, naming what is missing.
        """
        self.roots = {card.number: card for card in cards}
        self.contents = load_contents(self.connection, self.tenant, list(cards))
        self.added = [self._find_added(text) for text in plan.add]
        self.replaced = {old: self._find_parent(new) for old, new in plan.replace.items()}
        new = [*(one.card.number for one in self.added), *(card.number for card in self.replaced.values())]
        self.above = ancestors_of(self.connection, self.tenant, [*self.roots, *new])
        self.cards = load_cards(self.connection, self.tenant, self.above)
        self.numbers = {card.id: number for number, card in self.cards.items()}
        intent = Intent(plan, roots=sorted(self.roots))
        self._change_supports(plan, intent)
        order = order_above(self.above)
        self._judge(intent, order)
        intent.dismissed = [(row.record, row.n) for row in open_triggers(self.connection, self.tenant, self.roots)]
        return intent

    # --- what they rest on then -----------------------------------------------------------------------------------

    def _find_parent(self, record_id: str) -> Card:
        card = find_card(self.connection, self.tenant, record_id)
        if card is None or not (self.actor.may(Right.INSPECT, card.scope) or (card.status is Status.ACCEPTED and self.actor.may(Right.READ, card.scope))):
            raise not_found(record_id)
        return card

    def _find_added(self, text: str) -> _Added:
        if find_card(self.connection, self.tenant, text) is not None or "#" not in text:
            return _Added(self._find_parent(text), None)
        name, _, where = text.rpartition("#")
        card = self._find_parent(name)
        start, dash, end = where.partition("-")
        captured = load_evidence(self.connection, self.tenant, [name]).get(name)
        if captured is None or captured.text is None:
            raise Refusal(Code.BAD_VALUE, f"{name} is no captured text, so it has no passage {where}. Nothing was changed. Add it without a passage.")
        if not (dash and start.isascii() and start.isdigit() and end.isascii() and end.isdigit() and int(start) < int(end) <= len(captured.text)):
            raise Refusal(
                Code.BAD_VALUE,
                f"{where} is no passage of {name}: give #start-end, counted in characters from 0 to {len(captured.text)}. Nothing was changed.",
            )
        span = {"start": int(start), "end": int(end)}
        return _Added(card, Binding(name, span, captured.text[int(start) : int(end)]))

    def _change_supports(self, plan: Plan, intent: Intent) -> None:
        used: set[str] = set()
        for number, card in self.roots.items():
            before = self.contents[number]
            if not isinstance(before, Claim | Artifact):
                continue
            after = before
            for parent in plan.drop:
                if parent in after.parents():
                    used.add(parent)
                    after = _without(after, parent)
            for old, new in self.replaced.items():
                if old in after.parents():
                    used.add(old)
                    after = self._with_replaced(after, old, new)
            for one in self.added:
                after = _with_added(after, one)
            if after == before:
                continue
            intent.rebound.append(Rebound(number, card.version, before, after, tuple(sorted(self._number(parent) for parent in after.parents()))))
        strangers = [name for name in (*plan.drop, *plan.replace) if name not in used]
        if strangers:
            raise Refusal(Code.BAD_VALUE, f"Nothing that is confirmed rests on {strangers[0]}, so it can be neither dropped nor replaced. Nothing was changed.")
        for item in intent.rebound:
            self.above[item.record] = list(item.parents)
        if intent.rebound:
            self._check_acyclic(intent)

    def _number(self, record_id: str) -> int:
        if record_id not in self.numbers:
            self.numbers[record_id] = self._find_parent(record_id).number
        return self.numbers[record_id]

    def _check_acyclic(self, intent: Intent) -> None:
        for item in intent.rebound:
            waiting, seen = list(item.parents), set(item.parents)
            while waiting:
                one = waiting.pop()
                if one == item.record:
                    raise Refusal(Code.CYCLE, f"{item.after.id} would rest on itself. Nothing was changed. Choose other parents.")
                fresh = [parent for parent in self.above.get(one, ()) if parent not in seen]
                seen.update(fresh)
                waiting.extend(fresh)

    def _with_replaced(self, record: Claim | Artifact, old: str, new: Card) -> Claim | Artifact:
        derived = tuple(sorted({new.id if one == old else one for one in record.derived_from}))
        if isinstance(record, Artifact):
            return replace(record, derived_from=derived)
        bindings: list[Binding] = []
        for one in record.evidence:
            moved = self._moved(record.id, one, new) if one.evidence == old else one
            if moved not in bindings:
                bindings.append(moved)
        return replace(record, derived_from=derived, evidence=tuple(bindings))

    def _moved(self, record_id: str, binding: Binding, new: Card) -> Binding:
        """Return a binding to the same words in another version.

        Raises:
            Refusal: they do not stand there, or more than once.
        """
        if new.kind is not Kind.EVIDENCE:
            raise Refusal(
                Code.BAD_VALUE, f"{record_id} rests on a passage of {binding.evidence}, and {new.id} is no captured version. Nothing was changed. Drop one and add the other."
            )
        captured = load_evidence(self.connection, self.tenant, [new.id])[new.id]
        same = replace(binding, evidence=new.id)
        if locate_in(same, captured).ok:
            return same
        at = _only_place(binding.quote, captured)
        if at is None:
            raise Refusal(
                Code.PROMOTION_CHECKS_FAILED,
                f"The passage of {record_id} does not stand once in {new.id}. Nothing was changed. Drop {binding.evidence} and add {new.id}#start-end, or answer it by a new candidate.",
            )
        return replace(same, span={"start": at, "end": at + len(binding.quote or "")})

    # --- whether they may stand -----------------------------------------------------------------------------------

    def _judge(self, intent: Intent, order: Sequence[int]) -> None:
        status = {number: card.status for number, card in self.cards.items()}
        bound: dict[int, int | None] = {}
        rooted: dict[int, bool] = {}
        ends: dict[int, bool] = {}
        lost: list[str] = []
        failed: list[str] = []
        after = {item.record: item.after for item in intent.rebound}
        predicates, policies = load_predicates(self.connection, self.tenant), load_policies(self.connection, self.tenant)
        texts = load_evidence(self.connection, self.tenant, self._bound_evidence(after))
        for number in order:
            card, parents = self.cards[number], self.above[number]
            bounds = [limit for limit in (card.expires_at, *(bound[parent] for parent in parents)) if limit is not None]
            bound[number] = min(bounds) if bounds else None
            rooted[number] = card.kind is Kind.EVIDENCE or any(rooted[parent] for parent in parents)
            ends[number] = all(ends[parent] for parent in parents) if parents else card.kind is Kind.EVIDENCE
            if number not in self.roots:
                continue
            missing = [text for parent in parents if (text := self._missing(self.cards[parent], status[parent], bound[parent]))]
            if missing:
                lost.append(f"{card.id} rests on {_listed(missing)}")
                continue
            problem = None if rooted[number] else "no evidence is left under it. Add a parent that has some."
            content = after.get(number) or self.contents[number]
            if problem is None and isinstance(content, Claim | Artifact):
                predicate = nearest_predicate(predicates, content.scope, content.predicate) if isinstance(content, Claim) else None
                passages = tuple(look_up(one, texts) for one in content.evidence) if isinstance(content, Claim) else ()
                facing = tuple(
                    Parent(self.cards[one].id, status[one], self.cards[one].scope, bound[one], False, False) for one in parents
                )  # fmt: skip
                facts = Facts(
                    card, content, predicate, policy_in(policies, content.scope), facing, passages, ends[number], frozenset(), (), (), self.actor,
                    Terms(), self.at,
                )  # fmt: skip
                problem = " ".join(check.message for check in judge_again(facts) if not check.ok) or None
            if problem is not None:
                failed.append(f"{card.id}: {problem}")
                continue
            status[number] = next_status(card.id, card.status, Step.CONFIRM)
            intent.becomes[number] = (card.status, status[number])
        if lost:
            raise Refusal(
                Code.PARENTS_NOT_ACCEPTED, f"Nothing was confirmed: {_cut(lost)}. Drop or replace what is lost, or settle it first.",
                failed=[*lost, *failed],
            )  # fmt: skip
        if failed:
            raise Refusal(Code.PROMOTION_CHECKS_FAILED, f"Nothing was confirmed. {_cut(failed)}.", failed=failed)

    def _bound_evidence(self, after: Mapping[int, Claim | Artifact]) -> list[str]:
        now = [after.get(number) or content for number, content in self.contents.items()]
        return sorted({binding.evidence for content in now if isinstance(content, Claim) for binding in content.evidence})

    def _missing(self, parent: Card, status: Status, bound: int | None) -> str | None:
        """Return what is wrong with a parent, None where nothing is."""
        name = parent.id if self.actor.may(Right.READ, parent.scope) else "a record you may not see"
        if status is not Status.ACCEPTED:
            return f"{name}, which {STANDS[status]}"
        if bound is not None and bound <= self.at:
            return f"{name}, which is expired or rests on something expired"
        return None


def _listed(parts: Sequence[str]) -> str:
    shown = list(dict.fromkeys(parts))
    return ", and on ".join(shown[:_NAMED]) + (f", and on {len(shown) - _NAMED} more" if len(shown) > _NAMED else "")


def _cut(sentences: Sequence[str]) -> str:
    more = len(sentences) - _NAMED
    return "; ".join(sentences[:_NAMED]).removesuffix(".") + (f"; and {more} more like that" if more > 0 else "")


def _without(record: Claim | Artifact, parent: str) -> Claim | Artifact:
    derived = tuple(one for one in record.derived_from if one != parent)
    if isinstance(record, Artifact):
        return replace(record, derived_from=derived)
    return replace(record, derived_from=derived, evidence=tuple(one for one in record.evidence if one.evidence != parent))


def _with_added(record: Claim | Artifact, added: _Added) -> Claim | Artifact:
    if added.binding is not None and isinstance(record, Claim):
        return record if added.binding in record.evidence else replace(record, evidence=(*record.evidence, added.binding))
    if added.card.id in record.parents():
        return record
    if isinstance(record, Claim) and added.card.kind is Kind.EVIDENCE:
        return replace(record, evidence=(*record.evidence, Binding(added.card.id)))
    return replace(record, derived_from=tuple(sorted({*record.derived_from, added.card.id})))


def _only_place(quote: str | None, captured: CapturedText) -> int | None:
    """Return where a quote stands, if it stands there exactly once."""
    text = captured.text
    if not quote or text is None:
        return None
    at = text.find(quote)
    return at if at >= 0 and text.find(quote, at + 1) < 0 else None


# --- restoring ----------------------------------------------------------------------------------------------------


def plan_restore(connection: Connection, tenant: int, snapshot: Snapshot, plan: Plan, cards: Sequence[Card]) -> Intent:
    """Return what restoring everything below records that stand again does, and why the rest stays as it is (R23).

    Raises:
        Refusal: `parents_not_accepted`: one of the records does not stand itself.
    """
    fallen = [card for card in cards if card.status is not Status.ACCEPTED]
    if fallen:
        hint = "Confirm it first." if fallen[0].status is Status.STALE else "It has to stand again first."
        raise Refusal(Code.PARENTS_NOT_ACCEPTED, f"{fallen[0].id} {STANDS[fallen[0].status]}, so nothing below it can be restored. Nothing was changed. {hint}")
    roots = np.array(sorted(card.number for card in cards), dtype=np.int64)
    triggers = {row.record: row.name for row in reversed(open_triggers(connection, tenant))}
    below = snapshot.graph.walk(roots).records
    stale = below[snapshot.columns.status[below] == Status.STALE]
    holding = changed_supports(connection, tenant, snapshot, stale).holding
    back, stays = restorable(snapshot, stale, triggers, holding, not_kept(connection, tenant, stale.tolist()))
    intent = Intent(plan, roots=roots.tolist(), stays=stays)
    intent.becomes = {record: (int(Status.STALE), int(next_status("", Status.STALE, Step.RESTORE))) for record in back.tolist()}
    return intent


def fell_at(connection: Connection, tenant: int, records: Sequence[int]) -> dict[int, int]:
    """Return record -> the event by which it last became stale."""
    h = t.history
    found: dict[int, int] = {}
    for some in chunks(sorted(set(records))):
        query = sa.select(h.c.record, sa.func.max(h.c.seq)).where(h.c.tenant == tenant, h.c.record.in_(some), h.c.new == int(Status.STALE))
        # A later row without a change of status is no fall.
        query = query.where(sa.or_(h.c.old.is_(None), h.c.old != h.c.new)).group_by(h.c.record)
        found.update((record, seq) for record, seq in connection.execute(query))
    return found
