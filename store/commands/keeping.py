"""backup, restore, backups, drill: copies of the whole store, putting one back, which are kept, and a rehearsal of it."""

from __future__ import annotations

import argparse
import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from store.actions.backups import KEEP_DAYS, drop_backup, make_backup, record_backup_destroyed, restore_backup
from store.commands.usage import whole_from
from store.db.claim_store import ClaimStore, open_store
from store.domain.errors import Refusal
from store.domain.times import format_optional
from store.drill import run_drill
from store.reads.backups import list_backups
from store.reads.locate import find_tenant

Outcome = tuple[int, dict[str, Any]]


def add_keeping(commands: Any, common: Sequence[argparse.ArgumentParser]) -> None:
    """Add the commands about backups."""

    def add(name: str, says: str, run: Any) -> argparse.ArgumentParser:
        parser: argparse.ArgumentParser = commands.add_parser(name, help=says, description=says, parents=list(common))
        parser.set_defaults(run=run)
        return parser

    making = add("backup", "write the whole store, of either database, to one file; the ledger of erasures is not in it", backup)
    making.add_argument("file", metavar="FILE")
    making.add_argument("--keep-days", type=whole_from(1), default=KEEP_DAYS, metavar="N", help=f"after how many days it is to be destroyed (default: {KEEP_DAYS})")
    restoring = add("restore", "put a backup back into its store's place or an empty one; what was forgotten since is erased first", restore)
    restoring.add_argument("file", metavar="FILE")
    restoring.add_argument("--replace", action="store_true", help="also in the place of another store")
    add("drill", "rehearse backup, erasing and restoring on synthetic records in a scratch place, and keep what was found", drill)
    listing = add("backups", "list the backups that were made; delete those past their date; note that one is destroyed", backups)
    acts = listing.add_mutually_exclusive_group()
    acts.add_argument("--destroyed", type=whole_from(1), metavar="N", help="note that backup N is destroyed; refused while its file is found")
    acts.add_argument("--drop", type=whole_from(1), metavar="N", help="delete the file of backup N, whose date has passed, and note that")
    acts.add_argument("--drop-lapsed", action="store_true", help="the same for every backup whose date has passed; those not found are named, and stay open")
    listing.add_argument("--early", action="store_true", help="with --drop: although its date has not passed")


def backup(arguments: Namespace) -> Outcome:
    """Write the whole store to one file."""
    store = open_store(arguments.db)
    found = make_backup(store, arguments.person, Path(arguments.file), keep_days=arguments.keep_days)
    return 0, {**found, "until": format_optional(found["until"])}


def restore(arguments: Namespace) -> Outcome:
    """Put a backup in a store's place."""
    return 0, restore_backup(arguments.db, arguments.person, Path(arguments.file), replace=arguments.replace)


def drill(arguments: Namespace) -> Outcome:
    """Rehearse backup, erasing and restoring."""
    store = open_store(arguments.db)
    tenant = find_tenant(store, arguments.person, [], arguments.tenant)
    found = run_drill(store, arguments.person, tenant)
    print(found["message"], file=sys.stderr)
    return (0 if found["ok"] else 1), found


def backups(arguments: Namespace) -> Outcome:
    """List the backups that were made, delete those past their date, or note that one is destroyed."""
    store = open_store(arguments.db)
    if arguments.destroyed is not None:
        return 0, record_backup_destroyed(store, arguments.person, arguments.destroyed)
    if arguments.drop is not None:
        return 0, drop_backup(store, arguments.person, arguments.drop, early=arguments.early)
    found = list_backups(store, arguments.person)
    if arguments.drop_lapsed:
        return _drop_lapsed(store, arguments.person, [row.backup for row in found if row.lapsed and row.gone_at is None])
    lapsed = [row for row in found if row.lapsed and row.gone_at is None]
    if there := [row.backup for row in lapsed if row.there]:
        print(f"Past their date and still there: {_numbers(there)}. Delete them with: backups --drop-lapsed", file=sys.stderr)
    if lost := [row.backup for row in lapsed if not row.there]:
        print(f"Past their date and not found from here: {_numbers(lost)}. Delete them where they are, then say: backups --destroyed N", file=sys.stderr)
    rows = [
        {
            "backup": row.backup, "at": format_optional(row.at), "until": format_optional(row.until), "by": row.person,
            "state": "destroyed" if row.gone_at is not None else "broken off" if not row.revisions else "lapsed" if row.lapsed else "kept",
            "there": row.there, "file": row.name,
        }
        for row in found
    ]  # fmt: skip
    return 0, {"backups": rows}


def _numbers(backups: Sequence[int]) -> str:
    return ", ".join(f"backup {one}" for one in sorted(backups))


def _drop_lapsed(store: ClaimStore, person: str, lapsed: Sequence[int]) -> Outcome:
    """Delete the files of backups, each by itself; what cannot be deleted is named with why."""
    dropped, refused = list[int](), list[dict[str, Any]]()
    for number in sorted(lapsed):
        try:
            drop_backup(store, person, number)
            dropped.append(number)
        except Refusal as refusal:
            refused.append({"backup": number, "code": refusal.code.value, "message": refusal.message})
    return (1 if refused else 0), {"dropped": dropped, "refused": refused}
