"""verify, rebuild-index, lab, bench."""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path
from typing import Any

from store.actions.rebuild_index import rebuild_index
from store.db.claim_store import open_store
from store.db.engine import file_explained, need_elsewhere
from store.reads.verify import verify_store

Outcome = tuple[int, dict[str, Any]]


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


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

    if arguments.output:
        need_elsewhere(arguments.db, Path(arguments.output))
    found = run_lab()
    if arguments.output:
        import json  # noqa: PLC0415

        with file_explained(Path(arguments.output)):
            Path(arguments.output).write_text(json.dumps(found, ensure_ascii=False, indent=2) + "\n", "utf-8")
    return (0 if found["ok"] else 1), found


def bench(arguments: Namespace) -> Outcome:
    """Measure the speed goals."""
    from store.bench.run import run_bench  # noqa: PLC0415 - only for this command

    return 0, run_bench(arguments.claims, arguments.only, arguments.postgresql, say=_say)
