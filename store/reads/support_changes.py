"""What a record rests on that has another value than when it was last accepted, as somebody may see it (R22, R23)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from store.db.plan_lists import load_named
from store.db.records import load_cards
from store.db.stays import said_now
from store.db.transaction import Reading
from store.domain.people import Right
from store.domain.plans import Cause


@dataclass(frozen=True, slots=True)
class SupportChange:
    """Something a record rests on, at any depth, then and now. Texts come from outside.

    Attributes:
        id, title: what it rests on now; `was`, `was_title`: what it rested on when it was last accepted: the same record, or the one it stands in for.
        says, said: the values now and then, as JSON; None for what holds no single value, such as a memo.
    """

    id: str
    title: str
    says: str | None
    was: str
    was_title: str
    said: str | None


def describe_changes(reading: Reading, number: int, causes: Sequence[Cause]) -> list[SupportChange | None]:
    """Return what each cause is about; None where the person may not see both."""
    records = {one for cause in causes for one in (cause.record, cause.was) if one}
    named = load_named(reading.connection, number, records)
    seen = {record for record in records if record in named and reading.actor.may(Right.INSPECT, named[record].scope)}
    cards = load_cards(reading.connection, number, {cause.record for cause in causes} & seen)
    says = said_now(reading, number, list(cards.values()))
    return [
        SupportChange(
            named[cause.record].id, named[cause.record].title, says.get(cause.record) or None, named[cause.was].id, named[cause.was].title, cause.text or None,
        ) if {cause.record, cause.was} <= seen else None
        for cause in causes
    ]  # fmt: skip
