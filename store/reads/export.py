"""Writing a store out: as a bundle that comes back byte for byte, as CSV for spreadsheets, as PROV-JSON (W3C)."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from store.db import tables as t
from store.db.claim_store import ClaimStore
from store.db.conflicts import OPEN
from store.db.keys import load_predicates, load_scopes
from store.db.records import load_cards, load_contents, load_ids
from store.db.transaction import Reading, read
from store.domain.bundle import write_line
from store.domain.errors import Code, Refusal
from store.domain.people import Right
from store.domain.records import Artifact, Card, Claim, ConflictEntry, Evidence, Person, ReadEntry, Record, Source
from store.domain.scopes import EVERYWHERE, covers, tenant_of
from store.domain.status import KIND_WORD, Status
from store.domain.text import canonical_json, guard_cell
from store.domain.times import format_optional
from store.reads.queues import tenants_of

FORMATS = ("bundle", "csv", "prov-json")
_PAGE = 1000
_LINE_STATUS = {
    Status.CANDIDATE: "candidate", Status.ACCEPTED: "reviewed", Status.DISPUTED: "disputed", Status.STALE: "stale",
    Status.SUPERSEDED: "superseded", Status.REVOKED: "revoked", Status.REJECTED: "rejected", Status.DELETION_PENDING: "deletion_pending",
    Status.DELETED: "deleted",
}  # fmt: skip


def export_store(
    store: ClaimStore, person: str, path: Path, *, scope: str | None = None, form: str = "bundle", authenticated: bool = False
) -> dict[str, Any]:
    """Write the store, or a scope of it, to a file and return `{"lines": n}`; the file appears whole or not at all.

    Raises:
        Refusal: the person is no admin of what is asked for, or the file cannot be written.
    """
    if form not in FORMATS:
        raise Refusal(Code.BAD_VALUE, f"There is no format {form!r}; there are {', '.join(FORMATS)}.")
    part = path.with_name(path.name + ".part")
    try:
        with read(store, person, authenticated=authenticated) as reading, part.open("w", encoding="utf-8", newline="") as file:
            lines = 0
            for line in _LINES[form](reading, scope):
                file.write(line)
                lines += 1
        part.replace(path)
    except OSError as error:
        raise Refusal(Code.BUSY, f"{path} was not written: {error.strerror or 'the file cannot be written'}. Give another place.") from None
    finally:
        part.unlink(missing_ok=True)
    return {"lines": lines}


def _chosen(reading: Reading, scope: str | None) -> list[tuple[int, str]]:
    """Return the tenants to export, refusing what the person may not administer."""
    if scope is not None:
        reading.actor.need(Right.ADMINISTER, scope, "export")
        number = reading.tenant_number(tenant_of(scope))
        return [] if number is None else [(number, tenant_of(scope))]
    found = [(number, name) for number, name in tenants_of(reading, Right.ADMINISTER) if reading.actor.may(Right.ADMINISTER, name)]
    if not found and not reading.actor.may(Right.ADMINISTER, EVERYWHERE):
        raise Refusal(Code.NOT_ALLOWED, f"{reading.actor.name} may not export: that takes admin of the scope. Nothing was written. Ask an admin.")
    return found


def _inside(scope: str | None, path: str) -> bool:
    return scope is None or covers(scope, path)


def _bundle_lines(reading: Reading, scope: str | None) -> Iterator[str]:
    for number, _ in _chosen(reading, scope):
        for line in _tenant_lines(reading, number, scope):
            yield write_line(line) + "\n"


def _tenant_lines(reading: Reading, number: int, scope: str | None) -> Iterator[dict[str, Any]]:
    yield from _people(reading, number, scope)
    for predicate in sorted(load_predicates(reading.connection, number).values(), key=lambda one: (one.scope, one.name)):
        if _inside(scope, predicate.scope):
            yield predicate.to_line()
    p = t.policy
    for row in reading.connection.execute(sa.select(p).where(p.c.tenant == number).order_by(p.c.scope)):
        if _inside(scope, row.scope):
            yield {"type": "policy", "scope": row.scope, **json.loads(row.settings)}
    yield from _sources(reading, number, scope)
    for card, content in _records(reading, number, scope):
        yield _record_line(reading, number, card, content)
    yield from _reads(reading, number, scope)
    yield from _conflicts(reading, number, scope)


def _people(reading: Reading, number: int, scope: str | None) -> Iterator[dict[str, Any]]:
    p, r = t.person, t.role
    query = (
        sa.select(p.c.id, p.c.name, r.c.role, r.c.scope)
        .join(r, (r.c.tenant == p.c.tenant) & (r.c.person == p.c.person))
        .where(p.c.tenant == number)
        .order_by(p.c.id)
    )
    found: dict[str, tuple[str, list[tuple[str, str]]]] = {}
    for row in reading.connection.execute(query):
        if _inside(scope, row.scope):
            found.setdefault(row.id, (row.name, []))[1].append((row.role, row.scope))
    for person_id, (name, roles) in sorted(found.items()):
        yield Person(person_id, name, tuple(roles)).to_line()


def _sources(reading: Reading, number: int, scope: str | None) -> Iterator[dict[str, Any]]:
    s, paths = t.source, load_scopes(reading.connection, number)
    for row in reading.connection.execute(sa.select(s).where(s.c.tenant == number).order_by(s.c.source)):
        if _inside(scope, paths[row.scope]):
            yield Source(row.id, paths[row.scope], row.uri, row.title, row.authority, row.owner, row.family).to_line()


def _records(reading: Reading, number: int, scope: str | None) -> Iterator[tuple[Card, Record]]:
    last = reading.connection.execute(sa.select(t.tenant.c.next_record).where(t.tenant.c.tenant == number)).scalar_one()
    for start in range(1, last, _PAGE):
        cards = load_cards(reading.connection, number, range(start, min(start + _PAGE, last)))
        chosen = [card for card in cards.values() if _inside(scope, card.scope)]
        contents = load_contents(reading.connection, number, chosen)
        for card in sorted(chosen, key=lambda card: card.number):
            yield card, contents[card.number]


def _record_line(reading: Reading, number: int, card: Card, content: Record) -> dict[str, Any]:
    if card.status in (Status.DELETED, Status.DELETION_PENDING):
        return {"type": KIND_WORD[card.kind], "id": card.id, "status": _LINE_STATUS[card.status]}
    line = content.to_line()
    line["status"] = _LINE_STATUS[card.status]
    if card.status is Status.SUPERSEDED:
        s = t.succession
        successor = reading.connection.execute(sa.select(s.c.successor).where(s.c.tenant == number, s.c.record == card.number)).scalar_one_or_none()
        if successor is not None:
            line["superseded_by"] = load_ids(reading.connection, number, [successor])[successor]
    elif card.status is Status.REJECTED:
        d = t.decision
        query = sa.select(d.c.route).where(d.c.tenant == number, d.c.record == card.number, d.c.action == "reject").order_by(d.c.seq.desc()).limit(1)
        line["route"] = reading.connection.execute(query).scalar_one_or_none() or "rejected"
    return line


def _reads(reading: Reading, number: int, scope: str | None) -> Iterator[dict[str, Any]]:
    log, entry = t.read_log, t.read_log_record
    paths = load_scopes(reading.connection, number)
    query = (
        sa.select(log.c.n, log.c.task, log.c.by, log.c.at, log.c.scope, t.record.c.id, t.record_state.c.scope.label("place"))
        .outerjoin(entry, (entry.c.tenant == log.c.tenant) & (entry.c.n == log.c.n))
        .outerjoin(t.record, (t.record.c.tenant == entry.c.tenant) & (t.record.c.record == entry.c.record))
        .outerjoin(t.record_state, (t.record_state.c.tenant == entry.c.tenant) & (t.record_state.c.record == entry.c.record))
        .where(log.c.tenant == number)
        .order_by(log.c.n, entry.c.place)
    )
    current: Any = None
    records: list[str] = []
    places: list[str] = []

    def line() -> dict[str, Any]:
        return ReadEntry(current.task, current.by, current.at, tuple(records), current.scope).to_line()

    for row in reading.connection.execute(query):
        if current is not None and row.n != current.n:
            if (places or current.scope) and all(_inside(scope, place) for place in places or [current.scope]):
                yield line()
            records, places = [], []
        current = row
        if row.id is not None:
            records.append(row.id)
            places.append(paths[row.place])
    if current is not None and (places or current.scope) and all(_inside(scope, place) for place in places or [current.scope]):
        yield line()


def _conflicts(reading: Reading, number: int, scope: str | None) -> Iterator[dict[str, Any]]:
    c, k, side = t.conflict, t.claim_key, t.conflict_side
    paths = load_scopes(reading.connection, number)
    rows = reading.connection.execute(
        sa.select(c, k.c.scope, k.c.subject, k.c.predicate, k.c.qualifiers)
        .join(k, (k.c.tenant == c.c.tenant) & (k.c.key == c.c.key))
        .where(c.c.tenant == number)
        .order_by(c.c.id)
    ).all()
    for row in rows:
        if not _inside(scope, paths[row.scope]):
            continue
        records = reading.connection.execute(sa.select(side.c.record).where(side.c.tenant == number, side.c.conflict == row.conflict)).scalars().all()
        ids = sorted(load_ids(reading.connection, number, list(records)).values())
        fields = {name: getattr(row, name) for name in ("verdict", "reason", "question", "asked", "owner", "cause", "former")}
        fields |= {"opened_at": format_optional(row.opened_at), "closed_at": format_optional(row.closed_at), "signature": row.signature}
        state = "open" if row.state == OPEN else "closed"
        kept = {name: value for name, value in sorted(fields.items()) if value is not None}
        yield ConflictEntry(row.id, paths[row.scope], row.subject, row.predicate, json.loads(row.qualifiers), state, tuple(ids), kept).to_line()


_COLUMNS = (
    "id", "kind", "status", "version", "scope", "subject", "predicate", "qualifiers", "value", "claim_type", "statement", "title", "valid_from",
    "valid_to", "expires_at", "review_at", "owner", "authority", "impact", "sensitivity", "rests_on", "source", "sha256",
)  # fmt: skip


def csv_row(card: Card, content: Record) -> list[str]:
    """Return a record as cells that a spreadsheet shows and never runs."""
    line = content.to_line()
    rests_on = sorted(content.parents()) if isinstance(content, Claim | Artifact) else []
    found: dict[str, Any] = {
        **line,
        "kind": KIND_WORD[card.kind],
        "status": card.status.name,
        "version": card.version,
        "scope": card.scope,
        "rests_on": "\n".join(rests_on),
    }
    if isinstance(content, Evidence):
        found["version"] = content.version
    if isinstance(content, Claim):
        found["qualifiers"] = canonical_json(content.qualifiers)
        found["value"] = content.value if isinstance(content.value, str) else canonical_json(content.value)
    return [guard_cell(str(found.get(name))) if found.get(name) is not None else "" for name in _COLUMNS]


def _csv_lines(reading: Reading, scope: str | None) -> Iterator[str]:
    yield "\ufeff" + write_cells(list(_COLUMNS))
    for number, _ in _chosen(reading, scope):
        for card, content in _records(reading, number, scope):
            if card.status in (Status.DELETED, Status.DELETION_PENDING):
                continue
            yield write_cells(csv_row(card, content))


def write_cells(cells: list[str]) -> str:
    """Return one CSV record (RFC 4180)."""
    out = io.StringIO()
    csv.writer(out).writerow(cells)
    return out.getvalue()


def _prov_lines(reading: Reading, scope: str | None) -> Iterator[str]:
    """Yield a PROV-JSON document: records are entities, extraction is an activity, proposers and owners are agents."""
    entities: dict[str, Any] = {}
    derived: dict[str, Any] = {}
    attributed: dict[str, Any] = {}
    agents: dict[str, Any] = {}
    for number, _ in _chosen(reading, scope):
        for card, content in _records(reading, number, scope):
            if card.status in (Status.DELETED, Status.DELETION_PENDING):
                continue
            name = f"record:{card.id}"
            entities[name] = {
                "prov:type": KIND_WORD[card.kind],
                "claimdesk:status": card.status.name,
                "claimdesk:scope": card.scope,
                "claimdesk:version": card.version,
            }
            if isinstance(content, Evidence):
                entities[name] |= {"claimdesk:sha256": content.sha256, "prov:generatedAtTime": format_optional(content.captured_at)}
                derived[f"_:s{len(derived)}"] = {
                    "prov:generatedEntity": name,
                    "prov:usedEntity": f"source:{content.source}",
                    "prov:type": "prov:PrimarySource",
                }
                entities.setdefault(f"source:{content.source}", {"prov:type": "source"})
                continue
            for parent in sorted(content.parents()):
                derived[f"_:d{len(derived)}"] = {"prov:generatedEntity": name, "prov:usedEntity": f"record:{parent}"}
            for who in sorted({one for one in (content.owner, content.proposed_by) if one}):
                agents[f"agent:{who}"] = {"prov:type": "prov:Person" if who == content.owner else "prov:Agent"}
                attributed[f"_:a{len(attributed)}"] = {"prov:entity": name, "prov:agent": f"agent:{who}"}
    prefix = {"claimdesk": "urn:claimdesk:", "record": "urn:claimdesk:record:", "source": "urn:claimdesk:source:", "agent": "urn:claimdesk:agent:"}
    yield canonical_json({"prefix": prefix, "entity": entities, "agent": agents, "wasDerivedFrom": derived, "wasAttributedTo": attributed}) + "\n"


_LINES = {"bundle": _bundle_lines, "csv": _csv_lines, "prov-json": _prov_lines}
