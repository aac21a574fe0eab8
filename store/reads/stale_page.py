"""One record that needs re-validation: what was lost, what remains, what its passages say now, who is told (R22)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from store.db.candidate_facts import load_evidence
from store.db.changed_supports import changes_of
from store.db.claim_store import ClaimStore
from store.db.plan_lists import Named, load_deliveries, load_named
from store.db.records import find_card, find_numbers, load_cards, load_ids, parents_of, successor_of
from store.db.stale_rows import current_versions
from store.db.transaction import Reading, read
from store.db.triggers import open_triggers
from store.db.veils import load_shown
from store.domain.differences import Piece, set_beside
from store.domain.errors import Refusal, not_found
from store.domain.marking import whole_words
from store.domain.passages import PassageSorter
from store.domain.people import Right
from store.domain.recapture import CARRIED, Fate
from store.domain.records import Claim
from store.domain.snapshot import Snapshot
from store.domain.status import Kind, Status
from store.reads.support_changes import SupportChange, describe_changes, own_text

_AROUND = 90
_MOST_TOLD = 8
#: Code points of a passage that are compared word for word.
_LONGEST = 4_000


@dataclass(frozen=True, slots=True)
class Support:
    """Something a record rests on. Texts come from outside.

    Attributes:
        successor: what replaced it, where something did and may be seen.
    """

    id: str
    kind: str
    title: str
    status: str
    successor: str | None = None


@dataclass(frozen=True, slots=True)
class PassageNow:
    """A bound passage, then and now. Texts come from outside.

    Attributes:
        evidence: the version it is bound to; `current`: the version in use now, None for none.
        quote: the words it is bound to. `fate`: one of `unchanged, moved, cosmetic, changed, gone`; None where nothing is in use.
        before, now, after: what stands there now, or is most like it, with some text on both sides; empty where nothing is.
        span: where that stands, as `start-end`; None for none. `score`: how alike, 0 to 1.
        then_pieces, now_pieces: the words of both, side by side, where they are not the same.
    """

    evidence: str
    current: str | None
    quote: str
    fate: str | None
    before: str = ""
    now: str = ""
    after: str = ""
    span: str | None = None
    score: float = 0.0
    then_pieces: tuple[Piece, ...] = ()
    now_pieces: tuple[Piece, ...] = ()


@dataclass(frozen=True, slots=True)
class FiredNow:
    """A trigger nobody dismissed."""

    name: str
    cause: str | None
    by: str | None
    at: int


@dataclass(frozen=True, slots=True)
class StaleView:
    """What a person looks at before deciding. Texts come from outside.

    Attributes:
        artifact_type: of an artifact. `hidden`: lost supports that may not be seen.
        changes: what it rests on, at any depth, that has another value than when it was last accepted, nearest first; `hidden_changes`: more that may not be seen.
        below: how many stale records rest on it. `owners`: owner -> how many artifacts of the reach are theirs; `recipients`: who holds one.
        answers: ids of candidates that would answer it.
        may_decide: whether the person may.
    """

    id: str
    tenant: str
    kind: str
    title: str
    text: str | None
    statement: str | None
    scope: str
    owner: str | None
    status: str
    version: int
    content_hash: str
    artifact_type: str | None
    lost: tuple[Support, ...]
    hidden: int
    remaining: tuple[Support, ...]
    triggers: tuple[FiredNow, ...]
    passages: tuple[PassageNow, ...]
    below: int
    owners: tuple[tuple[str, int], ...]
    recipients: tuple[str, ...]
    answers: tuple[str, ...]
    may_decide: bool
    changes: tuple[SupportChange, ...] = ()
    hidden_changes: int = 0


def view_stale(store: ClaimStore, person: str, tenant: str, record_id: str, *, authenticated: bool = False) -> StaleView:
    """Return one record as somebody sees it who is about to decide.

    Raises:
        Refusal: `not_found`, the same for what is missing and what may not be seen.
    """
    with read(store, person, authenticated=authenticated) as reading:
        number = reading.tenant_number(tenant)
        card = None if number is None else find_card(reading.connection, number, record_id)
        if number is None or card is None or not reading.actor.may(Right.INSPECT, card.scope):
            raise not_found(record_id)
        connection, snapshot = reading.connection, reading.snapshot(number)
        content = load_shown(connection, number, [card], with_bytes=False)[card.number]
        parents = [parent for _, parent, _ in parents_of(connection, number, [card.number])]
        rivals = snapshot.claims_of_keys(np.array([card.key], dtype=np.int64)).tolist() if card.key else []
        answering = [one for one in rivals if snapshot.columns.status[one] == Status.CANDIDATE]
        named = load_named(connection, number, [card.number, *parents])
        own = named[card.number]
        seen = [named[parent] for parent in parents if reading.actor.may(Right.INSPECT, named[parent].scope)]
        lost = [one for one in seen if one.status != Status.ACCEPTED.name]
        missing = sum(snapshot.columns.status[parent] != Status.ACCEPTED for parent in parents)
        owners, recipients, below = _told(reading, number, snapshot, card.number)
        fired = open_triggers(connection, number, [card.number])
        stale = card.status is Status.STALE
        changes = describe_changes(reading, number, changes_of(connection, number, snapshot, card.number), own_text(content)) if stale else []
        return StaleView(
            own.id, tenant, own.kind, own.title, own.text, content.statement if isinstance(content, Claim) else None, own.scope, own.owner, card.status.name,
            card.version, card.content_hash, own.label if own.kind == "artifact" else None, tuple(_support(reading, number, one) for one in lost),
            int(missing) - len(lost), tuple(_support(reading, number, one) for one in seen if one.status == Status.ACCEPTED.name),
            tuple(FiredNow(row.name, row.cause, row.fired_by, row.fired_at) for row in fired),
            _passages(reading, number, content, card.scope) if isinstance(content, Claim) else (), below, owners, recipients,
            tuple(sorted(load_ids(connection, number, answering).values())), reading.actor.may(Right.DECIDE, card.scope),
            tuple(one for one in changes if one is not None), sum(one is None for one in changes),
        )  # fmt: skip


def _support(reading: Reading, number: int, one: Named) -> Support:
    successor = None
    after = successor_of(reading.connection, number, one.number) if one.status == Status.SUPERSEDED.name else None
    if after is not None:
        named = load_named(reading.connection, number, [after])[after]
        successor = named.id if reading.actor.may(Right.INSPECT, named.scope) else None
    return Support(one.id, one.kind, one.title, one.status, successor)


def _told(reading: Reading, number: int, snapshot: Snapshot, record: int) -> tuple[tuple[tuple[str, int], ...], tuple[str, ...], int]:
    """Return owners with counts, recipients, and how many stale records rest on it."""
    reached = snapshot.graph.walk(np.array([record], dtype=np.int64)).records
    columns = snapshot.columns
    below = int((columns.status[reached] == Status.STALE).sum()) - int(columns.status[record] == Status.STALE)
    artifacts = reached[(columns.kind[reached] == Kind.ARTIFACT)][:500]
    named = load_named(reading.connection, number, artifacts.tolist())
    owners: dict[str, int] = {}
    for one in named.values():
        if one.owner and reading.actor.may(Right.INSPECT, one.scope):
            owners[one.owner] = owners.get(one.owner, 0) + 1
    sent = load_deliveries(reading.connection, number, [one.number for one in named.values() if reading.actor.may(Right.INSPECT, one.scope)])
    recipients = sorted({row[0] for rows in sent.values() for row in rows})
    return tuple(sorted(owners.items(), key=lambda one: (-one[1], one[0])))[:_MOST_TOLD], tuple(recipients[:50]), below


def _passages(reading: Reading, number: int, claim: Claim, scope: str) -> tuple[PassageNow, ...]:
    named = sorted({one.evidence for one in claim.evidence})
    cards = load_cards(reading.connection, number, find_numbers(reading.connection, number, named).values())
    readable = {card.id for card in cards.values() if reading.actor.may_rest_on(card.scope, scope)}
    current = {one: now for one, now in current_versions(reading.connection, number, named).items() if one in readable}
    texts = load_evidence(reading.connection, number, sorted({*readable, *current.values()}))
    found = []
    for binding in claim.evidence[:12]:
        now_id, quote = current.get(binding.evidence), binding.quote or ""
        if now_id is None or now_id not in texts or binding.evidence not in texts:
            found.append(PassageNow(binding.evidence, None, quote, None))
            continue
        try:
            sorted_ = PassageSorter(texts[binding.evidence], texts[now_id], now_id).sort(binding)
        except Refusal:
            # Texts too long to be compared: what it says now has to be read in the source.
            found.append(PassageNow(binding.evidence, now_id, quote, None))
            continue
        after, text = sorted_.after, texts[now_id].text
        span = after.span if after is not None and after.span is not None else {}
        start, end = span.get("start"), span.get("end")
        if "page" in span or not isinstance(start, int) or not isinstance(end, int) or text is None:
            words = (after.quote or "") if after is not None else ""
            found.append(PassageNow(binding.evidence, now_id, quote, sorted_.fate.value, "", words, "", None, sorted_.score, *_beside(sorted_.fate, quote, words)))
            continue
        if sorted_.fate not in CARRIED:
            start, end = whole_words(text, start, end, quote)
        found.append(PassageNow(
            binding.evidence, now_id, quote, sorted_.fate.value, text[max(0, start - _AROUND) : start], text[start:end], text[end : end + _AROUND],
            f"{start}-{end}", 1.0 if sorted_.fate in CARRIED else sorted_.score, *_beside(sorted_.fate, quote, text[start:end]),
        ))  # fmt: skip
    return tuple(found)


def _beside(fate: Fate, then: str, now: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    return set_beside(then[:_LONGEST], now[:_LONGEST]) if fate not in CARRIED and then and now else ((), ())
