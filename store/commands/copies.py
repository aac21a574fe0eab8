"""copies: which files left the store and who holds them, who holds one, and that one is destroyed."""

from __future__ import annotations

import argparse
from argparse import Namespace
from collections.abc import Sequence
from typing import Any

from store.actions.copies import name_copy_holder, record_copy_destroyed
from store.commands.groups import open_group
from store.commands.usage import whole_from
from store.db.claim_store import ClaimStore, open_store
from store.domain.errors import Code, Refusal
from store.domain.times import format_optional
from store.reads.copies import COPIES_PAGE, CopyRow, list_export_copies
from store.reads.forgetting import find_deletion
from store.reads.locate import list_tenants

Outcome = tuple[int, dict[str, Any]]


def add_copies(commands: Any, common: Sequence[argparse.ArgumentParser]) -> None:
    """Add the command `copies` with what it can do."""
    text = "files that left the store: list them, say who holds one, or that one is destroyed"
    add = open_group(commands, common, "copies", text)

    listing = add("list", "list files that left the store, the newest first", list_copies)
    listing.add_argument("--record", action="append", metavar="ID", help="only files that carried it; once for each")
    listing.add_argument("--request", metavar="REQUEST", help="only files that carried something this deletion request is about")
    listing.add_argument("--limit", type=whole_from(1), default=COPIES_PAGE)
    listing.add_argument("--after", type=whole_from(0), metavar="EXPORT")
    holding = add("holder", "say who holds a file", holder)
    holding.add_argument("export", type=whole_from(1), metavar="EXPORT")
    holding.add_argument("holder", metavar="WHO")
    ending = add("destroyed", "record that whoever holds a file has destroyed it", destroyed)
    ending.add_argument("export", type=whole_from(1), metavar="EXPORT")
    for one in (holding, ending):
        one.add_argument("--operation", metavar="ID")


def _tenant(store: ClaimStore, arguments: Namespace) -> str:
    if arguments.tenant:
        return str(arguments.tenant)
    request = getattr(arguments, "request", None)
    if request:
        return find_deletion(store, arguments.person, request)
    mine = list_tenants(store, arguments.person)
    if len(mine) != 1:
        raise Refusal(Code.AMBIGUOUS_TENANT, f"Files of {', '.join(mine) or 'no tenant'} could be meant. Nothing was done. Say which with --tenant.")
    return mine[0]


def _row(row: CopyRow) -> dict[str, Any]:
    return {
        "export": row.export, "at": format_optional(row.at), "format": row.format, "name": row.name, "scope": row.scope, "lines": row.lines, "records": row.records,
        "made_by": row.person, "holder": row.holder, "destroyed_at": format_optional(row.gone_at), **({} if row.touched is None else {"touched": row.touched}),
    }  # fmt: skip


def list_copies(arguments: Namespace) -> Outcome:
    """List files that left the store."""
    store = open_store(arguments.db)
    found = list_export_copies(
        store, arguments.person, _tenant(store, arguments), records=arguments.record, request=arguments.request, after=arguments.after, limit=arguments.limit
    )
    return 0, {"total": found.total, "not_destroyed": found.open, "items": [_row(row) for row in found.rows], "after": found.next}


def holder(arguments: Namespace) -> Outcome:
    """Say who holds a file."""
    store = open_store(arguments.db)
    return 0, name_copy_holder(store, arguments.person, _tenant(store, arguments), arguments.export, arguments.holder, operation=arguments.operation)


def destroyed(arguments: Namespace) -> Outcome:
    """Record that a file is destroyed."""
    store = open_store(arguments.db)
    return 0, record_copy_destroyed(store, arguments.person, _tenant(store, arguments), arguments.export, operation=arguments.operation)
