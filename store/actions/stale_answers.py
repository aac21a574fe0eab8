"""Answering a claim that needs re-validation with a new value: a candidate about the same thing, for somebody else to decide (R4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from store.db.candidate_facts import load_evidence
from store.db.claim_store import ClaimStore
from store.db.content import NewRecords, origins, parent_numbers
from store.db.decisions import find_visible, need_seen
from store.db.keys import Numbers
from store.db.records import find_numbers, load_cards, load_content, load_shas
from store.db.stale_answers import standing_claims, would_answer
from store.db.transaction import Writing, write
from store.domain.bundle import parse_object
from store.domain.errors import Code, Refusal, not_found
from store.domain.passages import span_for
from store.domain.people import Right
from store.domain.records import Binding, Card, Claim
from store.domain.status import Kind, Status
from store.domain.times import parse_stated_time

#: What may be stated of an answer; `evidence` is a captured version, `start` and `end` code points of its text.
ANSWER_FIELDS = ("value", "evidence", "start", "end", "statement", "valid_from", "valid_to")
_LONGEST_QUOTE = 20_000


def propose_answer(
    store: ClaimStore, person: str, tenant: str, claim: str, fields: Mapping[str, Any], *, seen: int | None = None, operation: str | None = None,
    authenticated: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Propose a candidate that answers a stale claim: approving it replaces the claim. The claim itself stays as it is.

    Args:
        fields: of `ANSWER_FIELDS`; what is left out stays as the claim had it, the passage and the statement excepted.
        seen: the version of the claim the person saw.

    Returns:
        `{"proposed": id, "answers": id of the claim, "event"}`.

    Raises:
        Refusal: it is no stale claim, the passage is not there, or the candidate would not answer it.
    """
    with write(store, person, tenant, "propose answer", [claim, dict(fields), seen], operation=operation, authenticated=authenticated) as tx:
        if tx.repeated is None:
            card = find_visible(tx, claim)
            tx.actor.need(Right.PROPOSE, card.scope, f"propose an answer to {claim}")
            if card.kind is not Kind.CLAIM:
                raise Refusal(Code.BAD_VALUE, f"{claim} is no claim, so no new value answers it. Nothing was proposed. Of an artifact, propose a new edition.")
            if card.status is not Status.STALE:
                raise Refusal(Code.ILLEGAL_STEP, f"{claim} does not need re-validation, so there is nothing to answer. Nothing was proposed.")
            need_seen(card, seen, None)
            before = load_content(tx.connection, tx.tenant, card)
            assert isinstance(before, Claim)
            tx.result = _propose(tx, card, before, fields)
    return tx.repeated if tx.repeated is not None else tx.result


def _propose(tx: Writing, card: Card, before: Claim, fields: Mapping[str, Any]) -> dict[str, Any]:
    strange = sorted(set(fields) - set(ANSWER_FIELDS))
    if strange:
        raise Refusal(Code.UNKNOWN_FIELD, f"{strange[0]!r} cannot be stated of an answer; {', '.join(ANSWER_FIELDS)} can. Nothing was proposed.")
    if fields.get("value") in (None, ""):
        raise Refusal(Code.BAD_VALUE, f"The new value of {card.id} is missing. Nothing was proposed. Enter what it is now.")
    after = _after(tx, card, before, fields)
    if not after.evidence and not after.derived_from:
        raise Refusal(Code.BAD_VALUE, "The new value rests on nothing. Nothing was proposed. Choose the words it stands in.")
    answers, same = would_answer(tx.connection, tx.tenant, card, after)
    if same is not None:
        named = same.id if tx.actor.may(Right.INSPECT, card.scope) else "Somebody’s candidate"
        raise Refusal(Code.ALREADY_DECIDED, f"{named} says so already and waits to be decided. Nothing was proposed. Have it decided.")
    if not answers:
        raise Refusal(Code.BAD_VALUE, f"A value for other dates does not answer {card.id}. Nothing was proposed. Give dates that overlap, or leave them out.")
    ids = parent_numbers(tx, after)
    new = NewRecords(tx, Numbers(tx.connection, tx.tenant), load_shas(tx.connection, tx.tenant, ids))
    new.prepare_keys([after])
    place = tx.allocate(1)
    new.add(place, after, Status.CANDIDATE, origins(after, ids), scope=card.scope, ids=ids)
    new.flush()
    return {"proposed": after.id, "answers": card.id, "event": tx.seq}


def _after(tx: Writing, card: Card, before: Claim, fields: Mapping[str, Any]) -> Claim:
    times = {name: getattr(before, name) for name in ("valid_from", "valid_to")}
    for name in times:
        if name in fields:
            try:
                times[name] = None if fields[name] is None else parse_stated_time(str(fields[name]))
            except ValueError as error:
                raise Refusal(Code.BAD_VALUE, f"{error}. Nothing was proposed.") from None
    binding = _binding(tx, fields)
    # Dates that are over would make an answer that nobody can use; whoever approves it sets new ones.
    dates: dict[str, Any] = {name: None for name in ("review_at", "expires_at") if (getattr(before, name) or 0) <= tx.at}
    after = replace(
        before, id=_fresh_id(tx, card.id), value=fields["value"], statement=fields.get("statement"), evidence=() if binding is None else (binding,),
        derived_from=tuple(standing_claims(tx.connection, tx.tenant, card.number)), proposed_by=tx.actor.id, confirmed_by=None, task=None, contributors=(),
        assumed_utc=(), source_uri=None, source_span=None, extraction={"method": "entered at re-validation", "version": "1"}, **times, **dates,
    )  # fmt: skip
    try:
        checked = parse_object(after.to_line())
    except ValueError as error:
        code = error.args[1] if len(error.args) > 1 else Code.BAD_VALUE
        raise Refusal(code, f"{str(error.args[0])[:1].upper()}{str(error.args[0])[1:]}. Nothing was proposed.") from None
    assert isinstance(checked, Claim)
    return checked


def _binding(tx: Writing, fields: Mapping[str, Any]) -> Binding | None:
    named, start, end = fields.get("evidence"), fields.get("start"), fields.get("end")
    if named is None:
        return None
    card = next(iter(load_cards(tx.connection, tx.tenant, find_numbers(tx.connection, tx.tenant, [str(named)]).values()).values()), None)
    if card is None or not (tx.actor.may(Right.INSPECT, card.scope) or (card.status is Status.ACCEPTED and tx.actor.may(Right.READ, card.scope))):
        raise not_found(str(named))
    if card.kind is not Kind.EVIDENCE or card.status is not Status.ACCEPTED:
        raise Refusal(Code.BAD_VALUE, f"{named} is no captured version in use, so nothing can rest on it. Nothing was proposed. Choose another version.")
    if start is None and end is None:
        return Binding(card.id)
    captured = load_evidence(tx.connection, tx.tenant, [card.id])[card.id]
    text = captured.text or ""
    if not isinstance(start, int) or not isinstance(end, int) or not 0 <= start < end <= len(text) or end - start > _LONGEST_QUOTE:
        raise Refusal(Code.BAD_VALUE, f"Choose between 1 and {_LONGEST_QUOTE:,} characters of {named}. Nothing was proposed.")
    return Binding(card.id, span_for(captured, start, end), text[start:end])


def _fresh_id(tx: Writing, answered: str) -> str:
    names = [f"{answered[:400]}-answer", *(f"{answered[:400]}-answer-{n}" for n in range(2, 200))]
    known = find_numbers(tx.connection, tx.tenant, names)
    return next(name for name in names if name not in known)
