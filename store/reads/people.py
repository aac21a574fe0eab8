"""Who may do what in a tenant, and what was changed about it: people, their roles, policies, and the events of both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from store.db.claim_store import ClaimStore
from store.db.declarations import list_people_with_roles, list_policies, list_roles
from store.db.journal import list_events_named
from store.db.keys import load_policy, load_scopes
from store.db.messages import emails_of
from store.db.transaction import Reading, read
from store.domain.appointing import RolePair, may_appoint
from store.domain.errors import Code, Refusal
from store.domain.people import ROLES, Actor, Right
from store.domain.scopes import EVERYWHERE, covers, nearest_first, tenant_of
from store.domain.times import format_time

#: The actions that change who may do what, and by which rules.
GOVERNING = ("add_person", "set_roles", "rename_person", "set_email", "change_policy", "compare")


@dataclass(frozen=True, slots=True)
class PersonRow:
    """Somebody of a tenant, as far as the person who looks may see.

    Attributes:
        roles: (role, scope) that may be seen; `hidden`: how many more lie in scopes that may not.
        everywhere: roles that hold in every tenant, which stay as they are.
        email: where notices for them go, shown to who may change it; `may_set_email`: whether the person who looks may.
    """

    id: str
    name: str
    roles: tuple[RolePair, ...]
    everywhere: tuple[str, ...] = ()
    hidden: int = 0
    email: str | None = None
    may_set_email: bool = False


@dataclass(frozen=True, slots=True)
class PeopleView:
    """The people of a tenant.

    Attributes:
        scopes: those in which the person who looks may give roles; `grants`: which roles in each.
        may_add: whether they may give any role; `may_rename`: whether they may rename.
    """

    tenant: str
    people: tuple[PersonRow, ...]
    scopes: tuple[str, ...]
    grants: dict[str, tuple[str, ...]]
    may_add: bool
    may_rename: bool


@dataclass(frozen=True, slots=True)
class PolicyView:
    """A scope's policy: what it says itself, and what holds in it, each setting with the scope that says so."""

    scope: str
    own: dict[str, Any]
    in_force: dict[str, tuple[str, Any]]
    may_change: bool
    authorities: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Governing:
    """One change of people or policy, with what was before and after where that was kept."""

    seq: int
    at: str
    by: str
    action: str
    about: str
    reason: str | None
    before: Any
    after: Any


def _visible(actor: Actor, scope: str) -> bool:
    """Return whether somebody may know of a role in a scope: they look into it, or it holds over where they look."""
    return actor.may(Right.INSPECT, scope) or any(covers(scope, held) for held in actor.scopes_with(Right.INSPECT))


def _need_look(reading: Reading, tenant: str) -> int:
    number = reading.tenant_number(tenant)
    held = reading.actor.scopes_with(Right.INSPECT)
    if number is None or not any(scope == EVERYWHERE or tenant_of(scope) == tenant for scope in held):
        raise Refusal(
            Code.NOT_ALLOWED,
            f"{reading.actor.name} may not see who may do what in {tenant}: that takes the role of a reviewer, an auditor or an admin.",
        )
    return number


def view_people(store: ClaimStore, person: str, tenant: str, *, authenticated: bool = False) -> PeopleView:
    """Return the people of a tenant and what the person who looks may change.

    Raises:
        Refusal: `not_allowed` for who may look into no scope of the tenant.
    """
    with read(store, person, authenticated=authenticated) as reading:
        number = _need_look(reading, tenant)
        actor = reading.actor
        everywhere = {
            one["id"]: (one["name"], tuple(role["role"] for role in one["roles"] if role["scope"] == "everywhere"))
            for one in list_people_with_roles(reading.connection)
            if any(role["scope"] == "everywhere" for role in one["roles"])
        }
        found: dict[str, tuple[str, list[RolePair]]] = {one: (name, []) for one, (name, _) in everywhere.items()}
        members, emails = set(), emails_of(reading.connection, number)
        for person_id, name, role, scope in list_roles(reading.connection, number):
            members.add(person_id)
            kept = found.setdefault(person_id, (name, []))[1]
            if role is not None and scope is not None:
                kept.append((role, scope))
        rows = []
        for person_id, (name, roles) in found.items():
            shown = tuple(pair for pair in roles if _visible(actor, pair[1]))
            may = person_id in members and (person_id == actor.id or actor.may(Right.ADMINISTER, tenant))
            rows.append(PersonRow(
                person_id, name, shown, everywhere.get(person_id, ("", ()))[1], len(roles) - len(shown), emails.get(person_id) if may else None, may,
            ))  # fmt: skip
        paths = {tenant, *(path for one in load_scopes(reading.connection, number).values() for path in nearest_first(one))}
        paths |= {scope for _, roles in found.values() for _, scope in roles}
        scopes = tuple(sorted(path for path in paths if actor.may(Right.ADMINISTER, path)))
        grants = {path: tuple(role for role in ROLES if may_appoint(actor, role, path)) for path in scopes}
        rows.sort(key=lambda one: (not (one.roles or one.everywhere), one.name.casefold(), one.id))
        return PeopleView(tenant, tuple(rows), scopes, grants, any(grants.values()), actor.may(Right.ADMINISTER, tenant))


def view_policy(store: ClaimStore, person: str, scope: str, *, authenticated: bool = False) -> PolicyView:
    """Return the policy of a scope, and what holds there of the scopes above.

    Raises:
        Refusal: `not_allowed` for who may not look into the scope.
    """
    with read(store, person, authenticated=authenticated) as reading:
        reading.actor.need(Right.INSPECT, scope, "see the policy")
        number = reading.tenant_number(tenant_of(scope))
        policies = {} if number is None else {policy.scope: policy.settings for policy in list_policies(reading.connection, number)}
        in_force: dict[str, tuple[str, Any]] = {}
        for place in reversed(nearest_first(scope)):
            in_force.update({name: (place, value) for name, value in policies.get(place, {}).items()})
        assert number is None or {name: value for name, (_, value) in in_force.items()} == load_policy(reading.connection, number, scope)
        return PolicyView(scope, dict(policies.get(scope, {})), in_force, reading.actor.may(Right.ADMINISTER, scope))


def list_governing(
    store: ClaimStore, person: str, tenant: str, *, before: int | None = None, limit: int = 50, authenticated: bool = False
) -> tuple[list[Governing], bool]:
    """Return the latest changes of people and policy, newest first, and whether there are more.

    Args:
        before: only events with a lower number.

    Raises:
        Refusal: `not_allowed` for who may not look into all of the tenant.
    """
    with read(store, person, authenticated=authenticated) as reading:
        reading.actor.need(Right.INSPECT, tenant, "see what was changed about people and policy")
        number = reading.tenant_number(tenant)
        if number is None:
            return [], False
        rows = list_events_named(reading.connection, number, GOVERNING, before=before, limit=limit + 1)
        found = []
        for row in rows[:limit]:
            note, result = row.note, row.result
            about = result.get("person") or result.get("scope") or ""
            if row.action == "compare":
                plan = (note.get("words") or [{}])[0]
                about = ", ".join(plan.get("roots", ())) if isinstance(plan, dict) else ""
            found.append(
                Governing(row.seq, format_time(row.at), row.actor, row.action, about, note.get("reason"), result.get("before"), result.get("after"))
            )
        return found, len(rows) > limit
