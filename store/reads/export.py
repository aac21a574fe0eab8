"""Writing a store out: as a bundle that comes back byte for byte, as CSV for spreadsheets, as PROV-JSON (W3C)."""

from __future__ import annotations

import csv
import io
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from store.db.case_lines import describe_entry
from store.db.claim_store import ClaimStore
from store.db.conflicts import list_conflicts
from store.db.corrections import list_cases
from store.db.decisions import last_route
from store.db.declarations import list_policies, list_tenant_people, load_sources
from store.db.export_copies import carry
from store.db.keys import load_predicates, load_scopes
from store.db.message_lines import list_message_lines, list_remedy_lines
from store.db.read_log import list_reads
from store.db.records import load_cards, load_contents, load_ids, successor_of
from store.db.tenants import last_record, tenants_of
from store.db.transaction import Reading, read
from store.db.triggers import list_triggers
from store.domain.bundle import write_line
from store.domain.errors import Code, Refusal
from store.domain.handing_out import Carried
from store.domain.people import Right
from store.domain.records import Artifact, Card, Claim, Evidence, Person, Record
from store.domain.scopes import EVERYWHERE, covers, tenant_of
from store.domain.status import KIND_WORD, Status
from store.domain.text import canonical_json, guard_cell
from store.domain.times import format_optional

FORMATS = ("bundle", "csv", "prov-json")
_PAGE = 1000
_LINE_STATUS = {
    Status.CANDIDATE: "candidate", Status.ACCEPTED: "reviewed", Status.DISPUTED: "disputed", Status.STALE: "stale",
    Status.SUPERSEDED: "superseded", Status.REVOKED: "revoked", Status.REJECTED: "rejected", Status.DELETION_PENDING: "deletion_pending",
    Status.DELETED: "deleted",
}  # fmt: skip


def write_export(
    store: ClaimStore, person: str, part: Path, *, scope: str | None = None, form: str = "bundle", authenticated: bool = False
) -> tuple[int, tuple[Carried, ...]]:
    """Write the store, or a scope of it, whole into `part` and return the lines and what they carry of each tenant.

    Raises:
        Refusal: the person is no admin of what is asked for.
        OSError: the file cannot be written.
    """
    if form not in FORMATS:
        raise Refusal(Code.BAD_VALUE, f"There is no format {form!r}; there are {', '.join(FORMATS)}.")
    with read(store, person, authenticated=authenticated) as reading, part.open("w", encoding="utf-8", newline="") as file:
        lines, rows = 0, Counter[int]()
        for number, line in _LINES[form](reading, scope):
            file.write(line)
            lines += 1
            rows[number] += 1
        file.flush()
        os.fsync(file.fileno())
        carried = tuple(_carried(reading, number, name, scope, form, rows[number]) for number, name in _chosen(reading, scope))
    return lines, carried


def _carried(reading: Reading, number: int, tenant: str, scope: str | None, form: str, rows: int) -> Carried:
    """Return what an export carries of a tenant: its records but those forgotten, and, of a scope, what they rest on, by its id."""
    columns = reading.snapshot(number).columns
    paths = load_scopes(reading.connection, number)
    inside = np.array([path for path, name in paths.items() if _inside(scope, name)], dtype=np.int64)
    mine = np.isin(columns.scope, inside) & (columns.status != Status.DELETED)
    mine[0] = False
    waiting = columns.status == Status.DELETION_PENDING
    records, named = np.flatnonzero(mine & ~waiting), np.flatnonzero(mine & waiting)
    if form == "prov-json":
        rows = len(records)
    return carry(reading, number, tenant, records.tolist(), rows, named=named.tolist(), around=inside.size < len(paths))


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


def _bundle_lines(reading: Reading, scope: str | None) -> Iterator[tuple[int, str]]:
    for number, _ in _chosen(reading, scope):
        for line in _tenant_lines(reading, number, scope):
            yield number, write_line(line) + "\n"


def lines_to_look_at(reading: Reading, tenant: str) -> Iterator[str]:
    """Yield the lines a bundle of a tenant would have; nothing is written, and nobody is given anything."""
    number = reading.tenant_number(tenant)
    for line in () if number is None else _tenant_lines(reading, number, tenant):
        yield write_line(line)


def _tenant_lines(reading: Reading, number: int, scope: str | None) -> Iterator[dict[str, Any]]:
    yield from _people(reading, number, scope)
    for predicate in sorted(load_predicates(reading.connection, number).values(), key=lambda one: (one.scope, one.name)):
        if _inside(scope, predicate.scope):
            yield predicate.to_line()
    for policy in list_policies(reading.connection, number):
        if _inside(scope, policy.scope):
            yield policy.to_line()
    for known in load_sources(reading.connection, number):
        if _inside(scope, known.source.scope):
            yield known.source.to_line()
    for card, content in _records(reading, number, scope):
        yield _record_line(reading, number, card, content)
    for entry, places in list_reads(reading.connection, number):
        if (places or entry.scope) and all(_inside(scope, place) for place in places or (entry.scope or "",)):
            yield entry.to_line()
    for status, trigger in list_triggers(reading.connection, number):
        if _inside(scope, trigger.scope) and status not in (Status.DELETED, Status.DELETION_PENDING):
            yield trigger.to_line()
    for conflict in list_conflicts(reading.connection, number):
        if _inside(scope, conflict.scope):
            yield conflict.to_line()
    for case in list_cases(reading.connection, number):
        if all(_inside(scope, place) for place in case.scopes):
            yield describe_entry(reading, number, case, scope).to_line()
    for remedy in list_remedy_lines(reading.connection, number):
        if _inside(scope, remedy.scope):
            yield remedy.to_line()
    for message, about in list_message_lines(reading.connection, number):
        if all(_inside(scope, place) for place in about):
            yield message.to_line()


def _people(reading: Reading, number: int, scope: str | None) -> Iterator[dict[str, Any]]:
    for person in list_tenant_people(reading.connection, number):
        roles = tuple((role, place) for role, place in person.roles if _inside(scope, place))
        if roles:
            yield Person(person.id, person.name, roles, person.email).to_line()


def _records(reading: Reading, number: int, scope: str | None) -> Iterator[tuple[Card, Record]]:
    last = last_record(reading.connection, number)
    for start in range(1, last + 1, _PAGE):
        cards = load_cards(reading.connection, number, range(start, min(start + _PAGE, last + 1)))
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
        successor = successor_of(reading.connection, number, card.number)
        if successor is not None:
            line["superseded_by"] = load_ids(reading.connection, number, [successor])[successor]
    elif card.status is Status.REJECTED:
        line["route"] = last_route(reading.connection, number, card.number) or "rejected"
    return line


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


def _csv_lines(reading: Reading, scope: str | None) -> Iterator[tuple[int, str]]:
    yield 0, "\ufeff" + write_cells(list(_COLUMNS))
    for number, _ in _chosen(reading, scope):
        for card, content in _records(reading, number, scope):
            if card.status in (Status.DELETED, Status.DELETION_PENDING):
                continue
            yield number, write_cells(csv_row(card, content))


def write_cells(cells: list[str]) -> str:
    """Return one CSV record (RFC 4180)."""
    out = io.StringIO()
    csv.writer(out).writerow(cells)
    return out.getvalue()


def _prov_lines(reading: Reading, scope: str | None) -> Iterator[tuple[int, str]]:
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
    yield 0, canonical_json({"prefix": prefix, "entity": entities, "agent": agents, "wasDerivedFrom": derived, "wasAttributedTo": attributed}) + "\n"


_LINES = {"bundle": _bundle_lines, "csv": _csv_lines, "prov-json": _prov_lines}
