"""What an import says of people, predicates, policies and sources."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from store.actions.import_part import ImportPart
from store.db import tables as t
from store.db.bulk import chunks
from store.db.recount import revalue_claims
from store.domain.errors import Code
from store.domain.people import Right
from store.domain.text import canonical_json


def take_people(part: ImportPart) -> None:
    """Add people and set their roles, where the importer may give them."""
    tx = part.tx
    for line, person in part.staging.people:
        roles = [(role, scope) for role, scope in person.roles if part.owns(scope)]
        if not roles:
            continue
        refused = [scope for _, scope in roles if not tx.actor.may(Right.ADMINISTER, scope)]
        if refused:
            part.staging.reject(
                line, person.id, Code.NOT_ALLOWED, f"{tx.actor.name} may not give roles in {refused[0]}. Nobody grants more than they hold."
            )
            continue
        p, r = t.person, t.role
        number = tx.connection.execute(sa.select(p.c.person).where(p.c.tenant == tx.tenant, p.c.id == person.id)).scalar_one_or_none()
        if number is None:
            number = tx.connection.execute(sa.select(sa.func.coalesce(sa.func.max(p.c.person), 0)).where(p.c.tenant == tx.tenant)).scalar_one() + 1
            tx.connection.execute(sa.insert(p), {"tenant": tx.tenant, "person": number, "id": person.id, "name": person.name})
        else:
            tx.connection.execute(sa.update(p).where(p.c.tenant == tx.tenant, p.c.person == number).values(name=person.name))
        held = tx.connection.execute(sa.select(r.c.role, r.c.scope).where(r.c.tenant == tx.tenant, r.c.person == number)).all()
        for role, scope in held:
            if (role, scope) not in roles and tx.actor.may(Right.ADMINISTER, scope):
                tx.connection.execute(sa.delete(r).where(r.c.tenant == tx.tenant, r.c.person == number, r.c.role == role, r.c.scope == scope))
        fresh = [
            {"tenant": tx.tenant, "person": number, "role": role, "scope": scope}
            for role, scope in roles
            if (role, scope) not in {tuple(row) for row in held}
        ]
        if fresh:
            tx.connection.execute(sa.insert(r), fresh)


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
                line, predicate.name, Code.OTHER_CONTENT, f"{predicate.name} is declared otherwise in {predicate.scope}. It stays as it is."
            )
        else:
            values = {name: getattr(predicate, name) for name in ("scope", "name", "many", "value_type", "order", "series", "compare", "about")}
            tx.connection.execute(sa.insert(t.predicate), {"tenant": tx.tenant, **values})
            part.numbers.predicates[predicate.scope, predicate.name] = predicate
            part.revalued |= revalue_claims(tx, part.numbers, predicate)
            tx.raise_policy_version()


def take_policies(part: ImportPart) -> None:
    """Set the policy of scopes."""
    tx = part.tx
    for line, policy in part.staging.policies:
        if not part.owns(policy.scope) or not part.allows(Right.ADMINISTER, policy.scope, line, policy.scope, "a policy"):
            continue
        p = t.policy
        settings = canonical_json(policy.settings)
        known = tx.connection.execute(sa.select(p.c.settings).where(p.c.tenant == tx.tenant, p.c.scope == policy.scope)).scalar_one_or_none()
        if known == settings:
            part.unchanged += 1
            continue
        if known is not None:
            tx.connection.execute(sa.delete(p).where(p.c.tenant == tx.tenant, p.c.scope == policy.scope))
        tx.connection.execute(sa.insert(p), {"tenant": tx.tenant, "scope": policy.scope, "settings": settings})
        tx.raise_policy_version()


def take_sources(part: ImportPart) -> None:
    """Add sources, and note where those that evidence lines name stand."""
    tx = part.tx
    query = (
        sa.select(t.source, t.scope.c.path)
        .join(t.scope, (t.scope.c.tenant == t.source.c.tenant) & (t.scope.c.scope == t.source.c.scope))
        .where(t.source.c.tenant == tx.tenant)
    )
    named = {source.id for _, source in part.staging.sources} | {record.source for record in part.staging.records if record.source}
    known: dict[str, Any] = {}
    for some in chunks(sorted(named)):
        known.update({row.id: row for row in tx.connection.execute(query.where(t.source.c.id.in_(some)))})
    part.source_scopes = {row.id: (row.source, row.path) for row in known.values()}
    following = tx.connection.execute(
        sa.select(sa.func.coalesce(sa.func.max(t.source.c.source), 0)).where(t.source.c.tenant == tx.tenant)
    ).scalar_one()
    first: dict[str, Any] = {}
    rows = []
    for line, source in part.staging.sources:
        if not part.owns(source.scope) or not part.allows(Right.PROPOSE, source.scope, line, source.id, "a source"):
            continue
        row = known.get(source.id)
        there = first.get(source.id)
        if row is not None:
            fields = (row.path, row.uri, row.title, row.authority, row.owner, row.family)
            same = fields == (source.scope, source.uri, source.title, source.authority, source.owner, source.family)
        else:
            same = there == source
        if row is not None or there is not None:
            if same:
                part.unchanged += 1
            else:
                part.staging.reject(
                    line,
                    source.id,
                    Code.OTHER_CONTENT,
                    f"the source {source.id} is there with other content. It stays as it is; give the other one an id of its own.",
                )
            continue
        following += 1
        first[source.id] = source
        place = part.numbers.scope(source.scope)
        rows.append({
            "tenant": tx.tenant, "source": following, "id": source.id, "scope": place, "uri": source.uri, "title": source.title,
            "authority": source.authority, "owner": source.owner, "family": source.family or source.id,
        })  # fmt: skip
        part.source_scopes[source.id] = (following, source.scope)
        part.imported["source"] += 1
    if rows:
        tx.connection.execute(sa.insert(t.source), rows)
