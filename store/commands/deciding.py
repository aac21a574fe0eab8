"""approve, reject, amend, reopen, renew: several ids are decided each on its own."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from typing import Any

from store.actions import approve as approving
from store.actions import review
from store.commands.usage import Usage
from store.commands.words import read_object, read_pairs, read_time, read_value
from store.db.claim_store import ClaimStore, open_store
from store.domain.errors import Refusal
from store.domain.promotion import read_terms
from store.reads.locate import find_tenant

Outcome = tuple[int, dict[str, Any]]


def _decide_each(arguments: Namespace, decide: Callable[[ClaimStore, str, str, str | None], dict[str, Any]]) -> Outcome:
    store = open_store(arguments.db)
    result: dict[str, Any] = {"decided": [], "waiting": [], "refused": []}
    for place, record_id in enumerate(dict.fromkeys(arguments.ids)):
        operation = arguments.operation if arguments.operation is None or place == 0 else f"{arguments.operation}:{place}"
        try:
            tenant = find_tenant(store, arguments.person, [record_id], arguments.tenant)
            found = decide(store, tenant, record_id, operation)
        except Refusal as refusal:
            if not result["refused"]:
                result = {"error": refusal.code.value, "message": refusal.message, **refusal.details, **result}
            result["refused"].append({"id": record_id, "code": refusal.code.value, "message": refusal.message})
            continue
        if "waiting" in found:
            result["waiting"].append({"id": found["waiting"], "needs": found["needs"]})
        else:
            result["decided"].append(record_id)
    return (1 if result["refused"] else 0), result


def approve(arguments: Namespace) -> Outcome:
    """Approve candidates."""
    if arguments.from_date is not None and arguments.replaces is None:
        raise Usage("--from goes with --replaces OLD: it says from when OLD is replaced")
    given = read_object(arguments.terms, "--terms")
    if given.get("widen_scope") is True:
        # The decision has its reason; nobody has to type it twice.
        given["widen_scope"] = arguments.reason
    how = approving.Approval(
        arguments.reason, read_terms(given), arguments.seen, None, arguments.replaces,
        read_time(arguments.from_date), arguments.open_conflict,
    )  # fmt: skip
    return _decide_each(arguments, lambda store, tenant, one, op: approving.approve(store, arguments.person, tenant, one, how, operation=op))


def reject(arguments: Namespace) -> Outcome:
    """Reject candidates."""
    return _decide_each(
        arguments,
        lambda store, tenant, one, op: review.reject(
            store, arguments.person, tenant, one, arguments.route, arguments.reason, seen=arguments.seen, operation=op
        ),
    )


def reopen(arguments: Namespace) -> Outcome:
    """Take decisions back."""
    return _decide_each(arguments, lambda store, tenant, one, op: review.reopen(store, arguments.person, tenant, one, operation=op))


def renew(arguments: Namespace) -> Outcome:
    """Set new dates."""
    if arguments.review_at is None and arguments.expires_at is None:
        raise Usage("say --review-at T or --expires-at T")
    review_at, expires_at = read_time(arguments.review_at), read_time(arguments.expires_at)
    return _decide_each(
        arguments,
        lambda store, tenant, one, op: review.renew(store, arguments.person, tenant, one, review_at=review_at, expires_at=expires_at, operation=op),
    )


def amend(arguments: Namespace) -> Outcome:
    """Change a candidate's content."""
    store = open_store(arguments.db)
    fields = {name: read_value(value) for name, value in read_pairs(arguments.fields, "a field").items()}
    tenant = find_tenant(store, arguments.person, [arguments.id], arguments.tenant)
    return 0, review.amend(store, arguments.person, tenant, arguments.id, fields, seen=arguments.seen, operation=arguments.operation)
