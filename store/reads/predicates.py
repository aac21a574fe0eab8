"""The predicates of a tenant: how each is declared, and how much is held and contested under it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from store.db.claim_store import ClaimStore
from store.db.keys import load_predicates, load_scopes, nearest_predicate
from store.db.predicate_keys import predicate_keys
from store.db.transaction import Reading, read
from store.domain.errors import Code, Refusal
from store.domain.people import Right
from store.domain.scopes import EVERYWHERE, tenant_of
from store.domain.snapshot import Snapshot
from store.domain.status import Kind, Status
from store.domain.values import Predicate


@dataclass(frozen=True, slots=True)
class PredicateRow:
    """One predicate as it is declared in a scope, or as it behaves undeclared.

    Attributes:
        declared: the declaration stands in its scope; False where nobody declared it, and its scope is the tenant.
        accepted: claims in use under it, in the scopes the person may look into; `conflicts`: its open conflicts there.
        may_change: whether the person may change how it is compared there.
    """

    predicate: Predicate
    declared: bool
    accepted: int
    conflicts: int
    may_change: bool


def list_predicates(store: ClaimStore, person: str, tenant: str, *, authenticated: bool = False) -> list[PredicateRow]:
    """Return the predicates of a tenant by name and scope, with counts of the scopes the person may look into.

    Raises:
        Refusal: `not_allowed` for who may look into no scope of the tenant.
    """
    with read(store, person, authenticated=authenticated) as reading:
        number = reading.tenant_number(tenant)
        held = reading.actor.scopes_with(Right.INSPECT)
        if number is None or not any(scope == EVERYWHERE or tenant_of(scope) == tenant for scope in held):
            raise Refusal(
                Code.NOT_ALLOWED,
                f"{reading.actor.name} may not see the predicates of {tenant}: that takes the role of a reviewer, an auditor or an admin.",
            )
        declared = load_predicates(reading.connection, number)
        accepted, conflicts = _count(reading, number, declared)
        visible = {pair: one for pair, one in declared.items() if reading.actor.may(Right.INSPECT, pair[0]) or pair in accepted or pair in conflicts}
        undeclared = {name for scope, name in {*accepted, *conflicts} if (scope, name) not in declared}
        rows = [*visible.values(), *(Predicate(tenant, name) for name in undeclared)]
        return [
            PredicateRow(
                one, (one.scope, one.name) in declared, accepted[one.scope, one.name], conflicts[one.scope, one.name],
                reading.actor.may(Right.ADMINISTER, one.scope),
            )
            for one in sorted(rows, key=lambda one: (one.name, one.scope))
        ]  # fmt: skip


def _count(reading: Reading, number: int, declared: dict[tuple[str, str], Predicate]) -> tuple[Counter[tuple[str, str]], Counter[tuple[str, str]]]:
    """Return (scope of the declaration, predicate) -> claims in use, and -> open conflicts; undeclared ones stand under the tenant."""
    snapshot = reading.snapshot(number)
    codes = predicate_keys(reading.store.snapshots, reading.connection, number)
    paths = load_scopes(reading.connection, number)
    shown = np.zeros(max(paths, default=0) + 1, dtype=bool)
    shown[[scope for scope, path in paths.items() if reading.actor.may(Right.INSPECT, path)]] = True
    own = set(declared)

    def under(pairs: Counter[tuple[int, int]]) -> Counter[tuple[str, str]]:
        found: Counter[tuple[str, str]] = Counter()
        for (code, scope), count in pairs.items():
            name, path = codes.names[code], paths[scope]
            nearest = nearest_predicate(declared, path, name)
            found[(nearest.scope if (nearest.scope, name) in own else tenant_of(path)), name] += count
        return found

    return under(_claims_by(snapshot, codes.codes, shown)), under(_conflicts_by(snapshot, codes.codes, shown))


def _claims_by(snapshot: Snapshot, codes: np.ndarray, shown: np.ndarray) -> Counter[tuple[int, int]]:
    columns = snapshot.columns
    claims = np.flatnonzero((columns.kind == Kind.CLAIM) & (columns.status == Status.ACCEPTED) & (columns.key > 0))
    claims = claims[shown[columns.scope[claims]]]
    pairs, counts = np.unique(codes[columns.key[claims]].astype(np.int64) * (len(shown) + 1) + columns.scope[claims], return_counts=True)
    return Counter({divmod(int(pair), len(shown) + 1): int(count) for pair, count in zip(pairs, counts, strict=True)})


def _conflicts_by(snapshot: Snapshot, codes: np.ndarray, shown: np.ndarray) -> Counter[tuple[int, int]]:
    found: Counter[tuple[int, int]] = Counter()
    for key in snapshot.open_conflicts:
        scope = int(snapshot.keys.scope[key])
        if shown[scope]:
            found[int(codes[key]), scope] += 1
    return found
