"""What the promotion checks look at, for a whole page of candidates at once: the same facts as one by one, by few queries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.bulk import chunks
from store.db.candidates import order_above
from store.db.conflicts import open_conflicts
from store.db.keys import load_policies, load_predicates, nearest_predicate, policy_in
from store.db.records import ancestors_of, load_cards, load_contents, load_ids
from store.db.renditions import captured_text
from store.db.waiting import first_approvals
from store.domain.people import Actor
from store.domain.promotion import Facts, Parent, Terms
from store.domain.records import Artifact, Binding, Card, Claim
from store.domain.spans import CapturedText, Passage, locate_in
from store.domain.status import Kind


def load_evidence(connection: Connection, tenant: int, ids: Sequence[str]) -> dict[str, CapturedText]:
    """Return evidence id -> the captured version, of those that exist."""
    r, e = t.record, t.evidence
    found = {}
    query = sa.select(r.c.id, r.c.record, e.c.sha256, e.c.media_type).join(e, (e.c.tenant == r.c.tenant) & (e.c.record == r.c.record))
    for some in chunks(sorted(set(ids))):
        for row in connection.execute(query.where(r.c.tenant == tenant, r.c.id.in_(some))).all():
            found[row.id] = captured_text(connection, tenant, row.record, row.sha256, row.media_type)
    return found


def look_up(binding: Binding, texts: dict[str, CapturedText]) -> Passage:
    """Return what a binding points at, among captured versions that were loaded."""
    text = texts.get(binding.evidence)
    if text is None:
        return Passage(False, f"{binding.evidence} is no evidence. Amend the binding.")
    return locate_in(binding, text)


class ManyFacts:
    """The facts of several candidates for one person, as they are without terms."""

    def __init__(self, connection: Connection, tenant: int, records: Sequence[int], decider: Actor, at: int) -> None:
        self.connection, self.tenant, self.decider, self.at = connection, tenant, decider, at
        self.above = ancestors_of(connection, tenant, records)
        self.cards = load_cards(connection, tenant, self.above)
        own = [self.cards[record] for record in records]
        self.contents: dict[int, Claim | Artifact] = {
            number: content for number, content in load_contents(connection, tenant, own).items() if isinstance(content, Claim | Artifact)
        }
        self.predicates = load_predicates(connection, tenant)
        self._policies = load_policies(connection, tenant)
        bindings = [binding for content in self.contents.values() if isinstance(content, Claim) for binding in content.evidence]
        self.texts = load_evidence(connection, tenant, [binding.evidence for binding in bindings])
        self._contributors = self._load_contributors(records)
        self._approvals = first_approvals(connection, tenant, [card.number for card in own if card.high_impact])
        self._unrecorded = self._load_unrecorded(own)
        self._judge_parents()

    def policy(self, scope: str) -> dict[str, Any]:
        """Return the policy in force in a scope."""
        return policy_in(self._policies, scope)

    def _load_contributors(self, records: Sequence[int]) -> dict[int, set[str]]:
        c = t.contributor
        found: dict[int, set[str]] = {}
        for some in chunks(records):
            for record, name in connection_rows(self.connection, sa.select(c.c.record, c.c.name).where(c.c.tenant == self.tenant, c.c.record.in_(some))):
                found.setdefault(record, set()).add(name)
        return found

    def _load_unrecorded(self, own: Sequence[Card]) -> dict[int, list[int]]:
        """Return candidate -> what its task read that it neither declares nor rests on, and that nobody judged (R8)."""
        log, entry, review = t.read_log, t.read_log_record, t.dependency_review
        asked = [card for card in own if card.task is not None]
        reads: dict[str, set[int]] = {}
        for some in chunks(sorted({card.task for card in asked if card.task is not None})):
            query = sa.select(log.c.task, entry.c.record).join(log, log.c.n == entry.c.n)
            query = query.where(log.c.tenant == self.tenant, entry.c.tenant == self.tenant, log.c.task.in_(some)).distinct()
            for task, record in connection_rows(self.connection, query):
                reads.setdefault(task, set()).add(record)
        if not reads:
            return {}
        judged: dict[int, set[int]] = {}
        for numbers in chunks([card.number for card in asked]):
            query = sa.select(review.c.record, review.c.read_record).where(review.c.tenant == self.tenant, review.c.record.in_(numbers))
            for record, read in connection_rows(self.connection, query):
                judged.setdefault(record, set()).add(read)
        return {
            card.number: sorted(reads.get(card.task or "", set()) - judged.get(card.number, set()) - self._ancestry(card.number))
            for card in asked
        }  # fmt: skip

    def _ancestry(self, number: int) -> set[int]:
        seen, waiting = {number}, [number]
        while waiting:
            for parent in self.above[waiting.pop()]:
                if parent not in seen:
                    seen.add(parent)
                    waiting.append(parent)
        return seen

    def _judge_parents(self) -> None:
        """Find for every ancestor its effective expiry, whether a conflict stands on or above it, and whether its chains end in evidence."""
        keys = {card.key for card in self.cards.values() if card.key is not None}
        contested_keys = set(open_conflicts(self.connection, self.tenant, keys))
        self.expiry: dict[int, int | None] = {}
        self.contested: dict[int, bool] = {}
        self.grounded: dict[int, bool] = {}
        for number in order_above(self.above):
            card, parents = self.cards[number], self.above[number]
            bounds = [bound for bound in (card.expires_at, *(self.expiry[parent] for parent in parents)) if bound is not None]
            self.expiry[number] = min(bounds) if bounds else None
            self.contested[number] = card.key in contested_keys or any(self.contested[parent] for parent in parents)
            self.grounded[number] = all(self.grounded[parent] for parent in parents) if parents else card.kind is Kind.EVIDENCE

    def parent(self, number: int) -> Parent:
        """Return one parent as the checks see it."""
        card, bound = self.cards[number], self.expiry[number]
        return Parent(card.id, card.status, card.scope, bound, bound is not None and bound <= self.at, self.contested[number])

    def of(self, record: int) -> Facts:
        """Return the facts of one of the candidates."""
        card, content, direct = self.cards[record], self.contents[record], self.above[record]
        predicate = nearest_predicate(self.predicates, content.scope, content.predicate) if isinstance(content, Claim) else None
        unrecorded = self._unrecorded.get(record, [])
        ids = load_ids(self.connection, self.tenant, unrecorded) if unrecorded else {}
        named = {card.importer, *([card.proposed_by] if card.proposed_by else []), *self._contributors.get(record, ())}
        approvals = tuple(one.by for one in self._approvals.get(record, ()))
        return Facts(
            card, content, predicate, self.policy(content.scope), tuple(self.parent(number) for number in direct),
            tuple(look_up(binding, self.texts) for binding in content.evidence) if isinstance(content, Claim) else (),
            bool(direct) and all(self.grounded[number] for number in direct), frozenset(named), tuple(ids[number] for number in unrecorded), approvals,
            self.decider, Terms(), self.at,
        )  # fmt: skip


def connection_rows(connection: Connection, query: Any) -> list[Any]:
    """Return all rows of a query."""
    return list(connection.execute(query).all())
