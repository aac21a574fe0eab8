"""Committing exactly what a preview showed: derived again under the lock, compared, written, or refused (DESIGN section 5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from store.actions.corrections import open_case
from store.db.claim_store import ClaimStore
from store.db.commits import write_impact
from store.db.content import rewrite_content
from store.db.corrections import join_corrections
from store.db.decisions import need_reason, note_decision
from store.db.declarations import list_person_ids
from store.db.impacts import Remembered, find_event, hidden_scopes, mark_committed, recall, work_out
from store.db.keys import Numbers
from store.db.records import find_card, load_cards, load_content, load_ids
from store.db.rehearsals import note_rehearsals_committed
from store.db.stays import say_why
from store.db.transaction import Writing, write
from store.domain.corrections import NewCase
from store.domain.errors import Code, Refusal
from store.domain.impact import Impact, compare_rows
from store.domain.people import Right
from store.domain.plans import Plan, Verb, check_plan
from store.domain.records import Artifact
from store.domain.snapshot import ANSWERS, OK, Snapshot
from store.domain.status import Kind, Status
from store.domain.times import format_time


def commit_plan(
    store: ClaimStore, person: str, tenant: str, plan: Plan, fingerprint: str, reason: str | None, *, operation: str | None = None,
    owners: Mapping[str, str] | None = None, waived: Mapping[str, str] | None = None, correction: str | None = None, opens: NewCase | None = None,
    authenticated: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Carry out `plan` if it still does what the preview with this fingerprint showed.

    Args:
        owners: artifact -> the person who is to own it from now on; `waived`: artifact -> why it needs none.
        correction: id of the open correction this belongs to; a plan about the sources of open corrections joins them by itself.
        opens: a correction of the sources of the plan's roots that is opened together with it.

    Returns:
        `{"receipt", "changed", "event", "notices", …}`, and `correction`, the id of the one that was opened.

    Raises:
        Refusal: `stale_preview` with what was added, removed and changed; `unknown_preview`; `already_decided`;
            `incomplete_preview` while an artifact without owner is neither given one nor waived.
    """
    check_plan(plan)
    if plan.verb is Verb.ERASE:
        raise Refusal(Code.BAD_VALUE, "Forgetting is requested, not committed. Nothing was changed. Use: erase request ID… --reason R, then erase run REQUEST.")
    words: list[Any] = [plan.to_json(), fingerprint, reason, dict(owners or {}), dict(waived or {}), *([correction] if correction or opens else [])]
    if opens:
        words.append(opens.words())
    with write(store, person, tenant, plan.verb.value, words, operation=operation, authenticated=authenticated) as tx:
        if tx.repeated is None:
            tx.reason = need_reason(reason)
            seen = _recall(tx, plan, fingerprint)
            snapshot, impact = _work_out_again(tx, plan, seen)
            if impact.fingerprint != fingerprint:
                raise _stale(tx, snapshot, impact, seen)
            if plan.verb is Verb.SETTLE and not impact.intent.settled:
                raise Refusal(Code.BAD_VALUE, "This plan settles none of the conflicts it names. Nothing was changed. Choose another rule.")
            if plan.verb is Verb.RESTORE and not len(impact.affected):
                raise _restores_nothing(tx, snapshot, impact)
            snapshot = _settle_owners(tx, snapshot, impact, owners or {}, waived or {})
            changes = write_impact(tx, snapshot, impact, f"{plan.verb.value} {', '.join(plan.roots[:3])}, event {tx.seq}")
            if owners:
                tx.moved = None
            if impact.intent.approve is not None:
                version = load_cards(tx.connection, tx.tenant, [impact.intent.approve])[impact.intent.approve].version
                note_decision(tx, impact.intent.approve, "approve", version, reason=tx.reason)
            mark_committed(tx, fingerprint)
            note_rehearsals_committed(tx, plan)
            case = None if opens is None else open_case(tx, opens, plan)
            settled = impact.affected.records[impact.affected.old == Status.STALE]
            join_corrections(tx, plan, impact.intent.roots, snapshot, settled, named=correction)
            tx.result = {
                "receipt": f"{tenant}-{tx.seq}", "changed": len(impact.affected), "event": tx.seq, "predicted": len(impact.affected),
                "conflicts_opened": list(changes.opened), "conflicts_dissolved": list(changes.dissolved),
                "foreseen": _foreseen(impact),
                **({"settled": len(impact.intent.settled), "left": len(impact.intent.left)} if plan.verb is Verb.SETTLE else {}),
                "notices": len(impact.notices), "delivered": len(impact.delivered), "answers": len(impact.keys), "sample": _sample(impact),
                **{name: impact.extra[name] for name in ("created", "evidence", "candidates") if name in impact.extra}, **({"correction": case} if case else {}),
            }  # fmt: skip
    return tx.repeated if tx.repeated is not None else tx.result


def _sample(impact: Impact) -> list[list[Any]]:
    """Return (number of the claim key, answer before, answer after) of three answers that changed, those that were served first."""
    order = [*np.flatnonzero(impact.before == OK)[:3].tolist(), *np.flatnonzero(impact.before != OK)[:3].tolist()][:3]
    return [[int(impact.keys[n]), ANSWERS[int(impact.before[n])], ANSWERS[int(impact.after[n])]] for n in order]


def _foreseen(impact: Impact) -> dict[str, int]:
    """Return the counts that the result is held against later, as the preview showed them."""
    return {
        "opened": len(impact.opened), "dissolved": len(impact.dissolved), "changed": len(impact.changed), "notices": len(impact.notices),
        "stale": int((impact.affected.new == Status.STALE).sum()),
    }  # fmt: skip


def _recall(tx: Writing, plan: Plan, fingerprint: str) -> Remembered:
    seen = recall(tx.connection, tx.tenant, fingerprint)
    if seen is None:
        raise Refusal(Code.UNKNOWN_PREVIEW, "No preview with this fingerprint is remembered. Nothing was changed. Preview again.")
    if seen.committed_seq is not None:
        who, at = find_event(tx.connection, tx.tenant, seen.committed_seq)
        raise Refusal(
            Code.ALREADY_DECIDED, f"{who} committed this very preview at {format_time(at)}, as event {seen.committed_seq}. Nothing more was changed.",
            event=seen.committed_seq, by=who,
        )  # fmt: skip
    if seen.plan != plan.text():
        raise Refusal(Code.UNKNOWN_PREVIEW, "This fingerprint belongs to another plan. Nothing was changed. Preview this one.")
    return seen


def _work_out_again(tx: Writing, plan: Plan, seen: Remembered) -> tuple[Snapshot, Impact]:
    try:
        return work_out(tx, tx.tenant, plan)
    except Refusal as refusal:
        if refusal.code in (Code.NOT_ALLOWED, Code.NOT_FOUND):
            raise
        raise Refusal(
            Code.STALE_PREVIEW, f"Since the preview the plan became impossible: {refusal.message} Preview again.",
            added=[], removed=[], changed=list(plan.roots), revision=seen.revision,
        ) from refusal  # fmt: skip


def _restores_nothing(tx: Writing, snapshot: Snapshot, impact: Impact) -> Refusal:
    """Return the refusal of a plan that restores nothing, with the first cause that somebody may read."""
    hidden = hidden_scopes(tx.connection, tx.tenant, tx.actor)
    stays = [record for record in sorted(impact.intent.stays) if snapshot.columns.scope[record] not in hidden]
    # What waits for another says less than what that other waits for.
    first = next((record for record in stays if impact.intent.stays[record].why != "waits"), None)
    because = ""
    if first is not None:
        because = f" {load_ids(tx.connection, tx.tenant, [first])[first]} {say_why(tx, tx.tenant, snapshot, impact, [first])[first]}."
    return Refusal(
        Code.BAD_VALUE, f"This plan restores nothing: everything below stays stale for other causes.{because} Nothing was changed. Look at each, and confirm it.",
    )  # fmt: skip


def _stale(tx: Writing, snapshot: Snapshot, impact: Impact, seen: Remembered) -> Refusal:
    hidden = hidden_scopes(tx.connection, tx.tenant, tx.actor)
    added, removed, changed = (
        [record for record in records if snapshot.columns.scope[record] not in hidden] for records in compare_rows(seen.rows, impact, snapshot)
    )
    ids = load_ids(tx.connection, tx.tenant, [*added[:1000], *removed[:1000], *changed[:1000]])
    named = {name: [ids[number] for number in numbers[:1000]] for name, numbers in (("added", added), ("removed", removed), ("changed", changed))}
    total = len(added) + len(removed) + len(changed)
    parts = [f"{len(numbers):,} {what}" for what, numbers in (("added", added), ("gone", removed), ("changed", changed)) if numbers]
    what = ", ".join(parts) or "deliveries, conflicts or the policy changed"
    first = next((record for record in (*named["added"], *named["changed"], *named["removed"])), None)
    which = f", such as {first}" if first else ""
    return Refusal(
        Code.STALE_PREVIEW, f"What this plan does has changed since the preview: {what}{which}. Nothing was changed. Preview again.",
        **named, total=total, revision=seen.revision,
    )  # fmt: skip


def unowned(snapshot: Snapshot, impact: Impact) -> list[int]:
    """Return the artifacts in the impact that nobody owns: affected ones and delivered ones."""
    columns, affected = snapshot.columns, impact.affected.records
    found = np.unique(np.concatenate([affected[columns.kind[affected] == Kind.ARTIFACT], impact.delivered]))
    nobody: list[int] = found[columns.owner[found] == 0].tolist()
    return nobody


def _settle_owners(tx: Writing, snapshot: Snapshot, impact: Impact, owners: Mapping[str, str], waived: Mapping[str, str]) -> Snapshot:
    """Give artifacts without owner one, or take the waiver; return the snapshot with those owners."""
    numbers, owner_column = Numbers(tx.connection, tx.tenant), snapshot.columns.owner.copy()
    cards = load_cards(tx.connection, tx.tenant, unowned(snapshot, impact))
    # Nobody can be asked about rows they may not see; those are in the totals of every preview all the same.
    seen = [card for card in cards.values() if tx.actor.may(Right.INSPECT, card.scope)]
    open_questions = [card.id for card in seen if card.id not in owners and card.id not in waived]
    if open_questions:
        raise Refusal(
            Code.INCOMPLETE_PREVIEW,
            f"Nobody owns {', '.join(open_questions[:5])}, so nobody would be told. Nothing was changed. Name an owner, or waive it with a reason.",
            open_questions=open_questions,
        )
    for record_id, why in waived.items():
        if not why.strip():
            raise Refusal(Code.BAD_VALUE, f"Waiving an owner for {record_id} needs a reason. Nothing was changed. Say why nobody needs to be told.")
    known = list_person_ids(tx.connection, tx.tenant)
    for record_id, owner in owners.items():
        card = find_card(tx.connection, tx.tenant, record_id)
        if card is None or card not in seen:
            raise Refusal(Code.BAD_VALUE, f"{record_id} is no artifact without owner in this preview. Nothing was changed.")
        if owner not in known:
            raise Refusal(Code.UNKNOWN_PERSON, f"{tx.tenant_name} has no person {owner!r} who could own {record_id}. Nothing was changed.")
        before = load_content(tx.connection, tx.tenant, card)
        assert isinstance(before, Artifact)
        after = replace(before, owner=owner)
        inside = card.number in set(impact.affected.records.tolist())
        rewrite_content(tx, card, before, after, numbers=numbers, bump=not inside)
        owner_column[card.number] = numbers.party(owner) or 0
    if waived:
        tx.reason = f"{tx.reason} (without owner: {'; '.join(f'{one}, because {why}' for one, why in sorted(waived.items()))})"
    return replace(snapshot, columns=replace(snapshot.columns, owner=owner_column)) if owners else snapshot
