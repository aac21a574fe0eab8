"""Whose each line of an import is: the tenant its scope names, or the one in which its source or records are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from store.actions.staging import Staging
from store.db.claim_store import ClaimStore
from store.db.declarations import places_of
from store.db.engine import explained
from store.domain.errors import Code
from store.domain.people import Actor
from store.domain.scopes import EVERYWHERE, tenant_of

_Places = Mapping[str, set[str]]


def place_lines(store: ClaimStore, actor: Actor, staging: Staging, scope: str | None = None) -> list[str]:
    """Give every line its tenant, reject what has none, and return the tenants in which the importer holds a role.

    Only the importer's own tenants are looked into, so that what others hold changes nothing.

    Args:
        scope: the scope of lines that name none; forgotten records never do.
    """
    with explained(), store.reader.begin() as connection:
        sources = places_of(connection, sources={record.source for record in staging.records if record.source})
        gone = {staged.id for staged in staging.records if staged.gone is not None}
        records = places_of(connection, records={*gone, *(record for _, entry in staging.reads if not entry.scope for record in entry.records)})
    sources, records = (_only_mine(actor, places) for places in (sources, records))
    _place_records(staging, sources, records, scope)
    _place_reads(staging, records)
    _place_people(staging)
    return _keep_mine(actor, staging)


def holds_role(actor: Actor, tenant: str) -> bool:
    """Return whether somebody holds any role in a tenant."""
    return any(scope == EVERYWHERE or tenant_of(scope) == tenant for _, scope in actor.roles)


def _only_mine(actor: Actor, places: _Places) -> dict[str, set[str]]:
    return {name: {tenant for tenant in tenants if holds_role(actor, tenant)} for name, tenants in places.items()}


def _one_of(tenants: set[str]) -> str | None:
    return next(iter(tenants)) if len(tenants) == 1 else None


def _here(staging: Staging) -> dict[str, list[tuple[int, str]]]:
    """Return source id -> (line, tenant) of the source lines in the files."""
    found: dict[str, list[tuple[int, str]]] = {}
    for line, source in staging.sources:
        found.setdefault(source.id, []).append((line, tenant_of(source.scope)))
    return found


def _named(staging: Staging) -> list[tuple[int, str]]:
    """Return (line, tenant) of the lines that name one, in order; of a forgotten record only the lines around it tell where it was."""
    found = [(line, tenant_of(one.scope)) for some in (staging.sources, staging.predicates, staging.policies) for line, one in some]
    found += [(line, tenant_of(scope)) for line, one in staging.people for _, scope in one.roles if scope != EVERYWHERE]
    return sorted(found + [(one.line, tenant_of(one.scope)) for one in staging.records if one.scope is not None])


def _source_tenant(line: int, here: list[tuple[int, str]], there: set[str]) -> set[str]:
    """Return whose source an evidence line means: the one last named before it, else any in the files, else those in the store."""
    before = [tenant for at, tenant in here if at < line]
    return {before[-1]} if before else {tenant for _, tenant in here} or there


def _place_records(staging: Staging, sources: _Places, records: dict[str, set[str]], scope: str | None) -> None:
    kept, here = [], _here(staging)
    named = _named(staging) if any(staged.gone for staged in staging.records) else []
    for staged in staging.records:
        if staged.gone is not None:
            before = [tenant for at, tenant in named if at < staged.line]
            staged.tenant = before[-1] if before else named[0][1] if named else tenant_of(scope) if scope else _one_of(records.get(staged.id, set()))
            if staged.tenant is None:
                nowhere = "no line says in which tenant it was forgotten. Import it with its people or sources, or say in which scope."
                staging.reject(staged.line, staged.id, Code.BAD_VALUE, nowhere)
                continue
        elif staged.kind == "evidence":
            places = _source_tenant(staged.line, here.get(staged.source or "", []), sources.get(staged.source or "", set()))
            staged.tenant = _one_of(places)
            if staged.tenant is None:
                if places:
                    several = f"its source {staged.source} exists in several tenants. Import it with its source."
                    staging.reject(staged.line, staged.id, Code.AMBIGUOUS_TENANT, several)
                else:
                    missing = f"its source {staged.source} does not exist. Import the source too."
                    staging.reject(staged.line, staged.id, Code.MISSING_PARENT, missing)
                continue
        elif staged.scope is not None:
            staged.tenant = tenant_of(staged.scope)
        if staged.tenant is not None:
            records.setdefault(staged.id, set()).add(staged.tenant)
        kept.append(staged)
    staging.records = kept


def _place_reads(staging: Staging, records: _Places) -> None:
    kept = []
    for line, entry in staging.reads:
        places = {tenant_of(entry.scope)} if entry.scope else {tenant for record in entry.records for tenant in records.get(record, set())}
        tenant = _one_of(places)
        if tenant is not None:
            staging.read_tenants[line] = tenant
            kept.append((line, entry))
        elif places:
            staging.reject(line, None, Code.AMBIGUOUS_TENANT, "its records exist in several tenants. Give it a scope.")
        else:
            what = f"none of the records it names exists, such as {entry.records[0]}" if entry.records else "it names no records and no scope"
            staging.reject(line, None, Code.MISSING_PARENT, f"{what}. Import them first.")
    staging.reads = kept


def _place_people(staging: Staging) -> None:
    for line, person in staging.people:
        if not person.roles:
            staging.reject(line, person.id, Code.BAD_VALUE, "it gives no role, so nobody would know the person. Give at least one.")
    staging.people = [(line, person) for line, person in staging.people if person.roles]


def _keep_mine(actor: Actor, staging: Staging) -> list[str]:
    """Reject the lines of tenants in which the importer holds no role; nothing of theirs is even looked at."""
    found: set[str] = set()

    def mine(line: int, record_id: str | None, tenants: Iterable[str], *, refuse: bool = True) -> bool:
        own = [tenant for tenant in tenants if holds_role(actor, tenant)]
        found.update(own)
        if not own and refuse:
            name = next(iter(tenants))
            staging.reject(line, record_id, Code.NOT_ALLOWED, f"{actor.name} holds no role in {name}. Ask an admin there.")
        return bool(own)

    staging.records = [one for one in staging.records if one.tenant is not None and mine(one.line, one.id, [one.tenant])]
    staging.sources = [(line, one) for line, one in staging.sources if mine(line, one.id, [tenant_of(one.scope)])]
    staging.people = [(line, one) for line, one in staging.people if mine(line, one.id, sorted({tenant_of(scope) for _, scope in one.roles}))]
    staging.predicates = [(line, one) for line, one in staging.predicates if mine(line, one.name, [tenant_of(one.scope)])]
    staging.policies = [(line, one) for line, one in staging.policies if mine(line, one.scope, [tenant_of(one.scope)])]
    staging.reads = [(line, one) for line, one in staging.reads if mine(line, None, [staging.read_tenants[line]])]
    staging.triggers = [(line, one) for line, one in staging.triggers if mine(line, one.record, [tenant_of(one.scope)])]
    staging.conflicts = [(line, one) for line, one in staging.conflicts if mine(line, one.id, [tenant_of(one.scope)])]
    staging.messages = [(line, one) for line, one in staging.messages if mine(line, one.id, [tenant_of(one.scope)])]
    staging.remedies = [(line, one) for line, one in staging.remedies if mine(line, one.artifact, [tenant_of(one.scope)])]
    staging.corrections = [(line, one) for line, one in staging.corrections if mine(line, one.id, [tenant_of(one.scope)])]
    return sorted(found)
