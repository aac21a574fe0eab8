"""Where else the words of what somebody wants forgotten stand, as far as the person may see it."""

from __future__ import annotations

from dataclasses import dataclass

from store.db.claim_store import ClaimStore
from store.db.further_places import find_further_places
from store.db.plan_lists import load_named
from store.db.records import find_numbers, load_cards
from store.db.redactions import foresee
from store.db.transaction import read
from store.domain.errors import not_found
from store.domain.people import Right
from store.domain.status import KIND_WORD


@dataclass(frozen=True, slots=True)
class OtherPlace:
    """A record that holds the words too: its id, what it is called, what it is, its scope, where in it, and how often."""

    id: str
    title: str
    kind: str
    scope: str
    where: str
    times: int


@dataclass(frozen=True, slots=True)
class OtherPlaces:
    """What may be forgotten as well.

    Attributes:
        items: at most 50. `hidden`: how many more lie where the person may not look. `cut`: there may be still more.
        short: how many values and quotes are too short or common to be looked for.
    """

    items: tuple[OtherPlace, ...]
    hidden: int
    cut: bool
    short: int


def suggest_further_places(store: ClaimStore, person: str, tenant: str, ids: list[str], *, authenticated: bool = False) -> OtherPlaces:
    """Return where the values and quotes of some records stand literally outside them and the passages that go with them.

    Raises:
        Refusal: `not_found`, also for what the person may not forget.
    """
    with read(store, person, authenticated=authenticated) as reading:
        number = reading.tenant_number(tenant)
        numbers = find_numbers(reading.connection, number, ids) if number is not None else {}
        cards = {} if number is None else load_cards(reading.connection, number, numbers.values())
        for name in ids:
            card = cards.get(numbers.get(name, 0))
            if card is None or not reading.actor.may(Right.ADMINISTER, card.scope):
                raise not_found(name)
        if number is None or not ids:
            return OtherPlaces((), 0, False, 0)
        covered = foresee(reading.connection, number, reading.snapshot(number), cards).redactions
        found = find_further_places(reading.connection, number, sorted(cards), covered)
        seen = [one for one in found.places if reading.actor.may(Right.INSPECT, one.scope)]
        known = find_numbers(reading.connection, number, [one.id for one in seen])
        named = load_named(reading.connection, number, known.values())
        items = tuple(
            OtherPlace(one.id, named[known[one.id]].title if one.id in known else one.id, KIND_WORD[one.kind], one.scope, one.where, one.times) for one in seen
        )
        return OtherPlaces(items, len(found.places) - len(seen), found.cut, found.short)
