"""What an agent is told: OK with claims, MISSING, or CONFLICT with all sides (R14-R19).

Text from outside sits in `untrusted_text`, apart from everything that decides. MISSING never tells whether something
exists outside the reader's scopes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from store.db.answering import Blocker, blockers_of, event_seq, live_sides
from store.db.claim_store import ClaimStore
from store.db.conflicts import KeyClaim, claims_of_keys
from store.db.keys import find_key, load_policy
from store.db.read_log import log_answer
from store.db.records import find_card, load_cards, load_contents, load_ids
from store.db.search_index import find_words
from store.db.transaction import Reading, read
from store.db.veils import load_shown
from store.domain.errors import Code, Refusal
from store.domain.people import Right
from store.domain.records import Artifact, Card, Claim, Evidence
from store.domain.scopes import nearest_first, tenant_of
from store.domain.snapshot import ANY_PURPOSE
from store.domain.status import KIND_WORD, Kind, Status
from store.domain.times import format_optional, format_time
from store.domain.veiling import veil_now
from store.domain.words import split_words

_MOST_MATCHES = 2000


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked. `at` in microseconds UTC, None for now; `purpose` None admits only what is open to any."""

    scope: str
    subject: str = ""
    predicate: str = ""
    qualifiers: dict[str, Any] | None = None
    purpose: str | None = None
    at: int | None = None
    task: str | None = None
    limit: int = 50

    def to_json(self) -> dict[str, Any]:
        """Return the question as the log keeps it."""
        asked: dict[str, Any] = {"scope": self.scope, "subject": self.subject, "predicate": self.predicate, "qualifiers": self.qualifiers or {}}
        if self.purpose is not None:
            asked["purpose"] = self.purpose
        if self.at is not None:
            asked["at"] = format_time(self.at)
        return asked


def read_claims(store: ClaimStore, person: str, question: Question, *, authenticated: bool = False) -> dict[str, Any]:
    """Return the answer to a question, and log it."""
    with read(store, person, authenticated=authenticated) as reading:
        answer = _Answering(reading, question).answer()
    _log(store, reading, question, answer)
    return answer.to_json()


def read_record(store: ClaimStore, person: str, tenant: str, record_id: str, question: Question, *, authenticated: bool = False) -> dict[str, Any]:
    """Return one record if it is usable for this person, purpose and time, and log the answer."""
    with read(store, person, authenticated=authenticated) as reading:
        answer = _Answering(reading, question).answer_record(tenant, record_id)
    _log(store, reading, question, answer)
    return answer.to_json()


def answer_now(reading: Reading, question: Question) -> dict[str, Any]:
    """Return the answer without logging it: for a page on which a person sees what agents are told."""
    return _Answering(reading, question).answer().to_json()


def answer_record_now(reading: Reading, tenant: str, record_id: str, question: Question) -> dict[str, Any]:
    """Return one record if it is usable, without logging the answer."""
    return _Answering(reading, question).answer_record(tenant, record_id).to_json()


def _log(store: ClaimStore, reading: Reading, question: Question, answer: _Answer) -> None:
    if answer.tenant is not None:
        log_answer(
            store, answer.tenant, by=reading.actor.id, task=question.task, at=reading.at, question=question.to_json(), result=answer.result,
            scope=question.scope or None, records=answer.told,
        )  # fmt: skip


@dataclass(slots=True)
class _Answer:
    tenant: int | None
    result: str
    claims: list[dict[str, Any]]
    overridden: list[dict[str, Any]]
    conflicts: list[dict[str, Any]]
    cut: bool
    told: list[tuple[int, int]]
    why: list[str]

    def to_json(self) -> dict[str, Any]:
        found: dict[str, Any] = {"result": self.result, "claims": self.claims, "overridden": self.overridden, "cut": self.cut}
        if self.conflicts:
            found["conflicts"] = self.conflicts
        if self.why:
            found["why"] = self.why
        return found


def _missing(tenant: int | None, why: list[str]) -> _Answer:
    return _Answer(tenant, "MISSING", [], [], [], False, [], why)


class _Answering:
    """One question, answered against one look at the store."""

    def __init__(self, reading: Reading, question: Question) -> None:
        self.reading = reading
        self.connection = reading.connection
        self.question = question
        self.at = reading.at if question.at is None else question.at
        self.why: list[str] = []

    def answer(self) -> _Answer:
        """Return the answer for a scope, subject, predicate and qualifiers."""
        question = self.question
        tenant = self.reading.tenant_number(tenant_of(question.scope))
        if tenant is None or not self.reading.actor.may(Right.READ, question.scope):
            return _missing(tenant, [])
        self.tenant = tenant
        self.snapshot = self.reading.store.snapshots.warm(tenant, event_seq(self.connection, tenant))
        keys = []
        for scope in nearest_first(question.scope):
            key = find_key(self.connection, tenant, scope, question.subject, question.predicate, question.qualifiers or {})
            if key is not None:
                keys.append((scope, key))
        claims = claims_of_keys(self.connection, tenant, [key for _, key in keys])
        conflicts = live_sides(self.connection, tenant, {key for _, key in keys}, self.at)
        for place, (scope, key) in enumerate(keys):
            mine = claims.get(key, [])
            if key in conflicts:
                return self._contested({key: [side.record for side in conflicts[key]]}, "its own sides contradict each other")
            good, contested, held = self._sort(mine)
            if good:
                return self._ok(good, [claim for _, lower in keys[place + 1 :] for claim in self._sort(claims.get(lower, []))[0]])
            if contested:
                return self._contested(*self._above(contested))
            if held:
                self.why.append(f"{held[0].id} in {scope} is {held[0].status.name} and holds broader claims back")
                break
        return _missing(tenant, self._reasons([claim for _, key in keys for claim in claims.get(key, [])]))

    def _sort(self, claims: list[KeyClaim]) -> tuple[list[KeyClaim], list[KeyClaim], list[KeyClaim]]:
        """Return which claims are usable, which only a conflict blocks, and which hold broader ones back."""
        live = [claim for claim in claims if claim.side.start <= self.at < claim.side.end]
        accepted = [claim for claim in live if claim.status is Status.ACCEPTED]
        cards = load_cards(self.connection, self.tenant, [claim.record for claim in accepted]) if accepted else {}
        accepted = [claim for claim in accepted if self._purpose_admits(cards[claim.record])]
        self.blockers = blockers_of(self.connection, self.tenant, self.snapshot, [claim.record for claim in accepted], self.at)
        good = [claim for claim in accepted if self.blockers[claim.record].usable]
        contested = [claim for claim in accepted if self.blockers[claim.record].contested and self.blockers[claim.record].expired is None]
        return good, contested, [claim for claim in live if claim.status in (Status.STALE, Status.DISPUTED)]

    def _purpose_admits(self, card: Card) -> bool:
        if card.flags & ANY_PURPOSE:
            return True
        if self.question.purpose is None:
            return False
        content = load_contents(self.connection, self.tenant, [card])[card.number]
        return isinstance(content, Claim) and self.question.purpose in content.purposes

    def _above(self, claims: list[KeyClaim]) -> tuple[dict[int, list[int]], str]:
        keys = {blocker.contested[0] for claim in claims if (blocker := self.blockers[claim.record]).contested}
        sides = {key: [side.record for side in found] for key, found in live_sides(self.connection, self.tenant, keys, self.at).items()}
        owners = sorted({blocker.contested[1] for claim in claims if (blocker := self.blockers[claim.record]).contested})
        names = load_ids(self.connection, self.tenant, owners)
        return sides, f"{claims[0].id} rests on {names[owners[0]]}, which is contested"

    def _contested(self, sides: dict[int, list[int]], why: str) -> _Answer:
        records = [record for its in sides.values() for record in its]
        told = [record for record in records if self._may_tell(record)]
        shown = self._describe(told, "it is a side of an open conflict")
        names = load_ids(self.connection, self.tenant, records)
        conflicts = [{"sides": [names[record] for record in its if record in told]} for its in sides.values()]
        limit = max(1, self.question.limit)
        cut = len(shown) > limit
        cards = load_cards(self.connection, self.tenant, told)
        return _Answer(
            self.tenant, "CONFLICT", shown[:limit], [], conflicts, cut,
            [(record, cards[record].version) for record in told[:limit]], [why],
        )  # fmt: skip

    def _may_tell(self, record: int) -> bool:
        """Return whether a side's own scope is one the reader is served from."""
        card = load_cards(self.connection, self.tenant, [record])[record]
        return card.scope in nearest_first(self.question.scope or card.scope) or self.reading.actor.may(Right.READ, card.scope)

    def _ok(self, good: list[KeyClaim], overridden: list[KeyClaim]) -> _Answer:
        limit = max(1, self.question.limit)
        good = sorted(good, key=lambda claim: claim.record)
        told = good[:limit]
        claims = self._describe([claim.record for claim in told], "")
        broader = [
            {"id": claim.id, "scope": card.scope}
            for claim in overridden
            for card in [load_cards(self.connection, self.tenant, [claim.record])[claim.record]]
        ]
        return _Answer(self.tenant, "OK", claims, broader, [], len(good) > limit, [(claim.record, claim.version) for claim in told], [])

    def _describe(self, records: list[int], note: str) -> list[dict[str, Any]]:
        cards = load_cards(self.connection, self.tenant, records)
        contents = load_shown(self.connection, self.tenant, list(cards.values()), with_bytes=False)
        ranks = load_policy(self.connection, self.tenant, self.question.scope).get("authority_ranks", []) if self.question.scope else []
        return [describe_record(cards[number], contents[number], self.question.scope, note, ranks) for number in records]

    def _reasons(self, claims: list[KeyClaim]) -> list[str]:
        """Return why nothing was told, for somebody who may ask that."""
        if not self.reading.actor.may(Right.INSPECT, self.question.scope):
            return []
        if not claims:
            return ["Nothing was ever recorded under this key here or in a broader scope."]
        blockers = blockers_of(self.connection, self.tenant, None, [claim.record for claim in claims], self.at)
        names = load_ids(
            self.connection,
            self.tenant,
            sorted({number for blocker in blockers.values() for number in (blocker.expired, blocker.unaccepted) if number}),
        )
        return [*self.why, *(explain_claim(claim, blockers[claim.record], names, self.at) for claim in claims[:20])]

    def answer_record(self, tenant_name: str, record_id: str) -> _Answer:
        """Return one record, if it is usable."""
        tenant = self.reading.tenant_number(tenant_name)
        card = find_card(self.connection, tenant, record_id) if tenant is not None else None
        if tenant is None or card is None or not self.reading.actor.may(Right.READ, card.scope):
            return _missing(tenant, [])
        self.tenant = tenant
        self.snapshot = None
        blocker = blockers_of(self.connection, tenant, None, [card.number], self.at)[card.number]
        in_time = (card.valid_from is None or card.valid_from <= self.at) and (card.valid_to is None or self.at < card.valid_to)
        if card.status is Status.ACCEPTED and blocker.contested and blocker.expired is None and in_time:
            key, owner = blocker.contested
            sides = {one: [side.record for side in found] for one, found in live_sides(self.connection, tenant, {key}, self.at).items()}
            return self._contested(
                sides,
                "its own sides contradict each other"
                if owner == card.number
                else f"it rests on {load_ids(self.connection, tenant, [owner])[owner]}, which is contested",
            )
        if blocker.usable and in_time and self._purpose_admits(card):
            return _Answer(tenant, "OK", self._describe([card.number], "asked for by id"), [], [], False, [(card.number, card.version)], [])
        if not self.reading.actor.may(Right.INSPECT, card.scope):
            return _missing(tenant, [])
        names = load_ids(self.connection, tenant, [number for number in (blocker.expired, blocker.unaccepted) if number])
        why = explain_blocker(card.id, card.status, blocker, card.number, names)
        return _missing(tenant, [why if not blocker.usable else f"{card.id} is out of its validity, or its purposes do not admit this one."])


def explain_blocker(record_id: str, status: Status, blocker: Blocker, number: int, names: dict[int, str]) -> str:
    """Return a sentence on why a record is not usable."""
    if status is not Status.ACCEPTED:
        return f"{record_id} is {status.name}."
    if blocker.expired is not None:
        return f"{record_id} is expired." if blocker.expired == number else f"{record_id} rests on {names[blocker.expired]}, which is expired."
    if blocker.unaccepted is not None:
        return f"{record_id} rests on {names[blocker.unaccepted]}, which is not accepted."
    if blocker.contested is not None:
        return f"{record_id} is in an open conflict." if blocker.contested[1] == number else f"{record_id} rests on something in an open conflict."
    return f"{record_id} is usable."


def explain_claim(claim: KeyClaim, blocker: Blocker, names: dict[int, str], at: int) -> str:
    """Return a sentence on why a claim of the key asked for is not told."""
    if claim.status is Status.ACCEPTED and not claim.side.start <= at < claim.side.end and blocker.expired is None:
        return f"{claim.id} does not hold at that time."
    if claim.status is Status.ACCEPTED and blocker.usable:
        return f"{claim.id} is kept for other purposes."
    return explain_blocker(claim.id, claim.status, blocker, claim.record, names)


def describe_record(card: Card, content: Claim | Artifact | Evidence, scope: str, note: str, ranks: list[str]) -> dict[str, Any]:
    """Return what an agent is told of one record; text from outside only under `untrusted_text`, and the value itself."""
    found: dict[str, Any] = {"id": card.id, "kind": KIND_WORD[card.kind], "status": card.status.name, "version": card.version, "scope": card.scope}
    found["why"] = note or (
        "it answers the question in its own scope" if card.scope == scope or not scope else f"it holds in {card.scope}, which contains {scope}"
    )
    found["rule"] = f"readers of {scope or card.scope} are served what its ancestors hold"
    found["expires_at"] = format_optional(card.expires_at)
    if isinstance(content, Claim):
        found |= {
            "subject": content.subject, "predicate": content.predicate, "qualifiers": content.qualifiers, "value": content.value,
            "claim_type": content.claim_type, "valid_from": format_optional(content.valid_from), "valid_to": format_optional(content.valid_to),
            "observed_at": format_optional(content.observed_at), "authority": content.authority,
            "authority_rank": ranks.index(content.authority) + 1 if content.authority in ranks else None,
            "evidence": [{"evidence": b.evidence, "span": b.span} for b in content.evidence], "derived_from": list(content.derived_from),
            "untrusted_text": {"statement": content.statement, "conditions": content.conditions, "quotes": [b.quote for b in content.evidence if b.quote]},
        }  # fmt: skip
    elif isinstance(content, Artifact):
        found |= {
            "artifact_type": content.artifact_type, "edition": content.edition, "derived_from": list(content.derived_from),
            "untrusted_text": {"title": content.title, "body": content.body},
        }  # fmt: skip
    else:
        found |= {"source": content.source, "captured_at": format_optional(content.captured_at), "sha256": content.sha256}
    return found


def search_records(
    store: ClaimStore, person: str, text: str, scope: str, *, limit: int = 20, at: int | None = None, authenticated: bool = False
) -> dict[str, Any]:
    """Return usable records that hold every word of `text`, best first (R18)."""
    with read(store, person, authenticated=authenticated) as reading:
        found = _search(reading, text, scope, limit, at)
    if found.tenant is not None:
        log_answer(
            store, found.tenant, by=reading.actor.id, task=None, at=reading.at, question={"search": text, "scope": scope},
            result="OK" if found.items else "MISSING", scope=scope, records=found.told,
        )  # fmt: skip
    return found.to_json()


def search_now(reading: Reading, text: str, scope: str, *, limit: int = 20, at: int | None = None) -> dict[str, Any]:
    """Return what a search finds without logging it: for a page on which a person sees what agents are told."""
    return _search(reading, text, scope, limit, at).to_json()


@dataclass(frozen=True, slots=True)
class _Findings:
    tenant: int | None
    items: list[dict[str, Any]]
    cut: bool
    told: list[tuple[int, int]]

    def to_json(self) -> dict[str, Any]:
        return {"items": self.items, "cut": self.cut}


def _search(reading: Reading, text: str, scope: str, limit: int, at: int | None) -> _Findings:
    if len(text) > 1000:
        raise Refusal(Code.BAD_VALUE, "A search may have at most 1,000 characters. Nothing was searched. Shorten it.")
    tenant = reading.tenant_number(tenant_of(scope))
    if tenant is None or not reading.actor.may(Right.READ, scope):
        return _Findings(None, [], False, [])
    at = reading.at if at is None else at
    matches = find_words(reading.connection, tenant, text, _MOST_MATCHES + 1)
    cards = load_cards(reading.connection, tenant, matches[:_MOST_MATCHES])
    served_from = set(nearest_first(scope))
    near = [card for card in cards.values() if card.scope in served_from and card.status is Status.ACCEPTED and card.flags & ANY_PURPOSE]
    near = [card for card in near if (card.valid_from is None or card.valid_from <= at) and (card.valid_to is None or at < card.valid_to)]
    snapshot = reading.store.snapshots.warm(tenant, event_seq(reading.connection, tenant))
    blockers = blockers_of(reading.connection, tenant, snapshot, [card.number for card in near], at)
    good = [card for card in near if blockers[card.number].usable]
    contents = load_contents(reading.connection, tenant, good, with_bytes=False)
    words = split_words(text, query=True)
    ranked = sorted(good, key=lambda card: (-_rank(contents[card.number], words), -len(card.scope), card.number))
    shadowed = _shadowed(reading, tenant, good, served_from, at)
    found = [card for card in ranked if card.number not in shadowed]
    limit = max(1, limit)
    shown = load_shown(reading.connection, tenant, found[:limit], with_bytes=False) if veil_now() is not None else contents
    items = [_found(card, contents[card.number], shown[card.number], words) for card in found[:limit]]
    return _Findings(tenant, items, len(found) > limit or len(matches) > _MOST_MATCHES, [(card.number, card.version) for card in found[:limit]])


def _shadowed(reading: Reading, tenant: int, cards: list[Card], served_from: set[str], at: int) -> set[int]:
    """Return claims that a claim of a nearer scope, usable or in doubt, answers instead (R14)."""
    claims = [card for card in cards if card.kind is Kind.CLAIM]
    contents = load_contents(reading.connection, tenant, claims)
    found = set()
    for card in claims:
        content = contents[card.number]
        assert isinstance(content, Claim)
        for scope in sorted((s for s in served_from if len(s) > len(card.scope)), key=len, reverse=True):
            key = find_key(reading.connection, tenant, scope, content.subject, content.predicate, content.qualifiers)
            holds = claims_of_keys(reading.connection, tenant, [key]).get(key, []) if key is not None else []
            live = [claim for claim in holds if claim.side.start <= at < claim.side.end]
            if any(claim.status in (Status.ACCEPTED, Status.STALE, Status.DISPUTED) for claim in live):
                found.add(card.number)
                break
    return found


def _texts(content: Claim | Artifact | Evidence) -> list[str]:
    if isinstance(content, Claim):
        return [content.subject, content.predicate, content.statement or "", str(content.value)]
    if isinstance(content, Artifact):
        return [content.title or "", content.body or ""]
    return []


def _rank(content: Claim | Artifact | Evidence, words: list[str]) -> int:
    """Return how well a record matches: words in the first fields count more, and so do shorter texts."""
    score = 0
    for place, text in enumerate(_texts(content)):
        inside = set(split_words(text))
        score += sum(word in inside for word in words) * (8 - 2 * place) * 10
    return score - min(50, sum(len(text) for text in _texts(content)) // 200)


def _found(card: Card, content: Claim | Artifact | Evidence, shown: Claim | Artifact | Evidence, words: list[str]) -> dict[str, Any]:
    names = ("subject", "predicate", "statement", "value") if isinstance(content, Claim) else ("title", "body")
    where = [name for name, text in zip(names, _texts(content), strict=True) if set(split_words(text)) & set(words)]
    return {
        **describe_record(card, shown, card.scope, "", []),
        "why": f"found in {', '.join(where) or 'its id or qualifiers'}; usable in {card.scope}",
    }
