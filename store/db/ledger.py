"""The ledger of erasures: a small file of its own, outside every backup, that knows what may never come back (R28).

It holds no value and no id, only HMACs under a random key for each tenant; the keys are kept nowhere else. Its number of
entries, `seq`, tells a store whether it has carried out all that was ever erased.
"""

from __future__ import annotations

import json
import secrets
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db.engine import explained, file_explained, open_side_file
from store.db.erased import Erased, mac_id, mac_value, mac_words
from store.domain.errors import Code, Refusal
from store.domain.values import Predicate, comparable, undeclared

#: Marks the file as a ledger ("CLML").
LEDGER_MARK = 0x434C4D4C
TABLES = (
    "CREATE TABLE ledger (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "CREATE TABLE tenant_key (tenant TEXT PRIMARY KEY, key BLOB NOT NULL)",
    # One row for each time something was noted; `refused` when the request was refused after all.
    "CREATE TABLE noted (seq INTEGER PRIMARY KEY, tenant TEXT NOT NULL, request TEXT NOT NULL, refused INTEGER NOT NULL DEFAULT 0)",
    "CREATE TABLE entry (seq INTEGER NOT NULL, record INTEGER NOT NULL, id_mac TEXT NOT NULL, value_mac TEXT)",
    "CREATE INDEX ix_entry ON entry (seq)",
    "CREATE TABLE passage (seq INTEGER NOT NULL, id_mac TEXT NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL)",
    "CREATE INDEX ix_passage ON passage (seq)",
    # What is asked to be forgotten and blocked so far, as JSON, until it is erased or refused.
    "CREATE TABLE asked (tenant TEXT NOT NULL, request TEXT NOT NULL, content TEXT NOT NULL, PRIMARY KEY (tenant, request))",
)

#: What to do about a ledger that is not there or not the right one.
HOW_TO_PROCEED = (
    "Put the store's own ledger in that place, from where it was kept when the store was moved or restored, or set CLAIMDESK_LEDGER to its file or folder."
)

#: A record's number, the HMAC of its id, and that of key and value where it has one.
Entry = tuple[int, str, str | None]
#: The HMAC of a version's id, and code points from and to.
Passage = tuple[str, int, int]


@dataclass(frozen=True, slots=True)
class Noted:
    """What was noted of one request at once."""

    seq: int
    tenant: str
    request: str
    refused: bool
    entries: tuple[Entry, ...]
    passages: tuple[Passage, ...]


#: What is not done where the ledger of an open store is gone or was exchanged.
_NOT_SAVED = "Nothing was saved"
_NOTHING = Erased(b"", frozenset(), frozenset())


class Ledger:
    """An open ledger; safe for several threads and processes.

    Attributes:
        path: the file.
        id: the random id by which a store knows its ledger.
        is_taken: whether a store has it.
    """

    def __init__(self, path: Path) -> None:
        """Open the ledger in a file.

        Raises:
            Refusal: `damaged`, it is none or cannot be read.
        """
        self.path = path
        self._engine = open_side_file(path)
        self._guard = threading.RLock()
        self._keys: dict[str, bytes] = {}
        self._erased: dict[str, Erased] = {}
        self._seen: tuple[int, ...] | None = None
        self._seq = 0
        self._asked: list[Noted] = []
        stamp = self._stamp()
        with self._reading() as connection:
            self.id = _id_of(connection, path, "The store was not opened")
            query = "SELECT (SELECT count(*) FROM noted) + (SELECT count(*) FROM asked), (SELECT count(*) FROM ledger WHERE name = 'taken')"
            known, taken = connection.exec_driver_sql(query).one()
        self.is_taken = bool(known or taken)
        if not known:  # nothing was ever asked for or erased: the file need not be read again to know it
            self._seen = stamp

    # --- what was erased -----------------------------------------------------------------------------------------

    @property
    def seq(self) -> int:
        """The number of the latest entry, 0 where nothing was ever erased."""
        with self._guard:
            self._refresh()
            return self._seq

    def erased(self, tenant: str) -> Erased:
        """Return what was ever erased of a tenant; ask it about many records within one action."""
        with self._guard:
            self._refresh()
            return self._erased.get(tenant, _NOTHING)

    def recognising(self, tenant: str, ids: Iterable[str], values: Iterable[str]) -> Erased:
        """Return what was ever erased of a tenant together with what is about to be, given by HMACs."""
        known = self.erased(tenant)
        more, its = frozenset(ids), frozenset(values)
        return Erased(self._key(tenant), known.ids | more, known.values | its) if more or its else known

    def is_erased_id(self, tenant: str, record_id: str) -> bool:
        """Return whether a record of this id was erased."""
        return self.erased(tenant).has_id(record_id)

    def is_erased_value(self, tenant: str, scope: str, subject: str, predicate: str, qualifiers: dict[str, Any], value: Any) -> bool:
        """Return whether a claim of this key with this value, however written, was erased."""
        return self.erased(tenant).has_value(scope, subject, predicate, qualifiers, value)

    def erased_record(self, tenant: str, record_id: str) -> str | None:
        """Return the HMAC by which `deletion_target` knows the tombstone of a forgotten id, None where no such id was erased."""
        known = self.erased(tenant)
        return mac_id(known.key, record_id) if known.has_id(record_id) else None

    # --- HMACs ----------------------------------------------------------------------------------------------------

    def mac_id(self, tenant: str, record_id: str) -> str:
        """Return the HMAC of a record's id under its tenant's key.

        Raises:
            Refusal: the tenant has no key yet and the ledger cannot be written.
        """
        return mac_id(self._key(tenant), record_id)

    def mac_value(
        self, tenant: str, scope: str, subject: str, predicate: str, qualifiers: dict[str, Any], value: Any, declared: Predicate | None = None
    ) -> str:
        """Return the HMAC of a claim's key and value under its tenant's key.

        Args:
            declared: how the predicate compares values; as JSON by default. A value that counts as the same is known again.

        Raises:
            Refusal: the tenant has no key yet and the ledger cannot be written.
        """
        form = comparable(value, declared or undeclared(scope, predicate))
        return mac_value(self._key(tenant), scope, subject, predicate, qualifiers, form)

    def words_macs(self, tenant: str) -> Callable[[str], str]:
        """Return what gives the HMAC of words of a document under a tenant's key; for many words at once.

        Raises:
            Refusal: the tenant has no key yet and the ledger cannot be written.
        """
        key = self._key(tenant)
        return lambda words: mac_words(key, words)

    def _key(self, tenant: str) -> bytes:
        with self._guard:
            if tenant not in self._keys:
                row = {"tenant": tenant, "key": secrets.token_bytes(32)}
                query = sa.text("SELECT key FROM tenant_key WHERE tenant = :tenant")
                with self._reading() as connection:
                    found = connection.execute(query, row).scalar_one_or_none()
                if found is None:
                    with self._writing() as connection:
                        connection.execute(sa.text("INSERT INTO tenant_key (tenant, key) VALUES (:tenant, :key) ON CONFLICT DO NOTHING"), row)
                        found = connection.execute(query, row).scalar_one()
                self._keys[tenant] = bytes(found)
            return self._keys[tenant]

    # --- noting ---------------------------------------------------------------------------------------------------

    def note_erasure(self, tenant: str, request: str, entries: Iterable[Entry], redactions: Iterable[Passage] = ()) -> int:
        """Note, before anything is erased, what a request erases; return the entry's number, to be kept as the store's `ledger_seq`.

        To note the same again adds nothing. It is on the disk when this returns.

        Raises:
            Refusal: the ledger cannot be written.
        """
        wanted, blotted = list(dict.fromkeys(entries)), list(dict.fromkeys(redactions))
        with self._guard, self._writing() as connection:
            before = [one for one in _load(connection, 0) if (one.tenant, one.request, one.refused) == (tenant, request, False)]
            known = {entry for one in before for entry in one.entries}
            covered = {passage for one in before for passage in one.passages}
            wanted, blotted = [one for one in wanted if one not in known], [one for one in blotted if one not in covered]
            if before and not wanted and not blotted:
                return max(one.seq for one in before)
            seq = _last(connection) + 1
            _forget_asked(connection, tenant, request)
            connection.execute(
                sa.text("INSERT INTO noted (seq, tenant, request) VALUES (:seq, :tenant, :request)"), {"seq": seq, "tenant": tenant, "request": request}
            )
            rows = [{"seq": seq, "record": record, "id_mac": id_mac, "value_mac": value_mac} for record, id_mac, value_mac in wanted]
            if rows:
                connection.execute(sa.text("INSERT INTO entry (seq, record, id_mac, value_mac) VALUES (:seq, :record, :id_mac, :value_mac)"), rows)
            rows = [{"seq": seq, "id_mac": id_mac, "start": start, "end": end} for id_mac, start, end in blotted]
            if rows:
                connection.execute(sa.text('INSERT INTO passage (seq, id_mac, start, "end") VALUES (:seq, :id_mac, :start, :end)'), rows)
        return seq

    def note_asked(self, tenant: str, request: str, entries: Iterable[Entry], redactions: Iterable[Passage] = ()) -> None:
        """Note what a request blocks before anything of it is erased, so that a restored copy that does not know of it blocks it too.

        What a request of the same name in another copy of the store blocks stays noted beside it.

        Raises:
            Refusal: the ledger cannot be written.
        """
        query = sa.text("SELECT tenant, request, content FROM asked WHERE tenant = :tenant AND request = :request")
        with self._guard, self._writing() as connection:
            before = [_read_asked(*row) for row in connection.execute(query, {"tenant": tenant, "request": request})]
            wanted = dict.fromkeys([*(entry for one in before for entry in one.entries), *entries])
            blotted = dict.fromkeys([*(passage for one in before for passage in one.passages), *redactions])
            _forget_asked(connection, tenant, request)
            row = {"tenant": tenant, "request": request, "content": json.dumps({"entries": list(wanted), "passages": list(blotted)}, separators=(",", ":"))}
            connection.execute(sa.text("INSERT INTO asked (tenant, request, content) VALUES (:tenant, :request, :content)"), row)

    def asked(self) -> list[Noted]:
        """Return what is blocked and not erased yet; their `seq` is 0."""
        with self._guard:
            self._refresh()
            return self._asked

    def note_refused(self, tenant: str, request: str, entries: Iterable[Entry], redactions: Iterable[Passage] = ()) -> None:
        """Note that a request was refused after all: what was noted of it to be erased counts no more.

        Names of requests are given again where a store was restored from before the first one. What else was erased under the
        same name stays erased.

        Raises:
            Refusal: the ledger cannot be written.
        """
        own, passages = frozenset(entries), frozenset(redactions)
        with self._guard, self._writing() as connection:
            for one in _load(connection, 0):
                if (one.tenant, one.request) == (tenant, request) and own.issuperset(one.entries) and passages.issuperset(one.passages):
                    connection.execute(sa.text("UPDATE noted SET refused = 1 WHERE seq = :seq"), {"seq": one.seq})

    def forget_asked(self, tenant: str, request: str) -> None:
        """Let a request that was refused block nothing in an older copy either.

        Raises:
            Refusal: the ledger cannot be written.
        """
        with self._guard, self._writing() as connection:
            _forget_asked(connection, tenant, request)

    def noted_after(self, seq: int) -> list[Noted]:
        """Return what was noted after entry `seq`, oldest first."""
        with self._guard, self._reading() as connection:
            return _load(connection, seq)

    def take(self) -> None:
        """Note that a store has it, so that none made later takes it for one whose making was broken off. A ledger that can only be read stays as it is."""
        if not self.is_taken:
            with suppress(Refusal), self._guard, self._writing() as connection:
                connection.exec_driver_sql("INSERT INTO ledger (name, value) VALUES ('taken', '1') ON CONFLICT DO NOTHING")
                self.is_taken = True

    # --- the file -------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Close the file."""
        self._engine.dispose()

    def _stamp(self) -> tuple[int, ...]:
        with file_explained(self.path):
            try:
                found = self.path.stat()
            except FileNotFoundError:
                raise Refusal(
                    Code.LEDGER_MISSING, f"The store's ledger of erasures is no longer in {self.path}. Nothing was saved. {HOW_TO_PROCEED}"
                ) from None
        return (found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino)

    def _refresh(self) -> None:
        stamp = self._stamp()
        if stamp == self._seen:
            return
        with self._reading() as connection:
            self._seq = self._need_same(connection)
            asked = [_read_asked(*row) for row in connection.exec_driver_sql("SELECT tenant, request, content FROM asked ORDER BY tenant, request")]
            keys = {tenant: bytes(key) for tenant, key in connection.exec_driver_sql("SELECT tenant, key FROM tenant_key")}
            ids: dict[str, set[str]] = {}
            values: dict[str, set[str]] = {}
            query = "SELECT n.tenant, e.id_mac, e.value_mac FROM noted n JOIN entry e ON e.seq = n.seq WHERE n.refused = 0"
            for tenant, id_mac, value_mac in connection.exec_driver_sql(query):
                ids.setdefault(tenant, set()).add(id_mac)
                if value_mac is not None:
                    values.setdefault(tenant, set()).add(value_mac)
        self._keys, self._asked = keys, asked
        self._erased = {tenant: Erased(keys[tenant], frozenset(found), frozenset(values.get(tenant, ()))) for tenant, found in ids.items()}
        self._seen = stamp

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with ledger_explained(self.path), self._engine.connect() as connection:
            yield connection

    def _need_same(self, connection: Connection) -> int:
        """Return the latest entry, having made sure that the file was not exchanged for another while the store is open."""
        if _id_of(connection, self.path, _NOT_SAVED) != self.id:
            raise foreign_ledger(self.path, _NOT_SAVED)
        last = _last(connection)
        if last < self._seq:
            raise ledger_behind(self.path, last, self._seq, _NOT_SAVED)
        return last

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        self._stamp()  # SQLite would make a file that is not there
        with ledger_explained(self.path), self._engine.connect() as connection:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            try:
                self._need_same(connection)
                yield connection
                connection.commit()
            except BaseException:
                with suppress(sa.exc.DBAPIError):
                    connection.rollback()
                raise


def _forget_asked(connection: Connection, tenant: str, request: str) -> None:
    connection.execute(sa.text("DELETE FROM asked WHERE tenant = :tenant AND request = :request"), {"tenant": tenant, "request": request})


def _read_asked(tenant: str, request: str, content: str) -> Noted:
    found = json.loads(content)
    entries = tuple((record, id_mac, value_mac) for record, id_mac, value_mac in found["entries"])
    return Noted(0, tenant, request, False, entries, tuple((id_mac, start, end) for id_mac, start, end in found["passages"]))


def _id_of(connection: Connection, path: Path, what: str) -> str:
    """Return the id of the ledger in a file.

    Raises:
        Refusal: `damaged`, it is none; `what` says what is not done.
    """
    if connection.exec_driver_sql("PRAGMA application_id").scalar_one() != LEDGER_MARK:
        raise Refusal(Code.DAMAGED, f"{path} is no ledger of erasures. {what}. {HOW_TO_PROCEED}")
    return str(connection.exec_driver_sql("SELECT value FROM ledger WHERE name = 'id'").scalar_one())


def foreign_ledger(path: Path, what: str) -> Refusal:
    """Return the refusal of a ledger that is another store's; `what` says what is not done."""
    return Refusal(Code.LEDGER_FOREIGN, f"{path} is the ledger of erasures of another store. {what}. {HOW_TO_PROCEED}")


def ledger_behind(path: Path, last: int, done: int, what: str) -> Refusal:
    """Return the refusal of a ledger that ends at entry `last` where the store has carried out `done`."""
    return Refusal(
        Code.LEDGER_BEHIND,
        f"{path} is an older copy of the store's ledger of erasures: it ends at entry {last}, and the store has carried out {done}. "
        f"Something forgotten could come back. {what}. {HOW_TO_PROCEED}",
    )


def _last(connection: Connection) -> int:
    return int(connection.exec_driver_sql("SELECT coalesce(max(seq), 0) FROM noted").scalar_one())


def _load(connection: Connection, after: int) -> list[Noted]:
    found = connection.execute(sa.text("SELECT seq, tenant, request, refused FROM noted WHERE seq > :after ORDER BY seq"), {"after": after}).all()
    entries: dict[int, list[Entry]] = {}
    passages: dict[int, list[Passage]] = {}
    query = sa.text("SELECT seq, record, id_mac, value_mac FROM entry WHERE seq > :after ORDER BY seq, record")
    for seq, record, id_mac, value_mac in connection.execute(query, {"after": after}):
        entries.setdefault(seq, []).append((record, id_mac, value_mac))
    query = sa.text('SELECT seq, id_mac, start, "end" FROM passage WHERE seq > :after ORDER BY seq, id_mac, start')
    for seq, id_mac, start, end in connection.execute(query, {"after": after}):
        passages.setdefault(seq, []).append((id_mac, start, end))
    return [
        Noted(row.seq, row.tenant, row.request, bool(row.refused), tuple(entries.get(row.seq, ())), tuple(passages.get(row.seq, ()))) for row in found
    ]


@contextmanager
def ledger_explained(path: Path) -> Iterator[None]:
    """Say of what cannot be done with a ledger that it is the ledger."""
    try:
        with explained():
            yield
    except Refusal as refusal:
        if isinstance(refusal.__cause__, sa.exc.DBAPIError):
            if refusal.code is Code.DAMAGED:
                raise Refusal(Code.DAMAGED, f"The ledger of erasures {path} is damaged. The store was not opened. {HOW_TO_PROCEED}") from refusal
            what = refusal.message.replace("The database file", "it").replace("The database", "it")
            raise Refusal(refusal.code, f"The ledger of erasures {path} cannot be used: {what[:1].lower()}{what[1:]}") from refusal
        raise
