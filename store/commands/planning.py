"""preview and commit."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from store.actions.commit_plan import commit_plan
from store.commands.words import read_narrowings, read_pairs
from store.db.claim_store import open_store
from store.domain.plans import Answer, Plan, Verb
from store.reads.locate import find_tenant
from store.reads.preview import explain_path, preview_plan

Outcome = tuple[int, dict[str, Any]]


def read_plan(arguments: Namespace) -> Plan:
    """Return the plan that was typed."""
    verb = Verb(arguments.verb)
    if verb is not Verb.RESOLVE:
        return Plan(verb, tuple(dict.fromkeys(arguments.roots)), by=getattr(arguments, "by", None))
    other, narrow, subject = (_joined(getattr(arguments, name)) for name in ("other", "narrow", "subject"))
    return Plan(
        verb, tuple(dict.fromkeys(arguments.roots)), None, Answer(arguments.verdict), arguments.keep, read_pairs(other, "--other", last=True), read_narrowings(narrow),
        read_pairs(subject, "--subject"),
    )  # fmt: skip


def _joined(given: list[str]) -> list[str]:
    return [part for part in given if part]


def preview(arguments: Namespace) -> Outcome:
    """Say what a plan would do."""
    store = open_store(arguments.db)
    plan = read_plan(arguments)
    tenant = find_tenant(store, arguments.person, list(plan.roots), arguments.tenant)
    if arguments.explain:
        return 0, {"path": explain_path(store, arguments.person, tenant, plan, arguments.explain)}
    return 0, preview_plan(store, arguments.person, tenant, plan).to_json()


def commit(arguments: Namespace) -> Outcome:
    """Carry out what a preview showed."""
    store = open_store(arguments.db)
    plan = read_plan(arguments)
    tenant = find_tenant(store, arguments.person, list(plan.roots), arguments.tenant)
    return 0, commit_plan(
        store, arguments.person, tenant, plan, arguments.fingerprint, arguments.reason, operation=arguments.operation,
        owners=read_pairs(arguments.owner, "--owner", last=True), waived=read_pairs(arguments.waive, "--waive"),
    )  # fmt: skip
