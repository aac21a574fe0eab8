"""The register of every file that left the store: which records it carried, who made it, who holds it.

Which order is the safe one: the file is made where nobody finds it, then its row is committed, then it appears under its name (or goes
to the browser). A row whose file never got as far asks somebody about a copy that is not there, and is marked as gone; a file without a
row would be a copy that nobody is ever asked about.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.bulk import chunks
from store.db.forgetting_tables import export_copy
from store.db.transaction import Reading, Writing
from store.domain.errors import Code, Refusal
from store.domain.handing_out import Carried
from store.domain.reach import Ints
from store.domain.status import Status

_BLOCKED = (int(Status.DELETION_PENDING), int(Status.DELETED))


def pack_records(records: Iterable[int]) -> bytes:
    """Return record numbers as the register keeps them: sorted, 32-bit little-endian, compressed."""
    return zlib.compress(np.array(sorted(set(records)), dtype="<i4").tobytes(), 1)


def unpack_records(packed: bytes) -> Ints:
    """Return the record numbers of an export, sorted."""
    return np.frombuffer(zlib.decompress(packed), dtype="<i4").astype(np.int64)


def carry(reading: Reading, number: int, tenant: str, records: Iterable[int], lines: int, *, named: Iterable[int] = (), around: bool = False) -> Carried:
    """Return what a file carries of a tenant, as it is read.

    Args:
        around: also what the records rest on, whose ids and passages stand beside them.
    """
    found = set(records)
    if around and found:
        parents = reading.snapshot(number).graph.parents.neighbours(np.array(sorted(found), dtype=np.int64))
        found.update(parents.tolist())
    revision = reading.connection.execute(sa.select(t.tenant.c.revision).where(t.tenant.c.tenant == number)).scalar_one()
    apart = set(named)
    return Carried(tenant, tuple(sorted(found - apart)), lines, int(revision), tuple(sorted(apart)))


def sides_of(connection: Connection, tenant: int, conflicts: Iterable[str]) -> list[int]:
    """Return the records on any side of some conflicts."""
    c, side = t.conflict, t.conflict_side
    query = sa.select(side.c.record).join(c, (c.c.tenant == side.c.tenant) & (c.c.conflict == side.c.conflict)).where(c.c.tenant == tenant)
    return [record for some in chunks(sorted(set(conflicts))) for record in connection.execute(query.where(c.c.id.in_(some))).scalars()]


def insert_export(tx: Writing, carried: Carried, *, form: str, scope: str | None, name: str | None, holder: str | None) -> int:
    """Write the row of a file that is about to appear and return its number.

    Raises:
        Refusal: `changed_since_seen` when something in it was blocked for deletion since it was read: the file must not appear.
    """
    if tx.revision != carried.revision:
        _need_unblocked(tx, carried)
    query = sa.select(sa.func.coalesce(sa.func.max(export_copy.c.export), 0)).where(export_copy.c.tenant == tx.tenant)
    number = int(tx.connection.execute(query).scalar_one()) + 1
    tx.connection.execute(sa.insert(export_copy), {
        "tenant": tx.tenant, "export": number, "at": tx.at, "person": tx.actor.id, "format": form, "scope": scope, "lines": carried.lines, "name": name,
        "holder": holder, "revision": carried.revision, "records": pack_records((*carried.records, *carried.named)),
    })  # fmt: skip
    return number


def _need_unblocked(tx: Writing, carried: Carried) -> None:
    state = t.record_state
    query = sa.select(state.c.record, state.c.status).where(state.c.tenant == tx.tenant, state.c.status.in_(_BLOCKED))
    now = {int(record): int(status) for record, status in tx.connection.execute(query)}
    gone = any(record in now for record in carried.records) or any(now.get(record) == Status.DELETED for record in carried.named)
    if gone:
        raise Refusal(Code.CHANGED_SINCE_SEEN, "Something in this file was blocked for deletion while it was made. No file was made. Make it again.")


@dataclass(frozen=True, slots=True)
class ExportCopy:
    """One file that left the store; times in microseconds UTC.

    Attributes:
        person: the id of who made it; `holder`: who holds it, if somebody else.
        records: numbers of the records it carried.
        gone_at: when its holder said that it is destroyed, `gone_by` recorded that.
    """

    number: int
    at: int
    person: str
    format: str
    scope: str | None
    lines: int
    name: str | None
    holder: str | None
    revision: int
    records: Ints
    gone_at: int | None
    gone_by: str | None

    @property
    def held_by(self) -> str:
        """Return who holds it."""
        return self.holder or self.person


def load_exports(connection: Connection, tenant: int, *, before: int | None = None, numbers: Sequence[int] | None = None) -> Iterator[ExportCopy]:
    """Yield the exports of a tenant, newest first: all, those before a number, or single ones."""
    c = export_copy.c
    query = sa.select(
        c.export, c.at, c.person, c.format, c.scope, c.lines, c.name, c.holder, c.revision, c.records, c.gone_at, c.gone_by
    ).where(c.tenant == tenant).order_by(c.export.desc())  # fmt: skip
    if before is not None:
        query = query.where(c.export < before)
    if numbers is not None:
        query = query.where(c.export.in_(list(numbers)))
    for row in connection.execute(query):
        yield ExportCopy(*row[:9], unpack_records(bytes(row.records)), row.gone_at, row.gone_by)


def exports_carrying(connection: Connection, tenant: int, records: Sequence[int]) -> list[ExportCopy]:
    """Return the exports that carried any of some records, oldest first."""
    wanted = np.array(sorted(set(records)), dtype=np.int64)
    found = [one for one in load_exports(connection, tenant) if np.isin(one.records, wanted, assume_unique=True).any()]
    return found[::-1]


def note_export_gone(tx: Writing, export: int, by: str) -> bool:
    """Note that a file is destroyed, or never came to be; return whether it was not noted before."""
    c = export_copy.c
    done = tx.connection.execute(
        sa.update(export_copy).where(c.tenant == tx.tenant, c.export == export, c.gone_at.is_(None)).values(gone_at=tx.at, gone_by=by)
    )
    return done.rowcount == 1


def set_export_holder(tx: Writing, export: int, holder: str) -> None:
    """Note who holds a file."""
    c = export_copy.c
    tx.connection.execute(sa.update(export_copy).where(c.tenant == tx.tenant, c.export == export).values(holder=holder))


def targets_of_request(connection: Connection, tenant: int, request: str) -> list[int]:
    """Return the records a deletion request asks to forget, by its id; none for one that is not there."""
    r, target = t.deletion_request, t.deletion_target
    query = sa.select(target.c.record).join(r, (r.c.tenant == target.c.tenant) & (r.c.request == target.c.request))
    return list(connection.execute(query.where(r.c.tenant == tenant, r.c.id == request).order_by(target.c.record)).scalars())


def count_requests(connection: Connection) -> int:
    """Return how many deletion requests were ever entered, in all tenants."""
    return int(connection.execute(sa.select(sa.func.count()).select_from(t.deletion_request)).scalar_one())
