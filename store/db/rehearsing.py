"""Working a plan out for whoever looks, and whether what it did when it was kept is what it would still do."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import Any

import numpy as np
import sqlalchemy as sa

from store.db import tables as t
from store.db.impacts import derive, work_out
from store.db.keys import load_parties, load_scopes
from store.db.plan_lists import LookingPlanner
from store.db.transaction import Reading
from store.domain.aftermath import Seen, concerned, split_fallen
from store.domain.errors import Code, Refusal
from store.domain.impact import Impact
from store.domain.plans import Plan
from store.domain.snapshot import Snapshot

_KEPT = 512
#: (store, tenant, event, person, roles, fingerprint) -> whether a plan changed, and why it became impossible.
_compared: OrderedDict[tuple[object, ...], tuple[bool, str | None]] = OrderedDict()
_lock = Lock()


def work_out_looking(reading: Reading, number: int, plan: Plan) -> tuple[Snapshot, Impact, str | None]:
    """Return the snapshot, the impact of a plan, and why the person may not commit it; None where they may.

    Raises:
        Refusal: something named is not there, is no legal step, or may not even be looked at.
    """
    try:
        return *work_out(reading, number, plan), None
    except Refusal as refusal:
        if refusal.code is not Code.NOT_ALLOWED:
            raise
        try:
            intent = LookingPlanner(reading.connection, number, reading.actor, reading.at, reading.snapshot).work_out(plan)
        except Refusal as other:
            if other.code is Code.NOT_FOUND:  # who may not even look is told that the right is missing, and no more
                raise refusal from None
            raise
        return *derive(reading, number, intent), refusal.message


def is_changed(reading: Reading, number: int, seq: int, plan: Plan, fingerprint: str, *, patient: bool = True) -> tuple[bool | None, str | None]:
    """Return whether a plan would do something else by now than under a fingerprint, and why it became impossible.

    It is worked out once per event and person. None where that was not done yet and there is no patience for it, and where
    the person may not look at it.
    """
    key = (f"{reading.store.lineage}:{reading.store.url}", number, seq, reading.actor.id, reading.actor.roles, fingerprint)
    with _lock:
        known = _compared.get(key)
    if known is not None or not patient:
        return known or (None, None)
    try:
        result: tuple[bool, str | None] = (work_out_looking(reading, number, plan)[1].fingerprint != fingerprint, None)
    except Refusal as refusal:
        if refusal.code is Code.NOT_ALLOWED:
            return None, None
        result = (True, refusal.message)
    with _lock:
        _compared[key] = result
        while len(_compared) > _KEPT:
            _compared.popitem(last=False)
    return result


def see(reading: Reading, number: int, snapshot: Snapshot, impact: Impact) -> Seen:
    """Return what there is to see of an impact, as it is kept with a rehearsal."""
    affected, columns = impact.affected, snapshot.columns
    rows = np.stack([affected.records, columns.version[affected.records], columns.status[affected.records], affected.new], axis=1)
    rows = rows[np.argsort(rows[:, 0])].astype(np.int64)
    by_hand, together = split_fallen(impact, snapshot)
    names = load_parties(reading.connection, number)
    owners: dict[str, tuple[int, ...]] = {}
    for record in concerned(snapshot, impact).tolist():
        owner = int(columns.owner[record])
        if owner:
            owners[names[owner]] = (*owners.get(names[owner], ()), record)
    policy = reading.connection.execute(sa.select(t.tenant.c.policy_version).where(t.tenant.c.tenant == number)).scalar_one()
    intent = impact.intent
    return Seen(
        rows, tuple(impact.candidates.tolist()),
        {key: (was, now) for key, was, now in zip(impact.keys.tolist(), impact.before.tolist(), impact.after.tolist(), strict=True)},
        tuple((one.record, one.edition, one.recipient, one.channel) for one in impact.notices), impact.opened, impact.dissolved, impact.changed,
        tuple(impact.delivered.tolist()), tuple(by_hand.tolist()), tuple(together.tolist()), owners,
        len(intent.plan.values) + (intent.created is not None), len(intent.settled), len(intent.left), policy, impact.complete,
    )  # fmt: skip


def scopes_of_plan(reading: Reading, number: int, snapshot: Snapshot, impact: Impact) -> list[str]:
    """Return the scopes a plan is decided in: those of its roots and of the conflicts it settles."""
    intent = impact.intent
    direct = [*intent.roots, *intent.becomes, *(item.record for item in intent.narrowed)]
    numbers = set(snapshot.columns.scope[np.array(direct, dtype=np.int64)].tolist()) if direct else set()
    numbers |= {int(snapshot.keys.scope[one.key]) for one in intent.settled}
    paths: dict[int, Any] = load_scopes(reading.connection, number)
    return sorted({paths[one] for one in numbers} | ({intent.plan.scope} if intent.plan.scope else set()))
