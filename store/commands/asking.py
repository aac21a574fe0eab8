"""ask, answer, questions."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from store.actions import questions as asking
from store.actions.approve import Approval
from store.actions.ask_which import ask_which
from store.db.claim_store import ClaimStore, open_store
from store.db.questions import CONFLICT, RECORD
from store.domain.errors import Code, Refusal
from store.domain.times import format_optional, format_time
from store.reads.locate import find_tenant, list_tenants
from store.reads.questions import PlacedQuestion, list_my_questions

Outcome = tuple[int, dict[str, Any]]


def ask(arguments: Namespace) -> Outcome:
    """Ask somebody about a record or a conflict."""
    store = open_store(arguments.db)
    tenant = find_tenant(store, arguments.person, [arguments.about], arguments.tenant)
    if arguments.suspend:
        how = Approval(arguments.reason or arguments.text)
        return 0, ask_which(store, arguments.person, tenant, arguments.about, arguments.text, arguments.asked, how, operation=arguments.operation)
    kind = CONFLICT if arguments.conflict else RECORD
    return 0, asking.ask(store, arguments.person, tenant, kind, arguments.about, arguments.text, arguments.asked, operation=arguments.operation)


def answer(arguments: Namespace) -> Outcome:
    """Answer a question, or take one's own back."""
    store = open_store(arguments.db)
    tenant = arguments.tenant or _only_tenant(store, arguments.person)
    if arguments.withdraw:
        return 0, asking.withdraw_question(store, arguments.person, tenant, arguments.number, operation=arguments.operation)
    return 0, asking.answer_question(store, arguments.person, tenant, arguments.number, arguments.text, operation=arguments.operation)


def questions(arguments: Namespace) -> Outcome:
    """List the questions waiting for the person, those they asked, and the answers they have not seen."""
    found = list_my_questions(open_store(arguments.db), arguments.person, scope=arguments.scope or arguments.tenant)
    return 0, {name: [_line(one) for one in getattr(found, name)] for name in ("waiting", "asked", "answered")}


def _line(placed: PlacedQuestion) -> dict[str, Any]:
    one = placed.question
    return {
        "number": one.number, "tenant": placed.tenant, "kind": one.kind, "about": one.about, "text": one.text, "by": one.by, "of": one.of,
        "at": format_time(one.at), "answer": one.answer, "answered_by": one.answered_by, "answered_at": format_optional(one.answered_at),
    }  # fmt: skip


def _only_tenant(store: ClaimStore, person: str) -> str:
    """Return the tenant somebody means by a number, which every tenant counts for itself."""
    found = list_tenants(store, person)
    if len(found) != 1:
        raise Refusal(
            Code.AMBIGUOUS_TENANT, f"Each of {', '.join(found) or 'no tenants'} counts its questions. Nothing was done. Say which with --tenant."
        )
    return found[0]
