"""Why records in the reach of a plan stay as they are, as sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from store.db.records import load_cards, load_contents
from store.db.transaction import Reading
from store.domain.impact import WHY_UNTOUCHED, Impact
from store.domain.people import Right
from store.domain.periods import TRIGGERS
from store.domain.plans import Cause
from store.domain.records import Card, Claim
from store.domain.revalidation import what_is_said
from store.domain.snapshot import Snapshot
from store.domain.status import STANDS, Status

#: Characters of a value that go into a sentence.
_LONGEST = 60


def say_why(reading: Reading, number: int, snapshot: Snapshot, impact: Impact, records: Sequence[int]) -> dict[int, str]:
    """Return record -> why it stays as it is."""
    causes = {record: impact.intent.stays[record] for record in records if record in impact.intent.stays}
    cards = load_cards(reading.connection, number, {one for cause in causes.values() for one in (cause.record, cause.was) if one})
    changed = sorted({cause.record for cause in causes.values() if cause.why == "value" and cause.record in cards})
    says = said_now(reading, number, [cards[record] for record in changed])
    found = {}
    for record in records:
        if record in causes:
            found[record] = _sentence(reading, causes[record], cards, says)
        else:
            found[record] = WHY_UNTOUCHED.get(Status(int(snapshot.columns.status[record])), "stays as it is")
    return found


def said_now(reading: Reading, number: int, cards: Sequence[Card]) -> dict[int, str]:
    """Return record -> what it says, as JSON, of those that are claims."""
    contents = load_contents(reading.connection, number, cards, with_bytes=False)
    return {record: what_is_said(content.to_line()) for record, content in contents.items() if isinstance(content, Claim)}


def _quote(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _sentence(reading: Reading, cause: Cause, cards: dict[int, Card], says: Mapping[int, str]) -> str:
    if cause.why == "trigger":
        return f"needs re-validation because {TRIGGERS.get(cause.text, cause.text.replace('_', ' '))}, and nobody dismissed that"
    if cause.why == "not_kept":
        return f"needs re-validation and does not come back: {cause.text[:1].lower()}{cause.text[1:]}"
    card = cards.get(cause.record)
    visible = card is not None and reading.actor.may(Right.INSPECT, card.scope)
    name = card.id if card is not None and visible else "a record you may not see"
    if cause.why == "waits":
        return f"waits for {name}, which still needs re-validation"
    if cause.why == "value":
        was = cards.get(cause.was)
        if card is None or was is None or not visible or not reading.actor.may(Right.INSPECT, was.scope):
            return f"rests on {name}, which says something else now than when this fell"
        now, then = says.get(card.number, ""), cause.text
        if was is card:
            return f"rests on {name}, which {f'says {_quote(now)} now and said {_quote(then)}' if now and then else 'said something else'} when this fell"
        then = f", which said {_quote(then)}" if then else ""
        return f"rests on {name}{f', which says {_quote(now)}' if now else ''}, and when this fell on {was.id}{then}"
    return f"still rests on {name}, which {STANDS[card.status]}" if card is not None and visible else f"still rests on {name}"
