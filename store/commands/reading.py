"""show, queue, check, read, search, events, metrics, blocked."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from store.actions.reveal import reveal
from store.commands.usage import Usage
from store.commands.words import read_qualifiers, read_time
from store.db.claim_store import open_store
from store.domain.veiling import veiling
from store.reads import answers, queues, record
from store.reads import events as event_list
from store.reads import metrics as figures
from store.reads.check import check_record
from store.reads.locate import find_tenant

Outcome = tuple[int, dict[str, Any]]


def show(arguments: Namespace) -> Outcome:
    """Show one record."""
    store = open_store(arguments.db)
    tenant = find_tenant(store, arguments.person, [arguments.id], arguments.tenant)
    shown: frozenset[tuple[str, str, int]] = frozenset()
    if arguments.reveal:
        done = reveal(store, arguments.person, tenant, arguments.id)
        shown = frozenset({(tenant, done["revealed"], done["version"])})
    with veiling(shown):
        return 0, record.show_record(store, arguments.person, tenant, arguments.id, at=read_time(arguments.at), known_at=read_time(arguments.known_at))


def queue(arguments: Namespace) -> Outcome:
    """List what waits."""
    store = open_store(arguments.db)
    with veiling():
        return 0, queues.list_queue(
            store, arguments.person, arguments.queue, scope=arguments.scope, tenant=arguments.tenant, limit=arguments.limit, after=arguments.after
        )


def check(arguments: Namespace) -> Outcome:
    """Run the promotion checks."""
    store = open_store(arguments.db)
    tenant = find_tenant(store, arguments.person, [arguments.id], arguments.tenant)
    return 0, check_record(store, arguments.person, tenant, arguments.id)


def blocked(arguments: Namespace) -> Outcome:
    """Say what blocks an action."""
    store = open_store(arguments.db)
    tenant = find_tenant(store, arguments.person, [arguments.id], arguments.tenant)
    return 0, figures.explain_actions(store, arguments.person, tenant, arguments.id)


def read(arguments: Namespace) -> Outcome:
    """Ask what may be believed."""
    if arguments.id is None and not (arguments.scope and arguments.subject and arguments.predicate):
        raise Usage("a question needs --scope, --subject and --predicate, or --id")
    if arguments.id is not None and (arguments.subject is not None or arguments.predicate is not None or arguments.qualifier):
        raise Usage("--id asks for one record: --subject, --predicate and --qualifier do not go with it")
    store = open_store(arguments.db)
    at = read_time(arguments.at)
    if arguments.id is not None:
        question = answers.Question(arguments.scope or "", purpose=arguments.purpose, at=at, task=arguments.task, limit=arguments.limit)
        tenant = find_tenant(store, arguments.person, [arguments.id], arguments.tenant)
        return 0, answers.read_record(store, arguments.person, tenant, arguments.id, question)
    qualifiers = read_qualifiers(arguments.qualifier)
    question = answers.Question(
        arguments.scope, arguments.subject, arguments.predicate, qualifiers, arguments.purpose, at, arguments.task, arguments.limit
    )
    return 0, answers.read_claims(store, arguments.person, question)


def search(arguments: Namespace) -> Outcome:
    """Find usable records by words."""
    store = open_store(arguments.db)
    return 0, answers.search_records(store, arguments.person, arguments.text, arguments.scope, limit=arguments.limit)


def events(arguments: Namespace) -> Outcome:
    """List what happened."""
    store = open_store(arguments.db)
    return 0, event_list.list_events(store, arguments.person, tenant=arguments.tenant, record=arguments.record, action=arguments.action, after=arguments.after)


def metrics(arguments: Namespace) -> Outcome:
    """Print the four figures."""
    store = open_store(arguments.db)
    return 0, figures.measure(store, arguments.person, scope=arguments.scope)
