"""Whether a new session still gets what was replaced, rejected or taken out of use: by read, search or a cached answer.

It looks at what is retrieved, that is whose content was loaded to be told, not only at what an answer says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from store.db.claim_store import ClaimStore
from store.db.records import children_of, find_card, load_cards, load_contents, replaced_by
from store.db.transaction import Reading, read
from store.domain.errors import not_found
from store.domain.people import Right
from store.domain.records import Artifact, Card, Claim
from store.domain.status import Kind, Status
from store.domain.words import flatten
from store.reads.answers import Question, answer_now, answer_record_now, search_now

#: How far below what is gone cached answers are looked for.
_MOST_BELOW = 400


@dataclass(frozen=True, slots=True)
class SessionLook:
    """One look of a new session.

    Attributes:
        by: `read`, `read_by_id`, `search` or `cached_answer`.
        asked: what was asked: a scope, an id, a cached answer's id.
        result: OK, MISSING or CONFLICT.
        retrieved: ids of every record that was retrieved to be told.
        gone: those of them that must not come back.
    """

    by: str
    asked: str
    result: str
    retrieved: tuple[str, ...]
    gone: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Return whether nothing came that must not."""
        return not self.gone

    def to_json(self) -> dict[str, Any]:
        """Return the look as plain values."""
        return {"by": self.by, "asked": self.asked, "result": self.result, "retrieved": list(self.retrieved), "gone": list(self.gone), "ok": self.ok}


@dataclass(frozen=True, slots=True)
class NewSession:
    """What a new session of one person gets.

    Attributes:
        gone: ids that must not come back; `stands`: what answers the question now.
        cached: cached answers resting on what is gone, which were looked at; `hidden`: those in scopes the person may not read.
    """

    gone: tuple[str, ...]
    stands: tuple[str, ...]
    looks: tuple[SessionLook, ...]
    cached: int
    hidden: int

    @property
    def ok(self) -> bool:
        """Return whether nothing that is gone was retrieved by any look."""
        return all(look.ok for look in self.looks)

    def to_json(self) -> dict[str, Any]:
        """Return the check as plain values."""
        looks = [look.to_json() for look in self.looks]
        return {"gone": list(self.gone), "stands": list(self.stands), "looks": looks, "cached": self.cached, "hidden": self.hidden, "ok": self.ok}


def check_new_session(store: ClaimStore, person: str, tenant: str, record: str, *, authenticated: bool = False) -> NewSession | None:
    """Return what a new session with this person's rights gets of what a record replaced, or of the record itself where it is out of use.

    Returns:
        None where the record is in use and replaced nothing, so that there is nothing to look for.

    Raises:
        Refusal: `not_found`, the same for what is missing and what the person may not see.
    """
    with read(store, person, authenticated=authenticated) as reading:
        number = reading.tenant_number(tenant)
        card = find_card(reading.connection, number, record) if number is not None else None
        if number is None or card is None or card.kind is not Kind.CLAIM or not reading.actor.may(Right.INSPECT, card.scope):
            raise not_found(record)
        gone = [card.number] if card.status is not Status.ACCEPTED else list(replaced_by(reading.connection, number, card.number))
        cards = [one for one in load_cards(reading.connection, number, gone).values() if one.status not in (Status.DELETION_PENDING, Status.DELETED)]
        if not cards:
            return None
        return look_anew(reading, number, tenant, cards)


def look_anew(reading: Reading, number: int, tenant: str, cards: Sequence[Card]) -> NewSession:
    """Return what a new session gets of records that must not come back, by every way there is."""
    gone = {card.id for card in cards}
    contents = load_contents(reading.connection, number, list(cards), with_bytes=False)
    looks: list[SessionLook] = []
    stands: dict[str, None] = {}
    for card in cards:
        claim = contents[card.number]
        if not isinstance(claim, Claim):
            continue
        for question in _questions(claim):
            answer = answer_now(reading, question)
            ids = [one["id"] for one in answer["claims"]]
            stands.update(dict.fromkeys(one for one in ids if one not in gone))
            looks.append(_look("read", question.scope, answer["result"], ids, gone))
        looks.append(_by_id(reading, tenant, card.id, Question(claim.scope), "read_by_id", gone))
        looks.extend(search_anew(reading, claim.scope, _searches(claim), gone))
    cached, hidden = _cached(reading, number, cards)
    for one in cached:
        looks.append(_by_id(reading, tenant, one.id, Question(one.scope), "cached_answer", {one.id}))
    return NewSession(tuple(sorted(gone)), tuple(stands), tuple(looks), len(cached), hidden)


def search_anew(reading: Reading, scope: str, texts: Sequence[str], gone: set[str]) -> list[SessionLook]:
    """Return what searches of a scope retrieve."""
    found = []
    for text in texts:
        items = search_now(reading, text, scope, limit=200)["items"]
        found.append(_look("search", scope, "OK" if items else "MISSING", [one["id"] for one in items], gone))
    return found


def _look(by: str, asked: str, result: str, ids: Sequence[str], gone: set[str]) -> SessionLook:
    return SessionLook(by, asked, result, tuple(ids), tuple(one for one in ids if one in gone))


def _by_id(reading: Reading, tenant: str, record: str, question: Question, by: str, gone: set[str]) -> SessionLook:
    answer = answer_record_now(reading, tenant, record, question)
    return _look(by, record, answer["result"], [one["id"] for one in answer["claims"]], gone)


def _questions(claim: Claim) -> list[Question]:
    """Return the claim's question for every purpose it was open to."""
    plain = Question(claim.scope, claim.subject, claim.predicate, dict(claim.qualifiers), limit=200)
    return [plain, *(replace(plain, purpose=purpose) for purpose in claim.purposes if purpose != "*")]


def _searches(claim: Claim) -> list[str]:
    """Return what somebody would search for who knew what the claim says."""
    texts = (flatten(claim.value), claim.statement or "", f"{claim.subject} {claim.predicate}")
    return [text[:200] for text in dict.fromkeys(texts) if text.strip()]


def _cached(reading: Reading, number: int, cards: Sequence[Card]) -> tuple[list[Card], int]:
    """Return the cached answers that rest on some records and that the person may read, and how many they may not."""
    seen: set[int] = set()
    waiting = [card.number for card in cards]
    while waiting and len(seen) < _MOST_BELOW:
        below = [one for one in children_of(reading.connection, number, waiting.pop(), _MOST_BELOW) if one not in seen]
        seen.update(below)
        waiting.extend(below)
    found = [card for card in load_cards(reading.connection, number, sorted(seen)).values() if card.kind is Kind.ARTIFACT]
    contents = load_contents(reading.connection, number, found, with_bytes=False)
    answers = [card for card in found if isinstance(made := contents[card.number], Artifact) and made.artifact_type == "answer"]
    mine = [card for card in answers if reading.actor.may(Right.READ, card.scope)]
    return mine, len(answers) - len(mine)
