"""Rows beside the chain of events, against what the notes of events say of them: questions with their answers, deliveries, receipts.

A note holds what was asked for in an action, and the chain vouches for it as long as it is there. Where forgetting blotted a row out,
or destroyed a note, there is nothing left to compare; what came in with an import was asked and sent elsewhere.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.bulk import chunks
from store.db.messages import DELIVER
from store.domain.forgetting import NAMELESS, RequestState
from store.domain.text import digest

_ASK, _ANSWER, _IMPORT = "ask", "answer", "import"
_CONFLICT = "conflict"


@dataclass(frozen=True, slots=True)
class _Event:
    """One event, by whom and when; `note` is empty where forgetting destroyed it."""

    action: str
    person: str
    at: int
    note: dict[str, Any]

    def words(self, action: str, count: int) -> list[Any] | None:
        """Return what was asked for in an action, None where this is another one or nothing is left of it."""
        words = self.note.get("words")
        return words if self.action == action and isinstance(words, list) and len(words) == count else None


def foreign_questions(connection: Connection, tenant: int) -> list[str]:
    """Return the numbers of questions that were not asked or answered so, by whom and when their events say."""
    q = t.question
    rows = connection.execute(sa.select(q).where(q.c.tenant == tenant).order_by(q.c.question)).all()
    events = _events_of(connection, tenant, q.c.asked_seq) | _events_of(connection, tenant, q.c.answered_seq)
    found = [str(row.question) for row in rows if not (_was_asked(row, events.get(row.asked_seq)) and _was_answered(row, events.get(row.answered_seq)))]
    asked = {row.asked_seq for row in rows}
    return found + [f"of event {seq}" for seq, event in _events_with_note(connection, tenant, _ASK) if event.words(_ASK, 4) and seq not in asked]


def _was_asked(row: Any, event: _Event | None) -> bool:
    if event is None or event.action == _IMPORT:
        return event is not None
    if (event.person, event.at) != (row.asked_by, row.asked_at):
        return False
    words = event.words(_ASK, 4)
    if words is None or row.text == NAMELESS:
        return True
    kind, about, text, of = words
    # A conflict's line that comes back may give it the id it had elsewhere, and the question follows it.
    return (row.kind, row.text, row.asked_of) == (kind, text.strip(), of) and (kind == _CONFLICT or row.about == about)


def _was_answered(row: Any, event: _Event | None) -> bool:
    if row.answered_seq is None:
        return (row.answer, row.answered_by, row.answered_at) == (None, None, None)
    if event is None or event.action == _IMPORT:
        return event is not None
    if (event.person, event.at) != (row.answered_by, row.answered_at):
        return False
    if event.action != _ANSWER:
        return row.answer is None  # taken back, or blotted out
    words = event.words(_ANSWER, 2)
    return words is None or row.text == NAMELESS or (row.question, row.answer) == (words[0], words[1].strip())


def missing_deliveries(connection: Connection, tenant: int) -> list[str]:
    """Return the ids of artifacts of which something went out that does not stand among their deliveries as it was noted."""
    d, r = t.delivery, t.record
    query = sa.select(r.c.id, d.c.recipient, d.c.channel, d.c.delivered_at).outerjoin(d, (d.c.tenant == r.c.tenant) & (d.c.record == r.c.record))
    query = query.where(r.c.tenant == tenant)
    noted = [(event.words(DELIVER, 4), event.at) for _, event in _events_with_note(connection, tenant, DELIVER)]
    wanted = {(words[0], words[1].strip(), words[2].strip(), at if words[3] is None else words[3]) for words, at in noted if words}
    there: dict[str, set[tuple[str, str, int]]] = {}
    for some in chunks(sorted({name for name, *_ in wanted})):
        for name, recipient, channel, at in connection.execute(query.where(r.c.id.in_(some))):
            there.setdefault(name, set()).add((recipient, channel, at))
    return sorted({name for name, *went in wanted if name in there and not any(_is_same(one, went) for one in there[name])})


def _is_same(row: tuple[str, str, int], noted: list[Any]) -> bool:
    return all(here in (said, NAMELESS) for here, said in zip(row, noted, strict=True))


def foreign_receipts(connection: Connection, tenant: int) -> list[str]:
    """Return which receipts of deletion requests are not as they were written, or are gone."""
    d, r = t.deletion_receipt, t.deletion_request
    rows = connection.execute(sa.select(d.c.request, d.c.n, d.c.seq, d.c.at, d.c.content).where(d.c.tenant == tenant).order_by(d.c.request, d.c.n)).all()
    events, there = _events_of(connection, tenant, d.c.seq), {digest(row.content) for row in rows}
    found = []
    for row in rows:
        event = events.get(row.seq)
        if event is None or event.at != row.at or digest(row.content) not in event.note.get("receipts", [digest(row.content)]):
            found.append(f"{row.n} of request {row.request}")
    finished = sa.select(r.c.request).where(r.c.tenant == tenant, r.c.state != int(RequestState.OPEN))
    found.extend(f"of request {one}" for one in connection.execute(finished).scalars() if one not in {row.request for row in rows})
    noted = ((seq, event.note.get("receipts", ())) for seq, event in _events_with_note(connection, tenant, None, naming='"receipts"'))
    return found + [f"of event {seq}" for seq, receipts in noted if not there.issuperset(receipts)]


def _events_of(connection: Connection, tenant: int, column: Any) -> dict[int, _Event]:
    """Return the events that rows of a table name in a column, by their numbers."""
    e = t.event
    query = _with_note().join(column.table, (column.table.c.tenant == e.c.tenant) & (column == e.c.seq)).where(e.c.tenant == tenant).distinct()
    return {row.seq: _event(row) for row in connection.execute(query)}


def _events_with_note(connection: Connection, tenant: int, action: str | None, *, naming: str | None = None) -> Iterator[tuple[int, _Event]]:
    """Yield the events of an action, or those whose notes have a word in them, of which the note is left."""
    e, n = t.event, t.event_note
    query = _with_note().where(e.c.tenant == tenant, n.c.note.is_not(None)).order_by(e.c.seq)
    query = query if action is None else query.where(e.c.action == action)
    query = query if naming is None else query.where(n.c.note.contains(naming, autoescape=True))
    for row in connection.execute(query):
        yield row.seq, _event(row)


def _with_note() -> Any:
    e, n, p = t.event, t.event_note, t.person
    query = sa.select(e.c.seq, e.c.action, e.c.at, p.c.id, n.c.note).join(p, (p.c.tenant == e.c.tenant) & (p.c.person == e.c.person))
    return query.outerjoin(n, (n.c.tenant == e.c.tenant) & (n.c.seq == e.c.seq))


def _event(row: Any) -> _Event:
    return _Event(row.action, row.id, row.at, {} if row.note is None else json.loads(row.note))
