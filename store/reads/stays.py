"""Why records in the reach of a plan stay as they are, as sentences."""

from __future__ import annotations

from collections.abc import Sequence

from store.db.records import load_cards
from store.db.transaction import Reading
from store.domain.impact import WHY_UNTOUCHED, Impact
from store.domain.people import Right
from store.domain.periods import TRIGGERS
from store.domain.plans import Cause
from store.domain.records import Card
from store.domain.snapshot import Snapshot
from store.domain.status import Status


def say_why(reading: Reading, number: int, snapshot: Snapshot, impact: Impact, records: Sequence[int]) -> dict[int, str]:
    """Return record -> why it stays as it is."""
    causes = {record: impact.intent.stays[record] for record in records if record in impact.intent.stays}
    cards = load_cards(reading.connection, number, {cause.record for cause in causes.values() if cause.record})
    found = {}
    for record in records:
        if record in causes:
            found[record] = _sentence(reading, causes[record], cards)
        else:
            found[record] = WHY_UNTOUCHED.get(Status(int(snapshot.columns.status[record])), "stays as it is")
    return found


def _sentence(reading: Reading, cause: Cause, cards: dict[int, Card]) -> str:
    if cause.why == "trigger":
        return f"needs re-validation because {TRIGGERS.get(cause.text, cause.text.replace('_', ' '))}, and nobody dismissed that"
    card = cards.get(cause.record)
    visible = card is not None and reading.actor.may(Right.INSPECT, card.scope)
    name = card.id if card is not None and visible else "a record you may not see"
    if cause.why == "waits":
        return f"waits for {name}, which still needs re-validation"
    if cause.why == "value":
        return f"rests on {name}, which says something else now than when this fell"
    return f"still rests on {name}, which is {card.status.name}" if card is not None and visible else f"still rests on {name}"
