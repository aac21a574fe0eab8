"""Conflict objects: opening, changing sides, dissolving and opening again, within a transaction (R10, R11)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.bulk import chunks
from store.db.nearness import near_keys
from store.db.questions import question_lines
from store.db.transaction import Writing
from store.db.withheld import conflict_is_shown
from store.domain.conflicts import Side, live_interval, sides_of_key
from store.domain.records import ConflictEntry
from store.domain.status import DECIDED_AGAINST, FORGOTTEN, LIVE, Status
from store.domain.text import canonical_json
from store.domain.times import format_optional

OPEN, CLOSED = 0, 1


@dataclass(frozen=True, slots=True)
class KeyClaim:
    """A claim of a key, as far as conflicts and answers are concerned."""

    record: int
    id: str
    status: Status
    version: int
    owner: int | None
    side: Side


@dataclass(frozen=True, slots=True)
class OpenConflict:
    """A conflict object that is open."""

    number: int
    id: str
    key: int
    sides: tuple[int, ...]


def claims_of_keys(connection: Connection, tenant: int, keys: Iterable[int]) -> dict[int, list[KeyClaim]]:
    """Return key -> its claims of every status."""
    found: dict[int, list[KeyClaim]] = {}
    r, s = t.record, t.record_state
    columns = (r.c.key, r.c.record, r.c.id, s.c.status, s.c.version, s.c.owner, r.c.value_code, r.c.valid_from, r.c.valid_to, r.c.expires_at)
    query = sa.select(*columns).join(s, (s.c.tenant == r.c.tenant) & (s.c.record == r.c.record)).order_by(r.c.record)
    wanted = sorted(set(keys))
    near = near_keys(connection, tenant, wanted) if wanted else {}
    for some in chunks(wanted):
        for row in connection.execute(query.where(r.c.tenant == tenant, r.c.key.in_(some))):
            side = Side(row.record, row.value_code, *live_interval(row.valid_from, row.valid_to, row.expires_at), near.get(row.record))
            found.setdefault(row.key, []).append(KeyClaim(row.record, row.id, Status(row.status), row.version, row.owner, side))
    return found


def claims_of_key(connection: Connection, tenant: int, key: int) -> list[KeyClaim]:
    """Return the claims of one key."""
    return claims_of_keys(connection, tenant, [key]).get(key, [])


def open_conflicts(connection: Connection, tenant: int, keys: Iterable[int] | None = None) -> dict[int, OpenConflict]:
    """Return key -> open conflict, of the given keys or of all."""
    c, side = t.conflict, t.conflict_side
    query = (
        sa.select(c.c.conflict, c.c.id, c.c.key, side.c.record)
        .join(side, (side.c.tenant == c.c.tenant) & (side.c.conflict == c.c.conflict))
        .where(c.c.tenant == tenant, c.c.state == OPEN)
        .order_by(c.c.conflict, side.c.record)
    )
    rows: list[Any] = []
    if keys is None:
        rows.extend(connection.execute(query))
    else:
        for some in chunks(sorted(set(keys))):
            rows.extend(connection.execute(query.where(c.c.key.in_(some))))
    found: dict[int, OpenConflict] = {}
    for number, conflict_id, key, record in rows:
        known = found.get(key)
        found[key] = OpenConflict(number, conflict_id, key, (*(known.sides if known else ()), record))
    return found


def sides_now(claims: list[KeyClaim], many: bool) -> list[KeyClaim]:
    """Return which claims of a key are in conflict, by the rule alone."""
    if many:
        return []
    live = [claim for claim in claims if claim.status in LIVE]
    records = {side.record for side in sides_of_key([claim.side for claim in live])}
    return [claim for claim in live if claim.record in records]


def many_valued(connection: Connection, tenant: int, keys: Iterable[int]) -> set[int]:
    """Return those of `keys` whose predicate allows many values."""
    found: set[int] = set()
    for some in chunks(sorted(set(keys))):
        found.update(
            connection.execute(
                sa.select(t.claim_key.c.key).where(t.claim_key.c.tenant == tenant, t.claim_key.c.key.in_(some), t.claim_key.c.many)
            ).scalars()
        )
    return found


def value_signature(sides: Iterable[KeyClaim]) -> str:
    """Return the values in contradiction, by which the same conflict is known again."""
    return canonical_json(sorted({side.side.value for side in sides if side.side.value is not None}))


@dataclass(frozen=True, slots=True)
class ConflictChanges:
    """What a transaction did to conflicts: ids of those opened and dissolved."""

    opened: tuple[str, ...]
    dissolved: tuple[str, ...]


def refresh_conflicts(tx: Writing, keys: Iterable[int], cause: str, *, recoded: AbstractSet[int] = frozenset()) -> ConflictChanges:
    """Make the conflict objects of `keys` what the rule says after this transaction's changes.

    Args:
        cause: why a conflict dissolves, if one does.
        recoded: keys whose values are told apart in another way now, although they stayed the same.
    """
    wanted = sorted(set(keys))
    if not wanted:
        return ConflictChanges((), ())
    claims = claims_of_keys(tx.connection, tx.tenant, wanted)
    many = many_valued(tx.connection, tx.tenant, wanted)
    known = open_conflicts(tx.connection, tx.tenant, wanted)
    opened, dissolved = [], []
    for key in wanted:
        sides = sides_now(claims.get(key, []), key in many)
        conflict = known.get(key)
        if sides and conflict is None:
            opened.append(_open(tx, key, sides))
        elif conflict is not None and not sides:
            _close(tx, conflict, cause)
            dissolved.append(conflict.id)
        elif conflict is not None and (key in recoded or tuple(sorted(side.record for side in sides)) != tuple(sorted(conflict.sides))):
            _change_sides(tx, conflict, sides)
    return ConflictChanges(tuple(opened), tuple(dissolved))


def _add_sides(tx: Writing, conflict: int, records: Iterable[int]) -> None:
    rows = [{"tenant": tx.tenant, "conflict": conflict, "record": record} for record in records]
    if rows:
        tx.connection.execute(sa.insert(t.conflict_side), rows)


def _open(tx: Writing, key: int, sides: list[KeyClaim]) -> str:
    c = t.conflict
    number = tx.connection.execute(sa.select(sa.func.coalesce(sa.func.max(c.c.conflict), 0)).where(c.c.tenant == tx.tenant)).scalar_one() + 1
    former = tx.connection.execute(sa.select(c.c.id).where(c.c.tenant == tx.tenant, c.c.key == key).order_by(c.c.conflict)).scalars().all()
    found = tx.connection.execute(sa.select(t.claim_key.c.hash).where(t.claim_key.c.tenant == tx.tenant, t.claim_key.c.key == key)).scalar_one()
    conflict_id = f"conflict-{found[:10]}-{len(former) + 1}"
    owner = None
    if sides[0].owner is not None:
        owner = tx.connection.execute(sa.select(t.party.c.name).where(t.party.c.tenant == tx.tenant, t.party.c.party == sides[0].owner)).scalar_one()
    tx.connection.execute(sa.insert(c), {
        "tenant": tx.tenant, "conflict": number, "id": conflict_id, "key": key, "state": OPEN, "owner": owner, "opened_at": tx.at,
        "opened_seq": tx.seq, "former": former[-1] if former else None, "signature": value_signature(sides),
    })  # fmt: skip
    _add_sides(tx, number, [side.record for side in sides])
    return conflict_id


def _close(tx: Writing, conflict: OpenConflict, cause: str) -> None:
    c = t.conflict
    tx.connection.execute(
        sa.update(c)
        .where(c.c.tenant == tx.tenant, c.c.conflict == conflict.number)
        .values(state=CLOSED, closed_at=tx.at, closed_seq=tx.seq, cause=cause)
    )


def _change_sides(tx: Writing, conflict: OpenConflict, sides: list[KeyClaim]) -> None:
    side, now, was = t.conflict_side, {one.record for one in sides}, set(conflict.sides)
    gone = was - now
    if gone:
        tx.connection.execute(sa.delete(side).where(side.c.tenant == tx.tenant, side.c.conflict == conflict.number, side.c.record.in_(gone)))
    _add_sides(tx, conflict.number, sorted(now - was))
    c = t.conflict
    tx.connection.execute(sa.update(c).where(c.c.tenant == tx.tenant, c.c.conflict == conflict.number).values(signature=value_signature(sides)))


def keep_question(tx: Writing, conflict: int, text: str) -> None:
    """Keep with an open conflict that the actor asked about it, as the verdict `unclear` does."""
    c = t.conflict
    tx.connection.execute(sa.update(c).where(c.c.tenant == tx.tenant, c.c.conflict == conflict).values(question=text, asked=tx.actor.id))


def find_conflict(connection: Connection, tenant: int, conflict_id: str) -> Any:
    """Return the row of a conflict by its id, None if there is none."""
    c = t.conflict
    return connection.execute(sa.select(c).where(c.c.tenant == tenant, c.c.id == conflict_id, conflict_is_shown(c))).one_or_none()


def find_conflicts(connection: Connection, tenant: int, ids: Iterable[str]) -> list[Any]:
    """Return conflict, id, key, state, predicate and path of its scope, of those ids that are conflicts, by id."""
    c, k, s = t.conflict, t.claim_key, t.scope
    query = (
        sa.select(c.c.conflict, c.c.id, c.c.key, c.c.state, k.c.predicate, s.c.path)
        .join(k, (k.c.tenant == c.c.tenant) & (k.c.key == c.c.key))
        .join(s, (s.c.tenant == k.c.tenant) & (s.c.scope == k.c.scope))
    )
    found: list[Any] = []
    for some in chunks(sorted(set(ids))):
        found.extend(connection.execute(query.where(c.c.tenant == tenant, c.c.id.in_(some), conflict_is_shown(c))))
    return sorted(found, key=lambda row: str(row.id))


def earlier_verdict(connection: Connection, tenant: int, key: int, signature: str | None) -> dict[str, str] | None:
    """Return how the same values of this key were settled before, if they were."""
    c = t.conflict
    query = (
        sa.select(c.c.id, c.c.verdict, c.c.reason)
        .where(c.c.tenant == tenant, c.c.key == key, c.c.state == CLOSED, c.c.verdict.is_not(None), c.c.signature == signature)
        .order_by(c.c.conflict.desc())
        .limit(1)
    )
    row = connection.execute(query).one_or_none()
    return None if row is None else {"id": row.id, "verdict": row.verdict, "reason": row.reason}


def decided_before(connection: Connection, tenant: int, record: int, key: int | None, value: int | None) -> list[tuple[str, Status]]:
    """Return earlier claims of the same key and value that were decided against (R9), newest first."""
    if key is None or value is None:
        return []
    r, s = t.record, t.record_state
    query = (
        sa.select(r.c.id, s.c.status)
        .join(s, (s.c.tenant == r.c.tenant) & (s.c.record == r.c.record))
        .where(r.c.tenant == tenant, r.c.key == key, r.c.value_code == value, r.c.record < record, s.c.status.in_([int(x) for x in DECIDED_AGAINST]))
        .order_by(r.c.record.desc())
    )
    return [(record_id, Status(status)) for record_id, status in connection.execute(query)]


def list_conflicts(connection: Connection, tenant: int) -> list[ConflictEntry]:
    """Return every conflict, open and closed, by id, as it is exported."""
    c, k, side = t.conflict, t.claim_key, t.conflict_side
    sides: dict[int, list[str]] = {}
    going: set[int] = set()
    r, s = t.record, t.record_state
    named = (
        sa.select(side.c.conflict, r.c.id, s.c.status)
        .join(r, (r.c.tenant == side.c.tenant) & (r.c.record == side.c.record))
        .join(s, (s.c.tenant == side.c.tenant) & (s.c.record == side.c.record))
    )
    for number, record_id, status in connection.execute(named.where(side.c.tenant == tenant)):
        sides.setdefault(number, []).append(record_id)
        if status in FORGOTTEN:
            going.add(number)
    query = (
        sa.select(c, k.c.subject, k.c.predicate, k.c.qualifiers, t.scope.c.path)
        .join(k, (k.c.tenant == c.c.tenant) & (k.c.key == c.c.key))
        .join(t.scope, (t.scope.c.tenant == k.c.tenant) & (t.scope.c.scope == k.c.scope))
        .where(c.c.tenant == tenant, conflict_is_shown(c))
    )
    questions = question_lines(connection, tenant)
    found = []
    for row in connection.execute(query):
        fields = {name: getattr(row, name) for name in ("verdict", "reason", "question", "asked", "owner", "cause", "former", "signature")}
        if row.conflict in going:  # what was said about it may be about the side that is being forgotten
            fields |= dict.fromkeys(("reason", "question", "asked", "cause", "signature"))
        fields |= {"opened_at": format_optional(row.opened_at), "closed_at": format_optional(row.closed_at)}
        if row.id in questions and row.conflict not in going:
            fields["questions"] = questions[row.id]
        kept = {name: value for name, value in sorted(fields.items()) if value is not None}
        state = "open" if row.state == OPEN else "closed"
        claims = tuple(sorted(sides.get(row.conflict, [])))
        found.append(ConflictEntry(row.id, row.path, row.subject, row.predicate, json.loads(row.qualifiers), state, claims, kept))
    return sorted(found, key=lambda entry: entry.id)
