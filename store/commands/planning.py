"""preview and commit."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace
from pathlib import Path
from typing import Any

from store.actions.commit_plan import commit_plan
from store.actions.plan_files import keep_plan_file
from store.commands.capturing import read_file
from store.commands.usage import Usage
from store.commands.words import read_narrowings, read_pairs, read_value
from store.db.claim_store import ClaimStore, open_store
from store.domain.errors import Code, Refusal
from store.domain.plans import Answer, Plan, Verb
from store.domain.scopes import tenant_of
from store.domain.strict_json import read_json
from store.domain.tolerance import parse_tolerance
from store.domain.veiling import veiling
from store.reads.locate import find_tenant
from store.reads.preview import explain_path, preview_plan

Outcome = tuple[int, dict[str, Any]]


def read_plan(arguments: Namespace) -> Plan:
    """Return the plan that was typed."""
    verb, roots = Verb(arguments.verb), tuple(dict.fromkeys(arguments.roots))
    if not roots and not getattr(arguments, "made", []):
        raise Usage(f"say what to {verb.value}: ids, or --made WHAT=VALUE")
    if verb is Verb.SETTLE:
        rule: dict[str, Any] = {} if arguments.verdict is None else {"verdict": arguments.verdict}
        if arguments.prefer is not None:
            rule["prefer"] = read_pairs([arguments.prefer], "--prefer")
        if arguments.others is not None:
            rule["others"] = arguments.others
        return Plan(verb, roots, rule=rule, choices=read_pairs(arguments.choose, "--choose"), except_=tuple(arguments.except_), ask=arguments.ask)
    if verb is Verb.COMPARE:
        return Plan(verb, roots, scope=arguments.scope, comparison=_read_comparison(arguments))
    if verb is Verb.RECAPTURE:
        return Plan(verb, roots, values=_read_values(arguments.values))
    if verb is Verb.ERASE:
        return Plan(verb, roots, keep_passages=tuple(one for some in arguments.keep_passages for one in some))
    if verb is Verb.CONFIRM:
        drop, add, swapped = ([one for some in getattr(arguments, name) for one in some] for name in ("drop", "add", "replace"))
        return Plan(verb, roots, drop=tuple(drop), add=tuple(add), replace=read_pairs(swapped, "--replace"))
    made = read_pairs([one for some in getattr(arguments, "made", []) for one in some], "--made")
    if verb is not Verb.RESOLVE:
        return Plan(verb, roots, by=getattr(arguments, "by", None), made=made, except_=_left_out(arguments))
    other, narrow, subject = (_joined(getattr(arguments, name)) for name in ("other", "narrow", "subject"))
    return Plan(
        verb, roots, None, Answer(arguments.verdict), arguments.keep, read_pairs(other, "--other", last=True), read_narrowings(narrow),
        read_pairs(subject, "--subject"), ask=arguments.ask, made=made, except_=_left_out(arguments),
    )  # fmt: skip


def _left_out(arguments: Namespace) -> tuple[str, ...]:
    return tuple(one for some in getattr(arguments, "except_", []) for one in some)


def _read_comparison(arguments: Namespace) -> dict[str, Any]:
    """Return the parts of a declaration that were typed."""
    found: dict[str, Any] = {
        name: value for name in ("compare", "value_type", "order", "cardinality", "about") if (value := getattr(arguments, name)) is not None
    }
    if arguments.series is not None:
        found["series"] = arguments.series == "yes"
    if arguments.tolerance is not None:
        try:
            found["tolerance"] = None if arguments.tolerance == "none" else parse_tolerance(arguments.tolerance)
        except ValueError as error:
            raise Refusal(Code.BAD_VALUE, f"{error}. Nothing was done.") from None
    if arguments.thresholds is not None:
        found["thresholds"] = read_value(arguments.thresholds)
    return found


def _find_tenant(arguments: Namespace, store: ClaimStore, plan: Plan) -> str:
    if plan.verb is Verb.COMPARE and plan.scope is not None:
        return str(arguments.tenant or tenant_of(plan.scope))
    return find_tenant(store, arguments.person, list(plan.roots), arguments.tenant)


def _with_file(arguments: Namespace, store: ClaimStore, tenant: str, plan: Plan) -> Plan:
    """Return the plan with the file that was given for it, kept in the store by its hash."""
    if plan.verb is not Verb.RECAPTURE or arguments.file is None:
        return plan
    kept = keep_plan_file(
        store, arguments.person, tenant, read_file(arguments.file), name=Path(arguments.file).name, media_type=arguments.media_type,
        encoding=arguments.encoding,
    )  # fmt: skip
    return replace(plan, file=kept.sha256, media_type=kept.media_type)


def _read_values(name: str | None) -> dict[str, dict[str, Any]]:
    """Return new values of fallen claims from a file of JSON lines."""
    found: dict[str, dict[str, Any]] = {}
    for number, line in enumerate(read_file(name).decode("utf-8", "replace").splitlines() if name else (), 1):
        if not line.strip():
            continue
        try:
            fields = read_json(line)
        except ValueError as error:
            code = error.args[1] if len(error.args) > 1 else Code.NOT_JSON
            raise Refusal(code, f"Line {number} of {name}: {error.args[0]}. Nothing was done.") from None
        claim = fields.pop("id", None) if isinstance(fields, dict) else None
        if not isinstance(claim, str) or claim in found:
            what = "names no claim" if not isinstance(claim, str) else f"names {claim} a second time"
            raise Refusal(Code.BAD_VALUE, f"Line {number} of {name} {what}. Nothing was done.")
        found[claim] = fields
    return found


def _joined(given: list[str]) -> list[str]:
    return [part for part in given if part]


def preview(arguments: Namespace) -> Outcome:
    """Say what a plan would do."""
    plan = read_plan(arguments)
    store = open_store(arguments.db)
    tenant = _find_tenant(arguments, store, plan)
    plan = _with_file(arguments, store, tenant, plan)
    if arguments.explain:
        return 0, {"path": explain_path(store, arguments.person, tenant, plan, arguments.explain)}
    with veiling():
        return 0, preview_plan(store, arguments.person, tenant, plan).to_json()


def commit(arguments: Namespace) -> Outcome:
    """Carry out what a preview showed."""
    plan = read_plan(arguments)
    store = open_store(arguments.db)
    tenant = _find_tenant(arguments, store, plan)
    plan = _with_file(arguments, store, tenant, plan)
    return 0, commit_plan(
        store, arguments.person, tenant, plan, arguments.fingerprint, arguments.reason, operation=arguments.operation,
        owners=read_pairs(arguments.owner, "--owner", last=True), waived=read_pairs(arguments.waive, "--waive"),
    )  # fmt: skip
