"""Writing a recapture: the new version, what is carried over to it in set statements, and the candidates with new values (R21)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import sqlalchemy as sa

from store.db import tables as t
from store.db.bulk import chunks, insert_rows
from store.db.content import NewRecords, origins
from store.db.keys import Numbers
from store.db.plan_files import forget_files
from store.db.records import find_numbers, load_shas
from store.db.transaction import Writing
from store.domain.impact import Impact
from store.domain.recaptured import Carried, Recaptured
from store.domain.snapshot import Snapshot
from store.domain.status import Status
from store.domain.text import canonical_json


def write_recapture(tx: Writing, snapshot: Snapshot, impact: Impact, numbers: Numbers) -> dict[int, int]:
    """Write the new version and all that rests on it then; return old version -> the version that follows it.

    Statuses are moved by the rest of the commit; what keeps its status gets its new version number here.
    """
    recaptured = impact.intent.recaptured
    assert recaptured is not None
    target = _write_new(tx, recaptured, numbers)
    _carry_over(tx, recaptured.carried, target)
    moving = set(impact.affected.records.tolist())
    for status in sorted({one.status for one in recaptured.carried}):
        staying = [one.record for one in recaptured.carried if one.status is status and one.record not in moving]
        tx.move_many(snapshot, np.array(staying, dtype=np.int64), status, status)
    if impact.intent.plan.file is not None:
        forget_files(tx.connection, tx.tenant, [impact.intent.plan.file], but=impact.fingerprint)
    impact.extra["evidence"] = recaptured.evidence.id
    impact.extra["candidates"] = [claim.id for claim, _ in recaptured.proposed]
    return {old: target for old in recaptured.olds if impact.status_after[old] == Status.SUPERSEDED}


def _write_new(tx: Writing, recaptured: Recaptured, numbers: Numbers) -> int:
    """Write the new version, where it is not there yet, and the candidates; return the version's number."""
    claims = [claim for claim, _ in recaptured.proposed]
    made = recaptured.target is None
    first = tx.allocate(made + len(claims))
    target = recaptured.target if recaptured.target is not None else first
    named = sorted({parent for claim in claims for parent in claim.parents()} - {recaptured.evidence.id})
    ids = {**find_numbers(tx.connection, tx.tenant, named), recaptured.evidence.id: target}
    new = NewRecords(tx, numbers, {**load_shas(tx.connection, tx.tenant, named), recaptured.evidence.id: recaptured.evidence.sha256})
    new.prepare_keys(claims)
    if made:
        evidence = replace(recaptured.evidence, captured_at=tx.at)
        new.add(target, evidence, Status.ACCEPTED, {}, scope=recaptured.scope, source=recaptured.source, ids={})
    for number, claim in enumerate(claims, first + made):
        new.add(number, claim, Status.CANDIDATE, origins(claim, ids), scope=claim.scope, ids=ids)
    if made or claims:
        new.flush()
    return target


def _carry_over(tx: Writing, carried: list[Carried], target: int) -> None:
    """Let records rest on the new version where they rested on old ones, and keep the content they had."""
    if not carried:
        return
    b, r, connection = t.binding, t.record, tx.connection
    bindings = [
        {"of": one.record, "place": n, "evidence": target, "span": None if to.span is None else canonical_json(to.span), "quote": to.quote}
        for one in carried
        for n, to in one.bindings
    ]
    if bindings:
        where = (b.c.tenant == tx.tenant, b.c.record == sa.bindparam("of"), b.c.n == sa.bindparam("place"))
        connection.execute(sa.update(b).where(*where), bindings)
    rows = [{"of": one.record, "content_hash": one.content_hash} for one in carried]
    connection.execute(sa.update(r).where(r.c.tenant == tx.tenant, r.c.record == sa.bindparam("of")), rows)
    kept = ((tx.tenant, one.record, one.version, tx.seq, one.hash_before, canonical_json(one.before.to_line())) for one in carried)
    insert_rows(connection, t.replaced_content, ("tenant", "record", "version", "seq", "content_hash", "line"), kept)
    _move_dependencies(tx, carried, target)


def _move_dependencies(tx: Writing, carried: list[Carried], target: int) -> None:
    """Move what was bound, declared or observed of old versions to the new one."""
    d = t.dependency
    leaves = {one.record: set(one.leaves) for one in carried}
    origin: dict[int, int] = {}
    for some in chunks(sorted(leaves)):
        query = sa.select(d.c.child, d.c.parent, d.c.origin).where(d.c.tenant == tx.tenant, d.c.child.in_(some))
        for child, parent, bits in tx.connection.execute(query):
            if parent in leaves[child] or parent == target:
                origin[child] = origin.get(child, 0) | bits
    gone = [{"from": parent, "of": child} for child, parents in leaves.items() for parent in sorted({*parents, target})]
    where = (d.c.tenant == tx.tenant, d.c.parent == sa.bindparam("from"), d.c.child == sa.bindparam("of"))
    tx.connection.execute(sa.delete(d).where(*where), gone)
    insert_rows(tx.connection, d, ("tenant", "parent", "child", "origin"), ((tx.tenant, target, child, bits) for child, bits in sorted(origin.items())))
