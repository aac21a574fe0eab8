"""Questions people ask each other: those waiting for somebody, those somebody asked, those about one thing, and who could be asked."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock

from store.db.claim_store import ClaimStore
from store.db.plan_lists import event_number, load_named
from store.db.questions import (
    GONE,
    AskedQuestion,
    Subject,
    find_subject,
    list_actors,
    may_look_at,
    questions_about,
    questions_asked_by,
    questions_open_for,
)
from store.db.tenants import tenants_of
from store.db.transaction import Reading, read
from store.domain.errors import not_found
from store.domain.people import Actor, Right
from store.domain.scopes import covers, tenant_of
from store.domain.status import Status


@dataclass(frozen=True, slots=True)
class PlacedQuestion:
    """A question with where it stands: tenant, scope and name of what it is about, and its status (None for a conflict)."""

    question: AskedQuestion
    tenant: str
    scope: str
    status: str | None
    title: str


@dataclass(frozen=True, slots=True)
class MyQuestions:
    """What a person's questions are, each oldest first; none whose matter was settled in the meantime.

    Attributes:
        waiting: asked of this person and not answered.
        asked: by this person, not answered yet; `answered`: by this person, whose answer they have not seen.
    """

    waiting: tuple[PlacedQuestion, ...]
    asked: tuple[PlacedQuestion, ...]
    answered: tuple[PlacedQuestion, ...]


@dataclass(frozen=True, slots=True)
class PersonToAsk:
    """Somebody who may be asked: owners first, then reviewers, then others; an agent only proposes."""

    id: str
    name: str
    owner: bool
    reviewer: bool
    agent: bool


def list_my_questions(store: ClaimStore, person: str, *, scope: str | None = None, authenticated: bool = False) -> MyQuestions:
    """Return the questions that concern a person, within a scope if given."""
    with read(store, person, authenticated=authenticated) as reading:
        return my_questions(reading, scope)


#: (store, tenant, event, person, roles, scope) -> what they were asked, and what they asked; true for ever, so kept for a while.
_kept: OrderedDict[tuple[object, ...], tuple[list[PlacedQuestion], list[PlacedQuestion]]] = OrderedDict()
_lock = Lock()
_KEPT = 64


def my_questions(reading: Reading, scope: str | None) -> MyQuestions:
    """Return the questions that concern the person who reads, within a scope if given; from memory where nothing happened since."""
    waiting: list[PlacedQuestion] = []
    mine: list[PlacedQuestion] = []
    for number, name in tenants_of(reading):
        if scope is not None and tenant_of(scope) != name:
            continue
        seq = event_number(reading.connection, number)
        key = (f"{reading.store.lineage}:{reading.store.url}", number, seq, reading.actor.id, reading.actor.roles, scope)
        with _lock:
            known = _kept.get(key)
        if known is None:
            asked_of = questions_open_for(reading.connection, number, reading.actor.id)
            asked_by = questions_asked_by(reading.connection, number, reading.actor.id)
            known = _placed(reading, number, name, asked_of, scope), _placed(reading, number, name, asked_by, scope)
            with _lock:
                _kept[key] = known
                while len(_kept) > _KEPT:
                    _kept.popitem(last=False)
        waiting += known[0]
        mine += known[1]
    waiting = [one for one in waiting if not one.question.settled]
    asked = [one for one in mine if one.question.answered_at is None and not one.question.settled and one.question.of != one.question.by]
    answered = [one for one in mine if one.question.answer is not None]
    return MyQuestions(tuple(_by_time(waiting)), tuple(_by_time(asked)), tuple(_by_time(answered)))


def list_questions_about(
    store: ClaimStore, person: str, tenant: str, kind: str, about: str, *, authenticated: bool = False
) -> tuple[AskedQuestion, ...]:
    """Return every question about a record or a conflict, oldest first; nothing for who may not see it."""
    return list_questions_of(store, person, tenant, kind, [about], authenticated=authenticated).get(about, ())


def list_questions_of(
    store: ClaimStore, person: str, tenant: str, kind: str, abouts: Sequence[str], *, authenticated: bool = False
) -> dict[str, tuple[AskedQuestion, ...]]:
    """Return id -> every question about it, oldest first, for the records or conflicts of a page; those that have some."""
    with read(store, person, authenticated=authenticated) as reading:
        number = reading.tenant_number(tenant)
        if number is None:
            return {}
        found = questions_about(reading.connection, number, kind, abouts)
        subjects = {about: find_subject(reading.connection, number, kind, about) for about in found}
        return {about: tuple(its) for about, its in found.items() if _sees(reading.actor, subjects[about])}


def list_people_to_ask(store: ClaimStore, person: str, tenant: str, kind: str, about: str, *, authenticated: bool = False) -> tuple[PersonToAsk, ...]:
    """Return who may be asked about a record or a conflict, but the person who asks: its owner first, then reviewers, agents last.

    Raises:
        Refusal: `not_found`, the same for what is missing and what may not be seen.
    """
    with read(store, person, authenticated=authenticated) as reading:
        number = reading.tenant_number(tenant)
        subject = None if number is None else find_subject(reading.connection, number, kind, about)
        if subject is None or not _sees(reading.actor, subject):
            raise not_found(about)
        found = []
        for actor in list_actors(reading.connection):
            if actor.id != person and may_look_at(actor, subject.scope, subject.status):
                agent = {role for role, _ in actor.roles} == {"contributor"}
                found.append(PersonToAsk(actor.id, actor.name, actor.id == subject.owner, actor.may(Right.DECIDE, subject.scope), agent))
        return tuple(sorted(found, key=lambda one: (not one.owner, one.agent, not one.reviewer, one.name)))


def _sees(actor: Actor, subject: Subject | None) -> bool:
    return subject is not None and may_look_at(actor, subject.scope, subject.status)


def _placed(reading: Reading, number: int, tenant: str, questions: list[AskedQuestion], scope: str | None) -> list[PlacedQuestion]:
    """Return those questions the person may see, with where they stand."""
    subjects = {(one.kind, one.about): find_subject(reading.connection, number, one.kind, one.about) for one in questions}
    seen = {
        key: subject
        for key, subject in subjects.items()
        if subject is not None and _sees(reading.actor, subject) and (scope is None or covers(scope, subject.scope))
    }
    # What was rejected may have been too sensitive to be told again.
    told = [subject.number for subject in seen.values() if subject.number is not None and subject.status not in (Status.REJECTED, *GONE)]
    named = load_named(reading.connection, number, told) if told else {}
    found = []
    for one in questions:
        subject = seen.get((one.kind, one.about))
        if subject is not None:
            title = named[subject.number].title if subject.number in named else subject.title
            found.append(PlacedQuestion(one, tenant, subject.scope, None if subject.status is None else subject.status.name, title))
    return found


def _by_time(questions: list[PlacedQuestion]) -> list[PlacedQuestion]:
    return sorted(questions, key=lambda one: one.question.at)
