"""One tenant's part of an import, inside its transaction: what its steps share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from store.actions.staging import Progress, Staging
from store.db.keys import Numbers
from store.db.transaction import Writing
from store.domain.errors import Code
from store.domain.people import Right
from store.domain.scopes import tenant_of
from store.domain.status import Status


@dataclass(slots=True)
class ImportPart:
    """What the steps of an import know and have done so far.

    Attributes:
        declared: people, predicates and policies that were set; `arrived`: status -> how many records came in with it.
        source_scopes: source id -> its number and scope.
        known_parents: id -> number and status of parents that were in the store before.
        revalued: keys whose claims compare differently since a predicate was declared.
        assumed: lines in which a time had no offset.
        policies: what stood before anything of this import, (scope, settings) as `load_policies` returns them.
        not_kept: lines that were to come in as accepted and that those policies exclude, with the reason.
        known: the identical lines of known records, with the status those have.
    """

    tx: Writing
    staging: Staging
    reviewed: bool
    progress: Progress | None
    numbers: Numbers
    imported: dict[str, int] = field(default_factory=lambda: {"source": 0, "evidence": 0, "claim": 0, "artifact": 0})
    declared: dict[str, int] = field(default_factory=lambda: {"person": 0, "predicate": 0, "policy": 0})
    arrived: dict[str, int] = field(default_factory=dict)
    unchanged: int = 0
    known: list[dict[str, Any]] = field(default_factory=list)
    policies: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    not_kept: list[dict[str, Any]] = field(default_factory=list)
    assumed: list[int] = field(default_factory=list)
    source_scopes: dict[str, tuple[int, str]] = field(default_factory=dict)
    known_parents: dict[str, tuple[int, Status]] = field(default_factory=dict)
    revalued: set[int] = field(default_factory=set)

    def owns(self, scope: str) -> bool:
        """Return whether a scope belongs to this part's tenant."""
        return tenant_of(scope) == self.tx.tenant_name

    def allows(self, right: Right, scope: str, line: int, record_id: str | None, what: str) -> bool:
        """Return whether the importer holds a right over a scope, rejecting the line where not."""
        if self.tx.actor.may(right, scope):
            return True
        admin = f"Ask an admin of {self.tx.tenant_name}."
        self.staging.reject(line, record_id, Code.NOT_ALLOWED, f"{self.tx.actor.name} may not add {what} in {scope}. {admin}")
        return False

    def say(self, what: str, done: int = 0, total: int = 0) -> None:
        """Tell whoever waits what is being done."""
        if self.progress:
            self.progress(what, done, total)

    def result(self, opened: int) -> dict[str, Any]:
        """Return the counts."""
        return {
            "imported": self.imported,
            "declared": self.declared,
            "arrived": self.arrived,
            "unchanged": self.unchanged,
            "conflicts_opened": opened,
            "assumed_utc": sorted(self.assumed),
            "known": self.known,
            "not_kept": self.not_kept,
        }
