"""Changing how the values of a predicate are compared: what that makes of every claim it applies to, and writing it (R13)."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.bulk import chunks
from store.db.conflicts import CLOSED
from store.db.declarations import save_predicate
from store.db.keys import load_predicates, nearest_predicate
from store.db.transaction import Writing
from store.domain.declaring import redeclare
from store.domain.errors import Code, Refusal
from store.domain.people import Actor, Right
from store.domain.plans import Intent, Plan, Recast
from store.domain.scopes import covers, tenant_of
from store.domain.snapshot import Snapshot
from store.domain.strict_json import BadLine
from store.domain.text import canonical_json
from store.domain.tolerance import read_near
from store.domain.values import Predicate, value_code


def plan_comparison(connection: Connection, tenant: int, actor: Actor, plan: Plan) -> Intent:
    """Return what a plan makes of every claim to which the declaration it changes applies.

    Raises:
        Refusal: `not_allowed`; `bad_value` where nothing would change, or the parts do not fit together.
    """
    name, scope = plan.roots[0], plan.scope or ""
    place = connection.execute(sa.select(t.tenant.c.name).where(t.tenant.c.tenant == tenant)).scalar_one()
    if tenant_of(scope) != place:
        raise Refusal(Code.BAD_VALUE, f"{scope} is no scope of {place}. Nothing was changed.")
    actor.need(Right.ADMINISTER, scope, f"change how {name} is compared")
    declared = load_predicates(connection, tenant)
    before = declared.get((scope, name))
    # Declared here for the first time, it goes on as it was for what the plan does not mention.
    try:
        after = redeclare(before or replace(nearest_predicate(declared, scope, name), scope=scope), plan.comparison)
    except BadLine as bad:
        raise Refusal(Code.BAD_VALUE, f"{bad.message[:1].upper()}{bad.message[1:]}. Nothing was changed.") from None
    if after == before:
        raise Refusal(Code.BAD_VALUE, f"{name} is compared that way in {scope} already. Nothing was changed.")
    declared[scope, name] = after
    return Intent(plan, recast=_recast(connection, tenant, before, after, declared))


def _recast(connection: Connection, tenant: int, before: Predicate | None, after: Predicate, declared: dict[tuple[str, str], Predicate]) -> Recast:
    keys = _keys_under(connection, tenant, after, declared)
    recast = Recast(before, after, frozenset(keys))
    r, c = t.record, t.claim
    query = sa.select(r.c.record, r.c.value_code, c.c.value).join(c, (c.c.tenant == r.c.tenant) & (c.c.record == r.c.record))
    for some in chunks(sorted(keys)):
        for record, code, text in connection.execute(query.where(r.c.tenant == tenant, r.c.key.in_(some))):
            value = json.loads(text)
            new = value_code(value, after)
            recast.claims += 1
            if new != code:
                recast.codes[record] = new
            near = read_near(value, after)
            if near is not None:
                recast.near[record] = near
    return recast


def _keys_under(connection: Connection, tenant: int, after: Predicate, declared: dict[tuple[str, str], Predicate]) -> list[int]:
    """Return the claim keys for which this declaration is the nearest."""
    k, s = t.claim_key, t.scope
    query = sa.select(k.c.key, s.c.path).join(s, (s.c.tenant == k.c.tenant) & (s.c.scope == k.c.scope))
    rows = connection.execute(query.where(k.c.tenant == tenant, k.c.predicate == after.name))
    return [key for key, path in rows if covers(after.scope, path) and nearest_predicate(declared, path, after.name).scope == after.scope]


def write_recast(tx: Writing, snapshot: Snapshot, recast: Recast) -> set[int]:
    """Write a declaration and what follows from it, and return the keys that have claims with another code now."""
    save_predicate(tx, recast.after)
    k, r = t.claim_key, t.record
    for some in chunks(sorted(recast.keys)):
        tx.connection.execute(sa.update(k).where(k.c.tenant == tx.tenant, k.c.key.in_(some)).values(many=recast.after.many))
    rows: list[dict[str, Any]] = [{"number": record, "code": code} for record, code in sorted(recast.codes.items())]
    if rows:
        update = sa.update(r).where(r.c.tenant == tx.tenant, r.c.record == sa.bindparam("number")).values(value_code=sa.bindparam("code"))
        tx.connection.execute(update, rows)
    tx.raise_policy_version()
    columns = snapshot.columns
    renamed: dict[int, dict[int, int | None]] = {}
    for record, new in recast.codes.items():
        status = int(columns.status[record])
        tx.note_history(record, status, status, int(columns.version[record]))
        renamed.setdefault(int(columns.key[record]), {})[int(columns.value[record])] = new
    _sign_again(tx, renamed)
    return set(renamed)


def _sign_again(tx: Writing, renamed: dict[int, dict[int, int | None]]) -> None:
    """Let closed conflicts be known again by the codes their values have now, so that earlier verdicts are still offered."""
    c = t.conflict
    query = sa.select(c.c.conflict, c.c.key, c.c.signature).where(c.c.tenant == tx.tenant, c.c.state == CLOSED, c.c.signature.is_not(None))
    rows: list[dict[str, Any]] = []
    for some in chunks(sorted(renamed)):
        for number, key, text in tx.connection.execute(query.where(c.c.key.in_(some))).all():
            codes = {renamed[key].get(code, code) for code in json.loads(text)}
            rows.append({"number": number, "signed": canonical_json(sorted(code for code in codes if code is not None))})
    if rows:
        update = sa.update(c).where(c.c.tenant == tx.tenant, c.c.conflict == sa.bindparam("number")).values(signature=sa.bindparam("signed"))
        tx.connection.execute(update, rows)
