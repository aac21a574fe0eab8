"""Asking how a statement is meant: what it differs from is out of use at once, and a question goes to somebody (R12 `unclear`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from store.actions.approve import Approval, apply_terms_to
from store.db.candidates import load_facts
from store.db.claim_store import ClaimStore
from store.db.commits import write_impact
from store.db.conflicts import keep_question, open_conflicts, refresh_conflicts
from store.db.decisions import find_visible, need_candidate, need_reason, need_seen, note_decision
from store.db.impacts import derive
from store.db.meant import Difference, find_difference, joins_conflict
from store.db.questions import CONFLICT, RECORD, find_asked, insert_question, need_text
from store.db.records import load_cards
from store.db.transaction import Writing, write
from store.domain.errors import Code, Refusal
from store.domain.people import Right
from store.domain.plans import Intent, Plan, Verb
from store.domain.promotion import Verdict, judge
from store.domain.records import Card, Claim
from store.domain.status import STANDS, Status, Step, next_status
from store.domain.text import canonical_json


def ask_which(
    store: ClaimStore, person: str, tenant: str, record_id: str, text: str, of: str, how: Approval, *, others: Mapping[str, int] | None = None,
    operation: str | None = None, authenticated: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Take what a candidate differs from out of use, and ask somebody which of them holds; all in one transaction.

    A candidate that passes the checks becomes a side of a conflict with it, both DISPUTED, and the question is the conflict's;
    otherwise the candidate goes on waiting and the question is about it.

    Args:
        text, of: the question, and the id of the person asked.
        how: reason, terms, and the version and hash seen; nothing else of it is used.
        others: id -> version of the claims that were shown as the other side; refused if they are others now.

    Returns:
        `{"asked": number, "of", "suspended": [ids], "conflict": id or None, "event"}`.

    Raises:
        Refusal: it differs from nothing accepted, something changed since it was seen, or nobody of that name may be asked.
    """
    words = [record_id, text, of, how.reason, how.terms.to_json(), how.seen, how.seen_hash, dict(others) if others is not None else None]
    with write(store, person, tenant, "ask_which", words, operation=operation, authenticated=authenticated) as tx:
        if tx.repeated is None:
            tx.reason = need_reason(how.reason)
            need_text(text, "question")
            card = find_visible(tx, record_id)
            tx.actor.need(Right.DECIDE, card.scope, f"ask how {record_id} is meant")
            need_candidate(tx, card)
            need_seen(card, how.seen, how.seen_hash)
            how = replace(how, terms=replace(how.terms, scope=None))
            verdict = judge(load_facts(tx.connection, tx.tenant, card, tx.actor, how.terms, tx.at))
            tx.result = _Asking(tx, card, how, verdict, _difference(tx, card, verdict, others)).carry_out(text, of)
    return tx.repeated if tx.repeated is not None else tx.result


def _difference(tx: Writing, card: Card, verdict: Verdict, others: Mapping[str, int] | None) -> Difference:
    facts = verdict.facts
    found = None
    if facts is not None and isinstance(facts.record, Claim) and facts.predicate is not None:
        found = find_difference(tx.connection, tx.tenant, card, facts.record, facts.predicate)
    if found is None or not tx.actor.may(Right.INSPECT, found.scope):
        raise Refusal(Code.BAD_VALUE, f"{card.id} differs from nothing that is accepted. Nothing was asked. Ask about it alone, or decide it.")
    tx.actor.need(Right.DECIDE, found.scope, f"stop using {found.others[0].id}")
    now = {other.id: other.version for other in found.others}
    if others is not None and dict(others) != now:
        raise Refusal(
            Code.CHANGED_SINCE_SEEN, f"What {card.id} differs from has changed since you looked: it is {', '.join(sorted(now))} now. Nothing was asked. Look at it again."
        )
    return found


class _Asking:
    def __init__(self, tx: Writing, card: Card, how: Approval, verdict: Verdict, found: Difference) -> None:
        self.tx, self.card, self.how, self.verdict, self.found = tx, card, how, verdict, found

    def carry_out(self, text: str, of: str) -> dict[str, Any]:
        tx, card, found = self.tx, self.card, self.found
        joins = joins_conflict(tx.connection, tx.tenant, card, self.verdict, found)
        # In memory before the first write, so that nothing half done is ever taken for a state of the store.
        tx.snapshot(tx.tenant)
        keys = [] if card.key is None else [card.key]
        if joins:
            self._join()
        suspended = self._suspend()
        refresh_conflicts(tx, keys, f"{card.id} was asked about, event {tx.seq}")
        conflict = open_conflicts(tx.connection, tx.tenant, keys).get(keys[0]) if joins and keys else None
        kind, about = (RECORD, card.id) if conflict is None else (CONFLICT, conflict.id)
        asked = find_asked(tx, of, about, card.scope, None if conflict is not None else card.status)
        if asked.id == tx.actor.id:
            raise Refusal(Code.BAD_VALUE, "You would ask yourself. Nothing was asked. Choose somebody else.")
        if conflict is not None:
            keep_question(tx, conflict.number, text.strip())
        number = insert_question(tx, kind, about, text, asked.id)
        return {"asked": number, "of": asked.id, "suspended": suspended, "conflict": None if conflict is None else conflict.id, "event": tx.seq}

    def _join(self) -> None:
        """Let the candidate, which passed the checks, stand as a side that nobody may use yet."""
        tx, card, terms = self.tx, self.card, self.how.terms
        apply_terms_to(tx, card, self.verdict, terms, bump=False)
        accepted = next_status(card.id, card.status, Step.APPROVE)
        version = tx.set_status(card.number, card.status, next_status(card.id, accepted, Step.SUSPEND), card.version)
        note_decision(tx, card.number, "approve", version, reason=tx.reason, terms=canonical_json(terms.to_json()) if terms.to_json() else None)

    def _suspend(self) -> list[str]:
        """Suspend the other side, with what rests on it, as the same plan would; return what was suspended."""
        tx = self.tx
        cards = load_cards(tx.connection, tx.tenant, [other.record for other in self.found.others])
        for one in cards.values():
            if one.status not in (Status.ACCEPTED, Status.DISPUTED):
                raise Refusal(Code.ILLEGAL_STEP, f"{one.id} {STANDS[one.status]}. Nothing was asked. Look at it again.")
        going = [one for one in cards.values() if one.status is Status.ACCEPTED]
        if not going:
            return []
        intent = Intent(Plan(Verb.SUSPEND, tuple(one.id for one in going)))
        intent.becomes = {one.number: (one.status, next_status(one.id, one.status, Step.SUSPEND)) for one in going}
        intent.roots = sorted(intent.becomes)
        snapshot, impact = derive(tx, tx.tenant, intent)
        write_impact(tx, snapshot, impact, f"{', '.join(one.id for one in going)} suspended, event {tx.seq}")
        tx.moved = None
        return [one.id for one in going]
