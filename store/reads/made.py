"""What something made: how many records a plan would pick by it, and which."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from store.db.claim_store import ClaimStore
from store.db.keys import load_scopes
from store.db.picking import count_made_so, first_made_so
from store.db.transaction import Reading, read
from store.db.veils import load_shown
from store.domain.errors import Code, Refusal
from store.domain.people import Right
from store.domain.status import KIND_WORD, Status
from store.reads.candidate_page import title_of


@dataclass(frozen=True, slots=True)
class MadeCount:
    """How many records were made so that the person may see; `statuses`: status -> how many."""

    total: int
    statuses: dict[str, int]


@dataclass(frozen=True, slots=True)
class MadeRow:
    """A record that was made so. Texts come from outside."""

    id: str
    kind: str
    status: str
    scope: str
    title: str


def _tenant(reading: Reading, tenant: str) -> int:
    number = reading.tenant_number(tenant)
    if number is None:
        raise Refusal(Code.NOT_FOUND, f"There is no tenant {tenant!r} that you may see. Check the scope.")
    return number


def _count_seen(reading: Reading, number: int, made: Mapping[str, Any]) -> list[tuple[int, int, int]]:
    """Return (status, scope, how many) of what was made so and the person may see."""
    scopes, actor = load_scopes(reading.connection, number), reading.actor
    found = []
    for status, scope, count in count_made_so(reading.connection, number, made):
        path = scopes.get(scope, "")
        if actor.may(Right.INSPECT, path) or (status == int(Status.ACCEPTED) and actor.may(Right.READ, path)):
            found.append((status, scope, count))
    return found


def count_made(store: ClaimStore, person: str, tenant: str, made: Mapping[str, Any], *, authenticated: bool = False) -> MadeCount:
    """Return how many records were made so, in the scopes the person may see.

    Raises:
        Refusal: `bad_value`: the words pick nothing sensible; `not_found`: no such tenant.
    """
    with read(store, person, authenticated=authenticated) as reading:
        number = _tenant(reading, tenant)
        found: dict[str, int] = {}
        for status, _, count in _count_seen(reading, number, made):
            name = Status(status).name
            found[name] = found.get(name, 0) + count
        return MadeCount(sum(found.values()), found)


def list_made(
    store: ClaimStore, person: str, tenant: str, made: Mapping[str, Any], *, in_use: bool = False, limit: int = 50, authenticated: bool = False
) -> tuple[list[MadeRow], int]:
    """Return the first records that were made so and the person may see, and how many there are; `in_use`: only ACCEPTED ones.

    Raises:
        Refusal: `bad_value`: the words pick nothing sensible; `not_found`: no such tenant.
    """
    with read(store, person, authenticated=authenticated) as reading:
        number = _tenant(reading, tenant)
        counts = [
            (status, scope, count) for status, scope, count in _count_seen(reading, number, made) if not in_use or status == int(Status.ACCEPTED)
        ]
        shown = first_made_so(reading.connection, number, made, [one[:2] for one in counts], max(1, min(limit, 1_000)))
        contents = load_shown(reading.connection, number, shown, with_bytes=False)
        rows = [MadeRow(card.id, KIND_WORD[card.kind], card.status.name, card.scope, title_of(contents[card.number], {})) for card in shown]
        return rows, sum(count for _, _, count in counts)
