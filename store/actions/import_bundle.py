"""Importing a bundle: staged lines resolved against the store under its lock, then written at once (R1, R7, R9, R29).

Bad lines are values: each is named with its number, id, code and a sentence, and the good ones go in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from store.actions.import_cases import take_corrections
from store.actions.import_declarations import take_people, take_policies, take_predicates, take_sources
from store.actions.import_logs import take_conflicts, take_reads, take_triggers
from store.actions.import_messages import take_messages, take_remedies
from store.actions.import_part import ImportPart
from store.actions.import_placing import place_lines
from store.actions.import_records import choose_records, write_records
from store.actions.staging import Progress, Staging, stage_files, stage_lines
from store.db.bulk import refresh_statistics
from store.db.claim_store import ClaimStore
from store.db.engine import explained
from store.db.keys import Numbers, load_policies
from store.db.pending import request_for_pending
from store.db.transaction import load_actor, write
from store.domain.errors import Code, Refusal
from store.domain.forgetting import IMPORT_OF_REVIEWED
from store.domain.people import Right
from store.domain.scopes import tenant_of
from store.domain.status import Status

#: So many new records and sources change how the database should look for things.
_MANY = 10_000


class _DryRun(Exception):  # noqa: N818 - it ends a transaction and is never seen
    """Ends the transaction of a dry run."""


def import_files(
    store: ClaimStore, person: str, paths: list[Path], *, reviewed: bool = False, dry_run: bool = False, scope: str | None = None,
    operation: str | None = None, progress: Progress | None = None, authenticated: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Import bundle files and return counts and rejected lines.

    What was accepted elsewhere and is of a type or sensitivity that a policy of this store excludes arrives STALE, named under `not_kept`.
    Records that arrive as being deleted get a deletion request here, named under `requests`, so that they can be erased.

    Args:
        reviewed: let records come in with the status they claim; needs admin of their scopes.
        dry_run: find out what would happen and write nothing.
        scope: the scope of lines that name none.

    Raises:
        Refusal: a file cannot be read, or the person may not import.
    """
    staging = stage_files(paths, scope, progress)
    return _import(
        store, person, staging, scope, reviewed=reviewed, dry_run=dry_run, operation=operation, progress=progress, authenticated=authenticated
    )


def import_lines(
    store: ClaimStore, person: str, lines: Iterable[bytes], *, reviewed: bool = False, dry_run: bool = False, scope: str | None = None,
    operation: str | None = None, progress: Progress | None = None, size: int = 0, authenticated: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Import bundle lines that are in memory, of `size` bytes; otherwise as `import_files`."""
    staging = stage_lines(Staging(), lines, scope, progress=progress, size=size)
    return _import(
        store, person, staging, scope, reviewed=reviewed, dry_run=dry_run, operation=operation, progress=progress, authenticated=authenticated
    )


def _import(
    store: ClaimStore, person: str, staging: Staging, scope: str | None, *, reviewed: bool, dry_run: bool, operation: str | None,
    progress: Progress | None = None, authenticated: bool = False,
) -> dict[str, Any]:  # fmt: skip
    result: dict[str, Any] = {
        "imported": {"source": 0, "evidence": 0, "claim": 0, "artifact": 0}, "unchanged": 0, "rejected": [], "conflicts_opened": 0,
        "assumed_utc": [], "known": [], "declared": {"person": 0, "predicate": 0, "policy": 0}, "arrived": {},
        "requests": [], "not_kept": [],
    }  # fmt: skip
    words = [staging.digest.hexdigest(), reviewed, scope]
    try:
        with explained(), store.reader.begin() as connection:
            actor = load_actor(connection, person, authenticated=authenticated)
        tenants = place_lines(store, actor, staging, scope)
        if reviewed:
            for tenant in tenants:
                if not any(actor.may(Right.ADMINISTER, scope) for scope in _scopes_in(staging, tenant)):
                    raise Refusal(
                        Code.NOT_ALLOWED,
                        f"{actor.name} may not import reviewed records into {tenant}: that takes admin there. Nothing was imported. Import without --reviewed.",
                    )
        result["rejected"] = [error.to_json() for error in staging.rejected]
        for number, tenant in enumerate(tenants):
            try:
                with write(
                    store,
                    person,
                    tenant,
                    "import",
                    words,
                    operation=_part(operation, number),
                    create=_may_create(actor, tenant),
                    authenticated=authenticated,
                ) as tx:
                    if tx.repeated is not None:
                        _merge(result, tx.repeated)
                        continue
                    before = len(staging.rejected)
                    part = _run_part(ImportPart(tx, staging, reviewed, progress, Numbers(tx.connection, tx.tenant)))
                    part["rejected"] = [error.to_json() for error in staging.rejected[before:]]
                    asked = request_for_pending(tx, [one.id for one in staging.records if one.tenant == tenant and one.gone is Status.DELETION_PENDING])
                    part["requests"] = [asked[0]] if asked is not None else []
                    tx.result = _without_forgotten(part)
                    tx.reason = IMPORT_OF_REVIEWED if reviewed else None
                    _merge(result, part)
                    if dry_run:
                        raise _DryRun
            except _DryRun:
                continue
            if asked is not None:
                with suppress(Refusal):  # where noting fails, running the request notes it
                    store.ledger.note_asked(tenant, *asked)
        result["rejected"] = sorted(result["rejected"], key=lambda error: int(error["line"]))
        if not dry_run and sum(result["imported"].values()) >= _MANY:
            refresh_statistics(store.writer)
        return result
    finally:
        staging.close()


def _may_create(actor: Any, tenant: str) -> bool:
    return bool(actor.may(Right.ADMINISTER, tenant))


def _part(operation: str | None, number: int) -> str | None:
    return operation if operation is None or number == 0 else f"{operation}:{number}"


def _without_forgotten(part: dict[str, Any]) -> dict[str, Any]:
    """Return what is kept of a result: not the ids by which something forgotten was offered again."""
    rejected = [{**one, "id": None} if one["code"] == Code.ERASED_BEFORE else one for one in part["rejected"]]
    return {**part, "rejected": rejected}


def _merge(result: dict[str, Any], part: dict[str, Any]) -> None:
    for name in ("imported", "declared", "arrived"):
        for kind, count in part.get(name, {}).items():
            result[name][kind] = result[name].get(kind, 0) + count
    for name in ("unchanged", "conflicts_opened"):
        result[name] += part[name]
    for name in ("assumed_utc", "known", "rejected", "requests", "not_kept"):
        result[name].extend(part.get(name, ()))


def _scopes_in(staging: Staging, tenant: str) -> list[str]:
    found = {record.scope for record in staging.records if record.scope} | {source.scope for _, source in staging.sources}
    found |= {predicate.scope for _, predicate in staging.predicates} | {policy.scope for _, policy in staging.policies}
    found |= {case.scope for _, case in staging.corrections} | {one.scope for _, one in staging.messages} | {one.scope for _, one in staging.remedies}
    found |= {scope for _, person in staging.people for _, scope in person.roles}
    return sorted(scope for scope in found if tenant_of(scope) == tenant) or [tenant]


def _run_part(part: ImportPart) -> dict[str, Any]:
    """Take what can be taken of one tenant's lines and return the counts."""
    part.say("checking", 0, len(part.staging.records))
    part.policies = load_policies(part.tx.connection, part.tx.tenant)
    take_people(part)
    take_predicates(part)
    take_policies(part)
    take_sources(part)
    taken, statuses = choose_records(part)
    opened = write_records(part, taken, statuses)
    take_reads(part)
    take_conflicts(part)
    take_corrections(part)
    take_remedies(part)
    take_messages(part)
    take_triggers(part)
    return part.result(opened)


def show_progress(report: Callable[[str], None]) -> Progress:
    """Return a progress function that says what is being done and how much is left."""

    def progress(what: str, done: int, total: int) -> None:
        share = f" {100 * done // total} %" if total else ""
        report(f"{what}{share} ({done:,} of {total:,})")

    return progress
