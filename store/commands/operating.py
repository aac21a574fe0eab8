"""init, import, export, verify, rebuild-index, lab, bench."""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path
from typing import Any

from store.actions.import_bundle import import_files, show_progress
from store.actions.rebuild_index import rebuild_index
from store.db.claim_store import create_store, open_store
from store.domain.errors import Code, Refusal
from store.domain.people import OPERATOR
from store.reads.export import export_store
from store.reads.locate import list_tenants
from store.reads.verify import verify_store

Outcome = tuple[int, dict[str, Any]]

SAMPLE = Path(__file__).resolve().parents[2] / "sample_data" / "bundle.jsonl"


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def init(arguments: Namespace) -> Outcome:
    """Create or migrate the store, and load the sample into an empty one."""
    store = create_store(arguments.db)
    result: dict[str, Any] = {"store": store.lineage, "sample": False}
    if arguments.sample:
        if not SAMPLE.exists():
            raise Refusal(Code.NOT_FOUND, f"The sample bundle {SAMPLE} is not there. The empty store was made.")
        if list_tenants(store, OPERATOR):
            raise Refusal(Code.BAD_VALUE, "The store holds records already, so the sample was not loaded. Give --db another file for it.")
        found = import_files(store, OPERATOR, [SAMPLE], reviewed=True, progress=show_progress(_say))
        result |= {"sample": True, "imported": found["imported"], "rejected": found["rejected"]}
    return 0, result


def import_bundle(arguments: Namespace) -> Outcome:
    """Import bundle files."""
    store = open_store(arguments.db)
    paths = [Path(name) for name in arguments.files]
    found = import_files(
        store, arguments.person, paths, reviewed=arguments.reviewed, dry_run=arguments.dry_run, scope=arguments.scope, operation=arguments.operation,
        progress=show_progress(_say),
    )  # fmt: skip
    return 0, found


def export(arguments: Namespace) -> Outcome:
    """Write the store to a file."""
    store = open_store(arguments.db)
    return 0, export_store(store, arguments.person, Path(arguments.output), scope=arguments.scope or arguments.tenant, form=arguments.format)


def verify(arguments: Namespace) -> Outcome:
    """Check every invariant and the chain of events."""
    store = open_store(arguments.db)
    found = verify_store(store, arguments.person, tenant=arguments.tenant, progress=_say)
    return (0 if found["ok"] else 1), found


def rebuild(arguments: Namespace) -> Outcome:
    """Make the full-text index anew."""
    return 0, rebuild_index(open_store(arguments.db), arguments.person)


def lab(arguments: Namespace) -> Outcome:
    """Run the first article's experiment."""
    from store.commands.lab import run_lab  # noqa: PLC0415 - only for this command

    found = run_lab()
    if arguments.output:
        import json  # noqa: PLC0415

        Path(arguments.output).write_text(json.dumps(found, ensure_ascii=False, indent=2) + "\n", "utf-8")
    return (0 if found["ok"] else 1), found


def bench(arguments: Namespace) -> Outcome:
    """Measure the speed goals."""
    from store.bench.run import run_bench  # noqa: PLC0415 - only for this command

    return 0, run_bench(arguments.claims, arguments.only, arguments.postgresql, say=_say)
