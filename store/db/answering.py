"""Which records may be served to whom, for what, and when (R14, R15): by key from the tables, or from memory where it is warm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.candidates import order_above
from store.db.conflicts import claims_of_keys, open_conflicts
from store.db.records import ancestors_of, load_cards
from store.domain.conflicts import Side, sides_live_at
from store.domain.records import Card
from store.domain.snapshot import Snapshot
from store.domain.status import Status


@dataclass(frozen=True, slots=True)
class Blocker:
    """Why a record is not usable at a moment, or None in every field when it is.

    Attributes:
        expired: the record, itself or an ancestor, that is expired.
        unaccepted: the record, itself or an ancestor, that is not ACCEPTED.
        contested: the claim key with a live open conflict, and the record that has it.
    """

    expired: int | None = None
    unaccepted: int | None = None
    contested: tuple[int, int] | None = None

    @property
    def usable(self) -> bool:
        """Return whether nothing stands against the record."""
        return self.expired is None and self.unaccepted is None and self.contested is None


def live_conflicts(connection: Connection, tenant: int, keys: set[int], at: int) -> dict[int, list[int]]:
    """Return key -> records on the sides that contradict each other at `at`, of those keys with an open conflict."""
    found = {}
    for key, sides in live_sides(connection, tenant, keys, at).items():
        found[key] = [side.record for side in sides]
    return found


def live_sides(connection: Connection, tenant: int, keys: set[int], at: int) -> dict[int, list[Side]]:
    """Return key -> sides live at `at`, of those keys with an open conflict that is live then."""
    conflicts = open_conflicts(connection, tenant, keys)
    claims = claims_of_keys(connection, tenant, conflicts)
    found = {}
    for key, conflict in conflicts.items():
        sides = sides_live_at([claim.side for claim in claims[key] if claim.record in conflict.sides], at)
        if sides:
            found[key] = sides
    return found


def find_blockers(connection: Connection, tenant: int, records: Sequence[int], at: int) -> dict[int, Blocker]:
    """Return what stands against each record at `at`, from its ancestors by key."""
    above = ancestors_of(connection, tenant, records)
    cards = load_cards(connection, tenant, above)
    contested = live_conflicts(connection, tenant, {card.key for card in cards.values() if card.key is not None}, at)
    found = _inherit(above, {number: _own_blocker(card, contested, at) for number, card in cards.items()})
    return {number: found[number] for number in records}


def _inherit(above: dict[int, list[int]], own: dict[int, Blocker]) -> dict[int, Blocker]:
    """Return what stands against each record, its own matter first, then its parents' in order."""
    found: dict[int, Blocker] = {}
    for number in order_above(above):
        mine = own[number]
        for parent in above[number]:
            higher = found[parent]
            mine = Blocker(
                mine.expired if mine.expired is not None else higher.expired,
                mine.unaccepted if mine.unaccepted is not None else higher.unaccepted,
                mine.contested or higher.contested,
            )
        found[number] = mine
    return found


def _own_blocker(card: Card, contested: dict[int, list[int]], at: int) -> Blocker:
    return Blocker(
        card.number if card.expires_at is not None and card.expires_at <= at else None,
        card.number if card.status is not Status.ACCEPTED else None,
        (card.key, card.number) if card.key in contested else None,
    )


def find_blockers_in(connection: Connection, tenant: int, snapshot: Snapshot, records: Sequence[int], at: int) -> dict[int, Blocker]:
    """Return the same as `find_blockers`, from memory; only open conflicts are looked up, by key."""
    expiry, contested, status = snapshot.effective_expiry(), snapshot.contested(), snapshot.columns.status
    doubtful = [record for record in records if contested[record] or expiry[record] <= at or status[record] != Status.ACCEPTED]
    found = dict.fromkeys(records, Blocker())
    if not doubtful:
        return found
    columns, above = snapshot.columns, snapshot.graph.ancestors(doubtful)
    keys = {number: int(columns.key[number]) for number in above}
    live = live_conflicts(connection, tenant, set(keys.values()) & snapshot.open_conflicts.keys(), at)
    own = {
        number: Blocker(
            number if columns.expires_at[number] <= at else None,
            number if status[number] != Status.ACCEPTED else None,
            (keys[number], number) if keys[number] in live else None,
        )
        for number in above
    }
    inherited = _inherit(above, own)
    found.update({number: inherited[number] for number in doubtful})
    return found


def blockers_of(connection: Connection, tenant: int, snapshot: Snapshot | None, records: Sequence[int], at: int) -> dict[int, Blocker]:
    """Return what stands against each record, from memory if the snapshot is warm."""
    if snapshot is not None and all(record < len(snapshot.columns) for record in records):
        return find_blockers_in(connection, tenant, snapshot, records, at)
    return find_blockers(connection, tenant, records, at)


def event_seq(connection: Connection, tenant: int) -> int:
    """Return the number of the tenant's latest event."""
    return int(connection.execute(sa.select(t.tenant.c.event_seq).where(t.tenant.c.tenant == tenant)).scalar_one())
