"""What the verification of a deletion request found, kept with other proofs; and what searching again later needs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.bulk import chunks
from store.db.claim_store import ClaimStore
from store.db.erase_mentions import rows_naming
from store.db.keys import load_key
from store.db.proofs import VERIFICATION
from store.db.residue import Place, Residue
from store.domain.forgetting import ERASED_ID
from store.domain.mentions import Finder
from store.domain.scopes import EVERYWHERE, tenant_of

#: Tables in which living records, and the names they go by, say what they say; a word there belongs to them.
_RECORDS = {
    table.name: table for table in (t.record, t.claim, t.artifact, t.evidence, t.evidence_content, t.rendition, t.binding, t.delivery, t.contributor, t.replaced_content)
}  # fmt: skip
_NAMES = {"claim_key", "source", "party", "scope"}
#: Places that tell who holds a copy, and where a backup lies: they have to be known until it is destroyed.
_HELD = {"export_copy.holder", "deletion_surface.owner", "message.recipient", "message.address", "message.body"}
#: Most records that are listed as saying the same.
_MOST = 1000


@dataclass(slots=True)
class Verdict:
    """What was found of the words of a request after it was carried out.

    Attributes:
        left: place -> how often; what should not be there.
        also_said: numbers of living records that say the same, at most a thousand; `also`: how many places of theirs.
        names: places of names that others share: subjects, sources, owners, scopes.
        held: places of names by which copies are found and destroyed.
    """

    left: dict[str, int] = field(default_factory=dict)
    also_said: set[int] = field(default_factory=set)
    also: int = 0
    names: dict[str, int] = field(default_factory=dict)
    held: dict[str, int] = field(default_factory=dict)


def judge(connection: Connection, tenant: int, residue: Residue, words: Sequence[str], marker: str | None, *, held: bool = False) -> Verdict:
    """Tell apart what is left of a request and what living records say themselves.

    Args:
        held: somebody who holds a file goes by one of the words.
        words: what was looked for, as in `residue`; `marker` is among them.
    """
    verdict = Verdict()
    in_tables = {place.word for place in residue.places if _table_of(place)}
    for place in residue.places:
        word, table = words[place.word], _table_of(place)
        if word == marker:
            _add(verdict.left, place)
        elif table in _RECORDS:
            verdict.also += place.count
            verdict.also_said |= _records_saying(connection, tenant, place.where, word, len(verdict.also_said))
        elif place.where == "backup_copy.name" or (held and place.where in _HELD):
            _add(verdict.held, place)
        elif table in _NAMES or place.where.endswith(".scope"):
            # A scope is the name of what others hold, and no way leads to another name of it.
            _add(verdict.names, place)
        elif table:
            _add(verdict.left, place)
        elif place.word not in in_tables and place.word not in residue.parts:
            # A file holds it and no row does, not even within a longer name: an erased row left it behind.
            _add(verdict.left, place)
    return verdict


def _table_of(place: Place) -> str:
    """Return the table of a place that is a column; nothing for files, whatever they are called."""
    table, _, column = place.where.partition(".")
    return table if table in t.metadata.tables and column in t.metadata.tables[table].c else ""


def is_column(where: str) -> bool:
    """Return whether a place is a column of a table, and no file."""
    return bool(_table_of(Place(where, 0, "", 0)))


def _add(places: dict[str, int], place: Place) -> None:
    places[place.where] = places.get(place.where, 0) + place.count


def _records_saying(connection: Connection, tenant: int, where: str, word: str, known: int) -> set[int]:
    name, column = where.split(".")
    finder = Finder(frozenset(), frozenset((word,)))
    found: set[int] = set()
    if known < _MOST:
        for row in rows_naming(connection, tenant, _RECORDS[name], (column,), finder, ("record",)):
            found.add(row.record)
            if known + len(found) >= _MOST:
                break
    return found


def holders_naming(connection: Connection, tenant: int, finder: Finder) -> list[int]:
    """Return the exports, by number, whose holder goes by a word of what was forgotten."""
    return sorted({row.export for row in rows_naming(connection, tenant, t.export_copy, ("holder",), finder, ("export",))}) if finder else []


def known_again(connection: Connection, tenant: int, erased: Any) -> int:
    """Return how many records and sources of a tenant have an id that was erased, by the ledger's HMACs."""
    count = 0
    for column in (t.record.c.id, t.source.c.id):
        for some in chunks(connection.execute(sa.select(column).where(column.table.c.tenant == tenant)).scalars().all(), 5000):
            count += sum(erased.has_id(one) for one in some if not one.startswith(ERASED_ID))
    return count


@dataclass(frozen=True, slots=True)
class Verified:
    """The latest verification of a request."""

    ok: bool
    at: int
    found: dict[str, Any]


def last_verification(connection: Connection, tenant: int, request: int) -> Verified | None:
    """Return the latest verification of a request, None where there was none."""
    p = t.proof
    query = sa.select(p.c.ok, p.c.at, p.c.found).where(p.c.tenant == tenant, p.c.kind == VERIFICATION, p.c.request == request)
    row = connection.execute(query.order_by(p.c.proof.desc()).limit(1)).one_or_none()
    return None if row is None else Verified(bool(row.ok), row.at, json.loads(row.found))


# --- asking again -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AskedFor:
    """What is asked for again once it is forgotten; in memory only.

    Attributes:
        keys: (scope, subject, predicate, qualifiers) of the claims.
    """

    ids: tuple[str, ...]
    keys: tuple[tuple[str, str, str, dict[str, Any]], ...]
    texts: tuple[str, ...]


def take_keys(connection: Connection, tenant: int, records: Sequence[int]) -> tuple[tuple[str, str, str, dict[str, Any]], ...]:
    """Return the keys of records that are not erased yet, as they would be asked for; of the first few hundred."""
    r = t.record
    query = sa.select(r.c.key).where(r.c.tenant == tenant, r.c.record.in_(list(records)[:500]), r.c.key.is_not(None)).distinct()
    return tuple(load_key(connection, tenant, key) for key in connection.execute(query).scalars().all())


def somebody_else(store: ClaimStore, tenant: str) -> str | None:
    """Return somebody who has roles, and none in this tenant."""
    p, r = t.person, t.role
    scopes: dict[str, set[str]] = {}
    query = sa.select(p.c.id, r.c.scope).join(r, (r.c.tenant == p.c.tenant) & (r.c.person == p.c.person)).order_by(p.c.tenant, p.c.person)
    with store.reader.connect() as connection:
        for name, scope in connection.execute(query):
            scopes.setdefault(name, set()).add(scope)
    strangers = (name for name, its in scopes.items() if not any(one == EVERYWHERE or tenant_of(one) == tenant for one in its))
    return next(strangers, None)
