"""What an import says of people, predicates, policies and sources."""

from __future__ import annotations

from store.actions.import_part import ImportPart
from store.db.declarations import (
    add_sources,
    admins_of,
    change_roles,
    find_person,
    load_policy_text,
    load_roles,
    load_sources,
    save_person,
    save_policy,
    save_predicate,
)
from store.db.recount import revalue_claims
from store.domain.appointing import RolePair, may_appoint, needs_an_admin
from store.domain.errors import Code
from store.domain.people import Right
from store.domain.records import Source
from store.domain.text import canonical_json


def take_people(part: ImportPart) -> None:
    """Add people and set their roles, where the importer may give them, by the rules that hold on the page.

    Roles are taken only after all were given, so that a file may hand a tenant over from one admin to another.
    """
    tx = part.tx
    wanted: dict[int, tuple[int, str, list[RolePair]]] = {}
    for line, person in part.staging.people:
        roles = [(role, scope) for role, scope in person.roles if part.owns(scope)]
        if not roles:
            continue
        refused = [(role, scope) for role, scope in roles if not may_appoint(tx.actor, role, scope)]
        if refused:
            role, scope = refused[0]
            part.staging.reject(
                line, person.id, Code.NOT_ALLOWED, f"{tx.actor.name} may not give the role {role} in {scope}. Nobody grants more than they hold."
            )
            continue
        known = find_person(tx.connection, tx.tenant, person.id)
        if known is not None and known.name != person.name and not tx.actor.may(Right.ADMINISTER, tx.tenant_name):
            part.staging.reject(
                line, person.id, Code.NOT_ALLOWED,
                f"{person.id} is called {known.name} here, and only an admin of {tx.tenant_name} calls somebody otherwise. Give the line that name.",
            )  # fmt: skip
            continue
        part.declared["person"] += 1
        number = save_person(tx, person.id, person.name, email=person.email)
        held = load_roles(tx, number)
        change_roles(tx, number, give=[pair for pair in roles if pair not in held], take=())
        wanted[number] = (line, person.id, roles)
    for number, (line, person_id, roles) in wanted.items():
        gone = [pair for pair in load_roles(tx, number) if pair not in roles and may_appoint(tx.actor, *pair)]
        left = [one for one in admins_of(tx.connection, tx.tenant, tx.tenant_name) if one != person_id]
        if needs_an_admin(tx.actor, tx.tenant_name, gone, left):
            part.declared["person"] -= 1
            kept = f"{tx.tenant_name} would be left without an admin, so {person_id} keeps every role. Make somebody else admin first."
            part.staging.reject(line, person_id, Code.ILLEGAL_STEP, kept)
        else:
            change_roles(tx, number, give=(), take=gone)


def take_predicates(part: ImportPart) -> None:
    """Declare predicates that are not declared yet."""
    tx = part.tx
    for line, predicate in part.staging.predicates:
        if not part.owns(predicate.scope) or not part.allows(Right.ADMINISTER, predicate.scope, line, predicate.name, "a predicate"):
            continue
        known = part.numbers.predicates.get((predicate.scope, predicate.name))
        if known == predicate:
            part.unchanged += 1
        elif known is not None:
            part.staging.reject(
                line, predicate.name, Code.OTHER_CONTENT, f"{predicate.name} is declared otherwise in {predicate.scope}. It stays as it is. Change it with preview compare."
            )
        else:
            save_predicate(tx, predicate)
            part.declared["predicate"] += 1
            part.numbers.predicates[predicate.scope, predicate.name] = predicate
            part.revalued |= revalue_claims(tx, part.numbers, predicate)
            tx.raise_policy_version()


def take_policies(part: ImportPart) -> None:
    """Set the policy of scopes."""
    tx = part.tx
    for line, policy in part.staging.policies:
        if not part.owns(policy.scope) or not part.allows(Right.ADMINISTER, policy.scope, line, policy.scope, "a policy"):
            continue
        settings = canonical_json(policy.settings)
        if load_policy_text(tx.connection, tx.tenant, policy.scope) == settings:
            part.unchanged += 1
            continue
        save_policy(tx, policy.scope, settings)
        part.declared["policy"] += 1
        tx.raise_policy_version()


def take_sources(part: ImportPart) -> None:
    """Add sources, and note where those that evidence lines name stand."""
    tx = part.tx
    named = {source.id for _, source in part.staging.sources} | {record.source for record in part.staging.records if record.source}
    known = {one.source.id: one for one in load_sources(tx.connection, tx.tenant, named)}
    part.source_scopes = {source_id: (one.number, one.source.scope) for source_id, one in known.items()}
    fresh: dict[str, Source] = {}
    for line, source in part.staging.sources:
        if not part.owns(source.scope) or not part.allows(Right.PROPOSE, source.scope, line, source.id, "a source"):
            continue
        there = known[source.id].source if source.id in known else fresh.get(source.id)
        if there is None:
            fresh[source.id] = source
            part.imported["source"] += 1
        elif there == source:
            part.unchanged += 1
        else:
            kept = "It stays as it is; give the other one an id of its own."
            part.staging.reject(line, source.id, Code.OTHER_CONTENT, f"the source {source.id} is there with other content. {kept}")
    numbers = add_sources(tx, [(source, part.numbers.scope(source.scope)) for source in fresh.values()])
    part.source_scopes.update({source_id: (numbers[source_id], source.scope) for source_id, source in fresh.items()})
