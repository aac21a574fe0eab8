"""What a message says of each document: which statements it rests on changed, and how it was put right."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

from sqlalchemy.engine import Connection

from store.db.message_causes import ERASED, GONE, Causes, compare_claims
from store.db.messages import Untold, deliveries_of, remedies_of
from store.db.records import find_numbers, load_cards, load_ids, parents_of, successor_of, successors_of
from store.db.veils import load_outgoing
from store.domain.messages import Changed, Holding
from store.domain.people import Actor, Right
from store.domain.records import Artifact, Card, Claim, Evidence
from store.domain.snapshot import ACTION, HIGH_IMPACT
from store.domain.status import Status


def name_artifact(artifact: Artifact) -> str:
    """Return the title of a document, or what it is where it has none; never its id."""
    kind = artifact.artifact_type
    return artifact.title or f"{'an' if kind[:1] in 'aeiou' else 'a'} {kind}"


def may_read(connection: Connection, tenant: int, actor: Actor, records: Iterable[int]) -> set[int]:
    """Return those of some records that a person may see and that are not erased."""
    cards = load_cards(connection, tenant, sorted(set(records)))
    return {number for number, card in cards.items() if card.status not in ERASED and actor.may(Right.INSPECT, card.scope)}


class Holdings:
    """Describes documents to whoever writes messages, as far as that person may see what they rest on."""

    def __init__(self, connection: Connection, tenant: int, actor: Actor, records: Iterable[int]) -> None:
        self.connection, self.tenant, self.actor = connection, tenant, actor
        records = sorted(set(records))
        self.cards = load_cards(connection, tenant, records)
        self.artifacts: dict[int, Any] = load_outgoing(connection, tenant, list(self.cards.values()))
        self.deliveries: dict[tuple[int, str], Any] = {}
        for row in deliveries_of(connection, tenant, records):
            self.deliveries.setdefault((row.record, row.recipient), row)
        self.remedies = remedies_of(connection, tenant, records)

    def may_name(self, record: int) -> bool:
        """Return whether the writer may see a document."""
        return record in self.cards and self.actor.may(Right.INSPECT, self.cards[record].scope) and self.cards[record].status not in ERASED

    def may_decide(self, record: int) -> bool:
        """Return whether the writer may decide about a document."""
        return self.may_name(record) and self.actor.may(Right.DECIDE, self.cards[record].scope)

    def describe(self, one: Untold, causes: Causes) -> tuple[Holding, set[int]]:
        """Return a document as a message to one person tells of it, and every record that names."""
        card, artifact = self.cards[one.record], self.artifacts[one.record]
        assert isinstance(artifact, Artifact)
        delivery = self.deliveries.get((one.record, one.recipient))
        named = {one.record}
        changed, unnamed = self._changes_of(one, causes, named)
        because, its = causes.explain(card, one.recipient, named | set(self._lost[one.record]))
        remedy = self.remedies.get(one.record)
        return Holding(
            name_artifact(artifact), artifact.edition, one.channel, None if delivery is None else delivery.delivered_at, one.as_owner,
            one.as_owner and card.flags & (ACTION | HIGH_IMPACT) == ACTION | HIGH_IMPACT and card.status in (Status.ACCEPTED, Status.STALE),
            changed, unnamed, None if remedy is None else remedy.way, self._remedy_text(remedy, named), card.status is Status.ACCEPTED, because,
        ), named | its  # fmt: skip

    def _remedy_text(self, remedy: Any, named: set[int]) -> str | None:
        if remedy is None:
            return None
        text: str | None = remedy.text
        if remedy.edition is None:
            return text
        card = load_cards(self.connection, self.tenant, [remedy.edition]).get(remedy.edition)
        if card is None or card.status in ERASED or not self.actor.may(Right.INSPECT, card.scope):
            return "you will be sent it"
        named.add(card.number)
        edition = load_outgoing(self.connection, self.tenant, [card])[card.number]
        return f"{name_artifact(edition)}, edition {edition.edition}" if isinstance(edition, Artifact) else text

    def _changes_of(self, one: Untold, causes: Causes, named: set[int]) -> tuple[tuple[Changed, ...], int]:
        """Return what changed of what a document names itself, as its recipient may be told it, and how much besides."""
        scope, lost = self.cards[one.record].scope, self._lost[one.record]
        told = [
            parent for parent in lost if parent in self._contents and causes.audience.may_be_told(one.recipient, scope, self._about[parent].scope)
        ]  # fmt: skip
        found = []
        for parent in told:
            after = self._follow.get(parent)
            if after is not None and (after not in self._contents or not causes.audience.may_be_told(one.recipient, scope, self._about[after].scope)):
                after = None
            named |= {parent} | ({after} if after is not None else set())
            found.append(self._change(parent, after))
        return tuple(found), len(lost) - len(told)

    @cached_property
    def _lost(self) -> dict[int, list[int]]:
        """Return document -> those of its parents that do not stand as they were."""
        parents: dict[int, list[int]] = {record: [] for record in self.cards}
        for child, parent, _ in parents_of(self.connection, self.tenant, sorted(self.cards)):
            parents[child].append(parent)
        cards = load_cards(self.connection, self.tenant, {one for its in parents.values() for one in its})
        self._about = {number: card for number, card in cards.items() if card.status is not Status.ACCEPTED}
        follow = successors_of(self.connection, self.tenant, sorted(self._about))
        after = load_cards(self.connection, self.tenant, follow.values())
        self._follow = {one: other for one, other in follow.items() if after[other].status is Status.ACCEPTED}
        found = {record: [one for one in its if one in self._about] for record, its in parents.items()}
        self._about |= after
        seen = [card for card in self._about.values() if card.status not in ERASED and self.actor.may(Right.INSPECT, card.scope)]
        contents = load_outgoing(self.connection, self.tenant, seen)
        self._contents = {number: one for number, one in contents.items() if not isinstance(one, Claim) or one.sensitivity == "normal"}
        return found

    def _change(self, parent: int, after: int | None) -> Changed:
        content, withdrawn = self._contents[parent], self._about[parent].status in GONE
        if isinstance(content, Claim):
            follows = None if after is None else self._contents[after]
            return compare_claims(content, follows if isinstance(follows, Claim) else None, withdrawn=withdrawn)
        return Changed(f"a document it quotes, version {content.version}" if isinstance(content, Evidence) else name_artifact(content), None, withdrawn)


def standing_parents(connection: Connection, tenant: int, artifact: Artifact) -> list[str]:
    """Return the ids of what a new edition may rest on: the parents that are accepted, and accepted successors of the others."""
    numbers = find_numbers(connection, tenant, list(artifact.derived_from))
    cards = load_cards(connection, tenant, numbers.values())
    found = set()
    for card in cards.values():
        seen: set[int] = set()
        current: Card | None = card
        while current is not None and current.status is not Status.ACCEPTED and current.number not in seen:
            seen.add(current.number)
            after = successor_of(connection, tenant, current.number)
            current = None if after is None else load_cards(connection, tenant, [after]).get(after)
        if current is not None and current.status is Status.ACCEPTED:
            found.add(current.number)
    return sorted(load_ids(connection, tenant, sorted(found)).values())
