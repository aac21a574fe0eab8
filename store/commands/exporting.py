"""export."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

from store.db.claim_store import open_store
from store.handing_out import export_store

Outcome = tuple[int, dict[str, Any]]


def export(arguments: Namespace) -> Outcome:
    """Write the store to a file."""
    store = open_store(arguments.db)
    path, scope = Path(arguments.output), arguments.scope or arguments.tenant
    return 0, export_store(store, arguments.person, path, scope=scope, form=arguments.format, holder=arguments.holder)
