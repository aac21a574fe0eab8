"""The one way to write and the one way to read.

Rules of `write`:
- the tenant's lock is taken first (`BEGIN IMMEDIATE` on SQLite, the tenant's row FOR UPDATE on PostgreSQL);
- the actor's roles are read again inside it;
- change, history rows, event and operation are committed together or not at all;
- an operation id that was used before returns the first result and writes nothing;
- a COMMIT that errors is no rollback: the operation is looked up before anything is said.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.bulk import chunks, insert_rows, pick_records
from store.db.claim_store import STORE_ITSELF, ClaimStore
from store.db.engine import explain, explained
from store.db.snapshots import pack_touched
from store.domain.errors import Code, Refusal
from store.domain.people import Actor
from store.domain.reach import Ints
from store.domain.scopes import EVERYWHERE, tenant_of
from store.domain.snapshot import Snapshot
from store.domain.text import canonical_json, digest, find_forbidden

#: How "no status yet" enters a digest.
NO_STATUS = -1


@dataclass(slots=True)
class Reading:
    """A consistent look at the store by one person, at one time."""

    store: ClaimStore
    connection: Connection
    actor: Actor
    at: int

    def tenant_number(self, name: str) -> int | None:
        """Return the number of a tenant in which the person holds a role; None for any other, as if it were not there."""
        if not any(scope == EVERYWHERE or tenant_of(scope) == name for _, scope in self.actor.roles):
            return None
        return tenant_number(self.connection, name)

    def snapshot(self, tenant: int) -> Snapshot:
        """Return the tenant's records in memory, as this reading sees them."""
        return self.store.snapshots.current(self.connection, tenant)


@dataclass(slots=True)
class Writing(Reading):
    """A transaction over one tenant, under its lock.

    Attributes:
        seq: the number of the event this action becomes.
        repeated: the first result, when this operation was done before; the action then returns it and writes nothing.
        result: what the action returns; remembered under the operation id.
        receipts: digests of the receipts it wrote, for the event to vouch for.
    """

    tenant: int = 0
    tenant_name: str = ""
    seq: int = 0
    revision: int = 0
    head: str = ""
    next_record: int = 1
    policy_version: int = 0
    person: int = 0
    repeated: dict[str, Any] | None = None
    result: dict[str, Any] = field(default_factory=dict)
    reason: str | None = None
    receipts: list[str] = field(default_factory=list)
    moved: Snapshot | None = None
    _rows: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    _bulk: list[tuple[Ints, Ints, Ints, Ints]] = field(default_factory=list)
    _counts: dict[tuple[int, int, int], int] = field(default_factory=dict)
    _owners: dict[tuple[int, int], int] = field(default_factory=dict)

    def note_history(self, record: int, old: int | None, new: int, version: int) -> None:
        """Note that an action left `record` with status `new` at `version`; one row per record and event."""
        before = NO_STATUS if old is None else int(old)
        if record in self._rows:
            before = self._rows[record][0]
        self._rows[record] = (before, int(new), version)

    def count_change(self, scope: int, kind: int, owner: int | None, status: int, by: int) -> None:
        """Note that `by` more records of this scope, kind and owner have `status`."""
        self._counts[scope, int(status), kind] = self._counts.get((scope, int(status), kind), 0) + by
        self._owners[owner or 0, int(status)] = self._owners.get((owner or 0, int(status)), 0) + by

    def set_status(self, record: int, old: int, new: int, version: int) -> int:
        """Move one record from `old` at `version` to `new` and return its new version.

        Raises:
            Refusal: `changed_since_seen` when it is not there any more.
        """
        state = t.record_state
        where = (state.c.tenant == self.tenant, state.c.record == record)
        row = self.connection.execute(sa.select(state.c.scope, state.c.kind, state.c.owner).where(*where)).one()
        done = self.connection.execute(
            sa.update(state).where(*where, state.c.status == int(old), state.c.version == version).values(status=int(new), version=version + 1)
        )
        if done.rowcount != 1:
            raise Refusal(Code.CHANGED_SINCE_SEEN, "The record changed while this was written. Nothing was saved. Look at it again.")
        self.note_history(record, old, new, version + 1)
        self.count_change(row.scope, row.kind, row.owner, old, -1)
        self.count_change(row.scope, row.kind, row.owner, new, 1)
        return version + 1

    def set_statuses(self, versions: dict[int, int], old: int, new: int) -> None:
        """Move records (number -> version) from `old` to `new`, each to the next version.

        Raises:
            Refusal: `changed_since_seen` when one of them is not there any more.
        """
        state = t.record_state
        for some in chunks(sorted(versions)):
            where = (state.c.tenant == self.tenant, state.c.record.in_(some), state.c.status == int(old))
            rows = self.connection.execute(sa.select(state.c.record, state.c.version, state.c.scope, state.c.kind, state.c.owner).where(*where)).all()
            if len(rows) != len(some) or any(row.version != versions[row.record] for row in rows):
                raise Refusal(Code.CHANGED_SINCE_SEEN, "Records changed while this was written. Nothing was saved. Look at them again.")
            self.connection.execute(sa.update(state).where(*where).values(status=int(new), version=state.c.version + 1))
            for row in rows:
                self.note_history(row.record, old, new, row.version + 1)
                self.count_change(row.scope, row.kind, row.owner, old, -1)
                self.count_change(row.scope, row.kind, row.owner, new, 1)

    def move_many(self, snapshot: Snapshot, records: Ints, old: int, new: int) -> None:
        """Move many records from `old` to `new`, each by one version, in set statements."""
        if not len(records):
            return
        records = np.sort(records)
        columns = snapshot.columns
        pick_records(self.connection, records)
        values = {"tenant": self.tenant, "seq": self.seq, "old": int(old), "new": int(new)}
        into = "INSERT INTO history (tenant, record, seq, old, new, version) SELECT :tenant, p.record, :seq, :old, :new, s.version + 1 "
        # CROSS JOIN, because a planner without figures for the temporary table walks the large one otherwise.
        joined = "FROM picked p CROSS JOIN record_state s WHERE s.tenant = :tenant AND s.record = p.record AND s.status = :old"
        added = self.connection.execute(sa.text(into + joined), values).rowcount
        update = "UPDATE record_state SET status = :new, version = version + 1 WHERE tenant = :tenant AND record IN (SELECT record FROM picked)"
        changed = self.connection.execute(sa.text(update), {"tenant": self.tenant, "new": int(new)}).rowcount
        if added != len(records) or changed != len(records):
            raise Refusal(Code.CHANGED_SINCE_SEEN, "Records changed while this was written. Nothing was saved. Preview again.")
        was, now = np.full(len(records), int(old), dtype=np.int64), np.full(len(records), int(new), dtype=np.int64)
        self._bulk.append((records, was, now, columns.version[records].astype(np.int64) + 1))
        self._count_many(columns.scope[records], columns.kind[records], columns.owner[records], old, new)

    def _count_many(self, scope: Any, kind: Any, owner: Any, old: int, new: int) -> None:
        pairs, count = np.unique(scope.astype(np.int64) * 4 + kind, return_counts=True)
        for pair, n in zip(pairs.tolist(), count.tolist(), strict=True):
            for status, by in ((old, -n), (new, n)):
                at = (pair // 4, int(status), pair % 4)
                self._counts[at] = self._counts.get(at, 0) + by
        owners, count = np.unique(owner, return_counts=True)
        for one, n in zip(owners.tolist(), count.tolist(), strict=True):
            for status, by in ((old, -n), (new, n)):
                self._owners[one, int(status)] = self._owners.get((one, int(status)), 0) + by

    def add_created(self, records: Ints, statuses: Ints) -> None:
        """Write the history of records that this action created, at version 1."""
        rows = ((self.tenant, record, self.seq, None, status, 1) for record, status in zip(records.tolist(), statuses.tolist(), strict=True))
        insert_rows(self.connection, t.history, ("tenant", "record", "seq", "old", "new", "version"), rows)
        self._bulk.append((records, np.full(len(records), NO_STATUS), statuses, np.ones(len(records), dtype=np.int64)))

    def allocate(self, count: int) -> int:
        """Return the first of `count` fresh record numbers."""
        first = self.next_record
        self.next_record += count
        return first

    def raise_policy_version(self) -> None:
        """Note that the tenant's policy changed, so that previews made under the old one no longer match."""
        self.policy_version += 1


def tenant_number(connection: Connection, name: str) -> int | None:
    """Return the number of a tenant, None if there is no such tenant."""
    return connection.execute(sa.select(t.tenant.c.tenant).where(t.tenant.c.name == name, t.tenant.c.tenant != STORE_ITSELF)).scalar_one_or_none()


def load_actor(connection: Connection, person: str, *, authenticated: bool) -> Actor:
    """Return a person with all roles held now.

    Raises:
        Refusal: `unknown_person`.
    """
    query = (
        sa.select(t.person.c.tenant, t.person.c.name, t.role.c.role, t.role.c.scope)
        .outerjoin(t.role, (t.role.c.tenant == t.person.c.tenant) & (t.role.c.person == t.person.c.person))
        .where(t.person.c.id == person)
        .order_by(t.person.c.tenant)
    )
    rows = connection.execute(query).all()
    if not rows:
        raise Refusal(
            Code.UNKNOWN_PERSON, f"The store knows no person {person!r}. Nothing was done. Choose one of its people, or ask an admin to add you."
        )
    roles = tuple(sorted({(row.role, row.scope) for row in rows if row.role is not None}))
    return Actor(person, rows[-1].name, roles, authenticated)


@contextmanager
def read(store: ClaimStore, person: str, *, authenticated: bool = False) -> Iterator[Reading]:
    """Open a consistent look at the store for one person."""
    with explained(), store.reader.begin() as connection:
        yield Reading(store, connection, load_actor(connection, person, authenticated=authenticated), store.now())


def _local_person(connection: Connection, tenant: int, actor: Actor) -> int:
    """Return the number of the actor in this tenant, making the row where the roles come from elsewhere."""
    found = connection.execute(sa.select(t.person.c.person).where(t.person.c.tenant == tenant, t.person.c.id == actor.id)).scalar_one_or_none()
    if found is not None:
        return int(found)
    number = connection.execute(sa.select(sa.func.coalesce(sa.func.max(t.person.c.person), 0)).where(t.person.c.tenant == tenant)).scalar_one() + 1
    connection.execute(sa.insert(t.person), {"tenant": tenant, "person": number, "id": actor.id, "name": actor.name})
    return int(number)


def _lock_tenant(connection: Connection, name: str) -> Any:
    query = sa.select(t.tenant).where(t.tenant.c.name == name, t.tenant.c.tenant != STORE_ITSELF).with_for_update()
    return connection.execute(query).one_or_none()


def _make_tenant(store: ClaimStore, connection: Connection, name: str) -> Any:
    # The store's own row serialises the making of tenants, as no row of theirs can be locked yet.
    connection.execute(sa.select(t.tenant.c.tenant).where(t.tenant.c.tenant == STORE_ITSELF).with_for_update())
    found = _lock_tenant(connection, name)
    if found is not None:
        return found
    number = connection.execute(sa.select(sa.func.max(t.tenant.c.tenant))).scalar_one() + 1
    connection.execute(sa.insert(t.tenant), {
        "tenant": number, "name": name, "revision": 0, "event_seq": 0, "next_record": 1,
        "head": digest(f"{store.lineage}:{number}"), "policy_version": 0,
    })  # fmt: skip
    return _lock_tenant(connection, name)


def _no_tenant(name: str) -> Refusal:
    """Return the one answer for a tenant that is not there and for one in which the person holds no role."""
    return Refusal(Code.NOT_FOUND, f"There is no tenant {name!r} in which you may act. Check the scope.")


def _need_storable(words: Any) -> None:
    """Refuse words that no database can keep or no hash can be taken of."""
    problem = find_forbidden(words)
    if problem:
        raise Refusal(Code.BAD_VALUE, f"Nothing was done: {problem}. Type it again.")


@contextmanager
def write(
    store: ClaimStore,
    person: str,
    tenant: str,
    action: str,
    words: Any,
    *,
    operation: str | None = None,
    create: bool = False,
    authenticated: bool = False,
    connection: Connection | None = None,
) -> Iterator[Writing]:
    """Run one action: permission, change, history and event together, or nothing.

    Args:
        store: the store.
        person: who acts.
        tenant: whose records change.
        action: the word for it in events.
        words: what exactly was asked; the same operation id with other words is refused.
        operation: the operation id; a fresh one by default.
        create: whether the tenant may be made if it is not there.
        connection: an open transaction to work in, for an action over several tenants; its owner commits.

    Raises:
        Refusal: the person is unknown, the operation was used otherwise, the database is busy, or the outcome unknown.
    """
    own = connection is None
    _need_storable([words, operation])
    operation = operation or store.new_id()
    asked = digest(canonical_json([action, words]))
    with explained():
        opened = store.writer.connect() if connection is None else connection
        transaction = opened.begin() if own else None
        try:
            row = _lock_tenant(opened, tenant) or (_make_tenant(store, opened, tenant) if create else None)
            if row is None:
                raise _no_tenant(tenant)
            actor = load_actor(opened, person, authenticated=authenticated)
            if not any(scope == EVERYWHERE or tenant_of(scope) == tenant for _, scope in actor.roles):
                raise _no_tenant(tenant)
            tx = Writing(
                store, opened, actor, store.now(), tenant=row.tenant, tenant_name=tenant, seq=row.event_seq + 1, revision=row.revision,
                head=row.head, next_record=row.next_record, policy_version=row.policy_version,
            )  # fmt: skip
            tx.person = _local_person(opened, row.tenant, actor)
            tx.repeated = _find_operation(opened, row.tenant, operation, tx.person, asked)
            yield tx
            if tx.repeated is None:
                _close_event(tx, action, operation, asked, words)
            if transaction is not None:
                _commit(store, opened, transaction, tenant, operation)
        except BaseException as error:
            if transaction is not None and transaction.is_active:
                with suppress(sa.exc.DBAPIError):
                    transaction.rollback()
            if own and isinstance(error, Refusal):
                _log_refusal(store, opened, tenant, person, action, error)
            raise
        finally:
            if own:
                opened.close()
    if own and tx.repeated is None and tx.moved is not None:
        store.snapshots.keep(tx.tenant, tx.moved)


def _find_operation(connection: Connection, tenant: int, operation: str, person: int, asked: str) -> dict[str, Any] | None:
    found = connection.execute(sa.select(t.operation).where(t.operation.c.tenant == tenant, t.operation.c.operation == operation)).one_or_none()
    if found is None:
        return None
    if found.person != person or found.words != asked:
        raise Refusal(Code.OPERATION_REUSED, f"Operation {operation!r} was used before for something else. Nothing was done. Give a fresh id.")
    result: dict[str, Any] = json.loads(found.result)
    return result


def _commit(store: ClaimStore, connection: Connection, transaction: Any, tenant: str, operation: str) -> None:
    try:
        transaction.commit()
    except sa.exc.DBAPIError as error:
        connection.invalidate()
        if _was_saved(store, tenant, operation, error):
            return
        refusal = explain(error)
        message = refusal.message if refusal else "The database gave up while saving. Nothing was saved. Try again."
        raise Refusal(refusal.code if refusal else Code.BUSY, message, operation=operation) from error


def _was_saved(store: ClaimStore, tenant: str, operation: str, error: Exception) -> bool:
    """Return whether an operation whose COMMIT failed was saved all the same.

    The look-up takes the tenant's lock, so that a commit still under way on the server is waited for.
    """
    try:
        with store.writer.begin() as connection:
            row = _lock_tenant(connection, tenant)
            if row is None:
                return False
            query = sa.select(t.operation.c.seq).where(t.operation.c.tenant == row.tenant, t.operation.c.operation == operation)
            return connection.execute(query).scalar_one_or_none() is not None
    except sa.exc.DBAPIError:
        raise Refusal(
            Code.OUTCOME_UNKNOWN,
            f"The database broke off while saving, so it is not known whether this was saved. Repeat it with operation id {operation}: "
            "it is done once at most, and you get the first result.",
            operation=operation,
        ) from error


def _log_refusal(store: ClaimStore, connection: Connection, tenant: str, person: str, action: str, refusal: Refusal) -> None:
    """Note a refusal in its own log; never in the way of the answer, and without any text of what was asked."""
    if refusal.code in (Code.BUSY, Code.OUTCOME_UNKNOWN, Code.DAMAGED):
        return
    with suppress(sa.exc.DBAPIError), connection.begin():
        number = tenant_number(connection, tenant) or STORE_ITSELF
        values = {"tenant": number, "at": store.now(), "by": person[:200], "action": action, "code": refusal.code.value}
        connection.execute(sa.insert(t.refusal), values)


def history_digest(record: Ints, old: Ints, new: Ints, version: Ints) -> str:
    """Return the SHA-256 over history rows in record order, as an event keeps it."""
    order = np.argsort(record)
    rows = np.empty((len(record), 4), dtype="<i4")
    for place, column in enumerate((record, old, new, version)):
        rows[:, place] = column[order]
    return hashlib.sha256(rows.tobytes()).hexdigest()


def event_hash(previous: str, fields: Sequence[Any]) -> str:
    """Return the hash that chains an event to the one before it."""
    return digest(canonical_json([previous, *fields]))


def _close_event(tx: Writing, action: str, operation: str, asked: str, words: Any) -> None:
    record, old, new, version = _history_arrays(tx)
    if tx._rows:  # noqa: SLF001
        values = [(tx.tenant, number, tx.seq, None if was == NO_STATUS else was, now, at) for number, (was, now, at) in sorted(tx._rows.items())]  # noqa: SLF001
        insert_rows(tx.connection, t.history, ("tenant", "record", "seq", "old", "new", "version"), values)
    note = canonical_json({"reason": tx.reason, "words": words, "operation": operation, **({"receipts": tx.receipts} if tx.receipts else {})})
    key = secrets.token_bytes(32)
    mac = hmac.new(key, note.encode("utf-8"), "sha256").hexdigest()
    rows_digest = history_digest(record, old, new, version)
    fields = [tx.tenant, tx.seq, tx.at, tx.person, action, len(record), rows_digest, mac, tx.actor.authenticated]
    tx.head = event_hash(previous := tx.head, fields)
    tx.connection.execute(sa.insert(t.event), {
        "tenant": tx.tenant, "seq": tx.seq, "at": tx.at, "person": tx.person, "action": action, "count": len(record),
        "digest": rows_digest, "note_mac": mac, "authenticated": tx.actor.authenticated, "previous": previous,
        "hash": tx.head, "touched": pack_touched(record),
    })  # fmt: skip
    tx.connection.execute(sa.insert(t.event_note), {"tenant": tx.tenant, "seq": tx.seq, "mac_key": key, "note": note})
    _save_counts(tx)
    tx.connection.execute(sa.insert(t.operation), {
        "tenant": tx.tenant, "operation": operation, "seq": tx.seq, "person": tx.person, "words": asked, "result": canonical_json(tx.result),
    })  # fmt: skip
    done = tx.connection.execute(
        sa.update(t.tenant).where(t.tenant.c.tenant == tx.tenant, t.tenant.c.event_seq == tx.seq - 1).values(
            revision=tx.revision + 1, event_seq=tx.seq, head=tx.head, next_record=tx.next_record, policy_version=tx.policy_version,
        )
    )  # fmt: skip
    if done.rowcount != 1:
        raise Refusal(Code.BUSY, "Somebody else wrote at the same moment. Nothing was saved. Try again.")


def _history_arrays(tx: Writing) -> tuple[Ints, Ints, Ints, Ints]:
    rows = tx._rows  # noqa: SLF001
    parts = [(np.array(list(rows), dtype=np.int64), *(np.array([row[n] for row in rows.values()], dtype=np.int64) for n in range(3)))]
    parts.extend(tx._bulk)  # noqa: SLF001
    record, old_column, new_column, version_column = (np.concatenate([part[n] for part in parts]) for n in range(4))
    return record, old_column, new_column, version_column


def _save_counts(tx: Writing) -> None:
    for table, keys, counts in (
        ("counter", ("scope", "status", "kind"), tx._counts),  # noqa: SLF001
        ("owner_counter", ("owner", "status"), tx._owners),  # noqa: SLF001
    ):
        rows = [{"tenant": tx.tenant, **dict(zip(keys, at, strict=True)), "n": by} for at, by in sorted(counts.items()) if by]
        if rows:
            names = ", ".join(("tenant", *keys))
            values = ", ".join(f":{name}" for name in ("tenant", *keys, "n"))
            add = f"INSERT INTO {table} ({names}, n) VALUES ({values}) ON CONFLICT ({names}) DO UPDATE SET n = {table}.n + excluded.n"  # noqa: S608
            tx.connection.execute(sa.text(add), rows)
