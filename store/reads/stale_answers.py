"""What a new value for a claim that needs re-validation may rest on, and which candidates answer it already (R4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from store.db.candidate_facts import load_evidence
from store.db.claim_store import ClaimStore
from store.db.records import find_card, find_numbers, load_cards, load_content
from store.db.stale_answers import answering, standing_claims
from store.db.stale_rows import current_versions
from store.db.transaction import Reading, read
from store.db.veils import load_shown, veiled_numbers
from store.domain.errors import not_found
from store.domain.marking import begin_at, lead_to, whole_words
from store.domain.passages import PassageSorter
from store.domain.people import Right
from store.domain.records import Card, Claim
from store.domain.spans import CapturedText, locate_in
from store.domain.status import Kind, Status
from store.domain.veiling import VEIL

#: Code points of a version's text shown at once.
GROUND = 6_000
_MOST = 20


@dataclass(frozen=True, slots=True)
class StaleAnswer:
    """A candidate that answers the claim. Texts come from outside."""

    id: str
    value: Any
    statement: str | None
    proposed_by: str | None
    quote: str | None


@dataclass(frozen=True, slots=True)
class AnswerGround:
    """Where the words of a new value may be chosen. Texts come from outside.

    Attributes:
        claim, version: the claim and its version as seen.
        value, text_value: what it says.
        answers: candidates that answer it already, the oldest first; `more`: how many are not listed.
        versions: of the claim's sources, those in use now; `evidence`: the version whose text is shown, None for none; `unknown`: whether the
            one that was asked for is none in use, or may not be seen.
        text, start, total: the stretch shown, the code point it begins at, and how many the version has; `before`, `after`: where those beside it begin.
        proposed: where in the version the claim's passage stands now, or what is most like it, in code points; `quote`: the words there.
        rests_on: what the answer will rest on besides.
        places: the code points at which the words looked for stand, at most 20.
    """

    claim: str
    tenant: str
    version: int
    value: Any
    answers: tuple[StaleAnswer, ...]
    more: int
    versions: tuple[str, ...]
    evidence: str | None
    unknown: bool
    text: str
    start: int
    total: int
    before: int | None
    after: int | None
    proposed: tuple[int, int] | None
    quote: str
    rests_on: tuple[str, ...]
    may_propose: bool
    places: tuple[int, ...]


def view_answer_ground(
    store: ClaimStore, person: str, tenant: str, claim: str, *, evidence: str | None = None, at: int | None = None, words: str = "", authenticated: bool = False,
) -> AnswerGround:  # fmt: skip
    """Return what somebody looks at who states the new value of a claim.

    Args:
        evidence: the version whose text is shown; by default the one in use now of the claim's first source.
        at: the code point its text begins near; by default at the passage as it stands now.
        words: words that are looked for in all of its text.

    Raises:
        Refusal: `not_found`, the same for what is missing, what is no claim and what may not be seen.
    """
    with read(store, person, authenticated=authenticated) as reading:
        number = reading.tenant_number(tenant)
        card = None if number is None else find_card(reading.connection, number, claim)
        if number is None or card is None or card.kind is not Kind.CLAIM or not reading.actor.may(Right.INSPECT, card.scope):
            raise not_found(claim)
        content = load_content(reading.connection, number, card)
        assert isinstance(content, Claim)
        answers = _answers(reading, number, card, content)
        bound = list(dict.fromkeys(one.evidence for one in content.evidence))
        current = current_versions(reading.connection, number, bound)
        versions = tuple(one for one in dict.fromkeys(current[one] for one in bound if one in current) if _may_rest_on(reading, number, one))
        asked = evidence or (versions[0] if versions else None)
        known = asked is not None and _may_rest_on(reading, number, asked)
        shown = asked if known else None
        text, proposed = "", None
        if shown is not None:
            texts = load_evidence(reading.connection, number, sorted({shown, *bound}))
            text, proposed = texts[shown].text or "", _now(content, current, texts, shown)
        start = lead_to(text, proposed[0]) if at is None and proposed is not None else begin_at(text, min(at or 0, max(len(text) - 1, 0)))
        end = min(start + GROUND, len(text))
        return AnswerGround(
            claim, tenant, card.version, VEIL if veiled_numbers(reading.connection, number, [card.number]) else content.value, answers[:_MOST], max(0, len(answers) - _MOST), versions, shown, asked is not None and not known,
            text[start:end], start, len(text), max(0, start - GROUND) if start else None, end if end < len(text) else None, proposed,
            text[proposed[0] : proposed[1]] if proposed is not None else "", tuple(standing_claims(reading.connection, number, card.number)),
            reading.actor.may(Right.PROPOSE, card.scope), tuple(_find(words, text)),
        )  # fmt: skip


def _find(words: str, text: str) -> list[int]:
    found: list[int] = []
    at = text.find(words) if words else -1
    while at >= 0 and len(found) < _MOST:
        found.append(at)
        at = text.find(words, at + 1)
    return found


def _answers(reading: Reading, number: int, card: Card, content: Claim) -> tuple[StaleAnswer, ...]:
    found = answering(reading.connection, number, card, content)
    cards = load_cards(reading.connection, number, [one.record for one in found])
    contents = load_shown(reading.connection, number, list(cards.values()), with_bytes=False)
    rows = []
    for one in found:
        claim = contents[one.record]
        assert isinstance(claim, Claim)
        quote = claim.evidence[0].quote if claim.evidence else None
        rows.append(StaleAnswer(claim.id, claim.value, claim.statement, claim.proposed_by, quote))
    return tuple(rows)


def _may_rest_on(reading: Reading, number: int, evidence: str) -> bool:
    card = next(iter(load_cards(reading.connection, number, find_numbers(reading.connection, number, [evidence]).values()).values()), None)
    if card is None or card.kind is not Kind.EVIDENCE or card.status is not Status.ACCEPTED:
        return False
    return reading.actor.may(Right.INSPECT, card.scope) or reading.actor.may(Right.READ, card.scope)


def _now(claim: Claim, current: dict[str, str], texts: dict[str, CapturedText], shown: str) -> tuple[int, int] | None:
    """Return where the claim's passage, or what is most like it, stands in the version shown."""
    for binding in claim.evidence:
        if current.get(binding.evidence) != shown or binding.evidence not in texts or texts[shown].text is None:
            continue
        found = PassageSorter(texts[binding.evidence], texts[shown], shown).sort(binding).after
        stands = None if found is None or found.quote is None else locate_in(found, texts[shown])
        if stands is not None and stands.ok and stands.start is not None and stands.end is not None and not stands.in_markup:
            return whole_words(texts[shown].text or "", stands.start, stands.end, binding.quote or "")
    return None
