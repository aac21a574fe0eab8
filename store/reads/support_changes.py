"""What a record rests on that has another value than when it was last accepted, as somebody may see it (R22, R23)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from store.db.plan_lists import load_named
from store.db.records import load_cards
from store.db.stays import said_now
from store.db.transaction import Reading
from store.domain.people import Right
from store.domain.plans import Cause
from store.domain.records import Artifact, Claim, Record
from store.domain.text import canonical_json
from store.domain.value_in_quote import SCALED, YES, find_value

#: Characters a value needs for its words to be more than a chance find: a "4" may be any four.
_TELLING = 3


@dataclass(frozen=True, slots=True)
class SupportChange:
    """Something a record rests on, at any depth, then and now. Texts come from outside.

    Attributes:
        id, title: what it rests on now; `was`, `was_title`: what it rested on when it was last accepted: the same record, or the one it stands in for.
        says, said: the values now and then, as JSON; None for what holds no single value, such as a memo.
        repeated: the words of the record's own text that still are the value from then; empty where it names none.
    """

    id: str
    title: str
    says: str | None
    was: str
    was_title: str
    said: str | None
    repeated: str = ""


def describe_changes(reading: Reading, number: int, causes: Sequence[Cause], text: str = "") -> list[SupportChange | None]:
    """Return what each cause is about; None where the person may not see both.

    Args:
        text: what the record itself says, to look for old values in.
    """
    records = {one for cause in causes for one in (cause.record, cause.was) if one}
    named = load_named(reading.connection, number, records)
    seen = {record for record in records if record in named and reading.actor.may(Right.INSPECT, named[record].scope)}
    cards = load_cards(reading.connection, number, {cause.record for cause in causes} & seen)
    says = said_now(reading, number, list(cards.values()))
    return [
        SupportChange(
            named[cause.record].id, named[cause.record].title, says.get(cause.record) or None, named[cause.was].id, named[cause.was].title, cause.text or None,
            _repeated(cause.text, says.get(cause.record), text),
        ) if {cause.record, cause.was} <= seen else None
        for cause in causes
    ]  # fmt: skip


def own_text(record: Record) -> str:
    """Return what a record says in words of its own: title and body of an artifact, statement and value of a claim."""
    if isinstance(record, Artifact):
        return "\n".join(part for part in (record.title, record.body) if part)
    if isinstance(record, Claim):
        value = record.value if isinstance(record.value, str) else canonical_json(record.value)
        return "\n".join(part for part in (record.statement, value) if part)
    return ""


def _repeated(said: str, says: str | None, text: str) -> str:
    """Return the words of a text that are a value from then; none where they are the value of now as well."""
    if not said or not text:
        return ""
    then = find_value(json.loads(said), text)
    if then.kind not in (YES, SCALED) or (says and find_value(json.loads(says), then.words).kind in (YES, SCALED)):
        return ""
    return then.words if len(then.words) >= _TELLING else ""
