"""The register of files that left the store: writing a row before the file appears, who holds it, and that it is destroyed."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from store.db.claim_store import ClaimStore
from store.db.erase_copies import settle_export
from store.db.export_copies import ExportCopy, insert_export, load_exports, note_export_gone, set_export_holder
from store.db.receipts import close_if_settled
from store.db.transaction import Writing, write
from store.domain.errors import Code, Refusal
from store.domain.handing_out import Carried
from store.domain.people import Right
from store.domain.text import find_forbidden, is_blank

_LONGEST = 200


def register_copies(
    store: ClaimStore, person: str, carried: Sequence[Carried], form: str, *, name: str | None = None, scope: str | None = None, holder: str | None = None,
    authenticated: bool = False,
) -> dict[str, int]:  # fmt: skip
    """Register a file that is ready, in each tenant it tells of, and return tenant -> number of the export; the caller lets it appear afterwards.

    Where a later tenant refuses, what the earlier ones noted is marked as gone: the file does not appear.

    Raises:
        Refusal: something in it was blocked for deletion since it was read, or the store cannot be written.
    """
    holder = _need_name(holder) if holder is not None else None
    found: dict[str, int] = {}
    try:
        for one in carried:
            with write(store, person, one.tenant, "export", [form, one.lines], authenticated=authenticated) as tx:
                number = insert_export(tx, one, form=form, scope=scope, name=_cut(name), holder=holder)
                tx.result = {"export": number, "event": tx.seq}
            found[one.tenant] = number
    except BaseException:
        with suppress(Refusal):
            withdraw_copies(store, person, found, authenticated=authenticated)
        raise
    return found


def withdraw_copies(store: ClaimStore, person: str, registered: dict[str, int], *, authenticated: bool = False) -> None:
    """Note of files that were registered that they never appeared."""
    for tenant, number in registered.items():
        with write(store, person, tenant, "export_failed", [number], authenticated=authenticated) as tx:
            note_export_gone(tx, number, person)
            tx.result = {"export": number, "event": tx.seq}


def record_copy_destroyed(
    store: ClaimStore, person: str, tenant: str, export: int, *, operation: str | None = None, authenticated: bool = False
) -> dict[str, Any]:
    """Record that whoever holds an exported file has destroyed it; what waits for that in deletion requests is settled with it.

    A request of which nothing else is open is complete with it, and has its receipt.

    Returns:
        `{"export": number, "destroyed": whether it was not recorded before, "requests": how many waited for it, "event"}`.

    Raises:
        Refusal: `not_found`, also for who may not administer what it was made of.
    """
    with write(store, person, tenant, "copy_destroyed", [export], operation=operation, authenticated=authenticated) as tx:
        if tx.repeated is None:
            _find(tx, export)
            fresh = note_export_gone(tx, export, person)
            settled = settle_export(tx, export)
            for request in settled:
                close_if_settled(tx, request, verified=True)
            tx.result = {"export": export, "destroyed": fresh, "requests": len(settled), "event": tx.seq}
    return tx.repeated if tx.repeated is not None else tx.result


def name_copy_holder(
    store: ClaimStore, person: str, tenant: str, export: int, holder: str, *, operation: str | None = None, authenticated: bool = False
) -> dict[str, Any]:
    """Record who holds an exported file, where that became known later.

    Returns:
        `{"export": number, "holder", "event"}`.

    Raises:
        Refusal: `not_found`, also for who may not administer what it was made of; `bad_value` for a name that is none.
    """
    with write(store, person, tenant, "copy_holder", [export, holder], operation=operation, authenticated=authenticated) as tx:
        if tx.repeated is None:
            _find(tx, export)
            set_export_holder(tx, export, _need_name(holder))
            tx.result = {"export": export, "holder": holder, "event": tx.seq}
    return tx.repeated if tx.repeated is not None else tx.result


def _find(tx: Writing, export: int) -> ExportCopy:
    found = next(load_exports(tx.connection, tx.tenant, numbers=[export]), None)
    if found is None or not tx.actor.may(Right.ADMINISTER, found.scope or tx.tenant_name):
        raise Refusal(Code.NOT_FOUND, f"There is no export {export} here that you may settle. Nothing was recorded. List them first.")
    return found


def _need_name(holder: str) -> str:
    if is_blank(holder) or len(holder) > _LONGEST or find_forbidden(holder):
        raise Refusal(Code.BAD_VALUE, f"Who holds a file is a name of 1 to {_LONGEST} characters. Nothing was done. Type it again.")
    return holder


def _cut(name: str | None) -> str | None:
    """Return a file's name without its folders, as far as a register needs it."""
    if name is None:
        return None
    return name.replace("\\", "/").rsplit("/", 1)[-1].encode("utf-8", "replace").decode("utf-8")[:_LONGEST]
