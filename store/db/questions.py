"""What people ask each other about a record or a conflict: asking, answering, and finding what is open.

A question that was answered without an answer was withdrawn by whoever asked it. The texts stand in this table only and
in the notes of events, which can go; events themselves hold none (R27).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.db import tables as t
from store.db.bulk import chunks
from store.db.records import find_card
from store.db.transaction import Writing, load_actor
from store.db.veils import ShownNames
from store.db.withheld import conflict_is_shown
from store.domain.errors import Code, Refusal
from store.domain.people import Actor, Right
from store.domain.scopes import EVERYWHERE, tenant_of
from store.domain.status import FORGOTTEN, Status
from store.domain.text import find_forbidden, is_blank, question_title
from store.domain.times import format_optional

RECORD, CONFLICT = "record", "conflict"
#: Most code points of a question or an answer.
LONGEST = 4_000
#: Statuses of which nothing may be asked or shown any more.
GONE = FORGOTTEN


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """One question with its answer, if it has one; times in microseconds UTC.

    Attributes:
        kind: `record` or `conflict`; `about`: its id.
        by, of: ids of who asked and who was asked; `answered_by`: of who answered or withdrew it.
        settled: what it was about was decided, or dissolved, after it was asked, so that no answer is needed any more.
    """

    number: int
    kind: str
    about: str
    text: str
    by: str
    by_name: str
    of: str
    of_name: str
    at: int
    seq: int
    answer: str | None
    answered_by: str | None
    answered_by_name: str | None
    answered_at: int | None
    seen_at: int | None
    settled: bool = False

    @property
    def withdrawn(self) -> bool:
        """Return whether it was taken back unanswered."""
        return self.answered_at is not None and self.answer is None


def need_text(text: str, what: str) -> str:
    """Return a question's or an answer's text without the space around it.

    Raises:
        Refusal: it is empty, too long, or cannot be kept.
    """
    shown = text.strip()
    if is_blank(shown):
        raise Refusal(Code.BAD_VALUE, f"The {what} is empty. Nothing was saved. Write one sentence.")
    if len(shown) > LONGEST:
        raise Refusal(Code.BAD_VALUE, f"The {what} has {len(shown):,} characters; at most {LONGEST:,} are kept. Nothing was saved. Shorten it.")
    if find_forbidden(shown):
        raise Refusal(Code.BAD_VALUE, f"The {what} holds a character no store can keep. Nothing was saved. Type it again.")
    return shown


def may_look_at(actor: Actor, scope: str, status: Status | None) -> bool:
    """Return whether somebody may see a record of `scope` and `status`, or a conflict (no status), so that they can be asked about it."""
    if status in FORGOTTEN:
        return False
    served = status in (None, Status.ACCEPTED) and actor.may(Right.READ, scope)
    return served or actor.may(Right.INSPECT, scope) or actor.may(Right.PROPOSE, scope)


def find_asked(tx: Writing, person: str, about: str, scope: str, status: Status | None) -> Actor:
    """Return the person who is to be asked.

    Raises:
        Refusal: `unknown_person`, the same for somebody who is not there and for one who may not see what is asked about.
    """
    try:
        found = load_actor(tx.connection, person, authenticated=False)
    except Refusal:
        found = None
    here = found is not None and any(held == EVERYWHERE or tenant_of(held) == tx.tenant_name for _, held in found.roles)
    if found is None or not here or not may_look_at(found, scope, status):
        raise Refusal(
            Code.UNKNOWN_PERSON, f"There is no {person[:80]!r} in {tx.tenant_name} who may see {about[:80]}. Nothing was asked. Choose somebody else."
        )
    return found


def insert_question(tx: Writing, kind: str, about: str, text: str, asked_of: str) -> int:
    """Add a question by the actor, as part of this action, and return its number.

    Raises:
        Refusal: the text cannot be kept. Who may be asked is for the caller to check, with `find_asked`.
    """
    shown = need_text(text, "question")
    q = t.question
    highest = sa.select(sa.func.coalesce(sa.func.max(q.c.question), 0)).where(q.c.tenant == tx.tenant)
    number = int(tx.connection.execute(highest).scalar_one()) + 1
    tx.connection.execute(sa.insert(q), {
        "tenant": tx.tenant, "question": number, "kind": kind, "about": about, "text": shown, "asked_by": tx.actor.id, "asked_of": asked_of,
        "asked_at": tx.at, "asked_seq": tx.seq,
    })  # fmt: skip
    return number


def close_question(tx: Writing, number: int, answer: str | None) -> None:
    """Keep the answer to a question; None withdraws it.

    An answer by whoever asked, and a withdrawal, are seen already.
    """
    q = t.question
    asker = sa.select(q.c.asked_by).where(q.c.tenant == tx.tenant, q.c.question == number)
    seen = tx.at if answer is None or tx.connection.execute(asker).scalar_one() == tx.actor.id else None
    values = {"answer": answer, "answered_by": tx.actor.id, "answered_at": tx.at, "answered_seq": tx.seq, "seen_at": seen}
    done = tx.connection.execute(sa.update(q).where(q.c.tenant == tx.tenant, q.c.question == number, q.c.answered_at.is_(None)).values(**values))
    if done.rowcount != 1:
        raise Refusal(Code.ALREADY_DECIDED, "Somebody answered this question at the same moment. Your answer was not saved. Look at theirs.")


def mark_seen(tx: Writing, number: int) -> None:
    """Keep that whoever asked has seen the answer."""
    q = t.question
    where = (q.c.tenant == tx.tenant, q.c.question == number, q.c.seen_at.is_(None))
    tx.connection.execute(sa.update(q).where(*where).values(seen_at=tx.at))


def find_question(connection: Connection, tenant: int, number: int) -> AskedQuestion | None:
    """Return one question, None if there is none of that number."""
    found = _load(connection, tenant, t.question.c.question == number)
    return found[0] if found else None


def questions_about(connection: Connection, tenant: int, kind: str, abouts: Iterable[str]) -> dict[str, list[AskedQuestion]]:
    """Return id -> the questions about it, oldest first."""
    q = t.question
    found: dict[str, list[AskedQuestion]] = {}
    for some in chunks(sorted(set(abouts))):
        for one in _load(connection, tenant, q.c.kind == kind, q.c.about.in_(some)):
            found.setdefault(one.about, []).append(one)
    return found


def questions_open_for(connection: Connection, tenant: int, person: str) -> list[AskedQuestion]:
    """Return what somebody is asked and has not been answered, oldest first."""
    return _load(connection, tenant, t.question.c.asked_of == person, t.question.c.answered_at.is_(None))


def questions_asked_by(connection: Connection, tenant: int, person: str) -> list[AskedQuestion]:
    """Return what somebody asked that is not answered, or whose answer they have not seen; oldest first."""
    return _load(connection, tenant, t.question.c.asked_by == person, t.question.c.seen_at.is_(None))


def _load(connection: Connection, tenant: int, *where: Any) -> list[AskedQuestion]:
    q, r, s = t.question, t.record, t.record_state
    # What was asked about something that is being forgotten is a part of it.
    about = sa.select(sa.literal(1)).select_from(r).join(s, (s.c.tenant == r.c.tenant) & (s.c.record == r.c.record))
    about = about.where(r.c.tenant == q.c.tenant, r.c.id == q.c.about, s.c.status.in_([int(status) for status in FORGOTTEN])).correlate(q)
    c = t.conflict
    contest = sa.select(sa.literal(1)).where(c.c.tenant == q.c.tenant, c.c.id == q.c.about, ~conflict_is_shown(c)).correlate(q)
    shown = sa.case((q.c.kind == RECORD, ~sa.exists(about)), else_=~sa.exists(contest))
    rows = connection.execute(sa.select(q).where(q.c.tenant == tenant, shown, *where).order_by(q.c.question)).all()
    if not rows:
        return []
    names = _names(connection, {one for row in rows for one in (row.asked_by, row.asked_of, row.answered_by) if one is not None})
    settled = _settled(connection, tenant, rows)
    return [
        AskedQuestion(
            row.question, row.kind, row.about, row.text, row.asked_by, names.get(row.asked_by, row.asked_by), row.asked_of,
            names.get(row.asked_of, row.asked_of), row.asked_at, row.asked_seq, row.answer, row.answered_by,
            names.get(row.answered_by, row.answered_by) if row.answered_by else None, row.answered_at, row.seen_at, row.question in settled,
        )
        for row in rows
    ]  # fmt: skip


def list_actors(connection: Connection) -> list[Actor]:
    """Return everybody who holds a role anywhere, by id, with all of them."""
    p, r = t.person, t.role
    query = sa.select(p.c.id, p.c.name, r.c.role, r.c.scope).join(r, (r.c.tenant == p.c.tenant) & (r.c.person == p.c.person)).order_by(p.c.id)
    roles: dict[str, list[tuple[str, str]]] = {}
    names: dict[str, str] = {}
    for row in connection.execute(query):
        roles.setdefault(row.id, []).append((row.role, row.scope))
        names[row.id] = row.name
    return [Actor(one, names[one], tuple(held)) for one, held in roles.items()]


def _names(connection: Connection, people: set[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for some in chunks(sorted(people)):
        found.update((one, name) for one, name in connection.execute(sa.select(t.person.c.id, t.person.c.name).where(t.person.c.id.in_(some))))
    return found


def _settled(connection: Connection, tenant: int, rows: Sequence[Any]) -> set[int]:
    """Return which questions are about what was decided, or dissolved, since they were asked, and does not wait for a decision again."""
    d, r, s, c = t.decision, t.record, t.record_state, t.conflict
    last: dict[tuple[str, str], int] = {}
    for some in chunks(sorted({row.about for row in rows if row.kind == RECORD})):
        query = sa.select(r.c.id, sa.func.max(d.c.seq)).join(d, (d.c.tenant == r.c.tenant) & (d.c.record == r.c.record))
        query = query.join(s, (s.c.tenant == r.c.tenant) & (s.c.record == r.c.record) & (s.c.status != int(Status.CANDIDATE)))
        query = query.where(r.c.tenant == tenant, r.c.id.in_(some), d.c.action.in_(("approve", "reject"))).group_by(r.c.id)
        last.update(((RECORD, one), seq) for one, seq in connection.execute(query))
    for some in chunks(sorted({row.about for row in rows if row.kind == CONFLICT})):
        found = connection.execute(sa.select(c.c.id, c.c.closed_seq).where(c.c.tenant == tenant, c.c.id.in_(some), c.c.closed_seq.is_not(None)))
        last.update(((CONFLICT, one), seq) for one, seq in found)
    return {row.question for row in rows if last.get((row.kind, row.about), 0) > row.asked_seq}


@dataclass(frozen=True, slots=True)
class Subject:
    """What a question is about: where it stands, and what it is called; a conflict has no number and no status. The title comes from outside, and is as whoever looks is shown it."""

    id: str
    number: int | None
    scope: str
    status: Status | None
    owner: str | None
    title: str


def find_subject(connection: Connection, tenant: int, kind: str, about: str) -> Subject | None:
    """Return what a question is about, None if it is not there."""
    if kind == RECORD:
        card = find_card(connection, tenant, about)
        return None if card is None else Subject(card.id, card.number, card.scope, card.status, card.owner, card.id)
    c, k, s = t.conflict, t.claim_key, t.scope
    query = (
        sa.select(c.c.id, c.c.owner, s.c.path, k.c.subject, k.c.predicate)
        .join(k, (k.c.tenant == c.c.tenant) & (k.c.key == c.c.key))
        .join(s, (s.c.tenant == k.c.tenant) & (s.c.scope == k.c.scope))
        .where(c.c.tenant == tenant, c.c.id == about)
    )
    row = connection.execute(query).one_or_none()
    if row is None:
        return None
    return Subject(row.id, None, row.path, None, row.owner, question_title(ShownNames(connection, tenant).name(row.path, row.subject), row.predicate))


# --- with the lines of conflicts (export and import) --------------------------------------------------------------


def question_lines(connection: Connection, tenant: int) -> dict[str, list[dict[str, Any]]]:
    """Return conflict id -> its questions as its line carries them, oldest first."""
    q = t.question
    found: dict[str, list[dict[str, Any]]] = {}
    for row in connection.execute(sa.select(q).where(q.c.tenant == tenant, q.c.kind == CONFLICT).order_by(q.c.question)):
        line = {
            "text": row.text, "by": row.asked_by, "of": row.asked_of, "at": format_optional(row.asked_at), "answer": row.answer,
            "answered_by": row.answered_by, "answered_at": format_optional(row.answered_at),
        }  # fmt: skip
        found.setdefault(row.about, []).append({name: value for name, value in line.items() if value is not None})
    return found


def add_question_lines(tx: Writing, conflict: str, lines: Iterable[dict[str, Any]]) -> None:
    """Add the questions a conflict's line carries, unless the conflict has some; times in microseconds UTC."""
    q = t.question
    there = tx.connection.execute(sa.select(q.c.question).where(q.c.tenant == tx.tenant, q.c.kind == CONFLICT, q.c.about == conflict).limit(1))
    if there.scalar_one_or_none() is not None:
        return
    number = int(tx.connection.execute(sa.select(sa.func.coalesce(sa.func.max(q.c.question), 0)).where(q.c.tenant == tx.tenant)).scalar_one())
    rows = []
    for line in lines:
        number += 1
        closed = line.get("answered_at")
        rows.append({
            "tenant": tx.tenant, "question": number, "kind": CONFLICT, "about": conflict, "text": line["text"], "asked_by": line["by"],
            "asked_of": line["of"], "asked_at": line["at"], "asked_seq": tx.seq, "answer": line.get("answer"), "answered_by": line.get("answered_by"),
            "answered_at": closed, "answered_seq": None if closed is None else tx.seq, "seen_at": closed,
        })  # fmt: skip
    if rows:
        tx.connection.execute(sa.insert(q), rows)


def rename_conflict(tx: Writing, old: str, new: str) -> None:
    """Let the questions about a conflict follow it to the id it had elsewhere."""
    q = t.question
    tx.connection.execute(sa.update(q).where(q.c.tenant == tx.tenant, q.c.kind == CONFLICT, q.c.about == old).values(about=new))
