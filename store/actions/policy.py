"""Changing a scope's policy: what promotion checks go by, authority ranks, usual terms and house rules."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from store.db.claim_store import ClaimStore
from store.db.decisions import need_reason
from store.db.declarations import drop_policy, load_policy_text, save_policy
from store.db.transaction import write
from store.domain.errors import Code, Refusal
from store.domain.people import Right
from store.domain.policy import change_settings
from store.domain.scopes import check_scope, tenant_of
from store.domain.text import canonical_json


def change_policy(
    store: ClaimStore, person: str, tenant: str, scope: str, changes: Mapping[str, Any], reason: str | None, *,
    seen: Mapping[str, Any] | None = None, operation: str | None = None, authenticated: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Change some settings of a scope's own policy; None takes one away, so that the scopes above hold there.

    Args:
        seen: the scope's own settings as the person saw them; if they differ by now, nothing is done.

    Raises:
        Refusal: `not_allowed`, `changed_since_seen` with the settings as they are now, `bad_value`.
    """
    words = [scope, dict(changes), None if seen is None else dict(seen)]
    with write(store, person, tenant, "change_policy", words, operation=operation, authenticated=authenticated) as tx:
        if tx.repeated is None:
            tx.reason = need_reason(reason)
            if tenant_of(_checked(scope)) != tenant:
                raise Refusal(Code.BAD_VALUE, f"{scope} lies outside {tenant}. Nothing was saved.")
            tx.actor.need(Right.ADMINISTER, scope, "change the policy")
            before = json.loads(load_policy_text(tx.connection, tx.tenant, scope) or "{}")
            if seen is not None and canonical_json(before) != canonical_json(dict(seen)):
                raise Refusal(
                    Code.CHANGED_SINCE_SEEN, f"Somebody changed the policy of {scope} since you looked. Nothing was saved. It is shown as it is now.",
                    now=before,
                )  # fmt: skip
            try:
                after = change_settings(before, changes)
            except ValueError as error:
                raise Refusal(Code.BAD_VALUE, f"Nothing was saved: {error.args[0]}.") from None
            if canonical_json(after) == canonical_json(before):
                raise Refusal(Code.BAD_VALUE, f"The policy of {scope} says that already. Nothing was saved.")
            if after:
                save_policy(tx, scope, canonical_json(after))
            else:
                drop_policy(tx, scope)
            tx.raise_policy_version()
            tx.result = {"scope": scope, "before": before, "after": after, "event": tx.seq}
    return tx.repeated if tx.repeated is not None else tx.result


def _checked(scope: str) -> str:
    try:
        return check_scope(scope)
    except ValueError as error:
        raise Refusal(Code.BAD_VALUE, f"{error.args[0]}. Nothing was saved.") from None
