"""Plans kept under a name: saving, renaming, bringing up to date, handing over and removing them. No record is written."""

from __future__ import annotations

from typing import Any

from store.db.claim_store import ClaimStore
from store.db.corrections import find_visible_case
from store.db.decisions import need_reason
from store.db.impacts import remember_in
from store.db.intents import Planner
from store.db.rehearsals import SavedPlan, change_saved, find_saved, insert_saved, refresh_saved
from store.db.rehearsing import scopes_of_plan, see, work_out_looking
from store.db.transaction import Writing, load_actor, write
from store.domain.errors import Code, Refusal, not_found
from store.domain.impact import pack_rows
from store.domain.people import Actor, Right
from store.domain.plans import Plan, Verb, check_plan
from store.domain.text import find_forbidden, is_blank

#: Characters of a name at most.
LONGEST_NAME = 120


def save_rehearsal(
    store: ClaimStore, person: str, tenant: str, plan: Plan, name: str, *, fingerprint: str | None = None, correction: str | None = None,
    operation: str | None = None, authenticated: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Keep a plan under a name, with what it does now. Whoever may look at the plan may keep it.

    Args:
        fingerprint: of the preview that was seen; what the plan does has to be that still.
        correction: id of the open correction it belongs to.

    Returns:
        `{"rehearsal": id, "fingerprint", "event"}`.

    Raises:
        Refusal: `stale_preview` when it does something else by now; the name is empty; what `preview_plan` refuses.
    """
    check_plan(plan)
    if plan.verb is Verb.ERASE:
        raise Refusal(Code.BAD_VALUE, "A plan to forget is not kept. Nothing was saved. Use: erase request ID… --reason R.")
    words = [name, plan.to_json(), fingerprint, correction]
    with write(store, person, tenant, "save rehearsal", words, operation=operation, authenticated=authenticated) as tx:
        if tx.repeated is None:
            shown = _need_name(name)
            case = _find_case(tx, correction)
            snapshot, impact, why_not = work_out_looking(tx, tx.tenant, plan)
            if fingerprint is not None and impact.fingerprint != fingerprint:
                raise Refusal(Code.STALE_PREVIEW, "What this plan does has changed since you looked. It was not saved. Preview again, then save it.")
            seen, scopes = see(tx, tx.tenant, snapshot, impact), scopes_of_plan(tx, tx.tenant, snapshot, impact)
            saved = insert_saved(tx, shown, plan, case, seen, pack_rows(impact, snapshot), impact.fingerprint, scopes)
            if why_not is None:
                remember_in(tx, snapshot, impact)
            tx.result = {"rehearsal": saved, "fingerprint": impact.fingerprint, "event": tx.seq}
    return tx.repeated if tx.repeated is not None else tx.result


def refresh_rehearsal(
    store: ClaimStore, person: str, tenant: str, rehearsal_id: str, *, operation: str | None = None, authenticated: bool = False
) -> dict[str, Any]:  # fmt: skip
    """Keep what a rehearsal does now instead of what it did when it was saved."""
    with write(store, person, tenant, "refresh rehearsal", [rehearsal_id], operation=operation, authenticated=authenticated) as tx:
        if tx.repeated is None:
            saved = _find_open(tx, rehearsal_id, "brought up to date")
            _need_holder(tx, saved, "brought up to date")
            snapshot, impact, _ = work_out_looking(tx, tx.tenant, saved.plan)
            seen, scopes = see(tx, tx.tenant, snapshot, impact), scopes_of_plan(tx, tx.tenant, snapshot, impact)
            refresh_saved(tx, saved.number, seen, pack_rows(impact, snapshot), impact.fingerprint, scopes)
            tx.result = {"rehearsal": saved.id, "fingerprint": impact.fingerprint, "event": tx.seq}
    return tx.repeated if tx.repeated is not None else tx.result


def rename_rehearsal(
    store: ClaimStore, person: str, tenant: str, rehearsal_id: str, name: str, *, operation: str | None = None, authenticated: bool = False
) -> dict[str, Any]:  # fmt: skip
    """Give one's own rehearsal another name."""
    with write(store, person, tenant, "rename rehearsal", [rehearsal_id, name], operation=operation, authenticated=authenticated) as tx:
        if tx.repeated is None:
            saved = find_saved(tx.connection, tx.tenant, rehearsal_id, tx.actor)
            _need_author(tx, saved, "renamed")
            change_saved(tx, saved.number, name=_need_name(name))
            tx.result = {"rehearsal": saved.id, "event": tx.seq}
    return tx.repeated if tx.repeated is not None else tx.result


def remove_rehearsal(
    store: ClaimStore, person: str, tenant: str, rehearsal_id: str, *, operation: str | None = None, authenticated: bool = False
) -> dict[str, Any]:  # fmt: skip
    """Take one's own rehearsal off every list; what it did stays in no list, what was committed stays committed."""
    with write(store, person, tenant, "remove rehearsal", [rehearsal_id], operation=operation, authenticated=authenticated) as tx:
        if tx.repeated is None:
            saved = find_saved(tx.connection, tx.tenant, rehearsal_id, tx.actor)
            _need_author(tx, saved, "removed")
            change_saved(tx, saved.number, removed_at=tx.at)
            tx.result = {"rehearsal": saved.id, "event": tx.seq}
    return tx.repeated if tx.repeated is not None else tx.result


def hand_over(
    store: ClaimStore, person: str, tenant: str, rehearsal_id: str, to: str, why: str | None, *, operation: str | None = None,
    authenticated: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Give a rehearsal to somebody who is to commit it; they need the right to.

    Raises:
        Refusal: `unknown_person`, also for somebody without a role here; `not_allowed`: they could not commit it.
    """
    with write(store, person, tenant, "hand over rehearsal", [rehearsal_id, to, why], operation=operation, authenticated=authenticated) as tx:
        if tx.repeated is None:
            saved = _find_open(tx, rehearsal_id, "handed over")
            _need_holder(tx, saved, "handed over")
            reason = need_reason(why)
            receiver = _find_receiver(tx, to)
            if receiver.id == (saved.handed_to or saved.saved_by):
                raise Refusal(Code.BAD_VALUE, f"{receiver.name} has this rehearsal already. Nothing was handed over. Choose somebody else.")
            _need_able(tx, saved, receiver)
            change_saved(tx, saved.number, handed_to=receiver.id, handed_by=tx.actor.id, handed_why=reason, handed_at=tx.at)
            tx.reason = reason
            tx.result = {"rehearsal": saved.id, "handed_to": receiver.id, "event": tx.seq}
    return tx.repeated if tx.repeated is not None else tx.result


def _need_name(name: str) -> str:
    shown = " ".join(name.split())
    if is_blank(shown):
        raise Refusal(Code.BAD_VALUE, "A rehearsal needs a name. Nothing was saved. Write a few words.")
    if len(shown) > LONGEST_NAME:
        raise Refusal(Code.BAD_VALUE, f"The name has {len(shown):,} characters; at most {LONGEST_NAME} are kept. Nothing was saved. Shorten it.")
    if find_forbidden(shown):
        raise Refusal(Code.BAD_VALUE, "The name holds a character no store can keep. Nothing was saved. Type it again.")
    return shown


def _find_case(tx: Writing, correction: str | None) -> int | None:
    if correction is None:
        return None
    case = find_visible_case(tx.connection, tx.tenant, tx.actor, correction)
    if case is None:
        raise not_found(correction)
    if case.closed_at is not None:
        raise Refusal(Code.BAD_VALUE, f"The correction {correction} is closed. Nothing was saved. Save the rehearsal without it.")
    return case.number


def _find_open(tx: Writing, rehearsal_id: str, what: str) -> SavedPlan:
    saved = find_saved(tx.connection, tx.tenant, rehearsal_id, tx.actor)
    if saved.committed_seq is not None:
        raise Refusal(
            Code.ALREADY_DECIDED, f"This plan was committed as event {saved.committed_seq}, so it was not {what}.", event=saved.committed_seq
        )
    return saved


def _need_author(tx: Writing, saved: SavedPlan, what: str) -> None:
    if tx.actor.id != saved.saved_by:
        raise Refusal(Code.NOT_ALLOWED, f"Somebody else saved this rehearsal, so it was not {what}. Only whoever saved it may do that.")


def _need_holder(tx: Writing, saved: SavedPlan, what: str) -> None:
    if tx.actor.id in (saved.saved_by, saved.handed_to):
        return
    if not all(tx.actor.may(Right.DECIDE, scope) for scope in saved.scopes):
        raise Refusal(Code.NOT_ALLOWED, f"This rehearsal was not {what}. That is for whoever saved it, has it, or decides in its scope.")


def _find_receiver(tx: Writing, to: str) -> Actor:
    try:
        found = load_actor(tx.connection, to, authenticated=False)
    except Refusal:
        found = None
    if found is None or not found.works_in(tx.tenant_name):
        raise Refusal(Code.UNKNOWN_PERSON, f"There is no {to[:80]!r} in {tx.tenant_name}. Nothing was handed over. Choose somebody else.")
    return found


def _need_able(tx: Writing, saved: SavedPlan, receiver: Actor) -> None:
    """Refuse unless the receiver could commit the plan as it stands."""
    try:
        Planner(tx.connection, tx.tenant, receiver, tx.at, tx.snapshot).work_out(saved.plan)
    except Refusal as refusal:
        if refusal.code in (Code.NOT_ALLOWED, Code.NOT_FOUND):
            raise Refusal(
                Code.NOT_ALLOWED, f"{receiver.name} may not decide on what this plan changes, so they could not commit it. Nothing was handed over. Choose somebody else."
            ) from None
        raise Refusal(refusal.code, f"This plan cannot be carried out any more, so it was not handed over. {refusal.message}") from None
