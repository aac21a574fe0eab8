"""trigger: what makes records stale beside lost parents; fired by hand, and dismissed."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from store.actions.triggers import dismiss_trigger, fire_trigger
from store.commands.usage import Usage
from store.db.claim_store import open_store
from store.domain.errors import Code, Refusal
from store.domain.scopes import tenant_of
from store.reads.locate import find_tenant

Outcome = tuple[int, dict[str, Any]]


def fire(arguments: Namespace) -> Outcome:
    """Fire a trigger for records, or for everything accepted in a scope, about a subject, of an owner."""
    sift = {name: value for name in ("scope", "subject", "owner") if (value := getattr(arguments, name)) is not None}
    if bool(sift) == bool(arguments.ids):
        raise Usage("name records, or --scope, --subject or --owner, but not both")
    store = open_store(arguments.db)
    if arguments.ids:
        tenant = find_tenant(store, arguments.person, arguments.ids, arguments.tenant)
    elif arguments.tenant or arguments.scope:
        tenant = arguments.tenant or tenant_of(arguments.scope)
    else:
        raise Refusal(Code.AMBIGUOUS_TENANT, "Say in which tenant, with --tenant or --scope. Nothing was done.")
    which = sift or tuple(arguments.ids)
    return 0, fire_trigger(store, arguments.person, tenant, arguments.name, which, arguments.reason, operation=arguments.operation)


def dismiss(arguments: Namespace) -> Outcome:
    """Dismiss a trigger of one record."""
    store = open_store(arguments.db)
    tenant = find_tenant(store, arguments.person, [arguments.id], arguments.tenant)
    return 0, dismiss_trigger(store, arguments.person, tenant, arguments.id, arguments.name, arguments.reason, operation=arguments.operation)
