"""Who may give which role where: nobody grants more than they hold, and a tenant keeps an admin (DESIGN section 9)."""

from __future__ import annotations

from collections.abc import Iterable

from store.domain.people import ROLES, Actor, Right
from store.domain.scopes import EVERYWHERE, tenant_of

#: The role that gives the right to give roles.
ADMIN = "admin"

RolePair = tuple[str, str]


def may_appoint(actor: Actor, role: str, scope: str) -> bool:
    """Return whether `actor` may give or take `role` in `scope`: it takes admin there, and every right the role gives."""
    if scope == EVERYWHERE or not actor.may(Right.ADMINISTER, scope):
        return False
    return all(actor.may(right, scope) for right in ROLES[role])


def may_appoint_somewhere(actor: Actor, tenant: str) -> bool:
    """Return whether `actor` may give any role anywhere in a tenant."""
    return any(scope == EVERYWHERE or tenant_of(scope) == tenant for scope in actor.scopes_with(Right.ADMINISTER))


def why_not_appoint(actor: Actor, role: str, scope: str) -> str:
    """Return a sentence on why `actor` may not give or take a role."""
    if scope == EVERYWHERE:
        return "Roles everywhere are made when the store is, and stay as they are."
    if not actor.may(Right.ADMINISTER, scope):
        return f"{actor.name} is no admin of {scope}."
    return f"{actor.name} does not hold all that the role {role} permits in {scope}, and nobody grants more than they hold."


def needs_an_admin(actor: Actor, tenant: str, taken: Iterable[RolePair], admins_left: Iterable[str]) -> bool:
    """Return whether taking these roles would leave a tenant without an admin of its own, by somebody who could not undo it."""
    if (ADMIN, tenant) not in set(taken) or set(admins_left):
        return False
    return not any(role == ADMIN and scope == EVERYWHERE for role, scope in actor.roles)
