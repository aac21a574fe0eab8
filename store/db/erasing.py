"""Clearing the surfaces of a deletion request, each by its worker; the same for a request that is run and for one the ledger applies again.

While a worker is at a surface the surface says WORKING, in a transaction of its own, so that others see it. A worker that
cannot do its work leaves its surface FAILED with the reason, and nothing of its work; a run that is killed leaves it WORKING
while nobody holds the tenant's lock, by which it is known to be broken off. Either is taken up again by the next run.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Collection, Sequence
from contextlib import closing, suppress
from functools import partial

import sqlalchemy as sa

from store.db import tables as t
from store.db.claim_store import ClaimStore
from store.db.engine import explain, is_sqlite, open_plain
from store.db.erase_backups import clear_backups
from store.db.erase_caches import clear_caches
from store.db.erase_copies import clear_exports, clear_logs, clear_replicas
from store.db.erase_evidence import clear_evidence
from store.db.erase_history import clear_history
from store.db.erase_previews import clear_previews
from store.db.erase_read_log import clear_read_log
from store.db.erase_record import clear_record
from store.db.erase_search_index import clear_search_index
from store.db.erase_words import Known, Words, take_words
from store.db.forgetting import set_surface, surfaces_of, targets_of
from store.db.tenants import chain_state
from store.db.transaction import Writing, read, write
from store.domain.errors import Code, Refusal
from store.domain.forgetting import FAILURE_SENTENCES, OUTSIDE, SETTLED, Cleared, Failure, Surface, SurfaceState

Worker = Callable[[Writing, int, Sequence[int]], Cleared]

#: Who is named as having settled a surface that a worker cleared.
WORKER = "claimdesk"

#: What clears each surface. A surface without a worker stays open until a person answers for it.
WORKERS: dict[Surface, Worker] = {
    Surface.RECORD: clear_record,
    Surface.EVIDENCE: clear_evidence,
    Surface.SEARCH_INDEX: clear_search_index,
    Surface.CACHES: clear_caches,
    Surface.PREVIEWS: clear_previews,
    Surface.HISTORY: clear_history,
    Surface.READ_LOG: clear_read_log,
    Surface.EXPORTS: clear_exports,
    Surface.REPLICAS: clear_replicas,
    Surface.LOGS: clear_logs,
    Surface.BACKUPS: clear_backups,
}
#: What waits while the records themselves cannot be cleared: the texts around them are searched for by words that only the
#: records still tell, so none of these may be called done before, and no passage may be cut out of the quotes that tell them.
AFTER_THE_RECORD = tuple(surface for surface in Surface if surface not in (Surface.RECORD, *OUTSIDE))

#: So often the words of what is erased are taken again without the lock, where others wrote meanwhile; then under it.
_AGAIN = 3
#: Refusals that concern who asks, and no place.
_WHO = (Code.NOT_ALLOWED, Code.NOT_FOUND, Code.UNKNOWN_PERSON)


def clear_surfaces(
    store: ClaimStore, person: str, tenant: str, request: int, name: str, *, known: Known | None = None, failed: Failure | None = None,
    wanted: Callable[[Writing], bool] | None = None, authenticated: bool = False,
) -> dict[Surface, Failure]:  # fmt: skip
    """Clear every surface that is not cleared, one transaction each; where one cannot be, say so there and go on with those that do not wait for it.

    Args:
        request, name: the request's number and its id.
        known: the words of the records, where they were taken beforehand.
        failed: why the records cannot be cleared this time, known beforehand.
        wanted: asked in each transaction whether there is anything to do; it need not be, where somebody else does the same.

    Returns:
        The surfaces that failed, with why.

    Raises:
        Refusal: the person may not write here any more, or not even the failure could be noted.
    """
    found: dict[Surface, Failure] = {}
    for surface in Surface:
        if surface not in WORKERS or (surface in AFTER_THE_RECORD and Surface.RECORD in found):
            continue
        try:
            if surface is Surface.RECORD and failed is not None:
                note_failure(store, person, tenant, request, surface, failed, authenticated=authenticated)
                found[surface] = failed
            elif _begin_work(store, person, tenant, request, surface, wanted, authenticated):
                clear = _clear_records if surface is Surface.RECORD and wanted is None else _clear
                if clear(store, person, tenant, request, surface, known, wanted, authenticated) is SurfaceState.FAILED and surface not in OUTSIDE:
                    found[surface] = Failure.OTHER_BYTES
        except Exception as error:
            if isinstance(error, Refusal) and error.code in _WHO:
                raise
            found[surface] = name_failure(error)
            try:
                note_failure(store, person, tenant, request, surface, found[surface], authenticated=authenticated, kind=type(error).__name__)
            except (Refusal, sa.exc.SQLAlchemyError) as second:
                code = second.code if isinstance(second, Refusal) else Code.BUSY
                message = f"Erasing for {name} stopped at the surface {surface}. {FAILURE_SENTENCES[found[surface]]} All of it stays blocked."
                raise Refusal(code, message) from error
    return found


def _clear(
    store: ClaimStore, person: str, tenant: str, request: int, surface: Surface, known: Known | None, wanted: Callable[[Writing], bool] | None,
    authenticated: bool, patient: bool = False,
) -> SurfaceState | None:  # fmt: skip
    """Clear a surface in one transaction and return how far it is; None where somebody else did it meanwhile.

    Raises:
        _Outdated: the words known are not of the moment, where `patient` says that they may be taken once more.
    """
    with write(store, person, tenant, "erase", [request, surface.value], authenticated=authenticated) as tx:
        if not _waits(tx, request, surface, wanted):
            tx.repeated = {}
            return None
        fresh = known is not None and known.seq == tx.seq - 1
        if patient and not fresh:
            raise _Outdated
        return erase_surface(tx, request, surface, known.words if known is not None and fresh else None)


class _Outdated(Exception):  # noqa: N818 - it ends a transaction and is never seen
    """Ends a transaction for which words were taken that may not be all any more."""


def _clear_records(
    store: ClaimStore, person: str, tenant: str, request: int, surface: Surface, known: Known | None, wanted: Callable[[Writing], bool] | None,
    authenticated: bool,
) -> SurfaceState | None:  # fmt: skip
    """Erase the records themselves, their words taken before others have to wait, as long as nobody writes meanwhile."""
    for left in range(_AGAIN, -1, -1):
        with suppress(_Outdated):
            return _clear(store, person, tenant, request, surface, known, wanted, authenticated, patient=bool(left))
        with read(store, person, authenticated=authenticated) as reading:
            there = reading.tenant_number(tenant)
            assert there is not None, "it was there a moment ago"
            seq, records = chain_state(reading.connection, there)[0], [target.record for target in targets_of(reading.connection, there, request)]
            known = Known(take_words(reading.connection, there, records), seq)
    return None


def _begin_work(
    store: ClaimStore, person: str, tenant: str, request: int, surface: Surface, wanted: Callable[[Writing], bool] | None, authenticated: bool
) -> bool:
    """Say that a surface is worked on from now; return whether there is anything to do there."""
    with write(store, person, tenant, "erase", [request, surface.value, "begin"], authenticated=authenticated) as tx:
        tx.repeated = {}  # what becomes of the surface is an event, that somebody began is none
        if not _waits(tx, request, surface, wanted):
            return False
        if surface not in OUTSIDE:
            set_surface(tx, request, surface, 0, SurfaceState.WORKING, by=None, at=tx.at, rule=None, until=None)
        return True


def _waits(tx: Writing, request: int, surface: Surface, wanted: Callable[[Writing], bool] | None) -> bool:
    if wanted is not None and not wanted(tx):
        return False
    row = next((row for row in surfaces_of(tx.connection, tx.tenant, request) if row.surface == surface.value and row.n == 0), None)
    # What is kept until a date is looked at again, and what is outside may have become more.
    return row is not None and (SurfaceState(row.state) is not SurfaceState.DONE or (surface in OUTSIDE and wanted is None))


def name_failure(error: Exception) -> Failure:
    """Return why something could not be done, from what was raised: a word, for what a database says may name what is to be forgotten."""
    if isinstance(error, sa.exc.DBAPIError | sa.exc.TimeoutError):
        error = explain(error) or error
    if isinstance(error, Refusal):
        if error.code is Code.DAMAGED:
            return Failure.DAMAGED
        if error.code not in (Code.BUSY, Code.OUTCOME_UNKNOWN):
            return Failure.UNEXPECTED
        if "full" in error.message:
            return Failure.NO_SPACE
        return Failure.READ_ONLY if "permission" in error.message else Failure.BUSY
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO):
        return Failure.NO_SPACE
    return Failure.UNEXPECTED


def note_failure(
    store: ClaimStore, person: str, tenant: str, request: int, surface: Surface, failure: Failure, *, kind: str | None = None, authenticated: bool = False
) -> None:
    """Say of a surface that it could not be cleared, unless it is settled; an event that names neither ids nor values.

    Args:
        kind: the kind of exception, for whoever looks after the desk.
    """
    with write(store, person, tenant, "erase", [request, surface.value, failure.value], authenticated=authenticated) as tx:
        row = next(row for row in surfaces_of(tx.connection, tx.tenant, request) if row.surface == surface.value and row.n == 0)
        if SurfaceState(row.state) in SETTLED:
            tx.repeated = {}  # it was saved all the same, or somebody else cleared it; what is kept is kept
            return
        rule = f"{failure}:{kind}" if failure is Failure.UNEXPECTED and kind else failure.value
        set_surface(tx, request, surface, 0, SurfaceState.FAILED, rule=rule, until=None, by=WORKER, at=tx.at)


def erase_surface(tx: Writing, request: int, surface: Surface, words: Words | None = None) -> SurfaceState:
    """Clear one surface of everything a request asks to forget, note how far it is, and return that; may be repeated.

    Args:
        request: the request's number.
        words: what the records say, where that was taken already; only the surface of the records needs it.
    """
    worker = WORKERS.get(surface)
    if worker is clear_record and words is not None:
        worker = partial(clear_record, words=words)
    if worker is None:
        return next(SurfaceState(row.state) for row in surfaces_of(tx.connection, tx.tenant, request) if row.surface == surface.value and row.n == 0)
    cleared = worker(tx, request, [target.record for target in targets_of(tx.connection, tx.tenant, request)])
    # A surface that was cleared before and is looked at again counts what was found altogether.
    s = t.deletion_surface
    query = sa.select(s.c.found, s.c.state, s.c.until, s.c.by, s.c.at).where(s.c.tenant == tx.tenant, s.c.request == request)
    before = tx.connection.execute(query.where(s.c.surface == surface.value, s.c.n == 0)).one()
    by, at = (None, None) if cleared.state is SurfaceState.OPEN else (WORKER, tx.at)
    if before.by is not None and (before.state, before.until) == (cleared.state, cleared.until):
        by, at = before.by, before.at  # whoever settled it so did
    set_surface(tx, request, surface, 0, cleared.state, rule=cleared.rule, until=cleared.until, by=by, at=at, found=(before.found or 0) + cleared.found)
    if surface is Surface.RECORD and cleared.state is SurfaceState.DONE:
        d = t.deletion_target
        where = (d.c.tenant == tx.tenant, d.c.request == request, d.c.erased_at.is_(None))
        tx.connection.execute(sa.update(d).where(*where).values(erased_at=tx.at))
    return cleared.state


def find_broken_off(store: ClaimStore, tenant: int, requests: Collection[int]) -> set[tuple[int, str]]:
    """Return (request, surface) of what says that it is worked on although nobody is: whoever works holds the tenant's lock.

    Nothing is waited for: while the lock is taken, by whomever, nothing counts as broken off.
    """
    s, x = t.deletion_surface, t.tenant
    query = sa.select(s.c.request, s.c.surface).where(s.c.tenant == tenant, s.c.n == 0, s.c.state == int(SurfaceState.WORKING))
    engine = open_plain(store.url)
    try:
        with closing(engine.connect()) as connection:
            if is_sqlite(engine):
                connection.exec_driver_sql("PRAGMA busy_timeout=0")
                connection.exec_driver_sql("BEGIN IMMEDIATE")
                free = True
            else:
                free = bool(connection.execute(sa.select(x.c.tenant).where(x.c.tenant == tenant).with_for_update(skip_locked=True)).all())
            found = {(row.request, row.surface) for row in connection.execute(query)} if free else set()
            connection.rollback()
            return {one for one in found if one[0] in requests}
    except sa.exc.DBAPIError:
        return set()
    finally:
        engine.dispose()
