"""What went out, and how it is put right: deliveries, new editions, annotations, and none with a reason (R24)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from store.db.claim_store import ClaimStore
from store.db.content import NewRecords, origins, parent_numbers, unreadable
from store.db.corrections import corrections_of_event, list_cases, note_correction_event
from store.db.decisions import find_visible, need_reason
from store.db.holdings import standing_parents
from store.db.keys import Numbers
from store.db.messages import DELIVER, deliveries_of, editions_of, events_about, insert_delivery, insert_notice, insert_remedy, last_changes
from store.db.records import find_numbers, load_cards, load_content, load_contents, load_shas
from store.db.transaction import Writing, write
from store.domain.errors import Code, Refusal
from store.domain.fields import check_word
from store.domain.people import Right
from store.domain.records import Artifact, Card
from store.domain.status import STANDS, Kind, Status
from store.domain.strict_json import BadLine
from store.domain.text import find_forbidden, is_blank

#: Statuses of what cannot go out: nobody accepted it, or nothing of it is kept.
_NEVER_OUT = (Status.CANDIDATE, Status.REJECTED, Status.DELETION_PENDING, Status.DELETED)
#: Statuses of what no longer stands: whoever gets it is to be told.
_FALLEN = (Status.STALE, Status.SUPERSEDED, Status.REVOKED)
_LONGEST_BODY = 1_000_000
_LONGEST_NOTE = 4_000


def record_delivery(
    store: ClaimStore, person: str, tenant: str, artifact: str, recipient: str, channel: str, *, delivered_at: int | None = None,
    operation: str | None = None, authenticated: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Keep that an artifact went out to somebody; the same operation id again keeps it once.

    Whoever is noted to have got what no longer stands is to be told so, in the open corrections because of which it fell.

    Args:
        delivered_at: microseconds UTC; now by default.

    Returns:
        `{"delivered": id, "recipient", "edition", "status", "to_tell": whether the recipient is to be told that it no longer stands, "event"}`.
    """
    words = [artifact, recipient, channel, delivered_at]
    with write(store, person, tenant, DELIVER, words, operation=operation, authenticated=authenticated) as tx:
        if tx.repeated is None:
            card, found = _need_artifact(tx, artifact, Right.PROPOSE, "record a delivery of")
            if card.status in _NEVER_OUT:
                raise Refusal(Code.ILLEGAL_STEP, f"{artifact} {STANDS[card.status]}, so it cannot have gone out. Nothing was recorded. Have it accepted first.")
            when = tx.at if delivered_at is None else delivered_at
            if when > tx.at:
                raise Refusal(Code.BAD_VALUE, "A delivery cannot lie in the future. Nothing was recorded. Record it once it is done.")
            insert_delivery(tx, card.number, _need_word("recipient", recipient), _need_word("channel", channel), when, operation)
            to_tell = card.status in _FALLEN
            if to_tell:
                _let_tell(tx, card, found.edition, recipient, channel)
            tx.result = {
                "delivered": artifact, "recipient": recipient, "edition": found.edition, "status": card.status.name, "to_tell": to_tell, "event": tx.seq,
            }  # fmt: skip
    return tx.repeated if tx.repeated is not None else tx.result


def _let_tell(tx: Writing, card: Card, edition: int, recipient: str, channel: str) -> None:
    """Make the notice that the cause of what fell would have made, had this delivery been known then; one per cause, edition and recipient (R24)."""
    cause = last_changes(tx.connection, tx.tenant, [card.number]).get(card.number, 0)
    if not insert_notice(tx, card.number, edition, recipient, channel, since=cause):
        return
    still_open = {case.number for case in list_cases(tx.connection, tx.tenant, only_open=True)}
    for correction in corrections_of_event(tx.connection, tx.tenant, cause):
        if correction in still_open:
            note_correction_event(tx, correction, "tell")


def propose_edition(
    store: ClaimStore, person: str, tenant: str, artifact: str, *, body: str | None = None, title: str | None = None, derived_from: Sequence[str] | None = None,
    operation: str | None = None, authenticated: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Propose the next edition of an artifact, as a candidate; approving it replaces the editions before it.

    Args:
        derived_from: what it rests on; by default what stands of what the last edition rests on, and what took the place of the rest.

    Returns:
        `{"proposed": id, "edition": n, "event"}`.
    """
    words = [artifact, body, title, None if derived_from is None else sorted(derived_from)]
    with write(store, person, tenant, "propose edition", words, operation=operation, authenticated=authenticated) as tx:
        if tx.repeated is None:
            card, found = _need_artifact(tx, artifact, Right.PROPOSE, "propose an edition of")
            tx.result = _propose(tx, card, found, body, title, derived_from)
    return tx.repeated if tx.repeated is not None else tx.result


def _propose(tx: Writing, card: Card, found: Artifact, body: str | None, title: str | None, derived_from: Sequence[str] | None) -> dict[str, Any]:
    first = found.edition_of or found.id
    cards = load_cards(tx.connection, tx.tenant, editions_of(tx.connection, tx.tenant, first))
    contents = load_contents(tx.connection, tx.tenant, list(cards.values()))
    waiting = sorted(one.id for one in cards.values() if one.status is Status.CANDIDATE)
    if waiting:
        raise Refusal(Code.ALREADY_DECIDED, f"The edition {waiting[0]} waits to be decided already. Nothing was proposed. Amend or reject it.", waiting=waiting[0])
    number = 1 + max(one.edition for one in contents.values() if isinstance(one, Artifact))
    parents = tuple(standing_parents(tx.connection, tx.tenant, found)) if derived_from is None else tuple(sorted(set(derived_from)))
    if not parents:
        raise Refusal(Code.BAD_VALUE, f"Nothing of what {found.id} rests on stands. Nothing was proposed. Name what the new edition rests on.")
    text = found.body if body is None else body
    if text is not None and (len(text) > _LONGEST_BODY or find_forbidden(text)):
        raise Refusal(Code.BAD_VALUE, "The text is too long, or holds a character no store can keep. Nothing was proposed. Shorten or retype it.")
    edition = replace(
        found, id=_fresh_id(tx, first, number), title=title or found.title, body=text, edition=number, edition_of=first, derived_from=parents, deliveries=(),
        proposed_by=tx.actor.id, contributors=(), task=None, assumed_utc=(),
    )  # fmt: skip
    ids = parent_numbers(tx, edition)
    for name in sorted(unreadable(tx, {one: number for one, number in ids.items() if one not in found.derived_from}, card.scope)):
        raise Refusal(Code.MISSING_PARENT, f"{edition.id} rests on {name}, which does not exist. Nothing was changed. Import it first.")
    new = NewRecords(tx, Numbers(tx.connection, tx.tenant), load_shas(tx.connection, tx.tenant, ids))
    place = tx.allocate(1)
    new.add(place, edition, Status.CANDIDATE, origins(edition, ids), scope=card.scope, ids=ids)
    new.flush()
    return {"proposed": edition.id, "edition": number, "event": tx.seq}


def _fresh_id(tx: Writing, first: str, edition: int) -> str:
    names = [f"{first}-edition-{edition}", *(f"{first}-edition-{edition}-{n}" for n in range(2, 50))]
    known = find_numbers(tx.connection, tx.tenant, names)
    return next(name for name in names if name not in known)


def note_remedy(
    store: ClaimStore, person: str, tenant: str, artifact: str, way: str, text: str, *, operation: str | None = None, authenticated: bool = False
) -> dict[str, Any]:  # fmt: skip
    """Keep how a delivered artifact is put right without a new edition: an `annotation`, or `none` and why.

    It stays as it is: whether it stands again is decided by confirming it.
    """
    with write(store, person, tenant, "remedy", [artifact, way, text], operation=operation, authenticated=authenticated) as tx:
        if tx.repeated is None:
            card, _ = _need_artifact(tx, artifact, Right.DECIDE, "decide how to put right")
            if way not in ("annotation", "none"):
                raise Refusal(Code.BAD_VALUE, "An artifact is put right by a new edition, by an annotation, or by none with a reason. Nothing was kept.")
            if not deliveries_of(tx.connection, tx.tenant, [card.number]):
                raise Refusal(Code.ILLEGAL_STEP, f"{artifact} went to nobody, so there is nothing to put right. Nothing was kept. Confirm or withdraw it.")
            tx.reason = need_reason(text)
            if len(text) > _LONGEST_NOTE:
                raise Refusal(Code.BAD_VALUE, f"The text has {len(text):,} characters; at most {_LONGEST_NOTE:,} are kept. Nothing was kept. Shorten it.")
            insert_remedy(tx, card.number, way, text=text.strip())
            for seq in events_about(tx.connection, tx.tenant, card.number):
                for correction in corrections_of_event(tx.connection, tx.tenant, seq):
                    note_correction_event(tx, correction, "tell")
            tx.result = {"artifact": artifact, "remedy": way, "event": tx.seq}
    return tx.repeated if tx.repeated is not None else tx.result


def _need_artifact(tx: Writing, artifact: str, right: Right, doing: str) -> tuple[Card, Artifact]:
    card = find_visible(tx, artifact)
    tx.actor.need(right, card.scope, f"{doing} {artifact}")
    if card.kind is not Kind.ARTIFACT:
        raise Refusal(Code.BAD_VALUE, f"{artifact} is no artifact, so it is not delivered. Nothing was kept. Name a report, memo, plan, answer or action.")
    content = load_content(tx.connection, tx.tenant, card)
    assert isinstance(content, Artifact)
    return card, content


def _need_word(what: str, text: str) -> str:
    try:
        if is_blank(text) or len(text) > 400 or any(mark in text for mark in "\r\n"):
            raise Refusal(Code.BAD_VALUE, f"The {what} is empty, too long or more than one line. Nothing was recorded. Write it on one line.")
        return str(check_word(f"the {what}", text))
    except BadLine as bad:
        raise Refusal(Code.BAD_VALUE, f"{bad.message[:1].upper()}{bad.message[1:]}. Nothing was recorded.") from None
