"""init, import."""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path
from typing import Any

from store.actions.import_bundle import import_files, show_progress
from store.db.claim_store import create_store, open_store
from store.domain.errors import Code, Refusal
from store.domain.people import OPERATOR
from store.reads.locate import list_tenants

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
            raise Refusal(Code.BAD_VALUE, "The store holds records already, so the sample was not loaded. To open the desk on it: streamlit run app.py. For a store of the sample alone, give --db another file.")
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
