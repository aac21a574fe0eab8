"""Who may do what: roles, what each permits, and the person who acts (DESIGN section 9)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from store.domain.errors import Code, Refusal
from store.domain.scopes import EVERYWHERE, covers, tenant_of


class Right(StrEnum):
    """One thing a role permits within its scope."""

    READ = "read"
    PROPOSE = "propose"
    INSPECT = "see everything of the scope"
    DECIDE = "decide"
    ADMINISTER = "administer"
    AUDIT = "audit"


_READER = frozenset({Right.READ})
_CONTRIBUTOR = _READER | {Right.PROPOSE}
_REVIEWER = _CONTRIBUTOR | {Right.INSPECT, Right.DECIDE}

ROLES: dict[str, frozenset[Right]] = {
    "reader": _READER,
    "contributor": _CONTRIBUTOR,
    "reviewer": _REVIEWER,
    "admin": _REVIEWER | {Right.ADMINISTER},
    "auditor": frozenset({Right.READ, Right.INSPECT, Right.AUDIT}),
}

#: The person `init` makes, with every role everywhere.
OPERATOR = "operator"


@dataclass(frozen=True, slots=True)
class Actor:
    """The person who acts, with the roles held at this moment.

    Attributes:
        authenticated: False where nothing proved who it is, as on the command line.
    """

    id: str
    name: str
    roles: tuple[tuple[str, str], ...]
    authenticated: bool = False

    def may(self, right: Right, scope: str) -> bool:
        """Return whether a role gives `right` over all of `scope`."""
        return any(right in ROLES[role] and covers(held, scope) for role, held in self.roles)

    def may_rest_on(self, scope: str, within: str) -> bool:
        """Return whether something in the scope `within` that the person may look at may show and name them what lies in `scope`.

        That is what they may read, and what an ancestor of its scope holds for it (R14).
        """
        return self.may(Right.READ, scope) or covers(scope, within)

    def works_in(self, tenant: str) -> bool:
        """Return whether a role is held in a tenant, or everywhere."""
        return any(held == EVERYWHERE or tenant_of(held) == tenant for _, held in self.roles)

    def scopes_with(self, right: Right) -> list[str]:
        """Return the scopes in which `right` is held."""
        return sorted({held for role, held in self.roles if right in ROLES[role]})

    def need(self, right: Right, scope: str, doing: str) -> None:
        """Refuse with `not_allowed` unless `right` is held over `scope`."""
        if not self.may(right, scope):
            if scope == EVERYWHERE:
                raise Refusal(
                    Code.NOT_ALLOWED,
                    f"{self.name} may not {doing}: that takes the right to {right.value} everywhere. Ask an admin of everything, such as {OPERATOR}.",
                )
            raise Refusal(
                Code.NOT_ALLOWED,
                f"{self.name} may not {doing} in {scope}: that takes the right to {right.value} there. Ask an admin of {tenant_of(scope)}.",
            )
