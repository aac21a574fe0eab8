"""The proofs that nothing forgotten comes back, for admins, reviewers and auditors of a tenant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from store.db.claim_store import ClaimStore
from store.db.proofs import load_proofs
from store.db.tenants import tenants_of
from store.db.transaction import read
from store.domain.people import Right
from store.domain.times import format_time


@dataclass(frozen=True, slots=True)
class ProofRow:
    """One proof: a drill, a run of the memory gate, or the verification of a request.

    Attributes:
        found: what was done and found; of a gate `{"tests": [{"name", "did", "retrieved", "expected", "found", "ok"}]}`.
    """

    tenant: str
    number: int
    kind: str
    request: int | None
    at: str
    person: str
    ok: bool
    found: dict[str, Any]

    def to_json(self) -> dict[str, Any]:
        """Return the proof as the command line prints it."""
        return {name: getattr(self, name) for name in self.__slots__}


def list_proofs(
    store: ClaimStore, person: str, *, tenant: str | None = None, kind: str | None = None, limit: int = 100, authenticated: bool = False
) -> tuple[ProofRow, ...]:
    """Return the latest proofs of the tenants a person may see everything or administer anything of, the latest first.

    Args:
        tenant: only of this one; nothing where the person may not.
    """
    with read(store, person, authenticated=authenticated) as reading:
        found = []
        for number, name in tenants_of(reading):
            if tenant not in (None, name) or not (reading.actor.may(Right.INSPECT, name) or reading.actor.may(Right.ADMINISTER, name)):
                continue
            for one in load_proofs(reading.connection, number, kind=kind, most=limit):
                found.append(ProofRow(name, one.number, one.kind, one.request, format_time(one.at), one.person, one.ok, one.found))
        return tuple(sorted(found, key=lambda one: (one.at, one.number), reverse=True)[:limit])
