"""Deciding on candidates otherwise than by approval: rejecting, reopening, renewing, amending."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from store.db.claim_store import ClaimStore
from store.db.conflicts import refresh_conflicts
from store.db.content import rewrite_content, unreadable
from store.db.decisions import add_contributor, find_visible, need_candidate, need_reason, need_seen, note_decision
from store.db.kept import need_kept_to_renew
from store.db.keys import Numbers
from store.db.recent_decisions import why_not_reopen
from store.db.records import ancestors_of, find_numbers, load_content
from store.db.transaction import Writing, write
from store.domain.bundle import parse_object
from store.domain.errors import Code, Refusal
from store.domain.people import Right
from store.domain.records import ROUTES, Artifact, Card, Claim
from store.domain.scopes import tenant_of
from store.domain.status import Status, Step, next_status


def reject(
    store: ClaimStore, person: str, tenant: str, record_id: str, route: str, reason: str | None, *, seen: int | None = None,
    seen_hash: str | None = None, operation: str | None = None, authenticated: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Reject one candidate by a route: rejected, session_only, not_durable or sensitive (R5)."""
    with write(store, person, tenant, "reject", [record_id, route, reason, seen, seen_hash], operation=operation, authenticated=authenticated) as tx:
        if tx.repeated is None:
            if route not in ROUTES:
                raise Refusal(Code.BAD_VALUE, f"{route!r} is no route of a rejection. Nothing was decided. Use one of {', '.join(ROUTES)}.")
            tx.reason = need_reason(reason)
            card = find_visible(tx, record_id)
            tx.actor.need(Right.DECIDE, card.scope, f"reject {record_id}")
            need_candidate(tx, card)
            need_seen(card, seen, seen_hash)
            version = tx.set_status(card.number, card.status, next_status(card.id, card.status, Step.REJECT), card.version)
            note_decision(tx, card.number, "reject", version, reason=tx.reason, route=route)
            tx.result = {"decided": record_id, "event": tx.seq}
    return tx.repeated if tx.repeated is not None else tx.result


def reopen(
    store: ClaimStore, person: str, tenant: str, record_id: str, *, operation: str | None = None, authenticated: bool = False
) -> dict[str, Any]:
    """Take back one's own decision of the last 15 minutes."""
    with write(store, person, tenant, "reopen", [record_id], operation=operation, authenticated=authenticated) as tx:
        if tx.repeated is None:
            card = find_visible(tx, record_id)
            tx.actor.need(Right.DECIDE, card.scope, f"reopen {record_id}")
            to = next_status(card.id, card.status, Step.REOPEN)
            _need_reopenable(tx, card)
            was = card.status
            version = tx.set_status(card.number, card.status, to, card.version)
            note_decision(tx, card.number, "reopen", version, reason=None)
            if was is Status.ACCEPTED and card.key is not None:
                refresh_conflicts(tx, [card.key], f"{card.id} was reopened, event {tx.seq}")
            tx.result = {"decided": record_id, "event": tx.seq}
    return tx.repeated if tx.repeated is not None else tx.result


def _need_reopenable(tx: Writing, card: Card) -> None:
    why = why_not_reopen(tx.connection, tx.tenant, card, tx.actor.id, tx.at)
    if why is not None:
        raise Refusal(Code.ILLEGAL_STEP, f"{card.id} was not reopened: {why}. To take it out of use, suspend or revoke it.")


def renew(
    store: ClaimStore, person: str, tenant: str, record_id: str, *, review_at: int | None = None, expires_at: int | None = None,
    reason: str | None = None, seen: int | None = None, operation: str | None = None, authenticated: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Set a new review or expiry date (microseconds UTC) of an accepted record; that is no contribution.

    Args:
        reason: why it still holds, kept with the event.
        seen: the version the person saw.

    Raises:
        Refusal: the date is past, or would keep for longer what the policy keeps no longer; ending it sooner is always possible.
    """
    words = [record_id, review_at, expires_at] if reason is None and seen is None else [record_id, review_at, expires_at, reason, seen]
    with write(store, person, tenant, "renew", words, operation=operation, authenticated=authenticated) as tx:
        if tx.repeated is None:
            card = find_visible(tx, record_id)
            tx.actor.need(Right.DECIDE, card.scope, f"renew {record_id}")
            next_status(card.id, card.status, Step.RENEW)
            need_seen(card, seen, None)
            if reason is not None:
                tx.reason = need_reason(reason)
            before = load_content(tx.connection, tx.tenant, card)
            dates: dict[str, Any] = {name: value for name, value in (("review_at", review_at), ("expires_at", expires_at)) if value is not None}
            if not isinstance(before, Claim | Artifact) or not dates:
                raise Refusal(Code.BAD_VALUE, f"Give {record_id} a new review or expiry date. Nothing was changed.")
            if min(dates.values()) <= tx.at:
                raise Refusal(Code.BAD_VALUE, "The new date is past. Nothing was changed. Give a later one.")
            if not _ends_sooner(before, dates):
                need_kept_to_renew(tx.connection, tx.tenant, card.number, card.id)
            rewrite_content(tx, card, before, replace(before, **dates), numbers=Numbers(tx.connection, tx.tenant))
            if card.key is not None:
                refresh_conflicts(tx, [card.key], f"{card.id} was renewed, event {tx.seq}")
            tx.result = {"decided": record_id, "event": tx.seq}
    return tx.repeated if tx.repeated is not None else tx.result


def _ends_sooner(before: Claim | Artifact, dates: Mapping[str, int]) -> bool:
    """Return whether new dates do nothing but bring the end nearer."""
    return set(dates) == {"expires_at"} and (before.expires_at is None or dates["expires_at"] <= before.expires_at)


_FIXED = ("id", "type", "status", "claim_id", "proposed_by", "task", "contributors", "route", "superseded_by", "deliveries")


def amend(
    store: ClaimStore, person: str, tenant: str, record_id: str, fields: Mapping[str, Any], *, seen: int | None = None, operation: str | None = None,
    authenticated: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Change a candidate's content; whoever does becomes a contributor, and recorded approvals fall."""
    with write(store, person, tenant, "amend", [record_id, dict(fields), seen], operation=operation, authenticated=authenticated) as tx:
        if tx.repeated is None:
            card = find_visible(tx, record_id)
            tx.actor.need(Right.PROPOSE, card.scope, f"amend {record_id}")
            need_candidate(tx, card)
            next_status(card.id, card.status, Step.AMEND)
            need_seen(card, seen, None)
            before = load_content(tx.connection, tx.tenant, card)
            assert isinstance(before, Claim | Artifact)
            after = _amended(before, fields)
            tx.actor.need(Right.PROPOSE, after.scope, f"amend {record_id}")
            _check_parents(tx, card, before, after)
            version = rewrite_content(tx, card, before, after, numbers=Numbers(tx.connection, tx.tenant))
            add_contributor(tx, card.number, tx.actor.id)
            tx.result = {"decided": record_id, "version": version, "event": tx.seq}
    return tx.repeated if tx.repeated is not None else tx.result


def _amended(before: Claim | Artifact, fields: Mapping[str, Any]) -> Claim | Artifact:
    if not fields:
        raise Refusal(Code.BAD_VALUE, "Name at least one field to amend, such as value=12. Nothing was changed.")
    scope = fields.get("scope", before.scope)
    if isinstance(scope, str) and tenant_of(scope) != tenant_of(before.scope):
        raise Refusal(Code.BAD_VALUE, f"{before.id} belongs to {tenant_of(before.scope)} and cannot move to another tenant. Nothing was changed.")
    fixed = [name for name in fields if name in _FIXED]
    if fixed:
        raise Refusal(Code.BAD_VALUE, f"{fixed[0]} cannot be amended. Nothing was changed.")
    line = {**before.to_line(), **fields}
    if before.assumed_utc:
        line = {name: value for name, value in line.items() if value is not None}
    try:
        after = parse_object(line)
    except ValueError as error:
        code = error.args[1] if len(error.args) > 1 else Code.BAD_VALUE
        raise Refusal(code, f"{before.id} was not amended: {error.args[0]}.") from None
    assert isinstance(after, Claim | Artifact)
    assert type(after) is type(before)
    return after


def _check_parents(tx: Writing, card: Card, before: Claim | Artifact, after: Claim | Artifact) -> None:
    wanted = sorted(after.parents())
    numbers = find_numbers(tx.connection, tx.tenant, wanted)
    above = ancestors_of(tx.connection, tx.tenant, list(numbers.values()))
    if card.number in above:
        raise Refusal(Code.CYCLE, f"{card.id} would rest on itself. It was not amended. Choose other parents.")
    unread = unreadable(tx, {name: number for name, number in numbers.items() if name not in before.parents()}, after.scope)
    hidden = [name for name in wanted if name not in numbers or name in unread]
    if hidden:
        raise Refusal(Code.MISSING_PARENT, f"{card.id} would rest on {hidden[0]}, which does not exist. It was not amended.")
