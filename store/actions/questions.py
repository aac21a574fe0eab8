"""Asking somebody about a record or a conflict, answering, taking a question back, and having seen an answer."""

from __future__ import annotations

from typing import Any

from store.db.claim_store import ClaimStore
from store.db.questions import (
    CONFLICT,
    GONE,
    RECORD,
    AskedQuestion,
    Subject,
    close_question,
    find_asked,
    find_question,
    find_subject,
    insert_question,
    mark_seen,
    may_look_at,
    need_text,
)
from store.db.transaction import Writing, write
from store.domain.errors import Code, Refusal, not_found
from store.domain.people import Right
from store.domain.times import format_time


def ask(
    store: ClaimStore, person: str, tenant: str, kind: str, about: str, text: str, of: str, *, operation: str | None = None, authenticated: bool = False
) -> dict[str, Any]:  # fmt: skip
    """Ask somebody about a record (`kind` record) or a conflict (`kind` conflict); a reviewer of its scope may.

    Raises:
        Refusal: it is not there, the person asked may not see it, or the text is empty.
    """
    with write(store, person, tenant, "ask", [kind, about, text, of], operation=operation, authenticated=authenticated) as tx:
        if tx.repeated is None:
            if kind not in (RECORD, CONFLICT):
                raise Refusal(Code.BAD_VALUE, f"Nothing can be asked about a {kind[:40]!r}. Nothing was asked. Ask about a record or a conflict.")
            subject = find_subject(tx.connection, tx.tenant, kind, about)
            if subject is None or not may_look_at(tx.actor, subject.scope, subject.status):
                raise not_found(about)
            tx.actor.need(Right.DECIDE, subject.scope, f"ask about {about}")
            need_text(text, "question")
            asked = find_asked(tx, of, about, subject.scope, subject.status)
            if asked.id == tx.actor.id:
                raise Refusal(Code.BAD_VALUE, "You would ask yourself. Nothing was asked. Choose somebody else.")
            number = insert_question(tx, kind, about, text, asked.id)
            tx.result = {"asked": number, "of": asked.id, "event": tx.seq}
    return tx.repeated if tx.repeated is not None else tx.result


def answer_question(
    store: ClaimStore, person: str, tenant: str, number: int, text: str, *, operation: str | None = None, authenticated: bool = False
) -> dict[str, Any]:  # fmt: skip
    """Answer a question: the person asked may, and so may any reviewer of the scope.

    Raises:
        Refusal: `already_decided` with who answered and when; or there is no such question to answer.
    """
    with write(store, person, tenant, "answer", [number, text], operation=operation, authenticated=authenticated) as tx:
        if tx.repeated is None:
            question, subject = _find(tx, number)
            if tx.actor.id != question.of:
                tx.actor.need(Right.DECIDE, subject.scope, f"answer what {question.of_name} was asked")
            shown = need_text(text, "answer")
            _need_open(question)
            close_question(tx, number, shown)
            tx.result = {"answered": number, "event": tx.seq}
    return tx.repeated if tx.repeated is not None else tx.result


def withdraw_question(
    store: ClaimStore, person: str, tenant: str, number: int, *, operation: str | None = None, authenticated: bool = False
) -> dict[str, Any]:  # fmt: skip
    """Take back one's own question that nobody answered yet."""
    with write(store, person, tenant, "withdraw question", [number], operation=operation, authenticated=authenticated) as tx:
        if tx.repeated is None:
            question, _ = _find(tx, number)
            _need_mine(tx, question, "taken back")
            _need_open(question)
            close_question(tx, number, None)
            tx.result = {"withdrawn": number, "event": tx.seq}
    return tx.repeated if tx.repeated is not None else tx.result


def note_answer_seen(
    store: ClaimStore, person: str, tenant: str, number: int, *, operation: str | None = None, authenticated: bool = False
) -> dict[str, Any]:  # fmt: skip
    """Note that whoever asked has seen the answer, so that it waits for them no longer."""
    with write(store, person, tenant, "see answer", [number], operation=operation, authenticated=authenticated) as tx:
        if tx.repeated is None:
            question, _ = _find(tx, number)
            _need_mine(tx, question, "marked as seen")
            if question.answered_at is None:
                raise Refusal(Code.ILLEGAL_STEP, f"Nobody has answered question {number} yet. Nothing was changed. You can take it back.")
            if question.seen_at is not None:
                raise Refusal(Code.ALREADY_DECIDED, f"You had seen the answer already, at {format_time(question.seen_at)}. Nothing was changed.")
            mark_seen(tx, number)
            tx.result = {"seen": number, "event": tx.seq}
    return tx.repeated if tx.repeated is not None else tx.result


def _find(tx: Writing, number: int) -> tuple[AskedQuestion, Subject]:
    """Return a question the actor may see, and what it is about."""
    question = find_question(tx.connection, tx.tenant, number)
    subject = None if question is None else find_subject(tx.connection, tx.tenant, question.kind, question.about)
    if question is None or subject is None or subject.status in GONE or not may_look_at(tx.actor, subject.scope, subject.status):
        raise Refusal(Code.NOT_FOUND, f"There is no question {number} that you may see. Nothing was saved. Check the number and your roles.")
    return question, subject


def _need_open(question: AskedQuestion) -> None:
    if question.answered_at is None:
        return
    did = "took this question back" if question.withdrawn else "answered this question"
    raise Refusal(
        Code.ALREADY_DECIDED, f"{question.answered_by_name} {did} at {format_time(question.answered_at)}. Yours was not saved. Look at it again.",
        by=question.answered_by, at=format_time(question.answered_at),
    )  # fmt: skip


def _need_mine(tx: Writing, question: AskedQuestion, what: str) -> None:
    if question.by != tx.actor.id:
        raise Refusal(
            Code.NOT_ALLOWED, f"{question.by_name} asked this question, so it was not {what}. Only whoever asked may do that. You can answer it."
        )
