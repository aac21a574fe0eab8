"""Opening a store: what is checked before anything in it is trusted, and making one."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from store.db import migrations
from store.db import tables as t
from store.db.engine import APPLICATION_ID, BACKUP_MARK, database_file, explained, file_explained, open_engines, open_plain, protect_file
from store.db.ledger import Ledger
from store.db.ledger_files import ledger_path, make_ledger, open_ledger
from store.db.snapshots import Snapshots
from store.domain.errors import Code, Refusal
from store.domain.forgetting import RequestState
from store.domain.people import OPERATOR, ROLES
from store.domain.scopes import EVERYWHERE
from store.domain.times import from_datetime

#: The row of `store` with the lineages it had before it was restored from backups.
FORMER = "former_lineages"
#: How rows of `store` begin that say of a request the ledger knows that it concerns nothing here: this, the tenant's name, a colon, the request's id.
NOT_HERE = "not here "
#: The tenant number under which people with roles everywhere are kept; it holds no records.
STORE_ITSELF = 0


def read_clock() -> int:
    """Return the time now in microseconds UTC."""
    return from_datetime(datetime.now(UTC))


def new_id() -> str:
    """Return an id nobody has used: 16 random bytes, in hexadecimal."""
    return secrets.token_hex(16)


@dataclass(slots=True)
class ClaimStore:
    """An open store.

    Attributes:
        url: where it is.
        writer, reader: engines for writing and for reading.
        lineage: the random id of this history; a copy that went another way has another.
        ledger: what was ever erased, kept outside the store and its backups.
        now: returns the time in microseconds; read once per action.
        new_id: returns a fresh operation id.
    """

    url: str
    writer: Engine
    reader: Engine
    lineage: str
    ledger: Ledger
    now: Callable[[], int] = read_clock
    new_id: Callable[[], str] = new_id
    snapshots: Snapshots = field(default_factory=Snapshots)

    def close(self) -> None:
        """Close all connections."""
        self.writer.dispose()
        self.reader.dispose()
        self.ledger.close()


def _examine_file(url: str) -> bool:
    """Return whether a SQLite store is there, refusing what is something else.

    SQLite itself does the looking: to open and close the file otherwise would give up every lock this process holds on it.
    """
    path = database_file(url)
    if path is None:
        return True
    with file_explained(path):
        if not path.exists():
            return False
        if path.is_dir():
            raise Refusal(Code.BAD_VALUE, f"{path} is a folder. Nothing was opened. Name a file, such as {path}/claimdesk.db.")
        if not path.stat().st_size:
            return False
    plain = open_plain(url)
    try:
        with explained(), plain.connect() as connection:
            mark = connection.exec_driver_sql("PRAGMA application_id").scalar_one()
    except Refusal as refusal:
        if refusal.code is not Code.DAMAGED:
            raise
        raise Refusal(
            Code.DAMAGED, f"{path} is damaged or no SQLite database. It was left as it is. Put a backup in its place, or name another file."
        ) from refusal
    finally:
        plain.dispose()
    if mark == BACKUP_MARK:
        raise Refusal(
            Code.BAD_VALUE,
            f"{path} is a backup and is not opened as a store: what was forgotten since may stand in it. Run: python -m store --db URL restore {path}",
        )
    if mark not in (0, APPLICATION_ID):
        raise migrations.belongs_elsewhere(path)
    return True


def _missing(url: str) -> Refusal:
    path = database_file(url)
    if path is not None and path.exists() and not path.stat().st_size:
        return Refusal(
            Code.NOT_FOUND, f"{path} is empty. If it held a store, put a backup in its place; else run: python -m store init   (or init --sample)."
        )
    if path is None:
        return Refusal(Code.NOT_FOUND, "There is no store in that database. Run: python -m store init   (or init --sample for a demonstration).")
    # The default is a name without a folder: which folder that means depends on where the command was given.
    return Refusal(
        Code.NOT_FOUND,
        f"There is no store in {path.absolute()}. If it is kept elsewhere, start from its folder, or name it in CLAIMDESK_DB or --db; "
        "for a new one, run in the project's folder: python -m store init   (or init --sample for a demonstration).",
    )


def open_store(url: str, now: Callable[[], int] = read_clock, *, ledger: Path | None = None) -> ClaimStore:
    """Open an existing store; what its ledger names and it still holds is erased before this returns.

    Args:
        ledger: the file of its ledger, for a copy in a scratch place; where ledgers are kept by default.

    Raises:
        Refusal: it is not there, is damaged, cannot be reached, or was made by a newer program; its ledger is missing, another store's or behind it.
    """
    if not _examine_file(url):
        raise _missing(url)
    plain = open_plain(url)
    try:
        with explained(), plain.connect() as connection:
            revision = migrations.current_revision(connection)
            if revision is None:
                raise _missing(url)
            migrations.check_revision(revision)
            about = _read_about(connection)
    finally:
        plain.dispose()
    return _trust(url, about, now, ledger)


def _trust(url: str, about: dict[str, str], now: Callable[[], int], ledger_file: Path | None) -> ClaimStore:
    """Open a store of which `about` says which history and ledger it has."""
    if "lineage" not in about:
        raise Refusal(Code.DAMAGED, "The store has lost the id of its history. It was left as it is. Put a backup in its place and run verify.")
    if "ledger" not in about:
        raise Refusal(Code.BAD_VALUE, "The store has no ledger of erasures yet. Make a backup, then run: python -m store init")
    ledger = open_ledger(ledger_file or ledger_path(url, about["ledger"]), about["ledger"], int(about["ledger_seq"]))
    ledger.take()
    writer, reader = open_engines(url)
    store = ClaimStore(url, writer, reader, about["lineage"], ledger, now)
    try:
        with explained():
            if ledger.seq > int(about["ledger_seq"]) or any(name.startswith("again ") for name in about) or _differs_in_asked(store, about):
                # Loaded only here: it stands on everything that changes records, and that stands on this module.
                from store.db.reapplying import reapply  # noqa: PLC0415

                reapply(store)
    except BaseException:
        store.close()
        raise
    return store


def _differs_in_asked(store: ClaimStore, about: dict[str, str]) -> bool:
    """Return whether store and ledger know of other requests to forget that block and erase nothing yet.

    The ledger may know of one that a restored older copy has neither entered nor found to concern nothing here; and a process
    that was ended between the two leaves the ledger without one that was entered, or with one that was refused.
    """
    with store.reader.connect() as connection:
        states = states_of_requests(connection)
    asked = {(one.tenant, one.request) for one in store.ledger.asked()}
    lacking = {one for one in asked - states.keys() if f"{NOT_HERE}{one[0]}:{one[1]}" not in about}
    return bool(lacking or {one for one, waits in states.items() if waits != (one in asked)})


def states_of_requests(connection: Connection) -> dict[tuple[str, str], bool]:
    """Return every request to forget, by the name of its tenant and its id -> whether it blocks and erasing has not begun."""
    r, n = t.deletion_request, t.tenant
    query = sa.select(n.c.name, r.c.id, r.c.state, r.c.begun_at).join(n, n.c.tenant == r.c.tenant)
    return {(tenant, request): state == int(RequestState.OPEN) and begun is None for tenant, request, state, begun in connection.execute(query)}


def create_store(url: str, now: Callable[[], int] = read_clock, *, ledger: Path | None = None) -> ClaimStore:
    """Create or migrate a store, with one person, `operator`, who has every role everywhere.

    Args:
        ledger: the file of its ledger, for a store in a scratch place; where ledgers are kept by default.

    Raises:
        Refusal: the place holds something else, cannot be reached, or was made by a newer program.
    """
    _examine_file(url)
    protect_file(url)
    lineage, about, made = secrets.token_hex(16), dict[str, str](), False

    def furnish(connection: Connection) -> None:
        nonlocal about, made
        _furnish_store(connection)
        if "ledger" not in _read_about(connection):
            # The ledger first: without it there must be no store, and a ledger alone is taken over by the next attempt.
            ledger_id, seq, made = make_ledger(url, ledger)
            connection.execute(sa.insert(t.store), [{"name": "ledger", "value": ledger_id}, {"name": "ledger_seq", "value": str(seq)}])
        about = _read_about(connection)

    def _furnish_store(connection: Connection) -> None:
        if "lineage" in _read_about(connection):
            return
        connection.execute(sa.insert(t.store), [{"name": "lineage", "value": lineage}, {"name": "made", "value": str(now())}])
        connection.execute(sa.insert(t.tenant), {
            "tenant": STORE_ITSELF, "name": "", "revision": 0, "event_seq": 0, "next_record": 1, "head": "", "policy_version": 0,
        })  # fmt: skip
        connection.execute(sa.insert(t.person), {"tenant": STORE_ITSELF, "person": 1, "id": OPERATOR, "name": "Operator"})
        roles = [{"tenant": STORE_ITSELF, "person": 1, "role": role, "scope": EVERYWHERE} for role in ROLES]
        connection.execute(sa.insert(t.role), roles)

    migrations.upgrade(url, furnish)
    return _trust(url, about, now, ledger)


def _read_about(connection: Connection) -> dict[str, str]:
    return {name: value for name, value in connection.execute(sa.select(t.store.c.name, t.store.c.value))}  # noqa: C416 - rows are no pairs to dict()


def lineages_of(connection: Connection) -> list[str]:
    """Return the ids of the histories a store has had: its own, and those it had before it was restored."""
    about = _read_about(connection)
    return [about["lineage"], *json.loads(about.get(FORMER, "[]"))]
