"""The dates of accepted records that are to be renewed, with the version seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from store.db.claim_store import ClaimStore
from store.db.plan_lists import load_named
from store.db.records import find_numbers, load_cards
from store.db.transaction import read
from store.db.veils import load_shown
from store.domain.people import Right
from store.domain.records import Artifact, Claim
from store.domain.status import Status

_MOST = 500


@dataclass(frozen=True, slots=True)
class DatedRecord:
    """An accepted record and its dates, microseconds UTC. Texts come from outside.

    Attributes:
        version: as seen. `expired`: whether its own expiry date is past. `due`: whether its review date is past.
        may_decide: whether the person may renew it.
    """

    id: str
    tenant: str
    title: str
    version: int
    review_at: int | None
    expires_at: int | None
    expired: bool
    due: bool
    may_decide: bool


def list_dates(store: ClaimStore, person: str, tenant: str, ids: Sequence[str], *, authenticated: bool = False) -> tuple[DatedRecord, ...]:
    """Return the dates of some records in the order given, at most 500; those that are not accepted or may not be seen are left out."""
    with read(store, person, authenticated=authenticated) as reading:
        number = reading.tenant_number(tenant)
        if number is None:
            return ()
        wanted = list(dict.fromkeys(ids))[:_MOST]
        found = find_numbers(reading.connection, number, wanted)
        cards = load_cards(reading.connection, number, found.values())
        shown = {one: card for one, card in cards.items() if card.status is Status.ACCEPTED and reading.actor.may(Right.INSPECT, card.scope)}
        contents = load_shown(reading.connection, number, list(shown.values()), with_bytes=False)
        named = load_named(reading.connection, number, list(shown))
        rows = []
        for one in wanted:
            content = contents.get(found.get(one, 0))
            if not isinstance(content, Claim | Artifact):
                continue
            card = shown[found[one]]
            expires, review = content.expires_at, content.review_at
            rows.append(DatedRecord(
                one, tenant, named[card.number].title, card.version, review, expires, expires is not None and expires <= reading.at,
                review is not None and review <= reading.at, reading.actor.may(Right.DECIDE, card.scope),
            ))  # fmt: skip
        return tuple(rows)
