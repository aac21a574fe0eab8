"""The register of files that left the store: who made and who holds what, and which of it concerns some records or a deletion request."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from store.db.case_events import names_of_people
from store.db.claim_store import ClaimStore
from store.db.engine import explained
from store.db.export_copies import ExportCopy, count_requests, load_exports, targets_of_request
from store.db.records import find_numbers
from store.db.transaction import Reading, read
from store.domain.errors import Code, Refusal
from store.domain.people import Right
from store.domain.scopes import EVERYWHERE, tenant_of

COPIES_PAGE = 50


@dataclass(frozen=True, slots=True)
class CopyRow:
    """One file that left the store; times in microseconds UTC. Names come from outside.

    Attributes:
        export: its number in the tenant.
        person: the id of who made it, `made_by` their name; `holder`: who holds it, by the name under which they are known.
        format: `bundle`, `csv`, `prov-json`, or the screen it was downloaded from, such as `decisions-csv`.
        lines: of the file that are about this tenant; `records`: how many records it carried.
        touched: how many of the records that were asked about; None where none were.
        gone_at: when it was recorded as destroyed, `gone_by` by whom, their name.
    """

    tenant: str
    export: int
    at: int
    person: str
    made_by: str
    format: str
    scope: str | None
    lines: int
    name: str | None
    holder: str
    records: int
    touched: int | None
    revision: int
    gone_at: int | None
    gone_by: str | None


@dataclass(frozen=True, slots=True)
class CopyList:
    """A page of the register, newest first; `total` and `open` count all that was asked for, `open` those not known to be destroyed."""

    total: int
    open: int
    rows: tuple[CopyRow, ...]
    next: int | None


def list_export_copies(
    store: ClaimStore, person: str, tenant: str, *, records: Sequence[str] | None = None, request: str | None = None, after: int | None = None,
    limit: int = COPIES_PAGE, authenticated: bool = False,
) -> CopyList:  # fmt: skip
    """Return the files made of a tenant that the person may administer, newest first.

    Args:
        records: only files that carried one of these records; `request`: only those that carried a record of this deletion request.
        after: the number of the export the page before ended with.

    Raises:
        Refusal: `not_found`: the person administers nothing there, or it is not there.
    """
    with read(store, person, authenticated=authenticated) as reading:
        number = reading.tenant_number(tenant)
        held = reading.actor.scopes_with(Right.ADMINISTER)
        if number is None or not any(scope == EVERYWHERE or tenant_of(scope) == tenant for scope in held):
            raise Refusal(Code.NOT_FOUND, f"There is no register of exports of {tenant[:80]!r} that you may see. Ask an admin.")
        wanted: set[int] | None = None
        if records is not None:
            wanted = set(find_numbers(reading.connection, number, sorted(set(records))).values())
        if request is not None:
            wanted = (wanted or set()) | set(targets_of_request(reading.connection, number, request))
        found = [one for one in load_exports(reading.connection, number) if reading.actor.may(Right.ADMINISTER, one.scope or tenant)]
        touched = {one.number: _touched(one, wanted) for one in found}
        found = [one for one in found if touched[one.number] != 0]
        page = [one for one in found if after is None or one.number < after][: limit + 1]
        rows = tuple(_rows(reading, number, tenant, page[:limit], touched))
        return CopyList(len(found), sum(one.gone_at is None for one in found), rows, rows[-1].export if len(page) > limit else None)


def _touched(one: ExportCopy, wanted: set[int] | None) -> int | None:
    return None if wanted is None else int(np.isin(one.records, np.array(sorted(wanted), dtype=np.int64)).sum())


def _rows(reading: Reading, number: int, tenant: str, page: list[ExportCopy], touched: dict[int, int | None]) -> Iterable[CopyRow]:
    names = names_of_people(reading.connection, number, {name for one in page for name in (one.person, one.held_by, one.gone_by) if name is not None})
    for one in page:
        yield CopyRow(
            tenant, one.number, one.at, one.person, names.get(one.person, one.person), one.format, one.scope, one.lines, one.name, names.get(one.held_by, one.held_by),
            len(one.records), touched[one.number], one.revision, one.gone_at, None if one.gone_by is None else names.get(one.gone_by, one.gone_by),
        )  # fmt: skip


def count_blockings(store: ClaimStore) -> int:
    """Return how often anything of this store was blocked to be forgotten; a screen asks it to drop what it had made ready before.

    The number is of the whole store, and no screen shows it.
    """
    with explained(), store.reader.begin() as connection:
        return count_requests(connection)
