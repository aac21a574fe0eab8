"""Writing what an impact says: statuses, content, conflicts, successors and notices, inside one transaction."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.bulk import chunks
from store.db.comparing import write_recast
from store.db.conflicts import ConflictChanges, refresh_conflicts
from store.db.content import NewRecords, origins, parent_numbers, rewrite_content
from store.db.decisions import add_contributor
from store.db.keys import Numbers
from store.db.questions import CONFLICT, find_asked, insert_question
from store.db.recaptures import write_recapture
from store.db.records import load_cards, load_shas
from store.db.snapshots import load_open_conflicts
from store.db.transaction import Writing
from store.db.triggers import add_fired, dismiss_fired
from store.domain.errors import Refusal
from store.domain.impact import Impact
from store.domain.plans import Answer, Settled
from store.domain.snapshot import Columns, Snapshot
from store.domain.status import Status


def write_impact(tx: Writing, snapshot: Snapshot, impact: Impact, cause: str) -> ConflictChanges:
    """Write an impact and return what it did to conflicts."""
    intent, affected = impact.intent, impact.affected
    numbers = Numbers(tx.connection, tx.tenant)
    if intent.recaptured is not None:
        intent.successors |= write_recapture(tx, snapshot, impact, numbers)
    _rebind(tx, impact, numbers)
    pairs = np.unique(affected.old * 16 + affected.new)
    for pair in pairs.tolist():
        old, new = divmod(pair, 16)
        tx.move_many(snapshot, affected.records[(affected.old == old) & (affected.new == new)], old, new)
    cards = load_cards(tx.connection, tx.tenant, [item.record for item in intent.narrowed])
    keys = {*impact.opened, *impact.dissolved, *impact.changed}
    for item in intent.narrowed:
        card = cards[item.record]
        keys.add(card.key or 0)
        rewrite_content(tx, card, item.before, item.after, numbers=numbers, bump=item.record not in intent.becomes)
        keys.add(numbers.key(item.after.scope, item.after.subject, item.after.predicate, item.after.qualifiers))
    if intent.successors:
        tx.connection.execute(sa.delete(t.succession).where(t.succession.c.tenant == tx.tenant, t.succession.c.record.in_(intent.successors)))
        rows = [{"tenant": tx.tenant, "record": old, "successor": new} for old, new in intent.successors.items()]
        tx.connection.execute(sa.insert(t.succession), rows)
    if intent.created is not None:
        _create(tx, numbers, impact)
    recoded = set() if intent.recast is None else write_recast(tx, snapshot, intent.recast)
    changes = refresh_conflicts(tx, (keys | recoded) - {0}, cause, recoded=recoded)
    _settle(tx, impact)
    _save_notices(tx.connection, tx.tenant, tx.seq, impact)
    add_fired(tx, intent.fired)
    dismiss_fired(tx, intent.dismissed, tx.reason)
    if not intent.narrowed and not intent.rebound and intent.created is None and intent.recast is None and intent.recaptured is None:
        tx.moved = _moved(tx, snapshot, impact)
    return changes


def _rebind(tx: Writing, impact: Impact, numbers: Numbers) -> None:
    """Let records rest on other things; whoever decides that becomes a contributor, as with an amendment."""
    rebound = impact.intent.rebound
    cards = load_cards(tx.connection, tx.tenant, [item.record for item in rebound])
    for item in rebound:
        rewrite_content(tx, cards[item.record], item.before, item.after, numbers=numbers, bump=item.record not in impact.intent.becomes)
        add_contributor(tx, item.record, tx.actor.id)


def _create(tx: Writing, numbers: Numbers, impact: Impact) -> None:
    """Propose the claim about another subject, and name it the successor of the side it replaces."""
    assert impact.intent.created is not None
    claim, old = impact.intent.created
    number = tx.allocate(1)
    ids = parent_numbers(tx, claim)
    new = NewRecords(tx, numbers, load_shas(tx.connection, tx.tenant, ids))
    # The other subject may be one the store knows: its key is there then, and must not be made again.
    new.prepare_keys([claim])
    new.add(number, claim, Status.CANDIDATE, origins(claim, ids), scope=claim.scope, ids=ids)
    new.flush()
    tx.connection.execute(sa.insert(t.succession), {"tenant": tx.tenant, "record": old, "successor": number})
    impact.extra["created"] = claim.id


def _settle(tx: Writing, impact: Impact) -> None:
    """Keep the verdicts with the conflicts they settled, or the question with those they leave open."""
    settled, c, side = impact.intent.settled, t.conflict, t.conflict_side
    if not settled:
        return
    update = sa.update(c).where(c.c.tenant == tx.tenant, c.c.conflict == sa.bindparam("number"))
    asked = [one for one in settled if one.verdict is Answer.UNCLEAR]
    if asked:
        tx.connection.execute(update.values(question=tx.reason, asked=tx.actor.id), [{"number": one.number} for one in asked])
        _ask(tx, impact.intent.plan.ask, asked)
    decided = [one for one in settled if one.verdict is not Answer.UNCLEAR]
    if not decided:
        return
    rows = [{"number": one.number, "how": str(one.verdict)} for one in decided]
    tx.connection.execute(update.values(verdict=sa.bindparam("how"), reason=tx.reason), rows)
    known: set[tuple[int, int]] = set()
    for some in chunks([one.number for one in decided]):
        query = sa.select(side.c.conflict, side.c.record).where(side.c.tenant == tx.tenant, side.c.conflict.in_(some))
        known.update((number, record) for number, record in tx.connection.execute(query))
    missing = [
        {"tenant": tx.tenant, "conflict": one.number, "record": record} for one in decided for record in one.sides if (one.number, record) not in known
    ]
    if missing:
        tx.connection.execute(sa.insert(side), missing)


def _ask(tx: Writing, person: str | None, conflicts: Sequence[Settled]) -> None:
    """Put the question to whoever is named, or to each conflict's owner, where that is somebody who may see it.

    Raises:
        Refusal: `unknown_person`: the person named is not there, or may not see one of the conflicts.
    """
    c, k, s = t.conflict, t.claim_key, t.scope
    query = (
        sa.select(c.c.conflict, c.c.owner, s.c.path)
        .join(k, (k.c.tenant == c.c.tenant) & (k.c.key == c.c.key))
        .join(s, (s.c.tenant == k.c.tenant) & (s.c.scope == k.c.scope))
    )
    rows: dict[int, tuple[str | None, str]] = {}
    for some in chunks([one.number for one in conflicts]):
        rows.update((number, (owner, path)) for number, owner, path in tx.connection.execute(query.where(c.c.tenant == tx.tenant, c.c.conflict.in_(some))))
    for one in conflicts:
        owner, path = rows[one.number]
        asked = person or owner
        if asked is None:
            continue
        try:
            find_asked(tx, asked, one.id, path, None)
        except Refusal:
            if person is not None:
                raise
            # Owners of claims need not be people of the store; the question stands with the conflict all the same.
            continue
        insert_question(tx, CONFLICT, one.id, tx.reason or "", asked)


def _save_notices(connection: Connection, tenant: int, seq: int, impact: Impact) -> None:
    rows = [
        {
            "tenant": tenant,
            "seq": seq,
            "n": n,
            "record": notice.record,
            "edition": notice.edition,
            "recipient": notice.recipient,
            "channel": notice.channel,
        }
        for n, notice in enumerate(impact.notices)
    ]
    if rows:
        connection.execute(sa.insert(t.notice), rows)


def _moved(tx: Writing, snapshot: Snapshot, impact: Impact) -> Snapshot:
    """Return the snapshot as this commit leaves it, so that nobody needs to read half a million statuses again."""
    old = snapshot.columns
    status, version = impact.status_after, old.version.copy()
    version[impact.affected.records] += 1
    columns = Columns(
        old.kind, status, version, old.scope, old.owner, old.flags, old.key, old.value, old.has_value, old.valid_from, old.valid_to, old.expires_at,
    )  # fmt: skip
    conflicts = load_open_conflicts(tx.connection, tx.tenant)
    fresh = Snapshot(tx.seq, columns, snapshot.keys, snapshot.graph, snapshot.delivered, conflicts, snapshot.near, snapshot.tolerant)
    fresh._effective_expiry, fresh._by_key, fresh._asked_twice = snapshot._effective_expiry, snapshot._by_key, snapshot._asked_twice  # noqa: SLF001
    fresh._contested = snapshot._contested if fresh.open_conflicts == snapshot.open_conflicts else None  # noqa: SLF001
    return fresh
