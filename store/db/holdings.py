"""What a message says of each document: which statements it rests on changed, and how it was put right."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy.engine import Connection

from store.db.messages import Untold, deliveries_of, remedies_of
from store.db.records import find_numbers, load_cards, load_contents, load_ids, parents_of, successor_of
from store.domain.messages import Changed, Holding
from store.domain.people import Actor, Right
from store.domain.records import Artifact, Card, Claim, Evidence
from store.domain.snapshot import ACTION, HIGH_IMPACT
from store.domain.status import Status
from store.domain.text import canonical_json

_GONE = (Status.SUPERSEDED, Status.REVOKED, Status.REJECTED, Status.DELETION_PENDING, Status.DELETED)
_ERASED = (Status.DELETION_PENDING, Status.DELETED)


def say_claim(claim: Claim) -> str:
    """Return a claim as a statement: its own, or subject, predicate and value."""
    if claim.statement:
        return claim.statement
    value = claim.value if isinstance(claim.value, str) else canonical_json(claim.value)
    return f"{claim.subject}, {claim.predicate.replace('_', ' ')}: {value}"


def name_artifact(artifact: Artifact) -> str:
    """Return the title of a document, or what it is where it has none; never its id."""
    kind = artifact.artifact_type
    return artifact.title or f"{'an' if kind[:1] in 'aeiou' else 'a'} {kind}"


def may_read(connection: Connection, tenant: int, actor: Actor, records: Iterable[int]) -> set[int]:
    """Return those of some records that a person may see and that are not erased."""
    cards = load_cards(connection, tenant, sorted(set(records)))
    return {number for number, card in cards.items() if card.status not in _ERASED and actor.may(Right.INSPECT, card.scope)}


class Holdings:
    """Describes documents to whoever writes messages, as far as that person may see what they rest on."""

    def __init__(self, connection: Connection, tenant: int, actor: Actor, records: Iterable[int]) -> None:
        self.connection, self.tenant, self.actor = connection, tenant, actor
        records = sorted(set(records))
        self.cards = load_cards(connection, tenant, records)
        self.artifacts: dict[int, Any] = load_contents(connection, tenant, list(self.cards.values()))
        self.deliveries: dict[tuple[int, str], Any] = {}
        for row in deliveries_of(connection, tenant, records):
            self.deliveries.setdefault((row.record, row.recipient), row)
        self.remedies = remedies_of(connection, tenant, records)
        self.named: dict[int, set[int]] = {record: {record} for record in records}
        self.changes = self._load_changes(records)

    def may_name(self, record: int) -> bool:
        """Return whether the writer may see a document."""
        return record in self.cards and self.actor.may(Right.INSPECT, self.cards[record].scope) and self.cards[record].status not in _ERASED

    def may_decide(self, record: int) -> bool:
        """Return whether the writer may decide about a document."""
        return self.may_name(record) and self.actor.may(Right.DECIDE, self.cards[record].scope)

    def describe(self, one: Untold) -> Holding:
        """Return a document as a message to one person tells of it."""
        card, artifact = self.cards[one.record], self.artifacts[one.record]
        assert isinstance(artifact, Artifact)
        delivery = self.deliveries.get((one.record, one.recipient))
        changed, unnamed = self.changes[one.record]
        remedy = self.remedies.get(one.record)
        return Holding(
            name_artifact(artifact), artifact.edition, one.channel, None if delivery is None else delivery.delivered_at, one.as_owner,
            one.as_owner and card.flags & (ACTION | HIGH_IMPACT) == ACTION | HIGH_IMPACT and card.status in (Status.ACCEPTED, Status.STALE),
            changed, unnamed, None if remedy is None else remedy.way, self._remedy_text(one.record, remedy), card.status is Status.ACCEPTED,
        )  # fmt: skip

    def _remedy_text(self, record: int, remedy: Any) -> str | None:
        if remedy is None:
            return None
        text: str | None = remedy.text
        if remedy.edition is None:
            return text
        card = load_cards(self.connection, self.tenant, [remedy.edition]).get(remedy.edition)
        if card is None or card.status in _ERASED or not self.actor.may(Right.INSPECT, card.scope):
            return "you will be sent it"
        self.named[record].add(card.number)
        edition = load_contents(self.connection, self.tenant, [card])[card.number]
        return f"{name_artifact(edition)}, edition {edition.edition}" if isinstance(edition, Artifact) else text

    def _load_changes(self, records: list[int]) -> dict[int, tuple[tuple[Changed, ...], int]]:
        parents: dict[int, list[int]] = {record: [] for record in records}
        for child, parent, _ in parents_of(self.connection, self.tenant, records):
            parents[child].append(parent)
        cards = load_cards(self.connection, self.tenant, {one for its in parents.values() for one in its})
        lost = {number: card for number, card in cards.items() if card.status is not Status.ACCEPTED}
        successors = {number: follower for number in lost if (follower := successor_of(self.connection, self.tenant, number)) is not None}
        after = load_cards(self.connection, self.tenant, successors.values())
        named = [card for card in (*lost.values(), *after.values()) if card.status not in _ERASED and self.actor.may(Right.INSPECT, card.scope)]
        contents = load_contents(self.connection, self.tenant, named, with_bytes=False)
        contents = {number: one for number, one in contents.items() if not isinstance(one, Claim) or one.sensitivity == "normal"}
        found = {}
        for record, its in parents.items():
            gone = [one for one in its if one in lost]
            shown = [self._change(lost[one], contents, successors.get(one), after) for one in gone if one in contents]
            follow = {successors[one] for one in gone if one in contents and one in successors}
            self.named[record] |= {one for one in gone if one in contents} | {one for one in follow if one in contents}
            found[record] = (tuple(shown), len(gone) - len(shown))
        return found

    @staticmethod
    def _change(card: Card, contents: dict[int, Any], successor: int | None, after: dict[int, Card]) -> Changed:
        content = contents[card.number]
        if isinstance(content, Claim):
            said = say_claim(content)
        elif isinstance(content, Evidence):
            said = f"a document it quotes, version {content.version}"
        else:
            said = name_artifact(content)
        follows = None if successor is None else contents.get(successor)
        stands = successor is not None and successor in after and after[successor].status is Status.ACCEPTED
        return Changed(said, say_claim(follows) if stands and isinstance(follows, Claim) else None, card.status in _GONE)


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
